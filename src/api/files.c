/*
 * From file names to a subject, and on to an answer.
 */
#include <string.h>
#include <sys/stat.h>

#include "api/maps.h"
#include "api/merge_notes.h"
#include "api/reply.h"
#include "api/shelf.h"
#include "model/merge.h"
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
	PP_VEC(const char *) list;
	size_t directories; /* that they were found in */
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

/* Reads one file: PP_OK and its profile, or a status with the reason said. */
static pp_status
load_one(struct pp_reply *r, const char *file, const struct pp_load_order *order,
         struct pp_profile **out)
{
	struct pp_loaded l;
	pp_status status = pp_loaded_open(r, file, order, &l);

	if (status == PP_OK) {
		pp_loaded_read(r, &l);
		status = pp_loaded_verdict(r, &l, order->again);
	}
	if (status == PP_OK) {
		*out = l.profile;
		l.profile = NULL;
	}
	pp_loaded_drop(&l);
	return status;
}

/* ---- one profile out of all files ---- */

/* Says that a profile cannot be merged with those before. */
static pp_status
merge_failed(struct pp_reply *r, const char *file, pp_status status, const struct pp_buf *problem)
{
	if (status == PP_E_USAGE)
		return pp_answer_fail(
		    answer_of(r), PP_E_UNSUPPORTED, "not-alike",
		    "%s does not measure the same things as the files before it, so they "
		    "cannot be merged%s%s",
		    file, problem->n ? ": " : "", problem->n ? problem->p : "");
	/* Each file is fine, what they come to cannot be written. */
	if (status == PP_E_LIMIT && problem->n && strcmp(r->asking.question->name, "merge") == 0)
		status = PP_E_OUTPUT;
	return pp_answer_fail(answer_of(r), status, "not-merged", "cannot merge %s: %s", file,
	                      problem->n ? problem->p : pp_status_text(status));
}

/* Files that have nothing in common with those before, or whose metrics go by other names: what follows decides. */
struct waiting_file {
	struct pp_profile *profile;
	const char *file;
};

struct merge_waiting {
	PP_VEC(struct waiting_file) files;
};

static void
waiting_drop(struct merge_waiting *w, size_t i)
{
	pp_profile_free(w->files.at[i].profile);
	memmove(&w->files.at[i], &w->files.at[i + 1], (--w->files.n - i) * sizeof *w->files.at);
}

static void
waiting_release(struct merge_waiting *w)
{
	while (w->files.n)
		waiting_drop(w, w->files.n - 1);
	pp_vec_release(&w->files);
}

/* Adds up those that wait and can be by now. */
static pp_status
waiting_merge(struct pp_reply *r, struct merge_waiting *w, struct pp_merge *merge, bool *spoilt)
{
	struct pp_buf problem = { 0 };
	pp_status status = PP_OK;
	size_t i = 0;

	while (i < w->files.n && status == PP_OK) {
		const struct waiting_file *f = &w->files.at[i];

		problem.n = 0;
		status = pp_merge_must_wait(merge, f->profile)
		             ? PP_E_USAGE
		             : pp_merge_add(merge, f->profile, &problem);
		if (status == PP_E_USAGE) {
			status = PP_OK;
			i++;
		} else if (status == PP_OK) {
			waiting_drop(w, i);
			i = 0; /* others may have to do with that one */
		} else {
			*spoilt = true;
			status = merge_failed(r, f->file, status, &problem);
		}
	}
	pp_buf_release(&problem);
	return status;
}

/* All files were read: what still waits is an error, or is left out. */
static pp_status
waiting_end(struct pp_reply *r, struct merge_waiting *w, struct pp_merge *merge, bool skips,
            size_t *left_out, bool *spoilt)
{
	struct pp_buf problem = { 0 };
	pp_status status;

	merge->all_seen = true;
	status = waiting_merge(r, w, merge, spoilt);
	while (w->files.n && status == PP_OK) {
		problem.n = 0;
		status = merge_failed(r, w->files.at[0].file,
		                      pp_merge_add(merge, w->files.at[0].profile, &problem),
		                      &problem);
		waiting_drop(w, 0);
		if (skips) {
			++*left_out;
			status = PP_OK;
		}
	}
	pp_buf_release(&problem);
	return status;
}

/* Reads a file and adds it up: PP_OK, or a status with the reason said. *spoilt: only in part. */
static pp_status
merge_one(struct pp_reply *r, const char *file, const struct pp_load_order *order,
          struct pp_merge *merge, struct merge_waiting *w, bool *spoilt)
{
	struct pp_profile *one = NULL;
	struct pp_buf problem = { 0 };
	pp_status status = load_one(r, file, order, &one);

	if (status == PP_OK && order->base)
		status = pp_load_turn(r, &one, file == order->base);

