/*
 * The dictionaries: dso, frame and thread records.
 */
#include "formats/spaa/spaa.h"

#include "base/num.h"

/* ---- dsos ------------------------------------------------------------------------------- */

void
pp_spaa_apply_dso(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_dso *d = &rec->u.dso;
	struct pp_module_row module = { .kind = d->is_kernel ? PP_MODULE_KERNEL
		                                             : PP_MODULE_BINARY };
	struct pp_spaa_dso_row row = { .id = d->id, .is_kernel = d->is_kernel };
	uint32_t at;

	if (!PP_SPAA_HAS(d, has, DSO_ID))
		return;
	if (pp_id_table_get(&r->dicts.dso_of, d->id, &at)) {
		pp_spaa_report_in(r, rec, PP_SPAA_R_DSO_TWICE, "id", NULL,
		                  "dso %llu is defined twice", (unsigned long long)d->id);
		return;
	}
	if (r->want_costs) {
		module.name = pp_build_str(r->builder, d->name);
		module.build_id = pp_build_str(r->builder, d->build_id);
		row.module = pp_build_module(r->builder, &module);
	}
	if (!pp_vec_push(&r->dicts.dsos, row) ||
	    !pp_id_table_set(&r->dicts.dso_of, d->id, (uint32_t)(r->dicts.dsos.n - 1)))
		pp_spaa_no_memory(r);
}

/* ---- frames ----------------------------------------------------------------------------- */

