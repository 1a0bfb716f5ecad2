/*
 * From file names to a subject, and on to an answer.
 */
#include <string.h>
#include <sys/stat.h>

#include "api/compatible.h"
#include "api/maps.h"
#include "api/members.h"
#include "api/sequence.h"
#include "api/shelf.h"
#include "io/system.h"
#include "output/html.h"
#include "questions/compare.h"
#include "questions/excerpt.h"
#include "text/escape.h"
#include "text/suggest.h"
#include "text/units.h"

static struct pp_answer *
answer_of(struct pp_reply *r)
{
	return &r->asking.answer;
}

/* Files to ask about; the names are the answer's. */
struct file_names {
	pp_file_names list;
	size_t directories; /* that they were found in */
	size_t stores;      /* likewise */
	size_t split;       /* of two sources, where the second begins */
};

/* ---- one file ---- */

static void
profile_release(void *profile)
{
	pp_profile_free(*(struct pp_profile **)profile);
}

/* A profile that lives as long as the answer becomes a topic. */
static pp_status
topic_keep(struct pp_reply *r, size_t topic, const char *file, struct pp_profile **profile)
{
	struct pp_profile **kept = pp_answer_own(answer_of(r), sizeof *kept, profile_release);

	if (!kept)
		return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	*kept = *profile;
	*profile = NULL;
	r->topics[topic] = (struct pp_topic){ .file = file, .profile = *kept };
	return PP_OK;
}

pp_status
pp_topic_scope(struct pp_reply *r, const struct pp_want *want, struct pp_profile **profile)
{
	static const struct pp_scope everything = { .depth = PP_UNSET };
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	struct pp_seen_for seen = pp_reply_seen_for(r, want);
	struct pp_view view;
	pp_status status;

	seen.demangled = &r->demangled;
	scope = scope ? scope : &everything;
	pp_view_init_owned(&view, *profile);
	if ((*profile)->costs.filtered) {
		pp_scope_note(scope, *profile, answer_of(r));
		status = pp_scope_set_aside(&view, &seen, answer_of(r));
		if (status == PP_OK)
			status = pp_scope_names(scope, &view, &seen, answer_of(r));
	} else {
		status = pp_scope_apply(scope, &view, &seen, answer_of(r));
	}
	*profile = pp_view_take(&view);
	return status;
}

/* Reads files as one profile, filtered and grouped, which becomes a topic. A status with the reason said. */
static pp_status
topic_load(struct pp_reply *r, const char *const *files, size_t n,
           const struct pp_load_order *given, size_t topic)
{
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	struct pp_profile *profile = NULL;
	struct pp_filter filter = { 0 };
	struct pp_load_order order = *given;
	pp_status status;

	status = pp_load_labels(r, files, n, &order);
	if (status != PP_OK)
		return status;
	if (pp_topic_wants_whole(r))
		return pp_topic_whole(r, files, n, &order, topic);
	if (n == 1 && !r->asking.params->base && scope && !pp_maps_given(r) &&
	    (order.want.facets & (PP_COSTS | PP_TREE)) && pp_scope_simple(scope, &filter)) {
		order.filter = &filter;
		order.filter_stacks = !(order.want.facets & PP_COSTS);
	}
	if (scope)
		order.want.facets = pp_scope_facets(scope, order.want.facets);
	order.base = r->asking.params->base;
	if (order.base)
		order.want.facets &= ~(unsigned)(PP_GAINS | PP_GAINS_ALL);
	order.at_once = pp_maps_given(r) ? 0 : order.want.facets;
	/* Stacks without the one function that matters may be left out only where no other file has it. */
	if (n > 1)
		order.want.about = NULL;
	if (n > 1 || order.base || pp_maps_given(r)) {
		order.want.cut = 0;
		order.want.facets = pp_scope_whole(order.want.facets);
	}
	status = pp_load_files(r, files, n, &order, &profile);
	if (status == PP_OK)
		status = pp_topic_scope(r, &order.want, &profile);
	pp_filter_release(&filter);
	if (status == PP_OK)
		status = topic_keep(r, topic, n == 1 ? files[0] : NULL, &profile);
	pp_profile_free(profile);
	return status;
}

/* ---- what questions are asked about ---- */

