/*
 * perf.data: what `perf record` writes.
 *
 *     file    = magic u64:104 u64:stride attrs data types 4*u64:features  sections of u64:offset u64:size
 *     pipe    = magic u64:16 *record                     to the end of the stream
 *     magic   = "PERFILE2" | "2ELIFREP" (big endian) | "PERFFILE" (version 1, either order)
 *     attrs   = *(attr ids)                              perf_event_attr of stride - 16 bytes; where its ids are
 *     data    = *record                                  size 0: the recorder was killed, they run to the end
 *     record  = u32:type u16:misc u16:size bytes         size counts these eight bytes, too
 *     behind the data: a section for each feature bit that is set
 *
 * A directory that holds such a file as `data` is a recording, too: data.0, data.1 ... are bare records. Records of type 81
 * and 83 hold pieces of one zstd stream of records. What is behind some records (66, 71) is counted in them, not in
 * their size. In big endian files flags of an attribute are mirrored within each byte.
 */
#include "formats/perf/data.h"

#include <stdarg.h>
#include <stdio.h>

#define HEADER_FILE 104
#define HEADER_PIPE 16
#define ATTR_LEAST 64
#define IDS 16 /* bytes of the section that follows an attribute */
#define FEATURES 256
/* Files of a directory; perf makes one for each processor. */
#define SIBLINGS_MOST 4096
/* Records between two looks at whether to go on. */
#define RECORDS_AT_ONCE 65536

static int data_bid(const struct pp_peek *);
static pp_status data_read(struct pp_reader *, struct pp_builder *);
static pp_status data_describe(struct pp_reader *, struct pp_brief *);

static const struct pp_option_doc data_options[] = {
	{ "root", "none|comm|pid|tid",
	  "put each thread's name in front of its stacks (default none)" },
	{ "symfs", "DIR", "look for binaries and their symbols below DIR, and nowhere else" },
	{ "kallsyms", "FILE", "the kernel's symbols, as /proc/kallsyms has them" },
	{ "debug-dir", "DIR",
	  "perf's cache of binaries (default ~/.debug, or .debug below symfs)" },
	{ "symbols", "yes|no", "names of functions (default), or addresses only" },
	{ "demangle", "name|full|no",
	  "C++ names without parameters (default), with them, or as they are" },
	{ "inline", "no|yes",
	  "frames of functions that the compiler put into others (default no)" },
	{ 0 },
};

/* It cannot be written, but what it has tells what converting it may lose. */
static const struct pp_holds data_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(NO_STACK) | PP_HAS(TIMELINE) | PP_HAS(TIME) |
	           PP_HAS(RECORDED) | PP_HAS(SAMPLES) | PP_HAS(MODULES) | PP_HAS(BUILD_IDS) |
	           PP_HAS(PLACES) | PP_HAS(COLUMNS) | PP_HAS(INLINED) | PP_HAS(MARKS) |
	           PP_HAS(ADDRESSES) | PP_HAS(OFFSETS) | PP_HAS(THREADS) | PP_HAS(EVENTS) |
	           PP_HAS(METADATA) | PP_HAS(LABELS) },
};

const struct pp_format pp_format_perf = {
	.name = "perf",
	.title = "Linux perf recording (perf.data)",
	.extensions = "data perf.data",
	.can = PP_CAN_READ | PP_TREE | PP_TIMELINE | PP_META,
	.bid = data_bid,
	.read = data_read,
	.describe = data_describe,
	.holds = data_holds,
	.rules = pp_pd_rules,
	.options = data_options,
};

static int
data_bid(const struct pp_peek *peek)
{
	return pp_slice_starts(peek->head, "PERFILE2") || pp_slice_starts(peek->head, "2ELIFREP") ||
	               pp_slice_starts(peek->head, "PERFFILE")
	           ? 64
	           : 0;
}

/* ---- findings --------------------------------------------------------------------------- */

void
pp_pd_no_memory(struct pp_pd *d)
{
	pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
}

struct pp_place
pp_pd_at(const struct pp_pd *d, const unsigned char *at)
{
	uintptr_t begin = (uintptr_t)d->file.p, p = (uintptr_t)at;

	/* Records that were packed, or are in another file, have no place in this one. */
	return p >= begin && p <= begin + d->file.n ? pp_at_offset(p - begin) : PP_NOWHERE;
}

