/*
 * The tables of a report: the text of source files, whole, the costliest first, as far as there is room.
 */
#include "output/html_data.h"

#include <math.h>
#include <stdlib.h>

/* A file that a profile names, and what its functions and lines cost themselves. */
struct candidate {
	uint32_t profile;
	pp_str file;
	uint32_t name; /* in the report */
	double weight;
};

static int
compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	if (a->profile != b->profile)
		return a->profile < b->profile ? 1 : -1;
	return (a->file > b->file) - (a->file < b->file);
}

/* What each file costs, by its name in the profile; NULL when out of memory. Below 0: nobody names it. */
static double *
files_weigh(const struct pp_html_data *h, size_t k)
{
	const struct pp_profile *p = h->digest->profile[k];
	double *weight = malloc((p->strs.strs.n + 1) * sizeof *weight);
	size_t metric = pp_profile_primary(p), i;
	const struct pp_metric *m = metric < p->metrics.n ? &p->metrics.at[metric] : NULL;

	for (i = 0; weight && i < p->strs.strs.n; i++)
		weight[i] = -1;
	for (i = 1; weight && i < p->funcs.n; i++)
		weight[p->funcs.at[i].file] = 0;
	for (i = 0; weight && i < p->calls.rows.n; i++)
		weight[p->calls.rows.at[i].site_file] = 0;
	for (i = 0; weight && i < p->lines.rows.n; i++)
		weight[p->lines.rows.at[i].file] = 0;
	for (i = 1; weight && i < p->frames.n; i++)
		weight[p->frames.at[i].file] = 0;
	for (i = 0; weight && m && h->has_flat[k] && i < h->flat[k].n; i++)
		weight[p->funcs.at[h->flat[k].func[i]].file] += fabs(
		    pp_value_double(m, pp_flat_get(&h->flat[k], i, metric).own));
	for (i = 0; weight && m && i < p->lines.rows.n; i++)
		weight[p->lines.rows.at[i].file] += fabs(pp_value_double(
		    m, pp_cell_value(m, pp_line_cell(p, i, p->lines.hits + metric))));
	return weight;
}

/* The files of one profile whose text somebody has, added to a list; false when out of memory. */
static bool
files_find(struct pp_html_data *h, size_t k, struct candidate **list, size_t *n)
{
	const struct pp_profile *p = h->digest->profile[k];
	double *weight = files_weigh(h, k);
	struct candidate *more;
	size_t i, room = *n;

	for (i = 1; weight && i < p->strs.strs.n; i++)
		room += weight[i] >= 0;
	more = weight ? realloc(*list, (room + 1) * sizeof *more) : NULL;
	if (more)
		*list = more;
	for (i = 1; more && i < p->strs.strs.n; i++)
		if (weight[i] >= 0 && h->opts->source(h->opts->source_data, p, (pp_str)i))
			more[(*n)++] = (struct candidate){ (uint32_t)k, (pp_str)i, 0, weight[i] };
	free(weight);
	return more != NULL;
}

/* Chooses what fits; a file that both profiles name is there once. The rest is counted. */
static size_t
files_choose(struct pp_html_data *h, struct candidate *list, size_t n, uint64_t room)
{
	struct pp_map seen = { .seed = h->strs.seed };
	size_t i, kept = 0;

	for (i = 0; i < n && h->status == PP_OK; i++) {
		const struct pp_profile *p = h->digest->profile[list[i].profile];
		struct pp_slice name = pp_text_of(p, list[i].file);
		const struct pp_source_text *text = h->opts->source(h->opts->source_data, p,
		                                                    list[i].file);

		if (!text || text->size > room) {
			h->cut->sources++;
			continue;
		}
		list[i].name = pp_html_str(h, name);
		if (pp_map_get(&seen, list[i].name) != PP_MAP_NONE)
			continue;
		if (!pp_map_set(&seen, list[i].name, 1))
			h->status = PP_E_NOMEM;
		room -= text->size;
		list[kept++] = list[i];
	}
	pp_map_release(&seen);
	return kept;
}

static void
files_put(struct pp_html_data *h, const struct candidate *list, size_t n)
{
	struct pp_buf all = { 0 };
	size_t i, before;

	pp_column_begin(&h->columns, 'd', "src.file");
	for (i = 0; i < n; i++)
		pp_column_d(&h->columns, list[i].name);
	pp_column_end(&h->columns);
	pp_column_begin(&h->columns, 'v', "src.length");
	for (i = 0; i < n; i++) {
		const struct pp_source_text *text = h->opts->source(
		    h->opts->source_data, h->digest->profile[list[i].profile], list[i].file);

		before = all.n;
		if (text)
			pp_html_text(&all, pp_slice_of(text->bytes, text->size));
		pp_column_u(&h->columns, all.n - before);
	}
	pp_column_end(&h->columns);
	if (all.failed)
		h->status = PP_E_NOMEM;
	else
		pp_column_bytes(&h->columns, "src.bytes", all.p ? all.p : "", all.n);
	pp_buf_release(&all);
}

void
pp_html_put_sources(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	struct candidate *list = NULL;
	size_t k, n = 0;

	if (!h->opts->source || h->status != PP_OK)
		return;
	for (k = 0; k < h->digest->profiles; k++)
		if (!files_find(h, k, &list, &n))
			h->status = PP_E_NOMEM;
	if (n)
		qsort(list, n, sizeof *list, compare_candidates);
	n = files_choose(h, list, n, detail->source_bytes);
	if (n && h->status == PP_OK)
		files_put(h, list, n);
	free(list);
}
