/*
 * Opening, recognising, reading and writing through the API, with inputs of every condition.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "polyprof/polyprof_experimental.h"
#include "api/api.h"
#include "io/rules.h"
#include "pack.h"
#include "tap.h"

static const char stacks[] = "main;a 1\nmain;b;c 20\nmain;a 5\n";

static bool
has_rule(const struct pp_diags *d, const char *id)
{
	const struct pp_rule *rule = pp_rule_find(id);

	return rule && pp_diags_of_rule(d, rule) > 0;
}

static void
test_public(void)
{
	struct pp_diags *diags = pp_diags_new();
	pp_profile *p;
	pp_flat *flat;
	struct pp_text text;
	uint64_t calls;
	double self = 0, total = 0;
	size_t i;
	int s;

	is_text(pp_version(), "0.1.0", "the version");
	for (s = PP_OK; s <= PP_E_LOSS; s++)
		ok(strlen(pp_status_text((pp_status)s)) > 5, "status %d has a text", s);
	is_text(pp_status_text((pp_status)99), "unknown status", "so has any other");
	ok(pp_format_count() >= 2 && !pp_format_get(pp_format_count()), "formats are counted");
	ok(pp_format_find("folded") && !pp_format_find("no-such-format"),
	   "formats are found by name");
	is_text(pp_format_name(pp_format_find("folded")), "folded", "and have one");
	ok(pp_format_can(pp_format_find("folded")) & PP_CAN_READ &&
	       *pp_format_title(pp_format_get(0)) &&
	       strstr(pp_format_extensions(pp_format_find("folded")), "folded"),
	   "and say what they can");
	ok(pp_rule_find("io-gzip-truncated") && !pp_rule_find("nonsense"), "rules are found by id");
	for (i = 0; i < pp_format_count(); i++)
		if (pp_format_get(i)->rules)
			ok(pp_rule_find(pp_format_get(i)->rules[0].id) != NULL,
			   "%s has its rules found", pp_format_name(pp_format_get(i)));

	ok(pp_read_memory(stacks, sizeof stacks - 1, "x", NULL, diags, &p) == PP_OK && p,
	   "folded stacks are read from memory");
	ok(pp_profile_complete(p) && pp_profile_format(p) == pp_format_find("folded") &&
	       pp_profile_facets(p) & PP_TREE,
	   "what it is");
	is_u64(pp_profile_metric_count(p), 1, "one metric");
	ok(pp_profile_metric_name(p, 0).size > 0 && pp_profile_metric_name(p, 7).size == 0 &&
	       *pp_profile_metric_unit(p, 0),
	   "with a name and a unit");
	is_u64(pp_profile_func_count(p), 5, "four functions");
	text = pp_profile_func_name(p, 1);
	is_slice_z(pp_slice_of(text.data, text.size), "main", "the first is main");
	ok(pp_profile_func_name(p, 99).size == 0 && pp_profile_func_file(p, 1).size == 0 &&
	       pp_profile_func_line(p, 1) == 0,
	   "what is unknown is empty");
	is_u64(pp_profile_node_count(p), 5, "a root and four nodes");
	ok(pp_profile_node_parent(p, 2) == 1 && pp_profile_node_func(p, 1) == 1 &&
	       pp_profile_node_parent(p, 99) == 0 && pp_profile_node_func(p, 99) == 0,
	   "nodes have parents and functions");
	ok(pp_flat_new(p, &flat) == PP_OK && pp_flat_count(flat) == 4, "the flat profile");
	for (i = 0; i < pp_flat_count(flat); i++) {
		self += pp_flat_self(flat, i, 0);
		total = pp_flat_func(flat, i) == 1 ? pp_flat_total(flat, i, 0) : total;
	}
	ok(self == 26 && total == 26 && pp_flat_self(flat, 0, 0) == 20,
	   "adds up, the costliest first");
	ok(!pp_flat_calls(flat, 0, &calls) && pp_flat_total(flat, 99, 0) == 0 &&
	       pp_flat_func(flat, 99) == 0,
	   "knows what it does not know");
	pp_flat_free(flat);
	pp_flat_free(NULL);
	ok(!pp_format_find(NULL) && pp_flat_new(NULL, &flat) == PP_E_USAGE && !flat,
	   "nothing asked, nothing told");
	pp_profile_free(p);
	pp_profile_free(NULL);
	pp_diags_free(diags);
}

/* ---- options, callbacks, exact numbers ---- */

struct bytes {
	const char *p;
	size_t n, step;
	bool fails;
};

static ptrdiff_t
bytes_read(void *ctx, void *to, size_t room)
{
	struct bytes *b = ctx;
	size_t n = b->n < b->step ? b->n : b->step;

	if (n == 0 && b->fails) {
		errno = EIO;
		return -1;
	}
	n = n < room ? n : room;
	memcpy(to, b->p, n);
	b->p += n;
	b->n -= n;
	return (ptrdiff_t)n;
}

