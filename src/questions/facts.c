/*
 * Facts about one profile.
 */
#include "formats/format.h"
#include "questions/describe.h"
#include "questions/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/estimate.h"
#include "analysis/name_class.h"
#include "base/sort.h"
#include "text/suggest.h"
#include "text/units.h"

#define HOT_SELF 0.10
#define HOT_PARENT 0.5
#define HOT_LEAST 0.1
#define HOT_DEPTH 3
#define CONCENTRATED 0.8
#define CLASS_LEAST 0.10
#define UNKNOWN_LEAST 0.05
#define FEW_SAMPLES 200
#define IDS_SHOWN PP_FACT_IDS
#define NET_EXCESS 1.05
/* Bytes of a name, and where there is less room. */
#define NAME_BYTES 160
#define NAME_LEAST 24

/* ---- stating ---- */

static size_t
name_bytes(const struct pp_excerpt *x)
{
	if (x->head.text || x->tight == 1)
		return PP_FACT_NAME_BYTES;
	return x->tight ? NAME_LEAST : NAME_BYTES;
}

void
pp_fact_begin(struct pp_stating *s, struct pp_facts *f)
{
	*s = (struct pp_stating){ .facts = f };
	s->row = (struct pp_row){ .text = f->x->head.text, .clip = name_bytes(f->x) };
	s->row.out = &s->bytes;
	pp_row_open(&s->row, '{');
}

/* What to type next; "" when there is nothing. */
static const char *
command_make(struct pp_facts *f, const char *tool, const char *key, const char *value)
{
	const char *file = f->topic->file, *metric = f->x->asked->metric, *made;
	struct pp_buf bytes = { 0 };

	if (!tool || !file)
		return "";
	pp_buf_addf(&bytes, "polyprof %s ", tool);
	if (key)
		pp_buf_addf(&bytes, "%s%s ", strcmp(key, "node") == 0 ? "--node " : "", value);
	/* Some speak of all metrics at once. */
	if (metric && strcmp(tool, "show") != 0 && strcmp(tool, "check") != 0) {
		pp_buf_adds(&bytes, "-m ");
		pp_suggest_word(&bytes, metric);
		pp_buf_addc(&bytes, ' ');
	}
	pp_suggest_word(&bytes, file);
	made = pp_answer_copy(f->x->answer, pp_slice_of(bytes.p ? bytes.p : "", bytes.n));
	f->failed |= bytes.failed;
	pp_buf_release(&bytes);
	return made;
}

static const char *
next_make(struct pp_facts *f, const char *tool, const char *key, const char *value)
{
	struct pp_buf bytes = { 0 };
	struct pp_row row = { .out = &bytes, .text = f->x->head.text, .clip = PP_FACT_NAME_BYTES };
	const char *made;

	if (tool) {
		pp_row_open(&row, '{');
		pp_row_key(&row, "tool");
		pp_row_word(&row, tool);
		if (key) {
			pp_row_key(&row, key);
			pp_row_word(&row, value);
		}
		pp_row_close(&row, '}');
	} else {
		pp_row_null(&row);
	}
	made = pp_answer_copy(f->x->answer, pp_slice_of(bytes.p ? bytes.p : "", bytes.n));
	f->failed |= bytes.failed;
	pp_buf_release(&bytes);
	return made;
}

/* Whoever has room for more of a name than the sentence shows of it needs to know where it stands. */
static void
name_find(const struct pp_stating *s, struct pp_fact *fact)
{
	const struct pp_handles *h = s->facts->handles;
	pp_func func = fact->of_function ? pp_handles_func(h, fact->handle) : 0;

	if (!func || !pp_slice_eq(pp_text_of(h->profile, h->profile->funcs.at[func].name), s->name))
		return;
	fact->name_at = s->name_at;
	fact->name_end = s->name_end;
}

