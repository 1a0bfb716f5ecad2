/*
 * Writes an Xdebug 3 profile of about the given size to standard output: gen_xdebug MB
 *
 * The calls are those of a request loop: many small functions, a tree of objects now and then, recursion.
 * Records are written when calls return, as Xdebug does, with ids for names.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t written, random_state = 1;
static int known[64], known_files[3];

static const char *const names[] = { "{main}",     "l_round",     "l_hash", "php::md5",
	                             "l_len",      "php::substr", "l_tree", "LNode->__construct",
	                             "LNode->add", "LNode->sum",  "l_fib" };

struct cost {
	unsigned time, memory;
};

static unsigned
draw(unsigned below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % below;
}

static int
is_internal(int func)
{
	return func == 3 || func == 5;
}

static void
put_place(const char *prefix, int func)
{
	int file = is_internal(func) ? 1 : 2;

	if (known_files[file])
		written += (uint64_t)printf("%sfl=(%d)\n", prefix, file);
	else
		written += (uint64_t)printf("%sfl=(%d) %s\n", prefix, file,
		                            file == 1 ? "php:internal" : "/app/load.php");
	known_files[file] = 1;
	if (known[func])
		written += (uint64_t)printf("%sfn=(%d)\n", prefix, func + 1);
	else
		written += (uint64_t)printf("%sfn=(%d) %s\n", prefix, func + 1, names[func]);
	known[func] = 1;
}

struct list {
	int func[32];
	struct cost cost[32];
	int n;
};

static struct cost
put_record(int func, const struct list *calls)
{
	struct cost own = { draw(200) + 5, draw(4) ? 0 : draw(400) }, sum = own;
	int i;

	put_place("", func);
	written += (uint64_t)printf("%d %u %u\n", func + 2, own.time, own.memory);
	for (i = 0; i < calls->n; i++) {
		put_place("c", calls->func[i]);
		written += (uint64_t)printf("calls=1 0 0\n%d %u %u\n", func + 3,
		                            calls->cost[i].time, calls->cost[i].memory);
		sum.time += calls->cost[i].time;
		sum.memory += calls->cost[i].memory;
	}
	written += (uint64_t)printf("\n");
	return sum;
}

static struct cost call(int func, int depth);

static void
add(struct list *list, int func, int depth)
{
	list->func[list->n] = func;
	list->cost[list->n++] = call(func, depth);
}

static struct cost
call(int func, int depth)
{
	struct list list = { .n = 0 };
	int i;

	switch (func) {
	case 1: /* l_round */
		add(&list, 2, 0);
		add(&list, 4, 0);
		if (draw(50) == 0) {
			add(&list, 6, 4);
			add(&list, 9, 4);
		}
		if (draw(20) == 0)
			add(&list, 10, 9);
		add(&list, 5, 0);
		break;
	case 2:
		add(&list, 3, 0);
		break;
	case 6: /* l_tree */
		add(&list, 7, 0);
		for (i = 0; depth > 0 && i < 3; i++) {
			add(&list, 6, depth - 1);
			add(&list, 8, 0);
		}
		break;
	case 9: /* LNode->sum */
		for (i = 0; depth > 0 && i < 3; i++)
			add(&list, 9, depth - 1);
		break;
	case 10: /* l_fib */
		if (depth > 1) {
			add(&list, 10, depth - 1);
			add(&list, 10, depth - 2);
		}
		break;
	}
	return put_record(func, &list);
}

int
main(int argc, char **argv)
{
	uint64_t size = (uint64_t)((argc > 1 ? atof(argv[1]) : 100) * 1e6);
	struct cost *rounds = NULL, sum = { 500, 0 };
	size_t n = 0, cap = 0, i;

	printf(
	    "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\ncmd: /app/load.php\npart: 1\npositions: line\n\n"
	    "events: Time_(10ns) Memory_(bytes)\n\n");
	while (written + n * 40 < size) {
		if (n == cap &&
		    !(rounds = realloc(rounds, (cap = cap * 2 + 1024) * sizeof *rounds)))
			return 1;
		rounds[n++] = call(1, 0);
	}
	put_place("", 0);
	printf("1 500 0\n");
	for (i = 0; i < n; i++) {
		put_place("c", 1);
		printf("calls=1 0 0\n11 %u %u\n", rounds[i].time, rounds[i].memory);
		sum.time += rounds[i].time;
	}
	printf("\nsummary: %u 400000\n\n", sum.time);
	return ferror(stdout) != 0;
}
