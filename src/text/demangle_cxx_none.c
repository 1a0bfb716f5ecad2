/*
 * C++ names stay as they are: there is no libsupc++ to link.
 */
#include "text/demangle.h"

const char *const pp_demangle_cxx_by = NULL;

bool
pp_demangle_cxx(struct pp_slice name, struct pp_buf *out)
{
	return false;
}
