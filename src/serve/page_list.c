/*
 * The profiles of a store, as `store list --json` has them.
 */
#include <stdlib.h>
#include <string.h>

#include "serve/problem.h"
#include "serve/serve.h"
#include "store/list_json.h"

/* Rows of one answer, and its bytes, so that it stays small. */
#define ROWS_MAX 2000
#define BYTES_MAX ((size_t)1000000)

/* A whole number, or what it is otherwise; false when it is none. */
static bool
number_read(const struct pp_query *q, const char *name, size_t *number)
{
	const char *text = pp_query_text(q, name);

	if (!text)
		return true;
	*number = (size_t)strtoul(text, NULL, 10);
	return *text && !text[strspn(text, "0123456789")] && strlen(text) < 10;
}

/* As many rows as fit; what comes next is said in "cut". */
static bool
rows_put(struct pp_exchange *x, const struct pp_store_list *list, size_t skip, size_t most)
{
	struct pp_sink *out;
	bool fine;

	do {
		x->out.n = 0;
		if (pp_sink_buffer(&x->out, &out) != PP_OK)
			return false;
		pp_store_list_json(list, skip, most, out);
		fine = pp_sink_commit(out) == PP_OK;
		pp_sink_close(out);
		/* Rows are not all of one size. */
		if (fine && x->out.n > BYTES_MAX)
			most = most * (BYTES_MAX / 10 * 9) / x->out.n;
	} while (fine && x->out.n > BYTES_MAX && most > 0);
	return fine;
}

static void
list_put(struct pp_exchange *x, const struct pp_query *q, const char *source, size_t skip,
         size_t most)
{
	struct pp_provider_texts texts = { .where = pp_query_text(q, "where"),
		                           .since = pp_query_text(q, "since"),
		                           .until = pp_query_text(q, "until"),
		                           .between = pp_query_text(q, "between") };
	struct pp_selected *selected = NULL;
	struct pp_buf problem = { 0 };
	pp_status status = pp_store_select(source, &texts, &selected, &problem);
	int code = pp_exit_of(status);

	if (status == PP_OK && rows_put(x, pp_selected_list(selected), skip,
	                                most && most < ROWS_MAX ? most : ROWS_MAX)) {
		x->status = 200;
		x->type = PP_JSON_TYPE;
	} else {
		pp_buf_addc(&problem, '\0');
		pp_answer_error(x, code == PP_EXIT_USAGE ? 400 : 422, "store",
		                problem.n > 1 ? problem.p : pp_status_text(status));
	}
	if (selected)
		pp_store_provider.close(selected);
	pp_buf_release(&problem);
}

void
pp_page_list(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_query q = { 0 };
	const char *name, *source = NULL;
	size_t skip = 0, most = ROWS_MAX;

	if (!pp_query_read(x, &q)) {
		pp_answer_error(x, 400, "usage", "the query cannot be decoded");
	} else if (!number_read(&q, "n", &most) || !number_read(&q, "page", &skip)) {
		pp_answer_error(x, 400, "usage", "'n' and 'page' are whole numbers");
	} else {
		name = pp_query_text(&q, "file");
		source = name ? pp_source_find(s, x, name) : NULL;
		if (!source || !pp_store_engine_of(source))
			pp_answer_error(x, 404, "no-source", "there is no such store");
		else
			list_put(x, &q, source, skip, most);
	}
	pp_vec_release(&q.list);
	pp_exchange_field(x, "Cache-Control", "no-store");
	pp_serve_weigh(s, x);
	pp_exchange_done(x);
}
