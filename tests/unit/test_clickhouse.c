/*
 * What the ClickHouse engine is made of, without a server: sources, rows that are not what was asked for, texts of functions
 * and frames there and back.
 */
#include "store/clickhouse_rows.h"
#include "store/clickhouse_stacks.h"
#include "tap.h"

static void
source_check(const char *text, pp_status expected, const char *what)
{
	struct pp_clickhouse_source s;
	struct pp_buf problem = { 0 };
	pp_status status = pp_clickhouse_source_parse(text, &s, &problem);

	ok(status == expected && (status == PP_OK) == (problem.n == 0), "%s: %s", text, what);
	ok(!problem.n || !strstr(problem.p, "geheim"), "no password is repeated");
	pp_buf_release(&problem);
	pp_clickhouse_source_release(&s);
}

static void
test_sources(void)
{
	struct pp_clickhouse_source s;
	struct pp_buf problem = { 0 };

	ok(pp_clickhouse_source_parse(
	       "clickhouse://a%20b@h1,[::1]:9,h-2.x:8124/d%62?cluster=c%26d&schema=parca&"
	       "push=never&timeout=7&keep=30d&password-file=/p&where=a=b&x",
	       &s, &problem) == PP_OK,
	   "all there is in a source");
	ok(s.host_count == 3, "three hosts");
	is_text(s.hosts[0].port, "8123", "the port that is meant");
	is_text(s.hosts[1].host, "::1", "an address in brackets");
	is_text(s.hosts[1].port, "9", "and its port");
	is_text(s.hosts[2].host, "h-2.x", "a name");
	is_text(s.user, "a b", "the user");
	is_text(s.database, "db", "the database");
	is_text(s.cluster, "c&d", "the cluster");
	is_text(s.password_file, "/p", "where the password is");
	ok(s.schema == PP_SCHEMA_PARCA && s.push == PP_PUSH_NEVER && s.timeout == 7 &&
	       s.keep_days == 30,
	   "the options");
	pp_clickhouse_source_release(&s);
	pp_buf_release(&problem);
	source_check("clickhouse://h/d", PP_OK, "fine");
	source_check("clickhouse://h/d?secure=1", PP_OK,
	             "what cannot be had is told when it is opened");
	source_check("clickhouse://h", PP_E_USAGE, "no database");
	source_check("clickhouse://h/", PP_E_USAGE, "no database");
	source_check("clickhouse:///d", PP_E_USAGE, "no host");
	source_check("clickhouse://h,/d", PP_E_USAGE, "a host without a name");
	source_check("clickhouse://h:0/d", PP_E_USAGE, "no port");
	source_check("clickhouse://h:65536/d", PP_E_USAGE, "no port");
	source_check("clickhouse://h:1x/d", PP_E_USAGE, "no port");
	source_check("clickhouse://[::1/d", PP_E_USAGE, "a bracket that stays open");
	source_check("clickhouse://[::1]9/d", PP_E_USAGE, "something behind the bracket");
	source_check("clickhouse://h\r\nX: y/d", PP_E_USAGE, "a header in a host");
	source_check("clickhouse://u:geheim@h/d", PP_E_USAGE, "a password");
	source_check("clickhouse://h/d?password=geheim", PP_E_USAGE, "a password");
	source_check("clickhouse://h/d%0a", PP_E_USAGE, "a control character");
	source_check("clickhouse://h/d%4", PP_E_USAGE, "half a byte");
	source_check("clickhouse://h/d?", PP_E_USAGE, "an empty option");
	source_check("clickhouse://h/d?schema=x", PP_E_USAGE, "another schema");
	source_check("clickhouse://h/d?timeout=0", PP_E_USAGE, "no time");
	source_check("clickhouse://h/d?keep=30", PP_E_USAGE, "no unit");
}

/* A question as it is put to tables with extracts, and without. */
static bool
asks(struct pp_clickhouse *c, enum pp_clickhouse_question question, bool extracts,
     const char *words)
{
	c->sql.n = 0;
	c->has_extracts = extracts;
	pp_clickhouse_put(c, question, "1");
	return strstr(c->sql.p, words) != NULL;
}

