/*
 * Dictionaries of a store of SQLite that have become too large for what is left, and what can be wrong with packed profiles.
 */
#include <stdlib.h>

#include "io/system.h"
#include "store/sqlite_packed.h"

/* ---- cells one by one ---- */

struct walk {
	struct pp_sqlite *s;
	struct pp_buf *problem;
	int64_t dict;
	/* Is given each row: its number, what it is of, and a reader at its first cell. */
	pp_status (*row)(struct walk *, int64_t rowid, struct pp_cells_key *,
	                 struct pp_cell_reader *);
	uint64_t *used; /* a bit per stack */
	uint32_t *stack_map;
	size_t stacks;
	struct pp_cells_tally becomes; /* rows of the profile that is written anew */
	/* Packed profiles, with the rows of cells that each must have. */
	PP_VEC(struct packed {
		int64_t profile;
		struct pp_cells_tally cells;
	})
	profiles;
	PP_VEC(struct metric_type {
		int64_t id;
		enum pp_cell_type type;
	})
	types;
};

static pp_status
type_of(struct walk *w, int64_t metric, enum pp_cell_type *type)
{
	struct metric_type made = { .id = metric };
	pp_status status;
	size_t i;

	for (i = 0; i < w->types.n; i++)
		if (w->types.at[i].id == metric) {
			*type = w->types.at[i].type;
			return PP_OK;
		}
	status = pp_stored_type(w->s, metric, &made.type, w->problem);
	*type = made.type;
	return status == PP_OK && !pp_vec_push(&w->types, made) ? PP_E_NOMEM : status;
}

static pp_status
walk_damaged(struct walk *w, int64_t profile)
{
	return pp_stored_damaged(w->s, profile, "numbers", w->problem);
}

/* Looks at the rows of one profile, which are to be as many as it says. */
static pp_status
profile_walk(struct walk *w, const struct packed *p)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    w->s,
	    "SELECT rowid, facet, metric, sub, n, total, seal, data FROM cells WHERE profile = ?1",
	    w->problem);
	pp_status status = q ? PP_OK : pp_no_statement(w->problem);
	struct pp_cells_tally met = { 0 };

	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_int64(q, 1, p->profile);
	while (status == PP_OK && pp_sqlite_step(w->s, q, &status, w->problem) > 0) {
		struct pp_cell_reader r = { .rest = pp_column_bytes(q, 7) };
		const void *total = sqlite3_column_text(q, 5);
		struct pp_cells_key key = {
			p->profile,
			sqlite3_column_int64(q, 1),
			sqlite3_column_int64(q, 2),
			sqlite3_column_int64(q, 3),
			sqlite3_column_int64(q, 4),
			pp_slice_of(total ? total : "", (size_t)sqlite3_column_bytes(q, 5)),
		};
		int64_t seal = sqlite3_column_int64(q, 6);

		pp_tally_add(&met, seal);
		if (seal != pp_seal_of_cells(&key, r.rest))
			status = walk_damaged(w, p->profile);
		if (status == PP_OK)
			status = type_of(w, key.metric, &r.type);
		if (status == PP_OK)
			status = w->row(w, sqlite3_column_int64(q, 0), &key, &r);
	}
	(void)sqlite3_reset(q);
	if (status == PP_OK && !pp_tallies_equal(met, p->cells))
		status = walk_damaged(w, p->profile);
	return status;
}

static pp_status
profiles_list(struct walk *w)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    w->s, "SELECT profile, shape, own, cells, cells_seal, seal FROM packed WHERE dict = ?1",
	    w->problem);
	pp_status status = q ? PP_OK : pp_no_statement(w->problem);

	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_int64(q, 1, w->dict);
	while (status == PP_OK && pp_sqlite_step(w->s, q, &status, w->problem) > 0) {
		struct packed p = { sqlite3_column_int64(q, 0),
			            { (uint64_t)sqlite3_column_int64(q, 3),
			              (uint64_t)sqlite3_column_int64(q, 4) } };

		if (sqlite3_column_int64(q, 5) != pp_seal_of_packed(p.profile, w->dict,
		                                                    sqlite3_column_int64(q, 1),
		                                                    pp_column_bytes(q, 2), p.cells))
			status = walk_damaged(w, p.profile);
		else if (!pp_vec_push(&w->profiles, p))
			status = PP_E_NOMEM;
	}
	(void)sqlite3_reset(q);
	return status;
}

