/*
 * The columns of a flat profile.
 */
#include "output/field.h"

#include <stdlib.h>

#include "text/units.h"
#include "text/escape.h"

#define BAR_COLUMNS 12

#define HOT_SHARE 0.20
#define WARM_SHARE 0.05

bool
pp_metric_columns(const struct pp_profile *p, const struct pp_metric_columns *kind, size_t kinds,
                  struct pp_buf *names, struct pp_column *columns)
{
	size_t m, k, *at = calloc(kinds * p->metrics.n + 1, sizeof *at);

	if (!at)
		return false;
	for (m = 0; m < p->metrics.n; m++)
		for (k = 0; k < kinds; k++) {
			at[kinds * m + k] = names->n;
			pp_buf_adds(names, kind[k].prefix);
			pp_metric_label(p, &p->metrics.at[m], names);
			pp_buf_addc(names, '\0');
		}
	/* Only now does the buffer stay where it is. */
	for (m = 0; m < p->metrics.n && !names->failed; m++)
		for (k = 0; k < kinds; k++)
			columns[kinds * m + k] = (struct pp_column){
				.field = kind[k].field, .arg = m, .id = names->p + at[kinds * m + k]
			};
	free(at);
	return !names->failed;
}

static const struct pp_func_row *
view_func(const struct pp_flat_view *v, size_t row)
{
	return &v->flat->profile->funcs.at[v->flat->func[row]];
}

static struct pp_slice
view_text(const struct pp_flat_view *v, pp_str s)
{
	return pp_text_of(v->flat->profile, s);
}

static void
exact_text(struct pp_buf *out, struct pp_slice s)
{
	pp_buf_add(out, s.p, s.n);
}

/* ---- names and places ---- */

static void
name_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;
	struct pp_slice name = view_text(v, view_func(v, row)->name);

	if (name.n)
		pp_escape_terminal(out, name);
	else
		pp_buf_adds(out, "(empty name)");
	if (v->flat->cycle && v->flat->cycle[row])
		pp_buf_addf(out, " <cycle %u>", v->flat->cycle[row]);
}

static void
name_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	exact_text(out, view_text(data, view_func(data, row)->name));
}

static void
place_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;
	const struct pp_func_row *func = view_func(v, row);
	struct pp_slice file = view_text(v, func->file);

	if (file.n) {
		pp_escape_terminal(out, file);
		if (func->line)
			pp_buf_addf(out, ":%u", func->line);
	} else if (func->module) {
		pp_escape_terminal(out,
		                   view_text(v, v->flat->profile->modules.at[func->module].name));
	} else if (func->line) {
		pp_buf_addf(out, "line %u", func->line);
	}
}

static void
file_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	exact_text(out, view_text(data, view_func(data, row)->file));
}

static void
line_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	uint32_t line = view_func(data, row)->line;

	if (line)
		pp_buf_addf(out, "%u", line);
}

static void
module_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;
	pp_module module = view_func(v, row)->module;

	if (module)
		exact_text(out, view_text(v, v->flat->profile->modules.at[module].name));
}

/* ---- numbers ---- */

static void
calls_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;

	if (v->flat->has_calls)
		pp_units_count(out, (double)v->flat->calls[row]);
}

static void
calls_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;

	if (v->flat->has_calls)
		pp_buf_addf(out, "%llu", (unsigned long long)v->flat->calls[row]);
}

static double
view_double(const struct pp_flat_view *v, const union pp_value *values, size_t row, size_t metric)
{
	return pp_value_double(&v->flat->profile->metrics.at[metric],
	                       values[row * v->flat->metrics + metric]);
}

static void
value_show(const struct pp_flat_view *v, const union pp_value *values, size_t row, size_t metric,
           struct pp_buf *out)
{
	pp_units_value(out, view_text(v, v->flat->profile->metrics.at[metric].unit),
	               view_double(v, values, row, metric));
}

static void
value_exact(const struct pp_flat_view *v, const union pp_value *values, size_t row, size_t metric,
            struct pp_buf *out)
{
	char text[PP_NUM_MAX];
	size_t n = pp_value_print(&v->flat->profile->metrics.at[metric],
	                          values[row * v->flat->metrics + metric], text);

	pp_buf_add(out, text, n);
}

static void
self_show(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;

	value_show(v, v->flat->self, row, metric, out);
}

