/*
 * Frames of native code.
 */
#include "formats/kit/native.h"

#include "text/demangle.h"

void
pp_native_init(struct pp_native *n, struct pp_reader *r, struct pp_builder *b)
{
	const char *wanted = pp_reader_option(r, "symbols"),
	           *names = pp_reader_option(r, "demangle"),
	           *inlined = pp_reader_option(r, "inline");
	unsigned facets = r->order->facets;

	n->b = b;
	n->func_of.seed = b->seed;
	n->wanted = !wanted || strcmp(wanted, "no") != 0;
	n->names = !names || strcmp(names, "name") == 0 ? PP_NATIVE_SHORT
	           : strcmp(names, "full") == 0         ? PP_NATIVE_FULL
	                                                : PP_NATIVE_MANGLED;
	n->places = facets & PP_EXTRAS;
	n->lines = n->wanted && (facets & (PP_EXTRAS | PP_SOURCE));
	n->inlined = n->wanted && inlined && strcmp(inlined, "yes") == 0;
}

void
pp_native_release(struct pp_native *n)
{
	pp_map_release(&n->func_of);
}

pp_str
pp_native_name(struct pp_native *n, struct pp_slice name)
{
	struct pp_buf made = { 0 };
	bool done = n->names == PP_NATIVE_SHORT  ? pp_demangle_short(name, &made)
	            : n->names == PP_NATIVE_FULL ? pp_demangle(name, &made)
	                                         : false;
	pp_str text;

	if (done || made.failed)
		return pp_build_buf(n->b, &made);
	text = pp_build_str(n->b, name);
	pp_buf_release(&made);
	return text;
}

/*
 * The function of a name in a module. Where debug information says that it begins is no part of it: lines are looked up only
 * for who asks for them, and it has to be the same function for all.
 */
static pp_func
func_of(struct pp_native *n, const struct pp_func_row *row)
{
	uint64_t key = (uint64_t)row->name << 32 | row->module;
	pp_func func = pp_map_get(&n->func_of, key);

	if (func == PP_MAP_NONE) {
		func = pp_build_func(n->b, row);
		if (!pp_map_set(&n->func_of, key, func))
			pp_builder_fail(n->b, PP_E_NOMEM, NULL);
	}
	return func;
}

/* Where in its function a frame is. */
static void
place_set(struct pp_native *n, const struct pp_dwarf_place *place, struct pp_frame_row *frame)
{
	if (!place->line || !place->file)
		return;
	if (!n->lines) {
		n->b->profile->unread |= PP_HAS(PLACES) | (place->column ? PP_HAS(COLUMNS) : 0);
		return;
	}
	frame->file = pp_build_strz(n->b, place->file);
	frame->line = place->line;
	frame->column = place->column;
}

/* The function that an address belongs to, whatever else is inlined there. */
static pp_func
outermost(struct pp_native *n, const struct pp_native_at *at, const struct pp_symbol *symbol,
          const struct pp_dwarf_place *place)
{
	struct pp_func_row row = { .module = at->module,
		                   .flags = at->kernel ? PP_FUNC_KERNEL : 0u };

	if (symbol) {
		row.name = symbol->plain ? pp_build_str(n->b, symbol->name)
		                         : pp_native_name(n, symbol->name);
	} else if (place && place->name) {
		row.name = pp_native_name(n, pp_slice_z(place->name));
	} else {
		row.flags |= PP_FUNC_UNKNOWN;
		row.name = n->wanted
		               ? pp_build_strz(n->b, "[unknown]")
		               : pp_build_strf(n->b, "0x%llx", (unsigned long long)at->address);
	}
	return func_of(n, &row);
}

static pp_func
inlined_func(struct pp_native *n, const struct pp_native_at *at, const struct pp_dwarf_place *place)
{
	struct pp_func_row row = { .module = at->module };

	row.name = place->name ? pp_native_name(n, pp_slice_z(place->name))
	                       : pp_build_strz(n->b, "[unknown]");
	row.flags = place->name ? 0u : PP_FUNC_UNKNOWN;
	return func_of(n, &row);
}

size_t
pp_native_frames(struct pp_native *n, const struct pp_native_at *at,
                 pp_frame frames[PP_NATIVE_FRAMES])
{
	struct pp_dwarf_place places[PP_NATIVE_FRAMES];
	const struct pp_symbol *symbol = n->wanted && at->binary
	                                     ? pp_symbols_find(&at->binary->symbols, at->address)
	                                     : NULL;
	size_t found = 0, count, i;

	if ((n->lines || n->inlined) && at->binary && at->offset)
		found = pp_binary_places(at->binary, at->address, places, PP_NATIVE_FRAMES);
	else if (at->binary && at->binary->roles[PP_ROLE_LINES])
		n->b->profile->unread |= PP_HAS(PLACES) | PP_HAS(COLUMNS);
	count = n->inlined && found ? found : 1;
	for (i = 0; i < count; i++) {
		struct pp_frame_row frame = { 0 };
		/* Without those that are inlined it is where they are. */
		const struct pp_dwarf_place *self = &places[count > 1 || !found ? i : found - 1];

		frame.func = i + 1 < count ? inlined_func(n, at, self)
		                           : outermost(n, at, symbol, found ? self : NULL);
		if (found)
			place_set(n, &places[i], &frame);
		if (n->places) {
			frame.address = at->address;
			frame.offset = symbol ? at->address - symbol->start : 0;
			frame.flags = (uint16_t)(at->offset ? PP_FRAME_FILE_OFFSET : 0);
			frame.inline_depth = (uint16_t)(count - 1 - i);
			frame.flags |= (uint16_t)(frame.inline_depth ? PP_FRAME_INLINED : 0);
		} else {
			n->b->profile->unread |= PP_HAS(ADDRESSES) |
			                         (symbol ? PP_HAS(OFFSETS) : 0) |
			                         (count > 1 ? PP_HAS(INLINED) : 0);
		}
		frames[i] = pp_build_frame(n->b, &frame);
	}
	return count;
}
