/*
 * XHProf and Tideways: what PHP functions cost for each of their callers. CONTRIBUTING.md walks through this file.
 *
 *     {"main()":           {"ct": 1, "wt": 1000, "cpu": 900, "mu": 5000, "pmu": 6000},
 *      "main()==>a":       {"ct": 2, "wt": 600, ...},
 *      "CALLER==>CALLEE":  ...}
 *
 * in any order; xhgui puts such a map under "profile", beside "meta". A key without ==> is a root, others are cut at
 * the first one. ct counts calls; wt and cpu are us, mu and pmu bytes, each with all that was called in turn. Tideways
 * adds mem.na, mem.nf (counts) and mem.aa (bytes); any other key is a count. What a function costs itself is what its
 * callers say less what its callees say. Recursion is spelled in names: fib, fib@1, fib@2 are functions of their own.
 * A whole profile has the root main(), though not always as the only one.
 */
#include "formats/author.h"

#define MAIN "main()"
#define ARROW "==>"
#define METRICS_MAX 64
/* What is looked at to tell what a file is about. */
#define DESCRIBED_MOST ((size_t)1 << 20)

extern const struct pp_format pp_format_xhprof;

enum { XHPROF_JSON, XHPROF_SHAPE, XHPROF_MAIN, XHPROF_PARENT };

static const struct pp_rule xhprof_rules[] = {
	[XHPROF_JSON] = { "xhprof-json", PP_ERROR, "the JSON is broken",
	                  "The file breaks off or is not JSON from the place named on. The calls before it "
	                  "were read." },
	[XHPROF_SHAPE] = { "xhprof-shape", PP_ERROR, "an entry is not what XHProf writes",
	                   "Each key is FUNCTION or CALLER==>CALLEE and occurs once. Its value is an object "
	                   "of whole numbers, ct not below 0. Other entries are left out." },
	[XHPROF_MAIN] = { "xhprof-main", PP_WARNING, "the root main() is missing",
	                  "XHProf writes main() when it is switched off. Without it the profile is "
	                  "incomplete." },
	[XHPROF_PARENT] = { "xhprof-parent", PP_WARNING, "a caller is called by nobody",
	                    "The function calls others, but it is neither a root nor called. What it costs "
	                    "is not known and counts as 0." },
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

/* Enters the map of a file, which may be wrapped: entries have numbers, what stands around them has not. */
static bool
map_enter(struct pp_scan *s, bool *wrapped)
{
	struct pp_scan probe = *s, inner = *s;
	struct pp_json_str key;

	*wrapped = pp_scan_object(&probe) && pp_scan_key(&probe, &key) &&
	           pp_scan_peek(&probe) == PP_JSON_OBJECT && pp_scan_object(&probe) &&
	           pp_scan_key(&probe, &key) && pp_scan_peek(&probe) != PP_JSON_NUMBER &&
	           pp_scan_path(&inner, "profile", NULL, NULL);
	*s = *wrapped ? inner : *s;
	return pp_scan_object(s);
}

static int
xhprof_bid(const struct pp_peek *peek)
{
	struct pp_json_str key, member;
	struct pp_scan s;
	bool wrapped;
	int bits = 0;

	pp_scan_init(&s, peek->head, 0, PP_SCAN_STRICT);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !map_enter(&s, &wrapped))
		return 0;
	while (pp_scan_key(&s, &key) && pp_scan_peek(&s) == PP_JSON_OBJECT && pp_scan_object(&s))
		while (pp_scan_key(&s, &member) && pp_scan_peek(&s) == PP_JSON_NUMBER &&
		       pp_scan_skip(&s, NULL))
			bits += pp_json_str_eq(member, "ct") || pp_json_str_eq(member, "wt") ? 32
			                                                                     : 0;
	return bits ? bits
	            : pp_name_ends(peek->name, "xhprof") || pp_name_ends(peek->name, "xhprof.json");
}

/* ---- reading ------------------------------------------------------------------------------- */

/* A name as it stands in the file, which was looked at before. */
struct known_name {
	struct pp_slice raw;
	pp_func func;
};

