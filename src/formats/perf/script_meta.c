/*
 * The header lines of `perf script --header`: what was recorded, where, how.
 *
 *     # hostname : vm
 *     # cmdline : /usr/bin/perf record -F 997 -g ./program
 *     # event : name = cpu-clock, , id = { 430 }, type = 1, { sample_period, sample_freq } = 997, freq = 1
 *
 * Only these tell whether an event was sampled by frequency and at which rate, so without them samples
 * are never read as time.
 */
#include "formats/perf/perf_script.h"

#include <stdio.h>

#include "base/num.h"

/* Header lines are some dozens, and one for each event; whatever has more of them is something else. */
#define PAIRS_MOST 200
#define ATTRS_MOST (2 * PP_PERF_EVENTS_MOST)

static const unsigned char *
find(struct pp_slice s, const char *word)
{
	return s.n ? memmem(s.p, s.n, word, strlen(word)) : NULL;
}

static struct pp_slice
keep(struct pp_perf_meta *m, struct pp_slice s)
{
	char *copy = pp_arena_copy(&m->arena, s.p, s.n);

	m->failed |= copy == NULL;
	return pp_slice_of(copy ? copy : "", copy ? s.n : 0);
}

/* The number behind "word"; false when there is none. */
static bool
number_behind(struct pp_slice s, const char *word, uint64_t *out)
{
	const unsigned char *p = find(s, word), *stop, *end = s.p + s.n;

	if (!p)
		return false;
	p += strlen(word);
	for (stop = p; stop < end && pp_is_digit(*stop); stop++)
		;
	return pp_num_u64(pp_slice_of(p, (size_t)(stop - p)), out);
}

/* The number of a key; pairs.n when there is none. */
static size_t
pair_find(const struct pp_perf_meta *m, struct pp_slice key)
{
	size_t i;

	for (i = 0; i < m->pairs.n && !pp_slice_eq(m->pairs.at[i].key, key); i++)
		;
	return i;
}

/* "name = alloc_bytes, sums, event = no, unit = bytes, metric = alloc_bytes", as script_write.c has it. */
static void
sums_take(struct pp_perf_meta *m, struct pp_slice text, struct pp_perf_attr *attr)
{
	const unsigned char *unit = find(text, ", unit = "), *metric = find(text, ", metric = ");

	attr->listed = pp_slice_starts(text, ", sums") || pp_slice_starts(text, ", samples");
	attr->sums = pp_slice_starts(text, ", sums") && unit && metric && unit < metric;
	if (!attr->sums)
		return;
	attr->nameless = find(text, ", event = no,") != NULL;
	attr->unit = keep(m, pp_slice_between(unit + strlen(", unit = "), metric));
	attr->metric = keep(m, pp_slice_between(metric + strlen(", metric = "), text.p + text.n));
}

/* "name = cycles:u, , id = { 1, 2 }, type = 0, { sample_period, sample_freq } = 997, ..., freq = 1". */
static void
attr_add(struct pp_perf_meta *m, struct pp_slice text)
{
	struct pp_perf_attr attr = { .type = -1 };
	const unsigned char *name = find(text, "name = "), *stop;
	uint64_t number;

	if (!name)
		return;
	name += strlen("name = ");
	stop = find(pp_slice_of(name, (size_t)(text.p + text.n - name)), ", ");
	stop = stop ? stop : text.p + text.n;
	attr.name = pp_perf_trim(pp_slice_of(name, (size_t)(stop - name)));
	if (pp_perf_meta_attr(m, attr.name))
		return;
	attr.name = keep(m, attr.name);
	text = pp_slice_of(stop, (size_t)(text.p + text.n - stop));
	/* Fields that are 0 are left out, so a missing type is that of hardware. */
	if (number_behind(text, ", type = ", &number))
		attr.type = number < INT32_MAX ? (int64_t)number : -1;
	else if (find(text, ", size = "))
		attr.type = 0;
	attr.freq = number_behind(text, ", freq = ", &number) && number == 1;
	attr.has_rate = number_behind(text, "{ sample_period, sample_freq } = ", &attr.rate) &&
	                attr.rate;
	sums_take(m, text, &attr);
	m->failed |= !pp_vec_push(&m->attrs, attr);
}

