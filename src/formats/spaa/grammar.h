/*
 * The grammar of SPAA: which keys an object has, what their values are and which rule is cited when one
 * is wrong or missing. It is stated here and nowhere else.
 *
 * grammar.c makes tables of these lists, by which values.c reads objects whatever the order of their
 * keys and the writer writes them; quick.c makes straight code of them for lines that are written
 * plainly. Keys stand in the order in which programs write them.
 *
 * Each field is: object, its name there, key, kind of value (enum pp_spaa_value), member of the struct
 * it goes to, rule when the value is wrong, rule when it is missing, and what its kind needs to know:
 * words, another object, or what it is called in findings.
 */
#ifndef PP_SPAA_GRAMMAR_H
#define PP_SPAA_GRAMMAR_H

/* The missing rule of a field that may be missing. */
#define PP_SPAA_R_OPTIONAL PP_JSON_OPTIONAL

/* Those of kit/json_record.h, and more. */
enum pp_spaa_value {
	PP_SPAA_V_ANY = PP_JSON_ANY,
	PP_SPAA_V_UINT = PP_JSON_UINT,
	PP_SPAA_V_SMALL = PP_JSON_SMALL,
	PP_SPAA_V_NUMBER = PP_JSON_DECIMAL,
	PP_SPAA_V_TEXT = PP_JSON_TEXT,
	PP_SPAA_V_BOOL = PP_JSON_TRUTH,
	PP_SPAA_V_WORD = PP_JSON_WORD,
	PP_SPAA_V_STRICT_WORD = PP_JSON_STRICT_WORD,
	PP_SPAA_V_OBJECT = PP_JSON_MEMBERS,
	PP_SPAA_V_TYPE = PP_JSON_OWN, /* of the record, which is known when its keys are read */
	PP_SPAA_V_ID,                 /* struct pp_spaa_id */
	PP_SPAA_V_FRAMES, /* the others with lists: struct pp_spaa_run of the chunk's pools */
	PP_SPAA_V_WEIGHTS,
	PP_SPAA_V_OWN_WEIGHTS, /* exclusive ones: nearly always those of the stack */
	PP_SPAA_V_RELATED,
	PP_SPAA_V_BY_STACK,
	PP_SPAA_V_EVENTS,
	PP_SPAA_V_STRICT_OBJECT, /* an object for which null is no way to leave it out */
	PP_SPAA_V_ANY_OBJECT,    /* kept only as text */
	/* What tells one context from another. */
	PP_SPAA_V_CONTEXT_TEXT,
	PP_SPAA_V_CONTEXT_SMALL,
	/* The same, and kept only as text. */
	PP_SPAA_V_KEPT_TEXT,
	PP_SPAA_V_KEPT_SMALL,
	PP_SPAA_V_KEPT_OBJECT,
	/* Written here, but to the reader keys like any unknown one. */
	PP_SPAA_V_OUR_TEXT,
	PP_SPAA_V_OUR_UINT
};

/* clang-format off */
#define PP_SPAA_HEADER_FIELDS(F) \
	F(HEADER, TYPE, "type", TYPE, has, NOT_OBJECT, OPTIONAL, NULL) \
	F(HEADER, FORMAT, "format", STRICT_WORD, format, FORMAT, FORMAT, &formats) \
	F(HEADER, VERSION, "version", TEXT, version, VERSION, VERSION, NULL) \
	F(HEADER, TOOL, "source_tool", TEXT, tool, SOURCE_TOOL, SOURCE_TOOL, NULL) \
	F(HEADER, ORDER, "frame_order", STRICT_WORD, root_to_leaf, FRAME_ORDER, FRAME_ORDER, \
	  &orders) \
	F(HEADER, EVENTS, "events", EVENTS, has, EVENTS, EVENTS, NULL) \
	F(HEADER, RANGE, "time_range", OBJECT, has, TIME_RANGE, OPTIONAL, \
	  &pp_spaa_shapes[PP_SPAA_O_RANGE]) \
	F(HEADER, SOURCE, "source", OBJECT, has, SOURCE, OPTIONAL, \
	  &pp_spaa_shapes[PP_SPAA_O_SOURCE]) \
	F(HEADER, ID_MODE, "stack_id_mode", WORD, local_ids, ID_MODE, ID_MODE_MISSING, \
	  &id_modes) \
	F(HEADER, INCOMPLETE, "x_incomplete", ANY, has, KEY_UNKNOWN, OPTIONAL, NULL)

#define PP_SPAA_RANGE_FIELDS(F) \
	F(RANGE, START, "start", NUMBER, start, TIME_RANGE, TIME_RANGE, NULL) \
	F(RANGE, END, "end", NUMBER, end, TIME_RANGE, TIME_RANGE, NULL) \
	F(RANGE, UNIT, "unit", TEXT, unit_name, TIME_RANGE, TIME_RANGE, NULL)

