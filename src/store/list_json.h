/*
 * A list of profiles as JSON: what `store list --json` prints, and the web app asks for.
 */
#ifndef PP_STORE_LIST_JSON_H
#define PP_STORE_LIST_JSON_H

#include "io/sink.h"
#include "store/store.h"

/* {"profiles": [...]}, the newest first, without the first `skip` of them, at most `most` (0 = all); "cut" tells of the rest. */
void pp_store_list_json(const struct pp_store_list *, size_t skip, size_t most, struct pp_sink *);

#endif
