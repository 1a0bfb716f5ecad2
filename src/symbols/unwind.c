/*
 * Unwinding.
 */
#include "symbols/unwind.h"

#include "base/slice.h"
#include "symbols/dwarf_bytes.h"

/* An expression's values, and steps it may take. */
#define VALUES_MOST 64
#define STEPS_MOST 2000
/* How far above a frame the next one may be where only the frame pointer tells. */
#define GUESS_FARTHEST 0x4000
/* AArch64: what of an address is one; a signature is above. */
#define SIGNED_MASK (((uint64_t)1 << 48) - 1)

/* ---- machines --------------------------------------------------------------------------- */

/* What of a machine matters: registers by DWARF's numbers, each as perf numbers it. */
struct machine {
	unsigned word;
	unsigned registers;
	unsigned pc, sp, fp,
	    link; /* perf's pc; DWARF's others; link = the one that calls set, or none */
	unsigned char perf[PP_CFI_REGISTERS];
};

#define NO_LINK UINT32_MAX

static const struct machine
    machines[] = {
	    [PP_UNWIND_X86] = { 4, 9, 8, 4, 5, NO_LINK, { 0, 2, 3, 1, 7, 6, 4, 5, 8 } },
	    [PP_UNWIND_X86_64] = { 8,
	                           17,
	                           8,
	                           7,
	                           6,
	                           NO_LINK,
	                           { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 } },
	    [PP_UNWIND_AARCH64] = { 8, 33, 32, 31, 29, 30, { 0,  1,  2,  3,  4,  5,  6,  7,  8,
	                                                     9,  10, 11, 12, 13, 14, 15, 16, 17,
	                                                     18, 19, 20, 21, 22, 23, 24, 25, 26,
	                                                     27, 28, 29, 30, 31, 32 } },
    };

/* What is known at a frame. */
struct state {
	const struct pp_unwind *u;
	const struct machine *m;
	uint64_t base; /* where the copy of the stack begins */
	uint64_t pc;
	uint64_t at[PP_CFI_REGISTERS];
	bool known[PP_CFI_REGISTERS];
	bool called; /* pc is where a call returns to */
	bool cut;    /* something was read that is not in the copy */
};

static uint64_t
number_at(const struct pp_unwind *u, const unsigned char *p, unsigned size)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < size; i++)
		v = v << 8 | p[u->big ? i : size - 1 - i];
	return v;
}

/* A register as it was recorded, by perf's number; false when it was not. */
static bool
recorded(const struct pp_unwind *u, unsigned number, uint64_t *value)
{
	if (number >= 64 || !(u->mask >> number & 1))
		return false;
	*value = number_at(
	    u, u->words + 8 * __builtin_popcountll(u->mask & (((uint64_t)1 << number) - 1)), 8);
	return true;
}

/* Memory, as far as it was copied. */
static bool
memory(struct state *s, uint64_t address, unsigned size, uint64_t *value)
{
	uint64_t at = address - s->base;

	if (at > s->u->stack.n || s->u->stack.n - at < size) {
		s->cut = true;
		return false;
	}
	*value = number_at(s->u, s->u->stack.p + at, size);
	return true;
}

/* ---- expressions ------------------------------------------------------------------------ */

enum {
	OP_ADDRESS = 0x03,
	OP_READ = 0x06,
	OP_CONSTANTS =
	    0x08, /* of 1, 2, 4, 8 bytes, each without and with a sign, then of any length */
	OP_DUPLICATE = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROTATE = 0x17,
	OP_ABSOLUTE = 0x19,
	OP_AND = 0x1a,
	OP_DIVIDE = 0x1b,
	OP_MINUS = 0x1c,
	OP_MODULO = 0x1d,
	OP_TIMES = 0x1e,
	OP_NEGATE = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_CONSTANT = 0x23,
	OP_LEFT = 0x24,
	OP_RIGHT = 0x25,
	OP_RIGHT_SIGNED = 0x26,
	OP_XOR = 0x27,
	OP_BRANCH = 0x28,
	OP_EQUAL = 0x29,
	OP_NOT_LESS = 0x2a,
	OP_GREATER = 0x2b,
	OP_NOT_GREATER = 0x2c,
	OP_LESS = 0x2d,
	OP_DIFFERENT = 0x2e,
	OP_SKIP = 0x2f,
	OP_LITERALS = 0x30,
	OP_REGISTERS = 0x70,
	OP_REGISTER = 0x92,
	OP_READ_SIZED = 0x94,
	OP_NOTHING = 0x96,
	OP_FRAME = 0x9c
};

