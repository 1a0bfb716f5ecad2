/*
 * The tree of one chunk, and what happens to events that are not plain.
 */
#include "formats/spx/walk.h"

#include "base/hash.h"
#include "base/num.h"

#define FIRST_NODES 256u
#define FIRST_BITS 10

#define FLOOR_KEY ((uint64_t)SPX_INDEX_NONE << SPX_KEY_INDEX)

bool
pp_spx_walk_init(struct spx_walk *w)
{
	*w = (struct spx_walk){ .tree.cap = FIRST_NODES };
	pp_diags_init(&w->diags);
	w->tree.nodes = malloc(FIRST_NODES * sizeof *w->tree.nodes);
	if (w->tree.nodes && pp_slots_init(&w->tree.slots, FIRST_BITS, NULL))
		return true;
	pp_spx_walk_release(w);
	return false;
}

void
pp_spx_walk_release(struct spx_walk *w)
{
	free(w->tree.nodes);
	free(w->tree.cells);
	pp_slots_release(&w->tree.slots);
	pp_vec_release(&w->tree.floors);
	pp_vec_release(&w->events);
	pp_vec_release(&w->event_values);
	pp_diags_release(&w->diags);
	*w = (struct spx_walk){ 0 };
}

static bool
tree_grow(struct spx_tree *t)
{
	uint32_t cap = t->cap * 2;
	struct spx_node *nodes = realloc(t->nodes, cap * sizeof *nodes);
	int64_t *cells;

	if (nodes)
		t->nodes = nodes;
	cells = nodes ? realloc(t->cells, (size_t)cap * t->stride * sizeof *cells) : NULL;
	if (cells) {
		t->cells = cells;
		t->cap = cap;
	}
	return cells != NULL;
}

static inline uint32_t
key_tag(uint64_t key)
{
	return (uint32_t)((key * PP_HASH_K1) >> 32 ^ (key * PP_HASH_K2) >> 40);
}

/* Adds a node; 0 when out of memory. */
static uint32_t
walk_add(struct spx_walk *w, uint64_t key, uint32_t floor)
{
	struct spx_tree *t = &w->tree;
	uint32_t node = t->n;

	if (node == t->cap && !tree_grow(t)) {
		w->no_memory = true;
		return 0;
	}
	t->nodes[node] = (struct spx_node){ key, 0, floor };
	memset(t->cells + (size_t)node * t->stride, 0, t->stride * sizeof *t->cells);
	t->n++;
	return node;
}

uint32_t
pp_spx_walk_child(struct spx_walk *w, uint64_t key)
{
	struct pp_slots *slots = &w->tree.slots;
	uint32_t tag = key_tag(key), node;
	size_t at;

	if (!pp_slots_reserve(slots, 1)) {
		w->no_memory = true;
		return 0;
	}
	at = pp_slots_begin(slots, tag);
	while ((node = pp_slots_next(slots, tag, &at)))
		if (w->tree.nodes[node].key == key)
			return node;
	node = walk_add(w, key, 0);
	if (node)
		pp_slots_put_here(slots, at, tag, node);
	return node;
}

/* Puts a new floor under everything and stands on it. */
static void
walk_floor(struct spx_walk *w)
{
	uint32_t node = walk_add(w, FLOOR_KEY, (uint32_t)w->tree.floors.n + 1);
	struct spx_floor floor = { node, SPX_INDEX_NONE, PP_NOWHERE };

	if (w->no_memory || !pp_vec_push(&w->tree.floors, floor))
		w->no_memory = true;
	else
		w->tree.cur = node;
}

