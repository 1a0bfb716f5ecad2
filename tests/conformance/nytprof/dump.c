/*
 * What a NYTProf file holds, for tests:
 *
 *     nytprof_dump records FILE   every record as a line of text: NAME<TAB>operands, strings with \ TAB LF as
 *                                 \x5c \x09 \x0a, numbers as the 16 hexadecimal digits of their bytes
 *     nytprof_dump tables FILE    lines, calls and the timelines of the profile, as JSON
 */
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "formats/nytprof/stream.h"
#include "text/json_emit.h"

/* ---- records ------------------------------------------------------------------------------------ */

/* Operands are printed in this order: u varint, i the same signed, n number, t string. */
static const struct record_name {
	unsigned char tag;
	const char *name;
	const char *order; /* pairs of kind and index */
} names[] = {
	{ '+', "TIME_LINE", "i0u1u2" }, { '*', "TIME_BLOCK", "i0u1u2u3u4" },
	{ '-', "DISCOUNT", "" },        { '<', "SUB_RETURN", "u0n0n1t0" },
	{ '>', "SUB_ENTRY", "u0u1" },   { '@', "NEW_FID", "u0u1u2u3u4u5t0" },
	{ 'S', "SRC_LINE", "u0u1t0" },  { 's', "SUB_INFO", "u0u1u2t0" },
	{ 'P', "PID_START", "u0u1n0" }, { 'p', "PID_END", "u0n0" },
	{ 'z', "START_DEFLATE", "" },   { 'c', "SUB_CALLERS", "u0u1u2n0n1n2u3t1t0" },
};

static void
print_text(struct pp_slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++) {
		if (s.p[i] == '\\' || s.p[i] == '\t' || s.p[i] == '\n')
			printf("\\x%02x", s.p[i]);
		else
			putchar(s.p[i]);
	}
}

static void
print_number(double d)
{
	unsigned char bytes[sizeof d];
	size_t i;

	memcpy(bytes, &d, sizeof d);
	for (i = 0; i < sizeof d; i++)
		printf("%02x", bytes[i]);
}

/* Attributes, options and comments are lines of text. */
static void
print_line(const struct pp_nyt_record *r)
{
	struct pp_slice line = r->text[0].bytes;
	const unsigned char *equals = line.n ? memchr(line.p, '=', line.n) : NULL;

	if (r->tag == '#') {
		printf("COMMENT\t");
		print_text(line);
		printf("\\x0a\n");
	} else if (equals) {
		printf("%s\t", r->tag == ':' ? "ATTRIBUTE" : "OPTION");
		print_text(pp_slice_of(line.p, (size_t)(equals - line.p)));
		putchar('\t');
		print_text(pp_slice_of(equals + 1, line.n - (size_t)(equals - line.p) - 1));
		putchar('\n');
	}
}

static void
print_record(const struct pp_nyt_record *r)
{
	const char *order = NULL;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(names); i++)
		if (names[i].tag == r->tag) {
			fputs(names[i].name, stdout);
			order = names[i].order;
		}
	if (!order) {
		print_line(r);
		return;
	}
	for (; *order; order += 2) {
		int at = order[1] - '0';

		putchar('\t');
		if (*order == 'u')
			printf("%u", r->u[at]);
		else if (*order == 'i')
			printf("%d", (int32_t)r->u[at]);
		else if (*order == 'n')
			print_number(r->n[at]);
		else
			print_text(r->text[at].bytes);
	}
	putchar('\n');
}

static int
dump_records(const char *path)
{
	struct pp_diags diags;
	struct pp_opened opened;
	struct pp_nyt_stream stream = { 0 };
	unsigned major, minor;
	enum pp_nyt_step step = PP_NYT_END;

	pp_diags_init(&diags);
	if (pp_open(&opened, path, NULL, 0, NULL, &diags) != PP_OK)
		return 1;
	if (pp_nyt_stream_begin(&stream, &opened.reader, &major, &minor) &&
	    pp_nyt_layout_init(&stream.layout, major, minor)) {
		printf("VERSION\t%u\t%u\n", major, minor);
		while ((step = pp_nyt_stream_next(&stream)) == PP_NYT_RECORD) {
			print_record(&stream.record);
			if (stream.record.tag == 'z' && pp_nyt_stream_inflate(&stream) != PP_OK)
				break;
		}
	}
	pp_opened_close(&opened);
	pp_diags_release(&diags);
	return step == PP_NYT_END ? 0 : 1;
}

/* ---- tables ------------------------------------------------------------------------------------- */

static void
put_text(struct pp_json *json, const struct pp_profile *p, pp_str s)
{
	pp_json_text(json, pp_text_of(p, s));
}

