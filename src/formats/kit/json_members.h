/*
 * Members of a JSON object in any order: a format names those it wants, all of the object is checked, and where each stands is
 * noted, to be read in the order that suits. And long lists of numbers out of such members.
 */
#ifndef PP_KIT_JSON_MEMBERS_H
#define PP_KIT_JSON_MEMBERS_H

#include "base/vec.h"
#include "formats/kit/fixed.h"
#include "text/json_scan.h"

struct pp_json_member {
	const char *key;
	struct pp_scan at;      /* before its value */
	enum pp_json_type type; /* PP_JSON_NOTHING: it is not there */
};

/*
 * Passes the object that comes next. False when it is none (nothing is passed then) or breaks off; members before that are
 * noted. Of keys that come twice the first counts.
 */
bool pp_json_members(struct pp_scan *, struct pp_json_member *members, size_t n);

/* The value of a member that is a whole number, or a text without escapes; false when it is none. */
bool pp_json_member_whole(const struct pp_json_member *, int64_t *);
bool pp_json_member_text(const struct pp_json_member *, struct pp_slice *);

/* What null is in lists of numbers. */
#define PP_JSON_NO_NUMBER INT64_MIN

typedef PP_VEC(int64_t) pp_json_numbers;

enum pp_json_list { PP_LIST_FINE, PP_LIST_ODD, PP_LIST_NO_MEMORY };

/*
 * All whole numbers of an array. What is neither one of 64 bits nor null is PP_JSON_NO_NUMBER, too, and the result
 * PP_LIST_ODD, as it is for what is no array.
 */
enum pp_json_list pp_json_numbers_read(struct pp_scan, pp_json_numbers *);
/* The same of any numbers, whose unit is 10^-unit; it is known in the end what cells are. */
enum pp_json_list pp_json_numbers_fixed(struct pp_scan, struct pp_fixed *, int unit,
                                        pp_json_numbers *);

#endif
