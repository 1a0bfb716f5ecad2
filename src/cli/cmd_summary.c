/*
 * polyprof FILE: the friendly default. What the file is, what it adds up to, where the cost is, and
 * what to ask next.
 */
#include <stdlib.h>

#include "analysis/estimate.h"
#include "analysis/inclusive.h"
#include "cli/filters.h"
#include "cli/load.h"
#include "cli/ranking.h"
#include "text/suggest.h"
#include "output/field.h"
#include "output/html.h"
#include "output/json_view.h"
#include "text/units.h"
#include "text/escape.h"

#define ROWS_SHOWN 10
/* The hottest path is indented by one column for each frame, up to this many. */
#define PATH_DEPTH 24
/* Estimated stacks that cost less are not followed, and there are not more of them. */
#define PATH_LEAST 0.001
#define PATH_STACKS 20000
/* Longer runs of frames that cost the same are folded. */
#define RUN_SHOWN 4
#define HINT_COLUMN 30

static int summary_run(struct pp_cli *);

static const struct pp_param_group *const summary_groups[] = {
	&pp_params_rank, &pp_group_filter,  &pp_params_min,   &pp_group_depth,   &pp_group_object,
	&pp_group_read,  &pp_group_variant, &pp_group_strict, &pp_group_general, NULL,
};

const struct pp_command pp_command_summary = {
	.name = "summary",
	.synopsis = "FILE...",
	.summary = "what the file is, its totals, its costliest functions and its hottest path",
	.groups = summary_groups,
	.hint = PP_HINT_FILE,
	.flags = PP_COMMAND_HIDDEN,
	.run = summary_run,
};

/* ---- the hottest path ---- */

struct path {
	const struct pp_profile *profile; /* whose nodes these are */
	struct pp_profile *estimate; /* the same if its stacks had to be estimated, else NULL */
	PP_VEC(pp_node) nodes;       /* from the first frame on, root excluded */
	struct pp_inclusive cost;
};

static void
path_release(struct path *path)
{
	pp_vec_release(&path->nodes);
	pp_inclusive_release(&path->cost);
	pp_profile_free(path->estimate);
}

/* The child that costs most with all it called, 0 when there is none; and what the node costs itself. */
static pp_node
path_step(const struct path *path, const struct pp_children *children, pp_node node,
          union pp_value *self)
{
	const struct pp_metric *m = path->cost.metric;
	pp_node child, best = 0;

	*self = pp_inclusive_of(&path->cost, node);
	for (child = children->first[node]; child != 0; child = children->next[child]) {
		union pp_value cost = pp_inclusive_of(&path->cost, child);

		pp_value_sub(m, self, cost);
		if (best == 0 || pp_value_cmp(m, cost, pp_inclusive_of(&path->cost, best)) > 0)
			best = child;
	}
	return best;
}

/*
 * From the root to the costliest child, again and again, until a function costs more itself than any
 * one that it calls. False when out of memory.
 */
static bool
path_walk(struct path *path, size_t metric)
{
	const struct pp_profile *p = path->profile;
	const struct pp_metric *m = &p->metrics.at[metric];
	struct pp_children children = { 0 };
	union pp_value self;
	pp_node node = 0;
	bool fine = pp_inclusive_compute(&path->cost, p, metric) &&
	            pp_children_compute(&children, p);

	while (fine) {
		pp_node best = path_step(path, &children, node, &self);

		if (best == 0 ||
		    pp_value_cmp(m, pp_inclusive_of(&path->cost, best), pp_value_zero(m)) <= 0 ||
		    (node != 0 && pp_value_cmp(m, pp_inclusive_of(&path->cost, best), self) < 0) ||
		    (path->estimate && p->funcs.at[pp_node_func(p, best)].flags & PP_FUNC_PSEUDO))
			break;
		fine = pp_vec_push(&path->nodes, best);
		node = best;
	}
	pp_children_release(&children);
	return fine;
}

