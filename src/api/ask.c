/*
 * Questions through the public API: parameters by name, answers as tables.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/meter.h"
#include "api/members.h"
#include "base/slice.h"
#include "output/html.h"
#include "questions/scope.h"

/* ---- asking ---- */

/* Sets "name=value"; false with a note. */
static bool
param_set(struct pp_reply *r, const char *param, struct pp_buf *problem)
{
	const char *equals = strchr(param, '=');
	struct pp_slice name = pp_slice_of(param, equals ? (size_t)(equals - param) : 0);

	if (!equals || name.n == 0) {
		pp_buf_addf(problem, "a parameter is NAME=VALUE, not '%s'", param);
		return false;
	}
	return pp_asking_set(&r->asking, pp_answer_copy(&r->asking.answer, name),
	                     pp_answer_copy(&r->asking.answer, pp_slice_z(equals + 1)), problem);
}

/* Whether a parameter names a file to ask about. */
static bool
is_file(const char *param)
{
	return strncmp(param, "file=", 5) == 0;
}

static pp_status
params_set(struct pp_reply *r, const char *const *params)
{
	struct pp_buf problem = { 0 };
	pp_status status = PP_OK;

	for (; params && *params && status == PP_OK; params++)
		if (!is_file(*params) && !param_set(r, *params, &problem))
			status = problem.n ? pp_answer_fail(&r->asking.answer, PP_E_USAGE,
			                                    "wrong-parameter", "%s", problem.p)
			                   : PP_E_NOMEM;
	pp_buf_release(&problem);
	return status;
}

struct pp_seen_for
pp_reply_seen_for(const struct pp_reply *r, const struct pp_want *want)
{
	pp_rendering_form form = r->asking.params->form;
	enum pp_makes makes = r->asking.question->makes;

	return (struct pp_seen_for){
		.stacks = want->stacks,
		.min_share = want->min_share,
		.metric = r->asking.params->metric,
		.labels = want->labels,
		.for_people = form == PP_RENDER_FILE
		                  ? makes != PP_MAKES_PROFILE && makes != PP_MAKES_JSON
		                  : form == PP_RENDER_TEXT || form == PP_RENDER_MARKDOWN,
		/* Of two profiles one may have a thread that the other has not. */
		.known_threads = pp_excerpt_asked(&r->asking) &&
		                 r->asking.question->asks == PP_ASKS_ONE,
		.all_frames = !(want->facets & PP_ASIDE),
		.one_of_many = r->subject.n > 1,
	};
}

/* What the question is asked of: what filters leave, and stacks that are estimated where there are none. */
static pp_status
topics_make(struct pp_reply *r, const struct pp_profile *const profiles[2])
{
	static const struct pp_scope everything = { .depth = PP_UNSET };
	const struct pp_scope *scope = pp_asking_scope(&r->asking);
	struct pp_want want = pp_asking_want(&r->asking);
	struct pp_seen_for seen = pp_reply_seen_for(r, &want);
	size_t i;

	r->topics = pp_answer_alloc(&r->asking.answer, 2 * sizeof *r->topics);
	if (!r->topics)
		return PP_E_NOMEM;
	for (i = 0; i < 2 && profiles[i]; i++) {
		pp_status status;

		pp_view_init(&r->views[i], profiles[i]);
		status = pp_scope_apply(scope ? scope : &everything, &r->views[i], &seen,
		                        &r->asking.answer);
		if (status != PP_OK)
			return status;
		r->topics[i] = (struct pp_topic){ .profile = r->views[i].shown,
			                          .whole = profiles[i],
			                          .chosen = r->views[i].shown->format };
	}
	r->subject.topics = r->topics;
	r->subject.n = i;
	r->subject.split = 1;
	return PP_OK;
}

static bool
columns_list(struct pp_reply *r, struct pp_reply_table *t)
{
	struct pp_answer *a = &r->asking.answer;
	size_t i, m, room = 0;

	for (i = 0; i < t->table->column_count; i++) {
		const struct pp_answer_column *c = &t->table->columns[i];

		room += c->each ? c->each->metrics.n : 1;
	}
	t->columns = pp_answer_alloc(a, (room + 1) * sizeof *t->columns);
	for (i = 0; t->columns && i < t->table->column_count; i++) {
		const struct pp_answer_column *c = &t->table->columns[i];
		struct pp_text key = { c->key, c->key ? strlen(c->key) : 0 };
		struct pp_text group = { c->group ? c->group : "",
			                 c->group ? strlen(c->group) : 0 };

		if (!c->key || (c->flags & PP_COLUMN_NO_JSON))
			continue;
		if (!c->each)
			t->columns[t->n++] = (struct pp_reply_column){ c, c->arg, key, group };
		for (m = 0; c->each && m < pp_metrics_shown(c->each); m++) {
			struct pp_buf label = { 0 };
			const char *name;

			if (!pp_column_has(c, m))
				continue;
			pp_metric_label(c->each, &c->each->metrics.at[m], &label);
			name = pp_answer_copy(a, pp_slice_of(label.p ? label.p : "", label.n));
			t->columns[t->n++] =
			    (struct pp_reply_column){ c, m, { name, label.n }, key };
			pp_buf_release(&label);
		}
	}
	return t->columns != NULL;
}

