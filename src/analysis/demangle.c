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

/* Whether any function can be demangled; of names that profiles share, only those with costs are looked at. */
static bool
any_mangled(const struct pp_profile *p)
{
	size_t n = p->costs.shares_names ? p->costs.funcs.n : p->funcs.n, i;

	for (i = 1; i < n; i++) {
		pp_func func = p->costs.shares_names ? p->costs.funcs.at[i] : (pp_func)i;

		if (pp_demangle_maybe(pp_text_of(p, p->funcs.at[func].name)))
			return true;
	}
	return false;
}

pp_status
pp_demangle_derive(const struct pp_profile *p, bool for_people_only, struct pp_profile **out)
{
	const unsigned columns = PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_DERIVED;
	struct pp_derive d;
	bool changed = false, fine;

	*out = NULL;
	if (p->derived.mangled.n || !any_mangled(p))
		return PP_OK;
	if (!pp_derive_init(&d, p, columns, for_people_only ? 0 : PP_COLUMN_KEPT))
		return PP_E_NOMEM;
	d.to->derived.for_people = for_people_only;
	fine = names_change(&d, &changed);
	(void)pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
	if (fine && !changed) {
		pp_profile_release(*out);
		*out = NULL;
	}
	return fine ? PP_OK : PP_E_NOMEM;
}

bool
pp_demangle_lacks(const struct pp_profile *p)
{
	size_t i;

	for (i = 1; !pp_demangle_cxx_by && i < p->funcs.n; i++) {
		struct pp_slice name = pp_text_of(p, p->funcs.at[i].name);

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
