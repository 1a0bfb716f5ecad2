/* Diagnostics: kept in order, capped by rule, merged as if one thread had found them. */
#include "tap.h"

#include "base/diag.h"

static const struct pp_rule rule_a = { "test-a", PP_ERROR, "an error", "why" };
static const struct pp_rule rule_b = { "test-b", PP_WARNING, "a warning", "why" };

static void
check_order(void)
{
	struct pp_diags d;

	pp_diags_init(&d);
	pp_diags_set_file(&d, "x.folded");
	pp_diag_add(&d, &rule_b, pp_at_line(1, 2, 3), "count is %d", 7);
	pp_diag_add(&d, &rule_a, pp_at_offset(9), "plain");
	pp_diag_add(&d, &rule_b, PP_NOWHERE, "last");
	is_u64(pp_diags_count(&d), 3, "three findings");
	is_text(pp_diags_get(&d, 0)->message, "count is 7", "the message");
	is_text(pp_diags_get(&d, 0)->file, "x.folded", "the file");
	ok(pp_diags_get(&d, 1)->rule == &rule_a && pp_diags_get(&d, 1)->offset == 9, "the second");
	ok(pp_diags_get(&d, 2)->offset == PP_NO_OFFSET && pp_diags_get(&d, 3) == NULL, "the last");
	is_u64(pp_diags_total(&d, PP_NOTE), 3, "all");
	is_u64(pp_diags_total(&d, PP_ERROR), 1, "errors");
	is_u64(pp_diags_of_rule(&d, &rule_b), 2, "of one rule");
	pp_diags_release(&d);
}

static void
check_cap(void)
{
	struct pp_diags d, all;
	int i;

	pp_diags_init(&d);
	pp_diags_init(&all);
	d.cap_per_rule = all.cap_per_rule = 5;
	for (i = 0; i < 20; i++)
		pp_diag_add(&d, &rule_a, PP_NOWHERE, "again");
	pp_diag_add(&d, &rule_b, PP_NOWHERE, "other");
	is_u64(pp_diags_count(&d), 6, "five kept, and the other");
	is_u64(pp_diags_total(&d, PP_ERROR), 20, "all counted");
	pp_diags_append(&all, &d, 0);
	pp_diags_append(&all, &d, 0);
	is_u64(pp_diags_count(&all), 7, "capped in merging too");
	is_u64(pp_diags_total(&all, PP_ERROR), 40, "and all counted");
	pp_diags_release(&d);
	pp_diags_release(&all);
}

/* What two threads find, put together, is what one would have found, in the same order. */
static void
check_merge(void)
{
	static const struct pp_rule *const found[] = { &rule_a, &rule_b, &rule_a,
		                                       &rule_b, &rule_b, &rule_a };
	struct pp_diags one, first, second;
	size_t i;
	unsigned wrong = 0;

	pp_diags_init(&one);
	pp_diags_init(&first);
	pp_diags_init(&second);
	for (i = 0; i < PP_COUNT_OF(found); i++) {
		struct pp_diags *part = i < 4 ? &first : &second;

		pp_diag_add(&one, found[i], pp_at_line(i + 1, 1, i), "number %zu", i);
		pp_diag_add(part, found[i], pp_at_line(i < 4 ? i + 1 : i - 3, 1, i), "number %zu",
		            i);
	}
	pp_diags_append(&first, &second, 4);
	is_u64(pp_diags_count(&first), pp_diags_count(&one), "as many");
	for (i = 0; i < pp_diags_count(&one) && i < pp_diags_count(&first); i++) {
		const struct pp_diag *a = pp_diags_get(&one, i), *b = pp_diags_get(&first, i);

		wrong += a->rule != b->rule || a->line != b->line ||
		         strcmp(a->message, b->message) != 0;
	}
	is_u64(wrong, 0, "the same in the same order");
	pp_diags_release(&one);
	pp_diags_release(&first);
	pp_diags_release(&second);
}

static void
check_merge_order(void)
{
	struct pp_diags to, from;

	pp_diags_init(&to);
	pp_diags_init(&from);
	pp_diag_add(&from, &rule_a, pp_at_line(1, 1, 0), "first");
	pp_diag_add(&from, &rule_b, pp_at_line(2, 1, 0), "second");
	pp_diag_add(&from, &rule_a, pp_at_line(3, 1, 0), "third");
	pp_diags_append(&to, &from, 0);
	is_text(pp_diags_get(&to, 1)->message, "second", "appending keeps the order of the input");
	pp_diags_release(&to);
	pp_diags_release(&from);
}

int
main(void)
{
	check_order();
	check_cap();
	check_merge();
	check_merge_order();
	return tap_done();
}
