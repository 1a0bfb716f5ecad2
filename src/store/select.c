/*
 * Stores as a source for the library: what is selected, in order, and what is said of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/sort.h"
#include "store/extract.h"
#include "store/hash.h"
#include "store/label_set.h"
#include "store/meta.h"
#include "store/parcel.h"
#include "store/store.h"
#include "store/when.h"
#include "store/where.h"

#define CONDITIONS 3

/* A selection, and the store it is of. */
struct chosen {
	struct pp_selected selected;
	struct pp_store *store;
	struct pp_store_list list;
	char *source;
	struct pp_buf where; /* as typed, all of it */
	struct pp_where *conditions[CONDITIONS];
	struct pp_selection selection;
	struct pp_buf name;
	struct pp_label_set labels; /* of the profile that was asked for last */
	const char *labels_of;
	/* What was promised of samples, and what of them is there, where the engine can tell. */
	bool audited, lacks, pushes, pushed, partial;
	uint64_t promised, found, cut;
	uint64_t profiles, stacks, extracts; /* of the whole list */
};

static int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * PP_SECOND + t.tv_nsec;
}

static void
selected_close(struct pp_selected *selected)
{
	struct chosen *s = (struct chosen *)selected;
	size_t i;

	if (!s)
		return;
	pp_store_list_release(&s->list);
	pp_store_close(s->store);
	for (i = 0; i < CONDITIONS; i++)
		pp_where_free(s->conditions[i]);
	pp_buf_release(&s->where);
	pp_buf_release(&s->name);
	pp_label_set_release(&s->labels);
	free(s->source);
	free(s);
}

/* ---- what is asked for ---- */

bool
pp_selection_fits(const struct pp_selection *s, const struct pp_store_entry *e)
{
	struct pp_window window = { s->since, s->until, s->has_since, s->has_until };
	struct pp_label_set labels = { 0 };
	struct pp_where_profile profile = { .format = pp_slice_z(e->format),
		                            .complete = e->complete };
	char hex[2 * PP_DIGEST + 1];
	bool fits = pp_window_meets(&window, e->t0, e->t1);
	size_t i;

	if (!fits || s->where_count == 0)
		return fits;
	pp_digest_hex(e->hash, hex);
	profile.hash = pp_slice_z(hex);
	fits = pp_label_set_read(&labels, pp_slice_z(e->labels)) == PP_OK;
	for (i = 0; i < s->where_count && fits; i++)
		fits = pp_where_match_labels(s->where[i], &labels, &profile) == PP_WHERE_YES;
	pp_label_set_release(&labels);
	return fits;
}

/* Adds the text of the nth condition. All of them must hold, so that each is in parentheses where there are several. */
static bool
where_say(struct pp_buf *where, size_t nth, const char *text)
{
	struct pp_buf first = { 0 };

	if (nth == 2) {
		first = *where;
		*where = (struct pp_buf){ 0 };
		pp_buf_adds(where, "(");
		pp_buf_add(where, first.p, first.n);
		pp_buf_adds(where, ")");
		where->failed |= first.failed;
		pp_buf_release(&first);
	}
	pp_buf_adds(where, nth > 1 ? " and (" : "");
	pp_buf_adds(where, text);
	pp_buf_adds(where, nth > 1 ? ")" : "");
	return !where->failed;
}

/* Adds a condition, if there is one. */
static pp_status
condition_add(struct chosen *s, const char *text, struct pp_buf *problem)
{
	struct pp_where *where;

	if (!text)
		return PP_OK;
	where = pp_where_parse(pp_slice_z(text), problem);
	if (!where)
		return problem->n ? PP_E_USAGE : PP_E_NOMEM;
	s->conditions[s->selection.where_count++] = where;
	return where_say(&s->where, s->selection.where_count, text) ? PP_OK : PP_E_NOMEM;
}

/* A time that is one end of the window. */
static pp_status
end_set(const char *option, const char *text, int64_t *at, bool *has, struct pp_buf *problem)
{
	struct pp_buf why = { 0 };
	bool fine;

	if (!text)
		return PP_OK;
	fine = pp_when_parse(pp_slice_z(text), now(), at, &why);
	if (!fine)
		pp_buf_addf(problem, "%s: %s", option, why.p ? why.p : "no time");
	pp_buf_release(&why);
	*has = true;
	return fine ? PP_OK : PP_E_USAGE;
}

