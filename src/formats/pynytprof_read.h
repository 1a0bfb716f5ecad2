/*
 * Reading and writing Pynytprof streams.
 */
#ifndef PP_PYNYTPROF_READ_H
#define PP_PYNYTPROF_READ_H

#include "formats/format.h"
#include "formats/pynytprof_doc.h"

pp_status pp_pyn_read(struct pp_reader *, struct pp_builder *);
pp_status pp_pyn_write(struct pp_writer *);

#endif
