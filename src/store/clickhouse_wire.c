/*
 * Asking ClickHouse over HTTP: SQL there, RowBinary back.
 *
 * What a server's configuration could turn into a smaller number is set for each request: shards that do not answer are
 * errors, limits throw instead of cutting, an error after the first bytes is an error, inserts are written when they
 * are acknowledged. Answers wait in memory until they are complete, as a file would need room on a disk that may be full.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/slice.h"
#include "store/clickhouse.h"

#define SETTINGS                                                                                   \
	"/?wait_end_of_query=1&skip_unavailable_shards=0&max_query_size=1073741824"                \
	"&read_overflow_mode=throw&read_overflow_mode_leaf=throw&result_overflow_mode=throw"       \
	"&group_by_overflow_mode=throw&sort_overflow_mode=throw&set_overflow_mode=throw"           \
	"&join_overflow_mode=throw&distinct_overflow_mode=throw&timeout_overflow_mode=throw"       \
	"&transfer_overflow_mode=throw&limit=0&offset=0&max_ast_elements=100000000"                \
	"&max_expanded_ast_elements=100000000&default_format=RowBinary"                            \
	"&buffer_size=33554432"                                                                    \
	"&async_insert=0&insert_distributed_sync=1&max_partitions_per_insert_block=0&joined_subquery_requires_alias=0"
#define PASSWORD_MAX 4096
/* Bytes of rows that are sent together. */
#define ROWS_WAIT ((size_t)1 << 17)
/* Of an answer. */
#define ANSWER_MAX ((size_t)4 << 30)
/* How long one that is asked whether it answers may take, and how many that do not are named. */
#define AWAY_MS 2000
#define AWAY_MOST 3
/* Bytes of what a server says of an error: where that is all, and where it was said who does not answer. */
#define SAID_ALONE 400
#define SAID_BESIDE 120

/* ---- who asks ---- */

/* The password out of a file, without the newline at its end. */
static pp_status
password_read(const char *path, char *to, struct pp_buf *problem)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, PASSWORD_MAX);
	int error = errno;

	if (fd >= 0)
		close(fd);
	if (n < 0 || n == PASSWORD_MAX) {
		pp_buf_addf(problem, "the file of the password, %s: %s", path,
		            n < 0 ? strerror(error) : "it is too long");
		return PP_E_IO;
	}
	while (n > 0 && (to[n - 1] == '\n' || to[n - 1] == '\r'))
		n--;
	to[n] = '\0';
	return PP_OK;
}

static bool
is_header_text(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

static pp_status
headers_make(struct pp_clickhouse *c, struct pp_buf *problem)
{
	const char *password = secure_getenv("POLYPROF_CLICKHOUSE_PASSWORD");
	const char *file = c->from.password_file
	                       ? c->from.password_file
	                       : secure_getenv("POLYPROF_CLICKHOUSE_PASSWORD_FILE");
	char read[PASSWORD_MAX + 1];
	pp_status status = PP_OK;

	if (file && (c->from.password_file || !password)) {
		status = password_read(file, read, problem);
		password = read;
	}
	if (status == PP_OK && password && !is_header_text(password)) {
		pp_buf_adds(problem, "the password of ClickHouse has control characters in it");
		status = PP_E_USAGE;
	}
	if (status == PP_OK) {
		pp_buf_adds(&c->headers, "Content-Type: application/octet-stream\r\n");
		if (c->from.user)
			pp_buf_addf(&c->headers, "X-ClickHouse-User: %s\r\n", c->from.user);
		if (password)
			pp_buf_addf(&c->headers, "X-ClickHouse-Key: %s\r\n", password);
		status = c->headers.failed ? PP_E_NOMEM : PP_OK;
	}
	explicit_bzero(read, sizeof read);
	return status;
}

pp_status
pp_clickhouse_connect(struct pp_clickhouse *c, struct pp_buf *problem)
{
	const struct pp_http_limits limits = { .connect_ms = 10000,
		                               .silence_ms = (int)c->from.timeout * 1000,
		                               .total_ms = (int)c->from.timeout * 20000,
		                               .answer = ANSWER_MAX };
	pp_status status;

	if (c->from.secure) {
		pp_buf_adds(problem, "this polyprof speaks no TLS: put a proxy that does beside it "
		                     "(docs/store.md), and leave secure=1 out");
		return PP_E_UNSUPPORTED;
	}
	status = headers_make(c, problem);
	for (; status == PP_OK && c->http_count < c->from.host_count; c->http_count++)
		if (!pp_http_init(&c->http[c->http_count], c->from.hosts[c->http_count].host,
		                  c->from.hosts[c->http_count].port, &limits))
			status = PP_E_NOMEM;
	return status;
}

void
pp_clickhouse_disconnect(struct pp_clickhouse *c)
{
	while (c->http_count > 0)
		pp_http_release(&c->http[--c->http_count]);
	if (c->headers.p)
		explicit_bzero(c->headers.p, c->headers.n);
	pp_buf_release(&c->headers);
	pp_buf_release(&c->sql);
	pp_buf_release(&c->answer.body);
}

/* ---- requests ---- */

static void
url_text(struct pp_buf *url, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text, low = c | 0x20;

		if (pp_is_digit(c) || (low >= 'a' && low <= 'z') || c == '_' || c == '-' ||
		    c == '.')
			pp_buf_addc(url, (char)c);
		else
			pp_buf_addf(url, "%%%02X", c);
	}
}

