/*
 * Functions by what a user types.
 */
#include "cli/find.h"

#include <limits.h>
#include <stdlib.h>

#include "analysis/group.h"
#include "base/sort.h"
#include "cli/suggest.h"
#include "text/escape.h"
#include "text/regex.h"

/* Names offered when the one typed is unknown or means several. */
#define NAMES_SHOWN 8

struct found {
	PP_VEC(pp_func) funcs; /* by identity, in the order of the profile */
	bool failed;
};

static struct pp_slice
name_of(const struct pp_profile *p, pp_func func)
{
	return pp_text_of(p, p->funcs.at[func].name);
}

/* "FILE:NAME" with FILE the whole path or its end. */
static bool
placed_match(const struct pp_profile *p, pp_func func, struct pp_slice typed)
{
	struct pp_slice name = name_of(p, func), file = pp_text_of(p, p->funcs.at[func].file);
	size_t n;

	if (!file.n)
		file = pp_text_of(p, p->modules.at[p->funcs.at[func].module].name);
	if (typed.n < name.n + 2 || typed.p[typed.n - name.n - 1] != ':' ||
	    memcmp(typed.p + typed.n - name.n, name.p, name.n) != 0)
		return false;
	n = typed.n - name.n - 1;
	if (n > file.n || memcmp(file.p + file.n - n, typed.p, n) != 0)
		return false;
	return n == file.n || file.p[file.n - n - 1] == '/';
}

static bool
part_match(const struct pp_profile *p, pp_func func, struct pp_slice typed)
{
	struct pp_slice name = name_of(p, func);

	return typed.n > 0 && name.n >= typed.n && memmem(name.p, name.n, typed.p, typed.n) != NULL;
}

static bool
whole_match(const struct pp_profile *p, pp_func func, struct pp_slice typed)
{
	return pp_slice_eq(name_of(p, func), typed);
}

static void
collect(const struct pp_profile *p, struct pp_slice typed,
        bool (*match)(const struct pp_profile *, pp_func, struct pp_slice), struct found *found)
{
	size_t i;

	for (i = 1; i < p->funcs.n; i++)
		if (p->funcs.at[i].same == i && match(p, (pp_func)i, typed))
			found->failed |= !pp_vec_push(&found->funcs, (pp_func)i);
}

static int
collect_regex(struct pp_cli *cli, const struct pp_profile *p, struct pp_slice pattern,
              struct found *found)
{
	struct pp_buf problem = { 0 };
	struct pp_regex *re = pp_regex_new(pattern, &problem);
	enum pp_regex_result result = PP_REGEX_NO;
	size_t i;
	int code = 0;

	for (i = 1; re && result <= PP_REGEX_YES && i < p->funcs.n; i++) {
		result = p->funcs.at[i].same == i ? pp_regex_match(re, name_of(p, (pp_func)i))
		                                  : PP_REGEX_NO;
		if (result == PP_REGEX_YES)
			found->failed |= !pp_vec_push(&found->funcs, (pp_func)i);
	}
	if (!re)
		code = pp_cli_wrong(cli, "%s", problem.n ? problem.p : pp_status_text(PP_E_NOMEM));
	else if (result > PP_REGEX_YES)
		code = pp_cli_wrong(cli, "the pattern takes too many steps; write it more simply");
	pp_regex_free(re);
	pp_buf_release(&problem);
	return code;
}

/* ---- when it is not one ---- */

static void
list_add(struct pp_buf *text, const struct pp_profile *p, pp_func func)
{
	struct pp_slice file = pp_text_of(p, p->funcs.at[func].file);

	pp_buf_adds(text, "\n  ");
	pp_escape_terminal(text, name_of(p, func));
	if (file.n) {
		pp_buf_adds(text, "  (");
		pp_escape_terminal(text, file);
		pp_buf_adds(text, ")");
	}
}

