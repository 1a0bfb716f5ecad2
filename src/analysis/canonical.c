/*
 * Canonical names: one spelling for what profilers spell differently.
 */
#include "analysis/identity.h"

#include "base/slice.h"
#include "text/demangle.h"
#include "text/signature.h"

static bool
is_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c >= 0x80;
}

/* ---- endings ---------------------------------------------------------------------------- */

/* The length without "+0x1f". */
static size_t
without_offset(struct pp_slice s)
{
	size_t n = s.n;

	while (n > 0 && (pp_is_digit(s.p[n - 1]) || (s.p[n - 1] >= 'a' && s.p[n - 1] <= 'f')))
		n--;
	if (n < s.n && n > 3 && s.p[n - 1] == 'x' && s.p[n - 2] == '0' && s.p[n - 3] == '+')
		return n - 3;
	return s.n;
}

/* The length without ".constprop.0", ".isra.3", ".cold" and their kin. */
static size_t
without_suffix(struct pp_slice s)
{
	static const char *const kinds[] = { ".constprop", ".isra",   ".part",       ".cold",
		                             ".lto_priv",  ".llvm",   ".localalias", ".clone",
		                             ".resume",    ".destroy" };
	size_t n = s.n, k;

	/* Most names have no dot. */
	if (!n || !memchr(s.p, '.', n))
		return s.n;
	while (n > 0 && pp_is_digit(s.p[n - 1]))
		n--;
	if (n > 0 && n < s.n && s.p[n - 1] == '.')
		n--;
	else
		n = s.n;
	for (k = 0; k < PP_COUNT_OF(kinds); k++)
		if (pp_slice_ends(pp_slice_of(s.p, n), kinds[k]) && n > strlen(kinds[k]))
			return n - strlen(kinds[k]);
	return s.n;
}

/* The length without "_[k]", "_[j]", "_[i]", as flame graphs mark kernel, jitted and inlined frames. */
static size_t
without_mark(struct pp_slice s)
{
	if (s.n > 4 && s.p[s.n - 1] == ']' && s.p[s.n - 3] == '[' && s.p[s.n - 4] == '_' &&
	    (s.p[s.n - 2] == 'k' || s.p[s.n - 2] == 'j' || s.p[s.n - 2] == 'i'))
		return s.n - 4;
	return s.n;
}

/* The length without callgrind's recursion mark, "'2", behind which other endings stand. */
static size_t
without_recursion(struct pp_slice s)
{
	size_t n = s.n;

	while (n > 0 && pp_is_digit(s.p[n - 1]))
		n--;
	return n > 1 && n < s.n && s.p[n - 1] == '\'' ? n - 1 : s.n;
}

/* The length without the version of a symbol: "exp@@GLIBC_2.29", "memcpy@GLIBC_2.14". */
static size_t
without_version(struct pp_slice s)
{
	size_t n = s.n;

	while (n > 0 && (pp_is_digit(s.p[n - 1]) || (unsigned)s.p[n - 1] - 'A' <= 25 ||
	                 s.p[n - 1] == '_' || s.p[n - 1] == '.'))
		n--;
	/* "main::BEGIN@12" of Perl is no version: those begin with a letter. */
	if (n < 2 || n == s.n || s.p[n - 1] != '@' || pp_is_digit(s.p[n]))
		return s.n;
	return n > 2 && s.p[n - 2] == '@' ? n - 2 : n - 1;
}

static struct pp_slice
without_endings(struct pp_slice s)
{
	size_t before;

	do {
		before = s.n;
		s.n = without_mark(s);
		s.n = without_offset(s);
		s.n = without_recursion(s);
		s.n = pp_signature_clones(s);
		s.n = without_suffix(s);
		s.n = without_version(s);
	} while (s.n != before);
	return s;
}

/* ---- places in names -------------------------------------------------------------------- */

