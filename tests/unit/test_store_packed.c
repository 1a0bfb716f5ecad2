/* Packed profiles: cells that are checked, dictionaries there and back, sums that equal merging. */
#include "tap.h"

#include "model/flat.h"
#include "model/merge.h"
#include "store/pack.h"
#include "store/stored_sum.h"

#define FILES 3
static const char *const inputs[FILES] = {
	"main;a;b 3\nmain;a 1\nmain;c;a;c 7\n[x] 0\n",
	"main;c;a;c 5\nmain;d 2\nz;z;z 9\n",
	"z 1\nmain;a;b 4\n",
};

static struct pp_profile *
profile_of(const char *text)
{
	struct pp_read_opts opts = { .size = sizeof opts, .from = "folded", .threads = 1 };
	struct pp_profile *p = NULL;

	ok(pp_read_memory(text, strlen(text), "x.folded", &opts, NULL, &p) == PP_OK, "read");
	return p;
}

/* ---- cells ---- */

static void
check_cells(enum pp_cell_type type, const int64_t *values, const char *what)
{
	static const uint32_t ids[] = { 1, 2, 200, 70000, 70001 };
	struct pp_cell_sums s = { .ids = 70002 };
	struct pp_cell_sum sum = { 0 }, other;
	struct pp_cell_reader r = { .type = type };
	struct pp_buf data = { 0 }, text = { 0 };
	pp_i128 back = 0;
	uint32_t last = 0;
	size_t i, n;

	for (i = 0; i < PP_COUNT_OF(ids); i++)
		pp_cells_put(&data, type, &last, ids[i], values[i], &sum);
	s.sum = calloc(s.ids, sizeof *s.sum);
	s.zero = calloc(s.ids / 64 + 1, sizeof *s.zero);
	ok(pp_cells_sum(&s, type, pp_slice_of(data.p, data.n), &sum), "%s: added up", what);
	for (i = 0; i < PP_COUNT_OF(ids); i++)
		ok(s.sum[ids[i]] == values[i], "%s: cell %zu", what, i);
	r.rest = pp_slice_of(data.p, data.n);
	for (i = 0; pp_cells_next(&r); i++)
		ok(r.id == ids[i] && r.cell == values[i], "%s: one by one", what);
	ok(!r.damaged && r.sum.n == sum.n && r.sum.total == sum.total, "%s: to the end", what);
	pp_cell_total_print(&text, sum.total);
	ok(pp_cell_total_parse(pp_slice_of(text.p, text.n), &back) && back == sum.total,
	   "%s: the total as text", what);
	other = sum;
	other.total++;
	ok(!pp_cells_sum(&s, type, pp_slice_of(data.p, data.n), &other), "%s: another total", what);
	other = sum;
	other.n++;
	ok(!pp_cells_sum(&s, type, pp_slice_of(data.p, data.n), &other), "%s: another number",
	   what);
	for (n = 0; n < data.n; n++)
		if (pp_cells_sum(&s, type, pp_slice_of(data.p, n), &sum))
			break;
	is_u64(n, data.n, "%s: no beginning of it is taken for all", what);
	s.ids = 70001;
	ok(!pp_cells_sum(&s, type, pp_slice_of(data.p, data.n), &sum),
	   "%s: a stack that is not there", what);
	free(s.sum);
	free(s.zero);
	pp_buf_release(&data);
	pp_buf_release(&text);
}

/* Cells of all lengths, added up and one by one, as they are and with a byte changed: both take the same for damaged. */
static void
check_many_cells(uint32_t seed)
{
	enum { CELLS = 100, IDS = 1 << 16 };
	struct pp_cell_sums *sums = pp_cell_sums_new(1, IDS), *again = pp_cell_sums_new(1, IDS);
	struct pp_cell_sum sum = { 0 };
	struct pp_buf data = { 0 };
	uint32_t last = 0, id = 0, i;
	bool fine = true, same = true;
	size_t at;

	for (i = 0; i < CELLS && id < IDS - (1 << 14); i++) {
		seed = seed * 1664525 + 1013904223;
		id += 1 + (seed >> 8) % (seed >> 28 ? 200 : 16000);
		pp_cells_put(&data, PP_UINT, &last, id,
		             (int64_t)((uint64_t)seed << 24 >> seed % 61), &sum);
	}
	ok(pp_cells_sum(sums, PP_UINT, pp_slice_of(data.p, data.n), &sum), "seed %u: added up",
	   seed);
	for (at = 0; at <= data.n; at++) {
		struct pp_cell_reader r = { .rest = pp_slice_of(data.p, data.n), .type = PP_UINT };
		bool added;

		/* The first time nothing is changed. */
		if (at)
			data.p[at - 1] = (char)(data.p[at - 1] ^ 1 << at % 8);
		memset(again->sum, 0, IDS * sizeof *again->sum);
		again->absolute = 0;
		added = pp_cells_sum(again, PP_UINT, r.rest, &sum);
		while (pp_cells_next(&r) && r.id < IDS)
			same &= !added || again->sum[r.id] == r.cell;
		fine &= added ==
		        (!r.damaged && r.id < IDS && r.sum.n == sum.n && r.sum.total == sum.total);
		if (at)
			data.p[at - 1] = (char)(data.p[at - 1] ^ 1 << at % 8);
	}
	ok(fine, "seed %u: what is damaged is so for both", seed);
	ok(same, "seed %u: the same cells", seed);
	pp_cell_sums_free(sums, 1);
	pp_cell_sums_free(again, 1);
	pp_buf_release(&data);
}

