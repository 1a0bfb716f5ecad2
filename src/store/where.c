/*
 * The language of --where: a parser by recursive descent, and a tree of conditions that is walked with three values.
 */
#include "store/where.h"

#include "base/arena.h"
#include "base/slice.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "store/label_set.h"
#include "text/regex.h"

enum kind { ANY_OF, ALL_OF, NEGATED, ONE_OF, PATTERN };

/* What a key compares: labels as they are, a hash by its beginning. */
enum key_sort { KEY_PLAIN, KEY_COMPLETE, KEY_PROFILE };

struct term {
	enum kind kind;
	enum key_sort sort;
	struct pp_slice key;
	struct pp_regex *pattern; /* PATTERN */
	struct term *first,
	    *next; /* ANY_OF, ALL_OF, NEGATED: what it is about; the next beside this one */
	struct text_list *first_text; /* ONE_OF */
};

struct text_list {
	struct pp_slice text;
	struct text_list *next;
};

struct pp_where {
	struct pp_arena memory;
	PP_VEC(struct pp_regex *) patterns;
	struct term *root;
};

enum token_kind { END, BARE, QUOTED, WORD, SIGN };

struct token {
	enum token_kind kind;
	struct pp_slice text; /* of a QUOTED one without its quotes and escapes */
	size_t at;
};

struct parser {
	struct pp_where *where;
	struct pp_slice text;
	struct token token; /* the one that comes next */
	size_t place;       /* behind it */
	unsigned depth;
	struct pp_buf *problem;
};

/* ---- tokens ---- */

static bool
is_bare(unsigned char c)
{
	return pp_is_digit(c) || (unsigned)(c | 0x20) - 'a' < 26 || (c && strchr("_./:@+-", c));
}

static bool
is_word(struct pp_slice text)
{
	return pp_slice_eq_z(text, "and") || pp_slice_eq_z(text, "or") ||
	       pp_slice_eq_z(text, "not") || pp_slice_eq_z(text, "in");
}

static bool
fail_at(struct parser *p, size_t at, const char *why)
{
	if (p->problem->n == 0)
		pp_buf_addf(p->problem, "%s at character %zu of '%.*s'", why, at + 1,
		            PP_CLIP(p->text, 200));
	return false;
}

static bool
no_memory(struct parser *p)
{
	p->problem->n = 0;
	return false;
}

static bool
quoted_take(struct parser *p)
{
	size_t from = p->place + 1, at = from, n = 0;
	unsigned char *out;

	while (at < p->text.n && p->text.p[at] != '"')
		at += p->text.p[at] == '\\' ? 2 : 1;
	if (at >= p->text.n)
		return fail_at(p, p->place, "a quote is not closed");
	out = pp_arena_alloc(&p->where->memory, at - from + 1);
	if (!out)
		return no_memory(p);
	p->place = at + 1;
	for (; from < at; from++) {
		unsigned char next = p->text.p[from + 1];

		if (p->text.p[from] == '\\' && (next == '"' || next == '\\'))
			from++;
		out[n++] = p->text.p[from];
	}
	p->token.kind = QUOTED;
	p->token.text = pp_slice_of(out, n);
	return true;
}

static bool
token_take(struct parser *p)
{
	struct pp_slice t = p->text;
	size_t from;

	while (p->place < t.n && pp_is_space(t.p[p->place]))
		p->place++;
	from = p->token.at = p->place;
	p->token.kind = END;
	if (from == t.n)
		return true;
	if (t.p[from] == '"')
		return quoted_take(p);
	if (is_bare(t.p[from])) {
		while (p->place < t.n && is_bare(t.p[p->place]))
			p->place++;
		p->token.text = pp_slice_of(t.p + from, p->place - from);
		p->token.kind = is_word(p->token.text) ? WORD : BARE;
		return true;
	}
	p->place += t.p[from] == '!' ? 2 : 1;
	if (p->place > t.n || !strchr("=~!(),", t.p[from]) ||
	    (t.p[from] == '!' && t.p[from + 1] != '=' && t.p[from + 1] != '~'))
		return fail_at(p, from, "nothing of the language stands");
	p->token.kind = SIGN;
	p->token.text = pp_slice_of(t.p + from, p->place - from);
	return true;
}

