// What the nodes of a tree cost, by themselves and with all below them, and the room that takes.

import type { Parts } from './filters';
import type { Tree } from './tree';

/** A number for each node. */
export interface Numbers {
  at(node: number): number;
}

export class Cells implements Numbers {
  constructor(readonly cells: Float64Array) {}

  at(node: number): number {
    return this.cells[node];
  }
}

/** Own costs, of sums from the start. */
export class Steps implements Numbers {
  constructor(readonly sums: Float64Array) {}

  at(node: number): number {
    return this.sums[node + 1] - this.sums[node];
  }
}

/** Of a node, what it and all below it cost. */
export interface Totals extends Numbers {
  /** What is added up: from the start, where `ranges`, else by node. Made when first asked for. */
  readonly cells: Float64Array;
  readonly ranges: boolean;
  /** Sums from the start, where they are there without being made. */
  readonly direct: Float64Array | null;
  /** The arrays as long as the tree that it looks into. */
  readonly room: Float64Array[];
  /** The same below the root. */
  with(whole: number): Totals;
}

/**
 * Where sums are exact, that is the difference of two sums from the start: a subtree is a range. One loop forwards makes
 * them, and filters make them anew in another.
 */
export class Ranges implements Totals {
  readonly ranges = true;

  constructor(readonly cells: Float64Array, private end: Int32Array, private whole = cells[end[0] ?? 0] - cells[0]) {}

  get direct(): Float64Array {
    return this.cells;
  }

  get room(): Float64Array[] {
    return [this.cells];
  }

  at(node: number): number {
    return node ? this.cells[this.end[node]] - this.cells[node] : this.whole;
  }

  with(whole: number): Totals {
    return new Ranges(this.cells, this.end, whole);
  }

  /** What each node costs itself, as long as no costs have moved. */
  own(): Numbers {
    return new Steps(this.cells);
  }
}

const BLOCK = 5; // nodes, as a power of 2, of which it is known where their first part is

/** Sums from the start over parts of the tree, each found when it is asked for; all of them only where a long loop wants them. */
class PartSums {
  private before: Float64Array; // by part: the sum of those before it
  private first: Int32Array; // by block: how many parts begin before it
  private made: Float64Array | null = null;
  private lately = 0; // the part in which a node was found

  constructor(readonly tree: Tree, private sums: Float64Array, private parts: Parts, private pool: Pool) {
    const { from, to } = parts, count = from.length, before = (this.before = new Float64Array(count + 1)), first = (this.first = new Int32Array((tree.n >> BLOCK) + 2));
    let block = 0;
    for (let i = 0; i < count; i++) {
      before[i + 1] = before[i] + sums[to[i]] - sums[from[i]];
      for (const last = from[i] >> BLOCK; block <= last;) first[block++] = i;
    }
    first.fill(count, block);
  }

  /** What the nodes before one cost. */
  at(node: number): number {
    if (this.made) return this.made[node];
    const part = this.partAt(node);
    if (part < 0) return 0;
    const { from, to } = this.parts, last = to[part];
    return this.before[part] + this.sums[node < last ? node : last] - this.sums[from[part]];
  }

  /** What the nodes from one up to another cost. Most are within one part, and most of those in the same as the last one. */
  between(node: number, end: number): number {
    const { from, to } = this.parts;
    let part = this.lately;
    if (!(node >= from[part] && node < to[part])) part = this.partAt(node);
    if (part < 0 || end > to[part]) return this.at(end) - this.at(node);
    this.lately = part;
    return this.sums[end] - this.sums[node];
  }

  /** The last part that begins at or before a node; -1 = none. */
  private partAt(node: number): number {
    const { from } = this.parts, count = from.length;
    let part = this.first[node >> BLOCK];
    while (part < count && from[part] <= node) part++;
    return part - 1;
  }

  get all(): Float64Array {
    return (this.made ??= this.makeAll());
  }

  get known(): Float64Array | null {
    return this.made;
  }

