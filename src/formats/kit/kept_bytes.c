/*
 * A file's own bytes, kept beside the profile that was read from them.
 */
#include "formats/kit/kept_bytes.h"

#include <stdlib.h>

#include "text/json_scan.h"

struct kept {
	const struct pp_format *owner;
	struct pp_buf bytes;
};

static void
kept_free(void *data)
{
	struct kept *own = data;

	pp_buf_release(&own->bytes);
	free(own);
}

bool
pp_kept_bytes_set(struct pp_kept_facet *kept, const struct pp_format *owner, struct pp_slice bytes)
{
	struct kept *own = calloc(1, sizeof *own);

	if (!own)
		return false;
	own->owner = owner;
	pp_buf_add(&own->bytes, bytes.p, bytes.n);
	if (pp_buf_room(&own->bytes, PP_SCAN_PAD))
		memset(own->bytes.p + own->bytes.n, 0, PP_SCAN_PAD);
	if (own->bytes.failed) {
		kept_free(own);
		return false;
	}
	kept->data = own;
	kept->free = kept_free;
	return true;
}

struct pp_slice
pp_kept_bytes(const struct pp_profile *p, const struct pp_format *owner)
{
	const struct kept *own = p->kept.free == kept_free ? p->kept.data : NULL;

	return own && own->owner == owner ? pp_slice_of(own->bytes.p, own->bytes.n)
	                                  : pp_slice_of(NULL, 0);
}

bool
pp_kept_bytes_save(const struct pp_profile *p, const struct pp_format *owner, struct pp_buf *out)
{
	struct pp_slice bytes = pp_kept_bytes(p, owner);

	pp_buf_add(out, bytes.p, bytes.n);
	return !out->failed;
}