static void
test_questions(void)
{
	struct pp_clickhouse c = { 0 };
	struct pp_buf problem = { 0 }, ddl = { 0 };
	size_t i;

	ok(pp_clickhouse_source_parse("clickhouse://h/d?cluster=k", &c.from, &problem) == PP_OK,
	   "a cluster");
	ok(asks(&c, PP_SQL_LIST, true, "notEmpty(members), extract_bytes, extract_digest FROM"),
	   "a list tells of extracts");
	ok(asks(&c, PP_SQL_LIST, false, "notEmpty(members), toUInt64(0), toUInt128(0) FROM"),
	   "of tables without them that there are none");
	ok(asks(&c, PP_SQL_EXTRACTS, true, " extract FROM `d`.profiles_d WHERE 1 ORDER BY batch"),
	   "extracts are asked for");
	ok(!asks(&c, PP_SQL_LOAD, true, "extract"), "and inputs without them");
	for (i = 0; i < pp_clickhouse_ddl_count(&c.from); i++) {
		pp_clickhouse_ddl(&c.from, i, &ddl);
		pp_buf_addc(&ddl, ';');
	}
	pp_buf_addc(&ddl, '\0');
	ok(strstr(ddl.p, ", extract String") && strstr(ddl.p, "COMMENT 'polyprof store 3'"),
	   "tables have a column for them");
	ok(strstr(ddl.p, ";ALTER TABLE `d`.profiles ADD COLUMN IF NOT EXISTS members") &&
	       strstr(ddl.p, ";ALTER TABLE `d`.profiles_d ADD COLUMN IF NOT EXISTS members") &&
	       strstr(ddl.p, ",ADD") == NULL &&
	       strstr(ddl.p, ", ADD COLUMN IF NOT EXISTS extract String"),
	   "or get it, and so do their twins");
	pp_clickhouse_source_release(&c.from);
	pp_buf_release(&c.sql);
	pp_buf_release(&ddl);
	pp_buf_release(&problem);
}

static void
test_rows(void)
{
	struct pp_buf row = { 0 };
	struct pp_row_reader r;
	static const unsigned char endless[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		                                 0xff, 0xff, 0xff, 0xff, 0xff };

	pp_binary_u8(&row, 200);
	pp_binary_u32(&row, 4000000000u);
	pp_binary_u64(&row, UINT64_MAX);
	pp_binary_u128(&row, (pp_u128)7 << 100);
	pp_binary_varint(&row, UINT64_MAX);
	pp_binary_text(&row, pp_slice_of("a\0b", 3));
	r = (struct pp_row_reader){ (unsigned char *)row.p, (unsigned char *)row.p + row.n, false };
	ok(pp_rows_u8(&r) == 200 && pp_rows_u32(&r) == 4000000000u &&
	       pp_rows_u64(&r) == UINT64_MAX && pp_rows_u128(&r) == (pp_u128)7 << 100 &&
	       pp_rows_varint(&r) == UINT64_MAX,
	   "numbers there and back");
	is_slice(pp_rows_text(&r), pp_slice_of("a\0b", 3), "bytes there and back");
	ok(!r.bad && !pp_rows_more(&r), "and nothing is left");
	ok(pp_rows_u64(&r) == 0 && r.bad && pp_rows_text(&r).n == 0,
	   "past the end there is nothing");
	r = (struct pp_row_reader){ endless, endless + sizeof endless, false };
	ok(pp_rows_varint(&r) == 0 && r.bad, "a number without end");
	r = (struct pp_row_reader){ endless, endless + 2, false };
	ok(pp_rows_text(&r).n == 0 && r.bad, "a text that is longer than the answer");
	row.n = 0;
	pp_sql_text(&row, pp_slice_of("'\\\xff", 3));
	is_slice_z(pp_slice_of(row.p, row.n), "unhex('275CFF')", "no byte is taken for SQL");
	row.n = 0;
	pp_sql_u128(&row, ~(pp_u128)0);
	is_slice_z(pp_slice_of(row.p, row.n),
	           "toUInt128('340282366920938463463374607431768211455')", "128 bits");
	row.n = 0;
	pp_sql_name(&row, "a`b\\");
	is_slice_z(pp_slice_of(row.p, row.n), "`a\\`b\\\\`", "a name in backquotes");
	pp_buf_release(&row);
}

