/* Recorded by valgrind during the tests: recursion, a cycle, shared callees. */
#include <stdlib.h>

static volatile unsigned sink;

__attribute__((noinline)) static void
leaf(unsigned n)
{
	while (n--)
		sink += n;
}

__attribute__((noinline)) static unsigned
fib(unsigned n)
{
	leaf(3);
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static unsigned odd(unsigned n);

__attribute__((noinline)) static unsigned
even(unsigned n)
{
	leaf(2);
	return n == 0 ? 1 : odd(n - 1) + 1;
}

__attribute__((noinline)) static unsigned
odd(unsigned n)
{
	return n == 0 ? 0 : even(n - 1) + 1;
}

int
main(void)
{
	sink = fib(9) + even(20);
	leaf(50);
	return 0;
}
