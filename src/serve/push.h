/*
 * Profiles that are pushed: requests to profiles with labels, and those into the store.
 *
 *     push.c          what all endpoints share: unpacking, labels, limits; one thread that commits many at once
 *     push_ingest.c   /ingest (Pyroscope), /v1/profiles (Coroot), /api/v1/add (anything)
 *     push_series.c   Connect push (Grafana Alloy), Parca: series of profiles in protobuf or JSON
 *     push_otlp.c     OpenTelemetry
 *     push_type.c     the label `type`
 *
 * 200 is said after the commit, so what was acknowledged is there. The same request again is the same profile.
 */
#ifndef PP_PUSH_H
#define PP_PUSH_H

#include "serve/serve.h"
#include "store/label_set.h"
#include "store/store.h"

/* Different sets of labels that are taken in one life of the server. */
#define PP_SERIES_MAX 20000
/* Profiles in one request. */
#define PP_PUSH_PROFILES 4096

/* One request on its way into the store. */
struct pp_push {
	struct pp_exchange *exchange;
	struct pp_serve *serve;
	struct pp_push *next;
	struct pp_slice body; /* unpacked once where the request says that it is packed */
	struct pp_buf unpacked;
	uint64_t left;                                   /* unpacked bytes that may still come */
	struct pp_store_label labels[PP_LABELS_MAX + 1]; /* of the profile that is read */
	size_t label_count;
	bool many_labels;
	bool damaged; /* profiles of which a part is missing are taken, too */
	/*
	 * A profile with errors is left out, and the others are taken: pp_push_profile() returns false then without an answer,
	 * and the first reason is in `why`.
	 */
	bool selective;
	struct pp_buf why;
	/* Puts an error into the exchange as the protocol wants it; NULL = as all else is answered. */
	void (*fail)(struct pp_exchange *, unsigned status, const char *rule, const char *message);
	PP_VEC(struct pp_store_prepared *) items;
	PP_VEC(struct pp_store_result) results;
	bool has_t0, has_t1;
	int64_t t0, t1, now;
	/* What 200 says: */
	const char *type, *answer; /* NULL: what became of the profiles */
};

/* Begins a request: its body unpacked, its query read. NULL: it was answered. */
struct pp_push *pp_push_begin(struct pp_serve *, struct pp_exchange *, struct pp_query *);
/* Hands it to the thread that commits, or answers what is wrong with it. The push is gone then. */
void pp_push_end(struct pp_push *);
/* Refuses it: the first reason stays. Always false. */
bool pp_push_refuse(struct pp_push *, unsigned status, const char *rule, const char *message);

void pp_push_labels_clear(struct pp_push *);
/*
 * Adds a label to those of the next profile; names of a service become `service`. False when it was given before with another
 * value, which it replaces.
 */
bool pp_push_label(struct pp_push *, struct pp_slice key, struct pp_slice value);
/* Takes one profile with these labels; `from` is its format, NULL = recognise it. False: it is refused. */
bool pp_push_profile(struct pp_push *, struct pp_slice bytes, const char *name, const char *from);
/* Adds the label `type`, unless the sender gave one. */
void pp_push_type(struct pp_push *, struct pp_slice type);
/* Takes a profile of pprof with these labels, and with the label `type` by what it measures. */
bool pp_push_pprof(struct pp_push *, struct pp_slice bytes, const char *name);
/* Unpacks a profile, however often it is packed; false when it is not, or cannot be: whoever reads it says why. */
bool pp_push_unpack(struct pp_push *, struct pp_slice bytes, struct pp_buf *out);
/* A time in seconds, milliseconds, microseconds or nanoseconds since 1970, by its size, or as --since takes it. */
bool pp_push_time(struct pp_push *, const char *text, bool *has, int64_t *ns);

/* ---- the thread that commits ---- */

struct pp_writer;
/* NULL, *code and *problem: the store cannot be written into. */
struct pp_writer *pp_writer_new(struct pp_serve *, const char *store, int *code,
                                struct pp_buf *problem);
/* Works off what waits, and ends. */
void pp_writer_free(struct pp_writer *);

struct pp_writer_counts {
	_Atomic uint64_t added, known, refused, busy, commits, failed, samples, waiting, series;
};
const struct pp_writer_counts *pp_writer_counts(const struct pp_writer *);

#endif
