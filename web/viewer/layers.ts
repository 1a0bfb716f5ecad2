// Trees to draw, unfolded only as far as is looked at: the stacks themselves, the same from the leaves up, and what
// calls or is called by one function.

import type { Kept } from './filters';
import { keptCosts } from './filters';
import type { Scene } from './model';
import type { Of } from './noise';
import type { Numbers } from './totals';
import { Steps } from './totals';
import type { Tree } from './tree';

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
  /** The function of whose own cost (0) or total (1) a node's is a part. */
  of(node: number, which: 0 | 1): Of;
}

export class TreeLayer implements Layer {
  readonly plain: Scene;

  constructor(private scene: Scene) {
    this.plain = scene;
  }

  func(node: number): number { return this.scene.tree.func[node]; }
  more(node: number): number { return this.scene.tree.more.get(node) ?? 0; }
  width(node: number): number { return this.scene.width.at(node); }
  total(node: number, k: number): number { return node ? this.scene.costs[k].total.at(node) : this.scene.whole[k]; }
  self(node: number, k: number): number { return this.scene.costs[k].self.at(node); }
  calls(node: number): number | null { return this.scene.costs[this.scene.costs.length - 1].calls?.[node] ?? null; }
  parent(node: number): number { return this.scene.tree.parent[node]; }
  effort(): number { return 0; }
  of(node: number, which: 0 | 1): Of { return [this.func(node), which]; }

  children(node: number): number[] {
    const { end } = this.scene.tree, out: number[] = [], last = end[node];
    for (let c = node + 1; c < last; c = end[c]) out.push(c);
    return out;
  }

  leaf(node: number): boolean {
    const { end } = this.scene.tree, { width, costs } = this.scene, last = end[node];
    for (let c = node + 1; c < last; c = end[c]) if (width.at(c) > 0 || costs.some(k => k.total.at(c) !== 0)) return false;
    return true;
  }

  stack(node: number): number[] {
    const { tree } = this.scene, out: number[] = [];
    for (; node; node = tree.parent[node]) out.push(tree.func[node]);
    return out.reverse();
  }
}

const FIRST = 2048; // groups to have room for at first
const HELD = 1 << 15;

/**
 * Groups of nodes of the tree that a step leads to, by function: steps go to the caller (from the leaves up) or to
 * the callees.
 */
abstract class Groups implements Layer {
  protected out: Uint8Array | null; // nodes to step over
  protected n = 0;
  protected funcs = new Int32Array(FIRST);
  protected parents = new Int32Array(FIRST);
  protected moreOf = new Float64Array(FIRST);
  protected values: Float64Array; // per node: width, totals by profile, own costs by profile
  protected stride: number;
  protected profiles: number;
  protected kids: (number[] | null)[] = [];
  // The nodes of the tree that a node stands for: starts[node] from lo to hi are what is counted, ats[node] where each stands now.
  protected starts: Int32Array[] = [];
  protected ats: Int32Array[] = [];
  protected lo = new Int32Array(FIRST);
  protected hi = new Int32Array(FIRST);
  protected tree: Tree;
  protected slot: Int32Array; // by function: its group while one node is unfolded, else 0
  private held = new Int32Array(0); // where the starts of new groups go, and where each stands: one array for many
  private heldAts = this.held;
  private heldTo = 0;

