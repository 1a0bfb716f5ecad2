/*
 * Profiles of generated scripts by their sources: functions, files and lines of what the scripts were made of, by source
 * maps. The profile remembers what the functions are in the scripts (pp_func_generated).
 */
#ifndef PP_REMAP_H
#define PP_REMAP_H

#include "model/profile.h"
#include "text/source_map.h"

/* The map of a script; NULL when there is none. What it gives stays as long as `data` does. */
typedef const struct pp_source_map *pp_map_finder(void *data, const struct pp_profile *,
                                                  pp_str script);

struct pp_remapped {
	size_t funcs;   /* that are known by their sources now */
	size_t unknown; /* of scripts that have a map, which does not say */
};

/* NULL in *out when nothing changes. */
pp_status pp_remap_derive(const struct pp_profile *, pp_map_finder *, void *data,
                          struct pp_remapped *, struct pp_profile **out);

/* What a function is in its script; NULL when it was not remapped. */
static inline const struct pp_generated_row *
pp_func_generated(const struct pp_profile *p, pp_func func)
{
	const struct pp_generated_row *row = func < p->derived.generated.n
	                                         ? &p->derived.generated.at[func]
	                                         : NULL;

	return row && row->file ? row : NULL;
}

#endif
