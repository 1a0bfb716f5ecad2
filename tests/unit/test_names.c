/*
 * Names as profilers of each language write them: which of them are one function when profiles are compared, and which
 * parts they have.
 */
#include "analysis/identity.h"
#include "little.h"
#include "text/demangle.h"
#include "text/signature.h"

/* A profile with one function, whose place is not known. */
static struct pp_profile *
named(const char *name)
{
	if (!little_start())
		return NULL;
	pp_build_series_plain(&little, false, false);
	pp_build_add(&little, 0,
	             pp_build_child(&little, 0, pp_build_frame_named(&little, pp_slice_z(name))), 0,
	             1);
	return little_end();
}

static bool
are_one(const char *before, const char *after)
{
	struct pp_profile *p = named(before), *q = named(after);
	uint32_t a[4] = { 0 }, b[4] = { 0 };
	struct pp_identity id;
	bool one = false;

	if (p && q && p->funcs.n == 2 && q->funcs.n == 2 && pp_identity_init(&id, 1)) {
		one = pp_identity_add(&id, p, a) && pp_identity_add(&id, q, b) &&
		      pp_identity_find(&id, a[1]) == pp_identity_find(&id, b[1]);
		pp_identity_release(&id);
	}
	pp_profile_release(p);
	pp_profile_release(q);
	return one;
}