void
pp_fact_end(struct pp_stating *s, const char *kind, double weight, uint64_t handle,
            const char *tool, const char *key, const char *value)
{
	struct pp_facts *f = s->facts;
	const struct pp_buf *stated = s->row.text ? &s->said : &s->bytes;
	struct pp_fact fact = { .kind = kind, .handle = handle };
	bool calls = f->profile->tree.n > 1 || f->profile->calls.rows.n;

	/* Where nobody knows who called whom there is only the function itself to look at. */
	if (key && !calls && strcmp(key, "function") == 0)
		tool = "show";

	pp_row_close(&s->row, '}');
	fact.of_function = handle && key && strcmp(key, "function") == 0;
	name_find(s, &fact);
	fact.share = weight > 1 ? 1 : weight > 0 ? weight : 0;
	/* As it is shown: what looks the same is in the order of kinds. */
	fact.weight = round(fact.share * 1e4) / 1e4;
	fact.evidence = pp_answer_copy(f->x->answer,
	                               pp_slice_of(stated->p ? stated->p : "", stated->n));
	fact.next = s->row.text ? command_make(f, tool, key, value)
	                        : next_make(f, tool, key, value);
	f->failed |= s->bytes.failed || s->said.failed || !pp_vec_push(&f->list, fact);
	pp_buf_release(&s->bytes);
	pp_buf_release(&s->said);
}

double
pp_facts_self(const struct pp_facts *f, size_t row)
{
	return pp_value_double(&f->profile->metrics.at[f->metric],
	                       pp_flat_gained(&f->flat, row, f->metric).own);
}

double
pp_facts_total(const struct pp_facts *f, size_t row)
{
	return pp_value_double(&f->profile->metrics.at[f->metric],
	                       pp_flat_gained(&f->flat, row, f->metric).total);
}

void
pp_fact_function(struct pp_row *r, const struct pp_facts *f, const char *id, const char *name,
                 pp_func func)
{
	pp_row_key(r, id);
	pp_row_handle(r, 'f', pp_handles_rank(f->handles, func));
	pp_row_key(r, name);
	pp_row_name(r, f->profile, func);
}

/* A value of the metric. */
static void
self_add(struct pp_row *r, const struct pp_facts *f, const char *key, union pp_value value)
{
	pp_row_key(r, key);
	pp_row_value(r, &f->profile->metrics.at[f->metric], value);
}

static void
handle_text(char out[16], char kind, uint64_t handle)
{
	snprintf(out, 16, "%c%llu", kind, (unsigned long long)handle);
}

/* ---- what the numbers are worth ---- */

/* How many samples the metric was taken from; less than 0 when it was not, or nobody knows. */
static double
samples_of(const struct pp_facts *f)
{
	const struct pp_profile *p = f->profile;
	const struct pp_metric *m = f->metric < p->metrics.n ? &p->metrics.at[f->metric] : NULL;
	bool time = m && (m->kind == PP_KIND_WALL_TIME || m->kind == PP_KIND_CPU_TIME);
	/* There are none where nothing was sampled; what costs something was, and nobody counted. */
	bool none = m && m->flags & PP_METRIC_SAMPLED && f->flat.whole &&
	            pp_value_is_zero(m, f->flat.whole[f->metric]);
	double counted = p->samples || none ? (double)p->samples : -1;
	size_t i = f->metric;

	/* Time of samples that are counted beside it. */
	if (time && !(m->flags & PP_METRIC_SAMPLED))
		for (i = 0; i < p->metrics.n && p->metrics.at[i].kind != PP_KIND_SAMPLES;)
			i++;
	if (time && i >= p->metrics.n)
		return counted;
	if (!m || i >= p->metrics.n || !f->flat.whole)
		return -1;
	if (p->metrics.at[i].kind == PP_KIND_SAMPLES)
		return pp_value_double(&p->metrics.at[i], f->flat.whole[i]);
	return m->flags & PP_METRIC_SAMPLED ? counted : -1;
}

