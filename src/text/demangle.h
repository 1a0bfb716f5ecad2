/*
 * What mangled names stand for: C++ (Itanium), Rust (legacy and v0) and OCaml.
 *
 *     _ZN3net5parseEPKc                       net::parse(char const*)
 *     _ZN4core3fmt5write17h0123456789abcdefE  core::fmt::write
 *     _RNvCs1234_7mycrate3foo                 mycrate::foo
 *     camlStdlib__List__map_1234              Stdlib.List.map_1234
 *
 * Names come from files: the length, the depth and what they may grow to are limited, and what is wrong in any
 * way stays as it is.
 */
#ifndef PP_DEMANGLE_H
#define PP_DEMANGLE_H

#include "base/buf.h"
#include "base/common.h"

/* A name that is longer, or becomes longer than PP_DEMANGLED_MAX, stays as it is. */
#define PP_MANGLED_MAX 4096
#define PP_DEMANGLED_MAX 65536

/* Whether it is worth asking: four names in five are decided by their first bytes. */
static inline bool
pp_demangle_maybe(struct pp_slice name)
{
	if (name.n < 4 || name.n > PP_MANGLED_MAX)
		return false;
	return (name.p[0] == '_' && (name.p[1] == 'Z' || name.p[1] == 'R')) ||
	       memcmp(name.p, "caml", 4) == 0;
}

/*
 * Appends what a name stands for. False, with nothing appended, when it is not a mangled one. What tools put behind a
 * symbol ('2, +0x1f, @plt, _[k]) stays behind it.
 */
bool pp_demangle(struct pp_slice name, struct pp_buf *out);

/*
 * The same as perf shows them: of C++ without parameters, return types and what follows them; what compilers put behind a
 * symbol is dropped then.
 */
bool pp_demangle_short(struct pp_slice name, struct pp_buf *out);

/* What C++ names are demangled with; NULL when this build leaves them as they are. */
extern const char *const pp_demangle_cxx_by;

/* ---- the languages, for pp_demangle(): out->n is not restored when they fail ---- */

bool pp_demangle_cxx(struct pp_slice name, struct pp_buf *out);
bool pp_demangle_rust_v0(struct pp_slice name, struct pp_buf *out);
/* `ascii`: characters beyond that stay escaped, as perf leaves them. */
bool pp_demangle_rust_legacy(struct pp_slice name, bool ascii, struct pp_buf *out);

#endif
