/*
 * One profile in a request: Pyroscope's /ingest, Coroot's /v1/profiles, and /api/v1/add for anything that is read.
 */
#include <string.h>

#include "base/slice.h"
#include "serve/push.h"

/* ---- /api/v1/add?label.KEY=VALUE&t0=TIME&t1=TIME&name=NAME&from=FORMAT ---- */

void
pp_push_add(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_query q;
	struct pp_push *p = pp_push_begin(s, x, &q);
	const char *name = p ? pp_query_text(&q, "name") : NULL;
	const char *from = p ? pp_query_text(&q, "from") : NULL;
	bool fine = p != NULL;
	size_t i;

	if (!p)
		return;
	for (i = 0; i < q.list.n && fine; i++) {
		const struct pp_query_param *o = &q.list.at[i];

		if (strncmp(o->name, "label.", 6) == 0)
			fine = pp_push_label(p, pp_slice_z(o->name + 6), pp_slice_z(o->value)) ||
			       pp_push_refuse(p, 400, "label", "a label is there with two values");
		else if (strcmp(o->name, "t0") == 0)
			fine = pp_push_time(p, o->value, &p->has_t0, &p->t0);
		else if (strcmp(o->name, "t1") == 0)
			fine = pp_push_time(p, o->value, &p->has_t1, &p->t1);
		else if (strcmp(o->name, "name") != 0 && strcmp(o->name, "from") != 0)
			fine = pp_push_refuse(p, 400, "usage",
			                      "parameters are label.KEY, t0, t1, name and from");
	}
	if (from && fine && !pp_format_find(from))
		fine = pp_push_refuse(p, 400, "no-format", "there is no such format");
	/* A name tells formats apart that look alike; it is no path. */
	if (name && (strchr(name, '/') || strlen(name) > 255))
		fine = pp_push_refuse(p, 400, "usage",
		                      "a name is not longer than 255 bytes, and no path");
	/* Who pushes a recording that was cut off knows that. */
	p->damaged = true;
	if (fine)
		(void)pp_push_profile(p, p->body, name && *name ? name : "pushed", from);
	pp_vec_release(&q.list);
	pp_push_end(p);
}

/* ---- /v1/profiles?service.name=S&KEY=VALUE ---- */

void
pp_push_coroot(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_query q;
	struct pp_push *p = pp_push_begin(s, x, &q);
	size_t i;

	if (!p)
		return;
	for (i = 0; i < q.list.n; i++)
		(void)pp_push_label(p, pp_slice_z(q.list.at[i].name),
		                    pp_slice_z(q.list.at[i].value));
	(void)pp_push_pprof(p, p->body, "pushed.pb.gz");
	p->type = NULL;
	p->answer = "";
	pp_vec_release(&q.list);
	pp_push_end(p);
}

/* ---- /ingest?name=APP{KEY=VALUE,...}&from=T&until=T&format=F ---- */

/*
 * Takes what a profile measures off the end of a name, where older senders put it: "shop.cpu" is a profile of shop. The label
 * says it in the words of pprof.
 */
static void
suffix_take(struct pp_push *p, struct pp_slice *app)
{
	static const char *const known[][2] = {
		{ ".cpu", "cpu" },
		{ ".wall", "wall" },
		{ ".alloc_objects", "alloc_objects" },
		{ ".alloc_space", "alloc_space" },
		{ ".inuse_objects", "inuse_objects" },
		{ ".inuse_space", "inuse_space" },
		{ ".goroutines", "goroutine" },
		{ ".mutex_count", "contentions" },
		{ ".mutex_duration", "delay" },
		{ ".block_count", "contentions" },
		{ ".block_duration", "delay" },
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(known); i++) {
		struct pp_slice suffix = pp_slice_z(known[i][0]);

		if (app->n <= suffix.n ||
		    memcmp(app->p + app->n - suffix.n, suffix.p, suffix.n) != 0)
			continue;
		app->n -= suffix.n;
		pp_push_type(p, pp_slice_z(known[i][1]));
		return;
	}
}

