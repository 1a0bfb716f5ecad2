/*
 * What went wrong first, for scripts.
 */
#include "cli/problem.h"

#include "cli/cli.h"
#include "text/json_emit.h"

void
pp_problem_keep(struct pp_problem *p, pp_severity severity, const char *rule, const char *message,
                const char *file)
{
	if (!p || (p->known && p->severity >= severity))
		return;
	p->known = true;
	p->severity = severity;
	p->rule.n = p->message.n = p->file.n = 0;
	pp_buf_adds(&p->rule, rule);
	pp_buf_adds(&p->message, message);
	pp_buf_adds(&p->file, file ? file : "");
}

void
pp_problem_keep_worst(struct pp_problem *p, const pp_diags *diags)
{
	size_t i;

	for (i = 0; i < pp_diags_count(diags); i++) {
		const struct pp_diag *d = pp_diags_get(diags, i);

		if (d->severity > PP_NOTE)
			pp_problem_keep(p, d->severity, d->rule->id, d->message, d->file);
	}
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

bool
pp_problem_is_json(int argc, char *const *argv)
{
	int i;

	for (i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "--format=json") == 0 ||
		    (i + 1 < argc && strcmp(argv[i], "--format") == 0 &&
		     strcmp(argv[i + 1], "json") == 0))
			return true;
	return false;
}

static const char *
usual_rule(int code)
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
pp_problem_print(const struct pp_problem *p, int code)
{
	const char *file = p->file.n ? p->file.p : p->asked;
	struct pp_sink *out;
	struct pp_buf text;
	struct pp_json j;

	if (code < PP_EXIT_USAGE || !p->json || p->answered)
		return;
	out = pp_cli_text(&text);
	if (!out)
		return;
	pp_json_init(&j, out, PP_JSON_SPACED);
	j.spelled = true;
	pp_json_begin_object(&j);
	pp_json_put_object(&j, "error");
	pp_json_put_textz(&j, "rule", p->rule.n ? p->rule.p : usual_rule(code));
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
	pp_cli_stdout_done(out, &text);
}

void
pp_problem_release(struct pp_problem *p)
{
	pp_buf_release(&p->rule);
	pp_buf_release(&p->message);
	pp_buf_release(&p->file);
	pp_buf_release(&p->candidates);
}
