/*
 * A flame graph as an SVG. The order of elements and every number depend on the profile alone.
 */
#include "output/flame_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/demangle.h"
#include "analysis/group.h"
#include "base/utf8.h"
#include "output/embedded.h"
#include "output/flame_colour.h"
#include "text/shorten.h"
#include "text/units.h"
#include "text/escape.h"

#define SIDE PP_FLAME_SIDE
#define ROW 16.0      /* height of a frame */
#define LETTER 7.225  /* width of a letter of 12 px monospace */
#define HEAD 62.0     /* title, subtitle, buttons */
#define FOOT 34.0     /* details and breadcrumbs */
#define AXIS 14.0     /* times below or above a chart */
#define LABEL_LEAST 5 /* letters; shorter labels are whole names */
#define LONGEST 4096  /* bytes of a name that labels are made of */
#define WIDE 2.0 /* from where on frames have lines between them; thinner ones would be all line */
#define FIND 330.0 /* the field to search in, with its button */

/* What all parts of the drawing need. */
struct picture {
	struct pp_sink *out;
	const struct pp_flame *flame;
	const struct pp_flame_style *style;
	double height, head, foot; /* of all, above and below the frames */
	double largest[2];         /* change of own cost and of all of it, when comparing */
	unsigned char *lookalikes; /* see lookalikes_find() */
	bool events;               /* lanes are of different events, so their labels name them */
	struct pp_buf label;       /* of the lane that is drawn */
};

/* ---- what changed ----------------------------------------------------------------------- */

/* By how much the own cost of a box changed, or all of it; noise is no change. */
static double
change_of(const struct pp_flame *f, const struct pp_box *box, bool total)
{
	const struct pp_metric *m = f->metric;
	double before = pp_value_double(m, total ? box->value_before : box->own_before);
	double after = pp_value_double(m, total ? box->value : box->own);

	return fabs(after - before) > pp_noise_limit(&f->noise, before, after) ? after - before : 0;
}

/* The whole does not count: what it changes by says nothing about its parts. */
static double
largest_change(const struct pp_flame *f, bool total)
{
	double largest = 0;
	size_t i;

	for (i = 1; f->compares && i < f->boxes.n; i++) {
		double change = fabs(change_of(f, &f->boxes.at[i], total));

		largest = change > largest ? change : largest;
	}
	return largest;
}

/* ---- text ------------------------------------------------------------------------------- */

/* Digits with commas, exact. */
static void
put_value(struct pp_sink *out, const struct pp_metric *m, union pp_value v)
{
	char digits[PP_NUM_MAX];
	size_t n = pp_value_print(m, v, digits), i, whole = 0, at;

	for (at = digits[0] == '-'; at + whole < n && (unsigned)digits[at + whole] - '0' <= 9;
	     whole++)
		;
	for (i = 0; i < n; i++) {
		if (i > at && i < at + whole && (at + whole - i) % 3 == 0)
			pp_sink_putc(out, ',');
		pp_sink_putc(out, digits[i]);
	}
}

static bool
has_controls(struct pp_slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] < 0x20)
			return true;
	return false;
}

/*
 * Names that XML cannot hold are shown with U+FFFD. Where that makes different names look the same, each
 * is shown with its bytes instead (\xNN). Returns a flag per function; NULL when out of memory.
 */
static unsigned char *
lookalikes_find(const struct pp_profile *p)
{
	unsigned char *flags = calloc(p->funcs.n, 1);
	pp_func *first = calloc(p->funcs.n, sizeof *first);
	struct pp_strtab shown;
	bool ok = pp_strtab_init(&shown, p->strs.seed) && flags && first;
	size_t i;

	for (i = 1; ok && i < p->funcs.n; i++) {
		struct pp_slice name = pp_text_of(p, p->funcs.at[i].name);
		struct pp_buf text = { 0 };
		struct pp_sink *sink = NULL;
		bool is_new = true;
		pp_str id = 0;

		if (pp_utf8_valid(name) && !has_controls(name))
			continue;
		ok = pp_sink_buffer(&text, &sink) == PP_OK;
		if (ok) {
			pp_escape_xml(sink, name);
			ok = pp_sink_commit(sink) == PP_OK &&
			     pp_strtab_intern(&shown, text.p, text.n, &id, &is_new);
		}
		pp_sink_close(sink);
		pp_buf_release(&text);
		if (ok && is_new)
			first[id] = (pp_func)i;
		else if (ok && p->funcs.at[first[id]].name != p->funcs.at[i].name)
			flags[i] = flags[first[id]] = 1;
	}
	pp_strtab_release(&shown);
	free(first);
	if (!ok) {
		free(flags);
		return NULL;
	}
	return flags;
}

