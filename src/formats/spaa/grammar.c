/*
 * The grammar as tables, and what is judged of an object when all its keys are known.
 */
#include "formats/spaa/record.h"

/* ---- words, in the order of their enums ------------------------------------------------- */

static const struct pp_json_words formats = { 1, { PP_KEY("spaa") } };
static const struct pp_json_words orders = { 2,
	                                     { PP_KEY("leaf_to_root"), PP_KEY("root_to_leaf") } };
static const struct pp_json_words id_modes = { 2,
	                                       { PP_KEY("content_addressable"), PP_KEY("local") } };
static const struct pp_json_words modes = {
	3, { PP_KEY("period"), PP_KEY("frequency"), PP_KEY("event") }
};
static const struct pp_json_words event_kinds = { 6,
	                                          { PP_KEY("hardware"), PP_KEY("software"),
	                                            PP_KEY("allocation"), PP_KEY("deallocation"),
	                                            PP_KEY("timer"), PP_KEY("probe") } };
const struct pp_json_words pp_spaa_frame_kinds = {
	3, { PP_KEY("user"), PP_KEY("kernel"), PP_KEY("unknown") }
};
const struct pp_json_words pp_spaa_stack_types = {
	3, { PP_KEY("unified"), PP_KEY("user"), PP_KEY("kernel") }
};

/* ---- judging ---------------------------------------------------------------------------- */

static void
version_judge(struct pp_json_reader *p, struct pp_slice v, const unsigned char *at)
{
	size_t i = 2;

	if (v.n >= 3 && v.p[0] == '1' && v.p[1] == '.')
		while (i < v.n && (unsigned)v.p[i] - '0' <= 9)
			i++;
	if (i < 3 || i != v.n)
		pp_spaa_find(p, PP_SPAA_R_VERSION, at, "version \"%.*s\" is not supported",
		             PP_CLIP(v, 40));
	else if (!pp_slice_eq_z(v, "1.0"))
		pp_spaa_find(p, PP_SPAA_R_VERSION_NEWER, at, "version %.*s is newer than 1.0",
		             PP_CLIP(v, 40));
}

static bool
tool_is_known(struct pp_slice tool)
{
	static const char *const known[] = {
		"perf",
		"dtrace",
		"bpftrace",
		"heaptrack",
		"tcmalloc",
		"gperftools",
		"jemalloc",
		"pprof",
		"chrome-cpuprofile",
		"chrome-heapsnapshot",
		"chrome-heaptimeline",
		"chrome-heapprofile",
		"turbopack",
		"polyprof",
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(known); i++)
		if (pp_slice_eq_z(tool, known[i]))
			return true;
	return false;
}

static void
header_judge(struct pp_json_reader *p, const struct pp_json_object *o, void *out)
{
	const struct pp_spaa_header *h = out;

	if (pp_json_object_took(o, PP_SPAA_K_HEADER_VERSION))
		version_judge(p, h->version, o->at[PP_SPAA_K_HEADER_VERSION]);
	if (pp_json_object_took(o, PP_SPAA_K_HEADER_TOOL) && !tool_is_known(h->tool))
		pp_spaa_find(p, PP_SPAA_R_SOURCE_TOOL_UNKNOWN, o->at[PP_SPAA_K_HEADER_TOOL],
		             "the source tool \"%.*s\" is not known", PP_SHOWN(h->tool));
}

static void
range_judge(struct pp_json_reader *p, const struct pp_json_object *o, void *out)
{
	struct pp_spaa_header *h = out;

	h->has_range = (o->taken & 7) == 7;
	if (!h->has_range)
		return;
	h->unit = pp_spaa_time_unit(h->unit_name, &h->unit_odd);
	if (h->unit_odd)
		pp_spaa_find(p, PP_SPAA_R_TIME_UNIT, o->at[PP_SPAA_K_RANGE_UNIT],
		             "\"%.*s\" is not one of the units of time", PP_CLIP(h->unit_name, 40));
	if (pp_decimal_cmp(&h->start, &h->end) > 0)
		pp_spaa_find(p, PP_SPAA_R_TIME_RANGE_REVERSED, o->at[PP_SPAA_K_RANGE_START],
		             "time_range ends before it starts");
}

/* A rate that is not positive is reported; so is one of another mode, where the mode is known. */
static void
rate_judge(struct pp_json_reader *p, const struct pp_json_object *o, unsigned key,
           const struct pp_decimal *rate, bool fits, const char *text)
{
	if (!pp_json_object_took(o, key))
		return;
	if (pp_decimal_is_zero(rate) || pp_decimal_is_negative(rate))
		pp_spaa_find(p, PP_SPAA_R_RATE_ZERO, o->at[key], "\"%s\" is not positive",
		             (const char *)o->shape->keys[key].p);
	if (pp_json_object_took(o, PP_SPAA_K_SAMPLING_MODE) && !fits)
		pp_spaa_find(p, PP_SPAA_R_RATE_MODE, o->at[key], "%s", text);
}

