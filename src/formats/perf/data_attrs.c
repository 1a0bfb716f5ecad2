/*
 * Events of a recording, and what the file says of itself.
 */
#include "formats/perf/data.h"

#include <stdio.h>

enum {
	FLAG_EXCLUDE_USER = 4,
	FLAG_EXCLUDE_KERNEL = 5,
	FLAG_EXCLUDE_HV = 6,
	FLAG_FREQ = 10,
	FLAG_PRECISE = 15, /* two bits */
	FLAG_ID_ALL = 18,
	FLAG_EXCLUDE_HOST = 19,
	FLAG_EXCLUDE_GUEST = 20,
	FLAG_CLOCK = 25
};

enum {
	FEATURE_TRACING = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_RELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_CPUS = 7,
	FEATURE_CPU = 8,
	FEATURE_CPU_ID = 9,
	FEATURE_MEMORY = 10,
	FEATURE_COMMAND = 11,
	FEATURE_EVENTS = 12,
	FEATURE_DIRECTORY = 24,
	FEATURE_CLOCK = 29
};

#define UPDATE_NAME 2

/* ---- attributes ------------------------------------------------------------------------- */

static uint64_t
word_at(const struct pp_pd *d, const unsigned char *p, size_t n, size_t at)
{
	return at + 8 <= n ? pp_pd_u64(d, p + at) : 0;
}

/* Flags are bit fields: big endian machines count them from the other end of each byte. */
static uint64_t
flags_at(const struct pp_pd *d, const unsigned char *p)
{
	uint64_t flags = 0;
	unsigned k;

	if (!d->big)
		return pp_pd_u64(d, p);
	for (k = 0; k < 64; k++)
		flags |= (uint64_t)(p[k / 8] >> (7 - k % 8) & 1) << k;
	return flags;
}

static bool
flag(const struct pp_pd_attr *a, unsigned bit)
{
	return a->flags >> bit & 1;
}

bool
pp_pd_attr_add(struct pp_pd *d, const unsigned char *p, size_t n)
{
	struct pp_pd_attr a = { 0 };

	if (n < 48)
		return false;
	if (d->attrs.n == PP_PERF_EVENTS_MOST) {
		pp_pd_refuse(d, PP_PD_EVENTS, p, "more than %d events", PP_PERF_EVENTS_MOST);
		return false;
	}
	a.type = pp_pd_u32(d, p);
	a.config = word_at(d, p, n, 8);
	a.rate = word_at(d, p, n, 16);
	a.sample_type = word_at(d, p, n, 24);
	a.read_format = word_at(d, p, n, 32);
	a.flags = flags_at(d, p + 40);
	a.branch_type = word_at(d, p, n, 72);
	a.regs_user = word_at(d, p, n, 80);
	a.regs_intr = word_at(d, p, n, 96);
	a.freq = flag(&a, FLAG_FREQ);
	a.monotonic = flag(&a, FLAG_CLOCK) && n >= 96 && pp_pd_u32(d, p + 92) == 1;
	a.id_all = flag(&a, FLAG_ID_ALL);
	if (!pp_vec_push(&d->attrs, a))
		pp_pd_no_memory(d);
	return pp_builder_ok(d->builder);
}

void
pp_pd_attr_id(struct pp_pd *d, size_t attr, uint64_t id)
{
	if (!pp_map_set(&d->attr_of, id, (uint32_t)attr))
		pp_pd_no_memory(d);
}

struct pp_pd_attr *
pp_pd_attr_by_id(struct pp_pd *d, uint64_t id)
{
	uint32_t at;

	if (d->attrs.n == 0)
		return NULL;
	/* Old pipes tell no ids: all is of the first event then. */
	if (d->attrs.n == 1 || d->attr_of.n == 0)
		return &d->attrs.at[0];
	at = pp_map_get(&d->attr_of, id);
	return at == PP_MAP_NONE ? NULL : &d->attrs.at[at];
}

struct pp_pd_attr *
pp_pd_sample_attr(struct pp_pd *d, const unsigned char *record)
{
	const uint64_t before = PP_PD_IP | PP_PD_TID | PP_PD_TIME | PP_PD_ADDR;
	size_t at = 8;

	if (d->attrs.n <= 1)
		return d->attrs.n ? &d->attrs.at[0] : NULL;
	if (!(d->attrs.at[0].sample_type & PP_PD_IDENTIFIER))
		at += 8 * (size_t)__builtin_popcountll(d->attrs.at[0].sample_type & before);
	return at + 8 <= pp_pd_size(d, record) ? pp_pd_attr_by_id(d, pp_pd_u64(d, record + at))
	                                       : NULL;
}

