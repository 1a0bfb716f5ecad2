/*
 * A store: profiles that are there whole or not at all, each at most once. Two engines keep them, SQLite (a file) and
 * ClickHouse (servers); both are a table of functions.
 *
 * What a store keeps of a profile is its input (the parcel): the files that it was read from, companions included. It is
 * read again by whatever question comes, so each answers what it answers about the file. Compacting turns inputs that are
 * nothing but stacks into cells over a dictionary; then the profile is made out of these.
 *
 *     pp_store_open("prof.ppdb", PP_STORE_ADD, &store, &problem)
 *     pp_store_add_file(store, "a.folded", &how, &result, &problem)
 *     pp_store_list(store, &selection, &list, &problem)
 *     pp_store_close(store)
 *
 * Statuses: PP_E_USAGE a wrong expression, time or label; PP_E_IO and PP_E_INVALID the store is missing, foreign, newer or
 * damaged (exit 3), and was not touched; PP_E_OUTPUT it could not be written, and is as before (exit 4); PP_E_UNSUPPORTED the
 * engine cannot do that. All but PP_E_NOMEM say why in *problem, a sentence without a full stop.
 * A store is used by one thread at a time; any number of them may be open on one source, in one process or in several.
 */
#ifndef PP_STORE_H
#define PP_STORE_H

#include "api/provider.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

#define PP_STORE_HASH 16

/* A profile on its way into a store. */
struct pp_store_item {
	const struct pp_profile
	    *profile; /* read whole; NULL where it was let go of: pp_store_engine.take() */
	void *taken;  /* what the engine needs of it then */
	const char *format;
	bool complete;
	const char *labels; /* canonical JSON, store/label_set.h: {"key":"value",...} */
	uint8_t hash[PP_STORE_HASH];
	int64_t t0, t1;         /* ns since 1970 */
	const char *source;     /* what the file was called */
	struct pp_slice parcel; /* the input, store/parcel.h */
	struct pp_slice meta;   /* what is known without reading it: store/meta.h */
	struct pp_slice
	    extract;     /* what was read of it, store/extract_kept.h; empty where there is none */
	uint64_t stacks; /* with a cost of their own */
	bool keep;       /* compacting must leave the input alone */
};

/* PP_STORE_SUM: several profiles that polyprof 0.1 added up. */
enum pp_store_level { PP_STORE_FRESH, PP_STORE_PACKED, PP_STORE_SUM };

/* A profile in a store. Texts live as long as the list. */
struct pp_store_entry {
	uint64_t id; /* the engine's own */
	uint8_t hash[PP_STORE_HASH];
	uint64_t series;    /* equal for equal labels */
	const char *labels; /* canonical JSON */
	int64_t t0, t1;
	const char *format, *source;
	bool complete, kept;
	bool is_part; /* packed, and the input is there for what that does not tell */
	/* Packed, and the input is there for who loads this one alone: to write it again as it was. */
	bool is_detailed;
	bool has_extract; /* fresh, and what was read of the input is there, too */
	enum pp_store_level level;
	uint64_t bytes, stacks; /* that it takes, as far as that is its own; stacks with a cost */
	const char *meta;       /* as in the item */
	uint64_t profiles;      /* that it stands for: more than one in a sum */
};

struct pp_store_list {
	PP_VEC(struct pp_store_entry) entries; /* in the order of (t0, hash) */
	struct pp_arena texts;
	uint64_t series; /* how many different label sets */
};

void pp_store_list_release(struct pp_store_list *);
/* Whether two lists have the same profiles. */
bool pp_store_lists_equal(const struct pp_store_list *, const struct pp_store_list *);
/* How often what is there is compared with what was promised while others take profiles away. */
#define PP_STORE_AUDITS 5
/* Appends what messages call a profile: the beginning of its id, and its labels unless NULL, cut where they are long. */
void pp_store_name_put(const uint8_t hash[PP_STORE_HASH], const char *labels, struct pp_buf *);
/* A copy of text that lives as long as the list; NULL when out of memory. */
const char *pp_store_list_text(struct pp_store_list *, const char *text, size_t n);

struct pp_where; /* store/where.h */

/* Which profiles: those whose labels fit and whose span meets since .. until. */
struct pp_selection {
	const struct pp_where *const *where; /* all of them have to fit */
	size_t where_count;
	bool has_since, has_until;
	int64_t since, until; /* ns since 1970, as store/when.h says: until is not part of it */
	bool weighs;          /* entries tell their bytes also where these have to be added up */
};

/* Whether an entry is one of them: for engines that look at labels themselves. */
bool pp_selection_fits(const struct pp_selection *, const struct pp_store_entry *);

enum pp_store_mode {
	PP_STORE_READ,   /* it must be there */
	PP_STORE_ADD,    /* SQLite: it is made when it is not there; ClickHouse: it must be there */
	PP_STORE_CREATE, /* it is made */
	PP_STORE_CHANGE  /* it must be there, and will be changed */
};

