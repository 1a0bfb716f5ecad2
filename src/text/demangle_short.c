/*
 * Names without parameters. The demangler prints "int ns::f<char>(long) const [clone .cold]"; what matters stands between the
 * last blank before the name and the parameters behind it. Brackets are counted, since types have blanks, too.
 */
#include "base/slice.h"
#include "text/demangle.h"

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

/* Where the bracket that ends a text begins; its length when none does. */
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

/* " [clone .cold]", as many as there are. */
static struct pp_slice
without_clones(struct pp_slice s)
{
	size_t i;

	while (s.n && s.p[s.n - 1] == ']') {
		for (i = s.n; i > 0 && s.p[i - 1] != '['; i--)
			;
		if (i < 2 || !pp_slice_starts(pp_slice_from(s, i), "clone ") || s.p[i - 2] != ' ')
			break;
		s.n = i - 2;
	}
	return s;
}

/* What stands before the parameters; all of it when there are none. */
static struct pp_slice
without_parameters(struct pp_slice s)
{
	struct pp_slice whole = s;
	size_t at;

	while (drop_ending(&s, " const") || drop_ending(&s, " volatile") || drop_ending(&s, " &") ||
	       drop_ending(&s, " &&"))
		;
	at = s.n && s.p[s.n - 1] == ')' ? opening_of(s) : s.n;
	if (at == 0 || at == s.n)
		return whole;
	s.n = at;
	/* "void (*f<int>(char))(int)" returns a function: its name is inside. */
	if (s.p[s.n - 1] == ')' && !pp_slice_ends(s, "operator()")) {
		at = opening_of(s);
		if (at + 1 < s.n && (s.p[at + 1] == '*' || s.p[at + 1] == '&'))
			return without_parameters(pp_slice_of(s.p + at + 2, s.n - at - 3));
	}
	return s;
}

static bool
is_word(unsigned char c)
{
	return pp_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c >= 0x80;
}

/* Whether the name of an operator begins at a place: blanks and brackets belong to it. */
static bool
is_operator(struct pp_slice s, size_t at)
{
	struct pp_slice rest = pp_slice_from(s, at);

	return pp_slice_starts(rest, "operator") && (at == 0 || !is_word(s.p[at - 1])) &&
	       (rest.n == 8 || !is_word(rest.p[8]));
}

/* Whether a word at a place says more of what stands before it: "f() const::{lambda()#1}" has one within its name. */
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

/* What stands behind the type that it returns. */
static struct pp_slice
without_type(struct pp_slice s)
{
	size_t depth = 0, begin = 0, i;

	for (i = 0; i < s.n; i++) {
		unsigned char c = s.p[i];

		if (depth == 0 && is_operator(s, i))
			break;
		if (c == '<' || c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == '>' && !(i > 0 && s.p[i - 1] == '-')) || c == ')' || c == ']' ||
		         c == '}')
			depth -= depth > 0;
		else if (c == ' ' && depth == 0 && !is_qualifier(s, i + 1))
			begin = i + 1;
	}
	return pp_slice_from(s, begin);
}

bool
pp_demangle_short(struct pp_slice name, struct pp_buf *out)
{
	struct pp_buf full = { 0 };
	struct pp_slice s, core;
	bool rust = pp_slice_starts(name, "_ZN") && pp_demangle_rust_legacy(name, true, &full);
	bool done = rust || (full.n = 0, pp_demangle(name, &full));

	s = pp_slice_of(full.p ? full.p : "", done ? full.n : 0);
	/* What was made for a function or type ("guard variable for", thunks) is told with it as it is. */
	if (done && !rust && pp_slice_starts(name, "_Z"))
		s = without_clones(s);
	if (done && !rust && pp_slice_starts(name, "_Z") && name.p[2] != 'T' && name.p[2] != 'G') {
		core = without_parameters(s);
		s = core.n < s.n ? without_type(core) : core;
	}
	pp_buf_add(out, s.p, s.n);
	out->failed |= full.failed;
	pp_buf_release(&full);
	return done;
}
