/*
 * What `diff` and `gate` share.
 */
#include "cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/load.h"
#include "output/json_view.h"
#include "text/escape.h"

#define NOISE_DEFAULT 0.01

static const struct pp_param compare_options[] = {
	{ "metric", 'm', PP_PARAM_TEXT, "NAME",
	  "the metric to compare, as either profile calls it (default: the primary one); A=B compares "
	  "the shares of two different ones, with --normalize total",
	  PP_HINT_NONE, 0 },
	{ "before", 0, PP_PARAM_TEXT, "FILE...", "repeated runs before: all files up to --after",
	  PP_HINT_FILE, 0 },
	{ "after", 0, PP_PARAM_TEXT, "FILE...", "repeated runs after", PP_HINT_FILE, 0 },
	{ "normalize", 0, PP_PARAM_CHOICE, "none|total|samples|time",
	  "scale the second profile to the size of the first (default: none)", PP_HINT_NONE, 0 },
	{ "noise", 0, PP_PARAM_TEXT, "PCT",
	  "times of single runs: changes up to PCT percent of the whole are noise (default: 1)",
	  PP_HINT_NONE, 0 },
	{ 0 },
};
const struct pp_param_group pp_group_compare = { "Comparison", compare_options };

void
pp_compare_release(struct pp_compare *c)
{
	size_t side, i;

	pp_diff_release(&c->diff);
	for (side = 0; side < 2; side++) {
		for (i = 0; c->loaded[side] && i < c->n[side]; i++)
			pp_profile_free(c->loaded[side][i]);
		free(c->loaded[side]);
		free(c->input[side]);
	}
	*c = (struct pp_compare){ 0 };
}

/* ---- which files ---- */

/* The files of one side: the values of its option, and the words that follow each. */
static const char **
side_files(const struct pp_cli *cli, const char *name, size_t *n)
{
	const struct pp_args *args = &cli->args;
	const char **files = calloc(args->given.n + args->words.n + 1, sizeof *files);
	size_t i, k, w;

	*n = 0;
	for (i = 0; files && i < args->given.n; i++) {
		const struct pp_given *given = &args->given.at[i];
		size_t end = args->words.n;

		if (strcmp(given->option->name, name) != 0)
			continue;
		files[(*n)++] = given->text;
		for (k = i + 1; k < args->given.n; k++)
			if (strcmp(args->given.at[k].option->name, "before") == 0 ||
			    strcmp(args->given.at[k].option->name, "after") == 0) {
				end = args->given.at[k].words;
				break;
			}
		for (w = given->words; w < end; w++)
			files[(*n)++] = args->words.at[w];
	}
	return files;
}

static int
load_side(struct pp_cli *cli, struct pp_compare *c, size_t side, const char *const *files, size_t n)
{
	size_t i;
	int code = 0;

	c->input[side] = calloc(n + 1, sizeof *c->input[side]);
	c->loaded[side] = calloc(n + 1, sizeof *c->loaded[side]);
	if (!c->input[side] || !c->loaded[side]) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_INPUT;
	}
	for (i = 0; i < n && code == 0; i++) {
		code = pp_load_by_options(cli, files + i, 1, &c->order, &c->loaded[side][i]);
		c->input[side][i].profile = c->loaded[side][i];
		c->n[side] = i + 1;
	}
	return code;
}

