// The viewer of reports, fed by a server: a part at first, and what lies below when somebody looks there.

import type { Remote } from '../viewer/panel';
import { App } from '../viewer/app';
import type { Data, Flat, Lines, Metric } from '../viewer/data';
import { addFunc, loadPacked } from '../viewer/data';
import { el, fill } from '../viewer/dom';
import type { Call } from '../viewer/model';
import type { Runs } from '../viewer/noise';
import { bytes as sizeText, digits, shown, wantNames } from '../viewer/text';
import type { Params } from './api';
import { Refused, askBytes, askJson } from './api';
import { graft } from './graft';
import type { Question } from './question';
import { chooses, titleOf, wordsOf } from './question';
import { count, runsOf } from './runs';
import { runsTold } from './verdicts';

/** How data was asked for: which part, and of which content. */
interface Origin {
  parts: Params;
  stamp: string;
}

/** A page that was opened so many milliseconds ago shows what was there then. */
const SETTLED = 10000;

class Server implements Remote {
  readonly home = '/';
  readonly about: string;
  readonly verbs: boolean;
  private origins = new WeakMap<Data, Origin>();
  private runs: Promise<(number | null)[]> | null = null;

  constructor(private question: Question) {
    this.about = titleOf(question);
    this.verbs = !question.files.some(f => f.startsWith('dropped:'));
  }

  first(): Promise<Data> {
    return this.view([], null);
  }

  /** Everything, as far as it is sent at once. */
  private async view(parts: Params, like: Data | null): Promise<Data> {
    const [{ packed, stamp }] = await Promise.all([askBytes('view', [...this.question.params, ...parts]), this.runs ??= runsOf(this.question)]), data = await loadPacked(packed, like?.funcs);
    if (like && this.origins.get(like)?.stamp !== stamp) this.runs = runsOf(this.question); // profiles came in
    const runs = await this.runs;
    count(data, runs);
    this.origins.set(data, { parts, stamp });
    if (chooses(this.question) || runs.some(n => n !== null)) data.meta.title ||= this.about;
    if (this.verbs) data.meta.inputs = wordsOf(this.question);
    return data;
  }

  /** More of what some data is a part of. */
  private async piece(of: Data, which: [string, string]): Promise<Data> {
    const { parts, stamp } = this.origins.get(of)!;
    try {
      const { packed } = await askBytes('view', [...this.question.params, ...parts, which, ['stamp', stamp]]);
      return await loadPacked(packed, of.funcs);
    } catch (error) {
      if (error instanceof Refused && error.status === 409) location.reload();
      throw error;
    }
  }

  private same(data: Data, from: Data): Data {
    this.origins.set(data, this.origins.get(from)!);
    return data;
  }

  async more(data: Data, node: number): Promise<Data> {
    return this.same(graft(data, node, await this.piece(data, ['at', String(data.ids![node])])), data);
  }

  /** Part of what there is now: if that is not what the page was opened with, it is opened anew, but not again and again while profiles come in. */
  async filtered(parts: Params, like: Data): Promise<Data> {
    const data = await this.view(parts, like);
    if (this.origins.get(data)!.stamp !== this.origins.get(like)!.stamp && performance.now() > SETTLED) location.reload();
    return data;
  }

  async lines(data: Data, file: string): Promise<Data> {
    const part = await this.piece(data, ['lines', file]);
    let number = data.strings.indexOf(file);
    if (number < 0) number = data.strings.push(file) - 1;
    const text = (id: number) => data.strings.push(part.strings[id]) - 1;
    return this.same({ ...data, lines: data.lines.map((l, k) => l && part.lines[k] && linesWith(l, part.lines[k], number, text)) }, data);
  }

  /** As `callers` and `callees` have it. */
  async calls(func: number, metric: Metric, parts: Params, data: Data): Promise<{ callers: Call[]; callees: Call[] }> {
    const params: Params = [...this.question.params, ...parts, ['function', data.funcs.name[func]], ['metric', metric.name]], of = namesIn(data);
    const ask = async (verb: string) => {
      type Cost = { calls?: number; total: Record<string, number> };
      const { edges, from_outside } = await askJson<{ edges: (Cost & { name: string; file?: string })[]; from_outside?: Cost }>(verb, params);
      const call = (func: number, c: Cost): Call => ({ func, calls: [c.calls ?? 0], self: null, total: [raw(metric, c.total[metric.name] ?? 0)], sites: new Set() });
      return [...edges.map(e => call(of(e.name, e.file ?? ''), e)), ...(from_outside ? [call(0, from_outside)] : [])];
    };
    return { callers: await ask('callers'), callees: await ask('callees') };
  }

  async matching(pattern: string, metric: Metric, parts: Params): Promise<number> {
    const top = await askJson<{ total: number }>('top', [...this.question.params, ...parts, ['focus', pattern], ['metric', metric.name], ['n', '1']]);
    return raw(metric, top.total);
  }

  verdicts(parts: Params, metric: Metric, normalize: boolean, data: Data, stop: AbortSignal): Promise<Runs> {
    const asked = this.question.params.filter(([key]) => key !== 'metric' && key !== 'source');
    return runsTold([...asked, ...parts, ['metric', metric.name], ...(normalize ? [['normalize', 'total'] as [string, string]] : [])], data, stop);
  }

