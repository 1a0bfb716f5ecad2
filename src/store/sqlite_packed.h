/*
 * Packed profiles in a store of SQLite: dictionaries, shapes, cells. Internal to src/store.
 */
#ifndef PP_SQLITE_PACKED_H
#define PP_SQLITE_PACKED_H

#include "store/pack.h"
#include "store/sqlite.h"
#include "store/sqlite_seal.h"

/* A dictionary of the store, and how much of the store it has seen. */
struct pp_stored_dict {
	struct pp_dict dict;
	int64_t id, version; /* version: of the store when it was loaded */
	bool is_open;
};

/* A number that is another one after somebody else changed the store. */
pp_status pp_stored_version(struct pp_sqlite *, int64_t *version, struct pp_buf *problem);
/* Loads a dictionary. `grows`: profiles will be added to it. */
pp_status pp_stored_dict_open(struct pp_sqlite *, int64_t id, bool grows, struct pp_stored_dict *,
                              struct pp_buf *problem);
/* Writes what it gained. */
pp_status pp_stored_dict_save(struct pp_sqlite *, struct pp_stored_dict *, struct pp_buf *problem);
void pp_stored_dict_close(struct pp_stored_dict *);

/* Tables that keep each text once. */
enum pp_stored_table { PP_STORED_METRIC, PP_STORED_SUB, PP_STORED_SHAPE };
/* The number of a text in such a table; made when absent. */
pp_status pp_stored_id(struct pp_sqlite *, enum pp_stored_table, struct pp_slice def, int64_t *id,
                       struct pp_buf *problem);
/*
 * Stands at the text of a number, *def, until the statement (or NULL) is reset; PP_E_INVALID when there is none, or it is not what
 * it was.
 */
sqlite3_stmt *pp_stored_def(struct pp_sqlite *, enum pp_stored_table, int64_t id,
                            struct pp_slice *def, pp_status *, struct pp_buf *problem);

/* Inputs that are marked for another level than their profile has: `profile` of each. */
#define PP_INPUT_MISFITS                                                                                   \
	"SELECT o.profile FROM original o JOIN profile p ON p.id = o.profile WHERE CASE WHEN p.level > 0 " \
	"THEN o.keep NOT IN (1, 2, 3) ELSE o.keep NOT IN (0, 1) OR p.dict NOT IN (0, -1, -2) END"

/* Says which profile is damaged, by id and labels, and what can be done: PP_E_INVALID. */
pp_status pp_stored_damaged(struct pp_sqlite *, int64_t profile, const char *what,
                            struct pp_buf *problem);
/* Appends which profiles use something that is damaged. */
void pp_stored_users_put(struct pp_sqlite *, const int64_t *profiles, size_t n,
                         struct pp_buf *problem);
/*
 * Deletes packed numbers, extracts and dictionaries that are damaged, where the stored inputs allow to make them again: then these
 * profiles are fresh.
 */
pp_status pp_sqlite_repair(struct pp_sqlite *, struct pp_buf *problem);

/* Writes a packed profile in place of what there was of it; the transaction is the caller's. */
pp_status pp_stored_pack(struct pp_sqlite *, const struct pp_stored_dict *, int64_t profile,
                         enum pp_store_level, const struct pp_profile *, const struct pp_packed *,
                         struct pp_buf *problem);

/* Says of a packed profile over which dictionary it is, and what rows of cells it has. */
pp_status pp_stored_packed_set(struct pp_sqlite *, int64_t profile, int64_t dict,
                               struct pp_cells_tally, struct pp_buf *problem);

/* Why there is no statement: it was said, or there is no memory. */
static inline pp_status
pp_no_statement(const struct pp_buf *problem)
{
	return problem->n ? PP_E_INVALID : PP_E_NOMEM;
}

/* Bytes of a column, as long as the statement stays at its row. */
static inline struct pp_slice
pp_column_bytes(sqlite3_stmt *statement, int column)
{
	const void *p = sqlite3_column_blob(statement, column);

	return pp_slice_of(p ? p : "", (size_t)sqlite3_column_bytes(statement, column));
}

/* Runs a statement that changes something. */
pp_status pp_stored_run(struct pp_sqlite *, sqlite3_stmt *, struct pp_buf *problem);
/* What cells of a metric are: by its number, 0 = calls. PP_E_INVALID when there is none. */
pp_status pp_stored_type(struct pp_sqlite *, int64_t metric, enum pp_cell_type *,
                         struct pp_buf *problem);
