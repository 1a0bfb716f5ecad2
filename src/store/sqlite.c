/*
 * Stores in a file, by SQLite: profiles are added, found, loaded and removed. SQLite is the container; what a profile costs
 * is in blobs that only this program understands.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/sort.h"
#include "store/hash.h"
#include "store/label_set.h"
#include "store/meta.h"
#include "store/parcel.h"
#include "store/sqlite_open.h"
#include "store/sqlite_seal.h"
#include "store/when.h"
#include "store/where.h"

/* ---- SQL as data ---- */

enum {
	NEXT_SERIES,
	ADD_SERIES,
	ADD_SERIES_LABEL,
	FIND_SERIES,
	FIND_PROFILE,
	NEXT_PROFILE,
	ADD_PROFILE,
	ADD_ORIGINAL,
	LIST_SERIES,
	LIST_PROFILES,
	OTHER_PROFILES,
	LOAD_ORIGINAL,
	REMOVE_ORIGINAL,
	REMOVE_CELLS,
	REMOVE_PACKED,
	REMOVE_ROLLED,
	REMOVE_PROFILE,
	SQL_COUNT
};

/* Whether a profile meets the window from ?1 to ?2. */
#define IN_WINDOW "((?1 IS NULL OR p.t1 > ?1 OR p.t0 >= ?1) AND (?2 IS NULL OR p.t0 < ?2))"

static const char *const texts[SQL_COUNT] = {
	[NEXT_SERIES] = "SELECT coalesce(max(id), 0) + 1 FROM series",
	[ADD_SERIES] = "INSERT INTO series(id, labels, seal) VALUES(?1, ?2, ?3)",
	[ADD_SERIES_LABEL] = "INSERT INTO series_label(key, value, series) VALUES(?1, ?2, ?3)",
	[FIND_SERIES] = "SELECT id FROM series WHERE labels = ?1",
	[FIND_PROFILE] =
	    "SELECT 1 FROM profile WHERE hash = ?1 UNION ALL SELECT 1 FROM rolled WHERE hash = ?1",
	[NEXT_PROFILE] = "SELECT coalesce(max(id), 0) + 1 FROM profile",
	[ADD_PROFILE] =
	    ("INSERT INTO profile(id, hash, series, t0, t1, dict, level, complete, format, source, meta, "
	     "seal) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"),
	[ADD_ORIGINAL] = "INSERT INTO original(profile, name, keep, data) VALUES(?1, ?2, ?3, ?4)",
	[LIST_SERIES] = "SELECT id, labels, seal FROM series",
	[LIST_PROFILES] =
	    ("SELECT p.id, p.hash, p.series, p.t0, p.t1, p.level, p.complete, p.format, p.source, p.meta, "
	     "o.keep, coalesce(length(o.data), 0) + CASE WHEN ?3 AND (p.level > 0 OR p.dict < 0) THEN (SELECT "
	     "coalesce(sum(length(c.data)), 0) FROM cells c WHERE c.profile = p.id) ELSE 0 END, CASE p.level WHEN 2 THEN (SELECT count(*) FROM rolled r "
	     "WHERE r.profile = p.id) ELSE 1 END, p.seal, p.dict FROM profile p LEFT JOIN original o ON o.profile = p.id "
	     "WHERE " IN_WINDOW),
	/* All that the one before leaves out, whatever its times are. */
	[OTHER_PROFILES] =
	    ("SELECT p.id, p.hash, p.series, p.t0, p.t1, p.level, p.complete, p.format, p.source, p.meta, "
	     "p.seal FROM profile p WHERE " IN_WINDOW " IS NOT TRUE"),
	[LOAD_ORIGINAL] = "SELECT data FROM original WHERE profile = ?1",
	[REMOVE_ORIGINAL] = "DELETE FROM original WHERE profile = ?1",
	[REMOVE_CELLS] = "DELETE FROM cells WHERE profile = ?1",
	[REMOVE_PACKED] = "DELETE FROM packed WHERE profile = ?1",
	[REMOVE_ROLLED] = "DELETE FROM rolled WHERE profile = ?1",
	[REMOVE_PROFILE] = "DELETE FROM profile WHERE id = ?1",
};

