/*
 * Writing callgrind text as both KCachegrind and callgrind_annotate read it: absolute positions, ids defined
 * at first use, the callee's file always given.
 */
#include "formats/valgrind/emit.h"

#include <stdlib.h>

#define NO_NAME "???"

static bool functions_name(struct pp_cg_emit *);

bool
pp_cg_emit_init(struct pp_cg_emit *e, const struct pp_profile *p, struct pp_sink *out)
{
	*e = (struct pp_cg_emit){ .p = p, .out = out };
	e->files = calloc(p->strs.strs.n, sizeof *e->files);
	return e->files && pp_strtab_init(&e->names, p->strs.seed) && functions_name(e);
}

void
pp_cg_emit_release(struct pp_cg_emit *e)
{
	unsigned i;

	for (i = 0; i < PP_CG_SPACES; i++)
		free(e->given[i]);
	free(e->funcs);
	free(e->files);
	pp_strtab_release(&e->names);
}

void
pp_cg_emit_part(struct pp_cg_emit *e, unsigned positions)
{
	e->part++;
	e->positions = positions;
	memset(e->last, 0, sizeof e->last);
	e->func = 0;
	e->file = e->object = 0;
}

/* ---- names ------------------------------------------------------------------------------ */

bool
pp_cg_clean(struct pp_slice name, bool is_function, struct pp_buf *out, bool *changed)
{
	struct pp_slice text = pp_cg_trim(name);
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
	/* Inside a function's text an id would be taken for the name it stands for. */
	if (is_function && out->n > 1 && out->p[0] == '(' &&
	    pp_cg_is_digit((unsigned char)out->p[1])) {
		out->p[0] = '[';
		*changed = true;
	}
	if (out->n == 0)
		pp_buf_adds(out, NO_NAME);
	return !out->failed;
}

/* The clean form of a name of the profile; the empty string has id 0 and is never one. */
static pp_str
clean_of(struct pp_cg_emit *e, enum pp_cg_space space, pp_str name)
{
	struct pp_buf text = { 0 };
	bool changed = false, is_new;
	pp_str id = 0;

	if (space == PP_CG_FILES && e->files[name])
		return e->files[name] - 1;
	if (!pp_cg_clean(pp_text_of(e->p, name), space == PP_CG_FUNCTIONS, &text, &changed) ||
	    !pp_strtab_intern(&e->names, text.p, text.n, &id, &is_new))
		e->failed = true;
	e->changed += changed;
	if (space == PP_CG_FILES)
		e->files[name] = id + 1;
	pp_buf_release(&text);
	return id;
}

/* Names all functions, and finds those that will look the same. */
static bool
functions_name(struct pp_cg_emit *e)
{
	size_t n = e->p->funcs.n, i;
	struct pp_strtab seen;
	pp_func *first = calloc(n + 1, sizeof *first);
	bool ok = pp_strtab_init(&seen, e->p->strs.seed) && first, is_new;

	e->funcs = calloc(n, sizeof *e->funcs);
	ok = ok && e->funcs;
	for (i = 1; ok && i < n; i++)
		e->objects |= e->p->funcs.at[i].module != 0;
	for (i = 1; ok && i < n; i++) {
		const struct pp_func_row *row = &e->p->funcs.at[i];
		struct pp_cg_named *named = &e->funcs[i];
		pp_str key[3], id;

		key[0] = named->object = clean_of(e, PP_CG_OBJECTS,
		                                  e->p->modules.at[row->module].name);
		key[1] = named->file = clean_of(e, PP_CG_FILES, row->file);
		key[2] = named->name = clean_of(e, PP_CG_FUNCTIONS, row->name);
		ok = !e->failed && pp_strtab_intern(&seen, key, sizeof key, &id, &is_new);
		if (ok && is_new)
			first[id] = (pp_func)i;
		named->same = ok ? first[id] : 0;
	}
	pp_strtab_release(&seen);
	free(first);
	return ok;
}

static bool
given_grow(struct pp_cg_emit *e, size_t need)
{
	size_t cap = e->cap * 2 > need ? e->cap * 2 : need + 64, i;

	if (need <= e->cap)
		return true;
	for (i = 0; i < PP_CG_SPACES; i++) {
		struct pp_cg_given *grown = realloc(e->given[i], cap * sizeof *grown);

		if (!grown)
			return false;
		memset(grown + e->cap, 0, (cap - e->cap) * sizeof *grown);
		e->given[i] = grown;
	}
	e->cap = cap;
	return true;
}

/* `key=(N) text` or `key=(N)`. */
static void
put_name(struct pp_cg_emit *e, const char *key, enum pp_cg_space space, pp_str clean)
{
	struct pp_cg_given *given;
	struct pp_slice text;

	if (e->failed || !given_grow(e, (size_t)clean + 1)) {
		e->failed = true;
		return;
	}
	given = &e->given[space][clean];
	pp_sink_puts(e->out, key);
	if (given->part == e->part) {
		pp_sink_printf(e->out, "(%u)\n", given->id);
		return;
	}
	*given = (struct pp_cg_given){ ++e->last[space], e->part };
	text = pp_strtab_get(&e->names, clean);
	pp_sink_printf(e->out, "(%u) ", given->id);
	pp_sink_write(e->out, text.p, text.n);
	pp_sink_putc(e->out, '\n');
}

void
pp_cg_emit_place(struct pp_cg_emit *e, pp_func func, pp_str file)
{
	const struct pp_cg_named *named = &e->funcs[func];
	pp_str clean = clean_of(e, PP_CG_FILES, file);

	if (named->same != e->func) {
		pp_sink_putc(e->out, '\n');
		if (e->objects && named->object != e->object)
			put_name(e, "ob=", PP_CG_OBJECTS, named->object);
		put_name(e, "fl=", PP_CG_FILES, named->file);
		put_name(e, "fn=", PP_CG_FUNCTIONS, named->name);
		e->func = named->same;
		e->object = named->object;
		e->file = named->file;
	}
	if (clean != e->file) {
		put_name(e, clean == named->file ? "fe=" : "fi=", PP_CG_FILES, clean);
		e->file = clean;
	}
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
	size_t k;

	for (k = 0; k < n; k++) {
		if (k || (e->positions & PP_CG_LINE))
			pp_sink_putc(e->out, ' ');
		if (costs[k] < 0)
			pp_sink_putc(e->out, '-');
		pp_sink_u64(e->out, costs[k] < 0 ? 0 - (uint64_t)costs[k] : (uint64_t)costs[k]);
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
	const struct pp_cg_named *callee = &e->funcs[call->callee];

	if (e->objects && callee->object != e->object)
		put_name(e, "cob=", PP_CG_OBJECTS, callee->object);
	put_name(e, "cfi=", PP_CG_FILES, callee->file);
	put_name(e, "cfn=", PP_CG_FUNCTIONS, callee->name);
	pp_sink_puts(e->out, "calls=");
	pp_sink_u64(e->out, call->count);
	pp_sink_putc(e->out, ' ');
	put_pos(e, &call->target);
	pp_sink_putc(e->out, '\n');
	put_pos(e, pos);
	put_costs(e, costs, n);
}

void
pp_cg_emit_jump(struct pp_cg_emit *e, const struct pp_cg_jump *jump, const struct pp_cg_pos *pos)
{
	if (jump->file)
		put_name(e, "jfi=", PP_CG_FILES, clean_of(e, PP_CG_FILES, jump->file));
	if (jump->name)
		put_name(e, "jfn=", PP_CG_FUNCTIONS, clean_of(e, PP_CG_FUNCTIONS, jump->name));
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
