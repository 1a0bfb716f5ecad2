/*
 * A flame graph as an SVG. The order of elements and every number depend on the profile alone.
 */
#include "output/flame_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "output/embedded.h"
#include "output/units.h"
#include "text/escape.h"

#define SIDE 10.0    /* margin left and right */
#define ROW 16.0     /* height of a frame */
#define LETTER 7.225 /* width of a letter of 12 px monospace */
#define HEAD 62.0    /* title, subtitle, buttons */
#define FOOT 34.0    /* details and breadcrumbs */

const char *const pp_flame_colors[] = { "hot",  "mem",    "io",     "red",    "green", "blue",
	                                "aqua", "yellow", "purple", "orange", "grey",  NULL };

struct rgb {
	unsigned r, g, b;
};

/* What all parts of the drawing need. */
struct picture {
	struct pp_sink *out;
	const struct pp_flame *flame;
	const struct pp_flame_style *style;
	double height;
	double largest;            /* change of own cost, when comparing */
	unsigned char *lookalikes; /* see lookalikes_find() */
};

/* ---- colours ---------------------------------------------------------------------------- */

/* Three numbers from 0 to 1 that depend on the bytes alone: equal names have equal colours everywhere. */
static void
name_numbers(struct pp_slice name, double v[3])
{
	uint64_t h = 0xcbf29ce484222325u;
	size_t i;

	for (i = 0; i < name.n; i++)
		h = (h ^ name.p[i]) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	for (i = 0; i < 3; i++)
		v[i] = (double)(h >> (i * 20) & 0xfffff) / 1048576.0;
}

/* A colour of a set: where it starts and how far each channel goes. */
struct colour_set {
	const char *name;
	unsigned char from[3], by[3];
};

static const struct colour_set sets[] = {
	{ "hot", { 228, 100, 62 }, { 24, 112, 44 } },
	{ "mem", { 90, 190, 110 }, { 60, 55, 60 } },
	{ "io", { 100, 125, 200 }, { 60, 60, 55 } },
	{ "red", { 200, 80, 80 }, { 55, 80, 80 } },
	{ "green", { 90, 180, 90 }, { 70, 70, 70 } },
	{ "blue", { 100, 120, 205 }, { 70, 70, 50 } },
	{ "aqua", { 70, 175, 180 }, { 70, 65, 65 } },
	{ "yellow", { 220, 185, 70 }, { 30, 32, 50 } },
	{ "purple", { 180, 90, 190 }, { 60, 70, 60 } },
	{ "orange", { 200, 120, 50 }, { 50, 60, 40 } },
	{ "grey", { 165, 165, 170 }, { 55, 55, 55 } },
};

static const struct colour_set *
set_named(const char *name)
{
	size_t i;

	for (i = 0; name && i < PP_COUNT_OF(sets); i++)
		if (strcmp(sets[i].name, name) == 0)
			return &sets[i];
	return &sets[0];
}

static bool
ends_in(struct pp_slice s, const char *end)
{
	size_t n = strlen(end);

	return s.n >= n && memcmp(s.p + s.n - n, end, n) == 0;
}

static bool
contains(struct pp_slice s, const char *part)
{
	return memmem(s.p, s.n, part, strlen(part)) != NULL;
}

/* The set for the language a name looks like. */
static const struct colour_set *
set_by_language(const struct pp_profile *p, pp_func func)
{
	struct pp_slice name = pp_text_of(p, p->funcs.at[func].name);
	unsigned flags = p->funcs.at[func].flags;

	if (flags & PP_FUNC_KERNEL || ends_in(name, "_[k]"))
		return set_named("orange");
	if (flags & PP_FUNC_INTERNAL || ends_in(name, "_[i]"))
		return set_named("aqua");
	if (flags & (PP_FUNC_UNKNOWN | PP_FUNC_PSEUDO))
		return set_named("grey");
	if (ends_in(name, "_[j]") || contains(name, ":::") ||
	    (name.n && name.p[0] == 'L' && contains(name, "/")))
		return set_named("green");
	if (contains(name, "\\") || contains(name, "->") || ends_in(name, ".php"))
		return set_named("purple");
	if (contains(name, "::"))
		return set_named("yellow");
	return set_named("red");
}

