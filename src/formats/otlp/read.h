/*
 * What reading into a profile shares.
 */
#ifndef PP_OTLP_READ_H
#define PP_OTLP_READ_H

#include "formats/kit/sampled.h"
#include "formats/otlp/otlp.h"

/* What is counted: all profiles of one sample type. */
struct otlp_type_read {
	struct pp_slice name, unit;
	const struct pp_sampled_unit *known;
	uint64_t factor; /* of the unit that cells are in */
	size_t again;    /* how many of that name there are before it */
	bool falls;
	uint64_t samples;
	bool placed;
};

/* What a stack costs in a series so far. */
struct otlp_sum {
	uint32_t series;
	int32_t stack;
	const unsigned char *at;
};

struct otlp_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct otlp_messages messages;
	struct otlp_doc doc;
	size_t open; /* which message that is, + 1 */
	PP_VEC(struct otlp_type_read) types;
	PP_VEC(uint32_t) type_of; /* by profile of all messages */
	size_t primary;           /* type */
	uint64_t start, end;      /* of all profiles, ns since 1970 */
	uint64_t duration;        /* of those that do not say when they were */
	bool resources_differ;
	struct pp_slice resource; /* the first one */
	PP_VEC(struct pp_slice) payloads;

	/* of a message */
	PP_VEC(pp_module) modules;
	PP_VEC(struct otlp_span) spans; /* by location */
	PP_VEC(pp_frame) frames;
	PP_VEC(pp_frame) stack;
	PP_VEC(struct pp_label_row) labels;
	struct pp_strtab sets; /* of labels, as they stand in samples */
	PP_VEC(uint32_t) set_series;
	struct pp_buf set;
	PP_VEC(struct otlp_sum) sums;
	PP_VEC(int64_t) cells;    /* of sums */
	PP_VEC(uint32_t) sum_of;  /* by stack, + 1: of the series without labels */
	struct pp_map sum_others; /* series << 32 | stack */
	PP_VEC(int64_t) values;   /* of one report */

	int64_t scale; /* from the unit of a profile to that of its metric */
	bool late;     /* sums may need more than 64 bits */
	bool has_labels, has_times, has_untimed, found_fall;
	bool untimed; /* what happened when is left out */
	uint64_t samples;
};

static inline void
pp_otlp_no_memory(struct otlp_read *r)
{
	pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

/* What the first profile of the open message says of itself and of who made it. */
void pp_otlp_meta_build(struct otlp_read *);
/* What the open message has of each; false when out of memory. */
bool pp_otlp_modules_build(struct otlp_read *);
bool pp_otlp_frames_build(struct otlp_read *);
/* The frames of a stack, root first; NULL on failure. */
const pp_frame *pp_otlp_stack_expand(struct otlp_read *, int32_t stack, size_t *depth);
/* The series of a sample. */
uint32_t pp_otlp_series_of(struct otlp_read *, const struct otlp_samples *);

/*
 * The format of the original that all profiles of the input bring, with its bytes, unpacked; NULL when there is none that can be
 * read, or several. out->failed when out of memory.
 */
const struct pp_format *pp_otlp_payload(struct pp_reader *, struct pp_buf *out);

#endif
