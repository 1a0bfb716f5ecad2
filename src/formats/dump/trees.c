/*
 * Dumps that are trees: each line a function and its count, further in what lies on it. What is left of a count when all
 * that lies on it is taken away is the function's own.
 */
#include "formats/dump/dump.h"

/* ---- trees ------------------------------------------------------------------------------ */

/* Ends what is as deep or deeper, and gives what is left of it to its stack. */
static bool
levels_end(struct pp_dump *d, size_t depth)
{
	bool fine = true;

	while (d->levels.n && d->levels.at[d->levels.n - 1].depth >= depth) {
		struct pp_dump_level *top = &d->levels.at[d->levels.n - 1];
		size_t i;

		if (top->below > top->count) {
			pp_diag_add(d->reader->diags, &pp_dump_rules[DUMP_COUNT], d->builder->place,
			            "%llu is less than the %llu on it",
			            (unsigned long long)top->count, (unsigned long long)top->below);
			d->builder->profile->complete = false;
		} else if (top->below < top->count) {
			d->frames.n = 0;
			for (i = 0; fine && i < d->levels.n; i++)
				fine = pp_vec_push(&d->frames, d->levels.at[i].frame);
			if (fine)
				pp_dump_stack(d, top->count - top->below, !d->callers_below);
		}
		d->levels.n--;
	}
	if (!fine)
		pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
	return fine;
}

static void
level_add(struct pp_dump *d, size_t depth, pp_frame frame, uint64_t count)
{
	struct pp_dump_level *above;

	if (!levels_end(d, depth))
		return;
	above = d->levels.n ? &d->levels.at[d->levels.n - 1] : NULL;
	if (above && __builtin_add_overflow(above->below, count, &above->below))
		above->below = UINT64_MAX;
	if (d->levels.n >= d->builder->limits.max_depth)
		pp_builder_fail(d->builder, PP_E_LIMIT, PP_TOO_DEEP);
	else if (!pp_vec_push(&d->levels, (struct pp_dump_level){ depth, frame, count, 0 }))
		pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
}

static void
tree_end(struct pp_dump *d)
{
	(void)levels_end(d, 0);
}

/* ---- pmcstat ---------------------------------------------------------------------------- */

/* " 50.00%  [30]        mtx_lock": how far in, how many, who. */
static bool
pmcstat_take(struct pp_slice line, size_t *depth, uint64_t *count, struct pp_slice *name)
{
	size_t i = 0, digits;
	struct pp_slice rest, number;
	bool found;

	while (i < line.n && line.p[i] == ' ')
		i++;
	*depth = i;
	for (digits = i; i < line.n && (pp_is_digit(line.p[i]) || line.p[i] == '.'); i++)
		;
	if (i == digits || i >= line.n || line.p[i] != '%')
		return false;
	rest = pp_slice_trim(pp_slice_from(line, i + 1));
	if (!pp_slice_take(&rest, "["))
		return false;
	number = pp_slice_cut(&rest, ']', &found);
	*name = pp_slice_trim(rest);
	return found && pp_num_u64(number, count) && name->n;
}

static int
pmcstat_bid(struct pp_slice line)
{
	struct pp_slice name;
	uint64_t count;
	size_t depth;

	if (pp_slice_starts(line, "@ ") && pp_slice_ends(line, " samples]"))
		return 32;
	return pmcstat_take(line, &depth, &count, &name) ? 14 : 0;
}

static bool
pmcstat_line(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice name;
	const unsigned char *at;
	uint64_t count;
	size_t depth;

	d->callers_below = true;
	if (!pmcstat_take(line, &depth, &count, &name)) {
		(void)levels_end(d, 0);
		return line.n == 0 || line.p[0] == '@' || line.p[0] == '#';
	}
	/* The binary is told where it is another one than before. */
	at = memmem(name.p, name.n, " @ ", 3);
	if (at)
		d->module = pp_build_str(d->builder, pp_slice_between(at + 3, name.p + name.n));
	else if (depth == 0)
		d->module = 0;
	name = at ? pp_slice_between(name.p, at) : name;
	level_add(d, depth,
	          pp_dump_frame(d, name, pp_text_of(d->builder->profile, d->module),
	                        pp_slice_of(NULL, 0), 0),
	          count);
	return true;
}

const struct pp_dump_kind pp_dump_pmcstat = { "pmcstat", pmcstat_bid, pmcstat_line,    tree_end,
	                                      "samples", "samples",   PP_KIND_SAMPLES, { "@ " } };

/* ---- sample ----------------------------------------------------------------------------- */

/* "    +   ! 2537 main  (in a.out) + 30  [0x104]": the column of the count is how deep it is. */
static bool
sample_take(struct pp_slice line, size_t *depth, uint64_t *count, struct pp_slice *name)
{
	size_t i = 0, n;

	while (i < line.n && strchr(" +!:|", line.p[i]))
		i++;
	for (n = i; n < line.n && pp_is_digit(line.p[n]); n++)
		;
	*depth = i;
	*name = pp_slice_trim(pp_slice_from(line, n));
	return i >= 4 && n > i && n < line.n && line.p[n] == ' ' && name->n &&
	       pp_num_u64(pp_slice_of(line.p + i, n - i), count);
}

static int
sample_bid(struct pp_slice line)
{
	struct pp_slice name;
	uint64_t count;
	size_t depth;

	if (pp_slice_starts(line, "Analysis of sampling ") || pp_slice_eq_z(line, "Call graph:"))
		return 32;
	return sample_take(line, &depth, &count, &name) && pp_slice_holds(name, "  (in ") ? 16 : 0;
}

