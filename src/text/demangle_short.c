/*
 * Names without parameters. The demangler prints "int ns::f<char>(long) const [clone .cold]"; only the name between the
 * return type and the parameters is kept.
 */
#include "text/demangle.h"
#include "text/signature.h"

bool
pp_demangle_short(struct pp_slice name, struct pp_buf *out)
{
	struct pp_buf full = { 0 };
	struct pp_slice s;
	bool rust = pp_slice_starts(name, "_ZN") && pp_demangle_rust_legacy(name, true, &full);
	bool done = rust || (full.n = 0, pp_demangle(name, &full));

	s = pp_slice_of(full.p ? full.p : "", done ? full.n : 0);
	/* What was made for a function or type ("guard variable for", thunks) is told with it as it is. */
	if (done && !rust && pp_slice_starts(name, "_Z"))
		s.n = pp_signature_clones(s);
	if (done && !rust && pp_slice_starts(name, "_Z") && name.p[2] != 'T' && name.p[2] != 'G')
		s = pp_signature_cxx(s).name;
	pp_buf_add(out, s.p, s.n);
	out->failed |= full.failed;
	pp_buf_release(&full);
	return done;
}
