/*
 * Writing callgrind text as both KCachegrind and callgrind_annotate read it: absolute positions, ids defined
 * at first use, the callee's file where it is not the caller's.
 */
#include "formats/valgrind/emit.h"

#include <math.h>
#include <stdlib.h>

#define NO_NAME "???"

bool
pp_cg_emit_init(struct pp_cg_emit *e, const struct pp_profile *p, struct pp_sink *out)
{
	*e = (struct pp_cg_emit){ .p = p, .out = out };
	return pp_strtab_init(&e->names, p->strs.seed) && pp_strtab_init(&e->looks, p->strs.seed);
}

void
pp_cg_emit_release(struct pp_cg_emit *e)
{
	unsigned i;

	for (i = 0; i < PP_CG_SPACES; i++)
		pp_vec_release(&e->given[i]);
	pp_vec_release(&e->first);
	pp_vec_release(&e->funcs);
	pp_vec_release(&e->files);
	pp_strtab_release(&e->names);
	pp_strtab_release(&e->looks);
}

void
pp_cg_emit_part(struct pp_cg_emit *e, unsigned positions)
{
	e->part++;
	e->positions = positions;
	memset(e->last, 0, sizeof e->last);
	e->last[PP_CG_FILES] = e->first_file != 0;
	e->func = 0;
	e->file = e->object = 0;
}

/* ---- names ------------------------------------------------------------------------------ */

bool
pp_cg_clean(struct pp_slice name, bool is_function, struct pp_buf *out, bool *changed)
{
	struct pp_slice text = pp_slice_trim(name);
	size_t i;

	out->n = 0;
	pp_buf_add(out, text.p, text.n);
	*changed = text.n != name.n;
	if (out->failed)
		return false;
	for (i = 0; i < out->n; i++) {
		if (out->p[i] == '\n' || out->p[i] == '\r') {
			out->p[i] = ' ';
			*changed = true;
		}
	}
	while (out->n && out->p[out->n - 1] == ' ')
		out->n--;
	for (i = 0; i < out->n && out->p[i] == ' ';)
		i++;
	if (i && out->n) {
		memmove(out->p, out->p + i, out->n - i);
		out->n -= i;
	}
	if (out->n == 0) {
		pp_buf_adds(out, NO_NAME);
		*changed |= is_function;
	}
	return !out->failed;
}

/* Makes `i` an index of a vector, new items being zero; false when out of memory. */
#define reach(e, v, i)                                                                             \
	((i) < (v)->n || grow((e), (void **)&(v)->at, &(v)->n, &(v)->cap, sizeof *(v)->at, (i)))

static bool
grow(struct pp_cg_emit *e, void **at, size_t *n, size_t *cap, size_t size, size_t i)
{
	if (i >= *cap && !pp_vec_grow(at, cap, size, i + 1)) {
		e->failed = true;
		return false;
	}
	memset((char *)*at + *n * size, 0, (i + 1 - *n) * size);
	*n = i + 1;
	return true;
}

pp_str
pp_cg_emit_clean(struct pp_cg_emit *e, struct pp_slice name, bool is_function)
{
	struct pp_buf text = { 0 };
	bool changed = false, is_new;
	pp_str id = 0;

	if (!pp_cg_clean(name, is_function, &text, &changed)) {
		e->failed = true;
		return 0;
	}
	/* Inside the text of a function callgrind's readers take an id for the name it stands for. */
	if (e->expands && is_function && text.n > 1 && text.p[0] == '(' &&
	    pp_is_digit((unsigned char)text.p[1])) {
		text.p[0] = '[';
		changed = true;
	}
	if (!pp_strtab_intern(&e->names, text.p, text.n, &id, &is_new))
		e->failed = true;
	e->changed += changed;
	pp_buf_release(&text);
	return id;
}

/* The same of a name of the profile; that of a file is found once. The empty string is never one. */
static pp_str
clean_of(struct pp_cg_emit *e, enum pp_cg_space space, pp_str name)
{
	bool is_file = space == PP_CG_FILES;
	pp_str id;

	if (is_file && !reach(e, &e->files, name))
		return 0;
	if (is_file && e->files.at[name])
		return e->files.at[name] - 1;
	id = pp_cg_emit_clean(e, pp_text_of(e->p, name), space == PP_CG_FUNCTIONS);
	if (is_file)
		e->files.at[name] = id + 1;
	return id;
}

