/*
 * SPX (php-spx): "full" reports of all versions.
 *
 * A report is a pair of files of one base name: NAME.json with the metadata, and the body NAME.txt.gz
 * (or .txt.zst, or .txt) with all calls. Nothing in them states a version; the first event line shows
 * the layout.
 *
 *     [events]\n
 *     0.4   INDEX 1 VALUE ... VALUE\n       start of a call     values are counters since the first
 *           INDEX 0 VALUE ... VALUE\n       its end             event; negative ones as -4.9999 for -5
 *     0.5   LINE|FUNC|DELTA|...|DELTA\n     start, LINE = where the call stands, hexadecimal
 *           -FUNC|DELTA|...|DELTA\n         end                 FUNC: INDEX or rN, DELTA: empty, N, aN
 *     [functions]\n
 *     0.4   NAME\n                          one per INDEX, from 0 on
 *     0.5   FILE:LINE:NAME\n
 *
 * Frames nest; an end closes the innermost one and repeats its index. Columns are the metrics in the
 * order of the json's "enabled_metrics"; times are ns. A fork leaves two such texts in one body. The
 * json is one flat object, written last, so a killed run has none.
 *
 * Long lines of 0.4 are damaged by SPX itself: see events.c. Parts: see spx.h.
 */
#include "formats/spx/spx.h"

#include <stdio.h>

static int spx_bid(const struct pp_peek *);
static pp_status spx_read(struct pp_reader *, struct pp_builder *);

#define SPX_KEEPS                                                                                  \
	(PP_HAS(STACKS) | PP_HAS(CALLS) | PP_HAS(GAINS) | PP_HAS(TIMELINE) | PP_HAS(RECORDED))
#define SPX_OWN (PP_HAS(METADATA) | PP_HAS(BUILT_IN) | PP_HAS(TIME) | PP_HAS(THREADS))
#define SPX_STATES (PP_HAS(CALLS) | PP_HAS(TIMELINE) | PP_HAS(TIME))
#define SPX_VALUES "whole nanoseconds, bytes and counts of SPX's own metrics, below 2^63"

static const struct pp_holds spx_holds[] = {
	{ .variant = "0.5",
	  .keeps = SPX_KEEPS | PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(STACK_SITES),
	  .own = SPX_OWN,
	  .states = SPX_STATES,
	  .apart = PP_HAS(FILES) | PP_HAS(FIRST_LINES),
	  .values = SPX_VALUES },
	{ .keeps = SPX_KEEPS, .own = SPX_OWN, .states = SPX_STATES, .values = SPX_VALUES },
};

const struct pp_format pp_format_spx = {
	.name = "spx",
	.title = "SPX full report (PHP)",
	.extensions = "spx",
	.variants = "0.4 0.5",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_TIMELINE,
	.writes = PP_WRITES_TEXT | PP_WRITES_JSON,
	.bid = spx_bid,
	.read = spx_read,
	.write = pp_spx_write,
	.describe = pp_spx_describe,
	.holds = spx_holds,
	.rules = pp_spx_rules,
};

/* ---- recognition ---- */

static int
bid_json(struct pp_slice head)
{
	const unsigned char *end = memchr(head.p, '\n', head.n);
	size_t i, found = 0;

	/* Of one object for each line, the first is looked at. */
	if (end && end > head.p && end + 1 < head.p + head.n && end[-1] == '}' && end[1] == '{')
		head = pp_slice_between(head.p, end);
	for (i = 0; i < SPX_KEYS; i++) {
		char key[32];
		int n = snprintf(key, sizeof key, "\"%s\"", pp_spx_keys[i].name);

		found += memmem(head.p, head.n, key, (size_t)n) != NULL;
	}
	/* One key could be anybody's. */
	return found < 2 ? 0 : (int)found * 16;
}

static int
spx_bid(const struct pp_peek *peek)
{
	const unsigned char *p = peek->head.p, *end = p + peek->head.n;

	if (peek->head.n == 0)
		return peek->whole && pp_name_ends(peek->name, "txt");
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	if (p < end && *p == '{')
		return bid_json(peek->head);
	if (end - p >= 9 && memcmp(p, "[events]", 8) == 0 && (p[8] == '\n' || p[8] == '\r'))
		return 72;
	if (end - p >= 12 && memcmp(p, "[functions]", 11) == 0 && (p[11] == '\n' || p[11] == '\r'))
		return memmem(p, (size_t)(end - p), "\n[events]", 9) ? 160 : 96;
	return 0;
}

