/*
 * Sinks: files that appear whole or not at all.
 * Built twice: with the deflater that the library uses and with zlib's.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "io/sink.h"
#include "io/source.h"
#include "pack.h"
#include "tap.h"

static mode_t
mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_mode & 0777 : 0;
}

static bool
holds(const char *path, const char *text)
{
	struct pp_buf b = scratch_read(path);
	bool equal = b.n == strlen(text) && memcmp(b.p, text, b.n) == 0;

	pp_buf_release(&b);
	return equal;
}

static struct pp_sink *
open_sink(const char *path)
{
	struct pp_sink *s;
	int error;

	if (pp_sink_file(path, PP_SINK_BY_NAME, &s, &error) != PP_OK)
		ok(false, "%s opens: %s", path, strerror(error));
	return must(s);
}

static void
test_commit(struct scratch *s)
{
	const char *path = scratch_path(s, "out");
	struct pp_sink *out;

	umask(027);
	out = open_sink(path);
	pp_sink_puts(out, "first");
	ok(access(path, F_OK) != 0, "nothing to be seen before the commit");
	ok(pp_sink_commit(out) == PP_OK && holds(path, "first"), "everything after it");
	pp_sink_close(out);
	ok(mode_of(path) == 0640, "a new file has the mode that umask leaves");

	chmod(path, 0604);
	out = open_sink(path);
	pp_sink_puts(out, "second");
	pp_sink_close(out);
	ok(holds(path, "first") && scratch_count(s) == 1,
	   "closing without commit leaves the old file");
	out = open_sink(path);
	pp_sink_puts(out, "second");
	ok(holds(path, "first"), "the old file stays until the commit");
	ok(pp_sink_commit(out) == PP_OK && holds(path, "second"), "and is replaced by it");
	pp_sink_close(out);
	ok(mode_of(path) == 0604 && scratch_count(s) == 1,
	   "its mode is kept, and nothing else is left");
	out = open_sink(path);
	ok(pp_sink_commit(out) == PP_OK && holds(path, ""), "an empty output makes an empty file");
	pp_sink_close(out);
	umask(022);
}

static void
test_links(struct scratch *s)
{
	char target[320], link[320], dangling[320];
	struct pp_sink *out;
	struct stat st;

	snprintf(target, sizeof target, "%s", scratch_write(s, "target", "old", 3));
	snprintf(link, sizeof link, "%s", scratch_path(s, "link"));
	snprintf(dangling, sizeof dangling, "%s", scratch_path(s, "dangling"));
	if (symlink("target", link) != 0 || symlink("later", dangling) != 0)
		must(NULL);
	out = open_sink(link);
	pp_sink_puts(out, "new");
	(void)pp_sink_commit(out);
	pp_sink_close(out);
	ok(lstat(link, &st) == 0 && S_ISLNK(st.st_mode) && holds(target, "new"),
	   "a symbolic link stays and its target is replaced");
	out = open_sink(dangling);
	pp_sink_puts(out, "made");
	(void)pp_sink_commit(out);
	pp_sink_close(out);
	ok(lstat(dangling, &st) == 0 && S_ISLNK(st.st_mode) &&
	       holds(scratch_path(s, "later"), "made"),
	   "one that leads nowhere leads to the new file");
	if (symlink("loop", scratch_path(s, "loop")) == 0) {
		int error;

		ok(pp_sink_file(scratch_path(s, "loop"), PP_SINK_BY_NAME, &out, &error) ==
		           PP_E_OUTPUT &&
		       error == ELOOP && !out,
		   "a loop of links is an error");
	}
}

static void
check_refused(const char *path, int expected, const char *what)
{
	struct pp_sink *out;
	int error = 0;
	pp_status status = pp_sink_file(path, PP_SINK_BY_NAME, &out, &error);

	ok(status == PP_E_OUTPUT && !out && error == expected, "%s: %s", what, strerror(error));
	if (out)
		pp_sink_close(out);
}

static void
test_refusals(struct scratch *s)
{
	char long_name[400];
	char *locked;

	memset(long_name, 'n', sizeof long_name);
	long_name[sizeof long_name - 1] = '\0';
	check_refused(s->directory, EISDIR, "a directory");
	check_refused("", ENOENT, "no name");
	check_refused(scratch_path(s, "absent/file"), ENOENT, "an absent directory");
	scratch_write(s, "plain", "x", 1);
	check_refused(scratch_path(s, "plain/file"), ENOTDIR, "a file used as a directory");
	check_refused(scratch_path(s, "newdir/"), EISDIR, "a name that ends in a slash");
	check_refused(long_name, ENAMETOOLONG, "a name too long");
	/* Only users without all rights are refused. */
	chmod(s->directory, 0755);
	locked = must(strdup(scratch_write(s, "locked", "x", 1)));
	chmod(locked, 0444);
	if (geteuid() != 0 || seteuid(65534) == 0) {
		check_refused(locked, EACCES, "a file that may not be written");
		check_refused(scratch_path(s, "fresh"), geteuid() == 65534 ? EACCES : 0,
		              "a directory that may not be written");
		if (getuid() == 0 && seteuid(0) != 0)
			must(NULL);
	}
	free(locked);
}

