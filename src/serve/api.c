/*
 * /api/v1/VERB?file=NAME&OPTION=VALUE: the question that the command line asks, and the bytes that --json prints; of
 * commands that write a file the bytes of that. /api/v1/verdicts is what `diff` says of each function, for the web app.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/reply.h"
#include "base/slice.h"
#include "output/html_verdicts.h"
#include "questions/compare.h"
#include "serve/problem.h"
#include "serve/serve.h"
#include "store/store.h"
#include "text/suggest.h"

#define PREFIX "/api/v1/"
/* What an answer with verdicts may hold at most. */
#define VERDICTS_BYTES 1000000

/* A question while its parameters are read. */
struct request {
	struct pp_serve *serve;
	struct pp_exchange *exchange;
	const char *question;
	pp_rendering_form form;
	const char *format; /* what is written: as given, or NULL */
	PP_VEC(const char *) files, params;
	bool sides; /* files were named as parameters */
	bool store; /* it compares parts of one store: what is before and after are expressions */
	bool verdicts; /* nothing but these, from a row on */
	size_t from;
	bool refused, failed;
};

/* ---- parameters ---- */

static bool
same_name(const char *given, const char *name)
{
	for (; *given && *name; given++, name++)
		if (*name != (*given == '_' ? '-' : *given))
			return false;
	return *given == *name;
}

/* A parameter by its name or its letter, '_' for '-'. */
static const struct pp_param *
param_find(const char *question, const char *name)
{
	const struct pp_param_group *group;
	const struct pp_param *p;
	pp_group_place place;
	size_t i;

	for (i = 0; (group = pp_question_group(question, i, &place)) != NULL; i++)
		for (p = group->params; p->name; p++)
			if (same_name(name, p->name) ||
			    (p->letter && name[0] == p->letter && !name[1]))
				return p;
	p = pp_question_word(question);
	return p && same_name(name, p->name) ? p : NULL;
}

/* The error that the command line would print. */
static void
problem_put(struct pp_exchange *x, struct pp_problem *p, int code)
{
	struct pp_sink *out;

	/* What failed to grow may hold no more. */
	pp_buf_release(&x->out);
	x->type = PP_JSON_TYPE;
	x->status = code == PP_EXIT_USAGE ? 400 : code == PP_EXIT_INPUT ? 422 : 500;
	if (pp_sink_buffer(&x->out, &out) != PP_OK)
		return;
	pp_problem_json(p, code, out);
	(void)pp_sink_commit(out);
	pp_sink_close(out);
}

static void
exit_put(struct pp_exchange *x, int code)
{
	char text[16];

	(void)snprintf(text, sizeof text, "%d", code);
	pp_exchange_field(x, "Polyprof-Exit", text);
}

static void
refuse(struct request *r, unsigned status, const char *rule, const char *text, const char *word)
{
	struct pp_buf message = { 0 };

	if (r->refused)
		return;
	r->refused = true;
	pp_buf_addf(&message, text, word);
	pp_answer_error(r->exchange, status, rule, message.p ? message.p : "out of memory");
	pp_buf_release(&message);
}

/* Refuses a parameter in the words of the command line. */
static void
usage_refuse(struct request *r, const char *text)
{
	struct pp_problem problem = { .json = true };

	if (r->refused)
		return;
	r->refused = true;
	pp_problem_keep(&problem, "usage", text ? text : "out of memory", NULL);
	problem_put(r->exchange, &problem, PP_EXIT_USAGE);
	exit_put(r->exchange, PP_EXIT_USAGE);
	pp_problem_release(&problem);
}

/* Refuses a value that makes no sense; true when it did. */
static bool
value_refuse(struct request *r, const struct pp_param *param, const char *value)
{
	char *text;

	if (!pp_param_problem(param, value, "--", &text))
		return false;
	usage_refuse(r, text);
	pp_free(text);
	return true;
}

