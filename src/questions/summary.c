/*
 * summary: what a file is, what it adds up to, where the cost is, and what to ask next.
 */
#include <math.h>
#include <stddef.h>

#include "analysis/estimate.h"
#include "model/derive.h"
#include "model/inclusive.h"
#include "formats/format.h"
#include "questions/describe.h"
#include "questions/excerpt_info.h"
#include "questions/find.h"
#include "questions/occasion.h"
#include "questions/ranking.h"
#include "text/escape.h"
#include "text/units.h"

#define ROWS_SHOWN 10
/* The hottest path is indented by one column for each frame, up to this many. */
#define PATH_DEPTH 24
/* Estimated stacks that cost less are not followed, and there are not more of them. */
#define PATH_LEAST 0.001
#define PATH_STACKS 20000
/* Longer runs of frames that cost the same are folded. */
#define RUN_SHOWN 4
/* Of more metrics than that, so many are told. */
#define TOTALS_MOST 8
#define TOTALS_SHOWN 6

struct summary_params {
	struct pp_ranked ranked;
	struct pp_scope scope;
	double min;
};

static void summary_want(const void *, struct pp_want *);
static pp_status summary_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param_use summary_uses[] = {
	{ &pp_params_rank, 0, PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct summary_params, scope), PP_GROUP_FIRST },
	{ &pp_params_min, offsetof(struct summary_params, min), PP_GROUP_FIRST },
	{ &pp_params_depth, offsetof(struct summary_params, scope.depth), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_summary = {
	.name = "summary",
	.summary = "what the file is, its totals, its costliest functions and its hottest path",
	.params = summary_uses,
	.params_size = sizeof(struct summary_params),
	.scope_at = offsetof(struct summary_params, scope),
	.gives = PP_GIVES_JSON,
	.want = summary_want,
	.excerpt = pp_summary_excerpt,
	.run = summary_run,
};

static void
summary_want(const void *data, struct pp_want *want)
{
	const struct summary_params *params = data;

	want->facets |= PP_FUNCTIONS | PP_GAINS;
	if (!params->ranked.asked.exact)
		want->facets &= ~(unsigned)PP_EDGES;
}

/* ---- the hottest path; lives in the answer ---- */

/* A line of it for people: a frame, or a run of frames that say nothing new. */
struct path_line {
	size_t frame;
	size_t folded; /* how many frames stand here; 0 = the one */
	bool recursion;
	uint32_t depth;
};

/* A step of it: a function, and what all its nodes below those of the step before cost with all they called. */
struct path_frame {
	pp_func func;
	union pp_value cost, net; /* net: as in struct path */
};

struct path {
	const struct pp_profile *profile; /* whose functions these are */
	struct pp_profile *estimate; /* the same if its stacks had to be estimated, else NULL */
	struct pp_profile *least; /* and where no steps are known, with what was gained at least */
	PP_VEC(struct path_frame) frames; /* from the first on, root excluded */
	struct pp_inclusive
	    cost; /* by which it is found: what was gained, of a metric that falls, */
	struct pp_inclusive net; /* and what is left of that; nothing where it is the same */
	size_t metric;
	double whole;
	PP_VEC(struct path_line) lines;
};

static void
path_release(void *data)
{
	struct path *path = data;

	pp_vec_release(&path->frames);
	pp_vec_release(&path->lines);
	pp_inclusive_release(&path->cost);
	pp_inclusive_release(&path->net);
	pp_profile_free(path->least);
	pp_profile_free(path->estimate);
}

/* What of the path's metric is left in nodes. */
static const struct pp_inclusive *
path_net(const struct path *path)
{
	return path->net.metric ? &path->net : &path->cost;
}

/* What each node costs, by what is shared out and by what is left, if that is something else. False when out of memory. */
static bool
path_costs(struct path *path, const struct pp_profile *p, size_t shares)
{
	return pp_inclusive_compute(&path->cost, p, shares) &&
	       ((shares == path->metric && !pp_inclusive_is_stated(p, shares)) ||
	        pp_inclusive_stated(&path->net, p, path->metric));
}

/* Children that show one function, whichever places in it they tell apart. */
struct path_kin {
	pp_func func;
	union pp_value cost;
};

/* What is needed to go on from nodes of one function to those of another. */
struct path_walk {
	struct pp_children children;
	PP_VEC(pp_node) at; /* all nodes of the step before */
	PP_VEC(pp_node) next;
	PP_VEC(struct path_kin) kin;
	uint32_t *kin_of; /* by function: 1 + its place among them */
};

static void
walk_release(struct path_walk *w)
{
	pp_children_release(&w->children);
	pp_vec_release(&w->at);
	pp_vec_release(&w->next);
	pp_vec_release(&w->kin);
	free(w->kin_of);
}

/* Finds the functions below the nodes of a step, in the order of their first nodes, and what these cost. */
static bool
kin_find(struct path_walk *w, const struct path *path)
{
	const struct pp_profile *p = path->profile;
	pp_node child;
	size_t i;

	for (i = 0; i < w->kin.n; i++)
		w->kin_of[w->kin.at[i].func] = 0;
	w->kin.n = 0;
	for (i = 0; i < w->at.n; i++)
		for (child = w->children.first[w->at.at[i]]; child;
		     child = w->children.next[child]) {
			pp_func func = pp_node_func(p, child);

			if (!w->kin_of[func]) {
				struct path_kin made = { func, pp_value_zero(path->cost.metric) };

				if (!pp_vec_push(&w->kin, made))
					return false;
				w->kin_of[func] = (uint32_t)w->kin.n;
			}
			pp_value_add(path->cost.metric, &w->kin.at[w->kin_of[func] - 1].cost,
			             pp_inclusive_of(&path->cost, child));
		}
	return true;
}

/* The one that costs most, and what the nodes of the step cost themselves; NULL when there is none. */
static const struct path_kin *
kin_best(const struct path_walk *w, const struct path *path, union pp_value *self)
{
	const struct pp_metric *m = path->cost.metric;
	const struct path_kin *best = NULL;
	size_t i;

	*self = pp_value_zero(m);
	for (i = 0; i < w->at.n; i++)
		pp_value_add(m, self, pp_inclusive_of(&path->cost, w->at.at[i]));
	for (i = 0; i < w->kin.n; i++) {
		const struct path_kin *k = &w->kin.at[i];

		pp_value_sub(m, self, k->cost);
		if (!best || pp_value_cmp(m, k->cost, best->cost) > 0)
			best = k;
	}
	return best;
}

/* Goes on to the nodes of a function below those of the step. */
static bool
path_step(struct path *path, struct path_walk *w, const struct path_kin *to)
{
	struct path_frame frame = { .func = to->func,
		                    .cost = to->cost,
		                    .net = pp_value_zero(path_net(path)->metric) };
	pp_node child;
	size_t i;

	w->next.n = 0;
	for (i = 0; i < w->at.n; i++)
		for (child = w->children.first[w->at.at[i]]; child;
		     child = w->children.next[child]) {
			if (pp_node_func(path->profile, child) != to->func)
				continue;
			pp_value_add(path_net(path)->metric, &frame.net,
			             pp_inclusive_of(path_net(path), child));
			if (!pp_vec_push(&w->next, child))
				return false;
		}
	w->at.n = 0;
	for (i = 0; i < w->next.n; i++)
		if (!pp_vec_push(&w->at, w->next.at[i]))
			return false;
	return pp_vec_push(&path->frames, frame);
}

/*
 * From the root to the costliest function below, again and again, until one costs more itself than any
 * that it calls. False when out of memory.
 */
static bool
path_walk(struct path *path)
{
	const struct pp_profile *p = path->profile;
	size_t shares = pp_metric_of_shares(p, path->metric);
	const struct pp_metric *m = &p->metrics.at[shares];
	struct path_walk w = { .kin_of = calloc(p->funcs.n + 1, sizeof *w.kin_of) };
	union pp_value self;
	bool fine = w.kin_of && path_costs(path, p, shares) &&
	            pp_children_compute(&w.children, p) && pp_vec_push(&w.at, 0);

	if (fine)
		path->whole = fmax(path->whole,
		                   pp_value_double(m, pp_inclusive_of(&path->cost, 0)));
	while (fine && (fine = kin_find(&w, path))) {
		const struct path_kin *best = kin_best(&w, path, &self);

		if (!best || pp_value_cmp(m, best->cost, pp_value_zero(m)) <= 0 ||
		    (path->frames.n && pp_value_cmp(m, best->cost, self) < 0) ||
		    (path->estimate && p->funcs.at[best->func].flags & PP_FUNC_PSEUDO))
			break;
		fine = path_step(path, &w, best);
	}
	walk_release(&w);
	return fine;
}

/* The hottest path, if there are stacks or calls to make them of. False when out of memory. */
static bool
path_find(struct path *path, const struct pp_profile *p)
{
	struct pp_estimate_opts opts = { .metric = path->metric,
		                         .min_share = PATH_LEAST,
		                         .sums_small = true,
		                         .max_nodes = PATH_STACKS };
	struct pp_estimate how;

	path->profile = p;
	if (path->metric >= p->metrics.n)
		return true;
	if (pp_estimate_possible(p)) {
		if (pp_estimate_stacks(p, &opts, &how, &path->estimate) != PP_OK)
			return false;
		path->profile = path->estimate;
	}
	if (pp_gains_least(path->profile, path->metric, &path->least) != PP_OK)
		return false;
	path->profile = path->least ? path->least : path->profile;
	return path->profile->tree.n <= 1 || path_walk(path);
}

static pp_func
path_func(const void *data, size_t row, const struct pp_profile **p)
{
	const struct path *path = data;

	*p = path->profile;
	return path->frames.at[row].func;
}

/* Whether frame i costs just what its caller costs: nothing forks there. */
static bool
path_same(const struct path *path, size_t i)
{
	return pp_value_cmp(path->cost.metric, path->frames.at[i].cost,
	                    path->frames.at[i - 1].cost) == 0;
}

/* Recursion, and runs of frames that cost the same, are folded; of the latter both ends are shown. */
static bool
path_fold(struct path *path)
{
	const struct pp_profile *p;
	size_t n = path->frames.n, i = 0;
	uint32_t depth = 0;
	bool fine = true;

	while (i < n && fine) {
		pp_func func = path_func(path, i, &p);
		size_t again = 1, same = 1;

		while (i + again < n && path_func(path, i + again, &p) == func)
			again++;
		while (i + same < n && path_same(path, i + same))
			same++;
		fine = pp_vec_push(&path->lines, (struct path_line){ .frame = i, .depth = depth });
		depth++;
		if (again > RUN_SHOWN) {
			fine = fine && pp_vec_push(&path->lines,
			                           (struct path_line){ i, again - 1, true, depth });
			depth++;
			i += again;
		} else if (same > RUN_SHOWN) {
			fine = fine && pp_vec_push(&path->lines,
			                           (struct path_line){ i, same - 2, false, depth });
			depth++;
			i += same - 1;
		} else {
			i++;
		}
	}
	return fine;
}

static void
path_total(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct path *path = data;

	pp_datum_value(d, path->profile, metric, path->frames.at[row].net);
}

static void
line_share(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct path *path = data;
	const struct path_line *line = &path->lines.at[row];

	if (!line->folded)
		pp_datum_part(d,
		              pp_value_double(path->cost.metric, path->frames.at[line->frame].cost),
		              path->whole);
}

static void
line_label(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct path *path = data;
	const struct path_line *line = &path->lines.at[row];
	const struct pp_profile *p;
	pp_func func = path_func(path, line->frame, &p);

	if (line->folded) {
		pp_buf_adds(d->made, "... ");
		pp_units_u64(d->made, line->folded);
		pp_buf_adds(d->made,
		            line->recursion ? " levels of recursion" : " frames without branches");
		d->ink = PP_INK_FAINT;
	} else {
		pp_func_text(d->made, p, func);
	}
	/* Where the path ends, be it in many levels of recursion. */
	if (!line->folded && (row + 1 == path->lines.n ||
	                      (row + 2 == path->lines.n && path->lines.at[row + 1].recursion)))
		d->ink = PP_INK_HOT;
	pp_datum_made(d);
}

static struct pp_branch_place
line_place(const void *data, size_t row)
{
	uint32_t depth = ((const struct path *)data)->lines.at[row].depth;

	return (struct pp_branch_place){ depth < PATH_DEPTH ? depth : PATH_DEPTH, false };
}

static void
path_tables(struct pp_answer *a, const struct path *path)
{
	const struct pp_answer_column exact[] = {
		PP_FUNC_COLUMNS,
		PP_MODULE_COLUMN(0),
		{ .key = "total", .as = PP_AS_VALUE, .arg = path->metric, .get = path_total },
	};
	static const struct pp_answer_column shown[] = {
		/* The title is not printed, but as wide as any share. */
		{ .title = "total%",
		  .as = PP_AS_SHARE,
		  .flags = PP_COLUMN_RIGHT,
		  .get = line_share },
		{ .title = "function",
		  .as = PP_AS_LABEL,
		  .flags = PP_COLUMN_INDENT | PP_COLUMN_NAMES,
		  .get = line_label },
	};
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof exact);

	if (!columns)
		return;
	memcpy(columns, exact, sizeof exact);
	if (path->frames.n > 0) {
		pp_answer_bool(a, "path_estimated", path->profile->estimated);
		pp_answer_say(a, PP_INK_PLAIN, "\n");
		pp_answer_say(a, PP_INK_TITLE, "Hottest path%s",
		              path->profile->estimated ? " (estimated from single calls)" : "");
		pp_answer_say(a, PP_INK_PLAIN, "\n");
	}
	pp_answer_table(a, &(struct pp_answer_table){ .key = "path",
	                                              .columns = columns,
	                                              .column_count = PP_COUNT_OF(exact),
	                                              .data = path,
	                                              .func = path_func,
	                                              .rows = path->frames.n,
	                                              .flags = PP_TABLE_NO_TEXT | PP_TABLE_WHOLE |
	                                                       PP_TABLE_NO_CSV });
	pp_answer_table(a, &(struct pp_answer_table){ .columns = shown,
	                                              .column_count = PP_COUNT_OF(shown),
	                                              .data = path,
	                                              .rows = path->lines.n,
	                                              .place = line_place,
	                                              .flags = PP_TABLE_NO_HEADER | PP_TABLE_WHOLE |
	                                                       PP_TABLE_NO_CSV });
}

