/* Folded stacks: what writing does to names and values, and reading in blocks of any size. */
#include "tap.h"

#include "api/api.h"
#include "io/source.h"

struct entry {
	const char *names[3];
	uint64_t count[2];
};

extern const struct pp_format pp_format_folded, pp_format_diff_folded;

/* A profile of these stacks; a stack without names stands at the root. */
static struct pp_profile *
profile_of(const struct entry *entries, size_t n, unsigned counts)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_builder b;
	struct pp_profile *p = NULL;
	uint32_t series;
	size_t i, k;

	if (!pp_builder_init(&b, &limits, NULL, 7, &pp_pages_plain))
		return NULL;
	pp_build_metric_z(&b, counts == 2 ? "before" : "samples", "samples", PP_KIND_SAMPLES,
	                  PP_UINT, 0);
	if (counts == 2)
		pp_build_metric_z(&b, "after", "samples", PP_KIND_SAMPLES, PP_UINT, 0);
	series = pp_build_series_plain(&b, true, false);
	for (i = 0; i < n; i++) {
		pp_node node = 0;

		for (k = 0; k < 3 && entries[i].names[k]; k++)
			node = pp_build_child(
			    &b, node, pp_build_frame_named(&b, pp_slice_z(entries[i].names[k])));
		for (k = 0; k < counts; k++)
			pp_build_add(&b, series, node, (uint32_t)k, (int64_t)entries[i].count[k]);
	}
	b.profile->facets |= PP_TREE;
	pp_builder_finish(&b, &p);
	pp_builder_release(&b);
	return p;
}

static void
writes(const struct entry *entries, size_t n, unsigned counts, const char *expected,
       uint64_t warnings, const char *what)
{
	const struct pp_format *format = counts == 2 ? &pp_format_diff_folded : &pp_format_folded;
	struct pp_profile *p = profile_of(entries, n, counts);
	struct pp_diags *diags = pp_diags_new();
	struct pp_write_opts opts = { 0 };
	struct pp_buf buf = { 0 };
	struct pp_sink *sink = NULL;

	ok(p && diags && pp_sink_buffer(&buf, &sink) == PP_OK &&
	       pp_write_sink(p, sink, format, &opts, diags) == PP_OK &&
	       pp_sink_commit(sink) == PP_OK,
	   "%s: written", what);
	is_slice_z(pp_slice_of(buf.p ? buf.p : "", buf.n), expected, "%s", what);
	is_u64(pp_diags_total(diags, PP_WARNING), warnings, "%s: warnings", what);
	pp_sink_close(sink);
	pp_buf_release(&buf);
	pp_diags_free(diags);
	pp_profile_release(p);
}

static void
check_writing(void)
{
	static const struct entry order[] = { { { "a", "b" }, { 5, 0 } }, { { "a" }, { 1, 0 } } };
	static const struct entry sort_trap[] = { { { "a", "c" }, { 4, 0 } },
		                                  { { "a-b" }, { 2, 0 } },
		                                  { { "a" }, { 1, 0 } } };
	static const struct entry repeat[] = { { { "a", "b" }, { 5, 0 } },
		                               { { "a", "b" }, { 6, 0 } } };
	static const struct entry semicolon[] = { { { "Lfoo/Bar;.baz", "x" }, { 5, 0 } } };
	static const struct entry newline[] = { { { "a\nb", "c\r\nd" }, { 5, 0 } } };
	static const struct entry lone_cr[] = { { { "a\rb" }, { 5, 0 } } };
	static const struct entry blanks[] = { { { " a ", " b " }, { 5, 0 } } };
	static const struct entry join[] = { { { "a;b" }, { 1, 0 } }, { { "a:b" }, { 2, 0 } } };
	static const struct entry trimmed[] = { { { "a", "b " }, { 1, 0 } },
		                                { { "a", "b" }, { 2, 0 } } };
	static const struct entry rootless[] = { { { NULL }, { 4, 0 } } };
	static const struct entry nameless[] = { { { "" }, { 4, 0 } }, { { "", "" }, { 5, 0 } } };
	static const struct entry zero[] = { { { "a" }, { 0, 0 } } };
	static const struct entry largest[] = { { { "a" }, { UINT64_MAX, 0 } } };
	static const struct entry bytes[] = { { { "f\xff", "\xe9" }, { 1, 0 } } };
	static const struct entry digits[] = { { { "foo 1" }, { 2, 0 } } };
	static const struct entry sides[] = { { { "a" }, { 5, 0 } }, { { "b" }, { 0, 6 } } };

	writes(order, 2, 1, "a 1\na;b 5\n", 0, "one space, sorted, final newline");
	writes(sort_trap, 3, 1, "a 1\na-b 2\na;c 4\n", 0, "the order is that of whole lines");
	writes(order, 0, 1, "", 0, "nothing is no bytes");
	writes(repeat, 2, 1, "a;b 11\n", 0, "equal stacks are one line");
	writes(semicolon, 1, 1, "Lfoo/Bar:.baz;x 5\n", 1, "a semicolon in a name");
	writes(newline, 1, 1, "a b;c  d 5\n", 1, "newlines in names");
	writes(lone_cr, 1, 1, "a\rb 5\n", 0, "a lone carriage return is a byte");
	writes(blanks, 1, 1, "a ; b 5\n", 1, "blanks at the outer ends");
	writes(join, 2, 1, "a:b 3\n", 1, "names that become equal");
	writes(trimmed, 2, 1, "a;b 3\n", 1, "names that become equal at the end");
	writes(rootless, 1, 1, "[no stack] 4\n", 1, "samples without frames");
	writes(nameless, 2, 1, "; 5\n[no name] 4\n", 1, "an empty name alone");
	writes(zero, 1, 1, "a 0\n", 0, "a count of zero");
	writes(largest, 1, 1, "a 18446744073709551615\n", 0, "the largest count");
	writes(bytes, 1, 1, "f\xff;\xe9 1\n", 0, "bytes stay bytes");
	writes(digits, 1, 1, "foo 1 2\n", 0, "a name that ends in digits");
	writes(sides, 2, 2, "a 5 0\nb 0 6\n", 0, "two counts, the absent one 0");
}

