/*
 * Questions that are wanted no more. Whoever asks is asked in turn whether they still wait: how often depends on the work, not
 * on the clock, so it is counted. A run is stopped at several of these points; after each, no more than a few are passed.
 */
#include "tap.h"

#include <dirent.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "polyprof/polyprof_experimental.h"

/* Distinct stacks of a file, and the nodes below which each ends. */
#define STACKS 20000
#define NODES ((uint64_t)STACKS * 3)
/* Loops ask once in so many steps. */
#define STEPS 16384
/* What is under way may look around so often while it ends: once in each function that is left. */
#define PASSED 60
#define HOLE (128 << 20)
#define PIECE (4 << 20)

static char folder[200];

/* When a run stops: at which time it is asked. */
struct plan {
	atomic_ulong asked;
	unsigned long stop_at; /* 0 = never */
};

static bool
stops(void *ctx)
{
	struct plan *plan = ctx;
	unsigned long now = atomic_fetch_add(&plan->asked, 1) + 1;

	return plan->stop_at && now >= plan->stop_at;
}

struct question {
	const char *name, *files[4], *params[5];
};

static pp_status
ask(const struct question *q, pp_shelf *shelf, struct plan *plan)
{
	struct pp_ask_opts opts = { .size = sizeof opts,
		                    .form = PP_RENDER_JSON,
		                    .quiet = true,
		                    .ctx = plan,
		                    .shelf = shelf,
		                    .stop = stops };
	const char *paths[4], *params[8] = { "budget=2000", "jobs=1" };
	char room[4][256], text[300];
	pp_answer *answer = NULL;
	pp_status status;
	size_t n, i;

	for (n = 0; n < 4 && q->files[n]; n++) {
		(void)snprintf(room[n], sizeof room[n], "%s/%s", folder, q->files[n]);
		paths[n] = room[n];
	}
	for (i = 0; i < 4 && q->params[i]; i++)
		params[i + 2] = q->params[i];
	if (i && strcmp(q->params[i - 1], "before") == 0) {
		(void)snprintf(text, sizeof text, "before=%s/large.folded", folder);
		params[i + 1] = text;
	}
	atomic_store(&plan->asked, 0);
	status = pp_ask_files(paths, n, q->name, params, &opts, &answer);
	pp_answer_free(answer);
	return status;
}

/* Stops a question at points from its start to its end. */
static void
stop_all_over(const struct question *q, bool open)
{
	static const unsigned tenths[] = { 1, 4, 6, 9 };
	struct plan plan = { .stop_at = 0 };
	pp_shelf *shelf = pp_shelf_new(0);
	unsigned long whole;
	size_t i;

	if (open)
		(void)ask(q, shelf, &plan);
	is_u64(ask(q, shelf, &plan), PP_OK, "%s %s%s", q->name, q->files[0], open ? ", open" : "");
	whole = atomic_load(&plan.asked);
	if (open)
		ok(whole >= NODES / STEPS, "%s of %" PRIu64 " nodes: asked %lu times", q->name,
		   NODES, whole);
	for (i = 0; i < PP_COUNT_OF(tenths) && whole > 10; i++) {
		pp_shelf *other = open ? shelf : pp_shelf_new(0);
		pp_status status;

		plan.stop_at = whole * tenths[i] / 10;
		status = ask(q, other, &plan);
		ok(status != PP_OK && atomic_load(&plan.asked) <= plan.stop_at + PASSED,
		   "%s %s%s: stopped at %lu of %lu, status %d after %lu more", q->name, q->files[0],
		   open ? ", open" : "", plan.stop_at, whole, (int)status,
		   atomic_load(&plan.asked) - plan.stop_at);
		if (other != shelf)
			pp_shelf_free(other);
	}
	plan.stop_at = 0;
	is_u64(ask(q, shelf, &plan), PP_OK, "%s %s answers again", q->name, q->files[0]);
	pp_shelf_free(shelf);
}

/* A profile of distinct stacks, `turn` moves their costs. */
static void
folded_make(const char *name, unsigned turn)
{
	char path[256];
	FILE *file;
	unsigned i;

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	for (i = 0; file && i < STACKS; i++)
		(void)fprintf(file, "main;a%u;b%u;c%u;d%u;e%u %u\n", i % 9, i % 97, i, i % 1009,
		              i * 7 % 9973, (i + turn) % 83 + 1);
	ok(file && fclose(file) == 0, "%s", name);
}

