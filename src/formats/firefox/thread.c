/*
 * What both formats of Firefox say alike: metadata, binaries, stacks, and threads with samples.
 */
#include "formats/firefox/firefox.h"

#include <stdio.h>
#include <stdlib.h>

/* Times are added up in ps. */
#define CLOCK_DECIMALS 12
#define PS_PER_NS 1000
#define SUM_MOST ((pp_i128)INT64_MAX * PS_PER_NS)

/* ---- the whole -------------------------------------------------------------------------- */

bool
ff_begin(struct ff_read *r)
{
	static const struct pp_fixed_rules rules = { FF_DIGITS, FF_DIGITS_FINE };
	struct pp_scan all;
	size_t i;

	/* Stacks are a tree in the file: each is read once, however deep it is. */
	pp_builder_plant(r->b);
	r->end = r->doc.text.p + r->doc.text.n;
	r->seen_count = 0;
	memset(r->longs, 0, sizeof r->longs);
	for (i = 0; i < FF_METRICS; i++) {
		r->metric[i] = PP_NO_METRIC;
		r->fixed[i].seconds = i == FF_TIME || i == FF_CPU;
		r->fixed[i].may_unsigned = true;
		r->fixed[i].doc = &r->doc;
		r->fixed[i].rules = &rules;
	}
	r->b->profile->time = (struct pp_time_span){ 0 };
	r->b->profile->markers = 0;
	if (!r->doc.text.n) {
		ff_find(r, FF_CUT, NULL, "there is nothing");
		return false;
	}
	if (r->doc.reader->order->facets & PP_FINDINGS) {
		all = ff_scan(r, r->doc.text.p);
		(void)pp_scan_skip(&all, NULL);
		(void)pp_scan_end(&all);
		ff_scanned(r, &all);
	}
	return true;
}

bool
ff_retry(struct ff_read *r)
{
	bool again = false;
	size_t i;

	for (i = 0; i < FF_METRICS; i++)
		again |= pp_fixed_retry(&r->fixed[i]);
	again = again && pp_builder_ok(r->b) && pp_json_doc_restart(&r->doc);
	if (again) {
		ff_stacks_clear(&r->stacks);
		ff_libs_release(&r->libs);
	}
	return again;
}

void
ff_release(struct ff_read *r)
{
	ff_stacks_release(&r->stacks);
	ff_libs_release(&r->libs);
	pp_vec_release(&r->path);
	ff_schemas_release(&r->schemas);
}

/* CPU time in that unit: 10^-n seconds, 0 = it is no time. */
static int
unit_of(struct pp_slice text)
{
	return pp_slice_eq_z(text, "ns")                                              ? 9
	       : pp_slice_eq_z(text, "\xc2\xb5s") || pp_slice_eq_z(text, "\xce\xbcs") ? 6
	                                                                              : 0;
}

void
ff_unread_see(struct ff_read *r, const unsigned char *const *values)
{
	size_t i;

	for (i = 0; i < FF_UNREAD; i++) {
		struct pp_scan s;

		if (!values[i])
			continue;
		s = ff_scan(r, values[i]);
		if (pp_scan_peek(&s) == PP_JSON_ARRAY && pp_scan_array(&s) && pp_scan_item(&s))
			r->b->profile->holds |= PP_EXTRAS;
	}
}

void
ff_meta_read(struct ff_read *r, const unsigned char *meta)
{
	static const struct pp_slice keys[] = { PP_KEY("startTime"), PP_KEY("sampleUnits"),
		                                PP_KEY("product"), PP_KEY("extra") };
	static const struct pp_slice units[] = { PP_KEY("threadCPUDelta") };
	const unsigned char *at[PP_COUNT_OF(keys)], *unit;
	struct pp_json_num num;
	struct pp_slice text;
	struct pp_scan s;
	int64_t ns;
	struct pp_decimal start;

	r->cpu_unit = 0;
	ff_schemas_read(r, meta);
	if (!meta)
		return;
	(void)ff_outline(r, meta, keys, PP_COUNT_OF(keys), at);
	if (ff_outline(r, at[1], units, 1, &unit) && ff_text_at(r, unit, &text))
		r->cpu_unit = unit_of(text);
	if (r->b->profile->meta.n)
		return; /* that of another process */
	s = ff_scan(r, at[3] ? at[3] : meta);
	r->untimed = at[3] && pp_scan_skip(&s, &text) &&
	             memmem(text.p, text.n, FF_LAID, strlen(FF_LAID));
	if (ff_number_at(r, at[0], &num) && pp_json_num_decimal(&num, &start) &&
	    pp_decimal_scaled(&start, 1000000, &ns) && ns > 0)
		pp_profile_record_at(r->b->profile, (uint64_t)ns);
	r->b->profile->producer = ff_str_at(r, at[2]);
	s = ff_scan(r, meta);
	pp_meta_json_read(&s, r->b, NULL, NULL);
}