static void
check_all_cells(void)
{
	uint32_t seed;
	const int64_t signed_ones[] = { 5, -1, INT64_MIN, INT64_MAX, 0 };
	const int64_t unsigned_ones[] = { 5, (int64_t)UINT64_MAX, INT64_MIN, 1, 0 };
	const int64_t reals[] = { pp_cell_real(0.1), pp_cell_real(-3), pp_cell_real(1e300),
		                  pp_cell_real(0), pp_cell_real(1) };

	check_cells(PP_INT, signed_ones, "signed");
	check_cells(PP_UINT, unsigned_ones, "unsigned");
	check_cells(PP_REAL, reals, "doubles");
	for (seed = 1; seed <= 10; seed++)
		check_many_cells(seed);
}

/* ---- dictionaries ---- */

/* Chunks of a dictionary into another one; then the same with one byte changed, which must not be taken as it is. */
static void
copy_dict(struct pp_dict *from, struct pp_dict *to)
{
	struct pp_buf chunk = { 0 };
	uint64_t n;
	size_t part, rows = 0, cut;

	ok(pp_dict_init(to, true, 7), "another dictionary");
	for (part = 0; part < PP_DICT_PARTS; part++) {
		struct pp_dict bad;

		chunk.n = 0;
		ok(pp_dict_chunk(from, (enum pp_dict_part)part, &chunk, &n), "part %c",
		   pp_dict_letters[part]);
		for (cut = 0; cut < chunk.n && part < PP_DICT_FUNCS; cut++) {
			pp_dict_init(&bad, false, 1);
			rows += pp_dict_load(&bad, (enum pp_dict_part)part,
			                     pp_slice_of(chunk.p, cut), n) == PP_OK;
			pp_dict_release(&bad);
		}
		ok(pp_dict_load(to, (enum pp_dict_part)part, pp_slice_of(chunk.p, chunk.n), n) ==
		       PP_OK,
		   "is read");
		ok(pp_dict_rows(to, (enum pp_dict_part)part) ==
		       pp_dict_rows(from, (enum pp_dict_part)part),
		   "as many rows");
		if (n && part >= PP_DICT_FUNCS)
			ok(pp_dict_load(to, (enum pp_dict_part)part,
			                pp_slice_of("\xff\xff\xff\x7f\xff\xff\xff\x7f", 8),
			                1) == PP_E_INVALID,
			   "what refers to nothing is refused");
	}
	is_u64(rows, 0, "no part of a chunk is taken for a whole one");
	pp_buf_release(&chunk);
}

/* ---- profiles ---- */

struct sums {
	struct pp_cell_sums of[2];
	struct pp_own_facts facts;
	struct pp_buf shape, sub, own;
};

static void
sums_add(struct sums *s, const struct pp_packed *packed)
{
	size_t i;

	for (i = 0; i < packed->cells.n; i++)
		ok(pp_cells_sum(&s->of[packed->cells.at[i].metric], PP_INT,
		                pp_slice_of(packed->cells.at[i].data.p, packed->cells.at[i].data.n),
		                &packed->cells.at[i].sum),
		   "cells");
	ok(pp_own_add(pp_slice_of(packed->own.p, packed->own.n), &s->facts), "facts");
}

static void
is_alike(const struct pp_profile *p, const struct pp_profile *expected, const char *what)
{
	const pp_format *folded = pp_format_find("folded");
	void *a = NULL, *b = NULL;
	size_t n = 0, m = 0;

	ok(pp_write_memory(p, folded, NULL, NULL, &a, &n) == PP_OK &&
	       pp_write_memory(expected, folded, NULL, NULL, &b, &m) == PP_OK && n == m &&
	       memcmp(a, b, n) == 0,
	   "%s: the same stacks", what);
	pp_free(a);
	pp_free(b);
}

