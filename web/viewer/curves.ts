// A metric over time, in steps: what came in each, or where it also falls, as memory in use does, its level.

import type { Data, Metric, Moments } from './data';
import { canonical } from './text';

export interface Curve {
  series: number; // how many it is of
  steps: Float64Array; // of a level, the highest in each step
  level: boolean;
  most: number;
  least: number;
}

/** Whether what is left of a metric is worth drawing: of memory in use, but not of time, whose clocks go back now and then. */
function isLevel(m: Metric, gain: Float64Array): boolean {
  return !!m.falls || (m.unit !== 'ns' && hasFallen(gain));
}

function hasFallen(gain: Float64Array): boolean {
  for (let i = 0; i < gain.length; i++) if (gain[i] < 0) return true;
  return false;
}

/** The level of a metric: the highest in each step where one series changes it, else where each step ends. */
function levels(list: Moments[], metric: number, steps: Float64Array, at: (m: Moments, i: number) => number): void {
  if (list.length === 1) {
    const [m] = list, gain = m.gain[metric]!, { n } = m;
    for (let x = 0, i = 0, now = 0; x < steps.length; x++) {
      steps[x] = now; // what was there before
      for (; i < n && at(m, i) <= x; i++) steps[x] = Math.max(steps[x], (now += gain[i]));
    }
    return;
  }
  for (const m of list) for (let i = 0, gain = m.gain[metric]!; i < m.n; i++) steps[at(m, i)] += gain[i];
  for (let x = 1; x < steps.length; x++) steps[x] += steps[x - 1];
}

/** What one of a metric lasts in ns; 0 = it is no time. */
export function lasts(m: Metric): number {
  return m.unit === 'ns' ? canonical(m, 1) : 0;
}

/**
 * Adds what a series gained of a metric to equal steps of time. Time (`ns`: what one of it lasts) passes evenly: of a trace
 * until its next event, of a sample as long as it says; else it came when it was told. What is not more than `least` is
 * left out.
 */
export function spread(x: Moments, gain: Float64Array, ns: number, [from, until]: [number, number], steps: Float64Array, least = -Infinity): void {
  const last = steps.length - 1, scale = (until - from) / steps.length, bin = (t: number) => Math.max(0, Math.min(last, Math.floor((t - from) / scale)));
  for (let i = 0, next = bin(x.start[0]); i < x.n; i++) {
    const first = next, began = x.start[i], ended = x.trace ? x.start[i + 1] : Math.min(until, began + gain[i] * ns), end = ns ? bin(ended) : first;
    next = bin(x.start[i + 1]);
    if (!(gain[i] > least)) continue;
    if (end <= first) {
      steps[first] += gain[i];
      continue;
    }
    const each = gain[i] / (ended - began);
    for (let k = first; k <= end; k++) steps[k] += each * (Math.min(ended, from + (k + 1) * scale) - Math.max(began, from + k * scale));
  }
}

/** Metric `metric` of some series, which is `m`, in so many steps of time; null where it says nothing. */
export function curve(list: Moments[], m: Metric, metric: number, [from, until]: [number, number], bins: number): Curve | null {
  const steps = new Float64Array(bins), scale = (until - from) / bins, of = list.filter(m => m.gain[metric]);
  const at = (m: Moments, i: number) => Math.max(0, Math.min(bins - 1, Math.floor((m.start[i] - from) / scale)));
  const level = of.some(x => isLevel(m, x.gain[metric]!));
  if (level) levels(of, metric, steps, at);
  else for (const x of of) spread(x, x.gain[metric]!, lasts(m), [from, until], steps);
  return steps.some(v => v !== 0) ? { series: of.length, steps, level, most: steps.reduce((a, b) => Math.max(a, b), 0), least: steps.reduce((a, b) => Math.min(a, b), 0) } : null;
}

/** The metric whose level is worth a line beside any other: memory that is in use, or else none (-1). */
export function levelMetric(data: Data): number {
  return data.meta.profiles[0].metrics.findIndex((m, i) => m.net === undefined && m.unit === 'bytes' && data.moments.some(x => x.series.profile === 0 && x.gain[i] && isLevel(m, x.gain[i])));
}
