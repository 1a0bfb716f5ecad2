/*
 * A question: data in, data out. Every front end fills the same parameters and gets the same answer.
 *
 *     const struct pp_question *top = pp_question_find("top");
 *     struct pp_asking asking;                         the question, its parameters, its answer
 *
 *     pp_asking_init(&asking, top)
 *     pp_asking_set(&asking, "sort", "total", problem)
 *     pp_asking_run(&asking, &subject)                 asking.answer is filled in
 *     pp_render(...)                                   output/render.h
 *     pp_asking_release(&asking)
 */
#ifndef PP_QUESTION_H
#define PP_QUESTION_H

#include "model/order.h"
#include "model/source.h"
#include "questions/answer.h"
#include "questions/budget.h"
#include "questions/param.h"
#include "questions/scope.h"

/* How files are read. */
struct pp_reading {
	const char *from, *variant; /* NULL = recognise it */
	struct pp_texts options;    /* "key=value" for the format */
	bool inlined;               /* the option inline=yes, for formats that know it */
	bool symbolize;             /* names are looked up where the profile has none, */
	const char *binary;         /* in this file, */
	const char *debug_dir; /* in what is below this directory; NULL = where they usually are */
	struct pp_texts maps;  /* source maps and directories of them, for generated scripts */
	uint64_t jobs;         /* PP_UNSET or 0 = one per processor */
	bool strict;           /* damaged input is refused */
	uint64_t max_memory;   /* PP_UNSET or 0 = a share of the machine's */
};

/* What every question takes: the first member of its parameters. */
struct pp_asked {
	struct pp_budget budget;
	bool exact; /* for a script: all rows unless told otherwise, nothing left to the eye */
	pp_rendering_form form; /* that it is printed in */
	const char
	    *output; /* what the output is called: its ending may say what is written; or NULL */
	uint64_t max_output; /* bytes; PP_UNSET = by what is read, 0 = any number */
	bool quiet, verbose; /* which findings matter */
	bool terminal;       /* it is printed on one */
	bool follows;        /* only what changed is asked for: earlier answers told the rest */
	const char *metric;  /* NULL = the primary one */
	struct pp_selecting {
		const char *where, *since, *until, *between;
		bool partial;
		uint64_t max_nodes;
	} store;            /* which profiles of a store; NULL = all */
	bool over_time;     /* PP_ASKS_SERIES: of a store, by time (pp_subject.sequence) */
	const char *base;   /* the file that is subtracted; or NULL */
	unsigned names;     /* enum pp_names */
	bool handles;       /* rows for people begin with them */
	const char *before; /* a second file that it is compared with; or NULL */
	const struct pp_format *const *formats; /* beside those of the library; or NULL */
	struct pp_reading reading;
};

struct pp_bid;
struct pp_diags;
struct pp_brief;
struct pp_excerpt;
struct pp_handles;

/* One profile, and what is known of the file that it was read from. */
struct pp_topic {
	const char *file;                 /* NULL = none */
	pp_status status;                 /* of reading it */
	const struct pp_profile *profile; /* NULL when nothing could be used */
	const struct pp_diags *diags;     /* the findings of reading it, or NULL */
	const struct pp_bid *bids;        /* of all formats, or NULL */
	size_t bid_count;
	const struct pp_format *chosen;   /* of them, or NULL */
	uint64_t file_size;               /* 0 = unknown */
	const struct pp_profile *whole;   /* before filters, where handles are asked for; or NULL */
	const struct pp_handles *handles; /* of that, where they are known already; or NULL */
	uint32_t stamp;                   /* tells its content from another; 0 = unknown */
};

/* A file in a directory that is a profile, by what it tells of itself. */
struct pp_listed {
	const char *path, *base; /* base lies in path */
	const char *name;        /* from the directory on that was asked about; lies in path */
	uint64_t size;           /* with its companion */
	const struct pp_format *format;
	const struct pp_brief *brief;
	int64_t when; /* Unix seconds */
};

