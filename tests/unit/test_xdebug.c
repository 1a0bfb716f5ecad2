/*
 * Xdebug read in every way gives the same numbers: backwards in one thread, cut for several, with a tree, and
 * line by line. The calls are random: recursion, cycles, deep and shallow stacks, roots after {main}.
 */
#include "model/flat.h"
#include "api/api.h"
#include "base/buf.h"
#include "tap.h"

#define FUNCTIONS 40
#define ENOUGH ((size_t)26 << 20)

struct making {
	struct pp_buf text;
	uint64_t random;
	bool known[FUNCTIONS + 1];
	size_t limit;
};

static uint32_t
draw(struct making *m, uint32_t below)
{
	m->random = m->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(m->random >> 33) % below;
}

static void
put_id(struct making *m, const char *key, uint32_t func)
{
	if (m->known[func]) {
		pp_buf_addf(&m->text, "%s(%u)\n", key, func + 1);
		return;
	}
	m->known[func] = true;
	if (func == FUNCTIONS)
		pp_buf_addf(&m->text, "%s(%u) {main}\n", key, func + 1);
	else
		pp_buf_addf(&m->text, "%s(%u) function_%u\n", key, func + 1, func);
}

/* Writes a call of `func` with all it calls; returns its inclusive time. */
static uint32_t
put_call(struct making *m, uint32_t func, uint32_t depth, uint32_t calls)
{
	uint32_t callee[64], time[64], own = draw(m, 1000), sum = own, i;

	if (calls > 64)
		calls = 64;
	for (i = 0; i < calls; i++) {
		uint32_t below = draw(m, 6);

		callee[i] = draw(m, FUNCTIONS);
		if (depth > 25 || m->text.n > m->limit)
			below = 0;
		time[i] = put_call(m, callee[i], depth + 1, below > 2 ? below - 2 : 0);
		sum += time[i];
	}
	pp_buf_adds(&m->text, "fl=(2)\n");
	put_id(m, "fn=", func);
	pp_buf_addf(&m->text, "%u %u %d\n", func + 1, own, (int)draw(m, 64));
	for (i = 0; i < calls; i++) {
		pp_buf_adds(&m->text, "cfl=(2)\n");
		put_id(m, "cfn=", callee[i]);
		pp_buf_addf(&m->text, "calls=1 0 0\n%u %u %d\n", draw(m, 90), time[i],
		            (int)draw(m, 64));
	}
	pp_buf_addc(&m->text, '\n');
	return sum;
}

/* A file whose {main} makes many calls, so that cuts fall into different depths. */
static void
make_text(struct making *m, uint64_t seed, uint32_t top, const char *extra)
{
	uint32_t i, *callee, *time, n = 0;

	*m = (struct making){ .random = seed, .limit = SIZE_MAX };
	callee = calloc(4000000, sizeof *callee);
	time = calloc(4000000, sizeof *time);
	pp_buf_adds(&m->text,
	            "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\ncmd: /x.php\npart: 1\n"
	            "positions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n");
	pp_buf_adds(&m->text, "fl=(2) /x.php\nfn=(1) function_0\n1 1 1\n\n");
	pp_buf_adds(&m->text, extra);
	m->known[0] = true;
	callee[n] = 0;
	time[n++] = 1;
	while (m->text.n < ENOUGH) {
		callee[n] = draw(m, top);
		time[n] = put_call(m, callee[n], 1, draw(m, 12));
		n++;
	}
	pp_buf_adds(&m->text, "fl=(2)\n");
	put_id(m, "fn=", FUNCTIONS);
	pp_buf_adds(&m->text, "1 7 7\n");
	for (i = 0; i < n; i++) {
		pp_buf_adds(&m->text, "cfl=(2)\n");
		put_id(m, "cfn=", callee[i]);
		pp_buf_addf(&m->text, "calls=1 0 0\n3 %u 5\n", time[i]);
	}
	pp_buf_addc(&m->text, '\n');
	put_call(m, 3, 1, 4); /* a shutdown function */
	pp_buf_adds(&m->text, "summary: 123456789 400000\n\n");
	free(callee);
	free(time);
}

static pp_profile *
read_text(const struct pp_buf *text, unsigned threads, unsigned want)
{
	struct pp_read_opts opts = { .threads = threads };
	struct pp_opened opened;
	pp_profile *p = NULL;

	if (pp_open(&opened, "x", text->p, text->n, &opts, NULL) == PP_OK) {
		opened.order->facets = want;
		(void)pp_opened_read(&opened, &p);
		pp_opened_close(&opened);
	}
	ok(p && pp_profile_complete(p), "%zu bytes are read whole with %u threads", text->n,
	   threads);
	return p;
}

static bool
flat_of(const pp_profile *p, struct pp_flat *flat)
{
	return p && pp_flat_compute(p, flat) == PP_OK && pp_flat_sort(flat, PP_SORT_NAME, 0);
}