/* The hottest path, if there are stacks or calls to make them of. False when out of memory. */
static bool
path_find(struct path *path, const struct pp_profile *p, size_t metric)
{
	struct pp_estimate_opts opts = { .metric = metric,
		                         .thinnest = PATH_LEAST,
		                         .sums_thin = true,
		                         .max_nodes = PATH_STACKS };
	struct pp_estimate how;

	path->profile = p;
	if (metric >= p->metrics.n)
		return true;
	if (pp_estimate_possible(p)) {
		if (pp_estimate_stacks(p, &opts, &how, &path->estimate) != PP_OK)
			return false;
		path->profile = path->estimate;
	}
	return path->profile->tree.n <= 1 || path_walk(path, metric);
}

/* Whether frame i costs just what its caller costs: nothing forks there. */
static bool
path_same(const struct path *path, size_t i)
{
	return pp_value_cmp(path->cost.metric, pp_inclusive_of(&path->cost, path->nodes.at[i]),
	                    pp_inclusive_of(&path->cost, path->nodes.at[i - 1])) == 0;
}

static void
path_frame(struct pp_cli *cli, const struct pp_listing *r, const struct path *path, size_t i,
           size_t depth, bool is_end)
{
	const struct pp_profile *p = path->profile;
	const struct pp_func_row *func = &p->funcs.at[pp_node_func(p, path->nodes.at[i])];
	double whole = r->whole[r->metric];
	double cost = pp_value_double(path->cost.metric,
	                              pp_inclusive_of(&path->cost, path->nodes.at[i]));
	struct pp_slice name = pp_text_of(p, func->name);
	struct pp_buf text = { 0 }, cut = { 0 };
	size_t indent = depth < PATH_DEPTH ? depth : PATH_DEPTH;

	pp_units_share(&text, cost, whole);
	pp_sink_printf(cli->out, "  %6s  ", text.n ? text.p : "");
	pp_text_pad(cli->out, indent);
	text.n = 0;
	pp_escape_terminal(&text, name.n ? name : pp_slice_z("(empty name)"));
	if (cli->style.width > 0)
		pp_text_shorten(&cut, text.p, text.n, cli->style.width - 10 - indent);
	else
		pp_buf_add(&cut, text.p, text.n);
	pp_ink_put(cli->out, &cli->style, is_end ? PP_INK_HOT : PP_INK_PLAIN, cut.p ? cut.p : "");
	pp_sink_putc(cli->out, '\n');
	pp_buf_release(&text);
	pp_buf_release(&cut);
}

/* A line in place of frames that say nothing new. */
static void
path_folded(struct pp_cli *cli, size_t frames, size_t depth, const char *what)
{
	struct pp_buf text = { 0 };

	pp_text_pad(cli->out, 10 + (depth < PATH_DEPTH ? depth : PATH_DEPTH));
	pp_buf_adds(&text, "... ");
	pp_units_u64(&text, frames);
	pp_buf_adds(&text, what);
	pp_ink_put(cli->out, &cli->style, PP_INK_FAINT, text.p ? text.p : "");
	pp_sink_putc(cli->out, '\n');
	pp_buf_release(&text);
}

/* Recursion, and runs of frames that cost the same, are folded; of the latter both ends are shown. */
static void
path_print(struct pp_cli *cli, const struct pp_listing *r, const struct path *path)
{
	const struct pp_profile *p = path->profile;
	size_t n = path->nodes.n, i = 0, depth = 0;

	while (i < n) {
		pp_func func = pp_node_func(p, path->nodes.at[i]);
		size_t again = 1, same = 1;

		while (i + again < n && pp_node_func(p, path->nodes.at[i + again]) == func)
			again++;
		path_frame(cli, r, path, i, depth++, i + again == n);
		while (i + same < n && path_same(path, i + same))
			same++;
		if (again > RUN_SHOWN) {
			path_folded(cli, again - 1, depth++, " levels of recursion");
			i += again;
		} else if (same > RUN_SHOWN) {
			path_folded(cli, same - 2, depth++, " frames without a fork");
			i += same - 1;
		} else {
			i++;
		}
	}
}