static bool
bytes_write(void *ctx, const void *data, size_t n)
{
	struct pp_buf *out = ctx;

	if (out->n + n > 100000) {
		errno = ENOSPC;
		return false;
	}
	pp_buf_add(out, data, n);
	return true;
}

/* A newer header's options: one member more. */
struct newer_opts {
	struct pp_read_opts known;
	size_t added;
};

static void
test_options(void)
{
	struct newer_opts newer = { { .size = sizeof newer }, 0 };
	struct pp_read_opts older = { .size = offsetof(struct pp_read_opts, variant),
		                      .from = "folded",
		                      .variant = "not to be looked at" };
	struct pp_read_opts tiny = { .size = 1 };
	pp_profile *p;

	ok(pp_read_memory(stacks, sizeof stacks - 1, "x", &older, NULL, &p) == PP_OK,
	   "an older caller's options end where its struct ends");
	pp_profile_free(p);
	ok(pp_read_memory(stacks, sizeof stacks - 1, "x", &newer.known, NULL, &p) == PP_OK,
	   "a newer caller's are fine while they are not used");
	pp_profile_free(p);
	newer.added = 1;
	ok(pp_read_memory(stacks, sizeof stacks - 1, "x", &newer.known, NULL, &p) == PP_E_USAGE &&
	       !p,
	   "and refused when they are");
	ok(pp_read_memory(stacks, sizeof stacks - 1, "x", &tiny, NULL, &p) == PP_E_USAGE,
	   "a size that cannot be is refused");
	ok(pp_read_memory(NULL, 100, "x", NULL, NULL, &p) == PP_E_USAGE && !p,
	   "bytes without an address are refused");
}

static void
test_callbacks(void)
{
	struct bytes in = { stacks, sizeof stacks - 1, 3, false };
	const pp_format *folded = pp_format_find("folded"), *format;
	struct pp_write_opts careful = { .size = sizeof careful, .lossless = true };
	struct pp_diags diags;
	struct pp_buf out = { 0 };
	pp_profile *p;
	void *data;
	size_t size;
	int bits;

	pp_diags_init(&diags);
	ok(pp_read_callback(bytes_read, &in, "x", NULL, &diags, &p) == PP_OK &&
	       pp_profile_node_count(p) == 5,
	   "a profile comes from a function, three bytes at a time");
	ok(pp_write_callback(p, bytes_write, &out, folded, &careful, &diags) == PP_OK,
	   "and goes to one");
	is_slice_z(pp_slice_of(out.p, out.n), "main;a 6\nmain;b;c 20\n", "whole");
	ok(pp_write_memory(p, folded, NULL, &diags, &data, &size) == PP_OK && size == out.n &&
	       memcmp(data, out.p, size) == 0,
	   "or into memory");
	pp_free(data);
	ok(pp_write_memory(p, NULL, NULL, &diags, &data, &size) == PP_E_UNSUPPORTED && !data &&
	       !size,
	   "or nowhere");
	out.n = 99999;
	ok(pp_write_callback(p, bytes_write, &out, folded, NULL, &diags) == PP_E_OUTPUT &&
	       has_rule(&diags, "io-write-failed"),
	   "a function that fails is said");
	pp_profile_free(p);
	in = (struct bytes){ stacks, 9, 9, true };
	ok(pp_read_callback(bytes_read, &in, "x.folded", NULL, &diags, &p) == PP_E_IO && !p,
	   "so is one that fails to read");
	ok(pp_read_callback(NULL, NULL, "x", NULL, NULL, &p) == PP_E_USAGE, "none is refused");
	ok(pp_recognise_memory(stacks, sizeof stacks - 1, "x", NULL, NULL, &format, &bits) ==
	           PP_OK &&
	       format == folded && bits > 0,
	   "recognised without reading");
	ok(pp_recognise_memory("\1\2\3", 3, "x", NULL, &diags, &format, NULL) == PP_E_UNKNOWN &&
	       !format,
	   "or not");
	ok(pp_recognise_file("/nonexistent", NULL, NULL, &format, &bits) == PP_E_IO && !bits,
	   "or not there");
	pp_buf_release(&out);
	pp_diags_release(&diags);
}

static void
test_numbers(void)
{
	static const char large[] = "a;b 9007199254740993\na 18446744073709551615\n";
	pp_node_costs *costs;
	struct pp_number n;
	pp_flat *flat;
	pp_profile *p;

	(void)pp_read_memory(large, sizeof large - 1, "x", NULL, NULL, &p);
	n = pp_profile_metric_total(p, pp_profile_metric_primary(p));
	is_text(n.text, "18455751272964292608", "a total past 64 bits has all its digits");
	ok(!n.is_integer && n.value > 1.8e19, "and says that it is no 64-bit integer");
	ok(pp_node_costs_new(p, 0, &costs) == PP_OK, "nodes have costs");
	n = pp_node_costs_self(costs, 2);
	ok(n.is_integer && n.integer == 9007199254740993, "exact past 2^53");
	is_text(pp_node_costs_total(costs, 1).text, "18455751272964292608", "with all below");
	is_text(pp_node_costs_total(costs, 99).text, "0", "none of a node that is not there");
	pp_node_costs_free(costs);
	pp_node_costs_free(NULL);
	ok(pp_node_costs_new(p, 9, &costs) == PP_E_USAGE && !costs, "no such metric");
	ok(pp_flat_new(p, &flat) == PP_OK, "functions too");
	is_text(pp_flat_total_number(flat, 0, 0).text, "18455751272964292608", "their totals");
	is_text(pp_flat_self_number(flat, 1, 0).text, "9007199254740993", "and selves");
	pp_flat_free(flat);
	pp_profile_free(p);
}