/* Two files, repeated runs, or one differential profile. */
static int
load_files(struct pp_cli *cli, struct pp_compare *c)
{
	const struct pp_args *args = &cli->args;
	const char **files[2];
	size_t n[2], side, first = args->words.n;
	int code = 0;

	files[PP_BEFORE] = side_files(cli, "before", &n[PP_BEFORE]);
	files[PP_AFTER] = side_files(cli, "after", &n[PP_AFTER]);
	for (side = 0; side < args->given.n; side++)
		if (strcmp(args->given.at[side].option->name, "before") == 0 ||
		    strcmp(args->given.at[side].option->name, "after") == 0)
			first = first < args->given.at[side].words ? first
			                                           : args->given.at[side].words;
	if (!files[0] || !files[1]) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		code = PP_EXIT_INPUT;
	} else if (n[PP_BEFORE] == 0 && n[PP_AFTER] == 0) {
		if (args->words.n == 1 || args->words.n == 2)
			code = load_side(cli, c, PP_BEFORE, args->words.at, 1);
		else
			code = pp_cli_usage(cli,
			                    "name two files, or repeated runs with --before and "
			                    "--after");
		if (code == 0 && args->words.n == 2)
			code = load_side(cli, c, PP_AFTER, args->words.at + 1, 1);
	} else if (n[PP_BEFORE] == 0 || n[PP_AFTER] == 0 || first > 0) {
		code = pp_cli_usage(cli, "--before and --after need files each, and no others");
	} else {
		code = load_side(cli, c, PP_BEFORE, files[PP_BEFORE], n[PP_BEFORE]);
		if (code == 0)
			code = load_side(cli, c, PP_AFTER, files[PP_AFTER], n[PP_AFTER]);
	}
	free(files[0]);
	free(files[1]);
	return code;
}

/* ---- which metric ---- */

static void
metrics_list(struct pp_buf *out, const struct pp_profile *p)
{
	static const char *const kinds[] = { "",        "wall time",   "CPU time", "idle time",
		                             "samples", "exact count", "bytes",    "events" };
	size_t i;

	for (i = 0; i < p->metrics.n; i++) {
		const struct pp_metric *m = &p->metrics.at[i];

		pp_buf_adds(out, i ? ", " : "");
		pp_escape_terminal(out, pp_text_of(p, m->name));
		pp_buf_adds(out, " (");
		pp_escape_terminal(out, pp_text_of(p, m->unit));
		pp_buf_addf(out, "%s%s)", m->kind ? ", " : "", kinds[m->kind]);
	}
	pp_buf_adds(out, i ? "" : "nothing");
}

static int
metric_refuse(struct pp_cli *cli, const struct pp_profile *p, const struct pp_profile *q,
              const char *name)
{
	struct pp_buf text = { 0 };
	int code = name ? PP_EXIT_USAGE : PP_EXIT_INPUT;

	pp_buf_adds(&text, "before has ");
	metrics_list(&text, p);
	pp_buf_adds(&text, "; after has ");
	metrics_list(&text, q);
	if (name)
		pp_cli_error(cli, "'%s' is no metric that both profiles have: %s", name,
		             text.p ? text.p : "");
	else
		pp_cli_error(cli,
		             "the profiles have no metric of the same meaning and unit: %s; "
		             "-m A=B --normalize total compares the shares of two",
		             text.p ? text.p : "");
	pp_buf_release(&text);
	return code;
}

/* "A=B": a metric of each side. */
static bool
metric_pair(const struct pp_profile *p, const struct pp_profile *q, const char *name, size_t *mp,
            size_t *mq)
{
	const char *equals;

	for (equals = strchr(name, '='); equals; equals = strchr(equals + 1, '=')) {
		*mp = pp_profile_metric_find(p, pp_slice_of(name, (size_t)(equals - name)));
		*mq = pp_profile_metric_find(q, pp_slice_z(equals + 1));
		if (*mp < p->metrics.n && *mq < q->metrics.n)
			return true;
	}
	return false;
}

/* A metric by the name either side gives it, or the first that both have, the primary one first. */
static bool
metric_find(const struct pp_profile *p, const struct pp_profile *q, const char *name, size_t *mp,
            size_t *mq)
{
	size_t i, n = p->metrics.n;

	if (name) {
		*mp = pp_profile_metric_find(p, pp_slice_z(name));
		if (*mp < n) {
			*mq = pp_profile_metric_like(q, p, *mp);
			return *mq < q->metrics.n;
		}
		*mq = pp_profile_metric_find(q, pp_slice_z(name));
		*mp = *mq < q->metrics.n ? pp_profile_metric_like(p, q, *mq) : n;
		return *mp < n || metric_pair(p, q, name, mp, mq);
	}
	for (i = 0; i <= n; i++) {
		*mp = i == 0 ? pp_profile_primary(p) : i - 1;
		*mq = *mp < n ? pp_profile_metric_like(q, p, *mp) : q->metrics.n;
		if (*mq < q->metrics.n)
			return true;
	}
	return false;
}