pp_status
pp_store_window(const struct pp_provider_texts *texts, struct pp_selection *s,
                struct pp_buf *problem)
{
	struct pp_buf why = { 0 };
	pp_status status;

	if (texts->between && (texts->since || texts->until)) {
		pp_buf_adds(
		    problem,
		    "--between replaces --since and --until; it cannot be combined with them");
		return PP_E_USAGE;
	}
	if (texts->between) {
		s->has_since = s->has_until = true;
		if (pp_between_parse(pp_slice_z(texts->between), now(), &s->since, &s->until, &why))
			return PP_OK;
		pp_buf_addf(problem, "--between: %s", why.p ? why.p : "no times");
		pp_buf_release(&why);
		return PP_E_USAGE;
	}
	status = end_set("--since", texts->since, &s->since, &s->has_since, problem);
	if (status == PP_OK)
		status = end_set("--until", texts->until, &s->until, &s->has_until, problem);
	if (status == PP_OK && s->has_since && s->has_until && s->until < s->since) {
		pp_buf_addf(problem, "--until %s is before --since %s", texts->until, texts->since);
		status = PP_E_USAGE;
	}
	return status;
}

/* ---- the selection ---- */

static bool
provider_mine(const char *source)
{
	return pp_store_engine_of(source) != NULL;
}

static void
list_count(struct chosen *s)
{
	size_t i;

	s->profiles = s->stacks = s->extracts = 0;
	for (i = 0; i < s->list.entries.n; i++) {
		s->profiles += s->list.entries.at[i].profiles;
		s->stacks += s->list.entries.at[i].stacks;
		s->extracts += s->list.entries.at[i].has_extract;
	}
}

/* ---- beginnings of ids ---- */

/* Digits that the beginning of an id needs, and candidates that a message names. */
#define ID_LEAST 4
#define CANDIDATES 5

struct id_check {
	struct chosen *s;
	struct pp_store_list all; /* listed once it is needed */
	bool is_listed;
	struct pp_buf *problem;
	pp_status status;
};

/* Appends the first profiles whose ids begin so; returns how many there are. */
static size_t
candidates_put(const struct id_check *x, struct pp_slice begin, struct pp_buf *out)
{
	size_t i, n = 0;

	for (i = 0; i < x->all.entries.n; i++) {
		const struct pp_store_entry *e = &x->all.entries.at[i];
		char hex[2 * PP_DIGEST + 1];

		pp_digest_hex(e->hash, hex);
		if (!pp_where_id_begins(pp_slice_z(hex), begin) || ++n > CANDIDATES)
			continue;
		pp_buf_adds(out, n > 1 ? ", " : "");
		pp_store_name_put(e->hash, e->labels, out);
	}
	if (n > CANDIDATES)
		pp_buf_addf(out, " and %zu more", n - CANDIDATES);
	return n;
}

/* Refuses a beginning that is short, or that several ids have. */
static bool
id_check(void *data, struct pp_slice begin)
{
	struct id_check *x = data;
	struct pp_buf found = { 0 };
	size_t n;

	if (begin.n >= (size_t)2 * PP_DIGEST)
		return true;
	if (!x->is_listed)
		x->status = x->s->store->engine->list(x->s->store, NULL, &x->all, x->problem);
	x->is_listed = true;
	if (x->status != PP_OK)
		return false;
	n = candidates_put(x, begin, &found);
	if (found.failed) {
		x->status = PP_E_NOMEM;
	} else if (begin.n < ID_LEAST) {
		x->status = PP_E_USAGE;
		pp_buf_addf(x->problem,
		            "'%.*s' is too short for an id: give at least %d digits%s%s",
		            PP_SHOWN(begin), ID_LEAST, n ? "; it could be " : "", n ? found.p : "");
	} else if (n > 1) {
		x->status = PP_E_USAGE;
		pp_buf_addf(x->problem, "'%.*s' is ambiguous: it could be %s; give more digits",
		            PP_SHOWN(begin), found.p);
	}
	pp_buf_release(&found);
	return x->status == PP_OK;
}

/* Whether each beginning of an id in the conditions is that of one profile at most. */
static pp_status
ids_check(struct chosen *s, struct pp_buf *problem)
{
	struct id_check x = { .s = s, .problem = problem };
	size_t i;

	for (i = 0; i < s->selection.where_count; i++)
		if (!pp_where_ids(s->conditions[i], id_check, &x))
			break;
	if (x.is_listed)
		pp_store_list_release(&x.all);
	return x.status;
}