static void
sqlite_sql(const char *source, struct pp_buf *out)
{
	size_t i;

	(void)source;
	pp_buf_adds(out,
	            "PRAGMA application_id = 0x70707366;\nPRAGMA user_version = 1;\nPRAGMA "
	            "page_size = 16384;\nPRAGMA auto_vacuum = INCREMENTAL;\nPRAGMA journal_mode = "
	            "WAL;\nPRAGMA synchronous = FULL;\n");
	pp_buf_adds(out, pp_sqlite_schema);
	pp_buf_adds(out, pp_sqlite_packed_schema);
	for (i = 0; i < SQL_COUNT; i++)
		pp_buf_addf(out, "%s;\n", texts[i]);
}

static sqlite3_stmt *
statement(struct pp_sqlite *s, int which, struct pp_buf *problem)
{
	return pp_sqlite_statement(s, texts[which], problem);
}

/* Why there is no statement. */
static pp_status
no_statement(const struct pp_buf *problem)
{
	return problem->n ? PP_E_INVALID : PP_E_NOMEM;
}

static void
bind_text(sqlite3_stmt *st, int at, struct pp_slice text)
{
	(void)sqlite3_bind_text64(st, at, text.n ? (const char *)text.p : "", text.n, SQLITE_STATIC,
	                          SQLITE_UTF8);
}

/* Runs a statement that gives nothing back. */
static pp_status
finish(struct pp_sqlite *s, sqlite3_stmt *st, struct pp_buf *problem)
{
	pp_status status = PP_OK;

	while (pp_sqlite_step(s, st, &status, problem) > 0)
		continue;
	return status;
}

/* ---- adding ---- */

/* The labels of a new series one by one, for who looks at the file by hand. */
static pp_status
series_labels_add(struct pp_sqlite *s, const char *labels, int64_t series, struct pp_buf *problem)
{
	struct pp_label_set set = { 0 };
	pp_status status = pp_label_set_read(&set, pp_slice_z(labels));
	size_t i;

	for (i = 0; i < set.n && status == PP_OK; i++) {
		sqlite3_stmt *st = statement(s, ADD_SERIES_LABEL, problem);

		if (!st) {
			status = no_statement(problem);
			break;
		}
		bind_text(st, 1, set.at[i].key);
		bind_text(st, 2, set.at[i].value);
		(void)sqlite3_bind_int64(st, 3, series);
		status = finish(s, st, problem);
	}
	pp_label_set_release(&set);
	return status;
}

/* The number that a statement gives. */
static pp_status
number_of(struct pp_sqlite *s, int which, int64_t *number, struct pp_buf *problem)
{
	sqlite3_stmt *st = statement(s, which, problem);
	pp_status status = PP_OK;

	if (!st)
		return no_statement(problem);
	if (pp_sqlite_step(s, st, &status, problem) > 0)
		*number = sqlite3_column_int64(st, 0);
	(void)sqlite3_reset(st);
	return status;
}

/* The number of a set of labels, which is added when it is not there. */
static pp_status
series_of(struct pp_sqlite *s, const char *labels, int64_t *series, struct pp_buf *problem)
{
	sqlite3_stmt *find = statement(s, FIND_SERIES, problem), *add;
	pp_status status = PP_OK;
	int found;

	if (!find)
		return no_statement(problem);
	bind_text(find, 1, pp_slice_z(labels));
	found = pp_sqlite_step(s, find, &status, problem);
	if (found > 0)
		*series = sqlite3_column_int64(find, 0);
	(void)sqlite3_reset(find);
	if (found != 0)
		return status;
	status = number_of(s, NEXT_SERIES, series, problem);
	add = status == PP_OK ? statement(s, ADD_SERIES, problem) : NULL;
	if (!add)
		return status != PP_OK ? status : no_statement(problem);
	(void)sqlite3_bind_int64(add, 1, *series);
	bind_text(add, 2, pp_slice_z(labels));
	(void)sqlite3_bind_int64(add, 3, pp_seal_of_series(*series, pp_slice_z(labels)));
	status = finish(s, add, problem);
	return status == PP_OK ? series_labels_add(s, labels, *series, problem) : status;
}

