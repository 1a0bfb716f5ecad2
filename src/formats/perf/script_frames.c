/*
 * Frames: from the text of a line to a frame of the profile.
 *
 * The same few thousand lines make up all stacks, so a line is looked up by its bytes, and what it means
 * is found out once. Two kinds of frames need their neighbours. An inlined one has no dso: it is in the
 * binary of the next frame towards the root that has the same address. And with `-F +srcline` the place
 * stands on a line of its own, behind the frame.
 */
#include "formats/perf/perf_script.h"

#include <stdio.h>

/* ---- texts ------------------------------------------------------------------------------ */

bool
pp_perf_entries_init(struct pp_perf_reader *r)
{
	struct pp_perf_entries *e = &r->entries;

	return pp_strtab_init(&e->texts, r->builder->seed) &&
	       pp_vec_push(&e->list, (struct pp_perf_entry){ 0 }) && pp_vec_push(&e->frame_of, 0);
}

void
pp_perf_entries_release(struct pp_perf_reader *r)
{
	struct pp_perf_entries *e = &r->entries;

	pp_strtab_release(&e->texts);
	pp_vec_release(&e->list);
	pp_vec_release(&e->frame_of);
	pp_vec_release(&e->keys);
}

/* "+0x1f" that ends at `end`; NULL when there is none. */
static inline const unsigned char *
offset_before(const unsigned char *begin, const unsigned char *end)
{
	const unsigned char *p = end;

	while (p > begin && pp_perf_hex(p[-1]))
		p--;
	return p < end && end - p <= 16 && p - begin > 3 && p[-1] == 'x' && p[-2] == '0' &&
	               p[-3] == '+'
	           ? p - 3
	           : NULL;
}

/* The offset of a symbol: at the end of the text or before a dso, which may have parentheses itself. */
static inline const unsigned char *
offset_find(struct pp_slice s, const unsigned char **behind)
{
	const unsigned char *end = s.p + s.n, *at = NULL;

	*behind = end;
	if (end[-1] != ')')
		return offset_before(s.p, end);
	while (!at && (end = memrchr(s.p, '(', (size_t)(end - s.p))) && end > s.p)
		if (end[-1] == ' ') {
			*behind = end - 1;
			at = offset_before(s.p, end - 1);
		}
	return at;
}