static pp_status
selected_open(struct chosen *s, const char *source, const struct pp_provider_texts *texts,
              struct pp_buf *problem)
{
	const char *where = pp_store_source_where(source);
	pp_status status = condition_add(s, where ? where + sizeof "?where=" - 1 : NULL, problem);

	s->source = strdup(source);
	if (!s->source)
		return PP_E_NOMEM;
	s->selected.source = s->source;
	if (where)
		s->source[where - source] = '\0';
	if (status == PP_OK)
		status = condition_add(s, texts->where, problem);
	if (status == PP_OK)
		status = condition_add(s, texts->side, problem);
	if (status == PP_OK)
		status = pp_store_window(texts, &s->selection, problem);
	s->selection.where = (const struct pp_where *const *)s->conditions;
	s->selection.weighs = texts->weighs;
	if (status == PP_OK)
		status = pp_store_open(s->source, PP_STORE_READ, &s->store, problem);
	if (status == PP_OK)
		status = ids_check(s, problem);
	if (status == PP_OK)
		status = s->store->engine->list(s->store, &s->selection, &s->list, problem);
	if (status == PP_OK)
		list_count(s);
	return status;
}

pp_status
pp_store_select(const char *source, const struct pp_provider_texts *texts, struct pp_selected **out,
                struct pp_buf *problem)
{
	struct chosen *s = calloc(1, sizeof *s);
	pp_status status = s ? selected_open(s, source, texts, problem) : PP_E_NOMEM;

	*out = status == PP_OK ? &s->selected : NULL;
	if (status != PP_OK && s)
		selected_close(&s->selected);
	return status;
}

/*
 * Compares what was promised with what is there. Where others take profiles away meanwhile, what is selected is another
 * selection by now, which is compared instead.
 */
static pp_status
selected_audit(struct chosen *s, struct pp_buf *problem)
{
	const struct pp_store_engine *engine = s->store->engine;
	pp_status status = PP_E_INVALID;
	bool changed = true;
	unsigned tries;

	for (tries = 0; tries < PP_STORE_AUDITS && status == PP_E_INVALID && changed; tries++) {
		struct pp_store_list now_there = { 0 };
		struct pp_buf why = { 0 };

		problem->n = 0;
		status = engine->audit(s->store, &s->list, &s->promised, &s->found, problem);
		if (status != PP_E_INVALID)
			break;
		changed = engine->list(s->store, &s->selection, &now_there, &why) == PP_OK &&
		          !pp_store_lists_equal(&s->list, &now_there);
		if (changed) {
			pp_store_list_release(&s->list);
			s->list = now_there;
		} else {
			pp_store_list_release(&now_there);
		}
		pp_buf_release(&why);
	}
	list_count(s);
	return status;
}

/* For questions: also whether what was promised of the selection is there. */
static pp_status
provider_select(const char *source, const struct pp_provider_texts *texts, struct pp_selected **out,
                struct pp_buf *problem)
{
	pp_status status = pp_store_select(source, texts, out, problem);
	struct chosen *s = (struct chosen *)*out;

	if (status != PP_OK)
		return status;
	s->partial = s->store->partial = texts->partial;
	if (!s->store->engine->audit)
		return PP_OK;
	s->audited = true;
	s->pushes = s->store->engine->pushes;
	s->store->max_nodes = texts->max_nodes;
	status = selected_audit(s, problem);
	if (status == PP_E_INVALID && texts->partial) {
		s->lacks = true;
		problem->n = 0;
		return PP_OK;
	}
	if (status != PP_OK) {
		selected_close(*out);
		*out = NULL;
	}
	return status;
}

struct pp_store *
pp_selected_store(const struct pp_selected *selected)
{
	const struct chosen *s = (const struct chosen *)selected;
	return s->store;
}

const struct pp_store_list *
pp_selected_list(const struct pp_selected *selected)
{
	const struct chosen *s = (const struct chosen *)selected;
	return &s->list;
}

const struct pp_selection *
pp_selected_conditions(const struct pp_selected *selected)
{
	const struct chosen *s = (const struct chosen *)selected;
	return &s->selection;
}

void
pp_selected_detach(struct pp_selected *selected)
{
	struct chosen *s = (struct chosen *)selected;
	pp_store_close(s->store);
	s->store = NULL;
}

