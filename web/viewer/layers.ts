// Trees to draw, unfolded only as far as is looked at: the stacks themselves, the same from the leaves up, and what
// calls or is called by one function.

import type { Tree } from './data';
import type { Scene } from './model';

/** A tree whose nodes are numbers; children are found when asked for. Node 0 is the whole. */
export interface Layer {
  func(node: number): number; // 0 = a sum of thin nodes, or the whole
  more(node: number): number; // of how many
  width(node: number): number;
  total(node: number, profile: number): number;
  self(node: number, profile: number): number;
  calls(node: number): number | null;
  parent(node: number): number;
  children(node: number): ArrayLike<number>; // in no order
  leaf(node: number): boolean; // cheaper than to ask for the children
  /** How many steps children() would take, about; 0 when they are known. */
  effort(node: number): number;
  /** The scene whose tree this is, node by node, its children by name, sums last. */
  plain?: Scene;
  /** The stack in the words of the profile, root first. */
  stack(node: number): number[];
}

export class TreeLayer implements Layer {
  readonly plain: Scene;

  constructor(private scene: Scene) {
    this.plain = scene;
  }

  func(node: number): number { return this.scene.tree.func[node]; }
  more(node: number): number { return this.scene.tree.more.get(node) ?? 0; }
  width(node: number): number { return this.scene.width[node]; }
  total(node: number, k: number): number { return node ? this.scene.costs[k].total[node] : this.scene.whole[k]; }
  self(node: number, k: number): number { return this.scene.costs[k].self[node]; }
  calls(node: number): number | null { return this.scene.costs[this.scene.costs.length - 1].calls?.[node] ?? null; }
  parent(node: number): number { return this.scene.tree.parent[node]; }
  effort(): number { return 0; }

  children(node: number): number[] {
    const { end } = this.scene.tree, out: number[] = [], last = end[node];
    for (let c = node + 1; c < last; c = end[c]) out.push(c);
    return out;
  }

  leaf(node: number): boolean {
    const { end } = this.scene.tree, { width, costs } = this.scene, last = end[node];
    for (let c = node + 1; c < last; c = end[c]) if (width[c] > 0 || costs.some(k => k.total[c] !== 0)) return false;
    return true;
  }

  stack(node: number): number[] {
    const { tree } = this.scene, out: number[] = [];
    for (; node; node = tree.parent[node]) out.push(tree.func[node]);
    return out.reverse();
  }
}

/** Nodes of the tree, those of a function side by side in the order of the tree: of f, at[from[f]] to at[from[f + 1]]. */
interface ByFunc {
  at: Int32Array;
  from: Int32Array;
}

const ordered = new WeakMap<Tree, ByFunc>();

export function byFunc(tree: Tree): ByFunc {
  const known = ordered.get(tree);
  if (known) return known;
  const { n, func } = tree;
  let most = 0;
  for (let i = 1; i < n; i++) if (func[i] > most) most = func[i];
  const from = new Int32Array(most + 2), at = new Int32Array(Math.max(0, n - 1));
  for (let i = 1; i < n; i++) from[func[i] + 1]++;
  for (let f = 0; f <= most; f++) from[f + 1] += from[f];
  const next = from.slice();
  for (let i = 1; i < n; i++) at[next[func[i]]++] = i;
  const made = { at, from };
  ordered.set(tree, made);
  return made;
}

/** The outermost activations of a function. */
function outermost(tree: Tree, out: Uint8Array | null, func: number): Int32Array {
  const { at, from } = byFunc(tree), lo = from[func] ?? 0, hi = from[func + 1] ?? 0, found = new Int32Array(hi - lo);
  let n = 0, inside = 0;
  for (let i = lo; i < hi; i++) {
    const node = at[i];
    if (node < inside || (out && out[node])) continue;
    inside = tree.end[node];
    found[n++] = node;
  }
  return found.subarray(0, n);
}

/**
 * Groups of nodes of the tree that a step leads to, by function: steps go to the caller (from the leaves up) or to
 * the callees.
 */
