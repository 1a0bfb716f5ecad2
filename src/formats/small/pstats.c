/*
 * pstats: what Python's cProfile and profile save (-o FILE, dump_stats).
 *
 * A dict in Python's marshal, without a header:
 *
 *     {(file, line, name): (primitive calls, calls, own seconds, seconds, callers), ...}
 *     callers = {(file, line, name): (calls, primitive calls, own seconds, seconds), ...}
 *
 * The two counts of callers stand the other way round than those of the function, in the files of cProfile and in what the
 * pstats module makes of them; the older profile has one number of calls there. Seconds count outermost calls
 * only. Built-in functions have the file ~ and line 0.
 */
#include "formats/small/pstats.h"

#include <math.h>
#include <stdio.h>

#include "formats/small/marshal.h"
#include "model/schema.h"

enum { PSTATS_MARSHAL, PSTATS_SHAPE, PSTATS_CALLER };

static const struct pp_rule pstats_rules[] = {
	[PSTATS_MARSHAL] = { "pstats-marshal", PP_ERROR, "the file is damaged",
	                     "The file is an object in Python's marshal, which cannot be read on from where it "
	                     "breaks off. Nothing of it was used." },
	[PSTATS_SHAPE] = { "pstats-shape", PP_ERROR,
	                   "an entry is not what Python's profilers write",
	                   "Each key is a file, a line and a name; its value has two counts, two times in "
	                   "seconds and a dict of callers. Other entries are left out." },
	[PSTATS_CALLER] = { "pstats-caller", PP_WARNING, "a caller is not listed itself",
	                    "The function is called by one that has no entry of its own, as it happens after "
	                    "strip_dirs() and where profiles were put together. What that caller costs is not known." },
	{ 0 },
};

struct pstats_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_marshal m;
	struct pp_slice bytes;
	PP_VEC(pp_func) listed; /* in the order of the file */
	uint64_t *is_listed;    /* bits, by function */
	size_t edges_left;      /* no more of them than the file has bytes: dicts may be shared */
	pp_i128 sum;            /* of own times, in 10^-24 s */
	double beyond;          /* what has no room there, in s */
	uint64_t calls;
};

static void
report(struct pstats_read *r, int rule, const char *what)
{
	if (pstats_rules[rule].severity == PP_ERROR)
		r->b->profile->complete = false;
	pp_diag_add(r->reader->diags, &pstats_rules[rule],
	            rule == PSTATS_MARSHAL ? pp_at_offset((uint64_t)(r->m.cur - r->bytes.p))
	                                   : PP_NOWHERE,
	            "%s", what);
}

/* ---- recognition -------------------------------------------------------------------------- */

/* Whether the size of a tuple is no text: sizes are small, or written in four bytes. */
static bool
is_size(const unsigned char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] < ' ' || p[i] > '~')
			return true;
	return false;
}

