/*
 * Records of JSON by a table: what is right is taken in any order, all that is wrong is told in one go.
 */
#include "tap.h"

#include <stdarg.h>

#include "base/buf.h"
#include "formats/kit/json_record.h"

enum { R_OBJECT, R_NAME, R_LINE, R_KIND, R_TWICE, R_UNKNOWN, R_LARGE, R_FINITE, R_LIST };

struct frame {
	uint32_t has, kind;
	struct pp_slice name;
	uint64_t line;
	struct pp_decimal cost;
	bool hot;
	size_t items;
};

struct reader {
	struct pp_json_reader json;
	struct pp_buf found;
};

static const struct pp_json_words kinds = { 2, { PP_KEY("user"), PP_KEY("kernel") } };
static const struct pp_slice keys[] = { PP_KEY("name"), PP_KEY("line"), PP_KEY("kind"),
	                                PP_KEY("cost"), PP_KEY("hot"),  PP_KEY("list") };
static const struct pp_json_field fields[] = {
	{ PP_JSON_TEXT, offsetof(struct frame, name), R_NAME, R_NAME, NULL },
	{ PP_JSON_UINT, offsetof(struct frame, line), R_LINE, PP_JSON_OPTIONAL, NULL },
	{ PP_JSON_WORD, offsetof(struct frame, kind), R_KIND, PP_JSON_OPTIONAL, &kinds },
	{ PP_JSON_DECIMAL, offsetof(struct frame, cost), R_LINE, PP_JSON_OPTIONAL, NULL },
	{ PP_JSON_TRUTH, offsetof(struct frame, hot), R_LINE, PP_JSON_OPTIONAL, NULL },
	{ PP_JSON_OWN, offsetof(struct frame, items), R_LIST, PP_JSON_OPTIONAL, "the list" },
};
static const struct pp_json_shape shape = {
	"the frame", keys, fields, PP_COUNT_OF(keys), true, offsetof(struct frame, has), 0, NULL
};

static void find(struct pp_json_reader *, unsigned rule, const unsigned char *at, const char *fmt,
                 ...) PP_PRINTF(4, 5);

static void
find(struct pp_json_reader *json, unsigned rule, const unsigned char *at, const char *fmt, ...)
{
	struct reader *r = (struct reader *)json;
	va_list args;

	pp_buf_addf(&r->found, "%u@%zu ", rule, (size_t)(at - json->scan.begin));
	va_start(args, fmt);
	va_end(args);
}

/* A kind of our own: a list, of which only the length matters. */
static bool
list_read(struct pp_json_reader *json, struct pp_json_object *o, void *out)
{
	const struct pp_json_field *f = pp_json_object_field(o);
	size_t *n = (size_t *)((char *)out + f->to);

	if (!pp_json_array_begin(json, f->wrong, f->more))
		return pp_json_value_bad(o);
	for (*n = 0; pp_scan_item(&json->scan); ++*n)
		(void)pp_json_walk(json);
	return true;
}

static void
check(const char *text, bool read, const struct frame *wanted, const char *found)
{
	char padded[256 + PP_SCAN_PAD] = { 0 };
	struct pp_arena arena = { 0 };
	struct reader r = { .json = { .arena = &arena,
		                      .find = find,
		                      .own = list_read,
		                      .key_twice = R_TWICE,
		                      .key_unknown = R_UNKNOWN,
		                      .too_large = R_LARGE,
		                      .not_finite = R_FINITE } };
	struct frame got = { 0 };

	if (!pp_json_reader_init(&r.json, 1) || strlen(text) > 256)
		abort();
	memcpy(padded, text, strlen(text));
	pp_scan_init(&r.json.scan, pp_slice_of(padded, strlen(text)), 0, PP_SCAN_STRICT);
	ok(pp_json_object_read(&r.json, &shape, R_OBJECT, NULL, &got) == read &&
	       pp_scan_end(&r.json.scan) && !r.json.failed,
	   "%s is read", text);
	ok(got.has == wanted->has && (!(got.has & 2) || got.line == wanted->line) &&
	       got.kind == wanted->kind && got.items == wanted->items && got.hot == wanted->hot &&
	       (!(got.has & 8) || pp_decimal_cmp(&got.cost, &wanted->cost) == 0) &&
	       pp_slice_eq(got.name, wanted->name),
	   "values");
	ok(strcmp(r.found.p ? r.found.p : "", found) == 0, "findings: %s, wanted %s",
	   r.found.p ? r.found.p : "", found);
	pp_buf_release(&r.found);
	pp_json_reader_release(&r.json);
	pp_arena_release(&arena);
}

int
main(void)
{
	struct frame none = { 0 }, named = { .has = 1, .name = pp_slice_z("a\"b") };
	struct frame all = { .has = 63,
		             .kind = 1,
		             .name = pp_slice_z("f"),
		             .line = UINT64_MAX,
		             .cost = { .magnitude = 125, .scale = 2, .negative = true },
		             .hot = true,
		             .items = 2 };

	check("{\"list\":[1,{\"a\":[]}],\"hot\":true,\"cost\":-12.5e-1,\"kind\":\"kernel\","
	      "\"line\":18446744073709551615,\"name\":\"f\"}",
	      true, &all, "");
	check("{\"name\":\"a\\\"b\",\"line\":null,\"x_mine\":{\"a\":1}}", true, &named, "");
	check("{}", true, &none, "1@0 ");
	check("[1]", false, &none, "0@0 ");
	check("{\"name\":1,\"line\":-1,\"kind\":\"?\",\"cost\":1e999,\"hot\":0,\"list\":{}}", true,
	      &none, "1@8 2@17 3@27 7@38 2@50 8@59 ");
	check("{\"name\":\"a\\\"b\",\"name\":2,\"line\":18446744073709551616}", true, &named,
	      "4@15 6@31 ");
	check("{\"name\":\"a\\\"b\",\"more\":{\"a\":1,\"b\":[{\"c\":1,\"c\":2}],\"a\":2}}", true,
	      &named, "5@15 4@41 4@49 ");
	return tap_done();
}