/* A function and a frame with all that they can have become texts, and these the same again. */
static void
test_texts(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_builder a, b;
	struct pp_buf first = { 0 }, second = { 0 };
	struct pp_module_row module = { .kind = PP_MODULE_JIT };
	struct pp_func_row func = {
		.line = 3, .column = 4, .last_line = 9, .flags = PP_FUNC_KERNEL
	};
	struct pp_frame_row frame = { .line = 5,
		                      .column = 6,
		                      .address = UINT64_MAX,
		                      .offset = 7,
		                      .inline_depth = 2,
		                      .flags = PP_FRAME_INLINED };
	static const char *const broken[] = { "f\x1f",   "f\x1fl",  "f\x1fl9999999999",
		                              "f\x1fq1", "f\x1fk9", "f\x1flx" };
	size_t i;

	ok(pp_builder_init(&a, &limits, NULL, 1, &pp_pages_plain) &&
	       pp_builder_init(&b, &limits, NULL, 2, &pp_pages_plain),
	   "two profiles");
	module.name = pp_build_strz(&a, "m\x1f\\");
	module.build_id = pp_build_strz(&a, "id");
	func.module = pp_build_module(&a, &module);
	func.name = pp_build_str(&a, pp_slice_of("\\\x1f\xff\x1f\x1f"
	                                         "fx\0",
	                                         8));
	func.file = pp_build_strz(&a, "\x1f");
	frame.func = pp_build_func(&a, &func);
	frame.file = pp_build_strz(&a, "\\\x1fg1");
	pp_rows_function(&first, a.profile, frame.func);
	func = b.profile->funcs.at[pp_rows_build_function(&b, pp_slice_of(first.p, first.n))];
	pp_rows_function(&second, b.profile, (pp_func)(b.profile->funcs.n - 1));
	is_slice(pp_slice_of(second.p, second.n), pp_slice_of(first.p, first.n),
	         "a function there and back");
	is_slice(pp_text_of(b.profile, func.name),
	         pp_slice_of("\\\x1f\xff\x1f\x1f"
	                     "fx\0",
	                     8),
	         "its name");
	ok(func.line == 3 && func.column == 4 && func.last_line == 9 &&
	       func.flags == PP_FUNC_KERNEL,
	   "its numbers");
	first.n = second.n = 0;
	pp_rows_place(&first, a.profile, pp_build_frame(&a, &frame));
	i = pp_rows_build_frame(&b, (pp_func)(b.profile->funcs.n - 1), 5,
	                        pp_slice_of(first.p, first.n));
	pp_rows_place(&second, b.profile, (pp_frame)i);
	is_slice(pp_slice_of(second.p, second.n), pp_slice_of(first.p, first.n),
	         "a frame there and back");
	ok(i && b.profile->frames.at[i].address == UINT64_MAX &&
	       b.profile->frames.at[i].inline_depth == 2,
	   "its numbers");
	for (i = 0; i < PP_COUNT_OF(broken); i++)
		ok(pp_rows_build_function(&b, pp_slice_z(broken[i])) == 0, "no function: %zu", i);
	pp_buf_release(&first);
	pp_buf_release(&second);
	pp_builder_release(&a);
	pp_builder_release(&b);
}

