/*
 * Call frame information.
 *
 *     section = *entry
 *     entry   = length id bytes                 u32, or u32:ffffffff u64; 0 ends .eh_frame
 *     id      = 0 in .eh_frame, all ones in .debug_frame: what entries share (CIE); else where that is
 *     CIE     = u8:version augmentation NUL uleb:code sleb:data return-register [uleb:n n bytes] program
 *     FDE     = start size [uleb:n n bytes] program
 *
 * A program changes rules as the address goes on; what holds at an address is what it made of them up to there.
 */
#include "symbols/cfi.h"

#include "base/slice.h"
#include "base/sort.h"
#include "symbols/dwarf_bytes.h"

/* States that a program may put aside. */
#define ASIDE_MOST 16

/* How pointers are written: what they are, what they count from. */
enum {
	AS_WORD = 0,
	AS_ULEB = 1,
	AS_U2 = 2,
	AS_U4 = 3,
	AS_U8 = 4,
	AS_SLEB = 9,
	AS_S2 = 10,
	AS_S4 = 11,
	AS_S8 = 12,
	AS_FORM = 15,
	FROM_HERE = 0x10,
	FROM = 0x70,
	INDIRECT = 0x80,
	OMITTED = 0xff
};

/* What entries share. */
struct common {
	uint64_t at;
	uint64_t code;
	int64_t data;
	uint64_t return_register;
	unsigned pointers; /* how they are written */
	bool sized;        /* entries tell the length of what else they hold */
	bool signal;
	struct pp_slice program;
};

struct entry {
	bool is_common;
	uint64_t common_at;
	struct pp_dwarf_bytes rest;
	uint64_t next;
};

static const struct pp_elf_section *
section_of(const struct pp_cfi *c, bool plain)
{
	return plain ? c->plain : c->eh;
}

/* The entry at a place of a section; false when there is none, at the end for example. */
static bool
entry_read(const struct pp_cfi *c, bool plain, uint64_t at, struct entry *e)
{
	const struct pp_elf_section *s = section_of(c, plain);
	struct pp_dwarf_bytes b;
	uint64_t n, id, id_at, all = UINT32_MAX;
	unsigned size = 4;

	if (at >= s->bytes.n)
		return false;
	b = pp_dwarf_bytes_of(c->elf, pp_slice_from(s->bytes, (size_t)at));
	n = pp_dwarf_fixed(&b, 4);
	if (n == UINT32_MAX) {
		n = pp_dwarf_fixed(&b, 8);
		size = plain ? 8 : 4;
		all = plain ? UINT64_MAX : all;
	}
	if (b.bad || n < size || n > (uint64_t)(b.end - b.p))
		return false;
	b.end = b.p + n;
	id_at = (uint64_t)(b.p - s->bytes.p);
	id = pp_dwarf_fixed(&b, size);
	e->is_common = plain ? id == all : id == 0;
	e->common_at = plain ? id : id_at - id;
	e->rest = b;
	e->next = (uint64_t)(b.end - s->bytes.p);
	return true;
}

/* A pointer; of those that are read through memory only the value itself. */
static uint64_t
pointer_read(const struct pp_cfi *c, bool plain, struct pp_dwarf_bytes *b, unsigned how)
{
	const struct pp_elf_section *s = section_of(c, plain);
	uint64_t here = s->address + (uint64_t)(b->p - s->bytes.p), v = 0;

	switch (how & AS_FORM) {
	case AS_WORD:
		v = pp_dwarf_fixed(b, c->elf->wide ? 8 : 4);
		break;
	case AS_ULEB:
		v = pp_dwarf_uleb(b);
		break;
	case AS_U2:
	case AS_U4:
	case AS_U8:
		v = pp_dwarf_fixed(b, 1u << ((how & AS_FORM) - 1));
		break;
	case AS_SLEB:
		v = (uint64_t)pp_dwarf_sleb(b);
		break;
	case AS_S2:
	case AS_S4:
	case AS_S8:
		v = (uint64_t)pp_dwarf_fixed_signed(b, 1u << ((how & AS_FORM) - 9));
		break;
	default:
		b->bad = true;
	}
	v += (how & FROM) == FROM_HERE ? here : 0;
	/* What counts from other places is of no use here, and nobody writes it. */
	b->bad |= (how & FROM) != 0 && (how & FROM) != FROM_HERE;
	return c->elf->wide ? v : (uint32_t)v;
}

/* What the letters of an augmentation say stands in bytes of its own. */
static void
augmentation_read(const struct pp_cfi *c, bool plain, const char *letters, struct pp_dwarf_bytes *b,
                  struct common *common)
{
	struct pp_slice bytes = pp_dwarf_block(b);
	struct pp_dwarf_bytes inner = pp_dwarf_bytes_of(c->elf, bytes);

