/* Callers out of registers and a copy of the stack: machines, expressions, signals, ends, and what makes no sense. */
#include "tap.h"

#include "symbols/unwind.h"

#define MOST 16

/* A section that is written entry by entry. */
struct writing {
	unsigned char bytes[1024];
	size_t n, entry, common;
};

static void
put(struct writing *w, uint64_t value, unsigned size)
{
	for (; size > 0; size--, value >>= 8)
		w->bytes[w->n++] = (unsigned char)value;
}

static void
put_bytes(struct writing *w, const char *bytes, size_t n)
{
	memcpy(w->bytes + w->n, bytes, n);
	w->n += n;
}

static void
entry_end(struct writing *w)
{
	size_t end = w->n, n = end - w->entry - 4;

	w->n = w->entry;
	put(w, n, 4);
	w->n = end;
}

/* What functions share: offsets in units of `data`, addresses by `pointers`. */
static void
common_put(struct writing *w, const char *letters, unsigned code, unsigned data, unsigned back,
           unsigned pointers, const char *program, size_t n)
{
	w->entry = w->common = w->n;
	put(w, 0, 8);
	put(w, 1, 1);
	put_bytes(w, letters, strlen(letters) + 1);
	put(w, code, 1);
	put(w, data, 1);
	put(w, back, 1);
	put(w, 1, 1);
	put(w, pointers, 1);
	put_bytes(w, program, n);
	entry_end(w);
}

static void
function_put(struct writing *w, uint64_t start, uint64_t size, unsigned word, const char *program,
             size_t n)
{
	w->entry = w->n;
	put(w, 0, 4);
	put(w, w->n - w->common, 4);
	put(w, start, word);
	put(w, size, word);
	put(w, 0, 1);
	put_bytes(w, program, n);
	entry_end(w);
}

#define PROGRAM(text) text, sizeof(text) - 1
#define SECTION_AT 0x9000u

/* What all tests unwind with. */
struct scene {
	struct writing w;
	struct pp_elf elf;
	struct pp_cfi cfi;
	unsigned char registers[64 * 8], stack[256];
	struct pp_unwind u;
	bool no_cfi, none;
};

static bool
code_at(void *ctx, uint64_t address, struct pp_unwind_code *code)
{
	struct scene *s = ctx;

	code->cfi = s->no_cfi ? NULL : &s->cfi;
	return !s->none && address < 0x100000;
}

static void
scene_open(struct scene *s, bool wide)
{
	struct pp_elf_section section = { .name = pp_slice_z(".eh_frame"),
		                          .address = SECTION_AT,
		                          .bytes = pp_slice_of(s->w.bytes, s->w.n) };

	s->elf.wide = wide;
	s->elf.sections.n = 0;
	ok(pp_vec_push(&s->elf.sections, section) && pp_cfi_open(&s->cfi, &s->elf), "opened");
	s->u.words = s->registers;
	s->u.stack = pp_slice_of(s->stack, sizeof s->stack);
	s->u.code = code_at;
	s->u.ctx = s;
}

static void
scene_close(struct scene *s)
{
	pp_cfi_release(&s->cfi);
	pp_vec_release(&s->elf.sections);
}

static void
number_set(unsigned char *at, uint64_t value, unsigned size)
{
	for (; size > 0; size--, value >>= 8)
		*at++ = (unsigned char)value;
}

/* By perf's number; all before it are there, too. */
static void
register_set(struct scene *s, unsigned number, uint64_t value)
{
	number_set(s->registers + (size_t)8 * number, value, 8);
}

static void
word_set(struct scene *s, size_t at, uint64_t value, unsigned word)
{
	number_set(s->stack + at, value, word);
}

static void
check(struct scene *s, const uint64_t *wanted, size_t n, const char *what)
{
	uint64_t found[MOST] = { 0 };
	size_t made = pp_unwind(&s->u, found, MOST), i;
	bool same = made == n;

	for (i = 0; i < n && same; i++)
		same = found[i] == wanted[i];
	ok(same, "%s", what);
	for (i = 0; !same && i < made; i++)
		printf("# %llx\n", (unsigned long long)found[i]);
}

