/*
 * OTLP profiles: pprof's successor in OpenTelemetry (opentelemetry.proto.profiles.v1development). A message ProfilesData, or what
 * exporters send, which has the same fields:
 *
 *     ProfilesData        1 resource_profiles*  2 dictionary
 *     ResourceProfiles    1 resource  2 scope_profiles*  3 schema_url
 *     ScopeProfiles       1 scope  2 profiles*  3 schema_url
 *     Profile             1 sample_type  2 samples*  3 time  4 duration  5 period_type  6 period  7 id  9-10 original  11 attributes*
 *     Sample              1 stack  2 attributes*  3 link  4 values*  5 timestamps*
 *     ProfilesDictionary  1 mappings  2 locations  3 functions  4 links  5 strings  6 attributes  7 stacks
 *
 * All texts, stacks and attributes are numbers of elements in the tables of the dictionary, where 0 is "not set"; schema.c has all
 * fields. A file holds one message, or, as the collector's file exporter writes them, several with four bytes of length before each,
 * or one JSON object a line.
 */
#include "formats/otlp/otlp.h"

#include "formats/kit/mapped.h"

const struct pp_rule pp_otlp_rules[] = {
#define RULE(name, id, severity, title, text) { id, severity, title, text },
#include "formats/otlp/rule_list.h"
#undef RULE
	{ 0 },
};

/* ---- what is in a file ---- */

static struct pp_slice
text_begin(struct pp_slice s)
{
	if (pp_slice_starts(s, "\xef\xbb\xbf"))
		s = pp_slice_from(s, 3);
	while (s.n && (pp_is_blank(s.p[0]) || s.p[0] == '\r' || s.p[0] == '\n'))
		s = pp_slice_from(s, 1);
	return s;
}

/* Four bytes, the highest first. */
static size_t
prefix_of(struct pp_slice s)
{
	return (size_t)s.p[0] << 24 | (size_t)s.p[1] << 16 | (size_t)s.p[2] << 8 | s.p[3];
}

/* Fields have numbers from 1 on, so no message begins with a byte below 8; lengths do. */
static bool
is_prefixed(struct pp_slice s)
{
	return s.n >= 4 && s.p[0] < 8;
}

static void
prefixed_read(struct otlp_messages *m)
{
	struct pp_slice rest = m->input;

	while (rest.n && !m->no_memory) {
		size_t n = rest.n >= 4 ? prefix_of(rest) : 0;

		if (rest.n < 4 || n > rest.n - 4) {
			m->complete = false;
			pp_diag_add(m->diags, &pp_otlp_rules[OTLP_BAD_CUT],
			            pp_at_offset(m->offset + (uint64_t)(rest.p - m->input.p)),
			            "a message of %zu bytes has only %zu", n,
			            rest.n < 4 ? 0 : rest.n - 4);
			n = rest.n < 4 ? 0 : rest.n - 4;
		}
		if (rest.n >= 4)
			m->no_memory |= !pp_vec_push(&m->list, pp_slice_of(rest.p + 4, n));
		rest = pp_slice_from(rest, rest.n < 4 ? rest.n : n + 4);
	}
}

/* Fields that are looked at, and the fewest bits that are worth a bid. */
#define BID_FIELDS 48
#define BID_LEAST 20
#define BID_DEPTH 5

struct bid {
	unsigned fields;
	int bits;
	bool clipped; /* the head is not all there is */
};

/* Counts what of a message is as it should be; false when something is not. */
static bool
message_bid(struct bid *b, enum otlp_type type, struct pp_slice bytes, unsigned depth)
{
	const struct otlp_message *m = &pp_otlp_messages[type];
	struct pp_wire_field f;
	struct pp_wire w;
	bool first = true;

	pp_wire_init(&w, bytes);
	while (b->fields < BID_FIELDS) {
		const struct otlp_field *field;
		bool more = pp_wire_next(&w, &f);

		/* At the end of the head the field that is cut begins as it should. */
		if (!more && !(w.error == PP_WIRE_CUT && b->clipped && f.type == PP_WIRE_BYTES))
			return w.error == PP_WIRE_OK || (b->clipped && w.error < PP_WIRE_NUMBER);
		field = f.number <= m->count ? &m->fields[f.number - 1] : NULL;
		if (!field || (f.type != pp_otlp_wire_type(field->kind) &&
		               !(f.type == PP_WIRE_BYTES && field->many)))
			return false;
		b->fields++;
		b->bits += depth ? 4 : 2;
		if (type == OTLP_DICTIONARY && f.number == OTLP_TABLE_STRINGS && first) {
			if (f.bytes.n)
				return false;
			first = false;
			b->bits += 8;
		}
		if (field->kind == OTLP_MESSAGE && depth < BID_DEPTH) {
			if (!more) {
				struct pp_wire again;
				uint64_t skipped;

				pp_wire_init(&again, pp_slice_between(f.begin, w.end));
				(void)pp_wire_varint(&again, &skipped);
				(void)pp_wire_varint(&again, &skipped);
				f.bytes = pp_slice_between(again.cur, again.end);
			}
			if (!message_bid(b, field->type, f.bytes, depth + 1))
				return false;
		}
		if (!more)
			return true;
	}
	return true;
}

/*
 * Whether an input is JSON. A message may begin with a newline and a brace, too: field 1, of 123 bytes; it is then one in all that
 * follows.
 */
static bool
is_json(struct pp_slice input)
{
	struct pp_slice text = text_begin(input);
	struct bid b = { .clipped = true };

	if (text.n == 0 || text.p[0] != '{')
		return false;
	return text.p == input.p || !(message_bid(&b, OTLP_DATA, input, 0) && b.bits >= BID_LEAST);
}

