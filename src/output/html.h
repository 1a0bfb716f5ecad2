/*
 * A report: one HTML file with the viewer and the data of one or two profiles in it, that needs nothing
 * else and may load nothing.
 */
#ifndef PP_HTML_H
#define PP_HTML_H

#include "analysis/digest.h"
#include "io/sink.h"

/* What had to be left out so that the file stays within its size; all 0 when nothing was. */
struct pp_html_cut {
	double min_share;    /* share of the whole below which stacks are summed up */
	uint64_t nodes;      /* nodes of the tree that are only part of a sum */
	uint64_t funcs;      /* rows of the flat profile summed up */
	uint64_t edges;      /* calls left out */
	uint64_t lines;      /* source lines left out */
	uint64_t sources;    /* source files left out */
	uint64_t names;      /* names cut because of their length */
	uint64_t resolution; /* ns within which the order of time is not kept */
};

/* False when the program was built without the viewer. */
bool pp_html_possible(void);

/*
 * Writes the report. PP_E_UNSUPPORTED without a viewer; PP_E_LIMIT when even the viewer with the
 * heaviest names exceeds max_size; failures of the sink stay in the sink.
 */
pp_status pp_html_report(struct pp_sink *, const struct pp_profile *const *profiles, size_t n,
                         const struct pp_html_opts *, struct pp_html_cut *);

/*
 * The same tables for a viewer that asks for them piece by piece, packed: first the heavy part of everything, then what
 * lies below single nodes. The profiles and options must outlive them.
 */
struct pp_html_tables;

/* What is asked for. */
struct pp_html_piece {
	uint64_t at;       /* below which node, as "tree.node" numbers them; 0 = everything */
	uint32_t nodes;    /* about how many of them, at most */
	uint64_t max_size; /* bytes of the answer */
	bool functions;    /* instead, the flat profile by name, */
	uint64_t from;     /* from this row on, as much as fits; "functionsTo" tells the next one */
	const char *file;  /* instead, the lines of this file; NULL = not so */
};

/* PP_E_NOMEM, PP_E_LIMIT. */
pp_status pp_html_tables_new(const struct pp_profile *const *profiles, size_t n,
                             const struct pp_html_opts *, struct pp_html_tables **);
/* PP_E_USAGE: there is no such node; PP_E_LIMIT: even the heaviest names exceed the size. */
pp_status pp_html_tables_put(struct pp_html_tables *, const struct pp_html_piece *,
                             struct pp_sink *);
void pp_html_tables_free(struct pp_html_tables *);

#endif
