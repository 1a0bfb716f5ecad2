// Questions to the data: costs of nodes and functions under a metric, threads, time and filters.
//
// All of it is loops over typed arrays. Parents stand before their children, so inclusive cost is one loop
// backwards, and what an ancestor decides is one loop forwards.

import type { Data, Moments, Series, Tree } from './data';

export type FilterKind = 'focus' | 'ignore' | 'show-from' | 'hide' | 'show' | 'collapse';

export interface Filter {
  kind: FilterKind;
  pattern: string;
}

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

  constructor(readonly self: Float64Array, readonly total: Float64Array, private count: (() => Float64Array) | null) {}

  /** Calls begun at each node, counted when first asked for: pictures do not need them. */
  get calls(): Float64Array | null {
    return this.count && (this.counted ??= this.count());
  }

  /** The same calls on other costs. */
  with(self: Float64Array, total: Float64Array): Costs {
    return new Costs(self, total, this.count && (() => this.calls!));
  }
}

export interface FlatRow {
  func: number;
  self: number[]; // by profile
  total: number[];
  calls: (number | null)[];
  net?(): [number, number]; // what is left of what it gained itself and with all it called, where those are not the function's
}

export interface Scene {
  tree: Tree;
  out: Uint8Array | null; // nodes that filters took out; null = none
  costs: Costs[];
  /** What gives widths: the cost, or with two profiles the larger of both own costs. */
  width: Float64Array;
  whole: number[]; // by profile: what all of it costs
  scale: number; // what the second profile was multiplied by
  flat(): FlatProfile;
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

// ---- room ----

/**
 * Arrays as long as the tree are used again: making and dropping them for each question would cost more than the
 * question.
 */
class Pool {
  private free: Float64Array[] = [];

  take(n: number): Float64Array {
    const found = this.free.pop();
    return found && found.length === n ? found : new Float64Array(n);
  }

  zeros(n: number): Float64Array {
    return this.take(n).fill(0);
  }

  /** Makes room before it is needed. */
  fill(n: number, most: number): boolean {
    if (this.free.length < most) this.free.push(new Float64Array(n).fill(1));
    return this.free.length < most;
  }

