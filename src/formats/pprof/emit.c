/*
 * Messages in protobuf's wire format.
 */
#include "formats/pprof/emit.h"

#include <string.h>

#define BLOCK ((size_t)256 << 10)

/* Whether the sink's own name makes it compress. */
static bool
name_compresses(const struct pp_sink *sink)
{
	size_t n = sink->path ? strlen(sink->path) : 0;

	return (n > 3 && strcmp(sink->path + n - 3, ".gz") == 0) ||
	       (n > 4 && strcmp(sink->path + n - 4, ".zst") == 0);
}

bool
pp_pprof_out_init(struct pprof_out *o, struct pp_sink *sink, const char *how)
{
	*o = (struct pprof_out){ .sink = sink };
	if (name_compresses(sink) || (how && strcmp(how, "no") == 0))
		return true;
	o->squeeze = how && strcmp(how, "zstd") == 0 ? pp_squeeze_zstd() : pp_squeeze_gzip();
	o->no_memory = !o->squeeze;
	return o->squeeze != NULL;
}

static void
block_write(struct pprof_out *o, bool last)
{
	struct pp_slice in = pp_slice_of(o->block.p, o->block.n);
	unsigned char packed[1 << 14];
	bool done = false;
	size_t made;

	if (!o->squeeze)
		pp_sink_write(o->sink, in.p, in.n);
	while (o->squeeze && !o->no_memory && !done && (in.n || last)) {
		if (o->squeeze->step(o->squeeze, &in, last, packed, sizeof packed, &made, &done))
			pp_sink_write(o->sink, packed, made);
		else
			o->no_memory = true;
	}
	o->block.n = 0;
}

pp_status
pp_pprof_out_finish(struct pprof_out *o)
{
	bool fine = !o->no_memory && !o->block.failed && !o->message.failed && !o->part.failed;

	if (fine)
		block_write(o, true);
	fine &= !o->no_memory;
	if (o->squeeze)
		o->squeeze->free(o->squeeze);
	pp_buf_release(&o->block);
	pp_buf_release(&o->message);
	pp_buf_release(&o->part);
	return fine ? o->sink->status : PP_E_NOMEM;
}

/* Room for a number of a field with its value, or its length. */
static inline void
pair_put(struct pp_buf *b, unsigned field, unsigned type, uint64_t value, size_t more)
{
	char *room = pp_buf_room(b, 2 * (size_t)PP_VARINT_MAX + more);
	unsigned char *end = (unsigned char *)room;

	if (!room)
		return;
	end = pp_varint_put(end, (uint64_t)field << 3 | type);
	end = pp_varint_put(end, value);
	b->n += (size_t)(end - (unsigned char *)room);
}

void
pp_pprof_put_number(struct pp_buf *b, unsigned field, uint64_t value)
{
	if (value)
		pair_put(b, field, 0, value, 0);
}

void
pp_pprof_put_bytes(struct pp_buf *b, unsigned field, const void *bytes, size_t n)
{
	pair_put(b, field, 2, n, n);
	pp_buf_add(b, bytes, n);
}

void
pp_pprof_put_numbers(struct pp_buf *b, unsigned field, struct pp_buf *part, const uint64_t *values,
                     size_t n)
{
	unsigned char *at;
	size_t i;

	part->n = 0;
	if (n == 0 || !pp_buf_room(part, n * PP_VARINT_MAX))
		return;
	at = (unsigned char *)part->p;
	for (i = 0; i < n; i++)
		at = pp_varint_put(at, values[i]);
	part->n = (size_t)(at - (unsigned char *)part->p);
	pp_pprof_put_bytes(b, field, part->p, part->n);
}

static void
block_check(struct pprof_out *o)
{
	if (o->block.n >= BLOCK && !o->block.failed)
		block_write(o, false);
}

void
pp_pprof_out_bytes(struct pprof_out *o, unsigned field, const void *bytes, size_t n)
{
	pp_pprof_put_bytes(&o->block, field, bytes, n);
	block_check(o);
}

void
pp_pprof_out_message(struct pprof_out *o, unsigned field)
{
	pp_pprof_out_bytes(o, field, o->message.p ? o->message.p : "", o->message.n);
	o->message.n = 0;
}

void
pp_pprof_out_number(struct pprof_out *o, unsigned field, uint64_t value)
{
	pp_pprof_put_number(&o->block, field, value);
	block_check(o);
}

void
pp_pprof_out_raw(struct pprof_out *o, const void *bytes, size_t n)
{
	pp_buf_add(&o->block, bytes, n);
	block_check(o);
}