void
pp_perf_meta_line(struct pp_perf_meta *m, struct pp_slice line)
{
	struct pp_slice text, key, value;
	const unsigned char *colon;

	text = pp_perf_trim(pp_slice_of(line.p + 1, line.n - 1));
	colon = text.n ? memchr(text.p, ':', text.n) : NULL;
	if (!colon)
		return;
	key = pp_perf_trim(pp_slice_of(text.p, (size_t)(colon - text.p)));
	value = pp_perf_trim(pp_slice_of(colon + 1, text.n - (size_t)(colon + 1 - text.p)));
	if (pp_slice_eq_z(key, "event") && m->attrs.n < ATTRS_MOST)
		attr_add(m, value);
	/* In texts that were put together the first one speaks; "events" is how ours are called. */
	if (key.n == 0 || m->pairs.n == PAIRS_MOST || pp_slice_eq_z(key, "event") ||
	    pp_slice_eq_z(key, "events") || pp_slice_eq_z(key, "missing features") ||
	    pair_find(m, key) < m->pairs.n)
		return;
	key = keep(m, key);
	value = keep(m, value);
	m->failed |= !pp_vec_push(&m->pairs, (struct pp_perf_pair){ key, value });
}

void
pp_perf_meta_release(struct pp_perf_meta *m)
{
	pp_arena_release(&m->arena);
	pp_vec_release(&m->pairs);
	pp_vec_release(&m->attrs);
}

const struct pp_perf_attr *
pp_perf_meta_attr(const struct pp_perf_meta *m, struct pp_slice event)
{
	size_t i;

	for (i = 0; i < m->attrs.n; i++)
		if (pp_slice_eq(m->attrs.at[i].name, event))
			return &m->attrs.at[i];
	return NULL;
}

static struct pp_slice
pair_value(const struct pp_perf_meta *m, const char *key)
{
	size_t i = pair_find(m, pp_slice_z(key));

	return i < m->pairs.n ? m->pairs.at[i].value : pp_slice_of("", 0);
}

/*
 * When it was recorded, in Unix seconds; 0 when nobody says. "captured on" is local time of an unknown
 * zone, so only a reference time ("... = 1794731370.320608 (TOD) = ...") counts.
 */
static int64_t
recorded_at(const struct pp_perf_meta *m)
{
	struct pp_slice text = pair_value(m, "reference time");
	const unsigned char *tod = find(text, " (TOD)"), *p;
	uint64_t seconds;

	if (!tod)
		return 0;
	for (p = tod; p > text.p && (pp_is_digit(p[-1]) || p[-1] == '.'); p--)
		;
	text = pp_slice_of(p, (size_t)(tod - p));
	p = text.n ? memchr(text.p, '.', text.n) : NULL;
	text.n = p ? (size_t)(p - text.p) : text.n;
	return pp_num_u64(text, &seconds) && seconds < INT64_MAX ? (int64_t)seconds : 0;
}

/* ---- into the profile ------------------------------------------------------------------- */

/* What SPAA calls the kind of an event. */
static const char *
event_kind(struct pp_slice name, const struct pp_perf_attr *attr)
{
	static const char *const software[] = { "cpu-clock",
		                                "task-clock",
		                                "page-faults",
		                                "faults",
		                                "minor-faults",
		                                "major-faults",
		                                "context-switches",
		                                "cs",
		                                "migrations",
		                                "cpu-migrations",
		                                "alignment-faults",
		                                "emulation-faults",
		                                "bpf-output",
		                                "cgroup-switches",
		                                "dummy" };
	struct pp_slice base = pp_perf_event_base(name);
	size_t i;

	if (pp_perf_event_is_probe(name) || (attr && attr->type == 2))
		return "probe";
	if (attr && attr->type >= 0)
		return attr->type == 1 ? "software" : "hardware";
	for (i = 0; i < PP_COUNT_OF(software); i++)
		if (pp_slice_eq_z(base, software[i]))
			return "software";
	return "hardware";
}

static void
text_put(struct pp_builder *b, uint32_t parent, const char *key, const char *text)
{
	(void)pp_build_meta(b, parent, pp_slice_z(key), PP_META_TEXT, pp_slice_z(text));
}

void
pp_perf_event_build(struct pp_builder *b, uint32_t list, struct pp_slice name,
                    const struct pp_perf_attr *attr, bool period)
{
	const char *kind = event_kind(name, attr);
	bool probe = strcmp(kind, "probe") == 0;
	const char *mode = attr && attr->freq                               ? "frequency"
	                   : !probe && (period || (attr && attr->has_rate)) ? "period"
	                                                                    : "event";
	uint32_t row, sampling;
	char rate[24];
	int n;

	row = pp_build_meta(b, list, pp_slice_of("", 0), PP_META_OBJECT, pp_slice_of("", 0));
	(void)pp_build_meta(b, row, pp_slice_z("name"), PP_META_TEXT, name);
	text_put(b, row, "kind", kind);
	sampling = pp_build_meta(b, row, pp_slice_z("sampling"), PP_META_OBJECT,
	                         pp_slice_of("", 0));
	text_put(b, sampling, "mode", mode);
	text_put(b, sampling, "primary_metric", period ? "period" : "samples");
	if (!attr || !attr->has_rate || strcmp(mode, "event") == 0)
		return;
	n = snprintf(rate, sizeof rate, "%llu", (unsigned long long)attr->rate);
	(void)pp_build_meta(b, sampling, pp_slice_z(attr->freq ? "frequency_hz" : "sample_period"),
	                    PP_META_NUMBER, pp_slice_of(rate, (size_t)n));
}

