/*
 * Frames of native code: what is known of an address in a binary (symbols/locate.h) as frames of a profile, the functions that
 * the compiler put into others included. For all formats that record addresses.
 */
#ifndef PP_KIT_NATIVE_H
#define PP_KIT_NATIVE_H

#include "formats/reader.h"
#include "model/builder.h"
#include "model/traits.h"
#include "symbols/locate.h"

/* Frames of one address, at most. */
#define PP_NATIVE_FRAMES 40

/* How names are shown. */
enum pp_native_names { PP_NATIVE_SHORT, PP_NATIVE_FULL, PP_NATIVE_MANGLED };

/* Zero is nothing; to be released. */
struct pp_native {
	struct pp_builder *b;
	bool wanted; /* names; else addresses are shown */
	bool places; /* frames keep their addresses */
	bool lines;  /* and source lines */
	bool inlined;
	enum pp_native_names names;
	struct pp_map func_of; /* name and module -> function */
};

/* An address. */
struct pp_native_at {
	struct pp_binary *binary; /* or NULL */
	pp_module module;
	uint64_t address; /* in the file, if `offset`; else as it was */
	bool offset, kernel;
};

/* By what was ordered, and the options `symbols`, `demangle` and `inline`. */
void pp_native_init(struct pp_native *, struct pp_reader *, struct pp_builder *);
void pp_native_release(struct pp_native *);
/* The frames of an address, the innermost first; returns how many, at least one. */
size_t pp_native_frames(struct pp_native *, const struct pp_native_at *,
                        pp_frame frames[PP_NATIVE_FRAMES]);
/* A name of a symbol as it is shown. */
pp_str pp_native_name(struct pp_native *, struct pp_slice name);

#endif