static void
trust_find(struct pp_facts *f)
{
	const struct pp_profile *p = f->profile;
	const struct pp_metric *m = f->metric < p->metrics.n ? &p->metrics.at[f->metric] : NULL;
	double samples = samples_of(f);
	struct pp_stating s;

	if (!p->complete) {
		pp_fact_begin(&s, f);
		pp_fact_say(&s, "the profile is incomplete: parts of the recording are missing");
		pp_fact_end(&s, "incomplete", 1, 0, "check", NULL, NULL);
	}
	if (p->estimated || pp_estimate_possible(p)) {
		pp_fact_begin(&s, f);
		pp_fact_say(&s, "whole stacks were not recorded: any that are shown are estimates");
		pp_fact_end(&s, "estimated", 0, 0, NULL, NULL, NULL);
	}
	if (samples >= 0 && samples < FEW_SAMPLES) {
		pp_fact_begin(&s, f);
		pp_row_key(&s.row, "samples");
		pp_row_real(&s.row, samples, 2);
		pp_fact_say(&s, "few samples (");
		pp_fact_say_real(&s, samples);
		pp_fact_say(&s, "): small differences are chance");
		pp_fact_end(&s, "few-samples", 0, 0, NULL, NULL, NULL);
	}
	if (f->net) {
		pp_fact_begin(&s, f);
		pp_row_key(&s.row, "gross");
		pp_row_real(&s.row, f->gross, 2);
		self_add(&s.row, f, "net", f->flat.whole[f->metric]);
		pp_fact_say(&s, "functions gained ");
		pp_fact_say_value(&s, f->gross);
		pp_fact_say(&s, ", but the total is ");
		pp_fact_say_value(&s, pp_value_double(m, f->flat.whole[f->metric]));
		pp_fact_say(&s, ": the rest was given back");
		pp_fact_end(
		    &s, "net-metric",
		    f->gross > 0 ? 1 - pp_value_double(m, f->flat.whole[f->metric]) / f->gross : 0,
		    0, NULL, NULL, NULL);
	}
}

/* ---- functions ---- */

static int
most_first(const void *left, const void *right, void *context)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a != b ? (a < b ? 1 : -1) : 0;
}

/* How many functions it takes to reach a share of the whole; *sum is what they cost. */
static size_t
functions_reach(struct pp_facts *f, double share, double *sum)
{
	double *selfs = malloc((f->flat.n + 1) * sizeof *selfs);
	size_t k;

	*sum = 0;
	f->failed |= !selfs;
	for (k = 0; selfs && k < f->flat.n; k++)
		selfs[k] = pp_facts_self(f, k);
	if (selfs && f->flat.n > 1 && pp_metric_falls(&f->profile->metrics.at[f->metric]))
		pp_sort(selfs, f->flat.n, sizeof *selfs, most_first, NULL);
	for (k = 0; selfs && k < f->flat.n && *sum < share * f->whole;)
		*sum += selfs[k++];
	free(selfs);
	return k;
}

static void
concentration_find(struct pp_facts *f)
{
	struct pp_stating s;
	double sum;
	size_t k = functions_reach(f, CONCENTRATED, &sum);

	pp_fact_begin(&s, f);
	pp_row_key(&s.row, "functions");
	pp_row_count(&s.row, k);
	pp_row_key(&s.row, "of");
	pp_row_count(&s.row, f->flat.n);
	if (f->flat.n) {
		pp_fact_say(&s, pp_profile_holders(f->profile) ? "held in " : "spent in ");
		if (k == 1)
			pp_fact_say(&s, "one of the ");
		else if (k)
			pp_fact_say_count(&s, k, "", "of the ");
		else
			pp_fact_say(&s, "none of the ");
		pp_fact_say_count(&s, f->flat.n, pp_function_said(f->profile, false),
		                  pp_function_said(f->profile, true));
	} else {
		pp_fact_say(&s, "no functions are known");
	}
	pp_fact_end(&s, "concentration", f->whole > 0 ? sum / f->whole : 0, 0,
	            f->flat.n ? "top" : NULL, NULL, NULL);
}

static void
hot_self_find(struct pp_facts *f)
{
	const struct pp_flat *flat = &f->flat;
	size_t row;

	for (row = 0; row < flat->n; row++) {
		uint32_t handle = pp_handles_rank(f->handles, flat->func[row]);
		struct pp_stating s;
		char text[16];

		if (pp_facts_self(f, row) < HOT_SELF * f->whole)
			continue;
		handle_text(text, 'f', handle);
		pp_fact_begin(&s, f);
		pp_fact_function(&s.row, f, "id", "name", flat->func[row]);
		self_add(&s.row, f, "self", pp_flat_get(flat, row, f->metric).own);
		if (pp_metric_falls(&f->profile->metrics.at[f->metric]))
			self_add(&s.row, f, "gained", pp_flat_gained(flat, row, f->metric).own);
		pp_row_key(&s.row, "calls");
		if (pp_flat_calls_known(flat, row))
			pp_row_count(&s.row, flat->calls[row]);
		else
			pp_row_null(&s.row);
		pp_fact_say_function(&s, f->profile, flat->func[row]);
		pp_fact_say(&s, pp_metric_falls(&f->profile->metrics.at[f->metric])
		                    ? " itself gained "
		                    : " itself costs ");
		pp_fact_say_value(&s, pp_facts_self(f, row));
		if (flat->has_calls && flat->calls[row]) {
			pp_fact_say(&s, " in ");
			pp_fact_say_count(&s, flat->calls[row], "call", "calls");
		}
		pp_fact_end(&s, "hot-self", pp_facts_self(f, row) / f->whole, handle, "callers",
		            "function", text);
	}
}

