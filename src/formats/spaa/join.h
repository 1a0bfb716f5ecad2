/*
 * Related user and kernel stacks, joined and counted once.
 */
#ifndef PP_SPAA_JOIN_H
#define PP_SPAA_JOIN_H

#include "formats/spaa/spaa.h"

void pp_spaa_join(struct pp_spaa_reader *);

#endif