/* ---- the heading ---- */

static bool
has_events(const struct pp_profile *p)
{
	size_t i;

	for (i = 1; i < p->metrics.n; i++)
		if (p->metrics.at[i].event != p->metrics.at[0].event)
			return true;
	return false;
}

/* Says what a buffer holds, made safe, and empties it. */
static void
text_say(struct pp_answer *a, struct pp_buf *text)
{
	pp_answer_say_name(a, PP_INK_PLAIN, pp_slice_of(text->p ? text->p : "", text->n));
	text->n = 0;
}

/* Whether what people call a metric names its event, too. */
static bool
title_has_event(const struct pp_profile *p, const struct pp_metric *m)
{
	struct pp_slice event = pp_text_of(p, m->event);
	struct pp_buf title = { 0 };
	bool has;

	pp_metric_title(p, m, &title);
	has = event.n && title.n >= event.n && memcmp(title.p, event.p, event.n) == 0;
	pp_buf_release(&title);
	return has;
}

/* One total. The first of an event names it; the last ends the line where there are several events. */
static void
total_say(struct pp_answer *a, struct pp_buf *text, const struct pp_profile *p, size_t i,
          union pp_value total)
{
	const struct pp_metric *m = &p->metrics.at[i];
	struct pp_slice event = pp_text_of(p, m->event);
	bool events = has_events(p);

