/*
 * Columns as data: what a listing can show, how it is called, aligned and printed. One field serves
 * the text table and CSV alike.
 */
#ifndef PP_FIELD_H
#define PP_FIELD_H

#include "model/flat.h"
#include "base/buf.h"
#include "output/colour.h"
#include "questions/answer.h"

enum pp_align { PP_LEFT, PP_RIGHT };

enum {
	PP_FIELD_FLEX = 1 << 0 /* may be shortened in its middle */
};

struct pp_field {
	const char *id;    /* the name in CSV */
	const char *title; /* the header in text */
	enum pp_align align;
	unsigned flags;
	unsigned drop; /* 0 = always shown; else the highest goes first when space is short */
	/* Appends the cell for people, safe for a terminal; nothing when unknown. NULL = not in text. */
	void (*show)(const void *data, size_t row, size_t arg, struct pp_buf *);
	/* Appends the exact value for CSV; nothing when unknown. NULL = not in CSV. */
	void (*exact)(const void *data, size_t row, size_t arg, struct pp_buf *);
	/* The cell's ink; NULL = plain. */
	enum pp_ink (*ink)(const void *data, size_t row, size_t arg);
};

/* A field in use. `arg` is the field's own affair, mostly a metric's index. */
struct pp_column {
	const struct pp_field *field;
	size_t arg;
	const char *id;    /* NULL = the field's */
	const char *title; /* NULL = the field's */
	unsigned drop;     /* 0 = the field's */
};

/* The columns of one kind, a field for each metric: "self_NAME". */
struct pp_metric_columns {
	const char *prefix;
	const struct pp_field *field;
};

/*
 * Fills in `kinds` columns for each metric, metric by metric; their names live in *names. False when out of
 * memory.
 */
bool pp_metric_columns(const struct pp_profile *, const struct pp_metric_columns *, size_t kinds,
                       struct pp_buf *names, struct pp_column *);

/* ---- the fields of a flat profile; their data is a struct pp_flat_view, arg a metric ---- */

struct pp_flat_view {
	const struct pp_flat *flat;
	const double *whole; /* per metric */
	double bar_unit;     /* what fills a whole bar, of the metric shown */
	bool by_total;       /* bars and inks go by total cost, not by own cost */
};

extern const struct pp_field pp_field_name, pp_field_place, pp_field_file, pp_field_line,
    pp_field_module, pp_field_calls, pp_field_self, pp_field_self_share, pp_field_bar,
    pp_field_total, pp_field_total_share, pp_field_other_self, pp_field_other_total;

#endif