static pp_status
known_find(struct pp_sqlite *s, const uint8_t *hash, bool *known, struct pp_buf *problem)
{
	sqlite3_stmt *st = statement(s, FIND_PROFILE, problem);
	pp_status status = PP_OK;

	if (!st)
		return no_statement(problem);
	(void)sqlite3_bind_blob(st, 1, hash, PP_STORE_HASH, SQLITE_STATIC);
	*known = pp_sqlite_step(s, st, &status, problem) > 0;
	(void)sqlite3_reset(st);
	return status;
}

pp_status
pp_sqlite_add_row(struct pp_sqlite *s, struct pp_store_entry *e, int64_t series, int64_t dict,
                  struct pp_slice meta, struct pp_buf *problem)
{
	sqlite3_stmt *st;
	int64_t id = 0;
	pp_status status = number_of(s, NEXT_PROFILE, &id, problem);

	st = status == PP_OK ? statement(s, ADD_PROFILE, problem) : NULL;
	if (!st)
		return status != PP_OK ? status : no_statement(problem);
	e->id = (uint64_t)id;
	(void)sqlite3_bind_int64(st, 1, id);
	(void)sqlite3_bind_blob(st, 2, e->hash, PP_STORE_HASH, SQLITE_STATIC);
	(void)sqlite3_bind_int64(st, 3, series);
	(void)sqlite3_bind_int64(st, 4, e->t0);
	(void)sqlite3_bind_int64(st, 5, e->t1);
	(void)sqlite3_bind_int64(st, 6, dict);
	(void)sqlite3_bind_int(st, 7, (int)e->level);
	(void)sqlite3_bind_int(st, 8, e->complete);
	bind_text(st, 9, pp_slice_z(e->format));
	bind_text(st, 10, pp_slice_z(e->source));
	(void)sqlite3_bind_blob64(st, 11, meta.p, meta.n, SQLITE_STATIC);
	(void)sqlite3_bind_int64(st, 12, pp_seal_of_profile(e, series, meta));
	status = finish(s, st, problem);
	return status == PP_OK ? pp_census_add(s, PP_CENSUS_PROFILES, 1, problem) : status;
}

/* The input of a profile, with a seal that says whose it is. */
static pp_status
input_add(struct pp_sqlite *s, const struct pp_store_entry *e, const struct pp_store_item *item,
          struct pp_buf *problem)
{
	struct pp_buf sealed = { 0 };
	sqlite3_stmt *st = statement(s, ADD_ORIGINAL, problem);
	pp_status status;

	if (!st)
		return no_statement(problem);
	pp_buf_add(&sealed, item->parcel.p, item->parcel.n);
	pp_input_seal(pp_slice_of(e->hash, PP_STORE_HASH), &sealed);
	(void)sqlite3_bind_int64(st, 1, (sqlite3_int64)e->id);
	bind_text(st, 2, pp_slice_z(item->source));
	(void)sqlite3_bind_int(st, 3, item->keep);
	(void)sqlite3_bind_blob64(st, 4, sealed.p, sealed.n, SQLITE_STATIC);
	status = sealed.failed ? PP_E_NOMEM : finish(s, st, problem);
	(void)sqlite3_clear_bindings(st);
	pp_buf_release(&sealed);
	return status;
}

static pp_status
item_add(struct pp_sqlite *s, const struct pp_store_item *item, struct pp_buf *problem)
{
	struct pp_store_entry e = { .t0 = item->t0,
		                    .t1 = item->t1,
		                    .format = item->format,
		                    .source = item->source,
		                    .complete = item->complete,
		                    .level = PP_STORE_FRESH };
	int64_t series = 0;
	pp_status status = series_of(s, item->labels, &series, problem);

	memcpy(e.hash, item->hash, PP_STORE_HASH);
	if (status == PP_OK)
		status = pp_sqlite_add_row(s, &e, series, 0, item->meta, problem);
	return status == PP_OK ? input_add(s, &e, item, problem) : status;
}

static pp_status
sqlite_add(struct pp_store *store, const struct pp_store_item *items, size_t n,
           enum pp_store_added *added, struct pp_buf *problem)
{
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	pp_status status = pp_sqlite_begin(s, problem);
	bool known;
	size_t i;

