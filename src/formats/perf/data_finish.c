/*
 * From what was read to the profile: metrics, series, metadata, and what was left out.
 */
#include "formats/perf/data.h"

#include <stdio.h>

/* ---- findings --------------------------------------------------------------------------- */

static void
note(struct pp_pd *d, enum pp_pd_rule rule, uint64_t n, const char *one, const char *many)
{
	if (n)
		pp_diag_add(d->reader->diags, &pp_pd_rules[rule], PP_NOWHERE, "%llu %s",
		            (unsigned long long)n, n == 1 ? one : many);
}

static void
report(struct pp_pd *d)
{
	struct pp_pd_counts *c = &d->counts;

	note(d, PP_PD_EVENT, c->strangers, "sample of an event that is not described",
	     "samples of events that are not described");
	note(d, PP_PD_LOST, c->lost, "record was lost", "records were lost");
	note(d, PP_PD_LOST, c->lost_samples, "sample was lost", "samples were lost");
	note(d, PP_PD_THROTTLED, c->throttled, "pause in sampling", "pauses in sampling");
	note(d, PP_PD_TRACE, c->traces, "record of traces", "records of traces");
	note(d, PP_PD_BRANCHES, c->branches, "sample with branches", "samples with branches");
	note(d, PP_PD_STACKS, c->stacks, "sample whose callers are not all known",
	     "samples whose callers are not all known");
	note(d, PP_PD_RECORDS, c->unknown, "record of an unknown kind", "records of unknown kinds");
	pp_pd_symbols_report(d);
	if (c->errors || c->strangers || c->lost || c->lost_samples)
		d->builder->profile->complete = false;
}

/* ---- events ----------------------------------------------------------------------------- */

/* An event as perf script's header lines would describe it. */
static struct pp_perf_attr
described(struct pp_pd *d, const struct pp_pd_attr *a)
{
	return (struct pp_perf_attr){ .name = pp_text_of(d->builder->profile, a->title),
		                      .type = a->type < INT32_MAX ? (int64_t)a->type : -1,
		                      .freq = a->freq,
		                      .has_rate = a->rate > 0,
		                      .rate = a->rate };
}

/* Two events may have one name: the second is called by its number, too. */
static void
title_settle(struct pp_pd *d, size_t attr)
{
	struct pp_pd_attr *a = &d->attrs.at[attr];
	size_t i;

	pp_pd_attr_title(d, a);
	for (i = 0; i < attr && pp_builder_ok(d->builder); i++)
		if (d->attrs.at[i].samples && d->attrs.at[i].title == a->title) {
			a->title = pp_build_strf(
			    d->builder, "%.*s#%zu",
			    PP_CLIP(pp_text_of(d->builder->profile, a->title), 200), attr + 1);
			return;
		}
}

static void
metrics_build(struct pp_pd *d)
{
	bool any = false;
	size_t i;

	for (i = 0; i < d->attrs.n && pp_builder_ok(d->builder); i++) {
		struct pp_pd_attr *a = &d->attrs.at[i];
		struct pp_perf_attr like;

		if (!a->samples)
			continue;
		title_settle(d, i);
		like = described(d, a);
		a->metric = pp_perf_metrics_build(d->builder, a->title, &like, true, true);
		any = true;
	}
	if (!any)
		(void)pp_build_metric_z(d->builder, "samples", "samples", PP_KIND_SAMPLES, PP_UINT,
		                        PP_METRIC_SAMPLED | PP_METRIC_PRIMARY);
	pp_metrics_settle_primary(d->builder->profile);
}

/* ---- series ----------------------------------------------------------------------------- */

/* Which metric each column became, where stacks were added up. */
static void
columns_settle(struct pp_pd *d)
{
	const struct pp_profile *p = d->builder->profile;
	uint32_t *column_of = calloc(p->metrics.n + 1, sizeof *column_of);
	uint32_t *moved = calloc(p->series.n + 1, sizeof *moved);
	bool any = false;
	size_t i, k;

	for (i = 0; column_of && i < d->attrs.n; i++) {
		const struct pp_pd_attr *a = &d->attrs.at[i];

		for (k = 0; a->column && k < PP_WALK_COLUMNS; k++)
			column_of[a->metric + k] = a->column - 1 + (uint32_t)k;
		any |= a->column > 0;
	}
	if (!column_of || !moved)
		pp_pd_no_memory(d);
	else if (any)
		pp_build_columns_settle(d->builder, column_of, moved);
	free(column_of);
	free(moved);
}

