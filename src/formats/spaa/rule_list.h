/*
 * Every finding that reading or writing SPAA can have, each stated once: rules.h makes an enum of this
 * list and rules.c a table. The numbers of rules are those of docs/formats/spaa.md.
 */
RULE(UTF8, "spaa-utf8", PP_ERROR, "the text is not UTF-8",
     "SPAA files are UTF-8 (rule 1). The line with the bad bytes is refused, because there is no "
     "telling what they should say; a file in UTF-16 or Latin-1 must be converted first.")
RULE(BOM, "spaa-bom", PP_WARNING, "the file starts with a byte order mark",
     "UTF-8 needs none and many JSON readers stumble over it (rule 1). It is skipped.")
RULE(JSON, "spaa-json", PP_ERROR, "a line is not one JSON value",
     "Each line holds exactly one JSON object (rule 2). The column is that of the first byte "
     "that cannot be right. The line is refused; the others are used. A record spread over "
     "several lines, a trailing comma, a comment or a line that was cut are the usual causes.")
RULE(SURROGATE, "spaa-surrogate", PP_ERROR, "an escaped character is only half of a surrogate pair",
     "\\uD800 to \\uDFFF only make sense in pairs (rule 100). The line is refused.")
RULE(NOT_OBJECT, "spaa-not-object", PP_ERROR, "a line is not a JSON object",
     "Each record is an object (rule 2); this line holds an array, a string, a number or a word. "
     "It is refused.")
RULE(KEY_TWICE, "spaa-key-twice", PP_ERROR, "an object has a key twice",
     "Readers disagree on which of the two counts (rule 99), so the record is refused.")
RULE(HEADER_FIRST, "spaa-header-first", PP_ERROR, "the header is not the first record",
     "Without the header nothing that follows can be understood: it says in which order frames "
     "stand and what the weights mean (rule 4). Records before the header are refused.")
RULE(TYPE_MISSING, "spaa-type-missing", PP_ERROR, "a record has no type",
     "Every record has a string `type` (rule 7). The record is refused.")
RULE(TYPE_UNKNOWN, "spaa-type-unknown", PP_WARNING, "a record has an unknown type",
     "The record is kept as it is and otherwise ignored (rule 7). Types of your own should start "
     "with x_; they are never warned about. Types are told apart by case.")
RULE(HEADER_MISSING, "spaa-header-missing", PP_ERROR, "the file has no header",
     "Exactly one header record must exist (rule 8). Nothing in the file can be used without it.")
RULE(HEADER_TWICE, "spaa-header-twice", PP_ERROR, "the file has two headers",
     "Exactly one header record must exist (rule 8): the second one is refused. Two files were "
     "joined; merge them with `polyprof convert A B -o OUT.spaa`.")
RULE(FORMAT, "spaa-format", PP_ERROR, "the header does not say \"format\": \"spaa\"",
     "The format key tells SPAA from other files of JSON lines (rule 9).")
RULE(VERSION, "spaa-version", PP_ERROR, "the version is not supported",
     "Version 1.0 is read (rule 10); it is a string. Another major version may mean something "
     "else by the same keys.")
RULE(VERSION_NEWER, "spaa-version-newer", PP_WARNING, "the version is newer than 1.0",
     "Minor versions only add things (rule 10), so the file is read; what is new in it may be "
     "missing.")
RULE(SOURCE_TOOL, "spaa-source-tool", PP_ERROR, "the header lacks source_tool",
     "The header must name the profiler, as a string (rule 11).")
RULE(SOURCE_TOOL_UNKNOWN, "spaa-source-tool-unknown", PP_WARNING,
     "the source tool is not one of the known ones",
     "Which metrics must be present depends on the tool (rule 91). The file is read all the same.")
RULE(FRAME_ORDER, "spaa-frame-order", PP_ERROR,
     "frame_order is neither leaf_to_root nor root_to_leaf",
     "Without it stacks cannot be told from their mirror images (rule 12), so no stack can be "
     "used.")
RULE(EVENTS, "spaa-events", PP_ERROR, "the events of the header are not a list of objects",
     "The header must list the events, as an array of objects (rule 13). Without them weights "
     "have no meaning, so no stack can be used.")
RULE(EVENTS_EMPTY, "spaa-events-empty", PP_WARNING, "the header lists no events",
     "Legal, but no stack can then be recorded (rule 13).")
