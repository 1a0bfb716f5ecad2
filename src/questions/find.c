/*
 * Functions by what a user types.
 */
#include "questions/find.h"

#include <limits.h>
#include <stdlib.h>

#include "analysis/demangle.h"
#include "base/sort.h"
#include "model/builder.h"
#include "questions/handles.h"
#include "questions/question.h"
#include "text/demangle.h"
#include "text/suggest.h"
#include "text/escape.h"
#include "text/regex.h"
#include "text/units.h"

/* Names offered when the one typed is unknown or means several. */
#define NAMES_SHOWN 8
/* Of functions that have one name, those that are looked at to see what tells them apart. */
#define NAMES_COMPARED 100

struct found {
	PP_VEC(pp_func) funcs; /* by identity, in the order of the profile */
	bool failed;
};

static struct pp_slice
name_of(const struct pp_profile *p, pp_func func)
{
	return pp_text_of(p, p->funcs.at[func].name);
}

/* The place of a function: its file, with line, with column, or its module; as people write it. */
enum place { PLACE_FILE, PLACE_LINE, PLACE_COLUMN, PLACE_MODULE, PLACES };

static struct pp_slice
place_of(const struct pp_profile *p, pp_func func, enum place kind, struct pp_buf *made)
{
	const struct pp_func_row *f = &p->funcs.at[func];

	if (kind == PLACE_MODULE || !f->file)
		return pp_text_of(p, p->modules.at[f->module].name);
	if (kind == PLACE_FILE || !f->line)
		return pp_text_of(p, f->file);
	made->n = 0;
	pp_buf_add(made, pp_text_of(p, f->file).p, pp_text_of(p, f->file).n);
	pp_buf_addf(made, ":%u", f->line);
	if (kind == PLACE_COLUMN && f->column)
		pp_buf_addf(made, ":%u", f->column);
	return pp_slice_of(made->p ? made->p : "", made->p ? made->n : 0);
}

/* "PLACE:NAME": 2 when that is the whole place, 1 when it is the end of its path, else 0. */
static int
placed_rank(const struct pp_profile *p, pp_func func, struct pp_slice name, struct pp_slice typed,
            struct pp_buf *made)
{
	int kind, rank = 0;
	size_t n;

	if (typed.n < name.n + 1 || typed.p[typed.n - name.n - 1] != ':' ||
	    memcmp(typed.p + typed.n - name.n, name.p, name.n) != 0)
		return 0;
	n = typed.n - name.n - 1;
	for (kind = 0; kind < PLACES && rank < 2; kind++) {
		struct pp_slice place = place_of(p, func, (enum place)kind, made);

		if (n > place.n || (n == 0 && place.n) ||
		    memcmp(place.p + place.n - n, typed.p, n) != 0)
			continue;
		if (n == place.n)
			rank = 2;
		else if (place.p[place.n - n - 1] == '/')
			rank = 1;
	}
	return rank;
}

static bool
placed_match(const struct pp_profile *p, pp_func func, struct pp_slice name, struct pp_slice typed,
             struct pp_buf *made)
{
	return placed_rank(p, func, name, typed, made) == 2;
}

static bool
ended_match(const struct pp_profile *p, pp_func func, struct pp_slice name, struct pp_slice typed,
            struct pp_buf *made)
{
	return placed_rank(p, func, name, typed, made) == 1;
}

static bool
part_match(const struct pp_profile *p, pp_func func, struct pp_slice name, struct pp_slice typed,
           struct pp_buf *made)
{
	return typed.n > 0 && name.n >= typed.n && memmem(name.p, name.n, typed.p, typed.n) != NULL;
}

static bool
whole_match(const struct pp_profile *p, pp_func func, struct pp_slice name, struct pp_slice typed,
            struct pp_buf *made)
{
	return pp_slice_eq(name, typed);
}

/* Functions by their name, mangled or not. */
static void
collect(const struct pp_profile *p, struct pp_slice typed,
        bool (*match)(const struct pp_profile *, pp_func, struct pp_slice name, struct pp_slice,
                      struct pp_buf *made),
        struct found *found)
{
	struct pp_buf made = { 0 }, place = { 0 };
	struct pp_slice other;
	size_t i;

	for (i = 1; i < p->funcs.n; i++) {
		if (p->funcs.at[i].same != i)
			continue;
		other = pp_func_other_name(p, (pp_func)i, &made);
		if (match(p, (pp_func)i, name_of(p, (pp_func)i), typed, &place) ||
		    (other.n && match(p, (pp_func)i, other, typed, &place)))
			found->failed |= !pp_vec_push(&found->funcs, (pp_func)i);
	}
	found->failed |= made.failed || place.failed;
	pp_buf_release(&made);
	pp_buf_release(&place);
}

