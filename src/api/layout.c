/*
 * Graphviz, run as a program of its own: text goes in through a socket, so that its end is an error and no signal, the
 * picture comes out through a pipe, and nothing is left on any disk.
 */
#include "api/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/process.h"
#include "text/escape.h"

/* Of what it complains about. */
#define COMPLAINT_MAX 2048

#ifdef MSG_NOSIGNAL
#define NO_SIGNAL MSG_NOSIGNAL
#else
#define NO_SIGNAL 0
#endif

/* What is closed is -1. */
struct layout {
	pid_t pid;
	int in, out, err;     /* our ends */
	int theirs[3];        /* its ends */
	struct pp_slice left; /* of the graph, still to be sent */
	struct pp_buf picture, complaint;
	struct pp_sink *sink;
};

static void
end_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool
ends_open(struct layout *l)
{
	int in[2], out[2], err[2], i;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, in) != 0)
		return false;
	l->in = in[0];
	l->theirs[0] = in[1];
	if (pipe(out) != 0)
		return false;
	l->out = out[0];
	l->theirs[1] = out[1];
	if (pipe(err) != 0)
		return false;
	l->err = err[0];
	l->theirs[2] = err[1];
	for (i = 0; i < 3; i++)
		(void)fcntl(l->theirs[i], F_SETFD, FD_CLOEXEC);
	(void)fcntl(l->in, F_SETFD, FD_CLOEXEC);
	(void)fcntl(l->out, F_SETFD, FD_CLOEXEC);
	(void)fcntl(l->err, F_SETFD, FD_CLOEXEC);
	return fcntl(l->in, F_SETFL, O_NONBLOCK) == 0;
}

/* Starts it; returns errno. */
static int
start(struct layout *l)
{
	static const char *const argv[] = { "dot", "-Tsvg", NULL };
	int error = pp_process_start(argv, l->theirs, false, &l->pid), i;

	for (i = 0; i < 3; i++)
		end_close(&l->theirs[i]);
	return error;
}

/* Sends some of the graph; when all is sent, or nobody takes it, that is the end. */
static void
send_some(struct layout *l)
{
	ssize_t n = l->left.n ? send(l->in, l->left.p, l->left.n, NO_SIGNAL) : 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		l->left = pp_slice_of(l->left.p + n, l->left.n - (size_t)n);
	if (n < 0 || l->left.n == 0)
		end_close(&l->in);
}

static void
read_some(struct layout *l, int *fd, struct pp_buf *to, size_t most)
{
	char bytes[16384];
	ssize_t n = read(*fd, bytes, sizeof bytes);

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0)
		end_close(fd);
	else if (to->n < most)
		pp_buf_add(to, bytes, (size_t)n);
}

/* Sends and reads until both of its outputs end, or there is no room for more. */
static void
talk(struct layout *l)
{
	size_t most = l->sink->most ? (size_t)l->sink->most + 1 : SIZE_MAX;

	while (l->out >= 0 || l->err >= 0) {
		struct pollfd ends[3] = { { l->in, POLLOUT, 0 },
			                  { l->out, POLLIN, 0 },
			                  { l->err, POLLIN, 0 } };

		if (poll(ends, 3, -1) < 0 && errno != EINTR)
			break;
		if (l->in >= 0 && ends[0].revents)
			send_some(l);
		if (l->out >= 0 && ends[1].revents)
			read_some(l, &l->out, &l->picture, most);
		if (l->err >= 0 && ends[2].revents)
			read_some(l, &l->err, &l->complaint, COMPLAINT_MAX);
		if (l->picture.failed || l->picture.n >= most) {
			(void)kill(l->pid, SIGKILL);
			break;
		}
	}
}

/* Its exit code; -1 when a signal ended it. */
static int
finish(struct layout *l)
{
	int status = 0;

	end_close(&l->in);
	end_close(&l->out);
	end_close(&l->err);
	while (waitpid(l->pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0; /* somebody else has taken it: the picture tells */
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static pp_status
judge(struct layout *l, int code, struct pp_buf *problem)
{
	const char *newline = l->complaint.n ? memchr(l->complaint.p, '\n', l->complaint.n) : NULL;

	if (l->picture.failed)
		return PP_E_NOMEM;
	if (l->sink->most && l->picture.n > l->sink->most) {
		pp_sink_fail(l->sink, PP_E_LIMIT, 0);
		return PP_E_OUTPUT;
	}
	if (code == 0 && l->picture.n &&
	    memmem(l->picture.p, l->picture.n, "</svg>", strlen("</svg>"))) {
		pp_sink_write(l->sink, l->picture.p, l->picture.n);
		return PP_OK;
	}
	pp_buf_adds(problem, "Graphviz's dot ");
	if (code > 0)
		pp_buf_addf(problem, "failed with exit code %d", code);
	else
		pp_buf_adds(problem, code ? "was ended by a signal" : "gave no picture");
	pp_buf_adds(problem, l->complaint.n ? ": " : "");
	if (l->complaint.n)
		pp_escape_terminal(problem, pp_slice_of(l->complaint.p,
		                                        newline ? (size_t)(newline - l->complaint.p)
		                                                : l->complaint.n));
	return PP_E_OUTPUT;
}

pp_status
pp_layout_svg(struct pp_slice graph, struct pp_sink *sink, struct pp_buf *problem)
{
	struct layout l = { .in = -1,
		            .out = -1,
		            .err = -1,
		            .theirs = { -1, -1, -1 },
		            .left = graph,
		            .sink = sink };
	pp_status status = PP_E_OUTPUT;
	int i, error = ends_open(&l) ? start(&l) : errno;

	if (error == 0) {
		talk(&l);
		status = judge(&l, finish(&l), problem);
	} else if (error == ENOENT) {
		status = PP_E_UNSUPPORTED;
	} else {
		pp_buf_addf(problem, "Graphviz's dot cannot be run: %s", strerror(error));
	}
	end_close(&l.in);
	end_close(&l.out);
	end_close(&l.err);
	for (i = 0; i < 3; i++)
		end_close(&l.theirs[i]);
	pp_buf_release(&l.picture);
	pp_buf_release(&l.complaint);
	return status;
}
