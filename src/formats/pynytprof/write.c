/*
 * Writing Pynytprof streams, exactly as the document describes them.
 *
 * A profile read from such a stream with everything kept is written from its own rows, so sub numbers, flags and
 * inclusive ticks of lines survive; of others a document is made of lines and calls.
 */
#include "formats/pynytprof/read.h"

#include <math.h>

#include "base/num.h"
#include "base/slice.h"
#include "formats/nytprof/write.h"

/* ---- bytes ------------------------------------------------------------------------------------ */

static void
put_u32(struct pp_sink *out, uint32_t v)
{
	pp_sink_write(out, &v, sizeof v);
}

static void
put_u64(struct pp_sink *out, uint64_t v)
{
	pp_sink_write(out, &v, sizeof v);
}

/* {u32, u32, u32, u64, u64}: a line or an edge. */
static void
put_row(struct pp_sink *out, uint32_t a, uint32_t b, uint32_t c, uint64_t d, uint64_t e)
{
	put_u32(out, a);
	put_u32(out, b);
	put_u32(out, c);
	put_u64(out, d);
	put_u64(out, e);
}

/* Rows of 28 bytes under one letter; a new chunk where the 32-bit length would not do. */
#define CHUNK_ROWS ((size_t)100000000)

static void
put_chunk(struct pp_sink *out, char letter, uint64_t bytes)
{
	pp_sink_putc(out, letter);
	put_u32(out, (uint32_t)bytes);
}

static void
put_rows_head(struct pp_sink *out, char letter, size_t row, size_t rows)
{
	if (row % CHUNK_ROWS == 0)
		put_chunk(out, letter,
		          28 * (uint64_t)(rows - row < CHUNK_ROWS ? rows - row : CHUNK_ROWS));
}

static void
put_setting(struct pp_writer *w, char tag, struct pp_slice key, struct pp_slice value)
{
	const unsigned char *newline = value.n ? memchr(value.p, '\n', value.n) : NULL;

	if (newline) {
		value.n = (size_t)(newline - value.p);
		w->loss.names++;
	}
	pp_nyt_put_setting(w->out, tag, key, value);
}

/* ---- a document ---------------------------------------------------------------------------- */

static void
document_write(struct pp_writer *w, const struct pp_pyn_doc *doc)
{
	struct pp_sink *out = w->out;
	uint64_t names = 0;
	size_t i;

	pp_sink_puts(out, "NYTProf 5 0\n");
	if (doc->comment.p) {
		pp_sink_putc(out, '#');
		pp_sink_write(out, doc->comment.p, doc->comment.n);
		pp_sink_putc(out, '\n');
	}
	for (i = 0; i < doc->settings.rows.n; i++) {
		const struct pp_nyt_setting *s = &doc->settings.rows.at[i];

		put_setting(w, s->option ? '!' : ':', s->key, s->value);
	}
	pp_sink_putc(out, '\n');
	put_chunk(out, 'P', 16);
	put_u64(out, doc->start_us);
	put_u32(out, doc->pid);
	put_u32(out, doc->ppid);
	if (doc->lines.n == 0)
		put_chunk(out, 'S', 0);
	for (i = 0; i < doc->lines.n; i++) {
		const struct pp_pyn_line *l = &doc->lines.at[i];

		put_rows_head(out, 'S', i, doc->lines.n);
		put_row(out, l->fid, l->line, l->calls, l->inc, l->exc);
	}
	for (i = 0; i < doc->subs.n; i++)
		names += 8 + doc->subs.at[i].name.n + 1;
	put_chunk(out, 'D', names);
	for (i = 0; i < doc->subs.n; i++) {
		put_u32(out, doc->subs.at[i].sid);
		put_u32(out, doc->subs.at[i].flags);
		pp_sink_write(out, doc->subs.at[i].name.p, doc->subs.at[i].name.n);
		pp_sink_putc(out, '\0');
	}
	if (doc->edges.n == 0)
		put_chunk(out, 'C', 0);
	for (i = 0; i < doc->edges.n; i++) {
		const struct pp_pyn_edge *e = &doc->edges.at[i];

		put_rows_head(out, 'C', i, doc->edges.n);
		put_row(out, e->caller, e->callee, e->calls, e->ticks, e->sub_ticks);
	}
	/* Without its terminator the stream says itself that something is missing. */
	if (doc->has_end)
		put_chunk(out, 'E', 0);
}

