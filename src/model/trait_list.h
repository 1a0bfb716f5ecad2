/*
 * All that a profile can have and some formats cannot hold, in the order of reports: TRAIT(NAME, rule
 * id, what it is, what its loss means). Included where TRAIT is defined; see model/traits.h.
 */
TRAIT(STACKS, "loss-stacks", "whole stacks",
      "The format knows functions, lines or pairs of caller and callee, not whole stacks. What "
      "each function cost is kept; through which callers is not, or only from one to the next.")
TRAIT(PAIRS, "loss-pairs", "costs per caller and callee",
      "The profile states what each function cost for each of its callers, and the format has "
      "no place for that. Where there are stacks it can be added up again from those.")
TRAIT(SITES, "loss-sites", "call sites",
      "The profile knows from which line a function was called. The format has no place for it, "
      "or the place it has is needed for the first line of the caller, or it must name a line "
      "where none is known.")
TRAIT(STACK_SITES, "loss-stack-sites", "call sites in stacks",
      "The profile knows of each stack from which line its frames were called. The format has "
      "no place for that.")
TRAIT(CALLS, "loss-calls", "counts of calls",
      "How often functions were called is left out. Or it is made up: the format needs a "
      "number, and samples do not tell it, so that each stack is written as one call.")
TRAIT(RECURSION, "loss-recursion", "functions that call themselves",
      "The format adds up costs by pairs of functions, so that a function that runs below "
      "itself is written as a second one (NAME'2), or its recursive part is not told apart.")
TRAIT(ROOTS, "loss-roots", "roots",
      "The format needs one function that calls all others, such as {main}. It is added with a "
      "cost of 0.")
TRAIT(NO_STACK, "loss-no-stack", "costs without a stack",
      "The profile has costs that belong to no stack. They are written under a function of "
      "their own, [no stack], or not at all.")
TRAIT(EXCLUSIVE, "loss-exclusive", "costs that are not the leaf's own",
      "The profile says of some stacks that part of their cost is not the own cost of the "
      "innermost frame. The format counts all of it there.")
TRAIT(MEASURED, "loss-measured", "measured total costs",
      "The profile has measured totals beside own costs, each rounded by itself. The format "
      "holds own costs, of which totals are the sums, so that they differ in their last digits.")
TRAIT(GAINS, "loss-gains", "steps up and down of metrics that fall",
      "What a metric that falls, such as memory in use, gained and gave back step by step. The "
      "format holds what was left of it in the end, per function or per call, so that answers "
      "about what is written do not know the steps.")
TRAIT(TIMELINE, "loss-timeline", "events in their order",
      "When what happened, and in which order, is left out. Or it is made up: the format holds "
      "a sequence of calls, so that sums are written as one walk over the call tree.")
TRAIT(TIME, "loss-time", "start and end of the recording",
      "On the clock of the recording, from when to when it went. A format that needs it gets it "
      "from the costs.")
TRAIT(RECORDED, "loss-recorded", "the day of the recording",
      "When the profile was recorded, as seconds since 1970, has no place in the format.")
TRAIT(SAMPLES, "loss-samples", "the number of samples",
      "How many samples were taken, whatever they weigh, has no place in the format.")
TRAIT(MARKERS, "loss-markers", "markers",
      "What programs said of themselves while they were recorded, such as events, requests and "
      "layouts with their times and details, has no place in the format.")
TRAIT(LINES, "loss-lines", "costs per line",
      "What each source line cost has no place in the format, or its lines are the places of "
      "functions.")
TRAIT(HITS, "loss-hits", "counts of lines",
      "How often each source line ran has no place in the format, or is more than it can hold.")
TRAIT(SOURCES, "loss-sources", "source text",
      "The profile brings the text of source lines, and the format has no place for it. A "
      "format whose tools stop without it gets a line that says so.")
TRAIT(FILES, "loss-files", "files of functions",
      "In which file a function stands has no place in the format, or must be there and is not "
      "known.")
TRAIT(FIRST_LINES, "loss-first-lines", "first lines of functions",
      "At which line a function begins has no place in the format, or must be there and is not "
      "known.")
TRAIT(FIRST_COLUMNS, "loss-first-columns", "first columns of functions",
      "At which column of its first line a function begins has no place in the format. In minified "
      "JavaScript that is all that tells functions of one name apart.")
TRAIT(LAST_LINES, "loss-last-lines", "last lines of functions",
      "At which line a function ends has no place in the format, or must be there and is not "
      "known.")
TRAIT(MODULES, "loss-modules", "modules of functions",
      "In which binary or library a function is has no place in the format.")
TRAIT(BUILD_IDS, "loss-build-ids", "build ids of modules",
      "By which build a binary can be found again has no place in the format.")
TRAIT(MARKS, "loss-marks", "marks of kernel and user code",
      "Whether a function or a frame belongs to the kernel or the program has no place in the "
      "format.")
TRAIT(
    BUILT_IN, "loss-built-in", "marks of built-in functions",
    "Whether a function belongs to the language itself has no place in the format. Readers guess it "
    "where a function has no file.")
TRAIT(UNCALLED, "loss-uncalled", "functions that were never called",
      "The profile lists functions that exist but never ran, and the format has no place for "
      "them. They cost nothing, so no cost is lost.")
TRAIT(
    HOMONYMS, "loss-homonyms", "functions told apart",
    "Functions of one name that differ in file, first line, column or module become one, because the "
    "format has no place for what they differ in.")
TRAIT(PLACES, "loss-places", "lines within functions",
      "At which line of its function a frame is has no place in the format. The function is "
      "kept.")
TRAIT(COLUMNS, "loss-columns", "columns of frames",
      "At which column of its line a frame is has no place in the format.")
TRAIT(ADDRESSES, "loss-addresses", "addresses",
      "At which address code is has no place in the format; symbols cannot be looked up later.")
TRAIT(OFFSETS, "loss-offsets", "offsets from symbols",
      "How far from the start of its symbol a frame is has no place in the format.")
TRAIT(INLINED, "loss-inlining", "marks of inlined calls",
      "Which frames the compiler put into their callers has no place in the format. They are "
      "written as calls.")
TRAIT(THREADS, "loss-threads", "processes and threads",
      "Which process and thread a cost belongs to has no place in the format: costs are added "
      "up. A format that needs a process gets number 1.")
TRAIT(CPUS, "loss-cpus", "processors",
      "On which processor a cost arose has no place in the format: costs are added up.")
TRAIT(
    LABELS, "loss-labels", "labels",
    "Labels of samples (keys with texts or numbers, such as a request or a span) have no place in the format: "
    "costs are added up.")
TRAIT(EVENTS, "loss-events", "events of metrics",
      "Which event of the recording a metric belongs to has no place in the format.")
TRAIT(METADATA, "loss-metadata", "metadata",
      "What the file says of its recording (command, version, options) has no place in the "
      "format, or only in part.")
TRAIT(INCOMPLETE, "loss-incomplete", "that the profile is incomplete",
      "The profile was cut, killed or damaged, and the format cannot say so: what is written "
      "looks complete.")
TRAIT(PRIVATE, "loss-private", "details of the original format",
      "The profile holds what only its own format understands, such as unknown keys and "
      "records, and hands it over to no other; writing back the original format may differ in "
      "it.")
