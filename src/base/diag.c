/*
 * Diagnostics as data.
 */
#include "base/diag.h"

#include <stdio.h>

#include "base/buf.h"

struct pp_place
pp_place_in(struct pp_slice text, const unsigned char *at)
{
	const unsigned char *p, *start = text.p;
	uint64_t line = 1;

	while (start < at && (p = memchr(start, '\n', (size_t)(at - start))) != NULL) {
		line++;
		start = p + 1;
	}
	return pp_at_line(line, (uint64_t)(at - start) + 1, (uint64_t)(at - text.p));
}

struct pp_place
pp_places_next(struct pp_places *x, const unsigned char *at)
{
	const unsigned char *from = x->at ? x->at : x->text.p;
	struct pp_place p = pp_place_in(pp_slice_of(from, (size_t)(x->text.p + x->text.n - from)),
	                                at);

	if (x->at && p.line == 1)
		p.column += x->place.column - 1;
	if (x->at)
		p.line += x->place.line - 1;
	p.offset = (uint64_t)(at - x->text.p);
	x->at = at;
	x->place = p;
	return p;
}

void
pp_diags_init(struct pp_diags *d)
{
	*d = (struct pp_diags){ .file = "" };
}

void
pp_diags_release(struct pp_diags *d)
{
	pp_vec_release(&d->list);
	pp_vec_release(&d->counts);
	pp_arena_release(&d->arena);
}

pp_diags *
pp_diags_new(void)
{
	struct pp_diags *d = malloc(sizeof *d);

	if (d)
		pp_diags_init(d);
	return d;
}

void
pp_diags_free(pp_diags *d)
{
	if (!d)
		return;
	pp_diags_release(d);
	free(d);
}

size_t
pp_diags_count(const pp_diags *d)
{
	return d->list.n;
}

const struct pp_diag *
pp_diags_get(const pp_diags *d, size_t index)
{
	return index < d->list.n ? &d->list.at[index] : NULL;
}

uint64_t
pp_diags_total(const pp_diags *d, pp_severity at_least)
{
	uint64_t sum = 0;
	size_t i;

	for (i = (size_t)at_least; i < PP_COUNT_OF(d->totals); i++)
		sum += d->totals[i];
	return sum;
}

void
pp_diags_set_file(struct pp_diags *d, const char *file)
{
	const char *copy = pp_arena_copy(&d->arena, file, strlen(file));

	d->file = copy ? copy : "";
}

static struct pp_rule_count *
diags_counter(struct pp_diags *d, const struct pp_rule *rule)
{
	size_t i;

	for (i = 0; i < d->counts.n; i++)
		if (d->counts.at[i].rule == rule)
			return &d->counts.at[i];
	if (!pp_vec_push(&d->counts, (struct pp_rule_count){ rule, 0 }))
		return NULL;
	return &d->counts.at[d->counts.n - 1];
}

uint64_t
pp_diags_of_rule(const struct pp_diags *d, const struct pp_rule *rule)
{
	size_t i;

	for (i = 0; i < d->counts.n; i++)
		if (d->counts.at[i].rule == rule)
			return d->counts.at[i].n;
	return 0;
}

/* Counts one finding; true when there is room to keep it too. */
static bool
diags_count_one(struct pp_diags *d, const struct pp_rule *rule, pp_severity severity)
{
	struct pp_rule_count *count = diags_counter(d, rule);

	d->totals[severity]++;
	return count && count->n++ < (d->cap_per_rule ? d->cap_per_rule : PP_DIAG_CAP);
}

void
pp_diag_vadd(struct pp_diags *d, const struct pp_rule *rule, struct pp_place place, const char *fmt,
             va_list args)
{
	struct pp_buf text = { 0 };
	const char *message;

	if (!d || !diags_count_one(d, rule, rule->severity))
		return;
	pp_buf_vaddf(&text, fmt, args);
	message = text.failed ? NULL : pp_arena_copy(&d->arena, text.p ? text.p : "", text.n);
	pp_buf_release(&text);
	/* Out of memory: the count stands, and the rule's own title is better than nothing. */
	(void)pp_vec_push(&d->list,
	                  (struct pp_diag){ rule, rule->severity, d->file, place.line, place.column,
	                                    place.offset, message ? message : rule->title });
}

void
pp_diag_add(struct pp_diags *d, const struct pp_rule *rule, struct pp_place place, const char *fmt,
            ...)
{
	va_list args;

	va_start(args, fmt);
	pp_diag_vadd(d, rule, place, fmt, args);
	va_end(args);
}

void
pp_diags_append(struct pp_diags *to, const struct pp_diags *from, uint64_t add_lines)
{
	size_t i, k;

	if (!to)
		return;
	for (i = 0; i < from->list.n; i++) {
		struct pp_diag diag = from->list.at[i];

		if (!diags_count_one(to, diag.rule, diag.severity))
			continue;
		diag.message = pp_arena_copy(&to->arena, diag.message, strlen(diag.message));
		diag.message = diag.message ? diag.message : diag.rule->title;
		diag.file = to->file;
		diag.line += diag.line ? add_lines : 0;
		(void)pp_vec_push(&to->list, diag);
	}
	/* Those that were only counted. */
	for (i = 0; i < from->counts.n; i++) {
		const struct pp_rule *rule = from->counts.at[i].rule;
		uint64_t listed = 0;

		for (k = 0; k < from->list.n; k++)
			listed += from->list.at[k].rule == rule;
		for (; listed < from->counts.at[i].n; listed++)
			(void)diags_count_one(to, rule, rule->severity);
	}
}

bool
pp_diags_copy(struct pp_diags *to, const struct pp_diags *from)
{
	size_t i;

	pp_diags_init(to);
	to->cap_per_rule = from->cap_per_rule;
	pp_diags_append(to, from, 0);
	if (to->list.n != from->list.n)
		return false;
	for (i = 0; i < from->list.n; i++) {
		const char *file = from->list.at[i].file;

		if (i && file == from->list.at[i - 1].file) {
			to->list.at[i].file = to->list.at[i - 1].file;
			continue;
		}
		to->list.at[i].file = pp_arena_copy(&to->arena, file, strlen(file));
		if (!to->list.at[i].file)
			return false;
	}
	return true;
}

/* Findings without a line stay behind those with one. */
static int
compare_places(const void *left, const void *right)
{
	const struct pp_diag *a = left, *b = right;

	if (a->line != b->line)
		return a->line - 1 < b->line - 1 ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return strcmp(a->message, b->message);
}

void
pp_diags_sort(struct pp_diags *d, size_t first)
{
	if (first < d->list.n)
		qsort(d->list.at + first, d->list.n - first, sizeof *d->list.at, compare_places);
}
