/*
 * From a Pynytprof document to a profile.
 *
 * Lines cost their exclusive ticks. An edge's `ticks` are inclusive. Its `sub_ticks` are what the callee
 * cost itself; on edges from a sub to itself they mean that only where they differ from `ticks`, because
 * the writer repeats the inclusive value of every level there.
 */
#include "formats/pynytprof/read.h"

#include <stdio.h>

#include "base/num.h"
#include "base/utf8.h"

#define NAME_SHOWN 200

struct pyn_load {
	struct pp_pyn_doc *doc;
	struct pp_builder *builder;
	struct pp_diags *diags;
	struct pp_map file_of; /* fid -> pp_str */
	struct pp_map sub_of;  /* sid -> pp_func */
	unsigned unnamed_files;
	bool unnamed_sub;
};

static struct pp_slice
setting(const struct pp_pyn_doc *doc, const char *key)
{
	size_t i;

	for (i = 0; i < doc->settings.n; i++)
		if (!doc->settings.at[i].option && pp_slice_eq_z(doc->settings.at[i].key, key))
			return doc->settings.at[i].value;
	return pp_slice_of("", 0);
}

/* UTF-8 as it is, anything else as Latin-1. */
static pp_str
text_of(struct pp_builder *b, struct pp_slice s)
{
	struct pp_buf utf8 = { 0 };
	unsigned char code[4];
	pp_str id;
	size_t i;

	if (pp_utf8_valid(s))
		return pp_build_str(b, s);
	for (i = 0; i < s.n; i++)
		pp_buf_add(&utf8, code, pp_utf8_encode(s.p[i], code));
	if (utf8.failed)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	id = pp_build_str(b, pp_slice_of(utf8.p ? utf8.p : "", utf8.n));
	pp_buf_release(&utf8);
	return id;
}

static pp_str
numbered(struct pp_builder *b, const char *what, uint32_t n)
{
	struct pp_buf text = { 0 };
	pp_str id;

	pp_buf_addf(&text, "%s %u", what, n);
	if (text.failed)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	id = pp_build_str(b, pp_slice_of(text.p ? text.p : "", text.n));
	pp_buf_release(&text);
	return id;
}

/* ---- names ------------------------------------------------------------------------------- */

static void
remember(struct pyn_load *load, struct pp_map *map, uint32_t key, uint32_t id)
{
	if (!pp_map_set(map, key, id))
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
}

static void
files_take(struct pyn_load *load)
{
	struct pp_slice application = setting(load->doc, "application");
	size_t i;

	for (i = 0; i < load->doc->files.n; i++) {
		const struct pp_pyn_file *f = &load->doc->files.at[i];

		if (f->name.n)
			remember(load, &load->file_of, f->fid, text_of(load->builder, f->name));
	}
	if (application.n && application.p[0] != '-' &&
	    pp_map_get(&load->file_of, 0) == PP_MAP_NONE)
		remember(load, &load->file_of, 0, text_of(load->builder, application));
}

static pp_str
file_name(struct pyn_load *load, uint32_t fid)
{
	pp_str name = pp_map_get(&load->file_of, fid);

	if (name != PP_MAP_NONE)
		return name;
	load->unnamed_files++;
	name = numbered(load->builder, "fid", fid);
	remember(load, &load->file_of, fid, name);
	return name;
}

static void
subs_take(struct pyn_load *load)
{
	size_t i;

	for (i = 0; i < load->doc->subs.n && pp_builder_ok(load->builder); i++) {
		const struct pp_pyn_sub *s = &load->doc->subs.at[i];
		struct pp_func_row row = { .flags = PP_FUNC_DECLARED };

		if (pp_map_get(&load->sub_of, s->sid) != PP_MAP_NONE) {
			PP_PYN_FIND(load->diags, PP_PYN_SUB_REPEATED, s->offset,
			            "sub %u has a name already", s->sid);
			continue;
		}
		row.name = text_of(load->builder, s->name);
		remember(load, &load->sub_of, s->sid, pp_build_func(load->builder, &row));
	}
}

