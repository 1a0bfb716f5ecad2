/*
 * Names of functions: symbols of what was mapped, looked for when the first address in it is met.
 */
#include "formats/perf/data.h"

/* Modules that are named when they have no symbols. */
#define LACKING_SHOWN 4

static bool
file_open(void *ctx, const char *path, const char *root, struct pp_input **in)
{
	struct pp_reader *r = ctx;

	return r->open_file(r, path, root, in);
}

void
pp_pd_symbols_init(struct pp_pd *d)
{
	struct pp_pd_symbols *s = &d->symbols;
	struct pp_reader *r = d->reader;
	const char *root = pp_reader_option(r, "symfs"), *cache = pp_reader_option(r, "debug-dir");
	const char *home = root || cache ? NULL : r->home(r);

	pp_native_init(&s->native, r, d->builder);
	pp_buf_adds(&s->cache, cache ? cache : root ? root : home ? home : "");
	pp_buf_adds(&s->cache, cache ? "" : "/.debug");
	pp_buf_addc(&s->cache, '\0');
	if (s->cache.failed)
		pp_pd_no_memory(d);
	s->locator = (struct pp_locator){ .open = file_open,
		                          .ctx = r,
		                          .root = root && *root ? root : NULL,
		                          .cache = cache || root || home ? s->cache.p : NULL,
		                          .cache_outside = cache != NULL,
		                          .kallsyms = pp_reader_option(r, "kallsyms"),
		                          .frames = true,
		                          .lines = true,
		                          .seed = d->builder->seed };
}

void
pp_pd_symbols_release(struct pp_pd *d)
{
	size_t i;

	for (i = 0; i < d->threads.modules.n; i++)
		pp_binary_release(&d->threads.modules.at[i].binary);
	pp_binary_release(&d->symbols.kernel);
	pp_native_release(&d->symbols.native);
	pp_buf_release(&d->symbols.cache);
}

/* The symbols of a module, looked for once. */
static struct pp_binary *
binary_of(struct pp_pd *d, struct pp_pd_module *m)
{
	struct pp_pd_symbols *s = &d->symbols;
	struct pp_slice id = m->build_id.n ? m->build_id : pp_pd_build_id_of(d, m->name);
	struct pp_binary *b = m->kind == PP_MODULE_KERNEL ? &s->kernel : &m->binary;
	bool fine = true;

	if (m->tried)
		return b;
	m->tried = true;
	if (m->kind == PP_MODULE_KERNEL) {
		/* One list holds the kernel and its modules. */
		const struct pp_pd_module *k = s->kernel_module
		                                   ? &d->threads.modules.at[s->kernel_module]
		                                   : m;

		s->locator.host = d->features.hostname;
		s->locator.release = d->features.release;
		if (!s->kernel_tried)
			fine = pp_locate_kernel(&s->locator,
			                        k->build_id.n ? k->build_id
			                                      : pp_pd_build_id_of(d, k->name),
			                        k->reference, k->reference_at, b);
		s->kernel_tried = true;
	} else if (m->kind == PP_MODULE_JIT && m->offsets) {
		fine = pp_locate_jitdump(&s->locator, m->name, b);
	} else if (m->kind == PP_MODULE_JIT) {
		fine = pp_locate_map(&s->locator, m->name, b);
	} else if (pp_slice_starts(m->name, "[vdso")) {
		fine = pp_locate_vdso(&s->locator, id, b);
	} else {
		fine = pp_locate_binary(&s->locator, m->name, id, b);
	}
	if (!fine)
		pp_pd_no_memory(d);
	return b;
}

struct pp_binary *
pp_pd_binary(struct pp_pd *d, uint32_t module)
{
	return module ? binary_of(d, &d->threads.modules.at[module]) : NULL;
}

