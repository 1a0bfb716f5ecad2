/*
 * V8's tree of call frames.
 */
#include "formats/chrome/v8.h"

#include "base/stops.h"

#define NO_LINE (-1)

void
pp_v8_tree_init(struct v8_tree *t, struct pp_json_doc *doc, const struct v8_rules *rules)
{
	*t = (struct v8_tree){ .doc = doc, .rules = rules };
	t->by_id.large.seed = doc->reader->seed;
}

void
pp_v8_tree_release(struct v8_tree *t)
{
	pp_vec_release(&t->nodes);
	pp_vec_release(&t->links);
	pp_vec_release(&t->ticks);
	pp_vec_release(&t->way);
	pp_id_table_release(&t->by_id);
	*t = (struct v8_tree){ 0 };
}

static void
no_memory(struct v8_tree *t)
{
	pp_builder_fail(t->doc->b, PP_E_NOMEM, NULL);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* How often something was hit; what 64 bits cannot hold is told. */
static uint64_t
count_read(struct v8_tree *t, struct pp_scan *s)
{
	const unsigned char *at = s->cur;
	struct pp_json_num num;
	uint64_t n;

	if (!pp_scan_if_number(s, &num))
		return 0;
	if (pp_json_num_u64(&num, &n) && n <= INT64_MAX)
		return n;
	if (!t->rules->heap)
		pp_json_find(t->doc, t->rules->far, at,
		             "a count is not a whole number of 63 bits: it counts as 0");
	return 0;
}

/* A line or column, from 0 on. */
static int64_t
position_read(struct pp_scan *s)
{
	struct pp_json_num num;
	int64_t n;

	return pp_scan_if_number(s, &num) && pp_json_num_i64(&num, &n) && n >= 0 && n < UINT32_MAX
	           ? n
	           : NO_LINE;
}

/* Members of a call frame, which older files have in the node itself. */
static bool
frame_member(struct v8_tree *t, struct pp_scan *s, struct pp_json_str key, struct v8_node *node)
{
	struct pp_json_str text;

	if (pp_json_str_eq(key, "functionName")) {
		node->named = pp_scan_if_string(s, &text);
		node->name = node->named ? pp_json_doc_str(t->doc, text) : 0;
	} else if (pp_json_str_eq(key, "url"))
		node->url = pp_scan_if_string(s, &text) ? pp_json_doc_str(t->doc, text) : 0;
	else if (pp_json_str_eq(key, "lineNumber"))
		node->line = position_read(s);
	else if (pp_json_str_eq(key, "columnNumber"))
		node->column = position_read(s);
	else
		return false;
	return true;
}

static void
frame_read(struct v8_tree *t, struct pp_scan *s, struct v8_node *node)
{
	struct pp_json_str key;

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s)) {
		(void)pp_scan_pass(s);
		return;
	}
	node->direct = false;
	while (pp_scan_key(s, &key))
		if (!frame_member(t, s, key, node))
			(void)pp_scan_skip(s, NULL);
	node->has_frame = s->error == PP_SCAN_OK;
}

static void
links_read(struct v8_tree *t, struct pp_scan *s, uint32_t parent)
{
	uint64_t few[64];
	size_t n, i;

	if (pp_scan_peek(s) != PP_JSON_ARRAY || !pp_scan_array(s)) {
		(void)pp_scan_pass(s);
		return;
	}
	for (;;) {
		const unsigned char *at = s->cur;

		n = pp_scan_plain_u64s(s, few, PP_COUNT_OF(few));
		if (n == 0) {
			if (!pp_scan_item(s))
				return;
			n = 1;
			if (!pp_scan_if_count(s, UINT64_MAX, &few[0])) {
				if (s->error == PP_SCAN_OK)
					pp_json_find(t->doc, t->rules->child, at,
					             "a child is not an id");
				continue;
			}
		}
		for (i = 0; i < n; i++)
			if (!pp_vec_push(&t->links, (struct v8_link){ parent, few[i], at }))
				no_memory(t);
	}
}

