/*
 * What pprof and OTLP have in common.
 */
#include "formats/kit/sampled.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/slice.h"

/* A unit as google/pprof knows it: lower case, without an s at the end. Memory counts by 1024. */
static const struct pp_sampled_unit unit_table[] = {
	{ "ns", "ns", 1 },
	{ "nanosecond", "ns", 1 },
	{ "us", "ns", 1000 },
	{ "\xc2\xb5s", "ns", 1000 },
	{ "\xce\xbcs", "ns", 1000 },
	{ "\xc2\xb5", "ns", 1000 },
	{ "\xce\xbc", "ns", 1000 },
	{ "microsecond", "ns", 1000 },
	{ "ms", "ns", 1000000 },
	{ "millisecond", "ns", 1000000 },
	{ "s", "ns", 1000000000 },
	{ "sec", "ns", 1000000000 },
	{ "second", "ns", 1000000000 },
	{ "hr", "ns", 3600000000000 },
	{ "hour", "ns", 3600000000000 },
	{ "b", "bytes", 1 },
	{ "byte", "bytes", 1 },
	{ "kb", "bytes", 1024 },
	{ "kbyte", "bytes", 1024 },
	{ "kilobyte", "bytes", 1024 },
	{ "mb", "bytes", 1048576 },
	{ "mbyte", "bytes", 1048576 },
	{ "megabyte", "bytes", 1048576 },
	{ "gb", "bytes", 1073741824 },
	{ "gbyte", "bytes", 1073741824 },
	{ "gigabyte", "bytes", 1073741824 },
	{ "tb", "bytes", 1099511627776 },
	{ "tbyte", "bytes", 1099511627776 },
	{ "terabyte", "bytes", 1099511627776 },
	{ "pb", "bytes", 1125899906842624 },
	{ "pbyte", "bytes", 1125899906842624 },
	{ "petabyte", "bytes", 1125899906842624 },
};

const struct pp_sampled_unit *
pp_sampled_unit_find(struct pp_slice unit)
{
	char word[16];
	size_t i, n = unit.n;

	if (n >= sizeof word)
		return NULL;
	for (i = 0; i < n; i++)
		word[i] = (char)(unit.p[i] >= 'A' && unit.p[i] <= 'Z' ? unit.p[i] + 32 : unit.p[i]);
	n -= n > 2 && word[n - 1] == 's';
	for (i = 0; i < PP_COUNT_OF(unit_table); i++)
		if (strlen(unit_table[i].word) == n && memcmp(unit_table[i].word, word, n) == 0)
			return &unit_table[i];
	return NULL;
}

enum pp_metric_kind
pp_sampled_kind(struct pp_slice name, const struct pp_sampled_unit *unit, struct pp_slice spelled)
{
	if (unit && unit->unit[0] == 'n')
		return pp_slice_holds(name, "cpu")    ? PP_KIND_CPU_TIME
		       : pp_slice_holds(name, "idle") ? PP_KIND_IDLE_TIME
		                                      : PP_KIND_WALL_TIME;
	if (unit)
		return PP_KIND_BYTES;
	if (pp_slice_eq_z(spelled, "count") || spelled.n == 0)
		return pp_slice_eq_z(name, "samples") || pp_slice_eq_z(name, "sample")
		           ? PP_KIND_SAMPLES
		           : PP_KIND_COUNT;
	return PP_KIND_OTHER;
}

bool
pp_sampled_is_kernel(struct pp_slice file)
{
	return pp_slice_starts(file, "[kernel.") || pp_slice_starts(file, "[guest.kernel") ||
	       pp_slice_ends(file, "/vmlinux") || pp_slice_eq_z(file, "vmlinux");
}

pp_str
pp_sampled_placeholder(struct pp_builder *b, struct pp_slice file)
{
	size_t n, start;

	if (file.n == 0)
		return pp_build_strz(b, "<unknown>");
	for (n = file.n; n > 1 && file.p[n - 1] == '/';)
		n--;
	for (start = n; start > 0 && file.p[start - 1] != '/';)
		start--;
	start = start == n ? 0 : start;
	return pp_build_strf(b, "[%.*s]", (int)(n - start), (const char *)file.p + start);
}

static uint32_t
line_number(uint64_t number)
{
	return number <= UINT32_MAX ? (uint32_t)number : 0;
}

pp_frame
pp_sampled_frame(struct pp_builder *b, const struct pp_sampled_line *l)
{
	const struct pp_module_row *module = &b->profile->modules.at[l->module];
	bool kernel = l->kernel || (l->module && module->kind == PP_MODULE_KERNEL);
	struct pp_func_row func = { .module = l->module,
		                    .flags = (l->name.n ? 0 : PP_FUNC_UNKNOWN) |
		                             (kernel ? PP_FUNC_KERNEL : 0),
		                    .line = line_number(l->first) };
	struct pp_frame_row frame = { 0 };

	func.name = l->name.n ? pp_build_str(b, l->name)
	                      : pp_sampled_placeholder(b, pp_text_of(b->profile, module->name));
	func.file = l->file.n ? pp_build_str(b, l->file) : 0;
	frame.func = pp_build_func(b, &func);
	if (!pp_order_is_by_function(&b->order)) {
		frame.address = l->address;
		frame.line = line_number(l->line);
		frame.column = line_number(l->column);
		frame.inline_depth = (uint16_t)(l->outside < UINT16_MAX ? l->outside : UINT16_MAX);
		frame.flags = l->outside ? PP_FRAME_INLINED : 0;
	}
	return pp_build_frame(b, &frame);
}

void
pp_sampled_range_keep(struct pp_builder *b, pp_module module, uint64_t start, uint64_t limit,
                      uint64_t offset)
{
	char text[3 * PP_HEX_MAX];
	int n;

	if (!module || !(start || limit || offset))
		return;
	n = snprintf(text, sizeof text, "%llx %llx %llx", (unsigned long long)start,
	             (unsigned long long)limit, (unsigned long long)offset);
	pp_build_extra(b, PP_SAMPLED_RANGE, module, "range", pp_slice_of(text, (size_t)n));
}
