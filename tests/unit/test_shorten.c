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

int
main(void)
{
	static const char emplace[] =
	    "std::_Rb_tree<int, std::pair<int const, Big>, std::less<int> >::"
	    "_M_emplace_hint_unique<std::pair<int, Big> >(std::_Rb_tree_const_iterator<int>)";

	becomes("short", 5, "short");
	becomes(emplace, 60, "std::_Rb_tree<…>::_M_emplace_hint_unique<…>(…)");
	becomes(emplace, 42, "…_Rb_tree<…>::_M_emplace_hint_unique<…>(…)");
	becomes("Composer\\Util\\Http\\CurlDownloader::tick", 30, "…\\Http\\CurlDownloader::tick");
	becomes("Composer\\Util\\Http\\CurlDownloader::tick", 24, "…\\CurlDownloader::tick");
	becomes("/usr/share/php/Composer/Autoload.php", 16, "…/Autoload.php");
	becomes("com.example.shop.Cart.total", 13, "…Cart.total");
	becomes("PDOStatement->fetch", 16, "PDOStat…t->fetch");
	becomes("Foo::bar", 4, "F…ar");
	becomes("bool operator<(A const&, B const&)", 22, "bool operator<(…)");
	becomes("open<never closed and so long", 10, "open… long");
	becomes("aaaaaaaaaaaaaaaaaaaa", 1, "…");
	becomes("aaaaaaaaaaaaaaaaaaaa", 0, "");
	becomes("\xe6\xbc\xa2\xe5\xad\x97\\\xe6\xbc\xa2\xe5\xad\x97::\xe9\x96\xa2", 11,
	        "…\\\xe6\xbc\xa2\xe5\xad\x97::\xe9\x96\xa2");
	return tap_done();
}