static void
unknown_refuse(struct request *r, const char *name)
{
	const struct pp_param_group *group;
	const struct pp_param *p;
	struct pp_suggest suggest;
	struct pp_buf text = { 0 };
	pp_group_place place;
	size_t i;

	pp_suggest_init(&suggest, pp_slice_z(name));
	for (i = 0; (group = pp_question_group(r->question, i, &place)) != NULL; i++)
		for (p = group->params; p->name; p++)
			pp_suggest_offer(&suggest, pp_slice_z(p->name));
	pp_buf_addf(&text, "unknown option '--%.200s'", name);
	pp_suggest_print(&suggest, &text, "--");
	usage_refuse(r, text.failed ? NULL : text.p);
	pp_buf_release(&text);
}

static void
param_add(struct request *r, const char *name, const char *value)
{
	struct pp_buf text = { 0 };
	const char *copy;

	pp_buf_addf(&text, "%s=%s", name, value);
	copy = text.failed ? NULL : pp_arena_copy(&r->exchange->arena, text.p, text.n);
	r->failed |= !copy || !pp_vec_push(&r->params, copy);
	pp_buf_release(&text);
}

/* A profile that a parameter names: one of the sources. */
static void
file_param(struct request *r, const char *name, const char *value)
{
	bool expression = r->store && (strcmp(name, "before") == 0 || strcmp(name, "after") == 0);
	const char *path = expression ? value : pp_source_find(r->serve, r->exchange, value);

	if (path)
		param_add(r, name, path);
	else
		refuse(r, 404, "no-source", "there is no source '%s'", value);
}

/* Options of formats that name files of the server. */
static bool
names_file(const char *option)
{
	static const char *const keys[] = { "symfs=", "kallsyms=", "debug-dir=", "binary=" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(keys); i++)
		if (strncmp(option, keys[i], strlen(keys[i])) == 0)
			return true;
	return false;
}

static void
param_read(struct request *r, const char *name, const char *value)
{
	static const struct pp_param names = { .name = "names",
		                               .kind = PP_PARAM_CHOICE,
		                               .value = "fit|short|full" };
	const struct pp_param *p = param_find(r->question, name);
	bool on = strcmp(value, "0") != 0 && strcmp(value, "false") != 0;

	if (!p && (strcmp(name, "quiet") == 0 || strcmp(name, "verbose") == 0 ||
	           strcmp(name, "json") == 0 || strcmp(name, "color") == 0))
		return;
	if (!p && strcmp(name, "names") == 0) {
		if (!value_refuse(r, &names, value))
			param_add(r, name, value);
		return;
	}
	if (!p && strcmp(name, "csv") == 0 && (pp_question_gives(r->question) & PP_GIVES_CSV)) {
		r->form = on ? PP_RENDER_CSV : r->form;
		return;
	}
	if (p && (strcmp(p->name, "format") == 0 || strcmp(p->name, "to") == 0))
		r->format = value;
	if (!p) {
		unknown_refuse(r, name);
	} else if (strcmp(p->name, "before") == 0 || strcmp(p->name, "after") == 0 ||
	           strcmp(p->name, "base") == 0 || strcmp(p->name, "directory") == 0) {
		r->sides |= strcmp(p->name, "base") != 0 && strcmp(r->question, "findings") != 0;
		file_param(r, p->name, value);
	} else if (p->hint == PP_HINT_FILE || strcmp(p->name, "watch") == 0 ||
	           (strcmp(p->name, "option") == 0 && names_file(value))) {
		refuse(r, 400, "usage",
		       "'%s' names files of the server: that is for its command line", name);
	} else if (p->kind != PP_PARAM_FLAG) {
		if (!value_refuse(r, p, value))
			param_add(r, p->name, value);
	} else if (on) {
		param_add(r, p->name, "");
	}
}

