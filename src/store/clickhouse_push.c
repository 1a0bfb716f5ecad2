/*
 * Answers that the servers add up: where all selected profiles are nothing but stacks and count the same things, what
 * merging them gives is the sum of each stack. Servers hand over those sums and each stack once, however many profiles
 * there are, and the profile made of them is what merging would have made.
 *
 * What cannot be added up so is left to whoever loads profiles one by one (PP_E_UNSUPPORTED): several threads or labels in a
 * profile, calls and lines, doubles, metrics that fall, sums of more than 63 bits, stacks whose short hashes are the same.
 */
#include "base/sort.h"
#include "base/strtab.h"
#include "store/clickhouse_rows.h"

/* From so many profiles, or bytes of inputs, on it pays. */
#define LARGE_COUNT 200
#define LARGE_BYTES ((uint64_t)32 << 20)

/* What all of them have in common, and what they come to. */
struct common {
	struct pp_buf shape;
	bool complete;
	uint64_t samples, events;
};

/* ---- whether it is possible ---- */

bool
pp_clickhouse_pushes(const struct pp_clickhouse *c)
{
	uint64_t bytes = 0;
	size_t i;

	if (c->from.schema != PP_SCHEMA_OWN || c->from.push != PP_PUSH_LARGE)
		return c->from.schema == PP_SCHEMA_OWN && c->from.push == PP_PUSH_ALWAYS;
	for (i = 0; i < c->listed.n; i++)
		bytes += c->listed.at[i].bytes;
	return c->listed.n >= LARGE_COUNT || bytes >= LARGE_BYTES;
}

/* Whether what is ordered depends on more than stacks and sums: on times, on what a format keeps, on who came first. */
static bool
order_adds_up(const struct pp_order *order)
{
	const unsigned beyond = PP_TIMELINE | PP_EXTRAS | PP_META | PP_FINDINGS | PP_LABELS |
	                        PP_THREADS;

	return order && order->facets && !(order->facets & beyond) && !order->listed;
}

/* PP_OK, or PP_E_UNSUPPORTED where they cannot be added up by others. */
static pp_status
common_find(struct pp_clickhouse *c, const struct pp_store_list *list, const char *condition,
            struct common *common, struct pp_buf *problem)
{
	struct pp_row_reader rows;
	struct pp_slice shape;
	pp_u128 bound;
	uint64_t n;
	pp_status status;

	pp_clickhouse_put(c, PP_SQL_SHAPES, condition);
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	shape = pp_rows_text(&rows);
	n = pp_rows_u64(&rows);
	common->complete = pp_rows_u8(&rows) != 0;
	common->samples = pp_rows_u64(&rows);
	common->events = pp_rows_u64(&rows);
	bound = pp_rows_u128(&rows);
	(void)pp_rows_u64(&rows);
	if (pp_rows_more(&rows) || shape.n == 0 || n != list->entries.n || bound >> 63)
		return PP_E_UNSUPPORTED;
	pp_buf_add(&common->shape, shape.p, shape.n);
	return common->shape.failed ? PP_E_NOMEM : pp_rows_end(c, &rows, problem);
}

/* A profile that is being put together. */
struct sum {
	struct pp_builder builder;
	struct pp_strtab keys;    /* of frames, as the servers spell them */
	PP_VEC(pp_frame) frames;  /* by key */
	struct pp_strtab metrics; /* their names */
	PP_VEC(pp_frame) stack;
	PP_VEC(struct pp_slice) functions;
	PP_VEC(uint32_t) lines;
	struct pp_buf key;
	int64_t *values;   /* by metric */
	int64_t *others;   /* of stacks that are not taken; of a function, what it costs itself */
	pp_i128 *whole;    /* of all that the servers found */
	size_t primary;    /* the metric that what costs most is chosen by */
	uint64_t most;     /* functions or stacks that are taken; 0 = all */
	uint64_t cut;      /* that are not */
	int64_t threshold; /* what costs less is not taken, */
	uint64_t at_threshold; /* and of what costs as much only so many */
};

