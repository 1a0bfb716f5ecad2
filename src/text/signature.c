/*
 * The parts of a function's name. Brackets are counted, since types contain blanks too.
 */
#include "text/signature.h"

#include <string.h>

static bool
is_word(unsigned char c)
{
	return pp_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c >= 0x80;
}

/* Takes an ending off; false when it is not there. */
static bool
drop_ending(struct pp_slice *s, const char *ending)
{
	size_t n = strlen(ending);

	if (s->n <= n || !pp_slice_ends(*s, ending))
		return false;
	s->n -= n;
	return true;
}

/* The length without the type that Java writes behind parameters: "java/lang/String.foo(I)Ljava/lang/String;". */
static size_t
without_descriptor(struct pp_slice s)
{
	size_t n = s.n, last;

	while (n > 0 && s.p[n - 1] != ')')
		n--;
	if (n < 2 || n == s.n)
		return s.n;
	for (last = n; last + 1 < s.n && s.p[last] == '['; last++)
		;
	if (last + 1 == s.n)
		return memchr("VZBCSIJFD", s.p[last], 9) ? n : s.n;
	return s.p[last] == 'L' && s.p[s.n - 1] == ';' ? n : s.n;
}

/* Returns where the bracket that ends a text begins, or the text's length. */
static size_t
opening_of(struct pp_slice s)
{
	size_t depth = 0, i;

	for (i = s.n; i-- > 0;) {
		depth += s.p[i] == ')';
		if (s.p[i] == '(' && --depth == 0)
			return i;
	}
	return s.n;
}

/* Whether the name of an operator begins at a place: blanks and brackets belong to it. */
static bool
is_operator(struct pp_slice s, size_t at)
{
	struct pp_slice rest = pp_slice_from(s, at);

	return pp_slice_starts(rest, "operator") && (at == 0 || !is_word(s.p[at - 1])) &&
	       (rest.n == 8 || !is_word(rest.p[8]));
}

/* Whether a text ends in an operator of symbols: "operator<<", "A::operator()". */
static bool
ends_in_operator(struct pp_slice s)
{
	size_t n = s.n;

	while (n > 0 && strchr("()[]<>=!+-*/%^&|~,", s.p[n - 1]))
		n--;
	return n < s.n && n >= 8 && is_operator(s, n - 8);
}

/* Whether brackets behind a text contain parameters: not "pkg.(*T)", "main (app.c)", "(below main)", "operator()". */
static bool
takes_parameters(struct pp_slice s)
{
	unsigned char c = s.n ? s.p[s.n - 1] : ' ';

	if (s.n >= 8 && is_operator(s, s.n - 8))
		return false;
	return is_word(c) || (c && strchr(">]}$'?", c)) || ends_in_operator(s);
}

/* Whether a word at a place qualifies what precedes it: "f() const::{lambda()#1}" contains one. */
static bool
is_qualifier(struct pp_slice s, size_t at)
{
	static const char *const words[] = { "const", "volatile", "&" };
	struct pp_slice rest = pp_slice_from(s, at);
	size_t i, n;

	for (i = 0; i < sizeof words / sizeof *words; i++) {
		n = strlen(words[i]);
		if (pp_slice_starts(rest, words[i]) &&
		    (rest.n == n || words[i][0] == '&' || !is_word(rest.p[n])))
			return true;
	}
	return false;
}

/* Returns where a name begins after its return type, or 0. */
static size_t
behind_type(struct pp_slice s)
{
	size_t depth = 0, begin = 0, i;

	for (i = 0; i < s.n; i++) {
		unsigned char c = s.p[i];

		if (depth == 0 && c == 'o' && is_operator(s, i))
			break;
		if (c == '<' || c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == '>' && !(i > 0 && s.p[i - 1] == '-')) || c == ')' || c == ']' ||
		         c == '}')
			depth -= depth > 0;
		else if (c == ' ' && depth == 0 && !is_qualifier(s, i + 1))
			begin = i + 1;
	}
	return begin;
}

/* Whether a word can precede a name without being its type: "closure #1 in f<A>()", "virtual thunk to A<B>()". */
static bool
is_remark(struct pp_slice type)
{
	static const char *const words[] = { "in",     "to",  "for", "of",   "get",
		                             "static", "set", "new", "async" };
	size_t n, from, i;

	for (n = type.n; n > 0 && type.p[n - 1] == ' '; n--)
		;
	for (from = n; from > 0 && type.p[from - 1] != ' '; from--)
		;
	for (i = 0; i < sizeof words / sizeof *words; i++)
		if (pp_slice_eq_z(pp_slice_of(type.p + from, n - from), words[i]))
			return true;
	return memchr(type.p, '#', n) != NULL;
}

/* Splits off the return type. Without knowing that a name is C++, only templates are taken to state theirs. */
static void
type_split(struct pp_signature *s, bool cxx)
{
	size_t begin = behind_type(s->name);
	struct pp_slice type = pp_slice_of(s->name.p, begin);

	if (begin == 0 || begin == s->name.n ||
	    (!cxx && (s->name.p[s->name.n - 1] != '>' || is_remark(type))))
		return;
	s->type = type;
	s->name = pp_slice_from(s->name, begin);
}

