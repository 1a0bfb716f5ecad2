// Two profiles compared: what became of each function, and of what is drawn of it.
//
// The page has sums and means, which tell how far samples err, not how far runs differ. A server that has the runs is asked once the
// first picture is there; until it answers the rule for samples holds, and is named as such.

import type { App } from './app';
import { changeColour } from './colours';
import type { Layer } from './layers';
import type { Scene } from './model';
import type { Runs } from './noise';
import { Noise } from './noise';
import type { Thing } from './panel';
import { shown } from './text';

const KEPT = 8; // answers
const WAITING = 'until the server has compared the runs one by one';

export class Compared {
  private known = new Map<string, Runs | string>(); // by question: the answer, or why there is none
  private asking: { question: string; stop: AbortController } | null = null;
  private made: { noise: Noise; largest: number; scene: Scene; change: string; runs: Runs | string | undefined } | null = null;

  constructor(private app: App) {}

  /** What has to be asked; null where nobody knows more than the page. */
  private get question(): string | null {
    const { app } = this, { metric, normalize, time } = app.state;
    if (!app.compares || !app.remote?.verbs || time || !(normalize || app.data.meta.profiles.some(p => p.means))) return null;
    return JSON.stringify([app.parts, metric, normalize]);
  }

  /** Asks about what is looked at now, unless that is known, when the page has drawn it. */
  ask(): void {
    const { question } = this;
    if (this.asking?.question === question) return;
    this.asking?.stop.abort(); // nobody looks at that any more
    this.asking = null;
    if (question === null || this.known.has(question)) return;
    const asking = (this.asking = { question, stop: new AbortController() });
    requestAnimationFrame(() => setTimeout(() => void this.take(asking)));
  }

  private async take(asking: NonNullable<Compared['asking']>): Promise<void> {
    const { app } = this, { question, stop } = asking, m = app.data.meta.profiles[0].metrics[app.state.metric];
    if (this.asking !== asking || !m) return;
    const found = await app.wait(app.remote!.verdicts(app.parts, m, app.state.normalize, app.data, stop.signal).catch((error: unknown) => `the runs were not compared: ${shown(error instanceof Error ? error.message : String(error), 300)}`));
    if (this.asking !== asking) return;
    this.asking = null;
    this.known.set(question, found);
    for (const oldest of this.known.keys()) if (this.known.size > KEPT) this.known.delete(oldest);
    app.judged();
  }

  /** Tells noise from change, for what is chosen. */
  get noise(): Noise {
    return this.now.noise;
  }

  private get now(): NonNullable<Compared['made']> {
    const { app, question } = this, { scene, state: { change } } = app, runs = question === null ? undefined : this.known.get(question) ?? WAITING;
    if (this.made?.scene === scene && this.made.runs === runs && this.made.change === change) return this.made;
    const noise = new Noise(app.data, app.metric, app.state.metric, scene.scale, Math.max(...scene.whole.map(Math.abs)), typeof runs === 'object' ? runs : null, typeof runs === 'string' ? runs : '');
    return (this.made = { noise, largest: this.largest(noise), scene, change, runs });
  }

  /** The largest change of a box, whose colour is the strongest. */
  private largest(noise: Noise): number {
    const { scene, state, compares } = this.app, { tree } = scene, which = state.change === 'self' ? 0 : 1;
    let largest = 0;
    if (!compares) return 0;
    const [a, b] = scene.costs, own = which ? [a.total, b.total] : [a.self, b.self];
    for (let i = 1; i < tree.n; i++) {
      const before = own[0].at(i), after = own[1].at(i), size = Math.abs(after - before);
      if (size > largest && noise.real(before, after, [tree.func[i], which])) largest = size;
    }
    return largest;
  }

  /** The colour of a box. */
  colour(layer: Layer, node: number): string {
    const { noise, largest } = this.now, self = this.app.state.change === 'self', of = layer.of(node, self ? 0 : 1);
    const what = self ? noise.real(layer.self(node, 0), layer.self(node, 1), of) : noise.real(layer.total(node, 0), layer.total(node, 1), of);
    return changeColour(what, largest, this.app.dark);
  }

  /** What became of what is pointed at, by all that it costs. */
  verdict(thing: Thing | null, [before, after]: number[]): string {
    const { noise } = this, judged = thing?.judged;
    if (!thing) return noise.judgeWhole(before, after);
    if (judged === 'function') return noise.verdicts(thing.func, thing.self ?? [before, after], [before, after], this.app.plain)[1] ?? 'of which the runs tell nothing';
    return judged ? noise.judgePart(before, after, judged) : noise.judge(before, after);
  }
}
