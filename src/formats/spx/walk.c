/*
 * The tree of one chunk, and what happens to events that are not plain.
 */
#include "formats/spx/walk.h"

#include "base/hash.h"
#include "base/num.h"

#define FIRST_NODES 256u
#define FIRST_SLOTS 1024u
/* After so many refused lines in a row the rest is taken for garbage (a broken deflate stream). */
#define BAD_RUN 1000

#define FLOOR_KEY ((uint64_t)SPX_INDEX_NONE << SPX_KEY_INDEX)

bool
pp_spx_walk_init(struct spx_walk *w)
{
	*w = (struct spx_walk){ .cap = FIRST_NODES, .mask = FIRST_SLOTS - 1 };
	pp_diags_init(&w->diags);
	w->nodes = malloc(FIRST_NODES * sizeof *w->nodes);
	w->slots = malloc(FIRST_SLOTS * sizeof *w->slots);
	if (w->nodes && w->slots)
		return true;
	pp_spx_walk_release(w);
	return false;
}

void
pp_spx_walk_release(struct spx_walk *w)
{
	free(w->nodes);
	free(w->cells);
	free(w->slots);
	pp_vec_release(&w->floors);
	pp_vec_release(&w->events);
	pp_vec_release(&w->event_values);
	pp_diags_release(&w->diags);
	*w = (struct spx_walk){ 0 };
}

static bool
walk_grow(struct spx_walk *w)
{
	uint32_t cap = w->cap * 2;
	struct spx_node *nodes = realloc(w->nodes, cap * sizeof *nodes);
	int64_t *cells;

	if (nodes)
		w->nodes = nodes;
	cells = nodes ? realloc(w->cells, (size_t)cap * w->stride * sizeof *cells) : NULL;
	if (cells) {
		w->cells = cells;
		w->cap = cap;
	}
	return cells != NULL;
}

static inline uint32_t
slot_of(const struct spx_walk *w, uint64_t key)
{
	return (uint32_t)((key * PP_HASH_K1) >> 32 ^ (key * PP_HASH_K2) >> 40) & w->mask;
}

static bool
walk_grow_slots(struct spx_walk *w)
{
	uint32_t size = (w->mask + 1) * 2, node, at;
	uint32_t *slots = calloc(size, sizeof *slots);

	if (!slots)
		return false;
	free(w->slots);
	w->slots = slots;
	w->mask = size - 1;
	for (node = 1; node < w->n; node++) {
		if (w->nodes[node].floor)
			continue;
		for (at = slot_of(w, w->nodes[node].key); slots[at]; at = (at + 1) & w->mask)
			;
		slots[at] = node;
	}
	return true;
}

/* Adds a node; 0 when out of memory. */
static uint32_t
walk_add(struct spx_walk *w, uint64_t key, uint32_t floor)
{
	uint32_t node = w->n;

	if (node == w->cap && !walk_grow(w)) {
		w->no_memory = true;
		return 0;
	}
	w->nodes[node] = (struct spx_node){ key, 0, floor };
	memset(w->cells + (size_t)node * w->stride, 0, w->stride * sizeof *w->cells);
	w->n++;
	return node;
}

uint32_t
pp_spx_walk_child(struct spx_walk *w, uint64_t key)
{
	uint32_t at, node;

	for (at = slot_of(w, key); (node = w->slots[at]) != 0; at = (at + 1) & w->mask)
		if (w->nodes[node].key == key)
			return node;
	node = walk_add(w, key, 0);
	if (!node)
		return 0;
	w->slots[at] = node;
	if (w->n > w->mask / 2 && !walk_grow_slots(w))
		w->no_memory = true;
	return node;
}

/* Puts a new floor under everything and stands on it. */
static void
walk_floor(struct spx_walk *w)
{
	uint32_t node = walk_add(w, FLOOR_KEY, (uint32_t)w->floors.n + 1);
	struct spx_floor floor = { node, SPX_INDEX_NONE, PP_NOWHERE };

	if (w->no_memory || !pp_vec_push(&w->floors, floor))
		w->no_memory = true;
	else
		w->cur = node;
}

void
pp_spx_walk_begin(struct spx_walk *w, const struct spx_layout *layout,
                  const struct spx_state *state)
{
	uint32_t stride = layout->metrics + 1, j;

	w->layout = layout;
	w->state = *state;
	/* Only the last few matter, and the count must not wrap. */
	if (w->state.recents > 2 * SPX_RECENT)
		w->state.recents = SPX_RECENT + w->state.recents % SPX_RECENT;
	if (stride > w->stride) {
		free(w->cells);
		w->cells = malloc((size_t)w->cap * stride * sizeof *w->cells);
	}
	w->stride = stride;
	w->no_memory = !w->cells;
	w->slow = false;
	for (j = 0; j < layout->metrics; j++)
		w->slow |= state->scale[j] != 0;
	memset(w->slots, 0, ((size_t)w->mask + 1) * sizeof *w->slots);
	w->n = 0;
	w->floors.n = w->events.n = w->event_values.n = 0;
	w->count = w->lines = w->short_lines = w->merged_lines = 0;
	w->has_first = w->garbage = w->crlf = false;
	w->back = 0;
	pp_diags_release(&w->diags);
	pp_diags_init(&w->diags);
	if (!w->no_memory)
		walk_floor(w);
}

