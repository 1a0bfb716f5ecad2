/*
 * The limits of lines and depth hold for SPAA whatever is asked for, and however a line is written: plainly,
 * which is read the quick way, or with blanks; in one thread or in several.
 */
#include "tap.h"

#include "api/api.h"

#define FRAMES 40
/* So long that several threads read it. */
#define LONG_FILE ((size_t)5 << 20)

static const char head[] =
    "{\"type\":\"header\",\"format\":\"spaa\",\"version\":\"1.0\",\"source_tool\":\"perf\","
    "\"frame_order\":\"leaf_to_root\",\"events\":[{\"name\":\"e\",\"kind\":\"probe\","
    "\"sampling\":{\"mode\":\"event\",\"primary_metric\":\"n\"}}],\"stack_id_mode\":\"local\"}\n"
    "{\"type\":\"dso\",\"id\":1,\"name\":\"app\"}\n"
    "{\"type\":\"frame\",\"id\":1,\"func\":\"f\",\"dso\":1,\"kind\":\"user\"}\n";

/* A stack of FRAMES, whose line is the longest, and others of one frame up to a size. */
static void
file_make(struct pp_buf *b, bool plain, size_t size, size_t *longest)
{
	const char *blank = plain ? "" : " ";
	size_t i, k, begin;

	pp_buf_adds(b, head);
	for (i = 0; !i || b->n < size; i++) {
		begin = b->n;
		pp_buf_addf(b, "{\"type\":\"stack\",%s\"id\":\"s%zu", blank, i);
		for (k = 0; i == 0 && k < sizeof head; k++)
			pp_buf_addc(b, 'x');
		pp_buf_adds(b, "\",\"frames\":[1");
		for (k = 1; i == 0 && k < FRAMES; k++)
			pp_buf_addf(b, ",%s1", blank);
		pp_buf_adds(b, "],\"context\":{\"event\":\"e\"},"
		               "\"weights\":[{\"metric\":\"n\",\"value\":1}]}");
		*longest = b->n - begin > *longest ? b->n - begin : *longest;
		pp_buf_addc(b, '\n');
	}
}

static pp_status
file_read(const struct pp_buf *b, unsigned facets, unsigned threads, struct pp_limits limits)
{
	struct pp_read_opts opts = { .from = "spaa", .threads = threads, .limits = &limits };
	struct pp_diags diags;
	struct pp_opened opened;
	struct pp_profile *p = NULL;
	pp_status status;

	pp_diags_init(&diags);
	status = pp_open(&opened, "x.spaa", b->p, b->n, &opts, &diags);
	if (status == PP_OK) {
		opened.order->facets = facets;
		status = pp_opened_read(&opened, &p);
		pp_opened_close(&opened);
	}
	pp_profile_free(p);
	pp_diags_release(&diags);
	return status;
}

static void
file_check(bool plain, size_t size, unsigned threads)
{
	static const unsigned orders[] = { PP_FINDINGS, PP_COSTS | PP_FUNCTIONS,
		                           PP_TREE | PP_FUNCTIONS,
		                           PP_TREE | PP_TIMELINE | PP_META | PP_EXTRAS };
	struct pp_buf b = { 0 };
	size_t i, longest = 0;

	file_make(&b, plain, size, &longest);
	if (b.failed)
		abort();
	for (i = 0; i < PP_COUNT_OF(orders); i++) {
		struct pp_limits enough = { .max_depth = FRAMES, .max_line = longest };
		struct pp_limits shallow = enough, narrow = enough;

		shallow.max_depth--;
		narrow.max_line--;
		ok(file_read(&b, orders[i], threads, enough) == PP_OK,
		   "order %#x, plain %d, %u threads: within the limits", orders[i], plain, threads);
		ok(file_read(&b, orders[i], threads, shallow) == PP_E_LIMIT, "a stack too deep");
		ok(file_read(&b, orders[i], threads, narrow) == PP_E_LIMIT, "a line too long");
	}
	pp_buf_release(&b);
}

/* Places do not matter where only functions are asked for: one frame for each makes a smaller tree. */
static void
functions_check(void)
{
	static const char places[] =
	    "{\"type\":\"frame\",\"id\":2,\"func\":\"f\",\"dso\":1,\"kind\":\"user\","
	    "\"ip\":\"0x12\",\"symoff\":\"0x2\",\"srcline\":\"a.c:3\"}\n"
	    "{\"type\":\"stack\",\"id\":\"s\",\"frames\":[2],\"context\":{\"event\":\"e\"},"
	    "\"weights\":[{\"metric\":\"n\",\"value\":1}]}\n";
	struct pp_buf b = { 0 };
	struct pp_diags diags;
	unsigned by_function;
	size_t ignored = 0;

	file_make(&b, true, 0, &ignored);
	pp_buf_adds(&b, places);
	pp_diags_init(&diags);
	for (by_function = 0; by_function < 2; by_function++) {
		struct pp_read_opts opts = { .from = "spaa" };
		struct pp_opened opened;
		struct pp_profile *p = NULL;

		ok(pp_open(&opened, "x.spaa", b.p, b.n, &opts, &diags) == PP_OK, "opened");
		opened.order->facets = PP_TREE | (by_function ? PP_FUNCTIONS : 0u);
		ok(pp_opened_read(&opened, &p) == PP_OK, "read");
		ok(p && p->frames.n == (by_function ? 2 : 3), "by function %u", by_function);
		pp_opened_close(&opened);
		pp_profile_free(p);
	}
	pp_diags_release(&diags);
	pp_buf_release(&b);
}

int
main(void)
{
	functions_check();
	file_check(true, 0, 1);
	file_check(false, 0, 1);
	file_check(true, LONG_FILE, 2);
	file_check(false, LONG_FILE, 2);
	return tap_done();
}
