/*
 * Choosing series by their labels.
 */
#include "model/label_rule.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/units.h"
#include "model/profile.h"

/* ---- what is asked ---------------------------------------------------------------------- */

/* Turns a number of some unit into ns or bytes. */
static void
amount_scale(struct pp_label_amount *a, struct pp_slice unit)
{
	const struct pp_unit *time = pp_unit_find(PP_UNIT_TIME, unit),
	                     *bytes = pp_unit_find(PP_UNIT_BYTES, unit);

	a->of = time ? PP_AMOUNT_TIME : bytes ? PP_AMOUNT_BYTES : PP_AMOUNT_PLAIN;
	if (time || bytes)
		a->value *= (double)(time ? time : bytes)->factor;
}

/* "12", "-3", "1.5ms", "32 kB"; false when it is no number, or of a unit that nobody knows. */
static bool
amount_parse(struct pp_slice text, struct pp_label_amount *a)
{
	size_t n = text.n && text.p[0] == '-' ? 1 : 0;

	while (n < text.n && (pp_is_digit(text.p[n]) ||
	                      (text.p[n] == '.' && n + 1 < text.n && pp_is_digit(text.p[n + 1]))))
		n++;
	if (!pp_num_double(pp_slice_of(text.p, n), &a->value))
		return false;
	text = pp_slice_trim(pp_slice_from(text, n));
	a->given = true;
	if (text.n)
		amount_scale(a, text);
	return text.n == 0 || a->of != PP_AMOUNT_PLAIN;
}

/* A number, or two with dots between them, of which one may be missing. */
static void
range_parse(struct pp_label_rule *rule)
{
	struct pp_slice v = rule->value, from, to;
	size_t dots = 0;
	bool fine;

	while (dots + 1 < v.n && (v.p[dots] != '.' || v.p[dots + 1] != '.'))
		dots++;
	if (dots + 1 >= v.n) {
		fine = amount_parse(v, &rule->from);
		rule->to = rule->from;
	} else {
		from = pp_slice_of(v.p, dots);
		to = pp_slice_of(v.p + dots + 2, v.n - dots - 2);
		fine = from.n + to.n > 0 && (from.n == 0 || amount_parse(from, &rule->from)) &&
		       (to.n == 0 || amount_parse(to, &rule->to));
	}
	if (!fine)
		rule->from = rule->to = (struct pp_label_amount){ 0 };
}

bool
pp_label_rule_parse(struct pp_label_rule *rule, struct pp_slice text, struct pp_buf *problem)
{
	size_t at = 0;

	*rule = (struct pp_label_rule){ 0 };
	while (at < text.n && text.p[at] != '=' && text.p[at] != '~')
		at++;
	rule->negated = at > 0 && at < text.n && text.p[at - 1] == '!';
	rule->key = pp_slice_of(text.p, at - rule->negated);
	if (at == text.n || rule->key.n == 0) {
		pp_buf_addf(problem, "'%.*s' chooses no label; write KEY=VALUE or KEY~RE",
		            (int)(text.n < 100 ? text.n : 100), (const char *)text.p);
		return false;
	}
	rule->value = pp_slice_from(text, at + 1);
	if (text.p[at] == '=') {
		range_parse(rule);
		return true;
	}
	rule->regex = pp_regex_new(rule->value, problem);
	return rule->regex != NULL;
}

void
pp_label_rule_release(struct pp_label_rule *rule)
{
	pp_regex_free(rule->regex);
}

/* ---- what it chooses -------------------------------------------------------------------- */

static bool
text_matches(const struct pp_label_rule *rule, struct pp_slice text, enum pp_regex_result *how)
{
	enum pp_regex_result found;

	if (!rule->regex)
		return pp_slice_eq(rule->value, text);
	found = pp_regex_match(rule->regex, text);
	if (found != PP_REGEX_NO && found != PP_REGEX_YES)
		*how = found;
	return found == PP_REGEX_YES;
}