enum pp_store_added { PP_STORE_NEW, PP_STORE_KNOWN };

/* What compacting and cleaning are told. */
struct pp_store_upkeep {
	bool has_keep;
	int64_t keep_from;                    /* gc: what ended before that goes; ns since 1970 */
	const struct pp_selection *selection; /* gc: only these; NULL = all */
	bool dry;                             /* only count */
};

/* What they did, and what checking found. */
struct pp_store_outcome {
	uint64_t removed, packed, left;     /* profiles */
	uint64_t bytes_before, bytes_after; /* of the whole store */
	uint64_t checked, sums, in_sums;    /* entries; of these sums; profiles in the sums */
	PP_VEC(char *) problems;            /* of check: one sentence each; none = it is sound */
};
/* Counts a checked entry that is a sum. */
void pp_store_outcome_count(struct pp_store_outcome *, const struct pp_store_entry *);
void pp_store_outcome_release(struct pp_store_outcome *);

struct pp_store_engine;

/* An open store: engines put theirs behind it. */
struct pp_store {
	const struct pp_store_engine *engine;
	char *source;       /* as given, without "?where=..." */
	uint64_t max_nodes; /* functions or stacks that load_all() may take from servers; 0 = all */
	uint64_t cut;       /* how many more there were */
	bool partial; /* what is left of profiles will do: load() gives what there is of one */
};

struct pp_store_engine {
	const char *name; /* "sqlite", "clickhouse" */
	bool pushes;      /* load_all() has servers add up, and answers say whether they did */
	bool extracts;    /* add() keeps what items bring of extracts: pp_store_how.extracts */
	/* The version of the library that it is built on; NULL where there is none. */
	const char *(*library)(void);
	/* Whether a source is one of its own: by prefix, or by the first 100 bytes of the file. */
	bool (*mine)(const char *source);
	pp_status (*open)(const char *source, enum pp_store_mode, struct pp_store **out,
	                  struct pp_buf *problem);
	/*
	 * What it needs of a profile to add it once, so that the profile can be let go of: *taken, of *bytes, for drop(). NULL
	 * where the input is enough. PP_E_LIMIT: that is too much to be kept, the profile has to stay and is added next.
	 */
	pp_status (*take)(struct pp_store *, const struct pp_store_item *, void **taken,
	                  size_t *bytes);
	void (*drop)(void *taken);
	/* Adds all or none, in one transaction where the engine has such; added[i] tells what became of each. */
	pp_status (*add)(struct pp_store *, const struct pp_store_item *items, size_t n,
	                 enum pp_store_added *added, struct pp_buf *problem);
	/* Whether a profile is there: *known. */
	pp_status (*has)(struct pp_store *, const uint8_t hash[PP_STORE_HASH], bool *known,
	                 struct pp_buf *problem);
	pp_status (*list)(struct pp_store *, const struct pp_selection *, struct pp_store_list *out,
	                  struct pp_buf *problem);
	/* The parcel of an entry, or its profile where it was packed; the supply's to drop. */
	pp_status (*load)(struct pp_store *, const struct pp_store_entry *, struct pp_supply *,
	                  struct pp_buf *problem);
	/*
	 * The profile of an entry, where it is there without reading the input and tells all that is ordered; else
	 * PP_E_UNSUPPORTED. Or NULL.
	 */
	pp_status (*load_extract)(struct pp_store *, const struct pp_store_entry *,
	                          const struct pp_order *, struct pp_supply *,
	                          struct pp_buf *problem);
	/* As pp_provider.load_costs() and load_all(); or NULL. */
	pp_status (*load_costs)(struct pp_store *, const struct pp_store_entry *, bool timed,
	                        struct pp_profile **out, struct pp_buf *problem);
	pp_status (*load_all)(struct pp_store *, const struct pp_store_list *,
	                      const struct pp_order *, struct pp_profile **out,
	                      struct pp_buf *problem);
	/* As pp_provider.load_most(); or NULL. */
	pp_status (*load_most)(struct pp_store *, const struct pp_store_list *,
	                       const struct pp_order *, bool *taken, struct pp_profile **out,
	                       struct pp_buf *problem);
	/*
	 * Whether what was promised of the profiles in a list is there: PP_E_INVALID with the numbers in *problem when it is
	 * not.
	 */
	pp_status (*audit)(struct pp_store *, const struct pp_store_list *, uint64_t *promised,
	                   uint64_t *found, struct pp_buf *problem);
	/* Takes profiles away. */
	pp_status (*remove)(struct pp_store *, const struct pp_store_list *,
	                    struct pp_buf *problem);
	pp_status (*compact)(struct pp_store *, const struct pp_store_upkeep *,
	                     struct pp_store_outcome *, struct pp_buf *problem);
	pp_status (*gc)(struct pp_store *, const struct pp_store_upkeep *,
	                struct pp_store_outcome *, struct pp_buf *problem);
	pp_status (*check)(struct pp_store *, struct pp_store_outcome *, struct pp_buf *problem);
	/* After much was added: does what makes questions faster, all of it or a part; whether there was any. Or NULL. */
	bool (*tidy)(struct pp_store *, bool all);
	/* Bytes that it takes in all; 0 = unknown. */
	uint64_t (*size)(struct pp_store *);
	/* Appends the SQL that it uses, as text to be read. */
	void (*sql)(const char *source, struct pp_buf *);
	void (*close)(struct pp_store *);
};

