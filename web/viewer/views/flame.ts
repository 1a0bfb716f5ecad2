// The flame graph: from the root up or down, or from the leaves.

import type { App } from '../app';
import type { Panel, Thing } from '../panel';
import { button, el, fill, select } from '../dom';
import type { Picture } from '../export';
import { Flame } from '../flame';
import type { Layer } from '../layers';
import { nodeAt, pathOf } from '../layers';
import { Legend } from '../legend';
import { why } from '../state';
import { canonical, columns, escapeCsv, fitName, plural } from '../text';

const LETTER = 7.3, BETWEEN = 4; // pixels of a letter, and letters between two steps of the way to a frame
const CRUMB = 36, SHORT = 10; // letters of a step at most, and of one that can still be read

export class FlameView implements Panel {
  readonly host = el('section', { class: 'view' });
  private crumbs = el('div', { class: 'crumbs', role: 'navigation', 'aria-label': 'Zoomed to' });
  private note = el('p', { class: 'note', 'aria-live': 'polite' });
  private key0: Legend;
  private resting = 0; // until what is in sight is kept
  private chart: Flame;
  private layer: Layer | null = null;
  private made = '';
  private scene: unknown = null;
  private trailOf: { layer: Layer | null; key: string } = { layer: null, key: '' };

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
        else if (app.state.part) this.moved(0, 1);
      },
      menu: (node, x, y) => app.menuFor(this.layer!.func(node), x, y, [['Zoom to it', () => this.chart.zoomTo(node)]]),
      moved: (from, to) => this.moved(from, to),
      laid: () => {
        this.key0.update();
        this.trail();
      },
    });
    this.key0 = new Legend(app, () => this.chart.inSight(app.data.funcs.n));
    this.host.append(this.crumbs, this.chart.host, this.note, this.key0.host);
  }

  update(): void {
    const { app } = this, s = app.state, lacks = why('flame', app.data);
    if (lacks) return fill(this.host, el('p', { class: 'lacks' }, lacks));
    const key = `${s.reverse}`;
    if (this.scene !== app.scene || this.made !== key) {
      this.layer = app.stacks(s.reverse);
      this.scene = app.scene;
      this.made = key;
      this.chart.set(this.layer, nodeAt(this.layer, s.zoom), s.part);
    }
    const empty = !(app.scene.width.at(0) > 0);
    this.note.hidden = !empty;
    this.note.textContent = !empty ? '' : s.filters.length || s.time || s.thread || s.event ? 'The filters leave nothing to draw.' : 'Everything costs 0: there is nothing to draw.';
    this.chart.up = !s.icicle;
    this.chart.byWeight = s.byWeight;
    this.chart.show(nodeAt(this.layer!, s.zoom), s.part);
    this.trail();
    this.key0.update();
    app.tell(this.thing(this.chart.selected));
  }

  /** The address keeps what is in sight, once the hand rests. */
  private moved(from: number, to: number): void {
    clearTimeout(this.resting);
    this.app.state = { ...this.app.state, part: to - from < 1 ? [from, to] : null };
    this.resting = setTimeout(() => this.app.keepAddress('quiet'), 150);
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
      parent: all.map(k => l.total(l.parent(node), k)), zoom: all.map(k => l.total(this.chart.zoom, k)), stack: l.stack(node), judged: l.of(node, 1),
    };
  }

  private rest(parent: number, more: number): Thing {
    const l = this.layer!, all = this.app.scene.costs.map((_, k) => k);
    const wide = new Set(this.chart.boxes().filter(b => b.node >= 0 && !b.more).map(b => b.node));
    const thin = Array.from(l.children(parent)).filter(c => !wide.has(c));
    return { func: 0, more, total: all.map(k => thin.reduce((sum, c) => sum + l.total(c, k), 0)), parent: all.map(k => l.total(parent, k)), judged: [0, 1] };
  }

  /** The way to the zoomed frame: of a long one the innermost frames, as many as can be read. */
  private trail(): void {
    const l = this.layer, path: number[] = [], width = this.crumbs.clientWidth || innerWidth;
    for (let n = l ? this.chart.zoom : 0; n; n = l!.parent(n)) path.push(n);
    const key = `${width} ${path.join()}`;
    if (this.trailOf.layer === l && this.trailOf.key === key) return;
    this.trailOf = { layer: l, key };
    this.crumbs.classList.toggle('deep', path.length > 0);
    const shown: Node[] = [];
    let left = Math.floor((width - 70) / LETTER);
    for (const n of path) {
      const name = this.app.name(l!.func(n)), room = Math.min(left - BETWEEN, shown.length ? CRUMB : Infinity), short = fitName(name, room);
      if (shown.length && (room < SHORT || (columns(short) < SHORT && short !== name))) break;
      left -= columns(short) + BETWEEN;
      shown.unshift(button(name, 'Zoom to ' + name, () => this.chart.zoomTo(n), {}, room));
    }
    const more = path.length - shown.length;
    fill(this.crumbs, button('all', 'Zoom out to all', () => this.chart.zoomTo(0)),
      more > 0 && button('\u2026', `Zoom to ${plural(more, 'frame', 'frames')} further out`, () => this.chart.zoomTo(path[shown.length])), ...shown);
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
    const l = this.layer!, k = this.app.main0, { shapes, height, widths } = this.chart.shapes(0, b => `${b.node ? this.app.data.funcs.name[l.func(b.node)] : 'all'} (${this.app.exact(l.total(b.node, k))}, ${this.app.share(l.total(b.node, k))})`, this.app.data.funcs.n);
    return { width: this.chart.width, height, boxes: shapes, words: [], widths };
  }

  print(on: boolean): void {
    this.chart.print(on);
    this.key0.draw();
  }

  csv(): string {
    const l = this.layer!, k = this.app.main0, name = (f: number) => (f ? this.app.data.funcs.name[f] : 'all');
    return 'depth,function,total,self\r\n' + this.chart.boxes().filter(b => b.node >= 0 && !b.more)
      .map(b => [b.row, escapeCsv(name(l.func(b.node))), canonical(this.app.metric, l.total(b.node, k)), canonical(this.app.metric, l.self(b.node, k))].join(',') + '\r\n').join('');
  }
}
