/*
 * What pprof and OTLP have in common: words for units, names for what has none, how the kernel is known.
 */
#ifndef PP_KIT_SAMPLED_H
#define PP_KIT_SAMPLED_H

#include "model/builder.h"

struct pp_sampled_unit {
	const char *word;
	const char *unit; /* canonical */
	uint64_t factor;  /* of them in one */
};

/* NULL when it is none of time or memory: it then stands for itself. */
const struct pp_sampled_unit *pp_sampled_unit_find(struct pp_slice unit);
/* What is counted, by the name of a sample type, its unit if that is known, and the word for it. */
enum pp_metric_kind pp_sampled_kind(struct pp_slice name, const struct pp_sampled_unit *,
                                    struct pp_slice spelled);
/* Whether a mapping is the kernel, by its name. */
bool pp_sampled_is_kernel(struct pp_slice file);
/* What code without a name is called: by its binary, "[libc.so.6]", or "<unknown>". */
pp_str pp_sampled_placeholder(struct pp_builder *, struct pp_slice file);
/* A line of a location, or a location without lines, as files have it. */
struct pp_sampled_line {
	struct pp_slice name, file; /* of the function; empty = none */
	uint64_t first, line, column, address;
	pp_module module;
	bool kernel;      /* it is, whatever its module */
	uint32_t outside; /* functions that it is inlined into */
};

pp_frame pp_sampled_frame(struct pp_builder *, const struct pp_sampled_line *);
/*
 * Keeps where a module was mapped, as an extra of it (start, limit and offset in hexadecimal), for a profile that is going to
 * be changed and cannot be written from its own message.
 */
#define PP_SAMPLED_RANGE 0x6d617070U
void pp_sampled_range_keep(struct pp_builder *, pp_module, uint64_t start, uint64_t limit,
                           uint64_t offset);

#endif