bool
pp_reply_tables(struct pp_reply *r)
{
	size_t i;

	for (i = 0; i < r->asking.answer.items.n; i++) {
		const struct pp_item *item = &r->asking.answer.items.at[i];
		struct pp_reply_table t = { .table = &item->table };

		if (item->kind != PP_ITEM_TABLE || !item->table.key || item->table.next)
			continue;
		if (!columns_list(r, &t) || !pp_vec_push(&r->tables, t))
			return false;
	}
	return true;
}

bool
pp_reply_sources(struct pp_reply *r)
{
	const struct pp_texts *given = pp_asking_texts(&r->asking, "source");
	const char **files;
	size_t i, n = 0;

	if (!given)
		return true;
	/* Where profiles of a store once stood is nothing that the user named. */
	files = pp_answer_alloc(&r->asking.answer, (r->subject.file_count + 1) * sizeof *files);
	for (i = 0; files && i < r->subject.file_count; i++)
		if (!pp_member_find(r, r->subject.files[i]))
			files[n++] = r->subject.files[i];
	if (!files)
		return false;
	r->subject.source = pp_sources_find;
	r->subject.source_data = &r->sources;
	if (!pp_sources_init(&r->sources, given, files, n))
		return false;
	for (i = 0; i < r->sources.absent.n; i++)
		pp_answer_note(&r->asking.answer, "no-directory",
		               "%s is not a directory, so no source can be found in it",
		               r->sources.absent.at[i]);
	return true;
}

static void
note_tell(void *data, const struct pp_answer_note *note)
{
	const struct pp_reply *r = data;

	if (r->opts.note)
		r->opts.note(r->opts.ctx, note->severity, note->rule, note->text);
}

static const char *
directory_find(struct pp_answer *a)
{
	char path[PATH_MAX];

	return getcwd(path, sizeof path) ? pp_answer_copy(a, pp_slice_z(path)) : NULL;
}

pp_status
pp_reply_new(const char *question, const char *const *params, const struct pp_ask_opts *opts,
             struct pp_reply **out)
{
	const struct pp_question *q = question ? pp_question_find(question) : NULL;
	struct pp_reply *r = q ? calloc(1, sizeof *r) : NULL;

	*out = r;
	if (!r)
		return q ? PP_E_NOMEM : PP_E_USAGE;
	r->opts = *opts;
	if (!pp_asking_init(&r->asking, q)) {
		pp_answer_free(r);
		*out = NULL;
		return PP_E_NOMEM;
	}
	r->asking.answer.tell = note_tell;
	r->asking.answer.tell_ctx = r;
	r->asking.params->form = opts->form;
	r->asking.params->exact = opts->form == PP_RENDER_JSON || opts->form == PP_RENDER_CSV;
	r->asking.params->quiet = opts->quiet;
	r->asking.params->verbose = opts->verbose;
	r->asking.params->formats = opts->formats;
	r->asking.params->terminal = opts->terminal;
	r->asking.params->follows = opts->changed_from != 0;
	r->subject = (struct pp_subject){ .date_parse = pp_date_parse,
		                          .date_print = pp_date_print };
	r->subject.directory = directory_find(&r->asking.answer);
	return params_set(r, params);
}

/* Without a profile: about the files that parameters name. */
static pp_status
ask_named(const char *question, const char *const *params, pp_answer **out)
{
	size_t n = 0, i;
	const char **files;
	pp_status status;

	while (params && params[n])
		n++;
	files = calloc(n + 1, sizeof *files);
	if (!files)
		return PP_E_NOMEM;
	for (i = n = 0; params && params[i]; i++)
		if (is_file(params[i]))
			files[n++] = params[i] + 5;
	status = pp_ask_files(files, n, question, params, NULL, out);
	free(files);
	return status;
}

