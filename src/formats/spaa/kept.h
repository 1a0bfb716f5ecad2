/*
 * The records of a SPAA file as they were, for writing them back without loss.
 */
#ifndef PP_SPAA_KEPT_H
#define PP_SPAA_KEPT_H

#include "formats/spaa/spaa.h"

/* Lines of accepted records, each with its newline. */
struct pp_spaa_kept {
	struct pp_buf lines;
};

/* Made the profile's private data; NULL when out of memory. */
struct pp_spaa_kept *pp_spaa_kept_new(struct pp_profile *);
void pp_spaa_kept_add(struct pp_spaa_reader *, const struct pp_spaa_record *);
/* What a profile kept; NULL when nothing. */
const struct pp_spaa_kept *pp_spaa_kept_of(const struct pp_profile *);

#endif