#define PP_SPAA_SOURCE_FIELDS(F) \
	F(SOURCE, TOOL, "tool", TEXT, ignored, SOURCE, OPTIONAL, NULL) \
	F(SOURCE, COMMAND, "command", TEXT, ignored, SOURCE, OPTIONAL, NULL) \
	F(SOURCE, VERSION, "tool_version", TEXT, ignored, SOURCE, OPTIONAL, NULL)

#define PP_SPAA_EVENT_FIELDS(F) \
	F(EVENT, NAME, "name", TEXT, name, EVENT_NAME, EVENT_NAME, NULL) \
	F(EVENT, KIND, "kind", WORD, kind, EVENT_KIND, EVENT_KIND, &event_kinds) \
	F(EVENT, SAMPLING, "sampling", OBJECT, has, SAMPLING, SAMPLING, \
	  &pp_spaa_shapes[PP_SPAA_O_SAMPLING]) \
	F(EVENT, TRACKING, "allocation_tracking", OBJECT, has, ALLOCATION_TRACKING, OPTIONAL, \
	  &pp_spaa_shapes[PP_SPAA_O_TRACKING]) \
	F(EVENT, DERIVATION, "x_cpu_time_derivation", ANY, has, KEY_UNKNOWN, OPTIONAL, NULL)

#define PP_SPAA_SAMPLING_FIELDS(F) \
	F(SAMPLING, MODE, "mode", WORD, mode, SAMPLING_MODE, SAMPLING_MODE, &modes) \
	F(SAMPLING, PRIMARY, "primary_metric", TEXT, primary, PRIMARY_METRIC, PRIMARY_METRIC, \
	  NULL) \
	F(SAMPLING, PERIOD, "sample_period", NUMBER, period, RATE, OPTIONAL, NULL) \
	F(SAMPLING, FREQUENCY, "frequency_hz", NUMBER, frequency, RATE, OPTIONAL, NULL)

#define PP_SPAA_TRACKING_FIELDS(F) \
	F(TRACKING, FREES, "tracks_frees", BOOL, ignored, ALLOCATION_TRACKING, OPTIONAL, NULL) \
	F(TRACKING, TIMES, "has_timestamps", BOOL, ignored, ALLOCATION_TRACKING, OPTIONAL, NULL)

#define PP_SPAA_DSO_FIELDS(F) \
	F(DSO, TYPE, "type", TYPE, has, NOT_OBJECT, OPTIONAL, NULL) \
	F(DSO, ID, "id", UINT, id, DSO_ID, DSO_ID, NULL) \
	F(DSO, NAME, "name", TEXT, name, DSO_NAME, DSO_NAME, NULL) \
	F(DSO, BUILD_ID, "build_id", TEXT, build_id, BUILD_ID, OPTIONAL, NULL) \
	F(DSO, KERNEL, "is_kernel", BOOL, is_kernel, DSO_KERNEL, OPTIONAL, NULL)

#define PP_SPAA_FRAME_FIELDS(F) \
	F(FRAME, TYPE, "type", TYPE, has, NOT_OBJECT, OPTIONAL, NULL) \
	F(FRAME, ID, "id", UINT, id, FRAME_ID, FRAME_ID, NULL) \
	F(FRAME, FUNC, "func", TEXT, func, FUNC, FUNC, NULL) \
	F(FRAME, FUNC_RESOLVED, "func_resolved", BOOL, func_resolved, FUNC_RESOLVED, OPTIONAL, \
	  NULL) \
	F(FRAME, DSO, "dso", UINT, dso, FRAME_DSO, FRAME_DSO, NULL) \
	F(FRAME, IP, "ip", TEXT, ip, IP, OPTIONAL, NULL) \
	F(FRAME, SYMOFF, "symoff", TEXT, symoff, SYMOFF, OPTIONAL, NULL) \
	F(FRAME, SRCLINE, "srcline", TEXT, srcline, SRCLINE, OPTIONAL, NULL) \
	F(FRAME, FILE, "x_file", OUR_TEXT, file, KEY_UNKNOWN, OPTIONAL, NULL) \
	F(FRAME, FIRST_LINE, "x_first_line", OUR_UINT, first_line, KEY_UNKNOWN, OPTIONAL, NULL) \
	F(FRAME, SRCLINE_RESOLVED, "srcline_resolved", BOOL, srcline_resolved, SRCLINE, OPTIONAL, \
	  NULL) \
	F(FRAME, INLINED, "inlined", BOOL, inlined, INLINED, OPTIONAL, NULL) \
	F(FRAME, DEPTH, "inline_depth", UINT, depth, INLINE_DEPTH, OPTIONAL, NULL) \
	F(FRAME, KIND, "kind", WORD, kind, FRAME_KIND, FRAME_KIND_MISSING, &pp_spaa_frame_kinds)

