/*
 * The original that profiles were made of, where they bring it: read instead of them, when the user says so.
 */
#include "formats/otlp/read.h"
#include "io/inflate.h"

/* Passes the header of gzip; false when there is none. */
static bool
gzip_begin(struct pp_slice *in)
{
	enum { HEADER = 10, CHECKED = 2, MORE = 4, NAMED = 8, COMMENTED = 16 };
	unsigned char flags = in->n >= HEADER ? in->p[3] : 0;
	size_t n;
	unsigned i;

	if (in->n < HEADER || in->p[0] != 0x1f || in->p[1] != 0x8b || in->p[2] != 8)
		return false;
	*in = pp_slice_from(*in, HEADER);
	if (flags & MORE && in->n >= 2) {
		n = (size_t)2 + in->p[0] + ((size_t)in->p[1] << 8);
		*in = pp_slice_from(*in, n < in->n ? n : in->n);
	}
	for (i = 0; i < 2; i++)
		if (flags & (i ? COMMENTED : NAMED)) {
			const unsigned char *end = pp_slice_find(*in, 0);

			*in = end ? pp_slice_between(end + 1, in->p + in->n)
			          : pp_slice_of(in->p, 0);
		}
	if (flags & CHECKED)
		*in = pp_slice_from(*in, in->n < 2 ? in->n : 2);
	return true;
}

/* The bytes of a payload, unpacked if they are gzip; false when that is damaged. */
static bool
payload_unpack(struct pp_slice in, struct pp_buf *out)
{
	enum { ROOM = 1 << 16 };
	enum pp_inflated state = PP_INFLATE_MORE;
	struct pp_inflate *inflate;
	size_t made = 1;

	if (!gzip_begin(&in)) {
		pp_buf_add(out, in.p, in.n);
		return true;
	}
	inflate = pp_inflate_new(PP_CHECK_CRC32);
	out->failed |= !inflate;
	while (!out->failed && state == PP_INFLATE_MORE && (in.n || made)) {
		unsigned char *room = (unsigned char *)pp_buf_room(out, ROOM);

		if (!room)
			break;
		state = pp_inflate_step(inflate, &in, room, ROOM, &made);
		out->n += made;
	}
	pp_inflate_free(inflate);
	return state == PP_INFLATE_END;
}

static const struct pp_format *
format_of(struct pp_slice name)
{
	char word[32];
	const struct pp_format *format;

	if (name.n >= sizeof word)
		return NULL;
	memcpy(word, name.p, name.n);
	word[name.n] = '\0';
	format = pp_format_among(NULL, strcmp(word, "linux_perf") == 0 ? "perf" : word);
	/* One that is again of this format is not followed. */
	return format != &pp_format_otlp ? format : NULL;
}

const struct pp_format *
pp_otlp_payload(struct pp_reader *reader, struct pp_buf *out)
{
	struct pp_slice found = pp_slice_of(NULL, 0);
	const struct pp_format *format = NULL;
	struct otlp_messages m;
	struct pp_diags diags;
	size_t i, k;
	bool alike = true;

	pp_diags_init(&diags);
	pp_otlp_messages_open(&m, pp_slice_between(reader->in->cur, reader->in->end), 0, &diags);
	out->failed |= m.no_memory;
	for (i = 0; i < m.list.n && !out->failed; i++) {
		struct otlp_doc d = { .from = &m, .bytes = m.list.at[i] };

		out->failed |= !pp_otlp_parse(&d);
		for (k = 0; k < d.profiles.n; k++) {
			const struct otlp_profile *p = &d.profiles.at[k];

			/* Each profile that was made of it repeats it. */
			alike &= !found.p || pp_slice_eq(found, p->payload);
			if (!found.p && p->payload.n && (format = format_of(p->format)))
				found = p->payload;
		}
		pp_otlp_release(&d);
	}
	if (!alike || !found.p || out->failed || !payload_unpack(found, out))
		format = NULL;
	pp_otlp_messages_release(&m);
	pp_diags_release(&diags);
	return format;
}
