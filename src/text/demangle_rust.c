/*
 * Rust's v0 names (RFC 2603): a grammar of one letter per production, printed while it is read.
 *
 *     _R [version] PATH [PATH] [.suffix]
 *     PATH   C ident · M impl TYPE · X impl TYPE PATH · Y TYPE PATH · N ns PATH ident · I PATH args E · B back
 *     TYPE   a-z · A T const · S T · T types E · R Q [life] T · P O T · F sig · D bounds life · PATH
 *     CONST  type digits_ · p · e R Q A T V for structured values · B back
 *
 * A back reference reads again what stands earlier in the name, so a short name may mean a very long one: the depth,
 * the number of productions and the output are limited. Hashes of crates and types of constants are left out, as
 * other tools do.
 */
#include "text/demangle.h"

#include "base/slice.h"
#include "base/utf8.h"
#include "text/punycode.h"

#define DEPTH_MAX 200
#define STEPS_MAX 50000

struct v0 {
	const unsigned char *p; /* behind "_R" */
	size_t n, at;
	struct pp_buf *out;
	size_t begin; /* of what is ours in `out` */
	unsigned depth, steps;
	uint64_t lifetimes; /* that are bound around here */
	bool mute;          /* what is read is not printed */
	bool wrong;
};

/* An identifier: bytes, or characters to be put between them. */
struct ident {
	struct pp_slice ascii, punycode;
};

static void path_put(struct v0 *, bool in_value);
static void type_put(struct v0 *);
static void const_put(struct v0 *, bool in_value);

/* ---- reading and printing --------------------------------------------------------------- */

static void
put(struct v0 *v, const char *text)
{
	if (!v->mute && !v->wrong)
		pp_buf_adds(v->out, text);
}

static void
put_slice(struct v0 *v, struct pp_slice text)
{
	if (!v->mute && !v->wrong)
		pp_buf_add(v->out, text.p, text.n);
}

static void
put_number(struct v0 *v, uint64_t number)
{
	if (!v->mute && !v->wrong)
		pp_buf_addf(v->out, "%llu", (unsigned long long)number);
}

static unsigned char
peek(const struct v0 *v)
{
	return !v->wrong && v->at < v->n ? v->p[v->at] : 0;
}

static bool
eat(struct v0 *v, unsigned char c)
{
	if (peek(v) != c)
		return false;
	v->at++;
	return true;
}

static unsigned char
next(struct v0 *v)
{
	unsigned char c = peek(v);

	if (c)
		v->at++;
	else
		v->wrong = true;
	return c;
}

/* Goes one production deeper; false when that is too deep, too long or too much. */
static bool
enter(struct v0 *v)
{
	if (v->depth >= DEPTH_MAX || ++v->steps > STEPS_MAX ||
	    v->out->n - v->begin > PP_DEMANGLED_MAX || v->out->failed)
		v->wrong = true;
	v->depth++;
	return !v->wrong;
}

static void
leave(struct v0 *v)
{
	v->depth--;
}

/* "_" is 0, "0_" is 1, ... */
static uint64_t
base62(struct v0 *v)
{
	uint64_t x = 0;

	if (eat(v, '_'))
		return 0;
	while (!eat(v, '_')) {
		unsigned char c = next(v);
		unsigned digit = pp_is_digit(c)         ? c - '0' + 0u
		                 : c >= 'a' && c <= 'z' ? c - 'a' + 10u
		                 : c >= 'A' && c <= 'Z' ? c - 'A' + 36u
		                                        : 62;

		if (digit == 62 || x > (UINT64_MAX - 63) / 62) {
			v->wrong = true;
			return 0;
		}
		x = x * 62 + digit;
	}
	return x + 1;
}

/* A number behind a letter: 0 when the letter is not there. */
static uint64_t
optional62(struct v0 *v, unsigned char letter)
{
	return eat(v, letter) ? base62(v) + 1 : 0;
}