/* Shapes that are broken off anywhere, or are no shapes. */
static void
test_shapes(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_builder a, b;
	struct pp_buf shape = { 0 };
	pp_frame frame;
	const int64_t value = 3;
	size_t n, refused = 0;

	(void)pp_builder_init(&a, &limits, NULL, 1, &pp_pages_plain);
	a.profile->format = pp_format_find("folded");
	(void)pp_build_metric_z(&a, "samples", "samples", PP_KIND_SAMPLES, PP_INT,
	                        PP_METRIC_PRIMARY);
	(void)pp_build_series_plain(&a, true, false);
	frame = pp_build_frame(
	    &a, &(struct pp_frame_row){
	            .func = pp_build_func(
	                &a, &(struct pp_func_row){ .name = pp_build_strz(&a, "f") }) });
	ok(pp_build_stack(&a, 0, &frame, 1, &value) && pp_build_flush(&a), "a stack");
	pp_rows_shape(&shape, a.profile);
	ok(shape.n > 0, "stacks can be added up");
	ok(pp_rows_build_shape(&b, pp_slice_of(shape.p, shape.n), NULL, 2) == PP_OK &&
	       b.profile->metrics.n == 1 && b.profile->series.n == 1,
	   "and their shape is read back");
	pp_builder_release(&b);
	for (n = 0; n < shape.n; n++) {
		refused += pp_rows_build_shape(&b, pp_slice_of(shape.p, n), NULL, 2) ==
		           PP_E_INVALID;
		pp_builder_release(&b);
	}
	is_u64(refused, shape.n, "each shape that is broken off is refused");
	shape.n = 0;
	a.profile->estimated = true;
	pp_rows_shape(&shape, a.profile);
	ok(shape.n == 0, "what is estimated cannot be added up");
	pp_buf_release(&shape);
	pp_builder_release(&a);
}

/* Nodes by the one above and the frame: chains and siblings. */
static const struct {
	uint32_t above, frame;
} nodes[] = { { 0, 0 }, { 1, 1 }, { 2, 0 }, { 2, 1 }, { 1, 0 },
	      { 0, 1 }, { 6, 1 }, { 3, 0 }, { 8, 2 }, { 6, 0 } };

static void
test_nodes(void)
{
	const struct pp_slice keys[] = { pp_slice_z("a"), pp_slice_z("bb"), pp_slice_z("ccc"),
		                         pp_slice_z("a") };
	struct pp_known_nodes k = { 0 };
	size_t i, n = PP_COUNT_OF(nodes);
	pp_str frames[PP_COUNT_OF(keys)], again[PP_COUNT_OF(keys)];

	ok(pp_known_begin(&k, n + 1, 3, 100, 1), "nodes that are met");
	ok(pp_known_frames(&k, keys, PP_COUNT_OF(keys), frames) && frames[0] == frames[3] &&
	       frames[0] && frames[1] > frames[0] && frames[2] > frames[1],
	   "frames have numbers, equal ones the same");
	ok(pp_known_frames(&k, keys, PP_COUNT_OF(keys), again) &&
	       memcmp(frames, again, sizeof again) == 0,
	   "which they keep");
	for (i = 0; i < n; i++) {
		ok(pp_known_find(&k, nodes[i].above, frames[nodes[i].frame]) == 0,
		   "node %zu is new", i);
		is_u64(pp_known_append(&k, nodes[i].above, frames[nodes[i].frame]), i + 1,
		       "and has the next number");
	}
	pp_known_enter(&k, 1);
	for (i = 0; i < n; i++)
		is_u64(pp_known_find(&k, nodes[i].above, frames[nodes[i].frame]), i + 1,
		       "node %zu is found", i);
	ok(!pp_known_find(&k, 3, frames[2]), "and no other");
	ok(pp_known_begin(&k, 3, 3, 100, 1) && k.nodes.n == n + 1 && k.generation == 0,
	   "a little more comes along");
	ok(pp_known_begin(&k, 3, 3, 100, 10000) && k.nodes.n == 1 && k.generation == 1,
	   "after hours all is forgotten");
	ok(!pp_known_find(&k, 0, frames[0]), "a node is new again");
	ok(pp_known_frames(&k, keys + 1, 1, again) && again[0] == 1, "and frames begin again");
	ok(!pp_known_begin(&k, (size_t)1 << 21, 3, 100, 10000) &&
	       !pp_known_begin(&k, 2, (size_t)1 << 18, 100, 10000) &&
	       !pp_known_begin(&k, 2, 3, (size_t)1 << 30, 10000) && k.generation == 1,
	   "what is too large for a table leaves it alone");
	pp_known_release(&k);
	is_u64(k.generation, 2, "numbers of before are known for what they are");
}

