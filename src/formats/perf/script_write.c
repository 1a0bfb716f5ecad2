/*
 * Writing what perf script prints, as its readers expect it (stackcollapse-perf.pl, inferno, speedscope and others):
 *
 *     comm pid/tid [cpu] seconds.nanoseconds:  period event:
 *     TAB address symbol+0xoffset (module)
 *     and an empty line
 *
 * Samples are written one by one where the profile knows when they were. Else each stack is one sample with all that it
 * costs, at the time 0, without which most readers find no period; a comment says so to who reads it again:
 *
 *     # event : name = samples, sums, event = no, unit = samples, metric = samples
 */
#include "formats/perf/perf_script.h"

#include <inttypes.h>

#include "formats/kit/replay.h"

/* The samples of a series that were not written yet. */
struct lane {
	struct pp_timeline_iter it;
	uint32_t series;
};

struct script {
	struct pp_writer *w;
	const struct pp_profile *p;
	struct pp_buf text;
	PP_VEC(struct lane) lanes; /* a heap by time */
	size_t *metric_of;         /* by series: what its samples weigh */
	bool *timed;               /* by series: sample by sample */
	bool places;               /* source lines, too */
	bool any;                  /* something was written */
	uint64_t samples;          /* that were written one by one */
	int64_t first, last;       /* when */
	struct lane stopped;       /* whose stop was written last */
};

/* ---- names ------------------------------------------------------------------------------ */

/* A name as a line can hold it; blanks only where they may be. */
static void
name_put(struct script *s, struct pp_slice name, bool blanks)
{
	bool changed = false;
	size_t i;

	for (i = 0; i < name.n; i++) {
		unsigned char c = name.p[i];
		bool blank = c == ' ' || c == '\t';
		bool bad = c == '\n' || c == '\r' || c == 0 ||
		           (blank && (!blanks || i == 0 || i + 1 == name.n));

		pp_buf_addc(&s->text, bad ? '_' : (char)c);
		changed |= bad;
	}
	s->w->loss.names += changed;
}

/* The event that a metric belongs to, or the metric itself. */
static struct pp_slice
event_name(const struct pp_profile *p, size_t metric)
{
	struct pp_slice event = pp_text_of(p, p->metrics.at[metric].event);

	return event.n ? event : pp_text_of(p, p->metrics.at[metric].name);
}

/* The same as one word. */
static void
event_put(struct script *s, size_t metric)
{
	uint64_t before = s->w->loss.names;

	/* perf calls some events like "raw 0x1a8". */
	name_put(s, event_name(s->p, metric), pp_slice_starts(event_name(s->p, metric), "raw "));
	if (s->w->loss.names > before && s->p->metrics.at[metric].event) {
		s->w->loss.names = before;
		s->w->loss.dropped |= PP_HAS(EVENTS);
	}
}

/* Whether a name ends like an offset, which readers cut off. */
static bool
ends_in_offset(struct pp_slice name)
{
	size_t i = name.n;

	while (i > 0 && pp_perf_hex(name.p[i - 1]))
		i--;
	return i < name.n && i >= 3 && memcmp(name.p + i - 3, "+0x", 3) == 0;
}

static void
module_put(struct script *s, const struct pp_func_row *func, bool inlined)
{
	pp_buf_adds(&s->text, " (");
	if (inlined)
		pp_buf_adds(&s->text, "inlined");
	else if (func->module)
		name_put(s, pp_text_of(s->p, s->p->modules.at[func->module].name), true);
	else
		pp_buf_adds(&s->text, "[unknown]");
	pp_buf_adds(&s->text, ")\n");
}

static void
frame_put(struct script *s, pp_frame id)
{
	const struct pp_frame_row *frame = &s->p->frames.at[id];
	const struct pp_func_row *func = &s->p->funcs.at[frame->func];
	struct pp_slice name = pp_text_of(s->p, func->name), file;
	bool inlined = frame->inline_depth > 0;

	pp_buf_addf(&s->text, "\t%16" PRIx64 " ", frame->address);
	if (name.n)
		name_put(s, name, true);
	else
		pp_buf_adds(&s->text, "[unknown]");
	s->w->loss.names += name.n == 0;
	s->w->loss.dropped |= frame->flags & PP_FRAME_KINDS ? PP_HAS(MARKS) : 0;
	if (!inlined && (frame->offset || ends_in_offset(name)))
		pp_buf_addf(&s->text, "+0x%" PRIx64, frame->offset);
	module_put(s, func, inlined);
	file = pp_text_of(s->p, frame->file ? frame->file : func->file);
	if (s->places && file.n && frame->line) {
		pp_buf_adds(&s->text, "  ");
		name_put(s, file, true);
		pp_buf_addf(&s->text, ":%u\n", frame->line);
	}
}

