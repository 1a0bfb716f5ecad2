/*
 * What people call a metric. Files have keys ("wt", "Ir"); what is printed for people says "wall time" and
 * "instructions". Keys stay in JSON and CSV.
 */
#include "base/num.h"
#include "model/profile.h"
#include "base/slice.h"

/* Keys whose files do not say what they mean. */
static const struct {
	const char *key, *title;
} titles[] = {
	{ "Ir", "instructions" },
	{ "I1mr", "L1 instruction misses" },
	{ "I2mr", "L2 instruction misses" },
	{ "ILmr", "LL instruction misses" },
	{ "Dr", "data reads" },
	{ "D1mr", "L1 read misses" },
	{ "D2mr", "L2 read misses" },
	{ "DLmr", "LL read misses" },
	{ "Dw", "data writes" },
	{ "D1mw", "L1 write misses" },
	{ "D2mw", "L2 write misses" },
	{ "DLmw", "LL write misses" },
	{ "Bc", "conditional branches" },
	{ "Bcm", "conditional mispredictions" },
	{ "Bi", "indirect branches" },
	{ "Bim", "indirect mispredictions" },
	{ "Ge", "global bus events" },
	{ "CEst", "estimated cycles" },
	{ "AcCost1", "L1 access cost" },
	{ "SpLoss1", "L1 spatial loss" },
	{ "AcCost2", "LL access cost" },
	{ "SpLoss2", "LL spatial loss" },
	{ "sysCount", "system calls" },
	{ "sysTime", "system call time" },
	{ "sysCpuTime", "system CPU time" },
	/* Xdebug; what stands behind it in brackets is its unit. */
	{ "Time", "time" },
	{ "Memory", "memory" },
	/* XHProf */
	{ "wt", "wall time" },
	{ "zm", "memory in use" },
	{ "cpu", "CPU time" },
	{ "mu", "memory in use" },
	{ "pmu", "peak memory" },
	{ "mem.na", "memory allocations" },
	{ "mem.nf", "memory frees" },
	{ "mem.aa", "memory allocated" },
	{ "samples", "samples" },
	/* trace events */
	{ "dur", "duration" },
	/* pprof */
	{ "sample", "samples" },
	{ "wall", "wall time" },
	{ "alloc_objects", "objects allocated" },
	{ "alloc_space", "bytes allocated" },
	{ "inuse_objects", "live objects" },
	{ "inuse_space", "live bytes" },
	{ "goroutine", "goroutines" },
	{ "threadcreate", "threads created" },
	/* SPAA */
	{ "alloc_bytes", "bytes allocated" },
	{ "alloc_count", "allocations" },
	{ "free_bytes", "bytes freed" },
	{ "free_count", "frees" },
	{ "live_bytes", "live bytes" },
	{ "live_count", "live allocations" },
	{ "peak_bytes", "peak bytes" },
	{ "peak_count", "peak allocations" },
	/* DHAT */
	{ "tb", "bytes allocated" },
	{ "tbk", "allocations" },
	{ "gb", "bytes at the peak" },
	{ "gbk", "allocations at the peak" },
	{ "eb", "bytes at the end" },
	{ "ebk", "allocations at the end" },
	{ "mb", "most bytes at a time" },
	{ "mbk", "most allocations at a time" },
	{ "rb", "bytes read" },
	{ "wb", "bytes written" },
	/* heap profilers: massif, V8, and others */
	{ "mem_heap_B", "heap memory" },
	{ "selfSize", "live bytes" },
	{ "self_size", "shallow size" },
	{ "temporary_count", "temporary" },
	{ "sampled_alloc_bytes", "sampled bytes" },
	{ "sampled_alloc_count", "sampled allocations" },
	{ "sampled_live_bytes", "sampled live bytes" },
	{ "sampled_live_count", "sampled live allocations" },
};

/* "Time_(10ns)" is "Time". */
static struct pp_slice
key_of(struct pp_slice name)
{
	const unsigned char *bracket = name.n > 3 && name.p[name.n - 1] == ')'
	                                   ? memmem(name.p, name.n, "_(", 2)
	                                   : NULL;

	return bracket && bracket > name.p ? pp_slice_between(name.p, bracket) : name;
}

static bool
is_clock(struct pp_slice event)
{
	return pp_slice_starts(event, "cpu-clock") || pp_slice_starts(event, "task-clock");
}

