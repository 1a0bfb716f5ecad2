/*
 * What became of each function of two profiles, or of many runs on each side, as tables for the viewer of the web app: it
 * draws what was added up, which does not tell how runs differ from each other.
 */
#include "output/html_verdicts.h"

#include "output/html_data.h"
#include "text/json_emit.h"

/* Functions that are tried at first: names pack to some 10 to 20 bytes each. */
#define ROWS_FIRST 60000

/* A function as one of the sides writes it. */
struct spelling {
	const struct pp_profile *profile;
	const struct pp_func_row *func;
	const struct pp_diff_row *row;
};

struct verdicts {
	const struct pp_diff *diff;
	struct pp_html_data h; /* strings and columns */
	struct pp_html_cut cut;
	PP_VEC(struct spelling) list;
};

static bool
is_written_alike(const struct pp_diff_row *row)
{
	const struct pp_profile *p = row->profile[PP_BEFORE], *q = row->profile[PP_AFTER];
	const struct pp_func_row *f = &p->funcs.at[row->func[PP_BEFORE]];
	const struct pp_func_row *g = &q->funcs.at[row->func[PP_AFTER]];

	return pp_func_row_cmp(p, f, q, g) == 0 &&
	       pp_slice_eq(pp_text_of(p, p->modules.at[f->module].name),
	                   pp_text_of(q, q->modules.at[g->module].name));
}

/* The rows from `from` on, by every name that they have. */
static bool
spellings_list(struct verdicts *v, size_t from, size_t to)
{
	size_t i, side;

	v->list.n = 0;
	for (i = from; i < to; i++) {
		const struct pp_diff_row *row = &v->diff->rows.at[i];
		bool both = row->profile[PP_BEFORE] && row->profile[PP_AFTER];

		for (side = both && is_written_alike(row) ? PP_AFTER : PP_BEFORE; side < 2;
		     side++) {
			const struct pp_profile *p = row->profile[side];

			if (p && !pp_vec_push(
			             &v->list,
			             ((struct spelling){ p, &p->funcs.at[row->func[side]], row })))
				return false;
		}
	}
	return true;
}

enum text { TEXT_NAME, TEXT_FILE, TEXT_MODULE };

static void
put_texts(struct verdicts *v, enum text which, const char *column)
{
	size_t i;

	pp_column_begin(&v->h.columns, 'u', "%s", column);
	for (i = 0; i < v->list.n; i++) {
		const struct spelling *s = &v->list.at[i];
		pp_str text = which == TEXT_NAME   ? s->func->name
		              : which == TEXT_FILE ? s->func->file
		                                   : s->profile->modules.at[s->func->module].name;

		pp_column_u(&v->h.columns, pp_html_str(&v->h, pp_text_of(s->profile, text)));
	}
	pp_column_end(&v->h.columns);
}

static void
put_meta(struct verdicts *v, size_t next)
{
	const struct pp_diff *d = v->diff;
	struct pp_buf text = { 0 }, rule = { 0 };
	struct pp_sink *sink = NULL;
	struct pp_json j;
	size_t side;

	if (v->h.status == PP_OK)
		v->h.status = pp_sink_buffer(&text, &sink);
	if (v->h.status != PP_OK)
		return;
	pp_diff_explain(d, &rule);
	pp_json_init(&j, sink, PP_JSON_COMPACT);
	pp_json_begin_object(&j);
	pp_json_put_text(&j, "rule", pp_slice_of(rule.p ? rule.p : "", rule.n));
	pp_json_put_textz(&j, "status", pp_diff_status_name(d->whole.status));
	pp_json_put_array(&j, "runs");
	for (side = 0; side < 2; side++)
		pp_json_u64(&j, d->runs[side]);
	pp_json_end_array(&j);
	pp_json_put_u64(&j, "next", next);
	pp_json_end_object(&j);
	v->h.status = pp_sink_commit(sink);
	if (v->h.status == PP_OK)
		pp_column_bytes(&v->h.columns, "meta", text.p, text.n);
	pp_sink_close(sink);
	pp_buf_release(&text);
	pp_buf_release(&rule);
}

static pp_status
tables_put(struct verdicts *v, size_t from, size_t to)
{
	struct pp_columns *c = &v->h.columns;
	size_t i;

	v->h.status = PP_OK;
	c->bytes.n = 0;
	pp_strtab_release(&v->h.strs);
	if (!pp_strtab_init(&v->h.strs, v->diff->input[0]->profile->strs.seed) ||
	    !spellings_list(v, from, to))
		return PP_E_NOMEM;
	put_texts(v, TEXT_NAME, "func.name");
	put_texts(v, TEXT_FILE, "func.file");
	put_texts(v, TEXT_MODULE, "func.module");
	pp_column_begin(c, 'u', "func.line");
	for (i = 0; i < v->list.n; i++)
		pp_column_u(c, v->list.at[i].func->line);
	pp_column_end(c);
	pp_column_begin(c, 'u', "self");
	for (i = 0; i < v->list.n; i++)
		pp_column_u(c, v->list.at[i].row->self.status);
	pp_column_end(c);
	pp_column_begin(c, 'u', "total");
	for (i = 0; i < v->list.n; i++)
		pp_column_u(c, v->list.at[i].row->total.status);
	pp_column_end(c);
	put_meta(v, to < v->diff->rows.n ? to : 0);
	pp_html_put_strings(&v->h);
	return c->bytes.failed ? PP_E_NOMEM : c->too_large ? PP_E_LIMIT : v->h.status;
}

pp_status
pp_html_verdicts(const struct pp_diff *d, size_t from, size_t max_size, struct pp_buf *out)
{
	struct verdicts v = { .diff = d };
	size_t rows = d->rows.n, n = ROWS_FIRST;
	pp_status status;

	v.h.cut = &v.cut;
	from = from < rows ? from : rows;
	do {
		n = n < rows - from ? n : rows - from;
		status = tables_put(&v, from, from + n);
		if (status == PP_OK)
			status = pp_columns_pack(
			    pp_slice_of(v.h.columns.bytes.p, v.h.columns.bytes.n), out);
		if (status == PP_OK && out->n <= max_size)
			break;
		/* Names are not all of one length. */
		n = status == PP_OK ? n * (max_size / 10 * 9) / out->n : n / 2;
		status = status == PP_OK || status == PP_E_LIMIT ? PP_E_LIMIT : status;
	} while (n > 0 && status == PP_E_LIMIT);
	pp_strtab_release(&v.h.strs);
	pp_columns_release(&v.h.columns);
	pp_vec_release(&v.list);
	return status;
}