/* A dict and, in its first key, a tuple; that of three that begins with a text is one of a profile's for sure. */
static int
pstats_bid(const struct pp_peek *peek)
{
	const unsigned char *p = peek->head.p;
	size_t n = peek->head.n;
	bool small;

	if (n < 2 || (p[0] & 0x7f) != '{')
		return 0;
	if (p[1] == '0')
		return n == 2 && peek->whole ? 16 : 0;
	small = (p[1] & 0x7f) == ')';
	if (!small && (p[1] & 0x7f) != '(')
		return 0;
	n -= 2;
	p += 2;
	if (!is_size(p, small ? n > 0 : n < 4 ? n : 4))
		return 0;
	if (n < 5 || p[0] != 3 || (!small && (p[1] || p[2] || p[3])))
		return 12;
	p += small ? 1 : 4;
	return strchr("stuaAzZ", *p & 0x7f) && (*p & 0x7f) ? 40 : 12;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* A name, or the code that stands for one, as Python shows it but for its address. */
static pp_str
name_of(struct pstats_read *r, uint32_t row)
{
	struct pp_slice name, file;
	int32_t line;

	if (pp_py_text(&r->m, row, &name))
		return pp_build_str(r->b, name);
	if (!pp_py_code(&r->m, row, &name, &file, &line))
		return 0;
	return pp_build_strf(r->b, "<code object %.*s, file \"%.*s\", line %d>",
	                     PP_CLIP(name, 4096), PP_CLIP(file, 4096), line);
}

/* The function of a key; 0 when it is none. */
static pp_func
func_of(struct pstats_read *r, uint32_t key, uint32_t flags)
{
	struct pp_func_row row = { .flags = flags };
	struct pp_slice file;
	uint32_t part[3];
	int64_t line;

	if (!pp_py_tuple(&r->m, key, part, 3) || !pp_py_text(&r->m, part[0], &file) ||
	    !pp_py_whole(pp_py_at(&r->m, part[1]), &line))
		return 0;
	row.name = name_of(r, part[2]);
	if (!row.name && pp_py_at(&r->m, part[2])->type != PP_PY_TEXT)
		return 0;
	if (pp_slice_eq_z(file, PP_PSTATS_NO_FILE))
		row.flags |= PP_FUNC_INTERNAL;
	else
		row.file = pp_build_str(r->b, file);
	row.line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
	return pp_build_func(r->b, &row);
}

static void
primitive_keep(struct pstats_read *r, uint32_t table, uint32_t row, int64_t all, int64_t primitive)
{
	char text[24];
	int n;

	if (all == primitive || !(r->reader->order->facets & PP_EXTRAS))
		return;
	n = snprintf(text, sizeof text, "%lld", (long long)primitive);
	pp_build_extra(r->b, table, row, PP_PSTATS_PRIMITIVE, pp_slice_of(text, (size_t)n));
}

/* Adds to the sum of all as it is written in decimal, in 10^-24 s, so that nothing is lost but what is less. */
static void
sum_add(struct pstats_read *r, double seconds)
{
	double whole = nearbyint(seconds * 1e9);
	int64_t mantissa;
	int exponent;
	char text[PP_NUM_MAX];
	pp_i128 exact;

	if (fabs(whole) < 1e15 && whole / 1e9 == seconds) {
		r->sum += (pp_i128)whole * 1000000000000000;
		return;
	}
	if (!pp_num_shortest(seconds, &mantissa, &exponent)) {
		(void)pp_num_print_double(text, seconds);
		if (fabs(seconds) > 1e12 ||
		    !pp_num_decimal(pp_slice_z(text), &mantissa, &exponent)) {
			r->beyond += seconds;
			return;
		}
	}
	for (exact = mantissa; exponent > -24; exponent--)
		exact *= 10;
	for (; exponent < -24 && exact; exponent++)
		exact /= 10;
	r->sum += exact;
}

/* A function and what it costs, and the first of its callers; false when the entry is none. */
static bool
entry_read(struct pstats_read *r, uint32_t key, uint32_t value, uint32_t *callers)
{
	struct pp_func_costs costs;
	struct pp_py_row part[5];
	int64_t primitive, calls;
	double own, all;
	pp_func func;

	if (!pp_py_items(&r->m, value, part, 5) || !pp_py_whole(&part[0], &primitive) ||
	    !pp_py_whole(&part[1], &calls) || calls < 0 || primitive < 0 ||
	    !pp_py_real(&part[2], &own) || !pp_py_real(&part[3], &all) ||
	    part[4].type != PP_PY_DICT)
		return false;
	func = func_of(r, key, PP_FUNC_DECLARED);
	if (!func || !pp_build_func_costs(r->b, func, &costs))
		return false;
	pp_count_add(costs.calls, (uint64_t)calls);
	costs.total->d += all;
	costs.own->d += own;
	sum_add(r, own);
	pp_count_add(&r->calls, (uint64_t)calls);
	primitive_keep(r, PP_TABLE_FUNCS, func, calls, primitive);
	if (!pp_vec_push(&r->listed, func))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	*callers = part[4].first;
	return true;
}

/* What the callers of a function tell of it. */
struct told {
	bool any, unlisted; /* one has no entry of its own */
	int64_t calls;
};

/* Calls of a function that none of its callers made, and functions without callers, of which it is known what that cost. */
static void
outside_add(struct pstats_read *r, pp_func callee, const struct told *told)
{
	const struct pp_costs_facet *c = &r->b->profile->costs;
	int64_t *cells, left = c->calls.at[callee] > INT64_MAX ? 0 : (int64_t)c->calls.at[callee];

	left -= told->calls;
	if (left <= 0 && told->any)
		return;
	cells = pp_build_edge(r->b, &(struct pp_edge_row){ .callee = callee });
	if (!cells)
		return;
	cells[0] = left > 0 ? left : 0;
	if (!told->any) {
		cells[1] = pp_cell_real(pp_costs_get(r->b->profile, callee, 0).total.d);
		cells[2] = pp_cell_real(pp_costs_get(r->b->profile, callee, 0).own.d);
	}
}

static bool
caller_read(struct pstats_read *r, pp_func callee, uint32_t key, uint32_t value, struct told *told)
{
	struct pp_edge_row edge = { .callee = callee };
	int64_t calls, primitive, *cells;
	double own = 0, all = 0;
	struct pp_py_row part[4];

	if (pp_py_whole(pp_py_at(&r->m, value), &calls))
		primitive = calls;
	else if (!pp_py_items(&r->m, value, part, 4) || !pp_py_whole(&part[0], &calls) ||
	         !pp_py_whole(&part[1], &primitive) || !pp_py_real(&part[2], &own) ||
	         !pp_py_real(&part[3], &all))
		return false;
	edge.caller = func_of(r, key, 0);
	if (!edge.caller || calls < 0)
		return false;
	told->any = true;
	told->unlisted |= edge.caller >= r->b->profile->costs.funcs.n ||
	                  !(r->is_listed[edge.caller >> 6] >> (edge.caller & 63) & 1);
	if (__builtin_add_overflow(told->calls, calls, &told->calls))
		told->calls = INT64_MAX;
	cells = pp_build_edge(r->b, &edge);
	if (!cells)
		return true;
	(void)pp_cell_add(PP_INT, &cells[0], calls);
	(void)pp_cell_add(PP_REAL, &cells[1], pp_cell_real(all));
	(void)pp_cell_add(PP_REAL, &cells[2], pp_cell_real(own));
	if (calls != primitive)
		primitive_keep(r, PP_TABLE_CALLS, pp_build_edge_row(r->b, &edge), calls, primitive);
	return true;
}

static void
callers_read(struct pstats_read *r, pp_func callee, uint32_t key)
{
	uint32_t value;
	struct told told = { 0 };
	bool fine = true;

	for (; key && pp_builder_ok(r->b); key = r->m.rows.at[value].next) {
		value = r->m.rows.at[key].next;
		if (r->edges_left == 0) {
			report(r, PSTATS_SHAPE, "callers are shared by too many functions");
			return;
		}
		r->edges_left--;
		fine &= caller_read(r, callee, key, value, &told);
	}
	if (pp_builder_ok(r->b))
		outside_add(r, callee, &told);
	if (!fine)
		report(r, PSTATS_SHAPE, "a caller is not what Python's profilers write");
	if (told.unlisted && pp_builder_ok(r->b)) {
		struct pp_slice name = pp_text_of(r->b->profile,
		                                  r->b->profile->funcs.at[callee].name);

		pp_diag_add(r->reader->diags, &pstats_rules[PSTATS_CALLER], PP_NOWHERE,
		            "a caller of %.*s is not listed itself", PP_SHOWN(name));
	}
}

/* The callers of each function, once all functions are known. */
static void
edges_read(struct pstats_read *r, const uint32_t *callers)
{
	size_t i, words = r->b->profile->funcs.n / 64 + 1;

	r->is_listed = calloc(words, sizeof *r->is_listed);
	if (!r->is_listed) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return;
	}
	for (i = 0; i < r->listed.n; i++)
		r->is_listed[r->listed.at[i] >> 6] |= (uint64_t)1 << (r->listed.at[i] & 63);
	for (i = 0; i < r->listed.n && pp_builder_ok(r->b); i++)
		callers_read(r, r->listed.at[i], callers[i]);
}