/* The number of a text, from 1; 0 when out of memory. */
static pp_str
text_intern(struct pp_strtab *table, struct pp_slice text)
{
	pp_str id;
	bool is_new;

	return pp_strtab_intern(table, text.p, text.n, &id, &is_new) ? id : 0;
}

static bool
sum_init(struct sum *s, const struct common *common, const struct pp_order *order,
         pp_status *status)
{
	uint64_t seed = (uintptr_t)s;
	struct pp_buf name = { 0 };
	size_t m;

	*status = pp_rows_build_shape(&s->builder, pp_slice_of(common->shape.p, common->shape.n),
	                              order, seed);
	if (*status != PP_OK)
		return false;
	s->builder.profile->samples = common->samples;
	s->builder.profile->events = common->events;
	s->builder.profile->complete = common->complete;
	s->primary = pp_profile_primary(s->builder.profile);
	s->values = calloc(s->builder.profile->metrics.n, sizeof *s->values);
	s->others = calloc(s->builder.profile->metrics.n, sizeof *s->others);
	s->whole = calloc(s->builder.profile->metrics.n, sizeof *s->whole);
	if (!s->values || !s->others || !s->whole || !pp_strtab_init(&s->keys, seed) ||
	    !pp_strtab_init(&s->metrics, seed))
		*status = PP_E_NOMEM;
	for (m = 0; m < s->builder.profile->metrics.n && *status == PP_OK; m++) {
		name.n = 0;
		pp_rows_metric(&name, s->builder.profile, m);
		if (name.failed || !text_intern(&s->metrics, pp_slice_of(name.p, name.n)))
			*status = PP_E_NOMEM;
	}
	pp_buf_release(&name);
	return *status == PP_OK;
}

static void
sum_release(struct sum *s)
{
	pp_builder_release(&s->builder);
	pp_strtab_release(&s->keys);
	pp_strtab_release(&s->metrics);
	pp_vec_release(&s->frames);
	pp_vec_release(&s->stack);
	pp_vec_release(&s->functions);
	pp_vec_release(&s->lines);
	pp_buf_release(&s->key);
	free(s->values);
	free(s->others);
	free(s->whole);
}

/* ---- what costs most ---- */

static int
cost_order(const void *a, const void *b, void *ctx)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x < y) - (x > y);
}

/* Decides what is taken of things that cost so much, if they are too many. */
static void
threshold_set(struct sum *s, int64_t *costs, size_t n)
{
	size_t i;

	s->threshold = INT64_MIN;
	s->at_threshold = UINT64_MAX;
	if (s->most == 0 || n <= s->most)
		return;
	pp_sort(costs, n, sizeof *costs, cost_order, NULL);
	s->threshold = costs[s->most - 1];
	for (i = 0; costs[i] > s->threshold; i++)
		;
	s->at_threshold = s->most - i;
}

/* Whether the next is taken. */
static bool
is_taken(struct sum *s, int64_t cost)
{
	bool taken = cost > s->threshold || (cost == s->threshold && s->at_threshold > 0);

	s->at_threshold -= taken && cost == s->threshold;
	s->cut += !taken;
	return taken;
}

/* ---- stacks ---- */

/* The frame of a function, a line and a place, made when absent; 0 when they make no sense or on failure. */
static pp_frame
frame_of(struct sum *s, struct pp_slice function, uint32_t line, struct pp_slice place)
{
	pp_str key;
	pp_func func;

	if (line || place.n) {
		s->key.n = 0;
		pp_binary_text(&s->key, function);
		pp_binary_u32(&s->key, line);
		pp_buf_add(&s->key, place.p, place.n);
		key = text_intern(&s->keys, pp_slice_of(s->key.p, s->key.n));
	} else {
		/* Text without its length before it: another key than those above. */
		s->key.n = 0;
		pp_buf_addc(&s->key, '\0');
		pp_buf_add(&s->key, function.p, function.n);
		key = text_intern(&s->keys, pp_slice_of(s->key.p, s->key.n));
	}
	if (!key || s->key.failed)
		return 0;
	if (key < s->frames.n)
		return s->frames.at[key];
	while (s->frames.n < key)
		if (!pp_vec_push(&s->frames, 0))
			return 0;
	func = pp_rows_build_function(&s->builder, function);
	if (!func || !pp_vec_push(&s->frames, pp_rows_build_frame(&s->builder, func, line, place)))
		return 0;
	return s->frames.at[key];
}

