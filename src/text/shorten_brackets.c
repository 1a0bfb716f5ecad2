/*
 * How pp_name_shorten() leaves out template arguments and parameters.
 */
#include "text/shorten_brackets.h"

#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"
/* The longest remark behind a name, in brackets. */
#define REMARK_MOST 14

bool
pp_name_is_operator(const char *before, size_t n)
{
	while (n > 0 && before[n - 1] == '<')
		n--;
	return n >= 8 && memcmp(before + n - 8, "operator", 8) == 0;
}

/* Brackets that hold no arguments but are a namespace without a name. */
#define ANONYMOUS "(anonymous namespace)"

/* Whether one pair of brackets holds all of a name, which is its name then: "(garbage collector)", "<lambda>". */
static bool
is_bracketed(const char *name, size_t n, char open, char close)
{
	size_t depth = 0, i;

	if (n < 3 || name[0] != open || name[n - 1] != close)
		return false;
	for (i = 0; i + 1 < n; i++) {
		depth += name[i] == open;
		if (name[i] == close && --depth == 0)
			return false;
	}
	return depth == 1;
}

bool
pp_name_drop_inside(struct pp_buf *out, const char *name, size_t n, char open, char close,
                    bool anonymous)
{
	size_t depth = 0, i;

	if (is_bracketed(name, n, open, close)) {
		pp_buf_add(out, name, n);
		return true;
	}
	for (i = 0; i < n; i++) {
		bool arrow = name[i] == '>' && i > 0 && name[i - 1] == '-';

		if (anonymous && depth == 0 && name[i] == '(' && n - i >= sizeof ANONYMOUS - 1 &&
		    memcmp(name + i, ANONYMOUS, sizeof ANONYMOUS - 1) == 0) {
			pp_buf_adds(out, ANONYMOUS);
			i += sizeof ANONYMOUS - 2;
		} else if (name[i] == open &&
		           !(open == '<' && depth == 0 && pp_name_is_operator(out->p, out->n))) {
			if (depth++ == 0)
				pp_buf_addf(
				    out, i + 1 < n && name[i + 1] == close ? "%c" : "%c" ELLIPSIS,
				    open);
		} else if (name[i] == close && depth > 0 && !arrow) {
			if (--depth == 0)
				pp_buf_add(out, &close, 1);
		} else if (depth == 0) {
			pp_buf_add(out, name + i, 1);
		}
	}
	return depth == 0;
}

size_t
pp_name_remark(const char *name, size_t n)
{
	size_t i = n;

	if (n == 0 || (name[n - 1] != ')' && name[n - 1] != '>'))
		return n;
	while (i > 0 && n - i < REMARK_MOST && name[i - 1] != '(' && name[i - 1] != '<')
		i--;
	if (i == 0 || (name[i - 1] != '(' && name[i - 1] != '<') || memchr(name + i, ',', n - i))
		return n;
	return i == 1 ? 0 : name[i - 2] == ' ' ? i - 2 : n;
}

void
pp_name_drop_brackets(struct pp_buf *out, const char *name, size_t whole, bool anonymous)
{
	struct pp_buf angles = { 0 };
	size_t from = out->n, n = pp_name_remark(name, whole);

	if (!pp_name_drop_inside(&angles, name, n, '<', '>', false)) {
		angles.n = 0;
		pp_buf_add(&angles, name, n);
	}
	if (!pp_name_drop_inside(out, angles.p ? angles.p : "", angles.n, '(', ')', anonymous)) {
		out->n = from;
		pp_buf_add(out, angles.p, angles.n);
	}
	pp_buf_add(out, name + n, whole - n);
	out->failed |= angles.failed;
	pp_buf_release(&angles);
}
