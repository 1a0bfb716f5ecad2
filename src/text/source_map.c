/*
 * Source maps: reading them, and finding places in them.
 */
#include "text/source_map.h"

#include "base/buf.h"
#include "base/slice.h"
#include "base/sort.h"
#include "text/base64.h"
#include "text/json_scan.h"

/* Maps of sections are within others no deeper than that. */
#define SECTIONS_DEEP 8
/* Lines, columns and numbers of names are 32 bits with a sign by the standard. */
#define NUMBER_MAX INT32_MAX
/* Between the name of a function and its parameters there is little. */
#define NAME_SEGMENTS 6

/* Where a map begins within the whole. */
struct base {
	uint32_t line, column;
	unsigned deep;
};

/* Members of a map, wherever they stand. */
struct parts {
	struct pp_scan sources, names, sections;
	struct pp_json_str mappings, root, file;
	bool has_sources, has_names, has_sections, has_mappings, has_root, has_file;
};

static pp_status map_read(struct pp_source_map *, struct pp_scan *, struct base);

/* ---- numbers in base64 ---- */

static int
digit_of(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (pp_is_digit(c))
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The next number; false when there is none, or one of more than 32 bits. */
static bool
number_take(struct pp_slice *rest, int64_t *number)
{
	uint64_t v = 0;
	unsigned shift = 0;
	int digit;

	do {
		digit = rest->n ? digit_of(rest->p[0]) : -1;
		if (digit < 0 || shift > 30)
			return false;
		*rest = pp_slice_from(*rest, 1);
		v |= (uint64_t)(digit & 31) << shift;
		shift += 5;
	} while (digit & 32);
	*number = v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
	return true;
}

/* Adds a difference; false when what it comes to is none of `most` + 1 numbers. */
static bool
number_add(int64_t *sum, int64_t difference, int64_t most)
{
	*sum += difference;
	return *sum >= 0 && *sum <= most;
}

/* ---- mappings ---- */

/* What differences are of. */
struct counters {
	int64_t column, source, line, source_column, name;
};

/* Where the sources and names of a map begin among all. */
struct tables {
	size_t sources, names;
};

/* A segment out of its letters: 1 = it is fine, 0 = it is not, -1 = out of memory. */
static int
segment_take(struct pp_source_map *m, struct pp_slice letters, struct counters *at,
             const struct base *base, uint64_t line, const struct tables *tables)
{
	struct pp_map_segment segment = { 0 };
	int64_t n[5];
	size_t count = 0;

	while (letters.n && count < PP_COUNT_OF(n))
		if (!number_take(&letters, &n[count++]))
			return 0;
	if (letters.n || (count != 1 && count != 4 && count != 5) ||
	    !number_add(&at->column, n[0], NUMBER_MAX))
		return 0;
	segment.at = (line + base->line) << 32;
	segment.at |= (uint64_t)at->column + (line ? 0 : base->column);
	if (count >= 4) {
		if (!number_add(&at->source, n[1], (int64_t)(m->sources.n - tables->sources) - 1) ||
		    !number_add(&at->line, n[2], NUMBER_MAX) ||
		    !number_add(&at->source_column, n[3], NUMBER_MAX))
			return 0;
		segment.source = (uint32_t)(tables->sources + (size_t)at->source) + 1;
		segment.line = (uint32_t)at->line;
		segment.column = (uint32_t)at->source_column;
	}
	if (count == 5) {
		if (!number_add(&at->name, n[4], (int64_t)(m->names.n - tables->names) - 1))
			return 0;
		segment.name = (uint32_t)(tables->names + (size_t)at->name) + 1;
	}
	return pp_vec_push(&m->segments, segment) ? 1 : -1;
}

static pp_status
mappings_read(struct pp_source_map *m, struct pp_slice text, const struct base *base,
              const struct tables *tables)
{
	struct counters at = { 0 };
	uint64_t line = 0;
	size_t end;
	int fine = 1;

	for (; text.n && fine > 0; text = pp_slice_from(text, end)) {
		for (end = 0; end < text.n && text.p[end] != ',' && text.p[end] != ';';)
			end++;
		if (end)
			fine = segment_take(m, pp_slice_of(text.p, end), &at, base, line, tables);
		if (end < text.n && text.p[end] == ';') {
			at.column = 0;
			line++;
		}
		end += end < text.n;
		if (line + base->line > NUMBER_MAX)
			fine = 0;
	}
	m->damaged |= fine == 0;
	return fine < 0 ? PP_E_NOMEM : PP_OK;
}

/* ---- the object ---- */

/* Texts of an array, null being none, each behind `prefix`. */
static pp_status
texts_read(struct pp_source_map *m, struct pp_scan *s, struct pp_slice prefix, bool sources)
{
	struct pp_buf whole = { 0 };
	pp_status status = PP_OK;

	if (!pp_scan_array(s))
		return PP_E_INVALID;
	while (status == PP_OK && pp_scan_item(s)) {
		struct pp_json_str str = { 0 };
		struct pp_slice text = { 0 };
		const char *copy;

		if (pp_scan_peek(s) == PP_JSON_STRING && pp_scan_string(s, &str)) {
			text = pp_json_str_value(str, &m->arena);
			whole.n = 0;
			pp_buf_add(&whole, prefix.p, prefix.n);
			pp_buf_add(&whole, text.p, text.n);
		} else {
			(void)pp_scan_skip(s, NULL);
			whole.n = 0;
		}
		copy = whole.failed || (text.n && !text.p)
		           ? NULL
		           : pp_arena_copy(&m->arena, whole.p ? whole.p : "", whole.n);
		text = pp_slice_of(copy, whole.n);
		if (!copy ||
		    !(sources ? pp_vec_push(&m->sources, text) : pp_vec_push(&m->names, text)))
			status = PP_E_NOMEM;
	}
	pp_buf_release(&whole);
	return status != PP_OK ? status : s->error ? PP_E_INVALID : PP_OK;
}

/* The value of a key: noted, and passed. */
static void
part_take(struct pp_scan *s, struct pp_json_str key, struct parts *p)
{
	enum pp_json_type type = pp_scan_peek(s);

	if (type == PP_JSON_ARRAY && pp_json_str_eq(key, "sources")) {
		p->sources = *s;
		p->has_sources = true;
	} else if (type == PP_JSON_ARRAY && pp_json_str_eq(key, "names")) {
		p->names = *s;
		p->has_names = true;
	} else if (type == PP_JSON_ARRAY && pp_json_str_eq(key, "sections")) {
		p->sections = *s;
		p->has_sections = true;
	} else if (type == PP_JSON_STRING && pp_json_str_eq(key, "mappings")) {
		p->has_mappings = pp_scan_string(s, &p->mappings);
		return;
	} else if (type == PP_JSON_STRING && pp_json_str_eq(key, "sourceRoot")) {
		p->has_root = pp_scan_string(s, &p->root);
		return;
	} else if (type == PP_JSON_STRING && pp_json_str_eq(key, "file")) {
		p->has_file = pp_scan_string(s, &p->file);
		return;
	}
	(void)pp_scan_skip(s, NULL);
}

/* The directory of all sources, with a slash behind it. */
static struct pp_slice
root_of(struct pp_source_map *m, const struct parts *p)
{
	struct pp_slice root = p->has_root ? pp_json_str_value(p->root, &m->arena)
	                                   : pp_slice_of("", 0);
	char *copy;

	if (!root.n || !root.p || root.p[root.n - 1] == '/')
		return root;
	copy = pp_arena_copy(&m->arena, root.p, root.n);
	if (copy)
		copy[root.n++] = '/'; /* where its NUL was, which nobody needs */
	return pp_slice_of(copy, root.n);
}

static bool
count_take(struct pp_scan *s, uint32_t *out)
{
	struct pp_json_num num;
	uint64_t v;

	if (pp_scan_peek(s) != PP_JSON_NUMBER)
		return pp_scan_skip(s, NULL) && false;
	if (!pp_scan_number(s, &num) || !pp_json_num_u64(&num, &v) || v > NUMBER_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

static bool
offset_read(struct pp_scan *s, struct base *to)
{
	struct pp_json_str key;
	bool line = false, column = false;

	if (!pp_scan_object(s))
		return false;
	while (pp_scan_key(s, &key)) {
		if (pp_json_str_eq(key, "line"))
			line = count_take(s, &to->line);
		else if (pp_json_str_eq(key, "column"))
			column = count_take(s, &to->column);
		else
			(void)pp_scan_skip(s, NULL);
	}
	return line && column;
}

/* One section: its offset may stand behind its map. */
static pp_status
section_read(struct pp_source_map *m, struct pp_scan *s, struct base base)
{
	struct base at = { .deep = base.deep + 1 };
	struct pp_scan map = *s;
	struct pp_json_str key;
	bool has_map = false, has_offset = false;

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s))
		return PP_E_INVALID;
	while (pp_scan_key(s, &key)) {
		if (pp_json_str_eq(key, "map") && pp_scan_peek(s) == PP_JSON_OBJECT) {
			map = *s;
			has_map = pp_scan_skip(s, NULL);
		} else if (pp_json_str_eq(key, "offset") && pp_scan_peek(s) == PP_JSON_OBJECT) {
			has_offset = offset_read(s, &at);
		} else {
			(void)pp_scan_skip(s, NULL);
		}
	}
	if (!has_map || !has_offset || s->error) {
		m->damaged = true;
		return PP_OK;
	}
	at.column += at.line ? 0 : base.column;
	at.line += base.line;
	if (at.line > NUMBER_MAX || at.column > NUMBER_MAX)
		return PP_E_INVALID;
	return map_read(m, &map, at);
}

static pp_status
sections_read(struct pp_source_map *m, struct pp_scan *s, struct base base)
{
	pp_status status = PP_OK;

	if (base.deep >= SECTIONS_DEEP || !pp_scan_array(s)) {
		m->damaged = true;
		return PP_OK;
	}
	while (status == PP_OK && pp_scan_item(s)) {
		status = section_read(m, s, base);
		if (status == PP_E_INVALID) {
			m->damaged = true;
			status = PP_OK;
			break;
		}
	}
	return status;
}

static pp_status
map_read(struct pp_source_map *m, struct pp_scan *s, struct base base)
{
	struct tables tables = { m->sources.n, m->names.n };
	struct parts p = { 0 };
	struct pp_json_str key;
	struct pp_slice root, mappings;
	pp_status status = PP_OK;

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s))
		return PP_E_INVALID;
	while (pp_scan_key(s, &key))
		part_take(s, key, &p);
	m->damaged |= s->error != PP_SCAN_OK;
	if (p.has_file && base.deep == 0)
		m->file = pp_json_str_value(p.file, &m->arena);
	if (p.has_sections)
		return sections_read(m, &p.sections, base);
	if (!p.has_sources || !p.has_mappings)
		return PP_E_INVALID;
	root = root_of(m, &p);
	mappings = pp_json_str_value(p.mappings, &m->arena);
	if ((root.n && !root.p) || (mappings.n && !mappings.p))
		return PP_E_NOMEM;
	status = texts_read(m, &p.sources, root, true);
	if (status == PP_OK && p.has_names)
		status = texts_read(m, &p.names, pp_slice_of("", 0), false);
	if (status == PP_OK)
		status = mappings_read(m, mappings, &base, &tables);
	return status;
}

