/*
 * Writing NYTProf 5.0 so that Devel::NYTProf's own tools load it.
 *
 * A profile read from a NYTProf stream with everything kept is written back record by record. Others are
 * composed: files, statements, returns, sources, subs, callers. There is no record with a count, so a line
 * that ran n times is written n times.
 */
#include "formats/nytprof/write.h"

#include <math.h>

#include "base/num.h"
#include "formats/nytprof/store.h"
#include "formats/nytprof/stream.h"

/* ---- names and values ---------------------------------------------------------------------------- */

static bool
has_package(struct pp_slice name)
{
	const unsigned char *colons = memmem(name.p, name.n, "::", 2);

	return colons && colons != name.p;
}

bool
pp_nyt_is_level(const struct pp_profile *p, pp_func func)
{
	struct pp_slice name = pp_text_of(p, p->funcs.at[func].name);

	return p->funcs.at[func].flags & PP_FUNC_SCRIPT && name.n > 9 &&
	       memcmp(name.p + name.n - 9, "::RUNTIME", 9) == 0;
}

bool
pp_nyt_is_outside_row(const struct pp_nyt_writing *w, pp_func func)
{
	uint32_t row = w->row_of[func];

	return w->levels && pp_nyt_is_level(w->profile, func) &&
	       !(row && w->flat.has_calls && w->flat.calls[row - 1]);
}

/* A name that no other name becomes, with a package: false when out of memory. */
static bool
name_spell(struct pp_nyt_writing *w, pp_str name)
{
	struct pp_slice text = pp_text_of(w->profile, name);
	struct pp_buf whole = { 0 };
	bool fine = true, is_new = false;

	/* "::f" is Perl's own short way to say main::f. */
	pp_buf_adds(&whole, text.n > 1 && memcmp(text.p, "::", 2) == 0 ? "main" : "main::");
	pp_buf_add(&whole, text.p, text.n);
	while (fine && !is_new) {
		fine = !whole.failed &&
		       pp_strtab_intern(&w->names, whole.p, whole.n, &w->spelled[name], &is_new);
		if (fine && !is_new)
			pp_buf_adds(&whole, "_");
	}
	pp_buf_release(&whole);
	return fine;
}

/* Names with a package stay as they are; the others get one that tells them from these and from each other. */
static bool
names_spell(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	bool fine, is_new;
	size_t i;

	w->spelled = calloc(p->strs.strs.n + 1, sizeof *w->spelled);
	fine = w->spelled && pp_strtab_init(&w->names, p->strs.seed);
	for (i = 1; fine && i < p->funcs.n; i++) {
		pp_str name = p->funcs.at[i].name;
		struct pp_slice text = pp_text_of(p, name);

		if (has_package(text) && !w->spelled[name])
			fine = pp_strtab_intern(&w->names, text.p, text.n, &w->spelled[name],
			                        &is_new);
	}
	for (i = 1; fine && i < p->funcs.n; i++)
		if (!w->spelled[p->funcs.at[i].name])
			fine = name_spell(w, p->funcs.at[i].name);
	return fine;
}

void
pp_nyt_write_name(struct pp_nyt_writing *w, pp_func func)
{
	pp_nyt_out_string(&w->out,
	                  pp_strtab_get(&w->names, w->spelled[w->profile->funcs.at[func].name]));
}

double
pp_nyt_write_seconds(const struct pp_nyt_writing *w, double ticks)
{
	return ticks / (double)w->rate;
}

