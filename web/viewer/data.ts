// The data of a report: base64, gzip, columns, typed arrays. The C side is src/output/columns.c.

import type { Ids } from './tree';
import { Tree } from './tree';

export interface Metric {
  name: string;
  title: string;
  event: string;
  unit: string;
  kind: number;
  sampled: boolean;
  period: number; // what one sample stands for
  real: boolean;
  sums: boolean;
  scale: number;
  num: number;
  den: number;
  total: number;
  falls?: boolean; // memory in use and the like
  net?: number; // this is what another metric gained, which falls: that one; -1 = nobody knows all of it
}

export interface SeriesInfo {
  event: string;
  process: string;
  thread: string;
  context: string;
  pid: number;
  tid: number;
  cpu: number;
  calls: boolean;
  time: boolean;
  trace: boolean;
}

export interface ProfileInfo {
  runs?: number; // how many profiles of a store it is
  means?: boolean; // what one of these costs, not all of them
  file: string;
  format: string;
  variant: string;
  producer: string;
  complete: boolean;
  estimated: boolean;
  aside?: string; // what was set aside: allocators, idle time
  facets: string[];
  flatFromTree: boolean;
  hits: boolean;
  calls: boolean;
  primary: number;
  functions: number;
  nodes: number;
  events: number;
  samples: number;
  timeStart?: number;
  timeEnd?: number;
  recordedAt: number;
  what: string;
  metrics: Metric[];
  series: SeriesInfo[];
  meta: Record<string, unknown>;
}

/** A finding: a sentence, or what comes before and behind the name of the function it is of. */
export interface Fact {
  share: number;
  text: string;
  of?: string;
  rest?: string;
}

export interface Meta {
  version: string;
  title: string;
  names?: 'short' | 'full';
  inputs: string[];
  /** What names them on a command line, where that is not the inputs: a store and what selects of it. */
  words?: string[];
  profiles: ProfileInfo[];
  /** What the numbers say by themselves, as `polyprof findings` does: of the whole, by its first metric. */
  facts?: Fact[];
  cut: { share: number; nodes: number; functions: number; edges: number; lines: number; sources: number; names: number; resolution: number };
}

interface Column {
  kind: string;
  count: number;
  bytes: Uint8Array;
}

/** Own costs of one series: rows of nodes, and per metric a value for each; null = all zero. */
export interface Series {
  info: SeriesInfo;
  profile: number;
  index: number;
  node: Int32Array;
  cost: (Float64Array | null)[];
  unseen: (Float64Array | null)[]; // likewise: what was given back and is only in totals that the file measured
  calls: Float64Array | null;
  line: Int32Array | null; // per row its source line (row of the lines + 1, 0 = none), where frames know theirs
}

/** What happened when in one series. Moment i starts at start[i]; in traces it ends at start[i + 1]. */
export interface Moments {
  series: Series;
  trace: boolean;
  n: number;
  start: Float64Array;
  length: Float64Array | null; // of samples: how long each ran
  node: Int32Array;
  calls: Uint32Array | null;
  line: Int32Array | null;
  gain: (Float64Array | null)[];
}

export interface Flat {
  func: Int32Array;
  calls: Float64Array | null;
  self: Float64Array[];
  total: Float64Array[];
}

export interface Edges {
  caller: Int32Array;
  callee: Int32Array;
  series: Int32Array;
  line: Int32Array;
  file: Int32Array;
  calls: Float64Array;
  cost: Float64Array[]; // as callers have it
  below: Float64Array[]; // as callees have it
}

export interface Lines {
  func: Int32Array;
  file: Int32Array;
  line: Int32Array;
  series: Int32Array;
  hits: Float64Array | null;
  text: Int32Array | null;
  cost: Float64Array[];
  whole: number[]; // by metric: what shares are of
}

/** Source files, whole. */
export class Sources {
  readonly files: string[];
  private parts = new Map<string, Uint8Array>();
  private cut = new Map<string, string[]>();

