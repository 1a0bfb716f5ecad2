/*
 * Reading and writing NYTProf streams.
 */
#ifndef PP_NYTPROF_READ_H
#define PP_NYTPROF_READ_H

#include "formats/format.h"

pp_status pp_nyt_read(struct pp_reader *, struct pp_builder *);
pp_status pp_nyt_write(struct pp_writer *);

#endif
