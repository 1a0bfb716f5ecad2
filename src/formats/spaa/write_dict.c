/*
 * Writing SPAA: the header and the dictionaries of dsos, frames and threads.
 */
#include "formats/kit/meta_json.h"
#include "formats/spaa/write.h"

#include <stdio.h>

/* ---- records by the grammar ------------------------------------------------------------- */

static void
field_write(struct pp_json *j, const struct pp_json_field *f, const char *key, const void *from)
{
	const struct pp_json_words *words = f->more;

	switch (f->kind) {
	case PP_SPAA_V_UINT:
	case PP_SPAA_V_OUR_UINT:
		pp_json_put_u64(j, key, *(const uint64_t *)from);
		break;
	case PP_SPAA_V_SMALL:
		pp_json_put_i64(j, key, *(const int64_t *)from);
		break;
	case PP_SPAA_V_NUMBER: /* of ns, which are whole */
		pp_json_put_i64(j, key, (int64_t)((const struct pp_decimal *)from)->magnitude);
		break;
	case PP_SPAA_V_BOOL:
		pp_json_put_bool(j, key, *(const bool *)from);
		break;
	case PP_SPAA_V_WORD:
		pp_json_put_text(j, key, words->words[*(const uint32_t *)from]);
		break;
	case PP_SPAA_V_ID:
		pp_json_put_text(j, key, ((const struct pp_spaa_id *)from)->text);
		break;
	default:
		pp_json_put_text(j, key, *(const struct pp_slice *)from);
		break;
	}
}

void
pp_spaa_record_write(struct pp_json *j, enum pp_spaa_type type, const void *record)
{
	const struct pp_json_shape *shape = &pp_spaa_shapes[type];
	uint32_t has = *(const uint32_t *)((const char *)record + shape->has);
	unsigned i;

	pp_json_begin_object(j);
	pp_json_put_textz(j, "type", shape->what + strlen("the "));
	for (i = 1; i < shape->count; i++) {
		const struct pp_json_field *f = &shape->fields[i];

		if (has >> i & 1 || f->missing != PP_SPAA_R_OPTIONAL)
			field_write(j, f, (const char *)shape->keys[i].p,
			            (const char *)record + f->to);
	}
	pp_json_end_object(j);
	pp_json_end_line(j);
}

/* ---- the header ------------------------------------------------------------------------- */

/* The row of a top-level key; meta.n when there is none. */
static size_t
meta_find(const struct pp_profile *p, const char *key)
{
	size_t i;

	for (i = 0; i < p->meta.n; i++)
		if (!p->meta.at[i].parent && pp_slice_eq_z(pp_text_of(p, p->meta.at[i].key), key))
			break;
	return i;
}

/* The row of a key below another; meta.n when there is none. */
static size_t
meta_below(const struct pp_profile *p, size_t row, const char *key)
{
	size_t i;

	for (i = row + 1; i < p->meta.n; i++)
		if (p->meta.at[i].parent == row + 1 &&
		    pp_slice_eq_z(pp_text_of(p, p->meta.at[i].key), key))
			return i;
	return p->meta.n;
}

static bool
meta_is(const struct pp_profile *p, size_t row, struct pp_slice text)
{
	return row < p->meta.n && p->meta.at[row].type == PP_META_TEXT &&
	       pp_slice_eq(pp_text_of(p, p->meta.at[row].text), text);
}

/*
 * What the metadata says of an event, in the form it has here; meta.n when it says nothing, or speaks of
 * another metric. Readers of formats that tell how events were sampled leave it there.
 */
static size_t
event_known(const struct pp_spaa_out *o, const struct pp_spaa_out_event *e)
{
	const struct pp_profile *p = o->p;
	size_t list = meta_find(p, "events"), i, sampling;

	if (list >= p->meta.n || p->meta.at[list].type != PP_META_ARRAY || e->freed ||
	    o->own_meta != o->native)
		return p->meta.n;
	for (i = list + 1; i < p->meta.n; i++) {
		if (p->meta.at[i].parent != list + 1 ||
		    !meta_is(p, meta_below(p, i, "name"), e->name) ||
		    meta_below(p, i, "kind") >= p->meta.n)
			continue;
		sampling = meta_below(p, i, "sampling");
		if (sampling < p->meta.n && meta_below(p, sampling, "mode") < p->meta.n &&
		    meta_is(p, meta_below(p, sampling, "primary_metric"),
		            pp_text_of(p, p->metrics.at[e->primary].name)))
			return i;
	}
	return p->meta.n;
}