/* ---- the whole ---- */

struct numbered {
	struct pp_map_segment segment;
	size_t number;
};

static int
numbered_order(const void *left, const void *right, void *context)
{
	const struct numbered *a = left, *b = right;

	(void)context;
	if (a->segment.at != b->segment.at)
		return a->segment.at < b->segment.at ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Maps may have columns in any order. */
static bool
segments_sort(struct pp_source_map *m)
{
	struct numbered *list;
	size_t i, n = m->segments.n;

	for (i = 1; i < n && m->segments.at[i - 1].at <= m->segments.at[i].at;)
		i++;
	if (i >= n)
		return true;
	list = calloc(n, sizeof *list);
	for (i = 0; list && i < n; i++)
		list[i] = (struct numbered){ m->segments.at[i], i };
	if (list)
		pp_sort(list, n, sizeof *list, numbered_order, NULL);
	for (i = 0; list && i < n; i++)
		m->segments.at[i] = list[i].segment;
	free(list);
	return list != NULL;
}

pp_status
pp_source_map_read(struct pp_source_map *m, struct pp_slice text)
{
	struct pp_scan s;
	struct pp_slice line;
	char *copy;
	pp_status status;

	*m = (struct pp_source_map){ 0 };
	/* Servers may put that before JSON, so that it is no script. */
	if (pp_slice_starts(text, ")]}"))
		(void)pp_slice_line(&text, &line);
	(void)pp_slice_take(&text, "\xef\xbb\xbf");
	pp_scan_init(&s, text, 0, PP_SCAN_TOLERANT);
	status = map_read(m, &s, (struct base){ 0 });
	if (status == PP_OK && m->file.n) {
		copy = pp_arena_copy(&m->arena, m->file.p, m->file.n);
		m->file = pp_slice_of(copy, copy ? m->file.n : 0);
	}
	return status == PP_OK && !segments_sort(m) ? PP_E_NOMEM : status;
}

void
pp_source_map_release(struct pp_source_map *m)
{
	pp_arena_release(&m->arena);
	pp_vec_release(&m->sources);
	pp_vec_release(&m->names);
	pp_vec_release(&m->segments);
}

/* ---- asking ---- */

/* How many segments begin at a place or before it. */
static size_t
segments_until(const struct pp_source_map *m, uint64_t at)
{
	size_t low = 0, high = m->segments.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->segments.at[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
place_of(const struct pp_source_map *m, const struct pp_map_segment *s, struct pp_map_place *out)
{
	if (!s->source || !m->sources.at[s->source - 1].n)
		return false;
	*out = (struct pp_map_place){ m->sources.at[s->source - 1], s->line + 1, s->column + 1,
		                      pp_slice_of("", 0) };
	if (s->name)
		out->name = m->names.at[s->name - 1];
	return true;
}

bool
pp_source_map_find(const struct pp_source_map *m, uint32_t line, uint32_t column,
                   struct pp_map_place *out)
{
	uint64_t at = (uint64_t)(line - 1) << 32 | (column - 1);
	size_t n = line && column ? segments_until(m, at) : 0;

	/* What stands before the first segment of a line is of no source. Of several at one place the first counts. */
	if (!n || m->segments.at[n - 1].at >> 32 != line - 1)
		return false;
	while (n > 1 && m->segments.at[n - 2].at == m->segments.at[n - 1].at)
		n--;
	return place_of(m, &m->segments.at[n - 1], out);
}

bool
pp_source_map_find_line(const struct pp_source_map *m, uint32_t line, struct pp_map_place *out)
{
	uint64_t begin = (uint64_t)(line - 1) << 32;
	size_t i = line ? (begin ? segments_until(m, begin - 1) : 0) : m->segments.n;
	const struct pp_map_segment *first = NULL;

	for (; i < m->segments.n && m->segments.at[i].at >> 32 == line - 1; i++) {
		const struct pp_map_segment *s = &m->segments.at[i];

		if (!s->source)
			continue;
		if (first && (first->source != s->source || first->line != s->line))
			return false;
		first = s;
	}
	if (!first || !place_of(m, first, out))
		return false;
	out->column = 0;
	out->name = pp_slice_of("", 0);
	return true;
}

/* Whether so many columns lie between a name and parameters: "f(", "f=(", "f = function (", "f=async function*(" and kin. */
static bool
is_between(uint64_t columns)
{
	static const uint32_t some = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 3 | 1U << 7 | 1U << 9 |
	                             1U << 10 | 1U << 11 | 1U << 12 | 1U << 15 | 1U << 16 |
	                             1U << 18;

	return columns < 32 && (some >> columns & 1);
}

struct pp_slice
pp_source_map_function(const struct pp_source_map *m, uint32_t line, uint32_t column,
                       struct pp_slice generated)
{
	uint64_t at = (uint64_t)(line - 1) << 32 | (column - 1);
	size_t n = line && column ? segments_until(m, at) : 0, i;

	/* A name stands before its function. What has a name of the source right there may be a parameter. */
	for (i = 0; generated.n && i < NAME_SEGMENTS && n > i; i++) {
		const struct pp_map_segment *s = &m->segments.at[n - 1 - i];
		uint64_t begin = s->at & UINT32_MAX;

		if (s->at >> 32 != line - 1)
			break;
		if (s->name && begin + generated.n <= column - 1 &&
		    is_between(column - 1 - begin - generated.n))
			return m->names.at[s->name - 1];
	}
	return pp_slice_of("", 0);
}

/* ---- what scripts say ---- */

/* "%2F" as "/". */
static void
percent_decode(struct pp_buf *out, struct pp_slice text)
{
	static const char hex[] = "0123456789abcdef";
	const char *high, *low;

	for (; text.n; text = pp_slice_from(text, 1)) {
		high = text.p[0] == '%' && text.n > 2 ? strchr(hex, text.p[1] | 32) : NULL;
		low = high && *high ? strchr(hex, text.p[2] | 32) : NULL;
		if (low && *low && text.p[1] && text.p[2]) {
			pp_buf_addc(out, (char)((high - hex) << 4 | (low - hex)));
			text = pp_slice_from(text, 2);
		} else {
			pp_buf_addc(out, (char)text.p[0]);
		}
	}
}

bool
pp_data_url_take(struct pp_buf *out, struct pp_slice url)
{
	struct pp_slice type;
	size_t before = out->n;
	bool comma;

	if (!pp_slice_take(&url, "data:"))
		return false;
	type = pp_slice_cut(&url, ',', &comma);
	if (!comma)
		return false;
	if (!pp_slice_ends(type, ";base64"))
		percent_decode(out, url);
	else if (!pp_base64_take(out, url))
		out->n = before;
	return out->n > before;
}

struct pp_slice
pp_script_map(struct pp_slice script, struct pp_buf *out)
{
	static const char word[] = "sourceMappingURL=";
	struct pp_slice rest = script, url = { 0 };
	const unsigned char *found;

	while (rest.n && (found = memmem(rest.p, rest.n, word, sizeof word - 1)) != NULL) {
		rest = pp_slice_between(found + sizeof word - 1, rest.p + rest.n);
		for (url = pp_slice_of(rest.p, 0); url.n < rest.n && rest.p[url.n] > ' ';)
			url.n++;
	}
	if (!pp_slice_starts(url, "data:"))
		return url;
	(void)pp_data_url_take(out, url);
	return pp_slice_of("", 0);
}
