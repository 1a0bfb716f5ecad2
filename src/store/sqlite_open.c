/*
 * The file of a store: recognised, made, opened, closed; and SQL in few words.
 *
 * Locks of files belong to the process: closing any descriptor of a store's file, or of those beside it, loses the locks of
 * all connections that this process has to it. So files that are open are known by device and number, and no one looks
 * into them otherwise.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite_open.h"

/* How long others are waited for: a minute. */
#define BUSY_STEP_MS 50
#define BUSY_TIMES 1200
#define HEAD_BYTES 100

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
struct open_file {
	uint64_t device, inode;
	size_t times;
};
static PP_VEC(struct open_file) open_files;

/* ---- files that are open ---- */

static struct open_file *
open_find(uint64_t device, uint64_t inode)
{
	size_t i;

	for (i = 0; i < open_files.n; i++)
		if (open_files.at[i].device == device && open_files.at[i].inode == inode &&
		    open_files.at[i].times)
			return &open_files.at[i];
	return NULL;
}

static bool
open_note(uint64_t device, uint64_t inode)
{
	struct open_file *f = open_find(device, inode);
	size_t i;

	if (f) {
		f->times++;
		return true;
	}
	for (i = 0; i < open_files.n; i++)
		if (!open_files.at[i].times) {
			open_files.at[i] = (struct open_file){ device, inode, 1 };
			return true;
		}
	return pp_vec_push(&open_files, (struct open_file){ device, inode, 1 });
}

static void
open_forget(uint64_t device, uint64_t inode)
{
	struct open_file *f = open_find(device, inode);

	if (f)
		f->times--;
}

static const char *
path_of(const char *source)
{
	return strncmp(source, "sqlite:", 7) == 0 ? source + 7 : source;
}

/* Whether the file that `st` is about is a store by its first bytes. */
static bool
head_fits(const char *path)
{
	unsigned char head[HEAD_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool fits = fd >= 0 && read(fd, head, sizeof head) == (ptrdiff_t)sizeof head &&
	            memcmp(head, "SQLite format 3", 16) == 0 && memcmp(head + 68, "ppsf", 4) == 0;

	if (fd >= 0)
		close(fd);
	return fits;
}

bool
pp_sqlite_mine(const char *source)
{
	const char *path = path_of(source);
	struct stat st;
	bool mine;

	if (path != source)
		return true;
	if (strstr(source, "://") || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	(void)pthread_mutex_lock(&open_lock);
	mine = open_find((uint64_t)st.st_dev, (uint64_t)st.st_ino) || head_fits(path);
	(void)pthread_mutex_unlock(&open_lock);
	return mine;
}

/* ---- SQL ---- */

pp_status
pp_sqlite_failed(struct pp_sqlite *s, struct pp_buf *problem)
{
	int code = s->db ? sqlite3_errcode(s->db) & 255 : SQLITE_NOMEM;
	const char *why = s->db ? sqlite3_errmsg(s->db) : "out of memory";
	/* "disk I/O error" says less than the system does: no space, for example. */
	int reason = code == SQLITE_IOERR ? sqlite3_system_errno(s->db) : 0;

	if (code == SQLITE_NOMEM)
		return PP_E_NOMEM;
	pp_buf_addf(problem, "%s: %s%s%s%s", s->path,
	            code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? "the store is damaged: " : "",
	            why, reason ? ": " : "", reason ? strerror(reason) : "");
	switch (code) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_SCHEMA:
	case SQLITE_ERROR: /* a table or a column that is not as it was made */
	case SQLITE_MISMATCH:
	case SQLITE_CONSTRAINT:
		return PP_E_INVALID;
	default:
		return s->reading ? PP_E_IO : PP_E_OUTPUT;
	}
}

sqlite3_stmt *
pp_sqlite_statement(struct pp_sqlite *s, const char *sql, struct pp_buf *problem)
{
	sqlite3_stmt *statement = NULL;
	size_t i;

	for (i = 0; i < s->made.n; i++)
		if (strcmp(sqlite3_sql(s->made.at[i]), sql) == 0) {
			(void)sqlite3_reset(s->made.at[i]);
			(void)sqlite3_clear_bindings(s->made.at[i]);
			return s->made.at[i];
		}
	if (sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) !=
	    SQLITE_OK) {
		(void)pp_sqlite_failed(s, problem);
		return NULL;
	}
	if (!pp_vec_push(&s->made, statement)) {
		(void)sqlite3_finalize(statement);
		return NULL;
	}
	return statement;
}

