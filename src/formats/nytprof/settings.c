/*
 * Attributes and options.
 */
#include "formats/nytprof/settings.h"

#include "base/slice.h"

bool
pp_nyt_setting_split(struct pp_slice line, struct pp_nyt_setting *s)
{
	bool found;

	s->key = pp_slice_cut(&line, '=', &found);
	s->value = line;
	return found;
}

struct pp_nyt_setting *
pp_nyt_setting_find(const struct pp_nyt_settings *s, struct pp_slice key, bool option)
{
	size_t i;

	for (i = 0; i < s->rows.n; i++)
		if (s->rows.at[i].option == option && pp_slice_eq(s->rows.at[i].key, key))
			return &s->rows.at[i];
	return NULL;
}

static bool
copied(struct pp_nyt_settings *s, struct pp_slice *text)
{
	const char *copy = pp_arena_copy(&s->arena, text->p, text->n);

	*text = pp_slice_of(copy, text->n);
	return copy != NULL;
}

bool
pp_nyt_setting_set(struct pp_nyt_settings *s, struct pp_nyt_setting setting, bool copy)
{
	struct pp_nyt_setting *old = pp_nyt_setting_find(s, setting.key, setting.option);

	if (copy && (!copied(s, &setting.key) || !copied(s, &setting.value)))
		return false;
	if (!old)
		return pp_vec_push(&s->rows, setting);
	old->value = setting.value;
	return true;
}

struct pp_slice
pp_nyt_setting_value(const struct pp_nyt_settings *s, const char *key, bool option)
{
	const struct pp_nyt_setting *found = pp_nyt_setting_find(s, pp_slice_z(key), option);

	return found ? found->value : pp_slice_of("", 0);
}

void
pp_nyt_settings_meta(const struct pp_nyt_settings *s, struct pp_builder *b)
{
	uint32_t options = 0;
	unsigned option;
	size_t i;

	for (option = 0; option < 2; option++)
		for (i = 0; i < s->rows.n; i++) {
			const struct pp_nyt_setting *row = &s->rows.at[i];

			if (row->option != option)
				continue;
			if (option && !options)
				options = pp_build_meta(b, 0, pp_slice_z("options"), PP_META_OBJECT,
				                        pp_slice_of("", 0));
			(void)pp_build_meta(b, options, row->key, PP_META_TEXT, row->value);
		}
}

void
pp_nyt_settings_release(struct pp_nyt_settings *s)
{
	pp_vec_release(&s->rows);
	pp_arena_release(&s->arena);
}

void
pp_nyt_metric_rate(struct pp_metric *m, uint64_t ticks_per_second)
{
	uint64_t divisor = 1000000000;

	while (ticks_per_second % divisor)
		divisor /= 10;
	m->factor_num = 1000000000 / divisor;
	m->factor_den = ticks_per_second / divisor;
}
