/*
 * Packed profiles in a store of SQLite: what is selected becomes groups that are added up, and these one profile.
 */
#include "base/sort.h"
#include "io/system.h"
#include "model/inclusive.h"
#include "model/merge.h"
#include "store/parcel.h"
#include "store/sqlite_packed.h"

/* Nodes of a dictionary that takes so much memory to read that it is worth giving it back at once. */
#define LARGE ((size_t)1 << 20)

/* ---- the dictionary at hand ---- */

struct pp_packed_cache {
	struct pp_stored_dict dict;
	struct pp_dict_marks marks;
	PP_VEC(struct pp_shared_names) names; /* profiles that were handed out refer to them */
};

static void
names_release(struct pp_shared_names *n)
{
	pp_profile_free(n->profile);
	free(n->func_of_frame);
	free(n->own);
	free(n->total);
	free(n->is_met);
	pp_vec_release(&n->met);
}

void
pp_packed_cache_free(struct pp_packed_cache *cache)
{
	if (!cache)
		return;
	pp_stored_dict_close(&cache->dict);
	pp_dict_marks_release(&cache->marks);
	while (cache->names.n)
		names_release(&cache->names.at[--cache->names.n]);
	pp_vec_release(&cache->names);
	free(cache);
}

struct pp_dict_marks *
pp_sqlite_marks(struct pp_sqlite *s)
{
	return &s->packed->marks;
}

pp_status
pp_sqlite_dict(struct pp_sqlite *s, int64_t id, bool grows, struct pp_dict **dict,
               struct pp_buf *problem)
{
	struct pp_stored_dict *at_hand;
	int64_t version = 0;
	pp_status status = pp_stored_version(s, &version, problem);

	*dict = NULL;
	if (status == PP_OK && !s->packed && !(s->packed = calloc(1, sizeof *s->packed)))
		status = PP_E_NOMEM;
	if (status != PP_OK)
		return status;
	at_hand = &s->packed->dict;
	if (!at_hand->is_open || at_hand->id != id || at_hand->version != version ||
	    (grows && !at_hand->dict.grows)) {
		pp_stored_dict_close(at_hand);
		status = pp_stored_dict_open(s, id, grows, at_hand, problem);
	}
	*dict = &at_hand->dict;
	return status;
}

/* ---- groups ---- */

/* Groups in the order in which their first profiles stand in the selection. */
struct groups {
	PP_VEC(struct pp_packed_group) all;
};

static void
groups_release(struct groups *groups)
{
	size_t i;

	for (i = 0; i < groups->all.n; i++)
		pp_group_release(&groups->all.at[i]);
	pp_vec_release(&groups->all);
}

/* A row of `packed`. Its `own` lies in a statement, or in the bytes of many. */
struct packed_row {
	int64_t dict, shape;
	struct pp_slice own;
	struct pp_cells_tally cells;
	bool met, sound;
};

/* What a statement stands at: dict, shape, own, cells, cells_seal, seal. */
static struct packed_row
packed_row(sqlite3_stmt *q, int64_t id)
{
	struct packed_row r = { .dict = sqlite3_column_int64(q, 0),
		                .shape = sqlite3_column_int64(q, 1),
		                .own = pp_column_bytes(q, 2),
		                .cells = { (uint64_t)sqlite3_column_int64(q, 3),
		                           (uint64_t)sqlite3_column_int64(q, 4) },
		                .met = true };

	r.sound = sqlite3_column_int64(q, 5) ==
	          pp_seal_of_packed(id, r.dict, r.shape, r.own, r.cells);
	return r;
}

/* Adds a profile to the group where it belongs. */
static pp_status
group_add(struct pp_sqlite *s, struct groups *groups, int64_t id, size_t at,
          const struct packed_row *row, struct pp_buf *problem)
{
	struct pp_packed_group *g;
	size_t i;

	for (i = groups->all.n; i > 0; i--)
		if (groups->all.at[i - 1].dict == row->dict &&
		    groups->all.at[i - 1].shape == row->shape)
			break;
	if (i == 0) {
		if (!pp_vec_push(&groups->all, (struct pp_packed_group){ .dict = row->dict,
		                                                         .shape = row->shape }))
			return PP_E_NOMEM;
		i = groups->all.n;
	}
	g = &groups->all.at[i - 1];
	if (!row->sound || !pp_own_add(row->own, &g->facts))
		return pp_stored_damaged(s, id, "facts", problem);
	if (g->ids.n == 0)
		pp_buf_add(&g->own, row->own.p, row->own.n);
	return !g->own.failed && pp_vec_push(&g->ids, id) && pp_vec_push(&g->at, at) &&
	               pp_vec_push(&g->cells, row->cells)
	           ? PP_OK
	           : PP_E_NOMEM;
}

