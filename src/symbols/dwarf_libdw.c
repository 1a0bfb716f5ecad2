/*
 * Debug information by libdw.
 *
 * libdw finds what is at an address by walking over a whole unit of it each time, and asks tables that not every compiler
 * writes. So units are put in order of their addresses here, once, and functions of a unit when the first address in it is
 * looked up; then only one function is walked over.
 *
 * The library is loaded when the first file is opened: few questions need it, and linking it would cost each start of
 * the program more than many an answer takes.
 */
#include "symbols/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>

#include "base/slice.h"
#include "base/sort.h"
#include "base/vec.h"
#include "io/library.h"

/* Namespaces and classes within each other, blocks within each other. */
#define NESTED_MOST 64
/* Ranges that lie inside of one, at most, for that one to be found behind them. */
#define AROUND_MOST 1000
/* Units of debug information that libdw has taken apart, in bytes, before it is made to forget them. */
#define UNITS_MOST ((uint64_t)256 << 20)

/* Addresses of a unit, or of a function in one. */
struct range {
	uint64_t start, end;
	uint64_t reach; /* the largest end up to here */
	Dwarf_Off die;
	uint32_t unit; /* of a unit: which */
};

struct ranges {
	PP_VEC(struct range) at;
};

struct unit {
	Dwarf_Off die, size;
	bool known;  /* its functions are */
	bool opened; /* since libdw last forgot all */
	struct ranges functions;
};

/* A file as libdw has it. */
struct opened {
	Elf *elf;
	Dwarf *dwarf;
	char *copy; /* where libelf has to unpack something */
};

struct pp_dwarf {
	const struct pp_elf *file, *shared; /* shared may be NULL */
	struct opened own, other;
	PP_VEC(struct unit) units;
	struct ranges ranges;
	uint64_t opened; /* bytes of units */
};

/* ---- the library ------------------------------------------------------------------------ */

/* What is called of it, by names without dwarf_. */
#define CALLS(X)                                                                                   \
	X(attr)                                                                                    \
	X(attr_integrate)                                                                          \
	X(begin_elf)                                                                               \
	X(child)                                                                                   \
	X(dieoffset)                                                                               \
	X(end)                                                                                     \
	X(filesrc)                                                                                 \
	X(formstring)                                                                              \
	X(formudata)                                                                               \
	X(getsrc_die)                                                                              \
	X(getsrcfiles)                                                                             \
	X(getsrclines)                                                                             \
	X(hasattr)                                                                                 \
	X(haspc)                                                                                   \
	X(lineaddr)                                                                                \
	X(linecol)                                                                                 \
	X(lineno)                                                                                  \
	X(linesrc)                                                                                 \
	X(next_unit)                                                                               \
	X(offdie)                                                                                  \
	X(onesrcline)                                                                              \
	X(ranges)                                                                                  \
	X(setalt)                                                                                  \
	X(siblingof)                                                                               \
	X(srclang)                                                                                 \
	X(tag)
#define ELF_CALLS(X) X(elf_end) X(elf_memory) X(elf_version)

static struct {
#define X(name) __typeof__(dwarf_##name) *(name);
	CALLS(X)
#undef X
#define X(name) __typeof__(name) *(name);
	ELF_CALLS(X)
#undef X
} dw;

bool
pp_dwarf_is_built(void)
{
#define X(name) { "dwarf_" #name, &dw.name },
	static const struct pp_library_call calls[] = { CALLS(X) };
#undef X
#define X(name) { #name, &dw.name },
	static const struct pp_library_call elf_calls[] = { ELF_CALLS(X) };
#undef X
	static struct pp_library libelf = { "libelf.so.1", elf_calls, PP_COUNT_OF(elf_calls), 0 };
	static struct pp_library libdw = { "libdw.so.1", calls, PP_COUNT_OF(calls), 0 };

	return pp_library_has(&libelf) && pp_library_has(&libdw);
}

/* ---- ranges ----------------------------------------------------------------------------- */

static int
compare_ranges(const void *left, const void *right, void *unused)
{
	const struct range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->die > b->die) - (a->die < b->die);
}

static void
ranges_settle(struct ranges *r)
{
	uint64_t reach = 0;
	size_t i;

	if (r->at.n > 1)
		pp_sort(r->at.at, r->at.n, sizeof *r->at.at, compare_ranges, NULL);
	for (i = 0; i < r->at.n; i++) {
		reach = r->at.at[i].end > reach ? r->at.at[i].end : reach;
		r->at.at[i].reach = reach;
	}
}

/* Adds the addresses of a unit or function; false when out of memory. */
static bool
ranges_add(struct ranges *r, Dwarf_Die *die, uint32_t unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dw.ranges(die, at, &base, &start, &end)) > 0) {
		struct range range = { start, end, 0, dw.dieoffset(die), unit };

		if (start < end && !pp_vec_push(&r->at, range))
			return false;
	}
	return true;
}

