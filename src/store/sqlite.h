/*
 * A store in a file of SQLite, as those see it who put more into it than sqlite.c does. Internal to src/store.
 */
#ifndef PP_STORE_SQLITE_H
#define PP_STORE_SQLITE_H

#include <sqlite3.h>

#include "store/store.h"

#define PP_STORE_MAGIC 0x70707366 /* "ppsf", the application_id */
#define PP_STORE_VERSION 1        /* the user_version */

/* Why the input of a profile is there: original.keep. */
enum pp_input_keep {
	PP_INPUT_FRESH,  /* it is all that there is; packing may let go of it */
	PP_INPUT_KEPT,   /* somebody said so (--keep) */
	PP_INPUT_PART,   /* cells hold a part of it: pp_store_entry.is_part */
	PP_INPUT_DETAILS /* likewise: pp_store_entry.is_detailed */
};

/* In place of the number of a dictionary: a profile that cells cannot hold, without an extract and with one. */
#define PP_DICT_NEVER (-1)
#define PP_DICT_EXTRACT (-2)

/* What tells whether a file was written. */
struct pp_file_state {
	bool there;
	int64_t size, seconds, nanoseconds;
};

struct pp_sqlite {
	struct pp_store store;
	sqlite3 *db;
	char *path;
	bool writing;                /* a transaction of pp_sqlite_begin() is under way */
	bool reading;                /* it was opened to be read, and one transaction spans that */
	struct pp_file_state alone;  /* of a file that is read without locks; else not there */
	uint64_t device, inode;      /* of the file, as registered */
	PP_VEC(sqlite3_stmt *) made; /* statements, to be finalized */
	struct pp_packed_cache *packed; /* what reading packed profiles left; or NULL */
	struct {
		int64_t opened,
		    spent; /* ns: since when profiles are added, and how long they were packed meanwhile */
	} packing;
};

/* A statement, made once by its text (which must be a constant); NULL with *problem said. */
sqlite3_stmt *pp_sqlite_statement(struct pp_sqlite *, const char *sql, struct pp_buf *problem);
/* Runs SQL that gives nothing back. */
pp_status pp_sqlite_run(struct pp_sqlite *, const char *sql, struct pp_buf *problem);
/* The one number that SQL gives; 0 when it gives none. */
pp_status pp_sqlite_number(struct pp_sqlite *, const char *sql, int64_t *number,
                           struct pp_buf *problem);
/* A status for what SQLite says last, with the reason: PP_E_OUTPUT where it could not write. */
pp_status pp_sqlite_failed(struct pp_sqlite *, struct pp_buf *problem);
/* Steps a statement: 1 a row, 0 done, -1 failed with *status and *problem. It is reset unless there is a row. */
int pp_sqlite_step(struct pp_sqlite *, sqlite3_stmt *, pp_status *, struct pp_buf *problem);

/* A status for what was read: that it is of no use where the file was changed meanwhile, and nothing kept others from that. */
pp_status pp_sqlite_settled(struct pp_sqlite *, pp_status, struct pp_buf *problem);

/* Begins to write, waiting for others; and ends, one way or the other. */
pp_status pp_sqlite_begin(struct pp_sqlite *, struct pp_buf *problem);
pp_status pp_sqlite_end(struct pp_sqlite *, pp_status, struct pp_buf *problem);

/* ---- levels and upkeep ---- */

/* The tables of packed profiles as they are made. */
extern const char pp_sqlite_packed_schema[];
void pp_packed_cache_free(struct pp_packed_cache *); /* NULL is allowed */
/* Packs some of what is fresh, if that is much and there was time enough; and all of it, if it is much. */
void pp_sqlite_pack_some(struct pp_sqlite *);
bool pp_sqlite_tidy(struct pp_store *, bool all);

pp_status pp_sqlite_load_packed(struct pp_sqlite *, const struct pp_store_entry *,
                                struct pp_supply *, struct pp_buf *problem);
/* The costs of the functions of a packed profile, over names that stay with the store. */
pp_status pp_sqlite_load_costs(struct pp_store *, const struct pp_store_entry *, bool timed,
                               struct pp_profile **out, struct pp_buf *problem);
pp_status pp_sqlite_load_extract(struct pp_store *, const struct pp_store_entry *,
                                 const struct pp_order *, struct pp_supply *,
                                 struct pp_buf *problem);
pp_status pp_sqlite_load_all(struct pp_store *, const struct pp_store_list *,
                             const struct pp_order *, struct pp_profile **out,
                             struct pp_buf *problem);
pp_status pp_sqlite_load_most(struct pp_store *, const struct pp_store_list *,
                              const struct pp_order *, bool *taken, struct pp_profile **out,
                              struct pp_buf *problem);
pp_status pp_sqlite_compact(struct pp_store *, const struct pp_store_upkeep *,
                            struct pp_store_outcome *, struct pp_buf *problem);
pp_status pp_sqlite_gc(struct pp_store *, const struct pp_store_upkeep *, struct pp_store_outcome *,
                       struct pp_buf *problem);
pp_status pp_sqlite_check(struct pp_store *, struct pp_store_outcome *, struct pp_buf *problem);

/* What sqlite.c does to one profile, within a transaction: for who removes many, and for who adds others up. */
pp_status pp_sqlite_remove_one(struct pp_sqlite *, uint64_t id, struct pp_buf *problem);
/* The row of a profile, out of an entry but for `id`, which is set. */
pp_status pp_sqlite_add_row(struct pp_sqlite *, struct pp_store_entry *, int64_t series,
                            int64_t dict, struct pp_slice meta, struct pp_buf *problem);
/* Opens the input of the profile of a hash; PP_E_INVALID when it is not what it was, or that of another. */
pp_status pp_sqlite_input_open(struct pp_slice hash, struct pp_slice data, struct pp_supply *);
/* The parcel of an entry; PP_E_INVALID when it is damaged. */
pp_status pp_sqlite_load_fresh(struct pp_sqlite *, const struct pp_store_entry *,
                               struct pp_supply *, struct pp_buf *problem);

#endif
