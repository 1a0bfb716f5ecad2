/*
 * Source text that came with a profile.
 */
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

/* Merges two sorted runs; of equals the left one comes first. */
static void
runs_merge(const struct pp_source_row *from, size_t n, size_t half, struct pp_source_row *to)
{
	size_t a = 0, b = half, i;

	for (i = 0; i < n; i++)
		to[i] = b == n || (a < half && source_order(&from[a], &from[b]) <= 0) ? from[a++]
		                                                                      : from[b++];
}

/* Stable, so that of two texts for one line the first stays. */
static bool
sources_sort(struct pp_profile *p)
{
	size_t n = p->sources.n, width, at;
	struct pp_source_row *from = p->sources.at, *to = malloc((n + 1) * sizeof *to);

	if (!to)
		return false;
	for (width = 1; width < n; width *= 2) {
		struct pp_source_row *done = to;

		for (at = 0; at < n; at += 2 * width) {
			size_t run = n - at < 2 * width ? n - at : 2 * width;

			runs_merge(from + at, run, width < run ? width : run, to + at);
		}
		to = from;
		from = done;
	}
	free(to);
	p->sources.at = from;
	p->sources.cap = n + 1;
	return true;
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
