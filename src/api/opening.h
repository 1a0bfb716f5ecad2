/*
 * What an opened input keeps besides its public face. Internal to src/api.
 */
#ifndef PP_OPENING_H
#define PP_OPENING_H

#include "api/api.h"
#include "io/source.h"

struct pp_opening {
	struct pp_io io;
	struct pp_read_opts opts;
	struct pp_order order;     /* what the options ask for */
	struct pp_diags own_diags; /* when the caller gave none */
	char *path;                /* as given */
	char *name;                /* base name without compression endings */
	struct pp_input
	    *file;       /* the lowest input, for pp_input_changed(); part of reader.in's stack */
	bool beside;     /* there is a directory in which companions may stand */
	bool beyond;     /* files that a recording names may be opened: it is no piece of memory */
	char home[4096]; /* what is known of the user, text of home() in it */
	struct pp_from from;   /* where its bytes come from */
	bool pushed;           /* the reader put a filter on its input */
	const char *foreign;   /* a packing that is not read here, when that is what it is */
	bool unpacked_nothing; /* damage comes first, and has been noted */
	const struct pp_stranger *stranger; /* what it is otherwise, as far as that is known */
	uint64_t errors;                    /* found before this file was opened */
	bool unfit;                     /* its bytes have nothing of the format that --from names */
	const struct pp_format *likely; /* which one they have; or NULL */
	pp_status sibling_status;       /* the worst end of a companion */
	uint64_t sibling_bytes;         /* of all companions */
	struct pp_input lost;           /* stands where an input was that a failure took away */
};

/* Bytes of a file, whole or as far as it was read. */
uint64_t pp_io_bytes(struct pp_io *);
/* Says that the limit of memory is exceeded, if that is why there is none: PP_E_LIMIT. Else the status as it is. */
pp_status pp_opening_memory(struct pp_opening *, pp_status);

#endif
