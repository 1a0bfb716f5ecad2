/*
 * What a piece of text means to people; whoever prints it chooses the colour.
 */
#ifndef PP_INK_H
#define PP_INK_H

enum pp_ink {
	PP_INK_PLAIN,
	PP_INK_TITLE,  /* what the output is about */
	PP_INK_HEADER, /* column headers */
	PP_INK_FAINT,  /* context: places, units, footers */
	PP_INK_BAR,
	PP_INK_HOT,  /* a fifth of the whole or more */
	PP_INK_WARM, /* a twentieth or more */
	PP_INK_GOOD,
	PP_INK_NOTE,
	PP_INK_WARNING,
	PP_INK_ERROR,
	PP_INK_COMMAND, /* something to type */
	PP_INKS
};

/* The ink of a part of a whole. */
static inline enum pp_ink
pp_ink_of_share(double part, double whole)
{
	if (!(whole > 0) || part / whole < 0.05)
		return PP_INK_PLAIN;
	return part / whole >= 0.2 ? PP_INK_HOT : PP_INK_WARM;
}

#endif