	if (events && (i == 0 || m->event != m[-1].event) && !title_has_event(p, m)) {
		pp_buf_add(text, event.p, event.n);
		pp_buf_adds(text, ": ");
	} else {
		pp_buf_adds(text, text->n ? ", " : "");
	}
	pp_metric_describe(text, p, m, pp_value_double(m, pp_value_with_idle(p, i, total)));
	pp_describe_idle(text, p, i);
	if (!events || (i + 1 < pp_metrics_shown(p) && m[1].event == m->event))
		return;
	text_say(a, text);
	pp_answer_say(a, PP_INK_PLAIN, "\n  ");
}

/* All totals; where there are several events, each on a line of its own, the primary one first, and the next line begun. */
static void
totals_say(struct pp_answer *a, struct pp_buf *text, const struct pp_profile *p)
{
	bool events = has_events(p);
	union pp_value *totals = pp_profile_totals(p);
	size_t all = pp_metrics_shown(p), primary = pp_profile_primary(p), i, others;
	size_t most = !events && all > TOTALS_MOST ? TOTALS_SHOWN : all;

	a->failed |= !totals;
	for (others = 0; totals && others < 2; others++)
		for (i = 0; i < most; i++) {
			bool other = events && primary < all &&
			             p->metrics.at[i].event != p->metrics.at[primary].event;

			if (other == (others > 0))
				total_say(a, text, p, i, totals[i]);
		}
	if (most < all)
		pp_units_listed(text, all - most, "more metric", "more metrics");
	free(totals);
}