#define PP_SPAA_THREAD_FIELDS(F) \
	F(THREAD, TYPE, "type", TYPE, has, NOT_OBJECT, OPTIONAL, NULL) \
	F(THREAD, PID, "pid", UINT, pid, THREAD_ID, THREAD_ID, NULL) \
	F(THREAD, TID, "tid", UINT, tid, THREAD_ID, THREAD_ID, NULL) \
	F(THREAD, COMM, "comm", TEXT, comm, THREAD_COMM, OPTIONAL, NULL)

#define PP_SPAA_STACK_FIELDS(F) \
	F(STACK, TYPE, "type", TYPE, has, NOT_OBJECT, OPTIONAL, NULL) \
	F(STACK, ID, "id", ID, id, STACK_ID, STACK_ID, "the id of the stack") \
	F(STACK, FRAMES, "frames", FRAMES, frames, FRAMES, FRAMES, "\"frames\"") \
	F(STACK, STACK_TYPE, "stack_type", STRICT_WORD, type, STACK_TYPE, OPTIONAL, \
	  &pp_spaa_stack_types) \
	F(STACK, CONTEXT, "context", STRICT_OBJECT, context, CONTEXT, CONTEXT, \
	  &pp_spaa_shapes[PP_SPAA_O_CONTEXT]) \
	F(STACK, WEIGHTS, "weights", WEIGHTS, weights, WEIGHTS, WEIGHTS, "\"weights\"") \
	F(STACK, EXCLUSIVE, "exclusive", OBJECT, own, EXCLUSIVE, OPTIONAL, \
	  &pp_spaa_shapes[PP_SPAA_O_EXCLUSIVE]) \
	F(STACK, RELATED, "related_stacks", RELATED, related, RELATED, OPTIONAL, \
	  "\"related_stacks\"")

#define PP_SPAA_CONTEXT_FIELDS(F) \
	F(CONTEXT, EVENT, "event", CONTEXT_TEXT, event, CONTEXT, CONTEXT, NULL) \
	F(CONTEXT, PID, "pid", CONTEXT_SMALL, pid, CONTEXT_FIELD, OPTIONAL, NULL) \
	F(CONTEXT, TID, "tid", CONTEXT_SMALL, tid, CONTEXT_FIELD, OPTIONAL, NULL) \
	F(CONTEXT, CPU, "cpu", CONTEXT_SMALL, cpu, CONTEXT_FIELD, OPTIONAL, NULL) \
	F(CONTEXT, COMM, "comm", CONTEXT_TEXT, comm, CONTEXT_FIELD, OPTIONAL, NULL) \
	F(CONTEXT, EXECNAME, "execname", KEPT_TEXT, has, CONTEXT_FIELD, OPTIONAL, NULL) \
	F(CONTEXT, PROBE, "probe", KEPT_OBJECT, has, CONTEXT_OBJECT, OPTIONAL, NULL) \
	F(CONTEXT, UID, "uid", KEPT_SMALL, has, CONTEXT_FIELD, OPTIONAL, NULL) \
	F(CONTEXT, ZONENAME, "zonename", KEPT_TEXT, has, CONTEXT_FIELD, OPTIONAL, NULL) \
	F(CONTEXT, TRACE_FIELDS, "trace_fields", KEPT_OBJECT, has, CONTEXT_OBJECT, OPTIONAL, NULL)

#define PP_SPAA_WEIGHT_FIELDS(F) \
	F(WEIGHT, METRIC, "metric", TEXT, metric, WEIGHTS, WEIGHTS, NULL) \
	F(WEIGHT, VALUE, "value", NUMBER, value, VALUE, VALUE, NULL) \
	F(WEIGHT, UNIT, "unit", TEXT, unit, UNIT, OPTIONAL, NULL)

#define PP_SPAA_EXCLUSIVE_FIELDS(F) \
	F(EXCLUSIVE, FRAME, "frame", UINT, leaf, EXCLUSIVE, EXCLUSIVE, NULL) \
	F(EXCLUSIVE, WEIGHTS, "weights", OWN_WEIGHTS, own, WEIGHTS, EXCLUSIVE, \
	  "\"exclusive.weights\"")

