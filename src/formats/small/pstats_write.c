/*
 * Any profile as pstats: functions and pairs of caller and callee, in marshal of version 2, which every Python reads.
 *
 * Times are those of one metric. As cProfile counts them, a pair costs what its outermost calls cost.
 */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "formats/kit/tree_walk.h"
#include "formats/small/pstats.h"
#include "model/flat.h"
#include "model/schema.h"

#define NO_STACK "[no stack]"

struct costs {
	uint64_t calls, primitive;
	double own, all;
};

struct entry {
	pp_str file, name; /* of `texts` */
	uint32_t line;
	uint32_t rank; /* among all keys */
	bool listed;   /* it has costs; else it only calls */
	struct costs costs;
};

struct pair {
	uint32_t caller, callee;
	uint32_t running; /* how often it is on the stack */
	struct costs costs;
};

struct pstats_write {
	struct pp_writer *w;
	const struct pp_profile *p;
	const struct pp_metric *metric; /* NULL = none */
	double unit;                    /* canonical units in a second */
	bool plain;                     /* its cells are seconds */
	struct pp_strtab texts, keys;   /* a key is the bytes of its parts */
	PP_VEC(struct entry) entries;   /* by key */
	PP_VEC(struct pair) pairs;
	struct pp_map pair_of;
	uint32_t *entry_of;         /* by function: + 1; 0 = not made yet */
	struct pp_map primitive[2]; /* of functions and of pairs, by row: extra + 1 */
};

/* ---- functions ---------------------------------------------------------------------------- */

/* A name as Python can read it; false when out of memory. */
static bool
text_of(struct pstats_write *x, struct pp_slice raw, pp_str *id)
{
	struct pp_buf clean = { 0 };
	bool is_new, ok;

	pp_utf8_scrub(&clean, raw);
	x->w->loss.names += !pp_slice_eq(raw, pp_slice_of(clean.p, clean.n));
	ok = !clean.failed && pp_strtab_intern(&x->texts, clean.p, clean.n, id, &is_new);
	pp_buf_release(&clean);
	return ok;
}

/* The entry of a file, a line and a name; UINT32_MAX when out of memory. */
static uint32_t
entry_at(struct pstats_write *x, struct pp_slice file, uint32_t line, struct pp_slice name)
{
	struct entry e = { .line = line };
	uint32_t key[3];
	bool is_new;
	pp_str id;

	if (!text_of(x, file.n ? file : pp_slice_z(PP_PSTATS_NO_FILE), &e.file) ||
	    !text_of(x, name, &e.name))
		return UINT32_MAX;
	key[0] = e.file;
	key[1] = e.line;
	key[2] = e.name;
	if (!pp_strtab_intern(&x->keys, key, sizeof key, &id, &is_new))
		return UINT32_MAX;
	while (x->entries.n <= id)
		if (!pp_vec_push(&x->entries, e))
			return UINT32_MAX;
	return id;
}

static uint32_t
entry_of(struct pstats_write *x, pp_func func)
{
	const struct pp_func_row *f;
	uint32_t entry;

	func = x->p->funcs.at[func].same;
	f = &x->p->funcs.at[func];
	if (x->entry_of[func])
		return x->entry_of[func] - 1;
	entry = func ? entry_at(x, pp_text_of(x->p, f->file), f->file ? f->line : 0,
	                        pp_text_of(x->p, f->name))
	             : entry_at(x, pp_slice_of("", 0), 0, pp_slice_z(NO_STACK));
	x->entry_of[func] = entry + 1;
	return entry;
}

static uint64_t
primitive_of(const struct pstats_write *x, bool pairs, size_t row, uint64_t calls)
{
	uint32_t extra = pp_map_get(&x->primitive[pairs], row);
	uint64_t n;

	return extra != PP_MAP_NONE &&
	               pp_num_u64(pp_text_of(x->p, x->p->kept.extras.at[extra].bytes), &n)
	           ? n
	           : calls;
}

static double
seconds_of(const struct pstats_write *x, union pp_value v)
{
	if (!x->metric)
		return 0;
	return x->plain ? v.d : pp_value_double(x->metric, v) / x->unit;
}

/* What no function accounts for; false when out of memory. */
static bool
rest_add(struct pstats_write *x, double seconds)
{
	uint32_t row = entry_of(x, 0);

	if (row == UINT32_MAX)
		return false;
	x->entries.at[row].listed = true;
	x->entries.at[row].costs.own = x->entries.at[row].costs.all = seconds;
	return true;
}

