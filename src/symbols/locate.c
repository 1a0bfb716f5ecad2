/*
 * Where symbols are.
 */
#include "symbols/locate.h"

#include "base/slice.h"
#include "io/unxz.h"

/* Of symbols that a binary packed into itself: they are a part of it, not many times as much. */
#define UNPACKED_MOST ((size_t)256 << 20)

/* ---- files ------------------------------------------------------------------------------ */

static void
file_release(struct pp_symbol_file *f)
{
	pp_elf_release(&f->elf);
	if (f->in)
		f->in->close(f->in);
	pp_buf_release(&f->copy);
	pp_buf_release(&f->path);
	*f = (struct pp_symbol_file){ 0 };
}

/* Lets a file of several roles go. */
static void
role_drop(struct pp_binary *b, struct pp_symbol_file *f)
{
	unsigned i;

	for (i = 0; i < PP_ROLES; i++)
		b->roles[i] = b->roles[i] == f ? NULL : b->roles[i];
	file_release(f);
	free(f);
}

/* A file is not to be of that use. */
static void
role_leave(struct pp_binary *b, enum pp_symbol_role role)
{
	struct pp_symbol_file *f = b->roles[role];
	unsigned i;

	b->roles[role] = NULL;
	for (i = 0; i < PP_ROLES; i++)
		if (b->roles[i] == f)
			return;
	file_release(f);
	free(f);
}

void
pp_binary_release(struct pp_binary *b)
{
	unsigned i;

	pp_symbols_release(&b->symbols);
	pp_cfi_release(&b->cfi);
	pp_dwarf_close(b->dwarf);
	for (i = 0; i < PP_ROLES; i++)
		if (b->roles[i])
			role_drop(b, b->roles[i]);
	file_release(&b->text);
	file_release(&b->unpacked);
	pp_jitdump_release(&b->jit);
	pp_buf_release(&b->tried);
}

const struct pp_elf *
pp_binary_code(const struct pp_binary *b)
{
	static const enum pp_symbol_role order[] = { PP_ROLE_RUNTIME, PP_ROLE_FRAMES, PP_ROLE_NAMES,
		                                     PP_ROLE_LINES };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(order); i++)
		if (b->roles[order[i]])
			return &b->roles[order[i]]->elf;
	return NULL;
}

const struct pp_cfi *
pp_binary_cfi(struct pp_binary *b)
{
	const struct pp_symbol_file *f = b->roles[PP_ROLE_FRAMES];

	if (f && !b->has_cfi && !pp_cfi_open(&b->cfi, &f->elf))
		b->symbols.failed = true;
	b->has_cfi = f != NULL;
	return f && !b->symbols.failed ? &b->cfi : NULL;
}

struct pp_dwarf *
pp_binary_dwarf(struct pp_binary *b)
{
	const struct pp_symbol_file *f = b->roles[PP_ROLE_LINES],
	                            *shared = b->roles[PP_ROLE_SHARED];

	if (f && !b->has_dwarf)
		b->dwarf = pp_dwarf_open(&f->elf, shared ? &shared->elf : NULL);
	b->has_dwarf = f != NULL;
	return b->dwarf;
}

size_t
pp_binary_places(struct pp_binary *b, uint64_t offset, struct pp_dwarf_place *places, size_t most)
{
	const struct pp_elf *code = pp_binary_code(b);
	struct pp_dwarf *dwarf = code ? pp_binary_dwarf(b) : NULL;

	if (b->jit.lines.n && most > 0)
		return pp_symbols_find(&b->symbols, offset) &&
		       pp_jitdump_line(&b->jit, offset, places);
	return dwarf ? pp_dwarf_find(dwarf, pp_elf_address(code, offset), places, most) : 0;
}

/* A text that was put together; "" when it was not. */
static const char *
text_of(const struct pp_buf *b)
{
	return b->p && b->n && !b->failed ? b->p : "";
}

const char *
pp_binary_verdict(const struct pp_binary *b)
{
	switch (b->state) {
	case PP_LOCATED:
		return b->text.bytes.n || b->roles[PP_ROLE_NAMES] ? "found"
		       : b->unpacked.bytes.n                      ? "found, packed"
		                                                  : "stripped, exported only";
	case PP_LOCATED_OTHER_BUILD:
		return "other build";
	case PP_LOCATED_NOTHING_IN_IT:
		return b->text.bytes.n ? "hidden" : "none in it";
	default:
		return "not found";
	}
}

