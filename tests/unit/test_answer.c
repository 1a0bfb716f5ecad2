/*
 * Parameters, answers, the budget and the four forms of an answer, on tables that are made here.
 */
#include <stddef.h>

#include "output/render.h"
#include "questions/question.h"
#include "tap.h"

/* ---- parameters ---- */

struct made_params {
	struct pp_asked asked;
	bool flag;
	const char *text;
	struct pp_texts texts;
	uint64_t count;
	unsigned choice;
	double share;
};

#define AT(member) offsetof(struct made_params, member)
static const struct pp_param made[] = {
	{ "flag", 0, PP_PARAM_FLAG, NULL, "", PP_HINT_NONE, AT(flag) },
	{ "text", 0, PP_PARAM_TEXT, "T", "", PP_HINT_NONE, AT(text) },
	{ "one", 0, PP_PARAM_TEXTS, "T", "", PP_HINT_NONE, AT(texts) },
	{ "two", 0, PP_PARAM_TEXTS, "T", "", PP_HINT_NONE, AT(texts) },
	{ "count", 0, PP_PARAM_COUNT, "N", "", PP_HINT_NONE, AT(count) },
	{ "choice", 0, PP_PARAM_CHOICE, "self|total|calls", "", PP_HINT_NONE, AT(choice) },
	{ "share", 0, PP_PARAM_SHARE, "PCT", "", PP_HINT_NONE, AT(share) },
	{ 0 },
};
static const struct pp_param_group made_group = { "Made", made };
static const struct pp_param_use made_uses[] = { { &made_group, 0, PP_GROUP_FIRST }, { 0 } };

static pp_status
made_run(const struct pp_subject *subject, const void *params, struct pp_answer *a)
{
	return PP_OK;
}

static const struct pp_question made_question = {
	.name = "made",
	.params = made_uses,
	.params_size = sizeof(struct made_params),
	.run = made_run,
};

static void
refused(struct pp_asking *asking, const char *name, const char *text, const char *why)
{
	struct pp_buf problem = { 0 };

	ok(!pp_asking_set(asking, name, text, &problem), "%s is not %s", name, text);
	is_text(problem.p ? problem.p : "", why, "and that is said");
	pp_buf_release(&problem);
}

static void
test_params(void)
{
	static const char *const values[][2] = {
		{ "flag", "" },       { "text", "a" }, { "one", "1" },     { "two", "2" },
		{ "one", "3" },       { "text", "b" }, { "count", "12" },  { "choice", "calls" },
		{ "share", "12.5%" }, { "page", "7" }, { "bytes", "600" },
	};
	struct pp_asking asking;
	struct pp_buf problem = { 0 };
	const struct made_params *p;
	size_t i;

	ok(pp_asking_init(&asking, &made_question), "a question is begun");
	p = (const struct made_params *)(const void *)asking.params;
	ok(!p->flag && !p->text && p->count == PP_UNSET && p->choice == 0 && p->share < 0 &&
	       p->asked.budget.rows == PP_UNSET && p->asked.budget.bytes == 0,
	   "nothing is given");
	for (i = 0; i < PP_COUNT_OF(values); i++)
		ok(pp_asking_set(&asking, values[i][0], values[i][1], &problem), "%s is set",
		   values[i][0]);
	ok(p->flag && p->count == 12 && p->choice == 2 && p->share == 0.125, "by its kind");
	is_text(p->text, "b", "the last text counts");
	ok(p->texts.list.n == 3 && strcmp(p->texts.list.at[2].text, "3") == 0 &&
	       p->texts.list.at[1].param == &made[3],
	   "of several all do, in their order");
	ok(strcmp(p->asked.budget.page_given, "7") == 0 && p->asked.budget.bytes == 600,
	   "every question has a budget");
	refused(&asking, "count", "-1", "count needs a whole number, not '-1'");
	refused(&asking, "choice", "totl",
	        "choice is one of self|total|calls, not 'totl'; did you mean 'total'?");
	refused(&asking, "share", "101", "share takes a percentage from 0 to 100, not '101'");
	refused(&asking, "other", "1", "made has no parameter 'other'");
	pp_asking_release(&asking);
	pp_buf_release(&problem);
}

/* ---- an answer ---- */

#define ROWS 200

