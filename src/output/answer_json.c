/*
 * An answer as one JSON object: what has a key, in the order in which it was given.
 */
#include "output/render.h"

/* ---- data ---- */

static void
key_put(struct pp_json *j, const char *key)
{
	if (key)
		pp_json_key(j, key);
}

static void
datum_put(struct pp_json *j, const char *key, enum pp_as as, const struct pp_datum *d)
{
	char number[PP_NUM_MAX];

	if (as == PP_AS_NAME && key) {
		pp_json_put_name(j, key, d->text);
		return;
	}
	if (d->key.n)
		pp_json_key_text(j, d->key);
	else
		key_put(j, key);
	if (d->null) {
		pp_json_null(j);
		return;
	}
	switch (as) {
	case PP_AS_NAME:
	case PP_AS_TEXT:
	case PP_AS_LABEL:
		pp_json_text(j, d->text);
		break;
	case PP_AS_RAW:
		pp_json_raw_text(j, d->text);
		break;
	case PP_AS_COUNT:
	case PP_AS_BYTES:
		pp_json_u64(j, d->count);
		break;
	case PP_AS_INT:
	case PP_AS_TIME:
		pp_json_i64(j, d->whole);
		break;
	case PP_AS_VALUE:
		pp_json_raw(j, number, pp_value_print(d->metric, d->value, number));
		break;
	case PP_AS_AMOUNT:
	case PP_AS_REAL:
		pp_json_raw(j, number, pp_num_print_double(number, d->part));
		break;
	case PP_AS_SHARE:
	case PP_AS_BAR:
		pp_json_raw(j, number,
		            pp_num_print_double(number, d->all > 0 ? d->part / d->all : 0));
		break;
	case PP_AS_BOOL:
		pp_json_bool(j, d->yes);
		break;
	}
}

/* {"METRIC": value, ...} */
static void
each_put(struct pp_rendering *r, struct pp_json *j, const struct pp_answer_table *t,
         const struct pp_answer_column *column, size_t row)
{
	bool open = !(column->flags & PP_COLUMN_MAYBE);
	size_t m;

	if (open)
		pp_json_put_object(j, column->key);
	for (m = 0; m < pp_metrics_shown(column->each); m++) {
		if (!pp_column_has(column, m) || !pp_rendering_get(r, t, column, row, m))
			continue;
		if (!open)
			pp_json_put_object(j, column->key);
		open = true;
		datum_put(j, pp_rendering_label(r, column->each, m), column->as, &r->datum);
	}
	if (open)
		pp_json_end_object(j);
}

/* ---- rows ---- */

/* The members of a row; the object is begun and ended by the caller. */
static void
members_put(struct pp_rendering *r, struct pp_json *j, const struct pp_answer_table *t, size_t row)
{
	const char *group = NULL; /* that is open */
	size_t c;

	for (c = 0; c < t->column_count; c++) {
		const struct pp_answer_column *column = &t->columns[c];
		bool known;

		if (!column->key || column->flags & PP_COLUMN_NO_JSON)
			continue;
		if (group && (!column->group || strcmp(group, column->group) != 0)) {
			pp_json_end_object(j);
			group = NULL;
		}
		known = column->each || pp_rendering_get(r, t, column, row, column->arg);
		if (column->group && !group && (known || column->flags & PP_COLUMN_KEEP_GROUP)) {
			pp_json_put_object(j, column->group);
			group = column->group;
		}
		if (column->each)
			each_put(r, j, t, column, row);
		else if (known)
			datum_put(j, column->key, column->as, &r->datum);
	}
	if (group)
		pp_json_end_object(j);
}

/* The walk over the rows of a table, some of them inside others. */
struct walk {
	struct pp_rendering *r;
	struct pp_json *j;
	const struct pp_answer_table *table;
	uint32_t open;  /* rows that are begun and not ended, one on each level */
	bool has_array; /* the innermost of them has begun its array */
};

static void
row_close(struct walk *w)
{
	if (w->has_array)
		pp_json_end_array(w->j);
	pp_json_end_object(w->j);
	w->open--;
	w->has_array = true; /* the one around it had to begin its own */
}