/* Chooses the clock: one cell is one tick if some whole rate allows that, else a tick is 1 ns. */
static void
rate_choose(struct pp_nyt_writing *w)
{
	const struct pp_metric *m = w->metric;
	uint64_t num, den;
	pp_u128 per_second;
	double scale;

	w->rate = 10000000;
	w->tick = 1.0;
	if (!m)
		return;
	num = m->factor_num ? m->factor_num : 1;
	den = m->factor_den ? m->factor_den : 1;
	scale = pow(10.0, (double)m->scale);
	w->is_time = pp_slice_eq_z(pp_text_of(w->profile, m->unit), "ns");
	if (!w->is_time) {
		w->tick = (double)num / (double)den / scale;
		return;
	}
	per_second = (pp_u128)den * 1000000000;
	if (m->scale == 0 && per_second % num == 0 && per_second / num <= 1000000000000u &&
	    per_second / num >= 1000) {
		w->rate = (uint64_t)(per_second / num);
	} else {
		w->rate = 1000000000;
		w->tick = (double)num / (double)den / scale;
	}
}

/* ---- the head ------------------------------------------------------------------------------------ */

static bool
is_line(struct pp_slice s)
{
	return !(s.n && memchr(s.p, '\n', s.n));
}

/* Attributes that the writer states itself. */
static bool
is_own(struct pp_slice key)
{
	static const char *const own[] = { "ticks_per_sec", "nv_size", "cumulative_overhead_ticks",
		                           "basetime", "application" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(own); i++)
		if (pp_slice_eq_z(key, own[i]))
			return true;
	return false;
}

static void
attribute_z(struct pp_nyt_writing *w, const char *key, struct pp_slice value)
{
	pp_nyt_put_setting(w->out.sink, ':', pp_slice_z(key), value);
}

static void
attribute_u64(struct pp_nyt_writing *w, const char *key, uint64_t value)
{
	char text[PP_NUM_MAX];

	attribute_z(w, key, pp_slice_of(text, pp_num_print(text, (pp_i128)value, 0)));
}

static void
attributes_write(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	struct pp_slice application = pp_profile_meta(p, "application");
	size_t i;

	attribute_u64(w, "basetime", p->recorded_at > 0 ? (uint64_t)p->recorded_at : 0);
	if (!application.n || !is_line(application))
		application = pp_slice_z(p->format ? p->format->title : "polyprof");
	attribute_z(w, "application", application);
	for (i = 0; i < p->meta.n; i++) {
		const struct pp_meta_row *m = &p->meta.at[i];
		struct pp_slice key = pp_text_of(p, m->key), text = pp_text_of(p, m->text);

		if (m->parent || is_own(key) || pp_slice_eq_z(key, "options"))
			continue;
		if (m->type == PP_META_OBJECT || m->type == PP_META_ARRAY || !is_line(key) ||
		    !is_line(text) || memchr(key.p, '=', key.n) || key.n + text.n > 8000)
			continue;
		pp_nyt_put_setting(w->out.sink, ':', key, text);
		w->writer->loss.more[PP_TRAIT_METADATA]--;
	}
	attribute_u64(w, "nv_size", 8);
	attribute_u64(w, "ticks_per_sec", w->rate);
}

/* What the option must say, whatever the source said; or an empty slice. */
static struct pp_slice
option_forced(const struct pp_nyt_writing *w, struct pp_slice key)
{
	if (pp_slice_eq_z(key, "calls"))
		return pp_slice_z(w->returns ? "1" : "0");
	if (pp_slice_eq_z(key, "blocks"))
		return pp_slice_z("0");
	return pp_slice_of("", 0);
}

const char *const pp_nyt_usual_options[][2] = {
	{ "usecputime", "0" }, { "subs", "1" },   { "blocks", "0" },     { "leave", "1" },
	{ "expand", "0" },     { "trace", "0" },  { "use_db_sub", "0" }, { "compress", "0" },
	{ "clock", "1" },      { "stmts", "1" },  { "slowops", "2" },    { "findcaller", "0" },
	{ "forkdepth", "-1" }, { "perldb", "0" }, { "nameevals", "1" },  { "nameanonsubs", "1" },
	{ "calls", "1" },      { "evals", "0" },  { NULL, NULL }
};

