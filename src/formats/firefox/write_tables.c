/*
 * The tables of what is written for the Firefox Profiler: strings, binaries, functions, frames and stacks. Modules are resources,
 * and each string is also a source of that name, so that one number does for both.
 */
#include "base/stops.h"
#include "base/utf8.h"
#include "formats/firefox/write.h"

#include <stdlib.h>

/* ---- numbers ---------------------------------------------------------------------------- */

static uint32_t
row_of(struct ff_write *x, struct pp_strtab *t, const void *row, size_t size)
{
	pp_str id = 0;
	bool is_new;

	x->failed |= !pp_strtab_intern(t, row, size, &id, &is_new);
	return id;
}

/* A text as JSON can hold it. */
static uint32_t
string_of(struct ff_write *x, pp_str s)
{
	struct pp_slice text = pp_text_of(x->p, s);

	if (!s)
		return 0;
	if (!pp_utf8_valid(text)) {
		x->w->loss.names++;
		x->text.n = 0;
		pp_utf8_scrub(&x->text, text);
		x->failed |= x->text.failed;
		text = pp_slice_of(x->text.p ? x->text.p : "", x->text.n);
	}
	return row_of(x, &x->strings, text.n ? (const void *)text.p : "", text.n);
}

static uint32_t
module_of(struct ff_write *x, pp_module module)
{
	struct ff_module_out row = { string_of(x, x->p->modules.at[module].name),
		                     string_of(x, x->p->modules.at[module].build_id) };

	return module ? row_of(x, &x->modules, &row, sizeof row) : 0;
}

static uint32_t
func_of(struct ff_write *x, pp_func func)
{
	const struct pp_func_row *f = &x->p->funcs.at[func];
	struct ff_func_out row = { .name = string_of(x, f->name),
		                   .file = string_of(x, f->file),
		                   .line = f->line,
		                   .column = f->column,
		                   .module = module_of(x, f->module) };

	return row_of(x, &x->funcs, &row, sizeof row);
}

static uint32_t
frame_of(struct ff_write *x, pp_frame frame)
{
	const struct pp_frame_row *f = &x->p->frames.at[frame];
	struct ff_frame_out row = { .address = f->address,
		                    .func = func_of(x, f->func),
		                    .line = f->line,
		                    .column = f->column,
		                    .depth = f->inline_depth               ? f->inline_depth
		                             : f->flags & PP_FRAME_INLINED ? 1
		                                                           : 0 };

	return row_of(x, &x->frames, &row, sizeof row);
}

static uint32_t
stack_add(struct ff_write *x, uint32_t parent, uint32_t frame)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	uint32_t row = pp_map_get(&x->stacks, key);

	if (row != PP_MAP_NONE)
		return row;
	row = (uint32_t)x->stack_rows.n + 1;
	x->failed |= !pp_vec_push(&x->stack_rows, key) || !pp_map_set(&x->stacks, key, row);
	return row;
}

uint32_t
ff_stack_number(struct ff_write *x, pp_node node)
{
	const struct pp_tree *t = &x->p->tree;
	pp_node at;

	x->path.n = 0;
	for (at = node; at && !x->stack_of[at] && !x->failed; at = pp_tree_parent(t, at))
		x->failed |= !pp_vec_push(&x->path, at);
	while (x->path.n && !x->failed) {
		at = x->path.at[--x->path.n];
		x->failed |= pp_account_stops_at(at);
		x->stack_of[at] = stack_add(x, x->stack_of[pp_tree_parent(t, at)],
		                            frame_of(x, pp_tree_frame(t, at)));
	}
	return x->failed ? 0 : x->stack_of[node];
}

bool
ff_tables_init(struct ff_write *x)
{
	uint64_t seed = x->p->strs.seed;

	x->stacks.seed = x->entry_of.seed = seed;
	x->stack_of = calloc(x->p->tree.n + 1, sizeof *x->stack_of);
	return x->stack_of && pp_strtab_init(&x->strings, seed) &&
	       pp_strtab_init(&x->modules, seed) && pp_strtab_init(&x->funcs, seed) &&
	       pp_strtab_init(&x->frames, seed);
}

