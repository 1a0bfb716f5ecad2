/*
 * What writing keeps in mind. Internal to src/formats/firefox.
 */
#ifndef PP_FIREFOX_WRITE_H
#define PP_FIREFOX_WRITE_H

#include "formats/firefox/firefox.h"

#define NO_METRIC SIZE_MAX

/* What of a thread is written: a sample, or what was allocated. */
struct entry {
	int64_t time;
	uint32_t row; /* in the order of the profile, for what has the same time */
	pp_node node;
	int64_t value, cpu;
};

struct ff_write {
	struct pp_writer *w;
	const struct pp_profile *p;
	struct pp_json j;
	bool old;                     /* version 47 */
	size_t main, cpu, js, native; /* metrics, or NO_METRIC */
	enum ff_metric as;            /* what the main one is */
	struct pp_strtab strings;
	uint32_t *series; /* in the order of threads */
	PP_VEC(struct entry) entries;
	bool *written; /* by node */
	uint64_t samples;
	bool laid; /* times are made up */
	bool spans;
	pp_i128 first, last; /* ns that readers will see, where it spans any */
	bool failed;
};

/* A cell, null where it is not known. */
void ff_null_or(struct pp_json *, bool known, uint64_t v);
/* A column that says the same of all rows. */
void ff_column_of_same(struct ff_write *, const char *key, size_t n, const char *text);
/* All tables that stacks need, strings last. */
void ff_tables_put(struct ff_write *);

#endif
