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
  children(node: number): ArrayLike<number>; // by name, sums last
  /** False when children() would take long. */
  ready?(node: number): boolean;
  /** The scene whose tree this is, node by node. */
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

  children(node: number): number[] {
    const { end } = this.scene.tree, out: number[] = [], last = end[node];
    for (let c = node + 1; c < last; c = end[c]) out.push(c);
    return out;
  }

  stack(node: number): number[] {
    const { tree } = this.scene, out: number[] = [];
    for (; node; node = tree.parent[node]) out.push(tree.func[node]);
    return out.reverse();
  }
}

/**
 * Groups of nodes of the tree that a step leads to, by function: steps go to the caller (from the leaves up) or to
 * the callees. A group is a range of `item`; each item stands at `at` and weighs what its start weighs.
 */
abstract class Groups implements Layer {
  protected out: Uint8Array | null; // nodes to step over
  protected funcs: number[] = [0];
  protected parents: number[] = [0];
  protected moreOf: number[] = [0];
  protected kids: (number[] | null)[] = [null];
  protected widths: number[] = [0];
  protected totals: number[][] = [];
  protected selves: number[][] = [];
  protected tree: Tree;
  protected slot: Int32Array; // by function: its group while one node is unfolded, else 0

  constructor(protected scene: Scene, protected rank: Int32Array) {
    this.tree = scene.tree;
    this.out = scene.out;
    this.slot = new Int32Array(rank.length + 1);
    this.totals = scene.costs.map(() => [0]);
    this.selves = scene.costs.map(() => [0]);
  }

  func(node: number): number { return this.funcs[node]; }
  more(node: number): number { return this.moreOf[node]; }
  width(node: number): number { return this.widths[node]; }
  total(node: number, k: number): number { return this.totals[k][node]; }
  self(node: number, k: number): number { return this.selves[k][node]; }
  calls(_node: number): number | null { return null; }
  parent(node: number): number { return this.parents[node]; }
  abstract stack(node: number): number[];
  protected abstract expand(node: number): number[];

  children(node: number): number[] {
    return (this.kids[node] ??= this.expand(node));
  }

  protected path(node: number): number[] {
    const out: number[] = [];
    for (; node; node = this.parents[node]) out.push(this.funcs[node]);
    return out.reverse();
  }

  protected add(parent: number, func: number, more: number): number {
    const node = this.funcs.length;
    this.funcs.push(func);
    this.parents.push(parent);
    this.moreOf.push(more);
    this.kids.push(null);
    this.widths.push(0);
    this.totals.forEach(t => t.push(0));
    this.selves.forEach(s => s.push(0));
    return node;
  }

  protected sort(nodes: number[]): number[] {
    return nodes.sort((a, b) => +!this.funcs[a] - +!this.funcs[b] || this.rank[this.funcs[a]] - this.rank[this.funcs[b]] || a - b);
  }
}

/**
 * Stacks from their ends up: who calls what costs. With `only`, the stacks that lead to one function, from its
 * outermost activations. Each start weighs its own cost, or with `only` all of it.
 */
export class CallersLayer extends Groups {
  private item: Int32Array; // starts, grouped
  private at: Int32Array; // where each is now
  private lo: number[] = [0];
  private hi: number[] = [0];
  private weight: Float64Array;

  constructor(scene: Scene, rank: Int32Array, private only = 0) {
    super(scene, rank);
    const { n, func, end } = this.tree, starts = new Int32Array(n);
    let count = 0;
    const { out } = this;
    if (only) {
      for (let i = 1; i < n;) {
        if (func[i] === only && !(out && out[i])) {
          starts[count++] = i;
          i = end[i];
        } else {
          i++;
        }
      }
      this.weight = scene.width;
    } else {
      this.weight = new Float64Array(n);
      const a = scene.costs[0].self, b = scene.costs[1]?.self;
      for (let i = 1; i < n; i++) {
        const own = Math.max(a[i], b ? b[i] : 0);
        if (own > 0) this.weight[i] = own;
        if (a[i] || (b && b[i])) starts[count++] = i;
      }
    }
    this.item = starts.slice(0, count);
    this.at = this.item.slice();
    this.hi[0] = count;
    for (let i = 0; i < count; i++) this.count(0, this.item[i]);
    if (!only) scene.whole.forEach((w, k) => (this.totals[k][0] = w));
    if (only) this.funcs[0] = only;
  }

  private cost(k: number): Float64Array {
    return this.only ? this.scene.costs[k].total : this.scene.costs[k].self;
  }