/* Room for topics; PP_E_NOMEM, said. */
static pp_status
topics_alloc(struct pp_reply *r, size_t n)
{
	r->topics = pp_answer_alloc(answer_of(r), (n + 1) * sizeof *r->topics);
	r->subject.topics = r->topics;
	r->subject.n = r->subject.split = n;
	return r->topics ? PP_OK : pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
}

/*
 * A file that only becomes canonical needs no profile in between if its format knows how: it is left open for whoever
 * writes it. Else it is read.
 */
static pp_status
target_load(struct pp_reply *r, const char *file, const struct pp_load_order *order)
{
	const struct pp_format *target = order->want.target;
	struct pp_loaded l;
	pp_status status = pp_loaded_open(r, file, order, &l);
	const struct pp_format *format = l.is_open ? l.opened.format : NULL;

	/* The records as read serve only to write the same format back, perhaps by way of a carrier; or addresses, or markers. */
	if (status == PP_OK && l.is_open && format != target && !target->carries &&
	    !(format && format->carries) &&
	    !(target->holds &&
	      (target->holds->keeps & PP_HAS(ADDRESSES) || target->holds->own & PP_HAS(MARKERS))))
		l.opened.order->facets &= ~(unsigned)PP_EXTRAS;
	if (status == PP_OK && order->want.rewrites && format == target && format->rewrite) {
		r->rewritten = l;
		return PP_OK;
	}
	if (status == PP_OK) {
		if (l.is_open)
			l.opened.order->listed = target->lists &&
			                         r->asking.params->budget.tokens == PP_UNSET;
		pp_loaded_read(r, &l);
		status = pp_loaded_verdict(r, &l, false);
	}
	if (status == PP_OK)
		status = topic_keep(r, 0, file, &l.profile);
	pp_loaded_drop(r, &l);
	return status;
}

/* What the one profile is compared with, a file or a store, becomes the second topic. */
static pp_status
before_load(struct pp_reply *r, const struct pp_load_order *order)
{
	const char *before = r->asking.params->before;
	pp_file_names names = { 0 };
	pp_status status;

	if (!pp_provider_knows(r, before))
		return topic_load(r, &before, 1, order, 1);
	status = pp_members_expand(r, before, NULL, &names);
	if (status == PP_OK)
		status = pp_members_compatible(r, PP_TOGETHER_MERGED, names.at, &names.n, NULL);
	if (status == PP_OK)
		status = topic_load(r, names.at, names.n, order, 1);
	pp_vec_release(&names);
	return status;
}

/* All files as one profile, or two of them for a picture. */
static pp_status
ask_one(struct pp_reply *r, const char *const *files, size_t n)
{
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	struct pp_load_order order = { .want = pp_asking_want(&r->asking) };
	/* Of two sources each is a side, however many profiles a store has. */
	size_t first = r->from_store ? r->second : n == 2;
	bool two = r->asking.question->asks == PP_ASKS_PICTURE && first && !order.want.merge &&
	           !r->from_directory;
	pp_status status = topics_alloc(r, two || r->asking.params->before ? 2 : 1);

	/* What is thin in one file may not be so in all of them. */
	if ((n != 1 || r->asking.params->base) && r->asking.question->makes)
		order.want.prune = order.want.cut = order.want.min_share = 0;
	if (status == PP_OK && order.want.target && n == 1 && !r->asking.params->base &&
	    !pp_scope_given(scope) && !scope->demangle && !pp_maps_given(r))
		status = target_load(r, files[0], &order);
	else if (status == PP_OK)
		status = topic_load(r, files, two ? first : n, &order, 0);
	if (status == PP_OK && two)
		status = topic_load(r, files + first, n - first, &order, 1);
	if (status == PP_OK && r->asking.params->before) {
		status = before_load(r, &order);
		r->subject.n = 2;
	}
	if (status != PP_OK)
		return status;
	if (!pp_reply_sources(r))
		return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	pp_merged_note(r, files, n);
	return pp_asking_run(&r->asking, &r->subject);
}

/* Whether a file is judged by what is known of it already. */
static bool
is_judged(struct pp_reply *r, const char *const *files, size_t n)
{
	return n == 1 && r->asking.question->judges && pp_asking_whole(&r->asking) &&
	       pp_topic_judged(r, files[0], 0);
}