/* How a function is written; `failed` is set without memory. */
static struct pp_cg_named
named_of(struct pp_cg_emit *e, pp_func func)
{
	const struct pp_func_row *row = &e->p->funcs.at[func];
	struct pp_cg_named *named;
	pp_str key[3], id;
	bool is_new;

	if (!reach(e, &e->funcs, func))
		return (struct pp_cg_named){ 0 };
	named = &e->funcs.at[func];
	if (named->same)
		return *named;
	e->objects |= row->module != 0;
	key[0] = named->object = clean_of(e, PP_CG_OBJECTS, e->p->modules.at[row->module].name);
	key[1] = named->file = clean_of(e, PP_CG_FILES, row->file);
	key[2] = named->name = clean_of(e, PP_CG_FUNCTIONS, row->name);
	if (!pp_strtab_intern(&e->looks, key, sizeof key, &id, &is_new) ||
	    !reach(e, &e->first, id)) {
		e->failed = true;
		return *named;
	}
	if (is_new)
		e->first.at[id] = func;
	named->same = e->first.at[id];
	return *named;
}

bool
pp_cg_emit_functions(struct pp_cg_emit *e)
{
	size_t i;

	for (i = 1; i < e->p->funcs.n && !e->failed; i++)
		(void)named_of(e, (pp_func)i);
	return !e->failed;
}

void
pp_cg_emit_name(struct pp_cg_emit *e, const char *key, enum pp_cg_space space, pp_str clean)
{
	struct pp_cg_given *given;
	struct pp_slice text;

	if (e->failed || !reach(e, &e->given[space], clean))
		return;
	given = &e->given[space].at[clean];
	pp_sink_puts(e->out, key);
	if (given->part == e->part) {
		pp_sink_printf(e->out, "(%u)\n", given->id);
		return;
	}
	given->part = e->part;
	given->id = space == PP_CG_FILES && clean == e->first_file ? 1 : ++e->last[space];
	text = pp_strtab_get(&e->names, clean);
	pp_sink_printf(e->out, "(%u) ", given->id);
	pp_sink_write(e->out, text.p, text.n);
	pp_sink_putc(e->out, '\n');
}

void
pp_cg_emit_place(struct pp_cg_emit *e, pp_func func, pp_str file)
{
	const struct pp_cg_named named = named_of(e, func);
	pp_str clean = clean_of(e, PP_CG_FILES, file);

	if (named.same != e->func) {
		pp_sink_putc(e->out, '\n');
		if (e->objects && named.object != e->object)
			pp_cg_emit_name(e, "ob=", PP_CG_OBJECTS, named.object);
		pp_cg_emit_name(e, "fl=", PP_CG_FILES, named.file);
		pp_cg_emit_name(e, "fn=", PP_CG_FUNCTIONS, named.name);
		e->func = named.same;
		e->object = named.object;
		e->file = named.file;
	}
	if (clean != e->file) {
		pp_cg_emit_name(e, clean == named.file ? "fe=" : "fi=", PP_CG_FILES, clean);
		e->file = clean;
	}
}

/* ---- values ----------------------------------------------------------------------------- */

int64_t
pp_cg_whole(const struct pp_metric *m, union pp_value v, unsigned unit, uint64_t *rounded)
{
	double d;

	if (m->type != PP_REAL && m->scale == 0 && (unit == 0 || m->factor_den <= 1)) {
		pp_i128 x = v.i, half = unit / 2;

		if (unit) {
			x *= (pp_i128)(m->factor_num ? m->factor_num : 1);
			*rounded += x % unit != 0;
			x = (x < 0 ? x - half : x + half) / (pp_i128)unit;
		}
		if (x >= -(pp_i128)INT64_MAX &&
		    x <= (m->type == PP_UINT && !unit ? (pp_i128)UINT64_MAX : INT64_MAX))
			return (int64_t)x;
		++*rounded;
		return x < 0 ? -INT64_MAX : INT64_MAX;
	}
	d = pp_value_double(m, v) / (unit ? unit : 1);
	*rounded += d != floor(d);
	d = floor(d + 0.5);
	if (d > -9e18 && d < 9e18)
		return (int64_t)d;
	++*rounded;
	return d != d ? 0 : d < 0 ? -INT64_MAX : INT64_MAX;
}

