/*
 * What all formats share.
 */
#include "formats/format.h"

#include "text/suggest.h"

/* ASCII letters without regard to case: endings are plain words. */
static bool
same_word(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++) {
		unsigned x = (unsigned char)*a, y = (unsigned char)*b;

		x += x - 'A' <= 'Z' - 'A' ? 'a' - 'A' : 0;
		y += y - 'A' <= 'Z' - 'A' ? 'a' - 'A' : 0;
		if (x != y)
			return false;
	}
	return true;
}

bool
pp_name_ends(const char *name, const char *ext)
{
	static const char *const packed[] = { ".gz", ".zst", ".zstd" };
	size_t n = strlen(name), e = strlen(ext), i;

	for (i = 0; i < PP_COUNT_OF(packed); i++) {
		size_t k = strlen(packed[i]);

		if (n > k && same_word(name + n - k, packed[i], k)) {
			n -= k;
			i = (size_t)-1; /* look for another ending */
		}
	}
	return n > e && name[n - e - 1] == '.' && same_word(name + n - e, ext, e);
}

void
pp_suggest_format(const char *word, unsigned can, struct pp_buf *out)
{
	const struct pp_format *const *format;
	struct pp_suggest suggest;

	pp_suggest_init(&suggest, pp_slice_z(word));
	for (format = pp_formats; *format; format++)
		if (((*format)->can & can) == can)
			pp_suggest_offer(&suggest, pp_slice_z((*format)->name));
	pp_suggest_print(&suggest, out, "");
}

const struct pp_format *
pp_format_among(const struct pp_format *const *formats, const char *name)
{
	for (; formats && *formats; formats++)
		if (strcmp((*formats)->name, name) == 0)
			return *formats;
	return pp_format_find(name);
}

bool
pp_format_has_variant(const struct pp_format *format, const char *variant)
{
	const char *list = variant ? format->variants : NULL;

	while (list && *list) {
		size_t n = strcspn(list, " ");

		if (n == strlen(variant) && memcmp(list, variant, n) == 0)
			return true;
		list += n + strspn(list + n, " ");
	}
	return !variant;
}

bool
pp_format_has_option(const struct pp_format *format, const char *option)
{
	const struct pp_option_doc *doc = format->options;
	size_t n = strcspn(option, "=");

	while (doc && doc->key && (strlen(doc->key) != n || memcmp(doc->key, option, n) != 0))
		doc++;
	return doc && doc->key && option[n] == '=';
}
