/*
 * Makes a file of the JSON family or a small format:  gen_web KIND MB [STYLE] [SEED]
 *
 * KIND is one of the table at the end. A walk over a call graph of 5000 functions, each calling up to
 * four others, the first far more often than the last, keeps near a depth of 12, so there are some
 * hundred thousand distinct stacks. The letters of STYLE change what is written, not what it means, but
 * for `w`:
 *
 *   b  blanks and line breaks between all tokens of JSON, as pretty printers set them
 *   o  the keys in another order; tables after what points into them
 *   d  arguments of events nest
 *   f  times with fractions
 *   t  process and thread numbers as text
 *   w  any function calls any other: nearly every stack is a new one
 *
 * The same arguments give the same bytes.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 5000, CALLEES = 4, DEEPEST = 60, THREADS = 8 };

struct walk {
	int stack[DEEPEST];
	int64_t begun[DEEPEST];
	int depth;
	int64_t now;
};

static struct {
	uint64_t random, written, limit;
	bool blanks, order, deep, fractions, texts, wide;
	bool quoted; /* within a text of the JSON that is written with blanks */
	int indent;
	int callee[FUNCTIONS][CALLEES];
	char name[FUNCTIONS][40];
} g;

static uint32_t
next_random(void)
{
	g.random ^= g.random << 13;
	g.random ^= g.random >> 7;
	g.random ^= g.random << 17;
	return (uint32_t)(g.random >> 20);
}

static int
below(int n)
{
	return (int)(next_random() % (uint32_t)n);
}

static void
put_bytes(const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, stdout);
	g.written += size;
}

static void
put_byte(int c)
{
	putchar(c);
	g.written++;
}

/* JSON with blanks: a line for each item, a blank after each colon. */
static void
put_pretty(const char *text)
{
	for (; *text; text++) {
		char c = *text;

		if (c == '"')
			g.quoted = !g.quoted;
		if (g.quoted || c == '"' || c == '\n') {
			put_byte(c);
			continue;
		}
		if (c == '}' || c == ']')
			g.indent -= 2;
		if (c == '}' || c == ']') {
			put_byte('\n');
			for (int i = 0; i < g.indent; i++)
				put_byte(' ');
		}
		put_byte(c);
		if (c == '{' || c == '[')
			g.indent += 2;
		if (c == ':')
			put_byte(' ');
		if (c == '{' || c == '[' || c == ',') {
			put_byte('\n');
			for (int i = 0; i < g.indent; i++)
				put_byte(' ');
		}
	}
}

static void __attribute__((format(printf, 1, 2))) put(const char *format, ...)
{
	char text[4096];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= sizeof(text))
		exit(1);
	if (g.blanks)
		put_pretty(text);
	else
		put_bytes(text, (size_t)n);
}

static void
graph_make(void)
{
	static const char *const areas[] = { "app", "net", "gfx", "std" };
	static const char *const verbs[] = { "parse", "run", "flush", "visit", "emit" };

	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(g.name[i], sizeof(g.name[i]), "%s::%sNode%d<%d>", areas[below(4)],
		         verbs[below(5)], i, i % 7);
		for (int k = 0; k < CALLEES; k++)
			g.callee[i][k] = below(FUNCTIONS);
	}
}

/* The function that is called next: of the graph, the first in three cases of four. */
static int
callee_choose(const struct walk *w)
{
	uint32_t r = next_random() & 127;

	if (g.wide)
		return below(FUNCTIONS);
	return w->depth == 0 ? 0
	                     : g.callee[w->stack[w->depth - 1]][r < 96    ? 0
	                                                        : r < 118 ? 1
	                                                        : r < 126 ? 2
	                                                                  : 3];
}

static bool
more(void)
{
	return g.written < g.limit;
}

/* One step: a call (true) or a return (false), of the function that is returned. When enough is written,
 * all that is left are returns. */
static bool
walk_step(struct walk *w, int *function, int64_t *begun)
{
	w->now += 1 + below(40);
	if (w->depth > 0 && (!more() || w->depth == DEEPEST || below(24) < w->depth)) {
		w->depth--;
		*function = w->stack[w->depth];
		*begun = w->begun[w->depth];
		return false;
	}
	*function = callee_choose(w);
	*begun = w->now;
	w->stack[w->depth] = *function;
	w->begun[w->depth++] = w->now;
	return true;
}

static void
walk_sample(struct walk *w)
{
	int function;
	int64_t begun;

	for (int i = 0; i < 4 || w->depth == 0; i++)
		walk_step(w, &function, &begun);
}