RULE(EVENT_TWICE, "spaa-event-twice", PP_ERROR, "two events have the same name",
     "Stacks name their event, so names must be unique (rule 13). The second one is refused.")
RULE(ID_MODE, "spaa-id-mode", PP_ERROR, "stack_id_mode is neither content_addressable nor local",
     "It says whether ids may be compared between files (rule 14).")
RULE(ID_MODE_MISSING, "spaa-id-mode-missing", PP_WARNING, "the header lacks stack_id_mode",
     "The specification asks for it (rule 14). The file is read as content_addressable.")
RULE(TIME_RANGE, "spaa-time-range", PP_ERROR,
     "time_range is not an object with start, end and unit",
     "start and end are numbers, unit is a string (rule 15). The range is ignored.")
RULE(TIME_RANGE_REVERSED, "spaa-time-range-reversed", PP_WARNING,
     "time_range ends before it starts",
     "Start and end look swapped (rule 15), so the range is not used.")
RULE(TIME_UNIT, "spaa-time-unit", PP_WARNING, "the unit of time_range is not one of the four",
     "seconds, milliseconds, microseconds and nanoseconds are understood (rule 15; s, ms, us, ns "
     "are taken for them). Times in other units cannot be used.")
RULE(SOURCE, "spaa-source", PP_ERROR, "source is not an object of strings",
     "source describes how the profile was made: tool, command and tool_version are strings "
     "(rule 16).")
RULE(EVENT_NAME, "spaa-event-name", PP_ERROR, "an event has no name",
     "Every event has a string `name` (rule 17). The event is refused, and so are its stacks.")
RULE(EVENT_NAME_EMPTY, "spaa-event-name-empty", PP_WARNING, "an event has an empty name",
     "Legal, but hard to refer to (rule 17).")
RULE(EVENT_KIND, "spaa-event-kind", PP_ERROR, "the kind of an event is not one of the six",
     "hardware, software, allocation, deallocation, timer and probe (rule 18).")
RULE(SAMPLING, "spaa-sampling", PP_ERROR, "an event has no sampling object",
     "Without it a sample has no known meaning (rule 19).")
RULE(SAMPLING_MODE, "spaa-sampling-mode", PP_ERROR,
     "the sampling mode is not period, frequency or event",
     "See rule 20 of the specification: the mode decides whether samples may be read as time.")
RULE(PRIMARY_METRIC, "spaa-primary-metric", PP_ERROR, "an event has no primary metric",
     "sampling.primary_metric names the weight that counts (rule 21): a string that is not empty.")
RULE(RATE, "spaa-rate", PP_ERROR, "sample_period or frequency_hz is not a number",
     "Both are optional, and numbers if they are there (rule 22).")
RULE(RATE_ZERO, "spaa-rate-zero", PP_WARNING, "a rate is not positive",
     "A period or frequency must be above 0 (rule 22). It is not used to derive time.")
RULE(RATE_MODE, "spaa-rate-mode", PP_WARNING, "a rate does not fit the sampling mode",
     "sample_period belongs to mode period, frequency_hz to mode frequency (rule 22).")
RULE(ALLOCATION_TRACKING, "spaa-allocation-tracking", PP_ERROR,
     "allocation_tracking is not an object of booleans",
     "tracks_frees and has_timestamps are true or false (rule 95).")
RULE(ALLOCATION_TRACKING_KIND, "spaa-allocation-tracking-kind", PP_WARNING,
     "allocation_tracking on an event that is not an allocation",
     "It means something for allocation and deallocation events only (rule 95).")
RULE(TOO_LARGE, "spaa-too-large", PP_ERROR, "an integer does not fit 64 bits",
     "Integers are exact up to 64 bits (rule 69). Larger ones are refused rather than rounded.")
RULE(DSO_ID, "spaa-dso-id", PP_ERROR, "a dso has no valid id",
     "Ids of dsos are unsigned 64-bit integers (rule 30). The dso is refused.")
RULE(DSO_TWICE, "spaa-dso-twice", PP_ERROR, "two dsos have the same id",
     "Ids must be unique within the file (rule 26), even if the records are equal. The first one "
     "stays.")
RULE(DSO_NAME, "spaa-dso-name", PP_ERROR, "a dso has no name",
     "Every dso has a string `name` (rule 31).")
