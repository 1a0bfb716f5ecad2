/*
 * The SQL that ClickHouse is given, as data.
 *
 * `$NAME` is a table: the one on the server that is asked or, with a cluster, its Distributed twin. `$(...$)` is computed on
 * each server of the cluster, of its own tables, `@NAME`: rows of one profile are all on one. `$C` is a condition, `$D` the
 * database, `$N` the cluster's name, `$A` the table of tables, of all servers, and `$E` what is told of extracts.
 * `batch` is an attempt at writing a profile; rows count when a row of `profiles`, which is written last, has their batch.
 */
#include "base/slice.h"
#include "store/clickhouse.h"

/*
 * polyprof 0.1 added old profiles up (store/stored_sum.h). The row of such a sum names its members, which count no more while it is
 * there. `rolls` = 0 tells a program of that version not to add a profile up.
 */
#define SUM_COLUMNS                                                                                \
	"members Array(UInt128), stands_for UInt64 DEFAULT 1, rolls UInt8 DEFAULT 1, "             \
	"added DateTime DEFAULT now()"
#define ADD_SUM_COLUMNS                                                                            \
	" ADD COLUMN IF NOT EXISTS members Array(UInt128), "                                       \
	"ADD COLUMN IF NOT EXISTS stands_for UInt64 DEFAULT 1, "                                   \
	"ADD COLUMN IF NOT EXISTS rolls UInt8 DEFAULT 1, "                                         \
	"ADD COLUMN IF NOT EXISTS added DateTime DEFAULT now()"
/*
 * What was read of a profile whose input is no stacks (store/extract_kept.h), how many bytes that is, and their digest. Columns are
 * read one by one, so it costs nothing where it is not asked for.
 */
#define EXTRACT_COLUMNS                                                                            \
	"extract String CODEC(NONE), extract_bytes UInt64 DEFAULT 0, extract_digest UInt128 DEFAULT 0"
#define ADD_EXTRACT_COLUMNS                                                                        \
	" ADD COLUMN IF NOT EXISTS extract String CODEC(NONE), "                                   \
	"ADD COLUMN IF NOT EXISTS extract_bytes UInt64 DEFAULT 0, "                                \
	"ADD COLUMN IF NOT EXISTS extract_digest UInt128 DEFAULT 0"
/* Profiles that no sum stands for. A sum meets each span of time that a member does, and has its labels. */
#define COUNTS " AND id GLOBAL NOT IN (SELECT arrayJoin(members) FROM $profiles WHERE $C)"

static const struct {
	const char *name, *columns, *engine, *order, *settings;
	bool dated; /* its rows have the time of the profile */
} tables[] = {
	{ "profiles",
	  "id UInt128, batch UInt64, service LowCardinality(String), t0 DateTime64(9,'UTC'), "
	  "t1 DateTime64(9,'UTC'), labels Map(LowCardinality(String),String), series UInt64, "
	  "label_set String CODEC(ZSTD(1)), format LowCardinality(String), source String CODEC(ZSTD(1)), "
	  "complete UInt8, kept UInt8, stacks UInt64, metrics String CODEC(ZSTD(1)), "
	  "shape String CODEC(ZSTD(1)), samples UInt64, events UInt64, rows UInt64, edge_rows UInt64, line_rows UInt64, "
	  "total Map(LowCardinality(String),Int128), bound Map(LowCardinality(String),UInt128), "
	  "parts UInt32, bytes UInt64, digest UInt128, " SUM_COLUMNS ", " EXTRACT_COLUMNS,
	  "ReplacingMergeTree", "(service, t0, id, batch)", NULL, true },
	{ "blobs",
	  "batch UInt64, t0 DateTime64(9,'UTC'), part UInt32, data String CODEC(ZSTD(1)), "
	  "added DateTime DEFAULT now()",
	  "MergeTree", "(batch, part)", "index_granularity=64", true },
	{ "samples",
	  "service LowCardinality(String), metric LowCardinality(String), "
	  "t0 DateTime64(9,'UTC') CODEC(Delta,ZSTD(1)), batch UInt64 CODEC(ZSTD(1)), "
	  "sub LowCardinality(String), stack UInt64 CODEC(ZSTD(1)), value Int64 CODEC(T64,ZSTD(1)), "
	  "added DateTime DEFAULT now() CODEC(Delta,ZSTD(1))",
	  "MergeTree", "(service, metric, t0, batch, stack)", NULL, true },
	{ "stacks",
	  "batch UInt64, id UInt64, check UInt64, seen Date DEFAULT today(), "
	  "leaf LowCardinality(String) CODEC(ZSTD(1)), frames Array(LowCardinality(String)) CODEC(ZSTD(1)), "
	  "lines Array(UInt32) CODEC(ZSTD(1)), places Array(LowCardinality(String)) CODEC(ZSTD(1)), "
	  "path Array(UInt64) CODEC(ZSTD(1)), "
	  "funcs Array(LowCardinality(String)) MATERIALIZED arrayDistinct(frames) CODEC(ZSTD(1))",
	  "ReplacingMergeTree(seen)", "(frames, id)", NULL, false },
	{ "edges",
	  "service LowCardinality(String), metric LowCardinality(String), "
	  "t0 DateTime64(9,'UTC') CODEC(Delta,ZSTD(1)), batch UInt64 CODEC(ZSTD(1)), "
	  "caller LowCardinality(String), callee LowCardinality(String), site_file LowCardinality(String), "
	  "site_line UInt32, calls UInt64, total Int64, own Int64, "
	  "added DateTime DEFAULT now() CODEC(Delta,ZSTD(1))",
	  "MergeTree", "(service, metric, t0, batch, callee, caller)", NULL, true },
	{ "lines",
	  "service LowCardinality(String), metric LowCardinality(String), "
	  "t0 DateTime64(9,'UTC') CODEC(Delta,ZSTD(1)), batch UInt64 CODEC(ZSTD(1)), "
	  "func LowCardinality(String), file LowCardinality(String), line UInt32, hits UInt64, value Int64, "
	  "added DateTime DEFAULT now() CODEC(Delta,ZSTD(1))",
	  "MergeTree", "(service, metric, t0, batch, file, line)", NULL, true },
};

