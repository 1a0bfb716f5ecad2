/*
 * The public face: thin wrappers over the inside, with ids checked.
 */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

#include "model/flat.h"
#include "model/inclusive.h"
#include "io/rules.h"
#include "model/rules.h"

#define TEXT(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *
pp_version(void)
{
	return VERSION_TEXT(PP_VERSION_MAJOR, PP_VERSION_MINOR, PP_VERSION_PATCH);
}

const char *
pp_status_text(pp_status status)
{
	switch (status) {
	case PP_OK:
		return "all is well";
	case PP_E_NOMEM:
		return "out of memory";
	case PP_E_IO:
		return "the input cannot be opened or read";
	case PP_E_UNKNOWN:
		return "no format recognises the input";
	case PP_E_AMBIGUOUS:
		return "several formats recognise the input equally well";
	case PP_E_INVALID:
		return "nothing in the input could be used";
	case PP_E_LIMIT:
		return "a limit was reached";
	case PP_E_UNSUPPORTED:
		return "the profile or the format cannot do that";
	case PP_E_USAGE:
		return "the arguments make no sense";
	case PP_E_OUTPUT:
		return "the output could not be written";
	case PP_E_LOSS:
		return "writing would lose something";
	}
	return "unknown status";
}

bool
pp_opts_complete(void *to, size_t known, size_t first, const void *from)
{
	const unsigned char *bytes = from;
	size_t size, i;

	memcpy(&size, from, sizeof size);
	if (size == 0)
		size = first;
	if (size < sizeof size)
		return false;
	for (i = known; i < size; i++)
		if (bytes[i])
			return false;
	memcpy(to, from, size < known ? size : known);
	return true;
}

bool
pp_opts_known(const struct pp_format *format, const char *variant, const char *const *options)
{
	while (options && *options)
		if (!pp_format_has_option(format, *options++))
			return false;
	return pp_format_has_variant(format, variant);
}

/* ---- rules ---- */

static const struct pp_rule *
rule_among(const struct pp_rule *rules, const char *id)
{
	for (; rules && rules->id; rules++)
		if (strcmp(rules->id, id) == 0)
			return rules;
	return NULL;
}

const struct pp_rule *
pp_rule_find(const char *id)
{
	const struct pp_rule *found = rule_among(pp_io_rules, id);
	size_t i;

	if (!found)
		found = rule_among(pp_loss_rules, id);
	found = found ? found : rule_among(pp_model_rules, id);
	for (i = 0; !found && pp_formats[i]; i++)
		found = rule_among(pp_formats[i]->rules, id);
	return found;
}

/* ---- formats ---- */

size_t
pp_format_count(void)
{
	size_t n = 0;

	while (pp_formats[n])
		n++;
	return n;
}

const pp_format *
pp_format_get(size_t index)
{
	return index < pp_format_count() ? pp_formats[index] : NULL;
}

const pp_format *
pp_format_find(const char *name)
{
	size_t i;

	for (i = 0; name && pp_formats[i]; i++)
		if (strcmp(pp_formats[i]->name, name) == 0)
			return pp_formats[i];
	return NULL;
}

const char *
pp_format_name(const pp_format *f)
{
	return f->name;
}

const char *
pp_format_title(const pp_format *f)
{
	return f->title;
}

const char *
pp_format_extensions(const pp_format *f)
{
	return f->extensions;
}

unsigned
pp_format_can(const pp_format *f)
{
	return f->can;
}

/* ---- the profile ---- */

static struct pp_text
text_of(const pp_profile *p, pp_str id)
{
	struct pp_slice s = pp_text_of(p, id);

	return (struct pp_text){ (const char *)s.p, s.n };
}

void
pp_profile_free(pp_profile *p)
{
	pp_profile_release(p);
}

const pp_format *
pp_profile_format(const pp_profile *p)
{
	return p->format;
}

bool
pp_profile_complete(const pp_profile *p)
{
	return p->complete;
}

unsigned
pp_profile_facets(const pp_profile *p)
{
	return p->facets;
}

size_t
pp_profile_metric_count(const pp_profile *p)
{
	return pp_metrics_shown(p);
}

struct pp_text
pp_profile_metric_name(const pp_profile *p, size_t metric)
{
	return text_of(p, metric < pp_metrics_shown(p) ? p->metrics.at[metric].name : 0);
}

const char *
pp_profile_metric_unit(const pp_profile *p, size_t metric)
{
	/* Interned strings are followed by a NUL. */
	return text_of(p, metric < pp_metrics_shown(p) ? p->metrics.at[metric].unit : 0).data;
}

static struct pp_number
number_zero(void)
{
	return (struct pp_number){ .is_integer = true, .text = "0" };
}

static struct pp_number
number_of(const struct pp_metric *m, union pp_value v)
{
	struct pp_number number = { .value = pp_value_double(m, v) };
	size_t n = pp_value_print(m, v, number.text);

	number.text[n] = '\0';
	number.is_integer = pp_num_i64(pp_slice_of(number.text, n), &number.integer);
	return number;
}

struct pp_number
pp_profile_metric_total(const pp_profile *p, size_t metric)
{
	if (metric >= pp_metrics_shown(p))
		return number_zero();
	return number_of(&p->metrics.at[metric], pp_profile_total(p, metric));
}