static pp_status
cells_mark(struct walk *w)
{
	pp_status status = profiles_list(w);
	size_t i;

	for (i = 0; i < w->profiles.n && status == PP_OK; i++)
		status = profile_walk(w, &w->profiles.at[i]);
	if (status == PP_E_INVALID && w->problem->n == 0)
		pp_buf_addf(w->problem, "%s: the store is damaged: cells over dictionary %lld",
		            w->s->path, (long long)w->dict);
	return status;
}

static pp_status
stacks_mark(struct walk *w, int64_t rowid, struct pp_cells_key *key, struct pp_cell_reader *r)
{
	(void)rowid;
	(void)key;
	while (pp_cells_next(r)) {
		if (r->id >= w->stacks)
			return PP_E_INVALID;
		w->used[r->id >> 6] |= (uint64_t)1 << (r->id & 63);
	}
	return r->damaged ? PP_E_INVALID : PP_OK;
}

static pp_status
stacks_renumber(struct walk *w, int64_t rowid, struct pp_cells_key *key, struct pp_cell_reader *r)
{
	struct pp_cell_sum sum = { 0 };
	struct pp_buf data = { 0 };
	struct pp_slice bytes;
	sqlite3_stmt *q;
	uint32_t last = 0;
	pp_status status;
	int64_t seal;

	while (pp_cells_next(r))
		pp_cells_put(&data, r->type, &last, w->stack_map[r->id], r->cell, &sum);
	q = data.failed
	        ? NULL
	        : pp_sqlite_statement(
	              w->s, "UPDATE cells SET data = ?2, seal = ?3 WHERE rowid = ?1", w->problem);
	status = q ? PP_OK : pp_no_statement(w->problem);
	bytes = pp_slice_of(data.p ? data.p : "", data.n);
	seal = pp_seal_of_cells(key, bytes);
	if (q) {
		(void)sqlite3_bind_int64(q, 1, rowid);
		(void)sqlite3_bind_blob64(q, 2, bytes.p, bytes.n, SQLITE_STATIC);
		(void)sqlite3_bind_int64(q, 3, seal);
		status = pp_stored_run(w->s, q, w->problem);
	}
	pp_tally_add(&w->becomes, seal);
	pp_buf_release(&data);
	return status;
}

/* Writes the cells of all profiles over the other dictionary. */
static pp_status
cells_renumber(struct walk *w, int64_t next)
{
	pp_status status = PP_OK;
	size_t i;

	w->row = stacks_renumber;
	for (i = 0; i < w->profiles.n && status == PP_OK; i++) {
		w->becomes = (struct pp_cells_tally){ 0 };
		status = profile_walk(w, &w->profiles.at[i]);
		if (status == PP_OK)
			status = pp_stored_packed_set(w->s, w->profiles.at[i].profile, next,
			                              w->becomes, w->problem);
	}
	return status;
}

/* ---- smaller dictionaries ---- */

/* Runs a statement whose parameters are two numbers. */
static pp_status
run_with(struct pp_sqlite *s, const char *sql, int64_t a, int64_t b, struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(s, sql, problem);

	if (!q)
		return pp_no_statement(problem);
	(void)sqlite3_bind_int64(q, 1, a);
	if (sqlite3_bind_parameter_count(q) > 1)
		(void)sqlite3_bind_int64(q, 2, b);
	return pp_stored_run(s, q, problem);
}

/* How many nodes the marked stacks need. */
static size_t
nodes_used(const struct pp_dict *d, const uint64_t *used, uint64_t *nodes)
{
	size_t n = 1, stack;

	for (stack = 1; stack < d->stacks.n; stack++) {
		pp_node node = d->stacks.at[stack];

		if (!(used[stack >> 6] >> (stack & 63) & 1))
			continue;
		for (; node && !(nodes[node >> 6] >> (node & 63) & 1);
		     node = pp_tree_parent(pp_dict_tree(d), node)) {
			nodes[node >> 6] |= (uint64_t)1 << (node & 63);
			n++;
		}
	}
	return n;
}

