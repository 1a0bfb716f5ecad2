/*
 * Metrics of two files that mean the same: 10 ns steps and nanoseconds, integers and doubles.
 */
#include "model/metric.h"

/* A metric's unit step as a fraction of its canonical unit; false when that exceeds 64 bits. */
static bool
step_of(const struct pp_metric *m, uint64_t *num, uint64_t *den)
{
	unsigned i;

	*num = m->factor_num ? m->factor_num : 1;
	*den = m->factor_den ? m->factor_den : 1;
	for (i = 0; i < m->scale; i++)
		if (__builtin_mul_overflow(*den, 10u, den))
			return false;
	return true;
}

static pp_u128
gcd(pp_u128 a, pp_u128 b)
{
	while (b) {
		pp_u128 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

bool
pp_metric_join(const struct pp_metric *a, const struct pp_metric *b, struct pp_metric_join *out)
{
	uint64_t num_a, den_a, num_b, den_b;
	pp_u128 left, right, common, den, reduce;

	*out = (struct pp_metric_join){ .to = *a, .mul_a = 1, .mul_b = 1 };
	out->to.flags |= b->flags & ~(unsigned)PP_METRIC_PRIMARY;
	if (!(a->flags & b->flags & PP_METRIC_NO_ZERO))
		out->to.flags &= ~(unsigned)PP_METRIC_NO_ZERO;
	if (a->type == b->type && a->scale == b->scale && a->factor_num == b->factor_num &&
	    a->factor_den == b->factor_den)
		return true;
	if (a->type == PP_REAL || b->type == PP_REAL) {
		out->to.type = PP_REAL;
		out->to.scale = 0;
		out->to.factor_num = out->to.factor_den = 0;
		return true;
	}
	out->to.type = a->type == b->type ? a->type : PP_INT;
	if (!step_of(a, &num_a, &den_a) || !step_of(b, &num_b, &den_b))
		return false;
	left = (pp_u128)num_a * den_b;
	right = (pp_u128)num_b * den_a;
	common = gcd(left, right);
	den = (pp_u128)den_a * den_b;
	reduce = gcd(common, den);
	if (left / common > INT64_MAX || right / common > INT64_MAX ||
	    common / reduce > UINT64_MAX || den / reduce > UINT64_MAX)
		return false;
	out->mul_a = (int64_t)(left / common);
	out->mul_b = (int64_t)(right / common);
	out->to.scale = 0;
	out->to.factor_num = (uint64_t)(common / reduce);
	out->to.factor_den = (uint64_t)(den / reduce);
	return true;
}

/* Whether cells of two metrics count in the same step. */
static bool
same_step(const struct pp_metric *a, const struct pp_metric *b)
{
	return a->scale == b->scale &&
	       (a->factor_num ? a->factor_num : 1) == (b->factor_num ? b->factor_num : 1) &&
	       (a->factor_den ? a->factor_den : 1) == (b->factor_den ? b->factor_den : 1);
}

union pp_value
pp_value_convert(const struct pp_metric *from, const struct pp_metric *to, int64_t mul,
                 union pp_value v)
{
	union pp_value out;

	if (to->type != PP_REAL)
		out.i = v.i * mul;
	else if (from->type == PP_REAL && same_step(from, to))
		out.d = v.d; /* bit for bit */
	else
		out.d = pp_value_double(from, v);
	return out;
}

bool
pp_cell_convert(const struct pp_metric *from, const struct pp_metric *to, int64_t mul,
                int64_t *cell)
{
	union pp_value v = pp_value_convert(from, to, mul, pp_cell_value(from, *cell));

	if (to->type == PP_REAL) {
		*cell = pp_cell_real(v.d);
		return true;
	}
	if (v.i < (to->type == PP_UINT ? 0 : INT64_MIN) ||
	    v.i > (to->type == PP_UINT ? (pp_i128)UINT64_MAX : INT64_MAX))
		return false;
	*cell = (int64_t)v.i;
	return true;
}