/* Says why there are no source lines, where they were asked for. */
static void
lines_report(struct pp_pd *d)
{
	const struct pp_native *n = &d->symbols.native;
	size_t i, told = 0, known = 0;

	if (!n->inlined && !(n->lines && (d->reader->order->facets & PP_SOURCE)))
		return;
	for (i = 1; i < d->threads.modules.n; i++) {
		known += d->threads.modules.at[i].binary.state == PP_LOCATED;
		told += d->threads.modules.at[i].binary.roles[PP_ROLE_LINES] != NULL;
	}
	if (told && !pp_dwarf_is_built())
		pp_diag_add(
		    d->reader->diags, &pp_pd_rules[PP_PD_SYMBOLS], PP_NOWHERE,
		    "source lines are there, but no libdw to read them (install libdw1; libdw-dev where "
		    "polyprof is built)");
	else if (known && !told)
		pp_diag_add(
		    d->reader->diags, &pp_pd_rules[PP_PD_SYMBOLS], PP_NOWHERE,
		    "no binary has debug information with source lines (compile with -g, or "
		    "install its debug package)");
}

/* Says which modules have no names, and why. */
void
pp_pd_symbols_report(struct pp_pd *d)
{
	static const char *const why[] = { [PP_LOCATED_NOT] = "not found",
		                           [PP_LOCATED_OTHER_BUILD] = "of another build",
		                           [PP_LOCATED_NOTHING_IN_IT] = "without symbols" };
	struct pp_buf text = { 0 };
	size_t i, n = 0;

	for (i = 1; i < d->threads.modules.n; i++) {
		const struct pp_pd_module *m = &d->threads.modules.at[i];
		const struct pp_binary *b = m->kind == PP_MODULE_KERNEL ? &d->symbols.kernel
		                                                        : &m->binary;

		if (!m->tried || b->state == PP_LOCATED)
			continue;
		if (n++ < LACKING_SHOWN)
			pp_buf_addf(&text, "%s%.*s (%s)", n > 1 ? ", " : "", PP_CLIP(m->name, 120),
			            why[b->state]);
	}
	if (n && !text.failed)
		pp_diag_add(d->reader->diags, &pp_pd_rules[PP_PD_SYMBOLS], PP_NOWHERE,
		            "no names for what runs in %s%s", text.p,
		            n > LACKING_SHOWN ? ", ..." : "");
	pp_buf_release(&text);
	lines_report(d);
}

static void
verdict_add(struct pp_pd *d, uint32_t parent, const char *key, const char *text)
{
	if (*text)
		(void)pp_build_meta(d->builder, parent, pp_slice_z(key), PP_META_TEXT,
		                    pp_slice_z(text));
}

void
pp_pd_symbols_meta(struct pp_pd *d)
{
	const char *root = d->symbols.locator.root;
	size_t n = root ? strlen(root) : 0, i;
	uint32_t list = 0, one;

	for (i = 1; i < d->threads.modules.n && pp_builder_ok(d->builder); i++) {
		const struct pp_pd_module *m = &d->threads.modules.at[i];
		const struct pp_binary *b = m->kind == PP_MODULE_KERNEL ? &d->symbols.kernel
		                                                        : &m->binary;
		const char *file = pp_binary_file(b);

		if (!m->tried)
			continue;
		if (!list)
			list = pp_build_meta(d->builder, 0, pp_slice_z("symbols"), PP_META_ARRAY,
			                     pp_slice_of("", 0));
		one = pp_build_meta(d->builder, list, pp_slice_of("", 0), PP_META_OBJECT,
		                    pp_slice_of("", 0));
		(void)pp_build_meta(d->builder, one, pp_slice_z("module"), PP_META_TEXT, m->name);
		verdict_add(d, one, "names", pp_binary_verdict(b));
		/* Where everything lies below a directory, its name says nothing. */
		verdict_add(d, one, "file", n && strncmp(file, root, n) == 0 ? file + n : file);
		if (b->state == PP_LOCATED && (m->kind == PP_MODULE_BINARY || b->jit.lines.n))
			verdict_add(d, one, "lines",
			            b->jit.lines.n             ? "yes"
			            : !b->roles[PP_ROLE_LINES] ? "no debug information"
			            : pp_dwarf_is_built()      ? "yes"
			                                       : "no libdw");
	}
}
