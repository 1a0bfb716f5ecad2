/*
 * Members of a JSON object, and lists of numbers.
 */
#include "formats/kit/json_members.h"

bool
pp_json_members(struct pp_scan *s, struct pp_json_member *members, size_t n)
{
	struct pp_json_str key;
	size_t i;

	for (i = 0; i < n; i++)
		members[i].type = PP_JSON_NOTHING;
	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s))
		return false;
	while (pp_scan_key(s, &key)) {
		enum pp_json_type type = pp_scan_peek(s);
		struct pp_scan at = *s;

		for (i = 0; i < n && !pp_json_str_eq(key, members[i].key); i++)
			;
		/* What breaks off within a member is there as far as it goes. */
		if (i < n && members[i].type == PP_JSON_NOTHING) {
			members[i].at = at;
			members[i].type = type;
		}
		if (!pp_scan_skip(s, NULL))
			return false;
	}
	return s->error == PP_SCAN_OK;
}

bool
pp_json_member_whole(const struct pp_json_member *m, int64_t *out)
{
	struct pp_scan s = m->at;
	struct pp_json_num num;

	return m->type == PP_JSON_NUMBER && pp_scan_number(&s, &num) && pp_json_num_i64(&num, out);
}

bool
pp_json_member_text(const struct pp_json_member *m, struct pp_slice *out)
{
	struct pp_scan s = m->at;
	struct pp_json_str str;

	if (m->type != PP_JSON_STRING || !pp_scan_string(&s, &str) || str.escaped)
		return false;
	*out = str.raw;
	return true;
}

/* One number; false when it is none for the list. */
static bool
number_take(struct pp_scan *s, struct pp_fixed *fixed, int unit, int64_t *out)
{
	struct pp_json_num num;

	if (!pp_scan_number(s, &num))
		return false;
	return (fixed ? pp_fixed_read(fixed, &num, unit, out) : pp_json_num_i64(&num, out)) &&
	       *out != PP_JSON_NO_NUMBER;
}

static enum pp_json_list
list_read(struct pp_scan s, struct pp_fixed *fixed, int unit, pp_json_numbers *out)
{
	enum pp_json_list result = PP_LIST_FINE;

	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return PP_LIST_ODD;
	while (pp_scan_item(&s)) {
		enum pp_json_type type = pp_scan_peek(&s);
		int64_t value = PP_JSON_NO_NUMBER;

		if (type == PP_JSON_NUMBER ? !number_take(&s, fixed, unit, &value)
		                           : !pp_scan_skip(&s, NULL) || type != PP_JSON_NULL) {
			value = PP_JSON_NO_NUMBER;
			result = PP_LIST_ODD;
		}
		if (!pp_vec_push(out, value))
			return PP_LIST_NO_MEMORY;
	}
	return s.error == PP_SCAN_OK ? result : PP_LIST_ODD;
}

enum pp_json_list
pp_json_numbers_read(struct pp_scan s, pp_json_numbers *out)
{
	return list_read(s, NULL, 0, out);
}

enum pp_json_list
pp_json_numbers_fixed(struct pp_scan s, struct pp_fixed *fixed, int unit, pp_json_numbers *out)
{
	enum pp_json_list result;

	do {
		out->n = 0;
		result = list_read(s, fixed, unit, out);
	} while (result != PP_LIST_NO_MEMORY && pp_fixed_retry(fixed));
	return result;
}