void
pp_pd_refuse(struct pp_pd *d, enum pp_pd_rule rule, const unsigned char *at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	pp_diag_vadd(d->reader->diags, &pp_pd_rules[rule], pp_pd_at(d, at), fmt, args);
	va_end(args);
	d->counts.errors++;
}

/* ---- records ---------------------------------------------------------------------------- */

/* Records one after the other; what is packed among them. */
struct stream {
	const unsigned char *p, *end;
	struct pp_buf packed;
	bool inner;  /* they were packed themselves */
	bool more;   /* behind the end, too */
	bool broken; /* what follows makes no sense */
};

/* Bytes that follow a record without being counted in its size. */
static uint64_t
payload_behind(const struct pp_pd *d, const unsigned char *record, uint32_t type, size_t size)
{
	if (type == PP_PD_RECORD_TRACING_DATA && size >= 12)
		return ((uint64_t)pp_pd_u32(d, record + 8) + 7) & ~(uint64_t)7;
	return type == PP_PD_RECORD_AUXTRACE && size >= 16 ? pp_pd_u64(d, record + 8) : 0;
}

static void
packed_take(struct pp_pd *d, struct stream *s, struct pp_slice record, uint32_t type)
{
	struct pp_slice bytes = pp_slice_from(record, 8);

	if (type == PP_PD_RECORD_COMPRESSED2) {
		uint64_t n = bytes.n >= 8 ? pp_pd_u64(d, bytes.p) : 0;

		bytes = bytes.n >= 8 ? pp_slice_from(bytes, 8) : bytes;
		bytes.n = n < bytes.n ? (size_t)n : bytes.n;
	}
	pp_buf_add(&s->packed, bytes.p, bytes.n);
	d->order.whole = true;
	if (s->packed.failed)
		pp_pd_no_memory(d);
}

/* What perf itself wrote between the records of the kernel. */
static void
user_record(struct pp_pd *d, struct stream *s, struct pp_slice r, uint32_t type)
{
	switch (type) {
	case PP_PD_RECORD_ATTR: {
		uint64_t n = r.n >= 16 ? pp_pd_u32(d, r.p + 12) : 0, at;

		n = n ? n : ATTR_LEAST;
		if (n > r.n - 8 || !pp_pd_attr_add(d, r.p + 8, (size_t)n)) {
			pp_pd_refuse(d, PP_PD_HEADER, r.p,
			             "an attribute of %llu bytes does not fit into its record",
			             (unsigned long long)n);
			break;
		}
		for (at = 8 + n; at + 8 <= r.n; at += 8)
			pp_pd_attr_id(d, d->attrs.n - 1, pp_pd_u64(d, r.p + at));
		break;
	}
	case PP_PD_RECORD_BUILD_ID:
		pp_pd_build_id(d, r);
		break;
	case PP_PD_RECORD_FINISHED_ROUND:
		pp_pd_order_round(d);
		break;
	case PP_PD_RECORD_EVENT_UPDATE:
		pp_pd_event_update(d, r);
		break;
	case PP_PD_RECORD_FEATURE:
		if (r.n >= 16)
			pp_pd_feature(d,
			              pp_pd_u64(d, r.p + 8) < FEATURES
			                  ? (unsigned)pp_pd_u64(d, r.p + 8)
			                  : FEATURES,
			              pp_slice_from(r, 16));
		break;
	case PP_PD_RECORD_COMPRESSED:
	case PP_PD_RECORD_COMPRESSED2:
		if (!s->inner)
			packed_take(d, s, r, type);
		break;
	default:
		d->counts.traces += type == PP_PD_RECORD_AUXTRACE;
		d->counts.unknown += type > PP_PD_RECORD_USER_LAST;
	}
}

