/*
 * What can be asked, as schemas; and arguments to files and parameters.
 */
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "mcp/server.h"

#define BUDGET_USUAL "2000"
#define VALUE_MAX 4096

/* The filters of the command line that are members of `filter`. */
static const char *const filters[] = { "focus", "ignore", "hide", "show",      "show-from",
	                               "event", "thread", "time", "all-frames" };

/* Whether a word stands in a list of them. */
static bool
has_word(const char *list, struct pp_slice word)
{
	size_t n;

	for (; list && *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n == word.n && memcmp(list, word.p, n) == 0)
			return true;
	}
	return false;
}

/* A parameter of a question by its name as an argument, '_' for '-'. */
static const struct pp_param *
param_find(const char *question, struct pp_slice name)
{
	const struct pp_param_group *group;
	const struct pp_param *p;
	pp_group_place place;
	size_t i, k;

	for (i = 0; (group = pp_question_group(question, i, &place)) != NULL; i++)
		for (p = group->params; p->name; p++) {
			if (strlen(p->name) != name.n)
				continue;
			for (k = 0; k < name.n; k++)
				if (p->name[k] != (name.p[k] == '_' ? '-' : (char)name.p[k]))
					break;
			if (k == name.n)
				return p;
		}
	p = pp_question_word(question);
	return p && pp_slice_eq_z(name, p->name) ? p : NULL;
}

/* ---- schemas ---- */

static void
type_put(struct pp_json *j, const char *type)
{
	pp_json_put_textz(j, "type", type);
}

static void
filter_put(struct pp_json *j)
{
	struct pp_buf name = { 0 };
	size_t i, k;

	pp_json_put_object(j, "filter");
	type_put(j, "object");
	pp_json_put_object(j, "properties");
	for (i = 0; i < PP_COUNT_OF(filters); i++) {
		name.n = 0;
		pp_buf_adds(&name, filters[i]);
		for (k = 0; k < name.n; k++)
			name.p[k] = name.p[k] == '-' ? '_' : name.p[k];
		pp_json_put_object(j, name.p ? name.p : "");
		/* The last one is a flag. */
		type_put(j, i + 1 < PP_COUNT_OF(filters) ? "string" : "boolean");
		pp_json_end_object(j);
	}
	pp_json_end_object(j);
	pp_json_put_bool(j, "additionalProperties", false);
	pp_json_end_object(j);
	pp_buf_release(&name);
}

/* One of the words that a parameter may be, but none that takes a key. */
static void
choices_put(struct pp_json *j, const char *choices)
{
	size_t n;

	pp_json_put_array(j, "enum");
	for (; *choices; choices += n + (choices[n] == '|')) {
		n = strcspn(choices, "|");
		if (!memchr(choices, ':', n))
			pp_json_text(j, pp_slice_of(choices, n));
	}
	pp_json_end_array(j);
}

static void
argument_put(struct pp_json *j, const struct pp_mcp_tool *tool, struct pp_slice name)
{
	const struct pp_param *param = param_find(tool->name, name);
	char key[64];

	if (name.n >= sizeof key)
		return;
	memcpy(key, name.p, name.n);
	key[name.n] = '\0';
	if (strcmp(key, "filter") == 0) {
		filter_put(j);
		return;
	}
	pp_json_put_object(j, key);
	if (param && param->kind == PP_PARAM_CHOICE && !strchr(param->value, ':'))
		choices_put(j, param->value);
	else
		type_put(j, param && param->kind == PP_PARAM_COUNT ? "integer" : "string");
	pp_json_end_object(j);
}

static void
files_put(struct pp_json *j, const struct pp_mcp_tool *tool)
{
	const char *list = tool->files;
	char key[32];
	size_t n;

	for (; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		memcpy(key, list, n);
		key[n] = '\0';
		pp_json_put_object(j, key);
		if (strcmp(key, "files") == 0) {
			type_put(j, "array");
			pp_json_put_object(j, "items");
			type_put(j, "string");
			pp_json_end_object(j);
			pp_json_put_u64(j, "minItems", tool->writes ? 1 : 3);
		} else {
			type_put(j, "string");
		}
		pp_json_end_object(j);
	}
}

static void
required_put(struct pp_json *j, const struct pp_mcp_tool *tool)
{
	const char *list = tool->files;
	size_t n;

	pp_json_put_array(j, "required");
	for (; *list && strcmp(tool->files, "dir") != 0; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		pp_json_text(j, pp_slice_of(list, n));
	}
	if (tool->must)
		pp_json_textz(j, tool->must);
	pp_json_end_array(j);
}

void
pp_mcp_tool_schema(struct pp_json *j, const struct pp_mcp_tool *tool)
{
	const char *list = tool->arguments;
	size_t n;

	type_put(j, "object");
	pp_json_put_object(j, "properties");
	files_put(j, tool);
	for (; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		argument_put(j, tool, pp_slice_of(list, n));
	}
	if (!tool->writes) {
		pp_json_put_object(j, "budget");
		type_put(j, "integer");
		pp_json_put_u64(j, "minimum", 300);
		pp_json_put_u64(j, "maximum", 20000);
		pp_json_end_object(j);
		pp_json_put_object(j, "page");
		type_put(j, "string");
		pp_json_end_object(j);
	}
	pp_json_end_object(j);
	required_put(j, tool);
	pp_json_put_bool(j, "additionalProperties", false);
}

