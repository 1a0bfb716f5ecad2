/*
 * polyprof info: what a file is and what it holds.
 */
#include <time.h>

#include "cli/load.h"
#include "output/field.h"
#include "output/json_view.h"
#include "text/units.h"

static int info_run(struct pp_cli *);

static const struct pp_param info_options[] = {
	{ "why", 0, PP_PARAM_FLAG, NULL,
	  "print what each format made of the file: the bits it verified", PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group info_group = { "Recognition", info_options };

static const struct pp_param_group *const info_groups[] = {
	&info_group,      &pp_group_object,  &pp_group_read, &pp_group_variant,
	&pp_group_strict, &pp_group_general, NULL,
};

static const struct pp_example info_examples[] = {
	{ "info app.folded.gz", "format, compression, metrics and how much of everything" },
	{ "info --why mystery.out", "why it was (or was not) recognised" },
	{ "info --json app.folded", "the same for a script" },
	{ 0 },
};

const struct pp_command pp_command_info = {
	.name = "info",
	.synopsis = "FILE...",
	.summary = "what a file is: format, metrics with totals, counts, completeness",
	.details =
	    "Several files are described one after the other; with --json as a list under \"files\".",
	.groups = info_groups,
	.examples = info_examples,
	.hint = PP_HINT_FILE,
	.run = info_run,
};

/* ---- JSON ---- */

static void
info_json(struct pp_json *j, const struct pp_loaded *l, const struct pp_counts *counts, bool why)
{
	size_t i;

	pp_json_begin_object(j);
	pp_json_put_name(j, "file", pp_slice_z(l->file));
	pp_json_put_profile(j, l->profile, counts);
	pp_json_put_meta(j, l->profile);
	pp_json_put_diags(j, &l->diags);
	if (l->profile->recorded_at)
		pp_json_put_i64(j, "recorded", l->profile->recorded_at);
	if (l->opened.file_size)
		pp_json_put_u64(j, "size", l->opened.file_size);
	if (why) {
		pp_json_put_array(j, "bids");
		for (i = 0; i < l->opened.bid_count; i++) {
			pp_json_begin_object(j);
			pp_json_put_textz(j, "format", l->opened.bids[i].format->name);
			pp_json_put_i64(j, "bits", l->opened.bids[i].bits);
			pp_json_end_object(j);
		}
		pp_json_end_array(j);
	}
	pp_json_end_object(j);
}

/* ---- text ---- */

#define KEY_COLUMNS 14

static void
key_print(struct pp_cli *cli, const char *key)
{
	size_t n = strlen(key);

	pp_sink_puts(cli->out, "  ");
	pp_ink_put(cli->out, &cli->style, PP_INK_FAINT, key);
	pp_text_pad(cli->out, n < KEY_COLUMNS ? KEY_COLUMNS - n : 1);
}

static void
key_text(struct pp_cli *cli, const char *key, struct pp_slice text)
{
	if (text.n == 0)
		return;
	key_print(cli, key);
	pp_ink_text(cli->out, &cli->style, PP_INK_PLAIN, text);
	pp_sink_putc(cli->out, '\n');
}

/* Takes the text of a buffer and empties it. */
static void
key_buf(struct pp_cli *cli, const char *key, struct pp_buf *text)
{
	key_text(cli, key, pp_slice_of(text->p, text->n));
	text->n = 0;
}

static void
info_title(struct pp_cli *cli, const struct pp_loaded *l)
{
	/* An empty line between two files. */
	if (cli->out->cur > cli->out->begin || cli->out->written > 0)
		pp_sink_putc(cli->out, '\n');
	pp_ink_text(cli->out, &cli->style, PP_INK_TITLE,
	            pp_slice_z(strcmp(l->file, "-") == 0 ? "standard input" : l->file));
	pp_sink_putc(cli->out, '\n');
}

static void
info_format(struct pp_cli *cli, const struct pp_loaded *l)
{
	const struct pp_profile *p = l->profile;
	struct pp_slice variant = pp_text_of(p, p->variant);
	struct pp_buf text = { 0 };
	size_t i;

	pp_buf_addf(&text, "%s (%s", p->format->name, p->format->title);
	if (variant.n) {
		pp_buf_adds(&text, ", variant ");
		pp_buf_add(&text, variant.p, variant.n);
	}
	pp_buf_adds(&text, ")");
	key_buf(cli, "format", &text);
	for (i = 0; i < PP_COUNT_OF(p->compression) && p->compression[i]; i++) {
		struct pp_slice name = pp_text_of(p, p->compression[i]);

		pp_buf_adds(&text, i ? ", then " : "");
		pp_buf_add(&text, name.p, name.n);
	}
	key_buf(cli, "compression", &text);
	if (l->opened.file_size)
		pp_units_bytes(&text, (double)l->opened.file_size);
	key_buf(cli, "size", &text);
	key_text(cli, "producer", pp_text_of(p, p->producer));
	pp_buf_release(&text);
}

static void
info_time(struct pp_cli *cli, const struct pp_profile *p)
{
	struct pp_buf text = { 0 };
	time_t when = (time_t)p->recorded_at;
	struct tm tm;
	char date[64];

	if (p->recorded_at && gmtime_r(&when, &tm) &&
	    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &tm))
		pp_buf_adds(&text, date);
	key_buf(cli, "recorded", &text);
	if (p->time.known) {
		pp_units_time(&text, (double)p->time.end - (double)p->time.start);
		if (p->time.start != 0) {
			pp_buf_adds(&text, " (from ");
			pp_units_time(&text, (double)p->time.start);
			pp_buf_adds(&text, " to ");
			pp_units_time(&text, (double)p->time.end);
			pp_buf_adds(&text, ")");
		}
	}
	key_buf(cli, "time", &text);
	pp_buf_release(&text);
}

static void
info_facets(struct pp_cli *cli, const struct pp_profile *p)
{
	struct pp_buf text = { 0 };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(pp_facet_names); i++)
		if (p->holds & pp_facet_names[i].facet)
			pp_buf_addf(&text, "%s%s", text.n ? ", " : "", pp_facet_names[i].name);
	key_buf(cli, "facets", &text);
	key_print(cli, "complete");
	if (p->complete)
		pp_ink_put(cli->out, &cli->style, PP_INK_GOOD, "yes");
	else
		pp_ink_put(cli->out, &cli->style, PP_INK_WARNING, "no: something is missing");
	pp_sink_putc(cli->out, '\n');
	pp_buf_release(&text);
}

