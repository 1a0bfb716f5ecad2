/*
 * Choosing profiles of a store that measure the same things: see alike.h.
 *
 * Stores say of each profile which metrics it has, so profiles are of few kinds. One profile of each kind is read, and what
 * merging says of these holds for all. Nothing is read if all profiles are of one kind.
 */
#include "api/alike.h"

#include <stdlib.h>
#include <string.h>

#include "api/members.h"
#include "model/merge.h"
#include "text/escape.h"
#include "text/suggest.h"
#include "text/units.h"

/* With more kinds than that, merging decides by itself. */
#define KINDS_MOST 256
/* Of so many profiles one is looked for that is not empty. */
#define TRIES_MOST 16
#define NO_KIND UINT32_MAX

/* Profiles of one format and of the same metrics. */
struct kind {
	struct pp_measures is;
	size_t count[2];            /* profiles, by side */
	size_t smallest;            /* the file that is read */
	struct pp_profile *profile; /* of that; NULL if it cannot be read */
	bool stays, is_empty;
	bool is_file; /* a file that was named: it stays, and outweighs all profiles of stores */
};

struct choice {
	struct pp_reply *r;
	const char **files;
	size_t n, split; /* files before `split` are one side */
	PP_VEC(struct kind) kinds;
	uint32_t *kind_of; /* by file; NO_KIND = a plain file */
};

static struct pp_answer *
answer_of(struct pp_reply *r)
{
	return &r->asking.answer;
}

static void
choice_release(struct choice *c)
{
	size_t i;

	for (i = 0; i < c->kinds.n; i++)
		pp_profile_free(c->kinds.at[i].profile);
	pp_vec_release(&c->kinds);
	free(c->kind_of);
}

/* ---- kinds ---- */

static bool
same_measures(const struct pp_measures *a, const struct pp_measures *b)
{
	return !a->stacks == !b->stacks && pp_slice_eq(a->units, b->units) &&
	       strcmp(a->format, b->format) == 0;
}

/* Sorts the files into kinds; false when out of memory. */
static bool
kinds_find(struct choice *c)
{
	uint32_t last = 0, k;
	size_t i;

	c->kind_of = malloc((c->n + 1) * sizeof *c->kind_of);
	for (i = 0; c->kind_of && i < c->n && c->kinds.n <= KINDS_MOST; i++) {
		const struct pp_stored *m = pp_member_find(c->r, c->files[i]);
		struct kind made = { .smallest = i };

		c->kind_of[i] = NO_KIND;
		if (!m)
			continue;
		c->r->opts.provider->measures(
		    m->selected, m->nth,
		    c->kinds.n ? c->kinds.at[last].is.units : pp_slice_of("", 0), &made.is);
		k = last < c->kinds.n && same_measures(&c->kinds.at[last].is, &made.is) ? last : 0;
		while (k < c->kinds.n && !same_measures(&c->kinds.at[k].is, &made.is))
			k++;
		if (k == c->kinds.n && !pp_vec_push(&c->kinds, made))
			return false;
		c->kinds.at[k].count[i >= c->split]++;
		if (made.is.stacks < c->kinds.at[k].is.stacks) {
			c->kinds.at[k].is.stacks = made.is.stacks;
			c->kinds.at[k].smallest = i;
		}
		c->kind_of[i] = last = k;
	}
	return c->kind_of != NULL;
}

/* Adds the files that are of no store; false when out of memory. */
static bool
files_add(struct choice *c)
{
	size_t i;

	for (i = 0; i < c->n && c->kinds.n <= KINDS_MOST; i++) {
		struct kind made = { .smallest = i, .is_file = true, .is.format = "" };

		made.count[i >= c->split] = c->n;
		if (c->kind_of[i] == NO_KIND && pp_files_stay(c->r, c->files + i, 1) &&
		    !pp_vec_push(&c->kinds, made))
			return false;
	}
	return true;
}

