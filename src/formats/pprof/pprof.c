/*
 * pprof: the profiles of Go, of cloud profilers, and what most tools export. One protobuf message, mostly in gzip.
 *
 *     Profile    1 sample_type*  2 sample*  3 mapping*  4 location*  5 function*  6 string_table*  7 drop_frames  8 keep_frames
 *                9 time_nanos  10 duration_nanos  11 period_type  12 period  13 comment*  14 default_sample_type  15 doc_url
 *     ValueType  1 type  2 unit
 *     Sample     1 location_id* (the innermost first)  2 value* (one per sample_type)  3 label*
 *     Label      1 key  2 str  3 num  4 num_unit
 *     Mapping    1 id  2 memory_start  3 memory_limit  4 file_offset  5 filename  6 build_id  7-10 has_functions, ...
 *     Location   1 id  2 mapping_id  3 address  4 line* (what is inlined first)  5 is_folded
 *     Line       1 function_id  2 line  3 column
 *     Function   1 id  2 name  3 system_name  4 filename  5 start_line
 *
 * Texts are numbers of strings in string_table, whose first is empty. Ids are any numbers but 0. Fields come in any order: Go
 * writes the strings last. There is no magic number, no length and no version.
 */
#include "formats/pprof/pprof.h"

#include "base/utf8.h"
#include "formats/kit/mapped.h"

const struct pp_rule pp_pprof_rules[] = {
#define RULE(name, id, severity, title, text) { id, severity, title, text },
#include "formats/pprof/rule_list.h"
#undef RULE
	{ 0 },
};

/* ---- recognition --------------------------------------------------------------------------- */

/* Fields that are looked at, and the fewest bits that are worth a bid. */
#define BID_FIELDS 64
#define BID_LEAST 20

/*
 * Whether all fields of a message that are known have the wire type that they should have; what a bit stands for in the masks
 * is the number of the field. There is one at least.
 */
static bool
message_fits(struct pp_slice message, unsigned varints, unsigned bytes)
{
	struct pp_wire_field f;
	struct pp_wire w;
	bool any = false;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f)) {
		unsigned bit = f.number < 16 ? 1u << f.number : 0;

		if (!(f.type == PP_WIRE_VARINT  ? varints & bit
		      : f.type == PP_WIRE_BYTES ? bytes & bit
		                                : 0))
			return false;
		any = true;
	}
	return any && w.error == PP_WIRE_OK;
}

/* The bits that a field of the profile is worth; below 0 when it cannot be one. */
static int
field_bits(const struct pp_wire_field *f, bool *strings)
{
	static const struct {
		unsigned varints, bytes;
	} messages[] = {
		[PROFILE_SAMPLE_TYPE] = { 1 << 1 | 1 << 2, 0 },
		[PROFILE_SAMPLE] = { 1 << 1 | 1 << 2, 1 << 1 | 1 << 2 | 1 << 3 },
		[PROFILE_MAPPING] = { 0x7fe, 0 },
		[PROFILE_LOCATION] = { 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5, 1 << 4 },
		[PROFILE_FUNCTION] = { 0x3e, 0 },
		[PROFILE_PERIOD_TYPE] = { 1 << 1 | 1 << 2, 0 },
	};

	if (f->number == PROFILE_STRING && f->type == PP_WIRE_BYTES) {
		if (!*strings) {
			*strings = true;
			return f->bytes.n == 0 ? 8 : -1;
		}
		return pp_utf8_valid(f->bytes) ? 2 : 0;
	}
	if (f->number < PP_COUNT_OF(messages) && messages[f->number].varints) {
		if (f->type != PP_WIRE_BYTES)
			return -1;
		return f->bytes.n == 0 ? 0
		       : message_fits(f->bytes, messages[f->number].varints,
		                      messages[f->number].bytes)
		           ? 10
		           : -1;
	}
	return f->number >= PROFILE_FIELDS || f->type == PP_WIRE_VARINT ||
	               (f->number == PROFILE_COMMENT && f->type == PP_WIRE_BYTES)
	           ? 0
	           : -1;
}

static int
pprof_bid(const struct pp_peek *peek)
{
	struct pp_wire_field f;
	struct pp_wire w;
	int bits = 0, fields = 0, more = 0;
	bool strings = false;

	pp_wire_init(&w, peek->head);
	while (fields++ < BID_FIELDS && pp_wire_next(&w, &f) &&
	       (more = field_bits(&f, &strings)) >= 0)
		bits += more;
	if (bits >= BID_LEAST)
		return bits;
	if ((bits = pp_pprof_legacy_bid(peek->head)))
		return bits;
	return pp_name_ends(peek->name, "pb") || pp_name_ends(peek->name, "pprof");
}

/* ---- the format ---------------------------------------------------------------------------- */

static const struct pp_option_doc pprof_options[] = {
	PP_MAPPED_OPTIONS,
	{ "gzip", "yes|no|zstd", "how what is written is compressed (default: yes)" },
	{ NULL, NULL, NULL },
};

static const struct pp_holds pprof_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(TIME) | PP_HAS(RECORDED) | PP_HAS(FILES) |
	           PP_HAS(FIRST_LINES) | PP_HAS(MODULES) | PP_HAS(BUILD_IDS) | PP_HAS(PLACES) |
	           PP_HAS(COLUMNS) | PP_HAS(ADDRESSES) | PP_HAS(INLINED) | PP_HAS(THREADS) |
	           PP_HAS(MARKS) | PP_HAS(LABELS),
	  .own = PP_HAS(METADATA) | PP_HAS(PRIVATE),
	  .states = PP_HAS(SAMPLES),
	  .apart = PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(MODULES),
	  .values = "whole, of 63 bits and a sign" },
};

const struct pp_format pp_format_pprof = {
	.name = "pprof",
	.title = "pprof profile (Go and many others)",
	.extensions = "pprof pb",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_META | PP_EXTRAS,
	.writes = PP_WRITES_BINARY,
	.bid = pprof_bid,
	.read = pp_pprof_read,
	.write = pp_pprof_write,
	.rewrite = pp_pprof_rewrite,
	.carry_save = pp_pprof_carry_save,
	.carry_load = pp_pprof_carry_load,
	.holds = pprof_holds,
	.rules = pp_pprof_rules,
	.options = pprof_options,
};
