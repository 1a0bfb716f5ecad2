/*
 * The layout of a flame graph as data: which frames are drawn, where, how wide.
 *
 * Widths are shares of the whole, so any picture can use them. Children of a frame lie side by side
 * within it; what is too thin to be drawn stands behind them as one box, so nothing is lost.
 */
#ifndef PP_FLAME_H
#define PP_FLAME_H

#include "analysis/noise.h"
#include "text/shorten.h"

enum pp_flame_order { PP_FLAME_BY_NAME, PP_FLAME_BY_WEIGHT, PP_FLAME_AS_FOUND };

struct pp_flame_opts {
	size_t metric;
	const union pp_value
	    *whole;            /* what all of it costs where that is known better; NULL = the sum */
	size_t before;         /* metric to compare with; PP_FLAME_ALONE = none */
	struct pp_noise noise; /* when comparing: which changes are none */
	enum pp_flame_order order;
	double min_share; /* share of the whole below which frames are not drawn alone */
	uint32_t deepest; /* levels drawn; what lies above is summed up */
	size_t most;      /* boxes; fewer levels are drawn if there would be more. 0 = any number */
};

#define PP_FLAME_ALONE SIZE_MAX

/* One box. The first is the whole; parents stand before their children. */
struct pp_box {
	pp_func func; /* 0 for the whole and for sums */
	uint32_t depth;
	uint32_t parent;
	uint32_t lane; /* the box stands for that series, counted from 1; 0 = it does not */
	uint64_t more; /* how many frames a sum stands for; 0 for a frame */
	double start;  /* share of the whole */
	double width;
	union pp_value value, own;
	union pp_value value_before, own_before; /* when comparing */
};

struct pp_flame {
	const struct pp_profile *profile;
	const struct pp_metric *metric;
	struct pp_slice unit; /* of the values */
	bool compares;
	struct pp_noise noise; /* when comparing */
	int64_t duration;      /* ns that a chart shows; 0 for other pictures */
	PP_VEC(struct pp_box) boxes;
	uint32_t depth;    /* levels in use, the whole included */
	uint64_t too_deep; /* frames that are only part of a sum because of `deepest` */
	uint32_t levels;   /* drawn, when `most` allows no more; 0 = it does not matter */
	uint64_t negative; /* frames without width because their cost is negative */
};

/*
 * Lays out the tree of a profile in which no two frames show the same name (see analysis/reshape.h).
 * An empty profile may lack the metric. PP_E_NOMEM; PP_E_UNSUPPORTED without a metric; PP_E_LIMIT when even one
 * level has too many boxes.
 */
pp_status pp_flame_compute(struct pp_flame *, const struct pp_profile *,
                           const struct pp_flame_opts *);
/*
 * Lays out what happened in the order of time: a box for each time a function was entered, its value and
 * width the time spent in it. Where several series know time each is a lane: a box on the whole, from its
 * first moment to its last, with its stacks on it; lanes stand one above the other on one axis of time.
 * Metric, order and `before` do not matter. PP_E_NOMEM; PP_E_UNSUPPORTED when nothing tells when things
 * happened.
 */
pp_status pp_flame_chart(struct pp_flame *, const struct pp_profile *,
                         const struct pp_flame_opts *);
void pp_flame_release(struct pp_flame *);

/* The same with exactly these levels: PP_E_LIMIT when there are too many boxes. Internal. */
pp_status pp_flame_chart_lay_out(struct pp_flame *, const struct pp_profile *,
                                 const struct pp_flame_opts *);

/* What decides the colour of a frame. */
enum pp_palette { PP_PALETTE_NAME, PP_PALETTE_MODULE, PP_PALETTE_LANGUAGE };

struct pp_flame_style {
	const char *title;    /* NULL = "Flame graph" */
	const char *subtitle; /* NULL = none */
	bool estimated;       /* the stacks are, which the picture says */
	const char *aside;    /* what was set aside, which it says too; or NULL */
	const char *colors;   /* a name of pp_flame_colors[]; NULL = none of them */
	enum pp_palette palette;
	double width;        /* of the picture, in pixels */
	bool icicle;         /* the whole on top */
	enum pp_names names; /* of labels */
};

/* How wide the frames are drawn in a picture of that width: there is a margin on both sides. */
#define PP_FLAME_SIDE 10.0
static inline double
pp_flame_span(double width)
{
	return width - 2 * PP_FLAME_SIDE;
}

#endif