/* ---- questions ---- */

static size_t
column_find(const pp_answer *a, const char *group, const char *name)
{
	size_t i;

	for (i = 0; i < pp_answer_columns(a, 0); i++) {
		struct pp_text g = pp_answer_column_group(a, 0, i),
		               n = pp_answer_column_name(a, 0, i);

		if (pp_slice_eq_z(pp_slice_of(g.data, g.size), group) &&
		    pp_slice_eq_z(pp_slice_of(n.data, n.size), name))
			return i;
	}
	return i;
}

static void
check_top(const pp_profile *p)
{
	static const char *const params[] = { "sort=total", "limit=2", NULL };
	pp_answer *a;
	struct pp_cell cell;
	char *text;
	size_t size;

	ok(pp_ask(p, "top", params, &a) == PP_OK, "top is asked");
	ok(pp_answer_tables(a) == 1 && pp_answer_rows(a, 0) == 2 &&
	       pp_answer_rows_in_all(a, 0) == 4,
	   "two rows of four");
	is_text(pp_answer_table_name(a, 0), "functions", "of functions");
	cell = pp_answer_cell(a, 0, 0, column_find(a, "", "name"));
	ok(cell.kind == PP_CELL_TEXT && cell.text.size == 4 && !memcmp(cell.text.data, "main", 4),
	   "the first is main");
	cell = pp_answer_cell(a, 0, 0, column_find(a, "total", "samples"));
	ok(cell.kind == PP_CELL_NUMBER && cell.number.is_integer && cell.number.integer == 26,
	   "its total is %s", cell.number.text);
	cell = pp_answer_cell(a, 0, 0, column_find(a, "", "calls"));
	ok(cell.kind == PP_CELL_UNKNOWN, "its calls are not known");
	ok(pp_answer_cell(a, 0, 2, 0).kind == PP_CELL_UNKNOWN &&
	       pp_answer_cell(a, 7, 0, 0).kind == PP_CELL_UNKNOWN &&
	       pp_answer_cell(a, 0, 0, 99).kind == PP_CELL_UNKNOWN,
	   "what is not there is not known");
	ok(pp_answer_render(a, PP_RENDER_JSON, &text, &size) == PP_OK && text[size] == '\0' &&
	       strstr(text, "\"total\": {\"samples\": 26}"),
	   "as JSON");
	pp_free(text);
	ok(pp_answer_render(a, PP_RENDER_TEXT, &text, &size) == PP_OK && strstr(text, "main"),
	   "as text");
	pp_free(text);
	ok(pp_answer_render(a, (pp_rendering_form)9, &text, &size) == PP_E_USAGE && !text,
	   "not in a form that is none");
	pp_answer_free(a);
}

/* Every verb answers about a profile, and is printed in each form that it has. */
static void
check_verbs(const pp_profile *p)
{
	static const char *const none[] = { NULL }, *const function[] = { "function=c", NULL },
	                         *const target[] = { "to=folded", NULL },
	                         *const limit[] = { "fail-if=total > +5%", NULL },
	                         *const since[] = { "since=1d", NULL };
	size_t i, form, size;

	for (i = 0; i < pp_question_count(); i++) {
		const char *name = pp_question_get(i);
		bool two = strcmp(name, "diff") == 0 || strcmp(name, "gate") == 0;
		const char *const *params = strncmp(name, "calle", 5) == 0   ? function
		                            : strcmp(name, "peek") == 0      ? function
		                            : strcmp(name, "show") == 0      ? function
		                            : strcmp(name, "gate") == 0      ? limit
		                            : strcmp(name, "list") == 0      ? since
		                            : strcmp(name, "convert") == 0   ? target
		                            : strcmp(name, "merge") == 0     ? target
		                            : strcmp(name, "symbolize") == 0 ? target
		                                                             : none;
		pp_answer *a = NULL;
		char *text;

		/* Folded stacks know no lines, and nothing of memory. */
		ok(pp_ask_pair(p, two ? p : NULL, name, params, &a) ==
		       (strcmp(name, "lines") == 0 || strcmp(name, "leaks") == 0 ? PP_E_UNSUPPORTED
		        : strcmp(name, "trend") == 0                             ? PP_E_USAGE
		                                                                 : PP_OK),
		   "%s is asked", name);
		for (form = PP_RENDER_TEXT; a && form <= PP_RENDER_FILE; form++) {
			pp_status status = pp_answer_render(a, (pp_rendering_form)form, &text,
			                                    &size);

			/* A build without the viewer has no report to print. */
			if (strcmp(name, "report") == 0 && status == PP_E_UNSUPPORTED)
				continue;
			ok(status == PP_OK && text && strlen(text) == size, "and printed: %zu",
			   form);
			pp_free(text);
		}
		pp_answer_free(a);
	}
}