	if (status != PP_OK)
		return status;
	for (i = 0; i < n && status == PP_OK; i++) {
		known = false;
		status = known_find(s, items[i].hash, &known, problem);
		added[i] = known ? PP_STORE_KNOWN : PP_STORE_NEW;
		if (status == PP_OK && !known)
			status = item_add(s, &items[i], problem);
	}
	status = pp_sqlite_end(s, status, problem);
	if (status == PP_OK)
		pp_sqlite_pack_some(s);
	return status;
}

static pp_status
sqlite_has(struct pp_store *store, const uint8_t hash[PP_STORE_HASH], bool *known,
           struct pp_buf *problem)
{
	return known_find((struct pp_sqlite *)store, hash, known, problem);
}

/* ---- finding ---- */

/* A set of labels, and what the conditions say of it. */
struct series {
	const char *labels;
	enum pp_where_result fits;
	bool met;
};

struct finding {
	struct pp_sqlite *s;
	const struct pp_selection *selection;
	struct pp_store_list *list;
	PP_VEC(struct series) series;
	struct pp_map index; /* of series, by number */
	pp_status status;
};

static pp_status
damaged(const struct pp_sqlite *s, struct pp_buf *problem, const char *what)
{
	pp_buf_addf(problem, "%s: the store is damaged: %s", s->path, what);
	return PP_E_INVALID;
}

/* What all conditions together say of labels. */
static enum pp_where_result
labels_judge(const struct pp_selection *selection, const struct pp_label_set *set)
{
	enum pp_where_result all = PP_WHERE_YES;
	size_t i;

	for (i = 0; i < selection->where_count && all != PP_WHERE_NO; i++) {
		enum pp_where_result one = pp_where_match_labels(selection->where[i], set, NULL);

		if (one != PP_WHERE_YES)
			all = one;
		if (one == PP_WHERE_TOO_HARD || one == PP_WHERE_NOMEM)
			break;
	}
	return all;
}

static pp_status
series_take(struct finding *f, sqlite3_stmt *st, struct pp_buf *problem)
{
	struct pp_slice json = pp_slice_of(sqlite3_column_text(st, 1),
	                                   (size_t)sqlite3_column_bytes(st, 1));
	struct pp_label_set set = { 0 };
	struct series series = { .labels = NULL };
	pp_status status = pp_label_set_read(&set, json);

	if (status == PP_OK &&
	    sqlite3_column_int64(st, 2) != pp_seal_of_series(sqlite3_column_int64(st, 0), json))
		status = PP_E_INVALID;
	if (status == PP_E_INVALID)
		status = damaged(f->s, problem, "labels that are not what they were");
	if (status == PP_OK)
		series = (struct series){ pp_store_list_text(f->list, (const char *)json.p, json.n),
			                  labels_judge(f->selection, &set), false };
	pp_label_set_release(&set);
	if (status != PP_OK)
		return status;
	if (series.fits == PP_WHERE_TOO_HARD) {
		pp_buf_adds(problem, "--where: a pattern takes too long");
		return PP_E_LIMIT;
	}
	return series.labels && series.fits != PP_WHERE_NOMEM && f->series.n < PP_MAP_NONE &&
	               pp_map_set(&f->index, (uint64_t)sqlite3_column_int64(st, 0),
	                          (uint32_t)f->series.n) &&
	               pp_vec_push(&f->series, series)
	           ? PP_OK
	           : PP_E_NOMEM;
}

/* Text of a row that lives as long as the list. */
static const char *
text_kept(struct finding *f, const char *text)
{
	return *text ? pp_store_list_text(f->list, text, strlen(text)) : "";
}

static const char *
column_text(sqlite3_stmt *st, int at)
{
	const char *text = (const char *)sqlite3_column_text(st, at);

	return text ? text : "";
}

/*
 * Reads what is sealed of the row of a profile, whose seal is in that column; false when it is not what it was when it was written.
 * Texts are those of the row.
 */