static pp_status
collect_regex(struct pp_answer *a, const struct pp_profile *p, struct pp_slice pattern,
              struct found *found)
{
	struct pp_buf problem = { 0 };
	struct pp_regex *re = pp_regex_new(pattern, &problem);
	enum pp_regex_result result = PP_REGEX_NO;
	pp_status status = PP_OK;
	struct pp_buf made = { 0 };
	struct pp_slice other;
	size_t i;

	for (i = 1; re && result <= PP_REGEX_YES && i < p->funcs.n; i++) {
		result = PP_REGEX_NO;
		if (p->funcs.at[i].same != i)
			continue;
		other = pp_func_other_name(p, (pp_func)i, &made);
		result = pp_regex_match(re, name_of(p, (pp_func)i));
		if (result == PP_REGEX_NO && other.n)
			result = pp_regex_match(re, other);
		if (result == PP_REGEX_YES)
			found->failed |= !pp_vec_push(&found->funcs, (pp_func)i);
	}
	if (!re)
		status = pp_answer_fail(a, PP_E_USAGE, "bad-pattern", "%s",
		                        problem.n ? problem.p : pp_status_text(PP_E_NOMEM));
	else if (result > PP_REGEX_YES)
		status = pp_answer_fail(a, PP_E_USAGE, "bad-pattern",
		                        "the pattern takes too many steps; write it more simply");
	found->failed |= made.failed;
	pp_regex_free(re);
	pp_buf_release(&made);
	pp_buf_release(&problem);
	return status;
}

/* ---- when it is not one ---- */

static void
candidate_add(struct pp_answer *a, const struct pp_profile *p, pp_func func, enum place kind)
{
	struct pp_buf made = { 0 };
	struct pp_slice place = place_of(p, func, kind, &made);
	struct pp_candidate candidate = { name_of(p, func), { NULL, 0 }, func };

	candidate.place = pp_slice_of(pp_answer_copy(a, place), place.n);
	a->failed |= made.failed || !pp_vec_push(&a->candidates, candidate);
	pp_buf_release(&made);
}

/* What was typed, safe for a terminal, in a sentence. */
static pp_status
not_one(struct pp_answer *a, const char *rule, const char *typed, const char *before,
        const char *after)
{
	struct pp_buf name = { 0 };
	pp_status status;

	pp_escape_terminal(&name, pp_slice_z(typed));
	status = pp_answer_fail(a, PP_E_USAGE, rule, "%s'%s'%s", before, pp_answer_made(a, &name),
	                        after);
	pp_buf_release(&name);
	return status;
}

struct near {
	unsigned distance;
	pp_func func;
};

static int
compare_near(const void *left, const void *right, void *context)
{
	const struct near *a = left, *b = right;
	const struct pp_profile *p = context;
	int c;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	c = pp_slice_cmp(name_of(p, a->func), name_of(p, b->func));
	return c ? c : (a->func > b->func) - (a->func < b->func);
}

/* Nothing matches: the nearest names, by keystrokes. */
static pp_status
none_found(struct pp_answer *a, const struct pp_profile *p, const char *typed)
{
	struct near *near = calloc(p->funcs.n, sizeof *near);
	struct pp_suggest suggest;
	size_t i, n = 0;

	for (i = 1; near && i < p->funcs.n; i++) {
		if (p->funcs.at[i].same != i)
			continue;
		pp_suggest_init(&suggest, pp_slice_z(typed));
		pp_suggest_offer(&suggest, name_of(p, (pp_func)i));
		if (suggest.distance != UINT_MAX)
			near[n++] = (struct near){ suggest.distance, (pp_func)i };
	}
	if (n > 1)
		pp_sort(near, n, sizeof *near, compare_near, (void *)(uintptr_t)p);
	for (i = 0; i < n && i < NAMES_SHOWN; i++)
		candidate_add(a, p, near[i].func, PLACE_FILE);
	free(near);
	return not_one(a, "no-function", typed, "no function is named ",
	               n ? "; the closest names:" : "");
}

static bool
same_names(const struct pp_profile *p, const struct found *found)
{
	size_t i;

	for (i = 1; i < found->funcs.n; i++)
		if (p->funcs.at[found->funcs.at[i]].name != p->funcs.at[found->funcs.at[0]].name)
			return false;
	return true;
}

/* What tells functions of one name apart: their files if that is enough. */
static enum place
place_choose(const struct pp_profile *p, const struct found *found)
{
	enum place kind = PLACE_FILE;
	size_t i, k;

	for (i = 1; i < found->funcs.n && i < NAMES_COMPARED; i++)
		for (k = 0; k < i; k++) {
			const struct pp_func_row *a = &p->funcs.at[found->funcs.at[i]];
			const struct pp_func_row *b = &p->funcs.at[found->funcs.at[k]];

			if (a->file != b->file)
				continue;
			if (a->line == b->line && a->column == b->column)
				return PLACE_MODULE;
			if (kind == PLACE_FILE || a->line == b->line)
				kind = a->line == b->line ? PLACE_COLUMN : PLACE_LINE;
		}
	return kind;
}

