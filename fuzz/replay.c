/*
 * Runs a fuzz target over files without libFuzzer: replay [--once] FILE-OR-DIRECTORY...
 *
 * Each file is tried as it is, then cut short in sixteen places, then with about 1 % of its bytes
 * damaged, again and again; --once leaves that out. The damage depends on nothing but the file's bytes,
 * so a failure can be repeated, and the input that a target dies of is kept in ./replay-found.
 * Directories are gone through in the order of names, files that begin with a dot left out.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/common.h"
#include "base/hash.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Mutants of a small file, and bytes of mutants of a large one. */
enum { MUTANTS = 25, MUTANT_BYTES = 1000000, LARGEST = 32 << 20 };

static unsigned replayed;
static bool once;

/* What the target is looking at, for on_crash(). */
static const unsigned char *volatile current;
static volatile size_t current_size;

/* Keeps the input that the target died of. */
static void
on_crash(int signal_number)
{
	static const char said[] = "the input is in replay-found\n";
	int fd = open("replay-found", O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd >= 0 && write(fd, current, current_size) >= 0 && write(2, said, sizeof said - 1) > 0)
		close(fd);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void
try_target(const unsigned char *data, size_t size)
{
	current = data;
	current_size = size;
	LLVMFuzzerTestOneInput(data, size);
}

static uint64_t
next_random(uint64_t *state)
{
	*state += PP_HASH_K1;
	return pp_mix(*state, PP_HASH_K2);
}

/* Damages about one byte in a hundred, at least one: another byte, one bit, or the byte before again. */
static void
damage(unsigned char *p, size_t n, uint64_t *random)
{
	size_t count = n / 100 + 1;

	while (count--) {
		size_t at = (size_t)(next_random(random) % n);
		uint64_t how = next_random(random);

		if (how % 3 == 0)
			p[at] = (unsigned char)(how >> 8);
		else if (how % 3 == 1)
			p[at] ^= (unsigned char)(1u << (how >> 8 & 7));
		else
			p[at] = p[at ? at - 1 : 0];
	}
}

static void
replay_bytes(const unsigned char *data, size_t n)
{
	uint64_t random = pp_hash_bytes(data, n, 0);
	size_t mutants = n < MUTANT_BYTES / MUTANTS ? MUTANTS : MUTANT_BYTES / n + 2;
	unsigned char *copy = malloc(n ? n : 1);
	size_t i;

	if (!copy)
		abort();
	try_target(data, n);
	for (i = 1; i < 16 && n && !once; i++) {
		/* An exact copy, so that reading past the cut is reading past the allocation. */
		unsigned char *cut = malloc(n * i / 16 ? n * i / 16 : 1);

		if (!cut)
			abort();
		memcpy(cut, data, n * i / 16);
		try_target(cut, n * i / 16);
		free(cut);
	}
	for (i = 0; i < mutants && n && !once; i++) {
		memcpy(copy, data, n);
		damage(copy, n, &random);
		try_target(copy, n);
	}
	free(copy);
}

static void
replay_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *data = malloc(size ? size : 1);

	if (!file || !data || fread(data, 1, size, file) != size) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(EXIT_FAILURE);
	}
	fclose(file);
	/* Said before, so that the last line before a crash names the file. */
	fprintf(stderr, "replay %s\n", path);
	replay_bytes(data, size);
	replayed++;
	free(data);
}

static int
is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void
replay_path(const char *path, int depth)
{
	struct dirent **entries;
	struct stat st;
	int n, i;

	if (stat(path, &st) != 0) {
		fprintf(stderr, "there is no %s\n", path);
		exit(EXIT_FAILURE);
	}
	if (!S_ISDIR(st.st_mode)) {
		if (st.st_size <= LARGEST)
			replay_file(path, (size_t)st.st_size);
		return;
	}
	n = depth < 8 ? scandir(path, &entries, is_shown, alphasort) : 0;
	for (i = 0; i < n; i++) {
		char *inside;

		if (asprintf(&inside, "%s/%s", path, entries[i]->d_name) < 0)
			abort();
		free(entries[i]);
		replay_path(inside, depth + 1);
		free(inside);
	}
	if (n > 0)
		free(entries);
}

int
main(int argc, char **argv)
{
	int i;

	signal(SIGABRT, on_crash);
	signal(SIGSEGV, on_crash);
	once = argc > 1 && strcmp(argv[1], "--once") == 0;
	for (i = 1 + once; i < argc; i++)
		replay_path(argv[i], 0);
	fprintf(stderr, "replayed %u files\n", replayed);
	return replayed ? EXIT_SUCCESS : EXIT_FAILURE;
}
