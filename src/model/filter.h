/*
 * What a filter is, and what it does to one stack.
 *
 *     focus      keep the stacks in which a function matches
 *     ignore     drop the stacks in which a function matches
 *     show_from  cut each stack above its first match, from the root on; drop stacks without one
 *     hide       drop the frames that match; what they cost goes to the caller that is left
 *     show       drop all other frames
 *     collapse   drop the frames that match and were called by their like, which then costs that much
 *                more: by the same function, or for a pattern of files or modules by the same of those
 *     depth      cut stacks to that many frames; what lies deeper goes to the last frame left
 *     event, thread, label, time   keep what belongs to that event, thread, label or stretch of time
 *
 * In this order: what belongs to an event, thread, label and time; then whole stacks are chosen (ignore wins
 * over focus); then frames are taken out of those; then they are cut. Several patterns of one kind mean
 * any of them, but each label must fit. A stack of which no frame is left is dropped. A pattern is tried on the function's name,
 * behind "file:" or "module:" on its file or module (a library, else what the name tells: model/module_name.h), once for
 * each distinct text.
 *
 * Stacks are filtered one by one as a reader reports them (the sieve below), or on a finished tree
 * (analysis/filter.h). Both go from frame to frame by pp_filter_step(), which alone knows what is written
 * above. A filter never changes while it is used: any number of threads may share one.
 */
#ifndef PP_FILTER_RULES_H
#define PP_FILTER_RULES_H

#include "base/buf.h"
#include "model/label_rule.h"
#include "model/profile.h"
#include "text/regex.h"

