/*
 * The verdict of `gate` as build servers and reviewers read it.
 */
#ifndef PP_VERDICT_H
#define PP_VERDICT_H

#include "io/sink.h"
#include "questions/gate.h"

void pp_verdict_put(struct pp_sink *, const struct pp_gate *, enum pp_gate_form);

/* ---- the forms ---- */

void pp_verdict_markdown(struct pp_sink *, const struct pp_gate *);
void pp_verdict_junit(struct pp_sink *, const struct pp_gate *);
void pp_verdict_github(struct pp_sink *, const struct pp_gate *);
void pp_verdict_sarif(struct pp_sink *, const struct pp_gate *);

/* How many things exceed a limit: functions, or the whole. */
size_t pp_verdict_count(const struct pp_gate_outcome *);
/* One of them; NULL = the whole. */
const struct pp_diff_row *pp_verdict_row(const struct pp_gate *, const struct pp_gate_outcome *,
                                         size_t index);
/* "NAME: 12 ms before, 15 ms after (+25.0%)", the name as it is. */
void pp_verdict_message(const struct pp_gate *, const struct pp_gate_outcome *,
                        const struct pp_diff_row *, struct pp_buf *);

#endif
