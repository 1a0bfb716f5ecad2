/*
 * A report as one HTML file.
 *
 * Nothing of a profile stands in the page but its title, escaped, and letters of base64: a name has no
 * way to become markup. The policy lets no script run but the viewer, by its hash, and nothing load.
 */
#include "output/html.h"

#include <stdlib.h>

#include "output/embedded.h"
#include "output/html_data.h"
#include "text/base64.h"
#include "text/escape.h"

/* More moments than this make a viewer slow whatever the size of the file. */
#define MOST_MOMENTS 2000000
/* Nodes of a tree take about this many bytes. */
#define NODE_BYTES 2.2
#define ATTEMPTS 12
/* Room that is used to this share is used; more than this many tries for that are not worth their time. */
#define FULL 0.92
#define REFINED 4
/* Nodes of a tree in which nothing is left to be cut. */
#define SMALL 1000
/* A piece must fit at once: whoever asks is waiting for it. */
#define PIECE_MOMENT_BYTES 8
#define PIECE_FUNCTIONS 20000

bool
pp_html_possible(void)
{
	return pp_viewer_js_size > 0;
}

/* ---- packing ---------------------------------------------------------------------------- */

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

/* How much of everything was tried, and the bytes it took. */
struct attempt {
	double share, bytes;
};

struct fitting {
	struct pp_digest *digest;
	struct pp_html_data *data;
	double room;
	uint32_t most; /* nodes that may be kept */
	double nodes;  /* of everything these are what share 1 is */
	struct pp_html_detail whole;
	struct attempt fits, exceeds; /* bytes 0 = not tried */
	struct pp_buf packed, best;
	struct pp_html_cut best_cut;
	int tries;
};

static uint32_t
nodes_of(const struct fitting *f, double share)
{
	double nodes = f->nodes * share;

	return nodes > f->most ? f->most : (uint32_t)(nodes < 16 ? 16 : nodes);
}

/* Writes and packs so much of everything. */
static pp_status
fitting_try(struct fitting *f, double share)
{
	struct pp_html_detail detail = f->whole;
	uint32_t nodes = nodes_of(f, share);
	struct pp_digest_keep keep;
	double moments = (double)detail.moments * share + 1;
	pp_status status = pp_digest_keep_for(f->digest, nodes, &keep);

	detail.moments = moments > MOST_MOMENTS ? MOST_MOMENTS : (uint64_t)moments;
	if (share < 1)
		detail.source_bytes = (uint64_t)((double)detail.source_bytes * share);
	/* A tree that is small already says nothing about the other tables. */
	if (nodes < SMALL && f->tries > 2) {
		keep.min_share = keep.min_share > 1e-7 ? keep.min_share * 4 : 1e-7;
		keep.ties = 0;
	}
	detail.min_share = keep.min_share;
	f->tries++;
	if (status == PP_OK)
		status = pp_digest_cut(f->digest, keep);
	if (status == PP_OK)
		status = pp_html_data_write(f->data, &detail);
	if (status == PP_OK)
		status = pp_columns_pack(
		    pp_slice_of(f->data->columns.bytes.p, f->data->columns.bytes.n), &f->packed);
	return status;
}

/* Remembers what a try took; true when nothing better is worth the time. */
static bool
fitting_learn(struct fitting *f, double share)
{
	struct attempt now = { share, (double)f->packed.n };
	struct pp_html_cut *cut = f->data->cut;
	struct pp_buf swap = f->best;

	if (now.bytes > f->room) {
		f->exceeds = now;
		return f->fits.bytes > 0 && f->tries >= REFINED;
	}
	f->fits = now;
	f->best = f->packed;
	f->best_cut = *cut;
	f->packed = swap;
	return (!cut->nodes && !cut->resolution) || now.bytes >= f->room * FULL ||
	       nodes_of(f, share) < SMALL || f->tries >= REFINED || f->data->piecewise;
}

static double
fitting_next(const struct fitting *f)
{
	const struct attempt *a = &f->fits, *z = &f->exceeds;

	if (a->bytes <= 0)
		return z->share * f->room / z->bytes * 0.95;
	if (z->bytes <= 0)
		return a->share * f->room / a->bytes * 0.97;
	return a->share +
	       (z->share - a->share) * (f->room * 0.97 - a->bytes) / (z->bytes - a->bytes);
}

/* Writes as much of everything as fits: all of it, or nearly what there is room for. */
static pp_status
fit(struct fitting *f, struct pp_buf *packed)
{
	pp_status status = PP_OK;
	double share = 1;
	bool done = false;

	if (f->room < 4096)
		return PP_E_LIMIT;

	/* Text takes a quarter of its size when packed: so that is an eighth of the file. */
	f->whole = (struct pp_html_detail){ .moments = MOST_MOMENTS, .source_bytes = UINT64_MAX };
	if (f->room < 1e18)
		f->whole.source_bytes = (uint64_t)(f->room / 2);
	/* The whole is tried first, unless it is far too large for that to be worth its time. */
	f->most = f->digest->tree->n < f->most ? f->digest->tree->n : f->most;
	f->nodes = f->most;
	if (f->nodes > f->room)
		f->nodes = f->room / NODE_BYTES;
	if ((double)f->whole.moments > f->room)
		f->whole.moments = (uint64_t)(f->data->piecewise ? f->room / PIECE_MOMENT_BYTES
		                                                 : f->room);
	while (status == PP_OK && !done && f->tries < ATTEMPTS) {
		status = fitting_try(f, share);
		done = status == PP_OK && fitting_learn(f, share);
		share = fitting_next(f);
	}
	if (status == PP_OK && f->fits.bytes <= 0)
		status = PP_E_LIMIT;
	if (status == PP_OK) {
		*packed = f->best;
		f->best = (struct pp_buf){ 0 };
		*f->data->cut = f->best_cut;
	}
	pp_buf_release(&f->best);
	pp_buf_release(&f->packed);
	return status;
}

