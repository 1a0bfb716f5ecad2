/*
 * Files of web/ that live in the program: a NUL follows each that does not count.
 */
#ifndef PP_EMBEDDED_H
#define PP_EMBEDDED_H

#include <stddef.h>

extern const unsigned char pp_flame_css[], pp_flame_js[];
extern const size_t pp_flame_css_size, pp_flame_js_size;

/* The viewer of reports; empty when it could not be built. */
extern const unsigned char pp_viewer_css[], pp_viewer_js[];
extern const size_t pp_viewer_css_size, pp_viewer_js_size;
/* "sha256-...", as a content security policy names them. */
extern const unsigned char pp_viewer_css_hash[], pp_viewer_js_hash[];
extern const size_t pp_viewer_css_hash_size, pp_viewer_js_hash_size;

/* The web app of `serve`, viewer included but for its styles; empty when it could not be built. */
extern const unsigned char pp_serve_css[], pp_serve_js[];
extern const size_t pp_serve_css_size, pp_serve_js_size;

#endif
