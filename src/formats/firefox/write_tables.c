/*
 * The tables of what is written for the Firefox Profiler: nodes of the tree are stacks, modules are resources, and each string is
 * also a source of that name, so that one number does for both.
 */
#include "base/utf8.h"
#include "formats/firefox/write.h"

static uint32_t
string_of(struct ff_write *x, struct pp_slice text)
{
	bool is_new;
	pp_str id = 0;

	x->w->loss.names += !pp_utf8_valid(text);
	x->failed |= !pp_strtab_intern(&x->strings, text.p ? (const void *)text.p : "", text.n, &id,
	                               &is_new);
	return id;
}

static uint32_t
string_at(struct ff_write *x, pp_str s)
{
	return string_of(x, pp_text_of(x->p, s));
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

/* A column, whose cells are told by a function of the row; UINT64_MAX is null. */
static void
column_of(struct ff_write *x, const char *key, size_t first, size_t end,
          uint64_t (*cell)(struct ff_write *, size_t row))
{
	size_t i;

	pp_json_put_array(&x->j, key);
	for (i = first; i < end; i++) {
		uint64_t v = cell(x, i);

		ff_null_or(&x->j, v != UINT64_MAX, v);
	}
	pp_json_end_array(&x->j);
}

/* ---- tables ----------------------------------------------------------------------------- */

static uint64_t
func_name(struct ff_write *x, size_t row)
{
	return string_at(x, x->p->funcs.at[row].name);
}

static uint64_t
func_file(struct ff_write *x, size_t row)
{
	pp_str file = x->p->funcs.at[row].file;

	return !file ? UINT64_MAX : string_at(x, file);
}

static uint64_t
func_line(struct ff_write *x, size_t row)
{
	uint32_t line = x->p->funcs.at[row].line;

	return line ? line : UINT64_MAX;
}

static uint64_t
func_column(struct ff_write *x, size_t row)
{
	uint32_t column = x->p->funcs.at[row].column;

	return column ? column : UINT64_MAX;
}

static void
funcs_put(struct ff_write *x)
{
	size_t n = x->p->funcs.n, i;

	pp_json_put_object(&x->j, "funcTable");
	pp_json_put_u64(&x->j, "length", n - 1);
	column_of(x, "name", 1, n, func_name);
	ff_column_of_same(x, "isJS", n - 1, "false");
	ff_column_of_same(x, "relevantForJS", n - 1, "false");
	pp_json_put_array(&x->j, "resource");
	for (i = 1; i < n; i++)
		pp_json_i64(&x->j, (int64_t)x->p->funcs.at[i].module - 1);
	pp_json_end_array(&x->j);
	/* Each file is a source: its row is its string's. */
	column_of(x, x->old ? "fileName" : "source", 1, n, func_file);
	column_of(x, "lineNumber", 1, n, func_line);
	column_of(x, "columnNumber", 1, n, func_column);
	pp_json_end_object(&x->j);
}

static uint64_t
frame_func(struct ff_write *x, size_t row)
{
	return x->p->frames.at[row].func - 1;
}

static uint64_t
frame_line(struct ff_write *x, size_t row)
{
	uint32_t line = x->p->frames.at[row].line;

	return line ? line : UINT64_MAX;
}

static uint64_t
frame_column(struct ff_write *x, size_t row)
{
	uint32_t column = x->p->frames.at[row].column;

	return column ? column : UINT64_MAX;
}

static uint64_t
frame_depth(struct ff_write *x, size_t row)
{
	const struct pp_frame_row *f = &x->p->frames.at[row];

	return f->inline_depth ? f->inline_depth : f->flags & PP_FRAME_INLINED ? 1 : 0;
}

static void
frames_put(struct ff_write *x)
{
	size_t n = x->p->frames.n, i;

	pp_json_put_object(&x->j, "frameTable");
	pp_json_put_u64(&x->j, "length", n - 1);
	pp_json_put_array(&x->j, "address");
	for (i = 1; i < n; i++)
		if (x->p->frames.at[i].address)
			pp_json_u64(&x->j, x->p->frames.at[i].address);
		else
			pp_json_i64(&x->j, -1);
	pp_json_end_array(&x->j);
	column_of(x, "inlineDepth", 1, n, frame_depth);
	ff_column_of_same(x, "category", n - 1, "0");
	ff_column_of_same(x, "subcategory", n - 1, "0");
	column_of(x, "func", 1, n, frame_func);
	ff_column_of_same(x, "nativeSymbol", n - 1, "null");
	ff_column_of_same(x, "innerWindowID", n - 1, "0");
	if (x->old)
		ff_column_of_same(x, "implementation", n - 1, "null");
	column_of(x, "line", 1, n, frame_line);
	column_of(x, "column", 1, n, frame_column);
	pp_json_end_object(&x->j);
}

static uint64_t
node_frame(struct ff_write *x, size_t node)
{
	return pp_tree_frame(&x->p->tree, (pp_node)node) - 1;
}

static uint64_t
node_prefix(struct ff_write *x, size_t node)
{
	pp_node parent = pp_tree_parent(&x->p->tree, (pp_node)node);

	return parent ? parent - 1 : UINT64_MAX;
}

static uint64_t
module_name(struct ff_write *x, size_t row)
{
	return string_at(x, x->p->modules.at[row].name);
}

static uint64_t
module_lib(struct ff_write *x, size_t row)
{
	return row - 1;
}

static void
stacks_put(struct ff_write *x)
{
	size_t n = x->p->tree.n ? x->p->tree.n : 1;

	pp_json_put_object(&x->j, "stackTable");
	pp_json_put_u64(&x->j, "length", n - 1);
	column_of(x, "frame", 1, n, node_frame);
	column_of(x, "prefix", 1, n, node_prefix);
	if (x->old) {
		ff_column_of_same(x, "category", n - 1, "0");
		ff_column_of_same(x, "subcategory", n - 1, "0");
	}
	pp_json_end_object(&x->j);
}

static void
resources_put(struct ff_write *x)
{
	size_t n = x->p->modules.n;

	pp_json_put_object(&x->j, "resourceTable");
	pp_json_put_u64(&x->j, "length", n - 1);
	column_of(x, "name", 1, n, module_name);
	ff_column_of_same(x, "host", n - 1, "null");
	ff_column_of_same(x, "type", n - 1, "1");
	column_of(x, "lib", 1, n, module_lib);
	pp_json_end_object(&x->j);
}

static void
natives_put(struct ff_write *x)
{
	pp_json_put_object(&x->j, "nativeSymbols");
	pp_json_put_u64(&x->j, "length", 0);
	ff_column_of_same(x, "libIndex", 0, "");
	ff_column_of_same(x, "address", 0, "");
	ff_column_of_same(x, "name", 0, "");
	ff_column_of_same(x, "functionSize", 0, "");
	pp_json_end_object(&x->j);
}

/* Strings come last, when all are known; sources are all of them, by the same number. */
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
