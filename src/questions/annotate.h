/*
 * Annotated source: whole files, each line with what it costs, who calls the functions that begin there, and what it
 * calls.
 */
#ifndef PP_ANNOTATE_H
#define PP_ANNOTATE_H

#include "analysis/line_calls.h"
#include "analysis/linecost.h"
#include "model/flat.h"
#include "questions/question.h"

struct pp_annotation {
	struct pp_answer *answer;
	const struct pp_subject *subject;
	const struct pp_linecost *lines; /* by place */
	size_t metric;
	double whole;
	uint64_t files; /* that are shown, the costliest first; 0 = all */
	double min;     /* only what is near lines of this share; 0 = whole files */
	bool looked;    /* directories were named */
};

/* For people. PP_OK, or a status. */
pp_status pp_annotation_say(const struct pp_annotation *);
/* "files": [...] */
pp_status pp_annotation_json(const struct pp_annotation *);

#endif