/*
 * Entries are written alike: what stands between their numbers is that of the entry before, and most names were
 * there. So both are compared first, and taken apart where they differ.
 */
struct layout_piece {
	struct pp_slice
	    text;  /* up to where a number begins; of the last, up to the end of the entry */
	size_t at; /* of the row, what that number is */
};

struct layout {
	struct layout_piece pieces[METRICS_MAX + 3];
	size_t n; /* 0 = none is known */
};

struct xhprof_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_scan scan;
	struct pp_places places;
	struct pp_arena arena; /* names with escapes, for a while */
	bool has_main;
	size_t next;                  /* the metric that probably comes next */
	int64_t row[METRICS_MAX + 1]; /* of the entry being read: calls, then costs */
	struct layout layout;
	struct pp_slots known; /* of rows of `names` + 1 */
	PP_VEC(struct known_name) names;
};

static void
report(struct xhprof_read *r, int rule, const unsigned char *at, const char *what)
{
	r->b->profile->complete = false;
	pp_diag_add(r->reader->diags, &xhprof_rules[rule], pp_places_next(&r->places, at), "%s",
	            what);
}

/* The numbers of an entry; false when it is not an object of them. */
static bool
row_read(struct xhprof_read *r)
{
	const unsigned char *from = r->scan.cur;
	bool fine = pp_scan_object(&r->scan);
	struct layout layout = { 0 };
	struct pp_json_str key;
	struct pp_json_num num;

	memset(r->row, 0, (r->b->profile->metrics.n + 1) * sizeof *r->row);
	while (fine && pp_builder_ok(r->b) && pp_scan_key(&r->scan, &key)) {
		bool count = pp_json_str_eq(key, "ct");
		struct pp_slice name = pp_build_json_text(r->b, key, &r->arena);
		size_t at = count
		                ? 0
		                : 1 + pp_key_metric(r->b, xhprof_keys, name, METRICS_MAX, &r->next);

		fine = pp_scan_number(&r->scan, &num) && at <= METRICS_MAX &&
		       pp_json_num_i64(&num, &r->row[at]) && !(count && r->row[0] < 0);
		if (fine && layout.n <= METRICS_MAX + 1)
			layout.pieces[layout.n++] =
			    (struct layout_piece){ pp_slice_between(from, num.text.p), at };
		from = num.text.p + num.text.n;
	}
	fine = fine && r->scan.error == PP_SCAN_OK;
	/* One that names so much that pieces were left out is nothing to go by. */
	if (layout.n <= METRICS_MAX + 1)
		layout.pieces[layout.n++].text = pp_slice_between(from, r->scan.cur);
	else
		layout.n = 0;
	if (fine)
		r->layout = layout;
	return fine;
}

/* A whole number of at most 18 digits, without needless zeros; NULL when it is none. */
static inline const unsigned char *
number_take(const unsigned char *p, const unsigned char *end, int64_t *number)
{
	bool negative = p < end && *p == '-';
	const unsigned char *first = p + negative;
	int64_t value = 0;

	for (p = first; p < end && *p >= '0' && *p <= '9' && p - first < 19; p++)
		value = value * 10 + (*p - '0');
	if (p == first || p - first > 18 || (*first == '0' && p - first > 1) || p == end)
		return NULL;
	*number = negative ? -value : value;
	return p;
}

/* The numbers of an entry that is written like the one before; false, and nothing taken, when it is not. */
static bool
row_read_alike(struct xhprof_read *r)
{
	const unsigned char *p = r->scan.cur, *end = r->scan.end;
	const struct layout *l = &r->layout;
	size_t i;

	if (!l->n)
		return false;
	memset(r->row, 0, (r->b->profile->metrics.n + 1) * sizeof *r->row);
	for (i = 0; i < l->n; i++) {
		const struct pp_slice *text = &l->pieces[i].text;

		if ((size_t)(end - p) <= text->n || memcmp(p, text->p, text->n) != 0)
			return false;
		p += text->n;
		if (i + 1 < l->n && !(p = number_take(p, end, &r->row[l->pieces[i].at])))
			return false;
	}
	if (r->row[0] < 0)
		return false;
	r->scan.cur = p;
	r->scan.after_value = true;
	return true;
}

