/*
 * flame: a flame graph, of one profile, of two as one, or in the order of time.
 */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "analysis/reshape.h"
#include "analysis/set_aside.h"
#include "model/derive.h"
#include "model/traits.h"
#include "questions/product.h"
#include "text/escape.h"
#include "text/units.h"

#define WIDTH 1200
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

struct flame_params {
	struct pp_asked asked;
	struct pp_scope scope;
	bool icicle, reverse, chart, merge;
	unsigned normalize, sort; /* none or total; enum pp_flame_order */
	const char *min_width;
	uint64_t depth, width;
	const char *title, *subtitle;
	unsigned colors, palette; /* UINT_MAX when not given */
};

static void flame_init(void *);
static pp_status flame_ready(const struct pp_subject *, const void *, struct pp_answer *);
static void flame_want(const void *, struct pp_want *);
static pp_status flame_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param flame_params[] = {
	{ "output", 'o', PP_PARAM_TEXT, "OUT",
	  "the file to write (`-` or nothing = standard output)", PP_HINT_FILE,
	  offsetof(struct flame_params, asked.output) },
	{ "metric", 'm', PP_PARAM_TEXT, "NAME", "the metric that gives frames their width",
	  PP_HINT_NONE, offsetof(struct flame_params, asked.metric) },
	{ "icicle", 0, PP_PARAM_FLAG, NULL, "the whole on top, callees below", PP_HINT_NONE,
	  offsetof(struct flame_params, icicle) },
	{ "reverse", 0, PP_PARAM_FLAG, NULL, "start from the leaves: who calls what is costly",
	  PP_HINT_NONE, offsetof(struct flame_params, reverse) },
	{ "flamechart", 0, PP_PARAM_FLAG, NULL, "from left to right in time order", PP_HINT_NONE,
	  offsetof(struct flame_params, chart) },
	{ "merge", 0, PP_PARAM_FLAG, NULL, "add two files up instead of comparing them",
	  PP_HINT_NONE, offsetof(struct flame_params, merge) },
	{ "normalize", 0, PP_PARAM_CHOICE, "none|total",
	  "compare shapes: scale the second profile to the total of the first", PP_HINT_NONE,
	  offsetof(struct flame_params, normalize) },
	{ "sort", 0, PP_PARAM_CHOICE, "name|weight|input", "the order of siblings (default name)",
	  PP_HINT_NONE, offsetof(struct flame_params, sort) },
	{ "min-width", 0, PP_PARAM_TEXT, "N[%]",
	  "combine thinner frames: pixels (default 0.5) or percent; frames of 1% are always "
	  "drawn",
	  PP_HINT_NONE, offsetof(struct flame_params, min_width) },
	{ "depth", 0, PP_PARAM_COUNT, "N", "levels to draw (default: all)", PP_HINT_NONE,
	  offsetof(struct flame_params, depth) },
	{ "width", 0, PP_PARAM_COUNT, "N", "width of the picture in pixels (default 1200)",
	  PP_HINT_NONE, offsetof(struct flame_params, width) },
	{ "title", 0, PP_PARAM_TEXT, "TEXT", "the title (default: the name of the file)",
	  PP_HINT_NONE, offsetof(struct flame_params, title) },
	{ "subtitle", 0, PP_PARAM_TEXT, "TEXT",
	  "a line below the title (default: what is "
	  "drawn)",
	  PP_HINT_NONE, offsetof(struct flame_params, subtitle) },
	{ "colors", 0, PP_PARAM_CHOICE, "hot|mem|io|red|green|blue|aqua|yellow|purple|orange|grey",
	  "colour by name, from this set", PP_HINT_NONE, offsetof(struct flame_params, colors) },
	{ "palette", 0, PP_PARAM_CHOICE, "module|name|language",
	  "what decides a frame's colour (default module)", PP_HINT_NONE,
	  offsetof(struct flame_params, palette) },
	{ 0 },
};
static const struct pp_param_group flame_group = { "Picture", flame_params };

