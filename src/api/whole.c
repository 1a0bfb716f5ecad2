/*
 * Profiles that are read whole, for the sake of handles, and stay on a shelf where there is one.
 */
#include "api/members.h"
#include "api/shelf.h"

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

static void
view_release(void *view)
{
	pp_view_release(view);
}

static void
shelved_release(void *shelved)
{
	pp_shelf_give(*(struct pp_shelved **)shelved);
}

bool
pp_topic_wants_whole(const struct pp_reply *r)
{
	const struct pp_scope *scope = pp_asking_scope(&r->asking);

	/* A report of what is on the shelf, too: the next one may have other filters. Labels would divide it for all. */
	return pp_asking_whole(&r->asking) ||
	       (r->opts.shelf && r->asking.question->makes == PP_MAKES_REPORT &&
	        !(scope && pp_scope_facets(scope, 0) & PP_LABELS));
}

uint32_t
pp_topic_stamp(struct pp_reply *r, const char *file)
{
	const struct pp_stored *m = pp_member_find(r, file);
	struct pp_shelf_key key;

	if (m)
		return r->opts.provider->stamp(m->selected, m->nth);
	return pp_shelf_key_of(file, &key) ? pp_shelf_stamp(&key) : 0;
}

/* Puts a profile on the shelf, and takes it for as long as the answer lives. */
static pp_status
shelf_put(struct pp_reply *r, const struct pp_shelf_key *key, struct pp_profile **profile,
          int64_t before, struct pp_topic *t)
{
	struct pp_shelved **kept = pp_answer_own(answer_of(r), sizeof *kept, shelved_release);
	struct pp_handles *handles = kept ? pp_handles_new(*profile) : NULL;
	const struct pp_account *account = pp_account_current();
	int64_t now = account ? account->used : 0;

	if (handles) {
		*kept = pp_shelf_put(r->opts.shelf, key, *profile, handles,
		                     now > before ? (uint64_t)(now - before) : 0);
		*profile = NULL;
	}
	if (kept && !*kept)
		answer_of(r)->owned.n--;
	if (!kept || !*kept)
		return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	t->whole = pp_shelved_profile(*kept);
	t->handles = pp_shelved_handles(*kept);
	return PP_OK;
}

/* What was read before, and what checking it found; false when that is nothing. */
static bool
shelf_find(struct pp_reply *r, const struct pp_shelf_key *key, struct pp_topic *t)
{
	struct pp_shelved *found = pp_shelf_take(r->opts.shelf, key), **kept;

	if (!found)
		return false;
	kept = pp_answer_own(answer_of(r), sizeof *kept, shelved_release);
	if (!kept) {
		pp_shelf_give(found);
		return false;
	}
	*kept = found;
	t->whole = pp_shelved_profile(found);
	t->handles = pp_shelved_handles(found);
	t->diags = pp_shelved_findings(found);
	return true;
}

/* Whether a profile that is read now serves other questions: nothing is set that others may set otherwise. */
static bool
can_shelve(const struct pp_reply *r, size_t n)
{
	const struct pp_reading *reading = &r->asking.params->reading;

	return r->opts.shelf && n == 1 && !reading->from && !reading->variant &&
	       !reading->inlined && !reading->symbolize && !reading->strict &&
	       !reading->options.list.n && !reading->maps.list.n;
}

bool
pp_topic_shelved(struct pp_reply *r, const char *file, size_t topic)
{
	struct pp_topic t = { .file = file };
	struct pp_shelf_key key;

	if (pp_member_find(r, file) || !can_shelve(r, 1) || !pp_shelf_key_of(file, &key) ||
	    !shelf_find(r, &key, &t))
		return false;
	t.profile = t.whole;
	t.chosen = t.whole->format;
	t.stamp = pp_shelf_stamp(&key);
	r->topics[topic] = t;
	return true;
}

bool
pp_topic_judged(struct pp_reply *r, const char *file, size_t topic)
{
	if (pp_topic_shelved(r, file, topic) && r->topics[topic].diags)
		return true;
	r->topics[topic] = (struct pp_topic){ 0 };
	return false;
}

void
pp_topic_judge(struct pp_reply *r, const struct pp_loaded *l)
{
	struct pp_shelved *kept;
	struct pp_shelf_key key;

	if (l->status != PP_OK || !l->profile || pp_member_find(r, l->file) || !can_shelve(r, 1) ||
	    !pp_shelf_key_of(l->file, &key))
		return;
	kept = pp_shelf_take(r->opts.shelf, &key);
	if (!kept)
		return;
	/* Who reads for findings alone may see an end that others did not come to. */
	if (pp_shelved_profile(kept)->complete == l->profile->complete)
		pp_shelved_judge(kept, l->diags);
	pp_shelf_give(kept);
}

/* Reads files as one profile, nothing filtered, which stays beside the view of it. */
static pp_status
whole_load(struct pp_reply *r, const char *const *files, size_t n,
           const struct pp_load_order *given, struct pp_topic *t)
{
	const struct pp_account *account = pp_account_current();
	int64_t before = account ? account->used : 0;
	struct pp_load_order order = *given;
	struct pp_profile *profile = NULL, **kept;
	struct pp_shelf_key key;
	bool known = !pp_member_find(r, files[0]) && pp_shelf_key_of(files[0], &key);
	pp_status status;

	t->stamp = pp_topic_stamp(r, files[0]);
	if (known && can_shelve(r, n) && shelf_find(r, &key, t))
		return PP_OK;
	order.base = r->asking.params->base;
	status = pp_load_files(r, files, n, &order, &profile);
	if (status == PP_OK && known && can_shelve(r, n) && !order.base) {
		status = shelf_put(r, &key, &profile, before, t);
	} else if (status == PP_OK) {
		kept = pp_answer_own(answer_of(r), sizeof *kept, profile_release);
		if (!kept)
			status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
		else
			t->whole = *kept = profile;
		profile = kept ? NULL : profile;
	}
	pp_profile_free(profile);
	return status;
}

pp_status
pp_topic_whole(struct pp_reply *r, const char *const *files, size_t n,
               const struct pp_load_order *order, size_t topic)
{
	static const struct pp_scope everything = { .depth = PP_UNSET };
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	struct pp_seen_for seen = pp_reply_seen_for(r, &order->want);
	struct pp_view *view = pp_answer_own(answer_of(r), sizeof *view, view_release);
	struct pp_topic t = { .file = n == 1 ? files[0] : NULL };
	pp_status status = view ? PP_OK : pp_answer_fail_status(answer_of(r), PP_E_NOMEM);

	if (status == PP_OK)
		status = whole_load(r, files, n, order, &t);
	if (status != PP_OK)
		return status;
	/* What is told of a file does not depend on whether it was checked before. */
	t.diags = NULL;
	pp_view_init(view, t.whole);
	status = pp_scope_apply(scope ? scope : &everything, view, &seen, answer_of(r));
	t.profile = view->shown;
	t.chosen = view->shown->format;
	r->topics[topic] = t;
	return status;
}
