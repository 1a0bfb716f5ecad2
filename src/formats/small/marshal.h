/*
 * Python's marshal, versions 0 to 5, as far as plain data go: numbers, texts, tuples, lists, dicts, and code, since profile
 * takes a piece of that for a name. Anything may be shared
 * (`r` names an object that came before); an object that holds itself is refused.
 *
 * Objects are rows in the order in which they start. What a row is made of hangs on it as a list, so that nothing recurses and no
 * count in the file is believed: a row takes at least one byte of the file.
 */
#ifndef PP_MARSHAL_H
#define PP_MARSHAL_H

#include "base/vec.h"
#include "formats/author.h"

enum pp_py_type {
	PP_PY_NONE, /* None, True, False and whatever else has no use here */
	PP_PY_INT,
	PP_PY_FLOAT,
	PP_PY_TEXT,
	PP_PY_TUPLE, /* and lists */
	PP_PY_DICT,  /* key, value, key, value, ... */
	PP_PY_CODE,  /* of a function, as the parts that marshal has of it */
	PP_PY_PLAIN, /* a tuple of numbers, which have no rows of their own */
	PP_PY_SAME   /* as another row */
};

/* There is one for every 10 bytes of a file or so: small. */
struct pp_py_row {
	uint8_t type;  /* enum pp_py_type */
	bool open;     /* not read to its end yet */
	uint8_t size;  /* of a text: of the count before it; of a plain tuple: how many numbers */
	uint32_t next; /* within the same tuple or dict; 0 = none */
	union {
		int64_t whole;
		double real;
		const unsigned char
		    *at; /* where a text, or the first number of a plain tuple, stands */
		struct {
			uint32_t first; /* of a tuple, dict or code; 0 = none */
			uint32_t n; /* how many there are; of code that was read: its first line */
		};
		uint32_t as;
	};
};

/* A tuple or dict that is not read to its end. */
struct pp_py_open {
	uint32_t row, last; /* `last` of what hangs on it */
	uint32_t left;      /* of a tuple: how many follow */
	uint32_t line;      /* of code: its first */
};

/* Zero is empty; row 0 is none. To be released. */
struct pp_marshal {
	const unsigned char *cur, *end;
	PP_VEC(struct pp_py_row) rows;
	PP_VEC(uint32_t) refs, interned;
	PP_VEC(struct pp_py_open) open;
	const char *problem; /* a sentence without full stop; NULL = none */
	bool no_memory;
};

#define PP_MARSHAL_DEPTH 200

/* Reads one object; false when it breaks off or is none, or out of memory. `cur` is then where. */
bool pp_marshal_read(struct pp_marshal *, struct pp_slice);
void pp_marshal_release(struct pp_marshal *);

/* A row, or the one it is the same as. */
static inline const struct pp_py_row *
pp_py_at(const struct pp_marshal *m, uint32_t row)
{
	const struct pp_py_row *r = &m->rows.at[row];

	return r->type == PP_PY_SAME ? &m->rows.at[r->as] : r;
}

/* The rows of a tuple; false when it is none that has them, or has not as many. */
bool pp_py_tuple(const struct pp_marshal *, uint32_t row, uint32_t *out, unsigned n);
/* The items of a tuple, plain or not; false when it is none or has not as many. */
bool pp_py_items(const struct pp_marshal *, uint32_t row, struct pp_py_row *out, unsigned n);
/* Numbers, whole or not; false when it is none. */
bool pp_py_real(const struct pp_py_row *, double *);
bool pp_py_whole(const struct pp_py_row *, int64_t *);
bool pp_py_text(const struct pp_marshal *, uint32_t row, struct pp_slice *);
/* What code is called and where it stands. */
bool pp_py_code(const struct pp_marshal *, uint32_t row, struct pp_slice *name,
                struct pp_slice *file, int32_t *line);

#endif
