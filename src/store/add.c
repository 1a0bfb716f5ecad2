/*
 * From a file, or from memory, to an item for a store: its bytes with those of its companions, what they hash to, and
 * what reading them tells.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/api.h"
#include "io/source.h"
#include "store/extract_kept.h"
#include "store/hash.h"
#include "store/meta.h"
#include "store/pack.h"
#include "store/parcel.h"
#include "store/store.h"

#define SECOND INT64_C(1000000000)

struct pp_store_prepared {
	struct pp_store_item item;
	char *path, *labels;
	PP_VEC(struct pp_kept_file) files; /* the first is the input */
	PP_VEC(void *) owned;              /* what of them is ours */
	struct pp_profile *profile;
	struct pp_buf parcel, meta, extract;
	void (*drop)(void *taken);
	bool from_disk; /* companions are looked for beside the path */
	bool failed;    /* out of memory */
	bool noted;     /* its reader told something */
	int64_t modified;
};

void
pp_store_prepared_trim(struct pp_store_prepared *p)
{
	while (p->owned.n > 0)
		free(p->owned.at[--p->owned.n]);
	pp_vec_release(&p->owned);
	pp_vec_release(&p->files);
	pp_profile_free(p->profile);
	p->profile = NULL;
	p->item.profile = NULL;
}

pp_status
pp_store_prepared_take(struct pp_store_prepared *p, struct pp_store *store, size_t *bytes)
{
	pp_status status = PP_OK;

	*bytes += p->item.parcel.n + p->item.extract.n;
	if (store->engine->take) {
		status = store->engine->take(store, &p->item, &p->item.taken, bytes);
		p->drop = store->engine->drop;
	}
	if (status == PP_OK)
		pp_store_prepared_trim(p);
	return status;
}

void
pp_store_prepared_free(struct pp_store_prepared *p)
{
	if (!p)
		return;
	pp_store_prepared_trim(p);
	if (p->item.taken)
		p->drop(p->item.taken);
	pp_buf_release(&p->parcel);
	pp_buf_release(&p->meta);
	pp_buf_release(&p->extract);
	free(p->path);
	free(p->labels);
	free(p);
}

const struct pp_store_item *
pp_store_prepared_item(const struct pp_store_prepared *p)
{
	return &p->item;
}

/* ---- bytes ---- */

/* Reads on until the end; false when that fails. */
static bool
descriptor_read(int fd, struct pp_buf *out)
{
	ptrdiff_t got;

	do {
		char *room = pp_buf_room(out, (size_t)1 << 16);

		if (!room)
			return false;
		got = read(fd, room, (size_t)1 << 16);
		out->n += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got == 0;
}

/* The bytes of a regular file, or of anything that can be read where `any` is set. False with errno. */
static bool
file_read(const char *path, bool any, struct pp_buf *out, int64_t *modified)
{
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool fine;
	int error;

	if (fd < 0)
		return false;
	fine = fstat(fd, &st) == 0;
	if (fine && (S_ISDIR(st.st_mode) || (!any && !S_ISREG(st.st_mode)))) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		fine = false;
	}
	if (fine && modified)
		*modified = (int64_t)st.st_mtim.tv_sec * SECOND + st.st_mtim.tv_nsec;
	if (fine && S_ISREG(st.st_mode) && st.st_size > 0)
		(void)pp_buf_room(out, (size_t)st.st_size + ((size_t)1 << 16));
	fine = fine && descriptor_read(fd, out);
	error = errno;
	close(fd);
	errno = error;
	return fine;
}

/* Keeps bytes that were read under a name; NULL when out of memory. */
static const struct pp_kept_file *
file_keep(struct pp_store_prepared *p, const char *name, struct pp_buf *bytes)
{
	char *copy = strdup(name);
	bool kept = copy && pp_vec_push(&p->owned, (void *)copy);

	if (!kept)
		free(copy);
	if (kept && bytes->p) {
		kept = pp_vec_push(&p->owned, (void *)bytes->p);
		if (kept)
			kept = pp_vec_push(&p->files,
			                   (struct pp_kept_file){ copy, bytes->p, bytes->n });
	} else if (kept) {
		kept = pp_vec_push(&p->files, (struct pp_kept_file){ copy, "", 0 });
	}
	p->failed |= !kept;
	return kept ? &p->files.at[p->files.n - 1] : NULL;
}

