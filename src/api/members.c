/*
 * Profiles out of a store, asked about like files: a name stands for each, and it is known by the address of that name.
 */
#include "api/members.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static struct pp_answer *
answer_of(struct pp_reply *r)
{
	return &r->asking.answer;
}

bool
pp_provider_knows(const struct pp_reply *r, const char *source)
{
	return r->opts.provider && r->opts.provider->mine(source);
}

/* The first option that selects profiles of a store, NULL when none is given. */
static const char *
selecting_option(const struct pp_reply *r)
{
	const struct pp_selecting *t = &r->asking.params->store;

	return t->where     ? "where"
	       : t->since   ? "since"
	       : t->until   ? "until"
	       : t->between ? "between"
	                    : NULL;
}

bool
pp_provider_meant(const struct pp_reply *r, const char *source, bool selects)
{
	size_t n = strlen(source);
	struct stat st;

	if (pp_provider_knows(r, source))
		return true;
	return r->opts.provider && (selects || selecting_option(r)) && strcmp(source, "-") != 0 &&
	       (stat(source, &st) != 0 || (n > 5 && strcmp(source + n - 5, ".ppdb") == 0));
}

const struct pp_stored *
pp_member_find(const struct pp_reply *r, const char *name)
{
	uint32_t i = pp_map_get(&r->members.index, (uint64_t)(uintptr_t)name);

	return i == PP_MAP_NONE ? NULL : &r->members.list.at[i];
}

void
pp_member_hint(const struct pp_reply *r, const char *file, struct pp_buf *out)
{
	const struct pp_stored *m = pp_member_find(r, file);

	if (!m)
		return;
	pp_buf_adds(out, "; --where selects others, and leaves this one out by '");
	r->opts.provider->without(m->selected, m->nth, out);
	pp_buf_adds(out, "'");
}

bool
pp_files_stay(const struct pp_reply *r, const char *const *files, size_t n)
{
	struct stat st;
	size_t i;

	for (i = 0; i < n; i++)
		if (!pp_member_find(r, files[i]) &&
		    (stat(files[i], &st) != 0 || !S_ISREG(st.st_mode)))
			return false;
	return true;
}

void
pp_members_release(struct pp_reply *r)
{
	struct pp_members *m = &r->members;

	while (m->selections.n > 0)
		r->opts.provider->close(m->selections.at[--m->selections.n]);
	pp_vec_release(&m->selections);
	pp_vec_release(&m->list);
	pp_map_release(&m->index);
}

/* Says what is wrong with a source, or with what is to be selected of it. */
static pp_status
select_failed(struct pp_reply *r, const char *source, pp_status status,
              const struct pp_buf *problem)
{
	if (status == PP_E_NOMEM)
		return pp_answer_fail_status(answer_of(r), status);
	return pp_answer_fail(answer_of(r), status,
	                      status == PP_E_USAGE ? "wrong-parameter" : "no-store", "%s%s%s",
	                      problem->n ? problem->p : source, problem->n ? "" : ": ",
	                      problem->n ? "" : pp_status_text(status));
}

/* Appends a condition that leaves out the sums in a selection; returns how many there are, and how many profiles are in them. */
static size_t
sums_count(const struct pp_reply *r, struct pp_selected *selected, uint64_t *in_sums,
           struct pp_buf *without)
{
	const struct pp_provider *provider = r->opts.provider;
	size_t i, n = provider->count(selected), sums = 0;

	for (i = 0; i < n; i++) {
		uint64_t profiles;
		int64_t begin;

		provider->when(selected, i, &begin, &profiles);
		if (profiles < 2)
			continue;
		pp_buf_adds(without, sums++ ? " and " : "");
		provider->without(selected, i, without);
		*in_sums += profiles;
	}
	return sums;
}

/* Refuses sums of profiles where each profile counts as one run: the variance of their parts is lost. */
static pp_status
sums_refuse(struct pp_reply *r, const char *source, struct pp_selected *selected)
{
	const char *where = r->asking.params->store.where;
	struct pp_buf without = { 0 };
	uint64_t in_sums = 0;
	pp_status status = PP_OK;
	size_t sums;

	if (!r->asking.question->per_run)
		return PP_OK;
	if (where)
		pp_buf_addf(&without, "(%s) and ", where);
	sums = sums_count(r, selected, &in_sums, &without);

	if (without.failed)
		status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	else if (sums)
		status = pp_answer_fail(
		    answer_of(r), PP_E_INVALID, "store-sums",
		    "%s: %s compares single runs, and %zu of the selected profiles %s of %" PRIu64
		    " runs that polyprof 0.1 added up; --where '%s' leaves %s out",
		    source, r->asking.question->name, sums, sums == 1 ? "is a sum" : "are sums",
		    in_sums, without.p ? without.p : "", sums == 1 ? "it" : "them");
	pp_buf_release(&without);
	return status;
}

