/*
 * The tables of a profile as data: their columns, how wide each is and what its numbers refer to. What goes
 * over all tables (carrying, merging, checking) is a loop over this.
 *
 * A row is seen as numbers: one per column, then the cells that belong to it. Numbers that are wider than
 * 63 bits (addresses, sizes) wrap around; 0 refers to nothing.
 */
#ifndef PP_SCHEMA_H
#define PP_SCHEMA_H

#include "model/profile.h"

/* What the numbers of a column refer to. */
enum pp_refers {
	PP_NUMBER, /* nothing */
	PP_FLAGS,  /* nothing: each bit below the bound has a meaning */
	PP_TO_STR,
	PP_TO_MODULE,
	PP_TO_FUNC,
	PP_TO_FRAME,
	PP_TO_NODE,
	PP_TO_METRIC,
	PP_TO_SERIES,
	PP_TO_LABELS,
	PP_TO_EARLIER, /* a row of the same table before this one */
	PP_TO_OWN,     /* such a row, or this one itself */
	PP_REFERS
};

struct pp_column {
	const char *name;
	uint16_t offset;
	uint8_t size; /* 0: the column has no place in the row, see the table */
	bool needed;  /* 0 is no value for it */
	enum pp_refers to;
	uint32_t bound; /* numbers are less than that; 0 = whatever `size` holds */
};

enum pp_table_id {
	PP_TABLE_PROFILE, /* one row: what is true of the whole profile */
	PP_TABLE_MODULES,
	PP_TABLE_FUNCS,
	PP_TABLE_FRAMES,
	PP_TABLE_NODES,
	PP_TABLE_LABELS,
	PP_TABLE_METRICS,
	PP_TABLE_SERIES,
	PP_TABLE_CALLS,
	PP_TABLE_LINES,
	PP_TABLE_META,
	PP_TABLE_EXTRAS,
	PP_TABLE_SOURCES,
	PP_TABLE_NOT_OWN,
	PP_TABLE_FACTS,
	PP_TABLES
};

struct pp_table {
	size_t rows; /* where in the profile its rows are, a PP_VEC */
	size_t row_size;
	uint32_t first; /* row of the first id: 1 where 0 stands for none */
	const struct pp_column *columns;
	size_t n;
	bool cells; /* its rows have cells */
};

extern const struct pp_table pp_schema[PP_TABLES];

#define PP_COLUMNS_MAX 24

/* Rows of a table, those that stand for none included. */
size_t pp_table_rows(const struct pp_profile *, enum pp_table_id);
/* Numbers in a row, its cells included. */
size_t pp_table_width(const struct pp_profile *, enum pp_table_id);
/* The column of that name, which there must be. */
const struct pp_column *pp_table_column(enum pp_table_id, const char *name);
/* The number of one column of a row; not for nodes. */
int64_t pp_table_cell(const struct pp_profile *, enum pp_table_id, size_t row,
                      const struct pp_column *);
/* One of its cells, where it has some. */
int64_t pp_table_number_of(const struct pp_profile *, enum pp_table_id, size_t row, size_t column);
/* A row as numbers. */
void pp_table_get(const struct pp_profile *, enum pp_table_id, size_t row, int64_t *numbers);
/* Whether the numbers could be row `row`: each fits its column, and what it refers to is there. */
bool pp_table_fits(const struct pp_profile *, enum pp_table_id, size_t row, const int64_t *numbers);
/*
 * Finds the metric that one of gains belongs to, m->net: gains stand behind all others, and each of those that fall has one.
 * False where a metric cannot come next.
 */
bool pp_gains_settle(const struct pp_profile *, struct pp_metric *m);
/* Makes a row of the table's type out of numbers that fit. Flags that have no meaning are left out. */
void pp_table_row(enum pp_table_id, const int64_t *numbers, void *row);
/*
 * Appends numbers that fit as a row with its cells; false when out of memory. Not for nodes, metrics and
 * series, which the builder makes.
 */
bool pp_table_append(struct pp_profile *, enum pp_table_id, const int64_t *numbers);

/* Translates what a row refers to: maps[to][id] is the new id. What has no map stays as it is. */
void pp_table_translate(enum pp_table_id, void *row, const uint32_t *const maps[PP_REFERS]);

/* Cells of rows: in each row, metric m of set s is at set[s] + m. */
struct pp_cell_block {
	int64_t **cells;
	size_t *n, *cap;       /* of the cells; NULL where `rows` tells that */
	struct pp_wide **wide; /* instead of the cells, where there are many metrics */
	size_t rows, stride;
	size_t set[2], sets;
};

/* Blocks of cells that a profile has: those of calls, of lines and of each series. */
size_t pp_cell_blocks(const struct pp_profile *);
struct pp_cell_block pp_cell_block(struct pp_profile *, size_t block);
/* Drops the cells of metrics, of which there are n, and rows (NULL = none) whose flag is not set. False when out of memory. */
bool pp_cells_choose(struct pp_cell_block, const bool *metrics, size_t n, const bool *rows);
/* Adds a metric, behind those that are shown or, if it is of gains, behind all; rows become wider. False when out of memory. */
bool pp_profile_widen(struct pp_profile *, const struct pp_metric *);

#endif
