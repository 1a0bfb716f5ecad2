/*
 * Writing folded stacks: one line per distinct stack, in the order of its bytes.
 *
 * The order comes from a walk over the tree, not from sorting lines: below each node, what stands next
 * is chosen by the bytes that follow, "name" for a child's own record and "name;" for what lies below it.
 * Names that the format cannot hold are replaced first; if that, or equal names of different functions,
 * makes stacks equal, the tree is first merged by name.
 */
#include "formats/folded/lines.h"

#include <math.h>

#include "base/num.h"

#define NO_STACK "[no stack]"

/* The tree to be written: nodes by name, with one or two values for those that have a record. */
struct names_tree {
	struct pp_strtab names;
	pp_str *name_of_frame;
	struct pp_loss *loss;
	struct pp_tree tree;   /* frames are pp_str of `names` */
	uint64_t *values;      /* [node * counts + k] */
	unsigned char *record; /* 1 where the node has a record */
	unsigned counts;
};

/* One thing below a node: a record (key "name") or a subtree (key "name;"). */
struct item {
	struct pp_slice name;
	pp_node node;
	bool below;
};

/* ---- names ------------------------------------------------------------------------------ */

bool
pp_folded_clean(struct pp_strtab *names, struct pp_loss *loss, struct pp_slice name, pp_str *id)
{
	struct pp_buf clean = { 0 };
	bool is_new, ok;
	size_t i;

	if (!memchr(name.p, ';', name.n) && !memchr(name.p, '\n', name.n))
		return pp_strtab_intern(names, name.p, name.n, id, &is_new);
	pp_buf_add(&clean, name.p, name.n);
	for (i = 0; !clean.failed && i < clean.n; i++) {
		if (clean.p[i] == ';')
			clean.p[i] = ':';
		/* A carriage return is a byte like any other unless it belongs to a line end. */
		else if (clean.p[i] == '\n' || (clean.p[i] == '\r' && clean.p[i + 1] == '\n'))
			clean.p[i] = ' ';
	}
	loss->names++;
	ok = !clean.failed && pp_strtab_intern(names, clean.p, clean.n, id, &is_new);
	pp_buf_release(&clean);
	return ok;
}

struct pp_slice
pp_folded_trim_left(struct pp_slice s)
{
	while (s.n && pp_is_space(s.p[0]))
		s = pp_slice_of(s.p + 1, s.n - 1);
	return s;
}