/* What folded stacks cannot hold is said by rule. */
static void
check_losses(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_func_row placed = { .line = 3 };
	struct pp_frame_row frame = { 0 };
	struct pp_write_opts opts = { .metric = "bytes" };
	struct pp_builder b;
	struct pp_profile *p = NULL;
	struct pp_diags *diags = pp_diags_new();
	struct pp_buf buf = { 0 };
	struct pp_sink *sink = NULL;
	static const char *const rules[] = { "loss-names",   "loss-values", "loss-calls",
		                             "loss-metrics", "loss-units",  "loss-first-lines" };
	uint32_t series;
	pp_node node;
	size_t i;

	ok(diags && pp_builder_init(&b, &limits, NULL, 7, &pp_pages_plain), "a builder");
	pp_build_metric_z(&b, "bytes", "bytes", PP_KIND_BYTES, PP_INT, PP_METRIC_PRIMARY);
	pp_build_metric_z(&b, "seconds", "s", PP_KIND_WALL_TIME, PP_REAL, 0);
	series = pp_build_series_plain(&b, true, true);
	placed.name = pp_build_strz(&b, "a;b");
	frame.func = pp_build_func(&b, &placed);
	node = pp_build_child(&b, 0, pp_build_frame(&b, &frame));
	pp_build_add(&b, series, node, 0, -5);
	pp_build_cells(&b, series, node)[2] = 1; /* a call */
	ok(pp_builder_finish(&b, &p) == PP_OK && pp_sink_buffer(&buf, &sink) == PP_OK, "a profile");
	ok(pp_write_sink(p, sink, &pp_format_folded, &opts, diags) == PP_OK &&
	       pp_sink_commit(sink) == PP_OK,
	   "written");
	is_slice_z(pp_slice_of(buf.p, buf.n), "a:b 0\n", "a negative value is 0");
	for (i = 0; i < PP_COUNT_OF(rules); i++)
		is_u64(pp_diags_of_rule(diags, pp_rule_find(rules[i])), 1, "%s is reported",
		       rules[i]);
	pp_sink_close(sink);
	pp_buf_release(&buf);
	pp_profile_release(p);
	pp_builder_release(&b);
	pp_diags_free(diags);
}

/* ---- pruning ---------------------------------------------------------------------------- */

