/*
 * Records, the lines of what is no sample: they tell of lost events, of the processes of threads, of the
 * builds of files, and of threads that stop running.
 */
#include "formats/perf/perf_script.h"

#include "base/num.h"
#include "text/units.h"

/* ---- records ---------------------------------------------------------------------------- */

/* The first number in a text; 0 when there is none. */
static uint64_t
first_number(struct pp_slice s)
{
	size_t i = 0, n;
	uint64_t number = 0;

	while (i < s.n && !pp_is_digit(s.p[i]))
		i++;
	for (n = i; n < s.n && pp_is_digit(s.p[n]); n++)
		;
	return pp_num_u64(pp_slice_of(s.p + i, n - i), &number) ? number : 0;
}

/* Two numbers with a character between them, "25928/25930" or "25928:25930", at the start of a text. */
static void
process_learn(struct pp_perf_reader *r, struct pp_slice s, unsigned char between)
{
	const unsigned char *mark = s.n ? memchr(s.p, between, s.n) : NULL;
	uint64_t pid, tid;
	size_t n = 0;

	if (!mark)
		return;
	mark++;
	while (mark + n < s.p + s.n && pp_is_digit(mark[n]))
		n++;
	if (pp_num_u64(pp_slice_of(s.p, (size_t)(mark - 1 - s.p)), &pid) &&
	    pp_num_u64(pp_slice_of(mark, n), &tid) && pid < PP_MAP_NONE &&
	    !pp_map_set(&r->records.pid_of, tid, (uint32_t)pid))
		pp_perf_no_memory(r);
}

/* "... <build id>]: r-xp /path": which build a file is. */
static void
build_id_learn(struct pp_perf_reader *r, struct pp_slice s)
{
	const unsigned char *end = s.p + s.n, *id = memchr(s.p, '<', s.n), *stop, *path;
	size_t i;

	stop = id ? memchr(id, '>', (size_t)(end - id)) : NULL;
	path = stop && end - stop > 9 && memcmp(stop, ">]: ", 4) == 0 ? stop + 9 : NULL;
	if (!path || stop - id < 3 || (stop - id) % 2 == 0)
		return;
	for (i = 1; id + i < stop; i++)
		if (!pp_perf_hex(id[i]))
			return;
	s = pp_slice_of(path, (size_t)(end - path));
	if (s.n > 6 && s.p[0] == '[' && memcmp(s.p + s.n - 6, "]_text", 6) == 0)
		s.n -= 5;
	if (!pp_map_set(&r->records.build_ids, pp_build_str(r->builder, s),
	                pp_build_str(r->builder, pp_slice_of(id + 1, (size_t)(stop - id - 1)))))
		pp_perf_no_memory(r);
}

void
pp_perf_record_take(struct pp_perf_reader *r, struct pp_slice line, const struct pp_perf_header *h)
{
	struct pp_slice rest = h->rest;
	uint64_t lost;
	size_t i;

	if (pp_slice_eq_z(h->event, "PERF_RECORD_LOST") ||
	    pp_slice_eq_z(h->event, "PERF_RECORD_LOST_SAMPLES")) {
		lost = first_number(rest);
		r->counts.lost += lost ? lost : 1;
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_LOST],
		            pp_perf_place_of(r, line.p, line.p), "%llu %s lost here",
		            (unsigned long long)lost, pp_plural(lost, "event was", "events were"));
	} else if (pp_slice_eq_z(h->event, "PERF_RECORD_FORK") && rest.n > 1) {
		process_learn(r, pp_slice_of(rest.p + 1, rest.n - 1), ':');
	} else if (pp_slice_eq_z(h->event, "PERF_RECORD_COMM")) {
		/* "exec: name:pid/tid": the name may hold anything. */
		for (i = rest.n; i > 0 && rest.p[i - 1] != ':'; i--)
			;
		process_learn(r, pp_slice_of(rest.p + i, rest.n - i), '/');
	} else if (pp_slice_starts(h->event, "PERF_RECORD_SWITCH")) {
		/* "OUT", "OUT preempt", "IN", and who comes next. */
		if (h->has_time && h->tid >= 0 && pp_slice_starts(pp_perf_trim(rest), "OUT"))
			pp_perf_stop(&r->records.switches, r->builder, h->tid, h->time);
	} else if (pp_slice_eq_z(h->event, "PERF_RECORD_EXIT")) {
		if (h->has_time && h->tid >= 0)
			pp_perf_stop(&r->records.switches, r->builder, h->tid, h->time);
	} else if (pp_slice_eq_z(h->event, "PERF_RECORD_MMAP2") && rest.n) {
		build_id_learn(r, rest);
	}
	r->cur.record = true;
}
