/*
 * The dictionary of packed profiles: its chunks, and profiles that are added to it.
 */
#include "store/dict.h"

#include "base/varint.h"
#include "model/inclusive.h"
#include "model/schema.h"

const char pp_dict_letters[PP_DICT_PARTS + 1] = "smfrnt";

bool
pp_dict_init(struct pp_dict *d, bool grows, uint64_t seed)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	size_t i;

	*d = (struct pp_dict){ .grows = grows };
	limits.max_nodes = PP_DICT_NODES;
	if (!pp_builder_init(&d->b, &limits, NULL, seed, &pp_pages_plain))
		return false;
	for (i = 0; i < PP_DICT_PARTS; i++)
		d->saved[i] = 1;
	return pp_vec_push(&d->stacks, 0);
}

void
pp_dict_release(struct pp_dict *d)
{
	pp_builder_release(&d->b);
	pp_vec_release(&d->stacks);
	pp_vec_release(&d->stack_of);
	pp_vec_release(&d->plain_funcs);
	pp_vec_release(&d->plain_frames);
}

size_t
pp_dict_rows(const struct pp_dict *d, enum pp_dict_part part)
{
	const struct pp_profile *p = d->b.profile;

	switch (part) {
	case PP_DICT_STRINGS:
		return p->strs.strs.n;
	case PP_DICT_MODULES:
		return p->modules.n;
	case PP_DICT_FUNCS:
		return p->funcs.n;
	case PP_DICT_FRAMES:
		return p->frames.n;
	case PP_DICT_TREE:
		return p->tree.n;
	case PP_DICT_STACKS:
	case PP_DICT_PARTS:
		break;
	}
	return d->stacks.n;
}

/* ---- chunks that are read ---- */

struct scan {
	const unsigned char *p, *end;
	bool failed;
};

/* The next number, at most `most`; 0 and `failed` when there is none. */
static inline uint64_t
scan_number(struct scan *s, uint64_t most)
{
	uint64_t value = 0;
	unsigned shift;

	for (shift = 0; s->p < s->end && shift < 64; shift += 7) {
		unsigned char byte = *s->p++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			s->failed |= value > most;
			return value > most ? 0 : value;
		}
	}
	s->failed = true;
	return 0;
}

/* Columns of tables whose rows are plain numbers, in the order of the chunk. */
static const char *const module_columns[] = { "name", "build_id", "kind", NULL };
static const char *const func_columns[] = { "name",   "file",      "module", "line",
	                                    "column", "last_line", "flags",  NULL };
static const char *const frame_columns[] = { "func",    "line",   "column",       "site_line",
	                                     "address", "offset", "inline_depth", "flags",
	                                     "file",    NULL };

static const struct {
	enum pp_table_id table;
	const char *const *columns;
} tables[PP_DICT_PARTS] = {
	[PP_DICT_MODULES] = { PP_TABLE_MODULES, module_columns },
	[PP_DICT_FUNCS] = { PP_TABLE_FUNCS, func_columns },
	[PP_DICT_FRAMES] = { PP_TABLE_FRAMES, frame_columns },
};

static void
strings_load(struct pp_dict *d, struct scan *s, uint64_t n)
{
	for (; n && !s->failed; n--) {
		size_t length = scan_number(s, SIZE_MAX);
		size_t id = d->b.profile->strs.strs.n;

		if (s->failed || length > (size_t)(s->end - s->p)) {
			s->failed = true;
			return;
		}
		/* One that is there already would shift the ids of all others. */
		s->failed |= pp_build_str(&d->b, pp_slice_of(s->p, length)) != id;
		s->p += length;
	}
}

/* Adds a row of numbers that fit; false when it is there already or does not fit. */
static bool
row_add(struct pp_dict *d, enum pp_dict_part part, const int64_t *numbers)
{
	struct pp_profile *p = d->b.profile;
	size_t id = pp_dict_rows(d, part);
	union {
		struct pp_module_row module;
		struct pp_func_row func;
		struct pp_frame_row frame;
	} row;

	memset(&row, 0, sizeof row);
	if (!pp_table_fits(p, tables[part].table, id, numbers))
		return false;
	pp_table_row(tables[part].table, numbers, &row);
	return id == (part == PP_DICT_MODULES ? pp_build_module(&d->b, &row.module)
	              : part == PP_DICT_FUNCS ? pp_build_func(&d->b, &row.func)
	                                      : pp_build_frame(&d->b, &row.frame));
}