struct pp_pd_attr *
pp_pd_side_attr(struct pp_pd *d, const unsigned char *record)
{
	const uint64_t behind = PP_PD_CPU | PP_PD_STREAM_ID;
	size_t back = 8, size = pp_pd_size(d, record);
	struct pp_pd_attr *found = NULL;

	if (d->attrs.n == 0 || !d->attrs.at[0].id_all)
		return d->attrs.n ? &d->attrs.at[0] : NULL;
	if (!(d->attrs.at[0].sample_type & PP_PD_IDENTIFIER))
		back += 8 * (size_t)__builtin_popcountll(d->attrs.at[0].sample_type & behind);
	if (d->attrs.n > 1 && size >= 8 + back)
		found = pp_pd_attr_by_id(d, pp_pd_u64(d, record + size - back));
	return found ? found : &d->attrs.at[0];
}

/* ---- names ------------------------------------------------------------------------------ */

static const char *
cache_name(uint64_t config, char *text, size_t n)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
		                              "iTLB",      "branch",    "node" };
	static const char *const ops[] = { "load", "store", "prefetch" };
	unsigned cache = config & 255, op = config >> 8 & 255, missed = config >> 16 & 255;

	if (cache >= PP_COUNT_OF(caches) || op >= PP_COUNT_OF(ops) || missed > 1)
		return NULL;
	snprintf(text, n, missed ? "%s-%s-misses" : "%s-%ss", caches[cache], ops[op]);
	return text;
}

static void
base_name(const struct pp_pd_attr *a, char *text, size_t n)
{
	static const char *const hardware[] = { "cycles",
		                                "instructions",
		                                "cache-references",
		                                "cache-misses",
		                                "branches",
		                                "branch-misses",
		                                "bus-cycles",
		                                "stalled-cycles-frontend",
		                                "stalled-cycles-backend",
		                                "ref-cycles" };
	static const char *const software[] = {
		"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"
	};

	if (a->type == 0 && a->config < PP_COUNT_OF(hardware))
		snprintf(text, n, "%s", hardware[a->config]);
	else if (a->type == 1 && a->config < PP_COUNT_OF(software))
		snprintf(text, n, "%s", software[a->config]);
	else if (a->type == 2)
		snprintf(text, n, "tracepoint %llu", (unsigned long long)a->config);
	else if (a->type != 3 || !cache_name(a->config, text, n))
		snprintf(text, n, "raw 0x%llx", (unsigned long long)a->config);
}

/* "cycles:ppH": who is counted, where not all are. */
static void
modifiers_add(const struct pp_pd_attr *a, struct pp_buf *name)
{
	bool user = !flag(a, FLAG_EXCLUDE_USER), kernel = !flag(a, FLAG_EXCLUDE_KERNEL),
	     hv = !flag(a, FLAG_EXCLUDE_HV);
	unsigned precise = (unsigned)(a->flags >> FLAG_PRECISE & 3);
	bool any = !user || !kernel || !hv, host = !flag(a, FLAG_EXCLUDE_HOST),
	     guest = !flag(a, FLAG_EXCLUDE_GUEST);

	if (any || precise)
		pp_buf_addc(name, ':');
	if (any) {
		pp_buf_adds(name, kernel ? "k" : "");
		pp_buf_adds(name, user ? "u" : "");
		pp_buf_adds(name, hv ? "h" : "");
	}
	pp_buf_adds(name, precise > 2 ? "ppp" : precise > 1 ? "pp" : precise ? "p" : "");
	if (!host || (guest && (any || precise))) {
		pp_buf_adds(name, any || precise ? "" : ":");
		pp_buf_adds(name, host ? "H" : "");
		pp_buf_adds(name, guest ? "G" : "");
	}
}

void
pp_pd_attr_title(struct pp_pd *d, struct pp_pd_attr *a)
{
	struct pp_buf name = { 0 };
	char base[64];

	if (a->name.n) {
		a->title = pp_build_str(d->builder, a->name);
		return;
	}
	base_name(a, base, sizeof base);
	pp_buf_adds(&name, base);
	modifiers_add(a, &name);
	a->title = pp_build_buf(d->builder, &name);
}

void
pp_pd_event_update(struct pp_pd *d, struct pp_slice r)
{
	struct pp_pd_attr *a;

	if (r.n <= 24 || pp_pd_u64(d, r.p + 8) != UPDATE_NAME)
		return;
	a = pp_pd_attr_by_id(d, pp_pd_u64(d, r.p + 16));
	if (a)
		a->name = pp_pd_text(r.p + 24, r.n - 24);
}

/* ---- features --------------------------------------------------------------------------- */

/* The next string of a feature, empty when it is cut. */
static struct pp_slice
string_take(const struct pp_pd *d, struct pp_slice *rest)
{
	struct pp_slice text = { rest->p, 0 };
	uint32_t n;

	if (rest->n < 4) {
		rest->n = 0;
		return text;
	}
	n = pp_pd_u32(d, rest->p);
	*rest = pp_slice_from(*rest, 4);
	n = n < rest->n ? n : (uint32_t)rest->n;
	text = pp_pd_text(rest->p, n);
	*rest = pp_slice_from(*rest, n);
	return text;
}

