/*
 * Makes folded stacks that look like those of a large program:  gen_folded MEGABYTES REPEAT_PERCENT [SEED]
 *
 * A random call graph of 24,000 functions with names as C, C++, Rust, Java and kernels have them; each
 * calls up to twelve others, the first far more often than the last, so stacks share their upper part
 * and part further down. Depth is about 29. REPEAT_PERCENT of the lines repeat one of the last 65,536.
 * The same arguments give the same bytes.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 24000, CALLEES = 12, DEEPEST = 120, RECENT = 65536, ROOTS = 16, NAME_MAX = 96 };

static const char *const words[] = {
	"get",    "set",     "read",   "write",  "page",   "cache",  "node",   "tree",
	"alloc",  "free",    "lock",   "queue",  "work",   "sched",  "task",   "parse",
	"token",  "buffer",  "stream", "file",   "open",   "hash",   "map",    "find",
	"insert", "sort",    "merge",  "split",  "copy",   "handle", "event",  "poll",
	"wake",   "timer",   "sock",   "send",   "recv",   "inode",  "entry",  "fault",
	"zone",   "scan",    "encode", "decode", "value",  "object", "vector", "iter",
	"next",   "compute", "update", "render", "layout", "paint",  "visit",  "emit"
};
#define WORDS (sizeof words / sizeof *words)

struct function {
	char name[NAME_MAX];
	size_t length;
	uint32_t callees[CALLEES];
	uint32_t callee_count;
};

struct line {
	char *bytes;
	size_t length;
};

static uint64_t state;

static uint64_t
random_next(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static double
random_unit(void)
{
	return (double)(random_next() >> 11) / 9007199254740992.0;
}

static const char *
word(void)
{
	return words[random_next() % WORDS];
}

/* Unlike each other by the number at the end, like each other in shape. */
static void
function_name(struct function *f, unsigned number)
{
	int n;

	switch (random_next() % 10) {
	case 0:
		n = snprintf(f->name, NAME_MAX, "%s::%s_%s<%s, %u>::%s", word(), word(), word(),
		             word(), number % 64, word());
		break;
	case 1:
		n = snprintf(f->name, NAME_MAX, "<%s::%s as %s::%s>::%s%u", word(), word(), word(),
		             word(), word(), number);
		break;
	case 2:
		n = snprintf(f->name, NAME_MAX, "Lorg/%s/%s:::%s%u", word(), word(), word(),
		             number);
		break;
	case 3:
	case 4:
		n = snprintf(f->name, NAME_MAX, "%s_%s_%u_[k]", word(), word(), number);
		break;
	default:
		n = snprintf(f->name, NAME_MAX, "%s_%s_%u", word(), word(), number);
	}
	f->length = (size_t)n;
}

static struct function *
functions_make(void)
{
	struct function *all = calloc(FUNCTIONS, sizeof *all);
	unsigned i, k;

	for (i = 0; all && i < FUNCTIONS; i++) {
		function_name(&all[i], i);
		all[i].callee_count = 1 + (uint32_t)(random_next() % CALLEES);
		for (k = 0; k < all[i].callee_count; k++)
			all[i].callees[k] = (uint32_t)(random_next() % FUNCTIONS);
	}
	return all;
}

/* One walk down the call graph, written as a stack; returns its length. */
static size_t
stack_write(const struct function *all, char *to)
{
	double sum = 0;
	int depth, i;
	size_t n = 0;
	uint32_t f = (uint32_t)(random_next() % ROOTS);

	for (i = 0; i < 12; i++)
		sum += random_unit();
	depth = (int)(29 + 9 * (sum - 6));
	depth = depth < 3 ? 3 : depth > DEEPEST ? DEEPEST : depth;
	for (i = 0; i < depth; i++) {
		uint64_t choice = random_next();
		uint32_t k = 0;

		if (i)
			to[n++] = ';';
		memcpy(to + n, all[f].name, all[f].length);
		n += all[f].length;
		for (; k + 1 < all[f].callee_count && (choice & 3) == 0; choice >>= 2)
			k++;
		f = all[f].callees[k];
	}
	return n;
}

int
main(int argc, char **argv)
{
	static struct line recent[RECENT];
	static char line[DEEPEST * (NAME_MAX + 1)];
	double target = argc > 1 ? atof(argv[1]) * 1e6 : 1e6, written = 0;
	unsigned repeat = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	struct function *all;
	uint64_t fresh = 0;

	state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	all = functions_make();
	while (all && written < target) {
		struct line *slot = &recent[fresh % RECENT];
		const char *bytes = line;
		size_t n;

		if (fresh > 64 && random_next() % 100 < repeat) {
			slot = &recent[random_next() % (fresh < RECENT ? fresh : RECENT)];
			bytes = slot->bytes;
			n = slot->length;
		} else {
			n = stack_write(all, line);
			if (repeat) {
				free(slot->bytes);
				slot->bytes = malloc(n);
				if (!slot->bytes)
					return 1;
				memcpy(slot->bytes, line, n);
				slot->length = n;
			}
			fresh++;
		}
		fwrite(bytes, 1, n, stdout);
		written += (double)n + printf(" %.0f\n", floor(pow(1 - random_unit(), -0.9)));
	}
	return all && fflush(stdout) == 0 ? 0 : 1;
}
