/*
 * Symbols: which there are, which of several is shown, and where.
 */
#include "symbols/symbols.h"

#include "base/num.h"
#include "base/slice.h"
#include "base/sort.h"
#include "text/demangle.h"

#define PAGE 4096u
/* Symbols that lie inside of one, at most, for that one to be found behind them. */
#define NESTED_MOST 1000

enum { TYPE_NONE = 0, TYPE_OBJECT = 1, TYPE_FUNC = 2, TYPE_IFUNC = 10 };
enum { BIND_GLOBAL = 1, BIND_WEAK = 2 };
enum { INDEX_UNDEFINED = 0 };
enum { HIDDEN_INTERNAL = 1, HIDDEN = 2 };

void
pp_symbols_release(struct pp_symbols *s)
{
	pp_vec_release(&s->list);
	pp_arena_release(&s->arena);
}

static void
symbol_push(struct pp_symbols *s, const struct pp_symbol *symbol)
{
	s->failed |= !pp_vec_push(&s->list, *symbol);
}

/* ---- order ------------------------------------------------------------------------------ */

static int
compare_starts(const void *left, const void *right, void *unused)
{
	const struct pp_symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/* In the order of the tables. */
	return (a->reach > b->reach) - (a->reach < b->reach);
}

static void
sort(struct pp_symbols *s)
{
	size_t i;

	for (i = 0; i < s->list.n; i++)
		s->list.at[i].reach = i;
	if (s->list.n > 1)
		pp_sort(s->list.at, s->list.n, sizeof *s->list.at, compare_starts, NULL);
}

