/*
 * Files, lines, subs and the clock rate of a NYTProf stream while it is read.
 */
#include "formats/nytprof/load.h"

#include <math.h>

/* Dense cells for all files together; hostile line numbers go to a hash table beyond it. */
#define DENSE_BYTES ((uint64_t)64 << 20)
#define DENSE_FIRST 16u
#define SMALL_FID ((uint32_t)1 << 20)
/* For one line: 325 days at the usual rate. Each record holds but 31 bits of it. */
#define MOST_TICKS ((int64_t)1 << 48)

bool
pp_nyt_tables_init(struct pp_nyt_load *load)
{
	struct pp_nyt_files *f = &load->files;

	f->of_large_fid.seed = f->sparse_of.seed = load->subs.of_name.seed = load->reader->seed;
	return pp_vec_push(&f->rows, (struct pp_nyt_file_row){ 0 }) &&
	       pp_strtab_init(&load->subs.raw, load->reader->seed) &&
	       pp_vec_push(&load->subs.of_raw, 0);
}

void
pp_nyt_tables_release(struct pp_nyt_load *load)
{
	size_t i;

	for (i = 0; i < load->files.rows.n; i++)
		free(load->files.rows.at[i].cells);
	pp_vec_release(&load->files.rows);
	pp_vec_release(&load->files.of_fid);
	pp_map_release(&load->files.of_large_fid);
	pp_vec_release(&load->files.sparse);
	pp_map_release(&load->files.sparse_of);
	pp_strtab_release(&load->subs.raw);
	pp_vec_release(&load->subs.of_raw);
	pp_map_release(&load->subs.of_name);
	pp_vec_release(&load->subs.rows);
	pp_vec_release(&load->callers);
	pp_vec_release(&load->processes);
	pp_nyt_outside_release(&load->outside);
	pp_nyt_settings_release(&load->settings);
}

static void
no_memory(struct pp_nyt_load *load)
{
	pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
}

/* ---- files ------------------------------------------------------------------------------ */

static uint32_t
file_find(const struct pp_nyt_files *f, uint32_t fid)
{
	uint32_t row;

	if (fid < f->of_fid.n)
		return f->of_fid.at[fid];
	row = pp_map_get(&f->of_large_fid, fid);
	return row == PP_MAP_NONE ? 0 : row;
}

/* Fids count up from 1; those that jump ahead go to the map. */
static bool
file_index(struct pp_nyt_files *f, uint32_t fid, uint32_t row)
{
	if (fid >= SMALL_FID || fid > f->of_fid.n * 2 + 1024)
		return pp_map_set(&f->of_large_fid, fid, row);
	if (!pp_vec_reserve(&f->of_fid, (size_t)fid + 1))
		return false;
	while (f->of_fid.n <= fid) {
		/* What the map took earlier moves here, so that one look is enough. */
		uint32_t before = pp_map_get(&f->of_large_fid, f->of_fid.n);

		f->of_fid.at[f->of_fid.n++] = before == PP_MAP_NONE ? 0 : before;
	}
	f->of_fid.at[fid] = row;
	return true;
}

static uint32_t
file_add(struct pp_nyt_load *load, uint32_t fid)
{
	struct pp_nyt_files *f = &load->files;
	uint32_t row = (uint32_t)f->rows.n;

	if (f->rows.n >= UINT32_MAX - 1 ||
	    !pp_vec_push(&f->rows, (struct pp_nyt_file_row){ .fid = fid }) ||
	    !file_index(f, fid, row)) {
		no_memory(load);
		return 0;
	}
	return row;
}

uint32_t
pp_nyt_file_use(struct pp_nyt_load *load, uint32_t fid)
{
	uint32_t row = file_find(&load->files, fid);

	if (row)
		return row;
	PP_NYT_FIND(load, PP_NYT_FILE_UNDEFINED, pp_nyt_here(load),
	            "fid %u is used, but no '@' record defined it", fid);
	return file_add(load, fid);
}

uint32_t
pp_nyt_file_row(const struct pp_nyt_load *load, uint32_t fid)
{
	return file_find(&load->files, fid);
}

bool
pp_nyt_file_known(const struct pp_nyt_load *load, uint32_t fid)
{
	return file_find(&load->files, fid) != 0;
}

void
pp_nyt_file_define(struct pp_nyt_load *load, const struct pp_nyt_file *file)
{
	uint32_t row = file_find(&load->files, file->fid);
	struct pp_nyt_file_row *f;
	struct pp_buf name = { 0 };
	bool is_new;
	pp_str id;

	pp_nyt_name_decode(&name, file->name.bytes);
	id = pp_build_buf(load->builder, &name);
	if (!row)
		row = file_add(load, file->fid);
	if (!row || !pp_builder_ok(load->builder))
		return;
	f = &load->files.rows.at[row];
	if (file->fid == 0)
		PP_NYT_FIND(load, PP_NYT_FILE_ZERO, pp_nyt_here(load), "fid 0 is defined");
	if (f->defined && (f->name != id || f->eval_fid != file->eval_fid))
		PP_NYT_FIND(load, PP_NYT_FILE_REDEFINED, pp_nyt_here(load),
		            "fid %u is defined again; the last definition counts", file->fid);
	if (!f->defined)
		f->met = load->calls.returns;
	is_new = !f->defined && !file->eval_fid;
	f->defined = true;
	f->name = id;
	f->eval_fid = file->eval_fid;
	f->eval_line = file->eval_fid ? file->eval_line : 0;
	f->flags = file->flags;
	if (is_new)
		pp_nyt_scripts_meet(load, row);
}

