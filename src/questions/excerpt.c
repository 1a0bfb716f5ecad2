/*
 * An answer under a budget.
 */
#include "questions/excerpt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/estimate.h"
#include "base/stops.h"
#include "formats/format.h"
#include "questions/find.h"

/* Texts have so many bytes at most; less where not even one row would fit. */
#define CLIP 160
#define CLIP_SHORT 60
#define CLIP_LEAST 24
#define CLIP_NEARLY 8
#define METRIC_BYTES 40
#define METRIC_LEAST 16
#define PATH_BYTES 60
/* Where two files have to be named in so few bytes. */
#define SMALL 1000
#define PATH_LEAST 20
#define ERROR_BYTES 300
#define NOTES_SHOWN 3
/* Notes leave that much for columns, a row and the end. */
#define NOTE_ROOM 420
#define CANDIDATES_SHOWN 8
/* An answer with rows left out uses at least this share of its room. */
#define FILLED 0.6
/* How often an answer is made anew with shorter texts. */
#define TIGHTEST 2

/* ---- the head ---- */

/* Bytes of an echoed path. */
static size_t
path_bytes(const struct pp_excerpt *x, bool one_of_two)
{
	if (x->tight > 1)
		return CLIP_NEARLY;
	return x->tight || (one_of_two && x->limit && x->limit < SMALL) ? PATH_LEAST : PATH_BYTES;
}

static void
stamp_add(struct pp_row *r, const struct pp_topic *topic)
{
	char stamp[16];

	snprintf(stamp, sizeof stamp, "%08x", (unsigned)topic->stamp);
	pp_row_key(r, "stamp");
	pp_row_word(r, stamp);
}

void
pp_excerpt_file(struct pp_excerpt *x, const struct pp_topic *topic)
{
	pp_row_key(&x->head, "file");
	pp_row_path(&x->head, topic->file ? topic->file : "", path_bytes(x, true));
	stamp_add(&x->head, topic);
}

size_t
pp_excerpt_metric_clip(const struct pp_excerpt *x)
{
	return x->tight == 0 ? METRIC_BYTES : x->tight == 1 ? METRIC_LEAST : CLIP_NEARLY;
}

void
pp_excerpt_head(struct pp_excerpt *x, const struct pp_topic *topic, size_t metric,
                union pp_value total)
{
	const struct pp_profile *p = topic->profile;
	struct pp_row *r = &x->head;
	struct pp_buf label = { 0 };

	pp_row_key(r, "file");
	pp_row_path(r, topic->file ? topic->file : "", path_bytes(x, false));
	if (!p)
		return;
	pp_row_key(r, "format");
	pp_row_word(r, p->format->name);
	stamp_add(r, topic);
	pp_row_key(r, "complete");
	pp_row_bool(r, p->complete);
	if (metric < p->metrics.n) {
		struct pp_aside_row aside = pp_profile_aside(p, metric);
		size_t clip = r->clip;

		r->clip = pp_excerpt_metric_clip(x);
		pp_metric_label(p, &p->metrics.at[metric], &label);
		pp_row_key(r, "metric");
		pp_row_text(r, pp_slice_of(label.p ? label.p : "", label.n));
		if (aside.attributed) {
			pp_row_key(r, "attributed");
			pp_row_bool(r, true);
		}
		pp_row_key(r, "unit");
		pp_row_text(r, pp_text_of(p, p->metrics.at[metric].unit));
		pp_row_key(r, "total");
		pp_row_value(r, &p->metrics.at[metric], pp_value_with_idle(p, metric, total));
		if (metric < p->aside.n && !pp_value_is_zero(&p->metrics.at[metric], aside.idle)) {
			pp_row_key(r, "idle");
			pp_row_value(r, &p->metrics.at[metric], aside.idle);
		}
		r->clip = clip;
	}
	if (p->estimated || pp_estimate_possible(p)) {
		pp_row_key(r, "estimated");
		pp_row_bool(r, true);
	}
	pp_buf_release(&label);
}

