/*
 * The colours of frames.
 */
#include "output/flame_colour.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/slice.h"
#include "model/module_name.h"
#include "text/escape.h"
#include "text/shorten.h"

/* Bits of a hash that are no hue: these keep libraries apart that most programs have (libc, libm, ld-linux). */
#define MODULE_BITS 17

const char *const pp_flame_colors[] = { "hot",  "mem",    "io",     "red",    "green", "blue",
	                                "aqua", "yellow", "purple", "orange", "grey",  NULL };

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

enum language {
	KERNEL,
	BUILT_IN,
	UNKNOWN,
	PHP,
	PERL,
	PYTHON,
	JAVA,
	JAVASCRIPT,
	NATIVE,
	OTHER,
	LANGUAGES
};

/* Colours that differ a little: a hue and how far it goes, saturation, lightness. */
struct family {
	double hue, by, saturation, light;
};

/* The viewer has the same in web/viewer/colours.ts. */
static const struct {
	const char *label;
	struct family family;
} languages[LANGUAGES] = {
	[KERNEL] = { "kernel", { 26, 12, 85, 62 } },
	[BUILT_IN] = { "built in", { 176, 18, 48, 62 } },
	[UNKNOWN] = { "unknown", { 230, 10, 8, 72 } },
	[PHP] = { "PHP", { 262, 28, 55, 72 } },
	[PERL] = { "Perl", { 205, 18, 60, 68 } },
	[PYTHON] = { "Python", { 225, 14, 62, 70 } },
	[JAVA] = { "Java", { 110, 26, 48, 62 } },
	[JAVASCRIPT] = { "JavaScript", { 70, 14, 60, 60 } },
	[NATIVE] = { "C, C++, Rust, Go", { 46, 12, 85, 62 } },
	[OTHER] = { "other", { 4, 16, 78, 70 } },
};

/* Colours by name, unless a set was asked for. */
static const struct family warm = { 14, 36, 82, 66 };

/* What the ending of a file tells. */
static const struct {
	const char *ending;
	enum language language;
} endings[] = {
	{ ".php", PHP },       { ".phtml", PHP },  { ".inc", PHP },       { ".pl", PERL },
	{ ".pm", PERL },       { ".t", PERL },     { ".py", PYTHON },     { ".java", JAVA },
	{ ".kt", JAVA },       { ".scala", JAVA }, { ".js", JAVASCRIPT }, { ".mjs", JAVASCRIPT },
	{ ".ts", JAVASCRIPT }, { ".c", NATIVE },   { ".h", NATIVE },      { ".cc", NATIVE },
	{ ".cpp", NATIVE },    { ".cxx", NATIVE }, { ".hpp", NATIVE },    { ".rs", NATIVE },
	{ ".go", NATIVE },     { ".S", NATIVE },
};

/* Three numbers from 0 to 1 that depend on the bytes alone. */
static void
name_numbers(struct pp_slice name, double v[3])
{
	uint64_t h = pp_fnv_add(PP_FNV_BASIS, name.p, name.n);
	size_t i;

	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	for (i = 0; i < 3; i++)
		v[i] = (double)(h >> (i * 20) & 0xfffff) / 1048576.0;
}

/* A number that depends on the bytes alone. */
static uint32_t
hash_of(struct pp_slice text)
{
	uint32_t h = 0x811c9dc5;
	size_t i;

	for (i = 0; i < text.n; i++)
		h = (h ^ text.p[i]) * 0x01000193;
	h ^= h >> 15;
	h *= 0x2c1b3c6d;
	return h ^ h >> 13;
}

static unsigned
channel(double n, double hue, double light, double reach)
{
	double k = fmod(n + hue / 30, 12), part = fmin(k - 3, 9 - k);

	return (unsigned)floor(255 * (light - reach * fmax(-1, fmin(part, 1))) + 0.5);
}

/* A colour of a family, by a number that tells it from others. */
static struct pp_rgb
family_colour(const struct family *f, uint32_t h)
{
	double hue = f->hue + (h >> 16) % 64 / 64.0 * f->by, saturation = f->saturation / 100;
	double light = (f->light + (h >> 8) % 7 - 3) / 100;
	double reach = saturation * fmin(light, 1 - light);

	return (struct pp_rgb){ channel(0, hue, light, reach), channel(8, hue, light, reach),
		                channel(4, hue, light, reach) };
}

