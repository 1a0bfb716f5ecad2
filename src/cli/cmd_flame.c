/*
 * polyprof flame: a flame graph as an interactive SVG.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/reshape.h"
#include "cli/load.h"
#include "model/derive.h"
#include "model/traits.h"
#include "output/flame_svg.h"
#include "text/units.h"
#include "text/escape.h"
#include "text/suggest.h"

#define WIDTH 1200.0
#define THINNEST_PX 0.5
/* Frames of one percent are drawn whatever --min-width says. */
#define ALWAYS_DRAWN 0.01
/* Levels from which on a picture is said to be tall. */
#define TALL 2000
/* How large a picture becomes unless --max-output says otherwise, and what a frame takes. */
#define LARGEST ((uint64_t)32 << 20)
#define BOX_BYTES 256
/* Files that a title names. */
#define TITLE_FILES 3

static int flame_run(struct pp_cli *);

static const struct pp_param flame_options[] = {
	{ "output", 'o', PP_PARAM_TEXT, "OUT",
	  "the file to write (`-` or nothing = standard output)", PP_HINT_FILE, 0 },
	{ "metric", 'm', PP_PARAM_TEXT, "NAME", "what gives frames their width", PP_HINT_NONE, 0 },
	{ "icicle", 0, PP_PARAM_FLAG, NULL, "the whole on top, callees below", PP_HINT_NONE, 0 },
	{ "reverse", 0, PP_PARAM_FLAG, NULL, "start from the leaves: who calls what costs",
	  PP_HINT_NONE, 0 },
	{ "flamechart", 0, PP_PARAM_FLAG, NULL, "from left to right in the order of time",
	  PP_HINT_NONE, 0 },
	{ "merge", 0, PP_PARAM_FLAG, NULL, "add two files up instead of comparing them",
	  PP_HINT_NONE, 0 },
	{ "normalize", 0, PP_PARAM_CHOICE, "none|total",
	  "compare shapes: scale the second profile to the total of the first", PP_HINT_NONE, 0 },
	{ "sort", 0, PP_PARAM_CHOICE, "name|weight|input", "the order of siblings (default name)",
	  PP_HINT_NONE, 0 },
	{ "min-width", 0, PP_PARAM_TEXT, "N[%]",
	  "draw thinner frames together: pixels (default 0.5) or percent; frames of 1 % are always "
	  "drawn",
	  PP_HINT_NONE, 0 },
	{ "depth", 0, PP_PARAM_COUNT, "N", "levels to draw (default: all)", PP_HINT_NONE, 0 },
	{ "width", 0, PP_PARAM_COUNT, "N", "width of the picture in pixels (default 1200)",
	  PP_HINT_NONE, 0 },
	{ "title", 0, PP_PARAM_TEXT, "TEXT", "the title (default: the name of the file)",
	  PP_HINT_NONE, 0 },
	{ "subtitle", 0, PP_PARAM_TEXT, "TEXT", "a line below it (default: what is drawn)",
	  PP_HINT_NONE, 0 },
	{ "colors", 0, PP_PARAM_CHOICE, "hot|mem|io|red|green|blue|aqua|yellow|purple|orange|grey",
	  "colours by name out of this set", PP_HINT_NONE, 0 },
	{ "palette", 0, PP_PARAM_CHOICE, "module|name|language",
	  "what decides a frame's colour (default module)", PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group flame_group = { "Picture", flame_options };

static const struct pp_param_group *const flame_groups[] = {
	&flame_group,      &pp_params_filter, &pp_params_by,     &pp_group_read,
	&pp_group_variant, &pp_group_strict,  &pp_group_general, NULL,
};

static const struct pp_example flame_examples[] = {
	{ "flame app.folded -o app.svg", "open app.svg in a browser" },
	{ "flame before.folded after.folded -o change.svg",
	  "orange grew, blue shrank, what vanished is still there" },
	{ "flame --flamechart spx-full-1.json -o time.svg", "what happened when" },
	{ "flame --focus '^render' --hide ^php:: app.json -o render.svg", "a part of it" },
	{ "flame --icicle --reverse app.folded -o callers.svg", "from the leaves up" },
	{ 0 },
};

const struct pp_command pp_command_flame = {
	.name = "flame",
	.synopsis = "FILE... -o OUT.svg",
	.summary = "a flame graph as an interactive SVG",
	.details =
	    "Each frame is a function on a stack; its width is what it costs with all it called. "
	    "Click to zoom, / to search, Escape to go back; arrows, Enter and n move about; the URL "
	    "keeps it all. Without scripts the picture and the titles of its frames remain.\n\n"
	    "Two files are compared: widths show the larger of both, orange frames cost more "
	    "themselves than before, blue ones less. Frames too thin to draw stand together as one "
	    "grey block, so widths always add up. Stacks are told apart by the names in them.\n\n"
	    "With --flamechart, boxes stand where and as long as the profile says that functions "
	    "ran; that needs a profile that knows time. Each of several threads has a lane, all on "
	    "one axis of time; --thread chooses one.",
	.groups = flame_groups,
	.examples = flame_examples,
	.hint = PP_HINT_FILE,
	.flags = PP_COMMAND_OWN_DEPTH | PP_COMMAND_TIME,
	.run = flame_run,
};

/* ---- what was asked ---- */

struct request {
	struct pp_flame_opts opts;
	struct pp_flame_style style;
	union pp_value whole;
	double scaled; /* by what the second profile was multiplied; 0 = it was not */
	bool reverse;
	struct pp_reversal reversed;
};

/* How stacks are turned round, if they are. */
static struct pp_reversal *
reversal(struct request *r)
{
	return r->reverse ? &r->reversed : NULL;
}

/* "0.5" pixels or "0.1%" as a share of the whole; false when it is neither. */
static bool
parse_min_width(const char *text, double span, double *share)
{
	char *end;
	double value;

	if (!text) {
		*share = THINNEST_PX / span;
		return true;
	}
	value = strtod(text, &end);
	if (end == text || !isfinite(value) || value < 0)
		return false;
	if (strcmp(end, "%") == 0)
		*share = value / 100;
	else if (*end == '\0' || strcmp(end, "px") == 0)
		*share = value / span;
	else
		return false;
	return true;
}

static int
request_parse(struct pp_cli *cli, struct request *r)
{
	const char *sort = pp_args_text(&cli->args, "sort");
	const char *palette = pp_args_text(&cli->args, "palette");
	uint64_t width = pp_args_count(&cli->args, "width", (uint64_t)WIDTH);
	uint64_t depth = pp_args_count(&cli->args, "depth", 0);
	double share;

	if (width < 200 || width > 100000)
		return pp_cli_wrong(cli, "--width must be from 200 to 100000");
	if (!parse_min_width(pp_args_text(&cli->args, "min-width"),
	                     pp_flame_svg_span((double)width), &share))
		return pp_cli_wrong(cli, "--min-width takes pixels (0.5) or percent (0.1%%)");
	*r = (struct request){
		.opts = { .before = PP_FLAME_ALONE,
		          .min_share = share < ALWAYS_DRAWN ? share : ALWAYS_DRAWN,
		          .deepest = depth && depth < UINT32_MAX ? (uint32_t)depth + 1 : UINT32_MAX,
		          .most = (size_t)(pp_args_count(&cli->args, "max-output", LARGEST) /
		                           BOX_BYTES) },
		.style = { .title = pp_args_text(&cli->args, "title"),
		           .subtitle = pp_args_text(&cli->args, "subtitle"),
		           .colors = pp_args_text(&cli->args, "colors"),
		           .width = (double)width,
		           .icicle = pp_args_flag(&cli->args, "icicle") },
		.reverse = pp_args_flag(&cli->args, "reverse"),
	};
	if (sort)
		r->opts.order = strcmp(sort, "weight") == 0  ? PP_FLAME_BY_WEIGHT
		                : strcmp(sort, "input") == 0 ? PP_FLAME_AS_FOUND
		                                             : PP_FLAME_BY_NAME;
	r->style.palette = PP_PALETTE_MODULE;
	if (palette || r->style.colors)
		r->style.palette = palette && strcmp(palette, "module") == 0 ? PP_PALETTE_MODULE
		                   : palette && strcmp(palette, "language") == 0
		                       ? PP_PALETTE_LANGUAGE
		                       : PP_PALETTE_NAME;
	return 0;
}

/* ---- the profile to draw ---- */

/* Replaces a profile by its form with stacks told apart by names, unless it is that already. */
static pp_status
by_name(struct request *r, struct pp_profile **profile)
{
	struct pp_profile *named = NULL;
	bool failed = false;
	pp_status status;

	if (!r->reverse && pp_reshape_is_by_name(*profile, &failed))
		return PP_OK;
	status = failed ? PP_E_NOMEM
	                : pp_reshape_names(*profile, r->opts.metric, reversal(r), &named);
	if (status != PP_OK)
		return status;
	pp_profile_free(*profile);
	*profile = named;
	r->opts.metric = 0;
	return PP_OK;
}

/* Says why nothing is drawn; the exit code. */
static int
draw_failed(struct pp_cli *cli, const struct pp_flame *flame, pp_status status)
{
	if (status == PP_E_LIMIT && flame) {
		pp_cli_error(cli, "there is no room for so many frames; --min-width N draws fewer, "
		                  "--max-output SIZE allows more");
		return PP_EXIT_OUTPUT;
	}
	if (status != PP_OK)
		pp_cli_error(cli, "cannot draw: %s", pp_status_text(status));
	return pp_load_exit(status);
}

/* Whether a profile holds nothing at all, which makes an empty picture. */
static bool
is_empty(const struct pp_profile *p)
{
	return p->tree.n <= 1 && p->funcs.n <= 1 && p->calls.rows.n == 0 && p->lines.rows.n == 0 &&
	       !(p->unread & PP_HAS(LINES));
}

static int
need_tree(struct pp_cli *cli, const struct pp_profile *p, const char *file)
{
	if (((p->facets & PP_TREE) && p->metrics.n) || is_empty(p))
		return 0;
	pp_cli_error(cli, "%s holds no stacks to draw; `polyprof report` shows what it has", file);
	return PP_EXIT_INPUT;
}

static const struct pp_load_order stacks_order = { .want = { .facets = PP_TREE | PP_FUNCTIONS,
	                                                     .stacks = true } };

/* One profile, or several added up; a differential file is two by itself. */
static int
load_alone(struct pp_cli *cli, struct request *r, const char *const *files, size_t n,
           struct pp_profile **out)
{
	struct pp_load_order order = stacks_order;
	size_t before;
	int code;

	/* Frames too thin to draw need not be read apart; from the leaves up all of them count. */
	if (n == 1 && !r->reverse && !pp_load_narrowed(cli))
		order.prune = order.want.min_share = r->opts.min_share;
	code = pp_load_by_options(cli, files, n, &order, out);
	if (code == 0)
		code = need_tree(cli, *out, files[0]);
	if (code || (*out)->metrics.n == 0)
		return code;
	code = pp_load_metric(cli, *out, &r->opts.metric);
	if (code)
		return code;
	r->whole = pp_profile_total(*out, r->opts.metric);
	r->opts.whole = &r->whole;
	before = pp_profile_metric_find(*out, pp_slice_z("before"));
	if (before < (*out)->metrics.n && !r->reverse && !pp_args_text(&cli->args, "metric")) {
		r->opts.before = before;
		r->opts.whole = NULL;
		return 0;
	}
	return draw_failed(cli, NULL, by_name(r, out));
}

/* Two profiles as one. */
static int
load_both(struct pp_cli *cli, struct request *r, const char *const *files, struct pp_profile **out)
{
	struct pp_profile *p[2] = { NULL, NULL };
	size_t metric[2], i;
	pp_status status = PP_OK;
	int code = 0;

	for (i = 0; i < 2 && code == 0; i++) {
		code = pp_load_by_options(cli, files + i, 1, &stacks_order, &p[i]);
		if (code == 0)
			code = need_tree(cli, p[i], files[i]);
		if (code == 0 && p[i]->metrics.n == 0) {
			pp_cli_error(cli, "%s holds nothing to compare", files[i]);
			code = PP_EXIT_INPUT;
		}
		if (code == 0)
			code = pp_load_metric(cli, p[i], &metric[i]);
	}
	if (code == 0)
		status = pp_reshape_union(p[0], metric[0], p[1], metric[1], reversal(r), out);
	if (status == PP_E_USAGE)
		pp_cli_error(cli,
		             "%s and %s count in different units; choose a metric of both with -m",
		             files[0], files[1]);
	else if (status != PP_OK)
		pp_cli_error(cli, "cannot draw: %s", pp_status_text(status));
	if (status != PP_OK)
		code = status == PP_E_USAGE ? PP_EXIT_INPUT : pp_load_exit(status);
	r->opts.before = 0;
	r->opts.metric = 1;
	pp_profile_free(p[0]);
	pp_profile_free(p[1]);
	return code;
}

/* Scales what is compared to the size of what it is compared with. */
static int
normalize(struct pp_cli *cli, struct request *r, struct pp_profile **profile)
{
	const struct pp_profile *p = *profile;
	struct pp_profile *scaled;
	const char *how = pp_args_text(&cli->args, "normalize");
	double before, after;
	pp_status status;

	if (!how || strcmp(how, "none") == 0)
		return 0;
	if (r->opts.before == PP_FLAME_ALONE)
		return pp_cli_wrong(cli, "--normalize compares two profiles");
	before = pp_value_double(&p->metrics.at[r->opts.before],
	                         pp_profile_total(p, r->opts.before));
	after = pp_value_double(&p->metrics.at[r->opts.metric],
	                        pp_profile_total(p, r->opts.metric));
	if (!(before > 0) || !(after > 0))
		return 0;
	r->scaled = before / after;
	status = pp_reshape_scale(p, r->opts.metric, r->scaled, &scaled);
	if (status != PP_OK) {
		pp_cli_error(cli, "cannot scale: %s", pp_status_text(status));
		return pp_load_exit(status);
	}
	pp_profile_adopt(scaled, *profile);
	*profile = scaled;
	return 0;
}

/* ---- in the order of time ---- */

static int
chart_load(struct pp_cli *cli, struct request *r, const char *const *files, size_t n,
           struct pp_profile **out, struct pp_flame *flame)
{
	struct pp_load_order order = { .want.facets = PP_TREE | PP_TIMELINE };
	pp_status status;
	int code;

	if (n != 1)
		return pp_cli_wrong(cli, "--flamechart draws one file: times of several do not "
		                         "belong together");
	if (r->reverse)
		return pp_cli_wrong(cli, "--flamechart and --reverse exclude each other");
	code = pp_load_by_options(cli, files, 1, &order, out);
	if (code)
		return code;
	status = pp_flame_chart(flame, *out, &r->opts);
	if (status == PP_E_UNSUPPORTED) {
		pp_cli_error(cli, "%s does not say when things happened%s", files[0],
		             pp_load_narrowed(cli) ? " once frames are taken out of its stacks"
		                                   : "");
		return PP_EXIT_INPUT;
	}
	return draw_failed(cli, flame, status);
}

/* ---- running ---- */

static void
flame_say(struct pp_cli *cli, const struct request *r, const struct pp_flame *flame)
{
	if (r->reversed.levels)
		pp_cli_note(cli,
		            "there are too many callers of callers to tell apart: those beyond %u "
		            "levels are summed up",
		            r->reversed.levels);
	if (flame->levels)
		pp_cli_note(cli,
		            "there is room for %zu frames: what lies deeper than %u levels is "
		            "summed up; --max-output SIZE allows more",
		            r->opts.most, flame->levels);
	else if (flame->too_deep)
		pp_cli_note(cli, "what lies deeper than %u levels is summed up",
		            r->opts.deepest - 1);
	else if (flame->depth > TALL)
		pp_cli_note(cli, "the picture has %u levels; --depth 200 draws the first 200",
		            flame->depth - 1);
	if (flame->negative)
		pp_cli_note(cli,
		            "%llu frames have a negative cost of their own, which has no width",
		            (unsigned long long)flame->negative);
}

/* What is drawn, unless --subtitle says it: the metric, what all of it costs. */
static void
subtitle_make(struct pp_buf *to, const struct pp_flame *flame, const struct request *r)
{
	const struct pp_profile *p = flame->profile;
	const struct pp_metric *m = flame->metric;
	pp_str title = m->title ? m->title : m->name;
	const struct pp_box *whole = flame->boxes.n ? &flame->boxes.at[0] : NULL;

	if (title && !flame->compares && pp_slice_cmp(pp_text_of(p, title), flame->unit) != 0) {
		pp_escape_terminal(to, pp_text_of(p, title));
		pp_buf_adds(to, " \xc2\xb7 ");
	}
	if (whole && flame->compares) {
		pp_units_value(to, flame->unit, pp_value_double(m, whole->value_before));
		pp_buf_adds(to, " \xe2\x86\x92 ");
	}
	if (whole)
		pp_units_named(to, flame->unit, pp_value_double(m, whole->value));
	if (r->scaled > 0)
		pp_buf_addf(to, " \xc2\xb7 after scaled by %.4g", r->scaled);
	if (flame->boxes.n <= 1)
		pp_buf_adds(to, " \xc2\xb7 nothing to draw");
	if (!p->complete)
		pp_buf_adds(to, " \xc2\xb7 incomplete");
}

/* The names of the files, without their directories. */
static void
title_make(struct pp_buf *to, const char *const *files, size_t n, bool compares)
{
	size_t shown = n < TITLE_FILES ? n : TITLE_FILES, i;

	for (i = 0; i < shown; i++) {
		const char *slash = strrchr(files[i], '/');

		pp_buf_adds(to, i == 0 ? "" : compares ? " \xe2\x86\x92 " : ", ");
		pp_escape_terminal(to, pp_slice_z(slash && slash[1] ? slash + 1 : files[i]));
	}
	if (shown < n)
		pp_buf_addf(to, " and %zu more", n - shown);
}

static void
flame_draw(struct pp_cli *cli, struct request *r, const struct pp_flame *flame,
           const char *const *files, size_t n)
{
	struct pp_buf subtitle = { 0 }, title = { 0 };

	if (!r->style.title && strcmp(files[0], "-") != 0) {
		title_make(&title, files, n, flame->compares);
		pp_buf_addc(&title, '\0');
		r->style.title = title.failed ? NULL : title.p;
	}
	if (!r->style.subtitle) {
		subtitle_make(&subtitle, flame, r);
		pp_buf_addc(&subtitle, '\0');
		r->style.subtitle = subtitle.failed ? NULL : subtitle.p;
	}
	r->style.estimated = flame->profile->estimated;
	pp_flame_svg(cli->out, flame, &r->style);
	flame_say(cli, r, flame);
	pp_buf_release(&subtitle);
	pp_buf_release(&title);
}

static int
flame_run(struct pp_cli *cli)
{
	struct pp_profile *profile = NULL;
	struct pp_flame flame = { 0 };
	const char *const *files;
	struct request r;
	bool chart;
	size_t n;
	int code = pp_load_files(cli, 0, &files, &n);

	if (code == 0)
		code = pp_cli_no_terminal(cli, "flame.svg");
	if (code == 0)
		code = request_parse(cli, &r);
	chart = pp_args_flag(&cli->args, "flamechart");
	if (code == 0)
		code = chart ? chart_load(cli, &r, files, n, &profile, &flame)
		       : n == 2 && !pp_args_flag(&cli->args, "merge")
		           ? load_both(cli, &r, files, &profile)
		           : load_alone(cli, &r, files, n, &profile);
	if (code == 0 && !chart)
		code = normalize(cli, &r, &profile);
	if (code == 0 && !chart)
		code = draw_failed(cli, &flame, pp_flame_compute(&flame, profile, &r.opts));
	if (code == 0)
		code = pp_cli_output(cli);
	if (code == 0)
		flame_draw(cli, &r, &flame, files, n);
	pp_flame_release(&flame);
	pp_profile_free(profile);
	return code;
}
