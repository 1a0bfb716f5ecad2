/*
 * What the parts of the SPX format share. The bytes are described in spx.c.
 *
 *     spx.c            recognition, the pair of files, the format's struct
 *     meta.c           the .json                   describe.c       metadata only, for lists
 *     read.c           sections                    chunks.c         events in chunks, for threads
 *     walk.c           the stack of one chunk as a walk on a small tree
 *     events.c         event lines                 merge.c          from chunks to the profile
 *     names.c          the list of functions       rules.c          what can be wrong
 *     write.c          events and names            write_meta.c     files, columns, json, losses
 */
#ifndef PP_SPX_H
#define PP_SPX_H

#include "formats/format.h"

/* More metrics than this are not believed. SPX has 22. */
#define SPX_METRICS_MAX 256

/* Events are numbered per document: an event line names a function by its index there. */
#define SPX_INDEX_BITS 28
#define SPX_INDEX_NONE (((uint32_t)1 << SPX_INDEX_BITS) - 1)

/* Positions in pp_spx_rules[]. */
enum spx_rule {
#define RULE(name, id, severity, title, text) SPX_##name,
#include "formats/spx/rule_list.h"
#undef RULE
	SPX_RULES
};

extern const struct pp_rule pp_spx_rules[];

/* ---- metrics ---- */

struct spx_metric {
	const char *key, *unit, *title;
	enum pp_metric_kind kind;
	bool releasable; /* may go down */
};

/* What is known of a metric key; NULL for one that no version of SPX writes. */
const struct spx_metric *pp_spx_metric(struct pp_slice key);
/* The first metric of a kind that tells what is counted; NULL when none does. */
const struct spx_metric *pp_spx_metric_of(enum pp_metric_kind);
/* Canonical order of a key: columns are always written in this order. Unknown keys come last. */
size_t pp_spx_metric_rank(struct pp_slice key);

/* ---- the .json ---- */

/* The keys of the .json in their order, and what is written where a profile knows nothing of them. */
#define SPX_KEYS 18
struct spx_key {
	const char *name, *otherwise;
};
extern const struct spx_key pp_spx_keys[SPX_KEYS];

struct spx_meta {
	bool there;       /* there was one, whole or not */
	bool has_metrics; /* it has a list of metrics */
	PP_VEC(pp_str) keys;
	int64_t functions; /* called_function_count, -1 = not said */
	int64_t calls;     /* recorded_call_count or call_count, -1 = not said */
	int64_t wall;      /* wall_time_ms, which is in microseconds; -1 = not said */
};

/* Reads the metadata into the builder. Findings go to diags; out of memory is the builder's status. */
void pp_spx_meta_read(struct pp_input *in, struct pp_builder *b, struct pp_diags *diags,
                      struct spx_meta *meta);

/* ---- names ---- */

/* One line of [functions], taken apart. */
struct spx_name {
	struct pp_slice file, name;
	uint32_t line;
	uint32_t flags; /* PP_FUNC_* */
};

/* `places`: the lines are FILE:LINE:NAME (0.5), not only NAME. */
struct spx_name pp_spx_name_split(struct pp_slice text, bool places);

/* ---- the body ---- */

/*
 * Reads the body from `in` into the builder. `in` starts at the first byte of the text. Returns PP_OK
 * when anything could be used.
 */
pp_status pp_spx_body_read(struct pp_reader *, struct pp_input *in, struct pp_builder *,
                           const struct spx_meta *);

/* ---- the pair of files ---- */

/*
 * Opens the body beside the .json that is read; its base name goes to `name`. PP_E_IO when there is none. *next (or
 * NULL): at which ending others may be looked for.
 */
pp_status pp_spx_body_open(struct pp_reader *, char *name, size_t room, struct pp_input **body,
                           size_t *next);
/* The length of an ending that the path has, else 0. */
size_t pp_spx_ending(const char *path, const char *ending);
/* Whether the input at hand is the .json of a report. */
bool pp_spx_is_json(struct pp_input *);

/* For lists; see struct pp_format. */
pp_status pp_spx_describe(struct pp_reader *, struct pp_brief *);

/* ---- writing ---- */

pp_status pp_spx_write(struct pp_writer *);

#endif
