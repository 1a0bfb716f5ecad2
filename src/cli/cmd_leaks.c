/*
 * polyprof leaks: memory that is still in use at the end, by stack.
 */
#include "cli/command.h"

static const struct pp_example leaks_examples[] = {
	{ "leaks heaptrack.app.1234.zst", "the ten stacks that hold most" },
	{ "leaks -m live_count -n 0 app.0001.heap", "all, those with most allocations first" },
	{ "leaks --ignore '^_dl_' jeprof.1.f.heap", "without what the dynamic linker holds" },
	{ "leaks --json app.zst", "every stack, exact, for a script" },
	{ 0 },
};

const struct pp_command pp_command_leaks = {
	.question = "leaks",
	.name = "leaks",
	.synopsis = "FILE...",
	.summary = "memory that is still in use at the end, by stack",
	.details =
	    "Shows what was allocated and never freed: bytes, allocations and the stack that "
	    "made them, starting with the function that called the allocator. If the profile "
	    "knows what happened when (heaptrack), oldest is how long something from that "
	    "stack has been in use without a break, and newest how long ago it last grew.\n\n"
	    "heaptrack, DHAT, gperftools, jemalloc, V8 and Go record what is in use at the "
	    "end; sampled profiles give estimates. Other profiles are refused (exit 3).\n\n"
	    "Text shows 10 stacks, each with up to 12 callers, unless -n and --depth say "
	    "otherwise; --json and --csv give all.",
	.examples = leaks_examples,
	.hint = PP_HINT_FILE,
};
