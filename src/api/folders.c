/*
 * Profiles in directories, by what they tell of themselves.
 *
 * Files are opened side by side, but only their first bytes and their metadata are read. Files that
 * another one claims as its companion (the body of an SPX report) are not rows of their own; since
 * companions are mostly compressed, those are opened last, so most need not be opened at all.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "api/reply.h"
#include "io/system.h"

/* Directories in directories are looked into up to here. */
#define DEPTH_MOST 64
/* Under a budget, unless told otherwise. */
#define DEPTH_EXCERPT 2

/* One file; a profile when `format` is set. */
struct row {
	char *path;
	const char *base; /* in path */
	const char *name; /* in path: from the directory on that was named */
	uint64_t size;
	int64_t modified;
	bool packed;    /* named like a compressed file */
	bool companion; /* belongs to another row */
	const struct pp_format *format;
	struct pp_brief brief;
};

struct pp_folders {
	const struct pp_reply *reply;
	PP_VEC(struct row) rows;
	bool recursive;
	unsigned deepest; /* directories in directories */
	bool no_links;
	bool packed; /* the jobs look at packed files now */
	bool no_memory;
};

/* ---- files ---- */

/* When a file changed last, or came to its name. */
static bool
has_changed(const struct pp_ask_opts *opts, const struct stat *st)
{
	int64_t when = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;

	return !opts->changed_to || (when >= opts->changed_from && when < opts->changed_to);
}

/* A file by its path, which is taken over; `named` of it is the directory that was asked about. */
static bool
row_add(struct pp_folders *l, struct pp_buf *path, size_t named, const struct stat *st)
{
	struct row row = { .path = path->p, .name = path->p + named };
	size_t n;

	if (st->st_size == 0 || !has_changed(&l->reply->opts, st)) {
		pp_buf_release(path);
		return true;
	}
	row.base = strrchr(path->p, '/') ? strrchr(path->p, '/') + 1 : path->p;
	row.size = (uint64_t)st->st_size;
	row.modified = (int64_t)st->st_mtime;
	n = strlen(row.base);
	row.packed = (n > 3 && strcmp(row.base + n - 3, ".gz") == 0) ||
	             (n > 4 && strcmp(row.base + n - 4, ".zst") == 0);
	if (pp_vec_push(&l->rows, row))
		return true;
	pp_buf_release(path);
	return false;
}

static void directory_add(struct pp_folders *, DIR *, const char *path, size_t named,
                          unsigned depth);

/* What stands in a directory; directories in it only if they are wanted and no links. */
static void
entry_add(struct pp_folders *l, const char *directory, const char *name, size_t named,
          unsigned depth)
{
	struct pp_buf path = { 0 };
	struct stat st, link;
	size_t n = strlen(directory);
	DIR *inner;

	pp_buf_addf(&path, "%s%s%s", directory, n && directory[n - 1] == '/' ? "" : "/", name);
	if (path.failed) {
		l->no_memory = true;
	} else if (stat(path.p, &st) != 0 ||
	           (l->no_links && (lstat(path.p, &link) != 0 || S_ISLNK(link.st_mode)))) {
		pp_buf_release(&path);
	} else if (S_ISREG(st.st_mode)) {
		l->no_memory |= !row_add(l, &path, named ? named : n + (path.p[n] == '/'), &st);
		return;
	} else if (l->recursive && S_ISDIR(st.st_mode) && depth < l->deepest &&
	           lstat(path.p, &link) == 0 && !S_ISLNK(link.st_mode) &&
	           (inner = opendir(path.p)) != NULL) {
		directory_add(l, inner, path.p, named ? named : n + (path.p[n] == '/'), depth + 1);
	}
	pp_buf_release(&path);
}