/* ---- the pair ---- */

/* The endings of bodies, in the order in which they are looked for: none, where its name was chosen freely, last. */
static const char *const body_endings[] = { ".txt.gz", ".txt.zst", ".txt", "", NULL };

/* The base name beside `path` with `strip` bytes less and an ending; false when it is too long. */
static bool
beside(const char *path, size_t strip, const char *ending, char *out, size_t room)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t n = strlen(base) - strip, m = strlen(ending);

	if (n + m + 1 > room)
		return false;
	memcpy(out, base, n);
	memcpy(out + n, ending, m);
	out[n + m] = '\0';
	return true;
}

size_t
pp_spx_ending(const char *path, const char *ending)
{
	const char *slash = strrchr(path, '/');
	size_t n = strlen(slash ? slash + 1 : path), m = strlen(ending);

	return n > m && strcmp(path + strlen(path) - m, ending) == 0 ? m : 0;
}

/* From here on findings belong to the file beside ours. */
static void
findings_beside(struct pp_reader *r, const char *name)
{
	const char *slash = strrchr(r->path, '/');
	struct pp_buf path = { 0 };

	if (slash)
		pp_buf_add(&path, r->path, (size_t)(slash - r->path) + 1);
	pp_buf_adds(&path, name);
	if (path.p && !path.failed)
		pp_diags_set_file(r->diags, path.p);
	pp_buf_release(&path);
}

/* Whether an input starts as bodies do: its name alone says nothing. */
static bool
is_body(struct pp_input *in)
{
	static const char first[] = "[events]";

	return pp_input_need(in, sizeof first - 1) && memcmp(in->cur, first, sizeof first - 1) == 0;
}

pp_status
pp_spx_body_open(struct pp_reader *r, char *name, size_t room, struct pp_input **body, size_t *next)
{
	size_t strip = pp_spx_ending(r->path, ".json"), i;
	pp_status status = PP_E_IO;

	*body = NULL;
	for (i = next ? *next : 0; body_endings[i] && status == PP_E_IO; i++) {
		if ((strip || *body_endings[i]) &&
		    beside(r->path, strip, body_endings[i], name, room))
			status = r->open_sibling(r, name, body);
		if (status == PP_OK && !*body_endings[i] && !is_body(*body)) {
			(*body)->close(*body);
			*body = NULL;
			status = PP_E_IO;
		}
	}
	if (next)
		*next = i;
	return status;
}

/* ---- several bodies ---- */

/* The events of a body: lines up to [functions]. */
static uint64_t
events_count(struct pp_input *body, uint64_t max_line)
{
	struct pp_slice line;
	uint64_t n = 0;
	bool whole;

	if (!pp_input_line(body, max_line, &line, &whole) || !pp_slice_eq_z(line, "[events]"))
		return 0;
	while (pp_input_line(body, max_line, &line, &whole) && !pp_slice_eq_z(line, "[functions]"))
		n++;
	return n;
}

/* Whether a body with a certain ending is there that has as many events as the metadata say. */
static bool
body_fits(struct pp_reader *r, size_t strip, const char *ending, const struct spx_meta *meta)
{
	struct pp_input *body = NULL;
	uint64_t events;
	char name[1024];

	if (!beside(r->path, strip, ending, name, sizeof name) || !r->has_sibling(r, name) ||
	    r->open_sibling(r, name, &body) != PP_OK)
		return false;
	events = events_count(body, r->limits.max_line);
	body->close(body);
	return meta->calls >= 0 && events == 2 * (uint64_t)meta->calls;
}

/*
 * Which of several bodies is meant: the first that has as many events as the metadata say, else the first that is
 * there. A report that was recorded anew may have left its old body behind.
 */
