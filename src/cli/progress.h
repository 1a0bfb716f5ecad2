/*
 * A progress bar on standard error, for work that takes long enough to wonder about.
 */
#ifndef PP_PROGRESS_H
#define PP_PROGRESS_H

#include "cli/cli.h"

struct pp_progress {
	const struct pp_cli *cli;
	const char *file;
	bool counts_files; /* files are counted, not bytes */
	uint64_t start;    /* ns */
	uint64_t drawn;    /* when it was drawn last; 0 = not yet */
};

/* Prepares; false when no bar is wanted (-q, or standard error is no terminal). */
bool pp_progress_init(struct pp_progress *, const struct pp_cli *, const char *file);
/* To be called now and then (pp_read_opts.progress). Never asks to stop. */
bool pp_progress_tick(void *progress, uint64_t done, uint64_t total);
/* Takes the bar away. Zero-initialised is fine. */
void pp_progress_clear(struct pp_progress *);

#endif
