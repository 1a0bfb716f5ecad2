/*
 * Records of JSON that are written alike: the same bytes but for their numbers and texts. A program that writes a million
 * of them has one way to do so; the first is scanned, and what follows is compared with it.
 *
 *     if (!pp_json_alike_read(&a, &scan, numbers, texts)) {
 *             ... scan it, and for each value in turn:
 *                     pp_json_alike_number(&a, &num, 3)      it is numbers[3]
 *                     pp_json_alike_text(&a, &str, 0)        it is texts[0]
 *             pp_json_alike_end(&a, &scan, true);
 *     }
 *
 * Only what the scanner would give in the same way is taken: whole numbers of up to 18 digits, texts of plain ASCII
 * without escapes, and values of any kind, which are passed over. Whatever else comes is left where it is, to be scanned; nothing
 * is allocated.
 */
#ifndef PP_KIT_JSON_ALIKE_H
#define PP_KIT_JSON_ALIKE_H

#include "text/json_scan.h"

#define PP_ALIKE_VALUES 32
#define PP_ALIKE_BYTES 512

enum { PP_ALIKE_NUMBER, PP_ALIKE_DIGITS, PP_ALIKE_TEXT, PP_ALIKE_ANY };

struct pp_json_alike {
	bool learning, known;
	const unsigned char *at; /* behind the last value, while it is learned */
	unsigned n;
	uint16_t used; /* of the bytes */
	uint32_t read; /* since it was asked whether anybody still wants them */
	/* By value, and one more for what follows the last: the bytes before it, and where it goes. */
	struct pp_alike_value {
		uint16_t from, bytes;
		uint8_t to;
		uint8_t kind; /* PP_ALIKE_* */
	} values[PP_ALIKE_VALUES + 1];
	unsigned char bytes[PP_ALIKE_BYTES + 8];
};

/* The value that comes next, if it is like the one learned last: its numbers and texts. False: it is to be scanned. */
bool pp_json_alike_read(struct pp_json_alike *, struct pp_scan *, int64_t *numbers,
                        struct pp_slice *texts);
/* The same in two steps, for who knows several ways in which they are written: whether it is like that one, and else to learn it. */
bool pp_json_alike_try(const struct pp_json_alike *, struct pp_scan *, int64_t *numbers,
                       struct pp_slice *texts);
void pp_json_alike_learn(struct pp_json_alike *, struct pp_scan *);
/* Learns the values of one that is scanned, in their order. What has too many parts is not learned. */
void pp_json_alike_number(struct pp_json_alike *, const struct pp_json_num *, unsigned to);
void pp_json_alike_text(struct pp_json_alike *, const struct pp_json_str *, unsigned to);
/* A number of which the digits are wanted, as a text; and any value, as it is written. */
void pp_json_alike_digits(struct pp_json_alike *, struct pp_slice, unsigned to);
void pp_json_alike_any(struct pp_json_alike *, struct pp_slice, unsigned to);
/* It was scanned, and is one to go by. */
void pp_json_alike_end(struct pp_json_alike *, const struct pp_scan *, bool fine);

#endif