/* A number with the decimals that STYLE asks for. */
static const char *
decimal(int64_t value)
{
	static char text[4][32];
	static int turn;
	char *place = text[turn++ % 4];

	if (g.fractions)
		snprintf(place, 32, "%" PRId64 ".%03d", value, below(1000));
	else
		snprintf(place, 32, "%" PRId64, value);
	return place;
}

/* --- speedscope --- */

static void
speedscope_frames(void)
{
	put("\"shared\":{\"frames\":[");
	for (int i = 0; i < FUNCTIONS; i++)
		put("%s{\"name\":\"%s\",\"file\":\"/srv/sample/src/%d.c\",\"line\":%d}",
		    i ? "," : "", g.name[i], i % 90, i + 1);
	put("]}");
}

static void
speedscope_open(const char *type)
{
	put("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"name\":\"big\",");
	if (!g.order) {
		speedscope_frames();
		put(",");
	}
	put("\"profiles\":[{\"type\":\"%s\",\"name\":\"t\",\"unit\":\"microseconds\",", type);
	put("\"startValue\":0,\"endValue\":1000000000000,\"%s\":[",
	    strcmp(type, "sampled") == 0 ? "samples" : "events");
}

static void
speedscope_close(void)
{
	put("]}]");
	if (g.order) {
		put(",");
		speedscope_frames();
	}
	put("}\n");
}

static void
speedscope(void)
{
	struct walk w = { .depth = 0 };
	uint64_t count = 0;

	speedscope_open("sampled");
	while (g.written < g.limit * 93 / 100) {
		walk_sample(&w);
		put("%s[", count++ ? "," : "");
		for (int i = 0; i < w.depth; i++)
			put("%s%d", i ? "," : "", w.stack[i]);
		put("]");
	}
	put("],\"weights\":[");
	for (uint64_t i = 0; i < count; i++)
		put("%s%s", i ? "," : "", decimal(1 + below(2000)));
	speedscope_close();
}

static void
speedscope_evented(void)
{
	struct walk w = { .depth = 0 };
	bool first = true;

	speedscope_open("evented");
	while (more() || w.depth > 0) {
		int function;
		int64_t begun;
		bool call = walk_step(&w, &function, &begun);

		put("%s", first ? "" : ",");
		first = false;
		if (g.order)
			put("{\"at\":%s,\"frame\":%d,\"type\":\"%c\"}", decimal(w.now), function,
			    call ? 'O' : 'C');
		else
			put("{\"type\":\"%c\",\"frame\":%d,\"at\":%s}", call ? 'O' : 'C', function,
			    decimal(w.now));
	}
	speedscope_close();
}

/* --- trace events --- */

static const char *
arguments(int function)
{
	static char text[400];

	if (g.deep)
		snprintf(
		    text, sizeof(text),
		    ",\"args\":{\"data\":{\"frame\":\"0x%x\",\"nodes\":[{\"id\":%d,\"at\":[1,2,3]},{}],"
		    "\"url\":\"https://example.org/a?b=\\\"%d\\\"\",\"deep\":{\"a\":{\"b\":{\"c\":[[[]]]}}}}}",
		    (unsigned)function, function, function);
	else
		snprintf(text, sizeof(text), ",\"args\":{\"n\":%d}", function);
	return text;
}

static void
event_put(char phase, int thread, int function, int64_t at, int64_t lasts)
{
	const char *quote = g.texts ? "\"" : "";
	char place[80], duration[48] = "";

	snprintf(place, sizeof(place), "\"pid\":%s1%s,\"tid\":%s%d%s", quote, quote, quote, thread,
	         quote);
	if (phase == 'X')
		snprintf(duration, sizeof(duration), ",\"dur\":%s", decimal(lasts));
	if (g.order)
		put(",\n{\"name\":\"%s\",\"cat\":\"sample,bench\"%s,\"ts\":%s%s,%s,\"ph\":\"%c\"}",
		    g.name[function], phase == 'E' ? "" : arguments(function), decimal(at),
		    duration, place, phase);
	else
		put(",\n{\"ph\":\"%c\",%s,\"ts\":%s%s,\"cat\":\"sample,bench\",\"name\":\"%s\"%s}",
		    phase, place, decimal(at), duration, g.name[function],
		    phase == 'E' ? "" : arguments(function));
}

static void
trace_step(struct walk *w, int thread, bool complete)
{
	int function;
	int64_t begun;
	bool call = walk_step(w, &function, &begun);

	if (!complete)
		event_put(call ? 'B' : 'E', thread, function, w->now, 0);
	else if (!call)
		event_put('X', thread, function, begun, w->now - begun);
}

