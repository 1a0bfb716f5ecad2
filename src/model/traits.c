/*
 * Counting what a profile has.
 */
#include "model/traits.h"

#include <stdlib.h>

#include "model/held.h"

/* By frame: whether a stack has it. By function: whether such a frame, a call or a line names it. */
struct used {
	unsigned char *frames, *funcs;
};

static bool
used_find(const struct pp_profile *p, struct used *used)
{
	pp_node node;
	size_t i;

	used->frames = calloc(p->frames.n + 1, 1);
	used->funcs = calloc(p->funcs.n + 1, 1);
	if (!used->frames || !used->funcs)
		return false;
	for (node = 1; node < p->tree.n; node++)
		used->frames[pp_tree_frame(&p->tree, node)] = 1;
	for (i = 1; p->held && i < p->frames.n && i < p->held->used.n; i++)
		used->frames[i] = p->held->used.at[i];
	for (i = 1; i < p->frames.n; i++)
		used->funcs[p->frames.at[i].func] |= used->frames[i];
	for (i = 0; i < p->calls.rows.n; i++)
		used->funcs[p->calls.rows.at[i].caller] = used->funcs[p->calls.rows.at[i].callee] =
		    1;
	for (i = 0; i < p->lines.rows.n; i++)
		used->funcs[p->lines.rows.at[i].func] = 1;
	return true;
}

static void
used_release(struct used *used)
{
	free(used->frames);
	free(used->funcs);
}

static void
functions_count(const struct pp_profile *p, const struct used *used, uint64_t *n)
{
	size_t i;

	for (i = 1; i < p->funcs.n; i++) {
		const struct pp_func_row *f = &p->funcs.at[i];

		if (!used->funcs[i]) {
			n[PP_TRAIT_UNCALLED] += f->same == i && f->flags & PP_FUNC_DECLARED;
			continue;
		}
		n[PP_TRAIT_FILES] += f->file != 0;
		n[PP_TRAIT_FIRST_LINES] += f->line != 0;
		n[PP_TRAIT_FIRST_COLUMNS] += f->column != 0;
		n[PP_TRAIT_LAST_LINES] += f->last_line != 0;
		n[PP_TRAIT_MODULES] += f->module != 0;
		n[PP_TRAIT_BUILD_IDS] += p->modules.at[f->module].build_id != 0;
		n[PP_TRAIT_MARKS] += (f->flags & PP_FUNC_KERNEL) != 0;
		n[PP_TRAIT_BUILT_IN] += (f->flags & PP_FUNC_INTERNAL) != 0;
	}
}

static void
frames_count(const struct pp_profile *p, const struct used *used, uint64_t *n)
{
	size_t i;

	for (i = 1; i < p->frames.n; i++) {
		const struct pp_frame_row *f = &p->frames.at[i];

		if (!used->frames[i])
			continue;
		n[PP_TRAIT_PLACES] += f->line != 0;
		n[PP_TRAIT_COLUMNS] += f->column != 0;
		n[PP_TRAIT_STACK_SITES] += f->site_line != 0;
		n[PP_TRAIT_ADDRESSES] += f->address != 0;
		n[PP_TRAIT_OFFSETS] += f->offset != 0;
		n[PP_TRAIT_INLINED] += f->inline_depth || f->flags & PP_FRAME_INLINED;
		n[PP_TRAIT_MARKS] += (f->flags & PP_FRAME_KINDS) != 0;
	}
}

/* Rows with how often they were called; none where nothing was, as code outside of functions. */
static uint64_t
called_rows(const struct pp_profile *p, const struct pp_series *s)
{
	bool any = false;
	uint64_t n = 0;
	uint32_t row;

	for (row = 0; s->has_calls && row < s->rows; row++) {
		any = any || pp_series_cells(s, row)[p->metrics.n];
		n += pp_series_present(s, row);
	}
	return any ? n : 0;
}

static void
rows_count(const struct pp_profile *p, uint64_t *n)
{
	size_t i;

	for (i = 0; i < p->calls.rows.n; i++) {
		n[PP_TRAIT_SITES] += p->calls.rows.at[i].site_line != 0;
		n[PP_TRAIT_ADDRESSES] += p->calls.rows.at[i].site_address != 0;
		n[PP_TRAIT_CALLS] += pp_edge_cell(p, i, 0) != 0;
	}
	for (i = 0; i < p->lines.rows.n; i++) {
		n[PP_TRAIT_LINES] += p->lines.rows.at[i].line != 0;
		n[PP_TRAIT_ADDRESSES] += p->lines.rows.at[i].address != 0;
	}
	n[PP_TRAIT_PAIRS] = p->calls.rows.n;
	n[PP_TRAIT_HITS] = p->lines.hits ? n[PP_TRAIT_LINES] : 0;
}