RULE(DSO_KERNEL, "spaa-dso-kernel", PP_ERROR, "is_kernel is not true or false",
     "The flag tells kernel images from others (rule 32); absent means false.")
RULE(KERNEL_FLAG, "spaa-kernel-flag", PP_WARNING, "kernel and user do not agree",
     "Kernel images must have is_kernel true, and kernel frames belong to them (rule 27). Here a "
     "name looks like a kernel without the flag, or a frame and its dso disagree.")
RULE(BUILD_ID, "spaa-build-id", PP_ERROR, "build_id is not a string",
     "Build ids are written as lowercase hexadecimal digits (rule 29).")
RULE(BUILD_ID_FORM, "spaa-build-id-form", PP_WARNING, "build_id is not lowercase hexadecimal bytes",
     "No capitals, no separators, two digits for each byte (rule 29). It is kept as it is.")
RULE(FRAME_ID, "spaa-frame-id", PP_ERROR, "a frame has no valid id",
     "Ids of frames are unsigned 64-bit integers (rule 46). The frame is refused.")
RULE(FRAME_TWICE, "spaa-frame-twice", PP_ERROR, "two frames have the same id",
     "Ids must be unique within the file (rule 46). The first one stays.")
RULE(FUNC, "spaa-func", PP_ERROR, "a frame has no func",
     "Every frame has a string `func` (rule 45); without a symbol it holds the address.")
RULE(FUNC_EMPTY, "spaa-func-empty", PP_WARNING, "a frame has an empty func",
     "Write the address when there is no symbol (rule 45).")
RULE(FRAME_DSO, "spaa-frame-dso", PP_ERROR, "a frame has no valid dso",
     "`dso` is the id of a dso, an unsigned 64-bit integer (rule 33).")
RULE(DSO_UNDEFINED, "spaa-dso-undefined", PP_ERROR,
     "a frame names a dso that is not defined before it",
     "Dictionary records come before the records that use them (rules 5 and 33). The frame is "
     "used without a dso.")
RULE(FRAME_KIND, "spaa-frame-kind", PP_ERROR, "the kind of a frame is not user, kernel or unknown",
     "See rule 34. Other distinctions can go into an x_ key.")
RULE(FRAME_KIND_MISSING, "spaa-frame-kind-missing", PP_WARNING, "a frame has no kind",
     "Every frame should say whether it is user or kernel code; this one is read as unknown "
     "(rule 34).")
RULE(FUNC_RESOLVED, "spaa-func-resolved", PP_ERROR, "func_resolved is not true or false",
     "The flag says whether func is a symbol (rule 35); absent means true.")
RULE(FUNC_UNRESOLVED, "spaa-func-unresolved", PP_WARNING,
     "the func of an unresolved frame is not an address",
     "With func_resolved false, func should be the address in hexadecimal (rule 36).")
RULE(SRCLINE, "spaa-srcline", PP_ERROR, "srcline or srcline_resolved has the wrong type",
     "srcline is a string such as \"src/a.c:12\", srcline_resolved true or false (rule 37).")
RULE(SRCLINE_FLAG, "spaa-srcline-flag", PP_WARNING,
     "a frame has a srcline that it calls unresolved",
     "srcline_resolved is false, yet srcline is given (rule 37). It is used.")
RULE(SYMOFF, "spaa-symoff", PP_ERROR, "symoff is not a string",
     "The offset from the start of the symbol is a hexadecimal string (rule 38).")
RULE(SYMOFF_HEX, "spaa-symoff-hex", PP_WARNING, "symoff is not a hexadecimal number",
     "It should start with 0x, or its base is a guess (rule 38). It is not used.")
RULE(INLINED, "spaa-inlined", PP_ERROR, "inlined is not true or false",
     "The flag marks frames that the compiler inlined (rule 39); absent means false.")
RULE(INLINE_DEPTH, "spaa-inline-depth", PP_ERROR, "inline_depth is not an unsigned integer",
     "0 is the physical frame, 1 and more are nested (rule 41).")
RULE(INLINE_FLAG, "spaa-inline-flag", PP_WARNING, "inlined and inline_depth disagree",
     "A depth above 0 means inlined, 0 means not (rule 41).")
RULE(INLINE_GROUP, "spaa-inline-group", PP_WARNING,
     "an inlined frame and its caller are not at the same address",
     "All frames of one inline group should share dso, ip and symoff (rule 42).")