static bool
row_read(sqlite3_stmt *st, int seal, struct pp_store_entry *e)
{
	size_t meta;

	if (sqlite3_column_bytes(st, 1) != PP_STORE_HASH)
		return false;
	memcpy(e->hash, sqlite3_column_blob(st, 1), PP_STORE_HASH);
	e->id = (uint64_t)sqlite3_column_int64(st, 0);
	e->t0 = sqlite3_column_int64(st, 3);
	e->t1 = sqlite3_column_int64(st, 4);
	e->complete = sqlite3_column_int(st, 6) != 0;
	e->format = column_text(st, 7);
	e->source = column_text(st, 8);
	e->meta = column_text(st, 9);
	meta = (size_t)sqlite3_column_bytes(st, 9);
	return sqlite3_column_int64(st, seal) ==
	       pp_seal_of_profile(e, sqlite3_column_int64(st, 2), pp_slice_of(e->meta, meta));
}

/* Says which profile's row is damaged. Its id may be what is damaged. */
static pp_status
row_damaged(const struct finding *f, const struct pp_store_entry *e, const char *what,
            struct pp_buf *problem)
{
	pp_buf_addf(problem, "%s: the store is damaged: %s of profile ", f->s->path, what);
	pp_store_name_put(e->hash, e->labels, problem);
	return PP_E_INVALID;
}

/* Whether a sum has the parts that it was made of, and nothing else has any. Those of earlier versions do not tell how many. */
static bool
parts_are_there(const struct pp_store_entry *e)
{
	uint64_t told = pp_store_meta_profiles(pp_slice_z(e->meta));

	return e->level == PP_STORE_SUM ? e->profiles > 0 && (told == 0 || told == e->profiles)
	                                : told == 0;
}

/* Of what is not in the window its times are checked all the same: damage may have moved it out. */
static pp_status
other_take(struct finding *f, sqlite3_stmt *st, struct pp_buf *problem)
{
	struct pp_store_entry e = { 0 };

	return row_read(st, 10, &e) ? PP_OK : row_damaged(f, &e, "the list entry", problem);
}

static pp_status
profile_take(struct finding *f, sqlite3_stmt *st, struct pp_buf *problem)
{
	uint32_t at = pp_map_get(&f->index, (uint64_t)sqlite3_column_int64(st, 2));
	struct series *series = at == PP_MAP_NONE ? NULL : &f->series.at[at];
	struct pp_store_entry e = { .series = at };
	int level = sqlite3_column_int(st, 5);

	/* Before its labels are believed. */
	if (!row_read(st, 13, &e))
		return row_damaged(f, &e, "the list entry", problem);
	if (!series || level < PP_STORE_FRESH || level > PP_STORE_SUM)
		return row_damaged(f, &e, series ? "the level" : "the labels", problem);
	e.labels = series->labels;
	e.level = (enum pp_store_level)level;
	e.profiles = (uint64_t)sqlite3_column_int64(st, 12);
	if (!parts_are_there(&e))
		return row_damaged(f, &e, "the parts (it is a sum)", problem);
	if (series->fits == PP_WHERE_NO)
		return PP_OK;
	e.format = text_kept(f, e.format);
	e.source = text_kept(f, e.source);
	e.stacks = pp_store_meta_stacks(e.meta);
	e.meta = text_kept(f, e.meta);
	e.kept = sqlite3_column_int(st, 10) == PP_INPUT_KEPT;
	e.is_part = sqlite3_column_int(st, 10) == PP_INPUT_PART;
	e.is_detailed = sqlite3_column_int(st, 10) == PP_INPUT_DETAILS;
	e.bytes = (uint64_t)sqlite3_column_int64(st, 11);
	e.has_extract = level == PP_STORE_FRESH && sqlite3_column_int64(st, 14) == PP_DICT_EXTRACT;
	if (!e.format || !e.source || !e.meta)
		return PP_E_NOMEM;
	if (series->fits == PP_WHERE_DEPENDS && !pp_selection_fits(f->selection, &e))
		return PP_OK;
	f->list->series += !series->met;
	series->met = true;
	return pp_vec_push(&f->list->entries, e) ? PP_OK : PP_E_NOMEM;
}

