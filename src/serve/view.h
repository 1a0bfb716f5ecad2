/*
 * Views: what the web app asks for, and what the server keeps of it between two questions. Internal to src/serve.
 */
#ifndef PP_SERVE_VIEW_H
#define PP_SERVE_VIEW_H

#include "serve/serve.h"

/* What is read of a file that was dropped: all that a report shows. */
#define PP_DROPPED_FACETS (PP_TREE | PP_EDGES | PP_LINES | PP_META | PP_TIMELINE)

/* A file that was dropped into the page: it is in memory, and nowhere else. */
struct pp_dropped {
	char name[32];   /* how it is asked for */
	char *title;     /* what the file was called */
	uint64_t bytes;  /* as they were sent */
	uint64_t memory; /* that the profile takes */
	int64_t when;    /* seconds since 1970 */
	pp_profile *profile;
	unsigned users;
};

struct pp_views {
	pthread_mutex_t lock;
	PP_VEC(struct pp_desk *) desks;
	PP_VEC(struct pp_dropped *) dropped; /* the newest last */
	uint64_t clock, serial;
};

/* A question of the web app. */
struct pp_view_asked {
	PP_VEC(const char *) files;  /* sources, or names of what was dropped */
	PP_VEC(const char *) params; /* "NAME=VALUE" for "report", NULL at the end */
	struct pp_dropped *dropped[2];
	const char *key;       /* which profiles */
	const char *scope;     /* which part of them */
	const char *given;     /* the stamp that an earlier piece had, or NULL */
	bool changed;          /* that is not what the files have now */
	bool gone;             /* and what it says is not kept */
	bool waits;            /* the exchange is asked again when others are served */
	uint64_t stamp, bytes; /* of the files */
	uint64_t at, nodes, from;
	uint64_t memory;        /* bytes that reading may take */
	struct pp_views *views; /* of which it uses what was dropped */
	const char *lines;      /* the file whose lines are asked for, or NULL */
	bool functions;
	bool anew; /* what was asked before may be out of date */
};

/* Reads the query; false when it is wrong, which is answered. Release it in any case. */
bool pp_view_read(struct pp_serve *, struct pp_exchange *, struct pp_view_asked *);
void pp_view_asked_release(struct pp_view_asked *);

/* Frees all that was dropped. */
void pp_dropped_release(struct pp_views *);
/* What is called so, which stays until pp_dropped_give(); NULL when it is not there any more. */
struct pp_dropped *pp_dropped_take(struct pp_views *, const char *name);
void pp_dropped_give(struct pp_views *, struct pp_dropped *);
/* Whether a name is that of something dropped, there or not. */
bool pp_is_dropped(const char *name);

#endif
