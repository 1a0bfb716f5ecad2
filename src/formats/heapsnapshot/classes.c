/*
 * What each object is an instance of: its constructor, or for what has none, what it is.
 */
#include "formats/heapsnapshot/snapshot.h"

struct classes {
	struct snapshot *s;
	struct snapshot_shapes shapes;
	pp_frame *named;        /* by string: 0 = not made yet */
	struct pp_map detached; /* the same of what is detached */
	struct pp_map files;    /* by number of a script: its name */
	pp_frame unknown;
	bool reported; /* that a name is missing */
};

static struct pp_slice
text_of(struct snapshot *s, uint32_t string)
{
	if (s->doc.arena.bytes > 1 << 20)
		pp_arena_release(&s->doc.arena);
	return pp_build_json_text(s->doc.b, pp_snapshot_string(s, string), &s->doc.arena);
}

/* "<div id="a">" is a "<div>". */
static struct pp_slice
attributes_cut(struct pp_slice text)
{
	size_t from = pp_slice_starts(text, "Detached <") ? strlen("Detached <") : 0;
	const unsigned char *space = text.n > from ? memchr(text.p + from, ' ', text.n - from)
	                                           : NULL;

	return space ? pp_slice_between(text.p, space) : text;
}

static pp_str
name_of(struct classes *c, uint32_t string, bool detached)
{
	struct snapshot *s = c->s;
	struct pp_slice text = text_of(s, string), cut = text;
	struct pp_buf name = { 0 };

	if (s->words.at[string] == SNAPSHOT_IS_ELEMENT)
		cut = attributes_cut(text);
	if (!detached && cut.n == text.n && text.n)
		return pp_build_str(s->doc.b, text);
	if (detached)
		pp_buf_adds(&name, "Detached ");
	pp_buf_add(&name, cut.p, cut.n);
	if (cut.n < text.n)
		pp_buf_addc(&name, '>');
	if (!name.n)
		pp_buf_adds(&name, "(no name)");
	return pp_build_buf(s->doc.b, &name);
}

static pp_frame
name_frame(struct classes *c, uint32_t string, bool detached)
{
	return pp_snapshot_frame(c->s,
	                         (struct pp_func_row){ .name = name_of(c, string, detached) });
}

static pp_frame
named(struct classes *c, uint32_t node)
{
	struct snapshot *s = c->s;
	uint32_t string = s->name[node], frame;
	bool detached = (s->state[node] & SNAPSHOT_STATE) == SNAPSHOT_DETACHED;

	if (PP_UNLIKELY(string >= s->strings.n || s->strings.at[string] == UINT64_MAX)) {
		if (!c->reported && s->whole[SNAPSHOT_STRINGS])
			pp_json_find(&s->doc, SNAPSHOT_STRING, s->parts[SNAPSHOT_STRINGS],
			             "an object has string %u of %zu as its name", string,
			             s->strings.n);
		c->reported = true;
		return c->unknown;
	}
	if (detached) {
		frame = pp_map_get(&c->detached, string);
		if (frame != PP_MAP_NONE)
			return frame;
		frame = name_frame(c, string, true);
		if (!pp_map_set(&c->detached, string, frame))
			pp_builder_fail(s->doc.b, PP_E_NOMEM, NULL);
		return frame;
	}
	if (!c->named[string])
		c->named[string] = name_frame(c, string, false);
	return c->named[string];
}

/* What takes no memory of its own is of no class, but for the parts that roots are divided into. */
static pp_frame
class_of(struct classes *c, uint32_t node)
{
	struct snapshot *s = c->s;
	const struct snapshot_type *type = &s->types[s->type[node]];

	if (type->kind == SNAPSHOT_SYNTHETIC)
		return named(c, node);
	if (s->size[node] == 0)
		return 0;
	if (type->class)
		return type->class;
	return s->state[node] & SNAPSHOT_SHAPED ? c->shapes.class.at[s->name[node]]
	                                        : named(c, node);
}

/* ---- where constructors are ---- */

/* Where a reference of that name leads to; SNAPSHOT_NONE when there is none. */
static uint32_t
follow(const struct snapshot *s, uint32_t node, enum snapshot_word word)
{
	uint32_t e;

	if (node != SNAPSHOT_NONE)
		for (e = s->first[node]; e < s->first[node + 1]; e++)
			if (s->link[e] == SNAPSHOT_INTERNAL &&
			    pp_snapshot_word(s, s->label[e]) == word)
				return s->to[e];
	return SNAPSHOT_NONE;
}

/* The next location, with the object it is of or SNAPSHOT_NONE; false at the end. */
static bool
location_next(struct snapshot *s, struct pp_scan *scan, uint64_t *row, uint32_t *node)
{
	uint64_t index;

	if (!pp_builder_ok(s->doc.b) || !pp_snapshot_row(s, scan, s->fields.location_n, row))
		return false;
	index = row[s->fields.object] / s->fields.n;
	*node = index < s->nodes && index * s->fields.n == row[s->fields.object] ? (uint32_t)index
	                                                                         : SNAPSHOT_NONE;
	return true;
}