static void
put_cell(struct pp_json *json, const struct pp_profile *p, int64_t cell)
{
	char text[PP_NUM_MAX];

	size_t n = pp_value_print(&p->metrics.at[0], pp_cell_value(&p->metrics.at[0], cell), text);

	pp_json_raw(json, text, n);
}

static void
put_lines(struct pp_json *json, const struct pp_profile *p)
{
	size_t stride = pp_line_stride(p), i;

	pp_json_key(json, "lines");
	pp_json_begin_array(json);
	for (i = 0; i < p->lines.rows.n; i++) {
		pp_json_begin_array(json);
		put_text(json, p, p->lines.rows.at[i].file);
		pp_json_i64(json, p->lines.rows.at[i].line);
		pp_json_i64(json, p->lines.cells.at[i * stride]);
		put_cell(json, p, p->lines.cells.at[i * stride + 1]);
		pp_json_end_array(json);
	}
	pp_json_end_array(json);
}

static void
put_edges(struct pp_json *json, const struct pp_profile *p)
{
	size_t stride = pp_edge_stride(p), i;

	pp_json_key(json, "edges");
	pp_json_begin_array(json);
	for (i = 0; i < p->calls.rows.n; i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];

		pp_json_begin_array(json);
		put_text(json, p, p->funcs.at[e->caller].name);
		put_text(json, p, p->funcs.at[e->callee].name);
		put_text(json, p, e->site_file);
		pp_json_i64(json, e->site_line);
		pp_json_i64(json, p->calls.cells.at[i * stride]);
		put_cell(json, p, p->calls.cells.at[i * stride + 1]);
		put_cell(json, p, p->calls.cells.at[i * stride + 2]);
		pp_json_end_array(json);
	}
	pp_json_end_array(json);
}

static bool
is_unknown(const struct pp_profile *p, pp_node node)
{
	return p->funcs.at[pp_node_func(p, node)].flags & PP_FUNC_UNKNOWN;
}

/* The nearest frame around a node that a record names; those that nobody saw called have none. */
static pp_node
named_parent(const struct pp_profile *p, pp_node node)
{
	do
		node = pp_tree_parent(&p->tree, node);
	while (node && is_unknown(p, node));
	return node;
}

/* Events of a timeline, and how many break its rules: time goes on, steps follow the tree. */
static void
put_timeline(struct pp_json *json, const struct pp_profile *p, const struct pp_timeline *t)
{
	struct pp_timeline_iter iter;
	int64_t before = INT64_MIN;
	uint64_t wrong = 0;
	pp_node at = 0;

	if (!pp_timeline_begin(t, &iter, 0))
		return;
	while (pp_timeline_next(&iter)) {
		const struct pp_event *e = &iter.event;
		bool enter = e->kind == PP_EVENT_ENTER;

		wrong += e->time < before;
		before = e->time;
		/* Subs that never returned were not entered, and do not run between their calls. */
		if (is_unknown(p, e->node)) {
			wrong += e->kind != PP_EVENT_EXIT;
			continue;
		}
		/* What was not called goes on from where it belongs. */
		if (e->kind == PP_EVENT_SAMPLE)
			enter = true;
		wrong += (enter ? named_parent(p, e->node) : e->node) != at;
		at = enter ? e->node : named_parent(p, e->node);
	}
	pp_timeline_end(&iter);
	pp_json_begin_array(json);
	pp_json_i64(json, (int64_t)t->n);
	pp_json_i64(json, (int64_t)wrong + (at != 0));
	pp_json_end_array(json);
}

static int
dump_tables(const char *path)
{
	struct pp_read_opts opts = { .want = PP_FACETS | PP_META };
	struct pp_profile *p = NULL;
	struct pp_sink *out;
	struct pp_json json;
	int error;
	size_t i;

	if (pp_read_file(path, &opts, NULL, &p) != PP_OK ||
	    pp_sink_file("-", 0, &out, &error) != PP_OK)
		return 1;
	pp_json_init(&json, out, PP_JSON_COMPACT);
	pp_json_begin_object(&json);
	put_lines(&json, p);
	put_edges(&json, p);
	pp_json_key(&json, "timelines");
	pp_json_begin_array(&json);
	for (i = 0; i < p->series.n; i++)
		put_timeline(&json, p, &p->series.at[i].timeline);
	pp_json_end_array(&json);
	pp_json_key(&json, "sources");
	pp_json_i64(&json, (int64_t)p->sources.n);
	pp_json_end_object(&json);
	pp_json_end_line(&json);
	error = pp_sink_commit(out) == PP_OK ? 0 : 1;
	pp_sink_close(out);
	pp_profile_free(p);
	return error;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "records") == 0)
		return dump_records(argv[2]);
	if (argc == 3 && strcmp(argv[1], "tables") == 0)
		return dump_tables(argv[2]);
	fprintf(stderr, "usage: nytprof_dump records|tables FILE\n");
	return 2;
}
