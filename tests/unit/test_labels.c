/* Labels: sets are interned whatever their order, answer by key, and are merged by content. */
#include "tap.h"

#include "model/builder.h"
#include "model/merge.h"
#include "model/schema.h"

static struct pp_slice
z(const char *text)
{
	return pp_slice_z(text);
}

static struct pp_label_row
text_label(struct pp_builder *b, const char *key, const char *text)
{
	return (struct pp_label_row){ .key = pp_build_strz(b, key),
		                      .text = pp_build_strz(b, text) };
}

static struct pp_label_row
number_label(struct pp_builder *b, const char *key, int64_t number, const char *unit)
{
	return (struct pp_label_row){ .key = pp_build_strz(b, key),
		                      .unit = pp_build_strz(b, unit),
		                      .type = PP_LABEL_NUMBER,
		                      .number = number };
}

/* A profile of one function with samples of these labels, `first` before the others. */
static struct pp_profile *
make(const char *first)
{
	const struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_builder b;
	struct pp_profile *p = NULL;
	pp_labels sets[4];
	pp_frame frame;
	size_t i;

	ok(pp_builder_init(&b, &limits, NULL, 42, &pp_pages_plain), "a builder");
	(void)pp_build_strz(&b, first);
	pp_build_metric_z(&b, "cpu", "ns", PP_KIND_CPU_TIME, PP_INT, PP_METRIC_PRIMARY);
	(void)pp_build_series(&b, &(struct pp_series){ .pid = 7, .tid = -1, .cpu = -1 }, false,
	                      false);
	frame = pp_build_frame_named(&b, z("f"));
	sets[0] = pp_build_labels(&b,
	                          (struct pp_label_row[]){ text_label(&b, "user", "ann"),
	                                                   number_label(&b, "bytes", 0, "B") },
	                          2);
	sets[1] = pp_build_labels(&b,
	                          (struct pp_label_row[]){ number_label(&b, "bytes", 0, "B"),
	                                                   text_label(&b, "user", "ann") },
	                          2);
	sets[2] = pp_build_labels(
	    &b,
	    (struct pp_label_row[]){ text_label(&b, "user", "bob"), text_label(&b, "user", "ann") },
	    2);
	sets[3] = pp_build_labels(&b, (struct pp_label_row[]){ number_label(&b, "bytes", 0, "") },
	                          1);
	is_u64(sets[0], sets[1], "the order of keys does not matter");
	ok(sets[2] != sets[0] && sets[3] && sets[3] != sets[0], "other labels are another set");
	is_u64(pp_build_labels(&b, NULL, 0), 0, "no labels are no set");
	for (i = 0; i < 4; i++)
		pp_build_stack(&b, pp_build_series_labelled(&b, 0, sets[i]), &frame, 1,
		               (const int64_t[]){ 1 << i });
	pp_build_stack(&b, pp_build_series_labelled(&b, 0, 0), &frame, 1, (const int64_t[]){ 16 });
	ok(pp_builder_finish(&b, &p) == PP_OK, "finished");
	pp_builder_release(&b);
	return p;
}

/* The values of a key, by series: "7 7 -". */
static void
values_are(const struct pp_profile *p, const char *key, const char *expected)
{
	struct pp_label_values v = { 0 };
	struct pp_buf text = { 0 };
	size_t i;

	ok(pp_label_values_find(p, z(key), &v), "values");
	for (i = 0; i < p->series.n; i++) {
		struct pp_slice value = pp_strtab_get(&v.texts, v.of[i]);

		pp_buf_adds(&text, i ? " | " : "");
		pp_buf_add(&text, v.of[i] ? (const char *)value.p : "-", v.of[i] ? value.n : 1);
	}
	is_slice_z(pp_slice_of(text.p, text.n), expected, "%s", key);
	pp_buf_release(&text);
	pp_label_values_release(&v);
}

int
main(void)
{
	const struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_profile *a = make("user"), *b = make("zero"), *both = NULL;
	struct pp_buf problem = { 0 };
	struct pp_merge m;

	is_u64(a->series.n, 4, "a series for each set");
	values_are(a, "user", "- | ann | bob, ann | -");
	values_are(a, "bytes", "- | 0 B | - | 0");
	values_are(a, "pid", "7 | 7 | 7 | 7");
	values_are(a, "none", "- | - | - | -");
	ok(pp_merge_init(&m, &limits, 1), "a merge");
	ok(pp_merge_add(&m, a, &problem) == PP_OK && pp_merge_add(&m, b, &problem) == PP_OK,
	   "two are added");
	ok(pp_merge_finish(&m, &both) == PP_OK, "merged");
	is_u64(both->series.n, 4, "equal sets are one");
	is_u64(both->labels.n, a->labels.n, "and no set is there twice");
	values_are(both, "user", "- | ann | bob, ann | -");
	is_u64((uint64_t)pp_profile_total(both, 0).i, 62, "all of the cost is there");
	pp_merge_release(&m);
	pp_buf_release(&problem);
	pp_profile_release(a);
	pp_profile_release(b);
	pp_profile_release(both);
	return tap_done();
}