/* "PATH:12-14" or "PATH:12" inside braces: the path and the first line; false when it is none. */
static bool
place_parse(struct pp_slice s, struct pp_slice *file, uint32_t *line)
{
	size_t colon, i;
	uint64_t number = 0;

	for (colon = s.n; colon > 0 && s.p[colon - 1] != ':'; colon--)
		;
	if (colon == 0 || colon == s.n || !pp_is_digit(s.p[colon]))
		return false;
	for (i = colon; i < s.n && pp_is_digit(s.p[i]) && number < UINT32_MAX; i++)
		number = number * 10 + (uint64_t)(s.p[i] - '0');
	*line = (uint32_t)number;
	/* PHP 8.4 names the function around a closure instead of its file. */
	if (memchr(s.p, '/', colon - 1) || memchr(s.p, '\\', colon - 1) == NULL)
		if (!memchr(s.p, '(', colon - 1))
			*file = pp_slice_of(s.p, colon - 1);
	return true;
}

/*
 * Copies "{closure:PLACE}" as "{closure}" and "{anonymous-class:PLACE}" as "class@anonymous". PHP 8.4 writes
 * "{closure:FUNCTION():LINE}": without a file the function is kept, because nothing else tells such closures apart. Returns
 * the number of bytes read, 0 = no such name here.
 */
static size_t
placed_copy(struct pp_slice s, struct pp_buf *out, struct pp_slice *file, uint32_t *line)
{
	static const struct {
		const char *open, *as;
	} kinds[] = { { "{closure:", "{closure}" }, { "{anonymous-class:", "class@anonymous" } };
	size_t i, end;

	for (i = 0; i < PP_COUNT_OF(kinds); i++) {
		size_t n = strlen(kinds[i].open);
		bool placed;

		if (!pp_slice_starts(s, kinds[i].open))
			continue;
		for (end = n; end < s.n && s.p[end] != '}'; end++)
			;
		placed = place_parse(pp_slice_of(s.p + n, end - n), file, line);
		if (placed && file->n == 0 && i == 0)
			pp_buf_add(out, s.p, end);
		else
			pp_buf_add(out, kinds[i].as, strlen(kinds[i].as) - (i == 0));
		if (i == 0)
			pp_buf_addc(out, '}');
		return end < s.n ? end + 1 : end;
	}
	return 0;
}

static bool
is_scope(struct pp_slice s, size_t at)
{
	return at + 1 < s.n && s.p[at] == ':' && s.p[at + 1] == ':';
}

/*
 * PHP names an anonymous class by what it extends: "class@anonymous" or "Parent@anonymous", and its place behind
 * a zero byte. All become "class@anonymous". Returns how many bytes were taken, 0 = the name begins otherwise.
 */
static size_t
anonymous_copy(struct pp_slice s, struct pp_buf *out, struct pp_slice *file, uint32_t *line)
{
	size_t n = 0, end;

	while (n < s.n && (is_word(s.p[n]) || s.p[n] == '\\'))
		n++;
	if (n == 0 || !pp_slice_starts(pp_slice_from(s, n), "@anonymous"))
		return 0;
	pp_buf_adds(out, "class@anonymous");
	n += strlen("@anonymous");
	if (n >= s.n || s.p[n] != '\0')
		return n;
	for (end = n + 1; end < s.n && s.p[end] != '$' && !is_scope(s, end); end++)
		;
	(void)place_parse(pp_slice_of(s.p + n + 1, end - n - 1), file, line);
	while (end < s.n && !is_scope(s, end))
		end++;
	return end;
}

/* ---- scripts ---------------------------------------------------------------------------- */

/* Whether a name is the path of a script: a file's own top-level code. */
static bool
is_script(struct pp_slice name, struct pp_slice file, struct pp_slice *path)
{
	static const char *const includes[] = { "include::", "include_once::", "require::",
		                                "require_once::" };
	size_t i;

	if (pp_slice_eq_z(name, "{main}")) {
		*path = file;
		return true;
	}
	for (i = 0; i < PP_COUNT_OF(includes); i++)
		if (pp_slice_starts(name, includes[i])) {
			*path = pp_slice_from(name, strlen(includes[i]));
			return true;
		}
	if (name.n &&
	    (pp_slice_eq(name, file) || (name.p[0] == '/' && pp_slice_ends(name, ".php")))) {
		*path = name;
		return true;
	}
	return false;
}

