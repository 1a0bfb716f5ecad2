/*
 * Names of allocators and of idleness: see leaf_kind.h.
 */
#include "model/leaf_kind.h"

#include "base/buf.h"
#include "base/slice.h"
#include "text/demangle.h"

/* ---- names ------------------------------------------------------------------------------ */

static bool
is_any(struct pp_slice s, const char *const *list)
{
	for (; *list; list++)
		if (pp_slice_eq_z(s, *list))
			return true;
	return false;
}

static bool
starts_any(struct pp_slice s, const char *const *list)
{
	for (; *list; list++)
		if (pp_slice_starts(s, *list))
			return true;
	return false;
}

bool
pp_name_is_idle(struct pp_slice name)
{
	return name.n > 0 && name.p[0] == '(' &&
	       (pp_slice_eq_z(name, "(idle)") || pp_slice_eq_z(name, "(program)"));
}

/*
 * Whole names, so that a program's own malloc_stats_print() or my_malloc() does not match: C
 * libraries, Valgrind, jemalloc without a prefix, gperftools, GLib, Go, Rust, CPython, PHP, Ruby and
 * Perl. Sorted by their bytes for the binary search.
 */
static const char *const names[] = { "HeapAlloc",
	                             "HeapReAlloc",
	                             "Perl_safesyscalloc",
	                             "Perl_safesysmalloc",
	                             "Perl_safesysrealloc",
	                             "PyObject_Calloc",
	                             "PyObject_Malloc",
	                             "PyObject_Realloc",
	                             "RtlAllocateHeap",
	                             "RtlReAllocateHeap",
	                             "_PyObject_Calloc",
	                             "_PyObject_GC_Malloc",
	                             "_PyObject_GC_New",
	                             "_PyObject_GC_NewVar",
	                             "_PyObject_Malloc",
	                             "_PyObject_Realloc",
	                             "__GI___libc_malloc",
	                             "__GI___libc_realloc",
	                             "__libc_calloc",
	                             "__libc_malloc",
	                             "__libc_memalign",
	                             "__libc_pvalloc",
	                             "__libc_realloc",
	                             "__libc_valloc",
	                             "__rdl_alloc",
	                             "__rdl_alloc_zeroed",
	                             "__rdl_realloc",
	                             "__rg_alloc",
	                             "__rg_alloc_zeroed",
	                             "__rg_realloc",
	                             "__rust_alloc",
	                             "__rust_alloc_zeroed",
	                             "__rust_realloc",
	                             "__zend_calloc",
	                             "__zend_malloc",
	                             "__zend_realloc",
	                             "_ecalloc",
	                             "_emalloc",
	                             "_emalloc_huge",
	                             "_emalloc_large",
	                             "_erealloc",
	                             "_erealloc2",
	                             "_int_malloc",
	                             "_int_memalign",
	                             "_int_realloc",
	                             "_malloc_zone_calloc",
	                             "_malloc_zone_malloc",
	                             "_malloc_zone_realloc",
	                             "_mid_memalign",
	                             "_safe_emalloc",
	                             "aligned_alloc",
	                             "arena_malloc_hard",
	                             "calloc",
	                             "g_aligned_alloc",
	                             "g_aligned_alloc0",
	                             "g_malloc",
	                             "g_malloc0",
	                             "g_malloc0_n",
	                             "g_malloc_n",
	                             "g_realloc",
	                             "g_realloc_n",
	                             "g_slice_alloc",
	                             "g_slice_alloc0",
	                             "g_try_malloc",
	                             "g_try_malloc0",
	                             "g_try_malloc0_n",
	                             "g_try_malloc_n",
	                             "g_try_realloc",
	                             "g_try_realloc_n",
	                             "iallocztm",
	                             "imalloc",
	                             "imalloc_body",
	                             "imalloc_no_sample",
	                             "imalloc_sample",
	                             "malloc",
	                             "malloc_consolidate",
	                             "malloc_hook_ini",
	                             "malloc_zone_calloc",
	                             "malloc_zone_malloc",
	                             "malloc_zone_memalign",
	                             "malloc_zone_realloc",
	                             "memalign",
	                             "objspace_xcalloc",
	                             "objspace_xmalloc0",
	                             "operator new",
	                             "posix_memalign",
	                             "prof_alloc_prep",
	                             "prof_backtrace",
	                             "prof_backtrace_impl",
	                             "ptmalloc_init",
	                             "pvalloc",
	                             "pymalloc_alloc",
	                             "pymalloc_realloc",
	                             "realloc",
	                             "reallocarray",
	                             "reflect.unsafe_New",
	                             "reflect.unsafe_NewArray",
	                             "ruby_xcalloc",
	                             "ruby_xmalloc",
	                             "ruby_xmalloc2",
	                             "ruby_xrealloc",
	                             "ruby_xrealloc2",
	                             "runtime.growslice",
	                             "runtime.mProf_Malloc",
	                             "runtime.makeslice",
	                             "runtime.makeslice64",
	                             "runtime.makeslicecopy",
	                             "runtime.newarray",
	                             "runtime.newobject",
	                             "runtime.persistentalloc",
	                             "runtime.persistentalloc.func1",
	                             "runtime.persistentalloc1",
	                             "runtime.profilealloc",
	                             "runtime.rawbyteslice",
	                             "runtime.rawruneslice",
	                             "runtime.rawstring",
	                             "runtime.rawstringtmp",
	                             "sysmalloc",
	                             "tc_aligned_alloc",
	                             "tc_calloc",
	                             "tc_malloc",
	                             "tc_malloc_skip_new_handler",
	                             "tc_memalign",
	                             "tc_new",
	                             "tc_new_aligned",
	                             "tc_new_nothrow",
	                             "tc_newarray",
	                             "tc_newarray_aligned",
	                             "tc_newarray_nothrow",
	                             "tc_posix_memalign",
	                             "tc_pvalloc",
	                             "tc_realloc",
	                             "tc_valloc",
	                             "tcache_init",
	                             "valloc" };

