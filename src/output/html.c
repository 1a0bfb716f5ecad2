/*
 * A report as one HTML file.
 *
 * Nothing of a profile stands in the page but its title, escaped, and letters of base64: a name has no
 * way to become markup. The policy lets no script run but the viewer, by its hash, and nothing load.
 */
#include "output/html.h"

#include <stdlib.h>

#include "io/squeeze.h"
#include "output/embedded.h"
#include "output/html_data.h"
#include "text/base64.h"
#include "text/escape.h"

/* More moments than this make a viewer slow whatever the size of the file. */
#define MOST_MOMENTS 2000000
/* Nodes of a tree take about this many bytes. */
#define NODE_BYTES 2.2
#define ATTEMPTS 12

bool
pp_html_possible(void)
{
	return pp_viewer_js_size > 0;
}

/* ---- packing ---------------------------------------------------------------------------- */

static pp_status
pack(struct pp_slice in, struct pp_buf *out)
{
	struct pp_squeeze *squeeze = pp_squeeze_gzip();
	bool done = false, ok = squeeze != NULL;

	out->n = 0;
	while (ok && !done) {
		char *room = pp_buf_room(out, 65536);
		size_t made = 0;

		ok = room &&
		     squeeze->step(squeeze, &in, true, (unsigned char *)room, 65536, &made, &done);
		out->n += made;
	}
	if (squeeze)
		squeeze->free(squeeze);
	return ok ? PP_OK : PP_E_NOMEM;
}

static void
put_base64(struct pp_sink *out, const char *bytes, size_t n)
{
	char text[PP_BASE64_SIZE(3072)];
	size_t at, piece;

	for (at = 0; at < n; at += piece) {
		piece = n - at < 3072 ? n - at : 3072;
		pp_base64_put(text, bytes + at, piece);
		pp_sink_write(out, text, PP_BASE64_SIZE(piece));
	}
}

/* ---- the page --------------------------------------------------------------------------- */

static void
put_title(struct pp_sink *out, const struct pp_html_opts *opts, size_t profiles)
{
	size_t k;

	if (opts->title) {
		pp_escape_xml(out, pp_slice_z(opts->title));
		return;
	}
	for (k = 0; k < profiles; k++) {
		if (k && strcmp(opts->files[k], opts->files[0]) == 0)
			continue;
		pp_sink_puts(out, k ? " \xe2\x86\x92 " : "");
		pp_escape_xml(out, pp_slice_z(opts->files[k]));
	}
	pp_sink_puts(out, " \xe2\x80\x93 polyprof");
}

static void
put_page(struct pp_sink *out, const struct pp_html_opts *opts, size_t profiles,
         const struct pp_buf *packed)
{
	pp_sink_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	                  "<meta http-equiv=\"Content-Security-Policy\" content=\""
	                  "default-src 'none'; script-src '");
	pp_sink_write(out, pp_viewer_js_hash, pp_viewer_js_hash_size);
	pp_sink_puts(out, "'; style-src '");
	pp_sink_write(out, pp_viewer_css_hash, pp_viewer_css_hash_size);
	pp_sink_puts(out, "'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
	                  "<meta name=\"viewport\" content=\"width=device-width, "
	                  "initial-scale=1\">\n<meta name=\"generator\" content=\"polyprof ");
	pp_sink_puts(out, pp_version());
	pp_sink_puts(out, "\">\n<title>");
	put_title(out, opts, profiles);
	pp_sink_puts(out, "</title>\n<style>");
	pp_sink_write(out, pp_viewer_css, pp_viewer_css_size);
	pp_sink_puts(out, "</style>\n</head>\n<body>\n<noscript><p class=\"lacks\">Scripts are "
	                  "switched off here, and this report needs them. They are part of this "
	                  "file: it loads nothing and sends nothing.</p></noscript>\n"
	                  "<script type=\"application/octet-stream\" id=\"data\">");
	put_base64(out, packed->p, packed->n);
	pp_sink_puts(out, "</script>\n<script>");
	pp_sink_write(out, pp_viewer_js, pp_viewer_js_size);
	pp_sink_puts(out, "</script>\n</body>\n</html>\n");
}

