/*
 * info: what a file is and what it holds.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/num.h"
#include "formats/format.h"
#include "questions/describe.h"
#include "questions/excerpt_info.h"
#include "questions/findings.h"
#include "questions/label_list.h"
#include "questions/occasion.h"
#include "questions/question.h"
#include "text/units.h"

struct info_params {
	struct pp_asked asked;
	bool why;
};

static void info_want(const void *, struct pp_want *);
static pp_status info_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param info_params[] = {
	{ "why", 0, PP_PARAM_FLAG, NULL,
	  "print each format's bid for the file: the bits it verified", PP_HINT_NONE,
	  offsetof(struct info_params, why) },
	{ 0 },
};
static const struct pp_param_group info_group = { "Recognition", info_params };

static const struct pp_param_use info_uses[] = { { &info_group, 0, PP_GROUP_FIRST }, { 0 } };

const struct pp_question pp_question_info = {
	.name = "info",
	.summary = "what a file is: format, metrics with totals, counts, completeness",
	.params = info_uses,
	.params_size = sizeof(struct info_params),
	.asks = PP_ASKS_EACH,
	.gives = PP_GIVES_JSON,
	.want = info_want,
	.excerpt = pp_info_excerpt,
	.run = info_run,
};

static void
info_want(const void *params, struct pp_want *want)
{
	want->facets |= PP_LABELS | PP_THREADS;
}

/* ---- lines for people; each takes the text of a buffer and empties it ---- */

static void
line_take(struct pp_answer *a, const char *key, struct pp_buf *text)
{
	pp_answer_line(a, key, PP_INK_PLAIN, pp_slice_of(text->p ? text->p : "", text->n));
	text->n = 0;
}

static void
slice_add(struct pp_buf *text, struct pp_slice s)
{
	pp_buf_add(text, s.p, s.n);
}

static void
format_say(struct pp_answer *a, const struct pp_topic *topic, struct pp_buf *text)
{
	const struct pp_profile *p = topic->profile;
	size_t i;

	pp_buf_addf(text, "%s (%s", p->format->name, p->format->title);
	if (p->variant) {
		pp_buf_adds(text, ", variant ");
		slice_add(text, pp_text_of(p, p->variant));
	}
	pp_buf_adds(text, ")");
	line_take(a, "format", text);
	for (i = 0; i < PP_COUNT_OF(p->compression) && p->compression[i]; i++) {
		pp_buf_adds(text, i ? ", then " : "");
		slice_add(text, pp_text_of(p, p->compression[i]));
	}
	line_take(a, "compression", text);
	if (topic->file_size)
		pp_units_bytes(text, (double)topic->file_size);
	line_take(a, "size", text);
	slice_add(text, pp_text_of(p, p->producer));
	line_take(a, "producer", text);
}

/* What the profiler itself took of the time, in ns, where the file tells (NYTProf); false when it does not. */
static bool
overhead_find(const struct pp_profile *p, double *overhead)
{
	double ticks, rate;

	if (!pp_num_double(pp_profile_meta(p, "cumulative_overhead_ticks"), &ticks) ||
	    !pp_num_double(pp_profile_meta(p, "ticks_per_sec"), &rate) || !(rate > 0) ||
	    !(ticks > 0))
		return false;
	*overhead = ticks / rate * 1e9;
	return *overhead < 9e18;
}