static void
trace(bool complete)
{
	struct walk walks[THREADS] = { { .depth = 0 } };

	put("{\"traceEvents\":[\n"
	    "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"p\"}}");
	while (more()) {
		int thread = below(THREADS);

		for (int i = 0; i < 200; i++)
			trace_step(&walks[thread], thread + 1, complete);
	}
	for (int thread = 0; thread < THREADS; thread++)
		while (walks[thread].depth > 0)
			trace_step(&walks[thread], thread + 1, complete);
	put("\n],\"displayTimeUnit\":\"ms\"}\n");
}

static void
trace_x(void)
{
	trace(true);
}

static void
trace_be(void)
{
	trace(false);
}

/* --- V8: a tree of nodes, each below one of the 400 before it --- */

static void
node_frame(int number)
{
	int k = number % FUNCTIONS;

	put("\"callFrame\":{\"functionName\":\"%s\",\"scriptId\":%s%d%s,\"url\":\"file:///srv/sample/src/%d.js\","
	    "\"lineNumber\":%d,\"columnNumber\":%d}",
	    number ? g.name[k] : "(root)", g.texts ? "" : "\"", k % 90, g.texts ? "" : "\"", k % 90,
	    number ? k * 3 : -1, number ? k % 40 : -1);
}

static int *
parents_make(int count, int reach)
{
	int *parent = malloc(sizeof(*parent) * (size_t)count);

	if (!parent)
		exit(1);
	parent[0] = 0;
	for (int i = 1; i < count; i++)
		parent[i] = i - 1 - below(i < reach ? i : reach);
	return parent;
}

/* The children of each node, one after the other: those of i begin at first[i]. */
static int *
children_make(const int *parent, int count, int **first)
{
	int *list = malloc(sizeof(*list) * (size_t)count);
	int *begin = calloc((size_t)count + 2, sizeof(*begin));

	if (!list || !begin)
		exit(1);
	for (int i = 1; i < count; i++)
		begin[parent[i] + 2]++;
	for (int i = 1; i < count + 2; i++)
		begin[i] += begin[i - 1];
	for (int i = 1; i < count; i++)
		list[begin[parent[i] + 1]++] = i;
	*first = begin;
	return list;
}

/* A tree of nodes from the top down: what opens node i, at what depth and with how many below it, and what closes each. */
struct nesting {
	void (*open)(int i, int count, int depth, int below);
	const char *between, *close;
};

static void
nodes_nest(int count, const struct nesting *n)
{
	int *parent = parents_make(count, count / 20 + 1), *first;
	int *list = children_make(parent, count, &first), *at = malloc(sizeof(*at) * (size_t)count);
	int i = 0, depth = 0;

	if (!at)
		exit(1);
	memcpy(at, first, sizeof(*at) * (size_t)count);
	for (;;) {
		/* A leaf would begin again: nothing comes back to it. */
		if (at[i] == first[i])
			n->open(i, count, depth, first[i + 1] - first[i]);
		if (at[i] < first[i + 1]) {
			put("%s", at[i] == first[i] ? "" : n->between);
			i = list[at[i]++];
			depth++;
			continue;
		}
		put("%s", n->close);
		if (i == 0)
			break;
		i = parent[i];
		depth--;
	}
	free(parent);
	free(first);
	free(list);
	free(at);
}

static void
cpuprofile_nodes(int count)
{
	int *parent = parents_make(count, 400), *first,
	    *list = children_make(parent, count, &first);

	put("\"nodes\":[");
	for (int i = 0; i < count; i++) {
		put("%s{", i ? "," : "");
		if (g.order) {
			node_frame(i);
			put(",\"id\":%d", i + 1);
			if (i)
				put(",\"parent\":%d", parent[i] + 1);
		} else {
			put("\"id\":%d,", i + 1);
			node_frame(i);
			put(",\"hitCount\":1");
			for (int k = first[i]; k < first[i + 1]; k++)
				put("%s%d", k == first[i] ? ",\"children\":[" : ",", list[k] + 1);
			if (first[i] < first[i + 1])
				put("]");
		}
		put("}");
	}
	put("]");
	free(parent);
	free(first);
	free(list);
}

