/*
 * Writing Pynytprof streams.
 */
#include "formats/pynytprof_read.h"

pp_status
pp_pyn_write(struct pp_writer *w)
{
	(void)w;
	return PP_E_UNSUPPORTED;
}
