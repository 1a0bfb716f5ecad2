/*
 * A format that is one JSON document: all of it in memory, findings by place in any order, and the one error at which the
 * document breaks off.
 */
#ifndef PP_KIT_JSON_DOC_H
#define PP_KIT_JSON_DOC_H

#include "formats/kit/json_pass.h"
#include "formats/kit/meta_json.h"
#include "formats/kit/whole.h"

struct pp_json_doc {
	struct pp_reader *reader;
	struct pp_builder *b;
	const struct pp_rule *rules;
	struct pp_slice text; /* without a byte order mark */
	bool bom;
	struct pp_whole whole;
	struct pp_diags diags; /* with offsets; lines are counted at the end */
	struct pp_arena arena; /* for strings with escapes */
	/* Where the document is broken first, if it is. */
	const unsigned char *broken_at;
	enum pp_scan_error broken;
};

pp_status pp_json_doc_open(struct pp_json_doc *, struct pp_reader *, struct pp_builder *,
                           const struct pp_rule *rules);
/* Forgets what was found and built; false when out of memory. */
bool pp_json_doc_restart(struct pp_json_doc *);
/* Hands over what was found; the document is broken as `cut` (it ends in the middle) or `json` says. */
void pp_json_doc_close(struct pp_json_doc *, unsigned cut, unsigned json);

/* A finding at a byte (NULL = nowhere). An error, or what leaves something out, makes the profile incomplete. */
void pp_json_find(struct pp_json_doc *, unsigned rule, const unsigned char *at, const char *fmt,
                  ...) PP_PRINTF(4, 5);
/* Scans from a byte on; a scanner that ended in an error is to be told of. */
struct pp_scan pp_json_doc_scan(const struct pp_json_doc *, const unsigned char *from);
void pp_json_doc_scanned(struct pp_json_doc *, const struct pp_scan *);
/* A string as one of the builder's. */
pp_str pp_json_doc_str(struct pp_json_doc *, struct pp_json_str);

/* Passes the value that comes next; true, and the number or string, when it is one. */
bool pp_scan_if_number(struct pp_scan *, struct pp_json_num *);
bool pp_scan_if_string(struct pp_scan *, struct pp_json_str *);
/* A whole number of 0 to `most`. */
bool pp_scan_if_count(struct pp_scan *, uint64_t most, uint64_t *);

#endif
