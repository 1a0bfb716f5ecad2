/*
 * Notes on profiles of a store that are left out because they measure other things than the rest: see api/compatible.h.
 */
#include <string.h>

#include "api/compatible_kinds.h"
#include "base/sort.h"
#include "text/escape.h"
#include "text/suggest.h"
#include "text/units.h"

/* Adds the metrics of a kind to a message, those shown first. */
static void
measures_put(struct pp_buf *out, const struct pp_profile *p)
{
	size_t primary = pp_profile_primary(p), shown = pp_metrics_shown(p), i, n = 0;
	struct pp_buf name = { 0 };

	for (i = 0; i <= shown && n < 3; i++) {
		size_t m = i == 0 ? primary : i - 1;

		if (m >= shown || (i > 0 && m == primary))
			continue;
		name.n = 0;
		pp_metric_label(p, &p->metrics.at[m], &name);
		pp_buf_adds(out, n++ ? ", " : "");
		pp_escape_terminal(out, pp_slice_of(name.p ? name.p : "", name.n));
	}
	pp_buf_adds(out, n == 0 ? "nothing" : n < shown ? ", …" : "");
	out->failed |= name.failed;
	pp_buf_release(&name);
}

/* Adds what keeps a kind apart: its metrics or, if those that stay have the same, what has the costs. */
static void
reason_put(const struct pp_compatible *c, const struct pp_profile *p, struct pp_buf *out)
{
	size_t i, m = pp_profile_primary(p);

	for (i = 0; i < c->kinds.n && m < p->metrics.n; i++) {
		const struct pp_profile *q = c->kinds.at[i].profile;

		if (!q || !c->kinds.at[i].stays || pp_profile_metric_like(q, p, m) >= q->metrics.n)
			continue;
		if ((q->tree.n > 1) == (p->tree.n > 1))
			break;
		pp_buf_adds(out, p->tree.n > 1 ? "whole stacks" : "single calls only");
		return;
	}
	measures_put(out, p);
}

/* A part of a message, about one kind or several. */
struct mention {
	const struct pp_compatible_kind *kind; /* the first that this is said of */
	struct pp_buf says;
	size_t count; /* profiles */
};

struct mentions {
	PP_VEC(struct mention) list;
	bool failed;
};

