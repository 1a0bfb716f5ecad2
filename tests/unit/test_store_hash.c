/* What a store knows things by: BLAKE2b against RFC 7693 and another implementation, parts that cannot be mistaken, labels. */
#include "tap.h"

#include "store/hash.h"
#include "store/hash_lanes.h"
#include "store/label_set.h"
#include "store/seal.h"

static void
is_hash(const unsigned char *digest, size_t n, const char *expected, const char *what)
{
	struct pp_buf hex = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		pp_buf_addf(&hex, "%02x", digest[i]);
	is_text(hex.p, expected, "%s", what);
	pp_buf_release(&hex);
}

static void
check_vectors(void)
{
	unsigned char data[1100], out[64];
	struct pp_blake2b b, all;
	size_t n, step;

	pp_blake2b_init(&b, 64);
	pp_blake2b_add(&b, "abc", 3);
	pp_blake2b_end(&b, out);
	is_hash(out, 64,
	        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
	        "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
	        "the vector of RFC 7693");
	pp_digest_begin(&b);
	pp_digest_end(&b, out);
	is_hash(out, 16, "cae66941d9efbd404e4d88758ea67670", "nothing");
	for (n = 0; n < sizeof data; n++)
		data[n] = (unsigned char)(n * 7 + 3);
	pp_digest_begin(&all);
	for (n = 0; n < sizeof data; n++) {
		size_t at;

		pp_digest_begin(&b);
		for (at = 0, step = n % 150 + 1; at < n; at += step)
			pp_blake2b_add(&b, data + at, at + step < n ? step : n - at);
		pp_digest_end(&b, out);
		pp_blake2b_add(&all, out, 16);
	}
	pp_digest_end(&all, out);
	is_hash(out, 16, "527b2b7c4ab866696b3f5c529f585992",
	        "all lengths to 1,099, added in pieces");
}

static void
check_parts(void)
{
	static const unsigned char root[PP_DIGEST];
	struct pp_stated_time none = { 0 }, five = { true, 5 };
	struct pp_buf key = { 0 };
	struct pp_blake2b b;
	unsigned char out[PP_DIGEST];
	char hex[2 * PP_DIGEST + 1];

	pp_digest_begin(&b);
	pp_digest_part(&b, pp_slice_z("ab"));
	pp_digest_part(&b, pp_slice_z("c"));
	pp_digest_end(&b, out);
	is_hash(out, 16, "4826ed043ab3cdec576d8541fa5d5a80",
	        "parts have their lengths before them");
	pp_function_key(&key, pp_slice_z("ma\\in\x1f"), pp_slice_z(""), 0, pp_slice_z(""));
	is_text(key.p, "ma\\\\in\\\x1f", "what is known of a function by its name, escaped");
	key.n = 0;
	pp_function_key(&key, pp_slice_z("main"), pp_slice_z("a.c"), 12, pp_slice_z("lib"));
	is_text(key.p,
	        "main\x1f"
	        "fa.c\x1fl12\x1fmlib",
	        "and by file, line and module");
	pp_node_digest(root, pp_slice_of(key.p, key.n), out);
	is_hash(out, 16, "5c231d1719702eb11784f778e047fd84", "a node");
	pp_profile_digest_init(&b, pp_slice_z("{\"a\":\"1\"}"), five, none, 9);
	pp_blake2b_add(&b, "main;f 1\n", 9);
	pp_digest_end(&b, out);
	pp_digest_hex(out, hex);
	is_text(hex, "b4ef99de57fac4efa009bb4aa3c0f0d2", "a profile");
	pp_buf_release(&key);
}

/* Keys of all lengths to 1,000, then of any: mixed, so that lanes end at different blocks. */
#define KEYS 3000
#define LENGTH_MAX 1000

static size_t
key_length(size_t i, uint32_t *random)
{
	*random = *random * 1664525 + 1013904223;
	return i <= LENGTH_MAX ? i : (*random >> 8) % (LENGTH_MAX + 1);
}

static void
check_lanes(pp_lanes_mix *mix, const char *what)
{
	static unsigned char data[LENGTH_MAX + KEYS + PP_LANES_BEHIND], out[KEYS][PP_DIGEST];
	static struct pp_node_job jobs[KEYS];
	unsigned char expected[PP_DIGEST];
	uint32_t random = 1;
	size_t i, same = 0;

	for (i = 0; i < sizeof data; i++)
		data[i] = (unsigned char)(i * i * 31 + i * 7 + 3);
	memset(out, 0, sizeof out);
	for (i = 0; i < KEYS; i++)
		jobs[i] = (struct pp_node_job){ data + i % 900,
			                        pp_slice_of(data + i, key_length(i, &random)),
			                        out[i] };
	pp_node_digests(jobs, KEYS - 1, mix);
	for (i = 0; i < KEYS - 1; i++) {
		pp_node_digest(jobs[i].parent, jobs[i].frame_key, expected);
		same += memcmp(expected, out[i], PP_DIGEST) == 0;
	}
	is_u64(same, KEYS - 1, "%s: many digests are the same as one by one", what);
	memset(expected, 0, sizeof expected);
	ok(memcmp(out[KEYS - 1], expected, PP_DIGEST) == 0, "%s: and none is written behind", what);
}

