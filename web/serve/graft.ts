// A piece of a tree put where it belongs: what lies below one node, in more detail than before.

import type { Data, Moments, Series } from '../viewer/data';
import { knownNodes } from '../viewer/data';
import { Tree } from '../viewer/tree';

/** Where a piece goes: nodes from `at` up to `end` are replaced, those behind move by `shift`. */
interface Place {
  at: number;
  end: number;
  shift: number;
}

function joined(a: Int32Array, b: Int32Array, { at, end }: Place): Int32Array {
  const out = new Int32Array(a.length - (end - at) + b.length);
  out.set(a.subarray(0, at));
  out.set(b, at);
  out.set(a.subarray(end), at + b.length);
  return out;
}

function treeWith(tree: Tree, piece: Tree, place: Place): Tree {
  const { at, end, shift } = place, above = tree.depth[at], depth = joined(tree.depth, piece.depth.map(d => d + above), place), func = joined(Int32Array.from(tree.func), Int32Array.from(piece.func), place);
  func[at] = tree.func[at];
  const up = depth.map((d, i) => (i ? depth[i - 1] + 1 - d : 0)), more = new Map<number, number>();
  for (const [node, n] of tree.more) if (node < at || node >= end) more.set(node < at ? node : node + shift, n);
  for (const [node, n] of piece.more) more.set(node + at, n);
  return new Tree(up, func, more);
}

/** Rows of a series: those before the piece, the piece's, those behind it. */
function seriesWith(old: Series, piece: Series | undefined, { at, end, shift }: Place): Series {
  const before: number[] = [], behind: number[] = [], rows = piece?.node.length ?? 0;
  for (let i = 0; i < old.node.length; i++) if (old.node[i] < at) before.push(i);
  else if (old.node[i] >= end) behind.push(i);
  const n = before.length + rows + behind.length, node = new Int32Array(n), cells = (from: Float64Array | null | undefined, added: Float64Array | null | undefined) => {
    if (!from && !added) return null;
    const out = new Float64Array(n);
    before.forEach((row, i) => (out[i] = from?.[row] ?? 0));
    for (let i = 0; i < rows; i++) out[before.length + i] = added?.[i] ?? 0;
    behind.forEach((row, i) => (out[before.length + rows + i] = from?.[row] ?? 0));
    return out;
  };
  before.forEach((row, i) => (node[i] = old.node[row]));
  for (let i = 0; i < rows; i++) node[before.length + i] = piece!.node[i] + at;
  behind.forEach((row, i) => (node[before.length + rows + i] = old.node[row] + shift));
  const line = old.line && new Int32Array(n);
  if (line) before.forEach((row, i) => (line[i] = old.line![row]));
  if (line) behind.forEach((row, i) => (line[before.length + rows + i] = old.line![row]));
  return { ...old, node, line, cost: old.cost.map((c, m) => cells(c, piece?.cost[m])), unseen: old.unseen.map((c, m) => cells(c, piece?.unseen[m])), calls: cells(old.calls, piece?.calls) };
}

/** Where each node went: within the piece to the one of the same functions, of a sum to its caller. */
function movesOf(tree: Tree, now: Tree, { at, end, shift }: Place): Int32Array {
  const to = new Int32Array(tree.n), kids = new Map<string, number>(), { parent } = tree;
  for (let i = at + 1; i < end + shift; i++) if (!now.more.has(i)) kids.set(`${now.parent[i]} ${now.func[i]}`, i);
  for (let i = 0; i < tree.n; i++) {
    if (i <= at) to[i] = i;
    else if (i >= end) to[i] = i + shift;
    else to[i] = (tree.more.has(i) ? undefined : kids.get(`${to[parent[i]]} ${tree.func[i]}`)) ?? to[parent[i]];
  }
  return to;
}

/** The data with a piece at a node of its tree. */
export function graft(data: Data, at: number, piece: Data): Data {
  const { tree } = data, end = tree.end[at], place: Place = { at, end, shift: piece.tree.n - (end - at) }, now = treeWith(tree, piece.tree, place), to = movesOf(tree, now, place);
  const nodes: Int32Array[] = [], series = data.series.map(s => seriesWith(s, piece.series.find(p => p.profile === s.profile && p.index === s.index), place));
  const sums = (t: Tree, from: number, until: number) => [...t.more.keys()].filter(n => n >= from && n < until).length;
  const seen = piece.tree.n - sums(piece.tree, 0, piece.tree.n) - (end - at - sums(tree, at, end)), { cut } = data.meta;
  const out: Data = {
    ...data, tree: now, series, ids: joined(data.ids!, piece.ids!, place), moved: { from: tree, to: node => to[node] },
    meta: { ...data.meta, cut: { ...cut, nodes: Math.max(0, cut.nodes - seen) } },
    moments: data.moments.map((m): Moments => ({ ...m, series: series[data.series.indexOf(m.series)], node: m.node.map(n => to[n]) })),
    known: k => (nodes[k] ??= knownNodes(out, k)),
  };
  return out;
}