  constructor(files: string[], lengths: Float64Array, bytes: Uint8Array) {
    this.files = files;
    for (let i = 0, at = 0; i < files.length; at += lengths[i++]) this.parts.set(files[i], bytes.subarray(at, at + lengths[i]));
  }

  /** The lines of a file, made when first asked for; null where its text is not known. */
  lines(file: string): string[] | null {
    const bytes = this.parts.get(file);
    if (!bytes) return null;
    let lines = this.cut.get(file);
    if (!lines) {
      lines = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split(/\r?\n/);
      if (lines[lines.length - 1] === '') lines.pop();
      this.cut.set(file, lines);
    }
    return lines;
  }

  line(file: string, line: number): string {
    return this.lines(file)?.[line - 1] ?? '';
  }
}

export interface Data {
  meta: Meta;
  strings: string[];
  funcs: { n: number; name: string[]; file: string[]; module: string[]; line: Int32Array; flags: Int32Array; readonly rank: Int32Array; sides: Int32Array | null };
  tree: Tree;
  series: Series[];
  moments: Moments[];
  flat: (Flat | null)[];
  edges: (Edges | null)[];
  lines: (Lines | null)[];
  sources: Sources;
  ids: Int32Array | null; // of nodes, for asking a server what lies below them
  moved: { from: Tree; to(node: number): number } | null; // where nodes went when a piece came in
  /** The nodes of a profile that may cost something themselves, in order. */
  known(profile: number): Int32Array;
}

function fromBase64(text: string): Uint8Array {
  const { fromBase64: native } = Uint8Array as unknown as { fromBase64?(text: string): Uint8Array };
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text), n = binary.length, bytes = new Uint8Array(n);
  for (let i = 0; i < n; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Unpacks gzip, piece by piece into the room that its last four bytes tell. */
async function unpack(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new DecompressionStream('gzip'), writer = stream.writable.getWriter(), reader = stream.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const out = new Uint8Array(new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true));
  const written = Promise.all([writer.write(bytes as BufferSource), writer.close()]);
  let at = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    out.set(piece.value, at);
    at += piece.value.length;
  }
  await written;
  return out;
}

class Columns {
  private map = new Map<string, Column>();

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length;) {
      const length = bytes[at];
      const name = String.fromCharCode(...bytes.subarray(at + 1, at + 1 + length));
      at += 1 + length;
      const kind = String.fromCharCode(bytes[at]), count = view.getUint32(at + 1, true), size = view.getUint32(at + 5, true);
      at += 9;
      this.map.set(name, { kind, count, bytes: bytes.subarray(at, at + size) });
      at += size;
    }
  }

  has(name: string): boolean {
    return this.map.has(name);
  }

  bytes(name: string): Uint8Array {
    return this.map.get(name)?.bytes ?? new Uint8Array(0);
  }

  /** Numbers, most of them of one byte. */
  small(name: string): ArrayLike<number> {
    const column = this.map.get(name);
    return column && column.bytes.length === column.count ? column.bytes : this.ids(name);
  }

  /** 32-bit numbers; differences are added up. */
  ids(name: string): Int32Array;
  /** The same of numbers below a limit, in fewer bits where that is enough. */
  ids(name: string, below: number): Ids;
  ids(name: string, below = Infinity): Ids {
    const column = this.map.get(name);
    if (!column) return new Int32Array(0);
    const { bytes, count, kind } = column, out = below <= 65536 ? new Uint16Array(count) : new Int32Array(count), differs = kind === 'd';
    let p = 0, last = 0;
    for (let i = 0; i < count; i++) {
      let b = bytes[p++], v = b & 127;
      for (let unit = 128; b >= 128; unit *= 128) {
        b = bytes[p++];
        v += (b & 127) * unit;
      }
      if (differs) v = last += v < 0x100000000 ? (v >>> 1) ^ -(v & 1) : v % 2 ? -(v + 1) / 2 : v / 2;
      out[i] = v;
    }
    return out;
  }

  /** Numbers of up to 64 bits as doubles: exact up to 2^53. */
  numbers(name: string): Float64Array {
    const column = this.map.get(name);
    if (!column) return new Float64Array(0);
    const { bytes, count, kind } = column, out = new Float64Array(count);
    if (kind === 'f') {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let i = 0; i < count; i++) out[i] = view.getFloat64(8 * i, true);
      return out;
    }
    const signed = kind === 'z';
    let p = 0;
    for (let i = 0; i < count; i++) {
      let b = bytes[p++], v = b & 127;
      const odd = b & 1;
      if (b >= 128) {
        let unit = 128;
        do {
          b = bytes[p++];
          v += (b & 127) * unit;
          unit *= 128;
        } while (b >= 128);
      }
      out[i] = signed ? (odd ? -Math.floor(v / 2) - 1 : Math.floor(v / 2)) : v;
    }
    return out;
  }

  maybe(name: string): Float64Array | null {
    return this.has(name) ? this.numbers(name) : null;
  }
}

