/*
 * Source text that came with a profile.
 */
#include "model/source.h"

#include "base/sort.h"
#include "model/builder.h"

/* Lines that are missing between those that came: so many are a file all the same. */
#define GAPS_ALWAYS 65536

void
pp_build_source(struct pp_builder *b, pp_str file, uint32_t line, struct pp_slice text)
{
	struct pp_source_row row = { file, line, pp_build_str(b, text) };

	if (pp_builder_ok(b) && !pp_vec_push(&b->profile->sources, row))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
}

void
pp_build_source_map(struct pp_builder *b, pp_str script, struct pp_slice text)
{
	struct pp_source_map_row row = { script, pp_build_str(b, text) };

	if (pp_builder_ok(b) && script && text.n && !pp_vec_push(&b->profile->source_maps, row))
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

/* The first row that stands at this line or behind it. */
static size_t
source_find(const struct pp_profile *p, const struct pp_source_row *key)
{
	size_t from = 0, to = p->sources.n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (source_order(&p->sources.at[middle], key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

bool
pp_profile_source_line(const struct pp_profile *p, pp_str file, uint32_t line,
                       struct pp_slice *text)
{
	struct pp_source_row key = { .file = file, .line = line };
	size_t from = source_find(p, &key);

	if (from == p->sources.n || source_order(&p->sources.at[from], &key) != 0)
		return false;
	*text = pp_text_of(p, p->sources.at[from].text);
	if (text->n && text->p[text->n - 1] == '\n')
		text->n--;
	return true;
}

/* ---- whole files ---- */

bool
pp_source_text_index(struct pp_source_text *t)
{
	const char *at = t->bytes, *end = at ? at + t->size : NULL;

	while (at && at < end) {
		if (!pp_vec_push(&t->starts, (size_t)(at - t->bytes)))
			return false;
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return true;
}

/* A line of its own, whatever the row holds. */
static void
row_add(struct pp_buf *out, struct pp_slice text)
{
	size_t i, start = out->n;

	if (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	pp_buf_add(out, text.p, text.n);
	for (i = start; i < out->n; i++)
		if (out->p[i] == '\n')
			out->p[i] = ' ';
	pp_buf_addc(out, '\n');
}

bool
pp_profile_source(const struct pp_profile *p, pp_str file, struct pp_source_text *out)
{
	struct pp_source_row key = { .file = file, .line = 1 };
	size_t first = source_find(p, &key), end, i;
	struct pp_buf text = { 0 };
	uint64_t line = 0;

	*out = (struct pp_source_text){ .recorded = true };
	key = (struct pp_source_row){ .file = file, .line = UINT32_MAX };
	end = source_find(p, &key);
	if (first == end || p->sources.at[end - 1].line > 16 * (end - first) + GAPS_ALWAYS)
		return true;
	for (i = first; i < end; i++) {
		while (++line < p->sources.at[i].line)
			pp_buf_addc(&text, '\n');
		row_add(&text, pp_text_of(p, p->sources.at[i].text));
	}
	out->bytes = text.p;
	out->size = text.n;
	return !text.failed && pp_source_text_index(out);
}

void
pp_source_text_release(struct pp_source_text *t)
{
	free(t->bytes);
	pp_vec_release(&t->starts);
	t->bytes = NULL;
}

bool
pp_source_text_line(const struct pp_source_text *t, uint64_t line, struct pp_slice *text)
{
	const char *start;
	size_t n;

	if (line == 0 || line > t->starts.n)
		return false;
	start = t->bytes + t->starts.at[line - 1];
	n = (line < t->starts.n ? t->starts.at[line] : t->size) - t->starts.at[line - 1];
	if (n && start[n - 1] == '\n')
		n--;
	if (n && start[n - 1] == '\r')
		n--;
	*text = pp_slice_of(start, n);
	return true;
}
