/*
 * The messages of OTLP profiles (opentelemetry.proto.profiles.v1development and what it needs of common and resource) as data.
 */
#include "formats/otlp/otlp.h"

#define KEY(text)                                                                                  \
	{                                                                                          \
		(const unsigned char *)(text), sizeof(text) - 1                                    \
	}
#define ONE(k)                                                                                     \
	{                                                                                          \
		.kind = OTLP_##k                                                                   \
	}
#define MANY(k)                                                                                    \
	{                                                                                          \
		.kind = OTLP_##k, .many = true                                                     \
	}
#define SUB(t)                                                                                     \
	{                                                                                          \
		.kind = OTLP_MESSAGE, .type = OTLP_##t                                             \
	}
#define SUBS(t)                                                                                    \
	{                                                                                          \
		.kind = OTLP_MESSAGE, .many = true, .type = OTLP_##t                               \
	}
#define HEX                                                                                        \
	{                                                                                          \
		.kind = OTLP_BYTES, .hex = OTLP_HEX                                                \
	}
#define ID                                                                                         \
	{                                                                                          \
		.kind = OTLP_BYTES, .hex = OTLP_EITHER                                             \
	}
#define KEYS(...)                                                                                  \
	(const struct pp_slice[])                                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define FIELDS(...)                                                                                \
	(const struct otlp_field[]){ __VA_ARGS__ },                                                \
	    sizeof((const struct otlp_field[]){ __VA_ARGS__ }) / sizeof(struct otlp_field)

