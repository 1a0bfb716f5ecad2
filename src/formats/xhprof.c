/*
 * XHProf and Tideways: what PHP functions cost for each of their callers. CONTRIBUTING.md walks through this file.
 *
 *     {"main()":           {"ct": 1, "wt": 1000, "cpu": 900, "mu": 5000, "pmu": 6000},
 *      "main()==>a":       {"ct": 2, "wt": 600, ...},
 *      "CALLER==>CALLEE":  ...}
 *
 * in any order, as JSON or as PHP's serialize() writes it; xhgui puts such a map under "profile", beside "meta". A key without ==> is a root, others are cut at
 * the first one. ct counts calls; wt and cpu are us, mu and pmu bytes, each with all that was called in turn. Tideways adds mem.na, mem.nf (counts) and mem.aa
 * (bytes); any other key is a count. What a function costs itself is what its callers say less what its callees say. Recursion is spelled in names: fib, fib@1,
 * fib@2 are functions of their own. A whole profile has the root main(), though not always as the only one.
 */
#include "formats/author.h"
#include "formats/kit/php_serialize.h"
#include "formats/kit/xhgui.h"

#define MAIN "main()"
#define ARROW "==>"
#define METRICS_MAX 1024

extern const struct pp_format pp_format_xhprof;
enum { XHPROF_JSON, XHPROF_SERIALIZE, XHPROF_SHAPE, XHPROF_MAIN, XHPROF_PARENT };

static const struct pp_rule xhprof_rules[] = {
	[XHPROF_JSON] = { "xhprof-json", PP_ERROR, "the JSON is broken",
	                  "The file breaks off or is not JSON from the place named on. The calls before it were read." },
	[XHPROF_SERIALIZE] = { "xhprof-serialize", PP_ERROR, "the array is broken",
	                       "What PHP's serialize() wrote breaks off, counts wrongly, or holds objects or references. Nothing of it was used." },
	[XHPROF_SHAPE] = { "xhprof-shape", PP_ERROR, "an entry is not what XHProf writes",
	                   "Each key is FUNCTION or CALLER==>CALLEE and occurs once. Its value is an object of whole numbers with ct, which is not below 0. Other entries are left out." },
	[XHPROF_MAIN] = { "xhprof-main", PP_WARNING, "the root main() is missing",
	                  "XHProf writes main() when it is switched off. Without it the profile is incomplete." },
	[XHPROF_PARENT] = { "xhprof-parent", PP_WARNING, "a caller is never called itself",
	                    "The function calls others, but it is neither a root nor called. What it costs is not known and counts as 0." },
	{ 0 },
};

static const struct pp_metric_key xhprof_keys[] = {
	{ "wt", "ns", PP_KIND_WALL_TIME, PP_METRIC_PRIMARY, 1000 },
	{ "cpu", "ns", PP_KIND_CPU_TIME, 0, 1000 },
	{ "mu", "bytes", PP_KIND_BYTES, PP_METRIC_SIGNED, 1 },
	{ "pmu", "bytes", PP_KIND_BYTES, PP_METRIC_NO_SUM, 1 },
	{ "mem.aa", "bytes", PP_KIND_BYTES, 0, 1 },
	{ NULL, "count", PP_KIND_COUNT, 0, 1 },
};

/* ---- recognition --------------------------------------------------------------------------- */

static int
xhprof_bid(const struct pp_peek *peek)
{
	struct pp_json_str key, member;
	struct pp_scan s;
	bool wrapped;
	int bits = 0;

	if (pp_php_is_array(peek->head))
		return pp_slice_holds(peek->head, ":\"ct\";i:") ||
		               pp_slice_holds(peek->head, ":\"wt\";i:")
		           ? 64
		           : pp_name_ends(peek->name, "xhprof");
	pp_scan_init(&s, peek->head, 0, PP_SCAN_STRICT);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_xhgui_enter(&s, &wrapped))
		return 0;
	while (pp_scan_key(&s, &key) && pp_scan_peek(&s) == PP_JSON_OBJECT && pp_scan_object(&s))
		while (pp_scan_key(&s, &member) && pp_scan_peek(&s) == PP_JSON_NUMBER &&
		       pp_scan_skip(&s, NULL))
			bits += pp_json_str_eq(member, "ct") || pp_json_str_eq(member, "wt") ? 32
			                                                                     : 0;
	return bits ? pp_bid_lines(bits, true)
	            : pp_name_ends(peek->name, "xhprof") || pp_name_ends(peek->name, "xhprof.json");
}

/* ---- reading ------------------------------------------------------------------------------- */

struct xhprof_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_scan scan;
	struct pp_places places;
	struct pp_arena arena; /* names with escapes, for a while */
	bool has_main;
	pp_func caller;               /* of the entry before, and probably of the next */
	size_t next;                  /* the metric that probably comes next */
	struct pp_json_alike alike;   /* entries as they were last */
	int64_t row[METRICS_MAX + 1]; /* of the entry being read: calls, then costs */
};