/* Whether this sign or word comes next. */
static bool
comes(const struct parser *p, const char *text)
{
	return (p->token.kind == SIGN || p->token.kind == WORD) &&
	       pp_slice_eq_z(p->token.text, text);
}

/* ---- grammar ---- */

static struct term *
term_new(struct parser *p, enum kind kind)
{
	struct term *t = pp_arena_alloc(&p->where->memory, sizeof *t);

	if (!t) {
		no_memory(p);
		return NULL;
	}
	*t = (struct term){ .kind = kind };
	return t;
}

static struct term *
negated(struct parser *p, struct term *of)
{
	struct term *t = of ? term_new(p, NEGATED) : NULL;

	if (t)
		t->first = of;
	return t;
}

static bool
text_value_fits(struct parser *p, const struct term *t)
{
	if (t->sort == KEY_COMPLETE && !pp_slice_eq_z(p->token.text, "true") &&
	    !pp_slice_eq_z(p->token.text, "false"))
		return fail_at(p, p->token.at, "neither true nor false stands");
	return true;
}

/* A text to compare with becomes one of the term's. */
static bool
text_take(struct parser *p, struct term *t)
{
	struct text_list *text;

	if (p->token.kind != BARE && p->token.kind != QUOTED)
		return fail_at(p, p->token.at, "a value is missing");
	if (!text_value_fits(p, t))
		return false;
	text = pp_arena_alloc(&p->where->memory, sizeof *text);
	if (!text)
		return no_memory(p);
	*text = (struct text_list){ p->token.text, t->first_text };
	t->first_text = text;
	return token_take(p);
}

static bool
list_take(struct parser *p, struct term *t)
{
	if (!comes(p, "("))
		return fail_at(p, p->token.at, "'(' is missing");
	do {
		if (!token_take(p) || !text_take(p, t))
			return false;
	} while (comes(p, ","));
	return comes(p, ")") ? token_take(p) : fail_at(p, p->token.at, "',' or ')' is missing");
}

static bool
pattern_take(struct parser *p, struct term *t)
{
	struct pp_buf why = { 0 };

	if (p->token.kind != QUOTED)
		return fail_at(p, p->token.at, "a pattern in double quotes is missing");
	if (!pp_vec_reserve(&p->where->patterns, p->where->patterns.n + 1))
		return no_memory(p);
	t->kind = PATTERN;
	t->pattern = pp_regex_new(p->token.text, &why);
	if (t->pattern)
		p->where->patterns.at[p->where->patterns.n++] = t->pattern;
	else if (why.n)
		fail_at(p, p->token.at, why.p);
	pp_buf_release(&why);
	return t->pattern && token_take(p);
}

static struct term *
condition_take(struct parser *p)
{
	struct term *t = term_new(p, ONE_OF);
	bool taken, negative;

	if (!t)
		return NULL;
	if (p->token.kind != BARE && p->token.kind != QUOTED)
		return fail_at(p, p->token.at, "a condition is missing"), NULL;
	if (p->token.text.n == 0)
		return fail_at(p, p->token.at, "a key is empty"), NULL;
	t->key = p->token.text;
	t->sort = pp_slice_eq_z(t->key, "complete")  ? KEY_COMPLETE
	          : pp_slice_eq_z(t->key, "profile") ? KEY_PROFILE
	                                             : KEY_PLAIN;
	if (!token_take(p))
		return NULL;
	negative = comes(p, "!=") || comes(p, "!~");
	if (comes(p, "=") || comes(p, "!="))
		taken = token_take(p) && text_take(p, t);
	else if (comes(p, "~") || comes(p, "!~"))
		taken = token_take(p) && pattern_take(p, t);
	else if (comes(p, "in"))
		taken = token_take(p) && list_take(p, t);
	else
		taken = fail_at(p, p->token.at, "one of = != ~ !~ in is missing");
	if (!taken)
		return NULL;
	return negative ? negated(p, t) : t;
}