struct pp_slice
pp_folded_trim_right(struct pp_slice s)
{
	while (s.n && pp_is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* The name at the root of a stack: blanks at its start would not survive. */
static bool
name_root(struct names_tree *t, pp_str *id)
{
	struct pp_slice name = pp_strtab_get(&t->names, *id), trimmed = pp_folded_trim_left(name);
	bool is_new;

	if (trimmed.n == name.n)
		return true;
	t->loss->names++;
	return pp_strtab_intern(&t->names, trimmed.p, trimmed.n, id, &is_new);
}

static bool
names_prepare(struct names_tree *t, const struct pp_profile *p)
{
	size_t i;

	t->name_of_frame = calloc(p->frames.n, sizeof *t->name_of_frame);
	if (!t->name_of_frame || !pp_strtab_init(&t->names, p->strs.seed))
		return false;
	for (i = 1; i < p->frames.n; i++) {
		struct pp_slice name = pp_text_of(p, p->funcs.at[p->frames.at[i].func].name);

		if (!pp_folded_clean(&t->names, t->loss, name, &t->name_of_frame[i]))
			return false;
	}
	return true;
}

/* ---- the tree by name ------------------------------------------------------------------- */

/* Copies the tree, merging nodes of equal name; map[node] is where each went. */
static bool
tree_by_name(struct names_tree *t, const struct pp_profile *p, pp_node *map)
{
	pp_node node;

	if (!pp_tree_init(&t->tree, 1, UINT32_MAX - 1, &pp_pages_plain))
		return false;
	for (node = 1; node < p->tree.n; node++) {
		pp_node parent = pp_tree_parent(&p->tree, node);
		pp_str name = t->name_of_frame[pp_tree_frame(&p->tree, node)];

		if (parent == 0 && !name_root(t, &name))
			return false;
		map[node] = pp_tree_child(&t->tree, map[parent], name);
		if (!map[node])
			return false;
	}
	return true;
}

/* Whether cells of a metric are counts as they are. */
static bool
is_count(const struct pp_metric *m)
{
	return m->type == PP_UINT && m->scale == 0;
}

pp_status
pp_folded_count(struct pp_loss *loss, const struct pp_metric *m, union pp_value v, uint64_t *count)
{
	pp_i128 unit = 1, whole;
	unsigned i;

	*count = 0;
	if (m->type == PP_REAL) {
		/* Of seconds nothing would be left. */
		double exact = m->factor_num > 1000000 ? pp_value_double(m, v) : v.d,
		       d = floor(exact + 0.5);

		loss->rounded += d != exact;
		loss->negative += d < 0;
		if (d >= 18446744073709551616.0)
			return PP_E_LIMIT;
		*count = d > 0 ? (uint64_t)d : 0;
		return PP_OK;
	}
	for (i = 0; i < m->scale; i++)
		unit *= 10;
	loss->negative += v.i < 0;
	if (m->scale == 0 && v.i >= 0 && v.i <= UINT64_MAX) {
		*count = (uint64_t)v.i;
		return PP_OK;
	}
	loss->rounded += v.i % unit != 0;
	whole = v.i > 0 ? (v.i + unit / 2) / unit : 0;
	*count = (uint64_t)whole;
	return whole > UINT64_MAX ? PP_E_LIMIT : PP_OK;
}

/* Whether the rows of a series say anything about a metric: those of other events do not. */
static bool
series_has(const struct pp_series *s, const struct pp_metric *m)
{
	return !s->event || !m->event || s->event == m->event;
}

/*
 * Adds the own cost of all series to the nodes; PP_E_LIMIT when a sum exceeds 64 bits. What may be
 * negative or has decimals is added up as it is first, so that it is rounded once.
 */
static pp_status
value_fill(struct names_tree *t, const struct pp_profile *p, size_t metric, unsigned k,
           const pp_node *map, pp_node no_stack)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value *exact = is_count(m) ? NULL : calloc(t->tree.n, sizeof *exact);
	pp_status status = is_count(m) || exact ? PP_OK : PP_E_NOMEM;
	pp_node node;
	size_t i;
	uint32_t row;

	for (node = 0; exact && node < t->tree.n; node++)
		exact[node] = pp_value_zero(m);
	for (i = 0; status == PP_OK && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; series_has(s, m) && status == PP_OK && row < s->rows; row++) {
			int64_t cell = pp_series_cell(s, row, metric);
			uint64_t *sum;

			if (!pp_series_present(s, row) ||
			    (cell == 0 && m->flags & PP_METRIC_NO_ZERO))
				continue;
			node = pp_series_node(s, row);
			node = node ? map[node] : no_stack;
			t->record[node] = 1;
			sum = &t->values[(size_t)node * t->counts + k];
			if (exact)
				pp_value_add(m, &exact[node], pp_cell_value(m, cell));
			else if (__builtin_add_overflow(*sum, (uint64_t)cell, sum))
				status = PP_E_LIMIT;
		}
	}
	for (node = 0; exact && status == PP_OK && node < t->tree.n; node++)
		if (t->record[node])
			status = pp_folded_count(t->loss, m, exact[node],
			                         &t->values[(size_t)node * t->counts + k]);
	free(exact);
	return status;
}

static pp_status
values_fill(struct names_tree *t, const struct pp_profile *p, const size_t *metrics,
            const pp_node *map, pp_node no_stack)
{
	pp_status status = PP_OK;
	unsigned k;

	t->values = calloc((size_t)t->tree.n * t->counts, sizeof *t->values);
	t->record = calloc(t->tree.n, 1);
	if (!t->values || !t->record)
		return PP_E_NOMEM;
	for (k = 0; k < t->counts && status == PP_OK; k++)
		status = value_fill(t, p, metrics[k], k, map, no_stack);
	return status;
}

/* Whether any row stands at the root: samples without frames. */
static bool
has_rootless(const struct pp_profile *p, const size_t *metrics, unsigned n)
{
	size_t i;
	uint32_t row;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		if (!series_has(s, &p->metrics.at[metrics[0]]) &&
		    !series_has(s, &p->metrics.at[metrics[n - 1]]))
			continue;
		for (row = 0; row < s->rows && (!s->dense || row == 0); row++)
			if (pp_series_node(s, row) == 0 && pp_series_present(s, row))
				return true;
	}
	return false;
}