/* How often lines were executed and functions called, as far as the file counts that. */
static void
work_list(struct pp_buf *text, const struct pp_ranking *r)
{
	const struct pp_profile *p = r->flat.profile;
	uint64_t statements = 0, calls = 0;
	size_t i;

	/* Lines that samples hit were not executed as often. */
	for (i = 0; p->lines.hits && !p->samples && i < p->lines.rows.n; i++)
		if (__builtin_add_overflow(statements, (uint64_t)pp_line_cell(p, i, 0),
		                           &statements))
			statements = UINT64_MAX;
	for (i = 0; r->flat.has_calls && i < r->flat.n; i++)
		if (__builtin_add_overflow(calls, r->flat.calls[i], &calls))
			calls = UINT64_MAX;
	pp_units_listed(text, statements, "statement", "statements");
	pp_units_listed(text, calls, "call", "calls");
}

/* The first line: what was profiled, if the file knows. */
static bool
occasion_say(struct pp_answer *a, const struct pp_subject *subject, const struct pp_ranking *r)
{
	struct pp_occasion o = pp_occasion_of(r->flat.profile);
	struct pp_buf text = { 0 };
	bool known = subject->file_count <= 1 && pp_occasion_known(&o);

	if (known) {
		pp_occasion_print(&o, subject->date_print, &text);
		work_list(&text, r);
		pp_answer_say(a, PP_INK_TITLE, "%s", pp_answer_made(a, &text));
		pp_answer_say(a, PP_INK_PLAIN, "\n  ");
	}
	pp_buf_release(&text);
	return known;
}