void
pp_spx_walk_begin(struct spx_walk *w, const struct spx_layout *layout,
                  const struct spx_state *state)
{
	uint32_t stride = layout->metrics + layout->gains + 1, j;

	w->layout = layout;
	w->state = *state;
	/* Only the last few matter, and the count must not wrap. */
	if (w->state.recents > 2 * SPX_RECENT)
		w->state.recents = SPX_RECENT + w->state.recents % SPX_RECENT;
	if (stride > w->tree.stride) {
		free(w->tree.cells);
		w->tree.cells = malloc((size_t)w->tree.cap * stride * sizeof *w->tree.cells);
	}
	w->tree.stride = stride;
	w->no_memory = !w->tree.cells;
	w->slow = w->lacks = false;
	w->alone = !state->known;
	for (j = 0; j < layout->metrics; j++)
		w->slow |= state->scale[j] != 0;
	pp_slots_clear(&w->tree.slots);
	w->tree.n = 0;
	w->tree.floors.n = w->events.n = w->event_values.n = 0;
	w->count = 0;
	w->has_first = false;
	w->found = (struct spx_found){ 0 };
	w->doubts = (struct spx_doubts){ 0 };
	w->strict.on = false;
	pp_diags_release(&w->diags);
	pp_diags_init(&w->diags);
	if (!w->no_memory)
		walk_floor(w);
}

/* ---- numbers ---- */

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
		if (!pp_num_times_power10(&value, by))                                             \
			return false;                                                              \
		if (i == 1)                                                                        \
			(cell) = value;                                                            \
	} while (0)

		RESCALE(w->state.values[column]);
		if (w->has_first)
			RESCALE(w->first[column]);
		for (k = 0; k < w->tree.n; k++) {
			int64_t *cells = w->tree.cells + k * w->tree.stride;
			uint32_t g;

			RESCALE(cells[column]);
			for (g = 0; g < w->layout->gains; g++)
				if (w->layout->gain_of[g] == column)
					RESCALE(cells[w->layout->metrics + g]);
		}
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
		return pp_num_times_power10(value, *scale);
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
	return pp_num_times_power10(value, (unsigned)(exponent + (int)*scale));
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
pp_spx_walk_doubt(struct spx_walk *w, uint64_t line)
{
	struct spx_doubts *d = &w->doubts;

	if (d->run == 0 || line - d->first >= SPX_DOUBT_LINES) {
		d->first = line;
		d->run = 0;
	}
	d->n++;
	if (++d->run == SPX_DOUBTS_MOST)
		w->found.garbage = true;
}

void
pp_spx_walk_refuse(struct spx_walk *w, struct pp_place place, const char *why)
{
	pp_diag_add(&w->diags, &pp_spx_rules[SPX_EVENT_INVALID], place, "%s", why);
	pp_spx_walk_doubt(w, place.line);
}

bool
pp_spx_walk_unlikely(struct spx_walk *w, bool start, uint32_t index)
{
	const struct spx_node *node = &w->tree.nodes[w->tree.cur];
	struct spx_strict *s = &w->strict;
	bool fresh = index >= s->functions, in_turn = index <= s->functions;

	if (fresh && start)
		s->functions = index + 1;
	if (s->time < w->layout->metrics &&
	    (w->next[s->time] > s->latest ||
	     (w->state.known && w->next[s->time] < w->state.values[s->time])))
		return true;
	if (start)
		return !in_turn;
	return node->floor ? w->tree.floors.n > s->open : pp_spx_key_index(node->key) != index;
}

void
pp_spx_walk_stop(struct spx_walk *w, struct pp_place place)
{
	w->found.garbage = true;
	pp_diag_add(&w->diags, &pp_spx_rules[SPX_GARBAGE], place,
	            "the text turns into garbage; what follows in this section is not read");
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
	const struct spx_node *node = &w->tree.nodes[w->tree.cur];

	if (node->floor) {
		/* Whose frame this closes is found out when the chunk is merged. */
		w->tree.floors.at[node->floor - 1].ended = index;
		w->tree.floors.at[node->floor - 1].place = place;
		walk_floor(w);
		return;
	}
	pp_spx_walk_doubt(w, place.line);
	pp_diag_add(&w->diags, &pp_spx_rules[SPX_END_OTHER], place,
	            "the end of function %u closes the frame of function %u", index,
	            pp_spx_key_index(node->key));
	w->tree.cur = pp_spx_key_parent(node->key);
}