/* Reads frames, lines and places of a stack; false when they do not fit each other. */
static bool
stack_read(struct sum *s, struct pp_row_reader *rows)
{
	uint64_t n = pp_rows_varint(rows), lines, places, i;
	bool fine = n > 0;

	s->functions.n = s->lines.n = s->stack.n = 0;
	for (i = 0; i < n && fine && !rows->bad; i++)
		fine = pp_vec_push(&s->functions, pp_rows_text(rows));
	lines = pp_rows_varint(rows);
	fine = fine && !rows->bad && (lines == 0 || lines == n);
	for (i = 0; i < n && fine; i++)
		fine = pp_vec_push(&s->lines, lines ? pp_rows_u32(rows) : 0);
	places = pp_rows_varint(rows);
	fine = fine && !rows->bad && (places == 0 || places == n);
	for (i = 0; i < n && fine; i++) {
		struct pp_slice place = places ? pp_rows_text(rows) : pp_slice_of(NULL, 0);
		pp_frame frame = frame_of(s, s->functions.at[i], s->lines.at[i], place);

		fine = frame && pp_vec_push(&s->stack, frame);
	}
	return fine && !rows->bad;
}

/* Takes the costs of the next stack: those of each metric that it has. */
static bool
values_read(struct sum *s, struct pp_row_reader *sums, uint64_t id, bool *any)
{
	size_t m, n = s->builder.profile->metrics.n;

	*any = false;
	for (m = 0; m < n; m++)
		s->values[m] = 0;
	while (pp_rows_more(sums)) {
		struct pp_row_reader next = *sums;
		struct pp_slice text;
		pp_str name;

		if (pp_rows_u64(&next) != id)
			break;
		text = pp_rows_text(&next);
		if (!pp_strtab_find(&s->metrics, text.p, text.n, &name) || name == 0 || name > n)
			return false;
		s->values[name - 1] = (int64_t)pp_rows_u64(&next);
		*sums = next;
		*any = true;
	}
	return !sums->bad;
}

/* The id of the next stack of which there are sums. */
static uint64_t
next_id(const struct pp_row_reader *sums)
{
	struct pp_row_reader next = *sums;

	return pp_rows_u64(&next);
}

/* Adds up what stacks cost that are not taken, up to one that is. */
static bool
others_read(struct sum *s, struct pp_row_reader *sums, bool end, uint64_t id)
{
	size_t m;
	bool any;

	while (s->cut && pp_rows_more(sums) && (end || next_id(sums) < id)) {
		if (!values_read(s, sums, next_id(sums), &any))
			return false;
		for (m = 0; m < s->builder.profile->metrics.n; m++)
			s->others[m] += s->values[m];
	}
	return true;
}

/*
 * Puts sums and stacks together, both in the order of their ids. PP_E_UNSUPPORTED when two stacks have the same id,
 * PP_E_INVALID when a stack of which there are samples is not there.
 */
static pp_status
stacks_join(struct sum *s, struct pp_row_reader *sums, struct pp_row_reader *stacks,
            struct pp_buf *problem)
{
	uint64_t last = 0, last_check = 0;
	bool first = true, any;

	while (pp_rows_more(stacks)) {
		uint64_t id = pp_rows_u64(stacks), check = pp_rows_u64(stacks);

		if (!stack_read(s, stacks))
			return pp_builder_ok(&s->builder) ? PP_E_INVALID : s->builder.status;
		if (!first && id == last && check == last_check)
			continue;
		if (!first && id == last)
			return PP_E_UNSUPPORTED;
		if (!others_read(s, sums, false, id) || !values_read(s, sums, id, &any) || !any)
			return PP_E_INVALID;
		if (!pp_build_stack(&s->builder, 0, s->stack.at, s->stack.n, s->values))
			return s->builder.status;
		first = false;
		last = id;
		last_check = check;
	}
	if (!others_read(s, sums, true, 0))
		return PP_E_INVALID;
	if (pp_rows_more(sums)) {
		pp_buf_adds(problem, "a stack of which there are samples is not in the store");
		return PP_E_INVALID;
	}
	if (s->cut && !pp_build_stack(&s->builder, 0, NULL, 0, s->others))
		return s->builder.status;
	return PP_OK;
}

