/*
 * The input of a profile, packed: see parcel.h.
 */
#include "store/parcel.h"

#include <stdlib.h>

#include "io/source.h"
#include "io/squeeze.h"

#define HEAD 8
#define STEP ((size_t)64 << 10)

/* ---- packing ---- */

static void
number_put(struct pp_buf *out, uint64_t n, size_t bytes)
{
	for (; bytes; bytes--, n >>= 8)
		pp_buf_addc(out, (char)(n & 255));
}

/* Packs bytes; `last` ends it. False when out of memory. */
static bool
pack(struct pp_squeeze *z, struct pp_slice in, bool last, struct pp_buf *out)
{
	bool done = false;

	while (in.n > 0 || (last && !done)) {
		char *room = pp_buf_room(out, STEP);
		size_t made = 0;

		if (!room || !z->step(z, &in, last, (unsigned char *)room, STEP, &made, &done))
			return false;
		out->n += made;
	}
	return true;
}

bool
pp_parcel_make(const struct pp_kept_file *files, size_t n, struct pp_buf *out)
{
	struct pp_squeeze *z;
	struct pp_buf head = { 0 };
	uint64_t size = 0;
	bool fine;
	size_t i;

	number_put(&head, n, 4);
	for (i = 0; i < n; i++) {
		size_t length = strlen(files[i].name);

		number_put(&head, length, 4);
		pp_buf_add(&head, files[i].name, length);
		number_put(&head, files[i].size, 8);
		size += files[i].size;
	}
	number_put(out, size + head.n, HEAD);
	z = head.failed ? NULL : pp_squeeze_zstd_of(size + head.n);
	fine = z && !out->failed && pack(z, pp_slice_of(head.p, head.n), n == 0, out);
	for (i = 0; i < n && fine; i++)
		fine = pack(z, pp_slice_of(files[i].data, files[i].size), i + 1 == n, out);
	if (z)
		z->free(z);
	pp_buf_release(&head);
	return fine && !out->failed;
}

/* ---- unpacking ---- */

/* What a supply's files lie in. */
struct parcel {
	unsigned char *bytes;
	struct pp_kept_file *files;
	char *names;
};

static void
parcel_free(struct parcel *p)
{
	if (!p)
		return;
	free(p->bytes);
	free(p->files);
	free(p->names);
	free(p);
}

void
pp_parcel_drop(struct pp_supply *s)
{
	parcel_free(s->data);
	pp_profile_free(s->profile);
	*s = (struct pp_supply){ 0 };
}

/* Decodes exactly `size` bytes. Memory grows with what is there, not with what is claimed. */
static pp_status
unpack(struct pp_slice packed, uint64_t size, unsigned char **bytes)
{
	const struct pp_limits limits = { .max_expansion = UINT32_MAX };
	struct pp_input *in = NULL;
	struct pp_buf out = { 0 };
	struct pp_io io;
	pp_status status;

	if (!pp_io_init(&io, &limits, 1, NULL))
		return PP_E_NOMEM;
	status = pp_input_memory(&io, packed.p, packed.n, &in);
	if (status == PP_OK)
		status = pp_input_decode(&io, PP_CONTAINER_ZSTD, in, &in);
	while (status == PP_OK && pp_input_need(in, 1)) {
		if (pp_input_left(in) > size - out.n)
			status = PP_E_INVALID;
		else
			pp_buf_add(&out, in->cur, pp_input_left(in));
		in->cur = in->end;
		if (out.failed)
			status = PP_E_NOMEM;
	}
	if (status == PP_OK && (in->status != PP_OK || out.n != size))
		status = in->status == PP_E_NOMEM ? PP_E_NOMEM : PP_E_INVALID;
	if (in)
		in->close(in);
	pp_io_release(&io);
	if (status == PP_OK)
		*bytes = (unsigned char *)out.p;
	else
		pp_buf_release(&out);
	return status == PP_E_LIMIT ? PP_E_INVALID : status;
}

/* Takes a number from the front of a slice; false when it is cut. */
static bool
number_take(struct pp_slice *in, size_t bytes, uint64_t *n)
{
	size_t i;

	if (in->n < bytes)
		return false;
	for (*n = 0, i = bytes; i > 0; i--)
		*n = *n << 8 | in->p[i - 1];
	*in = pp_slice_of(in->p + bytes, in->n - bytes);
	return true;
}

/* Takes the names and sizes of the files. */
static bool
files_take(struct pp_slice *in, struct parcel *p, size_t n)
{
	uint64_t length, size;
	char *name = p->names;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!number_take(in, 4, &length) || in->n < length ||
		    (length && memchr(in->p, 0, (size_t)length)))
			return false;
		memcpy(name, in->p, (size_t)length);
		name[length] = '\0';
		*in = pp_slice_of(in->p + length, in->n - (size_t)length);
		p->files[i].name = name;
		name += length + 1;
		if (!number_take(in, 8, &size) || size > SIZE_MAX)
			return false;
		p->files[i].size = (size_t)size;
	}
	for (i = 0; i < n; i++) {
		if (in->n < p->files[i].size)
			return false;
		p->files[i].data = in->p;
		*in = pp_slice_of(in->p + p->files[i].size, in->n - p->files[i].size);
	}
	return in->n == 0;
}

pp_status
pp_parcel_open(struct pp_slice bytes, struct pp_supply *s)
{
	struct parcel *p = calloc(1, sizeof *p);
	struct pp_slice in;
	uint64_t size, n;
	pp_status status;

	*s = (struct pp_supply){ 0 };
	if (!p)
		return PP_E_NOMEM;
	status = number_take(&bytes, HEAD, &size) ? unpack(bytes, size, &p->bytes) : PP_E_INVALID;
	in = pp_slice_of(p->bytes, (size_t)(status == PP_OK ? size : 0));
	if (status == PP_OK && (!number_take(&in, 4, &n) || n == 0 || n > PP_PARCEL_FILES))
		status = PP_E_INVALID;
	if (status == PP_OK) {
		/* Names are no longer than what they stand in. */
		p->files = calloc((size_t)n, sizeof *p->files);
		p->names = malloc(in.n + (size_t)n);
		status = !p->files || !p->names          ? PP_E_NOMEM
		         : files_take(&in, p, (size_t)n) ? PP_OK
		                                         : PP_E_INVALID;
	}
	if (status != PP_OK) {
		parcel_free(p);
		return status;
	}
	s->files = p->files;
	s->n = (size_t)n;
	s->path = p->files[0].name;
	s->data = p;
	return PP_OK;
}