static void
cpuprofile_samples(int count, uint64_t samples)
{
	put("\"startTime\":1000000,\"endTime\":%" PRIu64 ",\"samples\":[", 1000000 + 130 * samples);
	for (uint64_t i = 0; i < samples; i++)
		put("%s%d", i ? "," : "", 1 + below(count));
	put("],\"timeDeltas\":[");
	for (uint64_t i = 0; i < samples; i++)
		put("%s%d", i ? "," : "", 90 + below(80));
	put("]");
}

/* A third nodes, two thirds samples and times; few nodes unless every stack is to be a new one. */
static void
cpuprofile(void)
{
	int count = g.wide ? (int)(g.limit / 3 / 190) : 20000;
	uint64_t nodes = (uint64_t)count * 190;
	uint64_t samples = g.limit > nodes ? (g.limit - nodes) / (g.wide ? 12 : 10) : 1000;

	count = count < 1000 ? 1000 : count;
	put("{");
	if (!g.order) {
		cpuprofile_nodes(count);
		put(",");
	}
	cpuprofile_samples(count, samples);
	if (g.order) {
		put(",");
		cpuprofile_nodes(count);
	}
	put("}\n");
}

/* The same in a trace: a Profile and chunks of nodes and samples. */
static void
trace_chunks(void)
{
	int node = 0;

	put("{\"traceEvents\":[\n{\"ph\":\"P\",\"pid\":1,\"tid\":1,\"ts\":1,\"id\":\"0x1\",\"cat\":\"v8\",\"name\":\"Profile\","
	    "\"args\":{\"data\":{\"startTime\":1}}}");
	while (more()) {
		put(",\n{\"ph\":\"P\",\"pid\":1,\"tid\":2,\"ts\":%" PRIu64
		    ",\"id\":\"0x1\",\"cat\":\"v8\","
		    "\"name\":\"ProfileChunk\",\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[",
		    g.written);
		for (int i = 0; node < 20000 && i < 20; i++, node++) {
			put("%s{\"id\":%d,", i ? "," : "", node + 1);
			node_frame(node);
			if (node)
				put(",\"parent\":%d", 1 + below(node));
			put("}");
		}
		put("],\"samples\":[");
		for (int i = 0; i < 200; i++)
			put("%s%d", i ? "," : "", 1 + below(node));
		put("]},\"timeDeltas\":[");
		for (int i = 0; i < 200; i++)
			put("%s%d", i ? "," : "", 90 + below(80));
		put("]}}}");
	}
	put("\n]}\n");
}

static void
heapprofile_open(int i, int count, int depth, int nodes_below)
{
	(void)count, (void)depth, (void)nodes_below;
	put("{");
	node_frame(i);
	put(",\"selfSize\":%d,\"id\":%d,\"children\":[", below(9000), i + 1);
}

static void
heapprofile(void)
{
	put("{\"head\":");
	nodes_nest((int)(g.limit / 190), &(struct nesting){ heapprofile_open, ",", "]}" });
	put(",\"samples\":[]}\n");
}

/* --- Firefox --- */

static void
column(const char *key, int count, const char *value)
{
	put(",\"%s\":[", key);
	for (int i = 0; i < count; i++)
		put("%s%s", i ? "," : "", value);
	put("]");
}

static void
numbers(const char *key, int count)
{
	put(",\"%s\":[", key);
	for (int i = 0; i < count; i++)
		put("%s%d", i ? "," : "", i);
	put("]");
}

static void
firefox_strings(void)
{
	put("\"stringArray\":[");
	for (int i = 0; i < FUNCTIONS; i++)
		put("%s\"%s\"", i ? "," : "", g.name[i]);
	put("]");
}

static void
firefox_stacks(int stacks)
{
	int *parent = parents_make(stacks, 300);

	put("\"stackTable\":{\"length\":%d,\"frame\":[", stacks);
	for (int i = 0; i < stacks; i++)
		put("%s%d", i ? "," : "", below(FUNCTIONS));
	put("],\"prefix\":[null");
	for (int i = 1; i < stacks; i++)
		put(",%d", parent[i]);
	put("]}");
	free(parent);
}

static void
firefox_tables(int stacks, bool shared)
{
	int n = FUNCTIONS;

	firefox_strings();
	if (shared)
		put(",\"sources\":{\"length\":0,\"uuid\":[],\"filename\":[]}");
	put(",\"resourceTable\":{\"length\":0,\"name\":[],\"host\":[],\"type\":[],\"lib\":[]},"
	    "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]},"
	    "\"funcTable\":{\"length\":%d",
	    n);
	numbers("name", n);
	column("isJS", n, "false");
	column("relevantForJS", n, "false");
	column("resource", n, "-1");
	column(shared ? "source" : "fileName", n, "null");
	column("lineNumber", n, "null");
	column("columnNumber", n, "null");
	put("},\"frameTable\":{\"length\":%d", n);
	column("address", n, "-1");
	column("inlineDepth", n, "0");
	column("category", n, "0");
	column("subcategory", n, "0");
	numbers("func", n);
	column("nativeSymbol", n, "null");
	column("innerWindowID", n, "0");
	column("line", n, "null");
	column("column", n, "null");
	put("},");
	firefox_stacks(stacks);
}

