// When a change between two profiles is noise: the rules of src/analysis/noise.c.

import type { Data, Metric, ProfileInfo } from './data';
import { factorOf, metricOf } from './model';
import { canonical, digits } from './text';

export type Verdict = 'same' | 'noise' | 'grew' | 'shrank' | 'new' | 'gone';

const SHARE = 0.01; // of the whole: what single measured runs may differ by
const ROUNDING = 1e-9;
const TIMES = [1, 2, 3]; // wall, CPU and idle time, as src/model/metric.h numbers them

export class Noise {
  private periods: [number, number] = [1, 1];
  private sampled: boolean;
  private measured: number | null = null;
  private exact: boolean; // nothing was rounded
  readonly rule: string;

  /** For a metric of both profiles, the later one multiplied by `scale`; `whole` is the larger of both wholes. */
  constructor(private data: Data, private metric: Metric, index: number, scale: number, whole: number) {
    const a = metric, b = data.meta.profiles[1].metrics[metricOf(data, 1, index)] ?? a;
    this.sampled = a.sampled || b.sampled;
    this.exact = scale === 1 && (factorOf(data, 1, index) === 1 || !data.meta.profiles[1].means);
    if (this.sampled) {
      this.periods = [a.period, b.period * scale];
      if (a.sampled !== b.sampled) this.periods = a.sampled ? [a.period, a.period] : [b.period * scale, b.period * scale];
      this.rule = data.meta.profiles.some(p => p.means) ? 'means of samples: changes within two standard errors are noise' : 'samples: changes within 2 \u00b7 \u221a(before + after) are noise';
    } else if (TIMES.includes(metric.kind)) {
      this.measured = SHARE * Math.abs(canonical(metric, whole));
      this.rule = 'single runs: changes within 1 % of the larger whole are noise';
    } else {
      this.rule = 'exact counts: every difference is real';
    }
  }

  /** What became of a value, wherever it was. */
  judge(before: number, after: number): 'same' | 'noise' | 'grew' | 'shrank' {
    const a = canonical(this.metric, before), b = canonical(this.metric, after), delta = b - a;
    if (delta === 0 || (!this.exact && Math.abs(delta) <= Math.max(Math.abs(a), Math.abs(b)) * ROUNDING)) return 'same';
    const limit = this.sampled ? 2 * Math.sqrt(Math.abs(a) * this.periods[0] + Math.abs(b) * this.periods[1]) : this.measured ?? 0;
    return Math.abs(delta) <= limit ? 'noise' : delta > 0 ? 'grew' : 'shrank';
  }

  /** A change, or 0 where it is noise. */
  real(before: number, after: number): number {
    const verdict = this.judge(before, after);
    return verdict === 'noise' || verdict === 'same' ? 0 : after - before;
  }

  /** What became of a function: [of its own cost, of all it calls]. What was not there before is new, unless that is noise. */
  verdicts(func: number, self: number[], total: number[], plain: boolean): [Verdict, Verdict] {
    const own: Verdict = this.judge(self[0], self[1]), all: Verdict = this.judge(total[0], total[1]), [before, after] = this.sides(func, self, total, plain);
    if (before === after) return [own, all];
    const presence = before ? 'gone' : 'new', whole = all === 'noise' ? all : presence;
    return [own === 'same' ? whole : own === 'noise' ? own : presence, whole];
  }

  /** In which of the two it is. Both sides of a differential file name every function: there only what it costs tells. */
  private sides(func: number, self: number[], total: number[], plain: boolean): [boolean, boolean] {
    const { profiles } = this.data.meta, known = this.data.funcs.sides, costs = [0, 1].map(k => self[k] !== 0 || total[k] !== 0);
    if (!known || !plain || (profiles[0].file === profiles[1].file && costs.some(Boolean))) return [costs[0], costs[1]];
    return [(known[func] & 1) > 0, (known[func] & 2) > 0];
  }
}

/** Of a store: how many profiles these are, and whether they were added up. */
export function counted(profiles: ProfileInfo[]): string {
  const runs = profiles.map(p => digits(p.runs ?? 1)).join(' \u2192 ');
  return profiles.some(p => p.means) ? `means of ${runs} profiles` : profiles.length === 1 && (profiles[0].runs ?? 1) > 1 ? `${runs} profiles added up` : '';
}