/* Reads a profile without a word about its findings; *out is NULL if it cannot be used. */
static pp_status
profile_read(struct pp_reply *r, const char *file, struct pp_profile **out)
{
	static const struct pp_load_order order = { .want.facets = PP_TREE | PP_EDGES | PP_LINES };
	struct pp_loaded l;
	pp_status status = pp_loaded_open(r, file, &order, &l);

	if (status == PP_OK) {
		pp_loaded_read(r, &l);
		*out = l.status == PP_OK ? l.profile : NULL;
		l.profile = *out ? NULL : l.profile;
	}
	pp_loaded_drop(r, &l);
	return status;
}

/* Reads a profile of a kind: one with something in it, if there is one. */
static pp_status
kind_read(struct choice *c, uint32_t k)
{
	struct kind *kind = &c->kinds.at[k];
	pp_status status = profile_read(c->r, c->files[kind->smallest], &kind->profile);
	size_t i, tries = 0;

	kind->is_empty = kind->profile && pp_merge_is_empty(kind->profile);
	for (i = 0; i < c->n && status == PP_OK && kind->is_empty && tries < TRIES_MOST; i++) {
		if (c->kind_of[i] != k || i == kind->smallest)
			continue;
		tries++;
		pp_profile_free(kind->profile);
		kind->profile = NULL;
		status = profile_read(c->r, c->files[i], &kind->profile);
		kind->is_empty = kind->profile && pp_merge_is_empty(kind->profile);
	}
	return status;
}

static size_t
kind_count(const struct kind *k)
{
	return k->count[0] + k->count[1];
}

/* How many profiles stay on a side. */
static size_t
side_count(const struct choice *c, size_t side)
{
	size_t i, n = 0;

	for (i = 0; i < c->kinds.n; i++)
		n += c->kinds.at[i].stays ? c->kinds.at[i].count[side] : 0;
	return n;
}

/* Whether a side has profiles. */
static bool
side_exists(const struct choice *c, size_t side)
{
	size_t i;

	for (i = 0; i < c->kinds.n && !c->kinds.at[i].count[side]; i++)
		;
	return i < c->kinds.n;
}

/* ---- a metric that is asked for ---- */

/* The name of the metric that rows are sorted by, or that one side of "A=B" has. */
static struct pp_slice
name_of(const struct choice *c, const char *metric, size_t side)
{
	struct pp_slice all = pp_slice_z(metric), name = all;
	const char *equals = strchr(metric, '=');
	bool found;
	size_t i;

	for (i = 0; i < c->kinds.n; i++)
		if (c->kinds.at[i].profile && pp_profile_metric_find(c->kinds.at[i].profile, all) <
		                                  c->kinds.at[i].profile->metrics.n)
			return all;
	if (equals && side)
		return pp_slice_z(equals + 1);
	name = equals ? pp_slice_of(metric, (size_t)(equals - metric)) : name;
	return pp_slice_trim(pp_slice_cut(&name, ',', &found));
}

static bool
kind_has(const struct choice *c, const struct kind *k, const char *metric, size_t side)
{
	return k->profile &&
	       pp_profile_metric_find(k->profile, name_of(c, metric, side)) < k->profile->metrics.n;
}

/* What a kind measures, for a message: the metrics shown first. */
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

/* No profile has the metric: lists what there is. */
static pp_status
metric_missing(struct choice *c, const char *metric)
{
	struct pp_buf text = { 0 };
	pp_status status;
	size_t i, listed = 0;

	for (i = 0; i < c->kinds.n && listed < 8; i++) {
		const struct kind *k = &c->kinds.at[i];

		if (!k->profile || k->is_file)
			continue;
		pp_buf_adds(&text, listed++ ? "; " : "");
		pp_units_u64(&text, kind_count(k));
		pp_buf_addf(&text, " %s ", pp_plural(kind_count(k), "has", "have"));
		measures_put(&text, k->profile);
	}
	status = pp_answer_fail(answer_of(c->r), PP_E_USAGE, "no-metric",
	                        "no selected profile has the metric '%s': %s", metric,
	                        pp_answer_made(answer_of(c->r), &text));
	pp_buf_release(&text);
	return status;
}

