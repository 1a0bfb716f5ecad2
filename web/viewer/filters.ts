// Filters: which functions they match, which nodes of the tree they take out, and what becomes of costs.

import type { Data } from './data';
import { filterModule } from './modules';
import type { Numbers, Totals } from './totals';
import type { Tree } from './tree';

export type FilterKind = 'focus' | 'ignore' | 'show-from' | 'hide' | 'show' | 'collapse';

export interface Filter {
  kind: FilterKind;
  pattern: string;
}

/** Whether a pattern is a regular expression. What is none is taken as text. */
export function isRegex(pattern: string): boolean {
  try {
    return !!new RegExp(pattern);
  } catch {
    return false;
  }
}

export function matcher(pattern: string, ignoreCase = false): (text: string) => boolean {
  if (!ignoreCase && /^[\w:;, -]*$/.test(pattern)) return text => text.includes(pattern);
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

/** Which functions a pattern matches: by name, or behind "file:" or "module:" by those (a library, else what the name tells). */
export function matchFuncs(data: Data, pattern: string, ignoreCase = false): Uint8Array {
  const f = data.funcs, prefix = /^(file|module):/.exec(pattern);
  const text = prefix?.[1] === 'module' ? (i: number) => filterModule(data, i) : (i: number) => (prefix ? f.file : f.name)[i];
  const test = matcher(prefix ? pattern.slice(prefix[0].length) : pattern, ignoreCase);
  const out = new Uint8Array(f.n);
  for (let i = 1; i < f.n; i++) out[i] = +test(text(i));
  return out;
}

const KINDS: FilterKind[] = ['focus', 'ignore', 'show-from', 'hide', 'show', 'collapse'];

export interface Rules {
  flags: Uint8Array; // by function: the kinds of filters that match it
  kinds: number;
  alike: Alike;
}

export function ruleFlags(data: Data, filters: Filter[]): Rules {
  const flags = new Uint8Array(data.funcs.n);
  let kinds = 0;
  for (const filter of filters) {
    const bit = 1 << KINDS.indexOf(filter.kind), hit = matchFuncs(data, filter.pattern);
    kinds |= bit;
    for (let i = 1; i < hit.length; i++) if (hit[i]) flags[i] |= bit;
  }
  return { flags, kinds, alike: alike(data, filters) };
}

/** Functions that match collapse those that they call when one of these lists has the same number for both: the same, or of one file or module. */
type Alike = Int32Array[];

/** By function, a number that those with the same text share; 0 = it has none. */
function numbered(n: number, text: (func: number) => string): Int32Array {
  const out = new Int32Array(n), ids = new Map<string, number>();
  for (let f = 1; f < n; f++) {
    const word = text(f);
    let id = word ? ids.get(word) : 0;
    if (id === undefined) ids.set(word, (id = ids.size + 1));
    out[f] = id;
  }
  return out;
}

const numbers = new WeakMap<Data, Map<string, Int32Array>>();

/** Numbers of files, modules or functions: texts would be compared once for each node of the tree. */
function numbersOf(data: Data, what: 'file:' | 'module:' | 'same'): Int32Array {
  const { name, file, module, line, n } = data.funcs, text = { 'file:': (f: number) => file[f], 'module:': (f: number) => (module[f] ? 'in ' + module[f] : filterModule(data, f)), same: (f: number) => `${name[f]}\0${file[f]}\0${module[f]}\0${line[f]}` };
  let known = numbers.get(data);
  if (!known) numbers.set(data, (known = new Map<string, Int32Array>()));
  let out = known.get(what);
  if (!out) known.set(what, (out = numbered(n, text[what])));
  return out;
}

function alike(data: Data, filters: Filter[]): Alike {
  const collapses = filters.filter(f => f.kind === 'collapse');
  return collapses.length ? [numbersOf(data, 'same'), ...(['file:', 'module:'] as const).filter(on => collapses.some(f => f.pattern.startsWith(on))).map(on => numbersOf(data, on))] : [];
}

/** What collapsing modules asks for, before it does. */
export function prepareCollapse(data: Data): (() => void)[] {
  return [() => void numbersOf(data, 'same'), () => void numbersOf(data, 'module:')];
}

/** Of a stack that is read node by node in the order of the tree, the kinds of filters that its frames have matched so far. */
function seenBy({ func, end }: Tree, flags: Uint8Array): (node: number) => number {
  let focus = 0, ignore = 0, from = 0; // up to there each has been seen
  return i => {
    const bits = flags[func[i]];
    if (bits & 1 && i >= focus) focus = end[i];
    if (bits & 2 && i >= ignore) ignore = end[i];
    if (bits & 4 && i >= from) from = end[i];
    return (i < focus ? 1 : 0) | (i < ignore ? 2 : 0) | (i < from ? 4 : 0);
  };
}

/** Own costs of the stacks that focus and ignore leave. What a node decides for all below it is decided once. */
export function chosenStacks(tree: Tree, { flags, kinds }: Rules, own: Numbers, out: Float64Array): Float64Array {
  const { n, func, end } = tree, focus = kinds & 1;
  let until = focus ? 0 : n; // up to there a match has been seen
  out[0] = focus ? 0 : own.at(0);
  out[n] = 0;
  for (let i = 1; i < n;) {
    const bits = flags[func[i]];
    if (bits & 2) {
      for (const last = end[i]; i < last; i++) out[i] = 0;
      continue;
    }
    if (i >= until && bits & 1) until = end[i];
    out[i] = i < until ? own.at(i) : 0;
    i++;
  }
  return out;
}

/** Stretches of the tree in its order: part i holds the nodes from[i] to to[i] - 1. */
export interface Parts {
  from: Int32Array;
  to: Int32Array;
}

class PartList {
  private from = new Int32Array(1024);
  private to = new Int32Array(1024);
  private n = 0;

  add(from: number, to: number): void {
    if (to <= from) return;
    if (this.n === this.from.length) {
      const twice = (old: Int32Array) => {
        const grown = new Int32Array(2 * old.length);
        grown.set(old);
        return grown;
      };
      this.from = twice(this.from);
      this.to = twice(this.to);
    }
    this.from[this.n] = from;
    this.to[this.n++] = to;
  }

  get parts(): Parts {
    return { from: this.from.subarray(0, this.n), to: this.to.subarray(0, this.n) };
  }
}

/** The nodes whose own costs focus and ignore leave. A match holds for all below it, so they are stretches of the tree. */
export function chosenParts({ n, func, end }: Tree, { flags, kinds }: Rules): Parts {
  const list = new PartList(), addKept = (from: number, to: number) => {
    let start = from;
    for (let i = Math.max(from, 1); kinds & 2 && i < to;) {
      if (!(flags[func[i]] & 2)) {
        i++;
        continue;
      }
      list.add(start, i);
      start = i = end[i];
    }
    list.add(start, to);
  };
  if (!(kinds & 1)) addKept(0, n);
  for (let i = 1; kinds & 1 && i < n;) {
    const bits = flags[func[i]] & 3;
    if (!bits) {
      i++;
      continue;
    }
    if (bits === 1) addKept(i, end[i]);
    i = end[i];
  }
  return list.parts;
}

/** Which functions hide and show take out. */
export function goneFuncs({ flags, kinds }: Rules): Uint8Array {
  return flags.map(bits => (bits & kinds & 8 || (bits & kinds & 16) !== (kinds & 16) ? 1 : 0));
}

/** Marks the nodes of functions that are gone, going through the fewer: those or the others. Returns how many are left. */
function markFuncs({ byFunc: { at, from } }: Tree, gone: Uint8Array, out: Uint8Array): number {
  let there = 0;
  for (let f = 0; f + 1 < from.length; f++) if (gone[f]) there += from[f + 1] - from[f];
  const most = 2 * there > at.length;
  if (most) out.fill(1, 1);
  for (let f = 0; f + 1 < from.length; f++) if (gone[f] !== +most) for (let i = from[f]; i < from[f + 1]; i++) out[at[i]] = +!most;
  return at.length - there;
}

/** Nodes that are left and lie in none that is, in the order of the tree, until the next time. */
let tops = new Int32Array(0);

/** Makes room before it is needed. */
export function prepareTops(n: number): void {
  if (tops.length < n) tops = new Int32Array(n).fill(1);
}

/**
 * Takes frames out: show-from cuts above the first match, hide and show take single ones, collapse those that their
 * own like called. The tree stays as it is and layers step over the nodes marked in `out`; returns what is left on top,
 * and all that is left where that is little.
 * Own costs go to the caller that is left, so what is left costs with all below it what it did.
 */
export function takeOut(tree: Tree, rules: Rules, out: Uint8Array): { tops: Int32Array; kept: Kept | null } {
  const { n, func, end } = tree, { flags, kinds } = rules;
  prepareTops(n);
  if ((kinds & 60) === 4) return { tops: cutAbove(tree, flags, out), kept: null };
  const most = kinds & 24 ? markFuncs(tree, goneFuncs(rules), out) : n;
  if (kinds & 4) {
    for (let i = 1; i < n;) {
      if (flags[func[i]] & 4) i = end[i];
      else out[i++] = 1;
    }
  }
  if (kinds & 32) {
    for (const ids of rules.alike) collapse(tree, flags, ids, out);
  }
  if (FEW * most > n) return { tops: topsLeft(tree, out), kept: null };
  const kept = keptIn(tree, out, most), list: number[] = [];
  for (let i = 0; i < kept.node.length; i = kept.end[i]) list.push(kept.node[i]);
  return { tops: Int32Array.from(list), kept };
}

/** Marks the frames that match and were called by one that matches and has the same number. */
function collapse({ func, parent, byFunc: { at, from } }: Tree, flags: Uint8Array, ids: Int32Array, out: Uint8Array): void {
  for (let f = 1; f + 1 < from.length; f++) {
    const id = flags[f] & 32 ? ids[f] : 0;
    if (!id) continue;
    for (let i = from[f], last = from[f + 1]; i < last; i++) {
      const node = at[i], caller = func[parent[node]];
      if (ids[caller] === id && flags[caller] & 32) out[node] = 1;
    }
  }
}

const FEW = 4, OUT = 0x01010101;

/** The nodes that are left, in the order of the tree, and of each the first in this list that does not lie below it. */
export interface Kept {
  node: Int32Array;
  end: Int32Array;
  costs: Float64Array | null; // with all below them, where there is one profile
}

/** Whoever steps from frame to frame need not pass all that was taken out between them. `most`: there are no more. */
function keptIn({ n, end: ends }: Tree, out: Uint8Array, most: number): Kept {
  const list = new Int32Array(most), fours = new Uint32Array(out.buffer, 0, n >> 2);
  let count = 0;
  for (let four = 0; four <= fours.length; four++) {
    if (fours[four] === OUT) continue;
    for (let i = Math.max(1, 4 * four), last = Math.min(n, 4 * four + 4); i < last; i++) if (!out[i]) list[count++] = i;
  }
  const node = list.subarray(0, count), end = new Int32Array(count);
  for (let i = count - 1; i >= 0; i--) {
    let next = i + 1;
    for (const last = ends[node[i]]; next < count && node[next] < last;) next = end[next];
    end[i] = next;
  }
  return { node, end, costs: null };
}

/** What show-from alone does: the first matches are on top. */
function cutAbove({ n, func, end }: Tree, flags: Uint8Array, out: Uint8Array): Int32Array {
  let count = 0;
  for (let i = 1; i < n;) {
    if (flags[func[i]] & 4) {
      tops[count++] = i;
      i = end[i];
    } else {
      out[i++] = 1;
    }
  }
  return tops.slice(0, count);
}

const RUN = 12; // nodes taken out one after the other: then it pays to let the browser look for the next that is left

function topsLeft({ n, end }: Tree, out: Uint8Array): Int32Array {
  let count = 0, run = 0;
  for (let i = 1; i < n;) {
    if (!out[i]) {
      tops[count++] = i;
      i = end[i];
      run = 0;
    } else if (++run < RUN) {
      i++;
    } else {
      i = out.indexOf(0, i);
      if (i < 0) break;
      run = 0;
    }
  }
  return tops.slice(0, count);
}

/** How much the nodes that are left cost with all below them: looked up in their order, which takes a fraction of what it takes here and there. */
export function keptCosts({ end }: Tree, { node }: Kept, total: Totals): Float64Array {
  const { direct } = total, out = new Float64Array(node.length);
  if (direct) for (let i = 0; i < node.length; i++) out[i] = direct[end[node[i]]] - direct[node[i]];
  else for (let i = 0; i < node.length; i++) out[i] = total.at(node[i]);
  return out;
}

/** What the nodes on top cost together. */
export function sumTops({ end }: Tree, list: Int32Array, total: Totals): number {
  const { direct } = total;
  let sum = 0;
  if (direct) for (let i = 0; i < list.length; i++) sum += direct[end[list[i]]] - direct[list[i]];
  else for (let i = 0; i < list.length; i++) sum += total.at(list[i]);
  return sum;
}

/** Own costs where they went. What is called stands behind its caller, so backwards each cell is complete before it is passed on. */
export function moved({ n, parent }: Tree, own: Numbers, taken: Uint8Array, keepRoot: boolean, out: Float64Array): Float64Array {
  for (let i = 0; i < n; i++) out[i] = own.at(i);
  out[n] = 0;
  for (let i = n - 1; i > 0; i--) {
    if (!taken[i]) continue;
    out[parent[i]] += out[i];
    out[i] = 0;
  }
  out[0] = keepRoot ? own.at(0) : 0;
  return out;
}

/** Leaves the calls of the frames that are still there, be it only on the way to costs that stay; `present` are the nodes that cost anything. */
export function callsLeft(tree: Tree, { flags, kinds }: Rules, taken: Uint8Array | null, present: Uint8Array, calls: Float64Array): Float64Array {
  const { n, end, parent } = tree, want = kinds & 1, from = kinds & 4, need = new Uint8Array(n), seenAt = seenBy(tree, flags);
  let shown = 0; // up to there a frame is left
  for (let i = 1; i < n; i++) {
    const seen = seenAt(i);
    if (i >= shown && !(taken && taken[i])) shown = end[i];
    if (present[i] && i < shown && (seen & 3) === want && (seen & from) === from) need[i] = 1;
  }
  for (let i = n - 1; i > 0; i--) need[parent[i]] |= need[i];
  for (let i = 0; i < n; i++) if (!need[i] || i === 0 || (taken && taken[i])) calls[i] = 0;
  return calls;
}

/** Nodes whose own cost stays where it is. */
export function staying(data: Data, filters: Filter[]): Uint8Array {
  const { tree } = data, { n, func, parent } = tree, { flags, kinds, alike: lists } = ruleFlags(data, filters), out = new Uint8Array(n), seenAt = seenBy(tree, flags);
  out[0] = kinds & 21 ? 0 : 1;
  for (let i = 1; i < n; i++) {
    const bits = flags[func[i]], seen = seenAt(i);
    if (bits & 32 && flags[func[parent[i]]] & 32 && lists.some(ids => ids[func[i]] > 0 && ids[func[i]] === ids[func[parent[i]]])) continue;
    if ((seen & 3) === (kinds & 1) && (seen & kinds & 4) === (kinds & 4) && !(bits & 8) && (bits & kinds & 16) === (kinds & 16)) out[i] = 1;
  }
  return out;
}

/** How many flags are set. */
export function count(flags: Uint8Array): number {
  let n = 0;
  for (let i = 0; i < flags.length; i++) n += flags[i];
  return n;
}
