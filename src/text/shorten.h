/*
 * Names that fit: what tells one from another stays longest.
 */
#ifndef PP_SHORTEN_H
#define PP_SHORTEN_H

#include "base/buf.h"
#include "base/slice.h"

/*
 * Appends a name that is safe for a terminal in at most `columns` columns; returns the columns taken.
 * In this order, as much as needed: " [clone .isra.0]" becomes " [isra]", the return type goes, then
 * callgrind's level of recursion and callers (f'2'main), template arguments and parameters become
 * an ellipsis, and namespaces, packages and directories go. Only a function whose own name is still
 * wider loses its middle.
 */
size_t pp_name_shorten(struct pp_buf *, const char *name, size_t n, size_t columns);

/* Between names that share a line, each of which calls the next. Of such a chain the end stays longest, then the first. */
#define PP_CHAIN_ARROW " \xe2\x80\xba "
/* Between names each of which is called by the next: then it is the beginning that stays longest. */
#define PP_CHAIN_BACK " \xe2\x80\xb9 "
/* Where the last name of a chain begins. */
size_t pp_chain_last(const char *chain, size_t n);
/* The name that a chain leads to: its last, or the first of one that leads back. */
struct pp_slice pp_chain_name(const char *chain, size_t n);

/* How much of names is shown, as `--names` says. */
enum pp_names {
	PP_NAMES_FIT,   /* as much as there is room for */
	PP_NAMES_SHORT, /* never what stands in brackets */
	PP_NAMES_FULL   /* all of it */
};

/* What names that are to be short take at most, in columns. */
#define PP_NAMES_SHORT_MOST 60

/* The same as people want it. There is always room for a full name, unless `cut`: then its end is what goes. */
size_t pp_name_fit(struct pp_buf *, const char *name, size_t n, size_t columns, enum pp_names,
                   bool cut);

/*
 * The same for a name that looks like another one when it is shortened: from byte `differs` on they are not the
 * same, and some of that stays. False, and nothing appended, when that does not fit.
 */
bool pp_name_shorten_apart(struct pp_buf *, const char *name, size_t n, size_t columns,
                           size_t differs);
/* The same for one that differs elsewhere: the beginning and the function's own name, the middle is left out. */
void pp_name_shorten_middle(struct pp_buf *, const char *name, size_t n, size_t columns);

#endif
