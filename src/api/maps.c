/*
 * Where source maps are.
 */
#include "api/maps.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/remap.h"
#include "base/slice.h"
#include "model/derive.h"
#include "text/json_scan.h"
#include "text/units.h"

#define MAP_MAX ((size_t)1 << 30)

/* A map, and the script that it is of as far as its file's name tells. */
struct named_map {
	const char *path;       /* that the user gave */
	struct pp_slice script; /* the last part of that, without .map */
	struct pp_source_map map;
	bool used;
};

struct maps {
	PP_VEC(struct named_map) named;
	struct pp_sources dirs;
	/* By script, as far as it was asked for: */
	struct pp_map index;
	PP_VEC(struct pp_source_map *) found; /* in the profile and in directories; NULL = none */
	struct pp_map carried;                /* by script: the first that the profile brings */
	struct pp_source_map *sole;           /* the one map for the one script */
	size_t damaged;
	bool failed; /* out of memory */
};

static void
maps_release(struct maps *m)
{
	size_t i;

	for (i = 0; i < m->named.n; i++)
		pp_source_map_release(&m->named.at[i].map);
	for (i = 0; i < m->found.n; i++) {
		if (m->found.at[i])
			pp_source_map_release(m->found.at[i]);
		free(m->found.at[i]);
	}
	pp_vec_release(&m->named);
	pp_vec_release(&m->found);
	pp_map_release(&m->index);
	pp_map_release(&m->carried);
	pp_sources_release(&m->dirs);
}

/* ---- bytes ---- */

/* All of a file that the user named, with room for a scanner behind it; NULL when it cannot be read. */
static char *
file_read(const char *path, size_t *size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *bytes = NULL;
	ssize_t n = 1;

	*size = 0;
	if (file < 0)
		return NULL;
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= MAP_MAX)
		bytes = calloc(1, (size_t)st.st_size + PP_SCAN_PAD);
	while (bytes && n > 0 && *size < (size_t)st.st_size) {
		n = read(file, bytes + *size, (size_t)st.st_size - *size);
		*size += n > 0 ? (size_t)n : 0;
	}
	close(file);
	return bytes;
}

/* The same of a file beneath the directories, by any end of its path. */
static char *
beneath_read(struct maps *m, struct pp_slice path, size_t *size)
{
	char *bytes = pp_sources_read(&m->dirs, path, size), *more;

	if (!bytes)
		return NULL;
	more = realloc(bytes, *size + PP_SCAN_PAD);
	if (!more) {
		m->failed = true;
		free(bytes);
	}
	return more;
}

/* A map out of the bytes of one, or of a script that brings it; false when there is none. */
static bool
map_take(struct maps *m, const char *bytes, size_t size, struct pp_source_map *map)
{
	struct pp_slice text = pp_slice_of(bytes, size);
	struct pp_buf within = { 0 };
	bool fine;
	pp_status status = pp_source_map_read(map, text);

	if (status == PP_E_INVALID) {
		pp_source_map_release(map);
		(void)pp_script_map(text, &within);
		(void)pp_buf_room(&within, PP_SCAN_PAD);
		m->failed |= within.failed;
		status = within.n ? pp_source_map_read(map, pp_slice_of(within.p, within.n))
		                  : PP_E_INVALID;
		pp_buf_release(&within);
	}
	m->failed |= status == PP_E_NOMEM;
	m->damaged += map->damaged;
	fine = status == PP_OK;
	if (!fine) {
		pp_source_map_release(map);
		*map = (struct pp_source_map){ 0 };
	}
	return fine;
}

/* ---- scripts ---- */

/* The path of a script's address: neither scheme and host, nor what stands behind '?' or '#'. */
static struct pp_slice
script_path(struct pp_slice url)
{
	const unsigned char *scheme = url.n ? memmem(url.p, url.n, "://", 3) : NULL;
	size_t end = 0;
	bool found;

	if (scheme) {
		url = pp_slice_between(scheme + 3, url.p + url.n);
		if (url.n && url.p[0] != '/')
			(void)pp_slice_cut(&url, '/', &found);
	}
	while (end < url.n && url.p[end] != '?' && url.p[end] != '#')
		end++;
	return pp_slice_of(url.p, end);
}

static struct pp_slice
last_part(struct pp_slice path)
{
	size_t start = path.n;

	while (start && path.p[start - 1] != '/' && path.p[start - 1] != '\\')
		start--;
	return pp_slice_from(path, start);
}

