/*
 * speedscope's own JSON, between its files.
 */
#ifndef PP_SPEEDSCOPE_H
#define PP_SPEEDSCOPE_H

#include "formats/author.h"
#include "formats/kit/json_doc.h"

#define SPEEDSCOPE_SCHEMA "https://www.speedscope.app/file-format-schema.json"
/* What a sample without frames is. */
#define SPEEDSCOPE_NO_STACK "[no stack]"

extern const struct pp_format pp_format_speedscope;

/* The layout of stacks whose order is made up. */
#define SPEEDSCOPE_LAID_OUT "aggregated"

enum {
	SPEEDSCOPE_JSON,
	SPEEDSCOPE_CUT,
	SPEEDSCOPE_SHAPE,
	SPEEDSCOPE_TYPE,
	SPEEDSCOPE_LENGTHS,
	SPEEDSCOPE_NUMBER,
	SPEEDSCOPE_FRAME_INDEX,
	SPEEDSCOPE_EVENT_ORDER,
	SPEEDSCOPE_EVENT_CLOSE,
	SPEEDSCOPE_EVENT_TYPE,
	SPEEDSCOPE_SCHEMA_RULE,
	SPEEDSCOPE_UNIT,
	SPEEDSCOPE_RANGE,
	SPEEDSCOPE_RANGE_WRONG,
	SPEEDSCOPE_ACTIVE,
	SPEEDSCOPE_NAME,
	SPEEDSCOPE_OPEN,
	SPEEDSCOPE_WEIGHT_NEGATIVE,
	SPEEDSCOPE_DIGITS,
	SPEEDSCOPE_DIGITS_FINE,
	SPEEDSCOPE_EMPTY,
	SPEEDSCOPE_BOM,
	SPEEDSCOPE_RULES
};

extern const struct pp_rule pp_speedscope_rules[];

/* What the profiles of a file count; each is one metric. */
enum speedscope_metric { SPEEDSCOPE_TIME, SPEEDSCOPE_BYTES, SPEEDSCOPE_WEIGHT, SPEEDSCOPE_METRICS };

struct speedscope_unit {
	const char *word;
	enum speedscope_metric metric;
	int decimals; /* of a second */
};

/* By word; NULL when it is none of them. */
const struct speedscope_unit *pp_speedscope_unit(struct pp_json_str word);

pp_status pp_speedscope_read(struct pp_reader *, struct pp_builder *);
pp_status pp_speedscope_write(struct pp_writer *);

#endif
