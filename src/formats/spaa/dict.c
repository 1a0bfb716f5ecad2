/*
 * The dictionaries: dso, frame and thread records.
 */
#include "formats/spaa/spaa.h"

#include "base/num.h"

#define NAME(z)                                                                                    \
	{                                                                                          \
		(const unsigned char *)(z), sizeof(z) - 1                                          \
	}

/* ---- dsos ------------------------------------------------------------------------------- */

enum { DSO_TYPE, DSO_ID, DSO_NAME, DSO_BUILD_ID, DSO_KERNEL };
static const struct pp_slice dso_names[] = {
	NAME("type"), NAME("id"), NAME("name"), NAME("build_id"), NAME("is_kernel"),
};

bool
pp_spaa_kernel_name(struct pp_slice name)
{
	static const char *const starts[] = { "[kernel.", "[kernel]", "[guest.kernel",
		                              "kernel.kallsyms", "kernel.vmlinux" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(starts); i++)
		if (name.n >= strlen(starts[i]) &&
		    memcmp(name.p, starts[i], strlen(starts[i])) == 0)
			return true;
	return pp_slice_eq_z(name, "mach_kernel") || pp_slice_eq_z(name, "genunix") ||
	       (name.n && memmem(name.p, name.n, "vmlinux", 7));
}

static bool
is_build_id(struct pp_slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if ((unsigned)s.p[i] - '0' > 9 && (unsigned)s.p[i] - 'a' > 5)
			return false;
	return s.n && s.n % 2 == 0;
}

void
pp_spaa_parse_dso(struct pp_spaa_parser *p)
{
	struct pp_spaa_dso *d = &p->rec->u.dso;
	const unsigned char *name_at = NULL;
	struct pp_spaa_object o;

	*d = (struct pp_spaa_dso){ 0 };
	(void)pp_spaa_object_begin(p, &o, dso_names, PP_COUNT_OF(dso_names), PP_SPAA_R_NOT_OBJECT,
	                           "the dso");
	o.warn = true;
	while (pp_spaa_object_key(p, &o, NULL))
		switch (o.index) {
		case DSO_ID:
			d->has_id = pp_spaa_uint(p, &o, PP_SPAA_R_DSO_ID, &d->id);
			break;
		case DSO_NAME:
			name_at = pp_spaa_here(p);
			d->has_name = pp_spaa_text(p, &o, PP_SPAA_R_DSO_NAME, &d->name);
			break;
		case DSO_BUILD_ID: {
			const unsigned char *at = pp_spaa_here(p);

			if (pp_spaa_text(p, &o, PP_SPAA_R_BUILD_ID, &d->build_id) &&
			    !is_build_id(d->build_id))
				pp_spaa_find(p, PP_SPAA_R_BUILD_ID_FORM, at,
				             "the build id is not lowercase hexadecimal bytes");
			break;
		}
		case DSO_KERNEL:
			(void)pp_spaa_bool(p, &o, PP_SPAA_R_DSO_KERNEL, &d->is_kernel);
			break;
		default:
			(void)pp_spaa_walk(p);
			break;
		}
	pp_spaa_object_need(p, &o, DSO_ID, PP_SPAA_R_DSO_ID);
	pp_spaa_object_need(p, &o, DSO_NAME, PP_SPAA_R_DSO_NAME);
	if (d->has_name && !d->is_kernel && pp_spaa_kernel_name(d->name))
		pp_spaa_find(p, PP_SPAA_R_KERNEL_FLAG, name_at,
		             "\"%.*s\" looks like a kernel, but is_kernel is not true",
		             (int)(d->name.n < 80 ? d->name.n : 80), (const char *)d->name.p);
}

void
pp_spaa_apply_dso(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_dso *d = &rec->u.dso;
	struct pp_module_row module = { .kind = d->is_kernel ? PP_MODULE_KERNEL
		                                             : PP_MODULE_BINARY };
	struct pp_spaa_dso_row row = { .id = d->id, .is_kernel = d->is_kernel };
	uint32_t at;

	if (!d->has_id)
		return;
	if (pp_spaa_table_get(&r->dso_of, d->id, &at)) {
		pp_spaa_report(r, rec, PP_SPAA_R_DSO_TWICE,
		               pp_spaa_locate(r, rec, PP_SPAA_R_DSO_TWICE, "id", NULL),
		               "dso %llu is defined twice", (unsigned long long)d->id);
		return;
	}
	if (r->want_tree) {
		module.name = pp_build_str(r->builder, d->name);
		module.build_id = pp_build_str(r->builder, d->build_id);
		row.module = pp_build_module(r->builder, &module);
	}
	if (!pp_vec_push(&r->dsos, row) ||
	    !pp_spaa_table_set(&r->dso_of, d->id, (uint32_t)(r->dsos.n - 1)))
		pp_spaa_no_memory(r);
}