static void
kernel_record(struct pp_pd *d, struct pp_slice r, uint32_t type)
{
	switch (type) {
	case PP_PD_RECORD_MMAP:
	case PP_PD_RECORD_MMAP2:
	case PP_PD_RECORD_COMM:
	case PP_PD_RECORD_FORK:
	case PP_PD_RECORD_SAMPLE:
		pp_pd_order_add(d, r.p);
		break;
	case PP_PD_RECORD_EXIT:
	case PP_PD_RECORD_SWITCH:
	case PP_PD_RECORD_SWITCH_CPU_WIDE:
		d->counts.switches += type != PP_PD_RECORD_EXIT;
		if (d->reader->order->facets & PP_TIMELINE)
			pp_pd_order_add(d, r.p);
		break;
	case PP_PD_RECORD_LOST:
		d->counts.lost += r.n >= 24 ? pp_pd_u64(d, r.p + 16) : 1;
		break;
	case PP_PD_RECORD_LOST_SAMPLES:
		d->counts.lost_samples += r.n >= 16 ? pp_pd_u64(d, r.p + 8) : 1;
		break;
	case PP_PD_RECORD_THROTTLE:
		d->counts.throttled++;
		break;
	case PP_PD_RECORD_AUX:
	case PP_PD_RECORD_ITRACE_START:
		d->counts.traces++;
		break;
	default:
		d->counts.unknown += type > PP_PD_RECORD_KERNEL_LAST || type == 0;
	}
}

static void unpack(struct pp_pd *, struct stream *);

/* Whether the next record is there, as a whole. */
static bool
record_is_whole(struct pp_pd *d, struct stream *s)
{
	size_t left = (size_t)(s->end - s->p), size = left >= 8 ? pp_pd_size(d, s->p) : 8;

	if (size >= 8 && size <= left)
		return true;
	if (size < 8)
		pp_pd_refuse(d, PP_PD_CUT, s->p, "a record says that it has %zu bytes", size);
	else if (s->more)
		return false;
	else
		pp_pd_refuse(d, PP_PD_CUT, s->p, "a record goes on beyond the end");
	s->broken = true;
	return false;
}

/* All records of a stream. False when the caller wants to stop. */
static bool
records_read(struct pp_pd *d, struct stream *s)
{
	uint64_t n = 0, behind;

	while (s->p < s->end && pp_builder_ok(d->builder) && record_is_whole(d, s)) {
		struct pp_slice record = pp_slice_of(s->p, pp_pd_size(d, s->p));
		uint32_t type = pp_pd_type(d, s->p);

		if (++n % RECORDS_AT_ONCE == 0 && d->reader->progress(d->reader))
			return false;
		if (type >= PP_PD_USER_TYPES)
			user_record(d, s, record, type);
		else
			kernel_record(d, record, type);
		s->p += record.n;
		behind = payload_behind(d, record.p, type, record.n);
		if (behind > (size_t)(s->end - s->p)) {
			pp_pd_refuse(d, PP_PD_CUT, record.p,
			             "%llu bytes that follow a record go on beyond the end",
			             (unsigned long long)behind);
			s->broken = true;
			break;
		}
		if (type == PP_PD_RECORD_TRACING_DATA && record.n >= 12)
			pp_pd_tracing(d, pp_slice_of(s->p, pp_pd_u32(d, record.p + 8)));
		s->p += behind;
	}
	if (s->packed.n && pp_builder_ok(d->builder))
		unpack(d, s);
	return true;
}

/* Records that are being unpacked, piece by piece. */
struct unpacking {
	struct pp_pd *d;
	struct stream stream;
};

/* Takes the whole records of a piece; what is left of it goes before the next one. False when that is of no use. */
static bool
piece_take(void *ctx, const unsigned char *p, size_t n)
{
	struct unpacking *u = ctx;
	struct stream *s = &u->stream;
	struct pp_buf piece = { 0 };

	pp_buf_add(&piece, s->p, (size_t)(s->end - s->p));
	pp_buf_add(&piece, p, n);
	/* Records wait for their turn: what they stand in lives as long as the reader. */
	if (piece.failed || !pp_vec_push(&u->d->unpacked, piece)) {
		pp_buf_release(&piece);
		pp_pd_no_memory(u->d);
		return false;
	}
	s->p = (const unsigned char *)piece.p;
	s->end = s->p + piece.n;
	return records_read(u->d, s) && !s->broken && pp_builder_ok(u->d->builder);
}

