/*
 * The lines of perf script: headers of every layout, frames with names that hurt.
 */
#include "tap.h"

#include <stdio.h>

#include "formats/perf/perf_script.h"

static bool
is(struct pp_slice s, const char *z)
{
	return pp_slice_eq_z(s, z);
}

struct header_case {
	const char *line;
	enum pp_perf_header_kind kind;
	const char *comm;
	int64_t pid, tid, cpu, time, period; /* -1 = none */
	const char *event, *rest;
};

static const struct header_case headers[] = {
	{ "cpu_fp 25928 [001]  2256.959900:    1003009 cpu-clock: ", PP_PERF_SAMPLE, "cpu_fp", -1,
	  25928, 1, 2256959900000, 1003009, "cpu-clock", "" },
	{ "cpu_fp 25928/25930 [001]  2256.959900678:    1003009 cpu-clock: ", PP_PERF_SAMPLE,
	  "cpu_fp", 25928, 25930, 1, 2256959900678, 1003009, "cpu-clock", "" },
	{ "wrk (1) x 25931 [001] U      2256.959900:    1003009 cycles:u: ", PP_PERF_SAMPLE,
	  "wrk (1) x", -1, 25931, 1, 2256959900000, 1003009, "cycles:u", "" },
	{ "wrk 0:a 25930  2256.965744: cpu-clock:ppp: ", PP_PERF_SAMPLE, "wrk 0:a", -1, 25930, -1,
	  2256965744000, -1, "cpu-clock:ppp", "" },
	{ "          cpu_fp 25928 [001]  2256.959900:    1003009 cpu-clock:      5564 fib+0x14 (/a)",
	  PP_PERF_SAMPLE, "cpu_fp", -1, 25928, 1, 2256959900000, 1003009, "cpu-clock",
	  "5564 fib+0x14 (/a)" },
	{ "  app 1 [000] 1.5: 5 cycles:", PP_PERF_SAMPLE, "app", -1, 1, 0, 1500000000, 5, "cycles",
	  "" },
	{ "app 5 [000]  1.000000: sched:sched_switch: prev_comm=a: 7 1.000000: x ==> y",
	  PP_PERF_SAMPLE, "app", -1, 5, 0, 1000000000, -1, "sched:sched_switch",
	  "prev_comm=a: 7 1.000000: x ==> y" },
	{ "app 5 [000]  1.000000:          1 syscalls:sys_enter_read: fd: 0x00000003",
	  PP_PERF_SAMPLE, "app", -1, 5, 0, 1000000000, 1, "syscalls:sys_enter_read",
	  "fd: 0x00000003" },
	{ "app 5 [000]  1.000000:          1 raw 0x1a8: ", PP_PERF_SAMPLE, "app", -1, 5, 0,
	  1000000000, 1, "raw 0x1a8", "" },
	/* comms that look like headers */
	{ "a 12 3.000000:    77 [001]  5.000000:  100 cycles: ", PP_PERF_SAMPLE,
	  "a 12 3.000000:", -1, 77, 1, 5000000000, 100, "cycles", "" },
	{ "1.5: x    77 [001]  5.000000:  100 cycles: ", PP_PERF_SAMPLE, "1.5: x", -1, 77, 1,
	  5000000000, 100, "cycles", "" },
	{ "a 5 b:    77 [001]  5.000000:  100 cycles: ", PP_PERF_SAMPLE, "a 5 b:", -1, 77, 1,
	  5000000000, 100, "cycles", "" },
	{ "x [001] 9 U    77 [001] U 5.000000:  100 cycles: ", PP_PERF_SAMPLE, "x [001] 9 U", -1,
	  77, 1, 5000000000, 100, "cycles", "" },
	{ "kworker/0:1     7 [000]  5.000000:  100 cycles: ", PP_PERF_SAMPLE, "kworker/0:1", -1, 7,
	  0, 5000000000, 100, "cycles", "" },
	{ ":-1    -1 [000]  5.000000:  100 cycles: ", PP_PERF_SAMPLE, ":-1", -1, -1, 0, 5000000000,
	  100, "cycles", "" },
	/* fields that are missing */
	{ "java  3244 cpu-clock: ", PP_PERF_SAMPLE, "java", -1, 3244, -1, -1, -1, "cpu-clock", "" },
	{ "java  3244     100 cycles: ", PP_PERF_SAMPLE, "java", -1, 3244, -1, -1, 100, "cycles",
	  "" },
	{ "java 1 3244 cycles: ", PP_PERF_SAMPLE, "java 1", -1, 3244, -1, -1, -1, "cycles", "" },
	{ "java 3244 [002] cycles: ", PP_PERF_SAMPLE, "java", -1, 3244, 2, -1, -1, "cycles", "" },
	{ "java 3244 [002]        7 cycles: ", PP_PERF_SAMPLE, "java", -1, 3244, 2, -1, 7, "cycles",
	  "" },
	{ "cpu_fp 25928  2256.959900: ", PP_PERF_SAMPLE, "cpu_fp", -1, 25928, -1, 2256959900000, -1,
	  "", "" },
	{ "12279.350761: ", PP_PERF_SAMPLE, "", -1, -1, -1, 12279350761000, -1, "", "" },
	{ "cpu_fp 25928 12279.350761:    5000000 ", PP_PERF_SAMPLE, "cpu_fp", -1, 25928, -1,
	  12279350761000, 5000000, "", "" },
	{ "cpu_fp 25928 12279.350761:      559902469690", PP_PERF_SAMPLE, "cpu_fp", -1, 25928, -1,
	  12279350761000, -1, "", "559902469690" },
	{ "cpu_fp 25928 ", PP_PERF_LOOSE, "cpu_fp", -1, 25928, -1, -1, -1, "", "" },
	{ "cpu-clock: ", PP_PERF_LOOSE, "", -1, -1, -1, -1, -1, "cpu-clock", "" },
	{ "cpu-clock:      55f9c024d269 f (/bin/a)", PP_PERF_SAMPLE, "", -1, -1, -1, -1, -1,
	  "cpu-clock", "55f9c024d269 f (/bin/a)" },
	/* records */
	{ "wrk 0:a 25930 [001]  2256.964763: PERF_RECORD_COMM: wrk 0:a:25928/25930", PP_PERF_RECORD,
	  "wrk 0:a", -1, 25930, 1, 2256964763000, -1, "PERF_RECORD_COMM", ": wrk 0:a:25928/25930" },
	{ "a 5  1.000000: PERF_RECORD_SWITCH OUT preempt", PP_PERF_RECORD, "a", -1, 5, -1,
	  1000000000, -1, "PERF_RECORD_SWITCH", "OUT preempt" },
	{ "a 5  1.000000: PERF_RECORD_FORK(1:2):(1:1)", PP_PERF_RECORD, "a", -1, 5, -1, 1000000000,
	  -1, "PERF_RECORD_FORK", "(1:2):(1:1)" },
	{ "PERF_RECORD_FINISHED_ROUND", PP_PERF_RECORD, "", -1, -1, -1, -1, -1,
	  "PERF_RECORD_FINISHED_ROUND", "" },
	/* no headers */
	{ "the quick brown fox jumps over the lazy dog and goes on to run away", PP_PERF_NO_HEADER,
	  NULL, 0, 0, 0, 0, 0, NULL, NULL },
	{ "Note: something happened", PP_PERF_LOOSE, "Note: something happened", -1, -1, -1, -1, -1,
	  "", "" },
};