static pp_status
tree_prepare(struct names_tree *t, const struct pp_profile *p, const size_t *metrics)
{
	pp_node *map = calloc(p->tree.n, sizeof *map), no_stack = 0;
	pp_status status = PP_E_NOMEM;
	bool is_new;
	pp_str name;

	if (map && names_prepare(t, p) && tree_by_name(t, p, map)) {
		bool ok = true;

		if (has_rootless(p, metrics, t->counts)) {
			ok = pp_strtab_intern(&t->names, NO_STACK, strlen(NO_STACK), &name,
			                      &is_new);
			no_stack = ok ? pp_tree_child(&t->tree, 0, name) : 0;
			ok = no_stack != 0;
		}
		if (ok)
			status = values_fill(t, p, metrics, map, no_stack);
	}
	free(map);
	return status;
}

static void
names_tree_release(struct names_tree *t)
{
	pp_strtab_release(&t->names);
	free(t->name_of_frame);
	free(t->values);
	free(t->record);
	if (t->tree.key)
		pp_tree_release(&t->tree);
}

/* ---- the walk --------------------------------------------------------------------------- */

/* Byte `i` of an item's key; -1 past its end. */
static inline int
item_byte(const struct item *x, size_t i)
{
	if (i < x->name.n)
		return x->name.p[i];
	return i == x->name.n && x->below ? ';' : -1;
}

static int
item_cmp(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	size_t n = a->name.n < b->name.n ? a->name.n : b->name.n;
	int c = n ? memcmp(a->name.p, b->name.p, n) : 0;

	if (c)
		return c;
	c = item_byte(a, n) - item_byte(b, n);
	if (c)
		return c;
	c = item_byte(a, n + 1) - item_byte(b, n + 1);
	return c ? c : (a->node > b->node) - (a->node < b->node);
}

struct walk {
	struct names_tree *t;
	struct pp_sink *out;
	bool begun; /* something is written */
	pp_node *first, *next;
	PP_VEC(struct item) items; /* of all open levels */
	PP_VEC(struct level {
		size_t at; /* next item */
		size_t end;
		size_t path; /* length of the path text above */
	})
	levels;
	struct pp_buf path;
};

/* The name a record ends in: without blanks at its end, and never all of an empty stack. */
static struct pp_slice
record_name(struct walk *w, struct pp_slice name)
{
	struct pp_slice trimmed = pp_folded_trim_right(name);

	if (trimmed.n == 0 && w->path.n == 0)
		trimmed = pp_slice_z(PP_FOLDED_NO_NAME);
	w->t->loss->names += trimmed.n != name.n;
	return trimmed;
}

/* Lists what lies below a node, in order. */
static bool
walk_enter(struct walk *w, pp_node node)
{
	struct level level = { w->items.n, w->items.n, w->path.n };
	pp_node child;

	for (child = w->first[node]; child; child = w->next[child]) {
		struct pp_slice name = pp_strtab_get(&w->t->names,
		                                     pp_tree_frame(&w->t->tree, child));

		if (w->t->record[child] &&
		    !pp_vec_push(&w->items, (struct item){ record_name(w, name), child, false }))
			return false;
		if (w->first[child] && !pp_vec_push(&w->items, (struct item){ name, child, true }))
			return false;
	}
	level.end = w->items.n;
	if (level.end - level.at > 1)
		qsort(w->items.at + level.at, level.end - level.at, sizeof *w->items.at, item_cmp);
	return pp_vec_push(&w->levels, level);
}

/* Writes the record at items[*at] together with those whose text became equal; moves *at past them. */
static bool
walk_record(struct walk *w, struct level *level)
{
	const struct item *x = &w->items.at[level->at];
	unsigned counts = w->t->counts, k;
	uint64_t sum[2] = { 0, 0 };

	for (; level->at < level->end; level->at++) {
		const struct item *same = &w->items.at[level->at];

		if (same->below || !pp_slice_eq(same->name, x->name))
			break;
		for (k = 0; k < counts; k++)
			if (__builtin_add_overflow(
			        sum[k], w->t->values[(size_t)same->node * counts + k], &sum[k]))
				return false;
	}
	if (!w->begun)
		pp_folded_write_mark(w->out,
		                     w->path.n ? pp_slice_of(w->path.p, w->path.n) : x->name);
	w->begun = true;
	pp_sink_write(w->out, w->path.p, w->path.n);
	pp_sink_write(w->out, x->name.p, x->name.n);
	for (k = 0; k < counts; k++) {
		pp_sink_putc(w->out, ' ');
		pp_sink_u64(w->out, sum[k]);
	}
	pp_sink_putc(w->out, '\n');
	return true;
}

