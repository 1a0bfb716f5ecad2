// The tree of stacks, in preorder: the subtree of node i is [i, end[i]). Node 0 is the whole.

/** Numbers of functions: as many bits as they need. */
export type Ids = Int32Array | Uint16Array;

/** Nodes of the tree, those of a function side by side in the order of the tree: of f, at[from[f]] to at[from[f + 1]]. */
export interface ByFunc {
  at: Int32Array;
  from: Int32Array;
}

export class Tree {
  readonly n: number;
  readonly end: Int32Array;
  private parents: Int32Array | null = null;
  private depths: Int32Array | null = null;
  private groups: ByFunc | null = null;

  /** `up`: how many levels above the node before its caller stands; `more`: of sums of thin nodes, how many each stands for. */
  constructor(up: ArrayLike<number>, readonly func: Ids, readonly more: Map<number, number>) {
    const n = up.length, end = new Int32Array(n), path = new Int32Array(n + 1);
    let level = 0; // path[level] is the node before
    for (let i = 1; i < n; i++) {
      for (let k = up[i]; k > 0; k--) end[path[level--]] = i;
      path[++level] = i;
    }
    for (; level >= 0; level--) end[path[level]] = n;
    this.n = n;
    this.end = end;
  }

  /** Callers; the first picture does without. */
  get parent(): Int32Array {
    return (this.parents ??= this.findParents());
  }

  private findParents(): Int32Array {
    const { n, end } = this, parent = new Int32Array(n);
    for (let i = 1, up = 0; i < n; i++) {
      while (i >= end[up]) up = parent[up];
      parent[i] = up;
      up = i;
    }
    return parent;
  }

  /** How deep nodes stand; only charts of time ask. */
  get depth(): Int32Array {
    if (!this.depths) {
      const { n, parent } = this, depth = (this.depths = new Int32Array(n));
      for (let i = 1; i < n; i++) depth[i] = depth[parent[i]] + 1;
    }
    return this.depths;
  }

  get byFunc(): ByFunc {
    return (this.groups ??= this.group());
  }

  private group(): ByFunc {
    const { n, func } = this;
    let most = 0;
    for (let i = 1; i < n; i++) if (func[i] > most) most = func[i];
    const from = new Int32Array(most + 2), at = new Int32Array(Math.max(0, n - 1));
    for (let i = 1; i < n; i++) from[func[i] + 1]++;
    for (let f = 0; f <= most; f++) from[f + 1] += from[f];
    const next = from.slice();
    for (let i = 1; i < n; i++) at[next[func[i]]++] = i;
    return { at, from };
  }

  /** The outermost activations of a function among the nodes that are not out. */
  outermost(func: number, out: Uint8Array | null): Int32Array {
    const { at, from } = this.byFunc, lo = from[func] ?? 0, hi = from[func + 1] ?? 0, found = new Int32Array(hi - lo);
    let n = 0, inside = 0;
    for (let i = lo; i < hi; i++) {
      const node = at[i];
      if (node < inside || (out && out[node])) continue;
      inside = this.end[node];
      found[n++] = node;
    }
    return found.subarray(0, n);
  }
}