RULE(INLINE_PHYSICAL, "spaa-inline-physical", PP_WARNING, "an inline group has no physical frame",
     "The outermost frame of the stack is inlined into nothing (rule 42). perf prints such "
     "stacks for .part and .cold clones.")
RULE(INLINE_ORDER, "spaa-inline-order", PP_ERROR,
     "inlined frames are not in the order of their depth",
     "Deepest first in leaf_to_root, last in root_to_leaf (rule 43). The stack is refused: its "
     "frames stand in another order than the header says.")
RULE(IP, "spaa-ip", PP_ERROR, "ip is not a string",
     "Addresses are hexadecimal strings, because JSON numbers lose digits in many readers (rule "
     "44).")
RULE(IP_HEX, "spaa-ip-hex", PP_WARNING, "ip is not a hexadecimal number",
     "It should start with 0x, or its base is a guess (rule 44). It is not used.")
RULE(THREAD_ID, "spaa-thread-id", PP_ERROR, "a thread has no valid tid or pid",
     "Both are required, as unsigned 64-bit integers (rule 47). Leave out what is not known "
     "instead of writing -1.")
RULE(THREAD_PID, "spaa-thread-pid", PP_ERROR, "a thread belongs to two processes",
     "tid must be unique within the file (rule 48); here it comes with another pid than before. "
     "The first one stays.")
RULE(THREAD_TWICE, "spaa-thread-twice", PP_WARNING, "a thread is declared twice",
     "The same tid and pid again, perhaps after an exec or a rename (rule 48). The last name is "
     "shown.")
RULE(THREAD_LATE, "spaa-thread-late", PP_WARNING, "a thread is declared after a stack used it",
     "Dictionary records should come before the records that use them (rule 5).")
RULE(THREAD_COMM, "spaa-thread-comm", PP_ERROR, "comm is not a string",
     "The name of a thread is any text, or absent (rule 49).")
RULE(STACK_ID, "spaa-stack-id", PP_ERROR, "a stack has no valid id",
     "Ids are strings that are not empty, or unsigned 64-bit integers (rule 52). The stack is "
     "refused.")
RULE(STACK_ID_HEX, "spaa-stack-id-hex", PP_WARNING, "a content-addressable id is not hexadecimal",
     "Such ids are hashes (rule 52). They are compared as text, so nothing else changes.")
RULE(STACK_ID_LOCAL, "spaa-stack-id-local", PP_ERROR, "a local stack id is used twice",
     "With stack_id_mode local ids are unique (rule 53). The first one stays.")
RULE(STACK_ID_CLASH, "spaa-stack-id-clash", PP_ERROR, "one stack id stands for two stacks",
     "A content-addressable id is a function of the frames (rule 54); here it comes with other "
     "frames or another stack_type. The first one stays.")
RULE(STACK_REPEATED, "spaa-stack-repeated", PP_ERROR, "a stack is repeated with the same context",
     "There is one record for each stack and context (rule 51). The first one stays: adding both "
     "might count the same samples twice.")
RULE(STACK_CONTEXTS, "spaa-stack-contexts", PP_WARNING, "a stack id is shared by several contexts",
     "Records of one id that differ in thread or other context are added, none is overwritten "
     "(rule 51).")
RULE(STACK_EVENTS, "spaa-stack-events", PP_WARNING, "a stack id is shared by several events",
     "Ids should be unique across events (rule 98). Each event keeps its own weight.")
RULE(FRAMES, "spaa-frames", PP_ERROR, "the frames of a stack are not a list of ids",
     "`frames` is an array of unsigned integers (rule 56). The stack is refused.")
RULE(FRAME_UNDEFINED, "spaa-frame-undefined", PP_ERROR,
     "a stack names a frame that is not defined before it",
     "Dictionary records come before the records that use them (rules 5 and 56). The stack is "
     "refused.")
RULE(FRAMES_EMPTY, "spaa-frames-empty", PP_WARNING, "a stack has no frames",
     "Its weight is kept under [no stack] (rule 56).")
RULE(STACK_TYPE, "spaa-stack-type", PP_ERROR, "stack_type is not unified, user or kernel",
     "The type says which halves of a stack the record holds (rule 57); absent means unified.")
RULE(STACK_KIND, "spaa-stack-kind", PP_WARNING,
     "a stack holds frames of another kind than its type says",
     "A user stack with kernel frames or the reverse (rule 58).")