abstract class Groups implements Layer {
  protected out: Uint8Array | null; // nodes to step over
  protected n = 0;
  protected funcs = new Int32Array(256);
  protected parents = new Int32Array(256);
  protected moreOf = new Float64Array(256);
  protected values: Float64Array; // per node: width, totals by profile, own costs by profile
  protected stride: number;
  protected profiles: number;
  protected kids: (number[] | null)[] = [];
  // The nodes of the tree that a node stands for: starts[node] from lo to hi are what is counted, ats[node] where each stands now.
  protected starts: Int32Array[] = [];
  protected ats: Int32Array[] = [];
  protected lo = new Int32Array(256);
  protected hi = new Int32Array(256);
  protected tree: Tree;
  protected slot: Int32Array; // by function: its group while one node is unfolded, else 0

  constructor(protected scene: Scene, functions: number) {
    this.tree = scene.tree;
    this.out = scene.out;
    this.slot = new Int32Array(functions + 1);
    this.profiles = scene.costs.length;
    this.stride = 1 + 2 * this.profiles;
    this.values = new Float64Array(256 * this.stride);
  }

  func(node: number): number { return this.funcs[node]; }
  more(node: number): number { return this.moreOf[node]; }
  width(node: number): number { return this.values[node * this.stride]; }
  total(node: number, k: number): number { return this.values[node * this.stride + 1 + k]; }
  self(node: number, k: number): number { return this.values[node * this.stride + 1 + this.profiles + k]; }
  calls(node: number): number | null {
    const count = this.scene.costs[this.profiles - 1].calls, from = this.starts[node];
    if (!count || !from) return null;
    let sum = 0;
    for (let i = this.lo[node]; i < this.hi[node]; i++) sum += count[from[i]];
    return sum;
  }
  parent(node: number): number { return this.parents[node]; }
  abstract stack(node: number): number[];
  abstract leaf(node: number): boolean;
  protected abstract expand(node: number): number[];

  children(node: number): number[] {
    return (this.kids[node] ??= this.expand(node));
  }

  effort(node: number): number {
    return this.kids[node] ? 0 : this.hi[node] - this.lo[node];
  }

  protected path(node: number): number[] {
    const out: number[] = [];
    for (; node; node = this.parents[node]) out.push(this.funcs[node]);
    return out.reverse();
  }

  protected add(parent: number, func: number): number {
    const node = this.n++;
    if (node === this.funcs.length) this.grow();
    this.funcs[node] = func;
    this.parents[node] = parent;
    this.kids.push(null);
    return node;
  }

  protected hold(node: number, start: Int32Array, at: Int32Array, lo: number, hi: number): void {
    this.starts[node] = start;
    this.ats[node] = at;
    this.lo[node] = lo;
    this.hi[node] = hi;
  }

  private grow(): void {
    const twice = <T extends Int32Array | Float64Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.funcs = twice(this.funcs, new Int32Array(this.funcs.length * 2));
    this.parents = twice(this.parents, new Int32Array(this.parents.length * 2));
    this.lo = twice(this.lo, new Int32Array(this.lo.length * 2));
    this.hi = twice(this.hi, new Int32Array(this.hi.length * 2));
    this.moreOf = twice(this.moreOf, new Float64Array(this.moreOf.length * 2));
    this.values = twice(this.values, new Float64Array(this.values.length * 2));
  }

  /** Divides steps among the groups they lead to: step i of `count` goes to group which[i], or to none when that is below 0. */
  protected divide(kids: number[], sizes: number[], count: number, which: Int32Array, start: Int32Array, at: Int32Array): void {
    let sum = 0;
    const next = sizes.map(size => (sum += size) - size), starts = new Int32Array(sum), ats = start === at ? starts : new Int32Array(sum);
    for (let g = 0; g < kids.length; g++) this.hold(kids[g], starts, ats, next[g], next[g] + sizes[g]);
    for (let i = 0; i < count; i++) {
      const g = which[i];
      if (g < 0) continue;
      const to = next[g]++;
      starts[to] = start[i];
      ats[to] = at[i];
    }
    for (const kid of kids) this.slot[this.funcs[kid]] = 0;
  }
}

function sumOwn({ func, n }: Tree, own: Float64Array, functions: number): Float64Array {
  const out = new Float64Array(functions + 1);
  for (let i = 1; i < n; i++) out[func[i]] += own[i];
  return out;
}

function sumWidths({ func, n }: Tree, a: Float64Array, b: Float64Array, out: Float64Array): void {
  for (let i = 1; i < n; i++) {
    const v = a[i] > b[i] ? a[i] : b[i];
    if (v > 0) out[func[i]] += v;
  }
}

// Room for one expansion; grown as needed and used again.
let room = { which: new Int32Array(0), start: new Int32Array(0), at: new Int32Array(0) };