void
pp_nyt_files_restart(struct pp_nyt_load *load)
{
	load->files.of_fid.n = 0;
	pp_map_release(&load->files.of_large_fid);
}

/* ---- lines ------------------------------------------------------------------------------ */

/* Makes the dense cells reach `line` if that is cheap enough. */
static bool
cells_grow(struct pp_nyt_files *files, struct pp_nyt_file_row *f, uint32_t line)
{
	uint64_t cap = f->cap ? f->cap : DENSE_FIRST, more;
	struct pp_nyt_cell *cells;

	while (cap <= line)
		cap *= 2;
	more = (cap - f->cap) * sizeof *cells;
	if (cap > DENSE_FIRST && files->cell_bytes + more > DENSE_BYTES)
		return false;
	cells = realloc(f->cells, cap * sizeof *cells);
	if (!cells)
		return false;
	memset(cells + f->cap, 0, more);
	f->cells = cells;
	f->cap = (uint32_t)cap;
	files->cell_bytes += more;
	return true;
}

static struct pp_nyt_cell *
cell_sparse(struct pp_nyt_load *load, uint32_t file, uint32_t line)
{
	struct pp_nyt_files *f = &load->files;
	uint64_t key = (uint64_t)file << 32 | line;
	uint32_t row = pp_map_get(&f->sparse_of, key);

	if (row != PP_MAP_NONE)
		return &f->sparse.at[row].cell;
	row = (uint32_t)f->sparse.n;
	if (row == PP_MAP_NONE ||
	    !pp_vec_push(&f->sparse, (struct pp_nyt_sparse_row){ .file = file, .line = line }) ||
	    !pp_map_set(&f->sparse_of, key, row)) {
		no_memory(load);
		return NULL;
	}
	return &f->sparse.at[row].cell;
}

void
pp_nyt_line_add(struct pp_nyt_load *load, uint32_t file, uint32_t line, int64_t ticks, bool counted)
{
	struct pp_nyt_file_row *f = &load->files.rows.at[file];
	struct pp_nyt_cell *cell;
	pp_i128 sum;

	if (!f->cap) {
		f->first_at = load->clock.now;
		f->process = load->process;
		f->returns = load->calls.returns;
		if (!f->eval_fid && !pp_vec_push(&load->outside.fresh, file))
			no_memory(load);
	}
	if (line < f->cap || cells_grow(&load->files, f, line))
		cell = &f->cells[line];
	else
		cell = cell_sparse(load, file, line);
	if (!cell)
		return;
	cell->hits = (cell->hits + (counted ? 2 : 0)) | 1;
	sum = cell->ticks + (pp_i128)ticks * load->clock.multiplier;
	cell->ticks = (int64_t)(sum > MOST_TICKS    ? MOST_TICKS
	                        : sum < -MOST_TICKS ? -MOST_TICKS
	                                            : sum);
	if (cell->ticks != sum) {
		PP_NYT_FIND(load, PP_NYT_TICKS_OVERFLOW, pp_nyt_here(load),
		            "the ticks of line %u exceed 2^48", line);
	}
	load->clock.used = true;
}

/* ---- subs ------------------------------------------------------------------------------- */

static uint32_t
sub_of_name(struct pp_nyt_load *load, struct pp_slice raw)
{
	struct pp_nyt_subs *s = &load->subs;
	struct pp_buf decoded = { 0 };
	struct pp_nyt_sub_row row = { 0 };
	uint32_t sub;

	pp_nyt_name_decode(&decoded, raw);
	row.name = pp_build_buf(load->builder, &decoded);
	sub = pp_map_get(&s->of_name, row.name);
	if (sub != PP_MAP_NONE || !pp_builder_ok(load->builder))
		return sub;
	sub = (uint32_t)s->rows.n;
	row.func = pp_build_func_later(load->builder);
	row.frame = pp_build_frame(load->builder, &(struct pp_frame_row){ .func = row.func });
	if (sub == PP_MAP_NONE || !pp_vec_push(&s->rows, row) ||
	    !pp_map_set(&s->of_name, row.name, sub)) {
		no_memory(load);
		return PP_NYT_NO_SUB;
	}
	return sub;
}

uint32_t
pp_nyt_sub_use(struct pp_nyt_load *load, struct pp_slice name)
{
	struct pp_nyt_subs *s = &load->subs;
	pp_str raw = 0;
	bool is_new;

	if (!pp_strtab_intern(&s->raw, name.p, name.n, &raw, &is_new)) {
		no_memory(load);
		return PP_NYT_NO_SUB;
	}
	/* More than one is missing where there was no memory for them. */
	while (raw >= s->of_raw.n)
		if (!pp_vec_push(&s->of_raw, 0)) {
			no_memory(load);
			return PP_NYT_NO_SUB;
		}
	if (PP_UNLIKELY(s->of_raw.at[raw] == 0)) {
		uint32_t sub = sub_of_name(load, name);

		if (sub == PP_NYT_NO_SUB)
			return sub;
		s->of_raw.at[raw] = sub + 1;
	}
	return s->of_raw.at[raw] - 1;
}