void
pp_excerpt_say(struct pp_excerpt *x)
{
	x->head.out->n = 0;
	x->head.cells = 0;
	x->noted = x->said = true;
}

/* ---- handles ---- */

static void
handles_release(void *data)
{
	pp_handles_free(*(struct pp_handles **)data);
}

const struct pp_handles *
pp_answer_handles(struct pp_answer *a, const struct pp_topic *topic)
{
	struct pp_handles **own;
	size_t i;

	if (topic->handles)
		return topic->handles;
	for (i = 0; i < a->owned.n; i++)
		if (a->owned.at[i].release == handles_release) {
			own = a->owned.at[i].data;
			if (*own &&
			    (*own)->profile == (topic->whole ? topic->whole : topic->profile))
				return *own;
		}
	own = pp_answer_own(a, sizeof *own, handles_release);
	if (own)
		*own = pp_handles_new(topic->whole ? topic->whole : topic->profile);
	a->failed |= !own || !*own;
	return own ? *own : NULL;
}

const struct pp_handles *
pp_excerpt_handles(struct pp_excerpt *x, const struct pp_topic *topic)
{
	return pp_answer_handles(x->answer, topic);
}

static void
numbering_release(void *data)
{
	pp_numbering_release(data);
}

const struct pp_numbering *
pp_excerpt_numbering(struct pp_answer *a, const struct pp_topic *topic)
{
	const struct pp_handles *h = pp_answer_handles(a, topic);
	struct pp_numbering *own;

	if (!h || topic->profile == h->profile)
		return h ? &h->tree : NULL;
	own = pp_answer_own(a, sizeof *own, numbering_release);
	if (!own || !pp_numbering_make(own, topic->profile) ||
	    (h->tree.n > 1 && !pp_numbering_adopt(own, &h->tree)))
		return NULL;
	if (!own->label && h->tree.n > 1)
		pp_answer_note(a, "own-nodes", "nodes are numbered in the filtered tree");
	return own;
}

bool
pp_excerpt_has_handles(const struct pp_excerpt *x, const struct pp_topic *topic)
{
	const struct pp_profile *whole = topic->whole ? topic->whole : topic->profile;

	return topic->profile == whole ||
	       (topic->profile->funcs.n == whole->funcs.n && !topic->profile->derived.alone.n);
}

pp_status
pp_excerpt_function(struct pp_excerpt *x, const struct pp_topic *topic, const char *name,
                    pp_func *func)
{
	return pp_find_topic_function(x->answer, topic, name, func);
}

/* ---- what is said beside the rows ---- */

/* Notes whose words are the same whatever the profile says of itself. */
static const struct {
	const char *rule, *says;
} known_notes[] = {
	{ "attributed", "the cost of allocators is shown at their callers" },
	{ "idle", "idle time is left out of rows and shares" },
	{ "set-aside", "this function is left out of answers; all-frames shows it" },
	{ "filters-nothing", "the filters leave nothing" },
	{ "filters-keep", "filters are on: shares are of what they keep" },
	{ "estimated", "whole stacks are not recorded: they are estimated from single calls" },
	{ "merged", "several files are merged" },
	{ "directory", "the profiles of a directory are merged" },
	{ "left-out", "files that could not be merged are left out" },
	{ "profiles-left-out",
	  "profiles that measure other things are left out: `metric` chooses others" },
	{ "metric-in-some", "some metrics are known in a part of the files only" },
	{ "calls-overflow", "some numbers of calls are 2^64-1 or more, and shown as that" },
	{ "metric-zero", "the metric is 0 everywhere, another is not" },
	{ "own-nodes", "nodes are numbered in the filtered tree: keep the filters" },
};

static const char *
note_says(const char *rule)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(known_notes); i++)
		if (strcmp(rule, known_notes[i].rule) == 0)
			return known_notes[i].says;
	return NULL;
}