static struct rgb
frame_colour(const struct pp_flame *f, const struct pp_flame_style *style, pp_func func)
{
	const struct pp_profile *p = f->profile;
	const struct pp_func_row *row = &p->funcs.at[func];
	struct pp_slice key = pp_text_of(p, row->name);
	const struct colour_set *set = set_named(style->colors);
	double v[3];

	if (style->palette == PP_PALETTE_LANGUAGE) {
		set = set_by_language(p, func);
	} else if (style->palette == PP_PALETTE_MODULE) {
		pp_str module = p->modules.at[row->module].name;

		key = pp_text_of(p, module ? module : row->file);
		name_numbers(key, v);
		set = &sets[(size_t)(v[2] * 1000) % PP_COUNT_OF(sets)];
	}
	name_numbers(key, v);
	return (struct rgb){ set->from[0] + (unsigned)(v[0] * set->by[0]),
		             set->from[1] + (unsigned)(v[1] * set->by[1]),
		             set->from[2] + (unsigned)(v[2] * set->by[2]) };
}

/* Compared profiles: orange where the own cost grew, blue where it shrank, white where it stayed. */
static struct rgb
change_colour(const struct pp_flame *f, const struct pp_box *box, double largest)
{
	double own = pp_value_double(f->metric, box->own) -
	             pp_value_double(f->metric, box->own_before);
	double share = largest > 0 ? sqrt(fabs(own) / largest) : 0;
	unsigned fade = 255 - (unsigned)(share * 175);

	if (own == 0)
		return (struct rgb){ 238, 238, 238 };
	if (own > 0)
		return (struct rgb){ 255, 160 + (fade - 80) * 95 / 175, fade };
	return (struct rgb){ fade, 170 + (fade - 80) * 85 / 175, 255 };
}