/* The profiles of a store, which are read one after the other. */
struct pp_sequence {
	size_t n;
	void *data;
	/* When one began, in ns since 1970, and for how many profiles it stands. */
	void (*when)(void *data, size_t nth, int64_t *begin, uint64_t *profiles);
	/* The value of a label, until the next call; n = 0: it has none. */
	struct pp_slice (*label)(void *data, size_t nth, struct pp_slice key);
	/* Reads one and lets go of the one before: PP_OK, or a status with the reason said. */
	pp_status (*load)(void *data, size_t nth, const struct pp_profile **);
	/* The one that was read last stays as long as the answer; false when out of memory. */
	bool (*keep)(void *data);
};

/* What a question is about: mostly one profile. Comparisons have several; from `split` on they are "after". */
struct pp_subject {
	const struct pp_topic *topics;
	size_t n, split;
	size_t
	    nth; /* PP_ASKS_EACH: the topic that it is asked about now, those before being done with */
	/* Instead of the profiles of topics: pp_asked.over_time, or many runs that are compared; or NULL. */
	const struct pp_sequence *sequence;
	const char *
	    by; /* PP_ASKS_SIDES: the label whose values are compared, where they are more than two; or NULL */
	const struct pp_listed *listed; /* PP_ASKS_FOLDERS */
	size_t listed_count;
	/* A date in the local time of the user, from text (false: it is none) and to text. */
	bool (*date_parse)(const char *text, int64_t *when);
	void (*date_print)(int64_t when, struct pp_buf *);
	const char *directory;    /* the current one, from the root; or NULL */
	const char *const *files; /* that the one profile was merged from */
	size_t file_count;
	/* What stands for them on a command line, NULL at the end: a store and what selects of it; NULL = their names. */
	const char *const *words;
	/* Keys of the labels that the store gives to its profiles, where the question lists labels. */
	const struct pp_slice *label_keys;
	size_t label_key_count;
	/* The text of a source file, as long as the subject lives; NULL when it is not known. */
	pp_source_finder *source; /* NULL = of none */
	void *source_data;
};

/* What it makes besides tables: questions/product.h. */
enum pp_makes {
	PP_MAKES_NOTHING,
	PP_MAKES_JSON, /* what --json prints */
	PP_MAKES_MARKDOWN,
	PP_MAKES_TEXT,
	PP_MAKES_VERDICT,
	PP_MAKES_PICTURE,
	PP_MAKES_GRAPH,
	PP_MAKES_REPORT,
	PP_MAKES_PROFILE
};

/* What has to be read for a question. */
struct pp_want {
	unsigned facets;   /* PP_TREE and so on */
	bool stacks;       /* whole stacks, which are estimated where only calls are known */
	double min_share;  /* up to this share of the whole estimated stacks may be summed up */
	const char *about; /* the only function that matters, as typed; NULL = all do */
	double prune;      /* up to this share of the whole readers may sum up */
	double cut;        /* stacks may end below a branch of less than this share of the whole */
	const struct pp_format *target; /* that is written: its options may be given, too */
	bool rewrites; /* an input of the target's format may go straight into its canonical form */
	bool labels;   /* the answer lists labels, those that a store gives included */
	bool all_frames; /* the question itself sets allocators aside */
	bool merge;      /* PP_ASKS_PICTURE: two files, too */
	bool skips;      /* files that cannot be read or merged are left out; */
	bool can_skip;   /* or could be */
};

struct pp_question {
	const char *name;
	const char *summary;               /* one line */
	const struct pp_param_use *params; /* ended by group NULL */
	size_t params_size;                /* of its struct, which begins with struct pp_asked */
	size_t scope_at;                   /* of the struct pp_scope in it; 0 = it has none */
	/* What needs no name; a text must be given, of texts there may be any number. Or NULL. */
	const struct pp_param *word;
	pp_asks asks;
	bool judges;    /* findings are its answer: they are not told beside it */
	bool per_run;   /* each profile is one measurement, so sums of several are refused */
	unsigned gives; /* PP_GIVES_JSON and so on */
	enum pp_makes makes;
	void (*init)(void *params); /* sets what is not 0 before anything is given; or NULL */
	void (*want)(const void *params, struct pp_want *);
	/* Whether a profile has what it takes, where not all have; or NULL. */
	bool (*answers)(const struct pp_profile *);
	/* Whether the parameters make sense, before anything is read; or NULL. There are no topics yet. */
	pp_status (*ready)(const struct pp_subject *, const void *params, struct pp_answer *);
	/* The same under a budget, questions/excerpt.h; or NULL. It is all there is where `run` is NULL. */
	pp_status (*excerpt)(const struct pp_subject *, const void *params, struct pp_excerpt *);
	/* PP_OK, or a status with the reason said (pp_answer_fail). The subject must outlive the answer. */
	pp_status (*run)(const struct pp_subject *, const void *params, struct pp_answer *);
};

