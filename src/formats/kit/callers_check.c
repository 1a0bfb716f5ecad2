/*
 * Callers that are not known themselves.
 */
#include "formats/kit/callers_check.h"

#include <stdlib.h>

void
pp_callers_check(struct pp_reader *reader, struct pp_builder *b, const struct pp_rule *rule)
{
	const struct pp_profile *p = b->profile;
	bool *known = pp_funcs_called(p, false);
	size_t i;

	if (!known)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	for (i = 0; known && i < p->calls.rows.n; i++) {
		pp_func caller = p->calls.rows.at[i].caller;
		struct pp_slice name = pp_text_of(p, p->funcs.at[caller].name);

		if (caller && !known[caller])
			pp_diag_add(reader->diags, rule, PP_NOWHERE, "nothing calls %.*s",
			            (int)(name.n < 80 ? name.n : 80), (const char *)name.p);
		known[caller] = true;
	}
	free(known);
}
