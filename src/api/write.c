/*
 * Writing: from a profile to a sink, whole or not at all.
 */
#include "api/api.h"
#include "api/meter.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/estimate.h"
#include "io/rules.h"
#include "model/derive.h"
#include "model/rules.h"

/* Whether the format needs stacks and the profile only knows who called whom. */
static bool
needs_estimate(const struct pp_profile *p, const struct pp_format *format)
{
	return (format->can & PP_TREE) && !(format->can & PP_LINES) && pp_estimate_possible(p);
}

static void
report_estimate(struct pp_writer *w, const struct pp_estimate *e)
{
	const struct pp_profile *p = w->profile;
	const struct pp_rule *rule = &pp_model_rules[PP_MODEL_ESTIMATED];
	const struct pp_metric *m = &p->metrics.at[w->metric];
	char low[PP_NUM_MAX], high[PP_NUM_MAX];
	struct pp_slice name[3];

	pp_diag_add(
	    w->diags, rule, PP_NOWHERE,
	    "stacks are estimated: at least %.1f%% of the cost is on stacks that are certain%s",
	    e->exact * 100, e->pruned > 0 ? "; rare ones are summed up under [pruned]" : "");
	if (!e->has_widest)
		return;
	name[0] = pp_text_of(p, p->funcs.at[e->widest.caller].name);
	name[1] = pp_text_of(p, p->funcs.at[e->widest.func].name);
	name[2] = pp_text_of(p, p->funcs.at[e->widest.callee].name);
	low[pp_value_print(m, e->widest.low, low)] = '\0';
	high[pp_value_print(m, e->widest.high, high)] = '\0';
	pp_diag_add(w->diags, rule, PP_NOWHERE,
	            "known least: %.*s > %.*s > %.*s cost between %s and %s",
	            (int)(name[0].n < 80 ? name[0].n : 80), (const char *)name[0].p,
	            (int)(name[1].n < 80 ? name[1].n : 80), (const char *)name[1].p,
	            (int)(name[2].n < 80 ? name[2].n : 80), (const char *)name[2].p, low, high);
}

static pp_status
write_once(struct pp_writer *w, const struct pp_format *format)
{
	struct pp_writer own = *w;
	struct pp_estimate_opts opts = { .metric = w->metric, .bounds = true };
	struct pp_profile *stacks = NULL;
	struct pp_estimate estimate;
	pp_status status = PP_OK;

	if (needs_estimate(w->profile, format)) {
		status = pp_estimate_stacks(w->profile, &opts, &estimate, &stacks);
		own.profile = stacks;
		own.with_gains = NULL;
	}
	if (status == PP_OK)
		status = format->write(&own);
	if (status == PP_OK && format->holds)
		status = pp_report_loss(&own, w->profile, format);
	pp_loss_release(&own.loss);
	if (status == PP_OK && stacks)
		report_estimate(w, &estimate);
	pp_profile_release(stacks);
	return w->out->status != PP_OK ? w->out->status : status;
}

/* Writes into nothing, to learn beforehand what would be lost. */
static pp_status
rehearse(const struct pp_writer *w, const struct pp_format *format)
{
	struct pp_writer trial = *w;
	struct pp_diags findings;
	pp_status status = pp_sink_null(&trial.out);

	if (status != PP_OK)
		return status;
	pp_diags_init(&findings);
	trial.diags = &findings;
	status = write_once(&trial, format);
	if (status == PP_OK && pp_diags_total(&findings, PP_WARNING) > 0)
		status = PP_E_LOSS;
	if (status != PP_OK)
		pp_diags_append(w->diags, &findings, 0);
	pp_diags_release(&findings);
	pp_sink_close(trial.out);
	return status;
}

