/*
 * Findings in answers.
 */
#include "questions/findings.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/vec.h"

const char *
pp_severity_name(pp_severity severity)
{
	return severity == PP_ERROR ? "error" : severity == PP_WARNING ? "warning" : "note";
}

enum pp_ink
pp_severity_ink(pp_severity severity)
{
	return severity == PP_ERROR     ? PP_INK_ERROR
	       : severity == PP_WARNING ? PP_INK_WARNING
	                                : PP_INK_NOTE;
}

/* ---- order ---- */

/* Places compare by line where both have one, else by offset; what has no place comes last. */
static int
place_cmp(const struct pp_diag *a, const struct pp_diag *b)
{
	bool a_known = a->line || a->offset != PP_NO_OFFSET;
	bool b_known = b->line || b->offset != PP_NO_OFFSET;

	if (a_known != b_known)
		return a_known ? -1 : 1;
	if (a->line && b->line && a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->line && b->line && a->column != b->column)
		return a->column < b->column ? -1 : 1;
	if (!(a->line && b->line) && a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return 0;
}

/* The files of a list in the order of their first findings: mostly there is one, or a second beside it. */
struct files {
	const struct pp_diag *list;
	uint32_t *of; /* by finding */
};

/* Findings are in the order of files, then of places, then as they were found. */
static int
diag_cmp(const void *x, const void *y, void *context)
{
	const struct files *files = context;
	const struct pp_diag *a = *(const struct pp_diag *const *)x;
	const struct pp_diag *b = *(const struct pp_diag *const *)y;
	uint32_t file = files->of[a - files->list], other = files->of[b - files->list];
	int c = file != other ? (file < other ? -1 : 1) : place_cmp(a, b);

	return c ? c : (a > b) - (a < b);
}

static bool
files_find(struct files *files, const struct pp_diags *diags)
{
	PP_VEC(const char *) known = { 0 };
	bool fine = true;
	size_t i, k;

	files->list = diags->list.at;
	files->of = calloc(diags->list.n, sizeof *files->of);
	for (i = 0; files->of && fine && i < diags->list.n; i++) {
		const char *file = diags->list.at[i].file;

		for (k = 0; k < known.n && file != known.at[k] && strcmp(file, known.at[k]) != 0;)
			k++;
		files->of[i] = (uint32_t)k;
		fine = k < known.n || pp_vec_push(&known, file);
	}
	pp_vec_release(&known);
	return files->of && fine;
}

bool
pp_diag_order_init(struct pp_diag_order *order, const struct pp_diags *diags)
{
	struct files files = { NULL, NULL };
	bool fine;
	size_t i;

	*order = (struct pp_diag_order){ NULL, 0 };
	if (diags->list.n == 0)
		return true;
	order->at = malloc(diags->list.n * sizeof *order->at);
	fine = order->at && files_find(&files, diags);
	order->n = fine ? diags->list.n : 0;
	for (i = 0; i < order->n; i++)
		order->at[i] = &diags->list.at[i];
	if (order->n > 1)
		pp_sort(order->at, order->n, sizeof *order->at, diag_cmp, &files);
	free(files.of);
	if (!fine)
		pp_diag_order_release(order);
	return fine;
}

void
pp_diag_order_release(struct pp_diag_order *order)
{
	free(order->at);
	*order = (struct pp_diag_order){ NULL, 0 };
}

/* ---- the table; data is a struct pp_diag_order ---- */

static void
order_release(void *data)
{
	pp_diag_order_release(data);
}

static const struct pp_diag *
diag_of(const void *data, size_t row)
{
	return ((const struct pp_diag_order *)data)->at[row];
}

static void
severity_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(pp_severity_name(diag_of(data, row)->severity)));
}

static void
rule_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(diag_of(data, row)->rule->id));
}

/* JSON has the file around them, CSV beside each. */
static const struct pp_answer_column columns[] = {
	{ .key = "file", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_JSON, PP_TEXT_OF(pp_diag, file) },
	{ .key = "severity", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_CSV, .get = severity_get },
	{ .key = "rule", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_CSV, .get = rule_get },
	{ .key = "line", .as = PP_AS_COUNT, PP_NUMBER_OF(pp_diag, line) },
	{ .key = "column", .as = PP_AS_COUNT, PP_NUMBER_OF(pp_diag, column) },
	{ .key = "offset", .as = PP_AS_COUNT, PP_NUMBER_OF(pp_diag, offset) },
	{ .key = "severity", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_JSON, .get = severity_get },
	{ .key = "rule", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_JSON, .get = rule_get },
	{ .key = "message", .as = PP_AS_TEXT, PP_TEXT_OF(pp_diag, message) },
};

static void
findings_table(struct pp_answer *a, const char *key, const struct pp_diag_order *order,
               unsigned flags)
{
	pp_answer_table(
	    a, &(struct pp_answer_table){ .key = key,
	                                  .columns = columns,
	                                  .column_count = PP_COUNT_OF(columns),
	                                  .data = order,
	                                  .records = (const void *const *)order->at,
	                                  .rows = order->n,
	                                  .flags = flags | PP_TABLE_NO_TEXT | PP_TABLE_WHOLE });
}

void
pp_answer_findings(struct pp_answer *a, const struct pp_diags *diags)
{
	struct pp_diag_order *order = pp_answer_own(a, sizeof *order, order_release);
	uint64_t found = pp_diags_total(diags, PP_NOTE);

	if (!order || !pp_diag_order_init(order, diags)) {
		a->failed = true;
		return;
	}
	findings_table(a, "diagnostics", order, PP_TABLE_NO_CSV);
	if (found > order->n)
		pp_answer_count(a, "omitted", found - order->n);
}

void
pp_answer_list_findings(struct pp_answer *a, const struct pp_diags *diags, pp_severity least,
                        size_t shown)
{
	struct pp_item item = {
		.kind = PP_ITEM_FINDINGS, .diags = diags, .least = least, .count = shown
	};

	a->failed |= !pp_vec_push(&a->items, item);
}

void
pp_answer_findings_of(struct pp_answer *a, const struct pp_diags *const *all, size_t n)
{
	struct pp_diag_order *order = pp_answer_own(a, sizeof *order, order_release), one;
	size_t i, most = 0;

	for (i = 0; i < n; i++)
		most += all[i]->list.n;
	if (order)
		order->at = calloc(most + 1, sizeof *order->at);
	for (i = 0; order && order->at && i < n; i++) {
		if (!pp_diag_order_init(&one, all[i])) {
			a->failed = true;
			return;
		}
		if (one.n)
			memcpy(order->at + order->n, one.at, one.n * sizeof *one.at);
		order->n += one.n;
		pp_diag_order_release(&one);
	}
	if (order && order->at)
		findings_table(a, NULL, order, 0);
	else
		a->failed = true;
}