/* The map of a script by the name that is said of it, beneath the directories; NULL when it is not there. */
static char *
said_read(struct maps *m, struct pp_slice path, struct pp_slice said, size_t *size)
{
	bool whole = said.n && (said.p[0] == '/' || pp_slice_holds(said, "://"));
	struct pp_buf name = { 0 };
	char *bytes = NULL;

	said = script_path(said);
	if (!said.n || !m->dirs.dirs.n)
		return NULL;
	if (!whole)
		pp_buf_add(&name, path.p, path.n - last_part(path).n);
	pp_buf_add(&name, said.p, said.n);
	m->failed |= name.failed;
	bytes = name.failed ? NULL : beneath_read(m, pp_slice_of(name.p, name.n), size);
	pp_buf_release(&name);
	return bytes;
}

/*
 * The map within the script, or where it says, or beside it. What the script says goes first: a map beside it may be of a
 * build before.
 */
static bool
beside_find(struct maps *m, struct pp_slice path, struct pp_source_map *map)
{
	struct pp_buf name = { 0 }, within = { 0 };
	size_t size, script_size;
	char *bytes = NULL, *script = beneath_read(m, path, &script_size);
	bool fine;

	if (script)
		bytes = said_read(m, path, pp_script_map(pp_slice_of(script, script_size), &within),
		                  &size);
	m->failed |= within.failed;
	pp_buf_release(&within);
	fine = bytes ? map_take(m, bytes, size, map)
	             : script && map_take(m, script, script_size, map);
	free(bytes);
	free(script);
	if (fine || m->failed)
		return fine;
	pp_buf_add(&name, path.p, path.n);
	pp_buf_adds(&name, ".map");
	m->failed |= name.failed;
	bytes = name.failed ? NULL : beneath_read(m, pp_slice_of(name.p, name.n), &size);
	fine = bytes && map_take(m, bytes, size, map);
	free(bytes);
	pp_buf_release(&name);
	return fine;
}

/* The map that the profile brings for a script, or names. */
static bool
carried_take(struct maps *m, const struct pp_profile *p, pp_str script, struct pp_source_map *map)
{
	uint32_t at = pp_map_get(&m->carried, script);
	struct pp_buf text = { 0 };
	struct pp_slice said;
	char *bytes;
	size_t size;
	bool fine;

	if (at == PP_MAP_NONE)
		return false;
	said = pp_text_of(p, p->source_maps.at[at].text);
	if (!pp_slice_starts(said, "data:") && !pp_slice_starts(said, "{")) {
		bytes = said_read(m, script_path(pp_text_of(p, script)), said, &size);
		fine = bytes && map_take(m, bytes, size, map);
		free(bytes);
		return fine;
	}
	if (!pp_data_url_take(&text, said))
		pp_buf_add(&text, said.p, said.n);
	(void)pp_buf_room(&text, PP_SCAN_PAD);
	m->failed |= text.failed;
	fine = !text.failed && map_take(m, text.p, text.n, map);
	pp_buf_release(&text);
	return fine;
}

/* One of the maps that were named, by the name of the script. */
static struct pp_source_map *
named_find(struct maps *m, struct pp_slice path)
{
	struct pp_slice base = last_part(path);
	size_t i;

	for (i = 0; base.n && i < m->named.n; i++) {
		struct named_map *named = &m->named.at[i];

		if (pp_slice_eq(base, named->script) ||
		    pp_slice_eq(base, last_part(script_path(named->map.file)))) {
			named->used = true;
			return &named->map;
		}
	}
	return NULL;
}

static const struct pp_source_map *
map_find(void *data, const struct pp_profile *p, pp_str script)
{
	struct maps *m = data;
	struct pp_slice path = script_path(pp_text_of(p, script));
	const struct pp_source_map *named = named_find(m, path);
	struct pp_source_map *found = NULL;
	uint32_t known = pp_map_get(&m->index, script);

	if (named || m->sole)
		return named ? named : m->sole;
	if (known != PP_MAP_NONE)
		return m->found.at[known];
	if ((m->dirs.dirs.n && path.n) || m->carried.n) {
		found = calloc(1, sizeof *found);
		m->failed |= !found;
		if (found && !carried_take(m, p, script, found) &&
		    (!m->dirs.dirs.n || !path.n || !beside_find(m, path, found))) {
			free(found);
			found = NULL;
		}
	}
	if (!pp_vec_push(&m->found, found) ||
	    !pp_map_set(&m->index, script, (uint32_t)m->found.n - 1))
		m->failed = true;
	return found;
}

/* A map that is called otherwise is meant for the one script that there is. */
static void
sole_settle(struct maps *m, const struct pp_profile *p)
{
	pp_str script = 0;
	size_t i;

	if (m->named.n != 1 || m->dirs.dirs.n)
		return;
	for (i = 1; i < p->funcs.n; i++) {
		pp_str file = p->funcs.at[i].file;

		if (!file || file == script || pp_slice_starts(pp_text_of(p, file), "node:"))
			continue;
		if (script || named_find(m, script_path(pp_text_of(p, file))))
			return;
		script = file;
	}
	if (script) {
		m->sole = &m->named.at[0].map;
		m->named.at[0].used = true;
	}
}

