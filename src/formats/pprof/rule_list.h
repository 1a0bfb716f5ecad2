/*
 * What can be wrong with a pprof profile, each stated once: pprof.h makes an enum of this list and pprof.c a table.
 */
RULE(
    EMPTY, "pprof-empty", PP_ERROR, "there is nothing in the file",
    "The file, or what it holds compressed, has no bytes at all. Not even a profile without samples is empty.")
RULE(
    VARINT, "pprof-varint", PP_ERROR, "a number is cut or too long",
    "Numbers are varints: seven bits a byte, at most ten bytes, the last below 128. This one does not end where its message "
    "does, or not after ten bytes. The message that it is in is left out.")
RULE(
    VARINT_OVERFLOW, "pprof-varint-overflow", PP_WARNING, "a number has more than 64 bits",
    "The tenth byte of a varint has room for one bit. What is beyond was dropped, as google/pprof does; other readers "
    "refuse the file.")
RULE(
    CUT, "pprof-cut", PP_ERROR, "a field exceeds its message",
    "A field says how many bytes it has, and there are fewer. At the end of the file that is a download or a copy that "
    "broke off. Everything before that is used.")
RULE(
    WIRE, "pprof-wire", PP_ERROR, "this is not protobuf",
    "A field has number 0, a wire type that does not exist, or a group has no end. Nothing after it can be read.")
RULE(
    WIRE_GROUP, "pprof-wire-group", PP_WARNING, "a group was skipped",
    "Groups are an old form of protobuf that no profile uses. The group was left out; google/pprof refuses the file.")
RULE(
    WIRE_TYPE, "pprof-wire-type", PP_ERROR, "a field has the wrong wire type",
    "The field is known, but it is stored as something else: a sample as a number, a period as eight bytes. The field is not "
    "used.")
RULE(
    FIELD_TWICE, "pprof-field-twice", PP_WARNING, "period_type is there twice",
    "Readers do not agree on what that means: google/pprof takes the last one, protobuf libraries merge both. The last one is used here.")
RULE(
    UNKNOWN_FIELD, "pprof-unknown-field", PP_NOTE, "there are unknown fields",
    "Later versions of the format may have more fields. They are kept when the profile is written as pprof again; google/pprof drops them.")
RULE(
    CONCATENATED, "pprof-concatenated", PP_ERROR, "several profiles in one file",
    "The time of the recording is there a second time, as when two files are put one behind the other (cat). Their ids and strings "
    "collide, so only the first is used. `polyprof merge` adds up profiles.")
RULE(
    STRING_TABLE, "pprof-string-table", PP_ERROR, "there is no string table",
    "All names are numbers of strings in one table, which many programs write last. Without it nothing has a name: the file was cut.")
RULE(
    STRING_ZERO, "pprof-string-zero", PP_ERROR, "the first string is not empty",
    "String 0 stands for no name at all and has to be empty. Where it is not, an index may be off by one everywhere.")
RULE(STRING_INDEX, "pprof-string-index", PP_ERROR, "a string does not exist",
     "The field refers to a string beyond the table, or to a negative one. It counts as empty.")
RULE(
    STRING_EMPTY, "pprof-string-empty", PP_WARNING, "the empty string is there again",
    "Only string 0 is empty in what programs write. A second one is a sign of two profiles put one behind the other, whose "
    "numbers then mean other strings; or a label has an empty text.")
RULE(
    UTF8, "pprof-utf8", PP_WARNING, "a string is not UTF-8",
    "Names are kept as they are. Protobuf libraries refuse the whole file, so that other tools cannot read it.")
RULE(SAMPLE_TYPE_MISSING, "pprof-sample-type-missing", PP_ERROR, "samples have no types",
     "Nothing says what the values of the samples are.")
RULE(NO_METRICS, "pprof-no-metrics", PP_WARNING, "nothing is counted",
     "The profile has neither sample types nor samples.")
RULE(
    SAMPLE_TYPE_DUPLICATE, "pprof-sample-type-duplicate", PP_WARNING,
    "two sample types have one name",
    "They cannot be told apart by name, and google/pprof does not open the file. The second is called NAME#2 here.")
RULE(SAMPLE_TYPE_NAME, "pprof-sample-type-name", PP_WARNING, "a sample type has no name",
     "It is called column1, column2 and so on, by its place.")