/* ---- metrics ---------------------------------------------------------------------------- */

static const struct metric_text {
	const char *name, *title, *unit;
	enum pp_metric_kind kind;
	unsigned flags;
} metric_texts[FF_METRICS] = {
	[FF_SAMPLES] = { "samples", NULL, "samples", PP_KIND_SAMPLES, PP_METRIC_SAMPLED },
	[FF_TIME] = { "time", NULL, "ns", PP_KIND_WALL_TIME, 0 },
	[FF_BYTES] = { "bytes", NULL, "bytes", PP_KIND_BYTES, 0 },
	[FF_CPU] = { "threadCPUDelta", "CPU time", "ns", PP_KIND_CPU_TIME, PP_METRIC_SAMPLED },
	[FF_JS] = { "jsAllocations", "JS allocations", "bytes", PP_KIND_BYTES, PP_METRIC_SAMPLED },
	[FF_NATIVE] = { "nativeAllocations", "native allocations", "bytes", PP_KIND_BYTES,
	                PP_METRIC_SAMPLED | PP_METRIC_SIGNED },
};

void
ff_metric_see(struct ff_read *r, enum ff_metric m)
{
	unsigned i;

	for (i = 0; i < r->seen_count; i++)
		if (r->seen[i] == m)
			return;
	r->seen[r->seen_count++] = m;
}

void
ff_metrics_make(struct ff_read *r)
{
	unsigned i;

	for (i = 0; i < r->seen_count; i++) {
		enum ff_metric m = r->seen[i];
		const struct metric_text *t = &metric_texts[m];
		struct pp_metric metric = { .name = pp_build_strz(r->b, t->name),
			                    .unit = pp_build_strz(r->b, t->unit),
			                    .title = t->title ? pp_build_strz(r->b, t->title) : 0,
			                    .kind = t->kind,
			                    .type = PP_INT,
			                    .flags = t->flags | (i ? 0 : PP_METRIC_PRIMARY) };

		/* Time is counted from the second down. */
		if (r->fixed[m].decimals == 0 && (m == FF_TIME || m == FF_CPU))
			r->fixed[m].decimals = 9;
		pp_fixed_metric(&r->fixed[m], &metric);
		r->metric[m] = pp_build_metric(r->b, &metric);
	}
}

/* ---- binaries --------------------------------------------------------------------------- */

/* A build id in lower case: the code id, else the id of its debug information without the age at its end. */
static pp_str
build_id_of(struct ff_read *r, const unsigned char *code, const unsigned char *debug)
{
	unsigned char id[80];
	struct pp_slice text = { 0 };
	size_t i;

	if (!ff_text_at(r, code, &text) || !text.n) {
		if (!ff_text_at(r, debug, &text) || text.n < 33)
			return 0;
		text.n = 32;
	}
	if (text.n > sizeof id || text.n % 2)
		return 0;
	for (i = 0; i < text.n; i++) {
		id[i] = text.p[i] >= 'A' && text.p[i] <= 'F' ? text.p[i] | 32 : text.p[i];
		if (!pp_is_digit(id[i]) && !(id[i] >= 'a' && id[i] <= 'f'))
			return 0;
	}
	return pp_build_str(r->b, pp_slice_of(id, text.n));
}

static bool
lib_read(struct ff_read *r, const unsigned char *at, size_t i, void *ctx)
{
	static const struct pp_slice keys[] = { PP_KEY("name"),   PP_KEY("debugName"),
		                                PP_KEY("codeId"), PP_KEY("breakpadId"),
		                                PP_KEY("start"),  PP_KEY("end"),
		                                PP_KEY("offset") };
	const unsigned char *v[PP_COUNT_OF(keys)];
	struct ff_lib lib = { .row = (uint32_t)i };

	/* What is no object has its row, too. */
	(void)ff_outline(r, at, keys, PP_COUNT_OF(keys), v);
	lib.name = ff_str_at(r, v[0]);
	lib.name = lib.name ? lib.name : ff_str_at(r, v[1]);
	lib.build_id = build_id_of(r, v[2], v[3]);
	if (!ff_u64_at(r, v[4], &lib.start) || !ff_u64_at(r, v[5], &lib.end))
		lib.start = lib.end = 0;
	if (!ff_u64_at(r, v[6], &lib.offset))
		lib.offset = 0;
	if (!pp_vec_push(&r->libs.rows, lib))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return true;
}

