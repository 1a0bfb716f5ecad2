/*
 * --focus, --ignore, --hide, --show, --show-from, --event, --thread, --time, --depth and --by: the same
 * words in every command, applied to the profile before the command sees it.
 */
#ifndef PP_FILTERS_H
#define PP_FILTERS_H

#include "analysis/view.h"
#include "cli/cli.h"

/* True when any filter was given: ways around the profile (rewriting) are then closed. */
bool pp_filters_given(const struct pp_cli *);
/* What has to be read for a command that wants that, with these filters. */
unsigned pp_filters_want(const struct pp_cli *, unsigned want);
/*
 * Filters and groups a profile as the options say, and says on standard error how much is left. Where whole
 * stacks are needed, by a filter or by who asks (`stacks`), and the profile only knows who called whom, they
 * are estimated, which is said too. Returns 0, or an exit code after saying why.
 */
int pp_filters_apply(struct pp_cli *, struct pp_view *, bool stacks);

/* Whether the filters are such that stacks can go through them as they come; if so, and only then, in *f. */
bool pp_filters_simple(const struct pp_cli *, struct pp_filter *f);
/* What pp_filters_apply() says and returns, of a profile whose reader has applied that filter. */
int pp_filters_say(struct pp_cli *, const struct pp_profile *);

/* The share below which rows are left out (--min), 0 to 1; `otherwise` when not given. Negative: wrong, said. */
double pp_filters_min(const struct pp_cli *, double otherwise);

#endif
