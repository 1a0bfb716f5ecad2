/*
 * An answer as the public API hands it out: the question, what it was asked about, and all of that kept alive. Internal
 * to src/api.
 */
#ifndef PP_REPLY_H
#define PP_REPLY_H

#include "api/api.h"
#include "api/meter.h"
#include "api/provider.h"
#include "api/source.h"
#include "polyprof/polyprof_experimental.h"
#include "output/html.h"
#include "questions/product.h"
#include "questions/question.h"

/* A column of a table as callers count them: those of metrics are one each. */
struct pp_reply_column {
	const struct pp_answer_column *column;
	size_t arg;
	struct pp_text name, group;
};

struct pp_reply_table {
	const struct pp_answer_table *table;
	struct pp_reply_column *columns;
	size_t n;
};

/* One file, read as far as it could be. */
struct pp_loaded {
	const char *file;
	pp_status status;
	struct pp_opened opened;
	struct pp_keep keep; /* which stacks matter, for its order */
	bool is_open;
	struct pp_profile *profile;        /* NULL when nothing could be used */
	struct pp_diags *diags;            /* the answer's */
	struct pp_supply supply;           /* what a store has of it, while it is open */
	const struct pp_slice *label_keys; /* that the store's labels answer to */
	size_t label_key_count;
	uint64_t nanoseconds; /* that opening and reading took */
};

/* Names of files; those of profiles in a store are known by their address. */
typedef PP_VEC(const char *) pp_file_names;

/* A profile out of a store. */
struct pp_stored {
	struct pp_selected *selected;
	size_t nth;
};

struct pp_members {
	PP_VEC(struct pp_selected *) selections;
	PP_VEC(struct pp_stored) list;
	struct pp_map index; /* of the list, by the address of the name */
};

struct pp_reply {
	struct pp_asking asking;
	struct pp_ask_opts opts;
	struct pp_view views[2]; /* of profiles that were handed in */
	struct pp_topic *topics; /* in the answer's memory */
	struct pp_subject subject;
	struct pp_meter meter;    /* of memory; of questions about files */
	uint64_t input_bytes;     /* of the files read so far, 0 = unknown */
	const char *reading_file; /* that is read now */
	struct pp_sources sources;
	struct pp_folders *folders;    /* PP_ASKS_FOLDERS, or a directory instead of files */
	struct pp_members members;     /* that the question is about */
	struct pp_demangled demangled; /* names that they share */
	bool from_directory;           /* what cannot be merged is left out, and said */
	bool from_store;               /* or out of one */
	size_t left_out; /* profiles of stores that do not measure what the others do */
	size_t second;   /* of two sources, one of them a store: where the second begins; else 0 */
	struct pp_loaded rewritten; /* opened, and to be read when it is written */
	PP_VEC(struct pp_reply_table) tables;
	struct pp_html_tables *pieces; /* of a report, for its viewer; NULL until asked for */
	struct pp_buf made;            /* the text of the cell that was asked for last */
};

/* A new reply with its parameters set: PP_OK, or a status with the reason said; *out is NULL when out of memory. */
pp_status pp_reply_new(const char *question, const char *const *params, const struct pp_ask_opts *,
                       struct pp_reply **out);
/* Lists the tables that have a name and whose rows can be looked up; false when out of memory. */
bool pp_reply_tables(struct pp_reply *);
/* Tells the content of a file, or of a profile out of a store, from another; 0 = unknown. */
uint32_t pp_topic_stamp(struct pp_reply *, const char *file);
/* What a view is made for. */
struct pp_seen_for pp_reply_seen_for(const struct pp_reply *, const struct pp_want *);

/* Source text comes from the directories that `source` names, if it has such; false when out of memory. */
bool pp_reply_sources(struct pp_reply *);

/* Says that the limit of memory was what stopped it, if that is so. */
void pp_reply_memory(struct pp_reply *, pp_status);

/* ---- files ---- */