/* The innermost that holds an address; NULL when there is none. */
static const struct range *
ranges_find(const struct ranges *r, uint64_t address)
{
	size_t low = 0, high = r->at.n, tries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->at.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (tries = AROUND_MOST; tries > 0 && low-- > 0 && r->at.at[low].reach > address; tries--)
		if (r->at.at[low].end > address)
			return &r->at.at[low];
	return NULL;
}

/* ---- files ------------------------------------------------------------------------------ */

/* Sections that are packed: libelf changes their headers where they stand. */
static bool
is_packed(const struct pp_elf *e)
{
	size_t i;

	for (i = 0; i < e->sections.n; i++)
		if ((e->sections.at[i].flags & SHF_COMPRESSED) ||
		    pp_slice_starts(e->sections.at[i].name, ".zdebug"))
			return true;
	return false;
}

static void
opened_close(struct opened *o)
{
	if (o->dwarf)
		dw.end(o->dwarf);
	if (o->elf)
		dw.elf_end(o->elf);
	free(o->copy);
	*o = (struct opened){ 0 };
}

/* libelf takes memory that may be changed, but of a file that is only read it changes none that is not packed. */
static bool
opened_open(struct opened *o, const struct pp_elf *e)
{
	char *bytes = (char *)(uintptr_t)e->file.p;

	if (is_packed(e)) {
		bytes = o->copy = malloc(e->file.n);
		if (!bytes)
			return false;
		memcpy(bytes, e->file.p, e->file.n);
	}
	o->elf = dw.elf_memory(bytes, e->file.n);
	o->dwarf = o->elf ? dw.begin_elf(o->elf, DWARF_C_READ, NULL) : NULL;
	return o->dwarf != NULL;
}

static void
dwarf_forget(struct pp_dwarf *d)
{
	opened_close(&d->own);
	opened_close(&d->other);
	d->opened = 0;
}

static bool
dwarf_learn(struct pp_dwarf *d)
{
	size_t i;

	for (i = 0; i < d->units.n; i++)
		d->units.at[i].opened = false;
	if (!opened_open(&d->own, d->file))
		return false;
	if (!d->shared)
		return true;
	if (!opened_open(&d->other, d->shared))
		return false;
	dw.setalt(d->own.dwarf, d->other.dwarf);
	return true;
}

/* Units that do not say where they are (those that perf makes of dumps do not) have lines that do. */
static bool
unit_add(struct pp_dwarf *d, Dwarf_Die *die)
{
	size_t before = d->ranges.at.n, n, i;
	struct range range = { UINT64_MAX, 0, 0, dw.dieoffset(die), (uint32_t)d->units.n };
	Dwarf_Lines *lines;
	Dwarf_Addr address;

	if (!ranges_add(&d->ranges, die, (uint32_t)d->units.n))
		return false;
	if (d->ranges.at.n > before || dw.hasattr(die, DW_AT_low_pc) ||
	    dw.getsrclines(die, &lines, &n) != 0)
		return true;
	for (i = 0; i < n; i++)
		if (dw.lineaddr(dw.onesrcline(lines, i), &address) == 0) {
			range.start = address < range.start ? address : range.start;
			range.end = address > range.end ? address : range.end;
		}
	return range.start >= range.end || pp_vec_push(&d->ranges.at, range);
}

/* Where all units are. */
static bool
units_read(struct pp_dwarf *d)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Half version;
	uint8_t address_size, offset_size;

	while (dw.next_unit(d->own.dwarf, at, &next, &header, &version, NULL, &address_size,
	                    &offset_size, NULL, NULL) == 0 &&
	       next > at) {
		struct unit unit = { .die = at + header, .size = next - at };
		Dwarf_Die die;

		if (dw.offdie(d->own.dwarf, unit.die, &die)) {
			if (!unit_add(d, &die) || !pp_vec_push(&d->units, unit))
				return false;
		}
		at = next;
	}
	ranges_settle(&d->ranges);
	return d->units.n > 0;
}

struct pp_dwarf *
pp_dwarf_open(const struct pp_elf *file, const struct pp_elf *shared)
{
	struct pp_dwarf *d = pp_dwarf_is_built() ? calloc(1, sizeof *d) : NULL;

	if (!d)
		return NULL;
	(void)dw.elf_version(EV_CURRENT);
	d->file = file;
	d->shared = shared;
	if (dwarf_learn(d) && units_read(d))
		return d;
	pp_dwarf_close(d);
	return NULL;
}

void
pp_dwarf_close(struct pp_dwarf *d)
{
	size_t i;

	if (!d)
		return;
	dwarf_forget(d);
	for (i = 0; i < d->units.n; i++)
		pp_vec_release(&d->units.at[i].functions.at);
	pp_vec_release(&d->units);
	pp_vec_release(&d->ranges.at);
	free(d);
}

/* ---- functions -------------------------------------------------------------------------- */

/* Languages whose functions lie within others, with addresses of their own. */
static bool
nests_functions(Dwarf_Die *unit)
{
	switch (dw.srclang(unit)) {
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
	case DW_LANG_Pascal83:
	case DW_LANG_Modula2:
	case DW_LANG_D:
		return true;
	}
	return false;
}