  give(cells: Float64Array): void {
    if (this.free.length < 8 && !this.free.includes(cells)) this.free.push(cells);
  }
}

let where = new Int32Array(0); // what takeOut() found, until the next time

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

function ownCosts(data: Data, profile: number, what: Selection, pool: Pool): Float64Array {
  const self = pool.zeros(data.tree.n), metric = metricOf(data, profile, what.metric), factor = factorOf(data, profile, what.metric);
  const real = data.meta.profiles[profile].metrics[metric]?.real ?? false;
  for (const s of data.series) {
    if (s.profile !== profile || metric < 0 || !chosen(s, what)) continue;
    const cost = s.cost[metric], timed = what.time ? data.moments.find(m => m.series === s) : undefined;
    if (what.time && timed) addMoments(timed, metric, what.time[0], what.time[1], self, real);
    else if (!what.time && cost) addRows(self, s.node, cost);
  }
  if (factor !== 1) for (let i = 0; i < self.length; i++) self[i] *= factor;
  return self;
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

// ---- filters ----

/** Whether a pattern is a regular expression. What is none is taken as text. */
export function isRegex(pattern: string): boolean {
  try {
    return !!new RegExp(pattern);
  } catch {
    return false;
  }
}

export function matcher(pattern: string, ignoreCase = false): (text: string) => boolean {
  try {
    const re = new RegExp(pattern, ignoreCase ? 'iu' : 'u');
    return text => re.test(text);
  } catch {
    try {
      const re = new RegExp(pattern, ignoreCase ? 'i' : '');
      return text => re.test(text);
    } catch {
      const plain = ignoreCase ? pattern.toLowerCase() : pattern;
      return text => (ignoreCase ? text.toLowerCase() : text).includes(plain);
    }
  }
}

/** Which functions a pattern matches: by name, or behind "file:" or "module:" by those. */
export function matchFuncs(data: Data, pattern: string, ignoreCase = false): Uint8Array {
  const f = data.funcs, prefix = /^(file|module):/.exec(pattern);
  const texts = prefix ? (prefix[1] === 'file' ? f.file : f.module) : f.name;
  const test = matcher(prefix ? pattern.slice(prefix[0].length) : pattern, ignoreCase);
  const out = new Uint8Array(f.n);
  for (let i = 1; i < f.n; i++) out[i] = +test(texts[i]);
  return out;
}

const KINDS: FilterKind[] = ['focus', 'ignore', 'show-from', 'hide', 'show', 'collapse'];

interface Rules {
  flags: Uint8Array; // by function: the kinds of filters that match it
  kinds: number;
  alike: Alike;
}

function ruleFlags(data: Data, filters: Filter[]): Rules {
  const flags = new Uint8Array(data.funcs.n);
  let kinds = 0;
  for (const filter of filters) {
    const bit = 1 << KINDS.indexOf(filter.kind), hit = matchFuncs(data, filter.pattern);
    kinds |= bit;
    for (let i = 1; i < hit.length; i++) if (hit[i]) flags[i] |= bit;
  }
  return { flags, kinds, alike: alike(data, filters) };
}

/** Whether the first of two functions that match collapses the second, which it calls: the same, or of one file or module. */
type Alike = (caller: number, callee: number) => boolean;

function alike(data: Data, filters: Filter[]): Alike {
  const { name, file, module, line } = data.funcs, on = (prefix: string) => filters.some(f => f.kind === 'collapse' && f.pattern.startsWith(prefix)), files = on('file:'), modules = on('module:');
  return (a, b) => a === b || (name[a] === name[b] && file[a] === file[b] && line[a] === line[b] && module[a] === module[b]) ||
    (files && file[a] !== '' && file[a] === file[b]) || (modules && module[a] !== '' && module[a] === module[b]);
}

/** Own costs of the stacks that focus and ignore leave. What a node decides for all below it is decided once. */
function chosenStacks(tree: Tree, flags: Uint8Array, kinds: number, own: Float64Array, out: Float64Array): Float64Array {
  const { n, func, end } = tree, focus = kinds & 1;
  let until = focus ? 0 : n; // up to there a match has been seen
  out[0] = focus ? 0 : own[0];
  for (let i = 1; i < n;) {
    const bits = flags[func[i]];
    if (bits & 2) {
      for (const last = end[i]; i < last; i++) out[i] = 0;
      continue;
    }
    if (i >= until && bits & 1) until = end[i];
    out[i] = i < until ? own[i] : 0;
    i++;
  }
  return out;
}

/**
 * Takes frames out: show-from cuts above the first match, hide and show take single ones, collapse those that their
 * own like called. The tree stays as it is and
 * layers step over the nodes marked in `out`. Own costs go to the caller that is left, `to` tells which (0 = none is).
 */
function takeOut(tree: Tree, { flags, kinds, alike: one }: Rules, out: Uint8Array, to: Int32Array): void {
  const { n, func, depth, parent } = tree, from = kinds & 4, hide = kinds & 8, show = kinds & 16;
  const seenAt = new Uint8Array(tree.deepest + 1), ownerAt = new Int32Array(tree.deepest + 1); // of the node's stack, by level
  for (let i = 1; i < n; i++) {
    const level = depth[i], bits = flags[func[i]], seen = seenAt[level - 1] | bits;
    let owner = i;
    seenAt[level] = seen;
    const folds = bits & 32 && flags[func[parent[i]]] & 32 && one(func[parent[i]], func[i]);
    if ((seen & from) !== from || bits & hide || folds || (bits & show) !== show) {
      out[i] = 1;
      owner = ownerAt[level - 1];
    }
    to[i] = ownerAt[level] = owner;
  }
}

/** Own costs where they went. Callers stand before what they called, so each cell is set before it is added to. */
function moved(own: Float64Array, to: Int32Array, keepRoot: boolean, out: Float64Array): Float64Array {
  const n = own.length;
  out[0] = keepRoot ? own[0] : 0;
  for (let i = 1; i < n; i++) {
    const t = to[i];
    if (t === i) {
      out[i] = own[i];
    } else {
      out[i] = 0;
      if (t) out[t] += own[i];
    }
  }
  return out;
}

/** Leaves the calls of the frames that are still there, be it only on the way to costs that stay; `present` are the nodes that cost anything. */
function callsLeft(tree: Tree, flags: Uint8Array, kinds: number, taken: Uint8Array | null, present: Uint8Array, calls: Float64Array): Float64Array {
  const { n, func, depth, parent } = tree, want = kinds & 1, from = kinds & 4, need = new Uint8Array(n);
  const seenAt = new Uint8Array(tree.deepest + 1), shownAt = new Uint8Array(tree.deepest + 1);
  for (let i = 1; i < n; i++) {
    const level = depth[i], seen = (seenAt[level] = seenAt[level - 1] | flags[func[i]]);
    const shown = (shownAt[level] = shownAt[level - 1] | (taken && taken[i] ? 0 : 1));
    if (present[i] && shown && (seen & 3) === want && (seen & from) === from) need[i] = 1;
  }
  for (let i = n - 1; i > 0; i--) need[parent[i]] |= need[i];
  for (let i = 0; i < n; i++) if (!need[i] || i === 0 || (taken && taken[i])) calls[i] = 0;
  return calls;
}

/** Nodes whose own cost stays where it is. */
function staying(data: Data, filters: Filter[]): Uint8Array {
  const { n, func, depth, deepest, parent } = data.tree, { flags, kinds, alike: one } = ruleFlags(data, filters), out = new Uint8Array(n), seenAt = new Uint8Array(deepest + 1);
  out[0] = kinds & 21 ? 0 : 1;
  for (let i = 1; i < n; i++) {
    const level = depth[i], bits = flags[func[i]], seen = (seenAt[level] = seenAt[level - 1] | bits);
    if (bits & 32 && flags[func[parent[i]]] & 32 && one(func[parent[i]], func[i])) continue;
    if ((seen & 3) === (kinds & 1) && (seen & kinds & 4) === (kinds & 4) && !(bits & 8) && (bits & kinds & 16) === (kinds & 16)) out[i] = 1;
  }
  return out;
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

function inclusive(tree: Tree, self: Float64Array, total: Float64Array): Float64Array {
  const parent = tree.parent;
  total.set(self);
  for (let i = tree.n - 1; i > 0; i--) total[parent[i]] += total[i];
  return total;
}

interface Sums {
  self: Float64Array;
  total: Float64Array;
  calls: Float64Array | null;
}

/** Costs by function: totals count outermost activations only. */
function sumsOf(functions: number, tree: Tree, out: Uint8Array | null, costs: Costs, negative: boolean): Sums {
  const { func, end, n } = tree, inside = new Int32Array(functions); // end of the outermost activation
  const self = new Float64Array(functions), total = new Float64Array(functions), calls = costs.calls ? new Float64Array(functions) : null;
  const own = costs.self, all = costs.total, count = costs.calls, skip = !negative && !count;
  for (let i = 1; i < n; i++) {
    if (skip && all[i] === 0) {
      i = end[i] - 1; // nothing is left below
      continue;
    }
    if (out && out[i]) continue;
    const f = func[i];
    self[f] += own[i];
    if (i >= inside[f]) {
      inside[f] = end[i];
      total[f] += all[i];
    }
    if (calls) calls[f] += count![i];
  }
  return { self, total, calls };
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
  sorted(order: string, rank: Int32Array): FlatRow[] {
    const known = this.orders.get(order);
    if (known) return known;
    const keys = this.keys(order.replace('-', ''), rank), sign = order.startsWith('-') ? -1 : 1;
    const out = this.rows.slice().sort((a, b) => sign * (keys[b.func] - keys[a.func]) || rank[a.func] - rank[b.func]);
    this.orders.set(order, out);
    return out;
  }

  private keys(name: string, rank: Int32Array): Float64Array {
    const first = this.sums[0], last = this.sums[this.sums.length - 1];
    const difference = (a: Float64Array, b: Float64Array) => a.map((v, i) => Math.abs(v - b[i]));
    switch (name) {
      case 'total': return last.total;
      case 'before': return first.self;
      case 'totalBefore': return first.total;
      case 'calls': return last.calls?.map(v => (v >= 0 ? v : -1)) ?? last.self;
      case 'change': return difference(last.self, first.self);
      case 'totalChange': return difference(last.total, first.total);
      case 'name': return Float64Array.from(rank, r => -r);
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
      if (calls) calls[f] = (calls[f] >= 0 ? calls[f] : 0) + flat.calls![i];
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

/** What is chosen, before filters. */
interface Base {
  costs: Costs[];
  present: (() => Uint8Array)[]; // by profile: the nodes that something is known of
  width: Float64Array;
  negative: boolean; // some own cost is
}

function makeBase(data: Data, what: Selection, pool: Pool): Base {
  const costs = data.meta.profiles.map((_, k) => {
    const self = ownCosts(data, k, what, pool);
    return new Costs(self, inclusive(data.tree, self, pool.take(self.length)), knowsCalls(data, k, what) ? () => ownCalls(data, k, what) : null);
  });
  const negative = costs.some(c => hasNegative(c.self));
  const present = costs.map((_, k) => once(() => presentNodes(data, k, what)));
  return { costs, present, width: widths(data.tree, costs, negative, pool), negative };
}

/** The costs that filters leave, and the nodes that they take out. */
function filtered(data: Data, what: Selection, base: Base, pool: Pool): { costs: Costs[]; out: Uint8Array | null } {
  const { tree } = data, { n } = tree, rules = ruleFlags(data, what.filters), { flags, kinds } = rules, out = kinds & 60 ? new Uint8Array(n) : null;
  if (where.length !== n) where = new Int32Array(n);
  if (out) takeOut(tree, rules, out, where);
  const costs = base.costs.map((c, k) => {
    const own = kinds & 3 ? chosenStacks(tree, flags, kinds, c.self, pool.take(n)) : c.self, self = out ? moved(own, where, !(kinds & 20), pool.take(n)) : own;
    if (own !== self && own !== c.self) pool.give(own);
    const calls = () => callsLeft(tree, flags, kinds, out, base.present[k](), c.calls!.slice());
    return new Costs(self, inclusive(tree, self, pool.take(n)), knowsCalls(data, k, what) ? calls : null);
  });
  return { costs, out };
}

function makeScene(data: Data, what: Selection, base: Base, pool: Pool): Scene {
  const { tree } = data, plain = isPlain(what), hasTree = data.meta.profiles.every(p => p.facets.includes('tree'));
  let { costs } = base, out: Uint8Array | null = null, { width } = base, flat: FlatProfile | null = null, scale = 1;
  if (what.filters.length) ({ costs, out } = filtered(data, what, base, pool));
  if (what.normalize && costs.length === 2) ({ costs, scale } = scaled(tree, costs, pool));
  if (costs !== base.costs) width = widths(tree, costs, base.negative, pool);
  const stated = plain && !what.normalize && data.flat.some(f => f);
  const none = () => new FlatProfile(costs.map(() => ({ self: new Float64Array(data.funcs.n), total: new Float64Array(data.funcs.n), calls: null })), null);
  return {
    tree, out, costs, width, scale,
    whole: costs.map((c, k) => (plain && !what.normalize ? wholeOf(data, k, what.metric) : c.total[0])),
    flat: () => (flat ??= stated ? flatStated(data, what.metric) : hasTree ? new FlatProfile(costs.map(c => sumsOf(data.funcs.n, tree, out, c, base.negative)), null) : none()),
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
    return newest(this.scenes, part + all, 5, () => makeScene(this.data, s, this.base(part, s), this.pool), old => this.reuse(old));
  }

  /** Makes a bit of the room that the next questions need; false when there is enough. */
  prepare(): boolean {
    if (where.length !== this.data.tree.n) where = new Int32Array(this.data.tree.n).fill(1);
    for (const base of this.bases.values()) base.costs.forEach((c, k) => c.calls && base.present[k]());
    return this.pool.fill(this.data.tree.n, 2 * this.data.meta.profiles.length);
  }

  private base(part: string, s: Selection): Base {
    return newest(this.bases, part, 3, () => makeBase(this.data, s, this.pool), old => this.reuse(old));
  }

  /** Keeps the room of what nobody looks at any more. */
  private reuse(old: Shown): void {
    const arrays = ({ costs, width }: Shown) => [width, ...costs.flatMap(c => [c.self, c.total])];
    const used = new Set([...this.scenes.values(), ...this.bases.values() as Iterable<Shown>].flatMap(arrays));
    for (const cells of arrays(old)) if (!used.has(cells)) this.pool.give(cells);
  }
}

/** The second profile scaled to the size of the first. */
function scaled(tree: Tree, [before, after]: Costs[], pool: Pool): { costs: Costs[]; scale: number } {
  const sum = (cells: Float64Array) => cells.reduce((a, b) => a + b, 0), a = sum(before.self), b = sum(after.self), self = pool.take(tree.n);
  if (!(a > 0 && b > 0)) return { costs: [before, after], scale: 1 };
  for (let i = 0; i < tree.n; i++) self[i] = (after.self[i] * a) / b;
  return { costs: [before, after.with(self, inclusive(tree, self, pool.take(tree.n)))], scale: a / b };
}

function hasNegative(cells: Float64Array): boolean {
  for (let i = 0; i < cells.length; i++) if (cells[i] < 0) return true;
  return false;
}

/** What gives nodes their widths: costs below zero have none. */
function widths(tree: Tree, costs: Costs[], negative: boolean, pool: Pool): Float64Array {
  const n = tree.n, { parent } = tree, a = costs[0].self, b = costs[1]?.self;
  if (!b && !negative) return costs[0].total;
  const out = pool.take(n);
  if (b) for (let i = 0; i < n; i++) out[i] = Math.max(a[i], b[i], 0);
  else for (let i = 0; i < n; i++) out[i] = Math.max(a[i], 0);
  for (let i = n - 1; i > 0; i--) out[parent[i]] += out[i];
  return out;
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
 * Who calls a function and whom it calls, from stacks, as `callers` and `callees` have it: totals are of the callee's
 * outermost activations, so that they add up to no more than it costs.
 */
export function callsFromStacks({ tree, out, costs }: Scene, functions: number, func: number): { callers: Call[]; callees: Call[] } {
  const { n, parent, end } = tree, inside = new Int32Array(functions), caller = new Int32Array(n), maps = [new Map<number, Call>(), new Map<number, Call>()];
  const add = (side: number, other: number, node: number, outermost: boolean) => {
    let call = maps[side].get(other);
    if (!call) maps[side].set(other, (call = { func: other, calls: costs.map(() => 0), self: costs.map(() => 0), total: costs.map(() => 0), sites: new Set() }));
    costs.forEach((c, k) => {
      call.calls[k] += c.calls?.[node] ?? 0;
      call.self![k] += c.self[node];
      if (outermost) call.total[k] += c.total[node];
    });
  };
  for (let i = 1; i < n; i++) {
    const up = parent[i];
    caller[i] = out && out[up] ? caller[up] : up;
    if (out && out[i]) continue;
    const f = tree.func[i], from = tree.func[caller[i]], outermost = i >= inside[f];
    if (outermost) inside[f] = end[i];
    if (f === func) add(0, from, i, outermost);
    if (from === func && caller[i]) add(1, f, i, outermost);
  }
  const rows = (map: Map<number, Call>) => [...map.values()].filter(c => c.func || c.total.some(v => v !== 0) || c.calls.some(v => v > 0));
  return { callers: rows(maps[0]), callees: rows(maps[1]) };
}

/** How long single calls of a function took, where events tell: outermost ones only. */
export function durations(data: Data, func: number, profile: number): Float64Array {
  const { n, parent, func: of } = data.tree, outer = new Int32Array(n), out: number[] = [];
  for (let i = 1; i < n; i++) outer[i] = outer[parent[i]] || (of[i] === func ? i : 0);
  for (const m of data.moments) {
    if (!m.trace || m.series.profile !== profile) continue;
    let now = 0, since = 0;
    for (let k = 0; k <= m.n; k++) {
      const node = k < m.n ? m.node[k] : 0, at = outer[node], again = at !== 0 && node === at && k < m.n && m.calls !== null && m.calls[k] > 0;
      if (at === now && !again) continue;
      if (now) out.push(m.start[k] - since);
      now = at;
      since = m.start[k];
    }
  }
  return Float64Array.from(out).sort();
}

/** Until when each sample is known to have run, never past the next one: what lies between is nobody's. */
export function sampleEnds({ n, start, length }: Moments): Float64Array | null {
  return length && length.map((ran, i) => Math.min(start[i] + ran, i + 1 < n ? start[i + 1] : Infinity));
}