  get room(): Float64Array[] {
    return this.made ? [this.sums, this.made] : [this.sums];
  }

  private makeAll(): Float64Array {
    const { from, to } = this.parts, { n } = this.tree, { sums, before } = this, out = this.pool.take(n);
    let at = 0;
    for (let i = 0; i < from.length; i++) {
      const a = from[i], z = to[i], shift = sums[a] - before[i];
      for (const now = before[i]; at < a;) out[at++] = now;
      for (; at < z; at++) out[at] = sums[at] - shift;
    }
    return out.fill(before[from.length], at);
  }
}

/** The same of what filters leave: a picture looks at a few thousand of a million nodes. */
class PartTotals implements Totals {
  readonly ranges = true;

  constructor(private sums: PartSums, private whole = sums.at(sums.tree.n)) {}

  at(node: number): number {
    return node ? this.sums.between(node, this.sums.tree.end[node]) : this.whole;
  }

  get cells(): Float64Array {
    return this.sums.all;
  }

  get direct(): Float64Array | null {
    return this.sums.known;
  }

  get room(): Float64Array[] {
    return this.sums.room;
  }

  with(whole: number): Totals {
    return new PartTotals(this.sums, whole);
  }
}

class PartSteps implements Numbers {
  constructor(private sums: PartSums) {}

  at(node: number): number {
    return this.sums.between(node, node + 1);
  }
}

/** Costs of which parts are left. */
export function partsOf(tree: Tree, total: Totals, parts: Parts, pool: Pool): Both {
  const sums = new PartSums(tree, total.cells, parts, pool);
  return { self: new PartSteps(sums), total: new PartTotals(sums) };
}

/** Where sums are rounded, each node has its own. */
class Rounded implements Totals {
  readonly ranges = false;
  readonly direct = null;

  constructor(readonly cells: Float64Array, private whole = cells[0]) {}

  get room(): Float64Array[] {
    return [this.cells];
  }

  at(node: number): number {
    return node ? this.cells[node] : this.whole;
  }

  with(whole: number): Totals {
    return new Rounded(this.cells, whole);
  }
}

/** Costs of all nodes: of themselves, and with all below them. */
export interface Both {
  self: Numbers;
  total: Totals;
}

/** Takes the room of own costs over. `exact`: they are whole numbers whose sums are, too. */
export function bothOf(tree: Tree, own: Float64Array, exact: boolean, pool: Pool): Both {
  const { n } = tree;
  if (!exact) return { self: new Cells(own), total: roundedOf(tree, own, pool) };
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const v = own[i];
    own[i] = sum;
    sum += v;
  }
  own[n] = sum;
  const total = new Ranges(own, tree.end);
  return { self: total.own(), total };
}

/** Whether sums of whole numbers of this size are exact. */
export function isExact(size: number): boolean {
  return size <= 2 ** 53;
}

export function roundedOf(tree: Tree, own: Float64Array, pool: Pool): Totals {
  const { n, parent } = tree, out = pool.take(n);
  out.set(own);
  for (let i = n - 1; i > 0; i--) out[parent[i]] += out[i];
  return new Rounded(out);
}

/**
 * Arrays as long as the tree and one more are used again: making and dropping them for each question would cost more
 * than the question.
 */
export class Pool {
  private free: Float64Array[] = [];

  take(nodes: number): Float64Array {
    return this.used(nodes) ?? new Float64Array(nodes + 1);
  }

  zeros(nodes: number): Float64Array {
    return this.used(nodes)?.fill(0) ?? new Float64Array(nodes + 1);
  }

  /** Makes room before it is needed. */
  fill(nodes: number, most: number): boolean {
    if (this.free.length < most) this.free.push(new Float64Array(nodes + 1).fill(1));
    return this.free.length < most;
  }

  give(cells: Float64Array): void {
    if (this.free.length < 8 && !this.free.includes(cells)) this.free.push(cells);
  }

  private used(nodes: number): Float64Array | null {
    const found = this.free.pop();
    return found && found.length === nodes + 1 ? found : null;
  }
}