static bool
functions_take(struct pstats_write *x, const struct pp_flat *flat)
{
	double left = x->metric ? seconds_of(x, flat->whole[x->w->metric]) : 0, whole = left;
	size_t i;

	for (i = 0; i < flat->n; i++) {
		uint32_t row = entry_of(x, flat->func[i]);
		struct costs *c;
		struct pp_cost_pair cost = { 0 };

		if (row == UINT32_MAX)
			return false;
		x->entries.at[row].listed = true;
		c = &x->entries.at[row].costs;
		if (x->metric)
			cost = pp_flat_get(flat, i, x->w->metric);
		c->own += seconds_of(x, cost.own);
		left -= seconds_of(x, cost.own);
		c->all += seconds_of(x, cost.total);
		if (flat->has_calls) {
			pp_count_add(&c->calls, flat->calls[i]);
			pp_count_add(&c->primitive,
			             primitive_of(x, false, flat->func[i], flat->calls[i]));
		}
	}
	return fabs(left) <= fabs(whole) * 1e-9 || rest_add(x, left);
}

/* ---- pairs -------------------------------------------------------------------------------- */

/* A pair, made when it is new; NULL when out of memory. */
static struct pair *
pair_of(struct pstats_write *x, uint32_t caller, uint32_t callee)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	uint32_t row = pp_map_get(&x->pair_of, key);
	struct pair pair = { .caller = caller, .callee = callee };

	if (caller == UINT32_MAX || callee == UINT32_MAX)
		return NULL;
	if (row != PP_MAP_NONE)
		return &x->pairs.at[row];
	if (!pp_vec_push(&x->pairs, pair) ||
	    !pp_map_set(&x->pair_of, key, (uint32_t)x->pairs.n - 1))
		return NULL;
	return &x->pairs.at[x->pairs.n - 1];
}

static bool
calls_take(struct pstats_write *x)
{
	const struct pp_profile *p = x->p;
	size_t i, n = p->metrics.n;

	for (i = 0; i < p->calls.rows.n; i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];
		uint64_t calls = (uint64_t)pp_edge_cell(p, i, 0);
		uint32_t callee = entry_of(x, e->callee);
		struct pair *pair;

		if (!e->caller)
			continue;
		pair = pair_of(x, entry_of(x, e->caller), callee);
		if (!pair)
			return false;
		pp_count_add(&pair->costs.calls, calls);
		pp_count_add(&pair->costs.primitive, primitive_of(x, true, i, calls));
		if (!x->metric)
			continue;
		pair->costs.all += seconds_of(
		    x, pp_cell_value(x->metric, pp_edge_cell(p, i, 1 + x->w->metric)));
		if (p->calls.own)
			pair->costs.own += seconds_of(
			    x, pp_cell_value(x->metric, pp_edge_cell(p, i, 1 + n + x->w->metric)));
	}
	return true;
}

/* What walking over the tree needs by node. */
struct nodes {
	struct pp_inclusive all;
	union pp_value *own;
	uint64_t *calls;
};

static bool
node_take(struct pstats_write *x, const struct nodes *n, const struct pp_tree_walk *walk)
{
	pp_node parent = pp_tree_parent(&x->p->tree, walk->node);
	struct pair *pair;

	if (!parent)
		return true;
	pair = pair_of(x, entry_of(x, pp_node_func(x->p, parent)),
	               entry_of(x, pp_node_func(x->p, walk->node)));
	if (!pair)
		return false;
	if (walk->leaving) {
		pair->running--;
		return true;
	}
	pp_count_add(&pair->costs.calls, n->calls[walk->node]);
	if (pair->running++ == 0) {
		pp_count_add(&pair->costs.primitive, n->calls[walk->node]);
		if (x->metric)
			pair->costs.all += seconds_of(x, pp_inclusive_of(&n->all, walk->node));
	}
	if (x->metric)
		pair->costs.own += seconds_of(x, n->own[walk->node]);
	return true;
}

static bool
tree_take(struct pstats_write *x)
{
	struct nodes n = { .calls = pp_node_calls(x->p, NULL) };
	struct pp_tree_walk walk = { 0 };
	bool ok = n.calls && (!x->metric || (pp_inclusive_compute(&n.all, x->p, x->w->metric) &&
	                                     (n.own = pp_own_compute(x->p, x->w->metric))));

	ok = ok && pp_tree_walk_begin(&walk, x->p);
	while (ok && pp_tree_walk_next(&walk))
		ok = node_take(x, &n, &walk);
	pp_tree_walk_release(&walk);
	if (x->metric)
		pp_inclusive_release(&n.all);
	free(n.own);
	free(n.calls);
	return ok;
}

