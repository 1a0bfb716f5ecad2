/*
 * The least that a program must do to add up a NYTProf file: inflate it, walk over its records, add ticks
 * and counts of lines, count the returns of each sub. No diagnostics, no checks, no names bound: a measure
 * for what polyprof's care costs.  bare_nytprof FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FIDS = 64, LINES = 1 << 16, SUBS = 1 << 12 };

static uint64_t hits[FIDS][LINES];
static int64_t ticks[FIDS][LINES];
static struct {
	uint64_t hash, calls;
	double own;
} subs[SUBS];
static uint64_t records;

static const unsigned char *
uint_take(const unsigned char *p, uint32_t *v)
{
	uint32_t d = *p++;
	int more = d < 0x80 ? 0 : d < 0xc0 ? 1 : d < 0xe0 ? 2 : d < 0xff ? 3 : 4;

	*v = more == 0 ? d : more == 1 ? d & 0x3f : more == 2 ? d & 0x1f : more == 3 ? d & 0x0f : 0;
	while (more--)
		*v = *v << 8 | *p++;
	return p;
}

static const unsigned char *
string_skip(const unsigned char *p)
{
	uint32_t n;

	p = uint_take(p + 1, &n);
	return p + n;
}

static const unsigned char *
return_take(const unsigned char *p)
{
	uint32_t n, i;
	uint64_t hash = 1469598103934665603u;
	double own;

	p = uint_take(p, &n);
	memcpy(&own, p + 8, sizeof own);
	p = uint_take(p + 17, &n);
	for (i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 1099511628211u;
	for (i = (uint32_t)(hash >> 20) % SUBS; subs[i].hash && subs[i].hash != hash;
	     i = (i + 1) % SUBS)
		;
	subs[i].hash = hash;
	subs[i].calls++;
	subs[i].own += own;
	return p + n;
}

/* Walks over whole records; returns where it stopped, 64 KiB before the end unless it is the last part. */
static const unsigned char *
walk(const unsigned char *p, const unsigned char *end, int last)
{
	static int discount;
	uint32_t a, b, c;
	int i;

	while (p < end && (last || end - p > 65536)) {
		records++;
		switch (*p++) {
		case '+':
			p = uint_take(uint_take(uint_take(p, &a), &b), &c);
			ticks[b % FIDS][c % LINES] += (int32_t)a;
			hits[b % FIDS][c % LINES] += !discount;
			discount = 0;
			break;
		case '-':
			discount = 1;
			break;
		case '<':
			p = return_take(p);
			break;
		case '@':
			for (i = 0; i < 6; i++)
				p = uint_take(p, &a);
			p = string_skip(p);
			break;
		case 'S':
			p = string_skip(uint_take(uint_take(p, &a), &b));
			break;
		case 's':
			p = uint_take(uint_take(string_skip(uint_take(p, &a)), &b), &c);
			break;
		case 'c':
			p = string_skip(uint_take(uint_take(p, &a), &b));
			p = uint_take(p, &a) + 24;
			p = string_skip(uint_take(p, &a));
			break;
		case 'P':
			p = uint_take(uint_take(p, &a), &b) + 8;
			break;
		case 'p':
			p = uint_take(p, &a) + 8;
			break;
		case '>':
			p = uint_take(uint_take(p, &a), &b);
			break;
		case ':':
		case '!':
		case '#':
			p = (const unsigned char *)memchr(p, '\n', (size_t)(end - p)) + 1;
			break;
		default:
			exit(1);
		}
	}
	return p;
}

int
main(int argc, char **argv)
{
	static unsigned char in[1 << 16], out[(1 << 20) + 65536];
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	z_stream z = { 0 };
	size_t kept = 0;
	int c, deflated = 0;

	if (!file)
		return 2;
	while ((c = getc(file)) == 'N' || c == '#' || c == ':' || c == '!')
		while ((c = getc(file)) != '\n' && c != EOF)
			;
	deflated = c == 'z';
	if (!deflated)
		out[kept++] = (unsigned char)c;
	inflateInit(&z);
	for (;;) {
		const unsigned char *done;
		int last = 0;

		if (deflated) {
			z.next_out = out + kept;
			z.avail_out = (unsigned)(sizeof out - kept);
			while (z.avail_out && !last) {
				if (!z.avail_in) {
					z.avail_in = (unsigned)fread(in, 1, sizeof in, file);
					z.next_in = in;
					last = z.avail_in == 0;
				}
				last |= inflate(&z, Z_NO_FLUSH) == Z_STREAM_END;
			}
			kept = sizeof out - z.avail_out;
		} else {
			size_t n = fread(out + kept, 1, sizeof out - kept, file);

			kept += n;
			last = n == 0 || feof(file);
		}
		done = walk(out, out + kept, last);
		kept -= (size_t)(done - out);
		memmove(out, done, kept);
		if (last)
			break;
	}
	printf("%llu records\n", (unsigned long long)records);
	return 0;
}
