/*
 * Names and source lines of frames.
 */
#include "formats/kit/resolve.h"

#include "base/slice.h"
#include "formats/kit/native.h"

#define SHOWN_MOST 4

const struct pp_rule pp_resolve_rules[] = {
	{ "symbolize-missing", PP_NOTE, "some frames have no name",
	  "Names are looked up in the binary of a module, or in its debug file; a file of another build is never used. `--binary` "
	  "names a file, `--debug-dir` a directory that holds .build-id/... of binaries or debug files." },
	{ 0 },
};

struct pp_resolver {
	struct pp_native native;
	struct pp_locator locator;
	const char *binary;
	PP_VEC(struct module_found {
		struct pp_binary binary;
		bool tried;
	} *)
	found; /* by module */
	uint64_t nameless, named;
	bool changed, by_format;
};

static bool
file_open(void *ctx, const char *path, const char *root, struct pp_input **in)
{
	struct pp_reader *r = ctx;

	return r->open_file(r, path, root, in);
}

/* Two digits a byte; returns how many bytes. */
static size_t
id_read(struct pp_slice hex, unsigned char *id, size_t most)
{
	size_t n = 0, i;

	for (i = 0; i + 2 <= hex.n && n < most; i += 2) {
		unsigned high = hex.p[i] | 32, low = hex.p[i + 1] | 32;

		if (!memchr("0123456789abcdef", (int)high, 16) ||
		    !memchr("0123456789abcdef", (int)low, 16))
			return 0;
		id[n++] = (unsigned char)((high > '9' ? high - 'a' + 10 : high - '0') << 4 |
		                          (low > '9' ? low - 'a' + 10 : low - '0'));
	}
	return n;
}

static struct pp_slice
base_name(struct pp_slice path)
{
	size_t i = path.n;

	while (i > 0 && path.p[i - 1] != '/')
		i--;
	return pp_slice_from(path, i);
}

/* The file that was named is that of a module of its name, or else of any that is not found. */
static bool
named_try(struct pp_resolver *r, struct pp_slice name, struct pp_slice id, bool any,
          struct pp_binary *found)
{
	if (!r->binary || (!any && !pp_slice_eq(base_name(pp_slice_z(r->binary)), base_name(name))))
		return true;
	return pp_locate_exact(&r->locator, r->binary, id, found);
}

/* Room for what is known of a module; NULL when out of memory. */
static struct module_found *
module_at(struct pp_resolver *r, pp_module module)
{
	while (r->found.n <= module)
		if (!pp_vec_push(&r->found, NULL))
			return NULL;
	if (!r->found.at[module])
		r->found.at[module] = calloc(1, sizeof *r->found.at[module]);
	return r->found.at[module];
}

/* What is known of a module, looked for once; NULL when out of memory. */
static struct pp_binary *
binary_of(struct pp_resolver *r, pp_module module)
{
	const struct pp_profile *p = r->native.b->profile;
	const struct pp_module_row *row = &p->modules.at[module];
	struct pp_slice name = pp_text_of(p, row->name);
	struct module_found *known = module_at(r, module);
	struct pp_binary *found = known ? &known->binary : NULL;
	unsigned char bytes[64];
	struct pp_slice id = pp_slice_of(
	    bytes, id_read(pp_text_of(p, row->build_id), bytes, sizeof bytes));
	bool fine = known != NULL;

	if (fine && known->tried)
		return found;
	if (fine && row->kind == PP_MODULE_KERNEL) {
		fine = pp_locate_kernel(&r->locator, id, pp_slice_of("", 0), 0, found);
	} else if (fine) {
		fine = named_try(r, name, id, false, found);
		if (fine && found->state == PP_LOCATED_NOT)
			fine = pp_locate_binary(&r->locator, name, id, found);
		if (fine && found->state == PP_LOCATED_NOT)
			fine = named_try(r, name, id, true, found);
	}
	if (!fine) {
		pp_builder_fail(r->native.b, PP_E_NOMEM, NULL);
		return NULL;
	}
	known->tried = true;
	return found;
}

/* Addresses are offsets in the file; those of programs with fixed addresses are what they are. */
static uint64_t
offset_of(const struct pp_binary *b, const struct pp_frame_row *frame)
{
	const struct pp_elf *code = pp_binary_code(b);

	if (!code || (frame->flags & PP_FRAME_FILE_OFFSET) || frame->address < code->file.n)
		return frame->address;
	return pp_elf_offset(code, frame->address);
}

static void
frame_resolve(struct pp_resolver *r, pp_frame at)
{
	struct pp_profile *p = r->native.b->profile;
	struct pp_frame_row frame = p->frames.at[at];
	struct pp_func_row func = p->funcs.at[frame.func];
	bool nameless = func.flags & PP_FUNC_UNKNOWN;
	struct pp_binary *b;
	pp_frame made[PP_NATIVE_FRAMES];
	struct pp_native_at place;
	uint64_t offset;

	if (!frame.address || !func.module || (!nameless && frame.line))
		return;
	r->nameless += nameless;
	b = binary_of(r, func.module);
	if (!b)
		return;
	offset = offset_of(b, &frame);
	place = (struct pp_native_at){ .binary = b,
		                       .module = func.module,
		                       .address = offset,
		                       .offset = pp_binary_code(b) != NULL,
		                       .kernel = (func.flags & PP_FUNC_KERNEL) != 0 };
	if (!pp_builder_ok(r->native.b) || b->state != PP_LOCATED)
		return;
	(void)pp_native_frames(&r->native, &place, made);
	if (!pp_builder_ok(r->native.b))
		return;
	/* The frame that was made tells; the one that stacks know is changed. */
	func = p->funcs.at[p->frames.at[made[0]].func];
	if (nameless && !(func.flags & PP_FUNC_UNKNOWN)) {
		p->frames.at[at].func = p->frames.at[made[0]].func;
		p->frames.at[at].offset = p->frames.at[made[0]].offset;
		p->frames.at[at].file = p->frames.at[made[0]].file;
		r->named++;
		r->changed = true;
	}
	if (p->frames.at[made[0]].line && !frame.line) {
		pp_str file = p->frames.at[made[0]].file ? p->frames.at[made[0]].file : func.file;

		r->changed = true;
		p->frames.at[at].line = p->frames.at[made[0]].line;
		p->frames.at[at].column = p->frames.at[made[0]].column;
		p->frames.at[at].file = file == p->funcs.at[p->frames.at[at].func].file ? 0 : file;
	}
}

