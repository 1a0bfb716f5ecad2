/*
 * Writing a report: its two files, its columns and its json.
 */
#include "formats/spx/write.h"

#include <stdio.h>

#include "base/num.h"

/* Decimals that SPX writes of microseconds, and the most that readers take in the first event. */
#define MICRO_DECIMALS 4
#define DECIMALS_MOST 9
#include "formats/kit/meta_json.h"

/* ---- the pair of files ---- */

/* Opens the file beside ours that differs in its ending; NULL when there can be none. */
static struct pp_sink *
open_beside(struct spx_out *o, const char *base, size_t strip, const char *ending)
{
	struct pp_buf name = { 0 };
	struct pp_sink *made = NULL;

	pp_buf_add(&name, base, strlen(base) - strip);
	pp_buf_adds(&name, ending);
	if (name.failed)
		o->status = PP_E_NOMEM;
	else
		made = o->w->out->open_sibling(o->w->out, name.p);
	pp_buf_release(&name);
	return made;
}

/* "x.spx" is the name of neither file: both are beside it. Returns the length of the ending, 0 = none. */
static size_t
pair_ending(const char *base)
{
	static const char *const endings[] = { ".spx", ".spx.gz", ".spx.zst" };
	size_t strip = 0, i;

	for (i = 0; i < PP_COUNT_OF(endings) && !strip; i++)
		strip = pp_spx_ending(base, endings[i]);
	return strip;
}

/* A path as people type it. */
static const char *
path_shown(const struct pp_sink *out)
{
	return strncmp(out->path, "./", 2) == 0 ? out->path + 2 : out->path;
}

/* Says where the report went, as it is one file more than was named. With --lossless it may yet be dropped. */
static void
report_pair(struct spx_out *o)
{
	if (o->json && o->status == PP_OK && !o->w->opts->lossless)
		pp_diag_add(o->w->diags, &pp_spx_rules[SPX_WRITE_PAIR], PP_NOWHERE,
		            "written: %s and %s", path_shown(o->json), path_shown(o->body));
}

bool
pp_spx_out_open(struct spx_out *o)
{
	static const char *const endings[] = { ".txt.gz", ".txt.zst", ".txt", ".gz", ".zst" };
	struct pp_sink *out = o->w->out;
	const char *slash, *base, *body = o->bars ? ".txt.zst" : ".txt.gz";
	size_t strip = 0, i;

	o->body = out;
	if (!out->path || !out->open_sibling || out->direct)
		return true;
	slash = strrchr(out->path, '/');
	base = slash ? slash + 1 : out->path;
	if ((strip = pp_spx_ending(base, ".json")) != 0) {
		o->json = out;
		o->body = open_beside(o, base, strip, body);
	} else if ((strip = pair_ending(base)) != 0) {
		o->body = open_beside(o, base, strip, body);
		o->json = o->body ? open_beside(o, base, strip, ".json") : NULL;
		out->unnamed = o->json != NULL;
	} else {
		for (i = 0; i < PP_COUNT_OF(endings) && !strip; i++)
			strip = pp_spx_ending(base, endings[i]);
		o->json = open_beside(o, base, strip, ".json");
	}
	if (!o->body || !o->json) {
		/* One stream only: it gets the events. */
		o->body = out;
		o->json = NULL;
	}
	return out->status == PP_OK && o->status == PP_OK;
}

/* ---- columns ---- */

bool
pp_spx_out_is_own(const struct pp_profile *p)
{
	size_t m;

	for (m = 0; m < pp_metrics_shown(p); m++) {
		const struct pp_metric *metric = &p->metrics.at[m];
		const struct spx_metric *known = pp_spx_metric(pp_text_of(p, metric->name));

		if (metric->kind != (known ? known->kind : PP_KIND_OTHER) ||
		    !pp_slice_eq_z(pp_text_of(p, metric->unit), known ? known->unit : "count"))
			return false;
	}
	return true;
}

/* An SPX report has its own columns. */
static void
columns_of_source(struct spx_out *o)
{
	size_t m;

	for (m = 0; m < o->p->metrics.n && m < SPX_METRICS_MAX; m++)
		o->columns[o->n++] = (struct spx_column){
			.key = pp_text_of(o->p, o->p->metrics.at[m].name),
			.metric = m,
		};
}