/* Without a profile, about files. */
static void
check_files(void)
{
	static const char text[] = "a;b 1\na;b x\n";
	char path[] = "/tmp/api-XXXXXX", param[40];
	const char *params[] = { param, NULL };
	int fd = mkstemp(path);
	pp_answer *a = NULL;
	char *json = NULL;
	size_t size;

	ok(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1, "a file");
	(void)snprintf(param, sizeof param, "file=%s", path);
	ok(pp_ask(NULL, "check", params, &a) == PP_OK && pp_answer_exceeds(a) &&
	       pp_answer_render(a, PP_RENDER_JSON, &json, &size) == PP_OK &&
	       strstr(json, "\"verdict\": \"reject\""),
	   "check finds what is wrong");
	ok(pp_answer_tables(a) == 1 && pp_answer_rows(a, 0) == 1, "in a table");
	pp_free(json);
	pp_answer_free(a);
	ok(pp_ask(NULL, "top", params, &a) == PP_OK && pp_answer_rows(a, 0) == 2, "top reads it");
	pp_answer_free(a);
	(void)snprintf(param, sizeof param, "directory=%s", path);
	ok(pp_ask(NULL, "list", params, &a) == PP_OK && pp_answer_rows(a, 0) == 1, "list lists it");
	pp_answer_free(a);
	ok(pp_ask(NULL, "top", NULL, &a) == PP_E_USAGE && pp_answer_note_count(a) == 1,
	   "not without a file");
	pp_answer_free(a);
	ok(pp_ask(NULL, "explain", NULL, &a) == PP_OK && pp_answer_rows(a, 0) > 50, "all rules");
	pp_answer_free(a);
	close(fd);
	unlink(path);
}

static void
test_questions(void)
{
	static const char *const callers[] = { "function=c", NULL };
	static const char *const focused[] = { "focus=^a$", NULL };
	static const char *const wrong[] = { "sort=sideways", NULL };
	static const char *const odd[] = { "sideways", NULL };
	static const char *const nobody[] = { "function=nobody", NULL };
	pp_profile *p;
	pp_answer *a;
	pp_status status;
	size_t i;

	(void)pp_read_memory(stacks, sizeof stacks - 1, "x", NULL, NULL, &p);
	for (i = 0; i < pp_question_count(); i++)
		ok(*pp_question_get(i) && *pp_question_about(i), "there is %s", pp_question_get(i));
	ok(!pp_question_get(i) && !pp_question_about(i), "and no more");
	check_top(p);
	check_verbs(p);
	check_files();
	ok(pp_ask(p, "top", focused, &a) == PP_OK && pp_answer_rows(a, 0) == 2,
	   "what a filter leaves");
	pp_answer_free(a);
	ok(pp_ask_pair(p, p, "diff", NULL, &a) == PP_OK && pp_answer_rows(a, 0) == 4,
	   "a comparison");
	pp_answer_free(a);
	ok(pp_ask(p, "callers", callers, &a) == PP_OK && pp_answer_rows(a, 0) == 1, "callers");
	pp_answer_free(a);
	status = pp_ask(p, "callers", nobody, &a);
	ok(status == PP_E_USAGE && pp_answer_note_count(a) == 1 &&
	       pp_answer_note_severity(a, 0) == PP_ERROR && *pp_answer_note_rule(a, 0),
	   "a name that nobody has: %s", pp_answer_note_text(a, 0));
	ok(pp_answer_tables(a) == 0 && pp_answer_rows(a, 0) == 0, "without any table");
	pp_answer_free(a);
	status = pp_ask(p, "top", wrong, &a);
	ok(status == PP_E_USAGE && pp_answer_note_count(a) == 1, "a wrong value: %s",
	   pp_answer_note_text(a, 0));
	pp_answer_free(a);
	status = pp_ask(p, "top", odd, &a);
	ok(status == PP_E_USAGE, "no value at all: %s", pp_answer_note_text(a, 0));
	pp_answer_free(a);
	ok(pp_ask(p, "sideways", NULL, &a) == PP_E_USAGE && !a &&
	       pp_ask(NULL, "top", NULL, &a) == PP_E_USAGE,
	   "no such question, no profile");
	pp_answer_free(a);
	pp_answer_free(NULL);
	pp_profile_free(p);
}

/* ---- recognition ---- */

static void
check_status(const void *data, size_t n, const char *name, const char *from, pp_status expected,
             const char *rule, const char *what)
{
	struct pp_read_opts opts = { .from = from };
	struct pp_diags diags;
	pp_profile *p;
	pp_status status;

	pp_diags_init(&diags);
	status = pp_read_memory(data, n, name, &opts, &diags, &p);
	ok(status == expected && (status == PP_OK) == (p != NULL) &&
	       (!rule || has_rule(&diags, rule)),
	   "%s (status %d, %zu findings%s%s)", what, (int)status, diags.list.n,
	   diags.list.n ? ": " : "", diags.list.n ? diags.list.at[0].message : "");
	pp_profile_free(p);
	pp_diags_release(&diags);
}