/* Where the gains of a column are added up; NULL when nobody wants them. */
static int64_t *
gains_of(const struct spx_layout *layout, int64_t *cells, uint32_t column)
{
	uint32_t g;

	for (g = 0; g < layout->gains; g++)
		if (layout->gain_of[g] == column)
			return &cells[layout->metrics + g];
	return NULL;
}

/* Charges what the counters grew to the current node; the new state is in w->next. */
static void
walk_charge(struct spx_walk *w, struct pp_place place)
{
	int64_t *cells = w->tree.cells + (size_t)w->tree.cur * w->tree.stride;
	uint32_t j;

	for (j = 0; j < w->layout->metrics; j++) {
		int64_t *gained = gains_of(w->layout, cells, j), grew, sum;

		if (__builtin_sub_overflow(w->next[j], w->state.values[j], &grew) ||
		    __builtin_add_overflow(cells[j], grew, &sum) ||
		    (gained && !pp_cell_add(PP_INT, gained, pp_cell_gained(PP_INT, grew)))) {
			pp_diag_add(&w->diags, &pp_spx_rules[SPX_VALUE_RANGE], place,
			            "column %u exceeds 64 bits; the value before is kept", j + 1);
			w->next[j] = w->state.values[j];
			continue;
		}
		cells[j] = sum;
		if (j == 0)
			w->found.back |= grew;
		w->state.values[j] = w->next[j];
	}
}

void
pp_spx_walk_event(struct spx_walk *w, bool start, uint32_t index, uint32_t site,
                  const unsigned char *line)
{
	struct spx_cursor c;

	if (!w->state.known) {
		w->state.known = w->has_first = true;
		memcpy(w->state.values, w->next, w->layout->metrics * sizeof *w->next);
		memcpy(w->first, w->next, w->layout->metrics * sizeof *w->next);
	} else {
		walk_charge(w, pp_spx_place(w, line, 0));
	}
	w->state.recent[w->state.recents++ % SPX_RECENT] = index;
	/* The line is counted already. */
	w->found.lines--;
	c = pp_spx_cursor_begin(w);
	pp_spx_cursor_step(w, &c, start, index, site, line, w->record);
	pp_spx_cursor_end(w, &c);
}

/* ---- lines ---- */

/* One line that the fast run did not take; returns where the next one starts. */
static const unsigned char *
walk_line(struct spx_walk *w, const unsigned char *p, const unsigned char *end, bool cut)
{
	const unsigned char *next = pp_line_end(p, end);
	bool whole = next[-1] == '\n';
	struct pp_slice text = pp_slice_of(p, (size_t)(next - p) - whole),
	                line = pp_slice_chomp(text);

	w->found.lines++;
	if (!whole && cut) {
		pp_diag_add(&w->diags, &pp_spx_rules[SPX_LINE_CUT], pp_spx_place(w, p, 0),
		            "the last line is cut; it is not used");
		return end;
	}
	w->found.crlf |= line.n != text.n;
	if (line.n)
		pp_spx_line(w, line, whole);
	return next;
}

void
pp_spx_walk_text(struct spx_walk *w, struct pp_slice text, uint64_t offset, bool cut)
{
	const unsigned char *p = text.p, *end = p + text.n, *whole = pp_last_line_end(p, end);

	w->text = text.p;
	w->text_offset = offset;
	while (p < end && !w->no_memory && !w->found.garbage && !w->lacks) {
		/* The fast run reads whole lines only. */
		if (p < whole && w->state.known && !w->slow && !w->strict.on) {
			p = pp_spx_run(w, p, whole);
			if (w->no_memory || w->found.garbage || p >= end)
				break;
		}
		p = walk_line(w, p, end, cut);
	}
	/* Lines of what was not read count too, so that places behind stay right. */
	w->found.lines += pp_slice_count(pp_slice_between(p, end), '\n');
}