/* ---- names ---- */

static uint32_t
name_tag(const struct xhprof_read *r, struct pp_slice raw)
{
	return (uint32_t)(pp_hash_text(raw.p, raw.n, r->reader->seed) >> 32);
}

static const struct known_name *
name_find(const struct xhprof_read *r, struct pp_slice raw)
{
	uint32_t tag = name_tag(r, raw), row;
	size_t at;

	if (!r->known.at)
		return NULL;
	for (at = pp_slots_begin(&r->known, tag); (row = pp_slots_next(&r->known, tag, &at));)
		if (pp_slice_eq(r->names.at[row - 1].raw, raw))
			return &r->names.at[row - 1];
	return NULL;
}

/* Remembers a name as it is written. An escaped arrow would be one only once it is decoded. */
static void
name_note(struct xhprof_read *r, struct pp_slice raw, pp_func func)
{
	const unsigned char *p = raw.p, *end = raw.p + raw.n;

	while ((p = memchr(p, '\\', (size_t)(end - p)))) {
		if (end - p < 2 || p[1] == 'u')
			return;
		p += 2;
	}
	if (name_find(r, raw))
		return;
	if ((!r->known.at && !pp_slots_init(&r->known, 10, NULL)) ||
	    !pp_slots_reserve(&r->known, 1) ||
	    !pp_vec_push(&r->names, (struct known_name){ raw, func })) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return;
	}
	pp_slots_put(&r->known, name_tag(r, raw), (uint32_t)r->names.n);
}

/* Where the arrow of a key begins, NULL when it has none. */
static const unsigned char *
arrow_find(struct pp_slice key)
{
	const unsigned char *p = key.p, *end = key.p + key.n;

	while ((p = memchr(p, ARROW[0], (size_t)(end - p)))) {
		if ((size_t)(end - p) >= strlen(ARROW) && memcmp(p, ARROW, strlen(ARROW)) == 0)
			return p;
		p++;
	}
	return NULL;
}

/*
 * An entry whose names were there, and that is written like the one before; false, and nothing taken, when it is
 * another. What is equal to what was checked needs no check.
 */
static bool
entry_read_alike(struct xhprof_read *r)
{
	const unsigned char *p = r->scan.cur, *end = r->scan.end, *quote, *arrow;
	const struct known_name *caller = NULL, *callee;
	struct pp_edge_row edge = { 0 };
	struct pp_profile *profile = r->b->profile;
	size_t before = profile->calls.rows.n;
	struct pp_scan start = r->scan;
	int64_t *cells;

	if (!r->scan.after_value || end - p < 4 || p[0] != ',' || p[1] != '"')
		return false;
	p += 2;
	quote = memchr(p, '"', (size_t)(end - p));
	if (!quote || quote[-1] == '\\' || quote[1] != ':')
		return false;
	arrow = arrow_find(pp_slice_between(p, quote));
	if (arrow && !(caller = name_find(r, pp_slice_between(p, arrow))))
		return false;
	callee = name_find(r, pp_slice_between(arrow ? arrow + strlen(ARROW) : p, quote));
	if (!callee)
		return false;
	r->scan.cur = quote + 2;
	if (!row_read_alike(r)) {
		r->scan = start;
		return false;
	}
	edge.caller = caller ? caller->func : 0;
	edge.callee = callee->func;
	r->has_main |= !arrow && pp_slice_eq_z(callee->raw, MAIN);
	cells = pp_build_edge(r->b, &edge);
	if (cells && profile->calls.rows.n == before)
		report(r, XHPROF_SHAPE, p, "the same caller and callee again");
	else if (cells)
		memcpy(cells, r->row, (profile->metrics.n + 1) * sizeof *cells);
	return true;
}

static pp_func
func_of(struct xhprof_read *r, struct pp_slice name)
{
	return pp_build_func(r->b, &(struct pp_func_row){ .name = pp_build_str(r->b, name) });
}

