/*
 * bpftrace: what it prints of maps by stack, as text or as JSON, and of stacks printed by themselves.
 *
 *     Attaching 1 probe...
 *     @name[                               keys, with ", " between them; a stack is a key on lines of its own,
 *         worker+312                       the innermost frame first: symbol+offset (decimal), or 0xaddress;
 *         start_thread+773                 in mode perf a tab, the address, the same and, for programs, (file)
 *     , 
 *         do_syscall_64+118
 *     , wrk]: 12                           the value; `count 3, average 5, total 15`; or bars on lines that follow
 *
 *     {"type": "map", "data": {"@name": {"\n    worker+312\n,,wrk": 12}}}
 *
 * Each map is an event. Of two stacks the one that looks like the kernel's is on top of the other. Maps without stacks are
 * left out. Equal keys are added up: frames look alike that are not, and a map may be printed several times.
 */
#include "formats/author.h"

#define MAPS_MAX 1000
#define PRINTED "printf"

extern const struct pp_format pp_format_bpftrace;

enum { BPF_CUT, BPF_VALUE, BPF_JSON, BPF_LOST, BPF_AGAIN, BPF_SCALAR };

static const struct pp_rule bpftrace_rules[] = {
	[BPF_CUT] = { "bpftrace-cut", PP_ERROR, "the output breaks off",
	              "The last entry of a map has no value after it. It is left out." },
	[BPF_VALUE] = { "bpftrace-value", PP_ERROR, "a value is not what bpftrace prints",
	                "A value is a whole number of 64 bits, count, average and total, or a table of bars. "
	                "An entry with something else is left out." },
	[BPF_JSON] = { "bpftrace-json", PP_ERROR, "a line of JSON is broken",
	               "Each line of bpftrace -f json is an object of its own. From the "
	               "place named on, this one is left out." },
	[BPF_LOST] = { "bpftrace-lost", PP_WARNING, "bpftrace lost events",
	               "The buffer was full, so that some of what happened is not here." },
	[BPF_AGAIN] = { "bpftrace-again", PP_WARNING, "a map is printed several times",
	                "Its values are added up, which is right only if the map was cleared in between." },
	[BPF_SCALAR] = { "bpftrace-scalar", PP_NOTE, "a map has no stacks",
	                 "The output holds values by keys other than stacks. They are not "
	                 "part of the profile and are left out." },
	{ 0 },
};

/* ---- text ---------------------------------------------------------------------------------- */

static bool
is_name(struct pp_slice s)
{
	size_t i;

	if (s.n == 0 || s.p[0] != '@')
		return false;
	for (i = 1; i < s.n; i++)
		if (s.p[i] != '_' && !pp_is_digit(s.p[i]) && (unsigned)(s.p[i] | 32) - 'a' > 25)
			return false;
	return true;
}

/* Lines of frames are indented; nothing else within an entry is. */
static bool
is_frame(struct pp_slice line)
{
	return line.n > 1 && (line.p[0] == '\t' || pp_slice_starts(line, "    ")) &&
	       pp_slice_trim(line).n > 0;
}

/* Where the value stands in the last line of an entry: behind its last "]:"; false in any other line. */
static bool
value_find(struct pp_slice line, size_t *bracket, struct pp_slice *value)
{
	size_t at = line.n;

	while (at >= 2 && !(line.p[at - 2] == ']' && line.p[at - 1] == ':'))
		at--;
	if (at < 2)
		return false;
	*bracket = at - 2;
	*value = pp_slice_trim(pp_slice_from(line, at));
	return true;
}

/* "[8, 16)     12 |@@@@   |" */
static bool
bar_read(struct pp_slice line, uint64_t *count)
{
	const unsigned char *bar = pp_slice_find(line, '|');
	struct pp_slice rest, word, last = { 0 };

	if (!bar || line.n == 0 || (line.p[0] != '[' && line.p[0] != '('))
		return false;
	rest = pp_slice_between(line.p, bar);
	while (pp_slice_word(&rest, &word))
		last = word;
	return pp_num_u64(last, count);
}

