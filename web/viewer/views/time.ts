// Stacks in the order of time.

import type { App } from '../app';
import type { Panel, Thing } from '../panel';
import type { Metric } from '../data';
import { button, el, fill } from '../dom';
import type { Picture } from '../export';
import { Legend } from '../legend';
import { sampleEnds, threadKey } from '../model';
import { why } from '../state';
import { escapeCsv, plural, shown, time } from '../text';
import type { TimeBox } from '../timechart';
import { TimeChart } from '../timechart';

/** Whether what was recorded has no length, as allocations: boxes are marks then (src/analysis/cover.c). */
const instants = (metrics: Metric[]) => metrics.every(m => m.unit === 'bytes' || m.unit === 'count');

const length = ({ start, end }: { start: number; end: number }) => time(Math.round(end - start));

export class TimeView implements Panel {
  readonly host = el('section', { class: 'view' });
  private chart: TimeChart;
  private resting = 0; // until what is in sight is kept
  private key0: Legend;
  private note = el('p', { class: 'note', hidden: true });

  constructor(private app: App) {
    this.chart = new TimeChart(() => app.data.tree, {
      label: f => app.name(f), colour: f => app.colour(f), match: f => !!app.hits?.[f], searching: () => !!app.hits, dark: () => app.dark,
    }, {
      hover: (box, x, y) => app.hover(x, y, box && this.thing(box)),
      select: box => app.tell(this.thing(box)),
      moved: (from, until) => this.moved(from, until),
      menu: (node, x, y) => app.menuFor(app.data.tree.func[node], x, y),
      range: (from, to) => app.set({ time: [Math.round(from), Math.round(to)], window: null }),
      painted: () => this.key0.update(),
    });
    this.key0 = new Legend(app, () => this.chart.inSight(app.data.funcs.n), true);
    this.host.append(this.note, this.chart.host, this.key0.host);
  }