bool
pp_label_rule_text(const struct pp_label_rule *rule, struct pp_slice text)
{
	enum pp_regex_result how = PP_REGEX_YES;
	bool matches = text.n ? text_matches(rule, text, &how) : rule->value.n == 0 && !rule->regex;

	return how == PP_REGEX_YES && matches != rule->negated;
}

/* A number without a unit is meant as the label has it. */
static bool
amount_within(const struct pp_label_amount *limit, int64_t number, struct pp_slice unit, int side)
{
	struct pp_label_amount is = { .value = (double)number };

	if (limit->of != PP_AMOUNT_PLAIN) {
		amount_scale(&is, unit);
		if (is.of != limit->of)
			return false;
	}
	return side < 0 ? is.value >= limit->value : is.value <= limit->value;
}

static bool
label_matches(const struct pp_profile *p, const struct pp_label_rule *rule,
              const struct pp_label_row *row, struct pp_buf *text, enum pp_regex_result *how)
{
	struct pp_slice unit = pp_text_of(p, row->unit);

	text->n = 0;
	pp_label_print(p, row, text);
	if (text_matches(rule, pp_slice_of(text->p ? text->p : "", text->n), how))
		return true;
	if (row->type != PP_LABEL_NUMBER || rule->regex || !(rule->from.given || rule->to.given))
		return false;
	return (!rule->from.given || amount_within(&rule->from, row->number, unit, -1)) &&
	       (!rule->to.given || amount_within(&rule->to, row->number, unit, 1));
}

/* By set: whether one of its labels of the key matches. NULL when out of memory. */
static bool *
sets_match(const struct pp_profile *p, const struct pp_label_rule *rule, pp_str key,
           enum pp_regex_result *how)
{
	bool *matches = calloc(p->labels.n + 1, sizeof *matches);
	struct pp_buf text = { 0 };
	size_t i;

	for (i = 1; matches && i < p->labels.n && *how == PP_REGEX_YES; i++) {
		const struct pp_label_row *row = &p->labels.at[i];

		matches[i] = matches[row->rest] ||
		             (row->key == key && label_matches(p, rule, row, &text, how));
	}
	if (text.failed)
		*how = PP_REGEX_NOMEM;
	pp_buf_release(&text);
	return matches;
}

static void
series_choose(const struct pp_profile *p, const struct pp_label_rule *rule,
              const struct pp_label_values *v, const bool *sets, bool *stays,
              enum pp_regex_result *how)
{
	size_t i;

	for (i = 0; i < p->series.n && *how == PP_REGEX_YES; i++) {
		bool matches = sets && sets[p->series.at[i].labels];

		if (!stays[i])
			continue;
		if (!matches && v->of[i])
			matches = text_matches(rule, pp_strtab_get(&v->texts, v->of[i]), how);
		else if (!matches)
			matches = rule->value.n == 0 && !rule->regex;
		stays[i] = matches != rule->negated;
	}
}

pp_status
pp_label_rule_apply(const struct pp_label_rule *rule, const struct pp_profile *p, bool *stays,
                    struct pp_buf *problem)
{
	enum pp_regex_result how = PP_REGEX_YES;
	struct pp_label_values v = { 0 };
	bool *sets = NULL, fine = pp_label_values_find(p, rule->key, &v);
	pp_str key;

	if (fine && p->labels.n > 1 && pp_strtab_find(&p->strs, rule->key.p, rule->key.n, &key))
		fine = (sets = sets_match(p, rule, key, &how)) != NULL;
	if (fine)
		series_choose(p, rule, &v, sets, stays, &how);
	pp_label_values_release(&v);
	free(sets);
	if (!fine || how == PP_REGEX_NOMEM)
		return PP_E_NOMEM;
	if (how == PP_REGEX_YES)
		return PP_OK;
	pp_buf_addf(problem, "the pattern '%.*s' takes too long on some label",
	            (int)(rule->value.n < 100 ? rule->value.n : 100), (const char *)rule->value.p);
	return PP_E_LIMIT;
}