static void
put_bytes(struct pp_sink *out, struct pp_slice name)
{
	size_t i = 0;
	uint32_t code;

	while (i < name.n) {
		size_t n = pp_utf8_decode(name.p + i, name.n - i, &code);

		if (n && code >= 0x20)
			pp_escape_xml(out, pp_slice_of(name.p + i, n));
		else
			pp_sink_printf(out, "\\x%02x", name.p[i]);
		i += n ? n : 1;
	}
}

/* A thread and, where there are several, the event that was recorded in it. */
static void
lane_label(struct picture *pic, const struct pp_box *box)
{
	const struct pp_profile *p = pic->flame->profile;
	const struct pp_series *series = &p->series.at[box->lane - 1];
	struct pp_slice event = pp_text_of(p, series->event);

	pp_thread_name(p, series, &pic->label);
	if (pic->events && event.n) {
		pp_buf_adds(&pic->label, " \xc2\xb7 ");
		pp_buf_add(&pic->label, event.p, event.n);
	}
	if (pic->label.failed)
		pic->out->status = PP_E_NOMEM;
}

/* Titles are what scripts read: names in them change on request only. */
static struct pp_slice
title_name(const struct pp_profile *p, pp_func func)
{
	struct pp_slice mangled = pp_func_mangled(p, func);

	return p->derived.for_people && mangled.n ? mangled : pp_text_of(p, p->funcs.at[func].name);
}

/* "(1,234 more)" */
static void
put_more(struct pp_sink *out, uint64_t more)
{
	struct pp_buf text = { 0 };

	pp_units_u64(&text, more);
	pp_sink_printf(out, "(%s more)", text.p ? text.p : "");
	pp_buf_release(&text);
}

static void
put_name(const struct picture *pic, const struct pp_box *box)
{
	const struct pp_profile *p = pic->flame->profile;

	if (box->lane)
		pp_escape_xml(pic->out, pp_slice_of(pic->label.p, pic->label.n));
	else if (box->more)
		put_more(pic->out, box->more);
	else if (!box->func)
		pp_sink_puts(pic->out, "all");
	else if (pic->lookalikes && pic->lookalikes[box->func])
		put_bytes(pic->out, title_name(p, box->func));
	else
		pp_escape_xml(pic->out, title_name(p, box->func));
}

static double
percent_of(const struct pp_metric *m, union pp_value part, union pp_value whole)
{
	double all = pp_value_double(m, whole);

	return all > 0 ? 100.0 * pp_value_double(m, part) / all : 0;
}

/* "NAME (VALUE UNIT, P%)", and what changed on the next line. */
static void
put_title(const struct picture *pic, const struct pp_box *box)
{
	const struct pp_flame *f = pic->flame;
	struct pp_sink *out = pic->out;
	const struct pp_metric *m = f->metric;
	const struct pp_box *whole = &f->boxes.at[0];
	union pp_value change = box->value;

	put_name(pic, box);
	pp_sink_puts(out, " (");
	put_value(out, m, box->value);
	pp_sink_putc(out, ' ');
	pp_escape_xml(out, f->unit);
	pp_sink_printf(out, ", %.2f%%)",
	               box == whole ? 100.0 : percent_of(m, box->value, whole->value));
	if (!f->compares)
		return;
	pp_sink_puts(out, "&#10;before ");
	put_value(out, m, box->value_before);
	pp_value_sub(m, &change, box->value_before);
	pp_sink_printf(out, ", total %s", pp_value_cmp(m, change, pp_value_zero(m)) < 0 ? "" : "+");
	put_value(out, m, change);
	change = box->own;
	pp_value_sub(m, &change, box->own_before);
	pp_sink_printf(out, ", self %s", pp_value_cmp(m, change, pp_value_zero(m)) < 0 ? "" : "+");
	put_value(out, m, change);
	if (pp_value_is_zero(m, box->value_before))
		pp_sink_puts(out, " (new)");
	else if (pp_value_is_zero(m, box->value))
		pp_sink_puts(out, " (gone)");
}

