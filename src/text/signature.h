/*
 * The parts of a function's name: TYPE NAME(PARAMETERS) QUALIFIERS.
 *
 *     void a::f<int>(long) const       a::f<int>, returns void, takes (long)
 *     (anonymous namespace)::f(int)    (anonymous namespace)::f, takes (int)
 *     net/http.(*conn).serve           no parameters: the brackets hold Go's receiver
 *     main (app.py)                    no parameters: the brackets hold a file
 *
 * Brackets contain parameters only at the end of a name, directly after its last letter. Everything that compares or
 * shortens names uses these functions, so that no other brackets are ever taken for parameters.
 */
#ifndef PP_SIGNATURE_H
#define PP_SIGNATURE_H

#include "base/slice.h"

struct pp_signature {
	struct pp_slice type;   /* the return type; empty if the name does not include it */
	struct pp_slice name;   /* the qualified name with its template arguments */
	struct pp_slice params; /* with their brackets; empty if the name does not include them */
	struct pp_slice rest;   /* " const", " &&", or the type behind the parameters in Java */
};

/* Splits a name. A name without parameters is all `name`, also when it contains blanks. */
struct pp_signature pp_signature_of(struct pp_slice);

/* The same for a name that is known to be demangled C++: a type can also precede names that are not templates. */
struct pp_signature pp_signature_cxx(struct pp_slice);

/* The length without " [clone .isra.0]" at the end, however many there are. */
size_t pp_signature_clones(struct pp_slice);

/*
 * The length without what callgrind puts behind a name: "f'2" is a deeper level of recursion, "f'2'main'(below main)"
 * (--separate-callers) was called by main. Other quotes belong to a name: "main::'lambda'()", "foldl'", "can't open".
 */
size_t pp_signature_contexts(struct pp_slice);
/* The length up to the next caller: 4 for "main'(below main)". */
size_t pp_signature_caller(struct pp_slice);

#endif