function roomFor(n: number): typeof room {
  if (room.which.length < n) {
    const size = Math.max(4096, n + (n >> 1));
    room = { which: new Int32Array(size), start: new Int32Array(size), at: new Int32Array(size) };
  }
  return room;
}

/**
 * Stacks from their ends up: who calls what costs. With `only`, the stacks that lead to one function, from its
 * outermost activations. Each start weighs its own cost, or with `only` all of it.
 */
export class CallersLayer extends Groups {
  constructor(scene: Scene, functions: number, private only = 0) {
    super(scene, functions);
    this.add(0, only);
    if (only) {
      const starts = outermost(this.tree, this.out, only);
      this.hold(0, starts, starts, 0, starts.length);
      for (let i = 0; i < starts.length; i++) this.count(0, starts[i]);
    } else {
      this.kids[0] = this.ends(functions);
    }
  }

  private count(node: number, start: number): void {
    const { costs } = this.scene, { values } = this, to = node * this.stride, a = costs[0];
    if (this.profiles === 1) {
      const own = a.self[start], cost = this.only ? a.total[start] : own;
      values[to] += this.only ? this.scene.width[start] : own > 0 ? own : 0;
      values[to + 1] += cost;
      values[to + 2] += own;
      return;
    }
    const b = costs[1], own = a.self[start], now = b.self[start];
    values[to] += this.only ? this.scene.width[start] : Math.max(own, now, 0);
    values[to + 1] += this.only ? a.total[start] : own;
    values[to + 2] += this.only ? b.total[start] : now;
    values[to + 3] += own;
    values[to + 4] += now;
  }

  /** The functions that stacks end in. */
  private ends(functions: number): number[] {
    const { tree, profiles, stride } = this, order = byFunc(tree), kids: number[] = [], [before, after] = this.scene.costs;
    const width = new Float64Array(functions + 1), own = [sumOwn(tree, before.self, functions)];
    if (after) own.push(sumOwn(tree, after.self, functions));
    sumWidths(tree, before.self, after ? after.self : before.self, width);
    for (let f = 0; f < functions; f++) {
      if (width[f] === 0 && own[0][f] === 0 && (!after || own[1][f] === 0)) continue;
      const kid = this.add(0, f), to = kid * stride;
      this.values[to] = width[f];
      this.values[0] += width[f];
      for (let k = 0; k < profiles; k++) this.values[to + 1 + k] = this.values[to + 1 + profiles + k] = own[k][f];
      this.hold(kid, order.at, order.at, order.from[f], order.from[f + 1]);
      if (!f) for (let i = order.from[0]; i < order.from[1]; i++) if (this.weighs(order.at[i])) this.moreOf[kid] += tree.more.get(order.at[i]) ?? 1;
      kids.push(kid);
    }
    this.scene.whole.forEach((w, k) => (this.values[1 + k] = w));
    return kids;
  }

  private weighs(node: number): boolean {
    const { costs } = this.scene;
    return costs[0].self[node] !== 0 || (this.profiles > 1 && costs[1].self[node] !== 0);
  }

  protected expand(node: number): number[] {
    const from = this.starts[node], at = this.ats[node], lo = this.lo[node], hi = this.hi[node], { out, slot, only } = this, { parent, func } = this.tree;
    const sizes: number[] = [], kids: number[] = [], to = roomFor(hi - lo), first = !only && this.parents[node] === 0 && node > 0;
    for (let i = lo, k = 0; i < hi; i++, k++) {
      const start = from[i];
      let up = first && !this.weighs(start) ? 0 : parent[at[i]];
      while (out && out[up]) up = parent[up];
      to.which[k] = -1;
      if (!up) continue;
      const f = func[up];
      let g = slot[f] - 1;
      if (g < 0) {
        g = kids.length;
        slot[f] = g + 1;
        kids.push(this.add(node, f));
        sizes.push(0);
      }
      to.which[k] = g;
      to.start[k] = start;
      to.at[k] = up;
      sizes[g]++;
      if (!f) this.moreOf[kids[g]] += this.tree.more.get(up) ?? 1;
      this.count(kids[g], start);
    }
    this.divide(kids, sizes, hi - lo, to.which, to.start, to.at);
    return kids;
  }