static void
firefox_samples(int stacks, uint64_t count, const char *times)
{
	int64_t at = 0;

	put("\"samples\":{\"length\":%" PRIu64
	    ",\"weight\":null,\"weightType\":\"samples\",\"stack\":[",
	    count);
	for (uint64_t i = 0; i < count; i++)
		put("%s%d", i ? "," : "", below(stacks));
	put("],\"%s\":[", times);
	for (uint64_t i = 0; i < count; i++) {
		at = strcmp(times, "time") == 0 ? at + 1 : 1;
		put("%s%" PRId64 ".%03d", i ? "," : "", at, below(1000));
	}
	put("]}");
}

static void
firefox_version(int version)
{
	int stacks = g.wide ? (int)(g.limit / 3 / 16) : 100000;
	uint64_t tables = (uint64_t)stacks * 12;
	uint64_t count = g.limit > tables ? (g.limit - tables) / (version < 60 ? 18 : 13) : 1000;
	bool shared = version >= 60;

	put("{\"meta\":{\"interval\":1,\"startTime\":0,\"processType\":0,\"product\":\"p\",\"stackwalk\":1,"
	    "\"version\":29,\"preprocessedProfileVersion\":%d,\"categories\":[{\"name\":\"Other\","
	    "\"color\":\"grey\",\"subcategories\":[\"Other\"]}],\"markerSchema\":[]},\"libs\":[],",
	    version);
	if (shared && !g.order) {
		put("\"shared\":{");
		firefox_tables(stacks, true);
		put("},");
	}
	put("\"threads\":[{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
	    "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"name\":\"GeckoMain\","
	    "\"isMainThread\":true,\"pid\":\"1\",\"tid\":1,\"markers\":{\"length\":0,\"data\":[],\"name\":[],"
	    "\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]},");
	if (!shared && !g.order) {
		firefox_tables(stacks, false);
		put(",");
	}
	firefox_samples(stacks, count, shared ? "timeDeltas" : "time");
	if (!shared && g.order) {
		put(",");
		firefox_tables(stacks, false);
	}
	put("}]");
	if (shared && g.order) {
		put(",\"shared\":{");
		firefox_tables(stacks, true);
		put("}");
	}
	put("}\n");
}

static void
firefox(void)
{
	firefox_version(60);
}

static void
firefox47(void)
{
	firefox_version(47);
}

static void
gecko(void)
{
	int stacks = g.wide ? (int)(g.limit / 3 / 16) : 100000, *parent = parents_make(stacks, 300);
	int64_t at = 0;

	put("{\"meta\":{\"interval\":1,\"startTime\":0,\"processType\":0,\"product\":\"p\",\"stackwalk\":1,"
	    "\"version\":29,\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],"
	    "\"markerSchema\":[]},\"libs\":[],\"pages\":[],\"processes\":[],\"threads\":[{\"name\":\"GeckoMain\","
	    "\"processType\":\"default\",\"tid\":1,\"pid\":1,\"registerTime\":0,\"unregisterTime\":null,"
	    "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5},"
	    "\"data\":[]},\"stringTable\":[");
	for (int i = 0; i < FUNCTIONS; i++)
		put("%s\"%s\"", i ? "," : "", g.name[i]);
	put("],\"frameTable\":{\"schema\":{\"location\":0,\"relevantForJS\":1,\"innerWindowID\":2,"
	    "\"implementation\":3,\"line\":4,\"column\":5,\"category\":6,\"subcategory\":7},\"data\":[");
	for (int i = 0; i < FUNCTIONS; i++)
		put("%s[%d,false,0,null,null,null,0,0]", i ? "," : "", i);
	put("]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[");
	for (int i = 0; i < stacks; i++)
		if (i)
			put(",[%d,%d]", parent[i], below(FUNCTIONS));
		else
			put("[null,0]");
	put("]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2},\"data\":[");
	for (bool first = true; more(); first = false)
		put("%s[%d,%" PRId64 ".%03d,0.05]", first ? "" : ",", below(stacks), ++at,
		    below(1000));
	put("]}}]}\n");
	free(parent);
}