#define CHECK(s, what, ...)                                                                        \
	check(s, (const uint64_t[]){ __VA_ARGS__ },                                                \
	      sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), what)

/* A function with a frame pointer, one without, one that nobody called, and one that a signal came into. */
static void
x86_64_make(struct scene *s)
{
	struct writing *w = &s->w;

	common_put(w, "zR", 1, 0x78, 16, 0, PROGRAM("\x0c\x07\x08\x90\x01"));
	function_put(w, 0x1000, 0x100, 8, PROGRAM("\x41\x0e\x10\x86\x02\x43\x0d\x06"));
	function_put(w, 0x2000, 0x100, 8, PROGRAM("\x0a\x0e\x20\x50\x0b"));
	function_put(w, 0x3000, 0x100, 8, PROGRAM("\x07\x10"));
	/* As in tables of links: rsp + 8, and 8 more behind the eleventh byte of each 16. */
	function_put(w, 0x4000, 0x40, 8,
	             PROGRAM("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"));
	common_put(w, "zRS", 1, 0x78, 16, 0, PROGRAM(""));
	/* Where a signal came in: rsp and rip are in memory, above. */
	function_put(w, 0x5000, 0x10, 8,
	             PROGRAM("\x0f\x03\x77\x10\x06\x10\x10\x02\x77\x18\x10\x07\x02\x77\x10"));
	scene_open(s, true);
	s->u.machine = PP_UNWIND_X86_64;
	s->u.mask = 0xffffff;
	register_set(s, 7, 0x7000);
}

static void
x86_64_test(void)
{
	struct scene s = { 0 };

	x86_64_make(&s);
	/* 1050 has pushed rbp; 2010 has 0x20 - 8 of its own; 3000 is the first of all. */
	register_set(&s, 6, 0x7000);
	register_set(&s, 8, 0x1050);
	word_set(&s, 0, 0x7030, 8);
	word_set(&s, 8, 0x2011, 8);
	word_set(&s, 16, 0x3005, 8);
	CHECK(&s, "three functions", 0x1050, 0x2010, 0x3004);
	word_set(&s, 8, 0x2010, 8);
	word_set(&s, 40, 0x3005, 8);
	CHECK(&s, "rules that were put aside hold again", 0x1050, 0x200f, 0x3004);
	s.u.stack.n = 47;
	CHECK(&s, "the copy ends within the address", 0x1050, 0x200f, PP_UNWIND_CUT);
	s.u.stack.n = 0;
	CHECK(&s, "no copy", 0x1050, PP_UNWIND_CUT);
	s.u.stack.n = sizeof s.stack;
	word_set(&s, 8, 0, 8);
	CHECK(&s, "returning to nowhere", 0x1050);
	register_set(&s, 8, 0x4005);
	word_set(&s, 0, 0x3001, 8);
	CHECK(&s, "a link, before its push", 0x4005, 0x3000);
	register_set(&s, 8, 0x400b);
	word_set(&s, 8, 0x3002, 8);
	CHECK(&s, "a link, behind it", 0x400b, 0x3001);
	register_set(&s, 8, 0x5000);
	word_set(&s, 0x10, 0x7040, 8);
	word_set(&s, 0x18, 0x2000, 8);
	word_set(&s, 0x58, 0x3003, 8);
	CHECK(&s, "a signal: who was interrupted did not call", 0x5000, 0x2000, 0x3002);
	s.u.mask = 0xffffff & ~0x80u;
	ok(pp_unwind(&s.u, (uint64_t[MOST]){ 0 }, MOST) == 0, "no stack pointer, no stack");
	s.u.mask = 0xffffff;
	s.none = true;
	CHECK(&s, "a binary that is not there", 0x5000);
	s.u.machine = PP_UNWIND_NONE;
	ok(pp_unwind(&s.u, (uint64_t[MOST]){ 0 }, MOST) == 0, "no machine");
	scene_close(&s);
}