const char *
pp_binary_file(const struct pp_binary *b)
{
	static const enum pp_symbol_role order[] = { PP_ROLE_NAMES, PP_ROLE_PACKED, PP_ROLE_RUNTIME,
		                                     PP_ROLE_FRAMES };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(order); i++)
		if (b->roles[order[i]])
			return text_of(&b->roles[order[i]]->path);
	return text_of(b->text.bytes.n ? &b->text.path : &b->tried);
}

/* A path of several pieces below the root, in one text; whoever calls releases it. */
static const char *
path_make(const struct pp_locator *l, struct pp_buf *path, struct pp_slice a, const char *b,
          struct pp_slice c, const char *d)
{
	path->n = 0;
	pp_buf_adds(path, l->root ? l->root : "");
	pp_buf_add(path, a.p, a.n);
	pp_buf_adds(path, b);
	pp_buf_add(path, c.p, c.n);
	pp_buf_adds(path, d);
	pp_buf_addc(path, '\0');
	return path->failed ? "" : path->p;
}

static void
path_keep(struct pp_buf *to, const char *path)
{
	pp_buf_add(to, path, strlen(path) + 1);
}

/* A file as a whole; false when it is not there, or out of memory. */
static bool
file_open(const struct pp_locator *l, const char *path, const char *root, struct pp_symbol_file *f)
{
	*f = (struct pp_symbol_file){ 0 };
	if (!*path || !l->open(l->ctx, path, root, &f->in))
		return false;
	path_keep(&f->path, path);
	if (f->in->stable) {
		f->bytes = pp_slice_of(f->in->cur, pp_input_left(f->in));
		return true;
	}
	while (pp_input_need(f->in, 1)) {
		pp_buf_add(&f->copy, f->in->cur, pp_input_left(f->in));
		f->in->cur = f->in->end;
	}
	f->in->close(f->in);
	f->in = NULL;
	f->bytes = pp_slice_of(f->copy.p ? f->copy.p : "", f->copy.n);
	if (f->copy.failed || f->path.failed)
		file_release(f);
	return f->bytes.p != NULL;
}

/* ---- binaries --------------------------------------------------------------------------- */

/* What is looked for, and what was found. */
struct search {
	const struct pp_locator *l;
	const char *inside;              /* what is opened must lie below this; or NULL */
	struct pp_slice path, dir, base; /* dir without its last slash */
	struct pp_slice id;
	struct pp_binary *found;
	unsigned char own_id[64]; /* where `id` is when the file itself told it */
	struct pp_buf text, hint; /* scratch */
	struct pp_buf hex;        /* the id as text */
	bool shared; /* what debug information has in common with others, and nothing else */
};

static bool
has_typed(const struct pp_elf *e, uint32_t type)
{
	const struct pp_elf_section *s = pp_elf_typed(e, type);

	return s && s->bytes.n > 0;
}

static bool
has_named(const struct pp_elf *e, const char *name)
{
	const struct pp_elf_section *s = pp_elf_named(e, name);

	return s && s->bytes.n > 0;
}

/* Whether a file is good for something that is wanted. */
static bool
suits(const struct search *s, const struct pp_elf *e, enum pp_symbol_role role)
{
	if (s->shared)
		return role == PP_ROLE_SHARED && has_named(e, ".debug_info");
	switch (role) {
	case PP_ROLE_RUNTIME:
		return has_typed(e, PP_ELF_DYNSYM);
	case PP_ROLE_NAMES:
		return has_typed(e, PP_ELF_SYMTAB);
	case PP_ROLE_FRAMES:
		return s->l->frames && (has_named(e, ".eh_frame") || has_named(e, ".debug_frame"));
	case PP_ROLE_LINES:
		return s->l->lines && has_named(e, ".debug_line") && has_named(e, ".debug_info");
	case PP_ROLE_PACKED:
		return has_named(e, ".gnu_debugdata");
	default:
		return false;
	}
}

/* Whether nothing is missing any more. */
static bool
search_is_done(const struct search *s)
{
	struct pp_symbol_file *const *roles = s->found->roles;

	if (s->shared)
		return roles[PP_ROLE_SHARED] != NULL;
	return roles[PP_ROLE_RUNTIME] && roles[PP_ROLE_NAMES] &&
	       (!s->l->frames || roles[PP_ROLE_FRAMES]) && (!s->l->lines || roles[PP_ROLE_LINES]);
}

/* Opens a file of the build that was recorded; false when it is not there, or another. */
static bool
search_open(struct search *s, const char *path, struct pp_symbol_file *f)
{
	struct pp_binary *b = s->found;

	if (!file_open(s->l, path, s->inside, f))
		return false;
	if (!pp_elf_open(&f->elf, f->bytes)) {
		file_release(f);
		return false;
	}
	if (!s->id.n || pp_slice_eq(f->elf.build_id, s->id))
		return true;
	if (b->state == PP_LOCATED_NOT) {
		b->state = PP_LOCATED_OTHER_BUILD;
		path_keep(&b->tried, path);
	}
	file_release(f);
	return false;
}

