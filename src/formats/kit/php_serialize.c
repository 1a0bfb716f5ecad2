/*
 * PHP's serialize() to JSON: i:1; d:1.5; b:1; N; s:BYTES:"..."; a:COUNT:{key value ...}
 */
#include "formats/kit/php_serialize.h"

#include "base/num.h"
#include "text/json_scan.h"

#define NESTED_MOST 64

struct php {
	const unsigned char *cur, *end;
	const char *problem;
	struct pp_json json;
	/* Arrays that are open: how many keys and values follow. */
	uint64_t left[NESTED_MOST];
	unsigned depth;
};

/* ---- reading ------------------------------------------------------------------------------ */

static bool
fail(struct php *p, const char *problem)
{
	p->problem = p->problem ? p->problem : problem;
	return false;
}

static inline bool
word_take(struct php *p, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(p->end - p->cur) < n || memcmp(p->cur, word, n) != 0)
		return fail(p, p->cur < p->end ? "it is not what serialize() writes"
		                               : "it ends in the middle");
	p->cur += n;
	return true;
}

/* What stands before a separator, which is passed. */
static bool
field_take(struct php *p, unsigned char separator, struct pp_slice *field)
{
	const unsigned char *at = p->cur, *end = p->end;

	/* Numbers have few digits, whatever stands behind. */
	end = end - at > PP_NUM_MAX ? at + PP_NUM_MAX : end;
	while (at < end && *at != separator)
		at++;
	if (at == end)
		return fail(p, "a number does not end");
	*field = pp_slice_between(p->cur, at);
	p->cur = at + 1;
	return true;
}

static bool
count_take(struct php *p, unsigned char separator, uint64_t *n)
{
	struct pp_slice digits;

	return field_take(p, separator, &digits) &&
	       (pp_num_u64(digits, n) || fail(p, "a count is not a number"));
}

static bool
text_take(struct php *p, struct pp_slice *text)
{
	uint64_t n;

	if (!count_take(p, ':', &n) || !word_take(p, "\""))
		return false;
	if (n > (uint64_t)(p->end - p->cur))
		return fail(p, "a text claims more bytes than there are");
	*text = pp_slice_of(p->cur, (size_t)n);
	p->cur += n;
	return word_take(p, "\";");
}

/* A number as JSON has it, too. */
static bool
number_take(struct php *p, struct pp_slice *text)
{
	int64_t whole;
	double d;

	if (!field_take(p, ';', text))
		return false;
	return pp_num_i64(*text, &whole) || pp_num_double(*text, &d) || fail(p, "a number is none");
}

static bool
array_enter(struct php *p)
{
	uint64_t n;

	if (!count_take(p, ':', &n) || !word_take(p, "{"))
		return false;
	/* A key and a value have two bytes each at least. */
	if (n > (uint64_t)(p->end - p->cur) / 4)
		return fail(p, "an array claims more than there is");
	if (p->depth == NESTED_MOST)
		return fail(p, "it is nested too deep");
	p->left[p->depth++] = 2 * n;
	pp_json_begin_object(&p->json);
	return true;
}

static bool
key_take(struct php *p, unsigned char type)
{
	struct pp_slice text;

	if (type == 's' ? !text_take(p, &text) : type == 'i' ? !number_take(p, &text) : true)
		return fail(p, "a key is neither a text nor a number");
	pp_json_key_text(&p->json, text);
	return true;
}

static bool
value_take(struct php *p, unsigned char type)
{
	struct pp_slice text;

	if (type == 'a')
		return array_enter(p);
	if (type == 's') {
		if (text_take(p, &text))
			pp_json_text(&p->json, text);
	} else if (type == 'i' || type == 'd') {
		if (number_take(p, &text))
			pp_json_raw(&p->json, (const char *)text.p, text.n);
	} else if (type == 'b') {
		if (field_take(p, ';', &text))
			pp_json_bool(&p->json, pp_slice_eq_z(text, "1"));
	} else {
		return fail(p, "it holds objects or references, which are not read");
	}
	return !p->problem;
}

/* A key or a value, and the ends of arrays behind it. */
static bool
next_take(struct php *p)
{
	bool key = p->depth && p->left[p->depth - 1] % 2 == 0;
	unsigned char type;

	if (p->end - p->cur < 2)
		return fail(p, "it ends in the middle");
	type = *p->cur++;
	p->left[p->depth ? p->depth - 1 : 0] -= p->depth > 0;
	if (type == 'N' && !key) {
		if (!word_take(p, ";"))
			return false;
		pp_json_null(&p->json);
	} else if (!word_take(p, ":") || !(key ? key_take(p, type) : value_take(p, type))) {
		return false;
	}
	while (p->depth && p->left[p->depth - 1] == 0) {
		if (!word_take(p, "}"))
			return false;
		pp_json_end_object(&p->json);
		p->depth--;
	}
	return true;
}

bool
pp_php_is_array(struct pp_slice text)
{
	struct pp_slice rest = text, digits;
	bool colon;
	uint64_t n;

	if (!pp_slice_take(&rest, "a:"))
		return false;
	rest.n = rest.n < PP_NUM_MAX ? rest.n : PP_NUM_MAX;
	digits = pp_slice_cut(&rest, ':', &colon);
	return colon && pp_num_u64(digits, &n) && pp_slice_starts(rest, "{");
}

pp_status
pp_php_to_json(struct pp_slice text, struct pp_buf *json, const char **problem,
               const unsigned char **at)
{
	struct php p = { .cur = text.p, .end = text.p + text.n };
	struct pp_sink *out;
	pp_status status = pp_sink_buffer(json, &out);

	if (status != PP_OK)
		return status;
	pp_json_init(&p.json, out, PP_JSON_COMPACT);
	do {
		if (!next_take(&p))
			break;
	} while (p.depth && out->status == PP_OK);
	while (!p.problem && p.cur < p.end && pp_is_space(*p.cur))
		p.cur++;
	if (!p.problem && p.cur < p.end)
		(void)fail(&p, "something follows the array");
	status = pp_sink_commit(out);
	pp_sink_close(out);
	*problem = p.problem;
	*at = p.cur;
	if (status == PP_OK && (!pp_buf_room(json, PP_SCAN_PAD) || json->failed))
		status = PP_E_NOMEM;
	return status != PP_OK ? status : p.problem ? PP_E_INVALID : PP_OK;
}

/* ---- writing ------------------------------------------------------------------------------ */

void
pp_php_array_begin(struct pp_json *j, bool php, size_t members)
{
	if (php)
		pp_sink_printf(j->out, "a:%zu:{", members);
	else
		pp_json_begin_object(j);
}

void
pp_php_array_end(struct pp_json *j, bool php)
{
	if (php)
		pp_sink_putc(j->out, '}');
	else
		pp_json_end_object(j);
}

void
pp_php_key(struct pp_json *j, bool php, struct pp_slice key)
{
	if (!php) {
		pp_json_key_text(j, key);
		return;
	}
	pp_sink_printf(j->out, "s:%zu:\"", key.n);
	pp_sink_write(j->out, key.p, key.n);
	pp_sink_puts(j->out, "\";");
}

void
pp_php_number(struct pp_json *j, bool php, const char *key, int64_t n)
{
	pp_php_key(j, php, pp_slice_z(key));
	if (php)
		pp_sink_printf(j->out, "i:%lld;", (long long)n);
	else
		pp_json_i64(j, n);
}
