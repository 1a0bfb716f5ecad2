// Questions to the data: costs of nodes and functions under a metric, threads, time and filters.
//
// All of it is loops over typed arrays. A subtree is a range, so inclusive costs are differences of sums from the start,
// and what an ancestor decides holds up to its end.

import type { Data, Moments, Series } from './data';
import type { Filter, Kept, Rules } from './filters';
import { callsLeft, chosenParts, chosenStacks, goneFuncs, keptCosts, moved, prepareTops, ruleFlags, staying, sumTops, takeOut } from './filters';
import type { Of } from './noise';
import type { Both, Numbers, Totals } from './totals';
import { Cells, Pool, Ranges, Steps, bothOf, isExact, partsOf, roundedOf } from './totals';
import type { Tree } from './tree';

/** What is looked at: which costs of which part of the profile. */
export interface Selection {
  metric: number; // of the first profile
  event: string; // '' = all
  thread: string; // key of a thread, '' = all
  time: [number, number] | null; // ns from the start
  filters: Filter[];
  normalize: boolean;
}

/** Costs of one profile on a tree: the own and inclusive cost of each node. */
export class Costs {
  private counted: Float64Array | null = null;
  private made: Numbers | null = null;

  /** `own`, `whole`: what nodes cost before frames were taken out; `move`: gives it to the frames that are left. */
  constructor(readonly own: Numbers, readonly total: Totals, private count: (() => Float64Array) | null, readonly whole: Totals = total, private move: (() => Numbers) | null = null) {}

  /** Own costs, where filters leave them: pictures do not need them, so they are made when first asked for. */
  get self(): Numbers {
    return (this.made ??= this.move ? this.move() : this.own);
  }

  /** Calls begun at each node, likewise. */
  get calls(): Float64Array | null {
    return this.count && (this.counted ??= this.count());
  }

  /** The same calls on other costs. */
  with({ self, total }: Both): Costs {
    return new Costs(self, total, this.count && (() => this.calls!));
  }

  /** Its arrays as long as the tree. */
  get room(): Float64Array[] {
    return [...[this.own, this.made].flatMap(x => (x instanceof Cells ? [x.cells] : [])), ...this.total.room];
  }
}

export interface FlatRow {
  func: number;
  self: number[]; // by profile
  total: number[];
  calls: (number | null)[];
  part?(which: 0 | 1): Of; // of which function's cost it is a part, where it is not all of that
  net?(): [number, number]; // what is left of what it gained itself and with all it called, where those are not the function's
}

export interface Scene {
  tree: Tree;
  out: Uint8Array | null; // nodes that filters took out; null = none
  holes: boolean; // some lie below nodes that are left
  costs: Costs[];
  /** What gives widths: the cost, or with two profiles the larger of both own costs. */
  width: Totals;
  tops: Int32Array | null; // where nodes were taken out, those that are left and lie in none that is
  kept: Kept | null; // all that are left, where they are few
  whole: number[]; // by profile: what all of it costs
  scale: number; // what the second profile was multiplied by
  negative: boolean; // some own cost is, before filters
  flat(): FlatProfile;
  /** Own costs by function. */
  ownBy(profile: number): Float64Array;
  flatRest: number; // functions that were summed up before
}

export function threadKey(s: Series): string {
  const i = s.info;
  const name = i.thread || (i.tid >= 0 ? String(i.tid) : '');
  const process = i.process || (i.pid >= 0 && i.tid >= 0 && i.pid !== i.tid ? String(i.pid) : '');
  return (process && name && process !== name ? process + '/' : process === name ? '' : process) + name || i.context;
}

/** The word that --thread takes for a series. */
export function threadWord(s: Series): string {
  return s.info.tid >= 0 ? String(s.info.tid) : s.info.thread || threadKey(s);
}

/** The metric of another profile that counts the same; -1 = none. */
export function metricOf(data: Data, profile: number, metric: number): number {
  const want = data.meta.profiles[0].metrics[metric];
  if (profile === 0 || !want) return want ? metric : -1;
  const list = data.meta.profiles[profile].metrics;
  const found = list.findIndex(m => m.name === want.name && m.event === want.event && m.unit === want.unit);
  return found >= 0 ? found : list.findIndex(m => m.kind === want.kind && m.unit === want.unit);
}