/* All rows of a statement, each given to `take`. */
static pp_status
rows_take(struct finding *f, int which, struct pp_buf *problem,
          pp_status (*take)(struct finding *, sqlite3_stmt *, struct pp_buf *))
{
	sqlite3_stmt *st = statement(f->s, which, problem);
	pp_status status = st ? PP_OK : no_statement(problem);

	if (st && which != LIST_SERIES && f->selection->has_since)
		(void)sqlite3_bind_int64(st, 1, f->selection->since);
	if (st && which != LIST_SERIES && f->selection->has_until)
		(void)sqlite3_bind_int64(st, 2, f->selection->until);
	if (st && which == LIST_PROFILES)
		(void)sqlite3_bind_int(st, 3, f->selection->weighs);
	while (status == PP_OK && pp_sqlite_step(f->s, st, &status, problem) > 0)
		status = take(f, st, problem);
	if (st)
		(void)sqlite3_reset(st);
	return status;
}

static int
entry_order(const void *left, const void *right, void *context)
{
	const struct pp_store_entry *a = left, *b = right;

	return a->t0 != b->t0 ? (a->t0 > b->t0) - (a->t0 < b->t0)
	                      : memcmp(a->hash, b->hash, PP_STORE_HASH);
}

static pp_status
sqlite_list(struct pp_store *store, const struct pp_selection *selection, struct pp_store_list *out,
            struct pp_buf *problem)
{
	static const struct pp_selection everything = { .where = NULL };
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	struct finding f = { .s = s,
		             .selection = selection ? selection : &everything,
		             .list = out };
	pp_status status = PP_OK;

	*out = (struct pp_store_list){ 0 };
	/* Who reads sees the store as it is now until the end. */
	if (sqlite3_get_autocommit(s->db))
		status = pp_sqlite_run(s, "BEGIN", problem);
	if (status == PP_OK)
		status = rows_take(&f, LIST_SERIES, problem, series_take);
	if (status == PP_OK)
		status = rows_take(&f, LIST_PROFILES, problem, profile_take);
	if (status == PP_OK && (f.selection->has_since || f.selection->has_until))
		status = rows_take(&f, OTHER_PROFILES, problem, other_take);
	/* SQLite would write all columns aside to sort them. */
	if (out->entries.n > 1)
		pp_sort(out->entries.at, out->entries.n, sizeof *out->entries.at, entry_order,
		        NULL);
	if (!s->reading && !sqlite3_get_autocommit(s->db) && !s->writing)
		(void)sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	pp_vec_release(&f.series);
	pp_map_release(&f.index);
	status = pp_sqlite_settled(s, status, problem);
	if (status != PP_OK)
		pp_store_list_release(out);
	return status;
}

/* Whether all profiles are there that must be: whatever is wrong with one of them is seen when it is read. */
static pp_status
sqlite_audit(struct pp_store *store, const struct pp_store_list *list, uint64_t *promised,
             uint64_t *found, struct pp_buf *problem)
{
	size_t i;

	*promised = *found = 0;
	for (i = 0; i < list->entries.n; i++)
		*promised = *found += list->entries.at[i].stacks;
	return pp_census_audit((struct pp_sqlite *)store, problem);
}

/* ---- loading ---- */

pp_status
pp_sqlite_input_open(struct pp_slice hash, struct pp_slice data, struct pp_supply *supply)
{
	*supply = (struct pp_supply){ 0 };
	return pp_input_unseal(hash, &data) ? pp_parcel_open(data, supply) : PP_E_INVALID;
}

static pp_status
input_damaged(const struct pp_sqlite *s, const struct pp_store_entry *e, const char *what,
              struct pp_buf *problem)
{
	pp_buf_addf(problem, "%s: the store is damaged: %s of profile ", s->path, what);
	pp_store_name_put(e->hash, e->labels, problem);
	pp_buf_adds(problem, "; `store remove` removes it");
	return PP_E_INVALID;
}

pp_status
pp_sqlite_load_fresh(struct pp_sqlite *s, const struct pp_store_entry *e, struct pp_supply *supply,
                     struct pp_buf *problem)
{
	sqlite3_stmt *st = statement(s, LOAD_ORIGINAL, problem);
	pp_status status = PP_OK;
	int row;

