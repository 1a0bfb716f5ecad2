// Questions to the data: costs of nodes and functions under a metric, threads, time and filters.
//
// All of it is loops over typed arrays. Parents stand before their children, so inclusive cost is one loop
// backwards, and what an ancestor decides is one loop forwards.

import type { Data, Moments, Series, Tree } from './data';

export type FilterKind = 'focus' | 'ignore' | 'show-from' | 'hide' | 'show';

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

/** Costs on a tree: per profile the own and inclusive cost of each node. */
export interface Costs {
  self: Float64Array;
  total: Float64Array;
  calls: Float64Array | null;
}

export interface FlatRow {
  func: number;
  self: number[]; // by profile
  total: number[];
  calls: (number | null)[];
}

export interface Scene {
  tree: Tree;
  out: Uint8Array | null; // nodes that filters took out; null = none
  costs: Costs[];
  /** What gives widths: the cost, or with two profiles the larger of both own costs. */
  width: Float64Array;
  whole: number[]; // by profile: what all of it costs
  flat(): FlatRow[];
  flatRest: number; // functions that were summed up before
}

export function threadKey(s: Series): string {
  const i = s.info;
  const name = i.thread || (i.tid >= 0 ? String(i.tid) : '');
  const process = i.process || (i.pid >= 0 && i.tid >= 0 && i.pid !== i.tid ? String(i.pid) : '');
  return (process && name ? process + '/' : process) + name || i.context;
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
function addMoments(m: Moments, metric: number, from: number, to: number, self: Float64Array, calls: Float64Array | null, real: boolean): void {
  const gain = m.gain[metric], first = m.trace ? Math.max(0, momentAt(m, from) - 1) : momentAt(m, from);
  const part = (g: number, at: number, length: number) => (at >= length ? g : real ? (g * at) / length : Math.trunc((g * at) / length));
  for (let i = first; i < m.n && m.start[i] < to; i++) {
    const start = m.start[i], length = m.trace ? m.start[i + 1] - start : 0;
    if (calls && m.calls && start >= from) calls[m.node[i]] += m.calls[i];
    if (!gain) continue;
    if (length === 0) {
      if (start >= from) self[m.node[i]] += gain[i];
      continue;
    }
    const a = Math.max(from, start) - start, z = Math.min(to, start + length) - start;
    if (z > a) self[m.node[i]] += part(gain[i], z, length) - (a > 0 ? part(gain[i], a, length) : 0);
  }
}

function ownCosts(data: Data, profile: number, what: Selection): { self: Float64Array; calls: Float64Array | null } {
  const n = data.tree.n, self = new Float64Array(n), metric = metricOf(data, profile, what.metric);
  const list = data.series.filter(s => s.profile === profile && chosen(s, what));
  const calls = list.some(s => s.info.calls) ? new Float64Array(n) : null;
  const real = data.meta.profiles[profile].metrics[metric]?.real ?? false;
  for (const s of list) {
    if (metric < 0) continue;
    const timed = what.time ? data.moments.find(m => m.series === s) : undefined;
    if (what.time) {
      if (timed) addMoments(timed, metric, what.time[0], what.time[1], self, calls, real);
      continue;
    }
    const node = s.node, cost = s.cost[metric];
    if (cost) for (let i = 0; i < node.length; i++) self[node[i]] += cost[i];
    if (calls && s.calls) for (let i = 0; i < node.length; i++) calls[node[i]] += s.calls[i];
  }
  const factor = factorOf(data, profile, what.metric);
  if (factor !== 1) for (let i = 0; i < n; i++) self[i] *= factor;
  return { self, calls };
}

// ---- filters ----

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

const KINDS: FilterKind[] = ['focus', 'ignore', 'show-from', 'hide', 'show'];

function ruleFlags(data: Data, filters: Filter[]): { flags: Uint8Array; kinds: number } {
  const flags = new Uint8Array(data.funcs.n);
  let kinds = 0;
  for (const filter of filters) {
    const bit = 1 << KINDS.indexOf(filter.kind), hit = matchFuncs(data, filter.pattern);
    kinds |= bit;
    for (let i = 1; i < hit.length; i++) if (hit[i]) flags[i] |= bit;
  }
  return { flags, kinds };
}

/** Zeroes the own costs of stacks that focus and ignore leave out. */
function chooseStacks(tree: Tree, flags: Uint8Array, kinds: number, own: (Float64Array | null)[]): void {
  const seen = new Uint8Array(tree.n), { parent, func, n } = tree;
  for (let i = 1; i < n; i++) seen[i] = seen[parent[i]] | flags[func[i]];
  const want = kinds & 1;
  for (const cells of own) {
    if (cells) for (let i = 0; i < n; i++) if ((seen[i] & 3) !== want) cells[i] = 0;
  }
}

/**
 * Which frames are taken out: show-from cuts above the first match, hide and show take frames out. The tree stays as
 * it is and layers step over such nodes. Their own costs go to the caller that is left; what has none is dropped.
 */
function takeOut(tree: Tree, flags: Uint8Array, kinds: number, own: (Float64Array | null)[]): Uint8Array {
  const { n, parent, func } = tree, out = new Uint8Array(n), owner = new Int32Array(n), inside = new Uint8Array(n);
  const from = kinds & 4, hide = kinds & 8, show = kinds & 16;
  inside[0] = from ? 0 : 1;
  for (let i = 1; i < n; i++) {
    const bits = flags[func[i]], up = parent[i];
    inside[i] = inside[up] | (bits & 4);
    if (inside[i] && !(bits & hide) && (!show || bits & 16)) {
      owner[i] = i;
      continue;
    }
    out[i] = 1;
    const to = (owner[i] = owner[up]);
    for (let k = 0; k < own.length; k++) {
      const cells = own[k];
      if (!cells || !cells[i]) continue;
      if (to && !(k & 1)) cells[to] += cells[i];
      cells[i] = 0;
    }
  }
  return out;
}

// ---- inclusive and flat ----

export function inclusive(tree: Tree, self: Float64Array): Float64Array {
  const total = self.slice(), parent = tree.parent;
  for (let i = tree.n - 1; i > 0; i--) total[parent[i]] += total[i];
  return total;
}

/** The flat profile of a tree: totals count outermost activations only. */
function flatOf(data: Data, tree: Tree, out: Uint8Array | null, costs: Costs[]): FlatRow[] {
  const n = data.funcs.n, { func, end } = tree, inside = new Int32Array(n); // end of the outermost activation
  const self = costs.map(() => new Float64Array(n)), total = costs.map(() => new Float64Array(n));
  const calls = costs.map(c => (c.calls ? new Float64Array(n) : null));
  for (let i = 1; i < tree.n; i++) {
    if (out && out[i]) continue;
    const f = func[i], outer = i >= inside[f];
    if (outer) inside[f] = end[i];
    for (let k = 0; k < costs.length; k++) {
      self[k][f] += costs[k].self[i];
      if (outer) total[k][f] += costs[k].total[i];
      const c = calls[k];
      if (c) c[f] += costs[k].calls![i];
    }
  }
  const rows: FlatRow[] = [];
  for (let f = 1; f < n; f++) {
    if (!self.some(s => s[f]) && !total.some(t => t[f]) && !calls.some(c => c && c[f])) continue;
    rows.push({ func: f, self: self.map(s => s[f]), total: total.map(t => t[f]), calls: calls.map(c => (c ? c[f] : null)) });
  }
  return rows;
}

/** The flat profile as the file states it. */
function flatStated(data: Data, metric: number): FlatRow[] {
  const rows = new Map<number, FlatRow>(), profiles = data.meta.profiles.length;
  data.flat.forEach((flat, k) => {
    const m = metricOf(data, k, metric), factor = factorOf(data, k, metric);
    if (!flat) return;
    for (let i = 0; i < flat.func.length; i++) {
      let row = rows.get(flat.func[i]);
      if (!row) {
        row = { func: flat.func[i], self: Array(profiles).fill(0), total: Array(profiles).fill(0), calls: Array(profiles).fill(null) };
        rows.set(row.func, row);
      }
      row.self[k] += m >= 0 ? flat.self[m][i] * factor : 0;
      row.total[k] += m >= 0 ? flat.total[m][i] * factor : 0;
      if (flat.calls) row.calls[k] = (row.calls[k] ?? 0) + flat.calls[i];
    }
  });
  return [...rows.values()];
}

function wholeOf(data: Data, k: number, metric: number): number {
  const m = metricOf(data, k, metric), info = data.meta.profiles[k].metrics[m];
  return info ? (info.total / info.num) * info.den * 10 ** info.scale * factorOf(data, k, metric) : 0;
}

export function isPlain(what: Selection): boolean {
  return !what.filters.length && !what.time && !what.thread && !what.event;
}

export function makeScene(data: Data, what: Selection): Scene {
  const { flags, kinds } = ruleFlags(data, what.filters), profiles = data.meta.profiles.length;
  const tree = data.tree, own: (Float64Array | null)[] = [];
  for (let k = 0; k < profiles; k++) {
    const { self, calls } = ownCosts(data, k, what);
    own.push(self, calls);
  }
  if (kinds & 3) chooseStacks(tree, flags, kinds, own);
  const out = kinds & 28 ? takeOut(tree, flags, kinds, own) : null;
  if (what.normalize && profiles === 2) scale(own);
  const costs: Costs[] = [];
  for (let k = 0; k < profiles; k++) {
    const self = own[2 * k]!;
    costs.push({ self, total: inclusive(tree, self), calls: own[2 * k + 1] });
  }
  const plain = isPlain(what), hasTree = data.meta.profiles.every(p => p.facets.includes('tree'));
  const stated = plain && !what.normalize && data.flat.some(f => f);
  let flat: FlatRow[] | null = null;
  return {
    tree, out, costs, width: widths(tree, costs),
    whole: costs.map((c, k) => (plain && !what.normalize ? wholeOf(data, k, what.metric) : c.total[0])),
    flat: () => (flat ??= stated ? flatStated(data, what.metric) : hasTree ? flatOf(data, tree, out, costs) : []),
    flatRest: stated ? data.meta.cut.functions : 0,
  };
}

/** Scales the second profile's costs to the size of the first. */
function scale(own: (Float64Array | null)[]): void {
  const sum = (cells: Float64Array) => cells.reduce((a, b) => a + b, 0), before = sum(own[0]!), after = sum(own[2]!);
  if (before > 0 && after > 0) own[2] = own[2]!.map(v => (v * before) / after);
}

function widths(tree: Tree, costs: Costs[]): Float64Array {
  const n = tree.n, a = costs[0].self, b = costs[1]?.self;
  let negative = !!b;
  for (let i = 0; i < n && !negative; i++) negative = a[i] < 0;
  if (!negative) return costs[0].total;
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = Math.max(a[i], b ? b[i] : 0, 0);
  for (let i = n - 1; i > 0; i--) out[tree.parent[i]] += out[i];
  return out;
}

