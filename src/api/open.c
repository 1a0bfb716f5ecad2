/*
 * Opening: the stack of inputs, the bids, and the services that a reader gets.
 */
#include "formats/strangers.h"
#include "api/opening.h"
#include "api/usable.h"
#include "formats/kit/json_outline.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/system.h"
#include "text/json_scan.h"

#define PEEK_BYTES ((size_t)64 << 10)
/* How far into a JSON document that nobody knows by its beginning one looks; for a row of a list, less. */
#define OUTLINED_MOST ((size_t)1 << 30)
#define OUTLINED_BRIEFLY ((size_t)16 << 20)

/* A companion, wrapped so that its end is known when the reader closes it. */
struct companion {
	struct pp_io io;
	struct pp_opening *opening;
	char *path;
	void (*close)(struct pp_input *);
};

/* ---- names ---- */

static bool
strip_ending(char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);

	if (n <= m || strcmp(name + n - m, ending) != 0)
		return false;
	name[n - m] = '\0';
	return true;
}

/* The base name without .gz and .zst; NULL when out of memory. */
static char *
bare_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path);

	while (name && (strip_ending(name, ".gz") || strip_ending(name, ".zst")))
		continue;
	return name;
}

static char *sibling_path(const struct pp_opening *, const char *base_name);

/* Whether a link stands in place of a file beside ours, where that is not allowed. */
static bool
sibling_strays(const struct pp_opening *o, const char *base_name)
{
	char *path = o->opts.confined ? sibling_path(o, base_name) : NULL;
	struct stat st;
	bool strays = o->opts.confined && (!path || (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)));

	free(path);
	return strays;
}

/* Whether a base name can name a file beside ours. */
static bool
sibling_possible(const struct pp_opening *o, const char *base_name)
{
	return o->beside && !sibling_strays(o, base_name) && *base_name &&
	       !strchr(base_name, '/') && strcmp(base_name, ".") != 0 &&
	       strcmp(base_name, "..") != 0;
}

/* The path of a file beside ours; NULL when out of memory. */
static char *
sibling_path(const struct pp_opening *o, const char *base_name)
{
	const char *slash = strrchr(o->path, '/');
	size_t n = slash ? (size_t)(slash - o->path) + 1 : 0, m = strlen(base_name);
	char *path = malloc(n + m + 1);

	if (path) {
		memcpy(path, o->path, n);
		memcpy(path + n, base_name, m + 1);
	}
	return path;
}

/* ---- the stack of inputs ---- */

/*
 * A container cut before its magic was complete: the bytes say so or, when there are none, the name.
 * What is left of it is no content.
 */
static void
note_stub(struct pp_io *io, struct pp_input *in, const char *path)
{
	struct pp_slice left = { in->cur, pp_input_left(in) };
	enum pp_container stub = in->at_end ? pp_container_stub(left) : PP_CONTAINER_NONE;
	const char *dot = strrchr(path, '.');

	if (in->at_end && left.n < 2 && dot && strcmp(dot, ".gz") == 0)
		stub = PP_CONTAINER_GZIP;
	else if (in->at_end && left.n < 2 && dot && strcmp(dot, ".zst") == 0)
		stub = PP_CONTAINER_ZSTD;
	/* What could not be read is no stub. */
	if (stub == PP_CONTAINER_NONE || in->status != PP_OK)
		return;
	pp_io_note(io, stub == PP_CONTAINER_GZIP ? PP_IO_GZIP_TRUNCATED : PP_IO_ZSTD_TRUNCATED, 0,
	           "the %s stream ends too early, within its first bytes", pp_container_name(stub));
	in->cur = in->end;
	in->status = PP_E_INVALID;
}