static void
number_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	if (row % 5)
		pp_datum_count(d, row * arg);
}

static void
name_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_buf_addf(d->made, "row%zu|", row);
	/* Now and then one that would use a budget up. */
	if (row % 17 == 3)
		pp_buf_addf(d->made, "%0*d", 5000, 0);
	pp_datum_made(d);
}

static void
nothing_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = d->null = row % 2;
}

static struct pp_branch_place
place_of(const void *data, size_t row)
{
	return (struct pp_branch_place){ .level = (uint32_t)(row % 3), .last = row % 3 == 2 };
}

static const struct pp_answer_column columns[] = {
	{ .key = "name", .title = "name", .as = PP_AS_NAME, .get = name_get },
	{ .key = "a", .group = "g", .title = "a", .as = PP_AS_COUNT, .arg = 1, .get = number_get },
	{ .key = "b", .group = "g", .as = PP_AS_COUNT, .arg = 1000, .get = number_get },
	{ .key = "n", .as = PP_AS_REAL, .get = nothing_get },
	{ .title = "", .as = PP_AS_LABEL, .get = nothing_get },
};

static void
answer_make(struct pp_answer *a, const struct pp_budget *budget, size_t rows, bool tree)
{
	struct pp_answer_table table = { .key = "rows",
		                         .one = "row",
		                         .many = "rows",
		                         .columns = columns,
		                         .column_count = PP_COUNT_OF(columns),
		                         .rows = rows };

	if (tree) {
		table.place = place_of;
		table.nested = "inner";
	}
	pp_answer_init(a);
	a->budget = *budget;
	pp_answer_textz(a, "what", "te\"st");
	pp_answer_open(a, "in");
	pp_answer_bool(a, "yes", true);
	pp_answer_int(a, "less", -1);
	pp_answer_close(a);
	pp_answer_open_list(a, "list");
	pp_answer_real(a, NULL, 0.5);
	pp_answer_close_list(a);
	pp_answer_say(a, PP_INK_TITLE, "a %s", "title");
	pp_answer_say(a, PP_INK_PLAIN, "\n");
	pp_answer_table(a, &table);
	pp_answer_count(a, "count", rows);
	pp_answer_line(a, "key", PP_INK_PLAIN, pp_slice_z("text"));
}

/* Renders into *out. */
static pp_status
answer_render(const struct pp_answer *a, enum pp_form form, struct pp_buf *out, struct pp_cut *cut)
{
	struct pp_render_opts opts = { .form = form, .all_hint = "there are more" };
	struct pp_sink *sink = NULL;
	pp_status status = pp_sink_buffer(out, &sink);

	out->n = 0;
	if (status == PP_OK)
		status = pp_render(a, &opts, sink, cut);
	if (status == PP_OK)
		status = pp_sink_commit(sink);
	pp_sink_close(sink);
	return status;
}

static void
test_forms(void)
{
	static const char *const expected[] = {
		[PP_FORM_TEXT] = "a title\n  name   a\n  row1|  1\n  row2|  2\n\n"
		                 "  ... and 2 more rows (there are more)\n  key           text\n",
		[PP_FORM_JSON] =
		    "{\"what\": \"te\\\"st\", \"in\": {\"yes\": true, \"less\": -1}, \"list\": [0.5], "
		    "\"rows\": [{\"name\": \"row1|\", \"g\": {\"a\": 1, \"b\": 1000}, \"n\": null}, "
		    "{\"name\": \"row2|\", \"g\": {\"a\": 2, \"b\": 2000}}], \"count\": 5}\n",
		[PP_FORM_CSV] = "name,g_a,g_b,n\nrow1|,1,1000,\nrow2|,2,2000,\n",
		[PP_FORM_MARKDOWN] =
		    "**a title**\n\n| name | a |  |\n|---|---|---|\n| `row1\\|` | 1 |  |\n| `row2\\|` | 2 "
		    "|  |\n\n... and 2 more\n- key: text\n",
	};
	struct pp_budget two = { .rows = 2, .page = 1 };
	struct pp_buf out = { 0 };
	struct pp_answer a;
	struct pp_cut cut;
	size_t form;

	for (form = 0; form < PP_COUNT_OF(expected); form++) {
		answer_make(&a, &two, 5, false);
		ok(answer_render(&a, (enum pp_form)form, &out, &cut) == PP_OK, "form %zu", form);
		is_text(out.p ? out.p : "", expected[form], "as it should be");
		ok(cut.rows == 2 && cut.next == 3, "what is left is told");
		pp_answer_release(&a);
	}
	pp_buf_release(&out);
}

