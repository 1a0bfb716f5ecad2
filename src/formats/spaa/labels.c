/*
 * Labels of stacks: what their context says beside event, process, thread and cpu. Only who asks for labels gets here;
 * then the text of a record is looked at once more, the first of each context.
 */
#include "formats/spaa/spaa.h"

struct labels {
	struct pp_spaa_reader *r;
	struct pp_scan scan;
	struct pp_arena arena;
	struct pp_buf key;
	PP_VEC(struct pp_label_row) list;
};

/* Those that a series has in places of its own. */
static bool
is_known(struct pp_slice key)
{
	static const char *const known[] = { "event", "pid", "tid", "cpu", "comm" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(known); i++)
		if (pp_slice_eq_z(key, known[i]))
			return true;
	return false;
}

/* The value at hand, as a label of l->key. */
static void
value_add(struct labels *l)
{
	struct pp_builder *b = l->r->builder;
	struct pp_label_row row = { 0 };
	struct pp_json_num number;
	struct pp_json_str text;
	struct pp_slice raw, key = pp_slice_of(l->key.p, l->key.n);

	/* Null is nothing, as in what tells contexts apart. */
	if (pp_scan_peek(&l->scan) == PP_JSON_NULL || !pp_order_has_label(&b->order, key)) {
		(void)pp_scan_skip(&l->scan, NULL);
		return;
	}
	if (pp_scan_peek(&l->scan) == PP_JSON_STRING) {
		if (pp_scan_string(&l->scan, &text))
			row.text = pp_build_str(b, pp_json_str_value(text, &l->arena));
	} else {
		bool is_number = pp_scan_peek(&l->scan) == PP_JSON_NUMBER;
		struct pp_scan here = l->scan;

		if (is_number && pp_scan_number(&here, &number) &&
		    pp_json_num_i64(&number, &row.number))
			row.type = PP_LABEL_NUMBER;
		/* What is no whole number is kept as it is written. */
		if (pp_scan_skip(&l->scan, &raw) && row.type == PP_LABEL_TEXT)
			row.text = pp_build_str(b, raw);
	}
	row.key = pp_build_str(b, key);
	if (l->scan.error == PP_SCAN_OK && !pp_vec_push(&l->list, row))
		pp_spaa_no_memory(l->r);
}

/* The keys of an object. Those of objects within have the outer one's before them: "probe.name". */
static void
object_add(struct labels *l, bool outer, size_t prefix)
{
	struct pp_json_str key;

	(void)pp_scan_object(&l->scan);
	while (pp_scan_key(&l->scan, &key)) {
		struct pp_slice name = pp_json_str_value(key, &l->arena);

		l->key.n = prefix;
		pp_buf_add(&l->key, name.p, name.n);
		if ((outer && is_known(name)) || l->key.failed) {
			(void)pp_scan_skip(&l->scan, NULL);
		} else if (outer && pp_scan_peek(&l->scan) == PP_JSON_OBJECT) {
			pp_buf_adds(&l->key, ".");
			object_add(l, false, l->key.n);
		} else {
			value_add(l);
		}
	}
}

static pp_labels
record_labels(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	struct labels l = { .r = r };
	struct pp_json_str key;
	pp_labels set;

	pp_scan_init(&l.scan, rec->text, 0, PP_SCAN_STRICT);
	(void)pp_scan_object(&l.scan);
	while (pp_scan_key(&l.scan, &key))
		if (pp_json_str_eq(key, "context") && pp_scan_peek(&l.scan) == PP_JSON_OBJECT)
			object_add(&l, true, 0);
		else
			(void)pp_scan_skip(&l.scan, NULL);
	if (l.key.failed)
		pp_spaa_no_memory(r);
	set = pp_build_labels(r->builder, l.list.at, l.list.n);
	pp_vec_release(&l.list);
	pp_buf_release(&l.key);
	pp_arena_release(&l.arena);
	return set;
}

pp_labels
pp_spaa_labels(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	uint64_t context = rec->u.stack.context;
	uint32_t set = pp_map_get(&r->costs.labels_of, context);

	if (set == PP_MAP_NONE) {
		set = record_labels(r, rec);
		if (!pp_map_set(&r->costs.labels_of, context, set))
			pp_spaa_no_memory(r);
	}
	return set;
}
