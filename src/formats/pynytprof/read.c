/*
 * From a Pynytprof document to a profile.
 *
 * Lines cost their exclusive ticks. An edge's `ticks` are inclusive, on every level of a recursion. Its
 * `sub_ticks` are what the callee cost itself, by the document; but Pynytprof wrote the inclusive ones again.
 * Where no edge differs in the two, what a sub cost itself is what its callers say less what its callees do.
 */
#include "formats/pynytprof/read.h"

#include <stdio.h>

#include "base/num.h"
#include "base/slice.h"
#include "formats/kit/whole.h"
#include "formats/nytprof/stream.h"

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

static pp_str
text_of(struct pp_builder *b, struct pp_slice s)
{
	struct pp_buf utf8 = { 0 };

	pp_nyt_text_decode(&utf8, s);
	return pp_build_buf(b, &utf8);
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
	struct pp_slice application = pp_nyt_setting_value(&load->doc->settings, "application",
	                                                   false);
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
	name = pp_build_strf(load->builder, "fid %u", fid);
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
			pp_diag_add(load->diags, &pp_pynytprof_rules[PP_PYN_SUB_REPEATED],
			            pp_at_offset(s->offset), "sub %u has a name already", s->sid);
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
	row.name = pp_build_strf(load->builder, "sub %u", sid);
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
	            "a sum of %.*s%s exceeds 18446744073709551615",
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

/* Whether edges state what the callee cost itself, and not its inclusive cost twice. */
static bool
own_stated(const struct pp_pyn_doc *doc)
{
	size_t i;

	for (i = 0; i < doc->edges.n; i++)
		if (doc->edges.at[i].ticks != doc->edges.at[i].sub_ticks)
			return true;
	return doc->edges.n == 0;
}

static void
edges_take(struct pyn_load *load)
{
	bool own = load->builder->profile->calls.own;
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
		/* From a sub to itself it may still be the inclusive one. */
		if (own && (e->caller != e->callee || e->ticks != e->sub_ticks))
			add(load, &cells[2], e->sub_ticks, name, 0);
	}
}

/* ---- the rest ---------------------------------------------------------------------------- */

static void
metric_make(struct pyn_load *load)
{
	struct pp_metric m = { .type = PP_UINT,
		               .kind = PP_KIND_CPU_TIME,
		               .flags = PP_METRIC_PRIMARY };

	pp_nyt_metric_rate(&m, load->doc->rate);
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
	p->lines.hits = p->calls.self_repeats = p->calls.adds_up = true;
	p->calls.own = own_stated(doc);
	p->events = doc->statements.n;
	if (doc->has_process && doc->start_us < UINT64_MAX / 1000)
		pp_profile_record_at(p, doc->start_us * 1000);
	else if (pp_num_u64(pp_nyt_setting_value(&doc->settings, "basetime", false), &base) &&
	         base < (uint64_t)1 << 40)
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
document_keep(struct pp_kept_facet *kept, struct pp_slice bytes)
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
	kept->data = own;
	kept->free = pp_pyn_doc_free;
	return !own->no_memory;
}

static void
keep(struct pyn_load *load, struct pp_slice bytes)
{
	if (!document_keep(&load->builder->profile->kept, bytes))
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
pp_pyn_carry_load(struct pp_kept_facet *kept, struct pp_slice bytes)
{
	const struct pp_pyn_doc *doc;
	pp_status status;

	if (!document_keep(kept, bytes))
		return PP_E_NOMEM;
	doc = kept->data;
	if (doc->usable && !doc->no_memory)
		return PP_OK;
	status = doc->no_memory ? PP_E_NOMEM : PP_E_INVALID;
	pp_pyn_doc_free(kept->data);
	kept->data = NULL;
	kept->free = NULL;
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
	struct pp_whole whole = { 0 };
	uint64_t errors = pp_diags_total(reader->diags, PP_ERROR);
	pp_status status = pp_whole_open(&whole, reader);

	if (status != PP_OK) {
		pp_whole_close(&whole, reader);
		return status;
	}
	bytes = pp_slice_between(reader->in->cur, reader->in->end);
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
		pp_nyt_settings_meta(&doc.settings, builder);
		remarks(&load);
		/* Rows that were found wrong are not written again. */
		if (reader->order->facets & PP_EXTRAS && !doc.damaged &&
		    pp_diags_total(reader->diags, PP_ERROR) == errors)
			keep(&load, bytes);
	}
	reader->in->cur = reader->in->end;
	pp_whole_close(&whole, reader);
	pp_map_release(&load.file_of);
	pp_map_release(&load.sub_of);
	pp_pyn_doc_release(&doc);
	return doc.usable ? PP_OK : PP_E_INVALID;
}
