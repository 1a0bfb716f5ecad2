/*
 * An answer as data.
 */
#include "questions/answer.h"

#include "analysis/demangle.h"
#include "analysis/remap.h"
#include "formats/format.h"
#include "questions/question.h"
#include "text/escape.h"
#include "text/suggest.h"
#include "text/units.h"

void
pp_answer_init(struct pp_answer *a)
{
	*a = (struct pp_answer){ .failed = false };
}

void
pp_answer_clear(struct pp_answer *a)
{
	while (a->owned.n > 0) {
		struct pp_owned *owned = &a->owned.at[--a->owned.n];

		owned->release(owned->data);
	}
	a->items.n = a->hints.n = a->candidates.n = 0;
	a->needs_stacks = false;
}

void
pp_answer_release(struct pp_answer *a)
{
	pp_answer_clear(a);
	pp_vec_release(&a->owned);
	pp_vec_release(&a->items);
	pp_vec_release(&a->notes);
	pp_vec_release(&a->candidates);
	pp_vec_release(&a->hints);
	pp_arena_release(&a->arena);
}

/* ---- memory ---- */

void *
pp_answer_alloc(struct pp_answer *a, size_t n)
{
	void *p = pp_arena_alloc(&a->arena, n);

	if (p)
		memset(p, 0, n);
	a->failed |= !p;
	return p;
}

void *
pp_answer_own(struct pp_answer *a, size_t n, void (*release)(void *))
{
	void *p = pp_answer_alloc(a, n);

	if (p && !pp_vec_push(&a->owned, (struct pp_owned){ p, release })) {
		a->failed = true;
		return NULL;
	}
	return p;
}

const char *
pp_answer_copy(struct pp_answer *a, struct pp_slice text)
{
	const char *copy = pp_arena_copy(&a->arena, text.p, text.n);

	a->failed |= !copy;
	return copy ? copy : "";
}

const char *
pp_answer_made(struct pp_answer *a, const struct pp_buf *text)
{
	a->failed |= text->failed;
	return text->p ? text->p : "";
}

/* Takes the text of a buffer and frees that. */
static const char *
buf_take(struct pp_answer *a, struct pp_buf *text)
{
	const char *copy = pp_answer_copy(a, pp_slice_of(pp_answer_made(a, text), text->n));

	pp_buf_release(text);
	return copy;
}

/* ---- fields ---- */

static void
item_add(struct pp_answer *a, const struct pp_item *item)
{
	a->failed |= !pp_vec_push(&a->items, *item);
}

static void
field_add(struct pp_answer *a, const char *key, enum pp_as as, const struct pp_datum *datum)
{
	struct pp_item item = { .kind = PP_ITEM_FIELD, .key = key, .as = as, .datum = *datum };

	item.datum.known = true;
	item_add(a, &item);
}

void
pp_answer_text(struct pp_answer *a, const char *key, enum pp_as as, struct pp_slice text)
{
	field_add(a, key, as,
	          &(struct pp_datum){ .text = pp_slice_of(pp_answer_copy(a, text), text.n) });
}

void
pp_answer_textz(struct pp_answer *a, const char *key, const char *text)
{
	pp_answer_text(a, key, PP_AS_TEXT, pp_slice_z(text));
}

void
pp_answer_count(struct pp_answer *a, const char *key, uint64_t count)
{
	field_add(a, key, PP_AS_COUNT, &(struct pp_datum){ .count = count });
}

void
pp_answer_int(struct pp_answer *a, const char *key, int64_t whole)
{
	field_add(a, key, PP_AS_INT, &(struct pp_datum){ .whole = whole });
}

void
pp_answer_bool(struct pp_answer *a, const char *key, bool yes)
{
	field_add(a, key, PP_AS_BOOL, &(struct pp_datum){ .yes = yes });
}

void
pp_answer_real(struct pp_answer *a, const char *key, double real)
{
	field_add(a, key, PP_AS_REAL, &(struct pp_datum){ .part = real });
}

