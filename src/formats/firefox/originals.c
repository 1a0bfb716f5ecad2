/*
 * Where functions and frames are in the sources that scripts were made of. Who had a profile shown with source maps saved what these
 * said (since version 64): rows of sourceLocationTable {source, line, column}, which originalLocation names beside the place in
 * the script, or null. For each script that becomes a source map, so that it is used as any other is.
 */
#include "formats/firefox/firefox.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/sort.h"

/* More than that is not made of a file: each line of a script names its sources again. */
#define MAPS_MOST ((size_t)1 << 28)

/* A place of a script, and the row of what it is in the source; FF_NONE = not known. */
struct place {
	uint32_t script, line, column, to;
};

struct made {
	const struct ff_originals *of;
	ff_column func_to, frame_to;    /* rows of: */
	ff_column source, line, column; /* of sourceLocationTable */
	struct pp_buf map, mappings, sources;
	PP_VEC(uint32_t) number; /* by source: what it is in the list, FF_NONE = it is not there */
	PP_VEC(uint32_t) listed;
	size_t bytes;      /* of the maps before */
	int64_t before[4]; /* column of the script; source, line and column */
};

static int
place_order(const void *left, const void *right, void *ctx)
{
	const struct place *a = left, *b = right;

	if (a->script != b->script)
		return a->script < b->script ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	/* Those that are known first. */
	return a->to < b->to ? -1 : a->to > b->to;
}

static void
difference_put(struct made *m, unsigned which, int64_t value)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	int64_t step = value - m->before[which];
	uint64_t bits = step < 0 ? (uint64_t)-step << 1 | 1 : (uint64_t)step << 1;

	m->before[which] = value;
	do {
		pp_buf_addc(&m->mappings, letters[(bits & 31) | (bits > 31 ? 32 : 0)]);
		bits >>= 5;
	} while (bits);
}

/* The number of a source in the list of a map. */
static uint32_t
source_number(struct ff_read *r, struct made *m, uint32_t source)
{
	struct pp_slice raw;

	if (m->number.at[source] == FF_NONE) {
		m->number.at[source] = (uint32_t)m->listed.n;
		if (!pp_vec_push(&m->listed, source))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		if (!r->string_raw(r, m->of->source_file->at[source], &raw))
			raw = pp_slice_of("", 0);
		pp_buf_adds(&m->sources, m->listed.n > 1 ? ",\"" : "\"");
		pp_buf_add(&m->sources, raw.p, raw.n);
		pp_buf_addc(&m->sources, '"');
	}
	return m->number.at[source];
}

static void
place_put(struct ff_read *r, struct made *m, const struct place *p)
{
	uint32_t source = ff_cell_at(&m->source, p->to), line = ff_place_at(&m->line, p->to),
	         column = ff_place_at(&m->column, p->to);

	difference_put(m, 0, p->column - 1);
	if (source >= m->of->source_file->n || !line)
		return;
	difference_put(m, 1, source_number(r, m, source));
	difference_put(m, 2, line - 1);
	difference_put(m, 3, column ? column - 1 : 0);
}

/* What is known of a line of a script, as a section of its map: however far down it is, it takes no room for what is above. */
static void
line_put(struct ff_read *r, struct made *m, const struct place *places, size_t n)
{
	char offset[64];
	size_t i;

	m->mappings.n = m->sources.n = 0;
	for (i = 0; i < m->listed.n; i++)
		m->number.at[m->listed.at[i]] = FF_NONE;
	m->listed.n = 0;
	memset(m->before, 0, sizeof m->before);
	for (i = 0; i < n && pp_builder_ok(r->b); i++) {
		if (i && places[i].column == places[i - 1].column)
			continue;
		if (i)
			pp_buf_addc(&m->mappings, ',');
		place_put(r, m, &places[i]);
	}
	if (!m->listed.n || m->bytes + m->map.n > MAPS_MOST)
		return;
	snprintf(offset, sizeof offset, "%s{\"offset\":{\"line\":%" PRIu32 ",\"column\":0},",
	         m->map.n ? "," : "{\"version\":3,\"sections\":[", places[0].line - 1);
	pp_buf_adds(&m->map, offset);
	pp_buf_adds(&m->map, "\"map\":{\"version\":3,\"sources\":[");
	pp_buf_add(&m->map, m->sources.p, m->sources.n);
	pp_buf_adds(&m->map, "],\"names\":[],\"mappings\":\"");
	pp_buf_add(&m->map, m->mappings.p, m->mappings.n);
	pp_buf_adds(&m->map, "\"}}");
}

