/*
 * Whose a function is. The viewer has the same in web/viewer/colours.ts.
 */
#include "model/module_name.h"

#include "base/slice.h"

/* Of longer names only the start is looked at: they are hostile, and asked about once per frame. */
#define LONGEST 1024

static size_t
find_text(struct pp_slice s, const char *text)
{
	size_t n = strlen(text), i;

	for (i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, text, n) == 0)
			return i;
	return SIZE_MAX;
}

/* What lies before the last separator of a name, but no more than two parts of it. */
static struct pp_slice
owner_of(struct pp_slice name, const char *separator)
{
	size_t length = strlen(separator), parts = 0, end = 0, i;

	for (i = 0; i + length <= name.n && parts < 2; i++)
		if (memcmp(name.p + i, separator, length) == 0) {
			end = i;
			parts++;
			i += length - 1;
		}
	return pp_slice_of(name.p, end);
}

struct pp_slice
pp_module_in_name(struct pp_slice name)
{
	size_t end, colons, arrow;

	name.n = name.n < LONGEST ? name.n : LONGEST;
	for (end = 0; end < name.n && !memchr("<( \t\n\r\f\v", name.p[end], 8); end++)
		;
	if (end > 0)
		name.n = end;
	colons = find_text(name, "::");
	arrow = find_text(name, "->");
	if (find_text(name, "\\") != SIZE_MAX) {
		struct pp_slice type = pp_slice_of(name.p, colons < arrow ? colons : arrow), owner;

		type.n = type.n < name.n ? type.n : name.n;
		owner = owner_of(type, "\\");
		return owner.n ? owner : name;
	}
	if (colons != SIZE_MAX)
		return owner_of(name, "::");
	return pp_slice_of(name.p, arrow == SIZE_MAX ? 0 : arrow);
}

struct pp_slice
pp_module_before_dot(struct pp_slice name)
{
	size_t dot, slash;

	name.n = name.n < LONGEST ? name.n : LONGEST;
	for (slash = name.n; slash > 0 && name.p[slash - 1] != '/'; slash--)
		;
	for (dot = slash; dot < name.n && name.p[dot] != '.'; dot++)
		;
	if (dot == name.n || find_text(name, "::") != SIZE_MAX)
		return pp_slice_of(name.p, 0);
	return pp_slice_of(name.p, dot);
}

struct pp_slice
pp_module_name(const struct pp_profile *p, const struct pp_func_row *f, pp_str *str)
{
	struct pp_slice name = pp_text_of(p, f->name), found;

	*str = p->modules.at[f->module].name;
	if (*str)
		return pp_text_of(p, *str);
	found = pp_module_in_name(name);
	return found.n ? found : pp_module_before_dot(name);
}
