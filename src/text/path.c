/*
 * Paths without detours.
 */
#include "text/path.h"

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
