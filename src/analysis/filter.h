/*
 * Filters: a profile in, a smaller profile out, before any question is asked.
 *
 *     focus      keep the stacks in which a function matches
 *     ignore     drop the stacks in which a function matches
 *     show_from  cut each stack above its first match, from the root on; drop stacks without one
 *     hide       drop the frames that match; what they cost goes to the caller that is left
 *     show       drop all other frames
 *     depth      cut stacks to that many frames; what lies deeper goes to the last frame left
 *     event, thread, time   keep what belongs to that event, thread or stretch of time
 *
 * In this order: what belongs to an event, thread and time; then whole stacks are chosen (ignore wins
 * over focus); then frames are taken out of those; then they are cut. Several patterns of one kind mean
 * any of them. A stack of which no frame is left is dropped. A pattern is tried on the function's name,
 * behind "file:" or "module:" on its file or module, once for each distinct text.
 */
#ifndef PP_FILTER_STAGE_H
#define PP_FILTER_STAGE_H

#include "base/buf.h"
#include "model/profile.h"
#include "text/regex.h"

enum pp_filter_kind {
	PP_FILTER_FOCUS,
	PP_FILTER_IGNORE,
	PP_FILTER_SHOW_FROM,
	PP_FILTER_HIDE,
	PP_FILTER_SHOW,
	PP_FILTER_KINDS
};

enum pp_filter_on { PP_FILTER_NAME, PP_FILTER_FILE, PP_FILTER_MODULE };

struct pp_filter_rule {
	enum pp_filter_kind kind;
	enum pp_filter_on on;
	struct pp_regex *regex;
	struct pp_slice text; /* as given, for messages */
};

/* A point in time: ns from the start of the profile, or a share of its length. */
struct pp_filter_time {
	bool given;
	bool is_share;
	double share;
	int64_t ns;
};

struct pp_filter {
	PP_VEC(struct pp_filter_rule) rules;
	PP_VEC(struct pp_slice) events;
	PP_VEC(struct pp_slice) threads;
	struct pp_filter_time from, to;
	uint32_t depth;   /* 0 = no limit */
	bool keep_time;   /* keep timelines as long as no frame and no metric is taken out */
	bool by_function; /* for listings of lines: rules choose functions, stacks do not matter */
	/* How it went where stacks were filtered as they came. */
	pp_status status;
	struct pp_buf problem;
};

/* Adds a pattern; false when it is wrong (*problem says why) or out of memory (*problem is empty). */
bool pp_filter_add(struct pp_filter *, enum pp_filter_kind, struct pp_slice pattern,
                   struct pp_buf *problem);
/* Parses "FROM..TO": numbers with ns, us, ms, s, min, h or %; either may be left out. */
bool pp_filter_set_time(struct pp_filter *, struct pp_slice text, struct pp_buf *problem);
void pp_filter_release(struct pp_filter *);
/* True when there is nothing to do. */
bool pp_filter_is_empty(const struct pp_filter *);
/* True when it needs whole stacks. */
bool pp_filter_needs_stacks(const struct pp_filter *);

/*
 * Filters a profile that nobody else uses. PP_E_UNSUPPORTED when it lacks what the filter needs or a sum of
 * costs passes 64 bits, PP_E_LIMIT when a pattern takes too long; *problem then says which. After a failure the profile is
 * only fit to be freed.
 */
pp_status pp_filter_apply(struct pp_profile *, const struct pp_filter *, struct pp_buf *problem);

/* ---- stacks one by one ---- */

/* Whether stacks can be filtered as they come: rules on names and modules, and a depth, nothing else. */
bool pp_filter_is_simple(const struct pp_filter *);

/* Filters stacks of frames as they come; zero but for the filter at first. */
struct pp_filter_sieve {
	struct pp_filter *filter;
	unsigned kinds;        /* of its rules, as bits */
	PP_VEC(uint8_t) flags; /* by frame */
	pp_status status;
	struct pp_buf problem;
};

/* Tells the filter how it went; several sieves of one filter are released one after the other. */
void pp_filter_sieve_release(struct pp_filter_sieve *);
/*
 * Tries the rules on the function of a frame, unless that is done; frames come in the order of their ids.
 * False when out of memory; a pattern that takes too long is noted.
 */
bool pp_filter_sieve_frame(struct pp_filter_sieve *, const struct pp_profile *, pp_frame);
/* Leaves of a stack, root first, the frames that stay; false when the stack goes. */
bool pp_filter_sieve_stack(const struct pp_filter_sieve *, pp_frame *frames, size_t *depth);

/* ---- the parts, for filter*.c ---- */

/* Per function: bit k is set when a pattern of kind k matches. */
typedef uint8_t pp_filter_flags;

/* Tries a rule on a text. */
pp_status pp_filter_rule_try(const struct pp_filter_rule *, struct pp_slice text, bool *matches,
                             struct pp_buf *problem);
/* The text a rule looks at, as an interned string. */
pp_str pp_filter_rule_text(const struct pp_profile *, const struct pp_filter_rule *,
                           const struct pp_func_row *);

struct pp_filter_stacks {
	const pp_filter_flags *flags; /* by function; NULL = no rules */
	unsigned kinds;               /* which kinds there are, as bits */
	uint32_t depth;
	const bool *metrics;    /* which metrics stay; NULL = all */
	struct pp_buf *problem; /* says which sum passes 64 bits */
};

/*
 * Rebuilds the tree and the rows of the series from what is kept; totals that were measured are gone.
 * PP_E_UNSUPPORTED: a sum passes 64 bits.
 */
pp_status pp_filter_tree(struct pp_profile *, const struct pp_filter_stacks *);
/* Leaves the tree as it is and drops the columns of metrics that go from the rows of the series. */
void pp_filter_columns(struct pp_profile *, const bool *metrics);
/* Replaces the rows of the series by what happened in [from, to) ns; PP_E_UNSUPPORTED: a sum passes 64 bits. */
pp_status pp_filter_timelines(struct pp_profile *, int64_t from, int64_t to,
                              struct pp_buf *problem);

#endif