	*supply = (struct pp_supply){ 0 };
	if (!st)
		return no_statement(problem);
	(void)sqlite3_bind_int64(st, 1, (sqlite3_int64)e->id);
	row = pp_sqlite_step(s, st, &status, problem);
	if (row == 0)
		status = input_damaged(s, e, "no input", problem);
	if (row > 0) {
		const void *data = sqlite3_column_blob(st, 0);

		status = pp_sqlite_input_open(
		    pp_slice_of(e->hash, PP_STORE_HASH),
		    pp_slice_of(data, (size_t)sqlite3_column_bytes(st, 0)), supply);
		if (status == PP_E_INVALID)
			status = input_damaged(s, e, "the input", problem);
	}
	(void)sqlite3_reset(st);
	return status;
}

static pp_status
sqlite_load(struct pp_store *store, const struct pp_store_entry *e, struct pp_supply *supply,
            struct pp_buf *problem)
{
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	pp_status status = e->level == PP_STORE_FRESH || e->kept || e->is_part || e->is_detailed
	                       ? pp_sqlite_load_fresh(s, e, supply, problem)
	                       : pp_sqlite_load_packed(s, e, supply, problem);
	pp_status settled;

	/* With --partial a damaged profile is read from its input, whatever that is stored for. */
	if (status == PP_E_INVALID && store->partial && e->level == PP_STORE_PACKED) {
		struct pp_buf why = { 0 };

		pp_parcel_drop(supply);
		if (pp_sqlite_load_fresh(s, e, supply, &why) == PP_OK) {
			status = PP_OK;
			problem->n = 0;
		}
		pp_buf_release(&why);
	}
	settled = pp_sqlite_settled(s, status, problem);
	if (settled != status)
		pp_parcel_drop(supply);
	return settled;
}

/* ---- removing ---- */

pp_status
pp_sqlite_remove_one(struct pp_sqlite *s, uint64_t id, struct pp_buf *problem)
{
	static const int steps[] = { REMOVE_ORIGINAL, REMOVE_CELLS, REMOVE_PACKED, REMOVE_ROLLED,
		                     REMOVE_PROFILE };
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(steps) && status == PP_OK; i++) {
		sqlite3_stmt *st = statement(s, steps[i], problem);

		if (!st)
			return no_statement(problem);
		(void)sqlite3_bind_int64(st, 1, (sqlite3_int64)id);
		status = finish(s, st, problem);
	}
	/* The profile itself went last, unless somebody else was faster. */
	return status == PP_OK
	           ? pp_census_add(s, PP_CENSUS_PROFILES, -sqlite3_changes(s->db), problem)
	           : status;
}

static pp_status
sqlite_remove(struct pp_store *store, const struct pp_store_list *list, struct pp_buf *problem)
{
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	pp_status status = pp_sqlite_begin(s, problem);
	size_t i;

	if (status != PP_OK)
		return status;
	for (i = 0; i < list->entries.n && status == PP_OK; i++)
		status = pp_sqlite_remove_one(s, list->entries.at[i].id, problem);
	return pp_sqlite_end(s, status, problem);
}

static uint64_t
sqlite_size(struct pp_store *store)
{
	const struct pp_sqlite *s = (const struct pp_sqlite *)store;
	struct pp_buf path = { 0 };
	struct stat st;
	uint64_t size = stat(s->path, &st) == 0 ? (uint64_t)st.st_size : 0;

	pp_buf_addf(&path, "%s-wal", s->path);
	if (!path.failed && stat(path.p, &st) == 0)
		size += (uint64_t)st.st_size;
	pp_buf_release(&path);
	return size;
}

const struct pp_store_engine pp_store_sqlite = {
	.name = "sqlite",
	.library = sqlite3_libversion,
	.mine = pp_sqlite_mine,
	.open = pp_sqlite_open,
	.add = sqlite_add,
	.has = sqlite_has,
	.list = sqlite_list,
	.load = sqlite_load,
	.load_extract = pp_sqlite_load_extract,
	.load_costs = pp_sqlite_load_costs,
	.load_all = pp_sqlite_load_all,
	.load_most = pp_sqlite_load_most,
	.audit = sqlite_audit,
	.remove = sqlite_remove,
	.compact = pp_sqlite_compact,
	.gc = pp_sqlite_gc,
	.tidy = pp_sqlite_tidy,
	.check = pp_sqlite_check,
	.size = sqlite_size,
	.sql = sqlite_sql,
	.close = pp_sqlite_close,
};
