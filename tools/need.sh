#!/bin/sh
# Installs what is missing: tools/need.sh build|test
#
# Says and does nothing when everything is there. Otherwise it asks apt, as root or by sudo, and goes on
# without what cannot be had, unless building needs it.

missing=
optional=

# need COMMAND PACKAGE, want COMMAND PACKAGE: an executable that is needed, or only useful
need() {
	command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
want() {
	command -v "$1" >/dev/null 2>&1 || optional="$optional $2"
}
# need_lib MODULE HEADER PACKAGE: a library's development files
have_lib() {
	if command -v pkg-config >/dev/null 2>&1; then
		pkg-config --exists "$1"
	else
		[ -e "/usr/include/$2" ]
	fi
}
need_lib() {
	have_lib "$1" "$2" || missing="$missing $3"
}
want_lib() {
	have_lib "$1" "$2" || optional="$optional $3"
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo "$@"
	else
		return 1
	fi
}

install() {
	command -v apt-get >/dev/null 2>&1 || return 1
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" ||
		{ as_root apt-get update &&
			as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; }
}

need cc gcc
need cc libc6-dev
need meson meson
need ninja ninja-build
need pkg-config pkg-config
need python3 python3
need_lib zlib zlib.h zlib1g-dev
need_lib libzstd zstd.h libzstd-dev
want_lib libpcre2-8 pcre2.h libpcre2-dev
want_lib sqlite3 sqlite3.h libsqlite3-dev
want_lib libisal isa-l.h libisal-dev
want_lib libdw elfutils/libdw.h libdw-dev
want_lib liblzma lzma.h liblzma-dev
want scdoc scdoc
want node nodejs
want npm npm
if [ "$1" = test ]; then
	want c++ g++
	want clang clang
	want clang libclang-rt-dev
	[ -e /usr/include/wasm32-wasi/stdio.h ] || optional="$optional wasi-libc"
	want clang-format clang-format
	want clang-tidy clang-tidy
	want cppcheck cppcheck
	want valgrind valgrind
	want chromium chromium
	want nytprofhtml libdevel-nytprof-perl
	php -m 2>/dev/null | grep -qi xdebug || optional="$optional php-cli php-xdebug"
fi

if [ -n "$missing$optional" ]; then
	echo "installing:$missing$optional" >&2
	if ! install $missing $optional >&2; then
		if [ -n "$missing" ] && ! install $missing >&2; then
			echo "cannot install:$missing; install these by hand and try again" >&2
			exit 1
		fi
		for package in $optional; do
			install "$package" >&2 || echo "going on without $package" >&2
		done
	fi
fi
exit 0
