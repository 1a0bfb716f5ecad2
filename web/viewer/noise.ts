// When a change between two profiles is noise: the rules of src/analysis/noise.c.

import type { Data, Metric, ProfileInfo } from './data';
import { factorOf, metricOf } from './model';
import { canonical, digits } from './text';

export type Verdict = 'same' | 'noise' | 'grew' | 'shrank' | 'new' | 'gone';

/** What a number is a part of: of what a function costs itself (0), or with all it calls (1). Function 0: of none that was compared; -1: of everything. */
export type Of = readonly [func: number, which: 0 | 1];

/** What repeated runs tell of each function, which sums and means do not. */
export interface Runs {
  rule: string;
  whole: Verdict;
  /** [of its own cost, of all it calls]; null: nothing is known of it. */
  of(func: number): readonly [Verdict, Verdict] | null;
}

const SHARE = 0.05; // of the whole, and of a value: what single measured runs may differ by
const ROUNDING = 1e-9;
const TIMES = [1, 2, 3]; // wall, CPU and idle time, as src/model/metric.h numbers them

export class Noise {
  private periods: [number, number] = [1, 1];
  private sampled: boolean;
  private measured: number | null = null;
  private exact: boolean; // nothing was rounded
  readonly rule: string;
  readonly boxes: string = ''; // what holds for parts of what functions cost, where that is more than the rule
  readonly provisional: boolean; // other verdicts are to come, or should have

  /**
   * For a metric of both profiles, the later one multiplied by `scale`; `whole` is the larger of both wholes. `runs` is what comparing
   * single runs told, or why that is not known.
   */
  constructor(private data: Data, private metric: Metric, index: number, scale: number, whole: number, private runs: Runs | null = null, why = '') {
    const a = metric, b = data.meta.profiles[1].metrics[metricOf(data, 1, index)] ?? a;
    this.sampled = a.sampled || b.sampled;
    this.exact = scale === 1 && (factorOf(data, 1, index) === 1 || !data.meta.profiles[1].means);
    if (this.sampled) {
      this.periods = [a.period, b.period * scale];
      if (a.sampled !== b.sampled) this.periods = a.sampled ? [a.period, a.period] : [b.period * scale, b.period * scale];
      this.rule = this.means ? 'means of samples: changes within two standard errors are noise' : 'samples: changes within 2 \u00b7 \u221a(before + after) are noise';
    } else if (TIMES.includes(metric.kind)) {
      this.measured = SHARE * Math.abs(canonical(metric, whole));
      this.rule = 'single runs: changes within 5 % of the larger whole or of the value are noise; record three or more';
    } else {
      this.rule = 'exact counts: every difference is real';
    }
    this.provisional = !runs && why !== '';
    if (runs) {
      this.boxes = `a part of a function counts as changed if the function did, and the part in the same direction${this.sampled ? ' by more than its counting error' : this.means ? '' : ' by more than that'}`;
      this.rule = runs.rule;
    } else if (why) this.rule += ' (' + why + ')';
  }

  private get means(): boolean {
    return this.data.meta.profiles.some(p => p.means);
  }

  /** What became of the whole. */
  judgeWhole(before: number, after: number): Verdict {
    return this.runs?.whole ?? this.judge(before, after);
  }

  /** What became of a part of what a function costs: that has changed only where the function has, in the same direction. */
  judgePart(before: number, after: number, [func, which]: Of): Verdict {
    if (func < 0) return which ? this.judgeWhole(before, after) : this.judge(before, after);
    const own = this.judge(before, after, this.runs !== null && this.means && !this.sampled);
    if (!this.runs || own === 'same' || own === 'noise') return own;
    const all = (func && this.runs.of(func)?.[which]) || 'noise';
    return all === own || all === (own === 'grew' ? 'new' : 'gone') ? own : 'noise';
  }

  /** What became of a value, wherever it was; `exactly`: every difference is one. */
  judge(before: number, after: number, exactly = false): 'same' | 'noise' | 'grew' | 'shrank' {
    const a = canonical(this.metric, before), b = canonical(this.metric, after), delta = b - a;
    if (delta === 0 || (!this.exact && Math.abs(delta) <= Math.max(Math.abs(a), Math.abs(b)) * ROUNDING)) return 'same';
    const limit = exactly ? 0 : this.sampled ? 2 * Math.sqrt(Math.abs(a) * this.periods[0] + Math.abs(b) * this.periods[1]) : this.measured === null ? 0 : Math.max(this.measured, SHARE * Math.abs(a), SHARE * Math.abs(b));
    return Math.abs(delta) <= limit ? 'noise' : delta > 0 ? 'grew' : 'shrank';
  }

  /** The change of a part of what a function costs, or 0 where it is noise. */
  real(before: number, after: number, of: Of): number {
    const verdict = this.judgePart(before, after, of);
    return verdict === 'noise' || verdict === 'same' ? 0 : after - before;
  }

  /** What became of a function: [of its own cost, of all it calls]. What was not there before is new, unless that is noise. */
  verdicts(func: number, self: number[], total: number[], plain: boolean): readonly [Verdict | null, Verdict | null] {
    if (this.runs) return this.runs.of(func) ?? [null, null];
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
