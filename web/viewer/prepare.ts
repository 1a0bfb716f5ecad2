// What can be done before anyone asks, in the moments when nothing else is to do.

import { wordsOf } from './colours';
import type { Data, Series } from './data';
import type { Filter } from './filters';
import { prepareCollapse } from './filters';
import { CalleesLayer, CallersLayer } from './layers';
import type { Scene } from './model';
import { Scenes } from './model';
import { Tree } from './tree';

const LARGE = 20000; // nodes: below that everything is quick anyway

/** Runs jobs one by one while the page is idle. */
export function whenIdle(jobs: (() => void)[]): void {
  const later = (run: () => void) => ('requestIdleCallback' in window ? void requestIdleCallback(run, { timeout: 2000 }) : void setTimeout(run, 50));
  const next = () => {
    jobs.shift()?.();
    if (jobs.length) later(next);
  };
  later(next);
}

/** A profile of the same shape as the real one, but small. */
function toy(data: Data): Data {
  const n = 6000, functions = 300, up = new Int32Array(n), func = data.tree.func.constructor === Uint16Array ? new Uint16Array(n) : new Int32Array(n), node = new Int32Array(n), cost = new Float64Array(n);
  let seed = 1, level = 0;
  const random = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
  for (let i = 1; i < n; i++) {
    up[i] = level ? random(Math.min(level + 1, 4)) : 0;
    level += 1 - up[i];
    func[i] = 1 + random(functions - 1);
    node[i] = i;
    cost[i] = random(3);
  }
  const name = Array.from({ length: functions }, (_, i) => 'f' + i), none = new Int32Array(functions);
  const series: Series[] = data.meta.profiles.map((p, k) => ({
    info: { event: '', process: '', thread: '', context: '', pid: -1, tid: -1, cpu: -1, calls: p.calls, time: false, trace: false },
    profile: k, index: 0, node, cost: p.metrics.map(() => cost), unseen: [], calls: p.calls ? cost : null, line: null,
  }));
  return {
    known: () => node, meta: data.meta, strings: [], series, funcs: { n: functions, name, file: name, module: name, line: none, flags: none, rank: Int32Array.from(none, (_, i) => i), sides: null },
    tree: new Tree(up, func, new Map()), moments: [], flat: [], edges: [], lines: [], sources: data.sources, ids: null, moved: null,
  };
}

/** Asks every kind of question of a small profile a few times, so that the browser has compiled the answers when it matters. */
function rehearse(data: Data): (() => void)[] {
  const small = toy(data), asked = (['focus', 'ignore', 'hide', 'show', 'show-from'] as const).map(kind => [kind, '[1-5]$'] as [Filter['kind'], string]);
  for (let i = 0; i < 4; i++) asked.push(['show', '[58]$']); // little is left
  const ask = (filters: Filter[]) => {
    const scene: Scene = new Scenes(small).of({ metric: data.meta.profiles[0].primary, event: '', thread: '', time: null, filters, normalize: filters.length > 1 });
    scene.flat().sorted('total', small.funcs);
    for (const layer of [new CallersLayer(scene, small.funcs.n), new CallersLayer(scene, small.funcs.n, 5), new CalleesLayer(scene, small.funcs.n, 0), new CalleesLayer(scene, small.funcs.n, 7)])
      for (let i = 0, list = [0]; i < list.length && i < 200; i++) for (let k = 0, c = layer.children(list[i]); k < c.length; k++) list.push(c[k]);
  };
  const jobs: (() => void)[] = [];
  for (let round = 0; round < 8; round++) for (const [kind, pattern] of asked) jobs.push(() => ask([{ kind, pattern }]));
  return jobs;
}

/** `colour` finds the colour of a function, which takes all of its name. */
export function prepare(data: Data, scenes: Scenes, scene: () => Scene, colour: (func: number) => string): void {
  if (data.tree.n < LARGE) return;
  const room = () => void scenes.prepare(), colours = Array.from({ length: Math.ceil(data.funcs.n / 4000) }, (_, part) => () => {
    for (let f = part * 4000, end = Math.min(data.funcs.n, f + 4000); f < end; f++) colour(f);
  });
  whenIdle([() => void data.tree.parent, room, room, () => void data.tree.byFunc, () => void scene().flat().sorted('total', data.funcs), () => void scene().ownBy(0), () => scenes.sumUp(), ...colours, () => void wordsOf(data, 'module'), ...prepareCollapse(data), ...rehearse(data)]);
}

/** Room for the next question, when the last one has taken what there was. */
export function prepareNext(data: Data, scenes: Scenes): void {
  const room = () => void scenes.prepare();
  if (data.tree.n >= LARGE) whenIdle([room, room]);
}
