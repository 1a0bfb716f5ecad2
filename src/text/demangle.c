/*
 * Which language a name was mangled by; OCaml and legacy Rust, which need no grammar.
 */
#include "text/demangle.h"

#include "base/slice.h"
#include "base/utf8.h"

#define HASH_DIGITS 16
/* A hash of 16 digits that has fewer different ones than this is a C++ name that looks like one. */
#define HASH_VARIETY 5

static int
hex_of(unsigned char c)
{
	if (pp_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
is_symbol(unsigned char c)
{
	return pp_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.' || c == '$';
}

/* ---- legacy Rust ------------------------------------------------------------------------ */

/* "17h0123456789abcdef": what rustc puts behind a path. */
static bool
is_hash(struct pp_slice part)
{
	unsigned seen = 0, different = 0;
	size_t i;

	if (part.n != 1 + HASH_DIGITS || part.p[0] != 'h')
		return false;
	for (i = 1; i < part.n; i++) {
		int digit = hex_of(part.p[i]);

		if (digit < 0)
			return false;
		different += !(seen >> digit & 1);
		seen |= 1u << digit;
	}
	return different >= HASH_VARIETY;
}

/* The next "LENGTH NAME" of a path; false when there is none. */
static bool
part_take(struct pp_slice *rest, struct pp_slice *part)
{
	size_t n = 0, digits = 0;

	while (digits < rest->n && pp_is_digit(rest->p[digits]) && n <= PP_MANGLED_MAX)
		n = n * 10 + (size_t)(rest->p[digits++] - '0');
	if (digits == 0 || n == 0 || n > rest->n - digits)
		return false;
	*part = pp_slice_of(rest->p + digits, n);
	*rest = pp_slice_from(*rest, digits + n);
	return true;
}

/* "$LT$" at the beginning of a text: appends what it stands for; its length, 0 when it is none, or above `most`. */
static size_t
escape_put(struct pp_slice s, uint32_t most, struct pp_buf *out)
{
	static const char *const escapes[][2] = {
		{ "$SP$", "@" }, { "$BP$", "*" }, { "$RF$", "&" }, { "$LT$", "<" },
		{ "$GT$", ">" }, { "$LP$", "(" }, { "$RP$", ")" }, { "$C$", "," },
	};
	unsigned char utf8[4];
	uint32_t code = 0;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(escapes); i++)
		if (pp_slice_starts(s, escapes[i][0])) {
			pp_buf_adds(out, escapes[i][1]);
			return strlen(escapes[i][0]);
		}
	if (s.n < 4 || s.p[1] != 'u')
		return 0;
	for (i = 2; i < s.n && i < 9 && hex_of(s.p[i]) >= 0; i++)
		code = code << 4 | (uint32_t)hex_of(s.p[i]);
	if (i == 2 || i == s.n || s.p[i] != '$' || code < 0x20 || code == 0x7f || code > most ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	pp_buf_add(out, utf8, pp_utf8_encode(code, utf8));
	return i + 1;
}

static void
part_put(struct pp_slice part, uint32_t most, struct pp_buf *out)
{
	size_t i = 0, n;

	/* A name must not begin with an escape: an underscore was put before it. */
	if (part.n > 1 && part.p[0] == '_' && part.p[1] == '$')
		i = 1;
	while (i < part.n) {
		struct pp_slice rest = pp_slice_from(part, i);

		n = part.p[i] == '$' ? escape_put(rest, most, out) : 0;
		if (!n && pp_slice_starts(rest, "..")) {
			pp_buf_adds(out, "::");
			n = 2;
		} else if (!n) {
			pp_buf_add(out, rest.p, 1);
			n = 1;
		}
		i += n;
	}
}

/* What the compiler put behind a symbol; what only tells parts of one build apart goes. */
static void
ending_put(struct pp_slice ending, struct pp_buf *out)
{
	if (!pp_slice_starts(ending, ".llvm."))
		pp_buf_add(out, ending.p, ending.n);
}

bool
pp_demangle_rust_legacy(struct pp_slice name, bool ascii, struct pp_buf *out)
{
	struct pp_slice rest = pp_slice_from(name, 3), part = { 0 }, path = rest;
	size_t parts = 0;

	while (part_take(&rest, &part))
		parts++;
	if (parts < 2 || !is_hash(part) || rest.n == 0 || rest.p[0] != 'E' ||
	    (rest.n > 1 && rest.p[1] != '.'))
		return false;
	for (; parts > 1 && part_take(&path, &part); parts--) {
		part_put(part, ascii ? 0x7e : 0x10ffff, out);
		if (parts > 2)
			pp_buf_adds(out, "::");
	}
	ending_put(pp_slice_from(rest, 1), out);
	return true;
}

/* ---- OCaml ------------------------------------------------------------------------------ */

/* "camlMod__Sub__f_123"; "$xx" is a byte. */
static bool
ocaml_put(struct pp_slice name, struct pp_buf *out)
{
	bool divided = false;
	size_t i = 4;

	if (name.n < 6 || (unsigned)name.p[4] - 'A' > 25)
		return false;
	while (i < name.n) {
		if (i + 2 < name.n && name.p[i] == '$' && hex_of(name.p[i + 1]) >= 2 &&
		    hex_of(name.p[i + 2]) >= 0) {
			int byte = hex_of(name.p[i + 1]) << 4 | hex_of(name.p[i + 2]);

			pp_buf_addc(out, (char)byte);
			i += 3;
		} else if (i + 2 < name.n && name.p[i] == '_' && name.p[i + 1] == '_') {
			pp_buf_addc(out, '.');
			divided = true;
			i += 2;
		} else {
			divided |= name.p[i] == '.';
			pp_buf_add(out, name.p + i++, 1);
		}
	}
	return divided;
}

/* ---- any -------------------------------------------------------------------------------- */

static bool
symbol_put(struct pp_slice symbol, struct pp_buf *out)
{
	if (symbol.p[0] == 'c')
		return ocaml_put(symbol, out);
	if (symbol.p[1] == 'R')
		return pp_demangle_rust_v0(symbol, out);
	if (pp_slice_starts(symbol, "_ZN")) {
		size_t n = out->n;

		if (pp_demangle_rust_legacy(symbol, false, out))
			return true;
		out->n = n;
	}
	return pp_demangle_cxx(symbol, out);
}

bool
pp_demangle(struct pp_slice name, struct pp_buf *out)
{
	size_t before = out->n, n = 0;

	if (!pp_demangle_maybe(name))
		return false;
	while (n < name.n && is_symbol(name.p[n]))
		n++;
	/* "_[k]": the mark of a flame graph. */
	if (n < name.n && name.p[n] == '[' && name.p[n - 1] == '_')
		n--;
	if (n >= 4 && symbol_put(pp_slice_of(name.p, n), out) &&
	    out->n - before <= PP_DEMANGLED_MAX) {
		pp_buf_add(out, name.p + n, name.n - n);
		return true;
	}
	out->n = before;
	return false;
}