static void
sampling_judge(struct pp_json_reader *p, const struct pp_json_object *o, void *out)
{
	const struct pp_spaa_declared *e = out;

	if (pp_json_object_took(o, PP_SPAA_K_SAMPLING_PRIMARY) && e->primary.n == 0)
		pp_spaa_find(p, PP_SPAA_R_PRIMARY_METRIC, o->at[PP_SPAA_K_SAMPLING_PRIMARY],
		             "the primary metric is empty");
	rate_judge(p, o, PP_SPAA_K_SAMPLING_PERIOD, &e->period, e->mode == PP_SPAA_PERIOD,
	           "sample_period, but the mode is not period");
	rate_judge(p, o, PP_SPAA_K_SAMPLING_FREQUENCY, &e->frequency, e->mode == PP_SPAA_FREQUENCY,
	           "frequency_hz, but the mode is not frequency");
}

static void
event_judge(struct pp_json_reader *p, const struct pp_json_object *o, void *out)
{
	struct pp_spaa_declared *e = out;

	e->name_at = pp_json_object_took(o, PP_SPAA_K_EVENT_NAME) ? o->at[PP_SPAA_K_EVENT_NAME]
	                                                          : NULL;
	if (e->name_at && e->name.n == 0)
		pp_spaa_find(p, PP_SPAA_R_EVENT_NAME_EMPTY, e->name_at,
		             "the event has an empty name");
	if ((o->taken | o->wrong) >> PP_SPAA_K_EVENT_TRACKING & 1 &&
	    pp_json_object_took(o, PP_SPAA_K_EVENT_KIND) && e->kind != PP_SPAA_ALLOCATION &&
	    e->kind != PP_SPAA_DEALLOCATION)
		pp_spaa_find(p, PP_SPAA_R_ALLOCATION_TRACKING_KIND, o->at[PP_SPAA_K_EVENT_TRACKING],
		             "allocation_tracking on an event that is not an allocation");
}

bool
pp_spaa_kernel_name(struct pp_slice name)
{
	static const char *const starts[] = { "[kernel.", "[kernel]", "[guest.kernel",
		                              "kernel.kallsyms", "kernel.vmlinux" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(starts); i++)
		if (name.n >= strlen(starts[i]) &&
		    memcmp(name.p, starts[i], strlen(starts[i])) == 0)
			return true;
	return pp_slice_eq_z(name, "mach_kernel") || pp_slice_eq_z(name, "genunix") ||
	       (name.n && memmem(name.p, name.n, "vmlinux", 7));
}

static bool
is_build_id(struct pp_slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if ((unsigned)s.p[i] - '0' > 9 && (unsigned)s.p[i] - 'a' > 5)
			return false;
	return s.n && s.n % 2 == 0;
}

static void
dso_judge(struct pp_json_reader *p, const struct pp_json_object *o, void *out)
{
	const struct pp_spaa_dso *d = out;

	if (pp_json_object_took(o, PP_SPAA_K_DSO_BUILD_ID) && !is_build_id(d->build_id))
		pp_spaa_find(p, PP_SPAA_R_BUILD_ID_FORM, o->at[PP_SPAA_K_DSO_BUILD_ID],
		             "the build id is not lowercase hexadecimal bytes");
	if (pp_json_object_took(o, PP_SPAA_K_DSO_NAME) && !d->is_kernel &&
	    pp_spaa_kernel_name(d->name))
		pp_spaa_find(p, PP_SPAA_R_KERNEL_FLAG, o->at[PP_SPAA_K_DSO_NAME],
		             "\"%.*s\" looks like a kernel, but is_kernel is not true",
		             PP_SHOWN(d->name));
}

