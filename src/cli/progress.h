/*
 * A progress bar on standard error, for work that takes long enough to wonder about.
 */
#ifndef PP_PROGRESS_H
#define PP_PROGRESS_H

#include "cli/cli.h"

/* Zero-initialised is none yet. */
struct pp_progress {
	uint64_t start; /* ns */
	uint64_t drawn; /* when it was drawn last; 0 = not yet */
};

/* False when no bar is wanted: -q, or standard error is no terminal. */
bool pp_progress_wanted(const struct pp_cli *);
/* To be called now and then; takes the bar away when the work is over. */
void pp_progress_show(struct pp_progress *, const struct pp_cli *, const struct pp_progress_at *);

#endif