/* ---- as much as fits -------------------------------------------------------------------- */

/* Bytes that packed data may take so that the page stays within its size. */
static double
room_for_data(const struct pp_html_opts *opts)
{
	double page = (double)(pp_viewer_js_size + pp_viewer_css_size) + 4096;

	if (opts->title)
		page += 6 * (double)strlen(opts->title);
	return opts->max_size ? ((double)opts->max_size - page) * 0.75 : 1e18;
}

/* Writes the data in less and less detail until it fits. */
static pp_status
fit(struct pp_digest *d, struct pp_html_data *h, double room, struct pp_buf *packed)
{
	/* Text takes a quarter of its size when packed: so that is an eighth of the file. */
	struct pp_html_detail detail = { .moments = MOST_MOMENTS, .source_bytes = UINT64_MAX };
	uint32_t nodes = d->tree->n;
	pp_status status;
	int attempt;

	if (room < 4096)
		return PP_E_LIMIT;
	if (room < 1e18)
		detail.source_bytes = (uint64_t)(room / 2);
	/* The whole is tried first, unless it is far too large for that to be worth its time. */
	if (nodes > room)
		nodes = (uint32_t)(room / NODE_BYTES);
	if ((double)detail.moments > room)
		detail.moments = (uint64_t)room;
	for (attempt = 0; attempt < ATTEMPTS; attempt++) {
		double ratio;

		status = pp_digest_weight_for(d, nodes, &detail.min_share);
		/* A tree that is small already says nothing about the other tables. */
		if (status == PP_OK && nodes < 1000 && attempt > 2)
			detail.min_share = detail.min_share > 1e-7 ? detail.min_share * 4 : 1e-7;
		if (status == PP_OK)
			status = pp_digest_cut(d, detail.min_share);
		if (status == PP_OK)
			status = pp_html_data_write(h, &detail);
		if (status == PP_OK)
			status = pack(pp_slice_of(h->columns.bytes.p, h->columns.bytes.n), packed);
		if (status != PP_OK || (double)packed->n <= room)
			return status;
		ratio = room / (double)packed->n * 0.92;
		nodes = (uint32_t)((double)(nodes < d->up.n ? nodes : d->up.n) * ratio);
		nodes = nodes < 16 ? 16 : nodes;
		detail.moments = (uint64_t)((double)detail.moments * ratio) + 1;
		detail.source_bytes = (uint64_t)((double)detail.source_bytes * ratio);
	}
	return PP_E_LIMIT;
}

pp_status
pp_html_report(struct pp_sink *out, const struct pp_profile *const *profiles, size_t n,
               const struct pp_html_opts *opts, struct pp_html_cut *cut)
{
	struct pp_digest digest = { 0 };
	struct pp_html_data h = { .digest = &digest, .opts = opts, .cut = cut };
	struct pp_buf packed = { 0 };
	pp_status status = pp_html_possible() ? PP_OK : PP_E_UNSUPPORTED;
	size_t k;

	for (k = 0; k < n && status == PP_OK; k++) {
		status = pp_flat_compute(profiles[k], &h.flat[k]);
		h.has_flat[k] = status == PP_OK;
		if (status == PP_E_UNSUPPORTED)
			status = PP_OK;
		if (h.has_flat[k] && !pp_flat_sort(&h.flat[k], PP_SORT_NAME, 0))
			status = PP_E_NOMEM;
	}
	if (status == PP_OK)
		status = pp_digest_init(&digest, profiles, n);
	if (status == PP_OK)
		status = fit(&digest, &h, room_for_data(opts), &packed);
	if (status == PP_OK)
		put_page(out, opts, n, &packed);
	pp_html_data_release(&h);
	pp_digest_release(&digest);
	pp_buf_release(&packed);
	return status;
}
