/*
 * The verdict of `gate` as SARIF 2.1.0: each limit is a rule, each function that exceeds one a result at its place.
 *
 * Code scanning wants a place for every result: what has none in the source is a result at the profile itself.
 */
#include "base/slice.h"
#include "output/verdict.h"
#include "text/json_emit.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* A path as a URI: relative, or of the scheme `file` where it comes from the root. */
static void
uri_put(struct pp_json *j, struct pp_slice path)
{
	struct pp_buf uri = { 0 };
	size_t i;

	pp_buf_adds(&uri, path.n && path.p[0] == '/' ? "file://" : "");
	for (i = 0; i < path.n; i++) {
		unsigned char c = path.p[i];

		if (c < 0x80 && c &&
		    (pp_is_digit(c) || strchr("-._~/", c) || (unsigned)(c | 0x20) - 'a' < 26))
			pp_buf_addc(&uri, (char)c);
		else
			pp_buf_addf(&uri, "%%%02X", c);
	}
	pp_json_put_text(j, "uri", pp_slice_of(uri.p ? uri.p : "", uri.n));
	if (uri.failed)
		pp_sink_fail(j->out, PP_E_NOMEM, 0);
	pp_buf_release(&uri);
}

/* "text": brackets are escaped where they could make a link, as operator new[](size_t) does. */
static void
message_put(struct pp_json *j, const char *key, struct pp_slice text)
{
	bool links = pp_slice_holds(text, "](");
	struct pp_buf plain = { 0 };
	size_t i, slashes = 0, k;

	for (i = 0; i < text.n; i++) {
		bool bracket = links && (text.p[i] == '[' || text.p[i] == ']');

		for (k = 0; bracket && k <= slashes; k++)
			pp_buf_addc(&plain, '\\');
		slashes = text.p[i] == '\\' ? slashes + 1 : 0;
		pp_buf_addc(&plain, (char)text.p[i]);
	}
	pp_json_put_object(j, key);
	pp_json_put_text(j, "text", pp_slice_of(plain.p ? plain.p : "", plain.n));
	pp_json_end_object(j);
	if (plain.failed)
		pp_sink_fail(j->out, PP_E_NOMEM, 0);
	pp_buf_release(&plain);
}

/* Limits that are given twice are one rule: the first of them. */
static size_t
rule_of(const struct pp_gate *g, size_t limit)
{
	size_t i;

	for (i = 0; i < limit; i++)
		if (strcmp(g->outcomes[i].rule.text, g->outcomes[limit].rule.text) == 0)
			return i;
	return limit;
}

static void
rules_put(struct pp_json *j, const struct pp_gate *g)
{
	static const char *const subjects[] = { [PP_GATE_WHOLE] = "the whole",
		                                [PP_GATE_SELF] = "the own cost of functions",
		                                [PP_GATE_TOTAL] = "the total cost of functions",
		                                [PP_GATE_CALLS] = "calls" };
	struct pp_buf text = { 0 };
	size_t i;

	pp_json_put_array(j, "rules");
	for (i = 0; i < g->n; i++) {
		const struct pp_gate_rule *rule = &g->outcomes[i].rule;

		if (rule_of(g, i) != i)
			continue;
		pp_json_begin_object(j);
		pp_json_put_text(j, "id", pp_slice_z(rule->text));
		message_put(j, "shortDescription", pp_slice_z(rule->text));
		text.n = 0;
		pp_buf_addf(&text, "A limit of %s: fails if %s", subjects[rule->subject],
		            rule->text);
		message_put(j, "fullDescription", pp_slice_of(text.p ? text.p : "", text.n));
		pp_json_put_object(j, "defaultConfiguration");
		pp_json_put_textz(j, "level", "error");
		pp_json_end_object(j);
		pp_json_end_object(j);
	}
	pp_json_end_array(j);
	if (text.failed)
		pp_sink_fail(j->out, PP_E_NOMEM, 0);
	pp_buf_release(&text);
}

static void
location_put(struct pp_json *j, const struct pp_gate *g, const struct pp_diff_row *row)
{
	uint32_t line = 0;
	struct pp_slice file = row ? pp_gate_place(g, row, &line) : pp_slice_z("");

	if (file.n == 0 && g->file && strcmp(g->file, "-") != 0)
		file = pp_gate_path(g, pp_slice_z(g->file));
	if (file.n == 0 && !row)
		return;
	pp_json_put_array(j, "locations");
	pp_json_begin_object(j);
	if (file.n) {
		pp_json_put_object(j, "physicalLocation");
		pp_json_put_object(j, "artifactLocation");
		uri_put(j, file);
		pp_json_end_object(j);
		if (line) {
			pp_json_put_object(j, "region");
			pp_json_put_u64(j, "startLine", line);
			pp_json_end_object(j);
		}
		pp_json_end_object(j);
	}
	if (row) {
		pp_json_put_array(j, "logicalLocations");
		pp_json_begin_object(j);
		pp_json_put_text(j, "fullyQualifiedName", pp_gate_name(row));
		pp_json_put_textz(j, "kind", "function");
		pp_json_end_object(j);
		pp_json_end_array(j);
	}
	pp_json_end_object(j);
	pp_json_end_array(j);
}

static void
result_put(struct pp_json *j, const struct pp_gate *g, size_t limit, const struct pp_diff_row *row)
{
	const struct pp_gate_outcome *o = &g->outcomes[limit];
	struct pp_buf text = { 0 };
	size_t i, index = 0;

	for (i = 0; i < rule_of(g, limit); i++)
		index += rule_of(g, i) == i;
	pp_json_begin_object(j);
	pp_json_put_text(j, "ruleId", pp_slice_z(o->rule.text));
	pp_json_put_u64(j, "ruleIndex", index);
	pp_json_put_textz(j, "level", "error");
	pp_verdict_message(g, o, row, &text);
	message_put(j, "message", pp_slice_of(text.p ? text.p : "", text.n));
	location_put(j, g, row);
	pp_json_end_object(j);
	if (text.failed)
		pp_sink_fail(j->out, PP_E_NOMEM, 0);
	pp_buf_release(&text);
}

static void
run_put(struct pp_json *j, const struct pp_gate *g)
{
	size_t i, k;

	pp_json_begin_object(j);
	pp_json_put_object(j, "tool");
	pp_json_put_object(j, "driver");
	pp_json_put_textz(j, "name", "polyprof");
	pp_json_put_textz(j, "semanticVersion", pp_version());
	rules_put(j, g);
	pp_json_end_object(j);
	pp_json_end_object(j);
	pp_json_put_array(j, "results");
	for (i = 0; i < g->n; i++) {
		if (rule_of(g, i) != i)
			continue;
		for (k = 0; k < pp_verdict_count(&g->outcomes[i]); k++)
			result_put(j, g, i, pp_verdict_row(g, &g->outcomes[i], k));
	}
	pp_json_end_array(j);
	pp_json_end_object(j);
}

void
pp_verdict_sarif(struct pp_sink *out, const struct pp_gate *g)
{
	struct pp_json j;

	pp_json_init(&j, out, PP_JSON_SPACED);
	j.spelled = true;
	pp_json_begin_object(&j);
	pp_json_put_textz(&j, "$schema", SCHEMA);
	pp_json_put_textz(&j, "version", "2.1.0");
	pp_json_put_array(&j, "runs");
	run_put(&j, g);
	pp_json_end_array(&j);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
}