/* Different functions, each of which once lost in a name what tells it from the one before or behind it. */
static const char *const different[] = {
	/* Go */
	"main.main",
	"net/http.(*conn).serve",
	"net/http.(*conn).serve.func1",
	"net/http.(*conn).serve.func1.1",
	"net/http.(*conn).readRequest",
	"net/http.(*Transport).dial",
	"net/http.(*Transport).dial-fm",
	"net/http.HandlerFunc.ServeHTTP",
	"net/http.serverHandler.ServeHTTP",
	"sync.(*Pool[...]).Get",
	"sync.(*Pool[...]).Put",
	"sync.(*Map[...]).Get",
	"main.(*Tree[go.shape.int]).insert",
	"main.(*Tree[go.shape.string]).insert",
	"main.Map[go.shape.func(int)]",
	"main.Map[go.shape.func(string)]",
	"main.glob..func1",
	"main.glob..func2",
	"main.(*T).m.gowrap1",
	"type:.eq.main.T",
	/* Rust */
	"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
	"<alloc::vec::Vec<T> as core::clone::Clone>::clone",
	"<(A, B) as core::fmt::Debug>::fmt",
	"<(A, C) as core::fmt::Debug>::fmt",
	"<fn(i32) as app::Call>::call",
	"<fn(u32) as app::Call>::call",
	"app::run::{{closure}}",
	"app::walk::{{closure}}",
	"app::run::{{closure}}::{{closure}}",
	"core::ops::function::FnOnce::call_once{{vtable.shim}}",
	"core::ptr::drop_in_place<(i32, alloc::string::String)>",
	"core::ptr::drop_in_place<(u32, alloc::string::String)>",
	"app::<impl app::T for (A, B)>::f",
	"app::<impl app::T for (A, C)>::f",
	/* C++ */
	"a::f(int)",
	"a::f(long)",
	"a::f(int) const",
	"a::f<int>(int)",
	"a::f<long>(int)",
	"(anonymous namespace)::f(int)",
	"(anonymous namespace)::g(int)",
	"a::(anonymous namespace)::f(int)",
	"a::T::operator()(int)",
	"a::T::operator()(long)",
	"a::T::operator<(a::T const&) const",
	"a::T::operator<<(a::T const&) const",
	"a::T::operator->() const",
	"a::T::operator bool() const",
	"a::T::operator long() const",
	"operator new(unsigned long)",
	"operator new[](unsigned long)",
	"main::{lambda(int)#1}::operator()(int) const",
	"main::{lambda(int)#2}::operator()(int) const",
	"main::{lambda(long)#1}::operator()(int) const",
	"a::sort(int*, bool (*)(int, int))",
	"a::sort(int*, bool (*)(long, long))",
	"void (*a::handler<int>(char))(int)",
	"void (*a::handler<long>(char))(int)",
	"std::function<void (int)>::operator()(int) const",
	"std::function<void (long)>::operator()(long) const",
	"non-virtual thunk to a::V::f()",
	"virtual thunk to a::V::f()",
	"a::V::f()",
	"guard variable for a::V::f()::once",
	"_ZN1a1gEi",
	"_ZN1a1gEl",
	/* Swift */
	"MyApp.List.add(_: Swift.Int) -> ()",
	"MyApp.List.add(_: Swift.String) -> ()",
	"MyApp.List.add(first:)",
	"MyApp.List.add(last:)",
	"closure #1 in MyApp.List.walk()",
	"closure #2 in MyApp.List.walk()",
	"closure #1 (Swift.Int) -> () in MyApp.List.walk() -> ()",
	"static MyApp.List.make()",
	"MyApp.List.make()",
	"MyApp.List.count.getter : Swift.Int",
	"MyApp.List.count.setter : Swift.Int",
	"(extension in MyApp):Swift.Array.sum() -> Swift.Int",
	/* Objective-C */
	"-[View drawRect:]",
	"+[View drawRect:]",
	"-[View(Private) layout]",
	"-[View(Public) layout]",
	"__19-[View drawRect:]_block_invoke",
	"__19-[View drawRect:]_block_invoke_2",
	/* Java and its like */
	"java.lang.String.indexOf(int)",
	"java.lang.String.indexOf(java.lang.String)",
	"java/util/Map.get(I)V",
	"java/util/Map.get(J)V",
	"App$$Lambda$12/0x0000000800c03000.run",
	"App$$Lambda$14/0x0000000800c03400.run",
	"App.lambda$main$0",
	"App.lambda$main$1",
	"App.run(App.java:7)",
	"App.run(Other.java:7)",
	"App.<init>",
	"App.<clinit>",
	/* PHP */
	"{closure:/app/a.php:22-25}",
	"{closure:/app/b.php:22-25}",
	"{closure:A::b():12}",
	"{closure:A::c():12}",
	"{closure:A::b():19}",
	"A->b",
	"A->c",
	"{main}",
	/* Python */
	"<lambda>",
	"<module>",
	"<listcomp>",
	"<genexpr>",
	"<lambda> (a.py:7)",
	"<lambda> (a.py:9)",
	"f (a.py:7)",
	"f (b.py:7)",
	"<built-in method builtins.len>",
	"<built-in method builtins.sorted>",
	"<method 'append' of 'list' objects>",
	"<method 'extend' of 'list' objects>",
	/* Perl */
	"main::__ANON__[app.pl:12]",
	"main::__ANON__[app.pl:19]",
	"main::__ANON__[(eval 5)[app.pl:3]:1]",
	"main::__ANON__[(eval 6)[app.pl:3]:1]",
	"main::BEGIN@3",
	"main::BEGIN@4",
	"main::CORE:print (opcode)",
	"main::CORE:match (opcode)",
	/* JavaScript */
	"(anonymous)",
	"(idle)",
	"(program)",
	"(garbage collector)",
	"(root)",
	"Foo.bar [as baz]",
	"Foo.bar",
	"get Foo.bar",
	"Object.<anonymous>",
	"Promise.<anonymous>",
	"(anonymous a.js:12)",
	"(anonymous b.js:12)",
	/* the kernel and native code without names */
	"[unknown]",
	"[kernel.kallsyms]",
	"(below main)",
	"do_sys_open ([kernel.kallsyms])",
	"do_sys_open (libc.so.6)",
	"0x4011f0",
	"0x4011f8",
};

