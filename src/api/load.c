/*
 * One file: opened, recognised, read; and what is wrong with it.
 */
#include <time.h>

#include "api/maps.h"
#include "api/members.h"
#include "model/derive.h"
#include "model/leaf_kind.h"
#include "questions/find.h"
#include "text/suggest.h"
#include "text/units.h"

static struct pp_answer *
answer_of(struct pp_reply *r)
{
	return &r->asking.answer;
}

/* ---- formats and their options ---- */

/* Says what is wrong with the format to read, with a suggestion. */
pp_status
pp_load_from_check(struct pp_reply *r)
{
	const char *from = r->asking.params->reading.from;
	const struct pp_format *format = from ? pp_format_among(r->opts.formats, from) : NULL;
	struct pp_buf hint = { 0 };
	pp_status status;

	if (!from || (format && (format->can & PP_CAN_READ)))
		return PP_OK;
	pp_suggest_format(from, PP_CAN_READ, &hint);
	status = pp_answer_fail(answer_of(r), PP_E_USAGE, "no-format",
	                        "no format '%s' can be read%s", from,
	                        hint.n ? hint.p : "; `polyprof formats` lists them");
	pp_buf_release(&hint);
	return status;
}

/* Offers a format's options for a suggestion. */
static void
options_offer(const struct pp_format *format, struct pp_suggest *suggest)
{
	const struct pp_option_doc *doc;

	for (doc = format ? format->options : NULL; doc && doc->key; doc++)
		pp_suggest_offer(suggest, pp_slice_z(doc->key));
}

/* Each option must mean something to the format read, or to the one written. */
static pp_status
options_check(struct pp_reply *r, const struct pp_format *format, const struct pp_format *target)
{
	const struct pp_texts *options = &r->asking.params->reading.options;
	size_t i;

	for (i = 0; i < options->list.n; i++) {
		const char *text = options->list.at[i].text, *equals = strchr(text, '=');
		struct pp_slice key = pp_slice_of(text, equals ? (size_t)(equals - text) : 0);
		struct pp_suggest suggest;
		struct pp_buf hint = { 0 };
		pp_status status;

		if (key.n == 0)
			return pp_answer_fail(answer_of(r), PP_E_USAGE, PP_RULE_USAGE,
			                      "--option takes KEY=VALUE, not '%s'", text);
		if (pp_format_has_option(format, text) ||
		    (target && pp_format_has_option(target, text)))
			continue;
		pp_suggest_init(&suggest, key);
		options_offer(format, &suggest);
		options_offer(target, &suggest);
		pp_suggest_print(&suggest, &hint, "");
		status = pp_answer_fail(answer_of(r), PP_E_USAGE, "no-option",
		                        "format %s has no option '%.*s'%s", format->name,
		                        (int)key.n, key.p, hint.n ? hint.p : "");
		pp_buf_release(&hint);
		return status;
	}
	return PP_OK;
}

/* ---- one file ---- */

uint64_t
pp_load_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void
pp_load_progress(const struct pp_reply *r, struct pp_progress_at at)
{
	if (r->opts.progress)
		r->opts.progress(r->opts.ctx, &at);
}

static bool
reading_progress(void *data, uint64_t done, uint64_t total)
{
	const struct pp_reply *r = data;

	pp_load_progress(
	    r, (struct pp_progress_at){ .file = r->reading_file, .done = done, .total = total });
	return r->opts.stop && r->opts.stop(r->opts.ctx);
}

static bool
may_be_about(void *about, const char *name, size_t n)
{
	/* Idle time is left out of the whole, so its functions must be read. */
	return pp_find_possible(about, name, n) || pp_name_is_idle(pp_slice_of(name, n));
}

static void
diags_release(void *diags)
{
	pp_diags_release(diags);
}

/* A place for the findings of a file, which live as long as the answer; NULL when out of memory. */
static struct pp_diags *
diags_new(struct pp_reply *r)
{
	struct pp_diags *diags = pp_answer_own(answer_of(r), sizeof *diags, diags_release);

	if (diags)
		pp_diags_init(diags);
	return diags;
}

