/*
 * What can be wrong with an SPX report, or be lost in writing one, each stated once: spx.h makes an
 * enum of this list and rules.c a table.
 */
RULE(BODY_MISSING, "spx-body-missing", PP_ERROR, "the body of the report is not there",
     "A report is two files of one base name: NAME.json with the metadata and NAME.txt.gz, "
     "NAME.txt.zst or NAME.txt with the events. Without the body there are no events to read. It "
     "may have been deleted, or only one of the two was copied or renamed.")
RULE(BODY_EMPTY, "spx-body-empty", PP_ERROR, "the body of the report is empty",
     "SPX leaves an empty body when it aborts: a stack of more than 2048 frames (0.4) or 16384 "
     "frames (0.5), or metadata of 8192 bytes and more. Nothing of the run was kept.")
RULE(BODY_SEVERAL, "spx-body-several", PP_WARNING, "there is more than one body",
     "Beside the .json stand several bodies of its name, such as NAME.txt.gz and NAME.txt.zst. "
     "Only one can be meant: the one that has as many events as the .json counts. Where none or "
     "each has, they are looked for in the order .txt.gz, .txt.zst, .txt. Name the body itself to "
     "read another one.")
RULE(META_MISSING, "spx-metadata-missing", PP_WARNING, "there is no .json beside the body",
     "SPX writes the metadata last, so a body alone comes from a run that is still going on, was "
     "killed, or from a copy of one file only. The number of metrics is taken from the first "
     "event; their names are not known: column1, column2 and so on.")
RULE(META_BYTES, "spx-metadata-bytes", PP_WARNING,
     "the metadata is not valid JSON: raw bytes in strings",
     "SPX writes control characters and bytes that are not UTF-8 into its .json as they are, "
     "which JSON does not allow. They were read as they stand.")
RULE(META_BROKEN, "spx-metadata-broken", PP_WARNING, "the metadata is cut or not JSON",
     "The .json breaks off or is malformed at this place. SPX leaves it cut when a string in it "
     "has 8192 bytes or more. Everything before that is used.")
RULE(META_METRICS, "spx-metadata-metrics", PP_WARNING, "the metadata does not name the metrics",
     "The key enabled_metrics, an array of metric keys in the order of the columns, is not there. "
     "Columns without a name are called column1, column2 and so on.")
RULE(METRIC_UNKNOWN, "spx-metric-unknown", PP_NOTE, "a metric that no known version of SPX writes",
     "Its values are kept; its unit is not known, so they are shown as plain counts.")
RULE(METRIC_COUNT, "spx-metric-count", PP_WARNING,
     "the events do not have as many values as there are metrics",
     "The metadata names more or fewer metrics than the first event line has values. Metrics "
     "without a column stay 0, columns without a name are called columnN.")
RULE(MICROSECONDS, "spx-microseconds", PP_NOTE, "times are taken as microseconds",
     "SPX writes times as whole nanoseconds. This report has decimals from its first event on, or "
     "metrics called mu or pmu, so it follows the document that states microseconds with four "
     "decimals, and its times are read that way, exactly.")
RULE(EVENT_INVALID, "spx-event-invalid", PP_ERROR, "a line is not an event",
     "An event is a function index, the sign of start or end, and one value per metric. The line "
     "is not used; the rest of the report is.")
RULE(EVENT_LONG, "spx-event-long", PP_ERROR, "an event has more values than there are metrics",
     "The line has too many values and it is not one of the two-in-one lines that SPX 0.4 leaves "
     "when its buffer is full. The values that have a metric are used.")
RULE(VALUE_RANGE, "spx-value-range", PP_ERROR, "a cost does not fit into 64 bits",
     "The difference of two values, or the sum of a stack's costs, exceeds 2^63. The value of the "
     "event before is kept in its place.")
