/*
 * Writing cachegrind files, as strictly as cg_annotate reads them: desc, cmd, events, lines by file and
 * function, and a summary that is their sum.
 */
#include "formats/valgrind/callgrind_view.h"

#include <stdlib.h>

#include "formats/valgrind/emit.h"

/* A line of the view and what it is sorted by. */
struct entry {
	struct pp_slice file, name;
	uint32_t line;
	uint32_t row;
};

static int
entry_place_cmp(const struct entry *a, const struct entry *b)
{
	int c = pp_slice_cmp(a->file, b->file);

	return c ? c : pp_slice_cmp(a->name, b->name);
}

static int
entry_cmp(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int c = entry_place_cmp(a, b);

	if (c)
		return c;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* There are no ids in these files, so nothing may look like one. */
static struct pp_slice
literal(struct pp_slice s)
{
	while (s.n > 1 && s.p[0] == '(' && pp_is_digit(s.p[1]))
		s = pp_slice_of(s.p + 1, s.n - 1);
	return s;
}

static struct entry *
entries_sort(const struct pp_profile *p, struct pp_loss *loss)
{
	struct entry *entries = malloc((p->lines.rows.n + 1) * sizeof *entries);
	size_t i;

	for (i = 0; entries && i < p->lines.rows.n; i++) {
		const struct pp_line_row *row = &p->lines.rows.at[i];

		entries[i] = (struct entry){ literal(pp_text_of(p, row->file)),
			                     literal(pp_text_of(p, p->funcs.at[row->func].name)),
			                     row->line, (uint32_t)i };
		loss->names += entries[i].file.n < pp_text_of(p, row->file).n ||
		               entries[i].name.n < pp_text_of(p, p->funcs.at[row->func].name).n;
		/* Lines of other files are those of functions of their own. */
		loss->made |= row->file != p->funcs.at[row->func].file ? PP_HAS(HOMONYMS) : 0;
	}
	if (entries)
		qsort(entries, p->lines.rows.n, sizeof *entries, entry_cmp);
	return entries;
}

static void
put_cost(struct pp_sink *out, pp_i128 v)
{
	char text[PP_NUM_MAX];

	pp_sink_putc(out, ' ');
	pp_sink_write(out, text, pp_num_print(text, v, 0));
}

static void
put_line(struct pp_sink *out, const char *key, struct pp_slice value)
{
	struct pp_buf text = { 0 };
	bool changed;

	if (pp_cg_clean(value, false, &text, &changed)) {
		pp_sink_puts(out, key);
		pp_sink_write(out, text.p, text.n);
		pp_sink_putc(out, '\n');
	} else {
		pp_sink_fail(out, PP_E_NOMEM, 0);
	}
	pp_buf_release(&text);
}

/* The `desc:` lines that the profile was read with. */
static void
put_descriptions(struct pp_writer *w)
{
	const struct pp_profile *p = w->profile;
	uint32_t list = 0, i;

	for (i = 0; i < p->meta.n; i++) {
		const struct pp_meta_row *row = &p->meta.at[i];

		if (row->parent == 0 && row->type == PP_META_ARRAY &&
		    pp_slice_eq_z(pp_text_of(p, row->key), "desc"))
			list = i + 1;
		else if (list && row->parent == list) {
			put_line(w->out, "desc: ", pp_text_of(p, row->text));
			w->loss.more[PP_TRAIT_METADATA]--;
		}
	}
}

static void
put_header(struct pp_writer *w, const struct pp_profile *p)
{
	size_t m;

	put_descriptions(w);
	w->loss.more[PP_TRAIT_METADATA] -= pp_profile_meta(w->profile, "cmd").n != 0;
	put_line(w->out, "cmd: ", pp_profile_meta(w->profile, "cmd"));
	pp_sink_puts(w->out, "events:");
	for (m = 0; m < p->metrics.n; m++) {
		struct pp_slice name = pp_text_of(p, p->metrics.at[m].name);

		pp_sink_putc(w->out, ' ');
		pp_sink_write(w->out, name.p, name.n);
	}
	pp_sink_putc(w->out, '\n');
}

/* Entries [from, to) are the same line: writes their sum and adds it to the summary. */
static void
put_entry(struct pp_writer *w, const struct pp_profile *p, const struct entry *from,
          const struct entry *to, pp_i128 *summary)
{
	size_t m;
	const struct entry *x;

	pp_sink_u64(w->out, from->line);
	for (m = 0; m < p->metrics.n; m++) {
		const struct pp_metric *metric = &p->metrics.at[m];
		pp_i128 most = metric->type == PP_UINT ? (pp_i128)UINT64_MAX : INT64_MAX, sum = 0;

		for (x = from; x < to; x++)
			sum += pp_cell_value(metric, pp_line_cell(p, x->row, m)).i;
		/* Each row fits; several of them may not. */
		w->loss.too_large += sum > most || sum < -INT64_MAX;
		sum = sum > most ? most : sum < -INT64_MAX ? -INT64_MAX : sum;
		put_cost(w->out, sum);
		summary[m] += sum;
	}
	pp_sink_putc(w->out, '\n');
}

static void
put_entries(struct pp_writer *w, const struct pp_profile *p, const struct entry *entries,
            pp_i128 *summary)
{
	size_t i = 0, n = p->lines.rows.n;
	struct pp_sink *out = w->out;

	while (i < n && out->status == PP_OK) {
		const struct entry *x = &entries[i];
		size_t to = i + 1;

		if (i == 0 || !pp_slice_eq(x->file, x[-1].file)) {
			pp_sink_puts(out, "fl=");
			pp_sink_write(out, x->file.p, x->file.n);
			pp_sink_putc(out, '\n');
		}
		if (i == 0 || entry_place_cmp(x, x - 1) != 0) {
			pp_sink_puts(out, "fn=");
			pp_sink_write(out, x->name.p, x->name.n);
			pp_sink_putc(out, '\n');
		}
		while (to < n && entries[to].line == x->line &&
		       entry_place_cmp(x, &entries[to]) == 0)
			to++;
		put_entry(w, p, x, entries + to, summary);
		i = to;
	}
}

pp_status
pp_cachegrind_write(struct pp_writer *w)
{
	struct pp_cg_view v;
	pp_status status = pp_cg_view_init(&v, w, false);
	struct entry *entries = NULL;
	pp_i128 *summary = NULL;
	size_t m;

	if (status == PP_OK) {
		entries = entries_sort(v.profile, &w->loss);
		summary = calloc(v.profile->metrics.n + 1, sizeof *summary);
		if (!entries || !summary)
			status = PP_E_NOMEM;
	}
	if (status == PP_OK) {
		put_header(w, v.profile);
		put_entries(w, v.profile, entries, summary);
		pp_sink_puts(w->out, "summary:");
		for (m = 0; m < v.profile->metrics.n; m++)
			put_cost(w->out, summary[m]);
		pp_sink_putc(w->out, '\n');
	}
	free(entries);
	free(summary);
	pp_cg_view_release(&v);
	return status;
}
