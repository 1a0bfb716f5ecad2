/*
 * The file of a store: recognised, made, opened, closed. Internal to src/store.
 */
#ifndef PP_STORE_SQLITE_OPEN_H
#define PP_STORE_SQLITE_OPEN_H

#include "store/sqlite.h"

/* The tables as they are made. */
extern const char pp_sqlite_schema[];

bool pp_sqlite_mine(const char *source);
pp_status pp_sqlite_open(const char *source, enum pp_store_mode, struct pp_store **out,
                         struct pp_buf *problem);
void pp_sqlite_close(struct pp_store *);

#endif
