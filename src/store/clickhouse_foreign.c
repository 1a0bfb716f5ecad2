/*
 * Profiles that others keep in ClickHouse, in tables of their own: they are read, never written, as there is no way to
 * write into them that counts each profile once.
 *
 * Coroot has `profiling_samples` and `profiling_stacks`, Parca one table, `stacktraces`. Neither has a row per profile: what
 * has the same service, type, labels and time is taken for one. Stacks are leaf first. Nothing is promised, so nothing
 * can be audited but that each sample has its stack.
 */
#include <stdio.h>

#include "base/slice.h"
#include "formats/format.h"
#include "store/clickhouse_rows.h"
#include "store/hash.h"
#include "store/label_set.h"
#include "text/json_emit.h"
#include "text/json_scan.h"

/* What is asked; `$S` and `$T` are their tables, `$C` is a condition. */
struct foreign {
	const char *name, *samples, *stacks, *suffix;
	const char *list; /* number, begin, end, type, unit, labels as keys and values, rows, sum */
	const char *load; /* frames, leaf first, as three lists: names, files, lines; value */
};

static const struct foreign schemas[] = {
	[PP_SCHEMA_COROOT] = {
		"coroot", "profiling_samples", "profiling_stacks", "_distributed",
		"SELECT cityHash64(ServiceName, Type, Start, End, toString(Labels)) n, toUnixTimestamp64Nano(Start) a, "
		"toUnixTimestamp64Nano(End) b, toString(Type) t, '' u, "
		"arrayConcat(['service'], CAST(mapKeys(Labels) AS Array(String))) k, "
		"arrayConcat([toString(ServiceName)], mapValues(Labels)) v, count() c, sum(toInt128(Value)) s "
		"FROM $S WHERE $C GROUP BY n, a, b, t, k, v",
		"SELECT any(x.f), emptyArrayString(), emptyArrayUInt32(), y.s FROM (SELECT StackHash h, sum(Value) s, count() c "
		"FROM $S WHERE cityHash64(ServiceName, Type, Start, End, toString(Labels)) = $C GROUP BY h) y "
		"LEFT JOIN (SELECT Hash h, any(Stack) f FROM $T GROUP BY h) x ON x.h = y.h GROUP BY y.h, y.s ORDER BY y.h",
	},
	[PP_SCHEMA_PARCA] = {
		"parca", "stacktraces", NULL, "",
		"SELECT cityHash64(name, sample_type, sample_unit, time_nanos, duration, toJSONString(labels)) n, time_nanos a, "
		"time_nanos + duration b, concat(name, ':', sample_type) t, sample_unit u, [''] k, [toJSONString(labels)] v, "
		"count() c, sum(toInt128(value)) s FROM $S WHERE $C GROUP BY n, a, b, t, u, k, v",
		"SELECT arrayMap((x, y) -> if(x = '', concat('0x', lower(hex(y))), x), stacktrace.function_name, "
		"stacktrace.address) f, stacktrace.function_filename g, "
		"arrayMap(x -> toUInt32(x), stacktrace.line_number) l, sum(value) FROM $S "
		"WHERE cityHash64(name, sample_type, sample_unit, time_nanos, duration, toJSONString(labels)) = $C "
		"GROUP BY f, g, l ORDER BY f, g, l",
	},
};

static const struct foreign *
schema_of(const struct pp_clickhouse *c)
{
	return &schemas[c->from.schema];
}

pp_status
pp_clickhouse_foreign_refuse(const struct pp_clickhouse *c, struct pp_buf *problem)
{
	pp_buf_addf(
	    problem,
	    "the tables of %s are read only: there is no way to write into them that counts "
	    "each profile once",
	    schema_of(c)->name);
	return PP_E_UNSUPPORTED;
}

static void
foreign_put(struct pp_clickhouse *c, const char *text, const char *condition)
{
	const struct foreign *f = schema_of(c);

	for (; *text; text++) {
		if (*text != '$') {
			pp_buf_addc(&c->sql, *text);
			continue;
		}
		text++;
		pp_buf_adds(&c->sql, *text == 'C'   ? condition
		                     : *text == 'S' ? f->samples
		                                    : f->stacks);
		if (*text != 'C' && c->from.cluster)
			pp_buf_adds(&c->sql, f->suffix);
	}
}

/* ---- what there is ---- */

/* Labels while they are gathered; texts that had to be made are the arena's. */
struct gathered {
	struct pp_arena texts;
	struct pp_store_label at[PP_LABELS_MAX];
	size_t n;
	bool failed; /* out of memory */
};