  /** Page by page: the server says how many there are. */
  async functions(data: Data): Promise<Data> {
    const most = Math.max(...data.meta.profiles.map(p => p.functions)), flat: (Flat | null)[] = data.flat.map(() => null);
    for (let from = 0; from < most;) {
      const part = await this.piece(data, ['functions', String(from)]);
      part.flat.forEach((f, k) => (flat[k] = f && joined(flat[k], f)));
      const { functionsTo = 0 } = part.meta as { functionsTo?: number };
      if (functionsTo <= from) break;
      from = functionsTo;
    }
    return this.same({ ...data, flat: flat.map((f, k) => f ?? data.flat[k]), meta: { ...data.meta, cut: { ...data.meta.cut, functions: 0 } } }, data);
  }
}

/** Lines with those of one file as they came. */
function linesWith(old: Lines, added: Lines, file: number, text: (id: number) => number): Lines {
  const kept: number[] = [];
  old.file.forEach((f, i) => f !== file && kept.push(i));
  const ids = (a: Int32Array, b: Int32Array) => Int32Array.from([...kept.map(i => a[i] ?? 0), ...b]), numbers = (a: Float64Array, b: Float64Array) => Float64Array.from([...kept.map(i => a[i]), ...b]);
  return {
    func: ids(old.func, added.func), file: ids(old.file, added.file.map(() => file)), line: ids(old.line, added.line), series: ids(old.series, added.series), hits: old.hits && added.hits && numbers(old.hits, added.hits),
    text: old.text && added.text && ids(old.text, added.text.map(text)), cost: old.cost.map((c, m) => numbers(c, added.cost[m])), whole: old.whole,
  };
}

/** A value of the command line, which is in the canonical unit, as tables have it. */
const raw = (m: Metric, v: number) => (v / m.num) * m.den * 10 ** m.scale;

/** Finds functions by name and file; those that nobody sent yet are added. */
function namesIn({ funcs }: Data): (name: string, file: string) => number {
  const at = new Map<string, number>();
  for (let i = funcs.n - 1; i > 0; i--) {
    at.set(JSON.stringify([funcs.name[i], funcs.file[i]]), i);
    at.set(funcs.name[i], i);
  }
  return (name, file) => at.get(JSON.stringify([name, file])) ?? at.get(name) ?? addFunc(funcs, name, file);
}

function joined(a: Flat | null, b: Flat): Flat {
  if (!a) return b;
  const numbers = (x: Float64Array, y: Float64Array) => Float64Array.from([...x, ...y]);
  return {
    func: Int32Array.from([...a.func, ...b.func]), calls: a.calls && b.calls && numbers(a.calls, b.calls),
    self: a.self.map((c, m) => numbers(c, b.self[m])), total: a.total.map((c, m) => numbers(c, b.total[m])),
  };
}

/** Tells how far reading is, until it is over. */
function progress(question: Question, host: HTMLElement): () => void {
  const bar = el('progress', { 'aria-label': 'Reading', max: 1 }), text = el('p', { role: 'status' }, 'Reading\u2026');
  fill(host, el('h1', {}, shown(titleOf(question), 200)), bar, text);
  let over = false;
  const ask = async () => {
    if (over) return;
    try {
      const at = await askJson<{ done: number; total: number; files?: boolean }>('progress', question.params);
      if (over) return;
      if (at.total > 0) bar.value = at.done / at.total;
      if (at.total > 0) text.textContent = at.files ? `${digits(at.done)} of ${digits(at.total)} profiles` : `${sizeText(at.done)} of ${sizeText(at.total)}`;
    } catch { /* it is not essential */ }
    setTimeout(() => void ask(), 300);
  };
  const first = setTimeout(() => void ask(), 150);
  return () => {
    over = true;
    clearTimeout(first);
    host.remove();
  };
}

/** Goes down as far as the address is zoomed, which may be further than the first part reaches. */
async function reach(server: Server, first: Data): Promise<Data> {
  const names = new URLSearchParams(location.hash.slice(1)), path = names.get('reverse') === '1' ? [] : names.getAll('zoom');
  let data = first;
  for (let steps = 0; steps < 12; steps++) {
    const { tree, funcs } = data;
    let node = 0, depth = 0, thin = 0;
    for (; depth < path.length; depth++) {
      let next = 0;
      for (let c = node + 1; c < tree.end[node] && !next; c = tree.end[c]) if (tree.func[c] && funcs.name[tree.func[c]] === path[depth]) next = c;
      if (!next) break;
      node = next;
    }
    for (let c = node + 1; c < tree.end[node]; c = tree.end[c]) if (tree.more.has(c)) thin = c;
    if (depth === path.length || !thin) break;
    data = await server.more(data, node);
  }
  return data;
}

export async function openViewer(question: Question): Promise<void> {
  const began = performance.now(), host = el('main', { class: 'loading' }), server = new Server(question);
  document.body.append(host);
  const done = progress(question, host);
  try {
    const data = await reach(server, await server.first());
    done();
    wantNames(data.meta.names);
    new App(data, server);
    document.documentElement.dataset.nodes = String(data.tree.n);
    document.documentElement.dataset.ready = (performance.now() - began).toFixed(0);
  } catch (error) {
    done();
    throw error;
  }
}