static pp_status
group_find(struct pp_sqlite *s, struct groups *groups, uint64_t id, size_t at,
           struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    s, "SELECT dict, shape, own, cells, cells_seal, seal FROM packed WHERE profile = ?1",
	    problem);
	pp_status status = q ? PP_OK : pp_no_statement(problem);

	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_int64(q, 1, (sqlite3_int64)id);
	if (pp_sqlite_step(s, q, &status, problem) > 0) {
		struct packed_row row = packed_row(q, (int64_t)id);

		status = group_add(s, groups, (int64_t)id, at, &row, problem);
	} else if (status == PP_OK) {
		status = pp_stored_damaged(s, (int64_t)id, "missing numbers", problem);
	}
	(void)sqlite3_reset(q);
	return status;
}

/* From so many on, if at least one in so many of those in between is packed and selected, all of these are read in a row. */
#define SCAN_LEAST 64
#define SCAN_SHARE 4

/* Rows of packed profiles whose ids lie close together, by that. */
struct packed_rows {
	uint64_t first, last;
	struct packed_row *at;
	PP_VEC(size_t)
	begins; /* of what each has of its own, in the order in which they were met */
	struct pp_buf own;
};

static void
packed_rows_release(struct packed_rows *rows)
{
	free(rows->at);
	pp_vec_release(&rows->begins);
	pp_buf_release(&rows->own);
}

/* Whether the packed profiles of a list are best read in a row. */
static bool
stand_together(const struct pp_store_list *list, struct packed_rows *rows)
{
	uint64_t n = 0;
	size_t i;

	*rows = (struct packed_rows){ .first = UINT64_MAX };
	for (i = 0; i < list->entries.n; i++) {
		const struct pp_store_entry *e = &list->entries.at[i];

		if (e->level == PP_STORE_FRESH)
			continue;
		n++;
		rows->first = e->id < rows->first ? e->id : rows->first;
		rows->last = e->id > rows->last ? e->id : rows->last;
	}
	return n >= SCAN_LEAST && (rows->last - rows->first) / SCAN_SHARE < n;
}

/* Reads the rows; what they have of their own moves as it grows, and is found when all is there. */
static pp_status
packed_rows_read(struct pp_sqlite *s, struct packed_rows *rows, struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    s,
	    "SELECT dict, shape, own, cells, cells_seal, seal, profile FROM packed "
	    "WHERE profile BETWEEN ?1 AND ?2 ORDER BY profile",
	    problem);
	const size_t most = (size_t)(rows->last - rows->first) + 1;
	pp_status status = q ? PP_OK : pp_no_statement(problem);
	uint64_t next = rows->first;
	size_t i, n = 0;

	rows->at = calloc(most, sizeof *rows->at);
	if (!q || !rows->at)
		return q ? PP_E_NOMEM : status;
	(void)sqlite3_bind_int64(q, 1, (sqlite3_int64)rows->first);
	(void)sqlite3_bind_int64(q, 2, (sqlite3_int64)rows->last);
	while (status == PP_OK && pp_sqlite_step(s, q, &status, problem) > 0) {
		const int64_t id = sqlite3_column_int64(q, 6);
		struct packed_row row = packed_row(q, id);

		/* SQLite goes from the first to the last as it finds them, and believes that they ascend. */
		if ((uint64_t)id < next || (uint64_t)id > rows->last) {
			pp_buf_addf(problem,
			            "%s: the store is damaged: packed profiles are out of order",
			            s->path);
			status = PP_E_INVALID;
			break;
		}
		next = (uint64_t)id + 1;
		if (!pp_vec_push(&rows->begins, rows->own.n))
			status = PP_E_NOMEM;
		pp_buf_add(&rows->own, row.own.p, row.own.n);
		rows->at[(uint64_t)id - rows->first] = row;
	}
	(void)sqlite3_reset(q);
	if (status == PP_OK && rows->own.failed)
		status = PP_E_NOMEM;
	for (i = 0; i < most && status == PP_OK; i++)
		if (rows->at[i].met)
			rows->at[i].own.p = (const unsigned char *)rows->own.p +
			                    rows->begins.at[n++];
	return status;
}