/* Costs of several functions are never added up: who asks has to choose. */
static pp_status
several_found(struct pp_answer *a, const struct pp_profile *p, const char *typed,
              const struct found *found)
{
	bool same = same_names(p, found);
	enum place kind = same ? place_choose(p, found) : PLACE_LINE;
	struct pp_buf after = { 0 };
	pp_status status;
	size_t i;

	for (i = 0; i < found->funcs.n && i < NAMES_SHOWN; i++)
		candidate_add(a, p, found->funcs.at[i], kind);
	a->more_candidates = found->funcs.n - i;
	pp_buf_adds(&after, " may mean ");
	pp_units_u64(&after, found->funcs.n);
	pp_buf_adds(&after, same ? " functions; choose one by its place:"
	                         : " functions; give more of the name:");
	status = not_one(a, "several-functions", typed, "", pp_answer_made(a, &after));
	pp_buf_release(&after);
	return status;
}

struct pp_slice
pp_find_typed(const struct pp_profile *p, pp_func func, struct pp_buf *made)
{
	struct found found = { .failed = false };
	struct pp_slice name = name_of(p, func), place;
	size_t i;

	for (i = 1; i < p->funcs.n; i++)
		if (p->funcs.at[i].same == i && p->funcs.at[i].name == p->funcs.at[func].name)
			found.failed |= !pp_vec_push(&found.funcs, (pp_func)i);
	if (found.funcs.n > 1 && !found.failed) {
		struct pp_buf spare = { 0 };

		place = place_of(p, func, place_choose(p, &found), &spare);
		pp_buf_add(made, place.p, place.n);
		pp_buf_addc(made, ':');
		pp_buf_add(made, name.p, name.n);
		made->failed |= spare.failed;
		pp_buf_release(&spare);
		name = pp_slice_of(made->p ? made->p : "", made->p ? made->n : 0);
	}
	pp_vec_release(&found.funcs);
	return name;
}

pp_status
pp_find_function(struct pp_answer *a, const struct pp_profile *p, const char *name, pp_func *func)
{
	struct pp_slice typed = pp_slice_z(name);
	struct found found = { .failed = false };
	pp_status status = PP_OK;

	*func = 0;
	collect(p, typed, whole_match, &found);
	if (found.funcs.n == 0)
		collect(p, typed, placed_match, &found);
	if (found.funcs.n == 0)
		collect(p, typed, ended_match, &found);
	if (found.funcs.n == 0) {
		if (typed.n > 2 && typed.p[0] == '/' && typed.p[typed.n - 1] == '/')
			status = collect_regex(a, p, pp_slice_of(typed.p + 1, typed.n - 2), &found);
		else
			collect(p, typed, part_match, &found);
	}
	if (status == PP_OK && found.failed)
		status = pp_answer_fail_status(a, PP_E_NOMEM);
	if (status == PP_OK && found.funcs.n == 0)
		status = none_found(a, p, name);
	else if (status == PP_OK && found.funcs.n > 1)
		status = several_found(a, p, name, &found);
	else if (status == PP_OK)
		*func = found.funcs.at[0];
	pp_vec_release(&found.funcs);
	return status;
}

pp_status
pp_find_topic_function(struct pp_answer *a, const struct pp_topic *topic, const char *name,
                       pp_func *func)
{
	uint64_t handle = pp_handle_parse('f', name);
	const struct pp_handles *h;

	if (!handle)
		return pp_find_function(a, topic->profile, name, func);
	h = pp_answer_handles(a, topic);
	if (!h)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	*func = pp_handles_func(h, handle);
	if (*func && topic->profile->funcs.n == h->profile->funcs.n)
		return PP_OK;
	if (h->flat.n == 0)
		return pp_answer_fail(a, PP_E_USAGE, "no-handle",
		                      "there is no handle %s: this file has no functions", name);
	return pp_answer_fail(a, PP_E_USAGE, "no-handle",
	                      "there is no handle %s: f1 to f%zu are the functions of this file",
	                      name, h->flat.n);
}

/* A part of the name, or FILE:NAME. */
static bool
is_possible(const char *typed, struct pp_slice name)
{
	size_t length = strlen(typed), n = name.n;

	return memmem(name.p, n, typed, length) != NULL ||
	       (length > n && typed[length - n - 1] == ':' &&
	        memcmp(typed + length - n, name.p, n) == 0);
}

bool
pp_find_possible(const char *typed, const char *name, size_t n)
{
	struct pp_buf made = { 0 };
	bool possible = is_possible(typed, pp_slice_of(name, n));

	if (!possible && pp_demangle(pp_slice_of(name, n), &made))
		possible = is_possible(typed, pp_slice_of(made.p, made.n));
	possible |= made.failed;
	pp_buf_release(&made);
	return possible;
}