/* What all stacks cost. */
static void
stacks_whole(struct sum *s, const struct pp_row_reader *all)
{
	struct pp_row_reader rows = *all;
	bool any = true;
	size_t m;

	while (any && pp_rows_more(&rows) && values_read(s, &rows, next_id(&rows), &any))
		for (m = 0; m < s->builder.profile->metrics.n; m++)
			s->whole[m] += s->values[m];
}

/* Which stacks cost most, as a list of ids; empty when all are taken. False when out of memory. */
static bool
stacks_choose(struct sum *s, const struct pp_row_reader *all, struct pp_buf *ids)
{
	struct pp_row_reader rows = *all;
	PP_VEC(int64_t) costs = { 0 };
	bool any, fine = true;

	while (s->most && fine && pp_rows_more(&rows))
		fine = values_read(s, &rows, next_id(&rows), &any) && any &&
		       pp_vec_push(&costs, s->values[s->primary]);
	if (fine)
		threshold_set(s, costs.at, costs.n);
	rows = *all;
	while (fine && costs.n > s->most && pp_rows_more(&rows)) {
		uint64_t id = next_id(&rows);

		fine = values_read(s, &rows, id, &any);
		if (is_taken(s, s->values[s->primary]))
			pp_buf_addf(ids, ids->n ? ",%llu" : "%llu", (unsigned long long)id);
	}
	pp_vec_release(&costs);
	return fine && !ids->failed;
}

static pp_status
stacks_sum(struct pp_clickhouse *c, const char *condition, struct sum *s, struct pp_buf *problem)
{
	struct pp_row_reader sums, stacks;
	struct pp_buf first, ids = { 0 };
	pp_status status;

	pp_clickhouse_put(c, PP_SQL_SUMS, condition);
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	sums = pp_rows_of(c);
	first = c->answer.body;
	c->answer.body = (struct pp_buf){ 0 };
	stacks_whole(s, &sums);
	if (stacks_choose(s, &sums, &ids)) {
		pp_clickhouse_put(c, s->cut ? PP_SQL_SOME_STACKS : PP_SQL_STACKS,
		                  s->cut ? ids.p : condition);
		status = pp_clickhouse_ask(c, problem);
	} else {
		status = PP_E_NOMEM;
	}
	if (status == PP_OK) {
		stacks = pp_rows_of(c);
		status = stacks_join(s, &sums, &stacks, problem);
		if (status == PP_OK)
			status = pp_rows_end(c, &stacks, problem);
	}
	if (status == PP_E_INVALID && problem->n == 0)
		pp_buf_adds(problem, "the stacks that ClickHouse hands over make no sense");
	pp_buf_release(&first);
	pp_buf_release(&ids);
	return status;
}

/* ---- functions ---- */

/* The row of a function among the costs, made when absent; NULL on failure. */
static union pp_value *
costs_at(struct pp_builder *b, pp_func func, bool begin)
{
	struct pp_profile *p = b->profile;
	size_t n = p->metrics.n, i;

	if (begin) {
		if (!pp_vec_push(&p->costs.funcs, func) ||
		    !pp_vec_reserve(&p->costs.cells, p->costs.cells.n + 2 * n))
			return NULL;
		for (i = 0; i < 2 * n; i++)
			p->costs.cells.at[p->costs.cells.n++] = (union pp_value){ 0 };
	}
	return p->costs.cells.at + (p->costs.funcs.n - 1) * 2 * n;
}

/* A row of PP_SQL_FUNCTIONS. */
struct function_row {
	struct pp_slice key;
	pp_str metric; /* + 1 */
	int64_t own, total;
};

static pp_status
function_read(struct sum *s, struct pp_row_reader *rows, struct function_row *f,
              struct pp_buf *problem)
{
	struct pp_slice metric = pp_rows_text(rows);
	unsigned doubt;