/* For who reads it: a file beside the input, as it is now, and kept from then on. */
static const struct pp_kept_file *
companion_find(void *ctx, const char *base_name)
{
	struct pp_store_prepared *p = ctx;
	const char *slash = strrchr(p->path, '/');
	struct pp_buf path = { 0 }, bytes = { 0 };
	const struct pp_kept_file *found = NULL;
	size_t i;

	for (i = 1; i < p->files.n; i++)
		if (strcmp(p->files.at[i].name, base_name) == 0)
			return &p->files.at[i];
	if (!p->from_disk || p->files.n >= PP_PARCEL_FILES)
		return NULL;
	pp_buf_add(&path, p->path, slash ? (size_t)(slash - p->path) + 1 : 0);
	pp_buf_adds(&path, base_name);
	/* Companions are found by address: the list must not move while one is read. */
	if (!path.failed && p->files.n < p->files.cap && file_read(path.p, false, &bytes, NULL))
		found = file_keep(p, base_name, &bytes);
	if (!found)
		pp_buf_release(&bytes);
	p->failed |= path.failed;
	pp_buf_release(&path);
	return found;
}

/* ---- its time ---- */

struct span {
	int64_t t0, t1;
};

/* From when to when, of what the request states, and else from `begin` on for as long as the file says. */
static struct span
span_from(const struct pp_profile *profile, const struct pp_store_how *how, int64_t begin)
{
	struct span s = { .t0 = how->has_t0 ? how->t0 : begin };
	int64_t length = 0;

	if (profile->time.known && profile->time.end > profile->time.start &&
	    !__builtin_sub_overflow(profile->time.end, profile->time.start, &length) && length < 0)
		length = 0;
	if (__builtin_add_overflow(s.t0, length, &s.t1))
		s.t1 = s.t0;
	if (how->has_t1)
		s.t1 = how->t1;
	if (s.t1 < s.t0)
		s.t1 = s.t0;
	return s;
}

/* When it was recorded: what the request states, what the file states, else when the file was last written. */
static void
times_find(struct pp_store_prepared *p, const struct pp_store_how *how)
{
	struct span s;
	int64_t begin;

	if (!pp_profile_recorded(p->profile, &begin))
		begin = p->from_disk ? p->modified : how->now;
	s = span_from(p->profile, how, begin);
	p->item.t0 = s.t0;
	p->item.t1 = s.t1;
}

/* ---- its hash ---- */

/* The bytes of a file that is packed, decoded as far as they can be; false when out of memory. */
static bool
decode(const struct pp_kept_file *f, struct pp_buf *out, bool *packed)
{
	struct pp_input *in = NULL;
	enum pp_container container;
	struct pp_io io;
	pp_status status;
	size_t layers = 0;

	*packed = false;
	if (!pp_io_init(&io, NULL, 1, NULL))
		return false;
	status = pp_input_memory(&io, f->data, f->size, &in);
	while (status == PP_OK && layers++ < io.limits.max_filters &&
	       (container = pp_container_detect(in)) != PP_CONTAINER_NONE) {
		*packed = true;
		status = pp_input_decode(&io, container, in, &in);
	}
	while (status == PP_OK && *packed && pp_input_need(in, 1)) {
		pp_buf_add(out, in->cur, pp_input_left(in));
		in->cur = in->end;
	}
	if (in)
		in->close(in);
	pp_io_release(&io);
	return status != PP_E_NOMEM && !out->failed;
}

static void
hash_make(struct pp_store_prepared *p, const struct pp_store_how *how)
{
	struct pp_store_item *item = &p->item;
	int64_t begin = 0;
	bool stated = pp_profile_recorded(p->profile, &begin);
	/* Of what the file states whole seconds: its bytes tell the rest, and what stores know stays known. */
	struct span span = span_from(p->profile, how, stated ? begin - begin % SECOND : item->t0);
	struct pp_stated_time t0 = { how->has_t0 || stated, span.t0 };
	struct pp_stated_time t1 = { how->has_t1 || stated, span.t1 };
	struct pp_blake2b hash = { 0 };
	size_t i;

	for (i = 0; i < p->files.n; i++) {
		const struct pp_kept_file *f = &p->files.at[i];
		struct pp_slice bytes = pp_slice_of(f->data, f->size);
		struct pp_buf decoded = { 0 };
		bool packed;

		p->failed |= !decode(f, &decoded, &packed);
		if (packed)
			bytes = pp_slice_of(decoded.p, decoded.n);
		if (i == 0)
			pp_profile_digest_init(&hash, pp_slice_z(item->labels), t0, t1, bytes.n);
		else
			pp_digest_part_head(&hash, bytes.n);
		if (bytes.n)
			pp_blake2b_add(&hash, bytes.p, bytes.n);
		pp_buf_release(&decoded);
	}
	pp_digest_end(&hash, item->hash);
}

