/*
 * Profiles by the names that people know their functions by: C++, Rust and OCaml demangled.
 *
 * Functions stay who they were. Two of them may come out with one name, like the instances of a generic function of
 * Rust, and are told apart as before.
 */
#ifndef PP_ANALYSIS_DEMANGLE_H
#define PP_ANALYSIS_DEMANGLE_H

#include "model/profile.h"

struct pp_demangled_names {
	const struct pp_func_row *from; /* the functions that are shared */
	struct pp_profile *names;       /* NULL when no name changes */
};

/*
 * The demangled names of profiles that share theirs (costs.shares_names), made once for all of them. All zero is none;
 * must outlive the profiles that were derived with it, and not outlive the shared names.
 */
struct pp_demangled {
	PP_VEC(struct pp_demangled_names) all;
};

void pp_demangled_release(struct pp_demangled *);

/*
 * A profile with such names that remembers the file's own (pp_func_mangled). NULL in *out when no name changes. For
 * people only: pictures then still have the file's names where scripts read them. `shared` may be NULL.
 */
pp_status pp_demangle_derive(const struct pp_profile *, bool for_people_only,
                             struct pp_demangled *shared, struct pp_profile **out);
/* Whether a profile has names of C++ that this build cannot demangle. */
bool pp_demangle_lacks(const struct pp_profile *);

/* The name of a function in the file, if it has another now; else nothing. */
static inline struct pp_slice
pp_func_mangled(const struct pp_profile *p, pp_func func)
{
	pp_str name = func < p->derived.mangled.n ? p->derived.mangled.at[func] : 0;

	return pp_text_of(p, name);
}

/* The other name that a function goes by: mangled or demangled (in `made`); nothing when there is none. */
struct pp_slice pp_func_other_name(const struct pp_profile *, pp_func, struct pp_buf *made);

#endif