RULE(RELATED, "spaa-related", PP_ERROR, "related_stacks is not a list of stack ids",
     "Related stacks are named by their ids, strings or unsigned integers (rule 60). The stack "
     "is refused.")
RULE(RELATED_UNDEFINED, "spaa-related-undefined", PP_WARNING, "a related stack does not exist",
     "No stack of this id is in the file (rule 60). The link is ignored.")
RULE(RELATED_ONE_WAY, "spaa-related-one-way", PP_WARNING, "a related stack does not link back",
     "Related stacks name each other (rule 60). The link is used.")
RULE(CONTEXT, "spaa-context", PP_ERROR, "a stack has no context with an event",
     "context is an object and its event is a string (rule 61). The stack is refused.")
RULE(EVENT_UNDEFINED, "spaa-event-undefined", PP_ERROR,
     "a stack names an event that the header does not declare",
     "See rule 61: without a declared event the weight has no meaning. The stack is refused.")
RULE(CONTEXT_FIELD, "spaa-context-field", PP_ERROR, "a field of the context has the wrong type",
     "pid, tid, cpu and uid are unsigned integers; comm, execname and zonename are strings (rule "
     "62).")
RULE(KEY_UNKNOWN, "spaa-key-unknown", PP_WARNING, "an unknown key",
     "It is kept and written back (rule 63). Keys of your own should start with x_; they are "
     "never warned about.")
RULE(CONTEXT_OBJECT, "spaa-context-object", PP_ERROR, "probe or trace_fields is not an object",
     "Both describe a probe by an object of its own (rule 64), with any keys. The stack is "
     "refused.")
RULE(WEIGHTS, "spaa-weights", PP_ERROR, "weights are not a list of metrics with values",
     "Each entry is an object with a string `metric` and a number `value` (rule 66).")
RULE(VALUE, "spaa-value", PP_ERROR, "a value is not a finite number",
     "Numbers are integers or finite decimals (rule 66): no text, no null, nothing past the "
     "range of a double.")
RULE(METRIC_TWICE, "spaa-metric-twice", PP_ERROR, "a metric occurs twice in one list",
     "Nobody can tell which of the two counts (rule 67). The record is refused.")
RULE(METRICS_MANY, "spaa-metrics-many", PP_ERROR, "there are more than 1024 metrics",
     "Each stack has a cell for every metric of the file, so memory would grow with the square "
     "of its length. All events together may have 1024 metrics, their primary ones included; a "
     "stack that names one more is refused.")
RULE(UNIT, "spaa-unit", PP_ERROR, "a unit is not a string",
     "The unit of a weight is text such as bytes or ns, or absent (rule 68).")
RULE(UNIT_DIFFERS, "spaa-unit-differs", PP_WARNING, "a metric has another unit than before",
     "Values of one metric are added, so they need one unit (rule 68). The first one is shown.")
RULE(PRIMARY_MISSING, "spaa-primary-missing", PP_ERROR,
     "a stack lacks the primary metric of its event",
     "weights must hold it (rule 65). The stack is refused: it has no weight.")
RULE(NATIVE_METRIC, "spaa-native-metric", PP_WARNING, "the native metric of the tool is missing",
     "perf stacks should keep `period`, DTrace stacks `samples` or `count` (rule 70). Perhaps "
     "the recording had none.")
RULE(CPU_TIME, "spaa-cpu-time", PP_WARNING, "cpu_time_ns without a documented derivation",
     "It may only be derived with mode frequency and a rate, or when the event documents how: "
     "x_cpu_time_derivation (rule 71).")
RULE(EXCLUSIVE, "spaa-exclusive", PP_ERROR, "exclusive is not an object with frame and weights",
     "It gives weights to the leaf of the stack (rule 74): frame is an unsigned integer, weights "
     "is a list.")
RULE(EXCLUSIVE_LEAF, "spaa-exclusive-leaf", PP_ERROR, "exclusive.frame is not the leaf",
     "The leaf is the first frame in leaf_to_root and the last in root_to_leaf (rule 72). The "
     "stack is refused: its frames stand in another order than the header says, or the weight is "
     "given to the wrong function.")
RULE(EXCLUSIVE_PRIMARY, "spaa-exclusive-primary", PP_WARNING, "exclusive lacks the primary metric",
     "It should have the same metrics as the stack (rule 73).")