static bool
is_unknown(const struct pp_profile *p, pp_func func)
{
	struct pp_slice name = pp_text_of(p, p->funcs.at[func].name);
	size_t i, from = name.n > 2 && memcmp(name.p, "0x", 2) == 0 ? 2 : 1;

	if (p->funcs.at[func].flags & PP_FUNC_UNKNOWN || pp_slice_eq_z(name, "[unknown]") ||
	    pp_slice_eq_z(name, "??"))
		return true;
	if (name.n < 2 || (from == 1 && name.p[0] != '#'))
		return false;
	for (i = from; i < name.n; i++)
		if (!((name.p[i] >= '0' && name.p[i] <= '9') ||
		      (from == 2 && (name.p[i] | 0x20) >= 'a' && (name.p[i] | 0x20) <= 'f')))
			return false;
	return true;
}

/* The functions that a fact takes together. */
struct together {
	union pp_value self, gained;
	uint32_t handles[IDS_SHOWN]; /* of the costliest */
	pp_func funcs[IDS_SHOWN];
	size_t n;
};

static void
together_add(struct together *t, const struct pp_facts *f, size_t row)
{
	if (t->n < IDS_SHOWN) {
		t->funcs[t->n] = f->flat.func[row];
		t->handles[t->n++] = pp_handles_rank(f->handles, f->flat.func[row]);
	}
	pp_value_add(&f->profile->metrics.at[f->metric], &t->self,
	             pp_flat_get(&f->flat, row, f->metric).own);
	pp_value_add(&f->profile->metrics.at[f->metric], &t->gained,
	             pp_flat_gained(&f->flat, row, f->metric).own);
}

static void
together_say(const struct together *t, struct pp_stating *s, unsigned class, double self)
{
	static const char *const names[] = { "",
		                             "waiting for locks",
		                             "input and output",
		                             "garbage collection",
		                             "allocating and freeing memory",
		                             "regular expressions",
		                             "startup" };
	size_t i;

	pp_fact_say(s, class < PP_CLASSES ? names[class] : "code without names");
	pp_fact_say(s, ": ");
	pp_fact_say_value(s, self);
	for (i = 0; class < PP_CLASSES && i < t->n; i++) {
		pp_fact_say(s, i ? ", " : " in ");
		pp_fact_say_function(s, s->facts->profile, t->funcs[i]);
	}
}

/* "class" and "unknown-names", where they cost enough. */
static void
together_state(const struct together *t, struct pp_facts *f, unsigned class)
{
	const struct pp_metric *m = &f->profile->metrics.at[f->metric];
	double self = pp_value_double(m, t->gained);
	struct pp_stating s;
	char text[16];
	size_t i;

	if (self < (class < PP_CLASSES ? CLASS_LEAST : UNKNOWN_LEAST) * f->whole)
		return;
	pp_fact_begin(&s, f);
	if (class < PP_CLASSES) {
		pp_row_key(&s.row, "class");
		pp_row_word(&s.row, pp_name_class_text((enum pp_name_class) class));
		pp_row_key(&s.row, "ids");
		pp_row_open(&s.row, '[');
		for (i = 0; i < t->n; i++)
			pp_row_handle(&s.row, 'f', t->handles[i]);
		pp_row_close(&s.row, ']');
	}
	self_add(&s.row, f, "self", t->self);
	together_say(t, &s, class, self);
	handle_text(text, 'f', t->handles[0]);
	pp_fact_end(&s, class < PP_CLASSES ? "class" : "unknown-names", self / f->whole,
	            t->handles[0], "callers", "function", text);
}