void
ff_tables_release(struct ff_write *x)
{
	pp_strtab_release(&x->strings);
	pp_strtab_release(&x->modules);
	pp_strtab_release(&x->funcs);
	pp_strtab_release(&x->frames);
	pp_map_release(&x->stacks);
	pp_map_release(&x->entry_of);
	pp_vec_release(&x->stack_rows);
	pp_vec_release(&x->path);
	pp_buf_release(&x->text);
	free(x->stack_of);
}

/* ---- columns ---------------------------------------------------------------------------- */

void
ff_null_or(struct pp_json *j, bool known, uint64_t v)
{
	if (known)
		pp_json_u64(j, v);
	else
		pp_json_null(j);
}

void
ff_column_of_same(struct ff_write *x, const char *key, size_t n, const char *text)
{
	size_t i;

	pp_json_put_array(&x->j, key);
	for (i = 0; i < n; i++)
		pp_json_raw(&x->j, text, strlen(text));
	pp_json_end_array(&x->j);
}

/* A column out of 32-bit members of rows, which count from 1; `less` is taken off, and 0 is null or `none`. */
static void
column_put(struct ff_write *x, const char *key, const struct pp_strtab *t, size_t member,
           unsigned less, const char *none)
{
	size_t i;

	pp_json_put_array(&x->j, key);
	for (i = 1; i < t->strs.n; i++) {
		uint32_t v;

		memcpy(&v, pp_strtab_get(t, (pp_str)i).p + member, sizeof v);
		if (v || !none)
			pp_json_u64(&x->j, v - less);
		else
			pp_json_raw(&x->j, none, strlen(none));
	}
	pp_json_end_array(&x->j);
}

/* Begins a table with its length. */
static size_t
table_begin(struct ff_write *x, const char *key, const struct pp_strtab *t)
{
	size_t n = t->strs.n - 1;

	pp_json_put_object(&x->j, key);
	pp_json_put_u64(&x->j, "length", n);
	return n;
}

/* ---- tables ----------------------------------------------------------------------------- */

static void
funcs_put(struct ff_write *x)
{
	size_t n = table_begin(x, "funcTable", &x->funcs);

	column_put(x, "name", &x->funcs, offsetof(struct ff_func_out, name), 0, NULL);
	ff_column_of_same(x, "isJS", n, "false");
	ff_column_of_same(x, "relevantForJS", n, "false");
	column_put(x, "resource", &x->funcs, offsetof(struct ff_func_out, module), 1, "-1");
	column_put(x, x->old ? "fileName" : "source", &x->funcs, offsetof(struct ff_func_out, file),
	           0, "null");
	column_put(x, "lineNumber", &x->funcs, offsetof(struct ff_func_out, line), 0, "null");
	column_put(x, "columnNumber", &x->funcs, offsetof(struct ff_func_out, column), 0, "null");
	pp_json_end_object(&x->j);
}

static void
frames_put(struct ff_write *x)
{
	size_t n = table_begin(x, "frameTable", &x->frames), i;

	pp_json_put_array(&x->j, "address");
	for (i = 1; i <= n; i++) {
		uint64_t v;

		memcpy(&v, pp_strtab_get(&x->frames, (pp_str)i).p, sizeof v);
		if (v)
			pp_json_u64(&x->j, v);
		else
			pp_json_i64(&x->j, -1);
	}
	pp_json_end_array(&x->j);
	column_put(x, "inlineDepth", &x->frames, offsetof(struct ff_frame_out, depth), 0, NULL);
	ff_column_of_same(x, "category", n, x->category);
	ff_column_of_same(x, "subcategory", n, "0");
	column_put(x, "func", &x->frames, offsetof(struct ff_frame_out, func), 1, NULL);
	ff_column_of_same(x, "nativeSymbol", n, "null");
	ff_column_of_same(x, "innerWindowID", n, "0");
	if (x->old)
		ff_column_of_same(x, "implementation", n, "null");
	column_put(x, "line", &x->frames, offsetof(struct ff_frame_out, line), 0, "null");
	column_put(x, "column", &x->frames, offsetof(struct ff_frame_out, column), 0, "null");
	pp_json_end_object(&x->j);
}

