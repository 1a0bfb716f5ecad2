/*
 * What the parts of the ClickHouse engine share: where the servers are, how they are asked, and their binary rows.
 */
#ifndef PP_CLICKHOUSE_H
#define PP_CLICKHOUSE_H

#include "base/vec.h"
#include "store/clickhouse_nodes.h"
#include "store/http_client.h"
#include "store/store.h"

#define PP_CLICKHOUSE_HOSTS 64

/* Whose tables they are. */
enum pp_clickhouse_schema { PP_SCHEMA_OWN, PP_SCHEMA_COROOT, PP_SCHEMA_PARCA };

/* Whether sums are computed by the servers. */
enum pp_clickhouse_push { PP_PUSH_LARGE, PP_PUSH_ALWAYS, PP_PUSH_NEVER };

/* clickhouse://[USER@]HOST[:PORT][,HOST[:PORT]...]/DB[?cluster=C&...] taken apart; all texts are its own. */
struct pp_clickhouse_source {
	struct {
		char *host, *port;
	} hosts[PP_CLICKHOUSE_HOSTS];
	size_t host_count;
	char *user, *database;
	char *cluster; /* or NULL */
	char *password_file;
	bool secure;
	enum pp_clickhouse_schema schema;
	enum pp_clickhouse_push push;
	unsigned timeout;   /* seconds without a byte */
	unsigned keep_days; /* of tables that are made: rows go when they are older; 0 = never */
};

/* PP_OK, PP_E_USAGE with *problem, PP_E_NOMEM. Release it in all cases. */
pp_status pp_clickhouse_source_parse(const char *text, struct pp_clickhouse_source *,
                                     struct pp_buf *problem);
void pp_clickhouse_source_release(struct pp_clickhouse_source *);

/* ---- asking ---- */

/* A profile that was listed and may be loaded next. */
struct pp_clickhouse_listed {
	uint64_t batch, bytes, stacks;
	int64_t t0;
	pp_u128 digest;         /* of its parcel */
	uint64_t extract_bytes; /* as it is kept; 0 = it has none */
	pp_u128 extract_digest;
};

/* What was fetched of several profiles, one behind the other. */
struct pp_clickhouse_fetched {
	struct pp_buf bytes;
	PP_VEC(uint64_t) batches;
	PP_VEC(size_t) ends;
};

/* What is known of the servers that get rows; all 0 where they do not tell. */
struct pp_clickhouse_servers {
	unsigned shards; /* how many share the rows; 0: which server gets what is unknown */
	uint64_t tables; /* tells theirs from others of the same names */
	int64_t begun;   /* s: when the last of them was started */
};

struct pp_clickhouse {
	struct pp_store store;
	struct pp_clickhouse_source from;
	struct pp_buf headers; /* of each request: who asks */
	struct pp_http http[PP_CLICKHOUSE_HOSTS];
	size_t http_count;
	size_t host; /* that is asked: the first that answered */
	struct pp_http_answer answer;
	struct pp_buf sql; /* of the question that is being made */
	bool bare;         /* it asks for no database, and with no setting that old servers lack */
	PP_VEC(struct pp_clickhouse_listed) listed; /* by batch */
	PP_VEC(uint64_t) queue;                     /* batches in the order of the last list */
	struct pp_known_nodes met;
	struct pp_clickhouse_servers servers; /* as they were when they were asked last */
	int64_t asked_servers;                /* then, in ms; 0 = never */
	uint64_t servers_changed;             /* how often they were others than before */
	struct pp_clickhouse_costs
	    *costs;        /* what functions of listed profiles cost; NULL = not asked yet */
	bool has_extracts; /* the tables have room for them */
	bool by_extracts;  /* where there are extracts these are what is asked for at the moment */
	struct pp_clickhouse_fetched inputs, extracts;
};

/* Sets up connections, none of which is made yet. The password is that of the environment or of a file. */
pp_status pp_clickhouse_connect(struct pp_clickhouse *, struct pp_buf *problem);
void pp_clickhouse_disconnect(struct pp_clickhouse *);

/*
 * Asks what is in `sql` and empties that; the answer is in RowBinary. Any host will do where one that does not
 * answer was not asked before. PP_E_IO: no answer, or an error of the server; *problem names who and says what.
 */
pp_status pp_clickhouse_ask(struct pp_clickhouse *, struct pp_buf *problem);
/* The same of one host. */
pp_status pp_clickhouse_ask_host(struct pp_clickhouse *, size_t host, struct pp_buf *problem);

/*
 * Inserts rows: begin, any number of rows into `row`, each followed by pp_clickhouse_row(), end. PP_E_OUTPUT when
 * they were not taken, or only in part.
 */
struct pp_clickhouse_insert {
	struct pp_clickhouse *c;
	struct pp_buf row; /* and those before it that wait to be sent */
	size_t most;       /* where c is NULL: rows are only collected, so many bytes */
	struct pp_buf *problem;
	pp_status status;
};

void pp_clickhouse_insert_begin(struct pp_clickhouse_insert *, struct pp_clickhouse *,
                                const char *table, const char *columns, struct pp_buf *problem);