/* ---- recognition --------------------------------------------------------------------------- */

/* {"type": "map", "data": {...}}: other formats have records with a type, too. */
static bool
is_record(struct pp_slice line)
{
	bool quote;

	if (!pp_slice_take(&line, "{\"type\": \""))
		return false;
	(void)pp_slice_cut(&line, '"', &quote);
	return pp_slice_starts(line, ", \"data\": {");
}

static int
bpftrace_bid(const struct pp_peek *peek)
{
	struct pp_slice rest = peek->head, line, value;
	size_t bracket, frames = 0;
	bool first = true;
	int bits = 0;

	/* Most files are told by what they lack. */
	if (pp_slice_find(rest, '\0') ||
	    (!pp_slice_starts(rest, "Attach") && !pp_slice_starts(rest, "{\"type\": \"") &&
	     !pp_slice_find(rest, '@')))
		return 0;
	while (pp_slice_line(&rest, &line)) {
		bool named = pp_slice_starts(line, "Attaching ") ||
		             pp_slice_starts(line, "Attached ") || is_record(line);

		if (named && first)
			return PP_BID_NAMED;
		first &= pp_slice_trim(line).n == 0;
		if (named)
			bits += 64;
		else if (is_frame(line))
			frames++;
		else if (frames && value_find(line, &bracket, &value))
			bits += 24, frames = 0;
	}
	return pp_bid_lines(bits, true);
}

/* ---- reading ------------------------------------------------------------------------------- */

struct bpf_map {
	uint32_t metric;
	bool stacks; /* some entry has */
	bool seen;
	bool closed; /* something else was printed since */
	bool again;
	uint64_t last; /* value, as bpftrace sorts entries by it */
	uint32_t window;
};

struct bpftrace_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_places places;
	struct pp_arena arena;
	struct pp_strtab names;
	PP_VEC(struct bpf_map) maps;       /* by name */
	PP_VEC(struct pp_slice) frames[2]; /* of the entry being read, stack by stack */
	PP_VEC(pp_frame) stack;
	PP_VEC(int64_t) values;
	struct pp_map windows; /* name and keys -> window of the map that they were in */
	struct pp_owners owners;
	struct pp_owner owner; /* of that entry */
	struct pp_buf context;
	unsigned stacks;
	struct pp_slice before;      /* the line before a stack that is printed by itself */
	bool gap;                    /* an empty line stood behind the first of two such stacks */
	const unsigned char *within; /* the line of JSON that what is printed stands in; or NULL */
	bool building;               /* else it is only seen which maps there are */
};

static void
report(struct bpftrace_read *r, int rule, const unsigned char *at, const char *what)
{
	if (!r->building)
		return;
	if (rule != BPF_SCALAR && rule != BPF_AGAIN)
		r->b->profile->complete = false;
	pp_diag_add(r->reader->diags, &bpftrace_rules[rule], pp_places_next(&r->places, at), "%s",
	            what);
}

static struct bpf_map *
map_of(struct bpftrace_read *r, struct pp_slice name)
{
	bool is_new, fine;
	pp_str id;

	fine = pp_strtab_intern(&r->names, name.p, name.n, &id, &is_new);
	while (fine && r->maps.n <= id)
		fine = pp_vec_push(&r->maps, (struct bpf_map){ 0 });
	if (!fine)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	else if (id > MAPS_MAX)
		pp_builder_fail(r->b, PP_E_LIMIT, "there are too many maps");
	return pp_builder_ok(r->b) ? &r->maps.at[id] : NULL;
}