static void
frame_judge(struct pp_json_reader *p, const struct pp_json_object *o, void *out)
{
	const struct pp_spaa_frame *f = out;

	if (pp_json_object_took(o, PP_SPAA_K_FRAME_FUNC) && f->func.n == 0)
		pp_spaa_find(p, PP_SPAA_R_FUNC_EMPTY, o->at[PP_SPAA_K_FRAME_FUNC],
		             "the function has no name");
	if (pp_json_object_took(o, PP_SPAA_K_FRAME_FUNC) && !f->func_resolved &&
	    !pp_spaa_is_hex(f->func))
		pp_spaa_find(p, PP_SPAA_R_FUNC_UNRESOLVED, o->at[PP_SPAA_K_FRAME_FUNC],
		             "func_resolved is false, but func is not a hexadecimal address");
	if (pp_json_object_took(o, PP_SPAA_K_FRAME_IP) && !pp_spaa_is_hex(f->ip))
		pp_spaa_find(p, PP_SPAA_R_IP_HEX, o->at[PP_SPAA_K_FRAME_IP],
		             "ip is not 0x and hexadecimal digits");
	if (pp_json_object_took(o, PP_SPAA_K_FRAME_SYMOFF) && !pp_spaa_is_hex(f->symoff))
		pp_spaa_find(p, PP_SPAA_R_SYMOFF_HEX, o->at[PP_SPAA_K_FRAME_SYMOFF],
		             "symoff is not 0x and hexadecimal digits");
	if (pp_json_object_took(o, PP_SPAA_K_FRAME_SRCLINE) && f->srcline.n && !f->srcline_resolved)
		pp_spaa_find(p, PP_SPAA_R_SRCLINE_FLAG, o->at[PP_SPAA_K_FRAME_SRCLINE],
		             "srcline is given, but srcline_resolved is false");
	if (pp_json_object_took(o, PP_SPAA_K_FRAME_DEPTH) && f->inlined != (f->depth > 0))
		pp_spaa_find(p, PP_SPAA_R_INLINE_FLAG, o->at[PP_SPAA_K_FRAME_DEPTH],
		             "inlined is %s, but inline_depth is %llu",
		             f->inlined ? "true" : "false", (unsigned long long)f->depth);
}

static void
stack_judge(struct pp_json_reader *p, const struct pp_json_object *o, void *out)
{
	struct pp_spaa_stack *s = out;

	(void)p;
	s->id.is_hex = pp_json_object_took(o, PP_SPAA_K_STACK_ID) && s->id.is_text &&
	               pp_spaa_is_hex(s->id.text);
}

static void
sample_judge(struct pp_json_reader *p, const struct pp_json_object *o, void *out)
{
	const struct pp_spaa_sample *s = out;

	if (pp_json_object_took(o, PP_SPAA_K_SAMPLE_PERIOD) && s->period == 0)
		pp_spaa_find(p, PP_SPAA_R_VALUE_ZERO, o->at[PP_SPAA_K_SAMPLE_PERIOD],
		             "the period of the sample is 0");
}

static void
window_judge(struct pp_json_reader *p, const struct pp_json_object *o, void *out)
{
	const struct pp_spaa_window *w = out;
	bool odd;

	if (pp_json_object_took(o, PP_SPAA_K_WINDOW_START) &&
	    pp_json_object_took(o, PP_SPAA_K_WINDOW_END) && pp_decimal_cmp(&w->start, &w->end) > 0)
		pp_spaa_find(p, PP_SPAA_R_WINDOW_REVERSED, o->at[PP_SPAA_K_WINDOW_START],
		             "the window ends before it starts");
	if (pp_json_object_took(o, PP_SPAA_K_WINDOW_UNIT) &&
	    (pp_spaa_time_unit(w->unit, &odd) == 0 || odd))
		pp_spaa_find(p, PP_SPAA_R_WINDOW_UNIT, o->at[PP_SPAA_K_WINDOW_UNIT],
		             "\"%.*s\" is not a unit of time known here", PP_CLIP(w->unit, 40));
}

/* ---- the tables ------------------------------------------------------------------------- */

#define KEY(object, name, key, ...) PP_KEY(key),
#define FIELD(object, name, key, kind, member, wrong, missing, more)                               \
	{ PP_SPAA_V_##kind, offsetof(object##_struct, member), PP_SPAA_R_##wrong,                  \
	  PP_SPAA_R_##missing, more },
#define TABLES(object, type, ...)                                                                  \
	typedef type object##_struct;                                                              \
	static const struct pp_slice object##_keys[] = { PP_SPAA_##object##_FIELDS(KEY) };         \
	static const struct pp_json_field object##_fields[] = { PP_SPAA_##object##_FIELDS(FIELD) };
#define SHAPE(object, type, has, what, warn, judge)                                                \
	{ what,                                                                                    \
	  object##_keys,                                                                           \
	  object##_fields,                                                                         \
	  PP_COUNT_OF(object##_keys),                                                              \
	  warn,                                                                                    \
	  offsetof(type, has),                                                                     \
	  PP_SPAA_O_##object == PP_SPAA_O_CONTEXT ? offsetof(struct pp_spaa_stack, context) : 0,   \
	  judge },

PP_SPAA_OBJECTS(TABLES)

const struct pp_json_shape pp_spaa_shapes[] = { PP_SPAA_OBJECTS(SHAPE) };

enum pp_spaa_type
pp_spaa_type_of(struct pp_slice word)
{
	unsigned i;

	for (i = 0; i < PP_SPAA_RECORDS; i++)
		if (pp_slice_eq_z(word, pp_spaa_shapes[i].what + strlen("the ")))
			return (enum pp_spaa_type)i;
	return PP_SPAA_O_OTHER;
}