/* Writes much more than any buffer holds. */
static void
write_much(struct pp_sink *out)
{
	struct pp_buf text = make_text(3000000, 5);

	pp_sink_write(out, text.p, text.n);
	pp_buf_release(&text);
}

static void
test_devices(struct scratch *s)
{
	struct pp_sink *out = open_sink("/dev/null");
	int fds[2], saved;

	write_much(out);
	ok(out->direct && pp_sink_commit(out) == PP_OK && out->written == 3000000,
	   "/dev/null takes everything");
	pp_sink_close(out);
	ok(access("/dev/null", F_OK) == 0, "and is still there");
	out = open_sink("/dev/full");
	write_much(out);
	ok(out->status == PP_E_OUTPUT && out->error == ENOSPC,
	   "a full disk is noticed while writing");
	pp_sink_puts(out, "more");
	ok(pp_sink_commit(out) == PP_E_OUTPUT && out->error == ENOSPC, "and the error stays");
	pp_sink_close(out);
	out = open_sink("/dev/full");
	pp_sink_puts(out, "little");
	ok(out->status == PP_OK && pp_sink_commit(out) == PP_E_OUTPUT,
	   "or at the latest by the commit");
	pp_sink_close(out);

	signal(SIGPIPE, SIG_IGN);
	fflush(stdout);
	if (pipe(fds) != 0)
		must(NULL);
	saved = dup(STDOUT_FILENO);
	close(fds[0]);
	dup2(fds[1], STDOUT_FILENO);
	out = open_sink("-");
	pp_sink_puts(out, "nobody reads this");
	(void)pp_sink_commit(out);
	dup2(saved, STDOUT_FILENO);
	ok(out->direct && out->status == PP_E_OUTPUT && out->error == EPIPE,
	   "a reader that went away is an error");
	pp_sink_close(out);
	close(saved);
	close(fds[1]);
	ok(fcntl(STDOUT_FILENO, F_GETFD) >= 0, "standard output stays open");

	/* A descriptor by name must be written in place: somebody else holds it. */
	{
		char path[320], by_fd[64];
		int fd;

		snprintf(path, sizeof path, "%s", scratch_write(s, "held", "", 0));
		fd = open(path, O_WRONLY);
		snprintf(by_fd, sizeof by_fd, "/dev/fd/%d", fd);
		out = open_sink(by_fd);
		pp_sink_puts(out, "through a descriptor");
		ok(out->direct && pp_sink_commit(out) == PP_OK &&
		       holds(path, "through a descriptor"),
		   "/dev/fd/N is written in place");
		pp_sink_close(out);
		out = open_sink(by_fd);
		pp_sink_puts(out, ", and on");
		ok(pp_sink_commit(out) == PP_OK && holds(path, "through a descriptor, and on"),
		   "from where it stands");
		pp_sink_close(out);
		close(fd);
	}
}

/* Reads a file through the library's own filters. */
static bool
unpacks_to(const char *path, const struct pp_buf *text, enum pp_container expected)
{
	struct pp_input *in;
	struct pp_io io;
	bool equal;

	pp_io_init(&io, NULL, 1, NULL);
	if (pp_input_file(&io, path, &in) != PP_OK || pp_container_detect(in) != expected)
		return false;
	(void)pp_input_decode(&io, expected, in, &in);
	equal = !pp_input_need(in, text->n + 1) && pp_input_left(in) == text->n &&
	        (!text->n || memcmp(in->cur, text->p, text->n) == 0) && in->status == PP_OK;
	in->close(in);
	pp_io_release(&io);
	return equal;
}

static void
test_compression(struct scratch *s)
{
	static const size_t sizes[] = { 0, 1, 70000, 5000000 };
	static const char *const names[] = { "x.gz", "x.zst" };
	size_t i, k;

	for (i = 0; i < PP_COUNT_OF(sizes); i++) {
		struct pp_buf text = make_text(sizes[i], 3);

		for (k = 0; k < 2; k++) {
			const char *path = scratch_path(s, names[k]);
			struct pp_sink *out = open_sink(path);
			size_t at, n;

			for (at = 0; at < text.n; at += n) {
				n = text.n - at < 9973 ? text.n - at : 9973;
				pp_sink_write(out, text.p + at, n);
			}
			ok(pp_sink_commit(out) == PP_OK && out->written == text.n &&
			       unpacks_to(path, &text, k ? PP_CONTAINER_ZSTD : PP_CONTAINER_GZIP),
			   "%zu bytes through %s", text.n, names[k]);
			pp_sink_close(out);
		}
		pp_buf_release(&text);
	}
	{
		/* The reference library agrees about what gzip is. */
		gzFile f = gzopen(scratch_path(s, "x.gz"), "rb");
		char *bytes = must(malloc(6000000));

		is_i64(gzread(f, bytes, 6000000), 5000000, "zlib reads what we wrote");
		gzclose(f);
		free(bytes);
	}
}