static void
stacks_put(struct ff_write *x)
{
	size_t n = x->stack_rows.n, i;

	pp_json_put_object(&x->j, "stackTable");
	pp_json_put_u64(&x->j, "length", n);
	pp_json_put_array(&x->j, "frame");
	for (i = 0; i < n; i++)
		pp_json_u64(&x->j, (uint32_t)x->stack_rows.at[i] - 1);
	pp_json_end_array(&x->j);
	pp_json_put_array(&x->j, "prefix");
	for (i = 0; i < n; i++)
		ff_null_or(&x->j, x->stack_rows.at[i] >> 32, (x->stack_rows.at[i] >> 32) - 1);
	pp_json_end_array(&x->j);
	if (x->old) {
		ff_column_of_same(x, "category", n, x->category);
		ff_column_of_same(x, "subcategory", n, "0");
	}
	pp_json_end_object(&x->j);
}

static void
resources_put(struct ff_write *x)
{
	size_t n = table_begin(x, "resourceTable", &x->modules), i;

	column_put(x, "name", &x->modules, offsetof(struct ff_module_out, name), 0, NULL);
	ff_column_of_same(x, "host", n, "null");
	ff_column_of_same(x, "type", n, "1");
	pp_json_put_array(&x->j, "lib");
	for (i = 0; i < n; i++)
		pp_json_u64(&x->j, i);
	pp_json_end_array(&x->j);
	pp_json_end_object(&x->j);
}

static void
natives_put(struct ff_write *x)
{
	static const char *const columns[] = { "libIndex", "address", "name", "functionSize" };
	size_t i;

	pp_json_put_object(&x->j, "nativeSymbols");
	pp_json_put_u64(&x->j, "length", 0);
	for (i = 0; i < PP_COUNT_OF(columns); i++)
		ff_column_of_same(x, columns[i], 0, "");
	pp_json_end_object(&x->j);
}

/* Sources are all strings, by the same number. */
static void
strings_put(struct ff_write *x)
{
	size_t n = x->strings.strs.n, i;

	if (!x->old) {
		pp_json_put_object(&x->j, "sources");
		pp_json_put_u64(&x->j, "length", n);
		ff_column_of_same(x, "uuid", n, "null");
		pp_json_put_array(&x->j, "filename");
		for (i = 0; i < n; i++)
			pp_json_u64(&x->j, i);
		pp_json_end_array(&x->j);
		pp_json_end_object(&x->j);
	}
	pp_json_put_array(&x->j, "stringArray");
	for (i = 0; i < n; i++)
		pp_json_text(&x->j, pp_strtab_get(&x->strings, (pp_str)i));
	pp_json_end_array(&x->j);
}

void
ff_tables_put(struct ff_write *x)
{
	stacks_put(x);
	frames_put(x);
	funcs_put(x);
	resources_put(x);
	natives_put(x);
	strings_put(x);
}

/* ---- binaries --------------------------------------------------------------------------- */

/* The id of debug information: 32 digits in upper case, and 0 as its age. */
static void
breakpad_put(struct ff_write *x, struct pp_slice id)
{
	char text[34] = "";
	size_t i;

	for (i = 0; i < 32 && id.n >= 32; i++)
		text[i] = (char)(id.p[i] >= 'a' && id.p[i] <= 'f' ? id.p[i] - 32 : id.p[i]);
	text[i] = i ? '0' : 0;
	pp_json_put_textz(&x->j, "breakpadId", text);
}

void
ff_libs_put(struct ff_write *x)
{
	size_t i;

	pp_json_put_array(&x->j, "libs");
	for (i = 1; i < x->modules.strs.n; i++) {
		struct ff_module_out row;
		struct pp_slice path, name, id;
		const unsigned char *slash;

		memcpy(&row, pp_strtab_get(&x->modules, (pp_str)i).p, sizeof row);
		name = path = pp_strtab_get(&x->strings, row.name);
		id = pp_strtab_get(&x->strings, row.build_id);
		slash = name.n ? memrchr(name.p, '/', name.n) : NULL;
		if (slash && slash + 1 < path.p + path.n)
			name = pp_slice_between(slash + 1, path.p + path.n);
		pp_json_begin_object(&x->j);
		pp_json_put_textz(&x->j, "arch", "");
		pp_json_put_text(&x->j, "name", name);
		pp_json_put_text(&x->j, "path", path);
		pp_json_put_text(&x->j, "debugName", name);
		pp_json_put_text(&x->j, "debugPath", path);
		breakpad_put(x, id);
		if (id.n)
			pp_json_put_text(&x->j, "codeId", id);
		else
			pp_json_put_null(&x->j, "codeId");
		pp_json_end_object(&x->j);
	}
	pp_json_end_array(&x->j);
}