static void
test_recognition(void)
{
	static const char xz[] = "\xfd\x37\x7a\x58\x5a\x00 and more that is no profile";
	struct pp_opened o;
	struct pp_buf packed = { 0 };
	struct pp_diags diags;
	unsigned i;
	bool sorted = true;

	check_status("\x01\x02\x03\x04", 4, "x", NULL, PP_E_UNKNOWN, "io-unknown-format",
	             "binary noise");
	check_status(xz, sizeof xz - 1, "x.xz", NULL, PP_E_UNKNOWN, "io-unsupported-compression",
	             "xz");
	check_status(stacks, sizeof stacks - 1, "x", "nonsense", PP_E_USAGE, NULL,
	             "an unknown --from");
	check_status(stacks, sizeof stacks - 1, "x", "folded", PP_OK, NULL, "a format by name");
	check_status(NULL, 0, "a.folded", NULL, PP_OK, NULL, "an empty folded file");
	check_status("", 0, "", NULL, PP_E_UNKNOWN, "io-unknown-format", "nothing without a name");
	check_status("", 0, "a.folded.gz", NULL, PP_E_INVALID, "io-gzip-truncated",
	             "an empty .gz is cut");
	check_status("\x1f\x8b", 2, "a.folded", NULL, PP_E_INVALID, "io-nothing-usable",
	             "two bytes of gzip");
	check_status("(", 1, "a.folded.zst", NULL, PP_E_INVALID, "io-zstd-truncated",
	             "one byte of zstd");

	pp_diags_init(&diags);
	ok(pp_open(&o, "dir/p.folded.gz.zst", stacks, sizeof stacks - 1, NULL, &diags) == PP_OK,
	   "opening alone");
	for (i = 1; i < o.bid_count; i++)
		sorted = sorted && o.bids[i - 1].bits >= o.bids[i].bits;
	ok(o.format == pp_format_find("folded") && o.bid_count >= 2 && sorted &&
	       o.bids[0].bits > 0 && !o.ambiguous && o.file_size == sizeof stacks - 1,
	   "gives all bids in their order");
	ok(o.reader.in->stable && o.input == o.reader.in &&
	       pp_input_left(o.input) == sizeof stacks - 1,
	   "and an input of which nothing is read");
	pp_opened_close(&o);
	pp_opened_close(&o);
	pp_diags_release(&diags);

	pp_buf_adds(&packed, stacks);
	for (i = 1; i <= 9; i++) {
		struct pp_buf next = { 0 };

		if (i & 1)
			pack_gzip(&next, packed.p, packed.n);
		else
			pack_zstd(&next, packed.p, packed.n, true);
		pp_buf_release(&packed);
		packed = next;
		if (i == 3) {
			pp_diags_init(&diags);
			(void)pp_open(&o, "x", packed.p, packed.n, NULL, &diags);
			ok(o.compression[0] && !strcmp(o.compression[0], "gzip") &&
			       !strcmp(o.compression[1], "zstd") &&
			       !strcmp(o.compression[2], "gzip") && !o.compression[3] && o.format,
			   "three layers are peeled and named");
			pp_opened_close(&o);
			pp_diags_release(&diags);
		}
	}
	check_status(packed.p, packed.n, "x", NULL, PP_E_LIMIT, "io-too-many-layers",
	             "nine layers");
	pp_buf_release(&packed);
}

/* ---- damage ---- */