static void
test_siblings(struct scratch *s)
{
	char main_path[320], body[320];
	struct pp_sink *out, *other;

	snprintf(main_path, sizeof main_path, "%s", scratch_path(s, "r.json"));
	snprintf(body, sizeof body, "%s", scratch_path(s, "r.txt"));
	out = open_sink(main_path);
	other = out->open_sibling(out, "r.txt");
	pp_sink_puts(out, "{}");
	pp_sink_puts(must(other), "body");
	ok(access(body, F_OK) != 0 && access(main_path, F_OK) != 0, "two files, none to be seen");
	ok(pp_sink_commit(out) == PP_OK && holds(main_path, "{}") && holds(body, "body"),
	   "both appear together");
	pp_sink_close(out);
	out = open_sink(main_path);
	ok(!out->open_sibling(out, "../r") && !out->open_sibling(out, ""), "siblings stay beside");
	other = out->open_sibling(out, "r.txt");
	pp_sink_puts(must(other), "other");
	pp_sink_fail(other, PP_E_OUTPUT, ENOSPC);
	ok(pp_sink_commit(out) == PP_E_OUTPUT && out->error == ENOSPC && holds(main_path, "{}") &&
	       holds(body, "body"),
	   "when one fails both old files stay");
	pp_sink_close(out);
	mkdir(scratch_path(s, "d"), 0700);
	out = open_sink(main_path);
	ok(!out->open_sibling(out, "d") && out->status == PP_E_OUTPUT && out->error == EISDIR,
	   "a sibling that cannot be opened fails its owner");
	pp_sink_close(out);
	out = open_sink("/dev/null");
	ok(!out->open_sibling(out, "x") && out->status == PP_OK, "a device has no siblings");
	pp_sink_close(out);
}

static void
test_buffer(void)
{
	static const uint64_t numbers[] = { 0,
		                            9,
		                            10,
		                            99,
		                            100,
		                            101,
		                            999,
		                            1000,
		                            12345,
		                            1234567890,
		                            UINT32_MAX,
		                            INT64_MAX,
		                            100000000000000,
		                            UINT64_MAX };
	struct pp_buf buf = { 0 }, expected = { 0 };
	char *long_text = must(malloc(200001));
	struct pp_sink *out;
	size_t i;

	memset(long_text, 'y', 200000);
	long_text[200000] = '\0';
	pp_buf_adds(&buf, "before ");
	pp_buf_adds(&expected, "before ");
	ok(pp_sink_buffer(&buf, &out) == PP_OK, "a buffer sink opens");
	for (i = 0; i < 20000; i++) {
		pp_sink_u64(out, numbers[i % PP_COUNT_OF(numbers)]);
		pp_sink_putc(out, ' ');
		pp_buf_addf(&expected, "%" PRIu64 " ", numbers[i % PP_COUNT_OF(numbers)]);
	}
	pp_sink_printf(out, "%s %d", "short", 7);
	pp_buf_addf(&expected, "%s %d", "short", 7);
	pp_sink_printf(out, "<%s>", long_text);
	pp_buf_addf(&expected, "<%s>", long_text);
	ok(pp_sink_commit(out) == PP_OK && out->written == expected.n - 7, "all is counted");
	pp_sink_close(out);
	ok(buf.n == expected.n && memcmp(buf.p, expected.p, buf.n + 1) == 0,
	   "numbers, characters and text come out in their order");
	(void)pp_sink_buffer(&buf, &out);
	pp_sink_puts(out, long_text);
	pp_sink_close(out);
	ok(buf.n == expected.n && memcmp(buf.p, expected.p, buf.n + 1) == 0,
	   "closing without commit takes back what was added");
	ok(pp_sink_null(&out) == PP_OK, "a sink for nothing opens");
	pp_sink_puts(out, long_text);
	ok(pp_sink_commit(out) == PP_OK && out->written == 200000, "and counts");
	pp_sink_close(out);
	pp_sink_close(NULL);
	pp_buf_release(&buf);
	pp_buf_release(&expected);
	free(long_text);
}

int
main(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	test_commit(&scratch);
	test_links(&scratch);
	test_refusals(&scratch);
	test_devices(&scratch);
	test_compression(&scratch);
	test_siblings(&scratch);
	test_buffer();
	scratch_release(&scratch);
	return tap_done();
}
