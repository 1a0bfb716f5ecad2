/*
 * Attributes (":key=value") and options ("!key=value"), of streams and of Pynytprof's banner.
 */
#ifndef PP_NYTPROF_SETTINGS_H
#define PP_NYTPROF_SETTINGS_H

#include "base/arena.h"
#include "base/vec.h"
#include "model/builder.h"

struct pp_nyt_setting {
	struct pp_slice key, value;
	bool option;
};

struct pp_nyt_settings {
	PP_VEC(struct pp_nyt_setting) rows;
	struct pp_arena arena; /* of copies, where the input does not stay */
};

/* Takes "key=value" apart; false without a '='. */
bool pp_nyt_setting_split(struct pp_slice line, struct pp_nyt_setting *);
/* The same setting as given before, or NULL. */
struct pp_nyt_setting *pp_nyt_setting_find(const struct pp_nyt_settings *, struct pp_slice key,
                                           bool option);
/* Adds one, whose slices are kept or, with `copy`, copied; the last of a key counts. False: no memory. */
bool pp_nyt_setting_set(struct pp_nyt_settings *, struct pp_nyt_setting, bool copy);
/* The value of an attribute or option; empty when it was not given. */
struct pp_slice pp_nyt_setting_value(const struct pp_nyt_settings *, const char *key, bool option);
/* Attributes become metadata, options an object among them. */
void pp_nyt_settings_meta(const struct pp_nyt_settings *, struct pp_builder *);
void pp_nyt_settings_release(struct pp_nyt_settings *);

/* Gives a metric of ticks its factor to nanoseconds. */
void pp_nyt_metric_rate(struct pp_metric *, uint64_t ticks_per_second);

#endif
