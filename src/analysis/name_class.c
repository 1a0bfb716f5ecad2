/*
 * What functions are for, by their names.
 */
#include "analysis/name_class.h"

#include "base/common.h"

/* How a word of the table is compared: the whole name, its start, its end. */
enum { IS, BEGINS, ENDS };

#define WORD(class, how, word)                                                                     \
	{                                                                                          \
		class, how, sizeof(word) - 1, word                                                 \
	}

static const struct {
	unsigned char class, how, n;
	const char *word;
} table[] = {
	/* C and the kernel */
	WORD(PP_CLASS_LOCK, BEGINS, "pthread_mutex_lock"),
	WORD(PP_CLASS_LOCK, BEGINS, "__pthread_mutex_lock"),
	WORD(PP_CLASS_LOCK, BEGINS, "___pthread_mutex_lock"),
	WORD(PP_CLASS_LOCK, BEGINS, "pthread_mutex_timedlock"),
	WORD(PP_CLASS_LOCK, BEGINS, "pthread_rwlock_"),
	WORD(PP_CLASS_LOCK, BEGINS, "__pthread_rwlock_"),
	WORD(PP_CLASS_LOCK, BEGINS, "pthread_spin_lock"),
	WORD(PP_CLASS_LOCK, BEGINS, "pthread_cond_wait"),
	WORD(PP_CLASS_LOCK, BEGINS, "pthread_cond_timedwait"),
	WORD(PP_CLASS_LOCK, BEGINS, "___pthread_cond_wait"),
	WORD(PP_CLASS_LOCK, BEGINS, "__lll_lock_wait"),
	WORD(PP_CLASS_LOCK, BEGINS, "lll_lock_wait"),
	WORD(PP_CLASS_LOCK, BEGINS, "__futex_abstimed_wait"),
	WORD(PP_CLASS_LOCK, BEGINS, "futex_wait"),
	WORD(PP_CLASS_LOCK, BEGINS, "__futex_wait"),
	WORD(PP_CLASS_LOCK, IS, "do_futex"),
	WORD(PP_CLASS_LOCK, BEGINS, "native_queued_spin_lock"),
	WORD(PP_CLASS_LOCK, BEGINS, "queued_spin_lock_slowpath"),
	WORD(PP_CLASS_LOCK, BEGINS, "_raw_spin_lock"),
	WORD(PP_CLASS_LOCK, IS, "mutex_lock"),
	WORD(PP_CLASS_LOCK, BEGINS, "__mutex_lock"),
	WORD(PP_CLASS_LOCK, BEGINS, "mutex_spin_on_owner"),
	WORD(PP_CLASS_LOCK, BEGINS, "osq_lock"),
	WORD(PP_CLASS_LOCK, BEGINS, "rwsem_down_"),
	WORD(PP_CLASS_LOCK, IS, "sem_wait"),
	/* Go, Rust, C++, Java, .NET, Python, Ruby, PHP, Perl */
	WORD(PP_CLASS_LOCK, BEGINS, "sync.(*Mutex).Lock"),
	WORD(PP_CLASS_LOCK, BEGINS, "sync.(*Mutex).lockSlow"),
	WORD(PP_CLASS_LOCK, BEGINS, "sync.(*RWMutex)."),
	WORD(PP_CLASS_LOCK, BEGINS, "internal/sync.(*Mutex).lockSlow"),
	WORD(PP_CLASS_LOCK, IS, "runtime.lock2"),
	WORD(PP_CLASS_LOCK, IS, "runtime.futex"),
	WORD(PP_CLASS_LOCK, BEGINS, "parking_lot::"),
	WORD(PP_CLASS_LOCK, BEGINS, "std::mutex::lock"),
	WORD(PP_CLASS_LOCK, BEGINS, "ObjectMonitor::enter"),
	WORD(PP_CLASS_LOCK, IS, "Unsafe_Park"),
	WORD(PP_CLASS_LOCK, ENDS, "LockSupport.park"),
	WORD(PP_CLASS_LOCK, ENDS, "Monitor.Enter"),
	WORD(PP_CLASS_LOCK, BEGINS, "<method 'acquire' of '_thread"),
	WORD(PP_CLASS_LOCK, IS, "Mutex#lock"),
	WORD(PP_CLASS_LOCK, ENDS, "Mutex#synchronize"),
	WORD(PP_CLASS_LOCK, IS, "flock"),
	WORD(PP_CLASS_LOCK, IS, "sem_acquire"),
	WORD(PP_CLASS_LOCK, ENDS, "::CORE:flock"),
	WORD(PP_CLASS_LOCK, IS, "CORE::flock"),

	WORD(PP_CLASS_IO, IS, "read"),
	WORD(PP_CLASS_IO, IS, "write"),
	WORD(PP_CLASS_IO, IS, "__read"),
	WORD(PP_CLASS_IO, IS, "__write"),
	WORD(PP_CLASS_IO, IS, "__libc_read"),
	WORD(PP_CLASS_IO, IS, "__libc_write"),
	WORD(PP_CLASS_IO, BEGINS, "__GI___libc_read"),
	WORD(PP_CLASS_IO, BEGINS, "__GI___libc_write"),
	WORD(PP_CLASS_IO, IS, "pread64"),
	WORD(PP_CLASS_IO, IS, "pwrite64"),
	WORD(PP_CLASS_IO, IS, "fread"),
	WORD(PP_CLASS_IO, IS, "fwrite"),
	WORD(PP_CLASS_IO, IS, "fgets"),
	WORD(PP_CLASS_IO, IS, "fputs"),
	WORD(PP_CLASS_IO, IS, "fsync"),
	WORD(PP_CLASS_IO, IS, "fdatasync"),
	WORD(PP_CLASS_IO, IS, "recv"),
	WORD(PP_CLASS_IO, IS, "recvfrom"),
	WORD(PP_CLASS_IO, IS, "recvmsg"),
	WORD(PP_CLASS_IO, IS, "send"),
	WORD(PP_CLASS_IO, IS, "sendto"),
	WORD(PP_CLASS_IO, IS, "sendmsg"),
	WORD(PP_CLASS_IO, IS, "poll"),
	WORD(PP_CLASS_IO, IS, "__poll"),
	WORD(PP_CLASS_IO, IS, "select"),
	WORD(PP_CLASS_IO, IS, "epoll_wait"),
	WORD(PP_CLASS_IO, IS, "vfs_read"),
	WORD(PP_CLASS_IO, IS, "vfs_write"),
	WORD(PP_CLASS_IO, IS, "ksys_read"),
	WORD(PP_CLASS_IO, IS, "ksys_write"),
	WORD(PP_CLASS_IO, BEGINS, "ext4_file_"),
	WORD(PP_CLASS_IO, IS, "file_get_contents"),
	WORD(PP_CLASS_IO, IS, "file_put_contents"),
	WORD(PP_CLASS_IO, IS, "fopen"),
	WORD(PP_CLASS_IO, BEGINS, "curl_exec"),
	WORD(PP_CLASS_IO, BEGINS, "curl_multi_"),
	WORD(PP_CLASS_IO, IS, "stream_select"),
	WORD(PP_CLASS_IO, IS, "stream_get_contents"),
	WORD(PP_CLASS_IO, IS, "stream_socket_client"),
	WORD(PP_CLASS_IO, BEGINS, "mysqli_query"),
	WORD(PP_CLASS_IO, IS, "mysqli->query"),
	WORD(PP_CLASS_IO, IS, "mysqli::query"),
	WORD(PP_CLASS_IO, BEGINS, "mysqli_stmt->execute"),
	WORD(PP_CLASS_IO, BEGINS, "pg_query"),
	WORD(PP_CLASS_IO, IS, "PDO->query"),
	WORD(PP_CLASS_IO, IS, "PDO::query"),
	WORD(PP_CLASS_IO, IS, "PDO->exec"),
	WORD(PP_CLASS_IO, IS, "PDO::exec"),
	WORD(PP_CLASS_IO, IS, "PDO->__construct"),
	WORD(PP_CLASS_IO, IS, "PDO::__construct"),
	WORD(PP_CLASS_IO, IS, "PDOStatement->execute"),
	WORD(PP_CLASS_IO, IS, "PDOStatement::execute"),
	WORD(PP_CLASS_IO, BEGINS, "PDOStatement->fetch"),
	WORD(PP_CLASS_IO, BEGINS, "PDOStatement::fetch"),
	WORD(PP_CLASS_IO, BEGINS, "DBI::st::"),
	WORD(PP_CLASS_IO, BEGINS, "DBI::db::"),
	WORD(PP_CLASS_IO, ENDS, "::CORE:readline"),
	WORD(PP_CLASS_IO, ENDS, "::CORE:read"),
	WORD(PP_CLASS_IO, ENDS, "::CORE:sysread"),
	WORD(PP_CLASS_IO, ENDS, "::CORE:syswrite"),
	WORD(PP_CLASS_IO, ENDS, "::CORE:print"),
	WORD(PP_CLASS_IO, ENDS, "::CORE:open"),
	WORD(PP_CLASS_IO, ENDS, "::CORE:close"),
	WORD(PP_CLASS_IO, BEGINS, "internal/poll.(*FD)."),
	WORD(PP_CLASS_IO, BEGINS, "<method 'recv"),
	WORD(PP_CLASS_IO, BEGINS, "<method 'read' of '_io"),
	WORD(PP_CLASS_IO, BEGINS, "<built-in method io.open"),
	WORD(PP_CLASS_IO, IS, "readFileSync"),
	WORD(PP_CLASS_IO, IS, "writeFileSync"),
	WORD(PP_CLASS_IO, ENDS, "FileInputStream.readBytes"),
	WORD(PP_CLASS_IO, ENDS, "socketRead0"),

	WORD(PP_CLASS_GC, IS, "gc_collect_cycles"),
	WORD(PP_CLASS_GC, BEGINS, "zend_gc_"),
	WORD(PP_CLASS_GC, BEGINS, "gc_mark_"),
	WORD(PP_CLASS_GC, BEGINS, "gc_sweep"),
	WORD(PP_CLASS_GC, IS, "gc_start"),
	WORD(PP_CLASS_GC, BEGINS, "runtime.gcBgMarkWorker"),
	WORD(PP_CLASS_GC, BEGINS, "runtime.gcDrain"),
	WORD(PP_CLASS_GC, BEGINS, "runtime.gcAssistAlloc"),
	WORD(PP_CLASS_GC, IS, "runtime.scanobject"),
	WORD(PP_CLASS_GC, IS, "runtime.scanblock"),
	WORD(PP_CLASS_GC, IS, "runtime.greyobject"),
	WORD(PP_CLASS_GC, IS, "runtime.sweepone"),
	WORD(PP_CLASS_GC, IS, "(garbage collector)"),
	WORD(PP_CLASS_GC, IS, "gc_collect_main"),
	WORD(PP_CLASS_GC, IS, "<built-in method gc.collect>"),
	WORD(PP_CLASS_GC, BEGINS, "rb_gc_"),
	WORD(PP_CLASS_GC, IS, "(marking)"),
	WORD(PP_CLASS_GC, IS, "(sweeping)"),
	WORD(PP_CLASS_GC, BEGINS, "GC_mark_"),
	WORD(PP_CLASS_GC, BEGINS, "G1ParScanThreadState::"),

	WORD(PP_CLASS_ALLOC, IS, "malloc"),
	WORD(PP_CLASS_ALLOC, IS, "calloc"),
	WORD(PP_CLASS_ALLOC, IS, "realloc"),
	WORD(PP_CLASS_ALLOC, IS, "free"),
	WORD(PP_CLASS_ALLOC, IS, "cfree"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_int_malloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_int_free"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_int_realloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "__libc_malloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "__libc_calloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "__GI___libc_malloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "__GI___libc_free"),
	WORD(PP_CLASS_ALLOC, BEGINS, "malloc_consolidate"),
	WORD(PP_CLASS_ALLOC, BEGINS, "unlink_chunk"),
	WORD(PP_CLASS_ALLOC, IS, "sysmalloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "operator new"),
	WORD(PP_CLASS_ALLOC, BEGINS, "operator delete"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_Znw"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_Zna"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_ZdlPv"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_ZdaPv"),
	WORD(PP_CLASS_ALLOC, BEGINS, "tcmalloc::"),
	WORD(PP_CLASS_ALLOC, BEGINS, "je_malloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "je_free"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_emalloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_efree"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_erealloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "zend_mm_alloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "zend_mm_free"),
	WORD(PP_CLASS_ALLOC, BEGINS, "runtime.mallocgc"),
	WORD(PP_CLASS_ALLOC, IS, "runtime.newobject"),
	WORD(PP_CLASS_ALLOC, IS, "runtime.growslice"),
	WORD(PP_CLASS_ALLOC, IS, "runtime.makeslice"),
	WORD(PP_CLASS_ALLOC, BEGINS, "kmem_cache_alloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "__alloc_pages"),
	WORD(PP_CLASS_ALLOC, BEGINS, "_PyObject_Malloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "PyObject_Malloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "PyMem_Malloc"),
	WORD(PP_CLASS_ALLOC, BEGINS, "Perl_safesys"),
	WORD(PP_CLASS_ALLOC, IS, "g_malloc"),
	WORD(PP_CLASS_ALLOC, IS, "g_slice_alloc"),

	WORD(PP_CLASS_REGEX, BEGINS, "preg_"),
	WORD(PP_CLASS_REGEX, BEGINS, "pcre_exec"),
	WORD(PP_CLASS_REGEX, BEGINS, "pcre2_match"),
	WORD(PP_CLASS_REGEX, BEGINS, "php_pcre_"),
	WORD(PP_CLASS_REGEX, ENDS, "::CORE:match"),
	WORD(PP_CLASS_REGEX, ENDS, "::CORE:subst"),
	WORD(PP_CLASS_REGEX, ENDS, "::CORE:substcont"),
	WORD(PP_CLASS_REGEX, ENDS, "::CORE:regcomp"),
	WORD(PP_CLASS_REGEX, ENDS, "::CORE:qr"),
	WORD(PP_CLASS_REGEX, BEGINS, "Perl_regexec"),
	WORD(PP_CLASS_REGEX, IS, "S_regmatch"),
	WORD(PP_CLASS_REGEX, IS, "S_regtry"),
	WORD(PP_CLASS_REGEX, IS, "regexec"),
	WORD(PP_CLASS_REGEX, BEGINS, "re_search_internal"),
	WORD(PP_CLASS_REGEX, ENDS, "of 're.Pattern' objects>"),
	WORD(PP_CLASS_REGEX, ENDS, "of '_sre.SRE_Pattern' objects>"),
	WORD(PP_CLASS_REGEX, BEGINS, "regexp.(*"),
	WORD(PP_CLASS_REGEX, BEGINS, "java.util.regex."),
	WORD(PP_CLASS_REGEX, BEGINS, "java/util/regex/"),
	WORD(PP_CLASS_REGEX, BEGINS, "RegExp: "),
	WORD(PP_CLASS_REGEX, BEGINS, "onig_match"),
	WORD(PP_CLASS_REGEX, BEGINS, "onig_search"),

	WORD(PP_CLASS_STARTUP, ENDS, "zend_compile_file"),
	WORD(PP_CLASS_STARTUP, ENDS, "zend_compile_string"),
	WORD(PP_CLASS_STARTUP, ENDS, "php_request_startup"),
	WORD(PP_CLASS_STARTUP, ENDS, "php_module_startup"),
	WORD(PP_CLASS_STARTUP, BEGINS, "Composer\\Autoload\\"),
	WORD(PP_CLASS_STARTUP, BEGINS, "spl_autoload_"),
	WORD(PP_CLASS_STARTUP, BEGINS, "_dl_relocate_object"),
	WORD(PP_CLASS_STARTUP, BEGINS, "_dl_lookup_symbol"),
	WORD(PP_CLASS_STARTUP, BEGINS, "_dl_map_object"),
	WORD(PP_CLASS_STARTUP, BEGINS, "_dl_start"),
	WORD(PP_CLASS_STARTUP, IS, "dl_main"),
	WORD(PP_CLASS_STARTUP, IS, "do_lookup_x"),
	WORD(PP_CLASS_STARTUP, ENDS, "::CORE:require"),
	WORD(PP_CLASS_STARTUP, IS, "_find_and_load"),
	WORD(PP_CLASS_STARTUP, IS, "exec_module"),
	WORD(PP_CLASS_STARTUP, IS, "Module._compile"),
	WORD(PP_CLASS_STARTUP, ENDS, "ClassLoader.loadClass"),
	WORD(PP_CLASS_STARTUP, IS, "runtime.doInit1"),
};

const char *pp_name_class_text(enum pp_name_class class)
{
	static const char *const names[] = { "", "lock", "io", "gc", "alloc", "regex", "startup" };

	return names[class];
}

/* The words of the table by the byte that a name must begin or end with. */
void
pp_name_classes_init(struct pp_name_classes *c)
{
	size_t i;

	*c = (struct pp_name_classes){ 0 };
	_Static_assert(PP_COUNT_OF(table) < PP_COUNT_OF(c->next), "words are chained by number");
	/* The last first, so that chains are in the order of the table. */
	for (i = PP_COUNT_OF(table); i-- > 0;) {
		bool ends = table[i].how == ENDS;
		unsigned char key = (unsigned char)table[i].word[ends ? table[i].n - 1 : 0];
		uint16_t *first = ends ? &c->ending[key] : &c->beginning[key];

		c->next[i + 1] = *first;
		*first = (uint16_t)(i + 1);
	}
}

/* The first word of a chain that a name matches, by number; 0 = none. */
static size_t
chain_find(const struct pp_name_classes *c, size_t at, struct pp_slice name)
{
	for (; at; at = c->next[at]) {
		size_t n = table[at - 1].n;
		unsigned how = table[at - 1].how;

		if (name.n < n || (how == IS && name.n != n))
			continue;
		if (memcmp(how == ENDS ? name.p + name.n - n : name.p, table[at - 1].word, n) == 0)
			break;
	}
	return at;
}

enum pp_name_class
pp_name_class(const struct pp_name_classes *c, struct pp_slice name)
{
	static const char *const before[] = { "php::", "[k] " };
	size_t i, n, begins, ends;

	for (i = 0; i < PP_COUNT_OF(before); i++) {
		n = strlen(before[i]);
		if (name.n > n && memcmp(name.p, before[i], n) == 0)
			name = pp_slice_of(name.p + n, name.n - n);
	}
	if (!name.n)
		return PP_CLASS_NONE;
	/* Perl's code at compile time. */
	if (memchr(name.p, '@', name.n) && memmem(name.p, name.n, "::BEGIN@", 8))
		return PP_CLASS_STARTUP;
	begins = chain_find(c, c->beginning[(unsigned char)name.p[0]], name);
	ends = chain_find(c, c->ending[(unsigned char)name.p[name.n - 1]], name);
	if (!begins || (ends && ends < begins))
		begins = ends;
	return begins ? (enum pp_name_class)table[begins - 1].class : PP_CLASS_NONE;
}