/* Appends an option that has a switch of its own; false when out of memory. */
static bool
option_add(struct pp_reply *r, const char **list, size_t *n, const char *key, const char *value)
{
	size_t size = strlen(key) + strlen(value) + 1;
	char *text = list ? pp_answer_alloc(answer_of(r), size) : NULL;

	if (!text)
		return false;
	memcpy(text, key, strlen(key));
	memcpy(text + strlen(key), value, strlen(value) + 1);
	list[(*n)++] = text;
	return true;
}

/* "key=value" of the format, NULL at the end; NULL when out of memory. */
static const char **
options_list(struct pp_reply *r)
{
	const struct pp_texts *options = &r->asking.params->reading.options;
	const char **list = pp_answer_alloc(answer_of(r), (options->list.n + 5) * sizeof *list);
	const struct pp_reading *reading = &r->asking.params->reading;
	size_t i;

	for (i = 0; list && i < options->list.n; i++)
		list[i] = options->list.at[i].text;
	if (list && reading->inlined)
		list[i++] = "inline=yes";
	if (list && reading->symbolize)
		list[i++] = "symbolize=yes";
	if ((reading->binary && !option_add(r, list, &i, "binary=", reading->binary)) ||
	    (reading->debug_dir && !option_add(r, list, &i, "debug-dir=", reading->debug_dir)))
		return NULL;
	return list;
}

const struct pp_kept_file *
pp_supply_companion(void *supply, const char *base_name)
{
	const struct pp_supply *s = supply;
	size_t i;

	for (i = 1; i < s->n; i++)
		if (strcmp(s->files[i].name, base_name) == 0)
			return &s->files[i];
	return NULL;
}

/* How many keys there are if a reader is to report no others; else 0. */
static size_t
reader_keys(const struct pp_load_order *order)
{
	return order->all_labels ? 0 : order->label_key_count;
}

/* A profile out of a store: its files are opened, or it is there. */
static pp_status
member_begin(struct pp_reply *r, const struct pp_stored *member, struct pp_loaded *l,
             const struct pp_load_order *order, const struct pp_read_opts *opts)
{
	const struct pp_order plain = { .facets = order->want.facets,
		                        .label_key_count = reader_keys(order),
		                        .maps = pp_maps_given(r) };
	/* Formats that are told how to read have to. */
	const bool as_usual = !opts->from && !opts->variant && !opts->options[0] &&
	                      !order->want.target;
	struct pp_supply *s = &l->supply, *kept;
	struct pp_read_opts as = *opts;
	struct pp_buf problem = { 0 };
	pp_status status = r->opts.provider->load(member->selected, member->nth,
	                                          as_usual ? &plain : NULL, s, &problem);
	struct pp_from from = { 0 };

	if (status != PP_OK && status != PP_E_NOMEM) {
		if (problem.n == 0)
			pp_buf_adds(&problem, pp_status_text(status));
		pp_member_hint(r, l->file, &problem);
		(void)pp_answer_fail(answer_of(r), status, "damaged-store", "%s",
		                     problem.p ? problem.p : pp_status_text(status));
	}
	pp_buf_release(&problem);
	if (status != PP_OK || s->n == 0) {
		l->profile = s->profile;
		l->opened.file_size = s->size;
		s->profile = NULL;
		return status;
	}
	/* What is opened may move, and is read later. */
	kept = pp_answer_alloc(answer_of(r), sizeof *kept);
	if (!kept)
		return PP_E_NOMEM;
	*kept = *s;
	/* Memory of no bytes has an address, too. */
	from = (struct pp_from){ .data = s->files[0].size ? s->files[0].data : "",
		                 .size = s->files[0].size,
		                 .companion = pp_supply_companion,
		                 .ctx = kept };
	/* It may have been named when it was added, because nobody recognises it. */
	as.from = as.from ? as.from : s->format;
	return pp_open_from(&l->opened, s->path, &from, &as, l->diags);
}

