/*
 * Who may ask at all. A page of a stranger that a browser shows must not reach a server on the same machine, be it by a name
 * that leads here (Host) or by asking from elsewhere (Origin); a stranger must not without the token.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/slice.h"
#include "serve/serve.h"
#include "text/base64.h"

/* ---- the token ---- */

#define TOKEN_MAX 4096

bool
pp_guard_token(struct pp_serve *s, const char *file, struct pp_buf *problem)
{
	char text[TOKEN_MAX + 2];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1;
	size_t i;

	if (fd >= 0)
		(void)close(fd);
	while (n > 0 && pp_is_space((unsigned char)text[n - 1]))
		n--;
	for (i = 0; n > 0 && i < (size_t)n; i++)
		if (text[i] <= ' ' || text[i] == 0x7f)
			n = -2;
	if (n <= 0 || n > TOKEN_MAX) {
		pp_buf_addf(problem, "%s %s", file,
		            n == -1 ? "cannot be read"
		                    : "holds no token: one line of letters and digits is needed");
		return false;
	}
	pp_buf_add(&s->token, text, (size_t)n);
	return !s->token.failed;
}

/* Compares without telling by its time how much is right. */
static bool
token_is(const struct pp_serve *s, struct pp_slice given)
{
	unsigned char differs = given.n != s->token.n;
	size_t i;

	for (i = 0; i < s->token.n; i++)
		differs |= (unsigned char)(s->token.p[i] ^ (given.n ? given.p[i % given.n] : 0));
	return !differs;
}

/* The password of a browser's "user:password". */
static struct pp_slice
basic_password(struct pp_slice letters, struct pp_buf *plain)
{
	struct pp_slice text = { NULL, 0 };
	bool found;

	if (letters.n > 2 * TOKEN_MAX || !pp_base64_take(plain, letters))
		return text;
	text = pp_slice_of(plain->p, plain->n);
	(void)pp_slice_cut(&text, ':', &found);
	return found ? text : pp_slice_of("", 0);
}

/* 0, 401 without a token, 403 with a wrong one; 401 where somebody typed it, as browsers ask again then. */
static unsigned
token_check(const struct pp_serve *s, const struct pp_http_head *head)
{
	size_t keys, credentials;
	struct pp_slice key = pp_http_field(head, "x-api-key", &keys);
	struct pp_slice given = pp_http_field(head, "authorization", &credentials), scheme;
	struct pp_buf plain = { 0 };
	bool found, right, typed = false;

	if (s->token.n == 0)
		return 0;
	if (keys + credentials == 0)
		return 401;
	if (keys > 1 || credentials > 1)
		return 403;
	right = keys && token_is(s, key);
	if (!keys) {
		scheme = pp_slice_cut(&given, ' ', &found);
		given = pp_slice_trim(given);
		typed = pp_http_same(scheme, "basic");
		if (typed)
			given = basic_password(given, &plain);
		else if (!pp_http_same(scheme, "bearer"))
			given.n = 0;
		right = token_is(s, given);
	}
	pp_buf_release(&plain);
	return right ? 0 : typed ? 401 : 403;
}

/* ---- where a request comes from ---- */

/* Whether text is this server's own name, with its port: what every loopback is called, or what --listen called it. */
static bool
is_own_name(const struct pp_serve *s, struct pp_slice text)
{
	const char *const names[] = { "127.0.0.1", "localhost", "[::1]", s->host };
	char name[PP_SERVE_HOST_MAX + 8];
	size_t i;

	for (i = 0; i < PP_COUNT_OF(names); i++) {
		(void)snprintf(name, sizeof name, "%s:%u", names[i], s->port);
		if (pp_http_same(text, name) || (s->port == 80 && pp_http_same(text, names[i])))
			return true;
	}
	return false;
}

/* Without "http://" before it; p NULL when it begins otherwise. */
static struct pp_slice
origin_name(struct pp_slice origin, bool secure)
{
	if (pp_slice_take(&origin, "http://") || (secure && pp_slice_take(&origin, "https://")))
		return origin;
	return (struct pp_slice){ NULL, 0 };
}

static bool
comes_from_here(const struct pp_serve *s, const struct pp_http_head *head)
{
	size_t origins, sites, places;
	struct pp_slice host = pp_http_field(head, "host", NULL);
	struct pp_slice origin = pp_http_field(head, "origin", &origins);
	struct pp_slice site = pp_http_field(head, "sec-fetch-site", &sites);
	struct pp_slice place = pp_http_field(head, "sec-fetch-dest", &places);
	bool visits = (!places || pp_http_same(place, "document")) &&
	              pp_http_same(pp_http_field(head, "sec-fetch-mode", NULL), "navigate") &&
	              pp_slice_eq_z(head->method, "GET");

	if (origins > 1 || (s->loopback && !is_own_name(s, host)))
		return false;
	/* Browsers say so themselves: a link from elsewhere may lead here, but no page of a stranger asks, sends or has this as a
	 * part of it. */
	if (sites && !visits && !pp_http_same(site, "same-origin") && !pp_http_same(site, "none"))
		return false;
	if (!origins)
		return true;
	origin = origin_name(origin, !s->loopback);
	if (!origin.p)
		return false;
	return s->loopback ? is_own_name(s, origin) : host.n && pp_slice_eq(origin, host);
}

static bool
is_given(const struct pp_http_head *head)
{
	size_t keys, credentials;

	(void)pp_http_field(head, "x-api-key", &keys);
	(void)pp_http_field(head, "authorization", &credentials);
	return keys + credentials > 0;
}

unsigned
pp_guard(const struct pp_serve *s, struct pp_exchange *x)
{
	unsigned status;

	if (!comes_from_here(s, &x->head)) {
		pp_answer_error(x, 403, "not-from-here",
		                "the Host or the Origin of this request is not this server's");
		return 403;
	}
	status = token_check(s, &x->head);
	if (status)
		pp_answer_error(
		    x, status, is_given(&x->head) ? "token-wrong" : "token-missing",
		    "this server wants its token: in a browser as the password, with any "
		    "name; else as Authorization: Bearer TOKEN, or X-API-Key");
	if (status == 401)
		pp_exchange_field(x, "WWW-Authenticate", "Bearer, Basic realm=\"polyprof\"");
	return status;
}