static bool
extras_note(struct pstats_write *x)
{
	size_t i;

	for (i = 0; i < x->p->kept.extras.n; i++) {
		const struct pp_extra_row *e = &x->p->kept.extras.at[i];

		if (!pp_slice_eq_z(pp_text_of(x->p, e->key), PP_PSTATS_PRIMITIVE))
			continue;
		if (!pp_map_set(&x->primitive[e->table == PP_TABLE_CALLS], e->row, (uint32_t)i))
			return false;
	}
	return true;
}

/* Whether any function costs anything of what is written. */
static bool
has_costs(const struct pstats_write *x, const struct pp_flat *flat)
{
	size_t metric = x->w->metric, i;

	for (i = 0; i < flat->n && metric < x->p->metrics.n; i++)
		if (!pp_value_is_zero(&x->p->metrics.at[metric],
		                      pp_flat_get(flat, i, metric).total))
			return true;
	return false;
}

/* All of the profile; PP_E_UNSUPPORTED when it holds no cost. */
static pp_status
profile_take(struct pstats_write *x)
{
	struct pp_flat flat;
	pp_status status = pp_flat_compute(x->p, &flat);
	bool ok;

	if (status != PP_OK)
		return status == PP_E_UNSUPPORTED ? PP_OK : status;
	ok = (pp_profile_native(x->p) != &pp_format_pstats || extras_note(x)) &&
	     functions_take(x, &flat) &&
	     (pp_profile_basis(x->p) == PP_BASIS_TREE ? tree_take(x) : calls_take(x));
	/* They are written as 0; functions without any cost are not seen again. */
	x->w->loss.made |= flat.has_calls || !has_costs(x, &flat) ? 0 : PP_HAS(CALLS);
	/* Lines of no function are nobody's here. */
	if (flat.n == 0)
		x->w->loss.dropped |= PP_HAS(PAIRS) | PP_HAS(FILES) | PP_HAS(FIRST_LINES);
	pp_flat_release(&flat);
	return ok ? PP_OK : PP_E_NOMEM;
}

/* ---- marshal ------------------------------------------------------------------------------ */

static void
number_put(struct pp_sink *out, unsigned bytes, uint64_t n)
{
	for (; bytes-- > 0; n >>= 8)
		pp_sink_putc(out, (char)(n & 0xff));
}

static void
text_put(struct pp_sink *out, struct pp_slice text)
{
	pp_sink_putc(out, 'u');
	number_put(out, 4, text.n);
	pp_sink_write(out, text.p, text.n);
}

/* Numbers of more than 31 bits have digits of 15 bits. */
static void
count_put(struct pp_sink *out, uint64_t n)
{
	unsigned digits = 0;

	if (n <= INT32_MAX) {
		pp_sink_putc(out, 'i');
		number_put(out, 4, n);
		return;
	}
	while (digits < 5 && n >> digits * 15)
		digits++;
	pp_sink_putc(out, 'l');
	number_put(out, 4, digits);
	for (; n; n >>= 15)
		number_put(out, 2, n & 0x7fff);
}

static void
real_put(struct pp_sink *out, double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof bits);
	pp_sink_putc(out, 'g');
	number_put(out, 8, bits);
}

static void
tuple_put(struct pp_sink *out, unsigned n)
{
	pp_sink_putc(out, '(');
	number_put(out, 4, n);
}

static void
key_put(const struct pstats_write *x, const struct entry *e)
{
	struct pp_sink *out = x->w->out;

	tuple_put(out, 3);
	text_put(out, pp_strtab_get(&x->texts, e->file));
	count_put(out, e->line);
	text_put(out, pp_strtab_get(&x->texts, e->name));
}

static void
costs_put(struct pp_sink *out, uint64_t first, uint64_t second, const struct costs *c)
{
	count_put(out, first);
	count_put(out, second);
	real_put(out, c->own);
	real_put(out, c->all);
}

