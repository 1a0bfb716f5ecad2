/*
 * Merging every pair of good samples, both ways round, and threes and fours of them in all orders: merges DIRECTORY
 *
 *   - both ways work, or neither does;
 *   - each metric's total is the sum of its files' totals: those of one event and name by themselves, all that mean
 *     the same (kind and unit) together;
 *   - both ways have the same functions with the same costs and calls;
 *   - each function (name, file, line, module) has its own cost and calls of both files together.
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
	return a->kind == b->kind &&
	       (a->kind == PP_KIND_SAMPLES || same_text(p, a->unit, q, b->unit)) &&
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

/* Functions of modules that differ by more than their names have the same key. */
static int
row_cmp(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c = strcmp(x->key, y->key);

	if (!c)
		c = (x->total > y->total) - (x->total < y->total);
	return c ? c : (x->self > y->self) - (x->self < y->self);
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
		rows[i].self = pp_value_double(m, pp_flat_get(&flat, i, metric).own);
		rows[i].total = pp_value_double(m, pp_flat_get(&flat, i, metric).total);
	}
	qsort(rows, *n, sizeof *rows, row_cmp);
	pp_flat_release(&flat);
	return rows;
}

static void
rows_release(struct row *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(rows[i].key);
	free(rows);
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
	rows_release(a, n);
	rows_release(b, m);
	return same;
}

/* Rows of one key become one: modules that differ by more than their names. */
static size_t
rows_unite(struct row *rows, size_t n)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++) {
		if (kept && strcmp(rows[kept - 1].key, rows[i].key) == 0) {
			rows[kept - 1].self += rows[i].self;
			rows[kept - 1].calls += rows[i].calls;
			free(rows[i].key);
		} else {
			rows[kept++] = rows[i];
		}
	}
	return kept;
}

static const struct row *
row_find(const struct row *rows, size_t n, const char *key)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = strcmp(rows[middle].key, key);

		if (c == 0)
			return &rows[middle];
		low = c < 0 ? middle + 1 : low;
		high = c < 0 ? high : middle;
	}
	return NULL;
}

/* Whether the primary metric of a profile is that of another one. */
static bool
same_primary(const struct pp_profile *p, const struct pp_profile *q)
{
	size_t i = pp_profile_primary(p), k = pp_profile_primary(q);

	return i < p->metrics.n && k < q->metrics.n &&
	       means_the_same(p, &p->metrics.at[i], q, &q->metrics.at[k]) &&
	       same_text(p, p->metrics.at[i].name, q, q->metrics.at[k].name) &&
	       same_text(p, p->metrics.at[i].event, q, q->metrics.at[k].event);
}

/* Whether each function has what it has in the two files, and no other has anything. */
static bool
rows_add_up(const struct pp_profile *both, const struct pp_profile *a, const struct pp_profile *b)
{
	size_t n, m, k, i;
	struct row *rows, *left, *right;
	bool fine = true;

	if (!same_primary(a, b) || !same_primary(a, both))
		return true;
	rows = rows_of(both, &n);
	left = rows_of(a, &m);
	right = rows_of(b, &k);
	n = rows_unite(rows, n);
	m = rows_unite(left, m);
	k = rows_unite(right, k);
	for (i = 0; fine && i < n; i++) {
		const struct row *x = row_find(left, m, rows[i].key);
		const struct row *y = row_find(right, k, rows[i].key);
		double self = (x ? x->self : 0) + (y ? y->self : 0);
		uint64_t calls = (x ? x->calls : 0) + (y ? y->calls : 0);

		fine = is_near(rows[i].self, self) && rows[i].calls == calls;
		if (!fine)
			printf("# %s: %.17g in %llu calls, not %.17g in %llu\n", rows[i].key,
			       rows[i].self, (unsigned long long)rows[i].calls, self,
			       (unsigned long long)calls);
	}
	rows_release(rows, n);
	rows_release(left, m);
	rows_release(right, k);
	return fine;
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
		       rows_add_up(ab, a->p, b->p) && ab->complete == ba->complete;
		++*merged;
	}
	pp_profile_release(ab);
	pp_profile_release(ba);
	if (!fine)
		printf("# so are %s and %s\n", a->path, b->path);
	return fine;
}