static void
url_make(const struct pp_clickhouse *c, struct pp_buf *url, const char *query)
{
	if (c->bare) {
		pp_buf_adds(url, "/?wait_end_of_query=1&default_format=RowBinary");
		return;
	}
	pp_buf_adds(url, SETTINGS "&database=");
	url_text(url, c->from.database);
	if (query) {
		pp_buf_adds(url, "&query=");
		url_text(url, query);
	}
}

/* What a server says of an error, on one line and without what could disturb a terminal; so many bytes of it. */
static void
server_says(struct pp_buf *problem, const struct pp_http_answer *answer, size_t most)
{
	size_t i, n = answer->body.n < most ? answer->body.n : most;
	bool blank = true;

	for (i = 0; i < n; i++) {
		char c = answer->body.p[i];
		bool is_blank = (unsigned char)c <= ' ' || c == 0x7f;

		if (!is_blank || !blank)
			pp_buf_addc(problem, is_blank ? ' ' : c);
		blank = is_blank;
	}
	if (n == 0)
		pp_buf_addf(problem, "HTTP status %u", answer->status);
}

static void
host_name(const struct pp_http *h, struct pp_buf *problem)
{
	bool six = strchr(h->host, ':') != NULL;

	pp_buf_addf(problem, "ClickHouse at %s%s%s:%s: ", six ? "[" : "", h->host, six ? "]" : "",
	            h->port);
}

/* Whether a server answers at all, be it that it refuses. */
static bool
host_answers(const struct pp_clickhouse *c, size_t host, struct pp_buf *problem)
{
	static const struct pp_http_limits limits = { AWAY_MS, AWAY_MS, AWAY_MS, 65536 };
	struct pp_http_answer answer = { 0 };
	struct pp_http h;
	bool fine = pp_http_init(&h, c->from.hosts[host].host, c->from.hosts[host].port, &limits);

	if (!fine)
		return true;
	fine = pp_http_begin(&h, "/?default_format=RowBinary", c->headers.p ? c->headers.p : "") &&
	       pp_http_put(&h, "SELECT 1", 8) && pp_http_end(&h, &answer);
	if (!fine) {
		host_name(&h, problem);
		pp_buf_addf(problem, "%s; ", h.problem);
	}
	pp_buf_release(&answer.body);
	pp_http_release(&h);
	return fine;
}

/*
 * Says why a server could not answer. It knows others of its cluster by addresses of their own: those that the user named and
 * that do not answer come first, under the names that were given.
 */
static void
server_failed(const struct pp_clickhouse *c, size_t host, struct pp_buf *problem)
{
	size_t i, away = 0;

	for (i = 0; i < c->from.host_count && away < AWAY_MOST; i++)
		away += i != host && !host_answers(c, i, problem);
	host_name(&c->http[host], problem);
	server_says(problem, &c->answer, away ? SAID_BESIDE : SAID_ALONE);
}