  private count(node: number, start: number): void {
    this.widths[node] += this.weight[start];
    for (let k = 0; k < this.totals.length; k++) {
      this.totals[k][node] += this.cost(k)[start];
      this.selves[k][node] += this.scene.costs[k].self[start];
    }
  }

  protected expand(node: number): number[] {
    const { item, at, out } = this, { parent, func } = this.tree, lo = this.lo[node], hi = this.hi[node];
    const slot = this.slot, sizes: number[] = [], kids: number[] = [], which = new Int32Array(hi - lo);
    const first = node === 0 && !this.only;
    for (let i = lo; i < hi; i++) {
      let to = first ? item[i] : parent[at[i]];
      while (out && out[to]) to = parent[to];
      at[i] = to;
      if (!to) {
        which[i - lo] = -1;
        continue;
      }
      const f = func[to];
      let g = slot[f] - 1;
      if (g < 0) {
        g = kids.length;
        slot[f] = g + 1;
        kids.push(this.add(node, f, 0));
        sizes.push(0);
      }
      which[i - lo] = g;
      sizes[g]++;
      if (!f) this.moreOf[kids[g]] += this.tree.more.get(to) ?? 1;
      this.count(kids[g], item[i]);
    }
    for (const kid of kids) slot[this.funcs[kid]] = 0;
    // Puts the items of each group side by side; those that ended go last.
    const starts = new Int32Array(kids.length + 1);
    for (let g = 0; g < kids.length; g++) starts[g + 1] = starts[g] + sizes[g];
    const items = item.slice(lo, hi), ats = at.slice(lo, hi), next = starts.slice();
    let ended = starts[kids.length];
    for (let i = 0; i < items.length; i++) {
      const to = lo + (which[i] < 0 ? ended++ : next[which[i]]++);
      item[to] = items[i];
      at[to] = ats[i];
    }
    kids.forEach((kid, g) => {
      this.lo[kid] = lo + starts[g];
      this.hi[kid] = lo + starts[g + 1];
    });
    return this.sort(kids);
  }

  ready(node: number): boolean {
    return this.kids[node] !== null || this.hi[node] - this.lo[node] < 60000;
  }

  stack(node: number): number[] {
    const path = this.path(node);
    return (this.only ? [this.only, ...path] : path).reverse();
  }
}

/** All that one function calls, over all its outermost activations; without one, all stacks. */
export class CalleesLayer extends Groups {
  private nodes: number[][] = [];

  constructor(scene: Scene, rank: Int32Array, private root: number) {
    super(scene, rank);
    const { n, func, end } = this.tree, starts: number[] = root ? [] : [0], { out } = this;
    for (let i = 1; root && i < n;) {
      if (func[i] === root && !(out && out[i])) {
        starts.push(i);
        i = end[i];
      } else {
        i++;
      }
    }
    this.nodes[0] = starts;
    this.funcs[0] = root;
    for (const i of starts) this.count(0, i);
    if (!root) scene.whole.forEach((w, k) => (this.totals[k][0] = w));
  }

  private count(node: number, from: number): void {
    this.widths[node] += this.scene.width[from];
    for (let k = 0; k < this.totals.length; k++) {
      this.totals[k][node] += this.scene.costs[k].total[from];
      this.selves[k][node] += this.scene.costs[k].self[from];
    }
  }

  protected expand(node: number): number[] {
    const { func, end, more } = this.tree, { slot, out } = this, { width } = this.scene, kids: number[] = [], two = this.totals.length > 1;
    for (const from of this.nodes[node]) {
      const last = end[from];
      for (let c = from + 1; c < last;) {
        if (out && out[c]) {
          // Its callees take its place, unless nothing is left below.
          c = width[c] || two ? c + 1 : end[c];
          continue;
        }
        const f = func[c];
        let kid = slot[f];
        if (!kid) {
          kid = slot[f] = this.add(node, f, 0);
          kids.push(kid);
          this.nodes[kid] = [];
        }
        if (!f) this.moreOf[kid] += more.get(c) ?? 1;
        this.nodes[kid].push(c);
        this.count(kid, c);
        c = end[c];
      }
    }
    for (const kid of kids) slot[this.funcs[kid]] = 0;
    return this.sort(kids);
  }

  stack(node: number): number[] {
    const path = this.path(node);
    return this.root ? [this.root, ...path] : path;
  }
}

/** The stacks of a scene from the root, or from the leaves. */
export function stacksLayer(scene: Scene, rank: Int32Array, reverse: boolean): Layer {
  return reverse ? new CallersLayer(scene, rank) : scene.out ? new CalleesLayer(scene, rank, 0) : new TreeLayer(scene);
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