static double
largest_change(const struct pp_flame *f)
{
	double largest = 0;
	size_t i;

	for (i = 0; i < f->boxes.n; i++) {
		const struct pp_box *box = &f->boxes.at[i];
		double own = fabs(pp_value_double(f->metric, box->own) -
		                  pp_value_double(f->metric, box->own_before));

		largest = own > largest ? own : largest;
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

static void
put_name(const struct picture *pic, const struct pp_box *box)
{
	const struct pp_profile *p = pic->flame->profile;

	if (box->more)
		pp_sink_printf(pic->out, "(%llu more)", (unsigned long long)box->more);
	else if (!box->func)
		pp_sink_puts(pic->out, "all");
	else if (pic->lookalikes && pic->lookalikes[box->func])
		put_bytes(pic->out, pp_text_of(p, p->funcs.at[box->func].name));
	else
		pp_escape_xml(pic->out, pp_text_of(p, p->funcs.at[box->func].name));
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

/* As much of a name as fits; whole characters only. */
static void
put_label(const struct picture *pic, const struct pp_box *box, double width)
{
	const struct pp_profile *p = pic->flame->profile;
	size_t room = width > 6 ? (size_t)((width - 6) / LETTER) : 0, n = 0;
	struct pp_slice name = pp_slice_z("all");

	if (box->func)
		name = pp_text_of(p, p->funcs.at[box->func].name);
	if (name.n <= room) {
		put_name(pic, box);
		return;
	}
	for (n = room - 2; n > 0 && (name.p[n] & 0xc0) == 0x80; n--)
		;
	pp_escape_xml(pic->out, pp_slice_of(name.p, n));
	pp_sink_puts(pic->out, "..");
}

/* ---- the picture ------------------------------------------------------------------------ */

double
pp_flame_svg_span(double width)
{
	return width - 2 * SIDE;
}

static void
put_frame(const struct picture *pic, const struct pp_box *box)
{
	const struct pp_flame *f = pic->flame;
	const struct pp_flame_style *style = pic->style;
	struct pp_sink *out = pic->out;
	double span = pp_flame_svg_span(style->width);
	/* Both ends are rounded, so that neighbours meet and widths add up. */
	double left = floor(box->start * span * 1000 + 0.5) / 1000;
	double right = floor((box->start + box->width) * span * 1000 + 0.5) / 1000;
	double y = style->icicle ? HEAD + box->depth * ROW
	                         : pic->height - FOOT - (box->depth + 1) * ROW;

	pp_sink_printf(out, "<g class=\"frame%s\" data-row=\"%u\"><title>",
	               box->more ? " more" : "", box->depth);
	put_title(pic, box);
	pp_sink_printf(out, "</title><rect x=\"%.3f\" y=\"%.0f\" width=\"%.3f\" height=\"%.0f\"",
	               SIDE + left, y, right - left, ROW - 1);
	if (!box->more) {
		struct rgb c = f->compares ? change_colour(f, box, pic->largest)
		                           : (box->func ? frame_colour(f, style, box->func)
		                                        : (struct rgb){ 205, 205, 212 });

		pp_sink_printf(out, " fill=\"#%02x%02x%02x\"", c.r & 255, c.g & 255, c.b & 255);
	}
	pp_sink_puts(out, " rx=\"1\"/>");
	if (right - left >= 6 + 3 * LETTER && !box->more) {
		pp_sink_printf(out, "<text x=\"%.2f\" y=\"%.1f\">", SIDE + left + 3, y + 11.5);
		put_label(pic, box, right - left);
		pp_sink_puts(out, "</text>");
	}
	pp_sink_puts(out, "</g>\n");
}

static void
put_head(struct pp_sink *out, const struct pp_flame *f, const struct pp_flame_style *style,
         double height)
{
	double middle = style->width / 2;

	pp_sink_printf(
	    out,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%.0f\" "
	    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" data-left=\"%.0f\" "
	    "data-span=\"%.3f\" data-up=\"%d\" role=\"img\" aria-labelledby=\"title\">\n<style>",
	    style->width, height, style->width, height, SIDE, pp_flame_svg_span(style->width),
	    style->icicle ? 0 : 1);
	pp_sink_write(out, pp_flame_css, pp_flame_css_size);
	pp_sink_printf(out,
	               "</style>\n<rect class=\"back\" width=\"100%%\" height=\"100%%\"/>\n"
	               "<text id=\"title\" class=\"title\" x=\"%.1f\" y=\"22\">",
	               middle);
	pp_escape_xml(out, pp_slice_z(style->title  ? style->title
	                              : f->compares ? "Differential flame graph"
	                                            : "Flame graph"));
	pp_sink_puts(out, "</text>\n");
	if (style->subtitle || style->estimated) {
		pp_sink_printf(out, "<text class=\"subtitle\" x=\"%.1f\" y=\"38\">", middle);
		pp_escape_xml(out, pp_slice_z(style->subtitle ? style->subtitle : ""));
		if (style->estimated)
			pp_sink_printf(out, "%sstacks are estimated from single calls",
			               style->subtitle ? " - " : "");
		pp_sink_puts(out, "</text>\n");
	}
	pp_sink_printf(
	    out,
	    "<text id=\"reset\" class=\"button off\" x=\"%.0f\" y=\"54\">Reset zoom</text>\n"
	    "<text id=\"search\" class=\"button\" x=\"%.0f\" y=\"54\" "
	    "text-anchor=\"end\">Search</text>\n"
	    "<foreignObject id=\"find\" class=\"find off\" x=\"%.0f\" y=\"40\" width=\"240\" "
	    "height=\"22\"><input xmlns=\"http://www.w3.org/1999/xhtml\" type=\"search\" "
	    "aria-label=\"Search\" placeholder=\"name or regular expression\"/>"
	    "</foreignObject>\n",
	    SIDE, style->width - SIDE, style->width - SIDE - 300);
}

static void
put_foot(struct pp_sink *out, const struct pp_flame_style *style, double height)
{
	pp_sink_printf(out,
	               "<text id=\"info\" class=\"info\" x=\"%.0f\" y=\"%.0f\"> </text>\n"
	               "<text id=\"matched\" class=\"matched\" x=\"%.0f\" y=\"%.0f\"> </text>\n"
	               "<text id=\"crumbs\" x=\"%.0f\" y=\"%.0f\"> </text>\n<script><![CDATA[\n",
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
		.height = HEAD + f->depth * ROW + FOOT,
		.largest = f->compares ? largest_change(f) : 0,
		.lookalikes = lookalikes_find(f->profile),
	};
	size_t i;

	if (!pic.lookalikes)
		out->status = PP_E_NOMEM;
	put_head(out, f, style, pic.height);
	pp_sink_puts(out, "<g id=\"frames\">\n");
	for (i = 0; i < f->boxes.n && out->status == PP_OK; i++)
		put_frame(&pic, &f->boxes.at[i]);
	pp_sink_puts(out, "</g>\n");
	put_foot(out, style, pic.height);
	free(pic.lookalikes);
}