/* Stacks and other keys of an entry: lines of frames, and what stands between. */
static void
keys_read(struct bpftrace_read *r, struct pp_slice keys)
{
	struct pp_slice line, key;
	bool within = false;

	r->owner = (struct pp_owner){ .pid = -1, .tid = -1 };
	r->context.n = r->frames[0].n = r->frames[1].n = 0;
	r->stacks = 0;
	while (pp_slice_line(&keys, &line)) {
		if (is_frame(line)) {
			r->stacks += !within;
			if (!pp_vec_push(&r->frames[r->stacks < 2 ? 0 : 1], pp_slice_trim(line)))
				pp_builder_fail(r->b, PP_E_NOMEM, NULL);
			within = true;
			continue;
		}
		within = false;
		for (bool more = true; pp_slice_field(&line, ',', &more, &key);) {
			key = pp_slice_trim(key);
			if (key.n && r->building)
				pp_owner_key(&r->owner, key, &r->context);
		}
	}
}

/* The parts of a frame as it is printed. */
struct bpf_frame {
	struct pp_slice name, module;
	uint64_t address, offset;
};

/* Where " (file)" begins: behind an offset or an address. Names and files may have such brackets, too. */
static const unsigned char *
module_find(struct pp_slice text)
{
	const unsigned char *end = text.p + text.n, *at = text.p;

	if (text.n == 0 || end[-1] != ')')
		return NULL;
	while ((at = memmem(at, (size_t)(end - at), " (", 2)) != NULL) {
		const unsigned char *p = at;

		while (p > text.p && pp_is_digit(p[-1]))
			p--;
		if (pp_slice_starts(text, "0x") || (p > text.p && p < at && p[-1] == '+'))
			return at;
		at++;
	}
	return NULL;
}

static struct bpf_frame
frame_parse(struct pp_slice text)
{
	struct bpf_frame f = { .name = text };
	struct pp_slice rest = text, word, hex;
	const unsigned char *open;
	size_t plus;

	/* In mode perf the address comes first, and is all hexadecimal. */
	if (pp_slice_word(&rest, &word) && rest.n && pp_num_hex(word, &f.address))
		f.name = pp_slice_trim(rest);
	open = f.address ? module_find(f.name) : NULL;
	if (open) {
		f.module = pp_slice_between(open + 2, f.name.p + f.name.n - 1);
		f.name = pp_slice_between(f.name.p, open);
	}
	hex = f.name;
	if (pp_slice_take(&hex, "0x") && pp_num_hex(hex, &f.address))
		return f;
	for (plus = f.name.n; plus > 0 && f.name.p[plus - 1] != '+';)
		plus--;
	if (plus > 1 && pp_num_u64(pp_slice_from(f.name, plus), &f.offset))
		f.name.n = plus - 1;
	return f;
}

/* Names that stacks of the kernel, and of programs, begin with. */
static const char *const kernel_roots[] = { "entry_SYSCALL",
	                                    "do_syscall",
	                                    "ret_from_fork",
	                                    "asm_",
	                                    "secondary_startup",
	                                    "common_startup",
	                                    "cpu_startup_entry",
	                                    "start_kernel",
	                                    "kthread",
	                                    "el0",
	                                    "__x64_sys_",
	                                    "__do_sys_",
	                                    "x64_sys_call",
	                                    "do_idle",
	                                    "error_entry",
	                                    "irq_",
	                                    "sysvec_" };
static const char *const user_roots[] = { "main",  "_start",  "__libc_start", "start_thread",
	                                  "clone", "__clone", "_dl_",         "thread_start" };

static bool
begins_with_any(struct pp_slice name, const char *const *list, size_t n)
{
	while (n-- > 0)
		if (pp_slice_starts(name, list[n]))
			return true;
	return false;
}

/* Above 0 for a stack of the kernel, below for one of a program, 0 where it does not tell. */
static int
stack_side(const struct pp_slice *frames, size_t n)
{
	int side = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		struct bpf_frame f = frame_parse(frames[i]);

		if (f.address >= (uint64_t)0xffff << 48 ||
		    begins_with_any(f.name, kernel_roots, PP_COUNT_OF(kernel_roots)))
			side += 2;
		else if (f.address || f.module.n ||
		         begins_with_any(f.name, user_roots, PP_COUNT_OF(user_roots)))
			side -= 2;
	}
	return side;
}