static void
entry_read(struct xhprof_read *r, struct pp_json_str raw)
{
	struct pp_slice key = pp_build_json_text(r->b, raw, &r->arena);
	const unsigned char *arrow = arrow_find(key), *raw_arrow = arrow_find(raw.raw);
	struct pp_profile *p = r->b->profile;
	struct pp_scan value = r->scan;
	struct pp_edge_row edge = { 0 };
	size_t before = p->calls.rows.n;
	int64_t *cells;

	if (!row_read(r)) {
		r->scan = value;
		if (pp_scan_skip(&r->scan, NULL))
			report(r, XHPROF_SHAPE, raw.raw.p, "not an object of whole numbers");
		return;
	}
	if (arrow) {
		edge.caller = func_of(r, pp_slice_between(key.p, arrow));
		key = pp_slice_between(arrow + strlen(ARROW), key.p + key.n);
	}
	edge.callee = func_of(r, key);
	r->has_main |= !arrow && pp_slice_eq_z(key, MAIN);
	if (arrow && raw_arrow)
		name_note(r, pp_slice_between(raw.raw.p, raw_arrow), edge.caller);
	if (!arrow == !raw_arrow)
		name_note(r,
		          pp_slice_between(raw_arrow ? raw_arrow + strlen(ARROW) : raw.raw.p,
		                           raw.raw.p + raw.raw.n),
		          edge.callee);
	cells = pp_build_edge(r->b, &edge);
	if (cells && p->calls.rows.n == before)
		report(r, XHPROF_SHAPE, raw.raw.p, "the same caller and callee again");
	else if (cells)
		memcpy(cells, r->row, (p->metrics.n + 1) * sizeof *cells);
}