/* One file after the other; what was said about the others stands. */
static pp_status
ask_each(struct pp_reply *r, const char *const *files, size_t n)
{
	struct pp_load_order order = { .want = pp_asking_want(&r->asking) };
	pp_status worst = topics_alloc(r, n), status;
	size_t i;

	if (worst != PP_E_NOMEM && is_judged(r, files, n))
		return pp_asking_run(&r->asking, &r->subject);
	for (i = 0; i < n && worst != PP_E_NOMEM; i++) {
		struct pp_topic *t = &r->topics[i];
		struct pp_loaded l;

		status = pp_loaded_open(r, files[i], &order, &l);
		if (status == PP_OK) {
			pp_loaded_read(r, &l);
			if (r->asking.question->judges) {
				pp_loaded_failure(r, &l);
				pp_loaded_speed(r, &l);
				pp_topic_judge(r, &l);
				status = l.status;
			} else {
				status = pp_loaded_verdict(r, &l, false);
			}
		} else if (r->asking.question->judges) {
			pp_loaded_drop(r, &l);
			return status;
		}
		*t = (struct pp_topic){ .file = files[i],
			                .status = status,
			                .profile = status == PP_OK ? l.profile : NULL,
			                .diags = l.diags,
			                .bids = l.opened.bids,
			                .bid_count = l.opened.bid_count,
			                .chosen = l.is_open   ? l.opened.format
			                          : l.profile ? l.profile->format
			                                      : NULL,
			                .file_size = l.opened.file_size };
		t->stamp = pp_topic_stamp(r, files[i]);
		r->subject.nth = i;
		if (worst == PP_OK && !r->asking.question->judges)
			worst = status;
		status = pp_asking_run(&r->asking, &r->subject);
		worst = worst == PP_OK ? status : worst;
		t->profile = NULL;
		t->bids = NULL;
		t->bid_count = 0;
		pp_loaded_drop(r, &l);
	}
	return worst;
}

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The profiles in a directory instead of its name; how many is said. PP_OK, or a status with the reason said. */
static pp_status
directory_expand(struct pp_reply *r, const char *path, struct file_names *names)
{
	struct pp_answer *a = answer_of(r);
	struct pp_subject listing = r->subject;
	struct pp_buf count = { 0 };
	size_t i, n;
	pp_status status;

	pp_folders_free(r->folders);
	r->folders = NULL;
	r->subject.listed_count = 0;
	status = pp_folders_look(r, &path, 1, false);
	n = r->subject.listed_count;
	for (i = 0; status == PP_OK && i < n; i++)
		if (!pp_vec_push(&names->list,
		                 pp_answer_copy(a, pp_slice_z(r->subject.listed[i].path))))
			status = pp_answer_fail_status(a, PP_E_NOMEM);
	r->subject = listing;
	if (status == PP_OK && n == 0)
		return pp_answer_fail(a, PP_E_INVALID, "no-profiles", "%s: no profiles found in it",
		                      path);
	pp_units_u64(&count, n);
	/* A directory of one is that one: perf record --threads makes such recordings. */
	if (status == PP_OK && n > 1)
		pp_answer_note(a, "directory", "%s: %s profiles%s", path, count.p ? count.p : "",
		               r->asking.question->asks == PP_ASKS_ONE ? ", merged" : "");
	pp_buf_release(&count);
	return status;
}

/* A file, or the profiles that a directory or a store stands for. */
static pp_status
source_expand(struct pp_reply *r, const char *source, struct file_names *names)
{
	if (pp_provider_meant(r, source, false)) {
		names->stores++;
		return pp_members_expand(r, source, NULL, &names->list);
	}
	if (is_directory(source)) {
		names->directories++;
		return directory_expand(r, source, names);
	}
	return pp_vec_push(&names->list, pp_answer_copy(answer_of(r), pp_slice_z(source)))
	           ? PP_OK
	           : pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
}

/* Keeps the names of both sides as long as the answer lives, and frees the list. */
static pp_status
sides_keep(struct pp_reply *r, struct file_names *names, size_t split, pp_status status,
           const char ***out)
{
	*out = pp_answer_alloc(answer_of(r), (names->list.n + 1) * sizeof **out);
	if (status == PP_OK && !*out)
		status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	if (status == PP_OK) {
		if (names->list.n)
			memcpy(*out, names->list.at, names->list.n * sizeof **out);
		r->subject.n = names->list.n;
		r->subject.split = split;
	}
	pp_vec_release(&names->list);
	return status;
}