static void
check_headers(void)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(headers); i++) {
		const struct header_case *c = &headers[i];
		struct pp_perf_header h;
		enum pp_perf_header_kind kind = pp_perf_header_parse(pp_slice_z(c->line), &h);

		ok(kind == c->kind &&
		       (!c->comm || (is(h.comm, c->comm) && h.pid == c->pid && h.tid == c->tid &&
		                     h.cpu == c->cpu && (h.has_time ? h.time : -1) == c->time &&
		                     (h.has_period ? (int64_t)h.period : -1) == c->period &&
		                     is(h.event, c->event) && is(h.rest, c->rest) && !h.wrong)),
		   "header: %s", c->line);
	}
}

static void
check_numbers(void)
{
	static const char *const wrong[] = {
		"a 5  4611686018.000000: 1 cycles: ",
		"a 5  1.000000: 18446744073709551616 cycles: ",
		"a 9223372036854775808  1.000000: 1 cycles: ",
		"a 5 [9223372036854775808]  1.000000: 1 cycles: ",
	};
	struct pp_perf_header h;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(wrong); i++)
		ok(pp_perf_header_parse(pp_slice_z(wrong[i]), &h) == PP_PERF_SAMPLE && h.wrong,
		   "too large: %s", wrong[i]);
	ok(pp_perf_header_parse(pp_slice_z("a 5  4611686017.999999999: "
	                                   "18446744073709551615 cycles: "),
	                        &h) == PP_PERF_SAMPLE &&
	       !h.wrong && h.time == 4611686017999999999 && h.period == UINT64_MAX,
	   "the largest numbers");
}