static void
test_damage(struct scratch *s)
{
	struct pp_buf text = { 0 }, packed = { 0 };
	struct pp_limits limits = { .max_expansion = 10, .expansion_grace = 100000 };
	struct pp_read_opts opts = { .limits = &limits, .threads = 2 };
	struct pp_diags diags;
	struct pp_opened o;
	pp_profile *p;
	unsigned i;
	const char *path;
	FILE *f;

	for (i = 0; i < 20000; i++)
		pp_buf_addf(&text, "main;f%u;g%u %u\n", i % 97, i % 1009, i);
	pack_gzip(&packed, text.p, text.n);
	pp_diags_init(&diags);
	ok(pp_read_memory(packed.p, packed.n / 2, "x.folded.gz", NULL, &diags, &p) == PP_OK && p &&
	       !pp_profile_complete(p) && pp_profile_node_count(p) > 1000 &&
	       has_rule(&diags, "io-gzip-truncated"),
	   "half of a gzip file is a partial profile");
	pp_profile_free(p);
	packed.p[packed.n - 5] ^= 1;
	ok(pp_read_memory(packed.p, packed.n, "x", NULL, NULL, &p) == PP_OK &&
	       !pp_profile_complete(p),
	   "a wrong checksum at the very end is noticed, with nobody to tell");
	pp_profile_free(p);
	packed.n = 0;
	pp_buf_release(&text);
	for (i = 0; i < 2000000; i++)
		pp_buf_add(&text, "a;b 1\n", 6);
	pack_gzip(&packed, text.p, text.n);
	pp_diags_release(&diags);
	pp_diags_init(&diags);
	ok(pp_read_memory(packed.p, packed.n, "x", &opts, &diags, &p) == PP_E_LIMIT && !p &&
	       has_rule(&diags, "io-expansion-limit"),
	   "a bomb is refused, not used in part");
	limits = (struct pp_limits){ .max_string = 3 };
	ok(pp_read_memory("abcd;e;f 123\n", 13, "x", &opts, &diags, &p) == PP_E_LIMIT && !p &&
	       has_rule(&diags, "io-limit-reached"),
	   "a limit of the model is named");
	pp_diags_release(&diags);

	pp_diags_init(&diags);
	path = scratch_write(s, "grows.folded", stacks, sizeof stacks - 1);
	(void)pp_open(&o, path, NULL, 0, NULL, &diags);
	f = must(fopen(path, "ab"));
	fputs("more 1\n", f);
	fclose(f);
	ok(pp_opened_read(&o, &p) == PP_OK && !pp_profile_complete(p) &&
	       has_rule(&diags, "io-changed-while-reading"),
	   "a file that grows while it is read");
	pp_profile_free(p);
	pp_opened_close(&o);
	pp_diags_release(&diags);
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

/* A file that becomes shorter, or is empty all at once, while it is being read: what was there is still read. */
static void
test_shrinking(struct scratch *s)
{
	static const struct {
		const char *name, *head, *rows;
	} files[] = {
		{ "x.folded", "", "main;f%u;g 3\n" },
		{ "callgrind.out.1", "# callgrind format\nevents: Ir\nfl=a.c\n", "fn=f%u\n1 3\n" },
		{ "x.perf", "", "w 7 1.5: 3 cycles: \n\t55d0 f%u+0x1 (/bin/w)\n\n" },
		{ "x.folded.gz", "", "main;f%u;g 3\n" },
	};
	size_t i;
	unsigned k, cut;

	for (i = 0; i < PP_COUNT_OF(files) * 2; i++) {
		const char *name = files[i / 2].name;
		struct pp_read_opts opts = { .threads = 1 + i % 2 };
		struct pp_buf text = { 0 }, packed = { 0 };
		struct pp_diags diags;
		struct pp_opened o;
		pp_profile *p = NULL;
		const char *path;

		pp_buf_adds(&text, files[i / 2].head);
		for (k = 0; k < 100000; k++)
			pp_buf_addf(&text, files[i / 2].rows, k);
		pack_gzip(&packed, text.p, text.n);
		for (cut = 0; cut < 2; cut++) {
			path = strstr(name, ".gz") ? scratch_write(s, name, packed.p, packed.n)
			                           : scratch_write(s, name, text.p, text.n);
			pp_diags_init(&diags);
			ok(pp_open(&o, path, NULL, 0, &opts, &diags) == PP_OK &&
			       truncate(path, cut ? 5000 : 0) == 0 &&
			       pp_opened_read(&o, &p) == PP_OK && !pp_profile_complete(p) &&
			       has_rule(&diags, "io-changed-while-reading") &&
			       pp_profile_metric_total(p, 0).integer == 300000,
			   "%s becomes shorter, %u threads", name, opts.threads);
			pp_profile_free(p);
			pp_opened_close(&o);
			pp_diags_release(&diags);
		}
		pp_buf_release(&text);
		pp_buf_release(&packed);
	}
}

/* What a format does not know is wrong, not ignored. */
static void
test_unknown(void)
{
	const char *const odd[] = { "colour=red", NULL };
	struct pp_read_opts read = { .from = "folded", .options = odd };
	struct pp_write_opts write = { .options = odd };
	const pp_format *format, *folded = pp_format_find("folded");
	pp_profile *p = NULL;
	void *data;
	size_t size;

	ok(pp_read_memory(stacks, sizeof stacks - 1, "x", &read, NULL, &p) == PP_E_USAGE && !p,
	   "an option that the format lacks");
	read = (struct pp_read_opts){ .from = "folded", .variant = "0.4" };
	ok(pp_read_memory(stacks, sizeof stacks - 1, "x", &read, NULL, &p) == PP_E_USAGE && !p,
	   "a variant that it lacks");
	ok(pp_read_memory(NULL, 100, "x", NULL, NULL, &p) == PP_E_USAGE && !p &&
	       pp_recognise_memory(NULL, 100, "x", NULL, NULL, &format, NULL) == PP_E_USAGE,
	   "bytes that are nowhere");
	ok(pp_read_memory(stacks, sizeof stacks - 1, "x", NULL, NULL, &p) == PP_OK &&
	       pp_write_memory(p, folded, &write, NULL, &data, &size) == PP_E_USAGE && !data,
	   "an option for writing");
	write = (struct pp_write_opts){ .variant = "9" };
	ok(pp_write_memory(p, folded, &write, NULL, &data, &size) == PP_E_USAGE && !data &&
	       pp_write_memory(p, pp_format_find("spx"), &write, NULL, &data, &size) == PP_E_USAGE,
	   "a variant for writing");
	pp_profile_free(p);
}

/* ---- services for readers ---- */

static bool
tell_progress(void *ctx, uint64_t done, uint64_t total)
{
	uint64_t *seen = ctx;

	seen[0] = done;
	seen[1] = total;
	return done > 10;
}

static void
test_services(struct scratch *s)
{
	struct pp_buf text = make_text(100000, 3), packed = { 0 };
	uint64_t seen[2] = { 0 };
	struct pp_read_opts opts = { .progress = tell_progress,
		                     .progress_ctx = seen,
		                     .threads = 2,
		                     .options = (const char *const[]){ "colour=red", "x=", NULL } };
	struct pp_reader *r;
	struct pp_input *sibling;
	struct pp_opened o;
	struct pp_diags diags;
	pp_profile *p;
	const char *path;

	pack_gzip(&packed, text.p, text.n);
	scratch_write(s, "body.gz", packed.p, packed.n);
	scratch_write(s, "cut.gz", packed.p, packed.n / 2);
	if (mkfifo(scratch_path(s, "pipe"), 0600) != 0)
		must(NULL);
	path = scratch_write(s, "main.folded", stacks, sizeof stacks - 1);
	pp_diags_init(&diags);
	ok(pp_open(&o, path, NULL, 0, &opts, &diags) == PP_OK, "a file with companions opens");
	r = &o.reader;
	ok(r->has_sibling(r, "body.gz") && r->has_sibling(r, "main.folded") &&
	       !r->has_sibling(r, "absent") && !r->has_sibling(r, "../etc") &&
	       !r->has_sibling(r, "..") && !r->has_sibling(r, "") && !r->has_sibling(r, "pipe") &&
	       !r->has_sibling(r, "/etc/passwd"),
	   "only plain files in the same directory are companions");
	ok(r->open_sibling(r, "pipe", &sibling) == PP_E_IO && !sibling &&
	       r->open_sibling(r, "absent", &sibling) == PP_E_IO,
	   "others are not opened");
	ok(r->open_sibling(r, "body.gz", &sibling) == PP_OK && pp_input_need(sibling, text.n) &&
	       memcmp(sibling->cur, text.p, text.n) == 0,
	   "a companion is decompressed");
	sibling->cur = sibling->end;
	ok(!pp_input_need(sibling, 1) && sibling->status == PP_OK, "to its end");
	sibling->close(sibling);
	ok(!r->progress(r) && seen[0] == 0 && seen[1] == sizeof stacks - 1,
	   "progress tells the size");
	r->in->cur += 11;
	ok(r->progress(r) && seen[0] == 11, "and the place, and may say stop");
	r->in->cur -= 11;
	is_text(pp_reader_option(r, "colour"), "red", "an option");
	ok(*pp_reader_option(r, "x") == '\0' && !pp_reader_option(r, "col"), "by its whole name");
	ok(pp_diags_count(&diags) == 0, "all without a finding");
	(void)r->open_sibling(r, "cut.gz", &sibling);
	while (pp_input_need(sibling, 1))
		sibling->cur = sibling->end;
	sibling->close(sibling);
	ok(diags.list.n == 1 && strstr(diags.list.at[0].file, "/cut.gz") &&
	       strcmp(diags.list.at[0].rule->id, "io-gzip-truncated") == 0,
	   "a damaged companion is named");
	ok(pp_opened_read(&o, &p) == PP_OK && !pp_profile_complete(p),
	   "and makes the profile partial");
	pp_profile_free(p);
	pp_opened_close(&o);
	pp_diags_release(&diags);
	ok(pp_open(&o, "x", stacks, sizeof stacks - 1, NULL, NULL) == PP_OK &&
	       !o.reader.has_sibling(&o.reader, "body.gz") &&
	       o.reader.open_sibling(&o.reader, "body.gz", &sibling) == PP_E_IO,
	   "memory has no companions");
	pp_opened_close(&o);
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

static void
test_push(void)
{
	struct pp_buf packed = { 0 };
	struct pp_diags diags;
	struct pp_opened o;
	pp_profile *p;

	pp_buf_adds(&packed, "x;y 1\n");
	pack_deflate(&packed, stacks, sizeof stacks - 1, 15);
	pp_diags_init(&diags);
	(void)pp_open(&o, "x.folded", packed.p, packed.n, NULL, &diags);
	o.reader.in->cur += 6;
	ok(o.reader.push_zlib(&o.reader) == PP_OK &&
	       pp_input_offset(o.reader.in, o.reader.in->cur) == 6 &&
	       pp_input_need(o.reader.in, sizeof stacks - 1) &&
	       memcmp(o.reader.in->cur, stacks, sizeof stacks - 1) == 0,
	   "a reader switches to zlib in the middle");
	o.format = pp_format_find("folded");
	ok(pp_opened_read(&o, &p) == PP_OK && pp_profile_complete(p) &&
	       pp_profile_node_count(p) == 5,
	   "and reads on");
	pp_profile_free(p);
	pp_opened_close(&o);
	pp_diags_release(&diags);
	pp_buf_release(&packed);
}

/* ---- writing ---- */

static const struct pp_rule loss = { "test-loss", PP_WARNING, "something is lost", "On purpose." };

static pp_status
lossy_write(struct pp_writer *w)
{
	pp_sink_puts(w->out, "written");
	pp_diag_add(w->diags, &loss, PP_NOWHERE, "lost");
	return PP_OK;
}

static const struct pp_format lossy = { .name = "lossy",
	                                .title = "A format that loses things",
	                                .extensions = "lossy",
	                                .can = PP_CAN_WRITE,
	                                .write = lossy_write };

static void
test_writing(struct scratch *s)
{
	const struct pp_write_opts careful = { .lossless = true }, other = { .metric = "nonsense" };
	const pp_format *folded = pp_format_find("folded");
	struct pp_diags diags;
	pp_profile *p, *again;
	struct pp_buf bytes;
	char by_fd[64];
	const char *path;
	int fd;

	pp_diags_init(&diags);
	(void)pp_read_memory(stacks, sizeof stacks - 1, "x", NULL, NULL, &p);
	path = scratch_path(s, "w.folded.gz");
	ok(pp_write_file(p, path, folded, &careful, &diags) == PP_OK && diags.list.n == 0,
	   "folded stacks are written without loss");
	ok(pp_read_file(path, NULL, &diags, &again) == PP_OK &&
	       pp_profile_node_count(again) == pp_profile_node_count(p) && again->compression[0],
	   "and read back");
	pp_profile_free(again);
	path = scratch_write(s, "w.lossy", "old", 3);
	ok(pp_write_file(p, path, &lossy, &careful, &diags) == PP_E_LOSS &&
	       pp_diags_of_rule(&diags, &loss) == 1,
	   "a loss can be forbidden");
	bytes = scratch_read(path);
	is_slice_z(pp_slice_of(bytes.p, bytes.n), "old", "then the old file stays");
	pp_buf_release(&bytes);
	fd = open(path, O_WRONLY | O_TRUNC);
	snprintf(by_fd, sizeof by_fd, "/dev/fd/%d", fd);
	ok(pp_write_file(p, by_fd, &lossy, &careful, &diags) == PP_E_LOSS &&
	       pp_diags_of_rule(&diags, &loss) == 2,
	   "also where nothing can be taken back");
	bytes = scratch_read(path);
	is_slice_z(pp_slice_of(bytes.p, bytes.n), "", "not a byte goes out");
	pp_buf_release(&bytes);
	close(fd);
	ok(pp_write_file(p, path, &lossy, NULL, &diags) == PP_OK &&
	       pp_diags_of_rule(&diags, &loss) == 3,
	   "without that a loss is a warning");
	ok(pp_write_file(p, path, &lossy, NULL, NULL) == PP_OK, "which nobody need hear");
	ok(pp_write_file(p, path, folded, &other, &diags) == PP_E_USAGE,
	   "an unknown metric is refused");
	ok(pp_write_file(p, path, NULL, NULL, &diags) == PP_E_UNSUPPORTED, "so is no format");
	ok(pp_write_file(p, "/dev/full", folded, NULL, &diags) == PP_E_OUTPUT &&
	       has_rule(&diags, "io-write-failed"),
	   "a full disk is said");
	ok(pp_write_file(p, s->directory, folded, NULL, &diags) == PP_E_OUTPUT,
	   "so is a directory");
	pp_profile_free(p);
	pp_diags_release(&diags);
}

static void
test_rewrite(void)
{
	struct pp_buf out = { 0 };
	struct pp_sink *sink;
	struct pp_opened o;

	(void)pp_sink_buffer(&out, &sink);
	(void)pp_open(&o, "x.folded", stacks, sizeof stacks - 1, NULL, NULL);
	ok(pp_opened_rewrite(&o, sink) == PP_OK && pp_sink_commit(sink) == PP_OK, "a rewrite");
	is_slice_z(pp_slice_of(out.p, out.n), "main;a 6\nmain;b;c 20\n", "is canonical");
	pp_opened_close(&o);
	(void)pp_open(&o, "x.folded", stacks, sizeof stacks - 1, NULL, NULL);
	o.format = &lossy;
	ok(pp_opened_rewrite(&o, sink) == PP_E_UNSUPPORTED, "not every format can");
	pp_opened_close(&o);
	pp_sink_close(sink);
	pp_buf_release(&out);
}

int
main(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	test_public();
	test_options();
	test_callbacks();
	test_numbers();
	test_questions();
	test_recognition();
	test_damage(&scratch);
	test_shrinking(&scratch);
	test_unknown();
	test_services(&scratch);
	test_push();
	test_writing(&scratch);
	test_rewrite();
	scratch_release(&scratch);
	return tap_done();
}
