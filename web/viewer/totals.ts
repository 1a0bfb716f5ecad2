// What the nodes of a tree cost, by themselves and with all below them, and the room that takes.

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
class Steps implements Numbers {
  constructor(private sums: Float64Array) {}

  at(node: number): number {
    return this.sums[node + 1] - this.sums[node];
  }
}

/** Of a node, what it and all below it cost. */
export interface Totals extends Numbers {
  readonly cells: Float64Array;
  /** The same below the root. */
  with(whole: number): Totals;
}

/**
 * Where sums are exact, that is the difference of two sums from the start: a subtree is a range. One loop forwards makes
 * them, and filters make them anew in another.
 */
export class Ranges implements Totals {
  constructor(readonly cells: Float64Array, private end: Int32Array, private whole = cells[end[0] ?? 0] - cells[0]) {}

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

/** Where sums are rounded, each node has its own. */
class Rounded implements Totals {
  constructor(readonly cells: Float64Array, private whole = cells[0]) {}

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
