/*
 * Recognition by bids, with formats made for the purpose: this program has its own table of them.
 */
#include "tap.h"

#include "api/api.h"

/* Bids are the number written in the input behind the format's letter: "a5 b3" is 5 for a, 3 for b. */
static int
bid_of(const struct pp_peek *peek, unsigned char letter)
{
	size_t i;

	for (i = 0; i + 1 < peek->head.n; i++)
		if (peek->head.p[i] == letter)
			return peek->head.p[i + 1] - '0';
	return 0;
}

static int
a_bid(const struct pp_peek *peek)
{
	return bid_of(peek, 'a');
}

static int
b_bid(const struct pp_peek *peek)
{
	return bid_of(peek, 'b');
}

static pp_status
read_nothing(struct pp_reader *reader, struct pp_builder *builder)
{
	(void)reader;
	(void)builder;
	return PP_OK;
}

static const struct pp_rule no_rules[] = { { 0 } };
static const struct pp_format format_a = { .name = "a",
	                                   .title = "A",
	                                   .extensions = "aaa",
	                                   .can = PP_CAN_READ,
	                                   .bid = a_bid,
	                                   .read = read_nothing,
	                                   .rules = no_rules };
static const struct pp_format format_b = { .name = "b",
	                                   .title = "B",
	                                   .extensions = "bbb b",
	                                   .can = PP_CAN_READ,
	                                   .bid = b_bid,
	                                   .read = read_nothing,
	                                   .rules = no_rules };
static const struct pp_format format_w = {
	.name = "w", .title = "W", .extensions = "www", .can = PP_CAN_WRITE, .rules = no_rules
};

const struct pp_format *const pp_formats[] = { &format_w, &format_b, &format_a, NULL };

static void
check(const char *text, const char *name, const char *from, pp_status expected, const char *format)
{
	struct pp_read_opts opts = { .from = from, .threads = 1 };
	struct pp_diags diags;
	pp_profile *p;
	pp_status status;

	pp_diags_init(&diags);
	status = pp_read_memory(text, strlen(text), name, &opts, &diags, &p);
	is_u64(status, expected, "'%s' as %s%s%s: the status", text, name, from ? " from " : "",
	       from ? from : "");
	if (status == PP_OK)
		is_text(pp_format_name(pp_profile_format(p)), format, "and the format");
	if (expected == PP_E_AMBIGUOUS)
		is_u64(pp_diags_of_rule(&diags, pp_rule_find("io-ambiguous-format")), 1,
		       "and the rule");
	if (expected == PP_E_UNKNOWN)
		is_u64(pp_diags_of_rule(&diags, pp_rule_find("io-unknown-format")), 1,
		       "and the rule");
	if (expected == PP_E_INVALID)
		is_u64(pp_diags_of_rule(&diags, pp_rule_find("io-nothing-usable")), 1,
		       "and the rule");
	pp_profile_free(p);
	pp_diags_release(&diags);
}

int
main(void)
{
	check("a5 b3", "x", NULL, PP_OK, "a");
	check("a3 b5", "x", NULL, PP_OK, "b");
	check("a3 b5", "x.aaa", NULL, PP_OK, "b");
	check("a5 b5", "x", NULL, PP_E_AMBIGUOUS, NULL);
	check("a5 b5", "x.aaa", NULL, PP_OK, "a");
	check("a5 b5", "x.b", NULL, PP_OK, "b");
	check("a5 b5", "x.ccc", NULL, PP_E_AMBIGUOUS, NULL);
	check("a5 b5", "x", "b", PP_OK, "b");
	check("a0 b0", "x.aaa", NULL, PP_E_UNKNOWN, NULL);
	check("", "x", NULL, PP_E_UNKNOWN, NULL);
	/* Nothing of the format that is named is refused; an intact empty file is not. */
	check("a0 b0", "x", "a", PP_E_INVALID, NULL);
	check("a1 b0", "x", "a", PP_OK, "a");
	check("", "x", "a", PP_OK, "a");
	check(" \n", "x", "a", PP_OK, "a");
	return tap_done();
}
