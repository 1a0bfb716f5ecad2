/*
 * Addresses of one process as frames.
 */
#include "formats/kit/mapped.h"

#include "base/num.h"
#include "base/slice.h"
#include "base/sort.h"

/* Files that are named when they have no symbols. */
#define LACKING_SHOWN 4

static void
no_memory(struct pp_mapped *m)
{
	pp_builder_fail(m->b, PP_E_NOMEM, NULL);
}

static bool
file_open(void *ctx, const char *path, const char *root, struct pp_input **in)
{
	struct pp_reader *r = ctx;

	return r->open_file(r, path, root, in);
}

bool
pp_mapped_init(struct pp_mapped *m, struct pp_reader *r, struct pp_builder *b)
{
	const char *root = pp_reader_option(r, "symfs");

	*m = (struct pp_mapped){ .reader = r, .b = b };
	pp_native_init(&m->native, r, b);
	m->locator = (struct pp_locator){ .open = file_open,
		                          .ctx = r,
		                          .root = root && *root ? root : NULL,
		                          .lines = true,
		                          .seed = b->seed };
	m->runs[0].seed = m->runs[1].seed = m->named.seed = b->seed;
	m->begun = pp_strtab_init(&m->names, b->seed);
	/* What 0 refers to: nothing. */
	return m->begun && pp_vec_push(&m->files, (struct pp_mapped_file){ 0 }) &&
	       pp_vec_push(&m->frames, 0);
}

void
pp_mapped_release(struct pp_mapped *m)
{
	size_t i;

	for (i = 0; i < m->files.n; i++)
		pp_binary_release(&m->files.at[i].binary);
	pp_vec_release(&m->files);
	pp_vec_release(&m->ranges);
	pp_map_release(&m->runs[0]);
	pp_map_release(&m->runs[1]);
	pp_vec_release(&m->frames);
	pp_native_release(&m->native);
	pp_map_release(&m->named);
	if (m->begun)
		pp_strtab_release(&m->names);
	pp_arena_release(&m->arena);
}

/* ---- what is mapped --------------------------------------------------------------------- */

static uint32_t
file_of(struct pp_mapped *m, struct pp_slice name)
{
	struct pp_mapped_file file = { 0 };
	bool is_new;
	pp_str id;

	if (!pp_builder_ok(m->b) || !name.n)
		return 0;
	if (!pp_strtab_intern(&m->names, name.p, name.n, &id, &is_new)) {
		no_memory(m);
		return 0;
	}
	file.name = pp_strtab_get(&m->names, id);
	while (m->files.n <= id)
		if (!pp_vec_push(&m->files, file)) {
			no_memory(m);
			return 0;
		}
	return id;
}

static void
range_add(struct pp_mapped *m, const struct pp_mapped_range *range)
{
	if (range->end <= range->start || !pp_builder_ok(m->b))
		return;
	if (!pp_vec_push(&m->ranges, *range))
		no_memory(m);
	m->sorted = false;
}

void
pp_mapped_add(struct pp_mapped *m, struct pp_slice name, uint64_t start, uint64_t end,
              uint64_t offset)
{
	range_add(
	    m, &(struct pp_mapped_range){
	           .start = start, .end = end, .moved = start - offset, .file = file_of(m, name) });
}

void
pp_mapped_add_part(struct pp_mapped *m, struct pp_slice name, uint64_t start, uint64_t end,
                   uint64_t base)
{
	range_add(m, &(struct pp_mapped_range){ .start = start,
	                                        .end = end,
	                                        .moved = base,
	                                        .file = file_of(m, name),
	                                        .address = true });
}

void
pp_mapped_clear(struct pp_mapped *m)
{
	size_t i;

	m->ranges.n = 0;
	for (i = 0; i < PP_COUNT_OF(m->runs); i++) {
		pp_map_release(&m->runs[i]);
		m->runs[i] = (struct pp_map){ .seed = m->b->seed };
	}
}

