/*
 * Sharing out call sites. Each step gets of each site in proportion to what it has left: a step that has all
 * that is left gets exactly that, so that the last step of a pair makes all of its sites come out right.
 */
#include "formats/kit/sites.h"

#include <stdlib.h>

/* After so many steps in all, what is asked about comes from the first site that is left. */
#define STEPS_MOST ((uint64_t)1 << 26)

void
pp_sites_release(struct pp_sites *s)
{
	pp_map_release(&s->pairs);
	pp_vec_release(&s->at);
	pp_vec_release(&s->few);
	pp_wide_free(s->many);
	free(s->left);
}

static uint64_t
pair_key(uint32_t caller, uint32_t callee)
{
	return (uint64_t)caller << 32 | callee;
}

/* Enters row i of the calls as a site of a pair; false when out of memory. */
static bool
site_enter(struct pp_sites *s, const struct pp_profile *p, const struct pp_sites_by *by, size_t i,
           uint64_t key)
{
	const struct pp_edge_row *row = &p->calls.rows.at[i];
	uint32_t first = pp_map_get(&s->pairs, key);
	struct pp_site site = { row->site_file,
		                row->site_line,
		                row->site_address,
		                (uint64_t)pp_edge_cell(p, i, 0),
		                first == PP_MAP_NONE ? 0 : first + 1,
		                first != PP_MAP_NONE,
		                false,
		                0 };
	int64_t *cell;
	unsigned k;

	if (s->at.n >= PP_MAP_NONE - 1 || !pp_map_set(&s->pairs, key, (uint32_t)s->at.n) ||
	    !pp_vec_push(&s->at, site))
		return false;
	if (site.shared)
		s->at.at[first].shared = true;
	if (s->many && !pp_wide_push(s->many))
		return false;
	for (k = 0; k < s->columns; k++) {
		int64_t cost = by->cost(by->ctx, k, i);

		if (!s->many && !pp_vec_push(&s->few, cost))
			return false;
		if (!s->many || !cost)
			continue;
		cell = pp_wide_at(s->many, s->at.n - 1, k);
		if (!cell)
			return false;
		*cell = cost;
	}
	return true;
}

bool
pp_sites_init(struct pp_sites *s, const struct pp_profile *p, const struct pp_sites_by *by)
{
	size_t i;

	*s = (struct pp_sites){ .columns = by->columns, .pairs = { .seed = p->strs.seed } };
	s->left = calloc(2 * (size_t)by->columns + 1, sizeof *s->left);
	if (by->columns > PP_FEW_COLUMNS)
		s->many = pp_wide_new(sizeof(int64_t), 0);
	if (!s->left || (by->columns > PP_FEW_COLUMNS && !s->many))
		return false;
	/* The last row first: sites of a pair are listed in the order of the profile. */
	for (i = p->calls.rows.n; i-- > 0;) {
		const struct pp_edge_row *row = &p->calls.rows.at[i];
		pp_func caller = p->funcs.at[row->caller].same;
		pp_func callee = p->funcs.at[row->callee].same;
		uint64_t key = by->func ? pair_key(by->func[caller], by->func[callee])
		                        : pair_key(caller, callee);

		if (caller && callee && (row->site_line || row->site_address) &&
		    !site_enter(s, p, by, i, key))
			return false;
	}
	return true;
}

bool
pp_sites_ask(struct pp_sites *s, uint32_t caller, uint32_t callee, uint64_t calls,
             const int64_t *costs)
{
	uint32_t first = pp_map_get(&s->pairs, pair_key(caller, callee));

	s->site = first == PP_MAP_NONE ? 0 : first + 1;
	s->calls = calls;
	memcpy(s->left, costs, s->columns * sizeof *costs);
	return s->site != 0;
}

/* The part of `amount` for one of whom there is `here`, when there is `all` from here on. */
static pp_i128
part_of(pp_i128 amount, pp_i128 here, pp_i128 all)
{
	pp_u128 part, whole;

	/* Costs of either sign cannot be shared out by proportion. */
	if (amount == all || all == 0 || (all > 0) != (amount > 0) || (all > 0) != (here > 0) ||
	    (here > 0 ? here > all : here < all))
		return amount == all ? here : 0;
	/* Either has 64 bits and a sign, which is the same. */
	whole = (pp_u128)(all < 0 ? -all : all);
	part = (pp_u128)(amount < 0 ? -amount : amount) * (pp_u128)(here < 0 ? -here : here) /
	       whole;
	return amount < 0 ? -(pp_i128)part : (pp_i128)part;
}

