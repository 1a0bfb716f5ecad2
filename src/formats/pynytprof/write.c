/*
 * Writing Pynytprof streams, exactly as the document describes them.
 *
 * A profile read from such a stream with everything kept is written from its own rows, so sub numbers,
 * flags and inclusive ticks of lines survive; others are composed of lines and calls.
 */
#include "formats/pynytprof/read.h"

#include <math.h>

#include "base/num.h"
#include "formats/nytprof/write.h"

struct pyn_writing {
	struct pp_writer *writer;
	struct pp_sink *out;
};

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

/* A name up to its first NUL, and a NUL. */
static size_t
name_size(struct pp_slice name)
{
	const unsigned char *nul = name.n ? memchr(name.p, 0, name.n) : NULL;

	return nul ? (size_t)(nul - name.p) : name.n;
}

static void
put_setting(struct pyn_writing *w, char tag, struct pp_slice key, struct pp_slice value)
{
	const unsigned char *newline = value.n ? memchr(value.p, '\n', value.n) : NULL;

	if (newline) {
		value.n = (size_t)(newline - value.p);
		w->writer->loss.names++;
	}
	pp_nyt_put_setting(w->out, tag, key, value);
}

static void
put_process(struct pp_sink *out, uint64_t start_us, uint32_t pid, uint32_t ppid)
{
	put_chunk(out, 'P', 16);
	put_u64(out, start_us);
	put_u32(out, pid);
	put_u32(out, ppid);
}

/* ---- from a document --------------------------------------------------------------------------- */

static void
document_write(struct pyn_writing *w, const struct pp_pyn_doc *doc)
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
	put_process(out, doc->start_us, doc->pid, doc->ppid);
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
	put_chunk(out, 'E', 0);
	/* Some dialects have a table of files, and statements one by one: the document has no place for them. */
	w->writer->loss.verbatim = true;
	w->writer->loss.more[PP_TRAIT_FILES] += (int64_t)doc->files.n;
	w->writer->loss.more[PP_TRAIT_TIMELINE] += (int64_t)doc->statements.n;
}

/* ---- from any profile ---------------------------------------------------------------------------- */

static uint64_t
whole_ticks(struct pyn_writing *w, double ticks)
{
	double whole = nearbyint(ticks);

	if (whole < 0.0) {
		w->writer->loss.negative++;
		return 0;
	}
	if (whole >= 18446744073709551616.0) {
		w->writer->loss.too_large++;
		return UINT64_MAX;
	}
	w->writer->loss.rounded += fabs(whole - ticks) > 1e-6;
	return (uint64_t)whole;
}