/* Keeps the kinds that have the metric; *some: there are any on each side. */
static void
metric_choose(struct choice *c, const char *metric, bool *some)
{
	size_t i, side, found = 0;

	for (i = 0; i < c->kinds.n; i++) {
		struct kind *k = &c->kinds.at[i];

		bool has = false;

		for (side = 0; side < 2; side++)
			has |= k->count[side] && kind_has(c, k, metric, side);
		k->stays = k->stays && has;
		found += k->stays;
	}
	*some = found > 0;
	for (side = 0; side < 2; side++)
		*some = *some && (side_count(c, side) > 0 || !side_exists(c, side));
}

/* Keeps the kinds that the question can be answered about, if there are any. */
static void
answering_choose(struct choice *c)
{
	bool (*answers)(const struct pp_profile *) = c->r->asking.question->answers;
	size_t i, found = 0;

	for (i = 0; answers && i < c->kinds.n; i++)
		found += c->kinds.at[i].profile && answers(c->kinds.at[i].profile);
	for (i = 0; found && i < c->kinds.n; i++)
		c->kinds.at[i].stays = c->kinds.at[i].profile && answers(c->kinds.at[i].profile);
}

/* ---- profiles that are merged ---- */

/* Adds kinds to a merge until no other agrees; part[i] says which. False when out of memory. */
static bool
part_grow(const struct choice *c, struct pp_merge *merge, uint32_t *part, uint32_t number)
{
	struct pp_buf problem = { 0 };
	bool grown = true, memory = true;
	size_t i;

	while (grown && memory)
		for (grown = false, i = 0; i < c->kinds.n && memory; i++) {
			const struct kind *k = &c->kinds.at[i];
			pp_status status;

			if (part[i] || !k->stays || !k->profile || k->is_empty)
				continue;
			problem.n = 0;
			status = pp_merge_add(merge, k->profile, &problem);
			memory = status != PP_E_NOMEM;
			if (status == PP_E_USAGE)
				continue;
			part[i] = number;
			/* After a sum that does not fit, merging says so for all of them. */
			grown = status == PP_OK;
			if (!grown)
				break;
		}
	pp_buf_release(&problem);
	return memory;
}

/* Divides kinds into parts that can be merged; false when out of memory. */
static bool
parts_find(const struct choice *c, uint32_t *part, uint32_t *parts)
{
	struct pp_merge merge;
	bool fine = true;
	size_t i, k;

	for (i = 0; i < c->kinds.n && fine; i++) {
		if (part[i] || !c->kinds.at[i].stays || !c->kinds.at[i].profile ||
		    c->kinds.at[i].is_empty)
			continue;
		if (!pp_merge_init(&merge, NULL, pp_load_clock()))
			return false;
		for (k = 0; k < c->kinds.n && fine; k++)
			fine = !c->kinds.at[k].profile ||
			       pp_merge_see(&merge, c->kinds.at[k].profile);
		merge.all_seen = true;
		fine = fine && part_grow(c, &merge, part, ++*parts);
		pp_merge_release(&merge);
	}
	return fine;
}

/* Keeps the part with the most profiles, of those with profiles on both sides, the first of equal ones. */
static pp_status
merged_choose(struct choice *c)
{
	uint32_t *part = calloc(c->kinds.n + 1, sizeof *part), parts = 0, best = 0, p;
	size_t i, most = 0;

	if (!part || !parts_find(c, part, &parts)) {
		free(part);
		return pp_answer_fail_status(answer_of(c->r), PP_E_NOMEM);
	}
	for (p = 1; p <= parts; p++) {
		size_t count[2] = { 0, 0 };

		for (i = 0; i < c->kinds.n; i++)
			if (part[i] == p) {
				count[0] += c->kinds.at[i].count[0];
				count[1] += c->kinds.at[i].count[1];
			}
		if ((count[0] || !side_count(c, 0)) && (count[1] || !side_count(c, 1)) &&
		    count[0] + count[1] > most) {
			most = count[0] + count[1];
			best = p;
		}
	}
	/* What is empty goes with any; of what cannot be read its loading says why. */
	for (i = 0; i < c->kinds.n && best; i++)
		c->kinds.at[i].stays = c->kinds.at[i].stays && (part[i] == best || !part[i]);
	free(part);
	return PP_OK;
}