static void
map_read(struct xhprof_read *r, struct pp_slice text)
{
	struct pp_profile *p = r->b->profile;
	struct pp_scan outer;
	struct pp_json_str key;
	bool wrapped;

	p->variant = pp_build_strz(r->b, "json");
	p->calls.adds_up = true;
	r->places.text = text;
	pp_scan_init(&outer, text, 0, PP_SCAN_STRICT);
	r->scan = outer;
	(void)map_enter(&r->scan, &wrapped);
	while (pp_builder_ok(r->b)) {
		if (entry_read_alike(r))
			continue;
		if (!pp_scan_key(&r->scan, &key))
			break;
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

	if (status == PP_OK)
		map_read(&r, pp_slice_between(reader->in->cur, reader->in->end));
	pp_arena_release(&r.arena);
	pp_slots_release(&r.known);
	pp_vec_release(&r.names);
	pp_whole_close(&whole, reader);
	return status == PP_OK ? b->status : status;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void
pair_write(struct pp_json *j, const struct pp_level_calls *c, size_t row,
           const struct pp_key_column *columns, struct pp_buf *key)
{
	const struct pp_level_pair *pair = &c->pairs.at[row];
	size_t m, n = c->profile->metrics.n;
	struct pp_slice name;

	key->n = 0;
	if (pair->caller != PP_FROM_OUTSIDE) {
		name = pp_strtab_get(&c->names, pair->caller);
		pp_buf_add(key, name.p, name.n);
		pp_buf_adds(key, ARROW);
	}
	name = pp_strtab_get(&c->names, pair->callee);
	pp_buf_add(key, name.p, name.n);
	pp_json_key_text(j, pp_slice_of(key->p, key->n));
	pp_json_begin_object(j);
	if (c->has_calls)
		pp_json_put_u64(j, "ct", pair->calls);
	if (n == 0)
		pp_json_put_u64(j, "wt", 0);
	for (m = 0; m < n; m++)
		pp_json_put_i64(j, columns[m].name.p, c->whole.at[row * n + m]);
	pp_json_end_object(j);
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
	bool wrapped = p->meta.n && pp_profile_native(p) == &pp_format_xhprof;
	size_t i;

	pp_json_init(&j, w->out, PP_JSON_COMPACT);
	if (status == PP_OK && pp_level_calls_has_root(&c, MAIN)) {
		w->loss.dropped |= PP_HAS(INCOMPLETE);
	} else if (status == PP_OK && p->complete) {
		w->loss.made |= PP_HAS(ROOTS);
		status = pp_level_calls_wrap(&c, MAIN) ? PP_OK : PP_E_NOMEM;
	}
	pp_json_begin_object(&j);
	for (i = 0; wrapped && i < p->meta.n; i++)
		if (p->meta.at[i].parent == 0)
			pp_meta_json_write(&j, p, i, true);
	if (wrapped)
		pp_json_put_object(&j, "profile");
	for (i = 0; status == PP_OK && i < c.pairs.n; i++)
		pair_write(&j, &c, i, columns, &key);
	if (wrapped)
		pp_json_end_object(&j);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
	status = key.failed ? PP_E_NOMEM : status;
	pp_buf_release(&key);
	pp_level_calls_release(&c);
	pp_key_columns_free(columns, p->metrics.n);
	return status;
}

static const struct pp_holds xhprof_holds[] = {
	{ .keeps = PP_HAS(PAIRS) | PP_HAS(CALLS) | PP_HAS(INCOMPLETE),
	  .own = PP_HAS(METADATA),
	  .values = "whole, us or bytes, of 64 bits" },
};

/* The value at a path, as text, out of what was read of the file; false when it is not there. */
static bool
told_at(struct pp_slice text, const char *path, struct pp_arena *arena, struct pp_slice *value)
{
	struct pp_json_str word;
	struct pp_scan s;

	pp_scan_init(&s, text, 0, PP_SCAN_TOLERANT);
	if (!pp_scan_path(&s, path, NULL, NULL))
		return false;
	if (pp_scan_peek(&s) == PP_JSON_NUMBER)
		return pp_scan_skip(&s, value);
	if (pp_scan_peek(&s) != PP_JSON_STRING || !pp_scan_string(&s, &word))
		return false;
	*value = pp_json_str_value(word, arena);
	return value->p != NULL;
}

/* What xhgui puts beside the profile, if it stands near the start: the request, where and when. */
static pp_status
xhprof_describe(struct pp_reader *r, struct pp_brief *brief)
{
	struct pp_arena arena = { 0 };
	struct pp_slice text, url, value;
	int64_t micro;

	(void)pp_input_need(r->in, DESCRIBED_MOST);
	text = pp_slice_of(r->in->cur, pp_input_left(r->in));
	text.n = text.n < DESCRIBED_MOST ? text.n : DESCRIBED_MOST;
	if (told_at(text, "meta.url", &arena, &url) && url.n) {
		brief->is_request = true;
		if (told_at(text, "meta.SERVER.REQUEST_METHOD", &arena, &value) && value.n) {
			pp_buf_add(&brief->what, value.p, value.n);
			pp_buf_addc(&brief->what, ' ');
		}
		if (told_at(text, "meta.SERVER.HTTP_HOST", &arena, &value))
			pp_buf_add(&brief->what, value.p, value.n);
		pp_buf_add(&brief->what, url.p, url.n);
	}
	if (told_at(text, "meta.SERVER.SERVER_NAME", &arena, &value))
		pp_buf_add(&brief->host, value.p, value.n);
	if ((told_at(text, "meta.request_ts.sec", &arena, &value) ||
	     told_at(text, "meta.SERVER.REQUEST_TIME", &arena, &value)) &&
	    !pp_num_i64(value, &brief->recorded_at))
		brief->recorded_at = 0;
	if ((told_at(text, "profile.main().wt", &arena, &value) ||
	     told_at(text, "main().wt", &arena, &value)) &&
	    pp_num_i64(value, &micro) && micro >= 0) {
		brief->has_wall = !__builtin_mul_overflow(micro, 1000, &brief->wall);
		pp_buf_adds(&brief->metric, "wt");
	}
	pp_arena_release(&arena);
	return brief->what.failed || brief->host.failed || brief->metric.failed ? PP_E_NOMEM
	                                                                        : PP_OK;
}

const struct pp_format pp_format_xhprof = {
	.name = "xhprof",
	.title = "XHProf and Tideways (PHP)",
	.extensions = "xhprof",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_EDGES | PP_META,
	.bid = xhprof_bid,
	.describe = xhprof_describe,
	.read = xhprof_read,
	.write = xhprof_write,
	.holds = xhprof_holds,
	.rules = xhprof_rules,
};
