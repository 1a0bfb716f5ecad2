/*
 * Mappings, locations and stacks of a message as modules and frames.
 */
#include "formats/kit/native.h"
#include "formats/kit/resolve.h"
#include "formats/kit/sampled.h"
#include "formats/otlp/read.h"

/* What counts as not set. */
static const struct otlp_row no_row = { .at = NULL };

/* What kind of code a location is, by its attribute. */
static enum pp_module_kind
frame_kind(const struct otlp_doc *d, const struct otlp_row *l, bool *known)
{
	struct otlp_value value;
	struct pp_slice unit;
	uint32_t i;

	*known = false;
	for (i = 0; i < l->list.n; i++) {
		struct pp_slice key = pp_otlp_attribute(d, d->numbers.at[l->list.first + i], &value,
		                                        &unit);

		if (!pp_slice_eq_z(key, "profile.frame.type"))
			continue;
		*known = true;
		return pp_slice_eq_z(value.text, "kernel") ? PP_MODULE_KERNEL
		       : pp_slice_eq_z(value.text, "native") || pp_slice_eq_z(value.text, "go") ||
		               pp_slice_eq_z(value.text, "rust")
		           ? PP_MODULE_BINARY
		           : PP_MODULE_SCRIPT;
	}
	return PP_MODULE_BINARY;
}

static struct pp_slice
build_id_of(const struct otlp_doc *d, const struct otlp_row *m)
{
	struct pp_slice unit, found = pp_slice_of("", 0);
	struct otlp_value value;
	uint32_t i;

	for (i = 0; i < m->list.n; i++) {
		struct pp_slice key = pp_otlp_attribute(d, d->numbers.at[m->list.first + i], &value,
		                                        &unit);

		/* The linker's own, where there are others, too. */
		if (pp_slice_starts(key, "process.executable.build_id.") &&
		    (found.n == 0 || pp_slice_ends(key, ".gnu")))
			found = value.text;
	}
	return found;
}

bool
pp_otlp_modules_build(struct otlp_read *r)
{
	const struct otlp_doc *d = &r->doc;
	size_t n = pp_otlp_count(d, OTLP_TABLE_MAPPINGS), i;
	uint8_t *kinds = calloc(n, sizeof *kinds); /* + 1 */
	bool known;

	for (i = 0; kinds && i < d->tables[OTLP_TABLE_LOCATIONS].n; i++) {
		const struct otlp_row *l = &d->tables[OTLP_TABLE_LOCATIONS].at[i];
		enum pp_module_kind kind = frame_kind(d, l, &known);
		uint64_t m = l->f[OTLP_LOCATION_MAPPING];

		if (known && m < n && !kinds[m])
			kinds[m] = (uint8_t)(kind + 1);
	}
	r->modules.n = 0;
	for (i = 0; kinds && i < d->tables[OTLP_TABLE_MAPPINGS].n && pp_builder_ok(r->b); i++) {
		const struct otlp_row *m = &d->tables[OTLP_TABLE_MAPPINGS].at[i];
		struct pp_slice file = pp_otlp_text(d, (uint32_t)m->f[OTLP_MAPPING_FILE]);
		struct pp_slice build_id = build_id_of(d, m);
		struct pp_module_row row = { .name = pp_build_str(r->b, file),
			                     .build_id = pp_build_str(r->b, build_id),
			                     .kind = kinds[i] ? (enum pp_module_kind)(kinds[i] - 1)
			                             : pp_sampled_is_kernel(file)
			                                 ? PP_MODULE_KERNEL
			                                 : PP_MODULE_BINARY };

		if (!pp_vec_push(&r->modules,
		                 i && (file.n || build_id.n) ? pp_build_module(r->b, &row) : 0))
			pp_otlp_no_memory(r);
		else if (pp_reader_option(r->reader, "symbolize"))
			pp_sampled_range_keep(r->b, r->modules.at[i], m->f[OTLP_MAPPING_START],
			                      m->f[OTLP_MAPPING_LIMIT], m->f[OTLP_MAPPING_OFFSET]);
	}
	free(kinds);
	return kinds != NULL;
}

/* A line of a location, or the location itself when it has none. */
static pp_frame
frame_build(struct otlp_read *r, const struct otlp_row *l, const struct otlp_line *line,
            uint32_t outside)
{
	const struct otlp_doc *d = &r->doc;
	size_t functions = d->tables[OTLP_TABLE_FUNCTIONS].n;
	const struct otlp_row *f = line && line->function && line->function < functions
	                               ? &d->tables[OTLP_TABLE_FUNCTIONS].at[line->function]
	                               : &no_row;
	uint64_t mapping = l->f[OTLP_LOCATION_MAPPING];
	bool known;
	enum pp_module_kind kind = frame_kind(d, l, &known);
	struct pp_sampled_line frame = {
		.name = pp_otlp_text(d, (uint32_t)f->f[OTLP_FUNCTION_NAME]),
		.file = pp_otlp_text(d, (uint32_t)f->f[OTLP_FUNCTION_FILE]),
		.first = f->f[OTLP_FUNCTION_START],
		.line = line ? (uint64_t)line->line : 0,
		.column = line ? (uint64_t)line->column : 0,
		/* Interpreters have other numbers there. */
		.address = kind == PP_MODULE_SCRIPT ? 0 : l->f[OTLP_LOCATION_ADDRESS],
		.module = mapping < r->modules.n ? r->modules.at[mapping] : 0,
		.kernel = kind == PP_MODULE_KERNEL,
		.outside = outside
	};

	if (frame.name.n == 0)
		frame.name = pp_otlp_text(d, (uint32_t)f->f[OTLP_FUNCTION_SYSTEM]);
	return pp_sampled_frame(r->b, &frame);
}

