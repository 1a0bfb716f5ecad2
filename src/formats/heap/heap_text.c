/*
 * Text profiles of heaps, and addresses with names.
 */
#include "formats/heap/heap_text.h"

#include <math.h>

/* ---- numbers ---------------------------------------------------------------------------- */

static void
blanks_skip(struct pp_slice *rest)
{
	while (rest->n && pp_is_blank(rest->p[0]))
		*rest = pp_slice_from(*rest, 1);
}

/* A number, and the byte behind it. */
static bool
number_take(struct pp_slice *rest, int64_t *value, const char *behind)
{
	size_t n = 0;

	blanks_skip(rest);
	while (n < rest->n && pp_is_digit(rest->p[n]))
		n++;
	if (!n || !pp_num_i64(pp_slice_of(rest->p, n), value))
		return false;
	*rest = pp_slice_from(*rest, n);
	blanks_skip(rest);
	return pp_slice_take(rest, behind);
}

bool
pp_heap_counts_read(struct pp_slice *rest, struct pp_heap_counts *c)
{
	return number_take(rest, &c->live, ":") && number_take(rest, &c->live_bytes, "[") &&
	       number_take(rest, &c->all, ":") && number_take(rest, &c->all_bytes, "]");
}

double
pp_heap_factor(const struct pp_heap_text *t, int64_t n, int64_t bytes)
{
	double ratio, factor = 1;

	if (t->scaling == PP_HEAP_EXACT || n <= 0 || bytes <= 0)
		return 1;
	ratio = (double)bytes / (double)n / t->period;
	if (t->scaling == PP_HEAP_POISSON)
		factor = 1 / (1 - exp(-ratio));
	else if (ratio < 1)
		factor = 1 / ratio;
	return isfinite(factor) ? factor : 1;
}

void
pp_heap_text_metrics(struct pp_heap_text *t)
{
	unsigned all = PP_HEAP_HAS(ALLOC_BYTES) | PP_HEAP_HAS(ALLOC_COUNT),
	         live = PP_HEAP_HAS(LIVE_BYTES) | PP_HEAP_HAS(LIVE_COUNT), set, real = 0;
	unsigned sampled = PP_HEAP_HAS(SAMPLED_LIVE_BYTES) | PP_HEAP_HAS(SAMPLED_LIVE_COUNT);

	set = live | (t->allocated ? all : 0);
	if (t->scaling != PP_HEAP_EXACT) {
		real = set;
		set |= sampled;
		if (t->allocated)
			set |= PP_HEAP_HAS(SAMPLED_ALLOC_BYTES) | PP_HEAP_HAS(SAMPLED_ALLOC_COUNT);
	}
	pp_heap_metrics_build(t->b, set, real, PP_HEAP_LIVE_BYTES);
}

void
pp_heap_text_give(struct pp_heap_text *t, uint32_t series, const struct pp_heap_counts *c,
                  double live, double all)
{
	const int64_t counts[] = { c->all_bytes, c->all, c->live_bytes, c->live };
	int64_t values[2 * PP_COUNT_OF(counts)];
	size_t i, n = 0, first = t->allocated ? 0 : 2;

	for (i = first; i < PP_COUNT_OF(counts); i++)
		values[n++] = t->scaling == PP_HEAP_EXACT
		                  ? counts[i]
		                  : pp_cell_real((double)counts[i] * (i < 2 ? all : live));
	for (i = first; t->scaling != PP_HEAP_EXACT && i < PP_COUNT_OF(counts); i++)
		values[n++] = counts[i];
	if (pp_builder_ok(t->b))
		(void)pp_build_stack(t->b, series, t->stack.frames.at, t->stack.frames.n, values);
}

/* ---- addresses -------------------------------------------------------------------------- */

static void
frame_push(struct pp_mapped *m, struct pp_heap_stack *stack, pp_frame frame)
{
	if (!pp_vec_push(&stack->frames, frame))
		pp_builder_fail(m->b, PP_E_NOMEM, NULL);
}

