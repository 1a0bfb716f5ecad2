/*
 * Filters: rules and their patterns, and stacks that are filtered as they come.
 */
#include "model/filter.h"

#include <math.h>

#include "base/num.h"
#include "base/slice.h"
#include "base/units.h"
#include "model/module_name.h"
#include "text/demangle.h"

/* ---- what is asked ---------------------------------------------------------------------- */

bool
pp_filter_add(struct pp_filter *f, enum pp_filter_kind kind, struct pp_slice pattern,
              struct pp_buf *problem)
{
	struct pp_filter_rule rule = { .kind = kind, .on = PP_FILTER_NAME, .text = pattern };

	if (pp_slice_take(&pattern, "file:"))
		rule.on = PP_FILTER_FILE;
	else if (pp_slice_take(&pattern, "module:"))
		rule.on = PP_FILTER_MODULE;
	rule.regex = pp_regex_new(pattern, problem);
	if (!rule.regex)
		return false;
	if (pp_vec_push(&f->rules, rule))
		return true;
	pp_regex_free(rule.regex);
	return false;
}

bool
pp_filter_add_label(struct pp_filter *f, struct pp_slice text, struct pp_buf *problem)
{
	struct pp_label_rule rule;
	bool fine = pp_label_rule_parse(&rule, text, problem) && pp_vec_push(&f->labels, rule);

	if (!fine)
		pp_label_rule_release(&rule);
	return fine;
}

/* "1.5ms", "20%"; false when it is neither. */
static bool
parse_moment(struct pp_slice text, struct pp_filter_time *out)
{
	const struct pp_unit *unit;
	size_t n = 0;
	double number;

	while (n < text.n && (text.p[n] == '.' || pp_is_digit(text.p[n])))
		n++;
	if (!pp_num_double(pp_slice_of(text.p, n), &number))
		return false;
	text = pp_slice_from(text, n);
	out->given = true;
	if (pp_slice_eq_z(text, "%")) {
		out->is_share = true;
		out->share = number / 100.0;
		return number <= 100.0;
	}
	unit = pp_unit_find(PP_UNIT_TIME, text.n ? text : pp_slice_z("ns"));
	if (!unit || unit->form != PP_UNIT_SYMBOL)
		return false;
	number *= (double)unit->factor;
	out->ns = number >= 9.2e18 ? INT64_MAX : (int64_t)llround(number);
	return true;
}

/* Whether a range ends before it begins, whatever profile it is for. */
static bool
is_backwards(const struct pp_filter_time *from, const struct pp_filter_time *to)
{
	if (!from->given || !to->given || from->is_share != to->is_share)
		return false;
	return from->is_share ? from->share > to->share : from->ns > to->ns;
}

bool
pp_filter_set_time(struct pp_filter *f, struct pp_slice text, struct pp_buf *problem)
{
	size_t dots;
	bool fine = false;

	for (dots = 0; dots + 1 < text.n; dots++)
		if (text.p[dots] == '.' && text.p[dots + 1] == '.')
			break;
	f->from = f->to = (struct pp_filter_time){ 0 };
	if (dots + 1 < text.n && text.n > 2) {
		struct pp_slice from = pp_slice_of(text.p, dots);
		struct pp_slice to = pp_slice_of(text.p + dots + 2, text.n - dots - 2);

		fine = (from.n == 0 || parse_moment(from, &f->from)) &&
		       (to.n == 0 || parse_moment(to, &f->to));
	}
	if (!fine)
		pp_buf_addf(problem,
		            "'%.*s' is not a range of time; write FROM..TO with numbers in ns, us, "
		            "ms, s, min, h or %%, such as 1.5s..2s, ..20%% or 300ms..",
		            (int)(text.n < 100 ? text.n : 100), (const char *)text.p);
	if (!fine || !is_backwards(&f->from, &f->to))
		return fine;
	pp_buf_addf(problem,
	            "'%.*s' ends before it begins; write FROM..TO with the earlier time first",
	            (int)(text.n < 100 ? text.n : 100), (const char *)text.p);
	return false;
}