const struct otlp_message pp_otlp_messages[OTLP_TYPES] = {
	[OTLP_DATA] = { "ProfilesData", KEYS(KEY("resourceProfiles"), KEY("dictionary")),
	                FIELDS(SUBS(RESOURCE_PROFILES), SUB(DICTIONARY)) },
	[OTLP_RESOURCE_PROFILES] = { "ResourceProfiles",
	                             KEYS(KEY("resource"), KEY("scopeProfiles"), KEY("schemaUrl")),
	                             FIELDS(SUB(RESOURCE), SUBS(SCOPE_PROFILES), ONE(STRING)) },
	[OTLP_RESOURCE] = { "Resource",
	                    KEYS(KEY("attributes"), KEY("droppedAttributesCount"),
	                         KEY("entityRefs")),
	                    FIELDS(SUBS(KEY_VALUE), ONE(UINT32), SUBS(ENTITY_REF)) },
	[OTLP_ENTITY_REF] = { "EntityRef",
	                      KEYS(KEY("schemaUrl"), KEY("type"), KEY("idKeys"),
	                           KEY("descriptionKeys")),
	                      FIELDS(ONE(STRING), ONE(STRING), MANY(STRING), MANY(STRING)) },
	[OTLP_SCOPE_PROFILES] = { "ScopeProfiles",
	                          KEYS(KEY("scope"), KEY("profiles"), KEY("schemaUrl")),
	                          FIELDS(SUB(SCOPE), SUBS(PROFILE), ONE(STRING)) },
	[OTLP_SCOPE] = { "InstrumentationScope",
	                 KEYS(KEY("name"), KEY("version"), KEY("attributes"),
	                      KEY("droppedAttributesCount")),
	                 FIELDS(ONE(STRING), ONE(STRING), SUBS(KEY_VALUE), ONE(UINT32)) },
	[OTLP_KEY_VALUE] = { "KeyValue", KEYS(KEY("key"), KEY("value"), KEY("keyStrindex")),
	                     FIELDS(ONE(STRING), SUB(ANY_VALUE), ONE(INT32)) },
	[OTLP_ANY_VALUE] = { "AnyValue",
	                     KEYS(KEY("stringValue"), KEY("boolValue"), KEY("intValue"),
	                          KEY("doubleValue"), KEY("arrayValue"), KEY("kvlistValue"),
	                          KEY("bytesValue"), KEY("stringValueStrindex")),
	                     FIELDS(ONE(STRING), ONE(BOOL), ONE(INT64), ONE(DOUBLE),
	                            SUB(ARRAY_VALUE), SUB(KEY_VALUE_LIST), ONE(BYTES),
	                            ONE(INT32)) },
	[OTLP_ARRAY_VALUE] = { "ArrayValue", KEYS(KEY("values")), FIELDS(SUBS(ANY_VALUE)) },
	[OTLP_KEY_VALUE_LIST] = { "KeyValueList", KEYS(KEY("values")), FIELDS(SUBS(KEY_VALUE)) },
	[OTLP_PROFILE] = { "Profile",
	                   KEYS(KEY("sampleType"), KEY("samples"), KEY("timeUnixNano"),
	                        KEY("durationNano"), KEY("periodType"), KEY("period"),
	                        KEY("profileId"), KEY("droppedAttributesCount"),
	                        KEY("originalPayloadFormat"), KEY("originalPayload"),
	                        KEY("attributeIndices")),
	                   FIELDS(SUB(VALUE_TYPE), SUBS(SAMPLE), ONE(FIXED64), ONE(UINT64),
	                          SUB(VALUE_TYPE), ONE(INT64), ID, ONE(UINT32), ONE(STRING),
	                          ONE(BYTES), MANY(INT32)) },
	[OTLP_VALUE_TYPE] = { "ValueType", KEYS(KEY("typeStrindex"), KEY("unitStrindex")),
	                      FIELDS(ONE(INT32), ONE(INT32)) },
	[OTLP_SAMPLE] = { "Sample",
	                  KEYS(KEY("stackIndex"), KEY("attributeIndices"), KEY("linkIndex"),
	                       KEY("values"), KEY("timestampsUnixNano")),
	                  FIELDS(ONE(INT32), MANY(INT32), ONE(INT32), MANY(INT64), MANY(FIXED64)) },
	[OTLP_DICTIONARY] = { "ProfilesDictionary",
	                      KEYS(KEY("mappingTable"), KEY("locationTable"), KEY("functionTable"),
	                           KEY("linkTable"), KEY("stringTable"), KEY("attributeTable"),
	                           KEY("stackTable")),
	                      FIELDS(SUBS(MAPPING), SUBS(LOCATION), SUBS(FUNCTION), SUBS(LINK),
	                             MANY(STRING), SUBS(ATTRIBUTE), SUBS(STACK)) },
	[OTLP_MAPPING] = { "Mapping",
	                   KEYS(KEY("memoryStart"), KEY("memoryLimit"), KEY("fileOffset"),
	                        KEY("filenameStrindex"), KEY("attributeIndices")),
	                   FIELDS(ONE(UINT64), ONE(UINT64), ONE(UINT64), ONE(INT32), MANY(INT32)) },
	[OTLP_LOCATION] = { "Location",
	                    KEYS(KEY("mappingIndex"), KEY("address"), KEY("lines"),
	                         KEY("attributeIndices")),
	                    FIELDS(ONE(INT32), ONE(UINT64), SUBS(LINE), MANY(INT32)) },
	[OTLP_LINE] = { "Line", KEYS(KEY("functionIndex"), KEY("line"), KEY("column")),
	                FIELDS(ONE(INT32), ONE(INT64), ONE(INT64)) },
	[OTLP_FUNCTION] = { "Function",
	                    KEYS(KEY("nameStrindex"), KEY("systemNameStrindex"),
	                         KEY("filenameStrindex"), KEY("startLine")),
	                    FIELDS(ONE(INT32), ONE(INT32), ONE(INT32), ONE(INT64)) },
	[OTLP_LINK] = { "Link", KEYS(KEY("traceId"), KEY("spanId")), FIELDS(HEX, HEX) },
	[OTLP_ATTRIBUTE] = { "KeyValueAndUnit",
	                     KEYS(KEY("keyStrindex"), KEY("value"), KEY("unitStrindex")),
	                     FIELDS(ONE(INT32), SUB(ANY_VALUE), ONE(INT32)) },
	[OTLP_STACK] = { "Stack", KEYS(KEY("locationIndices")), FIELDS(MANY(INT32)) },
};

enum pp_wire_type
pp_otlp_wire_type(enum otlp_kind kind)
{
	return kind < OTLP_FIXED64   ? PP_WIRE_VARINT
	       : kind <= OTLP_DOUBLE ? PP_WIRE_FIXED64
	                             : PP_WIRE_BYTES;
}