static pp_func
sub_func(struct pyn_load *load, uint32_t sid)
{
	pp_func func = pp_map_get(&load->sub_of, sid);
	struct pp_func_row row = { .flags = PP_FUNC_DECLARED | PP_FUNC_UNKNOWN };

	if (func != PP_MAP_NONE)
		return func;
	load->unnamed_sub = true;
	row.name = numbered(load->builder, "sub", sid);
	func = pp_build_func(load->builder, &row);
	remember(load, &load->sub_of, sid, func);
	return func;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Adds, or stays at the largest value and says so; `of` is a file or a sub. */
static void
add(struct pyn_load *load, int64_t *cell, uint64_t value, pp_str of, uint32_t line)
{
	struct pp_slice name = pp_text_of(load->builder->profile, of);
	char number[16] = "";

	if (pp_cell_add(PP_UINT, cell, (int64_t)value))
		return;
	*cell = -1; /* all bits set: the largest unsigned value */
	if (line)
		snprintf(number, sizeof number, ":%u", line);
	pp_diag_add(load->diags, &pp_pynytprof_rules[PP_PYN_SUM_TOO_LARGE], PP_NOWHERE,
	            "a sum of %.*s%s passes 18446744073709551615",
	            (int)(name.n < NAME_SHOWN ? name.n : NAME_SHOWN), (const char *)name.p, number);
}

static void
line_add(struct pyn_load *load, uint32_t fid, uint32_t line, uint32_t hits, uint64_t ticks)
{
	struct pp_line_row row = { .file = file_name(load, fid), .line = line };
	int64_t *cells = pp_build_line(load->builder, &row);

	if (!cells)
		return;
	add(load, &cells[0], hits, row.file, line);
	add(load, &cells[1], ticks, row.file, line);
}

static void
lines_take(struct pyn_load *load)
{
	const struct pp_pyn_doc *doc = load->doc;
	uint64_t tick = doc->rate < 1000000000 ? 1000000000 / doc->rate : 1;
	size_t i;

	for (i = 0; i < doc->lines.n && pp_builder_ok(load->builder); i++) {
		const struct pp_pyn_line *l = &doc->lines.at[i];

		line_add(load, l->fid, l->line, l->calls, l->exc);
	}
	/* Statements say the same in ns; they count where there is nothing else. */
	for (i = 0; !doc->lines.n && i < doc->statements.n && pp_builder_ok(load->builder); i++) {
		const struct pp_pyn_statement *s = &doc->statements.at[i];

		line_add(load, s->fid, s->line, 1, s->ns / tick);
	}
}

static void
edges_take(struct pyn_load *load)
{
	size_t i;

	for (i = 0; i < load->doc->edges.n; i++) {
		const struct pp_pyn_edge *e = &load->doc->edges.at[i];
		struct pp_edge_row row = { .caller = sub_func(load, e->caller),
			                   .callee = sub_func(load, e->callee) };
		int64_t *cells = pp_build_edge(load->builder, &row);
		pp_str name = load->builder->profile->funcs.at[row.callee].name;

		if (!cells)
			return;
		add(load, &cells[0], e->calls, name, 0);
		add(load, &cells[1], e->ticks, name, 0);
		if (e->caller != e->callee || e->ticks != e->sub_ticks)
			add(load, &cells[2], e->sub_ticks, name, 0);
	}
}

/* ---- the rest ---------------------------------------------------------------------------- */

static void
meta_take(struct pyn_load *load)
{
	const struct pp_pyn_doc *doc = load->doc;
	struct pp_builder *b = load->builder;
	uint32_t options = 0;
	size_t i;

	for (i = 0; i < doc->settings.n; i++)
		if (!doc->settings.at[i].option)
			(void)pp_build_meta(b, 0, doc->settings.at[i].key, PP_META_TEXT,
			                    doc->settings.at[i].value);
	for (i = 0; i < doc->settings.n; i++) {
		if (!doc->settings.at[i].option)
			continue;
		if (!options)
			options = pp_build_meta(b, 0, pp_slice_z("options"), PP_META_OBJECT,
			                        pp_slice_of("", 0));
		(void)pp_build_meta(b, options, doc->settings.at[i].key, PP_META_TEXT,
		                    doc->settings.at[i].value);
	}
}

static void
metric_make(struct pyn_load *load)
{
	struct pp_metric m = { .type = PP_UINT,
		               .kind = PP_KIND_CPU_TIME,
		               .flags = PP_METRIC_PRIMARY };
	uint64_t divisor = 1000000000;

	while (load->doc->rate % divisor)
		divisor /= 10;
	m.factor_num = 1000000000 / divisor;
	m.factor_den = load->doc->rate / divisor;
	m.name = pp_build_strz(load->builder, "time");
	m.unit = pp_build_strz(load->builder, "ns");
	(void)pp_build_metric(load->builder, &m);
}

static void
describe(struct pyn_load *load)
{
	static const char *const variants[] = {
		[PP_NYT_CHUNKS] = "chunks", [PP_NYT_RAW_P] = "raw-p",
		[PP_NYT_TOKENS] = "tokens", [PP_NYT_UNFRAMED] = "unframed",
		[PP_NYT_BINARY] = "binary",
	};
	struct pp_pyn_doc *doc = load->doc;
	struct pp_profile *p = load->builder->profile;
	const char *variant = variants[doc->sniff.dialect];
	uint64_t base;

	p->variant = pp_build_strz(load->builder, variant ? variant : "chunks");
	p->producer = pp_build_strz(load->builder, "Pynytprof");
	p->complete = p->complete && !doc->damaged;
	p->calls.own = p->lines.hits = p->calls.self_repeats = p->calls.adds_up = true;
	p->events = doc->statements.n;
	if (doc->has_process && doc->start_us / 1000000 < (uint64_t)1 << 40)
		p->recorded_at = (int64_t)(doc->start_us / 1000000);
	else if (pp_num_u64(setting(doc, "basetime"), &base) && base < (uint64_t)1 << 40)
		p->recorded_at = (int64_t)base;
}

static void
remarks(const struct pyn_load *load)
{
	if (load->unnamed_files > 1)
		pp_diag_add(load->diags, &pp_pynytprof_rules[PP_PYN_FILE_UNNAMED], PP_NOWHERE,
		            "files are known by number only");
	if (load->unnamed_sub)
		pp_diag_add(load->diags, &pp_pynytprof_rules[PP_PYN_SUB_UNNAMED], PP_NOWHERE,
		            "some subs are known by number only");
}

/* Keeps the document for its own writer; the bytes it points into are copied. False: no memory. */
static bool
document_keep(struct pp_profile *p, struct pp_slice bytes)
{
	struct pp_pyn_doc *own = calloc(1, sizeof *own);
	unsigned char *copy = malloc(bytes.n + 1);
	struct pp_diags silent;

	if (!own || !copy) {
		free(own);
		free(copy);
		return false;
	}
	memcpy(copy, bytes.p, bytes.n);
	pp_diags_init(&silent);
	pp_pyn_doc_parse(own, pp_slice_of(copy, bytes.n), &silent);
	pp_diags_release(&silent);
	own->copy = copy;
	own->copy_n = bytes.n;
	p->kept.data = own;
	p->kept.free = pp_pyn_doc_free;
	return !own->no_memory;
}

static void
keep(struct pyn_load *load, struct pp_slice bytes)
{
	if (!document_keep(load->builder->profile, bytes))
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
}

bool
pp_pyn_carry_save(const struct pp_profile *p, struct pp_buf *out)
{
	const struct pp_pyn_doc *doc = p->kept.data;

	if (doc && p->kept.free == pp_pyn_doc_free)
		pp_buf_add(out, doc->copy, doc->copy_n);
	return !out->failed;
}

pp_status
pp_pyn_carry_load(struct pp_profile *p, struct pp_slice bytes)
{
	const struct pp_pyn_doc *doc;
	pp_status status;

	if (!document_keep(p, bytes))
		return PP_E_NOMEM;
	doc = p->kept.data;
	if (doc->usable && !doc->no_memory)
		return PP_OK;
	status = doc->no_memory ? PP_E_NOMEM : PP_E_INVALID;
	pp_pyn_doc_free(p->kept.data);
	p->kept.data = NULL;
	p->kept.free = NULL;
	return status;
}

pp_status
pp_pyn_read(struct pp_reader *reader, struct pp_builder *builder)
{
	struct pp_pyn_doc doc;
	struct pyn_load load = { .doc = &doc,
		                 .builder = builder,
		                 .diags = reader->diags,
		                 .file_of = { .seed = reader->seed },
		                 .sub_of = { .seed = reader->seed } };
	struct pp_slice bytes;
	uint64_t errors = pp_diags_total(reader->diags, PP_ERROR);

	/* Profiles are sums over lines and subs, so all of one fits into memory. */
	while (pp_input_need(reader->in, pp_input_left(reader->in) + 65536))
		if (pp_input_left(reader->in) > reader->limits.max_memory)
			return PP_E_LIMIT;
	bytes = pp_slice_of(reader->in->cur, pp_input_left(reader->in));
	pp_pyn_doc_parse(&doc, bytes, reader->diags);
	if (doc.no_memory)
		pp_builder_fail(builder, PP_E_NOMEM, NULL);
	if (doc.usable) {
		metric_make(&load);
		describe(&load);
		files_take(&load);
		subs_take(&load);
		lines_take(&load);
		edges_take(&load);
		meta_take(&load);
		remarks(&load);
		/* Rows that were found wrong are not written again. */
		if (reader->want & PP_EXTRAS && !doc.damaged &&
		    pp_diags_total(reader->diags, PP_ERROR) == errors)
			keep(&load, bytes);
	}
	reader->in->cur = reader->in->end;
	pp_map_release(&load.file_of);
	pp_map_release(&load.sub_of);
	pp_pyn_doc_release(&doc);
	return doc.usable ? PP_OK : PP_E_INVALID;
}