/*
 * As much of a name as fits, whole characters only. Labels spell out what would swap or hide text; the
 * title has the name itself.
 */
static void
put_label(const struct picture *pic, const struct pp_box *box, double width)
{
	const struct pp_profile *p = pic->flame->profile;
	size_t room = (size_t)((width - 6) / LETTER), n;
	struct pp_slice name = pp_slice_z("all");
	struct pp_buf text = { 0 }, safe = { 0 };

	if (box->lane)
		name = pp_slice_of(pic->label.p, pic->label.n);
	else if (box->func)
		name = pp_text_of(p, p->funcs.at[box->func].name);
	/* What tells a name stands at its end, so all of it is looked at, but for absurd ones. */
	n = name.n < LONGEST ? name.n : LONGEST;
	while (n > 0 && n < name.n && (name.p[n] & 0xc0) == 0x80)
		n--;
	pp_escape_terminal(&safe, pp_slice_of(name.p, n));
	/* Nothing rather than one or two letters of it. */
	if (room >= LABEL_LEAST || pp_text_columns(safe.p ? safe.p : "", safe.n) <= room)
		(void)pp_name_fit(&text, safe.p ? safe.p : "", safe.n, room, pic->style->names,
		                  true);
	text.failed |= safe.failed;
	pp_buf_release(&safe);
	if (text.failed)
		pic->out->status = PP_E_NOMEM;
	else
		pp_escape_xml(pic->out, pp_slice_of(text.p, text.n));
	pp_buf_release(&text);
}

/* ---- the picture ------------------------------------------------------------------------ */

static void
put_colour(struct pp_sink *out, const char *attribute, struct pp_rgb c)
{
	pp_sink_printf(out, " %s=\"#%02x%02x%02x\"", attribute, c.r & 255, c.g & 255, c.b & 255);
}

static void
put_frame(struct picture *pic, const struct pp_box *box)
{
	const struct pp_flame *f = pic->flame;
	const struct pp_flame_style *style = pic->style;
	struct pp_sink *out = pic->out;
	double span = pp_flame_span(style->width);
	/* Both ends are rounded, so that neighbours meet and widths add up. */
	double left = floor(box->start * span * 1000 + 0.5) / 1000;
	double right = floor((box->start + box->width) * span * 1000 + 0.5) / 1000;
	double y = style->icicle ? pic->head + box->depth * ROW
	                         : pic->height - pic->foot - (box->depth + 1) * ROW;

	if (box->lane)
		lane_label(pic, box);
	pp_sink_printf(out, "<g class=\"frame%s\" data-row=\"%u\"><title>",
	               box->more   ? " more"
	               : box->lane ? " lane"
	                           : "",
	               box->depth);
	put_title(pic, box);
	pp_sink_printf(out, "</title><rect x=\"%.3f\" y=\"%.0f\" width=\"%.3f\" height=\"%.0f\"",
	               SIDE + left, y, right - left, ROW - 1);
	if (f->compares && !box->more) {
		put_colour(out, "fill",
		           pp_flame_change_colour(change_of(f, box, false), pic->largest[0]));
		put_colour(out, "data-total",
		           pp_flame_change_colour(change_of(f, box, true), pic->largest[1]));
	} else if (!box->more) {
		put_colour(out, "fill",
		           box->func ? pp_flame_colour(f, style, box->func)
		                     : (struct pp_rgb){ 205, 205, 212 });
	}
	pp_sink_puts(out, right - left >= WIDE ? " class=\"wide\"/>" : "/>");
	/* A lane says whose it is at its left end, whenever its thread began. */
	if (box->lane)
		left = 0, right = span;
	if (right - left >= 6 + 3 * LETTER && !box->more) {
		pp_sink_printf(out, "<text x=\"%.2f\" y=\"%.1f\">", SIDE + left + 3, y + 11.5);
		put_label(pic, box, right - left);
		pp_sink_puts(out, "</text>");
	}
	pp_sink_puts(out, "</g>\n");
}

