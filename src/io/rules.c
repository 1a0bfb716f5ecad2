/*
 * The rules of the input and output room.
 */
#include "io/rules.h"

const struct pp_rule pp_io_rules[PP_IO_RULE_COUNT + 1] = {
	[PP_IO_OPEN_FAILED] = { "io-open-failed", PP_ERROR, "the input cannot be opened",
	                        "The operating system refused to open the file: it does not exist, you may not read it, or "
	                        "it is a directory. Nothing was read. Check the name and its permissions; use - for standard "
	                        "input." },
	[PP_IO_READ_FAILED] = { "io-read-failed", PP_ERROR, "reading failed part of the way",
	                        "The operating system reported an error while the input was "
	                        "being read, for example because a disk or a network file "
	                        "system failed. What came before is not used, as there is no "
	                        "telling how much is missing. Copy the file elsewhere and "
	                        "try again." },
	[PP_IO_WRITE_FAILED] = { "io-write-failed", PP_ERROR, "the output could not be written",
	                         "The operating system refused to create, write or rename the output: the disk is full, you "
	                         "may not write to the directory, or the reader of a pipe is gone. Output files are written "
	                         "beside their target and renamed when they are whole, so an older file of that name is left as "
	                         "it was." },
	[PP_IO_GZIP_TRUNCATED] = { "io-gzip-truncated", PP_ERROR, "the gzip data end too early",
	                           "The file ends in the middle of a gzip member: the profiler was killed, the disk was full, or the "
	                           "copy was cut. All bytes up to the cut are decoded and used; the profile is marked incomplete. "
	                           "Record or copy it again to get the rest." },
	[PP_IO_GZIP_CORRUPT] = { "io-gzip-corrupt", PP_ERROR, "the gzip data are damaged",
	                         "The compressed bytes break the rules of RFC 1951 or RFC 1952, so the file was altered after it "
	                         "was written (typically by a transfer in text mode). What was decoded up to that place is "
	                         "used, and the profile is marked incomplete; the last bytes before the damage may already be "
	                         "wrong." },
	[PP_IO_GZIP_CHECKSUM] = { "io-gzip-checksum", PP_ERROR,
	                          "a gzip checksum or length does not match",
	                          "A gzip member could be decoded, but its CRC-32 or its length differs from what the member says "
	                          "about itself: some decoded bytes are wrong or missing. They are used all the same and the "
	                          "profile is marked incomplete. Do not trust its figures; get an intact copy." },
	[PP_IO_ZLIB_TRUNCATED] = { "io-zlib-truncated", PP_ERROR,
	                           "the zlib stream inside the file ends too early",
	                           "The profile switches to zlib compression (RFC 1950) and the file ends before that stream does: "
	                           "the profiled program was killed or the copy was cut. All bytes up to the cut are used; the "
	                           "profile is marked incomplete." },
	[PP_IO_ZLIB_CORRUPT] = { "io-zlib-corrupt", PP_ERROR,
	                         "the zlib stream inside the file is damaged",
	                         "The compressed part of the profile breaks the rules of RFC 1950 or RFC 1951. What was decoded "
	                         "up to that place is used; the profile is marked incomplete." },
	[PP_IO_ZLIB_CHECKSUM] = { "io-zlib-checksum", PP_ERROR,
	                          "the checksum of the zlib stream does not match",
	                          "The compressed part of the profile could be decoded, but its Adler-32 differs: some bytes are "
	                          "wrong. They are used all the same and the profile is marked incomplete." },
	[PP_IO_ZSTD_TRUNCATED] = { "io-zstd-truncated", PP_ERROR, "the zstd data end too early",
	                           "The file ends in the middle of a zstd frame: the profiler was killed, the disk was full, or the "
	                           "copy was cut. All whole blocks up to the cut are decoded and used; the profile is marked "
	                           "incomplete." },
	[PP_IO_ZSTD_CORRUPT] = { "io-zstd-corrupt", PP_ERROR, "the zstd data are damaged",
	                         "The compressed bytes break the rules of RFC 8878, or the frame needs a dictionary, which "
	                         "profiles never do. What was decoded up to that place is used; the profile is marked incomplete." },
	[PP_IO_ZSTD_CHECKSUM] = { "io-zstd-checksum", PP_ERROR, "a zstd checksum does not match",
	                          "A zstd frame could be decoded, but its content checksum differs: some decoded bytes are wrong. "
	                          "They are used all the same and the profile is marked incomplete." },
	[PP_IO_TRAILING_DATA] = { "io-trailing-data", PP_WARNING,
	                          "there are bytes after the compressed data",
	                          "After the last gzip member or zstd frame come bytes that are neither another one nor zero "
	                          "padding. They are ignored. Perhaps two files were joined of which only the first is compressed." },
	[PP_IO_EXPANSION_LIMIT] = { "io-expansion-limit", PP_ERROR,
	                            "the input expands to a suspicious size",
	                            "The compressed layers of this file together unpack to far more bytes per byte of the file than "
	                            "any real profile does: it looks like a decompression bomb, and reading stops. A library user "
	                            "who knows better raises max_expansion or expansion_grace in pp_limits." },
	[PP_IO_TOO_MANY_LAYERS] = { "io-too-many-layers", PP_ERROR,
	                            "the input is compressed too many times over",
	                            "Under each layer of compression there was another one, more than max_filters of them. Real "
	                            "profiles have one; this looks like an attack, and the file is refused." },
	[PP_IO_LINE_TOO_LONG] = { "io-line-too-long", PP_ERROR, "a line is longer than the limit",
	                          "A text line exceeds max_line bytes (4 GiB unless set otherwise), so the input is probably not a "
	                          "text profile at all. Reading stops." },
	[PP_IO_CHANGED] = { "io-changed-while-reading", PP_WARNING,
	                    "the file changed while it was read",
	                    "Its size or time of modification differs from what they were when it was opened: somebody is "
	                    "still writing it. What was read may mix old and new bytes, so the profile is marked incomplete. "
	                    "Wait until the profiler has finished, then read it again." },
	[PP_IO_UNSUPPORTED_CONTAINER] = { "io-unsupported-compression", PP_ERROR,
	                                  "the file is compressed in a way that polyprof does not read",
	                                  "polyprof unpacks gzip and zstd itself. Unpack others first and pipe the result in, for example "
	                                  "`xz -dc profile.xz | polyprof top -`." },
	[PP_IO_UNKNOWN_FORMAT] = { "io-unknown-format", PP_ERROR, "no format recognises the input",
	                           "Every format was tried on the first 64 KiB, and none fits. `polyprof formats` lists what can "
	                           "be read; `polyprof info --why FILE` prints what each format made of it; --from names a format "
	                           "to use regardless." },
	[PP_IO_AMBIGUOUS_FORMAT] = { "io-ambiguous-format", PP_ERROR,
	                             "several formats recognise the input equally well",
	                             "The content fits more than one format and the file's name does not settle it. Name the right one "
	                             "with --from." },
	[PP_IO_LIMIT_REACHED] = { "io-limit-reached", PP_ERROR, "the input exceeds a limit",
	                          "The profile is larger, deeper or longer in some way than the limits (pp_limits) allow. They "
	                          "are generous: no real profile reaches them. A library user may raise them." },
	[PP_IO_NOTHING_USABLE] = { "io-nothing-usable", PP_ERROR,
	                           "nothing in the input can be used",
	                           "A profile has functions, costs or events, or is intact and empty. This input has lines or records "
	                           "that were refused, or none of the format that --from names, and nothing else: it is refused. "
	                           "Leave --from out if you named a format; record the profile again if it is damaged." },
	[PP_IO_RULE_COUNT] = { 0 },
};