/* A profile with these nodes: names of which some are long, lines, places, and a name with bytes that mean something. */
static struct pp_profile *
tree_profile(struct pp_builder *b, size_t name, unsigned frames, unsigned deep)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	static char text[70000];
	pp_func funcs[3];
	unsigned i;

	if (!pp_builder_init(b, &limits, NULL, 3, &pp_pages_plain))
		return NULL;
	memset(text, 'n', sizeof text);
	for (i = 0; i < PP_COUNT_OF(funcs); i++) {
		struct pp_func_row row = { .name = pp_build_str(
			                       b, i == 1 ? pp_slice_z("b\x1f\\")
			                                 : pp_slice_of(text, i ? name : 3)) };

		row.line = i == 2 ? 7 : 0;
		funcs[i] = pp_build_func(b, &row);
	}
	for (i = 0; i < frames; i++) {
		struct pp_frame_row row = { .func = funcs[i % 3], .line = i / 3, .column = i % 5 };
		pp_frame frame = pp_build_frame(b, &row);
		pp_node above = i % deep ? b->profile->tree.n - 1 : 0;

		pp_tree_child(&b->profile->tree, above, frame);
	}
	return b->profile;
}

/* The digest of each node, one by one, from what rows say of its frame. */
static uint64_t
digests_differ(const struct pp_profile *p, const struct pp_row_stacks *s)
{
	unsigned char(*digests)[PP_DIGEST] = calloc(p->tree.n, sizeof *digests);
	struct pp_buf key = { 0 };
	uint64_t differ = 0;
	pp_node node;

	for (node = 1; node < p->tree.n; node++) {
		const struct pp_frame_row *f = &p->frames.at[pp_tree_frame(&p->tree, node)];
		struct pp_buf function = { 0 };

		key.n = 0;
		pp_rows_function(&function, p, f->func);
		pp_binary_text(&key, pp_slice_of(function.p, function.n));
		pp_binary_u32(&key, f->line);
		pp_rows_place(&key, p, pp_tree_frame(&p->tree, node));
		pp_node_digest(digests[pp_tree_parent(&p->tree, node)], pp_slice_of(key.p, key.n),
		               digests[node]);
		differ += memcmp(digests[node], s->digests[node], PP_DIGEST) != 0;
		pp_buf_release(&function);
	}
	pp_buf_release(&key);
	free(digests);
	return differ;
}

/* How many rows of all nodes a server would get, and all that they say in *rows. */
static uint64_t
rows_make(struct pp_row_stacks *s, const struct pp_profile *p, struct pp_buf *rows)
{
	struct pp_clickhouse_insert in = { .most = (size_t)256 << 20 };
	uint8_t *has = malloc(p->tree.n);

	memset(has, 1, p->tree.n);
	pp_row_stacks_write(&in, s, has, 0, 1);
	ok(in.status == PP_OK, "rows are made");
	free(has);
	pp_buf_release(rows);
	*rows = in.row;
	return rows->n;
}