/* ---- frames ----------------------------------------------------------------------------- */

enum {
	FRAME_TYPE,
	FRAME_ID,
	FRAME_FUNC,
	FRAME_FUNC_RESOLVED,
	FRAME_DSO,
	FRAME_IP,
	FRAME_SYMOFF,
	FRAME_SRCLINE,
	FRAME_SRCLINE_RESOLVED,
	FRAME_INLINED,
	FRAME_DEPTH,
	FRAME_KIND
};
static const struct pp_slice frame_names[] = {
	NAME("type"),          NAME("id"),           NAME("func"),
	NAME("func_resolved"), NAME("dso"),          NAME("ip"),
	NAME("symoff"),        NAME("srcline"),      NAME("srcline_resolved"),
	NAME("inlined"),       NAME("inline_depth"), NAME("kind"),
};
static const struct pp_slice kind_words[] = { NAME("user"), NAME("kernel"), NAME("unknown") };

/* What can only be said when all keys are known. */
static void
frame_judge(struct pp_spaa_parser *p, const struct pp_spaa_object *o,
            const unsigned char *const *at, bool srcline_unresolved)
{
	const struct pp_spaa_frame *f = &p->rec->u.frame;

	pp_spaa_object_need(p, o, FRAME_ID, PP_SPAA_R_FRAME_ID);
	pp_spaa_object_need(p, o, FRAME_FUNC, PP_SPAA_R_FUNC);
	pp_spaa_object_need(p, o, FRAME_DSO, PP_SPAA_R_FRAME_DSO);
	pp_spaa_object_need(p, o, FRAME_KIND, PP_SPAA_R_FRAME_KIND_MISSING);
	if (f->has_func && f->func.n == 0)
		pp_spaa_find(p, PP_SPAA_R_FUNC_EMPTY, at[FRAME_FUNC], "the function has no name");
	if (f->has_func && f->unresolved && !pp_spaa_is_hex(f->func))
		pp_spaa_find(p, PP_SPAA_R_FUNC_UNRESOLVED, at[FRAME_FUNC],
		             "func_resolved is false, but func is not a hexadecimal address");
	if (f->has_ip && !pp_spaa_is_hex(f->ip))
		pp_spaa_find(p, PP_SPAA_R_IP_HEX, at[FRAME_IP],
		             "ip is not 0x and hexadecimal digits");
	if (f->has_symoff && !pp_spaa_is_hex(f->symoff))
		pp_spaa_find(p, PP_SPAA_R_SYMOFF_HEX, at[FRAME_SYMOFF],
		             "symoff is not 0x and hexadecimal digits");
	if (f->has_srcline && f->srcline.n && srcline_unresolved)
		pp_spaa_find(p, PP_SPAA_R_SRCLINE_FLAG, at[FRAME_SRCLINE],
		             "srcline is given, but srcline_resolved is false");
	if (f->has_depth && f->inlined != (f->depth > 0))
		pp_spaa_find(p, PP_SPAA_R_INLINE_FLAG, at[FRAME_DEPTH],
		             "inlined is %s, but inline_depth is %llu",
		             f->inlined ? "true" : "false", (unsigned long long)f->depth);
}