static void
directory_add(struct pp_folders *l, DIR *directory, const char *path, size_t named, unsigned depth)
{
	const struct dirent *entry;

	while ((entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.')
			entry_add(l, path, entry->d_name, named, depth);
	closedir(directory);
}

/* All files of a directory, or the file itself. PP_OK, or a status with the reason said. */
static pp_status
rows_of(struct pp_folders *l, const char *path, struct pp_answer *a)
{
	DIR *directory = opendir(path);
	struct pp_buf copy = { 0 };
	struct stat st;
	int error = errno;

	if (directory) {
		directory_add(l, directory, path, 0, 0);
		return PP_OK;
	}
	if (error != ENOTDIR)
		return pp_answer_fail(a, PP_E_IO, "no-directory", "%s: %s", path, strerror(error));
	pp_buf_adds(&copy, path);
	if (!copy.failed && stat(path, &st) == 0 && S_ISREG(st.st_mode))
		l->no_memory |= !row_add(l, &copy, 0, &st);
	else
		pp_buf_release(&copy);
	l->no_memory |= copy.failed;
	return PP_OK;
}

/* ---- looking into them ---- */

static bool
belongs_to_store(const struct pp_folders *l, const char *path)
{
	const struct pp_provider *provider = l->reply->opts.provider;
	size_t n = strlen(path);

	return provider && (provider->mine(path) || (n > 4 && (strcmp(path + n - 4, "-wal") == 0 ||
	                                                       strcmp(path + n - 4, "-shm") == 0)));
}

static void
row_look(void *ctx, unsigned index)
{
	struct pp_folders *l = ctx;
	struct row *row = &l->rows.at[index];
	struct pp_read_opts opts = { .want = PP_META,
		                     .threads = 1,
		                     .formats = l->reply->opts.formats,
		                     .map = l->reply->opts.map };
	struct pp_diags diags;
	struct pp_opened opened;

	/* Who opens the file of a store beside an open one loses its locks. */
	if (row->packed != l->packed || row->companion || belongs_to_store(l, row->path))
		return;
	pp_diags_init(&diags);
	if (pp_open(&opened, row->path, NULL, 0, &opts, &diags) == PP_OK) {
		row->format = opened.format;
		if (opened.format && opened.format->describe &&
		    opened.format->describe(&opened.reader, &row->brief) != PP_OK)
			row->format = NULL;
		pp_opened_close(&opened);
	}
	pp_diags_release(&diags);
}

static int
row_order_path(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->path, ((const struct row *)b)->path);
}

/* Marks the companions of those looked at so far; rows are sorted by path. */
static void
rows_pair(struct pp_folders *l)
{
	size_t i;

	for (i = 0; i < l->rows.n; i++) {
		struct row *row = &l->rows.at[i], *other;
		struct pp_buf path = { 0 };
		struct row key;
		struct stat st;

		if (!row->format || row->brief.companion.n == 0 || row->companion)
			continue;
		pp_buf_add(&path, row->path, (size_t)(row->base - row->path));
		pp_buf_add(&path, row->brief.companion.p, row->brief.companion.n);
		key.path = path.p;
		other = path.failed
		            ? NULL
		            : bsearch(&key, l->rows.at, l->rows.n, sizeof key, row_order_path);
		if (other && other != row && !other->companion) {
			other->companion = true;
			row->size += other->size;
		} else if (!other && !path.failed && stat(path.p, &st) == 0) {
			row->size += (uint64_t)st.st_size;
		}
		row->brief.companion.n = 0; /* found */
		pp_buf_release(&path);
	}
}

static void
rows_look(struct pp_folders *l)
{
	uint64_t jobs = l->reply->asking.params->reading.jobs;
	unsigned threads = jobs == 0 || jobs == PP_UNSET ? pp_processors()
	                   : jobs > 64                   ? 64
	                                                 : (unsigned)jobs;

	if (l->rows.n)
		qsort(l->rows.at, l->rows.n, sizeof *l->rows.at, row_order_path);
	for (l->packed = false;; l->packed = true) {
		pp_parallel_run(threads, (unsigned)l->rows.n, row_look, l);
		rows_pair(l);
		if (l->packed)
			break;
	}
}

/* ---- the subject ---- */

pp_status
pp_folders_look(struct pp_reply *r, const char *const *paths, size_t n, bool recursive)
{
	struct pp_answer *a = &r->asking.answer;
	struct pp_folders *l = r->folders = calloc(1, sizeof *l);
	struct pp_listed *listed = NULL;
	pp_status status = PP_OK;
	size_t i;

	if (!l)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	l->reply = r;
	l->recursive = recursive;
	l->no_links = r->opts.confined;
	l->deepest = pp_excerpt_asked(&r->asking) && !pp_asking_flag(&r->asking, "recursive")
	                 ? DEPTH_EXCERPT
	                 : DEPTH_MOST;
	for (i = 0; i < n && status == PP_OK; i++)
		status = rows_of(l, paths[i], a);
	if (status != PP_OK)
		return status;
	rows_look(l);
	if (!l->no_memory && l->rows.n <= UINT32_MAX)
		listed = pp_answer_alloc(a, (l->rows.n + 1) * sizeof *listed);
	if (!listed)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	r->subject.listed = listed;
	for (i = 0; i < l->rows.n; i++) {
		const struct row *row = &l->rows.at[i];

		if (row->format && !row->companion)
			listed[r->subject.listed_count++] = (struct pp_listed){
				row->path, row->base,
				/* Of several directories the names may be the same. */
				n == 1 ? row->name : row->path, row->size, row->format, &row->brief,
				row->brief.recorded_at ? row->brief.recorded_at : row->modified
			};
	}
	return PP_OK;
}

void
pp_folders_free(struct pp_folders *l)
{
	size_t i;

	for (i = 0; l && i < l->rows.n; i++) {
		free(l->rows.at[i].path);
		pp_buf_release(&l->rows.at[i].brief.what);
		pp_buf_release(&l->rows.at[i].brief.host);
		pp_buf_release(&l->rows.at[i].brief.companion);
		pp_buf_release(&l->rows.at[i].brief.metric);
	}
	if (l)
		pp_vec_release(&l->rows);
	free(l);
}

/* ---- dates ---- */

/* "30m", "2h", "7d" as seconds. */
static bool
parse_age(const char *text, double *age)
{
	static const char units[] = "smhdw";
	static const double factors[] = { 1, 60, 3600, 86400, 7 * 86400 };
	const char *unit;
	char *end;

	*age = strtod(text, &end);
	unit = end != text && *end && !end[1] ? strchr(units, *end) : NULL;
	if (!unit || !(*age >= 0))
		return false;
	*age *= factors[unit - units];
	return *age < 9e18;
}

bool
pp_date_parse(const char *text, int64_t *when)
{
	struct tm tm = { .tm_isdst = -1 };
	double age;
	char *end;

	if (parse_age(text, &age)) {
		*when = (int64_t)time(NULL) - (int64_t)age;
		return true;
	}
	end = strptime(text, "%Y-%m-%d", &tm);
	if (end && (*end == 'T' || *end == ' ')) {
		const char *clock = strptime(end + 1, "%H:%M:%S", &tm);

		end = (char *)(clock ? clock : strptime(end + 1, "%H:%M", &tm));
	}
	if (end && *end == '\0') {
		*when = (int64_t)mktime(&tm);
		return true;
	}
	*when = strtoll(text, &end, 10);
	return end != text && *end == '\0';
}

void
pp_date_print(int64_t when, struct pp_buf *out)
{
	time_t seconds = (time_t)when;
	struct tm tm;
	char text[64];

	if (localtime_r(&seconds, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
		pp_buf_adds(out, text);
}