void
pp_mcp_tools_list(struct pp_mcp_server *s, const struct pp_mcp_request *r)
{
	const struct pp_mcp_tool *tool;
	struct pp_mcp_message m;
	struct pp_json *j = &m.json;

	if (!pp_mcp_result_begin(&m, r))
		return;
	pp_json_put_array(j, "tools");
	for (tool = s->options->tools; tool->name; tool++) {
		pp_json_begin_object(j);
		pp_json_put_textz(j, "name", tool->name);
		pp_json_put_textz(j, "description", tool->about);
		pp_json_put_object(j, "inputSchema");
		pp_mcp_tool_schema(j, tool);
		pp_json_end_object(j);
		pp_json_put_object(j, "outputSchema");
		type_put(j, "object");
		pp_json_put_array(j, "required");
		pp_json_textz(j, "tool");
		pp_json_end_array(j);
		pp_json_end_object(j);
		pp_json_put_object(j, "annotations");
		pp_json_put_bool(j, "readOnlyHint", !tool->writes);
		if (tool->writes)
			pp_json_put_bool(j, "destructiveHint", false);
		pp_json_end_object(j);
		pp_json_end_object(j);
	}
	pp_json_end_array(j);
	pp_mcp_cacheable(&m, r);
	pp_mcp_result_end(s, &m, r);
}

const struct pp_mcp_tool *
pp_mcp_tool_find(const struct pp_mcp_options *o, struct pp_slice name)
{
	const struct pp_mcp_tool *tool;

	for (tool = o->tools; tool->name; tool++)
		if (name.p && pp_slice_eq_z(name, tool->name))
			return tool;
	return NULL;
}

/* ---- arguments ---- */

/* A call while it is read. */
struct reading {
	struct pp_mcp_call *call;
	struct pp_mcp_request *request;
	const struct pp_mcp_options *options;
	bool budget, must;
	const char *files[2]; /* before and after, or the one file */
	bool failed;
};

static void
problem(struct reading *r, const char *text, struct pp_slice word)
{
	if (r->call->problem.n)
		return;
	pp_buf_adds(&r->call->problem, text);
	if (word.p)
		pp_buf_addf(&r->call->problem, " '%.*s'", (int)(word.n < 60 ? word.n : 60),
		            (const char *)word.p);
}

/* A scalar as text, NUL-terminated; NULL (said) when it is none. */
static const char *
scalar_read(struct reading *r, struct pp_scan *s, struct pp_slice name)
{
	struct pp_json_str text;
	struct pp_slice value = { NULL, 0 };
	enum pp_json_type type = pp_scan_peek(s);
	const char *copy;

	if (type == PP_JSON_STRING && pp_scan_string(s, &text))
		value = pp_json_str_value(text, &r->request->arena);
	else if ((type == PP_JSON_NUMBER || type == PP_JSON_BOOL) && pp_scan_skip(s, &value))
		value = pp_slice_trim(value);
	else
		(void)pp_scan_skip(s, NULL);
	if (!value.p || value.n > VALUE_MAX || memchr(value.p, '\0', value.n)) {
		problem(r, "a text or a number is needed for", name);
		return NULL;
	}
	copy = pp_arena_copy(&r->request->arena, value.p, value.n);
	r->failed |= !copy;
	return copy;
}

static void
param_add(struct reading *r, const char *name, const char *value)
{
	struct pp_buf text = { 0 };
	const char *copy;

	pp_buf_addf(&text, "%s=%s", name, value);
	copy = text.failed ? NULL : pp_arena_copy(&r->request->arena, text.p, text.n);
	r->failed |= !copy || !pp_vec_push(&r->call->params, copy);
	pp_buf_release(&text);
}

static void
filter_read(struct reading *r, struct pp_scan *s)
{
	struct pp_json_str key;
	const char *value;
	size_t i, k;

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s)) {
		(void)pp_scan_skip(s, NULL);
		problem(r, "filter is an object", (struct pp_slice){ NULL, 0 });
		return;
	}
	while (pp_scan_key(s, &key)) {
		struct pp_slice name = pp_json_str_value(key, &r->request->arena);

		value = scalar_read(r, s, name);
		for (i = 0; i < PP_COUNT_OF(filters); i++) {
			for (k = 0; k < name.n && k < strlen(filters[i]); k++)
				if (filters[i][k] != (name.p[k] == '_' ? '-' : (char)name.p[k]))
					break;
			if (k == name.n && strlen(filters[i]) == k)
				break;
		}
		if (i == PP_COUNT_OF(filters))
			problem(r, "there is no filter", name);
		else if (value && (i + 1 < PP_COUNT_OF(filters) || strcmp(value, "true") == 0))
			param_add(r, filters[i], value);
	}
}

