/*
 * Series by whose costs they are.
 */
#include "formats/kit/owners.h"

uint32_t
pp_owner_series(struct pp_owners *all, struct pp_builder *b, const struct pp_owner *o)
{
	int64_t numbers[] = { o->event, o->pid, o->tid, (int64_t)o->process.n,
		              (int64_t)o->thread.n };
	struct pp_buf *key = &all->key;
	bool is_new, fine = all->begun || pp_strtab_init(&all->known, b->seed);
	pp_str id = 0;

	all->begun = all->begun || fine;
	key->n = 0;
	pp_buf_add(key, numbers, sizeof numbers);
	pp_buf_add(key, o->process.p, o->process.n);
	pp_buf_add(key, o->thread.p, o->thread.n);
	pp_buf_add(key, o->context.p, o->context.n);
	fine = fine && !key->failed && pp_strtab_intern(&all->known, key->p, key->n, &id, &is_new);
	while (fine && all->series.n <= id)
		fine = pp_vec_push(&all->series, PP_NO_METRIC);
	if (!fine)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	if (!pp_builder_ok(b))
		return 0;
	if (all->series.at[id] == PP_NO_METRIC)
		all->series.at[id] = pp_build_series(
		    b,
		    &(struct pp_series){ .event = o->event,
		                         .process = pp_build_str(b, o->process),
		                         .thread = pp_build_str(b, o->thread),
		                         .context = pp_build_str(b, o->context),
		                         .pid = o->pid,
		                         .tid = o->tid,
		                         .cpu = -1 },
		    false, false);
	return all->series.at[id];
}

void
pp_owners_release(struct pp_owners *all)
{
	if (all->begun)
		pp_strtab_release(&all->known);
	pp_vec_release(&all->series);
	pp_buf_release(&all->key);
}

void
pp_owner_key(struct pp_owner *o, struct pp_slice key, struct pp_buf *rest)
{
	int64_t number;
	bool is_number = pp_num_i64(key, &number);

	if (is_number && o->pid < 0 && number >= 0) {
		o->pid = number;
	} else if (!is_number && !o->process.n) {
		o->process = key;
	} else {
		pp_buf_adds(rest, rest->n ? ", " : "");
		pp_buf_add(rest, key.p, key.n);
		o->context = pp_slice_of(rest->p, rest->n);
	}
}
