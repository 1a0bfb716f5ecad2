/*
 * The web app: its page, script and styles, which are in the program, and the sources that it lists.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/embedded.h"
#include "serve/view.h"
#include "text/json_emit.h"

void
pp_page_start(struct pp_serve *s, struct pp_exchange *x)
{
	static const char page[] =
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<title>Profiles \xe2\x80\x93 polyprof</title>\n"
	    "<link rel=\"icon\" href=\"data:,\">\n"
	    "<link rel=\"stylesheet\" href=\"/viewer.css\">\n"
	    "<link rel=\"stylesheet\" href=\"/serve.css\">\n"
	    "<script src=\"/serve.js\" defer></script>\n</head>\n<body>\n"
	    "<noscript><p class=\"lacks\">Scripts are switched off here, and this page needs "
	    "them. Questions are answered at /api/v1/VERB?file=NAME without any.</p></noscript>\n"
	    "</body>\n</html>\n";
	static const char none[] =
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<title>polyprof</title>\n</head>\n<body>\n<h1>polyprof</h1>\n<p>This polyprof was "
	    "built without its web app: install node and npm, run npm ci in web/, and build "
	    "again. Questions are answered at /api/v1/VERB?file=NAME.</p>\n</body>\n</html>\n";

	if (pp_serve_js_size)
		pp_answer_page(x, "text/html; charset=utf-8", page, sizeof page - 1);
	else
		pp_answer_page(x, "text/html; charset=utf-8", none, sizeof none - 1);
	pp_exchange_done(x);
}

/* One of the files of the page. */
void
pp_page_part(struct pp_serve *s, struct pp_exchange *x)
{
	static const char css[] = "text/css; charset=utf-8";
	struct pp_slice path = x->head.path;

	if (pp_slice_eq_z(path, "/serve.js"))
		pp_answer_page(x, "text/javascript; charset=utf-8", pp_serve_js, pp_serve_js_size);
	else if (pp_slice_eq_z(path, "/serve.css"))
		pp_answer_page(x, css, pp_serve_css, pp_serve_css_size);
	else
		pp_answer_page(x, css, pp_viewer_css, pp_viewer_css_size);
	pp_exchange_done(x);
}

/* ---- sources ---- */

static void
source_put(struct pp_json *j, const struct pp_serve *s, const struct pp_serve_source *source)
{
	struct stat st;

	pp_json_begin_object(j);
	pp_json_put_textz(j, "name", source->name);
	pp_json_put_textz(j, "kind",
	                  source->store       ? "store"
	                  : source->directory ? "directory"
	                                      : "file");
	if (source->store)
		pp_json_put_bool(j, "writable",
		                 s->o->store && strcmp(s->o->store, source->name) == 0);
	if (!source->store && !source->directory && stat(source->name, &st) == 0) {
		pp_json_put_u64(j, "bytes", (uint64_t)st.st_size);
		pp_json_put_u64(j, "time", (uint64_t)st.st_mtim.tv_sec);
	}
	pp_json_end_object(j);
}

static void
dropped_put(struct pp_json *j, struct pp_views *v)
{
	size_t i;

	pthread_mutex_lock(&v->lock);
	for (i = v->dropped.n; i-- > 0;) {
		const struct pp_dropped *d = v->dropped.at[i];

		pp_json_begin_object(j);
		pp_json_put_textz(j, "name", d->name);
		pp_json_put_textz(j, "kind", "dropped");
		pp_json_put_textz(j, "title", d->title);
		pp_json_put_textz(j, "format", pp_format_name(pp_profile_format(d->profile)));
		pp_json_put_u64(j, "bytes", d->bytes);
		pp_json_put_i64(j, "time", d->when);
		pp_json_end_object(j);
	}
	pthread_mutex_unlock(&v->lock);
}

/* What the server was started with, and what was dropped. */
void
pp_page_sources(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_serve_sources list = { 0 };
	struct pp_sink *out = NULL;
	struct pp_json j;
	size_t i;

	if (!pp_sources_list(s, x, NULL, &list) || pp_sink_buffer(&x->out, &out) != PP_OK) {
		pp_answer_error(x, 503, "memory", "out of memory");
	} else {
		x->status = 200;
		x->type = PP_JSON_TYPE;
		pp_json_init(&j, out, PP_JSON_SPACED);
		j.spelled = true;
		pp_json_begin_object(&j);
		pp_json_put_textz(&j, "version", pp_version());
		pp_json_put_array(&j, "sources");
		for (i = 0; i < list.list.n; i++)
			source_put(&j, s, &list.list.at[i]);
		dropped_put(&j, s->views);
		pp_json_end_array(&j);
		pp_json_end_object(&j);
		pp_json_end_line(&j);
		(void)pp_sink_commit(out);
	}
	pp_sink_close(out);
	pp_vec_release(&list.list);
	pp_exchange_field(x, "Cache-Control", "no-store");
	pp_exchange_done(x);
}

/* By source whether something changed, then of all that was dropped: a page that shows a list asks this now and then. */
void
pp_page_stamps(struct pp_serve *s, struct pp_exchange *x)
{
	char text[24];
	struct pp_buf out = { 0 };
	uint64_t dropped;
	size_t i;

	pp_buf_adds(&out, "{\"stamps\": [");
	for (i = 0; i < s->o->source_count; i++) {
		(void)snprintf(text, sizeof text, "\"%016" PRIx64 "\", ", pp_source_stamp(s, i));
		pp_buf_adds(&out, text);
	}
	pthread_mutex_lock(&s->views->lock);
	dropped = s->views->serial;
	pthread_mutex_unlock(&s->views->lock);
	(void)snprintf(text, sizeof text, "\"%016" PRIx64 "\"]}\n", dropped);
	pp_buf_adds(&out, text);
	if (out.failed)
		pp_answer_error(x, 503, "memory", "out of memory");
	else
		pp_exchange_text(x, 200, PP_JSON_TYPE, out.p);
	pp_buf_release(&out);
	pp_exchange_field(x, "Cache-Control", "no-store");
	pp_exchange_done(x);
}