static pp_status
loaded_begin(struct pp_reply *r, struct pp_loaded *l, const struct pp_load_order *order,
             const struct pp_read_opts *opts)
{
	const struct pp_stored *member = pp_member_find(r, l->file);

	return member ? member_begin(r, member, l, order, opts)
	              : pp_open(&l->opened, l->file, NULL, 0, opts, l->diags);
}

/* What a store says of a profile answers to labels that are asked for, as what the file says of itself does. */
static void
member_label(struct pp_reply *r, struct pp_loaded *l)
{
	const struct pp_stored *member = pp_member_find(r, l->file);
	size_t i;

	for (i = 0; member && l->profile && i < l->label_key_count; i++) {
		struct pp_slice text = r->opts.provider->label(member->selected, member->nth,
		                                               l->label_keys[i]);

		if (text.n && !pp_profile_label(l->profile, l->label_keys[i], text))
			l->status = PP_E_NOMEM;
	}
}

/* Opens a file and lets the formats bid; l->status tells how it went. A status for wrong options (said). */
pp_status
pp_loaded_open(struct pp_reply *r, const char *file, const struct pp_load_order *order,
               struct pp_loaded *l)
{
	const struct pp_reading *reading = &r->asking.params->reading;
	uint64_t start = pp_load_clock(), jobs = reading->jobs == PP_UNSET ? 0 : reading->jobs;
	struct pp_read_opts opts = { .from = reading->from,
		                     .want = order->want.facets,
		                     .threads = jobs > 1024 ? 1024 : (unsigned)jobs,
		                     .options = options_list(r),
		                     .formats = r->opts.formats,
		                     .map = r->opts.map,
		                     .confined = r->opts.confined,
		                     /* What is written has a variant of its own. */
		                     .variant = order->want.target ? NULL : reading->variant };

	*l = (struct pp_loaded){ .file = file, .status = PP_E_NOMEM, .diags = diags_new(r) };
	if (!opts.options || !l->diags)
		return PP_OK;
	r->reading_file = file;
	if (r->opts.progress || r->opts.stop) {
		opts.progress = reading_progress;
		opts.progress_ctx = r;
	}
	l->status = loaded_begin(r, l, order, &opts);
	l->is_open = l->status == PP_OK && !l->profile;
	l->label_keys = order->label_keys;
	l->label_key_count = order->label_key_count;
	if (!l->is_open)
		member_label(r, l);
	if (l->is_open) {
		l->opened.order->facets = order->want.facets | l->supply.facets;
		l->opened.order->filter = order->filter;
		l->opened.order->filter_stacks = order->filter_stacks;
		l->opened.order->label_keys = order->label_keys;
		l->opened.order->label_key_count = reader_keys(order);
		l->opened.order->min_share = order->want.prune;
		l->opened.order->cut_share = order->want.cut;
		l->opened.order->maps = pp_maps_given(r);
	}
	if (l->is_open && order->want.about) {
		l->keep = (struct pp_keep){ may_be_about, (void *)(uintptr_t)order->want.about };
		l->opened.order->keep = &l->keep;
	}
	l->nanoseconds = pp_load_clock() - start;
	if (!l->is_open || !l->opened.format)
		return PP_OK;
	if (!pp_format_has_variant(l->opened.format, opts.variant))
		return pp_answer_fail(answer_of(r), PP_E_USAGE, "no-variant",
		                      "format %s has no variant '%s'", l->opened.format->name,
		                      opts.variant);
	return options_check(r, l->opened.format, order->want.target);
}

void
pp_loaded_read(struct pp_reply *r, struct pp_loaded *l)
{
	uint64_t start = pp_load_clock();

	if (l->status == PP_OK && !l->profile)
		l->status = pp_opened_read(&l->opened, &l->profile);
	if (l->is_open)
		member_label(r, l);
	pp_load_progress(r, (struct pp_progress_at){ .file = l->file, .over = true });
	l->nanoseconds += pp_load_clock() - start;
}