/* All packed profiles of such a list, in its order. */
static pp_status
groups_scan(struct pp_sqlite *s, struct groups *groups, const struct pp_store_list *list,
            struct packed_rows *rows, struct pp_buf *problem)
{
	pp_status status = packed_rows_read(s, rows, problem);
	size_t i;

	for (i = 0; i < list->entries.n && status == PP_OK; i++) {
		const struct pp_store_entry *e = &list->entries.at[i];
		const struct packed_row *row;

		if (e->level == PP_STORE_FRESH)
			continue;
		row = &rows->at[e->id - rows->first];
		status = row->met
		             ? group_add(s, groups, (int64_t)e->id, i, row, problem)
		             : pp_stored_damaged(s, (int64_t)e->id, "missing numbers", problem);
	}
	packed_rows_release(rows);
	return status;
}

/* The groups of all packed profiles of a list. */
static pp_status
groups_find(struct pp_sqlite *s, struct groups *groups, const struct pp_store_list *list,
            struct pp_buf *problem)
{
	pp_status status = PP_OK;
	struct packed_rows rows;
	size_t i;

	if (stand_together(list, &rows))
		return groups_scan(s, groups, list, &rows, problem);
	for (i = 0; i < list->entries.n && status == PP_OK; i++)
		if (list->entries.at[i].level != PP_STORE_FRESH)
			status = group_find(s, groups, list->entries.at[i].id, i, problem);
	return status;
}

/* ---- those that are fresh ---- */

/* The last group whose profiles are of that shape. */
static struct pp_packed_group *
group_of(struct pp_sqlite *s, struct groups *groups, const struct pp_buf *shape, pp_status *status,
         struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(s, "SELECT id FROM shape WHERE def = ?1", problem);
	struct pp_packed_group *found = NULL;
	size_t i;

	*status = q ? PP_OK : pp_no_statement(problem);
	if (!q)
		return NULL;
	(void)sqlite3_bind_blob64(q, 1, shape->p, shape->n, SQLITE_STATIC);
	if (pp_sqlite_step(s, q, status, problem) > 0)
		for (i = groups->all.n; i > 0 && !found; i--)
			if (groups->all.at[i - 1].shape == sqlite3_column_int64(q, 0) &&
			    groups->all.at[i - 1].dict == groups->all.at[groups->all.n - 1].dict)
				found = &groups->all.at[i - 1];
	(void)sqlite3_reset(q);
	return found;
}

/*
 * Packs a fresh profile in memory, over a dictionary that is not written: so few of them do not keep all others from
 * being added up at once.
 */
static pp_status
loose_add(struct pp_sqlite *s, struct groups *groups, const struct pp_store_entry *e, size_t at,
          struct pp_buf *problem)
{
	struct pp_loose loose = { .at = at };
	struct pp_pack_input input;
	struct pp_packed_group *g = NULL;
	struct pp_supply supply = { 0 };
	struct pp_profile *p;
	struct pp_dict *dict;
	pp_status status = pp_sqlite_load_fresh(s, e, &supply, problem);