int
pp_sqlite_step(struct pp_sqlite *s, sqlite3_stmt *statement, pp_status *status,
               struct pp_buf *problem)
{
	int code = sqlite3_step(statement);

	if (code == SQLITE_ROW)
		return 1;
	if (code != SQLITE_DONE)
		*status = pp_sqlite_failed(s, problem);
	(void)sqlite3_reset(statement);
	return code == SQLITE_DONE ? 0 : -1;
}

pp_status
pp_sqlite_run(struct pp_sqlite *s, const char *sql, struct pp_buf *problem)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK
	           ? PP_OK
	           : pp_sqlite_failed(s, problem);
}

pp_status
pp_sqlite_number(struct pp_sqlite *s, const char *sql, int64_t *number, struct pp_buf *problem)
{
	sqlite3_stmt *statement = NULL;
	pp_status status = PP_OK;

	*number = 0;
	if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) != SQLITE_OK)
		return pp_sqlite_failed(s, problem);
	if (pp_sqlite_step(s, statement, &status, problem) > 0)
		*number = sqlite3_column_int64(statement, 0);
	(void)sqlite3_finalize(statement);
	return status;
}

pp_status
pp_sqlite_begin(struct pp_sqlite *s, struct pp_buf *problem)
{
	pp_status status;

	/* What was read before may be old. */
	if (!sqlite3_get_autocommit(s->db))
		(void)sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	status = pp_sqlite_run(s, "BEGIN IMMEDIATE", problem);
	s->writing = status == PP_OK;
	return status;
}

/* Whether the file that is open is still the one of that name: what is written into another is lost. */
static bool
file_stays(const struct pp_sqlite *s)
{
	struct stat st;

	return !s->inode || (stat(s->path, &st) == 0 && (uint64_t)st.st_dev == s->device &&
	                     (uint64_t)st.st_ino == s->inode);
}

