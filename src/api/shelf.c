/*
 * Profiles that stay open between questions.
 */
#include "api/shelf.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/vec.h"
#include "io/system.h"

struct pp_shelved {
	pp_shelf *shelf;
	struct pp_shelf_key key;
	struct pp_profile *profile;
	struct pp_handles *handles;
	struct pp_diags findings; /* of checking it */
	bool judged;
	uint64_t bytes;
	uint64_t used; /* when, by the shelf's clock */
	unsigned users;
};

struct pp_shelf {
	uint64_t limit, held, clock;
	PP_VEC(struct pp_shelved *) list;
};

pp_shelf *
pp_shelf_new(uint64_t max_memory)
{
	pp_shelf *shelf = calloc(1, sizeof *shelf);

	if (shelf)
		shelf->limit = max_memory ? max_memory : (uint64_t)1 << 30;
	return shelf;
}

static void
shelved_free(struct pp_shelved *s)
{
	pp_handles_free(s->handles);
	pp_profile_free(s->profile);
	pp_diags_release(&s->findings);
	free(s);
}

void
pp_shelf_free(pp_shelf *shelf)
{
	while (shelf && shelf->list.n)
		shelved_free(shelf->list.at[--shelf->list.n]);
	if (shelf)
		pp_vec_release(&shelf->list);
	free(shelf);
}

bool
pp_shelf_key_of(const char *path, struct pp_shelf_key *key)
{
	struct stat st;

	memset(key, 0, sizeof *key);
	if (strcmp(path, "-") == 0 || !realpath(path, key->path) || stat(key->path, &st) != 0 ||
	    !S_ISREG(st.st_mode))
		return false;
	pp_beside_find(key->path, &key->beside);
	key->device = (uint64_t)st.st_dev;
	key->inode = (uint64_t)st.st_ino;
	key->size = (uint64_t)st.st_size;
	key->changed = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return true;
}

uint32_t
pp_shelf_stamp(const struct pp_shelf_key *key)
{
	uint64_t h = pp_fnv_add(PP_FNV_BASIS, key->path, strlen(key->path));
	uint64_t numbers[] = { key->size, (uint64_t)key->changed, key->beside.content };
	/* Most files are alone. */
	size_t i, n = key->beside.content ? 24 : 16;

	for (i = 0; i < n; i++)
		h = (h ^ (numbers[i / 8] >> (i % 8 * 8) & 0xff)) * PP_FNV_PRIME;
	return (uint32_t)(h ^ h >> 32);
}

static bool
same_key(const struct pp_shelf_key *a, const struct pp_shelf_key *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->changed == b->changed && a->beside.identity == b->beside.identity &&
	       strcmp(a->path, b->path) == 0;
}

struct pp_shelved *
pp_shelf_take(pp_shelf *shelf, const struct pp_shelf_key *key)
{
	size_t i;

	for (i = 0; i < shelf->list.n; i++) {
		struct pp_shelved *s = shelf->list.at[i];

		if (!same_key(&s->key, key))
			continue;
		s->users++;
		s->used = ++shelf->clock;
		return s;
	}
	return NULL;
}

struct pp_shelved *
pp_shelf_put(pp_shelf *shelf, const struct pp_shelf_key *key, struct pp_profile *profile,
             struct pp_handles *handles, uint64_t bytes)
{
	struct pp_shelved *s = calloc(1, sizeof *s);

	/* What was broken off is not what it should be. */
	if (!s || pp_account_stops() || !pp_vec_push(&shelf->list, s)) {
		free(s);
		pp_handles_free(handles);
		pp_profile_free(profile);
		return NULL;
	}
	*s = (struct pp_shelved){ .shelf = shelf,
		                  .key = *key,
		                  .profile = profile,
		                  .handles = handles,
		                  .bytes = bytes,
		                  .used = ++shelf->clock,
		                  .users = 1 };
	shelf->held += bytes;
	return s;
}

void
pp_shelf_give(struct pp_shelved *s)
{
	s->users--;
	pp_shelf_shrink(s->shelf, s->shelf->limit);
}

void
pp_shelf_shrink(pp_shelf *shelf, uint64_t most)
{
	bool freed = false;

	while (shelf->held > most) {
		size_t i, oldest = shelf->list.n;

		for (i = 0; i < shelf->list.n; i++)
			if (shelf->list.at[i]->users == 0 &&
			    (oldest == shelf->list.n ||
			     shelf->list.at[i]->used < shelf->list.at[oldest]->used))
				oldest = i;
		if (oldest == shelf->list.n)
			break;
		shelf->held -= shelf->list.at[oldest]->bytes;
		shelved_free(shelf->list.at[oldest]);
		shelf->list.at[oldest] = shelf->list.at[--shelf->list.n];
		freed = true;
	}
	/* What was freed goes back to the system, or the process keeps it. */
	if (freed)
		pp_memory_give_back();
}

uint64_t
pp_shelf_limit(const pp_shelf *shelf)
{
	return shelf->limit;
}

uint64_t
pp_shelf_held(const pp_shelf *shelf)
{
	return shelf->held;
}

void
pp_shelved_judge(struct pp_shelved *s, const struct pp_diags *findings)
{
	if (s->judged || pp_account_stops())
		return;
	pp_diags_release(&s->findings);
	s->judged = pp_diags_copy(&s->findings, findings);
}

const struct pp_diags *
pp_shelved_findings(const struct pp_shelved *s)
{
	return s->judged ? &s->findings : NULL;
}

const struct pp_profile *
pp_shelved_profile(const struct pp_shelved *s)
{
	return s->profile;
}

const struct pp_handles *
pp_shelved_handles(const struct pp_shelved *s)
{
	return s->handles;
}