/* ---- profiles that are compared ---- */

/* A metric of one kind, and how many profiles have one like it. */
struct candidate {
	size_t kind, metric, count;
	bool primary;
};

static bool
has_like(const struct kind *k, const struct pp_profile *p, size_t metric)
{
	return k->profile && (k->profile == p || pp_profile_metric_like(k->profile, p, metric) <
	                                             k->profile->metrics.n);
}

/* Counts a candidate; 0 if a side has none of it. */
static size_t
candidate_count(const struct choice *c, const struct pp_profile *p, size_t metric)
{
	size_t count[2] = { 0, 0 }, i;

	for (i = 0; i < c->kinds.n; i++)
		if (c->kinds.at[i].stays && has_like(&c->kinds.at[i], p, metric)) {
			count[0] += c->kinds.at[i].count[0];
			count[1] += c->kinds.at[i].count[1];
		}
	return (count[0] || !side_count(c, 0)) && (count[1] || !side_count(c, 1))
	           ? count[0] + count[1]
	           : 0;
}

/* The metric of most profiles; of equal ones a primary one, then the first. */
static bool
candidate_find(const struct choice *c, const char *name, struct candidate *best)
{
	size_t i, m;

	*best = (struct candidate){ 0 };
	for (i = 0; i < c->kinds.n; i++) {
		const struct pp_profile *p = c->kinds.at[i].profile;
		size_t only = p && name ? pp_profile_metric_find(p, name_of(c, name, 0)) : 0;

		for (m = 0; p && c->kinds.at[i].stays && m < pp_metrics_shown(p); m++) {
			struct candidate is = { i, m, 0, m == pp_profile_primary(p) };

			if (name && m != only)
				continue;
			is.count = candidate_count(c, p, m);
			if (is.count > best->count ||
			    (is.count == best->count && is.primary && !best->primary))
				*best = is;
		}
	}
	return best->count > 0;
}

/* Keeps the kinds that have one metric, and has the question ask for it. */
static pp_status
compared_choose(struct choice *c)
{
	struct pp_asked *asked = c->r->asking.params;
	const struct pp_profile *p, *first = NULL;
	struct pp_buf name = { 0 };
	struct candidate best;
	size_t i, m;

	if (!candidate_find(c, asked->metric, &best))
		return PP_OK;
	p = c->kinds.at[best.kind].profile;
	for (i = 0; i < c->kinds.n; i++)
		c->kinds.at[i].stays = c->kinds.at[i].stays &&
		                       (!c->kinds.at[i].profile ||
		                        has_like(&c->kinds.at[i], p, best.metric));
	for (i = 0; i < c->n && !first; i++)
		if (c->kind_of[i] != NO_KIND && c->kinds.at[c->kind_of[i]].stays)
			first = c->kinds.at[c->kind_of[i]].profile;
	if (asked->metric || !first)
		return PP_OK;
	m = first == p ? best.metric : pp_profile_metric_like(first, p, best.metric);
	pp_metric_label(first, &first->metrics.at[m], &name);
	asked->metric = pp_answer_copy(answer_of(c->r), pp_slice_of(name.p ? name.p : "", name.n));
	pp_buf_release(&name);
	return answer_of(c->r)->failed ? pp_answer_fail_status(answer_of(c->r), PP_E_NOMEM) : PP_OK;
}

/* ---- what is left out ---- */

/* Adds how to ask for a kind that is left out. */
static void
hint_put(const struct choice *c, const struct kind *out, struct pp_buf *text)
{
	const struct pp_profile *p = out->profile;
	struct pp_buf name = { 0 };
	size_t i, m = pp_profile_primary(p);

	for (i = 0; i < c->kinds.n; i++)
		if (m < p->metrics.n && c->kinds.at[i].stays && has_like(&c->kinds.at[i], p, m))
			break;
	if (m < p->metrics.n && i == c->kinds.n) {
		pp_metric_label(p, &p->metrics.at[m], &name);
		pp_buf_adds(text, " (-m ");
		pp_suggest_word(text, name.p ? name.p : "");
		pp_buf_adds(text, ")");
	} else if (i < c->kinds.n && strcmp(c->kinds.at[i].is.format, out->is.format) != 0) {
		pp_buf_addf(text, " (--where format=%s)", out->is.format);
	}
	pp_buf_release(&name);
}

