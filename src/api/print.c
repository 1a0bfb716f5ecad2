/*
 * Answers to outputs: rendered, drawn, or written in a format.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/heaviest.h"
#include "api/layout.h"
#include "api/reply.h"
#include "formats/kit/loss.h"
#include "io/rules.h"
#include "output/diag_view.h"
#include "output/flame_svg.h"
#include "output/graph_dot.h"
#include "output/html.h"
#include "output/render.h"
#include "output/verdict.h"
#include "questions/excerpt.h"
#include "text/escape.h"
#include "text/units.h"

/* ---- outputs ---- */

/* Says that an output could not be written. */
static void
failure_report(pp_diags *diags, const char *path, pp_status status, int error)
{
	if (!diags)
		return;
	pp_diags_set_file(diags, strcmp(path, "-") == 0 ? "standard output" : path);
	pp_diag_add(diags, &pp_io_rules[PP_IO_WRITE_FAILED], PP_NOWHERE, "cannot write: %s",
	            status == PP_E_LIMIT ? "it would be too large; --max-output SIZE allows more"
	            : error              ? pp_sink_reason(error)
	                                 : pp_status_text(status));
}

pp_status
pp_output_open(const char *path, bool sync, pp_diags *diags, pp_output **out, int *error)
{
	int why = 0;
	pp_status status = pp_sink_file(path, PP_SINK_BY_NAME | (sync ? 0 : PP_SINK_NO_SYNC), out,
	                                &why);

	if (status != PP_OK)
		failure_report(diags, path, status, why);
	if (error)
		*error = why;
	return status;
}

void
pp_output_write(pp_output *out, const void *data, size_t n)
{
	pp_sink_write(out, data, n);
}

pp_status
pp_output_commit(pp_output *out, const char *path, pp_diags *diags, int *error)
{
	pp_status status = pp_sink_commit(out);

	if (status != PP_OK)
		failure_report(diags, path, status, out->error);
	if (error)
		*error = out->error;
	return status;
}

bool
pp_output_failed(const pp_output *out)
{
	return out->status != PP_OK;
}

void
pp_output_free(pp_output *out)
{
	pp_sink_close(out);
}

void
pp_output_drop(const pp_output *out)
{
	pp_sink_drop(out);
}

/* ---- findings ---- */

/* What a buffer sink has collected, NUL-terminated; NULL when out of memory. */
static char *
text_take(struct pp_sink *out, struct pp_buf *text)
{
	bool fine = out && pp_sink_commit(out) == PP_OK;

	pp_sink_close(out);
	pp_buf_addc(text, '\0');
	if (fine && !text->failed)
		return text->p;
	pp_buf_release(text);
	return NULL;
}

char *
pp_diags_text(const pp_diags *diags, pp_severity at_least, size_t shown, bool colour)
{
	struct pp_style style = { .colour = colour };
	/* There must be memory to say that there is none. */
	struct pp_account *account = pp_account_enter(NULL);
	struct pp_buf text = { 0 };
	struct pp_sink *out = NULL;
	char *taken;

	if (pp_sink_buffer(&text, &out) == PP_OK)
		pp_diags_print(diags, at_least, shown, &style, out);
	taken = text_take(out, &text);
	(void)pp_account_enter(account);
	return taken;
}

bool
pp_param_problem(const struct pp_param *param, const char *text, const char *dashes, char **problem)
{
	struct pp_buf buf = { 0 };

	*problem = NULL;
	if (pp_param_check(param, text, dashes, &buf))
		return false;
	pp_buf_addc(&buf, '\0');
	*problem = buf.failed ? NULL : buf.p;
	return true;
}

/* ---- reports ---- */

static void
cut_notes(struct pp_answer *a, const struct pp_html_cut *cut)
{
	struct pp_buf text = { 0 }, share = { 0 };

	pp_units_percent(&share, cut->min_share);
	pp_units_listed(&text, cut->nodes, "stack", "stacks");
	pp_units_listed(&text, cut->funcs, "function", "functions");
	pp_units_listed(&text, cut->edges, "call", "calls");
	pp_units_listed(&text, cut->lines, "source line", "source lines");
	if (text.n)
		pp_answer_note(a, "report-cut",
		               "lighter than %s, summed up or left out to stay within "
		               "--max-size: %s",
		               share.p ? share.p : "", text.p);
	text.n = 0;
	pp_units_listed(&text, cut->sources, "source file", "source files");
	if (text.n)
		pp_answer_note(a, "report-cut", "left out to stay within --max-size: %s", text.p);
	text.n = 0;
	if (cut->resolution) {
		pp_units_time(&text, (double)cut->resolution);
		pp_answer_note(a, "report-cut", "the order of events is kept to %s",
		               text.p ? text.p : "");
	}
	if (cut->names)
		pp_answer_note(a, "report-cut", "%llu %s too long and cut short",
		               (unsigned long long)cut->names,
		               pp_plural(cut->names, "name is", "names are"));
	pp_buf_release(&text);
	pp_buf_release(&share);
}