/* Squares of colour and what they stand for, between the buttons. */
static void
put_legend(struct pp_sink *out, const struct pp_flame *f, const struct pp_flame_style *style)
{
	const struct pp_legend_item changes[] = {
		{ "less", pp_flame_change_colour(-1, 1) },
		{ "same or noise", pp_flame_change_colour(0, 1) },
		{ "more", pp_flame_change_colour(1, 1) },
	};
	struct pp_legend_item found[PP_LEGEND_MAX];
	const struct pp_legend_item *items = f->compares ? changes : found;
	size_t n = f->compares ? PP_COUNT_OF(changes) : pp_flame_legend(f, style, found), i;
	double x = SIDE + 90;

	if (n > PP_LEGEND_MAX) {
		out->status = PP_E_NOMEM;
		return;
	}
	if (n == 0)
		return;
	pp_sink_puts(out, "<g class=\"legend\">");
	for (i = 0; i < n; i++) {
		struct pp_slice label = pp_slice_z(items[i].label);
		double wide = 16 + (double)label.n * LETTER + 12;

		if (x + wide > style->width - SIDE - FIND)
			break;
		pp_sink_printf(out, "<rect x=\"%.1f\" y=\"44\" width=\"11\" height=\"11\" rx=\"2\"",
		               x);
		put_colour(out, "fill", items[i].colour);
		pp_sink_printf(out, "/><text x=\"%.1f\" y=\"54\">", x + 16);
		pp_escape_xml(out, label);
		pp_sink_puts(out, "</text>");
		x += wide;
	}
	pp_sink_puts(out, "</g>\n");
	if (f->compares && x + 130 < style->width - SIDE - FIND)
		pp_sink_printf(out,
		               "<text id=\"change\" class=\"button\" x=\"%.1f\" "
		               "y=\"54\">Colours: self</text>\n",
		               x + 8);
}

/* Moments of a chart, at round times. */
static void
put_axis(const struct picture *pic)
{
	const struct pp_flame *f = pic->flame;
	double span = pp_flame_span(pic->style->width), ns = (double)f->duration;
	double rough = ns / (span / 120), step = pow(10, floor(log10(rough)));
	unsigned i;
	double y = pic->style->icicle ? HEAD + AXIS - 4 : pic->height - FOOT - 2;
	struct pp_buf text = { 0 };

	if (!(ns > 0) || !(step > 0))
		return;
	step *= rough / step > 5 ? 10 : rough / step > 2 ? 5 : rough / step > 1 ? 2 : 1;
	pp_sink_puts(pic->out, "<g id=\"axis\" class=\"axis\">");
	for (i = 0; i * step <= ns * 0.96; i++) {
		double t = i * step, x = SIDE + t / ns * span;

		text.n = 0;
		pp_units_moment(&text, t, ns, step);
		pp_sink_printf(pic->out,
		               "<line x1=\"%.1f\" y1=\"%.0f\" x2=\"%.1f\" y2=\"%.0f\"/>"
		               "<text x=\"%.1f\" y=\"%.0f\">",
		               x, y - 8, x, y, x + 3, y);
		pp_escape_xml(pic->out, pp_slice_of(text.p, text.n));
		pp_sink_puts(pic->out, "</text>");
	}
	pp_sink_puts(pic->out, "</g>\n");
	pp_buf_release(&text);
}

/* A line of text and, behind a dot, what must be said whatever the line is. */
static void
put_words(struct pp_sink *out, const char *id, double middle, double y, const char *text,
          const char *also)
{
	pp_sink_printf(out, "<text id=\"%s\" class=\"%s\" x=\"%.1f\" y=\"%.0f\">", id, id, middle,
	               y);
	pp_escape_xml(out, pp_slice_z(text));
	if (*text && *also)
		pp_sink_puts(out, " \xc2\xb7 ");
	pp_sink_puts(out, also);
	pp_sink_puts(out, "</text>\n");
}