/* ---- of any profile ---------------------------------------------------------------------------- */

/* A document under construction. */
struct composer {
	struct pp_writer *writer;
	struct pp_nyt_writing n;
	struct pp_pyn_doc doc;
};

static uint64_t
whole_ticks(struct composer *c, double ticks)
{
	struct pp_loss *loss = &c->writer->loss;
	double whole = nearbyint(ticks);

	if (whole < 0.0) {
		loss->negative++;
		return 0;
	}
	if (whole >= 18446744073709551616.0) {
		loss->too_large++;
		return UINT64_MAX;
	}
	loss->rounded += fabs(whole - ticks) > 1e-6;
	return (uint64_t)whole;
}

static uint32_t
count32(struct composer *c, uint64_t count)
{
	c->writer->loss.more[PP_TRAIT_CALLS] += count > UINT32_MAX;
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

static void
setting_add(struct composer *c, bool option, const char *key, struct pp_slice value)
{
	struct pp_nyt_setting s = { .option = option, .key = pp_slice_z(key), .value = value };

	c->doc.no_memory |= !pp_nyt_setting_set(&c->doc.settings, s, true);
}

static void
number_add(struct composer *c, const char *key, pp_i128 value)
{
	char number[PP_NUM_MAX];

	setting_add(c, false, key, pp_slice_of(number, pp_num_print(number, value, 0)));
}

static void
compose_banner(struct composer *c)
{
	static const char *const kept[] = { "perl_version", "nv_size", "clock_mod", "osname",
		                            "hz" };
	const struct pp_profile *p = c->writer->profile;
	struct pp_slice application = pp_profile_meta(p, "application");
	int64_t pid = p->series.n ? p->series.at[0].pid : 0, start = 0;
	size_t i;

	/* One file can be named: the application. */
	if (c->n.files.n == 1 && c->n.files.at[0])
		application = pp_text_of(p, c->n.files.at[0]);
	c->doc.comment = pp_slice_z(" Perl profile database. Generated by polyprof");
	number_add(c, "basetime", p->recorded_at);
	setting_add(c, false, "application", application.n ? application : pp_slice_z("-e"));
	for (i = 0; i < PP_COUNT_OF(kept); i++) {
		struct pp_slice value = pp_profile_meta(p, kept[i]);

		if (value.n)
			setting_add(c, false, kept[i], value);
		c->writer->loss.more[PP_TRAIT_METADATA] -= value.n != 0;
	}
	number_add(c, "ticks_per_sec", (pp_i128)c->n.rate);
	/* All but the first, which Pynytprof leaves out. */
	for (i = 1; pp_nyt_usual_options[i][0]; i++)
		setting_add(c, true, pp_nyt_usual_options[i][0],
		            pp_slice_z(pp_nyt_usual_options[i][1]));
	c->doc.start_us = pp_profile_recorded(p, &start) ? (uint64_t)start / 1000 : 0;
	c->doc.pid = pid > 0 ? (uint32_t)pid : 0;
	c->doc.has_end = p->complete;
}

static void
compose_lines(struct composer *c)
{
	const struct pp_profile *p = c->writer->profile;
	const struct pp_metric *m = c->n.metric;
	size_t i;

	for (i = 0; i < p->lines.rows.n; i++) {
		struct pp_pyn_line row = {
			.fid = pp_nyt_write_fid(&c->n, p->lines.rows.at[i].file) - 1,
			.line = p->lines.rows.at[i].line,
			.calls = p->lines.hits ? count32(c, (uint64_t)pp_line_cell(p, i, 0)) : 0,
		};
		int64_t cell = m ? pp_line_cell(p, i, p->lines.hits + c->n.metric_index) : 0;

		/* Whole ticks of any size stay exact. */
		if (m)
			row.exc = m->type == PP_UINT && c->n.tick == 1.0
			              ? (uint64_t)cell
			              : whole_ticks(c, pp_nyt_cell_ticks(&c->n, cell));
		row.inc = row.exc;
		c->doc.no_memory |= !pp_vec_push(&c->doc.lines, row);
	}
}

/* Numbers a function that is called or calls; sid_of[func] is the number + 1. */
static void
compose_sub(struct composer *c, pp_func func, uint32_t *sid_of)
{
	const struct pp_profile *p = c->writer->profile;
	struct pp_slice whole = func ? pp_text_of(p, p->funcs.at[func].name)
	                             : pp_slice_z("[outside]");
	struct pp_slice rest = whole;
	struct pp_pyn_sub row = { .sid = (uint32_t)c->doc.subs.n };
	bool cut;

	if (sid_of[func])
		return;
	/* A name ends at its first NUL. */
	row.name = pp_slice_cut(&rest, 0, &cut);
	c->writer->loss.names += cut;
	c->writer->loss.made |= func ? 0 : PP_HAS(ROOTS);
	c->doc.no_memory |= !pp_vec_push(&c->doc.subs, row);
	sid_of[func] = row.sid + 1;
}

/* Adds rows of one pair of functions up: the stream knows no call sites. */
static void
sites_merge(struct composer *c, struct pp_nyt_callers *callers)
{
	struct pp_map of_pair = { .seed = callers->of_pair.seed };
	size_t i, kept = 0;

	for (i = 0; i < callers->rows.n; i++) {
		struct pp_nyt_caller *r = &callers->rows.at[i], *first;
		uint64_t key = (uint64_t)r->caller << 32 | r->callee;
		uint32_t row = pp_map_get(&of_pair, key);

		if (row != PP_MAP_NONE) {
			first = &callers->rows.at[row];
			first->count += r->count;
			first->incl += r->incl;
			first->excl += r->excl;
			first->reci += r->reci;
			continue;
		}
		c->doc.no_memory |= !pp_map_set(&of_pair, key, (uint32_t)kept);
		callers->rows.at[kept++] = *r;
	}
	callers->rows.n = kept;
	pp_map_release(&of_pair);
}

/*
 * What a function costs itself in calls by itself goes to the first of its other callers: readers of the stream take
 * calls of a function by itself for time that was counted already.
 */
static void
own_move(struct composer *c, struct pp_nyt_callers *callers)
{
	size_t n = c->writer->profile->funcs.n, i;
	uint32_t *first = calloc(n + 1, sizeof *first); /* row + 1 of a call by another function */

	c->doc.no_memory |= !first;
	for (i = callers->rows.n; first && i-- > 0;)
		if (callers->rows.at[i].caller != callers->rows.at[i].callee)
			first[callers->rows.at[i].callee] = (uint32_t)i + 1;
	for (i = 0; first && i < callers->rows.n; i++) {
		struct pp_nyt_caller *r = &callers->rows.at[i];

		if (r->caller != r->callee || !first[r->callee])
			continue;
		callers->rows.at[first[r->callee] - 1].excl += r->excl;
		r->excl = 0.0;
	}
	free(first);
}

/* Edges in whole ticks without call sites: what this format itself holds. They stay exact. */
static bool
exact_edges(const struct pp_nyt_writing *n)
{
	return n->profile->calls.rows.n && n->profile->calls.own && n->metric->type == PP_UINT &&
	       n->tick == 1.0 && n->profile->calls.self_repeats;
}

static struct pp_pyn_edge
exact_edge(struct composer *c, size_t i, const uint32_t *sid_of)
{
	const struct pp_profile *p = c->writer->profile;
	const struct pp_edge_row *e = &p->calls.rows.at[i];

	return (struct pp_pyn_edge){
		sid_of[p->funcs.at[e->caller].same] - 1, sid_of[p->funcs.at[e->callee].same] - 1,
		count32(c, (uint64_t)pp_edge_cell(p, i, 0)),
		(uint64_t)pp_edge_cell(p, i, 1 + c->n.metric_index),
		(uint64_t)pp_edge_cell(p, i, 1 + p->metrics.n + c->n.metric_index)
	};
}

static struct pp_pyn_edge
rounded_edge(struct composer *c, const struct pp_nyt_caller *r, const uint32_t *sid_of)
{
	double incl = r->incl + (r->caller == r->callee ? r->reci : 0.0);

	return (struct pp_pyn_edge){ sid_of[r->caller] - 1, sid_of[r->callee] - 1,
		                     count32(c, r->count), whole_ticks(c, incl),
		                     whole_ticks(c, r->excl) };
}

static void
compose_edges(struct composer *c, const struct pp_nyt_callers *callers, const uint32_t *sid_of)
{
	bool exact = exact_edges(&c->n);
	size_t n = exact ? c->writer->profile->calls.rows.n : callers->rows.n, i;

	for (i = 0; i < n; i++) {
		struct pp_pyn_edge row = exact ? exact_edge(c, i, sid_of)
		                               : rounded_edge(c, &callers->rows.at[i], sid_of);

		c->doc.no_memory |= !pp_vec_push(&c->doc.edges, row);
	}
}

static void
compose_calls(struct composer *c)
{
	const struct pp_profile *p = c->writer->profile;
	uint32_t *sid_of = calloc(p->funcs.n + 1, sizeof *sid_of);
	struct pp_nyt_callers callers;
	size_t i;

	pp_nyt_callers_collect(&c->n, &callers);
	c->doc.no_memory |= !sid_of || c->n.no_memory;
	if (!c->doc.no_memory) {
		sites_merge(c, &callers);
		/* Stacks have this cost as well. */
		if (!p->calls.rows.n || p->calls.own)
			own_move(c, &callers);
		for (i = 0; i < c->n.flat.n; i++)
			compose_sub(c, c->n.flat.func[i], sid_of);
		for (i = 0; i < callers.rows.n; i++)
			compose_sub(c, callers.rows.at[i].caller, sid_of);
		compose_edges(c, &callers, sid_of);
	}
	if (p->tree.n > 1 && !p->calls.rows.n && !c->n.has_calls)
		c->writer->loss.made |= PP_HAS(CALLS);
	pp_nyt_callers_release(&callers);
	free(sid_of);
}

static pp_status
compose(struct pp_writer *writer)
{
	struct composer c = { .writer = writer };
	pp_status status = pp_nyt_writing_init(&c.n, writer);

	/* Here lines do not tell what runs outside of subs. */
	c.n.levels = false;
	if (status == PP_OK) {
		compose_banner(&c);
		compose_lines(&c);
		compose_calls(&c);
		if (c.n.metric)
			pp_loss_metric(writer, c.n.metric_index, pp_slice_z("time"), "ns");
		status = c.doc.no_memory ? PP_E_NOMEM : PP_OK;
	}
	if (status == PP_OK)
		document_write(writer, &c.doc);
	pp_nyt_writing_release(&c.n);
	pp_pyn_doc_release(&c.doc);
	return status;
}

pp_status
pp_pyn_write(struct pp_writer *writer)
{
	const struct pp_profile *p = writer->profile;
	const struct pp_pyn_doc *doc = p->kept.free == pp_pyn_doc_free ? p->kept.data : NULL;
	pp_status status = PP_OK;

	if (doc) {
		document_write(writer, doc);
		/* Some dialects have a table of files, and statements one by one: there is no place for them. */
		writer->loss.verbatim = true;
		writer->loss.more[PP_TRAIT_FILES] += (int64_t)doc->files.n;
		writer->loss.more[PP_TRAIT_TIMELINE] += (int64_t)doc->statements.n;
	} else {
		status = compose(writer);
	}
	if (status == PP_OK)
		pp_diag_add(writer->diags, &pp_pynytprof_rules[PP_PYN_WRITE_PERL], PP_NOWHERE,
		            "Perl's tools do not load this; use --to nytprof for them");
	return status;
}
