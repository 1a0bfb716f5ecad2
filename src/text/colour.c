/*
 * How text is to look.
 *
 * Only the sixteen colours that every terminal theme defines are used, so that the output is readable
 * on dark and light backgrounds alike.
 */
#include "text/colour.h"

#include "text/escape.h"

static const char *const ink_codes[PP_INKS] = {
	[PP_INK_PLAIN] = "",           [PP_INK_TITLE] = "\033[1m",
	[PP_INK_HEADER] = "\033[2m",   [PP_INK_FAINT] = "\033[2m",
	[PP_INK_BAR] = "\033[36m",     [PP_INK_HOT] = "\033[1;31m",
	[PP_INK_WARM] = "\033[33m",    [PP_INK_GOOD] = "\033[32m",
	[PP_INK_NOTE] = "\033[36m",    [PP_INK_WARNING] = "\033[1;33m",
	[PP_INK_ERROR] = "\033[1;31m", [PP_INK_COMMAND] = "\033[36m",
};

const char *
pp_ink_on(const struct pp_style *style, enum pp_ink ink)
{
	return style->colour ? ink_codes[ink] : "";
}

const char *
pp_ink_off(const struct pp_style *style, enum pp_ink ink)
{
	return style->colour && ink != PP_INK_PLAIN ? "\033[0m" : "";
}

void
pp_ink_put(struct pp_sink *out, const struct pp_style *style, enum pp_ink ink, const char *text)
{
	pp_sink_puts(out, pp_ink_on(style, ink));
	pp_sink_puts(out, text);
	pp_sink_puts(out, pp_ink_off(style, ink));
}

void
pp_ink_putf(struct pp_sink *out, const struct pp_style *style, enum pp_ink ink, const char *fmt,
            ...)
{
	struct pp_buf text = { 0 };
	va_list args;

	va_start(args, fmt);
	pp_buf_vaddf(&text, fmt, args);
	va_end(args);
	if (text.p)
		pp_ink_put(out, style, ink, text.p);
	if (text.failed && out->status == PP_OK)
		out->status = PP_E_NOMEM;
	pp_buf_release(&text);
}

void
pp_ink_text(struct pp_sink *out, const struct pp_style *style, enum pp_ink ink,
            struct pp_slice bytes)
{
	struct pp_buf text = { 0 };

	pp_escape_terminal(&text, bytes);
	pp_sink_puts(out, pp_ink_on(style, ink));
	pp_sink_write(out, text.p, text.n);
	pp_sink_puts(out, pp_ink_off(style, ink));
	if (text.failed && out->status == PP_OK)
		out->status = PP_E_NOMEM;
	pp_buf_release(&text);
}

void
pp_text_pad(struct pp_sink *out, size_t columns)
{
	for (; columns > 0; columns--)
		pp_sink_putc(out, ' ');
}

/* ---- wrapping ---- */

#define WRAP 80

/* Words wrapped into [indent, width); the cursor stands at `column`. Newlines start a new line. */
static void
wrap_print(struct pp_sink *out, const char *text, size_t column, size_t indent, size_t width)
{
	bool fresh = true; /* no word on this line yet */

	while (*text) {
		size_t n = strcspn(text, " \n");
		size_t columns = pp_text_columns(text, n);

		if (!fresh && column + 1 + columns > width) {
			pp_sink_putc(out, '\n');
			column = 0;
			fresh = true;
		}
		if (fresh && column < indent) {
			pp_text_pad(out, indent - column);
			column = indent;
		}
		if (!fresh) {
			pp_sink_putc(out, ' ');
			column++;
		}
		pp_sink_write(out, text, n);
		column += columns;
		fresh = false;
		text += n;
		for (; *text == ' ' || *text == '\n'; text++)
			if (*text == '\n') {
				pp_sink_putc(out, '\n');
				column = 0;
				fresh = true;
			}
	}
	pp_sink_putc(out, '\n');
}

void
pp_text_wrap(struct pp_sink *out, const struct pp_style *style, const char *text, size_t column,
             size_t indent)
{
	size_t width = style->width > 0 && style->width < WRAP ? style->width : WRAP;

	wrap_print(out, text, column, indent, width);
}