static size_t
selected_count(const struct pp_selected *selected)
{
	const struct chosen *s = (const struct chosen *)selected;
	return s->list.entries.n;
}

/* What the file was called; what came without a name is found by its hash. */
static const char *
selected_name(struct pp_selected *selected, size_t nth)
{
	struct chosen *s = (struct chosen *)selected;
	const struct pp_store_entry *e = &s->list.entries.at[nth];
	char hex[2 * PP_DIGEST + 1];

	if (e->source && *e->source && strcmp(e->source, "-") != 0)
		return e->source;
	pp_digest_hex(e->hash, hex);
	s->name.n = 0;
	pp_buf_addf(&s->name, "%s%cwhere=profile=%s", s->source,
	            strstr(s->source, "://") && strchr(s->source, '?') ? '&' : '?', hex);
	return s->name.failed ? NULL : s->name.p;
}

static void
selected_without(const struct pp_selected *selected, size_t nth, struct pp_buf *out)
{
	const struct chosen *s = (const struct chosen *)selected;
	char hex[2 * PP_DIGEST + 1];

	pp_digest_hex(s->list.entries.at[nth].hash, hex);
	pp_buf_addf(out, "profile!=%.12s", hex);
}

/* The labels of a profile. */
static const struct pp_label_set *
labels_of(struct pp_selected *selected, size_t nth)
{
	struct chosen *s = (struct chosen *)selected;
	const struct pp_store_entry *e = &s->list.entries.at[nth];

	if (s->labels_of != e->labels) {
		pp_label_set_release(&s->labels);
		if (pp_label_set_read(&s->labels, pp_slice_z(e->labels)) != PP_OK)
			pp_label_set_release(&s->labels);
		s->labels_of = e->labels;
	}
	return &s->labels;
}

static struct pp_slice
selected_label(struct pp_selected *selected, size_t nth, struct pp_slice key)
{
	return pp_label_set_get(labels_of(selected, nth), key);
}

static struct pp_slice
selected_label_key(struct pp_selected *selected, size_t nth, size_t number)
{
	const struct pp_label_set *labels = labels_of(selected, nth);

	return number < labels->n ? labels->at[number].key : pp_slice_of("", 0);
}

static void
selected_when(const struct pp_selected *selected, size_t nth, int64_t *begin, uint64_t *profiles)
{
	const struct chosen *s = (const struct chosen *)selected;

	*begin = s->list.entries.at[nth].t0;
	*profiles = s->list.entries.at[nth].profiles;
}

static void
selected_measures(const struct pp_selected *selected, size_t nth, struct pp_slice like,
                  struct pp_measures *out)
{
	const struct chosen *s = (const struct chosen *)selected;
	const struct pp_store_entry *e = &s->list.entries.at[nth];

	*out = (struct pp_measures){ .format = e->format,
		                     .units = pp_store_meta_units(pp_slice_z(e->meta), like),
		                     .stacks = e->stacks };
}

static int
series_order(const void *a, const void *b, void *ctx)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	(void)ctx;
	return (x > y) - (x < y);
}

/* Count the different label sets; out of memory, keep the count from before. */
static uint64_t
series_count(const struct pp_store_list *list)
{
	uint64_t *series = calloc(list->entries.n + 1, sizeof *series), n = 0;
	size_t i;

	for (i = 0; series && i < list->entries.n; i++)
		series[i] = list->entries.at[i].series;
	if (series)
		pp_sort(series, list->entries.n, sizeof *series, series_order, NULL);
	for (i = 0; series && i < list->entries.n; i++)
		n += i == 0 || series[i] != series[i - 1];
	n = series ? n : list->series;
	free(series);
	return n;
}

static void
selected_narrow(struct pp_selected *selected, const bool *stays)
{
	struct chosen *s = (struct chosen *)selected;
	size_t i, n = 0;

	for (i = 0; i < s->list.entries.n; i++)
		if (stays[i])
			s->list.entries.at[n++] = s->list.entries.at[i];
	s->list.entries.n = n;
	list_count(s);
	s->list.series = series_count(&s->list);
}

static uint32_t
selected_stamp(const struct pp_selected *selected, size_t nth)
{
	const struct chosen *s = (const struct chosen *)selected;
	uint32_t stamp = pp_load32(s->list.entries.at[nth].hash);

	return stamp ? stamp : 1;
}