/* A stranger's labels may be too many or too long: those are left out. */
static void
label_add(struct gathered *g, struct pp_slice key, struct pp_slice value)
{
	if (g->n < PP_LABELS_MAX && key.n && key.n <= PP_LABEL_KEY_MAX &&
	    value.n <= PP_LABEL_VALUE_MAX)
		g->at[g->n++] = (struct pp_store_label){ key, value };
}

/* What the object that comes next has, objects within it by names with dots. */
static void
json_labels(struct gathered *g, struct pp_scan *s, struct pp_slice above, unsigned depth)
{
	struct pp_json_str key, text;

	if (!pp_scan_object(s))
		return;
	while (pp_scan_key(s, &key)) {
		struct pp_slice name = pp_json_str_value(key, &g->texts), raw;
		struct pp_buf path = { 0 };

		pp_buf_add(&path, above.p, above.n);
		pp_buf_adds(&path, above.n ? "." : "");
		pp_buf_add(&path, name.p, name.n);
		name = pp_slice_of(pp_arena_copy(&g->texts, path.p, path.n), path.n);
		g->failed |= path.failed || !name.p;
		pp_buf_release(&path);
		if (g->failed)
			return;
		if (pp_scan_peek(s) == PP_JSON_OBJECT && depth < 8) {
			json_labels(g, s, name, depth + 1);
		} else if (pp_scan_peek(s) == PP_JSON_STRING) {
			if (pp_scan_string(s, &text))
				label_add(g, name, pp_json_str_value(text, &g->texts));
		} else if (pp_scan_skip(s, &raw)) {
			label_add(g, name, raw);
		}
	}
}

/* Labels as keys and values, or as JSON under no key. */
static void
labels_read(struct gathered *g, struct pp_row_reader *rows, struct pp_slice type,
            struct pp_slice unit)
{
	struct pp_row_reader keys = *rows;
	uint64_t n = pp_rows_varint(rows), i;

	for (i = 0; i < n && !rows->bad; i++)
		(void)pp_rows_text(rows);
	(void)pp_rows_varint(&keys);
	if (pp_rows_varint(rows) != n)
		rows->bad = true;
	label_add(g, pp_slice_z("type"), type);
	if (unit.n)
		label_add(g, pp_slice_z("unit"), unit);
	for (i = 0; i < n && !rows->bad; i++) {
		struct pp_slice key = pp_rows_text(&keys), value = pp_rows_text(rows);
		struct pp_scan scan;
		char *padded;

		if (key.n) {
			label_add(g, key, value);
			continue;
		}
		padded = pp_arena_alloc(&g->texts, value.n + PP_SCAN_PAD);
		g->failed |= !padded;
		if (!padded)
			return;
		memcpy(padded, value.p, value.n);
		memset(padded + value.n, 0, PP_SCAN_PAD);
		pp_scan_init(&scan, pp_slice_of(padded, value.n), 16, PP_SCAN_TOLERANT);
		json_labels(g, &scan, pp_slice_of(NULL, 0), 0);
	}
}

/* What a type is called, and in which unit: "source:name:unit" where it is not told otherwise. */
static struct pp_slice
type_split(struct pp_slice type, struct pp_slice *unit)
{
	const unsigned char *colon = type.n ? memrchr(type.p, ':', type.n) : NULL;

	if (unit->n == 0 && colon) {
		*unit = pp_slice_between(colon + 1, type.p + type.n);
		type.n = (size_t)(colon - type.p);
		colon = type.n ? memrchr(type.p, ':', type.n) : NULL;
	}
	return colon ? pp_slice_between(colon + 1, type.p + type.n) : type;
}

static void
meta_put(struct pp_buf *meta, struct pp_slice name, struct pp_slice unit, pp_i128 total,
         uint64_t rows)
{
	const struct pp_metric whole = { .type = PP_INT };
	char number[PP_NUM_MAX];
	struct pp_sink *sink;
	struct pp_json json;
	size_t n = pp_value_print(&whole, (union pp_value){ .i = total }, number);

	if (pp_sink_buffer(meta, &sink) != PP_OK)
		return;
	pp_json_init(&json, sink, PP_JSON_SPACED);
	pp_json_begin_object(&json);
	pp_json_put_u64(&json, "stacks", rows);
	pp_json_put_object(&json, "metrics");
	pp_json_key_text(&json, name);
	pp_json_raw(&json, number, n);
	pp_json_end_object(&json);
	pp_json_put_object(&json, "units");
	pp_json_key_text(&json, name);
	pp_json_text(&json, unit);
	pp_json_end_object(&json);
	pp_json_end_object(&json);
	(void)pp_sink_commit(sink);
	pp_sink_close(sink);
}

