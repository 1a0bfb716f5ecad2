/*
 * Writing: what was read from this format from its own messages, all else by way of pprof's message (from_pprof.c), which any
 * profile can be.
 */
#include "formats/otlp/otlp.h"
#include "formats/otlp/translate.h"
#include "model/traits.h"
#include "formats/pprof/pprof.h"

static bool
path_ends(const struct pp_sink *sink, const char *ending)
{
	return sink->path && pp_name_ends(sink->path, ending);
}

/* How the user wants it: by variant, option or the name of the file. */
static enum otlp_form
form_of(const char *variant, const char *json, const struct pp_sink *sink)
{
	if (variant)
		return variant[0] == 'j'   ? OTLP_JSON
		       : variant[0] == 'l' ? OTLP_PREFIXED
		                           : OTLP_PROTOBUF;
	if (json)
		return strcmp(json, "yes") == 0 ? OTLP_JSON : OTLP_PROTOBUF;
	return path_ends(sink, "json") || path_ends(sink, "jsonl") ? OTLP_JSON : OTLP_PROTOBUF;
}

/* All messages of an input. Several cannot be one, as each has its own tables: they get lengths. */
static pp_status
messages_emit(const struct otlp_messages *m, enum otlp_form form, struct pp_sink *sink)
{
	bool no_memory = m->no_memory;
	size_t i;

	if (form == OTLP_PROTOBUF && m->list.n != 1)
		form = OTLP_PREFIXED;
	for (i = 0; i < m->list.n && !no_memory && sink->status == PP_OK; i++)
		pp_otlp_emit(m->list.at[i], form, sink, &no_memory);
	return no_memory ? PP_E_NOMEM : sink->status;
}

static pp_status
bytes_write(struct pp_slice bytes, enum otlp_form form, struct pp_sink *sink)
{
	struct otlp_messages m;
	struct pp_diags diags;
	pp_status status;

	pp_diags_init(&diags);
	pp_otlp_messages_open(&m, bytes, 0, &diags);
	status = messages_emit(&m, form, sink);
	pp_otlp_messages_release(&m);
	pp_diags_release(&diags);
	return status;
}

/* The profile as pprof's message. */
static pp_status
as_pprof(struct pp_writer *writer, struct pp_buf *bytes)
{
	static const char *const options[] = { "gzip=no", NULL };
	struct pp_write_opts opts = { .size = sizeof opts, .options = options };
	struct pp_writer own = *writer;
	struct pp_sink *sink = NULL;
	pp_status status = pp_sink_buffer(bytes, &sink);

	if (status != PP_OK)
		return status;
	own.opts = &opts;
	own.out = sink;
	status = pp_pprof_write(&own);
	writer->loss = own.loss;
	if (status == PP_OK)
		status = pp_sink_commit(sink);
	pp_sink_close(sink);
	return status;
}

pp_status
pp_otlp_write(struct pp_writer *writer)
{
	const struct pp_profile *p = writer->profile;
	struct pp_slice kept = pp_otlp_kept(p);
	enum otlp_form form = form_of(writer->opts->variant,
	                              pp_option_of(writer->opts->options, "json"), writer->out);
	struct pp_buf pprof = { 0 }, made = { 0 };
	pp_status status;

	if (kept.n) {
		writer->loss.verbatim = p->complete;
		return bytes_write(kept, form, writer->out);
	}
	status = as_pprof(writer, &pprof);
	if (status == PP_OK)
		status = pp_otlp_from_pprof(pp_slice_of(pprof.p, pprof.n), writer, &made);
	if (status == PP_OK)
		status = bytes_write(pp_slice_of(made.p, made.n), form, writer->out);
	pp_buf_release(&pprof);
	pp_buf_release(&made);
	return status;
}

pp_status
pp_otlp_rewrite(struct pp_reader *reader, struct pp_sink *sink)
{
	const char *variant = reader->variant;
	enum otlp_form form = form_of(variant, pp_reader_option(reader, "json"), sink);
	struct pp_whole whole = { 0 };
	struct otlp_messages m;
	pp_status status = pp_whole_open(&whole, reader);
	size_t first = reader->diags->list.n;
	bool cut = false;
	size_t i;

	if (status == PP_OK) {
		pp_otlp_messages_open(&m, pp_slice_between(reader->in->cur, reader->in->end),
		                      pp_input_offset(reader->in, reader->in->cur), reader->diags);
		for (i = 0; i < m.list.n && !m.no_memory; i++) {
			struct otlp_doc doc = { .from = &m,
				                .bytes = m.list.at[i],
				                .diags = reader->diags };

			if (pp_otlp_parse(&doc))
				pp_otlp_check_all(&doc, reader->seed);
			m.no_memory |= doc.no_memory;
			cut |= doc.cut;
			pp_otlp_release(&doc);
		}
		status = m.list.n == 0 && !m.no_memory ? PP_E_UNSUPPORTED
		                                       : messages_emit(&m, form, sink);
		if (cut || !m.complete || reader->in->status == PP_E_INVALID)
			pp_diag_add(reader->diags, &pp_loss_rules[PP_TRAIT_INCOMPLETE], PP_NOWHERE,
			            "not written: that the profile is incomplete");
		pp_diags_sort(reader->diags, first);
		pp_otlp_messages_release(&m);
	}
	pp_whole_close(&whole, reader);
	return status;
}