static void
report(struct xhprof_read *r, int rule, const unsigned char *at, const char *what)
{
	r->b->profile->complete = false;
	pp_diag_add(r->reader->diags, &xhprof_rules[rule],
	            r->places.text.n ? pp_places_next(&r->places, at) : PP_NOWHERE, "%s", what);
}

/* The numbers of an entry; false when it is not an object of them. */
static bool
row_read(struct xhprof_read *r)
{
	struct pp_json_str key;
	struct pp_json_num num;
	bool fine, counted = false;

	if (pp_json_alike_read(&r->alike, &r->scan, r->row, NULL))
		return r->row[0] >= 0;
	fine = pp_scan_object(&r->scan);
	memset(r->row, 0, (r->b->profile->metrics.n + 1) * sizeof *r->row);
	while (fine && pp_builder_ok(r->b) && pp_scan_key(&r->scan, &key)) {
		struct pp_slice name = pp_build_json_text(r->b, key, &r->arena);
		size_t at = pp_slice_eq_z(name, "ct") ? 0 : 1;

		counted |= at == 0;
		if (at)
			at += pp_key_metric(r->b, xhprof_keys, name, METRICS_MAX, &r->next);
		fine = pp_scan_number(&r->scan, &num) && at <= METRICS_MAX &&
		       pp_json_num_i64(&num, &r->row[at]) && r->row[0] >= 0;
		if (fine)
			pp_json_alike_number(&r->alike, &num, (unsigned)at);
	}
	fine &= counted;
	pp_json_alike_end(&r->alike, &r->scan, fine);
	return fine && r->scan.error == PP_SCAN_OK;
}

static pp_func
func_of(struct xhprof_read *r, struct pp_slice name)
{
	return pp_build_func(r->b, &(struct pp_func_row){ .name = pp_build_str(r->b, name) });
}

static pp_func
caller_of(struct xhprof_read *r, struct pp_slice name)
{
	const struct pp_profile *p = r->b->profile;

	if (!r->caller || !pp_slice_eq(pp_text_of(p, p->funcs.at[r->caller].name), name))
		r->caller = func_of(r, name);
	return r->caller;
}

/* The first arrow of a key; NULL when it has none. */
static const unsigned char *
arrow_find(struct pp_slice key)
{
	const unsigned char *end = key.p + key.n,
	                    *at = key.n ? memchr(key.p, ARROW[0], key.n) : NULL;

	while (at && ((size_t)(end - at) < strlen(ARROW) || memcmp(at, ARROW, strlen(ARROW)) != 0))
		at = memchr(at + 1, ARROW[0], (size_t)(end - at) - 1);
	return at;
}

static void
entry_read(struct xhprof_read *r, struct pp_json_str raw)
{
	struct pp_slice key = pp_build_json_text(r->b, raw, &r->arena);
	const unsigned char *arrow = arrow_find(key);
	struct pp_scan value = r->scan;
	struct pp_edge_row edge = { 0 };

	if (!row_read(r)) {
		r->scan = value;
		if (pp_scan_skip(&r->scan, NULL))
			report(r, XHPROF_SHAPE, raw.raw.p,
			       "not an object of whole numbers with ct");
		return;
	}
	if (arrow) {
		edge.caller = caller_of(r, pp_slice_between(key.p, arrow));
		key = pp_slice_between(arrow + strlen(ARROW), key.p + key.n);
	}
	edge.callee = func_of(r, key);
	r->has_main |= !arrow && pp_slice_eq_z(key, MAIN);
	if (!pp_build_edge_new(r->b, &edge, r->row) && pp_builder_ok(r->b))
		report(r, XHPROF_SHAPE, raw.raw.p, "the same caller and callee again");
}

static void
map_read(struct xhprof_read *r, struct pp_slice text)
{
	struct pp_profile *p = r->b->profile;
	struct pp_scan outer;
	struct pp_json_str key;
	bool wrapped;

	p->variant = pp_build_strz(r->b, r->places.text.n ? "json" : "serialize");
	p->calls.adds_up = p->calls.outermost = true;
	pp_scan_init(&outer, text, 0, PP_SCAN_STRICT);
	r->scan = outer;
	(void)pp_xhgui_enter(&r->scan, &wrapped);
	while (pp_builder_ok(r->b) && pp_scan_key(&r->scan, &key)) {
		entry_read(r, key);
		if (r->arena.bytes > 1 << 20)
			pp_arena_release(&r->arena);
	}
	if (wrapped && r->scan.error == PP_SCAN_OK) {
		pp_meta_json_read(&outer, r->b, "profile", NULL);
		r->scan = outer;
	}
	if (pp_builder_ok(r->b) && !pp_scan_end(&r->scan))
		report(r, XHPROF_JSON, r->scan.error_at, pp_scan_error_text(r->scan.error));
	if (pp_builder_ok(r->b) && !r->has_main) {
		p->complete = false;
		pp_diag_add(r->reader->diags, &xhprof_rules[XHPROF_MAIN], PP_NOWHERE,
		            "there is no " MAIN);
	}
	pp_callers_check(r->reader, r->b, &xhprof_rules[XHPROF_PARENT]);
}