/* What brings tables of versions 1 and 2 up to date, on each server; nothing where they are. */
static const char *const upgrades[] = {
	"ALTER TABLE @profiles" ADD_SUM_COLUMNS "," ADD_EXTRACT_COLUMNS,
	"ALTER TABLE $profiles" ADD_SUM_COLUMNS "," ADD_EXTRACT_COLUMNS,
	/* Last: from here on programs of these versions keep away. */
	"ALTER TABLE @profiles MODIFY COMMENT '" PP_CLICKHOUSE_COMMENT "3'",
};

static const struct {
	const char *what, *sql;
} questions[PP_SQLS] = {
	[PP_SQL_VERSION] = { "which server it is", "SELECT version()" },
	[PP_SQL_COMMENT] = { "whether the tables are polyprof's",
	                     "SELECT any(comment), any(name) FROM system.tables WHERE database = $D "
	                     "AND name = 'profiles'" },
	[PP_SQL_SERVERS] = { "whether the servers still have what they were sent: how many share the rows, their weights, which tables they "
	                     "have, and when the last of them was started",
	                     "SELECT n, least, most, t, begun FROM (SELECT count() n, toUInt64(min(w)) least, toUInt64(max(w)) most FROM "
	                     "(SELECT shard_num, any(shard_weight) w FROM system.clusters WHERE cluster = $N GROUP BY shard_num)) c\n"
	                     "CROSS JOIN (SELECT sum(sipHash64(toString(uuid))) t, max(toInt64(toUnixTimestamp(now())) - toInt64(uptime())) begun "
	                     "FROM $A WHERE database = $D AND name = 'stacks') s SETTINGS skip_unavailable_shards = 1" },
	[PP_SQL_KNOWN] = { "which profiles are there already, or in a sum",
	                   "SELECT DISTINCT id FROM (SELECT id FROM $profiles WHERE $C UNION ALL "
	                   "SELECT arrayJoin(members) id FROM $profiles WHERE notEmpty(members)) WHERE $C" },
	[PP_SQL_SERIES] = { "which labels there are: --where is tried on each set of them",
	                    "SELECT DISTINCT series, label_set FROM $profiles WHERE $C" },
	[PP_SQL_LIST] = { "which profiles there are, of attempts that were committed twice the first",
	                  "SELECT id, batch, series, label_set, t0, t1, format, source, complete, kept, bytes, stacks, "
	                  "metrics, digest, stands_for, notEmpty(members), $E FROM $profiles WHERE $C" COUNTS
	                  " ORDER BY id, batch LIMIT 1 BY id" },
	[PP_SQL_LOAD] = { "what profiles were read from",
	                  "SELECT batch, part, data FROM $blobs WHERE $C ORDER BY batch, part" },
	[PP_SQL_EXTRACTS] = { "what was read of them, where that is kept; whoever asks for more reads the input",
	                      "SELECT batch, toUInt32(0) part, extract FROM $profiles WHERE $C ORDER BY batch LIMIT 1 BY batch" },
	[PP_SQL_AUDIT] = { "whether what was promised is there: rows and totals as committed, and as found",
	                   "SELECT 0 kind, '' m, toUInt64(sum(rows)), toInt128(0) FROM $profiles WHERE $C\n"
	                   "UNION ALL SELECT 1, tupleElement(kv, 1), toUInt64(0), sum(tupleElement(kv, 2)) FROM "
	                   "(SELECT arrayJoin(arrayZip(mapKeys(total), mapValues(total))) kv FROM $profiles WHERE $C) "
	                   "GROUP BY tupleElement(kv, 1)\n"
	                   "UNION ALL SELECT 2, toString(metric), count(), sum(toInt128(value)) FROM $samples WHERE $C "
	                   "GROUP BY metric\n"
	                   "UNION ALL SELECT 3, '', toUInt64(sum(parts)), toInt128(0) FROM $profiles WHERE $C\n"
	                   "UNION ALL SELECT 4, '', count(), toInt128(0) FROM $blobs WHERE $C" },
	[PP_SQL_CHECK_ROWS] = { "of which profiles rows are missing",
	                        "SELECT batch, sum(p), sum(n) FROM (\n"
	                        "  SELECT batch, rows + edge_rows + line_rows + parts p, toUInt64(0) n FROM $profiles\n"
	                        "  UNION ALL SELECT batch, toUInt64(0), count() FROM $samples GROUP BY batch\n"
	                        "  UNION ALL SELECT batch, toUInt64(0), count() FROM $edges GROUP BY batch\n"
	                        "  UNION ALL SELECT batch, toUInt64(0), count() FROM $lines GROUP BY batch\n"
	                        "  UNION ALL SELECT batch, toUInt64(0), count() FROM $blobs GROUP BY batch)\n"
	                        "GROUP BY batch HAVING sum(p) > 0 AND sum(p) != sum(n) ORDER BY batch LIMIT 100" },
	[PP_SQL_CHECK_STACKS] = { "which stacks of samples are not there",
	                          "SELECT sum(n) FROM $(SELECT count() n FROM (SELECT DISTINCT stack FROM @samples WHERE "
	                          "batch IN (SELECT batch FROM @profiles)) WHERE stack != 0 AND stack NOT IN (SELECT id FROM @stacks)$)" },
	[PP_SQL_CHECK_HASHES] = { "which stacks have the same short hash",
	                          "SELECT count() FROM (SELECT id FROM $stacks GROUP BY id HAVING uniqExact(check) > 1)" },
	[PP_SQL_SIZE] = { "how much room the tables take",
	                  "SELECT toUInt64(sum(bytes_on_disk)) FROM system.parts WHERE active AND database = "
	                  "currentDatabase()" },
	[PP_SQL_SHAPES] = { "whether all selected profiles have the same metrics and are nothing but stacks, so that the "
	                    "servers may add them up; and how large sums may get",
	                    "SELECT shape, count(), min(complete), sum(samples), sum(events), sum(b), sum(rows) FROM (\n"
	                    "  SELECT shape, complete, samples, events, rows, "
	                    "arrayMax(arrayConcat(mapValues(bound), [toUInt128(0)])) b FROM $profiles WHERE $C)\n"
	                    "GROUP BY shape LIMIT 2" },
	[PP_SQL_SUMS] = { "what each stack costs in all of them",
	                  "SELECT stack, metric, sum(value) FROM $samples WHERE $C GROUP BY stack, metric ORDER BY stack" },
	[PP_SQL_STACKS] = { "what these stacks are",
	                    "SELECT id, check, frames, lines, places FROM $(SELECT id, check, frames, lines, places "
	                    "FROM @stacks WHERE id IN (SELECT stack FROM @samples WHERE $C) ORDER BY id, check "
	                    "LIMIT 1 BY id, check$) ORDER BY id, check" },
	[PP_SQL_FUNCTIONS] = { "what each function costs itself and in all: recursion counts once; and whether stacks are missing (2), or share "
	                       "a short hash (1)",
	                       "SELECT metric, f, sum(s), sum(t), max(d) FROM $(SELECT metric, f, sum(if(f = leaf, v, 0)) s, sum(v) t, max(d) d "
	                       "FROM (SELECT metric, leaf, funcs, v, multiIf(k.id = 0, 2, k.n > 1, 1, 0) d FROM (SELECT stack, metric, sum(value) v "
	                       "FROM @samples WHERE $C GROUP BY stack, metric) x LEFT JOIN (SELECT id, any(leaf) leaf, any(funcs) funcs, "
	                       "uniqExact(check) n FROM @stacks WHERE id IN (SELECT stack FROM @samples WHERE $C) GROUP BY id) k "
	                       "ON x.stack = k.id) LEFT ARRAY JOIN funcs AS f GROUP BY metric, f$) GROUP BY metric, f ORDER BY f" },
	[PP_SQL_EACH_SHAPE] = { "for comparisons and trends: which profiles are nothing but stacks, so that the servers may add up what functions cost in each",
	                        "SELECT batch, shape, complete, samples, events, arrayMax(arrayConcat(mapValues(bound), [toUInt128(0)])), "
	                        "total FROM $profiles WHERE $C ORDER BY batch LIMIT 1 BY batch" },
	[PP_SQL_EACH_NAMES] = { "which functions are in any of them; their hashes stand for them below",
	                        "SELECT DISTINCT sipHash64(f), f FROM $(SELECT DISTINCT arrayJoin(funcs) f FROM @stacks "
	                        "WHERE id IN (SELECT stack FROM @samples WHERE $C)$) ORDER BY f" },
	[PP_SQL_EACH_COSTS] = { "what each function costs itself and in all in each profile; doubts as above",
	                        "SELECT batch, metric, groupArray((h, s, t)), max(d) FROM $(SELECT batch, metric, sipHash64(f) h, "
	                        "sum(if(f = leaf, v, 0)) s, sum(v) t, max(d) d FROM (SELECT batch, metric, leaf, funcs, v, "
	                        "multiIf(k.id = 0, 2, k.n > 1, 1, 0) d FROM (SELECT batch, stack, metric, sum(value) v FROM @samples WHERE $C "
	                        "GROUP BY batch, stack, metric) x LEFT JOIN (SELECT id, any(leaf) leaf, any(funcs) funcs, "
	                        "uniqExact(check) n FROM @stacks WHERE id IN (SELECT stack FROM @samples WHERE $C) GROUP BY id) k "
	                        "ON x.stack = k.id) LEFT ARRAY JOIN funcs AS f GROUP BY batch, metric, f$) GROUP BY batch, metric ORDER BY batch" },
	[PP_SQL_REMAIN] = { "how many of those that were added up are still there, as whoever takes profiles away begins with this table; and what they "
	                    "cost in all",
	                    "SELECT 0 kind, '' m, toInt128(uniqExact(batch)) FROM $profiles WHERE $C\n"
	                    "UNION ALL SELECT 1, toString(tupleElement(kv, 1)), sum(tupleElement(kv, 2)) FROM "
	                    "(SELECT arrayJoin(arrayZip(mapKeys(total), mapValues(total))) kv FROM $profiles WHERE $C) "
	                    "GROUP BY tupleElement(kv, 1)" },
	[PP_SQL_MEMBERS] = { "which profiles a sum stands for",
	                     "SELECT id, any(members) FROM $profiles WHERE $C GROUP BY id" },
	[PP_SQL_COVERED] = { "which profiles a sum stands for, so that no question needs them",
	                     "SELECT DISTINCT id, batch FROM $profiles WHERE id GLOBAL IN (SELECT arrayJoin(members) FROM $profiles "
	                     "WHERE added < now() - INTERVAL 1 HOUR)" },
	[PP_SQL_CHECK_SUMS] = { "which profiles are in two sums that count",
	                        "SELECT count() FROM (SELECT arrayJoin(those) m FROM (SELECT id, any(members) those FROM $profiles "
	                        "WHERE notEmpty(members) AND id GLOBAL NOT IN (SELECT arrayJoin(members) FROM $profiles) GROUP BY id) "
	                        "GROUP BY m HAVING count() > 1)" },
	[PP_SQL_TABLE] = { "all samples as one table for other programs, for instance with FORMAT Parquet behind it",
	                   "SELECT p.labels, p.t0, p.t1, s.metric, k.frames, s.value FROM $samples s\n"
	                   "GLOBAL INNER JOIN (SELECT min(batch) b, any(labels) labels, any(t0) t0, any(t1) t1 FROM $profiles "
	                   "WHERE id GLOBAL NOT IN (SELECT arrayJoin(members) FROM $profiles) GROUP BY id) p ON s.batch = p.b\n"
	                   "GLOBAL INNER JOIN (SELECT id, any(frames) frames FROM $stacks GROUP BY id) k ON s.stack = k.id" },
	[PP_SQL_SOME_STACKS] = { "what some stacks are, with --max-nodes",
	                         "SELECT id, check, frames, lines, places FROM $stacks WHERE id IN ($C) ORDER BY id, check" },
};