static void
event_write(struct pp_spaa_out *o, const struct pp_spaa_out_event *e)
{
	size_t known = event_known(o, e);
	const struct pp_metric *m = &o->p->metrics.at[e->primary];
	struct pp_json *j = &o->json;
	struct pp_buf name = { 0 };
	const char *kind = "probe", *mode = "event";

	if (known < o->p->meta.n) {
		pp_meta_json_write(j, o->p, known, false);
		return;
	}
	pp_buf_add(&name, pp_text_of(o->p, m->name).p, pp_text_of(o->p, m->name).n);
	if (e->freed)
		pp_buf_adds(&name, "_freed");
	if (m->kind == PP_KIND_BYTES) {
		kind = e->freed ? "deallocation" : "allocation";
	} else if (m->kind == PP_KIND_EVENTS) {
		kind = "hardware";
		mode = "period";
	} else if (m->flags & PP_METRIC_SAMPLED) {
		kind = "timer";
		mode = "frequency";
	}
	pp_json_begin_object(j);
	pp_json_put_text(j, "name", e->name);
	pp_json_put_textz(j, "kind", kind);
	pp_json_put_object(j, "sampling");
	pp_json_put_textz(j, "mode", mode);
	pp_json_put_text(j, "primary_metric", pp_slice_of(name.p, name.n));
	pp_json_end_object(j);
	pp_json_end_object(j);
	o->failed |= name.failed;
	pp_buf_release(&name);
}

static void
events_write(struct pp_spaa_out *o)
{
	static const char nothing[] = "{\"name\":\"nothing\",\"kind\":\"probe\",\"sampling\":"
	                              "{\"mode\":\"event\",\"primary_metric\":\"count\"}}";
	size_t row = meta_find(o->p, "events"), i;

	if (o->own_meta && o->p->complete && row < o->p->meta.n &&
	    o->p->meta.at[row].type == PP_META_ARRAY) {
		pp_meta_json_write(&o->json, o->p, row, true);
		return;
	}
	pp_json_put_array(&o->json, "events");
	if (!o->events.n) {
		/* An empty profile counts nothing, but every file has an event. */
		pp_json_raw(&o->json, nothing, strlen(nothing));
	}
	for (i = 0; i < o->events.n; i++)
		if (i < o->main_events || o->events.at[i].used)
			event_write(o, &o->events.at[i]);
	pp_json_end_array(&o->json);
}

/* The time that samples and the profile span. */
static bool
time_span(const struct pp_spaa_out *o, int64_t *start, int64_t *end)
{
	bool any = o->p->time.known;
	size_t i;

	*start = o->p->time.start;
	*end = o->p->time.end;
	for (i = 0; o->samples && i < o->p->series.n; i++) {
		const struct pp_timeline *t = &o->p->series.at[i].timeline;
		struct pp_timeline_iter it;

		if (!t->n || t->cumulative || !pp_timeline_begin(t, &it, 0))
			continue;
		while (pp_timeline_next(&it)) {
			*start = !any || it.event.time < *start ? it.event.time : *start;
			*end = !any || it.event.time > *end ? it.event.time : *end;
			any = true;
		}
		pp_timeline_end(&it);
	}
	return any;
}

static void
source_write(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	struct pp_json *j = &o->json;
	size_t row = meta_find(p, "source"), i;

	if (o->native && !o->own_meta)
		return;
	if (!o->native) {
		pp_json_put_object(j, "source");
		pp_json_put_text(j, "tool",
		                 p->producer ? pp_text_of(p, p->producer)
		                             : pp_slice_z(pp_profile_native(p)->name));
		pp_json_end_object(j);
		return;
	}
	if (row < p->meta.n)
		pp_meta_json_write(j, p, row, true);
	for (i = 0; i < p->meta.n; i++) {
		struct pp_slice key = pp_text_of(p, p->meta.at[i].key);

		if (!p->meta.at[i].parent && key.n > 2 && key.p[0] == 'x' && key.p[1] == '_' &&
		    !pp_slice_eq_z(key, "x_incomplete"))
			pp_meta_json_write(j, p, i, true);
	}
}