static pp_status
xhprof_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct xhprof_read r = { .reader = reader, .b = b };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open(&whole, reader);
	struct pp_buf json = { 0 };
	struct pp_slice text;
	const unsigned char *at;
	const char *problem;

	if (status == PP_OK)
		text = r.places.text = pp_slice_between(reader->in->cur, reader->in->end);
	if (status == PP_OK && pp_php_is_array(text)) {
		status = pp_php_to_json(text, &json, &problem, &at);
		if (status == PP_E_INVALID)
			report(&r, XHPROF_SERIALIZE, at, problem);
		/* Places in the JSON would be none of the file. */
		r.places.text.n = 0;
		text = pp_slice_of(json.p, json.n);
	}
	if (status == PP_OK)
		map_read(&r, text);
	pp_buf_release(&json);
	pp_arena_release(&r.arena);
	pp_whole_close(&whole, reader);
	return status == PP_OK ? b->status : status;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void
pair_write(struct pp_json *j, bool php, const struct pp_level_calls *c, size_t row,
           const struct pp_key_column *columns, struct pp_buf *key)
{
	const struct pp_level_pair *pair = &c->pairs.at[row];
	struct pp_values costs = pp_ledger_row(&c->costs, row);
	/* Of many metrics what is 0 is left out, but for the first entry, which names them all. */
	bool some = c->profile->metrics.n > PP_FEW_COLUMNS && row > 0;
	size_t i, n = some ? costs.n : c->profile->metrics.n;

	pp_php_key(j, php, pp_level_calls_key(c, row, ARROW, key));
	pp_php_array_begin(j, php, 1 + (n || some ? n : 1));
	/* Readers want a number: a pair that samples saw was called at least once. */
	pp_php_number(j, php, "ct", c->has_calls ? (int64_t)pair->calls : 1);
	if (n == 0 && !some)
		pp_php_number(j, php, "wt", 0);
	for (i = 0; i < n; i++) {
		size_t m = some ? pp_values_metric(&costs, i) : i;

		pp_php_number(j, php, columns[m].name.p, pp_level_calls_whole(c, row, m));
	}
	pp_php_array_end(j, php);
}

static pp_status
xhprof_write(struct pp_writer *w)
{
	const struct pp_profile *p = w->profile;
	struct pp_key_column *columns = pp_key_columns(w, xhprof_keys);
	struct pp_level_calls c = { 0 };
	struct pp_buf key = { 0 };
	struct pp_json j;
	pp_status status = columns ? pp_level_calls_collect(&c, w, ARROW, columns) : PP_E_NOMEM;
	bool php = pp_variant_is(w, &pp_format_xhprof, "serialize"),
	     wrapped = !php && p->meta.n && pp_profile_native(p) == &pp_format_xhprof;
	size_t i;

	pp_json_init(&j, w->out, PP_JSON_COMPACT);
	if (status == PP_OK && pp_level_calls_has_root(&c, MAIN)) {
		w->loss.dropped |= PP_HAS(INCOMPLETE);
	} else if (status == PP_OK && p->complete) {
		w->loss.made |= PP_HAS(ROOTS);
		status = pp_level_calls_wrap(&c, MAIN) ? PP_OK : PP_E_NOMEM;
	}
	if (!c.has_calls)
		w->loss.made |= PP_HAS(CALLS);
	pp_php_array_begin(&j, php, c.pairs.n);
	for (i = 0; wrapped && i < p->meta.n; i++)
		if (p->meta.at[i].parent == 0)
			pp_meta_json_write(&j, p, i, true);
	if (wrapped)
		pp_json_put_object(&j, "profile");
	for (i = 0; status == PP_OK && i < c.pairs.n; i++)
		pair_write(&j, php, &c, i, columns, &key);
	if (wrapped)
		pp_json_end_object(&j);
	pp_php_array_end(&j, php);
	if (!php)
		pp_json_end_line(&j);
	status = key.failed ? PP_E_NOMEM : status;
	pp_buf_release(&key);
	pp_level_calls_release(&c);
	pp_key_columns_free(columns, p->metrics.n);
	return status;
}

#define XHPROF_KEEPS (PP_HAS(PAIRS) | PP_HAS(CALLS) | PP_HAS(INCOMPLETE))
#define XHPROF_VALUES "whole, us or bytes, of 64 bits"

static const struct pp_holds xhprof_holds[] = {
	{ "serialize", XHPROF_KEEPS, .values = XHPROF_VALUES },
	{ .keeps = XHPROF_KEEPS, .own = PP_HAS(METADATA), .values = XHPROF_VALUES },
};

const struct pp_format pp_format_xhprof = {
	.name = "xhprof",
	.title = "XHProf profile (PHP, Tideways too)",
	.extensions = "xhprof",
	.variants = "json serialize",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_EDGES | PP_META,
	.writes = PP_WRITES_TEXT | PP_WRITES_JSON,
	.bid = xhprof_bid,
	.read = xhprof_read,
	.write = xhprof_write,
	.describe = pp_xhgui_describe,
	.holds = xhprof_holds,
	.rules = xhprof_rules,
};
