/*
 * Profiles out of a store, asked about like files. Internal to src/api.
 */
#ifndef PP_MEMBERS_H
#define PP_MEMBERS_H

#include "api/reply.h"

/* Whether a source is a store. */
bool pp_provider_knows(const struct pp_reply *, const char *source);

/*
 * Whether a source is a store, or was meant as one: where profiles are selected (by an option, or because the caller says so),
 * what is not there or is called as stores are. What is wrong with it is then said as of a store.
 */
bool pp_provider_meant(const struct pp_reply *, const char *source, bool selects);
/*
 * The selected profiles of a store instead of its name; `where`, unless NULL, is one more condition. A status with the
 * reason said, also when nothing is selected.
 */
pp_status pp_members_expand(struct pp_reply *, const char *source, const char *where,
                            pp_file_names *names);
/*
 * Whether the profiles of a store are to be compared by the values of a label (--by label:KEY): then *status, and in *out
 * their names, which are two sides where there are two values; else subject.by says so.
 */
bool pp_members_by_label(struct pp_reply *, const char *source, pp_status *, const char ***out);
/* Takes those out of their selections that do not stay, by place in the list of members; `stays` is used up. */
void pp_members_narrow(struct pp_reply *, bool *stays);
/* Whether what selects profiles had something to select from; PP_E_USAGE, said. */
pp_status pp_members_wanted(struct pp_reply *);
/* What a name that pp_members_expand() gave stands for; NULL when it is a file's. Names are known by their address. */
const struct pp_stored *pp_member_find(const struct pp_reply *, const char *name);
/* Whether every file can be read twice. */
bool pp_files_stay(const struct pp_reply *, const char *const *files, size_t n);
/* All files as one profile if they are the whole of a selection and its store has them so; else PP_E_UNSUPPORTED. */
pp_status pp_members_load_all(struct pp_reply *, const char *const *files, size_t n,
                              const struct pp_order *, struct pp_profile **out);
/*
 * Those of all files that their store adds up at once, as one profile in place of the first; taken[i] says which. As
 * pp_members_load_all() else.
 */
pp_status pp_members_load_most(struct pp_reply *, const char *const *files, size_t n,
                               const struct pp_order *, bool *taken, struct pp_profile **out);
/* What the functions of one cost, if its store has that at hand (pp_provider.load_costs); else PP_E_UNSUPPORTED. */
pp_status pp_member_costs(struct pp_reply *, const char *name, bool timed, struct pp_profile **out);
/* Whether a store lacks something of what it promised, and that was to be no error. */
bool pp_members_lack(const struct pp_reply *);
/* "store": {...} of the answer, where there is one. */
void pp_members_facts(struct pp_reply *);
void pp_members_release(struct pp_reply *);

/* Appends how to ask without that file, when it is of a store: "; --where selects others: ...". */
void pp_member_hint(const struct pp_reply *, const char *file, struct pp_buf *out);

#endif