static pp_status
report_print(struct pp_answer *a, struct pp_sink *out)
{
	const struct pp_product *product = a->product;
	struct pp_html_cut cut = { 0 };
	pp_status status = pp_html_report(out, product->profiles, product->n, &product->report,
	                                  &cut);

	if (status == PP_E_LIMIT)
		return pp_answer_fail(a, PP_E_OUTPUT, "report-too-large",
		                      "--max-size is too small for this profile");
	if (status != PP_OK)
		return pp_answer_fail(a, status, "report-failed", "cannot write the report: %s",
		                      pp_status_text(status));
	cut_notes(a, &cut);
	return PP_OK;
}

pp_status
pp_answer_piece(pp_answer *r, const struct pp_piece_opts *given, char **bytes, size_t *n)
{
	struct pp_account *before = pp_account_current();
	const struct pp_product *product = r->asking.answer.product;
	struct pp_piece_opts opts = { 0 };
	struct pp_buf text = { 0 };
	struct pp_sink *out = NULL;
	pp_status status = PP_OK;

	*bytes = NULL;
	*n = 0;
	if (!pp_opts_complete(&opts, sizeof opts, sizeof opts, given) || !product ||
	    product->kind != PP_MAKES_REPORT)
		return PP_E_USAGE;
	/* Whoever could stop the question may be gone. */
	r->meter.account.stop = NULL;
	if (!before && r->meter.account.limit)
		(void)pp_account_enter(&r->meter.account);
	if (!r->pieces)
		status = pp_html_tables_new(product->profiles, product->n, &product->report,
		                            &r->pieces);
	if (status == PP_OK)
		status = pp_sink_buffer(&text, &out);
	if (status == PP_OK)
		status = pp_html_tables_put(r->pieces,
		                            &(struct pp_html_piece){ opts.at, opts.nodes,
		                                                     opts.max_size, opts.functions,
		                                                     opts.from, opts.file },
		                            out);
	*bytes = out ? text_take(out, &text) : NULL;
	if (status == PP_OK && !*bytes)
		status = PP_E_NOMEM;
	if (status != PP_OK) {
		free(*bytes);
		*bytes = NULL;
	} else {
		*n = text.n - 1;
	}
	(void)pp_account_enter(before);
	return status;
}

/* ---- graphs ---- */

static pp_status
graph_print(struct pp_answer *a, struct pp_sink *out)
{
	const struct pp_product *product = a->product;
	struct pp_buf text = { 0 }, problem = { 0 };
	struct pp_sink *dot;
	pp_status status;

	if (!product->net_svg) {
		pp_graph_dot(out, product->net, product->net_title, product->net_pruned);
		return PP_OK;
	}
	status = pp_sink_buffer(&text, &dot);
	if (status == PP_OK) {
		pp_graph_dot(dot, product->net, product->net_title, product->net_pruned);
		status = pp_sink_commit(dot);
		pp_sink_close(dot);
	}
	if (status == PP_OK)
		status = pp_layout_svg(pp_slice_of(text.p, text.n), out, &problem);
	if (status == PP_E_UNSUPPORTED)
		status = pp_answer_fail(
		    a, PP_E_OUTPUT, "no-graphviz",
		    "Graphviz draws SVG, and its program `dot` is not installed: install graphviz, "
		    "or write the graph as text, %s",
		    product->net_instead);
	else if (problem.n)
		status = pp_answer_fail(a, status, "graphviz-failed", "%s", problem.p);
	else if (status != PP_OK && out->status == PP_OK)
		status = pp_answer_fail_status(a, status);
	pp_buf_release(&text);
	pp_buf_release(&problem);
	return status;
}

/* ---- profiles ---- */

