/* What readers share: slots, slices, units, and the three shapes in which a large input is taken. */
#include "tap.h"

#include "base/limits.h"
#include "base/slots.h"
#include "base/units.h"
#include "formats/kit/whole.h"
#include "formats/kit/parts.h"

enum { MANY = 100000 };

static void
check_slots(void)
{
	struct pp_slots s;
	unsigned wrong = 0;
	uint32_t i;

	ok(pp_slots_init(&s, 4, NULL), "a table of sixteen slots");
	/* Ten rows of each tag. */
	for (i = 1; i <= MANY; i++) {
		wrong += !pp_slots_reserve(&s, 1);
		pp_slots_put(&s, UINT32_MAX - i / 10 * 0x9e3779b1u, i);
	}
	for (i = 1; i <= MANY; i++) {
		uint32_t tag = UINT32_MAX - i / 10 * 0x9e3779b1u, row;
		size_t at = pp_slots_begin(&s, tag);

		while ((row = pp_slots_next(&s, tag, &at)) && row != i)
			;
		wrong += row != i;
	}
	is_u64(wrong, 0, "all rows are found");
	is_u64(s.used, MANY, "their number");
	pp_slots_clear(&s);
	is_u64(s.used + s.at[0].row, 0, "none when it was cleared");
	pp_slots_release(&s);
}

static void
check_slices(void)
{
	struct pp_slice rest = pp_slice_z("one  two\t three \r"), word;
	bool more = true;
	unsigned n = 0;

	while (pp_slice_word(&rest, &word))
		n++;
	is_u64(n, 3, "words");
	rest = pp_slice_z("a||b|");
	for (n = 0; pp_slice_field(&rest, '|', &more, &word); n++)
		ok(word.n == (n == 0 || n == 2), "field %u", n);
	is_u64(n, 4, "fields, the empty ones too");
	rest = pp_slice_z("x\n\ny");
	for (n = 0; pp_slice_line(&rest, &word); n++)
		;
	is_u64(n, 3, "lines");
	rest = pp_slice_z("0x1f");
	ok(pp_slice_take(&rest, "0x") && pp_slice_eq_z(rest, "1f") && !pp_slice_take(&rest, "0x"),
	   "a word at the front");
	ok(pp_slice_ends(pp_slice_z("a.ko"), ".ko") && !pp_slice_ends(pp_slice_z("ko"), ".ko"),
	   "endings");
	ok(pp_slice_eq_z(pp_slice_trim(pp_slice_z(" \ta b\r")), "a b"), "trimmed");
	ok(!pp_slice_line(&(struct pp_slice){ NULL, 0 }, &word), "no line in nothing");
}

static void
check_units(void)
{
	const struct pp_unit *unit = pp_unit_find(PP_UNIT_TIME, pp_slice_z("msec"));

	ok(unit && unit->factor == 1000000 && unit->form == PP_UNIT_SHORT, "msec");
	ok(!pp_unit_find(PP_UNIT_TIME, pp_slice_z("kB")), "kB is no time");
	is_text(pp_unit_symbol(PP_UNIT_TIME, 1000), "us", "a microsecond");
	ok(!pp_unit_symbol(PP_UNIT_TIME, 12), "nothing is 12 ns long");
}

/* An input that shows its text a few bytes at a time. */
struct trickle {
	struct pp_input in;
	char text[64];
	size_t n;
};

static bool
trickle_more(struct pp_input *in, size_t need)
{
	struct trickle *t = (struct trickle *)in;
	const unsigned char *all = (const unsigned char *)t->text, *stop = all + t->n;

	while (in->end < stop && pp_input_left(in) < need)
		in->end = in->end + 3 < stop ? in->end + 3 : stop;
	in->at_end = in->end == stop;
	return pp_input_left(in) >= need;
}

static void
check_runs(const char *text, size_t most, const char *expect)
{
	struct trickle t = { .in = { .more = trickle_more }, .n = strlen(text) };
	struct pp_reader reader = { .in = &t.in, .limits = { .max_line = 20 } };
	struct pp_runs runs = { .reader = &reader, .most = most };
	struct pp_slice run;
	struct pp_buf got = { 0 };
	pp_status status;

	memcpy(t.text, text, t.n);
	t.in.begin = t.in.cur = t.in.end = (const unsigned char *)t.text;
	while ((status = pp_runs_next(&runs, &run)) == PP_OK && run.n) {
		pp_buf_add(&got, run.p, run.n);
		pp_buf_addc(&got, runs.last ? '$' : '|');
		t.in.cur += run.n;
	}
	pp_buf_adds(&got, status == PP_E_LIMIT ? "too long" : "");
	is_text(got.p ? got.p : "", expect, "runs of %zu", most);
	pp_buf_release(&got);
}