static void
self_exact(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;

	value_exact(v, v->flat->self, row, metric, out);
}

static void
total_show(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;

	value_show(v, v->flat->total, row, metric, out);
}

static void
total_exact(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;

	value_exact(v, v->flat->total, row, metric, out);
}

static void
self_share_show(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;

	pp_units_share(out, view_double(v, v->flat->self, row, metric), v->whole[metric]);
}

static void
total_share_show(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;

	pp_units_share(out, view_double(v, v->flat->total, row, metric), v->whole[metric]);
}

/* The cost that the listing is about. */
static double
view_main(const struct pp_flat_view *v, size_t row, size_t metric)
{
	return view_double(v, v->by_total ? v->flat->total : v->flat->self, row, metric);
}

static void
bar_show(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct pp_flat_view *v = data;

	if (v->bar_unit > 0)
		pp_units_bar(out, view_main(v, row, metric) / v->bar_unit, BAR_COLUMNS);
}

/* ---- inks ---- */

static enum pp_ink
share_ink(double part, double whole)
{
	if (!(whole > 0))
		return PP_INK_PLAIN;
	return part / whole >= HOT_SHARE    ? PP_INK_HOT
	       : part / whole >= WARM_SHARE ? PP_INK_WARM
	                                    : PP_INK_PLAIN;
}

static enum pp_ink
main_ink(const void *data, size_t row, size_t metric)
{
	const struct pp_flat_view *v = data;

	return share_ink(view_main(v, row, metric), v->whole[metric]);
}

static enum pp_ink
self_ink(const void *data, size_t row, size_t metric)
{
	const struct pp_flat_view *v = data;

	return v->by_total ? PP_INK_FAINT : main_ink(data, row, metric);
}

static enum pp_ink
total_ink(const void *data, size_t row, size_t metric)
{
	const struct pp_flat_view *v = data;

	return v->by_total ? main_ink(data, row, metric) : PP_INK_FAINT;
}

static enum pp_ink
bar_ink(const void *data, size_t row, size_t metric)
{
	return PP_INK_BAR;
}

static enum pp_ink
faint_ink(const void *data, size_t row, size_t metric)
{
	return PP_INK_FAINT;
}

/* ---- the fields ---- */

const struct pp_field pp_field_name = {
	.id = "name",
	.title = "function",
	.flags = PP_FIELD_FLEX,
	.show = name_show,
	.exact = name_exact,
	.ink = main_ink,
};
const struct pp_field pp_field_place = {
	.title = "place",
	.flags = PP_FIELD_FLEX,
	.drop = 4,
	.show = place_show,
	.ink = faint_ink,
};
const struct pp_field pp_field_file = { .id = "file", .title = "file", .exact = file_exact };
const struct pp_field pp_field_line = { .id = "line", .title = "line", .exact = line_exact };
const struct pp_field pp_field_module = { .id = "module",
	                                  .title = "module",
	                                  .exact = module_exact };
const struct pp_field pp_field_calls = {
	.id = "calls",
	.title = "calls",
	.align = PP_RIGHT,
	.drop = 1,
	.show = calls_show,
	.exact = calls_exact,
};
const struct pp_field pp_field_self = {
	.id = "self",
	.title = "self",
	.align = PP_RIGHT,
	.show = self_show,
	.exact = self_exact,
};
const struct pp_field pp_field_self_share = {
	.title = "self%",
	.align = PP_RIGHT,
	.show = self_share_show,
	.ink = self_ink,
};
const struct pp_field pp_field_bar = {
	.title = "",
	.drop = 2,
	.show = bar_show,
	.ink = bar_ink,
};
const struct pp_field pp_field_total = {
	.id = "total",
	.title = "total",
	.align = PP_RIGHT,
	.show = total_show,
	.exact = total_exact,
};
const struct pp_field pp_field_total_share = {
	.title = "total%",
	.align = PP_RIGHT,
	.drop = 3,
	.show = total_share_show,
	.ink = total_ink,
};
const struct pp_field pp_field_other_self = {
	.title = "",
	.align = PP_RIGHT,
	.drop = 5,
	.show = self_show,
	.ink = faint_ink,
};
const struct pp_field pp_field_other_total = {
	.title = "",
	.align = PP_RIGHT,
	.drop = 5,
	.show = total_show,
	.ink = faint_ink,
};
