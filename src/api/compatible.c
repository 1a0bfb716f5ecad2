/*
 * Choosing profiles of a store that measure the same things: see alike.h.
 *
 * Stores say of each profile which metrics it has, so profiles are of few kinds. One profile of each kind is read, and what
 * merging says of these holds for all. Nothing is read if all profiles are of one kind.
 */
#include "api/compatible_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "api/members.h"
#include "model/merge.h"
#include "questions/scope.h"

/* With more kinds than that, merging decides by itself. */
#define KINDS_MOST 256
/* How many profiles are tried to find one that is not empty. */
#define TRIES_MOST 16
#define NO_KIND UINT32_MAX

static void
choice_release(struct pp_compatible *c)
{
	size_t i;

	for (i = 0; i < c->kinds.n; i++)
		pp_profile_free(c->kinds.at[i].profile);
	pp_vec_release(&c->kinds);
	pp_filter_release(&c->labels);
	free(c->kind_of);
}

/* ---- kinds ---- */

static bool
same_measures(const struct pp_measures *a, const struct pp_measures *b)
{
	return !a->stacks == !b->stacks && pp_slice_eq(a->units, b->units) &&
	       strcmp(a->format, b->format) == 0;
}

/* Find the rules of --label. A wrong one is reported by the filter. */
static void
labels_find(struct pp_compatible *c)
{
	const struct pp_scope *scope = pp_asking_scope(&c->r->asking);
	struct pp_buf problem = { 0 };
	size_t i;

	for (i = 0; scope && i < scope->filters.list.n; i++) {
		const struct pp_text_given *given = &scope->filters.list.at[i];

		if (strcmp(given->param->name, "label") == 0)
			(void)pp_filter_add_label(&c->labels, pp_slice_z(given->text), &problem);
	}
	pp_buf_release(&problem);
}

/* Tell whether all rules of --label choose a profile by its labels in the store. */
static bool
labels_keep(const struct pp_compatible *c, const struct pp_stored *m)
{
	size_t i;

	for (i = 0; i < c->labels.labels.n; i++) {
		const struct pp_label_rule *rule = &c->labels.labels.at[i];

		if (!pp_label_rule_text(rule,
		                        c->r->opts.provider->label(m->selected, m->nth, rule->key)))
			return false;
	}
	return i > 0;
}

/* Count a profile as one of a kind. */
static void
kind_count_add(struct pp_compatible *c, uint32_t k, size_t side, const struct pp_stored *m)
{
	c->kinds.at[k].count[side]++;
	c->kinds.at[k].kept[side] += labels_keep(c, m);
}

