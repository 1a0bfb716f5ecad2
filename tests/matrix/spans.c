/*
 * No thread is busy for longer than the recording lasts: spans DIRECTORY...
 *
 * Reads every file below the directories, sound or damaged. In each that records when things happened, the time that a thread,
 * process or CPU took in all does not exceed the span of the recording and two more steps between moments: the last sample lasts
 * until the end of the recording, which is not a moment.
 *
 * Not every value is made of moments. A few formats state how much a sample weighs, and nothing forces that to fit its times:
 * their samples here are made up. Recordings of perf are real in the corpus only.
 */
#include <ftw.h>
#include <string.h>

#include "api/api.h"
#include "tap.h"

static const char *const stated[] = { "spaa", "otlp" };

static struct {
	unsigned files, series;
	bool real; /* the directory has recordings */
} seen;

static bool
is_stated(const struct pp_profile *p)
{
	size_t i;

	if (!seen.real && strncmp(p->format->name, "perf", 4) == 0)
		return true;
	for (i = 0; i < PP_COUNT_OF(stated); i++)
		if (strcmp(p->format->name, stated[i]) == 0)
			return true;
	return false;
}

/* Whether the metric is time that passes while something runs. "time" of Firefox is a weight of type tracing-ms. */
static bool
is_time(const struct pp_profile *p, const struct pp_metric *m)
{
	if (strcmp(p->format->name, "firefox") == 0 &&
	    pp_slice_eq_z(pp_text_of(p, m->name), "time"))
		return false;
	return (m->kind == PP_KIND_WALL_TIME || m->kind == PP_KIND_CPU_TIME) &&
	       pp_slice_eq_z(pp_text_of(p, m->unit), "ns");
}

/* From the first moment of all series to the last, or as the file states it, whichever is longer. */
static double
recording_span(const struct pp_profile *p)
{
	double first = 0, last = 0;
	bool any = false;
	int64_t from, to;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		if (pp_timeline_span(&p->series.at[i].timeline, &from, &to)) {
			first = !any || (double)from < first ? (double)from : first;
			last = !any || (double)to > last ? (double)to : last;
			any = true;
		}
	if (p->time.known && (double)p->time.end - (double)p->time.start > last - first)
		return (double)p->time.end - (double)p->time.start;
	return last - first;
}

/* The longest step between two moments of a series. */
static double
longest_step(const struct pp_series *s)
{
	struct pp_timeline_iter it;
	double step = 0, last = 0;
	bool any = false;

	if (!pp_timeline_begin(&s->timeline, &it, 0))
		return 0;
	for (; pp_timeline_next(&it); any = true) {
		step = any && (double)it.event.time - last > step ? (double)it.event.time - last
		                                                  : step;
		last = (double)it.event.time;
	}
	pp_timeline_end(&it);
	return step;
}

static double
series_total(const struct pp_profile *p, const struct pp_series *s, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	double sum = 0;
	uint32_t row;

	for (row = 0; row < s->rows; row++)
		if (pp_series_present(s, row))
			sum += pp_value_double(m, pp_cell_value(m, pp_series_cell(s, row, metric)));
	return sum;
}

static void
profile_check(const char *path, const struct pp_profile *p)
{
	double span = recording_span(p);
	bool fine = true, any = false;
	size_t i, k;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];
		double most = s->timeline.n > 1 ? span + 2 * longest_step(s) : 0;

		for (k = 0; s->timeline.n > 1 && k < p->metrics.n; k++) {
			double total;

			if (!is_time(p, &p->metrics.at[k]))
				continue;
			total = series_total(p, s, k);
			seen.series++;
			any = true;
			/* Files round their moments to whole ns, or µs. */
			if (total <= most * (1 + 1e-9) + 1000)
				continue;
			printf("# %.0f ns within %.0f ns\n", total, most);
			fine = false;
		}
	}
	seen.files += any;
	if (any)
		ok(fine, "%s", path);
}

static int
file_check(const char *path, const struct stat *info, int type, struct FTW *where)
{
	struct pp_read_opts opts = { .size = sizeof opts, .want = PP_FACETS, .threads = 1 };
	struct pp_profile *p = NULL;

	(void)where;
	if (type != FTW_F || info->st_size > 4000000)
		return 0;
	if (pp_read_file(path, &opts, NULL, &p) == PP_OK && p->format && !is_stated(p))
		profile_check(path, p);
	pp_profile_release(p);
	return 0;
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		seen.real = i > 1;
		(void)nftw(argv[i], file_check, 16, FTW_PHYS);
	}
	ok(seen.files > 50, "%u files, %u series with times", seen.files, seen.series);
	return tap_done();
}