static void
report(struct pp_resolver *r, struct pp_reader *reader)
{
	const struct pp_profile *p = r->native.b->profile;
	struct pp_buf text = { 0 };
	size_t i, n = 0;

	for (i = 1; i < r->found.n; i++) {
		const struct module_found *known = r->found.at[i];

		if (known && known->tried && known->binary.state != PP_LOCATED && n++ < SHOWN_MOST)
			pp_buf_addf(&text, "%s%.*s (%s)", n > 1 ? ", " : "",
			            PP_CLIP(pp_text_of(p, p->modules.at[i].name), 120),
			            pp_binary_verdict(&known->binary));
	}
	if (r->named < r->nameless && !text.failed)
		pp_diag_add(reader->diags, &pp_resolve_rules[0], PP_NOWHERE,
		            "%llu of %llu frames without a name got one%s%s%s",
		            (unsigned long long)r->named, (unsigned long long)r->nameless,
		            n ? "; no symbols of " : "", n ? text.p : "",
		            n > SHOWN_MOST ? ", ..." : "");
	pp_buf_release(&text);
}

/* Made when names are wanted; NULL when not, or out of memory. */
static struct pp_resolver *
resolver_get(struct pp_reader *reader, struct pp_builder *b)
{
	const char *root = pp_reader_option(reader, "symfs");
	struct pp_resolver *r = reader->resolver;

	if (r || !pp_reader_option(reader, "symbolize"))
		return r;
	r = reader->resolver = calloc(1, sizeof *r);
	if (!r) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return NULL;
	}
	r->binary = pp_reader_option(reader, "binary");
	pp_native_init(&r->native, reader, b);
	r->native.places = r->native.lines = r->native.wanted = true;
	r->native.inlined = false;
	r->locator = (struct pp_locator){ .open = file_open,
		                          .ctx = reader,
		                          .root = root && *root ? root : NULL,
		                          .cache = pp_reader_option(reader, "debug-dir"),
		                          .cache_outside = true,
		                          .kallsyms = pp_reader_option(reader, "kallsyms"),
		                          .lines = true,
		                          .seed = b->seed };
	return r;
}

void
pp_resolve_forget(struct pp_reader *reader)
{
	struct pp_resolver *r = reader->resolver;
	size_t i;

	if (!r)
		return;
	for (i = 0; i < r->found.n; i++)
		if (r->found.at[i]) {
			pp_binary_release(&r->found.at[i]->binary);
			free(r->found.at[i]);
		}
	pp_vec_release(&r->found);
	pp_native_release(&r->native);
	free(r);
	reader->resolver = NULL;
}

size_t
pp_resolve_frames(struct pp_reader *reader, struct pp_builder *b, const struct pp_resolve_at *at,
                  pp_frame *frames, size_t most)
{
	struct pp_resolver *r = resolver_get(reader, b);
	struct pp_frame_row frame = { .address = at->address };
	pp_frame made[PP_NATIVE_FRAMES];
	struct pp_native_at place = { .module = at->module, .kernel = at->kernel };
	size_t n, i;

	if (!r)
		return 0;
	r->by_format = true;
	if (!at->address || !at->module)
		return 0;
	r->nameless++;
	place.binary = binary_of(r, at->module);
	if (!place.binary || place.binary->state != PP_LOCATED)
		return 0;
	place.offset = pp_binary_code(place.binary) != NULL;
	place.address = !at->kernel && at->address >= at->start && at->address < at->limit
	                    ? at->address - at->start + at->offset
	                    : offset_of(place.binary, &frame);
	r->native.inlined = true;
	n = pp_native_frames(&r->native, &place, made);
	r->native.inlined = false;
	for (i = 0; i < n && i < most && pp_builder_ok(b); i++) {
		frame = b->profile->frames.at[made[i]];
		if (i == 0 && b->profile->funcs.at[frame.func].flags & PP_FUNC_UNKNOWN)
			return 0;
		frame.address = at->address;
		frame.flags &= (uint16_t)~PP_FRAME_FILE_OFFSET;
		frames[i] = pp_build_frame(b, &frame);
	}
	r->named++;
	r->changed = true;
	return pp_builder_ok(b) ? i : 0;
}

void
pp_resolve(struct pp_reader *reader, struct pp_builder *b)
{
	struct pp_resolver *r = resolver_get(reader, b);
	size_t frames = b->profile->frames.n, i;

	if (!r)
		return;
	for (i = 1; i < frames && !r->by_format && pp_builder_ok(b); i++)
		frame_resolve(r, (pp_frame)i);
	/* What a format keeps as it stands in the file is no longer what the profile says. */
	if (r->changed && b->profile->kept.free) {
		b->profile->kept.free(b->profile->kept.data);
		b->profile->kept.data = NULL;
		b->profile->kept.free = NULL;
	}
	report(r, reader);
	pp_resolve_forget(reader);
}