pp_status
pp_write_sink(const struct pp_profile *p, struct pp_sink *out, const struct pp_format *format,
              const struct pp_write_opts *opts, struct pp_diags *diags)
{
	static const struct pp_write_opts plain = { 0 };
	struct pp_diags own;
	struct pp_profile *plain_profile = NULL;
	struct pp_writer w = { .profile = p,
		               .format = format,
		               .out = out,
		               .diags = diags ? diags : &own,
		               .opts = opts ? opts : &plain };
	pp_status status = PP_OK;
	uint64_t before;

	if (!format || !(format->can & PP_CAN_WRITE) || !format->write)
		return PP_E_UNSUPPORTED;
	w.metric = w.opts->metric ? pp_profile_metric_find(p, pp_slice_z(w.opts->metric))
	                          : pp_profile_primary(p);
	if (w.opts->metric && w.metric == p->metrics.n)
		return PP_E_USAGE;
	pp_diags_init(&own);
	/* Writers list metrics as the file has them. */
	if (pp_metrics_shown(p) < p->metrics.n)
		status = pp_gains_drop(p, &plain_profile);
	if (plain_profile) {
		w.profile = plain_profile;
		w.with_gains = p;
	}
	before = pp_diags_total(w.diags, PP_WARNING);
	if (status == PP_OK && w.opts->lossless && out->direct)
		status = rehearse(&w, format);
	if (status == PP_OK)
		status = write_once(&w, format);
	if (status == PP_OK && w.opts->lossless && pp_diags_total(w.diags, PP_WARNING) > before)
		status = PP_E_LOSS;
	pp_diags_release(&own);
	pp_profile_release(plain_profile);
	return status;
}

static void
report_output(struct pp_diags *diags, const char *path, int error)
{
	if (!diags)
		return;
	pp_diags_set_file(diags, path);
	pp_diag_add(diags, &pp_io_rules[PP_IO_WRITE_FAILED], PP_NOWHERE, "cannot write: %s",
	            pp_sink_reason(error));
}

/* ---- the public face ---- */

#define FIRST_SIZE sizeof(struct pp_write_opts)

/* Writes into a sink that is opened, commits and closes it. */
static pp_status
write_into(const pp_profile *p, struct pp_sink *out, const pp_format *format,
           const struct pp_write_opts *given, pp_diags *diags, int *error)
{
	struct pp_write_opts opts = { 0 };
	struct pp_meter meter;
	pp_status status = PP_OK;

	pp_meter_start(&meter, p->memory.limit, p->memory.used);
	if ((given && !pp_opts_complete(&opts, sizeof opts, FIRST_SIZE, given)) ||
	    (format && !pp_opts_known(format, opts.variant, opts.options)))
		status = PP_E_USAGE;
	if (status == PP_OK)
		status = pp_write_sink(p, out, format, &opts, diags);
	if (status == PP_OK)
		status = pp_sink_commit(out);
	*error = out->error;
	pp_sink_close(out);
	return pp_meter_stop(&meter, status);
}

pp_status
pp_write_file(const pp_profile *p, const char *path, const pp_format *format,
              const struct pp_write_opts *opts, pp_diags *diags)
{
	struct pp_sink *out;
	int error = 0;
	pp_status status;

	if (!p || !path)
		return PP_E_USAGE;
	status = pp_sink_file(path, PP_SINK_BY_NAME, &out, &error);
	if (status == PP_OK)
		status = write_into(p, out, format, opts, diags, &error);
	if (status == PP_E_OUTPUT)
		report_output(diags, path, error);
	return status;
}

pp_status
pp_write_memory(const pp_profile *p, const pp_format *format, const struct pp_write_opts *opts,
                pp_diags *diags, void **data, size_t *size)
{
	struct pp_buf bytes = { 0 };
	struct pp_sink *out;
	int error = 0;
	pp_status status;

	*data = NULL;
	*size = 0;
	if (!p)
		return PP_E_USAGE;
	status = pp_sink_buffer(&bytes, &out);
	if (status == PP_OK)
		status = write_into(p, out, format, opts, diags, &error);
	if (status == PP_OK && !bytes.p)
		pp_buf_add(&bytes, "", 0);
	if (status != PP_OK) {
		pp_buf_release(&bytes);
		return status;
	}
	*data = bytes.p;
	*size = bytes.n;
	return PP_OK;
}

pp_status
pp_write_callback(const pp_profile *p, bool (*write)(void *ctx, const void *data, size_t n),
                  void *ctx, const pp_format *format, const struct pp_write_opts *opts,
                  pp_diags *diags)
{
	struct pp_sink *out;
	int error = 0;
	pp_status status;

	if (!p || !write)
		return PP_E_USAGE;
	status = pp_sink_callback(write, ctx, &out);
	if (status == PP_OK)
		status = write_into(p, out, format, opts, diags, &error);
	if (status == PP_E_OUTPUT)
		report_output(diags, "output", error);
	return status;
}

void
pp_free(void *data)
{
	free(data);
}