function readStrings(c: Columns): string[] {
  const length = c.ids('str.length'), bytes = c.bytes('str.bytes'), decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const out = new Array<string>(length.length);
  // Almost all names are ASCII; then one decoding of everything is enough.
  const all = decoder.decode(bytes), ascii = all.length === bytes.length;
  for (let i = 0, at = 0; i < length.length; at += length[i++])
    out[i] = ascii ? all.slice(at, at + length[i]) : decoder.decode(bytes.subarray(at, at + length[i]));
  return out;
}

/** The place of each name in their order. */
function ranked(name: string[]): Int32Array {
  const n = name.length, order = new Int32Array(n), rank = new Int32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  order.sort((a, b) => (name[a] < name[b] ? -1 : name[a] > name[b] ? 1 : a - b));
  for (let i = 0; i < n; i++) rank[order[i]] = i;
  return rank;
}

function readFuncs(c: Columns, strings: string[]): Data['funcs'] {
  const text = (column: string) => Array.from(c.ids(column), id => strings[id]);
  const name = text('func.name');
  let ranks: Int32Array | null = null;
  const funcs: Data['funcs'] = {
    n: name.length, name, file: text('func.file'), module: text('func.module'), line: c.ids('func.line'), flags: c.ids('func.flags'), sides: c.has('func.sides') ? c.ids('func.sides') : null,
    get rank() { return ranks?.length === funcs.n ? ranks : (ranks = ranked(funcs.name)); },
  };
  return funcs;
}

const grown = (a: Int32Array, more: number[]) => {
  const out = new Int32Array(a.length + more.length);
  out.set(a);
  out.set(more, a.length);
  return out;
};

/** A function that nobody sent, only named; its number. */
export function addFunc(funcs: Data['funcs'], name: string, file: string): number {
  funcs.name.push(name);
  funcs.file.push(file);
  funcs.module.push('');
  funcs.line = grown(funcs.line, [0]);
  funcs.flags = grown(funcs.flags, [0]);
  funcs.sides &&= grown(funcs.sides, [0]);
  return funcs.n++;
}

/** The numbers that functions have in a table that has some of them already; the others are added to it. */
function numbersIn(known: Data['funcs'], own: Data['funcs']): Int32Array {
  const key = (f: Data['funcs'], i: number) => JSON.stringify([f.name[i], f.file[i], f.module[i], f.line[i]]), at = new Map<string, number>(), numbers = new Int32Array(own.n), added: number[] = [];
  for (let i = 1; i < known.n; i++) at.set(key(known, i), i);
  for (let i = 1; i < own.n; i++) {
    const found = at.get(key(own, i));
    numbers[i] = found ?? known.n + added.length;
    if (found === undefined) added.push(i);
  }
  for (const list of ['name', 'file', 'module'] as const) for (const i of added) known[list].push(own[list][i]);
  known.line = grown(known.line, added.map(i => own.line[i]));
  known.flags = grown(known.flags, added.map(i => own.flags[i]));
  known.sides &&= grown(known.sides, added.map(i => own.sides?.[i] ?? 0));
  known.n += added.length;
  return numbers;
}

