/*
 * The tables of a report: strings, functions and the tree.
 */
#include "output/html_data.h"

#include <stdlib.h>

#include "base/utf8.h"

/* ---- strings ---------------------------------------------------------------------------- */

/* Where a name may be cut: not within a character. */
static size_t
cut_at(struct pp_slice s)
{
	size_t n = PP_HTML_NAME_MAX;

	while (n > PP_HTML_NAME_MAX - 4 && (s.p[n] & 0xc0) == 0x80)
		n--;
	return n;
}

void
pp_html_text(struct pp_buf *out, struct pp_slice s)
{
	size_t i = 0;
	uint32_t code;

	while (i < s.n) {
		size_t n = pp_utf8_decode(s.p + i, s.n - i, &code);

		if (n)
			pp_buf_add(out, s.p + i, n);
		else
			pp_buf_adds(out, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
}

uint32_t
pp_html_str(struct pp_html_data *h, struct pp_slice s)
{
	struct pp_buf text = { 0 };
	bool is_new, mended = s.n > PP_HTML_NAME_MAX || !pp_utf8_valid(s), ok;
	size_t length = s.n;
	pp_str id = 0;

	if (mended) {
		if (s.n > PP_HTML_NAME_MAX)
			s.n = cut_at(s);
		pp_html_text(&text, s);
		if (length > s.n)
			pp_buf_addf(&text, "\xe2\x80\xa6 (%zu bytes)", length);
		s = pp_slice_of(text.p, text.n);
	}
	ok = !text.failed && pp_strtab_intern(&h->strs, s.p, s.n, &id, &is_new);
	if (!ok)
		h->status = PP_E_NOMEM;
	else if (length > PP_HTML_NAME_MAX && is_new)
		h->cut->names++;
	pp_buf_release(&text);
	return id;
}

void
pp_html_put_strings(struct pp_html_data *h)
{
	struct pp_buf all = { 0 };
	size_t i;

	pp_column_begin(&h->columns, 'u', "str.length");
	for (i = 0; i < h->strs.strs.n; i++) {
		struct pp_slice s = pp_strtab_get(&h->strs, (pp_str)i);

		pp_column_u(&h->columns, s.n);
		pp_buf_add(&all, s.p, s.n);
	}
	pp_column_end(&h->columns);
	if (all.failed)
		h->status = PP_E_NOMEM;
	else
		pp_column_bytes(&h->columns, "str.bytes", all.p ? all.p : "", all.n);
	pp_buf_release(&all);
}

/* ---- functions -------------------------------------------------------------------------- */

struct use {
	uint32_t func;
	uint32_t count;
};

static int
compare_uses(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return (a->func > b->func) - (a->func < b->func);
}

/* Counts what the tables outside the tree name. */
static void
count_uses(const struct pp_html_data *h, const struct pp_html_detail *detail, struct use *uses)
{
	const struct pp_digest *d = h->digest;
	size_t k, i;

	for (i = 0; i < d->func.n && !detail->functions && !detail->file; i++)
		uses[d->func.at[i]].count++;
	for (k = 0; k < d->profiles && d->root == 0; k++) {
		const struct pp_profile *p = d->profile[k];

		for (i = 0; h->has_flat[k] && i < h->flat[k].n && !detail->file; i++)
			uses[d->func_of[k][h->flat[k].func[i]]].count += pp_html_flat_kept(
			    &h->flat[k], i, detail);
		if (detail->functions)
			continue;
		for (i = 0; i < p->calls.rows.n && !detail->file; i++) {
			uses[d->func_of[k][p->calls.rows.at[i].caller]].count++;
			uses[d->func_of[k][p->calls.rows.at[i].callee]].count++;
		}
		for (i = 0; i < p->lines.rows.n; i++)
			uses[d->func_of[k][p->lines.rows.at[i].func]].count +=
			    !detail->file ||
			    pp_slice_eq_z(pp_text_of(p, p->lines.rows.at[i].file), detail->file);
	}
}

bool
pp_html_number_funcs(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	size_t n = h->digest->funcs.n, i;
	struct use *uses = calloc(n + 1, sizeof *uses);

	free(h->number);
	free(h->order);
	h->number = calloc(n + 1, sizeof *h->number);
	h->order = calloc(n + 1, sizeof *h->order);
	if (!uses || !h->number || !h->order) {
		free(uses);
		return false;
	}
	for (i = 0; i < n; i++)
		uses[i].func = (uint32_t)i;
	count_uses(h, detail, uses);
	uses[0].count = 0;
	qsort(uses + 1, n ? n - 1 : 0, sizeof *uses, compare_uses);
	h->numbers = 1;
	for (i = 1; i < n && uses[i].count; i++) {
		h->order[h->numbers] = uses[i].func;
		h->number[uses[i].func] = h->numbers++;
	}
	free(uses);
	return true;
}

static void
put_funcs(struct pp_html_data *h)
{
	static const char *const names[] = { "name", "file", "module", "line", "flags" };
	uint32_t i;
	size_t n;

	for (n = 0; n < PP_COUNT_OF(names); n++) {
		const struct pp_column *column = pp_table_column(PP_TABLE_FUNCS, names[n]);

		pp_column_begin(&h->columns, 'd', "func.%s", names[n]);
		pp_column_d(&h->columns, 0);
		for (i = 1; i < h->numbers && h->status == PP_OK; i++) {
			const struct pp_digest_func *f = &h->digest->funcs.at[h->order[i]];

			pp_column_d(&h->columns,
			            pp_html_cell(h, f->profile, PP_TABLE_FUNCS, column, f->func));
		}
		pp_column_end(&h->columns);
	}
}

/* Of two profiles, in which each function is: 1 = before, 2 = after. */
static void
put_sides(struct pp_html_data *h)
{
	const struct pp_digest *d = h->digest;
	unsigned char *sides = calloc(d->funcs.n + 1, 1);
	uint32_t i;
	size_t k, f;

	if (!sides) {
		h->status = PP_E_NOMEM;
		return;
	}
	for (k = 0; k < d->profiles; k++)
		for (f = 0; h->has_flat[k] && f < h->flat[k].n; f++)
			sides[d->func_of[k][h->flat[k].func[f]]] |= (unsigned char)(1u << k);
	pp_column_begin(&h->columns, 'u', "func.sides");
	for (i = 0; i < h->numbers; i++)
		pp_column_u(&h->columns, i ? sides[h->order[i]] : 0);
	pp_column_end(&h->columns);
	free(sides);
}

/* ---- the tree --------------------------------------------------------------------------- */

static void
put_tree(struct pp_html_data *h)
{
	const struct pp_digest *d = h->digest;
	size_t i;

	pp_column_u32(&h->columns, 'u', d->up.at, d->up.n, "tree.up");
	pp_column_begin(&h->columns, 'u', "tree.func");
	for (i = 0; i < d->func.n; i++)
		pp_column_u(&h->columns, h->number[d->func.at[i]]);
	pp_column_end(&h->columns);
	pp_column_begin(&h->columns, 'd', "tree.more.node");
	for (i = 0; i < d->more.n; i++)
		if (d->more.at[i])
			pp_column_d(&h->columns, (uint32_t)i);
	pp_column_end(&h->columns);
	pp_column_begin(&h->columns, 'u', "tree.more.count");
	for (i = 0; i < d->more.n; i++)
		if (d->more.at[i])
			pp_column_u(&h->columns, d->more.at[i]);
	pp_column_end(&h->columns);
	if (h->piecewise)
		pp_column_u32(&h->columns, 'd', d->node.at, d->node.n, "tree.node");
}

static void
forget_lines(struct pp_html_data *h)
{
	size_t k;

	for (k = 0; k < PP_DIGEST_MAX; k++) {
		free(h->line_of[k]);
		h->line_of[k] = NULL;
	}
}

void
pp_html_data_release(struct pp_html_data *h)
{
	size_t k;

	for (k = 0; k < PP_DIGEST_MAX; k++)
		if (h->has_flat[k])
			pp_flat_release(&h->flat[k]);
	forget_lines(h);
	pp_columns_release(&h->columns);
	pp_strtab_release(&h->strs);
	free(h->number);
	free(h->order);
}

/* All tables; of a piece only its tree with what that costs, or functions or lines alone. */
static void
put_tables(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	bool tree = !detail->functions && !detail->file, all = h->digest->root == 0 && tree;

	if (tree)
		put_tree(h);
	if (all || detail->file)
		pp_html_put_lines(h, detail); /* tells which line each frame is, for what follows */
	if (tree)
		pp_html_put_series(h);
	if (all || detail->functions)
		pp_html_put_flat(h, detail);
	if (all) {
		pp_html_put_edges(h, detail);
		pp_html_put_time(h, detail);
		pp_html_put_sources(h, detail);
	}
}

pp_status
pp_html_data_write(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	h->columns.bytes.n = 0;
	h->status = PP_OK;
	*h->cut = (struct pp_html_cut){ .min_share = detail->min_share,
		                        .nodes = h->digest->summed_up };
	pp_strtab_release(&h->strs);
	if (!pp_strtab_init(&h->strs, h->digest->profile[0]->strs.seed) ||
	    !pp_html_number_funcs(h, detail))
		return PP_E_NOMEM;
	put_funcs(h);
	if (h->digest->profiles > 1)
		put_sides(h);
	forget_lines(h);
	put_tables(h, detail);
	pp_html_put_meta(h, detail);
	pp_html_put_strings(h);
	if (h->columns.bytes.failed)
		return PP_E_NOMEM;
	if (h->columns.too_large)
		return PP_E_LIMIT;
	return h->status;
}
