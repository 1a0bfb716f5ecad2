/*
 * Extracts as stores keep them: see extract_kept.h.
 */
#include "store/extract_kept.h"

#include "model/derive.h"
#include "store/parcel.h"

bool
pp_extract_keep(struct pp_slice extract, struct pp_buf *out)
{
	const struct pp_kept_file file = { "extract", extract.p, extract.n };

	return pp_parcel_make(&file, 1, out);
}

pp_status
pp_extract_open(struct pp_slice parcel, struct pp_supply *supply, uint64_t *size)
{
	struct pp_supply kept = { 0 };
	pp_status status = pp_parcel_open(parcel, &kept);

	*size = status == PP_OK ? kept.files[0].size : 0;
	if (status == PP_OK)
		status = pp_extract_read(pp_slice_of(kept.files[0].data, kept.files[0].size),
		                         &supply->size, &supply->profile);
	pp_parcel_drop(&kept);
	return status;
}

bool
pp_gains_ordered(const struct pp_order *order, const struct pp_profile *like)
{
	return !order || (pp_order_has_gains(order) &&
	                  (order->facets & PP_GAINS_ALL ||
	                   pp_metric_falls(&like->metrics.at[pp_profile_primary(like)])));
}

pp_status
pp_extract_settle(const struct pp_order *order, struct pp_supply *supply)
{
	struct pp_profile *p = supply->profile, *without = NULL;
	pp_status status = PP_OK;

	if (pp_metrics_shown(p) == p->metrics.n || pp_gains_ordered(order, p))
		return PP_OK;
	status = pp_gains_drop(p, &without);
	if (status == PP_OK && without) {
		pp_profile_adopt(without, p);
		supply->profile = without;
	}
	return status;
}