/* ---- numbers ---- */

static bool
times_power10(int64_t *value, unsigned power)
{
	while (power-- > 0)
		if (__builtin_mul_overflow(*value, 10, value))
			return false;
	return true;
}

bool
pp_spx_walk_rescale(struct spx_walk *w, uint32_t column, unsigned scale)
{
	unsigned by = scale - w->state.scale[column];
	int64_t value;
	size_t i;

	/* First look whether all fit, then do it. */
	for (i = 0; i < 2; i++) {
		size_t k;

#define RESCALE(cell)                                                                              \
	do {                                                                                       \
		value = (cell);                                                                    \
		if (!times_power10(&value, by))                                                    \
			return false;                                                              \
		if (i == 1)                                                                        \
			(cell) = value;                                                            \
	} while (0)

		RESCALE(w->state.values[column]);
		if (w->has_first)
			RESCALE(w->first[column]);
		for (k = 0; k < w->n; k++)
			RESCALE(w->cells[k * w->stride + column]);
		for (k = column; k < w->event_values.n; k += w->layout->metrics)
			RESCALE(w->event_values.at[k]);
#undef RESCALE
	}
	w->state.scale[column] = scale;
	w->slow = true;
	return true;
}

/* The slip of SPX 0.4: a negative whole number -n is written as -(n-1).9999, and -1 as -.9999. */
static bool
number_slip(struct pp_slice s, int64_t *value)
{
	uint64_t magnitude = 0;

	if (s.n < 6 || s.p[0] != '-' || memcmp(s.p + s.n - 5, ".9999", 5) != 0)
		return false;
	if (s.n > 6 && !pp_num_u64(pp_slice_of(s.p + 1, s.n - 6), &magnitude))
		return false;
	if (magnitude > (uint64_t)INT64_MAX)
		return false;
	*value = -(int64_t)magnitude - 1;
	return true;
}

/* A number in units of 10^-scale of its column, which gets more decimals when the number has. */
static bool
number_scaled(struct spx_walk *w, uint32_t column, struct pp_slice s, int64_t *value)
{
	unsigned *scale = &w->state.scale[column];
	int exponent;

	if (pp_num_i64(s, value) || (!w->layout->fixed[column] && number_slip(s, value)))
		return times_power10(value, *scale);
	if (!pp_num_decimal(s, value, &exponent))
		return false;
	for (; exponent < 0 && *value % 10 == 0 && *value; exponent++)
		*value /= 10;
	if (*value == 0)
		return true;
	if (exponent < -18 || exponent > 18)
		return false;
	if (exponent < -(int)*scale && !pp_spx_walk_rescale(w, column, (unsigned)-exponent))
		return false;
	return times_power10(value, (unsigned)(exponent + (int)*scale));
}

bool
pp_spx_walk_number(struct spx_walk *w, uint32_t column, struct pp_slice s, bool relative)
{
	int64_t value, *next = &w->next[column];

	if (!number_scaled(w, column, s, &value))
		return false;
	if (!relative) {
		*next = value;
		return true;
	}
	return !__builtin_add_overflow(w->state.values[column], value, next);
}

/* ---- events ---- */

void
pp_spx_walk_refuse(struct spx_walk *w, struct pp_place place, const char *why)
{
	pp_diag_add(&w->diags, &pp_spx_rules[SPX_EVENT_INVALID], place, "%s", why);
	if (++w->state.bad < BAD_RUN)
		return;
	w->garbage = true;
	pp_diag_add(&w->diags, &pp_spx_rules[SPX_GARBAGE], place,
	            "%d lines in a row are no events; what follows in this section is not read",
	            BAD_RUN);
}

void
pp_spx_walk_record(struct spx_walk *w, uint32_t node, bool start, uint32_t site)
{
	struct spx_event event = { node, (uint16_t)site, start };
	uint32_t m = w->layout->metrics;

	if (!pp_vec_push(&w->events, event) ||
	    !pp_vec_reserve(&w->event_values, w->event_values.n + m)) {
		w->no_memory = true;
		return;
	}
	if (m)
		memcpy(w->event_values.at + w->event_values.n, w->state.values,
		       m * sizeof(int64_t));
	w->event_values.n += m;
}

void
pp_spx_walk_end_odd(struct spx_walk *w, uint32_t index, struct pp_place place)
{
	const struct spx_node *node = &w->nodes[w->cur];

	if (node->floor) {
		/* Whose frame this closes is found out when the chunk is merged. */
		w->floors.at[node->floor - 1].ended = index;
		w->floors.at[node->floor - 1].place = place;
		walk_floor(w);
		return;
	}
	pp_diag_add(&w->diags, &pp_spx_rules[SPX_END_OTHER], place,
	            "the end of function %u closes the frame of function %u", index,
	            pp_spx_key_index(node->key));
	w->cur = pp_spx_key_parent(node->key);
}