enum pp_filter_kind {
	PP_FILTER_FOCUS,
	PP_FILTER_IGNORE,
	PP_FILTER_SHOW_FROM,
	PP_FILTER_HIDE,
	PP_FILTER_SHOW,
	PP_FILTER_COLLAPSE,
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

/* A thread by name or number, which several processes may have; or one thread exactly. */
struct pp_filter_thread {
	struct pp_slice text; /* as given */
	bool exact;           /* the rest is what tells it from all others */
	struct pp_slice process, thread;
	int64_t pid, tid;
};

struct pp_filter {
	PP_VEC(struct pp_filter_rule) rules;
	PP_VEC(struct pp_slice) events;
	PP_VEC(struct pp_filter_thread) threads;
	PP_VEC(struct pp_label_rule) labels;
	struct pp_filter_time from, to;
	uint32_t depth;   /* 0 = no limit */
	bool keep_time;   /* keep timelines as long as no frame and no metric is taken out */
	bool by_function; /* for listings of lines: rules choose functions, stacks do not matter */
};

/* Adds a pattern; false when it is wrong (*problem says why) or out of memory (*problem is empty). */
bool pp_filter_add(struct pp_filter *, enum pp_filter_kind, struct pp_slice pattern,
                   struct pp_buf *problem);
/* Adds a rule on labels, as pp_label_rule_parse(). */
bool pp_filter_add_label(struct pp_filter *, struct pp_slice text, struct pp_buf *problem);
/* Parses "FROM..TO": numbers with ns, us, ms, s, min, h or %; either may be left out. */
bool pp_filter_set_time(struct pp_filter *, struct pp_slice text, struct pp_buf *problem);
void pp_filter_release(struct pp_filter *);
/* True when there is nothing to do. */
bool pp_filter_is_empty(const struct pp_filter *);
static inline bool
pp_filter_has_time(const struct pp_filter *f)
{
	return f->from.given || f->to.given;
}
/* True when it needs whole stacks. */
bool pp_filter_needs_stacks(const struct pp_filter *);
/* The kinds of its rules, as bits. */
unsigned pp_filter_kinds(const struct pp_filter *);
/* Whether stacks can be filtered as they come: rules on names and modules, and a depth, nothing else. */
bool pp_filter_is_simple(const struct pp_filter *);
/* Whether names are all that it looks at, not even which functions are the same. */
bool pp_filter_is_by_name(const struct pp_filter *);

/* What rules that collapse look at, as bits of enum pp_filter_on. */
unsigned pp_filter_collapses(const struct pp_filter *);
/* Whether functions that both match such rules are one frame when the first calls the second. */
bool pp_filter_alike(const struct pp_profile *, unsigned collapses, pp_func caller, pp_func callee);

/* ---- functions ---- */

/* Per function or frame: bit k is set when a pattern of kind k matches. */
typedef uint8_t pp_filter_flags;

/* Tries a rule on a text; PP_E_LIMIT when that takes too long, and *problem says so. */
pp_status pp_filter_rule_try(const struct pp_filter_rule *, struct pp_slice text, bool *matches,
                             struct pp_buf *problem);
/* The text a rule looks at; *str is its interned string, 0 when it is none or a part of one. */
struct pp_slice pp_filter_rule_text(const struct pp_profile *, const struct pp_filter_rule *,
                                    const struct pp_func_row *, pp_str *str);

/* ---- one stack, frame by frame from the root ---- */

#define PP_FILTER_BIT(kind) (1u << PP_FILTER_##kind)

/* What is known of a stack down to a frame, beside the bits of FOCUS, IGNORE and SHOW_FROM seen so far. */
enum {
	PP_STACK_FRAME = 1 << 3, /* some frame of it stays */
	PP_STACK_SHOWN = 1 << 4, /* this frame stays */
	PP_STACK_KEPT = 1 << 5,  /* a stack that ends here stays, and with it what it costs */
	PP_STACK_SEEN = (1 << PP_FILTER_FOCUS | 1 << PP_FILTER_IGNORE | 1 << PP_FILTER_SHOW_FROM),
	PP_STACK_DOWN = PP_STACK_SEEN | PP_STACK_FRAME /* what a frame takes over from its caller */
};

/* Before any frame. Cost without a stack stays unless something asks for a frame. */
static inline unsigned
pp_filter_start(unsigned kinds)
{
	const unsigned picky = PP_FILTER_BIT(FOCUS) | PP_FILTER_BIT(SHOW) |
	                       PP_FILTER_BIT(SHOW_FROM);

	return kinds & picky ? 0 : PP_STACK_KEPT;
}

/*
 * One frame further, given what the rules say of it. A frame too deep (as many are shown as there may
 * be) and one that collapses into its caller is a hidden one: pass PP_FILTER_BIT(HIDE) among its flags.
 */
static inline unsigned
pp_filter_step(unsigned kinds, unsigned state, unsigned flags)
{
	const unsigned needs = kinds & (PP_FILTER_BIT(FOCUS) | PP_FILTER_BIT(SHOW_FROM));
	bool hidden = flags & PP_FILTER_BIT(HIDE);

	state = (state & PP_STACK_DOWN) | (flags & PP_STACK_SEEN);
	hidden |= (kinds & PP_FILTER_BIT(SHOW)) && !(flags & PP_FILTER_BIT(SHOW));
	hidden |= (kinds & PP_FILTER_BIT(SHOW_FROM)) && !(state & PP_FILTER_BIT(SHOW_FROM));
	if (!hidden)
		state |= PP_STACK_FRAME | PP_STACK_SHOWN;
	if ((state & PP_STACK_FRAME) && !(state & PP_FILTER_BIT(IGNORE)) &&
	    (state & needs) == needs)
		state |= PP_STACK_KEPT;
	return state;
}

/* pp_filter_step() for one filter, as a table: state & PP_STACK_DOWN and flags lead to the new state. */
struct pp_filter_steps {
	uint8_t start;
	uint8_t next[(PP_STACK_DOWN + 1) << PP_FILTER_KINDS];
};

void pp_filter_steps_init(struct pp_filter_steps *, unsigned kinds);

static inline unsigned
pp_filter_steps_go(const struct pp_filter_steps *s, unsigned state, unsigned flags)
{
	return s->next[(state & PP_STACK_DOWN) << PP_FILTER_KINDS | flags];
}

/* ---- stacks as they come ---- */

/* Filters stacks of frames; init it, and have no filter when there is nothing to do. */
struct pp_sieve {
	const struct pp_filter *filter;
	struct pp_filter_steps steps;
	unsigned collapses;               /* pp_filter_collapses() */
	const struct pp_profile *profile; /* whose frames they are */
	PP_VEC(pp_filter_flags) flags;    /* by frame */
	/*
	 * How it went: PP_E_LIMIT when a pattern takes too long. What was let through is then worth nothing;
	 * whoever asked finds out which pattern it was by filtering the names again.
	 */
	pp_status status;
};

void pp_sieve_init(struct pp_sieve *, const struct pp_filter *); /* the filter may be NULL */
void pp_sieve_release(struct pp_sieve *);
/* Tries the rules on the functions of all frames that are new. False when out of memory. */
bool pp_sieve_frames(struct pp_sieve *, const struct pp_profile *);
/* Leaves of a stack, root first, the frames that stay; false when the stack goes. */
bool pp_sieve_stack(const struct pp_sieve *, pp_frame *frames, size_t *depth);

#endif