static bool
sample_line(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice name, module = { 0 };
	const unsigned char *in;
	uint64_t count;
	size_t depth;

	if (pp_slice_eq_z(line, "Call graph:")) {
		d->section = 1;
		return true;
	}
	if (d->section != 1)
		return true;
	if (!sample_take(line, &depth, &count, &name)) {
		(void)levels_end(d, 0);
		/* What follows the tree are its parts again, sorted. */
		d->section = 2;
		return true;
	}
	in = memmem(name.p, name.n, "  (in ", 6);
	if (in) {
		const unsigned char *end = name.p + name.n,
		                    *close = memchr(in, ')', (size_t)(end - in));

		module = close ? pp_slice_between(in + 6, close) : module;
		name = pp_slice_between(name.p, in);
	} else if (pp_slice_starts(name, "Thread_")) {
		/* The thread itself: "Thread_7: name", and the queue that it serves. */
		in = memmem(name.p, name.n, "   ", 3);
		name = in ? pp_slice_between(name.p, in) : name;
	}
	level_add(d, depth, pp_dump_frame(d, name, module, pp_slice_of(NULL, 0), 0), count);
	return true;
}

const struct pp_dump_kind pp_dump_sample = {
	"sample",  sample_bid, sample_line,     tree_end,
	"samples", "samples",  PP_KIND_SAMPLES, { "Analysis of sampling ", "Call graph:" }
};

/* ---- VTune ------------------------------------------------------------------------------ */

/* A field of CSV, blanks in front kept; quotes are taken off, doubled ones left as they are. */
static bool
field_next(struct pp_slice *rest, struct pp_slice *field, size_t *blanks)
{
	size_t n;
	bool more;

	*blanks = 0;
	if (rest->n == 0)
		return false;
	while (*blanks < rest->n && rest->p[*blanks] == ' ')
		++*blanks;
	if (*blanks < rest->n && rest->p[*blanks] == '"') {
		for (n = *blanks + 1; n < rest->n && rest->p[n] != '"'; n++)
			;
		*field = pp_slice_between(rest->p + *blanks + 1, rest->p + n);
		/* Blanks may stand within the quotes, too. */
		for (; field->n && field->p[0] == ' '; ++*blanks)
			*field = pp_slice_from(*field, 1);
		*rest = pp_slice_from(*rest, n < rest->n ? n + 1 : n);
		(void)pp_slice_take(rest, ",");
		return true;
	}
	*field = pp_slice_cut(rest, ',', &more);
	*field = pp_slice_trim(*field);
	return true;
}

static int
vtune_bid(struct pp_slice line)
{
	return pp_slice_starts(line, "Function Stack,") && pp_slice_holds(line, ":Self") ? 64 : 0;
}

/* Which columns cost and module are: the first cost, unless allocations are counted. */
static void
vtune_head(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice field;
	size_t blanks, i;

	for (i = 0; field_next(&line, &field, &blanks); i++) {
		if (pp_slice_ends(field, ":Self") &&
		    (!d->columns[0] || pp_slice_eq_z(field, "Allocations:Self")))
			d->columns[0] = i + 1;
		if (pp_slice_eq_z(field, "Module"))
			d->columns[1] = i + 1;
	}
	d->section = 1;
}

/* A count, or seconds as microseconds: "0.012" and "12". */
static uint64_t
vtune_value(struct pp_slice text)
{
	struct pp_slice whole = text;
	uint64_t value = 0, part = 0;
	size_t digits;
	bool dot;

	whole = pp_slice_cut(&text, '.', &dot);
	if (!pp_num_u64(whole, &value))
		return 0;
	if (!dot)
		return value;
	digits = text.n < 6 ? text.n : 6;
	if (digits && !pp_num_u64(pp_slice_of(text.p, digits), &part))
		return 0;
	for (; digits < 6; digits++)
		part *= 10;
	return value < UINT64_MAX / 2000000 ? value * 1000000 + part : 0;
}

static bool
vtune_line(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice name = { 0 }, module = { 0 }, field;
	size_t depth = 0, blanks, i;
	uint64_t count = 0;

	if (vtune_bid(line)) {
		vtune_head(d, line);
		return true;
	}
	if (d->section != 1 || line.n == 0)
		return true;
	for (i = 0; field_next(&line, &field, &blanks); i++) {
		if (i == 0) {
			name = field;
			depth = blanks;
		} else if (i + 1 == d->columns[0]) {
			count = vtune_value(field);
		} else if (i + 1 == d->columns[1]) {
			module = field;
		}
	}
	if (name.n == 0)
		return false;
	/* Counts are each function's own. */
	while (d->levels.n && d->levels.at[d->levels.n - 1].depth >= depth)
		d->levels.n--;
	/* "Total" is no function. */
	if (depth == 0 && pp_slice_eq_z(name, "Total"))
		return true;
	level_add(d, depth, pp_dump_frame(d, name, module, pp_slice_of(NULL, 0), 0), 0);
	d->frames.n = 0;
	for (i = 0; i < d->levels.n && pp_builder_ok(d->builder); i++)
		if (!pp_vec_push(&d->frames, d->levels.at[i].frame))
			pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
	pp_dump_stack(d, count, true);
	return true;
}

static void
vtune_end(struct pp_dump *d)
{
	d->levels.n = 0;
}

const struct pp_dump_kind pp_dump_vtune = {
	"vtune", vtune_bid, vtune_line,    vtune_end,
	"self",  "count",   PP_KIND_COUNT, { "Function Stack," }
};
