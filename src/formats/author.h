/*
 * All that a format's author needs, and the one header to include.
 *
 * A format is one `const struct pp_format pp_format_NAME`, in src/formats/NAME.c or, when it takes several
 * files, in src/formats/NAME/, and its word in the list `formats` of the topmost meson.build. Samples in
 * tests/formats/NAME/{good,bad,canonical} and the page docs/formats/NAME.md complete it. Recognition, fuzzing,
 * failing allocations, threads, carrying through SPAA, filters and comparing come with that.
 *
 * bid      How many bits of the first 64 KiB were really verified: 8 for each byte of a magic number, a few
 *          for each line that parses (pp_bid_lines()), PP_BID_NAMED at least if the first lines name the format,
 *          0 for what is somebody else's. Never guess: a tie is an error that asks the user. The name may
 *          break a tie, no more.
 *
 * read     Takes bytes from reader->in and states facts to the builder: names, stacks, events, edges, lines,
 *          metadata. It never knows the question: what becomes of a stack is decided by the builder.
 *          reader->order->facets may be used to leave out parsing what nobody ordered, nothing else.
 *            - pp_build_metric() first, then pp_build_series(), then the rest. Cells are integers with a
 *              scale and a factor; store what the file says and let the metric say what it means.
 *            - Stacks go whole to pp_build_stack(), root first. A file of enter and exit events is a walk on
 *              the tree (pp_build_child()) plus a timeline. Calls are pp_build_edge(), lines pp_build_line().
 *            - Labels of samples (key and text, or number and unit): pp_order_has_label() tells whether anybody asks,
 *              pp_build_labels() makes a set of them, pp_build_series_labelled() the series for it. A reader that
 *              skips some says so: profile->unread |= PP_HAS(LABELS).
 *            - Names that come late: pp_build_func_later() now, pp_build_func_bind() then.
 *            - Limits are the builder's. Errors are sticky: look at pp_builder_ok() once per record or block.
 *            - Slices of reader->in die when the window moves; the builder copies what it keeps.
 *          Returns PP_OK when anything could be used, with profile->complete = false if not all of it.
 *
 * rules    Everything that can be wrong, each with an id, a severity, a title and a text for `polyprof explain`.
 *          A finding is pp_diag_add(reader->diags, rule, place, "sentence without full stop"); pp_place_in()
 *          finds line and column of a byte. Damaged input: keep what is whole, say what is lost, never guess
 *          silently. Each rule has a sample tests/formats/NAME/bad/RULE-ID.* that fires it.
 *
 * write    From writer->profile to writer->out; `writer->metric` is what formats with one value write. The sink's
 *          errors are sticky too: check once at the end. Formats that can hold everything of their own
 *          kind keep it while reading when PP_EXTRAS is ordered (profile->kept) and write it back.
 *
 * writes   Whether those bytes are text, JSON or binary: a file is not written under an ending that says otherwise.
 *
 * holds    What the format can hold, as data (kit/loss.h): the report of what a conversion loses is computed from
 *          it. A writer adds to writer->loss only what it alone knows: names changed, values rounded.
 *
 * options  What --option key=value may say, for --help: pp_reader_option() when reading.
 *
 * describe A row of `polyprof list` from the first bytes, at a cost that does not depend on the file's size.
 *
 * The kit  runs, parts, rounds   whole lines of any input; an input cut for threads; pieces worked on by
 *                                threads and taken in order                               kit/parts.h
 *          pp_whole_open()       all of the input in memory                               kit/whole.h
 *          pp_json_object_read() records of JSON by a table of keys, kinds and rules      kit/json_record.h
 *          pp_json_alike_read()  records of JSON that are written alike, quickly           kit/json_alike.h
 *          pp_meta_json_read()   a JSON object as metadata                                kit/meta_json.h
 *          pp_key_metric(), pp_key_columns()   metrics by keys of the format's own         kit/metric_keys.h
 *          pp_level_calls_collect()   any profile as pairs of caller and callee            kit/level_calls.h
 *          pp_owner_series()     series by process, thread and other keys of a stack        kit/owners.h
 *          pp_callers_check()    callers that nobody is known to call                     kit/callers_check.h
 *          pp_slice_*()          words, lines, fields                                     base/slice.h
 *          pp_num_*()            numbers from and to text                                 base/num.h
 *          struct pp_decimal     12.5 and 1e3 exactly                                     base/decimal.h
 *          pp_unit_find()        "ms", "KiB"                                              base/units.h
 *          struct pp_map         64-bit keys to ids                                       base/hash.h
 *          struct pp_id_table    the file's own numbers to rows                           base/id_table.h
 *          struct pp_slots       rows of a table of your own, by hash                     base/slots.h
 *          struct pp_strtab      strings to ids                                           base/strtab.h
 *          pp_scan_*()           JSON, without copying                                    text/json_scan.h
 *          struct pp_json        JSON out                                                 text/json_emit.h
 */
#ifndef PP_AUTHOR_H
#define PP_AUTHOR_H

#include "base/id_table.h"
#include "base/num.h"
#include "base/slice.h"
#include "base/slots.h"
#include "base/strtab.h"
#include "base/units.h"
#include "formats/format.h"
#include "formats/kit/callers_check.h"
#include "formats/kit/json_alike.h"
#include "formats/kit/json_record.h"
#include "formats/kit/level_calls.h"
#include "formats/kit/meta_json.h"
#include "formats/kit/owners.h"
#include "formats/kit/parts.h"
#include "formats/kit/whole.h"
#include "text/json_emit.h"
#include "text/json_scan.h"

#endif