static void
time_say(struct pp_answer *a, const struct pp_profile *p, struct pp_buf *text)
{
	struct pp_buf from = { 0 }, to = { 0 };
	double overhead;

	if (p->recorded_at)
		pp_units_date(text, p->recorded_at);
	line_take(a, "recorded", text);
	if (p->time.known)
		pp_units_time(text, (double)p->time.end - (double)p->time.start);
	/* A clock that ran for days says nothing of a recording that lasted for less than it is told by. */
	pp_units_time(&from, (double)p->time.start);
	pp_units_time(&to, (double)p->time.end);
	if (p->time.known && p->time.start != 0 &&
	    pp_slice_cmp(pp_slice_of(from.p, from.n), pp_slice_of(to.p, to.n)) != 0) {
		pp_buf_adds(text, " (from ");
		pp_buf_add(text, from.p, from.n);
		pp_buf_adds(text, " to ");
		pp_buf_add(text, to.p, to.n);
		pp_buf_adds(text, ")");
	}
	text->failed |= from.failed || to.failed;
	pp_buf_release(&from);
	pp_buf_release(&to);
	if (p->time.known && p->metrics.n && overhead_find(p, &overhead)) {
		size_t primary = pp_profile_primary(p);

		pp_buf_adds(text, ", of which the program took ");
		pp_units_time(
		    text, pp_value_double(&p->metrics.at[primary], pp_profile_total(p, primary)));
		pp_buf_adds(text, " and the profiler itself ");
		pp_units_time(text, overhead);
	}
	line_take(a, "time", text);
}

static void
facets_say(struct pp_answer *a, const struct pp_profile *p, struct pp_buf *text)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(pp_facet_names); i++)
		if (p->holds & pp_facet_names[i].facet)
			pp_buf_addf(text, "%s%s", text->n ? ", " : "", pp_facet_names[i].name);
	line_take(a, "facets", text);
	pp_answer_line(a, "complete", p->complete ? PP_INK_GOOD : PP_INK_WARNING,
	               pp_slice_z(p->complete ? "yes" : "no: something is missing"));
}

/* What scripts call a metric, where that is not how people do. */
static void
key_add(struct pp_buf *text, const struct pp_profile *p, const struct pp_metric *m)
{
	struct pp_buf title = { 0 }, label = { 0 };

	pp_metric_title(p, m, &title);
	pp_metric_label(p, m, &label);
	if (title.n != label.n || (label.n && memcmp(title.p, label.p, label.n) != 0)) {
		pp_buf_adds(text, " (");
		pp_buf_add(text, label.p, label.n);
		pp_buf_adds(text, ")");
	}
	text->failed |= title.failed || label.failed;
	pp_buf_release(&title);
	pp_buf_release(&label);
}

static void
metrics_say(struct pp_answer *a, const struct pp_profile *p, struct pp_buf *text)
{
	size_t primary = pp_profile_primary(p), i;
	union pp_value *totals = pp_profile_totals(p);

	a->failed |= !totals;
	for (i = 0; totals && i < pp_metrics_shown(p); i++) {
		const struct pp_metric *m = &p->metrics.at[i];

		pp_metric_describe(text, p, m, pp_value_double(m, totals[i]));
		key_add(text, p, m);
		if (i == primary && pp_metrics_shown(p) > 1)
			pp_buf_adds(text, ", primary");
		if (m->event && !(m->flags & PP_METRIC_SHARED)) {
			pp_buf_adds(text, ", event ");
			slice_add(text, pp_text_of(p, m->event));
		}
		line_take(a, i ? "" : pp_metrics_shown(p) > 1 ? "metrics" : "metric", text);
	}
	free(totals);
}

static void
counts_say(struct pp_answer *a, const struct pp_profile *p, const struct pp_counts *counts,
           struct pp_buf *text)
{
	pp_units_listed(text, p->events, "event", "events");
	pp_units_listed(text, p->samples, "sample", "samples");
	pp_units_listed(text, p->markers, "marker", "markers");
	pp_units_listed(text, counts->stacks, "stack", "stacks");
	pp_units_listed(text, counts->functions, pp_function_said(p, false),
	                pp_function_said(p, true));
	if (counts->threads > 1)
		pp_units_listed(text, counts->threads, "thread", "threads");
	pp_units_listed(text, counts->edges, "edge", "edges");
	pp_units_listed(text, counts->lines, "line", "lines");
	if (text->n == 0)
		pp_buf_adds(text, "nothing: the profile is empty");
	line_take(a, "holds", text);
}

/* ---- statements by file, where lines were counted ---- */

struct file_hits {
	pp_str file;
	uint64_t hits;
	union pp_value cost; /* of the primary metric */
};