/* The same profile in another format. */
static void
converted_make(const char *name, const char *to)
{
	struct pp_ask_opts opts = { .size = sizeof opts, .form = PP_RENDER_FILE, .quiet = true };
	struct pp_print_opts print = { .size = sizeof print, .form = PP_RENDER_FILE };
	const char *params[] = { to, NULL }, *files[1];
	char from[256], path[256];
	pp_answer *answer = NULL;
	pp_output *out = NULL;
	bool fine;

	(void)snprintf(from, sizeof from, "%s/large.folded", folder);
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	files[0] = from;
	fine = pp_ask_files(files, 1, "convert", params, &opts, &answer) == PP_OK &&
	       pp_output_open(path, false, NULL, &out, NULL) == PP_OK &&
	       pp_answer_print(answer, &print, out) == PP_OK &&
	       pp_output_commit(out, path, NULL, NULL) == PP_OK;
	ok(fine, "%s", name);
	pp_output_free(out);
	pp_answer_free(answer);
}

/* What checking an open profile found is not looked for again. */
static void
check_again(void)
{
	static const struct question top = { "top", { "large.folded" }, { NULL } };
	static const struct question check = { "check", { "large.folded" }, { NULL } };
	struct plan plan = { .stop_at = 0 };
	pp_shelf *shelf = pp_shelf_new(0);
	unsigned long first;

	is_u64(ask(&top, shelf, &plan), PP_OK, "top");
	is_u64(ask(&check, shelf, &plan), PP_OK, "check");
	first = atomic_load(&plan.asked);
	is_u64(ask(&check, shelf, &plan), PP_OK, "check again");
	ok(atomic_load(&plan.asked) < first / 2, "asked %lu times, then %lu", first,
	   atomic_load(&plan.asked));
	pp_shelf_free(shelf);
}

/* A large file is taken piece by piece, whatever is in it. */
static void
large_take(void)
{
	static const struct question q = { "top", { "hole.folded" }, { NULL } };
	struct plan plan = { .stop_at = 0 };
	unsigned long whole;
	char path[256];
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/%s", folder, q.files[0]);
	file = fopen(path, "w");
	ok(file && ftruncate(fileno(file), HOLE) == 0 && fclose(file) == 0, "%s", q.files[0]);
	(void)ask(&q, NULL, &plan);
	whole = atomic_load(&plan.asked);
	ok(whole >= HOLE / PIECE, "a file of %d MiB: asked %lu times", HOLE >> 20, whole);
	plan.stop_at = 4;
	(void)ask(&q, NULL, &plan);
	ok(atomic_load(&plan.asked) < 20, "the rest of it is not read, %lu",
	   atomic_load(&plan.asked));
}

static void
folder_remove(void)
{
	DIR *list = opendir(folder);
	const struct dirent *entry;
	char path[600];

	while (list && (entry = readdir(list))) {
		(void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		(void)unlink(path);
	}
	if (list)
		closedir(list);
	(void)rmdir(folder);
}

int
main(void)
{
	static const struct question loads[] = {
		{ "top", { "large.folded" }, { NULL } },
		{ "top", { "large.pb.gz" }, { NULL } },
		{ "top", { "large.spaa.zst" }, { NULL } },
		{ "check", { "large.pb.gz" }, { NULL } },
		{ "diff", { "large.folded", "large.pb.gz" }, { NULL } },
		{ "trend", { "large.folded", "turned.folded", "large.spaa.zst" }, { NULL } },
	};
	static const struct question calls[] = {
		{ "tree", { "large.folded" }, { NULL } },
		{ "tree", { "large.folded" }, { "hide=^a1$" } },
		{ "top", { "large.folded" }, { "focus=^b1" } },
		{ "callers", { "large.folded" }, { "function=d5" } },
		{ "callees", { "large.folded" }, { "function=main", "depth=4" } },
		{ "info", { "large.pb.gz" }, { NULL } },
		{ "findings", { "turned.folded" }, { NULL } },
		{ "findings", { "turned.folded" }, { "before" } },
		{ "diff", { "large.folded", "turned.folded" }, { NULL } },
	};
	size_t i;

	(void)snprintf(folder, sizeof folder, "%s/stops.XXXXXX",
	               getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(folder))
		return 1;
	folded_make("large.folded", 0);
	folded_make("turned.folded", 11);
	converted_make("large.pb.gz", "to=pprof");
	converted_make("large.spaa.zst", "to=spaa");
	for (i = 0; i < PP_COUNT_OF(loads); i++)
		stop_all_over(&loads[i], false);
	for (i = 0; i < PP_COUNT_OF(calls); i++)
		stop_all_over(&calls[i], true);
	check_again();
	large_take();
	folder_remove();
	return tap_done();
}