static void
classes_find(struct pp_facts *f)
{
	const struct pp_profile *p = f->profile;
	struct together found[PP_CLASSES + 1];
	struct pp_name_classes classes;
	union pp_value zero = pp_value_zero(&p->metrics.at[f->metric]);
	size_t row;
	unsigned i;

	pp_name_classes_init(&classes);
	for (i = 0; i <= PP_CLASSES; i++)
		found[i] = (struct together){ .self = zero, .gained = zero };
	for (row = 0; row < f->flat.n; row++) {
		pp_func func = f->flat.func[row];

		i = pp_name_class(&classes, pp_text_of(p, p->funcs.at[func].name));
		if (i != PP_CLASS_NONE)
			together_add(&found[i], f, row);
		if (is_unknown(p, func))
			together_add(&found[PP_CLASSES], f, row);
	}
	for (i = PP_CLASS_NONE + 1; i <= PP_CLASSES; i++)
		together_state(&found[i], f, i);
}

/* ---- the path ---- */

/* From the root always into the heaviest callee; the last node, and how deep it lies. */
static uint32_t
path_end(const struct pp_facts *f, const union pp_value *totals, uint32_t *depth)
{
	const struct pp_metric *m = &f->profile->metrics.at[f->metric];
	const struct pp_numbering *t = f->tree;
	uint32_t at = 0, child, best;
	double most, cost;

	for (*depth = 0;; ++*depth) {
		most = -INFINITY;
		best = at;
		for (child = at + 1; child < t->end[at]; child = t->end[child]) {
			cost = pp_value_double(m, totals[child]);
			if (cost > most) {
				most = cost;
				best = child;
			}
		}
		if (best == at || most < HOT_PARENT * pp_value_double(m, totals[at]) ||
		    most < HOT_LEAST * f->whole)
			return at;
		at = best;
	}
}

static void
path_find(struct pp_facts *f)
{
	const struct pp_metric *m = &f->profile->metrics.at[f->metric];
	union pp_value *own = NULL;
	const union pp_value *totals = f->tree->total;
	uint32_t end, depth, at, last[IDS_SHOWN], n = 0;
	struct pp_stating s;
	char text[16];

	if (f->metric != pp_profile_primary(f->profile))
		totals = own = pp_numbering_totals(f->tree, f->metric);
	f->failed |= !totals;
	if (!totals)
		return;
	end = path_end(f, totals, &depth);
	if (depth >= HOT_DEPTH) {
		for (at = end; at && n < IDS_SHOWN; at = f->tree->parent[at])
			last[n++] = at;
		pp_fact_begin(&s, f);
		pp_row_key(&s.row, "node");
		pp_row_handle(&s.row, 'n', pp_numbering_handle(f->tree, end));
		pp_row_key(&s.row, "depth");
		pp_row_count(&s.row, depth);
		pp_fact_say(&s, "on one path, ");
		if (pp_profile_holders(f->profile))
			pp_fact_say_count(&s, depth, "class deep: ", "classes deep: ");
		else
			pp_fact_say_count(&s, depth, "call deep: ", "calls deep: ");
		pp_fact_say(&s, depth > n ? "… › " : "");
		pp_row_key(&s.row, "ids");
		pp_row_open(&s.row, '[');
		while (n-- > 0) {
			pp_row_handle(&s.row, 'f',
			              pp_handles_rank(f->handles, f->tree->func[last[n]]));
			pp_fact_say_function(&s, f->profile, f->tree->func[last[n]]);
			pp_fact_say(&s, n ? " › " : "");
		}
		pp_row_close(&s.row, ']');
		handle_text(text, 'n', pp_numbering_handle(f->tree, end));
		pp_fact_end(&s, "hot-path", pp_value_double(m, totals[end]) / f->whole,
		            pp_numbering_handle(f->tree, end), "tree", "node", text);
	}
	free(own);
}

/* ---- all of them ---- */

static void
whole_find(struct pp_facts *f)
{
	const struct pp_metric *m = &f->profile->metrics.at[f->metric];
	double total = pp_value_double(m, f->flat.whole[f->metric]), self;
	size_t row;

	for (row = 0; row < f->flat.n; row++) {
		self = pp_value_double(m, pp_flat_get(&f->flat, row, f->metric).own);
		f->gross += self > 0 ? self : 0;
		f->net |= self < 0;
	}
	/* What shares are of in other answers. */
	if (pp_metric_falls(m))
		f->gross = pp_value_double(m, pp_flat_whole(&f->flat, f->metric));
	f->net |= f->gross > NET_EXCESS * total;
	f->whole = f->net || pp_metric_falls(m) ? f->gross : total;
}

