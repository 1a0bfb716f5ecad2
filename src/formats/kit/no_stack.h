/*
 * What samples without frames stand under, so that the rows of a profile are all of its cost.
 */
#ifndef PP_KIT_NO_STACK_H
#define PP_KIT_NO_STACK_H

#include "model/builder.h"

#define PP_NO_STACK_NAME "[no stack]"

/* Its frame, made when there is none. */
pp_frame pp_no_stack_frame(struct pp_builder *);

#endif