/* Files in the order of their first lines; *n of them. NULL when out of memory. */
static struct file_hits *
files_collect(const struct pp_profile *p, size_t primary, size_t *n)
{
	size_t i;
	uint32_t *row_of = calloc(p->strs.strs.n + 1, sizeof *row_of);
	struct file_hits *files = calloc(p->lines.rows.n + 1, sizeof *files);

	*n = 0;
	for (i = 0; row_of && files && i < p->lines.rows.n; i++) {
		uint32_t *row = &row_of[p->lines.rows.at[i].file];
		struct file_hits *file;

		if (!*row) {
			*row = (uint32_t)++ * n;
			files[*n - 1].file = p->lines.rows.at[i].file;
		}
		file = &files[*row - 1];
		pp_count_add(&file->hits, (uint64_t)pp_line_cell(p, i, 0));
		if (primary < p->metrics.n)
			pp_value_add(&p->metrics.at[primary], &file->cost,
			             pp_cell_value(&p->metrics.at[primary],
			                           pp_line_cell(p, i, 1 + primary)));
	}
	free(row_of);
	if (row_of)
		return files;
	free(files);
	return NULL;
}

/* "statements": 12, "files": [{"file": "a.pl", "statements": 12, "time": 200}], and a line for people. */
static bool
files_add(struct pp_answer *a, const struct pp_profile *p, struct pp_buf *text)
{
	size_t primary = pp_profile_primary(p), n, i;
	struct file_hits *files;
	uint64_t hits = 0;

	/* Lines that samples hit were not executed as often. */
	if (!p->lines.hits || !p->lines.rows.n || p->samples)
		return true;
	files = files_collect(p, primary, &n);
	if (!files)
		return false;
	for (i = 0; i < n; i++)
		pp_count_add(&hits, files[i].hits);
	pp_answer_count(a, "statements", hits);
	pp_answer_open_list(a, "files");
	for (i = 0; i < n; i++) {
		pp_answer_open(a, NULL);
		pp_answer_text(a, "file", PP_AS_NAME, pp_text_of(p, files[i].file));
		pp_answer_count(a, "statements", files[i].hits);
		if (primary < p->metrics.n)
			pp_answer_value(a, "cost", p, primary, files[i].cost);
		pp_answer_close(a);
	}
	pp_answer_close_list(a);
	pp_units_u64(text, hits);
	pp_buf_adds(text, " in ");
	pp_units_u64(text, n);
	pp_buf_addf(text, " %s", pp_plural(n, "file", "files"));
	line_take(a, "statements", text);
	free(files);
	return true;
}

/* Browsers tell hundreds of things about themselves; people see so many, JSON has all. */
#define META_LINES 60

/* Meta data as `key  value`, nested ones by their path. */
static void
meta_say(struct pp_answer *a, const struct pp_profile *p, struct pp_buf *text)
{
	size_t i, shown = p->meta.n > META_LINES + 5 ? META_LINES : p->meta.n;

	for (i = 0; i < shown; i++) {
		const struct pp_meta_row *row = &p->meta.at[i];
		struct pp_slice key = pp_text_of(p, row->key);
		uint32_t parent;
		unsigned depth = 0;

		for (parent = row->parent; parent != 0 && depth < 16;
		     parent = p->meta.at[parent - 1].parent)
			depth++;
		pp_buf_addf(text, "%*s", (int)(2 * depth), "");
		slice_add(text, key);
		if (row->type != PP_META_OBJECT && row->type != PP_META_ARRAY) {
			pp_buf_adds(text, key.n ? " = " : "");
			slice_add(text, pp_text_of(p, row->text));
		}
		line_take(a, i ? "" : "meta", text);
	}
	if (shown < p->meta.n) {
		pp_buf_adds(text, "... and ");
		pp_units_u64(text, p->meta.n - shown);
		pp_buf_adds(text, " more lines (--json has all)");
		line_take(a, "", text);
	}
}