RULE(DEFAULT_TYPE, "pprof-default-type", PP_WARNING, "the default sample type does not exist",
     "default_sample_type names none of the sample types. The last one is shown, as without it.")
RULE(VALUE_COUNT, "pprof-value-count", PP_ERROR, "a sample has the wrong number of values",
     "Each sample has one value for each sample type. This one has more or fewer and is left out.")
RULE(LOCATION_UNKNOWN, "pprof-location-unknown", PP_ERROR, "a sample refers to no location",
     "A location of that id does not exist, or the id is 0. The sample is left out.")
RULE(
    LOCATION_ID, "pprof-location-id", PP_ERROR, "a location has no id of its own",
    "Ids are unique and not 0. The location is left out, also when it is the same as the one before.")
RULE(
    FUNCTION_ID, "pprof-function-id", PP_ERROR, "a function has no id of its own",
    "Ids are unique and not 0. The function is left out, also when it is the same as the one before.")
RULE(
    MAPPING_ID, "pprof-mapping-id", PP_ERROR, "a mapping has no id of its own",
    "Ids are unique and not 0. The mapping is left out, also when it is the same as the one before.")
RULE(FUNCTION_UNKNOWN, "pprof-function-unknown", PP_ERROR, "a line refers to no function",
     "A function of that id does not exist, or the id is 0. The frame has no name.")
RULE(
    MAPPING_UNKNOWN, "pprof-mapping-unknown", PP_WARNING, "a location refers to no mapping",
    "A mapping of that id does not exist. The location belongs to no binary; google/pprof says nothing.")
RULE(MAPPING_RANGE, "pprof-mapping-range", PP_WARNING, "a mapping ends before it starts",
     "The limit of its addresses is below their start.")
RULE(ADDRESS_RANGE, "pprof-address-range", PP_NOTE, "an address is outside of its mapping",
     "Agents that normalise addresses write such profiles. The address is kept as it is.")
RULE(
    LINE_NUMBER, "pprof-line-number", PP_WARNING, "a line number is impossible",
    "A line, a column or the first line of a function is negative or has more than 32 bits. It counts as unknown; written as pprof "
    "again it is kept.")
RULE(
    FUNCTION_NAME, "pprof-function-name", PP_NOTE, "a function has no name",
    "Its cost is shown under the name of its binary, [NAME], or <unknown>, as that of addresses without symbols is.")
RULE(LABEL_KEY, "pprof-label-key", PP_WARNING, "a label has no key",
     "It cannot be used to select samples. It is kept when the profile is written as pprof again.")
RULE(LABEL_BOTH, "pprof-label-both", PP_WARNING, "a label has a text and a number",
     "It may have one of them. The text counts.")
RULE(LABEL_REPEATED, "pprof-label-repeated", PP_WARNING, "a sample has several labels of one key",
     "All of them are kept; a filter by the key is met when one of them meets it.")
RULE(LABEL_UNITS, "pprof-label-units", PP_WARNING, "a label comes in several units",
     "Numbers of one key should have one unit. google/pprof takes the first unit for all of them.")
RULE(
    LABEL_RESERVED, "pprof-label-reserved", PP_NOTE, "a label of google/pprof's own",
    "Keys that start with pprof:: mean something to google/pprof: pprof::base marks what is subtracted, and its totals are those of the "
    "marked samples only. Here it is a label like any other.")
RULE(TIME, "pprof-time", PP_WARNING, "the time or the duration is negative",
     "Nothing was recorded before 1970 or in less than no time. It counts as unknown.")
RULE(DOC_URL, "pprof-doc-url", PP_WARNING, "doc_url is not a web address",
     "It should start with http:// or https://. Tools do not show it.")
RULE(
    FRAMES_REGEX, "pprof-frames-regex", PP_WARNING, "drop_frames or keep_frames has no effect",
    "It is not a regular expression, takes too long, or keep_frames stands without drop_frames. All frames are kept; google/pprof says nothing.")
RULE(
    LEGACY_LINE, "pprof-legacy-line", PP_ERROR, "a line is not a stack",
    "The older forms are text: counts, then @ and the addresses of a stack, or the frames of a thread. This line is neither, nor a name. It is left "
    "out.")