void
pp_answer_value(struct pp_answer *a, const char *key, const struct pp_profile *p, size_t metric,
                union pp_value value)
{
	char text[PP_NUM_MAX];
	size_t n = pp_value_print(&p->metrics.at[metric], value, text);

	pp_answer_text(a, key, PP_AS_RAW, pp_slice_of(text, n));
}

void
pp_answer_total(struct pp_answer *a, const struct pp_profile *p, size_t metric,
                union pp_value total)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value idle = pp_profile_aside(p, metric).idle;

	pp_answer_value(a, "total", p, metric, pp_value_with_idle(p, metric, total));
	if (metric < p->aside.n && !pp_value_is_zero(m, idle))
		pp_answer_value(a, "idle", p, metric, idle);
}

void
pp_answer_metric(struct pp_answer *a, const char *key, const struct pp_profile *p, size_t metric)
{
	struct pp_buf label = { 0 };
	size_t n;

	pp_metric_label(p, &p->metrics.at[metric], &label);
	n = label.n;
	field_add(a, key, PP_AS_TEXT,
	          &(struct pp_datum){ .text = pp_slice_of(buf_take(a, &label), n) });
}

void
pp_answer_func(struct pp_answer *a, const struct pp_profile *p, pp_func id)
{
	const struct pp_func_row *func = &p->funcs.at[id];
	struct pp_buf made = { 0 };
	struct pp_slice other;

	pp_answer_text(a, "name", PP_AS_NAME, pp_text_of(p, func->name));
	other = pp_func_other_name(p, id, &made);
	if (other.n)
		pp_answer_text(a, pp_func_mangled(p, id).n ? "mangled" : "demangled", PP_AS_NAME,
		               other);
	pp_buf_release(&made);
	if (func->file)
		pp_answer_text(a, "file", PP_AS_NAME, pp_text_of(p, func->file));
	if (func->line)
		pp_answer_count(a, "line", func->line);
	if (func->column)
		pp_answer_count(a, "column", func->column);
	if (func->module)
		pp_answer_text(a, "module", PP_AS_NAME,
		               pp_text_of(p, p->modules.at[func->module].name));
}

void
pp_answer_source(struct pp_answer *a, const struct pp_profile *p)
{
	pp_answer_textz(a, "format", pp_format_name(p->format));
	pp_answer_bool(a, "complete", p->complete);
}

void
pp_answer_unit(struct pp_answer *a, const struct pp_profile *p, size_t metric)
{
	if (metric >= p->metrics.n)
		return;
	pp_answer_metric(a, "metric", p, metric);
	if (pp_profile_aside(p, metric).attributed)
		pp_answer_bool(a, "attributed", true);
	pp_answer_text(a, "unit", PP_AS_TEXT, pp_text_of(p, p->metrics.at[metric].unit));
}

void
pp_answer_units(struct pp_answer *a, const struct pp_profile *p)
{
	size_t i;

	if (pp_metrics_shown(p) < 2)
		return;
	pp_answer_open(a, "units");
	for (i = 0; i < pp_metrics_shown(p); i++) {
		struct pp_buf label = { 0 };

		pp_metric_label(p, &p->metrics.at[i], &label);
		pp_answer_text(a, buf_take(a, &label), PP_AS_TEXT,
		               pp_text_of(p, p->metrics.at[i].unit));
	}
	pp_answer_close(a);
}

void
pp_answer_open(struct pp_answer *a, const char *key)
{
	item_add(a, &(struct pp_item){ .kind = PP_ITEM_OPEN, .key = key });
}

void
pp_answer_close(struct pp_answer *a)
{
	item_add(a, &(struct pp_item){ .kind = PP_ITEM_CLOSE });
}

void
pp_answer_open_list(struct pp_answer *a, const char *key)
{
	item_add(a, &(struct pp_item){ .kind = PP_ITEM_OPEN_LIST, .key = key });
}

void
pp_answer_close_list(struct pp_answer *a)
{
	item_add(a, &(struct pp_item){ .kind = PP_ITEM_CLOSE_LIST });
}