static bool
request(struct pp_clickhouse *c, struct pp_http *h, const char *url)
{
	return pp_http_begin(h, url, c->headers.p ? c->headers.p : "") &&
	       pp_http_put(h, c->sql.p, c->sql.n) && pp_http_end(h, &c->answer);
}

pp_status
pp_clickhouse_ask_host(struct pp_clickhouse *c, size_t host, struct pp_buf *problem)
{
	struct pp_http *h = &c->http[host];
	struct pp_buf url = { 0 };
	pp_status status = PP_OK;

	url_make(c, &url, NULL);
	if (url.failed || c->sql.failed) {
		status = PP_E_NOMEM;
	} else if (!request(c, h, url.p)) {
		host_name(h, problem);
		pp_buf_adds(problem, h->problem);
		status = PP_E_IO;
	} else if (c->answer.status != 200) {
		server_failed(c, host, problem);
		status = PP_E_IO;
	}
	c->sql.n = 0;
	c->sql.failed = false;
	pp_buf_release(&url);
	return status;
}

pp_status
pp_clickhouse_ask(struct pp_clickhouse *c, struct pp_buf *problem)
{
	return pp_clickhouse_ask_host(c, c->host, problem);
}

/* ---- inserts ---- */

void
pp_clickhouse_insert_begin(struct pp_clickhouse_insert *in, struct pp_clickhouse *c,
                           const char *table, const char *columns, struct pp_buf *problem)
{
	struct pp_http *h = &c->http[c->host];
	struct pp_buf url = { 0 }, sql = { 0 };

	*in = (struct pp_clickhouse_insert){ .c = c, .problem = problem };
	pp_buf_adds(&sql, "INSERT INTO ");
	pp_clickhouse_table(c, &sql, table);
	pp_buf_addf(&sql, " (%s) FORMAT RowBinary", columns);
	if (!sql.failed)
		url_make(c, &url, sql.p);
	if (sql.failed || url.failed)
		in->status = PP_E_NOMEM;
	else if (!pp_http_begin(h, url.p, c->headers.p ? c->headers.p : ""))
		in->status = PP_E_OUTPUT;
	pp_buf_release(&url);
	pp_buf_release(&sql);
}

/* Sends the rows that wait. */
static void
rows_send(struct pp_clickhouse_insert *in)
{
	if (in->status == PP_OK && in->row.failed)
		in->status = PP_E_NOMEM;
	if (in->status == PP_OK && !pp_http_put(&in->c->http[in->c->host], in->row.p, in->row.n))
		in->status = PP_E_OUTPUT;
	in->row.n = 0;
}

void
pp_clickhouse_row(struct pp_clickhouse_insert *in)
{
	if (in->c && (in->row.n >= ROWS_WAIT || in->row.failed))
		rows_send(in);
	else if (!in->c && in->row.n > in->most)
		in->status = PP_E_LIMIT;
}

pp_status
pp_clickhouse_insert_end(struct pp_clickhouse_insert *in)
{
	struct pp_http *h = &in->c->http[in->c->host];

	if (in->row.n || in->row.failed)
		rows_send(in);
	if (in->status == PP_E_NOMEM && h->fd >= 0) {
		/* What was begun must not be completed. */
		close(h->fd);
		h->fd = -1;
	}
	if (in->status == PP_OK && !pp_http_end(h, &in->c->answer))
		in->status = PP_E_OUTPUT;
	if (in->status == PP_E_OUTPUT) {
		host_name(h, in->problem);
		pp_buf_adds(in->problem, h->problem);
	} else if (in->status == PP_OK && in->c->answer.status != 200) {
		server_failed(in->c, in->c->host, in->problem);
		in->status = PP_E_OUTPUT;
	}
	pp_buf_release(&in->row);
	return in->status;
}

/* ---- SQL ---- */

void
pp_sql_name(struct pp_buf *sql, const char *name)
{
	pp_buf_addc(sql, '`');
	for (; *name; name++) {
		if (*name == '`' || *name == '\\')
			pp_buf_addc(sql, '\\');
		pp_buf_addc(sql, *name);
	}
	pp_buf_addc(sql, '`');
}