/* What tells a profile from all others. */
static void
entry_hash(const struct pp_clickhouse *c, struct pp_store_entry *e, struct pp_slice type)
{
	struct pp_blake2b hash;

	pp_digest_begin(&hash);
	pp_digest_part(&hash, pp_slice_z(schema_of(c)->name));
	pp_digest_part(&hash, type);
	pp_digest_part(&hash, pp_slice_of(&e->t0, sizeof e->t0));
	pp_digest_part(&hash, pp_slice_of(&e->t1, sizeof e->t1));
	pp_digest_part(&hash, pp_slice_z(e->labels));
	pp_digest_end(&hash, e->hash);
}

static bool
entry_take(struct pp_clickhouse *c, struct pp_row_reader *rows, const struct pp_selection *s,
           struct pp_store_list *list)
{
	struct pp_store_entry e = {
		.profiles = 1, .complete = true, .format = "pprof", .source = ""
	};
	struct gathered labels = { 0 };
	struct pp_buf text = { 0 }, problem = { 0 };
	struct pp_slice type, unit, name;
	bool fine;

	e.id = pp_rows_u64(rows);
	e.t0 = (int64_t)pp_rows_u64(rows);
	e.t1 = (int64_t)pp_rows_u64(rows);
	type = pp_rows_text(rows);
	unit = pp_rows_text(rows);
	labels_read(&labels, rows, type, unit);
	e.stacks = pp_rows_u64(rows);
	name = type_split(type, &unit);
	if (pp_labels_canonical(labels.at, labels.n, &text, &problem) != PP_OK) {
		text.n = 0;
		pp_buf_adds(&text, "{}");
	}
	e.labels = pp_store_list_text(list, text.p, text.n);
	text.n = 0;
	meta_put(&text, name, unit, (pp_i128)pp_rows_u128(rows), e.stacks);
	e.meta = pp_store_list_text(list, text.p, text.n);
	fine = e.labels && e.meta && !text.failed && !labels.failed;
	if (fine) {
		entry_hash(c, &e, type);
		e.series = pp_load64(
		    e.hash); /* of its own: labels are not what they are grouped by */
	}
	if (fine && !rows->bad && (!s || pp_selection_fits(s, &e)))
		fine = pp_vec_push(&list->entries, e);
	pp_arena_release(&labels.texts);
	pp_buf_release(&text);
	pp_buf_release(&problem);
	return fine;
}

pp_status
pp_clickhouse_foreign_list(struct pp_clickhouse *c, const struct pp_selection *s,
                           struct pp_store_list *out, struct pp_buf *problem)
{
	struct pp_row_reader rows;
	pp_status status;

	foreign_put(c, schema_of(c)->list, "1");
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	while (pp_rows_more(&rows))
		if (!entry_take(c, &rows, s, out))
			return PP_E_NOMEM;
	return pp_rows_end(c, &rows, problem);
}

/* ---- one of them ---- */

/* A profile out of stacks that come leaf first. */
struct loading {
	struct pp_builder builder;
	PP_VEC(pp_frame) stack;
	PP_VEC(struct pp_slice) names, files;
	uint64_t lost; /* samples without a stack */
};

static void
metric_build(struct pp_builder *b, struct pp_slice name, struct pp_slice unit)
{
	static const struct {
		const char *spelled, *unit;
		uint64_t factor;
		enum pp_metric_kind kind;
	} units[] = { { "nanoseconds", "ns", 1, PP_KIND_CPU_TIME },
		      { "microseconds", "ns", 1000, PP_KIND_CPU_TIME },
		      { "milliseconds", "ns", 1000000, PP_KIND_CPU_TIME },
		      { "seconds", "ns", 1000000000, PP_KIND_CPU_TIME },
		      { "bytes", "bytes", 1, PP_KIND_BYTES },
		      { "count", "count", 1, PP_KIND_COUNT },
		      { "samples", "samples", 1, PP_KIND_SAMPLES } };
	struct pp_metric m = { .type = PP_INT, .flags = PP_METRIC_PRIMARY, .kind = PP_KIND_OTHER };
	size_t i;

	m.name = pp_build_str(b, name.n ? name : pp_slice_z("samples"));
	m.unit = unit.n ? pp_build_str(b, unit) : pp_build_strz(b, "count");
	for (i = 0; i < PP_COUNT_OF(units); i++)
		if (pp_slice_eq_z(unit, units[i].spelled)) {
			m.unit = pp_build_strz(b, units[i].unit);
			m.factor_num = units[i].factor;
			m.kind = units[i].kind;
		}
	/* Time that is not the processor's: of locks, of waiting. */
	if (m.kind == PP_KIND_CPU_TIME && !pp_slice_holds(name, "cpu"))
		m.kind = PP_KIND_WALL_TIME;
	(void)pp_build_metric(b, &m);
	(void)pp_build_series_plain(b, true, false);
}