/* ---- text ---- */

static void
section(struct pp_cli *cli, const char *title)
{
	pp_sink_putc(cli->out, '\n');
	pp_ink_put(cli->out, &cli->style, PP_INK_TITLE, title);
	pp_sink_putc(cli->out, '\n');
}

static bool
has_events(const struct pp_profile *p)
{
	size_t i;

	for (i = 1; i < p->metrics.n; i++)
		if (p->metrics.at[i].event != p->metrics.at[0].event)
			return true;
	return false;
}

/* All totals; where there are several events, each on a line of its own, and the next line begun. */
static void
totals_add(struct pp_cli *cli, struct pp_buf *text, const struct pp_profile *p)
{
	bool events = has_events(p);
	size_t i;

	for (i = 0; i < p->metrics.n; i++) {
		const struct pp_metric *m = &p->metrics.at[i];
		struct pp_slice event = pp_text_of(p, m->event);

		if (events && (i == 0 || m->event != m[-1].event)) {
			pp_buf_add(text, event.p, event.n);
			pp_buf_adds(text, ": ");
		} else {
			pp_buf_adds(text, text->n ? ", " : "");
		}
		pp_metric_describe(text, p, m, pp_value_double(m, pp_profile_total(p, i)));
		if (!events || (i + 1 < p->metrics.n && m[1].event == m->event))
			continue;
		pp_ink_text(cli->out, &cli->style, PP_INK_PLAIN, pp_slice_of(text->p, text->n));
		pp_sink_puts(cli->out, "\n  ");
		text->n = 0;
	}
}

static void
heading_print(struct pp_cli *cli, const char *const *files, size_t n, const struct pp_profile *p,
              const struct pp_counts *counts)
{
	struct pp_slice producer = pp_text_of(p, p->producer), title = pp_slice_z(p->format->title);
	struct pp_buf text = { 0 };

	pp_ink_text(cli->out, &cli->style, PP_INK_TITLE,
	            pp_slice_z(strcmp(files[0], "-") == 0 ? "standard input" : files[0]));
	if (n > 1)
		pp_ink_putf(cli->out, &cli->style, PP_INK_TITLE, " and %zu more, merged", n - 1);
	/* A producer that names the format again, as "Devel::NYTProf 6.12", says it all. */
	if (producer.n < title.n || memcmp(producer.p, title.p, title.n) != 0)
		pp_sink_printf(cli->out, ": %s%s", p->format->title, producer.n ? " by " : "");
	else
		pp_sink_puts(cli->out, ": ");
	pp_ink_text(cli->out, &cli->style, PP_INK_PLAIN, producer);
	pp_sink_puts(cli->out, "\n  ");
	totals_add(cli, &text, p);
	pp_units_listed(&text, counts->functions, "function", "functions");
	pp_units_listed(&text, counts->stacks, "stack", "stacks");
	if (counts->threads > 1)
		pp_units_listed(&text, counts->threads, "thread", "threads");
	pp_ink_text(cli->out, &cli->style, PP_INK_PLAIN, pp_slice_of(text.p, text.n));
	pp_sink_putc(cli->out, '\n');
	if (counts->functions == 0)
		pp_sink_puts(cli->out, "  nothing was recorded: the profile is empty\n");
	if (!p->complete)
		pp_ink_put(cli->out, &cli->style, PP_INK_WARNING,
		           "  incomplete: some of it is missing or damaged\n");
	pp_buf_release(&text);
}

