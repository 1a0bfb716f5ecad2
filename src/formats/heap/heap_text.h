/*
 * What the two text formats of heap profiles share (gperftools, jemalloc), and the two of gperftools.
 */
#ifndef PP_HEAP_TEXT_H
#define PP_HEAP_TEXT_H

#include "formats/heap/heap.h"
#include "formats/kit/mapped.h"

/* A stack, the innermost frame first until it is turned. */
struct pp_heap_stack {
	PP_VEC(pp_frame) frames;
};

/* What is in use and what was allocated, in objects and bytes, as it stands in a line. */
struct pp_heap_counts {
	int64_t live, live_bytes, all, all_bytes;
};

/* How samples become estimates. */
enum pp_heap_scaling {
	PP_HEAP_EXACT,
	PP_HEAP_DIVIDE, /* by size / period where that is less than 1 */
	PP_HEAP_POISSON /* by the chance 1 - e^(-size / period) that one of that size is sampled */
};

struct pp_heap_text {
	struct pp_reader *reader;
	struct pp_builder *b;
	const struct pp_rule *rules;
	struct pp_places places;
	struct pp_mapped mapped;
	enum pp_heap_scaling scaling;
	double period;
	bool allocated; /* that is known, not only what is in use */
	struct pp_heap_stack stack;
};

/* "12: 345 [67: 890]"; what follows it stays in *rest. False when it is something else. */
bool pp_heap_counts_read(struct pp_slice *rest, struct pp_heap_counts *);
/* What samples are to be multiplied by; 1 when there are none. */
double pp_heap_factor(const struct pp_heap_text *, int64_t n, int64_t bytes);
/* Makes the metrics, when it is known what there is. */
void pp_heap_text_metrics(struct pp_heap_text *);
/* Gives the stack that was read to the builder; factors are those of what is in use, and of all. */
void pp_heap_text_give(struct pp_heap_text *, uint32_t series, const struct pp_heap_counts *,
                       double live, double all);
/* Addresses, the innermost first, as the stack. False when there is anything else. */
bool pp_heap_addresses(struct pp_heap_text *, struct pp_slice words);

/*
 * "--- symbol", names by address, "---": what `google-pprof --raw` puts before a profile. The frames have those names then.
 * Returns what is behind it, and the line that says what that is; false when the text has no such part.
 */
bool pp_heap_symbols_read(struct pp_mapped *, struct pp_slice *text, struct pp_slice *kind);
/* Appends the frames of an address, the innermost first, to a stack. */
void pp_heap_frames(struct pp_mapped *, uint64_t address, unsigned back, struct pp_heap_stack *);
/* Turns a stack, so that the outermost is first. */
void pp_heap_stack_turn(struct pp_heap_stack *);

#endif