/* Order mentions: kinds with the metric that is asked for first, then by the number of profiles. */
static int
mention_cmp(const void *a, const void *b, void *ctx)
{
	const struct mention *x = a, *y = b;

	(void)ctx;
	if (x->kind->is_asked != y->kind->is_asked)
		return x->kind->is_asked ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static void
mentions_sort(struct mentions *m)
{
	if (m->list.n)
		pp_sort(m->list.at, m->list.n, sizeof *m->list.at, mention_cmp, NULL);
}

static void
mentions_release(struct mentions *m)
{
	size_t i;

	for (i = 0; i < m->list.n; i++)
		pp_buf_release(&m->list.at[i].says);
	pp_vec_release(&m->list);
}

static bool
has_named(const struct pp_compatible_kind *k, struct pp_slice name)
{
	return k->profile && pp_profile_metric_find(k->profile, name) < k->profile->metrics.n;
}

/*
 * Find a kind that -m NAME would choose instead of one that is left out: one that stays or was mentioned before. If both
 * have the metric that is asked for, no -m tells them apart.
 */
static const struct pp_compatible_kind *
rival_find(const struct pp_compatible *c, const struct pp_compatible_kind *out,
           struct pp_slice name, const struct mention *before, size_t n)
{
	size_t i;

	for (i = 0; i < c->kinds.n; i++) {
		const struct pp_compatible_kind *k = &c->kinds.at[i];

		if (k->stays && ((k->is_asked && out->is_asked) || has_named(k, name)))
			return k;
	}
	for (i = 0; i < n; i++)
		if (before[i].kind->part != out->part && has_named(before[i].kind, name))
			return before[i].kind;
	return NULL;
}

/* Append how to ask for a kind that is left out. */
static void
hint_put(const struct pp_compatible *c, const struct pp_compatible_kind *out,
         const struct mention *before, size_t n, struct pp_buf *text)
{
	bool (*answers)(const struct pp_profile *) = c->r->asking.question->answers;
	const struct pp_profile *p = out->profile;
	size_t m = pp_profile_primary(p);
	const struct pp_compatible_kind *rival;
	struct pp_buf name = { 0 };

	if (m == p->metrics.n || (answers && !answers(p)))
		return;
	pp_metric_label(p, &p->metrics.at[m], &name);
	rival = rival_find(c, out, pp_slice_of(name.p ? name.p : "", name.n), before, n);
	if (!rival) {
		pp_buf_adds(text, " (-m ");
		pp_suggest_word(text, name.p ? name.p : "");
		pp_buf_adds(text, ")");
	} else if (strcmp(rival->is.format, out->is.format) != 0) {
		pp_buf_addf(text, " (--where format=%s)", out->is.format);
	}
	text->failed |= name.failed;
	pp_buf_release(&name);
}

static bool
same_said(const struct mention *a, const struct mention *b)
{
	return a->kind->is_asked == b->kind->is_asked && a->says.n == b->says.n &&
	       (a->says.n == 0 || memcmp(a->says.p, b->says.p, a->says.n) == 0);
}

/* Write the text of each mention, and unite those with the same text. */
static void
mentions_word(const struct pp_compatible *c, struct mentions *m, bool hints)
{
	size_t i, k, n = 0;

	for (i = 0; i < m->list.n; i++) {
		struct mention x = m->list.at[i];

		reason_put(c, x.kind->profile, &x.says);
		if (hints)
			hint_put(c, x.kind, m->list.at, n, &x.says);
		m->failed |= x.says.failed;
		for (k = 0; k < n && !same_said(&m->list.at[k], &x); k++)
			;
		if (k == n) {
			m->list.at[n++] = x;
		} else {
			m->list.at[k].count += x.count;
			pp_buf_release(&x.says);
		}
	}
	m->list.n = n;
}

/* Append "2 have x, y (-m x); 1 has z" about kinds that do not stay, or about all. False when out of memory. */
static bool
mentions_put(const struct pp_compatible *c, bool all, size_t most, struct pp_buf *text)
{
	struct mentions m = { 0 };
	size_t i;

	for (i = 0; i < c->kinds.n; i++) {
		const struct pp_compatible_kind *k = &c->kinds.at[i];
		struct mention x = { .kind = k, .count = pp_compatible_count(k) };

		if ((all || !k->stays) && k->profile && !k->is_file)
			m.failed |= !pp_vec_push(&m.list, x);
	}
	mentions_sort(&m);
	mentions_word(c, &m, !all);
	mentions_sort(&m);
	for (i = 0; i < m.list.n && i < most; i++) {
		const struct mention *x = &m.list.at[i];

		pp_buf_adds(text, i ? "; " : "");
		pp_units_u64(text, x->count);
		pp_buf_addf(text, " %s ", pp_plural(x->count, "has", "have"));
		pp_buf_add(text, x->says.p ? x->says.p : "", x->says.n);
	}
	pp_buf_adds(text, i < m.list.n ? "; …" : "");
	mentions_release(&m);
	return !m.failed;
}

pp_status
pp_compatible_missing(const struct pp_compatible *c, const char *metric)
{
	struct pp_buf text = { 0 };
	bool fine = mentions_put(c, true, 8, &text);
	struct pp_answer *a = pp_compatible_answer(c);
	pp_status status = fine ? pp_answer_fail(a, PP_E_USAGE, "no-metric",
	                                         "no selected profile has the metric '%s': %s",
	                                         metric, pp_answer_made(a, &text))
	                        : pp_answer_fail_status(a, PP_E_NOMEM);

	pp_buf_release(&text);
	return status;
}

pp_status
pp_compatible_left_out(const struct pp_compatible *c, size_t left_out, size_t all)
{
	struct pp_answer *a = pp_compatible_answer(c);
	struct pp_buf text = { 0 };
	bool fine;

	pp_units_u64(&text, left_out);
	pp_buf_adds(&text, " of ");
	pp_units_u64(&text, all);
	pp_buf_addf(&text, " profiles %s left out: ", pp_plural(left_out, "is", "are"));
	fine = mentions_put(c, false, 4, &text);
	if (fine)
		pp_answer_note(a, "profiles-left-out", "%s", pp_answer_made(a, &text));
	pp_buf_release(&text);
	return fine ? PP_OK : pp_answer_fail_status(a, PP_E_NOMEM);
}
