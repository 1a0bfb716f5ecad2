/*
 * speedscope's own JSON, which py-spy, rbspy, dotnet-trace, Excimer and others write for it.
 *
 *     {"$schema": "https://www.speedscope.app/file-format-schema.json",
 *      "shared": {"frames": [{"name": "main", "file": "/a.py", "line": 3, "col": 1}]},
 *      "profiles": [{"type": "sampled", "name": "thread 1", "unit": "seconds", "startValue": 0, "endValue": 14,
 *                    "samples": [[0, 1], [0]], "weights": [5, 9]},
 *                   {"type": "evented", "name": "thread 2", "unit": "none", "startValue": 0, "endValue": 14,
 *                    "events": [{"type": "O", "frame": 0, "at": 0}, {"type": "C", "frame": 0, "at": 14}]}],
 *      "name": "group", "activeProfileIndex": 0, "exporter": "py-spy@0.3.14"}
 *
 * Keys come in any order. Samples are root first; lines and columns count from 1; `at` is absolute. A profile is a thread, a
 * frame is a function by name, file, line and column, and profiles of different units are different metrics.
 */
#include "formats/speedscope/speedscope.h"

#include "formats/kit/fixed.h"

#define RANGE_TEXT                                                                                 \
	"They are missing, the end is before the start, or events are outside; where one is no "   \
	"number, that is an error, and it counts as missing. All events are used at their own "    \
	"times."