  leaf(node: number): boolean {
    const known = this.kids[node];
    if (known) return !known.length;
    const start = this.starts[node], at = this.ats[node], lo = this.lo[node], hi = this.hi[node], { out } = this, { parent } = this.tree, first = !this.only && this.parents[node] === 0;
    for (let i = lo; i < hi; i++) {
      if (first && !this.weighs(start[i])) continue;
      let up = parent[at[i]];
      while (out && out[up]) up = parent[up];
      if (up) return false;
    }
    return true;
  }

  stack(node: number): number[] {
    const path = this.path(node);
    return (this.only ? [this.only, ...path] : path).reverse();
  }
}

/** All that one function calls, over all its outermost activations; without one, all stacks. */
export class CalleesLayer extends Groups {
  constructor(scene: Scene, functions: number, private root: number) {
    super(scene, functions);
    const starts = root ? outermost(this.tree, this.out, root) : new Int32Array(1);
    this.add(0, root);
    this.hold(0, starts, starts, 0, starts.length);
    for (let i = 0; i < starts.length; i++) this.count(0, starts[i]);
    if (!root) scene.whole.forEach((w, k) => (this.values[1 + k] = w));
  }

  private count(node: number, from: number): void {
    const { costs, width } = this.scene, { values, profiles } = this, to = node * this.stride;
    values[to] += width[from];
    values[to + 1] += costs[0].total[from];
    values[to + 1 + profiles] += costs[0].self[from];
    if (profiles === 1) return;
    values[to + 2] += costs[1].total[from];
    values[to + 4] += costs[1].self[from];
  }

  protected expand(node: number): number[] {
    const at = this.ats[node], lo = this.lo[node], hi = this.hi[node], { func, end, more } = this.tree, { slot, out } = this, { width } = this.scene;
    const kids: number[] = [], sizes: number[] = [], before = this.scene.costs[0].total, after = this.scene.costs[this.profiles - 1].total;
    let to = roomFor(1024), count = 0;
    for (let i = lo; i < hi; i++) {
      const last = end[at[i]];
      for (let c = at[i] + 1; c < last;) {
        if (width[c] === 0 && before[c] === 0 && after[c] === 0) {
          c = end[c];
          continue;
        }
        if (out && out[c]) {
          c++; // its callees take its place
          continue;
        }
        const f = func[c];
        let g = slot[f] - 1;
        if (g < 0) {
          g = kids.length;
          slot[f] = g + 1;
          kids.push(this.add(node, f));
          sizes.push(0);
        }
        if (count === to.which.length) {
          const old = to;
          to = roomFor(count + 1);
          to.which.set(old.which);
          to.start.set(old.start);
        }
        to.which[count] = g;
        to.start[count++] = c;
        sizes[g]++;
        if (!f) this.moreOf[kids[g]] += more.get(c) ?? 1;
        this.count(kids[g], c);
        c = end[c];
      }
    }
    this.divide(kids, sizes, count, to.which, to.start, to.start);
    return kids;
  }

  leaf(node: number): boolean {
    const known = this.kids[node];
    if (known) return !known.length;
    const at = this.ats[node], lo = this.lo[node], hi = this.hi[node], { end } = this.tree, { out } = this;
    const { width } = this.scene;
    for (let i = lo; i < hi; i++)
      for (let c = at[i] + 1; c < end[at[i]]; c++) if (!(out && out[c]) && width[c] > 0) return false;
    return true;
  }

  stack(node: number): number[] {
    const path = this.path(node);
    return this.root ? [this.root, ...path] : path;
  }
}

/** The stacks of a scene from the root, or from the leaves. */
export function stacksLayer(scene: Scene, functions: number, reverse: boolean): Layer {
  return reverse ? new CallersLayer(scene, functions) : scene.out ? new CalleesLayer(scene, functions, 0) : new TreeLayer(scene);
}

/** The functions on the way to a node. Together with the layer they name it for good: nodes are numbered as they are found. */
export function pathOf(layer: Layer, node: number): number[] {
  const out: number[] = [];
  for (; node; node = layer.parent(node)) out.push(layer.func(node));
  return out.reverse();
}

export function nodeAt(layer: Layer, path: number[]): number {
  let node = 0;
  for (const func of path) {
    const kids = layer.children(node);
    let next = -1;
    for (let i = 0; i < kids.length && next < 0; i++) if (layer.func(kids[i]) === func) next = kids[i];
    if (next < 0) break;
    node = next;
  }
  return node;
}