static void
header_write(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	struct pp_json *j = &o->json;
	int64_t start, end;

	pp_json_begin_object(j);
	pp_json_put_textz(j, "type", "header");
	pp_json_put_textz(j, "format", "spaa");
	pp_json_put_textz(j, "version", "1.0");
	if (o->native && p->producer)
		pp_json_put_text(j, "source_tool", pp_text_of(p, p->producer));
	else
		pp_json_put_textz(j, "source_tool", "polyprof");
	pp_json_put_textz(j, "frame_order", "leaf_to_root");
	events_write(o);
	if (time_span(o, &start, &end)) {
		pp_json_put_object(j, "time_range");
		pp_json_put_i64(j, "start", start);
		pp_json_put_i64(j, "end", end);
		pp_json_put_textz(j, "unit", "nanoseconds");
		pp_json_end_object(j);
	}
	source_write(o);
	pp_json_put_textz(j, "stack_id_mode", "content_addressable");
	if (!p->complete)
		pp_json_put_bool(j, "x_incomplete", true);
	if (!o->native) {
		pp_json_put_object(j, "x_polyprof");
		pp_json_put_u64(j, "version", 1);
		pp_json_put_textz(j, "format", pp_profile_native(p)->name);
		if (p->held)
			pp_json_put_bool(j, "listed", true);
		pp_json_end_object(j);
	}
	pp_json_end_object(j);
	pp_json_end_line(j);
}

/* Whether a header is one that the reader does not refuse. */
static bool
header_is_right(struct pp_spaa_out *o, struct pp_slice line)
{
	struct pp_spaa_record rec = { .text = line };
	struct pp_spaa_header header = { 0 };
	struct pp_spaa_chunk chunk = { 0 };
	struct pp_spaa_parser parser;
	bool right;

	if (!pp_spaa_parser_init(&parser, o->p->strs.seed, pp_limits_default())) {
		o->failed = true;
		return false;
	}
	right = pp_spaa_header_parse(&parser, &chunk, &rec, &header) && !rec.wrong;
	o->failed |= chunk.status != PP_OK;
	pp_spaa_chunk_release(&chunk);
	pp_spaa_parser_release(&parser);
	return right;
}

/* What of a file that has errors stands in its metadata may be just what was refused. */
static void
meta_judge(struct pp_spaa_out *o)
{
	const struct pp_json json = o->json;
	struct pp_buf line = { 0 };
	struct pp_sink *sink;
	size_t n;

	if (pp_sink_buffer(&line, &sink) != PP_OK) {
		o->failed = true;
		return;
	}
	pp_json_init(&o->json, sink, PP_JSON_COMPACT);
	header_write(o);
	o->json = json;
	o->failed |= pp_sink_commit(sink) != PP_OK;
	pp_sink_close(sink);
	for (n = line.n; line.n < n + PP_SCAN_PAD && !line.failed;)
		pp_buf_addc(&line, '\0');
	o->own_meta = !line.failed && !o->failed && header_is_right(o, pp_slice_of(line.p, n));
	o->failed |= line.failed;
	o->w->loss.dropped |= o->own_meta ? 0 : PP_HAS(METADATA);
	pp_buf_release(&line);
}

void
pp_spaa_write_header(struct pp_spaa_out *o)
{
	if (o->native && !o->p->complete)
		meta_judge(o);
	if (!o->failed)
		header_write(o);
}

/* ---- dsos ------------------------------------------------------------------------------- */

static bool
module_is_kernel(const struct pp_profile *p, pp_module module)
{
	return p->modules.at[module].kind == PP_MODULE_KERNEL;
}

/* The slot in dso_of of a frame: its module, or what stands for none. */
static size_t
dso_slot(const struct pp_profile *p, const struct pp_frame_row *row)
{
	const struct pp_func_row *f = &p->funcs.at[row->func];

	if (f->flags & PP_FUNC_KERNEL && !module_is_kernel(p, f->module) &&
	    !(row->flags & PP_FRAME_KINDS && f->module))
		return p->modules.n;
	return f->module;
}

static void
dso_write(struct pp_spaa_out *o, size_t slot)
{
	const struct pp_profile *p = o->p;
	const struct pp_module_row *m = slot < p->modules.n ? &p->modules.at[slot] : NULL;
	struct pp_spaa_dso dso = { .id = o->dso_of[slot],
		                   .is_kernel = !m || (slot && m->kind == PP_MODULE_KERNEL),
		                   .name = pp_slice_z(m ? "[unknown]" : "[kernel]") };

	if (m && slot) {
		dso.name = pp_text_of(p, m->name);
		dso.is_kernel |= pp_spaa_kernel_name(dso.name);
	}
	if (m)
		dso.build_id = pp_text_of(p, m->build_id);
	dso.has = PP_SPAA_BIT(true, DSO_KERNEL) | PP_SPAA_BIT(dso.build_id.n, DSO_BUILD_ID);
	pp_spaa_record_write(&o->json, PP_SPAA_O_DSO, &dso);
}

/* ---- frames ----------------------------------------------------------------------------- */