/* Generated from the list in meson.build: all questions, NULL at the end. */
extern const struct pp_question *const pp_questions[];

/* Whether `leaks` has something to say about a profile. */
bool pp_leaks_known(const struct pp_profile *);

const struct pp_question *pp_question_find(const char *name);

/* ---- asking ---- */

struct pp_asking {
	const struct pp_question *question;
	struct pp_asked *params; /* the question's struct */
	struct pp_answer answer;
};

/* False when out of memory. Release it in both cases. */
bool pp_asking_init(struct pp_asking *, const struct pp_question *);
void pp_asking_release(struct pp_asking *);
/*
 * Sets a parameter by name. False when there is none of that name or the value makes no sense: *problem says why. The
 * text is borrowed until the release.
 */
bool pp_asking_set(struct pp_asking *, const char *name, const char *text, struct pp_buf *problem);
/* What is to be seen of what is read; NULL = everything. */
const struct pp_scope *pp_asking_scope(const struct pp_asking *);
/* The values of one of its parameters; NULL when it has no such. */
const struct pp_texts *pp_asking_texts(const struct pp_asking *, const char *name);
/* Whether one of its parameters that are flags is set. */
bool pp_asking_flag(const struct pp_asking *, const char *name);
/* Whether an excerpt is asked for, and whether profiles have to be read whole for the sake of handles. */
bool pp_excerpt_asked(const struct pp_asking *);
bool pp_asking_whole(const struct pp_asking *);
/* The handles of a topic, made when they are not known; NULL when out of memory. */
const struct pp_handles *pp_answer_handles(struct pp_answer *, const struct pp_topic *);
/* What has to be read. */
struct pp_want pp_asking_want(const struct pp_asking *);
/* Whether the parameters make sense, before anything is read: PP_OK, or a status with the reason said. */
pp_status pp_asking_ready(struct pp_asking *, const struct pp_subject *);
/* Asks; the answer stays until the release. Of PP_ASKS_EACH once for each topic. */
pp_status pp_asking_run(struct pp_asking *, const struct pp_subject *);

/* The groups of parameters that help shows, in order; NULL past the last. */
const struct pp_param_group *pp_question_shown(const struct pp_question *, size_t index,
                                               pp_group_place *);

/* ---- groups of parameters that several questions share; at offset 0 unless a struct is named ---- */

extern const struct pp_param_group pp_params_metric; /* metric, limit */

/* struct pp_ranked: metric, sort, limit. */
struct pp_ranked {
	struct pp_asked asked;
	unsigned sort; /* enum pp_sort */
};
extern const struct pp_param_group pp_params_rank;

/* base: what is subtracted. */
extern const struct pp_param_group pp_params_base;
/* struct pp_scope: by, granularity. */
extern const struct pp_param_group pp_params_by;
/* double: rows below this share of the whole are left out. */
extern const struct pp_param_group pp_params_min;
/* uint64_t: how many frames deep. */
extern const struct pp_param_group pp_params_depth;
/*
 * The metric that is asked for, else the primary one; metrics.n in a profile without any. PP_E_USAGE after naming those
 * there are.
 */
pp_status pp_asked_metric(const struct pp_asked *, const struct pp_profile *, struct pp_answer *,
                          size_t *metric);
/* Metrics that are shown beside the one that the rows are sorted by, in the order given. */
struct pp_metrics_beside {
	bool given;
	size_t n;
	size_t metric[16];
};

/* The same where several may be asked for, with commas between them: the first is *metric. */
pp_status pp_asked_metrics(const struct pp_asked *, const struct pp_profile *, struct pp_answer *,
                           size_t *metric, struct pp_metrics_beside *);

#endif