/* ---- samples ---------------------------------------------------------------------------- */

static void
header_put(struct script *s, const struct pp_series *series, uint32_t cpu, int64_t time)
{
	struct pp_slice comm = pp_text_of(s->p, series->thread);
	uint64_t ns = time > 0 ? (uint64_t)time : 0;

	comm = comm.n ? comm : pp_text_of(s->p, series->process);
	comm = pp_slice_trim(comm);
	if (comm.n && comm.p[0] != '#')
		name_put(s, comm, true);
	else
		pp_buf_adds(&s->text, "all");
	if (series->pid >= 0)
		pp_buf_addf(&s->text, " %" PRId64 "/%" PRId64, series->pid,
		            series->tid >= 0 ? series->tid : series->pid);
	else
		pp_buf_addf(&s->text, " %" PRId64, series->tid >= 0 ? series->tid : 0);
	s->w->loss.made |= series->tid < 0 || !series->thread ? PP_HAS(THREADS) : 0;
	if (cpu || series->cpu >= 0)
		pp_buf_addf(&s->text, " [%03" PRId64 "]",
		            cpu ? (int64_t)cpu - 1 : (int64_t)series->cpu);
	pp_buf_addf(&s->text, " %5" PRIu64 ".%09" PRIu64 ": ", ns / 1000000000, ns % 1000000000);
}

/* One sample; false when the text could not be written. */
static bool
sample_put(struct script *s, uint32_t index, pp_node node, int64_t cell, uint32_t cpu, int64_t time)
{
	const struct pp_series *series = &s->p->series.at[index];
	size_t metric = s->metric_of[index];
	const struct pp_metric *m = &s->p->metrics.at[metric];
	union pp_value value = pp_cell_value(m, cell);
	bool rounded = false;
	int64_t signed_whole;
	uint64_t whole = 0;

	if (m->type == PP_UINT && m->scale == 0 && m->factor_num == m->factor_den) {
		whole = (uint64_t)value.i;
	} else if (!pp_value_whole(m, value, 1, &signed_whole, &rounded)) {
		s->w->loss.too_large++;
	} else if (signed_whole < 0) {
		s->w->loss.negative++;
	} else {
		whole = (uint64_t)signed_whole;
	}
	s->w->loss.rounded += rounded;
	header_put(s, series, cpu, time);
	pp_buf_addf(&s->text, "%10" PRIu64 " ", whole);
	event_put(s, metric);
	pp_buf_adds(&s->text, ": \n");
	for (; node; node = pp_tree_parent(&s->p->tree, node))
		frame_put(s, pp_tree_frame(&s->p->tree, node));
	pp_buf_addc(&s->text, '\n');
	if (!s->text.failed)
		pp_sink_write(s->w->out, s->text.p, s->text.n);
	s->any = true;
	s->text.n = 0;
	return !s->text.failed && s->w->out->status == PP_OK;
}

static bool
earlier(const struct lane *a, const struct lane *b)
{
	return a->it.event.time != b->it.event.time ? a->it.event.time < b->it.event.time
	                                            : a->series < b->series;
}

/* Lets the lane at a place of the heap sink to where it belongs. */
static void
lane_sink(struct script *s, size_t at)
{
	for (;;) {
		size_t least = at, child = 2 * at + 1, k;
		struct lane swap;

		for (k = child; k < child + 2 && k < s->lanes.n; k++)
			if (earlier(&s->lanes.at[k], &s->lanes.at[least]))
				least = k;
		if (least == at)
			return;
		swap = s->lanes.at[at];
		s->lanes.at[at] = s->lanes.at[least];
		s->lanes.at[least] = swap;
		at = least;
	}
}

/* Goes on to the next event of the earliest lane, or drops it. */
static void
lane_next(struct script *s)
{
	struct lane *first = &s->lanes.at[0];

	if (!pp_timeline_next(&first->it)) {
		pp_timeline_end(&first->it);
		*first = s->lanes.at[--s->lanes.n];
	}
	lane_sink(s, 0);
}

/* A thread stops once, however many events were sampled in it. */
static void
stop_put(struct script *s, const struct lane *lane)
{
	const struct pp_series *all = s->p->series.at;
	bool again = s->stopped.it.timeline && s->stopped.it.event.time == lane->it.event.time &&
	             all[s->stopped.series].tid == all[lane->series].tid;

	if (again)
		return;
	s->stopped = *lane;
	header_put(s, &s->p->series.at[lane->series], lane->it.event.extra, lane->it.event.time);
	pp_buf_adds(&s->text, "PERF_RECORD_SWITCH OUT\n");
}

