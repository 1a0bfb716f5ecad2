/*
 * What can be wrong with OTLP profiles, each stated once: otlp.h makes an enum of this list and otlp.c a table.
 */
RULE(
    EMPTY, "otlp-empty", PP_ERROR, "there is nothing in the file",
    "The file, or what it holds compressed, has no bytes at all. Not even a message without profiles is empty in JSON.")
RULE(
    VARINT, "otlp-varint", PP_ERROR, "a number is cut or too long",
    "Numbers are varints: seven bits a byte, at most ten bytes, the last below 128. This one does not end where its message "
    "does, or not after ten bytes. The message that it is in is left out.")
RULE(VARINT_OVERFLOW, "otlp-varint-overflow", PP_WARNING, "a number has more than 64 bits",
     "The tenth byte of a varint has room for one bit. What is beyond was dropped.")
RULE(
    CUT, "otlp-cut", PP_ERROR, "a message is cut",
    "A field, or the length before a message, says how many bytes follow, and there are fewer: a download or a copy that broke off. "
    "Everything before that is used; names are in the dictionary, which mostly comes last.")
RULE(
    WIRE, "otlp-wire", PP_ERROR, "this is not protobuf",
    "A field has number 0, a wire type that does not exist, a group has no end, or values are nested deeper than protobuf's "
    "libraries allow. Nothing after it can be read.")
RULE(WIRE_GROUP, "otlp-wire-group", PP_WARNING, "a group was skipped",
     "Groups are an old form of protobuf that OTLP does not use. The group was left out.")
RULE(
    WIRE_TYPE, "otlp-wire-type", PP_ERROR, "a field has the wrong wire type",
    "The field is known, but it is stored as something else. Fields moved until the format became what it is: an exporter of before "
    "September 2025 is the usual reason. The field is not used.")
RULE(
    UNKNOWN_FIELD, "otlp-unknown-field", PP_NOTE, "there are unknown fields",
    "Later versions of the format may have more fields. They are ignored, as OTLP demands, and kept when protobuf is written as "
    "protobuf again.")
RULE(
    UTF8, "otlp-utf8", PP_ERROR, "a text is not UTF-8",
    "Protobuf libraries refuse the whole message, so that no collector takes it. Names are kept here as they are.")
RULE(
    JSON, "otlp-json", PP_ERROR, "this is not OTLP's JSON",
    "The text is not JSON, or a value is of the wrong kind: a whole number must be one that fits (as a number or as text), ids of traces "
    "and spans are hexadecimal, other bytes base64, lists are lists, no key comes twice. The value is left out.")
RULE(
    JSON_NAME, "otlp-json-name", PP_WARNING, "a key in snake_case is ignored",
    "OTLP's JSON has keys in lowerCamelCase only; others are unknown and must be ignored. A sample whose stack_index is ignored has no stack.")
RULE(DICTIONARY, "otlp-dictionary", PP_ERROR, "there is no dictionary",
     "Samples refer to tables of the dictionary, and there is none: nothing has a name.")
RULE(
    ZERO, "otlp-zero", PP_ERROR, "the first element of a table is not empty",
    "Index 0 means \"not set\" everywhere, so element 0 of each table has to be its zero value. Where it is not, all indices may be off "
    "by one.")
RULE(TABLE_MISSING, "otlp-table-missing", PP_WARNING, "a table is missing",
     "Each of the seven tables has to be there with its zero value, even when nothing is in it.")
RULE(
    INDEX, "otlp-index", PP_ERROR, "an element does not exist",
    "An index is negative or beyond its table. A sample whose stack does not exist is left out; all else counts as not set.")
RULE(
    LOCATION_ZERO, "otlp-location-zero", PP_WARNING, "a stack refers to location 0",
    "Location 0 means \"not set\". An example in the definition of the format itself does this. It is shown as a frame without a name.")
RULE(ATTRIBUTE_ZERO, "otlp-attribute-zero", PP_WARNING, "attribute 0 is referred to",
     "Attribute 0 means \"not set\", so there is no reason to list it. It is ignored.")
RULE(FUNCTION_EMPTY, "otlp-function-empty", PP_ERROR, "a function has no name and no file",
     "A function that is not element 0 needs a name, a system name or a file.")
RULE(
    DUPLICATE, "otlp-duplicate", PP_NOTE, "a table has an element twice",
    "That is allowed and means nothing: equal functions are one function. Writers should not do it.")
RULE(
    SAMPLE_EMPTY, "otlp-sample-empty", PP_ERROR, "a sample has neither values nor timestamps",
    "A sample counts its values, or 1 for each of its timestamps. This one counts nothing and is left out.")
RULE(
    SAMPLE_COUNT, "otlp-sample-count", PP_ERROR, "values and timestamps do not go together",
    "A sample that has both has one value for each timestamp. Here their numbers differ, and the sample is left out.")
RULE(SAMPLE_VALUES, "otlp-sample-values", PP_WARNING, "several values without timestamps",
     "A sample without timestamps has one value. They were added up.")
RULE(
    SAMPLE_SHAPES, "otlp-sample-shapes", PP_WARNING, "samples of several shapes in one profile",
    "Samples have values, or timestamps that count 1 each, or both; all of one profile should be of one shape. All were counted.")
RULE(TIME, "otlp-time", PP_WARNING, "a timestamp is outside of its profile",
     "Timestamps lie within the time of their profile, which does not include its end.")
RULE(SAMPLE_TYPE, "otlp-sample-type", PP_WARNING, "a profile does not say what it counts",
     "It has no sample type. Its values are shown as column1.")
RULE(
    SAMPLE_TYPE_UNITS, "otlp-sample-type-units", PP_WARNING, "one sample type in two units",
    "Profiles of one sample type are one metric. Where their units are of one kind they were brought together; else they are shown apart.")
RULE(NO_PROFILES, "otlp-no-profiles", PP_WARNING, "there is no profile",
     "The message is valid, but contains no profile.")
RULE(
    ATTRIBUTE_KEY, "otlp-attribute-key", PP_ERROR, "a key comes twice, or not at all",
    "Keys of attributes are unique on each sample, location, mapping, profile, resource and scope. The table of attributes may repeat them. "
    "An attribute without a key is a warning only.")
RULE(ATTRIBUTE_NAME, "otlp-attribute-key", PP_WARNING, "a key comes twice, or not at all",
     "An attribute of the table has no key.")
RULE(KEY_BOTH, "otlp-key-both", PP_ERROR, "a key is given twice",
     "An attribute has its key as text or as an index into the strings, never both.")
RULE(VALUE_BOTH, "otlp-value-both", PP_WARNING, "a value is several at once",
     "A value is a text, a number, a list or something else. The last one counts.")
RULE(ID_LENGTH, "otlp-id-length", PP_ERROR, "an id has the wrong length",
     "The id of a profile or of a trace has 16 bytes, that of a span 8.")
RULE(ID_ZERO, "otlp-id-zero", PP_WARNING, "the id of a profile is all zero",
     "An id of all zeros is not an id. Without one, the field is left out.")
RULE(
    PAYLOAD, "otlp-payload", PP_ERROR, "an original without its format, or the other way round",
    "A profile may bring the file that it was made of (original_payload), and says then of which format that is.")
RULE(
    MAPPING_RANGE, "otlp-mapping-range", PP_WARNING, "a mapping ends before it starts",
    "The memory_limit of a mapping is below its memory_start, so that no address is in it. Its name is used all the same.")
RULE(LINE_NUMBER, "otlp-line-number", PP_WARNING, "a line number is impossible",
     "Lines and columns are counted from 1 on, and no file has 2^32. They are not shown.")
