/*
 * From file names to profiles: opens, recognises, reads, tells what is wrong.
 */
#ifndef PP_LOAD_H
#define PP_LOAD_H

#include "api/api.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "questions/question.h"

/* What is read, and what is to be seen of it. Zeroed is everything as it is. */
struct pp_load_order {
	struct pp_want want;
	const struct pp_scope *scope;   /* NULL = everything */
	const char *metric;             /* that estimates go by; NULL = the primary one */
	const struct pp_filter *filter; /* that stacks may go through as they come, or NULL */
	double prune;                   /* share of the whole that readers may sum up */
	const struct pp_format *target; /* that is written: its options may be given, too */
	bool again; /* files are read once more: what was said of them stays said */
};

/* One file, read as far as it could be. */
struct pp_loaded {
	const char *file;
	pp_status status;
	struct pp_opened opened;
	struct pp_keep keep; /* which stacks matter, for its order */
	bool is_open;
	struct pp_profile *profile; /* NULL when nothing could be used */
	struct pp_diags diags;
	const char **options;
	struct pp_progress progress;
	uint64_t nanoseconds; /* that opening and reading took */
};

/* What commands read unless they need more. */
#define PP_LOAD_WANT (PP_TREE | PP_EDGES | PP_LINES | PP_META)

/*
 * The files to read: the words from `first` on, or standard input when there are none and something is
 * piped in. Returns 0; or PP_EXIT_USAGE after saying how the command is used.
 */
int pp_load_files(struct pp_cli *, size_t first, const char *const **files, size_t *n);

/*
 * Opens a file and lets the formats bid; nothing is printed. Returns 0, or an exit code for wrong
 * options (said). loaded->status tells how it went. Always release it.
 */
int pp_load_open(struct pp_cli *, const char *file, const struct pp_load_order *,
                 struct pp_loaded *);
/* Reads what was opened; nothing is printed. */
void pp_load_read(struct pp_loaded *);
/* Lets go of the input and the profile, keeps the findings. */
void pp_loaded_drop(struct pp_loaded *);
void pp_loaded_release(struct pp_loaded *);
/*
 * Prints the findings and decides: 0 when the profile may be used, else an exit code. Under --strict a
 * damaged file may not.
 */
int pp_load_verdict(struct pp_cli *, const struct pp_load_order *, const struct pp_loaded *);
/* With -v: says how much was read and how fast. */
void pp_load_said(const struct pp_cli *, const struct pp_loaded *);
/* The exit code of a status. */
int pp_load_exit(pp_status);

/*
 * All of it for commands that want one profile: reads each file, prints the findings, merges, filters. Returns
 * 0 and a profile that the caller frees, or an exit code (the reason is said).
 */
int pp_load_profile(struct pp_cli *, const char *const *files, size_t n,
                    const struct pp_load_order *, struct pp_profile **out);

/* The same of what the options of a command that is no question want to be seen. */
int pp_load_by_options(struct pp_cli *, const char *const *files, size_t n,
                       const struct pp_load_order *, struct pp_profile **out);
/* Whether those options filter or group: ways around the profile (rewriting) are then closed. */
bool pp_load_narrowed(const struct pp_cli *);
/* Prints notes and errors. */
void pp_load_notes(const struct pp_cli *, const struct pp_answer *);

/*
 * The metric named by -m, else the primary one. Returns 0, or PP_EXIT_USAGE after naming those there
 * are. A profile without metrics gives metrics.n.
 */
int pp_load_metric(struct pp_cli *, const struct pp_profile *, size_t *metric);

#endif
