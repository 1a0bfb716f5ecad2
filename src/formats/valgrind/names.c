/*
 * Names with ids: `(N) text` defines and uses, `(N)` uses, anything else is the name itself.
 *
 * Only '(' followed by a digit is an id: "(below main)" is a name. Ids live until the end of the file,
 * over parts, and may be defined anew. With --compress-mangled callgrind makes the text of a function itself
 * of ids: `(26) (10)'2'(14)`. What others write there is a name that looks like one.
 */
#include "formats/valgrind/family.h"

#include "base/num.h"

/* Ids up to here are kept in an array. */
#define SMALL_IDS ((uint64_t)1 << 20)

static const char *const space_names[] = { "object", "file", "function" };

void
pp_cg_ids_release(struct pp_cg_ids *ids)
{
	pp_vec_release(&ids->small);
	pp_vec_release(&ids->far);
	pp_map_release(&ids->large);
}

/* The entry of an id, made when absent if `make`; NULL when absent or out of memory. */
static struct pp_cg_id *
ids_entry(struct pp_cg_ids *ids, uint64_t id, bool make)
{
	uint32_t at;

	if (id < SMALL_IDS) {
		if (id >= ids->small.n) {
			size_t old = ids->small.n;

			if (!make || !pp_vec_reserve(&ids->small, id + 1))
				return NULL;
			memset(ids->small.at + old, 0, (id + 1 - old) * sizeof *ids->small.at);
			ids->small.n = id + 1;
		}
		return &ids->small.at[id];
	}
	at = pp_map_get(&ids->large, id);
	if (at == PP_MAP_NONE) {
		at = (uint32_t)ids->far.n;
		if (!make || !pp_vec_push(&ids->far, (struct pp_cg_id){ 0 }) ||
		    !pp_map_set(&ids->large, id, at))
			return NULL;
	}
	return &ids->far.at[at];
}

static bool
is_id(struct pp_slice s)
{
	return s.n >= 2 && s.p[0] == '(' && pp_is_digit(s.p[1]);
}

/* Replaces the ids inside a function's text by their names; false when it grows out of bounds. */
static bool
expand(struct pp_cg_parser *p, struct pp_slice text, struct pp_buf *out)
{
	uint64_t most = p->reader->limits.max_string;
	size_t i = 0;

	while (i < text.n && !out->failed && out->n <= most) {
		struct pp_slice rest = pp_slice_of(text.p + i, text.n - i);
		const struct pp_cg_id *known;
		const unsigned char *after;
		uint64_t id;

		if (is_id(rest) && (after = pp_cg_id(rest.p, &id)) != NULL &&
		    (known = ids_entry(&p->names.ids[PP_CG_FUNCTIONS], id, false)) != NULL &&
		    known->part) {
			struct pp_slice name = pp_text_of(p->builder->profile, known->name);

			pp_buf_add(out, name.p, name.n);
			i += (size_t)(after - rest.p);
		} else {
			pp_buf_addc(out, (char)text.p[i++]);
		}
	}
	return !out->failed && out->n <= most;
}

bool
pp_cg_id_define(struct pp_cg_parser *p, enum pp_cg_space space, uint64_t id, pp_str name)
{
	struct pp_cg_id *entry = ids_entry(&p->names.ids[space], id, true);
	bool anew;

	if (!entry) {
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
		return false;
	}
	anew = entry->part == p->head.part && entry->part && entry->name != name;
	if (anew)
		pp_cg_report(p, PP_CG_REDEFINED_ID, NULL, "%s id %llu had another name before",
		             space_names[space], (unsigned long long)id);
	*entry = (struct pp_cg_id){ name, p->head.part ? p->head.part : 1 };
	return !anew;
}

pp_str
pp_cg_id_name(struct pp_cg_parser *p, enum pp_cg_space space, uint64_t id)
{
	const struct pp_cg_id *entry = ids_entry(&p->names.ids[space], id, false);

	return entry && entry->part ? entry->name : 0;
}

pp_str
pp_cg_name(struct pp_cg_parser *p, enum pp_cg_space space, struct pp_slice value)
{
	struct pp_slice text, rest;
	struct pp_buf expanded = { 0 };
	const unsigned char *after;
	pp_str name;
	uint64_t id;

	/* Nearly all: an id that is known. */
	if (value.n && value.p[0] == '(' && (after = pp_cg_id(value.p, &id)) != NULL &&
	    pp_cg_is_line_end(after) && id < p->names.ids[space].small.n &&
	    p->names.ids[space].small.at[id].part)
		return p->names.ids[space].small.at[id].name;
	text = pp_slice_trim(value);
	if (!is_id(text))
		return pp_build_str(p->builder, text);
	after = pp_cg_id(text.p, &id);
	if (!after) {
		pp_cg_report(p, PP_CG_BAD_ID, text.p, "the id is not closed or too large");
		return pp_build_str(p->builder, text);
	}
	rest = pp_slice_trim(pp_slice_of(after, text.n - (size_t)(after - text.p)));
	if (rest.n) {
		name = 0;
		if (p->by_callgrind && space == PP_CG_FUNCTIONS && is_id(rest)) {
			if (expand(p, rest, &expanded))
				rest = pp_slice_of(expanded.p, expanded.n);
			else
				pp_cg_report(p, PP_CG_BAD_ID, rest.p, "the name grows too long");
		}
		name = pp_build_str(p->builder, rest);
		pp_buf_release(&expanded);
		(void)pp_cg_id_define(p, space, id, name);
		return name;
	}
	name = pp_cg_id_name(p, space, id);
	if (name)
		return name;
	p->names.undefined++;
	pp_cg_report(p, PP_CG_UNDEFINED_ID, text.p, "%s id %llu is never defined before",
	             space_names[space], (unsigned long long)id);
	return pp_build_str(p->builder, pp_slice_of(text.p, (size_t)(after - text.p)));
}