/* Sorts the files into kinds; false when out of memory. */
static bool
kinds_find(struct pp_compatible *c)
{
	uint32_t last = 0, k;
	size_t i;

	c->kind_of = malloc((c->n + 1) * sizeof *c->kind_of);
	for (i = 0; c->kind_of && i < c->n && c->kinds.n <= KINDS_MOST; i++) {
		const struct pp_stored *m = pp_member_find(c->r, c->files[i]);
		struct pp_compatible_kind made = { .smallest = i };

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
		kind_count_add(c, k, i >= c->split, m);
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
files_add(struct pp_compatible *c)
{
	size_t i;

	for (i = 0; i < c->n && c->kinds.n <= KINDS_MOST; i++) {
		struct pp_compatible_kind made = { .smallest = i,
			                           .is_file = true,
			                           .is.format = "" };

		made.count[i >= c->split] = made.kept[i >= c->split] = c->n;
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
kind_read(struct pp_compatible *c, uint32_t k)
{
	struct pp_compatible_kind *kind = &c->kinds.at[k];
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

/* How many profiles stay on a side. */
static size_t
side_count(const struct pp_compatible *c, size_t side)
{
	size_t i, n = 0;

	for (i = 0; i < c->kinds.n; i++)
		n += c->kinds.at[i].stays ? c->kinds.at[i].count[side] : 0;
	return n;
}

/* Count the profiles of a kind that decide: those that --label keeps, if it keeps any. */
static size_t
kind_weight(const struct pp_compatible *c, const struct pp_compatible_kind *k, size_t side)
{
	return c->any_kept ? k->kept[side] : k->count[side];
}

/* Count the profiles that decide on a side, of those that stay. */
static size_t
side_weight(const struct pp_compatible *c, size_t side)
{
	size_t i, n = 0;

	for (i = 0; i < c->kinds.n; i++)
		n += c->kinds.at[i].stays ? kind_weight(c, &c->kinds.at[i], side) : 0;
	return n;
}

/* Whether a side has profiles. */
static bool
side_exists(const struct pp_compatible *c, size_t side)
{
	size_t i;

	for (i = 0; i < c->kinds.n && !c->kinds.at[i].count[side]; i++)
		;
	return i < c->kinds.n;
}

/* ---- a metric that is asked for ---- */

/* The name of the metric that rows are sorted by, or that one side of "A=B" has. */
static struct pp_slice
name_of(const struct pp_compatible *c, const char *metric, size_t side)
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
kind_has(const struct pp_compatible *c, const struct pp_compatible_kind *k, const char *metric,
         size_t side)
{
	return k->profile &&
	       pp_profile_metric_find(k->profile, name_of(c, metric, side)) < k->profile->metrics.n;
}

/* Keeps the kinds that have the metric; *some: there are any on each side. */
static void
metric_choose(struct pp_compatible *c, const char *metric, bool *some)
{
	size_t i, side, found = 0;

	for (i = 0; i < c->kinds.n; i++) {
		struct pp_compatible_kind *k = &c->kinds.at[i];

		bool has = false;

		for (side = 0; side < 2; side++)
			has |= k->count[side] && kind_has(c, k, metric, side);
		k->is_asked = has;
		k->stays = k->stays && has;
		found += k->stays;
	}
	*some = found > 0;
	for (side = 0; side < 2; side++)
		*some = *some && (side_count(c, side) > 0 || !side_exists(c, side));
}

/* Keeps the kinds that the question can be answered about, if there are any. */
static void
answering_choose(struct pp_compatible *c)
{
	bool (*answers)(const struct pp_profile *) = c->r->asking.question->answers;
	size_t i, found = 0;

	for (i = 0; answers && i < c->kinds.n; i++)
		found += c->kinds.at[i].profile && answers(c->kinds.at[i].profile);
	for (i = 0; found && i < c->kinds.n; i++)
		c->kinds.at[i].stays = c->kinds.at[i].profile && answers(c->kinds.at[i].profile);
}

/* ---- profiles that are merged ---- */

/* Adds kinds to a merge until no other agrees, as one part. False when out of memory. */
static bool
part_grow(struct pp_compatible *c, struct pp_merge *merge, uint32_t number)
{
	struct pp_buf problem = { 0 };
	bool grown = true, memory = true;
	size_t i;

	while (grown && memory)
		for (grown = false, i = 0; i < c->kinds.n && memory; i++) {
			const struct pp_compatible_kind *k = &c->kinds.at[i];
			pp_status status;

			if (c->kinds.at[i].part || !k->stays || !k->profile || k->is_empty)
				continue;
			problem.n = 0;
			status = pp_merge_add(merge, k->profile, &problem);
			memory = status != PP_E_NOMEM;
			if (status == PP_E_USAGE)
				continue;
			c->kinds.at[i].part = number;
			/* After a sum that does not fit, merging says so for all of them. */
			grown = status == PP_OK;
			if (!grown)
				break;
		}
	pp_buf_release(&problem);
	return memory;
}

/* Divides kinds that stay and have no part yet into parts that can be merged; false when out of memory. */
static bool
parts_find(struct pp_compatible *c)
{
	struct pp_merge merge;
	bool fine = true;
	size_t i, k;

	for (i = 0; i < c->kinds.n && fine; i++) {
		if (c->kinds.at[i].part || !c->kinds.at[i].stays || !c->kinds.at[i].profile ||
		    c->kinds.at[i].is_empty)
			continue;
		if (!pp_merge_init(&merge, NULL, pp_load_clock()))
			return false;
		for (k = 0; k < c->kinds.n && fine; k++)
			fine = !c->kinds.at[k].profile ||
			       pp_merge_see(&merge, c->kinds.at[k].profile);
		merge.all_seen = true;
		fine = fine && part_grow(c, &merge, ++c->parts);
		pp_merge_release(&merge);
	}
	return fine;
}

/* Keeps the part with the most profiles, of those with profiles on both sides, the first of equal ones. */
static pp_status
merged_choose(struct pp_compatible *c)
{
	uint32_t best = 0, p;
	size_t i, most = 0;

	if (!parts_find(c))
		return pp_answer_fail_status(pp_compatible_answer(c), PP_E_NOMEM);
	for (p = 1; p <= c->parts; p++) {
		size_t count[2] = { 0, 0 };

		for (i = 0; i < c->kinds.n; i++)
			if (c->kinds.at[i].part == p) {
				count[0] += kind_weight(c, &c->kinds.at[i], 0);
				count[1] += kind_weight(c, &c->kinds.at[i], 1);
			}
		if ((count[0] || !side_weight(c, 0)) && (count[1] || !side_weight(c, 1)) &&
		    count[0] + count[1] > most) {
			most = count[0] + count[1];
			best = p;
		}
	}
	/* Empty profiles fit any kind; loading reports those that cannot be read. */
	for (i = 0; i < c->kinds.n && best; i++)
		c->kinds.at[i].stays = c->kinds.at[i].stays &&
		                       (c->kinds.at[i].part == best || !c->kinds.at[i].part);
	return PP_OK;
}

/* ---- profiles that are compared ---- */

/* A metric of one kind, and how many profiles have one like it. */
struct candidate {
	size_t kind, metric, count;
	bool primary;
};

static bool
has_like(const struct pp_compatible_kind *k, const struct pp_profile *p, size_t metric)
{
	return k->profile && (k->profile == p || pp_profile_metric_like(k->profile, p, metric) <
	                                             k->profile->metrics.n);
}

/* Counts a candidate; 0 if a side has none of it. */
static size_t
candidate_count(const struct pp_compatible *c, const struct pp_profile *p, size_t metric)
{
	size_t count[2] = { 0, 0 }, i;

	for (i = 0; i < c->kinds.n; i++)
		if (c->kinds.at[i].stays && has_like(&c->kinds.at[i], p, metric)) {
			count[0] += kind_weight(c, &c->kinds.at[i], 0);
			count[1] += kind_weight(c, &c->kinds.at[i], 1);
		}
	return (count[0] || !side_weight(c, 0)) && (count[1] || !side_weight(c, 1))
	           ? count[0] + count[1]
	           : 0;
}

/* The metric of most profiles; of equal ones a primary one, then the first. */
static bool
candidate_find(const struct pp_compatible *c, const char *name, struct candidate *best)
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
compared_choose(struct pp_compatible *c)
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
	asked->metric = pp_answer_copy(pp_compatible_answer(c),
	                               pp_slice_of(name.p ? name.p : "", name.n));
	pp_buf_release(&name);
	return pp_compatible_answer(c)->failed
	           ? pp_answer_fail_status(pp_compatible_answer(c), PP_E_NOMEM)
	           : PP_OK;
}

/* ---- what is left out ---- */

/* Divide the kinds that are left out into parts, too, since -m chooses one of them. False when out of memory. */
static bool
rest_divide(struct pp_compatible *c)
{
	size_t i;
	bool fine;

	for (i = 0; i < c->kinds.n; i++)
		c->kinds.at[i].stays = !c->kinds.at[i].stays;
	fine = parts_find(c);
	for (i = 0; i < c->kinds.n; i++)
		c->kinds.at[i].stays = !c->kinds.at[i].stays;
	return fine;
}

/* Takes what does not stay out of the files and the selections. */
static pp_status
files_narrow(struct pp_compatible *c, size_t *n, size_t *split)
{
	struct pp_members *members = &c->r->members;
	bool *stays = calloc(members->list.n + 1, sizeof *stays);
	size_t i, kept = 0, left_out = 0, stored = 0, before = c->split;
	pp_status status = PP_OK;

	if (!stays)
		return pp_answer_fail_status(pp_compatible_answer(c), PP_E_NOMEM);
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
		if (c->together == PP_TOGETHER_MERGED && !rest_divide(c))
			status = pp_answer_fail_status(pp_compatible_answer(c), PP_E_NOMEM);
		if (status == PP_OK)
			status = pp_compatible_left_out(c, left_out, stored);
		pp_members_narrow(c->r, stays);
		c->r->left_out += left_out;
	}
	free(stays);
	*n = kept;
	if (split)
		*split = before;
	return status;
}

static pp_status
choice_make(struct pp_compatible *c)
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
			return pp_compatible_missing(c, metric);
	}
	for (k = 0; k < c->kinds.n; k++)
		c->any_kept |= c->kinds.at[k].stays &&
		               c->kinds.at[k].kept[0] + c->kinds.at[k].kept[1] > 0;
	if (status != PP_OK ||
	    (metric && strchr(metric, '=') && c->together == PP_TOGETHER_COMPARED))
		return status;
	return c->together == PP_TOGETHER_MERGED ? merged_choose(c) : compared_choose(c);
}

pp_status
pp_members_compatible(struct pp_reply *r, enum pp_together together, const char **files, size_t *n,
                      size_t *split)
{
	struct pp_compatible c = {
		.r = r, .together = together, .files = files, .n = *n, .split = split ? *split : *n
	};
	pp_status status = PP_OK;

	if (r->members.list.n < 2)
		return PP_OK;
	labels_find(&c);
	if (!kinds_find(&c))
		status = pp_answer_fail_status(&r->asking.answer, PP_E_NOMEM);
	else if (c.kinds.n > 1 && !files_add(&c))
		status = pp_answer_fail_status(&r->asking.answer, PP_E_NOMEM);
	else if (c.kinds.n > 1 && c.kinds.n <= KINDS_MOST)
		status = choice_make(&c);
	if (status == PP_OK && c.kinds.n > 1 && c.kinds.n <= KINDS_MOST)
		status = files_narrow(&c, n, split);
	choice_release(&c);
	return status;
}