/* A differential profile holds both sides itself. */
static int
differential(struct pp_cli *cli, struct pp_compare *c)
{
	const struct pp_profile *p = c->input[PP_BEFORE]->profile;
	size_t before = pp_profile_metric_find(p, pp_slice_z("before"));
	size_t after = pp_profile_metric_find(p, pp_slice_z("after"));

	if (before >= p->metrics.n || after >= p->metrics.n)
		return pp_cli_usage(cli, "one file alone must be a differential profile; name two");
	c->input[PP_AFTER] = calloc(1, sizeof *c->input[PP_AFTER]);
	if (!c->input[PP_AFTER]) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_INPUT;
	}
	c->n[PP_AFTER] = 1;
	c->input[PP_AFTER]->profile = p;
	c->input[PP_BEFORE]->metric = before;
	c->input[PP_AFTER]->metric = after;
	return 0;
}

static bool
same_meaning(const struct pp_profile *p, size_t mp, const struct pp_profile *q, size_t mq)
{
	const struct pp_metric *a = &p->metrics.at[mp], *b = &q->metrics.at[mq];

	return a->kind == b->kind && pp_slice_eq(pp_text_of(p, a->unit), pp_text_of(q, b->unit));
}

static int
choose_metrics(struct pp_cli *cli, struct pp_compare *c, const struct pp_diff_options *options)
{
	const struct pp_profile *first = c->input[PP_BEFORE][0].profile;
	const struct pp_diff_input *after = c->input[PP_AFTER];
	const char *name = pp_args_text(&cli->args, "metric");
	size_t side, i, chosen = first->metrics.n;

	if (c->n[PP_AFTER] == 0)
		return differential(cli, c);
	for (side = 2; side-- > 0;)
		for (i = 0; i < c->n[side]; i++) {
			struct pp_diff_input *in = &c->input[side][i];

			if (chosen < first->metrics.n) {
				/* Runs of one side have the metric of its first one. */
				const struct pp_profile *like = side == PP_AFTER ? after->profile
				                                                 : first;

				in->metric = in->profile == first
				                 ? chosen
				                 : pp_profile_metric_like(
				                       in->profile, like,
				                       like == first ? chosen : after->metric);
				if (in->metric >= in->profile->metrics.n)
					return metric_refuse(cli, first, in->profile, name);
			} else if (!metric_find(first, in->profile, name, &chosen, &in->metric)) {
				return metric_refuse(cli, first, in->profile, name);
			}
		}
	if (options->normalize != PP_NORM_TOTAL &&
	    !same_meaning(first, chosen, after->profile, after->metric))
		return pp_cli_usage(cli,
		                    "'%s': these are different things; --normalize total "
		                    "compares their shares",
		                    name);
	return 0;
}

/* ---- all of it ---- */

static bool
options_read(struct pp_cli *cli, struct pp_diff_options *options)
{
	static const char *const words[] = { "none", "total", "samples", "time" };
	const char *normalize = pp_args_text(&cli->args, "normalize");
	const char *noise = pp_args_text(&cli->args, "noise");
	size_t i, n = noise ? strlen(noise) : 0;
	double percent = NOISE_DEFAULT * 100;

	*options = (struct pp_diff_options){ .normalize = PP_NORM_NONE };
	for (i = 0; normalize && i < PP_COUNT_OF(words); i++)
		if (strcmp(normalize, words[i]) == 0)
			options->normalize = (enum pp_diff_norm)i;
	if (n > 0 && noise[n - 1] == '%')
		n--;
	if (noise && (!pp_num_double(pp_slice_of(noise, n), &percent) || percent < 0)) {
		(void)pp_cli_usage(cli, "--noise takes a percentage, not '%s'", noise);
		return false;
	}
	options->noise = percent / 100;
	return true;
}

