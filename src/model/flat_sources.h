/*
 * Where flat profiles come from; pp_flat_compute() chooses.
 */
#ifndef PP_FLAT_SOURCES_H
#define PP_FLAT_SOURCES_H

#include "model/call_graph.h"
#include "model/flat.h"

struct pp_flat_source {
	/* Sets row_of of each function that occurs, by identity, to something. False when out of memory. */
	bool (*mark)(const struct pp_profile *, uint32_t *row_of);
	/* Adds up. row_of[func] is the row + 1. False when out of memory. */
	bool (*fill)(struct pp_flat *, const struct pp_profile *, const uint32_t *row_of);
};

/* Room for `rows` rows, all zero; false when out of memory. */
bool pp_flat_alloc(struct pp_flat *, const struct pp_profile *, size_t rows);
/* Whether what is added goes to `adding`; pp_flat_settle() then ends that. False when out of memory. */
static inline bool
pp_flat_is_sparse(const struct pp_flat *f)
{
	return f->adding.size > 0;
}

bool pp_flat_settle(struct pp_flat *);
/* Adds to what a row costs itself, and with all that it called. False when out of memory. */
bool pp_flat_add(struct pp_flat *, size_t row, size_t metric, union pp_value self,
                 union pp_value total);
/* Where a total is while rows are being added; NULL when out of memory. */
union pp_value *pp_flat_total_at(struct pp_flat *, size_t row, size_t metric);
/* Lets no group of functions cost more than the whole, whatever its functions cost together. False when out of memory. */
bool pp_flat_limit(struct pp_flat *, const uint32_t *row_of);
/* Where the own or inclusive costs of a function are, unless they are sparse. */
static inline union pp_value *
pp_flat_self_of(const struct pp_flat *f, size_t row)
{
	return f->self + row * f->metrics;
}

static inline union pp_value *
pp_flat_total_of(const struct pp_flat *f, size_t row)
{
	return f->total + row * f->metrics;
}

/* Adds costs of all metrics, one each, to either; likewise. */
bool pp_flat_add_self_sparse(struct pp_flat *, size_t row, const struct pp_cells *);
bool pp_flat_add_total_sparse(struct pp_flat *, size_t row, const struct pp_cells *);

static inline bool
pp_flat_add_self(struct pp_flat *f, size_t row, struct pp_cells cells)
{
	if (PP_UNLIKELY(pp_flat_is_sparse(f)))
		return pp_flat_add_self_sparse(f, row, &cells);
	pp_values_add_cells(f->profile, pp_flat_self_of(f, row), cells);
	return true;
}

static inline bool
pp_flat_add_total(struct pp_flat *f, size_t row, struct pp_cells cells)
{
	if (PP_UNLIKELY(pp_flat_is_sparse(f)))
		return pp_flat_add_total_sparse(f, row, &cells);
	pp_values_add_cells(f->profile, pp_flat_total_of(f, row), cells);
	return true;
}

/* As the functions' own table states them. */
extern const struct pp_flat_source pp_flat_by_costs;
/*
 * The same of a profile that shares its names with many: takes as long as it has functions, not as all have together. False
 * when out of memory.
 */
bool pp_flat_listed(struct pp_flat *, const struct pp_profile *);
/* As the file's own calls state them. */
extern const struct pp_flat_source pp_flat_by_calls;
/* Own cost from lines or calls, inclusive cost from edges with cycles resolved. */
extern const struct pp_flat_source pp_flat_by_graph;

/* Numbers the cycles by their first function; false when out of memory. */
bool pp_flat_cycles(struct pp_flat *, const struct pp_call_graph *, const uint32_t *row_of);
/*
 * Raises totals, as the calls between groups of functions tell them, to what the calls between the functions
 * themselves do, and names the cycles of these; see flat_groups.c. False when out of memory.
 */
bool pp_flat_groups(struct pp_flat *, const struct pp_profile *, const uint32_t *row_of);

#endif