/* "START-END" */
static bool
span_read(struct pp_slice word, uint64_t *start, uint64_t *end)
{
	bool dash;
	struct pp_slice first = pp_slice_cut(&word, '-', &dash);

	return dash && pp_num_hex(first, start) && pp_num_hex(word, end);
}

/* The value of "$name" at the start of a path is what "name=value" said. */
static struct pp_slice
path_expand(struct pp_mapped *m, struct pp_slice path, struct pp_slice build)
{
	struct pp_slice rest = path;
	unsigned char *made;

	if (!pp_slice_take(&rest, "$build"))
		return path;
	made = pp_arena_alloc(&m->arena, build.n + rest.n + 1);
	if (!made) {
		no_memory(m);
		return path;
	}
	if (build.n)
		memcpy(made, build.p, build.n);
	if (rest.n)
		memcpy(made + build.n, rest.p, rest.n);
	return pp_slice_of(made, build.n + rest.n);
}

/* "START-END: FILE (@OFFSET) BUILD-ID", the short form: `rest` is what follows the colon. */
static void
short_read(struct pp_mapped *m, uint64_t start, uint64_t end, struct pp_slice rest,
           struct pp_slice build)
{
	struct pp_slice file = { 0 }, word;
	uint64_t offset = 0;

	if (!pp_slice_word(&rest, &file))
		return;
	if (pp_slice_word(&rest, &word) && pp_slice_take(&word, "(@") && word.n) {
		word.n--;
		(void)pp_slice_take(&word, "0x");
		if (!pp_num_hex(word, &offset))
			offset = 0;
	}
	pp_mapped_add(m, path_expand(m, file, build), start, end, offset);
}

void
pp_mapped_read(struct pp_mapped *m, struct pp_slice text)
{
	struct pp_slice line, word, build = { 0 };
	uint64_t start, end, offset;

	while (pp_builder_ok(m->b) && pp_slice_line(&text, &line)) {
		struct pp_slice rest = pp_slice_trim(line), mode;

		if (pp_slice_take(&rest, "build=")) {
			build = rest;
			continue;
		}
		if (!pp_slice_word(&rest, &word))
			continue;
		if (word.n && word.p[word.n - 1] == ':') {
			word.n--;
			if (span_read(word, &start, &end))
				short_read(m, start, end, rest, build);
			continue;
		}
		if (!span_read(word, &start, &end) || !pp_slice_word(&rest, &mode) || mode.n < 3 ||
		    !pp_slice_word(&rest, &word) || !pp_num_hex(word, &offset))
			continue;
		/* The device and the number of the file. */
		(void)pp_slice_word(&rest, &word);
		(void)pp_slice_word(&rest, &word);
		rest = pp_slice_trim(rest);
		if (mode.p[2] == 'x')
			pp_mapped_add(m, path_expand(m, rest, build), start, end, offset);
	}
}

void
pp_mapped_name(struct pp_mapped *m, uint64_t address, struct pp_slice name)
{
	pp_str str = pp_build_str(m->b, name);

	if (pp_builder_ok(m->b) && !pp_map_set(&m->named, address, str))
		no_memory(m);
}

/* ---- frames ----------------------------------------------------------------------------- */

