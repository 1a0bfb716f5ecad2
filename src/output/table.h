/*
 * Tables for people and for spreadsheets, from the same columns.
 */
#ifndef PP_TABLE_H
#define PP_TABLE_H

#include "io/sink.h"
#include "output/colour.h"
#include "output/field.h"

struct pp_table {
	const struct pp_column *columns;
	size_t column_count;
	const void *data; /* handed to the fields */
	size_t rows;
};

/*
 * Aligned text. Columns without any content are left out; when the style has a width, optional columns
 * are dropped and flexible ones shortened until it fits.
 */
void pp_table_print(const struct pp_table *, const struct pp_style *, struct pp_sink *);
/* RFC 4180 quoting, one header row, lines end in LF as everywhere on Unix. `tame` makes names safe for a terminal too. */
void pp_table_csv(const struct pp_table *, bool tame, struct pp_sink *);

#endif
