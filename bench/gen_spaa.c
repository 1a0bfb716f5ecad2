/*
 * A SPAA file as a long recording gives it: gen_spaa MEGABYTES > FILE
 *
 * Eight threads, three thousand functions at eight thousand places; six bytes of ten are stacks, most of
 * them distinct, the others raw samples of them. The same bytes each time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FUNCS = 3000, FRAMES = 8400, THREADS = 8, DEEPEST = 90 };

static uint64_t state = 88172645463325252u;

static unsigned
draw(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 11) % n);
}

static uint64_t
id_of(uint64_t n)
{
	n = (n + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	return (n ^ n >> 31) * 0x94d049bb133111ebu;
}

static long
print_dictionaries(void)
{
	long written = 0;
	int i;

	written += printf(
	    "{\"type\":\"header\",\"format\":\"spaa\",\"version\":\"1.0\",\"source_tool\":\"perf\","
	    "\"frame_order\":\"leaf_to_root\",\"events\":[{\"name\":\"cpu-clock\",\"kind\":"
	    "\"software\",\"sampling\":{\"mode\":\"frequency\",\"primary_metric\":\"period\","
	    "\"frequency_hz\":999}}],\"time_range\":{\"start\":757.314688,\"end\":817.314688,"
	    "\"unit\":\"seconds\"},\"stack_id_mode\":\"content_addressable\"}\n");
	for (i = 1; i <= 12; i++)
		written += printf(
		    "{\"type\":\"dso\",\"id\":%d,\"name\":\"/opt/engine/lib/lib%d.so.%d\","
		    "\"is_kernel\":false}\n",
		    i, i * 7919 % 1000, i % 5);
	for (i = 1; i <= FRAMES; i++)
		written += printf(
		    "{\"type\":\"frame\",\"id\":%d,\"func\":\"engine::part%d::step_%d(unsigned "
		    "long)\",\"dso\":%d,\"ip\":\"0x%x\",\"symoff\":\"0x%x\",\"kind\":\"user\"}\n",
		    i, i % 40, i % FUNCS, i % 12 + 1, 0x401000 + i * 37, i % 4000);
	for (i = 0; i < THREADS; i++)
		written += printf(
		    "{\"type\":\"thread\",\"pid\":4000,\"tid\":%d,\"comm\":\"worker-%d\"}\n",
		    4000 + i, i);
	return written;
}

static long
print_stack(uint64_t number)
{
	unsigned depth = 4 + draw(24) + draw(12), i, frame = 0;
	unsigned frames[DEEPEST];
	unsigned long long samples = 1 + draw(9);
	long written;

	for (i = 0; i < depth; i++) {
		frame = (frame * 5 + 1 + draw(25)) % FRAMES;
		frames[depth - 1 - i] = frame + 1;
	}
	written = printf("{\"type\":\"stack\",\"id\":\"0x%016llx\",\"frames\":[",
	                 (unsigned long long)id_of(number));
	for (i = 0; i < depth; i++)
		written += printf("%s%u", i ? "," : "", frames[i]);
	for (i = 0; i < 2; i++)
		written += printf(
		    i ? ",\"exclusive\":{\"frame\":%u,\"weights\":[{\"metric\":\"samples\",\"value\":%llu},"
		        "{\"metric\":\"period\",\"value\":%llu,\"unit\":\"events\"}]}}\n"
		      : "],\"context\":{\"event\":\"cpu-clock\",\"pid\":4000,\"tid\":%u},\"weights\":["
		        "{\"metric\":\"samples\",\"value\":%llu},{\"metric\":\"period\",\"value\":%llu,"
		        "\"unit\":\"events\"}]",
		    i ? frames[0] : 4000 + (unsigned)(number % THREADS), samples,
		    samples * 1001001);
	return written;
}

static long
print_sample(uint64_t stacks, uint64_t number)
{
	uint64_t stack = (uint64_t)draw(1 << 20) * draw(1 << 20) / ((uint64_t)1 << 20) * stacks >>
	                 20;

	return printf(
	    "{\"type\":\"sample\",\"timestamp\":%u.%09u,\"pid\":4000,\"tid\":%u,\"cpu\":%u,\"event\":"
	    "\"cpu-clock\",\"period\":1001001,\"stack_id\":\"0x%016llx\"}\n",
	    758 + (unsigned)(number % 59), draw(1000000000), 4000 + (unsigned)(stack % THREADS),
	    draw(16), (unsigned long long)id_of(stack));
}

int
main(int argc, char **argv)
{
	double size = (argc > 1 ? atof(argv[1]) : 100) * 1e6;
	double written = (double)print_dictionaries();
	uint64_t stacks = 0, samples = 0;

	while (written < size * 0.6)
		written += (double)print_stack(stacks++);
	while (written < size)
		written += (double)print_sample(stacks, samples++);
	return fflush(stdout) != 0;
}