static void
series_settle(struct pp_pd *d)
{
	struct pp_map processes = { .seed = d->builder->seed };
	size_t i;

	for (i = 0; i < d->frames.series.n; i++) {
		const struct pp_pd_series *s = &d->frames.series.at[i];

		/* Processes are called like their first thread. */
		if (s->has_ids && s->pid == s->tid && !pp_map_set(&processes, s->pid, s->comm))
			pp_pd_no_memory(d);
	}
	if (!pp_build_flush(d->builder))
		d->frames.series.n = 0;
	for (i = 0; i < d->frames.series.n && pp_builder_ok(d->builder); i++) {
		const struct pp_pd_series *s = &d->frames.series.at[i];
		const struct pp_pd_attr *a = &d->attrs.at[s->attr];
		struct pp_series *row = &d->builder->profile->series.at[s->index];
		uint32_t process = s->has_ids ? pp_map_get(&processes, s->pid) : PP_MAP_NONE;

		row->event = a->title;
		row->process = process == PP_MAP_NONE ? 0 : process;
		if (!d->frames.walk.sums)
			pp_build_series_settle(d->builder, s->index,
			                       (uint32_t[]){ a->metric, a->metric + 1 },
			                       s->unordered);
	}
	if (d->frames.walk.sums && pp_builder_ok(d->builder))
		columns_settle(d);
	pp_map_release(&processes);
}

/* ---- metadata --------------------------------------------------------------------------- */

static void
meta_text(struct pp_pd *d, const char *key, struct pp_slice text)
{
	if (text.n)
		pp_build_meta_z(d->builder, key, PP_META_TEXT, text);
}

static void
meta_number(struct pp_pd *d, const char *key, uint64_t number, const char *unit)
{
	char text[48];
	int n = snprintf(text, sizeof text, "%llu%s", (unsigned long long)number, unit);

	if (number)
		pp_build_meta_z(d->builder, key, PP_META_TEXT, pp_slice_of(text, (size_t)n));
}

/* Under the keys that perf script --header prints. */
static void
meta_build(struct pp_pd *d)
{
	const struct pp_pd_features *f = &d->features;
	struct pp_buf command = { 0 };
	uint32_t list = 0;
	size_t i;

	for (i = 0; i < f->words; i++) {
		pp_buf_adds(&command, i ? " " : "");
		pp_buf_add(&command, f->command[i].p, f->command[i].n);
	}
	if (command.failed)
		pp_pd_no_memory(d);
	meta_text(d, "hostname", f->hostname);
	meta_text(d, "os release", f->release);
	meta_text(d, "perf version", f->version);
	meta_text(d, "arch", f->arch);
	meta_number(d, "nrcpus online", f->cpus_online, "");
	meta_number(d, "nrcpus avail", f->cpus, "");
	meta_text(d, "cpudesc", f->cpu);
	meta_text(d, "cpuid", f->cpu_id);
	meta_number(d, "total memory", f->memory, " kB");
	meta_number(d, "context switches", d->counts.switches, "");
	meta_text(d, "cmdline", pp_slice_of(command.p ? command.p : "", command.n));
	pp_buf_release(&command);
	pp_pd_symbols_meta(d);
	pp_pd_branches_finish(d);
	for (i = 0; i < d->attrs.n && pp_builder_ok(d->builder); i++) {
		struct pp_perf_attr like = described(d, &d->attrs.at[i]);

		if (!d->attrs.at[i].samples)
			continue;
		if (!list)
			list = pp_build_meta(d->builder, 0, pp_slice_z("events"), PP_META_ARRAY,
			                     pp_slice_of("", 0));
		pp_perf_event_build(d->builder, list, like.name, &like, true);
	}
}

void
pp_pd_finish(struct pp_pd *d)
{
	struct pp_profile *p = d->builder->profile;
	const struct pp_pd_features *f = &d->features;

	report(d);
	p->samples = d->counts.samples;
	p->facets |= PP_TREE;
	p->time.known = d->counts.has_time;
	p->holds |= d->counts.has_time ? PP_TIMELINE : 0u;
	p->time.start = d->counts.time_min;
	p->time.end = d->counts.time_max;
	pp_profile_record_at(p, f->wall);
	p->producer = f->version.n
	                  ? pp_build_strf(d->builder, "perf %.*s", PP_CLIP(f->version, 200))
	                  : pp_build_strz(d->builder, "perf");
	metrics_build(d);
	if (pp_builder_ok(d->builder))
		series_settle(d);
	if (pp_builder_ok(d->builder) && (d->reader->order->facets & PP_META))
		meta_build(d);
}