static const struct pp_param_use flame_uses[] = {
	{ &flame_group, 0, PP_GROUP_FIRST },
	{ &pp_params_base, 0, PP_GROUP_FIRST },
	{ &pp_params_by, offsetof(struct flame_params, scope), PP_GROUP_FIRST },
	{ &pp_params_root, offsetof(struct flame_params, scope), PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct flame_params, scope), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_flame = {
	.name = "flame",
	.summary = "a flame graph as an interactive SVG",
	.params = flame_uses,
	.params_size = sizeof(struct flame_params),
	.scope_at = offsetof(struct flame_params, scope),
	.asks = PP_ASKS_PICTURE,
	.gives = PP_GIVES_FILE,
	.makes = PP_MAKES_PICTURE,
	.init = flame_init,
	.ready = flame_ready,
	.want = flame_want,
	.run = flame_run,
};

static void
flame_init(void *data)
{
	struct flame_params *params = data;

	params->scope.keep_time = true;
	params->colors = params->palette = UINT_MAX;
}

/* ---- what was asked ---- */

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

static double
width_of(const struct flame_params *params)
{
	return params->width == PP_UNSET ? WIDTH : (double)params->width;
}

static double
share_of(const struct flame_params *params)
{
	double share = 0;

	(void)parse_min_width(params->min_width, pp_flame_span(width_of(params)), &share);
	return fmin(share, ALWAYS_DRAWN);
}

static pp_status
flame_ready(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct flame_params *params = data;
	const char *wrong = NULL;
	double share;

	if (width_of(params) < 200 || width_of(params) > 100000)
		wrong = "--width must be from 200 to 100000";
	else if (!parse_min_width(params->min_width, pp_flame_span(width_of(params)), &share))
		wrong = "--min-width takes pixels (0.5) or percent (0.1%)";
	else if (params->chart && subject->file_count > 1)
		wrong = "--flamechart draws one file: the times of several do not fit "
		        "together";
	else if (params->chart && params->reverse)
		wrong = "--flamechart and --reverse cannot be used together";
	return wrong ? pp_answer_fail(a, PP_E_USAGE, "wrong-picture", "%s", wrong) : PP_OK;
}

static void
flame_want(const void *data, struct pp_want *want)
{
	const struct flame_params *params = data;

	want->merge = params->merge || params->chart;
	want->facets = PP_TREE | PP_GAINS | (params->chart ? PP_TIMELINE : PP_FUNCTIONS);
	want->stacks = !params->chart;
	/* Frames too thin to draw need not be read apart; from the leaves up all of them count. */
	if (!params->chart && !params->reverse && !pp_scope_given(&params->scope))
		want->prune = want->cut = want->min_share = share_of(params);
}

/* ---- the profile to draw; lives in the answer ---- */

struct drawn {
	const struct flame_params *params;
	struct pp_flame_opts opts;
	union pp_value whole;
	double scaled; /* by what the second profile was multiplied; 0 = it was not */
	struct pp_diff_input compared[2]; /* before and after, when comparing */
	const struct pp_profile *profile; /* what is drawn */
	struct pp_profile *own,
	    *base; /* the same if it was made for this, and what it was made of */
	struct pp_flame flame;
	struct pp_reversal reversed;
	struct pp_profile *least[2]; /* where no steps are known: with what was gained at least */
	bool gained;                 /* widths are what a metric that falls gained, */
	bool at_least;               /* or more than that */
	/* The profile that was asked about, and which of its metrics is drawn; NULL when comparing. */
	const struct pp_profile *asked;
	size_t metric;
};

/* How stacks are turned round, if they are. */
static struct pp_reversal *
reversal(struct drawn *d)
{
	return d->params->reverse ? &d->reversed : NULL;
}

static void
drawn_release(void *data)
{
	struct drawn *d = data;

	pp_flame_release(&d->flame);
	pp_profile_free(d->own);
	pp_profile_free(d->base);
	pp_profile_free(d->least[0]);
	pp_profile_free(d->least[1]);
}

/* Whether a profile holds nothing at all, which makes an empty picture. */
static bool
is_empty(const struct pp_profile *p)
{
	return p->tree.n <= 1 && p->funcs.n <= 1 && p->calls.rows.n == 0 && p->lines.rows.n == 0 &&
	       !(p->unread & PP_HAS(LINES));
}

static pp_status
need_tree(struct pp_answer *a, const struct pp_topic *topic)
{
	const struct pp_profile *p = topic->profile;

	if (((p->facets & PP_TREE) && p->metrics.n) || is_empty(p))
		return PP_OK;
	return pp_answer_fail(a, PP_E_UNSUPPORTED, "no-stacks",
	                      "%s holds no stacks to draw; `polyprof report` shows what it has",
	                      topic->file ? topic->file : "the profile");
}

static pp_status
cannot(struct pp_answer *a, const char *what, pp_status status)
{
	return status == PP_OK ? PP_OK
	                       : pp_answer_fail(a, status, "cannot-draw", "cannot %s: %s", what,
	                                        pp_status_text(status));
}

/* Says why a picture was not laid out. */
static pp_status
laid_out(struct pp_answer *a, pp_status status)
{
	if (status == PP_E_LIMIT)
		return pp_answer_fail(a, PP_E_OUTPUT, "too-many-frames",
		                      "there is no room for so many frames; --min-width N draws "
		                      "fewer, --max-output SIZE allows more");
	return cannot(a, "draw", status);
}

/* Stacks told apart by names, unless they are that already. */
static pp_status
by_name(struct drawn *d)
{
	bool failed = false;
	pp_status status;

	if (!d->params->reverse && pp_reshape_is_by_name(d->profile, &failed))
		return PP_OK;
	status = failed ? PP_E_NOMEM
	                : pp_reshape_names(d->profile, d->opts.metric, reversal(d), &d->own);
	d->profile = d->own;
	d->opts.metric = 0;
	return status;
}

/* What falls is drawn by what it gained: the profile that has that, and the metric. PP_E_NOMEM, said. */
static pp_status
gains_take(struct pp_answer *a, struct drawn *d, size_t side, const struct pp_profile **p,
           size_t *metric)
{
	if (pp_gains_least(*p, *metric, &d->least[side]) != PP_OK)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	*p = d->least[side] ? d->least[side] : *p;
	d->at_least |= d->least[side] != NULL;
	*metric = pp_metric_of_shares(*p, *metric);
	d->gained |= (*p)->metrics.at[*metric].flags & PP_METRIC_GAINED;
	return PP_OK;
}

/* One profile; a differential file is two by itself. */
static pp_status
draw_alone(struct pp_answer *a, struct drawn *d, const struct pp_topic *topic)
{
	const struct pp_profile *p = d->profile = topic->profile;
	pp_status status = need_tree(a, topic);
	size_t before;

	if (status != PP_OK || p->metrics.n == 0)
		return status;
	status = pp_asked_metric(&d->params->asked, p, a, &d->opts.metric);
	if (status == PP_OK)
		status = gains_take(a, d, 0, &p, &d->opts.metric);
	if (status != PP_OK)
		return status;
	d->profile = d->asked = p;
	d->metric = d->opts.metric;
	d->whole = pp_profile_total(p, d->opts.metric);
	d->opts.whole = d->at_least ? NULL : &d->whole;
	before = pp_profile_metric_find(p, pp_slice_z("before"));
	if (before < p->metrics.n && !d->params->reverse && !d->params->asked.metric) {
		d->opts.before = before;
		d->opts.whole = NULL;
		d->compared[0] = (struct pp_diff_input){ .profile = p, .metric = before };
		d->compared[1] = (struct pp_diff_input){ .profile = p, .metric = d->opts.metric };
		return PP_OK;
	}
	return cannot(a, "draw", by_name(d));
}

/* Two profiles as one. */
static pp_status
draw_both(struct pp_answer *a, struct drawn *d, const struct pp_topic *topics)
{
	const struct pp_profile *sides[2];
	size_t metric[2], i;
	pp_status status = PP_OK;

	for (i = 0; i < 2 && status == PP_OK; i++) {
		sides[i] = topics[i].profile;
		status = need_tree(a, &topics[i]);
		if (status == PP_OK && topics[i].profile->metrics.n == 0)
			status = pp_answer_fail(a, PP_E_UNSUPPORTED, "no-metric",
			                        "%s holds nothing to compare", topics[i].file);
		if (status == PP_OK)
			status = pp_asked_metric(&d->params->asked, topics[i].profile, a,
			                         &metric[i]);
		if (status == PP_OK)
			status = gains_take(a, d, i, &sides[i], &metric[i]);
		if (status == PP_OK)
			d->compared[i] = (struct pp_diff_input){ .profile = sides[i],
				                                 .metric = metric[i] };
	}
	if (status != PP_OK)
		return status;
	status = pp_reshape_union(sides[0], metric[0], sides[1], metric[1], reversal(d), &d->own);
	d->profile = d->own;
	d->opts.before = 0;
	d->opts.metric = 1;
	if (status == PP_E_USAGE)
		return pp_answer_fail(a, PP_E_UNSUPPORTED, "different-units",
		                      "%s and %s use different units; choose a metric that "
		                      "both have with -m",
		                      topics[0].file, topics[1].file);
	return cannot(a, "draw", status);
}

/* Scales what is compared to the size of what it is compared with. */
static pp_status
normalize(struct pp_answer *a, struct drawn *d)
{
	const struct pp_profile *p = d->profile;
	struct pp_profile *scaled;
	double before, after;
	pp_status status;

	if (!d->params->normalize)
		return PP_OK;
	if (d->opts.before == PP_FLAME_ALONE)
		return pp_answer_fail(a, PP_E_USAGE, "wrong-picture",
		                      "--normalize compares two profiles");
	before = pp_value_double(&p->metrics.at[d->opts.before],
	                         pp_profile_total(p, d->opts.before));
	after = pp_value_double(&p->metrics.at[d->opts.metric],
	                        pp_profile_total(p, d->opts.metric));
	if (!(before > 0) || !(after > 0))
		return PP_OK;
	d->scaled = before / after;
	status = pp_reshape_scale(p, d->opts.metric, d->scaled, &scaled);
	if (status != PP_OK)
		return cannot(a, "scale", status);
	d->base = d->own;
	d->profile = d->own = scaled;
	return PP_OK;
}

/* What of the differences is none: as `diff` tells it. */
static void
noise_settle(struct drawn *d)
{
	double scale = d->scaled > 0 ? d->scaled : 1, whole = 0;
	size_t side;

	if (d->opts.before == PP_FLAME_ALONE)
		return;
	for (side = 0; side < 2; side++) {
		const struct pp_diff_input *in = &d->compared[side];
		double total = pp_value_double(&in->profile->metrics.at[in->metric],
		                               pp_profile_total(in->profile, in->metric));

		whole = fmax(whole, fabs(total * (side == PP_AFTER ? scale : 1)));
	}
	pp_noise_init(&d->opts.noise, &d->compared[PP_BEFORE], &d->compared[PP_AFTER], scale, whole,
	              PP_NOISE_SHARE);
}

/* Says so where another metric than time is asked for: the axis of a chart is time, whatever a metric came to meanwhile. */
static pp_status
chart_metric(struct pp_answer *a, const struct drawn *d, const struct pp_profile *p)
{
	struct pp_buf title = { 0 };
	size_t metric;
	pp_status status = pp_asked_metric(&d->params->asked, p, a, &metric);

	if (status != PP_OK || !d->params->asked.metric || metric >= p->metrics.n ||
	    p->metrics.at[metric].kind == PP_KIND_WALL_TIME)
		return status;
	pp_metric_title(p, &p->metrics.at[metric], &title);
	pp_answer_note(a, "chart-metric",
	               "a flame chart is drawn by time, so %s gives no frame its width; "
	               "`flame` without --flamechart draws it, `report` shows its curve over time",
	               pp_answer_made(a, &title));
	pp_buf_release(&title);
	return PP_OK;
}

static pp_status
draw_chart(struct pp_answer *a, struct drawn *d, const struct pp_topic *topic)
{
	pp_status status = chart_metric(a, d, topic->profile);

	if (status != PP_OK)
		return status;
	status = pp_flame_chart(&d->flame, topic->profile, &d->opts);
	if (status == PP_E_UNSUPPORTED)
		return pp_answer_fail(
		    a, status, "no-time", "%s does not say when things happened%s",
		    topic->file ? topic->file : "the profile",
		    pp_scope_given(&d->params->scope) ? " once frames are taken out of its stacks"
		                                      : "");
	return cannot(a, "draw", status);
}

/* ---- the picture ---- */

/* What is drawn, unless a subtitle says it: the metric, what all of it costs. */
static void
subtitle_make(struct pp_buf *to, const struct drawn *d)
{
	const struct pp_flame *flame = &d->flame;
	const struct pp_profile *p = flame->profile;
	const struct pp_metric *m = flame->metric;
	const struct pp_box *whole = flame->boxes.n ? &flame->boxes.at[0] : NULL;
	struct pp_buf title = { 0 };

	/* What is drawn may be that metric alone, without its event. */
	if (d->asked && !flame->compares)
		pp_metric_title(d->asked, &d->asked->metrics.at[d->metric], &title);
	if (title.n && pp_slice_cmp(pp_slice_of(title.p, title.n), flame->unit) != 0) {
		pp_escape_terminal(to, pp_slice_of(title.p, title.n));
		pp_buf_adds(to, " \xc2\xb7 ");
	}
	to->failed |= title.failed;
	pp_buf_release(&title);
	if (whole && flame->compares) {
		pp_units_value(to, flame->unit, pp_value_double(m, whole->value_before));
		pp_buf_adds(to, " \xe2\x86\x92 ");
	}
	if (whole)
		pp_units_named(to, flame->unit, pp_value_double(m, whole->value));
	pp_buf_adds(to, d->at_least ? " gained at least" : d->gained ? " gained" : "");
	if (d->scaled > 0)
		pp_buf_addf(to, " \xc2\xb7 after scaled by %.4g", d->scaled);
	if (flame->boxes.n <= 1)
		pp_buf_adds(to, " \xc2\xb7 nothing to draw");
	if (!p->complete)
		pp_buf_adds(to, " \xc2\xb7 incomplete");
}

static void
notes_add(struct pp_answer *a, const struct drawn *d)
{
	const struct pp_flame *flame = &d->flame;

	if (d->reversed.levels)
		pp_answer_note(
		    a, "too-many-callers",
		    "there are too many levels of callers: those beyond %u are summed up",
		    d->reversed.levels);
	if (flame->levels)
		pp_answer_note(a, "too-deep",
		               "there is room for %zu frames: anything deeper than %u %s "
		               "is summed up; --max-output SIZE allows more",
		               d->opts.most, flame->levels,
		               pp_plural(flame->levels, "level", "levels"));
	else if (flame->too_deep)
		pp_answer_note(a, "too-deep", "anything deeper than %u %s is summed up",
		               d->opts.deepest - 1,
		               pp_plural(d->opts.deepest - 1, "level", "levels"));
	else if (flame->depth > TALL)
		pp_answer_note(a, "tall",
		               "the picture has %u levels; --depth 200 draws the first 200",
		               flame->depth - 1);
	if (flame->negative)
		pp_answer_note(a, "negative",
		               "%llu %s a negative cost of %s own, which has no width",
		               (unsigned long long)flame->negative,
		               pp_plural(flame->negative, "frame has", "frames have"),
		               pp_plural(flame->negative, "its", "their"));
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

/* What a buffer holds, kept, and the buffer emptied. */
static const char *
text_keep(struct pp_answer *a, struct pp_buf *text)
{
	const char *kept = pp_answer_copy(a, pp_slice_of(text->p ? text->p : "", text->n));

	pp_buf_release(text);
	return kept;
}

/* Returns what was set aside in any profile that is drawn, or NULL. */
static const char *
aside_of(const struct drawn *d, const struct pp_subject *subject)
{
	const char *said = NULL;
	size_t i;

	/* A file of two sessions is compared with itself: it is one profile. */
	for (i = 0; i < subject->n && i < 2 && !said; i++)
		said = pp_set_aside_note(subject->topics[i].profile, d->asked ? d->metric
		                                                     : d->compared[i].profile
		                                                         ? d->compared[i].metric
		                                                         : d->opts.metric);
	return said;
}

static pp_status
product_make(struct pp_answer *a, const struct pp_subject *subject, const struct drawn *d)
{
	static const enum pp_palette palettes[] = { PP_PALETTE_MODULE, PP_PALETTE_NAME,
		                                    PP_PALETTE_LANGUAGE };
	const struct flame_params *params = d->params;
	struct pp_product *product = pp_answer_alloc(a, sizeof *product);
	struct pp_flame_style *style = product ? &product->style : NULL;
	struct pp_buf text = { 0 };

	if (!product)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	product->kind = PP_MAKES_PICTURE;
	product->flame = &d->flame;
	*style = (struct pp_flame_style){ .title = params->title,
		                          .subtitle = params->subtitle,
		                          .estimated = d->flame.profile->estimated,
		                          .aside = aside_of(d, subject),
		                          .palette = PP_PALETTE_MODULE,
		                          .width = width_of(params),
		                          .icicle = params->icicle,
		                          .names = (enum pp_names)params->asked.names };
	if (params->palette != UINT_MAX || params->colors != UINT_MAX)
		style->palette = palettes[params->palette == UINT_MAX ? 1 : params->palette];
	if (params->colors != UINT_MAX)
		style->colors = pp_answer_copy(
		    a, pp_param_choice(pp_params_find(flame_uses, "colors"), params->colors));
	if (!style->title && subject->file_count && strcmp(subject->files[0], "-") != 0) {
		title_make(&text, subject->files, subject->file_count, d->flame.compares);
		style->title = text_keep(a, &text);
	}
	if (!style->subtitle) {
		subtitle_make(&text, d);
		style->subtitle = text_keep(a, &text);
	}
	a->product = product;
	notes_add(a, d);
	return PP_OK;
}

static pp_status
flame_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct flame_params *params = data;
	uint64_t largest = params->asked.max_output == PP_UNSET ? LARGEST
	                                                        : params->asked.max_output;
	struct drawn *d = pp_answer_own(a, sizeof *d, drawn_release);
	pp_status status;

	if (!d)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	d->params = params;
	d->opts = (struct pp_flame_opts){ .before = PP_FLAME_ALONE,
		                          .order = (enum pp_flame_order)params->sort,
		                          .min_share = share_of(params),
		                          .deepest = UINT32_MAX,
		                          .most = (size_t)(largest / BOX_BYTES) };
	if (params->depth != PP_UNSET && params->depth && params->depth < UINT32_MAX)
		d->opts.deepest = (uint32_t)params->depth + 1;
	if (params->chart) {
		status = draw_chart(a, d, subject->topics);
		return status == PP_OK ? product_make(a, subject, d) : status;
	}
	status = subject->n == 2 ? draw_both(a, d, subject->topics)
	                         : draw_alone(a, d, subject->topics);
	if (status == PP_OK)
		status = normalize(a, d);
	if (status == PP_OK) {
		noise_settle(d);
		status = laid_out(a, pp_flame_compute(&d->flame, d->profile, &d->opts));
	}
	return status == PP_OK ? product_make(a, subject, d) : status;
}
