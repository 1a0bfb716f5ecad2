/* Inputs that a store keeps: packed and unpacked, damaged, with too little memory; and profiles on their way into a store. */
#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

#include "store/parcel.h"
#include "store/store.h"

static const struct pp_kept_file files[] = {
	{ "dir/a.json", "{\"k\": 1}", 8 },
	{ "a.txt.gz", "\0\1\2\3\xff", 5 },
	{ "empty", "", 0 },
};

static bool
is_whole(const struct pp_supply *s)
{
	size_t i;

	if (s->n != PP_COUNT_OF(files) || strcmp(s->path, files[0].name) != 0)
		return false;
	for (i = 0; i < s->n; i++)
		if (strcmp(s->files[i].name, files[i].name) != 0 ||
		    s->files[i].size != files[i].size ||
		    memcmp(s->files[i].data, files[i].data, files[i].size) != 0)
			return false;
	return true;
}

static void
check_damage(void)
{
	struct pp_buf parcel = { 0 };
	struct pp_supply s;
	size_t i, bit, wrong = 0;
	char *copy;

	ok(pp_parcel_make(files, PP_COUNT_OF(files), &parcel), "files are packed");
	ok(pp_parcel_open(pp_slice_of(parcel.p, parcel.n), &s) == PP_OK && is_whole(&s),
	   "and unpacked");
	pp_parcel_drop(&s);
	for (i = 0; i < parcel.n; i++) {
		copy = malloc(i + 1);
		memcpy(copy, parcel.p, i);
		wrong += pp_parcel_open(pp_slice_of(copy, i), &s) != PP_E_INVALID;
		pp_parcel_drop(&s);
		free(copy);
	}
	ok(wrong == 0, "what is cut is no parcel, %zu", wrong);
	for (i = 0; i < parcel.n; i++)
		for (bit = 0; bit < 8; bit++) {
			pp_status status;

			parcel.p[i] = (char)(parcel.p[i] ^ 1 << bit);
			status = pp_parcel_open(pp_slice_of(parcel.p, parcel.n), &s);
			/* A bit of the container that nobody reads changes nothing. */
			wrong += status == PP_OK ? !is_whole(&s) : status != PP_E_INVALID;
			pp_parcel_drop(&s);
			parcel.p[i] = (char)(parcel.p[i] ^ 1 << bit);
		}
	ok(wrong == 0, "each flipped bit is found, %zu", wrong);
	pp_buf_release(&parcel);
}

/* Adds a profile with so much memory; the status. */
static pp_status
add_within(const char *path, uint64_t limit, bool *known)
{
	static const char text[] = "main;f 1\nmain;g;h 2\n";
	struct pp_account account = { .limit = limit }, *before;
	const struct pp_store_how how = { .labels = "{\"a\":\"b\"}", .now = 5, .threads = 1 };
	struct pp_store_result result = { .added = PP_STORE_NEW };
	struct pp_buf problem = { 0 };
	struct pp_store *store = NULL;
	pp_status status;

	before = pp_account_enter(limit ? &account : NULL);
	status = pp_store_open(path, PP_STORE_ADD, &store, &problem);
	if (status == PP_OK)
		status = pp_store_add_memory(store, text, sizeof text - 1, "x.folded", &how,
		                             &result, &problem);
	*known = status == PP_OK && result.added == PP_STORE_KNOWN;
	pp_store_close(store);
	pp_buf_release(&problem);
	(void)pp_account_enter(before);
	return status;
}

/* Asks for all with so much memory. */
static pp_status
list_within(const char *path, uint64_t limit, size_t *n)
{
	const struct pp_provider_texts texts = { .where = "a=b and profile!=0000" };
	struct pp_account account = { .limit = limit },
	                  *before = pp_account_enter(limit ? &account : NULL);
	struct pp_selected *selected = NULL;
	struct pp_buf problem = { 0 };
	struct pp_supply supply = { 0 };
	pp_status status = pp_store_select(path, &texts, &selected, &problem);

	*n = status == PP_OK ? pp_store_provider.count(selected) : 0;
	if (status == PP_OK)
		status = pp_store_provider.load(selected, 0, NULL, &supply, &problem);
	pp_store_provider.drop(&supply);
	pp_store_provider.close(selected);
	pp_buf_release(&problem);
	(void)pp_account_enter(before);
	return status;
}

static void
check_memory(void)
{
	char path[] = "/tmp/polyprof-parcel-XXXXXX", file[64];
	size_t wrong = 0, failed = 0, n;
	uint64_t limit;
	bool known;

	if (!mkdtemp(path)) {
		ok(false, "a directory");
		return;
	}
	snprintf(file, sizeof file, "%s/s.ppdb", path);
	for (limit = 64; limit < (uint64_t)64 << 20; limit += limit / 12 + 16) {
		pp_status status = add_within(file, limit, &known);

		failed += status != PP_OK;
		wrong += status != PP_OK && status != PP_E_NOMEM && status != PP_E_LIMIT;
		if (status == PP_OK)
			break;
	}
	ok(failed > 20 && wrong == 0, "adding fails well without memory: %zu times, %zu wrong",
	   failed, wrong);
	ok(add_within(file, 0, &known) == PP_OK && known, "and what was added is there once");
	for (failed = 0, limit = 64; limit < (uint64_t)64 << 20; limit += limit / 12 + 16) {
		pp_status status = list_within(file, limit, &n);

		failed += status != PP_OK;
		wrong += status != PP_OK && status != PP_E_NOMEM && status != PP_E_LIMIT;
		if (status == PP_OK)
			break;
	}
	ok(failed > 10 && wrong == 0, "asking, too: %zu times, %zu wrong", failed, wrong);
	ok(list_within(file, 0, &n) == PP_OK && n == 1, "one profile");
	unlink(file);
	rmdir(path);
}

int
main(void)
{
	check_damage();
	check_memory();
	return tap_done();
}