static void
notes_add(struct pp_excerpt *x)
{
	const struct pp_answer *a = x->answer;
	struct pp_row *r = &x->head;
	const char *last = NULL;
	size_t i, n = 0;

	for (i = x->noted ? a->notes.n : 0; i < a->notes.n && n < NOTES_SHOWN; i++) {
		const char *says = note_says(a->notes.at[i].rule);

		if (!says || says == last ||
		    (x->limit && r->out->n + strlen(says) + NOTE_ROOM > x->limit))
			continue;
		if (n++ == 0) {
			pp_row_key(r, "notes");
			pp_row_open(r, '[');
		}
		pp_row_word(r, says);
		last = says;
	}
	if (n)
		pp_row_close(r, ']');
	x->noted = true;
}

/* What follows the rows when some were cut. */
static void
cut_add(struct pp_buf *out, bool text, uint64_t rows, double percent,
        const struct pp_excerpt_next *next)
{
	struct pp_row r = { .out = out, .text = text, .clip = CLIP };

	if (text) {
		pp_buf_addf(out, "%llu more", (unsigned long long)rows);
		if (isfinite(percent))
			pp_buf_addf(out, ", %.2f %%", percent);
		pp_buf_addf(out, "; next: %s%s--%s %s", next->tool ? next->tool : "",
		            next->tool ? " " : "", next->key, next->value);
		if (next->and_key)
			pp_buf_addf(out, " --%s %s", next->and_key, next->and_value);
		pp_buf_addc(out, '\n');
		return;
	}
	pp_buf_adds(out, ",\"cut\":{");
	pp_row_key(&r, "rows");
	pp_row_count(&r, rows);
	if (isfinite(percent)) {
		pp_row_key(&r, "pct");
		pp_row_real(&r, percent, 2);
	}
	pp_row_key(&r, "next");
	pp_row_open(&r, '{');
	if (next->tool) {
		pp_row_key(&r, "tool");
		pp_row_word(&r, next->tool);
	}
	pp_row_key(&r, next->key);
	pp_row_word(&r, next->value);
	if (next->and_key) {
		pp_row_key(&r, next->and_key);
		pp_row_word(&r, next->and_value);
	}
	pp_buf_adds(out, "}}");
}

/* ---- rows ---- */

/* Room that a cut takes at most: both numbers, a tool, an argument. */
#define CUT_BYTES 90
#define END_BYTES 3
/* The same of pages, beside the numbers of rows. */
#define CUT_WORDS 58

static void
columns_add(struct pp_buf *out, const struct pp_excerpt *x)
{
	size_t i;

	if (!x->column_count || x->said)
		return;
	if (!x->head.text)
		pp_buf_adds(out, ",\"columns\":[");
	for (i = 0; i < x->column_count; i++)
		pp_buf_addf(out, x->head.text ? "%s%s" : "%s\"%s\"",
		            i == 0         ? ""
		            : x->head.text ? "  "
		                           : ",",
		            x->columns[i]);
	pp_buf_adds(out, x->head.text ? "\n" : "],\"rows\":[");
}

static void
row_make(struct pp_excerpt *x, size_t row, size_t clip, struct pp_buf *out, bool first)
{
	struct pp_row r = { .out = out, .text = x->head.text, .clip = clip };

	if (!r.text)
		pp_buf_adds(out, first ? "[" : ",[");
	x->row(x->data, row, &r);
	pp_buf_adds(out, r.text ? "\n" : "]");
}

static size_t
cut_bytes(const struct pp_excerpt *x)
{
	return CUT_WORDS + 2 * (size_t)snprintf(NULL, 0, "%zu", x->rows);
}

/* Rows from the first on that fit; *cut_at is how much of `out` is used when others have to be cut, *rows how many. */
static size_t
rows_fill(struct pp_excerpt *x, size_t clip, struct pp_buf *out, size_t *kept, size_t *cut_at)
{
	size_t row, whole = x->limit ? x->limit - END_BYTES : SIZE_MAX, cut = cut_bytes(x);

	*kept = 0;
	*cut_at = out->n;
	for (row = (size_t)x->first; row < x->rows; row++) {
		size_t from = out->n;

		row_make(x, row, clip, out, row == x->first);
		if (out->n > whole || out->failed) {
			out->n = from;
			return row;
		}
		if (out->n + cut <= whole) {
			*kept = row + 1 - (size_t)x->first;
			*cut_at = out->n;
		}
	}
	return row;
}

