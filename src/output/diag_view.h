/*
 * Diagnostics for people: `file:12:34: error: message [rule]`, `file@0x1f3c: ...` for binary places.
 */
#ifndef PP_DIAG_VIEW_H
#define PP_DIAG_VIEW_H

#include "base/diag.h"
#include "io/sink.h"
#include "text/colour.h"
#include "questions/findings.h"

/* One finding in one line. */
void pp_diag_print(const struct pp_diag *, const struct pp_style *, struct pp_sink *);
/*
 * All findings of at least a severity, at most `shown` (0 = all that were kept) of each rule, then how
 * many more there are.
 */
void pp_diags_print(const struct pp_diags *, pp_severity at_least, size_t shown,
                    const struct pp_style *, struct pp_sink *);

#endif
