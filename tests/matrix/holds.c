/*
 * docs/conversions.md, made of what the formats say that they hold.
 *
 *     holds          prints the page
 *     holds FILE     says whether FILE is that page (TAP)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"

static const char head[] =
    "# Conversions: what each format keeps\n"
    "\n"
    "When a profile is written, whatever the format cannot hold is reported: "
    "one warning for each kind of "
    "information, with\n"
    "a count (`polyprof explain loss-addresses` says more). "
    "With `--lossless`, a loss is an "
    "error. This page is generated from\n"
    "the same data (`holds` of each format) by `tests/matrix/holds.c`; "
    "`tests/matrix/conversions.py` "
    "converts every sample\n"
    "to every format and back, and checks that whatever differs was "
    "reported.\n"
    "\n"
    "## Formats that can be written\n"
    "\n"
    "*yes*: kept; *own*: kept if it comes from the same format, otherwise not "
    "or only in part; *needed*: the "
    "format requires it, so it is\n"
    "made up if it is not known. Everything else is left out. SPAA carries "
    "profiles of any format completely, in "
    "records of its own.\n"
    "\n";

static const char tail[] =
    "\n"
    "nytprof, pynytprof, callgrind and SPAA write an unchanged profile of the "
    "same format back record by "
    "record, and\n"
    "lose nothing. Losses that only become apparent in writing are reported in the "
    "same way: names that had to "
    "be changed\n"
    "(`loss-names`), values that were rounded or do not fit (`loss-values`), "
    "metrics without a place "
    "(`loss-metrics`) or with\n"
    "another name or unit (`loss-units`), functions that become one "
    "(`loss-homonyms`) or two "
    "(`loss-recursion`).\n"
    "\n"
    "## From each format to each other\n"
    "\n"
    "What may be lost if the file has it, apart from names, values and metrics.\n";

/* Rows of the first table: each format, or each variant of it. */
static bool
next_row(size_t *format, size_t *variant)
{
	if (pp_formats[*format]->holds && pp_formats[*format]->holds[*variant].variant) {
		++*variant;
		return true;
	}
	*variant = 0;
	while (pp_formats[++*format] &&
	       (!pp_formats[*format]->holds || !(pp_formats[*format]->can & PP_CAN_WRITE)))
		;
	return pp_formats[*format] != NULL;
}

static void
put_name(struct pp_buf *page, size_t format, size_t variant)
{
	const struct pp_format *f = pp_formats[format];

	pp_buf_adds(page, f->name);
	if (f->holds[variant].variant)
		pp_buf_addf(page, " %s", f->holds[variant].variant);
	else if (variant)
		pp_buf_adds(page, " (older)");
}

static void
put_table(struct pp_buf *page)
{
	size_t format, variant, trait;

	pp_buf_adds(page, "| what |");
	for (format = variant = 0; pp_formats[format]; next_row(&format, &variant)) {
		pp_buf_adds(page, " ");
		put_name(page, format, variant);
		pp_buf_adds(page, " |");
	}
	pp_buf_adds(page, "\n|---|");
	for (format = variant = 0; pp_formats[format]; next_row(&format, &variant))
		pp_buf_adds(page, "---|");
	for (trait = 0; trait < PP_TRAITS; trait++) {
		pp_buf_addf(page, "\n| %s |", pp_trait_names[trait]);
		for (format = variant = 0; pp_formats[format]; next_row(&format, &variant)) {
			const struct pp_holds *h = &pp_formats[format]->holds[variant];

			pp_buf_addf(page, " %s%s |",
			            h->keeps >> trait & 1 ? "yes"
			            : h->own >> trait & 1 ? "own"
			                                  : "",
			            h->states >> trait & 1
			                ? &", needed"[2 * !((h->keeps | h->own) >> trait & 1)]
			                : "");
		}
	}
	pp_buf_adds(page, "\n| how many metrics |");
	for (format = variant = 0; pp_formats[format]; next_row(&format, &variant))
		if (pp_formats[format]->holds[variant].metrics)
			pp_buf_addf(page, " %u |", pp_formats[format]->holds[variant].metrics);
		else
			pp_buf_adds(page, " any |");
	pp_buf_adds(page, "\n\nValues:\n");
	for (format = variant = 0; pp_formats[format]; next_row(&format, &variant)) {
		pp_buf_adds(page, "- ");
		put_name(page, format, variant);
		pp_buf_addf(page, ": %s\n", pp_formats[format]->holds[variant].values);
	}
}

/* What one format has and another cannot hold. */
static void
put_pairs(struct pp_buf *page, const struct pp_format *from)
{
	const struct pp_holds *h = from->holds;
	uint64_t has = h->keeps | h->own | h->has;
	size_t format, variant, trait;

	pp_buf_addf(page, "\n### From %s\n\n| to | not written |\n|---|---|\n", from->name);
	for (format = variant = 0; pp_formats[format]; next_row(&format, &variant)) {
		const struct pp_holds *to = &pp_formats[format]->holds[variant];
		uint64_t lost = has & ~to->keeps;
		bool first = true;

		if (pp_formats[format] == from)
			continue;
		pp_buf_adds(page, "| ");
		put_name(page, format, variant);
		pp_buf_adds(page, " | ");
		for (trait = 0; trait < PP_TRAITS; trait++)
			if (lost >> trait & 1) {
				pp_buf_addf(page, "%s%s", first ? "" : ", ", pp_trait_names[trait]);
				first = false;
			}
		pp_buf_adds(page, first ? "nothing |\n" : " |\n");
	}
}

static bool
is_same(const char *path, const struct pp_buf *page)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(page->n + 2);
	size_t n = file && text ? fread(text, 1, page->n + 2, file) : 0;
	bool same = n == page->n && memcmp(text, page->p, n) == 0;

	if (file)
		fclose(file);
	free(text);
	return same;
}

int
main(int argc, char **argv)
{
	struct pp_buf page = { 0 };
	bool same = true;
	size_t i;

	pp_buf_adds(&page, head);
	put_table(&page);
	pp_buf_adds(&page, tail);
	for (i = 0; pp_formats[i]; i++)
		if (pp_formats[i]->holds && pp_formats[i]->can & PP_CAN_READ)
			put_pairs(&page, pp_formats[i]);
	if (argc < 2) {
		fwrite(page.p, 1, page.n, stdout);
	} else {
		same = is_same(argv[1], &page);
		printf("%s 1 - %s is what the formats hold\n1..1\n", same ? "ok" : "not ok",
		       argv[1]);
		if (!same)
			printf("# write it anew: tests/holds > docs/conversions.md in the build "
			       "directory\n");
	}
	pp_buf_release(&page);
	return same ? 0 : 1;
}
