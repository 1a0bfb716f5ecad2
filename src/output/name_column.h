/*
 * Names of one table that are shortened so that no two of them look alike, where that can be avoided.
 */
#ifndef PP_NAME_COLUMN_H
#define PP_NAME_COLUMN_H

#include "base/buf.h"
#include "base/slice.h"
#include "base/vec.h"
#include "text/shorten.h"

/* Longer tables are not looked through: each name is shortened for itself. */
#define PP_NAME_COLUMN_MOST 4096

struct pp_named_row {
	size_t full, full_n;   /* where it lies, and its length */
	size_t shown, shown_n; /* the same of what is shown */
	size_t columns;        /* that it may take */
};

struct pp_name_column {
	struct pp_buf full, shown;
	PP_VEC(struct pp_named_row) rows;
	bool failed;
};

/* The name of the next row, safe for a terminal, and the columns that it may take. */
void pp_name_column_add(struct pp_name_column *, const char *name, size_t n, size_t columns,
                        enum pp_names);
/* When all are there: those that look alike are told apart. */
void pp_name_column_settle(struct pp_name_column *);
/* What is shown in a row. */
struct pp_slice pp_name_column_get(const struct pp_name_column *, size_t row);
void pp_name_column_release(struct pp_name_column *);

#endif
