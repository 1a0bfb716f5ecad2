/*
 * What functions are for, by their names.
 */
#include "analysis/name_class.h"

#include "base/common.h"

/* How a word of the table is compared: the whole name, its start, its end. */
enum { IS, BEGINS, ENDS };

static const struct {
	unsigned char class, how;
	const char *word;
} table[] = {
	/* C and the kernel */
	{ PP_CLASS_LOCK, BEGINS, "pthread_mutex_lock" },
	{ PP_CLASS_LOCK, BEGINS, "__pthread_mutex_lock" },
	{ PP_CLASS_LOCK, BEGINS, "___pthread_mutex_lock" },
	{ PP_CLASS_LOCK, BEGINS, "pthread_mutex_timedlock" },
	{ PP_CLASS_LOCK, BEGINS, "pthread_rwlock_" },
	{ PP_CLASS_LOCK, BEGINS, "__pthread_rwlock_" },
	{ PP_CLASS_LOCK, BEGINS, "pthread_spin_lock" },
	{ PP_CLASS_LOCK, BEGINS, "pthread_cond_wait" },
	{ PP_CLASS_LOCK, BEGINS, "pthread_cond_timedwait" },
	{ PP_CLASS_LOCK, BEGINS, "___pthread_cond_wait" },
	{ PP_CLASS_LOCK, BEGINS, "__lll_lock_wait" },
	{ PP_CLASS_LOCK, BEGINS, "lll_lock_wait" },
	{ PP_CLASS_LOCK, BEGINS, "__futex_abstimed_wait" },
	{ PP_CLASS_LOCK, BEGINS, "futex_wait" },
	{ PP_CLASS_LOCK, BEGINS, "__futex_wait" },
	{ PP_CLASS_LOCK, IS, "do_futex" },
	{ PP_CLASS_LOCK, BEGINS, "native_queued_spin_lock" },
	{ PP_CLASS_LOCK, BEGINS, "queued_spin_lock_slowpath" },
	{ PP_CLASS_LOCK, BEGINS, "_raw_spin_lock" },
	{ PP_CLASS_LOCK, IS, "mutex_lock" },
	{ PP_CLASS_LOCK, BEGINS, "__mutex_lock" },
	{ PP_CLASS_LOCK, BEGINS, "mutex_spin_on_owner" },
	{ PP_CLASS_LOCK, BEGINS, "osq_lock" },
	{ PP_CLASS_LOCK, BEGINS, "rwsem_down_" },
	{ PP_CLASS_LOCK, IS, "sem_wait" },
	/* Go, Rust, C++, Java, .NET, Python, Ruby, PHP, Perl */
	{ PP_CLASS_LOCK, BEGINS, "sync.(*Mutex).Lock" },
	{ PP_CLASS_LOCK, BEGINS, "sync.(*Mutex).lockSlow" },
	{ PP_CLASS_LOCK, BEGINS, "sync.(*RWMutex)." },
	{ PP_CLASS_LOCK, BEGINS, "internal/sync.(*Mutex).lockSlow" },
	{ PP_CLASS_LOCK, IS, "runtime.lock2" },
	{ PP_CLASS_LOCK, IS, "runtime.futex" },
	{ PP_CLASS_LOCK, BEGINS, "parking_lot::" },
	{ PP_CLASS_LOCK, BEGINS, "std::mutex::lock" },
	{ PP_CLASS_LOCK, BEGINS, "ObjectMonitor::enter" },
	{ PP_CLASS_LOCK, IS, "Unsafe_Park" },
	{ PP_CLASS_LOCK, ENDS, "LockSupport.park" },
	{ PP_CLASS_LOCK, ENDS, "Monitor.Enter" },
	{ PP_CLASS_LOCK, BEGINS, "<method 'acquire' of '_thread" },
	{ PP_CLASS_LOCK, IS, "Mutex#lock" },
	{ PP_CLASS_LOCK, ENDS, "Mutex#synchronize" },
	{ PP_CLASS_LOCK, IS, "flock" },
	{ PP_CLASS_LOCK, IS, "sem_acquire" },
	{ PP_CLASS_LOCK, ENDS, "::CORE:flock" },
	{ PP_CLASS_LOCK, IS, "CORE::flock" },

	{ PP_CLASS_IO, IS, "read" },
	{ PP_CLASS_IO, IS, "write" },
	{ PP_CLASS_IO, IS, "__read" },
	{ PP_CLASS_IO, IS, "__write" },
	{ PP_CLASS_IO, IS, "__libc_read" },
	{ PP_CLASS_IO, IS, "__libc_write" },
	{ PP_CLASS_IO, BEGINS, "__GI___libc_read" },
	{ PP_CLASS_IO, BEGINS, "__GI___libc_write" },
	{ PP_CLASS_IO, IS, "pread64" },
	{ PP_CLASS_IO, IS, "pwrite64" },
	{ PP_CLASS_IO, IS, "fread" },
	{ PP_CLASS_IO, IS, "fwrite" },
	{ PP_CLASS_IO, IS, "fgets" },
	{ PP_CLASS_IO, IS, "fputs" },
	{ PP_CLASS_IO, IS, "fsync" },
	{ PP_CLASS_IO, IS, "fdatasync" },
	{ PP_CLASS_IO, IS, "recv" },
	{ PP_CLASS_IO, IS, "recvfrom" },
	{ PP_CLASS_IO, IS, "recvmsg" },
	{ PP_CLASS_IO, IS, "send" },
	{ PP_CLASS_IO, IS, "sendto" },
	{ PP_CLASS_IO, IS, "sendmsg" },
	{ PP_CLASS_IO, IS, "poll" },
	{ PP_CLASS_IO, IS, "__poll" },
	{ PP_CLASS_IO, IS, "select" },
	{ PP_CLASS_IO, IS, "epoll_wait" },
	{ PP_CLASS_IO, IS, "vfs_read" },
	{ PP_CLASS_IO, IS, "vfs_write" },
	{ PP_CLASS_IO, IS, "ksys_read" },
	{ PP_CLASS_IO, IS, "ksys_write" },
	{ PP_CLASS_IO, BEGINS, "ext4_file_" },
	{ PP_CLASS_IO, IS, "file_get_contents" },
	{ PP_CLASS_IO, IS, "file_put_contents" },
	{ PP_CLASS_IO, IS, "fopen" },
	{ PP_CLASS_IO, BEGINS, "curl_exec" },
	{ PP_CLASS_IO, BEGINS, "curl_multi_" },
	{ PP_CLASS_IO, IS, "stream_select" },
	{ PP_CLASS_IO, IS, "stream_get_contents" },
	{ PP_CLASS_IO, IS, "stream_socket_client" },
	{ PP_CLASS_IO, BEGINS, "mysqli_query" },
	{ PP_CLASS_IO, IS, "mysqli->query" },
	{ PP_CLASS_IO, IS, "mysqli::query" },
	{ PP_CLASS_IO, BEGINS, "mysqli_stmt->execute" },
	{ PP_CLASS_IO, BEGINS, "pg_query" },
	{ PP_CLASS_IO, IS, "PDO->query" },
	{ PP_CLASS_IO, IS, "PDO::query" },
	{ PP_CLASS_IO, IS, "PDO->exec" },
	{ PP_CLASS_IO, IS, "PDO::exec" },
	{ PP_CLASS_IO, IS, "PDO->__construct" },
	{ PP_CLASS_IO, IS, "PDO::__construct" },
	{ PP_CLASS_IO, IS, "PDOStatement->execute" },
	{ PP_CLASS_IO, IS, "PDOStatement::execute" },
	{ PP_CLASS_IO, BEGINS, "PDOStatement->fetch" },
	{ PP_CLASS_IO, BEGINS, "PDOStatement::fetch" },
	{ PP_CLASS_IO, BEGINS, "DBI::st::" },
	{ PP_CLASS_IO, BEGINS, "DBI::db::" },
	{ PP_CLASS_IO, ENDS, "::CORE:readline" },
	{ PP_CLASS_IO, ENDS, "::CORE:read" },
	{ PP_CLASS_IO, ENDS, "::CORE:sysread" },
	{ PP_CLASS_IO, ENDS, "::CORE:syswrite" },
	{ PP_CLASS_IO, ENDS, "::CORE:print" },
	{ PP_CLASS_IO, ENDS, "::CORE:open" },
	{ PP_CLASS_IO, ENDS, "::CORE:close" },
	{ PP_CLASS_IO, BEGINS, "internal/poll.(*FD)." },
	{ PP_CLASS_IO, BEGINS, "<method 'recv" },
	{ PP_CLASS_IO, BEGINS, "<method 'read' of '_io" },
	{ PP_CLASS_IO, BEGINS, "<built-in method io.open" },
	{ PP_CLASS_IO, IS, "readFileSync" },
	{ PP_CLASS_IO, IS, "writeFileSync" },
	{ PP_CLASS_IO, ENDS, "FileInputStream.readBytes" },
	{ PP_CLASS_IO, ENDS, "socketRead0" },

	{ PP_CLASS_GC, IS, "gc_collect_cycles" },
	{ PP_CLASS_GC, BEGINS, "zend_gc_" },
	{ PP_CLASS_GC, BEGINS, "gc_mark_" },
	{ PP_CLASS_GC, BEGINS, "gc_sweep" },
	{ PP_CLASS_GC, IS, "gc_start" },
	{ PP_CLASS_GC, BEGINS, "runtime.gcBgMarkWorker" },
	{ PP_CLASS_GC, BEGINS, "runtime.gcDrain" },
	{ PP_CLASS_GC, BEGINS, "runtime.gcAssistAlloc" },
	{ PP_CLASS_GC, IS, "runtime.scanobject" },
	{ PP_CLASS_GC, IS, "runtime.scanblock" },
	{ PP_CLASS_GC, IS, "runtime.greyobject" },
	{ PP_CLASS_GC, IS, "runtime.sweepone" },
	{ PP_CLASS_GC, IS, "(garbage collector)" },
	{ PP_CLASS_GC, IS, "gc_collect_main" },
	{ PP_CLASS_GC, IS, "<built-in method gc.collect>" },
	{ PP_CLASS_GC, BEGINS, "rb_gc_" },
	{ PP_CLASS_GC, IS, "(marking)" },
	{ PP_CLASS_GC, IS, "(sweeping)" },
	{ PP_CLASS_GC, BEGINS, "GC_mark_" },
	{ PP_CLASS_GC, BEGINS, "G1ParScanThreadState::" },

	{ PP_CLASS_ALLOC, IS, "malloc" },
	{ PP_CLASS_ALLOC, IS, "calloc" },
	{ PP_CLASS_ALLOC, IS, "realloc" },
	{ PP_CLASS_ALLOC, IS, "free" },
	{ PP_CLASS_ALLOC, IS, "cfree" },
	{ PP_CLASS_ALLOC, BEGINS, "_int_malloc" },
	{ PP_CLASS_ALLOC, BEGINS, "_int_free" },
	{ PP_CLASS_ALLOC, BEGINS, "_int_realloc" },
	{ PP_CLASS_ALLOC, BEGINS, "__libc_malloc" },
	{ PP_CLASS_ALLOC, BEGINS, "__libc_calloc" },
	{ PP_CLASS_ALLOC, BEGINS, "__GI___libc_malloc" },
	{ PP_CLASS_ALLOC, BEGINS, "__GI___libc_free" },
	{ PP_CLASS_ALLOC, BEGINS, "malloc_consolidate" },
	{ PP_CLASS_ALLOC, BEGINS, "unlink_chunk" },
	{ PP_CLASS_ALLOC, IS, "sysmalloc" },
	{ PP_CLASS_ALLOC, BEGINS, "operator new" },
	{ PP_CLASS_ALLOC, BEGINS, "operator delete" },
	{ PP_CLASS_ALLOC, BEGINS, "_Znw" },
	{ PP_CLASS_ALLOC, BEGINS, "_Zna" },
	{ PP_CLASS_ALLOC, BEGINS, "_ZdlPv" },
	{ PP_CLASS_ALLOC, BEGINS, "_ZdaPv" },
	{ PP_CLASS_ALLOC, BEGINS, "tcmalloc::" },
	{ PP_CLASS_ALLOC, BEGINS, "je_malloc" },
	{ PP_CLASS_ALLOC, BEGINS, "je_free" },
	{ PP_CLASS_ALLOC, BEGINS, "_emalloc" },
	{ PP_CLASS_ALLOC, BEGINS, "_efree" },
	{ PP_CLASS_ALLOC, BEGINS, "_erealloc" },
	{ PP_CLASS_ALLOC, BEGINS, "zend_mm_alloc" },
	{ PP_CLASS_ALLOC, BEGINS, "zend_mm_free" },
	{ PP_CLASS_ALLOC, BEGINS, "runtime.mallocgc" },
	{ PP_CLASS_ALLOC, IS, "runtime.newobject" },
	{ PP_CLASS_ALLOC, IS, "runtime.growslice" },
	{ PP_CLASS_ALLOC, IS, "runtime.makeslice" },
	{ PP_CLASS_ALLOC, BEGINS, "kmem_cache_alloc" },
	{ PP_CLASS_ALLOC, BEGINS, "__alloc_pages" },
	{ PP_CLASS_ALLOC, BEGINS, "_PyObject_Malloc" },
	{ PP_CLASS_ALLOC, BEGINS, "PyObject_Malloc" },
	{ PP_CLASS_ALLOC, BEGINS, "PyMem_Malloc" },
	{ PP_CLASS_ALLOC, BEGINS, "Perl_safesys" },
	{ PP_CLASS_ALLOC, IS, "g_malloc" },
	{ PP_CLASS_ALLOC, IS, "g_slice_alloc" },

	{ PP_CLASS_REGEX, BEGINS, "preg_" },
	{ PP_CLASS_REGEX, BEGINS, "pcre_exec" },
	{ PP_CLASS_REGEX, BEGINS, "pcre2_match" },
	{ PP_CLASS_REGEX, BEGINS, "php_pcre_" },
	{ PP_CLASS_REGEX, ENDS, "::CORE:match" },
	{ PP_CLASS_REGEX, ENDS, "::CORE:subst" },
	{ PP_CLASS_REGEX, ENDS, "::CORE:substcont" },
	{ PP_CLASS_REGEX, ENDS, "::CORE:regcomp" },
	{ PP_CLASS_REGEX, ENDS, "::CORE:qr" },
	{ PP_CLASS_REGEX, BEGINS, "Perl_regexec" },
	{ PP_CLASS_REGEX, IS, "S_regmatch" },
	{ PP_CLASS_REGEX, IS, "S_regtry" },
	{ PP_CLASS_REGEX, IS, "regexec" },
	{ PP_CLASS_REGEX, BEGINS, "re_search_internal" },
	{ PP_CLASS_REGEX, ENDS, "of 're.Pattern' objects>" },
	{ PP_CLASS_REGEX, ENDS, "of '_sre.SRE_Pattern' objects>" },
	{ PP_CLASS_REGEX, BEGINS, "regexp.(*" },
	{ PP_CLASS_REGEX, BEGINS, "java.util.regex." },
	{ PP_CLASS_REGEX, BEGINS, "java/util/regex/" },
	{ PP_CLASS_REGEX, BEGINS, "RegExp: " },
	{ PP_CLASS_REGEX, BEGINS, "onig_match" },
	{ PP_CLASS_REGEX, BEGINS, "onig_search" },

	{ PP_CLASS_STARTUP, ENDS, "zend_compile_file" },
	{ PP_CLASS_STARTUP, ENDS, "zend_compile_string" },
	{ PP_CLASS_STARTUP, ENDS, "php_request_startup" },
	{ PP_CLASS_STARTUP, ENDS, "php_module_startup" },
	{ PP_CLASS_STARTUP, BEGINS, "Composer\\Autoload\\" },
	{ PP_CLASS_STARTUP, BEGINS, "spl_autoload_" },
	{ PP_CLASS_STARTUP, BEGINS, "_dl_relocate_object" },
	{ PP_CLASS_STARTUP, BEGINS, "_dl_lookup_symbol" },
	{ PP_CLASS_STARTUP, BEGINS, "_dl_map_object" },
	{ PP_CLASS_STARTUP, BEGINS, "_dl_start" },
	{ PP_CLASS_STARTUP, IS, "dl_main" },
	{ PP_CLASS_STARTUP, IS, "do_lookup_x" },
	{ PP_CLASS_STARTUP, ENDS, "::CORE:require" },
	{ PP_CLASS_STARTUP, IS, "_find_and_load" },
	{ PP_CLASS_STARTUP, IS, "exec_module" },
	{ PP_CLASS_STARTUP, IS, "Module._compile" },
	{ PP_CLASS_STARTUP, ENDS, "ClassLoader.loadClass" },
	{ PP_CLASS_STARTUP, IS, "runtime.doInit1" },
};

const char *pp_name_class_text(enum pp_name_class class)
{
	static const char *const names[] = { "", "lock", "io", "gc", "alloc", "regex", "startup" };

	return names[class];
}

enum pp_name_class
pp_name_class(struct pp_slice name)
{
	static const char *const before[] = { "php::", "[k] " };
	size_t i, n;

	for (i = 0; i < PP_COUNT_OF(before); i++) {
		n = strlen(before[i]);
		if (name.n > n && memcmp(name.p, before[i], n) == 0)
			name = pp_slice_of(name.p + n, name.n - n);
	}
	/* Perl's code at compile time. */
	if (memmem(name.p, name.n, "::BEGIN@", 8))
		return PP_CLASS_STARTUP;
	for (i = 0; i < PP_COUNT_OF(table); i++) {
		n = strlen(table[i].word);
		if (name.n < n || (table[i].how == IS && name.n != n))
			continue;
		if (memcmp(table[i].how == ENDS ? name.p + name.n - n : name.p, table[i].word, n) ==
		    0)
			return (enum pp_name_class)table[i].class;
	}
	return PP_CLASS_NONE;
}