/* How deep functions that return functions are looked into. */
#define NESTING_MOST 8

static struct pp_signature
split(struct pp_slice s, bool cxx, unsigned depth)
{
	struct pp_signature out = { .name = s };
	struct pp_slice core = s;
	size_t at;

	while (drop_ending(&core, " const") || drop_ending(&core, " volatile") ||
	       drop_ending(&core, " &") || drop_ending(&core, " &&") ||
	       drop_ending(&core, " noexcept"))
		;
	if (core.n == s.n)
		core.n = without_descriptor(s);
	at = core.n && core.p[core.n - 1] == ')' ? opening_of(core) : core.n;
	if (at == 0 || at == core.n)
		return out;
	/* "void (*f<int>(char))(int)" returns a function: its name is inside. */
	if (core.p[at - 1] == ')' && !ends_in_operator(pp_slice_of(s.p, at))) {
		size_t inner = opening_of(pp_slice_of(s.p, at));

		if (depth < NESTING_MOST && inner + 2 < at &&
		    (s.p[inner + 1] == '*' || s.p[inner + 1] == '&') &&
		    (inner == 0 || s.p[inner - 1] == ' ')) {
			out = split(pp_slice_of(s.p + inner + 2, at - inner - 3), cxx, depth + 1);
			out.type = pp_slice_of(s.p, inner);
			out.rest = pp_slice_from(s, at);
		}
		return out;
	}
	if (!takes_parameters(pp_slice_of(s.p, at)))
		return out;
	out.name = pp_slice_of(s.p, at);
	out.params = pp_slice_of(s.p + at, core.n - at);
	out.rest = pp_slice_from(s, core.n);
	type_split(&out, cxx);
	return out;
}

struct pp_signature
pp_signature_of(struct pp_slice s)
{
	return split(s, false, 0);
}

struct pp_signature
pp_signature_cxx(struct pp_slice s)
{
	return split(s, true, 0);
}

size_t
pp_signature_clones(struct pp_slice s)
{
	size_t n = s.n, i;

	while (n > 0 && s.p[n - 1] == ']') {
		for (i = n; i > 0 && s.p[i - 1] != '['; i--)
			;
		if (i < 2 || !pp_slice_starts(pp_slice_of(s.p + i, n - i), "clone ") ||
		    s.p[i - 2] != ' ')
			break;
		n = i - 2;
	}
	return n;
}

/* Whether a quote at a place divides a function from its caller, and quotes nothing itself. */
static bool
quote_divides(struct pp_slice s, size_t at)
{
	unsigned char before = at ? s.p[at - 1] : ' ', behind = at + 1 < s.n ? s.p[at + 1] : ' ';

	return (is_word(before) || strchr(")>]}$?", before)) && before &&
	       (is_word(behind) || (behind && strchr("(<{[~.$?-+/", behind)));
}

/* Returns where the symbols of an operator's name end. */
static size_t
operator_end(struct pp_slice s, size_t at)
{
	for (at += 8; at < s.n && s.p[at] && strchr("()[]<>=!+-*/%^&|~,", s.p[at]); at++)
		;
	return at;
}

/*
 * The length up to the next caller. Sets *plausible to whether that can be the name of a function: blanks are not
 * outside of brackets unless it has brackets, as "operator new(unsigned long)" has.
 */
static size_t
caller_length(struct pp_slice s, bool *plausible)
{
	bool blank = false, brackets = false;
	size_t depth = 0, i;

	for (i = 0; i < s.n; i++) {
		unsigned char c = s.p[i];
		const unsigned char *end;

		if (c == 'o' && is_operator(s, i)) {
			i = operator_end(s, i) - 1;
			brackets = true;
		} else if (c == '(' || c == '<' || c == '[' || c == '{') {
			depth++;
			brackets = true;
		} else if ((c == '>' && !(i > 0 && s.p[i - 1] == '-')) || c == ')' || c == ']' ||
		           c == '}') {
			depth -= depth > 0;
		} else if (depth == 0 && c == ' ') {
			blank = true;
		} else if (depth == 0 && c == '\'' && i > 0 && quote_divides(s, i)) {
			break;
		} else if (depth == 0 && (c == '`' || c == '\'')) {
			end = memchr(s.p + i + 1, '\'', s.n - i - 1);
			if (end && end[-1] != '\'')
				i = (size_t)(end - s.p);
		}
	}
	*plausible = brackets || !blank;
	return i;
}

size_t
pp_signature_caller(struct pp_slice s)
{
	bool plausible;

	return caller_length(s, &plausible);
}

size_t
pp_signature_contexts(struct pp_slice s)
{
	size_t first = 0, at = 0;
	bool plausible = true;

	if (!s.n || !memchr(s.p, '\'', s.n))
		return s.n;
	while (at < s.n && plausible) {
		at += caller_length(pp_slice_from(s, at), &plausible);
		first = first ? first : at;
		at++;
	}
	return plausible ? first : s.n;
}