/* Whether every file can be read twice. */
static bool
files_stay(const struct pp_cli *cli)
{
	const struct pp_args *args = &cli->args;
	struct stat st;
	size_t i;

	for (i = 0; i < args->words.n; i++)
		if (stat(args->words.at[i], &st) != 0 || !S_ISREG(st.st_mode))
			return false;
	for (i = 0; i < args->given.n; i++)
		if ((strcmp(args->given.at[i].option->name, "before") == 0 ||
		     strcmp(args->given.at[i].option->name, "after") == 0) &&
		    (stat(args->given.at[i].text, &st) != 0 || !S_ISREG(st.st_mode)))
			return false;
	return true;
}

/* Loads and compares; PP_E_UNSUPPORTED with `needs_stacks` when more has to be read. */
static pp_status
compare_once(struct pp_cli *cli, const struct pp_diff_options *options, struct pp_compare *c,
             struct pp_buf *problem, int *code)
{
	*code = load_files(cli, c);
	if (*code == 0)
		*code = choose_metrics(cli, c, options);
	if (*code)
		return PP_OK;
	return pp_diff_compute(&c->diff, c->input[PP_BEFORE], c->n[PP_BEFORE], c->input[PP_AFTER],
	                       c->n[PP_AFTER], options, problem);
}

int
pp_compare_run(struct pp_cli *cli, bool stacks, struct pp_compare *c)
{
	struct pp_load_order order = { .want = { .facets = PP_LOAD_WANT | PP_FUNCTIONS,
		                                 .stacks = stacks } };
	struct pp_diff_options options;
	struct pp_buf problem = { 0 };
	pp_status status;
	int code;

	/* Costs per function are read faster, and suffice unless several become one. */
	*c = (struct pp_compare){ .order = order };
	if (!stacks && files_stay(cli))
		c->order.want.facets = (order.want.facets & ~(unsigned)PP_FACETS) | PP_COSTS;
	if (!options_read(cli, &options))
		return PP_EXIT_USAGE;
	status = compare_once(cli, &options, c, &problem, &code);
	if (code == 0 && status == PP_E_UNSUPPORTED && c->diff.needs_stacks) {
		pp_compare_release(c);
		order.again = true;
		*c = (struct pp_compare){ .order = order };
		status = compare_once(cli, &options, c, &problem, &code);
	}
	if (status != PP_OK) {
		pp_cli_error(cli, "%s", problem.n ? problem.p : pp_status_text(status));
		code = PP_EXIT_INPUT;
	}
	pp_buf_release(&problem);
	return code;
}

/* ---- values ---- */

size_t
pp_compare_print(const struct pp_diff *d, const struct pp_diff_value *v, size_t side,
                 char out[PP_NUM_MAX])
{
	if (d->exact)
		return pp_value_print(&d->metric, v->exact[side], out);
	return pp_num_print_double(out, v->value[side]);
}

size_t
pp_compare_print_delta(const struct pp_diff *d, const struct pp_diff_value *v, char out[PP_NUM_MAX])
{
	union pp_value delta = v->exact[PP_AFTER];

	if (!d->exact)
		return pp_num_print_double(out, pp_diff_delta(v));
	pp_value_sub(&d->metric, &delta, v->exact[PP_BEFORE]);
	return pp_value_print(&d->metric, delta, out);
}

const char *
pp_compare_normalized(const struct pp_diff *d)
{
	static const char *const words[] = { NULL, "total", "samples", "time" };

	return words[d->options.normalize];
}

bool
pp_compare_estimated(const struct pp_diff *d)
{
	size_t side, i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < d->runs[side]; i++)
			if (d->input[side][i].profile->estimated)
				return true;
	return false;
}

/* ---- JSON ---- */

static void
json_double(struct pp_json *j, const char *key, double value)
{
	char text[PP_NUM_MAX];
	size_t n = pp_num_print_double(text, value);

	pp_json_put_raw(j, key, text, n);
}