/* --- PHP: all distinct calls of a larger graph, as many as fill the file --- */

static void
edge_names(uint64_t number, const char *gap, char *text, size_t size)
{
	uint64_t turn = number - 1, caller = turn / 8,
	         callee = caller + 1 + turn % 8 * (turn % 8) * 11;

	if (number == 0)
		snprintf(text, size, "main()==>App%sModel%sItem0::method0", gap, gap);
	else
		snprintf(
		    text, size,
		    "App%sModel%sItem%d::method%" PRIu64 "==>App%sModel%sItem%d::method%" PRIu64,
		    gap, gap, (int)(caller % 90), caller, gap, gap, (int)(callee % 90), callee);
}

static void
xhprof(void)
{
	char key[160];
	int c = 0;

	put("{\"main()\":{\"ct\":1,\"wt\":1000000000,\"cpu\":900000000,\"mu\":1000000,\"pmu\":1000000}");
	for (uint64_t i = 0; more(); i++) {
		edge_names(i, "\\\\", key, sizeof(key));
		c = below(100000);
		if (g.order)
			put(",\"%s\":{\"pmu\":%d,\"mu\":%d,\"cpu\":%d,\"wt\":%d,\"ct\":%d}", key,
			    c / 7, c / 5, c, c + 9, c % 9 + 1);
		else
			put(",\"%s\":{\"ct\":%d,\"wt\":%d,\"cpu\":%d,\"mu\":%d,\"pmu\":%d}", key,
			    c % 9 + 1, c + 9, c, c / 5, c / 7);
	}
	put("}\n");
}

static void
xhprof_serialized(void)
{
	uint64_t count = g.limit / 145;
	char key[160];

	put("a:%" PRIu64
	    ":{s:6:\"main()\";a:5:{s:2:\"ct\";i:1;s:2:\"wt\";i:1000000000;s:3:\"cpu\";i:900000000;"
	    "s:2:\"mu\";i:1000000;s:3:\"pmu\";i:1000000;}",
	    count + 1);
	for (uint64_t i = 0; i < count; i++) {
		int c = below(100000);

		edge_names(i, "\\", key, sizeof(key));
		put("s:%zu:\"%s\";a:5:{s:2:\"ct\";i:%d;s:2:\"wt\";i:%d;s:3:\"cpu\";i:%d;s:2:\"mu\";i:%d;"
		    "s:3:\"pmu\";i:%d;}",
		    strlen(key), key, c % 9 + 1, c + 9, c, c / 5, c / 7);
	}
	put("}");
}

/* --- Ruby --- */

static void
stackprof_frames(void)
{
	put("\"frames\":{");
	for (int i = 0; i < FUNCTIONS; i++)
		put("%s\"%d\":{\"name\":\"%s\",\"file\":\"/srv/app/%d.rb\",\"line\":%d,\"total_samples\":1,\"samples\":1}",
		    i ? "," : "", 94000000 + i * 40, g.name[i], i % 90, i + 1);
	put("}");
}

static void
stackprof(void)
{
	struct walk w = { .depth = 0 };
	uint64_t count = 0;

	put("{\"version\":1.2,\"mode\":\"wall\",\"interval\":1000,\"samples\":1,\"gc_samples\":0,\"missed_samples\":0,");
	if (!g.order) {
		stackprof_frames();
		put(",");
	}
	put("\"raw\":[");
	for (bool first = true; g.written < g.limit * 95 / 100; first = false) {
		walk_sample(&w);
		put("%s%d", first ? "" : ",", w.depth);
		for (int i = 0; i < w.depth; i++)
			put(",%d", 94000000 + w.stack[i] * 40);
		put(",1");
		count++;
	}
	put("],\"raw_timestamp_deltas\":[");
	for (uint64_t i = 0; i < count; i++)
		put("%s%d", i ? "," : "", 900 + below(200));
	put("]");
	if (g.order) {
		put(",");
		stackprof_frames();
	}
	put("}\n");
}

/* --- Python --- */

static void
marshal_number(char type, uint64_t value, int bytes)
{
	put_byte(type);
	for (int i = 0; i < bytes; i++)
		put_byte((int)(value >> 8 * i & 0xff));
}

static void
marshal_text(const char *text, bool old)
{
	marshal_number(old ? 'u' : 'z', strlen(text), old ? 4 : 1);
	put_bytes(text, strlen(text));
}

