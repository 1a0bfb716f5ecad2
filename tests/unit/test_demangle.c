/*
 * What mangled names stand for, and what stays as it is.
 */
#include "tap.h"

#include <stdlib.h>

#include "base/slice.h"
#include "text/demangle.h"
#include "text/punycode.h"

static void
becomes(const char *name, const char *want)
{
	struct pp_buf out = { 0 };
	bool done;

	pp_buf_adds(&out, "> ");
	done = pp_demangle(pp_slice_z(name), &out);
	ok(done && pp_slice_eq(pp_slice_from(pp_slice_of(out.p, out.n), 2), pp_slice_z(want)),
	   "%s: %s (%.*s)", name, want, (int)out.n, out.p);
	pp_buf_release(&out);
}

static void
stays(const char *name)
{
	struct pp_buf out = { 0 };

	pp_buf_adds(&out, "> ");
	ok(!pp_demangle(pp_slice_z(name), &out) && out.n == 2, "%.60s stays", name);
	pp_buf_release(&out);
}

static void
test_legacy(void)
{
	becomes("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	becomes(
	    "_ZN66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0a1b2c3d4e5f6071E",
	    "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop");
	becomes("_ZN4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "main::{{closure}}");
	becomes("_ZN1a20$RF$$BP$$SP$$LP$$RP$17h0123456789abcdefE", "a::&*@()");
	becomes("_ZN1a6b$uf6$17h0123456789abcdefE", "a::b\xc3\xb6");
	becomes("_ZN1a1b17h0123456789abcdefE.llvm.1234567", "a::b");
	becomes("_ZN1a1b17h0123456789abcdefE.cold", "a::b.cold");
	becomes("_ZN1a1b17h0123456789abcdefE'2", "a::b'2");
	becomes("_ZN1a1b17h0123456789abcdefE_[k]", "a::b_[k]");
	becomes("_ZN1a6$bogus17h0123456789abcdefE", "a::$bogus");
	stays("_ZN1a1b17h0123456789abcdefEx.");
	stays("_ZN17h0123456789abcdef");
	stays("_ZN99999999999999999999a17h0123456789abcdefE");
}

static void
test_v0(void)
{
	becomes("_RNvC6_123foo3bar", "123foo::bar");
	becomes("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	becomes("_RNvCs1234_7mycrate3foo.llvm.99", "mycrate::foo");
	becomes("_RNvCs1234_7mycrate3foo.cold", "mycrate::foo.cold");
	becomes("_RNCNvC1a4main0", "a::main::{closure#0}");
	becomes("_RNCNvC1a4mains_0", "a::main::{closure#1}");
	becomes("_RNSC1a6vtable", "a::{shim:vtable#0}");
	becomes("_RINvC1a1fmE", "a::f::<u32>");
	becomes("_RINvC1a1fINtB2_1SmEE", "a::f::<a::S<u32>>");
	becomes("_RNvMC1aNtB2_1S3new", "<a::S>::new");
	becomes("_RNvXs_C1aINtB4_1SmENtB4_4Area4area", "<a::S<u32> as a::Area>::area");
	becomes("_RNvYNtC1a1SNtB4_4Area4area", "<a::S as a::Area>::area");
	becomes("_RINvC1a1fRQShE", "a::f::<&&mut [u8]>");
	becomes("_RINvC1a1fTmETmmETEE", "a::f::<(u32,), (u32, u32), ()>");
	becomes("_RINvC1a1fAhj4_PhOsE", "a::f::<[u8; 4], *const u8, *mut i16>");
	becomes("_RINvC1a1fFmEuFUKCmEhFK5win64EuE",
	        "a::f::<fn(u32), unsafe extern \"C\" fn(u32) -> u8, extern \"win64\" fn()>");
	becomes("_RINvC1a1fFG_RL0_hEuE", "a::f::<for<'a> fn(&'a u8)>");
	becomes("_RINvC1a1fDNtB2_1TEL_E", "a::f::<dyn a::T>");
	becomes("_RINvC1a1fDINtB2_2FnTmEEp6OutputhNtB2_4SendEL_E",
	        "a::f::<dyn a::Fn<(u32,), Output = u8> + a::Send>");
	becomes("_RINvC1a1fDNtB2_8Iteratorp4ItemmEL_E", "a::f::<dyn a::Iterator<Item = u32>>");
	becomes("_RINvC1a1fL_E", "a::f::<'_>");
	becomes("_RINvC1a1fKj1f_Kln5_Kb1_Kc41_KpE", "a::f::<31, -5, true, 'A', _>");
	becomes("_RINvC1a1fKcee_Kc27_Kc1_E", "a::f::<'\xc3\xae', '\\'', '\\u{1}'>");
	becomes("_RINvC1a1fKo123456789abcdef01_E", "a::f::<0x123456789abcdef01>");
	becomes("_RINvC1a1fKRe616263_E", "a::f::<\"abc\">");
	becomes("_RINvC1a1fKTh1_h2_EKAh1_EE", "a::f::<{(1, 2)}, {[1]}>");
	becomes("_RINvC1a1fKVNvB2_1XUKVNvB2_1YTh1_EKVNvB2_1ZS1fh1_EE",
	        "a::f::<{a::X}, {a::Y(1)}, {a::Z { f: 1 }}>");
	becomes("_RNvC1au8gdel_5qa", "a::g\xc3\xb6"
	                             "del");
	becomes("_RNvC1a1fC1b", "a::f");
	stays("_RNvC1a1");
	stays("_RNvC1a1fx");
	stays("_R0NvC1a1f");
	stays("_RNvB_1f");
	stays("_RINvC1a1fKb2_E");
	stays("_RINvC1a1fKcd800_E");
	stays("_RINvC1a1fL0_E");
	stays("_RNvC1au3a_B");
}

static void
test_cxx(void)
{
	if (!pp_demangle_cxx_by) {
		stays("_ZN3net5parseEPKc");
		return;
	}
	becomes("_ZN3net5parseEPKc", "net::parse(char const*)");
	becomes("_ZN3fooIiE3barEv'2", "foo<int>::bar()'2");
	becomes("_ZN3fooIiE3barEv@plt", "foo<int>::bar()@plt");
	becomes("_Z1giii.constprop.0", "g(int, int, int) [clone .constprop.0]");
	/* A hash of too few digits is a name. */
	becomes("_ZN1a17h1111111111111111E", "a::h1111111111111111");
	becomes("_Z1fSt4pairIiiES_IS0_S0_E",
	        "f(std::pair<int, int>, std::pair<std::pair<int, int>, std::pair<int, int> >)");
}

static void
shows(const char *name, const char *want)
{
	struct pp_buf out = { 0 };
	bool done = pp_demangle_short(pp_slice_z(name), &out);

	ok(done && pp_slice_eq(pp_slice_of(out.p, out.n), pp_slice_z(want)), "%s: %s (%.*s)", name,
	   want, (int)out.n, out.p ? out.p : "");
	pp_buf_release(&out);
}

/* As perf shows them. */
static void
test_short(void)
{
	shows("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	shows("_ZN1a6b$uf6$17h0123456789abcdefE", "a::b$uf6$");
	shows("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	shows("camlStdlib__List__map_1234", "Stdlib.List.map_1234");
	if (!pp_demangle_cxx_by)
		return;
	shows("_ZN3net5parseEPKc", "net::parse");
	shows("_ZNK3net4Conn4sendEv", "net::Conn::send");
	shows("_Z4walkIiLi3EEjRKSt3mapIiT_SaIiEE", "walk<int, 3>");
	shows("_Z1giii.constprop.0.isra.0", "g");
	shows("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()");
	shows("_ZZNK1A3runEcSt17integral_constantIbLb0EEENKUlvE_clEv",
	      "A::run(char, std::integral_constant<bool, false>) const::{lambda()#1}::operator()");
	shows("_ZZNKR1A1fEvENKUlvE_clEv", "A::f() const &::{lambda()#1}::operator()");
	shows("_ZZNVO1A1fEvENKUlvE_clEv", "A::f() volatile &&::{lambda()#1}::operator()");
	shows("_Z9constructIiEKiT_", "construct<int>");
	shows("_ZGTtNSt11logic_errorC1EPKc.cold",
	      "transaction clone for std::logic_error::logic_error(char const*)");
	shows("_ZNK1AcvbEv", "A::operator bool");
	shows("_ZN1AlsEi", "A::operator<<");
	shows("_Znwm", "operator new");
	shows("_ZN12_GLOBAL__N_13runEv", "(anonymous namespace)::run");
	shows("_Z1fIiEPFvT_Ec", "f<int>");
	shows("_ZGVZ4mainE1x", "guard variable for main::x");
	shows("_ZTV1A", "vtable for A");
}

static void
test_ocaml(void)
{
	becomes("camlStdlib__List__map_1234", "Stdlib.List.map_1234");
	becomes("camlFoo__$2b$2b_12", "Foo.++_12");
	becomes("camlStdlib.List.map_12", "Stdlib.List.map_12");
	stays("caml_alloc_small");
	stays("camlFoo");
	stays("camlFoo_bar");
}

/* Short names that would become very long ones, deep ones, and long ones. */
static void
test_hostile(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char name[2 * PP_MANGLED_MAX];
	static const char base62[] =
	    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n, i, last;

	n = (size_t)snprintf(name, sizeof name, "_Z1fSt4pairIiiE");
	for (i = 0; i < 34; i++)
		n += (size_t)snprintf(name + n, sizeof name - n, "S_IS%c_S%c_E", digits[i],
		                      digits[i]);
	stays(name);
	/* Each tuple is twice the one before; references count from behind "_R". */
	n = (size_t)snprintf(name, sizeof name, "_RINvC1a1bTuuE");
	for (last = 8, i = 0; i < 40; i++) {
		size_t here = n - 2;
		char back[4];

		snprintf(back, sizeof back, "%.1s%c_", last > 62 ? base62 + (last - 1) / 62 : "",
		         base62[(last - 1) % 62]);
		n += (size_t)snprintf(name + n, sizeof name - n, "TB%sB%sE", back, back);
		last = here;
	}
	name[n] = 'E';
	name[n + 1] = '\0';
	stays(name);
	memset(name, 'I', sizeof name);
	memcpy(name, "_R", 2);
	name[PP_MANGLED_MAX] = '\0';
	stays(name);
	memset(name + 2, 'T', PP_MANGLED_MAX - 2);
	memcpy(name, "_RINvC1a1b", 10);
	stays(name);
	memset(name, 'A', sizeof name);
	memcpy(name, "_ZN", 3);
	name[sizeof name - 1] = '\0';
	stays(name);
	memset(name + 2, 'P', PP_MANGLED_MAX - 2);
	memcpy(name, "_Z1f", 4);
	name[PP_MANGLED_MAX - 1] = '\0';
	stays(name);
}

static void
test_punycode(void)
{
	uint32_t points[PP_PUNYCODE_MAX];
	size_t n;

	ok(pp_punycode_decode(pp_slice_z("bcher"), pp_slice_z("kva"), points, &n) && n == 6 &&
	       points[1] == 0xfc,
	   "b\xc3\xbc"
	   "cher");
	ok(!pp_punycode_decode(pp_slice_z("a"), pp_slice_z("zzzzzzzzzzzzzzzz9"), points, &n),
	   "a number that is too large");
	ok(!pp_punycode_decode(pp_slice_z("a"), pp_slice_z("K"), points, &n), "not a digit");
}

int
main(void)
{
	test_legacy();
	test_v0();
	test_cxx();
	test_short();
	test_ocaml();
	test_hostile();
	test_punycode();
	return tap_done();
}
