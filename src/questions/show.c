/*
 * show: one function, its whole name included.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/leaf_kind.h"
#include "questions/excerpt.h"
#include "questions/ranking.h"
#include "text/escape.h"
#include "text/units.h"

/* Bytes of an answer that are kept for the name and for what says how it goes on; the part of a name that is worth a page. */
#define END_ROOM 100
#define NAME_ROOM 230
#define NAME_LEAST 4

struct show_params {
	struct pp_asked asked;
	const char *function;
	struct pp_scope scope;
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

static const struct pp_param_use show_uses[] = {
	{ &function_group, 0, PP_GROUP_FIRST },
	{ &pp_params_frames, offsetof(struct show_params, scope), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_show = {
	.name = "show",
	.summary = "one function: all of its metrics, its whole name",
	.params = show_uses,
	.params_size = sizeof(struct show_params),
	.scope_at = offsetof(struct show_params, scope),
	.word = function_params,
	.gives = PP_GIVES_JSON,
	.excerpt = show_excerpt,
};

/* What a function costs, by metric, as much as fits. */
struct costs {
	struct pp_buf self, total;
	bool text;
	size_t clip; /* bytes of a metric's name */
	size_t left; /* metrics that are not told */
};

/* Adds a metric to both objects, or counts it as left; names that are clipped to the same must not become one key twice. */
static void
costs_add(struct costs *c, const struct pp_flat *f, size_t row, size_t m, size_t room)
{
	const struct pp_metric *metric = &f->profile->metrics.at[m];
	struct pp_cost_pair cost = pp_flat_get(f, row, m);
	struct pp_buf label = { 0 }, key = { 0 };
	struct pp_row of_key = { .out = &key, .text = c->text, .clip = c->clip };
	struct pp_row self = { .out = &c->self }, total = { .out = &c->total };
	const char *comma = c->text ? ", " : ",";
	size_t used[2] = { c->self.n, c->total.n };

	pp_metric_label(f->profile, metric, &label);
	pp_row_text(&of_key, pp_slice_of(label.p ? label.p : "", label.n));
	pp_buf_addc(&key, c->text ? ' ' : ':');
	if (!key.failed && (!c->self.n || !memmem(c->self.p, c->self.n, key.p, key.n))) {
		pp_buf_adds(&c->self, used[0] ? comma : "");
		pp_buf_add(&c->self, key.p, key.n);
		pp_row_value(&self, metric, cost.own);
		pp_buf_adds(&c->total, used[1] ? comma : "");
		pp_buf_add(&c->total, key.p, key.n);
		pp_row_value(&total, metric, cost.total);
	}
	if (c->self.n == used[0] || c->self.n + c->total.n > room) {
		c->self.n = used[0];
		c->total.n = used[1];
		c->left++;
	}
	c->self.failed |= label.failed || key.failed;
	pp_buf_release(&label);
	pp_buf_release(&key);
}

/* "self": {metric: value}, "total_of" likewise, and how many metrics there was no room for. */
static void
costs_tell(struct pp_excerpt *x, const struct pp_flat *f, size_t row)
{
	struct pp_row *r = &x->head;
	size_t room = SIZE_MAX, used = r->out->n + NAME_ROOM, m;
	struct costs c = { .text = r->text, .clip = r->clip };

	if (x->limit)
		room = x->limit > used ? x->limit - used : 0;
	for (m = 0; m < pp_metrics_shown(f->profile); m++)
		costs_add(&c, f, row, m, room);
	pp_row_key(r, "self");
	pp_row_open(r, '{');
	pp_row_raw(r, c.self.p ? (const char *)c.self.p : "", c.self.n);
	pp_row_close(r, '}');
	pp_row_key(r, "total_of");
	pp_row_open(r, '{');
	pp_row_raw(r, c.total.p ? (const char *)c.total.p : "", c.total.n);
	pp_row_close(r, '}');
	if (c.left) {
		pp_row_key(r, "metrics_left");
		pp_row_count(r, c.left);
	}
	r->out->failed |= c.self.failed || c.total.failed;
	pp_buf_release(&c.self);
	pp_buf_release(&c.total);
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

/*
 * How many bytes of a name fit. One that is spelled may take four, is escaped then, and has two hexadecimal digits; of
 * others, quotes and backslashes are escaped.
 */
static size_t
name_fit(struct pp_slice rest, size_t room, bool spelled)
{
	size_t n = 0, used = 0;

	if (spelled)
		return room / 8;
	while (n < rest.n && used < room) {
		used += rest.p[n] == '"' || rest.p[n] == '\\' ? 2 : 1;
		n += used <= room;
	}
	return n;
}

/* The name from a byte on, as much as fits; the page says from where. */
static void
name_add(struct pp_excerpt *x, struct pp_slice name)
{
	struct pp_row *r = &x->head;
	size_t clip = r->clip, from = x->first < name.n ? (size_t)x->first : name.n, i;
	bool spelled = is_spelled(name);
	size_t used = r->out->n + END_ROOM, n = name.n - from;
	size_t room = x->limit > used ? x->limit - used : 0;

	room = x->limit ? name_fit(pp_slice_of(name.p + from, n), room, spelled) : name.n;
	x->starved = room < NAME_LEAST && n > room;
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

/* Returns the function's row in the flat profile that is shown, or NULL if it has none. */
struct cost_row {
	const struct pp_flat *flat;
	size_t row;
};

static void
flat_release(void *flat)
{
	pp_flat_release(flat);
}

/* Finds that row: the handles' own where they are of the same profile. False when out of memory. */
static bool
row_find(struct pp_excerpt *x, const struct pp_handles *h, const struct pp_profile *p, pp_func func,
         struct cost_row *found)
{
	uint32_t rank = pp_handles_rank(h, func);
	struct pp_flat *own;

	*found = (struct cost_row){ 0 };
	if (p == h->profile) {
		if (rank)
			*found = (struct cost_row){ &h->flat, rank - 1 };
		return true;
	}
	own = pp_answer_own(x->answer, sizeof *own, flat_release);
	if (!own || pp_flat_compute(p, own) != PP_OK)
		return false;
	while (found->row < own->n && own->func[found->row] != func)
		found->row++;
	found->flat = found->row < own->n ? own : NULL;
	return true;
}

/* For people: the name, then what is known of the function, a line for each. */
static void
show_say(struct pp_excerpt *x, const struct pp_handles *h, const struct pp_profile *p, pp_func func,
         struct cost_row at)
{
	struct pp_buf *out = x->head.out, text = { 0 };
	struct pp_row place = { .out = &text, .text = true, .clip = SIZE_MAX };
	size_t m;

	pp_excerpt_say(x);
	pp_func_text(out, p, func);
	pp_row_place(&place, p, func);
	if (text.n && !(text.n == 1 && text.p[0] == '-'))
		pp_buf_addf(out, "\n  place   %.*s", (int)text.n, text.p);
	pp_buf_addf(out, "\n  handle  f%u", pp_handles_rank(h, func));
	if (at.flat && pp_flat_calls_known(at.flat, at.row)) {
		pp_buf_adds(out, "\n  calls   ");
		pp_units_u64(out, at.flat->calls[at.row]);
	}
	for (m = 0; at.flat && m < 2 * pp_metrics_shown(p); m++) {
		const struct pp_metric *metric = &p->metrics.at[m / 2];
		struct pp_cost_pair cost = pp_flat_get(at.flat, at.row, m / 2);

		text.n = 0;
		pp_metric_describe(&text, p, metric,
		                   pp_value_double(metric, m % 2 ? cost.total : cost.own));
		pp_buf_adds(out, m % 2 ? "\n  total   " : "\n  self    ");
		pp_escape_terminal(out, pp_slice_of(text.p ? text.p : "", text.n));
	}
	out->failed |= text.failed;
	pp_buf_release(&text);
}

/* What is known of a function besides its name. */
static void
facts_tell(struct pp_excerpt *x, const struct pp_profile *p, pp_func func, struct cost_row at)
{
	struct pp_row *r = &x->head;

	pp_row_key(r, "place");
	pp_row_place(r, p, func);
	pp_row_key(r, "calls");
	if (at.flat && pp_flat_calls_known(at.flat, at.row))
		pp_row_count(r, at.flat->calls[at.row]);
	else
		pp_row_null(r);
	if (at.flat)
		costs_tell(x, at.flat, at.row);
}

static pp_status
show_excerpt(const struct pp_subject *subject, const void *data, struct pp_excerpt *x)
{
	const struct show_params *params = data;
	const struct pp_topic *topic = subject->topics;
	const struct pp_handles *h = pp_excerpt_handles(x, topic);
	const struct pp_profile *p = topic->profile;
	struct pp_row *r = &x->head;
	struct cost_row at;
	pp_func func;
	pp_status status = h ? pp_excerpt_function(x, topic, params->function, &func)
	                     : pp_answer_fail_status(x->answer, PP_E_NOMEM);

	if (status != PP_OK)
		return status;
	func = p->funcs.at[func].same;
	if (!row_find(x, h, p, func, &at))
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	if (!at.flat && p->aside.n && pp_leaf_kind_of(p, func) != PP_LEAF_PLAIN)
		pp_aside_note(x->answer, p, func);
	if (r->text && !x->limit) {
		show_say(x, h, p, func, at);
		return PP_OK;
	}
	pp_excerpt_head(x, topic, p->metrics.n, (union pp_value){ 0 });
	pp_excerpt_shorten(x);
	pp_row_key(r, "id");
	pp_row_handle(r, 'f', pp_handles_rank(h, func));
	/* Pages that follow are of a long name: what else is known was told. */
	if (!x->first)
		facts_tell(x, p, func, at);
	pp_row_key(r, "name_bytes");
	pp_row_count(r, pp_text_of(p, p->funcs.at[func].name).n);
	name_add(x, pp_text_of(p, p->funcs.at[func].name));
	return PP_OK;
}