/* Functions at the top of a unit, and in namespaces and classes; false when out of memory. */
static bool
functions_read(struct unit *u, Dwarf_Die *unit)
{
	Dwarf_Die path[NESTED_MOST];
	bool nests = nests_functions(unit);
	unsigned depth = 0;

	if (dw.child(unit, &path[0]) != 0)
		return true;
	for (;;) {
		int tag = dw.tag(&path[depth]);
		bool down = tag == DW_TAG_namespace || tag == DW_TAG_module ||
		            tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
		            (nests && tag == DW_TAG_subprogram);

		if (tag == DW_TAG_subprogram && !ranges_add(&u->functions, &path[depth], 0))
			return false;
		if (down && depth + 1 < NESTED_MOST &&
		    dw.child(&path[depth], &path[depth + 1]) == 0) {
			depth++;
			continue;
		}
		while (dw.siblingof(&path[depth], &path[depth]) != 0) {
			if (depth == 0)
				return true;
			depth--;
		}
	}
}

/* ---- places ----------------------------------------------------------------------------- */

static const char *
name_of(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	if (dw.attr_integrate(die, DW_AT_linkage_name, &a) ||
	    dw.attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		return dw.formstring(&a);
	return dw.attr_integrate(die, DW_AT_name, &a) ? dw.formstring(&a) : NULL;
}

static uint32_t
number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word value = 0;

	if (!dw.attr(die, attribute, &a) || dw.formudata(&a, &value) != 0 || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* The functions that are inlined at an address, from the outermost on; returns how many. */
static unsigned
inlined_find(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die *inlined)
{
	Dwarf_Die at = *function, child;
	unsigned n = 0, depth;

	for (depth = 0; depth < NESTED_MOST && dw.child(&at, &child) == 0; depth++) {
		bool found = false;

		do {
			int tag = dw.tag(&child);

			found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
			         tag == DW_TAG_try_block || tag == DW_TAG_catch_block ||
			         tag == DW_TAG_subprogram) &&
			        dw.haspc(&child, address) > 0;
			if (found && (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram))
				inlined[n++] = child;
			if (found)
				at = child;
		} while (!found && dw.siblingof(&child, &child) == 0);
		if (!found)
			break;
	}
	return n;
}

/* The file of a number in a unit's list. */
static const char *
file_of(Dwarf_Die *unit, uint32_t number)
{
	Dwarf_Files *files;
	size_t n;

	return dw.getsrcfiles(unit, &files, &n) == 0 && number < n
	           ? dw.filesrc(files, number, NULL, NULL)
	           : NULL;
}

static void
line_read(Dwarf_Die *unit, Dwarf_Addr address, struct pp_dwarf_place *place)
{
	Dwarf_Line *line = dw.getsrc_die(unit, address);
	int number = 0;

	if (!line || dw.lineno(line, &number) != 0 || number <= 0)
		return;
	place->file = dw.linesrc(line, NULL, NULL);
	place->line = place->file ? (uint32_t)number : 0;
	if (place->file && dw.linecol(line, &number) == 0 && number > 0)
		place->column = (uint32_t)number;
}

/* The unit of an address, ready to be looked into. */
static struct unit *
unit_at(struct pp_dwarf *d, uint64_t address, Dwarf_Die *die)
{
	const struct range *range = ranges_find(&d->ranges, address);
	struct unit *u = range ? &d->units.at[range->unit] : NULL;

	if (!u || !d->own.dwarf)
		return NULL;
	if (!u->opened && d->opened > UNITS_MOST) {
		dwarf_forget(d);
		if (!dwarf_learn(d))
			return NULL;
	}
	d->opened += u->opened ? 0 : u->size;
	u->opened = true;
	if (!dw.offdie(d->own.dwarf, u->die, die))
		return NULL;
	if (!u->known && functions_read(u, die))
		ranges_settle(&u->functions);
	u->known = true;
	return u;
}

size_t
pp_dwarf_find(struct pp_dwarf *d, uint64_t address, struct pp_dwarf_place *places, size_t most)
{
	Dwarf_Die unit, path[NESTED_MOST + 1];
	struct unit *u = most ? unit_at(d, address, &unit) : NULL;
	const struct range *range = u ? ranges_find(&u->functions, address) : NULL;
	unsigned n = 0, i;

	if (!u)
		return 0;
	memset(places, 0, most * sizeof *places);
	line_read(&unit, address, &places[0]);
	if (!range || !dw.offdie(d->own.dwarf, range->die, &path[0]))
		return places[0].line > 0;
	n = 1 + inlined_find(&path[0], address, &path[1]);
	for (i = 0; i < n && i < most; i++) {
		struct pp_dwarf_place *place = &places[i];
		Dwarf_Die *die = &path[n - 1 - i];

		place->name = name_of(die);
		/* Where it was inlined is a place of the next one. */
		if (i + 1 < n && i + 1 < most && dw.tag(die) == DW_TAG_inlined_subroutine) {
			places[i + 1].line = number_of(die, DW_AT_call_line);
			places[i + 1].column = number_of(die, DW_AT_call_column);
			places[i + 1].file = file_of(&unit, number_of(die, DW_AT_call_file));
		}
	}
	return i;
}