  constructor(protected scene: Scene, functions: number) {
    this.tree = scene.tree;
    this.out = scene.out;
    this.slot = new Int32Array(functions + 1);
    this.profiles = scene.costs.length;
    this.stride = 1 + 2 * this.profiles;
    this.values = new Float64Array(FIRST * this.stride);
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
  of(node: number, which: 0 | 1): Of { return [this.funcs[node], which]; }
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
    if (node === this.funcs.length) this.grow(2 * node);
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

  /** Makes room for so many nodes. */
  protected grow(size: number): void {
    const larger = <T extends Int32Array | Float64Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.funcs = larger(this.funcs, new Int32Array(size));
    this.parents = larger(this.parents, new Int32Array(size));
    this.lo = larger(this.lo, new Int32Array(size));
    this.hi = larger(this.hi, new Int32Array(size));
    this.moreOf = larger(this.moreOf, new Float64Array(size));
    this.values = larger(this.values, new Float64Array(size * this.stride));
  }

  /** Divides steps among the groups they lead to: step i of `count` goes to group which[i], or to none when that is below 0. */
  protected divide(kids: number[], count: number, { which, start, at, size }: Room, apart: boolean): void {
    let sum = 0;
    for (let g = 0; g < kids.length; g++) sum += size[g];
    if (this.heldTo + sum > this.held.length) {
      this.held = new Int32Array(Math.max(HELD, sum));
      this.heldAts = apart ? new Int32Array(this.held.length) : this.held;
      this.heldTo = 0;
    }
    const starts = this.held, ats = this.heldAts;
    for (let g = 0, to = this.heldTo; g < kids.length; g++) {
      this.hold(kids[g], starts, ats, to, to + size[g]);
      to += size[g];
      size[g] = to - size[g]; // from here on: where its next start goes
    }
    this.heldTo += sum;
    for (let i = 0; i < count; i++) {
      const g = which[i];
      if (g < 0) continue;
      const to = size[g]++;
      starts[to] = start[i];
      if (apart) ats[to] = at[i];
    }
    for (const kid of kids) this.slot[this.funcs[kid]] = 0;
  }
}

function sumWidths({ func, n }: Tree, a: Numbers, b: Numbers, functions: number): Float64Array {
  const out = new Float64Array(functions);
  for (let i = 1; i < n; i++) {
    const v = Math.max(a.at(i), b.at(i));
    if (v > 0) out[func[i]] += v;
  }
  return out;
}

/** Room for one expansion: of each step its group, where it starts, where it leads and how wide that is; of each group how many steps it has. */
interface Room {
  which: Int32Array;
  start: Int32Array;
  at: Int32Array;
  width: Float64Array;
  size: Int32Array;
}

// Grown as needed and used again.
let room: Room = { which: new Int32Array(0), start: new Int32Array(0), at: new Int32Array(0), width: new Float64Array(0), size: new Int32Array(0) };

function roomFor(n: number): Room {
  if (room.which.length < n) {
    const size = Math.max(4096, n + (n >> 1)), ints = () => new Int32Array(size);
    room = { which: ints(), start: ints(), at: ints(), width: new Float64Array(size), size: ints() };
  }
  return room;
}

/** Twice as much, with the steps that are there. */
function moreRoom(): Room {
  const old = room, now = roomFor(2 * old.which.length);
  now.start.set(old.start);
  now.at.set(old.at);
  now.width.set(old.width);
  return now;
}

/** Own costs as sums from the start, where they are: loops over many nodes look there themselves. */
function sumsOf(own: Numbers): Float64Array | null {
  return own instanceof Steps ? own.sums : null;
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
      const starts = this.tree.outermost(only, this.out);
      this.hold(0, starts, starts, 0, starts.length);
      const sums = sumsOf(scene.costs[0].self);
      for (let i = 0; i < starts.length; i++) this.count(0, starts[i], sums);
    } else {
      this.kids[0] = this.ends(functions);
    }
  }

  /** `sums`: where to look own costs up, if there. */
  private count(node: number, start: number, sums: Float64Array | null): void {
    const { costs } = this.scene, { values } = this, to = node * this.stride, a = costs[0];
    if (this.profiles === 1) {
      const own = sums ? sums[start + 1] - sums[start] : a.self.at(start), cost = this.only ? a.total.at(start) : own;
      values[to] += this.only ? this.scene.width.at(start) : own > 0 ? own : 0;
      values[to + 1] += cost;
      values[to + 2] += own;
      return;
    }
    const b = costs[1], own = a.self.at(start), now = b.self.at(start);
    values[to] += this.only ? this.scene.width.at(start) : Math.max(own, now, 0);
    values[to + 1] += this.only ? a.total.at(start) : own;
    values[to + 2] += this.only ? b.total.at(start) : now;
    values[to + 3] += own;
    values[to + 4] += now;
  }

  /** The functions that stacks end in. */
  private ends(functions: number): number[] {
    const { tree, profiles, stride } = this, order = tree.byFunc, kids: number[] = [], { costs } = this.scene, [before, after] = costs;
    const own = costs.map((_, k) => this.scene.ownBy(k)), width = after || this.scene.negative ? sumWidths(tree, before.self, (after ?? before).self, functions) : own[0];
    this.grow(this.funcs.length + functions);
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

  /** What callers have to do with it is a part of what they call. */
  of(node: number, which: 0 | 1): Of {
    let end = node;
    while (this.parents[end]) end = this.parents[end];
    return this.only ? [this.only, which] : [this.funcs[end], 0];
  }

  private weighs(node: number): boolean {
    const { costs } = this.scene;
    return costs[0].self.at(node) !== 0 || (this.profiles > 1 && costs[1].self.at(node) !== 0);
  }

  protected expand(node: number): number[] {
    const from = this.starts[node], at = this.ats[node], lo = this.lo[node], hi = this.hi[node], { out, slot, only } = this, { parent, func } = this.tree;
    const kids: number[] = [], to = roomFor(hi - lo), first = !only && this.parents[node] === 0 && node > 0, sums = this.profiles === 1 ? sumsOf(this.scene.costs[0].self) : null;
    for (let i = lo, k = 0; i < hi; i++, k++) {
      const start = from[i];
      to.which[k] = -1;
      if (first && (sums ? sums[start] === sums[start + 1] : !this.weighs(start))) continue;
      let up = parent[at[i]];
      while (out && out[up]) up = parent[up];
      if (!up) continue;
      const f = func[up];
      let g = slot[f] - 1;
      if (g < 0) {
        g = kids.length;
        slot[f] = g + 1;
        kids.push(this.add(node, f));
        to.size[g] = 0;
      }
      to.which[k] = g;
      to.start[k] = start;
      to.at[k] = up;
      to.size[g]++;
      if (!f) this.moreOf[kids[g]] += this.tree.more.get(up) ?? 1;
      this.count(kids[g], start, sums);
    }
    this.divide(kids, hi - lo, to, true);
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

const AHEAD = 64;

/**
 * Reads what the next steps will need: a sum of no use, but what it is made of is near then. They lie all over a tree that
 * no cache holds, and each step waits for one before it knows what to read next; these are fetched many at a time.
 */
function fetched(sums: Float64Array, end: Int32Array, func: ArrayLike<number>, at: Int32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += sums[at[i] + 1] + sums[end[at[i]]] + func[at[i] + 1];
  return sum;
}

/** All that one function calls, over all its outermost activations; without one, all stacks. */
export class CalleesLayer extends Groups {
  private kept: Kept | null;
  private widths: Float64Array | null = null; // of what is kept
  protected fetched = 0;

  constructor(scene: Scene, functions: number, private root: number) {
    super(scene, functions);
    const starts = root ? this.tree.outermost(root, this.out) : new Int32Array(1);
    this.kept = root ? null : scene.kept;
    this.add(0, root);
    this.hold(0, starts, starts, 0, starts.length);
    for (let i = 0; i < starts.length; i++) this.count(0, starts[i], scene.width.at(starts[i]));
    if (!root) scene.whole.forEach((w, k) => (this.values[1 + k] = w));
  }

  /** `wide`: its width, which whoever asks has just looked up. */
  private count(node: number, from: number, wide: number): void {
    const { costs, width } = this.scene, { values, profiles } = this, to = node * this.stride;
    values[to] += wide;
    values[to + 1] += width === costs[0].total ? wide : costs[0].total.at(from);
    if (profiles === 1) return;
    values[to + 2] += costs[1].total.at(from);
    values[to + 3] += costs[0].self.at(from);
    values[to + 4] += costs[1].self.at(from);
  }

  /** Own costs of one profile are added up when somebody looks: filters that take frames out leave them to be found. */
  self(node: number, k: number): number {
    if (this.profiles > 1) return super.self(node, k);
    const own = this.scene.costs[0].self, from = this.starts[node], to = node * this.stride + 2, { values } = this;
    if (!values[to]) for (let i = this.lo[node]; i < this.hi[node]; i++) values[to] += own.at(from[i]);
    return values[to];
  }

  /** What the nodes of the tree that a node stands for call, as far as it costs anything: into the room for an expansion. */
  private called(node: number): number {
    const { tops, width, costs } = this.scene, all = tops && !node && !this.root, at = all ? tops : this.ats[node], lo = all ? 0 : this.lo[node], hi = all ? tops.length : this.hi[node];
    const out = this.scene.holes ? this.out : null, sums = this.profiles === 1 && width === costs[0].total ? width.direct : null;
    if (this.kept) return this.calledAmong(this.kept, (this.widths ??= width === costs[0].total && this.kept.costs ? this.kept.costs : keptCosts(this.tree, this.kept, width)), node);
    return sums ? this.calledIn(sums, out, at, lo, hi, !all) : this.calledBy(out, at, lo, hi, !all);
  }

  /** The same of some nodes, or with `below` of what they call. */
  private calledBy(out: Uint8Array | null, at: Int32Array, lo: number, hi: number, below: boolean): number {
    const { end } = this.tree, { width, costs } = this.scene, before = costs[0].total, after = costs[this.profiles - 1].total, alone = width === after;
    let to = roomFor(1024), count = 0;
    for (let i = lo; i < hi; i++) {
      const last = end[at[i]];
      for (let c = at[i] + +below; c < last;) {
        const wide = width.at(c), nothing = wide === 0 && (alone || (before.at(c) === 0 && after.at(c) === 0));
        if (!nothing && out && out[c]) {
          c++; // its callees take its place
          continue;
        }
        if (!nothing) {
          if (count === to.which.length) to = moreRoom();
          to.width[count] = wide;
          to.start[count++] = c;
        }
        c = end[c];
      }
    }
    return count;
  }

  /** The same where widths are differences of sums: who stands behind begins with the sum that this one ends with. */
  private calledIn(sums: Float64Array, out: Uint8Array | null, at: Int32Array, lo: number, hi: number, below: boolean): number {
    const { end } = this.tree;
    let to = roomFor(1024), count = 0;
    for (let i = lo, near = lo; i < hi; i++) {
      if (i === near) {
        near = Math.min(hi, i + AHEAD);
        this.fetched = fetched(sums, end, this.tree.func, at, i, near);
      }
      const last = end[at[i]];
      for (let c = at[i] + +below, low = sums[c]; c < last;) {
        const next = end[c], high = sums[next];
        if (high !== low) {
          if (out && out[c]) {
            low = sums[++c]; // its callees take its place
            continue;
          }
          if (count === to.which.length) to = moreRoom();
          to.width[count] = high - low;
          to.start[count++] = c;
        }
        c = next;
        low = high;
      }
    }
    return count;
  }

  /** The same where the nodes that are left stand side by side: `ats` are places among them. */
  private calledAmong({ node: nodes, end: ends }: Kept, widths: Float64Array, node: number): number {
    const { costs } = this.scene, at = this.ats[node], hi = node ? this.hi[node] : 1;
    let to = roomFor(1024), count = 0;
    for (let i = node ? this.lo[node] : 0; i < hi; i++) {
      const last = node ? ends[at[i]] : nodes.length;
      for (let k = node ? at[i] + 1 : 0; k < last; k = ends[k]) {
        const wide = widths[k];
        if (wide === 0 && (this.profiles === 1 || costs.every(x => x.total.at(nodes[k]) === 0))) continue;
        if (count === to.which.length) to = moreRoom();
        to.width[count] = wide;
        to.at[count] = k;
        to.start[count++] = nodes[k];
      }
    }
    return count;
  }

  protected expand(node: number): number[] {
    const count = this.called(node), to = roomFor(count), { which, start, width, size } = to, { func, more } = this.tree, { slot } = this, kids: number[] = [];
    for (let i = 0; i < count; i++) {
      const c = start[i], f = func[c];
      let g = slot[f] - 1;
      if (g < 0) {
        g = kids.length;
        slot[f] = g + 1;
        kids.push(this.add(node, f));
        size[g] = 0;
      }
      which[i] = g;
      size[g]++;
      if (!f) this.moreOf[kids[g]] += more.get(c) ?? 1;
      this.count(kids[g], c, width[i]);
    }
    this.divide(kids, count, to, this.kept !== null);
    return kids;
  }

  leaf(node: number): boolean {
    const known = this.kids[node];
    if (known) return !known.length;
    const at = this.starts[node], lo = this.lo[node], hi = this.hi[node], { end } = this.tree, { out } = this, { width } = this.scene;
    for (let i = lo; i < hi; i++)
      for (let c = at[i] + 1; c < end[at[i]]; c++) if (!(out && out[c]) && width.at(c) > 0) return false;
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

/** Whether a path leads to a node that is drawn. */
export function isThere(layer: Layer, path: number[]): boolean {
  const node = nodeAt(layer, path);
  return node > 0 && layer.width(node) > 0 && pathOf(layer, node).length === path.length;
}

/** The functions on the way to a frame, by their names, as far as they lead; of two with one name, the one that is there. */
export function pathNamed(layer: Layer, names: string[], name: string[]): number[] {
  const out: number[] = [];
  let node = 0;
  for (const wanted of names) {
    const kids = layer.children(node);
    let next = -1;
    for (let i = 0; i < kids.length && next < 0; i++) if (layer.func(kids[i]) && name[layer.func(kids[i])] === wanted) next = kids[i];
    if (next < 0) break;
    out.push(layer.func((node = next)));
  }
  return out;
}
