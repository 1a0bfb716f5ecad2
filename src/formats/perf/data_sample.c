/*
 * The fields of a sample: each is there if its bit of the event's sample_type is set, in an order of their own.
 */
#include "formats/perf/data.h"

/* Bits of read_format. */
enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };

/* Bits of branch_sample_type. */
enum { BRANCH_CALL_STACK = 1 << 11, BRANCH_HW_INDEX = 1 << 17 };

struct cursor {
	const struct pp_pd *d;
	const unsigned char *p, *end;
	bool bad;
};

static uint64_t
word(struct cursor *c)
{
	uint64_t v = 0;

	if (c->bad || c->end - c->p < 8) {
		c->bad = true;
		return 0;
	}
	v = pp_pd_u64(c->d, c->p);
	c->p += 8;
	return v;
}

/* n things of so many bytes, or nothing where they do not fit. */
static const unsigned char *
block(struct cursor *c, uint64_t n, size_t size)
{
	const unsigned char *at = c->p;

	if (c->bad || n > (size_t)(c->end - c->p) / size) {
		c->bad = true;
		return c->end;
	}
	c->p += n * size;
	return at;
}

/* What counters said when the sample was taken. */
struct values {
	bool group;
	const unsigned char *at;
	uint64_t n;
	size_t width; /* words of each: value, id, lost */
	uint64_t single, id;
	bool has_id;
};

static void
read_take(struct cursor *c, uint64_t format, struct values *v)
{
	*v = (struct values){ .group = format & READ_GROUP, .has_id = format & READ_ID };
	if (v->group) {
		v->n = word(c);
		(void)block(c, (format & READ_ENABLED) != 0, 8);
		(void)block(c, (format & READ_RUNNING) != 0, 8);
		v->width = 1u + ((format & READ_ID) != 0) + ((format & READ_LOST) != 0);
		v->at = block(c, v->n, 8 * v->width);
		return;
	}
	v->single = word(c);
	(void)block(c, (format & READ_ENABLED) != 0, 8);
	(void)block(c, (format & READ_RUNNING) != 0, 8);
	v->id = format & READ_ID ? word(c) : 0;
	(void)block(c, (format & READ_LOST) != 0, 8);
}

static void
branches_take(struct cursor *c, struct pp_pd_facts *f)
{
	uint64_t n = word(c);

	if (f->attr->branch_type & BRANCH_HW_INDEX)
		(void)word(c);
	f->branches = block(c, n, 24);
	f->branch_n = (size_t)n;
	f->by_branches = f->attr->branch_type & BRANCH_CALL_STACK;
}

/* A copy of the user's stack, of which so many bytes are real. */
static void
stack_take(struct cursor *c, struct pp_pd_facts *f)
{
	uint64_t n = word(c), real;
	const unsigned char *at = block(c, n, 1);

	real = n ? word(c) : 0;
	if (!c->bad)
		f->stack = pp_slice_of(at, (size_t)(real < n ? real : n));
}

/* What stands between the chain and the end, of which branches and copies of stacks are of use. */
static void
rest_take(struct cursor *c, uint64_t type, struct pp_pd_facts *f)
{
	if (type & PP_PD_RAW) {
		uint32_t n = c->end - c->p >= 4 ? pp_pd_u32(c->d, c->p) : 0;

		const unsigned char *at;

		c->bad |= c->end - c->p < 4;
		at = block(c, (uint64_t)n + 4, 1);
		if (!c->bad)
			f->raw = pp_slice_of(at + 4, n);
	}
	if (type & PP_PD_BRANCH_STACK)
		branches_take(c, f);
	if ((type & PP_PD_REGS_USER) && (f->registers_abi = word(c)))
		f->registers = block(c, (uint64_t)__builtin_popcountll(f->attr->regs_user), 8);
	if (type & PP_PD_STACK_USER)
		stack_take(c, f);
}

