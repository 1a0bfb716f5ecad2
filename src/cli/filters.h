/*
 * --focus, --ignore, --hide, --show, --show-from, --event, --thread, --time, --depth and --by: the same
 * words in every command, applied to the profile before the command sees it.
 */
#ifndef PP_FILTERS_H
#define PP_FILTERS_H

#include "cli/cli.h"
#include "model/profile.h"

/* True when any filter was given: ways around the profile (rewriting) are then closed. */
bool pp_filters_given(const struct pp_cli *);
/* What has to be read for a command that wants that, with these filters. */
unsigned pp_filters_want(const struct pp_cli *, unsigned want);
/*
 * Filters and groups a profile as the options say, and says on standard error how much is left. Where whole
 * stacks are needed, by a filter or by who asks (`stacks`), and the profile only knows who called whom, they
 * are estimated, which is said too. Returns 0, or an exit code after saying why.
 */
int pp_filters_apply(struct pp_cli *, struct pp_profile *, bool stacks);

/* The share below which rows are left out (--min), 0 to 1; `otherwise` when not given. Negative: wrong, said. */
double pp_filters_min(const struct pp_cli *, double otherwise);

#endif
