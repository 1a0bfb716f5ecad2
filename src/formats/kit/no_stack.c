/*
 * What samples without frames stand under.
 */
#include "formats/kit/no_stack.h"

pp_frame
pp_no_stack_frame(struct pp_builder *b)
{
	struct pp_func_row func = { .name = pp_build_strz(b, PP_NO_STACK_NAME),
		                    .flags = PP_FUNC_PSEUDO };
	struct pp_frame_row frame = { .func = pp_build_func(b, &func) };

	return pp_build_frame(b, &frame);
}
