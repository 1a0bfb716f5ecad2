/*
 * What functions are for, by their names: taking locks, input and output, and so on. docs/findings.md lists the table.
 */
#ifndef PP_NAME_CLASS_H
#define PP_NAME_CLASS_H

#include "base/slice.h"

enum pp_name_class {
	PP_CLASS_NONE,
	PP_CLASS_LOCK,
	PP_CLASS_IO,
	PP_CLASS_GC,
	PP_CLASS_ALLOC,
	PP_CLASS_REGEX,
	PP_CLASS_STARTUP,
	PP_CLASSES
};

/* The table, made ready for many names. */
struct pp_name_classes {
	uint16_t beginning[256], ending[256]; /* 1 + the first word by that byte */
	uint16_t next[256];                   /* by 1 + a word */
};

void pp_name_classes_init(struct pp_name_classes *);
enum pp_name_class pp_name_class(const struct pp_name_classes *, struct pp_slice name);
/* "lock" and so on. */
const char *pp_name_class_text(enum pp_name_class);

#endif