  update(): void {
    const { app } = this, lacks = why('time', app.data), { thread, event } = app.state;
    if (lacks) return fill(this.host, el('p', { class: 'lacks' }, lacks));
    const list = app.data.moments.filter(m => (!thread || threadKey(m.series) === thread) && (!event || m.series.info.event === event));
    if (!app.compares) list.sort((a, b) => b.n - a.n); // the busiest thread first
    const titles = list.map(m => shown([app.compares ? app.data.meta.profiles[m.series.profile].file.replace(/^.*\//, '') : '', threadKey(m.series), m.series.info.event].filter(Boolean).join(' \u00b7 ') || (m.trace ? 'all calls' : 'all samples'), 120));
    this.note.hidden = !app.state.filters.length;
    this.note.textContent = this.note.hidden ? '' : `${plural(app.state.filters.length, 'filter does', 'filters do')} not apply to the order of time: all calls are shown.`;
    const [whole, range] = app.timeRange(), { window } = app.state, inside = window && (!range || (window[0] >= range[0] && window[1] <= range[1]));
    this.chart.up = !app.state.icicle;
    this.chart.set(list.map((moments, i) => ({ moments, title: titles.indexOf(titles[i]) < i ? `${titles[i]} (${i + 1})` : titles[i], ends: sampleEnds(moments) })), whole, inside ? window : range);
  }

  /** The address keeps what is in sight, once the hand rests. */
  private moved(from: number, until: number): void {
    const { app } = this, [whole, range] = app.timeRange(), [first, last] = range ?? whole;
    app.inSight([from, until]);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      const all = from <= first && until >= last;
      app.state = { ...app.state, window: all ? null : [Math.floor(from), Math.ceil(until)] };
      app.keepAddress('quiet');
    }, 150);
  }


  search(): void {
    this.chart.draw();
  }

  focus(): void {
    this.chart.focus();
  }

  press(e: KeyboardEvent): void {
    this.chart.key(e);
    this.chart.focus();
  }

  /** A box is one call: when it began and how long it took, then what all calls like it cost. */
  private thing(box: TimeBox): Thing {
    const { app } = this, { tree } = app.data, { node } = box, stack: number[] = [], { start, end, samples } = this.chart.activation(box);
    for (let n = node; n; n = tree.parent[n]) stack.push(tree.func[n]);
    const { costs } = app.seen, instant = samples && instants(app.data.meta.profiles[0].metrics);
    const own = `at ${time(Math.round(start))}` + (instant ? '' : ` for ${time(Math.round(end - start))}`) + (samples ? `, ${plural(samples, instant ? 'event' : 'sample', instant ? 'events' : 'samples')}` : '');
    return { func: tree.func[node], more: tree.more.get(node), total: costs.map(c => c.total.at(node)), calls: costs[app.main0].calls?.[node] ?? null, stack: stack.reverse(), own };
  }

  /** The threads, to fold and to find. */
  private threads(): Node | null {
    const { titles } = this.chart, threads = new Set(this.app.data.moments.map(m => threadKey(m.series))).size;
    if (titles.length < 2) return null;
    const list = el('ul', {});
    return el('details', { class: 'threads', ontoggle: () => list.childElementCount || fill(list, ...this.threadRows(titles)) }, el('summary', {}, threads === titles.length || this.app.compares ? plural(titles.length, 'thread', 'threads') : `${plural(threads, 'thread', 'threads')}, ${plural(titles.length, 'lane', 'lanes')}`), list);
  }

  private threadRows(titles: string[]): Node[] {
    return titles.map(title => {
      const box = el('input', { type: 'checkbox', 'aria-label': `Unfold ${title}`, onchange: () => this.chart.fold(title, !box.checked) });
      box.checked = !this.chart.isFolded(title);
      return el('li', {}, box, button(title, `Go to ${title}`, () => {
        box.checked = true;
        this.chart.reveal(title);
      }));
    });
  }

  options(): Node[] {
    if (why('time', this.app.data)) return [];
    const { app } = this;
    return [
      button('Icicle', 'The outermost call on top (i)', () => app.set({ icicle: !app.state.icicle }), { 'aria-pressed': String(app.state.icicle), class: 'toggle' }),
      app.colourSelect(),
      ...[this.threads()].filter((n): n is Node => !!n),
      el('span', { class: 'hint' }, 'wheel zooms, drag moves, Shift+drag chooses a range'),
      button('Use range', 'Use range: recompute every view for what is shown (Enter)', () => app.set({ time: [Math.round(this.chart.from), Math.round(this.chart.until)], window: null })),
      button('All of time', 'Show everything (Home)', () => (app.state.time ? app.set({ time: null, window: null }) : this.chart.show(...app.timeRange()[0]))),
    ];
  }

  picture(): Picture {
    const { tree, funcs } = this.app.data, { boxes, words, height } = this.chart.everything(), calls = this.chart.activations(boxes);
    return {
      width: this.chart.width, height, words, widths: this.chart.inSight(this.app.data.funcs.n, boxes),
      boxes: boxes.map(b => ({
        x: b.x, y: b.y, w: b.w, h: b.h, fill: this.app.colour(tree.func[b.node]), label: funcs.name[tree.func[b.node]] || '(more)',
        title: `${funcs.name[tree.func[b.node]] || '(more)'} (${length(calls.get(b)!)})`,
      })),
    };
  }

  print(on: boolean): void {
    this.chart.print(on);
    this.key0.draw();
  }

  csv(): string {
    const { tree, funcs } = this.app.data, { boxes } = this.chart.everything(), calls = this.chart.activations(boxes);
    return 'start_ns,end_ns,depth,function\r\n' + boxes.map(b => [b, calls.get(b)!] as const).map(([b, { start, end }]) =>
      [Math.round(start), Math.round(end), tree.depth[b.node], escapeCsv(funcs.name[tree.func[b.node]] || '(more)')].join(',') + '\r\n').join('');
  }
}