/* The address at the start of a text, as far as it goes; where it ends. */
static inline const unsigned char *
address_take(struct pp_slice text, uint64_t *ip)
{
	/* One more than what a digit is worth; 0 = it is none. */
	static const unsigned char digits[256] = {
		['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
		['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	};
	const unsigned char *p = text.p, *end = p + (text.n < 17 ? text.n : 17);
	uint64_t digit;

	for (*ip = 0; p < end && (digit = digits[*p]); p++)
		*ip = *ip << 4 | (digit - 1);
	return p;
}

/*
 * What a frame is looked up by, written to `to` where that is not the text as it is. Of functions nobody needs to
 * know where in them they were. Those that are inlined go by their address.
 */
static inline struct pp_perf_key
key_of(const struct pp_perf_reader *r, struct pp_slice text, unsigned char *to)
{
	struct pp_perf_key key = { .line = text, .text = text };
	const unsigned char *p, *end = text.p + text.n, *behind, *at;
	size_t n;

	if (r->places)
		return key;
	p = address_take(text, &key.ip);
	if (p == text.p || p - text.p > 16 || p == end || !pp_perf_blank(*p))
		return key;
	while (pp_perf_blank(*p))
		p++;
	if (pp_slice_ends(pp_slice_between(p, end), "(inlined)"))
		return key;
	at = offset_find(pp_slice_between(p, end), &behind);
	n = (size_t)((at ? at : end) - p);
	memcpy(to, p, n);
	to[n++] = '\n';
	if (at) {
		to[n++] = '\n';
		memcpy(to + n, behind, (size_t)(end - behind));
		n += (size_t)(end - behind);
	}
	key.text = pp_slice_of(to, n);
	key.folded = true;
	key.offset = at;
	return key;
}

static PP_NOINLINE uint32_t
entry_add(struct pp_perf_reader *r, struct pp_slice key)
{
	struct pp_perf_entries *e = &r->entries;
	bool is_new;
	pp_str id;

	/* Room first: what has a number has an entry. */
	if (!pp_vec_push(&e->list, (struct pp_perf_entry){ 0 }) || !pp_vec_push(&e->frame_of, 0) ||
	    !pp_strtab_intern(&e->texts, key.p, key.n, &id, &is_new)) {
		pp_perf_no_memory(r);
		return 0;
	}
	return id;
}

static inline uint32_t
entry_find(const struct pp_perf_entries *e, struct pp_slice key)
{
	return pp_strtab_tagged(&e->texts, pp_strtab_tag(&e->texts, key), key);
}

/* Room for what one frame is looked up by. */
static unsigned char *
key_room(struct pp_perf_reader *r, size_t n)
{
	if (pp_vec_reserve(&r->entries.keys, n + 2))
		return r->entries.keys.at;
	pp_perf_no_memory(r);
	return NULL;
}

/* The entry of a frame, 0 when it was not there before. */
static inline uint32_t
frame_find(const struct pp_perf_entries *e, const struct pp_perf_key *key)
{
	uint32_t entry = pp_strtab_tagged(&e->texts, key->tag, key->text);

	return PP_UNLIKELY(e->list.at[entry].by_text) ? entry_find(e, key->line) : entry;
}

/* Makes the entry of a line, if it is a frame. */
static PP_NOINLINE uint32_t
frame_add(struct pp_perf_reader *r, const struct pp_perf_key *key)
{
	struct pp_perf_frame f;
	uint32_t entry;

	if (!pp_perf_frame_parse(key->line, &f))
		return 0;
	entry = entry_find(&r->entries, key->text);
	if (!entry)
		entry = entry_add(r, key->text);
	if (!entry || !key->folded)
		return entry;
	/* An address is all the name there is, or what looks like an offset is none. */
	r->entries.list.at[entry].by_text = !f.symbol.n ||
	                                    (key->offset && f.symbol.p + f.symbol.n != key->offset);
	return r->entries.list.at[entry].by_text ? entry_add(r, key->line) : entry;
}

struct pp_perf_step
pp_perf_frame_step(struct pp_perf_reader *r, struct pp_slice text)
{
	unsigned char *room = key_room(r, text.n);
	struct pp_perf_step step = { 0 };
	struct pp_perf_key key;

	if (!room)
		return step;
	key = key_of(r, text, room);
	key.tag = pp_strtab_tag(&r->entries.texts, key.text);
	step.ip = key.ip;
	step.entry = frame_find(&r->entries, &key);
	if (!step.entry)
		step.entry = frame_add(r, &key);
	return step;
}

uint32_t
pp_perf_place_entry(struct pp_perf_reader *r, struct pp_slice text, bool add)
{
	unsigned char *room = key_room(r, text.n);
	struct pp_slice key = pp_slice_of(room, text.n + 1);
	uint32_t entry;

	if (!room)
		return 0;
	room[0] = '\n';
	memcpy(room + 1, text.p, text.n);
	entry = entry_find(&r->entries, key);
	return entry || !add ? entry : entry_add(r, key);
}

bool
pp_perf_entry_has_dso(const struct pp_perf_reader *r, uint32_t entry)
{
	struct pp_slice text = pp_strtab_get(&r->entries.texts, entry);

	text.n -= text.n && text.p[text.n - 1] == '\n';
	return text.n && text.p[text.n - 1] == ')';
}

/* Lines that are looked up side by side, each fetching while the others are looked at. */
#define AHEAD 32

/* Takes up to AHEAD frames into the sample being read, their slots having been fetched; returns how many. */
static inline size_t
keys_take(struct pp_perf_reader *r, const struct pp_perf_key *keys, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct pp_perf_step step = { .ip = keys[i].ip };

		step.entry = frame_find(&r->entries, &keys[i]);
		if (PP_UNLIKELY(!step.entry))
			step.entry = frame_add(r, &keys[i]);
		if (!step.entry)
			return i;
		if (!pp_vec_push(&r->cur.steps, step)) {
			pp_perf_no_memory(r);
			return i;
		}
	}
	return n;
}

size_t
pp_perf_frames_take(struct pp_perf_reader *r, struct pp_slice text, uint32_t *lines)
{
	struct pp_perf_key ahead[AHEAD];
	const unsigned char *p = text.p, *end = text.p + text.n, *taken = p;
	/* What a line is looked up by is no longer than the line. */
	unsigned char *room = key_room(r, text.n);
	size_t n, good;

	do {
		for (n = 0; room && n < AHEAD && p < end && *p == '\t'; n++) {
			const unsigned char *stop = memchr(p, '\n', (size_t)(end - p));

			ahead[n] = key_of(r, pp_perf_trim(pp_slice_between(p, stop)), room);
			room += ahead[n].folded ? ahead[n].text.n : 0;
			ahead[n].tag = pp_strtab_tag(&r->entries.texts, ahead[n].text);
			ahead[n].next = p = stop + 1;
		}
		good = keys_take(r, ahead, n);
		taken = good ? ahead[good - 1].next : taken;
		*lines += (uint32_t)good;
	} while (n == AHEAD && good == n);
	return (size_t)(taken - text.p);
}

/* ---- the same in two steps, the first on any thread ---- */

bool
pp_perf_keys_make(const struct pp_perf_reader *r, struct pp_slice text, struct pp_perf_keys *to)
{
	const unsigned char *p = text.p, *end = text.p + text.n;
	unsigned char *room = to->texts.at + to->texts.n;

	while (p < end && *p == '\t') {
		const unsigned char *stop = memchr(p, '\n', (size_t)(end - p));
		struct pp_perf_key key = key_of(r, pp_perf_trim(pp_slice_between(p, stop)), room);

		room += key.folded ? key.text.n : 0;
		/* The table itself may be changing meanwhile; its seed never does. */
		key.tag = (uint32_t)(pp_hash_bytes(key.text.p, key.text.n, r->entries.texts.seed) >>
		                     32);
		key.next = p = stop + 1;
		if (!pp_vec_push(&to->list, key))
			return false;
	}
	to->texts.n = (size_t)(room - to->texts.at);
	return true;
}

size_t
pp_perf_keys_take(struct pp_perf_reader *r, const unsigned char *begin,
                  const struct pp_perf_key *keys, size_t n, uint32_t *lines)
{
	size_t done, some, i, good = 0;

	for (done = 0; done < n; done += good) {
		some = n - done < AHEAD ? n - done : AHEAD;
		for (i = 0; i < some; i++)
			pp_slots_prefetch(&r->entries.texts.slots, keys[done + i].tag);
		good = keys_take(r, keys + done, some);
		*lines += (uint32_t)good;
		if (good < some) {
			done += good;
			break;
		}
	}
	return done ? (size_t)(keys[done - 1].next - begin) : 0;
}

/* ---- modules ---------------------------------------------------------------------------- */

bool
pp_perf_module_is_kernel(struct pp_slice dso)
{
	static const char *const user[] = { "[unknown]", "[vdso", "[vsyscall]", "[heap]",
		                            "[stack",    "[anon", "[vvar",      "[uprobes]",
		                            "[vectors]", "[JIT]" };
	static const char *const packed[] = { ".ko", ".ko.xz", ".ko.gz", ".ko.zst" };
	size_t i;

	if (dso.n > 2 && dso.p[0] == '[') {
		for (i = 0; i < PP_COUNT_OF(user); i++)
			if (pp_slice_starts(dso, user[i]))
				return false;
		return true;
	}
	for (i = 0; i < PP_COUNT_OF(packed); i++)
		if (pp_slice_ends(dso, packed[i]))
			return true;
	for (i = dso.n; i > 0 && dso.p[i - 1] != '/'; i--)
		;
	return pp_slice_starts(pp_slice_of(dso.p + i, dso.n - i), "vmlinux");
}

/* What a running program made: "/tmp/perf-123.map", "jitted-123-4.so", "//anon". */
static bool
is_jit(struct pp_slice dso)
{
	size_t i;

	for (i = dso.n; i > 0 && dso.p[i - 1] != '/'; i--)
		;
	if (pp_slice_starts(dso, "//anon") || pp_slice_starts(dso, "[anon") ||
	    pp_slice_starts(dso, "[JIT]"))
		return true;
	dso = pp_slice_of(dso.p + i, dso.n - i);
	return (pp_slice_starts(dso, "perf-") && pp_slice_ends(dso, ".map")) ||
	       (pp_slice_starts(dso, "jitted-") && pp_slice_ends(dso, ".so"));
}

pp_module
pp_perf_module(struct pp_perf_reader *r, struct pp_slice dso)
{
	struct pp_module_row row = { .kind = pp_perf_module_is_kernel(dso) ? PP_MODULE_KERNEL
		                             : is_jit(dso)                 ? PP_MODULE_JIT
		                                                           : PP_MODULE_BINARY };

	if (dso.n == 0 || pp_slice_eq_z(dso, "[unknown]"))
		return 0;
	row.name = pp_build_str(r->builder, dso);
	return pp_build_module(r->builder, &row);
}

/* ---- functions -------------------------------------------------------------------------- */

/*
 * V8 tells places: "JS:~name file:line:column", "LazyCompile:*name file:line". The name stays as it is;
 * the place is noted beside it.
 */
static void
jit_place(struct pp_perf_reader *r, struct pp_slice symbol, struct pp_perf_entry *e)
{
	static const char *const kinds[] = { "JS:", "LazyCompile:", "Function:", "Script:",
		                             "Eval:" };
	struct pp_perf_place place;
	size_t i, blank, colon;

	for (i = 0; i < PP_COUNT_OF(kinds) && !pp_slice_starts(symbol, kinds[i]); i++)
		;
	for (blank = symbol.n; blank > 0 && symbol.p[blank - 1] != ' '; blank--)
		;
	if (i == PP_COUNT_OF(kinds) || blank == 0)
		return;
	symbol = pp_slice_of(symbol.p + blank, symbol.n - blank);
	pp_perf_place_parse(symbol, &place);
	if (!place.line)
		return;
	/* Of "file:line:column" the column came off first. */
	for (colon = place.file.n; colon > 0 && pp_is_digit(place.file.p[colon - 1]); colon--)
		;
	if (colon > 1 && colon < place.file.n && place.file.p[colon - 1] == ':')
		pp_perf_place_parse(place.file, &place);
	if (place.line) {
		e->file = pp_build_str(r->builder, place.file);
		e->line = place.line;
	}
}

static pp_func
func_of(struct pp_perf_reader *r, const struct pp_perf_entry *e, pp_module module)
{
	struct pp_func_row row = {
		.name = e->name, .module = module, .file = e->file, .line = e->line
	};

	if (module && r->builder->profile->modules.at[module].kind == PP_MODULE_KERNEL)
		row.flags |= PP_FUNC_KERNEL;
	if (e->nameless)
		row.flags |= PP_FUNC_UNKNOWN;
	return pp_build_func(r->builder, &row);
}

/* With `-F ip` there are no symbols, and an address is all the name there is. */
static pp_str
address_name(struct pp_perf_reader *r, uint64_t ip)
{
	char text[24];
	int n = snprintf(text, sizeof text, "0x%llx", (unsigned long long)ip);

	return pp_build_str(r->builder, pp_slice_of(text, (size_t)n));
}

/* A text without address and offset, with some again. */
static struct pp_slice
text_unfold(struct pp_slice text, struct pp_buf *to)
{
	const unsigned char *stop = memchr(text.p, '\n', text.n);
	size_t n = stop ? (size_t)(stop - text.p) : 0;

	if (!stop)
		return text;
	pp_buf_adds(to, "1 ");
	pp_buf_add(to, text.p, n);
	if (n + 1 < text.n) {
		pp_buf_adds(to, "+0x1");
		pp_buf_add(to, stop + 2, text.n - n - 2);
	}
	return pp_slice_of(to->p ? to->p : "", to->failed ? 0 : to->n);
}

/* What the text of an entry means. */
static void
entry_learn(struct pp_perf_reader *r, uint32_t at)
{
	struct pp_perf_entry *e = &r->entries.list.at[at];
	struct pp_slice text = pp_strtab_get(&r->entries.texts, at);
	struct pp_buf whole = { 0 };
	struct pp_perf_frame f;
	struct pp_perf_place place;

	e->known = true;
	if (text.p[0] == '\n') {
		pp_perf_place_parse(pp_slice_of(text.p + 1, text.n - 1), &place);
		e->inlined = place.inlined;
		e->line = place.line;
		e->file = place.line ? pp_build_str(r->builder, place.file) : 0;
		return;
	}
	(void)pp_perf_frame_parse(text_unfold(text, &whole), &f);
	e->ip = f.ip;
	e->offset = f.offset;
	e->inlined = f.inlined;
	e->module = pp_perf_module(r, f.dso);
	e->nameless = f.symbol.n == 0 || pp_slice_eq_z(f.symbol, "[unknown]");
	e->name = f.symbol.n ? pp_build_str(r->builder, f.symbol) : address_name(r, f.ip);
	if (e->module && r->builder->profile->modules.at[e->module].kind == PP_MODULE_JIT)
		jit_place(r, f.symbol, e);
	if (whole.failed)
		pp_perf_no_memory(r);
	pp_buf_release(&whole);
}

/* ---- frames ----------------------------------------------------------------------------- */

/* An inlined function whose binary is not told: bound at the end. */
static pp_func
func_later(struct pp_perf_reader *r, const struct pp_perf_entry *e)
{
	uint32_t func = pp_map_get(&r->frames.inline_of, e->name);

	if (func != PP_MAP_NONE)
		return func;
	func = pp_build_func_later(r->builder);
	pp_build_func_bind(r->builder, func, &(struct pp_func_row){ .name = e->name });
	if (!pp_map_set(&r->frames.inline_of, e->name, func))
		pp_perf_no_memory(r);
	return func;
}

/* Which binary an inlined frame is in, and how deep: what the frames between it and the root say. */
struct group {
	uint64_t ip;
	unsigned depth;
	pp_module module;
	pp_func later; /* the function before, when its binary is not known yet */
	bool any;
};

/* Two functions at one address are in one binary, whichever that is. */
static void
later_link(struct pp_perf_reader *r, pp_func a, pp_func b)
{
	uint64_t key = (uint64_t)a << 32 | b;

	if (!a || a == b || pp_map_get(&r->frames.linked, key) != PP_MAP_NONE)
		return;
	if (!pp_map_set(&r->frames.linked, key, 1) ||
	    !pp_vec_push(&r->frames.links, (struct pp_perf_link){ a, b }))
		pp_perf_no_memory(r);
}

static pp_frame
frame_build(struct pp_perf_reader *r, const struct pp_perf_entry *e, uint64_t ip,
            const struct pp_perf_entry *place, struct group *g)
{
	bool inlined = e->inlined || (place && place->inlined);
	bool later = inlined;
	struct pp_frame_row row = { 0 };

	if (inlined && g->any && g->ip == ip) {
		g->depth += g->depth < UINT16_MAX;
		later = !g->module;
	} else {
		/* Into nothing: it is the function itself, by the name it has in the source. */
		*g = (struct group){ .ip = ip, .module = e->module, .any = true };
		inlined = false;
	}
	row.func = later ? func_later(r, e) : func_of(r, e, inlined ? g->module : e->module);
	if (later) {
		later_link(r, g->later, row.func);
		g->later = row.func;
	}
	if (place) {
		row.line = place->line;
		row.file = place->file;
	}
	if (r->places) {
		row.address = e->ip;
		row.offset = e->offset;
		row.flags = inlined ? PP_FRAME_INLINED : 0;
		row.inline_depth = (uint16_t)g->depth;
	} else {
		r->builder->profile->unread |= (e->ip ? PP_HAS(ADDRESSES) : 0) |
		                               (e->offset ? PP_HAS(OFFSETS) : 0) |
		                               (inlined ? PP_HAS(INLINED) : 0);
	}
	return pp_build_frame(r->builder, &row);
}

/* The entry of a line, with what it means. */
static inline struct pp_perf_entry *
entry_at(struct pp_perf_reader *r, uint32_t at)
{
	struct pp_perf_entry *e = &r->entries.list.at[at];

	if (PP_UNLIKELY(!e->known))
		entry_learn(r, at);
	return e;
}

/* Steps that are inlined or have places, root first. */
static bool
resolve_uneven(struct pp_perf_reader *r, pp_frame *out)
{
	struct group g = { 0 };
	size_t i;

	for (i = r->cur.steps.n; i-- > 0;) {
		const struct pp_perf_step *step = &r->cur.steps.at[i];
		const struct pp_perf_entry *e = entry_at(r, step->entry);
		const struct pp_perf_entry *place = step->place ? entry_at(r, step->place) : NULL;
		uint64_t key = (uint64_t)step->entry << 32 | step->place;
		uint64_t ip = step->ip ? step->ip : e->ip;
		pp_frame frame;

		if (e->inlined || (place && place->inlined)) {
			frame = frame_build(r, e, ip, place, &g);
		} else {
			uint32_t known = pp_map_get(&r->frames.pair_frames, key);

			g = (struct group){ .ip = ip, .module = e->module, .any = true };
			frame = known != PP_MAP_NONE ? known : frame_build(r, e, ip, place, &g);
			if (known == PP_MAP_NONE && !pp_map_set(&r->frames.pair_frames, key, frame))
				pp_perf_no_memory(r);
		}
		*out++ = frame;
	}
	return pp_builder_ok(r->builder);
}

/* The frame of an entry that is met for the first time; false when it needs its neighbours. */
static PP_NOINLINE bool
plain_frame(struct pp_perf_reader *r, uint32_t at)
{
	struct pp_perf_entry *e = entry_at(r, at);
	struct group g = { 0 };

	if (!e->inlined)
		r->entries.frame_of.at[at] = frame_build(r, e, e->ip, NULL, &g);
	return !e->inlined && pp_builder_ok(r->builder);
}

bool
pp_perf_resolve(struct pp_perf_reader *r)
{
	size_t n = r->cur.steps.n, i;
	pp_frame *start, *out;

	if (n == 0)
		return true;
	if (!pp_vec_reserve(&r->frames.stack, r->frames.stack.n + n)) {
		pp_perf_no_memory(r);
		return false;
	}
	start = out = r->frames.stack.at + r->frames.stack.n;
	r->frames.stack.n += n;
	for (i = n; !r->cur.uneven && i-- > 0;) {
		uint32_t at = r->cur.steps.at[i].entry;

		if (PP_UNLIKELY(!r->entries.frame_of.at[at]) && !plain_frame(r, at))
			r->cur.uneven = true;
		*out++ = r->entries.frame_of.at[at];
	}
	if (PP_UNLIKELY(r->cur.uneven))
		return pp_builder_ok(r->builder) && resolve_uneven(r, start);
	return pp_builder_ok(r->builder);
}

/* ---- at the end ------------------------------------------------------------------------- */

/* The name before what the compiler put behind it for a part or copy of the function. */
static struct pp_slice
base_name(struct pp_slice name)
{
	static const char *const endings[] = { ".part.", ".cold", ".isra.", ".constprop." };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(endings); i++) {
		const unsigned char *at =
		    name.n ? memmem(name.p, name.n, endings[i], strlen(endings[i])) : NULL;

		if (at && at > name.p)
			name.n = (size_t)(at - name.p);
	}
	return name;
}

/* In two binaries: nobody can say which is meant. */
#define SEVERAL 0

/* Adds a module to what is known of a key. */
static void
module_note(struct pp_perf_reader *r, struct pp_map *map, uint64_t key, pp_module module)
{
	uint32_t known = pp_map_get(map, key);

	if (!pp_map_set(map, key, known == PP_MAP_NONE || known == module ? module : SEVERAL))
		pp_perf_no_memory(r);
}

/* In which binary functions of a name are. */
static void
modules_by_name(struct pp_perf_reader *r, struct pp_map *module_of)
{
	struct pp_profile *p = r->builder->profile;
	size_t i;

	for (i = 1; i < p->funcs.n; i++) {
		const struct pp_func_row *f = &p->funcs.at[i];
		struct pp_slice base = base_name(pp_text_of(p, f->name));
		pp_str name;

		if (f->module && !f->file && pp_strtab_find(&p->strs, base.p, base.n, &name))
			module_note(r, module_of, name, f->module);
	}
}

/* The function that speaks for all that are linked to one. */
static uint32_t
link_find(uint32_t *same, uint32_t func)
{
	while (same[func] != func)
		func = same[func] = same[same[func]]; /* the way gets shorter */
	return func;
}

/* Passes on what names tell of single functions to those linked to them. */
static void
modules_by_link(struct pp_perf_reader *r, const struct pp_map *by_name, uint32_t *same,
                struct pp_map *by_link)
{
	const struct pp_profile *p = r->builder->profile;
	size_t i;

	for (i = 1; i < p->funcs.n; i++) {
		pp_str name = p->funcs.at[i].name;
		uint32_t module = pp_map_get(by_name, name);

		if (module != PP_MAP_NONE && pp_map_get(&r->frames.inline_of, name) == i)
			module_note(r, by_link, link_find(same, (uint32_t)i), module);
	}
}

void
pp_perf_bind_inlined(struct pp_perf_reader *r)
{
	struct pp_profile *p = r->builder->profile;
	struct pp_map by_name = { .seed = r->builder->seed }, by_link = by_name;
	uint32_t *same;
	size_t i;

	if (!r->frames.inline_of.n)
		return;
	same = malloc(p->funcs.n * sizeof *same);
	if (!same) {
		pp_perf_no_memory(r);
		return;
	}
	for (i = 0; i < p->funcs.n; i++)
		same[i] = (uint32_t)i;
	for (i = 0; i < r->frames.links.n; i++) {
		uint32_t a = link_find(same, r->frames.links.at[i].a);
		uint32_t b = link_find(same, r->frames.links.at[i].b);

		same[a > b ? a : b] = a < b ? a : b;
	}
	modules_by_name(r, &by_name);
	modules_by_link(r, &by_name, same, &by_link);
	for (i = 1; i < p->funcs.n; i++) {
		struct pp_func_row row = p->funcs.at[i];
		uint32_t module = pp_map_get(&by_name, row.name);

		if (row.module || pp_map_get(&r->frames.inline_of, row.name) != i)
			continue;
		if (module == PP_MAP_NONE || module == SEVERAL)
			module = pp_map_get(&by_link, link_find(same, (uint32_t)i));
		if (module == PP_MAP_NONE || module == SEVERAL)
			continue;
		row.module = module;
		if (p->modules.at[module].kind == PP_MODULE_KERNEL)
			row.flags |= PP_FUNC_KERNEL;
		pp_build_func_bind(r->builder, (pp_func)i, &row);
	}
	pp_map_release(&by_name);
	pp_map_release(&by_link);
	free(same);
}
