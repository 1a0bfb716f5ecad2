/*
 * The limits of `gate`: parsed, matched, tested.
 */
#include "questions/gate_rule.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/demangle.h"
#include "analysis/identity.h"
#include "base/num.h"

/* ---- parsing ---- */

struct scan {
	struct pp_slice left;
	struct pp_buf *problem;
};

static void
blanks_skip(struct scan *s)
{
	while (s->left.n && (s->left.p[0] == ' ' || s->left.p[0] == '\t'))
		s->left = pp_slice_of(s->left.p + 1, s->left.n - 1);
}

static bool
word_take(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if (s->left.n < n || memcmp(s->left.p, word, n) != 0)
		return false;
	s->left = pp_slice_of(s->left.p + n, s->left.n - n);
	return true;
}

/* Whether an operator follows, blanks aside. */
static bool
op_follows(struct pp_slice s, size_t at)
{
	while (at < s.n && (s.p[at] == ' ' || s.p[at] == '\t'))
		at++;
	return at < s.n && (s.p[at] == '>' || s.p[at] == '<');
}

/*
 * Where the parenthesis stands that closes "(F)"; s.n when none does. Names and patterns may have parentheses of their
 * own, and a pattern or a quoted name ends where its mark stands before one: what an operator follows is meant.
 */
static size_t
selector_end(struct pp_slice s)
{
	unsigned char mark = s.n && (s.p[0] == '/' || s.p[0] == '"' || s.p[0] == '\'') ? s.p[0] : 0;
	size_t i, depth = 1, balanced = s.n, last = s.n;

	for (i = 0; i < s.n; i++) {
		depth += s.p[i] == '(' && depth > 0;
		if (s.p[i] != ')')
			continue;
		if (depth > 0 && --depth == 0)
			balanced = i;
		if (op_follows(s, i + 1) && (!mark || (i > 1 && s.p[i - 1] == mark)))
			last = i;
	}
	if (!mark && balanced < s.n && (op_follows(s, balanced + 1) || last == s.n))
		return balanced;
	return last < s.n ? last : balanced;
}

/* Without blanks around it, and quotes. */
static struct pp_slice
selector_trim(struct pp_slice f)
{
	while (f.n && f.p[f.n - 1] == ' ')
		f.n--;
	while (f.n && f.p[0] == ' ')
		f = pp_slice_of(f.p + 1, f.n - 1);
	if (f.n > 1 && (f.p[0] == '"' || f.p[0] == '\'') && f.p[f.n - 1] == f.p[0])
		f = pp_slice_of(f.p + 1, f.n - 2);
	return f;
}

static bool
selector_parse(struct scan *s, struct pp_gate_rule *rule)
{
	size_t end;
	struct pp_slice f;

	blanks_skip(s);
	end = selector_end(s->left);
	if (end == s->left.n) {
		pp_buf_adds(s->problem, "a parenthesis is not closed");
		return false;
	}
	f = selector_trim(pp_slice_of(s->left.p, end));
	rule->all = pp_slice_eq_z(f, "*");
	rule->name = f;
	if (f.n > 1 && f.p[0] == '/' && f.p[f.n - 1] == '/') {
		rule->regex = pp_regex_new(pp_slice_of(f.p + 1, f.n - 2), s->problem);
		if (!rule->regex)
			return false;
	} else if (f.n == 0) {
		pp_buf_adds(s->problem, "no function is named between the parentheses");
		return false;
	}
	s->left = pp_slice_of(s->left.p + end + 1, s->left.n - end - 1);
	return true;
}

static bool
subject_parse(struct scan *s, struct pp_gate_rule *rule)
{
	static const struct {
		const char *word;
		enum pp_gate_subject subject;
	} subjects[] = { { "self", PP_GATE_SELF },
		         { "total", PP_GATE_TOTAL },
		         { "calls", PP_GATE_CALLS } };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(subjects); i++)
		if (word_take(s, subjects[i].word))
			break;
	if (i == PP_COUNT_OF(subjects)) {
		pp_buf_adds(s->problem, "it must begin with total, self(F), total(F) or calls(F)");
		return false;
	}
	rule->subject = subjects[i].subject;
	blanks_skip(s);
	if (word_take(s, "("))
		return selector_parse(s, rule);
	if (rule->subject != PP_GATE_TOTAL) {
		pp_buf_addf(s->problem, "%s needs a function: %s(NAME), %s(/REGEX/) or %s(*)",
		            subjects[i].word, subjects[i].word, subjects[i].word, subjects[i].word);
		return false;
	}
	rule->subject = PP_GATE_WHOLE;
	return true;
}