/* Two files, or the repeated runs in two directories. */
static pp_status
sides_expand(struct pp_reply *r, const char *const *files, size_t n, const char ***out)
{
	struct file_names names = { 0 };
	size_t split = 0, i;
	pp_status status = PP_OK;

	for (i = 0; i < n && status == PP_OK; i++) {
		split = i == 1 ? names.list.n : split;
		status = source_expand(r, files[i], &names);
	}
	/* Profiles of a store are in the order of their times, which says nothing of sides. */
	if (status == PP_OK && n == 1 && names.stores)
		status = pp_answer_fail(
		    answer_of(r), PP_E_USAGE, PP_RULE_USAGE,
		    "say which profiles of the store: --before and --after take conditions");
	return sides_keep(r, &names, n == 2 ? split : 1, status, out);
}

/*
 * What was given as before and after: files, or conditions on the profiles of the one store that is named. Which they are
 * is told by `store`, NULL for files.
 */
static pp_status
sides_given(struct pp_reply *r, const char *store, const char ***out)
{
	const struct pp_texts *given =
	    &((const struct pp_compared *)(const void *)r->asking.params)->files;
	struct file_names names = { 0 };
	size_t split = 0, side, i;
	pp_status status = PP_OK;

	for (side = PP_BEFORE; side <= PP_AFTER; side++) {
		split = side == PP_AFTER ? names.list.n : 0;
		for (i = 0; i < given->list.n && status == PP_OK; i++) {
			const char *text = given->list.at[i].text;

			if ((strcmp(given->list.at[i].param->name, "after") == 0) !=
			    (side == PP_AFTER))
				continue;
			if (store)
				status = pp_members_expand(r, store, text, &names.list);
			else if (pp_provider_knows(r, text))
				status = pp_members_expand(r, text, NULL, &names.list);
			else if (!pp_vec_push(&names.list, text))
				status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
		}
	}
	if (status == PP_OK && (split == 0 || split == names.list.n))
		status = pp_answer_fail(answer_of(r), PP_E_USAGE, PP_RULE_USAGE,
		                        "--before and --after need files each, and no others");
	return sides_keep(r, &names, split, status, out);
}

/* The files of both sides, those before first; false (said) when they make no sense. */
static pp_status
sides_find(struct pp_reply *r, const char *const *files, size_t n, const char ***out)
{
	const struct pp_compared *params =
	    (const struct pp_compared *)(const void *)r->asking.params;
	size_t given = params->files.list.n;
	pp_status status;

	*out = NULL;
	r->subject.n = r->subject.split = 0;
	if (given == 0 && n == 1 && pp_members_by_label(r, files[0], &status, out))
		return status;
	if (given == 0 && (n == 1 || n == 2))
		return sides_expand(r, files, n, out);
	if (given == 0)
		return pp_answer_fail(
		    answer_of(r), PP_E_USAGE, PP_RULE_USAGE,
		    "name two files to compare; --before and --after take several runs each");
	if (n > 1 || (n == 1 && !pp_provider_meant(r, files[0], true)))
		return pp_answer_fail(answer_of(r), PP_E_USAGE, PP_RULE_USAGE,
		                      "--before and --after need files each, and no others");
	return sides_given(r, n ? files[0] : NULL, out);
}

/* ---- two sides ---- */

/* Reads one run, or takes what its functions cost where its store has that. */
static pp_status
run_load(struct pp_reply *r, const char *const *file, const struct pp_load_order *order,
         size_t topic)
{
	const struct pp_compared *params =
	    (const struct pp_compared *)(const void *)r->asking.params;
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	struct pp_profile *profile = NULL;
	pp_status status = PP_E_UNSUPPORTED;

	if ((order->want.facets & PP_COSTS) && !r->asking.params->base &&
	    !pp_topic_wants_whole(r) && !(scope && pp_scope_given(scope)))
		status = pp_member_costs(r, *file, params->normalize == PP_NORM_TIME, &profile);
	if (status == PP_E_UNSUPPORTED)
		return topic_load(r, file, 1, order, topic);
	if (status == PP_OK)
		status = pp_topic_scope(r, &order->want, &profile);
	if (status == PP_OK)
		status = topic_keep(r, topic, *file, &profile);
	pp_profile_free(profile);
	return status;
}