static uint32_t
count32(struct pyn_writing *w, uint64_t count)
{
	w->writer->loss.more[PP_TRAIT_CALLS] += count > UINT32_MAX;
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

static void
banner_write(struct pyn_writing *w, const struct pp_nyt_writing *n)
{
	static const char *const kept[] = { "perl_version", "nv_size", "clock_mod", "osname",
		                            "hz" };
	const struct pp_profile *p = w->writer->profile;
	struct pp_slice application = pp_profile_meta(p, "application");
	char number[PP_NUM_MAX];
	size_t i;

	/* One file can be named: the application. */
	if (n->files.n == 1 && n->files.at[0])
		application = pp_text_of(p, n->files.at[0]);
	pp_sink_puts(w->out, "NYTProf 5 0\n# Perl profile database. Generated by polyprof\n");
	put_setting(w, ':', pp_slice_z("basetime"),
	            pp_slice_of(number, pp_num_print(number, p->recorded_at, 0)));
	put_setting(w, ':', pp_slice_z("application"),
	            application.n ? application : pp_slice_z("-e"));
	for (i = 0; i < PP_COUNT_OF(kept); i++) {
		struct pp_slice value = pp_profile_meta(p, kept[i]);

		if (value.n)
			put_setting(w, ':', pp_slice_z(kept[i]), value);
		w->writer->loss.more[PP_TRAIT_METADATA] -= value.n != 0;
	}
	put_setting(w, ':', pp_slice_z("ticks_per_sec"),
	            pp_slice_of(number, pp_num_print(number, (pp_i128)n->rate, 0)));
	/* All but the first, which Pynytprof leaves out. */
	for (i = 1; pp_nyt_usual_options[i][0]; i++)
		put_setting(w, '!', pp_slice_z(pp_nyt_usual_options[i][0]),
		            pp_slice_z(pp_nyt_usual_options[i][1]));
	pp_sink_putc(w->out, '\n');
}

static void
lines_write(struct pyn_writing *w, struct pp_nyt_writing *n)
{
	const struct pp_profile *p = w->writer->profile;
	size_t stride = pp_line_stride(p), i;

	if (p->lines.rows.n == 0)
		put_chunk(w->out, 'S', 0);
	for (i = 0; i < p->lines.rows.n; i++) {
		const int64_t *cells = p->lines.cells.at + i * stride;
		uint64_t ticks = 0;
		uint32_t hits;

		put_rows_head(w->out, 'S', i, p->lines.rows.n);
		if (n->metric) {
			int64_t cell = cells[p->lines.hits + n->metric_index];

			/* Whole ticks of any size stay exact. */
			if (n->metric->type == PP_UINT && n->tick == 1.0)
				ticks = (uint64_t)cell;
			else
				ticks = whole_ticks(w, pp_nyt_cell_ticks(n, cell));
		}
		hits = p->lines.hits ? count32(w, (uint64_t)cells[0]) : 0;
		put_row(w->out, pp_nyt_write_fid(n, p->lines.rows.at[i].file) - 1,
		        p->lines.rows.at[i].line, hits, ticks, ticks);
	}
}

/* Numbers for all functions that are called or call; sid_of[func] is the number + 1. */
static uint32_t
subs_number(const struct pp_nyt_writing *n, const struct pp_nyt_callers *c, uint32_t *sid_of)
{
	uint32_t sids = 0;
	size_t i;

	for (i = 0; i < n->flat.n; i++)
		sid_of[n->flat.func[i]] = ++sids;
	for (i = 0; i < c->rows.n; i++)
		if (!sid_of[c->rows.at[i].caller])
			sid_of[c->rows.at[i].caller] = ++sids;
	return sids;
}

static void
subs_write(struct pyn_writing *w, const uint32_t *sid_of, uint32_t sids)
{
	const struct pp_profile *p = w->writer->profile;
	pp_func *func_of = calloc((size_t)sids + 1, sizeof *func_of);
	uint64_t bytes = 0;
	size_t i;

	if (!func_of) {
		pp_sink_fail(w->out, PP_E_NOMEM, 0);
		return;
	}
	for (i = 0; i < p->funcs.n; i++)
		func_of[sid_of[i]] = sid_of[i] ? (pp_func)i : 0;
	for (i = 1; i <= sids; i++) {
		struct pp_slice name = func_of[i] ? pp_text_of(p, p->funcs.at[func_of[i]].name)
		                                  : pp_slice_z("[outside]");

		w->writer->loss.names += name_size(name) < name.n;
		w->writer->loss.made |= func_of[i] ? 0 : PP_HAS(ROOTS);
		bytes += 8 + name_size(name) + 1;
	}
	put_chunk(w->out, 'D', bytes);
	for (i = 1; i <= sids; i++) {
		struct pp_slice name = func_of[i] ? pp_text_of(p, p->funcs.at[func_of[i]].name)
		                                  : pp_slice_z("[outside]");

		put_u32(w->out, (uint32_t)i - 1);
		put_u32(w->out, 0);
		pp_sink_write(w->out, name.p, name_size(name));
		pp_sink_putc(w->out, '\0');
	}
	free(func_of);
}

/* Adds rows of one pair of functions up: the stream knows no call sites. */
static void
sites_merge(struct pyn_writing *w, struct pp_nyt_callers *c)
{
	struct pp_map of_pair = { .seed = c->of_pair.seed };
	size_t i, kept = 0;

	for (i = 0; i < c->rows.n; i++) {
		struct pp_nyt_caller *r = &c->rows.at[i];
		uint64_t key = (uint64_t)r->caller << 32 | r->callee;
		uint32_t row = pp_map_get(&of_pair, key);

		if (row != PP_MAP_NONE) {
			c->rows.at[row].count += r->count;
			c->rows.at[row].incl += r->incl;
			c->rows.at[row].excl += r->excl;
			c->rows.at[row].reci += r->reci;
			continue;
		}
		if (!pp_map_set(&of_pair, key, (uint32_t)kept))
			pp_sink_fail(w->out, PP_E_NOMEM, 0);
		c->rows.at[kept++] = *r;
	}
	c->rows.n = kept;
	pp_map_release(&of_pair);
}

/* Edges in whole ticks without call sites: what this format itself holds. They stay exact. */
static bool
exact_edges(const struct pp_nyt_writing *n)
{
	return n->profile->calls.rows.n && n->profile->calls.own && n->metric->type == PP_UINT &&
	       n->tick == 1.0 && n->profile->calls.self_repeats;
}

static void
edges_write(struct pyn_writing *w, const struct pp_nyt_writing *n, const uint32_t *sid_of)
{
	const struct pp_profile *p = n->profile;
	size_t stride = pp_edge_stride(p), i;

	for (i = 0; i < p->calls.rows.n; i++) {
		const int64_t *cells = p->calls.cells.at + i * stride;

		put_rows_head(w->out, 'C', i, p->calls.rows.n);
		put_row(w->out, sid_of[p->funcs.at[p->calls.rows.at[i].caller].same] - 1,
		        sid_of[p->funcs.at[p->calls.rows.at[i].callee].same] - 1,
		        count32(w, (uint64_t)cells[0]), (uint64_t)cells[1 + n->metric_index],
		        (uint64_t)cells[1 + p->metrics.n + n->metric_index]);
	}
}

static void
rows_write(struct pyn_writing *w, const struct pp_nyt_callers *c, const uint32_t *sid_of)
{
	size_t i;

	if (c->rows.n == 0)
		put_chunk(w->out, 'C', 0);
	for (i = 0; i < c->rows.n; i++) {
		const struct pp_nyt_caller *r = &c->rows.at[i];

		put_rows_head(w->out, 'C', i, c->rows.n);
		put_row(w->out, sid_of[r->caller] - 1, sid_of[r->callee] - 1, count32(w, r->count),
		        whole_ticks(w, r->incl + (r->caller == r->callee ? r->reci : 0.0)),
		        whole_ticks(w, r->excl));
	}
}

static void
calls_write(struct pyn_writing *w, struct pp_nyt_writing *n)
{
	uint32_t *sid_of = calloc(w->writer->profile->funcs.n + 1, sizeof *sid_of);
	struct pp_nyt_callers c;

	pp_nyt_callers_collect(n, &c);
	if (!sid_of || n->no_memory) {
		pp_sink_fail(w->out, PP_E_NOMEM, 0);
	} else {
		sites_merge(w, &c);
		subs_write(w, sid_of, subs_number(n, &c, sid_of));
		if (exact_edges(n))
			edges_write(w, n, sid_of);
		else
			rows_write(w, &c, sid_of);
		if (n->profile->tree.n > 1 && !n->profile->calls.rows.n && !n->has_calls)
			w->writer->loss.made |= PP_HAS(CALLS);
	}
	pp_nyt_callers_release(&c);
	free(sid_of);
}

static pp_status
compose(struct pyn_writing *w)
{
	const struct pp_profile *p = w->writer->profile;
	struct pp_nyt_writing n;
	pp_status status = pp_nyt_writing_init(&n, w->writer);
	int64_t pid = p->series.n ? p->series.at[0].pid : 0;

	if (status == PP_OK) {
		banner_write(w, &n);
		put_process(w->out, p->recorded_at > 0 ? (uint64_t)p->recorded_at * 1000000 : 0,
		            pid > 0 ? (uint32_t)pid : 0, 0);
		lines_write(w, &n);
		calls_write(w, &n);
		/* Without its terminator the stream says itself that something is missing. */
		if (p->complete)
			put_chunk(w->out, 'E', 0);
		if (n.metric)
			pp_loss_metric(w->writer, n.metric_index, pp_slice_z("time"), "ns");
	}
	pp_nyt_writing_release(&n);
	return status;
}

pp_status
pp_pyn_write(struct pp_writer *writer)
{
	const struct pp_profile *p = writer->profile;
	struct pyn_writing w = { .writer = writer, .out = writer->out };
	pp_status status = PP_OK;

	if (p->kept.data && p->kept.free == pp_pyn_doc_free)
		document_write(&w, p->kept.data);
	else
		status = compose(&w);
	if (status == PP_OK)
		pp_diag_add(writer->diags, &pp_pynytprof_rules[PP_PYN_WRITE_PERL], PP_NOWHERE,
		            "Perl's tools do not load this; use --to nytprof for them");
	return status;
}
