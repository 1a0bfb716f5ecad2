/*
 * Files and string evals: their numbers, and their records.
 */
#include "formats/nytprof/write.h"

#include "base/num.h"

/* "(eval N)[FILE:LINE]": where a string eval was made; false when the name is not that. */
static bool
eval_parse(struct pp_slice name, struct pp_slice *file, uint32_t *line)
{
	const unsigned char *open, *colon;
	uint64_t n;

	if (name.n < 12 || memcmp(name.p, "(eval ", 6) != 0 || name.p[name.n - 1] != ']')
		return false;
	open = memchr(name.p, '[', name.n);
	colon = memrchr(name.p, ':', name.n);
	if (!open || !colon || colon < open ||
	    !pp_num_u64(pp_slice_of(colon + 1, (size_t)(name.p + name.n - 1 - (colon + 1))), &n) ||
	    n > UINT32_MAX)
		return false;
	*file = pp_slice_of(open + 1, (size_t)(colon - open - 1));
	*line = (uint32_t)n;
	return true;
}

static bool
ends_with_path(struct pp_slice s, struct pp_slice end)
{
	return s.n > end.n && s.p[s.n - end.n - 1] == '/' &&
	       memcmp(s.p + s.n - end.n, end.p, end.n) == 0;
}

/* The fid of a file by the name that an eval gives it, which may lack its directory. */
static uint32_t
fid_by_text(const struct pp_nyt_writing *w, struct pp_slice name)
{
	pp_str id;
	uint32_t fid, i;

	while (name.n > 2 && memcmp(name.p, "./", 2) == 0)
		name = pp_slice_from(name, 2);
	if (pp_strtab_find(&w->profile->strs, name.p, name.n, &id)) {
		fid = pp_map_get(&w->fid_of, id);
		if (fid != PP_MAP_NONE)
			return fid;
	}
	for (i = 0; i < w->files.n && i < 256; i++)
		if (ends_with_path(pp_text_of(w->profile, w->files.at[i]), name))
			return i + 1;
	return 0;
}

static void
file_add(struct pp_nyt_writing *w, pp_str file)
{
	struct pp_nyt_eval eval = { 0 };
	struct pp_slice parent;

	if (!file || pp_map_get(&w->fid_of, file) != PP_MAP_NONE)
		return;
	/* Files come before evals, outer evals before inner ones, so the parent is there if ever. */
	if (eval_parse(pp_text_of(w->profile, file), &parent, &eval.line))
		eval.fid = fid_by_text(w, parent);
	if (!eval.fid)
		eval.line = 0;
	if (!pp_vec_push(&w->files, file) || !pp_vec_push(&w->evals, eval) ||
	    !pp_map_set(&w->fid_of, file, (uint32_t)w->files.n))
		w->no_memory = true;
}

/* Levels of evals around a file's text: "(eval 2)[(eval 1)[f:1]:2]" has two. */
static unsigned
eval_level(struct pp_slice name)
{
	unsigned level = 0;
	uint32_t line;

	while (eval_parse(name, &name, &line))
		level++;
	return level;
}

/* Adds all files of one level of evals; tells whether there are deeper ones. */
static bool
files_of_level(struct pp_nyt_writing *w, unsigned level, const unsigned char *used)
{
	const struct pp_profile *p = w->profile;
	bool deeper = false;
	size_t i;

	for (i = 1; i < p->strs.strs.n; i++) {
		unsigned own;

		if (!used[i])
			continue;
		own = eval_level(pp_text_of(p, (pp_str)i));
		if (own == level)
			file_add(w, (pp_str)i);
		deeper |= own > level;
	}
	return deeper;
}

bool
pp_nyt_files_collect(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	unsigned char *used = calloc(p->strs.strs.n + 1, 1);
	unsigned level = 0;
	size_t i;

	if (!used)
		return false;
	for (i = 0; i < p->lines.rows.n; i++)
		used[p->lines.rows.at[i].file] = 1;
	for (i = 1; i < p->funcs.n; i++)
		used[p->funcs.at[i].file] = 1;
	for (i = 0; i < p->calls.rows.n; i++)
		used[p->calls.rows.at[i].site_file] = 1;
	for (i = 0; i < p->sources.n; i++)
		used[p->sources.at[i].file] = 1;
	used[0] = 0;
	while (files_of_level(w, level, used) && level < 1000)
		level++;
	free(used);
	/* Code without a file needs one, because fid 0 has another meaning. */
	w->script = w->files.n ? 1 : 0;
	if (!w->script) {
		w->script = 1;
		if (!pp_vec_push(&w->files, 0) ||
		    !pp_vec_push(&w->evals, (struct pp_nyt_eval){ 0 }))
			return false;
	}
	return !w->no_memory;
}

uint32_t
pp_nyt_write_fid(struct pp_nyt_writing *w, pp_str file)
{
	uint32_t fid = file ? pp_map_get(&w->fid_of, file) : PP_MAP_NONE;

	return fid == PP_MAP_NONE ? w->script : fid;
}

static void
file_write(struct pp_nyt_writing *w, uint32_t fid)
{
	const unsigned from_statement = 0x02, source_saved = 0x30;
	struct pp_nyt_out *o = &w->out;
	size_t i = fid - 1;

	pp_nyt_out_byte(o, '@');
	pp_nyt_out_uint(o, fid);
	pp_nyt_out_uint(o, w->evals.at[i].fid);
	pp_nyt_out_uint(o, w->evals.at[i].line);
	pp_nyt_out_uint(o, from_statement | (w->profile->sources.n ? source_saved : 0));
	pp_nyt_out_uint(o, 0);
	pp_nyt_out_uint(o, 0);
	if (w->files.at[i])
		pp_nyt_out_string(o, pp_text_of(w->profile, w->files.at[i]));
	else
		pp_nyt_out_string(o, pp_slice_z("/unknown"));
}

void
pp_nyt_write_files(struct pp_nyt_writing *w, const struct pp_nyt_run *run)
{
	uint32_t fid;

	if (run)
		file_write(w, run->fid);
	for (fid = 1; fid <= w->files.n; fid++)
		if (!run || (fid != run->fid && &w->runs.at[pp_nyt_run_of(w, fid)] == run))
			file_write(w, fid);
}