pp_status
pp_ask_pair(const pp_profile *before, const pp_profile *after, const char *question,
            const char *const *params, pp_answer **out)
{
	static const struct pp_ask_opts opts = { .form = PP_RENDER_JSON };
	const struct pp_profile *const profiles[2] = { before, after };
	struct pp_meter meter;
	struct pp_reply *r;
	pp_status status;

	*out = NULL;
	if (!before)
		return after ? PP_E_USAGE : ask_named(question, params, out);
	pp_meter_start(&meter, before->memory.limit,
	               before->memory.used + (after ? after->memory.used : 0));
	status = pp_reply_new(question, params, &opts, &r);
	if (status == PP_OK)
		status = pp_asking_ready(&r->asking, &r->subject);
	if (status == PP_OK)
		status = topics_make(r, profiles);
	if (status == PP_OK && !pp_reply_sources(r))
		status = PP_E_NOMEM;
	if (status == PP_OK)
		status = pp_asking_run(&r->asking, &r->subject);
	if (status == PP_OK && !pp_reply_tables(r))
		status = PP_E_NOMEM;
	if (status == PP_E_NOMEM)
		pp_answer_free(r);
	else
		*out = r;
	return pp_meter_stop(&meter, status);
}

pp_status
pp_ask(const pp_profile *p, const char *question, const char *const *params, pp_answer **out)
{
	return pp_ask_pair(p, NULL, question, params, out);
}

void
pp_answer_free(pp_answer *r)
{
	size_t i;

	if (!r)
		return;
	pp_html_tables_free(r->pieces);
	pp_asking_release(&r->asking);
	for (i = 0; i < 2; i++)
		pp_view_release(&r->views[i]);
	pp_loaded_drop(r, &r->rewritten);
	pp_sources_release(&r->sources);
	pp_demangled_release(&r->demangled);
	pp_members_release(r);
	pp_folders_free(r->folders);
	pp_vec_release(&r->tables);
	pp_buf_release(&r->made);
	free(r);
}

/* ---- which there are ---- */

size_t
pp_question_count(void)
{
	size_t n = 0;

	while (pp_questions[n])
		n++;
	return n;
}

const char *
pp_question_get(size_t index)
{
	return index < pp_question_count() ? pp_questions[index]->name : NULL;
}

const char *
pp_question_about(size_t index)
{
	return index < pp_question_count() ? pp_questions[index]->summary : NULL;
}

/* ---- notes ---- */

size_t
pp_answer_note_count(const pp_answer *r)
{
	return r->asking.answer.notes.n;
}

static const struct pp_answer_note *
note_at(const pp_answer *r, size_t note)
{
	static const struct pp_answer_note none = { PP_NOTE, "", "" };

	return note < r->asking.answer.notes.n ? &r->asking.answer.notes.at[note] : &none;
}

pp_severity
pp_answer_note_severity(const pp_answer *r, size_t note)
{
	return note_at(r, note)->severity;
}

const char *
pp_answer_note_rule(const pp_answer *r, size_t note)
{
	return note_at(r, note)->rule;
}

const char *
pp_answer_note_text(const pp_answer *r, size_t note)
{
	return note_at(r, note)->text;
}

/* ---- tables ---- */

static const struct pp_reply_table *
table_at(const pp_answer *r, size_t table)
{
	static const struct pp_answer_table nothing = { .key = "" };
	static const struct pp_reply_table none = { .table = &nothing };

	return table < r->tables.n ? &r->tables.at[table] : &none;
}

static const struct pp_reply_column *
column_at(const pp_answer *r, size_t table, size_t column)
{
	static const struct pp_reply_column none = { .name = { "", 0 }, .group = { "", 0 } };
	const struct pp_reply_table *t = table_at(r, table);

	return column < t->n ? &t->columns[column] : &none;
}

size_t
pp_answer_tables(const pp_answer *r)
{
	return r->tables.n;
}

const char *
pp_answer_table_name(const pp_answer *r, size_t table)
{
	return table_at(r, table)->table->key;
}

size_t
pp_answer_rows(const pp_answer *r, size_t table)
{
	return table_at(r, table)->table->window.n;
}

size_t
pp_answer_rows_in_all(const pp_answer *r, size_t table)
{
	return table_at(r, table)->table->rows;
}

size_t
pp_answer_columns(const pp_answer *r, size_t table)
{
	return table_at(r, table)->n;
}

struct pp_text
pp_answer_column_name(const pp_answer *r, size_t table, size_t column)
{
	return column_at(r, table, column)->name;
}

struct pp_text
pp_answer_column_group(const pp_answer *r, size_t table, size_t column)
{
	return column_at(r, table, column)->group;
}

