/*
 * What was profiled. Every format has its own words for it; those of all of them stand here, as paths in the metadata.
 */
#include "questions/occasion.h"

#include "base/num.h"
#include "base/slice.h"
#include "formats/format.h"
#include "text/escape.h"
#include "text/units.h"

/* Longer parts of the line are shortened in their middle. */
#define WHAT_COLUMNS 100
#define HOST_COLUMNS 40
/* "2026-11-15 08:08:14" without the seconds. */
#define MINUTES 16

static const char *const targets[] = { "http_request_uri", "meta.url", "meta.SERVER.REQUEST_URI",
	                               "url", NULL };
static const char *const methods[] = { "http_method", "meta.SERVER.REQUEST_METHOD", "method",
	                               NULL };
static const char *const addresses[] = { "http_host", "meta.SERVER.HTTP_HOST", NULL };
static const char *const commands[] = { "cli_command_line", "cmd",     "cmdline", "application",
	                                "source.command",   "command", "name",    NULL };
static const char *const hosts[] = {
	"host_name", "hostname", "source.host", "source.hostname", "meta.SERVER.SERVER_NAME",
	"host",      NULL
};
static const char *const pids[] = { "pid", "process_pid", NULL };
static const char *const times[] = { "meta.request_ts.sec", "meta.request_ts",
	                             "meta.SERVER.REQUEST_TIME", NULL };

/* ---- looking it up ---- */

/* A value by the keys that lead to it, with points between them; empty when there is none. */
static struct pp_slice
meta_at(const struct pp_profile *p, const char *path)
{
	uint32_t parent = 0;
	size_t i = 0;

	while (i < p->meta.n) {
		const struct pp_meta_row *row = &p->meta.at[i];
		struct pp_slice key = pp_text_of(p, row->key);
		size_t n = strcspn(path, ".");

		if (row->parent != parent || key.n != n || memcmp(key.p, path, n) != 0) {
			i++;
			continue;
		}
		if (!path[n])
			return row->type == PP_META_OBJECT || row->type == PP_META_ARRAY
			           ? pp_slice_of("", 0)
			           : pp_text_of(p, row->text);
		path += n + 1;
		parent = (uint32_t)++i; /* children stand behind their parents */
	}
	return pp_slice_of("", 0);
}

/* The first of several that says something. */
static struct pp_slice
meta_of(const struct pp_profile *p, const char *const *paths)
{
	struct pp_slice value = pp_slice_of("", 0);

	for (; *paths; paths++) {
		value = pp_slice_trim(meta_at(p, *paths));
		if (value.n && !pp_slice_eq_z(value, "n/a"))
			return value;
	}
	return pp_slice_of("", 0);
}

/* The next word of a command line, and where the rest begins. */
static struct pp_slice
word_next(struct pp_slice *rest)
{
	struct pp_slice trimmed = pp_slice_trim(*rest);
	size_t n = 0;

	while (n < trimmed.n && trimmed.p[n] != ' ')
		n++;
	*rest = pp_slice_of(trimmed.p + n, trimmed.n - n);
	return pp_slice_of(trimmed.p, n);
}

/* Whether an option of `perf record` has its value in the next word. */
static bool
perf_option_takes_word(struct pp_slice option)
{
	static const char *const words[] = {
		"--event",    "--freq",   "--count",      "--output", "--pid",
		"--tid",      "--uid",    "--mmap-pages", "--cpu",    "--call-graph",
		"--delay",    "--cgroup", "--clockid",    "--filter", "--branch-filter",
		"--realtime", NULL,
	};
	size_t i;

	if (option.n == 2 && option.p[0] == '-')
		return strchr("eFcoptuCmDGjkrix", option.p[1]) != NULL;
	for (i = 0; words[i]; i++)
		if (pp_slice_eq_z(option, words[i]))
			return true;
	return false;
}

/* What `perf record OPTIONS COMMAND` runs; empty when it names none. */
static struct pp_slice
perf_program(struct pp_slice command)
{
	struct pp_slice rest = command, word = word_next(&rest), before;
	bool perf = pp_slice_eq_z(word, "perf") || pp_slice_ends(word, "/perf");

	if (!perf || !pp_slice_eq_z(word_next(&rest), "record"))
		return pp_slice_of("", 0);
	for (before = rest, word = word_next(&rest); word.n;
	     before = rest, word = word_next(&rest)) {
		if (pp_slice_eq_z(word, "--"))
			return pp_slice_trim(rest);
		if (word.p[0] != '-')
			return pp_slice_trim(before);
		if (perf_option_takes_word(word))
			(void)word_next(&rest);
	}
	return pp_slice_of("", 0);
}