/* The engines there are, NULL at the end. */
extern const struct pp_store_engine *const pp_store_engines[];
extern const struct pp_store_engine pp_store_sqlite, pp_store_clickhouse;

/* The engine of a source, "?where=..." behind it or not; NULL when it is no store. */
const struct pp_store_engine *pp_store_engine_of(const char *source);
/* Where in a source "?where=" (of a server also "&where=") begins; NULL when it is not there. */
const char *pp_store_source_where(const char *source);
/* Opens a source, without what stands behind "?where=". What is no server is a file of SQLite. */
pp_status pp_store_open(const char *source, enum pp_store_mode, struct pp_store **out,
                        struct pp_buf *problem);
void pp_store_close(struct pp_store *);

/* Hands stores to the library: pp_ask_opts.provider. */
extern const struct pp_provider pp_store_provider;

/* The same by hand: what texts select of a source; close it with pp_store_provider.close(). */
pp_status pp_store_select(const char *source, const struct pp_provider_texts *,
                          struct pp_selected **out, struct pp_buf *problem);
struct pp_store *pp_selected_store(const struct pp_selected *);
const struct pp_store_list *pp_selected_list(const struct pp_selected *);
/* What was asked for; lives as long as the selection. */
const struct pp_selection *pp_selected_conditions(const struct pp_selected *);
/* Lets go of the store, whose reader would keep others waiting; the list and the conditions stay. */
void pp_selected_detach(struct pp_selected *);
/* The window that --since, --until and --between make; PP_E_USAGE. */
pp_status pp_store_window(const struct pp_provider_texts *, struct pp_selection *,
                          struct pp_buf *problem);

/* ---- adding ---- */

/* How profiles are added. */
struct pp_store_how {
	const char *labels; /* canonical JSON; NULL = none */
	bool has_t0, has_t1;
	int64_t t0, t1; /* as a request states them */
	bool keep;
	bool sound;       /* a profile with errors is refused, though a part of it could be used */
	bool extracts;    /* items have extracts, where there can be such */
	unsigned threads; /* 0 = one per processor */
	const char *from; /* format name; NULL = recognise it */
	int64_t now; /* when it arrived: for what states no time and is no file; ns since 1970 */
};

/* What became of one. */
struct pp_store_result {
	enum pp_store_added added;
	uint8_t hash[PP_STORE_HASH];
	char rule[64];    /* why it was refused: the rule's id, or "" */
	uint64_t samples; /* rows that it brought */
};

/*
 * Adds a file of any format with its companions, or memory. PP_E_INVALID, PP_E_UNKNOWN, PP_E_AMBIGUOUS, PP_E_LIMIT and
 * PP_E_IO with result->rule set: the profile was refused, and the store is as before. PP_E_OUTPUT: the store could not be
 * written.
 */
pp_status pp_store_add_file(struct pp_store *, const char *path, const struct pp_store_how *,
                            struct pp_store_result *, struct pp_buf *problem);
pp_status pp_store_add_memory(struct pp_store *, const void *data, size_t size, const char *name,
                              const struct pp_store_how *, struct pp_store_result *,
                              struct pp_buf *problem);

/* The same in two steps, so that one thread may read while another commits many at once. */
struct pp_store_prepared;
pp_status pp_store_prepare_file(const char *path, const struct pp_store_how *,
                                struct pp_store_prepared **out, struct pp_store_result *,
                                struct pp_buf *problem);
pp_status pp_store_prepare_memory(const void *data, size_t size, const char *name,
                                  const struct pp_store_how *, struct pp_store_prepared **out,
                                  struct pp_store_result *, struct pp_buf *problem);
/* The item of what was prepared, which lives as long as that: for store->engine->add(). */
const struct pp_store_item *pp_store_prepared_item(const struct pp_store_prepared *);
/* Lets go of the profile as far as the store can do without; the bytes that wait are added to *bytes. PP_E_LIMIT as above. */
pp_status pp_store_prepared_take(struct pp_store_prepared *, struct pp_store *, size_t *bytes);
/* Lets go of the profile, and of the input but for the parcel. */
void pp_store_prepared_trim(struct pp_store_prepared *);
void pp_store_prepared_free(struct pp_store_prepared *);

#endif