void pp_clickhouse_row(struct pp_clickhouse_insert *);
pp_status pp_clickhouse_insert_end(struct pp_clickhouse_insert *);

/* A table's name: that of its Distributed twin where there is a cluster. */
void pp_clickhouse_table(const struct pp_clickhouse *, struct pp_buf *sql, const char *name);
/* Bytes as an expression that is safe whatever they are, and a 128-bit number. */
void pp_sql_text(struct pp_buf *sql, struct pp_slice);
void pp_sql_u128(struct pp_buf *sql, pp_u128);
/* A moment, in ns since 1970. */
void pp_sql_time(struct pp_buf *sql, int64_t ns);
/* An identifier in backquotes. */
void pp_sql_name(struct pp_buf *sql, const char *name);

/* ---- binary rows ---- */

void pp_binary_u64(struct pp_buf *, uint64_t);
void pp_binary_u128(struct pp_buf *, pp_u128);
void pp_binary_u32(struct pp_buf *, uint32_t);
void pp_binary_varint(struct pp_buf *, uint64_t);
void pp_binary_text(struct pp_buf *, struct pp_slice);

static inline void
pp_binary_u8(struct pp_buf *b, unsigned v)
{
	pp_buf_addc(b, (char)v);
}

/* An answer that is read from its beginning; `bad` once something did not fit, and all is 0 from there on. */
struct pp_row_reader {
	const unsigned char *p, *end;
	bool bad;
};

static inline struct pp_row_reader
pp_rows_of(const struct pp_clickhouse *c)
{
	const unsigned char *p = (const unsigned char *)c->answer.body.p;

	return (struct pp_row_reader){ p, p ? p + c->answer.body.n : p, false };
}

/* Whether another row follows. */
static inline bool
pp_rows_more(const struct pp_row_reader *r)
{
	return !r->bad && r->p < r->end;
}

unsigned pp_rows_u8(struct pp_row_reader *);
uint32_t pp_rows_u32(struct pp_row_reader *);
uint64_t pp_rows_u64(struct pp_row_reader *);
pp_u128 pp_rows_u128(struct pp_row_reader *);
uint64_t pp_rows_varint(struct pp_row_reader *);
struct pp_slice pp_rows_text(struct pp_row_reader *);
/* PP_OK, or PP_E_INVALID with the reason when the answer did not fit. */
pp_status pp_rows_end(const struct pp_clickhouse *, const struct pp_row_reader *,
                      struct pp_buf *problem);

/* A digest as a number and back. */
pp_u128 pp_digest_number(const uint8_t digest[PP_STORE_HASH]);
void pp_digest_of_number(pp_u128, uint8_t digest[PP_STORE_HASH]);

/* ---- the parts ---- */

static inline struct pp_clickhouse *
pp_clickhouse_of(struct pp_store *store)
{
	return (struct pp_clickhouse *)(void *)store;
}

/* Why a store cannot be changed that others fill. */
pp_status pp_clickhouse_foreign_refuse(const struct pp_clickhouse *, struct pp_buf *problem);
/* What is in the tables of others, in any order; and one of these profiles. */
pp_status pp_clickhouse_foreign_list(struct pp_clickhouse *, const struct pp_selection *,
                                     struct pp_store_list *out, struct pp_buf *problem);
pp_status pp_clickhouse_foreign_load(struct pp_clickhouse *, const struct pp_store_entry *,
                                     struct pp_supply *, struct pp_buf *problem);

/* What is asked, as data. */
enum pp_clickhouse_question {
	PP_SQL_VERSION,
	PP_SQL_COMMENT,
	PP_SQL_SERVERS,
	PP_SQL_KNOWN,
	PP_SQL_SERIES,
	PP_SQL_LIST,
	PP_SQL_LOAD,
	PP_SQL_EXTRACTS,
	PP_SQL_AUDIT,
	PP_SQL_CHECK_ROWS,
	PP_SQL_CHECK_STACKS,
	PP_SQL_CHECK_HASHES,
	PP_SQL_SIZE,
	PP_SQL_SHAPES,
	PP_SQL_SUMS,
	PP_SQL_STACKS,
	PP_SQL_FUNCTIONS,
	PP_SQL_SOME_STACKS,
	PP_SQL_EACH_SHAPE,
	PP_SQL_EACH_NAMES,
	PP_SQL_EACH_COSTS,
	PP_SQL_REMAIN,
	PP_SQL_MEMBERS,
	PP_SQL_COVERED,
	PP_SQL_CHECK_SUMS,
	PP_SQL_TABLE, /* for others */
	PP_SQLS
};

