/*
 * What the two forms of austin share: metrics, series, frames.
 */
#ifndef PP_AUSTIN_H
#define PP_AUSTIN_H

#include "formats/author.h"

enum { PP_AUSTIN_LINE, PP_AUSTIN_FRAME, PP_AUSTIN_CUT, PP_AUSTIN_EVENT, PP_AUSTIN_VERSION };

struct pp_austin {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_owners owners;
	PP_VEC(pp_frame) stack;
	uint32_t time, memory; /* metrics; PP_NO_METRIC = there is none */
	pp_frame nothing;      /* [no stack] */
	/* Of text: frames by how they are written, and whose the line before was. */
	struct pp_strtab texts;
	PP_VEC(pp_frame) frame_of;
	int64_t last_pid;
	struct pp_slice last_thread;
	uint32_t last_series;
};

extern const struct pp_rule pp_austin_rules[];

void pp_austin_report(struct pp_austin *, int rule, struct pp_place);
/* Makes the metrics that there are; time where there are none. */
void pp_austin_metrics(struct pp_austin *, bool time, bool memory);
/* The frame of a function at a line; `line` 0 is not known. */
pp_frame pp_austin_frame(struct pp_austin *, struct pp_slice name, struct pp_slice file,
                         uint32_t line);
void pp_austin_push(struct pp_austin *, pp_frame);
/* Gives the stack: us and bytes, as far as they are counted. */
void pp_austin_give(struct pp_austin *, uint32_t series, int64_t time, int64_t memory);
/* The series of a process (-1 = unknown) and a thread, whose number is decimal or hexadecimal. */
uint32_t pp_austin_series(struct pp_austin *, int64_t pid, struct pp_slice thread, bool decimal);

void pp_austin_mojo(struct pp_austin *, struct pp_slice);
void pp_austin_text(struct pp_austin *, struct pp_slice);

#endif