struct evaluation {
	struct state *s;
	uint64_t frame;
	struct pp_dwarf_bytes b;
	const unsigned char *begin;
	uint64_t values[VALUES_MOST];
	unsigned n;
};

static void
push(struct evaluation *e, uint64_t value)
{
	e->b.bad |= e->n == VALUES_MOST;
	if (!e->b.bad)
		e->values[e->n++] = value;
}

static uint64_t
pop(struct evaluation *e)
{
	e->b.bad |= e->n == 0;
	return e->b.bad ? 0 : e->values[--e->n];
}

static void
push_register(struct evaluation *e, uint64_t number)
{
	int64_t offset = pp_dwarf_sleb(&e->b);

	e->b.bad |= number >= PP_CFI_REGISTERS || !e->s->known[number];
	push(e, e->b.bad ? 0 : e->s->at[number] + (uint64_t)offset);
}

static void
push_memory(struct evaluation *e, unsigned size)
{
	uint64_t value = 0;

	e->b.bad |= size == 0 || size > 8 || !memory(e->s, pop(e), size, &value);
	push(e, value);
}

/* Numbers that the expression holds, and values that are there already. */
static bool
evaluate_push(struct evaluation *e, unsigned op)
{
	struct pp_dwarf_bytes *b = &e->b;
	uint64_t one, two, three;

	if (op >= OP_CONSTANTS && op < OP_CONSTANTS + 8) {
		unsigned size = 1u << ((op - OP_CONSTANTS) / 2);

		push(e,
		     op & 1 ? (uint64_t)pp_dwarf_fixed_signed(b, size) : pp_dwarf_fixed(b, size));
	} else if (op == OP_CONSTANTS + 8) {
		push(e, pp_dwarf_uleb(b));
	} else if (op == OP_CONSTANTS + 9) {
		push(e, (uint64_t)pp_dwarf_sleb(b));
	} else if (op >= OP_LITERALS && op < OP_LITERALS + 32) {
		push(e, op - OP_LITERALS);
	} else if (op >= OP_REGISTERS && op < OP_REGISTERS + 32) {
		push_register(e, op - OP_REGISTERS);
	} else if (op == OP_REGISTER) {
		push_register(e, pp_dwarf_uleb(b));
	} else if (op == OP_ADDRESS) {
		push(e, pp_dwarf_fixed(b, e->s->m->word));
	} else if (op == OP_DUPLICATE || op == OP_OVER || op == OP_PICK) {
		one = op == OP_PICK ? pp_dwarf_fixed(b, 1) : op == OP_OVER;
		b->bad |= one >= e->n;
		push(e, b->bad ? 0 : e->values[e->n - 1 - one]);
	} else if (op == OP_SWAP || op == OP_ROTATE) {
		one = pop(e);
		two = pop(e);
		three = op == OP_ROTATE ? pop(e) : 0;
		push(e, one);
		if (op == OP_ROTATE)
			push(e, three);
		push(e, two);
	} else {
		return false;
	}
	return true;
}