/* Which of two places of a sub counts: a file before a string eval, then the lower fid. */
static bool
place_better(const struct pp_nyt_load *load, uint32_t a, uint32_t b)
{
	const struct pp_nyt_file_row *fa = &load->files.rows.at[a], *fb = &load->files.rows.at[b];

	if ((fa->eval_fid == 0) != (fb->eval_fid == 0))
		return fa->eval_fid == 0;
	return fa->fid <= fb->fid;
}

void
pp_nyt_sub_describe(struct pp_nyt_load *load, const struct pp_nyt_sub *s)
{
	uint32_t file = pp_nyt_file_use(load, s->fid);
	uint32_t sub = pp_nyt_sub_use(load, s->name.bytes);
	struct pp_nyt_sub_row *row;

	if (sub == PP_NYT_NO_SUB || !pp_builder_ok(load->builder))
		return;
	row = &load->subs.rows.at[sub];
	if (row->described && !place_better(load, file, row->file))
		return;
	row->described = true;
	row->file = file;
	row->first = s->first;
	row->last = s->last;
}

/* ---- the clock -------------------------------------------------------------------------- */

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void
refine(int64_t *ticks, uint64_t by)
{
	pp_i128 finer = (pp_i128)*ticks * (pp_i128)by;

	*ticks = (int64_t)(finer > MOST_TICKS    ? MOST_TICKS
	                   : finer < -MOST_TICKS ? -MOST_TICKS
	                                         : finer);
}

/* Multiplies all that is stored, so that it counts in finer ticks. */
static void
ticks_refine(struct pp_nyt_load *load, uint64_t by)
{
	struct pp_nyt_files *f = &load->files;
	double factor = (double)by;
	size_t i;
	uint32_t line;

	for (i = 1; i < f->rows.n; i++)
		for (line = 0; line < f->rows.at[i].cap; line++)
			refine(&f->rows.at[i].cells[line].ticks, by);
	for (i = 1; i < f->rows.n; i++)
		refine(&f->rows.at[i].first_at, by);
	for (i = 0; i < f->sparse.n; i++)
		refine(&f->sparse.at[i].cell.ticks, by);
	for (i = 0; i < load->callers.n; i++) {
		load->callers.at[i].incl *= factor;
		load->callers.at[i].excl *= factor;
		load->callers.at[i].reci *= factor;
	}
	for (i = 0; i < load->outside.files.n; i++)
		load->outside.files.at[i].ticks *= factor;
	for (i = 0; i < load->outside.quiet.n; i++)
		refine(&load->outside.quiet.at[i].ticks, by);
	refine(&load->clock.now, by);
	pp_nyt_calls_refine(load, factor);
}

void
pp_nyt_rate_set(struct pp_nyt_load *load, uint64_t rate)
{
	uint64_t finer, base = load->clock.base_rate;

	if (rate == load->clock.rate)
		return;
	if (!load->clock.used) {
		load->clock.rate = load->clock.base_rate = rate;
		load->clock.multiplier = 1;
		return;
	}
	finer = rate / common_divisor(base, rate);
	PP_NYT_FIND(load, PP_NYT_RATE_CHANGED, pp_nyt_here(load),
	            "ticks_per_sec changes from %llu to %llu", (unsigned long long)load->clock.rate,
	            (unsigned long long)rate);
	/* Both rates must fit into one whole number of ticks, small enough that sums stay exact. */
	if (base * (pp_u128)finer > (uint64_t)1000000000) {
		PP_NYT_FIND(load, PP_NYT_RATE_INVALID, pp_nyt_here(load),
		            "no common tick fits %llu and %llu ticks per second",
		            (unsigned long long)base, (unsigned long long)rate);
		return;
	}
	if (finer > 1)
		ticks_refine(load, finer);
	load->clock.base_rate = base * finer;
	load->clock.rate = rate;
	load->clock.multiplier = (int64_t)(load->clock.base_rate / rate);
}

double
pp_nyt_seconds_ticks(const struct pp_nyt_load *load, double seconds)
{
	double rate = (double)load->clock.rate, ticks = nearbyint(seconds * rate);

	/* The profiler divides whole ticks by the rate: if doing so again gives the same, it was them. */
	if (ticks / rate != seconds)
		ticks = seconds * rate;
	return ticks * (double)load->clock.multiplier;
}

double
pp_nyt_ticks_settle(const struct pp_nyt_load *load, double ticks)
{
	double rate = (double)load->clock.base_rate;
	int i;

	for (i = 0; i < 8 && ticks != nearbyint(ticks) && ticks / rate * rate != ticks; i++)
		ticks = ticks / rate * rate;
	return ticks;
}
