/* Extracts: what calls and lines cost, there and back; bytes that are no extract, or a damaged one. */
#include "tap.h"

#include "api/api.h"
#include "model/flat.h"
#include "store/extract_kept.h"
#include "store/pack.h"
#include "store/parcel.h"

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
/* What cells cannot hold: costs of its own for a frame in the middle. */
static const char spaa[] =
    "{\"type\":\"header\",\"format\":\"spaa\",\"version\":\"1.0\",\"source_tool\":\"perf\","
    "\"frame_order\":\"leaf_to_root\",\"events\":[{\"name\":\"cycles\",\"kind\":\"hardware\","
    "\"sampling\":{\"mode\":\"period\",\"primary_metric\":\"period\"}}],\"stack_id_mode\":"
    "\"content_addressable\"}\n{\"type\":\"dso\",\"id\":1,\"name\":\"engine\",\"is_kernel\":false}\n"
    "{\"type\":\"frame\",\"id\":1,\"func\":\"main\",\"dso\":1,\"kind\":\"user\"}\n"
    "{\"type\":\"frame\",\"id\":2,\"func\":\"boil\",\"dso\":1,\"kind\":\"user\"}\n"
    "{\"type\":\"stack\",%400s\"id\":\"0xa1\",\"frames\":[2,1],\"context\":{\"event\":\"cycles\"},"
    "\"weights\":[{\"metric\":\"period\",\"value\":100}],\"exclusive\":{\"frame\":2,\"weights\":"
    "[{\"metric\":\"period\",\"value\":40}]}}\n";
static const char seed[] = "nothing that anybody reads";

/* As it is read to be added, or for packing. */
static struct pp_profile *
profile_of(const char *format, struct pp_slice text, bool for_packing)
{
	struct pp_read_opts opts = { .size = sizeof opts, .from = format, .threads = 1 };
	struct pp_opened opened;
	struct pp_profile *p = NULL;
	struct pp_diags diags;

	pp_diags_init(&diags);
	ok(pp_open(&opened, format, text.p, text.n, &opts, &diags) == PP_OK, "%s: opened", format);
	if (for_packing)
		opened.order->facets = PP_EXTRACT_FACETS;
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

/* It is made up to a size, and no larger one. */
static void
check_most(const struct pp_profile *p, size_t n)
{
	struct pp_buf bytes = { 0 };

	ok(pp_extract_make(p, 1 << 20, n - 1, &bytes) == PP_E_UNSUPPORTED && bytes.n == 0,
	   "larger than it may be");
	ok(pp_extract_make(p, 1 << 20, n, &bytes) == PP_OK && bytes.n == n,
	   "as large as it may be");
	pp_buf_release(&bytes);
}

/* As stores keep it, there and back. */
static void
check_kept(struct pp_slice extract)
{
	struct pp_supply supply = { 0 };
	struct pp_buf kept = { 0 };
	uint64_t size;

	ok(pp_extract_keep(extract, &kept), "kept");
	ok(pp_extract_open(pp_slice_of(kept.p, kept.n), &supply, &size) == PP_OK &&
	       size == extract.n && supply.size == 1 << 20 && supply.profile,
	   "and opened");
	pp_parcel_drop(&supply);
	ok(pp_extract_open(pp_slice_of(kept.p, kept.n - 1), &supply, &size) == PP_E_INVALID &&
	       !supply.profile,
	   "not when its end is missing");
	pp_parcel_drop(&supply);
	pp_buf_release(&kept);
}

/* What is made of a profile that was read to be added is what is made of its input later. */
static void
check_added(const char *format, struct pp_slice text, bool expected)
{
	const struct pp_kept_file file = { "a", text.p, text.n };
	struct pp_supply supply = { .path = "a", .files = &file, .n = 1 };
	struct pp_profile *p = profile_of(format, text, false);
	struct pp_buf added = { 0 }, later = { 0 }, noted = { 0 };
	struct pp_pack_input input;

	if (!p)
		return;
	pp_stored_extract(p, false, &supply, "a", &added);
	pp_stored_extract(p, true, &supply, "a", &noted);
	pp_profile_free(pp_stored_read(&supply, "a", format, &input, &later));
	ok((added.n > 0) == expected, "%s: it is %s extract", format, expected ? "an" : "no");
	is_slice(pp_slice_of(added.p, added.n), pp_slice_of(later.p, later.n),
	         "the same whoever makes it");
	is_u64(noted.n, 0, "of what has findings there is none");
	pp_profile_free(p);
	pp_buf_release(&added);
	pp_buf_release(&later);
	pp_buf_release(&noted);
}

static void
check_extract(const char *format, struct pp_slice text)
{
	struct pp_profile *p = profile_of(format, text, true), *again = NULL;
	struct pp_buf bytes = { 0 };
	uint64_t size = 0;

	if (!p)
		return;
	pp_buf_adds(&bytes, "x");
	ok(pp_extract_make(p, 10, UINT64_MAX, &bytes) == PP_E_UNSUPPORTED && bytes.n == 1,
	   "%s: what saves little is not kept", format);
	bytes.n = 0;
	ok(pp_extract_make(p, 1 << 20, UINT64_MAX, &bytes) == PP_OK, "%s: made", format);
	ok(pp_extract_read(pp_slice_of(bytes.p, bytes.n), &size, &again) == PP_OK, "%s: read again",
	   format);
	is_u64(size, 1 << 20, "the size of the input");
	if (again)
		is_alike(p, again);
	pp_profile_free(again);
	check_most(p, bytes.n);
	check_kept(pp_slice_of(bytes.p, bytes.n));
	check_damaged(&bytes);
	p->complete = false;
	bytes.n = 0;
	ok(pp_extract_make(p, 1 << 20, UINT64_MAX, &bytes) == PP_E_UNSUPPORTED,
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
	check_added("xdebug", pp_slice_of(text.p, text.n), true);
	check_added("callgrind", pp_slice_z(callgrind), false);
	check_added("folded", pp_slice_z("main;work 3\nmain 4\n"), false);
	text.n = 0;
	pp_buf_addf(&text, spaa, "");
	check_added("spaa", pp_slice_of(text.p, text.n), true);
	check_order();
	ok(pp_extract_read(pp_slice_z(seed), &size, &p) == PP_E_INVALID && !p, "no extract");
	pp_buf_release(&text);
	return tap_done();
}
