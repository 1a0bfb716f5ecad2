/*
 * Questions through the public API: parameters by name, answers as tables.
 */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/meter.h"
#include "base/slice.h"
#include "output/render.h"
#include "questions/question.h"
#include "questions/scope.h"

#define WIDTH 80

/* A column of a table as callers count them: those of metrics are one each. */
struct reply_column {
	const struct pp_answer_column *column;
	size_t arg;
	struct pp_text name, group;
};

struct reply_table {
	const struct pp_answer_table *table;
	struct reply_column *columns;
	size_t n;
};

struct pp_reply {
	struct pp_asking asking;
	struct pp_view views[2];
	struct pp_topic topics[2];
	struct pp_subject subject;
	PP_VEC(struct reply_table) tables;
	struct pp_buf made; /* the text of the cell that was asked for last */
};

/* ---- asking ---- */

/* Sets "name=value"; false with a note. */
static bool
param_set(struct pp_reply *r, const char *param, struct pp_buf *problem)
{
	const char *equals = strchr(param, '=');
	struct pp_slice name = pp_slice_of(param, equals ? (size_t)(equals - param) : 0);

	if (!equals || name.n == 0) {
		pp_buf_addf(problem, "a parameter is NAME=VALUE, not '%s'", param);
		return false;
	}
	return pp_asking_set(&r->asking, pp_answer_copy(&r->asking.answer, name), equals + 1,
	                     problem);
}

static pp_status
params_set(struct pp_reply *r, const char *const *params)
{
	struct pp_buf problem = { 0 };
	pp_status status = PP_OK;

	for (; params && *params && status == PP_OK; params++)
		if (!param_set(r, *params, &problem))
			status = problem.n ? pp_answer_fail(&r->asking.answer, PP_E_USAGE,
			                                    "wrong-parameter", "%s", problem.p)
			                   : PP_E_NOMEM;
	pp_buf_release(&problem);
	return status;
}

/* What the question is asked of: what filters leave, and stacks that are estimated where there are none. */
static pp_status
topics_make(struct pp_reply *r, const struct pp_profile *const profiles[2])
{
	static const struct pp_scope everything = { .depth = PP_UNSET };
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	struct pp_want want = pp_asking_want(&r->asking);
	struct pp_seen_for seen = { want.stacks, want.min_share, r->asking.params->metric };
	size_t i;

	for (i = 0; i < 2 && profiles[i]; i++) {
		pp_status status;

		pp_view_init(&r->views[i], profiles[i]);
		status = pp_scope_apply(scope ? scope : &everything, &r->views[i], &seen,
		                        &r->asking.answer);
		if (status != PP_OK)
			return status;
		r->topics[i] = (struct pp_topic){ .profile = r->views[i].shown };
	}
	r->subject = (struct pp_subject){ .topics = r->topics, .n = i, .split = 1 };
	return PP_OK;
}

static bool
columns_list(struct pp_reply *r, struct reply_table *t)
{
	struct pp_answer *a = &r->asking.answer;
	size_t i, m, room = 0;

	for (i = 0; i < t->table->column_count; i++) {
		const struct pp_answer_column *c = &t->table->columns[i];

		room += c->each ? c->each->metrics.n : 1;
	}
	t->columns = pp_answer_alloc(a, (room + 1) * sizeof *t->columns);
	for (i = 0; t->columns && i < t->table->column_count; i++) {
		const struct pp_answer_column *c = &t->table->columns[i];
		struct pp_text key = { c->key, c->key ? strlen(c->key) : 0 };
		struct pp_text group = { c->group ? c->group : "",
			                 c->group ? strlen(c->group) : 0 };

		if (!c->key || (c->flags & PP_COLUMN_NO_JSON))
			continue;
		if (!c->each)
			t->columns[t->n++] = (struct reply_column){ c, c->arg, key, group };
		for (m = 0; c->each && m < c->each->metrics.n; m++) {
			struct pp_buf label = { 0 };
			const char *name;

			pp_metric_label(c->each, &c->each->metrics.at[m], &label);
			name = pp_answer_copy(a, pp_slice_of(label.p ? label.p : "", label.n));
			t->columns[t->n++] = (struct reply_column){ c, m, { name, label.n }, key };
			pp_buf_release(&label);
		}
	}
	return t->columns != NULL;
}