/* Charges what the counters grew to the current node; the new state is in w->next. */
static void
walk_charge(struct spx_walk *w, struct pp_place place)
{
	int64_t *cells = w->cells + (size_t)w->cur * w->stride;
	uint32_t j;

	for (j = 0; j < w->layout->metrics; j++) {
		int64_t grew, sum;

		if (__builtin_sub_overflow(w->next[j], w->state.values[j], &grew) ||
		    __builtin_add_overflow(cells[j], grew, &sum)) {
			pp_diag_add(&w->diags, &pp_spx_rules[SPX_VALUE_RANGE], place,
			            "column %u passes 64 bits; the value before is kept", j + 1);
			w->next[j] = w->state.values[j];
			continue;
		}
		cells[j] = sum;
		if (j == 0)
			w->back |= grew;
		w->state.values[j] = w->next[j];
	}
}

void
pp_spx_walk_event(struct spx_walk *w, bool start, uint32_t index, uint32_t site,
                  struct pp_place place)
{
	uint32_t left = w->cur;

	w->state.bad = 0;
	w->count++;
	if (!w->state.known) {
		w->state.known = w->has_first = true;
		memcpy(w->state.values, w->next, w->layout->metrics * sizeof *w->next);
		memcpy(w->first, w->next, w->layout->metrics * sizeof *w->next);
	} else {
		walk_charge(w, place);
	}
	w->state.recent[w->state.recents++ % SPX_RECENT] = index;
	if (start) {
		uint64_t key = (uint64_t)w->cur << SPX_KEY_PARENT |
		               (uint64_t)index << SPX_KEY_INDEX | (site & w->site_mask);
		uint32_t child = pp_spx_walk_child(w, key);

		if (!child)
			return;
		w->nodes[w->cur].last = child;
		w->cells[(size_t)child * w->stride + w->layout->metrics]++;
		w->cur = left = child;
	} else if (pp_spx_key_index(w->nodes[w->cur].key) == index) {
		w->cur = pp_spx_key_parent(w->nodes[w->cur].key);
	} else {
		pp_spx_walk_end_odd(w, index, place);
	}
	if (w->record)
		pp_spx_walk_record(w, left, start, site);
}

/* ---- lines ---- */

/* One line that the fast run did not take; returns where the next one starts. */
static const unsigned char *
walk_line(struct spx_walk *w, const unsigned char *p, const unsigned char *end, bool cut)
{
	const unsigned char *newline = memchr(p, '\n', (size_t)(end - p));
	struct pp_slice line = pp_slice_of(p, (size_t)((newline ? newline : end) - p));

	w->lines++;
	if (!newline && cut) {
		pp_diag_add(&w->diags, &pp_spx_rules[SPX_LINE_CUT], pp_spx_place(w, p, 0),
		            "the last line is cut; it is not used");
		return end;
	}
	if (line.n && line.p[line.n - 1] == '\r') {
		line.n--;
		w->crlf = true;
	}
	if (line.n == 0)
		return newline ? newline + 1 : end;
	if (w->layout->bars)
		pp_spx_line_05(w, line);
	else
		pp_spx_line_04(w, line, newline != NULL);
	return newline ? newline + 1 : end;
}

void
pp_spx_walk_text(struct spx_walk *w, struct pp_slice text, uint64_t offset, bool cut)
{
	const unsigned char *p = text.p, *end = p + text.n, *whole = end;

	w->text = text.p;
	w->text_offset = offset;
	/* The fast runs read whole lines only. */
	while (whole > p && whole[-1] != '\n')
		whole--;
	while (p < end && !w->no_memory && !w->garbage) {
		if (p < whole && w->state.known && !w->slow) {
			const unsigned char *from = p;

			p = w->layout->bars ? pp_spx_run_05(w, p, whole)
			                    : pp_spx_run_04(w, p, whole);
			if (p != from)
				w->state.bad = 0;
			if (w->no_memory || p >= end)
				break;
		}
		p = walk_line(w, p, end, cut);
	}
	/* Lines of what was not read count too, so that places behind stay right. */
	for (; p < end; p++)
		w->lines += *p == '\n';
}

bool
pp_spx_next_field(struct pp_slice *rest, unsigned char between, bool *more, struct pp_slice *field)
{
	const unsigned char *at;

	if (!*more)
		return false;
	at = rest->n ? memchr(rest->p, between, rest->n) : NULL;
	*more = at != NULL;
	*field = pp_slice_of(rest->p, at ? (size_t)(at - rest->p) : rest->n);
	if (at)
		*rest = pp_slice_of(at + 1, rest->n - field->n - 1);
	return true;
}
