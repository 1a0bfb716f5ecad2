/*
 * Labels of profiles, there and back.
 */
#include "store/label_set.h"

#include "base/slice.h"
#include "base/utf8.h"
#include "text/json_scan.h"

bool
pp_label_split(struct pp_slice text, struct pp_store_label *label)
{
	bool found;

	label->key = pp_slice_cut(&text, '=', &found);
	label->value = text;
	return found && label->key.n > 0;
}

static bool
label_fits(struct pp_store_label label, struct pp_buf *problem)
{
	if (label.key.n == 0)
		pp_buf_adds(problem, "a label has no key");
	else if (label.key.n > PP_LABEL_KEY_MAX)
		pp_buf_addf(problem, "the key of label '%.*s...' exceeds %d bytes",
		            PP_CLIP(label.key, 40), PP_LABEL_KEY_MAX);
	else if (!pp_utf8_valid(label.key))
		pp_buf_adds(problem, "the key of a label is not UTF-8");
	else if (label.value.n > PP_LABEL_VALUE_MAX)
		pp_buf_addf(problem, "the value of label '%.*s' exceeds %d bytes",
		            PP_SHOWN(label.key), PP_LABEL_VALUE_MAX);
	else if (!pp_utf8_valid(label.value))
		pp_buf_addf(problem, "the value of label '%.*s' is not UTF-8", PP_SHOWN(label.key));
	else
		return true;
	return false;
}

static void
text_add(struct pp_buf *out, struct pp_slice text)
{
	size_t i;

	pp_buf_addc(out, '"');
	for (i = 0; i < text.n; i++) {
		unsigned char c = text.p[i];

		if (c < 0x20) {
			pp_buf_addf(out, "\\u%04x", c);
			continue;
		}
		if (c == '"' || c == '\\')
			pp_buf_addc(out, '\\');
		pp_buf_addc(out, (char)c);
	}
	pp_buf_addc(out, '"');
}

/* Puts a label where it belongs in order; false when its key is there with another value. */
static bool
label_insert(struct pp_store_label *sorted, size_t *n, struct pp_store_label label)
{
	size_t at = *n;

	while (at > 0 && pp_slice_cmp(sorted[at - 1].key, label.key) > 0)
		at--;
	if (at > 0 && pp_slice_eq(sorted[at - 1].key, label.key))
		return pp_slice_eq(sorted[at - 1].value, label.value);
	memmove(sorted + at + 1, sorted + at, (*n - at) * sizeof *sorted);
	sorted[at] = label;
	++*n;
	return true;
}

pp_status
pp_labels_canonical(const struct pp_store_label *labels, size_t count, struct pp_buf *out,
                    struct pp_buf *problem)
{
	struct pp_store_label sorted[PP_LABELS_MAX + 1];
	size_t n = 0, i;

	for (i = 0; i < count; i++) {
		if (!label_fits(labels[i], problem))
			return PP_E_USAGE;
		if (!label_insert(sorted, &n, labels[i])) {
			pp_buf_addf(problem, "label '%.*s' is there with two values",
			            PP_SHOWN(labels[i].key));
			return PP_E_USAGE;
		}
		if (n > PP_LABELS_MAX) {
			pp_buf_addf(problem, "a profile has at most %d labels", PP_LABELS_MAX);
			return PP_E_USAGE;
		}
	}
	pp_buf_addc(out, '{');
	for (i = 0, count = 0; i < n; i++) {
		if (sorted[i].value.n == 0)
			continue;
		if (count++)
			pp_buf_addc(out, ',');
		text_add(out, sorted[i].key);
		pp_buf_addc(out, ':');
		text_add(out, sorted[i].value);
	}
	pp_buf_addc(out, '}');
	return out->failed ? PP_E_NOMEM : PP_OK;
}

/* The next pair; PP_E_UNSUPPORTED when there is none. */
static pp_status
label_read(struct pp_scan *scan, struct pp_arena *texts, struct pp_store_label *label)
{
	struct pp_json_str key, value;

	if (!pp_scan_key(scan, &key))
		return PP_E_UNSUPPORTED;
	if (!pp_scan_string(scan, &value))
		return PP_E_INVALID;
	label->key = pp_json_str_value(key, texts);
	label->value = pp_json_str_value(value, texts);
	if ((label->key.n && !label->key.p) || (label->value.n && !label->value.p))
		return PP_E_NOMEM;
	return label->key.n && label->key.n <= PP_LABEL_KEY_MAX && label->value.n &&
	               label->value.n <= PP_LABEL_VALUE_MAX
	           ? PP_OK
	           : PP_E_INVALID;
}

pp_status
pp_label_set_read(struct pp_label_set *set, struct pp_slice canonical)
{
	unsigned char *copy = pp_arena_alloc(&set->texts, canonical.n + PP_SCAN_PAD);
	struct pp_scan scan;
	pp_status status = PP_OK;

	if (!copy)
		return PP_E_NOMEM;
	if (canonical.n)
		memcpy(copy, canonical.p, canonical.n);
	memset(copy + canonical.n, 0, PP_SCAN_PAD);
	pp_scan_init(&scan, pp_slice_of(copy, canonical.n), 2, PP_SCAN_STRICT);
	if (!pp_scan_object(&scan))
		return PP_E_INVALID;
	while (status == PP_OK) {
		struct pp_store_label label;

		status = label_read(&scan, &set->texts, &label);
		if (status != PP_OK)
			break;
		if (set->n == PP_LABELS_MAX ||
		    (set->n && pp_slice_cmp(set->at[set->n - 1].key, label.key) >= 0))
			return PP_E_INVALID;
		set->at[set->n++] = label;
	}
	if (status != PP_E_UNSUPPORTED)
		return status;
	return pp_scan_end(&scan) ? PP_OK : PP_E_INVALID;
}

struct pp_slice
pp_label_set_get(const struct pp_label_set *set, struct pp_slice key)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (pp_slice_eq(set->at[i].key, key))
			return set->at[i].value;
	return pp_slice_z("");
}

void
pp_label_set_release(struct pp_label_set *set)
{
	pp_arena_release(&set->texts);
	set->n = 0;
}
