/*
 * Heads and chunks: see http_message.h. Whatever can be understood in two ways is refused.
 */
#include "store/http_message.h"

#include <stdlib.h>

#include "base/slice.h"

/* ---- bytes ---- */

static bool
is_token(unsigned char c)
{
	return c > ' ' && c < 0x7f && !strchr("\"(),/:;<=>?@[\\]{}", c);
}

static unsigned char
lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : c;
}

bool
pp_http_same(struct pp_slice s, const char *z)
{
	size_t i, n = strlen(z);

	for (i = 0; i < n && i < s.n; i++)
		if (lower(s.p[i]) != lower((unsigned char)z[i]))
			return false;
	return s.n == n;
}

/* ---- the head ---- */

size_t
pp_http_head_end(struct pp_slice bytes, size_t *seen, bool *bad)
{
	size_t i = *seen;

	while (i < bytes.n) {
		const unsigned char *newline = memchr(bytes.p + i, '\n', bytes.n - i);

		if (!newline)
			break;
		i = (size_t)(newline - bytes.p) + 1;
		if (i < 2 || bytes.p[i - 2] != '\r') {
			*bad = true;
			return 0;
		}
		*seen = i;
		if (i >= 4 && bytes.p[i - 3] == '\n')
			return i;
	}
	*bad = bytes.n > PP_HTTP_HEAD_MAX;
	return 0;
}

/* The next line without its end; every line of a head has one. */
static bool
line_take(struct pp_slice *rest, struct pp_slice *line)
{
	if (!pp_slice_line(rest, line) || line->n == 0 || line->p[line->n - 1] != '\r')
		return false;
	line->n--;
	return true;
}

static bool
all_tokens(struct pp_slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (!is_token(s.p[i]))
			return false;
	return s.n > 0;
}

static bool
version_parse(struct pp_http_head *h, struct pp_slice version, unsigned *status)
{
	h->simple = pp_slice_eq_z(version, "HTTP/1.0");
	if (h->simple || pp_slice_eq_z(version, "HTTP/1.1"))
		return true;
	*status = version.n == 8 && pp_slice_starts(version, "HTTP/") &&
	                  pp_is_digit(version.p[5]) && version.p[6] == '.' &&
	                  pp_is_digit(version.p[7])
	              ? 505
	              : 400;
	return false;
}

static unsigned
request_line(struct pp_http_head *h, struct pp_slice line)
{
	struct pp_slice rest = line, target;
	const unsigned char *mark;
	unsigned status = 400;
	bool found, more;
	size_t i;

	h->method = pp_slice_cut(&rest, ' ', &found);
	target = pp_slice_cut(&rest, ' ', &more);
	if (!found || !more || !all_tokens(h->method) || target.n == 0)
		return 400;
	if (!version_parse(h, rest, &status))
		return status;
	if (target.n > PP_HTTP_TARGET_MAX)
		return 414;
	for (i = 0; i < target.n; i++)
		if (target.p[i] <= ' ' || target.p[i] >= 0x7f || target.p[i] == '#')
			return 400;
	if (target.p[0] != '/')
		return 400;
	mark = pp_slice_find(target, '?');
	h->path = mark ? pp_slice_between(target.p, mark) : target;
	h->query = mark ? pp_slice_from(target, h->path.n + 1) : pp_slice_of("", 0);
	return 0;
}

static unsigned
field_line(struct pp_http_head *h, struct pp_slice line)
{
	struct pp_http_field f;
	bool found;
	size_t i;

	/* A line that begins with a blank would go on with the one before: nobody sends that any more. */
	f.value = line;
	f.name = pp_slice_cut(&f.value, ':', &found);
	if (!found || !all_tokens(f.name))
		return 400;
	while (f.value.n && pp_is_blank(f.value.p[0]))
		f.value = pp_slice_from(f.value, 1);
	while (f.value.n && pp_is_blank(f.value.p[f.value.n - 1]))
		f.value.n--;
	for (i = 0; i < f.value.n; i++)
		if ((f.value.p[i] < ' ' && f.value.p[i] != '\t') || f.value.p[i] == 0x7f)
			return 400;
	if (h->field_count == PP_HTTP_FIELDS_MAX)
		return 431;
	h->fields[h->field_count++] = f;
	return 0;
}

struct pp_slice
pp_http_field(const struct pp_http_head *h, const char *name, size_t *count)
{
	struct pp_slice found = { NULL, 0 };
	size_t i, n = 0;

	for (i = 0; i < h->field_count; i++)
		if (pp_http_same(h->fields[i].name, name)) {
			found = n ? found : h->fields[i].value;
			n++;
		}
	if (count)
		*count = n;
	return found;
}

/* How long the body is: said once, in one way, in plain digits. */
static unsigned
length_find(struct pp_http_head *h)
{
	size_t lengths, codings, i;
	struct pp_slice length = pp_http_field(h, "content-length", &lengths);
	struct pp_slice coding = pp_http_field(h, "transfer-encoding", &codings);

	if (lengths > 1 || codings > 1 || (lengths && codings) || (codings && h->simple))
		return 400;
	if (codings) {
		h->chunked = pp_http_same(coding, "chunked");
		return h->chunked ? 0 : 501;
	}
	if (lengths && (length.n == 0 || length.n > 18))
		return 400;
	for (i = 0; i < length.n; i++) {
		if (!pp_is_digit(length.p[i]))
			return 400;
		h->length = h->length * 10 + (uint64_t)(length.p[i] - '0');
	}
	return 0;
}

