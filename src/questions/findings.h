/*
 * Findings in answers, in the order of the input.
 */
#ifndef PP_FINDINGS_H
#define PP_FINDINGS_H

#include "base/diag.h"
#include "questions/answer.h"

const char *pp_severity_name(pp_severity);
enum pp_ink pp_severity_ink(pp_severity);

/* The findings in the order of the input, whatever order several threads made them in. */
struct pp_diag_order {
	const struct pp_diag **at;
	size_t n;
};

/* False when out of memory. */
bool pp_diag_order_init(struct pp_diag_order *, const struct pp_diags *);
void pp_diag_order_release(struct pp_diag_order *);

/*
 * "diagnostics": [...], and "omitted": N when more were found than kept. For people a question says itself what it has
 * to. The findings must outlive the answer.
 */
void pp_answer_findings(struct pp_answer *, const struct pp_diags *);
/* For people: one in a line, those of at least a severity, `shown` of each rule (0 = all). */
void pp_answer_list_findings(struct pp_answer *, const struct pp_diags *, pp_severity least,
                             size_t shown);
/* Those of several files in one table, for CSV. */
void pp_answer_findings_of(struct pp_answer *, const struct pp_diags *const *, size_t n);

#endif