/* Code that eval() ran: SPX names it by its place, Xdebug "eval" at that place. */
static bool
is_eval(struct pp_slice name, struct pp_slice file)
{
	return pp_slice_ends(name, " : eval()'d code") ||
	       (pp_slice_eq_z(name, "eval") && pp_slice_ends(file, " : eval()'d code"));
}

/* ---- all of it -------------------------------------------------------------------------- */

/* Whether nothing in a name is to be respelled: most names. */
static bool
is_plain(struct pp_slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if ((s.p[i] == '>' && i && s.p[i - 1] == '-') || s.p[i] == '\'' || s.p[i] == '{' ||
		    s.p[i] == '@')
			return false;
	return true;
}

/* The body of a name, separators made equal and recursion marks dropped. */
static void
body_copy(struct pp_slice s, struct pp_buf *out, struct pp_slice *file, uint32_t *line)
{
	size_t i = 0, taken;

	if (is_plain(s)) {
		pp_buf_add(out, s.p, s.n);
		return;
	}
	i = anonymous_copy(s, out, file, line);
	while (i < s.n) {
		unsigned char c = s.p[i];
		bool inside = i > 0 && i + 2 < s.n;

		if (c == '-' && inside && s.p[i + 1] == '>' &&
		    (is_word(s.p[i - 1]) || s.p[i - 1] == '}') &&
		    (is_word(s.p[i + 2]) || s.p[i + 2] == '{' || s.p[i + 2] == '\\')) {
			pp_buf_adds(out, "::");
			i += 2;
		} else if (c == '\'' && i > 0 && i + 1 < s.n && pp_is_digit(s.p[i + 1])) {
			size_t end = i + 1;

			while (end < s.n && pp_is_digit(s.p[end]))
				end++;
			if (end == s.n || s.p[end] == '\'') {
				i = end;
			} else {
				pp_buf_addc(out, (char)c);
				i++;
			}
		} else if ((taken = placed_copy(pp_slice_from(s, i), out, file, line)) > 0) {
			i += taken;
		} else {
			pp_buf_addc(out, (char)c);
			i++;
		}
	}
}

void
pp_canonical_name(struct pp_slice name, struct pp_slice file, uint32_t line, struct pp_buf *out,
                  struct pp_slice *place_file, uint32_t *place_line)
{
	const unsigned char *tick;

	*place_file = pp_slice_eq_z(file, "php:internal") ? pp_slice_of("", 0) : file;
	*place_line = line;
	out->n = 0;
	if (is_eval(name, file)) {
		pp_buf_adds(out, "{eval}");
		*place_file = pp_slice_ends(name, "eval()'d code") ? name : file;
		*place_line = 0;
		return;
	}
	if (is_script(name, file, place_file)) {
		pp_buf_adds(out, "{script}");
		*place_line = 0;
		return;
	}
	if (pp_slice_starts(name, "php::"))
		name = pp_slice_from(name, 5);
	if (name.n > 1 && name.p[0] == '\\')
		name = pp_slice_from(name, 1);
	/* dtrace: "libc.so.6`malloc". */
	tick = name.n ? memchr(name.p, '`', name.n) : NULL;
	if (tick && tick > name.p && tick + 1 < name.p + name.n)
		name = pp_slice_from(name, (size_t)(tick - name.p) + 1);
	name = without_endings(name);
	body_copy(name, out, place_file, place_line);
}

/* ---- loose names ------------------------------------------------------------------------ */

/*
 * "_ZN3foo3barEi" as "foo::bar": the names of a mangled C++ or Rust symbol, when it is made of nothing
 * else. False for all others.
 */
