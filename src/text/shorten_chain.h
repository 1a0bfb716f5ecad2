/*
 * How pp_name_shorten() shortens names that share a line, each of which calls the next.
 */
#ifndef PP_SHORTEN_CHAIN_H
#define PP_SHORTEN_CHAIN_H

#include "base/buf.h"

/* A chain needs more columns than that; in fewer, only its last name is shown. */
#define PP_CHAIN_LEAST 24

/* Returns where a file in brackets begins, as in "main (app.c)", or n. */
size_t pp_name_place(const char *name, size_t n);

bool pp_chain_leads_back(const char *chain, size_t n);
/*
 * The last name, the first, which tells this line from its neighbours, and as many of those before the last as there is
 * room for, each with its class at most.
 */
size_t pp_chain_shorten(struct pp_buf *out, const char *chain, size_t last, size_t n,
                        size_t columns);
/* The same of a chain that leads back. */
size_t pp_chain_shorten_back(struct pp_buf *out, const char *chain, size_t n, size_t columns);

#endif