pp_status
pp_sqlite_end(struct pp_sqlite *s, pp_status status, struct pp_buf *problem)
{
	if (status == PP_OK && !file_stays(s)) {
		pp_buf_addf(problem, "%s was moved, removed or replaced while it was open",
		            s->path);
		status = PP_E_OUTPUT;
	}
	if (status == PP_OK)
		status = pp_sqlite_run(s, "COMMIT", problem);
	if (status != PP_OK && !sqlite3_get_autocommit(s->db))
		(void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	s->writing = false;
	return status;
}

/* ---- making one ---- */

const char pp_sqlite_schema[] =
    "CREATE TABLE series(id INTEGER PRIMARY KEY, labels TEXT NOT NULL UNIQUE, seal INT NOT NULL);\n"
    "CREATE TABLE series_label(key TEXT, value TEXT, series INT, PRIMARY KEY(key, value, series)) "
    "WITHOUT ROWID;\n"
    "CREATE TABLE metric(id INTEGER PRIMARY KEY, def TEXT NOT NULL UNIQUE, seal INT NOT NULL);\n"
    "CREATE TABLE sub(id INTEGER PRIMARY KEY, def TEXT NOT NULL UNIQUE, seal INT NOT NULL);\n"
    "CREATE TABLE profile(id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, series INT NOT NULL, "
    "t0 INT, t1 INT, dict INT NOT NULL, level INT NOT NULL, complete INT NOT NULL, format TEXT, "
    "source TEXT, meta BLOB, seal INT NOT NULL);\n"
    "CREATE INDEX profile_time ON profile(series, t0);\n"
    "CREATE TABLE cells(profile INT, facet INT, metric INT, sub INT, n INT NOT NULL, total TEXT NOT "
    "NULL, seal INT NOT NULL, data BLOB NOT NULL, PRIMARY KEY(profile, facet, metric, sub));\n"
    "CREATE TABLE dict(dict INT, part TEXT, chunk INT, n INT NOT NULL, seal INT NOT NULL, data BLOB "
    "NOT NULL, PRIMARY KEY(dict, part, chunk));\n"
    "CREATE TABLE original(profile INTEGER PRIMARY KEY, name TEXT, keep INT NOT NULL, data BLOB);\n";

/*
 * Makes the tables, all or none. They are written before the journal becomes one that others may still have to read, so
 * the first bytes of the file tell what it is from then on.
 */
static pp_status
tables_make(struct pp_sqlite *s, struct pp_buf *problem)
{
	int64_t tables = 0;
	pp_status status = pp_sqlite_run(
	    s,
	    "PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = FULL",
	    problem);

	if (status == PP_OK)
		status = pp_sqlite_begin(s, problem);
	if (status != PP_OK)
		return status;
	/* Somebody else may have been faster. */
	status = pp_sqlite_number(s, "SELECT count(*) FROM sqlite_master", &tables, problem);
	if (status == PP_OK && tables == 0)
		status = pp_sqlite_run(s, pp_sqlite_schema, problem);
	if (status == PP_OK && tables == 0)
		status = pp_sqlite_run(s, pp_sqlite_packed_schema, problem);
	if (status == PP_OK && tables == 0)
		status = pp_sqlite_run(
		    s, "PRAGMA application_id = 0x70707366; PRAGMA user_version = 1", problem);
	return pp_sqlite_end(s, status, problem);
}

/* Whether the tables of a text are there as they are made. What else is there is never looked at. */
static pp_status
tables_judge(struct pp_sqlite *s, const char *schema, struct pp_buf *problem)
{
	sqlite3_stmt *q = NULL;
	pp_status status = PP_OK;
	const char *end;

	if (sqlite3_prepare_v2(s->db, "SELECT 1 FROM sqlite_master WHERE sql = ?1", -1, &q, NULL) !=
	    SQLITE_OK)
		return pp_sqlite_failed(s, problem);
	for (; status == PP_OK && (end = strstr(schema, ";\n")); schema = end + 2) {
		int row;

		(void)sqlite3_bind_text(q, 1, schema, (int)(end - schema), SQLITE_STATIC);
		row = pp_sqlite_step(s, q, &status, problem);
		(void)sqlite3_reset(q);
		if (row != 0)
			continue;
		pp_buf_addf(
		    problem,
		    "%s has other tables than a store: it was made by something else, or by "
		    "polyprof before its first release",
		    s->path);
		status = PP_E_INVALID;
	}
	(void)sqlite3_finalize(q);
	return status;
}

/* Whether it is a store that this program understands: PP_OK; *empty when there is nothing in it yet. */
static pp_status
store_judge(struct pp_sqlite *s, bool *empty, struct pp_buf *problem)
{
	int64_t magic = 0, version = 0, tables = 0;
	pp_status status = pp_sqlite_number(s, "PRAGMA application_id", &magic, problem);

	if (status == PP_OK)
		status = pp_sqlite_number(s, "PRAGMA user_version", &version, problem);
	if (status == PP_OK)
		status = pp_sqlite_number(s, "SELECT count(*) FROM sqlite_master", &tables,
		                          problem);
	if (status != PP_OK)
		return status;
	*empty = tables == 0 && (magic == 0 || magic == PP_STORE_MAGIC) &&
	         version <= PP_STORE_VERSION;
	if (!*empty && magic != PP_STORE_MAGIC) {
		pp_buf_addf(problem, "%s is not a polyprof store", s->path);
		return PP_E_INVALID;
	}
	if (!*empty && version > PP_STORE_VERSION) {
		pp_buf_addf(problem, "%s was made by a newer polyprof (version %lld of stores)",
		            s->path, (long long)version);
		return PP_E_INVALID;
	}
	if (!*empty)
		status = tables_judge(s, pp_sqlite_schema, problem);
	return *empty || status != PP_OK ? status
	                                 : tables_judge(s, pp_sqlite_packed_schema, problem);
}

/* Waits for whoever has the store, as sqlite3_busy_timeout() does, but no longer than it is of use. */
static int
busy_wait(void *data, int times)
{
	(void)data;
	if (times >= BUSY_TIMES || pp_account_stops())
		return 0;
	(void)sqlite3_sleep(times < 10 ? times + 1 : BUSY_STEP_MS);
	return 1;
}

/* What is foreign must not be asked to run anything. */
static void
connection_guard(struct pp_sqlite *s)
{
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	(void)sqlite3_busy_handler(s->db, busy_wait, NULL);
	(void)sqlite3_exec(s->db, "PRAGMA cell_size_check = ON; PRAGMA synchronous = FULL", NULL,
	                   NULL, NULL);
}

/* ---- opening one ---- */

/* Whether there is a file of that ending beside the store; and whether there is something in it. */
static bool
has_beside(const struct pp_sqlite *s, const char *ending, bool content)
{
	struct pp_buf path = { 0 };
	struct stat st;
	bool there;

	pp_buf_addf(&path, "%s%s", s->path, ending);
	there = path.failed || (stat(path.p, &st) == 0 && (!content || st.st_size > 0));
	pp_buf_release(&path);
	return there;
}

static struct pp_file_state
file_state(const struct pp_sqlite *s)
{
	struct stat st;

	if (stat(s->path, &st) != 0)
		return (struct pp_file_state){ 0 };
	return (struct pp_file_state){ true, (int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec,
		                       (int64_t)st.st_mtim.tv_nsec };
}

static bool
states_equal(struct pp_file_state a, struct pp_file_state b)
{
	return a.there == b.there && a.size == b.size && a.seconds == b.seconds &&
	       a.nanoseconds == b.nanoseconds;
}

/*
 * Opens the file as one that nobody changes: nothing is locked, and nothing is made beside it. So it is to be looked after
 * whether it stayed what it was.
 */
static int
alone_open(struct pp_sqlite *s)
{
	struct pp_buf uri = { 0 };
	const unsigned char *c;
	int code = SQLITE_NOMEM;

	pp_buf_adds(&uri, "file:");
	for (c = (const unsigned char *)s->path; *c; c++)
		pp_buf_addf(&uri, "%%%02X", *c);
	pp_buf_adds(&uri, "?immutable=1");
	s->alone = file_state(s);
	if (!uri.failed)
		code = sqlite3_open_v2(uri.p, &s->db,
		                       SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
		                       NULL);
	pp_buf_release(&uri);
	return code;
}

static void
connection_end(struct pp_sqlite *s)
{
	(void)sqlite3_close(s->db);
	s->db = NULL;
	s->alone = (struct pp_file_state){ 0 };
}

pp_status
pp_sqlite_settled(struct pp_sqlite *s, pp_status status, struct pp_buf *problem)
{
	if (!s->alone.there || status == PP_E_NOMEM || states_equal(s->alone, file_state(s)))
		return status;
	problem->n = 0;
	pp_buf_addf(problem, "%s was changed while it was read: ask again", s->path);
	return PP_E_IO;
}

/* Opens the file. Where there is no room beside it, for this connection alone, which then needs none. */
static int
file_open(struct pp_sqlite *s, int flags)
{
	int code = sqlite3_open_v2(s->path, &s->db, flags, NULL), first = SQLITE_OK;

	if (code == SQLITE_OK && s->reading)
		first = sqlite3_exec(s->db, "SELECT 1 FROM sqlite_master", NULL, NULL, NULL) & 255;
	if (first == SQLITE_IOERR || first == SQLITE_FULL) {
		connection_end(s);
		code = sqlite3_open_v2(s->path, &s->db, flags, NULL);
		if (code == SQLITE_OK)
			(void)sqlite3_exec(s->db, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL,
			                   NULL);
	} else if ((first == SQLITE_CANTOPEN || first == SQLITE_READONLY) &&
	           !has_beside(s, "-wal", true) && !has_beside(s, "-journal", true)) {
		connection_end(s);
		code = alone_open(s);
	}
	return code;
}

/* Whether who reads may write the file and beside it. */
static bool
may_write(const struct pp_sqlite *s)
{
	const char *slash = strrchr(s->path, '/');
	struct pp_buf folder = { 0 };
	bool may;

	pp_buf_add(&folder, s->path, slash ? (size_t)(slash - s->path) + 1 : 0);
	pp_buf_adds(&folder, ".");
	may = !folder.failed && access(s->path, W_OK) == 0 && access(folder.p, W_OK) == 0;
	pp_buf_release(&folder);
	return may;
}

/*
 * Opens the file for who reads. Who may write tidies up as the last one to close it; who may not leaves nothing behind that those
 * who may could not write.
 */
static pp_status
reader_open(struct pp_sqlite *s, struct pp_buf *problem)
{
	bool wal = has_beside(s, "-wal", false), journal = has_beside(s, "-journal", false);
	bool writes = may_write(s);
	int code;

	if (writes || journal || (wal && has_beside(s, "-shm", false))) {
		code = file_open(s,
		                 SQLITE_OPEN_NOMUTEX | (writes && !journal ? SQLITE_OPEN_READWRITE
		                                                           : SQLITE_OPEN_READONLY));
	} else if (has_beside(s, "-wal", true)) {
		pp_buf_addf(problem,
		            "%s was left open, and what was added last is beside it: somebody who "
		            "may write it has to ask it once",
		            s->path);
		return PP_E_IO;
	} else {
		code = alone_open(s);
	}
	return code == SQLITE_OK ? PP_OK : pp_sqlite_failed(s, problem);
}

/* Whether there is a file for what is wanted; a status with the reason. */
static pp_status
file_judge(const struct pp_sqlite *s, enum pp_store_mode mode, struct pp_buf *problem)
{
	bool makes = mode == PP_STORE_ADD || mode == PP_STORE_CREATE;
	unsigned char head[16] = { 0 };
	struct stat st;
	bool foreign;
	int fd;

	if (stat(s->path, &st) != 0) {
		if (errno == ENOENT && makes)
			return PP_OK;
		pp_buf_addf(problem, "%s: %s", s->path, strerror(errno));
		return PP_E_IO;
	}
	if (S_ISREG(st.st_mode) && st.st_size == 0 && makes)
		return PP_OK;
	if (S_ISREG(st.st_mode) && open_find((uint64_t)st.st_dev, (uint64_t)st.st_ino))
		return PP_OK;
	fd = S_ISREG(st.st_mode) ? open(s->path, O_RDONLY | O_CLOEXEC) : -1;
	if (S_ISREG(st.st_mode) && fd < 0) {
		pp_buf_addf(problem, "%s: %s", s->path, strerror(errno));
		return PP_E_IO;
	}
	foreign = fd < 0 || read(fd, head, sizeof head) != (ptrdiff_t)sizeof head ||
	          memcmp(head, "SQLite format 3", 16) != 0;
	if (fd >= 0)
		close(fd);
	if (foreign)
		pp_buf_addf(problem, "%s is not a store", s->path);
	return foreign ? PP_E_INVALID : PP_OK;
}

/* Opens the file for who writes. SQLite would open it to be read where that is all that is allowed, and make files beside it. */
static pp_status
writer_open(struct pp_sqlite *s, int flags, struct pp_buf *problem)
{
	if (file_open(s, flags) != SQLITE_OK)
		return pp_sqlite_failed(s, problem);
	if (sqlite3_db_readonly(s->db, "main") != 1)
		return PP_OK;
	pp_buf_addf(problem, "%s: may be read, but not written", s->path);
	return PP_E_OUTPUT;
}

/* A status for who needs tables that are there. */
static pp_status
empty_judge(const struct pp_sqlite *s, bool empty, enum pp_store_mode mode, struct pp_buf *problem)
{
	if (!empty || mode == PP_STORE_ADD || mode == PP_STORE_CREATE)
		return PP_OK;
	pp_buf_addf(problem, "%s is a store that was never finished: add a profile to it", s->path);
	return PP_E_INVALID;
}

/*
 * Looks at a file that nobody has open before it is opened in earnest: what is no store of ours is left as it is, and nothing
 * is made beside it.
 */
static pp_status
file_inspect(struct pp_sqlite *s, enum pp_store_mode mode, struct pp_buf *problem)
{
	struct pp_buf why = { 0 };
	bool empty = false, stayed;
	pp_status status;
	struct stat st;

	if (stat(s->path, &st) != 0 || st.st_size == 0 ||
	    open_find((uint64_t)st.st_dev, (uint64_t)st.st_ino) || has_beside(s, "-wal", false) ||
	    has_beside(s, "-shm", false) || has_beside(s, "-journal", false))
		return PP_OK;
	status = alone_open(s) == SQLITE_OK ? PP_OK : pp_sqlite_failed(s, &why);
	if (status == PP_OK) {
		connection_guard(s);
		status = store_judge(s, &empty, &why);
	}
	if (status == PP_OK)
		status = empty_judge(s, empty, mode, &why);
	/* What others are changing is judged when they let us. */
	stayed = states_equal(s->alone, file_state(s)) && !has_beside(s, "-wal", false);
	connection_end(s);
	if (status != PP_OK && stayed)
		pp_buf_add(problem, why.p, why.n);
	pp_buf_release(&why);
	return stayed ? status : PP_OK;
}

/* Opens and, if need be, makes it; the lock is held. */
static pp_status
store_open(struct pp_sqlite *s, enum pp_store_mode mode, struct pp_buf *problem)
{
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE |
	            (mode == PP_STORE_CHANGE ? 0 : SQLITE_OPEN_CREATE);
	pp_status status = file_judge(s, mode, problem);
	bool empty = false;
	struct stat st;

	if (status == PP_OK)
		status = file_inspect(s, mode, problem);
	if (status == PP_OK && s->reading)
		status = reader_open(s, problem);
	else if (status == PP_OK)
		status = writer_open(s, flags, problem);
	if (status != PP_OK)
		return status;
	connection_guard(s);
	if (s->reading)
		(void)sqlite3_exec(s->db, "PRAGMA query_only = ON", NULL, NULL, NULL);
	/* What turns out to be no store of ours is left as it is, and what lies beside it. */
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	status = store_judge(s, &empty, problem);
	if (status == PP_OK)
		status = empty_judge(s, empty, mode, problem);
	if (status == PP_OK)
		(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	if (status == PP_OK && empty)
		status = tables_make(s, problem);
	if (status == PP_OK && mode != PP_STORE_READ)
		/* Where that fails now, somebody else is at it. */
		(void)sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
	if (status == PP_OK && stat(s->path, &st) == 0) {
		s->device = (uint64_t)st.st_dev;
		s->inode = (uint64_t)st.st_ino;
		status = open_note(s->device, s->inode) ? PP_OK : PP_E_NOMEM;
		if (status != PP_OK)
			s->inode = 0;
	}
	return status;
}

pp_status
pp_sqlite_open(const char *source, enum pp_store_mode mode, struct pp_store **out,
               struct pp_buf *problem)
{
	struct pp_sqlite *s = calloc(1, sizeof *s);
	pp_status status = PP_E_NOMEM;

	*out = NULL;
	if (!s)
		return status;
	s->store.engine = &pp_store_sqlite;
	s->store.source = strdup(source);
	s->path = strdup(path_of(source));
	s->reading = mode == PP_STORE_READ;
	if (s->store.source && s->path) {
		(void)pthread_mutex_lock(&open_lock);
		status = store_open(s, mode, problem);
		(void)pthread_mutex_unlock(&open_lock);
	}
	if (status == PP_OK)
		*out = &s->store;
	else
		pp_sqlite_close(&s->store);
	return status;
}

void
pp_sqlite_close(struct pp_store *store)
{
	struct pp_sqlite *s = (struct pp_sqlite *)store;

	while (s->made.n > 0)
		(void)sqlite3_finalize(s->made.at[--s->made.n]);
	pp_vec_release(&s->made);
	pp_packed_cache_free(s->packed);
	/* Between the end of the connection and this nobody may look into the file. */
	(void)pthread_mutex_lock(&open_lock);
	(void)sqlite3_close_v2(s->db);
	if (s->inode)
		open_forget(s->device, s->inode);
	(void)pthread_mutex_unlock(&open_lock);
	free(s->store.source);
	free(s->path);
	free(s);
}
