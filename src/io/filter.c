/*
 * Which container an input is.
 */
#include "io/source.h"

enum pp_container
pp_container_detect(struct pp_input *in)
{
	(void)in;
	return PP_CONTAINER_NONE;
}

const char *
pp_container_name(enum pp_container c)
{
	static const char *const names[] = { "", "gzip", "zstd", "zlib" };

	return names[c];
}

pp_status
pp_input_decode(struct pp_io *io, enum pp_container c, struct pp_input *raw, struct pp_input **out)
{
	raw->close(raw);
	*out = NULL;
	return PP_E_UNSUPPORTED;
}
