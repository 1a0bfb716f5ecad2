/*
 * What the reader of call frame information finds at addresses of a binary: frames BINARY < ADDRESSES
 *
 * For each address (hexadecimal, a line each) a line: "- " where nothing is known, else the frame's address as "rN+M" or "exp",
 * then "N:RULE" for each register that has one, in readelf's words, RA first.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "symbols/cfi.h"

static void
rule_print(uint32_t number, const struct pp_cfi_rule *rule)
{
	long long value = (long long)rule->value;

	switch (rule->how) {
	case PP_CFI_SAME:
		break;
	case PP_CFI_LOST:
		printf(" %u:u", number);
		break;
	case PP_CFI_AT_OFFSET:
		printf(" %u:c%+lld", number, value);
		break;
	case PP_CFI_IS_OFFSET:
		printf(" %u:v%+lld", number, value);
		break;
	case PP_CFI_IN_REGISTER:
		printf(" %u:r%lld", number, value);
		break;
	case PP_CFI_AT_EXPRESSION:
		printf(" %u:exp", number);
		break;
	case PP_CFI_IS_EXPRESSION:
		printf(" %u:vexp", number);
		break;
	}
}

static void
row_print(const struct pp_cfi_row *row)
{
	uint32_t i;

	if (row->frame.how == PP_CFI_IS_EXPRESSION || row->frame.how == PP_CFI_AT_EXPRESSION)
		printf("exp");
	else
		printf("r%u%+lld", row->base, (long long)row->frame.value);
	printf(" ra=%u%s", row->return_register, row->signal ? " signal" : "");
	for (i = 0; i < PP_CFI_REGISTERS; i++)
		rule_print(i, &row->registers[i]);
	printf("\n");
}

int
main(int argc, char **argv)
{
	struct pp_buf bytes = { 0 };
	struct pp_elf elf;
	struct pp_cfi cfi;
	char block[65536], line[64];
	FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
	size_t n;

	while (file && (n = fread(block, 1, sizeof block, file)) > 0)
		pp_buf_add(&bytes, block, n);
	if (!file || bytes.failed || fclose(file) != 0 ||
	    !pp_elf_open(&elf, pp_slice_of(bytes.p ? bytes.p : "", bytes.n)) ||
	    !pp_cfi_open(&cfi, &elf))
		return 1;
	while (fgets(line, sizeof line, stdin)) {
		struct pp_cfi_row row;

		if (pp_cfi_find(&cfi, strtoull(line, NULL, 16), &row))
			row_print(&row);
		else
			printf("-\n");
	}
	pp_cfi_release(&cfi);
	pp_elf_release(&elf);
	pp_buf_release(&bytes);
	return 0;
}
