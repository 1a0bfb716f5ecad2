/*
 * Sources of the form clickhouse://[USER@]HOST[:PORT][,HOST[:PORT]...]/DB[?cluster=C&secure=1&schema=own|coroot|parca&...]
 *
 * Passwords have no place in it: sources are shown, logged and kept in histories of shells.
 */
#include "base/slice.h"
#include "store/clickhouse.h"

#define PREFIX "clickhouse://"
#define DEFAULT_PORT "8123"
#define DEFAULT_TIMEOUT 300
#define MAX_TIMEOUT 86400
#define MAX_DAYS 36500

static int
hex_digit(unsigned char c)
{
	if (pp_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A copy with %XX decoded, without control characters. PP_E_USAGE where that makes no sense. */
static pp_status
text_decode(struct pp_slice text, char **out)
{
	char *copy = malloc(text.n + 1);
	size_t i, n = 0;

	free(*out);
	*out = copy;
	if (!copy)
		return PP_E_NOMEM;
	for (i = 0; i < text.n; i++) {
		unsigned char c = text.p[i];

		if (c == '%') {
			int high = i + 1 < text.n ? hex_digit(text.p[i + 1]) : -1;
			int low = i + 2 < text.n ? hex_digit(text.p[i + 2]) : -1;

			if (high < 0 || low < 0)
				return PP_E_USAGE;
			c = (unsigned char)(high * 16 + low);
			i += 2;
		}
		if (c < ' ' || c == 0x7f)
			return PP_E_USAGE;
		copy[n++] = (char)c;
	}
	copy[n] = '\0';
	return PP_OK;
}

static bool
port_is_fine(struct pp_slice port)
{
	unsigned long number = 0;
	size_t i;

	for (i = 0; i < port.n && pp_is_digit(port.p[i]) && number < 65536; i++)
		number = number * 10 + (port.p[i] - '0');
	return port.n && i == port.n && number > 0 && number < 65536;
}

static bool
host_is_fine(struct pp_slice host, bool six)
{
	size_t i;

	for (i = 0; i < host.n; i++) {
		unsigned char c = host.p[i], low = c | 0x20;

		if (!pp_is_digit(c) && !(low >= 'a' && low <= 'z') &&
		    !(c == '.' || c == '-' || c == '_') && !(six && (c == ':' || c == '%')))
			return false;
	}
	return host.n > 0;
}

/* HOST, HOST:PORT or [HOST]:PORT, of which those with colons in them need the brackets. */
static pp_status
host_take(struct pp_clickhouse_source *s, struct pp_slice text, struct pp_buf *problem)
{
	struct pp_slice host = text, port = pp_slice_z(DEFAULT_PORT);
	const unsigned char *end = NULL, *colon;
	bool six = text.n && text.p[0] == '[';

	if (six) {
		end = pp_slice_find(text, ']');
		host = end ? pp_slice_between(text.p + 1, end) : pp_slice_z("");
		text = end ? pp_slice_from(text, (size_t)(end + 1 - text.p)) : text;
	}
	colon = pp_slice_find(text, ':');
	if (colon)
		port = pp_slice_from(text, (size_t)(colon + 1 - text.p));
	if (colon && !six)
		host = pp_slice_between(text.p, colon);
	if (!host_is_fine(host, six) || !port_is_fine(port) || (six && text.n && colon != text.p)) {
		pp_buf_addf(problem, "a host of ClickHouse is HOST or HOST:PORT, not '%.*s'",
		            PP_SHOWN(text));
		return PP_E_USAGE;
	}
	if (s->host_count == PP_CLICKHOUSE_HOSTS) {
		pp_buf_addf(problem, "more than %d hosts", PP_CLICKHOUSE_HOSTS);
		return PP_E_USAGE;
	}
	s->hosts[s->host_count].host = strndup((const char *)host.p, host.n);
	s->hosts[s->host_count].port = strndup((const char *)port.p, port.n);
	s->host_count++;
	return s->hosts[s->host_count - 1].host && s->hosts[s->host_count - 1].port ? PP_OK
	                                                                            : PP_E_NOMEM;
}

/* One of a few words; false when it is none of them. */
static bool
word_choose(const char *text, const char *const *words, unsigned *out)
{
	for (*out = 0; words[*out]; ++*out)
		if (strcmp(text, words[*out]) == 0)
			return true;
	return false;
}

/* A number of at least 1 with what stands behind it. */
static bool
number_set(const char *text, const char *unit, unsigned most, unsigned *out)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	*out = (unsigned)number;
	return pp_is_digit((unsigned char)text[0]) && strcmp(end, unit) == 0 && number > 0 &&
	       number <= most;
}

static bool
option_set(struct pp_clickhouse_source *s, struct pp_slice key, const char *value)
{
	static const char *const schemas[] = { "own", "coroot", "parca", NULL };
	static const char *const pushes[] = { "large", "always", "never", NULL };
	static const char *const flags[] = { "0", "1", NULL };
	unsigned chosen = 0;
	bool fine = true;

	if (pp_slice_eq_z(key, "schema")) {
		fine = word_choose(value, schemas, &chosen);
		s->schema = (enum pp_clickhouse_schema)chosen;
	} else if (pp_slice_eq_z(key, "push")) {
		fine = word_choose(value, pushes, &chosen);
		s->push = (enum pp_clickhouse_push)chosen;
	} else if (pp_slice_eq_z(key, "secure")) {
		fine = word_choose(value, flags, &chosen);
		s->secure = chosen == 1;
	} else if (pp_slice_eq_z(key, "timeout")) {
		fine = number_set(value, "", MAX_TIMEOUT, &s->timeout);
	} else if (pp_slice_eq_z(key, "keep")) {
		fine = number_set(value, "d", MAX_DAYS, &s->keep_days);
	} else {
		fine = false;
	}
	return fine;
}

static pp_status
option_take(struct pp_clickhouse_source *s, struct pp_slice option, struct pp_buf *problem)
{
	bool found;
	struct pp_slice value = option, key = pp_slice_cut(&value, '=', &found);
	char *text = NULL;
	pp_status status = found ? text_decode(value, &text) : PP_E_USAGE;

	if (status == PP_OK && pp_slice_eq_z(key, "cluster") && text[0]) {
		free(s->cluster);
		s->cluster = text;
		return PP_OK;
	}
	if (status == PP_OK && pp_slice_eq_z(key, "password-file") && text[0]) {
		free(s->password_file);
		s->password_file = text;
		return PP_OK;
	}
	if (status == PP_OK && pp_slice_eq_z(key, "password"))
		pp_buf_adds(problem,
		            "a source must not hold a password: set "
		            "POLYPROF_CLICKHOUSE_PASSWORD or name a file with password-file=");
	if (status == PP_OK && !option_set(s, key, text))
		status = PP_E_USAGE;
	if (status == PP_E_USAGE && problem->n == 0)
		pp_buf_addf(
		    problem,
		    "'%.*s' is not an option of a ClickHouse source; the options are cluster=NAME, secure=0|1, "
		    "schema=own|coroot|parca, push=large|always|never, timeout=SECONDS, keep=30d, "
		    "password-file=PATH and, last, where=EXPRESSION",
		    PP_SHOWN(option));
	free(text);
	return status;
}

/* What stands before the database: who, and where. */
static pp_status
authority_take(struct pp_clickhouse_source *s, struct pp_slice text, struct pp_buf *problem)
{
	const unsigned char *at = text.n ? memrchr(text.p, '@', text.n) : NULL;
	struct pp_slice host;
	pp_status status = PP_OK;
	bool more = true;

	if (at) {
		struct pp_slice user = pp_slice_between(text.p, at);

		if (pp_slice_find(user, ':')) {
			pp_buf_adds(
			    problem,
			    "a source must not hold a password: set "
			    "POLYPROF_CLICKHOUSE_PASSWORD or name a file with password-file=");
			return PP_E_USAGE;
		}
		status = text_decode(user, &s->user);
		text = pp_slice_from(text, (size_t)(at + 1 - text.p));
	}
	if (status == PP_E_USAGE)
		pp_buf_adds(problem, "the user's name in a ClickHouse source is not readable");
	while (status == PP_OK && pp_slice_field(&text, ',', &more, &host))
		status = host_take(s, host, problem);
	return status;
}

pp_status
pp_clickhouse_source_parse(const char *text, struct pp_clickhouse_source *s, struct pp_buf *problem)
{
	struct pp_slice rest = pp_slice_z(text), authority, database, option;
	bool found, more;
	pp_status status;

	*s = (struct pp_clickhouse_source){ .timeout = DEFAULT_TIMEOUT };
	(void)pp_slice_take(&rest, PREFIX);
	authority = pp_slice_cut(&rest, '/', &found);
	status = authority_take(s, authority, problem);
	database = pp_slice_cut(&rest, '?', &more);
	if (status == PP_OK)
		status = text_decode(database, &s->database);
	if (status == PP_E_USAGE && problem->n == 0)
		pp_buf_adds(problem, "the database's name in a ClickHouse source is not readable");
	if (status == PP_OK && (!found || s->database[0] == '\0')) {
		pp_buf_adds(problem,
		            "a ClickHouse source names a database: "
		            "clickhouse://[USER@]HOST[:PORT][,...]/DATABASE[?cluster=NAME]");
		status = PP_E_USAGE;
	}
	/* An expression may have any character in it: it is the selection's, and the last. */
	while (status == PP_OK && more && !pp_slice_starts(rest, "where=") &&
	       pp_slice_field(&rest, '&', &more, &option))
		status = option_take(s, option, problem);
	return status;
}

void
pp_clickhouse_source_release(struct pp_clickhouse_source *s)
{
	size_t i;

	for (i = 0; i < s->host_count; i++) {
		free(s->hosts[i].host);
		free(s->hosts[i].port);
	}
	free(s->user);
	free(s->database);
	free(s->cluster);
	free(s->password_file);
}
