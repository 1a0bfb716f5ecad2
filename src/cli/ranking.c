/*
 * The listing of functions that `top` and the summary share.
 */
#include "cli/ranking.h"

#include <math.h>
#include <stdlib.h>

#include "cli/filters.h"
#include "cli/load.h"
#include "output/field.h"
#include "output/table.h"
#include "text/units.h"
#include "text/escape.h"

/* Metrics shown beside the chosen one. */
#define OTHERS_MOST 4

static enum pp_sort
sort_by_name(const char *name)
{
	static const struct {
		const char *name;
		enum pp_sort sort;
	} sorts[] = {
		{ "self", PP_SORT_SELF },
		{ "total", PP_SORT_TOTAL },
		{ "calls", PP_SORT_CALLS },
		{ "name", PP_SORT_NAME },
	};
	size_t i;

	for (i = 0; name && i < PP_COUNT_OF(sorts); i++)
		if (strcmp(sorts[i].name, name) == 0)
			return sorts[i].sort;
	return PP_SORT_SELF;
}

/* Leaves out the rows that cost less than a share of the whole with all they called. */
static void
rows_drop(struct pp_listing *r, double min)
{
	struct pp_flat *f = &r->flat;
	size_t row, m, n = 0;

	if (!(min > 0) || r->metric >= f->metrics || !(r->whole[r->metric] > 0))
		return;
	for (row = 0; row < f->n; row++) {
		if (fabs(pp_value_double(&f->profile->metrics.at[r->metric],
		                         f->total[row * f->metrics + r->metric])) <
		    min * r->whole[r->metric])
			continue;
		f->func[n] = f->func[row];
		f->calls[n] = f->calls[row];
		if (f->cycle)
			f->cycle[n] = f->cycle[row];
		for (m = 0; m < f->metrics; m++) {
			f->self[n * f->metrics + m] = f->self[row * f->metrics + m];
			f->total[n * f->metrics + m] = f->total[row * f->metrics + m];
		}
		n++;
	}
	f->n = n;
}

/* What --by calls the rows. */
static void
rows_name(struct pp_listing *r, const char *by)
{
	static const char *const names[][2] = {
		{ "function", "functions" }, { "file", "files" },     { "module", "modules" },
		{ "line", "lines" },         { "thread", "threads" },
	};
	size_t i = 0;

	while (by && i + 1 < PP_COUNT_OF(names) && strcmp(names[i][0], by) != 0)
		i++;
	r->grouped = i > 0;
	r->one = names[i][0];
	r->many = names[i][1];
}

int
pp_listing_init(struct pp_listing *r, struct pp_cli *cli, const struct pp_profile *p)
{
	double min = pp_filters_min(cli, 0);
	pp_status status;
	size_t m;
	int code;

	*r = (struct pp_listing){ .sort = sort_by_name(pp_args_text(&cli->args, "sort")) };
	rows_name(r, pp_args_text(&cli->args, "by"));
	code = min < 0 ? PP_EXIT_USAGE : pp_load_metric(cli, p, &r->metric);
	if (code)
		return code;
	status = pp_flat_compute(p, &r->flat);
	if (status == PP_OK && r->sort == PP_SORT_CALLS && !r->flat.has_calls) {
		pp_cli_error(cli, "this profile does not know how often functions were called");
		return PP_EXIT_INPUT;
	}
	if (status == PP_OK) {
		r->whole = calloc(p->metrics.n + 1, sizeof *r->whole);
		if (!r->whole || !pp_flat_sort(&r->flat, r->sort, r->metric))
			status = PP_E_NOMEM;
	}
	if (status != PP_OK) {
		pp_cli_error(cli, "%s", pp_status_text(status));
		return pp_load_exit(status);
	}
	for (m = 0; m < p->metrics.n; m++)
		r->whole[m] = pp_value_double(&p->metrics.at[m], r->flat.whole[m]);
	rows_drop(r, min);
	return 0;
}

void
pp_listing_release(struct pp_listing *r)
{
	pp_flat_release(&r->flat);
	free(r->whole);
	*r = (struct pp_listing){ 0 };
}

/* ---- text ---- */

void
pp_listing_heading(const struct pp_listing *r, const struct pp_style *style, struct pp_sink *out)
{
	const struct pp_profile *p = r->flat.profile;
	struct pp_buf text = { 0 };

	if (r->metric < p->metrics.n) {
		const struct pp_metric *m = &p->metrics.at[r->metric];

		pp_metric_describe(&text, p, m, r->whole[r->metric]);
		pp_ink_text(out, style, PP_INK_TITLE, pp_slice_of(text.p, text.n));
		text.n = 0;
		pp_buf_adds(&text, " in ");
	}
	pp_units_u64(&text, r->flat.n);
	pp_buf_addf(&text, " %s", pp_plural(r->flat.n, r->one, r->many));
	if (!p->complete)
		pp_buf_adds(&text, " (the profile is incomplete)");
	if (p->estimated && pp_profile_basis(p) == PP_BASIS_TREE)
		pp_buf_adds(&text, " (totals are estimates)");
	pp_buf_adds(&text, "\n\n");
	if (text.p)
		pp_sink_puts(out, text.p);
	pp_buf_release(&text);
}