static const struct colour_set *
set_named(const char *name)
{
	size_t i;

	for (i = 0; name && i < PP_COUNT_OF(sets); i++)
		if (strcmp(sets[i].name, name) == 0)
			return &sets[i];
	return NULL;
}

static struct pp_rgb
colour_in(const struct colour_set *set, const double v[3])
{
	return (struct pp_rgb){ set->from[0] + (unsigned)(v[0] * set->by[0]),
		                set->from[1] + (unsigned)(v[1] * set->by[1]),
		                set->from[2] + (unsigned)(v[2] * set->by[2]) };
}

/* What a function says it is, what its file tells, what its name looks like. */
static enum language
language_of(const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *row = &p->funcs.at[func];
	struct pp_slice name = pp_text_of(p, row->name), file = pp_text_of(p, row->file);
	size_t i;

	if (row->flags & PP_FUNC_KERNEL || pp_slice_ends(name, "_[k]"))
		return KERNEL;
	if (row->flags & PP_FUNC_INTERNAL || pp_slice_ends(name, "_[i]"))
		return BUILT_IN;
	if (row->flags & (PP_FUNC_UNKNOWN | PP_FUNC_PSEUDO))
		return UNKNOWN;
	for (i = 0; i < PP_COUNT_OF(endings); i++)
		if (pp_slice_ends(file, endings[i].ending))
			return endings[i].language;
	if (pp_slice_ends(name, "_[j]") || pp_slice_holds(name, ":::") ||
	    (name.n && name.p[0] == 'L' && pp_slice_holds(name, "/")))
		return JAVA;
	if (pp_slice_holds(name, "\\") || pp_slice_holds(name, "->") || pp_slice_ends(name, ".php"))
		return PHP;
	if (pp_slice_holds(name, ".py:") || pp_slice_ends(name, ".py"))
		return PYTHON;
	if (pp_slice_holds(name, "::"))
		return NATIVE;
	return OTHER;
}

static struct pp_slice
last_of_path(struct pp_slice path)
{
	size_t at = path.n;

	while (at > 0 && path.p[at - 1] != '/')
		at--;
	return pp_slice_from(path, at);
}

/*
 * The library of a function, or the package, namespace or class that its name tells, or its file; empty
 * when none is known.
 */
static struct pp_slice
module_of(const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *row = &p->funcs.at[func];
	struct pp_slice name = pp_text_of(p, row->name), found;

	if (row->flags & PP_FUNC_KERNEL)
		return pp_slice_z("kernel");
	found = last_of_path(pp_text_of(p, p->modules.at[row->module].name));
	if (!found.n)
		found = pp_module_in_name(name);
	if (!found.n)
		found = last_of_path(pp_text_of(p, row->file));
	return found.n ? found : pp_module_before_dot(name);
}

static struct pp_rgb
module_colour(struct pp_slice module, uint32_t h)
{
	struct family family = { (hash_of(module) >> MODULE_BITS) % 360, 8, 55, 68 };

	return family_colour(module.n ? &family : &languages[UNKNOWN].family, h);
}

struct pp_rgb
pp_func_colour(const struct pp_profile *p, pp_func func)
{
	return module_colour(module_of(p, func), hash_of(pp_text_of(p, p->funcs.at[func].name)));
}

struct pp_rgb
pp_flame_colour(const struct pp_flame *f, const struct pp_flame_style *style, pp_func func)
{
	const struct pp_profile *p = f->profile;
	const struct colour_set *set = set_named(style->colors);
	struct pp_slice name = pp_text_of(p, p->funcs.at[func].name);
	double v[3];

	if (style->palette == PP_PALETTE_MODULE)
		return pp_func_colour(p, func);
	if (style->palette == PP_PALETTE_LANGUAGE)
		return family_colour(&languages[language_of(p, func)].family, hash_of(name));
	if (!set)
		return family_colour(&warm, hash_of(name));
	name_numbers(name, v);
	return colour_in(set, v);
}