/* With --partial the inputs replace what is damaged of all that was made out of them. */
static pp_status
partial_status(const struct chosen *s, pp_status status, struct pp_buf *problem)
{
	if (status != PP_E_INVALID || !s->partial)
		return status;
	problem->n = 0;
	return PP_E_UNSUPPORTED;
}

static pp_status
selected_load(struct pp_selected *selected, size_t nth, const struct pp_order *order,
              struct pp_supply *supply, struct pp_buf *problem)
{
	struct chosen *s = (struct chosen *)selected;
	const struct pp_store_engine *engine = s->store->engine;
	const struct pp_store_entry *e = &s->list.entries.at[nth];
	pp_status status = PP_E_UNSUPPORTED;

	if (order && engine->load_extract)
		status = engine->load_extract(s->store, e, order, supply, problem);
	status = partial_status(s, status, problem);
	if (status == PP_E_UNSUPPORTED)
		status = engine->load(s->store, e, supply, problem);
	supply->format = e->format;
	/* Gains are dropped from extracts where they are not ordered. */
	if (s->extracts && order && pp_extract_tells(order))
		supply->facets = PP_EXTRACT_FACETS & ~(unsigned)(PP_GAINS | PP_GAINS_ALL);
	return status;
}

static pp_status
selected_load_all(struct pp_selected *selected, const struct pp_order *order,
                  struct pp_profile **out, struct pp_buf *problem)
{
	struct chosen *s = (struct chosen *)selected;
	pp_status status = s->store->engine->load_all
	                       ? s->store->engine->load_all(s->store, &s->list, order, out, problem)
	                       : PP_E_UNSUPPORTED;

	s->pushed = status == PP_OK;
	s->cut = s->pushed ? s->store->cut : 0;
	return partial_status(s, status, problem);
}

static pp_status
selected_load_most(struct pp_selected *selected, const struct pp_order *order, bool *taken,
                   struct pp_profile **out, struct pp_buf *problem)
{
	struct chosen *s = (struct chosen *)selected;

	pp_status status = s->store->engine->load_most
	                       ? s->store->engine->load_most(s->store, &s->list, order, taken, out,
	                                                     problem)
	                       : PP_E_UNSUPPORTED;

	return partial_status(s, status, problem);
}

static pp_status
selected_load_costs(struct pp_selected *selected, size_t nth, bool timed, struct pp_profile **out,
                    struct pp_buf *problem)
{
	struct chosen *s = (struct chosen *)selected;
	const struct pp_store_engine *engine = s->store->engine;
	pp_status status = engine->load_costs
	                       ? engine->load_costs(s->store, &s->list.entries.at[nth], timed, out,
	                                            problem)
	                       : PP_E_UNSUPPORTED;

	s->pushed |= status == PP_OK;
	return partial_status(s, status, problem);
}

static void
selected_facts(const struct pp_selected *selected, struct pp_provider_facts *facts)
{
	const struct chosen *s = (const struct chosen *)selected;

	*facts = (struct pp_provider_facts){ .source = s->source,
		                             .where = s->where.n ? s->where.p : NULL,
		                             .has_since = s->selection.has_since,
		                             .has_until = s->selection.has_until,
		                             .since = s->selection.since,
		                             .until = s->selection.until,
		                             .series = s->list.series,
		                             .profiles = s->profiles,
		                             .promised = s->stacks,
		                             .samples = s->stacks };
	if (s->audited) {
		/* Engines count their own rows. If none is missing, no stack is. */
		if (s->promised != s->found) {
			facts->promised = s->promised;
			facts->samples = s->found;
		}
		facts->lacks = s->lacks;
		facts->can_push = s->pushes;
		facts->pushed = s->pushed;
		facts->cut = s->cut;
	}
}

const struct pp_provider pp_store_provider = {
	.mine = provider_mine,
	.select = provider_select,
	.count = selected_count,
	.name = selected_name,
	.without = selected_without,
	.label = selected_label,
	.label_key = selected_label_key,
	.when = selected_when,
	.measures = selected_measures,
	.narrow = selected_narrow,
	.stamp = selected_stamp,
	.load = selected_load,
	.load_costs = selected_load_costs,
	.drop = pp_parcel_drop,
	.load_all = selected_load_all,
	.load_most = selected_load_most,
	.facts = selected_facts,
	.close = selected_close,
};