/* The key under which another format's metric can be written; NULL when there is none. */
static const char *
key_for(const struct pp_profile *p, size_t m)
{
	const struct pp_metric *metric = &p->metrics.at[m];
	const struct spx_metric *known = pp_spx_metric(pp_text_of(p, metric->name));

	if (!known || metric->kind != known->kind)
		known = pp_spx_metric_of(metric->kind);
	return known ? known->key : NULL;
}

static struct spx_column *
column_find(struct spx_out *o, const char *key)
{
	uint32_t j;

	for (j = 0; j < o->n; j++)
		if (pp_slice_eq_z(o->columns[j].key, key))
			return &o->columns[j];
	return NULL;
}

static void
column_add(struct spx_out *o, const char *key, size_t metric)
{
	uint32_t at = o->n;
	size_t rank = pp_spx_metric_rank(pp_slice_z(key));

	if (o->n == SPX_METRICS_MAX)
		return;
	for (; at > 0 && pp_spx_metric_rank(o->columns[at - 1].key) > rank; at--)
		o->columns[at] = o->columns[at - 1];
	o->columns[at] = (struct spx_column){ .key = pp_slice_z(key), .metric = metric };
	o->n++;
}

/* The metrics of another format: those that SPX has a name for, and wt in any case. */
static void
columns_of_other(struct spx_out *o)
{
	const struct pp_profile *p = o->p;
	size_t m;

	for (m = 0; m < p->metrics.n; m++) {
		const char *key = key_for(p, m);

		if (key && !column_find(o, key))
			column_add(o, key, m);
	}
	/* Viewers need wt, so the metric that matters stands there if there is no time. */
	if (!column_find(o, "wt"))
		column_add(o, "wt", o->w->metric);
}

/* ---- units and decimals ---- */

/* Whether SPX measures time under a column's key. */
static bool
is_time(const struct spx_column *c)
{
	const struct spx_metric *known = pp_spx_metric(c->key);

	return known && strcmp(known->unit, "ns") == 0;
}

/*
 * Whether readers will take times as microseconds: because of a column of XHProf's, or because a report of microseconds
 * was read and its times have decimals again.
 */
static bool
is_micro(struct spx_out *o, bool *by_decimals)
{
	bool by_key = (o->json || o->source) && (column_find(o, "mu") || column_find(o, "pmu"));
	uint32_t j;

	*by_decimals = false;
	for (j = 0; o->source && !by_key && j < o->n; j++)
		*by_decimals |= is_time(&o->columns[j]) &&
		                o->p->metrics.at[o->columns[j].metric].factor_num;
	return by_key || *by_decimals;
}

/* Whether a time of the source has decimals, so that it will be written with decimals. */
static bool
has_decimals(const struct spx_out *o)
{
	uint32_t j;

	for (j = 0; j < o->n; j++)
		if (is_time(&o->columns[j]) && o->p->metrics.at[o->columns[j].metric].scale)
			return true;
	return false;
}

/*
 * Chooses the decimals of a column, between `least` and `most`: until each step of its metric is a number of the column.
 * Cells of a source that are such numbers are written as they are; a value between two of them is rounded.
 */
static void
column_scale(const struct spx_out *o, struct spx_column *c, unsigned least, unsigned most)
{
	static const struct pp_metric ns = { .type = PP_INT };
	const struct pp_metric *m = c->metric < o->p->metrics.n ? &o->p->metrics.at[c->metric]
	                                                        : &ns;
	pp_u128 num = m->factor_num ? m->factor_num : 1, den = m->factor_den ? m->factor_den : 1;
	pp_u128 power;
	unsigned i;

	c->in = *m;
	for (i = 0, den *= c->unit; i < m->scale; i++)
		den *= 10;
	most = o->source && m->scale > most ? m->scale : most;
	for (power = 1; c->scale < most && (c->scale < least || num * power % den) &&
	                num * power <= UINT64_MAX / 10;
	     c->scale++)
		power *= 10;
	c->raw = o->source && m->type == PP_INT && num * power == den;
	while (c->in.scale && power > 1) {
		c->in.scale--;
		power /= 10;
	}
	num *= power;
	c->in.factor_num = (uint64_t)num;
	c->decimals = !c->scale ? SPX_WHOLE : is_time(c) && c->unit == 1 ? SPX_TRIMMED : SPX_FIXED;
}