/* A function as key. In the newer version its tuple can be referred to; files are, after their first use. */
static void
marshal_key(uint64_t number, bool old)
{
	char text[64];

	marshal_number(old ? '(' : ')', 3, old ? 4 : 1);
	snprintf(text, sizeof(text), "/usr/lib/python3/dist-packages/app/module%d.py",
	         (int)(number % 90));
	if (!old && number >= 90)
		marshal_number('r', number % 90, 4);
	else if (old)
		marshal_text(text, true);
	else {
		marshal_number((char)('z' | 0x80), strlen(text), 1);
		put_bytes(text, strlen(text));
	}
	marshal_number('i', number % 3000 + 1, 4);
	snprintf(text, sizeof(text), "handle_request_%" PRIu64, number);
	marshal_text(text, old);
}

static void
marshal_times(uint64_t number, bool old, int items)
{
	double own = (double)(number % 1000) / 1e6, total = own * 3;
	uint64_t bits;

	marshal_number(old ? '(' : ')', (uint64_t)items, old ? 4 : 1);
	marshal_number('i', number % 50 + 1, 4);
	marshal_number('i', number % 50 + 1, 4);
	memcpy(&bits, &own, 8);
	marshal_number('g', bits, 8);
	memcpy(&bits, &total, 8);
	marshal_number('g', bits, 8);
}

static void
pstats_version(bool old)
{
	put_byte('{');
	for (uint64_t i = 0; more() || i < 90; i++) {
		marshal_key(i, old);
		marshal_times(i, old, 5);
		put_byte('{');
		for (uint64_t k = 0; k < 3 && i >= 90; k++) {
			marshal_key(90 + (i * 7919 + k * 104729) % (i - 89), old);
			marshal_times(i + k, old, 4);
		}
		put_byte('0');
	}
	put_byte('0');
}

static void
pstats2(void)
{
	pstats_version(true);
}

static void
pstats4(void)
{
	pstats_version(false);
}

static void
austin_version(int version)
{
	struct walk w = { .depth = 0 };

	if (version > 1)
		put("# austin: %d.0.0\n# interval: 100\n# mode: wall\n\n", version);
	while (more()) {
		walk_sample(&w);
		if (version == 1)
			put("Thread 7f3a%d", w.depth % 3);
		else
			put("P123;T%s%d", version == 4 ? "0:" : "", 456 + w.depth % 3);
		for (int i = 0; i < w.depth; i++) {
			int f = w.stack[i];

			if (version == 1)
				put(";handle_%d (/srv/app/mod%d.py);L%d", f, f % 90, f % 700 + 1);
			else if (version == 2)
				put(";/srv/app/mod%d.py:handle_%d:%d", f % 90, f, f % 700 + 1);
			else
				put(";/srv/app/mod%d.py:handle_%d:%d:%d:4:30", f % 90, f,
				    f % 700 + 1, f % 700 + 1);
		}
		put(" %d\n", 90 + below(40));
	}
}

static void
austin1(void)
{
	austin_version(1);
}

static void
austin2(void)
{
	austin_version(2);
}

static void
austin4(void)
{
	austin_version(4);
}

static void
mojo_number(int64_t value)
{
	int first = value & 0x3f;

	value >>= 6;
	put_byte(first | (value ? 0x80 : 0));
	for (; value; value >>= 7)
		put_byte((int)(value & 0x7f) | (value >> 7 ? 0x80 : 0));
}

static void
mojo_text(const char *text)
{
	put_bytes(text, strlen(text) + 1);
}

static void
mojo_frames(void)
{
	char text[64];

	for (int i = 0; i < FUNCTIONS; i++) {
		put_byte(11);
		mojo_number(1000 + i);
		mojo_text(g.name[i]);
		put_byte(11);
		mojo_number(10000 + i);
		snprintf(text, sizeof(text), "/srv/app/mod%d.py", i % 90);
		mojo_text(text);
		put_byte(3);
		mojo_number(1 + i);
		mojo_number(10000 + i);
		mojo_number(1000 + i);
		mojo_number(i % 700 + 1);
		mojo_number(i % 700 + 1);
		mojo_number(4);
		mojo_number(30);
	}
}

static void
mojo(void)
{
	struct walk w = { .depth = 0 };

	put_bytes("MOJ\3", 4);
	put_byte(1);
	mojo_text("mode");
	mojo_text("wall");
	for (bool first = true; more(); first = false) {
		put_byte(2);
		mojo_number(123);
		mojo_number(0);
		mojo_text("456");
		if (first)
			mojo_frames();
		walk_sample(&w);
		for (int i = 0; i < w.depth; i++) {
			put_byte(5);
			mojo_number(1 + w.stack[i]);
		}
		put_byte(9);
		mojo_number(90 + below(40));
	}
}