/* The same where only verdicts are asked for: what chooses profiles and stacks, and the row where the answer begins. */
static void
verdicts_param_read(struct request *r, const char *name, const char *value)
{
	static const char *const known[] = { "where",    "since",     "until",    "between",
		                             "metric",   "focus",     "ignore",   "hide",
		                             "show",     "show-from", "collapse", "event",
		                             "thread",   "label",     "time",     "noise",
		                             "normalize" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(known); i++)
		if (strcmp(name, known[i]) == 0) {
			param_read(r, name, value);
			return;
		}
	if (strcmp(name, "from") != 0)
		refuse(r, 400, "usage", "there is no parameter '%s'", name);
	else if (!*value || value[strspn(value, "0123456789")] || strlen(value) > 9)
		refuse(r, 400, "usage", "'%s' is a whole number", name);
	else
		r->from = (size_t)strtoul(value, NULL, 10);
}

static bool
is_file_word(const char *name)
{
	return strcmp(name, "file") == 0 || strcmp(name, "source") == 0;
}

/* All sources, where none is named. */
static void
files_usual(struct request *r)
{
	const struct pp_serve_options *o = r->serve->o;
	pp_asks asks = pp_question_asks(r->question);
	size_t i;

	if (r->files.n || r->sides || asks == PP_ASKS_NOTHING)
		return;
	for (i = 0; i < o->source_count; i++)
		r->failed |= !pp_vec_push(&r->files, o->sources[i]);
}

/* Parts of a store that are compared: of the one that is named or, as there is no other source, of the only one. */
static void
store_usual(struct request *r, const struct pp_query *q)
{
	const struct pp_serve_options *o = r->serve->o;

	if (r->files.n == 0 && o->source_count == 1 && pp_query_text(q, "before") &&
	    pp_source_is_store(r->serve, o->sources[0]))
		r->failed |= !pp_vec_push(&r->files, o->sources[0]);
	r->store = r->files.n == 1 && pp_source_is_store(r->serve, r->files.at[0]);
}

static void
request_read(struct request *r, const struct pp_query *q)
{
	size_t i;

	for (i = 0; i < q->list.n; i++)
		if (is_file_word(q->list.at[i].name)) {
			const char *value = q->list.at[i].value;
			const char *path = pp_source_find(r->serve, r->exchange, value);

			if (path)
				r->failed |= !pp_vec_push(&r->files, path);
			else
				refuse(r, 404, "no-source", "there is no source '%s'", value);
		}
	if (pp_question_asks(r->question) == PP_ASKS_SIDES)
		store_usual(r, q);
	for (i = 0; i < q->list.n; i++)
		if (!is_file_word(q->list.at[i].name))
			(r->verdicts ? verdicts_param_read : param_read)(r, q->list.at[i].name,
			                                                 q->list.at[i].value);
	files_usual(r);
}

/* ---- asking ---- */

/* What is said while a question is asked. */
struct listener {
	struct pp_working working; /* first, as the library hands the whole to pp_working_stops() */
	struct pp_problem problem;
};

static void
note_keep(void *ctx, pp_severity severity, const char *rule, const char *text)
{
	struct pp_account *account;

	if (severity != PP_ERROR && strcmp(rule, "usage") != 0)
		return;
	account = pp_account_enter(NULL);
	pp_problem_keep(&((struct listener *)ctx)->problem, rule, text, NULL);
	(void)pp_account_enter(account);
}

static void
findings_keep(void *ctx, const pp_diags *diags)
{
	struct pp_account *account = pp_account_enter(NULL);

	pp_problem_keep_worst(&((struct listener *)ctx)->problem, diags);
	(void)pp_account_enter(account);
}

/* What a file is, to a browser. */
static const char *
file_type(const struct request *r)
{
	static const struct {
		const char *what, *type;
	} types[] = {
		{ "flame", "image/svg+xml" },
		{ "report", "text/html; charset=utf-8" },
		{ "json", PP_JSON_TYPE },
		{ "sarif", PP_JSON_TYPE },
		{ "junit", "application/xml" },
		{ "csv", "text/csv; charset=utf-8" },
		{ "markdown", "text/markdown; charset=utf-8" },
		{ "text", "text/plain; charset=utf-8" },
		{ "github", "text/plain; charset=utf-8" },
		{ "dot", "text/vnd.graphviz; charset=utf-8" },
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(types); i++)
		if (strcmp(types[i].what, r->question) == 0 ||
		    (r->format && strcmp(types[i].what, r->format) == 0))
			return types[i].type;
	return "application/octet-stream";
}