static int
lib_cmp(const void *pa, const void *pb)
{
	const struct ff_lib *a = pa, *b = pb;

	return a->start != b->start ? (a->start < b->start ? -1 : 1)
	       : a->row != b->row   ? (a->row < b->row ? -1 : 1)
	                            : 0;
}

void
ff_libs_read(struct ff_read *r, const unsigned char *libs)
{
	uint64_t end = 0;
	size_t i;

	ff_libs_release(&r->libs);
	r->libs.by_name.seed = r->doc.reader->seed;
	(void)ff_each(r, libs, lib_read, NULL);
	if (r->libs.rows.n)
		qsort(r->libs.rows.at, r->libs.rows.n, sizeof *r->libs.rows.at, lib_cmp);
	for (i = 0; i < r->libs.rows.n; i++) {
		struct ff_lib *lib = &r->libs.rows.at[i];

		end = lib->end > end ? lib->end : end;
		lib->end_before = end;
		if (lib->row < r->libs.rows.n)
			r->libs.rows.at[lib->row].place = (uint32_t)i;
		if (pp_map_get(&r->libs.by_name, lib->name) == PP_MAP_NONE &&
		    !pp_map_set(&r->libs.by_name, lib->name, (uint32_t)i))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
}

void
ff_libs_release(struct ff_libs *libs)
{
	pp_vec_release(&libs->rows);
	pp_map_release(&libs->by_name);
}

pp_module
ff_module(struct ff_read *r, pp_str name, uint32_t lib)
{
	uint32_t row = lib < r->libs.rows.n ? r->libs.rows.at[lib].place
	               : name               ? pp_map_get(&r->libs.by_name, name)
	                                    : PP_MAP_NONE;

	if (!name)
		return 0;
	return pp_build_module(
	    r->b,
	    &(struct pp_module_row){
	        .name = name, .build_id = row == PP_MAP_NONE ? 0 : r->libs.rows.at[row].build_id });
}

/* How many binaries that overlap are looked at. */
#define OVERLAPS_MOST 64

const struct ff_lib *
ff_lib_at(const struct ff_libs *libs, uint64_t address)
{
	const struct ff_lib *found = NULL, *lib;
	size_t low = 0, high = libs->rows.n, tried = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (libs->rows.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0 && tried < OVERLAPS_MOST; low--, tried++) {
		lib = &libs->rows.at[low - 1];
		if (lib->end_before <= address)
			break;
		if (address < lib->end && (!found || lib->row < found->row))
			found = lib;
	}
	return found;
}

/* ---- stacks ----------------------------------------------------------------------------- */

bool
ff_stack_usable(const struct ff_stacks *t, uint32_t stack)
{
	return stack < t->frame.n && t->parent.at[stack] != FF_BAD;
}

void
ff_stacks_check(struct ff_read *r)
{
	struct ff_stacks *t = &r->stacks;
	size_t n = t->frame.n, i;

	t->misplaced = 0;
	for (i = 0; i < n; i++) {
		uint32_t parent = t->parent.at[i];

		if (parent == FF_NONE)
			continue;
		if (parent >= i) {
			t->misplaced++;
			t->parent.at[i] = FF_BAD;
		} else if (t->parent.at[parent] == FF_BAD) {
			t->parent.at[i] = FF_BAD;
		}
	}
	t->touched.n = 0;
	if (!pp_vec_reserve(&t->where, n) || !pp_vec_reserve(&t->sums, n + 1)) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return;
	}
	if (n)
		memset(t->where.at, 0, n * sizeof *t->where.at);
	memset(t->sums.at, 0, (n + 1) * sizeof *t->sums.at);
	t->where.n = n;
	t->sums.n = n + 1;
}

void
ff_stacks_tell(struct ff_read *r, const unsigned char *at)
{
	for (; r->stacks.misplaced; r->stacks.misplaced--)
		ff_find(r, FF_STACK_ORDER, at, "the parent of a stack does not stand before it");
}