const struct pp_rule pp_speedscope_rules[] = {
	[SPEEDSCOPE_JSON] = { "speedscope-json", PP_ERROR, "the JSON is broken",
	                      "From this place on, the file is not JSON. Everything before it was read." },
	[SPEEDSCOPE_CUT] = { "speedscope-cut", PP_ERROR, "the file is cut",
	                     "The file breaks off. All that is whole before that was read; samples whose "
	                     "weights are missing have no value and are not used." },
	[SPEEDSCOPE_SHAPE] = { "speedscope-shape", PP_ERROR,
	                       "a value is missing or of the wrong type",
	                       "A file has shared.frames, each with a name, and profiles; a sampled profile has "
	                       "samples and weights, an evented one has events. Anything else is left out." },
	[SPEEDSCOPE_TYPE] = { "speedscope-type", PP_ERROR,
	                      "a profile is neither sampled nor evented",
	                      "The type of a profile is \"sampled\" or \"evented\". This one is left out." },
	[SPEEDSCOPE_LENGTHS] = { "speedscope-lengths", PP_ERROR,
	                         "there are not as many weights as samples",
	                         "Each sample has a weight. Those that have both are used." },
	[SPEEDSCOPE_NUMBER] = { "speedscope-number", PP_ERROR, "a weight or a time is not a number",
	                        "Weights and times are numbers that 64 bits can hold. The sample or event is left "
	                        "out." },
	[SPEEDSCOPE_FRAME_INDEX] = { "speedscope-frame-index", PP_ERROR, "a frame does not exist",
	                             "Frames are whole numbers from 0 on, places in shared.frames. The sample or "
	                             "event is left out." },
	[SPEEDSCOPE_EVENT_ORDER] = { "speedscope-event-order", PP_ERROR, "time goes backwards",
	                             "Events come in chronological order. This one is taken at the time of the one "
	                             "before it." },
	[SPEEDSCOPE_EVENT_CLOSE] = { "speedscope-event-close", PP_ERROR,
	                             "a frame is closed that is not the innermost",
	                             "Where the frame is open further out, all within it are closed, too; where it "
	                             "is not open, the event is left out." },
	[SPEEDSCOPE_EVENT_TYPE] = { "speedscope-event-type", PP_ERROR,
	                            "an event neither opens nor closes",
	                            "The type of an event is \"O\" or \"C\". This one is left out." },
	[SPEEDSCOPE_SCHEMA_RULE] = { "speedscope-schema", PP_WARNING,
	                             "the file does not name its schema",
	                             "A speedscope file has \"$schema\": \"" SPEEDSCOPE_SCHEMA
	                             "\". Without it speedscope goes by the name of the file." },
	[SPEEDSCOPE_UNIT] = { "speedscope-unit", PP_WARNING, "a unit is not known",
	                      "Units are nanoseconds, microseconds, milliseconds, seconds, bytes and none. Others "
	                      "count as weight." },
	[SPEEDSCOPE_RANGE] = { "speedscope-range", PP_WARNING, "startValue and endValue do not fit",
	                       RANGE_TEXT },
	[SPEEDSCOPE_RANGE_WRONG] = { "speedscope-range", PP_ERROR,
	                             "startValue and endValue do not fit", RANGE_TEXT },
	[SPEEDSCOPE_ACTIVE] = { "speedscope-active", PP_WARNING,
	                        "the active profile does not exist",
	                        "activeProfileIndex is the place of a profile. The first one is taken." },
	[SPEEDSCOPE_NAME] = { "speedscope-name", PP_WARNING, "a profile has no name",
	                      "Profiles are mostly threads and are chosen by their names." },
	[SPEEDSCOPE_OPEN] = { "speedscope-open", PP_WARNING, "frames are open at the end",
	                      "They are closed at the last event or at endValue, whichever is later." },
	[SPEEDSCOPE_WEIGHT_NEGATIVE] = { "speedscope-weight-negative", PP_WARNING,
	                                 "a weight is negative",
	                                 "It is used as it is, as differences have such. speedscope refuses the "
	                                 "file." },
	[SPEEDSCOPE_DIGITS] = { "speedscope-digits", PP_WARNING, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[SPEEDSCOPE_DIGITS_FINE] = { "speedscope-digits", PP_NOTE, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[SPEEDSCOPE_EMPTY] = { "speedscope-empty", PP_NOTE, "there is no profile",
	                       "The list of profiles is empty, so there is nothing to show." },
	[SPEEDSCOPE_BOM] = { "speedscope-bom", PP_NOTE, "a byte order mark comes before the JSON",
	                     "It is skipped. Other readers of JSON may refuse the file." },
	{ 0 },
};

const struct speedscope_unit *
pp_speedscope_unit(struct pp_json_str word)
{
	static const struct speedscope_unit units[] = {
		{ "nanoseconds", SPEEDSCOPE_TIME, 9 },  { "microseconds", SPEEDSCOPE_TIME, 6 },
		{ "milliseconds", SPEEDSCOPE_TIME, 3 }, { "seconds", SPEEDSCOPE_TIME, 0 },
		{ "bytes", SPEEDSCOPE_BYTES, 0 },       { "none", SPEEDSCOPE_WEIGHT, 0 },
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(units); i++)
		if (pp_json_str_eq(word, units[i].word))
			return &units[i];
	return NULL;
}

/* ---- recognition --------------------------------------------------------------------------- */

/* Looks at the keys of the outermost object as far as the first bytes have them. */
static int
speedscope_bid(const struct pp_peek *peek)
{
	struct pp_slice head = peek->head;
	struct pp_json_str key, text;
	bool shared = false, profiles = false;
	struct pp_scan s;

	if (head.n >= 3 && memcmp(head.p, "\xef\xbb\xbf", 3) == 0)
		head = pp_slice_of(head.p + 3, head.n - 3);
	pp_scan_init(&s, head, 0, PP_SCAN_TOLERANT);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return 0;
	while (pp_scan_key(&s, &key)) {
		if (pp_json_str_eq(key, "$schema")) {
			if (pp_scan_if_string(&s, &text) && pp_json_str_eq(text, SPEEDSCOPE_SCHEMA))
				return 8 * (int)sizeof SPEEDSCOPE_SCHEMA;
			continue;
		}
		shared |= pp_json_str_eq(key, "shared") && pp_scan_peek(&s) == PP_JSON_OBJECT;
		profiles |= pp_json_str_eq(key, "profiles") && pp_scan_peek(&s) == PP_JSON_ARRAY;
		(void)pp_scan_pass(&s);
	}
	/* The schema may stand behind what was looked at. */
	if (shared && profiles)
		return 64;
	if (!shared && !profiles)
		return 0;
	return memmem(head.p, head.n, shared ? "\"frames\"" : "\"unit\"", shared ? 8 : 6) ? 40 : 0;
}

static const struct pp_holds speedscope_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(TIMELINE) | PP_HAS(THREADS) | PP_HAS(FILES) |
	           PP_HAS(SAMPLES) | PP_HAS(CALLS) | PP_HAS(TIME) | PP_HAS(EVENTS) |
	           PP_HAS(FIRST_LINES) | PP_HAS(FIRST_COLUMNS),
	  .apart = PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(FIRST_COLUMNS),
	  .values = "any that are not below 0" },
};

const struct pp_format pp_format_speedscope = {
	.name = "speedscope",
	.title = "speedscope profile (py-spy, rbspy and others)",
	.extensions = "speedscope.json speedscope",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_TIMELINE | PP_META,
	.writes = PP_WRITES_JSON,
	.bid = speedscope_bid,
	.read = pp_speedscope_read,
	.write = pp_speedscope_write,
	.holds = speedscope_holds,
	.rules = pp_speedscope_rules,
};
