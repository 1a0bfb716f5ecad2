/*
 * Reading: from an opened input to a profile.
 */
#include "api/meter.h"
#include "api/usable.h"
#include "formats/kit/resolve.h"
#include "formats/strangers.h"

#include <string.h>

static void
note_format(struct pp_opened *o)
{
	struct pp_opening *opening = o->reader.impl;

	if (o->ambiguous)
		pp_io_note(&opening->io, PP_IO_AMBIGUOUS_FORMAT, PP_NO_OFFSET,
		           "%s and %s recognise it equally well; name one with --from",
		           o->bids[0].format->name, o->bids[1].format->name);
	else if (opening->foreign)
		pp_io_note(&opening->io, PP_IO_UNSUPPORTED_CONTAINER, 0,
		           "this is %s, which polyprof does not unpack: unpack it first",
		           opening->foreign);
	else if (opening->unpacked_nothing)
		; /* nobody could recognise nothing */
	else if (opening->stranger)
		pp_io_note(&opening->io, PP_IO_UNKNOWN_FORMAT, PP_NO_OFFSET,
		           "no format recognises it; this is %s: %s", opening->stranger->name,
		           opening->stranger->way_out
		               ? opening->stranger->way_out
		               : "`polyprof formats` lists what can be read");
	else
		pp_io_note(&opening->io, PP_IO_UNKNOWN_FORMAT, PP_NO_OFFSET,
		           "no format recognises it; `polyprof formats` lists what can be "
		           "read, and --from FORMAT forces one");
	pp_io_report(&opening->io);
}

/* Reads on to the end of the input, so that checksums behind the last byte used are looked at. */
static void
drain(struct pp_input *in)
{
	while (!in->at_end) {
		in->cur = in->end;
		(void)in->more(in, 1);
	}
}

/*
 * The reader's own word, corrected by how the input and its companions ended: damage makes the result
 * partial, anything graver makes it unusable.
 */
static pp_status
settle(struct pp_opened *o, pp_status status, bool *partial)
{
	struct pp_opening *opening = o->reader.impl;
	pp_status end;

	o->input = o->reader.in;
	o->bytes_read = pp_io_bytes(&opening->io) + opening->sibling_bytes;
	if (o->file_size)
		o->file_size += opening->sibling_bytes;
	if (status == PP_OK && o->reader.in && (o->compression[0] || opening->pushed))
		drain(o->reader.in);
	end = o->reader.in ? o->reader.in->status : PP_E_NOMEM;
	if (end == PP_OK || (end == PP_E_INVALID && opening->sibling_status != PP_OK))
		end = opening->sibling_status;
	*partial = end == PP_E_INVALID;
	if (opening->file && pp_input_changed(opening->file)) {
		pp_io_note(&opening->io, PP_IO_CHANGED, PP_NO_OFFSET,
		           "the file changed while it was read");
		*partial = true;
	}
	pp_io_report(&opening->io);
	return end == PP_OK || end == PP_E_INVALID ? status : end;
}

static void
describe(const struct pp_opened *o, struct pp_builder *b)
{
	size_t i;

	b->profile->format = o->format;
	for (i = 0; i + 1 < PP_COUNT_OF(o->compression) && o->compression[i]; i++)
		b->profile->compression[i] = pp_build_strz(b, o->compression[i]);
}

/* Reads the input into the builder, and hands over the profile. */
static pp_status
profile_build(struct pp_opened *o, struct pp_builder *b, struct pp_profile **out)
{
	pp_status status;
	bool partial;

	b->diags = o->reader.diags;
	describe(o, b);
	status = o->format->read(&o->reader, b);
	/* A reader that broke off because of that may know only that there was an end. */
	if (!pp_builder_goes_on(b) && pp_account_stops())
		status = b->status;
	status = settle(o, status, &partial);
	if (status == PP_OK && pp_builder_ok(b) && pp_reader_option(&o->reader, "symbolize"))
		pp_resolve(&o->reader, b);
	pp_resolve_forget(&o->reader);
	if (b->status != PP_OK)
		status = b->status;
	if (partial)
		b->profile->complete = false;
	return status == PP_OK ? pp_builder_finish(b, out) : status;
}

/*
 * The same, and judges whether anything could be used. If the input is of another format than --from names, each of its lines
 * is an error: one message replaces them.
 */
static pp_status
profile_judge(struct pp_opened *o, struct pp_builder *b, struct pp_profile **out)
{
	struct pp_opening *opening = o->reader.impl;
	struct pp_diags *diags = o->reader.diags, apart;
	uint64_t errors;
	pp_status status;

	pp_diags_init(&apart);
	apart.cap_per_rule = diags->cap_per_rule;
	if (opening->unfit)
		o->reader.diags = &apart;
	status = profile_build(o, b, out);
	o->reader.diags = diags;
	errors = pp_diags_total(diags, PP_ERROR) - opening->errors +
	         pp_diags_total(&apart, PP_ERROR);
	status = pp_usable_check(o, *out, errors, status);
	if (status != PP_E_INVALID)
		pp_diags_append(diags, &apart, 0);
	pp_diags_release(&apart);
	if (status != PP_OK) {
		pp_profile_free(*out);
		*out = NULL;
	}
	return status;
}

