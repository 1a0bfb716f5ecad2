/*
 * Names for people.
 */
#include "analysis/demangle.h"

#include "model/builder.h"
#include "model/derive.h"
#include "text/demangle.h"

/* Renames what can be demangled; false when out of memory. */
static bool
names_change(struct pp_derive *d, bool *changed)
{
	struct pp_profile *p = d->to;
	struct pp_buf made = { 0 };
	bool fine = true, is_new;
	size_t i;

	for (i = 0; i < p->funcs.n && fine; i++) {
		struct pp_func_row *f = &p->funcs.at[i];
		pp_str was = 0;

		made.n = 0;
		if (i > 0 && pp_demangle(pp_text_of(p, f->name), &made)) {
			was = f->name;
			fine = pp_strtab_intern(&p->strs, made.p, made.n, &f->name, &is_new);
			*changed = true;
		}
		fine = fine && !made.failed && pp_vec_push(&p->derived.mangled, was);
	}
	pp_buf_release(&made);
	return fine;
}

/* Whether any function can be demangled. */
static bool
any_mangled(const struct pp_profile *p)
{
	size_t i;

	for (i = 1; i < p->funcs.n; i++)
		if (pp_demangle_maybe(pp_text_of(p, p->funcs.at[i].name)))
			return true;
	return false;
}

/* The same profile by other names, without further columns; *out is NULL when no name changes. */
static pp_status
names_derive(const struct pp_profile *p, unsigned emptied, struct pp_profile **out)
{
	const unsigned columns = PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_DERIVED;
	struct pp_derive d;
	bool changed = false, fine;

	*out = NULL;
	if (!any_mangled(p))
		return PP_OK;
	if (!pp_derive_init(&d, p, columns, emptied))
		return PP_E_NOMEM;
	fine = names_change(&d, &changed);
	(void)pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
	if (fine && !changed) {
		pp_profile_release(*out);
		*out = NULL;
	}
	return fine ? PP_OK : PP_E_NOMEM;
}

/* ---- names that profiles share ---------------------------------------------------------- */

void
pp_demangled_release(struct pp_demangled *shared)
{
	while (shared->all.n)
		pp_profile_release(shared->all.at[--shared->all.n].names);
	pp_vec_release(&shared->all);
}

/* Finds the demangled names of a profile that shares its names with others, or makes them. */
static pp_status
shared_find(struct pp_demangled *shared, const struct pp_profile *p,
            const struct pp_profile **names)
{
	struct pp_demangled_names made = { .from = p->funcs.at };
	pp_status status;
	size_t i;

	for (i = shared->all.n; i-- > 0;)
		if (shared->all.at[i].from == p->funcs.at) {
			*names = shared->all.at[i].names;
			return PP_OK;
		}
	/* The costs are those of one profile, which may be gone before the others. */
	status = names_derive(p, PP_COLUMN_COSTS, &made.names);
	if (status == PP_OK && !pp_vec_push(&shared->all, made)) {
		pp_profile_release(made.names);
		status = PP_E_NOMEM;
	}
	*names = status == PP_OK ? made.names : NULL;
	return status;
}

pp_status
pp_demangle_derive(const struct pp_profile *p, bool for_people_only, struct pp_demangled *shared,
                   struct pp_profile **out)
{
	const unsigned emptied = for_people_only ? 0 : PP_COLUMN_KEPT;
	const struct pp_profile *names = NULL;
	pp_status status = PP_OK;
	struct pp_derive d;

	*out = NULL;
	if (p->derived.mangled.n)
		return PP_OK;
	if (!shared || !p->costs.shares_names) {
		status = names_derive(p, emptied, out);
	} else {
		status = shared_find(shared, p, &names);
		if (status != PP_OK || !names)
			return status;
		if (!pp_derive_init(&d, p, 0, emptied))
			return PP_E_NOMEM;
		pp_derive_borrow(&d, names,
		                 PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_DERIVED);
		(void)pp_derive_finish(&d, PP_OK, out);
	}
	if (*out)
		(*out)->derived.for_people = for_people_only;
	return status;
}

bool
pp_demangle_lacks(const struct pp_profile *p)
{
	bool listed = p->costs.shares_names;
	size_t n = listed ? p->costs.funcs.n : p->funcs.n, i;

	for (i = 1; !pp_demangle_cxx_by && i < n; i++) {
		pp_func func = listed ? p->costs.funcs.at[i] : (pp_func)i;
		struct pp_slice name = pp_text_of(p, p->funcs.at[func].name);

		if (pp_demangle_maybe(name) && name.p[1] == 'Z')
			return true;
	}
	return false;
}

struct pp_slice
pp_func_other_name(const struct pp_profile *p, pp_func func, struct pp_buf *made)
{
	struct pp_slice mangled = pp_func_mangled(p, func);

	made->n = 0;
	if (mangled.n)
		return mangled;
	if (!pp_demangle(pp_text_of(p, p->funcs.at[func].name), made))
		return pp_slice_of("", 0);
	return pp_slice_of(made->p, made->n);
}