static void
rows_load(struct pp_dict *d, enum pp_dict_part part, struct scan *s, uint64_t n)
{
	const struct pp_table *table = &pp_schema[tables[part].table];
	const char *const *name;

	for (; n && !s->failed; n--) {
		int64_t numbers[PP_COLUMNS_MAX] = { 0 };

		for (name = tables[part].columns; *name; name++) {
			const struct pp_column *column = pp_table_column(tables[part].table, *name);

			numbers[column - table->columns] = (int64_t)scan_number(s, UINT64_MAX);
		}
		/* Functions of a dictionary differ in identity, so each is its own. */
		if (part == PP_DICT_FUNCS)
			numbers[pp_table_column(PP_TABLE_FUNCS, "same") - table->columns] =
			    (int64_t)d->b.profile->funcs.n;
		s->failed = s->failed || !row_add(d, part, numbers);
	}
}

static void
nodes_load(struct pp_dict *d, struct scan *s, uint64_t n)
{
	struct pp_tree *t = &d->b.profile->tree;
	uint64_t frames = d->b.profile->frames.n, *key;
	uint32_t node = t->n, end;

	if (n > PP_DICT_NODES - t->n || n > (size_t)(s->end - s->p)) {
		s->failed = true;
		return;
	}
	if (!pp_tree_reserve(t, (size_t)n)) {
		pp_builder_fail(&d->b, PP_E_NOMEM, NULL);
		return;
	}
	key = t->key;
	for (end = node + (uint32_t)n; node < end && !s->failed; node++) {
		uint64_t up = scan_number(s, UINT32_MAX), frame = scan_number(s, frames - 1);

		if (up >> 1 == 0 || up >> 1 > node || !frame) {
			s->failed = true;
			return;
		}
		key[node] = (node - (up >> 1)) << 32 | frame;
		t->recursive[node >> 6] |= (up & 1) << (node & 63);
	}
	t->n = node;
}

static void
stacks_load(struct pp_dict *d, struct scan *s, uint64_t n)
{
	uint32_t nodes = d->b.profile->tree.n;
	int64_t node = d->stacks.at[d->stacks.n - 1];

	if (n > (size_t)(s->end - s->p)) {
		s->failed = true;
		return;
	}
	if (!pp_vec_reserve(&d->stacks, d->stacks.n + n)) {
		pp_builder_fail(&d->b, PP_E_NOMEM, NULL);
		return;
	}
	for (; n && !s->failed; n--) {
		node += pp_unzigzag(scan_number(s, UINT32_MAX));
		s->failed |= node < 0 || node >= nodes;
		if (!s->failed)
			d->stacks.at[d->stacks.n++] = (pp_node)node;
	}
}

pp_status
pp_dict_load(struct pp_dict *d, enum pp_dict_part part, struct pp_slice chunk, uint64_t n)
{
	struct scan s = { chunk.p, chunk.p + chunk.n, false };

	if (part == PP_DICT_STRINGS)
		strings_load(d, &s, n);
	else if (part == PP_DICT_TREE)
		nodes_load(d, &s, n);
	else if (part == PP_DICT_STACKS)
		stacks_load(d, &s, n);
	else
		rows_load(d, part, &s, n);
	if (!pp_builder_ok(&d->b))
		return d->b.status == PP_E_NOMEM ? PP_E_NOMEM : PP_E_INVALID;
	return s.failed || s.p != s.end ? PP_E_INVALID : PP_OK;
}

pp_status
pp_dict_ready(struct pp_dict *d)
{
	size_t i;

	for (i = 0; i < PP_DICT_PARTS; i++)
		d->saved[i] = pp_dict_rows(d, (enum pp_dict_part)i);
	if (!d->grows)
		return PP_OK;
	if (!pp_tree_index(&d->b.profile->tree) ||
	    !pp_vec_reserve(&d->stack_of, pp_dict_tree(d)->n))
		return PP_E_NOMEM;
	memset(d->stack_of.at, 0, pp_dict_tree(d)->n * sizeof *d->stack_of.at);
	d->stack_of.n = pp_dict_tree(d)->n;
	for (i = 1; i < d->stacks.n; i++) {
		/* Two stacks that end at one node would be told apart by nothing. */
		if (d->stack_of.at[d->stacks.at[i]])
			return PP_E_INVALID;
		d->stack_of.at[d->stacks.at[i]] = (uint32_t)i;
	}
	return PP_OK;
}

/* ---- chunks that are written ---- */

static void
number_add(struct pp_buf *out, uint64_t value)
{
	char *room = pp_buf_room(out, PP_VARINT_MAX);

	if (room)
		out->n += (size_t)((char *)pp_varint_put((unsigned char *)room, value) - room);
}