pp_status
pp_opened_read(struct pp_opened *o, struct pp_profile **out)
{
	struct pp_opening *opening = o->reader.impl;
	struct pp_builder b;
	pp_status status;

	*out = NULL;
	if (!o->format) {
		note_format(o);
		return o->ambiguous ? PP_E_AMBIGUOUS : PP_E_UNKNOWN;
	}
	if (!pp_builder_init(&b, &o->reader.limits, o->reader.order, o->reader.seed,
	                     &pp_pages_huge))
		return PP_E_NOMEM;
	status = profile_judge(o, &b, out);
	if (status == PP_E_LIMIT && b.limit)
		pp_io_note(&opening->io, PP_IO_LIMIT_REACHED, PP_NO_OFFSET,
		           "the limit is reached: %s", b.limit);
	status = pp_opening_memory(opening, status);
	pp_io_report(&opening->io);
	pp_builder_release(&b);
	return status;
}

/* Bytes that were put into a sink. */
static uint64_t
sink_bytes(const struct pp_sink *s)
{
	return s->written + (s->begin ? (uint64_t)(s->cur - s->begin) : 0);
}

pp_status
pp_opened_rewrite(struct pp_opened *o, struct pp_sink *out)
{
	struct pp_opening *opening = o->reader.impl;
	uint64_t begun = sink_bytes(out);
	pp_status status;
	bool partial;

	if (!o->format || !o->format->rewrite || opening->unfit)
		return PP_E_UNSUPPORTED;
	status = o->format->rewrite(&o->reader, out);
	if (status == PP_E_UNSUPPORTED)
		return status;
	status = pp_opening_memory(opening, settle(o, status, &partial));
	if (sink_bytes(out) == begun)
		status = pp_usable_rewritten(
		    o, pp_diags_total(o->reader.diags, PP_ERROR) - opening->errors, status);
	pp_io_report(&opening->io);
	return out->status != PP_OK ? out->status : status;
}

/* ---- the public face ---- */

#define FIRST_SIZE offsetof(struct pp_read_opts, formats)

/* The options that are known here, out of the caller's; false when they ask for what is not. */
static bool
read_opts(const struct pp_read_opts *given, struct pp_read_opts *known)
{
	*known = (struct pp_read_opts){ 0 };
	return !given || pp_opts_complete(known, sizeof *known, FIRST_SIZE, given);
}

static pp_status
read_any(const char *path, const struct pp_from *from, const struct pp_read_opts *given,
         pp_diags *diags, pp_profile **out)
{
	struct pp_read_opts opts;
	struct pp_opened opened;
	struct pp_meter meter;
	uint64_t limit;
	pp_status status;

	*out = NULL;
	if ((from->size && !from->data) || !read_opts(given, &opts))
		return PP_E_USAGE;
	limit = opts.limits ? opts.limits->max_memory : 0;
	pp_meter_start(&meter, limit, 0);
	status = pp_open_from(&opened, path, from, &opts, diags);
	if (status == PP_OK) {
		status = opened.format && !pp_opts_known(opened.format, opts.variant, opts.options)
		             ? PP_E_USAGE
		             : pp_opened_read(&opened, out);
		pp_opened_close(&opened);
	}
	if (*out) {
		(*out)->memory.limit = limit;
		(*out)->memory.used = meter.account.used > 0 ? (uint64_t)meter.account.used : 0;
	}
	return pp_meter_stop(&meter, status);
}

static pp_status
recognise_any(const char *path, const struct pp_from *from, const struct pp_read_opts *given,
              pp_diags *diags, const pp_format **format, int *bits)
{
	struct pp_from peeked = *from;
	struct pp_read_opts opts;
	struct pp_opened opened;
	pp_status status;
	size_t i;

	*format = NULL;
	if (bits)
		*bits = 0;
	if ((from->size && !from->data) || !read_opts(given, &opts))
		return PP_E_USAGE;
	peeked.peek = true;
	status = pp_open_from(&opened, path, &peeked, &opts, diags);
	if (status != PP_OK)
		return status;
	*format = opened.format;
	for (i = 0; bits && i < opened.bid_count; i++)
		if (opened.bids[i].format == opened.format)
			*bits = opened.bids[i].bits;
	if (!opened.format) {
		note_format(&opened);
		status = opened.ambiguous ? PP_E_AMBIGUOUS : PP_E_UNKNOWN;
	}
	pp_opened_close(&opened);
	return status;
}

/* An empty input may come without an address, and "no address" means a file. */
static struct pp_from
from_memory(const void *data, size_t size)
{
	return (struct pp_from){ .data = data || size ? data : "", .size = size };
}

pp_status
pp_read_file(const char *path, const struct pp_read_opts *opts, pp_diags *diags, pp_profile **out)
{
	return read_any(path, &(struct pp_from){ 0 }, opts, diags, out);
}

pp_status
pp_read_memory(const void *data, size_t size, const char *name, const struct pp_read_opts *opts,
               pp_diags *diags, pp_profile **out)
{
	struct pp_from from = from_memory(data, size);

	return read_any(name ? name : "", &from, opts, diags, out);
}

pp_status
pp_read_callback(ptrdiff_t (*read)(void *ctx, void *to, size_t room), void *ctx, const char *name,
                 const struct pp_read_opts *opts, pp_diags *diags, pp_profile **out)
{
	struct pp_from from = { .read = read, .ctx = ctx };

	*out = NULL;
	return read ? read_any(name ? name : "", &from, opts, diags, out) : PP_E_USAGE;
}

pp_status
pp_recognise_file(const char *path, const struct pp_read_opts *opts, pp_diags *diags,
                  const pp_format **format, int *bits)
{
	return recognise_any(path, &(struct pp_from){ 0 }, opts, diags, format, bits);
}

pp_status
pp_recognise_memory(const void *data, size_t size, const char *name,
                    const struct pp_read_opts *opts, pp_diags *diags, const pp_format **format,
                    int *bits)
{
	struct pp_from from = from_memory(data, size);

	return recognise_any(name ? name : "", &from, opts, diags, format, bits);
}
