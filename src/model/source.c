/*
 * Source text that came with a profile.
 */
#include "base/sort.h"
#include "model/builder.h"

void
pp_build_source(struct pp_builder *b, pp_str file, uint32_t line, struct pp_slice text)
{
	struct pp_source_row row = { file, line, pp_build_str(b, text) };

	if (pp_builder_ok(b) && !pp_vec_push(&b->profile->sources, row))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
}

static int
source_order(const void *left, const void *right)
{
	const struct pp_source_row *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return 0;
}

/* Of two texts for one line the first stays. */
static int
source_cmp(const void *left, const void *right, void *rows)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct pp_source_row *at = rows;
	int c = source_order(&at[a], &at[b]);

	return c ? c : (a > b) - (a < b);
}

static bool
sources_sort(struct pp_profile *p)
{
	uint32_t *order = malloc((p->sources.n + 1) * sizeof *order);
	size_t i;
	bool fine;

	for (i = 0; order && i < p->sources.n; i++)
		order[i] = (uint32_t)i;
	if (order)
		pp_sort(order, p->sources.n, sizeof *order, source_cmp, p->sources.at);
	fine = order && pp_items_permute(p->sources.at, sizeof *p->sources.at, order, p->sources.n);
	free(order);
	return fine;
}

bool
pp_sources_settle(struct pp_profile *p)
{
	size_t i, kept = 0;

	for (i = 1; i < p->sources.n; i++)
		if (source_order(&p->sources.at[i - 1], &p->sources.at[i]) >= 0)
			break;
	if (i >= p->sources.n)
		return true;
	if (!sources_sort(p))
		return false;
	for (i = 0; i < p->sources.n; i++)
		if (i == 0 || source_order(&p->sources.at[kept - 1], &p->sources.at[i]) != 0)
			p->sources.at[kept++] = p->sources.at[i];
	p->sources.n = kept;
	return true;
}

bool
pp_profile_source_line(const struct pp_profile *p, pp_str file, uint32_t line,
                       struct pp_slice *text)
{
	struct pp_source_row key = { .file = file, .line = line };
	size_t from = 0, to = p->sources.n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (source_order(&p->sources.at[middle], &key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == p->sources.n || source_order(&p->sources.at[from], &key) != 0)
		return false;
	*text = pp_text_of(p, p->sources.at[from].text);
	if (text->n && text->p[text->n - 1] == '\n')
		text->n--;
	return true;
}