static void
ticks_read(struct v8_tree *t, struct pp_scan *s, uint32_t node)
{
	struct pp_json_str key;
	uint64_t line, ticks;

	if (pp_scan_peek(s) != PP_JSON_ARRAY || !pp_scan_array(s)) {
		(void)pp_scan_pass(s);
		return;
	}
	while (pp_scan_item(s)) {
		line = ticks = 0;
		if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s)) {
			(void)pp_scan_pass(s);
			continue;
		}
		while (pp_scan_key(s, &key))
			if (pp_json_str_eq(key, "line"))
				line = pp_scan_if_count(s, UINT32_MAX, &line) ? line : 0;
			else if (pp_json_str_eq(key, "ticks"))
				ticks = count_read(t, s);
			else
				(void)pp_scan_skip(s, NULL);
		if (line && ticks &&
		    !pp_vec_push(&t->ticks, (struct v8_tick){ node, (uint32_t)line, ticks }))
			no_memory(t);
	}
}

/* A member of a node but for nested children. */
static void
member_read(struct v8_tree *t, struct pp_scan *s, struct pp_json_str key, uint32_t index)
{
	struct v8_node *node = &t->nodes.at[index];
	struct pp_json_num num;

	if (pp_json_str_eq(key, "callFrame")) {
		frame_read(t, s, node);
	} else if (pp_json_str_eq(key, "id")) {
		node->has_id = pp_scan_if_count(s, UINT64_MAX, &node->id);
	} else if (pp_json_str_eq(key, "parent")) {
		node->has_parent_id = pp_scan_if_count(s, UINT64_MAX, &node->parent_id);
	} else if (pp_json_str_eq(key, "hitCount")) {
		node->hits = count_read(t, s);
	} else if (pp_json_str_eq(key, "selfSize")) {
		node->has_self = pp_scan_if_number(s, &num) &&
		                 pp_fixed_read(&t->sizes, &num, 0, &node->self);
	} else if (pp_json_str_eq(key, "positionTicks")) {
		ticks_read(t, s, index);
	} else if (!node->direct || !frame_member(t, s, key, node)) {
		(void)pp_scan_skip(s, NULL);
	}
}

static uint32_t
node_begin(struct v8_tree *t, const unsigned char *at, uint32_t parent)
{
	struct v8_node node = {
		.parent = parent, .at = at, .line = NO_LINE, .column = NO_LINE, .direct = true
	};

	if (t->nodes.n >= UINT32_MAX - 1 || pp_account_stops_at(t->nodes.n) ||
	    !pp_vec_push(&t->nodes, node))
		no_memory(t);
	return (uint32_t)t->nodes.n - 1;
}

/* The second node of an id is not used. */
static void
id_enter(struct v8_tree *t, uint32_t index)
{
	struct v8_node *node = &t->nodes.at[index];

	if (!node->has_id)
		return;
	if (pp_v8_find(t, node->id)) {
		pp_json_find(t->doc, t->rules->node_id, node->at, "there are two nodes %llu",
		             (unsigned long long)node->id);
		node->bad = t->bad = true;
	} else if (!pp_id_table_set(&t->by_id, node->id, index)) {
		no_memory(t);
	}
}

uint32_t
pp_v8_look_up(const struct v8_tree *t, uint64_t id)
{
	uint32_t found;

	return pp_id_table_get(&t->by_id, id, &found) ? found + 1 : 0;
}

void
pp_v8_node_read(struct v8_tree *t, struct pp_scan *s)
{
	struct pp_json_str key;
	struct v8_node *node;
	uint32_t index;

	if (pp_scan_peek(s) != PP_JSON_OBJECT) {
		pp_json_find(t->doc, t->rules->shape, s->cur, "a node is not an object");
		(void)pp_scan_pass(s);
		return;
	}
	index = node_begin(t, s->cur, 0);
	(void)pp_scan_object(s);
	while (pp_builder_ok(t->doc->b) && pp_scan_key(s, &key))
		if (pp_json_str_eq(key, "children"))
			links_read(t, s, index);
		else
			member_read(t, s, key, index);
	if (!pp_builder_ok(t->doc->b))
		return;
	node = &t->nodes.at[index];
	node->bad = !node->has_id || !node->has_frame || s->error != PP_SCAN_OK;
	if (node->bad && s->error == PP_SCAN_OK)
		pp_json_find(t->doc, t->rules->shape, node->at, "a node has no id or no callFrame");
	else if (!node->bad)
		id_enter(t, index);
}