/* The flat profile by the metric: that of the handles where it is the same one. */
static pp_status
flat_find(struct pp_facts *f)
{
	pp_status status;

	if (f->metric == pp_profile_primary(f->profile) && f->profile == f->handles->profile) {
		f->flat = f->handles->flat;
		return PP_OK;
	}
	status = pp_flat_compute(f->profile, &f->flat);
	f->own_flat = status == PP_OK;
	if (status == PP_OK && !pp_flat_sort(&f->flat, PP_SORT_SELF, f->metric))
		status = PP_E_NOMEM;
	return status == PP_E_UNSUPPORTED ? PP_OK : status;
}

/* What all facts are computed from. */
static pp_status
facts_begin(struct pp_facts *f, struct pp_excerpt *x, const struct pp_topic *topic,
            const struct pp_asked *asked)
{
	pp_status status;

	*f = (struct pp_facts){ .x = x, .topic = topic, .profile = topic->profile };
	f->handles = pp_excerpt_handles(x, topic);
	f->tree = f->handles ? pp_excerpt_numbering(x->answer, topic) : NULL;
	status = f->handles ? pp_asked_metric(asked, f->profile, x->answer, &f->metric)
	                    : pp_answer_fail_status(x->answer, PP_E_NOMEM);
	if (status != PP_OK)
		return status;
	status = flat_find(f);
	return status == PP_OK ? PP_OK : pp_answer_fail_status(x->answer, status);
}

static pp_status
facts_find(struct pp_facts *f)
{
	bool known = f->metric < f->profile->metrics.n && f->flat.whole;

	if (known)
		whole_find(f);
	trust_find(f);
	if (known)
		concentration_find(f);
	if (f->whole > 0) {
		hot_self_find(f);
		classes_find(f);
		if (f->tree->n > 1)
			path_find(f);
		pp_facts_calls(f);
	}
	/* These speak of several metrics, whatever the asked one comes to. */
	if (f->flat.n)
		pp_facts_memory(f);
	return f->failed ? pp_answer_fail_status(f->x->answer, PP_E_NOMEM) : PP_OK;
}

/* Whether the handles remember how many facts there are: those of the whole by its first metric. */
static bool
count_is_kept(const struct pp_facts *f, const struct pp_asked *asked)
{
	return f->profile == f->handles->profile && !asked->metric;
}

pp_status
pp_facts_make(struct pp_facts *f, struct pp_excerpt *x, const struct pp_topic *topic,
              const struct pp_asked *asked)
{
	pp_status status = facts_begin(f, x, topic, asked);

	if (status == PP_OK)
		status = facts_find(f);
	if (status == PP_OK && count_is_kept(f, asked))
		atomic_store(f->handles->facts, f->list.n + 1);
	return status;
}

pp_status
pp_facts_count(struct pp_facts *f, struct pp_excerpt *x, const struct pp_topic *topic,
               const struct pp_asked *asked, uint64_t *count)
{
	pp_status status = facts_begin(f, x, topic, asked);
	bool same = status == PP_OK && count_is_kept(f, asked);

	*count = same ? atomic_load(f->handles->facts) : 0;
	if (status != PP_OK || *count) {
		*count -= *count > 0;
		return status;
	}
	status = facts_find(f);
	*count = f->list.n;
	if (same && status == PP_OK)
		atomic_store(f->handles->facts, f->list.n + 1);
	return status;
}

static int
fact_order(const void *left, const void *right, void *context)
{
	const struct pp_fact *a = left, *b = right;
	int order;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	order = strcmp(a->kind, b->kind);
	return order ? order : (a->handle > b->handle) - (a->handle < b->handle);
}

void
pp_facts_sort(struct pp_facts *f)
{
	if (f->list.n > 1)
		pp_sort(f->list.at, f->list.n, sizeof *f->list.at, fact_order, NULL);
}

void
pp_facts_release(struct pp_facts *f)
{
	if (f->own_flat)
		pp_flat_release(&f->flat);
	pp_vec_release(&f->list);
}