/* Reads both sides and asks; once more with all that there is when costs per function did not do. */
static pp_status
ask_sides(struct pp_reply *r, const char *const *files, size_t n)
{
	struct pp_load_order order = { .want = pp_asking_want(&r->asking) };
	unsigned facets = order.want.facets;
	const char **all;
	pp_status status = sides_find(r, files, n, &all);
	size_t i;

	if (status == PP_OK)
		status = pp_members_wanted(r);
	if (status == PP_OK)
		status = pp_members_compatible(r, PP_TOGETHER_COMPARED, all, &r->subject.n,
		                               r->subject.by ? NULL : &r->subject.split);
	r->topics = pp_answer_alloc(answer_of(r), (r->subject.n + 1) * sizeof *r->topics);
	r->subject.topics = r->topics;
	if (status != PP_OK || !r->topics)
		return status;
	/* Costs per function are read faster, and suffice unless several become one. */
	if (!order.want.stacks && !pp_asking_whole(&r->asking) && !pp_maps_given(r) &&
	    pp_files_stay(r, all, r->subject.n))
		order.want.facets = (facets & ~(unsigned)PP_FACETS) | PP_COSTS;
	for (;;) {
		bool streams = !order.again && pp_runs_stream(r, &order);

		for (i = 0; i < r->subject.n && status == PP_OK && !streams; i++)
			status = run_load(r, all + i, &order, i);
		if (status == PP_OK)
			status = streams ? pp_ask_runs(r, all, &order)
			                 : pp_asking_run(&r->asking, &r->subject);
		if (!answer_of(r)->needs_stacks || order.again)
			return status;
		pp_answer_clear(answer_of(r));
		order.want.facets = facets;
		order.again = true;
		status = PP_OK;
	}
}

/* Each file by itself, all there at once. */
static pp_status
ask_series(struct pp_reply *r, const char *const *files, size_t n)
{
	struct pp_load_order order = { .want = pp_asking_want(&r->asking) };
	pp_status status = topics_alloc(r, n);
	size_t i;

	for (i = 0; i < n && status == PP_OK; i++) {
		if (!pp_topic_shelved(r, files[i], i))
			status = topic_load(r, files + i, 1, &order, i);
		pp_load_progress(r,
		                 (struct pp_progress_at){ files[i], true, i + 1 == n, i + 1, n });
	}
	return status == PP_OK ? pp_asking_run(&r->asking, &r->subject) : status;
}

static pp_status
ask_folders(struct pp_reply *r, const char *const *files, size_t n)
{
	static const char *const here[] = { "." };
	const struct pp_texts *given = pp_asking_texts(&r->asking, "directory");
	size_t count = n + (given ? given->list.n : 0), i;
	const char **paths = pp_answer_alloc(answer_of(r), (count + 1) * sizeof *paths);
	pp_status status;

	if (!paths)
		return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	for (i = 0; i < count; i++)
		paths[i] = i < n ? files[i] : given->list.at[i - n].text;
	status = pp_folders_look(r, count ? paths : here, count ? count : 1,
	                         pp_asking_flag(&r->asking, "recursive") ||
	                             pp_excerpt_asked(&r->asking));
	return status == PP_OK ? pp_asking_run(&r->asking, &r->subject) : status;
}

/* ---- asking ---- */

/* All files, those in directories included unless the question is about these. */
static pp_status
files_expand(struct pp_reply *r, const char *const *files, size_t n, struct file_names *names)
{
	bool folders = r->asking.question->asks == PP_ASKS_FOLDERS;
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < n && status == PP_OK; i++) {
		names->split = i == 1 ? names->list.n : names->split;
		if (!folders)
			status = source_expand(r, files[i], names);
		else if (!pp_vec_push(&names->list,
		                      pp_answer_copy(answer_of(r), pp_slice_z(files[i]))))
			status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	}
	if (status == PP_OK && !folders)
		status = pp_members_wanted(r);
	return status;
}

