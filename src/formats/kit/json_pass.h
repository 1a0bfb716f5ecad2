/*
 * The end of a JSON array or object, found by its brackets and quotes alone: several times faster than scanning. For
 * readers that look at all of a document before they read its long parts, and check them then.
 */
#ifndef PP_KIT_JSON_PASS_H
#define PP_KIT_JSON_PASS_H

#include "text/json_scan.h"

/* What follows the array or object that begins at p; NULL when it does not end. */
const unsigned char *pp_json_pass(const unsigned char *p, const unsigned char *end);
/* The same of an array or object that p is within, between two of its values. */
const unsigned char *pp_json_pass_rest(const unsigned char *p, const unsigned char *end);

/* Passes the value that comes next, an array or object without looking into it. False at an error, as when it does not end. */
bool pp_scan_pass(struct pp_scan *);

#endif
