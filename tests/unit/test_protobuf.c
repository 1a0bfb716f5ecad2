/*
 * Protobuf's wire format: what is taken apart, what is refused and at which byte. Each text stands in memory of exactly its size, so
 * that the sanitizer sees a byte too many.
 */
#include "tap.h"

#include "text/protobuf.h"

static struct pp_slice
exactly(const void *text, size_t n)
{
	unsigned char *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, text, n);
	return pp_slice_of(copy, n);
}

/* Goes through a message; how many fields there were. */
static size_t
walk(struct pp_wire *w, struct pp_slice message, struct pp_wire_field *last)
{
	size_t n = 0;

	pp_wire_init(w, message);
	while (pp_wire_next(w, last))
		n++;
	return n;
}

static void
expect(const char *what, const char *bytes, size_t size, enum pp_wire_error error, size_t at)
{
	struct pp_slice message = exactly(bytes, size);
	struct pp_wire_field f = { 0 };
	struct pp_wire w;

	(void)walk(&w, message, &f);
	ok(w.error == error && (error == PP_WIRE_OK || w.error_at == message.p + at), "%s: %s",
	   what, pp_wire_error_text(w.error));
	free((void *)(uintptr_t)message.p);
}

#define EXPECT(what, bytes, error, at) expect(what, bytes, sizeof(bytes) - 1, error, at)

static void
test_fields(void)
{
	static const char text[] = "\x08\x96\x01" /* 1: 150 */
	                           "\x12\x03"     /* 2: three bytes */
	                           "abc"
	                           "\x1d\x01\x02\x03\x04"                 /* 3: four bytes */
	                           "\x21\x01\x00\x00\x00\x00\x00\x00\x80" /* 4: eight */
	                           "\x2b\x08\x05\x2c";                    /* 5: a group with 1: 5 */
	struct pp_slice message = exactly(text, sizeof text - 1);
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, message);
	ok(pp_wire_next(&w, &f) && f.number == 1 && f.type == PP_WIRE_VARINT && f.value == 150,
	   "a varint");
	ok(pp_wire_next(&w, &f) && f.number == 2 && pp_slice_eq_z(f.bytes, "abc"), "bytes");
	ok(pp_wire_field_bytes(&w, &f).n == 5, "a field with its number");
	ok(pp_wire_next(&w, &f) && f.type == PP_WIRE_FIXED32 && f.value == 0x04030201,
	   "four bytes");
	ok(pp_wire_next(&w, &f) && f.type == PP_WIRE_FIXED64 && f.value == 0x8000000000000001,
	   "eight bytes");
	ok(pp_wire_next(&w, &f) && f.type == PP_WIRE_GROUP && f.bytes.n == 2, "a group");
	ok(!pp_wire_next(&w, &f) && w.error == PP_WIRE_OK, "the end");
	free((void *)(uintptr_t)message.p);
}

static void
test_varints(void)
{
	static const char list[] =
	    "\x00\x7f\x80\x01\x85\x80\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
	const uint64_t values[] = { 0, 127, 128, 5, UINT64_MAX, UINT64_MAX };
	struct pp_slice packed = exactly(list, sizeof list - 1);
	struct pp_wire w;
	uint64_t v;
	size_t i;

	pp_wire_init(&w, packed);
	for (i = 0; i < PP_COUNT_OF(values); i++)
		ok(pp_wire_varint(&w, &v) && v == values[i], "number %zu of a packed list", i);
	ok(!pp_wire_varint(&w, &v) && w.error == PP_WIRE_OK, "the end of the list");
	ok(w.overflow_at == packed.p + 18, "the excess of a number is noted");
	free((void *)(uintptr_t)packed.p);
}

static void
test_errors(void)
{
	EXPECT("nothing", "", PP_WIRE_OK, 0);
	EXPECT("an empty field", "\x0a\x00", PP_WIRE_OK, 0);
	EXPECT("a number that is cut", "\x08\x96", PP_WIRE_VARINT_CUT, 1);
	EXPECT("a number that is missing", "\x08", PP_WIRE_VARINT_CUT, 0);
	EXPECT("the number of a field that is cut", "\x08\x01\x88", PP_WIRE_VARINT_CUT, 2);
	EXPECT("eleven bytes", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
	       PP_WIRE_VARINT_LONG, 1);
	EXPECT("a length that is too large",
	       "\x08\x01\x0a\x03"
	       "ab",
	       PP_WIRE_CUT, 2);
	EXPECT("a length of 2^62", "\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x40", PP_WIRE_CUT, 0);
	EXPECT("a length of 2^64-1", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", PP_WIRE_CUT,
	       0);
	EXPECT("eight bytes that are cut", "\x09\x01\x02\x03", PP_WIRE_CUT, 0);
	EXPECT("four bytes that are cut", "\x0d\x01", PP_WIRE_CUT, 0);
	EXPECT("number 0", "\x08\x01\x00\x01", PP_WIRE_NUMBER, 2);
	EXPECT("type 6", "\x0e", PP_WIRE_TYPE, 0);
	EXPECT("type 7", "\x0f", PP_WIRE_TYPE, 0);
	EXPECT("the end of no group", "\x0c", PP_WIRE_UNGROUPED, 0);
	EXPECT("a group without end", "\x0b\x08\x01", PP_WIRE_UNGROUPED, 0);
	EXPECT("a group with another's end", "\x0b\x14", PP_WIRE_UNGROUPED, 1);
	EXPECT("groups in groups", "\x0b\x13\x1b\x1c\x14\x0c\x08\x01", PP_WIRE_OK, 0);
}

/* As deep as it may be, and one deeper. */
static void
test_depth(void)
{
	size_t depth, i;

	for (depth = PP_WIRE_NESTING; depth <= PP_WIRE_NESTING + 1; depth++) {
		unsigned char *text = malloc(2 * depth);
		struct pp_wire_field f = { 0 };
		struct pp_wire w;

		for (i = 0; text && i < depth; i++) {
			text[i] = 0x0b;
			text[depth + i] = 0x0c;
		}
		(void)walk(&w, pp_slice_of(text, 2 * depth), &f);
		ok(w.error == (depth > PP_WIRE_NESTING ? PP_WIRE_DEEP : PP_WIRE_OK), "%zu groups",
		   depth);
		free(text);
	}
}

/* Any bytes: it ends, within them. */
static void
test_noise(void)
{
	uint64_t state = 88172645463325252u;
	size_t turn, i, fields = 0;
	bool within = true;

	for (turn = 0; turn < 20000; turn++) {
		unsigned char noise[48];
		struct pp_slice message;
		struct pp_wire_field f = { 0 };
		struct pp_wire w;

		for (i = 0; i < sizeof noise; i++) {
			state ^= state << 13, state ^= state >> 7, state ^= state << 17;
			noise[i] = (unsigned char)(state & 1 ? state >> 8 & 0x1f : state >> 16);
		}
		message = exactly(noise, state >> 32 & 31);
		pp_wire_init(&w, message);
		while (pp_wire_next(&w, &f)) {
			fields++;
			within &= w.cur <= message.p + message.n &&
			          (!f.bytes.n || f.bytes.p + f.bytes.n <= message.p + message.n);
		}
		within &= !w.error ||
		          (w.error_at >= message.p && w.error_at <= message.p + message.n);
		free((void *)(uintptr_t)message.p);
	}
	ok(within && fields > 1000, "noise: %zu fields, all within their messages", fields);
}

int
main(void)
{
	test_fields();
	test_varints();
	test_errors();
	test_depth();
	test_noise();
	return tap_done();
}