static void
options_write(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	uint32_t parent = 0;
	size_t i;

	for (i = 0; i < p->meta.n; i++) {
		const struct pp_meta_row *m = &p->meta.at[i];
		struct pp_slice key = pp_text_of(p, m->key), text = pp_text_of(p, m->text), forced;

		if (m->parent == 0 && m->type == PP_META_OBJECT && pp_slice_eq_z(key, "options"))
			parent = (uint32_t)i + 1;
		if (!parent || m->parent != parent || !is_line(key) || !is_line(text))
			continue;
		forced = option_forced(w, key);
		pp_nyt_put_setting(w->out.sink, '!', key, forced.n ? forced : text);
		w->writer->loss.more[PP_TRAIT_METADATA] -= !forced.n || pp_slice_eq(forced, text);
	}
	for (i = 0; !parent && pp_nyt_usual_options[i][0]; i++) {
		struct pp_slice key = pp_slice_z(pp_nyt_usual_options[i][0]);
		struct pp_slice forced = option_forced(w, key);

		pp_nyt_put_setting(w->out.sink, '!', key,
		                   forced.n ? forced : pp_slice_z(pp_nyt_usual_options[i][1]));
	}
}

/* ---- lines, sources, subs ------------------------------------------------------------------------ */

/* A statement record; returns its length. */
static size_t
statement_make(unsigned char out[17], bool discount, int32_t ticks, uint32_t fid, uint32_t line)
{
	size_t n = 0;

	if (discount)
		out[n++] = '-';
	out[n++] = '+';
	n += pp_nyt_uint_store(out + n, (uint32_t)ticks);
	n += pp_nyt_uint_store(out + n, fid);
	return n + pp_nyt_uint_store(out + n, line);
}

/* One statement carries 31 bits of ticks. */
#define PART 2147483647.0

static double
part_of(double ticks)
{
	return ticks > PART ? PART : ticks < -PART ? -PART : ticks;
}

static void
line_write(struct pp_nyt_writing *w, uint32_t fid, uint32_t line, uint64_t hits, double exact)
{
	double ticks = nearbyint(exact), part = part_of(ticks);
	unsigned char record[17];
	uint64_t more = hits ? hits - 1 : 0;
	size_t n;

	if (fabs(ticks) > w->most_ticks) {
		w->writer->loss.too_large++;
		ticks = ticks < 0 ? -w->most_ticks : w->most_ticks;
	} else {
		w->writer->loss.rounded += fabs(ticks - exact) > 1e-6;
	}
	w->line_ticks += ticks;
	pp_nyt_out_bytes(&w->out, record,
	                 statement_make(record, hits == 0, (int32_t)part, fid, line));
	/* What does not fit goes on in statements that do not count. */
	ticks -= part;
	while (ticks != 0.0) {
		part = part_of(ticks);
		ticks -= part;
		pp_nyt_out_bytes(&w->out, record,
		                 statement_make(record, true, (int32_t)part, fid, line));
	}
	/* A line that ran too often is written once. */
	if (more > w->budget) {
		w->writer->loss.more[PP_TRAIT_HITS]++;
		more = 0;
	}
	w->budget -= more;
	for (n = statement_make(record, false, 0, fid, line); more--;)
		pp_nyt_out_bytes(&w->out, record, n);
}

static void
lines_write(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	size_t i;

	for (i = 0; i < p->lines.rows.n; i++) {
		const struct pp_line_row *l = &p->lines.rows.at[i];
		double ticks = 0.0;

		if (w->metric)
			ticks = pp_nyt_cell_ticks(
			    w, pp_line_cell(p, i, p->lines.hits + w->metric_index));
		if (p->lines.hits || ticks != 0.0)
			line_write(w, pp_nyt_write_fid(w, l->file), l->line,
			           p->lines.hits ? (uint64_t)pp_line_cell(p, i, 0) : 0, ticks);
	}
}

static void
run_lines_write(struct pp_nyt_writing *w, uint32_t run)
{
	size_t i;

	for (i = 0; i < w->run_lines.n; i++) {
		const struct pp_nyt_run_line *r = &w->run_lines.at[i];
		const struct pp_line_row *l = &w->profile->lines.rows.at[r->line];

		if (r->run == run)
			line_write(w, pp_nyt_write_fid(w, l->file), l->line, r->hits, r->ticks);
	}
}

