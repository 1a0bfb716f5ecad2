/*
 * What became of each function, packed as the viewer's other tables are.
 *
 *     meta         {"rule", "status" of the whole, "runs": [before, after], "next": the row where more begins, or 0}
 *     func.*       name, file, module and line; a function that both sides spell differently is there by either
 *     self, total  its verdicts: enum pp_diff_status
 */
#ifndef PP_HTML_VERDICTS_H
#define PP_HTML_VERDICTS_H

#include "analysis/diff.h"

/*
 * The rows of a comparison from `from` on, as many as fit into `max_size` bytes, in place of what `out` held. PP_E_NOMEM;
 * PP_E_LIMIT: not even one fits.
 */
pp_status pp_html_verdicts(const struct pp_diff *, size_t from, size_t max_size,
                           struct pp_buf *out);

#endif