/* ---- nested -------------------------------------------------------------------------------- */

struct level {
	uint32_t node;
	bool within; /* its children are read */
};

/* A node is whole. Those of heaps need a size, the others an id. */
static void
nested_end(struct v8_tree *t, uint32_t index, bool heap)
{
	struct v8_node *node = &t->nodes.at[index];

	if (heap ? node->has_frame && node->has_self : node->has_id) {
		bool was = node->bad;

		id_enter(t, index);
		/* In heaps only samples go by ids. */
		node->bad = heap ? was : node->bad;
	} else {
		node->bad = true;
		pp_json_find(t->doc, t->rules->shape, node->at,
		             heap ? "a node has no callFrame or no selfSize" : "a node has no id");
	}
}

/* The file ends within a node: it is used when all it needs was read. */
static void
nested_break(struct v8_tree *t, uint32_t index, bool heap)
{
	struct v8_node *node = &t->nodes.at[index];

	/* Ids may stand behind children; without one, no sample is of it. */
	if (heap ? node->has_frame && node->has_self : node->named && node->has_id)
		nested_end(t, index, heap);
	else if (heap || !node->named)
		node->bad = true;
}

void
pp_v8_nested_read(struct v8_tree *t, struct pp_scan *s)
{
	bool heap = t->rules->heap;
	PP_VEC(struct level) levels = { 0 };
	struct pp_json_str key;
	struct level *top;
	uint32_t parent = 0;

	for (;;) {
		if (pp_scan_peek(s) == PP_JSON_OBJECT && pp_scan_object(s)) {
			struct level level = { node_begin(t, s->cur - 1, parent), false };

			if (levels.n >= t->doc->b->limits.max_depth)
				pp_builder_fail(t->doc->b, PP_E_LIMIT, PP_TOO_DEEP);
			if (!pp_vec_push(&levels, level))
				no_memory(t);
		} else if (s->error == PP_SCAN_OK) {
			pp_json_find(t->doc, t->rules->shape, s->cur, "a node is not an object");
			(void)pp_scan_pass(s);
		}
		/* To where the next node begins. */
		while (levels.n && s->error == PP_SCAN_OK && pp_builder_ok(t->doc->b)) {
			top = &levels.at[levels.n - 1];
			if (top->within) {
				parent = top->node + 1;
				top->within = pp_scan_item(s);
				if (top->within)
					break;
			} else if (!pp_scan_key(s, &key)) {
				if (s->error == PP_SCAN_OK)
					nested_end(t, top->node, heap);
				levels.n--;
			} else if (!pp_json_str_eq(key, "children") ||
			           pp_scan_peek(s) != PP_JSON_ARRAY) {
				member_read(t, s, key, top->node);
			} else {
				top->within = pp_scan_array(s);
			}
		}
		if (!levels.n || s->error != PP_SCAN_OK || !pp_builder_ok(t->doc->b))
			break;
	}
	/* Of what breaks off, those that are open count with what they say; the last one had perhaps no memory. */
	for (; levels.n; levels.n--)
		if (levels.at[levels.n - 1].node < t->nodes.n)
			nested_break(t, levels.at[levels.n - 1].node, heap);
	pp_vec_release(&levels);
}

/* ---- linking ------------------------------------------------------------------------------- */