static void
unpack(struct pp_pd *d, struct stream *s)
{
	struct pp_reader *r = d->reader;
	struct unpacking u = { .d = d, .stream = { .inner = true, .more = true } };
	pp_status status = r->unzstd(r, pp_slice_of(s->packed.p, s->packed.n), piece_take, &u);

	pp_buf_release(&s->packed);
	if (status == PP_E_NOMEM || status == PP_E_LIMIT)
		pp_builder_fail(d->builder, status,
		                status == PP_E_LIMIT ? "its packed records expand too much" : NULL);
	else if (status != PP_OK)
		pp_pd_refuse(d, PP_PD_PACKED, NULL, "packed records are damaged");
	else if (u.stream.p < u.stream.end && !u.stream.broken && pp_builder_ok(d->builder))
		pp_pd_refuse(d, PP_PD_CUT, NULL, "the last packed record is cut");
}

/* ---- file mode -------------------------------------------------------------------------- */

/* A section of the file: what of it is there. */
static struct pp_slice
section_at(const struct pp_pd *d, size_t at)
{
	uint64_t offset = pp_pd_u64(d, d->file.p + at), n = pp_pd_u64(d, d->file.p + at + 8);

	if (offset > d->file.n)
		return pp_slice_of(d->file.p + d->file.n, 0);
	n = n < d->file.n - offset ? n : d->file.n - offset;
	return pp_slice_of(d->file.p + offset, (size_t)n);
}

static void
ids_read(struct pp_pd *d, const unsigned char *where)
{
	size_t at = (size_t)(where - d->file.p), i;
	struct pp_slice ids = section_at(d, at);

	if (ids.n != pp_pd_u64(d, where + 8))
		pp_pd_refuse(d, PP_PD_HEADER, where,
		             "the ids of an event go on beyond the end of the file");
	for (i = 0; i + 8 <= ids.n; i += 8)
		pp_pd_attr_id(d, d->attrs.n - 1, pp_pd_u64(d, ids.p + i));
}

/* Events; false (said) when there is none that could be used. */
static bool
attrs_read(struct pp_pd *d)
{
	uint64_t stride = pp_pd_u64(d, d->file.p + 16), whole = pp_pd_u64(d, d->file.p + 32);
	struct pp_slice attrs = section_at(d, 24);
	size_t at;

	if (stride < ATTR_LEAST + IDS || stride > 65536 || whole % stride != 0) {
		pp_pd_refuse(d, PP_PD_HEADER, d->file.p + 16,
		             "events of %llu bytes in a section of %llu",
		             (unsigned long long)stride, (unsigned long long)whole);
		return false;
	}
	for (at = 0; at + stride <= attrs.n; at += stride) {
		if (!pp_pd_attr_add(d, attrs.p + at, (size_t)stride - IDS))
			break;
		ids_read(d, attrs.p + at + stride - IDS);
	}
	if (d->attrs.n == 0)
		pp_pd_refuse(d, PP_PD_NO_ATTRIBUTE, d->file.p + 24, "the file describes no event");
	return d->attrs.n > 0;
}

static bool
feature_is_set(const struct pp_pd *d, unsigned bit)
{
	return pp_pd_u64(d, d->file.p + 72 + bit / 64 * 8) >> bit % 64 & 1;
}

/* The table of features lies right behind the data; one that is cut is none. */
static void
features_read(struct pp_pd *d, struct pp_slice data)
{
	size_t at = (size_t)(data.p + data.n - d->file.p), left = d->file.n - at, n = 0;
	bool cut = false;
	unsigned bit;

	for (bit = 0; bit < FEATURES; bit++)
		n += feature_is_set(d, bit);
	if (n * IDS > left) {
		pp_pd_refuse(d, PP_PD_FEATURES, d->file.p + at,
		             "the table of %zu features goes on beyond the end of the file", n);
		return;
	}
	for (bit = 0; bit < FEATURES; bit++) {
		struct pp_slice content;

		if (!feature_is_set(d, bit))
			continue;
		content = section_at(d, at);
		cut |= content.n != pp_pd_u64(d, d->file.p + at + 8);
		pp_pd_feature(d, bit, content);
		at += IDS;
	}
	if (cut)
		pp_pd_refuse(d, PP_PD_FEATURES, d->file.p + d->file.n,
		             "features go on beyond the end of the file");
}

