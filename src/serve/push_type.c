/*
 * The label `type` of pushed profiles: the metric that a profile is about, in pprof's words (cpu,
 * wall, inuse_space, alloc_space, delay, ...), the same for all ways of pushing. It separates the CPU
 * profiles of a service from its heap profiles.
 */
#include "serve/push.h"
#include "text/protobuf.h"

#include "base/utf8.h"

#define TYPE_MAX 128

void
pp_push_type(struct pp_push *p, struct pp_slice type)
{
	size_t i;

	for (i = 0; i < p->label_count; i++)
		if (pp_slice_eq_z(p->labels[i].key, "type"))
			return;
	/* An invalid or surplus label is no reason to refuse a profile. */
	if (type.n && type.n <= TYPE_MAX && pp_utf8_valid(type) && p->label_count < PP_LABELS_MAX)
		(void)pp_push_label(p, pp_slice_z("type"), type);
}

/* Returns the string number of the name of the default metric or, without one, of the last. */
static uint64_t
type_find(struct pp_slice profile)
{
	uint64_t last = 0, usual = 0;
	struct pp_wire_field f, g;
	struct pp_wire w, v;
	bool is_there = false;

	pp_wire_init(&w, profile);
	while (pp_wire_next(&w, &f))
		if (f.number == 14 && f.type == PP_WIRE_VARINT)
			usual = f.value;
	pp_wire_init(&w, profile);
	while (pp_wire_next(&w, &f)) {
		if (f.number != 1 || f.type != PP_WIRE_BYTES)
			continue;
		pp_wire_init(&v, f.bytes);
		while (pp_wire_next(&v, &g))
			last = g.number == 1 && g.type == PP_WIRE_VARINT ? g.value : last;
		is_there |= last == usual;
	}
	return usual && is_there ? usual : last;
}

bool
pp_push_pprof(struct pp_push *p, struct pp_slice profile, const char *name)
{
	struct pp_buf unpacked = { 0 };
	struct pp_slice bytes = profile;
	const size_t labels = p->label_count;
	uint64_t type, index = 0;
	struct pp_wire_field f;
	struct pp_wire w;
	bool taken;

	if (pp_push_unpack(p, profile, &unpacked))
		bytes = pp_slice_of(unpacked.p ? unpacked.p : "", unpacked.n);
	type = type_find(bytes);
	pp_wire_init(&w, bytes);
	while (type && pp_wire_next(&w, &f))
		if (f.number == 6 && f.type == PP_WIRE_BYTES && index++ == type)
			pp_push_type(p, f.bytes);
	taken = pp_push_profile(p, bytes, name, "pprof");
	/* The next profile of the same series has another. */
	p->label_count = labels;
	pp_buf_release(&unpacked);
	return taken;
}