/* To a terminal the bytes go escaped, line by line, so that no name can move the cursor. */
static void
bytes_show(struct pp_sink *out, const struct pp_buf *bytes)
{
	const char *p = bytes->p, *end = bytes->p + bytes->n;
	struct pp_buf line = { 0 };

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;

		line.n = 0;
		pp_escape_terminal(&line, pp_slice_of(p, (size_t)(stop - p)));
		pp_buf_adds(&line, newline ? "\n" : "");
		pp_sink_write(out, line.p, line.n);
		p = newline ? newline + 1 : end;
	}
	if (line.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&line);
}

static pp_status
write_failed(struct pp_answer *a, const struct pp_sink *out, pp_status status)
{
	const char *name = a->product->target->name;

	if (status == PP_E_LOSS)
		return pp_answer_fail(a, status, "loss-forbidden",
		                      "%s cannot hold all of this profile, and --lossless forbids "
		                      "losing any of it",
		                      name);
	if (status == PP_E_OUTPUT || out->status == PP_E_LIMIT)
		return PP_E_OUTPUT;
	/* A limit is the format's: it has no place for numbers as large as these. */
	return pp_answer_fail(a, status == PP_E_LIMIT ? PP_E_OUTPUT : status, "not-written",
	                      "cannot write %s: %s", name, pp_status_text(status));
}

/* How many bytes a profile takes with so many stacks; SIZE_MAX when it cannot be written. It stays in *made. */
static size_t
size_with(const struct pp_product *product, const struct pp_profile *p, size_t keep,
          uint64_t budget, struct pp_profile **made)
{
	struct pp_heaviest want = { .keep = keep, .format = product->target, .budget = budget };
	struct pp_sink *sink = NULL;
	struct pp_buf bytes = { 0 };
	struct pp_diags diags;
	pp_status status;
	size_t size;

	pp_profile_free(*made);
	*made = NULL;
	if (pp_heaviest_derive(p, &want, made) != PP_OK || pp_sink_buffer(&bytes, &sink) != PP_OK)
		return SIZE_MAX;
	pp_diags_init(&diags);
	status = pp_write_sink(*made, sink, product->target, &product->write, &diags);
	size = status == PP_OK && pp_sink_commit(sink) == PP_OK ? bytes.n : SIZE_MAX;
	pp_diags_release(&diags);
	pp_sink_close(sink);
	pp_buf_release(&bytes);
	return size;
}

/* As many of the heaviest stacks as fit; PP_E_USAGE (said) when not even what stands before them does. */
static pp_status
heaviest_fit(struct pp_reply *r, const struct pp_profile *p, struct pp_profile **out)
{
	const struct pp_product *product = r->asking.answer.product;
	uint64_t tokens = r->asking.params->budget.tokens;
	size_t room = tokens > SIZE_MAX / 4 ? SIZE_MAX / 2 : (size_t)tokens * PP_TOKEN_BYTES;
	size_t most = pp_heaviest_count(p), low = 0, high = most;
	struct pp_profile *made = NULL;

	/* A stack takes more than that many bytes. */
	high = high < room / 16 ? high : room / 16;
	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;

		if (size_with(product, p, middle, tokens, &made) <= room)
			low = middle;
		else
			high = middle - 1;
	}
	most = size_with(product, p, low, tokens, &made);
	*out = made;
	if (!made || most <= room)
		return made ? PP_OK : PP_E_UNSUPPORTED;
	return pp_answer_fail(&r->asking.answer, PP_E_USAGE, PP_RULE_USAGE,
	                      "nothing of this profile fits: --budget takes %zu at least",
	                      most / PP_TOKEN_BYTES + 1);
}

static pp_status profile_write(struct pp_reply *, const struct pp_profile *,
                               const struct pp_print_opts *, struct pp_sink *);

static pp_status
profile_print(struct pp_reply *r, const struct pp_profile *p, const struct pp_print_opts *opts,
              struct pp_sink *out)
{
	struct pp_profile *some = NULL;
	bool few = r->asking.params->budget.tokens != PP_UNSET &&
	           strcmp(r->asking.question->name, "convert") == 0;
	pp_status status = few ? heaviest_fit(r, p, &some) : PP_OK;

	if (status == PP_OK)
		status = profile_write(r, some ? some : p, opts, out);
	else if (status == PP_E_UNSUPPORTED)
		status = write_failed(&r->asking.answer, out, status);