/* What is read of one file. */
struct pp_load_order {
	struct pp_want want;
	const struct pp_filter *filter; /* that stacks may go through as they come, or NULL */
	bool filter_stacks;             /* as pp_order.filter_stacks */
	const struct pp_slice
	    *label_keys; /* that the question names or, if it lists labels, all of a store */
	size_t label_key_count;
	bool all_labels;  /* labels with other keys matter as well, if the files have them */
	const char *base; /* what is subtracted, or NULL */
	unsigned
	    at_once; /* facets that do where a store adds its profiles up itself; 0 = those wanted */
	bool again;  /* files are read once more: what was said of them stays said */
};

/* Whether the format to read, if one is named, can be; a status with the reason said. */
pp_status pp_load_from_check(struct pp_reply *);
/* Opens a file and lets the formats bid; l->status tells how it went. A status for wrong options (said). */
pp_status pp_loaded_open(struct pp_reply *, const char *file, const struct pp_load_order *,
                         struct pp_loaded *);
/* Makes a profile one of which something is subtracted, or that is. A status with the reason said. */
pp_status pp_load_turn(struct pp_reply *, struct pp_profile **, bool negate);
/* What is said of a file that could not be read, and how fast one was. */
void pp_loaded_failure(struct pp_reply *, const struct pp_loaded *);
void pp_loaded_speed(struct pp_reply *, const struct pp_loaded *);
void pp_load_progress(const struct pp_reply *, struct pp_progress_at);
uint64_t pp_load_clock(void); /* ns */

/* Says that files were merged, where neither the question nor who found them in a directory does. */
void pp_merged_note(struct pp_reply *, const char *const *files, size_t n);
/* All files as one profile: PP_OK, or a status with the reason said. */
pp_status pp_load_files(struct pp_reply *, const char *const *files, size_t n,
                        const struct pp_load_order *, struct pp_profile **out);
/* Sets which labels matter. A status with the reason said. */
pp_status pp_load_labels(struct pp_reply *, const char *const *files, size_t n,
                         struct pp_load_order *);
/* Whether files are read whole, and filtered when they are there. */
bool pp_topic_wants_whole(const struct pp_reply *);
/* The same as a topic that knows the profile as it was read, beside what filters leave of it. */
pp_status pp_topic_whole(struct pp_reply *, const char *const *files, size_t n,
                         const struct pp_load_order *, size_t topic);
/* Makes what is on the shelf a topic as it is; false when it is not there. */
bool pp_topic_shelved(struct pp_reply *, const char *file, size_t topic);
/* The same with what checking it found; false when that is not known. */
bool pp_topic_judged(struct pp_reply *, const char *file, size_t topic);
/* Keeps what checking a file found beside its profile, where that is on the shelf. */
void pp_topic_judge(struct pp_reply *, const struct pp_loaded *);
/* Lets go of the input and the profile, keeps the findings. */
void pp_loaded_drop(struct pp_reply *, struct pp_loaded *);
/*
 * Tells the findings and decides: PP_OK when the profile may be used, else a status with the reason said. A damaged file
 * may not when that is forbidden.
 */
pp_status pp_loaded_verdict(struct pp_reply *, const struct pp_loaded *, bool again);
/* Reads what was opened. */
void pp_loaded_read(struct pp_reply *, struct pp_loaded *);
/* Tells the findings of a file, or of what was written. */
void pp_reply_findings(const struct pp_reply *, const struct pp_diags *);

/* ---- directories ---- */

struct pp_folders;
/* Looks at the files in directories: the subject lists those that are profiles. A status with the reason said. */
pp_status pp_folders_look(struct pp_reply *, const char *const *paths, size_t n, bool recursive);
void pp_folders_free(struct pp_folders *);
/* For a subject: dates in local time. */
bool pp_date_parse(const char *text, int64_t *when);
void pp_date_print(int64_t when, struct pp_buf *);

#endif