/* Prefixes that only allocators have, whatever follows. */
static const char *const starts[] = {
	"operator new(",     "operator new[]", "tcmalloc::",       "MallocHook::",
	"runtime.mallocgc",  "alloc::alloc::", "alloc::raw_vec::", "<alloc::alloc::",
	"<alloc::raw_vec::", "std::alloc::",   "<std::alloc::",    "PyMem_",
	"_PyMem_",           "zend_mm_alloc",  "_rjem_",           NULL
};

/* Prefixes that allocators put before the names of C, and those names. */
static const char *const prefixes[] = { "je_",       "mi_",      "_mi_",      "jemalloc_", "rp",
	                                "scalable_", "mi_heap_", "_mi_heap_", NULL };
static const char *const prefixed[] = { "malloc",
	                                "calloc",
	                                "realloc",
	                                "reallocf",
	                                "mallocx",
	                                "rallocx",
	                                "zalloc",
	                                "mallocn",
	                                "memalign",
	                                "posix_memalign",
	                                "aligned_alloc",
	                                "aligned_malloc",
	                                "aligned_realloc",
	                                "valloc",
	                                "pvalloc",
	                                "malloc_default",
	                                "malloc_small",
	                                "malloc_aligned",
	                                "malloc_generic",
	                                "malloc_zero",
	                                "calloc_aligned",
	                                "zalloc_small",
	                                "zalloc_aligned",
	                                "new",
	                                "new_n",
	                                "new_nothrow",
	                                "new_aligned",
	                                "arena_malloc_hard",
	                                "arena_tcache_fill_small",
	                                "tcache_alloc_small_hard",
	                                "prof_tctx_create",
	                                "large_malloc",
	                                "large_palloc",
	                                "prof_backtrace",
	                                "prof_alloc_prep",
	                                NULL };

static const char *const modules[] = {
	"libjemalloc.", "libtcmalloc", "libheaptrack_", "libmimalloc", "libsnmalloc",
	"librpmalloc",  "libhoard.",   "libtbbmalloc",  "vgpreload_",  NULL
};
/* Headers of C++ libraries: debug information gives inlined functions a bare name and their file. */
static const char *const files[] = { "new_allocator.h", "alloc_traits.h", "allocator.h",
	                             "malloc_allocator.h", NULL };
static const char *const bare[] = { "allocate", "_S_allocate", "allocate_at_least", NULL };
static const char *const scripts[] = { ".py", ".php", ".rb", ".js", ".ts", ".pl", ".pm", NULL };