static const char *
path_read(struct reading *r, const char *path, bool directory)
{
	return r->call->problem.n ? NULL
	                          : pp_mcp_path(r->options, &r->request->arena, path, directory,
	                                        &r->call->problem);
}

static void
files_read(struct reading *r, struct pp_scan *s, struct pp_slice name)
{
	const char *path;

	if (pp_scan_peek(s) != PP_JSON_ARRAY || !pp_scan_array(s)) {
		(void)pp_scan_skip(s, NULL);
		problem(r, "a list of files is needed for", name);
		return;
	}
	while (pp_scan_item(s)) {
		path = scalar_read(r, s, name);
		path = path ? path_read(r, path, false) : NULL;
		if (path)
			r->failed |= !pp_vec_push(&r->call->files, path);
	}
}

static void
argument_read(struct reading *r, struct pp_scan *s, struct pp_slice name)
{
	const struct pp_mcp_tool *tool = r->call->tool;
	const struct pp_param *param = param_find(tool->name, name);
	const char *value;

	if (has_word(tool->files, name) && pp_slice_eq_z(name, "files")) {
		files_read(r, s, name);
		return;
	}
	if (pp_slice_eq_z(name, "filter") && has_word(tool->arguments, name)) {
		filter_read(r, s);
		return;
	}
	value = scalar_read(r, s, name);
	if (!value)
		return;
	if (tool->writes && pp_slice_eq_z(name, "output")) {
		r->call->output = pp_mcp_output(r->options, &r->request->arena, value,
		                                &r->call->problem);
		r->must = r->call->output != NULL;
		if (r->call->output)
			param_add(r, "output", r->call->output);
	} else if (has_word(tool->files, name)) {
		bool second = pp_slice_eq_z(name, "after");

		r->files[second] = path_read(r, value, pp_slice_eq_z(name, "dir"));
	} else if (!tool->writes &&
	           (pp_slice_eq_z(name, "budget") || pp_slice_eq_z(name, "page"))) {
		r->budget |= pp_slice_eq_z(name, "budget");
		param_add(r, pp_slice_eq_z(name, "budget") ? "budget" : "page", value);
	} else if (param && has_word(tool->arguments, name)) {
		r->must |= tool->must && pp_slice_eq_z(name, tool->must) && value[0];
		if (param->hint == PP_HINT_FILE)
			value = path_read(r, value, false);
		if (value)
			param_add(r, param->name, value);
	} else {
		problem(r, "there is no argument", name);
	}
}

/* What is left out and must be there, and what is there anyway. */
static void
call_complete(struct reading *r)
{
	struct pp_mcp_call *c = r->call;
	size_t i, need = strcmp(c->tool->files, "before after") == 0 ? 2 : 1;

	if (strcmp(c->tool->files, "dir") == 0 && !r->files[0])
		r->files[0] = path_read(r, ".", true);
	for (i = 0; i < need && strcmp(c->tool->files, "files") != 0; i++) {
		if (r->files[i])
			r->failed |= !pp_vec_push(&c->files, r->files[i]);
		else
			problem(r,
			        need == 2 ? "`before` and `after` are needed" : "`file` is needed",
			        (struct pp_slice){ NULL, 0 });
	}
	if (c->files.n == 0)
		problem(r, "`files` is needed", (struct pp_slice){ NULL, 0 });
	if (c->tool->must && !r->must)
		problem(r, "there has to be an argument", pp_slice_z(c->tool->must));
	if (!r->budget && !c->tool->writes)
		param_add(r, "budget", BUDGET_USUAL);
	r->failed |= !pp_vec_push(&c->params, (const char *)NULL);
	if (r->failed)
		problem(r, "out of memory", (struct pp_slice){ NULL, 0 });
}

void
pp_mcp_call_read(struct pp_mcp_call *c, struct pp_mcp_request *request,
                 const struct pp_mcp_options *o)
{
	struct reading r = { .call = c, .request = request, .options = o };
	struct pp_json_str key;
	struct pp_scan s;

	*c = (struct pp_mcp_call){ .tool = pp_mcp_tool_find(o, pp_mcp_text(request, "name")) };
	if (!c->tool)
		return;
	pp_scan_init(&s, request->params, PP_MCP_DEPTH_MAX + 2, PP_SCAN_STRICT);
	if (pp_scan_object(&s))
		while (pp_scan_key(&s, &key)) {
			if (!pp_json_str_eq(key, "arguments") ||
			    pp_scan_peek(&s) != PP_JSON_OBJECT) {
				(void)pp_scan_skip(&s, NULL);
				continue;
			}
			if (pp_scan_object(&s))
				while (pp_scan_key(&s, &key))
					argument_read(&r, &s,
					              pp_json_str_value(key, &request->arena));
		}
	call_complete(&r);
}

void
pp_mcp_call_release(struct pp_mcp_call *c)
{
	pp_vec_release(&c->files);
	pp_vec_release(&c->params);
	pp_buf_release(&c->problem);
}
