/*
 * A progress bar on standard error. It appears after half a second and is gone when the work is done.
 */
#include "cli/progress.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

#include "text/units.h"
#include "text/escape.h"

#define SHOW_AFTER 500000000u
#define DRAW_EVERY 100000000u
#define BAR_COLUMNS 24
#define NAME_COLUMNS 30

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool
pp_progress_wanted(const struct pp_cli *cli)
{
	return !cli->quiet && isatty(STDERR_FILENO);
}

static void
err_write(struct pp_buf *text)
{
	if (text->n && !text->failed && write(STDERR_FILENO, text->p, text->n) < 0)
		text->failed = true; /* a bar that cannot be drawn is no loss */
	pp_buf_release(text);
}

static void
progress_draw(const struct pp_progress *p, const struct pp_cli *cli,
              const struct pp_progress_at *at, uint64_t now)
{
	struct pp_buf line = { 0 }, name = { 0 }, bar = { 0 };
	const struct pp_style *style = &cli->errors;
	const char *base = strrchr(at->file, '/');
	double seconds = (double)(now - p->start) / 1e9;
	uint64_t done = at->done, total = at->total;
	double share = total > 0 ? (double)done / (double)total : 0;

	pp_escape_terminal(&name, pp_slice_z(strcmp(at->file, "-") == 0 ? "standard input"
	                                     : base && base[1]          ? base + 1
	                                                                : at->file));
	pp_buf_adds(&line, "\r  reading ");
	(void)pp_text_shorten(&line, name.p ? name.p : "", name.n, NAME_COLUMNS);
	if (total > 0) {
		pp_units_bar(&bar, share, BAR_COLUMNS);
		pp_buf_addf(&line, "  %s%s%s", pp_ink_on(style, PP_INK_BAR), bar.n ? bar.p : "",
		            pp_ink_off(style, PP_INK_BAR));
		pp_buf_addf(&line, "%*s %3.0f%%",
		            (int)(BAR_COLUMNS - pp_text_columns(bar.p, bar.n)), "",
		            share < 1 ? share * 100 : 100.0);
	} else {
		pp_buf_adds(&line, "  ");
		pp_units_bytes(&line, (double)done);
	}
	pp_buf_adds(&line, "  ");
	if (at->files) {
		pp_units_u64(&line, done);
		pp_buf_adds(&line, " files");
	} else {
		pp_units_bytes(&line, (double)done / seconds);
		pp_buf_adds(&line, "/s");
	}
	/* A guess in whole seconds, once there is something to guess from. */
	if (share > 0.02 && seconds / share - seconds >= 1) {
		pp_buf_adds(&line, ", ");
		pp_units_time(&line, floor(seconds / share - seconds + 0.5) * 1e9);
		pp_buf_adds(&line, " left");
	}
	pp_buf_adds(&line, "\033[K");
	err_write(&line);
	pp_buf_release(&name);
	pp_buf_release(&bar);
}

void
pp_progress_show(struct pp_progress *p, const struct pp_cli *cli, const struct pp_progress_at *at)
{
	struct pp_buf line = { 0 };
	uint64_t now = now_ns();

	if (at->over && p->drawn) {
		pp_buf_adds(&line, "\r\033[K");
		err_write(&line);
	}
	if (at->over || p->start == 0)
		*p = (struct pp_progress){ .start = at->over ? 0 : now };
	else if (now - p->start >= SHOW_AFTER && now - p->drawn >= DRAW_EVERY) {
		progress_draw(p, cli, at, now);
		p->drawn = now;
	}
}