static bool
op_parse(struct scan *s, struct pp_gate_rule *rule)
{
	if (word_take(s, ">="))
		rule->op = PP_GATE_AT_LEAST;
	else if (word_take(s, ">"))
		rule->op = PP_GATE_MORE;
	else if (word_take(s, "<="))
		rule->op = PP_GATE_AT_MOST;
	else if (word_take(s, "<"))
		rule->op = PP_GATE_LESS;
	else {
		pp_buf_adds(s->problem, "one of > >= < <= must follow");
		return false;
	}
	return true;
}

/* What a unit behind a number multiplies it by; 0 when the metric has no such unit. */
static double
unit_factor(struct pp_slice word, struct pp_slice unit)
{
	static const struct {
		const char *of, *word;
		double factor;
	} units[] = {
		{ "ns", "ns", 1 },
		{ "ns", "us", 1e3 },
		{ "ns", "µs", 1e3 },
		{ "ns", "ms", 1e6 },
		{ "ns", "s", 1e9 },
		{ "ns", "min", 6e10 },
		{ "ns", "h", 3.6e12 },
		{ "bytes", "B", 1 },
		{ "bytes", "KB", 1e3 },
		{ "bytes", "kB", 1e3 },
		{ "bytes", "MB", 1e6 },
		{ "bytes", "GB", 1e9 },
		{ "bytes", "KiB", 1024 },
		{ "bytes", "MiB", 1048576 },
		{ "bytes", "GiB", 1073741824 },
		{ NULL, "k", 1e3 },
		{ NULL, "M", 1e6 },
		{ NULL, "G", 1e9 },
	};
	size_t i;

	if (word.n == 0 || pp_slice_eq(word, unit))
		return 1;
	for (i = 0; i < PP_COUNT_OF(units); i++)
		if (pp_slice_eq_z(word, units[i].word) &&
		    (!units[i].of || pp_slice_eq_z(unit, units[i].of)))
			return units[i].factor;
	return 0;
}

static bool
limit_parse(struct scan *s, struct pp_gate_rule *rule, struct pp_slice unit)
{
	bool minus = word_take(s, "-"), plus = !minus && word_take(s, "+");
	size_t n = 0;
	double factor;

	blanks_skip(s);
	while (n < s->left.n &&
	       ((s->left.p[n] >= '0' && s->left.p[n] <= '9') || s->left.p[n] == '.'))
		n++;
	if (!pp_num_double(pp_slice_of(s->left.p, n), &rule->number)) {
		pp_buf_adds(s->problem, "a number must follow, such as 5%, +10%, 2ms or 1000");
		return false;
	}
	s->left = pp_slice_of(s->left.p + n, s->left.n - n);
	blanks_skip(s);
	while (s->left.n && s->left.p[s->left.n - 1] == ' ')
		s->left.n--;
	rule->of_change = plus || minus;
	rule->percent = pp_slice_eq_z(s->left, "%");
	factor = rule->percent
	             ? 0.01
	             : unit_factor(s->left,
	                           rule->subject == PP_GATE_CALLS ? pp_slice_z("calls") : unit);
	if (factor == 0) {
		pp_buf_addf(s->problem, "'%.*s' is not a unit of this metric (%.*s)",
		            (int)(s->left.n < 40 ? s->left.n : 40), (const char *)s->left.p,
		            (int)unit.n, (const char *)unit.p);
		return false;
	}
	rule->number *= minus ? -factor : factor;
	return true;
}

bool
pp_gate_parse(struct pp_gate_rule *rule, const char *text, struct pp_slice unit,
              struct pp_buf *problem)
{
	struct scan s = { pp_slice_z(text), problem };

	bool fine;

	*rule = (struct pp_gate_rule){ .text = text };
	blanks_skip(&s);
	fine = subject_parse(&s, rule);
	blanks_skip(&s);
	fine = fine && op_parse(&s, rule);
	blanks_skip(&s);
	fine = fine && limit_parse(&s, rule, unit);
	if (!fine && problem->n)
		pp_buf_addf(problem, " (at character %zu)",
		            (size_t)((const char *)s.left.p - text) + 1);
	if (!fine)
		return false;
	if (rule->subject == PP_GATE_CALLS && rule->percent && !rule->of_change) {
		pp_buf_adds(problem,
		            "calls have no whole to be a part of; write +N% for their change");
		return false;
	}
	return true;
}

void
pp_gate_release(struct pp_gate_rule *rule)
{
	pp_regex_free(rule->regex);
	rule->regex = NULL;
}