/* A chain, a bush, and what is between. */
static size_t
member_parent(size_t i, size_t bush)
{
	return i % 100 == 1 ? 0 : i - 1 - i % bush % i;
}

/* Every `other` node, from the last to the first, has its digest among those of a table with two words for each; some are there. */
static void
check_family(size_t bush, bool elsewhere)
{
	enum { N = 500, THERE = 150 };
	static const char text[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	static unsigned char one[N][PP_DIGEST], many[N + 1][2 * PP_DIGEST];
	struct pp_frame_text frames[27];
	uint64_t key[N] = { 0 };
	uint32_t number[N] = { 0 };
	struct pp_node_family f = { N,
		                    key,
		                    frames,
		                    (const unsigned char *)text,
		                    many[0],
		                    sizeof many[0],
		                    elsewhere ? number : NULL,
		                    elsewhere ? THERE : 1 };
	size_t i, same = 0;

	memset(many, 0, sizeof many);
	for (i = 0; i < PP_COUNT_OF(frames); i++)
		frames[i] = (struct pp_frame_text){ i % 3, i, 0 };
	for (i = 1; i < N; i++) {
		key[i] = (uint64_t)member_parent(i, bush) << 32 | i % PP_COUNT_OF(frames);
		pp_node_digest(
		    one[key[i] >> 32],
		    pp_slice_of(text + i % PP_COUNT_OF(frames) % 3, i % PP_COUNT_OF(frames)),
		    one[i]);
		number[i] = i < THERE ? (uint32_t)i : (uint32_t)(N + THERE - i);
		if (elsewhere && i < THERE)
			memcpy(many[i], one[i], PP_DIGEST);
	}
	ok(pp_node_family_digest(&f), "a family of %zu", bush);
	for (i = 0; i < N; i++)
		same += memcmp(many[elsewhere ? number[i] : i], one[i], PP_DIGEST) == 0;
	is_u64(same, N, "has the same digests as one by one%s", elsewhere ? ", elsewhere" : "");
	f.n = 1;
	ok(pp_node_family_digest(&f), "nobody");
}

static void
check_many(void)
{
	char what[32];
	size_t nth;

	check_lanes(NULL, "no lanes");
	for (nth = 0; pp_lanes_mixer(nth); nth++) {
		snprintf(what, sizeof what, "lanes %zu", nth);
		check_lanes(pp_lanes_mixer(nth), what);
	}
	for (nth = 0; nth < 2; nth++) {
		check_family(1, nth);
		check_family(7, nth);
		check_family(90, nth);
	}
}

static void
check_labels(const struct pp_store_label *labels, size_t n, const char *expected, const char *what)
{
	struct pp_buf out = { 0 }, problem = { 0 };
	struct pp_label_set set = { 0 };
	pp_status status = pp_labels_canonical(labels, n, &out, &problem);

	if (expected) {
		ok(status == PP_OK, "%s", what);
		is_slice_z(pp_slice_of(out.p, out.n), expected, "%s", what);
		ok(pp_label_set_read(&set, pp_slice_of(out.p, out.n)) == PP_OK, "read back");
		for (; n; n--)
			ok(pp_slice_eq(pp_label_set_get(&set, labels[n - 1].key),
			               labels[n - 1].value),
			   "a value");
	} else {
		ok(status == PP_E_USAGE && problem.n > 0, "%s: %s", what,
		   problem.p ? problem.p : "");
	}
	pp_label_set_release(&set);
	pp_buf_release(&out);
	pp_buf_release(&problem);
}

#define Z(text) pp_slice_of("" text, sizeof text - 1)

static void
check_label_limits(void)
{
	static unsigned char many[PP_LABEL_VALUE_MAX + 1];
	struct pp_store_label pair = { Z("k"), Z("v") };
	struct pp_store_label all[PP_LABELS_MAX + 1];
	char keys[PP_LABELS_MAX + 1][8];
	size_t i;

	memset(many, 'x', sizeof many);
	for (i = 0; i < PP_COUNT_OF(all); i++) {
		snprintf(keys[i], sizeof keys[i], "k%02u", (unsigned)i);
		all[i] = (struct pp_store_label){ pp_slice_z(keys[i]), Z("v") };
	}
	check_labels(all, PP_LABELS_MAX + 1, NULL, "65 labels");
	pair.key = pp_slice_of(many, PP_LABEL_KEY_MAX + 1);
	check_labels(&pair, 1, NULL, "a long key");
	pair = (struct pp_store_label){ Z("k"), pp_slice_of(many, sizeof many) };
	check_labels(&pair, 1, NULL, "a long value");
	pair = (struct pp_store_label){ Z(""), Z("v") };
	check_labels(&pair, 1, NULL, "no key");
	pair = (struct pp_store_label){ Z("a\xff"), Z("v") };
	check_labels(&pair, 1, NULL, "a key that is not UTF-8");
	pair = (struct pp_store_label){ Z("a"), Z("\xc3") };
	check_labels(&pair, 1, NULL, "a value that is not UTF-8");
}

static void
check_not_canonical(const char *text)
{
	struct pp_label_set set = { 0 };

	ok(pp_label_set_read(&set, pp_slice_z(text)) == PP_E_INVALID, "refused: %s", text);
	pp_label_set_release(&set);
}

/* Seals of rows: as tests/store/seals.py has them, and another one for each bit, length and place. */
static void
check_seals(void)
{
	unsigned char data[100];
	uint64_t h = pp_seal_begin("");
	int64_t whole;
	size_t i, seen = 0;

	for (i = 0; i < sizeof data; i++)
		data[i] = (unsigned char)i;
	ok(pp_seal_end(h) == -7453391173147729875, "the seal of nothing");
	h = pp_seal_begin("cells");
	pp_seal_number(&h, 1);
	pp_seal_number(&h, (uint64_t)-2);
	pp_seal_bytes(&h, NULL, 0);
	ok(pp_seal_end(h) == 5560025652891908984, "of numbers");
	h = pp_seal_begin("dict");
	pp_seal_bytes(&h, "abc", 3);
	ok(pp_seal_end(h) == 8102236654472325837, "of few bytes");
	h = pp_seal_begin("x");
	pp_seal_bytes(&h, data, sizeof data);
	whole = pp_seal_end(h);
	ok(whole == 2107018904712638349, "of more");
	for (i = 0; i < 8 * sizeof data; i++) {
		data[i / 8] ^= (unsigned char)(1 << i % 8);
		h = pp_seal_begin("x");
		pp_seal_bytes(&h, data, sizeof data);
		seen += pp_seal_end(h) != whole;
		data[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	is_u64(seen, 8 * sizeof data, "each bit is seen");
	memset(data, 0, sizeof data);
	for (i = 0, seen = 0; i < sizeof data; i++) {
		uint64_t one = pp_seal_begin("x"), other = one;

		pp_seal_bytes(&one, data, i);
		pp_seal_bytes(&other, data, i + 1);
		seen += pp_seal_end(one) != pp_seal_end(other);
	}
	is_u64(seen, sizeof data, "each length, too");
}

int
main(void)
{
	const struct pp_store_label plain[] = {
		{ Z("b"), Z("2") }, { Z("a"), Z("1") }, { Z("b"), Z("2") }, { Z("c"), Z("") }
	};
	const struct pp_store_label odd[] = { { Z("k\"\\"), Z("\n\0\xc3\xa9") } };
	const struct pp_store_label twice[] = { { Z("b"), Z("2") }, { Z("b"), Z("3") } };
	struct pp_store_label pair;

	check_vectors();
	check_seals();
	check_parts();
	check_many();
	check_labels(NULL, 0, "{}", "no labels");
	check_labels(plain, 4, "{\"a\":\"1\",\"b\":\"2\"}", "keys in order, empty ones left out");
	check_labels(odd, 1, "{\"k\\\"\\\\\":\"\\u000a\\u0000\xc3\xa9\"}", "any text");
	check_labels(twice, 2, NULL, "two values");
	check_label_limits();
	check_not_canonical("");
	check_not_canonical("[]");
	check_not_canonical("{\"a\":1}");
	check_not_canonical("{\"a\":\"1\"} x");
	check_not_canonical("{\"b\":\"1\",\"a\":\"1\"}");
	check_not_canonical("{\"a\":\"1\",\"a\":\"1\"}");
	check_not_canonical("{\"a\":\"1\"");
	ok(pp_label_split(pp_slice_z("a=b=c"), &pair) && pair.value.n == 3,
	   "a label as it is typed");
	ok(!pp_label_split(pp_slice_z("=b"), &pair) && !pp_label_split(pp_slice_z("b"), &pair),
	   "and none");
	return tap_done();
}