/* What no committed profile has. An attempt may be under way: only what was written more than a day ago goes. */
static const char *const sweeps[] = {
	"ALTER TABLE samples DELETE WHERE added < now() - INTERVAL 1 DAY AND batch NOT IN (SELECT batch FROM profiles) "
	"SETTINGS mutations_sync = 2",
	"ALTER TABLE edges DELETE WHERE added < now() - INTERVAL 1 DAY AND batch NOT IN (SELECT batch FROM profiles) "
	"SETTINGS mutations_sync = 2",
	"ALTER TABLE lines DELETE WHERE added < now() - INTERVAL 1 DAY AND batch NOT IN (SELECT batch FROM profiles) "
	"SETTINGS mutations_sync = 2",
	"ALTER TABLE blobs DELETE WHERE added < now() - INTERVAL 1 DAY AND batch NOT IN (SELECT batch FROM profiles) "
	"SETTINGS mutations_sync = 2",
	"ALTER TABLE stacks DELETE WHERE seen < today() - 1 AND id NOT IN (SELECT stack FROM samples) "
	"SETTINGS mutations_sync = 2",
};

/* A text in single quotes, for where no expression may stand. */
static void
literal_put(struct pp_buf *sql, const char *text)
{
	pp_buf_addc(sql, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			pp_buf_addc(sql, '\\');
		pp_buf_addc(sql, *text);
	}
	pp_buf_addc(sql, '\'');
}

