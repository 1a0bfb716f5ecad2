/*
 * The steps of reading that the command line uses one by one: open, recognise, read, rewrite.
 */
#ifndef PP_API_INTERNAL_H
#define PP_API_INTERNAL_H

#include "api/provider.h"
#include "formats/format.h"

/* An input opened and decoded, with the bids of all formats, highest first. */
struct pp_opened {
	struct pp_reader reader;
	struct pp_order *order; /* what is to be made; may be changed until it is read */
	struct pp_input *input;
	const struct pp_format *format; /* the winner, or NULL */
	struct pp_bid *bids; /* all formats that can read, sorted: bits descending, then name */
	size_t bid_count;
	bool ambiguous;             /* the two best bid the same */
	const char *compression[8]; /* what was peeled, outermost first; NULL at the end */
	uint64_t file_size;         /* 0 = unknown */
	uint64_t bytes_read;        /* of all its files, once it is read */
};

/* Where bytes come from: memory or a function, else the file of that name. */
struct pp_from {
	const void *data;
	size_t size;
	ptrdiff_t (*read)(void *ctx, void *to, size_t room);
	void *ctx;
	bool peek;    /* only its beginning will be looked at */
	bool settled; /* what a format bids is of no interest where the options name it */
	/* Of memory that stands for a file: a companion by its name, which stays until the input is closed, or NULL. */
	const struct pp_kept_file *(*companion)(void *ctx, const char *base_name);
};

/*
 * Each failure below but PP_E_NOMEM and PP_E_USAGE leaves a diagnostic that says why.
 *
 * Opens a file, memory or a function and lets the formats bid. PP_OK also when nobody recognised it
 * (format == NULL). Findings about the container go to diags.
 */
pp_status pp_open(struct pp_opened *, const char *path, const void *data, size_t size,
                  const struct pp_read_opts *, struct pp_diags *);
pp_status pp_open_from(struct pp_opened *, const char *path, const struct pp_from *,
                       const struct pp_read_opts *, struct pp_diags *);
/* Reads what was opened, with the format chosen. */
pp_status pp_opened_read(struct pp_opened *, struct pp_profile **out);
/*
 * Rewrites what was opened straight into its canonical form, if its format can: the same as reading
 * and writing. PP_E_UNSUPPORTED means that it cannot and nothing was read or written.
 */
pp_status pp_opened_rewrite(struct pp_opened *, struct pp_sink *);
void pp_opened_close(struct pp_opened *);

/*
 * Options as the library knows them out of those of a caller, whose struct has `size` bytes (its first
 * member) or, when that is 0, those of the first version. False when it sets what is not known here.
 */
bool pp_opts_complete(void *to, size_t known, size_t first, const void *from);

/* Whether a format has that variant and all these options. */
bool pp_opts_known(const struct pp_format *, const char *variant, const char *const *options);

/* Writes to an open sink; see pp_write_file() for the rest. */
pp_status pp_write_sink(const struct pp_profile *, struct pp_sink *, const struct pp_format *,
                        const struct pp_write_opts *, struct pp_diags *);

#endif