/* data.0, data.1, ... of a directory. */
static bool
siblings_read(struct pp_pd *d)
{
	struct pp_reader *r = d->reader;
	unsigned i;
	char name[24];

	for (i = 0; i < SIBLINGS_MOST && pp_builder_ok(d->builder); i++) {
		struct pp_input *in;
		struct stream s = { 0 };
		bool fine;

		snprintf(name, sizeof name, "data.%u", i);
		if (!r->has_sibling(r, name))
			break;
		if (r->open_sibling(r, name, &in) != PP_OK)
			continue;
		if (!pp_vec_push(&d->unpacked, (struct pp_buf){ 0 })) {
			pp_pd_no_memory(d);
			in->close(in);
			break;
		}
		while (pp_input_need(in, 1)) {
			pp_buf_add(&d->unpacked.at[d->unpacked.n - 1], in->cur, pp_input_left(in));
			in->cur = in->end;
		}
		in->close(in);
		s.p = (const unsigned char *)d->unpacked.at[d->unpacked.n - 1].p;
		s.end = s.p ? s.p + d->unpacked.at[d->unpacked.n - 1].n : NULL;
		if (d->unpacked.at[d->unpacked.n - 1].failed)
			pp_pd_no_memory(d);
		fine = records_read(d, &s);
		pp_buf_release(&s.packed);
		if (!fine)
			return false;
	}
	return true;
}

static bool
file_read(struct pp_pd *d, bool *go_on)
{
	uint64_t offset, said;
	struct pp_slice data;
	struct stream s = { 0 };

	if (d->file.n < HEADER_FILE) {
		pp_pd_refuse(d, PP_PD_HEADER, d->file.p + d->file.n, "the header is cut");
		return false;
	}
	if (!attrs_read(d))
		return false;
	data = section_at(d, 40);
	offset = pp_pd_u64(d, d->file.p + 40);
	said = pp_pd_u64(d, d->file.p + 48);
	if (said == 0 && offset <= d->file.n) {
		data = pp_slice_from(d->file, (size_t)offset);
		pp_diag_add(
		    d->reader->diags, &pp_pd_rules[PP_PD_UNFINISHED], pp_at_offset(48),
		    "the recording was not finished: its records run to the end of the file");
		d->builder->profile->complete = false;
	} else if (said != data.n) {
		pp_pd_refuse(d, PP_PD_CUT, d->file.p + d->file.n,
		             "the file ends within its data, %llu of %llu bytes",
		             (unsigned long long)data.n, (unsigned long long)said);
	} else {
		features_read(d, data);
	}
	s.p = data.p;
	s.end = data.p + data.n;
	*go_on = records_read(d, &s);
	pp_buf_release(&s.packed);
	if (*go_on && d->features.directory)
		*go_on = siblings_read(d);
	return true;
}

/* ---- the whole -------------------------------------------------------------------------- */

/* Version 1 tells its byte order by the size of its attributes only. */
static bool
order_of(const unsigned char *p, size_t n)
{
	struct pp_pd little = { .big = false };
	uint64_t stride = n >= 24 ? pp_pd_u64(&little, p + 16) : 80;

	return memcmp(p, "2ELIFREP", 8) == 0 ||
	       (memcmp(p, "PERFFILE", 8) == 0 && stride >= (uint64_t)1 << 32);
}

static bool
all_read(struct pp_pd *d, bool *go_on)
{
	uint64_t header;
	struct stream s = { .p = d->file.p + HEADER_PIPE, .end = d->file.p + d->file.n };

	if (d->file.n < HEADER_PIPE) {
		pp_pd_refuse(d, PP_PD_HEADER, d->file.p + d->file.n, "the header is cut");
		return false;
	}
	d->big = order_of(d->file.p, d->file.n);
	header = pp_pd_u64(d, d->file.p + 8);
	d->pipe = header == HEADER_PIPE;
	if (!d->pipe && header != HEADER_FILE) {
		pp_pd_refuse(d, PP_PD_HEADER, d->file.p + 8, "a header of %llu bytes",
		             (unsigned long long)header);
		return false;
	}
	if (!d->pipe)
		return file_read(d, go_on);
	*go_on = records_read(d, &s);
	pp_buf_release(&s.packed);
	if (d->attrs.n == 0 && pp_builder_ok(d->builder))
		pp_pd_refuse(d, PP_PD_NO_ATTRIBUTE, d->file.p + d->file.n,
		             "the stream describes no event");
	return d->attrs.n > 0;
}