void
pp_clickhouse_table(const struct pp_clickhouse *c, struct pp_buf *sql, const char *name)
{
	pp_buf_addf(sql, "%s%s", name, c->from.cluster ? "_d" : "");
}

/* Digits only: no byte of a name can be taken for anything else. */
void
pp_sql_text(struct pp_buf *sql, struct pp_slice text)
{
	static const char digits[] = "0123456789ABCDEF";
	char *to;
	size_t i;

	pp_buf_adds(sql, "unhex('");
	to = pp_buf_room(sql, 2 * text.n);
	for (i = 0; to && i < text.n; i++) {
		to[2 * i] = digits[text.p[i] >> 4];
		to[2 * i + 1] = digits[text.p[i] & 15];
	}
	sql->n += to ? 2 * text.n : 0;
	pp_buf_adds(sql, "')");
}

void
pp_sql_u128(struct pp_buf *sql, pp_u128 value)
{
	char digits[40];
	size_t n = sizeof digits;

	do {
		digits[--n] = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value);
	pp_buf_adds(sql, "toUInt128('");
	pp_buf_add(sql, digits + n, sizeof digits - n);
	pp_buf_adds(sql, "')");
}

/* ---- binary rows ---- */

void
pp_binary_u64(struct pp_buf *b, uint64_t v)
{
	pp_buf_add(b, &v, sizeof v);
}

void
pp_binary_u32(struct pp_buf *b, uint32_t v)
{
	pp_buf_add(b, &v, sizeof v);
}

void
pp_binary_u128(struct pp_buf *b, pp_u128 v)
{
	pp_buf_add(b, &v, sizeof v);
}

void
pp_binary_varint(struct pp_buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		pp_buf_addc(b, (char)(v | 0x80));
	pp_buf_addc(b, (char)v);
}

void
pp_binary_text(struct pp_buf *b, struct pp_slice text)
{
	pp_binary_varint(b, text.n);
	pp_buf_add(b, text.p, text.n);
}

/* The next n bytes; NULL when there are not as many. */
static const unsigned char *
bytes_take(struct pp_row_reader *r, uint64_t n)
{
	const unsigned char *p = r->p;

	if (r->bad || n > (uint64_t)(r->end - r->p)) {
		r->bad = true;
		return NULL;
	}
	r->p += n;
	return p;
}

unsigned
pp_rows_u8(struct pp_row_reader *r)
{
	const unsigned char *p = bytes_take(r, 1);

	return p ? *p : 0;
}

uint32_t
pp_rows_u32(struct pp_row_reader *r)
{
	const unsigned char *p = bytes_take(r, 4);

	return p ? pp_load32(p) : 0;
}

uint64_t
pp_rows_u64(struct pp_row_reader *r)
{
	const unsigned char *p = bytes_take(r, 8);

	return p ? pp_load64(p) : 0;
}

pp_u128
pp_rows_u128(struct pp_row_reader *r)
{
	uint64_t low = pp_rows_u64(r), high = pp_rows_u64(r);

	return (pp_u128)high << 64 | low;
}

uint64_t
pp_rows_varint(struct pp_row_reader *r)
{
	uint64_t v = 0;
	unsigned shift, byte;

	for (shift = 0; shift < 64; shift += 7) {
		byte = pp_rows_u8(r);
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	r->bad = true;
	return 0;
}

struct pp_slice
pp_rows_text(struct pp_row_reader *r)
{
	uint64_t n = pp_rows_varint(r);
	const unsigned char *p = bytes_take(r, n);

	return pp_slice_of(p, p ? (size_t)n : 0);
}

pp_status
pp_rows_end(const struct pp_clickhouse *c, const struct pp_row_reader *r, struct pp_buf *problem)
{
	if (!r->bad && r->p == r->end)
		return PP_OK;
	host_name(&c->http[c->host], problem);
	pp_buf_adds(problem, "its answer does not have the columns that were asked for");
	return PP_E_INVALID;
}

pp_u128
pp_digest_number(const uint8_t digest[PP_STORE_HASH])
{
	return (pp_u128)pp_load64(digest + 8) << 64 | pp_load64(digest);
}

void
pp_digest_of_number(pp_u128 number, uint8_t digest[PP_STORE_HASH])
{
	memcpy(digest, &number, PP_STORE_HASH);
}