static struct ident
ident_read(struct v0 *v)
{
	struct ident id = { 0 };
	bool punycode = eat(v, 'u');
	size_t n = 0, i;

	if (!pp_is_digit(peek(v))) {
		v->wrong = true;
		return id;
	}
	if (!eat(v, '0'))
		while (pp_is_digit(peek(v)) && n <= v->n)
			n = n * 10 + (size_t)(next(v) - '0');
	(void)eat(v, '_');
	if (n > v->n - v->at) {
		v->wrong = true;
		return id;
	}
	id.ascii = pp_slice_of(v->p + v->at, n);
	v->at += n;
	if (!punycode)
		return id;
	for (i = n; i > 0 && id.ascii.p[i - 1] != '_'; i--)
		;
	id.punycode = pp_slice_from(id.ascii, i);
	id.ascii.n = i ? i - 1 : 0;
	v->wrong |= id.punycode.n == 0;
	return id;
}

/* ---- identifiers-------------------------------------------------------------------- */

static void
ident_put(struct v0 *v, struct ident id)
{
	uint32_t points[PP_PUNYCODE_MAX];
	unsigned char utf8[4];
	size_t n, i;

	if (!id.punycode.n) {
		put_slice(v, id.ascii);
		return;
	}
	if (v->mute || v->wrong)
		return;
	if (!pp_punycode_decode(id.ascii, id.punycode, points, &n)) {
		v->wrong = true;
		return;
	}
	for (i = 0; i < n; i++)
		pp_buf_add(v->out, utf8, pp_utf8_encode(points[i], utf8));
}

/* ---- lists, back references, lifetimes -------------------------------------------------- */

/* Reads again what stands earlier. Nothing is printed twice that is not printed once. */
static void
back_put(struct v0 *v, void (*what)(struct v0 *, bool), bool in_value)
{
	size_t place = v->at - 1, back = base62(v), at = v->at;

	if (back >= place)
		v->wrong = true;
	if (v->mute || v->wrong)
		return;
	v->at = back;
	what(v, in_value);
	v->at = at;
}

static void
lifetime_put(struct v0 *v, uint64_t index)
{
	uint64_t depth = v->lifetimes - index;
	char letter[] = { '\'', (char)('a' + (depth < 26 ? depth : 0)), '\0' };

	if (index > v->lifetimes) {
		v->wrong = true;
	} else if (index == 0) {
		put(v, "'_");
	} else if (depth < 26) {
		put(v, letter);
	} else {
		put(v, "'_");
		put_number(v, depth);
	}
}

/* "for<'a, 'b> "; what it binds is bound until the caller takes it back. */
static uint64_t
binder_put(struct v0 *v)
{
	uint64_t n = optional62(v, 'G'), i;

	if (n > PP_MANGLED_MAX)
		v->wrong = true;
	if (n == 0 || v->wrong)
		return 0;
	put(v, "for<");
	for (i = 0; i < n; i++) {
		put(v, i ? ", " : "");
		v->lifetimes++;
		lifetime_put(v, 1);
	}
	put(v, "> ");
	return n;
}

/* Productions up to "E", separated; how many. */
static size_t
list_put(struct v0 *v, void (*what)(struct v0 *), const char *separator)
{
	size_t n;

	for (n = 0; !v->wrong && !eat(v, 'E'); n++) {
		put(v, n ? separator : "");
		what(v);
	}
	return n;
}

static void
generic_put(struct v0 *v)
{
	if (eat(v, 'L'))
		lifetime_put(v, base62(v));
	else if (eat(v, 'K'))
		const_put(v, false);
	else
		type_put(v);
}

/* ---- paths ------------------------------------------------------------------------------ */

/* "::name", or "::{closure#0}" for what has no name in the source. */
static void
nested_put(struct v0 *v, bool in_value)
{
	unsigned char space = next(v);
	char other[2] = { (char)space, '\0' };
	uint64_t number;
	struct ident id;

	path_put(v, in_value);
	number = optional62(v, 's');
	id = ident_read(v);
	if (space >= 'A' && space <= 'Z') {
		put(v, "::{");
		put(v, space == 'C' ? "closure" : space == 'S' ? "shim" : other);
		if (id.ascii.n + id.punycode.n) {
			put(v, ":");
			ident_put(v, id);
		}
		put(v, "#");
		put_number(v, number);
		put(v, "}");
	} else if (space >= 'a' && space <= 'z') {
		if (id.ascii.n + id.punycode.n) {
			put(v, "::");
			ident_put(v, id);
		}
	} else {
		v->wrong = true;
	}
}