/* Lists the tables that have a name and whose rows can be looked up. */
static bool
tables_list(struct pp_reply *r)
{
	size_t i;

	for (i = 0; i < r->asking.answer.items.n; i++) {
		const struct pp_item *item = &r->asking.answer.items.at[i];
		struct reply_table t = { .table = &item->table };

		if (item->kind != PP_ITEM_TABLE || !item->table.key || item->table.next)
			continue;
		if (!columns_list(r, &t) || !pp_vec_push(&r->tables, t))
			return false;
	}
	return true;
}

static pp_status
ask(struct pp_reply *r, const struct pp_profile *const profiles[2], const char *const *params)
{
	pp_status status = params_set(r, params);

	if (status == PP_OK)
		status = topics_make(r, profiles);
	if (status == PP_OK)
		status = pp_asking_run(&r->asking, &r->subject);
	if (status == PP_OK && !tables_list(r))
		status = PP_E_NOMEM;
	return status;
}

pp_status
pp_ask_pair(const pp_profile *before, const pp_profile *after, const char *question,
            const char *const *params, pp_answer **out)
{
	const struct pp_question *q = question ? pp_question_find(question) : NULL;
	const struct pp_profile *const profiles[2] = { before, after };
	struct pp_meter meter;
	struct pp_reply *r;
	pp_status status;

	*out = NULL;
	if (!before || !q)
		return PP_E_USAGE;
	pp_meter_start(&meter, before->memory.limit,
	               before->memory.used + (after ? after->memory.used : 0));
	r = calloc(1, sizeof *r);
	status = r && pp_asking_init(&r->asking, q) ? PP_OK : PP_E_NOMEM;
	if (status == PP_OK) {
		r->asking.params->exact = true;
		status = ask(r, profiles, params);
	}
	if (status == PP_E_NOMEM)
		pp_answer_free(r);
	else
		*out = r;
	return pp_meter_stop(&meter, status);
}

pp_status
pp_ask(const pp_profile *p, const char *question, const char *const *params, pp_answer **out)
{
	return pp_ask_pair(p, NULL, question, params, out);
}

void
pp_answer_free(pp_answer *r)
{
	size_t i;

	if (!r)
		return;
	pp_asking_release(&r->asking);
	for (i = 0; i < 2; i++)
		pp_view_release(&r->views[i]);
	pp_vec_release(&r->tables);
	pp_buf_release(&r->made);
	free(r);
}

/* ---- which there are ---- */

size_t
pp_question_count(void)
{
	size_t n = 0;

	while (pp_questions[n])
		n++;
	return n;
}

const char *
pp_question_get(size_t index)
{
	return index < pp_question_count() ? pp_questions[index]->name : NULL;
}

const char *
pp_question_about(size_t index)
{
	return index < pp_question_count() ? pp_questions[index]->summary : NULL;
}

/* ---- notes ---- */

size_t
pp_answer_note_count(const pp_answer *r)
{
	return r->asking.answer.notes.n;
}

static const struct pp_answer_note *
note_at(const pp_answer *r, size_t note)
{
	static const struct pp_answer_note none = { PP_NOTE, "", "" };

	return note < r->asking.answer.notes.n ? &r->asking.answer.notes.at[note] : &none;
}

pp_severity
pp_answer_note_severity(const pp_answer *r, size_t note)
{
	return note_at(r, note)->severity;
}

const char *
pp_answer_note_rule(const pp_answer *r, size_t note)
{
	return note_at(r, note)->rule;
}

const char *
pp_answer_note_text(const pp_answer *r, size_t note)
{
	return note_at(r, note)->text;
}

/* ---- tables ---- */

static const struct reply_table *
table_at(const pp_answer *r, size_t table)
{
	static const struct pp_answer_table nothing = { .key = "" };
	static const struct reply_table none = { .table = &nothing };

	return table < r->tables.n ? &r->tables.at[table] : &none;
}

static const struct reply_column *
column_at(const pp_answer *r, size_t table, size_t column)
{
	static const struct reply_column none = { .name = { "", 0 }, .group = { "", 0 } };
	const struct reply_table *t = table_at(r, table);

	return column < t->n ? &t->columns[column] : &none;
}

size_t
pp_answer_tables(const pp_answer *r)
{
	return r->tables.n;
}

const char *
pp_answer_table_name(const pp_answer *r, size_t table)
{
	return table_at(r, table)->table->key;
}

size_t
pp_answer_rows(const pp_answer *r, size_t table)
{
	return table_at(r, table)->table->window.n;
}

