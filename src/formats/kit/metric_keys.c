/*
 * Metrics by keys of a format.
 */
#include "formats/kit/metric_keys.h"

#include <stdlib.h>

#include "formats/format.h"

/* What a name means. */
static const struct pp_metric_key *
key_find(const struct pp_metric_key *k, struct pp_slice name)
{
	while (k->key && !pp_slice_eq_z(name, k->key))
		k++;
	return k;
}

static void
metric_make(struct pp_builder *b, const struct pp_metric_key *k, struct pp_slice name)
{
	struct pp_metric metric = { .name = pp_build_str(b, name),
		                    .unit = pp_build_strz(b, k->unit),
		                    .type = PP_INT,
		                    .kind = k->kind,
		                    .flags = k->flags,
		                    .factor_num = k->factor };

	if (pp_builder_ok(b) && !pp_build_metric_late(b, &metric))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
}

size_t
pp_key_metric(struct pp_builder *b, const struct pp_metric_key *keys, struct pp_slice key,
              size_t most, size_t *next)
{
	const struct pp_profile *p = b->profile;
	size_t n = p->metrics.n, i, at = *next;

	for (i = 0; i < n; i++) {
		at = at < n ? at : 0;
		if (pp_slice_eq(pp_text_of(p, p->metrics.at[at++].name), key)) {
			*next = at;
			return at - 1;
		}
	}
	if (n < most)
		metric_make(b, key_find(keys, key), key);
	return n < most && p->metrics.n > n ? n : most;
}

/* Whether a metric may stand under a key: it means that, and is not called by another key. */
static bool
metric_means(const struct pp_profile *p, const struct pp_metric *m,
             const struct pp_metric_key *keys, const struct pp_metric_key *k)
{
	const struct pp_metric_key *named = key_find(keys, pp_text_of(p, m->name));

	return m->kind == k->kind && pp_slice_eq_z(pp_text_of(p, m->unit), k->unit) &&
	       (named == k || !named->key);
}

/* The metric for a key, of those that have none yet; metrics.n when there is none. */
static size_t
metric_choose(const struct pp_profile *p, const struct pp_key_column *columns,
              const struct pp_metric_key *keys, const struct pp_metric_key *k)
{
	size_t best = p->metrics.n, m;

	for (m = 0; m < p->metrics.n; m++) {
		const struct pp_metric *metric = &p->metrics.at[m];
		bool called = pp_slice_eq_z(pp_text_of(p, metric->name), k->key);

		if (!columns[m].unit && (best == p->metrics.n || called) &&
		    metric_means(p, metric, keys, k))
			best = m;
	}
	return best;
}

struct pp_key_column *
pp_key_columns(struct pp_writer *w, const struct pp_metric_key *keys)
{
	const struct pp_profile *p = w->profile;
	struct pp_key_column *columns = calloc(p->metrics.n + 1, sizeof *columns);
	const struct pp_metric_key *k;
	bool failed = false;
	size_t m;

	for (k = keys; columns && k->key; k++) {
		m = metric_choose(p, columns, keys, k);
		if (m == p->metrics.n && k == keys)
			m = w->metric;
		if (m == p->metrics.n)
			continue;
		/* What counts something else is written as it is. */
		columns[m].unit = pp_slice_eq_z(pp_text_of(p, p->metrics.at[m].unit), k->unit)
		                      ? k->factor
		                      : 1;
		pp_buf_adds(&columns[m].name, k->key);
		pp_loss_metric(w, m, pp_slice_z(k->key), k->unit);
	}
	for (m = 0; columns && m < p->metrics.n; m++) {
		if (!columns[m].unit) {
			columns[m].unit = k->factor;
			pp_metric_label(p, &p->metrics.at[m], &columns[m].name);
			pp_loss_metric(w, m, pp_slice_of("", 0), k->unit);
		}
		failed |= columns[m].name.failed;
	}
	if (!failed)
		return columns;
	pp_key_columns_free(columns, p->metrics.n);
	return NULL;
}

void
pp_key_columns_free(struct pp_key_column *columns, size_t metrics)
{
	size_t m;

	for (m = 0; columns && m < metrics; m++)
		pp_buf_release(&columns[m].name);
	free(columns);
}
