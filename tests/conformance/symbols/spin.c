/* What is recorded in spin.perf.data: functions within others, recursion, and none of any library (see cases.py). */
static unsigned long sum;

static inline unsigned long
mix(unsigned long x)
{
	x ^= x >> 7;
	x *= 0x9e3779b97f4a7c15u;
	return x ^ x >> 11;
}

static inline unsigned long
twice(unsigned long x)
{
	return mix(x) + mix(~x);
}

__attribute__((noinline)) static unsigned long
work(unsigned long n)
{
	unsigned long i, x = n;

	for (i = 0; i < 40000; i++)
		x += twice(x + i);
	return x;
}

__attribute__((noinline)) static unsigned long
descend(unsigned depth, unsigned long x)
{
	volatile unsigned long kept = x;

	if (depth == 0)
		return work(x);
	return descend(depth - 1, x + 1) + kept;
}

__attribute__((used)) static void
run(void)
{
	unsigned i;

	for (i = 0; i < 60; i++)
		sum += descend(i % 5, i);
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
}

/* Nobody called it: that is what ends a stack. */
__asm__(
    ".globl _start\n_start:\n.cfi_startproc\n.cfi_undefined rip\nxor %ebp, %ebp\ncall run\n.cfi_endproc\n");
