/*
 * A program that knows the two public headers and nothing else, on the shared library: it brings a format of its own,
 * reads, asks and converts; it builds a profile and looks at the columns. Speaks TAP.
 *
 * The toy format:  TOY1, then lines of COST:OUTERMOST>...>INNERMOST
 */
#include <polyprof/polyprof_experimental.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEEPEST 16

static unsigned run, failed;

static void
ok(int well, const char *what)
{
	run++;
	failed += !well;
	printf("%sok %u - %s\n", well ? "" : "not ", run, what);
}

static int
is(struct pp_text text, const char *expected)
{
	return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

/* ---- the format ---- */

static const struct pp_rule toy_rules[] = {
	{ "toy-line", PP_WARNING, "a line is not COST:STACK", "It is left out." },
	{ NULL, PP_NOTE, NULL, NULL },
};

static int
toy_recognise(void *ctx, const void *head, size_t n, bool whole, const char *name)
{
	(void)ctx, (void)whole, (void)name;
	return n >= 5 && memcmp(head, "TOY1\n", 5) == 0 ? 40 : 0;
}

static bool
toy_line(pp_builder *b, char *line)
{
	uint32_t frames[DEEPEST];
	size_t depth = 0;
	char *names = strchr(line, ':'), *name;
	int64_t cost;

	if (!names)
		return false;
	*names++ = '\0';
	cost = strtoll(line, NULL, 10);
	for (name = strtok(names, ">"); name && depth < DEEPEST; name = strtok(NULL, ">")) {
		struct pp_function f = { 0 };

		f.name = pp_make_string(b, name, strlen(name));
		frames[depth++] = pp_make_frame(b, pp_make_function(b, &f), 0);
	}
	pp_make_stack(b, frames, depth, &cost);
	return true;
}

static pp_status
toy_read(void *ctx, pp_reader *r, pp_builder *b)
{
	char text[4096], *line, *end;
	size_t n = 0, got;
	uint64_t number = 1;

	++*(int *)ctx;
	while ((got = pp_reader_take(r, text + n, sizeof text - 1 - n)) > 0)
		n += got;
	text[n] = '\0';
	pp_make_metric(b, "ticks", "ticks");
	for (line = strchr(text, '\n') + 1; *line; line = end + 1) {
		number++;
		end = strchr(line, '\n');
		if (!end)
			break;
		*end = '\0';
		if (!toy_line(b, line)) {
			pp_reader_finding(r, toy_rules, number, 1, "there is no colon");
			pp_builder_incomplete(b);
		}
	}
	return PP_OK;
}

static void
toy_stack(const pp_profile *p, uint32_t node, pp_output *out)
{
	struct pp_text name = pp_profile_func_name(p, pp_profile_node_func(p, node));

	if (pp_profile_node_parent(p, node)) {
		toy_stack(p, pp_profile_node_parent(p, node), out);
		pp_output_write(out, ">", 1);
	}
	pp_output_write(out, name.data, name.size);
}

static pp_status
toy_write(void *ctx, const pp_profile *p, pp_output *out)
{
	pp_node_costs *costs;
	pp_status status = pp_node_costs_new(p, 0, &costs);
	uint32_t node;

	(void)ctx;
	pp_output_write(out, "TOY1\n", 5);
	for (node = 1; status == PP_OK && node < pp_profile_node_count(p); node++) {
		struct pp_number self = pp_node_costs_self(costs, node);

		if (self.integer == 0)
			continue;
		pp_output_write(out, self.text, strlen(self.text));
		pp_output_write(out, ":", 1);
		toy_stack(p, node, out);
		pp_output_write(out, "\n", 1);
	}
	pp_node_costs_free(costs);
	return status;
}

static int reads;

static pp_format *
toy_new(void)
{
	struct pp_format_maker maker = { 0 };

	maker.size = sizeof maker;
	maker.name = "toy";
	maker.title = "a toy";
	maker.extensions = "toy";
	maker.facets = PP_TREE;
	maker.rules = toy_rules;
	maker.ctx = &reads;
	maker.recognise = toy_recognise;
	maker.read = toy_read;
	maker.write = toy_write;
	return pp_format_new(&maker);
}

/* ---- reading, asking, converting ---- */

static const char toy_text[] = "TOY1\n3:main>parse\n2:main>emit\n";

static void
test_convert(const pp_profile *p, const pp_format *toy)
{
	static const char *const to_folded[] = { "to=folded", NULL };
	pp_answer *answer = NULL;
	char *text = NULL;
	size_t size;
	void *data;

	ok(pp_ask(p, "convert", to_folded, &answer) == PP_OK &&
	       pp_answer_render(answer, PP_RENDER_FILE, &text, &size) == PP_OK &&
	       strcmp(text, "main;emit 2\nmain;parse 3\n") == 0,
	   "it is converted into folded stacks");
	pp_free(text);
	pp_answer_free(answer);
	ok(pp_write_memory(p, toy, NULL, NULL, &data, &size) == PP_OK && size == strlen(toy_text) &&
	       memcmp(data, toy_text, size) == 0,
	   "and written back");
	pp_free(data);
}

static void
test_format(const pp_format *toy)
{
	static const char *const two[] = { "limit=1", NULL };
	const pp_format *formats[2] = { toy, NULL };
	struct pp_read_opts opts = { 0 };
	pp_diags *diags = pp_diags_new();
	pp_profile *p = NULL;
	pp_answer *answer = NULL;
	struct pp_cell cell;

	ok(pp_read_memory(toy_text, strlen(toy_text), "a.toy", NULL, NULL, &p) == PP_E_UNKNOWN,
	   "nobody knows it");
	opts.size = sizeof opts;
	opts.formats = formats;
	ok(pp_read_memory(toy_text, strlen(toy_text), "a.toy", &opts, diags, &p) == PP_OK &&
	       reads == 1 && pp_profile_format(p) == toy && pp_profile_complete(p),
	   "but who brings the format");
	ok(pp_ask(p, "top", two, &answer) == PP_OK && pp_answer_rows(answer, 0) == 1 &&
	       pp_answer_rows_in_all(answer, 0) == 3,
	   "top is asked");
	cell = pp_answer_cell(answer, 0, 0, 0);
	ok(is(cell.text, "parse"), "and answers");
	pp_answer_free(answer);
	test_convert(p, toy);
	pp_profile_free(p);
	ok(pp_read_memory("TOY1\n3:a\nb\n", 11, "b.toy", &opts, diags, &p) == PP_OK &&
	       !pp_profile_complete(p) && pp_diags_count(diags) == 1 &&
	       pp_diags_get(diags, 0)->rule == toy_rules && pp_diags_get(diags, 0)->line == 3,
	   "findings have their rule and place");
	pp_profile_free(p);
	pp_diags_free(diags);
}

static void
test_files(const pp_format *toy)
{
	static const char *const to_toy[] = { "to=toy", NULL };
	const pp_format *formats[2] = { toy, NULL };
	char path[] = "/tmp/outside-XXXXXX";
	const char *files[1] = { path };
	struct pp_ask_opts opts = { 0 };
	pp_answer *answer = NULL;
	char *text = NULL;
	size_t size;
	int fd = mkstemp(path);

	ok(fd >= 0 && write(fd, toy_text, strlen(toy_text)) == (ssize_t)strlen(toy_text), "a file");
	opts.size = sizeof opts;
	opts.formats = formats;
	ok(pp_ask_files(files, 1, "convert", to_toy, &opts, &answer) == PP_OK &&
	       pp_answer_render(answer, PP_RENDER_FILE, &text, &size) == PP_OK &&
	       strcmp(text, toy_text) == 0,
	   "files of the format are asked about, and written in it");
	pp_free(text);
	pp_answer_free(answer);
	opts.form = PP_RENDER_JSON;
	ok(pp_ask_files(files, 1, "check", NULL, &opts, &answer) == PP_OK &&
	       pp_answer_render(answer, PP_RENDER_JSON, &text, &size) == PP_OK &&
	       strstr(text, "\"format\": \"toy\", \"verdict\": \"accept\""),
	   "and checked");
	pp_free(text);
	pp_answer_free(answer);
	close(fd);
	unlink(path);
}

/* ---- building ---- */

static size_t
table_of(const char *name)
{
	size_t i = 0;

	while (strcmp(pp_table_name(i), name) != 0)
		i++;
	return i;
}

static size_t
column_of(size_t table, const char *name)
{
	size_t i = 0;

	while (strcmp(pp_table_column_name(table, i), name) != 0)
		i++;
	return i;
}

static void
test_columns(const pp_profile *p)
{
	size_t functions = table_of("functions"), calls = table_of("calls");
	size_t name = column_of(functions, "name");
	uint32_t id = (uint32_t)pp_table_number(p, functions, 1, name);

	ok(strcmp(pp_table_column_refers(functions, name), "strings") == 0 &&
	       is(pp_profile_string(p, id), "main"),
	   "columns refer to strings");
	ok(pp_table_size(p, functions) == 3 && pp_table_size(p, calls) == 1 &&
	       pp_table_number(p, calls, 0, column_of(calls, "callee")) == 2,
	   "and to functions");
	ok(pp_table_cells(p, calls) == 2 &&
	       pp_table_number(p, calls, 0, pp_table_column_count(calls)) == 4 &&
	       pp_table_number(p, calls, 0, pp_table_column_count(calls) + 1) == 30,
	   "costs stand behind them");
	ok(pp_table_number(p, calls, 9, 0) == 0 && pp_table_number(p, 99, 0, 0) == 0 &&
	       !pp_table_name(99),
	   "what is not there is 0");
}

static void
test_builder(void)
{
	static const char *const main_callees[] = { "function=main", NULL };
	struct pp_function f = { 0 };
	int64_t costs[1] = { 30 };
	pp_builder *b = pp_builder_new(NULL);
	pp_profile *p = NULL;
	pp_answer *answer = NULL;
	uint32_t id[2];

	ok(pp_make_metric(b, "wt", "ns") == 1, "a metric");
	f.name = pp_make_string(b, "main", 4);
	f.file = pp_make_string(b, "a.c", 3);
	id[0] = pp_make_function(b, &f);
	f.name = pp_make_string(b, "work", 4);
	id[1] = pp_make_function(b, &f);
	pp_make_call(b, id[0], id[1], 7, 4, costs);
	pp_make_line(b, id[1], 12, costs);
	costs[0] = 5;
	pp_make_line(b, id[0], 7, costs);
	pp_make_meta(b, "host", "here", 4);
	ok(pp_builder_end(b, &p) == PP_OK && pp_profile_metric_total(p, 0).integer == 35,
	   "a profile");
	ok(pp_ask(p, "callees", main_callees, &answer) == PP_OK && pp_answer_rows(answer, 1) == 1 &&
	       is(pp_answer_cell(answer, 1, 0, 0).text, "work"),
	   "answers who calls whom");
	pp_answer_free(answer);
	test_columns(p);
	pp_profile_free(p);
	b = pp_builder_new(NULL);
	pp_make_metric(b, "wt", "ns");
	ok(pp_make_frame(b, 77, 0) == 0 && pp_builder_end(b, &p) == PP_E_USAGE && !p,
	   "ids of nothing are refused");
	pp_builder_free(pp_builder_new(NULL));
}

int
main(void)
{
	pp_format *toy = toy_new();

	test_format(toy);
	test_files(toy);
	test_builder();
	pp_format_free(toy);
	printf("1..%u\n", run);
	return failed > 0;
}