/* Whether enough of the room is used. */
static bool
is_filled(const struct pp_excerpt *x, size_t used)
{
	return x->limit == 0 || (double)used >= FILLED * (double)x->limit;
}

/* All rows, or as many as leave room to say that others were cut. */
static void
rows_add(struct pp_excerpt *x, struct pp_buf *out)
{
	static const size_t clips[] = { CLIP, CLIP_SHORT, CLIP_LEAST, CLIP_NEARLY };
	struct pp_excerpt_next next = { .key = "page" };
	size_t start = out->n, kept = 0, cut_at = start, i, row;
	double left = 0;

	x->first = x->first < x->rows ? x->first : x->rows;
	for (i = 0; i < PP_COUNT_OF(clips); i++) {
		out->n = start;
		if (rows_fill(x, clips[i], out, &kept, &cut_at) == x->rows) {
			pp_buf_adds(out, x->head.text ? "" : "]");
			return;
		}
		if (kept && is_filled(x, cut_at + CUT_WORDS))
			break;
	}
	x->starved = !kept;
	x->loose = !is_filled(x, cut_at + CUT_WORDS);
	out->n = cut_at;
	pp_buf_adds(out, x->head.text ? "" : "]");
	for (row = (size_t)x->first + kept;
	     x->percent && row < x->rows && !pp_account_stops_at(row); row++)
		left += x->percent(x->data, row);
	snprintf(next.value, sizeof next.value, "%zu", (size_t)x->first + kept);
	cut_add(out, x->head.text, x->rows - x->first - kept, x->percent ? left : NAN, &next);
}

void
pp_excerpt_shorten(struct pp_excerpt *x)
{
	if (x->limit && x->limit < 2000)
		x->head.clip = x->limit < 1000 ? CLIP_LEAST : CLIP_SHORT;
	if (x->tight)
		x->head.clip = x->tight > 1 ? CLIP_NEARLY : CLIP_LEAST;
}

size_t
pp_excerpt_room(struct pp_excerpt *x)
{
	struct pp_buf columns = { 0 };
	size_t used;

	notes_add(x);
	columns_add(&columns, x);
	used = x->head.out->n + columns.n + CUT_BYTES + END_BYTES + 16;
	pp_buf_release(&columns);
	return x->limit == 0 ? SIZE_MAX : x->limit > used ? x->limit - used : 0;
}

static void
chosen_add(struct pp_excerpt *x, struct pp_buf *out)
{
	size_t row;

	for (row = 0; row < x->rows && !pp_account_stops(); row++)
		row_make(x, row, CLIP, out, row == 0);
	pp_buf_adds(out, x->head.text ? "" : "]");
	if (x->next.key)
		cut_add(out, x->head.text, x->cut_rows, x->cut_percent, &x->next);
}

/* Hands the bytes over to the answer. */
static void
answer_take(struct pp_excerpt *x)
{
	struct pp_answer *a = x->answer;

	if (!x->head.text)
		pp_buf_adds(x->head.out, "}\n");
	a->excerpt = pp_slice_of(pp_answer_made(a, x->head.out), x->head.out->n);
	a->excerpt.p = (const void *)pp_answer_copy(a, a->excerpt);
	a->failed |= x->head.out->failed;
}

/* ---- failures ---- */

/* Errors whose own words may hold what the profile says; the rest speaks of what was asked. */
static const struct {
	const char *rule, *says;
} known_errors[] = {
	{ "no-metric", "no such metric; `info` lists those there are" },
	{ "not-alike", "the files do not count the same things, so they cannot be merged" },
	{ "not-merged", "the files cannot be merged" },
	{ "no-comparison", "the profiles cannot be compared that way" },
	{ "several-functions", "several functions are named so; give a handle" },
	{ "no-function", "no function is named so; `top` lists functions with their handles" },
};