	/* Only one dictionary is at hand, and this one is not written. */
	if (status == PP_OK && groups->all.at[0].dict != groups->all.at[groups->all.n - 1].dict)
		status = PP_E_UNSUPPORTED;
	if (status != PP_OK) {
		pp_parcel_drop(&supply);
		return status;
	}
	p = pp_stored_read(&supply, e->source, e->format, &input, NULL);
	pp_parcel_drop(&supply);
	input.size = 0;
	status = p ? pp_sqlite_dict(s, groups->all.at[groups->all.n - 1].dict, true, &dict, problem)
	           : PP_E_UNSUPPORTED;
	if (status == PP_OK)
		status = pp_dict_has_room(dict, p) ? pp_pack(dict, p, &input, &loose.packed)
		                                   : PP_E_UNSUPPORTED;
	if (status == PP_OK)
		g = group_of(s, groups, &loose.packed.shape, &status, problem);
	if (status == PP_OK &&
	    (!g || !pp_own_add(pp_slice_of(loose.packed.own.p, loose.packed.own.n), &g->facts)))
		status = PP_E_UNSUPPORTED;
	if (status == PP_OK && !pp_vec_push(&g->loose, loose))
		status = PP_E_NOMEM;
	if (status != PP_OK)
		pp_packed_release(&loose.packed);
	pp_profile_free(p);
	return status;
}

/* What only a single profile tells is that of the only one. */
static void
groups_settle(struct groups *groups)
{
	struct pp_packed_group *g = groups->all.at;

	if (groups->all.n == 1 && g->ids.n == 1 && g->loose.n == 0 && g->facts.profiles == 1)
		g->facts.bytes = pp_slice_of(g->own.p, g->own.n);
}

/* ---- several groups ---- */

/* Whether merging them would say nothing beside the result: they count the same things, in the same way. */
static bool
are_alike(const struct pp_profile *a, const struct pp_profile *b)
{
	size_t m;

	if (a->metrics.n != b->metrics.n || a->format != b->format)
		return false;
	for (m = 0; m < a->metrics.n; m++) {
		const struct pp_metric *x = &a->metrics.at[m], *y = &b->metrics.at[m];

		if (x->type != y->type || x->type == PP_REAL || x->kind != y->kind ||
		    x->scale != y->scale || x->factor_num != y->factor_num ||
		    x->factor_den != y->factor_den || x->flags != y->flags ||
		    !pp_slice_eq(pp_text_of(a, x->name), pp_text_of(b, y->name)) ||
		    !pp_slice_eq(pp_text_of(a, x->event), pp_text_of(b, y->event)) ||
		    !pp_slice_eq(pp_text_of(a, x->unit), pp_text_of(b, y->unit)))
			return false;
	}
	return true;
}

/* One profile out of those of all groups, as merging makes it. */
static pp_status
parts_merge(struct pp_profile **parts, size_t n, struct pp_profile **out)
{
	struct pp_buf why = { 0 };
	struct pp_merge merge;
	pp_status status = PP_OK;
	size_t i;

	for (i = 1; i < n; i++)
		if (!are_alike(parts[0], parts[i]))
			return PP_E_UNSUPPORTED;
	if (!pp_merge_init(&merge, NULL, pp_random_seed()))
		return PP_E_NOMEM;
	for (i = 0; i < n && status == PP_OK; i++)
		status = pp_merge_see(&merge, parts[i]) ? PP_OK : PP_E_NOMEM;
	merge.all_seen = true;
	for (i = 0; i < n && status == PP_OK; i++)
		status = pp_merge_add(&merge, parts[i], &why);
	/* What cannot be merged, or not without a word, is merged by who says so. */
	if (status == PP_OK && (merge.lost || merge.joined_threads))
		status = PP_E_UNSUPPORTED;
	if (status == PP_OK)
		status = pp_merge_finish(&merge, out);
	pp_merge_release(&merge);
	pp_buf_release(&why);
	return status == PP_E_USAGE || status == PP_E_LIMIT ? PP_E_UNSUPPORTED : status;
}

static pp_status
groups_load(struct pp_sqlite *s, struct groups *groups, const struct pp_order *order,
            struct pp_profile **out, struct pp_buf *problem)
{
	bool costs = order && pp_order_is_costs(order) && !order->filter && !order->keep &&
	             !(order->facets & (PP_THREADS | PP_LABELS | PP_EXTRAS));
	size_t n = groups->all.n, i;
	struct pp_profile **parts = calloc(n + 1, sizeof *parts);
	pp_status status = parts ? PP_OK : PP_E_NOMEM;