static bool
mangled_names(struct pp_slice s, struct pp_buf *out)
{
	size_t i = 2;
	bool nested, first = true;
	struct pp_slice last = { 0 };

	if (!pp_slice_starts(s, "_Z") || s.n < 4)
		return false;
	nested = s.p[i] == 'N';
	i += nested;
	while (nested && i < s.n && (s.p[i] == 'K' || s.p[i] == 'V' || s.p[i] == 'r'))
		i++;
	while (i < s.n && s.p[i] != 'E') {
		size_t n = 0;

		if ((s.p[i] == 'C' || s.p[i] == 'D') && i + 1 < s.n && pp_is_digit(s.p[i + 1]) &&
		    last.n) {
			pp_buf_adds(out, s.p[i] == 'D' ? "::~" : "::");
			pp_buf_add(out, last.p, last.n);
			i += 2;
			continue;
		}
		if (!pp_is_digit(s.p[i]))
			return !nested && !first;
		while (i < s.n && pp_is_digit(s.p[i]) && n < 10000)
			n = n * 10 + (size_t)(s.p[i++] - '0');
		if (n == 0 || n > s.n - i)
			return false;
		last = pp_slice_of(s.p + i, n);
		i += n;
		/* Rust ends its names in a hash. */
		if (n == 17 && last.p[0] == 'h' && !first)
			continue;
		pp_buf_adds(out, first ? "" : "::");
		pp_buf_add(out, last.p, last.n);
		first = false;
		if (!nested)
			return true;
	}
	return !first && i < s.n;
}

/* The length without Rust's hash: "foo::bar::h0123456789abcdef". */
static size_t
without_hash(struct pp_slice s)
{
	size_t i;

	if (s.n <= 19 || memcmp(s.p + s.n - 19, "::h", 3) != 0)
		return s.n;
	for (i = s.n - 16; i < s.n; i++)
		if (!pp_is_digit(s.p[i]) && (s.p[i] < 'a' || s.p[i] > 'f'))
			return s.n;
	return s.n - 19;
}

/* Demanglers differ in their blanks. */
static void
add_without_blanks(struct pp_buf *out, struct pp_slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] != ' ')
			pp_buf_addc(out, (char)s.p[i]);
}

static void
types_add(struct pp_buf *out, struct pp_signature s)
{
	if (s.params.n == 0)
		return;
	add_without_blanks(out, s.type);
	add_without_blanks(out, s.params);
	add_without_blanks(out, s.rest);
}

/* Returns where "{closure:A::b():12}" begins at the end of a name, or the name's length. */
static size_t
closure_of(struct pp_slice s)
{
	static const char open[] = "{closure:";
	size_t n;

	if (!pp_slice_ends(s, "}") || !pp_slice_holds(s, open))
		return s.n;
	for (n = s.n; n > 0 && !pp_slice_starts(pp_slice_from(s, n - 1), open); n--)
		;
	return n - 1;
}

void
pp_loose_name(struct pp_slice s, struct pp_buf *out)
{
	size_t n;

	out->n = 0;
	if (mangled_names(s, out))
		return;
	out->n = 0;
	if ((n = without_hash(s)) < s.n) {
		pp_buf_add(out, s.p, n);
	} else if ((n = closure_of(s)) < s.n) {
		pp_buf_add(out, s.p, n);
		pp_buf_adds(out, "{closure}");
	} else {
		struct pp_slice name = pp_signature_of(s).name;

		pp_buf_add(out, name.p, name.n);
	}
}

void
pp_name_types(struct pp_slice s, struct pp_buf *out)
{
	struct pp_buf full = { 0 };
	size_t n = closure_of(s);

	out->n = 0;
	if (!pp_slice_starts(s, "_Z")) {
		if (n < s.n)
			pp_buf_add(out, s.p + n, s.n - n);
		else
			types_add(out, pp_signature_of(s));
		return;
	}
	/* Without a demangler nothing is known of a mangled name's types. */
	if (!pp_demangle_cxx_by)
		return;
	if (pp_demangle(s, &full))
		types_add(out, pp_signature_cxx(pp_slice_of(full.p ? full.p : "", full.n)));
	else
		pp_buf_add(out, s.p, s.n);
	out->failed |= full.failed;
	pp_buf_release(&full);
}

bool
pp_name_is_anonymous(struct pp_slice s)
{
	static const char opens[] = "<{(", closes[] = ">})";
	const char *close = s.n > 1 ? memchr(closes, s.p[s.n - 1], 3) : NULL;
	size_t i, depth = 0;

	if (pp_slice_starts(s, "class@anonymous"))
		return true;
	if (!close)
		return false;
	for (i = s.n; i-- > 0;) {
		depth += s.p[i] == (unsigned char)*close;
		if (s.p[i] == (unsigned char)opens[close - closes] && --depth == 0)
			break;
	}
	return i == 0 || (i < s.n && strchr(".:\\", s.p[i - 1]));
}