RULE(EXCLUSIVE_MORE, "spaa-exclusive-more", PP_WARNING, "exclusive is more than the stack",
     "A part cannot be more than the whole (rule 73). The weight of the stack counts.")
RULE(SAMPLE_STACK, "spaa-sample-stack", PP_ERROR, "a sample has no valid stack_id",
     "It is a string that is not empty or an unsigned integer (rule 76).")
RULE(STACK_UNDEFINED, "spaa-stack-undefined", PP_ERROR,
     "a sample names a stack that does not exist",
     "Every sample refers to a stack record, before or after it (rule 76).")
RULE(TIMESTAMP, "spaa-timestamp", PP_ERROR, "a sample has no valid timestamp",
     "It is a number in the unit and epoch of time_range (rule 77).")
RULE(TIMESTAMP_RANGE, "spaa-timestamp-range", PP_WARNING, "a timestamp lies outside time_range",
     "Timestamps have the unit and epoch of header.time_range (rule 77).")
RULE(TIMESTAMP_NO_RANGE, "spaa-timestamp-no-range", PP_WARNING,
     "samples have timestamps, but the header has no time_range",
     "Then their unit and epoch are not known (rule 77).")
RULE(SAMPLE_FIELD, "spaa-sample-field", PP_ERROR, "a field of a sample has the wrong type",
     "pid, tid, cpu and period are unsigned integers (rule 78).")
RULE(SAMPLE_EVENT, "spaa-sample-event", PP_ERROR, "a sample has no declared event",
     "Its event is a string and in the header (rule 79).")
RULE(SAMPLE_EVENT_DIFFERS, "spaa-sample-event-differs", PP_WARNING,
     "a sample has another event than its stack",
     "The stack of this id was recorded for other events only (rule 79). The sample is left out "
     "of the timeline.")
RULE(SAMPLE_CONTEXT, "spaa-sample-context", PP_ERROR, "the context of a sample is not an object",
     "It may hold whatever else is known of the sample, as an object (rule 82).")
RULE(WINDOW, "spaa-window", PP_ERROR, "a window lacks what it needs",
     "id, start, end, unit and by_stack, whose entries have stack_id and weights (rule 83).")
RULE(WINDOW_UNIT, "spaa-window-unit", PP_WARNING, "the unit of a window is not one of the four",
     "seconds, milliseconds, microseconds and nanoseconds are understood (rule 83).")
RULE(WINDOW_OUTSIDE, "spaa-window-outside", PP_WARNING, "a window lies outside time_range",
     "Its times look relative (rule 83); windows have the epoch of time_range.")
RULE(WINDOW_REVERSED, "spaa-window-reversed", PP_ERROR, "a window ends before it starts",
     "The start of a window may not be later than its end (rule 84).")
RULE(WINDOW_STACK, "spaa-window-stack", PP_ERROR, "a window names a stack that does not exist",
     "Every entry of a window refers to a stack record, before or after it (rule 85).")
RULE(VALUE_ZERO, "spaa-value-zero", PP_WARNING, "the weight of a stack is zero",
     "A primary metric, period, samples or count of 0 is suspicious (rule 93): why was the stack "
     "recorded?")
RULE(VALUE_NEGATIVE, "spaa-value-negative", PP_WARNING, "a weight is negative",
     "Suspicious (rule 93), though differences may well be negative. It is used as it is.")
RULE(LIVE, "spaa-live", PP_WARNING, "live is not allocated minus freed",
     "live_bytes should be alloc_bytes - free_bytes, and the same for counts (rule 97).")
RULE(TIME_REFUSED, "spaa-time-refused", PP_ERROR, "time cannot be derived from this event",
     "Samples may only be read as time when the sampling mode is frequency and the rate is "
     "given, or when the unit of the metric is a time (rule 25). Leave out --option time=derive.")
RULE(CARRY_DAMAGED, "spaa-carry-damaged", PP_WARNING, "the x_polyprof records cannot be used",
     "They hold what SPAA itself has no place for, so that the original format can be written "
     "back. They are cut or altered, so the profile is read from its stacks alone.")
RULE(CARRY_STALE, "spaa-carry-stale", PP_WARNING,
     "the x_polyprof records do not belong to these stacks",
     "The stacks were changed after polyprof wrote the file, so what its x_polyprof records say "
     "no longer fits. The profile is read from its stacks alone.")