/* A table of the database, whichever the server takes for granted. */
static size_t
table_put(struct pp_buf *sql, const struct pp_clickhouse_source *s, const char *name, bool here)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz");

	pp_sql_name(sql, s->database);
	pp_buf_addc(sql, '.');
	pp_buf_add(sql, name, n);
	pp_buf_adds(sql, here || !s->cluster ? "" : "_d");
	return n;
}

/* What is computed on each server of a cluster: with its first argument in place, unlike a subquery. */
static void
cluster_put(struct pp_buf *sql, const char *function, const char *cluster)
{
	pp_buf_adds(sql, function);
	pp_buf_addc(sql, '(');
	literal_put(sql, cluster);
	pp_buf_adds(sql, ", ");
}

/* A text whose tables have their names, and whose conditions are there. Without extracts there are no columns for them. */
static void
template_put(struct pp_buf *sql, const char *text, const struct pp_clickhouse_source *s,
             const char *condition, bool extracts)
{
	const char *p;

	for (p = text; *p; p++) {
		if (*p == '@') {
			p += table_put(sql, s, p + 1, true);
		} else if (*p != '$') {
			pp_buf_addc(sql, *p);
		} else if (*++p == 'C') {
			pp_buf_adds(sql, condition);
		} else if (*p == 'E') {
			pp_buf_adds(sql, extracts ? "extract_bytes, extract_digest"
			                          : "toUInt64(0), toUInt128(0)");
		} else if (*p == 'D') {
			pp_sql_text(sql, pp_slice_z(s->database));
		} else if (*p == 'N') {
			pp_sql_text(sql, pp_slice_z(s->cluster ? s->cluster : ""));
		} else if (*p == 'A') {
			if (s->cluster)
				cluster_put(sql, "clusterAllReplicas", s->cluster);
			pp_buf_adds(sql, s->cluster ? "system.tables)" : "system.tables");
		} else if (*p == '(') {
			if (s->cluster)
				cluster_put(sql, "cluster", s->cluster);
			pp_buf_adds(sql, s->cluster ? "view(" : "(");
		} else if (*p == ')') {
			pp_buf_adds(sql, s->cluster ? "))" : ")");
		} else {
			p += table_put(sql, s, p, false) - 1;
		}
	}
}