/* ---- what is named ---- */

static pp_status
named_add(struct pp_reply *r, struct maps *m, const char *path)
{
	struct pp_answer *a = &r->asking.answer;
	struct named_map named = { .path = path, .script = last_part(pp_slice_z(path)) };
	size_t size;
	char *bytes = file_read(path, &size);
	bool fine;

	if (!bytes)
		return pp_answer_fail(a, PP_E_IO, "no-map", "%s cannot be read as a source map",
		                      path);
	if (pp_slice_ends(named.script, ".map"))
		named.script.n -= 4;
	fine = map_take(m, bytes, size, &named.map);
	free(bytes);
	if (m->failed || (fine && !pp_vec_push(&m->named, named))) {
		pp_source_map_release(&named.map);
		return pp_answer_fail_status(a, PP_E_NOMEM);
	}
	return fine ? PP_OK
	            : pp_answer_fail(
	                  a, PP_E_INVALID, "no-map",
	                  "%s is neither a source map nor a script that contains or names one",
	                  path);
}

static pp_status
maps_init(struct pp_reply *r, struct maps *m, const char *const *files, size_t n)
{
	const struct pp_texts *given = &r->asking.params->reading.maps;
	struct pp_answer *a = &r->asking.answer;
	struct pp_texts dirs = { 0 };
	pp_status status = PP_OK;
	struct stat st;
	size_t i;

	*m = (struct maps){ .index.seed = PP_HASH_K1, .carried.seed = PP_HASH_K1 };
	if (r->opts.confined)
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "source maps cannot be named here");
	for (i = 0; i < given->list.n && status == PP_OK; i++) {
		const char *text = given->list.at[i].text;
		bool is_dir = strcmp(text, "auto") == 0;

		if (!is_dir && stat(text, &st) == 0)
			is_dir = S_ISDIR(st.st_mode);
		if (!is_dir)
			status = named_add(r, m, text);
		else if (!pp_vec_push(&dirs.list, given->list.at[i]))
			status = pp_answer_fail_status(a, PP_E_NOMEM);
	}
	if (status == PP_OK && !pp_sources_init(&m->dirs, &dirs, files, n))
		status = pp_answer_fail_status(a, PP_E_NOMEM);
	pp_vec_release(&dirs.list);
	return status;
}

/* What became of it, for those who would wonder. */
static void
maps_note(struct pp_reply *r, const struct maps *m, const struct pp_remapped *counts)
{
	struct pp_answer *a = &r->asking.answer;
	size_t i;

	if (counts->funcs == 0)
		pp_answer_note(a, "maps-unused",
		               "no function is of a script that has a source map there");
	for (i = 0; i < m->named.n; i++)
		if (counts->funcs && !m->named.at[i].used)
			pp_answer_note(a, "maps-unused",
			               "%s is the source map of no script in this profile",
			               m->named.at[i].path);
	if (counts->unknown)
		pp_answer_note(a, "maps-partial",
		               "%zu %s of scripts with a source map stay as they are: it does not "
		               "say where they come from",
		               counts->unknown,
		               pp_plural(counts->unknown, "function", "functions"));
	if (m->damaged)
		pp_answer_note(a, "maps-damaged", "%zu source %s used up to where %s damaged",
		               m->damaged, pp_plural(m->damaged, "map is", "maps are"),
		               pp_plural(m->damaged, "it is", "they are"));
}

bool
pp_maps_given(const struct pp_reply *r)
{
	return r->asking.params->reading.maps.list.n > 0;
}

/* What a profile says first of a script counts. */
static void
carried_settle(struct maps *m, const struct pp_profile *p)
{
	size_t i = p->source_maps.n;

	while (i-- > 0)
		if (!pp_map_set(&m->carried, p->source_maps.at[i].script, (uint32_t)i))
			m->failed = true;
}

pp_status
pp_maps_apply(struct pp_reply *r, const char *const *files, size_t n, struct pp_profile **profile)
{
	struct pp_profile *remapped = NULL;
	struct pp_remapped counts = { 0 };
	struct maps m;
	pp_status status;

	if (!pp_maps_given(r))
		return PP_OK;
	status = maps_init(r, &m, files, n);
	if (status == PP_OK) {
		sole_settle(&m, *profile);
		carried_settle(&m, *profile);
		status = pp_remap_derive(*profile, map_find, &m, &counts, &remapped);
		if (status != PP_OK || m.failed)
			status = pp_answer_fail_status(&r->asking.answer, PP_E_NOMEM);
	}
	if (status == PP_OK)
		maps_note(r, &m, &counts);
	if (remapped) {
		pp_profile_adopt(remapped, *profile);
		*profile = remapped;
	}
	maps_release(&m);
	return status;
}