void
pp_answer_raw(struct pp_answer *a, const char *key, struct pp_buf *text)
{
	size_t n = text->n;

	field_add(a, key, PP_AS_RAW,
	          &(struct pp_datum){ .text = pp_slice_of(buf_take(a, text), n) });
}

/* ---- tables ---- */

struct pp_window
pp_answer_window(const struct pp_answer *a, size_t rows, size_t usual)
{
	return pp_budget_window(&a->budget, rows, a->exact ? 0 : usual);
}

const struct pp_answer_table *
pp_answer_table(struct pp_answer *a, const struct pp_answer_table *table)
{
	static const struct pp_budget all = { 0 };
	struct pp_item item = { .kind = PP_ITEM_TABLE, .key = table->key, .table = *table };

	item.table.window =
	    table->flags & PP_TABLE_WHOLE
	        ? pp_budget_window(&all, table->rows, 0)
	        : pp_budget_window(&a->budget, table->rows,
	                           a->exact && !(table->flags & PP_TABLE_USUAL) ? 0 : table->usual);
	item_add(a, &item);
	return a->failed ? NULL : &a->items.at[a->items.n - 1].table;
}

/* FILE:LINE, else the module. */
static void
place_make(struct pp_datum *d, const struct pp_profile *p, const struct pp_func_row *func)
{
	if (func->file) {
		pp_escape_terminal(d->made, pp_text_of(p, func->file));
		if (func->line)
			pp_buf_addf(d->made, ":%u", func->line);
		if (func->line && func->column)
			pp_buf_addf(d->made, ":%u", func->column);
	} else if (func->module) {
		pp_escape_terminal(d->made, pp_text_of(p, p->modules.at[func->module].name));
	} else if (func->line) {
		pp_buf_addf(d->made, "line %u", func->line);
	}
	pp_datum_made(d);
}

static void
member_get(const struct pp_answer_column *column, const void *member, struct pp_datum *d)
{
	const char *text = column->member == PP_MEMBER_TEXT ? *(const char *const *)member : NULL;

	if (text)
		pp_datum_text(d, pp_slice_z(text));
	if (column->member == PP_MEMBER_COUNT)
		pp_datum_count(d, *(const uint64_t *)member);
	d->known = text || (d->count > 0 && d->count != PP_NO_OFFSET);
}

/* The name beside the name, where that is of the kind asked for. */
static void
other_name_get(struct pp_datum *d, const struct pp_profile *p, pp_func func, enum pp_func_part part)
{
	bool mangled = pp_func_mangled(p, func).n > 0;

	if (mangled == (part == PP_PART_MANGLED))
		pp_datum_text(d, pp_func_other_name(p, func, d->made));
	d->known = d->known && d->text.n > 0;
}

/* What a function is in a generated script. */
static void
generated_get(struct pp_datum *d, const struct pp_profile *p, pp_func func, enum pp_func_part part)
{
	const struct pp_generated_row *row = pp_func_generated(p, func);

	if (!row)
		return;
	if (part == PP_PART_GENERATED_NAME || part == PP_PART_GENERATED_FILE)
		pp_datum_text(
		    d, pp_text_of(p, part == PP_PART_GENERATED_NAME ? row->name : row->file));
	else
		pp_datum_count(d, part == PP_PART_GENERATED_LINE ? row->line : row->column);
}