/* Takes ":NUMBER" off the end; false when there is none. */
static bool
take_number(struct pp_slice *s, uint32_t *out)
{
	size_t i = s->n;
	uint64_t value;

	while (i > 0 && (unsigned)s->p[i - 1] - '0' <= 9)
		i--;
	if (i == s->n || i < 2 || s->p[i - 1] != ':' ||
	    !pp_num_u64(pp_slice_of(s->p + i, s->n - i), &value) || value > UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	s->n = i - 1;
	return true;
}

/* "file:line" or "file:line:column", cut at the last colons: files may have some themselves. */
static void
srcline_split(struct pp_slice s, struct pp_slice *file, uint32_t *line, uint32_t *column)
{
	uint32_t last, before;

	*line = *column = 0;
	if (take_number(&s, &last)) {
		*line = last;
		if (take_number(&s, &before)) {
			*line = before;
			*column = last;
		}
	}
	*file = s;
}

static uint64_t
hex_of(struct pp_slice s)
{
	uint64_t value;

	return pp_spaa_is_hex(s) && pp_num_hex(pp_slice_of(s.p + 2, s.n - 2), &value) ? value : 0;
}

/*
 * The function of a name in a module. Its file is that of the first frame that has one; frames
 * elsewhere carry their own, so one function stays one function whatever its inlined lines are from.
 */
static pp_func
frame_func(struct pp_spaa_reader *r, const struct pp_spaa_frame *f, pp_module module, pp_str file)
{
	struct pp_builder *b = r->builder;
	struct pp_func_row row = { .name = pp_build_str(b, f->func), .module = module };
	uint64_t key = (uint64_t)row.name << 32 | module;
	pp_func func = pp_map_get(&r->dicts.func_of, key);

	if (!pp_builder_ok(b))
		return 0;
	if (func == PP_MAP_NONE) {
		row.flags = (f->kind == PP_SPAA_KERNEL ? PP_FUNC_KERNEL : 0u) |
		            (!f->func_resolved ? PP_FUNC_UNKNOWN : 0u);
		func = pp_build_func(b, &row);
		if (!pp_map_set(&r->dicts.func_of, key, func))
			pp_spaa_no_memory(r);
	}
	if (pp_builder_ok(b) && !b->profile->funcs.at[func].file)
		b->profile->funcs.at[func].file = file;
	return func;
}

static pp_frame
frame_build(struct pp_spaa_reader *r, const struct pp_spaa_frame *f, pp_module module)
{
	static const uint16_t kinds[] = { [PP_SPAA_USER] = PP_FRAME_USER,
		                          [PP_SPAA_KERNEL] = PP_FRAME_KERNEL,
		                          [PP_SPAA_UNKNOWN] = PP_FRAME_NEITHER };
	struct pp_builder *b = r->builder;
	struct pp_frame_row row = {
		.address = hex_of(f->ip),
		.offset = hex_of(f->symoff),
		.inline_depth = f->depth < UINT16_MAX ? (uint16_t)f->depth : UINT16_MAX,
		.flags = (uint16_t)(kinds[f->kind] | (f->inlined ? PP_FRAME_INLINED : 0))
	};
	struct pp_slice path;
	pp_str file = 0;

	if (PP_SPAA_HAS(f, has, FRAME_SRCLINE)) {
		srcline_split(f->srcline, &path, &row.line, &row.column);
		file = pp_build_str(b, path);
	}
	row.func = frame_func(r, f, module, file);
	if (pp_builder_ok(b) && file != b->profile->funcs.at[row.func].file)
		row.file = file;
	return pp_build_frame(b, &row);
}

static uint64_t
text_mark(const struct pp_spaa_reader *r, bool has, struct pp_slice s)
{
	return has ? pp_hash_bytes(s.p, s.n, r->reader->seed) | 1 : 0;
}

void
pp_spaa_apply_frame(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_frame *f = &rec->u.frame;
	struct pp_spaa_frame_row row = { .dso = UINT32_MAX,
		                         .kind = (uint8_t)f->kind,
		                         .inlined = f->inlined,
		                         .has_depth = PP_SPAA_HAS(f, has, FRAME_DEPTH),
		                         .depth = f->depth,
		                         .ip = text_mark(r, PP_SPAA_HAS(f, has, FRAME_IP), f->ip),
		                         .symoff = text_mark(r, PP_SPAA_HAS(f, has, FRAME_SYMOFF),
		                                             f->symoff) };
	uint32_t at;

	if (!PP_SPAA_HAS(f, has, FRAME_ID) || !PP_SPAA_HAS(f, has, FRAME_FUNC))
		return;
	if (pp_id_table_get(&r->dicts.frame_of, f->id, &at)) {
		pp_spaa_report_in(r, rec, PP_SPAA_R_FRAME_TWICE, "id", NULL,
		                  "frame %llu is defined twice", (unsigned long long)f->id);
		return;
	}
	if (PP_SPAA_HAS(f, has, FRAME_DSO) &&
	    !pp_id_table_get(&r->dicts.dso_of, f->dso, &row.dso)) {
		row.dso = UINT32_MAX;
		pp_spaa_report_in(
		    r, rec, PP_SPAA_R_DSO_UNDEFINED, "dso", NULL,
		    "frame %llu names dso %llu, which no dso record before it defines",
		    (unsigned long long)f->id, (unsigned long long)f->dso);
	} else if (PP_SPAA_HAS(f, has, FRAME_DSO) && f->kind != PP_SPAA_UNKNOWN &&
	           (f->kind == PP_SPAA_KERNEL) != r->dicts.dsos.at[row.dso].is_kernel) {
		pp_spaa_report_in(r, rec, PP_SPAA_R_KERNEL_FLAG, "kind", NULL,
		                  "the frame is %s code, but its dso %llu has is_kernel %s",
		                  f->kind == PP_SPAA_KERNEL ? "kernel" : "user",
		                  (unsigned long long)f->dso,
		                  r->dicts.dsos.at[row.dso].is_kernel ? "true" : "false");
	}
	if (r->want_costs)
		row.frame = frame_build(
		    r, f, row.dso == UINT32_MAX ? 0 : r->dicts.dsos.at[row.dso].module);
	if (!pp_vec_push(&r->dicts.frames, row) ||
	    !pp_id_table_set(&r->dicts.frame_of, f->id, (uint32_t)(r->dicts.frames.n - 1)))
		pp_spaa_no_memory(r);
}

/* ---- threads ---------------------------------------------------------------------------- */

void
pp_spaa_apply_thread(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_thread *t = &rec->u.thread;
	struct pp_spaa_thread_row row = { .tid = t->tid, .pid = t->pid, .declared = true };
	uint32_t at;

	if (rec->wrong)
		return;
	row.comm = pp_build_str(r->builder, t->comm);
	if (!pp_id_table_get(&r->dicts.thread_of, t->tid, &at)) {
		if (!pp_vec_push(&r->dicts.threads, row) ||
		    !pp_id_table_set(&r->dicts.thread_of, t->tid,
		                     (uint32_t)(r->dicts.threads.n - 1)))
			pp_spaa_no_memory(r);
		return;
	}
	row.used = r->dicts.threads.at[at].used;
	if (r->dicts.threads.at[at].declared && r->dicts.threads.at[at].pid != t->pid) {
		pp_spaa_report_in(
		    r, rec, PP_SPAA_R_THREAD_PID, "pid", NULL,
		    "thread %llu belongs to process %llu and to %llu", (unsigned long long)t->tid,
		    (unsigned long long)r->dicts.threads.at[at].pid, (unsigned long long)t->pid);
		return;
	}
	if (r->dicts.threads.at[at].declared)
		pp_spaa_report_in(r, rec, PP_SPAA_R_THREAD_TWICE, "tid", NULL,
		                  "thread %llu is declared twice", (unsigned long long)t->tid);
	if (row.used)
		pp_spaa_report_in(r, rec, PP_SPAA_R_THREAD_LATE, "tid", NULL,
		                  "thread %llu is declared after a stack used it",
		                  (unsigned long long)t->tid);
	r->dicts.threads.at[at] = row;
}

void
pp_spaa_thread_used(struct pp_spaa_reader *r, int64_t tid)
{
	struct pp_spaa_thread_row row = { .tid = (uint64_t)tid, .used = true };
	uint32_t at;

	if (pp_id_table_get(&r->dicts.thread_of, (uint64_t)tid, &at)) {
		r->dicts.threads.at[at].used = true;
		return;
	}
	if (!pp_vec_push(&r->dicts.threads, row) ||
	    !pp_id_table_set(&r->dicts.thread_of, row.tid, (uint32_t)(r->dicts.threads.n - 1)))
		pp_spaa_no_memory(r);
}

void
pp_spaa_dicts_release(struct pp_spaa_dicts *d)
{
	pp_id_table_release(&d->dso_of);
	pp_id_table_release(&d->frame_of);
	pp_id_table_release(&d->thread_of);
	pp_vec_release(&d->dsos);
	pp_vec_release(&d->frames);
	pp_vec_release(&d->threads);
	pp_map_release(&d->func_of);
}
