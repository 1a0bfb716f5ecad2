/*
 * Source maps (ECMA-426, version 3): which place of which source a place of a generated script comes from. Whole maps, and
 * maps of sections.
 *
 *     {"version": 3, "sourceRoot": "", "sources": ["a.ts"], "names": ["add"], "mappings": "AAAA,SAASA"}
 *     {"version": 3, "sections": [{"offset": {"line": 0, "column": 0}, "map": {...}}]}
 *
 * `mappings` has a group per generated line, ended by ';', of segments between commas. A segment is one, four or five
 * numbers in base64 (VLQ, the lowest bit is the sign), each the difference from the one before of its kind: generated
 * column, source, line, column, name. Only the generated column starts again with each line.
 *
 * Whatever a map says, it is safe to ask: numbers that make no sense end it where they stand (`damaged`).
 */
#ifndef PP_SOURCE_MAP_H
#define PP_SOURCE_MAP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

struct pp_map_segment {
	uint64_t at;           /* generated line << 32 | column, from 0 */
	uint32_t source;       /* number + 1; 0 = of no source */
	uint32_t line, column; /* there, from 0 */
	uint32_t name;         /* number + 1; 0 = none */
};

struct pp_source_map {
	struct pp_arena arena;
	struct pp_slice file; /* that the map is of, as it says; or nothing */
	PP_VEC(struct pp_slice) sources;
	PP_VEC(struct pp_slice) names;
	PP_VEC(struct pp_map_segment) segments; /* by place */
	bool damaged;                           /* only what stands before is used */
};

/* A place of a source. */
struct pp_map_place {
	struct pp_slice source;
	uint32_t line, column; /* from 1 */
	struct pp_slice name;  /* that the source has there for what is generated; or nothing */
};

/*
 * Reads a map: PP_E_INVALID when it is none, PP_E_NOMEM. Release it in any case. PP_SCAN_PAD bytes behind the text must be
 * readable; it is not needed afterwards.
 */
pp_status pp_source_map_read(struct pp_source_map *, struct pp_slice text);
void pp_source_map_release(struct pp_source_map *);

/* Where a place of the script, counted from 1, comes from; false when the map does not say. */
bool pp_source_map_find(const struct pp_source_map *, uint32_t line, uint32_t column,
                        struct pp_map_place *);
/* The same of a whole line: false as well when it comes from several. Its column is 0. */
bool pp_source_map_find_line(const struct pp_source_map *, uint32_t line, struct pp_map_place *);
/*
 * What a function is called in the source. It begins at that place of the script, by its parameters, and is called
 * `generated` there. Nothing when the map does not say.
 */
struct pp_slice pp_source_map_function(const struct pp_source_map *, uint32_t line, uint32_t column,
                                       struct pp_slice generated);

/* Appends what a data: address holds; false when it is none, or cannot be decoded. */
bool pp_data_url_take(struct pp_buf *out, struct pp_slice url);
/*
 * The map that a script names in its last sourceMappingURL: a name, or a map as such (data:), which is appended to `out`.
 * Nothing when there is none, or none that can be decoded.
 */
struct pp_slice pp_script_map(struct pp_slice script, struct pp_buf *out);

#endif
