/*
 * libFuzzer target of what is known of addresses: a binary, or a dump of a JIT compiler, that may be anything. Names are looked up,
 * lines and inlined functions too, and stacks are unwound by what it says.
 */
#include "symbols/locate.h"
#include "symbols/unwind.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#define STEPS 64
#define FRAMES 32

static bool
code_at(void *ctx, uint64_t address, struct pp_unwind_code *code)
{
	code->cfi = ctx;
	code->shift = 0;
	return true;
}

/* From addresses all over a binary, with its first bytes as registers and its last ones as stack. */
static void
unwind(const struct pp_cfi *cfi, struct pp_slice file)
{
	static const enum pp_unwind_machine machines[] = { PP_UNWIND_X86, PP_UNWIND_X86_64,
		                                           PP_UNWIND_AARCH64 };
	unsigned char words[33 * 8] = { 0 };
	uint64_t found[FRAMES];
	size_t i;

	memcpy(words, file.p, file.n < sizeof words ? file.n : sizeof words);
	for (i = 0; i < STEPS && cfi->ranges.n; i++) {
		enum pp_unwind_machine machine = machines[i % PP_COUNT_OF(machines)];
		const struct pp_cfi_range *range = &cfi->ranges.at[i * cfi->ranges.n / STEPS];
		size_t n = file.n < 512 ? file.n : 512;
		struct pp_unwind u = { .machine = machine,
			               .mask = machine == PP_UNWIND_AARCH64 ? 0x1ffffffff
			                                                    : 0xffffff,
			               .words = words,
			               .stack = pp_slice_of(file.p + file.n - n, n),
			               .code = code_at,
			               .ctx = (void *)(uintptr_t)cfi };
		uint64_t pc = range->start + range->size / 2;

		memcpy(words + (size_t)8 * (machine == PP_UNWIND_AARCH64 ? 32 : 8), &pc, sizeof pc);
		(void)pp_unwind(&u, found, FRAMES);
	}
}

static void
look_up(const struct pp_elf *elf, struct pp_symbols *symbols)
{
	struct pp_dwarf *dwarf = pp_dwarf_open(elf, NULL);
	struct pp_dwarf_place places[FRAMES];
	size_t i;

	for (i = 0; i < STEPS && symbols->list.n; i++) {
		const struct pp_symbol *one = &symbols->list.at[i * symbols->list.n / STEPS];
		uint64_t at = one->start + (one->end - one->start) / 2;

		(void)pp_symbols_find(symbols, at);
		if (dwarf)
			(void)pp_dwarf_find(dwarf, pp_elf_address(elf, at), places, FRAMES);
	}
	pp_dwarf_close(dwarf);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct pp_slice file = pp_slice_of(data, size);
	struct pp_symbols symbols = { 0 };
	struct pp_jitdump dump = { 0 };
	struct pp_dwarf_place place;
	struct pp_cfi cfi;
	struct pp_elf elf;
	size_t i;

	if (pp_elf_open(&elf, file)) {
		pp_symbols_add_elf(&symbols, &elf, NULL);
		if (pp_cfi_open(&cfi, &elf))
			unwind(&cfi, file);
		pp_cfi_release(&cfi);
		look_up(&elf, &symbols);
	} else if (pp_jitdump_open(&dump, file, 7, &symbols)) {
		for (i = 0; i < dump.loads.n && i < STEPS; i++)
			(void)pp_jitdump_line(&dump, dump.loads.at[i].at, &place);
	}
	pp_elf_release(&elf);
	pp_symbols_release(&symbols);
	pp_jitdump_release(&dump);
	return 0;
}