void
ff_stacks_clear(struct ff_stacks *t)
{
	t->parent.n = t->frame.n = t->where.n = t->sums.n = t->touched.n = 0;
}

void
ff_stacks_release(struct ff_stacks *t)
{
	pp_vec_release(&t->parent);
	pp_vec_release(&t->frame);
	pp_vec_release(&t->where);
	pp_vec_release(&t->sums);
	pp_vec_release(&t->touched);
}

/* Where a stack is in the tree. Those that it stands on are put there first, each once. */
static pp_stack
stack_place(struct ff_read *r, uint32_t stack)
{
	struct ff_stacks *t = &r->stacks;
	pp_node node = 0;
	uint32_t at;

	r->path.n = 0;
	for (at = stack; at != FF_NONE && !t->where.at[at]; at = t->parent.at[at])
		if (!pp_vec_push(&r->path, at))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	if (at != FF_NONE)
		node = t->where.at[at] - 1;
	/* From the root on: names are numbered in that order. */
	while (r->path.n && pp_builder_ok(r->b)) {
		at = r->path.at[--r->path.n];
		node = pp_build_child(r->b, node, t->frame_of(r, t->frame.at[at]));
		t->where.at[at] = node + 1;
	}
	return pp_builder_ok(r->b) ? t->where.at[stack] : 0;
}

/* What samples without a stack stand under. */
static pp_frame
no_stack_frame(struct ff_read *r)
{
	struct pp_func_row func = { .name = pp_build_strz(r->b, FF_NO_STACK),
		                    .flags = PP_FUNC_PSEUDO };

	return pp_build_frame(r->b, &(struct pp_frame_row){ .func = pp_build_func(r->b, &func) });
}

/* A stack (n = none) with what it costs. */
static void
stack_feed(struct ff_read *r, const struct pp_sample *sample, uint32_t stack)
{
	struct ff_stacks *t = &r->stacks;
	pp_frame no_stack;

	if (stack >= t->frame.n) {
		no_stack = no_stack_frame(r);
		(void)pp_build_sample(r->b, sample, &no_stack, 1);
		return;
	}
	(void)pp_build_again(r->b, sample,
	                     t->where.at[stack] ? t->where.at[stack] : stack_place(r, stack));
}

/* ---- threads ---------------------------------------------------------------------------- */

/* A number of a process or thread, which may be text. */
static int64_t
number_of(struct ff_read *r, const unsigned char *at)
{
	struct pp_slice text;
	struct pp_json_num num;
	uint64_t v;
	int64_t n;

	if (ff_number_at(r, at, &num))
		return pp_json_num_i64(&num, &n) ? n : -1;
	return ff_text_at(r, at, &text) && pp_num_u64(text, &v) && v <= INT64_MAX ? (int64_t)v : -1;
}

uint32_t
ff_series(struct ff_read *r, const unsigned char *pid, const unsigned char *tid,
          const unsigned char *name, const unsigned char *process)
{
	struct pp_series like = { .pid = number_of(r, pid),
		                  .tid = number_of(r, tid),
		                  .cpu = -1,
		                  .process = ff_str_at(r, process),
		                  .thread = ff_str_at(r, name) };

	if (like.tid < 0)
		like.context = ff_str_at(r, tid);
	return pp_build_series(r->b, &like, false, false);
}

int64_t
ff_clock_take(struct ff_clock *c, const struct pp_json_num *num, bool step)
{
	int64_t cell = 0, unit = 1;

	if (c->fixed.decimals != CLOCK_DECIMALS || c->fixed.again)
		c->fixed = (struct pp_fixed){ .decimals = CLOCK_DECIMALS,
			                      .most = CLOCK_DECIMALS,
			                      .bounded = true };
	if (num && (!pp_fixed_read(&c->fixed, num, 3, &cell) || c->fixed.again)) {
		/* Times since 1970 have room as ns. */
		c->fixed = (struct pp_fixed){ .decimals = 9, .most = 9, .bounded = true };
		unit = PS_PER_NS;
		if (!pp_fixed_read(&c->fixed, num, 3, &cell) || c->fixed.again) {
			cell = 0;
			c->far = true;
		}
	}
	c->sum = (step ? c->sum : 0) + (pp_i128)cell * unit;
	if (PP_UNLIKELY(c->sum > SUM_MOST || c->sum < -SUM_MOST)) {
		c->sum = c->sum < 0 ? -SUM_MOST : SUM_MOST;
		c->far = true;
	}
	/* Nearly all fit 64 bits, which divide ten times as fast. */
	if (PP_LIKELY(c->sum == (int64_t)c->sum))
		return (int64_t)c->sum / PS_PER_NS - ((int64_t)c->sum % PS_PER_NS < 0);
	return (int64_t)(c->sum / PS_PER_NS - (c->sum % PS_PER_NS < 0));
}