static void
put_head(struct pp_sink *out, const struct pp_flame *f, const struct pp_flame_style *style,
         double height)
{
	double right = style->width - SIDE;
	double find = pp_flame_span(style->width) < FIND ? pp_flame_span(style->width) : FIND;

	pp_sink_printf(
	    out,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%.0f\" "
	    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" data-left=\"%.0f\" "
	    "data-span=\"%.3f\" data-up=\"%d\" data-time=\"%lld\"%s role=\"img\" aria-labelledby=\"title\">\n<style>",
	    style->width, height, style->width, height, SIDE, pp_flame_span(style->width),
	    style->icicle ? 0 : 1, (long long)f->duration,
	    style->names == PP_NAMES_FULL    ? " data-names=\"full\""
	    : style->names == PP_NAMES_SHORT ? " data-names=\"short\""
	                                     : "");
	pp_sink_write(out, pp_flame_css, pp_flame_css_size);
	pp_sink_puts(out, "</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
	                  "<g id=\"head\">\n");
	put_words(out, "title", style->width / 2, 22,
	          style->title  ? style->title
	          : f->compares ? "Differential flame graph"
	          : f->duration ? "Flame chart"
	                        : "Flame graph",
	          "");
	put_words(out, "subtitle", style->width / 2, 38, style->subtitle ? style->subtitle : "",
	          style->estimated ? "stacks are estimated from individual calls"
	          : style->aside   ? style->aside
	                           : "");
	pp_sink_printf(
	    out,
	    "<text id=\"reset\" class=\"button off\" x=\"%.0f\" y=\"54\">Reset zoom</text>\n"
	    "<text id=\"search\" class=\"button\" x=\"%.0f\" y=\"54\" "
	    "text-anchor=\"end\">Search</text>\n"
	    "<text id=\"help\" class=\"button\" x=\"%.0f\" y=\"22\" text-anchor=\"end\">?</text>\n"
	    "<foreignObject id=\"find\" class=\"find off\" x=\"%.0f\" y=\"40\" width=\"%.0f\" "
	    "height=\"22\"><div xmlns=\"http://www.w3.org/1999/xhtml\"><input type=\"search\" "
	    "aria-label=\"Search\" placeholder=\"name or regular expression\"/>"
	    "<button id=\"case\" type=\"button\" aria-pressed=\"false\" title=\"Mind upper and "
	    "lower case (i)\">Aa</button><button id=\"plain\" type=\"button\" aria-pressed=\"true\" "
	    "title=\"Regular expression, or plain text (p)\">.*</button></div></foreignObject>\n",
	    SIDE, right, right, right - find, find - 60);
	put_legend(out, f, style);
	pp_sink_puts(out, "</g>\n");
}

static void
put_foot(struct pp_sink *out, const struct pp_flame_style *style, double height)
{
	pp_sink_printf(
	    out,
	    "<g id=\"foot\">\n<text id=\"info\" class=\"info\" x=\"%.0f\" y=\"%.0f\"> </text>\n"
	    "<text id=\"matched\" class=\"matched\" x=\"%.0f\" y=\"%.0f\"> </text>\n"
	    "<text id=\"crumbs\" x=\"%.0f\" y=\"%.0f\"> </text>\n</g>\n"
	    "<script><![CDATA[\n",
	    SIDE, height - 20, style->width - SIDE, height - 20, SIDE, height - 5);
	pp_sink_write(out, pp_flame_js, pp_flame_js_size);
	pp_sink_puts(out, "]]></script>\n</svg>\n");
}

void
pp_flame_svg(struct pp_sink *out, const struct pp_flame *f, const struct pp_flame_style *style)
{
	struct picture pic = {
		.out = out,
		.flame = f,
		.style = style,
		.head = HEAD + (f->duration && style->icicle ? AXIS : 0),
		.foot = FOOT + (f->duration && !style->icicle ? AXIS : 0),
		.largest = { largest_change(f, false), largest_change(f, true) },
		.lookalikes = lookalikes_find(f->profile),
	};
	size_t i;

	for (i = 0; i < f->profile->series.n; i++)
		pic.events |= f->profile->series.at[i].event != f->profile->series.at[0].event;
	pic.height = pic.head + f->depth * ROW + pic.foot;
	if (!pic.lookalikes)
		out->status = PP_E_NOMEM;
	put_head(out, f, style, pic.height);
	pp_sink_puts(out, "<g id=\"view\"><g id=\"frames\">\n");
	for (i = 0; i < f->boxes.n && out->status == PP_OK; i++)
		put_frame(&pic, &f->boxes.at[i]);
	pp_sink_puts(out, "</g></g>\n");
	if (f->duration)
		put_axis(&pic);
	put_foot(out, style, pic.height);
	free(pic.lookalikes);
	pp_buf_release(&pic.label);
}
