/*
 * Series by whose costs they are, for formats that name process and thread with each stack.
 */
#ifndef PP_KIT_OWNERS_H
#define PP_KIT_OWNERS_H

#include "base/slice.h"
#include "model/builder.h"

/* Who a stack belongs to, as far as it is known. */
struct pp_owner {
	pp_str event;
	struct pp_slice process, thread; /* their names */
	struct pp_slice context;         /* whatever else there is, as text */
	int64_t pid, tid;                /* -1 = unknown */
};

/* Zero is empty, and to be released. */
struct pp_owners {
	struct pp_strtab known;
	PP_VEC(uint32_t) series; /* by those */
	bool begun;
	struct pp_buf key; /* of the one that is looked for */
};

/* The series of an owner, made when there is none; all of them are sparse. 0 on failure, which the builder knows. */
uint32_t pp_owner_series(struct pp_owners *, struct pp_builder *, const struct pp_owner *);
void pp_owners_release(struct pp_owners *);

/*
 * What keys of an aggregation tell: the first text is the process, the first number its pid; more of them go to `rest`
 * and are the context, which ends with the buffer.
 */
void pp_owner_key(struct pp_owner *, struct pp_slice key, struct pp_buf *rest);

#endif