void
pp_filter_release(struct pp_filter *f)
{
	size_t i;

	for (i = 0; i < f->rules.n; i++)
		pp_regex_free(f->rules.at[i].regex);
	pp_vec_release(&f->rules);
	pp_vec_release(&f->events);
	pp_vec_release(&f->threads);
	for (i = 0; i < f->labels.n; i++)
		pp_label_rule_release(&f->labels.at[i]);
	pp_vec_release(&f->labels);
}

bool
pp_filter_needs_stacks(const struct pp_filter *f)
{
	return (f->rules.n > 0 && !f->by_function) || f->depth > 0;
}

bool
pp_filter_is_empty(const struct pp_filter *f)
{
	return f->rules.n == 0 && f->depth == 0 && f->events.n == 0 && f->threads.n == 0 &&
	       f->labels.n == 0 && !pp_filter_has_time(f);
}

unsigned
pp_filter_collapses(const struct pp_filter *f)
{
	unsigned on = 0;
	size_t i;

	for (i = 0; i < f->rules.n; i++)
		if (f->rules.at[i].kind == PP_FILTER_COLLAPSE)
			on |= 1u << f->rules.at[i].on;
	return on;
}

/* Whether two functions are of one library, or where none holds them, of one namespace or package. */
static bool
is_same_module(const struct pp_profile *p, const struct pp_func_row *a, const struct pp_func_row *b)
{
	struct pp_slice one, other;
	pp_str str, other_str;

	if (a->module || b->module)
		return a->module == b->module;
	one = pp_module_name(p, a, &str);
	other = pp_module_name(p, b, &other_str);
	return one.n && pp_slice_eq(one, other);
}

bool
pp_filter_alike(const struct pp_profile *p, unsigned collapses, pp_func caller, pp_func callee)
{
	const struct pp_func_row *a = &p->funcs.at[caller], *b = &p->funcs.at[callee];

	/* By identity: which of them is `same` is known only at the end. */
	if (a->name == b->name && a->file == b->file && a->line == b->line &&
	    a->module == b->module)
		return true;
	if ((collapses >> PP_FILTER_FILE & 1) && a->file && a->file == b->file)
		return true;
	return (collapses >> PP_FILTER_MODULE & 1) && is_same_module(p, a, b);
}

unsigned
pp_filter_kinds(const struct pp_filter *f)
{
	unsigned kinds = 0;
	size_t i;

	for (i = 0; i < f->rules.n; i++)
		kinds |= 1u << f->rules.at[i].kind;
	return kinds;
}

bool
pp_filter_is_simple(const struct pp_filter *f)
{
	size_t i;

	/* The file of a function may become known after stacks it is on. */
	for (i = 0; i < f->rules.n; i++)
		if (f->rules.at[i].on == PP_FILTER_FILE)
			return false;
	return pp_filter_needs_stacks(f) && !f->by_function && f->events.n == 0 &&
	       f->threads.n == 0 && f->labels.n == 0 && !pp_filter_has_time(f);
}

bool
pp_filter_is_by_name(const struct pp_filter *f)
{
	size_t i;

	for (i = 0; i < f->rules.n && f->rules.at[i].on == PP_FILTER_NAME; i++)
		;
	return i == f->rules.n && !pp_filter_collapses(f);
}

/* ---- rules on functions ----------------------------------------------------------------- */

struct pp_slice
pp_filter_rule_text(const struct pp_profile *p, const struct pp_filter_rule *rule,
                    const struct pp_func_row *f, pp_str *str)
{
	if (rule->on == PP_FILTER_MODULE)
		return pp_module_name(p, f, str);
	*str = rule->on == PP_FILTER_FILE ? f->file : f->name;
	return pp_text_of(p, *str);
}

/* A mangled name also goes by what it stands for. */
static enum pp_regex_result
name_match(struct pp_regex *regex, struct pp_slice name)
{
	enum pp_regex_result found = pp_regex_match(regex, name);
	struct pp_buf made = { 0 };

	if (found == PP_REGEX_NO && pp_demangle(name, &made))
		found = pp_regex_match(regex, pp_slice_of(made.p, made.n));
	if (made.failed)
		found = PP_REGEX_NOMEM;
	pp_buf_release(&made);
	return found;
}