static enum pp_perf_root
root_option(const struct pp_reader *reader)
{
	static const char *const names[] = { "none", "comm", "pid", "tid" };
	const char *given = pp_reader_option(reader, "root");
	size_t i;

	for (i = 1; given && i < PP_COUNT_OF(names); i++)
		if (strcmp(given, names[i]) == 0)
			return (enum pp_perf_root)i;
	return PP_PERF_ROOT_NONE;
}

static void
data_release(struct pp_pd *d)
{
	while (d->unpacked.n > 0)
		pp_buf_release(&d->unpacked.at[--d->unpacked.n]);
	pp_vec_release(&d->unpacked);
	pp_vec_release(&d->attrs);
	pp_map_release(&d->attr_of);
	pp_map_release(&d->last_of);
	pp_vec_release(&d->lasts);
	pp_vec_release(&d->order.waiting);
	pp_vec_release(&d->order.spare);
	pp_pd_symbols_release(d);
	pp_pd_threads_release(d);
	pp_pd_frames_release(d);
	pp_pd_fields_release(d);
	pp_pd_branches_release(d);
}

static pp_status
data_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct pp_pd d = { .reader = reader, .builder = b, .root = root_option(reader) };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open(&whole, reader);
	bool used = false, go_on = true;

	if (status == PP_OK) {
		d.file = pp_slice_of(reader->in->cur, pp_input_left(reader->in));
		d.attr_of.seed = d.last_of.seed = d.fields.point_of.seed = b->seed;
		pp_pd_symbols_init(&d);
		if (pp_pd_threads_init(&d) && pp_pd_frames_init(&d))
			used = all_read(&d, &go_on);
		else
			pp_pd_no_memory(&d);
		if (used && go_on && pp_builder_ok(b))
			pp_pd_order_end(&d);
		if (used && go_on && pp_builder_ok(b))
			pp_pd_finish(&d);
		reader->in->cur = reader->in->end;
		status = !pp_builder_ok(b) ? b->status
		         : !go_on          ? PP_E_IO
		         : used            ? PP_OK
		                           : PP_E_INVALID;
	}
	data_release(&d);
	pp_whole_close(&whole, reader);
	return status;
}

/* The command that was recorded; of what comes through a pipe nothing is known yet. */
static pp_status
data_describe(struct pp_reader *reader, struct pp_brief *brief)
{
	struct pp_builder none = { 0 };
	struct pp_diags unheard;
	struct pp_pd d = { .builder = &none };
	struct pp_reader quiet = *reader;
	struct pp_slice command;
	size_t i;

	pp_diags_init(&unheard);
	quiet.diags = &unheard;
	d.reader = &quiet;
	if (reader->in->stable && pp_pd_threads_init(&d) &&
	    pp_input_left(reader->in) >= HEADER_FILE) {
		d.file = pp_slice_of(reader->in->cur, pp_input_left(reader->in));
		d.big = order_of(d.file.p, d.file.n);
		if (pp_pd_u64(&d, d.file.p + 8) == HEADER_FILE && pp_pd_u64(&d, d.file.p + 48) > 0)
			features_read(&d, section_at(&d, 40));
		for (i = 0; i < d.features.words; i++) {
			pp_buf_adds(&brief->what, i ? " " : "");
			pp_buf_add(&brief->what, d.features.command[i].p, d.features.command[i].n);
		}
		command = pp_perf_command(
		    pp_slice_of(brief->what.p ? brief->what.p : "", brief->what.n));
		if (command.n) {
			memmove(brief->what.p, command.p, command.n);
			brief->what.n = command.n;
		}
		pp_buf_add(&brief->host, d.features.hostname.p, d.features.hostname.n);
		brief->recorded_at = (int64_t)(d.features.wall / 1000000000);
	}
	data_release(&d);
	pp_diags_release(&unheard);
	return brief->what.failed || brief->host.failed ? PP_E_NOMEM : PP_OK;
}