/* All series whose samples are known one by one, in the order of time. */
static pp_status
timelines_write(struct script *s)
{
	pp_status status = PP_OK;
	uint32_t i;
	size_t k;

	for (i = 0; i < s->p->series.n && status == PP_OK; i++) {
		struct lane lane = { .series = i };

		if (!s->timed[i])
			continue;
		if (!pp_timeline_begin(&s->p->series.at[i].timeline, &lane.it, 0) ||
		    !pp_vec_push(&s->lanes, lane)) {
			pp_timeline_end(&lane.it);
			status = PP_E_NOMEM;
		} else {
			(void)pp_timeline_next(&s->lanes.at[s->lanes.n - 1].it);
		}
	}
	for (k = s->lanes.n; k-- > 0;)
		lane_sink(s, k);
	while (status == PP_OK && s->lanes.n) {
		const struct lane *l = &s->lanes.at[0];
		int64_t time = l->it.event.time;
		bool sample = l->it.event.kind == PP_EVENT_SAMPLE;

		s->first = !s->samples || time < s->first ? time : s->first;
		s->last = sample && (!s->samples || time > s->last) ? time : s->last;
		s->samples += sample;
		if (!sample)
			stop_put(s, l);
		else if (!sample_put(s, l->series, l->it.event.node,
		                     l->it.values[s->metric_of[l->series]], l->it.event.extra,
		                     l->it.event.time))
			status = s->text.failed ? PP_E_NOMEM : s->w->out->status;
		lane_next(s);
	}
	while (s->lanes.n)
		pp_timeline_end(&s->lanes.at[--s->lanes.n].it);
	return status;
}

/* The others: each stack once. */
static pp_status
rows_write(struct script *s)
{
	uint32_t i, row;

	for (i = 0; i < s->p->series.n; i++) {
		const struct pp_series *series = &s->p->series.at[i];

		for (row = 0; !s->timed[i] && row < series->rows; row++)
			if (pp_series_present(series, row) &&
			    !sample_put(s, i, pp_series_node(series, row),
			                pp_series_cell(series, row, s->metric_of[i]), 0, 0))
				return s->text.failed ? PP_E_NOMEM : s->w->out->status;
	}
	return PP_OK;
}

/* ---- what is written -------------------------------------------------------------------- */

/* A value of an event's description; empty when it has none. */
static struct pp_slice
meta_below(const struct pp_profile *p, size_t parent, const char *key, size_t *row)
{
	size_t i;

	for (i = parent; i < p->meta.n; i++)
		if (p->meta.at[i].parent == parent &&
		    pp_slice_eq_z(pp_text_of(p, p->meta.at[i].key), key)) {
			*row = i + 1;
			return pp_text_of(p, p->meta.at[i].text);
		}
	*row = 0;
	return pp_slice_of(NULL, 0);
}

/* The description of an event in the metadata, row + 1; 0 = there is none. */
static size_t
event_find(const struct pp_profile *p, struct pp_slice name)
{
	size_t i, list = 0, row;

	for (i = 0; i < p->meta.n; i++) {
		if (!p->meta.at[i].parent && p->meta.at[i].type == PP_META_ARRAY &&
		    pp_slice_eq_z(pp_text_of(p, p->meta.at[i].key), "events"))
			list = i + 1;
		if (list && p->meta.at[i].parent == list &&
		    pp_slice_eq(meta_below(p, i + 1, "name", &row), name))
			return i + 1;
	}
	return 0;
}

/* An event as perf script --header describes it, as far as it is known. */
static void
event_describe(struct script *s, size_t metric)
{
	size_t row, sampling, event = event_find(s->p, event_name(s->p, metric));
	struct pp_slice kind, rate;
	bool freq;

	pp_buf_adds(&s->text, "# event : name = ");
	event_put(s, metric);
	pp_buf_adds(&s->text, ", samples");
	if (event) {
		kind = meta_below(s->p, event, "kind", &row);
		(void)meta_below(s->p, event, "sampling", &sampling);
		freq = sampling &&
		       pp_slice_eq_z(meta_below(s->p, sampling, "mode", &row), "frequency");
		rate = sampling ? meta_below(s->p, sampling,
		                             freq ? "frequency_hz" : "sample_period", &row)
		                : pp_slice_of(NULL, 0);
		pp_buf_addf(&s->text, ", type = %d, size = 136",
		            pp_slice_eq_z(kind, "software") ? 1
		            : pp_slice_eq_z(kind, "probe")  ? 2
		                                            : 0);
		if (rate.n) {
			pp_buf_adds(&s->text, ", { sample_period, sample_freq } = ");
			name_put(s, rate, false);
		}
		pp_buf_adds(&s->text, freq ? ", freq = 1" : "");
	}
	pp_buf_addc(&s->text, '\n');
}

