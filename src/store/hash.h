/*
 * Hashes that are the same on every machine for ever: BLAKE2b (RFC 7693), unkeyed.
 *
 * What a store knows by its content (profiles, functions, nodes of stacks) is known by a digest of 16 bytes, over
 * parts each of which is preceded by its length as 64 bits, little endian: so no two lists of parts are
 * the same bytes. Tables in memory use base/hash.h, which is seeded and faster.
 */
#ifndef PP_STORE_HASH_H
#define PP_STORE_HASH_H

#include "base/buf.h"
#include "base/common.h"

#define PP_DIGEST 16
#define PP_BLAKE2B_MAX 64
#define PP_BLAKE2B_BLOCK 128

struct pp_blake2b {
	uint64_t state[8];
	pp_u128 counted; /* bytes that have gone into the state */
	unsigned char block[PP_BLAKE2B_BLOCK];
	size_t held; /* bytes that wait in `block` */
	size_t digest;
};

/* `digest` is how many bytes come out, 1 to PP_BLAKE2B_MAX. */
void pp_blake2b_init(struct pp_blake2b *, size_t digest);
void pp_blake2b_add(struct pp_blake2b *, const void *bytes, size_t n);
/* Writes the digest; the state is of no use afterwards. */
void pp_blake2b_end(struct pp_blake2b *, unsigned char *out);

/* ---- digests of parts ---- */

void pp_digest_begin(struct pp_blake2b *);
void pp_digest_part(struct pp_blake2b *, struct pp_slice);
/* The head of a part whose bytes follow through pp_blake2b_add(), exactly n of them. */
void pp_digest_part_head(struct pp_blake2b *, uint64_t n);
void pp_digest_end(struct pp_blake2b *, unsigned char out[PP_DIGEST]);

/* ---- what a store hashes ---- */

/*
 * What tells a function from others: its name, then where they are known file, first line and module, each behind
 * 0x1f and one of f, l, m. 0x1f and '\' within the texts have a '\' before them. Bytes, not UTF-8.
 */
void pp_function_key(struct pp_buf *, struct pp_slice name, struct pp_slice file, uint64_t line,
                     struct pp_slice module);
/* A node of a tree of stacks: its parent's digest (zeros at the root) and what tells its frame. */
void pp_node_digest(const unsigned char parent[PP_DIGEST], struct pp_slice frame_key,
                    unsigned char out[PP_DIGEST]);

/* A time that a file or a request states, or none. */
struct pp_stated_time {
	bool stated;
	int64_t ns;
};

/*
 * Begins the digest of a profile: its labels in canonical form (store/label_set.h), its times as far as they are stated, and
 * the length of its decoded bytes, which follow through pp_blake2b_add().
 */
void pp_profile_digest_init(struct pp_blake2b *, struct pp_slice labels, struct pp_stated_time t0,
                            struct pp_stated_time t1, uint64_t length);

/* As lower-case hexadecimal digits, with a NUL. */
void pp_digest_hex(const unsigned char digest[PP_DIGEST], char out[2 * PP_DIGEST + 1]);

#endif