	for (i = 0; i < n && status == PP_OK; i++)
		status = pp_group_load(s, &groups->all.at[i], order, costs && n == 1, &parts[i],
		                       problem);
	/* Dictionaries and shapes have no profile of their own. */
	if (status == PP_E_INVALID && problem->p && !strstr(problem->p, "of profile "))
		pp_stored_users_put(s, groups->all.at[i - 1].ids.at, groups->all.at[i - 1].ids.n,
		                    problem);
	if (status == PP_OK && n == 1) {
		*out = parts[0];
		parts[0] = NULL;
	} else if (status == PP_OK) {
		status = parts_merge(parts, n, out);
	}
	for (i = 0; parts && i < n; i++)
		pp_profile_free(parts[i]);
	free(parts);
	return status;
}

pp_status
pp_sqlite_load_packed(struct pp_sqlite *s, const struct pp_store_entry *e, struct pp_supply *supply,
                      struct pp_buf *problem)
{
	struct groups groups = { 0 };
	pp_status status = group_find(s, &groups, e->id, 0, problem);

	*supply = (struct pp_supply){ .path = e->source };
	groups_settle(&groups);
	if (status == PP_OK)
		status = groups_load(s, &groups, NULL, &supply->profile, problem);
	supply->size = groups.all.n ? groups.all.at[0].facts.size : 0;
	groups_release(&groups);
	return status;
}

/* A profile is of no use where the store was changed while it was read. */
static pp_status
settle(struct pp_sqlite *s, pp_status status, struct pp_profile **out, struct pp_buf *problem)
{
	pp_status settled = status == PP_E_UNSUPPORTED ? status
	                                               : pp_sqlite_settled(s, status, problem);

	if (status == PP_OK && settled != PP_OK) {
		pp_profile_free(*out);
		*out = NULL;
	}
	return settled;
}

/* ---- costs of single ones ---- */

static pp_status
names_make(struct pp_sqlite *s, const struct pp_dict *dict, struct pp_shared_names *n,
           struct pp_buf *problem)
{
	const size_t funcs = dict->b.profile->funcs.n + 1;
	struct pp_shape shape = { 0 };
	struct pp_stored_shape stored = { .shape = &shape };
	pp_status status = pp_stored_shape_load(s, n->shape, &stored, problem);

	if (status != PP_OK)
		return status;
	n->metrics = shape.metrics;
	memcpy(n->metric_ids, stored.metric_ids, sizeof n->metric_ids);
	status = pp_unpack_names(dict, &shape, &n->profile);
	pp_shape_release(&shape);
	if (status != PP_OK)
		return status;
	n->func_of_frame = pp_frame_funcs(dict->b.profile);
	n->own = calloc(funcs * n->metrics, sizeof *n->own);
	n->total = calloc(funcs * n->metrics, sizeof *n->total);
	n->is_met = calloc(funcs / 64 + 1, sizeof *n->is_met);
	return n->func_of_frame && n->own && n->total && n->is_met ? PP_OK : PP_E_NOMEM;
}

/* The names that profiles of a dictionary and a shape share. */
static pp_status
names_find(struct pp_sqlite *s, const struct pp_dict *dict, int64_t dict_id, int64_t shape,
           struct pp_shared_names **out, struct pp_buf *problem)
{
	struct pp_packed_cache *cache = s->packed;
	struct pp_shared_names made = { .dict = dict_id, .shape = shape };
	pp_status status;
	size_t i;

	for (i = 0; i < cache->names.n; i++) {
		*out = &cache->names.at[i];
		if ((*out)->dict == dict_id && (*out)->shape == shape)
			return PP_OK;
	}
	status = names_make(s, dict, &made, problem);
	if (status == PP_OK && !pp_vec_push(&cache->names, made))
		status = PP_E_NOMEM;
	if (status != PP_OK)
		names_release(&made);
	else
		*out = &cache->names.at[cache->names.n - 1];
	return status;
}

pp_status
pp_sqlite_load_costs(struct pp_store *store, const struct pp_store_entry *e, bool timed,
                     struct pp_profile **out, struct pp_buf *problem)
{
	static const struct pp_order costs_alone = { .facets = PP_COSTS | PP_FUNCTIONS };
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	struct pp_shared_names *names;
	struct groups groups = { 0 };
	struct pp_packed_group *g;
	struct pp_dict *dict;
	pp_status status;

