/*
 * What tells damaged rows of a store of SQLite: each row has a seal over its columns, and how many rows there must be is
 * kept apart from them. Internal to src/store.
 *
 *     series    id, labels
 *     profile   id, hash, series, t0, t1, complete, format, source, meta
 *     original  hash of its profile, data; behind the data, as a frame that decoders of Zstandard skip
 *     packed    profile, dict, shape, own, cells, cells_seal
 *     cells     profile, facet, metric, sub, n, total, data
 *     dict      dict, part, chunk, n, data
 *     metric, sub, shape    def
 *
 * `packed` says how many rows of cells a profile has, and the sum of their seals (modulo 2^64); `census` how many profiles there
 * are, and chunks of each dictionary.
 */
#ifndef PP_SQLITE_SEAL_H
#define PP_SQLITE_SEAL_H

#include "store/sqlite.h"

/* ---- rows ---- */

/* A row of cells but for its data. */
struct pp_cells_key {
	int64_t profile, facet, metric, sub, n;
	struct pp_slice total; /* in decimal digits */
};

int64_t pp_seal_of_cells(const struct pp_cells_key *, struct pp_slice data);
int64_t pp_seal_of_chunk(int64_t dict, char part, int64_t chunk, int64_t n, struct pp_slice data);
int64_t pp_seal_of_def(const char *table, struct pp_slice def);
int64_t pp_seal_of_series(int64_t id, struct pp_slice labels);
/* Of an entry all but its series and meta, which are the engine's own. */
int64_t pp_seal_of_profile(const struct pp_store_entry *, int64_t series, struct pp_slice meta);

/* The rows of cells of a profile: how many, and the sum of their seals. */
struct pp_cells_tally {
	uint64_t n, seals;
};

static inline void
pp_tally_add(struct pp_cells_tally *tally, int64_t seal)
{
	tally->n++;
	tally->seals += (uint64_t)seal;
}

static inline bool
pp_tallies_equal(struct pp_cells_tally a, struct pp_cells_tally b)
{
	return a.n == b.n && a.seals == b.seals;
}

int64_t pp_seal_of_packed(int64_t profile, int64_t dict, int64_t shape, struct pp_slice own,
                          struct pp_cells_tally);

/* Seals the input of the profile of a hash. */
void pp_input_seal(struct pp_slice hash, struct pp_buf *input);
/* Takes the seal off; false when it is that of another. Inputs of earlier versions have none. */
bool pp_input_unseal(struct pp_slice hash, struct pp_slice *input);

/* ---- how many ---- */

/* Names of what the census counts: this, and dictionaries by number. */
#define PP_CENSUS_PROFILES "profiles"

/* Adds to a number; from within the transaction that makes it true. */
pp_status pp_census_add(struct pp_sqlite *, const char *name, int64_t n, struct pp_buf *problem);
/* The number; 0 when there is none. */
pp_status pp_census_read(struct pp_sqlite *, const char *name, int64_t *n, struct pp_buf *problem);
/* The same for the chunks of a dictionary; pp_census_clear() when it is gone. */
pp_status pp_census_chunks_add(struct pp_sqlite *, int64_t dict, struct pp_buf *problem);
pp_status pp_census_chunks(struct pp_sqlite *, int64_t dict, int64_t *n, struct pp_buf *problem);
pp_status pp_census_chunks_clear(struct pp_sqlite *, int64_t dict, struct pp_buf *problem);
/* Whether there are as many profiles as there must be; PP_E_INVALID. */
pp_status pp_census_audit(struct pp_sqlite *, struct pp_buf *problem);

#endif
