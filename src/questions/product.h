/*
 * What a question makes besides tables: a picture, a report, a profile in some format, a text of its own. The question
 * chooses what goes into it; whoever prints the answer draws and writes it.
 */
#ifndef PP_PRODUCT_H
#define PP_PRODUCT_H

#include "analysis/call_net.h"
#include "analysis/digest.h"
#include "analysis/flame.h"
#include "formats/format.h"
#include "questions/gate.h"
#include "questions/question.h"

struct pp_product {
	enum pp_makes kind;
	struct pp_slice text;                             /* TEXT */
	const struct pp_flame *flame;                     /* PICTURE */
	struct pp_flame_style style;                      /* PICTURE */
	const struct pp_profile *profiles[PP_DIGEST_MAX]; /* REPORT; PROFILE: the first */
	size_t n;
	const struct pp_net *net;           /* GRAPH */
	const char *net_title, *net_pruned; /* GRAPH; what was left out, or NULL */
	bool net_svg;                       /* GRAPH: laid out by Graphviz */
	const char *net_instead;            /* GRAPH: the options that write it without */
	const struct pp_gate *gate;         /* VERDICT */
	enum pp_gate_form gate_form;
	struct pp_html_opts report;
	const struct pp_format *target; /* PROFILE */
	struct pp_write_opts write;     /* PROFILE */
};

/* How a profile is written. */
struct pp_target {
	const char *to, *variant;
	bool lossless;
};

/*
 * The format that is named, or that the output's ending says. PP_OK, or a status with the reason said: none is named, it
 * has no such variant, or the file would be misread ever after.
 */
pp_status pp_target_find(const struct pp_target *, const struct pp_asked *, struct pp_answer *,
                         const struct pp_format **);
/* A profile to be written so; it must outlive the answer. */
pp_status pp_target_make(const struct pp_target *, const struct pp_asked *,
                         const struct pp_profile *, struct pp_answer *);

#endif