/* The comment that tells sums from samples. */
static void
sums_describe(struct script *s, size_t metric)
{
	const struct pp_metric *m = &s->p->metrics.at[metric];

	pp_buf_adds(&s->text, "# event : name = ");
	event_put(s, metric);
	pp_buf_addf(&s->text, ", sums, event = %s, unit = ", m->event ? "yes" : "no");
	name_put(s, pp_text_of(s->p, m->unit), true);
	pp_buf_adds(&s->text, ", metric = ");
	name_put(s, pp_text_of(s->p, m->name), true);
	pp_buf_addc(&s->text, '\n');
}

/* What samples of an event weigh: the metric that was chosen, else its first one. */
static size_t
metric_for(const struct script *s, pp_str event)
{
	const struct pp_profile *p = s->p;
	size_t m;

	if (!event || p->metrics.at[s->w->metric].event == event)
		return s->w->metric;
	for (m = 0; m < pp_metrics_shown(p); m++)
		if (p->metrics.at[m].event == event)
			return m;
	return s->w->metric;
}

/* Notes that a metric is written, and beside single samples how many they are. */
static void
metric_note(struct script *s, size_t metric, bool timed)
{
	const struct pp_profile *p = s->p;
	const struct pp_metric *own = &p->metrics.at[metric];
	size_t m;

	if (!timed) {
		pp_loss_metric(s->w, metric, pp_slice_of(NULL, 0), NULL);
		return;
	}
	s->w->loss.made |= own->event ? 0 : PP_HAS(EVENTS);
	pp_loss_metric(s->w, metric,
	               pp_slice_z(own->kind == PP_KIND_SAMPLES ? "samples" : "period"),
	               own->kind == PP_KIND_SAMPLES                   ? "samples"
	               : pp_perf_event_is_time(event_name(p, metric)) ? "ns"
	                                                              : "events");
	for (m = 0; m < p->metrics.n; m++)
		if (m != metric && p->metrics.at[m].event == own->event &&
		    p->metrics.at[m].kind == PP_KIND_SAMPLES)
			pp_loss_metric(s->w, m, pp_slice_z("samples"), "samples");
}

/* Samples of a metric are written one by one where all of its series know theirs. */
static pp_status
choose(struct script *s)
{
	const struct pp_profile *p = s->p;
	bool *sums = calloc(p->metrics.n + 1, sizeof *sums);
	bool *used = calloc(p->metrics.n + 1, sizeof *used), fine = sums && used, any = false;
	size_t i;

	s->metric_of = calloc(p->series.n + 1, sizeof *s->metric_of);
	s->timed = calloc(p->series.n + 1, sizeof *s->timed);
	fine = fine && s->metric_of && s->timed;
	for (i = 0; fine && i < p->series.n; i++) {
		const struct pp_series *series = &p->series.at[i];

		s->metric_of[i] = metric_for(s, series->event);
		used[s->metric_of[i]] |= series->rows > 0;
		sums[s->metric_of[i]] |= series->rows &&
		                         !pp_samples_add_up(p, series, s->metric_of[i], &fine);
	}
	for (i = 0; fine && i < p->series.n; i++) {
		s->timed[i] = !sums[s->metric_of[i]];
		if (!s->timed[i] && p->series.at[i].timeline.n)
			s->w->loss.dropped |= PP_HAS(TIMELINE);
	}
	for (i = 0; fine && i < p->metrics.n; i++) {
		if (!used[i])
			continue;
		any = true;
		metric_note(s, i, !sums[i]);
		if (sums[i])
			sums_describe(s, i);
		else
			event_describe(s, i);
	}
	if (fine && !any)
		sums_describe(s, s->w->metric);
	free(sums);
	free(used);
	return fine ? PP_OK : PP_E_NOMEM;
}

/* ---- the lines before ------------------------------------------------------------------- */