void
pp_clickhouse_put(struct pp_clickhouse *c, enum pp_clickhouse_question question,
                  const char *condition)
{
	template_put(&c->sql, questions[question].sql, &c->from, condition, c->has_extracts);
}

size_t
pp_clickhouse_ddl_count(const struct pp_clickhouse_source *s)
{
	return 1 + PP_COUNT_OF(tables) * (s->cluster ? 2 : 1) + PP_COUNT_OF(upgrades);
}

static void
table_ddl(const struct pp_clickhouse_source *s, size_t t, struct pp_buf *sql)
{
	pp_buf_adds(sql, "CREATE TABLE IF NOT EXISTS ");
	pp_sql_name(sql, s->database);
	pp_buf_addf(sql, ".%s (%s)\nENGINE = %s%s ORDER BY %s", tables[t].name, tables[t].columns,
	            tables[t].engine, tables[t].dated ? " PARTITION BY toYYYYMMDD(t0)" : "",
	            tables[t].order);
	if (s->keep_days && tables[t].dated)
		pp_buf_addf(sql, " TTL toDateTime(t0) + INTERVAL %u DAY", s->keep_days);
	if (tables[t].settings || (s->keep_days && tables[t].dated))
		pp_buf_addf(sql, " SETTINGS %s%s%s", tables[t].settings ? tables[t].settings : "",
		            tables[t].settings && s->keep_days && tables[t].dated ? ", " : "",
		            s->keep_days && tables[t].dated ? "ttl_only_drop_parts=1" : "");
	if (t == 0)
		pp_buf_addf(sql, " COMMENT '" PP_CLICKHOUSE_COMMENT "%d'", PP_CLICKHOUSE_VERSION);
}