/* Gives each of a selection its name. */
static pp_status
members_name(struct pp_reply *r, struct pp_selected *selected, pp_file_names *names)
{
	const struct pp_provider *provider = r->opts.provider;
	struct pp_members *m = &r->members;
	size_t i, n = provider->count(selected);

	for (i = 0; i < n; i++) {
		const char *shown = provider->name(selected, i);
		char *name = shown ? pp_answer_alloc(answer_of(r), strlen(shown) + 1) : NULL;

		if (!name)
			return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
		memcpy(name, shown, strlen(shown) + 1);
		if (m->list.n >= PP_MAP_NONE ||
		    !pp_map_set(&m->index, (uint64_t)(uintptr_t)name, (uint32_t)m->list.n) ||
		    !pp_vec_push(&m->list, (struct pp_stored){ selected, i }) ||
		    !pp_vec_push(names, (const char *)name))
			return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	}
	return PP_OK;
}

pp_status
pp_members_expand(struct pp_reply *r, const char *source, const char *where, pp_file_names *names)
{
	const struct pp_provider *provider = r->opts.provider;
	const struct pp_selecting *given = &r->asking.params->store;
	struct pp_provider_texts texts = { .where = given->where,
		                           .since = given->since,
		                           .until = given->until,
		                           .between = given->between,
		                           .side = where,
		                           .partial = given->partial,
		                           .max_nodes = given->max_nodes };
	struct pp_buf problem = { 0 };
	struct pp_selected *selected = NULL;
	pp_status status;

	status = provider->select(source, &texts, &selected, &problem);
	if (status != PP_OK) {
		status = select_failed(r, source, status, &problem);
	} else if (!pp_vec_push(&r->members.selections, selected)) {
		provider->close(selected);
		status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	} else if (provider->count(selected) == 0) {
		status = pp_answer_fail(answer_of(r), PP_E_INVALID, "no-profiles",
		                        "%s: no profile of it is selected%s%s", source,
		                        where ? " by " : "", where ? where : "");
	} else {
		status = sums_refuse(r, source, selected);
		if (status == PP_OK)
			status = members_name(r, selected, names);
	}
	pp_buf_release(&problem);
	return status;
}

/* ---- fewer of them ---- */

void
pp_members_narrow(struct pp_reply *r, bool *stays)
{
	struct pp_members *m = &r->members;
	size_t first, i;

	/* Members of a selection follow each other, in its order. */
	for (first = 0; first < m->list.n; first = i) {
		struct pp_selected *selected = m->list.at[first].selected;
		size_t there = 0, nth = 0;

		for (i = first; i < m->list.n && m->list.at[i].selected == selected; i++) {
			if (m->list.at[i].nth == SIZE_MAX)
				continue;
			m->list.at[i].nth = stays[i] ? nth++ : SIZE_MAX;
			stays[first + there++] = stays[i];
		}
		r->opts.provider->narrow(selected, stays + first);
	}
}

/* ---- labels that matter ---- */

/* Collects the keys of the labels of stored profiles, each once; false when out of memory. */
static bool
keys_collect(struct pp_reply *r, const char *const *files, size_t n, struct pp_strtab *keys)
{
	const struct pp_provider *provider = r->opts.provider;
	bool fine = true, is_new;
	size_t i, k;
	pp_str id;

	for (i = 0; fine && i < n; i++) {
		const struct pp_stored *m = pp_member_find(r, files[i]);
		struct pp_slice key;

		for (k = 0; m && fine && (key = provider->label_key(m->selected, m->nth, k)).n; k++)
			fine = pp_strtab_intern(keys, key.p, key.n, &id, &is_new);
	}
	return fine;
}

/* Keep each key of a list of `n`, and `more` after them, once: with two equal keys a label would cost twice. Returns how many are left. */
static size_t
keys_unite(struct pp_slice *list, size_t n, size_t more)
{
	size_t i, k, end = n + more;

	for (i = n; i < end; i++) {
		for (k = 0; k < n && !pp_slice_eq(list[k], list[i]); k++)
			;
		if (k == n)
			list[n++] = list[i];
	}
	return n;
}

