/*
 * What is to be seen of a profile: filters, groups, and whole stacks where only calls are known. The same parameters in
 * every question, which make a view of the profile before the question sees it.
 */
#ifndef PP_SCOPE_H
#define PP_SCOPE_H

#include "analysis/view.h"
#include "model/order.h"
#include "questions/answer.h"
#include "questions/param.h"

struct pp_scope {
	struct pp_texts filters; /* pp_params_filter, in the order given */
	uint64_t depth;          /* frames, PP_UNSET when not given */
	struct pp_keyed by;      /* enum pp_group_by */
	unsigned granularity;    /* what pprof calls that; 0 = not given */
	struct pp_keyed root;    /* enum pp_root */
	bool by_function;        /* filters choose functions, not stacks */
	bool keep_time;          /* when things happened is kept where filters let it be */
	bool demangle;           /* for scripts, too */
	bool no_demangle;        /* not even for people */
	bool all_frames;         /* nothing is set aside, nor dropped because the file says so */
};

extern const struct pp_param_group pp_params_filter; /* struct pp_scope */
/* all-frames alone, for questions that filter nothing; struct pp_scope. */
extern const struct pp_param_group pp_params_frames;
/* What stands below all stacks; struct pp_scope. */
extern const struct pp_param_group pp_params_root;

/* What the rows are: enum pp_group_by. */
unsigned pp_scope_by(const struct pp_scope *);
/* Writes the keys of the labels that it names, of which there are at most pp_scope_key_count(); returns how many. */
size_t pp_scope_key_count(const struct pp_scope *);
size_t pp_scope_label_keys(const struct pp_scope *, struct pp_slice *keys);

/* What a view is made for. */
struct pp_seen_for {
	bool
	    stacks; /* whole stacks, which are estimated where a profile only knows who called whom */
	double min_share;   /* of the whole: thinner stacks need not be told apart */
	const char *metric; /* NULL = the primary one */
	bool for_people;    /* who know functions by their demangled names */
	bool known_threads; /* threads that are asked for have to be there */
	bool labels;        /* the question lists labels: every facet stays divided by series */
	bool all_frames;    /* nothing is set aside: what is converted, or --all-frames */
	struct pp_demangled *demangled; /* names of profiles that share theirs, or NULL */
	bool one_of_many; /* other profiles are compared with it: notes are about all of them */
};

/* Whether anything is filtered or grouped: ways around the profile (rewriting) are then closed. */
bool pp_scope_given(const struct pp_scope *);
/* Whether only a stretch of time is seen. */
bool pp_scope_has_time(const struct pp_scope *);
/* What has to be read for a question that wants these facets. */
unsigned pp_scope_facets(const struct pp_scope *, unsigned facets);
/* The same where costs per function alone do not do: they can be neither filtered nor added to stacks. */
unsigned pp_scope_whole(unsigned facets);
/* Whether the filters are such that stacks can go through them as they come; if so, and only then, in *f. */
bool pp_scope_simple(const struct pp_scope *, struct pp_filter *f);
/*
 * Filters and groups what a view shows; notes in the answer say how much is left and what was estimated. PP_OK, or a
 * status with the reason said.
 */
pp_status pp_scope_apply(const struct pp_scope *, struct pp_view *, const struct pp_seen_for *,
                         struct pp_answer *);
/* The part of that about names: all that is left to do where a reader has filtered. */
pp_status pp_scope_names(const struct pp_scope *, struct pp_view *, const struct pp_seen_for *,
                         struct pp_answer *);
/*
 * Sets allocators and idleness aside: a part of pp_scope_apply(), as pp_scope_names() is. Notes say
 * what was set aside, also by the reader.
 */
pp_status pp_scope_set_aside(struct pp_view *, const struct pp_seen_for *, struct pp_answer *);
/* The requested metric, or the primary one: an unknown name is reported later. */
size_t pp_scope_metric(const struct pp_profile *, const char *name);
/* Replaces the calls of a profile by estimated stacks, and notes how certain they are. */
pp_status pp_scope_estimate(const struct pp_scope *, struct pp_view *, const struct pp_seen_for *,
                            struct pp_answer *);
/* What pp_scope_apply() notes, of a profile whose reader has filtered. */
void pp_scope_note(const struct pp_scope *, const struct pp_profile *, struct pp_answer *);

#endif