function readSeries(c: Columns, meta: Meta): Series[] {
  return meta.profiles.flatMap((p, k) => p.series.map((info, index) => ({
    info, profile: k, index,
    node: c.ids(`${k}.s.${index}.node`),
    cost: p.metrics.map((_, m) => c.maybe(`${k}.s.${index}.m${m}`)),
    unseen: p.metrics.map((_, m) => c.maybe(`${k}.s.${index}.unseen${m}`)),
    calls: c.maybe(`${k}.s.${index}.calls`),
    line: c.has(`${k}.s.${index}.line`) ? c.ids(`${k}.s.${index}.line`) : null,
  })));
}

function readMoments(c: Columns, meta: Meta, series: Series[]): Moments[] {
  return series.filter(s => c.has(`${s.profile}.t.${s.index}.node`)).map(s => {
    const base = `${s.profile}.t.${s.index}`, wait = c.numbers(`${base}.wait`), n = wait.length;
    const start = new Float64Array(n + 1), trace = s.info.trace;
    let at = c.numbers(`${base}.start`)[0] - (meta.profiles[s.profile].timeStart ?? 0);
    for (let i = 0; i < n; i++) {
      if (!trace) at += wait[i];
      start[i] = at;
      if (trace) at += wait[i];
    }
    start[n] = at;
    return {
      series: s, trace, n, start, node: c.ids(`${base}.node`),
      length: trace ? null : c.numbers(`${base}.length`),
      calls: c.has(`${base}.calls`) ? new Uint32Array(c.ids(`${base}.calls`)) : null,
      line: c.has(`${base}.line`) ? c.ids(`${base}.line`) : null,
      gain: meta.profiles[s.profile].metrics.map((_, m) => c.maybe(`${base}.m${m}`)),
    };
  });
}

/** Where nobody knows the steps of a metric that falls, what is left of it is all that it is known to have gained. */
function addGains(data: Data): void {
  data.meta.profiles.forEach((p, k) => p.metrics.slice().forEach((m, i) => {
    if (!m.falls || m.net !== undefined || p.metrics.some(x => x.net === i)) return;
    const risen = (cells: Float64Array) => cells.map(v => Math.max(0, v)), flat = data.flat[k];
    const series = data.series.filter(s => s.profile === k), lines = data.lines[k];
    const to = p.metrics.push({ ...m, net: i, total: 0 }) - 1, gained = p.metrics[to];
    for (const s of series) s.cost[to] = s.cost[i] && risen(s.cost[i]);
    for (const x of data.moments) if (x.series.profile === k) x.gain[to] = x.gain[i] && risen(x.gain[i]);
    if (flat) flat.self[to] = risen(flat.self[i]);
    if (flat) flat.total[to] = risen(flat.total[i]);
    if (lines) lines.cost[to] = risen(lines.cost[i]);
    if (data.edges[k]) data.edges[k].cost[to] = risen(data.edges[k].cost[i]);
    if (data.edges[k]) data.edges[k].below[to] = risen(data.edges[k].below[i]);
    const sum = (list: Float64Array[]) => list.reduce((all, cells) => cells.reduce((a, b) => a + b, all), 0);
    const raw = Math.max(flat ? sum([flat.self[to]]) : sum(series.map(s => s.cost[to] ?? new Float64Array(0))), ...(flat ? flat.total[to] : []));
    gained.total = (raw * m.num) / m.den / 10 ** m.scale;
    if (lines) lines.whole[to] = Math.max(raw, sum([lines.cost[to]]));
  }));
}

export async function load(text: string): Promise<Data> {
  return loadPacked(fromBase64(text));
}