/*
 * Perl's tools look on disk for files without source text. Where the name cannot be a path from the root
 * they would look in vain, so a line is made up for those.
 */
static void
source_stand_in(struct pp_nyt_writing *w, uint32_t fid)
{
	pp_str file = w->files.at[fid - 1];
	struct pp_slice name = pp_text_of(w->profile, file), text;

	if ((name.n && name.p[0] == '/') || pp_profile_source_line(w->profile, file, 1, &text))
		return;
	w->writer->loss.made |= PP_HAS(SOURCES);
	pp_nyt_out_byte(&w->out, 'S');
	pp_nyt_out_uint(&w->out, fid);
	pp_nyt_out_uint(&w->out, 1);
	pp_nyt_out_string(&w->out, pp_slice_z("# the profile brings no source text\n"));
}

static void
sources_write(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	size_t i;

	for (i = 0; i < w->files.n; i++)
		source_stand_in(w, (uint32_t)i + 1);
	for (i = 0; i < p->sources.n; i++) {
		pp_nyt_out_byte(&w->out, 'S');
		pp_nyt_out_uint(&w->out, pp_nyt_write_fid(w, p->sources.at[i].file));
		pp_nyt_out_uint(&w->out, p->sources.at[i].line);
		pp_nyt_out_string(&w->out, pp_text_of(p, p->sources.at[i].text));
	}
}

static void
sub_write(struct pp_nyt_writing *w, pp_func func)
{
	const struct pp_func_row *f = &w->profile->funcs.at[func];
	bool internal = f->flags & PP_FUNC_INTERNAL;
	/* 0 0 would say that it is not written in Perl. */
	uint32_t first = internal ? 0 : f->line ? f->line : 1;

	w->writer->loss.made |= internal ? 0
	                                 : (f->file ? 0 : PP_HAS(FILES)) |
	                                       (f->line ? 0 : PP_HAS(FIRST_LINES)) |
	                                       (f->last_line ? 0 : PP_HAS(LAST_LINES));
	pp_nyt_out_byte(&w->out, 's');
	pp_nyt_out_uint(&w->out, pp_nyt_write_fid(w, f->file));
	pp_nyt_write_name(w, func);
	pp_nyt_out_uint(&w->out, first);
	pp_nyt_out_uint(&w->out, f->last_line > first && !internal ? f->last_line : first);
}

/*
 * A sub is its name: of functions with the same one, the first is placed (rows go by name). Of code outside of
 * subs Perl places the script's alone; the others are told by statements.
 */
static void
subs_write(struct pp_nyt_writing *w)
{
	size_t i;

	for (i = 0; i < w->flat.n; i++) {
		const struct pp_func_row *f = &w->profile->funcs.at[w->flat.func[i]];

		if ((!i || f->name != w->profile->funcs.at[w->flat.func[i - 1]].name) &&
		    (!pp_nyt_is_outside_row(w, w->flat.func[i]) ||
		     pp_slice_eq_z(pp_text_of(w->profile, f->name), "main::RUNTIME")))
			sub_write(w, w->flat.func[i]);
	}
}

/* ---- all of it ------------------------------------------------------------------------------------- */

/* How long the process ran: as long as is known, but not shorter than what is accounted for. */
static double
duration_of(const struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	double most = w->line_ticks, own = 0.0, known = 0.0;
	size_t i, m = w->metric_index;

	for (i = 0; w->metric && i < w->flat.n; i++) {
		struct pp_cost_pair cost = pp_flat_get(&w->flat, i, m);
		double ticks = pp_nyt_value_ticks(w, cost.total);

		own += pp_nyt_value_ticks(w, cost.own);
		most = ticks > most ? ticks : most;
	}
	most = own > most ? own : most;
	if (p->time.known && p->time.end > p->time.start)
		known = (double)(p->time.end - p->time.start) / 1e9;
	if (pp_nyt_write_seconds(w, most) > known)
		known = pp_nyt_write_seconds(w, most);
	/* Perl's tools divide by it. */
	return known > 0.001 ? known : 0.001;
}