void
pp_loaded_drop(struct pp_reply *r, struct pp_loaded *l)
{
	if (l->is_open)
		pp_opened_close(&l->opened);
	l->is_open = false;
	if (l->supply.data || l->supply.profile)
		r->opts.provider->drop(&l->supply);
	pp_profile_free(l->profile);
	l->profile = NULL;
}

/* How much was read and how fast, for those who want to know. */
void
pp_loaded_speed(struct pp_reply *r, const struct pp_loaded *l)
{
	struct pp_buf text = { 0 };
	double bytes = (double)l->opened.file_size, seconds = (double)l->nanoseconds / 1e9;

	if (!r->opts.verbose || l->status != PP_OK)
		return;
	pp_buf_adds(&text, "read ");
	pp_units_bytes(&text, bytes);
	pp_buf_adds(&text, " in ");
	pp_units_time(&text, (double)l->nanoseconds);
	if (seconds > 0 && bytes > 0) {
		pp_buf_adds(&text, ", ");
		pp_units_bytes(&text, bytes / seconds);
		pp_buf_adds(&text, "/s");
	}
	if (text.p)
		pp_answer_note(answer_of(r), "speed", "%s: %s", l->file, text.p);
	pp_buf_release(&text);
}

void
pp_reply_findings(const struct pp_reply *r, const struct pp_diags *diags)
{
	if (r->opts.findings && diags)
		r->opts.findings(r->opts.ctx, diags);
}

/* Why a file could not be read, in words that quote nothing of it. */
static void
unreadable_keep(struct pp_answer *a, const struct pp_diags *diags)
{
	size_t i;

	for (i = 0; i < pp_diags_count(diags) && !a->unreadable; i++) {
		const struct pp_diag *d = pp_diags_get(diags, i);

		if (d->severity == PP_ERROR)
			a->unreadable = pp_answer_copy(
			    a, pp_slice_z(strncmp(d->rule->id, "io-", 3) == 0 ? d->message
			                                                      : d->rule->title));
	}
}

/* The findings say why it failed; where there are none the status has to. */
void
pp_loaded_failure(struct pp_reply *r, const struct pp_loaded *l)
{
	if (l->status != PP_OK && !(l->diags && pp_diags_total(l->diags, PP_ERROR) > 0))
		(void)pp_answer_fail(answer_of(r), l->status, "unreadable", "%s: %s", l->file,
		                     pp_status_text(l->status));
	else if (l->status != PP_OK)
		unreadable_keep(answer_of(r), l->diags);
}

pp_status
pp_loaded_verdict(struct pp_reply *r, const struct pp_loaded *l, bool again)
{
	bool damaged = (l->diags && pp_diags_total(l->diags, PP_ERROR) > 0) ||
	               (l->profile && !l->profile->complete);

	r->input_bytes += l->opened.bytes_read;
	if (!again)
		pp_reply_findings(r, l->diags);
	pp_loaded_failure(r, l);
	pp_loaded_speed(r, l);
	if (l->status == PP_OK && damaged && r->asking.params->reading.strict)
		return pp_answer_fail(answer_of(r), PP_E_INVALID, "damaged",
		                      "%s is damaged, and --strict forbids using the rest",
		                      l->file);
	return l->status;
}

pp_status
pp_load_turn(struct pp_reply *r, struct pp_profile **profile, bool negate)
{
	struct pp_profile *turned = NULL;
	pp_status status = pp_profile_turn(*profile, negate, &turned);

	if (status == PP_E_LIMIT)
		return pp_answer_fail(answer_of(r), status, "base-failed",
		                      "a cost is too large to be subtracted");
	if (status != PP_OK)
		return pp_answer_fail_status(answer_of(r), status);
	pp_profile_adopt(turned, *profile);
	*profile = turned;
	return PP_OK;
}