/* What can be asked, and the command to type: "polyprof BEFORE FILE... AFTER". */
static void
hint_print(struct pp_cli *cli, const char *does, const char *before, const char *const *files,
           size_t n, const char *after)
{
	struct pp_buf text = { 0 };
	size_t i;

	pp_buf_addf(&text, "polyprof %s", before);
	for (i = 0; i < n && i < 3; i++) {
		pp_buf_addc(&text, ' ');
		pp_suggest_word(&text, files[i]);
	}
	pp_buf_adds(&text, n > 3 ? " ..." : "");
	pp_buf_adds(&text, after);
	pp_sink_printf(cli->out, "  %s", does);
	/* A command that does not fit beside its description stands below it, easy to copy. */
	if (cli->style.width > 0 && text.n > 0 &&
	    2 + HINT_COLUMN + pp_text_columns(text.p, text.n) > cli->style.width)
		pp_sink_puts(cli->out, "\n      ");
	else
		pp_text_pad(cli->out, strlen(does) < HINT_COLUMN ? HINT_COLUMN - strlen(does) : 2);
	pp_ink_text(cli->out, &cli->style, PP_INK_COMMAND, pp_slice_of(text.p, text.n));
	pp_sink_putc(cli->out, '\n');
	pp_buf_release(&text);
}

/* The costliest function is what people ask about next. */
static void
hint_callers(struct pp_cli *cli, const char *const *files, size_t n, const struct pp_listing *r)
{
	const struct pp_profile *p = r->flat.profile;
	struct pp_slice name = pp_text_of(p, p->funcs.at[r->flat.func[0]].name);
	struct pp_buf before = { 0 }, typed = { 0 };

	pp_buf_add(&typed, name.p, name.n);
	if (name.n && name.n < 200 && !memchr(name.p, '\0', name.n) && typed.p) {
		pp_buf_adds(&before, name.p[0] == '-' ? "callers -- " : "callers ");
		pp_suggest_word(&before, typed.p);
		if (before.p)
			hint_print(cli, "who calls the costliest", before.p, files, n, "");
	}
	pp_buf_release(&typed);
	pp_buf_release(&before);
}

/* Another event than the one that the table shows. */
static void
hint_event(struct pp_cli *cli, const char *const *files, size_t n, const struct pp_listing *r)
{
	const struct pp_profile *p = r->flat.profile;
	struct pp_buf before = { 0 }, typed = { 0 };
	size_t i = 0;

	while (p->metrics.at[i].event == p->metrics.at[r->metric].event)
		i++;
	pp_buf_add(&typed, pp_text_of(p, p->metrics.at[i].event).p,
	           pp_text_of(p, p->metrics.at[i].event).n);
	if (typed.n && typed.n < 200 && typed.p && !memchr(typed.p, '\0', typed.n)) {
		pp_buf_adds(&before, "top --event ");
		pp_suggest_word(&before, typed.p);
		if (before.p)
			hint_print(cli, "another event alone", before.p, files, n, "");
	}
	pp_buf_release(&typed);
	pp_buf_release(&before);
}

static void
hints_print(struct pp_cli *cli, const char *const *files, size_t n, const struct pp_listing *r)
{
	const struct pp_profile *p = r->flat.profile;

	section(cli, "Ask next");
	if (!p->complete)
		hint_print(cli, "what is wrong with it", "check", files, n, "");
	hint_print(cli, "functions with all they call", "top --sort total", files, n, "");
	if (p->facets & (PP_TREE | PP_EDGES))
		hint_print(cli, "who calls whom, from the top", "tree", files, n, "");
	if (r->flat.n > 0 && (p->facets & (PP_TREE | PP_EDGES)))
		hint_callers(cli, files, n, r);
	if (p->facets & PP_LINES)
		hint_print(cli, "what single lines cost", "lines", files, n, "");
	hint_print(cli, "what else the file holds", "info", files, n, "");
	if (has_events(p))
		hint_event(cli, files, n, r);
	/* Two files would be compared in a picture. */
	if (n == 1 && p->facets & (PP_TREE | PP_EDGES)) {
		hint_print(cli, "a flame graph to click on", "flame", files, n, " -o flame.svg");
		if (pp_html_possible())
			hint_print(cli, "all views in one page", "report", files, n,
			           " -o report.html");
	}
}

