/*
 * A list of profiles as JSON.
 */
#include "store/list_json.h"

#include <string.h>

#include "store/hash.h"
#include "store/meta.h"
#include "text/json_emit.h"

static void
entry_json(struct pp_json *j, const struct pp_store_entry *e)
{
	char hex[2 * PP_DIGEST + 1];
	struct pp_arena arena = { 0 };
	struct pp_slice metrics, units;

	pp_digest_hex(e->hash, hex);
	pp_json_begin_object(j);
	pp_json_put_textz(j, "id", hex);
	pp_json_put_raw(j, "labels", e->labels, strlen(e->labels));
	pp_json_put_object(j, "time");
	pp_json_put_i64(j, "start", e->t0);
	pp_json_put_i64(j, "end", e->t1);
	pp_json_end_object(j);
	pp_json_put_textz(j, "format", e->format);
	metrics = pp_store_meta_member(e->meta, "metrics", &arena);
	pp_json_put_raw(j, "metrics", metrics.n ? (const char *)metrics.p : "{}",
	                metrics.n ? metrics.n : 2);
	pp_json_put_u64(j, "stacks", e->stacks);
	pp_json_put_bool(j, "complete", e->complete);
	pp_json_put_u64(j, "bytes", e->bytes);
	if (e->source[0])
		pp_json_put_name(j, "source", pp_slice_z(e->source));
	if (e->profiles > 1)
		pp_json_put_u64(j, "profiles", e->profiles);
	units = pp_store_meta_member(e->meta, "units", &arena);
	if (units.n)
		pp_json_put_raw(j, "units", (const char *)units.p, units.n);
	pp_arena_release(&arena);
	pp_json_end_object(j);
}

void
pp_store_list_json(const struct pp_store_list *list, size_t skip, size_t most, struct pp_sink *out)
{
	size_t n = list->entries.n, i, shown = 0;
	struct pp_json j;

	pp_json_init(&j, out, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	pp_json_put_array(&j, "profiles");
	for (i = n > skip ? n - skip : 0; i > 0 && (most == 0 || shown < most); i--, shown++)
		entry_json(&j, &list->entries.at[i - 1]);
	pp_json_end_array(&j);
	if (i > 0) {
		pp_json_put_object(&j, "cut");
		pp_json_put_u64(&j, "rows", i);
		pp_json_put_u64(&j, "page", skip + shown);
		pp_json_end_object(&j);
	}
	pp_json_end_object(&j);
	pp_json_end_line(&j);
}