static uint64_t
compute(struct evaluation *e, unsigned op, uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case OP_AND:
		return a & b;
	case OP_DIVIDE:
		e->b.bad |= b == 0 || (sa == INT64_MIN && sb == -1);
		return e->b.bad ? 0 : (uint64_t)(sa / sb);
	case OP_MINUS:
		return a - b;
	case OP_MODULO:
		e->b.bad |= b == 0;
		return e->b.bad ? 0 : a % b;
	case OP_TIMES:
		return a * b;
	case OP_OR:
		return a | b;
	case OP_PLUS:
		return a + b;
	case OP_LEFT:
		return b < 64 ? a << b : 0;
	case OP_RIGHT:
		return b < 64 ? a >> b : 0;
	case OP_RIGHT_SIGNED:
		b = b < 64 ? b : 63;
		return a >> b | (b && sa < 0 ? ~(uint64_t)0 << (64 - b) : 0);
	case OP_XOR:
		return a ^ b;
	case OP_EQUAL:
		return a == b;
	case OP_NOT_LESS:
		return sa >= sb;
	case OP_GREATER:
		return sa > sb;
	case OP_NOT_GREATER:
		return sa <= sb;
	case OP_LESS:
		return sa < sb;
	case OP_DIFFERENT:
		return a != b;
	}
	e->b.bad = true;
	return 0;
}

/* Goes on elsewhere in the expression. */
static void
jump(struct evaluation *e, bool really)
{
	int64_t by = pp_dwarf_fixed_signed(&e->b, 2);

	if (!really || e->b.bad)
		return;
	e->b.bad = by < e->begin - e->b.p || by > e->b.end - e->b.p;
	if (!e->b.bad)
		e->b.p += by;
}

static void
evaluate_op(struct evaluation *e, unsigned op)
{
	uint64_t one;

	if (evaluate_push(e, op))
		return;
	switch (op) {
	case OP_NOTHING:
		break;
	case OP_DROP:
		(void)pop(e);
		break;
	case OP_READ:
		push_memory(e, e->s->m->word);
		break;
	case OP_READ_SIZED:
		push_memory(e, (unsigned)pp_dwarf_fixed(&e->b, 1));
		break;
	case OP_FRAME:
		push(e, e->frame);
		break;
	case OP_ABSOLUTE:
		one = pop(e);
		push(e, one >> 63 ? 0 - one : one);
		break;
	case OP_NEGATE:
		push(e, 0 - pop(e));
		break;
	case OP_NOT:
		push(e, ~pop(e));
		break;
	case OP_PLUS_CONSTANT:
		one = pop(e);
		push(e, one + pp_dwarf_uleb(&e->b));
		break;
	case OP_SKIP:
		jump(e, true);
		break;
	case OP_BRANCH:
		jump(e, pop(e) != 0);
		break;
	default:
		one = pop(e);
		push(e, compute(e, op, pop(e), one));
	}
}

/* The value of an expression about a frame; false when it has none. */
static bool
evaluate(struct state *s, const struct pp_cfi *c, struct pp_slice expression, bool of_frame,
         uint64_t frame, uint64_t *value)
{
	struct evaluation e = { .s = s, .frame = frame };
	unsigned steps;

	e.b = pp_dwarf_bytes_of(c->elf, expression);
	e.begin = expression.p;
	/* That of a register begins with the frame's address. */
	if (!of_frame)
		push(&e, frame);
	for (steps = 0; e.b.p < e.b.end && !e.b.bad && steps < STEPS_MOST; steps++)
		evaluate_op(&e, (unsigned)pp_dwarf_fixed(&e.b, 1));
	*value = pop(&e);
	return !e.b.bad && steps < STEPS_MOST;
}

/* ---- steps ------------------------------------------------------------------------------ */

/* The value of a register in the caller; false when nobody knows. */
static bool
rule_apply(struct state *s, const struct pp_cfi *c, const struct pp_cfi_rule *rule, unsigned number,
           uint64_t frame, uint64_t *value)
{
	switch (rule->how) {
	case PP_CFI_SAME:
		*value = number == s->m->sp ? frame : s->at[number];
		return number == s->m->sp || s->known[number];
	case PP_CFI_LOST:
		return false;
	case PP_CFI_AT_OFFSET:
		return memory(s, frame + (uint64_t)rule->value, s->m->word, value);
	case PP_CFI_IS_OFFSET:
		*value = frame + (uint64_t)rule->value;
		return true;
	case PP_CFI_IN_REGISTER:
		if (rule->value >= PP_CFI_REGISTERS || !s->known[rule->value])
			return false;
		*value = s->at[rule->value];
		return true;
	case PP_CFI_AT_EXPRESSION:
		return evaluate(s, c, rule->expression, false, frame, value) &&
		       memory(s, *value, s->m->word, value);
	case PP_CFI_IS_EXPRESSION:
		return evaluate(s, c, rule->expression, false, frame, value);
	}
	return false;
}