/* The names of the files, kept; and whether they can be read. */
static pp_status
files_take(struct pp_reply *r, const char *const *files, size_t n, const char ***out)
{
	struct pp_answer *a = answer_of(r);
	const char **kept = pp_answer_alloc(a, (n + 1) * sizeof *kept);
	size_t i, dashes = 0;

	if (!kept)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	for (i = 0; i < n; i++) {
		if (files[i][0] == '\0')
			return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE, "a file name is empty");
		dashes += strcmp(files[i], "-") == 0;
		kept[i] = pp_member_find(r, files[i]) ? files[i]
		                                      : pp_answer_copy(a, pp_slice_z(files[i]));
	}
	if (dashes > 1)
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "standard input (-) can be read only once");
	*out = kept;
	r->subject.files = kept;
	r->subject.file_count = n;
	return PP_OK;
}

/* Whether nothing but stores is named, and no excerpt is asked for. */
static bool
all_stores(const struct pp_reply *r, const char *const *files, size_t n)
{
	size_t i;

	for (i = 0; i < n && pp_provider_knows(r, files[i]); i++)
		;
	return n > 0 && i == n && r->asking.params->budget.tokens == PP_UNSET;
}

/* What names the profiles of stores on a command line: the sources, and what selects of them. */
static pp_status
words_make(struct pp_reply *r, const char *const *given, size_t n)
{
	const struct pp_selecting *s = &r->asking.params->store;
	const char *const options[][2] = { { "--where", s->where },
		                           { "--since", s->since },
		                           { "--until", s->until },
		                           { "--between", s->between } };
	const char **words = pp_answer_alloc(answer_of(r),
	                                     (n + 2 * PP_COUNT_OF(options) + 1) * sizeof *words);
	size_t i, count = 0;

	if (!words)
		return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	for (i = 0; i < n; i++)
		words[count++] = pp_answer_copy(answer_of(r), pp_slice_z(given[i]));
	for (i = 0; i < PP_COUNT_OF(options); i++)
		if (options[i][1]) {
			words[count++] = options[i][0];
			words[count++] = options[i][1];
		}
	words[count] = NULL;
	r->subject.words = words;
	return PP_OK;
}

/* Whether the question is about profiles together, of which a store may have some that do not go with the others. */
static bool
asks_together(const struct pp_reply *r)
{
	const struct pp_question *q = r->asking.question;
	struct pp_want want = pp_asking_want(&r->asking);

	/* A written profile is complete unless the caller allows less. */
	if (want.can_skip && !want.skips && !r->asking.params->metric)
		return false;
	return q->asks == PP_ASKS_ONE || q->asks == PP_ASKS_PICTURE ||
	       (q->asks == PP_ASKS_SERIES && r->asking.params->over_time) ||
	       (q->asks == PP_ASKS_EACH && pp_excerpt_asked(&r->asking) && !q->judges);
}

/* Keeps the files that can answer together. */
static pp_status
files_choose(struct pp_reply *r, const char **files, size_t *n)
{
	bool two = r->asking.question->asks == PP_ASKS_PICTURE && r->second;
	pp_status status = pp_members_compatible(
	    r,
	    r->asking.question->asks == PP_ASKS_SERIES ? PP_TOGETHER_COMPARED : PP_TOGETHER_MERGED,
	    files, n, two ? &r->second : NULL);

	r->subject.file_count = *n;
	return status;
}