/* "outer--inner" is a function and what is inlined into it; what tells static ones apart, <0000000000001219>, is dropped. */
static void
inlined_push(struct pp_mapped *m, struct pp_slice name, uint64_t address,
             struct pp_heap_stack *stack)
{
	struct pp_slice part[64];
	size_t n = 0, i;

	while (n < PP_COUNT_OF(part)) {
		const unsigned char *cut = memmem(name.p, name.n, "--", 2);

		/* operator-- is a name. */
		if (!cut || cut == name.p || cut + 2 == name.p + name.n ||
		    n + 1 == PP_COUNT_OF(part)) {
			part[n++] = name;
			break;
		}
		part[n++] = pp_slice_between(name.p, cut);
		name = pp_slice_between(cut + 2, name.p + name.n);
	}
	for (i = n; i-- > 0 && pp_builder_ok(m->b);) {
		struct pp_frame_row row = { .inline_depth = (uint16_t)i,
			                    .flags = i ? PP_FRAME_INLINED : 0 };
		struct pp_slice s = part[i];

		if (s.n > 18 && s.p[s.n - 18] == '<' && s.p[s.n - 1] == '>')
			s.n -= 18;
		row.func = pp_build_func(m->b,
		                         &(struct pp_func_row){ .name = pp_build_str(m->b, s) });
		row.address = m->native.places ? address : 0;
		frame_push(m, stack, pp_build_frame(m->b, &row));
	}
}

void
pp_heap_frames(struct pp_mapped *m, uint64_t address, unsigned back, struct pp_heap_stack *stack)
{
	uint32_t told = pp_map_get(&m->named, address), run;
	const pp_frame *frames;
	size_t i, n;

	if (told != PP_MAP_NONE) {
		inlined_push(m, pp_text_of(m->b->profile, told), address, stack);
		return;
	}
	run = pp_mapped_run(m, address, back);
	frames = pp_mapped_frames(m, run, &n);
	for (i = 0; i < n && pp_builder_ok(m->b); i++)
		frame_push(m, stack, frames[i]);
}

void
pp_heap_stack_turn(struct pp_heap_stack *stack)
{
	size_t i, n = stack->frames.n;

	for (i = 0; i < n / 2; i++) {
		pp_frame swap = stack->frames.at[i];

		stack->frames.at[i] = stack->frames.at[n - 1 - i];
		stack->frames.at[n - 1 - i] = swap;
	}
}

bool
pp_heap_addresses(struct pp_heap_text *t, struct pp_slice words)
{
	struct pp_slice word;
	uint64_t address;
	/* Names that the profile brings are of the addresses as they stand there. */
	unsigned back = t->mapped.named.n ? 0 : 1;

	t->stack.frames.n = 0;
	while (pp_slice_word(&words, &word)) {
		(void)pp_slice_take(&word, "0x");
		if (!pp_num_hex(word, &address))
			return false;
		pp_heap_frames(&t->mapped, address, back, &t->stack);
	}
	pp_heap_stack_turn(&t->stack);
	return true;
}

bool
pp_heap_symbols_read(struct pp_mapped *m, struct pp_slice *text, struct pp_slice *kind)
{
	struct pp_slice rest = *text, line, word;
	uint64_t address;

	if (!pp_slice_line(&rest, &line) || !pp_slice_eq_z(line, "--- symbol"))
		return false;
	while (pp_builder_ok(m->b) && pp_slice_line(&rest, &line) && !pp_slice_eq_z(line, "---")) {
		if (!pp_slice_take(&line, "0x") || !pp_slice_word(&line, &word) ||
		    !pp_num_hex(word, &address))
			continue;
		line = pp_slice_trim(line);
		if (line.n && !pp_slice_starts(line, "0x"))
			pp_mapped_name(m, address, line);
	}
	*kind = pp_slice_of("", 0);
	(void)pp_slice_line(&rest, kind);
	*text = rest;
	return true;
}