/* Writes the dictionary anew under another number, and the cells over it. */
static pp_status
dict_replace(struct walk *w, const struct pp_stored_dict *old, int64_t next)
{
	struct pp_stored_dict made = { .id = next, .is_open = true };
	pp_status status = PP_E_NOMEM;

	if (!pp_dict_init(&made.dict, false, pp_random_seed()))
		return status;
	status = pp_dict_shrink(&old->dict, w->used, &made.dict, w->stack_map);
	if (status == PP_OK)
		status = cells_renumber(w, next);
	if (status == PP_OK)
		status = pp_stored_dict_save(w->s, &made, w->problem);
	if (status == PP_OK)
		status = run_with(w->s,
		                  "UPDATE profile SET dict = ?2 WHERE dict = ?1 AND level > 0",
		                  old->id, next, w->problem);
	if (status == PP_OK)
		status = run_with(w->s, "DELETE FROM dict WHERE dict = ?1", old->id, 0, w->problem);
	if (status == PP_OK)
		status = pp_census_chunks_clear(w->s, old->id, w->problem);
	pp_stored_dict_close(&made);
	return status;
}

static pp_status
dict_shrink(struct pp_sqlite *s, int64_t id, int64_t next, struct pp_buf *problem)
{
	struct pp_stored_dict d;
	struct walk w = { .s = s, .problem = problem, .dict = id, .row = stacks_mark };
	pp_status status = pp_stored_dict_open(s, id, false, &d, problem);
	uint64_t *nodes = NULL;
	size_t used;

	if (status != PP_OK)
		return status;
	w.stacks = d.dict.stacks.n;
	w.used = calloc(w.stacks / 64 + 1, sizeof *w.used);
	w.stack_map = calloc(w.stacks, sizeof *w.stack_map);
	nodes = calloc((size_t)pp_dict_tree(&d.dict)->n / 64 + 1, sizeof *nodes);
	status = w.used && w.stack_map && nodes ? cells_mark(&w) : PP_E_NOMEM;
	if (status == PP_OK) {
		used = nodes_used(&d.dict, w.used, nodes);
		if (used * 2 < pp_dict_tree(&d.dict)->n)
			status = dict_replace(&w, &d, next);
	}
	free(w.used);
	free(w.stack_map);
	free(nodes);
	pp_vec_release(&w.types);
	pp_vec_release(&w.profiles);
	pp_stored_dict_close(&d);
	return status;
}

pp_status
pp_sqlite_shrink(struct pp_sqlite *s, struct pp_buf *problem)
{
	PP_VEC(int64_t) ids = { 0 };
	sqlite3_stmt *q;
	pp_status status = pp_sqlite_begin(s, problem);
	int64_t next = 0;
	size_t i;

	if (status != PP_OK)
		return status;
	q = pp_sqlite_statement(s, "SELECT DISTINCT dict FROM dict ORDER BY dict", problem);
	status = q ? PP_OK : pp_no_statement(problem);
	while (status == PP_OK && pp_sqlite_step(s, q, &status, problem) > 0) {
		next = sqlite3_column_int64(q, 0);
		status = pp_vec_push(&ids, next) ? PP_OK : PP_E_NOMEM;
	}
	for (i = 0; i < ids.n && status == PP_OK; i++)
		status = dict_shrink(s, ids.at[i], ++next, problem);
	status = pp_sqlite_end(s, status, problem);
	pp_vec_release(&ids);
	return status;
}

/* ---- checking ---- */

static pp_status
say(struct pp_store_outcome *out, struct pp_buf *text)
{
	if (!text->failed && pp_vec_push(&out->problems, text->p))
		return PP_OK;
	pp_buf_release(text);
	return PP_E_NOMEM;
}

/* Rows that belong to nothing, and what lacks its rows. */
static const struct {
	const char *sql, *what;
} orphans[] = {
	{ "SELECT count(*) FROM cells WHERE facet = 1 AND profile NOT IN (SELECT profile FROM packed)",
	  "rows of cells belong to no profile" },
	{ "SELECT count(*) FROM cells WHERE facet != 1 AND profile NOT IN (SELECT id FROM profile WHERE level = 0 AND dict = -2)",
	  "extracts belong to no profile" },
	{ "SELECT count(*) FROM cells WHERE facet != 1 AND (facet, metric, sub, total) != (2, 0, 0, '')",
	  "rows of cells are of no kind that there is" },
	{ "SELECT count(*) FROM packed WHERE profile NOT IN (SELECT id FROM profile WHERE level > 0)",
	  "packed profiles are not listed" },
	{ "SELECT count(*) FROM profile WHERE level > 0 AND id NOT IN (SELECT profile FROM packed)",
	  "profiles have no cells" },
	{ "SELECT count(*) FROM profile WHERE level = 0 AND id NOT IN (SELECT profile FROM original)",
	  "profiles have no input" },
	{ "SELECT count(*) FROM original WHERE profile NOT IN (SELECT id FROM profile)",
	  "inputs belong to no profile" },
	{ "SELECT count(*) FROM rolled WHERE profile NOT IN (SELECT id FROM profile)",
	  "parts belong to no sum" },
	{ "SELECT count(*) FROM profile WHERE series NOT IN (SELECT id FROM series)",
	  "profiles have no labels" },
	{ "SELECT count(*) FROM packed WHERE dict NOT IN (SELECT dict FROM dict)",
	  "packed profiles have no dictionary" },
	{ "SELECT count(*) FROM cells WHERE facet = 1 AND sub NOT IN (SELECT id FROM sub)",
	  "rows of cells belong to no series" },
	{ "SELECT count(*) FROM (" PP_INPUT_MISFITS ")", "inputs are marked for another level" },
};