void
pp_spaa_parse_frame(struct pp_spaa_parser *p)
{
	struct pp_spaa_frame *f = &p->rec->u.frame;
	const unsigned char *at[FRAME_KIND + 1] = { 0 };
	bool resolved = true, srcline_resolved = true;
	struct pp_spaa_object o;
	unsigned kind;

	*f = (struct pp_spaa_frame){ .kind = PP_SPAA_UNKNOWN };
	(void)pp_spaa_object_begin(p, &o, frame_names, PP_COUNT_OF(frame_names),
	                           PP_SPAA_R_NOT_OBJECT, "the frame");
	o.warn = true;
	while (pp_spaa_object_key(p, &o, NULL)) {
		at[o.index] = pp_spaa_here(p);
		switch (o.index) {
		case FRAME_ID:
			f->has_id = pp_spaa_uint(p, &o, PP_SPAA_R_FRAME_ID, &f->id);
			break;
		case FRAME_FUNC:
			f->has_func = pp_spaa_text(p, &o, PP_SPAA_R_FUNC, &f->func);
			break;
		case FRAME_FUNC_RESOLVED:
			(void)pp_spaa_bool(p, &o, PP_SPAA_R_FUNC_RESOLVED, &resolved);
			break;
		case FRAME_DSO:
			f->has_dso = pp_spaa_uint(p, &o, PP_SPAA_R_FRAME_DSO, &f->dso);
			break;
		case FRAME_IP:
			f->has_ip = pp_spaa_text(p, &o, PP_SPAA_R_IP, &f->ip);
			break;
		case FRAME_SYMOFF:
			f->has_symoff = pp_spaa_text(p, &o, PP_SPAA_R_SYMOFF, &f->symoff);
			break;
		case FRAME_SRCLINE:
			f->has_srcline = pp_spaa_text(p, &o, PP_SPAA_R_SRCLINE, &f->srcline);
			break;
		case FRAME_SRCLINE_RESOLVED:
			(void)pp_spaa_bool(p, &o, PP_SPAA_R_SRCLINE, &srcline_resolved);
			break;
		case FRAME_INLINED:
			(void)pp_spaa_bool(p, &o, PP_SPAA_R_INLINED, &f->inlined);
			break;
		case FRAME_DEPTH:
			f->has_depth = pp_spaa_uint(p, &o, PP_SPAA_R_INLINE_DEPTH, &f->depth);
			break;
		case FRAME_KIND:
			if (pp_spaa_word(p, &o, PP_SPAA_R_FRAME_KIND, kind_words,
			                 PP_COUNT_OF(kind_words), true, &kind))
				f->kind = (enum pp_spaa_kind)kind;
			break;
		default:
			(void)pp_spaa_walk(p);
			break;
		}
	}
	f->unresolved = !resolved;
	frame_judge(p, &o, at, !srcline_resolved);
}

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
	pp_func func = pp_map_get(&r->func_of, key);

	if (!pp_builder_ok(b))
		return 0;
	if (func == PP_MAP_NONE) {
		row.flags = (f->kind == PP_SPAA_KERNEL ? PP_FUNC_KERNEL : 0u) |
		            (f->unresolved ? PP_FUNC_UNKNOWN : 0u);
		func = pp_build_func(b, &row);
		if (!pp_map_set(&r->func_of, key, func))
			pp_spaa_no_memory(r);
	}
	if (pp_builder_ok(b) && !b->profile->funcs.at[func].file)
		b->profile->funcs.at[func].file = file;
	return func;
}

/* Tries the filter on a frame. */
static pp_frame
frame_sift(struct pp_spaa_reader *r, pp_frame frame)
{
	if (r->sieve.filter && pp_builder_ok(r->builder) &&
	    !pp_sieve_frames(&r->sieve, r->builder->profile))
		pp_spaa_no_memory(r);
	return frame;
}

/* Where places are not asked for, one frame for each function makes a smaller tree. */
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

	if (f->has_srcline) {
		srcline_split(f->srcline, &path, &row.line, &row.column);
		file = pp_build_str(b, path);
	}
	row.func = frame_func(r, f, module, file);
	if (r->functions)
		row = (struct pp_frame_row){ .func = row.func };
	else if (pp_builder_ok(b) && file != b->profile->funcs.at[row.func].file)
		row.file = file;
	return frame_sift(r, pp_build_frame(b, &row));
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
		                         .has_depth = f->has_depth,
		                         .depth = f->depth,
		                         .ip = text_mark(r, f->has_ip, f->ip),
		                         .symoff = text_mark(r, f->has_symoff, f->symoff) };
	uint32_t at;

	if (!f->has_id || !f->has_func)
		return;
	if (pp_spaa_table_get(&r->frame_of, f->id, &at)) {
		pp_spaa_report(r, rec, PP_SPAA_R_FRAME_TWICE,
		               pp_spaa_locate(r, rec, PP_SPAA_R_FRAME_TWICE, "id", NULL),
		               "frame %llu is defined twice", (unsigned long long)f->id);
		return;
	}
	if (f->has_dso && !pp_spaa_table_get(&r->dso_of, f->dso, &row.dso)) {
		row.dso = UINT32_MAX;
		pp_spaa_report(r, rec, PP_SPAA_R_DSO_UNDEFINED,
		               pp_spaa_locate(r, rec, PP_SPAA_R_DSO_UNDEFINED, "dso", NULL),
		               "frame %llu names dso %llu, which no dso record before it defines",
		               (unsigned long long)f->id, (unsigned long long)f->dso);
	} else if (f->has_dso && f->kind != PP_SPAA_UNKNOWN &&
	           (f->kind == PP_SPAA_KERNEL) != r->dsos.at[row.dso].is_kernel) {
		pp_spaa_report(r, rec, PP_SPAA_R_KERNEL_FLAG,
		               pp_spaa_locate(r, rec, PP_SPAA_R_KERNEL_FLAG, "kind", NULL),
		               "the frame is %s code, but its dso %llu has is_kernel %s",
		               f->kind == PP_SPAA_KERNEL ? "kernel" : "user",
		               (unsigned long long)f->dso,
		               r->dsos.at[row.dso].is_kernel ? "true" : "false");
	}
	if (r->want_tree)
		row.frame = frame_build(r, f,
		                        row.dso == UINT32_MAX ? 0 : r->dsos.at[row.dso].module);
	if (r->keep)
		row.kept = pp_keep_name(r->reader->order->keep, f->func);
	if (!pp_vec_push(&r->frames, row) ||
	    !pp_spaa_table_set(&r->frame_of, f->id, (uint32_t)(r->frames.n - 1)))
		pp_spaa_no_memory(r);
}