	common->sized = true;
	for (; *letters && !inner.bad; letters++) {
		switch (*letters) {
		case 'R':
			common->pointers = (unsigned)pp_dwarf_fixed(&inner, 1);
			break;
		case 'P':
			(void)pointer_read(c, plain, &inner,
			                   (unsigned)pp_dwarf_fixed(&inner, 1) & AS_FORM);
			break;
		case 'L':
			(void)pp_dwarf_fixed(&inner, 1);
			break;
		case 'S':
			common->signal = true;
			break;
		case 'B': /* the second of AArch64's keys: signatures go away alike */
			break;
		default:
			return;
		}
	}
}

static bool
common_read(const struct pp_cfi *c, bool plain, uint64_t at, struct common *common)
{
	struct entry e;
	struct pp_dwarf_bytes *b = &e.rest;
	const unsigned char *text, *nul;
	unsigned version;

	*common = (struct common){ .at = at, .pointers = AS_WORD };
	if (!entry_read(c, plain, at, &e) || !e.is_common)
		return false;
	version = (unsigned)pp_dwarf_fixed(b, 1);
	text = b->p;
	nul = memchr(b->p, 0, (size_t)(b->end - b->p));
	if (!nul || (version != 1 && version != 3 && version != 4))
		return false;
	b->p = nul + 1;
	/* Sizes of addresses and segments; an ancient word of exceptions. */
	if (version == 4)
		(void)pp_dwarf_take(b, 2);
	if (text[0] == 'e' && text[1] == 'h')
		(void)pp_dwarf_take(b, c->elf->wide ? 8 : 4);
	common->code = pp_dwarf_uleb(b);
	common->data = pp_dwarf_sleb(b);
	common->return_register = version == 1 ? pp_dwarf_fixed(b, 1) : pp_dwarf_uleb(b);
	if (text[0] == 'z')
		augmentation_read(c, plain, (const char *)text + 1, b, common);
	common->program = pp_slice_between(b->p, b->end);
	return !b->bad && common->return_register < PP_CFI_REGISTERS;
}

/* ---- all functions ---------------------------------------------------------------------- */

