/*
 * Names that fit, and what stays of them.
 */
#include "tap.h"

#include <string.h>

#include "text/escape.h"
#include "text/shorten.h"

static void
becomes(const char *name, size_t columns, const char *want)
{
	struct pp_buf out = { 0 };
	size_t wide = pp_name_shorten(&out, name, strlen(name), columns);

	ok(out.n == strlen(want) && (out.n == 0 || memcmp(out.p, want, out.n) == 0),
	   "%s in %zu columns: %s (%.*s)", name, columns, want, (int)out.n, out.p ? out.p : "");
	ok(wide == pp_text_columns(out.p ? out.p : "", out.n) && wide <= columns,
	   "it says how wide");
	pp_buf_release(&out);
}

static void
apart(const char *name, const char *other, size_t columns, const char *want)
{
	struct pp_buf out = { 0 };
	size_t at = 0;
	bool fits;

	while (name[at] && name[at] == other[at])
		at++;
	fits = pp_name_shorten_apart(&out, name, strlen(name), columns, at);
	ok(fits == (*want != '\0') && out.n == strlen(want) &&
	       (out.n == 0 || memcmp(out.p, want, out.n) == 0),
	   "%s beside %s in %zu columns: %s (%.*s)", name, other, columns, want, (int)out.n,
	   out.p ? out.p : "");
	ok(pp_text_columns(out.p ? out.p : "", out.n) <= columns, "it fits");
	pp_buf_release(&out);
}

static void
fitted(enum pp_names how, const char *name, size_t columns, const char *want)
{
	struct pp_buf out = { 0 };
	size_t wide = pp_name_fit(&out, name, strlen(name), columns, how, true);

	ok(out.n == strlen(want) && (out.n == 0 || memcmp(out.p, want, out.n) == 0),
	   "%s in %zu columns as --names %d says: %s (%.*s)", name, columns, (int)how, want,
	   (int)out.n, out.p ? out.p : "");
	ok(wide == pp_text_columns(out.p ? out.p : "", out.n), "it says how wide");
	pp_buf_release(&out);
}

/* Names of random parts, in random room: never wider than that, and as wide as is said. */
static void
check_random(void)
{
	static const char *const parts[] = {
		"f",      "::",       "(",         ")",   "<",        ">",
		" ",      "[clone .", "]",         "'2",  "operator", "->",
		" const", "\\",       "{closure:", "}",   "a.b",      " [clone .isra.0]",
		"(*",     " (a.c)",   "/",         " › ", ".",        "void ",
		"漢",     "…",        " ‹ ",
	};
	uint32_t seed = 1;
	bool fits = true;
	int round;

	for (round = 0; round < 50000 && fits; round++) {
		struct pp_buf name = { 0 }, out = { 0 };
		size_t columns, wide;
		unsigned k, n;

		seed = seed * 1664525 + 1013904223;
		for (k = 0, n = 1 + (seed >> 28); k < n; k++) {
			seed = seed * 1664525 + 1013904223;
			pp_buf_adds(&name, parts[(seed >> 16) % PP_COUNT_OF(parts)]);
		}
		columns = (seed >> 8) % 40;
		wide = pp_name_shorten(&out, name.p, name.n, columns);
		fits = wide <= columns && wide == pp_text_columns(out.p ? out.p : "", out.n);
		out.n = 0;
		pp_name_shorten_middle(&out, name.p, name.n, columns);
		fits &= pp_text_columns(out.p ? out.p : "", out.n) <= columns;
		if (!fits)
			printf("# %.*s in %zu columns\n", (int)name.n, name.p, columns);
		pp_buf_release(&name);
		pp_buf_release(&out);
	}
	ok(fits, "names of random parts fit");
}

