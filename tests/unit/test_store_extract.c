/* Extracts: what calls and lines cost, there and back; bytes that are no extract, or a damaged one. */
#include "tap.h"

#include "api/api.h"
#include "model/flat.h"
#include "store/extract.h"

#define CALLS 60

/* Many calls of a few functions, as Xdebug tells each of them. */
static void
xdebug_text(struct pp_buf *out)
{
	unsigned i;

	pp_buf_adds(out, "version: 1\ncreator: xdebug 3.1.6 (PHP 8.1.0)\ncmd: /srv/sample/a.php\n"
	                 "part: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n");
	for (i = 0; i < CALLS; i++)
		pp_buf_addf(out, "fl=(1)%s\nfn=(1)%s\n%u %u -32\n\n", i ? "" : " /srv/sample/a.php",
		            i ? "" : " work", 3 + i % 2, 70 + i);
	pp_buf_adds(out, "fl=(1)\nfn=(2) {main}\n1 500 64\n");
	for (i = 0; i < CALLS; i++)
		pp_buf_addf(out, "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n%u %u -32\n", 9 + i % 3, 70 + i);
	pp_buf_adds(out, "\nsummary: 6470 -1856\n\n");
}

static const char callgrind[] =
    "version: 1\npositions: instr line\nevents: Ir Dr\nfl=a.c\nfn=main\n0x10 3 5 1\n0x14 4 7 0\n"
    "cfn=work\ncalls=2 0x20\n0x14 4 30 3\nfn=work\n0x20 9 30 3\ntotals: 42 4\n";
static const char seed[] = "nothing that anybody reads";

/* As it is read for packing. */
static struct pp_profile *
profile_of(const char *format, struct pp_slice text)
{
	struct pp_read_opts opts = { .size = sizeof opts, .from = format, .threads = 1 };
	struct pp_opened opened;
	struct pp_profile *p = NULL;
	struct pp_diags diags;

	pp_diags_init(&diags);
	ok(pp_open(&opened, format, text.p, text.n, &opts, &diags) == PP_OK, "%s: opened", format);
	opened.order->facets = PP_TREE | PP_EDGES | PP_LINES | PP_META | PP_SITES | PP_GAINS |
	                       PP_GAINS_ALL;
	ok(pp_opened_read(&opened, &p) == PP_OK, "%s: read", format);
	pp_opened_close(&opened);
	pp_diags_release(&diags);
	return p;
}

/* What functions cost, in two profiles. */
static void
is_alike(const struct pp_profile *a, const struct pp_profile *b)
{
	struct pp_flat one, other;
	size_t i;

	ok(pp_flat_compute(a, &one) == PP_OK && pp_flat_compute(b, &other) == PP_OK, "costs");
	is_u64(one.n, other.n, "as many functions");
	for (i = 0; i < one.n && i < other.n; i++)
		ok(pp_slice_eq(pp_text_of(a, a->funcs.at[one.func[i]].name),
		               pp_text_of(b, b->funcs.at[other.func[i]].name)),
		   "function %zu", i);
	pp_flat_release(&one);
	pp_flat_release(&other);
	is_u64(a->calls.rows.n, b->calls.rows.n, "as many calls");
	is_u64(a->lines.rows.n, b->lines.rows.n, "as many lines");
	is_u64(a->meta.n, b->meta.n, "as much metadata");
}

/* No beginning is taken for all of it, and what damage leaves readable is a profile that can be asked. */
static void
check_damaged(const struct pp_buf *bytes)
{
	struct pp_profile *p;
	struct pp_flat flat;
	uint64_t size;
	size_t i, taken = 0, failed = 0;

	for (i = 0; i < bytes->n; i++) {
		taken += pp_extract_read(pp_slice_of(bytes->p, i), &size, &p) == PP_OK;
		pp_profile_free(p);
	}
	is_u64(taken, 0, "no beginning of an extract is taken for all of it");
	for (i = 0; i < 8 * bytes->n; i++) {
		bytes->p[i / 8] = (char)(bytes->p[i / 8] ^ 1 << i % 8);
		if (pp_extract_read(pp_slice_of(bytes->p, bytes->n), &size, &p) == PP_OK) {
			pp_status status = pp_flat_compute(p, &flat);

			failed += status != PP_OK && status != PP_E_LIMIT;
			pp_flat_release(&flat);
		}
		pp_profile_free(p);
		bytes->p[i / 8] = (char)(bytes->p[i / 8] ^ 1 << i % 8);
	}
	is_u64(failed, 0, "what is read of a damaged one can be asked");
}

static void
check_extract(const char *format, struct pp_slice text)
{
	struct pp_profile *p = profile_of(format, text), *again = NULL;
	struct pp_buf bytes = { 0 };
	uint64_t size = 0;

	if (!p)
		return;
	pp_buf_adds(&bytes, "x");
	ok(pp_extract_make(p, 10, &bytes) == PP_E_UNSUPPORTED && bytes.n == 1,
	   "%s: what saves little is not kept", format);
	bytes.n = 0;
	ok(pp_extract_make(p, 1 << 20, &bytes) == PP_OK, "%s: made", format);
	ok(pp_extract_read(pp_slice_of(bytes.p, bytes.n), &size, &again) == PP_OK, "%s: read again",
	   format);
	is_u64(size, 1 << 20, "the size of the input");
	if (again)
		is_alike(p, again);
	pp_profile_free(again);
	check_damaged(&bytes);
	p->complete = false;
	bytes.n = 0;
	ok(pp_extract_make(p, 1 << 20, &bytes) == PP_E_UNSUPPORTED,
	   "%s: of what is incomplete there is none", format);
	pp_profile_free(p);
	pp_buf_release(&bytes);
}

/* Who wants to know more than it tells reads the input. */
static void
check_order(void)
{
	const struct pp_slice key = pp_slice_z("host");
	struct pp_order order = { 0 };

	ok(!pp_extract_tells(&order), "all that there is");
	order.facets = PP_COSTS | PP_EDGES | PP_LINES | PP_META;
	ok(pp_extract_tells(&order), "costs");
	order.facets |= PP_TIMELINE;
	ok(!pp_extract_tells(&order), "times");
	order.facets = PP_TREE | PP_EXTRAS;
	ok(!pp_extract_tells(&order), "what is written again");
	order.facets = PP_TREE | PP_FINDINGS;
	ok(!pp_extract_tells(&order), "findings");
	order.facets = PP_TREE | PP_LABELS;
	order.label_keys = &key;
	order.label_key_count = 1;
	ok(!pp_extract_tells(&order), "labels of the file");
}

int
main(void)
{
	struct pp_profile *p = NULL;
	struct pp_buf text = { 0 };
	uint64_t size;

	xdebug_text(&text);
	check_extract("xdebug", pp_slice_of(text.p, text.n));
	check_extract("callgrind", pp_slice_z(callgrind));
	check_order();
	ok(pp_extract_read(pp_slice_z(seed), &size, &p) == PP_E_INVALID && !p, "no extract");
	pp_buf_release(&text);
	return tap_done();
}
