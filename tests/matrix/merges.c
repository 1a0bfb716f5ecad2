/*
 * Merging every pair of good samples, both ways round: merges DIRECTORY
 *
 *   - both ways work, or neither does;
 *   - each metric's total is the sum of its files' totals: those of one event and name by themselves, all that mean
 *     the same (kind and unit) together;
 *   - both ways have the same functions with the same costs and calls.
 */
#include <glob.h>
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "model/flat.h"
#include "model/merge.h"
#include "tap.h"

/* Larger samples are merged with a few others only. */
#define SMALL 3000

struct sample {
	const char *path;
	struct pp_profile *p;
};

/* A function's costs in the primary metric, under a name that does not depend on ids. */
struct row {
	char *key;
	uint64_t calls;
	double self, total;
};

static bool
same_text(const struct pp_profile *p, pp_str a, const struct pp_profile *q, pp_str b)
{
	return pp_slice_eq(pp_text_of(p, a), pp_text_of(q, b));
}

static bool
means_the_same(const struct pp_profile *p, const struct pp_metric *a, const struct pp_profile *q,
               const struct pp_metric *b)
{
	return a->kind == b->kind && same_text(p, a->unit, q, b->unit) &&
	       (a->kind != PP_KIND_OTHER || same_text(p, a->name, q, b->name));
}

/* The sum of all totals of metrics that mean the same, or are of the same event and name. */
static double
sum_like(const struct pp_profile *p, const struct pp_profile *q, const struct pp_metric *m,
         bool named)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < p->metrics.n; i++) {
		const struct pp_metric *own = &p->metrics.at[i];

		if (means_the_same(p, own, q, m) &&
		    (!named || (same_text(p, own->event, q, m->event) &&
		                same_text(p, own->name, q, m->name))))
			sum += pp_value_double(own, pp_profile_total(p, i));
	}
	return sum;
}

static bool
is_near(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* Whether all metrics of a profile belong to events. */
static bool
has_events(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->metrics.n && p->metrics.at[i].event; i++)
		;
	return p->metrics.n && i == p->metrics.n;
}

/* Whether totals are the sums of those of the two files. */
static bool
adds_up(const struct pp_profile *both, const struct pp_profile *a, const struct pp_profile *b)
{
	bool named = has_events(a) && has_events(b);
	size_t i;

	for (i = 0; i < both->metrics.n; i++) {
		const struct pp_metric *m = &both->metrics.at[i];
		double sum = sum_like(a, both, m, named) + sum_like(b, both, m, named);
		double got = sum_like(both, both, m, named);

		if (!is_near(sum, got)) {
			printf("# %.*s: %.17g, not %.17g\n", (int)pp_text_of(both, m->name).n,
			       (const char *)pp_text_of(both, m->name).p, got, sum);
			return false;
		}
	}
	return true;
}

static char *
key_of(const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *f = &p->funcs.at[func];
	struct pp_buf key = { 0 };
	struct pp_slice text[] = { pp_text_of(p, f->name), pp_text_of(p, f->file),
		                   pp_text_of(p, p->modules.at[f->module].name) };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(text); i++)
		pp_buf_addf(&key, "%zu:%.*s ", text[i].n, (int)text[i].n, (const char *)text[i].p);
	pp_buf_addf(&key, "%u", f->line);
	return key.p;
}

static int
row_cmp(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->key, ((const struct row *)b)->key);
}

static struct row *
rows_of(const struct pp_profile *p, size_t *n)
{
	size_t i, metric = pp_profile_primary(p);
	const struct pp_metric *m = &p->metrics.at[metric];
	struct pp_flat flat = { 0 };
	struct row *rows;

	*n = 0;
	if (pp_flat_compute(p, &flat) == PP_OK)
		*n = flat.n;
	rows = calloc(*n + 1, sizeof *rows);
	if (!rows)
		abort();
	for (i = 0; i < *n; i++) {
		rows[i].key = key_of(p, flat.func[i]);
		rows[i].calls = flat.has_calls ? flat.calls[i] : 0;
		rows[i].self = pp_value_double(m, flat.self[i * flat.metrics + metric]);
		rows[i].total = pp_value_double(m, flat.total[i * flat.metrics + metric]);
	}
	qsort(rows, *n, sizeof *rows, row_cmp);
	pp_flat_release(&flat);
	return rows;
}