static void
summary_text(struct pp_cli *cli, const char *const *files, size_t n, const struct pp_listing *r,
             const struct pp_counts *counts, const struct path *path)
{
	const struct pp_profile *p = r->flat.profile;
	uint64_t limit = pp_args_count(&cli->args, "limit", ROWS_SHOWN);
	size_t rows = limit == 0 || limit > r->flat.n ? r->flat.n : (size_t)limit;

	heading_print(cli, files, n, p, counts);
	if (rows > 0) {
		section(cli, "Costliest functions");
		pp_listing_table(r, rows, &cli->style, cli->out);
		pp_listing_footer(r, rows, &cli->style, cli->out);
	}
	if (path->nodes.n > 0) {
		section(cli, path->profile->estimated ? "Hottest path (estimated from single calls)"
		                                      : "Hottest path");
		path_print(cli, r, path);
	}
	hints_print(cli, files, n, r);
}

/* ---- JSON ---- */

static void
summary_json(struct pp_cli *cli, const char *const *files, size_t n, const struct pp_listing *r,
             const struct pp_counts *counts, const struct path *path)
{
	const struct pp_profile *p = r->flat.profile;
	uint64_t limit = pp_args_count(&cli->args, "limit", ROWS_SHOWN);
	struct pp_json j;
	size_t i;

	pp_json_init(&j, cli->out, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	if (n == 1)
		pp_json_put_name(&j, "file", pp_slice_z(files[0]));
	pp_json_put_profile(&j, p, counts);
	pp_json_put_array(&j, "functions");
	for (i = 0; i < r->flat.n && (limit == 0 || i < limit); i++)
		pp_json_flat_row(&j, &r->flat, i);
	pp_json_end_array(&j);
	if (path->nodes.n > 0)
		pp_json_put_bool(&j, "path_estimated", path->profile->estimated);
	pp_json_put_array(&j, "path");
	for (i = 0; i < path->nodes.n; i++) {
		pp_json_begin_object(&j);
		pp_json_func(&j, path->profile, pp_node_func(path->profile, path->nodes.at[i]));
		pp_json_key(&j, "total");
		pp_json_value(&j, path->cost.metric,
		              pp_inclusive_of(&path->cost, path->nodes.at[i]));
		pp_json_end_object(&j);
	}
	pp_json_end_array(&j);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
}

/* ---- running ---- */

static int
summary_answer(struct pp_cli *cli, const char *const *files, size_t n, const struct pp_profile *p)
{
	struct pp_listing ranking = { 0 };
	struct pp_counts counts;
	struct path path = { .cost = { 0 } };
	int code = pp_listing_init(&ranking, cli, p);

	if (code == 0 && (!pp_counts_compute(p, &counts) || !path_find(&path, p, ranking.metric))) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		code = PP_EXIT_INPUT;
	}
	/* Filters leave functions behind that nothing names any more. */
	if (code == 0 && pp_filters_given(cli))
		counts.functions = ranking.flat.n;
	if (code == 0)
		code = pp_cli_output(cli);
	if (code == 0 && pp_args_flag(&cli->args, "json"))
		summary_json(cli, files, n, &ranking, &counts, &path);
	else if (code == 0)
		summary_text(cli, files, n, &ranking, &counts, &path);
	path_release(&path);
	pp_listing_release(&ranking);
	return code;
}

static int
summary_run(struct pp_cli *cli)
{
	const char *const *files;
	struct pp_profile *profile = NULL;
	size_t n;
	int code = pp_load_files(cli, 0, &files, &n);

	if (code == 0)
		code = pp_load_profile(cli, files, n,
		                       PP_FUNCTIONS | (pp_args_flag(&cli->args, "json")
		                                           ? PP_LOAD_WANT
		                                           : PP_LOAD_WANT & ~(unsigned)PP_EDGES),
		                       &profile);
	if (code == 0)
		code = summary_answer(cli, files, n, profile);
	pp_profile_free(profile);
	return code;
}