static pp_frame
frame_build(struct bpftrace_read *r, struct pp_slice text, bool kernel)
{
	struct bpf_frame f = frame_parse(text);
	struct pp_func_row func = { .name = pp_build_str(r->b, f.name) };

	func.flags = (kernel ? PP_FUNC_KERNEL : 0u) |
	             (pp_slice_starts(f.name, "0x") ? PP_FUNC_UNKNOWN : 0u);
	if (f.module.n && !pp_slice_eq_z(f.module, "[unknown]"))
		func.module = pp_build_module(
		    r->b, &(struct pp_module_row){ .name = pp_build_str(r->b, f.module) });
	return pp_build_frame(r->b, &(struct pp_frame_row){ .func = pp_build_func(r->b, &func),
	                                                    .address = f.address,
	                                                    .offset = f.offset });
}

static void
half_build(struct bpftrace_read *r, unsigned half, bool kernel)
{
	size_t i;

	for (i = r->frames[half].n; i-- > 0;)
		if (!pp_vec_push(&r->stack, frame_build(r, r->frames[half].at[i], kernel)))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

/* The stack of the entry, the program's part first. */
static void
stack_build(struct bpftrace_read *r, const unsigned char *at, uint32_t metric, int64_t value,
            struct pp_sample *sample)
{
	int first = stack_side(r->frames[0].at, r->frames[0].n);
	int second = stack_side(r->frames[1].at, r->frames[1].n);
	unsigned kernel = r->frames[1].n ? first <= second : first <= 0;

	r->stack.n = 0;
	half_build(r, !kernel, false);
	if (r->frames[kernel].n)
		half_build(r, kernel, r->frames[1].n || first > 0);
	memset(r->values.at, 0, r->values.n * sizeof *r->values.at);
	r->values.at[metric] = value;
	sample->series = pp_owner_series(&r->owners, r->b, &r->owner);
	sample->values = r->values.at;
	pp_builder_at(r->b, pp_places_next(&r->places, r->within ? r->within : at));
	if (pp_builder_ok(r->b))
		pp_build_sample(r->b, sample, r->stack.at, r->stack.n);
	r->b->profile->events++;
}

/* An entry of a map: its keys were read. */
static void
entry_end(struct bpftrace_read *r, struct pp_slice name, const unsigned char *at, int64_t value)
{
	struct bpf_map *map = map_of(r, name);

	if (!map)
		return;
	if (!r->building) {
		map->stacks |= r->stacks > 0;
		return;
	}
	if (!map->stacks && !map->seen)
		report(r, BPF_SCALAR, at, "a map without stacks is left out");
	if (map->closed && map->stacks && !map->again)
		report(r, BPF_AGAIN, at, "a map is printed again, its values are added up");
	map->again |= map->closed;
	map->seen = true;
	if (!map->stacks)
		return;
	map->closed = false;
	r->owner.event = pp_build_str(r->b, name);
	stack_build(r, at, map->metric, value, &(struct pp_sample){ 0 });
}

static void
maps_close(struct bpftrace_read *r)
{
	size_t i;

	for (i = 0; i < r->maps.n; i++)
		r->maps.at[i].closed = r->maps.at[i].seen;
}

/* ---- text, line by line -------------------------------------------------------------------- */

/* What stands behind "]:" and, of tables, on the lines that follow; false when it is none of that. */
static bool
value_read(struct pp_slice text, struct pp_slice *rest, int64_t *value)
{
	struct pp_slice after, line;
	uint64_t count;
	bool found;

	*value = 0;
	if (text.n)
		return pp_num_i64(text, value) ||
		       (pp_slice_take(&text, "count ") &&
		        pp_num_i64(pp_slice_cut(&text, ',', &found), value));
	for (after = *rest; pp_slice_line(&after, &line) && bar_read(line, &count); *rest = after)
		if (count > INT64_MAX || __builtin_add_overflow(*value, (int64_t)count, value))
			return false;
	return true;
}

/* Entries are sorted by value: where it falls, and keys come that were there before, the map is printed once more. */
static void
sorted_check(struct bpftrace_read *r, struct pp_slice name, struct pp_slice entry, int64_t value)
{
	struct bpf_map *map = r->building ? map_of(r, name) : NULL;
	uint64_t hash = pp_hash_long(entry, r->reader->seed);
	uint32_t window;

	if (!map || !map->stacks)
		return;
	map->window += map->seen && (uint64_t)value < map->last;
	map->last = (uint64_t)value;
	window = pp_map_get(&r->windows, hash);
	map->closed |= window != PP_MAP_NONE && window < map->window;
	if (!pp_map_set(&r->windows, hash, map->window))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

/* An entry "@name[...]: value"; `rest` is what follows its first line. */
static void
entry_read(struct bpftrace_read *r, struct pp_slice line, struct pp_slice *rest)
{
	const unsigned char *open = pp_slice_find(line, '['), *colon = pp_slice_find(line, ':'),
	                    *at = line.p;
	struct pp_slice name, text, first = line;
	bool keyed = open && (!colon || open < colon);
	size_t bracket;
	int64_t value, number;

	name = pp_slice_between(line.p, keyed ? open : colon ? colon : line.p);
	if (!is_name(name))
		return;
	if (!keyed) {
		keys_read(r, pp_slice_of(NULL, 0));
		text = pp_slice_trim(pp_slice_between(colon + 1, line.p + line.n));
	} else {
		/* The brackets of the first line are the keys' own until "]:" follows. */
		line = pp_slice_between(open + 1, line.p + line.n);
		while (is_frame(line) || !value_find(line, &bracket, &text))
			if (!pp_slice_line(rest, &line)) {
				report(r, BPF_CUT, first.p, "no value follows this entry");
				return;
			}
		keys_read(r, pp_slice_between(open + 1, line.p + bracket));
	}
	if (value_read(text, rest, &value)) {
		if (pp_num_i64(text, &number))
			sorted_check(r, name, pp_slice_between(first.p, text.p), value);
		entry_end(r, name, at, value);
	} else
		report(r, BPF_VALUE, text.p, "not a value that bpftrace prints");
}

/* "comm pid tid nsecs": numbers from behind, the rest is the name. */
static void
before_read(struct bpftrace_read *r, struct pp_sample *sample)
{
	struct pp_slice text = pp_slice_trim(r->before);
	int64_t numbers[3];
	unsigned n = 0, used = 0;

	while (n < 3) {
		size_t cut = text.n;

		while (cut > 0 && !pp_is_blank(text.p[cut - 1]))
			cut--;
		if (cut == text.n || !pp_num_i64(pp_slice_from(text, cut), &numbers[n]) ||
		    numbers[n] < 0)
			break;
		n++;
		text = pp_slice_trim(pp_slice_of(text.p, cut));
	}
	r->owner = (struct pp_owner){ .process = text, .pid = -1, .tid = -1 };
	if (n > 0 && numbers[0] >= 10000000000) {
		struct pp_time_span *span = &r->b->profile->time;

		used = 1;
		sample->timed = true;
		sample->time = numbers[0];
		span->start = span->known && span->start < sample->time ? span->start
		                                                        : sample->time;
		span->end = span->known && span->end > sample->time ? span->end : sample->time;
		span->known = true;
		r->b->profile->holds |= PP_TIMELINE;
	}
	r->owner.tid = n > used ? numbers[used] : -1;
	r->owner.pid = n > used + 1 ? numbers[used + 1] : r->owner.tid;
}

/* A stack that was printed by itself, or one of the kernel and one of a program that belong together: it counts once. */
static void
printed_give(struct bpftrace_read *r, const unsigned char *at)
{
	struct bpf_map *map = map_of(r, pp_slice_z(PRINTED));
	struct pp_sample sample = { 0 };

	if (!map)
		return;
	map->stacks = true;
	if (!r->building)
		return;
	before_read(r, &sample);
	r->owner.event = pp_build_strz(r->b, PRINTED);
	stack_build(r, at, map->metric, 1, &sample);
}

/* What was printed ends. Two stacks that are both of the kernel or both of programs are two. */
static void
printed_end(struct bpftrace_read *r, const unsigned char *at)
{
	bool first = stack_side(r->frames[0].at, r->frames[0].n) > 0,
	     second = stack_side(r->frames[1].at, r->frames[1].n) > 0;
	size_t n = r->frames[1].n, i;

	r->gap = false;
	if (n && first == second) {
		r->frames[1].n = 0;
		printed_give(r, at);
		r->frames[0].n = 0;
		for (i = 0; i < n; i++)
			if (!pp_vec_push(&r->frames[0], r->frames[1].at[i]))
				pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	if (r->frames[0].n && pp_builder_ok(r->b))
		printed_give(r, at);
	r->frames[0].n = r->frames[1].n = 0;
}

/* A line of a stack that is printed by itself. */
static void
printed_frame(struct bpftrace_read *r, struct pp_slice line)
{
	/* The third of three begins anew. */
	if (r->gap && r->frames[1].n)
		printed_end(r, line.p);
	if (!pp_vec_push(&r->frames[r->frames[0].n && (r->gap || r->frames[1].n) ? 1 : 0],
	                 pp_slice_trim(line)))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	r->gap = false;
}

static void text_read(struct bpftrace_read *, struct pp_slice);

/* ---- JSON ---------------------------------------------------------------------------------- */

/* A number, a list of bars, or an object with a count. */
static bool
json_value(struct pp_scan *s, int64_t *value)
{
	struct pp_json_str key;
	struct pp_json_num num;
	bool fine = true;
	int64_t n;

	*value = 0;
	if (pp_scan_peek(s) == PP_JSON_NUMBER)
		return pp_scan_number(s, &num) && pp_json_num_i64(&num, value);
	if (pp_scan_peek(s) == PP_JSON_ARRAY) {
		for (fine = pp_scan_array(s); fine && pp_scan_item(s); *value += n)
			fine = json_value(s, &n) && n >= 0 && *value <= INT64_MAX - n;
		return fine && s->error == PP_SCAN_OK;
	}
	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s))
		return false;
	while (fine && pp_scan_key(s, &key))
		fine = pp_json_str_eq(key, "count")
		           ? pp_scan_number(s, &num) && pp_json_num_i64(&num, value)
		           : pp_scan_skip(s, NULL);
	return fine && s->error == PP_SCAN_OK;
}

/* {"@name": {KEYS: VALUE, ...}} or {"@name": VALUE} */
static void
json_maps(struct bpftrace_read *r, struct pp_scan *s)
{
	struct pp_json_str name, key;
	struct pp_scan before;
	int64_t value;

	while (pp_builder_ok(r->b) && pp_scan_key(s, &name)) {
		struct pp_slice text = pp_build_json_text(r->b, name, &r->arena);

		if (!is_name(text) || pp_scan_peek(s) != PP_JSON_OBJECT) {
			if (is_name(text))
				keys_read(r, pp_slice_of(NULL, 0));
			if (is_name(text))
				entry_end(r, text, name.raw.p, 0);
			pp_scan_skip(s, NULL);
			continue;
		}
		pp_scan_object(s);
		while (pp_builder_ok(r->b) && pp_scan_key(s, &key)) {
			before = *s;
			keys_read(r, pp_build_json_text(r->b, key, &r->arena));
			if (json_value(s, &value)) {
				entry_end(r, text, key.raw.p, value);
				continue;
			}
			*s = before;
			if (pp_scan_skip(s, NULL))
				report(r, BPF_VALUE, key.raw.p, "not a value that bpftrace prints");
		}
	}
}

static void
json_line(struct bpftrace_read *r, struct pp_slice line)
{
	struct pp_json_str key, text, type = { 0 };
	struct pp_scan s;

	maps_close(r);
	pp_scan_init(&s, line, 0, PP_SCAN_STRICT);
	if (pp_scan_object(&s))
		while (pp_builder_ok(r->b) && pp_scan_key(&s, &key)) {
			if (pp_json_str_eq(key, "type") && pp_scan_peek(&s) == PP_JSON_STRING) {
				pp_scan_string(&s, &type);
				if (pp_json_str_eq(type, "lost_events"))
					report(r, BPF_LOST, line.p, "events were lost");
			} else if (pp_json_str_eq(key, "data") &&
			           pp_scan_peek(&s) == PP_JSON_OBJECT && pp_scan_object(&s)) {
				json_maps(r, &s);
			} else if (pp_json_str_eq(key, "data") && !r->within &&
			           pp_json_str_eq(type, "printf") &&
			           pp_scan_peek(&s) == PP_JSON_STRING &&
			           pp_scan_string(&s, &text)) {
				r->within = line.p;
				text_read(r, pp_build_json_text(r->b, text, &r->arena));
				r->within = NULL;
			} else {
				pp_scan_skip(&s, NULL);
			}
		}
	if (pp_builder_ok(r->b) && !pp_scan_end(&s))
		report(r, BPF_JSON, s.error_at ? s.error_at : line.p, pp_scan_error_text(s.error));
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void
text_read(struct bpftrace_read *r, struct pp_slice rest)
{
	struct pp_slice line = rest;

	while (pp_builder_ok(r->b) && pp_slice_line(&rest, &line)) {
		if (is_frame(line)) {
			printed_frame(r, line);
			continue;
		}
		if (pp_slice_trim(line).n == 0) {
			r->gap = r->frames[0].n > 0;
			maps_close(r);
			continue;
		}
		printed_end(r, line.p);
		if (line.p[0] == '@' && !r->within)
			entry_read(r, line, &rest);
		else if (line.p[0] == '{' && !r->within)
			json_line(r, line);
		else if (pp_slice_starts(line, "Lost ") && pp_slice_holds(line, " events"))
			report(r, BPF_LOST, line.p, "events were lost");
		r->before = line;
		r->frames[0].n = r->frames[1].n = 0;
	}
	if (pp_builder_ok(r->b))
		printed_end(r, line.p);
}

/* A metric for each map with stacks. */
static void
metrics_build(struct bpftrace_read *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->maps.n; i++) {
		struct bpf_map *map = &r->maps.at[i];

		map->closed = map->seen = false;
		if (!map->stacks)
			continue;
		map->metric = pp_build_metric(
		    r->b, &(struct pp_metric){
		              .name = pp_build_strz(r->b, "count"),
		              .unit = pp_build_strz(r->b, "count"),
		              .event = pp_build_str(r->b, pp_strtab_get(&r->names, (pp_str)i)),
		              .kind = PP_KIND_COUNT,
		              .flags = n == 0 ? PP_METRIC_PRIMARY : 0u });
		if (!pp_vec_push(&r->values, 0))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		n++;
	}
}

static pp_status
bpftrace_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct bpftrace_read r = { .reader = reader, .b = b, .windows.seed = reader->seed };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open_lines(&whole, reader, b);
	struct pp_slice text;

	if (status == PP_OK && !pp_strtab_init(&r.names, reader->seed))
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		text = pp_slice_between(reader->in->cur, reader->in->end);
		r.places.text = text;
		text_read(&r, text);
		pp_arena_release(&r.arena);
		metrics_build(&r);
		r.building = true;
		text_read(&r, text);
	}
	pp_arena_release(&r.arena);
	pp_vec_release(&r.frames[0]);
	pp_vec_release(&r.frames[1]);
	pp_vec_release(&r.stack);
	pp_vec_release(&r.values);
	pp_vec_release(&r.maps);
	pp_map_release(&r.windows);
	pp_buf_release(&r.context);
	pp_owners_release(&r.owners);
	pp_strtab_release(&r.names);
	pp_whole_close(&whole, reader);
	return status == PP_OK ? b->status : status;
}

const struct pp_format pp_format_bpftrace = {
	.name = "bpftrace",
	.title = "bpftrace output",
	.extensions = "bpftrace",
	.can = PP_CAN_READ | PP_TREE | PP_TIMELINE,
	.bid = bpftrace_bid,
	.read = bpftrace_read,
	.rules = bpftrace_rules,
};
