/*
 * Whose a function is: the library that holds it, or the package, namespace or class that its name tells.
 */
#ifndef PP_MODULE_NAME_H
#define PP_MODULE_NAME_H

#include "model/profile.h"

/* The namespace, package or class that a name tells, at most two parts of it; empty when it tells none. */
struct pp_slice pp_module_in_name(struct pp_slice name);
/* What comes before the first dot of a name, as Go and Java have it: net/http of net/http.Get; empty without one. */
struct pp_slice pp_module_before_dot(struct pp_slice name);
/*
 * What "module:" in filters means: the library of a function as the file names it, or what its name tells. *str is
 * the interned string of a library, 0 of what is part of a name.
 */
struct pp_slice pp_module_name(const struct pp_profile *, const struct pp_func_row *, pp_str *str);

#endif