static void
row_chunk(const struct pp_dict *d, enum pp_dict_part part, size_t row, struct pp_buf *out)
{
	const char *const *name;

	for (name = tables[part].columns; *name; name++)
		number_add(out,
		           (uint64_t)pp_table_cell(d->b.profile, tables[part].table, row,
		                                   pp_table_column(tables[part].table, *name)));
}

bool
pp_dict_chunk(struct pp_dict *d, enum pp_dict_part part, struct pp_buf *out, uint64_t *n)
{
	const struct pp_profile *p = d->b.profile;
	size_t row, end = pp_dict_rows(d, part);

	*n = end - d->saved[part];
	for (row = d->saved[part]; row < end; row++) {
		if (part == PP_DICT_STRINGS) {
			number_add(out, p->strs.strs.at[row].n);
			pp_buf_add(out, p->strs.strs.at[row].p, p->strs.strs.at[row].n);
		} else if (part == PP_DICT_TREE) {
			pp_node node = (pp_node)row;

			number_add(out, (uint64_t)(node - pp_tree_parent(&p->tree, node)) << 1 |
			                    pp_dict_is_recursive(d, node));
			number_add(out, pp_tree_frame(&p->tree, node));
		} else if (part == PP_DICT_STACKS) {
			number_add(out, pp_zigzag((int64_t)d->stacks.at[row] -
			                          (int64_t)d->stacks.at[row - 1]));
		} else {
			row_chunk(d, part, row, out);
		}
	}
	d->saved[part] = end;
	return !out->failed;
}

/* ---- profiles ---- */

bool
pp_dict_has_room(const struct pp_dict *d, const struct pp_profile *from)
{
	return (uint64_t)pp_dict_tree(d)->n + from->tree.n <= PP_DICT_NODES;
}

struct names {
	struct pp_dict *d;
	const struct pp_profile *from;
	pp_str *strs; /* of those that have a name; else 0 */
	pp_module *modules;
	pp_func *funcs;
	pp_frame *frames;
	bool differs; /* a function is known as something else */
};

/* Strings that are looked up side by side, each fetched while the others are looked at. */
#define SIDE_BY_SIDE 16

/* The strings of a profile that modules, functions and frames name. */
static void
strings_mark(const struct names *x, unsigned char *named)
{
	const struct pp_profile *from = x->from;
	size_t i;

	for (i = 1; i < from->modules.n; i++)
		named[from->modules.at[i].name] = named[from->modules.at[i].build_id] = 1;
	for (i = 1; i < from->funcs.n; i++)
		named[from->funcs.at[i].name] = named[from->funcs.at[i].file] = 1;
	for (i = 1; i < from->frames.n; i++)
		named[from->frames.at[i].file] = 1;
	named[0] = 0;
}

static void
strings_find(struct names *x, const pp_str *ids, size_t n)
{
	const struct pp_strtab *known = &x->d->b.profile->strs;
	uint32_t tags[SIDE_BY_SIDE];
	size_t i;

	for (i = 0; i < n; i++)
		tags[i] = pp_strtab_tag(known, x->from->strs.strs.at[ids[i]]);
	for (i = 0; i < n; i++)
		x->strs[ids[i]] = pp_strtab_tagged(known, tags[i], x->from->strs.strs.at[ids[i]]);
	for (i = 0; i < n; i++)
		if (!x->strs[ids[i]])
			x->strs[ids[i]] = pp_build_str(&x->d->b, x->from->strs.strs.at[ids[i]]);
}

/* False when out of memory. */
static bool
strings_add(struct names *x)
{
	unsigned char *named = calloc(x->from->strs.strs.n + 1, 1);
	pp_str ids[SIDE_BY_SIDE], id;
	size_t n = 0;

	if (!named)
		return false;
	strings_mark(x, named);
	for (id = 1; id < x->from->strs.strs.n; id++) {
		if (!named[id])
			continue;
		ids[n++] = id;
		if (n == SIDE_BY_SIDE) {
			strings_find(x, ids, n);
			n = 0;
		}
	}
	strings_find(x, ids, n);
	free(named);
	return pp_builder_ok(&x->d->b);
}

/* Where to note what is known of number `at`; NULL when out of memory. */
static uint32_t *
note_at(struct pp_dict_notes *v, size_t at)
{
	if (at >= v->n) {
		if (!pp_vec_reserve(v, at + 1))
			return NULL;
		memset(v->at + v->n, 0, (v->cap - v->n) * sizeof *v->at);
		v->n = v->cap;
	}
	return &v->at[at];
}