/* ---- matching ---- */

/* A name as it is written, or its canonical form. */
static enum pp_regex_result
name_match(const struct pp_gate_rule *rule, struct pp_slice name, struct pp_slice file,
           uint32_t line)
{
	struct pp_buf text = { 0 };
	bool same;

	if (rule->regex)
		return pp_regex_match(rule->regex, name);
	pp_canonical_name(name, file, line, &text, &file, &line);
	same = pp_slice_eq(name, rule->name) ||
	       pp_slice_eq(pp_slice_of(text.p, text.n), rule->name);
	pp_buf_release(&text);
	return same ? PP_REGEX_YES : PP_REGEX_NO;
}

/* The same of a function, mangled or not. */
static enum pp_regex_result
func_match(const struct pp_gate_rule *rule, const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *f = &p->funcs.at[func];
	struct pp_slice file = pp_text_of(p, f->file), other;
	enum pp_regex_result found = name_match(rule, pp_text_of(p, f->name), file, f->line);
	struct pp_buf made = { 0 };

	other = pp_func_other_name(p, func, &made);
	if (found == PP_REGEX_NO && other.n)
		found = name_match(rule, other, file, f->line);
	pp_buf_release(&made);
	return found;
}

enum pp_regex_result
pp_gate_matches(const struct pp_gate_rule *rule, const struct pp_diff_row *row)
{
	size_t side;

	if (rule->all)
		return PP_REGEX_YES;
	for (side = 0; side < 2; side++) {
		const struct pp_profile *p = row->profile[side];
		enum pp_regex_result found = p ? func_match(rule, p, row->func[side]) : PP_REGEX_NO;

		if (found != PP_REGEX_NO)
			return found;
	}
	return PP_REGEX_NO;
}

/* ---- testing ---- */

static bool
compare(enum pp_gate_op op, double value, double limit)
{
	switch (op) {
	case PP_GATE_MORE:
		return value > limit;
	case PP_GATE_AT_LEAST:
		return value >= limit;
	case PP_GATE_LESS:
		return value < limit;
	case PP_GATE_AT_MOST:
		return value <= limit;
	}
	return false;
}

/* A change relative to nothing: what is new exceeds every growth, and falls below none. */
static bool
from_nothing(enum pp_gate_op op, double after)
{
	return after > 0 ? op == PP_GATE_MORE || op == PP_GATE_AT_LEAST
	                 : after < 0 && (op == PP_GATE_LESS || op == PP_GATE_AT_MOST);
}

static bool
calls_pass(const struct pp_gate_rule *rule, const struct pp_diff_row *row)
{
	double before = row->calls[PP_BEFORE], after = row->calls[PP_AFTER];

	if (!rule->of_change)
		return compare(rule->op, after, rule->number);
	if (!rule->percent)
		return compare(rule->op, after - before, rule->number);
	return before > 0 ? compare(rule->op, (after - before) / before, rule->number)
	                  : from_nothing(rule->op, after);
}

bool
pp_gate_exceeds(const struct pp_gate_rule *rule, const struct pp_diff *d,
                const struct pp_diff_row *row)
{
	const struct pp_diff_value *v = &d->whole;
	double before, after, whole = d->whole.part[PP_AFTER], margin;

	if (rule->subject == PP_GATE_CALLS)
		return row && pp_diff_counted(d, row, PP_AFTER) &&
		       (!rule->of_change || pp_diff_counted(d, row, PP_BEFORE)) &&
		       calls_pass(rule, row);
	if (rule->subject == PP_GATE_SELF)
		v = &row->self;
	else if (rule->subject == PP_GATE_TOTAL)
		v = &row->total;
	before = v->value[PP_BEFORE];
	after = v->value[PP_AFTER];
	if (rule->of_change) {
		if (v->status == PP_NOISE)
			return false;
		if (!rule->percent)
			return compare(rule->op, after - before, rule->number);
		return before != 0
		           ? compare(rule->op, (after - before) / fabs(before), rule->number)
		           : from_nothing(rule->op, after);
	}
	/* One recording may be near its limit by chance: it must pass by more than its counting error. */
	margin = d->rule == PP_DIFF_SAMPLED ? v->limit : 0;
	if (rule->op == PP_GATE_LESS || rule->op == PP_GATE_AT_MOST)
		margin = -margin;
	if (rule->percent)
		return whole > 0 &&
		       compare(rule->op, (v->part[PP_AFTER] - margin) / whole, rule->number);
	return compare(rule->op, after - margin, rule->number);
}