/* What a site has left of a column; NULL where that is 0 and was. */
static int64_t *
cost_of(const struct pp_sites *s, size_t site, unsigned column)
{
	if (!s->many)
		return &s->few.at[site * s->columns + column];
	return pp_wide_find(s->many, site, column) ? pp_wide_at(s->many, site, column) : NULL;
}

/* What sites from `site` on, those that have calls, have left of a column (columns: of calls). */
static pp_i128
left_from(struct pp_sites *s, uint32_t site, unsigned column)
{
	pp_i128 sum = 0;

	for (; site; site = s->at.at[site - 1].next, s->steps++) {
		const int64_t *cost = column < s->columns ? cost_of(s, site - 1, column) : NULL;

		sum += column == s->columns ? (pp_i128)s->at.at[site - 1].calls : cost ? *cost : 0;
	}
	return sum;
}

/* Goes on to the next site; one that has no calls left is passed by, but for the last. */
static void
site_step(struct pp_sites *s)
{
	do
		s->site = s->at.at[s->site - 1].next;
	while (s->site && s->at.at[s->site - 1].next && s->at.at[s->site - 1].calls == 0);
}

bool
pp_sites_next(struct pp_sites *s, struct pp_site_share *share)
{
	struct pp_site *site;
	int64_t *given = s->left + s->columns;
	bool all = false;
	unsigned k;

	for (; s->site; site_step(s)) {
		site = &s->at.at[s->site - 1];
		all = !site->next || s->steps > STEPS_MOST;
		share->calls = all ? s->calls
		                   : (uint64_t)part_of(s->calls, site->calls,
		                                       left_from(s, s->site, s->columns));
		if (all || share->calls > 0)
			break;
	}
	if (!s->site || (all && s->calls == 0))
		return false;
	all |= share->calls == s->calls;
	for (k = 0; k < s->columns; k++) {
		int64_t *have = s->left[k] ? cost_of(s, s->site - 1, k) : NULL;

		given[k] = all    ? s->left[k]
		           : have ? (int64_t)part_of(s->left[k], *have, left_from(s, s->site, k))
		                  : 0;
		s->left[k] = (int64_t)((uint64_t)s->left[k] - (uint64_t)given[k]);
		if (have)
			*have = (int64_t)((uint64_t)*have - (uint64_t)given[k]);
		site->differs |= !have && given[k];
	}
	s->calls -= share->calls;
	site->calls -= share->calls;
	site->given++;
	share->file = site->file;
	share->line = site->line;
	share->address = site->address;
	share->costs = given;
	if (all)
		s->site = 0;
	else
		site_step(s);
	return true;
}

struct pp_site *
pp_sites_find(struct pp_sites *s, uint32_t caller, uint32_t callee, uint32_t line)
{
	uint32_t at = pp_map_get(&s->pairs, pair_key(caller, callee)) + 1;

	if (at && line == 0)
		return s->at.at[at - 1].shared ? NULL : &s->at.at[at - 1];
	for (; at && s->steps < STEPS_MOST; at = s->at.at[at - 1].next, s->steps++)
		if (s->at.at[at - 1].line == line)
			return &s->at.at[at - 1];
	return NULL;
}

uint64_t
pp_sites_lost(const struct pp_sites *s, bool rounded)
{
	uint64_t lost = 0;
	size_t i;
	unsigned k;

	for (i = 0; i < s->at.n; i++) {
		const struct pp_site *site = &s->at.at[i];
		int64_t slack = rounded ? (int64_t)site->given : 0;
		bool differs = site->calls != 0 || site->differs;

		for (k = 0; k < s->columns; k++) {
			const int64_t *cost = cost_of(s, i, k);
			int64_t left = cost ? *cost : 0;

			differs |= left > slack || left < -slack;
		}
		/* What the only site of a pair got is what there was. */
		lost += !site->given || (site->shared && differs);
	}
	return lost;
}