	pp_profile_free(some);
	return status;
}

static pp_status
profile_write(struct pp_reply *r, const struct pp_profile *p, const struct pp_print_opts *opts,
              struct pp_sink *out)
{
	const struct pp_product *product = r->asking.answer.product;
	const char *path = r->asking.params->output;
	struct pp_sink *sink = out;
	struct pp_buf shown = { 0 };
	struct pp_diags diags;
	pp_status status = opts->terminal ? pp_sink_buffer(&shown, &sink) : PP_OK;

	if (status != PP_OK)
		return write_failed(&r->asking.answer, out, status);
	pp_diags_init(&diags);
	pp_diags_set_file(&diags, path && strcmp(path, "-") != 0 ? path : "standard output");
	status = pp_write_sink(p, sink, product->target, &product->write, &diags);
	pp_reply_findings(r, &diags);
	if (sink != out) {
		if (status == PP_OK && pp_sink_commit(sink) == PP_OK)
			bytes_show(out, &shown);
		pp_sink_close(sink);
		pp_buf_release(&shown);
	}
	pp_diags_release(&diags);
	return status == PP_OK ? PP_OK : write_failed(&r->asking.answer, out, status);
}

/* Rewrites the input that was left open. What may not lose anything is held back as long as it could not be taken back. */
static pp_status
rewrite_try(struct pp_reply *r, struct pp_sink *out)
{
	bool lossless = r->asking.answer.product->write.lossless;
	struct pp_opened *o = &r->rewritten.opened;
	struct pp_sink *sink = out;
	struct pp_buf held = { 0 };
	pp_status status = lossless && out->direct ? pp_sink_buffer(&held, &sink) : PP_OK;

	if (status == PP_OK)
		status = pp_opened_rewrite(o, sink);
	if (status == PP_OK && lossless &&
	    pp_diags_of_rule(o->reader.diags, &pp_loss_rules[PP_TRAIT_INCOMPLETE]))
		status = PP_E_LOSS;
	if (sink != out) {
		if (status == PP_OK && (status = pp_sink_commit(sink)) == PP_OK)
			pp_sink_write(out, held.p, held.n);
		pp_sink_close(sink);
		pp_buf_release(&held);
	}
	return status;
}

/*
 * An input that was left open goes straight into its canonical form, or is read and written after all: for a terminal,
 * or where what went out could not be taken back when damage is found.
 */
static pp_status
rewrite_print(struct pp_reply *r, const struct pp_print_opts *opts, struct pp_sink *out)
{
	struct pp_loaded *l = &r->rewritten;
	bool strict = r->asking.params->reading.strict, lost;
	pp_status status = PP_E_UNSUPPORTED;

	if (!opts->terminal && !(strict && out->direct))
		status = rewrite_try(r, out);
	if (status != PP_E_UNSUPPORTED) {
		lost = status == PP_E_LOSS;
		l->status = lost ? PP_OK : status;
		if (status == PP_E_OUTPUT || out->status == PP_E_LIMIT)
			return PP_E_OUTPUT;
		status = pp_loaded_verdict(r, l, false);
		return status == PP_OK && lost ? write_failed(&r->asking.answer, out, PP_E_LOSS)
		                               : status;
	}
	pp_loaded_read(r, l);
	status = pp_loaded_verdict(r, l, false);
	return status == PP_OK ? profile_print(r, l->profile, opts, out) : status;
}

/* ---- answers ---- */

static pp_status
answer_render(struct pp_reply *r, const struct pp_print_opts *opts, pp_rendering_form form,
              struct pp_sink *out)
{
	struct pp_answer *a = &r->asking.answer;
	static const enum pp_form forms[] = { [PP_RENDER_TEXT] = PP_FORM_TEXT,
		                              [PP_RENDER_JSON] = PP_FORM_JSON,
		                              [PP_RENDER_CSV] = PP_FORM_CSV,
		                              [PP_RENDER_MARKDOWN] = PP_FORM_MARKDOWN,
		                              [PP_RENDER_FILE] = PP_FORM_TEXT };
	struct pp_render_opts how = { .form = forms[form],
		                      .style = { opts->colour, opts->width },
		                      .all_hint = opts->all_hint,
		                      .names = (enum pp_names)r->asking.params->names,
		                      .tame = opts->terminal };
	pp_status status;