static pp_status
orphans_check(struct pp_sqlite *s, struct pp_store_outcome *out, struct pp_buf *problem)
{
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(orphans) && status == PP_OK; i++) {
		struct pp_buf text = { 0 };
		int64_t n = 0;

		status = pp_sqlite_number(s, orphans[i].sql, &n, problem);
		if (status != PP_OK || n == 0)
			continue;
		pp_buf_addf(&text, "%lld %s", (long long)n, orphans[i].what);
		status = say(out, &text);
	}
	return status;
}

/* The dictionaries as adding would need them, which sees more than reading. */
static pp_status
dicts_check(struct pp_sqlite *s, struct pp_store_outcome *out, struct pp_buf *problem)
{
	PP_VEC(int64_t) ids = { 0 };
	sqlite3_stmt *q = pp_sqlite_statement(s, "SELECT DISTINCT dict FROM dict", problem);
	pp_status status = q ? PP_OK : pp_no_statement(problem);
	size_t i;

	while (status == PP_OK && pp_sqlite_step(s, q, &status, problem) > 0)
		status = pp_vec_push(&ids, sqlite3_column_int64(q, 0)) ? PP_OK : PP_E_NOMEM;
	for (i = 0; i < ids.n && status == PP_OK; i++) {
		struct pp_buf why = { 0 };
		struct pp_stored_dict d;

		status = pp_stored_dict_open(s, ids.at[i], true, &d, &why);
		if (status == PP_OK) {
			pp_stored_dict_close(&d);
		} else if (status == PP_E_INVALID) {
			if (why.n == 0)
				pp_buf_addf(&why, "dictionary %lld has a stack twice",
				            (long long)ids.at[i]);
			status = say(out, &why);
			why = (struct pp_buf){ 0 };
		}
		pp_buf_release(&why);
	}
	pp_vec_release(&ids);
	return status;
}

/* Texts that profiles share, also those that none uses. */
static pp_status
defs_check(struct pp_sqlite *s, struct pp_store_outcome *out, struct pp_buf *problem)
{
	static const struct {
		const char *name, *sql;
	} tables[] = { { "metric", "SELECT id, def, seal FROM metric" },
		       { "sub", "SELECT id, def, seal FROM sub" },
		       { "shape", "SELECT id, def, seal FROM shape" } };
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(tables) && status == PP_OK; i++) {
		sqlite3_stmt *q = pp_sqlite_statement(s, tables[i].sql, problem);

		status = q ? PP_OK : pp_no_statement(problem);
		while (status == PP_OK && pp_sqlite_step(s, q, &status, problem) > 0) {
			struct pp_buf text = { 0 };

			if (sqlite3_column_int64(q, 2) ==
			    pp_seal_of_def(tables[i].name, pp_column_bytes(q, 1)))
				continue;
			pp_buf_addf(&text, "%s: the store is damaged: row %lld of the table %s",
			            s->path, (long long)sqlite3_column_int64(q, 0), tables[i].name);
			status = say(out, &text);
		}
	}
	return status;
}

pp_status
pp_sqlite_check_rows(struct pp_sqlite *s, struct pp_store_outcome *out, struct pp_buf *problem)
{
	pp_status status = orphans_check(s, out, problem);

	return status == PP_OK ? defs_check(s, out, problem) : status;
}

pp_status
pp_sqlite_check_packed(struct pp_sqlite *s, struct pp_store_outcome *out, struct pp_buf *problem)
{
	pp_status status = pp_sqlite_check_rows(s, out, problem);

	return status == PP_OK ? dicts_check(s, out, problem) : status;
}
