/*
 * Profiles that are asked about one after the other: many runs that are compared, and a store over time.
 */
#include "api/sequence.h"

#include "api/members.h"
#include "questions/compare.h"

static struct pp_answer *
answer_of(struct pp_reply *r)
{
	return &r->asking.answer;
}

static void
profile_release(void *profile)
{
	pp_profile_free(*(struct pp_profile **)profile);
}

struct sequence {
	struct pp_reply *r;
	const char *const *files;
	struct pp_load_order order;
	bool costs;              /* of functions suffice, where there are any; */
	bool timed;              /* how long each took must be known, too */
	struct pp_profile *held; /* the one that was read last */
};

static void
sequence_when(void *data, size_t nth, int64_t *begin, uint64_t *profiles)
{
	const struct sequence *s = data;
	const struct pp_stored *m = pp_member_find(s->r, s->files[nth]);

	s->r->opts.provider->when(m->selected, m->nth, begin, profiles);
}

static struct pp_slice
sequence_label(void *data, size_t nth, struct pp_slice key)
{
	const struct sequence *s = data;
	const struct pp_stored *m = pp_member_find(s->r, s->files[nth]);

	return s->r->opts.provider->label(m->selected, m->nth, key);
}

static pp_status
sequence_load(void *data, size_t nth, const struct pp_profile **profile)
{
	struct sequence *s = data;
	pp_status status;

	pp_profile_free(s->held);
	s->held = NULL;
	status = s->costs ? pp_member_costs(s->r, s->files[nth], s->timed, &s->held)
	                  : PP_E_UNSUPPORTED;
	if (status == PP_E_UNSUPPORTED)
		status = pp_load_files(s->r, s->files + nth, 1, &s->order, &s->held);
	if (status == PP_OK)
		status = pp_topic_scope(s->r, &s->order.want, &s->held);
	*profile = s->held;
	return status;
}

static bool
sequence_keep(void *data)
{
	struct sequence *s = data;
	struct pp_profile **kept =
	    s->held ? pp_answer_own(answer_of(s->r), sizeof *kept, profile_release) : NULL;

	if (kept)
		*kept = s->held;
	s->held = NULL;
	return kept != NULL;
}

/* So many runs are not held at once. */
#define RUNS_MANY 16

pp_status
pp_ask_runs(struct pp_reply *r, const char *const *files, const struct pp_load_order *order)
{
	const struct pp_compared *params =
	    (const struct pp_compared *)(const void *)r->asking.params;
	struct sequence s = { .r = r,
		              .files = files,
		              .order = *order,
		              .costs = order->want.facets & PP_COSTS,
		              .timed = params->normalize == PP_NORM_TIME };
	struct pp_sequence sequence = { r->subject.n,  &s,           sequence_when, sequence_label,
		                        sequence_load, sequence_keep };
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	pp_status status;
	size_t i;

	if (scope && pp_scope_given(scope)) {
		s.costs = false;
		s.order.want.facets = pp_scope_facets(scope, pp_asking_want(&r->asking).facets);
	}
	status = pp_load_labels(r, files, r->subject.n, &s.order);
	if (status != PP_OK)
		return status;
	for (i = 0; i < r->subject.n; i++)
		r->topics[i] = (struct pp_topic){ .file = files[i] };
	r->subject.sequence = &sequence;
	status = pp_asking_run(&r->asking, &r->subject);
	r->subject.sequence = NULL;
	pp_profile_free(s.held);
	return status;
}

bool
pp_runs_stream(const struct pp_reply *r, const struct pp_load_order *order)
{
	const struct pp_subject *s = &r->subject;
	const struct pp_scope *scope = pp_asking_scope(&r->asking);

	return s->by || (s->n >= RUNS_MANY && s->split > 0 && s->split < s->n &&
	                 (order->want.facets & PP_COSTS) && !r->asking.params->base &&
	                 !pp_topic_wants_whole(r) && !(scope && pp_scope_given(scope)));
}

pp_status
pp_ask_over_time(struct pp_reply *r, const char *const *files, size_t n)
{
	struct sequence s = { .r = r,
		              .files = files,
		              .order = { .want = pp_asking_want(&r->asking) },
		              .costs = true };
	struct pp_sequence sequence = {
		n, &s, sequence_when, sequence_label, sequence_load, sequence_keep
	};
	pp_status status = pp_load_labels(r, files, n, &s.order);

	if (status != PP_OK)
		return status;
	r->subject.sequence = &sequence;
	status = pp_asking_run(&r->asking, &r->subject);
	r->subject.sequence = NULL;
	pp_profile_free(s.held);
	return status;
}