static struct term *any_take(struct parser *p);

static struct term *
term_take(struct parser *p)
{
	struct term *t = NULL;
	bool negative = comes(p, "not");

	if (!negative && !comes(p, "("))
		return condition_take(p);
	if (p->depth == PP_WHERE_DEPTH)
		return fail_at(p, p->token.at, "it nests too deep"), NULL;
	p->depth++;
	if (!token_take(p))
		return NULL;
	if (negative) {
		t = negated(p, term_take(p));
	} else {
		t = any_take(p);
		if (t && !comes(p, ")"))
			return fail_at(p, p->token.at, "'and', 'or' or ')' is missing"), NULL;
		if (t && !token_take(p))
			return NULL;
	}
	p->depth--;
	return t;
}

/* One or more of what `take` takes, with a word between them. */
static struct term *
chain_take(struct parser *p, enum kind kind, const char *word,
           struct term *(*take)(struct parser *))
{
	struct term *chain, *last = take(p);

	if (!last || !comes(p, word))
		return last;
	chain = term_new(p, kind);
	if (!chain)
		return NULL;
	chain->first = last;
	while (comes(p, word)) {
		if (!token_take(p))
			return NULL;
		last->next = take(p);
		last = last->next;
		if (!last)
			return NULL;
	}
	return chain;
}

static struct term *
all_take(struct parser *p)
{
	return chain_take(p, ALL_OF, "and", term_take);
}

static struct term *
any_take(struct parser *p)
{
	return chain_take(p, ANY_OF, "or", all_take);
}

static struct term *
root_take(struct parser *p)
{
	struct term *root;

	if (p->text.n > PP_WHERE_MAX) {
		pp_buf_addf(p->problem, "an expression exceeds %d bytes", PP_WHERE_MAX);
		return NULL;
	}
	if (!pp_utf8_valid(p->text)) {
		pp_buf_adds(p->problem, "an expression is not UTF-8");
		return NULL;
	}
	if (!token_take(p))
		return NULL;
	root = any_take(p);
	if (root && p->token.kind != END)
		return fail_at(p, p->token.at, "'and' or 'or' is missing"), NULL;
	return root;
}

struct pp_where *
pp_where_parse(struct pp_slice text, struct pp_buf *problem)
{
	struct pp_where *where = calloc(1, sizeof *where);
	struct parser p = { .where = where, .problem = problem };

	problem->n = 0;
	if (!where)
		return NULL;
	/* Its texts live on, and a token may look one byte ahead. */
	p.text.p = (unsigned char *)pp_arena_copy(&where->memory,
	                                          text.n ? (const char *)text.p : "", text.n);
	p.text.n = text.n;
	where->root = p.text.p ? root_take(&p) : NULL;
	if (where->root)
		return where;
	pp_where_free(where);
	return NULL;
}

void
pp_where_free(struct pp_where *where)
{
	size_t i;

	if (!where)
		return;
	for (i = 0; i < where->patterns.n; i++)
		pp_regex_free(where->patterns.at[i]);
	pp_vec_release(&where->patterns);
	pp_arena_release(&where->memory);
	free(where);
}

/* ---- matching ---- */

/* Hexadecimal digits are the same in either case. */
bool
pp_where_id_begins(struct pp_slice hash, struct pp_slice with)
{
	size_t i;

	for (i = 0; i < with.n; i++)
		if (i >= hash.n ||
		    ((unsigned)with.p[i] - 'A' < 6 ? with.p[i] | 0x20 : with.p[i]) != hash.p[i])
			return false;
	return true;
}