static void
info_counts(struct pp_cli *cli, const struct pp_profile *p, const struct pp_counts *counts)
{
	struct pp_buf text = { 0 };

	pp_units_listed(&text, p->events, "event", "events");
	pp_units_listed(&text, p->samples, "sample", "samples");
	pp_units_listed(&text, counts->stacks, "stack", "stacks");
	pp_units_listed(&text, counts->functions, "function", "functions");
	if (counts->threads > 1)
		pp_units_listed(&text, counts->threads, "thread", "threads");
	pp_units_listed(&text, counts->edges, "edge", "edges");
	pp_units_listed(&text, counts->lines, "line", "lines");
	if (text.n == 0)
		pp_buf_adds(&text, "nothing: the profile is empty");
	key_buf(cli, "holds", &text);
	pp_buf_release(&text);
}

static void
info_metrics(struct pp_cli *cli, const struct pp_profile *p)
{
	size_t primary = pp_profile_primary(p), i;
	struct pp_buf text = { 0 };

	for (i = 0; i < p->metrics.n; i++) {
		const struct pp_metric *m = &p->metrics.at[i];
		struct pp_slice title = pp_text_of(p, m->title);

		pp_metric_describe(&text, p, m, pp_value_double(m, pp_profile_total(p, i)));
		if (title.n) {
			pp_buf_adds(&text, " (");
			pp_buf_add(&text, title.p, title.n);
			pp_buf_adds(&text, ")");
		}
		if (i == primary && p->metrics.n > 1)
			pp_buf_adds(&text, ", primary");
		if (m->event) {
			pp_buf_adds(&text, ", of ");
			pp_buf_add(&text, pp_text_of(p, m->event).p, pp_text_of(p, m->event).n);
		}
		key_buf(cli, i ? "" : p->metrics.n > 1 ? "metrics" : "metric", &text);
	}
	pp_buf_release(&text);
}