static const struct pp_answer_note *
error_of(const struct pp_answer *a)
{
	size_t i;

	for (i = 0; i < a->notes.n; i++)
		if (a->notes.at[i].severity == PP_ERROR)
			return &a->notes.at[i];
	return NULL;
}

/* Where a text comes to an option or a command of the shell, which agents do not have; NULL when it does not. */
static const char *
option_find(const char *text)
{
	const char *at = text, *command = strstr(text, "`polyprof ");

	while ((at = strstr(at, "--")) && at > text && at[-1] != ' ' && at[-1] != '`')
		at += 2;
	return at && (!command || at < command) ? at : command;
}

/* What an error says before that. */
static struct pp_slice
without_options(const char *text)
{
	static const char *const ends[] = { "; ", ": ", ", " };
	const char *option = option_find(text), *at;
	size_t i;

	if (option == text)
		return pp_slice_z(text + strspn(text, "-"));
	for (i = 0; option && i < PP_COUNT_OF(ends); i++) {
		const char *last = NULL;

		for (at = text; (at = strstr(at, ends[i])) && at < option; at++)
			last = at;
		if (last)
			return pp_slice_of(text, (size_t)(last - text));
	}
	return pp_slice_z(text);
}

static void
error_text(struct pp_buf *out, const struct pp_answer *a)
{
	const struct pp_answer_note *note = error_of(a);
	size_t i, n = a->candidates.n + a->more_candidates;
	const char *said = note ? note->text : a->unreadable ? a->unreadable : "it failed";

	for (i = 0; note && i < PP_COUNT_OF(known_errors); i++)
		if (strcmp(note->rule, known_errors[i].rule) == 0) {
			if (strcmp(note->rule, "several-functions") == 0)
				pp_buf_addf(out, "%zu functions are named so; give a handle", n);
			else
				pp_buf_adds(out, known_errors[i].says);
			return;
		}
	(void)pp_spell(out, without_options(said), ERROR_BYTES);
}

/* What may have been meant: handle, name, place. */
static void
candidates_add(struct pp_excerpt *x)
{
	struct pp_answer *a = x->answer;
	struct pp_row *r = &x->head;
	const struct pp_topic *topic = x->subject && x->subject->n ? x->subject->topics : NULL;
	const struct pp_handles *h = topic && topic->profile ? pp_excerpt_handles(x, topic) : NULL;
	size_t i, from;

	if (!a->candidates.n)
		return;
	r->clip = CLIP_SHORT;
	pp_row_key(r, "candidates");
	pp_row_open(r, '[');
	for (i = 0; i < a->candidates.n && i < CANDIDATES_SHOWN; i++) {
		const struct pp_candidate *c = &a->candidates.at[i];

		from = r->out->n;
		pp_row_open(r, '[');
		pp_row_handle(r, 'f', pp_handles_rank(h, c->func));
		pp_row_text(r, c->name);
		pp_row_text(r, c->place);
		pp_row_close(r, ']');
		if (x->limit && r->out->n + 4 > x->limit) {
			r->out->n = from;
			break;
		}
	}
	pp_row_close(r, ']');
}

static void
head_begin(struct pp_excerpt *x, struct pp_asking *asking, const struct pp_subject *subject)
{
	const struct pp_budget *budget = &asking->params->budget;

	*x = (struct pp_excerpt){ .answer = &asking->answer,
		                  .question = asking->question,
		                  .subject = subject,
		                  .asked = asking->params };
	x->limit = budget->tokens == 0 || budget->tokens == PP_UNSET
	               ? 0
	               : (size_t)budget->tokens * PP_TOKEN_BYTES;
	x->first = budget->page == PP_UNSET ? 0 : budget->page;
	x->head = (struct pp_row){ .out = &x->head_bytes,
		                   /* Commands that write files also answer in text. */
		                   .text = asking->params->form == PP_RENDER_TEXT ||
		                           asking->params->form == PP_RENDER_FILE,
		                   .clip = CLIP };
	if (x->head.text) {
		pp_buf_addf(x->head.out, "%s: ", asking->question->name);
		return;
	}
	pp_buf_addc(x->head.out, '{');
	pp_row_key(&x->head, "tool");
	pp_row_word(&x->head, asking->question->name);
}

