/*
 * From an answer to bytes: what the forms share, and the budget.
 */
#include "output/render.h"

#include "text/escape.h"
#include "text/units.h"

#define BAR_COLUMNS 12
/* What the numbers in "cut" may grow by when there are rows. */
#define CUT_SLACK 48

/* ---- one datum ---- */

bool
pp_rendering_get(struct pp_rendering *r, const struct pp_answer_table *t,
                 const struct pp_answer_column *column, size_t row, size_t arg)
{
	struct pp_datum *d = &r->datum;

	d->known = d->null = false;
	d->ink = column->ink;
	d->key.n = 0;
	r->made.n = 0;
	d->made = &r->made;
	pp_answer_get(t, column, row, arg, d);
	if (r->purse.bounded && d->known && column->as <= PP_AS_LABEL)
		d->text = pp_budget_clip(d->text, &r->clip);
	return d->known;
}

/* As people read it, safe for a terminal. */
static void
datum_people(struct pp_buf *out, enum pp_as as, const struct pp_datum *d)
{
	char number[PP_NUM_MAX];

	switch (as) {
	case PP_AS_NAME:
	case PP_AS_TEXT:
	case PP_AS_RAW:
		pp_escape_terminal(out, d->text);
		break;
	case PP_AS_LABEL:
		pp_buf_add(out, d->text.p, d->text.n);
		break;
	case PP_AS_COUNT:
		pp_units_count(out, (double)d->count);
		break;
	case PP_AS_INT:
		pp_buf_addf(out, "%lld", (long long)d->whole);
		break;
	case PP_AS_BYTES:
		pp_units_bytes(out, (double)d->count);
		break;
	case PP_AS_TIME:
		pp_units_time(out, (double)d->whole);
		break;
	case PP_AS_VALUE:
		pp_units_value(out, d->unit, pp_value_double(d->metric, d->value));
		break;
	case PP_AS_AMOUNT:
		pp_units_value(out, d->unit, d->part);
		break;
	case PP_AS_REAL:
		pp_buf_add(out, number, pp_num_print_double(number, d->part));
		break;
	case PP_AS_SHARE:
		pp_units_share(out, d->part, d->all);
		break;
	case PP_AS_BAR:
		if (d->all > 0)
			pp_units_bar(out, d->part / d->all, BAR_COLUMNS);
		break;
	case PP_AS_BOOL:
		pp_buf_adds(out, d->yes ? "yes" : "no");
		break;
	}
}

static void
datum_exact(struct pp_buf *out, enum pp_as as, const struct pp_datum *d)
{
	char number[PP_NUM_MAX];

	switch (as) {
	case PP_AS_NAME:
	case PP_AS_TEXT:
	case PP_AS_LABEL:
	case PP_AS_RAW:
		pp_buf_add(out, d->text.p, d->text.n);
		break;
	case PP_AS_COUNT:
	case PP_AS_BYTES:
		pp_buf_addf(out, "%llu", (unsigned long long)d->count);
		break;
	case PP_AS_INT:
	case PP_AS_TIME:
		pp_buf_addf(out, "%lld", (long long)d->whole);
		break;
	case PP_AS_VALUE:
		pp_buf_add(out, number, pp_value_print(d->metric, d->value, number));
		break;
	case PP_AS_AMOUNT:
	case PP_AS_REAL:
		pp_buf_add(out, number, pp_num_print_double(number, d->part));
		break;
	case PP_AS_SHARE:
		if (d->all > 0)
			pp_buf_add(out, number, pp_num_print_double(number, d->part / d->all));
		break;
	case PP_AS_BAR:
		break;
	case PP_AS_BOOL:
		pp_buf_adds(out, d->yes ? "true" : "false");
		break;
	}
}

void
pp_rendering_people(struct pp_rendering *r, const struct pp_answer_table *t,
                    const struct pp_answer_column *column, size_t row)
{
	r->text.n = 0;
	if (pp_rendering_get(r, t, column, row, column->arg) && !r->datum.null)
		datum_people(&r->text, column->as, &r->datum);
}

void
pp_rendering_exact(struct pp_rendering *r, const struct pp_answer_table *t,
                   const struct pp_answer_column *column, size_t row, size_t arg)
{
	r->text.n = 0;
	if (pp_rendering_get(r, t, column, row, arg) && !r->datum.null)
		datum_exact(&r->text, column->as, &r->datum);
}