	if (status == PP_OK && !pp_merge_see(merge, one))
		status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	if (status == PP_OK) {
		status = pp_merge_must_wait(merge, one) ? PP_E_USAGE
		                                        : pp_merge_add(merge, one, &problem);
		if (status == PP_E_USAGE) {
			status = PP_OK;
			if (pp_vec_push(&w->files, (struct waiting_file){ one, file }))
				one = NULL;
			else
				status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
		} else if (status == PP_OK) {
			status = waiting_merge(r, w, merge, spoilt);
		} else {
			*spoilt = true;
			status = merge_failed(r, file, status, &problem);
		}
	}
	pp_profile_free(one);
	pp_buf_release(&problem);
	return status;
}

/* Says how many files were left out, and that they are missing; an error when nothing is left. */
static pp_status
left_out_note(struct pp_answer *a, struct pp_merge *merge, size_t left_out, size_t n)
{
	if (left_out == 0)
		return PP_OK;
	if (left_out == n)
		return pp_answer_fail(a, PP_E_INVALID, "not-merged",
		                      "none of the files could be merged");
	pp_answer_note(a, "left-out", "%zu of %zu files %s left out", left_out, n,
	               pp_plural(left_out, "was", "were"));
	merge->builder.profile->complete = false;
	return PP_OK;
}

/* Reads the files one after the other, adds each up and lets go of it. */
static pp_status
load_merged(struct pp_reply *r, const char *const *files, size_t n,
            const struct pp_load_order *order, struct pp_profile **out)
{
	struct pp_answer *a = answer_of(r);
	struct pp_buf problem = { 0 };
	struct merge_waiting waiting = { 0 };
	struct pp_merge merge;
	pp_status status = PP_OK;
	bool spoilt = false;
	size_t i, left_out = 0;

	if (!pp_merge_init(&merge, NULL, pp_load_clock()))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	merge.label_keys = order->label_keys;
	merge.label_key_count = order->label_key_count;
	if (order->base)
		status = merge_one(r, order->base, order, &merge, &waiting, &spoilt);
	for (i = 0; i < n && status == PP_OK; i++) {
		status = merge_one(r, files[i], order, &merge, &waiting, &spoilt);
		if ((order->want.skips || r->from_directory) && status != PP_OK &&
		    status != PP_E_USAGE && !spoilt) {
			left_out++;
			status = PP_OK;
		}
		pp_load_progress(r, (struct pp_progress_at){ files[0], true, false, i + 1, n });
	}
	pp_load_progress(r, (struct pp_progress_at){ files[0], true, true, n, n });
	if (status == PP_OK)
		status = waiting_end(r, &waiting, &merge, order->want.skips || r->from_directory,
		                     &left_out, &spoilt);
	waiting_release(&waiting);
	if (status != PP_OK && status != PP_E_USAGE && !spoilt && order->want.can_skip)
		pp_answer_note(a, "could-skip",
		               "nothing was written; with --skip such files are left out");
	if (status == PP_OK)
		status = left_out_note(a, &merge, left_out, n);
	if (status == PP_OK) {
		pp_merge_notes(a, &merge);
		status = pp_merge_finish(&merge, out);
		if (status != PP_OK)
			status = merge_failed(r, files[n - 1], status, &problem);
	}
	pp_merge_release(&merge);
	return status;
}

/* Replaces a profile by what is to be seen of it. */
static pp_status
scope_apply(struct pp_reply *r, const struct pp_want *want, struct pp_profile **profile)
{
	static const struct pp_scope everything = { .depth = PP_UNSET };
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	struct pp_seen_for seen = pp_reply_seen_for(r, want);
	struct pp_view view;
	pp_status status;

	scope = scope ? scope : &everything;
	pp_view_init_owned(&view, *profile);
	if ((*profile)->costs.filtered) {
		pp_scope_note(scope, *profile, answer_of(r));
		status = pp_scope_names(scope, &view, &seen, answer_of(r));
	} else {
		status = pp_scope_apply(scope, &view, &seen, answer_of(r));
	}
	*profile = pp_view_take(&view);
	return status;
}

