/*
 * Inputs of a store, read for packing: all but what happened when.
 */
#include "store/pack.h"

#include "api/api.h"
#include "store/extract.h"

/* Makes an extract of a profile that cells cannot hold, if that is wanted and possible. */
static void
extract_keep(const struct pp_profile *p, const struct pp_pack_input *input, struct pp_buf *extract)
{
	if (extract && !input->noted)
		(void)pp_extract_make(p, input->size, extract);
}

/* Reads what is ordered of an input. */
static struct pp_profile *
input_read(struct pp_supply *supply, const char *path, const char *format, unsigned facets,
           struct pp_pack_input *input, struct pp_buf *extract)
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
	/* Lines alone do not keep the rest from being packed. */
	if (profile && !(profile->lines.rows.n && facets & PP_LINES) &&
	    !pp_pack_possible(profile, pp_diags_total(&diags, PP_WARNING))) {
		extract_keep(profile, input, extract);
		pp_profile_free(profile);
		profile = NULL;
	}
	pp_diags_release(&diags);
	return profile;
}

/* All but what happened when; and without lines, where these are told to be in the input. */
static struct pp_profile *
whole_read(struct pp_supply *supply, const char *path, const char *format,
           struct pp_pack_input *input, struct pp_buf *extract)
{
	struct pp_profile *p = input_read(supply, path, format, PP_EXTRACT_FACETS, input, extract);

	if (!p || p->lines.rows.n == 0)
		return p;
	if (p->calls.rows.n || !(p->facets & PP_TREE)) {
		extract_keep(p, input, extract);
		pp_profile_free(p);
		return NULL;
	}
	pp_profile_free(p);
	p = input_read(supply, path, format, PP_EXTRACT_FACETS & ~(unsigned)PP_LINES, input, NULL);
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
	shown = input_read(supply, path, format, PP_EXTRACT_FACETS | PP_DROPS, input, NULL);
	if (!shown || shown->tree.n != whole->tree.n) {
		pp_profile_free(whole);
		whole = NULL;
	}
	pp_profile_free(shown);
	return whole;
}
