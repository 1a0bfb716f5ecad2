/*
 * Paths without detours, addresses of files, endings of names.
 */
#include "text/path.h"

#include "base/num.h"
#include "base/slice.h"

/* Takes the last part off a path that begins at `start`; false when there is none to take. */
static bool
part_drop(struct pp_buf *out, size_t start, bool absolute)
{
	size_t floor = start + absolute, end = out->n, at;

	if (end <= floor)
		return absolute;
	for (at = end; at > floor && out->p[at - 1] != '/'; at--)
		;
	if (end - at == 2 && memcmp(out->p + at, "..", 2) == 0)
		return false;
	out->n = at > floor ? at - 1 : at;
	return true;
}

void
pp_path_clean(struct pp_buf *out, struct pp_slice path)
{
	const unsigned char *p = path.p, *end = path.p + path.n;
	bool absolute = path.n && p[0] == '/';
	size_t start = out->n;

	if (path.n == 0)
		return;
	if (absolute)
		pp_buf_addc(out, '/');
	while (p < end && !out->failed) {
		const unsigned char *stop = memchr(p, '/', (size_t)(end - p));
		size_t n = (size_t)((stop ? stop : end) - p);

		if (n == 0 || (n == 1 && p[0] == '.') ||
		    (n == 2 && memcmp(p, "..", 2) == 0 && part_drop(out, start, absolute))) {
			p += n + (stop != NULL);
			continue;
		}
		if (out->n > start + absolute)
			pp_buf_addc(out, '/');
		pp_buf_add(out, p, n);
		p += n + (stop != NULL);
	}
	if (out->n == start)
		pp_buf_addc(out, '.');
}

bool
pp_path_of_address(struct pp_buf *out, struct pp_slice address)
{
	size_t i;

	if (!pp_slice_take(&address, "file://"))
		return false;
	(void)pp_slice_take(&address, "localhost");
	if (address.n == 0 || address.p[0] != '/')
		return false;
	for (i = 0; i < address.n; i++) {
		uint64_t byte;

		if (address.p[i] == '%' && address.n - i > 2 &&
		    pp_num_hex(pp_slice_of(address.p + i + 1, 2), &byte)) {
			pp_buf_addc(out, (char)byte);
			i += 2;
		} else {
			pp_buf_addc(out, (char)address.p[i]);
		}
	}
	return !out->failed;
}

/* ---- endings ---- */

const char pp_endings_other[] = "svg svgz html htm xhtml mhtml png jpg jpeg gif webp bmp tif tiff "
                                "ico pdf ps eps md csv tsv xml sarif dot gv xls xlsx doc docx "
                                "zip tar tgz bz2 xz 7z ppdb";
const char pp_endings_vague[] = "data raw heap prof dump trace";

static unsigned char
lower(unsigned char c)
{
	return (unsigned)c - 'A' < 26 ? (unsigned char)(c | 32) : c;
}

/* Without regard to case. */
static bool
is_word(struct pp_slice s, const char *word, size_t n)
{
	size_t i;

	for (i = 0; s.n == n && i < n && lower(s.p[i]) == lower((unsigned char)word[i]); i++)
		;
	return i == n && s.n == n;
}

struct pp_slice
pp_path_ending(const char *path)
{
	static const char packed[] = "gz zst zstd";
	const char *slash = strrchr(path, '/');
	struct pp_slice name = pp_slice_z(slash ? slash + 1 : path), ending;
	size_t dot;

	for (;; name.n = dot - 1) {
		for (dot = name.n; dot > 1 && name.p[dot - 1] != '.'; dot--)
			;
		ending = pp_slice_from(name, dot > 1 ? dot : name.n);
		if (!pp_ending_listed(ending, packed))
			return ending;
	}
}

bool
pp_ending_listed(struct pp_slice ending, const char *list)
{
	for (; *list; list += strspn(list, " ")) {
		size_t length = strcspn(list, " ");

		if (length && is_word(ending, list, length))
			return true;
		list += length;
	}
	return false;
}