static void
pyinstrument_open(int i, int count, int depth, int nodes_below)
{
	(void)depth, (void)nodes_below;
	put("{\"function\":\"%s\",\"file_path_short\":\"app/m%d.py\",\"file_path\":\"/srv/app/m%d.py\","
	    "\"line_no\":%d,\"time\":%d.%06d,\"await_time\":0.0,\"is_application_code\":true,\"children\":[",
	    g.name[i % FUNCTIONS], i % 90, i % 90, i % 900 + 1, count - i, below(1000000));
}

static void
pyinstrument(void)
{
	put("{\"start_time\":1700000000.5,\"duration\":1.5,\"sample_count\":5,\"program\":\"a.py\",\"cpu_time\":1.0,"
	    "\"root_frame\":");
	nodes_nest((int)(g.limit / 190), &(struct nesting){ pyinstrument_open, ",", "]}" });
	put("}\n");
}

/* --- valgrind --- */

static void
dhat(void)
{
	struct walk w = { .depth = 0 };

	put("{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\",\"bklt\":true,\"bkacc\":false,"
	    "\"tu\":\"instrs\",\"Mtu\":\"Minstr\",\"tuth\":500,\"cmd\":\"./a\",\"pid\":1,\"te\":1000000,\"tg\":500000,"
	    "\"pps\":[");
	for (bool first = true; more(); first = false) {
		int c = 1 + below(100000);

		walk_sample(&w);
		put("%s{\"tb\":%d,\"tbk\":%d,\"tl\":%d,\"mb\":%d,\"mbk\":1,\"gb\":%d,\"gbk\":1,\"eb\":0,\"ebk\":0,\"fs\":[",
		    first ? "" : ",", c * 8, c, c * 3, c, c);
		for (int i = w.depth; i-- > 0;)
			put("%d%s", 1 + w.stack[i], i ? "," : "");
		put("]}");
	}
	put("],\"ftbl\":[\"[root]\"");
	for (int i = 0; i < FUNCTIONS; i++)
		put(",\"0x%X: %s (mod%d.c:%d)\"", 0x401000 + i * 32, g.name[i], i % 90, i + 1);
	put("]}\n");
}

static void
massif_open(int i, int count, int depth, int nodes_below)
{
	put("%*sn%d: %d 0x%X: %s (mod%d.c:%d)\n", depth, "", nodes_below, count - i,
	    0x401000 + i % FUNCTIONS * 32, g.name[i % FUNCTIONS], i % 90, i % 900 + 1);
}

static void
massif(void)
{
	put("desc: --tool=massif\ncmd: ./a\ntime_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=0\n"
	    "mem_heap_B=2000000000\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\n");
	nodes_nest((int)(g.limit / 70), &(struct nesting){ massif_open, "", "" });
}

static const struct {
	const char *name;
	void (*make)(void);
} kinds[] = {
	{ "speedscope", speedscope },
	{ "speedscope-evented", speedscope_evented },
	{ "trace-x", trace_x },
	{ "trace-be", trace_be },
	{ "trace-chunks", trace_chunks },
	{ "cpuprofile", cpuprofile },
	{ "heapprofile", heapprofile },
	{ "firefox", firefox },
	{ "firefox47", firefox47 },
	{ "gecko", gecko },
	{ "xhprof", xhprof },
	{ "xhprof-serialized", xhprof_serialized },
	{ "stackprof", stackprof },
	{ "pstats2", pstats2 },
	{ "pstats4", pstats4 },
	{ "austin1", austin1 },
	{ "austin2", austin2 },
	{ "austin4", austin4 },
	{ "mojo", mojo },
	{ "pyinstrument", pyinstrument },
	{ "dhat", dhat },
	{ "massif", massif },
};

int
main(int argc, char **argv)
{
	const char *style = argc > 3 ? argv[3] : "";

	if (argc < 3)
		return 2;
	g.limit = (uint64_t)(atof(argv[2]) * 1e6);
	g.random = argc > 4 ? strtoull(argv[4], NULL, 10) : 88172645463325252U;
	g.blanks = strchr(style, 'b');
	g.order = strchr(style, 'o');
	g.deep = strchr(style, 'd');
	g.fractions = strchr(style, 'f');
	g.texts = strchr(style, 't');
	g.wide = strchr(style, 'w');
	graph_make();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].make();
			return fflush(stdout) != 0;
		}
	return 2;
}