int
main(void)
{
	static const char emplace[] =
	    "std::_Rb_tree<int, std::pair<int const, Big>, std::less<int> >::"
	    "_M_emplace_hint_unique<std::pair<int, Big> >(std::_Rb_tree_const_iterator<int>)";

	becomes("short", 5, "short");
	becomes("(compiled code)", 10, "(com…code)");
	becomes("<built-in method builtins.sorted>", 12, "….sorted>");
	becomes("Composer\\Util\\Http\\CurlDownloader::tick", 7, "…::tick");
	becomes("Composer\\Util\\Http\\CurlDownloader::tick", 4, "tick");
	becomes("a::b::\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", 4, "…\xe5\xad\x97");
	becomes("tick ‹ App\\Util\\Http\\Loop::run ‹ middle ‹ main", 30, "tick ‹ … ‹ main");
	becomes("App\\Util\\Http\\CurlDownloader::tick ‹ main", 30, "…\\CurlDownloader::tick ‹ …");
	apart("apply<main::{lambda(int)#1}>(x)", "apply<main::{lambda(long)#1}>(x)", 40,
	      "apply<…int…>(x)");
	becomes(emplace, 60, "std::_Rb_tree<…>::_M_emplace_hint_unique<…>(…)");
	becomes(emplace, 42, "…_Rb_tree<…>::_M_emplace_hint_unique<…>(…)");
	becomes("Composer\\Util\\Http\\CurlDownloader::tick", 30, "…\\Http\\CurlDownloader::tick");
	becomes("Composer\\Util\\Http\\CurlDownloader::tick", 24, "…\\CurlDownloader::tick");
	becomes("/usr/share/php/Composer/Autoload.php", 16, "…/Autoload.php");
	becomes("com.example.shop.Cart.total", 13, "…Cart.total");
	becomes("PDOStatement->fetch", 16, "PDOState…->fetch");
	becomes("Foo::bar", 4, "…bar");
	becomes("Foo::bar", 3, "bar");
	becomes("void std::__unguarded_linear_insert<int*>(int*)", 33,
	        "…__unguarded_linear_insert<…>(…)");
	/* A chain: the last name, then the first, then the place of the last, then those between. */
	becomes("wait 7 › clone3 › … 5 more … › lock_wait › futex_wait (futex.h)", 55,
	        "wait 7 › … › lock_wait › futex_wait (futex.h)");
	becomes("wait 7 › clone3 › … 5 more … › lock_wait › futex_wait (futex.h)", 33,
	        "wait 7 › … › futex_wait (futex.h)");
	becomes("wait 7 › clone3 › … 5 more … › lock_wait › futex_wait (futex.h)", 30,
	        "wait 7 › … › futex_wait");
	becomes("a_rather_long_name › futex_wait_until", 30, "… › futex_wait_until");
	becomes("bool operator<(A const&, B const&)", 22, "bool operator<(…)");
	becomes("open<never closed and so long", 10, "open… long");
	becomes("aaaaaaaaaaaaaaaaaaaa", 1, "…");
	becomes("aaaaaaaaaaaaaaaaaaaa", 0, "");
	becomes("\xe6\xbc\xa2\xe5\xad\x97\\\xe6\xbc\xa2\xe5\xad\x97::\xe9\x96\xa2", 11,
	        "…\\\xe6\xbc\xa2\xe5\xad\x97::\xe9\x96\xa2");
	becomes("fib<A>(int, int, int) (recursive)", 25, "fib<…>(…) (recursive)");
	becomes("shop::(anonymous namespace)::mixer<unsigned long>(int)", 42,
	        "shop::(anonymous namespace)::mixer<…>(int)");
	becomes("shop::(anonymous namespace)::mixer<unsigned long>(int)", 41,
	        "shop::(anonymous namespace)::mixer<…>(…)");
	becomes("shop::(anonymous namespace)::mixer<unsigned long>(int)", 30,
	        "shop::(…)::mixer<…>(…)");
	becomes("f((anonymous namespace)::T, int, int, int)", 30, "f(…)");
	becomes("main::{lambda(unsigned int, unsigned int)#1}::operator()", 21,
	        "…{lambda…::operator()");
	becomes("aaaaaaa(int, int)bbbbbbbbbbbbbbbbbb", 19, "aaaaaaa(…bbbbbbbbb");
	becomes("std::__unguarded_partition<A>(A)", 30, "…::__unguarded_partition<…>(…)");
	/* What it returns goes before what it is called, and the file before that. */
	becomes("__gnu_cxx::__normal_iterator<A*, B> std::__unguarded_partition<A, B>(A, B)", 40,
	        "std::__unguarded_partition<A, B>(A, B)");
	becomes("__gnu_cxx::__normal_iterator<A*, B> std::detail::__partition<A>(A, B)", 27,
	        "…detail::__partition<…>(…)");
	becomes("unsigned long shop::(anonymous namespace)::mixer<long>(int)", 30,
	        "shop::(…)::mixer<…>(…)");
	becomes("bool std::operator< <char, A<char> >(B<char> const&)", 25,
	        "std::operator< <…>(…)");
	becomes("void* A::operator new(unsigned long, std::nothrow_t)", 20, "…A::operator new(…)");
	becomes("void shop::Index<int>::put(int) const", 24, "…Index<…>::put(…) const");
	becomes("shop::detail::Index<std::string, long>::put(long) (t.cpp)", 32,
	        "shop::detail::Index<…>::put(…)");
	becomes("shop::detail::Index<std::string, long>::put(long) (t.cpp)", 42,
	        "shop::detail::Index<…>::put(long) (t.cpp)");
	becomes("shop::Index<int>::put(int) (stl_function.h)", 28, "shop::Index<int>::put(int)");
	becomes("std::__cxx11::basic_string<char, A>::compare(B const&) const", 30,
	        "…basic_stri…::compare(…) const");
	/* In this order: clones, type, recursion mark, template arguments, parameters. */
	becomes("void a::f<int>(long, int) [clone .isra.0]'2", 35,
	        "void a::f<int>(long, int) [isra]'2");
	becomes("void a::f<int>(long, int) [clone .isra.0]'2", 30, "a::f<int>(long, int) [isra]'2");
	becomes("void a::f<int>(long, int) [clone .isra.0]'2", 28, "a::f<int>(long, int) [isra]");
	becomes("void a::f<int>(long, int) [clone .isra.0]'2", 26, "a::f<…>(long, int) [isra]");
	becomes("void a::f<int>(long, int) [clone .isra.0]'2", 18, "a::f<…>(…) [isra]");
	becomes("void a::f<int>(long, int) [clone .isra.0]'2", 12, "…f<…> [isra]");
	becomes("a::f(int) [clone .part.0] [clone .cold]", 22, "a::f(int) [part cold]");
	becomes("void std::__unguarded_linear_insert<A>(A)", 28, "…::__unguarded_linear_insert");
	becomes("void std::__unguarded_linear_insert<A>(A)", 25, "__unguarded_linear_insert");
	/* Callers that --separate-callers puts behind a name go as a level of recursion does. */
	becomes("Add<long>::operator()(long) [clone .isra.0]'2'R<int>::run(int)'main'(below main)",
	        60, "Add<long>::operator()(long) [isra]");
	becomes("Add<long>::operator()(long) [clone .isra.0]'R<int>::run(int)'main'(below main)",
	        40, "Add<long>::operator()(long) [isra]");
	becomes("Add<long>::operator()(long) [clone .isra.0]'R<int>::run(int)'main'(below main)",
	        25, "…::operator()(…) [isra]");
	becomes("f'operator new(unsigned long)'~Q()'operator< <A>(A)", 8, "f");
	becomes("main'(below main)", 8, "main");
	becomes("_int_malloc'malloc'operator new(unsigned long)", 34,
	        "_int_malloc'malloc'operator new(…)");
	apart("memcmp'R<int>::insert(int)'main", "memcmp'R<int>::lookup(int)'main", 30,
	      "memcmp'R<…>::insert(…)'main");
	apart("memcmp'R<int>::insert(int)'main", "memcmp'R<int>::lookup(int)'main", 24,
	      "memcmp'R<…>::insert(…)");
	apart("memcmp'R<int>::insert(int)'main", "memcmp'R<int>::insert(int)'start_of_all", 24,
	      "memcmp'…'main");
	apart("memcmp'a_long_one'main", "memcmp'a_long_two'main", 14, "memcmp");
	/* So do they in a tree, which says more behind a name. */
	becomes("std::_Rb_tree<A, B>::_M_erase(N*) [clone .isra.0] (recursive)", 50,
	        "std::_Rb_tree<…>::_M_erase(N*) [isra] (recursive)");
	becomes("std::_Rb_tree<A, B>::_M_erase(N*) [clone .isra.0] (recursive)", 30,
	        "…::_M_erase [isra] (recursive)");
	becomes("std::_Rb_tree<A, B>::_M_erase(N*) [clone .isra.0] (recursive)", 14,
	        "…::_M_erase(…)");
	becomes("a::f<int>(long, int)'2'main (cycle 2)", 22, "a::f<…>(…) (cycle 2)");
	becomes("a::f<int>(long, int)'2'main <cycle 2>", 36, "a::f<int>(long, int) <cycle 2>");
	/* Other quotes belong to the name. */
	becomes("main::'lambda'(int)::operator()(int) const", 30, "…'lambda…::operator()(…) const");
	becomes("the user can't open the file", 20, "the user …n the file");
	becomes("insertWith_go_on_and_on'", 20, "insertWit…on_and_on'");
	apart("a::b::c::f(int) [clone .isra.0]'2", "a::b::c::f(int) [clone .isra.0]", 20,
	      "…c::f(…) [isra.0]'2");
	fitted(PP_NAMES_SHORT, "void a::f<int>(long) [clone .isra.0]'2", 60, "a::f<…>(…) [isra]'2");
	becomes("main (app.py:10)", 12, "main");
	becomes("a long name ()", 10, "a lo…me ()");
	becomes("parse header (first)", 12, "parse…first)");
	becomes("(all functions that there are)", 10, "(all… are)");

	apart("vector<int, A<int> >::push_back(int)",
	      "vector<double, A<double> >::push_back(double)", 26, "vector<int…>::push_back(…)");
	apart("a::b::vector<int, A<int> >::push_back(int)",
	      "a::b::vector<long, A<long> >::push_back(long)", 24, "…<int…>::push_back(…)");
	apart("f(int)", "f(long)", 4, "");
	apart("plain", "plane", 4, "");
	apart("f<never closed", "f<never opened", 6, "");
	apart("f<x>(\xe6\xbc\xa2)", "f<x>(\xe5\xad\x97)", 8, "f<…>(\xe6\xbc\xa2)");

	fitted(PP_NAMES_SHORT, "std::f<int>(int)", 60, "std::f<…>(…)");
	fitted(PP_NAMES_SHORT, "(anonymous namespace)::f<int>(int)", 60,
	       "(anonymous namespace)::f<…>(…)");
	fitted(PP_NAMES_SHORT, "(all)", 60, "(all)");
	fitted(PP_NAMES_FULL, "std::f<int>(int)", 60, "std::f<int>(int)");
	fitted(PP_NAMES_FULL, "std::f<int>(int)", 8, "std::f<…");
	fitted(PP_NAMES_FULL, "\xe6\xbc\xa2\xe5\xad\x97", 3, "\xe6\xbc\xa2…");
	fitted(PP_NAMES_FULL, "abc", 0, "");
	check_random();
	return tap_done();
}