RULE(LINES_REPAIRED, "spx-lines-repaired", PP_WARNING, "damaged event lines were repaired",
     "SPX up to 0.4 damages event lines of more than 128 bytes (many metrics): values are "
     "dropped, or the newline is, so that two events share a line. Lines are cut where the "
     "writer's buffer was full, which is exact; a dropped value keeps the state of the event "
     "before, so it is counted with the next event. Record fewer metrics, or with SPX 0.5, to "
     "avoid it.")
RULE(LINE_CUT, "spx-line-cut", PP_WARNING, "the last event line is cut",
     "The report ends in the middle of a line, so the run was killed or the file was cut. The "
     "line is not used.")
RULE(
    GARBAGE, "spx-garbage", PP_ERROR, "the text turns into garbage",
    "Many lines together are not events, or the container is damaged and this line is none that "
    "SPX would have written here. A compressed stream that lost a piece, or into which a forked "
    "process wrote as well, goes on decoding to nonsense. Everything before that is kept; nothing more "
    "is read until another section starts.")
RULE(OUTSIDE, "spx-outside", PP_WARNING, "text outside of any section",
     "Everything in a body stands behind [events] or [functions]. Text before the first of them "
     "is not used.")
RULE(CRLF, "spx-crlf", PP_NOTE, "lines end in CR LF",
     "SPX ends lines with LF alone; the file may have been transferred as text. It is read all the "
     "same.")
RULE(END_STRAY, "spx-end-stray", PP_ERROR, "a call ends that never started",
     "The end of a function comes while no frame is open. It is not used.")
RULE(END_OTHER, "spx-end-other", PP_WARNING,
     "an end names another function than the one that is open",
     "Ends repeat the index of the function they close. This one names another; the stack is "
     "trusted, and the innermost open frame is closed.")
RULE(FRAMES_OPEN, "spx-frames-open", PP_WARNING, "frames are still open at the end",
     "SPX closes all frames when a run ends, even by exit or a fatal error. Open frames mean that "
     "the run was killed or the file was cut. They are closed at the last event.")
RULE(TIME_BACK, "spx-time-back", PP_WARNING, "time goes backwards",
     "The time of an event is before that of its predecessor, which a clock that only counts up "
     "does not do. Costs are negative there; they are kept as they are.")
RULE(EVENTS_MISSING, "spx-events-missing", PP_WARNING,
     "there are fewer events than the metadata counts",
     "A whole report has two events for each call counted in recorded_call_count. The others are "
     "lost.")
RULE(FUNCTIONS_MISSING, "spx-functions-missing", PP_WARNING, "the list of functions is not there",
     "SPX writes the names last, so a run that was killed has none. Functions are called #INDEX.")
RULE(FUNCTION_INDEX, "spx-function-index", PP_WARNING, "functions without a name",
     "Events name functions by an index that the list of functions does not reach. They are "
     "called #INDEX.")
RULE(FUNCTION_LINES, "spx-function-lines", PP_WARNING,
     "the list of functions has more lines than functions",
     "SPX does not escape names. A path with a newline in it takes two lines, and every name "
     "behind it belongs to the function before. Names from there on may be wrong; costs are not.")
RULE(FUNCTION_LIMIT, "spx-function-limit", PP_NOTE, "SPX's limit of 65536 functions is reached",
     "Functions called for the first time after that leave no events; their time counts for their "
     "callers.")
RULE(FORKED, "spx-forked", PP_NOTE, "the body holds more than one report",
     "A process that forks while it is profiled writes into the same file as its child: one "
     "complete report each, the child's first. Their costs are added; the metadata is the "
     "parent's.")
RULE(WRITE_LIMIT, "spx-write-limit", PP_NOTE, "the report exceeds a limit of SPX",
     "SPX itself has at most 65536 functions and stacks of 2048 (0.4) or 16384 (0.5) frames. It "
     "is written, and polyprof reads it back, but SPX's own viewers may not open it.")
RULE(
    WRITE_PAIR, "spx-write-pair", PP_NOTE, "the report is two files",
    "A report is a .json with what was recorded and a body of the same name with all events. Either "
    "one can be opened. A name that ends in .spx, or in neither file's ending, stands for both.")