struct pp_frame_row
pp_spaa_out_frame(const struct pp_spaa_out *o, uint32_t key)
{
	struct pp_frame_row row = { .func = key, .flags = o->from.kinds ? o->from.kinds[key] : 0 };

	return o->by_func ? row : o->p->frames.at[key];
}

static bool
func_is_kernel(const struct pp_profile *p, const struct pp_func_row *f)
{
	return f->flags & PP_FUNC_KERNEL || module_is_kernel(p, f->module) ||
	       (f->module && pp_spaa_kernel_name(pp_text_of(p, p->modules.at[f->module].name)));
}

/* What the file said, else what the function and its module are. */
static enum pp_spaa_kind
frame_kind(const struct pp_profile *p, const struct pp_frame_row *row)
{
	const struct pp_func_row *f = &p->funcs.at[row->func];

	if (row->flags & PP_FRAME_KINDS)
		return row->flags & PP_FRAME_USER     ? PP_SPAA_USER
		       : row->flags & PP_FRAME_KERNEL ? PP_SPAA_KERNEL
		                                      : PP_SPAA_UNKNOWN;
	if (func_is_kernel(p, f))
		return PP_SPAA_KERNEL;
	return f->flags & PP_FUNC_PSEUDO ? PP_SPAA_UNKNOWN : PP_SPAA_USER;
}

static void
number_add(struct pp_buf *out, uint32_t number)
{
	char text[PP_NUM_MAX];

	pp_buf_add(out, text, pp_num_print(text, number, 0));
}

/* "file:line", "file:line:column". */
static void
srcline_print(const struct pp_spaa_out *o, const struct pp_frame_row *row, struct pp_buf *out)
{
	const struct pp_profile *p = o->p;
	pp_str file = row->file ? row->file : p->funcs.at[row->func].file;

	if (!row->line || !file)
		return;
	pp_buf_add(out, pp_text_of(p, file).p, pp_text_of(p, file).n);
	pp_buf_addc(out, ':');
	number_add(out, row->line);
	if (row->column) {
		pp_buf_addc(out, ':');
		number_add(out, row->column);
	}
}

#define FUNC_TEXT 24

static struct pp_slice
hex_text(uint64_t value, char text[FUNC_TEXT])
{
	memcpy(text, "0x", 2);
	return pp_slice_of(text, 2 + pp_num_print_hex(text + 2, value, 1));
}

/* What a function is called: one without symbol by its address, whatever stands for it elsewhere. */
static struct pp_slice
func_text(const struct pp_func_row *f, struct pp_slice name, uint64_t address, char text[FUNC_TEXT])
{
	if (f->flags & PP_FUNC_UNKNOWN && address && !pp_spaa_is_hex(name))
		return hex_text(address, text);
	return name.n ? name : pp_slice_z("[no name]");
}

uint64_t
pp_spaa_frame_key(struct pp_spaa_out *o, uint32_t key)
{
	const struct pp_profile *p = o->p;
	struct pp_frame_row row = pp_spaa_out_frame(o, key);
	const struct pp_func_row *f = &p->funcs.at[row.func];
	size_t slot = dso_slot(p, &row);
	struct pp_slice dso = slot == p->modules.n ? pp_slice_z("[kernel]")
	                      : slot               ? pp_text_of(p, p->modules.at[slot].name)
	                                           : pp_slice_z("[unknown]");
	struct pp_buf place = { 0 };
	struct pp_slice func;
	char text[FUNC_TEXT];
	uint64_t h = PP_FNV_BASIS;
	size_t i;

	for (i = dso.n; i > 0 && dso.p[i - 1] != '/'; i--)
		;
	h = pp_fnv_add(h, dso.p + i, dso.n - i);
	h = pp_spaa_fnv_byte(h, 0);
	func = func_text(f, pp_text_of(p, f->name), row.address, text);
	h = pp_fnv_add(h, func.p, func.n);
	h = pp_spaa_fnv_byte(h, 0);
	srcline_print(o, &row, &place);
	pp_buf_addc(&place, '\0');
	/* Offsets stay when addresses move. */
	if (row.offset)
		pp_buf_addc(&place, '+');
	if (row.offset || row.address)
		pp_buf_add(&place, text,
		           pp_num_print_hex(text, row.offset ? row.offset : row.address, 1));
	pp_buf_addc(&place, '\0');
	if (row.flags & PP_FRAME_INLINED) {
		pp_buf_addc(&place, 'i');
		number_add(&place, row.inline_depth);
	}
	pp_buf_addc(&place, '\1');
	h = pp_fnv_add(h, place.p, place.n);
	o->failed |= place.failed;
	pp_buf_release(&place);
	return h;
}