static bool
same_rows(const struct pp_profile *p, const struct pp_profile *q)
{
	size_t n, m, i;
	struct row *a = rows_of(p, &n), *b = rows_of(q, &m);
	bool same = n == m;

	for (i = 0; same && i < n; i++) {
		same = strcmp(a[i].key, b[i].key) == 0 && a[i].calls == b[i].calls &&
		       is_near(a[i].self, b[i].self) && is_near(a[i].total, b[i].total);
		if (!same)
			printf("# %s: %.17g %.17g %llu, %s: %.17g %.17g %llu\n", a[i].key,
			       a[i].self, a[i].total, (unsigned long long)a[i].calls, b[i].key,
			       b[i].self, b[i].total, (unsigned long long)b[i].calls);
	}
	if (n != m)
		printf("# %zu functions, %zu functions\n", n, m);
	/* Where there is nothing, the first says what was counted. */
	if (n && p->metrics.n != q->metrics.n) {
		printf("# %zu metrics, %zu metrics\n", p->metrics.n, q->metrics.n);
		same = false;
	}
	for (i = 0; i < n; i++)
		free(a[i].key);
	for (i = 0; i < m; i++)
		free(b[i].key);
	free(a);
	free(b);
	return same;
}

/* Both ways round; prints only what is wrong, one line for a row of pairs would be too many. */
static bool
pair(const struct sample *a, const struct sample *b, size_t *merged)
{
	struct pp_profile *there[] = { a->p, b->p }, *back[] = { b->p, a->p };
	struct pp_profile *ab = NULL, *ba = NULL;
	pp_status one = pp_profile_merge(there, 2, NULL, &ab);
	pp_status two = pp_profile_merge(back, 2, NULL, &ba);
	bool fine = one == two;

	if (!fine)
		printf("# %s, %s\n", pp_status_text(one), pp_status_text(two));
	if (one == PP_OK && two == PP_OK) {
		fine = adds_up(ab, a->p, b->p) && adds_up(ba, a->p, b->p) && same_rows(ab, ba) &&
		       ab->complete == ba->complete;
		++*merged;
	}
	pp_profile_release(ab);
	pp_profile_release(ba);
	if (!fine)
		printf("# so are %s and %s\n", a->path, b->path);
	return fine;
}

/*
 * Three of them, in two orders, if all have events. Metrics that go by their kind alone may be added to this or
 * that one of three files, whichever comes first.
 */
static bool
triple(const struct sample *a, const struct sample *b, const struct sample *c)
{
	struct pp_profile *there[] = { a->p, b->p, c->p }, *back[] = { b->p, c->p, a->p };
	struct pp_profile *abc = NULL, *bca = NULL;
	pp_status one = pp_profile_merge(there, 3, NULL, &abc);
	pp_status two = pp_profile_merge(back, 3, NULL, &bca);
	bool fine = one != PP_OK || two != PP_OK || !has_events(a->p) || !has_events(b->p) ||
	            !has_events(c->p) || same_rows(abc, bca);

	pp_profile_release(abc);
	pp_profile_release(bca);
	if (!fine)
		printf("# so are %s and %s and %s\n", a->path, b->path, c->path);
	return fine;
}

int
main(int argc, char **argv)
{
	struct sample *samples;
	char pattern[4096];
	size_t i, k, n = 0, merged = 0;
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s/*/good/*", argc > 1 ? argv[1] : ".");
	if (glob(pattern, 0, NULL, &found) != 0) {
		ok(false, "there are samples in %s", pattern);
		return tap_done();
	}
	samples = calloc(found.gl_pathc, sizeof *samples);
	for (i = 0; samples && i < found.gl_pathc; i++) {
		struct sample *s = &samples[n];

		s->path = found.gl_pathv[i];
		if (pp_read_file(s->path, NULL, NULL, &s->p) == PP_OK)
			n++;
	}
	for (i = 0; i < n; i++) {
		bool fine = true;

		for (k = 0; k <= i; k++)
			if (i - k < 4 ||
			    (samples[i].p->tree.n < SMALL && samples[k].p->tree.n < SMALL))
				fine = pair(&samples[i], &samples[k], &merged) && fine;
		for (k = 1; k < 60; k++)
			fine = triple(&samples[i], &samples[i * k % n],
			              &samples[i * (k + 30) % n]) &&
			       fine;
		ok(fine, "%s with all before it", samples[i].path);
	}
	ok(merged > n, "%zu pairs of %zu samples are merged", merged, n);
	for (i = 0; i < n; i++)
		pp_profile_release(samples[i].p);
	free(samples);
	globfree(&found);
	return tap_done();
}