pp_status
pp_load_labels(struct pp_reply *r, const char *const *files, size_t n, struct pp_load_order *order)
{
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	struct pp_want want = pp_asking_want(&r->asking);
	size_t named = scope ? pp_scope_key_count(scope) : 0, i, all;
	struct pp_strtab keys;
	struct pp_slice *list = NULL;
	bool fine = pp_strtab_init(&keys, pp_load_clock());

	if (fine && want.labels)
		fine = keys_collect(r, files, n, &keys);
	all = keys.strs.n ? keys.strs.n - 1 : 0;
	if (fine)
		list = pp_answer_alloc(answer_of(r), (all + named + 1) * sizeof *list);
	for (i = 0; list && i < all; i++) {
		struct pp_slice key = pp_strtab_get(&keys, (pp_str)(i + 1));

		list[i] = pp_slice_of(pp_answer_copy(answer_of(r), key), key.n);
	}
	pp_strtab_release(&keys);
	if (!list || answer_of(r)->failed)
		return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	r->subject.label_keys = list;
	r->subject.label_key_count = all;
	order->label_keys = list;
	order->label_key_count = keys_unite(list, all,
	                                    scope ? pp_scope_label_keys(scope, list + all) : 0);
	order->all_labels = want.facets & PP_LABELS;
	return PP_OK;
}

/* ---- by the values of a label ---- */

/* The value of a label of a profile, as long as the answer lives; NULL when out of memory. */
static const char *
value_of(struct pp_reply *r, const char *name, const char *key)
{
	const struct pp_stored *m = pp_member_find(r, name);

	return pp_answer_copy(answer_of(r),
	                      r->opts.provider->label(m->selected, m->nth, pp_slice_z(key)));
}

/* Names with the value of the first, then the others, into *out; how many values there are, three standing for more. */
static size_t
values_divide(struct pp_reply *r, const pp_file_names *names, const char *key, const char **out)
{
	const char *first = value_of(r, names->at[0], key), *second = NULL, *value;
	size_t i, n = 0, values = 1;

	for (i = 0; i < names->n; i++)
		if ((value = value_of(r, names->at[i], key)) != NULL && strcmp(value, first) == 0)
			out[n++] = names->at[i];
	r->subject.split = n;
	for (i = 0; i < names->n; i++) {
		value = value_of(r, names->at[i], key);
		if (!value || strcmp(value, first) == 0)
			continue;
		values = !second ? 2 : strcmp(value, second) != 0 ? 3 : values;
		second = second ? second : value;
		out[n++] = names->at[i];
	}
	return values;
}

bool
pp_members_by_label(struct pp_reply *r, const char *source, pp_status *status, const char ***out)
{
	size_t scope_at = r->asking.question->scope_at, values;
	struct pp_scope *scope = scope_at ? (void *)((char *)r->asking.params + scope_at) : NULL;
	pp_file_names names = { 0 };
	const char *key;

	if (!scope || scope->by.choice != PP_BY_LABEL || !pp_provider_meant(r, source, false))
		return false;
	key = scope->by.key;
	/* Rows are functions, and columns the values. */
	scope->by.choice = PP_BY_FUNCTION;
	*status = pp_members_expand(r, source, NULL, &names);
	*out = pp_answer_alloc(answer_of(r), (names.n + 1) * sizeof **out);
	if (*status == PP_OK && !*out)
		*status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	if (*status == PP_OK) {
		values = values_divide(r, &names, key, *out);
		r->subject.n = names.n;
		if (values > 2) {
			memcpy(*out, names.at, names.n * sizeof **out);
			r->subject.by = key;
		}
		if (answer_of(r)->failed)
			*status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
		else if (values == 1)
			*status = pp_answer_fail(answer_of(r), PP_E_USAGE, PP_RULE_USAGE,
			                         "%s: the profiles have the same '%s', so there is "
			                         "nothing to compare",
			                         source, key);
		else if (values > 2 && pp_asking_whole(&r->asking))
			*status = pp_answer_fail(
			    answer_of(r), PP_E_USAGE, PP_RULE_USAGE,
			    "label '%s' has more than two values: --before and "
			    "--after select two for an excerpt",
			    key);
	}
	pp_vec_release(&names);
	return true;
}

pp_status
pp_members_wanted(struct pp_reply *r)
{
	const char *name = selecting_option(r);

	if (!name || r->members.selections.n > 0)
		return PP_OK;
	return pp_answer_fail(answer_of(r), PP_E_USAGE, PP_RULE_USAGE,
	                      "--%s selects profiles of a store, and none is named", name);
}

/* The selection that files are the whole of, in its order; NULL when they are not. */
static struct pp_selected *
whole_selection(struct pp_reply *r, const char *const *files, size_t n)
{
	const struct pp_stored *first = n > 1 ? pp_member_find(r, files[0]) : NULL;
	size_t i;

	if (!first || r->opts.provider->count(first->selected) != n)
		return NULL;
	for (i = 0; i < n; i++) {
		const struct pp_stored *m = pp_member_find(r, files[i]);

		if (!m || m->selected != first->selected || m->nth != i)
			return NULL;
	}
	return first->selected;
}