static int
range_cmp(const void *a, const void *b, void *ctx)
{
	const struct pp_mapped_range *x = a, *y = b;

	(void)ctx;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* The range of an address: the last that begins before it, if it reaches so far. */
static const struct pp_mapped_range *
range_at(struct pp_mapped *m, uint64_t address)
{
	size_t low = 0, high = m->ranges.n;

	if (!m->sorted && m->ranges.n)
		pp_sort(m->ranges.at, m->ranges.n, sizeof *m->ranges.at, range_cmp, NULL);
	m->sorted = true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->ranges.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < m->ranges.at[low - 1].end ? &m->ranges.at[low - 1] : NULL;
}

static bool
is_vdso(struct pp_slice name)
{
	return pp_slice_starts(name, "[vdso") || pp_slice_starts(name, "linux-vdso");
}

/* Below symfs, /lib is often not there as the link to /usr/lib that it is elsewhere. */
static bool
locate_merged(struct pp_mapped *m, struct pp_mapped_file *f)
{
	struct pp_buf path = { 0 };
	bool fine;

	pp_buf_adds(&path, "/usr");
	pp_buf_add(&path, f->name.p, f->name.n);
	pp_binary_release(&f->binary);
	f->binary = (struct pp_binary){ 0 };
	fine = !path.failed && pp_locate_binary(&m->locator, pp_slice_of(path.p, path.n),
	                                        pp_slice_of("", 0), &f->binary);
	pp_buf_release(&path);
	return fine;
}

static struct pp_binary *
binary_of(struct pp_mapped *m, struct pp_mapped_file *f)
{
	const struct pp_slice no_id = pp_slice_of("", 0);

	if (!f->tried &&
	    !(is_vdso(f->name) ? pp_locate_vdso(&m->locator, no_id, &f->binary)
	                       : pp_locate_binary(&m->locator, f->name, no_id, &f->binary)))
		no_memory(m);
	else if (!f->tried && f->binary.state == PP_LOCATED_NOT && m->locator.root &&
	         pp_slice_starts(f->name, "/lib") && !locate_merged(m, f))
		no_memory(m);
	f->tried = true;
	return &f->binary;
}

static pp_module
module_of(struct pp_mapped *m, struct pp_mapped_file *f)
{
	const struct pp_elf *code = pp_binary_code(&f->binary);
	struct pp_slice id = code ? code->build_id : pp_slice_of("", 0);
	struct pp_module_row row = { .kind = PP_MODULE_BINARY };
	struct pp_buf hex = { 0 };
	size_t i;

	if (f->row)
		return f->row;
	for (i = 0; i < id.n; i++)
		pp_buf_addf(&hex, "%02x", id.p[i]);
	row.name = pp_build_str(m->b, f->name);
	row.build_id = pp_build_buf(m->b, &hex);
	f->row = pp_build_module(m->b, &row);
	return f->row;
}

/* Where in its file an address is. */
static uint64_t
offset_of(const struct pp_mapped_range *range, const struct pp_binary *binary, uint64_t address)
{
	const struct pp_elf *code = binary ? pp_binary_code(binary) : NULL;
	uint64_t at = address - range->moved;

	return range->address && code ? pp_elf_offset(code, at) : at;
}

/* A frame of which no more than the address is known. */
static pp_frame
frame_plain(struct pp_mapped *m, const struct pp_native_at *at, uint64_t address, uint64_t back)
{
	struct pp_func_row func = { .module = at->module, .flags = PP_FUNC_UNKNOWN };
	struct pp_frame_row frame = { 0 };

	/* Two runs are compared by names: where a file was mapped must not be part of them. */
	func.name = pp_build_strf(m->b, "0x%llx",
	                          (unsigned long long)(at->offset ? at->address + back : address));
	frame.func = pp_build_func(m->b, &func);
	if (m->native.places) {
		/* Where the file is known, addresses do not depend on where it happened to be mapped. */
		frame.address = at->address;
		frame.flags = (uint16_t)(at->offset ? PP_FRAME_FILE_OFFSET : 0);
	} else {
		m->b->profile->unread |= PP_HAS(ADDRESSES);
	}
	return pp_build_frame(m->b, &frame);
}

static size_t
frames_make(struct pp_mapped *m, uint64_t address, unsigned back, pp_frame *frames)
{
	uint64_t where = address >= back ? address - back : address;
	const struct pp_mapped_range *range = range_at(m, where);
	struct pp_mapped_file *file = range && range->file ? &m->files.at[range->file] : NULL;
	struct pp_native_at at = { .address = where };

	if (file) {
		at.binary = m->native.wanted ? binary_of(m, file) : NULL;
		at.module = module_of(m, file);
		at.address = offset_of(range, at.binary, where);
		at.offset = true;
	}
	if (at.binary && pp_symbols_find(&at.binary->symbols, at.address))
		return pp_native_frames(&m->native, &at, frames);
	frames[0] = frame_plain(m, &at, address, address - where);
	return 1;
}

uint32_t
pp_mapped_run(struct pp_mapped *m, uint64_t address, unsigned back)
{
	struct pp_map *known = &m->runs[back > 0];
	uint32_t run = pp_map_get(known, address);
	pp_frame frames[PP_NATIVE_FRAMES];
	size_t n;

	if (run != PP_MAP_NONE || !pp_builder_ok(m->b))
		return run == PP_MAP_NONE ? 0 : run;
	n = frames_make(m, address, back, frames);
	run = (uint32_t)m->frames.n;
	if (!pp_builder_ok(m->b))
		return 0;
	if (m->frames.n + n >= UINT32_MAX - 1 || !pp_vec_reserve(&m->frames, m->frames.n + n + 1) ||
	    !pp_map_set(known, address, run)) {
		no_memory(m);
		return 0;
	}
	m->frames.at[m->frames.n++] = (pp_frame)n;
	memcpy(m->frames.at + m->frames.n, frames, n * sizeof *frames);
	m->frames.n += n;
	return run;
}

const pp_frame *
pp_mapped_frames(const struct pp_mapped *m, uint32_t run, size_t *n)
{
	*n = m->frames.at[run];
	return m->frames.at + run + 1;
}

static void
text_add(struct pp_mapped *m, uint32_t parent, const char *key, const char *text)
{
	if (*text)
		(void)pp_build_meta(m->b, parent, pp_slice_z(key), PP_META_TEXT, pp_slice_z(text));
}

/* What came of looking for the symbols of each file, as metadata; the keys are those of perf. */
static void
meta_build(struct pp_mapped *m)
{
	const struct pp_slice nothing = pp_slice_of("", 0);
	const char *root = m->locator.root;
	size_t n = root ? strlen(root) : 0, i;
	uint32_t list = 0, one;

	for (i = 1; i < m->files.n && pp_builder_ok(m->b); i++) {
		const struct pp_mapped_file *f = &m->files.at[i];
		const char *file = pp_binary_file(&f->binary);

		if (!f->tried)
			continue;
		if (!list)
			list = pp_build_meta(m->b, 0, pp_slice_z("symbols"), PP_META_ARRAY,
			                     nothing);
		one = pp_build_meta(m->b, list, nothing, PP_META_OBJECT, nothing);
		(void)pp_build_meta(m->b, one, pp_slice_z("module"), PP_META_TEXT, f->name);
		text_add(m, one, "names", pp_binary_verdict(&f->binary));
		/* Where everything lies below a directory, its name says nothing. */
		text_add(m, one, "file", n && strncmp(file, root, n) == 0 ? file + n : file);
		if (f->binary.state == PP_LOCATED)
			text_add(m, one, "lines",
			         !f->binary.roles[PP_ROLE_LINES] ? "no debug information"
			         : pp_dwarf_is_built()           ? "yes"
			                                         : "no libdw");
	}
}

void
pp_mapped_report(struct pp_mapped *m, const struct pp_rule *rule)
{
	static const char *const why[] = { [PP_LOCATED_NOT] = "not found",
		                           [PP_LOCATED_OTHER_BUILD] = "of another build",
		                           [PP_LOCATED_NOTHING_IN_IT] = "without symbols" };
	struct pp_buf text = { 0 };
	size_t i, n = 0;

	for (i = 0; i < m->files.n; i++) {
		const struct pp_mapped_file *f = &m->files.at[i];

		/* The kernel's own library is in no file, and its name says enough. */
		if (!f->tried || f->binary.state == PP_LOCATED || is_vdso(f->name))
			continue;
		if (n++ < LACKING_SHOWN)
			pp_buf_addf(&text, "%s%.*s (%s)", n > 1 ? ", " : "", PP_CLIP(f->name, 120),
			            why[f->binary.state]);
	}
	if (n && !text.failed)
		pp_diag_add(m->reader->diags, rule, PP_NOWHERE, "no names for what runs in %s%s",
		            text.p, n > LACKING_SHOWN ? ", ..." : "");
	pp_buf_release(&text);
	if (m->reader->order->facets & PP_META)
		meta_build(m);
}