static void
json_side(struct pp_json *j, const struct pp_diff *d, const struct pp_diff_row *row, size_t side)
{
	char text[PP_NUM_MAX];

	pp_json_put_object(j, side == PP_BEFORE ? "before" : "after");
	pp_json_put_raw(j, "self", text, pp_compare_print(d, &row->self, side, text));
	pp_json_put_raw(j, "total", text, pp_compare_print(d, &row->total, side, text));
	if (d->has_calls)
		json_double(j, "calls", row->calls[side]);
	pp_json_end_object(j);
}

static void
json_change(struct pp_json *j, const char *key, const struct pp_diff_value *v)
{
	if (v->value[PP_BEFORE] == 0)
		pp_json_put_null(j, key);
	else
		json_double(j, key, pp_diff_delta(v) / fabs(v->value[PP_BEFORE]));
}

void
pp_compare_json_row(struct pp_json *j, const struct pp_diff *d, const struct pp_diff_row *row)
{
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(row, &p);
	char text[PP_NUM_MAX];

	pp_json_begin_object(j);
	pp_json_func(j, p, (pp_func)(f - p->funcs.at));
	json_side(j, d, row, PP_BEFORE);
	json_side(j, d, row, PP_AFTER);
	pp_json_put_object(j, "delta");
	pp_json_put_raw(j, "self", text, pp_compare_print_delta(d, &row->self, text));
	pp_json_put_raw(j, "total", text, pp_compare_print_delta(d, &row->total, text));
	pp_json_end_object(j);
	pp_json_put_object(j, "change");
	json_change(j, "self", &row->self);
	json_change(j, "total", &row->total);
	pp_json_end_object(j);
	pp_json_put_object(j, "share");
	json_double(j, "self", pp_diff_share(d, &row->self));
	json_double(j, "total", pp_diff_share(d, &row->total));
	pp_json_end_object(j);
	pp_json_put_textz(j, "status", pp_diff_status_name(row->self.status));
	pp_json_put_textz(j, "status_total", pp_diff_status_name(row->total.status));
	pp_json_end_object(j);
}

static void
json_whole(struct pp_json *j, const struct pp_diff *d, size_t side)
{
	const struct pp_diff_input *in = &d->input[side][0];
	char text[PP_NUM_MAX];

	pp_json_put_object(j, side == PP_BEFORE ? "before" : "after");
	pp_json_put_raw(j, "total", text, pp_compare_print(d, &d->whole, side, text));
	pp_json_put_metric(j, "metric", in->profile, in->metric);
	if (d->runs[side] > 1)
		pp_json_put_u64(j, "runs", d->runs[side]);
	pp_json_end_object(j);
}

void
pp_compare_json_head(struct pp_json *j, const struct pp_diff *d)
{
	const struct pp_diff_input *in = &d->input[PP_BEFORE][0];
	const struct pp_metric *m = &in->profile->metrics.at[in->metric];
	const char *normalized = pp_compare_normalized(d);
	struct pp_buf text = { 0 };

	pp_json_put_metric(j, "metric", in->profile, in->metric);
	pp_json_put_text(j, "unit", pp_text_of(in->profile, m->unit));
	if (!same_meaning(in->profile, in->metric, d->input[PP_AFTER]->profile,
	                  d->input[PP_AFTER]->metric))
		pp_json_put_metric(j, "metric_after", d->input[PP_AFTER]->profile,
		                   d->input[PP_AFTER]->metric);
	if (normalized)
		pp_json_put_textz(j, "normalized", normalized);
	else
		pp_json_put_bool(j, "normalized", false);
	if (normalized)
		json_double(j, "scale", d->scale);
	json_whole(j, d, PP_BEFORE);
	json_whole(j, d, PP_AFTER);
	pp_json_put_bool(j, "estimated", pp_compare_estimated(d));
	pp_json_put_textz(j, "status", pp_diff_status_name(d->whole.status));
	pp_diff_explain(d, &text);
	pp_json_put_textz(j, "rule", text.p ? text.p : "");
	pp_buf_release(&text);
}