/* Takes of a file what is still missing, if it is of the build that was recorded. */
static void
search_try(struct search *s, const char *path)
{
	struct pp_binary *b = s->found;
	struct pp_symbol_file f, *kept = NULL;
	unsigned i;

	if (search_is_done(s) || !search_open(s, path, &f))
		return;
	if (b->state != PP_LOCATED)
		b->state = PP_LOCATED_NOTHING_IN_IT;
	for (i = 0; i < PP_ROLES; i++) {
		if (b->roles[i] || !suits(s, &f.elf, i))
			continue;
		kept = kept ? kept : malloc(sizeof *kept);
		s->text.failed |= !kept;
		b->roles[i] = kept;
	}
	if (kept) {
		*kept = f;
		return;
	}
	if (!b->tried.n)
		path_keep(&b->tried, path);
	file_release(&f);
}

/* "DIR/.build-id/12/3456...REST" */
static void
try_build_id(struct search *s, struct pp_slice dir, const char *rest)
{
	struct pp_slice hex = pp_slice_of(s->hex.p ? s->hex.p : "", s->hex.n);
	struct pp_buf middle = { 0 };

	if (hex.n < 6)
		return;
	pp_buf_adds(&middle, "/.build-id/");
	pp_buf_add(&middle, hex.p, 2);
	pp_buf_adds(&middle, "/");
	pp_buf_addc(&middle, '\0');
	if (!middle.failed)
		search_try(s,
		           path_make(s->l, &s->text, dir, middle.p, pp_slice_from(hex, 2), rest));
	pp_buf_release(&middle);
}

static void
search_id(struct search *s, struct pp_slice id)
{
	size_t i;

	s->id = id;
	s->hex.n = 0;
	for (i = 0; i < id.n; i++)
		pp_buf_addf(&s->hex, "%02x", id.p[i]);
}

/* The cache of perf lies where it lies, not below the root. */
static void
try_cache(struct search *s, const char *rest)
{
	struct pp_locator here = *s->l;
	const struct pp_locator *was = s->l;

	if (!was->cache)
		return;
	here.root = NULL;
	s->l = &here;
	s->inside = was->cache_outside ? NULL : was->root;
	try_build_id(s, pp_slice_z(was->cache), rest);
	s->l = was;
	s->inside = was->root;
}

/* The file itself tells where its symbols are, and its build id if nobody else does. */
static void
try_link(struct search *s)
{
	const struct pp_elf_section *link;
	struct pp_symbol_file f;
	struct pp_slice name = { 0 };
	const struct pp_slice none = pp_slice_of("", 0), usual = pp_slice_z("/usr/lib/debug");
	struct pp_buf copy = { 0 };

	if (!file_open(s->l, path_make(s->l, &s->text, s->path, "", none, ""), s->l->root, &f))
		return;
	if (pp_elf_open(&f.elf, f.bytes) && (!s->id.n || pp_slice_eq(s->id, f.elf.build_id))) {
		link = pp_elf_named(&f.elf, ".gnu_debuglink");
		name = link ? pp_elf_text(link->bytes, 0) : name;
		pp_buf_add(&copy, name.p, name.n);
		if (!s->id.n && f.elf.build_id.n && f.elf.build_id.n <= sizeof s->own_id) {
			memcpy(s->own_id, f.elf.build_id.p, f.elf.build_id.n);
			search_id(s, pp_slice_of(s->own_id, f.elf.build_id.n));
		}
	}
	file_release(&f);
	name = pp_slice_of(copy.p ? copy.p : "", copy.failed ? 0 : copy.n);
	if (name.n && !pp_slice_find(name, '/')) {
		search_try(s, path_make(s->l, &s->text, s->dir, "/", name, ""));
		search_try(s, path_make(s->l, &s->text, s->dir, "/.debug/", name, ""));
		s->hint.n = 0;
		pp_buf_add(&s->hint, usual.p, usual.n);
		pp_buf_add(&s->hint, s->dir.p, s->dir.n);
		if (!s->hint.failed)
			search_try(s, path_make(s->l, &s->text, pp_slice_of(s->hint.p, s->hint.n),
			                        "/", name, ""));
	}
	pp_buf_release(&copy);
}

/*
 * Debug information may leave a part of itself in a file that several have in common: "NAME\0BUILD-ID". Without that one it
 * is of no use.
 */