/* What a metric is called for itself, whatever else there is. */
static void
title_add(const struct pp_profile *p, const struct pp_metric *m, struct pp_buf *out)
{
	struct pp_slice name = pp_text_of(p, m->name), event = pp_text_of(p, m->event);
	struct pp_slice title = pp_text_of(p, m->title), key = key_of(name);
	bool shared = m->flags & PP_METRIC_SHARED;
	size_t i;

	/* The period of an event is how often it happened or, of a clock, how long it ran. */
	if (event.n && pp_slice_eq_z(name, "period")) {
		bool time = pp_slice_eq_z(pp_text_of(p, m->unit), "ns");

		if (time && is_clock(event) && !shared) {
			pp_buf_adds(out, "CPU time");
			return;
		}
		pp_buf_add(out, event.p, event.n);
		pp_buf_adds(out, time ? " time" : "");
		return;
	}
	/* How often a probe fired, or what a map holds: only its name tells, and "@" is none. */
	if (event.n && pp_slice_eq_z(name, "count") && (shared || !pp_slice_eq_z(event, "@"))) {
		pp_buf_add(out, event.p, event.n);
		return;
	}
	/* "sysTime (elapsed ns)" of `sysTime` says no more. */
	if (title.n > name.n && memcmp(title.p, name.p, name.n) == 0)
		title.n = 0;
	for (i = 0; title.n == 0 && i < PP_COUNT_OF(titles); i++)
		if (pp_slice_eq_z(key, titles[i].key))
			title = pp_slice_z(titles[i].title);
	title = title.n ? title : pp_text_of(p, m->title);
	title = title.n ? title : name;
	if (event.n && shared) {
		pp_buf_add(out, event.p, event.n);
		pp_buf_addc(out, ' ');
	}
	pp_buf_add(out, title.p, title.n);
}

/* What several metrics share is told apart by their events, with which their titles begin. */
static bool
may_have_title(const struct pp_profile *p, const struct pp_metric *m, struct pp_slice title)
{
	struct pp_slice event = pp_text_of(p, m->event);

	return !(m->flags & PP_METRIC_SHARED) ||
	       (title.n >= event.n && memcmp(title.p, event.p, event.n) == 0);
}

/* Whether another metric of the profile has the title that this one would have. */
static bool
title_is_taken(const struct pp_profile *p, const struct pp_metric *m, struct pp_slice title)
{
	struct pp_buf other = { 0 };
	bool taken = false;
	size_t i;

	for (i = 0; i < p->metrics.n && !taken; i++) {
		if (!may_have_title(p, &p->metrics.at[i], title))
			continue;
		other.n = 0;
		title_add(p, &p->metrics.at[i], &other);
		taken = (p->metrics.at[i].name != m->name || p->metrics.at[i].event != m->event) &&
		        pp_slice_eq(pp_slice_of(other.p ? other.p : "", other.n), title);
	}
	pp_buf_release(&other);
	return taken;
}

void
pp_metric_title(const struct pp_profile *p, const struct pp_metric *m, struct pp_buf *out)
{
	struct pp_buf label = { 0 };
	size_t before = out->n;
	struct pp_slice title;

	title_add(p, m, out);
	pp_metric_label(p, m, &label);
	title = pp_slice_of(out->p ? out->p + before : "", out->n - before);
	/* One of hundreds that is called by its key need not be compared with the others. */
	if (!out->failed && !pp_slice_eq(title, pp_slice_of(label.p ? label.p : "", label.n)) &&
	    title_is_taken(p, m, title)) {
		out->n = before;
		pp_buf_add(out, label.p, label.n);
	}
	out->failed |= label.failed;
	pp_buf_release(&label);
}

/* As people type it: case does not matter, nor whether words are joined. */
static bool
typed_eq(struct pp_slice typed, const struct pp_buf *title)
{
	size_t i;

	if (typed.n != title->n || typed.n == 0)
		return false;
	for (i = 0; i < typed.n; i++) {
		unsigned char a = typed.p[i], b = (unsigned char)title->p[i];

		a = a == '-' || a == '_'   ? ' '
		    : a >= 'A' && a <= 'Z' ? (unsigned char)(a | 0x20)
		                           : a;
		b = b == '-' || b == '_'   ? ' '
		    : b >= 'A' && b <= 'Z' ? (unsigned char)(b | 0x20)
		                           : b;
		if (a != b)
			return false;
	}
	return true;
}

/* The metric of that title; metrics.n when there is none. */
static size_t
metric_titled(const struct pp_profile *p, struct pp_slice typed)
{
	struct pp_buf title = { 0 };
	size_t i;

	for (i = 0; i < p->metrics.n; i++) {
		title.n = 0;
		pp_metric_title(p, &p->metrics.at[i], &title);
		if (typed_eq(typed, &title))
			break;
	}
	pp_buf_release(&title);
	return i;
}

size_t
pp_profile_metric_find(const struct pp_profile *p, struct pp_slice name)
{
	uint64_t number;
	size_t i;

	for (i = 0; i < p->metrics.n; i++)
		if (pp_metric_is_named(p, &p->metrics.at[i], name))
			return i;
	i = metric_titled(p, name);
	if (i == p->metrics.n && pp_num_u64(name, &number) && number < pp_metrics_shown(p))
		i = (size_t)number;
	return i;
}
