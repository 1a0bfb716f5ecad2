/*
 * Debug information: not read here.
 */
#include "symbols/dwarf.h"

bool
pp_dwarf_is_built(void)
{
	return false;
}

struct pp_dwarf *
pp_dwarf_open(const struct pp_elf *file, const struct pp_elf *shared)
{
	return NULL;
}

void
pp_dwarf_close(struct pp_dwarf *d)
{
}

size_t
pp_dwarf_find(struct pp_dwarf *d, uint64_t address, struct pp_dwarf_place *places, size_t most)
{
	return 0;
}