static void
try_shared(struct search *s)
{
	const struct pp_slice usual = pp_slice_z("/usr/lib/debug");
	struct pp_symbol_file *lines = s->found->roles[PP_ROLE_LINES];
	const struct pp_elf_section *link = lines ? pp_elf_named(&lines->elf, ".gnu_debugaltlink")
	                                          : NULL;
	struct pp_slice name = link ? pp_elf_text(link->bytes, 0) : pp_slice_of("", 0);
	const unsigned char *place = memmem(name.p, name.n, "/.dwz/", 6);

	if (!link)
		return;
	s->shared = true;
	search_id(s, name.n < link->bytes.n ? pp_slice_from(link->bytes, name.n + 1) : name);
	try_build_id(s, usual, ".debug");
	if (place)
		search_try(s, path_make(s->l, &s->text, usual, "",
		                        pp_slice_between(place, name.p + name.n), ""));
	if (!s->found->roles[PP_ROLE_SHARED])
		role_leave(s->found, PP_ROLE_LINES);
}

/* Symbols that a binary packed into itself, beside those that it exports. */
static void
packed_add(struct search *s, const struct pp_elf *code)
{
	struct pp_binary *b = s->found;
	const struct pp_symbol_file *packed = b->roles[PP_ROLE_PACKED];
	struct pp_symbol_file *f = &b->unpacked;

	if (b->roles[PP_ROLE_NAMES] || !packed)
		return;
	if (!pp_unxz(pp_elf_named(&packed->elf, ".gnu_debugdata")->bytes, UNPACKED_MOST, &f->copy))
		return;
	f->bytes = pp_slice_of(f->copy.p ? f->copy.p : "", f->copy.n);
	if (pp_elf_open(&f->elf, f->bytes))
		pp_symbols_add_table(&b->symbols, code, &f->elf);
}

/* What was found becomes symbols. */
static bool
search_end(struct search *s)
{
	struct pp_binary *b = s->found;
	const struct pp_symbol_file *names = b->roles[PP_ROLE_NAMES];
	const struct pp_elf *code;
	bool fine;

	try_shared(s);
	code = pp_binary_code(b);
	fine = !s->text.failed && !s->hex.failed && !s->hint.failed && !b->tried.failed;

	if (code && fine) {
		pp_symbols_add_elf(&b->symbols, code,
		                   names && &names->elf != code ? &names->elf : NULL);
		packed_add(s, code);
		b->state = b->symbols.list.n ? PP_LOCATED : PP_LOCATED_NOTHING_IN_IT;
	}
	pp_buf_release(&s->text);
	pp_buf_release(&s->hex);
	pp_buf_release(&s->hint);
	return fine && !b->symbols.failed;
}

bool
pp_locate_binary(const struct pp_locator *l, struct pp_slice path, struct pp_slice build_id,
                 struct pp_binary *found)
{
	const struct pp_slice none = pp_slice_of("", 0), usual = pp_slice_z("/usr/lib/debug");
	struct search s = { .l = l, .inside = l->root, .path = path, .found = found };
	size_t slash = path.n;

	/* No path that leads elsewhere, whatever the recording says. */
	if (path.n == 0 || path.p[0] != '/' || pp_slice_holds(path, "/../"))
		return true;
	while (slash > 0 && path.p[slash - 1] != '/')
		slash--;
	s.dir = pp_slice_of(path.p, slash - 1);
	s.base = pp_slice_from(path, slash);
	search_id(&s, build_id);
	try_link(&s);
	try_cache(&s, "/elf");
	try_cache(&s, "/debug");
	try_cache(&s, ".debug");
	search_try(&s, path_make(l, &s.text, usual, "", path, ".debug"));
	search_try(&s, path_make(l, &s.text, usual, "", path, ""));
	try_build_id(&s, usual, ".debug");
	search_try(&s, path_make(l, &s.text, path, "", none, ""));
	search_try(&s, path_make(l, &s.text, s.dir, "/.debug/", s.base, ""));
	return search_end(&s);
}

bool
pp_locate_exact(const struct pp_locator *l, const char *path, struct pp_slice build_id,
                struct pp_binary *found)
{
	struct search s = { .l = l, .inside = NULL, .found = found };

	search_id(&s, build_id);
	search_try(&s, path);
	if (!build_id.n && pp_binary_code(found))
		search_id(&s, pp_binary_code(found)->build_id);
	s.inside = l->root;
	if (found->state != PP_LOCATED_NOT && found->state != PP_LOCATED_OTHER_BUILD) {
		try_cache(&s, "/elf");
		try_cache(&s, "/debug");
		try_cache(&s, ".debug");
		try_build_id(&s, pp_slice_z("/usr/lib/debug"), ".debug");
	}
	return search_end(&s);
}