/* Takes containers off until none is left; *in is replaced, and NULL on failure. */
static pp_status
peel(struct pp_io *io, const char *path, struct pp_input **in, const char **names, size_t most)
{
	size_t layers = 0;
	enum pp_container container;
	pp_status status = PP_OK;

	most = io->limits.max_filters < most ? io->limits.max_filters : most;
	while (status == PP_OK && (container = pp_container_detect(*in)) != PP_CONTAINER_NONE) {
		if (layers == most) {
			pp_io_note(io, PP_IO_TOO_MANY_LAYERS, PP_NO_OFFSET,
			           "there are more than %zu layers of compression", most);
			(*in)->close(*in);
			*in = NULL;
			return PP_E_LIMIT;
		}
		names[layers++] = pp_container_name(container);
		status = pp_input_decode(io, container, *in, in);
	}
	if (status == PP_OK && layers == 0)
		note_stub(io, *in, path);
	return status == PP_OK ? pp_input_pad(in) : status;
}

/* ---- services for readers ---- */

static bool
regular_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A companion of what is read out of memory; NULL when there is none of that name. */
static const struct pp_kept_file *
sibling_kept(const struct pp_opening *o, const char *base_name)
{
	return o->from.companion && sibling_possible(o, base_name)
	           ? o->from.companion(o->from.ctx, base_name)
	           : NULL;
}

static bool
reader_has_sibling(struct pp_reader *r, const char *base_name)
{
	const struct pp_opening *o = r->impl;
	const char *slash;
	char path[PATH_MAX];
	int n;

	if (o->from.companion)
		return sibling_kept(o, base_name) != NULL;
	if (!sibling_possible(o, base_name))
		return false;
	/* Nothing is allocated: without memory, too, what is there is there. Longer paths the system refuses. */
	slash = strrchr(o->path, '/');
	n = slash ? (int)(slash - o->path < PATH_MAX ? slash - o->path + 1 : PATH_MAX) : 0;
	n = snprintf(path, sizeof path, "%.*s%s", n, o->path, base_name);
	return n >= 0 && (size_t)n < sizeof path && regular_file(path);
}

/* What an input's end means for the profile: the graver of two. */
static pp_status
graver(pp_status a, pp_status b)
{
	return a == PP_OK || (a == PP_E_INVALID && b != PP_OK) ? b : a;
}

uint64_t
pp_io_bytes(struct pp_io *io)
{
	uint64_t done = atomic_load_explicit(&io->file_read, memory_order_relaxed);

	return io->file_size > done ? io->file_size : done;
}

static void
companion_free(struct companion *c)
{
	pp_io_release(&c->io);
	free(c->path);
	free(c);
}

static void
companion_close(struct pp_input *in)
{
	struct companion *c = (struct companion *)in->io;

	c->opening->sibling_status = graver(c->opening->sibling_status, in->status);
	c->opening->sibling_bytes += pp_io_bytes(&c->io);
	c->close(in);
	pp_io_report(&c->io);
	companion_free(c);
}

static pp_status
reader_open_sibling(struct pp_reader *r, const char *base_name, struct pp_input **sibling)
{
	struct pp_opening *o = r->impl;
	char *path;
	const struct pp_kept_file *kept = sibling_kept(o, base_name);
	struct companion *c;
	pp_status status;

	*sibling = NULL;
	memset(r->sibling_compression, 0, sizeof r->sibling_compression);
	if (!reader_has_sibling(r, base_name))
		return PP_E_IO;
	path = sibling_path(o, base_name);
	if (!path)
		return PP_E_NOMEM;
	c = calloc(1, sizeof *c);
	if (!c || !pp_io_init(&c->io, &o->io.limits, r->threads, r->diags)) {
		free(c);
		free(path);
		return PP_E_NOMEM;
	}
	c->io.map = o->io.map;
	c->opening = o;
	c->path = path;
	c->io.file = path;
	status = kept ? pp_input_memory(&c->io, kept->data, kept->size, sibling)
	              : pp_input_file(&c->io, path, sibling);
	if (status == PP_OK)
		status = peel(&c->io, path, sibling, r->sibling_compression,
		              PP_COUNT_OF(r->sibling_compression) - 1);
	pp_io_report(&c->io);
	if (status != PP_OK) {
		if (*sibling)
			(*sibling)->close(*sibling);
		*sibling = NULL;
		companion_free(c);
		return status;
	}
	c->close = (*sibling)->close;
	(*sibling)->close = companion_close;
	return PP_OK;
}

static bool
lost_more(struct pp_input *in, size_t need)
{
	(void)in;
	(void)need;
	return false;
}