/* An entry with its callers, which come next in the pairs. */
static void
entry_put(const struct pstats_write *x, uint32_t row, size_t *next)
{
	const struct entry *e = &x->entries.at[row];
	struct pp_sink *out = x->w->out;
	size_t i;

	key_put(x, e);
	tuple_put(out, 5);
	costs_put(out, e->costs.primitive, e->costs.calls, &e->costs);
	pp_sink_putc(out, '{');
	for (i = *next; i < x->pairs.n && x->pairs.at[i].callee == row; i++) {
		const struct pair *c = &x->pairs.at[i];

		key_put(x, &x->entries.at[c->caller]);
		tuple_put(out, 4);
		costs_put(out, c->costs.calls, c->costs.primitive, &c->costs);
	}
	*next = i;
	pp_sink_putc(out, '0');
}

static int
entry_cmp(const void *left, const void *right, void *ctx)
{
	const struct pstats_write *x = ctx;
	const struct entry *a = &x->entries.at[*(const uint32_t *)left],
	                   *b = &x->entries.at[*(const uint32_t *)right];
	int cmp = pp_slice_cmp(pp_strtab_get(&x->texts, a->file),
	                       pp_strtab_get(&x->texts, b->file));

	if (cmp == 0)
		cmp = (a->line > b->line) - (a->line < b->line);
	return cmp ? cmp
	           : pp_slice_cmp(pp_strtab_get(&x->texts, a->name),
	                          pp_strtab_get(&x->texts, b->name));
}

static int
pair_cmp(const void *left, const void *right, void *ctx)
{
	const struct pstats_write *x = ctx;
	const struct pair *a = left, *b = right;
	const struct entry *e = x->entries.at;

	if (a->callee != b->callee)
		return e[a->callee].rank < e[b->callee].rank ? -1 : 1;
	return (e[a->caller].rank > e[b->caller].rank) - (e[a->caller].rank < e[b->caller].rank);
}

/* All entries in the order of their keys; false when out of memory. */
static bool
entries_put(struct pstats_write *x)
{
	uint32_t *order = malloc((x->entries.n + 1) * sizeof *order), i, n = 0;
	size_t next = 0;

	if (!order)
		return false;
	/* Row 0 is that of the empty key, which nothing has. */
	for (i = 1; i < x->entries.n; i++)
		order[n++] = i;
	pp_sort(order, n, sizeof *order, entry_cmp, x);
	for (i = 0; i < n; i++)
		x->entries.at[order[i]].rank = i;
	if (x->pairs.n)
		pp_sort(x->pairs.at, x->pairs.n, sizeof *x->pairs.at, pair_cmp, x);
	pp_sink_putc(x->w->out, '{');
	for (i = 0; i < n; i++)
		if (x->entries.at[order[i]].listed)
			entry_put(x, order[i], &next);
		else
			while (next < x->pairs.n && x->pairs.at[next].callee == order[i])
				next++;
	pp_sink_putc(x->w->out, '0');
	free(order);
	return true;
}

pp_status
pp_pstats_write(struct pp_writer *w)
{
	const struct pp_profile *p = w->profile;
	struct pstats_write x = { .w = w,
		                  .p = p,
		                  .unit = 1,
		                  .pair_of = { .seed = p->strs.seed },
		                  .primitive = { { .seed = p->strs.seed },
		                                 { .seed = p->strs.seed } } };
	pp_status status = PP_E_NOMEM;

	if (w->metric < p->metrics.n) {
		x.metric = &p->metrics.at[w->metric];
		if (pp_slice_eq_z(pp_text_of(p, x.metric->unit), "ns"))
			x.unit = 1e9;
		x.plain = x.metric->type == PP_REAL && x.unit > 1 && x.metric->scale == 0 &&
		          x.metric->factor_num == 1000000000 && x.metric->factor_den <= 1;
		pp_loss_metric(w, w->metric, pp_slice_z("time"), "ns");
	}
	x.entry_of = calloc(p->funcs.n + 1, sizeof *x.entry_of);
	if (x.entry_of && pp_strtab_init(&x.texts, p->strs.seed) &&
	    pp_strtab_init(&x.keys, p->strs.seed))
		status = profile_take(&x);
	if (status == PP_OK && !entries_put(&x))
		status = PP_E_NOMEM;
	pp_strtab_release(&x.texts);
	pp_strtab_release(&x.keys);
	pp_vec_release(&x.entries);
	pp_vec_release(&x.pairs);
	pp_map_release(&x.pair_of);
	pp_map_release(&x.primitive[0]);
	pp_map_release(&x.primitive[1]);
	free(x.entry_of);
	return status;
}