void
pp_answer_get(const struct pp_answer_table *t, const struct pp_answer_column *column, size_t row,
              size_t arg, struct pp_datum *d)
{
	const struct pp_func_row *func;
	const struct pp_profile *p;
	pp_func id;

	if (column->member != PP_MEMBER_NONE) {
		const char *record = t->records ? t->records[row]
		                                : (const char *)t->data + row * t->record_size;

		member_get(column, record + column->arg, d);
		return;
	}
	if (column->part == PP_PART_NONE) {
		column->get(t->data, row, arg, d);
		return;
	}
	id = t->func(t->data, row, &p);
	func = &p->funcs.at[id];
	switch (column->part) {
	case PP_PART_NONE:
		break;
	case PP_PART_NAME:
		pp_datum_text(d, pp_text_of(p, func->name));
		break;
	case PP_PART_DEMANGLED:
	case PP_PART_MANGLED:
		other_name_get(d, p, id, column->part);
		break;
	case PP_PART_FILE:
		pp_datum_text(d, pp_text_of(p, func->file));
		d->known = func->file != 0;
		break;
	case PP_PART_LINE:
		pp_datum_count(d, func->line);
		d->known = func->line != 0;
		break;
	case PP_PART_COLUMN:
		pp_datum_count(d, func->column);
		d->known = func->column != 0;
		break;
	case PP_PART_MODULE:
		pp_datum_text(d, pp_text_of(p, p->modules.at[func->module].name));
		d->known = func->module != 0;
		break;
	case PP_PART_GENERATED_NAME:
	case PP_PART_GENERATED_FILE:
	case PP_PART_GENERATED_LINE:
	case PP_PART_GENERATED_COLUMN:
		generated_get(d, p, id, column->part);
		break;
	case PP_PART_PLACE:
		place_make(d, p, func);
		break;
	}
}

/* ---- for people ---- */

static void
said_add(struct pp_answer *a, enum pp_ink ink, struct pp_buf *text)
{
	struct pp_item item = { .kind = PP_ITEM_SAID };
	size_t n = text->n;

	item.datum.ink = ink;
	item.datum.text = pp_slice_of(buf_take(a, text), n);
	if (n > 0)
		item_add(a, &item);
}

void
pp_answer_say(struct pp_answer *a, enum pp_ink ink, const char *fmt, ...)
{
	struct pp_buf text = { 0 };
	va_list args;

	va_start(args, fmt);
	pp_buf_vaddf(&text, fmt, args);
	va_end(args);
	said_add(a, ink, &text);
}

void
pp_answer_say_name(struct pp_answer *a, enum pp_ink ink, struct pp_slice name)
{
	struct pp_buf text = { 0 };

	pp_escape_terminal(&text, name);
	said_add(a, ink, &text);
}

void
pp_answer_line(struct pp_answer *a, const char *key, enum pp_ink ink, struct pp_slice bytes)
{
	struct pp_item item = { .kind = PP_ITEM_LINE, .key = key };
	struct pp_buf text = { 0 };
	size_t n;

	pp_escape_terminal(&text, bytes);
	n = text.n;
	item.datum.ink = ink;
	item.datum.text = pp_slice_of(buf_take(a, &text), n);
	if (n > 0)
		item_add(a, &item);
}

void
pp_answer_paragraph(struct pp_answer *a, const char *text, size_t indent)
{
	struct pp_item item = { .kind = PP_ITEM_PARAGRAPH, .count = indent };

	item.datum.text = pp_slice_z(pp_answer_copy(a, pp_slice_z(text)));
	item_add(a, &item);
}

bool
pp_answer_has_said(const struct pp_answer *a)
{
	size_t i;

	for (i = 0; i < a->items.n; i++)
		if (a->items.at[i].kind == PP_ITEM_SAID)
			return true;
	return false;
}

/* ---- notes ---- */

static void
note_add(struct pp_answer *a, pp_severity severity, const char *rule, const char *fmt, va_list args)
{
	struct pp_answer_note note = { severity, rule, NULL };
	struct pp_buf text = { 0 };

	pp_buf_vaddf(&text, fmt, args);
	note.text = buf_take(a, &text);
	a->failed |= !pp_vec_push(&a->notes, note);
	if (a->tell)
		a->tell(a->tell_ctx, &note);
}

void
pp_answer_note(struct pp_answer *a, const char *rule, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	note_add(a, PP_NOTE, rule, fmt, args);
	va_end(args);
}

pp_status
pp_answer_fail(struct pp_answer *a, pp_status status, const char *rule, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	note_add(a, PP_ERROR, rule, fmt, args);
	va_end(args);
	return status;
}

pp_status
pp_answer_fail_status(struct pp_answer *a, pp_status status)
{
	return pp_answer_fail(a, status, status == PP_E_NOMEM ? "no-memory" : "no-answer", "%s",
	                      pp_status_text(status));
}