/* Begins a row; false when it does not fit the budget, and nothing is printed then. */
static bool
row_open(struct walk *w, size_t row)
{
	const struct pp_answer_table *t = w->table;
	uint32_t level = t->place ? t->place(t->data, row).level : 0;
	struct pp_json j;

	while (w->open > level)
		row_close(w);
	j = *w->j;
	j.out = pp_rendering_row(w->r);
	if (w->open > 0 && !w->has_array)
		pp_json_put_array(&j, t->nested);
	pp_json_begin_object(&j);
	members_put(w->r, &j, t, row);
	if (t->flags & PP_TABLE_NESTED)
		pp_json_put_array(&j, t->nested);
	if (!pp_rendering_row_end(w->r, 3))
		return false;
	w->j->comma = j.comma;
	w->open++;
	w->has_array = t->flags & PP_TABLE_NESTED;
	return true;
}

static void
table_put(struct pp_rendering *r, struct pp_json *j, const struct pp_answer_table *t)
{
	struct walk w = { .r = r, .j = j, .table = t };
	size_t shown = 0;
	int more = 1;

	key_put(j, t->key);
	if (!(t->flags & PP_TABLE_OBJECT))
		pp_json_begin_array(j);
	while (j->out->status == PP_OK && !(r->purse.bounded && r->purse.empty)) {
		if (t->next)
			more = t->next((void *)(uintptr_t)t->data);
		else
			more = shown < t->window.n;
		if (more <= 0 || !row_open(&w, t->window.first + shown))
			break;
		shown++;
	}
	if (more < 0)
		pp_rendering_failed(r);
	while (w.open > 0)
		row_close(&w);
	if (!(t->flags & PP_TABLE_OBJECT))
		pp_json_end_array(j);
	else if (shown == 0)
		pp_json_null(j);
	pp_rendering_cut(r, t, shown);
}

/* ---- the list ---- */

static void
field_put(struct pp_rendering *r, struct pp_json *j, const struct pp_item *item)
{
	struct pp_datum d = item->datum;

	if (r->purse.bounded && item->as <= PP_AS_LABEL)
		d.text = pp_budget_clip(d.text, &r->clip);
	datum_put(j, item->key, item->as, &d);
}

static void
items_put(struct pp_rendering *r, struct pp_json *j)
{
	const struct pp_answer *a = r->answer;
	size_t i;

	for (i = 0; i < a->items.n; i++) {
		const struct pp_item *item = &a->items.at[i];

		switch (item->kind) {
		case PP_ITEM_FIELD:
			field_put(r, j, item);
			break;
		case PP_ITEM_OPEN:
			key_put(j, item->key);
			pp_json_begin_object(j);
			break;
		case PP_ITEM_CLOSE:
			pp_json_end_object(j);
			break;
		case PP_ITEM_OPEN_LIST:
			key_put(j, item->key);
			pp_json_begin_array(j);
			break;
		case PP_ITEM_CLOSE_LIST:
			pp_json_end_array(j);
			break;
		case PP_ITEM_TABLE:
			if (item->key)
				table_put(r, j, &item->table);
			break;
		case PP_ITEM_SAID:
		case PP_ITEM_LINE:
		case PP_ITEM_PARAGRAPH:
		case PP_ITEM_FINDINGS:
			break;
		}
	}
}

static void
object_put(struct pp_rendering *r, struct pp_json *j)
{
	char page[PP_NUM_MAX];

	pp_json_begin_object(j);
	items_put(r, j);
	if (r->purse.bounded && r->cut.rows > 0) {
		pp_json_put_object(j, "cut");
		pp_json_put_u64(j, "rows", r->cut.rows);
		pp_json_put_object(j, "next");
		pp_json_put_text(j, "page",
		                 pp_slice_of(page, pp_num_print(page, (pp_i128)r->cut.next, 0)));
		pp_json_end_object(j);
		pp_json_end_object(j);
	}
	pp_json_end_object(j);
}

void
pp_answer_print_json(struct pp_rendering *r)
{
	struct pp_json j;

	pp_json_init(&j, r->out, PP_JSON_SPACED);
	j.spelled = true;
	object_put(r, &j);
	pp_json_end_line(&j);
}