/* What `diff` compared: its rows are in the answer's table. */
static const struct pp_diff *
diff_of(const pp_answer *answer)
{
	const struct pp_answer *a = &answer->asking.answer;
	size_t i;

	for (i = 0; i < a->items.n; i++) {
		const struct pp_item *item = &a->items.at[i];

		if (item->kind == PP_ITEM_TABLE && item->key && strcmp(item->key, "functions") == 0)
			return ((const struct pp_compare_rows *)item->table.data)->diff;
	}
	return NULL;
}

static pp_status
verdicts_put(struct request *r, const pp_answer *answer)
{
	const struct pp_diff *diff = diff_of(answer);
	pp_status status = diff ? pp_html_verdicts(diff, r->from, VERDICTS_BYTES, &r->exchange->out)
	                        : PP_E_UNSUPPORTED;

	r->exchange->status = 200;
	r->exchange->type = "application/octet-stream";
	return status == PP_OK && r->exchange->out.failed ? PP_E_NOMEM : status;
}

/* Prints an answer into the exchange, where that is possible. */
static pp_status
answer_put(struct request *r, pp_answer *answer)
{
	struct pp_print_opts opts = { .size = sizeof opts, .form = r->form };
	struct pp_exchange *x = r->exchange;
	struct pp_sink *out;
	pp_status status;

	x->out.n = 0;
	if (r->verdicts)
		return verdicts_put(r, answer);
	status = pp_sink_buffer(&x->out, &out);
	if (status != PP_OK)
		return status;
	status = pp_answer_print(answer, &opts, out);
	if (status == PP_OK)
		status = pp_sink_commit(out);
	pp_sink_close(out);
	x->status = 200;
	x->type = r->form == PP_RENDER_JSON  ? PP_JSON_TYPE
	          : r->form == PP_RENDER_CSV ? "text/csv; charset=utf-8"
	                                     : file_type(r);
	/* Pictures and reports bring scripts: they run, but as those of nobody. */
	if (r->form == PP_RENDER_FILE)
		pp_exchange_field(x, "Content-Security-Policy",
		                  "sandbox allow-scripts allow-downloads; default-src 'none'; "
		                  "script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
		                  "img-src data: blob:");
	return status;
}

static void
ask(struct request *r)
{
	struct pp_exchange *x = r->exchange;
	struct listener l = { .problem = { .json = true } };
	struct pp_ask_opts opts = { .size = sizeof opts,
		                    .form = r->form,
		                    .quiet = true,
		                    .ctx = &l,
		                    .note = note_keep,
		                    .findings = findings_keep,
		                    .confined = true,
		                    .stop = pp_working_stops,
		                    .provider = &pp_store_provider };
	pp_answer *answer = NULL;
	pp_status status, printed = PP_OK;
	int code;

	pp_working_begin(&l.working, r->serve, x);
	status = pp_ask_files(r->files.at, r->files.n, r->question, r->params.at, &opts, &answer);
	code = pp_exit_of(status);
	l.problem.asked = r->files.n ? r->files.at[0] : NULL;
	if (answer && status != PP_OK)
		pp_problem_keep_candidates(&l.problem, answer);
	if (status != PP_OK && pp_working_stops(&l.working)) {
		r->serve->counts.cancelled++;
		pp_answer_error(x, 504, "timeout", "it took too long, and was given up");
	} else if (!answer || !(status == PP_OK || pp_answer_stands(answer)) ||
	           (printed = answer_put(r, answer)) != PP_OK) {
		code = code ? code : pp_exit_of(printed);
		if (!l.problem.known)
			pp_problem_keep(&l.problem, "", pp_status_text(printed ? printed : status),
			                NULL);
		problem_put(x, &l.problem, code);
		/* That a format cannot hold all of a profile is not the server's fault. */
		x->status = printed == PP_E_LOSS ? 422 : x->status;
	} else if (code == 0 && pp_answer_exceeds(answer)) {
		code = PP_EXIT_FINDINGS;
	} else if (code == PP_EXIT_USAGE) {
		x->status = 400;
	} else if (code == PP_EXIT_INPUT && strcmp(r->question, "check") != 0) {
		/* An answer that tells of a failure; to be checked, a file need not be readable. */
		x->status = 422;
	}
	exit_put(x, code);
	pp_answer_free(answer);
	pp_problem_release(&l.problem);
}

