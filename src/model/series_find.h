/*
 * Finding series by their properties, and sets of labels of another profile.
 */
#ifndef PP_SERIES_FIND_H
#define PP_SERIES_FIND_H

#include "model/builder.h"

/* Zero-initialised + seed of the index is empty. */
struct pp_series_finder {
	struct pp_index index;
	size_t n; /* how many series it knows */
};

void pp_series_finder_release(struct pp_series_finder *);
/* The first series of a builder with the properties of another one; PP_MAP_NONE when there is none. */
uint32_t pp_series_find(struct pp_builder *, struct pp_series_finder *,
                        const struct pp_series *like);

/*
 * Sets of labels of another profile: to[set] is what each is here, given what its strings are. With `keys`, what the
 * metadata of the other one says of them is in those of its series, too.
 */
void pp_labels_merge(struct pp_builder *, const struct pp_profile *from, const uint32_t *strings,
                     const struct pp_slice *keys, size_t key_count, pp_labels *to);

/* Whether costs of two series are of one thread; */
bool pp_series_same_thread(const struct pp_series *, const struct pp_series *);
/* and whether they are told apart by nothing else. */
bool pp_series_same_kind(const struct pp_series *, const struct pp_series *);

#endif
