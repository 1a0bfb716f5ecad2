/*
 * Little profiles for tests of analysis/, written as text and printed as text.
 *
 *     little_stacks("main;a@a.c:7 3\n"      a frame is NAME, NAME@FILE or NAME@FILE:LINE
 *                   "main;b 2\n")           costs are samples
 *     little_calls("main 1\n"               what a function costs itself
 *                  "main>a 2 10\n")         caller>callee, calls, inclusive cost
 *     little_text(p, out)                   own costs of stacks, in the order of the tree
 */
#ifndef PP_LITTLE_H
#define PP_LITTLE_H

#include "base/num.h"
#include "model/builder.h"
#include "tap.h"

static struct pp_builder little;

static inline bool
little_start(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);

	if (!pp_builder_init(&little, &limits, NULL, 7, &pp_pages_plain))
		return false;
	pp_build_metric_z(&little, "samples", "samples", PP_KIND_SAMPLES, PP_INT,
	                  PP_METRIC_PRIMARY);
	return true;
}

static inline struct pp_profile *
little_end(void)
{
	struct pp_profile *p = NULL;

	pp_builder_finish(&little, &p);
	pp_builder_release(&little);
	return p;
}

/* Takes what stands before a character, or all; moves on behind it. */
static inline struct pp_slice
little_until(struct pp_slice *text, char c)
{
	const unsigned char *at = memchr(text->p, c, text->n);
	size_t n = at ? (size_t)(at - text->p) : text->n, skip = at ? n + 1 : n;
	struct pp_slice part = pp_slice_of(text->p, n);

	*text = pp_slice_of(text->p + skip, text->n - skip);
	return part;
}

static inline int64_t
little_number(struct pp_slice text)
{
	int64_t value = 0;

	return pp_num_i64(text, &value) ? value : 0;
}

static inline pp_func
little_func(struct pp_slice text, uint32_t *line)
{
	struct pp_slice name = little_until(&text, '@'), file = little_until(&text, ':');
	struct pp_func_row row = { .name = pp_build_str(&little, name),
		                   .file = pp_build_str(&little, file) };

	*line = (uint32_t)little_number(text);
	return name.n ? pp_build_func(&little, &row) : 0;
}

/* Adds stacks to a series. */
static inline void
little_add(uint32_t series, const char *stacks)
{
	struct pp_slice text = pp_slice_z(stacks);

	while (text.n) {
		struct pp_slice row = little_until(&text, '\n'), stack = little_until(&row, ' ');
		pp_node node = 0;

		while (stack.n) {
			struct pp_frame_row frame = { 0 };

			frame.func = little_func(little_until(&stack, ';'), &frame.line);
			node = pp_build_child(&little, node, pp_build_frame(&little, &frame));
		}
		pp_build_add(&little, series, node, 0, little_number(row));
	}
}

static inline struct pp_profile *
little_stacks(const char *stacks)
{
	if (!little_start())
		return NULL;
	little_add(pp_build_series_plain(&little, true, false), stacks);
	return little_end();
}

/* Two threads, 1 and 2. */
static inline struct pp_profile *
little_threads(const char *one, const char *two)
{
	struct pp_series like = { .pid = -1, .tid = 1, .cpu = -1 };

	if (!little_start())
		return NULL;
	little_add(pp_build_series(&little, &like, false, false), one);
	like.tid = 2;
	little_add(pp_build_series(&little, &like, false, false), two);
	return little_end();
}

static inline struct pp_profile *
little_calls(const char *calls)
{
	struct pp_slice text = pp_slice_z(calls);

	if (!little_start())
		return NULL;
	pp_build_series_plain(&little, false, false);
	little.profile->lines.adds_up = true;
	while (text.n) {
		struct pp_slice row = little_until(&text, '\n'), who = little_until(&row, ' ');
		bool call = memchr(who.p, '>', who.n) != NULL;
		struct pp_line_row line = { 0 };
		struct pp_edge_row edge = { 0 };
		int64_t *cells;

		if (call) {
			edge.caller = little_func(little_until(&who, '>'), &edge.site_line);
			edge.callee = little_func(who, &line.line);
			cells = pp_build_edge(&little, &edge);
			cells[0] += little_number(little_until(&row, ' '));
			cells[1] += little_number(row);
		} else {
			line.func = little_func(who, &line.line);
			line.file = little.profile->funcs.at[line.func].file;
			*pp_build_line(&little, &line) += little_number(row);
		}
	}
	return little_end();
}

/* A function by its name; 0 when there is none. */
static inline pp_func
little_find(const struct pp_profile *p, const char *name)
{
	pp_func func;

	for (func = 1; func < p->funcs.n; func++)
		if (pp_slice_eq_z(pp_text_of(p, p->funcs.at[func].name), name))
			return p->funcs.at[func].same;
	return 0;
}

static inline void
little_path(const struct pp_profile *p, pp_node node, struct pp_buf *out)
{
	struct pp_slice name = pp_text_of(p, p->funcs.at[pp_node_func(p, node)].name);

	if (pp_tree_parent(&p->tree, node)) {
		little_path(p, pp_tree_parent(&p->tree, node), out);
		pp_buf_addc(out, ';');
	}
	pp_buf_add(out, name.p, name.n);
}

/* "main;a 3\n...": functions as they are seen, threads added up. */
static inline const char *
little_text(const struct pp_profile *p, struct pp_buf *out)
{
	pp_node node;
	uint32_t row;
	size_t i;

	out->n = 0;
	pp_buf_adds(out, "");
	for (node = 0; p && node < p->tree.n; node++) {
		int64_t sum = 0;

		for (i = 0; i < p->series.n; i++)
			for (row = 0; row < p->series.at[i].rows; row++)
				if (pp_series_node(&p->series.at[i], row) == node)
					sum += pp_series_cells(&p->series.at[i], row)[0];
		if (!sum)
			continue;
		if (node)
			little_path(p, node, out);
		pp_buf_addf(out, " %lld\n", (long long)sum);
	}
	return out->p ? out->p : "";
}

#endif