static void
lost_close(struct pp_input *in)
{
	(void)in;
}

/* Readers may look at their input after a failure: give them one that has ended. */
static void
reader_lose_input(struct pp_reader *r, pp_status status)
{
	static const unsigned char nothing[PP_INPUT_PAD];
	struct pp_opening *o = r->impl;

	o->lost = (struct pp_input){ .cur = nothing,
		                     .end = nothing,
		                     .begin = nothing,
		                     .at_end = true,
		                     .stable = true,
		                     .status = status,
		                     .more = lost_more,
		                     .close = lost_close };
	o->file = NULL;
	r->in = &o->lost;
}

static pp_status
reader_push_zlib(struct pp_reader *r)
{
	struct pp_opening *o = r->impl;
	pp_status status = pp_input_decode(&o->io, PP_CONTAINER_ZLIB, r->in, &r->in);

	o->pushed = true;
	if (status != PP_OK)
		reader_lose_input(r, status);
	return status;
}

/* ---- files that recordings name ---- */

/* A file whose end says nothing of the profile. */
struct side_file {
	struct pp_io io;
	void (*close)(struct pp_input *);
};

static void
side_close(struct pp_input *in)
{
	struct side_file *f = (struct side_file *)in->io;

	f->close(in);
	pp_io_release(&f->io);
	free(f);
}

/* Whether a path leads to something below a directory, links followed. */
static bool
is_below(const char *path, const char *root)
{
	char real[PATH_MAX], top[PATH_MAX];
	size_t n;

	if (!realpath(path, real) || !realpath(root, top))
		return false;
	n = strlen(top);
	return strncmp(real, top, n) == 0 && (real[n] == '/' || (n > 0 && top[n - 1] == '/'));
}

static bool
reader_open_file(struct pp_reader *r, const char *path, const char *root, struct pp_input **in)
{
	struct pp_opening *o = r->impl;
	struct side_file *f;

	*in = NULL;
	if (!o->beyond || !regular_file(path) || (root && !is_below(path, root)))
		return false;
	f = calloc(1, sizeof *f);
	if (!f || !pp_io_init(&f->io, &o->io.limits, 1, NULL)) {
		free(f);
		return false;
	}
	f->io.map = o->io.map;
	if (pp_input_file(&f->io, path, in) != PP_OK) {
		pp_io_release(&f->io);
		free(f);
		return false;
	}
	f->close = (*in)->close;
	(*in)->close = side_close;
	return true;
}

static const char *
reader_home(struct pp_reader *r)
{
	struct pp_opening *o = r->impl;
	struct passwd row, *found = NULL;

	/* The text that it points to is in `home`. */
	if (!o->beyond || getpwuid_r(getuid(), &row, o->home, sizeof o->home, &found) != 0 ||
	    !found)
		return NULL;
	return row.pw_dir;
}

/* What the decoder had to say, but for the end that is missing. */
static pp_status
unzstd_verdict(const struct pp_io *io, const struct pp_input *in)
{
	return in->status == PP_E_INVALID && io->noted == 1 &&
	               io->findings[0].rule == PP_IO_ZSTD_TRUNCATED
	           ? PP_OK
	           : in->status;
}

static pp_status
reader_unzstd(struct pp_reader *r, struct pp_slice packed,
              bool (*take)(void *ctx, const unsigned char *, size_t n), void *ctx)
{
	struct pp_opening *o = r->impl;
	struct pp_input *in = NULL;
	bool more = true;
	struct pp_io io;
	pp_status status;

	if (!pp_io_init(&io, &o->io.limits, 1, NULL))
		return PP_E_NOMEM;
	status = pp_input_memory(&io, packed.p, packed.n, &in);
	if (status == PP_OK)
		status = pp_input_decode(&io, PP_CONTAINER_ZSTD, in, &in);
	if (status == PP_OK) {
		while (more && pp_input_need(in, 1)) {
			more = take(ctx, in->cur, pp_input_left(in));
			in->cur = in->end;
		}
		status = more ? unzstd_verdict(&io, in) : PP_OK;
		in->close(in);
	}
	pp_io_release(&io);
	return status;
}