	if (a->excerpt.n && !a->failed) {
		pp_sink_write(out, a->excerpt.p, a->excerpt.n);
		return out->status == PP_OK ? PP_OK : PP_E_OUTPUT;
	}
	status = a->failed ? PP_E_NOMEM : pp_render(a, &how, out, NULL);

	if (status == PP_OK || out->status != PP_OK)
		return out->status == PP_OK ? PP_OK : PP_E_OUTPUT;
	return pp_answer_fail_status(a, status);
}

static pp_status
product_print(struct pp_reply *r, const struct pp_print_opts *opts, struct pp_sink *out)
{
	struct pp_answer *a = &r->asking.answer;
	const struct pp_product *product = a->product;

	switch (product->kind) {
	case PP_MAKES_JSON:
		return answer_render(r, opts, PP_RENDER_JSON, out);
	case PP_MAKES_MARKDOWN:
		return answer_render(r, opts, PP_RENDER_MARKDOWN, out);
	case PP_MAKES_VERDICT:
		pp_verdict_put(out, product->gate, product->gate_form);
		return PP_OK;
	case PP_MAKES_PICTURE:
		pp_flame_svg(out, product->flame, &product->style);
		return PP_OK;
	case PP_MAKES_GRAPH:
		return graph_print(a, out);
	case PP_MAKES_REPORT:
		return report_print(a, out);
	case PP_MAKES_PROFILE:
		return r->rewritten.is_open ? rewrite_print(r, opts, out)
		                            : profile_print(r, product->profiles[0], opts, out);
	case PP_MAKES_NOTHING:
	case PP_MAKES_TEXT:
		break;
	}
	pp_sink_write(out, product->text.p, product->text.n);
	return PP_OK;
}

/* Bytes of output that are always written, and how many for each byte of input. */
#define OUTPUT_ALWAYS ((uint64_t)256 << 20)
#define OUTPUT_TIMES 64

/* How much is written: unless told otherwise, few bytes of input must not fill a disk. 0 = any number. */
static uint64_t
output_most(const struct pp_reply *r)
{
	uint64_t most = r->asking.params->max_output;

	if (most != PP_UNSET)
		return most;
	if (r->input_bytes == 0 || r->input_bytes > UINT64_MAX / OUTPUT_TIMES)
		return 0;
	most = r->input_bytes * OUTPUT_TIMES;
	return most > OUTPUT_ALWAYS ? most : OUTPUT_ALWAYS;
}

pp_status
pp_answer_print(pp_answer *r, const struct pp_print_opts *given, pp_output *out)
{
	struct pp_account *before = pp_account_current();
	struct pp_print_opts opts = { 0 };
	pp_status status;

	if (given && !pp_opts_complete(&opts, sizeof opts, sizeof opts, given))
		return PP_E_USAGE;
	if ((unsigned)opts.form > PP_RENDER_FILE)
		return PP_E_USAGE;
	if (!before && r->meter.account.limit)
		(void)pp_account_enter(&r->meter.account);
	out->most = output_most(r);
	status = opts.form == PP_RENDER_FILE && r->asking.answer.product
	             ? product_print(r, &opts, out)
	             : answer_render(r, &opts, opts.form, out);
	pp_reply_memory(r, status);
	(void)pp_account_enter(before);
	return status;
}

pp_status
pp_answer_render(const pp_answer *answer, pp_rendering_form form, char **text, size_t *size)
{
	/* Its notes may grow, and an input that was left open is read. */
	struct pp_reply *r = (struct pp_reply *)(uintptr_t)answer;
	struct pp_print_opts opts = { .form = (pp_rendering_form)form, .width = 80 };
	struct pp_buf bytes = { 0 };
	struct pp_sink *out;
	pp_status status;

	*text = NULL;
	*size = 0;
	if ((unsigned)form > PP_RENDER_FILE)
		return PP_E_USAGE;
	status = pp_sink_buffer(&bytes, &out);
	if (status != PP_OK)
		return status;
	status = opts.form == PP_RENDER_FILE && r->asking.answer.product
	             ? product_print(r, &opts, out)
	             : answer_render(r, &opts, opts.form, out);
	if (out->status != PP_OK)
		status = out->status;
	*text = text_take(out, &bytes);
	if (status == PP_OK && !*text)
		status = PP_E_NOMEM;
	if (status != PP_OK) {
		free(*text);
		*text = NULL;
	} else {
		*size = bytes.n - 1;
	}
	return status;
}