/* What a reader will find otherwise than it is here. */
static void
note_losses(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	const struct pp_series *s = p->series.at;
	struct pp_loss *loss = &w->writer->loss;
	double duration = duration_of(w);
	size_t i;

	for (i = 0; i < w->flat.n; i++)
		loss->names += !has_package(pp_text_of(p, p->funcs.at[w->flat.func[i]].name));
	/* One process is told, by its number alone, and where there are stacks. */
	if (p->tree.n > 1 && !(p->series.n && s->pid > 0))
		loss->made |= PP_HAS(THREADS);
	else if (p->tree.n > 1 && p->series.n == 1 && s->pid > 0 && s->tid < 0 && !s->process &&
	         !s->thread && !s->context)
		loss->more[PP_TRAIT_THREADS]--;
	if (p->tree.n > 1 && !w->has_calls)
		loss->made |= PP_HAS(CALLS);
	if (p->tree.n > 1)
		loss->made |= PP_HAS(TIMELINE);
	if (!p->complete)
		loss->dropped |= PP_HAS(TIME);
	else if (p->time.known)
		loss->more[PP_TRAIT_TIME] -= !p->time.start &&
		                             duration == (double)p->time.end / 1e9;
	else if (duration < 9e9)
		loss->made |= PP_HAS(TIME);
	if (w->metric)
		pp_loss_metric(w->writer, w->metric_index, pp_slice_z("time"), "ns");
}

/* When the recording began, in seconds since 1970. */
static double
start_of(const struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;

	return p->recorded_at > 0 ? (double)p->recorded_at + p->recorded_ns / 1e9 : 0.0;
}

static void
process_write(struct pp_nyt_writing *w, int64_t pid, double start, double duration, bool end)
{
	double last = start + duration;

	/* Seconds since 1970 tell no nanoseconds; nothing may have taken longer than all of it. */
	if (last - start < duration)
		last = nextafter(last, INFINITY);
	pp_nyt_out_byte(&w->out, end ? 'p' : 'P');
	pp_nyt_out_uint(&w->out, (uint32_t)pid);
	if (!end)
		pp_nyt_out_uint(&w->out, 0);
	pp_nyt_out_number(&w->out, end ? last : start);
}

static bool
wants_compression(const struct pp_writer *writer)
{
	const char *compress = pp_option_of(writer->opts->options, "compress");

	return !compress || strcmp(compress, "no") != 0;
}

/* Files, statements and returns: of one process, or of one for each script, one behind the other. */
static void
processes_write(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	int64_t pid = p->series.n && p->series.at[0].pid > 0 ? p->series.at[0].pid : 1;
	double start = start_of(w);
	uint32_t i;

	if (!w->runs.n) {
		process_write(w, pid, start, duration_of(w), false);
		pp_nyt_write_files(w, NULL);
		lines_write(w);
		pp_nyt_write_returns(w, NULL);
	}
	for (i = 0; i < w->runs.n; i++) {
		const struct pp_nyt_run *run = &w->runs.at[i];
		double lasts = pp_nyt_write_seconds(w, run->ticks);

		process_write(w, run->pid, start, lasts, false);
		pp_nyt_write_files(w, run);
		run_lines_write(w, i);
		pp_nyt_write_returns(w, run);
		if (i + 1 < w->runs.n)
			process_write(w, run->pid, start, lasts, true);
		w->last_start = start;
		start += lasts;
	}
}

/* A process without an end was killed: so it is known again that something is missing. */
static void
last_end_write(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	const struct pp_nyt_run *run = w->runs.n ? &w->runs.at[w->runs.n - 1] : NULL;
	int64_t pid = p->series.n && p->series.at[0].pid > 0 ? p->series.at[0].pid : 1;

	if (p->complete && run)
		process_write(w, run->pid, w->last_start, pp_nyt_write_seconds(w, run->ticks),
		              true);
	else if (p->complete)
		process_write(w, pid, start_of(w), duration_of(w), true);
}