/* Formats whose threads are called as the kernel calls them: by the program, unless the program says otherwise. */
static bool
threads_name_programs(const struct pp_profile *p)
{
	static const char *const tools[] = { "perf", "bpftrace", "dtrace" };
	struct pp_slice format = pp_slice_z(p->format->name);
	/* SPAA carries profiles of all tools, and says of which one. */
	struct pp_slice tool = pp_slice_eq_z(format, "spaa") ? pp_text_of(p, p->producer) : format;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(tools); i++)
		if (pp_slice_starts(tool, tools[i]))
			return true;
	return false;
}

/* The program that the first thread names, where nothing else tells what ran. */
static void
command_of_threads(const struct pp_profile *p, struct pp_occasion *o)
{
	bool named = threads_name_programs(p);
	const struct pp_series *first = NULL;
	size_t i;

	for (i = 0; i < p->series.n && i <= 1000; i++) {
		const struct pp_series *s = &p->series.at[i];
		pp_str name = s->process ? s->process : named ? s->thread : 0;
		size_t k;

		for (k = 0; k < i; k++) {
			const struct pp_series *t = &p->series.at[k];

			if ((t->process ? t->process : t->thread) == name)
				break;
		}
		if (k < i || !name)
			continue;
		o->others += first != NULL;
		/* Another process is another command. */
		o->threads |= first && !s->process && (s->pid < 0 || s->pid == first->pid);
		if (!first)
			o->command = pp_text_of(p, name);
		first = first ? first : s;
	}
}

/* The first file of code that is no library: the program itself stands first where a process is mapped. */
static struct pp_slice
command_of_modules(const struct pp_profile *p)
{
	size_t i;

	for (i = 1; i < p->modules.n; i++) {
		struct pp_slice name = pp_text_of(p, p->modules.at[i].name);

		if (p->modules.at[i].kind == PP_MODULE_BINARY && pp_slice_starts(name, "/") &&
		    !memmem(name.p, name.n, ".so", 3))
			return name;
	}
	return pp_slice_of("", 0);
}

struct pp_occasion
pp_occasion_of(const struct pp_profile *p)
{
	size_t primary = pp_profile_primary(p);
	struct pp_occasion o = { .host = meta_of(p, hosts), .when = p->recorded_at };
	int64_t lifetime;

	if (!pp_slice_eq_z(meta_at(p, "cli"), "1"))
		o.target = meta_of(p, targets);
	if (o.target.n) {
		o.method = meta_of(p, methods);
		o.address = meta_of(p, addresses);
	} else {
		o.command = meta_of(p, commands);
		o.pid = o.command.n ? meta_of(p, pids) : o.command;
		o.program = perf_program(o.command);
	}
	if (!o.target.n && !o.command.n)
		command_of_threads(p, &o);
	if (!o.target.n && !o.command.n)
		o.command = command_of_modules(p);
	if (!o.when && !pp_num_i64(meta_of(p, times), &o.when))
		o.when = 0;
	if (!o.when)
		o.when_text = meta_at(p, "captured on");
	o.has_span = p->time.known && p->time.end > p->time.start;
	if (o.has_span) {
		o.span = (double)((uint64_t)p->time.end - (uint64_t)p->time.start);
	} else if (pp_num_i64(meta_at(p, "lifetime_ns"), &lifetime) && lifetime > 0) {
		o.has_span = true;
		o.span = (double)lifetime;
	} else if (primary < p->metrics.n && p->metrics.at[primary].kind == PP_KIND_WALL_TIME) {
		o.span = pp_value_double(&p->metrics.at[primary], pp_profile_total(p, primary));
		o.has_span = o.span > 0;
	}
	return o;
}

bool
pp_occasion_known(const struct pp_occasion *o)
{
	return o->target.n || o->command.n || o->host.n || o->when || o->when_text.n;
}

/* ---- saying it ---- */

/* Whether a URL says itself which host it is of. */
static bool
is_whole(struct pp_slice url)
{
	return pp_slice_starts(url, "http://") || pp_slice_starts(url, "https://");
}

void
pp_occasion_what(const struct pp_occasion *o, struct pp_buf *out)
{
	if (!o->target.n) {
		pp_buf_add(out, o->command.p, o->command.n);
		return;
	}
	pp_buf_add(out, o->method.p, o->method.n);
	pp_buf_adds(out, o->method.n ? " " : "");
	if (!is_whole(o->target))
		pp_buf_add(out, o->address.p, o->address.n);
	pp_buf_add(out, o->target.p, o->target.n);
}