/* The frames of a location without lines: what its binary says, where names are wanted, else one without a name. There is room. */
static uint32_t
nameless_build(struct otlp_read *r, const struct otlp_row *l)
{
	const struct otlp_doc *d = &r->doc;
	uint64_t mapping = l->f[OTLP_LOCATION_MAPPING];
	struct pp_resolve_at at = { .address = l->f[OTLP_LOCATION_ADDRESS] };
	size_t n;

	if (mapping < r->modules.n) {
		const struct otlp_row *m = &d->tables[OTLP_TABLE_MAPPINGS].at[mapping];

		at.module = r->modules.at[mapping];
		at.kernel = r->b->profile->modules.at[at.module].kind == PP_MODULE_KERNEL;
		at.start = m->f[OTLP_MAPPING_START];
		at.limit = m->f[OTLP_MAPPING_LIMIT];
		at.offset = m->f[OTLP_MAPPING_OFFSET];
	}
	n = at.module ? pp_resolve_frames(r->reader, r->b, &at, r->frames.at + r->frames.n,
	                                  PP_NATIVE_FRAMES)
	              : 0;
	if (n == 0)
		r->frames.at[r->frames.n + n++] = frame_build(r, l, NULL, 0);
	r->frames.n += n;
	return (uint32_t)n;
}

bool
pp_otlp_frames_build(struct otlp_read *r)
{
	const struct otlp_doc *d = &r->doc;
	size_t n = pp_otlp_count(d, OTLP_TABLE_LOCATIONS), i;

	r->frames.n = r->spans.n = 0;
	for (i = 0; i < n && pp_builder_ok(r->b); i++) {
		const struct otlp_row *l = i < d->tables[OTLP_TABLE_LOCATIONS].n
		                               ? &d->tables[OTLP_TABLE_LOCATIONS].at[i]
		                               : &no_row;
		struct otlp_span span = { (uint32_t)r->frames.n, l->lines.n ? l->lines.n : 1 };
		uint32_t k;

		if (!pp_vec_reserve(&r->frames, r->frames.n + span.n + PP_NATIVE_FRAMES))
			return false;
		if (l->lines.n == 0)
			span.n = nameless_build(r, l);
		if (!pp_vec_push(&r->spans, span))
			return false;
		for (k = 0; k < l->lines.n; k++)
			r->frames.at[r->frames.n++] = frame_build(
			    r, l, &d->lines.at[l->lines.first + k], l->lines.n - 1 - k);
	}
	return true;
}

const pp_frame *
pp_otlp_stack_expand(struct otlp_read *r, int32_t stack, size_t *depth)
{
	const struct otlp_doc *d = &r->doc;
	struct otlp_span list = (size_t)stack < d->stacks.n ? d->stacks.at[stack]
	                                                    : (struct otlp_span){ 0, 0 };
	const int32_t *location = d->numbers.at + list.first;
	size_t need = 0, i;
	pp_frame *at;
	uint32_t k;

	for (i = 0; i < list.n; i++)
		need += (size_t)location[i] < r->spans.n ? r->spans.at[location[i]].n : 0;
	/* A location may have very many lines, and a stack the same one very often. */
	if (need > r->b->limits.max_depth) {
		pp_builder_fail(r->b, PP_E_LIMIT, PP_TOO_DEEP);
		return NULL;
	}
	if (!pp_vec_reserve(&r->stack, need + 1)) {
		pp_otlp_no_memory(r);
		return NULL;
	}
	at = r->stack.at + need;
	*depth = need;
	for (i = 0; i < list.n; i++)
		for (k = 0; (size_t)location[i] < r->spans.n && k < r->spans.at[location[i]].n; k++)
			*--at = r->frames.at[r->spans.at[location[i]].first + k];
	if (need == 0) {
		struct pp_func_row func = { .name = pp_build_strz(r->b, "[no stack]"),
			                    .flags = PP_FUNC_PSEUDO };

		*at = pp_build_frame(r->b,
		                     &(struct pp_frame_row){ .func = pp_build_func(r->b, &func) });
		*depth = 1;
	}
	return pp_builder_ok(r->b) ? at : NULL;
}