static void
compose(struct pp_nyt_writing *w)
{
	struct pp_nyt_out *o = &w->out;
	struct pp_slice overhead = pp_profile_meta(w->profile, "cumulative_overhead_ticks");

	pp_nyt_out_bytes(o, "NYTProf 5 0\n", 12);
	pp_nyt_out_bytes(o, "#Perl profile database. Generated by polyprof\n", 46);
	attributes_write(w);
	options_write(w);
	if (wants_compression(w->writer)) {
		pp_nyt_out_byte(o, 'z');
		pp_nyt_out_deflate(o);
	}
	processes_write(w);
	attribute_z(w, "cumulative_overhead_ticks",
	            overhead.n && is_line(overhead) ? overhead : pp_slice_z("0"));
	sources_write(w);
	subs_write(w);
	pp_nyt_write_callers(w);
	last_end_write(w);
}

pp_status
pp_nyt_writing_init(struct pp_nyt_writing *w, struct pp_writer *writer)
{
	const struct pp_profile *p = writer->profile;
	pp_status status;
	size_t i;

	*w = (struct pp_nyt_writing){ .writer = writer,
		                      .profile = p,
		                      .budget = PP_NYT_COUNT_BUDGET,
		                      .metric_index = writer->metric,
		                      .fid_of = { .seed = p->strs.seed } };
	w->most_ticks = PART * 1e4;
	if (p->format && strcmp(p->format->name, "nytprof") == 0) {
		w->budget = UINT64_MAX;
		w->most_ticks = 281474976710656.0; /* 2^48, where reading stops too */
	}
	if (writer->metric < p->metrics.n)
		w->metric = &p->metrics.at[writer->metric];
	w->levels = p->lines.rows.n > 0;
	status = pp_flat_compute(p, &w->flat);
	if (status != PP_OK)
		return status;
	w->row_of = calloc(p->funcs.n, sizeof *w->row_of);
	if (!w->row_of || !pp_flat_sort(&w->flat, PP_SORT_NAME, 0))
		return PP_E_NOMEM;
	for (i = 0; i < w->flat.n; i++) {
		w->row_of[w->flat.func[i]] = (uint32_t)i + 1;
		w->outside = w->outside || pp_nyt_is_level(p, w->flat.func[i]);
	}
	rate_choose(w);
	return names_spell(w) && pp_nyt_files_collect(w) && pp_nyt_write_tree_prepare(w)
	           ? PP_OK
	           : PP_E_NOMEM;
}

void
pp_nyt_writing_release(struct pp_nyt_writing *w)
{
	pp_flat_release(&w->flat);
	pp_map_release(&w->fid_of);
	pp_vec_release(&w->runs);
	pp_vec_release(&w->run_lines);
	free(w->run_of);
	pp_vec_release(&w->files);
	pp_vec_release(&w->evals);
	pp_strtab_release(&w->names);
	free(w->spelled);
	free(w->row_of);
	free(w->self);
	free(w->incl);
	free(w->calls);
}

pp_status
pp_nyt_write(struct pp_writer *writer)
{
	const struct pp_profile *p = writer->profile;
	const struct pp_nyt_store *store = pp_nyt_store_of(p);
	struct pp_nyt_writing w;
	pp_status status;

	/* The very records that were read. */
	if (store && p->complete) {
		writer->loss.verbatim = true;
		pp_sink_write(writer->out, store->bytes.p, store->bytes.n);
		return writer->out->status;
	}
	status = pp_nyt_writing_init(&w, writer);
	if (status == PP_OK && !pp_nyt_runs_find(&w))
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		pp_nyt_out_init(&w.out, writer->out);
		compose(&w);
		status = pp_nyt_out_finish(&w.out);
		if (w.no_memory)
			status = PP_E_NOMEM;
		note_losses(&w);
	}
	pp_nyt_writing_release(&w);
	return status;
}
