/*
 * What is lost in writing: computed from what the profile has and what the format holds.
 *
 * A format says in a const struct pp_holds what it keeps. What only the writer can know (a name that had to be
 * changed, a value that was rounded) it adds to writer->loss. The report is made of both, after writing.
 */
#ifndef PP_LOSS_H
#define PP_LOSS_H

#include "base/buf.h"
#include "model/traits.h"

struct pp_format;
struct pp_writer;
struct pp_write_opts;

/* What one variant of a format holds, as sets of traits. */
struct pp_holds {
	const char *variant; /* NULL: any that is not listed before; the last one */
	uint64_t keeps;      /* from whatever format it comes */
	uint64_t
	    own; /* only of what comes from this very format; of others in part or not at all */
	uint64_t has;    /* what its own files may have besides, for docs/conversions.md */
	uint64_t states; /* always: where the profile does not know, it is made up */
	uint64_t
	    apart; /* what tells functions of one name apart: FILES, FIRST_LINES, FIRST_COLUMNS, MODULES */
	unsigned metrics;   /* how many it has place for; 0 = any number */
	const char *values; /* which numbers it has place for, in words */
};

/* What a writer found out. All zeros: it kept to what its format holds. */
struct pp_loss {
	const char *variant; /* that the writer chose, constant; NULL = as is usual */
	bool verbatim;       /* the records were written as they had been read: nothing is lost */
	int64_t more[PP_TRAITS]; /* lost beyond what the format says; below 0: kept all the same */
	uint64_t dropped;        /* traits that the format holds, and that were left out here */
	uint64_t made;  /* traits that were made up here though the format does not always */
	uint64_t names; /* changed to fit */
	uint64_t rounded, negative, too_large; /* values */
	struct pp_buf renamed;                 /* metrics: "wt as samples, ..." */
	PP_VEC(size_t) metrics;                /* those that are written; none: all */
};

enum { PP_LOSS_NAMES = PP_TRAITS, PP_LOSS_VALUES, PP_LOSS_METRICS, PP_LOSS_UNITS };

/* By trait, then the four above; ends with id NULL. */
extern const struct pp_rule pp_loss_rules[];
/* What a trait is in words: "addresses". */
extern const char *const pp_trait_names[PP_TRAITS];

/*
 * Notes that a metric is written, and as what: name and unit that a reader will see (empty and
 * NULL: its own). Once it was
 * called for one metric, those it was not called for are lost.
 */
void pp_loss_metric(struct pp_writer *, size_t metric, struct pp_slice name, const char *unit);
/* Reports all of it as findings of the writer. `profile` is the one to be written, before stacks were estimated. */
pp_status pp_report_loss(struct pp_writer *, const struct pp_profile *, const struct pp_format *);
void pp_loss_release(struct pp_loss *);

/* Whether a variant is asked for, or nothing is and a profile of this very format came in it. */
bool pp_variant_is(const struct pp_writer *, const struct pp_format *, const char *variant);

#endif
