/*
 * Thread dumps of Java: jstack, `jcmd PID Thread.print`, SIGQUIT, and the plain text of `jcmd PID Thread.dump_to_file`.
 *
 *     "worker-12" #273 prio=5 tid=0x7f nid=0xe3c waiting for monitor entry [0x7f]      #29 "worker-12" virtual
 *        java.lang.Thread.State: BLOCKED (on object monitor)                                java.base/java.lang.Thread.run(Thread.java:1583)
 *     	at com.acme.Queue.take(Queue.java:12)
 *     	- waiting to lock <0x69ec1a688> (a java.lang.Object)
 *
 * Each thread with a stack counts once, whatever its state, below its name without the number. Its state and what it waits for are labels.
 * Threads of the JVM itself that wait for work get "(idle)" as their innermost frame, as V8 names it, so that answers set them aside.
 */
#include "formats/dump/dump.h"

#include "model/labels.h"

static bool
is_new_head(struct pp_slice line)
{
	size_t n = 1;

	if (line.n < 5 || line.p[0] != '#')
		return false;
	while (n < line.n && pp_is_digit(line.p[n]))
		n++;
	return n > 1 && n + 2 < line.n && line.p[n] == ' ' && line.p[n + 1] == '"' &&
	       memchr(line.p + n + 2, '"', line.n - n - 2);
}

/* Frames of dump_to_file are indented and have no "at". */
static bool
is_new_frame(struct pp_slice line)
{
	return pp_slice_starts(line, "      ") && pp_slice_ends(line, ")") &&
	       pp_slice_find(line, '(') && pp_slice_find(line, '.');
}

static int
jstack_bid(struct pp_slice line)
{
	struct pp_slice text = pp_slice_trim(line);

	if (pp_slice_starts(text, "java.lang.Thread.State: "))
		return 40;
	if (pp_slice_starts(line, "Full thread dump "))
		return 40;
	if (is_new_head(line))
		return 16;
	if (is_new_frame(line) && pp_slice_holds(line, ".java:"))
		return 8;
	return line.n > 4 && line.p[0] == '\t' && pp_slice_starts(text, "at ") &&
	               pp_slice_ends(text, ")")
	           ? 8
	           : 0;
}

/* "worker-12" is one of many workers. */
static struct pp_slice
without_number(struct pp_slice name)
{
	size_t n = name.n;

	while (n > 0 && pp_is_digit(name.p[n - 1]))
		n--;
	if (n == name.n || n < 2)
		return name;
	while (n > 1 && (name.p[n - 1] == '-' || name.p[n - 1] == '#' || name.p[n - 1] == ' '))
		n--;
	return pp_slice_of(name.p, n);
}

/* ---- threads of the JVM ----------------------------------------------------------------- */

static bool
starts_any(struct pp_slice name, const char *const *list)
{
	for (; *list; list++)
		if (pp_slice_starts(name, *list))
			return true;
	return false;
}

/* Notes what a frame says of who runs the thread. */
static void
worker_note(struct pp_dump *d, struct pp_slice name)
{
	/* Functions of the JVM's own threads: references, cleaners, workers of the common pool. */
	static const char *const runs[] = { "java.lang.ref.Reference$ReferenceHandler.run",
		                            "java.lang.ref.Finalizer$FinalizerThread.run",
		                            "jdk.internal.ref.CleanerImpl.run",
		                            "java.util.concurrent.ForkJoinPool.awaitWork", NULL };
	/* Frames of theirs while they wait for work; any other one is work. */
	static const char *const waits[] = { "java.lang.ref.",
		                             "jdk.internal.ref.",
		                             "jdk.internal.misc.",
		                             "sun.misc.Unsafe.",
		                             "java.lang.Object.wait",
		                             "java.lang.Thread.run",
		                             "java.util.concurrent.locks.",
		                             "java.util.concurrent.ForkJoin",
		                             NULL };

	d->own |= starts_any(name, runs);
	d->works |= !starts_any(name, waits);
}

/* Whether the thread is one of the JVM's that waits for work; other pools than the common one are the program's. */
static bool
is_idle(const struct pp_dump *d)
{
	struct pp_slice name = pp_slice_of(d->thread.p, d->thread.n);

	return d->own && !d->works &&
	       (!pp_slice_starts(name, "ForkJoinPool-") ||
	        pp_slice_starts(name, "ForkJoinPool.common"));
}

static pp_frame
idle_frame(struct pp_dump *d)
{
	struct pp_func_row func = { .name = pp_build_strz(d->builder, "(idle)"),
		                    .flags = PP_FUNC_PSEUDO };
	struct pp_frame_row frame = { .func = pp_build_func(d->builder, &func) };

	return pp_build_frame(d->builder, &frame);
}

/* ---- a thread --------------------------------------------------------------------------- */

static void
jstack_end(struct pp_dump *d)
{
	struct pp_slice name = pp_slice_of(d->thread.p, d->thread.n);
	struct pp_owner owner = { .pid = -1, .tid = d->tid, .thread = name };
	struct pp_slice root = without_number(name);

	if (d->frames.n && pp_builder_ok(d->builder)) {
		if (is_idle(d)) {
			d->idles++;
			if (!pp_vec_push(&d->frames, 0))
				pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
			else {
				memmove(d->frames.at + 1, d->frames.at,
				        (d->frames.n - 1) * sizeof *d->frames.at);
				d->frames.at[0] = idle_frame(d);
			}
		}
		/* Virtual threads mostly have no name. */
		if (root.n)
			pp_dump_frame_add(d, root, pp_slice_of(NULL, 0), pp_slice_of(NULL, 0));
		pp_dump_series(d, &owner);
	}
	pp_dump_stack_end(d);
	d->own = d->works = false;
}