/* Names of events, and ids of those that had none of their own. */
static void
events_read(struct pp_pd *d, struct pp_slice rest)
{
	uint32_t count, size, i, k;

	if (rest.n < 8)
		return;
	count = pp_pd_u32(d, rest.p);
	size = pp_pd_u32(d, rest.p + 4);
	rest = pp_slice_from(rest, 8);
	for (i = 0; i < count && i < d->attrs.n && rest.n > 4 && size <= rest.n - 4; i++) {
		uint32_t ids = pp_pd_u32(d, rest.p + size);

		rest = pp_slice_from(rest, size + (size_t)4);
		d->attrs.at[i].name = string_take(d, &rest);
		for (k = 0; k < ids && rest.n >= 8; k++, rest = pp_slice_from(rest, 8))
			if (pp_map_get(&d->attr_of, pp_pd_u64(d, rest.p)) == PP_MAP_NONE)
				pp_pd_attr_id(d, i, pp_pd_u64(d, rest.p));
	}
}

void
pp_pd_build_id(struct pp_pd *d, struct pp_slice r)
{
	struct pp_slice name;
	size_t n = 20;
	pp_str id = 0;
	bool is_new = false;

	if (r.n <= 36)
		return;
	if (pp_pd_misc(d, r.p) & PP_PD_MISC_ID_SIZE)
		n = r.p[32] <= 20 ? r.p[32] : 20;
	name = pp_pd_text(r.p + 36, r.n - 36);
	if (n && name.n &&
	    (!pp_strtab_intern(&d->id_names, name.p, name.n, &id, &is_new) ||
	     (is_new && !pp_vec_push(&d->ids, pp_slice_of(r.p + 12, n)))))
		pp_pd_no_memory(d);
}

static void
build_ids_read(struct pp_pd *d, struct pp_slice rest)
{
	while (rest.n >= 8) {
		size_t n = pp_pd_size(d, rest.p);

		if (n < 8 || n > rest.n)
			break;
		pp_pd_build_id(d, pp_slice_of(rest.p, n));
		rest = pp_slice_from(rest, n);
	}
}

struct pp_slice
pp_pd_build_id_of(const struct pp_pd *d, struct pp_slice name)
{
	pp_str id;

	return pp_strtab_find(&d->id_names, name.p, name.n, &id) && id < d->ids.n
	           ? d->ids.at[id]
	           : pp_slice_of("", 0);
}

static void
command_read(struct pp_pd *d, struct pp_slice rest)
{
	struct pp_pd_features *f = &d->features;
	uint32_t n = rest.n >= 4 ? pp_pd_u32(d, rest.p) : 0;

	rest = pp_slice_from(rest, rest.n >= 4 ? 4 : rest.n);
	for (f->words = 0; n > 0 && rest.n && f->words < PP_COUNT_OF(f->command); n--)
		f->command[f->words++] = string_take(d, &rest);
}

void
pp_pd_feature(struct pp_pd *d, unsigned bit, struct pp_slice content)
{
	struct pp_pd_features *f = &d->features;
	struct pp_slice s = content;

	switch (bit) {
	case FEATURE_TRACING:
		pp_pd_tracing(d, s);
		break;
	case FEATURE_BUILD_ID:
		build_ids_read(d, s);
		break;
	case FEATURE_HOSTNAME:
		f->hostname = string_take(d, &s);
		break;
	case FEATURE_RELEASE:
		f->release = string_take(d, &s);
		break;
	case FEATURE_VERSION:
		f->version = string_take(d, &s);
		break;
	case FEATURE_ARCH:
		f->arch = string_take(d, &s);
		break;
	case FEATURE_CPU:
		f->cpu = string_take(d, &s);
		break;
	case FEATURE_CPU_ID:
		f->cpu_id = string_take(d, &s);
		break;
	case FEATURE_CPUS:
		f->cpus = s.n >= 8 ? pp_pd_u32(d, s.p) : 0;
		f->cpus_online = s.n >= 8 ? pp_pd_u32(d, s.p + 4) : 0;
		break;
	case FEATURE_MEMORY:
		f->memory = s.n >= 8 ? pp_pd_u64(d, s.p) : 0;
		break;
	case FEATURE_COMMAND:
		command_read(d, s);
		break;
	case FEATURE_EVENTS:
		events_read(d, s);
		break;
	case FEATURE_DIRECTORY:
		f->directory = true;
		break;
	case FEATURE_CLOCK:
		/* u32 version, u32 clock, u64 wall time, u64 time of the clock */
		f->wall = s.n >= 24 ? pp_pd_u64(d, s.p + 8) : 0;
		f->clock = s.n >= 24 ? pp_pd_u64(d, s.p + 16) : 0;
		break;
	default:
		break;
	}
}