static void
reader_run(struct pp_reader *r, unsigned n, void (*job)(void *ctx, unsigned index), void *ctx)
{
	pp_parallel_run(r->threads, n, job, ctx);
}

static bool
reader_progress(struct pp_reader *r)
{
	struct pp_opening *o = r->impl;
	uint64_t done = atomic_load_explicit(&o->io.file_read, memory_order_relaxed);

	if (!o->opts.progress)
		return false;
	if (r->in == o->file)
		done = pp_input_offset(r->in, r->in->cur);
	return o->opts.progress(o->opts.progress_ctx, done, o->io.file_size);
}

/* ---- recognition ---- */

static int
bid_order(const void *a, const void *b)
{
	const struct pp_bid *x = a, *y = b;

	if (x->bits != y->bits)
		return x->bits < y->bits ? 1 : -1;
	return strcmp(x->format->name, y->format->name);
}

/* True when the name has one of a format's extensions. */
static bool
name_fits(const char *name, const char *extensions)
{
	while (extensions && *extensions) {
		size_t n = strcspn(extensions, " ");
		char ext[32];

		if (n && n < sizeof ext) {
			memcpy(ext, extensions, n);
			ext[n] = '\0';
			if (pp_name_ends(name, ext))
				return true;
		}
		extensions += n;
		extensions += strspn(extensions, " ");
	}
	return false;
}

/* Chooses among the bids; a tie of the best is settled by the name or not at all. */
static void
choose(struct pp_opened *o, const char *name)
{
	const struct pp_format *by_name = NULL;
	size_t tied = 0, fitting = 0;

	if (o->bid_count == 0 || o->bids[0].bits <= 0)
		return;
	for (; tied < o->bid_count && o->bids[tied].bits == o->bids[0].bits; tied++) {
		if (name_fits(name, o->bids[tied].format->extensions)) {
			by_name = o->bids[tied].format;
			fitting++;
		}
	}
	if (tied == 1)
		o->format = o->bids[0].format;
	else if (fitting == 1)
		o->format = by_name;
	else
		o->ambiguous = true;
}

/* Asks all formats that read. */
static void
bids_take(struct pp_opened *o, const struct pp_opening *opening, struct pp_peek *peek)
{
	const struct pp_format *const *extra = opening->opts.formats;
	size_t i;

	o->bid_count = 0;
	for (i = 0; pp_formats[i] || (extra && *extra); i++) {
		const struct pp_format *f = pp_formats[i];

		if (!f) {
			f = *extra++;
			i--;
		}
		peek->format = f;
		if (f->can & PP_CAN_READ)
			o->bids[o->bid_count++] = (struct pp_bid){ f, f->bid ? f->bid(peek) : 0 };
	}
	qsort(o->bids, o->bid_count, sizeof *o->bids, bid_order);
}