const char *
pp_rendering_label(struct pp_rendering *r, const struct pp_profile *p, size_t metric)
{
	struct pp_buf label = { 0 };

	if (r->labelled != p)
		r->labels.n = 0;
	r->labelled = p;
	while (r->labels.n < p->metrics.n) {
		const char *copy;

		label.n = 0;
		pp_metric_label(p, &p->metrics.at[r->labels.n], &label);
		copy = label.failed ? NULL
		                    : pp_arena_copy(&r->arena, label.p ? label.p : "", label.n);
		if (!copy || !pp_vec_push(&r->labels, copy)) {
			pp_rendering_failed(r);
			break;
		}
	}
	pp_buf_release(&label);
	return metric < r->labels.n ? r->labels.at[metric] : "";
}

/* ---- rows within the budget ---- */

struct pp_sink *
pp_rendering_row(struct pp_rendering *r)
{
	if (!r->purse.bounded)
		return r->out;
	r->row_bytes.n = 0;
	if (!r->row_sink && pp_sink_buffer(&r->row_bytes, &r->row_sink) != PP_OK) {
		pp_rendering_failed(r);
		return r->out;
	}
	return r->row_sink;
}

bool
pp_rendering_row_end(struct pp_rendering *r, size_t more)
{
	bool fits;

	if (!r->purse.bounded)
		return true;
	if (!r->row_sink)
		return false;
	(void)pp_sink_commit(r->row_sink);
	fits = pp_purse_take(&r->purse, r->row_bytes.n + more);
	if (fits)
		pp_sink_write(r->out, r->row_bytes.p, r->row_bytes.n);
	pp_sink_close(r->row_sink);
	r->row_sink = NULL;
	return fits;
}

void
pp_rendering_cut(struct pp_rendering *r, const struct pp_answer_table *t, size_t shown)
{
	size_t left = t->rows > t->window.first + shown ? t->rows - t->window.first - shown : 0;

	if (left > 0 && r->cut.rows == 0)
		r->cut.next = t->window.first + shown;
	r->cut.rows += left;
}

void
pp_rendering_failed(struct pp_rendering *r)
{
	pp_sink_fail(r->out, PP_E_NOMEM, 0);
}

/* ---- the walk ---- */

static void
answer_print(struct pp_rendering *r)
{
	static void (*const forms[])(struct pp_rendering *) = {
		[PP_FORM_TEXT] = pp_answer_print_text,
		[PP_FORM_JSON] = pp_answer_print_json,
		[PP_FORM_CSV] = pp_answer_print_csv,
		[PP_FORM_MARKDOWN] = pp_answer_print_markdown,
	};

	forms[r->opts->form](r);
	if (r->text.failed || r->made.failed || r->clip.failed || r->row_bytes.failed)
		pp_rendering_failed(r);
}

static void
rendering_release(struct pp_rendering *r)
{
	pp_sink_close(r->row_sink);
	pp_buf_release(&r->made);
	pp_buf_release(&r->text);
	pp_buf_release(&r->clip);
	pp_buf_release(&r->row_bytes);
	pp_vec_release(&r->labels);
	pp_arena_release(&r->arena);
}

/* What the answer takes without any row; rows get the rest. */
static pp_status
purse_fill(const struct pp_answer *a, const struct pp_render_opts *opts, struct pp_purse *purse)
{
	struct pp_rendering r = { .answer = a, .opts = opts };
	pp_status status;
	uint64_t taken;

	*purse = (struct pp_purse){ .bounded = a->budget.bytes > 0 };
	if (!purse->bounded)
		return PP_OK;
	status = pp_sink_null(&r.out);
	if (status != PP_OK)
		return status;
	r.purse = (struct pp_purse){ .bounded = true, .empty = true };
	answer_print(&r);
	taken = r.out->written + (uint64_t)(r.out->cur - r.out->begin) + CUT_SLACK;
	status = r.out->status;
	if (status == PP_OK && taken > a->budget.bytes)
		status = PP_E_LIMIT;
	purse->left = (size_t)(a->budget.bytes - taken);
	pp_sink_close(r.out);
	rendering_release(&r);
	return status;
}

pp_status
pp_render(const struct pp_answer *a, const struct pp_render_opts *opts, struct pp_sink *out,
          struct pp_cut *cut)
{
	struct pp_rendering r = { .answer = a, .opts = opts, .out = out };
	pp_status status = purse_fill(a, opts, &r.purse);

	if (status != PP_OK)
		return status;
	answer_print(&r);
	if (cut)
		*cut = r.cut;
	rendering_release(&r);
	return out->status;
}