/* A command about the metric that was asked about, as far as it takes one. */
static const char *
hint_metric(struct pp_answer *a, const char *command)
{
	size_t n = strcspn(command, " ");
	const char *made, *name = pp_answer_copy(a, pp_slice_of(command, n));
	const struct pp_question *q = a->metric ? pp_question_find(name) : NULL;
	struct pp_buf text = { 0 };

	if (!q || !pp_params_find(q->params, "metric"))
		return pp_answer_copy(a, pp_slice_z(command));
	pp_buf_addf(&text, "%s -m ", name);
	pp_suggest_word(&text, a->metric);
	pp_buf_adds(&text, command + n);
	made = pp_answer_copy(a, pp_slice_z(pp_answer_made(a, &text)));
	pp_buf_release(&text);
	return made;
}

void
pp_answer_hint(struct pp_answer *a, const char *does, const char *before, const char *after)
{
	struct pp_next hint = { pp_answer_copy(a, pp_slice_z(does)), hint_metric(a, before),
		                pp_answer_copy(a, pp_slice_z(after)), NULL };

	a->failed |= !pp_vec_push(&a->hints, hint);
}

void
pp_answer_hint_typed(struct pp_answer *a, const char *does, const char *command,
                     struct pp_slice word)
{
	struct pp_buf before = { 0 }, typed = { 0 };

	/* What a terminal cannot show as it is cannot be copied from one. */
	pp_escape_terminal(&typed, word);
	if (typed.p && word.n < 200 && pp_slice_eq(pp_slice_of(typed.p, typed.n), word)) {
		pp_buf_adds(&before, command);
		pp_suggest_word(&before, typed.p);
		if (before.p)
			pp_answer_hint(a, does, before.p, "");
	}
	a->failed |= before.failed || typed.failed;
	pp_buf_release(&typed);
	pp_buf_release(&before);
}

/* ---- words ---- */

void
pp_func_text(struct pp_buf *out, const struct pp_profile *p, pp_func func)
{
	struct pp_slice name = pp_text_of(p, p->funcs.at[func].name);

	pp_escape_terminal(out, name.n ? name : pp_slice_z("(empty name)"));
}

/* Whether a title says already what is counted: "12 samples", "page-faults samples: 12". */
static bool
title_ends_in(const struct pp_buf *title, struct pp_slice unit)
{
	return unit.n && title->n > unit.n && title->p[title->n - unit.n - 1] == ' ' &&
	       memcmp(title->p + title->n - unit.n, unit.p, unit.n) == 0;
}

void
pp_metric_describe(struct pp_buf *out, const struct pp_profile *p, const struct pp_metric *m,
                   double value)
{
	struct pp_slice unit = pp_text_of(p, m->unit), called;
	struct pp_buf title = { 0 };

	pp_metric_title(p, m, &title);
	called = pp_slice_of(title.p ? title.p : "", title.n);
	/* "12 samples", whether the file says so or calls them a "count"; but not "12". */
	if (pp_slice_eq_z(called, "samples") && pp_slice_eq_z(unit, "count"))
		unit = called;
	if (!pp_slice_eq(called, unit) || pp_slice_eq_z(unit, "count")) {
		pp_buf_add(out, title.p, title.n);
		pp_buf_adds(out, ": ");
	}
	if (title_ends_in(&title, unit))
		pp_units_value(out, unit, value);
	else
		pp_units_named(out, unit, value);
	out->failed |= title.failed;
	pp_buf_release(&title);
}

void
pp_describe_falls(struct pp_buf *out, const struct pp_profile *p, const struct pp_metric *m,
                  union pp_value net, union pp_value gained)
{
	union pp_value given_back = gained;

	pp_value_sub(m, &given_back, net);
	pp_buf_adds(out, " net, ");
	pp_units_value(out, pp_text_of(p, m->unit), pp_value_double(m, gained));
	pp_buf_adds(out, " gained, ");
	pp_units_value(out, pp_text_of(p, m->unit), pp_value_double(m, given_back));
	pp_buf_adds(out, " given back");
}
