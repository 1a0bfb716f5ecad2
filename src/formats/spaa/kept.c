/*
 * The records of a SPAA file as they were, for writing them back without loss.
 */
#include "base/slice.h"
#include "formats/spaa/spaa.h"

static void
kept_free(void *data)
{
	struct pp_spaa_kept *kept = data;

	pp_buf_release(&kept->lines);
	free(kept);
}

struct pp_spaa_kept *
pp_spaa_kept_new(struct pp_kept_facet *facet)
{
	struct pp_spaa_kept *kept = calloc(1, sizeof *kept);

	if (kept) {
		facet->data = kept;
		facet->free = kept_free;
	}
	return kept;
}

void
pp_spaa_kept_add(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	struct pp_buf *b = &r->carried.kept->lines;
	struct pp_slice text = pp_slice_trim(rec->text); /* blanks around a record mean nothing */

	pp_buf_add(b, text.p, text.n);
	pp_buf_addc(b, '\n');
	if (b->failed)
		pp_spaa_no_memory(r);
}

void
pp_spaa_kept_drop(struct pp_spaa_reader *r)
{
	struct pp_kept_facet *facet = &r->builder->profile->kept;

	if (!r->carried.kept)
		return;
	kept_free(facet->data);
	facet->data = r->carried.kept = NULL;
	facet->free = NULL;
}

const struct pp_spaa_kept *
pp_spaa_kept_of(const struct pp_profile *p)
{
	const struct pp_spaa_kept *kept = p->kept.free == kept_free ? p->kept.data : NULL;

	/* What was cut before it could be read as records, the records know nothing of. */
	return kept && (p->complete || kept->incomplete) ? kept : NULL;
}
