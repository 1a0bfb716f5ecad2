/*
 * A source that stands for many profiles and is no file or directory: a store. The library knows none itself; who asks
 * hands one in (pp_ask_opts.provider).
 *
 * What is selected is asked about like files that were named one by one, in the order of the selection. So every
 * question gives the answer that it would give about these files.
 */
#ifndef PP_PROVIDER_H
#define PP_PROVIDER_H

#include "base/buf.h"
#include "model/order.h"
#include "model/profile.h"

/* Which profiles of a source: as typed, NULL = not given. */
struct pp_provider_texts {
	const char *where, *since, *until, *between;
	const char *side; /* one more condition: of what stands before, or after */
	bool partial;     /* what is missing of what was promised is no error, but said */
	bool weighs;      /* for lists: what each takes, also where that has to be added up */
	uint64_t
	    max_nodes; /* functions or stacks that are taken from servers that add up; 0 = all */
};

/* A file of an input that is kept: the first is what is read, the others stand beside it. */
struct pp_kept_file {
	const char *name; /* without a directory */
	const void *data;
	size_t size;
};

/* One profile as its source has it: the files that it was read from, to be read again; or the profile itself. */
struct pp_supply {
	const char *path; /* what the first file was called, with its directory */
	const struct pp_kept_file *files;
	size_t n; /* 0: there is a profile instead */
	const char
	    *format; /* what they were read as, and are again; lives as long as the selection */
	struct pp_profile *profile;
	/*
	 * Others of the selection are profiles that tell more than was ordered: this one is to be read as they were
	 * (these facets), so that what is merged is alike.
	 */
	unsigned facets;
	uint64_t size; /* of the file that the profile was read from */
	void *data;    /* what the files lie in; freed by pp_provider.drop() */
};

/* A file of a supply (given as void, as readers ask for companions) that stands beside the first; NULL when there is none. */
const struct pp_kept_file *pp_supply_companion(void *supply, const char *base_name);

/* What an answer says of its source. */
struct pp_provider_facts {
	const char *source, *where; /* `where` as typed, all that apply; NULL = none */
	bool has_since, has_until;
	int64_t since, until; /* ns since 1970 */
	uint64_t profiles, series;
	uint64_t samples, promised; /* rows that were found, and that there must be */
	bool lacks;                 /* something of what was promised is not there */
	bool can_push, pushed;      /* sums can be computed by servers, and were */
	uint64_t cut;               /* functions or stacks that were left there */
};

/* Facts about a profile that need no reading. */
struct pp_measures {
	const char *format;
	struct pp_slice
	    units; /* its metrics and their units, equal texts for equal ones; n = 0: not known */
	uint64_t stacks; /* that cost something */
};

/* What was selected; providers put theirs behind it. */
struct pp_selected {
	const char *source;
};

struct pp_provider {
	/* Whether a source is one of its own. Opens no file that this process has open already. */
	bool (*mine)(const char *source);
	/*
	 * Finds the profiles, in the order of (begin, id). PP_E_USAGE: a text makes no sense; PP_E_IO, PP_E_INVALID: the
	 * source is not there, foreign, newer or damaged; *problem says which, in a sentence without a full stop.
	 */
	pp_status (*select)(const char *source, const struct pp_provider_texts *,
	                    struct pp_selected **out, struct pp_buf *problem);
	size_t (*count)(const struct pp_selected *);
	/* What one is called in messages; it can be asked about by that name. Lives as long as the selection. */
	const char *(*name)(struct pp_selected *, size_t nth);
	/* Appends a condition that leaves one out. */
	void (*without)(const struct pp_selected *, size_t nth, struct pp_buf *out);
	/* The value of a label of one; n = 0: it has none. Lives as long as the selection. */
	struct pp_slice (*label)(struct pp_selected *, size_t nth, struct pp_slice key);
	/* The key of its label of that number, from 0 on; n = 0: it has no more. Lives as long. */
	struct pp_slice (*label_key)(struct pp_selected *, size_t nth, size_t number);
	/* When one began, in ns since 1970, and for how many profiles it stands. */
	void (*when)(const struct pp_selected *, size_t nth, int64_t *begin, uint64_t *profiles);
	/* The metrics of one, probably those of `like`; texts live as long as the selection. */
	void (*measures)(const struct pp_selected *, size_t nth, struct pp_slice like,
	                 struct pp_measures *);
	/* Takes those out of the selection that do not stay; the others are numbered anew, in order. */
	void (*narrow)(struct pp_selected *, const bool *stays);
	/* Tells contents apart; 0 = unknown. */
	uint32_t (*stamp)(const struct pp_selected *, size_t nth);
	/*
	 * What was put in, or the profile that was read from it. The order is what will be asked of it, in the way that the format is read
	 * unless it is told otherwise; NULL = whatever there is.
	 */
	pp_status (*load)(struct pp_selected *, size_t nth, const struct pp_order *,
	                  struct pp_supply *, struct pp_buf *problem);
	/*
	 * What the functions of one cost, and nothing else, where that takes no reading: a profile that shares its names with
	 * others (costs.shares_names) and lives no longer than the selection. With `timed` also how long it took must be known.
	 * PP_E_UNSUPPORTED: load it. Or NULL.
	 */
	pp_status (*load_costs)(struct pp_selected *, size_t nth, bool timed,
	                        struct pp_profile **out, struct pp_buf *problem);
	void (*drop)(struct pp_supply *);
	/*
	 * All of them as one profile, exactly what merging them in order would give; or NULL. PP_E_UNSUPPORTED: they have to
	 * be loaded one by one. The order is a hint: more may be in it than was ordered.
	 */
	pp_status (*load_all)(struct pp_selected *, const struct pp_order *,
	                      struct pp_profile **out, struct pp_buf *problem);
	/*
	 * Those that can be added up at once, if the first is one of them, as one profile; taken[i] says which. Merging it in
	 * place of the first, and then the others in order, must give what merging all in order does. Or NULL.
	 */
	pp_status (*load_most)(struct pp_selected *, const struct pp_order *, bool *taken,
	                       struct pp_profile **out, struct pp_buf *problem);
	void (*facts)(const struct pp_selected *, struct pp_provider_facts *);
	void (*close)(struct pp_selected *);
};

#endif