static void
part_print(struct pp_buf *out, struct pp_slice text, size_t columns)
{
	struct pp_buf safe = { 0 };

	pp_escape_terminal(&safe, text);
	(void)pp_text_shorten(out, safe.p ? safe.p : "", safe.n, columns);
	out->failed |= safe.failed;
	pp_buf_release(&safe);
}

static void
what_print(const struct pp_occasion *o, struct pp_buf *out)
{
	struct pp_slice target = o->target;

	if (o->target.n) {
		part_print(out, o->method, HOST_COLUMNS);
		pp_buf_adds(out, o->method.n ? " " : "");
	} else {
		target = o->command;
	}
	part_print(out, o->program.n ? o->program : target, WHAT_COLUMNS);
	if (o->program.n) {
		/* Of the command that ran it, its name and "record"; `info` has all of it. */
		pp_buf_adds(out, " (");
		part_print(out, word_next(&target), HOST_COLUMNS);
		pp_buf_adds(out, " record)");
	}
	if (o->pid.n) {
		pp_buf_adds(out, " (pid ");
		part_print(out, o->pid, HOST_COLUMNS);
		pp_buf_adds(out, ")");
	}
	if (o->others) {
		pp_buf_adds(out, " and ");
		pp_units_u64(out, o->others);
		pp_buf_addf(out, " other %s",
		            o->threads ? pp_plural(o->others, "thread", "threads")
		                       : pp_plural(o->others, "command", "commands"));
	}
}

/* "Thu Nov 19 01:36:57 2015", as C prints times, like other dates; in any other words as it is. */
static void
when_print(struct pp_buf *out, struct pp_slice text)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct pp_slice rest = text, month, day, clock, year;
	const char *at;
	uint64_t number, hour, minute;

	(void)word_next(&rest);
	month = word_next(&rest);
	day = word_next(&rest);
	clock = word_next(&rest);
	year = pp_slice_trim(rest);
	at = month.n == 3 ? memmem(months, sizeof months - 1, month.p, 3) : NULL;
	if (!at || (at - months) % 3 || !pp_num_u64(day, &number) || number < 1 || number > 31 ||
	    clock.n != 8 || clock.p[2] != ':' || clock.p[5] != ':' ||
	    !pp_num_u64(pp_slice_of(clock.p, 2), &hour) || hour > 23 ||
	    !pp_num_u64(pp_slice_of(clock.p + 3, 2), &minute) || minute > 59 || year.n != 4 ||
	    !pp_is_digit(year.p[0]) || !pp_is_digit(year.p[1]) || !pp_is_digit(year.p[2]) ||
	    !pp_is_digit(year.p[3])) {
		part_print(out, text, HOST_COLUMNS);
		return;
	}
	pp_buf_addf(out, "%.4s-%02u-%02u %02u:%02u", (const char *)year.p,
	            (unsigned)((at - months) / 3 + 1), (unsigned)number, (unsigned)hour,
	            (unsigned)minute);
}

void
pp_occasion_print(const struct pp_occasion *o, void (*date)(int64_t when, struct pp_buf *),
                  struct pp_buf *out)
{
	size_t from = out->n, stamp;
	bool address = o->address.n && !is_whole(o->target) &&
	               pp_slice_cmp(o->address, o->host) != 0;

	if (o->target.n || o->command.n)
		what_print(o, out);
	if (o->host.n || address) {
		pp_buf_adds(out, out->n > from ? " on " : "on ");
		part_print(out, o->host.n ? o->host : o->address, HOST_COLUMNS);
		if (o->host.n && address) {
			pp_buf_adds(out, " (");
			part_print(out, o->address, HOST_COLUMNS);
			pp_buf_adds(out, ")");
		}
	}
	if ((o->when && date) || o->when_text.n) {
		pp_buf_adds(out, out->n > from ? ", " : "");
		stamp = out->n;
		if (o->when && date)
			date(o->when, out);
		else
			when_print(out, o->when_text);
		if (o->when && out->n > stamp + MINUTES)
			out->n = stamp + MINUTES;
	}
	if (o->has_span) {
		pp_buf_adds(out, out->n > from ? ", " : "");
		pp_units_time(out, o->span);
	}
}

void
pp_answer_occasion(struct pp_answer *a, const struct pp_occasion *o)
{
	struct pp_buf what = { 0 };

	pp_occasion_what(o, &what);
	if (what.n)
		pp_answer_text(a, "what", PP_AS_NAME, pp_slice_of(what.p, what.n));
	if (o->host.n)
		pp_answer_text(a, "host", PP_AS_NAME, o->host);
	a->failed |= what.failed;
	pp_buf_release(&what);
}
