/*
 * The tables of a report as columns; see output/html.h.
 */
#ifndef PP_HTML_DATA_H
#define PP_HTML_DATA_H

#include "model/flat.h"
#include "model/schema.h"
#include "output/columns.h"
#include "output/html.h"

/* Names longer than this are cut: a viewer shows a line of them at most. */
#define PP_HTML_NAME_MAX 16384

/* What all tables of one report share. */
struct pp_html_data {
	const struct pp_digest *digest;
	const struct pp_html_opts *opts;
	struct pp_flat flat[PP_DIGEST_MAX];
	bool has_flat[PP_DIGEST_MAX];
	struct pp_html_cut *cut;
	struct pp_columns columns;
	struct pp_strtab strs; /* of the report */
	uint32_t *number; /* by function of the digest: its number in the report, 0 = not in it */
	uint32_t *order;  /* the other way round; [0] unused */
	uint32_t numbers;
	/* By frame: its source line's row + 1, 0 = none. NULL where lines are not known by frame. */
	uint32_t *line_of[PP_DIGEST_MAX];
	bool piecewise; /* nodes are numbered, so that more of them can be asked for */
	pp_status status;
};

/* How much of everything there may be. */
struct pp_html_detail {
	double min_share;
	const char *file; /* nothing but its lines; NULL = not so */
	bool functions;   /* nothing but the flat profile, whatever functions weigh: */
	size_t from, to;  /* these rows of it */
	uint64_t moments;
	uint64_t source_bytes; /* of source files */
};

/* Fills `columns` with everything. The digest must be cut. */
pp_status pp_html_data_write(struct pp_html_data *, const struct pp_html_detail *);

void pp_html_data_release(struct pp_html_data *);

/* ---- the parts, for html_*.c ---- */

/* The text as valid UTF-8: U+FFFD for each byte that is none. */
void pp_html_text(struct pp_buf *, struct pp_slice);
/* The number of a text in the report's table of strings. */
uint32_t pp_html_str(struct pp_html_data *, struct pp_slice);
/* That table. */
void pp_html_put_strings(struct pp_html_data *);
/* A cell of a table as the report has it: functions and texts by its own numbers. */
uint32_t pp_html_cell(struct pp_html_data *, size_t k, enum pp_table_id, const struct pp_column *,
                      size_t row);
/* Chooses and numbers the functions that appear anywhere, the most frequent first. */
bool pp_html_number_funcs(struct pp_html_data *, const struct pp_html_detail *);
/* True when a row of the flat profile is heavy enough to be kept, or one of those that are asked for. */
bool pp_html_flat_kept(const struct pp_flat *, size_t row, const struct pp_html_detail *);
void pp_html_put_flat(struct pp_html_data *, const struct pp_html_detail *);
void pp_html_put_edges(struct pp_html_data *, const struct pp_html_detail *);
void pp_html_put_lines(struct pp_html_data *, const struct pp_html_detail *);
void pp_html_put_series(struct pp_html_data *);
void pp_html_put_time(struct pp_html_data *, const struct pp_html_detail *);
void pp_html_put_sources(struct pp_html_data *, const struct pp_html_detail *);
/* The JSON that says what the columns are. */
void pp_html_put_meta(struct pp_html_data *, const struct pp_html_detail *);

#endif