/* ---- lines ------------------------------------------------------------------------------ */

static void
put_pos(struct pp_cg_emit *e, const struct pp_cg_pos *pos)
{
	if (e->positions & PP_CG_INSTR)
		pp_sink_printf(e->out, "0x%llx ", (unsigned long long)pos->at[0]);
	if (e->positions & PP_CG_BB)
		pp_sink_printf(e->out, "0x%llx ", (unsigned long long)pos->at[1]);
	if (e->positions & PP_CG_LINE)
		pp_sink_u64(e->out, pos->at[2]);
}

static void
put_costs(struct pp_cg_emit *e, const int64_t *costs, size_t n)
{
	bool many = n > PP_FEW_COLUMNS;
	size_t k;

	/* Of many events those at the end that are 0 are left out, as callgrind itself does. */
	while (many && n > 1 && costs[e->columns ? e->columns[n - 1] : n - 1] == 0)
		n--;
	for (k = 0; k < n; k++) {
		size_t column = e->columns ? e->columns[k] : k;
		int64_t v = costs[column];
		bool minus = v < 0 && !(e->typed && e->p->metrics.at[column].type == PP_UINT);

		if (k || (e->positions & PP_CG_LINE))
			pp_sink_putc(e->out, ' ');
		if (minus)
			pp_sink_putc(e->out, '-');
		pp_sink_u64(e->out, minus ? 0 - (uint64_t)v : (uint64_t)v);
	}
	pp_sink_putc(e->out, '\n');
}

void
pp_cg_emit_own(struct pp_cg_emit *e, const struct pp_cg_pos *pos, const int64_t *costs, size_t n)
{
	put_pos(e, pos);
	put_costs(e, costs, n);
}

void
pp_cg_emit_call(struct pp_cg_emit *e, const struct pp_cg_call *call, const struct pp_cg_pos *pos,
                const int64_t *costs, size_t n)
{
	const struct pp_cg_named callee = named_of(e, call->callee);

	if (e->objects && callee.object != e->object)
		pp_cg_emit_name(e, "cob=", PP_CG_OBJECTS, callee.object);
	/* As callgrind does: callgrind_annotate strips its directory from other files but not from these. */
	if (callee.file != e->file)
		pp_cg_emit_name(e, "cfi=", PP_CG_FILES, callee.file);
	pp_cg_emit_name(e, "cfn=", PP_CG_FUNCTIONS, callee.name);
	pp_sink_puts(e->out, "calls=");
	pp_sink_u64(e->out, call->count);
	pp_sink_putc(e->out, ' ');
	put_pos(e, &call->target);
	pp_sink_putc(e->out, '\n');
	put_pos(e, pos);
	put_costs(e, costs, n);
}

void
pp_cg_emit_outside(struct pp_cg_emit *e, uint64_t calls)
{
	pp_sink_puts(e->out, PP_CG_OUTSIDE);
	pp_sink_u64(e->out, calls);
	pp_sink_putc(e->out, '\n');
}

void
pp_cg_emit_jump(struct pp_cg_emit *e, const struct pp_cg_jump *jump, const struct pp_cg_pos *pos)
{
	if (jump->file)
		pp_cg_emit_name(e, "jfi=", PP_CG_FILES, clean_of(e, PP_CG_FILES, jump->file));
	if (jump->name)
		pp_cg_emit_name(e, "jfn=", PP_CG_FUNCTIONS,
		                clean_of(e, PP_CG_FUNCTIONS, jump->name));
	pp_sink_puts(e->out, jump->conditional ? "jcnd=" : "jump=");
	pp_sink_u64(e->out, jump->followed);
	if (jump->conditional) {
		pp_sink_putc(e->out, '/');
		pp_sink_u64(e->out, jump->executed);
	}
	pp_sink_putc(e->out, ' ');
	put_pos(e, &jump->target);
	pp_sink_putc(e->out, '\n');
	put_pos(e, pos);
	pp_sink_putc(e->out, '\n');
}
