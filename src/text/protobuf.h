/*
 * Protobuf's wire format, field by field, without copying and without a schema.
 *
 *     pp_wire_init(&w, message);
 *     while (pp_wire_next(&w, &field))
 *             switch (field.number) ...
 *     if (w.error) ...
 *
 * A message is a row of fields: number and type in one varint, then a varint, 4 or 8 bytes, or a length and so many bytes. Every
 * length is held against what is left. Varints longer than needed are fine; of more than 64 bits the excess is dropped and
 * noted. Groups, which nobody writes any more, are passed over as a whole, nested ones included, without recursion.
 * Errors are sticky: the first one is kept with its place, and nothing follows it.
 */
#ifndef PP_PROTOBUF_H
#define PP_PROTOBUF_H

#include "base/common.h"

enum pp_wire_type {
	PP_WIRE_VARINT,
	PP_WIRE_FIXED64,
	PP_WIRE_BYTES,
	PP_WIRE_GROUP,
	PP_WIRE_GROUP_END,
	PP_WIRE_FIXED32
};

enum pp_wire_error {
	PP_WIRE_OK,
	PP_WIRE_VARINT_CUT,  /* the message ends within a varint */
	PP_WIRE_VARINT_LONG, /* more than ten bytes */
	PP_WIRE_CUT,         /* a length, or 4 or 8 bytes, exceed the message */
	PP_WIRE_NUMBER,      /* a field has number 0 */
	PP_WIRE_TYPE,        /* there is no type 6 or 7 */
	PP_WIRE_UNGROUPED,   /* a group has no end, or another one's, or no beginning */
	PP_WIRE_DEEP         /* groups are nested deeper than PP_WIRE_NESTING */
};

#define PP_WIRE_NESTING 1000

struct pp_wire {
	const unsigned char *cur, *end;
	enum pp_wire_error error;
	const unsigned char *error_at;
	const unsigned char *overflow_at; /* the first varint of more than 64 bits; NULL = none */
};

struct pp_wire_field {
	uint64_t number;
	enum pp_wire_type type;
	uint64_t value;             /* of a varint, or of 4 or 8 bytes */
	struct pp_slice bytes;      /* of PP_WIRE_BYTES; of a group all up to its end */
	const unsigned char *begin; /* of the field with its number; it reaches to wire->cur */
};

static inline void
pp_wire_init(struct pp_wire *w, struct pp_slice message)
{
	*w = (struct pp_wire){ .cur = message.p,
		               .end = message.n ? message.p + message.n : message.p };
}

/* The next field; false at the end of the message, or when it cannot be followed any further. */
bool pp_wire_next(struct pp_wire *, struct pp_wire_field *);
/* What an error is in words. */
const char *pp_wire_error_text(enum pp_wire_error);

bool pp_wire_varint_long(struct pp_wire *, uint64_t *);

/* The next varint, of a packed list for example; false at the end or on an error. */
static inline bool
pp_wire_varint(struct pp_wire *w, uint64_t *v)
{
	if (PP_LIKELY(w->cur < w->end && *w->cur < 0x80)) {
		*v = *w->cur++;
		return true;
	}
	return pp_wire_varint_long(w, v);
}

/* The bytes of a field with its number, for who keeps what nobody knows. */
static inline struct pp_slice
pp_wire_field_bytes(const struct pp_wire *w, const struct pp_wire_field *f)
{
	return pp_slice_of(f->begin, (size_t)(w->cur - f->begin));
}

#endif
