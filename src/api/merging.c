/*
 * One profile out of all files: each is read, added up and let go.
 */
#include <stdlib.h>
#include <string.h>

#include "api/compatible.h"
#include "api/maps.h"
#include "api/members.h"
#include "api/merge_notes.h"
#include "model/merge.h"
#include "text/units.h"

static struct pp_answer *
answer_of(struct pp_reply *r)
{
	return &r->asking.answer;
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
	pp_loaded_drop(r, &l);
	return status;
}

/* ---- one profile out of all files ---- */

/* Says that a profile cannot be merged with those before. */
static pp_status
merge_failed(struct pp_reply *r, const char *file, pp_status status, const struct pp_buf *problem)
{
	struct pp_buf hint = { 0 };

	if (status == PP_E_USAGE) {
		pp_member_hint(r, file, &hint);
		status = pp_answer_fail(
		    answer_of(r), PP_E_UNSUPPORTED, "not-alike",
		    "%s does not measure the same things as the files before it, so they "
		    "cannot be merged%s%s%s",
		    file, problem->n ? ": " : "", problem->n ? problem->p : "",
		    hint.p ? hint.p : "");
		pp_buf_release(&hint);
		return status;
	}
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

/*
 * Reads a file, unless it is there, and adds it up: PP_OK, or a status with the reason said. *spoilt: only in part. Takes the
 * profile over.
 */
static pp_status
merge_one(struct pp_reply *r, const char *file, struct pp_profile **given,
          const struct pp_load_order *order, bool negate, struct pp_merge *merge,
          struct merge_waiting *w, bool *spoilt)
{
	struct pp_profile *one = *given;
	struct pp_buf problem = { 0 };
	pp_status status = one ? PP_OK : load_one(r, file, order, &one);

	*given = NULL;

	if (status == PP_OK && order->base)
		status = pp_load_turn(r, &one, negate);

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

/* What a store has added up already: it stands for the first file, and those that are taken are done with. */
struct most {
	struct pp_profile *sum;
	bool *taken;
};

/* What is asked of profiles that a store adds up itself. */
static struct pp_order
at_once(struct pp_reply *r, const struct pp_load_order *order)
{
	return (struct pp_order){ .facets = order->at_once ? order->at_once : order->want.facets,
		                  .label_keys = order->label_keys,
		                  .label_key_count = order->label_key_count,
		                  .maps = pp_maps_given(r) };
}

static pp_status
most_find(struct pp_reply *r, const char *const *files, size_t n, const struct pp_load_order *order,
          struct most *most)
{
	struct pp_order all = at_once(r, order);
	pp_status status;

	if (order->base || order->label_key_count || order->want.skips || order->want.target)
		return PP_OK;
	most->taken = calloc(n, sizeof *most->taken);
	if (!most->taken)
		return pp_answer_fail_status(answer_of(r), PP_E_NOMEM);
	status = pp_members_load_most(r, files, n, &all, most->taken, &most->sum);
	if (status != PP_OK) {
		free(most->taken);
		most->taken = NULL;
	}
	return status == PP_E_UNSUPPORTED ? PP_OK : status;
}

/* The profiles of a store that are subtracted. */
static pp_status
base_expand(struct pp_reply *r, const char *base, pp_file_names *names)
{
	pp_status status = pp_members_expand(r, base, NULL, names);

	return status == PP_OK
	           ? pp_members_compatible(r, PP_TOGETHER_MERGED, names->at, &names->n, NULL)
	           : status;
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
	pp_file_names bases = { 0 };
	struct pp_profile *none = NULL;
	struct most most = { 0 };
	size_t i, left_out = 0;

	if (!pp_merge_init(&merge, NULL, pp_load_clock()))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	merge.label_keys = order->label_keys;
	merge.label_key_count = order->label_key_count;
	if (order->base && pp_provider_knows(r, order->base))
		status = base_expand(r, order->base, &bases);
	else if (order->base && !pp_vec_push(&bases, order->base))
		status = pp_answer_fail_status(a, PP_E_NOMEM);
	for (i = 0; i < bases.n && status == PP_OK; i++)
		status = merge_one(r, bases.at[i], &none, order, true, &merge, &waiting, &spoilt);
	pp_vec_release(&bases);
	if (status == PP_OK)
		status = most_find(r, files, n, order, &most);
	for (i = 0; i < n && status == PP_OK; i++) {
		if (i > 0 && most.taken && most.taken[i])
			continue;
		status = merge_one(r, files[i], &most.sum, order, false, &merge, &waiting, &spoilt);
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
	pp_profile_free(most.sum);
	free(most.taken);
	return status;
}

static pp_status
files_load(struct pp_reply *r, const char *const *files, size_t n,
           const struct pp_load_order *order, struct pp_profile **out)
{
	struct pp_order all = at_once(r, order);
	pp_status status = order->base ? PP_E_UNSUPPORTED
	                               : pp_members_load_all(r, files, n, &all, out);

	if (status == PP_E_UNSUPPORTED)
		status = n == 1 && !order->base ? load_one(r, files[0], order, out)
		                                : load_merged(r, files, n, order, out);
	if (status == PP_OK && pp_members_lack(r))
		(*out)->complete = false;
	return status;
}

pp_status
pp_load_files(struct pp_reply *r, const char *const *files, size_t n,
              const struct pp_load_order *order, struct pp_profile **out)
{
	struct pp_load_order whole = *order;
	pp_status status = files_load(r, files, n, order, out);

	/* Costs per function were known, of which some are to be set aside: that takes stacks. */
	if (status == PP_OK && order->want.facets & PP_ASIDE && pp_set_aside_needs_stacks(*out) &&
	    pp_files_stay(r, files, n)) {
		whole.want.facets = pp_scope_whole(order->want.facets);
		whole.at_once = order->at_once ? pp_scope_whole(order->at_once) : 0;
		whole.again = true;
		pp_profile_free(*out);
		*out = NULL;
		status = files_load(r, files, n, &whole, out);
	}
	return status == PP_OK ? pp_maps_apply(r, files, n, out) : status;
}