static bool
flat_same(const struct pp_flat *a, const struct pp_flat *b)
{
	size_t i, n = a->n * a->metrics;

	if (a->n != b->n || a->metrics != b->metrics)
		return false;
	for (i = 0; i < a->n; i++)
		if (a->calls[i] != b->calls[i])
			return false;
	for (i = 0; i < n; i++)
		if (a->self[i].i != b->self[i].i || a->total[i].i != b->total[i].i)
			return false;
	return a->whole[0].i == b->whole[0].i && a->whole[1].i == b->whole[1].i;
}

static void
compare(const struct pp_buf *fast, const struct pp_buf *slow)
{
	static const struct {
		unsigned threads, want;
		const char *what;
	} ways[] = { { 1, PP_COSTS, "sums in one thread" },
		     { 2, PP_COSTS, "sums in two" },
		     { 3, PP_COSTS, "sums in three" },
		     { 2, PP_TREE | PP_EDGES, "with tree and edges" },
		     { 3, PP_EDGES, "with edges only" } };
	pp_profile *truth = read_text(slow, 1, PP_TREE);
	struct pp_flat expected;
	size_t i;

	ok(flat_of(truth, &expected) && expected.n == FUNCTIONS + 1,
	   "line by line: every function");
	for (i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		pp_profile *p = read_text(fast, ways[i].threads, ways[i].want);
		struct pp_flat flat;

		ok(flat_of(p, &flat) && flat_same(&expected, &flat), "the same numbers: %s",
		   ways[i].what);
		pp_flat_release(&flat);
		pp_profile_free(p);
	}
	pp_flat_release(&expected);
	pp_profile_free(truth);
}

/* {main} > a > b > c, in a file that only the slow way reads if there is a comment. */
static const char *const deep[] = {
	"version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\ncmd: /x.php\npart: 1\npositions: line\n\n"
	"events: Time_(10ns) Memory_(bytes)\n\n",
	"# slow\n",
	"fl=(1) /app/a_file_with_a_very_long_name_that_takes_seventy_bytes_or_more/x.php\n"
	"fn=(1) c\n1 1 0\n\nfl=(1)\nfn=(2) b\n1 1 0\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n2 1 0\n\n"
	"fl=(1)\nfn=(3) a\n1 1 0\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n2 2 0\n\n"
	"fl=(1)\nfn=(4) {main}\n1 1 0\ncfl=(1)\ncfn=(3)\ncalls=1 0 0\n2 3 0\n\nsummary: 9 9\n\n",
};

static pp_status
read_limited(const struct pp_buf *text, unsigned want, struct pp_limits limits)
{
	struct pp_read_opts opts = { .threads = 1, .limits = &limits };
	struct pp_opened opened;
	pp_profile *p = NULL;
	pp_status status = pp_open(&opened, "x", text->p, text->n, &opts, NULL);

	if (status == PP_OK) {
		opened.order->facets = want;
		status = pp_opened_read(&opened, &p);
		pp_opened_close(&opened);
	}
	pp_profile_free(p);
	return status;
}

static void
check_limits(void)
{
	static const unsigned wants[] = { PP_COSTS, PP_TREE, PP_TREE | PP_EDGES };
	size_t slow, i;

	for (slow = 0; slow < 2; slow++) {
		struct pp_buf text = { 0 };

		pp_buf_adds(&text, deep[0]);
		pp_buf_adds(&text, slow ? deep[1] : "");
		pp_buf_adds(&text, deep[2]);
		for (i = 0; i < sizeof wants / sizeof wants[0]; i++) {
			struct pp_limits depth = { .max_depth = 4 }, line = { .max_line = 80 };

			ok(read_limited(&text, wants[i], depth) == PP_OK &&
			       read_limited(&text, wants[i], line) == PP_OK,
			   "within limits, %s, order %u", slow ? "slow" : "fast", wants[i]);
			depth.max_depth = 3;
			line.max_line = 70;
			ok(read_limited(&text, wants[i], depth) == PP_E_LIMIT, "too deep");
			ok(read_limited(&text, wants[i], line) == PP_E_LIMIT, "a line too long");
		}
		pp_buf_release(&text);
	}
}

int
main(void)
{
	/* Sanitizers look for other things than numbers, and take their time, as does code that is not optimised. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
	enum { CASES = 1 };
#else
	enum { CASES = 3 };
#endif
	static const struct {
		uint64_t seed;
		uint32_t top;
	} cases[] = { { 2, 3 }, { 1, FUNCTIONS }, { 3, 1 } };
	size_t i;

	for (i = 0; i < CASES; i++) {
		struct making fast, slow;

		make_text(&fast, cases[i].seed, cases[i].top, "");
		/* A comment is something that only the slow way knows. */
		make_text(&slow, cases[i].seed, cases[i].top, "# slow\n");
		compare(&fast.text, &slow.text);
		pp_buf_release(&fast.text);
		pp_buf_release(&slow.text);
	}
	check_limits();
	return tap_done();
}