size_t
pp_profile_metric_primary(const pp_profile *p)
{
	return pp_profile_primary(p);
}

uint32_t
pp_profile_func_count(const pp_profile *p)
{
	return (uint32_t)p->funcs.n;
}

static const struct pp_func_row *
func_row(const pp_profile *p, uint32_t func)
{
	return &p->funcs.at[func < p->funcs.n ? func : 0];
}

struct pp_text
pp_profile_func_name(const pp_profile *p, uint32_t func)
{
	return text_of(p, func_row(p, func)->name);
}

struct pp_text
pp_profile_func_file(const pp_profile *p, uint32_t func)
{
	return text_of(p, func_row(p, func)->file);
}

uint32_t
pp_profile_func_line(const pp_profile *p, uint32_t func)
{
	return func_row(p, func)->line;
}

uint32_t
pp_profile_node_count(const pp_profile *p)
{
	return p->tree.n;
}

uint32_t
pp_profile_node_parent(const pp_profile *p, uint32_t node)
{
	return node < p->tree.n ? pp_tree_parent(&p->tree, node) : 0;
}

uint32_t
pp_profile_node_func(const pp_profile *p, uint32_t node)
{
	return node < p->tree.n ? pp_node_func(p, node) : 0;
}

/* ---- nodes ---- */

struct pp_node_costs {
	const struct pp_metric *metric;
	uint32_t n;
	struct pp_inclusive total;
	union pp_value *self;
};

pp_status
pp_node_costs_new(const pp_profile *p, size_t metric, pp_node_costs **out)
{
	struct pp_node_costs *c;

	*out = NULL;
	if (!p || metric >= pp_metrics_shown(p))
		return PP_E_USAGE;
	if (!(p->facets & PP_TREE))
		return PP_E_UNSUPPORTED;
	c = calloc(1, sizeof *c);
	if (!c)
		return PP_E_NOMEM;
	c->metric = &p->metrics.at[metric];
	c->n = p->tree.n;
	c->self = pp_own_compute(p, metric);
	if (!c->self || !pp_inclusive_stated(&c->total, p, metric)) {
		pp_node_costs_free(c);
		return PP_E_NOMEM;
	}
	*out = c;
	return PP_OK;
}

void
pp_node_costs_free(pp_node_costs *c)
{
	if (!c)
		return;
	pp_inclusive_release(&c->total);
	free(c->self);
	free(c);
}

struct pp_number
pp_node_costs_self(const pp_node_costs *c, uint32_t node)
{
	return node < c->n ? number_of(c->metric, c->self[node]) : number_zero();
}

struct pp_number
pp_node_costs_total(const pp_node_costs *c, uint32_t node)
{
	return node < c->n ? number_of(c->metric, pp_inclusive_of(&c->total, node)) : number_zero();
}

/* ---- questions ---- */

pp_status
pp_flat_new(const pp_profile *p, pp_flat **out)
{
	struct pp_flat *f;
	pp_status status;

	*out = NULL;
	if (!p)
		return PP_E_USAGE;
	f = calloc(1, sizeof *f);
	if (!f)
		return PP_E_NOMEM;
	status = pp_flat_compute(p, f);
	if (status == PP_OK && !pp_flat_sort(f, PP_SORT_SELF, pp_profile_primary(p))) {
		pp_flat_release(f);
		status = PP_E_NOMEM;
	}
	if (status == PP_OK)
		*out = f;
	else
		free(f);
	return status;
}

void
pp_flat_free(pp_flat *f)
{
	if (!f)
		return;
	pp_flat_release(f);
	free(f);
}

size_t
pp_flat_count(const pp_flat *f)
{
	return f->n;
}

uint32_t
pp_flat_func(const pp_flat *f, size_t row)
{
	return row < f->n ? f->func[row] : 0;
}

bool
pp_flat_calls(const pp_flat *f, size_t row, uint64_t *calls)
{
	if (row >= f->n || !pp_flat_calls_known(f, row))
		return false;
	*calls = f->calls[row];
	return true;
}

static struct pp_number
flat_number(const pp_flat *f, bool total, size_t row, size_t metric)
{
	struct pp_cost_pair cost;

	if (row >= f->n || metric >= f->metrics)
		return number_zero();
	cost = pp_flat_get(f, row, metric);
	return number_of(&f->profile->metrics.at[metric], total ? cost.total : cost.own);
}

static double
flat_cost(const pp_flat *f, bool total, size_t row, size_t metric)
{
	struct pp_cost_pair cost;

	if (row >= f->n || metric >= f->metrics)
		return 0.0;
	cost = pp_flat_get(f, row, metric);
	return pp_value_double(&f->profile->metrics.at[metric], total ? cost.total : cost.own);
}

double
pp_flat_self(const pp_flat *f, size_t row, size_t metric)
{
	return flat_cost(f, false, row, metric);
}

double
pp_flat_total(const pp_flat *f, size_t row, size_t metric)
{
	return flat_cost(f, true, row, metric);
}

struct pp_number
pp_flat_self_number(const pp_flat *f, size_t row, size_t metric)
{
	return flat_number(f, false, row, metric);
}

struct pp_number
pp_flat_total_number(const pp_flat *f, size_t row, size_t metric)
{
	return flat_number(f, true, row, metric);
}