static void
is_flat(const struct pp_profile *p, const struct pp_profile *expected)
{
	struct pp_flat a, b;
	size_t row, other, wrong = 0;

	ok(pp_flat_compute(p, &a) == PP_OK && pp_flat_compute(expected, &b) == PP_OK, "computed");
	for (row = 0; row < b.n; row++) {
		struct pp_slice name = pp_text_of(expected, expected->funcs.at[b.func[row]].name);

		for (other = 0; other < a.n; other++)
			if (pp_slice_eq(name, pp_text_of(p, p->funcs.at[a.func[other]].name)))
				break;
		wrong += other == a.n || a.self[other].i != b.self[row].i ||
		         a.total[other].i != b.total[row].i;
	}
	ok(wrong == 0 && a.n == b.n && a.whole[0].i == b.whole[0].i, "the same costs of functions");
	pp_flat_release(&a);
	pp_flat_release(&b);
}

static void
check_costs(const struct pp_dict *d, const struct sums *s, const struct pp_profile *expected,
            bool can)
{
	struct pp_profile *costs = NULL;
	struct pp_shape shape;

	ok(pp_shape_read(&shape, pp_slice_of(s->shape.p, s->shape.n), 3) == PP_OK, "a shape");
	ok((pp_unpack_costs(d, &shape, s->of, &s->facts, &costs) == PP_OK) == can,
	   "costs of functions");
	if (costs)
		is_flat(costs, expected);
	pp_profile_free(costs);
	pp_shape_release(&shape);
}

static void
check_whole(const struct pp_dict *d, const struct sums *s, const struct pp_profile *expected)
{
	struct pp_unpack u = { .dict = d };
	struct pp_profile *whole = NULL;
	struct pp_shape shape;

	ok(pp_shape_read(&shape, pp_slice_of(s->shape.p, s->shape.n), 3) == PP_OK, "a shape");
	ok(pp_unpack_add(&u, pp_slice_of(s->sub.p, s->sub.n), s->of, 1, false) == PP_OK &&
	       pp_unpack_profile(&u, &shape, &s->facts, &whole) == PP_OK,
	   "a profile");
	if (whole) {
		is_alike(whole, expected, "the sum");
		is_flat(whole, expected);
		is_u64(whole->tree.n, expected->tree.n, "as many nodes");
	}
	pp_profile_free(whole);
	pp_unpack_release(&u);
	pp_shape_release(&shape);
}

/* Sums of files from..FILES-1 over a dictionary that has seen all of them. */
static void
check_sum(struct pp_dict *packing, const struct pp_dict *reading, struct pp_profile *const *files,
          size_t from, bool costs)
{
	struct sums s = { 0 };
	struct pp_profile *merged = NULL;
	size_t i;

	for (i = 0; i < 2; i++) {
		s.of[i].ids = (uint32_t)reading->stacks.n;
		s.of[i].sum = calloc(s.of[i].ids, sizeof *s.of[i].sum);
		s.of[i].zero = calloc(s.of[i].ids / 64 + 1, sizeof *s.of[i].zero);
	}
	for (i = from; i < FILES; i++) {
		const struct pp_pack_input input = { .size = 10 };
		struct pp_packed packed;

		ok(pp_pack(packing, files[i], &input, &packed) == PP_OK, "file %zu again", i);
		sums_add(&s, &packed);
		if (i == from) {
			s.shape = packed.shape;
			s.sub = packed.subs.at[0];
			packed.shape = packed.subs.at[0] = (struct pp_buf){ 0 };
		}
		pp_packed_release(&packed);
	}
	ok(pp_profile_merge(files + from, FILES - from, NULL, &merged) == PP_OK, "merged");
	check_whole(reading, &s, merged);
	check_costs(reading, &s, merged, costs);
	pp_profile_free(merged);
	for (i = 0; i < 2; i++) {
		free(s.of[i].sum);
		free(s.of[i].zero);
	}
	pp_buf_release(&s.shape);
	pp_buf_release(&s.sub);
}

static void
check_profiles(void)
{
	struct pp_profile *files[FILES];
	struct pp_dict packing, reading, shrunk;
	uint64_t used[8] = { 1u << 2 };
	uint32_t stack_map[64];
	size_t i;

	ok(pp_dict_init(&packing, true, 5) && pp_dict_ready(&packing) == PP_OK, "a dictionary");
	for (i = 0; i < FILES; i++) {
		const struct pp_pack_input input = { .size = 10 };
		struct pp_packed packed;

		files[i] = profile_of(inputs[i]);
		ok(pp_pack_possible(files[i], 0) && !pp_pack_possible(files[i], 1),
		   "can be packed");
		ok(pp_pack(&packing, files[i], &input, &packed) == PP_OK, "file %zu", i);
		pp_packed_release(&packed);
	}
	copy_dict(&packing, &reading);
	ok(pp_dict_ready(&reading) == PP_OK, "ready");
	check_sum(&packing, &reading, files, 0, false); /* a stack costs 0 */
	check_sum(&packing, &reading, files, 1, true);
	check_sum(&packing, &reading, files, 2, true);
	ok(pp_dict_init(&shrunk, false, 9) &&
	       pp_dict_shrink(&reading, used, &shrunk, stack_map) == PP_OK,
	   "a smaller dictionary");
	ok(shrunk.stacks.n == 2 && stack_map[2] == 1 && stack_map[1] == 0 &&
	       pp_dict_tree(&shrunk)->n < pp_dict_tree(&reading)->n,
	   "of what is used");
	for (i = 0; i < FILES; i++)
		pp_profile_free(files[i]);
	pp_dict_release(&packing);
	pp_dict_release(&reading);
	pp_dict_release(&shrunk);
}