bool
pp_locate_vdso(const struct pp_locator *l, struct pp_slice build_id, struct pp_binary *found)
{
	struct search s = { .l = l, .inside = l->root, .found = found };

	search_id(&s, build_id);
	try_cache(&s, "/vdso");
	return search_end(&s);
}

/* ---- texts ------------------------------------------------------------------------------ */

/* Whether a file says that and nothing else. */
static bool
file_says(const struct pp_locator *l, const char *path, struct pp_slice text)
{
	struct pp_symbol_file f;
	struct pp_slice rest, line;
	bool same;

	if (!text.n || !file_open(l, path, NULL, &f))
		return false;
	rest = f.bytes;
	same = pp_slice_line(&rest, &line) && pp_slice_eq(line, text) && rest.n == 0;
	file_release(&f);
	return same;
}

/*
 * Whether the kernel that runs here is the one recorded: of that build, or, since recordings that are packed or come out of a
 * pipe do not tell, of that release on that host.
 */
static bool
kernel_is_here(const struct pp_locator *l, struct pp_slice build_id)
{
	struct pp_symbol_file notes;
	bool same = false;

	if (l->root)
		return false;
	if (!build_id.n)
		return file_says(l, "/proc/sys/kernel/osrelease", l->release) &&
		       file_says(l, "/proc/sys/kernel/hostname", l->host);
	if (!file_open(l, "/sys/kernel/notes", NULL, &notes))
		return false;
	same = notes.bytes.n && memmem(notes.bytes.p, notes.bytes.n, build_id.p, build_id.n);
	file_release(&notes);
	return same;
}

bool
pp_locate_kernel(const struct pp_locator *l, struct pp_slice build_id, struct pp_slice reference,
                 uint64_t at, struct pp_binary *found)
{
	struct search s = { .l = l, .inside = l->root, .found = found };
	struct pp_symbol_file *f = &found->text;
	struct pp_slice hex;
	bool there = false;

	search_id(&s, build_id);
	hex = pp_slice_of(s.hex.p ? s.hex.p : "", s.hex.n);
	if (l->kallsyms) {
		there = file_open(l, l->kallsyms, NULL, f);
	} else if (l->cache && hex.n > 2) {
		pp_buf_addf(&s.text, "%s/.build-id/%.2s/%.*s/kallsyms", l->cache,
		            (const char *)hex.p, (int)(hex.n - 2), (const char *)hex.p + 2);
		there = !s.text.failed &&
		        file_open(l, s.text.p, l->cache_outside ? NULL : l->root, f);
	}
	if (!there && !l->kallsyms && kernel_is_here(l, build_id))
		there = file_open(l, "/proc/kallsyms", NULL, f);
	pp_buf_release(&s.text);
	pp_buf_release(&s.hex);
	if (there) {
		pp_symbols_add_kernel(&found->symbols, f->bytes, reference, at);
		found->state = found->symbols.list.n ? PP_LOCATED : PP_LOCATED_NOTHING_IN_IT;
	}
	return !found->symbols.failed;
}

bool
pp_locate_map(const struct pp_locator *l, struct pp_slice path, struct pp_binary *found)
{
	struct pp_buf text = { 0 };
	const struct pp_slice none = pp_slice_of("", 0);

	if (!pp_slice_holds(path, "/../") &&
	    file_open(l, path_make(l, &text, path, "", none, ""), l->root, &found->text)) {
		pp_symbols_add_map(&found->symbols, found->text.bytes);
		found->state = PP_LOCATED;
	}
	found->symbols.failed |= text.failed;
	pp_buf_release(&text);
	return !found->symbols.failed;
}

bool
pp_locate_jitdump(const struct pp_locator *l, struct pp_slice path, struct pp_binary *found)
{
	struct pp_buf text = { 0 };
	const struct pp_slice none = pp_slice_of("", 0);
	struct pp_symbol_file *f = &found->text;

	if (!pp_slice_holds(path, "/../") &&
	    file_open(l, path_make(l, &text, path, "", none, ""), l->root, f)) {
		(void)pp_jitdump_open(&found->jit, f->bytes, l->seed, &found->symbols);
		found->state = found->symbols.list.n ? PP_LOCATED : PP_LOCATED_NOTHING_IN_IT;
	}
	found->symbols.failed |= text.failed;
	pp_buf_release(&text);
	return !found->symbols.failed;
}