/* "APP{KEY=VALUE,...}" as labels. */
static bool
name_read(struct pp_push *p, const char *name)
{
	struct pp_slice rest = pp_slice_z(name ? name : ""), app, pair;
	bool braces, more = true, found;

	app = pp_slice_trim(pp_slice_cut(&rest, '{', &braces));
	if (app.n == 0)
		return pp_push_refuse(p, 400, "usage", "name=APP{KEY=VALUE,...} is missing");
	suffix_take(p, &app);
	(void)pp_push_label(p, pp_slice_z("service"), app);
	if (!braces)
		return true;
	rest = pp_slice_trim(rest);
	if (rest.n == 0 || rest.p[rest.n - 1] != '}')
		return pp_push_refuse(p, 400, "usage", "the braces of name are not closed");
	rest.n--;
	while (pp_slice_field(&rest, ',', &more, &pair)) {
		struct pp_slice key = pp_slice_trim(pp_slice_cut(&pair, '=', &found));

		if (key.n == 0 && !found && pair.n == 0)
			continue;
		if (key.n == 0 || !found)
			return pp_push_refuse(p, 400, "usage", "a label of name is not KEY=VALUE");
		(void)pp_push_label(p, key, pp_slice_trim(pair));
	}
	return true;
}

/* The value of a parameter of a field, `; name="value"`; n = 0 when it is not there. */
static struct pp_slice
field_param(struct pp_slice field, const char *name)
{
	struct pp_slice part;
	bool more = true, found;

	while (pp_slice_field(&field, ';', &more, &part)) {
		struct pp_slice key = pp_slice_trim(pp_slice_cut(&part, '=', &found));

		part = pp_slice_trim(part);
		if (part.n >= 2 && part.p[0] == '"' && part.p[part.n - 1] == '"')
			part = pp_slice_of(part.p + 1, part.n - 2);
		if (found && pp_http_same(key, name))
			return part;
	}
	return pp_slice_of("", 0);
}

/* What a part of a form is called, by its head. */
static struct pp_slice
part_name(struct pp_slice head)
{
	struct pp_slice line;
	bool found;

	while (pp_slice_line(&head, &line)) {
		struct pp_slice name = pp_slice_cut(&line, ':', &found);

		if (found && pp_http_same(pp_slice_trim(name), "content-disposition"))
			return field_param(line, "name");
	}
	return pp_slice_of("", 0);
}

/* Finds the parts of a form (RFC 7578): `profile`, and whether there is one to be subtracted from it. */
static bool
form_read(struct pp_push *p, struct pp_slice boundary, struct pp_slice *profile)
{
	struct pp_buf mark = { 0 };
	const unsigned char *at, *end = p->body.p + p->body.n;
	bool fine = boundary.n > 0 && boundary.n <= 70, previous = false;

	profile->p = NULL;
	pp_buf_adds(&mark, "\r\n--");
	pp_buf_add(&mark, boundary.p, boundary.n);
	/* The first mark may stand at the very beginning; what stands before it otherwise is none of the form. */
	if (fine && !mark.failed && p->body.n >= mark.n - 2 &&
	    memcmp(p->body.p, mark.p + 2, mark.n - 2) == 0) {
		at = p->body.p + mark.n - 2;
	} else {
		at = fine && !mark.failed ? memmem(p->body.p, p->body.n, mark.p, mark.n) : NULL;
		at = at ? at + mark.n : NULL;
	}
	while (at && end - at >= 2 && at[0] == '\r' && at[1] == '\n') {
		const unsigned char *next = memmem(at, (size_t)(end - at), mark.p, mark.n);
		const unsigned char *body = next ? memmem(at, (size_t)(next - at), "\r\n\r\n", 4)
		                                 : NULL;
		struct pp_slice name;

		if (!body)
			break;
		name = part_name(pp_slice_between(at + 2, body));
		if (pp_slice_eq_z(name, "profile") || pp_slice_eq_z(name, "jfr"))
			*profile = pp_slice_between(body + 4, next);
		previous |= pp_slice_eq_z(name, "prev_profile") && next > body + 4;
		at = next + mark.n;
	}
	fine = at && end - at >= 2 && at[0] == '-' && at[1] == '-';
	pp_buf_release(&mark);
	if (!fine || !profile->p)
		return pp_push_refuse(p, 400, "form",
		                      "this is not a form with a part called profile");
	if (previous)
		return pp_push_refuse(p, 415, "prev-profile",
		                      "a profile with one to be subtracted from it is not taken: "
		                      "send the difference");
	return true;
}