/* "bids": [{"format": "folded", "bits": 12}, ...], and the same for people. */
static void
bids_add(struct pp_answer *a, const struct pp_topic *topic, struct pp_buf *text)
{
	size_t i;

	pp_answer_open_list(a, "bids");
	for (i = 0; i < topic->bid_count; i++) {
		const struct pp_bid *bid = &topic->bids[i];

		pp_answer_open(a, NULL);
		pp_answer_textz(a, "format", bid->format->name);
		pp_answer_int(a, "bits", bid->bits);
		pp_answer_close(a);
		pp_buf_addf(text, "%s: %d %s%s", bid->format->name, bid->bits,
		            pp_plural((uint64_t)bid->bits, "bit", "bits"),
		            bid->format == topic->chosen ? ", chosen" : "");
		line_take(a, i ? "" : "bids", text);
	}
	pp_answer_close_list(a);
}

static void
profile_say(struct pp_answer *a, const struct pp_topic *topic, const struct pp_counts *counts,
            struct pp_buf *text)
{
	const struct pp_profile *p = topic->profile;

	format_say(a, topic, text);
	time_say(a, p, text);
	facets_say(a, p, text);
	metrics_say(a, p, text);
	counts_say(a, p, counts, text);
}

/* One file. */
static pp_status
topic_add(struct pp_answer *a, const struct pp_topic *topic, bool why)
{
	const struct pp_profile *p = topic->profile;
	const char *file = topic->file ? topic->file : "";
	struct pp_occasion occasion = p ? pp_occasion_of(p) : (struct pp_occasion){ .when = 0 };
	struct pp_counts counts;
	struct pp_buf text = { 0 };
	double overhead;

	if (p && !pp_counts_compute(p, &counts))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	pp_answer_say(a, PP_INK_PLAIN, "%s", pp_answer_has_said(a) ? "\n" : "");
	pp_answer_say_name(a, PP_INK_TITLE, pp_file_title(file));
	pp_answer_say(a, PP_INK_PLAIN, "\n");
	pp_answer_text(a, "file", PP_AS_NAME, pp_slice_z(file));
	if (p) {
		pp_answer_profile(a, p, &counts);
		pp_answer_meta(a, "meta", p);
		if (topic->diags)
			pp_answer_findings(a, topic->diags);
		if (p->recorded_at)
			pp_answer_int(a, "recorded", p->recorded_at);
		pp_answer_occasion(a, &occasion);
		if (topic->file_size)
			pp_answer_count(a, "size", topic->file_size);
		if (overhead_find(p, &overhead))
			pp_answer_real(a, "overhead", overhead);
		profile_say(a, topic, &counts, &text);
		a->failed |= !files_add(a, p, &text);
		pp_answer_labels(a, p);
		meta_say(a, p, &text);
	}
	if (why)
		bids_add(a, topic, &text);
	a->failed |= text.failed;
	pp_buf_release(&text);
	return PP_OK;
}

/* Several files are a list. A file that nobody recognised still has bids, which is when they are wanted most. */
/* Among several files one that cannot be read has an entry, too: scripts count on it. */
static void
topic_failed(struct pp_answer *a, const struct pp_topic *topic)
{
	pp_answer_open(a, NULL);
	pp_answer_text(a, "file", PP_AS_NAME, pp_slice_z(topic->file ? topic->file : ""));
	if (topic->chosen)
		pp_answer_textz(a, "format", topic->chosen->name);
	pp_answer_bool(a, "complete", false);
	if (topic->diags)
		pp_answer_findings(a, topic->diags);
	pp_answer_close(a);
}

static pp_status
info_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct info_params *params = data;
	const struct pp_topic *topic = &subject->topics[subject->nth];
	bool listed = subject->n > 1;
	pp_status status = PP_OK;

	a->stands = listed || (params->why && !params->asked.exact);
	if (listed && subject->nth == 0)
		pp_answer_open_list(a, "files");
	if (topic->profile || (topic->bid_count && params->why && !params->asked.exact)) {
		if (listed)
			pp_answer_open(a, NULL);
		status = topic_add(a, topic, params->why);
		if (listed)
			pp_answer_close(a);
	} else if (listed) {
		topic_failed(a, topic);
	}
	if (listed && subject->nth + 1 == subject->n)
		pp_answer_close_list(a);
	return status;
}