pp_status
pp_load_files(struct pp_reply *r, const char *const *files, size_t n,
              const struct pp_load_order *order, struct pp_profile **out)
{
	pp_status status = n == 1 && !order->base ? load_one(r, files[0], order, out)
	                                          : load_merged(r, files, n, order, out);

	return status == PP_OK ? pp_maps_apply(r, files, n, out) : status;
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

	if (pp_topic_wants_whole(r))
		return pp_topic_whole(r, files, n, given, topic);
	if (n == 1 && !r->asking.params->base && scope && !pp_maps_given(r) &&
	    (order.want.facets & (PP_COSTS | PP_TREE)) && pp_scope_simple(scope, &filter)) {
		order.filter = &filter;
		order.filter_stacks = !(order.want.facets & PP_COSTS);
	}
	if (scope && !(order.want.facets & PP_LABELS))
		order.label_key_count = pp_scope_label_keys(scope, order.label_keys);
	if (scope)
		order.want.facets = pp_scope_facets(scope, order.want.facets);
	order.base = r->asking.params->base;
	if (order.base)
		order.want.facets &= ~(unsigned)(PP_GAINS | PP_GAINS_ALL);
	if (n > 1 || order.base || pp_maps_given(r)) {
		order.want.cut = 0;
		order.want.facets = pp_scope_whole(order.want.facets);
	}
	status = pp_load_files(r, files, n, &order, &profile);
	if (status == PP_OK)
		status = scope_apply(r, &order.want, &profile);
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

	/* The records as read serve only to write the same format back, perhaps by way of a carrier; or addresses. */
	if (status == PP_OK && l.is_open && format != target && !target->carries &&
	    !(format && format->carries) &&
	    !(target->holds && target->holds->keeps & PP_HAS(ADDRESSES)))
		l.opened.order->facets &= ~(unsigned)PP_EXTRAS;
	if (status == PP_OK && order->want.rewrites && format == target && format->rewrite) {
		r->rewritten = l;
		return PP_OK;
	}
	if (status == PP_OK) {
		if (l.is_open)
			l.opened.order->listed = target->lists;
		pp_loaded_read(r, &l);
		status = pp_loaded_verdict(r, &l, false);
	}
	if (status == PP_OK)
		status = topic_keep(r, 0, file, &l.profile);
	pp_loaded_drop(&l);
	return status;
}

/* All files as one profile, or two of them for a picture. */
static pp_status
ask_one(struct pp_reply *r, const char *const *files, size_t n)
{
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	struct pp_load_order order = { .want = pp_asking_want(&r->asking) };
	bool two = r->asking.question->asks == PP_ASKS_PICTURE && n == 2 && !order.want.merge &&
	           !r->from_directory;
	pp_status status = topics_alloc(r, two || r->asking.params->before ? 2 : 1);

	/* What is thin in one file may not be so in all of them. */
	if ((n != 1 || r->asking.params->base) && r->asking.question->makes)
		order.want.prune = order.want.cut = order.want.min_share = 0;
	if (status == PP_OK && order.want.target && n == 1 && !r->asking.params->base &&
	    !pp_scope_given(scope) && !scope->demangle && !pp_maps_given(r))
		status = target_load(r, files[0], &order);
	else if (status == PP_OK)
		status = topic_load(r, files, two ? 1 : n, &order, 0);
	if (status == PP_OK && two)
		status = topic_load(r, files + 1, 1, &order, 1);
	if (status == PP_OK && r->asking.params->before) {
		status = topic_load(r, &r->asking.params->before, 1, &order, 1);
		r->subject.n = 2;
	}
	if (status != PP_OK)
		return status;
	if (!pp_reply_sources(r))
		return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	pp_merged_note(r, files, n);
	return pp_asking_run(&r->asking, &r->subject);
}