static void
pointers_test(void)
{
	struct scene s = { 0 };

	x86_64_make(&s);
	s.no_cfi = true;
	register_set(&s, 6, 0x7010);
	register_set(&s, 8, 0x8000);
	word_set(&s, 0x10, 0x7020, 8);
	word_set(&s, 0x18, 0x8101, 8);
	word_set(&s, 0x20, 0x7000, 8);
	word_set(&s, 0x28, 0x8201, 8);
	CHECK(&s, "by frame pointers, upwards only", 0x8000, 0x8100, 0x8200);
	register_set(&s, 6, 0x7010 + 0x4100);
	CHECK(&s, "a frame pointer that cannot be one", 0x8000);
	scene_close(&s);
}

static void
x86_test(void)
{
	struct scene s = { 0 };

	common_put(&s.w, "zR", 1, 0x7c, 8, 0x1b, PROGRAM("\x0c\x04\x04\x88\x01"));
	/* Addresses count from where they stand. */
	function_put(&s.w, 0x1000 - (SECTION_AT + s.w.n + 8), 0x100, 4, PROGRAM("\x0e\x0c"));
	function_put(&s.w, 0x2000 - (SECTION_AT + s.w.n + 8), 0x100, 4, PROGRAM("\x07\x08"));
	scene_open(&s, false);
	s.u.machine = PP_UNWIND_X86;
	s.u.mask = 0xfff;
	register_set(&s, 7, 0x7000);
	register_set(&s, 8, 0x1010);
	word_set(&s, 8, 0x2005, 4);
	CHECK(&s, "32 bits", 0x1010, 0x2004);
	scene_close(&s);
}

static void
aarch64_test(void)
{
	struct scene s = { 0 };

	common_put(&s.w, "zR", 4, 0x78, 30, 0, PROGRAM("\x0c\x1f\x00"));
	function_put(&s.w, 0x1000, 0x100, 8, PROGRAM(""));
	function_put(&s.w, 0x2000, 0x100, 8, PROGRAM("\x41\x2d\x41\x0e\x20\x9d\x04\x9e\x03"));
	function_put(&s.w, 0x3000, 0x100, 8, PROGRAM("\x07\x1e"));
	scene_open(&s, true);
	s.u.machine = PP_UNWIND_AARCH64;
	s.u.mask = 0x1ffffffff;
	register_set(&s, 31, 0x7000);
	register_set(&s, 32, 0x1010);
	register_set(&s, 30, 0x2010);
	word_set(&s, 8, 0x00ab000000003008, 8);
	CHECK(&s, "AArch64: a leaf, and a return address that is signed", 0x1010, 0x200f, 0x3007);
	scene_close(&s);
}

/* Whatever a section, registers and a stack hold, it comes to an end. */
static void
hostile_test(void)
{
	struct scene s = { 0 };
	struct writing whole;
	uint32_t dice = 7, round, i;
	bool fine = true;

	x86_64_make(&s);
	whole = s.w;
	for (round = 0; round < 20000; round++) {
		uint64_t found[MOST];

		s.w = whole;
		for (i = 0; i < 1 + round % 5; i++) {
			dice = dice * 1664525 + 1013904223;
			s.w.bytes[(dice >> 8) % s.w.n] = (unsigned char)(dice >> 24);
			s.stack[(dice >> 4) % sizeof s.stack] = (unsigned char)(dice >> 20);
		}
		register_set(&s, 8, 0x1000 * (1 + dice % 5) + (dice >> 16) % 32);
		register_set(&s, 7, dice % 3 ? 0x7000 : UINT64_MAX - dice % 64);
		pp_cfi_release(&s.cfi);
		fine &= pp_cfi_open(&s.cfi, &s.elf) && pp_unwind(&s.u, found, MOST) <= MOST;
	}
	ok(fine, "damage is survived");
	scene_close(&s);
}

int
main(void)
{
	x86_64_test();
	pointers_test();
	x86_test();
	aarch64_test();
	hostile_test();
	return tap_done();
}