/* A number that is text already: all its digits, and what they are worth. */
static struct pp_number
number_of_text(struct pp_slice text)
{
	struct pp_number number = { .text = "0" };

	if (text.n >= sizeof number.text)
		return number;
	memcpy(number.text, text.p, text.n);
	number.text[text.n] = '\0';
	(void)pp_num_double(text, &number.value);
	number.is_integer = pp_num_i64(text, &number.integer);
	return number;
}

static struct pp_cell
cell_of(enum pp_as as, const struct pp_datum *d)
{
	struct pp_cell cell = { .kind = PP_CELL_NUMBER };
	char text[PP_NUM_MAX];
	size_t n = 0;

	switch (as) {
	case PP_AS_NAME:
	case PP_AS_TEXT:
	case PP_AS_LABEL:
		cell.kind = PP_CELL_TEXT;
		cell.text = (struct pp_text){ (const char *)d->text.p, d->text.n };
		return cell;
	case PP_AS_BOOL:
		cell.kind = PP_CELL_BOOL;
		cell.yes = d->yes;
		return cell;
	case PP_AS_COUNT:
	case PP_AS_BYTES:
		n = pp_num_print(text, (pp_i128)d->count, 0);
		break;
	case PP_AS_INT:
	case PP_AS_TIME:
		n = pp_num_print(text, (pp_i128)d->whole, 0);
		break;
	case PP_AS_VALUE:
		n = pp_value_print(d->metric, d->value, text);
		break;
	case PP_AS_REAL:
	case PP_AS_AMOUNT:
	case PP_AS_SHARE:
	case PP_AS_BAR:
		n = pp_num_print_double(text, d->part);
		break;
	case PP_AS_RAW:
		cell.number = number_of_text(d->text);
		return cell;
	}
	cell.number = number_of_text(pp_slice_of(text, n));
	return cell;
}

struct pp_cell
pp_answer_cell(pp_answer *r, size_t table, size_t row, size_t column)
{
	const struct pp_reply_table *t = table_at(r, table);
	const struct pp_reply_column *c = column_at(r, table, column);
	struct pp_datum d = { .made = &r->made };

	r->made.n = 0;
	if (!c->column || row >= t->table->window.n)
		return (struct pp_cell){ .kind = PP_CELL_UNKNOWN };
	pp_answer_get(t->table, c->column, t->table->window.first + row, c->arg, &d);
	if (!d.known)
		return (struct pp_cell){ .kind = PP_CELL_UNKNOWN };
	return d.null ? (struct pp_cell){ .kind = PP_CELL_NULL } : cell_of(c->column->as, &d);
}

/* ---- more of an answer ---- */

bool
pp_answer_stands(const pp_answer *r)
{
	return r->asking.answer.stands;
}

bool
pp_answer_exceeds(const pp_answer *r)
{
	return r->asking.answer.exceeded;
}

size_t
pp_answer_candidates(const pp_answer *r, size_t *not_listed)
{
	*not_listed = r->asking.answer.more_candidates;
	return r->asking.answer.candidates.n;
}

void
pp_answer_candidate(const pp_answer *r, size_t index, struct pp_text *name, struct pp_text *place)
{
	static const struct pp_candidate none = { .func = 0 };
	const struct pp_candidate *c = index < r->asking.answer.candidates.n
	                                   ? &r->asking.answer.candidates.at[index]
	                                   : &none;

	*name = (struct pp_text){ (const char *)c->name.p, c->name.n };
	*place = (struct pp_text){ (const char *)c->place.p, c->place.n };
}

/* Only what this library was built with. */
bool
pp_answer_next(const pp_answer *r, size_t index, struct pp_next *next)
{
	const struct pp_answer *a = &r->asking.answer;
	size_t i;

	for (i = 0; i < a->hints.n; i++)
		if ((strcmp(a->hints.at[i].before, "report") != 0 || pp_html_possible()) &&
		    index-- == 0) {
			*next = a->hints.at[i];
			return true;
		}
	return false;
}

/* ---- questions as data ---- */

const struct pp_param_group *
pp_question_group(const char *question, size_t index, pp_group_place *place)
{
	const struct pp_question *q = pp_question_find(question);

	return q ? pp_question_shown(q, index, place) : NULL;
}

const struct pp_param *
pp_question_word(const char *question)
{
	const struct pp_question *q = pp_question_find(question);

	return q ? q->word : NULL;
}

unsigned
pp_question_gives(const char *question)
{
	const struct pp_question *q = pp_question_find(question);

	return q ? q->gives : 0;
}

pp_asks
pp_question_asks(const char *question)
{
	const struct pp_question *q = pp_question_find(question);

	return q ? q->asks : PP_ASKS_NOTHING;
}