/* ---- threads ---------------------------------------------------------------------------- */

enum { THREAD_TYPE, THREAD_PID, THREAD_TID, THREAD_COMM };
static const struct pp_slice thread_names[] = { NAME("type"), NAME("pid"), NAME("tid"),
	                                        NAME("comm") };

void
pp_spaa_parse_thread(struct pp_spaa_parser *p)
{
	struct pp_spaa_thread *t = &p->rec->u.thread;
	struct pp_spaa_object o;

	*t = (struct pp_spaa_thread){ 0 };
	(void)pp_spaa_object_begin(p, &o, thread_names, PP_COUNT_OF(thread_names),
	                           PP_SPAA_R_NOT_OBJECT, "the thread");
	o.warn = true;
	while (pp_spaa_object_key(p, &o, NULL))
		switch (o.index) {
		case THREAD_PID:
			(void)pp_spaa_uint(p, &o, PP_SPAA_R_THREAD_ID, &t->pid);
			break;
		case THREAD_TID:
			(void)pp_spaa_uint(p, &o, PP_SPAA_R_THREAD_ID, &t->tid);
			break;
		case THREAD_COMM:
			(void)pp_spaa_text(p, &o, PP_SPAA_R_THREAD_COMM, &t->comm);
			break;
		default:
			(void)pp_spaa_walk(p);
			break;
		}
	pp_spaa_object_need(p, &o, THREAD_TID, PP_SPAA_R_THREAD_ID);
	pp_spaa_object_need(p, &o, THREAD_PID, PP_SPAA_R_THREAD_ID);
}

void
pp_spaa_apply_thread(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_thread *t = &rec->u.thread;
	struct pp_spaa_thread_row row = { .tid = t->tid, .pid = t->pid, .declared = true };
	uint32_t at;

	if (rec->wrong)
		return;
	row.comm = pp_build_str(r->builder, t->comm);
	if (!pp_spaa_table_get(&r->thread_of, t->tid, &at)) {
		if (!pp_vec_push(&r->threads, row) ||
		    !pp_spaa_table_set(&r->thread_of, t->tid, (uint32_t)(r->threads.n - 1)))
			pp_spaa_no_memory(r);
		return;
	}
	row.used = r->threads.at[at].used;
	if (r->threads.at[at].declared && r->threads.at[at].pid != t->pid) {
		pp_spaa_report(
		    r, rec, PP_SPAA_R_THREAD_PID,
		    pp_spaa_locate(r, rec, PP_SPAA_R_THREAD_PID, "pid", NULL),
		    "thread %llu belongs to process %llu and to %llu", (unsigned long long)t->tid,
		    (unsigned long long)r->threads.at[at].pid, (unsigned long long)t->pid);
		return;
	}
	if (r->threads.at[at].declared)
		pp_spaa_report(r, rec, PP_SPAA_R_THREAD_TWICE,
		               pp_spaa_locate(r, rec, PP_SPAA_R_THREAD_TWICE, "tid", NULL),
		               "thread %llu is declared twice", (unsigned long long)t->tid);
	if (row.used)
		pp_spaa_report(r, rec, PP_SPAA_R_THREAD_LATE,
		               pp_spaa_locate(r, rec, PP_SPAA_R_THREAD_LATE, "tid", NULL),
		               "thread %llu is declared after a stack used it",
		               (unsigned long long)t->tid);
	r->threads.at[at] = row;
}
