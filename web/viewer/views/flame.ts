// The flame graph: from the root up or down, or from the leaves.

import type { App } from '../app';
import type { Panel, Thing } from '../panel';
import { button, el, fill, select } from '../dom';
import type { Picture } from '../export';
import { Flame } from '../flame';
import type { Layer } from '../layers';
import { nodeAt, pathOf, stacksLayer } from '../layers';
import { why } from '../state';
import { canonical, escapeCsv } from '../text';

export class FlameView implements Panel {
  readonly host = el('section', { class: 'view' });
  private crumbs = el('div', { class: 'crumbs', role: 'navigation', 'aria-label': 'Zoomed to' });
  private note = el('p', { class: 'note', role: 'status' });
  private key0 = el('div', { class: 'legends' });
  private chart: Flame;
  private layer: Layer | null = null;
  private made = '';
  private scene: unknown = null;

  constructor(private app: App) {
    this.chart = new Flame('Flame graph', {
      funcs: app.data.funcs,
      label: n => (n ? app.name(this.layer!.func(n)) : 'all'),
      colour: n => (n ? app.frameColour(this.layer!, n) : app.dark ? '#4a4b55' : '#d5d5dc'),
      match: n => !!n && !!app.hits?.[this.layer!.func(n)],
      searching: () => !!app.hits,
      dark: () => app.dark,
    }, {
      hover: (node, box, x, y) => app.hover(x, y, node === null ? null : box && box.node < 0 ? this.rest(-1 - box.node, box.more) : this.thing(node)),
      select: node => app.tell(this.thing(node)),
      zoomed: node => {
        if (this.layer!.more(node) && app.partial && this.layer!.plain) {
          app.deepen(this.layer!.parent(node), true);
          node = this.layer!.parent(node);
        }
        const zoom = pathOf(this.layer!, node);
        if (zoom.join() !== app.state.zoom.join()) app.set({ zoom });
      },
      menu: (node, x, y) => app.menuFor(this.layer!.func(node), x, y, [['Zoom to it', () => this.chart.zoomTo(node)]]),
    });
    this.host.append(this.crumbs, this.chart.host, this.note, this.key0);
  }

  update(): void {
    const { app } = this, s = app.state, lacks = why('flame', app.data);
    if (lacks) return fill(this.host, el('p', { class: 'lacks' }, lacks));
    const key = `${s.reverse}`;
    if (this.scene !== app.scene || this.made !== key) {
      this.layer = stacksLayer(app.scene, app.data.funcs.n, s.reverse);
      this.scene = app.scene;
      this.made = key;
      this.chart.set(this.layer, nodeAt(this.layer, s.zoom));
    }
    const empty = !(app.scene.width.at(0) > 0);
    this.note.hidden = !empty;
    this.note.textContent = !empty ? '' : s.filters.length || s.time || s.thread || s.event ? 'The filters leave nothing to draw.' : 'Everything costs 0: there is nothing to draw.';
    this.chart.up = !s.icicle;
    this.chart.byWeight = s.byWeight;
    const zoom = nodeAt(this.layer!, s.zoom);
    if (this.chart.zoom !== zoom) this.chart.zoom = this.chart.selected = zoom;
    this.chart.relayout();
    this.trail();
    app.tell(this.thing(this.chart.selected));
    app.drawLegend(this.key0, () => this.chart.inSight(app.data.funcs.n));
  }

  press(e: KeyboardEvent): void {
    this.chart.key(e);
    this.chart.focus();
  }

  search(): void {
    this.chart.draw();
  }

  focus(): void {
    this.chart.focus();
  }

  private thing(node: number): Thing | null {
    const l = this.layer, all = this.app.scene.costs.map((_, k) => k);
    if (!l || !node) return null;
    return {
      func: l.func(node), more: l.more(node), total: all.map(k => l.total(node, k)), self: all.map(k => l.self(node, k)), calls: l.calls(node),
      parent: all.map(k => l.total(l.parent(node), k)), zoom: all.map(k => l.total(this.chart.zoom, k)), stack: l.stack(node),
    };
  }