/* Which of the samples come first: they are fed in the order of time. */
struct in_time {
	int64_t time;
	uint32_t row;
};

static int
in_time_cmp(const void *pa, const void *pb)
{
	const struct in_time *a = pa, *b = pb;

	return a->time != b->time ? (a->time < b->time ? -1 : 1)
	       : a->row != b->row ? (a->row < b->row ? -1 : 1)
	                          : 0;
}

static void
values_set(const struct ff_read *r, const struct ff_samples *s, size_t i, int64_t *values)
{
	memset(values, 0, FF_METRICS * sizeof *values);
	values[r->metric[s->metric]] = s->value.n ? s->value.at[i] : 1;
	if (s->cpu.n)
		values[r->metric[FF_CPU]] = s->cpu.at[i];
}

/* One after the other, with their times. */
static void
samples_in_time(struct ff_read *r, const struct ff_samples *s)
{
	PP_VEC(struct in_time) order = { 0 };
	size_t i;

	for (i = 0; i < s->n && pp_builder_ok(r->b); i++)
		if (s->stack.at[i] != FF_LEFT_OUT &&
		    !pp_vec_push(&order,
		                 (struct in_time){ s->time.n ? s->time.at[i] : 0, (uint32_t)i }))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	if (order.n && s->time.n)
		qsort(order.at, order.n, sizeof *order.at, in_time_cmp);
	for (i = 0; i < order.n && pp_builder_ok(r->b); i++) {
		int64_t values[FF_METRICS];
		struct pp_sample sample = { .series = s->series,
			                    .values = values,
			                    .timed = s->time.n > 0,
			                    .time = order.at[i].time };

		values_set(r, s, order.at[i].row, values);
		stack_feed(r, &sample, s->stack.at[order.at[i].row]);
	}
	pp_vec_release(&order);
}

/* The sum of each stack; what does not fit stays apart. */
static void
samples_by_stack(struct ff_read *r, const struct ff_samples *s)
{
	struct ff_stacks *t = &r->stacks;
	int64_t values[FF_METRICS];
	struct pp_sample sample = { .series = s->series, .values = values };
	size_t i;

	for (i = 0; i < s->n && pp_builder_ok(r->b); i++) {
		uint32_t stack = s->stack.at[i] == FF_NONE ? (uint32_t)t->frame.n : s->stack.at[i];
		struct ff_sum *sum;
		int64_t value = s->value.n ? s->value.at[i] : 1, cpu = s->cpu.n ? s->cpu.at[i] : 0;

		if (stack == FF_LEFT_OUT)
			continue;
		sum = &t->sums.at[stack];
		if (!sum->touched && !pp_vec_push(&t->touched, stack))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		sum->touched = true;
		if (!pp_cell_add(PP_INT, &sum->value, value)) {
			values_set(r, s, i, values);
			stack_feed(r, &sample, stack);
		} else if (!pp_cell_add(PP_INT, &sum->cpu, cpu)) {
			sum->value -= value;
			values_set(r, s, i, values);
			stack_feed(r, &sample, stack);
		}
	}
	for (i = 0; i < t->touched.n; i++) {
		struct ff_sum *sum = &t->sums.at[t->touched.at[i]];

		memset(values, 0, sizeof values);
		values[r->metric[s->metric]] = sum->value;
		if (s->cpu.n)
			values[r->metric[FF_CPU]] = sum->cpu;
		stack_feed(r, &sample, t->touched.at[i]);
		*sum = (struct ff_sum){ 0 };
	}
	t->touched.n = 0;
}