/* Whether a text has a word in it, in either case. */
static bool
is_named(struct pp_slice text, struct pp_slice word)
{
	size_t i, at;

	for (at = 0; word.n && at + word.n <= text.n; at++) {
		for (i = 0; i < word.n && (text.p[at + i] | 0x20) == (word.p[i] | 0x20); i++)
			;
		if (i == word.n)
			return true;
	}
	return false;
}

/* The second line, or the first: the file and what made it. */
static void
source_say(struct pp_answer *a, const struct pp_subject *subject, bool known)
{
	const struct pp_profile *p = subject->topics[0].profile;
	struct pp_slice producer = pp_text_of(p, p->producer), title = pp_slice_z(p->format->title);
	enum pp_ink ink = known ? PP_INK_PLAIN : PP_INK_TITLE;
	struct pp_buf more = { 0 };

	pp_answer_say_name(
	    a, ink, subject->file_count ? pp_file_title(subject->files[0]) : pp_slice_z("profile"));
	if (subject->file_count == 2) {
		pp_answer_say(a, ink, " and ");
		pp_answer_say_name(a, ink, pp_file_title(subject->files[1]));
		pp_answer_say(a, ink, ", merged");
	} else if (subject->file_count > 2) {
		pp_units_u64(&more, subject->file_count - 1);
		pp_answer_say(a, ink, " and %s more files, merged", pp_answer_made(a, &more));
	}
	/* A producer that names the format again, as "Devel::NYTProf 6.12", says it all; one that the title names, nothing. */
	if (is_named(title, producer))
		producer.n = 0;
	if (producer.n < title.n || memcmp(producer.p, title.p, title.n) != 0)
		pp_answer_say(a, PP_INK_PLAIN, ": %s%s", p->format->title,
		              producer.n ? " by " : "");
	else
		pp_answer_say(a, PP_INK_PLAIN, ": ");
	pp_answer_say_name(a, PP_INK_PLAIN, producer);
	/* Where nothing says what was profiled, this is the first line, and says how long that took. */
	if (!known && subject->file_count <= 1 && p->time.known && p->time.end > p->time.start) {
		pp_units_time(&more, pp_occasion_of(p).span);
		pp_answer_say(a, PP_INK_PLAIN, ", %s", pp_answer_made(a, &more));
	}
	pp_answer_say(a, PP_INK_PLAIN, "\n  ");
	pp_buf_release(&more);
}

static void
heading_say(struct pp_answer *a, const struct pp_subject *subject, const struct pp_ranking *r,
            const struct pp_counts *counts, bool filtered)
{
	const struct pp_profile *p = r->flat.profile;
	struct pp_buf text = { 0 };
	bool known = occasion_say(a, subject, r);

	source_say(a, subject, known);
	totals_say(a, &text, p);
	pp_units_listed(&text, counts->functions, pp_function_said(p, false),
	                pp_function_said(p, true));
	pp_units_listed(&text, counts->stacks, "stack", "stacks");
	if (counts->threads > 1)
		pp_units_listed(&text, counts->threads, "thread", "threads");
	if (!known)
		work_list(&text, r);
	text_say(a, &text);
	pp_answer_say(a, PP_INK_PLAIN, "\n");
	if (counts->functions == 0)
		pp_answer_say(a, PP_INK_PLAIN, "  %s\n",
		              p->lines.rows.n ? "it has lines, but no functions"
		              : filtered      ? "the filters leave nothing of it"
		                              : "nothing was recorded: the profile is empty");
	if (!p->complete)
		pp_answer_say(a, PP_INK_WARNING,
		              "  incomplete: some of it is missing or damaged\n");
	pp_buf_release(&text);
}