/* The canonical form of what a pruning reader keeps. */
static void
check_pruning(void)
{
	static const char text[] = "all;wide;x 50\nall;wide;x;deep 30\nall;thin1 1\nall;thin2;y 2\n"
	                           "all;wide;(1 more) 10\nall;wide;z 1\nall 6\nbad\n";
	struct pp_read_opts opts = { .threads = 1 };
	struct pp_opened opened;
	struct pp_write_opts write_opts = { 0 };
	struct pp_diags *diags = pp_diags_new();
	struct pp_buf buf = { 0 };
	struct pp_sink *sink = NULL;
	struct pp_profile *p = NULL;

	ok(pp_open(&opened, "x.folded", text, sizeof text - 1, &opts, diags) == PP_OK, "opened");
	opened.order->min_share = 0.05;
	ok(pp_opened_read(&opened, &p) == PP_OK, "read");
	pp_opened_close(&opened);
	ok(pp_sink_buffer(&buf, &sink) == PP_OK &&
	       pp_write_sink(p, sink, &pp_format_folded, &write_opts, diags) == PP_OK &&
	       pp_sink_commit(sink) == PP_OK,
	   "written");
	/* Written by name, the sum of the thin ones joins the function that is really called so. */
	is_slice_z(
	    pp_slice_of(buf.p, buf.n),
	    "all 6\nall;(2 more) 3\nall;wide;(1 more) 11\nall;wide;x 50\nall;wide;x;deep 30\n",
	    "thin siblings are one");
	is_u64(pp_diags_total(diags, PP_ERROR), 1, "a bad line is reported once");
	is_u64(p->tree.n, 8, "the sum and the function of that name are two nodes");
	pp_sink_close(sink);
	pp_buf_release(&buf);
	pp_profile_release(p);
	pp_diags_free(diags);
}

/* ---- blocks of any size ----------------------------------------------------------------- */

/* Text that comes in small pieces. */
struct source {
	const char *p;
	size_t left;
	size_t block;
};

static ptrdiff_t
source_read(void *context, void *to, size_t room)
{
	struct source *s = context;
	size_t n = s->left < s->block ? s->left : s->block;

	n = n < room ? n : room;
	memcpy(to, s->p, n);
	s->p += n;
	s->left -= n;
	return (ptrdiff_t)n;
}

/* Reads text through the reader, from memory or in blocks, and gives the canonical form back. */
static void
canonical(const char *text, size_t n, size_t block, struct pp_buf *out, uint64_t *errors)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_order order = { .facets = PP_TREE };
	struct pp_diags diags;
	struct pp_io io;
	struct pp_input *in = NULL;
	struct pp_builder b;
	struct pp_profile *p = NULL;
	struct pp_sink *sink = NULL;
	struct pp_write_opts opts = { 0 };
	struct source source = { text, n, block };

	pp_diags_init(&diags);
	if (!pp_io_init(&io, NULL, 1, &diags))
		return;
	io.block = block;
	if (block)
		(void)pp_input_callback(&io, source_read, &source, &in);
	else if (pp_input_memory(&io, text, n, &in) == PP_OK)
		(void)pp_input_pad(&in);
	if (in && pp_builder_init(&b, &limits, NULL, 7, &pp_pages_plain)) {
		struct pp_reader reader = { .in = in,
			                    .path = "x.folded",
			                    .order = &order,
			                    .threads = 1,
			                    .limits = limits,
			                    .diags = &diags,
			                    .seed = 7 };

		if (pp_format_folded.read(&reader, &b) == PP_OK &&
		    pp_builder_finish(&b, &p) == PP_OK && pp_sink_buffer(out, &sink) == PP_OK) {
			(void)pp_write_sink(p, sink, &pp_format_folded, &opts, &diags);
			(void)pp_sink_commit(sink);
			pp_sink_close(sink);
		}
		pp_builder_release(&b);
		pp_profile_release(p);
	}
	*errors = pp_diags_total(&diags, PP_ERROR);
	if (in)
		in->close(in);
	pp_io_release(&io);
	pp_diags_release(&diags);
}

static void
check_blocks(void)
{
	static const char text[] =
	    "main;foo 1\r\n  main;bar baz \t 22\nmain;foo 3\n\n;; 4\nbad line\n"
	    "a;very;long;stack;of;many;short;names;in;one;line 5\nlast;one 6";
	static const size_t blocks[] = { 1, 2, 3, 7, 8, 13, 64, 1000 };
	struct pp_buf whole = { 0 };
	uint64_t errors = 0;
	size_t i;

	canonical(text, sizeof text - 1, 0, &whole, &errors);
	ok(whole.n > 0 && errors == 1, "from memory");
	for (i = 0; i < PP_COUNT_OF(blocks); i++) {
		struct pp_buf parts = { 0 };

		canonical(text, sizeof text - 1, blocks[i], &parts, &errors);
		is_slice(pp_slice_of(parts.p, parts.n), pp_slice_of(whole.p, whole.n),
		         "in blocks of %zu", blocks[i]);
		is_u64(errors, 1, "and the same line is refused");
		pp_buf_release(&parts);
	}
	pp_buf_release(&whole);
}

int
main(void)
{
	check_writing();
	check_losses();
	check_pruning();
	check_blocks();
	return tap_done();
}