/* One file after the other; what was said about the others stands. */
static pp_status
ask_each(struct pp_reply *r, const char *const *files, size_t n)
{
	struct pp_load_order order = { .want = pp_asking_want(&r->asking) };
	pp_status worst = topics_alloc(r, n), status;
	struct pp_shelf_key key;
	size_t i;

	for (i = 0; i < n && worst != PP_E_NOMEM; i++) {
		struct pp_topic *t = &r->topics[i];
		struct pp_loaded l;

		status = pp_loaded_open(r, files[i], &order, &l);
		if (status == PP_OK) {
			pp_loaded_read(r, &l);
			if (r->asking.question->judges) {
				pp_loaded_failure(r, &l);
				pp_loaded_speed(r, &l);
				status = l.status;
			} else {
				status = pp_loaded_verdict(r, &l, false);
			}
		} else if (r->asking.question->judges) {
			pp_loaded_drop(&l);
			return status;
		}
		*t = (struct pp_topic){ .file = files[i],
			                .status = status,
			                .profile = status == PP_OK ? l.profile : NULL,
			                .diags = l.diags,
			                .bids = l.opened.bids,
			                .bid_count = l.opened.bid_count,
			                .chosen = l.is_open ? l.opened.format : NULL,
			                .file_size = l.opened.file_size };
		t->stamp = pp_shelf_key_of(files[i], &key) ? pp_shelf_stamp(&key) : 0;
		r->subject.nth = i;
		if (worst == PP_OK && !r->asking.question->judges)
			worst = status;
		status = pp_asking_run(&r->asking, &r->subject);
		worst = worst == PP_OK ? status : worst;
		t->profile = NULL;
		t->bids = NULL;
		t->bid_count = 0;
		pp_loaded_drop(&l);
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

/* Two files, or the repeated runs in two directories. */
static pp_status
sides_expand(struct pp_reply *r, const char *const *files, size_t n, const char ***out)
{
	struct file_names names = { 0 };
	size_t split = 0, i;
	pp_status status = PP_OK;

	for (i = 0; i < n && status == PP_OK; i++) {
		split = i == 1 ? names.list.n : split;
		if (is_directory(files[i]))
			status = directory_expand(r, files[i], &names);
		else if (!pp_vec_push(&names.list, files[i]))
			status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	}
	*out = pp_answer_alloc(answer_of(r), (names.list.n + 1) * sizeof **out);
	if (status == PP_OK && !*out)
		status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	if (status == PP_OK) {
		memcpy(*out, names.list.at, names.list.n * sizeof **out);
		r->subject.n = names.list.n;
		r->subject.split = n == 2 ? split : 1;
	}
	pp_vec_release(&names.list);
	return status;
}

/* The files of both sides, those before first; false (said) when they make no sense. */
static pp_status
sides_find(struct pp_reply *r, const char *const *files, size_t n, const char ***out)
{
	const struct pp_compared *params =
	    (const struct pp_compared *)(const void *)r->asking.params;
	size_t given = params->files.list.n, side, i;
	const char **all = pp_answer_alloc(answer_of(r), (given + n + 1) * sizeof *all);

	*out = all;
	r->subject.n = r->subject.split = 0;
	if (!all)
		return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	if (given == 0 && (n == 1 || n == 2))
		return sides_expand(r, files, n, out);
	for (side = PP_BEFORE; side <= PP_AFTER; side++) {
		r->subject.split = side == PP_AFTER ? r->subject.n : 0;
		for (i = 0; i < given; i++)
			if ((strcmp(params->files.list.at[i].param->name, "after") == 0) ==
			    (side == PP_AFTER))
				all[r->subject.n++] = params->files.list.at[i].text;
	}
	if (given == 0)
		return pp_answer_fail(answer_of(r), PP_E_USAGE, PP_RULE_USAGE,
		                      "name two files, or repeated runs with --before and --after");
	if (n > 0 || r->subject.split == 0 || r->subject.split == r->subject.n)
		return pp_answer_fail(answer_of(r), PP_E_USAGE, PP_RULE_USAGE,
		                      "--before and --after need files each, and no others");
	return PP_OK;
}

/* Whether every file can be read twice. */
static bool
files_stay(const char *const *files, size_t n)
{
	struct stat st;
	size_t i;

	for (i = 0; i < n; i++)
		if (stat(files[i], &st) != 0 || !S_ISREG(st.st_mode))
			return false;
	return true;
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

	r->topics = pp_answer_alloc(answer_of(r), (r->subject.n + 1) * sizeof *r->topics);
	r->subject.topics = r->topics;
	if (status != PP_OK || !r->topics)
		return status;
	/* Costs per function are read faster, and suffice unless several become one. */
	if (!order.want.stacks && !pp_asking_whole(&r->asking) && !pp_maps_given(r) &&
	    files_stay(all, r->subject.n))
		order.want.facets = (facets & ~(unsigned)PP_FACETS) | PP_COSTS;
	for (;;) {
		for (i = 0; i < r->subject.n && status == PP_OK; i++)
			status = topic_load(r, all + i, 1, &order, i);
		if (status == PP_OK)
			status = pp_asking_run(&r->asking, &r->subject);
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
		if (!folders && is_directory(files[i])) {
			names->directories++;
			status = directory_expand(r, files[i], names);
		} else if (!pp_vec_push(&names->list,
		                        pp_answer_copy(answer_of(r), pp_slice_z(files[i])))) {
			status = pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
		}
	}
	return status;
}

/* The names of the files, kept; and whether they can be read. */
static pp_status
files_take(struct pp_reply *r, const char *const *files, size_t n, const char *const **out)
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
		kept[i] = pp_answer_copy(a, pp_slice_z(files[i]));
	}
	if (dashes > 1)
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "standard input (-) can be read only once");
	*out = kept;
	r->subject.files = kept;
	r->subject.file_count = n;
	return PP_OK;
}

static pp_status
ask_about(struct pp_reply *r, const char *const *given, size_t n)
{
	const struct pp_question *q = r->asking.question;
	const char *const *files = NULL;
	struct file_names names = { 0 };
	pp_status status = q->asks == PP_ASKS_SIDES ? PP_OK : files_expand(r, given, n, &names);

	if (status == PP_OK && names.directories) {
		given = names.list.at;
		n = names.list.n;
		r->from_directory = true;
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
		return ask_series(r, files, n);
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
	status = ask_about(r, files, n);
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