/* How many rows of a series have a measured total that is not the sum of the own costs below. */
static bool
measured_count(const struct pp_profile *p, const struct pp_series *s, size_t metric, uint64_t *n)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value *sum = calloc(p->tree.n, sizeof *sum);
	pp_node node;
	uint32_t row;

	if (!sum)
		return false;
	for (row = 0; row < s->rows; row++)
		pp_value_add(m, &sum[pp_series_node(s, row)],
		             pp_cell_value(m, pp_series_cell(s, row, metric)));
	for (node = p->tree.n; --node;)
		pp_value_add(m, &sum[pp_tree_parent(&p->tree, node)], sum[node]);
	for (row = 0; row < s->rows; row++)
		if (pp_series_present(s, row) && pp_series_node(s, row))
			*n += pp_value_cmp(
			          m, sum[pp_series_node(s, row)],
			          pp_cell_value(m, pp_series_measured(p, s, row)[metric])) != 0;
	free(sum);
	return true;
}

static bool
series_count(const struct pp_profile *p, uint64_t *n)
{
	size_t i, m;
	uint32_t row;
	bool ok = true;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		n[PP_TRAIT_THREADS] += s->pid >= 0 || s->tid >= 0 || s->process || s->thread ||
		                       s->context;
		n[PP_TRAIT_CPUS] += s->cpu >= 0;
		n[PP_TRAIT_LABELS] += s->labels != 0;
		n[PP_TRAIT_TIMELINE] += s->timeline.n;
		n[PP_TRAIT_CALLS] += called_rows(p, s);
		for (row = 0; row < s->rows && (!s->dense || row == 0); row++)
			n[PP_TRAIT_NO_STACK] += pp_series_node(s, row) == 0 &&
			                        pp_series_present(s, row);
		for (m = 0; ok && s->measured && m < p->metrics.n; m++)
			ok = measured_count(p, s, m, &n[PP_TRAIT_MEASURED]);
	}
	/* Totals that calls do not give: the file states them. */
	if (p->costs.stated && p->costs.measured && p->tree.n <= 1 && p->calls.rows.n)
		n[PP_TRAIT_MEASURED] += p->costs.funcs.n;
	return ok;
}

static void
whole_count(const struct pp_profile *p, uint64_t *n)
{
	size_t i;

	n[PP_TRAIT_STACKS] = p->held ? pp_held_count(p->held) : p->tree.n > 1 ? p->tree.n - 1 : 0;
	n[PP_TRAIT_EXCLUSIVE] = p->not_own.n;
	n[PP_TRAIT_TIME] = p->time.known;
	n[PP_TRAIT_RECORDED] = p->recorded_at != 0;
	n[PP_TRAIT_SAMPLES] = p->samples;
	for (i = 0; i < p->kept.extras.n; i++)
		n[PP_TRAIT_MARKERS] += p->kept.extras.at[i].table == PP_EXTRA_MARKER;
	if (n[PP_TRAIT_MARKERS] < p->markers)
		n[PP_TRAIT_MARKERS] = p->markers;
	n[PP_TRAIT_SOURCES] = p->sources.n;
	n[PP_TRAIT_INCOMPLETE] = !p->complete;
	for (i = 0; i < p->metrics.n; i++)
		n[PP_TRAIT_EVENTS] += p->metrics.at[i].event != 0;
	for (i = 0; i < p->meta.n; i++)
		n[PP_TRAIT_METADATA] += p->meta.at[i].type != PP_META_OBJECT &&
		                        p->meta.at[i].type != PP_META_ARRAY;
}

bool
pp_traits_count(const struct pp_profile *p, struct pp_traits *traits)
{
	struct used used = { 0 };
	uint64_t unread = p->unread;
	bool ok = false;
	unsigned i;

	*traits = (struct pp_traits){ 0 };
	whole_count(p, traits->n);
	rows_count(p, traits->n);
	unread |= p->holds & PP_TIMELINE ? PP_HAS(TIMELINE) : 0;
	unread |= p->holds & PP_LINES && !(p->facets & PP_LINES) ? PP_HAS(LINES) : 0;
	if (used_find(p, &used)) {
		frames_count(p, &used, traits->n);
		functions_count(p, &used, traits->n);
		ok = series_count(p, traits->n);
	}
	used_release(&used);
	for (i = 0; i < PP_TRAITS; i++)
		if (!traits->n[i] && unread >> i & 1)
			traits->n[i] = PP_TRAIT_UNCOUNTED;
	return ok;
}

bool
pp_traits_homonyms(const struct pp_profile *p, uint64_t by, uint64_t *n)
{
	struct used used = { 0 };
	struct pp_strtab seen;
	bool ok = pp_strtab_init(&seen, p->strs.seed) && used_find(p, &used), is_new;
	size_t i;
	pp_str id;

	*n = 0;
	for (i = 1; ok && i < p->funcs.n; i++)
		if (used.funcs[i])
			used.funcs[p->funcs.at[i].same] = 1;
	for (i = 1; ok && i < p->funcs.n; i++) {
		const struct pp_func_row *f = &p->funcs.at[i];
		const uint32_t key[] = { f->name, by & PP_HAS(FILES) ? f->file : 0,
			                 by & PP_HAS(FIRST_LINES) ? f->line : 0,
			                 by & PP_HAS(FIRST_COLUMNS) ? f->column : 0,
			                 by & PP_HAS(MODULES) ? f->module : 0 };

		if (!used.funcs[i] || f->same != i)
			continue;
		ok = pp_strtab_intern(&seen, key, sizeof key, &id, &is_new);
		*n += ok && !is_new;
	}
	pp_strtab_release(&seen);
	used_release(&used);
	return ok;
}
