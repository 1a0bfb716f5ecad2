/*
 * The colours of frames.
 */
#include "output/flame_colour.h"

#include <math.h>
#include <stdlib.h>

#include "base/slice.h"

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

static const struct {
	const char *label, *set;
} languages[LANGUAGES] = {
	[KERNEL] = { "kernel", "orange" },
	[BUILT_IN] = { "built in", "aqua" },
	[UNKNOWN] = { "unknown", "grey" },
	[PHP] = { "PHP", "purple" },
	[PERL] = { "Perl", "blue" },
	[PYTHON] = { "Python", "io" },
	[JAVA] = { "Java", "green" },
	[JAVASCRIPT] = { "JavaScript", "mem" },
	[NATIVE] = { "C, C++, Rust, Go", "yellow" },
	[OTHER] = { "other", "red" },
};

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
	uint64_t h = 0xcbf29ce484222325u;
	size_t i;

	for (i = 0; i < name.n; i++)
		h = (h ^ name.p[i]) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	for (i = 0; i < 3; i++)
		v[i] = (double)(h >> (i * 20) & 0xfffff) / 1048576.0;
}

static const struct colour_set *
set_named(const char *name)
{
	size_t i;

	for (i = 0; name && i < PP_COUNT_OF(sets); i++)
		if (strcmp(sets[i].name, name) == 0)
			return &sets[i];
	return &sets[0];
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

/* The module of a function, or its file where no module is known. */
static pp_str
module_of(const struct pp_profile *p, pp_func func)
{
	pp_str module = p->modules.at[p->funcs.at[func].module].name;

	return module ? module : p->funcs.at[func].file;
}

static struct pp_rgb
module_colour(const struct pp_profile *p, pp_str module)
{
	double v[3];

	if (!module)
		return (struct pp_rgb){ 190, 190, 196 };
	name_numbers(pp_text_of(p, module), v);
	return colour_in(&sets[(size_t)(v[2] * 1000) % (PP_COUNT_OF(sets) - 1)], v);
}

struct pp_rgb
pp_flame_colour(const struct pp_flame *f, const struct pp_flame_style *style, pp_func func)
{
	const struct pp_profile *p = f->profile;
	const struct colour_set *set = set_named(style->colors);
	double v[3];

	if (style->palette == PP_PALETTE_MODULE)
		return module_colour(p, module_of(p, func));
	if (style->palette == PP_PALETTE_LANGUAGE)
		set = set_named(languages[language_of(p, func)].set);
	name_numbers(pp_text_of(p, p->funcs.at[func].name), v);
	return colour_in(set, v);
}

struct pp_rgb
pp_flame_change_colour(double change, double largest)
{
	double share = largest > 0 ? sqrt(fabs(change) / largest) : 0;
	unsigned fade = 255 - (unsigned)((share < 1 ? share : 1) * 175);

	if (change == 0)
		return (struct pp_rgb){ 238, 238, 238 };
	if (change > 0)
		return (struct pp_rgb){ 255, 160 + (fade - 80) * 95 / 175, fade };
	return (struct pp_rgb){ fade, 170 + (fade - 80) * 85 / 175, 255 };
}

/* ---- the legend ------------------------------------------------------------------------- */

/* What decides the colour of a function, as a number: its language or its module. */
static size_t
key_of(const struct pp_profile *p, enum pp_palette palette, pp_func func)
{
	return palette == PP_PALETTE_MODULE ? module_of(p, func) : (size_t)language_of(p, func);
}

static void
item_fill(const struct pp_profile *p, enum pp_palette palette, size_t key,
          struct pp_legend_item *item)
{
	static const double middle[3] = { 0.5, 0.5, 0.5 };
	struct pp_slice name;
	size_t n, slash;

	if (palette == PP_PALETTE_LANGUAGE) {
		memcpy(item->label, languages[key].label, strlen(languages[key].label) + 1);
		item->colour = colour_in(set_named(languages[key].set), middle);
		return;
	}
	name = pp_text_of(p, (pp_str)key);
	item->colour = module_colour(p, (pp_str)key);
	/* The end of a path tells most; whole characters only. */
	for (slash = name.n; slash > 0 && name.p[slash - 1] != '/'; slash--)
		;
	if (slash < name.n)
		name = pp_slice_of(name.p + slash, name.n - slash);
	n = name.n < 32 ? name.n : 32;
	while (n > 0 && n < name.n && (name.p[n] & 0xc0) == 0x80)
		n--;
	memcpy(item->label, key ? (const char *)name.p : "no module", key ? n : 10);
	item->label[key ? n : 9] = '\0';
}

/* Whether one key stands before another: the heavier, then by name. */
static bool
comes_first(const struct pp_profile *p, enum pp_palette palette, const double *weight, size_t key,
            size_t than)
{
	if (weight[key] != weight[than])
		return weight[key] > weight[than];
	return palette == PP_PALETTE_MODULE && weight[key] > 0 &&
	       pp_slice_cmp(pp_text_of(p, (pp_str)key), pp_text_of(p, (pp_str)than)) < 0;
}

size_t
pp_flame_legend(const struct pp_flame *f, const struct pp_flame_style *style,
                struct pp_legend_item items[PP_LEGEND_MAX])
{
	const struct pp_profile *p = f->profile;
	size_t keys = style->palette == PP_PALETTE_MODULE ? p->strs.strs.n : LANGUAGES, n, i, best;
	double *weight;

	if (f->compares || style->palette == PP_PALETTE_NAME)
		return 0;
	weight = calloc(keys + 1, sizeof *weight);
	if (!weight)
		return PP_LEGEND_MAX + 1;
	for (i = 0; i < f->boxes.n; i++)
		if (f->boxes.at[i].func)
			weight[key_of(p, style->palette, f->boxes.at[i].func)] +=
			    f->boxes.at[i].width;
	for (n = 0; n < PP_LEGEND_MAX; n++) {
		for (best = i = 0; i < keys; i++)
			if (comes_first(p, style->palette, weight, i, best))
				best = i;
		if (weight[best] <= 0)
			break;
		item_fill(p, style->palette, best, &items[n]);
		weight[best] = 0;
	}
	free(weight);
	return n;
}
