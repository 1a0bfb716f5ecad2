/*
 * Facts about a profile, each with the share of the whole that it speaks of. What is computed here and what is said of
 * it in docs/findings.md are the same rules.
 */
#ifndef PP_FACTS_H
#define PP_FACTS_H

#include "questions/compare.h"
#include "questions/excerpt.h"

/* Bytes of a name in a fact that people read. */
#define PP_FACT_NAME_BYTES 60

/* Functions that a fact lists at most. */
#define PP_FACT_IDS 5

struct pp_fact {
	const char *kind;
	double share;  /* 0 to 1: what people read */
	double weight; /* in four decimals, as in JSON */
	uint64_t handle;
	bool of_function; /* the handle is one's */
	/* For people: where the name of that function stands in the evidence; both 0 = nowhere. */
	size_t name_at, name_end;
	const char *evidence,
	    *next; /* as the answer prints them: for people a sentence and a command */
};

struct pp_facts {
	struct pp_excerpt *x;
	const struct pp_topic *topic;
	const struct pp_profile *profile;
	const struct pp_handles *handles;
	const struct pp_numbering *tree; /* n < 2: there are no stacks */
	struct pp_flat flat;             /* by own cost of the metric */
	bool own_flat;                   /* it is not that of the handles */
	size_t metric;
	double whole; /* the whole of the metric; of one that falls, all that was gained */
	double gross; /* all that was gained */
	bool net;     /* much of it was given back */
	PP_VEC(struct pp_fact) list;
	bool failed; /* out of memory */
};

/* One profile. PP_OK, or a status with the reason said. Release it in both cases. */
pp_status pp_facts_make(struct pp_facts *, struct pp_excerpt *, const struct pp_topic *,
                        const struct pp_asked *);
/* How many there are; the flat profile and the metric are there, facts perhaps not. Likewise. */
pp_status pp_facts_count(struct pp_facts *, struct pp_excerpt *, const struct pp_topic *,
                         const struct pp_asked *, uint64_t *count);
/* What changed since another one. */
pp_status pp_facts_changes(struct pp_facts *, const struct pp_subject *,
                           const struct pp_compared *);
void pp_facts_sort(struct pp_facts *);
void pp_facts_release(struct pp_facts *);

/* ---- between the files that find facts ---- */

/* A fact while it is stated: cells of `row` are its evidence. */
struct pp_stating {
	struct pp_facts *facts;
	struct pp_buf bytes;
	struct pp_row row;
	struct pp_buf said;   /* the same as a sentence, where people are answered */
	struct pp_slice name; /* of the first function in it, and where that stands */
	size_t name_at, name_end;
};

void pp_fact_begin(struct pp_stating *, struct pp_facts *);
/* Ends it; `tool` and an argument say what to ask next, or NULL. */
void pp_fact_end(struct pp_stating *, const char *kind, double weight, uint64_t handle,
                 const char *tool, const char *key, const char *value);
/* Parts of the sentence; nothing where nobody reads it. */
void pp_fact_say(struct pp_stating *, const char *words);
void pp_fact_say_function(struct pp_stating *, const struct pp_profile *, pp_func);
void pp_fact_say_count(struct pp_stating *, uint64_t, const char *one, const char *many);
void pp_fact_say_real(struct pp_stating *, double);
void pp_fact_say_value(struct pp_stating *, double);
/* What row r of the flat profile costs itself, and with all it called; of a metric that falls, what it gained. */
double pp_facts_self(const struct pp_facts *, size_t row);
double pp_facts_total(const struct pp_facts *, size_t row);
/* Calls: who calls much more often than it is called, what calls itself. */
void pp_facts_calls(struct pp_facts *);
/* Memory that is given back, and functions that cost both time and memory. */
void pp_facts_memory(struct pp_facts *);
/* "callee" and so on: a handle and a name. */
void pp_fact_function(struct pp_row *, const struct pp_facts *, const char *id, const char *name,
                      pp_func);

#endif
