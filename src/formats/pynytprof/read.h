/*
 * Reading and writing Pynytprof streams.
 */
#ifndef PP_PYNYTPROF_READ_H
#define PP_PYNYTPROF_READ_H

#include "formats/format.h"
#include "formats/pynytprof/doc.h"

pp_status pp_pyn_read(struct pp_reader *, struct pp_builder *);
pp_status pp_pyn_write(struct pp_writer *);

/* The document that is a profile's private data as bytes and back, for formats that carry it. */
bool pp_pyn_carry_save(const struct pp_profile *, struct pp_buf *out);
pp_status pp_pyn_carry_load(struct pp_kept_facet *, struct pp_slice bytes);

#endif
