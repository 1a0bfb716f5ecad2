/*
 * Inputs of a store, read for packing: all but what happened when.
 */
#include "store/pack.h"

#include "api/api.h"
#include "formats/format.h"
#include "store/extract.h"

/*
 * What is made of a profile that is there already: to see whether it comes back as it was takes another profile, of some 4 bytes
 * for each of these, beside the first.
 */
#define ADDED_MAX ((uint64_t)8 << 20)

/* Whether cells cannot hold a profile, so that an extract is what there may be; lines alone do not keep the rest from being packed. */
static bool
is_for_extract(const struct pp_profile *p, uint64_t warnings)
{
	if (p->lines.rows.n)
		return p->calls.rows.n || !(p->facets & PP_TREE);
	return !pp_pack_possible(p, warnings);
}

/* Reads what is ordered of an input. */
static struct pp_profile *
input_read(struct pp_supply *supply, const char *path, const char *format, unsigned facets,
           struct pp_pack_input *input, uint64_t *warnings)
{
	const struct pp_kept_file *f = &supply->files[0];
	struct pp_read_opts opts = { .from = format, .threads = 1, .confined = true };
	struct pp_from from = { .data = f->size ? f->data : "",
		                .size = f->size,
		                .settled = true,
		                .companion = pp_supply_companion,
		                .ctx = supply };
	struct pp_profile *profile = NULL;
	struct pp_diags diags;
	struct pp_opened opened;

	pp_diags_init(&diags);
	if (pp_open_from(&opened, path, &from, &opts, &diags) == PP_OK) {
		opened.order->facets = facets;
		(void)pp_opened_read(&opened, &profile);
		pp_opened_close(&opened);
	}
	input->noted = pp_diags_count(&diags) > 0;
	*warnings = pp_diags_total(&diags, PP_WARNING);
	pp_diags_release(&diags);
	return profile;
}

/* The same, where cells can hold it. */
static struct pp_profile *
packable_read(struct pp_supply *supply, const char *path, const char *format, unsigned facets,
              struct pp_pack_input *input)
{
	uint64_t warnings;
	struct pp_profile *p = input_read(supply, path, format, facets, input, &warnings);

	if (p && is_for_extract(p, warnings)) {
		pp_profile_free(p);
		p = NULL;
	}
	return p;
}

/* All but what happened when; and without lines, where these are told to be in the input. */
static struct pp_profile *
whole_read(struct pp_supply *supply, const char *path, const char *format,
           struct pp_pack_input *input, struct pp_buf *extract)
{
	const unsigned facets = PP_EXTRACT_FACETS;
	uint64_t warnings;
	struct pp_profile *p = input_read(supply, path, format, facets, input, &warnings);

	if (p && is_for_extract(p, warnings)) {
		if (extract && !input->noted)
			(void)pp_extract_make(p, input->size, UINT64_MAX, extract);
		pp_profile_free(p);
		return NULL;
	}
	if (!p || p->lines.rows.n == 0)
		return p;
	pp_profile_free(p);
	p = packable_read(supply, path, format, facets & ~(unsigned)PP_LINES, input);
	if (p && !(p->holds & PP_LINES)) {
		pp_profile_free(p);
		p = NULL;
	}
	return p;
}

struct pp_profile *
pp_stored_read(struct pp_supply *supply, const char *path, const char *format,
               struct pp_pack_input *input, struct pp_buf *extract)
{
	struct pp_profile *whole, *shown;

	*input = (struct pp_pack_input){ 0 };
	if (supply->n == 0)
		return NULL;
	input->size = supply->files[0].size;
	whole = whole_read(supply, path, format, input, extract);
	/* Some of these list frames that are of no interest; whether they are asked for depends on the question. */
	if (!whole || !format || strcmp(format, "pprof") != 0)
		return whole;
	shown = packable_read(supply, path, format, PP_EXTRACT_FACETS | PP_DROPS, input);
	if (!shown || shown->tree.n != whole->tree.n) {
		pp_profile_free(whole);
		whole = NULL;
	}
	pp_profile_free(shown);
	return whole;
}

void
pp_stored_extract(const struct pp_profile *p, bool noted, struct pp_supply *supply,
                  const char *path, struct pp_buf *extract)
{
	const uint64_t size = supply->n ? supply->files[0].size : 0;
	struct pp_pack_input input;

	if (noted || supply->n == 0 || !is_for_extract(p, 0))
		return;
	if (!p->format->carries)
		(void)pp_extract_make(p, size, ADDED_MAX, extract);
	else if (size <= 2 * ADDED_MAX && pp_extract_possible(p))
		pp_profile_free(
		    pp_stored_read(supply, path, pp_format_name(p->format), &input, extract));
}