pp_status
pp_filter_rule_try(const struct pp_filter_rule *rule, struct pp_slice text, bool *matches,
                   struct pp_buf *problem)
{
	enum pp_regex_result found = rule->on == PP_FILTER_NAME ? name_match(rule->regex, text)
	                                                        : pp_regex_match(rule->regex, text);

	*matches = found == PP_REGEX_YES;
	if (found == PP_REGEX_NOMEM)
		return PP_E_NOMEM;
	if (found != PP_REGEX_TOO_HARD)
		return PP_OK;
	pp_buf_addf(problem,
	            "the pattern '%.*s' takes too many steps on a name of %zu bytes; write it more "
	            "simply",
	            (int)(rule->text.n < 200 ? rule->text.n : 200), (const char *)rule->text.p,
	            text.n);
	return PP_E_LIMIT;
}

/* ---- stacks as they come ---------------------------------------------------------------- */

void
pp_filter_steps_init(struct pp_filter_steps *s, unsigned kinds)
{
	unsigned state, flags;

	s->start = (uint8_t)pp_filter_start(kinds);
	for (state = 0; state <= PP_STACK_DOWN; state++)
		for (flags = 0; flags < 1u << PP_FILTER_KINDS; flags++)
			s->next[state << PP_FILTER_KINDS | flags] = (uint8_t)pp_filter_step(
			    kinds, state, flags);
}

void
pp_sieve_init(struct pp_sieve *s, const struct pp_filter *filter)
{
	*s = (struct pp_sieve){ .filter = filter };
	if (!filter)
		return;
	pp_filter_steps_init(&s->steps, pp_filter_kinds(filter));
	s->collapses = pp_filter_collapses(filter);
}

void
pp_sieve_release(struct pp_sieve *s)
{
	pp_vec_release(&s->flags);
}

/* What the rules say of a function. */
static pp_filter_flags
sieve_try(struct pp_sieve *s, const struct pp_profile *p, const struct pp_func_row *func)
{
	struct pp_buf problem = { 0 };
	unsigned flags = 0;
	size_t i;

	for (i = 0; i < s->filter->rules.n && s->status == PP_OK; i++) {
		const struct pp_filter_rule *rule = &s->filter->rules.at[i];
		bool matches = false;
		pp_str str;

		if (!(flags >> rule->kind & 1))
			s->status = pp_filter_rule_try(
			    rule, pp_filter_rule_text(p, rule, func, &str), &matches, &problem);
		flags |= matches ? 1u << rule->kind : 0u;
	}
	pp_buf_release(&problem);
	return (pp_filter_flags)flags;
}

bool
pp_sieve_frames(struct pp_sieve *s, const struct pp_profile *p)
{
	s->profile = p;
	while (s->flags.n < p->frames.n) {
		const struct pp_func_row *func = &p->funcs.at[p->frames.at[s->flags.n].func];

		if (!pp_vec_push(&s->flags, sieve_try(s, p, func)) || s->status == PP_E_NOMEM)
			return false;
	}
	return true;
}

/* Whether a frame is one with the frame that called it. */
static bool
sieve_folds(const struct pp_sieve *s, pp_frame caller, pp_frame callee)
{
	const struct pp_profile *p = s->profile;

	return (s->flags.at[caller] & s->flags.at[callee] & PP_FILTER_BIT(COLLAPSE)) &&
	       pp_filter_alike(p, s->collapses, p->frames.at[caller].func,
	                       p->frames.at[callee].func);
}

bool
pp_sieve_stack(const struct pp_sieve *s, pp_frame *frames, size_t *depth)
{
	size_t most = s->filter->depth ? s->filter->depth : SIZE_MAX, n = 0, i;
	unsigned state = s->steps.start;
	pp_frame caller = 0, frame;

	for (i = 0; i < *depth; i++, caller = frame) {
		unsigned flags;

		frame = frames[i];
		flags = s->flags.at[frame];
		if (n >= most || (s->collapses && i && sieve_folds(s, caller, frame)))
			flags |= PP_FILTER_BIT(HIDE);
		state = pp_filter_steps_go(&s->steps, state, flags);
		if (state & PP_STACK_SHOWN)
			frames[n++] = frame;
	}
	*depth = n;
	return state & PP_STACK_KEPT;
}