/* Decimals in the first event make times microseconds, so only those have some there. */
static void
columns_scale(struct spx_out *o)
{
	bool by_decimals, micro = is_micro(o, &by_decimals);
	unsigned least = by_decimals && !has_decimals(o) ? MICRO_DECIMALS : 0;
	uint32_t j;

	for (j = 0; j < o->n; j++) {
		struct spx_column *c = &o->columns[j];
		bool is_micro_time = micro && is_time(c);

		c->unit = is_micro_time ? 1000 : 1;
		if (o->source)
			column_scale(o, c, is_micro_time ? least : 0, DECIMALS_MOST);
		else if (is_micro_time)
			column_scale(o, c, MICRO_DECIMALS, MICRO_DECIMALS);
		else
			column_scale(o, c, 0, 0);
	}
}

/* What a reader will see of a column: without a json, its number. */
static void
column_note(struct spx_out *o, uint32_t j)
{
	const struct spx_column *c = &o->columns[j];
	const struct spx_metric *known = pp_spx_metric(c->key);
	char number[32];

	snprintf(number, sizeof number, "column%u", j + 1);
	if (!o->json)
		pp_loss_metric(o->w, c->metric, pp_slice_z(number), "count");
	else if (o->source)
		pp_loss_metric(o->w, c->metric, pp_slice_z(""), NULL);
	else
		pp_loss_metric(o->w, c->metric, c->key, known->unit);
}

void
pp_spx_out_columns(struct spx_out *o)
{
	uint32_t j;

	if (o->source)
		columns_of_source(o);
	else
		columns_of_other(o);
	columns_scale(o);
	for (j = 0; j < o->n; j++)
		if (o->columns[j].metric < o->p->metrics.n)
			column_note(o, j);
}

/* ---- the json ---- */

/* As SPX escapes, but for control characters, which it writes raw. */
static void
put_string(struct pp_sink *s, struct pp_slice text)
{
	size_t i;

	pp_sink_putc(s, '"');
	for (i = 0; i < text.n; i++) {
		unsigned char c = text.p[i];
		const char *special = "\\\"/\b\f\n\r\t", *at = c ? strchr(special, c) : NULL;

		if (at) {
			pp_sink_putc(s, '\\');
			pp_sink_putc(s, "\\\"/bfnrt"[at - special]);
		} else if (c < 0x20) {
			pp_sink_printf(s, "\\u%04x", c);
		} else {
			pp_sink_putc(s, (char)c);
		}
	}
	pp_sink_putc(s, '"');
}

static void
put_key(struct spx_out *o, struct pp_slice key, bool *first)
{
	pp_sink_puts(o->json, *first ? "\n  " : ",\n  ");
	*first = false;
	put_string(o->json, key);
	pp_sink_puts(o->json, ": ");
}

static void
put_metrics(struct spx_out *o)
{
	uint32_t j;

	pp_sink_puts(o->json, "[\n");
	for (j = 0; j < o->n; j++) {
		pp_sink_puts(o->json, j ? "    ," : "    ");
		put_string(o->json, o->columns[j].key);
		pp_sink_putc(o->json, '\n');
	}
	pp_sink_puts(o->json, "  ]");
}

/* A row of metadata with all that is below it. SPX has no such rows; text keeps all its bytes. */
static void
put_meta(struct spx_out *o, size_t row)
{
	const struct pp_meta_row *r = &o->p->meta.at[row];
	struct pp_json json;

	if (r->type == PP_META_TEXT) {
		put_string(o->json, pp_text_of(o->p, r->text));
		return;
	}
	pp_json_init(&json, o->json, PP_JSON_SPACED);
	pp_meta_json_write(&json, o->p, row, false);
}

