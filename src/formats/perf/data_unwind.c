/*
 * Callers out of copies of stacks (perf record --call-graph dwarf): registers and stack are in the sample, what they mean is in
 * the binaries.
 */
#include "formats/perf/data.h"

/* Registers' layouts: perf writes 32-bit processes under ABI 1. */
enum { ABI_NARROW = 1, ABI_WIDE = 2 };

struct unwinding {
	struct pp_pd *d;
	const struct pp_pd_space *space;
	bool missed; /* a binary that is not there */
};

/* What is mapped at an address, as unwinding needs it. */
static bool
code_at(void *ctx, uint64_t address, struct pp_unwind_code *code)
{
	struct unwinding *u = ctx;
	const struct pp_pd_map *map = pp_pd_map_at(u->d, u->space, address);
	const struct pp_pd_module *m = map ? &u->d->threads.modules.at[map->module] : NULL;
	struct pp_binary *b;
	const struct pp_elf *elf;
	uint64_t offset;

	/* Code of no file, made by the program itself: frame pointers may tell. */
	if (!m || !m->offsets)
		return true;
	offset = address - map->start + map->pgoff;
	b = pp_pd_binary(u->d, map->module);
	elf = b ? pp_binary_code(b) : NULL;
	u->missed |= !elf;
	if (!elf)
		return false;
	code->cfi = pp_binary_cfi(b);
	code->shift = pp_elf_address(elf, offset) - address;
	if (b->symbols.failed)
		pp_pd_no_memory(u->d);
	return true;
}

/* Whose registers these are; where the file does not say, by how many there are. */
static enum pp_unwind_machine
machine_of(const struct pp_pd *d, const struct pp_pd_facts *f)
{
	struct pp_slice arch = d->features.arch;
	bool arm = arch.n ? pp_slice_eq_z(arch, "aarch64") : f->attr->regs_user >> 24 != 0;
	bool x86 = arch.n ? pp_slice_eq_z(arch, "x86_64") ||
	                        (arch.n == 4 && arch.p[0] == 'i' && pp_slice_ends(arch, "86"))
	                  : !arm;

	if (x86)
		return f->registers_abi == ABI_WIDE ? PP_UNWIND_X86_64 : PP_UNWIND_X86;
	return arm && f->registers_abi == ABI_WIDE ? PP_UNWIND_AARCH64 : PP_UNWIND_NONE;
}

size_t
pp_pd_unwind(struct pp_pd *d, const struct pp_pd_facts *f, const struct pp_pd_space *space,
             uint64_t *addresses, size_t most)
{
	struct unwinding u = { .d = d, .space = space };
	struct pp_unwind how = { .machine = machine_of(d, f),
		                 .big = d->big,
		                 .mask = f->attr->regs_user,
		                 .words = f->registers,
		                 .stack = f->stack,
		                 .code = code_at,
		                 .ctx = &u };
	size_t n = how.machine ? pp_unwind(&how, addresses, most) : 0;

	d->counts.stacks += n == 0 || u.missed;
	return n;
}