struct frame_case {
	const char *text;
	uint64_t ip, offset;
	const char *symbol, *dso;
	bool inlined;
};

static const struct frame_case frames[] = {
	{ "12a5 fib+0x1e (/bin/app)", 0x12a5, 0x1e, "fib", "/bin/app", false },
	{ "12a5 fib (/bin/app)", 0x12a5, 0, "fib", "/bin/app", false },
	{ "12a5 fib+0x1e", 0x12a5, 0x1e, "fib", "", false },
	{ "12a5", 0x12a5, 0, "", "", false },
	{ "12a5 (/bin/app)", 0x12a5, 0, "", "/bin/app", false },
	{ "3fb9c msort+0x23c (inlined)", 0x3fb9c, 0x23c, "msort", "", true },
	{ "1 find(int const&) const+0x10 (/a b/c (deleted))", 1, 0x10, "find(int const&) const",
	  "/a b/c (deleted)", false },
	{ "3 (anonymous namespace)::g()+0x1 (/x)", 3, 1, "(anonymous namespace)::g()", "/x",
	  false },
	{ "3 (anonymous namespace)::Op::operator()", 3, 0, "(anonymous namespace)::Op::operator()",
	  "", false },
	{ "4 [unknown] ([unknown])", 4, 0, "[unknown]", "[unknown]", false },
	{ "7 operator+=+0x5 (/lib/x)", 7, 5, "operator+=", "/lib/x", false },
	{ "7 f+0xffff018fd5dce000 (/lib/x)", 7, 0xffff018fd5dce000, "f", "/lib/x", false },
	{ "ffffffffffffffff f (/lib/x+0x12)", UINT64_MAX, 0, "f", "/lib/x", false },
	{ "8 f (/odd (path)", 8, 0, "f", "/odd (path", false },
	{ "8 f (/odd) path)", 8, 0, "f", "/odd) path", false },
	{ "9 LazyCompile:~a b.js:1:2+0x3 (/tmp/perf-1.map)", 9, 3, "LazyCompile:~a b.js:1:2",
	  "/tmp/perf-1.map", false },
	{ "9 f+0x", 9, 0, "f+0x", "", false },
};

