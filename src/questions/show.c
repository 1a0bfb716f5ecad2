/*
 * show: one function, its whole name included.
 */
#include <stddef.h>
#include <stdio.h>

#include "questions/excerpt.h"
#include "text/escape.h"
#include "text/units.h"

struct show_params {
	struct pp_asked asked;
	const char *function;
};

static pp_status show_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);

static const struct pp_param function_params[] = {
	{ "function", 0, PP_PARAM_TEXT, "NAME",
	  "a handle (f12), a function's whole name, a part that only one function has, FILE:NAME, or "
	  "/REGEX/",
	  PP_HINT_NONE, offsetof(struct show_params, function) },
	{ 0 },
};
static const struct pp_param_group function_group = { "Function", function_params };

static const struct pp_param_use show_uses[] = { { &function_group, 0, PP_GROUP_FIRST }, { 0 } };

const struct pp_question pp_question_show = {
	.name = "show",
	.summary = "one function: all of its metrics, its whole name",
	.params = show_uses,
	.params_size = sizeof(struct show_params),
	.word = function_params,
	.gives = PP_GIVES_JSON,
	.excerpt = show_excerpt,
};

/* "self": {metric: value}. */
static void
costs_add(struct pp_row *r, const char *key, const struct pp_flat *f, size_t row, bool total)
{
	const struct pp_profile *p = f->profile;
	struct pp_buf label = { 0 };
	size_t m;

	pp_row_key(r, key);
	pp_row_open(r, '{');
	for (m = 0; m < pp_metrics_shown(p) && m < 8; m++) {
		struct pp_cost_pair cost = pp_flat_get(f, row, m);

		label.n = 0;
		pp_metric_label(p, &p->metrics.at[m], &label);
		pp_row_text(r, pp_slice_of(label.p ? label.p : "", label.n));
		pp_buf_addc(r->out, r->text ? ' ' : ':');
		r->cells = 0;
		pp_row_value(r, &p->metrics.at[m], total ? cost.total : cost.own);
	}
	pp_row_close(r, '}');
	pp_buf_release(&label);
}

/* Whether spelling changes anything of a name, so that its bytes are told, too. */
static bool
is_spelled(struct pp_slice name)
{
	struct pp_buf made = { 0 };
	struct pp_row r = { .out = &made, .text = true, .clip = SIZE_MAX };
	bool changed;

	pp_row_text(&r, name);
	changed = made.n != name.n || (name.n && memcmp(made.p, name.p, name.n) != 0);
	pp_buf_release(&made);
	return changed && name.n;
}

/* The name from a byte on, as much as fits; the page says from where. */
static void
name_add(struct pp_excerpt *x, struct pp_slice name)
{
	struct pp_row *r = &x->head;
	size_t clip = r->clip, from = x->first < name.n ? (size_t)x->first : name.n, i;
	bool spelled = is_spelled(name);
	/* A byte that is spelled may take four, is escaped then, and has two hexadecimal digits; others are escaped at most. */
	size_t room = x->limit ? (x->limit - r->out->n - 200) / (spelled ? 8 : 2) : name.n;
	size_t n = name.n - from;

	n = n < room ? n : room;
	while (n > 1 && from + n < name.n && (name.p[from + n] & 0xc0) == 0x80 && n > room - 3)
		n--;
	r->clip = SIZE_MAX;
	pp_row_key(r, "name");
	pp_row_text(r, pp_slice_of(name.p + from, n));
	if (spelled) {
		struct pp_buf hex = { 0 };

		for (i = 0; i < n; i++)
			pp_buf_addf(&hex, "%02x", name.p[from + i]);
		pp_row_key(r, "name_hex");
		pp_row_word(r, hex.p ? hex.p : "");
		pp_buf_release(&hex);
	}
	r->clip = clip;
	if (from + n < name.n) {
		x->next.key = "page";
		snprintf(x->next.value, sizeof x->next.value, "%zu", from + n);
		pp_row_key(r, "cut");
		pp_row_open(r, '{');
		pp_row_key(r, "bytes");
		pp_row_count(r, name.n - from - n);
		pp_row_key(r, "next");
		pp_row_open(r, '{');
		pp_row_key(r, "page");
		pp_row_word(r, x->next.value);
		pp_row_close(r, '}');
		pp_row_close(r, '}');
	}
}

