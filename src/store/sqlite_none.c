/*
 * The engine of a polyprof that was built without SQLite: stores in files are known, and said to be out of reach.
 */
#include <fcntl.h>
#include <unistd.h>

#include "store/store.h"

static bool
none_mine(const char *source)
{
	unsigned char head[72];
	int fd;
	bool mine;

	if (strncmp(source, "sqlite:", 7) == 0)
		return true;
	fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	mine = fd >= 0 && read(fd, head, sizeof head) == (ptrdiff_t)sizeof head &&
	       memcmp(head, "SQLite format 3", 16) == 0 && memcmp(head + 68, "ppsf", 4) == 0;
	if (fd >= 0)
		close(fd);
	return mine;
}

static pp_status
none_open(const char *source, enum pp_store_mode mode, struct pp_store **out,
          struct pp_buf *problem)
{
	*out = NULL;
	pp_buf_addf(
	    problem,
	    "%s: this polyprof was built without stores in files: install libsqlite3-dev and "
	    "build it again",
	    source);
	return mode == PP_STORE_READ ? PP_E_UNSUPPORTED : PP_E_OUTPUT;
}

const struct pp_store_engine pp_store_sqlite = {
	.name = "sqlite",
	.mine = none_mine,
	.open = none_open,
};