struct pp_slice
pp_perf_command(struct pp_slice cmdline)
{
	static const char mark[] = " -- ";
	struct pp_slice rest = cmdline, word;
	const unsigned char *at = find(cmdline, mark);

	if (!at || !pp_slice_word(&rest, &word) ||
	    !(pp_slice_eq_z(word, "perf") || pp_slice_ends(word, "/perf")))
		return pp_slice_of("", 0);
	return pp_slice_trim(pp_slice_between(at + sizeof mark - 1, cmdline.p + cmdline.n));
}

void
pp_perf_meta_build(struct pp_perf_reader *r)
{
	struct pp_builder *b = r->builder;
	struct pp_slice version = pair_value(&r->meta, "perf version");
	struct pp_buf producer = { 0 };
	uint32_t list = 0;
	size_t i;

	pp_buf_adds(&producer, version.n ? "perf " : "perf");
	pp_buf_add(&producer, version.p, version.n);
	if (r->meta.failed || producer.failed)
		pp_perf_no_memory(r);
	else
		b->profile->producer = pp_build_str(b, pp_slice_of(producer.p, producer.n));
	pp_buf_release(&producer);
	b->profile->recorded_at = recorded_at(&r->meta);
	if (!(r->reader->order->facets & PP_META))
		return;
	for (i = 0; i < r->meta.pairs.n; i++)
		(void)pp_build_meta(b, 0, r->meta.pairs.at[i].key, PP_META_TEXT,
		                    r->meta.pairs.at[i].value);
	for (i = 0; i < r->threads.events.n; i++) {
		const struct pp_perf_event *event = &r->threads.events.at[i];
		struct pp_slice name = pp_text_of(b->profile, event->name);

		if (!event->name)
			continue;
		if (!list)
			list = pp_build_meta(b, 0, pp_slice_z("events"), PP_META_ARRAY,
			                     pp_slice_of("", 0));
		pp_perf_event_build(b, list, name, pp_perf_meta_attr(&r->meta, name),
		                    event->with_period > 0);
	}
}

/* The command that a sample begins with, up to its process or thread. */
static struct pp_slice
command_of(struct pp_slice line)
{
	struct pp_slice rest = line, word;
	const unsigned char *end = NULL;

	while (pp_slice_word(&rest, &word)) {
		size_t i = 0;

		while (i < word.n && (pp_is_digit(word.p[i]) || (i > 0 && word.p[i] == '/')))
			i++;
		if (i == word.n && end)
			return pp_slice_trim(pp_slice_between(line.p, end));
		end = word.p + word.n;
	}
	return pp_slice_of("", 0);
}

pp_status
pp_perf_describe(struct pp_reader *reader, struct pp_brief *brief)
{
	struct pp_perf_meta meta = { 0 };
	struct pp_slice line;
	pp_status status;
	bool whole;

	while (pp_input_need(reader->in, 1) && reader->in->cur[0] == '#' &&
	       pp_input_line(reader->in, 1 << 20, &line, &whole) && meta.pairs.n < PAIRS_MOST)
		pp_perf_meta_line(&meta, line);
	line = pair_value(&meta, "hostname");
	pp_buf_add(&brief->host, line.p, line.n);
	line = pp_perf_command(pair_value(&meta, "cmdline"));
	line = line.n ? line : pair_value(&meta, "cmdline");
	pp_buf_add(&brief->what, line.p, line.n);
	while (brief->what.n == 0 && pp_input_line(reader->in, 1 << 20, &line, &whole))
		if (pp_slice_trim(line).n) {
			line = command_of(line);
			pp_buf_add(&brief->what, line.p, line.n);
			break;
		}
	brief->recorded_at = recorded_at(&meta);
	status = meta.failed || brief->what.failed || brief->host.failed ? PP_E_NOMEM : PP_OK;
	pp_perf_meta_release(&meta);
	return status;
}