	*out = NULL;
	/* Names are those of the store as it is read: nobody changes it meanwhile. */
	if (e->level == PP_STORE_FRESH || !s->reading)
		return PP_E_UNSUPPORTED;
	status = group_find(s, &groups, e->id, 0, problem);
	g = groups.all.at;
	if (status == PP_OK)
		status = pp_sqlite_dict(s, g->dict, false, &dict, problem);
	if (status == PP_OK && e->is_part) {
		groups_settle(&groups);
		status = pp_group_load(s, g, &costs_alone, false, out, problem);
		groups_release(&groups);
		return settle(s, status, out, problem);
	}
	if (status == PP_OK)
		status = names_find(s, dict, g->dict, g->shape, &names, problem);
	if (status == PP_OK)
		status = pp_single_costs(s, (int64_t)e->id, g->cells.at[0], dict, names,
		                         pp_slice_of(g->own.p, g->own.n), out, problem);
	groups_release(&groups);
	return settle(s, status, out, problem);
}

/* The sum of all profiles of a list. PP_E_UNSUPPORTED: they have to be merged one by one. */
static pp_status
list_sum(struct pp_sqlite *s, const struct pp_store_list *list, const struct pp_order *order,
         struct pp_profile **out, struct pp_buf *problem)
{
	struct groups groups = { 0 };
	pp_status status = PP_OK;
	size_t i;

	*out = NULL;
	status = groups_find(s, &groups, list, problem);
	if (status == PP_OK && groups.all.n == 0)
		return PP_E_UNSUPPORTED;
	for (i = 0; i < list->entries.n && status == PP_OK; i++)
		if (list->entries.at[i].level == PP_STORE_FRESH)
			status = loose_add(s, &groups, &list->entries.at[i], i, problem);
	groups_settle(&groups);
	if (status == PP_OK)
		status = groups.all.n ? groups_load(s, &groups, order, out, problem)
		                      : PP_E_UNSUPPORTED;
	groups_release(&groups);
	return status;
}

pp_status
pp_sqlite_load_all(struct pp_store *store, const struct pp_store_list *list,
                   const struct pp_order *order, struct pp_profile **out, struct pp_buf *problem)
{
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	pp_status status = list_sum(s, list, order, out, problem);

	/* All that was asked for is there: who goes on with it has room for that. */
	if (status == PP_OK && s->packed && s->packed->dict.is_open) {
		bool is_large = pp_dict_tree(&s->packed->dict.dict)->n >= LARGE;

		pp_stored_dict_close(&s->packed->dict);
		if (is_large)
			pp_memory_give_back();
	}
	return settle(s, status, out, problem);
}

pp_status
pp_sqlite_load_most(struct pp_store *store, const struct pp_store_list *list,
                    const struct pp_order *order, bool *taken, struct pp_profile **out,
                    struct pp_buf *problem)
{
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	struct groups groups = { 0 };
	pp_status status = PP_OK;
	size_t i;

	*out = NULL;
	/* What the first one counts, and is called, is what the sum does. */
	if (list->entries.n == 0 || list->entries.at[0].level == PP_STORE_FRESH)
		return PP_E_UNSUPPORTED;
	for (i = 0; i < list->entries.n; i++)
		taken[i] = list->entries.at[i].level != PP_STORE_FRESH;
	status = groups_find(s, &groups, list, problem);
	if (status == PP_OK && (groups.all.n != 1 || groups.all.at[0].ids.n < 2))
		status = PP_E_UNSUPPORTED;
	/* All of it, as others are merged with it. */
	if (status == PP_OK)
		status = pp_group_load(s, groups.all.at, order, false, out, problem);
	groups_release(&groups);
	if (s->packed)
		pp_stored_dict_close(&s->packed->dict);
	/* Threads stand in the order in which they are met, also those of profiles in between. */
	if (status == PP_OK && ((*out)->series.n != 1 || (*out)->metrics.at[0].type == PP_REAL)) {
		pp_profile_free(*out);
		*out = NULL;
		status = PP_E_UNSUPPORTED;
	}
	return settle(s, status, out, problem);
}
