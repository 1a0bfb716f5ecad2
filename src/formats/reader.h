/*
 * What a format's read function gets: its input, its orders, and the few services that need the
 * operating system, as function pointers, so that formats themselves never call it.
 */
#ifndef PP_READER_H
#define PP_READER_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/limits.h"
#include "io/input.h"
#include "model/order.h"

struct pp_format;

struct pp_reader {
	struct pp_input *in;
	const struct pp_format *format;
	const char *path;    /* as given; "-" for standard input; the name given for memory */
	bool forced;         /* the user named the format: do not second-guess it */
	const char *variant; /* what the user asked for, or NULL */
	const struct pp_order *order; /* what is to be made; never NULL */
	unsigned threads;             /* how many may run at once, >= 1 */
	struct pp_limits limits;
	struct pp_diags *diags;     /* never NULL */
	uint64_t seed;              /* for hash tables */
	const char *const *options; /* "key=value", NULL-terminated, or NULL */

	/*
	 * Opens a file beside this one: the same directory, the base name given (no slash allowed),
	 * decompressed by magic. PP_E_IO when it is not there. Close it with sibling->close.
	 */
	pp_status (*open_sibling)(struct pp_reader *, const char *base_name,
	                          struct pp_input **sibling);
	/* What open_sibling() peeled off last, outermost first; NULL at the end. */
	const char *sibling_compression[8];
	/*
	 * Opens any regular file for the names of functions, as it is; below `root` only, unless that is NULL. Close it
	 * with in->close. False when it is not there, or what is read is no file.
	 */
	bool (*open_file)(struct pp_reader *, const char *path, const char *root,
	                  struct pp_input **in);
	struct pp_resolver *resolver; /* kit/resolve.h */
	/* The home of whoever runs this, for what tools keep there; NULL = not known. */
	const char *(*home)(struct pp_reader *);
	/* True when a file of that base name stands beside this one. */
	bool (*has_sibling)(struct pp_reader *, const char *base_name);
	/* From here on the input is a zlib stream (NYTProf's 'z'): `in` continues with decoded bytes. */
	pp_status (*push_zlib)(struct pp_reader *);
	/*
	 * Decodes zstd that stands within the input, piece by piece until `take` returns false; a stream that merely lacks
	 * its end is fine. PP_E_INVALID when it is damaged, PP_E_LIMIT when it expands too much, PP_E_NOMEM.
	 */
	pp_status (*unzstd)(struct pp_reader *, struct pp_slice packed,
	                    bool (*take)(void *ctx, const unsigned char *, size_t n), void *ctx);
	/* Runs job(ctx, 0) .. job(ctx, n-1), at most `threads` at once; returns when all are done. */
	void (*run)(struct pp_reader *, unsigned n, void (*job)(void *ctx, unsigned index),
	            void *ctx);
	/* Tells how far reading is; true when the caller wants to stop (then return PP_E_IO). */
	bool (*progress)(struct pp_reader *);
	void *impl;
};

/* The value of an option out of a list of "key=value", ended by NULL; or NULL. */
const char *pp_option_of(const char *const *options, const char *key);
/* The value of an option "key=value" given by the user, or NULL. */
const char *pp_reader_option(const struct pp_reader *, const char *key);

#endif