/* ---- sums as bytes ---- */

/* No beginning of the bytes is taken for all of them, and what damage leaves readable is a profile that can be asked. */
static void
check_damaged(const struct pp_buf *bytes)
{
	struct pp_own_facts facts;
	struct pp_profile *p;
	struct pp_flat flat;
	size_t i, taken = 0, failed = 0;

	for (i = 0; i < bytes->n; i++) {
		taken += pp_stored_sum_read(pp_slice_of(bytes->p, i), &facts, &p) == PP_OK;
		pp_profile_free(p);
	}
	is_u64(taken, 0, "no beginning of a sum is taken for all of it");
	for (i = 0; i < 8 * bytes->n; i++) {
		bytes->p[i / 8] = (char)(bytes->p[i / 8] ^ 1 << i % 8);
		if (pp_stored_sum_read(pp_slice_of(bytes->p, bytes->n), &facts, &p) == PP_OK) {
			failed += pp_flat_compute(p, &flat) != PP_OK;
			pp_flat_release(&flat);
		}
		pp_profile_free(p);
		bytes->p[i / 8] = (char)(bytes->p[i / 8] ^ 1 << i % 8);
	}
	is_u64(failed, 0, "what is read of a damaged one can be asked");
}

/* The sum of a sum and a profile, the inputs above, as polyprof 0.1 wrote it. */
static const unsigned char old_sum[] = {
	0x07, 0x13, 0x04, 0x6d, 0x61, 0x69, 0x6e, 0x01, 0x61, 0x01, 0x62, 0x01, 0x63, 0x03, 0x5b,
	0x78, 0x5d, 0x01, 0x64, 0x01, 0x7a, 0x00, 0x00, 0x07, 0x31, 0x01, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07,
	0x3f, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x0b, 0x16, 0x02, 0x01, 0x02, 0x02, 0x02, 0x03, 0x06, 0x04, 0x02,
	0x02, 0x03, 0x04, 0x0e, 0x05, 0x0e, 0x06, 0x12, 0x07, 0x03, 0x07, 0x03, 0x07, 0x07, 0x07,
	0x04, 0x02, 0x06, 0x02, 0x02, 0x06, 0x03, 0x2c, 0x06, 0x66, 0x6f, 0x6c, 0x64, 0x65, 0x64,
	0x00, 0x00, 0x04, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x07, 0x73,
	0x61, 0x6d, 0x70, 0x6c, 0x65, 0x73, 0x00, 0x00, 0x07, 0x73, 0x61, 0x6d, 0x70, 0x6c, 0x65,
	0x73, 0x02, 0x08, 0x0a, 0x00, 0x00, 0x00, 0x03, 0x03, 0x00, 0x00, 0x01, 0x0a, 0x00, 0x00,
	0x00, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x01, 0x02, 0x01, 0x0e, 0x01,
	0x18, 0x01, 0x00, 0x01, 0x04, 0x01, 0x12, 0x01, 0x02,
};

static void
check_stored_sum(void)
{
	struct pp_profile *files[FILES], *merged = NULL, *sum = NULL;
	struct pp_buf bytes = { 0 };
	struct pp_own_facts facts;
	size_t i;

	pp_buf_add(&bytes, old_sum, sizeof old_sum);
	for (i = 0; i < FILES; i++)
		files[i] = profile_of(inputs[i]);
	ok(pp_stored_sum_read(pp_slice_of(bytes.p, bytes.n), &facts, &sum) == PP_OK, "is read");
	is_u64(facts.profiles, FILES, "counts each profile");
	ok(pp_profile_merge(files, FILES, NULL, &merged) == PP_OK, "merged");
	if (sum && merged) {
		is_flat(sum, merged);
		is_u64(sum->tree.n, merged->tree.n, "as many nodes");
	}
	check_damaged(&bytes);
	for (i = 0; i < FILES; i++)
		pp_profile_free(files[i]);
	pp_profile_free(merged);
	pp_profile_free(sum);
	pp_buf_release(&bytes);
}

int
main(void)
{
	check_all_cells();
	check_profiles();
	check_stored_sum();
	return tap_done();
}