/* Whether a list of words has one of them. */
static bool
list_has(struct pp_slice list, const char *word)
{
	struct pp_slice item;
	bool more = true;

	while (pp_slice_field(&list, ',', &more, &item))
		if (pp_http_same(pp_slice_trim(item), word))
			return true;
	return false;
}

unsigned
pp_http_head_parse(struct pp_http_head *h, struct pp_slice bytes)
{
	struct pp_slice line, expect;
	unsigned status;
	size_t count;

	*h = (struct pp_http_head){ .length = 0 };
	if (!line_take(&bytes, &line))
		return 400;
	status = request_line(h, line);
	while (status == 0 && line_take(&bytes, &line) && line.n)
		status = field_line(h, line);
	if (status == 0)
		status = length_find(h);
	if (status)
		return status;
	(void)pp_http_field(h, "host", &count);
	if (count > 1 || (count == 0 && !h->simple))
		return 400;
	h->keeps = !h->simple && !list_has(pp_http_field(h, "connection", NULL), "close");
	expect = pp_http_field(h, "expect", &count);
	h->waits = count == 1 && pp_http_same(expect, "100-continue") && !h->simple;
	return count && !h->waits ? 417 : 0;
}

const char *
pp_http_status(unsigned status)
{
	static const char *const texts[] = {
		"200 OK",
		"202 Accepted",
		"204 No Content",
		"304 Not Modified",
		"400 Bad Request",
		"401 Unauthorized",
		"403 Forbidden",
		"404 Not Found",
		"405 Method Not Allowed",
		"406 Not Acceptable",
		"408 Request Timeout",
		"409 Conflict",
		"413 Content Too Large",
		"414 URI Too Long",
		"415 Unsupported Media Type",
		"417 Expectation Failed",
		"422 Unprocessable Content",
		"429 Too Many Requests",
		"431 Request Header Fields Too Large",
		"500 Internal Server Error",
		"501 Not Implemented",
		"503 Service Unavailable",
		"504 Gateway Timeout",
		"505 HTTP Version Not Supported",
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(texts); i++)
		if (strtoul(texts[i], NULL, 10) == status)
			return texts[i];
	return "500 Internal Server Error";
}

/* ---- chunks ---- */

enum {
	SIZE,
	EXTENSION,
	SIZE_END,
	DATA,
	DATA_CR,
	DATA_LF,
	TRAILER,
	TRAILER_LINE,
	TRAILER_LF,
	LAST_LF
};

/* What extensions and trailers may take together: they are passed over. */
#define EXTRAS_MAX 4096

static int
hex_digit(unsigned char c)
{
	return pp_is_digit(c)                       ? c - '0'
	       : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10
	                                            : -1;
}

/* One byte that is no data: false when it must not stand there. */
static bool
chunk_byte(struct pp_http_chunks *k, unsigned char c)
{
	int digit = hex_digit(c);

	switch (k->state) {
	case SIZE:
		if (digit >= 0 && k->digits < 15) {
			k->left = k->left << 4 | (uint64_t)digit;
			k->digits++;
			return true;
		}
		k->state = c == ';' ? EXTENSION : SIZE_END;
		return k->digits > 0 && (c == ';' || c == '\r');
	case EXTENSION:
		if (c == '\r')
			k->state = SIZE_END;
		return (c == '\r' || c == '\t' || (c >= ' ' && c != 0x7f)) &&
		       ++k->line < EXTRAS_MAX;
	case SIZE_END:
		k->state = k->left ? DATA : TRAILER;
		k->digits = 0;
		return c == '\n';
	case DATA_CR:
		k->state = DATA_LF;
		return c == '\r';
	case DATA_LF:
		k->state = SIZE;
		return c == '\n';
	case TRAILER:
		k->state = c == '\r' ? LAST_LF : TRAILER_LINE;
		return (c == '\r' || is_token(c)) && ++k->line < EXTRAS_MAX;
	case TRAILER_LINE:
		if (c == '\r')
			k->state = TRAILER_LF;
		return (c == '\r' || c == '\t' || (c >= ' ' && c != 0x7f)) &&
		       ++k->line < EXTRAS_MAX;
	case TRAILER_LF:
		k->state = TRAILER;
		return c == '\n';
	default:
		return false;
	}
}

int
pp_http_chunks_take(struct pp_http_chunks *k, struct pp_slice *bytes, struct pp_buf *body,
                    uint64_t most)
{
	while (bytes->n) {
		if (k->state == DATA) {
			size_t n = k->left < bytes->n ? (size_t)k->left : bytes->n;

			pp_buf_add(body, bytes->p, n);
			*bytes = pp_slice_from(*bytes, n);
			k->left -= n;
			if (k->left == 0)
				k->state = DATA_CR;
			continue;
		}
		if (k->state == LAST_LF) {
			if (bytes->p[0] != '\n')
				return PP_CHUNKS_BAD;
			*bytes = pp_slice_from(*bytes, 1);
			return PP_CHUNKS_END;
		}
		if (!chunk_byte(k, bytes->p[0]))
			return PP_CHUNKS_BAD;
		if (k->state == DATA && (k->left > most || body->n > most - k->left))
			return PP_CHUNKS_LARGE;
		*bytes = pp_slice_from(*bytes, 1);
	}
	return PP_CHUNKS_MORE;
}
