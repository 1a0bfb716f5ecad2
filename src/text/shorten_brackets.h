/*
 * How pp_name_shorten() leaves out template arguments and parameters.
 */
#ifndef PP_SHORTEN_BRACKETS_H
#define PP_SHORTEN_BRACKETS_H

#include "base/buf.h"

/* Whether a '<' is the operator of that name. */
bool pp_name_is_operator(const char *before, size_t n);
/* Replaces what stands in brackets of one kind by an ellipsis; false when they do not match up. */
bool pp_name_drop_inside(struct pp_buf *out, const char *name, size_t n, char open, char close,
                         bool anonymous);
/* Returns where a remark in brackets begins, as in "fib (recursive)", or n. */
size_t pp_name_remark(const char *name, size_t n);
/* Appends a name without what stands in brackets; namespaces without a name may stay. */
void pp_name_drop_brackets(struct pp_buf *out, const char *name, size_t whole, bool anonymous);

#endif
