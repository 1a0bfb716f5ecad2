/*
 * Functions that programs compile while they run: a dump (jit-PID.dump) that a program has mapped tells when it put which one
 * where. Each is mapped when its time has come, as if it were a file of its own; then the stacks of each sample are of the
 * code that was there.
 */
#include "formats/perf/data.h"

bool
pp_pd_jit_is_dump(struct pp_slice name)
{
	size_t i = name.n;

	while (i > 0 && name.p[i - 1] != '/')
		i--;
	return pp_slice_starts(pp_slice_from(name, i), "jit-") && pp_slice_ends(name, ".dump");
}

static struct pp_pd_jit *
jit_of(struct pp_pd *d, uint32_t pid)
{
	size_t i;

	for (i = 0; i < d->threads.jits.n; i++)
		if (d->threads.jits.at[i].pid == pid)
			return &d->threads.jits.at[i];
	return NULL;
}

bool
pp_pd_jit_mapped(struct pp_pd *d, uint32_t pid, struct pp_slice name, uint32_t module, bool code)
{
	struct pp_pd_jit *jit = d->threads.jits.n || pp_pd_jit_is_dump(name) ? jit_of(d, pid)
	                                                                     : NULL;
	const struct pp_binary *b;

	/* Compilers change what may be run again and again: what they put there is known from the dump. */
	if (jit)
		return code && d->threads.modules.at[module].kind == PP_MODULE_JIT;
	if (!code || !pp_pd_jit_is_dump(name) || !d->symbols.native.wanted)
		return false;
	b = pp_pd_binary(d, module);
	if (b && b->jit.loads.n &&
	    !pp_vec_push(&d->threads.jits, (struct pp_pd_jit){ .pid = pid, .module = module }))
		pp_pd_no_memory(d);
	return false;
}

void
pp_pd_jit_until(struct pp_pd *d, const struct pp_pd_facts *f)
{
	struct pp_pd_jit *jit = d->threads.jits.n ? jit_of(d, f->pid) : NULL;
	const struct pp_jitdump *dump;
	bool timed;

	if (!jit)
		return;
	dump = &d->threads.modules.at[jit->module].binary.jit;
	/* By another clock nothing is known but the order. */
	timed = dump->clocked && f->has_time && f->attr->monotonic;
	for (; jit->done < dump->loads.n && pp_builder_ok(d->builder); jit->done++) {
		const struct pp_jit_load *load = &dump->loads.at[jit->done];

		if (timed && load->time > f->time)
			break;
		pp_pd_map(d, f->pid,
		          &(struct pp_pd_map){ .start = load->address,
		                               .end = load->address + load->size,
		                               .pgoff = load->at,
		                               .module = jit->module,
		                               .code = true });
	}
}