/** Reads tables; with `known` functions have the numbers that they have there. */
export async function loadPacked(packed: Uint8Array, known: Data['funcs'] | null = null): Promise<Data> {
  const c = new Columns(await unpack(packed));
  const meta = JSON.parse(new TextDecoder().decode(c.bytes('meta'))) as Meta;
  const strings = readStrings(c), series = readSeries(c, meta), own = readFuncs(c, strings), funcs = known ?? own, numbers = known && numbersIn(known, own);
  const ofFuncs = (column: string): Int32Array => (numbers ? c.ids(column).map(f => numbers[f]) : c.ids(column));
  const moreNode = c.ids('tree.more.node'), moreCount = c.ids('tree.more.count');
  const more = new Map(Array.from(moreNode, (node, i) => [node, moreCount[i]]));
  const each = <T>(column: string, read: (k: number, metrics: Metric[]) => T) =>
    meta.profiles.map((p, k) => (c.has(`${k}.${column}`) ? read(k, p.metrics) : null));
  const nodes: Int32Array[] = [], data: Data = {
    meta, strings, series, known: k => (nodes[k] ??= knownNodes(data, k)), ids: c.has('tree.node') ? c.ids('tree.node') : null, moved: null,
    sources: new Sources(Array.from(c.ids('src.file'), id => strings[id]), c.numbers('src.length'), c.bytes('src.bytes')),
    funcs,
    tree: new Tree(c.small('tree.up'), numbers ? ofFuncs('tree.func') : c.ids('tree.func', funcs.n), more),
    moments: readMoments(c, meta, series),
    flat: each('flat.func', (k, metrics) => ({
      func: ofFuncs(`${k}.flat.func`),
      calls: c.maybe(`${k}.flat.calls`),
      self: metrics.map((_, m) => c.numbers(`${k}.flat.self${m}`)),
      total: metrics.map((_, m) => c.numbers(`${k}.flat.total${m}`)),
    })),
    edges: each('edge.caller', (k, metrics) => ({
      caller: ofFuncs(`${k}.edge.caller`), callee: ofFuncs(`${k}.edge.callee`), series: c.ids(`${k}.edge.series`),
      line: c.ids(`${k}.edge.line`), file: c.ids(`${k}.edge.file`), calls: c.numbers(`${k}.edge.calls`),
      cost: metrics.map((_, m) => c.numbers(`${k}.edge.m${m}`)),
      below: metrics.map((_, m) => c.numbers(c.has(`${k}.edge.down${m}`) ? `${k}.edge.down${m}` : `${k}.edge.m${m}`)),
    })),
    lines: each('line.line', (k, metrics) => ({
      func: ofFuncs(`${k}.line.func`), file: c.ids(`${k}.line.file`), line: c.ids(`${k}.line.line`),
      series: c.ids(`${k}.line.series`), hits: c.maybe(`${k}.line.hits`),
      text: c.has(`${k}.line.text`) ? c.ids(`${k}.line.text`) : null,
      cost: metrics.map((_, m) => c.numbers(`${k}.line.m${m}`)), whole: metrics.map((_, m) => c.numbers(`${k}.line.whole${m}`)[0] ?? 0),
    })),
  };
  addGains(data);
  return data;
}

export function knownNodes({ tree, series, moments }: Data, profile: number): Int32Array {
  const marks = new Uint8Array(tree.n), lists = [...series, ...moments].filter(x => ('series' in x ? x.series : x).profile === profile).map(x => x.node);
  let count = 0;
  for (const node of lists) for (let i = 0; i < node.length; i++) marks[node[i]] = 1;
  for (let i = 0; i < marks.length; i++) count += marks[i];
  const out = new Int32Array(count);
  for (let i = 0, to = 0; i < marks.length; i++) if (marks[i]) out[to++] = i;
  return out;
}

/** What became of functions, as a server that compared them tells it. */
export interface Told {
  meta: { rule: string; status: string; runs: [number, number]; next: number };
  funcs: Data['funcs'];
  self: Int32Array;
  total: Int32Array;
}

export async function loadTold(packed: Uint8Array): Promise<Told> {
  const c = new Columns(await unpack(packed));
  return { meta: JSON.parse(new TextDecoder().decode(c.bytes('meta'))) as Told['meta'], funcs: readFuncs(c, readStrings(c)), self: c.ids('self'), total: c.ids('total') };
}