static void
links_settle(struct v8_tree *t)
{
	size_t i;

	for (i = 0; i < t->nodes.n; i++) {
		struct v8_node *node = &t->nodes.at[i];

		if (node->bad || !node->has_parent_id || node->parent)
			continue;
		node->parent = pp_v8_find(t, node->parent_id);
		if (!node->parent) {
			if (!t->orphans)
				pp_json_find(t->doc, t->rules->parent, node->at,
				             "node %llu, the parent of %llu, is missing",
				             (unsigned long long)node->parent_id,
				             (unsigned long long)node->id);
			t->orphans = true;
			t->doc->b->profile->complete = false;
		}
	}
	for (i = 0; i < t->links.n; i++) {
		const struct v8_link *link = &t->links.at[i];
		uint32_t child = pp_v8_find(t, link->child);

		if (t->nodes.at[link->parent].bad)
			continue;
		if (t->rules->lenient && !child)
			continue;
		if (!child || (t->nodes.at[child - 1].parent && !t->rules->lenient &&
		               t->nodes.at[child - 1].parent != link->parent + 1))
			pp_json_find(t->doc, t->rules->child, link->at, "child %llu %s",
			             (unsigned long long)link->child,
			             child ? "has another parent" : "does not exist");
		else
			t->nodes.at[child - 1].parent = link->parent + 1;
	}
}

static bool
is_root(const struct v8_tree *t, const struct v8_node *node)
{
	return !node->parent && !node->has_parent_id &&
	       pp_slice_eq_z(pp_text_of(t->doc->b->profile, node->name), V8_ROOT);
}

static pp_frame
frame_of(struct v8_tree *t, const struct v8_node *node, int base)
{
	struct pp_builder *b = t->doc->b;
	struct pp_func_row func = { .name = node->name, .file = node->url };
	struct pp_slice name = pp_text_of(b->profile, node->name);
	struct pp_frame_row frame = { 0 };

	base = node->direct ? base : 0;
	func.line = node->line >= base ? (uint32_t)(node->line + 1 - base) : 0;
	func.column = node->column >= base ? (uint32_t)(node->column + 1 - base) : 0;
	if (!name.n)
		func.name = pp_build_strz(b, V8_ANONYMOUS);
	else if (name.p[0] == '(' && !node->url && !pp_slice_eq_z(name, V8_ANONYMOUS))
		func.flags = PP_FUNC_PSEUDO;
	frame.func = pp_build_func(b, &func);
	return pp_build_frame(b, &frame);
}

/* Whether a node can be used, and with it its parents. */
static void
node_place(struct v8_tree *t, uint32_t index)
{
	uint32_t at = index;
	bool broken = false;

	t->way.n = 0;
	for (;;) {
		struct v8_node *node = &t->nodes.at[at];

		/* A cycle comes back to one that is under way. */
		broken |= node->bad || node->state == V8_BROKEN || node->state == V8_UNDER_WAY;
		if (node->state == V8_UNDER_WAY && !node->bad) {
			pp_json_find(t->doc, t->rules->child, node->at, "node %llu is below itself",
			             (unsigned long long)node->id);
			t->bad = true;
		}
		if (broken || node->state == V8_PLACED)
			break;
		node->state = V8_UNDER_WAY;
		if (!pp_vec_push(&t->way, at)) {
			no_memory(t);
			return;
		}
		if (!node->parent)
			break;
		at = node->parent - 1;
	}
	while (t->way.n && pp_builder_ok(t->doc->b)) {
		struct v8_node *node = &t->nodes.at[t->way.at[--t->way.n]];

		node->state = broken ? V8_BROKEN : V8_PLACED;
	}
}

void
pp_v8_tree_settle(struct v8_tree *t)
{
	size_t i;

	t->base = t->nodes.n && t->nodes.at[0].direct && t->nodes.at[0].line != NO_LINE;

	links_settle(t);
	t->in_order = t->nodes.n > 0;
	for (i = 0; i < t->nodes.n; i++)
		t->in_order &= !t->nodes.at[i].bad && t->nodes.at[i].has_id &&
		               t->nodes.at[i].id - t->nodes.at[0].id == i;
	for (i = 0; i < t->nodes.n && pp_builder_ok(t->doc->b); i++) {
		t->hits += t->nodes.at[i].bad ? 0 : t->nodes.at[i].hits;
		if (t->nodes.at[i].state == V8_FRESH && !t->nodes.at[i].bad)
			node_place(t, (uint32_t)i);
	}
}