size_t
pp_answer_rows_in_all(const pp_answer *r, size_t table)
{
	return table_at(r, table)->table->rows;
}

size_t
pp_answer_columns(const pp_answer *r, size_t table)
{
	return table_at(r, table)->n;
}

struct pp_text
pp_answer_column_name(const pp_answer *r, size_t table, size_t column)
{
	return column_at(r, table, column)->name;
}

struct pp_text
pp_answer_column_group(const pp_answer *r, size_t table, size_t column)
{
	return column_at(r, table, column)->group;
}

/* A number that is text already: all its digits, and what they are worth. */
static struct pp_number
number_of_text(struct pp_slice text)
{
	struct pp_number number = { .text = "0" };

	if (text.n >= sizeof number.text)
		return number;
	memcpy(number.text, text.p, text.n);
	number.text[text.n] = '\0';
	(void)pp_num_double(text, &number.value);
	number.is_integer = pp_num_i64(text, &number.integer);
	return number;
}

static struct pp_cell
cell_of(enum pp_as as, const struct pp_datum *d)
{
	struct pp_cell cell = { .kind = PP_CELL_NUMBER };
	char text[PP_NUM_MAX];
	size_t n = 0;

	switch (as) {
	case PP_AS_NAME:
	case PP_AS_TEXT:
	case PP_AS_LABEL:
		cell.kind = PP_CELL_TEXT;
		cell.text = (struct pp_text){ (const char *)d->text.p, d->text.n };
		return cell;
	case PP_AS_BOOL:
		cell.kind = PP_CELL_BOOL;
		cell.yes = d->yes;
		return cell;
	case PP_AS_COUNT:
	case PP_AS_BYTES:
		n = pp_num_print(text, (pp_i128)d->count, 0);
		break;
	case PP_AS_INT:
	case PP_AS_TIME:
		n = pp_num_print(text, (pp_i128)d->whole, 0);
		break;
	case PP_AS_VALUE:
		n = pp_value_print(d->metric, d->value, text);
		break;
	case PP_AS_REAL:
	case PP_AS_AMOUNT:
	case PP_AS_SHARE:
	case PP_AS_BAR:
		n = pp_num_print_double(text, d->part);
		break;
	case PP_AS_RAW:
		cell.number = number_of_text(d->text);
		return cell;
	}
	cell.number = number_of_text(pp_slice_of(text, n));
	return cell;
}

struct pp_cell
pp_answer_cell(pp_answer *r, size_t table, size_t row, size_t column)
{
	const struct reply_table *t = table_at(r, table);
	const struct reply_column *c = column_at(r, table, column);
	struct pp_datum d = { .made = &r->made };

	r->made.n = 0;
	if (!c->column || row >= t->table->window.n)
		return (struct pp_cell){ .kind = PP_CELL_UNKNOWN };
	pp_answer_get(t->table, c->column, t->table->window.first + row, c->arg, &d);
	if (!d.known)
		return (struct pp_cell){ .kind = PP_CELL_UNKNOWN };
	return d.null ? (struct pp_cell){ .kind = PP_CELL_NULL } : cell_of(c->column->as, &d);
}

/* ---- rendering ---- */

pp_status
pp_answer_render(const pp_answer *r, pp_rendering_form form, char **text, size_t *size)
{
	static const enum pp_form forms[] = { [PP_RENDER_TEXT] = PP_FORM_TEXT,
		                              [PP_RENDER_JSON] = PP_FORM_JSON,
		                              [PP_RENDER_CSV] = PP_FORM_CSV,
		                              [PP_RENDER_MARKDOWN] = PP_FORM_MARKDOWN };
	struct pp_render_opts opts = { .style = { .width = WIDTH } };
	struct pp_buf bytes = { 0 };
	struct pp_sink *out;
	pp_status status;

	*text = NULL;
	*size = 0;
	if ((unsigned)form >= PP_COUNT_OF(forms))
		return PP_E_USAGE;
	opts.form = forms[form];
	status = pp_sink_buffer(&bytes, &out);
	if (status != PP_OK)
		return status;
	status = pp_render(&r->asking.answer, &opts, out, NULL);
	if (status == PP_OK)
		status = pp_sink_commit(out);
	pp_sink_close(out);
	if (status == PP_OK) {
		pp_buf_add(&bytes, "", 0);
		*text = (char *)bytes.p;
		*size = bytes.n;
	} else {
		pp_buf_release(&bytes);
	}
	return status;
}