static void
check_frames(void)
{
	static const char *const none[] = { "",          "x",      "12345678901234567 f (/a)",
		                            "12a5f+0x1", "0x12 f", "12A5 f" };
	struct pp_perf_frame f;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(frames); i++) {
		const struct frame_case *c = &frames[i];

		ok(pp_perf_frame_parse(pp_slice_z(c->text), &f) && f.ip == c->ip &&
		       f.offset == c->offset && is(f.symbol, c->symbol) && is(f.dso, c->dso) &&
		       f.inlined == c->inlined,
		   "frame: %s", c->text);
	}
	for (i = 0; i < PP_COUNT_OF(none); i++)
		ok(!pp_perf_frame_parse(pp_slice_z(none[i]), &f), "no frame: '%s'", none[i]);
}

static void
check_rest(void)
{
	static const struct {
		const char *rest, *event, *frame; /* NULL = none */
	} cases[] = {
		{ "5564 fib+0x14 (/a)", "cycles", "5564 fib+0x14 (/a)" },
		{ "0     5564 fib+0x14 (/a)", "cycles", "5564 fib+0x14 (/a)" },
		{ "0     5564 fib (x)+0x14 (/a)               0", "cycles",
		  "5564 fib (x)+0x14 (/a)" },
		{ "5564 fib+0x14 (/a) ABI:2    AX:0x1", "cycles", "5564 fib+0x14 (/a)" },
		{ "5564 dead (/a)", "cycles", "5564 dead (/a)" },
		{ "0", "cycles", "0" },
		{ "fd: 0x3", "syscalls:sys_enter_read", NULL },
		{ "12 34", "sched:x", NULL },
		{ "ffffffff81000000 f (/a)", "sched:x", "ffffffff81000000 f (/a)" },
		{ "(55c92b78c219) n=0x1000", "probe_a:b", NULL },
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(cases); i++) {
		struct pp_slice rest = pp_slice_z(cases[i].rest);
		bool found = pp_perf_rest_frame(&rest, pp_slice_z(cases[i].event));

		ok(found ? cases[i].frame && is(rest, cases[i].frame) : !cases[i].frame,
		   "behind the event: %s", cases[i].rest);
	}
}

static void
check_places(void)
{
	static const struct {
		const char *text, *file;
		uint32_t line;
		bool inlined;
	} cases[] = {
		{ "cpu.c:29", "cpu.c", 29, false },
		{ "msort.c:82 (inlined)", "msort.c", 82, true },
		{ "a b.c:7 (discriminator 3)", "a b.c", 7, false },
		{ "a.c:7 (discriminator 3) (inlined)", "a.c", 7, true },
		{ "C:\\x\\a.c:7", "C:\\x\\a.c", 7, false },
		{ "libc-2.33.so[27b25]", "", 0, false },
		{ "??:0", "", 0, false },
		{ "a.c:4294967296", "", 0, false },
		{ "", "", 0, false },
	};
	struct pp_perf_place place;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(cases); i++) {
		pp_perf_place_parse(pp_slice_z(cases[i].text), &place);
		ok(is(place.file, cases[i].file) && place.line == cases[i].line &&
		       place.inlined == cases[i].inlined,
		   "place: %s", cases[i].text);
	}
}

static void
check_events(void)
{
	static const struct {
		const char *event, *base;
		bool probe;
	} cases[] = {
		{ "cycles", "cycles", false },
		{ "cycles:u", "cycles", false },
		{ "cpu-clock:ppp", "cpu-clock", false },
		{ "sched:sched_switch", "sched:sched_switch", true },
		{ "probe_a:b:u", "probe_a:b", true },
		{ "cpu/event=0x3c/:u", "cpu/event=0x3c/", false },
		{ "mem:0x55:rw", "mem:0x55:rw", false },
		{ "a:", "a:", true },
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(cases); i++)
		ok(is(pp_perf_event_base(pp_slice_z(cases[i].event)), cases[i].base) &&
		       pp_perf_event_is_probe(pp_slice_z(cases[i].event)) == cases[i].probe,
		   "event: %s", cases[i].event);
}

int
main(void)
{
	check_headers();
	check_numbers();
	check_frames();
	check_rest();
	check_places();
	check_events();
	return tap_done();
}
