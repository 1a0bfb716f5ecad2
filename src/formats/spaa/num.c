/*
 * Hexadecimal ids and units of time.
 */
#include "formats/spaa/record.h"

#include "base/units.h"

bool
pp_spaa_is_hex(struct pp_slice s)
{
	unsigned char bad = 0;
	size_t i;

	if (s.n < 3 || s.p[0] != '0' || (s.p[1] | 32) != 'x')
		return false;
	/* Without a branch for each digit: ids are nothing else. */
	for (i = 2; i < s.n; i++) {
		unsigned char digit = (unsigned char)(s.p[i] - '0');
		unsigned char letter = (unsigned char)((s.p[i] | 32) - 'a');

		bad |= (unsigned char)(digit > 9) & (unsigned char)(letter > 5);
	}
	return !bad;
}

int64_t
pp_spaa_time_unit(struct pp_slice name, bool *odd)
{
	const struct pp_unit *unit = pp_unit_find(PP_UNIT_TIME, name);

	/* From ns to s in ASCII: nothing else is known to the format. */
	if (!unit || unit->form > PP_UNIT_FULL || unit->factor > 1000000000u || *name.p >= 0x80) {
		*odd = true;
		return 0;
	}
	*odd = unit->form == PP_UNIT_SYMBOL;
	return (int64_t)unit->factor;
}