/* The node of the profile, made with those above it when it is needed: what costs nothing has none. */
static pp_node
node_build(struct v8_tree *t, uint32_t index)
{
	struct v8_node *node = &t->nodes.at[index];
	pp_node above = 0;

	t->way.n = 0;
	for (; !node->node && !is_root(t, node); node = &t->nodes.at[node->parent - 1]) {
		if (!pp_vec_push(&t->way, (uint32_t)(node - t->nodes.at))) {
			no_memory(t);
			return 0;
		}
		if (!node->parent)
			break;
	}
	above = node->node;
	while (t->way.n && pp_builder_ok(t->doc->b)) {
		node = &t->nodes.at[t->way.at[--t->way.n]];
		above = node->node = pp_build_child(t->doc->b, above, frame_of(t, node, t->base));
	}
	return above;
}

bool
pp_v8_place(struct v8_tree *t, uint32_t index, pp_node *to)
{
	struct v8_node *node = &t->nodes.at[index];

	if (!pp_v8_is_placed(t, index))
		return false;
	*to = node->node;
	if (*to)
		return true;
	if (!is_root(t, node)) {
		*to = node_build(t, index);
		return pp_builder_ok(t->doc->b);
	}
	/* The root itself was hit. */
	if (!t->root)
		t->root = pp_build_child(t->doc->b, 0, frame_of(t, node, t->base));
	*to = t->root;
	return pp_builder_ok(t->doc->b);
}

void
pp_v8_leaves_build(struct v8_tree *t, uint32_t series)
{
	struct pp_builder *b = t->doc->b;
	pp_node node;
	size_t i;

	for (i = 0; i < t->nodes.n; i++)
		if (t->nodes.at[i].parent)
			t->nodes.at[t->nodes.at[i].parent - 1].has_child = true;
	for (i = 0; i < t->nodes.n && pp_builder_ok(b); i++)
		if (!t->nodes.at[i].has_child && !is_root(t, &t->nodes.at[i]) &&
		    pp_v8_place(t, (uint32_t)i, &node))
			(void)pp_build_cells(b, series, node);
}

void
pp_v8_own_read(struct pp_scan *s, struct v8_own *own)
{
	struct pp_json_str key, text;

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s)) {
		(void)pp_scan_pass(s);
		return;
	}
	while (pp_scan_key(s, &key)) {
		if (pp_json_str_eq(key, "layout") && pp_scan_peek(s) == PP_JSON_STRING &&
		    pp_scan_string(s, &text)) {
			own->laid_out = pp_json_str_eq(text, V8_LAID_OUT);
			own->counted = pp_json_str_eq(text, V8_COUNTED);
		} else if (pp_json_str_eq(key, "idle") && pp_scan_peek(s) == PP_JSON_BOOL) {
			(void)pp_scan_bool(s, &own->idle);
		} else {
			(void)pp_scan_skip(s, NULL);
		}
	}
}

void
pp_v8_ticks_build(struct v8_tree *t, uint32_t series, uint32_t samples)
{
	struct pp_builder *b = t->doc->b;
	size_t i;

	if (!t->ticks.n)
		return;
	b->profile->lines.hits = true;
	for (i = 0; i < t->ticks.n && pp_builder_ok(b); i++) {
		const struct v8_tick *tick = &t->ticks.at[i];
		struct pp_line_row line = { .line = tick->line, .series = series };
		int64_t *cells;
		pp_node node;

		if (!pp_v8_place(t, tick->node, &node))
			continue;
		line.func = pp_node_func(b->profile, node);
		line.file = b->profile->funcs.at[line.func].file;
		cells = pp_build_line(b, &line);
		if (cells && (!pp_cell_add(PP_INT, &cells[0], (int64_t)tick->ticks) ||
		              !pp_cell_add(PP_INT, &cells[1 + samples], (int64_t)tick->ticks)))
			pp_builder_overflow(b, line.func, samples, b->place);
	}
}