static void
dict_read(struct pstats_read *r)
{
	PP_VEC(uint32_t) callers = { 0 };
	struct pp_func_costs whole;
	char text[PP_NUM_MAX];
	size_t n;
	uint32_t key = pp_py_at(&r->m, 1)->first, value;

	if (!pp_build_func_costs(r->b, 0, &whole))
		return;
	for (; key && pp_builder_ok(r->b); key = r->m.rows.at[value].next) {
		uint32_t first = 0;

		value = r->m.rows.at[key].next;
		if (!entry_read(r, key, value, &first) && pp_builder_ok(r->b))
			report(r, PSTATS_SHAPE, pstats_rules[PSTATS_SHAPE].title);
		else if (!pp_vec_push(&callers, first))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	if (pp_builder_ok(r->b) && !pp_order_is_costs(r->reader->order))
		edges_read(r, callers.at);
	if (pp_builder_ok(r->b) && pp_build_func_costs(r->b, 0, &whole)) {
		n = pp_num_print(text, r->sum, 0);
		(void)snprintf(text + n, sizeof text - n, "e-15");
		/* By way of ns, in which it is shown. */
		whole.own->d = whole.total->d = strtod(text, NULL) / 1e9 + r->beyond;
		*whole.calls = r->calls;
	}
	pp_vec_release(&callers);
}

static pp_status
stats_read(struct pstats_read *r)
{
	struct pp_profile *p = r->b->profile;

	if (!pp_marshal_read(&r->m, r->bytes) && !r->m.no_memory) {
		report(r, PSTATS_MARSHAL, r->m.problem);
		return PP_E_INVALID;
	}
	if (r->m.no_memory)
		return PP_E_NOMEM;
	if (pp_py_at(&r->m, 1)->type != PP_PY_DICT) {
		report(r, PSTATS_SHAPE, "it is not a dict");
		return PP_E_INVALID;
	}
	(void)pp_build_metric(r->b, &(struct pp_metric){ .name = pp_build_strz(r->b, "time"),
	                                                 .unit = pp_build_strz(r->b, "ns"),
	                                                 .kind = PP_KIND_WALL_TIME,
	                                                 .type = PP_REAL,
	                                                 .flags = PP_METRIC_PRIMARY,
	                                                 .factor_num = 1000000000 });
	p->producer = pp_build_strz(r->b, "Python");
	p->costs.stated = p->costs.measured = p->calls.own = true;
	p->facets |= PP_EDGES;
	r->edges_left = r->bytes.n;
	dict_read(r);
	if (r->m.cur != r->m.end && pp_builder_ok(r->b))
		report(r, PSTATS_MARSHAL, "something follows the dict");
	return PP_OK;
}

static pp_status
pstats_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct pstats_read r = { .reader = reader, .b = b };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open(&whole, reader);

	if (status == PP_OK) {
		r.bytes = pp_slice_between(reader->in->cur, reader->in->end);
		status = stats_read(&r);
		reader->in->cur = reader->in->end;
	}
	pp_marshal_release(&r.m);
	pp_vec_release(&r.listed);
	free(r.is_listed);
	pp_whole_close(&whole, reader);
	return pp_builder_ok(b) ? status : b->status;
}

static const struct pp_holds pstats_holds[] = {
	{ .keeps = PP_HAS(PAIRS) | PP_HAS(CALLS) | PP_HAS(RECURSION) | PP_HAS(MEASURED) |
	           PP_HAS(FILES) | PP_HAS(FIRST_LINES),
	  .own = PP_HAS(PRIVATE) | PP_HAS(BUILT_IN),
	  .apart = PP_HAS(FILES) | PP_HAS(FIRST_LINES),
	  .metrics = 1,
	  .values = "seconds as doubles" },
};

const struct pp_format pp_format_pstats = {
	.name = "pstats",
	.title = "Python profile (cProfile, pstats)",
	.extensions = "pstats prof cprof",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_EDGES,
	.writes = PP_WRITES_BINARY,
	.bid = pstats_bid,
	.read = pstats_read,
	.write = pp_pstats_write,
	.holds = pstats_holds,
	.rules = pstats_rules,
};