/* The script that a location is in: told, or that of the closure it is of. While that is debugged there is something between. */
static uint32_t
script_of(const struct snapshot *s, uint32_t closure, const uint64_t *row)
{
	uint64_t told = row[s->fields.script_object] / s->fields.n;
	uint32_t script, further;

	if (s->fields.script_object < s->fields.location_n)
		return told && told < s->nodes ? (uint32_t)told : SNAPSHOT_NONE;
	if (pp_snapshot_kind(s, closure) != SNAPSHOT_CLOSURE)
		return SNAPSHOT_NONE;
	script = follow(s, follow(s, closure, SNAPSHOT_IS_SHARED), SNAPSHOT_IS_SCRIPT);
	further = follow(s, script, SNAPSHOT_IS_SCRIPT);
	return further != SNAPSHOT_NONE ? further : script;
}

/* What a script is called, without what newer versions put before it. */
static struct pp_slice
script_name(struct pp_slice text)
{
	static const char before[] = "system / Script / ";
	size_t n = pp_slice_starts(text, before) ? strlen(before) : 0;

	return pp_slice_eq_z(text, "system / Script") ? pp_slice_of("", 0)
	                                              : pp_slice_of(text.p + n, text.n - n);
}

/* Locations have a script's number; this is its name. */
static void
files_find(struct classes *c)
{
	struct snapshot *s = c->s;
	struct pp_scan scan = pp_snapshot_scan(s, SNAPSHOT_LOCATIONS);
	uint64_t row[SNAPSHOT_FIELDS_MOST + 1] = { 0 };
	const unsigned char *at = scan.cur;
	uint32_t node, script;

	for (; location_next(s, &scan, row, &node); at = scan.cur) {
		uint64_t number = row[s->fields.script];

		if (node == SNAPSHOT_NONE)
			pp_json_find(&s->doc, SNAPSHOT_SHAPE, at, "a location is of no object");
		if (node == SNAPSHOT_NONE || pp_map_get(&c->files, number) != PP_MAP_NONE)
			continue;
		script = script_of(s, node, row);
		if (script != SNAPSHOT_NONE && s->name[script] < s->strings.n &&
		    !pp_map_set(&c->files, number,
		                pp_build_str(s->doc.b, script_name(text_of(s, s->name[script])))))
			pp_builder_fail(s->doc.b, PP_E_NOMEM, NULL);
	}
	pp_json_doc_scanned(&s->doc, &scan);
}

static uint32_t
place_of(uint64_t from_0)
{
	return from_0 < UINT32_MAX - 1 ? (uint32_t)from_0 + 1 : 0;
}

/* Constructors of one name are told apart by where they are. */
static void
locations_use(struct classes *c)
{
	struct snapshot *s = c->s;
	struct pp_builder *b = s->doc.b;
	struct pp_scan scan = pp_snapshot_scan(s, SNAPSHOT_LOCATIONS);
	uint64_t row[SNAPSHOT_FIELDS_MOST + 1] = { 0 };
	uint32_t node, file, string = SNAPSHOT_NONE;
	pp_str name = 0;

	while (location_next(s, &scan, row, &node)) {
		uint64_t script = row[s->fields.script];

		if (node == SNAPSHOT_NONE || pp_snapshot_kind(s, node) != SNAPSHOT_OBJECT ||
		    !s->size[node] || s->state[node] & (SNAPSHOT_SHAPED | SNAPSHOT_PLACED) ||
		    pp_snapshot_string(s, s->name[node]).raw.p == NULL)
			continue;
		if (s->name[node] != string) {
			string = s->name[node];
			name = name_of(c, string, false);
		}
		file = pp_map_get(&c->files, script);
		if (file == PP_MAP_NONE || !file) {
			file = pp_build_strf(b, "(script %llu)", (unsigned long long)script);
			if (!pp_map_set(&c->files, script, file))
				pp_builder_fail(b, PP_E_NOMEM, NULL);
		}
		s->state[node] |= SNAPSHOT_PLACED;
		s->name[node] = pp_snapshot_frame(
		    s, (struct pp_func_row){ .name = name,
		                             .file = file,
		                             .line = place_of(row[s->fields.line]),
		                             .column = place_of(row[s->fields.column]) });
	}
}

void
pp_snapshot_classes(struct snapshot *s)
{
	struct pp_builder *b = s->doc.b;
	struct classes c = { .s = s,
		             .detached.seed = s->doc.reader->seed,
		             .files.seed = s->doc.reader->seed };
	uint32_t i;

	c.unknown = pp_snapshot_frame(s,
	                              (struct pp_func_row){ .name = pp_build_strz(b, "(unknown)"),
	                                                    .flags = PP_FUNC_UNKNOWN });
	c.named = calloc(s->strings.n + 1, sizeof *c.named);
	if (s->parts[SNAPSHOT_LOCATIONS] && s->fields.location_n && c.named)
		files_find(&c);
	if (!c.named || !pp_snapshot_shapes(s, &c.shapes))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	if (s->parts[SNAPSHOT_LOCATIONS] && s->fields.location_n && pp_builder_ok(b))
		locations_use(&c);
	for (i = 0; i < s->nodes && pp_builder_ok(b); i++)
		if (!(s->state[i] & SNAPSHOT_PLACED))
			s->name[i] = class_of(&c, i);
	free(c.named);
	pp_map_release(&c.detached);
	pp_map_release(&c.files);
	pp_vec_release(&c.shapes.class);
}