/* The maps of all scripts, whose places are in order. */
static void
scripts_build(struct ff_read *r, struct made *m, const struct place *places, size_t n)
{
	size_t i, end;

	for (i = 0; i < n && pp_builder_ok(r->b); i = end) {
		for (end = i + 1; end < n && places[end].script == places[i].script &&
		                  places[end].line == places[i].line;)
			end++;
		line_put(r, m, places + i, end - i);
		if (end < n && places[end].script == places[i].script)
			continue;
		pp_buf_adds(&m->map, "]}");
		if (m->map.failed || m->sources.failed || m->mappings.failed)
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		else if (m->map.n > 2)
			pp_build_source_map(
			    r->b, m->of->string(r, m->of->source_file->at[places[i].script]),
			    pp_slice_of(m->map.p, m->map.n));
		m->bytes += m->map.n;
		m->map.n = 0;
	}
}

/* All places of scripts that are known. */
static void
places_build(struct ff_read *r, struct made *m)
{
	const struct ff_originals *o = m->of;
	PP_VEC(struct place) places = { 0 };
	bool fine = true;
	size_t i;

	for (i = 0; i < o->frame_func->n + o->func_script->n && fine; i++) {
		bool frame = i >= o->func_script->n;
		size_t row = frame ? i - o->func_script->n : i;
		uint32_t func = frame ? o->frame_func->at[row] : (uint32_t)row;
		struct place p = { ff_cell_at(o->func_script, func),
			           ff_place_at(frame ? o->frame_line : o->func_line, row),
			           ff_place_at(frame ? o->frame_column : o->func_column, row),
			           ff_cell_at(frame ? &m->frame_to : &m->func_to, row) };

		if (p.script < o->source_file->n && p.line && p.column)
			fine = pp_vec_push(&places, p);
	}
	for (i = 0; i < o->source_file->n && fine; i++)
		fine = pp_vec_push(&m->number, FF_NONE);
	if (!fine) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	} else if (places.n) {
		pp_sort(places.at, places.n, sizeof *places.at, place_order, NULL);
		scripts_build(r, m, places.at, places.n);
	}
	pp_vec_release(&places);
}

/* What scripts say of their maps. */
static void
addresses_load(struct ff_read *r, const struct ff_originals *o)
{
	static const struct pp_slice key[] = { PP_KEY("sourceMapURL") };
	const unsigned char *at;
	ff_column maps = { 0 };
	size_t i;

	(void)ff_outline(r, o->sources, key, 1, &at);
	if (ff_column_read(r, at, &maps))
		for (i = 0; i < maps.n && i < o->source_file->n && pp_builder_ok(r->b); i++)
			pp_build_source_map(r->b, o->string(r, o->source_file->at[i]),
			                    pp_text_of(r->b->profile, o->string(r, maps.at[i])));
	pp_vec_release(&maps);
}

void
ff_originals_load(struct ff_read *r, const struct ff_originals *o)
{
	static const struct pp_slice to[] = { PP_KEY("originalLocation") },
	                             keys[] = { PP_KEY("source"), PP_KEY("line"),
		                                PP_KEY("column") };
	struct made m = { .of = o };
	const unsigned char *func_to, *frame_to, *v[PP_COUNT_OF(keys)];

	(void)ff_outline(r, o->funcs, to, 1, &func_to);
	(void)ff_outline(r, o->frames, to, 1, &frame_to);
	if (ff_outline(r, o->locations, keys, PP_COUNT_OF(keys), v) &&
	    ff_column_read(r, func_to, &m.func_to) && ff_column_read(r, frame_to, &m.frame_to) &&
	    ff_column_read(r, v[0], &m.source) && ff_column_read(r, v[1], &m.line) &&
	    ff_column_read(r, v[2], &m.column) && m.source.n)
		places_build(r, &m);
	addresses_load(r, o);
	pp_vec_release(&m.func_to);
	pp_vec_release(&m.frame_to);
	pp_vec_release(&m.source);
	pp_vec_release(&m.line);
	pp_vec_release(&m.column);
	pp_vec_release(&m.number);
	pp_vec_release(&m.listed);
	pp_buf_release(&m.map);
	pp_buf_release(&m.mappings);
	pp_buf_release(&m.sources);
}