/* ---- what reading it tells ---- */

/* Why a profile is refused: the rule and the words of the first error. */
static void
refusal_find(const struct pp_diags *diags, const char *path, pp_status status,
             struct pp_store_result *result, struct pp_buf *problem)
{
	size_t i;

	snprintf(result->rule, sizeof result->rule, "unreadable");
	for (i = 0; i < pp_diags_count(diags); i++) {
		const struct pp_diag *d = pp_diags_get(diags, i);

		if (d->severity != PP_ERROR)
			continue;
		snprintf(result->rule, sizeof result->rule, "%s", d->rule->id);
		pp_buf_addf(problem, "%s: %s", path, d->message);
		return;
	}
	pp_buf_addf(problem, "%s: %s", path, pp_status_text(status));
}

/* Reads the input as any question would. */
static pp_status
profile_read(struct pp_store_prepared *p, const struct pp_store_how *how,
             struct pp_store_result *result, struct pp_buf *problem)
{
	struct pp_read_opts opts = { .from = how->from,
		                     .threads = how->threads,
		                     .confined = !p->from_disk };
	struct pp_from from = { .data = p->files.at[0].size ? p->files.at[0].data : "",
		                .size = p->files.at[0].size,
		                .companion = companion_find,
		                .ctx = p,
		                .settled = true };
	struct pp_diags diags;
	struct pp_opened opened;
	pp_status status;

	pp_diags_init(&diags);
	status = pp_open_from(&opened, p->path, &from, &opts, &diags);
	if (status == PP_OK) {
		status = pp_opened_read(&opened, &p->profile);
		pp_opened_close(&opened);
	}
	if (status == PP_OK && how->sound && pp_diags_total(&diags, PP_ERROR) > 0)
		status = PP_E_INVALID;
	if (status != PP_OK && status != PP_E_NOMEM)
		refusal_find(&diags, p->path, status, result, problem);
	p->noted = pp_diags_count(&diags) > 0;
	pp_diags_release(&diags);
	return status;
}

/* What was read as an extract. Questions do without where memory does not suffice. */
static void
extract_make(struct pp_store_prepared *p)
{
	struct pp_supply supply = { .path = p->path, .files = p->files.at, .n = p->files.n };
	struct pp_buf extract = { 0 };

	pp_stored_extract(p->profile, p->noted, &supply, p->path, &extract);
	if (extract.n && !extract.failed &&
	    pp_extract_keep(pp_slice_of(extract.p, extract.n), &p->extract))
		p->item.extract = pp_slice_of(p->extract.p, p->extract.n);
	pp_buf_release(&extract);
}

/* ---- the whole ---- */

/* From the bytes of the input on. */
static pp_status
prepare(struct pp_store_prepared *p, const struct pp_store_how *how, struct pp_store_result *result,
        struct pp_buf *problem)
{
	struct pp_store_item *item = &p->item;
	pp_status status;

	*result = (struct pp_store_result){ .added = PP_STORE_NEW };
	p->labels = strdup(how->labels ? how->labels : "{}");
	if (!p->labels)
		return PP_E_NOMEM;
	item->labels = p->labels;
	item->source = p->path;
	item->keep = how->keep;
	status = profile_read(p, how, result, problem);
	if (status != PP_OK)
		return status;
	times_find(p, how);
	hash_make(p, how);
	if (p->failed || !pp_store_meta_make(p->profile, &p->meta, &item->stacks) ||
	    !pp_parcel_make(p->files.at, p->files.n, &p->parcel))
		return PP_E_NOMEM;
	item->profile = p->profile;
	item->format = pp_format_name(p->profile->format);
	item->complete = p->profile->complete;
	item->parcel = pp_slice_of(p->parcel.p, p->parcel.n);
	item->meta = pp_slice_of(p->meta.p, p->meta.n);
	if (how->extracts)
		extract_make(p);
	memcpy(result->hash, item->hash, sizeof result->hash);
	result->samples = item->stacks;
	return PP_OK;
}