static void
failure_make(struct pp_asking *asking, const struct pp_subject *subject)
{
	struct pp_answer *a = &asking->answer;
	struct pp_buf text = { 0 };
	struct pp_excerpt x;

	if (asking->params->form != PP_RENDER_JSON || !pp_excerpt_asked(asking))
		return;
	head_begin(&x, asking, subject);
	error_text(&text, a);
	while (text.n && text.p[text.n - 1] == ':')
		text.n--;
	pp_row_key(&x.head, "error");
	pp_row_spelled(&x.head, &text);
	candidates_add(&x);
	answer_take(&x);
	a->stands = true;
	pp_buf_release(&text);
	pp_buf_release(&x.head_bytes);
}

void
pp_excerpt_fail(struct pp_asking *asking)
{
	if (!asking->answer.excerpt.n)
		failure_make(asking, NULL);
}

/* Makes the object, all but its end. */
static pp_status
excerpt_make(struct pp_excerpt *x, struct pp_asking *asking, const struct pp_subject *subject)
{
	pp_status status = asking->question->excerpt(subject, asking->params, x);

	if (status != PP_OK)
		return status;
	notes_add(x);
	pp_buf_adds(x->head.out, x->head.text ? "\n" : "");
	columns_add(x->head.out, x);
	if (x->column_count && x->chosen)
		chosen_add(x, x->head.out);
	else if (x->column_count)
		rows_add(x, x->head.out);
	return PP_OK;
}

/* Whether an object is larger than asked for, or leads nowhere since none of its rows fits. */
static bool
is_unfit(const struct pp_excerpt *x)
{
	return x->limit && (x->starved || x->head.out->n + 1 > x->limit);
}

/* Texts that are unusually long when escaped are made shorter, until the answer fits. */
static pp_status
excerpt_fit(struct pp_excerpt *x, struct pp_asking *asking, const struct pp_subject *subject)
{
	struct pp_answer *a = &asking->answer;
	size_t notes = a->notes.n;
	pp_status status = excerpt_make(x, asking, subject);
	unsigned tight;

	for (tight = 1; status == PP_OK && (is_unfit(x) || x->loose) && tight <= TIGHTEST &&
	                !pp_account_stops();
	     tight++) {
		pp_buf_release(&x->head_bytes);
		a->notes.n = notes;
		head_begin(x, asking, subject);
		x->tight = tight;
		status = excerpt_make(x, asking, subject);
	}
	if (status != PP_OK || !is_unfit(x))
		return status;
	return pp_answer_fail(
	    a, PP_E_USAGE, PP_RULE_USAGE,
	    "the budget is too small for this answer: ask for twice as many tokens");
}

pp_status
pp_excerpt_run(struct pp_asking *asking, const struct pp_subject *subject)
{
	struct pp_answer *a = &asking->answer;
	uint64_t tokens = asking->params->budget.tokens;
	struct pp_excerpt x;
	pp_status status = PP_OK;

	head_begin(&x, asking, subject);
	if (tokens != PP_UNSET && (tokens < PP_TOKENS_LEAST || tokens > PP_TOKENS_MOST))
		status = pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                        "--budget takes %d to %d tokens", PP_TOKENS_LEAST,
		                        PP_TOKENS_MOST);
	if (status == PP_OK)
		status = excerpt_fit(&x, asking, subject);
	if (status == PP_OK)
		answer_take(&x);
	else if (status != PP_E_NOMEM && !a->needs_stacks)
		failure_make(asking, subject);
	pp_buf_release(&x.head_bytes);
	return status;
}