/* Appends a question to c->sql; `$C` in it becomes the condition. */
void pp_clickhouse_put(struct pp_clickhouse *, enum pp_clickhouse_question, const char *condition);
/* How many statements make the tables, and the nth of them. */
size_t pp_clickhouse_ddl_count(const struct pp_clickhouse_source *);
void pp_clickhouse_ddl(const struct pp_clickhouse_source *, size_t nth, struct pp_buf *);
/* Statements that take away what no committed profile has any more, on one host; false past the last. */
bool pp_clickhouse_sweep(size_t nth, struct pp_buf *sql);
/* All SQL that is used, to be read. */
void pp_clickhouse_sql(const char *source, struct pp_buf *);
/* What the comment of the table `profiles` says of an own store. */
#define PP_CLICKHOUSE_COMMENT "polyprof store "
#define PP_CLICKHOUSE_VERSION 3
/* From which one on tables have extracts, and from which one on they can be read. */
#define PP_CLICKHOUSE_EXTRACTS 3
#define PP_CLICKHOUSE_READABLE 2

/* Batches as a condition on rows, with the span of time that they are in. */
void pp_clickhouse_among(struct pp_buf *sql, const struct pp_store_list *);
/* A profile of the last list by its batch; NULL when it is none. */
const struct pp_clickhouse_listed *pp_clickhouse_listed(const struct pp_clickhouse *,
                                                        uint64_t batch);
/* The same condition for some of them, in their order: from the nth on, up to so many. */
void pp_clickhouse_among_queue(struct pp_buf *sql, const struct pp_clickhouse *, size_t nth,
                               size_t n);
/* Whether servers are to add up what was listed. */
bool pp_clickhouse_pushes(const struct pp_clickhouse *);

/* Says what is damaged of a profile, by id and labels. */
void pp_clickhouse_damaged(const struct pp_store_entry *, const char *what, struct pp_buf *problem);
/* The parcel of an entry of the last list, until the next is asked for. */
pp_status pp_clickhouse_parcel(struct pp_clickhouse *, const struct pp_store_entry *,
                               struct pp_slice *parcel, struct pp_buf *problem);
/* The profile of the extract of an entry, supply->profile; PP_E_UNSUPPORTED where it is not there. */
pp_status pp_clickhouse_extract(struct pp_clickhouse *, const struct pp_store_entry *,
                                struct pp_supply *, struct pp_buf *problem);
void pp_clickhouse_fetched_release(struct pp_clickhouse_fetched *);

/* Functions of the engine. */
pp_status pp_clickhouse_load(struct pp_store *, const struct pp_store_entry *, struct pp_supply *,
                             struct pp_buf *problem);
pp_status pp_clickhouse_load_extract(struct pp_store *, const struct pp_store_entry *,
                                     const struct pp_order *, struct pp_supply *,
                                     struct pp_buf *problem);
pp_status pp_clickhouse_add(struct pp_store *, const struct pp_store_item *items, size_t n,
                            enum pp_store_added *added, struct pp_buf *problem);
pp_status pp_clickhouse_take(struct pp_store *, const struct pp_store_item *, void **taken,
                             size_t *bytes);
void pp_clickhouse_drop(void *taken);
pp_status pp_clickhouse_load_all(struct pp_store *, const struct pp_store_list *,
                                 const struct pp_order *, struct pp_profile **out,
                                 struct pp_buf *problem);
/* One profile out of its rows, where these tell all of it; PP_E_UNSUPPORTED where they do not. */
pp_status pp_clickhouse_load_rows(struct pp_clickhouse *, const struct pp_store_entry *,
                                  struct pp_profile **out, struct pp_buf *problem);
pp_status pp_clickhouse_load_costs(struct pp_store *, const struct pp_store_entry *, bool timed,
                                   struct pp_profile **out, struct pp_buf *problem);
/*
 * Whether profiles that were added up are all still there, and so were their rows: who takes profiles away begins with what is asked here.
 * PP_E_INVALID where not.
 */
pp_status pp_clickhouse_remain(struct pp_clickhouse *, const char *condition, size_t n,
                               struct pp_buf *problem);
void pp_clickhouse_costs_free(struct pp_clickhouse_costs *);
pp_status pp_clickhouse_remove(struct pp_store *, const struct pp_store_list *,
                               struct pp_buf *problem);
/* Whether all servers of the cluster were named, so that each can be told. */
pp_status pp_clickhouse_hosts_check(struct pp_clickhouse *, struct pp_buf *problem);
/*
 * Takes profiles away, whatever stands for them: all that was ever written of them, or only the attempts that are named, so that one
 * which is added again meanwhile stays.
 */
pp_status pp_clickhouse_delete(struct pp_clickhouse *, const struct pp_store_entry *, size_t n,
                               bool every_attempt, struct pp_buf *problem);
pp_status pp_clickhouse_compact(struct pp_store *, const struct pp_store_upkeep *,
                                struct pp_store_outcome *, struct pp_buf *problem);
pp_status pp_clickhouse_gc(struct pp_store *, const struct pp_store_upkeep *,
                           struct pp_store_outcome *, struct pp_buf *problem);
pp_status pp_clickhouse_check(struct pp_store *, struct pp_store_outcome *, struct pp_buf *problem);
/* Samples that were promised, and found. */
pp_status pp_clickhouse_audit(struct pp_store *, const struct pp_store_list *, uint64_t *promised,
                              uint64_t *found, struct pp_buf *problem);
uint64_t pp_clickhouse_size(struct pp_store *);

#endif