static size_t
body_choose(struct pp_reader *r, const struct spx_meta *meta)
{
	size_t strip = pp_spx_ending(r->path, ".json"), i, there = 0, first = 0, chosen;
	struct pp_diags *diags = r->diags, none;
	bool fits = false;
	char name[1024];

	for (i = 0; *body_endings[i]; i++)
		if (beside(r->path, strip, body_endings[i], name, sizeof name) &&
		    r->has_sibling(r, name)) {
			first = there ? first : i;
			there++;
		}
	chosen = first;
	if (there < 2)
		return 0;
	/* What is wrong with bodies that are not read is nobody's business. */
	pp_diags_init(&none);
	r->diags = &none;
	for (i = first; *body_endings[i] && !fits; i++) {
		fits = body_fits(r, strip, body_endings[i], meta);
		chosen = fits ? i : chosen;
	}
	r->diags = diags;
	pp_diags_release(&none);
	for (i = 0; *body_endings[i]; i++)
		if (i != chosen && beside(r->path, strip, body_endings[i], name, sizeof name) &&
		    r->has_sibling(r, name))
			pp_diag_add(diags, &pp_spx_rules[SPX_BODY_SEVERAL], PP_NOWHERE,
			            "there is another body, %s, which is not read%s%s%s", name,
			            fits ? ": the one with " : "", fits ? body_endings[chosen] : "",
			            fits ? " has the events that the metadata count" : "");
	return chosen;
}

/* The body of the metadata at hand. */
static pp_status
read_from_json(struct pp_reader *r, struct pp_builder *b, struct spx_meta *meta)
{
	struct pp_input *body;
	const char *own = r->diags->file;
	pp_status status;
	char name[1024];
	size_t i;

	pp_spx_meta_read(r->in, b, r->diags, meta);
	i = body_choose(r, meta);
	status = pp_spx_body_open(r, name, sizeof name, &body, &i);
	if (!body && status != PP_E_IO)
		return status;
	if (!body) {
		pp_diag_add(
		    r->diags, &pp_spx_rules[SPX_BODY_MISSING], PP_NOWHERE,
		    "there is no body (.txt.gz, .txt.zst or .txt) of the same name beside it");
		return PP_E_INVALID;
	}
	findings_beside(r, name);
	for (i = 0; i + 1 < PP_COUNT_OF(b->profile->compression) && r->sibling_compression[i]; i++)
		b->profile->compression[i] = pp_build_strz(b, r->sibling_compression[i]);
	status = pp_spx_body_read(r, body, b, meta);
	body->close(body);
	r->diags->file = own;
	return status;
}

/* The metadata of the body at hand, if there is any. */
static void
read_json_beside(struct pp_reader *r, struct pp_builder *b, struct spx_meta *meta)
{
	struct pp_input *json = NULL;
	const char *own = r->diags->file;
	size_t strip = 0, i;
	pp_status status = PP_E_IO;
	char name[1024];

	meta->functions = meta->calls = meta->wall = -1;
	for (i = 0; body_endings[i] && !strip; i++)
		strip = pp_spx_ending(r->path, body_endings[i]);
	if (beside(r->path, strip, ".json", name, sizeof name))
		status = r->open_sibling(r, name, &json);
	if (status == PP_OK) {
		findings_beside(r, name);
		pp_spx_meta_read(json, b, r->diags, meta);
		json->close(json);
		r->diags->file = own;
	} else if (status == PP_E_NOMEM) {
		/* It may well be there, and say what the values mean. */
		pp_builder_fail(b, status, NULL);
	} else {
		pp_diag_add(
		    r->diags, &pp_spx_rules[SPX_META_MISSING], PP_NOWHERE,
		    "there is no .json of the same name beside it; the metrics have no names");
	}
}

bool
pp_spx_is_json(struct pp_input *in)
{
	const unsigned char *p;

	(void)pp_input_need(in, 64);
	for (p = in->cur; p < in->end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'); p++)
		;
	return p < in->end && *p == '{';
}

static pp_status
spx_read(struct pp_reader *r, struct pp_builder *b)
{
	struct spx_meta meta = { 0 };
	pp_status status;

	if (pp_spx_is_json(r->in)) {
		status = read_from_json(r, b, &meta);
	} else {
		read_json_beside(r, b, &meta);
		status = pp_spx_body_read(r, r->in, b, &meta);
	}
	pp_vec_release(&meta.keys);
	return status;
}
