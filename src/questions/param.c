/*
 * Parameters by name, checked and stored.
 */
#include "questions/param.h"

#include "base/num.h"
#include "text/suggest.h"

/* Whether a text is what a choice says: itself, or of "label:KEY" what begins like it and goes on. */
static bool
choice_is(struct pp_slice choice, struct pp_slice text)
{
	const unsigned char *colon = choice.n ? memchr(choice.p, ':', choice.n) : NULL;
	size_t n = colon ? (size_t)(colon - choice.p) + 1 : 0;

	if (!colon)
		return pp_slice_eq(choice, text);
	return text.n > n && memcmp(choice.p, text.p, n) == 0;
}

/* Which of "a|b|c" a text is; the number of choices when it is none. */
static unsigned
choice_index(const char *choices, const char *text, struct pp_suggest *suggest)
{
	struct pp_slice word = pp_slice_z(text);
	const char *end;
	unsigned i;

	for (i = 0;; i++, choices = end + 1) {
		struct pp_slice choice;

		end = strchrnul(choices, '|');
		choice = pp_slice_of(choices, (size_t)(end - choices));
		if (choice_is(choice, word))
			return i;
		pp_suggest_offer(suggest, choice);
		if (!*end)
			return i + 1;
	}
}

struct pp_slice
pp_param_choice(const struct pp_param *param, unsigned index)
{
	const char *choice = param->value;

	for (; index > 0; index--)
		choice = strchrnul(choice, '|') + 1;
	return pp_slice_of(choice, (size_t)(strchrnul(choice, '|') - choice));
}

static unsigned
choice_count(const char *choices)
{
	unsigned n = 1;

	for (; *choices; choices++)
		n += *choices == '|';
	return n;
}

bool
pp_share_parse(const char *text, double *share)
{
	size_t n = strlen(text);

	if (n > 0 && text[n - 1] == '%')
		n--;
	if (!pp_num_double(pp_slice_of(text, n), share) || !(*share >= 0 && *share <= 100))
		return false;
	*share /= 100.0;
	return true;
}

bool
pp_size_parse(const char *text, uint64_t *size)
{
	static const char letters[] = { 'K', 'M', 'G' };
	size_t n = strlen(text);
	double value, unit = 1;
	const char *letter;

	if (n > 1 && (text[n - 1] == 'B' || text[n - 1] == 'b'))
		n--;
	if (n > 1 && text[n - 1] == 'i')
		n--;
	letter = n > 1 ? memchr(letters, text[n - 1] & ~0x20, sizeof letters) : NULL;
	if (letter) {
		unit = (double)((uint64_t)1 << (10 * (letter - letters + 1)));
		n--;
	}
	if (!pp_num_double(pp_slice_of(text, n), &value) || value < 0 || value * unit > 1e15)
		return false;
	*size = (uint64_t)(value * unit);
	return true;
}

bool
pp_param_check(const struct pp_param *param, const char *text, const char *dashes,
               struct pp_buf *problem)
{
	struct pp_suggest suggest;
	uint64_t count;
	double share;

	switch (param->kind) {
	case PP_PARAM_COUNT:
		if (pp_num_u64(pp_slice_z(text), &count))
			return true;
		pp_buf_addf(problem, "%s%s needs a whole number, not '%s'", dashes, param->name,
		            text);
		return false;
	case PP_PARAM_SIZE:
		if (pp_size_parse(text, &count))
			return true;
		pp_buf_addf(problem, "%s%s takes a size such as 500K, 8M or 1G, not '%s'", dashes,
		            param->name, text);
		return false;
	case PP_PARAM_SHARE:
		if (pp_share_parse(text, &share))
			return true;
		pp_buf_addf(problem, "%s%s takes a percentage from 0 to 100, not '%s'", dashes,
		            param->name, text);
		return false;
	case PP_PARAM_CHOICE:
		pp_suggest_init(&suggest, pp_slice_z(text));
		if (choice_index(param->value, text, &suggest) < choice_count(param->value))
			return true;
		pp_buf_addf(problem, "%s%s is one of %s, not '%s'", dashes, param->name,
		            param->value, text);
		pp_suggest_print(&suggest, problem, "");
		return false;
	case PP_PARAM_FLAG:
	case PP_PARAM_TEXT:
	case PP_PARAM_TEXTS:
		break;
	}
	return true;
}

/* Stores a value that was checked; false when out of memory. */
static bool
value_store(const struct pp_param *param, void *member, const char *text)
{
	struct pp_suggest ignored = { .distance = 0 };
	struct pp_texts *texts = member;

	switch (param->kind) {
	case PP_PARAM_FLAG:
		*(bool *)member = true;
		break;
	case PP_PARAM_TEXT:
		*(const char **)member = text;
		break;
	case PP_PARAM_TEXTS:
		return pp_vec_push(&texts->list, (struct pp_text_given){ param, text });
	case PP_PARAM_COUNT:
		(void)pp_num_u64(pp_slice_z(text), member);
		break;
	case PP_PARAM_SIZE:
		(void)pp_size_parse(text, member);
		break;
	case PP_PARAM_CHOICE:
		*(unsigned *)member = choice_index(param->value, text, &ignored);
		if (strchr(param->value, ':') && strchr(text, ':'))
			((struct pp_keyed *)member)->key = strchr(text, ':') + 1;
		break;
	case PP_PARAM_SHARE:
		(void)pp_share_parse(text, member);
		break;
	}
	return true;
}

#define FOR_EACH_PARAM(use, param)                                                                 \
	for (; (use)->group; (use)++)                                                              \
		for ((param) = (use)->group->params; (param)->name; (param)++)

#define MEMBER(use, param, params) ((char *)(params) + (use)->at + (param)->at)

void
pp_params_init(const struct pp_param_use *use, void *params, size_t size)
{
	const struct pp_param *param;

	memset(params, 0, size);
	FOR_EACH_PARAM(use, param)
	{
		if (param->kind == PP_PARAM_COUNT || param->kind == PP_PARAM_SIZE)
			*(uint64_t *)(void *)MEMBER(use, param, params) = PP_UNSET;
		if (param->kind == PP_PARAM_SHARE)
			*(double *)(void *)MEMBER(use, param, params) = -1;
	}
}

void
pp_params_release(const struct pp_param_use *use, void *params)
{
	const struct pp_param *param;

	FOR_EACH_PARAM(use, param)
	{
		struct pp_texts *texts = (void *)MEMBER(use, param, params);

		if (param->kind == PP_PARAM_TEXTS)
			pp_vec_release(&texts->list);
	}
}

bool
pp_params_set(const struct pp_param_use *use, void *params, const struct pp_param *wanted,
              const char *text, bool *known, struct pp_buf *problem)
{
	const struct pp_param *param;

	*known = false;
	FOR_EACH_PARAM(use, param)
	{
		if (param != wanted)
			continue;
		*known = true;
		return pp_param_check(param, text, "", problem) &&
		       value_store(param, MEMBER(use, param, params), text);
	}
	return true;
}

const struct pp_param *
pp_params_find(const struct pp_param_use *use, const char *name)
{
	const struct pp_param *param;

	FOR_EACH_PARAM(use, param)
	{
		if (strcmp(param->name, name) == 0)
			return param;
	}
	return NULL;
}

const void *
pp_params_member(const struct pp_param_use *use, const void *params, const char *name)
{
	const struct pp_param *param;

	FOR_EACH_PARAM(use, param)
	{
		if (strcmp(param->name, name) == 0)
			return (const char *)params + use->at + param->at;
	}
	return NULL;
}