void
pp_otlp_messages_open(struct otlp_messages *m, struct pp_slice input, uint64_t offset,
                      struct pp_diags *diags)
{
	struct pp_slice text = text_begin(input);
	size_t i, begin = 0;

	*m = (struct otlp_messages){
		.input = input, .offset = offset, .diags = diags, .complete = true
	};
	m->json = is_json(input);
	m->prefixed = !m->json && is_prefixed(input);
	if (m->json) {
		m->offset += (uint64_t)(text.p - input.p);
		m->input = text;
		pp_otlp_json_read(m);
		for (i = 0; i < m->ends.n && !m->no_memory; i++) {
			m->no_memory |= !pp_vec_push(
			    &m->list,
			    pp_slice_of(m->made.p ? m->made.p + begin : "", m->ends.at[i] - begin));
			begin = m->ends.at[i];
		}
	} else if (m->prefixed) {
		prefixed_read(m);
	} else if (input.n) {
		m->no_memory |= !pp_vec_push(&m->list, input);
	}
}

void
pp_otlp_messages_release(struct otlp_messages *m)
{
	pp_buf_release(&m->made);
	pp_vec_release(&m->list);
	pp_vec_release(&m->marks);
	pp_vec_release(&m->ends);
}

uint64_t
pp_otlp_offset(const struct otlp_messages *m, const unsigned char *at)
{
	size_t below = 0, above = m->marks.n, place;

	if (!m->json)
		return m->offset + (uint64_t)(at - m->input.p);
	/* The last object that begins there or before. */
	place = m->made.p ? (size_t)(at - (const unsigned char *)m->made.p) : 0;
	while (above - below > 1) {
		size_t middle = below + (above - below) / 2;

		if (m->marks.at[middle].at <= place)
			below = middle;
		else
			above = middle;
	}
	return m->marks.n ? m->marks.at[below].offset : m->offset;
}

/* ---- recognition --------------------------------------------------------------------------- */

/* The first object of a text: one of the two keys that it may have. */
static int
json_bid(struct pp_slice text)
{
	struct pp_json_str key;
	struct pp_slice value;
	struct pp_scan s;

	pp_scan_init(&s, text, 0, PP_SCAN_STRICT);
	if (!pp_scan_object(&s))
		return 0;
	while (pp_scan_key(&s, &key)) {
		if (pp_json_str_eq(key, "resourceProfiles"))
			return 8 * 16;
		value = pp_slice_between(s.cur, s.end);
		if (pp_json_str_eq(key, "dictionary") &&
		    (pp_slice_holds(value, "\"stringTable\"") ||
		     pp_slice_holds(value, "\"locationTable\"") ||
		     pp_slice_holds(value, "\"stackTable\"")))
			return 8 * 16;
		(void)pp_scan_skip(&s, NULL);
	}
	return 0;
}

static int
otlp_bid(const struct pp_peek *peek)
{
	struct pp_slice text = text_begin(peek->head), head = peek->head;
	struct bid b = { .clipped = !peek->whole };

	if (is_json(head)) {
		b.bits = json_bid(text);
		if (b.bits)
			return b.bits;
	} else {
		if (is_prefixed(head)) {
			size_t n = prefix_of(head);

			head = pp_slice_from(head, 4);
			/* What follows is another message. */
			if (n < head.n)
				head.n = n;
			b.clipped |= n > head.n;
		}
		if (message_bid(&b, OTLP_DATA, head, 0) && b.bits >= BID_LEAST)
			return b.bits;
	}
	return pp_name_ends(peek->name, "otlp") || pp_name_ends(peek->name, "otlp.json") ||
	       pp_name_ends(peek->name, "otlp.jsonl");
}

/* ---- the format ---------------------------------------------------------------------------- */

static const struct pp_option_doc otlp_options[] = {
	PP_MAPPED_OPTIONS,
	{ "payload", "no|use",
	  "read the original that the profile was made of, if it brings one (default no)" },
	{ "json", "no|yes", "write JSON (default no)" },
	{ NULL, NULL, NULL },
};

static const struct pp_holds otlp_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(TIME) | PP_HAS(RECORDED) | PP_HAS(FILES) |
	           PP_HAS(FIRST_LINES) | PP_HAS(MODULES) | PP_HAS(BUILD_IDS) | PP_HAS(PLACES) |
	           PP_HAS(COLUMNS) | PP_HAS(ADDRESSES) | PP_HAS(INLINED) | PP_HAS(THREADS) |
	           PP_HAS(CPUS) | PP_HAS(MARKS) | PP_HAS(LABELS) | PP_HAS(TIMELINE),
	  .own = PP_HAS(METADATA) | PP_HAS(PRIVATE),
	  .states = PP_HAS(SAMPLES),
	  .apart = PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(MODULES),
	  .values = "whole, of 63 bits and a sign" },
};

const struct pp_format pp_format_otlp = {
	.name = "otlp",
	.title = "OTLP profile (OpenTelemetry)",
	.extensions = "otlp otlp.json otlp.jsonl",
	.variants = "protobuf length-prefixed json jsonl",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_TIMELINE | PP_META | PP_EXTRAS,
	.writes = PP_WRITES_JSON | PP_WRITES_BINARY,
	.bid = otlp_bid,
	.read = pp_otlp_read,
	.write = pp_otlp_write,
	.rewrite = pp_otlp_rewrite,
	.carry_save = pp_otlp_carry_save,
	.carry_load = pp_otlp_carry_load,
	.holds = otlp_holds,
	.rules = pp_otlp_rules,
	.options = otlp_options,
};