static pp_status
refuse(struct pp_store_result *result, const char *path, const char *rule, const char *why,
       struct pp_buf *problem)
{
	*result = (struct pp_store_result){ .added = PP_STORE_NEW };
	snprintf(result->rule, sizeof result->rule, "%s", rule);
	pp_buf_addf(problem, "%s: %s", path, why);
	return PP_E_IO;
}

/* A directory that is a recording holds its first file as `data`. NULL when out of memory. */
static char *
recording_path(const char *path)
{
	struct pp_buf data = { 0 };
	struct stat st;

	pp_buf_adds(&data, path);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		pp_buf_adds(&data, "/data");
	return data.failed ? NULL : data.p;
}

pp_status
pp_store_prepare_file(const char *path, const struct pp_store_how *how,
                      struct pp_store_prepared **out, struct pp_store_result *result,
                      struct pp_buf *problem)
{
	struct pp_store_prepared *p = calloc(1, sizeof *p);
	struct pp_buf bytes = { 0 };
	pp_status status = PP_E_NOMEM;

	*out = NULL;
	if (p)
		p->path = recording_path(path);
	if (!p || !p->path) {
		pp_store_prepared_free(p);
		return status;
	}
	p->from_disk = strcmp(path, "-") != 0;
	/* Opening the file of a store beside an open one would lose its locks. */
	if (p->from_disk && pp_store_engine_of(path)) {
		status = refuse(result, path, "store", "this is a store, not a profile", problem);
	} else if (!file_read(p->path, true, &bytes, &p->modified)) {
		status = bytes.failed
		             ? PP_E_NOMEM
		             : refuse(result, path, "io-open-failed", strerror(errno), problem);
	} else if (pp_vec_reserve(&p->files, PP_PARCEL_FILES) && file_keep(p, p->path, &bytes)) {
		bytes = (struct pp_buf){ 0 };
		status = prepare(p, how, result, problem);
	}
	pp_buf_release(&bytes);
	if (status == PP_OK)
		*out = p;
	else
		pp_store_prepared_free(p);
	return status;
}

pp_status
pp_store_prepare_memory(const void *data, size_t size, const char *name,
                        const struct pp_store_how *how, struct pp_store_prepared **out,
                        struct pp_store_result *result, struct pp_buf *problem)
{
	struct pp_store_prepared *p = calloc(1, sizeof *p);
	pp_status status = PP_E_NOMEM;

	*out = NULL;
	if (p && (p->path = strdup(name ? name : "")) != NULL &&
	    pp_vec_push(&p->files, (struct pp_kept_file){ p->path, data ? data : "", size }))
		status = prepare(p, how, result, problem);
	if (status == PP_OK)
		*out = p;
	else
		pp_store_prepared_free(p);
	return status;
}

/* Hands what was prepared to the engine. */
static pp_status
commit(struct pp_store *store, struct pp_store_prepared *p, struct pp_store_result *result,
       struct pp_buf *problem)
{
	pp_status status = store->engine->add(store, &p->item, 1, &result->added, problem);

	pp_store_prepared_free(p);
	return status;
}

pp_status
pp_store_add_file(struct pp_store *store, const char *path, const struct pp_store_how *how,
                  struct pp_store_result *result, struct pp_buf *problem)
{
	struct pp_store_how with = *how;
	struct pp_store_prepared *p;
	pp_status status;

	with.extracts = store->engine->extracts;
	status = pp_store_prepare_file(path, &with, &p, result, problem);
	return status == PP_OK ? commit(store, p, result, problem) : status;
}

pp_status
pp_store_add_memory(struct pp_store *store, const void *data, size_t size, const char *name,
                    const struct pp_store_how *how, struct pp_store_result *result,
                    struct pp_buf *problem)
{
	struct pp_store_how with = *how;
	struct pp_store_prepared *p;
	pp_status status;

	with.extracts = store->engine->extracts;
	status = pp_store_prepare_memory(data, size, name, &with, &p, result, problem);
	return status == PP_OK ? commit(store, p, result, problem) : status;
}