/* One function, as two profilers spell it. */
static const char *const equal[][2] = {
	{ "a::f", "a::f(int)" },
	{ "a::f", "a::f(int) const" },
	{ "_ZN1a1fEi", "a::f" },
	{ "_ZN1a1fEi", "a::f(int)" },
	{ "a::f(int, char)", "a::f(int,char)" },
	{ "a::f<int>", "void a::f<int>(long)" },
	{ "a::f<std::map<int, int> >", "std::map<int, int> a::f<std::map<int, int> >(long)" },
	{ "a::T::operator()", "a::T::operator()(int) const" },
	{ "a::T::operator<", "a::T::operator<(a::T const&) const" },
	{ "(anonymous namespace)::f", "(anonymous namespace)::f(int)" },
	{ "a::f(int) [clone .isra.0]", "a::f(int)" },
	{ "a::f(int) [clone .part.0] [clone .cold]", "a::f(int)'2" },
	{ "main.f", "main.f(...)" },
	{ "main.(*T).m", "main.(*T).m(0x1, ...)" },
	{ "core::fmt::write", "core::fmt::write::h0123456789abcdef" },
	{ "core::fmt::write::h1111111111111111", "core::fmt::write::h2222222222222222" },
	{ "java.lang.String.indexOf", "java.lang.String.indexOf(int)" },
	{ "java/util/Map.get", "java/util/Map.get(I)V" },
	{ "java/util/Map.get", "java/util/Map.get(Ljava/lang/Object;)Ljava/lang/Object;" },
	{ "App.run", "App.run(App.java:7)" },
	{ "A->b", "A::b" },
	{ "{closure:/app/a.php:12-15}", "{closure:/app/a.php:12-14}" },
	{ "do_syscall_64_[k]", "do_syscall_64" },
	{ "memcpy@GLIBC_2.14", "memcpy" },
	{ "fib'2", "fib" },
};

static void
check_identity(void)
{
	size_t i, k;

	for (i = 0; i < PP_COUNT_OF(different); i++) {
		const char *with = NULL;

		for (k = 0; k < PP_COUNT_OF(different); k++)
			if (k != i && are_one(different[i], different[k]))
				with = different[k];
		ok(!with, "%s is a function of its own%s%s", different[i], with ? ", not " : "",
		   with ? with : "");
	}
	for (i = 0; i < PP_COUNT_OF(equal); i++) {
		bool mangled = equal[i][0][0] == '_' && equal[i][0][1] == 'Z';

		if (mangled && !pp_demangle_cxx_by)
			continue;
		ok(are_one(equal[i][0], equal[i][1]) && are_one(equal[i][1], equal[i][0]),
		   "%s is %s", equal[i][0], equal[i][1]);
	}
}

static void
parts_are(const char *name, const char *type, const char *core, const char *params,
          const char *rest)
{
	struct pp_signature s = pp_signature_of(pp_slice_z(name));

	ok(pp_slice_eq_z(s.type, type) && pp_slice_eq_z(s.name, core) &&
	       pp_slice_eq_z(s.params, params) && pp_slice_eq_z(s.rest, rest),
	   "%s: [%s] [%s] [%s] [%s]", name, type, core, params, rest);
}

static void
check_parts(void)
{
	struct pp_buf deep = { 0 };
	int i;

	parts_are("f", "", "f", "", "");
	parts_are("a::f(int)", "", "a::f", "(int)", "");
	parts_are("void a::f<int>(int) const &", "void ", "a::f<int>", "(int)", " const &");
	parts_are("void (*a::f<int>(char))(int)", "void ", "a::f<int>", "(char)", "(int)");
	parts_are("f(bool (*)(int), int)", "", "f", "(bool (*)(int), int)", "");
	parts_are("operator()", "", "operator()", "", "");
	parts_are("a::operator()(int)", "", "a::operator()", "(int)", "");
	parts_are("pkg.(*T)", "", "pkg.(*T)", "", "");
	parts_are("main (app.c)", "", "main (app.c)", "", "");
	parts_are("(below main)", "", "(below main)", "", "");
	parts_are("f)(", "", "f)(", "", "");
	parts_are("", "", "", "", "");
	for (i = 0; i < 20000; i++)
		pp_buf_adds(&deep, "v (*");
	for (i = 0; i < 20000; i++)
		pp_buf_adds(&deep, ")(i)");
	ok(pp_signature_of(pp_slice_of(deep.p, deep.n)).name.n > 0, "deep nesting ends");
	pp_buf_release(&deep);
}

int
main(void)
{
	check_identity();
	check_parts();
	return tap_done();
}
