/*
 * Filters on stacks as they come, for readers that add them up without a tree.
 *
 * It decides as filter_tree.c does on the nodes of a tree: a stack is its leaf's node there.
 */
#include "analysis/filter.h"

#define KIND(name) (1u << PP_FILTER_##name)

bool
pp_filter_is_simple(const struct pp_filter *f)
{
	size_t i;

	/* The file of a function may become known after stacks it is on. */
	for (i = 0; i < f->rules.n; i++)
		if (f->rules.at[i].on == PP_FILTER_FILE)
			return false;
	return pp_filter_needs_stacks(f) && !f->by_function && f->events.n == 0 &&
	       f->threads.n == 0 && !f->from.given && !f->to.given;
}

void
pp_filter_sieve_release(struct pp_filter_sieve *s)
{
	if (s->status != PP_OK && s->filter->status == PP_OK) {
		s->filter->status = s->status;
		s->filter->problem = s->problem;
		s->problem = (struct pp_buf){ 0 };
	}
	pp_buf_release(&s->problem);
	pp_vec_release(&s->flags);
}

bool
pp_filter_sieve_frame(struct pp_filter_sieve *s, const struct pp_profile *p, pp_frame frame)
{
	const struct pp_func_row *func = &p->funcs.at[p->frames.at[frame].func];
	const struct pp_filter *f = s->filter;
	unsigned flags = 0;
	size_t i;

	if (frame < s->flags.n)
		return true;
	for (i = 0; i < f->rules.n && s->status == PP_OK; i++) {
		const struct pp_filter_rule *rule = &f->rules.at[i];
		bool matches = false;

		s->kinds |= 1u << rule->kind;
		if (!(flags >> rule->kind & 1))
			s->status = pp_filter_rule_try(
			    rule, pp_text_of(p, pp_filter_rule_text(p, rule, func)), &matches,
			    &s->problem);
		flags |= matches ? 1u << rule->kind : 0u;
	}
	while (s->flags.n <= frame)
		if (!pp_vec_push(&s->flags, (uint8_t)flags))
			return false;
	return true;
}

bool
pp_filter_sieve_stack(const struct pp_filter_sieve *s, pp_frame *frames, size_t *depth)
{
	/* What must have been seen for a stack to stay, and for a frame to be shown. */
	const unsigned needs = s->kinds & (KIND(FOCUS) | KIND(SHOW_FROM));
	const bool show = s->kinds & KIND(SHOW), from = s->kinds & KIND(SHOW_FROM);
	size_t most = s->filter->depth ? s->filter->depth : SIZE_MAX, n = 0, i;
	unsigned seen = 0;

	/* Cost without any stack stays unless something asks for a frame. */
	if (*depth == 0)
		return !needs && !show;
	for (i = 0; i < *depth; i++) {
		pp_frame frame = frames[i];
		unsigned flags = s->flags.at[frame];

		seen |= flags;
		if ((flags & KIND(HIDE)) || (show && !(flags & KIND(SHOW))) ||
		    (from && !(seen & KIND(SHOW_FROM))) || n >= most)
			continue;
		frames[n++] = frame;
	}
	*depth = n;
	return n > 0 && (seen & needs) == needs && !(seen & KIND(IGNORE));
}