/* A symbol without a size ends where the next one begins. */
static void
ends_settle(struct pp_symbols *s)
{
	size_t i;

	for (i = 0; i < s->list.n; i++) {
		struct pp_symbol *one = &s->list.at[i];

		if (one->end != one->start)
			continue;
		one->end = i + 1 < s->list.n
		               ? s->list.at[i + 1].start
		               : ((one->start + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + PAGE;
	}
}

static void
reaches_settle(struct pp_symbols *s)
{
	uint64_t reach = 0;
	size_t i;

	for (i = 0; i < s->list.n; i++) {
		reach = s->list.at[i].end > reach ? s->list.at[i].end : reach;
		s->list.at[i].reach = reach;
	}
}

/* ---- one of several --------------------------------------------------------------------- */

/* How long a name is, and how many underscores it begins with, as it is shown. */
static size_t
shown_length(const struct pp_symbol *symbol, size_t *underscores)
{
	struct pp_buf made = { 0 };
	struct pp_slice name = symbol->name;
	size_t n;

	if (!symbol->plain && pp_demangle_short(name, &made))
		name = pp_slice_of(made.p ? made.p : "", made.n);
	for (n = 0; n < name.n && name.p[n] == '_'; n++)
		;
	*underscores = n;
	n = name.n;
	pp_buf_release(&made);
	return n;
}

/* Whether the second of two symbols at one address is the better one to show. */
static bool
is_better(const struct pp_symbol *old, const struct pp_symbol *fresh)
{
	bool had = old->end > old->start, has = fresh->end > fresh->start;
	size_t old_length, length, old_underscores, underscores;

	if (had != has)
		return has;
	if (old->weak != fresh->weak)
		return old->weak;
	if (old->global != fresh->global)
		return fresh->global;
	old_length = shown_length(old, &old_underscores);
	length = shown_length(fresh, &underscores);
	if (old_underscores != underscores)
		return underscores < old_underscores;
	return length > old_length;
}

static void
choose(struct pp_symbols *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->list.n; i++) {
		if (n > 0 && s->list.at[n - 1].start == s->list.at[i].start) {
			if (is_better(&s->list.at[n - 1], &s->list.at[i]))
				s->list.at[n - 1] = s->list.at[i];
		} else {
			s->list.at[n++] = s->list.at[i];
		}
	}
	s->list.n = n;
}

/* ---- binaries --------------------------------------------------------------------------- */

/* A row of a table of symbols. */
struct row {
	struct pp_slice name;
	unsigned type, bind, other;
	uint32_t section;
	uint64_t value, size;
};

static bool
row_read(const struct pp_elf *e, const struct pp_elf_section *table, struct pp_slice texts,
         size_t i, struct row *row)
{
	size_t size = e->wide ? 24 : 16;
	const unsigned char *p;

	if (i >= table->bytes.n / size)
		return false;
	p = table->bytes.p + i * size;
	row->name = pp_elf_text(texts, pp_elf_u32(e, p));
	row->type = p[e->wide ? 4 : 12] & 15;
	row->bind = p[e->wide ? 4 : 12] >> 4;
	row->other = p[e->wide ? 5 : 13] & 3;
	row->section = pp_elf_u16(e, p + (e->wide ? 6 : 14));
	row->value = pp_elf_word(e, p + (e->wide ? 8 : 4));
	row->size = pp_elf_word(e, p + (e->wide ? 16 : 8));
	return true;
}

/* Whether a symbol names code or data of the binary. */
static bool
row_counts(const struct pp_elf *e, const struct row *r)
{
	const struct pp_elf_section *section;

	if (r->section == INDEX_UNDEFINED || r->section >= e->sections.n || r->name.n == 0)
		return false;
	section = &e->sections.at[r->section];
	if (!(section->flags & PP_ELF_ALLOC))
		return false;
	/* Marks of Arm's between code and data. */
	if ((e->machine == PP_ELF_ARM || e->machine == PP_ELF_AARCH64) && r->name.n >= 2 &&
	    r->name.p[0] == '$' && strchr("adtx", r->name.p[1]) &&
	    (r->name.n == 2 || r->name.p[2] == '.'))
		return false;
	if (r->type == TYPE_FUNC || r->type == TYPE_IFUNC || r->type == TYPE_OBJECT)
		return true;
	return r->type == TYPE_NONE && r->other != HIDDEN && r->other != HIDDEN_INTERNAL &&
	       (pp_slice_holds(section->name, "text") || pp_slice_holds(section->name, "data"));
}

static void
table_add(struct pp_symbols *s, const struct pp_elf *binary, const struct pp_elf *e, uint32_t type)
{
	const struct pp_elf_section *table = pp_elf_typed(e, type);
	struct pp_slice texts = { 0 };
	struct row row;
	size_t i;

	if (!table || table->link >= e->sections.n)
		return;
	texts = e->sections.at[table->link].bytes;
	for (i = 1; !s->failed && row_read(e, table, texts, i, &row); i++) {
		struct pp_symbol one = { .name = row.name,
			                 .global = row.bind == BIND_GLOBAL,
			                 .weak = row.bind == BIND_WEAK };

		if (!row_counts(e, &row))
			continue;
		if (e->machine == PP_ELF_ARM && row.type == TYPE_FUNC)
			row.value &= ~(uint64_t)1;
		one.start = pp_elf_offset(binary, row.value);
		one.end = row.size > UINT64_MAX - one.start ? UINT64_MAX : one.start + row.size;
		symbol_push(s, &one);
	}
	sort(s);
	ends_settle(s);
	choose(s);
}

/* Calls into other libraries go through a table of links, one entry for each. */
static void
links_add(struct pp_symbols *s, const struct pp_elf *e)
{
	const struct pp_elf_section *plt = pp_elf_named(e, ".plt"),
	                            *rela = pp_elf_named(e, ".rela.plt");
	const struct pp_elf_section *table = rela && rela->link < e->sections.n
	                                         ? &e->sections.at[rela->link]
	                                         : NULL;
	size_t size = e->wide ? 24 : 12, i;
	struct pp_slice texts;
	uint64_t at, entry;

	if (!rela)
		rela = pp_elf_named(e, ".rel.plt");
	if (!plt || !rela || !table || table->link >= e->sections.n)
		return;
	size = pp_slice_starts(rela->name, ".rela") ? size : e->wide ? 16 : 8;
	texts = e->sections.at[table->link].bytes;
	entry = e->machine == PP_ELF_ARM ? 12 : plt->entry ? plt->entry : 16;
	at = plt->offset + (e->machine == PP_ELF_ARM       ? 20
	                    : e->machine == PP_ELF_AARCH64 ? 32
	                                                   : entry);
	for (i = 0; i < rela->bytes.n / size && !s->failed; i++, at += entry) {
		uint64_t info = pp_elf_word(e, rela->bytes.p + i * size + (e->wide ? 8 : 4));
		struct pp_symbol one = { .start = at, .end = at + entry };
		struct pp_buf name = { 0 };
		struct row row;
		char *copy;

		if (!row_read(e, table, texts, (size_t)(e->wide ? info >> 32 : info >> 8), &row))
			break;
		if (!pp_demangle_short(row.name, &name))
			pp_buf_add(&name, row.name.p, row.name.n);
		pp_buf_adds(&name, "@plt");
		copy = name.failed ? NULL : pp_arena_copy(&s->arena, name.p, name.n);
		s->failed |= !copy;
		one.name = pp_slice_of(copy ? copy : "", copy ? name.n : 0);
		one.plain = true;
		pp_buf_release(&name);
		symbol_push(s, &one);
	}
	sort(s);
}

void
pp_symbols_add_elf(struct pp_symbols *s, const struct pp_elf *binary, const struct pp_elf *names)
{
	const struct pp_elf_section *exported = pp_elf_typed(binary, PP_ELF_DYNSYM);

	names = names ? names : binary;
	table_add(s, binary, names, PP_ELF_SYMTAB);
	/* Those of the same file only; of a file without symbols all that there are. */
	if (exported && (names == binary || s->list.n == 0 || pp_elf_typed(names, PP_ELF_DYNSYM)))
		table_add(s, binary, names == binary || s->list.n == 0 ? binary : names,
		          PP_ELF_DYNSYM);
	links_add(s, binary);
	reaches_settle(s);
}

void
pp_symbols_add_table(struct pp_symbols *s, const struct pp_elf *binary, const struct pp_elf *names)
{
	table_add(s, binary, names, PP_ELF_SYMTAB);
	reaches_settle(s);
}

/* ---- texts ------------------------------------------------------------------------------ */

/* A hex number at the beginning of a text, and the blank behind it; false when there is none. */
static bool
hex_take(struct pp_slice *s, uint64_t *value)
{
	size_t i = pp_slice_starts(*s, "0x") ? 2 : 0, begin = i;

	for (*value = 0; i < s->n && i < begin + 16; i++) {
		unsigned char c = s->p[i];
		int digit = pp_is_digit(c)         ? c - '0'
		            : c >= 'a' && c <= 'f' ? c - 'a' + 10
		            : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                                   : -1;

		if (digit < 0)
			break;
		*value = *value << 4 | (uint64_t)digit;
	}
	if (i == begin || i >= s->n || s->p[i] != ' ')
		return false;
	*s = pp_slice_from(*s, i + 1);
	return true;
}

void
pp_symbols_add_kernel(struct pp_symbols *s, struct pp_slice text, struct pp_slice reference,
                      uint64_t at)
{
	uint64_t shift = 0;
	struct pp_slice line, name;
	bool any = false, found;
	size_t i;

	while (!s->failed && pp_slice_line(&text, &line)) {
		struct pp_symbol one = { .plain = false };

		if (!hex_take(&line, &one.start) || line.n < 3 || line.p[1] != ' ' ||
		    !strchr("TWDBtwdb", line.p[0]))
			continue;
		one.global = line.p[0] < 'a';
		one.weak = (line.p[0] | 32) == 'w';
		name = pp_slice_from(line, 2);
		one.name = pp_slice_trim(pp_slice_cut(&name, '\t', &found));
		one.end = one.start;
		any |= one.start != 0;
		if (pp_slice_eq(one.name, reference))
			shift = at - one.start;
		symbol_push(s, &one);
	}
	/* Who may not see addresses is told zeros. */
	if (!any)
		s->list.n = 0;
	for (i = 0; i < s->list.n; i++)
		s->list.at[i].end = s->list.at[i].start += shift;
	sort(s);
	ends_settle(s);
	choose(s);
	reaches_settle(s);
}

void
pp_symbols_add_map(struct pp_symbols *s, struct pp_slice text)
{
	struct pp_slice line;
	uint64_t size;

	while (!s->failed && pp_slice_line(&text, &line)) {
		struct pp_symbol one = { .plain = true };

		if (!hex_take(&line, &one.start) || !hex_take(&line, &size) || size == 0)
			continue;
		one.end = size > UINT64_MAX - one.start ? UINT64_MAX : one.start + size;
		one.name = pp_slice_chomp(line);
		if (one.name.n)
			symbol_push(s, &one);
	}
	sort(s);
	reaches_settle(s);
}

const struct pp_symbol *
pp_symbols_find(const struct pp_symbols *s, uint64_t address)
{
	size_t low = 0, high = s->list.n;
	unsigned tries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->list.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* The nearest that begins before; one around it when it has ended. */
	for (tries = NESTED_MOST; tries > 0 && low-- > 0 && s->list.at[low].reach > address;
	     tries--)
		if (s->list.at[low].end > address)
			return &s->list.at[low];
	return NULL;
}