/** The metric that shares and widths are of: what one gained, where it falls and is not compared. */
export function gainedOf(data: Data, metric: number): number {
  const { profiles } = data.meta, i = profiles.length > 1 ? -1 : profiles[0].metrics.findIndex(m => m.net === metric);
  return i < 0 ? metric : i;
}

/** What a raw value of another profile is worth in raw values of the first: files count in steps of their own. */
export function factorOf(data: Data, profile: number, metric: number): number {
  const a = data.meta.profiles[0].metrics[metric], b = data.meta.profiles[profile].metrics[metricOf(data, profile, metric)];
  return !a || !b || profile === 0 ? 1 : (b.num * a.den * 10 ** a.scale) / (b.den * a.num * 10 ** b.scale);
}

// ---- own costs ----

function chosen(s: Series, what: Selection): boolean {
  return (!what.event || s.info.event === what.event || !s.info.event) && (!what.thread || threadKey(s) === what.thread);
}

/** The first moment that starts at or after a time. */
export function momentAt(m: Moments, time: number): number {
  let lo = 0, hi = m.n;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (m.start[mid] < time) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/**
 * Adds what happened in [from, to). An interval of a trace that a border cuts is divided in proportion to time,
 * rounded down from its start, as `--time` does.
 */
function addMoments(m: Moments, metric: number, from: number, to: number, self: Float64Array, real: boolean): void {
  const gain = m.gain[metric], { node, start } = m, first = momentAt(m, from), end = momentAt(m, to);
  if (!gain) return;
  // Only what runs at a border can be cut.
  const last = m.trace && end > first ? end - 1 : end;
  for (let i = first; i < last; i++) self[node[i]] += gain[i];
  if (!m.trace) return;
  const part = (g: number, at: number, length: number) => (at >= length ? g : real ? (g * at) / length : Math.trunc((g * at) / length));
  const cut = (i: number) => {
    const length = start[i + 1] - start[i], a = Math.max(from - start[i], 0), z = Math.min(to - start[i], length);
    if (length === 0) self[node[i]] += start[i] >= from ? gain[i] : 0;
    else if (z > a) self[node[i]] += part(gain[i], z, length) - (a > 0 ? part(gain[i], a, length) : 0);
  };
  if (first > 0 && first <= m.n) cut(first - 1);
  if (last < end) cut(last);
}

function addRows(to: Float64Array, node: Int32Array, cost: Float64Array): void {
  for (let i = 0; i < node.length; i++) to[node[i]] += cost[i];
}

/** How large the numbers are together, and whether some are below 0. */
class Extent {
  size = 0;
  negative = false;

  add(cells: Float64Array): void {
    let size = 0, least = 0;
    for (let i = 0; i < cells.length; i++) {
      const v = cells[i];
      size += v < 0 ? -v : v;
      if (v < least) least = v;
    }
    this.size += size;
    this.negative ||= least < 0;
  }
}

function ownCosts(data: Data, profile: number, what: Selection, pool: Pool): Both & { negative: boolean } {
  const self = pool.zeros(data.tree.n), metric = metricOf(data, profile, what.metric), factor = factorOf(data, profile, what.metric), extent = new Extent();
  const real = data.meta.profiles[profile].metrics[metric]?.real ?? false;
  for (const s of data.series) {
    if (s.profile !== profile || metric < 0 || !chosen(s, what)) continue;
    const timed = what.time ? data.moments.find(m => m.series === s) : undefined, cost = timed ? timed.gain[metric] : s.cost[metric];
    if (!cost) continue;
    extent.add(cost);
    if (what.time && timed) addMoments(timed, metric, what.time[0], what.time[1], self, real);
    else if (!what.time) addRows(self, s.node, cost);
  }
  if (factor !== 1) for (let i = 0; i < self.length; i++) self[i] *= factor;
  return { ...bothOf(data.tree, self, !real && factor === 1 && isExact(extent.size), pool), negative: extent.negative };
}

/** Below each node of the first profile: what was given back and is in no own cost; null = nothing. */
export function unseenBelow(data: Data, metric: number): Totals | null {
  const rows = data.series.filter(s => s.profile === 0 && s.unseen[metric]), cells = new Float64Array(data.tree.n + 1);
  for (const s of rows) addRows(cells, s.node, s.unseen[metric]!);
  return rows.length ? bothOf(data.tree, cells, true, new Pool()).total : null;
}

function knowsCalls(data: Data, profile: number, what: Selection): boolean {
  return data.series.some(s => s.profile === profile && s.info.calls && chosen(s, what));
}

function ownCalls(data: Data, profile: number, what: Selection): Float64Array {
  const calls = new Float64Array(data.tree.n);
  for (const s of data.series) {
    if (s.profile !== profile || !chosen(s, what)) continue;
    const timed = what.time ? data.moments.find(m => m.series === s) : undefined;
    if (timed?.calls) for (let i = momentAt(timed, what.time![0]), end = momentAt(timed, what.time![1]); i < end; i++) calls[timed.node[i]] += timed.calls[i];
    else if (!what.time && s.calls) addRows(calls, s.node, s.calls);
  }
  return calls;
}

/**
 * What each source line costs for what is chosen, where the frames of stacks know their lines; null where the file only
 * has sums per line. Frames that filters take out leave their cost to callers, whose lines nobody knows: `astray`.
 */
export function lineCosts(data: Data, profile: number, what: Selection): { cost: Float64Array; astray: number } | null {
  const list = data.series.filter(s => s.profile === profile && chosen(s, what)), lines = data.lines[profile];
  const metric = metricOf(data, profile, what.metric), factor = factorOf(data, profile, what.metric);
  if (!lines || metric < 0 || list.some(s => !s.line || (what.time && !data.moments.find(m => m.series === s)?.line))) return null;
  const cost = new Float64Array(lines.line.length), stays = what.filters.length ? staying(data, what.filters) : null;
  let astray = 0;
  const add = (node: number, line: number, value: number) => {
    if (stays && !stays[node]) astray += value;
    else if (line) cost[line - 1] += value * factor;
  };
  for (const s of list) {
    const m = what.time ? data.moments.find(x => x.series === s)! : null, from = m ? m.gain[metric] : s.cost[metric];
    if (!from) continue;
    if (m) for (let i = momentAt(m, what.time![0]), end = momentAt(m, what.time![1]); i < end; i++) add(m.node[i], m.line![i], from[i]);
    else for (let i = 0; i < s.node.length; i++) add(s.node[i], s.line![i], from[i]);
  }
  return { cost, astray: what.filters.some(f => f.kind === 'hide' || f.kind === 'show' || f.kind === 'collapse') ? astray * factor : 0 };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** The nodes that something is known of. */
function presentNodes(data: Data, profile: number, what: Selection): Uint8Array {
  const out = new Uint8Array(data.tree.n), { time } = what;
  for (const s of data.series) {
    if (s.profile !== profile || !chosen(s, what)) continue;
    const m = time ? data.moments.find(x => x.series === s) : undefined;
    if (!time) for (let i = 0; i < s.node.length; i++) out[s.node[i]] = 1;
    if (!m) continue;
    const first = momentAt(m, time![0]), end = momentAt(m, time![1]);
    for (let i = m.trace && first > 0 ? first - 1 : first; i < end; i++) out[m.node[i]] = 1;
  }
  return out;
}

// ---- inclusive and flat ----

interface Sums {
  self: Float64Array;
  total: Float64Array;
  calls: Float64Array | null;
}

/** Own costs by function. Few nodes have any: `known` are those; what was taken out leaves its cost to what it lies in. */
function ownBy({ func, parent }: Tree, out: Uint8Array | null, known: Int32Array, own: Numbers, functions: number): Float64Array {
  const sums = new Float64Array(functions);
  for (let i = 0; i < known.length; i++) {
    let node = known[i];
    const cost = own.at(node);
    if (cost === 0) continue;
    while (out && out[node]) node = parent[node];
    if (node) sums[func[node]] += cost;
  }
  return sums;
}

/**
 * Inclusive costs by function, of outermost activations. `tops`: what to look into, null = all; `skip`: what costs
 * nothing has nothing below; `less`: what is left of them, where what is gone is wanted.
 */
function totalBy(tree: Tree, { out, tops }: Pick<Scene, 'out' | 'tops'>, total: Totals, skip: boolean, functions: number, less?: Totals): Float64Array {
  const { func, end, n } = tree, sums = new Float64Array(functions), inside = new Int32Array(functions); // end of the outermost activation
  const { cells } = total, minus = less?.cells, { ranges } = total; // the arrays themselves: this is a long loop
  for (let t = 0, parts = tops ? tops.length : 1; t < parts; t++) {
    for (let i = tops ? tops[t] : 1, last = tops ? end[i] : n; i < last; i++) {
      const f = func[i];
      if (i < inside[f] || (out && out[i])) continue;
      const until = end[i];
      let cost = ranges ? cells[until] - cells[i] : cells[i];
      if (minus) cost -= minus[until] - minus[i];
      if (skip && cost === 0) {
        i = until - 1;
        continue;
      }
      inside[f] = until;
      sums[f] += cost;
    }
  }
  return sums;
}

function callsBy({ func, n }: Tree, calls: Float64Array, functions: number): Float64Array {
  const out = new Float64Array(functions);
  for (let i = 1; i < n; i++) out[func[i]] += calls[i];
  return out;
}

/** Functions with their places in the order of names. */
interface Named {
  rank: Int32Array;
}

/** Costs by function. */
export class FlatProfile {
  readonly rows: FlatRow[] = [];
  private orders = new Map<string, FlatRow[]>();

  constructor(readonly sums: Sums[], listed: Uint8Array | null) {
    const n = sums[0].self.length;
    for (let f = 1; f < n; f++) if (listed ? listed[f] : sums.some(s => s.self[f] !== 0 || s.total[f] !== 0 || (s.calls !== null && s.calls[f] > 0))) this.rows.push(new Row(sums, f));
  }

  row(func: number): FlatRow {
    return new Row(this.sums, func);
  }

  /** By one of the numbers, the largest first, or with "-" before it the smallest; ties by name. */
  sorted(order: string, funcs: Named): FlatRow[] {
    const known = this.orders.get(order);
    if (known) return known;
    if (order.endsWith('name')) {
      const out = this.named(funcs);
      if (order !== 'name') out.reverse();
      this.orders.set(order, out);
      return out;
    }
    // Numbers alone are put in order three times as fast as rows; equal ones stand in the order of names.
    const keys = this.keys(order.replace('-', ''), funcs), sign = order.startsWith('-') ? 1 : -1, { rows } = this, out = new Array<FlatRow>(rows.length), next = new Map<number, number>();
    Float64Array.from(rows, r => sign * keys[r.func]).sort().forEach((key, i) => next.has(key) || next.set(key, i));
    for (const row of this.named(funcs)) {
      const key = sign * keys[row.func], at = next.get(key)!;
      out[at] = row;
      next.set(key, at + 1);
    }
    this.orders.set(order, out);
    return out;
  }

  /** The rows in the order of names. */
  private named({ rank }: Named): FlatRow[] {
    const at = new Int32Array(rank.length + 1), out = new Array<FlatRow>(this.rows.length);
    for (const { func } of this.rows) at[rank[func] + 1]++;
    for (let i = 0; i < rank.length; i++) at[i + 1] += at[i];
    for (const row of this.rows) out[at[rank[row.func]]++] = row;
    return out;
  }

  /** The first of them, without putting all others in order. */
  first(order: string, funcs: Named, n: number): FlatRow[] {
    const by = this.by(order, funcs), known = this.orders.get(order) ?? [], out = known.slice(0, n);
    for (const row of known.length ? [] : this.rows) {
      if (out.length === n && by(row, out[n - 1]) >= 0) continue;
      let at = Math.min(out.length, n - 1);
      for (; at > 0 && by(row, out[at - 1]) < 0; at--) out[at] = out[at - 1];
      out[at] = row;
    }
    return out;
  }

  private by(order: string, funcs: Named): (a: FlatRow, b: FlatRow) => number {
    const keys = this.keys(order.replace('-', ''), funcs), sign = order.startsWith('-') ? -1 : 1;
    return (a, b) => sign * (keys[b.func] - keys[a.func]) || funcs.rank[a.func] - funcs.rank[b.func];
  }

  private keys(name: string, funcs: Named): Float64Array {
    const first = this.sums[0], last = this.sums[this.sums.length - 1];
    const difference = (a: Float64Array, b: Float64Array) => a.map((v, i) => Math.abs(v - b[i]));
    switch (name) {
      case 'total': return last.total;
      case 'before': return first.self;
      case 'totalBefore': return first.total;
      case 'calls': return last.calls?.map(v => (v >= 0 ? v : -1)) ?? last.self;
      case 'change': return difference(last.self, first.self);
      case 'totalChange': return difference(last.total, first.total);
      case 'name': return Float64Array.from(funcs.rank, r => -r);
      default: return last.self;
    }
  }
}

class Row implements FlatRow {
  constructor(private sums: Sums[], readonly func: number) {}

  get self(): number[] { return this.sums.map(s => s.self[this.func]); }
  get total(): number[] { return this.sums.map(s => s.total[this.func]); }
  get calls(): (number | null)[] { return this.sums.map(s => (s.calls && s.calls[this.func] >= 0 ? s.calls[this.func] : null)); }
}

/** The flat profile as the file states it. */
function flatStated(data: Data, metric: number): FlatProfile {
  const n = data.funcs.n, listed = new Uint8Array(n);
  return new FlatProfile(data.flat.map((flat, k) => {
    const m = metricOf(data, k, metric), factor = factorOf(data, k, metric);
    const self = new Float64Array(n), total = new Float64Array(n), calls = flat?.calls ? new Float64Array(n).fill(NaN) : null;
    for (let i = 0; flat && i < flat.func.length; i++) {
      const f = flat.func[i];
      listed[f] = 1;
      if (m >= 0) {
        self[f] += flat.self[m][i] * factor;
        total[f] += flat.total[m][i] * factor;
      }
      if (calls && flat.calls![i] >= 0) calls[f] = (calls[f] >= 0 ? calls[f] : 0) + flat.calls![i];
    }
    return { self, total, calls };
  }), listed);
}

function wholeOf(data: Data, k: number, metric: number): number {
  const m = metricOf(data, k, metric), info = data.meta.profiles[k].metrics[m];
  return info ? (info.total / info.num) * info.den * 10 ** info.scale * factorOf(data, k, metric) : 0;
}

export function isPlain(what: Selection): boolean {
  return !what.filters.length && !what.time && !what.thread && !what.event;
}

const ALL = { out: null, tops: null };

/** What is chosen, before filters. */
interface Base {
  costs: Costs[];
  totalBy: (() => Float64Array)[]; // by profile: inclusive costs by function
  present: (() => Uint8Array)[]; // by profile: the nodes that something is known of
  width: Totals;
  negative: boolean; // some own cost is
}

function makeBase(data: Data, what: Selection, pool: Pool): Base {
  const own = data.meta.profiles.map((_, k) => ownCosts(data, k, what, pool)), negative = own.some(o => o.negative);
  const costs = own.map((o, k) => new Costs(o.self, o.total, knowsCalls(data, k, what) ? () => ownCalls(data, k, what) : null));
  const present = costs.map((_, k) => once(() => presentNodes(data, k, what)));
  const totals = costs.map(c => once(() => totalBy(data.tree, ALL, c.total, !negative, data.funcs.n)));
  return { costs, totalBy: totals, present, width: widths(data.tree, costs, negative, pool), negative };
}

/** Inclusive costs by function where filters left no more than `left`: what is missing is added up instead where that is less. */
function leftBy(data: Data, base: Base, k: number, left: Totals): Float64Array {
  const { tree, funcs: { n } } = data, { total } = base.costs[k];
  if (left === total) return base.totalBy[k]();
  if (base.negative || !left.ranges || 2 * left.at(0) < total.at(0)) return totalBy(tree, ALL, left, !base.negative, n);
  const gone = totalBy(tree, ALL, total, true, n, left);
  return base.totalBy[k]().map((v, f) => v - gone[f]);
}

/** Inclusive costs by function that filters leave. */
function leftTotals(data: Data, base: Base, k: number, rules: Rules, left: Left): Float64Array {
  const { tree, funcs: { n } } = data, c = left.costs[k];
  if (rules.kinds & 36) return totalBy(tree, left, c.total, !base.negative, n);
  const total = leftBy(data, base, k, c.whole), gone = left.out && goneFuncs(rules);
  return gone ? total.map((v, f) => (gone[f] ? 0 : v)) : total;
}

/** What filters leave. */
type Left = Pick<Scene, 'costs' | 'out' | 'tops' | 'kept'>;

/** Own costs for who looks at all of them. */
function allOwn(own: Numbers, total: Totals): Numbers {
  return total.ranges ? new Steps(total.cells) : own;
}

/** The costs of the stacks that focus and ignore leave; `lazy`: as they are asked for. */
function chosenCosts(tree: Tree, rules: Rules, { self, total }: Costs, lazy: boolean, pool: Pool): Both {
  if (total.ranges) {
    const both = partsOf(tree, total, chosenParts(tree, rules), pool), all = lazy ? null : new Ranges(both.total.cells, tree.end);
    return all ? { self: all.own(), total: all } : both;
  }
  const own = chosenStacks(tree, rules, self, pool.take(tree.n));
  return { self: new Cells(own), total: roundedOf(tree, own, pool) };
}

/** The costs that filters leave, the nodes that they take out, and what is on top then. */
function filtered(data: Data, what: Selection, rules: Rules, base: Base, pool: Pool): Left {
  const { tree } = data, { n } = tree, { kinds } = rules, out = kinds & 60 ? new Uint8Array(n) : null;
  const taken = out && takeOut(tree, rules, out), tops = taken && taken.tops, keepRoot = !(kinds & 20);
  const topCosts = (total: Totals) => {
    const kept = taken && taken.kept;
    if (!kept || base.costs.length > 1) return sumTops(tree, tops!, total);
    const list = (kept.costs = keptCosts(tree, kept, total));
    let sum = 0;
    for (let i = 0; i < list.length; i = kept.end[i]) sum += list[i];
    return sum;
  };
  const costs = base.costs.map((c, k) => {
    const left = kinds & 3 ? chosenCosts(tree, rules, c, base.costs.length === 1 && !base.negative, pool) : c, total = tops ? left.total.with(topCosts(left.total) + (keepRoot ? left.self.at(0) : 0)) : left.total;
    const calls = knowsCalls(data, k, what) ? () => callsLeft(tree, rules, out, base.present[k](), c.calls!.slice()) : null;
    return new Costs(left.self, total, calls, left.total, out && (() => new Cells(moved(tree, allOwn(left.self, left.total), out, keepRoot, pool.take(n)))));
  });
  return { costs, out, tops, kept: taken && taken.kept };
}

function makeScene(data: Data, what: Selection, base: Base, pool: Pool): Scene {
  const { tree, funcs: { n } } = data, plain = isPlain(what), hasTree = data.meta.profiles.every(p => p.facets.includes('tree'));
  const rules = what.filters.length ? ruleFlags(data, what.filters) : null, left: Left = rules ? filtered(data, what, rules, base, pool) : { costs: base.costs, out: null, tops: null, kept: null }, { out, tops, kept } = left;
  let { costs } = left, { width } = base, flat: FlatProfile | null = null, scale = 1;
  if (what.normalize && costs.length === 2) ({ costs, scale } = scaled(tree, costs, pool));
  if (costs !== base.costs) width = widths(tree, costs, base.negative, pool);
  const stated = plain && !what.normalize && data.flat.some(f => f);
  const own = costs.map((c, k) => once(() => ownBy(tree, out, data.known(k), allOwn(c.own, c.whole), n)));
  const totals = (k: number) => (what.normalize ? totalBy(tree, left, costs[k].total, !base.negative, n) : rules ? leftTotals(data, base, k, rules, left) : base.totalBy[k]());
  const sums = (k: number): Sums => ({ self: own[k](), total: totals(k), calls: costs[k].calls && callsBy(tree, costs[k].calls!, n) });
  const none = (): Sums => ({ self: new Float64Array(n), total: new Float64Array(n), calls: null });
  return {
    tree, out, tops, kept, holes: !!rules && (rules.kinds & 56) !== 0, costs, width, scale, negative: base.negative, ownBy: k => own[k](),
    whole: costs.map((c, k) => (plain && !what.normalize ? wholeOf(data, k, what.metric) : c.total.at(0))),
    flat: () => (flat ??= stated ? flatStated(data, what.metric) : new FlatProfile(costs.map((_, k) => (hasTree ? sums(k) : none())), null)),
    flatRest: stated ? data.meta.cut.functions : 0,
  };
}

type Shown = Pick<Scene, 'costs' | 'width'>;

function newest<V>(map: Map<string, V>, key: string, most: number, make: () => V, drop: (value: V) => void): V {
  const value = map.get(key) ?? make();
  map.delete(key);
  map.set(key, value);
  if (map.size > most) {
    const [oldest, last] = map.entries().next().value!;
    map.delete(oldest);
    drop(last);
  }
  return value;
}

/** Scenes looked at lately are kept: undo and redo need not compute them again, and filters start from the costs there are. */
export class Scenes {
  private bases = new Map<string, Base>();
  private scenes = new Map<string, Scene>();
  private pool = new Pool();

  constructor(private data: Data) {}

  /** What is gained of a metric that falls, or with `net` what is left of it. */
  of(what: Selection, net = false): Scene {
    const s = net ? what : { ...what, metric: gainedOf(this.data, what.metric) };
    const part = JSON.stringify([s.metric, s.event, s.thread, s.time]), all = JSON.stringify([s.filters, s.normalize]);
    return newest(this.scenes, part + all, this.data.tree.n > 1e6 ? 3 : 5, () => makeScene(this.data, s, this.base(part, s), this.pool), old => this.reuse(old));
  }

  /** Makes a bit of the room that the next questions need; false when there is enough. */
  prepare(): boolean {
    prepareTops(this.data.tree.n);
    for (const base of this.bases.values()) base.costs.forEach((c, k) => c.calls && base.present[k]());
    return this.pool.fill(this.data.tree.n, 2 * this.data.meta.profiles.length);
  }

  /** What functions cost in what is chosen, on which filters build. */
  sumUp(): void {
    for (const base of this.bases.values()) for (const sums of base.totalBy) sums();
  }

  private base(part: string, s: Selection): Base {
    return newest(this.bases, part, 3, () => makeBase(this.data, s, this.pool), old => this.reuse(old));
  }

  /** Keeps the room of what nobody looks at any more. */
  private reuse(old: Shown): void {
    const arrays = ({ costs, width }: Shown) => [...width.room, ...costs.flatMap(c => c.room)];
    const used = new Set([...this.scenes.values(), ...this.bases.values() as Iterable<Shown>].flatMap(arrays));
    for (const cells of arrays(old)) if (!used.has(cells)) this.pool.give(cells);
  }
}

/** The second profile scaled to the size of the first. */
function scaled(tree: Tree, [before, after]: Costs[], pool: Pool): { costs: Costs[]; scale: number } {
  const sum = (own: Numbers) => {
    let all = 0;
    for (let i = 0; i < tree.n; i++) all += own.at(i);
    return all;
  };
  const a = sum(before.self), b = sum(after.self), self = pool.take(tree.n);
  if (!(a > 0 && b > 0)) return { costs: [before, after], scale: 1 };
  for (let i = 0; i < tree.n; i++) self[i] = (after.self.at(i) * a) / b;
  return { costs: [before, after.with(bothOf(tree, self, false, pool))], scale: a / b };
}

/** What gives nodes their widths: costs below zero have none. */
function widths(tree: Tree, costs: Costs[], negative: boolean, pool: Pool): Totals {
  const { n } = tree;
  if (costs.length === 1 && !negative) return costs[0].total;
  const a = costs[0].self, b = (costs[1] ?? costs[0]).self, own = pool.take(n);
  let size = 0;
  for (let i = 0; i < n; i++) size += own[i] = Math.max(a.at(i), b.at(i), 0);
  own[n] = 0;
  const { total } = bothOf(tree, own, isExact(size) && costs.every(c => c.total.ranges), pool);
  if (total.cells !== own) pool.give(own);
  return total;
}

// ---- one function ----

/** Calls between one function and another. */
export interface Call {
  func: number; // the other end; 0 = called from outside
  calls: number[]; // by profile
  self: number[] | null; // what the callee costs itself when called so; null where only calls are known
  total: number[];
  sites: Set<string>;
}

/**
 * Who calls a function and whom it calls, from stacks, as `callers` and `callees` have it: on each stack, everything from
 * the first to the last activation of the function counts as the function. Callers get the first one, callees what lies
 * below the last one, so both add up to what the function costs.
 */
export function callsFromStacks({ tree, out, costs }: Scene, func: number): { callers: Call[]; callees: Call[] } {
  const { parent, end, func: of } = tree, { at, from } = tree.byFunc, maps = [new Map<number, Call>(), new Map<number, Call>()];
  const above = (node: number) => {
    let up = parent[node];
    while (out && out[up]) up = parent[up];
    return up;
  };
  const add = (side: number, other: number, node: number, charged: boolean): Call => {
    let call = maps[side].get(other);
    if (!call) maps[side].set(other, (call = { func: other, calls: costs.map(() => 0), self: costs.map(() => 0), total: costs.map(() => 0), sites: new Set() }));
    for (let k = 0; k < costs.length; k++) {
      const c = costs[k];
      call.calls[k] += c.calls?.[node] ?? 0;
      call.self![k] += c.self.at(node);
      if (charged) call.total[k] += c.total.at(node);
    }
    return call;
  };
  const less = (call: Call, node: number) => {
    for (let k = 0; k < costs.length; k++) call.total[k] -= costs[k].total.at(node);
  };
  const last = from[func + 1] ?? 0;
  /** The place of the function's first node from there on. */
  const next = (low: number, node: number) => {
    let high = last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at[middle] < node) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  for (let i = from[func] ?? 0, inside = 0; i < last; i++) {
    const node = at[i];
    if (out && out[node]) continue;
    add(0, of[above(node)], node, node >= inside);
    if (node >= inside) inside = end[node];
    for (let c = node + 1; c < end[node];) {
      if (out && out[c]) {
        c++; // its callees take its place
        continue;
      }
      const call = add(1, of[c], c, of[c] !== func);
      // The function's own nodes below have callees of their own.
      for (let k = of[c] === func ? last : next(i + 1, c); k < last && at[k] < end[c];) {
        const hidden = out && out[at[k]];
        if (!hidden) less(call, at[k]);
        k = hidden ? k + 1 : next(k + 1, end[at[k]]);
      }
      c = end[c];
    }
  }
  const rows = (map: Map<number, Call>) => [...map.values()].filter(c => c.func || c.total.some(v => v !== 0) || c.calls.some(v => v > 0));
  return { callers: rows(maps[0]), callees: rows(maps[1]) };
}

/** How long single calls of a function took, where events tell: outermost ones only. */
export function durations(data: Data, func: number, profile: number): Float64Array {
  const { n, end } = data.tree, outer = new Int32Array(n), out: number[] = []; // outer: the activation in which a node lies
  for (const start of data.tree.outermost(func, null)) outer.fill(start, start, end[start]);
  for (const { trace, series, n: last, node, start, calls } of data.moments) {
    if (!trace || series.profile !== profile) continue;
    let now = 0, since = 0;
    for (let k = 0; k < last; k++) {
      const at = outer[node[k]];
      if (at === now && (at === 0 || node[k] !== at || calls === null || calls[k] <= 0)) continue;
      if (now) out.push(start[k] - since);
      now = at;
      since = start[k];
    }
    if (now) out.push(start[last] - since);
  }
  return Float64Array.from(out).sort();
}

/** Until when each sample is known to have run, never past the next one: what lies between is nobody's. */
export function sampleEnds({ n, start, length }: Moments): Float64Array | null {
  return length && length.map((ran, i) => Math.min(start[i] + ran, i + 1 < n ? start[i + 1] : Infinity));
}
