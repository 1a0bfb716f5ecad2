/*
 * The JSON that scripts rely on, in building blocks. Keys come in a fixed order; what is not known is
 * left out, never invented.
 */
#ifndef PP_JSON_VIEW_H
#define PP_JSON_VIEW_H

#include "analysis/counts.h"
#include "model/flat.h"
#include "base/diag.h"
#include "model/profile.h"
#include "text/json_emit.h"

/* An exact value. */
void pp_json_value(struct pp_json *, const struct pp_metric *, union pp_value);
/* "name", "file", "line", "module" of a function: members of an object begun by the caller. */
void pp_json_func(struct pp_json *, const struct pp_profile *, pp_func);
/* A metric as values name it; without a key it becomes one itself. */
void pp_json_put_metric(struct pp_json *, const char *key, const struct pp_profile *,
                        size_t metric);
/* {"METRIC": value, ...}: one value for each metric of the profile. */
void pp_json_values(struct pp_json *, const struct pp_profile *, const union pp_value *);
/* "diagnostics": [...], and "omitted": N when more were found than kept. */
void pp_json_put_diags(struct pp_json *, const struct pp_diags *);
/* "facets": [...]. */
void pp_json_put_facets(struct pp_json *, unsigned facets);
/* "meta": {...}, nested as in the file. */
void pp_json_put_meta(struct pp_json *, const struct pp_profile *);

/* The members of `info --json` that come from the profile, "format" to "time", into the caller's object. */
void pp_json_put_profile(struct pp_json *, const struct pp_profile *, const struct pp_counts *);
/* One function of `top --json`. */
void pp_json_flat_row(struct pp_json *, const struct pp_flat *, size_t row);
/* The whole object of `top --json`; rows [0, limit). */
void pp_json_flat(struct pp_json *, const struct pp_flat *, size_t metric, size_t limit);

#endif