pp_status
pp_members_load_all(struct pp_reply *r, const char *const *files, size_t n,
                    const struct pp_order *order, struct pp_profile **out)
{
	struct pp_selected *all = whole_selection(r, files, n);
	struct pp_buf problem = { 0 };
	pp_status status;

	/* What a store says of its profiles would be lost. */
	if (order->label_key_count || !all || !r->opts.provider->load_all)
		return PP_E_UNSUPPORTED;
	status = r->opts.provider->load_all(all, order, out, &problem);
	if (status != PP_OK && status != PP_E_UNSUPPORTED)
		status = select_failed(r, files[0], status, &problem);
	pp_buf_release(&problem);
	return status;
}

pp_status
pp_members_load_most(struct pp_reply *r, const char *const *files, size_t n,
                     const struct pp_order *order, bool *taken, struct pp_profile **out)
{
	struct pp_selected *all = whole_selection(r, files, n);
	struct pp_buf problem = { 0 };
	pp_status status;

	if (!all || !r->opts.provider->load_most)
		return PP_E_UNSUPPORTED;
	status = r->opts.provider->load_most(all, order, taken, out, &problem);
	if (status != PP_OK && status != PP_E_UNSUPPORTED)
		status = select_failed(r, files[0], status, &problem);
	pp_buf_release(&problem);
	return status;
}

pp_status
pp_member_costs(struct pp_reply *r, const char *name, bool timed, struct pp_profile **out)
{
	const struct pp_provider *provider = r->opts.provider;
	const struct pp_stored *m = pp_member_find(r, name);
	struct pp_buf problem = { 0 };
	pp_status status;

	if (!m || !provider->load_costs || pp_members_lack(r))
		return PP_E_UNSUPPORTED;
	status = provider->load_costs(m->selected, m->nth, timed, out, &problem);
	if (status != PP_OK && status != PP_E_UNSUPPORTED)
		status = select_failed(r, name, status, &problem);
	pp_buf_release(&problem);
	/* Setting frames aside needs stacks. */
	if (status == PP_OK && pp_asking_want(&r->asking).facets & PP_ASIDE &&
	    pp_set_aside_needs_stacks(*out)) {
		pp_profile_free(*out);
		*out = NULL;
		status = PP_E_UNSUPPORTED;
	}
	return status;
}

bool
pp_members_lack(const struct pp_reply *r)
{
	struct pp_provider_facts facts = { 0 };
	size_t i;

	for (i = 0; i < r->members.selections.n && !facts.lacks; i++)
		r->opts.provider->facts(r->members.selections.at[i], &facts);
	return facts.lacks;
}

void
pp_members_facts(struct pp_reply *r)
{
	struct pp_answer *a = answer_of(r);
	struct pp_provider_facts all = { 0 }, one;
	size_t i;

	if (r->members.selections.n == 0)
		return;
	for (i = 0; i < r->members.selections.n; i++) {
		r->opts.provider->facts(r->members.selections.at[i], &one);
		if (i > 0) {
			one.profiles += all.profiles;
			one.series += all.series;
			one.samples += all.samples;
			one.promised += all.promised;
			one.lacks |= all.lacks;
			one.can_push |= all.can_push;
			one.pushed |= all.pushed;
			one.cut += all.cut;
			one.source = all.source;
			one.where = r->asking.params->store.where;
		}
		all = one;
	}
	pp_answer_open(a, "store");
	pp_answer_text(a, "source", PP_AS_NAME, pp_slice_z(all.source));
	if (all.where)
		pp_answer_text(a, "where", PP_AS_NAME, pp_slice_z(all.where));
	if (all.has_since)
		pp_answer_int(a, "since", all.since);
	if (all.has_until)
		pp_answer_int(a, "until", all.until);
	pp_answer_count(a, "profiles", all.profiles);
	if (r->left_out)
		pp_answer_count(a, "left_out", r->left_out);
	pp_answer_count(a, "samples", all.samples);
	pp_answer_count(a, "series", all.series);
	pp_answer_count(a, "promised", all.promised);
	if (all.lacks)
		pp_answer_bool(a, "complete", false);
	if (all.can_push)
		pp_answer_bool(a, "pushed", all.pushed);
	if (all.cut)
		pp_answer_count(a, "cut", all.cut);
	pp_answer_close(a);
	if (all.lacks)
		pp_answer_note(
		    a, "store-lacks",
		    "the store does not hold all that was added: the answer is about the rest");
}