/* To the caller by what the binary says. */
static bool
step_by_rules(struct state *s, const struct pp_cfi *c, const struct pp_cfi_row *row)
{
	struct state next = *s;
	uint64_t frame = 0;
	unsigned i, back = row->return_register;

	if (row->frame.how == PP_CFI_IS_EXPRESSION) {
		if (!evaluate(s, c, row->frame.expression, true, 0, &frame))
			return false;
	} else if (!s->known[row->base]) {
		return false;
	} else {
		frame = s->at[row->base] + (uint64_t)row->frame.value;
	}
	frame = s->m->word == 4 ? (uint32_t)frame : frame;
	for (i = 0; i < s->m->registers; i++)
		next.known[i] = rule_apply(s, c, &row->registers[i], i, frame, &next.at[i]);
	/* Only the return address is missed; other registers may well be beyond the copy. */
	s->cut = false;
	if ((row->registers[back].how == PP_CFI_SAME && back != s->m->link) ||
	    !rule_apply(s, c, &row->registers[back], back, frame, &next.pc))
		return false;
	if (row->return_signed)
		next.pc &= SIGNED_MASK;
	next.called = !row->signal;
	next.cut = false;
	*s = next;
	return true;
}

/* To the caller by the frame pointer, where nothing else is known, if that is plausible. */
static bool
step_by_frame_pointer(struct state *s)
{
	uint64_t sp = s->at[s->m->sp], fp = s->at[s->m->fp], caller, back;

	if (!s->known[s->m->fp] || !s->known[s->m->sp] || fp < sp || fp - sp > GUESS_FARTHEST ||
	    !memory(s, fp, s->m->word, &caller) || !memory(s, fp + s->m->word, s->m->word, &back)) {
		s->cut = false;
		return false;
	}
	memset(s->known, 0, sizeof s->known);
	s->at[s->m->fp] = caller;
	s->at[s->m->sp] = fp + 2 * (uint64_t)s->m->word;
	s->known[s->m->fp] = s->known[s->m->sp] = true;
	s->pc = s->m->link == NO_LINK ? back : back & SIGNED_MASK;
	s->called = true;
	return true;
}

static bool
step(struct state *s)
{
	uint64_t pc = s->pc, sp = s->at[s->m->sp], look = s->called ? pc - 1 : pc;
	struct pp_unwind_code code = { 0 };
	struct pp_cfi_row row;
	bool went;

	s->cut = false;
	if (!s->u->code(s->u->ctx, look, &code))
		return false;
	if (code.cfi && pp_cfi_find(code.cfi, look + code.shift, &row))
		went = step_by_rules(s, code.cfi, &row);
	else
		went = step_by_frame_pointer(s);
	/* Nobody calls himself without a frame. */
	return went && s->pc != 0 && (s->pc != pc || s->at[s->m->sp] != sp);
}

size_t
pp_unwind(const struct pp_unwind *u, uint64_t *addresses, size_t most)
{
	const struct machine *m = &machines[u->machine];
	struct state s = { .u = u, .m = m };
	unsigned i;
	size_t n = 0;

	for (i = 0; i < m->registers; i++)
		s.known[i] = recorded(u, m->perf[i], &s.at[i]);
	if (!m->word || !recorded(u, m->pc, &s.pc) || !s.known[m->sp])
		return 0;
	s.base = s.at[m->sp];
	while (n < most) {
		addresses[n++] = s.called ? s.pc - 1 : s.pc;
		if (!step(&s))
			break;
	}
	if (s.cut && n < most)
		addresses[n++] = PP_UNWIND_CUT;
	return n;
}
