/*
 * What went wrong first, for scripts.
 */
#include "serve/problem.h"

#include <string.h>

#include "text/json_emit.h"

/* Replaces what is known. */
static void
problem_set(struct pp_problem *p, pp_severity severity, const char *rule, const char *message,
            const char *file)
{
	p->known = true;
	p->severity = severity;
	p->rule.n = p->message.n = p->file.n = 0;
	pp_buf_adds(&p->rule, rule);
	pp_buf_adds(&p->message, message);
	pp_buf_adds(&p->file, file ? file : "");
}

void
pp_problem_keep(struct pp_problem *p, const char *rule, const char *message, const char *file)
{
	/* That a file is damaged says less than what is wrong with it. */
	bool refers = strcmp(rule, "damaged") == 0;

	if (!p || p->is_reason)
		return;
	p->is_reason = true;
	if (!refers || !p->known || p->severity < PP_ERROR)
		problem_set(p, PP_ERROR, rule, message, file);
}

void
pp_problem_keep_worst(struct pp_problem *p, const pp_diags *diags)
{
	const struct pp_diag *worst = NULL;
	size_t i;

	for (i = 0; i < pp_diags_count(diags); i++) {
		const struct pp_diag *d = pp_diags_get(diags, i);

		if (d->severity > PP_NOTE && (!worst || d->severity > worst->severity))
			worst = d;
	}
	/* The file that was read last is the one that reading stopped at, if it did. */
	if (p && worst && !p->is_reason && (!p->known || worst->severity >= p->severity))
		problem_set(p, worst->severity, worst->rule->id, worst->message, worst->file);
}

void
pp_problem_keep_candidates(struct pp_problem *p, const pp_answer *answer)
{
	struct pp_sink *out;
	struct pp_json j;
	size_t i, more, n = pp_answer_candidates(answer, &more);

	if (!p->json || n == 0 || p->candidates.n || pp_sink_buffer(&p->candidates, &out) != PP_OK)
		return;
	pp_json_init(&j, out, PP_JSON_SPACED);
	j.spelled = true;
	pp_json_begin_array(&j);
	for (i = 0; i < n; i++) {
		struct pp_text name, place;

		pp_answer_candidate(answer, i, &name, &place);
		pp_json_begin_object(&j);
		pp_json_put_name(&j, "name", pp_slice_of(name.data, name.size));
		if (place.size)
			pp_json_put_name(&j, "place", pp_slice_of(place.data, place.size));
		pp_json_end_object(&j);
	}
	pp_json_end_array(&j);
	if (pp_sink_commit(out) != PP_OK)
		p->candidates.n = 0;
	pp_sink_close(out);
}

const char *
pp_problem_rule(int code)
{
	return code == PP_EXIT_USAGE ? "usage" : code == PP_EXIT_OUTPUT ? "output" : "unreadable";
}

/* Without the colon before what is listed elsewhere. */
static struct pp_slice
message_of(const struct pp_problem *p)
{
	size_t n = p->message.n;

	if (n == 0)
		return pp_slice_z("it failed");
	return pp_slice_of(p->message.p, n - (p->message.p[n - 1] == ':'));
}

void
pp_problem_json(const struct pp_problem *p, int code, struct pp_sink *out)
{
	const char *file = p->file.n ? p->file.p : p->asked;
	struct pp_json j;

	pp_json_init(&j, out, PP_JSON_SPACED);
	j.spelled = true;
	pp_json_begin_object(&j);
	pp_json_put_object(&j, "error");
	pp_json_put_textz(&j, "rule", p->rule.n ? p->rule.p : pp_problem_rule(code));
	pp_json_put_text(&j, "message", message_of(p));
	if (file)
		pp_json_put_name(&j, "file", pp_slice_z(file));
	else
		pp_json_put_null(&j, "file");
	if (p->candidates.n)
		pp_json_put_raw(&j, "candidates", p->candidates.p, p->candidates.n);
	pp_json_end_object(&j);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
}

int
pp_exit_of(pp_status status)
{
	switch (status) {
	case PP_OK:
		return PP_EXIT_OK;
	case PP_E_USAGE:
		return PP_EXIT_USAGE;
	case PP_E_OUTPUT:
	case PP_E_LOSS:
		return PP_EXIT_OUTPUT;
	default:
		return PP_EXIT_INPUT;
	}
}

void
pp_problem_release(struct pp_problem *p)
{
	pp_buf_release(&p->rule);
	pp_buf_release(&p->message);
	pp_buf_release(&p->file);
	pp_buf_release(&p->candidates);
}
