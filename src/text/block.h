/*
 * Sixteen bytes at once: with SSE2 where the target has it, else in plain words.
 *
 * pp_block_text_stop(p) has bit i set when p[i] is one that text in JSON quotes cannot simply contain
 * or that ends it: '"', '\\', a control character, or a byte of a multi-byte UTF-8 character. Only the
 * lowest set bit is certain; those above it may be wrong. Reads p[0..15], as the others do.
 * PP_BLOCK_WIDE says whether blocks take less than words.
 */
#ifndef PP_BLOCK_H
#define PP_BLOCK_H

#if defined(__SSE2__)
#include "text/block_sse2.h"
#else
#include "text/block_swar.h"
#endif

#endif