	f->key = pp_rows_text(rows);
	f->own = (int64_t)pp_rows_u64(rows);
	f->total = (int64_t)pp_rows_u64(rows);
	doubt = pp_rows_u8(rows);
	if (doubt == 1)
		return PP_E_UNSUPPORTED;
	if (doubt && problem->n == 0)
		pp_buf_adds(problem, "a stack of which there are samples is not in the store");
	return doubt || rows->bad || !pp_strtab_find(&s->metrics, metric.p, metric.n, &f->metric) ||
	               f->metric == 0 || f->metric > s->builder.profile->metrics.n
	           ? PP_E_INVALID
	           : PP_OK;
}

/* A new row of costs for the function of a text. */
static pp_status
function_begin(struct sum *s, struct pp_slice key)
{
	pp_func func = pp_rows_build_function(&s->builder, key);

	if (!func)
		return pp_builder_ok(&s->builder) ? PP_E_INVALID : s->builder.status;
	/* Two texts of one function could be in one stack. */
	if (func < s->builder.profile->funcs.n - 1)
		return PP_E_UNSUPPORTED;
	return costs_at(&s->builder, func, true) ? PP_OK : PP_E_NOMEM;
}

/* Takes the rows of one function: one for each metric that it has. */
static pp_status
function_take(struct sum *s, struct pp_row_reader *rows, struct pp_buf *problem)
{
	struct pp_profile *p = s->builder.profile;
	struct pp_row_reader next = *rows;
	struct function_row f;
	struct pp_slice key;
	union pp_value *cells;
	pp_status status = function_read(s, &next, &f, problem);
	size_t m, n = p->metrics.n;

	for (m = 0; m < n; m++)
		s->values[m] = s->others[m] = 0;
	key = f.key;
	while (status == PP_OK && pp_slice_eq(f.key, key)) {
		s->others[f.metric - 1] = f.own;
		s->values[f.metric - 1] = f.total;
		*rows = next;
		if (!pp_rows_more(&next))
			break;
		status = function_read(s, &next, &f, problem);
	}
	for (m = 0; m < n; m++) {
		s->whole[m] += s->others[m];
		p->costs.cells.at[m].i += s->others[m];
		p->costs.cells.at[n + m].i += s->others[m];
	}
	if (status != PP_OK || !is_taken(s, s->values[s->primary]))
		return status;
	status = function_begin(s, key);
	cells = costs_at(&s->builder, 0, false);
	for (m = 0; m < n && status == PP_OK; m++) {
		cells[m].i = s->others[m];
		cells[n + m].i = s->values[m];
	}
	return status;
}

/* Which functions cost most, where not all are taken. */
static pp_status
functions_choose(struct sum *s, const struct pp_row_reader *all, struct pp_buf *problem)
{
	struct pp_row_reader rows = *all;
	struct pp_slice last = pp_slice_of(NULL, 0);
	PP_VEC(int64_t) costs = { 0 };
	struct function_row f;
	pp_status status = PP_OK;

	while (s->most && pp_rows_more(&rows) && status == PP_OK) {
		status = function_read(s, &rows, &f, problem);
		if (status == PP_OK && (costs.n == 0 || !pp_slice_eq(last, f.key)) &&
		    !pp_vec_push(&costs, 0))
			status = PP_E_NOMEM;
		if (status == PP_OK && f.metric - 1 == s->primary)
			costs.at[costs.n - 1] = f.total;
		last = f.key;
	}
	if (status == PP_OK)
		threshold_set(s, costs.at, costs.n);
	pp_vec_release(&costs);
	return status;
}

/* What functions cost is all that is ordered: the servers add up that. */
static pp_status
functions_sum(struct pp_clickhouse *c, const char *condition, struct sum *s, struct pp_buf *problem)
{
	struct pp_row_reader rows;
	pp_status status;

	pp_clickhouse_put(c, PP_SQL_FUNCTIONS, condition);
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	if (!costs_at(&s->builder, 0, true))
		return PP_E_NOMEM;
	status = functions_choose(s, &rows, problem);
	while (pp_rows_more(&rows) && status == PP_OK)
		status = function_take(s, &rows, problem);
	s->builder.profile->costs.stated = true;
	return status == PP_OK ? pp_rows_end(c, &rows, problem) : status;
}