/* "NAME FILE:LINE", or only NAME. */
static void
place_split(struct pp_slice *name, struct pp_slice *file, uint32_t *line)
{
	const unsigned char *blank = name->n ? memrchr(name->p, ' ', name->n) : NULL;
	const unsigned char *colon = name->n ? memrchr(name->p, ':', name->n) : NULL, *p;
	uint64_t number = 0;

	if (!blank || !colon || colon < blank + 2 || colon + 1 == name->p + name->n)
		return;
	for (p = colon + 1; p < name->p + name->n; p++) {
		if (!pp_is_digit(*p) || number > UINT32_MAX / 10)
			return;
		number = number * 10 + (*p - (unsigned)'0');
	}
	*file = pp_slice_between(blank + 1, colon);
	*line = (uint32_t)number;
	name->n = (size_t)(blank - name->p);
}

static bool
stack_take(struct loading *l, struct pp_row_reader *rows)
{
	uint64_t n = pp_rows_varint(rows), files, lines, i;
	struct pp_row_reader line_rows;
	int64_t value;
	bool fine = true;

	l->names.n = l->files.n = l->stack.n = 0;
	for (i = 0; i < n && fine && !rows->bad; i++)
		fine = pp_vec_push(&l->names, pp_rows_text(rows));
	files = pp_rows_varint(rows);
	for (i = 0; i < files && fine && !rows->bad; i++)
		fine = pp_vec_push(&l->files, pp_rows_text(rows));
	lines = pp_rows_varint(rows);
	line_rows = *rows;
	for (i = 0; i < lines && !rows->bad; i++)
		(void)pp_rows_u32(rows);
	value = (int64_t)pp_rows_u64(rows);
	if (!fine || rows->bad || (files && files != n) || (lines && lines != n))
		return false;
	l->lost += n == 0;
	for (i = n; i-- > 0 && fine;) {
		struct pp_slice name = l->names.at[i],
		                file = files ? l->files.at[i] : pp_slice_of("", 0);
		struct pp_func_row f = { 0 };
		struct pp_frame_row frame = { 0 };

		if (lines)
			frame.line = pp_load32(line_rows.p + 4 * i);
		else
			place_split(&name, &file, &frame.line);
		f.name = pp_build_str(&l->builder, name.n ? name : pp_slice_z("[unknown]"));
		f.file = pp_build_str(&l->builder, file);
		frame.func = pp_build_func(&l->builder, &f);
		fine = pp_vec_push(&l->stack, pp_build_frame(&l->builder, &frame));
	}
	return fine && pp_build_stack(&l->builder, 0, l->stack.at, l->stack.n, &value);
}

/* The type of an entry, which is one of its labels. */
static void
entry_metric(struct loading *l, const struct pp_store_entry *e)
{
	struct pp_label_set labels = { 0 };
	struct pp_slice type, unit = pp_slice_of("", 0), name;

	if (pp_label_set_read(&labels, pp_slice_z(e->labels)) == PP_OK) {
		type = pp_label_set_get(&labels, pp_slice_z("type"));
		unit = pp_label_set_get(&labels, pp_slice_z("unit"));
		name = type_split(type, &unit);
		metric_build(&l->builder, name, unit);
	}
	pp_label_set_release(&labels);
}

pp_status
pp_clickhouse_foreign_load(struct pp_clickhouse *c, const struct pp_store_entry *e,
                           struct pp_supply *supply, struct pp_buf *problem)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct loading l = { 0 };
	struct pp_row_reader rows;
	char id[24];
	pp_status status;

	(void)snprintf(id, sizeof id, "%llu", (unsigned long long)e->id);
	foreign_put(c, schema_of(c)->load, id);
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	if (!pp_builder_init(&l.builder, &limits, NULL, e->id, &pp_pages_plain))
		return PP_E_NOMEM;
	l.builder.profile->format = pp_format_find("pprof");
	l.builder.profile->complete = true;
	entry_metric(&l, e);
	rows = pp_rows_of(c);
	while (pp_rows_more(&rows) && stack_take(&l, &rows))
		;
	status = pp_builder_ok(&l.builder) ? pp_rows_end(c, &rows, problem) : l.builder.status;
	if (status == PP_OK && l.lost && schema_of(c)->stacks) {
		pp_buf_addf(problem, "of %llu samples the stack is not in the table %s",
		            (unsigned long long)l.lost, schema_of(c)->stacks);
		status = PP_E_INVALID;
	}
	if (status == PP_OK)
		status = pp_builder_finish(&l.builder, &supply->profile);
	pp_builder_release(&l.builder);
	pp_vec_release(&l.stack);
	pp_vec_release(&l.names);
	pp_vec_release(&l.files);
	return status;
}