  private rest(parent: number, more: number): Thing {
    const l = this.layer!, all = this.app.scene.costs.map((_, k) => k);
    const wide = new Set(this.chart.boxes().filter(b => b.node >= 0 && !b.more).map(b => b.node));
    const thin = Array.from(l.children(parent)).filter(c => !wide.has(c));
    return { func: 0, more, total: all.map(k => thin.reduce((sum, c) => sum + l.total(c, k), 0)), parent: all.map(k => l.total(parent, k)) };
  }

  private trail(): void {
    const l = this.layer!, path: number[] = [];
    for (let n = this.chart.zoom; n; n = l.parent(n)) path.push(n);
    this.crumbs.classList.toggle('deep', path.length > 0);
    fill(this.crumbs, button('all', 'Zoom out to all', () => this.chart.zoomTo(0)),
      ...path.reverse().slice(-8).map(n => button(this.app.name(l.func(n)), 'Zoom to ' + this.app.name(l.func(n)), () => this.chart.zoomTo(n), {}, 40)));
  }

  /** The next frame that the search finds, in the order of the picture. */
  step(by: number): void {
    const found = this.chart.boxes().filter(b => b.node > 0 && !b.more && this.app.hits?.[this.layer!.func(b.node)]).sort((a, b) => a.x - b.x || a.row - b.row);
    if (!found.length) return;
    const at = found.findIndex(b => b.node === this.chart.selected);
    this.chart.choose(found[at < 0 ? (by > 0 ? 0 : found.length - 1) : (at + by + found.length) % found.length].node);
    this.app.tell(this.thing(this.chart.selected));
  }

  options(): Node[] {
    const { app } = this, s = app.state, toggle = (label: string, title: string, on: boolean, run: () => void) => button(label, title, run, { 'aria-pressed': String(on), class: 'toggle' });
    if (why('flame', app.data)) return [];
    return [
      toggle('Icicle', 'The whole on top (i)', s.icicle, () => app.set({ icicle: !s.icicle })),
      toggle('Reverse', 'From the leaves: who calls what is costly (r)', s.reverse, () => app.set({ reverse: !s.reverse, zoom: [] })),
      toggle('By weight', 'The widest first (w)', s.byWeight, () => app.set({ byWeight: !s.byWeight })),
      ...(app.compares ? [
        select('Change of', [['self', 'self'], ['total', 'total']], s.change, v => app.set({ change: v as 'self' | 'total' })),
        toggle('Same size', 'Scale the second profile to the size of the first', s.normalize, () => app.set({ normalize: !s.normalize })),
      ] : [app.colourSelect()]),
      ...(s.zoom.length ? [button('Reset zoom', 'Zoom out to all (Escape)', () => this.chart.zoomTo(0))] : []),
    ];
  }

  picture(): Picture {
    const l = this.layer!, k = this.app.main0, { shapes, height } = this.chart.shapes(0, b => `${b.node ? this.app.data.funcs.name[l.func(b.node)] : 'all'} (${this.app.exact(l.total(b.node, k))}, ${this.app.share(l.total(b.node, k))})`);
    return { width: this.chart.width, height, boxes: shapes, words: [] };
  }

  print(on: boolean): void {
    this.chart.print(on);
  }

  csv(): string {
    const l = this.layer!, k = this.app.main0, name = (f: number) => (f ? this.app.data.funcs.name[f] : 'all');
    return 'depth,function,total,self\r\n' + this.chart.boxes().filter(b => b.node >= 0 && !b.more)
      .map(b => [b.row, escapeCsv(name(l.func(b.node))), canonical(this.app.metric, l.total(b.node, k)), canonical(this.app.metric, l.self(b.node, k))].join(',') + '\r\n').join('');
  }
}