/* What was counted in writing, and the name, by which SPX's viewers look for the body; false for other keys. */
static bool
put_counted(struct spx_out *o, struct pp_slice key)
{
	const char *slash = strrchr(o->json->path, '/'), *base = slash ? slash + 1 : o->json->path;

	if (pp_slice_eq_z(key, "key"))
		put_string(o->json, pp_slice_of(base, strlen(base) - pp_spx_ending(base, ".json")));
	else if (pp_slice_eq_z(key, "called_function_count"))
		pp_sink_u64(o->json, o->listed);
	else if (pp_slice_eq_z(key, "call_count") || pp_slice_eq_z(key, "recorded_call_count"))
		pp_sink_u64(o->json, o->calls);
	else if (pp_slice_eq_z(key, "enabled_metrics"))
		put_metrics(o);
	else
		return false;
	return true;
}

/* A key that the profile knows nothing of. */
static void
put_default(struct spx_out *o, const struct spx_key *key)
{
	if (put_counted(o, pp_slice_z(key->name)))
		return;
	if (strcmp(key->name, "exec_ts") == 0)
		pp_sink_u64(o->json, o->p->recorded_at > 0 ? (uint64_t)o->p->recorded_at : 0);
	else if (strcmp(key->name, "wall_time_ms") == 0)
		pp_sink_u64(o->json, o->wall > 0 ? (uint64_t)o->wall / 1000 : 0);
	else if (strcmp(key->name, "peak_memory_usage") == 0)
		pp_sink_u64(o->json, (uint64_t)o->peak);
	else
		pp_sink_puts(o->json, key->otherwise);
}

/* Keys that are absent come before the next known one that is there, so the order stays SPX's. */
static void
put_absent(struct spx_out *o, size_t from, size_t to, uint64_t present, bool *first)
{
	for (; from < to; from++)
		if (!(present >> from & 1)) {
			put_key(o, pp_slice_z(pp_spx_keys[from].name), first);
			put_default(o, &pp_spx_keys[from]);
		}
}

static size_t
rank_of(struct pp_slice key)
{
	size_t i;

	for (i = 0; i < SPX_KEYS; i++)
		if (pp_slice_eq_z(key, pp_spx_keys[i].name))
			break;
	return i;
}

void
pp_spx_out_json(struct spx_out *o)
{
	const struct pp_profile *p = o->p;
	uint64_t present = 0, written = 0;
	bool first = true;
	size_t i, next = 0;

	for (i = 0; o->source && i < p->meta.n; i++)
		if (p->meta.at[i].parent == 0 && rank_of(pp_text_of(p, p->meta.at[i].key)) < 64)
			present |= (uint64_t)1 << rank_of(pp_text_of(p, p->meta.at[i].key));
	pp_sink_putc(o->json, '{');
	for (i = 0; o->source && i < p->meta.n && o->status == PP_OK;) {
		struct pp_slice key = pp_text_of(p, p->meta.at[i].key);
		size_t rank = rank_of(key), row = i++;

		while (i < p->meta.n && p->meta.at[i].parent != 0)
			i++;
		if (rank < SPX_KEYS) {
			if (rank > next) {
				put_absent(o, next, rank, present, &first);
				next = rank;
			}
			if (written >> rank & 1)
				continue;
			written |= (uint64_t)1 << rank;
		}
		put_key(o, key, &first);
		if (!put_counted(o, key))
			put_meta(o, row);
	}
	put_absent(o, next, SPX_KEYS, present, &first);
	pp_sink_puts(o->json, "\n}\n");
}

void
pp_spx_out_report(struct spx_out *o)
{
	struct pp_loss *loss = &o->w->loss;
	size_t deepest = o->bars ? 16384 : 2048, i;

	for (i = 0; i < o->sites.at.n; i++)
		loss->more[PP_TRAIT_SITES] -= o->sites.at.at[i].given;
	if (!o->json) {
		loss->more[PP_TRAIT_RECORDED] += o->p->recorded_at != 0;
		loss->more[PP_TRAIT_METADATA] += o->source ? (int64_t)o->p->meta.n : 0;
	}
	report_pair(o);
	if (o->funcs.n > 65536 || o->deepest > deepest)
		pp_diag_add(
		    o->w->diags, &pp_spx_rules[SPX_WRITE_LIMIT], PP_NOWHERE,
		    "%zu functions and stacks of %zu frames are more than SPX itself writes",
		    o->funcs.n, o->deepest);
}
