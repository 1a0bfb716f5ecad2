/*
 * Which stack records there are, what their rows add up to, and their order: the heaviest first, so that the head of a
 * file is what costs most.
 */
#include "base/sort.h"
#include "formats/spaa/write.h"
#include "model/held.h"

static bool
row_in_event(const struct pp_spaa_out *o, const struct pp_spaa_out_row *row,
             const struct pp_spaa_out_event *e)
{
	pp_str own = row->series < o->p->series.n ? o->p->series.at[row->series].event : 0;

	return !e->event || !own || own == e->event;
}

static void
sums_release(struct pp_spaa_sums *sums)
{
	free(sums->all);
	free(sums->less);
	free(sums->used);
	free(sums->is_used);
	pp_map_release(&sums->event_of);
}

static bool
sums_init(struct pp_spaa_sums *sums, const struct pp_spaa_out *o)
{
	size_t n = o->p->metrics.n, i;

	*sums = (struct pp_spaa_sums){ .all = calloc(n + 1, sizeof *sums->all),
		                       .less = calloc(n + 1, sizeof *sums->less),
		                       .used = calloc(n + 1, sizeof *sums->used),
		                       .event_of = { .seed = o->p->strs.seed } };
	if (n > PP_FEW_COLUMNS)
		sums->is_used = calloc(n + 1, sizeof *sums->is_used);
	for (i = 0; sums->used && !sums->is_used && i < n; i++)
		sums->used[sums->n++] = (uint32_t)i;
	for (i = 0; i < o->main_events; i++)
		if (!pp_map_set(&sums->event_of, o->events.at[i].event, (uint32_t)i))
			return false;
	return sums->all && sums->less && sums->used && (sums->is_used || n <= PP_FEW_COLUMNS);
}

/* Notes that a metric may have a value. */
static void
sums_use(struct pp_spaa_sums *sums, uint32_t metric)
{
	if (!sums->is_used || sums->is_used[metric])
		return;
	sums->is_used[metric] = true;
	sums->used[sums->n++] = metric;
}

/* Nothing was added; what was used has to be forgotten. */
static void
sums_clear(const struct pp_spaa_out *o, struct pp_spaa_sums *sums)
{
	size_t k;

	for (k = 0; k < sums->n; k++) {
		uint32_t m = sums->used[k];

		sums->all[m] = sums->less[m] = pp_value_zero(&o->p->metrics.at[m]);
		if (sums->is_used)
			sums->is_used[m] = false;
	}
	if (sums->is_used)
		sums->n = 0;
}

static int
metric_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
sums_add(const struct pp_spaa_out *o, const struct pp_spaa_out_event *e, struct pp_spaa_sums *sums,
         uint32_t m, int64_t cell)
{
	const struct pp_metric *metric = &o->p->metrics.at[m];

	if (!pp_spaa_out_has(o, e, m))
		return;
	sums_use(sums, m);
	pp_value_add(metric, &sums->all[m], pp_cell_value(metric, cell));
}

/* Adds what a row has of an event. */
static void
sums_add_row(const struct pp_spaa_out *o, const struct pp_spaa_out_event *e,
             struct pp_spaa_sums *sums, const struct pp_spaa_out_row *row)
{
	struct pp_cells cells = { .at = row->cells, .n = o->p->metrics.n };
	size_t k;

	if (!row->cells)
		cells = o->from.many(o, row->series, row->row);
	for (k = 0; k < cells.n; k++)
		if (!sums->is_used || cells.at[k])
			sums_add(o, e, sums, pp_cells_column(&cells, k), cells.at[k]);
}

/* Adds up what is not the own cost of a leaf. */
static void
less_add(const struct pp_spaa_out *o, pp_node node, uint32_t series, struct pp_spaa_sums *sums)
{
	size_t low = 0, high = o->from.less_n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->from.less[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < o->from.less_n && o->from.less[low].node == node; low++) {
		const struct pp_not_own_row *row = &o->from.less[low];
		const struct pp_metric *m = &o->p->metrics.at[row->metric];

		if (!o->split || row->series == series) {
			sums_use(sums, row->metric);
			pp_value_add(m, &sums->less[row->metric], pp_cell_value(m, row->cell));
		}
	}
}

/* Where the rows of one node (of one series, when split) end. */
static size_t
group_end(const struct pp_spaa_out *o, size_t first)
{
	const struct pp_spaa_out_row *rows = o->from.rows.at;
	size_t last = first + 1;

	while (last < o->from.rows.n && rows[last].node == rows[first].node &&
	       (!o->split || rows[last].series == rows[first].series))
		last++;
	return last;
}

/* Adds up what rows have of an event, and goes on with it. */
static void
event_write(struct pp_spaa_out *o, struct pp_spaa_out_record record, size_t last,
            struct pp_spaa_sums *sums, bool write)
{
	const struct pp_spaa_out_event *event = &o->events.at[record.event];
	const struct pp_spaa_out_row *rows = o->from.rows.at;
	bool any = false;
	size_t i;