static int
compare_ranges(const void *left, const void *right, void *unused)
{
	const struct pp_cfi_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* Where a function begins, and how long it is; the program is what is left. */
static bool
function_read(const struct pp_cfi *c, bool plain, const struct common *common, struct entry *e,
              struct pp_cfi_range *range)
{
	range->start = pointer_read(c, plain, &e->rest, common->pointers);
	range->size = pointer_read(c, plain, &e->rest, common->pointers & AS_FORM);
	if (common->sized)
		(void)pp_dwarf_block(&e->rest);
	return !e->rest.bad && range->size > 0 && !(common->pointers & INDIRECT);
}

static bool
ranges_read(struct pp_cfi *c, bool plain)
{
	struct common common = { .at = UINT64_MAX };
	struct entry e;
	uint64_t at;
	bool known = false;

	for (at = 0; entry_read(c, plain, at, &e); at = e.next) {
		struct pp_cfi_range range = { .at = at, .plain = plain };

		if (e.is_common)
			continue;
		if (common.at != e.common_at)
			known = common_read(c, plain, e.common_at, &common);
		common.at = e.common_at;
		if (known && function_read(c, plain, &common, &e, &range) &&
		    !pp_vec_push(&c->ranges, range))
			return false;
	}
	return true;
}

bool
pp_cfi_open(struct pp_cfi *c, const struct pp_elf *elf)
{
	*c = (struct pp_cfi){ .elf = elf,
		              .eh = pp_elf_named(elf, ".eh_frame"),
		              .plain = pp_elf_named(elf, ".debug_frame") };
	if ((c->eh && !ranges_read(c, false)) || (c->plain && !ranges_read(c, true)))
		return false;
	if (c->ranges.n > 1)
		pp_sort(c->ranges.at, c->ranges.n, sizeof *c->ranges.at, compare_ranges, NULL);
	return true;
}

void
pp_cfi_release(struct pp_cfi *c)
{
	pp_vec_release(&c->ranges);
}

/* ---- one address ------------------------------------------------------------------------ */

enum { /* what the upper two bits of an instruction say */
       OP_ADVANCE = 1,
       OP_OFFSET = 2,
       OP_RESTORE = 3
};
enum {
	OP_NOP = 0,
	OP_SET_LOCATION = 1,
	OP_ADVANCE1 = 2,
	OP_ADVANCE2 = 3,
	OP_ADVANCE4 = 4,
	OP_OFFSET_LONG = 5,
	OP_RESTORE_LONG = 6,
	OP_UNDEFINED = 7,
	OP_SAME = 8,
	OP_REGISTER = 9,
	OP_REMEMBER = 10,
	OP_RECALL = 11,
	OP_FRAME = 12,
	OP_FRAME_REGISTER = 13,
	OP_FRAME_OFFSET = 14,
	OP_FRAME_EXPRESSION = 15,
	OP_EXPRESSION = 16,
	OP_OFFSET_SIGNED = 17,
	OP_FRAME_SIGNED = 18,
	OP_FRAME_OFFSET_SIGNED = 19,
	OP_VALUE_OFFSET = 20,
	OP_VALUE_OFFSET_SIGNED = 21,
	OP_VALUE_EXPRESSION = 22,
	OP_ADVANCE8 = 29,
	OP_SIGN = 45,
	OP_ARGUMENTS = 46,
	OP_OFFSET_NEGATIVE = 47
};

/* A program that runs. */
struct running {
	const struct pp_cfi *c;
	const struct common *common;
	bool plain;
	uint64_t location, until;
	struct pp_cfi_row *row;
	struct pp_cfi_row first; /* as the common part left it */
	struct pp_cfi_row aside[ASIDE_MOST];
	size_t aside_n;
	struct pp_dwarf_bytes b;
};

static int64_t
scaled(const struct running *r, int64_t by)
{
	return (int64_t)((uint64_t)by * (uint64_t)r->common->data);
}

static void
rule_set(struct running *r, uint64_t number, enum pp_cfi_how how, int64_t value)
{
	/* Registers beyond, those of vectors, tell nothing about callers. */
	if (number < PP_CFI_REGISTERS)
		r->row->registers[number] = (struct pp_cfi_rule){ .how = how, .value = value };
}

static void
rule_restore(struct running *r, uint64_t number)
{
	if (number < PP_CFI_REGISTERS)
		r->row->registers[number] = r->first.registers[number];
}

static void
rule_expression(struct running *r, enum pp_cfi_how how)
{
	uint64_t number = pp_dwarf_uleb(&r->b);
	struct pp_slice block = pp_dwarf_block(&r->b);

	rule_set(r, number, how, 0);
	if (number < PP_CFI_REGISTERS)
		r->row->registers[number].expression = block;
}

static void
frame_set(struct running *r, uint64_t base, int64_t offset)
{
	r->b.bad |= base >= PP_CFI_REGISTERS;
	r->row->base = (uint32_t)base;
	r->row->frame = (struct pp_cfi_rule){ .how = PP_CFI_IN_REGISTER, .value = offset };
}

/* How the frame's address is found. */
static void
run_frame(struct running *r, unsigned op)
{
	struct pp_dwarf_bytes *b = &r->b;
	uint64_t base;

	switch (op) {
	case OP_FRAME:
		base = pp_dwarf_uleb(b);
		frame_set(r, base, (int64_t)pp_dwarf_uleb(b));
		break;
	case OP_FRAME_SIGNED:
		base = pp_dwarf_uleb(b);
		frame_set(r, base, scaled(r, pp_dwarf_sleb(b)));
		break;
	case OP_FRAME_REGISTER:
		frame_set(r, pp_dwarf_uleb(b), r->row->frame.value);
		break;
	case OP_FRAME_OFFSET:
		r->row->frame.value = (int64_t)pp_dwarf_uleb(b);
		break;
	case OP_FRAME_OFFSET_SIGNED:
		r->row->frame.value = scaled(r, pp_dwarf_sleb(b));
		break;
	default:
		r->row->frame = (struct pp_cfi_rule){ .how = PP_CFI_IS_EXPRESSION,
			                              .expression = pp_dwarf_block(b) };
	}
}

/* Where registers are. */
static void
run_rule(struct running *r, unsigned op)
{
	struct pp_dwarf_bytes *b = &r->b;
	uint64_t number;

	if (op == OP_EXPRESSION || op == OP_VALUE_EXPRESSION) {
		rule_expression(r,
		                op == OP_EXPRESSION ? PP_CFI_AT_EXPRESSION : PP_CFI_IS_EXPRESSION);
		return;
	}
	number = pp_dwarf_uleb(b);
	switch (op) {
	case OP_OFFSET_LONG:
		rule_set(r, number, PP_CFI_AT_OFFSET, scaled(r, (int64_t)pp_dwarf_uleb(b)));
		break;
	case OP_OFFSET_SIGNED:
		rule_set(r, number, PP_CFI_AT_OFFSET, scaled(r, pp_dwarf_sleb(b)));
		break;
	case OP_OFFSET_NEGATIVE:
		rule_set(r, number, PP_CFI_AT_OFFSET, scaled(r, (int64_t)(0 - pp_dwarf_uleb(b))));
		break;
	case OP_VALUE_OFFSET:
		rule_set(r, number, PP_CFI_IS_OFFSET, scaled(r, (int64_t)pp_dwarf_uleb(b)));
		break;
	case OP_VALUE_OFFSET_SIGNED:
		rule_set(r, number, PP_CFI_IS_OFFSET, scaled(r, pp_dwarf_sleb(b)));
		break;
	case OP_REGISTER:
		rule_set(r, number, PP_CFI_IN_REGISTER, (int64_t)(pp_dwarf_uleb(b) & INT32_MAX));
		break;
	case OP_UNDEFINED:
		rule_set(r, number, PP_CFI_LOST, 0);
		break;
	case OP_SAME:
		rule_set(r, number, PP_CFI_SAME, 0);
		break;
	default:
		rule_restore(r, number);
	}
}

static void
run_other(struct running *r, unsigned op)
{
	switch (op) {
	case OP_NOP:
		break;
	case OP_REMEMBER:
		r->b.bad |= r->aside_n == ASIDE_MOST;
		if (!r->b.bad)
			r->aside[r->aside_n++] = *r->row;
		break;
	case OP_RECALL:
		r->b.bad |= r->aside_n == 0;
		if (!r->b.bad)
			*r->row = r->aside[--r->aside_n];
		break;
	case OP_SIGN:
		r->row->return_signed = !r->row->return_signed;
		break;
	case OP_ARGUMENTS:
		(void)pp_dwarf_uleb(&r->b);
		break;
	default:
		r->b.bad = true;
	}
}

/* How far the address goes on; false when an instruction is about something else. */
static bool
run_advance(struct running *r, unsigned op)
{
	switch (op) {
	case OP_SET_LOCATION:
		r->location = pointer_read(r->c, r->plain, &r->b, r->common->pointers);
		return true;
	case OP_ADVANCE1:
	case OP_ADVANCE2:
	case OP_ADVANCE4:
		r->location += pp_dwarf_fixed(&r->b, 1u << (op - OP_ADVANCE1)) * r->common->code;
		return true;
	case OP_ADVANCE8:
		r->location += pp_dwarf_fixed(&r->b, 8) * r->common->code;
		return true;
	}
	return false;
}

/* Runs a program up to an address; false when it makes no sense. */
static bool
run(struct running *r, struct pp_slice program)
{
	r->b = pp_dwarf_bytes_of(r->c->elf, program);
	while (r->b.p < r->b.end && !r->b.bad && r->location <= r->until) {
		unsigned op = (unsigned)pp_dwarf_fixed(&r->b, 1), low = op & 63;

		if (op >> 6 == OP_ADVANCE)
			r->location += low * r->common->code;
		else if (op >> 6 == OP_OFFSET)
			rule_set(r, low, PP_CFI_AT_OFFSET,
			         scaled(r, (int64_t)pp_dwarf_uleb(&r->b)));
		else if (op >> 6 == OP_RESTORE)
			rule_restore(r, low);
		else if (run_advance(r, op))
			continue;
		else if ((op >= OP_FRAME && op <= OP_FRAME_EXPRESSION) || op == OP_FRAME_SIGNED ||
		         op == OP_FRAME_OFFSET_SIGNED)
			run_frame(r, op);
		else if ((op >= OP_OFFSET_LONG && op <= OP_REGISTER) ||
		         (op >= OP_EXPRESSION && op <= OP_VALUE_EXPRESSION) ||
		         op == OP_OFFSET_NEGATIVE)
			run_rule(r, op);
		else
			run_other(r, op);
	}
	return !r->b.bad;
}

/* The function around an address; NULL when there is none. */
static const struct pp_cfi_range *
range_find(const struct pp_cfi *c, uint64_t address)
{
	size_t low = 0, high = c->ranges.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->ranges.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address - c->ranges.at[low - 1].start >= c->ranges.at[low - 1].size)
		return NULL;
	return &c->ranges.at[low - 1];
}

bool
pp_cfi_find(const struct pp_cfi *c, uint64_t address, struct pp_cfi_row *row)
{
	const struct pp_cfi_range *range = range_find(c, address);
	struct pp_cfi_range again;
	struct common common;
	struct entry e;
	struct running r;

	if (!range || !entry_read(c, range->plain, range->at, &e) ||
	    !common_read(c, range->plain, e.common_at, &common) ||
	    !function_read(c, range->plain, &common, &e, &again))
		return false;
	*row = (struct pp_cfi_row){ .return_register = (uint32_t)common.return_register,
		                    .signal = common.signal };
	r.c = c;
	r.common = &common;
	r.plain = range->plain;
	r.row = row;
	r.aside_n = 0;
	r.location = 0;
	r.until = UINT64_MAX;
	r.first = *row;
	if (!run(&r, common.program))
		return false;
	r.first = *row;
	r.location = range->start;
	r.until = address;
	return run(&r, pp_slice_between(e.rest.p, e.rest.end)) && row->frame.how != PP_CFI_SAME;
}