/* What perf script --header prints of a recording, where it is one of perf. */
static void
meta_put(struct script *s)
{
	const struct pp_profile *p = s->p;
	const pp_format *native = pp_profile_native(p);
	bool known = false;
	size_t i;

	for (i = 0;
	     i < p->meta.n && (native == &pp_format_perf_script || native == &pp_format_perf);
	     i++) {
		const struct pp_meta_row *row = &p->meta.at[i];
		struct pp_slice key = pp_text_of(p, row->key);

		if (row->parent || row->type != PP_META_TEXT || memchr(key.p, ':', key.n))
			continue;
		known |= pp_slice_eq_z(key, "reference time");
		pp_buf_adds(&s->text, "# ");
		name_put(s, key, true);
		pp_buf_adds(&s->text, " : ");
		name_put(s, pp_text_of(p, row->text), true);
		pp_buf_addc(&s->text, '\n');
	}
	if (!known)
		s->w->loss.dropped |= PP_HAS(RECORDED);
}

/* What names do not tell those who read the text again. */
static void
funcs_check(struct script *s)
{
	const struct pp_profile *p = s->p;
	size_t i;

	for (i = 1; i < p->funcs.n; i++) {
		const struct pp_func_row *f = &p->funcs.at[i];
		const struct pp_module_row *m = f->module ? &p->modules.at[f->module] : NULL;
		bool kernel = m && pp_perf_module_is_kernel(pp_text_of(p, m->name));

		if (kernel != ((f->flags & PP_FUNC_KERNEL) != 0))
			s->w->loss.dropped |= PP_HAS(MARKS);
		if (f->file && !(m && m->kind == PP_MODULE_JIT))
			s->w->loss.dropped |= PP_HAS(FILES) | PP_HAS(FIRST_LINES);
	}
}

/* Processes are called like their first thread; what else a series belongs to is not told. */
static bool
threads_check(struct script *s)
{
	struct pp_map first_of = { .seed = s->p->strs.seed };
	const struct pp_series *all = s->p->series.at;
	bool fine = true;
	size_t i;

	for (i = 0; fine && i < s->p->series.n; i++)
		if (all[i].pid >= 0 && all[i].pid == all[i].tid)
			fine = pp_map_set(&first_of, (uint64_t)all[i].pid, all[i].thread);
	for (i = 0; fine && i < s->p->series.n; i++) {
		uint32_t first = all[i].pid >= 0 ? pp_map_get(&first_of, (uint64_t)all[i].pid)
		                                 : PP_MAP_NONE;

		if (!all[i].rows)
			continue;
		if (all[i].context || all[i].process != (first == PP_MAP_NONE ? 0 : first))
			s->w->loss.dropped |= PP_HAS(THREADS);
	}
	pp_map_release(&first_of);
	return fine;
}

/* Samples that were written make the number and the time that readers see. */
static void
samples_check(struct script *s)
{
	const struct pp_profile *p = s->p;

	if (p->samples && p->samples != s->samples)
		s->w->loss.dropped |= PP_HAS(SAMPLES);
	else if (s->samples != p->samples)
		s->w->loss.made |= PP_HAS(SAMPLES);
	if (p->time.known && (!s->samples || s->first != p->time.start || s->last != p->time.end))
		s->w->loss.dropped |= PP_HAS(TIME);
	else if (!p->time.known && s->samples)
		s->w->loss.made |= PP_HAS(TIME);
}

pp_status
pp_perf_script_write(struct pp_writer *w)
{
	struct script s = { .w = w, .p = w->profile };
	const char *places = pp_option_of(w->opts->options, "srcline");
	pp_status status = PP_OK;

	if (places && strcmp(places, "yes") != 0 && strcmp(places, "no") != 0)
		return PP_E_USAGE;
	s.places = places && strcmp(places, "yes") == 0;
	if (!(w->profile->facets & PP_TREE) && w->profile->metrics.n)
		return PP_E_UNSUPPORTED;
	if (!s.places)
		w->loss.dropped |= PP_HAS(PLACES);
	funcs_check(&s);
	if (!threads_check(&s))
		status = PP_E_NOMEM;
	if (status == PP_OK && w->metric < w->profile->metrics.n) {
		status = choose(&s);
		meta_put(&s);
		if (status == PP_OK)
			status = rows_write(&s);
		if (status == PP_OK)
			status = timelines_write(&s);
		samples_check(&s);
	}
	if (status == PP_OK && s.text.failed)
		status = PP_E_NOMEM;
	/* Nothing at all would be known as nothing. */
	if (status == PP_OK && !s.any && !s.text.n)
		pp_buf_adds(&s.text, "# event : name = none\n");
	if (status == PP_OK && s.text.n)
		pp_sink_write(w->out, s.text.p, s.text.n);
	free(s.metric_of);
	free(s.timed);
	pp_vec_release(&s.lanes);
	pp_buf_release(&s.text);
	return status;
}