/* Matches "std::allocator<T>::allocate(…)", "__gnu_cxx::new_allocator<T>::allocate(…)" … */
static bool
is_cxx_allocator(struct pp_slice name)
{
	static const char *const classes[] = { "std::allocator<",
		                               "std::allocator_traits<",
		                               "std::__new_allocator<",
		                               "std::__1::allocator<",
		                               "std::__1::allocator_traits<",
		                               "__gnu_cxx::new_allocator<",
		                               "__gnu_cxx::__alloc_traits<",
		                               "__gnu_cxx::malloc_allocator<",
		                               NULL };
	const unsigned char *at;

	/* In front of it there may be the type that it returns, which has no brackets. */
	if (!starts_any(name, classes) && (at = pp_slice_find(name, ' ')) &&
	    !memchr(name.p, '(', (size_t)(at - name.p)))
		name = pp_slice_from(name, (size_t)(at - name.p) + 1);
	return starts_any(name, classes) &&
	       (pp_slice_holds(name, ">::allocate") || pp_slice_holds(name, ">::_S_allocate"));
}

/* Returns the name without the version that a linker added, and without " [clone …]". */
static struct pp_slice
name_plain(struct pp_slice name)
{
	const unsigned char *at = pp_slice_find(name, '@');

	if (at && at > name.p)
		return pp_slice_between(name.p, at);
	at = memmem(name.p, name.n, " [clone", 7);
	return at ? pp_slice_between(name.p, at) : name;
}

/* Looks up a name in the sorted list. */
static bool
is_listed(struct pp_slice name)
{
	size_t low = 0, high = PP_COUNT_OF(names);

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = pp_slice_cmp(name, pp_slice_z(names[middle]));

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

static bool
name_allocates(struct pp_slice name)
{
	const char *const *prefix;

	name = name_plain(name);
	if (is_listed(name) || starts_any(name, starts) || is_cxx_allocator(name))
		return true;
	for (prefix = prefixes; *prefix; prefix++)
		if (pp_slice_starts(name, *prefix) &&
		    is_any(pp_slice_from(name, strlen(*prefix)), prefixed))
			return true;
	return false;
}

static struct pp_slice
base_name(struct pp_slice path)
{
	size_t i = path.n;

	while (i > 0 && path.p[i - 1] != '/' && path.p[i - 1] != '\\')
		i--;
	return pp_slice_from(path, i);
}

/* Demangles a name and tries it again. */
static bool
mangled_allocates(struct pp_slice name)
{
	struct pp_buf made = { 0 };
	bool allocates;

	if (!pp_demangle_maybe(name))
		return false;
	allocates = pp_demangle(name, &made) && name_allocates(pp_slice_of(made.p, made.n));
	pp_buf_release(&made);
	return allocates;
}

enum pp_leaf_kind
pp_leaf_kind_of(const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *f = &p->funcs.at[func];
	struct pp_slice name = pp_text_of(p, f->name), file = base_name(pp_text_of(p, f->file));
	const char *const *script;

	if (pp_name_is_idle(name))
		return PP_LEAF_IDLE;
	if (starts_any(base_name(pp_text_of(p, p->modules.at[f->module].name)), modules) ||
	    (is_any(file, files) && is_any(name, bare)) ||
	    pp_slice_eq_z(file, "vg_replace_malloc.c"))
		return PP_LEAF_ALLOCATOR;
	for (script = scripts; file.n && *script; script++)
		if (pp_slice_ends(file, *script))
			return PP_LEAF_PLAIN;
	return name_allocates(name) || mangled_allocates(name) ? PP_LEAF_ALLOCATOR : PP_LEAF_PLAIN;
}

/* ---- metrics ---------------------------------------------------------------------------- */

/* Judges a metric by itself, because a filter (--event) may leave only one. */
bool
pp_metric_is_allocation(const struct pp_profile *p, size_t metric)
{
	static const char *const words[] = { "alloc", "inuse",     "live", "object",
		                             "block", "temporary", "peak", NULL };
	/* DHAT and Valgrind's --xtree-memory */
	static const char *const ends[] = { "bk", "Bk", NULL };
	const struct pp_metric *m = &p->metrics.at[metric];
	struct pp_slice name = pp_text_of(p, m->name);
	size_t i;

	if (m->kind == PP_KIND_BYTES)
		return true;
	if (m->kind != PP_KIND_COUNT && m->kind != PP_KIND_SAMPLES && m->kind != PP_KIND_OTHER)
		return false;
	for (i = 0; words[i]; i++)
		if (pp_slice_holds(name, words[i]))
			return true;
	for (i = 0; ends[i]; i++)
		if (pp_slice_ends(name, ends[i]))
			return true;
	return false;
}

bool
pp_profile_has_allocations(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->metrics.n && !pp_metric_is_allocation(p, i); i++)
		;
	return i < p->metrics.n;
}