/* Whether files in directories are still what they were: links may have been put in their place. */
static bool
files_stay(struct request *r)
{
	size_t i;

	for (i = 0; i < r->files.n; i++)
		if (!pp_source_find(r->serve, r->exchange, r->files.at[i]))
			return false;
	return true;
}

/*
 * Whether an answer is a file, which it is where there is no JSON, or other than JSON is asked for. What Graphviz would draw
 * is not drawn here: that is a program of its own.
 */
static void
form_choose(struct request *r)
{
	unsigned gives = pp_question_gives(r->question);
	bool json = !r->format || strcmp(r->format, "json") == 0;

	if (strcmp(r->question, "gate") == 0 && !r->format) {
		r->format = "json";
		param_add(r, "format", "json");
	}
	if (strcmp(r->question, "graph") == 0 && r->format && strcmp(r->format, "svg") == 0)
		refuse(r, 400, "usage", "the server draws no '%s': format=dot is for Graphviz",
		       r->format);
	else if (r->format && strcmp(r->format, "csv") == 0 && (gives & PP_GIVES_CSV))
		r->form = PP_RENDER_CSV;
	else if (!(gives & PP_GIVES_JSON) || (!json && (gives & PP_GIVES_FILE)))
		r->form = PP_RENDER_FILE;
}

/* The question of a path; NULL when there is none. Symbols are looked up in files of the machine, which nobody may read. */
static const char *
question_of(struct pp_slice path)
{
	struct pp_slice verb = pp_slice_from(path, strlen(PREFIX));
	const char *name;
	size_t i;

	for (i = 0; (name = pp_question_get(i)) != NULL; i++)
		if (pp_slice_eq_z(verb, name))
			return strcmp(name, "symbolize") == 0 ? NULL : name;
	return NULL;
}

static void
question_ask(struct pp_serve *s, struct pp_exchange *x, const char *question, bool verdicts)
{
	struct request r = { .serve = s,
		             .exchange = x,
		             .question = question,
		             .form = PP_RENDER_JSON,
		             .verdicts = verdicts };
	char memory[32];
	struct pp_query q;

	if (!r.question) {
		pp_answer_error(x, 404, "no-question", "there is no such question");
	} else if (!pp_query_read(x, &q)) {
		pp_answer_error(x, 400, "usage", "the query cannot be decoded");
	} else {
		s->counts.questions++;
		request_read(&r, &q);
		form_choose(&r);
		pp_vec_release(&q.list);
		(void)snprintf(memory, sizeof memory, "%llu", (unsigned long long)s->memory_each);
		param_add(&r, "max-memory", memory);
		r.failed |= !pp_vec_push(&r.params, (const char *)NULL);
		if (r.failed)
			pp_answer_error(x, 503, "memory", "out of memory");
		else if (!r.refused)
			ask(&r);
		if (!r.refused && !files_stay(&r))
			pp_answer_error(x, 404, "no-source", "a file was replaced meanwhile");
	}
	pp_exchange_field(x, "Cache-Control", "no-store");
	pp_vec_release(&r.files);
	pp_vec_release(&r.params);
	pp_serve_weigh(s, x);
	pp_exchange_done(x);
}

void
pp_api_ask(struct pp_serve *s, struct pp_exchange *x)
{
	question_ask(s, x, question_of(x->head.path), false);
}

void
pp_api_verdicts(struct pp_serve *s, struct pp_exchange *x)
{
	question_ask(s, x, "diff", true);
}