void
pp_clickhouse_ddl(const struct pp_clickhouse_source *s, size_t nth, struct pp_buf *sql)
{
	size_t t = nth - 1 - (nth > PP_COUNT_OF(tables) ? PP_COUNT_OF(tables) : 0);
	size_t upgrade = nth + PP_COUNT_OF(upgrades) - pp_clickhouse_ddl_count(s);

	if (nth >= pp_clickhouse_ddl_count(s) - PP_COUNT_OF(upgrades)) {
		template_put(sql, upgrades[upgrade], s, "", true);
	} else if (nth == 0) {
		pp_buf_adds(sql, "CREATE DATABASE IF NOT EXISTS ");
		pp_sql_name(sql, s->database);
	} else if (nth <= PP_COUNT_OF(tables)) {
		table_ddl(s, t, sql);
	} else {
		pp_buf_adds(sql, "CREATE TABLE IF NOT EXISTS ");
		pp_sql_name(sql, s->database);
		pp_buf_addf(sql, ".%s_d AS ", tables[t].name);
		pp_sql_name(sql, s->database);
		pp_buf_addf(sql, ".%s ENGINE = Distributed(", tables[t].name);
		literal_put(sql, s->cluster);
		pp_buf_adds(sql, ", ");
		literal_put(sql, s->database);
		pp_buf_addf(sql, ", %s, bitShiftRight(batch, 32))", tables[t].name);
	}
}

bool
pp_clickhouse_sweep(size_t nth, struct pp_buf *sql)
{
	if (nth >= PP_COUNT_OF(sweeps))
		return false;
	pp_buf_adds(sql, sweeps[nth]);
	return true;
}

void
pp_clickhouse_sql(const char *source, struct pp_buf *out)
{
	struct pp_clickhouse_source s;
	struct pp_buf problem = { 0 };
	size_t i;

	if (pp_clickhouse_source_parse(source, &s, &problem) == PP_OK) {
		pp_buf_adds(out, "-- the tables, on each server\n");
		for (i = 0; i < pp_clickhouse_ddl_count(&s); i++) {
			pp_clickhouse_ddl(&s, i, out);
			pp_buf_adds(out, ";\n");
		}
		for (i = 0; i < PP_COUNT_OF(questions); i++) {
			pp_buf_addf(out, "\n-- %s\n", questions[i].what);
			template_put(out, questions[i].sql, &s, "t0 BETWEEN ... AND batch IN (...)",
			             true);
			pp_buf_adds(out, ";\n");
		}
		pp_buf_adds(out, "\n-- what `store gc` takes away, on each server\n");
		for (i = 0; i < PP_COUNT_OF(sweeps); i++)
			pp_buf_addf(out, "%s;\n", sweeps[i]);
	}
	pp_buf_release(&problem);
	pp_clickhouse_source_release(&s);
}
