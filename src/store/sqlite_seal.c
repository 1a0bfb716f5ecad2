/*
 * Seals of rows, and the census of how many there must be.
 */
#include "store/sqlite_seal.h"

#include <stdio.h>
#include <string.h>

#include "store/seal.h"
#include "store/sqlite_packed.h"

/* ---- rows ---- */

static void
number(uint64_t *h, int64_t n)
{
	pp_seal_number(h, (uint64_t)n);
}

static void
bytes(uint64_t *h, struct pp_slice s)
{
	pp_seal_bytes(h, s.p, s.n);
}

int64_t
pp_seal_of_cells(const struct pp_cells_key *key, struct pp_slice data)
{
	uint64_t h = pp_seal_begin("cells");

	number(&h, key->profile);
	number(&h, key->facet);
	number(&h, key->metric);
	number(&h, key->sub);
	number(&h, key->n);
	bytes(&h, key->total);
	bytes(&h, data);
	return pp_seal_end(h);
}

int64_t
pp_seal_of_chunk(int64_t dict, char part, int64_t chunk, int64_t n, struct pp_slice data)
{
	uint64_t h = pp_seal_begin("dict");

	number(&h, dict);
	bytes(&h, pp_slice_of(&part, 1));
	number(&h, chunk);
	number(&h, n);
	bytes(&h, data);
	return pp_seal_end(h);
}

int64_t
pp_seal_of_def(const char *table, struct pp_slice def)
{
	uint64_t h = pp_seal_begin(table);

	bytes(&h, def);
	return pp_seal_end(h);
}

int64_t
pp_seal_of_series(int64_t id, struct pp_slice labels)
{
	uint64_t h = pp_seal_begin("series");

	number(&h, id);
	bytes(&h, labels);
	return pp_seal_end(h);
}

int64_t
pp_seal_of_profile(const struct pp_store_entry *e, int64_t series, struct pp_slice meta)
{
	uint64_t h = pp_seal_begin("profile");

	number(&h, (int64_t)e->id);
	bytes(&h, pp_slice_of(e->hash, PP_STORE_HASH));
	number(&h, series);
	number(&h, e->t0);
	number(&h, e->t1);
	number(&h, e->complete);
	bytes(&h, pp_slice_z(e->format));
	bytes(&h, pp_slice_z(e->source));
	bytes(&h, meta);
	return pp_seal_end(h);
}

int64_t
pp_seal_of_packed(int64_t profile, int64_t dict, int64_t shape, struct pp_slice own,
                  struct pp_cells_tally cells)
{
	uint64_t h = pp_seal_begin("packed");

	number(&h, profile);
	number(&h, dict);
	number(&h, shape);
	bytes(&h, own);
	pp_seal_number(&h, cells.n);
	pp_seal_number(&h, cells.seals);
	return pp_seal_end(h);
}

/* A frame of 8 bytes that decoders of Zstandard skip, so that earlier versions read what is sealed. */
static const unsigned char skipped[8] = { 0x50, 0x2a, 0x4d, 0x18, 8, 0, 0, 0 };

static uint64_t
seal_of_input(struct pp_slice hash, struct pp_slice input)
{
	uint64_t h = pp_seal_begin("original");

	bytes(&h, hash);
	bytes(&h, input);
	return (uint64_t)pp_seal_end(h);
}

void
pp_input_seal(struct pp_slice hash, struct pp_buf *input)
{
	uint64_t seal = seal_of_input(hash, pp_slice_of(input->p, input->n));
	unsigned char digits[8];
	size_t i;

	for (i = 0; i < sizeof digits; i++)
		digits[i] = (unsigned char)(seal >> 8 * i);
	pp_buf_add(input, skipped, sizeof skipped);
	pp_buf_add(input, digits, sizeof digits);
}

bool
pp_input_unseal(struct pp_slice hash, struct pp_slice *input)
{
	const size_t end = sizeof skipped + 8;
	const unsigned char *frame;

	if (input->n < end)
		return true;
	frame = input->p + input->n - end;
	if (memcmp(frame, skipped, sizeof skipped) != 0)
		return true;
	input->n -= end;
	return pp_seal_load(frame + sizeof skipped) == seal_of_input(hash, *input);
}

/* ---- how many ---- */

static pp_status
census_run(struct pp_sqlite *s, const char *sql, const char *name, int64_t n,
           struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(s, sql, problem);

	if (!q)
		return pp_no_statement(problem);
	(void)sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
	if (sqlite3_bind_parameter_count(q) > 1)
		(void)sqlite3_bind_int64(q, 2, n);
	return pp_stored_run(s, q, problem);
}

pp_status
pp_census_add(struct pp_sqlite *s, const char *name, int64_t n, struct pp_buf *problem)
{
	return census_run(s,
	                  "INSERT INTO census(name, n) VALUES(?1, ?2) ON CONFLICT DO UPDATE SET n "
	                  "= n + ?2",
	                  name, n, problem);
}

pp_status
pp_census_read(struct pp_sqlite *s, const char *name, int64_t *n, struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(s, "SELECT n FROM census WHERE name = ?1", problem);
	pp_status status = q ? PP_OK : pp_no_statement(problem);

	*n = 0;
	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
	if (pp_sqlite_step(s, q, &status, problem) > 0)
		*n = sqlite3_column_int64(q, 0);
	(void)sqlite3_reset(q);
	return status;
}

/* What a dictionary is called in the census. */
struct dict_name {
	char text[32];
};

static struct dict_name
dict_name(int64_t dict)
{
	struct dict_name name;

	(void)snprintf(name.text, sizeof name.text, "dict %lld", (long long)dict);
	return name;
}

pp_status
pp_census_chunks_add(struct pp_sqlite *s, int64_t dict, struct pp_buf *problem)
{
	return pp_census_add(s, dict_name(dict).text, 1, problem);
}

pp_status
pp_census_chunks(struct pp_sqlite *s, int64_t dict, int64_t *n, struct pp_buf *problem)
{
	return pp_census_read(s, dict_name(dict).text, n, problem);
}

pp_status
pp_census_chunks_clear(struct pp_sqlite *s, int64_t dict, struct pp_buf *problem)
{
	return census_run(s, "DELETE FROM census WHERE name = ?1", dict_name(dict).text, 0,
	                  problem);
}

pp_status
pp_census_audit(struct pp_sqlite *s, struct pp_buf *problem)
{
	int64_t there = 0, expected = 0;
	/* In the table itself: an index may still have what the table lost. */
	pp_status status = pp_sqlite_number(s, "SELECT count(*) FROM profile NOT INDEXED", &there,
	                                    problem);

	if (status == PP_OK)
		status = pp_census_read(s, PP_CENSUS_PROFILES, &expected, problem);
	if (status != PP_OK || there == expected)
		return status;
	pp_buf_addf(problem, "%s: the store is damaged: it has %lld profiles instead of %lld",
	            s->path, (long long)there, (long long)expected);
	return PP_E_INVALID;
}