static void
test_nested(void)
{
	static const struct pp_budget four = { .rows = 4 };
	struct pp_buf out = { 0 };
	struct pp_answer a;

	answer_make(&a, &four, 4, true);
	a.items.at[a.items.n - 3].table.column_count = 1;
	ok(answer_render(&a, PP_FORM_JSON, &out, NULL) == PP_OK && out.n > 100, "rows in rows");
	ok(strstr(out.p ? out.p : "",
	          "\"rows\": [{\"name\": \"row0|\", \"inner\": [{\"name\": "
	          "\"row1|\", \"inner\": [{\"name\": \"row2|\"}]}]}, {\"name\": \"row3|") != NULL,
	   "are in arrays of their own");
	pp_answer_release(&a);
	pp_buf_release(&out);
}

/* ---- budgets ---- */

/* How many of the rows from `first` on are in an answer, each once and in order. */
static size_t
rows_in(const char *text, size_t first)
{
	char name[32];
	size_t n = 0;

	for (;; n++) {
		snprintf(name, sizeof name, "row%zu%s", first + n, strchr(text, '\\') ? "" : "|");
		text = strstr(text, name);
		if (!text)
			return n;
		text += strlen(name);
	}
}

static void
test_budgets(void)
{
	static const char *const names[] = { "text", "JSON", "CSV", "Markdown" };
	struct pp_buf out = { 0 };
	uint64_t random = 42;
	size_t form, i;

	for (form = 0; form < PP_COUNT_OF(names); form++) {
		size_t broken = 0, pages = 0, wrong = 0;

		for (i = 0; i < 20; i++) {
			struct pp_budget budget = { .rows = PP_UNSET };
			struct pp_cut cut = { .rows = 1 };
			struct pp_answer a;

			random = random * 6364136223846793005u + 1442695040888963407u;
			budget.bytes = 700 + (random >> 33) % 6000;
			if (i % 4 == 0)
				budget.rows = 1 + (random >> 40) % 30;
			while (cut.rows > 0 && !broken && !wrong) {
				answer_make(&a, &budget, ROWS, form == PP_FORM_JSON && i % 2);
				broken += answer_render(&a, (enum pp_form)form, &out, &cut) !=
				              PP_OK ||
				          out.n > budget.bytes;
				/* Pages are a partition: each goes on where the one before ended. */
				if (form != PP_FORM_MARKDOWN && cut.rows)
					wrong += rows_in(out.p, budget.page) !=
					         cut.next - budget.page;
				wrong += cut.rows && cut.next + cut.rows != ROWS;
				wrong += cut.rows && cut.next == budget.page;
				budget.page = cut.next;
				pages++;
				pp_answer_release(&a);
			}
		}
		ok(broken == 0, "%s: no answer is longer than its budget", names[form]);
		ok(wrong == 0 && pages > 40, "%s: %zu pages give every row once", names[form],
		   pages);
	}
	pp_buf_release(&out);
}

static void
test_clip(void)
{
	struct pp_buf spare = { 0 };
	char text[400];
	struct pp_slice clipped;
	size_t i;

	for (i = 0; i < sizeof text; i += 2)
		memcpy(text + i, "ä", 2);
	clipped = pp_budget_clip(pp_slice_of(text, PP_CLIP_MAX), &spare);
	ok(clipped.n == PP_CLIP_MAX, "what is short enough stays");
	for (i = 300; i < 304; i++) {
		clipped = pp_budget_clip(pp_slice_of(text + i % 2, i - i % 2), &spare);
		ok(clipped.n <= PP_CLIP_MAX && memmem(clipped.p, clipped.n, "…", 3),
		   "the rest is clipped");
		ok(memmem(clipped.p, clipped.n, " bytes)", 7) != NULL, "and says how long it was");
	}
	pp_buf_release(&spare);
}

int
main(void)
{
	test_params();
	test_forms();
	test_nested();
	test_budgets();
	test_clip();
	return tap_done();
}