	sums_clear(o, sums);
	for (i = record.first; i < last; i++) {
		if (!row_in_event(o, &rows[i], event))
			continue;
		any = true;
		sums_add_row(o, event, sums, &rows[i]);
	}
	if (any && o->from.less_n)
		less_add(o, rows[record.first].node, rows[record.first].series, sums);
	if (sums->is_used && sums->n > 1)
		qsort(sums->used, sums->n, sizeof *sums->used, metric_cmp);
	if (any)
		pp_spaa_group_write(o, record, sums, write);
}

/* The same for each event that they may be of: one row says of which it is. */
static void
node_find(struct pp_spaa_out *o, size_t first, size_t last, struct pp_spaa_sums *sums)
{
	struct pp_spaa_out_record record = { .first = first };
	uint32_t series = o->from.rows.at[first].series, only = PP_MAP_NONE;

	if (last - first == 1 && series < o->p->series.n && o->p->series.at[series].event)
		only = pp_map_get(&sums->event_of, o->p->series.at[series].event);
	if (only != PP_MAP_NONE && o->events.at[0].event) {
		record.event = only;
		event_write(o, record, last, sums, false);
		return;
	}
	for (record.event = 0; record.event < o->main_events; record.event++)
		event_write(o, record, last, sums, false);
}

/* ---- records ---- */

/* Sorts what is there by 32 bits of each record; the lower ones of its weight, the upper ones, or its event's. */
static void
order_by(struct pp_spaa_out *o, uint64_t *room, uint32_t (*key)(const struct pp_spaa_out_record *))
{
	size_t i;

	for (i = 0; i < o->records.n; i++) {
		uint32_t at = (uint32_t)o->order[i];

		o->order[i] = (uint64_t)key(&o->records.at[at]) << 32 | at;
	}
	pp_sort_words(o->order, room, o->records.n);
}

static uint32_t
weight_low(const struct pp_spaa_out_record *r)
{
	return ~(uint32_t)r->weight;
}

static uint32_t
weight_high(const struct pp_spaa_out_record *r)
{
	return ~(uint32_t)(r->weight >> 32);
}

static uint32_t
rank_of(const struct pp_spaa_out_record *r)
{
	return r->rank;
}

/*
 * Event by event, that of the profile's first metric before the others; the heaviest stacks first, and what weighs the
 * same as it was found.
 */
static void
records_order(struct pp_spaa_out *o, uint32_t first)
{
	size_t n = o->records.n, i;
	uint64_t *room = malloc((n + 1) * sizeof *room);

	o->order = malloc((n + 1) * sizeof *o->order);
	if (n > UINT32_MAX || !room || !o->order)
		o->failed = true;
	for (i = 0; !o->failed && i < n; i++) {
		struct pp_spaa_out_record *r = &o->records.at[i];

		/* Those before it move up by one. */
		r->rank = r->rank == first ? 0 : r->rank + (r->rank < first);
		o->order[i] = i;
	}
	if (!o->failed) {
		order_by(o, room, weight_low);
		order_by(o, room, weight_high);
		order_by(o, room, rank_of);
	}
	free(room);
}

void
pp_spaa_find_records(struct pp_spaa_out *o)
{
	size_t primary = pp_profile_primary(o->p), i, last;
	struct pp_spaa_sums sums;
	uint32_t first = 0;

	if (!sums_init(&sums, o))
		o->failed = true;
	for (i = 0; !o->failed && i < o->from.rows.n; i = last) {
		last = group_end(o, i);
		node_find(o, i, last, &sums);
	}
	sums_release(&sums);
	pp_spaa_ids_claim(o);
	while (first < o->main_events && o->events.at[first].primary != primary)
		first++;
	if (!o->failed)
		records_order(o, first);
}

/* How many records ahead each thing that leads to the next is fetched. */
#define AHEAD 8

/* Records that are heaviest first are all over memory. */
static void
record_fetch(const struct pp_spaa_out *o, size_t i)
{
	const struct pp_held *list = o->from.list;
	size_t n = o->records.n;

#define RECORD(i) (&o->records.at[(uint32_t)o->order[i]])
#define ROW(i) (&o->from.rows.at[RECORD(i)->first])
	if (i + 4 * AHEAD >= n)
		return;
	__builtin_prefetch(RECORD(i + 4 * AHEAD));
	__builtin_prefetch(ROW(i + 3 * AHEAD));
	if (ROW(i + 2 * AHEAD)->cells)
		__builtin_prefetch(ROW(i + 2 * AHEAD)->cells);
	if (list) {
		struct pp_held_walk at = pp_held_walk(list, ROW(i + AHEAD)->node - 1);

		__builtin_prefetch(&list->stacks.at[ROW(i + 2 * AHEAD)->node - 1]);
		pp_held_fetch(list, &at);
		at.at += at.left;
		pp_held_fetch(list, &at);
	}
#undef RECORD
#undef ROW
}

void
pp_spaa_write_stacks(struct pp_spaa_out *o)
{
	struct pp_spaa_sums sums;
	size_t i;

	if (!sums_init(&sums, o))
		o->failed = true;
	for (i = 0; !o->failed && i < o->records.n && o->w->out->status == PP_OK; i++) {
		struct pp_spaa_out_record record = o->records.at[(uint32_t)o->order[i]];

		record_fetch(o, i);
		event_write(o, record, group_end(o, record.first), &sums, true);
	}
	sums_release(&sums);
}