/* `"name" #13 prio=5 tid=0x1 nid=0xe3c runnable`, or `#13 "name"`: whose the stack is that follows. */
static bool
head_take(struct pp_dump *d, struct pp_slice line)
{
	const unsigned char *begin = memchr(line.p, '"', line.n),
	                    *end = pp_dump_find_last(line, "\"");
	struct pp_slice rest, word,
	    name = pp_slice_between(begin + 1, end > begin ? end : begin + 1);
	uint64_t number;

	d->thread.n = d->state.n = d->lock.n = d->lock_id.n = 0;
	pp_buf_add(&d->thread, name.p, name.n);
	d->tid = -1;
	d->open = true;
	d->own = d->works = false;
	rest = pp_slice_between(end > begin ? end + 1 : begin + 1, line.p + line.n);
	while (pp_slice_word(&rest, &word))
		if (pp_slice_take(&word, "nid=") &&
		    (pp_slice_take(&word, "0x") ? pp_num_hex(word, &number)
		                                : pp_num_u64(word, &number)) &&
		    number <= INT64_MAX)
			d->tid = (int64_t)number;
	/* "Java stack information for the threads listed above" repeats the stacks of a deadlock. */
	if (end > begin && pp_slice_eq_z(pp_slice_from(line, (size_t)(end - line.p)), "\":"))
		d->open = false;
	/* Versions that print the state in the head do so behind the name. */
	rest = pp_slice_trim(pp_slice_between(end > begin ? end + 1 : begin + 1, line.p + line.n));
	(void)pp_slice_take(&rest, "virtual ");
	if (line.p[0] == '#' && pp_slice_word(&rest, &word) && word.p[0] >= 'A' && word.p[0] <= 'Z')
		pp_buf_add(&d->state, word.p, word.n);
	return end > begin;
}

/* "- waiting to lock <0x69ec1a688> (a java.lang.Object)": the innermost one counts. */
static void
lock_take(struct pp_dump *d, struct pp_slice text)
{
	static const char *const waits[] = {
		"waiting to lock ",     "waiting on ",
		"parking to wait for ", "waiting to re-lock in wait() ",
		"blocked on ",          NULL
	};
	struct pp_slice id = { 0 };
	bool found;

	if (!starts_any(text, waits) || d->lock.n || d->lock_id.n)
		return;
	if (pp_slice_find(text, '<')) {
		(void)pp_slice_cut(&text, '<', &found);
		id = pp_slice_cut(&text, '>', &found);
	}
	if (pp_slice_starts(id, "0x")) {
		pp_buf_add(&d->lock_id, id.p, id.n);
	} else if (pp_slice_find(id, '@')) {
		/* Without an address, objects are "CLASS@HASH". */
		pp_buf_add(&d->lock_id, id.p, id.n);
		id = pp_slice_cut(&id, '@', &found);
		pp_buf_add(&d->lock, id.p, id.n);
		return;
	}
	text = pp_slice_trim(text);
	if (pp_slice_take(&text, "(a ") && pp_slice_ends(text, ")"))
		pp_buf_add(&d->lock, text.p, text.n - 1);
}

/* A name without its module or class loader: "java.base/java.lang.Thread.run"; those of lambdas have slashes behind. */
static struct pp_slice
without_module(struct pp_slice name)
{
	const unsigned char *slash = pp_slice_find(name, '/');

	if (!slash || memchr(name.p, '$', (size_t)(slash - name.p)))
		return name;
	name = pp_slice_between(slash + 1, name.p + name.n);
	(void)pp_slice_take(&name, "/");
	return name;
}

static bool
frame_take(struct pp_dump *d, struct pp_slice text)
{
	const unsigned char *bracket = pp_dump_find_last(text, "(");
	struct pp_slice name, place = { 0 };

	if (bracket && pp_slice_ends(text, ")"))
		place = pp_slice_between(bracket + 1, text.p + text.n - 1);
	name = without_module(bracket ? pp_slice_between(text.p, bracket) : text);
	if (!pp_slice_holds(place, ".java:") && !pp_slice_holds(place, ".kt:") &&
	    !pp_slice_holds(place, ".scala:"))
		place.n = 0;
	worker_note(d, name);
	pp_dump_frame_add(d, name, pp_slice_of(NULL, 0), place);
	return name.n > 0;
}

static bool
jstack_line(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice text = pp_slice_trim(line), word;

	if ((line.n && line.p[0] == '"') || is_new_head(line)) {
		jstack_end(d);
		return head_take(d, line);
	}
	if (text.n == 0) {
		jstack_end(d);
		return true;
	}
	if (!d->open)
		return true;
	if (pp_slice_take(&text, "java.lang.Thread.State: ")) {
		d->state.n = 0;
		if (pp_slice_word(&text, &word))
			pp_buf_add(&d->state, word.p, word.n);
		return true;
	}
	if (pp_slice_take(&text, "at "))
		return frame_take(d, text);
	if (pp_slice_take(&text, "- "))
		lock_take(d, text);
	else if (is_new_frame(line))
		return frame_take(d, text);
	return true;
}

const struct pp_dump_kind pp_dump_jstack = { "jstack",        jstack_bid,
	                                     jstack_line,     jstack_end,
	                                     "samples",       "samples",
	                                     PP_KIND_SAMPLES, { "Full thread dump " } };
