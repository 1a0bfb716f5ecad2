/*
 * A Pynytprof document: the rows of its chunks, as written.
 */
#ifndef PP_PYNYTPROF_DOC_H
#define PP_PYNYTPROF_DOC_H

#include "base/diag.h"
#include "base/vec.h"
#include "formats/nytprof/settings.h"
#include "formats/nytprof/sniff.h"

enum pp_pyn_rule {
#define RULE(name, id, severity, title, text) PP_PYN_##name,
#include "formats/pynytprof/rule_list.h"
#undef RULE
};

extern const struct pp_rule pp_pynytprof_rules[];

struct pp_pyn_line {
	uint32_t fid, line, calls;
	uint64_t inc, exc;
};

struct pp_pyn_sub {
	uint32_t sid, flags;
	struct pp_slice name;
	uint64_t offset;
};

struct pp_pyn_edge {
	uint32_t caller, callee, calls;
	uint64_t ticks, sub_ticks;
};

struct pp_pyn_file {
	uint32_t fid;
	struct pp_slice name; /* empty: not given */
};

struct pp_pyn_statement {
	uint32_t fid, line;
	uint64_t ns;
};

struct pp_pyn_doc {
	struct pp_nyt_sniff sniff;
	struct pp_slice comment; /* without '#' */
	struct pp_nyt_settings settings;
	bool has_process;
	uint64_t start_us;
	uint32_t pid, ppid;
	PP_VEC(struct pp_pyn_line) lines;
	PP_VEC(struct pp_pyn_sub) subs;
	PP_VEC(struct pp_pyn_edge) edges;
	PP_VEC(struct pp_pyn_file) files;
	PP_VEC(struct pp_pyn_statement) statements;
	uint64_t rate;
	bool has_end;
	bool damaged; /* something is known to be missing */
	bool usable;  /* at least the banner could be read */
	bool no_memory;
	unsigned char *copy; /* the bytes that slices point into, when the document owns them */
	size_t copy_n;
};

/* Takes all of a file apart. Slices point into it. */
void pp_pyn_doc_parse(struct pp_pyn_doc *, struct pp_slice bytes, struct pp_diags *);
void pp_pyn_doc_release(struct pp_pyn_doc *);
/* Frees a document on the heap; for pp_profile.private_free. */
void pp_pyn_doc_free(void *);

/* ---- chunks.c: the payload of one chunk ---- */

struct pp_pyn_parse {
	struct pp_pyn_doc *doc;
	struct pp_diags *diags;
	const unsigned char *begin; /* of the file */
	bool seen[26];              /* chunk letters */
	uint64_t payload;           /* bytes in chunks */
	bool newline_seen;          /* some payload byte is 0x0a */
	bool order_said;
};

/* A finding at a byte of the file. */
#define PP_PYN_FIND(x, rule, at, ...)                                                              \
	pp_diag_add((x)->diags, &pp_pynytprof_rules[rule],                                         \
	            pp_at_offset((uint64_t)((at) - (x)->begin)), __VA_ARGS__)
/* The same, and something is lost. */
#define PP_PYN_DAMAGE(x, rule, at, ...)                                                            \
	(PP_PYN_FIND(x, rule, at, __VA_ARGS__), (x)->doc->damaged = true)
/* Appends a row to a list of the document. */
#define pp_pyn_push(x, list, ...)                                                                  \
	((x)->doc->no_memory |= !pp_vec_push(&(x)->doc->list, __VA_ARGS__))

/* Honours ticks_per_sec, or says why it cannot. */
void pp_pyn_rate_take(struct pp_pyn_parse *, struct pp_slice value);
void pp_pyn_chunk_take(struct pp_pyn_parse *, unsigned char letter, struct pp_slice payload);
/* Streams of the days when Pynytprof left out lengths, or letters too. */
void pp_pyn_unframed_take(struct pp_pyn_parse *, struct pp_slice rest);
void pp_pyn_tokens_take(struct pp_pyn_parse *, struct pp_slice rest);

#endif
