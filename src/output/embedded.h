/*
 * Files of web/ that live in the program: a NUL follows each that does not count.
 */
#ifndef PP_EMBEDDED_H
#define PP_EMBEDDED_H

#include <stddef.h>

extern const unsigned char pp_flame_css[], pp_flame_js[];
extern const size_t pp_flame_css_size, pp_flame_js_size;

#endif
