/*
 * Fills a store of packed profiles up: each new one has 1,000 of the stacks that its dictionary knows, at random.
 * grow_store STORE PROFILES  makes that many in all, an hour apart within a week, in all series in turn.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/store/seal.h"

enum { STACKS_EACH = 1000 };

static uint64_t state;

static uint64_t
random_next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static int
id_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static unsigned char *
number_put(unsigned char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

static int64_t
number_of(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *q;
	int64_t n = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
		n = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return n;
}

/* Cells of stacks drawn at random, each once. */
static size_t
cells_make(unsigned char *data, uint32_t stacks, char *total, int *n)
{
	uint32_t ids[STACKS_EACH], last = 0;
	unsigned char *p = data;
	uint64_t sum = 0;
	int i;

	for (i = 0; i < STACKS_EACH; i++)
		ids[i] = 1 + (uint32_t)(random_next() % stacks);
	qsort(ids, STACKS_EACH, sizeof *ids, id_cmp);
	for (i = 0, *n = 0; i < STACKS_EACH; i++) {
		uint64_t value = 1 + random_next() % 20;

		if (ids[i] == last)
			continue;
		p = number_put(p, ids[i] - last);
		p = number_put(p, value << 1);
		last = ids[i];
		sum += value;
		++*n;
	}
	sprintf(total, "%llu", (unsigned long long)sum);
	return (size_t)(p - data);
}

/* As SQL: the seal of what the first argument says, over the others. */
static void
seal(sqlite3_context *context, int n, sqlite3_value **values)
{
	uint64_t h = pp_seal_begin((const char *)sqlite3_value_text(values[0]));
	int i;

	for (i = 1; i < n; i++)
		if (sqlite3_value_type(values[i]) == SQLITE_INTEGER)
			pp_seal_number(&h, (uint64_t)sqlite3_value_int64(values[i]));
		else
			pp_seal_bytes(&h, sqlite3_value_blob(values[i]),
			              (size_t)sqlite3_value_bytes(values[i]));
	sqlite3_result_int64(context, pp_seal_end(h));
}

int
main(int argc, char **argv)
{
	static const char *const texts[] = {
		"INSERT INTO profile(id, hash, series, t0, t1, dict, level, complete, format, source, meta, seal) SELECT "
		"?1, ?2, ?3, ?4, ?4 + 10000000000, dict, 1, 1, format, source, meta, seal('profile', ?1, ?2, ?3, ?4, ?4 + "
		"10000000000, 1, format, source, meta) FROM profile WHERE id = ?5",
		"INSERT INTO cells(profile, facet, metric, sub, n, total, seal, data) SELECT ?1, 1, metric, sub, ?6, ?7, "
		"seal('cells', ?1, 1, metric, sub, ?6, ?7, ?8), ?8 FROM cells WHERE profile = ?5",
		"INSERT INTO packed(profile, dict, shape, own, cells, cells_seal, seal) SELECT ?1, dict, shape, own, 1, "
		"c.seal, seal('packed', ?1, dict, shape, own, 1, c.seal) FROM packed p, cells c WHERE p.profile = ?5 AND "
		"c.profile = ?1",
	};
	static unsigned char data[STACKS_EACH * 20];
	int64_t id, model, series, last, wanted;
	sqlite3_stmt *q[3];
	char total[32];
	uint32_t stacks;
	sqlite3 *db;
	int i, n;

	if (argc < 3 || sqlite3_open(argv[1], &db))
		return 1;
	sqlite3_create_function(db, "seal", -1, SQLITE_UTF8, NULL, seal, NULL, NULL);
	wanted = atoll(argv[2]);
	state = 88172645463325252u + (uint64_t)wanted;
	model = number_of(db, "SELECT min(profile) FROM packed");
	series = number_of(db, "SELECT count(*) FROM series");
	stacks = (uint32_t)number_of(db, "SELECT sum(n) FROM dict WHERE part = 't'");
	last = number_of(db, "SELECT max(id) FROM profile");
	sqlite3_exec(db, "PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL);
	for (i = 0; i < 3; i++)
		if (sqlite3_prepare_v2(db, texts[i], -1, &q[i], NULL)) {
			fprintf(stderr, "%s\n", sqlite3_errmsg(db));
			return 1;
		}
	for (id = last + 1; id <= wanted; id++) {
		uint64_t hash[2] = { random_next(), random_next() };
		size_t size = cells_make(data, stacks, total, &n);

		for (i = 0; i < 3; i++) {
			sqlite3_bind_int64(q[i], 1, id);
			sqlite3_bind_int64(q[i], 5, model);
			if (i == 0) {
				sqlite3_bind_blob(q[i], 2, hash, sizeof hash, SQLITE_STATIC);
				sqlite3_bind_int64(q[i], 3, 1 + id % series);
				sqlite3_bind_int64(
				    q[i], 4, (1790000000 + id / series % 168 * 3600) * 1000000000);
			} else if (i == 1) {
				sqlite3_bind_int(q[i], 6, n);
				sqlite3_bind_text(q[i], 7, total, -1, SQLITE_STATIC);
				sqlite3_bind_blob(q[i], 8, data, (int)size, SQLITE_STATIC);
			}
			if (sqlite3_step(q[i]) != SQLITE_DONE) {
				fprintf(stderr, "%s\n", sqlite3_errmsg(db));
				return 1;
			}
			sqlite3_reset(q[i]);
		}
	}
	for (i = 0; i < 3; i++)
		sqlite3_finalize(q[i]);
	sqlite3_exec(db,
	             "UPDATE census SET n = (SELECT count(*) FROM profile) WHERE name = 'profiles'",
	             NULL, NULL, NULL);
	sqlite3_exec(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
	return sqlite3_close(db) != SQLITE_OK;
}