struct pp_rgb
pp_flame_change_colour(double change, double largest)
{
	double share = largest > 0 ? fmin(1, sqrt(fabs(change) / largest)) : 0;
	double light = (90 - 32 * share) / 100, saturation = (25 + 65 * share) / 100;
	double reach = saturation * fmin(light, 1 - light), hue = change > 0 ? 28 : 211;

	if (change == 0 || !(largest > 0))
		return (struct pp_rgb){ 230, 230, 234 };
	return (struct pp_rgb){ channel(0, hue, light, reach), channel(8, hue, light, reach),
		                channel(4, hue, light, reach) };
}

/* ---- the legend ------------------------------------------------------------------------- */

#define LABEL_COLUMNS 24
#define LONGEST_WORD 256   /* bytes */
#define MIDDLE 0x80000000u /* a number for the colour of a family that stands for all of it */

/* How wide the boxes of one colour are together. */
struct weight {
	struct pp_slice word;
	double width;
	enum language language;
};

static int
compare_words(const void *left, const void *right)
{
	const struct weight *a = left, *b = right;

	return pp_slice_cmp(a->word, b->word);
}

static int
compare_widths(const void *left, const void *right)
{
	const struct weight *a = left, *b = right;

	if (a->width != b->width)
		return a->width < b->width ? 1 : -1;
	return pp_slice_cmp(a->word, b->word);
}

static void
item_fill(const struct weight *w, enum pp_palette palette, struct pp_legend_item *item)
{
	struct pp_slice word = w->word.n ? w->word : pp_slice_z("no module known");
	struct pp_buf safe = { 0 }, text = { 0 };
	size_t n;

	item->colour = palette == PP_PALETTE_MODULE
	                   ? module_colour(w->word, MIDDLE)
	                   : family_colour(&languages[w->language].family, MIDDLE);
	word.n = word.n < LONGEST_WORD ? word.n : LONGEST_WORD;
	pp_escape_terminal(&safe, word);
	pp_name_shorten(&text, safe.p ? safe.p : "", safe.n, LABEL_COLUMNS);
	n = text.n < sizeof item->label ? text.n : 0;
	if (n)
		memcpy(item->label, text.p, n);
	item->label[n] = '\0';
	pp_buf_release(&safe);
	pp_buf_release(&text);
}

/* How wide boxes are by what decides their colour, the widest first; returns how many colours there are. */
static size_t
weigh(const struct pp_flame *f, enum pp_palette palette, struct weight *list)
{
	const struct pp_profile *p = f->profile;
	size_t n = 0, kept = 0, i;

	for (i = 0; i < f->boxes.n; i++) {
		const struct pp_box *box = &f->boxes.at[i];
		enum language language = OTHER;

		if (!box->func || !(box->width > 0))
			continue;
		if (palette == PP_PALETTE_LANGUAGE)
			language = language_of(p, box->func);
		list[n++] = (struct weight){ palette == PP_PALETTE_MODULE
			                         ? module_of(p, box->func)
			                         : pp_slice_z(languages[language].label),
			                     box->width, language };
	}
	qsort(list, n, sizeof *list, compare_words);
	for (i = 0; i < n; i++) {
		if (kept && pp_slice_cmp(list[kept - 1].word, list[i].word) == 0)
			list[kept - 1].width += list[i].width;
		else
			list[kept++] = list[i];
	}
	qsort(list, kept, sizeof *list, compare_widths);
	return kept;
}

size_t
pp_flame_legend(const struct pp_flame *f, const struct pp_flame_style *style,
                struct pp_legend_item items[PP_LEGEND_MAX])
{
	struct weight *list;
	size_t n, i;

	if (f->compares || style->palette == PP_PALETTE_NAME || f->boxes.n == 0 || !f->metric)
		return 0;
	list = calloc(f->boxes.n + 1, sizeof *list);
	if (!list)
		return PP_LEGEND_MAX + 1;
	n = weigh(f, style->palette, list);
	for (i = 0; i < n && i < PP_LEGEND_MAX; i++)
		item_fill(&list[i], style->palette, &items[i]);
	free(list);
	return i;
}