/* Whether a JSON document begins. */
static bool
is_json(struct pp_slice head)
{
	size_t i = head.n >= 3 && memcmp(head.p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	while (i < head.n &&
	       (head.p[i] == ' ' || head.p[i] == '\t' || head.p[i] == '\n' || head.p[i] == '\r'))
		i++;
	return i < head.n && (head.p[i] == '{' || head.p[i] == '[');
}

/* What tells a JSON document may stand behind any amount of something else: it is looked at to its end, within limits. */
static pp_status
outline_take(struct pp_opened *o, const struct pp_opening *opening)
{
	struct pp_input *in = o->reader.in;
	size_t want, most = opening->opts.want == PP_META ? OUTLINED_BRIEFLY : OUTLINED_MOST;
	struct pp_peek peek = { .name = opening->name, .outlined = true };
	enum pp_outline found = PP_OUTLINE_CUT;
	struct pp_buf outline = { 0 };
	bool failed;

	for (want = PEEK_BYTES; found == PP_OUTLINE_CUT && want <= most; want *= 4) {
		bool more = pp_input_need(in, want);

		if (!more && in->status != PP_OK && in->status != PP_E_INVALID)
			break;
		outline.n = 0;
		found = pp_json_outline(pp_slice_of(in->cur, pp_input_left(in)), &outline);
		if (!more)
			break;
	}
	peek.whole = found == PP_OUTLINE_WHOLE && in->at_end;
	peek.head.n = outline.n;
	if (pp_buf_room(&outline, PP_SCAN_PAD))
		memset(outline.p + outline.n, 0, PP_SCAN_PAD);
	peek.head.p = (const unsigned char *)outline.p;
	failed = outline.failed;
	if (!failed)
		bids_take(o, opening, &peek);
	pp_buf_release(&outline);
	if (in->status != PP_OK && in->status != PP_E_INVALID)
		return in->status;
	return failed ? PP_E_NOMEM : PP_OK;
}

static pp_status
recognise(struct pp_opened *o, struct pp_opening *opening)
{
	struct pp_input *in = o->reader.in;
	bool full = pp_input_need(in, PEEK_BYTES);
	size_t n = full ? PEEK_BYTES : pp_input_left(in);
	struct pp_peek peek = { .head = { in->cur, n },
		                .whole = in->at_end && pp_input_left(in) == n,
		                .name = opening->name };
	const struct pp_format *const *extra = opening->opts.formats;
	size_t count = pp_format_count();
	bool settled = opening->from.settled && opening->opts.from;
	pp_status status = PP_OK;

	if (!full && in->status != PP_OK && in->status != PP_E_INVALID)
		return in->status;
	while (extra && *extra++)
		count++;
	o->bids = calloc(count ? count : 1, sizeof *o->bids);
	if (!o->bids)
		return PP_E_NOMEM;
	if (!settled)
		bids_take(o, opening, &peek);
	if (!opening->opts.from && o->bids[0].bits <= 0 && is_json(peek.head))
		status = outline_take(o, opening);
	if (status != PP_OK)
		return status;
	/* Looking further may have moved the window. */
	peek.head.p = in->cur;
	if (opening->opts.from)
		o->format = pp_format_among(opening->opts.formats, opening->opts.from);
	else
		choose(o, opening->name);
	o->reader.format = o->format;
	if (!settled)
		pp_usable_peek(o, &peek);
	if (!o->format) {
		opening->foreign = pp_container_foreign(peek.head);
		opening->stranger = pp_stranger_find(&peek);
		opening->unpacked_nothing = n == 0 && in->status != PP_OK;
	}
	return PP_OK;
}

/* ---- opening ---- */

pp_status
pp_opening_memory(struct pp_opening *o, pp_status status)
{
	if (status != PP_E_NOMEM || !pp_account_exceeded())
		return status;
	pp_io_note(&o->io, PP_IO_LIMIT_REACHED, PP_NO_OFFSET,
	           "the limit is reached: it needs more than %llu bytes of memory",
	           (unsigned long long)pp_account_current()->limit);
	return PP_E_LIMIT;
}

static struct pp_opening *
opening_new(const char *path, const struct pp_read_opts *opts, struct pp_diags *diags)
{
	struct pp_opening *o = calloc(1, sizeof *o);
	unsigned threads;

	if (!o)
		return NULL;
	if (opts)
		o->opts = *opts;
	threads = o->opts.threads ? o->opts.threads : pp_processors();
	pp_diags_init(&o->own_diags);
	o->path = strdup(path);
	o->name = bare_name(path);
	if (!pp_io_init(&o->io, o->opts.limits, threads, diags ? diags : &o->own_diags)) {
		free(o->path);
		free(o->name);
		free(o);
		return NULL;
	}
	o->io.map = o->opts.map;
	o->errors = pp_diags_total(o->io.diags, PP_ERROR);
	return o;
}

static void
reader_init(struct pp_reader *r, struct pp_opening *o)
{
	unsigned asked = o->opts.want & (unsigned)(PP_FACETS | PP_META | PP_EXTRAS);
	unsigned want = PP_GAINS | PP_GAINS_ALL |
	                (asked ? asked : PP_TREE | PP_EDGES | PP_LINES | PP_META);

	o->order = (struct pp_order){ .facets = want };
	*r = (struct pp_reader){
		.path = o->path,
		.forced = o->opts.from != NULL,
		.variant = o->opts.variant,
		.order = &o->order,
		.threads = o->io.threads,
		.limits = o->io.limits,
		.diags = o->io.diags,
		.seed = pp_random_seed(),
		.options = o->opts.options,
		.open_sibling = reader_open_sibling,
		.has_sibling = reader_has_sibling,
		.push_zlib = reader_push_zlib,
		.unzstd = reader_unzstd,
		.open_file = reader_open_file,
		.home = reader_home,
		.run = reader_run,
		.progress = reader_progress,
		.impl = o,
	};
}

/* A directory that is a recording holds its first file as `data`: that is opened. PP_E_NOMEM. */
static pp_status
enter_recording(struct pp_opening *o)
{
	size_t n = strlen(o->path);
	struct stat st;
	char *data;

	if (stat(o->path, &st) != 0 || !S_ISDIR(st.st_mode))
		return PP_OK;
	data = malloc(n + sizeof "/data");
	if (!data)
		return PP_E_NOMEM;
	memcpy(data, o->path, n);
	memcpy(data + n, "/data", sizeof "/data");
	if (!regular_file(data)) {
		free(data);
		return PP_OK;
	}
	free(o->path);
	o->path = data;
	return PP_OK;
}

static pp_status
open_stack(struct pp_opened *o, struct pp_opening *opening, const struct pp_from *from)
{
	struct pp_reader *r = &o->reader;
	pp_status status = opening->beside && !from->data ? enter_recording(opening) : PP_OK;

	if (status != PP_OK)
		return status;
	r->path = opening->path;
	if (from->peek)
		opening->io.block = PEEK_BYTES;
	if (from->read)
		status = pp_input_callback(&opening->io, from->read, from->ctx, &r->in);
	else if (from->data)
		status = pp_input_memory(&opening->io, from->data, from->size, &r->in);
	else
		status = pp_input_file(&opening->io, opening->path, &r->in);
	if (status != PP_OK)
		return status;
	opening->file = r->in;
	o->file_size = opening->io.file_size;
	status = peel(&opening->io, opening->path, &r->in, o->compression,
	              PP_COUNT_OF(o->compression) - 1);
	if (status == PP_OK)
		status = recognise(o, opening);
	o->input = r->in;
	return status;
}

pp_status
pp_open(struct pp_opened *o, const char *path, const void *data, size_t size,
        const struct pp_read_opts *opts, struct pp_diags *diags)
{
	struct pp_from from = { .data = data, .size = size };

	return pp_open_from(o, path, &from, opts, diags);
}

pp_status
pp_open_from(struct pp_opened *o, const char *path, const struct pp_from *bytes,
             const struct pp_read_opts *opts, struct pp_diags *diags)
{
	const struct pp_format *from = opts && opts->from
	                                   ? pp_format_among(opts->formats, opts->from)
	                                   : NULL;
	struct pp_opening *opening;
	pp_status status;
	bool is_file;

	*o = (struct pp_opened){ 0 };
	if (!path || (opts && opts->from && !(from && from->can & PP_CAN_READ)))
		return PP_E_USAGE;
	opening = opening_new(path, opts, diags);
	if (!opening)
		return PP_E_NOMEM;
	opening->from = *bytes;
	is_file = (!bytes->data && !bytes->read) || bytes->companion;
	opening->beyond = is_file && !opening->opts.confined;
	opening->beside = is_file && strcmp(path, "-") != 0;
	pp_diags_set_file(opening->io.diags, path);
	reader_init(&o->reader, opening);
	o->order = &opening->order;
	status = opening->path && opening->name ? open_stack(o, opening, bytes) : PP_E_NOMEM;
	status = pp_opening_memory(opening, status);
	pp_io_report(&opening->io);
	if (status != PP_OK)
		pp_opened_close(o);
	return status;
}

void
pp_opened_close(struct pp_opened *o)
{
	struct pp_opening *opening = o->reader.impl;

	if (o->reader.in)
		o->reader.in->close(o->reader.in);
	if (opening) {
		pp_diags_release(&opening->own_diags);
		pp_io_release(&opening->io);
		free(opening->path);
		free(opening->name);
		free(opening);
	}
	free(o->bids);
	*o = (struct pp_opened){ 0 };
}