/* ---- hints ---- */

static void
hints_add(struct pp_answer *a, const struct pp_ranking *r, const struct path *path, size_t files)
{
	const struct pp_profile *p = r->flat.profile;
	bool calls = p->facets & (PP_TREE | PP_EDGES), holders = pp_profile_holders(p);
	size_t i = 0;

	if (!p->complete)
		pp_answer_hint(a, "what is wrong with it", "check", "");
	if (files == 2)
		pp_answer_hint(a, "what changed between the two", "diff", "");
	pp_answer_hint(a, "functions by total cost", "top --sort total", "");
	if (calls)
		pp_answer_hint(
		    a, holders ? "who holds what, from the top" : "the call tree, from the top",
		    "tree", "");
	/* The costliest function is what people ask about next. */
	if (r->flat.n > 0 && calls) {
		struct pp_buf made = { 0 };
		struct pp_slice name = pp_find_typed(p, r->flat.func[0], &made);

		/* Code outside of functions is called by nobody, and neither is what all begins with. */
		const struct pp_profile *of;
		bool first = path->frames.n && !path->estimate &&
		             path_func(path, 0, &of) == r->flat.func[0];
		bool outside = first || (p->funcs.at[r->flat.func[0]].flags & PP_FUNC_SCRIPT &&
		                         r->flat.calls[0] == 0);
		bool dash = name.n && name.p[0] == '-';

		pp_answer_hint_typed(
		    a,
		    outside   ? (holders ? "what the costliest holds" : "what the costliest calls")
		    : holders ? "who holds the costliest"
		              : "who calls the costliest",
		    outside ? (dash ? "callees -- " : "callees ")
		    : dash  ? "callers -- "
		            : "callers ",
		    name);
		a->failed |= made.failed;
		pp_buf_release(&made);
	}
	if (p->facets & PP_LINES)
		pp_answer_hint(a, "cost of each source line", "lines", "");
	if (pp_leaks_known(p))
		pp_answer_hint(a, "memory in use at the end", "leaks", "");
	pp_answer_hint(a, "what else the file holds", "info", "");
	if (has_events(p)) {
		/* Another event than the one that the table shows. */
		while (p->metrics.at[i].event == p->metrics.at[r->metric].event)
			i++;
		pp_answer_hint_typed(a, "another event alone", "top --event ",
		                     pp_text_of(p, p->metrics.at[i].event));
	}
	/* Two files would be compared in a picture. */
	if (files == 1 && calls) {
		pp_answer_hint(a, "an interactive flame graph", "flame", " -o flame.svg");
		pp_answer_hint(a, "all views in one page", "report", " -o report.html");
	}
}

/* ---- running ---- */

static pp_status
summary_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct summary_params *params = data;
	const struct pp_profile *p = subject->topics[0].profile;
	struct path *path = pp_answer_own(a, sizeof *path, path_release);
	struct pp_occasion occasion = pp_occasion_of(p);
	struct pp_ranking *r;
	struct pp_counts counts;
	pp_status status = pp_ranking_make(a, p, &params->ranked, 0, params->min, &r);

	if (status != PP_OK)
		return status;
	if (path) {
		path->metric = r->metric;
		path->whole = r->metric < p->metrics.n ? r->whole[r->metric] : 0;
	}
	if (!path || !pp_counts_compute(p, &counts) || !path_find(path, p) || !path_fold(path))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	if (subject->file_count == 1)
		pp_answer_text(a, "file", PP_AS_NAME, pp_slice_z(subject->files[0]));
	pp_answer_profile(a, p, &counts);
	pp_answer_occasion(a, &occasion);
	heading_say(a, subject, r, &counts, pp_scope_given(&params->scope));
	if (r->flat.n > 0) {
		pp_answer_say(a, PP_INK_PLAIN, "\n");
		pp_answer_say(a, PP_INK_TITLE, "Costliest %s", pp_function_said(p, true));
		pp_answer_say(a, PP_INK_PLAIN, "\n");
	}
	pp_ranking_table(a, r, ROWS_SHOWN, true);
	path_tables(a, path);
	hints_add(a, r, path, subject->file_count);
	return PP_OK;
}