/* Prints "polyprof: error: ..." with a list below, whose lines the message printer would escape. */
static int
list_print(struct pp_cli *cli, const char *typed, const char *what, const struct pp_buf *list)
{
	struct pp_buf buf, name = { 0 };
	struct pp_sink *err;
	int code;

	pp_escape_terminal(&name, pp_slice_z(typed));
	code = pp_cli_wrong(cli, what, name.p ? name.p : "");
	err = pp_cli_err(&buf);
	if (err && list->n) {
		pp_sink_write(err, list->p + 1, list->n - 1);
		pp_sink_putc(err, '\n');
	}
	pp_cli_err_done(err, &buf);
	pp_buf_release(&name);
	return code;
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
static int
none_found(struct pp_cli *cli, struct pp_profile *p, const char *typed)
{
	struct near *near = calloc(p->funcs.n, sizeof *near);
	struct pp_suggest suggest;
	struct pp_buf text = { 0 };
	size_t i, n = 0;
	int code;

	for (i = 1; near && i < p->funcs.n; i++) {
		if (p->funcs.at[i].same != i)
			continue;
		pp_suggest_init(&suggest, pp_slice_z(typed));
		pp_suggest_offer(&suggest, name_of(p, (pp_func)i));
		if (suggest.distance != UINT_MAX)
			near[n++] = (struct near){ suggest.distance, (pp_func)i };
	}
	if (n > 1)
		pp_sort(near, n, sizeof *near, compare_near, p);
	for (i = 0; i < n && i < NAMES_SHOWN; i++)
		list_add(&text, p, near[i].func);
	code = list_print(cli, typed,
	                  n ? "no function is named '%s'; the nearest names:"
	                    : "no function is named '%s'",
	                  &text);
	pp_buf_release(&text);
	free(near);
	return code;
}

static int
several_found(struct pp_cli *cli, const struct pp_profile *p, const char *typed,
              const struct found *found)
{
	struct pp_buf text = { 0 };
	size_t i;
	int code;

	for (i = 0; i < found->funcs.n && i < NAMES_SHOWN; i++)
		list_add(&text, p, found->funcs.at[i]);
	if (found->funcs.n > NAMES_SHOWN)
		pp_buf_addf(&text, "\n  ... and %zu more", found->funcs.n - NAMES_SHOWN);
	code = list_print(cli, typed,
	                  "'%s' may mean several functions; give more of the name:", &text);
	pp_buf_release(&text);
	return code;
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

/* Functions of one name at several places answer together. */
static int
unite(struct pp_cli *cli, struct pp_profile *p, const struct found *found, pp_func *func)
{
	uint32_t *key;
	size_t i;
	bool fine, changed;

	*func = found->funcs.at[0];
	if (found->funcs.n == 1)
		return 0;
	pp_cli_note(cli, "%zu functions have this name and are taken together; FILE:NAME picks one",
	            found->funcs.n);
	key = calloc(p->funcs.n, sizeof *key);
	for (i = 0; key && i < found->funcs.n; i++)
		key[found->funcs.at[i]] = 1;
	for (i = 1; key && i < p->funcs.n; i++)
		key[i] = key[p->funcs.at[i].same];
	fine = key && pp_group_unite(p, key, 1, &changed);
	free(key);
	if (fine)
		return 0;
	pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
	return PP_EXIT_INPUT;
}

int
pp_find_function(struct pp_cli *cli, struct pp_profile *p, const char *name, pp_func *func)
{
	struct pp_slice typed = pp_slice_z(name);
	struct found found = { .failed = false };
	bool exact = true;
	int code = 0;

	*func = 0;
	collect(p, typed, whole_match, &found);
	if (found.funcs.n == 0)
		collect(p, typed, placed_match, &found);
	if (found.funcs.n == 0) {
		exact = false;
		if (typed.n > 2 && typed.p[0] == '/' && typed.p[typed.n - 1] == '/')
			code = collect_regex(cli, p, pp_slice_of(typed.p + 1, typed.n - 2), &found);
		else
			collect(p, typed, part_match, &found);
	}
	if (code == 0 && found.failed) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		code = PP_EXIT_INPUT;
	}
	if (code == 0 && found.funcs.n == 0)
		code = none_found(cli, p, name);
	else if (code == 0 && !exact && !same_names(p, &found))
		code = several_found(cli, p, name, &found);
	else if (code == 0)
		code = unite(cli, p, &found, func);
	pp_vec_release(&found.funcs);
	return code;
}