/* Keeps an extract (store/extract.h) of a profile; the transaction is the caller's. */
pp_status pp_stored_extract_add(struct pp_sqlite *, int64_t profile, struct pp_slice extract,
                                struct pp_buf *problem);
/* The profile of an extract, supply->profile, and the size of its input; PP_E_UNSUPPORTED: there is none. */
pp_status pp_stored_extract_load(struct pp_sqlite *, const struct pp_store_entry *,
                                 struct pp_supply *, struct pp_buf *problem);
/* What compacting does to profiles. */
pp_status pp_sqlite_pack(struct pp_sqlite *, struct pp_store_outcome *, struct pp_buf *problem);
/* Makes dictionaries smaller of which less than half is used. */
pp_status pp_sqlite_shrink(struct pp_sqlite *, struct pp_buf *problem);
/* Rows that belong to nothing, and damaged texts that profiles share; each is one problem of the outcome. */
pp_status pp_sqlite_check_rows(struct pp_sqlite *, struct pp_store_outcome *,
                               struct pp_buf *problem);
/* The same, and dictionaries. */
pp_status pp_sqlite_check_packed(struct pp_sqlite *, struct pp_store_outcome *,
                                 struct pp_buf *problem);

/* ---- sums of cells ---- */

/* A profile that is fresh, packed for this one question. */
struct pp_loose {
	struct pp_packed packed;
	size_t at; /* in the selection */
};

/* Profiles of one dictionary and one shape, to be added up. */
struct pp_packed_group {
	int64_t dict, shape;
	PP_VEC(int64_t) ids;                 /* in the order of the selection */
	PP_VEC(struct pp_cells_tally) cells; /* that each must have */
	PP_VEC(size_t) at;                   /* where in it each stands */
	PP_VEC(struct pp_loose) loose;
	struct pp_own_facts facts;
	struct pp_buf own; /* of the only one */
};

/*
 * Their sum as one profile; with `costs`, that of its functions where it can do. PP_E_UNSUPPORTED also where the order (or NULL)
 * asks for what only the inputs tell.
 */
pp_status pp_group_load(struct pp_sqlite *, const struct pp_packed_group *, const struct pp_order *,
                        bool costs, struct pp_profile **out, struct pp_buf *problem);
void pp_group_release(struct pp_packed_group *);

/* ---- single profiles ---- */

/* A shape, and the numbers of its metrics. */
struct pp_stored_shape {
	struct pp_shape *shape;
	int64_t metric_ids[PP_FEW_COLUMNS];
};

/* Which column the cells of a metric are, that of calls (0) behind all; SIZE_MAX when there is no such metric. */
size_t pp_stored_column(const int64_t *metric_ids, size_t metrics, int64_t metric);
/* What a series says of itself. */
pp_status pp_stored_sub(struct pp_sqlite *, int64_t id, struct pp_buf *out, struct pp_buf *problem);
/* Finds a shape by its number, and those of its metrics. It is to be released. */
pp_status pp_stored_shape_load(struct pp_sqlite *, int64_t id, struct pp_stored_shape *,
                               struct pp_buf *problem);
/* A profile as it was packed, with all its rows of cells. */
pp_status pp_single_load(struct pp_sqlite *, int64_t profile, struct pp_cells_tally,
                         struct pp_dict *, const struct pp_stored_shape *,
                         const struct pp_own_facts *, struct pp_profile **out,
                         struct pp_buf *problem);

/* The functions of a dictionary in a profile of a shape: names that the costs of many profiles share. */
struct pp_shared_names {
	int64_t dict, shape;
	struct pp_profile *profile;
	size_t metrics;
	int64_t metric_ids[PP_FEW_COLUMNS];
	pp_func *func_of_frame; /* of the dictionary */
	/* What functions cost while a profile is added up: per function one of each metric; else 0. */
	int64_t *own, *total;
	uint64_t *is_met;
	PP_VEC(pp_func) met;
};

/* What the functions of a profile cost, over names that must outlive it. PP_E_UNSUPPORTED: only the whole profile tells. */
pp_status pp_single_costs(struct pp_sqlite *, int64_t profile, struct pp_cells_tally,
                          const struct pp_dict *, struct pp_shared_names *, struct pp_slice own,
                          struct pp_profile **out, struct pp_buf *problem);

struct pp_dict_marks *pp_sqlite_marks(struct pp_sqlite *);
/* The dictionary of that number, which stays with the store until another one is asked for. */
pp_status pp_sqlite_dict(struct pp_sqlite *, int64_t id, bool grows, struct pp_dict **,
                         struct pp_buf *problem);

#endif