/* "<TYPE as TRAIT>": where the impl stands is not told. */
static void
impl_put(struct v0 *v, unsigned char tag)
{
	bool mute = v->mute;

	if (tag != 'Y') {
		(void)optional62(v, 's');
		v->mute = true;
		path_put(v, false);
		v->mute = mute;
	}
	put(v, "<");
	type_put(v);
	if (tag != 'M') {
		put(v, " as ");
		path_put(v, false);
	}
	put(v, ">");
}

static void
path_put(struct v0 *v, bool in_value)
{
	unsigned char tag;

	if (!enter(v))
		return;
	tag = next(v);
	switch (tag) {
	case 'C':
		(void)optional62(v, 's');
		ident_put(v, ident_read(v));
		break;
	case 'N':
		nested_put(v, in_value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		impl_put(v, tag);
		break;
	case 'I':
		path_put(v, in_value);
		put(v, in_value ? "::<" : "<");
		(void)list_put(v, generic_put, ", ");
		put(v, ">");
		break;
	case 'B':
		back_put(v, path_put, in_value);
		break;
	default:
		v->wrong = true;
	}
	leave(v);
}

/* ---- types ------------------------------------------------------------------------------ */

static const char *
basic_type(unsigned char tag)
{
	static const char *const names[26] = {
		"i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
		"usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
		"i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!",
	};

	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

/* "unsafe extern "C" fn(A, B) -> C" */
static void
function_put(struct v0 *v)
{
	uint64_t bound = binder_put(v);
	struct ident abi;
	size_t i;

	put(v, eat(v, 'U') ? "unsafe " : "");
	if (eat(v, 'K')) {
		put(v, "extern \"");
		if (eat(v, 'C')) {
			put(v, "C");
		} else {
			abi = ident_read(v);
			v->wrong |= abi.punycode.n || !abi.ascii.n;
			for (i = 0; i < abi.ascii.n; i++)
				put_slice(v, abi.ascii.p[i] == '_'
				                 ? pp_slice_z("-")
				                 : pp_slice_of(abi.ascii.p + i, 1));
		}
		put(v, "\" ");
	}
	put(v, "fn(");
	(void)list_put(v, type_put, ", ");
	put(v, ")");
	if (!eat(v, 'u')) {
		put(v, " -> ");
		type_put(v);
	}
	v->lifetimes -= bound;
}

/* A path whose "<" may stay open for what follows it: true when it did. */
static bool
open_path_put(struct v0 *v)
{
	bool open = false;

	if (!enter(v))
		return false;
	if (eat(v, 'B')) {
		size_t place = v->at - 1, back = base62(v), at = v->at;

		v->wrong |= back >= place;
		if (!v->mute && !v->wrong) {
			v->at = back;
			open = open_path_put(v);
			v->at = at;
		}
	} else if (eat(v, 'I')) {
		path_put(v, false);
		put(v, "<");
		open = true;
		(void)list_put(v, generic_put, ", ");
	} else {
		path_put(v, false);
	}
	leave(v);
	return open;
}

/* "Trait<A, Item = B>" */
static void
trait_put(struct v0 *v)
{
	bool open = open_path_put(v);

	while (eat(v, 'p')) {
		put(v, open ? ", " : "<");
		open = true;
		ident_put(v, ident_read(v));
		put(v, " = ");
		type_put(v);
	}
	put(v, open ? ">" : "");
}

static void
dyn_put(struct v0 *v)
{
	uint64_t bound, lifetime;

	put(v, "dyn ");
	bound = binder_put(v);
	(void)list_put(v, trait_put, " + ");
	v->lifetimes -= bound;
	if (!eat(v, 'L')) {
		v->wrong = true;
		return;
	}
	lifetime = base62(v);
	if (lifetime) {
		put(v, " + ");
		lifetime_put(v, lifetime);
	}
}

static void
reference_put(struct v0 *v, bool mut)
{
	put(v, "&");
	if (eat(v, 'L')) {
		uint64_t lifetime = base62(v);

		if (lifetime) {
			lifetime_put(v, lifetime);
			put(v, " ");
		}
	}
	put(v, mut ? "mut " : "");
	type_put(v);
}

static void
array_put(struct v0 *v, bool sized)
{
	put(v, "[");
	type_put(v);
	if (sized) {
		put(v, "; ");
		const_put(v, true);
	}
	put(v, "]");
}

/* What a type that is no path stands for; false when it is a path. */
static bool
compound_put(struct v0 *v, unsigned char tag)
{
	switch (tag) {
	case 'R':
	case 'Q':
		reference_put(v, tag == 'Q');
		return true;
	case 'P':
	case 'O':
		put(v, tag == 'P' ? "*const " : "*mut ");
		type_put(v);
		return true;
	case 'A':
	case 'S':
		array_put(v, tag == 'A');
		return true;
	case 'T':
		put(v, "(");
		put(v, list_put(v, type_put, ", ") == 1 ? ",)" : ")");
		return true;
	case 'F':
		function_put(v);
		return true;
	case 'D':
		dyn_put(v);
		return true;
	}
	return false;
}

static void
type_again(struct v0 *v, bool unused)
{
	type_put(v);
}

static void
type_put(struct v0 *v)
{
	unsigned char tag = peek(v);

	if (!enter(v))
		return;
	v->at += tag != 0;
	if (basic_type(tag)) {
		put(v, basic_type(tag));
	} else if (tag == 'B') {
		back_put(v, type_again, false);
	} else if (!compound_put(v, tag)) {
		v->at -= tag != 0;
		path_put(v, false);
	}
	leave(v);
}

/* ---- constants -------------------------------------------------------------------------- */

/* Hex digits up to "_". */
static struct pp_slice
digits_read(struct v0 *v)
{
	size_t begin = v->at;

	while (pp_is_digit(peek(v)) || (peek(v) >= 'a' && peek(v) <= 'f'))
		v->at++;
	if (!eat(v, '_')) {
		v->wrong = true;
		return pp_slice_of(v->p, 0);
	}
	return pp_slice_of(v->p + begin, v->at - 1 - begin);
}

static uint64_t
digits_value(struct pp_slice digits)
{
	uint64_t x = 0;
	size_t i;

	for (i = 0; i < digits.n; i++)
		x = x << 4 | (uint64_t)(pp_is_digit(digits.p[i]) ? digits.p[i] - '0'
		                                                 : digits.p[i] - 'a' + 10);
	return x;
}

static void
integer_put(struct v0 *v, bool is_signed)
{
	struct pp_slice digits;

	put(v, is_signed && eat(v, 'n') ? "-" : "");
	digits = digits_read(v);
	if (digits.n > 16) {
		put(v, "0x");
		put_slice(v, digits);
	} else {
		put_number(v, digits_value(digits));
	}
}

/* One character as Rust's source would have it between quotes of that kind. */
static void
char_put(struct v0 *v, uint32_t code, char quote)
{
	char text[3];
	unsigned char utf8[4];

	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
		v->wrong = true;
		return;
	}
	if (code == '\t' || code == '\n' || code == '\r' || code == '\0') {
		put(v, code == '\t' ? "\\t" : code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\0");
	} else if (code == (unsigned char)quote || code == '\\') {
		text[0] = '\\';
		text[1] = (char)code;
		text[2] = '\0';
		put(v, text);
	} else if (code < 0x20 || code == 0x7f) {
		if (!v->mute)
			pp_buf_addf(v->out, "\\u{%x}", (unsigned)code);
	} else {
		put_slice(v, pp_slice_of(utf8, pp_utf8_encode(code, utf8)));
	}
}

static void
string_put(struct v0 *v)
{
	struct pp_slice digits = digits_read(v);
	unsigned char bytes[PP_MANGLED_MAX / 2];
	size_t n = digits.n / 2, i, length;
	uint32_t code;

	if (digits.n % 2 || n > sizeof bytes) {
		v->wrong = true;
		return;
	}
	for (i = 0; i < n; i++)
		bytes[i] = (unsigned char)digits_value(pp_slice_of(digits.p + 2 * i, 2));
	put(v, "\"");
	for (i = 0; i < n && !v->wrong; i += length) {
		length = pp_utf8_decode(bytes + i, n - i, &code);
		if (length)
			char_put(v, code, '"');
		else
			v->wrong = true;
	}
	put(v, "\"");
}

static void
const_element(struct v0 *v)
{
	const_put(v, true);
}

static void
field_put(struct v0 *v)
{
	(void)optional62(v, 's');
	ident_put(v, ident_read(v));
	put(v, ": ");
	const_put(v, true);
}

/* "Path", "Path(a, b)" or "Path { a: b }" */
static void
variant_put(struct v0 *v)
{
	path_put(v, true);
	switch (next(v)) {
	case 'U':
		break;
	case 'T':
		put(v, "(");
		(void)list_put(v, const_element, ", ");
		put(v, ")");
		break;
	case 'S':
		put(v, " { ");
		(void)list_put(v, field_put, ", ");
		put(v, " }");
		break;
	default:
		v->wrong = true;
	}
}

/* A value with parts, or what it refers to: in braces where a type could stand, too. */
static void
structured_put(struct v0 *v, unsigned char tag, bool in_value)
{
	put(v, in_value ? "" : "{");
	switch (tag) {
	case 'e':
		put(v, "*");
		string_put(v);
		break;
	case 'R':
	case 'Q':
		put(v, tag == 'R' ? "&" : "&mut ");
		const_put(v, true);
		break;
	case 'A':
		put(v, "[");
		(void)list_put(v, const_element, ", ");
		put(v, "]");
		break;
	case 'T':
		put(v, "(");
		put(v, list_put(v, const_element, ", ") == 1 ? ",)" : ")");
		break;
	default:
		variant_put(v);
	}
	put(v, in_value ? "" : "}");
}

static void
scalar_put(struct v0 *v, unsigned char tag)
{
	struct pp_slice digits;
	uint64_t code;

	if (strchr("hmtyoj", tag) || strchr("aslxni", tag)) {
		integer_put(v, strchr("aslxni", tag) != NULL);
		return;
	}
	digits = digits_read(v);
	code = digits_value(digits);
	v->wrong |= digits.n > 8 || (tag == 'b' && code > 1);
	if (tag == 'b') {
		put(v, code ? "true" : "false");
	} else {
		put(v, "'");
		char_put(v, (uint32_t)code, '\'');
		put(v, "'");
	}
}

static void
const_put(struct v0 *v, bool in_value)
{
	unsigned char tag;

	if (!enter(v))
		return;
	tag = next(v);
	if (tag == 'B')
		back_put(v, const_put, in_value);
	else if (tag == 'p')
		put(v, "_");
	else if (tag == 'R' && eat(v, 'e'))
		string_put(v);
	else if (tag && strchr("hmtyojaslxnibc", tag))
		scalar_put(v, tag);
	else if (tag && strchr("eRQATV", tag))
		structured_put(v, tag, in_value);
	else
		v->wrong = true;
	leave(v);
}

/* ---- the whole -------------------------------------------------------------------------- */

bool
pp_demangle_rust_v0(struct pp_slice name, struct pp_buf *out)
{
	struct v0 v = { .p = name.p + 2, .n = name.n - 2, .out = out, .begin = out->n };
	const unsigned char *dot;

	/* A number here would be a later version. */
	if (v.n == 0 || v.p[0] < 'A' || v.p[0] > 'Z')
		return false;
	dot = pp_slice_find(pp_slice_of(v.p, v.n), '.');
	v.n = dot ? (size_t)(dot - v.p) : v.n;
	path_put(&v, true);
	if (peek(&v) >= 'A' && peek(&v) <= 'Z') {
		v.mute = true; /* the crate that asked for this instance */
		path_put(&v, false);
	}
	if (v.wrong || v.at != v.n || out->failed)
		return false;
	dot = v.p + v.n;
	if (dot < name.p + name.n &&
	    !pp_slice_starts(pp_slice_between(dot, name.p + name.n), ".llvm."))
		pp_buf_add(out, dot, (size_t)(name.p + name.n - dot));
	return true;
}