static void
fields_take(struct pp_pd *d, struct cursor *c, struct pp_pd_facts *f, struct values *v)
{
	uint64_t type = f->attr->sample_type;

	if (type & PP_PD_IDENTIFIER)
		f->id = word(c);
	if (type & PP_PD_IP)
		f->ip = word(c);
	if (type & PP_PD_TID) {
		const unsigned char *at = block(c, 1, 8);

		f->pid = c->bad ? 0 : pp_pd_u32(d, at);
		f->tid = c->bad ? 0 : pp_pd_u32(d, at + 4);
	}
	if (type & PP_PD_TIME) {
		f->time = word(c);
		f->has_time = f->time <= INT64_MAX;
	}
	if (type & PP_PD_ADDR)
		(void)word(c);
	if (type & PP_PD_ID)
		f->id = word(c);
	if (type & PP_PD_STREAM_ID)
		(void)word(c);
	if (type & PP_PD_CPU) {
		const unsigned char *at = block(c, 1, 8);

		f->cpu = c->bad ? 0 : pp_pd_u32(d, at);
		f->has_cpu = f->cpu != UINT32_MAX;
	}
	/* Without a period in the sample it is that of the event, where it was sampled by period. */
	f->period = type & PP_PD_PERIOD               ? word(c)
	            : !f->attr->freq && f->attr->rate ? f->attr->rate
	                                              : 1;
	if (type & PP_PD_READ)
		read_take(c, f->attr->read_format, v);
	if (type & PP_PD_CALLCHAIN) {
		uint64_t n = word(c);

		f->chain = block(c, n, 8);
		f->chain_n = c->bad ? 0 : (size_t)n;
	}
	rest_take(c, type, f);
}

/* ---- groups ----------------------------------------------------------------------------- */

/* What a counter counted since it was last read. */
static uint64_t
difference(struct pp_pd *d, uint64_t id, uint64_t value)
{
	uint32_t at = pp_map_get(&d->last_of, id);
	uint64_t last = 0;

	if (at == PP_MAP_NONE) {
		at = (uint32_t)d->lasts.n;
		if (!pp_vec_push(&d->lasts, value) || !pp_map_set(&d->last_of, id, at))
			pp_pd_no_memory(d);
		return value;
	}
	last = d->lasts.at[at];
	d->lasts.at[at] = value;
	return value - last;
}

static void
member_give(struct pp_pd *d, struct pp_pd_facts *f, uint64_t id, uint64_t value)
{
	struct pp_pd_facts member = *f;

	member.attr = pp_pd_attr_by_id(d, id);
	member.period = difference(d, id, value);
	if (!member.attr)
		d->counts.strangers++;
	else if (member.period)
		pp_pd_give(d, &member);
}

/* One record is a sample of each event of a group that went on meanwhile. */
static void
values_give(struct pp_pd *d, struct pp_pd_facts *f, const struct values *v)
{
	uint64_t i;

	if (!v->group) {
		member_give(d, f, v->has_id ? v->id : f->id, v->single);
		return;
	}
	for (i = 0; i < v->n && pp_builder_ok(d->builder); i++) {
		const unsigned char *at = v->at + 8 * v->width * i;

		member_give(d, f, pp_pd_u64(d, at + 8), pp_pd_u64(d, at));
	}
}

void
pp_pd_sample(struct pp_pd *d, const unsigned char *record)
{
	struct pp_pd_facts f = { .attr = pp_pd_sample_attr(d, record),
		                 .mode = pp_pd_misc(d, record) & PP_PD_CPUMODE,
		                 .record = record };
	struct cursor c = { .d = d, .p = record + 8, .end = record + pp_pd_size(d, record) };
	struct values v = { 0 };

	if (!f.attr) {
		if (d->attrs.n == 0)
			pp_pd_refuse(d, PP_PD_EVENT, record,
			             "a sample before any event is described");
		else
			d->counts.strangers++;
		return;
	}
	fields_take(d, &c, &f, &v);
	if (c.bad) {
		pp_pd_refuse(d, PP_PD_SAMPLE, record,
		             "the fields of a sample need more than its %u bytes",
		             pp_pd_size(d, record));
		return;
	}
	if (PP_UNLIKELY(d->threads.executing) && f.mode == PP_PD_USER)
		pp_pd_executed(d, f.pid);
	if (f.branches && !f.by_branches) {
		d->counts.branches += f.branch_n > 0;
		pp_pd_branches_add(d, &f, f.branches, f.branch_n);
	}
	d->counts.stacks += f.stack.n && !f.registers;
	if ((f.attr->sample_type & PP_PD_READ) && (!v.group || v.has_id))
		values_give(d, &f, &v);
	else
		pp_pd_give(d, &f);
}
