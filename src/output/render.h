/*
 * From an answer to bytes: text for people, JSON, CSV, Markdown. Each form is a walk over the answer's list; none of
 * them knows a question.
 */
#ifndef PP_RENDER_H
#define PP_RENDER_H

#include "text/colour.h"
#include "questions/answer.h"
#include "text/json_emit.h"
#include "text/shorten.h"

enum pp_form { PP_FORM_TEXT, PP_FORM_JSON, PP_FORM_CSV, PP_FORM_MARKDOWN };

struct pp_render_opts {
	enum pp_form form;
	struct pp_style style; /* of text */
	const char *all_hint;  /* how to see all rows, behind "12 more functions"; NULL = nothing */
	enum pp_names names;   /* of functions */
	bool tame;             /* CSV for a terminal: names are made safe for it */
};

/*
 * Prints an answer within its budget of bytes. *cut (may be NULL) tells what is not shown. PP_E_LIMIT when the budget is
 * too small even without rows, else the status of the sink.
 */
pp_status pp_render(const struct pp_answer *, const struct pp_render_opts *, struct pp_sink *,
                    struct pp_cut *cut);

/* ---- between the forms ---- */

/* One walk over an answer. */
struct pp_rendering {
	const struct pp_answer *answer;
	const struct pp_render_opts *opts;
	struct pp_sink *out;
	struct pp_purse purse;
	struct pp_cut cut;
	struct pp_datum datum;   /* the one fetched last */
	struct pp_buf made;      /* its text, if that had to be made */
	struct pp_buf text;      /* a cell as text */
	struct pp_buf clip;      /* its text, if that had to be clipped */
	struct pp_buf row_bytes; /* a row that is not sure to be printed yet */
	struct pp_sink *row_sink;
	const struct pp_profile *labelled; /* whose metrics these are */
	PP_VEC(const char *) labels;
	struct pp_arena arena; /* of the labels */
};

/* Fetches a datum into r->datum; false when it is not known. */
bool pp_rendering_get(struct pp_rendering *, const struct pp_answer_table *,
                      const struct pp_answer_column *, size_t row, size_t arg);
/* The same, with its text in r->text: as people read it, or exact. Empty when it is not known. */
void pp_rendering_people(struct pp_rendering *, const struct pp_answer_table *,
                         const struct pp_answer_column *, size_t row);
void pp_rendering_exact(struct pp_rendering *, const struct pp_answer_table *,
                        const struct pp_answer_column *, size_t row, size_t arg);
/* The name of a metric of that profile. */
const char *pp_rendering_label(struct pp_rendering *, const struct pp_profile *, size_t metric);
/*
 * Where a row is to be printed: on to the output itself unless bytes are counted. Behind it pp_rendering_row_end() says
 * whether it was within the budget; `more` bytes are needed to end what it has begun.
 */
struct pp_sink *pp_rendering_row(struct pp_rendering *);
bool pp_rendering_row_end(struct pp_rendering *, size_t more);
/* Notes that a table's rows from `shown` on (of its window) are not printed. */
void pp_rendering_cut(struct pp_rendering *, const struct pp_answer_table *, size_t shown);
/* Out of memory somewhere: the sink says so from now on. */
void pp_rendering_failed(struct pp_rendering *);

void pp_answer_print_text(struct pp_rendering *);
void pp_answer_print_json(struct pp_rendering *);
void pp_answer_print_csv(struct pp_rendering *);
void pp_answer_print_markdown(struct pp_rendering *);

#endif
