/*
 * What the rules say of a profile beyond its tables: types, the recording, labels.
 */
#include "formats/pprof/pprof.h"

struct pp_slice
pp_pprof_text(const struct pprof_doc *d, uint64_t index)
{
	return index < d->strings.n ? d->strings.at[index] : pp_slice_of("", 0);
}

static struct pp_slice
type_name(const struct pprof_doc *d, size_t type)
{
	return pp_pprof_text(d, d->types.at[type].f[VALUE_TYPE]);
}

/* How many types before it have the name of one. */
size_t
pp_pprof_type_again(const struct pprof_doc *d, size_t type)
{
	size_t i, same = 0;

	for (i = 0; i < type; i++)
		same += pp_slice_eq(type_name(d, i), type_name(d, type));
	return same;
}

size_t
pp_pprof_primary(const struct pprof_doc *d)
{
	struct pp_slice name = pp_pprof_text(d, (uint64_t)d->f[PROFILE_DEFAULT_TYPE]);
	size_t i;

	for (i = 0; name.n && i < d->types.n; i++)
		if (pp_slice_eq(name, type_name(d, i)))
			return i;
	return d->types.n ? d->types.n - 1 : 0;
}

static void
value_type_check(struct pprof_doc *d, const struct pprof_value_type *t, const char *what)
{
	(void)pp_pprof_string(d, t->f[VALUE_TYPE], what, t->message.p);
	(void)pp_pprof_string(d, t->f[VALUE_UNIT], what, t->message.p);
}

static void
types_check(struct pprof_doc *d)
{
	struct pp_slice primary = pp_pprof_string(d, (uint64_t)d->f[PROFILE_DEFAULT_TYPE],
	                                          "default_sample_type", NULL);
	size_t i;

	if (d->types.n == 0 && d->sample_count)
		pp_pprof_report(d, PPROF_SAMPLE_TYPE_MISSING, d->samples,
		                "there are samples, and no sample types");
	else if (d->types.n == 0)
		pp_pprof_report(d, PPROF_NO_METRICS, NULL, "there are no sample types");
	for (i = 0; i < d->types.n; i++) {
		struct pp_slice name = type_name(d, i);

		value_type_check(d, &d->types.at[i], "a sample type");
		if (name.n == 0)
			pp_pprof_report(d, PPROF_SAMPLE_TYPE_NAME, d->types.at[i].message.p,
			                "sample type %zu has no name", i + 1);
		if (i < PPROF_TYPES_COMPARED && pp_pprof_type_again(d, i))
			pp_pprof_report(d, PPROF_SAMPLE_TYPE_DUPLICATE, d->types.at[i].message.p,
			                "another sample type is also called %.*s", PP_SHOWN(name));
	}
	if (primary.n && d->types.n && !pp_slice_eq(primary, type_name(d, pp_pprof_primary(d))))
		pp_pprof_report(d, PPROF_DEFAULT_TYPE, NULL,
		                "default_sample_type is %.*s, which is none of the types",
		                PP_SHOWN(primary));
}

void
pp_pprof_check(struct pprof_doc *d)
{
	struct pp_slice url = pp_pprof_string(d, (uint64_t)d->f[PROFILE_DOC_URL], "doc_url", NULL);
	int64_t duration = d->f[PROFILE_DURATION_NANOS], when = d->f[PROFILE_TIME_NANOS];
	size_t i;

	types_check(d);
	value_type_check(d, &d->period_type, "the period type");
	for (i = 0; i < d->comments.n; i++)
		(void)pp_pprof_string(d, d->comments.at[i], "a comment", NULL);
	if (when < 0 || duration < 0)
		pp_pprof_report(d, PPROF_TIME, NULL, "the time is %lld ns, the duration %lld ns",
		                (long long)when, (long long)duration);
	if (url.n && !pp_slice_starts(url, "http://") && !pp_slice_starts(url, "https://"))
		pp_pprof_report(d, PPROF_DOC_URL, NULL, "doc_url is %.*s", PP_SHOWN(url));
}

/* ---- labels ---- */

bool
pp_pprof_labels_init(struct pprof_labels *l, struct pprof_doc *d, uint64_t seed)
{
	*l = (struct pprof_labels){ .doc = d };
	return pp_strtab_init(&l->texts, seed);
}

void
pp_pprof_labels_release(struct pprof_labels *l)
{
	pp_strtab_release(&l->texts);
	pp_vec_release(&l->keys);
}

/* One number for equal texts; 0 for none. */
static pp_str
text_number(struct pprof_labels *l, struct pp_slice text)
{
	bool is_new;
	pp_str id = 0;

	if (!pp_strtab_intern(&l->texts, text.p, text.n, &id, &is_new))
		l->doc->no_memory = true;
	return id;
}

static void
key_check(struct pprof_labels *l, const uint64_t *f, struct pp_slice key, struct pp_slice message)
{
	struct pprof_doc *d = l->doc;
	struct pp_slice unit = pp_pprof_text(d, f[LABEL_UNIT]);
	pp_str id = text_number(l, key);
	struct pprof_label_key *known;

	while (!d->no_memory && l->keys.n <= id)
		d->no_memory |= !pp_vec_push(&l->keys, (struct pprof_label_key){ 0 });
	if (d->no_memory)
		return;
	known = &l->keys.at[id];
	if (known->sample == l->sample)
		pp_pprof_report(d, PPROF_LABEL_REPEATED, message.p,
		                "label %.*s more than once on a sample", PP_SHOWN(key));
	known->sample = l->sample;
	if (f[LABEL_TEXT] || unit.n == 0)
		return;
	id = text_number(l, unit);
	if (known->unit && known->unit != id)
		pp_pprof_report(d, PPROF_LABEL_UNITS, message.p,
		                "label %.*s comes in several units", PP_SHOWN(key));
	known->unit = known->unit ? known->unit : id;
}

bool
pp_pprof_label_read(struct pprof_doc *d, struct pp_slice message, struct pprof_label *label)
{
	uint64_t f[LABEL_FIELDS] = { 0 };

	if (!pp_pprof_fields(d, message, "a label", f, LABEL_FIELDS))
		return false;
	memcpy(label->f, f, sizeof f);
	label->key = pp_pprof_text(d, f[LABEL_KEY]);
	return true;
}

void
pp_pprof_labels_check(struct pprof_labels *l, const struct pprof_samples *s)
{
	struct pprof_doc *d = l->doc;
	struct pprof_label label;
	size_t i;

	l->sample++;
	for (i = 0; i < s->labels.n && !d->no_memory; i++) {
		struct pp_slice message = s->labels.at[i];

		if (!pp_pprof_label_read(d, message, &label))
			continue;
		(void)pp_pprof_string(d, label.f[LABEL_KEY], "a label", message.p);
		(void)pp_pprof_string(d, label.f[LABEL_TEXT], "a label", message.p);
		(void)pp_pprof_string(d, label.f[LABEL_UNIT], "a label", message.p);
		if (label.f[LABEL_KEY] == 0)
			pp_pprof_report(d, PPROF_LABEL_KEY, message.p, "a label has no key");
		else if (pp_slice_starts(label.key, "pprof::"))
			pp_pprof_report(d, PPROF_LABEL_RESERVED, message.p,
			                "label %.*s is google/pprof's own", PP_SHOWN(label.key));
		if (label.f[LABEL_TEXT] && (label.f[LABEL_NUMBER] || label.f[LABEL_UNIT]))
			pp_pprof_report(d, PPROF_LABEL_BOTH, message.p,
			                "label %.*s has a text and a number", PP_SHOWN(label.key));
		key_check(l, label.f, label.key, message);
	}
}