static pp_func
func_add(struct names *x, struct pp_func_row row)
{
	struct pp_builder *b = &x->d->b;
	bool plain = !row.file && !row.module && !row.line && !row.column;
	uint32_t *note = plain ? note_at(&x->d->plain_funcs, row.name) : NULL;
	pp_func func = note ? *note : 0;

	if (!func)
		func = pp_build_func(b, &row);
	if (note)
		*note = func;
	/* Of one that was there before, what is no part of its identity stays as it was. */
	x->differs |= b->profile->funcs.at[func].flags != row.flags ||
	              b->profile->funcs.at[func].last_line != row.last_line;
	return func;
}

static pp_frame
frame_add(struct names *x, struct pp_frame_row row)
{
	bool plain = !row.line && !row.column && !row.site_line && !row.address && !row.offset &&
	             !row.inline_depth && !row.flags && !row.file;
	uint32_t *note = plain ? note_at(&x->d->plain_frames, row.func) : NULL;
	pp_frame frame = note ? *note : 0;

	if (!frame)
		frame = pp_build_frame(&x->d->b, &row);
	if (note)
		*note = frame;
	return frame;
}

/* False when out of memory. */
static bool
names_add(struct names *x)
{
	const struct pp_profile *from = x->from;
	size_t i;

	if (!strings_add(x))
		return false;
	for (i = 1; i < from->modules.n; i++) {
		struct pp_module_row row = from->modules.at[i];

		row.name = x->strs[row.name];
		row.build_id = x->strs[row.build_id];
		x->modules[i] = pp_build_module(&x->d->b, &row);
	}
	for (i = 1; i < from->funcs.n; i++) {
		struct pp_func_row row = from->funcs.at[i];

		row.name = x->strs[row.name];
		row.file = x->strs[row.file];
		row.module = x->modules[row.module];
		x->funcs[i] = func_add(x, row);
	}
	for (i = 1; i < from->frames.n; i++) {
		struct pp_frame_row row = from->frames.at[i];

		row.func = x->funcs[row.func];
		row.file = x->strs[row.file];
		x->frames[i] = frame_add(x, row);
	}
	return pp_builder_ok(&x->d->b);
}

/* Which of the nodes that came new show a function that a node above shows, too. */
static bool
recursion_note(struct names *x, uint32_t known, const pp_node *node_map)
{
	struct pp_tree *t = &x->d->b.profile->tree;
	pp_func *func_of_frame = pp_frame_funcs(x->from);
	uint64_t *outermost = func_of_frame ? pp_outermost_compute(x->from, func_of_frame) : NULL;
	pp_node node;

	for (node = 1; outermost && node < x->from->tree.n; node++) {
		pp_node at = node_map[node];

		if (at < known)
			continue;
		t->recursive[at >> 6] &= ~((uint64_t)1 << (at & 63));
		t->recursive[at >> 6] |= (uint64_t) !(outermost[node >> 6] >> (node & 63) & 1)
		                         << (at & 63);
	}
	free(func_of_frame);
	free(outermost);
	return outermost != NULL;
}

pp_status
pp_dict_add(struct pp_dict *d, const struct pp_profile *from, pp_node *node_map)
{
	struct names x = { .d = d, .from = from };
	uint32_t known = d->b.profile->tree.n;
	bool fine;

	x.strs = calloc(from->strs.strs.n + 1, sizeof *x.strs);
	x.modules = calloc(from->modules.n + 1, sizeof *x.modules);
	x.funcs = calloc(from->funcs.n + 1, sizeof *x.funcs);
	x.frames = calloc(from->frames.n + 1, sizeof *x.frames);
	fine = x.strs && x.modules && x.funcs && x.frames;
	fine = fine && names_add(&x) && !x.differs &&
	       pp_tree_merge(&d->b.profile->tree, &from->tree, x.frames, from->frames.n,
	                     node_map) &&
	       recursion_note(&x, known, node_map) &&
	       pp_vec_reserve(&d->stack_of, (size_t)d->b.profile->tree.n);
	if (fine) {
		memset(d->stack_of.at + d->stack_of.n, 0,
		       (d->b.profile->tree.n - d->stack_of.n) * sizeof *d->stack_of.at);
		d->stack_of.n = d->b.profile->tree.n;
	}
	free(x.strs);
	free(x.modules);
	free(x.funcs);
	free(x.frames);
	if (!pp_builder_ok(&d->b))
		return d->b.status;
	return fine ? PP_OK : x.differs ? PP_E_UNSUPPORTED : PP_E_NOMEM;
}

uint32_t
pp_dict_stack(struct pp_dict *d, pp_node node)
{
	if (!d->stack_of.at[node]) {
		if (!pp_vec_push(&d->stacks, node))
			return 0;
		d->stack_of.at[node] = (uint32_t)(d->stacks.n - 1);
	}
	return d->stack_of.at[node];
}
