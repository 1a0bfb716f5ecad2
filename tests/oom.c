/*
 * Out of memory at every point: for each sample, the n-th allocation of read + flat + write fails, for
 * n = 1, 2, ... until all succeed; once alone and once with all that follow. Each run must end with
 * PP_E_NOMEM or as it does with enough memory, and give back every byte it took.
 *
 * malloc, calloc, realloc and free are wrapped by the linker (-Wl,--wrap), in this program's objects and
 * the library's, not inside libc or the compression libraries.
 */
#include "tap.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>

#include "exercise.h"

/*
 * Runs for one sample; with more allocations than this, only every k-th is made to fail. The address
 * sanitizer is slow at this, and what it adds is seen in fewer runs.
 */
#ifdef __SANITIZE_ADDRESS__
enum { MOST_RUNS = 12 };
#else
enum { MOST_RUNS = 60 };
#endif

/* Built once more to fail while every twelfth sample is drawn. */
#ifndef DRAWS
#define DRAWS false
#endif

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void __real_free(void *);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void __wrap_free(void *);

/* Which allocations fail; counted over all threads. */
static struct {
	atomic_ulong made;
	unsigned long first; /* the first to fail, 0 = none */
	bool all_after;
	bool trap; /* stop there, for a debugger */
} plan;

/*
 * The live pointers, by open addressing. Only those are counted that came from here: libc's own, such
 * as a line from getline(), may be freed here too.
 */
enum { SLOTS = 1 << 18 };
static struct {
	_Atomic(void *) slot[SLOTS];
	atomic_long live;
} table;

static size_t
slot_of(const void *p)
{
	return (size_t)(((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 40) % SLOTS;
}

static void *
tombstone(void)
{
	return &table;
}

static void *
note(void *p)
{
	size_t i = slot_of(p);

	if (!p)
		return NULL;
	for (;; i = (i + 1) % SLOTS) {
		void *found = atomic_load(&table.slot[i]);

		if ((found == NULL || found == tombstone()) &&
		    atomic_compare_exchange_strong(&table.slot[i], &found, p))
			break;
	}
	atomic_fetch_add(&table.live, 1);
	return p;
}

static bool
forget(void *p)
{
	size_t i = slot_of(p), tried;

	for (tried = 0; p && tried < SLOTS; tried++, i = (i + 1) % SLOTS) {
		void *found = atomic_load(&table.slot[i]);

		if (!found)
			return false;
		if (found == p) {
			atomic_store(&table.slot[i], tombstone());
			atomic_fetch_sub(&table.live, 1);
			return true;
		}
	}
	return false;
}

static bool
must_fail(void)
{
	unsigned long number = atomic_fetch_add(&plan.made, 1) + 1;

	if (plan.first && number == plan.first && plan.trap)
		raise(SIGTRAP);
	return plan.first && (number == plan.first || (plan.all_after && number > plan.first));
}

void *
__wrap_malloc(size_t n)
{
	return must_fail() ? NULL : note(__real_malloc(n));
}

void *
__wrap_calloc(size_t count, size_t n)
{
	return must_fail() ? NULL : note(__real_calloc(count, n));
}

void *
__wrap_realloc(void *p, size_t n)
{
	bool ours;
	void *moved;

	if (must_fail())
		return NULL;
	ours = forget(p);
	moved = __real_realloc(p, n);
	if (moved)
		return note(moved);
	if (ours)
		note(p);
	return NULL;
}

void
__wrap_free(void *p)
{
	forget(p);
	__real_free(p);
}

/* The profile to draw, in the program built for that. */
static struct pp_profile *drawn;

/* One run; says what reading gave and whether memory was lost. */
static pp_status
run(const char *path, unsigned long first, bool all_after, long *lost)
{
	struct exercise e = { .path = path, .may_lack_memory = true };
	long before = atomic_load(&table.live);
	pp_status status;

	plan.first = first;
	plan.all_after = all_after;
	atomic_store(&plan.made, 0);
	if (drawn)
		exercise_draw(&e, drawn);
	status = drawn ? PP_OK : exercise_run(&e);
	plan.first = 0;
	*lost = atomic_load(&table.live) - before;
	return status;
}

static void
clear_table(void)
{
	size_t i;

	for (i = 0; i < SLOTS; i++)
		if (atomic_load(&table.slot[i]) == tombstone())
			atomic_store(&table.slot[i], NULL);
}

static void
check_sample(const char *path)
{
	static unsigned seen;
	unsigned long in_all, n, step, runs = 0, wrong = 0, leaks = 0;
	pp_status whole;
	long lost;

	if (DRAWS) {
		struct pp_read_opts opts = { .want = PP_FACETS | PP_META, .threads = 1 };

		if (seen++ % 12 || pp_read_file(path, &opts, NULL, &drawn) != PP_OK)
			return;
	}
	whole = run(path, 0, false, &lost);
	in_all = atomic_load(&plan.made);
	leaks += lost != 0;
	step = in_all / MOST_RUNS + 1;
	for (n = 1; n <= in_all; n += step) {
		int after;

		for (after = 0; after < 2; after++) {
			pp_status status = run(path, n, after, &lost);

			if (status != PP_E_NOMEM && status != whole) {
				printf("# allocation %lu%s: status %d\n", n,
				       after ? " and all after" : "", (int)status);
				wrong++;
			}
			if (lost != 0) {
				printf("# allocation %lu%s: %ld not freed\n", n,
				       after ? " and all after" : "", lost);
				leaks++;
			}
			runs++;
		}
		clear_table();
	}
	pp_profile_free(drawn);
	drawn = NULL;
	ok(wrong == 0 && leaks == 0, "%s: %lu of %lu allocations failing", path, runs / 2, in_all);
}

static int
is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Calls `visit` with the path of everything in a directory, in the order of names. */
static void
each(const char *directory, void (*visit)(const char *path))
{
	struct dirent **entries;
	int n = scandir(directory, &entries, is_shown, alphasort), i;

	for (i = 0; i < n; i++) {
		char *path;

		if (asprintf(&path, "%s/%s", directory, entries[i]->d_name) < 0)
			abort();
		visit(path);
		__real_free(path);
		__real_free(entries[i]);
	}
	if (n >= 0)
		__real_free(entries);
}

static void
check_format(const char *directory)
{
	char *good;

	if (asprintf(&good, "%s/good", directory) < 0)
		abort();
	each(good, check_sample);
	__real_free(good);
}

/*
 * oom tests/formats       tries all samples
 * oom --at N FILE         fails one allocation, stopping there: gdb -ex run -ex bt --args oom --at 17 x.folded
 */
int
main(int argc, char **argv)
{
	long lost;

	if (argc == 4 && strcmp(argv[1], "--at") == 0) {
		plan.trap = true;
		return (int)run(argv[3], strtoul(argv[2], NULL, 10), false, &lost);
	}
	if (argc == 2)
		each(argv[1], check_format);
	ok(tap.run > 0, "there are samples");
	return tap_done();
}