static pp_status
ask_about(struct pp_reply *r, const char *const *given, size_t n)
{
	const struct pp_question *q = r->asking.question;
	const char **files = NULL;
	struct file_names names = { 0 };
	pp_status status;

	r->asking.params->over_time = q->asks == PP_ASKS_SERIES && q->run &&
	                              all_stores(r, given, n);
	status = q->asks == PP_ASKS_SIDES ? PP_OK : files_expand(r, given, n, &names);
	if (status == PP_OK && names.stores)
		status = words_make(r, given, n);
	if (status == PP_OK && (names.directories || names.stores)) {
		r->from_directory = names.directories > 0;
		r->from_store = names.stores > 0;
		r->second = names.stores && n == 2 ? names.split : 0;
		given = names.list.at;
		n = names.list.n;
	}
	if (status == PP_OK)
		status = files_take(r, given, n, &files);
	pp_vec_release(&names.list);

	if (status == PP_OK)
		status = pp_asking_ready(&r->asking, &r->subject);
	if (status == PP_OK && q->makes == PP_MAKES_REPORT && !pp_html_possible())
		status = pp_answer_fail(answer_of(r), PP_E_OUTPUT, "no-viewer",
		                        "this polyprof was built without its viewer: install node "
		                        "and npm, run `npm ci` in web/, and build again");
	if (status == PP_OK)
		status = pp_load_from_check(r);
	if (status == PP_OK && asks_together(r))
		status = files_choose(r, files, &n);
	if (status != PP_OK)
		return status;
	if (n == 0 &&
	    (q->asks == PP_ASKS_ONE || q->asks == PP_ASKS_EACH || q->asks == PP_ASKS_PICTURE))
		return pp_answer_fail(answer_of(r), PP_E_USAGE, PP_RULE_USAGE, "name a file");
	switch (q->asks) {
	case PP_ASKS_ONE:
	case PP_ASKS_PICTURE:
		return ask_one(r, files, n);
	case PP_ASKS_EACH:
		return pp_excerpt_asked(&r->asking) && !q->judges ? ask_one(r, files, n)
		                                                  : ask_each(r, files, n);
	case PP_ASKS_SIDES:
		return ask_sides(r, files, n);
	case PP_ASKS_FOLDERS:
		return ask_folders(r, files, n);
	case PP_ASKS_SERIES:
		return r->asking.params->over_time ? pp_ask_over_time(r, files, n)
		                                   : ask_series(r, files, n);
	case PP_ASKS_NOTHING:
		break;
	}
	return pp_asking_run(&r->asking, &r->subject);
}

void
pp_reply_memory(struct pp_reply *r, pp_status status)
{
	struct pp_account *account = pp_account_current();
	struct pp_buf size = { 0 };

	if (status == PP_OK || status == PP_E_USAGE || !pp_account_exceeded())
		return;
	/* There must be memory to say that there is none. */
	(void)pp_account_enter(NULL);
	pp_units_bytes(&size, (double)r->meter.account.limit);
	(void)pp_answer_fail(answer_of(r), PP_E_LIMIT, "memory-limit",
	                     "this takes more than %s of memory; --max-memory SIZE allows more",
	                     size.p ? size.p : "that");
	pp_buf_release(&size);
	(void)pp_account_enter(account);
}

pp_status
pp_ask_files(const char *const *files, size_t n, const char *question, const char *const *params,
             const struct pp_ask_opts *given, pp_answer **out)
{
	struct pp_ask_opts opts = { .form = PP_RENDER_JSON };
	struct pp_reply *r;
	pp_status status;
	uint64_t limit;

	*out = NULL;
	if (given && !pp_opts_complete(&opts, sizeof opts, sizeof opts, given))
		return PP_E_USAGE;
	status = pp_reply_new(question, params, &opts, &r);
	*out = r;
	if (status != PP_OK)
		return status;
	limit = r->asking.params->reading.max_memory;
	limit = limit == PP_UNSET ? 0 : limit;
	if (opts.shelf && !limit)
		limit = pp_shelf_limit(opts.shelf);
	pp_meter_start(&r->meter, limit, opts.shelf ? pp_shelf_held(opts.shelf) : 0);
	r->meter.account.stop = opts.stop;
	r->meter.account.stop_ctx = opts.ctx;
	r->meter.account.free_later = pp_free_later;
	status = ask_about(r, files, n);
	if (status == PP_OK || answer_of(r)->stands)
		pp_members_facts(r);
	/* What is kept makes room for what is asked for. */
	if (opts.shelf && pp_account_exceeded() && pp_shelf_held(opts.shelf) > 0 &&
	    !(opts.stop && opts.stop(opts.ctx))) {
		(void)pp_meter_stop(&r->meter, status);
		pp_answer_free(r);
		*out = NULL;
		pp_shelf_shrink(opts.shelf, 0);
		if (pp_shelf_held(opts.shelf) == 0)
			return pp_ask_files(files, n, question, params, given, out);
		return PP_E_LIMIT;
	}
	if ((status == PP_OK || answer_of(r)->stands) && !pp_reply_tables(r))
		status = PP_E_NOMEM;
	pp_reply_memory(r, status);
	if (status != PP_OK && status != PP_E_NOMEM)
		pp_excerpt_fail(&r->asking);
	return pp_meter_stop(&r->meter, status);
}
