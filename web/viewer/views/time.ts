// Stacks in the order of time.

import type { App, Panel } from '../app';
import { button, el, fill } from '../dom';
import { boxesSvg } from '../export';
import { threadKey } from '../model';
import { why } from '../state';
import { escapeCsv, shown, time } from '../text';
import { TimeChart } from '../timechart';

export class TimeView implements Panel {
  readonly host = el('section', { class: 'view' });
  private chart: TimeChart;

  constructor(private app: App) {
    const { tree } = app.data;
    this.chart = new TimeChart(tree, {
      label: f => app.name(f), colour: f => app.colour(f), match: f => !!app.hits?.[f], searching: () => !!app.hits, dark: () => app.dark,
    }, {
      hover: (node, text) => this.tell(node ?? this.chart.selected, text),
      select: node => this.tell(node, ''),
      menu: (node, x, y) => app.menuFor(tree.func[node], x, y),
      range: (from, to) => app.set({ time: [Math.round(from), Math.round(to)] }),
    });
    this.host.append(this.chart.host);
  }

  update(): void {
    const { app } = this, lacks = why('time', app.data), { thread, event } = app.state;
    if (lacks) return fill(this.host, el('p', { class: 'lacks' }, lacks));
    const list = app.data.moments.filter(m => (!thread || threadKey(m.series) === thread) && (!event || m.series.info.event === event));
    const titles = list.map(m => shown([app.compares ? app.data.meta.profiles[m.series.profile].file.replace(/^.*\//, '') : '', threadKey(m.series), m.series.info.event].filter(Boolean).join(' \u00b7 ') || (m.trace ? 'all calls' : 'all samples'), 120));
    const [whole, range] = app.timeRange();
    this.chart.set(list, titles, whole, range);
  }

  search(): void {
    this.chart.draw();
  }

  focus(): void {
    this.chart.focus();
  }

  private tell(node: number, note: string): void {
    const { app } = this, { tree } = app.data;
    if (!node) return app.tell(null);
    const stack: number[] = [];
    for (let n = node; n; n = tree.parent[n]) stack.push(tree.func[n]);
    app.tell({ func: tree.func[node], more: tree.more.get(node), total: app.scene.costs.map(c => c.total[node]), stack: stack.reverse(), note });
  }

  options(): Node[] {
    if (why('time', this.app.data)) return [];
    const { app } = this;
    return [
      el('span', { class: 'hint' }, 'drag to move, wheel to zoom, shift-drag to choose a range'),
      button('Use this range', 'Recompute every view for what is shown (Enter)', () => app.set({ time: [Math.round(this.chart.from), Math.round(this.chart.until)] })),
      button('All of time', 'Show everything (Home)', () => (app.state.time ? app.set({ time: null }) : this.chart.show(...app.timeRange()[0]))),
    ];
  }

  svg(): string {
    this.chart.paintNow();
    const { width, height } = this.chart.size, { tree, funcs } = this.app.data;
    return boxesSvg(this.app, width, height, this.chart.list().map(b => ({
      x: b.x, y: b.y, w: b.w, h: b.h, fill: this.app.colour(tree.func[b.node]), label: funcs.name[tree.func[b.node]] || '(more)',
      title: `${funcs.name[tree.func[b.node]] || '(more)'} (${time(Math.round(this.chart.timeAt(b.x + b.w) - this.chart.timeAt(b.x)))})`,
    })));
  }

  png(): Promise<Blob | null> {
    return this.chart.png();
  }

  print(on: boolean): void {
    this.chart.print(on);
  }

  csv(): string {
    this.chart.paintNow();
    const { tree, funcs } = this.app.data;
    return 'start_ns,end_ns,depth,function\r\n' + this.chart.list().map(b =>
      [Math.round(this.chart.timeAt(b.x)), Math.round(this.chart.timeAt(b.x + b.w)), tree.depth[b.node], escapeCsv(funcs.name[tree.func[b.node]] || '(more)')].join(',') + '\r\n').join('');
  }
}