static int
double_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Whether all metrics have the same totals, whatever they are called. */
static bool
same_totals(const struct pp_profile *p, const struct pp_profile *q)
{
	double *a = calloc(p->metrics.n + 1, sizeof *a), *b = calloc(q->metrics.n + 1, sizeof *b);
	bool same = a && b && p->metrics.n == q->metrics.n;
	size_t i;

	for (i = 0; same && i < p->metrics.n; i++) {
		a[i] = pp_value_double(&p->metrics.at[i], pp_profile_total(p, i));
		b[i] = pp_value_double(&q->metrics.at[i], pp_profile_total(q, i));
	}
	if (same && p->metrics.n) {
		qsort(a, p->metrics.n, sizeof *a, double_cmp);
		qsort(b, p->metrics.n, sizeof *b, double_cmp);
	}
	for (i = 0; same && i < p->metrics.n; i++)
		same = is_near(a[i], b[i]);
	if (!same)
		printf("# other totals of %zu and %zu metrics\n", p->metrics.n, q->metrics.n);
	free(a);
	free(b);
	return same;
}

/* Several of them in all orders, of which `at` says the first: the same status, metrics, totals and rows. */
static bool
several(const struct sample *const *of, size_t n, size_t *merged)
{
	/* The next order is made by turning the first 2, 3, ... round: every order of up to four comes. */
	static const unsigned char turns[] = { 0, 2, 3, 2, 3, 2, 4, 2, 3, 2, 3, 2,
		                               4, 2, 3, 2, 3, 2, 4, 2, 3, 2, 3, 2 };
	struct pp_profile *order[4], *first = NULL, *other = NULL, *swap;
	pp_status status = PP_OK, again;
	bool fine = true;
	size_t i, k, t, orders = n == 3 ? 6 : 24;

	for (i = 0; i < n; i++)
		order[i] = of[i]->p;
	for (t = 0; fine && t < orders; t++) {
		for (i = 0, k = turns[t]; k && i < --k; i++) {
			swap = order[i];
			order[i] = order[k];
			order[k] = swap;
		}
		again = pp_profile_merge(order, n, NULL, t ? &other : &first);
		status = t ? status : again;
		fine = (again == PP_OK) == (status == PP_OK);
		if (!fine)
			printf("# %s, %s\n", pp_status_text(status), pp_status_text(again));
		if (fine && t && status == PP_OK)
			fine = same_totals(first, other) && same_rows(first, other);
		pp_profile_release(other);
		other = NULL;
	}
	*merged += status == PP_OK;
	pp_profile_release(first);
	for (i = 0; !fine && i < n; i++)
		printf("# so %s %s\n", i ? "and" : "is", of[i]->path);
	return fine;
}

int
main(int argc, char **argv)
{
	struct sample *samples;
	char pattern[4096];
	size_t i, k, n = 0, merged = 0, more = 0;
	uint64_t random = 1;
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
		for (k = 0; k < 8 && samples[i].p->tree.n < SMALL / 4; k++) {
			const struct sample *of[4] = { &samples[i] };
			size_t at = 1;

			while (at < (k ? 3u : 4u)) {
				random = random * 6364136223846793005u + 1442695040888963407u;
				of[at] = &samples[(random >> 33) % n];
				at += of[at]->p->tree.n < SMALL / 4 &&
				      (of[at]->p->tree.n > 1) == (samples[i].p->tree.n > 1);
			}
			fine = several(of, at, &more) && fine;
		}
		ok(fine, "%s with all before it", samples[i].path);
	}
	ok(more > n / 2, "%zu times three or four of them", more);
	ok(merged > n, "%zu pairs of %zu samples are merged", merged, n);
	for (i = 0; i < n; i++)
		pp_profile_release(samples[i].p);
	free(samples);
	globfree(&found);
	return tap_done();
}