static void
frame_write(struct pp_spaa_out *o, uint32_t key)
{
	const struct pp_profile *p = o->p;
	struct pp_frame_row row = pp_spaa_out_frame(o, key);
	const struct pp_func_row *f = &p->funcs.at[row.func];
	struct pp_slice name = pp_text_of(p, f->name);
	bool resolved = !(f->flags & PP_FUNC_UNKNOWN && (row.address || pp_spaa_is_hex(name))),
	     inlined = row.flags & PP_FRAME_INLINED;
	char func[FUNC_TEXT], ip[FUNC_TEXT], symoff[FUNC_TEXT];
	struct pp_buf srcline = { 0 };
	struct pp_spaa_frame frame = { .id = key,
		                       .func = func_text(f, name, row.address, func),
		                       .dso = o->dso_of[dso_slot(p, &row)],
		                       .ip = hex_text(row.address, ip),
		                       .symoff = hex_text(row.offset, symoff),
		                       .file = pp_text_of(p, f->file),
		                       .first_line = f->line,
		                       .inlined = inlined,
		                       .depth = row.inline_depth,
		                       .kind = frame_kind(p, &row) };

	srcline_print(o, &row, &srcline);
	frame.srcline = pp_slice_of(srcline.p, srcline.n);
	frame.has = PP_SPAA_BIT(!resolved, FRAME_FUNC_RESOLVED) |
	            PP_SPAA_BIT(row.address, FRAME_IP) | PP_SPAA_BIT(row.offset, FRAME_SYMOFF) |
	            PP_SPAA_BIT(srcline.n, FRAME_SRCLINE) |
	            PP_SPAA_BIT(!srcline.n && f->file, FRAME_FILE) |
	            PP_SPAA_BIT(f->line, FRAME_FIRST_LINE) |
	            PP_SPAA_BIT(inlined || row.inline_depth, FRAME_INLINED) |
	            PP_SPAA_BIT(row.inline_depth, FRAME_DEPTH);
	pp_spaa_record_write(&o->json, PP_SPAA_O_FRAME, &frame);
	o->failed |= srcline.failed;
	pp_buf_release(&srcline);
}

/* ---- threads ---------------------------------------------------------------------------- */

static void
threads_write(struct pp_spaa_out *o)
{
	struct pp_map known = { .seed = o->p->strs.seed };
	struct pp_spaa_thread thread;
	size_t i;

	for (i = 0; i < o->p->series.n; i++) {
		const struct pp_series *s = &o->p->series.at[i];

		if (s->tid < 0 || s->pid < 0 || pp_map_get(&known, (uint64_t)s->tid) != PP_MAP_NONE)
			continue;
		if (!pp_map_set(&known, (uint64_t)s->tid, 1)) {
			o->failed = true;
			break;
		}
		thread = (struct pp_spaa_thread){ .has = PP_SPAA_BIT(s->thread, THREAD_COMM),
			                          .pid = (uint64_t)s->pid,
			                          .tid = (uint64_t)s->tid,
			                          .comm = pp_text_of(o->p, s->thread) };
		pp_spaa_record_write(&o->json, PP_SPAA_O_THREAD, &thread);
	}
	pp_map_release(&known);
}

/* ---- all dictionaries ------------------------------------------------------------------- */

void
pp_spaa_write_dicts(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	size_t keys = o->by_func ? p->funcs.n : p->frames.n, i, slot;
	bool no_stack = o->from.rows.n && o->from.rows.at[0].node == 0;
	struct pp_frame_row row;
	uint32_t dsos = 0;

	o->dso_of = calloc(p->modules.n + 1, sizeof *o->dso_of);
	if (!o->dso_of) {
		o->failed = true;
		return;
	}
	if (no_stack)
		o->dso_of[0] = ++dsos;
	for (i = 1; i < keys; i++) {
		if (!o->keys[i])
			continue;
		row = pp_spaa_out_frame(o, (uint32_t)i);
		slot = dso_slot(p, &row);
		if (!o->dso_of[slot])
			o->dso_of[slot] = ++dsos;
	}
	for (slot = 0; slot <= p->modules.n; slot++)
		if (o->dso_of[slot])
			dso_write(o, slot);
	if (no_stack) {
		/* What stands for samples without frames. */
		const struct pp_spaa_frame none = { .func = pp_slice_z("[no stack]"),
			                            .dso = o->dso_of[0],
			                            .kind = PP_SPAA_UNKNOWN };

		pp_spaa_record_write(&o->json, PP_SPAA_O_FRAME, &none);
	}
	for (i = 1; i < keys; i++)
		if (o->keys[i])
			frame_write(o, (uint32_t)i);
	threads_write(o);
}