/* Meta data as `key  value`, nested ones by their path. */
static void
info_meta(struct pp_cli *cli, const struct pp_profile *p)
{
	struct pp_buf text = { 0 };
	size_t i;

	for (i = 0; i < p->meta.n; i++) {
		const struct pp_meta_row *row = &p->meta.at[i];
		struct pp_slice key = pp_text_of(p, row->key), value = pp_text_of(p, row->text);
		uint32_t parent;
		unsigned depth = 0;

		for (parent = row->parent; parent != 0 && depth < 16;
		     parent = p->meta.at[parent - 1].parent)
			depth++;
		pp_buf_addf(&text, "%*s", (int)(2 * depth), "");
		pp_buf_add(&text, key.p, key.n);
		if (row->type != PP_META_OBJECT && row->type != PP_META_ARRAY) {
			pp_buf_adds(&text, key.n ? " = " : "");
			pp_buf_add(&text, value.p, value.n);
		}
		key_buf(cli, i ? "" : "meta", &text);
	}
	pp_buf_release(&text);
}

static void
info_bids(struct pp_cli *cli, const struct pp_loaded *l)
{
	struct pp_buf text = { 0 };
	size_t i;

	for (i = 0; i < l->opened.bid_count; i++) {
		const struct pp_bid *bid = &l->opened.bids[i];

		pp_buf_addf(&text, "%s: %d %s%s", bid->format->name, bid->bits,
		            pp_plural((uint64_t)bid->bits, "bit", "bits"),
		            bid->format == l->opened.format ? ", chosen" : "");
		key_buf(cli, i ? "" : "bids", &text);
	}
	pp_buf_release(&text);
}

static void
info_text(struct pp_cli *cli, const struct pp_loaded *l, const struct pp_counts *counts)
{
	info_title(cli, l);
	info_format(cli, l);
	info_time(cli, l->profile);
	info_facets(cli, l->profile);
	info_metrics(cli, l->profile);
	info_counts(cli, l->profile, counts);
	info_meta(cli, l->profile);
}

/* ---- running ---- */

/* One file; the findings go to standard error in both forms of output. */
static int
info_one(struct pp_cli *cli, const char *file, struct pp_json *json)
{
	bool why = pp_args_flag(&cli->args, "why");
	struct pp_counts counts;
	struct pp_loaded l;
	int code = pp_load_open(cli, file, PP_LOAD_WANT, &l);

	if (code == 0) {
		pp_load_read(&l);
		code = pp_load_verdict(cli, &l);
		/* A file that nobody recognised still has bids, which is when they are wanted most. */
		if (code != 0 && why && l.is_open && !json) {
			info_title(cli, &l);
			info_bids(cli, &l);
		}
	}
	if (code == 0 && !pp_counts_compute(l.profile, &counts)) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		code = PP_EXIT_INPUT;
	}
	if (code == 0 && json)
		info_json(json, &l, &counts, why);
	if (code == 0 && !json)
		info_text(cli, &l, &counts);
	if (code == 0 && !json && why)
		info_bids(cli, &l);
	pp_loaded_release(&l);
	return code;
}

static int
info_run(struct pp_cli *cli)
{
	bool as_json = pp_args_flag(&cli->args, "json");
	const char *const *files;
	struct pp_json json;
	size_t n, i;
	int code = pp_load_files(cli, 0, &files, &n), worst = 0;

	if (code == 0)
		code = pp_cli_output(cli);
	if (code)
		return code;
	pp_json_init(&json, cli->out, PP_JSON_SPACED);
	if (as_json && n > 1) {
		pp_json_begin_object(&json);
		pp_json_put_array(&json, "files");
	}
	for (i = 0; i < n; i++) {
		code = info_one(cli, files[i], as_json ? &json : NULL);
		worst = code > worst ? code : worst;
	}
	/* What was said about the other files stands. */
	cli->stands = n > 1 || pp_args_flag(&cli->args, "why");
	if (as_json && n > 1) {
		pp_json_end_array(&json);
		pp_json_end_object(&json);
	}
	if (as_json && (n > 1 || worst == 0))
		pp_json_end_line(&json);
	return worst;
}