/* How many profiles of each kind are left out, and how to ask for them. */
static void
left_out_note(struct choice *c, size_t left_out, size_t all)
{
	struct pp_answer *a = answer_of(c->r);
	struct pp_buf text = { 0 };
	size_t i, listed = 0;

	pp_units_u64(&text, left_out);
	pp_buf_adds(&text, " of ");
	pp_units_u64(&text, all);
	pp_buf_addf(&text, " profiles %s left out: ", pp_plural(left_out, "is", "are"));
	for (i = 0; i < c->kinds.n; i++) {
		const struct kind *k = &c->kinds.at[i];

		if (k->stays || !k->profile || k->is_file)
			continue;
		if (listed++ == 4) {
			pp_buf_adds(&text, "; …");
			break;
		}
		pp_buf_adds(&text, listed > 1 ? "; " : "");
		pp_units_u64(&text, kind_count(k));
		pp_buf_addf(&text, " %s ", pp_plural(kind_count(k), "has", "have"));
		measures_put(&text, k->profile);
		hint_put(c, k, &text);
	}
	pp_answer_note(a, "profiles-left-out", "%s", pp_answer_made(a, &text));
	pp_buf_release(&text);
}

/* Takes what does not stay out of the files and the selections. */
static pp_status
files_narrow(struct choice *c, size_t *n, size_t *split)
{
	struct pp_members *members = &c->r->members;
	bool *stays = calloc(members->list.n + 1, sizeof *stays);
	size_t i, kept = 0, left_out = 0, stored = 0, before = c->split;

	if (!stays)
		return pp_answer_fail_status(answer_of(c->r), PP_E_NOMEM);
	for (i = 0; i < members->list.n; i++)
		stays[i] = true;
	for (i = 0; i < c->n; i++) {
		bool out = c->kind_of[i] != NO_KIND && !c->kinds.at[c->kind_of[i]].stays;

		stored += c->kind_of[i] != NO_KIND;
		left_out += out;
		before -= out && i < c->split;
		if (out)
			stays[pp_member_find(c->r, c->files[i]) - members->list.at] = false;
		else
			c->files[kept++] = c->files[i];
	}
	if (left_out) {
		left_out_note(c, left_out, stored);
		pp_members_narrow(c->r, stays);
		c->r->left_out += left_out;
	}
	free(stays);
	*n = kept;
	if (split)
		*split = before;
	return PP_OK;
}

static pp_status
choice_make(struct choice *c, enum pp_together together)
{
	const char *metric = c->r->asking.params->metric;
	pp_status status = PP_OK;
	bool some = true;
	uint32_t k;

	for (k = 0; k < c->kinds.n && status == PP_OK; k++) {
		c->kinds.at[k].stays = true;
		status = kind_read(c, k);
	}
	if (status == PP_OK)
		answering_choose(c);
	if (status == PP_OK && metric) {
		metric_choose(c, metric, &some);
		if (!some)
			return metric_missing(c, metric);
	}
	if (status != PP_OK || (metric && strchr(metric, '=') && together == PP_TOGETHER_COMPARED))
		return status;
	return together == PP_TOGETHER_MERGED ? merged_choose(c) : compared_choose(c);
}

pp_status
pp_members_alike(struct pp_reply *r, enum pp_together together, const char **files, size_t *n,
                 size_t *split)
{
	struct choice c = { .r = r, .files = files, .n = *n, .split = split ? *split : *n };
	pp_status status = PP_OK;

	if (r->members.list.n < 2)
		return PP_OK;
	if (!kinds_find(&c))
		status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	else if (c.kinds.n > 1 && !files_add(&c))
		status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	else if (c.kinds.n > 1 && c.kinds.n <= KINDS_MOST)
		status = choice_make(&c, together);
	if (status == PP_OK && c.kinds.n > 1 && c.kinds.n <= KINDS_MOST)
		status = files_narrow(&c, n, split);
	choice_release(&c);
	return status;
}
