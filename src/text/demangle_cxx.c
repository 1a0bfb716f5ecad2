/*
 * C++ names, by the demangler of the C++ runtime. __cxa_demangle() would return memory of its own that a name of
 * 100 bytes can make grow without end; the form of it that hands over piece by piece takes no memory but
 * stack, so that it can be left as soon as a name becomes too long.
 */
#include <setjmp.h>

#include "text/demangle.h"

const char *const pp_demangle_cxx_by = "libsupc++";

/* Of libsupc++.a, which has no header for it. 0 = done. */
int __gcclibcxx_demangle_callback(const char *name,
                                  void (*put)(const char *text, size_t n, void *ctx), void *ctx);

struct pieces {
	struct pp_buf *out;
	size_t most;
	jmp_buf leave;
};

static void
piece_put(const char *text, size_t n, void *ctx)
{
	struct pieces *p = ctx;

	/* Nothing is held there that would have to be freed. */
	if (n > p->most - p->out->n || p->out->failed)
		longjmp(p->leave, 1);
	pp_buf_add(p->out, text, n);
}

bool
pp_demangle_cxx(struct pp_slice name, struct pp_buf *out)
{
	char symbol[PP_MANGLED_MAX + 1];
	struct pieces p = { .out = out, .most = out->n + PP_DEMANGLED_MAX };

	if (name.n > PP_MANGLED_MAX)
		return false;
	memcpy(symbol, name.p, name.n);
	symbol[name.n] = '\0';
	if (setjmp(p.leave))
		return false;
	return __gcclibcxx_demangle_callback(symbol, piece_put, &p) == 0 && !out->failed;
}