/* The largest cost among the rows fills the bar: shares are printed beside it anyway. */
static double
bar_unit(const struct pp_listing *r, size_t rows)
{
	const struct pp_metric *m = &r->flat.profile->metrics.at[r->metric];
	const union pp_value *costs = r->sort == PP_SORT_TOTAL ? r->flat.total : r->flat.self;
	double most = 0;
	size_t row;

	if (!(r->whole[r->metric] > 0))
		return 0;
	for (row = 0; row < rows; row++) {
		double cost = pp_value_double(m, costs[row * r->flat.metrics + r->metric]);

		most = cost > most ? cost : most;
	}
	return most;
}

/*
 * Other metrics beside the chosen one, as far as there is room: own cost, or the total when sorted by
 * that. Their titles live in `titles`.
 */
static size_t
other_columns(const struct pp_listing *r, struct pp_column *columns, size_t most,
              struct pp_buf *titles)
{
	const struct pp_profile *p = r->flat.profile;
	const struct pp_field *field = r->sort == PP_SORT_TOTAL ? &pp_field_other_total
	                                                        : &pp_field_other_self;
	size_t at[OTHERS_MOST], n = 0, m, i;
	struct pp_buf label = { 0 };

	for (m = 0; m < p->metrics.n && n < most; m++) {
		if (m == r->metric)
			continue;
		at[n] = titles->n;
		label.n = 0;
		pp_metric_label(p, &p->metrics.at[m], &label);
		pp_escape_terminal(titles, pp_slice_of(label.p ? label.p : "", label.n));
		pp_buf_addc(titles, '\0');
		columns[n++] = (struct pp_column){ .field = field, .arg = m };
	}
	for (i = 0; i < n; i++)
		columns[i].title = titles->p ? titles->p + at[i] : "";
	pp_buf_release(&label);
	return n;
}

/* In a listing by total the shares of own cost go before those of the total. */
static unsigned
by_total_drop(const struct pp_field *field)
{
	return field == &pp_field_self_share    ? pp_field_total_share.drop
	       : field == &pp_field_total_share ? 1
	                                        : 0;
}

void
pp_listing_table(const struct pp_listing *r, size_t rows, const struct pp_style *style,
                 struct pp_sink *out)
{
	/* The bar shows what the rows are sorted by. */
	bool by_total = r->sort == PP_SORT_TOTAL;
	const struct pp_field *const fields[] = {
		&pp_field_self,  &pp_field_self_share,  by_total ? NULL : &pp_field_bar,
		&pp_field_total, &pp_field_total_share, by_total ? &pp_field_bar : NULL,
		&pp_field_calls, &pp_field_name,        r->grouped ? NULL : &pp_field_place,
	};
	const size_t before_name = 7;
	struct pp_column columns[PP_COUNT_OF(fields) + OTHERS_MOST];
	struct pp_flat_view view = { .flat = &r->flat, .whole = r->whole, .by_total = by_total };
	struct pp_table table = { columns, 0, &view, rows };
	struct pp_buf titles = { 0 };
	size_t i;

	if (rows == 0 || r->metric >= r->flat.metrics)
		return;
	view.bar_unit = bar_unit(r, rows);
	for (i = 0; i < PP_COUNT_OF(fields); i++) {
		if (i == before_name)
			table.column_count += other_columns(r, columns + table.column_count,
			                                    OTHERS_MOST, &titles);
		if (fields[i])
			columns[table.column_count++] = (struct pp_column){
				.field = fields[i],
				.arg = r->metric,
				.title = fields[i] == &pp_field_name ? r->one : NULL,
				.drop = by_total ? by_total_drop(fields[i]) : 0,
			};
	}
	pp_table_print(&table, style, out);
	pp_buf_release(&titles);
}

void
pp_listing_footer(const struct pp_listing *r, size_t rows, const struct pp_style *style,
                  struct pp_sink *out)
{
	struct pp_buf text = { 0 };
	size_t more = r->flat.n - rows;

	if (more == 0)
		return;
	pp_buf_adds(&text, "  ... and ");
	pp_units_u64(&text, more);
	pp_buf_addf(&text, " more %s (-n 0 shows all)", pp_plural(more, r->one, r->many));
	pp_sink_putc(out, '\n');
	if (text.p)
		pp_ink_put(out, style, PP_INK_FAINT, text.p);
	pp_sink_putc(out, '\n');
	pp_buf_release(&text);
}

/* ---- CSV ---- */

void
pp_listing_csv(const struct pp_listing *r, size_t rows, bool tame, struct pp_sink *out)
{
	static const struct pp_field *const fixed[] = {
		&pp_field_name, &pp_field_file, &pp_field_line, &pp_field_module, &pp_field_calls,
	};
	static const struct pp_metric_columns costs[] = { { "self_", &pp_field_self },
		                                          { "total_", &pp_field_total } };
	const struct pp_profile *p = r->flat.profile;
	size_t n = PP_COUNT_OF(fixed) + 2 * p->metrics.n, i;
	struct pp_column *columns = calloc(n, sizeof *columns);
	struct pp_flat_view view = { .flat = &r->flat, .whole = r->whole };
	struct pp_table table = { columns, n, &view, rows };
	struct pp_buf names = { 0 };

	for (i = 0; columns && i < PP_COUNT_OF(fixed); i++)
		columns[i].field = fixed[i];
	if (columns && pp_metric_columns(p, costs, 2, &names, columns + PP_COUNT_OF(fixed)))
		pp_table_csv(&table, tame, out);
	else if (out->status == PP_OK)
		out->status = PP_E_NOMEM;
	pp_buf_release(&names);
	free(columns);
}