/* ---- reports, and their tables piece by piece --------------------------------------------- */

struct pp_html_tables {
	struct pp_digest digest;
	struct pp_html_data h;
	struct pp_html_cut cut;
};

void
pp_html_tables_free(struct pp_html_tables *t)
{
	if (!t)
		return;
	pp_html_data_release(&t->h);
	pp_digest_release(&t->digest);
	free(t);
}

pp_status
pp_html_tables_new(const struct pp_profile *const *profiles, size_t n,
                   const struct pp_html_opts *opts, struct pp_html_tables **out)
{
	struct pp_html_tables *t = calloc(1, sizeof *t);
	pp_status status = t ? PP_OK : PP_E_NOMEM;
	size_t k;

	if (t)
		t->h = (struct pp_html_data){ .digest = &t->digest, .opts = opts, .cut = &t->cut };
	for (k = 0; k < n && status == PP_OK; k++) {
		status = pp_flat_compute(profiles[k], &t->h.flat[k]);
		t->h.has_flat[k] = status == PP_OK;
		if (status == PP_E_UNSUPPORTED)
			status = PP_OK;
		if (t->h.has_flat[k] && !pp_flat_sort(&t->h.flat[k], PP_SORT_NAME, 0))
			status = PP_E_NOMEM;
	}
	if (status == PP_OK)
		status = pp_digest_init(&t->digest, profiles, n);
	if (status != PP_OK) {
		pp_html_tables_free(t);
		t = NULL;
	}
	*out = t;
	return status;
}

/* As many rows of the flat profile as fit. */
static pp_status
fit_functions(struct pp_html_tables *t, const struct pp_html_piece *piece, struct pp_buf *packed)
{
	struct pp_html_detail detail = { .functions = true };
	size_t rows = PIECE_FUNCTIONS, most = 0, k;
	pp_status status;

	for (k = 0; k < t->digest.profiles; k++)
		if (t->h.has_flat[k] && t->h.flat[k].n > most)
			most = t->h.flat[k].n;
	detail.from = piece->from < most ? (size_t)piece->from : most;
	do {
		detail.to = most - detail.from < rows ? most : detail.from + rows;
		status = pp_html_data_write(&t->h, &detail);
		if (status == PP_OK)
			status = pp_columns_pack(
			    pp_slice_of(t->h.columns.bytes.p, t->h.columns.bytes.n), packed);
		rows /= 2;
	} while (status == PP_OK && packed->n > piece->max_size && rows);
	return status == PP_OK && packed->n > piece->max_size ? PP_E_LIMIT : status;
}

/* The lines of one file, the heavy ones if not all fit. */
static pp_status
fit_lines(struct pp_html_tables *t, const struct pp_html_piece *piece, struct pp_buf *packed)
{
	struct pp_html_detail detail = { .file = piece->file };
	pp_status status;
	int attempt = 0;

	do {
		status = pp_html_data_write(&t->h, &detail);
		if (status == PP_OK)
			status = pp_columns_pack(
			    pp_slice_of(t->h.columns.bytes.p, t->h.columns.bytes.n), packed);
		detail.min_share = detail.min_share > 0 ? detail.min_share * 10 : 1e-9;
	} while (status == PP_OK && packed->n > piece->max_size && ++attempt < ATTEMPTS);
	return status == PP_OK && packed->n > piece->max_size ? PP_E_LIMIT : status;
}

pp_status
pp_html_tables_put(struct pp_html_tables *t, const struct pp_html_piece *piece, struct pp_sink *out)
{
	struct fitting fitting = { .digest = &t->digest,
		                   .data = &t->h,
		                   .room = (double)piece->max_size,
		                   .most = piece->nodes };
	struct pp_buf packed = { 0 };
	pp_status status = pp_digest_enter(&t->digest, piece->at) ? PP_OK : PP_E_USAGE;

	t->h.piecewise = true;
	if (status == PP_OK && piece->functions)
		status = fit_functions(t, piece, &packed);
	else if (status == PP_OK && piece->file)
		status = fit_lines(t, piece, &packed);
	else if (status == PP_OK)
		status = fit(&fitting, &packed);
	if (status == PP_OK)
		pp_sink_write(out, packed.p, packed.n);
	pp_buf_release(&packed);
	return status;
}

pp_status
pp_html_report(struct pp_sink *out, const struct pp_profile *const *profiles, size_t n,
               const struct pp_html_opts *opts, struct pp_html_cut *cut)
{
	struct fitting fitting = { .room = room_for_data(opts), .most = UINT32_MAX };
	struct pp_html_tables *t = NULL;
	struct pp_buf packed = { 0 };
	pp_status status = pp_html_possible() ? PP_OK : PP_E_UNSUPPORTED;

	if (status == PP_OK)
		status = pp_html_tables_new(profiles, n, opts, &t);
	if (status == PP_OK) {
		fitting.digest = &t->digest;
		fitting.data = &t->h;
		status = fit(&fitting, &packed);
	}
	if (status == PP_OK)
		put_page(out, opts, n, &packed);
	if (status == PP_OK)
		*cut = t->cut;
	pp_html_tables_free(t);
	pp_buf_release(&packed);
	return status;
}