static pp_status
walk_all(struct walk *w)
{
	if (!walk_enter(w, 0))
		return PP_E_NOMEM;
	while (w->levels.n) {
		struct level *level = &w->levels.at[w->levels.n - 1];
		const struct item *x = w->items.at ? &w->items.at[level->at] : NULL;

		w->path.n = level->path;
		if (level->at == level->end) {
			w->levels.n--;
			w->items.n = w->levels.n ? w->levels.at[w->levels.n - 1].end : 0;
		} else if (!x->below) {
			if (!walk_record(w, level))
				return PP_E_LIMIT;
		} else {
			pp_node node = x->node;

			pp_buf_add(&w->path, x->name.p, x->name.n);
			pp_buf_addc(&w->path, ';');
			level->at++;
			if (w->path.failed || !walk_enter(w, node))
				return PP_E_NOMEM;
		}
		if (w->out->status != PP_OK)
			return w->out->status;
	}
	return PP_OK;
}

static pp_status
tree_write(struct names_tree *t, struct pp_sink *out)
{
	struct walk w = { .t = t, .out = out };
	pp_status status = PP_E_NOMEM;
	pp_node node;

	w.first = calloc(t->tree.n, sizeof *w.first);
	w.next = calloc(t->tree.n, sizeof *w.next);
	if (w.first && w.next) {
		for (node = t->tree.n; node-- > 1;) {
			pp_node parent = pp_tree_parent(&t->tree, node);

			w.next[node] = w.first[parent];
			w.first[parent] = node;
		}
		status = walk_all(&w);
	}
	free(w.first);
	free(w.next);
	pp_vec_release(&w.items);
	pp_vec_release(&w.levels);
	pp_buf_release(&w.path);
	return status;
}

/* ---- the whole -------------------------------------------------------------------------- */

/*
 * The metric that is written unless told otherwise. Who collapses a recording of cycles and instructions is used to
 * get the one that comes first in the file, whichever that is; google-pprof counts samples of a timer.
 */
static size_t
metric_usual(const struct pp_writer *w)
{
	const struct pp_metric *of = w->profile->metrics.at;
	size_t i, cycles = w->metric;

	if (!w->opts->metric && cycles == 1 && of[1].kind == PP_KIND_CPU_TIME &&
	    of[0].kind == PP_KIND_SAMPLES && of[0].event == of[1].event &&
	    pp_slice_eq(pp_text_of(w->profile, of[1].event), pp_slice_z("cpu-profile")))
		return 0;
	if (w->opts->metric || cycles >= w->profile->metrics.n || !of[cycles].event ||
	    pp_metric_preference(w->profile, &of[cycles]) != PP_PREFERS_CYCLES)
		return cycles;
	for (i = 0; i < cycles; i++)
		if (of[i].event && of[i].name == of[cycles].name &&
		    pp_metric_preference(w->profile, &of[i]) == PP_PREFERS_INSTRUCTIONS)
			return i;
	return cycles;
}

pp_status
pp_folded_write(struct pp_writer *w, unsigned counts)
{
	const struct pp_profile *p = w->profile;
	struct names_tree t = { .counts = counts, .loss = &w->loss };
	size_t metrics[2] = { metric_usual(w), 0 };
	pp_status status;
	unsigned k;

	if (counts == PP_FOLDED_DIFF) {
		metrics[0] = pp_profile_metric_find(p, pp_slice_z("before"));
		metrics[1] = pp_profile_metric_find(p, pp_slice_z("after"));
		if (metrics[1] >= p->metrics.n)
			return PP_E_UNSUPPORTED;
	}
	if (!(p->facets & PP_TREE) || metrics[0] >= p->metrics.n)
		return p->metrics.n ? PP_E_UNSUPPORTED : PP_OK;
	for (k = 0; k < counts; k++)
		pp_loss_metric(w, metrics[k], pp_slice_z(counts == PP_FOLDED_DIFF ? "" : "samples"),
		               "samples");
	status = p->held ? pp_folded_write_list(w, metrics[0]) : tree_prepare(&t, p, metrics);
	if (status == PP_OK && !p->held)
		status = tree_write(&t, w->out);
	/* An output that is full says so itself. */
	if (status == PP_E_LIMIT && w->out->status == PP_OK)
		pp_diag_add(w->diags, &pp_loss_rules[PP_LOSS_VALUES], PP_NOWHERE,
		            "the values of one stack exceed 18446744073709551615, which no count "
		            "can hold");
	names_tree_release(&t);
	return status;
}
