/*
 * "Did you mean": the nearest of some known words, by how many keystrokes apart they are.
 */
#ifndef PP_SUGGEST_H
#define PP_SUGGEST_H

#include "base/buf.h"
#include "base/common.h"

struct pp_suggest {
	struct pp_slice word; /* what was typed */
	struct pp_slice best; /* the nearest so far */
	unsigned distance;    /* its distance; UINT_MAX = none yet */
};

void pp_suggest_init(struct pp_suggest *, struct pp_slice word);
/* Considers a known word, which must outlive the struct. Of equally near ones the first stays. */
void pp_suggest_offer(struct pp_suggest *, struct pp_slice candidate);
/* True when the nearest is near enough to be meant. */
bool pp_suggest_found(const struct pp_suggest *);
/* Appends "; did you mean 'PREFIXbest'?" when one was found. */
void pp_suggest_print(const struct pp_suggest *, struct pp_buf *, const char *prefix);
/* Appends a word as a shell takes it: quoted when it needs that. */
void pp_suggest_word(struct pp_buf *, const char *word);

#endif