static void
check_parts(void)
{
	const char *text = "aaaa\nbb\nccccccccccccccccc\nd\n";
	const unsigned char *cut[5];
	unsigned n = pp_parts_cut(pp_slice_z(text), 4, 1, pp_line_end, cut), i;

	is_u64(n, 3, "parts end with lines, and none is empty");
	for (i = 1; i <= n; i++)
		ok(cut[i][-1] == '\n', "part %u", i);
	is_u64(pp_parts_cut(pp_slice_z(text), 4, 20, pp_line_end, cut), 1, "too little for two");
	is_u64(pp_parts_cut(pp_slice_z(""), 4, 20, pp_line_end, cut), 0, "nothing to cut");
}

/* Rounds over the numbers below `n`: work squares them, take adds them up in order. */
struct sums {
	unsigned next, n, taken, stop_at;
	bool in_order;
	unsigned piece[8];
	uint64_t sum;
};

static bool
sums_fill(void *ctx, unsigned piece)
{
	struct sums *s = ctx;

	s->piece[piece] = s->next;
	return s->next++ < s->n;
}

static void
sums_work(void *ctx, unsigned piece)
{
	struct sums *s = ctx;

	s->piece[piece] *= s->piece[piece];
}

static bool
sums_take(void *ctx, unsigned piece)
{
	struct sums *s = ctx;

	s->in_order &= s->piece[piece] == s->taken * s->taken;
	s->sum += s->piece[piece];
	return ++s->taken != s->stop_at;
}

static void
run_here(struct pp_reader *r, unsigned n, void (*job)(void *ctx, unsigned index), void *ctx)
{
	/* The last first: the order must not matter. */
	while (n-- > 0)
		job(ctx, n);
}

static void
check_rounds(unsigned n, unsigned stop_at)
{
	struct pp_reader reader = { .run = run_here };
	struct sums s = { .n = n, .stop_at = stop_at, .in_order = true };
	struct pp_rounds rounds = { .reader = &reader,
		                    .ctx = &s,
		                    .room = 4,
		                    .fill = sums_fill,
		                    .work = sums_work,
		                    .take = sums_take };
	unsigned end = stop_at && stop_at < n ? stop_at : n;
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < end; i++)
		sum += (uint64_t)i * i;
	is_u64(pp_rounds_run(&rounds), PP_OK, "rounds over %u pieces", n);
	is_u64(s.taken, end, "all that were wanted are taken");
	ok(s.in_order && s.sum == sum, "each once, in order, worked on");
}

static void
check_whole(void)
{
	struct trickle t = { .in = { .more = trickle_more }, .n = 5, .text = "12345" };
	struct pp_reader reader = { .in = &t.in, .limits = { .max_memory = 1 << 20 } };
	struct pp_whole whole = { 0 };

	t.in.begin = t.in.cur = t.in.end = (const unsigned char *)t.text;
	ok(pp_whole_open(&whole, &reader) == PP_OK && reader.in->stable &&
	       pp_slice_eq_z(pp_slice_of(reader.in->cur, pp_input_left(reader.in)), "12345"),
	   "the whole input");
	pp_whole_close(&whole, &reader);
	ok(reader.in == &t.in, "the reader has its own again");
}

int
main(void)
{
	check_slots();
	check_slices();
	check_units();
	check_runs("", 0, "");
	check_runs("ab\ncd\nef", 0, "ab\n|cd\n|ef$");
	check_runs("ab\ncd\nef\n", 0, "ab\n|cd\n|ef\n$");
	check_runs("a\nb\nc\ndefghijk\nl", 4, "a\n|b\nc\n|defghijk\n|l$");
	check_runs("a\nbcdefghijklmnopqrstuvwxyzabcdefgh\n", 0, "a\n|too long");
	check_parts();
	check_rounds(0, 0);
	check_rounds(1, 0);
	check_rounds(5, 0);
	check_rounds(100, 0);
	check_rounds(100, 41);
	check_whole();
	return tap_done();
}
