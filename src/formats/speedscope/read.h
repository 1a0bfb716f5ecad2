/*
 * What the reader of speedscope's JSON knows, between its files.
 */
#ifndef PP_SPEEDSCOPE_READ_H
#define PP_SPEEDSCOPE_READ_H

#include "formats/kit/call_walk.h"
#include "formats/speedscope/speedscope.h"

/* A number that may be missing. */
struct speedscope_given {
	bool there, wrong;
	struct pp_json_num num;
};

struct speedscope_part {
	const unsigned char *at;
	struct pp_json_str name, type, unit;
	bool has_name, is_object;
	const unsigned char *samples, *weights, *events; /* arrays, or NULL */
	struct speedscope_given start, end;
	/* What we wrote ourselves. */
	bool is_ours, has_thread;
	bool laid_out; /* stacks one after the other: their order tells nothing */
	/* Of the reader's strings; no name or unit = that of its kind. */
	pp_str metric_name, unit_name, event, thread;
	size_t measure;
	enum speedscope_metric kind;
	int decimals;
	bool unit_known;
};

/* A metric: by its kind, and by its name where a file of our own tells it. */
struct speedscope_measure {
	enum speedscope_metric kind;
	pp_str name, unit, event;
	struct pp_fixed fixed;
	uint32_t metric; /* + 1; 0 = none yet */
};

/* Each is compared with those before. */
#define MEASURES_MOST 2048

struct speedscope_read {
	struct pp_json_doc doc;
	struct pp_builder *b;
	PP_VEC(struct speedscope_measure) measures; /* kept when all is read again */
	struct pp_strtab strings;                   /* likewise */
	bool again, is_ours;
	const unsigned char *shared, *profiles;
	bool schema, extras;
	bool parts_known; /* the outline read them */
	uint64_t active;
	const unsigned char *active_at; /* NULL = it is not there */
	bool active_wrong;
	PP_VEC(struct speedscope_part) parts;
	PP_VEC(pp_frame) frames; /* 0 = one that is not what it must be */
	PP_VEC(pp_frame) stack;
	PP_VEC(int64_t) values; /* by metric: 0 */
	PP_VEC(uint32_t) open;  /* indices of frames, while events are read */
	PP_VEC(uint32_t) times; /* by frame: how often it is open */
	pp_frame no_stack;
	bool walks; /* some profile is evented, so the tree is built here, */
	bool keeps; /* and so are the timelines of samples */
	bool alone; /* all are */
	struct pp_json_alike alike;
	int64_t start, end; /* ns */
	bool timed;
	bool far, past; /* a sample is, and the next would be, later than 64 bits can tell */
};

static inline bool
pp_speedscope_goes_on(const struct speedscope_read *r)
{
	return pp_builder_ok(r->b) && !r->again;
}

/* Where an array or object begins, which is passed; NULL when it is something else. */
const unsigned char *pp_speedscope_note(struct pp_scan *, enum pp_json_type);
/* What the document has, and where. */
void pp_speedscope_outline(struct speedscope_read *);

#endif