static void
check_stacks(size_t name, unsigned frames, bool apart)
{
	struct pp_known_nodes met = { 0 };
	struct pp_row_stacks s = { 0 }, later = { 0 };
	struct pp_buf rows = { 0 }, again = { 0 };
	struct pp_builder b;
	struct pp_profile *p = tree_profile(&b, name, frames, apart ? 2 : 5);

	ok(p && pp_row_stacks_begin(&s, p, &met), "stacks of %u frames, a name of %zu bytes",
	   frames, name);
	ok((s.tails != NULL) == apart, "are %s", apart ? "kept apart" : "texts as a whole");
	is_u64(digests_differ(p, &s), 0, "each node has its digest");
	ok(rows_make(&s, p, &rows) > p->tree.n * 40, "all are sent");
	ok(pp_row_stacks_begin(&later, p, &met), "the same once more");
	is_u64(digests_differ(p, &later), 0, "has the same digests");
	is_u64(rows_make(&later, p, &again), apart ? rows.n : 0, "and is sent %s",
	       apart ? "again" : "no more");
	pp_known_forget(&met);
	rows_make(&later, p, &again);
	ok(again.n == rows.n && memcmp(again.p, rows.p, rows.n) == 0,
	   "until all was forgotten: then it has the same rows");
	pp_row_stacks_release(&s);
	pp_row_stacks_release(&later);
	pp_known_release(&met);
	pp_buf_release(&rows);
	pp_buf_release(&again);
	pp_builder_release(&b);
}

/* A file that lists a function twice has nodes that rows do not tell apart: they are one. */
static void
test_twins(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_known_nodes met = { 0 };
	struct pp_row_stacks s = { 0 };
	struct pp_buf rows = { 0 };
	struct pp_profile *p;
	struct pp_builder b;
	pp_frame frames[2];
	uint64_t once;
	size_t i;

	ok(pp_builder_init(&b, &limits, NULL, 3, &pp_pages_plain), "a profile");
	p = b.profile;
	for (i = 0; i < PP_COUNT_OF(frames); i++) {
		struct pp_func_row row = { .name = pp_build_strz(&b, "twice") };

		ok(pp_vec_push(&p->funcs, row), "the function once more");
		frames[i] = pp_build_frame(
		    &b, &(struct pp_frame_row){ .func = (pp_func)p->funcs.n - 1 });
	}
	(void)pp_tree_child(&p->tree, pp_tree_child(&p->tree, 0, frames[0]), frames[0]);
	ok(pp_row_stacks_begin(&s, p, &met), "its nodes");
	once = rows_make(&s, p, &rows);
	pp_row_stacks_release(&s);
	pp_known_release(&met);
	(void)pp_tree_child(&p->tree, pp_tree_child(&p->tree, 0, frames[1]), frames[0]);
	ok(pp_row_stacks_begin(&s, p, &met), "the same nodes of the other one");
	ok(s.known[3] == s.known[1] && s.known[4] == s.known[2], "are the same");
	is_u64(digests_differ(p, &s), 0, "and have the same digests");
	is_u64(rows_make(&s, p, &rows), once, "each is sent once");
	pp_row_stacks_release(&s);
	pp_known_release(&met);
	pp_buf_release(&rows);
	pp_builder_release(&b);
}

/* Keys of frames count once, though each function is there on its own, too. */
static void
test_bytes(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	static char name[10000];
	struct pp_known_nodes met = { 0 };
	struct pp_row_stacks s = { 0 };
	struct pp_builder b;
	unsigned i;

	ok(pp_builder_init(&b, &limits, NULL, 3, &pp_pages_plain), "a profile");
	memset(name, 'n', sizeof name);
	for (i = 0; i < 900; i++) {
		struct pp_func_row func = {
			.line = i + 1, .name = pp_build_str(&b, pp_slice_of(name, sizeof name))
		};
		struct pp_frame_row frame = { .func = pp_build_func(&b, &func) };

		(void)pp_tree_child(&b.profile->tree, 0, pp_build_frame(&b, &frame));
	}
	ok(pp_row_stacks_begin(&s, b.profile, &met) && s.texts.n > (size_t)17 << 20,
	   "with long names");
	ok(s.known != NULL, "is remembered");
	pp_row_stacks_release(&s);
	pp_known_release(&met);
	pp_builder_release(&b);
}

int
main(void)
{
	test_nodes();
	test_twins();
	test_bytes();
	check_stacks(5, 100, false);
	check_stacks(200, 3000, false);
	check_stacks(70000, 1700, true);
	test_sources();
	test_questions();
	test_rows();
	test_texts();
	test_shapes();
	return tap_done();
}