/* For people: the name, then what is known of the function, a line for each. */
static void
show_say(struct pp_excerpt *x, const struct pp_handles *h, const struct pp_profile *p, pp_func func)
{
	uint32_t rank = pp_handles_rank(h, func);
	struct pp_buf *out = x->head.out, text = { 0 };
	struct pp_row place = { .out = &text, .text = true, .clip = SIZE_MAX };
	size_t m;

	pp_excerpt_say(x);
	pp_func_text(out, p, func);
	pp_row_place(&place, p, func);
	if (text.n && !(text.n == 1 && text.p[0] == '-'))
		pp_buf_addf(out, "\n  place   %.*s", (int)text.n, text.p);
	pp_buf_addf(out, "\n  handle  f%u", rank);
	if (rank && h->flat.has_calls && (h->flat.calls[rank - 1] || !pp_calls_are_all(p))) {
		pp_buf_adds(out, "\n  calls   ");
		pp_units_u64(out, h->flat.calls[rank - 1]);
	}
	for (m = 0; rank && m < 2 * pp_metrics_shown(p); m++) {
		const struct pp_metric *metric = &p->metrics.at[m / 2];
		struct pp_cost_pair cost = pp_flat_get(&h->flat, rank - 1, m / 2);

		text.n = 0;
		pp_metric_describe(&text, p, metric,
		                   pp_value_double(metric, m % 2 ? cost.total : cost.own));
		pp_buf_adds(out, m % 2 ? "\n  total   " : "\n  self    ");
		pp_escape_terminal(out, pp_slice_of(text.p ? text.p : "", text.n));
	}
	out->failed |= text.failed;
	pp_buf_release(&text);
}

static pp_status
show_excerpt(const struct pp_subject *subject, const void *data, struct pp_excerpt *x)
{
	const struct show_params *params = data;
	const struct pp_topic *topic = subject->topics;
	const struct pp_handles *h = pp_excerpt_handles(x, topic);
	const struct pp_profile *p = topic->profile;
	struct pp_row *r = &x->head;
	pp_func func;
	uint32_t rank;
	pp_status status = h ? pp_excerpt_function(x, topic, params->function, &func)
	                     : pp_answer_fail_status(x->answer, PP_E_NOMEM);

	if (status != PP_OK)
		return status;
	func = p->funcs.at[func].same;
	if (r->text && !x->limit) {
		show_say(x, h, p, func);
		return PP_OK;
	}
	rank = pp_handles_rank(h, func);
	pp_excerpt_head(x, topic, p->metrics.n, (union pp_value){ 0 });
	pp_excerpt_shorten(x);
	pp_row_key(r, "id");
	pp_row_handle(r, 'f', rank);
	pp_row_key(r, "place");
	pp_row_place(r, p, func);
	pp_row_key(r, "calls");
	if (rank && h->flat.has_calls && (h->flat.calls[rank - 1] || !pp_calls_are_all(p)))
		pp_row_count(r, h->flat.calls[rank - 1]);
	else
		pp_row_null(r);
	r->clip = 24;
	if (rank) {
		costs_add(r, "self", &h->flat, rank - 1, false);
		costs_add(r, "total_of", &h->flat, rank - 1, true);
	}
	pp_row_key(r, "name_bytes");
	pp_row_count(r, pp_text_of(p, p->funcs.at[func].name).n);
	name_add(x, pp_text_of(p, p->funcs.at[func].name));
	return PP_OK;
}