/* ---- paths ------------------------------------------------------------------------------ */

unsigned
pp_path_score(struct pp_slice a, struct pp_slice b)
{
	unsigned score = 0;

	if (a.n == 0 || b.n == 0)
		return 0;
	for (;;) {
		size_t x = a.n, y = b.n;

		while (x > 0 && a.p[x - 1] != '/')
			x--;
		while (y > 0 && b.p[y - 1] != '/')
			y--;
		if (a.n - x != b.n - y || memcmp(a.p + x, b.p + y, a.n - x) != 0)
			return score;
		score++;
		while (x > 0 && a.p[x - 1] == '/')
			x--;
		while (y > 0 && b.p[y - 1] == '/')
			y--;
		/* Both ends at once: the same path. */
		if (x == 0 || y == 0)
			return x == y ? score + 1000 : score;
		a.n = x;
		b.n = y;
	}
}

/* ---- order ------------------------------------------------------------------------------ */

/* -1, 0, 1 for two pairs of strings, whichever of a pair comes first: so that both ways round give the same. */
static int
compare_pairs(struct pp_slice a, struct pp_slice b, struct pp_slice c, struct pp_slice d)
{
	bool ab = pp_slice_cmp(a, b) <= 0, cd = pp_slice_cmp(c, d) <= 0;
	int order = pp_slice_cmp(ab ? a : b, cd ? c : d);

	return order ? order : pp_slice_cmp(ab ? b : a, cd ? d : c);
}

static uint32_t
distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

bool
pp_canonical_precedes(const struct pp_strtab *strs, const struct pp_canonical *e,
                      const struct pp_canonical *g, const struct pp_canonical *e2,
                      const struct pp_canonical *g2)
{
	int order;

	if ((e->exact == g->exact) != (e2->exact == g2->exact))
		return e->exact == g->exact;
	order = compare_pairs(e->file, g->file, e2->file, g2->file);
	if (!order)
		order = compare_pairs(pp_strtab_get(strs, e->exact), pp_strtab_get(strs, g->exact),
		                      pp_strtab_get(strs, e2->exact),
		                      pp_strtab_get(strs, g2->exact));
	if (!order)
		order = compare_pairs(
		    pp_strtab_get(strs, e->module), pp_strtab_get(strs, g->module),
		    pp_strtab_get(strs, e2->module), pp_strtab_get(strs, g2->module));
	if (!order) {
		uint32_t near = distance(e->line, g->line), near2 = distance(e2->line, g2->line);
		uint64_t sum = (uint64_t)e->line + g->line;

		if (near != near2)
			return near < near2;
		if (sum != (uint64_t)e2->line + g2->line)
			return sum < (uint64_t)e2->line + g2->line;
		near = distance(e->column, g->column);
		near2 = distance(e2->column, g2->column);
		if (near != near2)
			return near < near2;
		return (uint64_t)e->column + g->column < (uint64_t)e2->column + g2->column;
	}
	return order < 0;
}

unsigned
pp_canonical_coarser(const struct pp_canonical *a, const struct pp_canonical *finer)
{
	bool lineless = a->line == 0 && finer->line != 0;
	bool columnless = a->column == 0 && finer->column != 0;
	bool moduleless = a->module == 0 && finer->module != 0;

	if ((!lineless && a->line != finer->line) || (!columnless && a->column != finer->column) ||
	    (!moduleless && a->module != finer->module) ||
	    (!lineless && !columnless && !moduleless))
		return 0;
	return pp_path_score(a->file, finer->file);
}

bool
pp_canonical_can_meet(const struct pp_canonical *e, const struct pp_canonical *g)
{
	if ((e->file.n && g->file.n) || (e->line && g->line && e->line != g->line))
		return false;
	return e->file.n || g->file.n || e->exact == g->exact || e->exact == e->name ||
	       g->exact == g->name;
}
