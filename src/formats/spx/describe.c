/*
 * What a report tells of itself: its metadata, and the first bytes of its body.
 */
#include "base/num.h"
#include "formats/spx/spx.h"

static int64_t
number_of(const struct pp_profile *p, const char *key)
{
	int64_t value;

	return pp_num_i64(pp_profile_meta(p, key), &value) && value >= 0 ? value : -1;
}

static bool
is_said(struct pp_slice s)
{
	return s.n && !pp_slice_eq_z(s, "n/a");
}

/* The request of a web server, else the command. */
static void
describe_what(const struct pp_profile *p, struct pp_brief *brief)
{
	struct pp_slice method = pp_profile_meta(p, "http_method");
	struct pp_slice host = pp_profile_meta(p, "http_host");
	struct pp_slice uri = pp_profile_meta(p, "http_request_uri");
	struct pp_slice command = pp_profile_meta(p, "cli_command_line");

	if (is_said(pp_profile_meta(p, "host_name"))) {
		struct pp_slice machine = pp_profile_meta(p, "host_name");

		pp_buf_add(&brief->host, machine.p, machine.n);
	}
	if (number_of(p, "cli") != 1 && is_said(uri)) {
		brief->is_request = true;
		if (is_said(method)) {
			pp_buf_add(&brief->what, method.p, method.n);
			pp_buf_addc(&brief->what, ' ');
		}
		if (is_said(host))
			pp_buf_add(&brief->what, host.p, host.n);
		pp_buf_add(&brief->what, uri.p, uri.n);
	} else if (is_said(command)) {
		pp_buf_add(&brief->what, command.p, command.n);
	}
}

static void
describe_meta(const struct pp_profile *p, struct pp_brief *brief)
{
	int64_t micro = number_of(p, "wall_time_ms"), calls = number_of(p, "call_count");

	describe_what(p, brief);
	brief->recorded_at = p->recorded_at;
	/* Microseconds, whatever the key says. */
	brief->has_wall = micro >= 0 && !__builtin_mul_overflow(micro, 1000, &brief->wall);
	pp_buf_adds(&brief->metric, "wt");
	brief->has_calls = calls >= 0;
	brief->calls = calls >= 0 ? (uint64_t)calls : 0;
}

/* The layout, by the first event. */
static const char *
variant_of(struct pp_input *body)
{
	static const char events[] = "[events]\n";
	const unsigned char *p, *newline;

	(void)pp_input_need(body, 256);
	p = body->cur;
	if (pp_input_left(body) < sizeof events || memcmp(p, events, sizeof events - 1) != 0)
		return NULL;
	p += sizeof events - 1;
	newline = memchr(p, '\n', (size_t)(body->end - p));
	if (!newline || *p == '[')
		return NULL;
	return memchr(p, '|', (size_t)(newline - p)) ? "0.5" : "0.4";
}

/* From the .json: whether its body is there, and of which layout. */
static void
describe_body(struct pp_reader *r, struct pp_brief *brief)
{
	struct pp_input *body;
	char name[1024];

	if (pp_spx_body_open(r, name, sizeof name, &body, NULL) != PP_OK) {
		brief->complete = false;
		return;
	}
	pp_buf_adds(&brief->companion, name);
	brief->variant = variant_of(body);
	brief->complete = brief->complete && pp_input_left(body) > 0;
	body->close(body);
}

pp_status
pp_spx_describe(struct pp_reader *r, struct pp_brief *brief)
{
	struct spx_meta meta = { 0 };
	struct pp_builder b;
	struct pp_diags diags;
	pp_status status = PP_OK;

	brief->known_complete = true;
	/* SPX writes the json last: a body alone is still being written, or its run was killed. */
	if (!pp_spx_is_json(r->in)) {
		brief->complete = false;
		brief->variant = variant_of(r->in);
		return PP_OK;
	}
	if (!pp_builder_init(&b, &r->limits, NULL, r->seed, &pp_pages_plain))
		return PP_E_NOMEM;
	pp_diags_init(&diags);
	pp_spx_meta_read(r->in, &b, &diags, &meta);
	status = b.status;
	brief->complete = pp_diags_of_rule(&diags, &pp_spx_rules[SPX_META_BROKEN]) == 0;
	if (status == PP_OK) {
		describe_meta(b.profile, brief);
		describe_body(r, brief);
	}
	if (brief->what.failed || brief->host.failed || brief->companion.failed ||
	    brief->metric.failed)
		status = PP_E_NOMEM;
	pp_diags_release(&diags);
	pp_vec_release(&meta.keys);
	pp_builder_release(&b);
	return status;
}