/* From when to when samples were taken, whether or not their order is wanted. */
static void
span_grow(struct ff_read *r, const struct ff_samples *s)
{
	struct pp_time_span *span = &r->b->profile->time;
	size_t i;

	for (i = 0; i < s->n && s->time.n; i++) {
		int64_t time = s->time.at[i];

		if (s->stack.at[i] == FF_LEFT_OUT)
			continue;
		span->start = span->known && span->start < time ? span->start : time;
		span->end = span->known && span->end > time ? span->end : time;
		span->known = true;
		r->b->profile->holds |= PP_TIMELINE;
	}
}

void
ff_samples_feed(struct ff_read *r, struct ff_samples *s)
{
	size_t i;

	if (!pp_builder_ok(r->b))
		return;
	for (i = 0; i < s->n; i++)
		r->b->profile->samples += s->stack.at[i] != FF_LEFT_OUT;
	s->time.n = r->untimed ? 0 : s->time.n;
	span_grow(r, s);
	if (r->doc.reader->order->facets & (PP_TIMELINE | PP_EXTRAS) ||
	    r->doc.reader->order->facets == 0)
		samples_in_time(r, s);
	else
		samples_by_stack(r, s);
	/* What is told where stacks went must be told before they are gone. */
	(void)pp_build_flush(r->b);
}

void
ff_samples_release(struct ff_samples *s)
{
	pp_vec_release(&s->stack);
	pp_vec_release(&s->value);
	pp_vec_release(&s->cpu);
	pp_vec_release(&s->time);
}

/* ---- recognition ------------------------------------------------------------------------ */

bool
ff_head(const struct pp_peek *peek)
{
	static const char *const keys[] = { "meta",
		                            "libs",
		                            "threads",
		                            "shared",
		                            "pages",
		                            "counters",
		                            "processes",
		                            "profile",
		                            "sources",
		                            "pausedRanges",
		                            "profilerOverhead",
		                            "label",
		                            "profilingLog",
		                            "profileGatheringLog" };
	struct pp_json_str key;
	struct pp_scan s;
	size_t i;

	pp_scan_init(&s, peek->head, 0, PP_SCAN_TOLERANT);
	if (peek->head.n && peek->head.p[0] == 0xef)
		pp_scan_init(&s, pp_slice_from(peek->head, peek->head.n < 3 ? peek->head.n : 3), 0,
		             PP_SCAN_TOLERANT);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return false;
	/* An outline has all keys; of a head the first must do. */
	while (pp_scan_key(&s, &key)) {
		for (i = 0; i < PP_COUNT_OF(keys); i++)
			if (pp_json_str_eq(key, keys[i]))
				return true;
		if (!peek->outlined || !pp_scan_pass(&s))
			break;
	}
	return false;
}

bool
ff_head_has(const struct pp_peek *peek, const char *word)
{
	return memmem(peek->head.p, peek->head.n, word, strlen(word)) != NULL;
}

/* The first key of an object that is the value of a key; empty when the head does not have it. */
static struct pp_slice
first_key(struct pp_slice head, struct pp_slice key)
{
	const unsigned char *p = memmem(head.p, head.n, key.p, key.n), *end = head.p + head.n,
	                    *close;

	if (!p)
		return pp_slice_of("", 0);
	p = pp_scan_space(p + key.n, end);
	if (p == end || *p != ':')
		return pp_slice_of("", 0);
	p = pp_scan_space(p + 1, end);
	if (p == end || *p != '{')
		return pp_slice_of("", 0);
	p = pp_scan_space(p + 1, end);
	close = p < end && *p == '"' ? memchr(p + 1, '"', (size_t)(end - p - 1)) : NULL;
	return close ? pp_slice_between(p + 1, close) : pp_slice_of("", 0);
}

enum ff_layout
ff_head_layout(const struct pp_peek *peek)
{
	static const struct pp_slice tables[] = { PP_KEY("\"stackTable\""),
		                                  PP_KEY("\"frameTable\"") };
	static const char *const columns[] = { "length", "prefix",     "prefixOffset", "frame",
		                               "func",   "category",   "address",      "line",
		                               "column", "subcategory" };
	size_t i, k;

	for (i = 0; i < PP_COUNT_OF(tables); i++) {
		struct pp_slice key = first_key(peek->head, tables[i]);

		if (pp_slice_eq_z(key, "schema") || pp_slice_eq_z(key, "data"))
			return FF_ROWS;
		for (k = 0; k < PP_COUNT_OF(columns); k++)
			if (pp_slice_eq_z(key, columns[k]))
				return FF_COLUMNS;
	}
	return FF_NO_TABLE;
}