static enum pp_where_result
one_of_match(const struct term *t, struct pp_slice value)
{
	const struct text_list *text;

	for (text = t->first_text; text; text = text->next)
		if (t->sort == KEY_PROFILE ? pp_where_id_begins(value, text->text)
		                           : pp_slice_eq(value, text->text))
			return PP_WHERE_YES;
	return PP_WHERE_NO;
}

static enum pp_where_result
pattern_match(const struct term *t, struct pp_slice value)
{
	switch (pp_regex_match(t->pattern, value)) {
	case PP_REGEX_NO:
		return PP_WHERE_NO;
	case PP_REGEX_YES:
		return PP_WHERE_YES;
	case PP_REGEX_TOO_HARD:
		return PP_WHERE_TOO_HARD;
	case PP_REGEX_NOMEM:
		break;
	}
	return PP_WHERE_NOMEM;
}

static enum pp_where_result
term_match(const struct term *t, pp_where_getter *get, const void *subject)
{
	enum pp_where_result decides = t->kind == ANY_OF ? PP_WHERE_YES : PP_WHERE_NO;
	enum pp_where_result result = t->kind == ANY_OF ? PP_WHERE_NO : PP_WHERE_YES;
	const struct term *part;
	struct pp_slice value;

	if (t->kind == ONE_OF || t->kind == PATTERN) {
		if (!get(subject, t->key, &value))
			return PP_WHERE_DEPENDS;
		return t->kind == ONE_OF ? one_of_match(t, value) : pattern_match(t, value);
	}
	if (t->kind == NEGATED) {
		result = term_match(t->first, get, subject);
		return result == PP_WHERE_NO    ? PP_WHERE_YES
		       : result == PP_WHERE_YES ? PP_WHERE_NO
		                                : result;
	}
	for (part = t->first; part; part = part->next) {
		enum pp_where_result of_part = term_match(part, get, subject);

		if (of_part == decides || of_part == PP_WHERE_TOO_HARD || of_part == PP_WHERE_NOMEM)
			return of_part;
		if (of_part == PP_WHERE_DEPENDS)
			result = of_part;
	}
	return result;
}

static bool
term_ids(const struct term *t, pp_where_id *each, void *data)
{
	const struct text_list *text;
	const struct term *part;

	if (t->kind == ONE_OF && t->sort == KEY_PROFILE)
		for (text = t->first_text; text; text = text->next)
			if (!each(data, text->text))
				return false;
	/* The terms of a condition are its texts or its pattern. */
	if (t->kind == ANY_OF || t->kind == ALL_OF)
		for (part = t->first; part; part = part->next)
			if (!term_ids(part, each, data))
				return false;
	return t->kind != NEGATED || term_ids(t->first, each, data);
}

bool
pp_where_ids(const struct pp_where *where, pp_where_id *each, void *data)
{
	return !where || term_ids(where->root, each, data);
}

enum pp_where_result
pp_where_match(const struct pp_where *where, pp_where_getter *get, const void *subject)
{
	return where ? term_match(where->root, get, subject) : PP_WHERE_YES;
}

struct subject {
	const struct pp_label_set *labels;
	const struct pp_where_profile *profile;
};

static bool
subject_get(const void *of, struct pp_slice key, struct pp_slice *value)
{
	const struct subject *s = of;
	bool format = pp_slice_eq_z(key, "format"), complete = pp_slice_eq_z(key, "complete");

	if (!format && !complete && !pp_slice_eq_z(key, "profile")) {
		*value = pp_label_set_get(s->labels, key);
		return true;
	}
	if (!s->profile)
		return false;
	*value = format     ? s->profile->format
	         : complete ? pp_slice_z(s->profile->complete ? "true" : "false")
	                    : s->profile->hash;
	return true;
}

enum pp_where_result
pp_where_match_labels(const struct pp_where *where, const struct pp_label_set *labels,
                      const struct pp_where_profile *profile)
{
	struct subject s = { labels, profile };

	return pp_where_match(where, subject_get, &s);
}