/* Compares what a metric costs in all with what was promised; false when it is another number. */
static bool
whole_fits(const struct sum *s, struct pp_slice metric, pp_i128 promised)
{
	pp_str name;

	return pp_strtab_find(&s->metrics, metric.p, metric.n, &name) && name > 0 &&
	       name <= s->builder.profile->metrics.n && s->whole[name - 1] == promised;
}

static pp_status
remain_read(struct pp_row_reader *rows, size_t n, const struct sum *s, struct pp_buf *problem)
{
	while (pp_rows_more(rows)) {
		bool counts = pp_rows_u8(rows) == 0;
		struct pp_slice metric = pp_rows_text(rows);
		pp_i128 value = (pp_i128)pp_rows_u128(rows);

		if (!rows->bad && counts && value != (pp_i128)n) {
			pp_buf_adds(problem, "profiles were taken away while they were added up: "
			                     "ask again");
			return PP_E_INVALID;
		}
		if (!rows->bad && !counts && s && !whole_fits(s, metric, value)) {
			pp_buf_addf(problem,
			            "the store does not hold what was promised: the servers' sum "
			            "of %.*s is another one",
			            PP_SHOWN(metric));
			return PP_E_INVALID;
		}
	}
	return PP_OK;
}

static pp_status
remain_ask(struct pp_clickhouse *c, const char *condition, size_t n, const struct sum *s,
           struct pp_buf *problem)
{
	struct pp_row_reader rows;
	pp_status status;

	pp_clickhouse_put(c, PP_SQL_REMAIN, condition);
	status = pp_clickhouse_ask(c, problem);
	rows = pp_rows_of(c);
	if (status == PP_OK)
		status = remain_read(&rows, n, s, problem);
	return status == PP_OK ? pp_rows_end(c, &rows, problem) : status;
}

pp_status
pp_clickhouse_remain(struct pp_clickhouse *c, const char *condition, size_t n,
                     struct pp_buf *problem)
{
	return remain_ask(c, condition, n, NULL, problem);
}

/* What servers add up of the rows of a list. */
static pp_status
list_sum(struct pp_clickhouse *c, const struct pp_store_list *list, const struct pp_order *order,
         struct pp_profile **out, struct pp_buf *problem)
{
	struct pp_store *store = &c->store;
	struct pp_buf condition = { 0 };
	struct common common = { 0 };
	struct sum sum = { 0 };
	pp_status status;

	pp_clickhouse_among(&condition, list);
	status = condition.failed ? PP_E_NOMEM
	                          : common_find(c, list, condition.p, &common, problem);
	sum.most = store->max_nodes;
	if (status == PP_OK && sum_init(&sum, &common, order, &status))
		status = order->facets & PP_COSTS ? functions_sum(c, condition.p, &sum, problem)
		                                  : stacks_sum(c, condition.p, &sum, problem);
	store->cut = sum.cut;
	if (status == PP_OK)
		status = remain_ask(c, condition.p, list->entries.n, store->partial ? NULL : &sum,
		                    problem);
	if (status == PP_OK)
		status = pp_builder_finish(&sum.builder, out);
	sum_release(&sum);
	pp_buf_release(&common.shape);
	pp_buf_release(&condition);
	return status;
}

pp_status
pp_clickhouse_load_all(struct pp_store *store, const struct pp_store_list *list,
                       const struct pp_order *order, struct pp_profile **out,
                       struct pp_buf *problem)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);

	if (list->entries.n < 2 || !pp_clickhouse_pushes(c) || !order_adds_up(order))
		return PP_E_UNSUPPORTED;
	return list_sum(c, list, order, out, problem);
}

pp_status
pp_clickhouse_load_rows(struct pp_clickhouse *c, const struct pp_store_entry *e,
                        struct pp_profile **out, struct pp_buf *problem)
{
	static const struct pp_order stacks = { .facets = PP_TREE };
	struct pp_store_list one = { 0 };
	pp_status status = pp_vec_push(&one.entries, *e) ? PP_OK : PP_E_NOMEM;

	if (status == PP_OK)
		status = list_sum(c, &one, &stacks, out, problem);
	pp_vec_release(&one.entries);
	return status;
}
