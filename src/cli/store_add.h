/*
 * polyprof store, in parts.
 */
#ifndef PP_CLI_STORE_ADD_H
#define PP_CLI_STORE_ADD_H

#include "cli/stores.h"
#include "store/store.h"

/* What is said of a failure: an exit code. */
int pp_store_failure(const struct pp_cli *, pp_status, const struct pp_buf *problem);
/* Adds files, directories, or what comes into these, to a store; an exit code. */
int pp_store_add(struct pp_cli *, const char *store, const char *const *paths, size_t n);
/* The texts of --where, --since, --until and --between. */
struct pp_provider_texts pp_store_texts(const struct pp_cli *);

/* The other verbs: words behind the store are theirs. */
int pp_store_run_list(struct pp_cli *, const char *source, const char *const *words, size_t n);
int pp_store_run_info(struct pp_cli *, const char *source, const char *const *words, size_t n);
int pp_store_run_get(struct pp_cli *, const char *source, const char *const *words, size_t n);
int pp_store_run_remove(struct pp_cli *, const char *source, const char *const *words, size_t n);
int pp_store_run_check(struct pp_cli *, const char *source, const char *const *words, size_t n);
int pp_store_run_gc(struct pp_cli *, const char *source, const char *const *words, size_t n);
int pp_store_run_compact(struct pp_cli *, const char *source, const char *const *words, size_t n);

#endif