/* A stack in each line, as the folded format has them: with a count. */
static bool
lines_count(struct pp_push *p, struct pp_buf *out)
{
	struct pp_slice rest = p->body, line;

	while (pp_slice_line(&rest, &line)) {
		line = pp_slice_chomp(line);
		if (line.n == 0)
			continue;
		pp_buf_add(out, line.p, line.n);
		pp_buf_adds(out, " 1\n");
	}
	return !out->failed || pp_push_refuse(p, 503, "memory", "out of memory");
}

/* Which format a request is of. */
static bool
format_find(struct pp_push *p, const char *format, struct pp_slice type, const char **from)
{
	static const char *const known[][2] = { { "", "folded" },
		                                { "folded", "folded" },
		                                { "collapsed", "folded" },
		                                { "groups", "folded" },
		                                { "lines", "folded" },
		                                { "pprof", "pprof" },
		                                { "speedscope", "speedscope" } };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(known); i++)
		if (strcmp(known[i][0], format) == 0) {
			*from = known[i][1];
			break;
		}
	if (i == PP_COUNT_OF(known) || pp_slice_holds(type, "+trie") ||
	    pp_slice_holds(type, "+tree"))
		return pp_push_refuse(p, 415, "no-format",
		                      "formats are pprof, lines, folded and speedscope");
	return true;
}

static void
ingest(struct pp_push *p, const struct pp_query *q)
{
	struct pp_slice type = pp_http_field(&p->exchange->head, "content-type", NULL), kind = type;
	const char *format = pp_query_text(q, "format"), *from = NULL;
	struct pp_slice profile = p->body;
	struct pp_buf counted = { 0 };
	bool found, form;

	kind = pp_slice_trim(pp_slice_cut(&kind, ';', &found));
	form = pp_http_same(kind, "multipart/form-data");
	if (form && (!format || !*format))
		format = "pprof";
	if (!name_read(p, pp_query_text(q, "name")) ||
	    !pp_push_time(p, pp_query_text(q, "from"), &p->has_t0, &p->t0) ||
	    !pp_push_time(p, pp_query_text(q, "until"), &p->has_t1, &p->t1) ||
	    !format_find(p, format ? format : "", type, &from) ||
	    (form && !form_read(p, field_param(type, "boundary"), &profile)))
		return;
	if (format && strcmp(format, "lines") == 0) {
		if (!lines_count(p, &counted))
			return;
		profile = pp_slice_of(counted.p ? counted.p : "", counted.n);
	}
	if (strcmp(from, "pprof") == 0) {
		(void)pp_push_pprof(p, profile, "pushed");
	} else {
		/* Its numbers have no name; folded stacks are shown as samples. */
		if (strcmp(from, "folded") == 0)
			pp_push_type(p, pp_slice_z("samples"));
		(void)pp_push_profile(p, profile, "pushed", from);
	}
	pp_buf_release(&counted);
}

void
pp_push_ingest(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_query q;
	struct pp_push *p = pp_push_begin(s, x, &q);

	if (!p)
		return;
	ingest(p, &q);
	pp_vec_release(&q.list);
	pp_push_end(p);
}
