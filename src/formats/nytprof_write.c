/*
 * Writing NYTProf streams.
 */
#include "formats/nytprof_read.h"
pp_status
pp_nyt_write(struct pp_writer *w)
{
	(void)w;
	return PP_E_UNSUPPORTED;
}