#define PP_SPAA_SAMPLE_FIELDS(F) \
	F(SAMPLE, TYPE, "type", TYPE, has, NOT_OBJECT, OPTIONAL, NULL) \
	F(SAMPLE, TIMESTAMP, "timestamp", NUMBER, time, TIMESTAMP, TIMESTAMP, NULL) \
	F(SAMPLE, PID, "pid", SMALL, pid, SAMPLE_FIELD, OPTIONAL, NULL) \
	F(SAMPLE, TID, "tid", SMALL, tid, SAMPLE_FIELD, OPTIONAL, NULL) \
	F(SAMPLE, CPU, "cpu", SMALL, cpu, SAMPLE_FIELD, OPTIONAL, NULL) \
	F(SAMPLE, EVENT, "event", TEXT, event, SAMPLE_EVENT, SAMPLE_EVENT, NULL) \
	F(SAMPLE, PERIOD, "period", UINT, period, SAMPLE_FIELD, OPTIONAL, NULL) \
	F(SAMPLE, STACK_ID, "stack_id", ID, id, SAMPLE_STACK, SAMPLE_STACK, "stack_id") \
	F(SAMPLE, CONTEXT, "context", ANY_OBJECT, has, SAMPLE_CONTEXT, OPTIONAL, NULL)

#define PP_SPAA_WINDOW_FIELDS(F) \
	F(WINDOW, TYPE, "type", TYPE, has, NOT_OBJECT, OPTIONAL, NULL) \
	F(WINDOW, ID, "id", ID, id, WINDOW, WINDOW, "the id of the window") \
	F(WINDOW, START, "start", NUMBER, start, WINDOW, WINDOW, NULL) \
	F(WINDOW, END, "end", NUMBER, end, WINDOW, WINDOW, NULL) \
	F(WINDOW, UNIT, "unit", TEXT, unit, WINDOW, WINDOW, NULL) \
	F(WINDOW, BY_STACK, "by_stack", BY_STACK, by_stack, WINDOW, WINDOW, "\"by_stack\"")

#define PP_SPAA_REF_FIELDS(F) \
	F(REF, STACK_ID, "stack_id", ID, id, WINDOW_STACK, WINDOW, "stack_id") \
	F(REF, WEIGHTS, "weights", WEIGHTS, weights, WEIGHTS, WEIGHTS, "\"by_stack.weights\"")

/*
 * The objects: name, struct, member that notes which of its keys were there and right, what it is called
 * in findings, whether unknown keys without x_ deserve a warning, and what is judged when all keys are
 * known. Records come first, in findings called after their type.
 */
#define PP_SPAA_OBJECTS(O) \
	O(HEADER, struct pp_spaa_header, has, "the header", true, header_judge) \
	O(DSO, struct pp_spaa_dso, has, "the dso", true, dso_judge) \
	O(FRAME, struct pp_spaa_frame, has, "the frame", true, frame_judge) \
	O(THREAD, struct pp_spaa_thread, has, "the thread", true, NULL) \
	O(STACK, struct pp_spaa_stack, has, "the stack", true, stack_judge) \
	O(SAMPLE, struct pp_spaa_sample, has, "the sample", true, sample_judge) \
	O(WINDOW, struct pp_spaa_window, has, "the window", true, window_judge) \
	O(RANGE, struct pp_spaa_header, range_has, "\"time_range\"", false, range_judge) \
	O(SOURCE, struct pp_spaa_header, source_has, "\"source\"", false, NULL) \
	O(EVENT, struct pp_spaa_declared, has, "an event", false, event_judge) \
	O(SAMPLING, struct pp_spaa_declared, sampling_has, "\"sampling\"", false, sampling_judge) \
	O(TRACKING, struct pp_spaa_declared, tracking_has, "\"allocation_tracking\"", false, NULL) \
	O(CONTEXT, struct pp_spaa_stack, context_has, "the context", true, NULL) \
	O(WEIGHT, struct pp_spaa_weight, has, NULL, false, NULL) \
	O(EXCLUSIVE, struct pp_spaa_stack, own_has, "\"exclusive\"", false, NULL) \
	O(REF, struct pp_spaa_ref, has, "an entry of by_stack", false, NULL)
/* clang-format on */

/* Their places in pp_spaa_shapes[]; of records also their types. */
#define PP_SPAA_OBJECT(object, ...) PP_SPAA_O_##object,
enum pp_spaa_type {
	PP_SPAA_OBJECTS(PP_SPAA_OBJECT) PP_SPAA_O_OTHER, /* x_ records and unknown ones */
	PP_SPAA_O_NONE                                   /* not even a type */
};
#define PP_SPAA_RECORDS PP_SPAA_O_RANGE

/* The places of keys in their objects: PP_SPAA_K_STACK_ID and so on. */
#define PP_SPAA_KEY(object, name, ...) PP_SPAA_K_##object##_##name,
#define PP_SPAA_KEYS(object, ...) enum { PP_SPAA_##object##_FIELDS(PP_SPAA_KEY) };
PP_SPAA_OBJECTS(PP_SPAA_KEYS)

#endif
