// A flame graph on a canvas. Boxes are laid out for the width at hand, from the zoomed frame on; what is thinner than
// a fraction of a pixel stands together as one grey block, so that widths add up. Only what is in sight is painted.

import { inkOn } from './colours';
import { el } from './dom';
import type { Shape } from './export';
import type { Layer } from './layers';
import { hands } from './hands';
import { Slivers, blend, pixel } from './slivers';
import { fitLabel } from './text';

export const ROW = 18;
const THIN = 0.5;
const SLIVER = 8; // pixels: a box without room for a label
const SLICE = 5, NEXT = 14, LATER = 250; // ms: what may be unfolded before a first answer is drawn, at a time after it, and before another is drawn
const FONT = '11px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

export interface Box {
  node: number; // -1 - parent for sums of thin children
  row: number;
  x: number;
  w: number;
  more: number;
}

export interface FlameStyle {
  funcs: { rank: Int32Array }; // of functions, by name
  label(node: number): string;
  colour(node: number): string;
  match(node: number): boolean; // does a search find it
  searching(): boolean;
  dark(): boolean;
}

export interface FlameEvents {
  /** The pointer is over a box, or over none; where it is. */
  hover(node: number | null, box: Box | null, x: number, y: number): void;
  select(node: number): void;
  zoomed(node: number): void;
  menu(node: number, x: number, y: number): void;
  /** Another part of the zoomed frame is in sight, in shares of it. */
  moved?(from: number, to: number): void;
  /** Boxes were made anew, all of them. */
  laid?(): void;
}

const GLANCE = 4000; // steps, which take a fraction of a millisecond

/** Whether it is late. To look at the clock for each of thousands of boxes would take longer than many of them do: `effort` tells when it is worth it. */
function watch(until: number): (effort: number) => boolean {
  let left = 0, late = false;
  return effort => {
    if (!late && (left -= effort + 40) < 0) {
      late = performance.now() > until;
      left = GLANCE;
    }
    return late;
  };
}

export class Flame {
  readonly host: HTMLElement;
  private canvas: HTMLCanvasElement;
  private spacer: HTMLElement;
  private layer: Layer | null = null;
  private rows: Box[][] = [];
  private letter = 0;
  private frame = 0;
  private stale = true;
  private laidOut = 0; // the width for which boxes are
  private painted = 0; // the height that was painted, and from where
  private paintedAt = 0;
  private hovered: Box | null = null;
  private wide: number[] = [];
  private wantBottom = true;
  private unfolding = 0; // the timer, while what is shown is not all there is to show
  zoom = 0;
  selected = 0;
  up = false; // the whole at the bottom
  byWeight = false;
  private slivers = new Slivers();
  fits = false; // take no more room than there are rows
  tallest = 0; // the same, and no more than this
  private zoomRow = 0; // where the zoomed frame stands
  private window: [number, number] = [0, 1]; // the part of the zoomed frame that is in sight

  constructor(label: string, private style: FlameStyle, private events: FlameEvents) {
    this.canvas = el('canvas', { tabindex: 0, role: 'img', 'aria-label': label, 'aria-describedby': 'details' });
    this.spacer = el('div', { class: 'spacer' });
    this.host = el('div', { class: 'flame' }, this.canvas, this.spacer);
    this.host.addEventListener('scroll', () => {
      if (this.host.scrollTop !== this.paintedAt) this.draw();
    });
    new ResizeObserver(() => {
      if (this.host.clientWidth !== this.laidOut) this.stale = true;
      if (this.stale || this.host.clientHeight !== this.painted) this.draw();
    }).observe(this.host);
    this.listen();
  }

  set(layer: Layer | null, zoom = 0, part: [number, number] | null = null): void {
    this.layer = layer;
    this.window = part ?? [0, 1];
    this.zoom = zoom;
    this.selected = zoom;
    this.hovered = null;
    this.wantBottom = true;
    this.relayout();
  }

  relayout(): void {
    this.stale = true;
    this.draw();
  }

  draw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  /** Paints at once, for exports and measurements. */
  paintNow(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.paint();
  }

  zoomTo(node: number): void {
    if (!this.layer || this.layer.more(node)) return;
    this.window = [0, 1];
    this.zoom = node;
    this.selected = node;
    this.wantBottom = true;
    this.host.scrollTop = 0;
    this.relayout();
    this.events.zoomed(node);
  }

  choose(node: number, reveal = true): void {
    this.selected = node;
    this.events.select(node);
    if (reveal && !this.find(node)) {
      this.window = [0, 1];
      this.zoom = this.layer?.parent(node) ?? 0;
      this.relayout();
      this.events.zoomed(this.zoom);
    }
    this.reveal(node);
    this.draw();
  }

  boxes(): Box[] {
    if (this.stale) this.layout();
    return this.rows.flat();
  }

  /** Zooms and shows a part of that frame, because the page says so. */
  show(zoom: number, part: [number, number] | null): void {
    if (this.zoom !== zoom) this.zoom = this.selected = zoom;
    this.window = part ?? [0, 1];
    this.relayout();
  }

  /** By function, how wide its boxes are, as far as they are in sight. */
  inSight(functions: number): Float64Array {
    const out = new Float64Array(functions), { layer } = this;
    if (!layer) return out;
    for (const b of this.boxes()) {
      const wide = Math.min(this.laidOut, b.x + b.w) - Math.max(0, b.x);
      if (b.node > 0 && !b.more && wide > 0) out[layer.func(b.node)] += wide;
    }
    return out;
  }

  get width(): number {
    return this.host.clientWidth;
  }

  /** All boxes below the zoomed frame, whatever part of them is in sight: as shapes `from` pixels down, and how tall they are. */
  shapes(from: number, title: (box: Box) => string, functions: number): { shapes: Shape[]; height: number; widths: Float64Array } {
    const { window, style } = this, dark = style.dark();
    this.window = [0, 1];
    this.layout(Infinity);
    const widths = this.inSight(functions), height = this.rows.length * ROW, shapes = this.rows.flat().map(b => ({
      x: b.x, y: from + (this.up ? height - (b.row + 1) * ROW : b.row * ROW), w: b.w, h: ROW - 1, fill: b.node < 0 || b.more ? (dark ? '#3d3e47' : '#c9c9d1') : style.colour(b.node),
      label: b.more ? `(${b.more} more)` : style.label(b.node), title: b.more ? `(${b.more} more)` : title(b),
    }));
    this.window = window;
    this.relayout();
    return { shapes, height, widths };
  }

  /** As tall as all its rows, for paper; or as it was. */
  print(on: boolean): void {
    if (this.stale) this.layout();
    this.host.style.height = on ? Math.min(this.rows.length * ROW, 3000) + 'px' : '';
    this.paintNow();
  }

  focus(): void {
    this.canvas.focus({ preventScroll: true });
  }

  // ---- layout ----

  private layout(patience = SLICE): void {
    const layer = this.layer, width = this.host.clientWidth;
    clearTimeout(this.unfolding);
    this.rows = [];
    this.hovered = null; // boxes are made anew
    this.stale = false;
    this.laidOut = width;
    if (!layer || width <= 0) return;
    const above: number[] = [];
    for (let n = this.zoom; n; n = layer.parent(n)) above.push(n);
    above.push(0);
    above.reverse();
    this.zoomRow = above.length - 1;
    above.forEach((node, row) => this.rows.push([{ node, row, x: 0, w: width, more: 0 }]));
    const whole = layer.width(this.zoom);
    if (!(whole > 0)) return this.events.laid?.();
    const [from, to] = this.window, scale = width / (whole * (to - from)), queue = [this.rows[this.zoomRow][0]], until = performance.now() + patience;
    const folded: number[] = [];
    queue[0].x = -from * whole * scale;
    queue[0].w = whole * scale;
    // Row by row: when time is up, the rest is unfolded later.
    const late = watch(until);
    for (let i = 0; i < queue.length; i++) {
      const effort = layer.effort(queue[i].node);
      if (effort > 0 && late(effort)) folded.push(queue[i].node);
      else this.children(layer, queue[i], scale, queue);
    }
    if (folded.length) this.unfoldLater(layer, folded, THIN / scale, performance.now() + LATER);
    else this.events.laid?.();
  }

  /** Unfolds what the last picture lacks, a bit at a time; drawn again when there is nothing left, or after a while. */
  private unfoldLater(layer: Layer, folded: number[], thin: number, drawAt: number): void {
    this.unfolding = setTimeout(() => {
      const late = watch(performance.now() + NEXT);
      let i = 0;
      for (; i < folded.length && !late(layer.effort(folded[i])); i++) {
        const kids = layer.children(folded[i]);
        for (let k = 0; k < kids.length; k++) if (layer.width(kids[k]) >= thin && layer.func(kids[k])) folded.push(kids[k]);
      }
      if (i < folded.length && performance.now() < drawAt) this.unfoldLater(layer, folded.slice(i), thin, drawAt);
      else this.relayout();
    }, 0);
  }

  private children(layer: Layer, parent: Box, scale: number, queue: Box[]): void {
    const wide = this.wide, row = parent.row + 1, plain = layer.plain;
    let x = parent.x, thin = 0, rest = 0, only = -1;
    wide.length = 0;
    if (plain) {
      // The tree itself: no lists of children are made for the million nodes that are too thin anyway.
      const { end, func } = plain.tree, { width } = plain, last = end[parent.node];
      for (let c = parent.node + 1; c < last; c = end[c]) {
        const w = width.at(c) * scale;
        if (w >= THIN && (func[c] || w >= 1)) {
          wide.push(c);
        } else if (w > 0) {
          thin += func[c] ? 1 : layer.more(c) || 1;
          rest += w;
          only = c;
        }
      }
    } else {
      const kids = layer.children(parent.node), { funcs } = this.style;
      for (let i = 0; i < kids.length; i++) {
        const c = kids[i], w = layer.width(c) * scale;
        if (w >= THIN && (layer.func(c) || w >= 1)) {
          wide.push(c);
        } else if (w > 0) {
          thin += layer.more(c) || 1;
          rest += w;
          only = c;
        }
      }
      const order = (c: number) => (layer.func(c) ? funcs.rank[layer.func(c)] : Infinity);
      wide.sort((a, b) => order(a) - order(b));
    }
    if (this.byWeight && wide.length > 1) wide.sort((a, b) => layer.width(b) - layer.width(a));
    if (!wide.length && rest < THIN) return;
    const list = (this.rows[row] ??= []), width = this.laidOut;
    for (const node of wide) {
      const w = layer.width(node) * scale, box = { node, row, x, w, more: layer.func(node) ? 0 : layer.more(node) };
      x += w;
      if (x <= 0 || box.x >= width) continue; // out of sight
      list.push(box);
      if (!box.more) queue.push(box);
    }
    if (rest >= THIN && x + rest > 0 && x < width) list.push({ node: thin === 1 ? only : -1 - parent.node, row, x, w: rest, more: thin });
  }

  private find(node: number): Box | null {
    for (const row of this.rows) for (let i = 0; i < row.length; i++) if (row[i].node === node) return row[i];
    return null;
  }

  private top(row: number): number {
    return this.up ? Math.max(this.rows.length * ROW, this.host.clientHeight) - (row + 1) * ROW : row * ROW;
  }

  private reveal(node: number): void {
    const box = this.find(node);
    if (!box) return;
    const y = this.top(box.row), view = this.host;
    if (y < view.scrollTop) view.scrollTop = y;
    else if (y + ROW > view.scrollTop + view.clientHeight) view.scrollTop = y + ROW - view.clientHeight;
  }

  // ---- painting ----

  private paint(): void {
    if (this.stale) this.layout();
    const width = this.host.clientWidth, height = this.host.clientHeight, ratio = window.devicePixelRatio || 1;
    if (!width || !height) return;
    // Where the root was in sight it stays there when a legend comes below.
    if (this.up && this.painted && this.painted !== height && this.paintedAt + this.painted >= this.spacer.offsetHeight - 2) this.wantBottom = true;
    this.painted = height;
    this.spacer.style.height = this.rows.length * ROW + 'px';
    if (this.tallest) this.host.style.height = Math.min(this.rows.length * ROW + 2, this.tallest) + 'px';
    if (this.fits) this.host.style.flex = `0 1 ${this.rows.length * ROW + 2}px`;
    if (this.wantBottom) {
      this.wantBottom = false;
      if (this.up) this.host.scrollTop = this.rows.length * ROW;
    }
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.width = width + 'px';
      this.canvas.style.height = height + 'px';
    }
    const g = this.canvas.getContext('2d', { alpha: false })!;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    const look = getComputedStyle(this.host), back = look.getPropertyValue('--back').trim();
    g.font = FONT;
    g.textBaseline = 'middle';
    if (!this.letter) this.letter = g.measureText('mmmmmmmmmm').width / 10;
    const scroll = (this.paintedAt = this.host.scrollTop), searching = this.style.searching(), dark = this.style.dark();
    const seen = this.inView(scroll, height);
    this.paintSlivers(g, seen, scroll, ratio, pixel(back));
    for (const row of seen) {
      const y = this.top(row) - scroll;
      for (const box of this.rows[row]) if (box.w >= SLIVER) this.paintBox(g, box, y, searching, dark);
    }
    if (this.selected !== this.zoom || document.activeElement === this.canvas) this.outline(g, this.find(this.selected), look.getPropertyValue('--ink'), 2);
    if (this.hovered) this.outline(g, this.hovered, look.getPropertyValue('--ink'), 1);
  }

  /** The rows that are in sight: of stacks that are 100,000 deep, a few. */
  private inView(scroll: number, height: number): number[] {
    const edge = this.up ? Math.max(this.rows.length * ROW, height) - scroll - height : scroll, out: number[] = [];
    for (let row = Math.max(0, Math.floor(edge / ROW)); row < this.rows.length && row * ROW < edge + height; row++) if (this.rows[row]) out.push(row);
    return out;
  }

  /** The ground, and the boxes that have no room for a label. */
  private paintSlivers(g: CanvasRenderingContext2D, rows: number[], scroll: number, ratio: number, back: number): void {
    const { style, slivers } = this, dark = style.dark(), searching = style.searching(), sum = pixel(dark ? '#3d3e47' : '#c9c9d1'), found = pixel(dark ? '#b933d6' : '#b517d1');
    slivers.begin(g, back);
    for (const row of rows) {
      const list = this.rows[row], y = this.top(row) - scroll;
      for (let i = 0; i < list.length; i++) {
        const box = list[i];
        if (box.w >= SLIVER) continue;
        let colour = box.node < 0 || box.more > 0 ? sum : pixel(style.colour(box.node));
        if (searching) colour = box.node > 0 && !box.more && style.match(box.node) ? found : blend(colour, back, 0.32);
        slivers.add(Math.round(box.x * ratio), Math.round((box.x + (box.w > 2 ? box.w - 0.6 : box.w)) * ratio), colour);
      }
      slivers.row(Math.round(y * ratio), Math.round((y + ROW - 1) * ratio), back);
    }
    slivers.end(g);
  }

  private paintBox(g: CanvasRenderingContext2D, box: Box, y: number, searching: boolean, dark: boolean): void {
    const { style } = this, sum = box.node < 0 || box.more > 0;
    const match = searching && !sum && style.match(box.node), faded = searching && !match;
    const above = box.row < this.zoomRow;
    if (faded || above) g.globalAlpha = faded ? 0.32 : 0.6;
    const colour = sum ? (dark ? '#3d3e47' : '#c9c9d1') : match ? (dark ? '#b933d6' : '#b517d1') : style.colour(box.node);
    g.fillStyle = colour;
    const left = Math.max(0, box.x), right = Math.min(this.laidOut, box.x + box.w);
    g.fillRect(left, y, right - left > 2 ? right - left - 0.6 : right - left, ROW - 1);
    const room = Math.floor((right - left - 7) / this.letter);
    if (room >= 3) {
      const label = sum ? `(${box.more} more)` : style.label(box.node);
      if (faded || above) g.globalAlpha = faded ? 0.5 : 1;
      g.fillStyle = match ? '#fff' : faded || above ? (dark ? '#e8e8ee' : '#131317') : inkOn(colour);
      g.fillText(fitLabel(label, room), left + 4, y + ROW / 2);
    }
    if (faded || above) g.globalAlpha = 1;
  }

  private outline(g: CanvasRenderingContext2D, box: Box | null, colour: string, width: number): void {
    if (!box) return;
    const left = Math.max(0, box.x), right = Math.min(this.laidOut, box.x + box.w);
    g.strokeStyle = colour;
    g.lineWidth = width;
    g.strokeRect(left + width / 2, this.top(box.row) - this.host.scrollTop + width / 2, Math.max(right - left - width - 0.6, 1), ROW - 1 - width);
  }

  // ---- pointer and keys ----

  private at(x: number, y: number): Box | null {
    const inner = y + this.host.scrollTop, tall = Math.max(this.rows.length * ROW, this.host.clientHeight);
    const row = this.rows[Math.floor((this.up ? tall - inner : inner) / ROW)];
    if (!row) return null;
    let lo = 0, hi = row.length - 1;
    while (lo <= hi) {
      const mid = (lo + hi) >> 1, box = row[mid];
      if (x < box.x) hi = mid - 1;
      else if (x >= box.x + box.w) lo = mid + 1;
      else return box;
    }
    return null;
  }

  /** Zooms about a place from 0 (left) to 1 by wheel or pinch, below the frame that a click zoomed to. */
  magnify(factor: number, at: number): void {
    const [from, to] = this.window, span = to - from, wide = Math.min(1, Math.max(span * factor, 1e-7));
    this.look(from + (span - wide) * at, wide);
  }

  private look(from: number, span: number): void {
    const left = Math.max(0, Math.min(from, 1 - span));
    this.window = [left, left + span];
    this.relayout();
    this.events.moved?.(left, left + span);
  }

  private listen(): void {
    const c = this.canvas, place = (x: number, y: number) => {
      const r = c.getBoundingClientRect();
      return this.at(x - r.left, y - r.top);
    };
    hands(c, {
      zoom: (factor, at) => this.magnify(factor, at),
      pan: (x, y) => {
        const [from, to] = this.window;
        if (x) this.look(from - (x / Math.max(1, this.laidOut)) * (to - from), to - from);
        this.host.scrollTop -= y;
      },
      hover: (x, y) => this.point(place(x, y), x, y),
      leave: () => this.point(null, 0, 0),
      click: (x, y) => {
        const box = place(x, y);
        if (!box || box.node < 0 || box.more) return;
        this.selected = box.node;
        this.events.select(box.node);
        this.zoomTo(box.node);
      },
      reset: () => this.zoomTo(0),
    });
    c.addEventListener('contextmenu', e => {
      const box = place(e.clientX, e.clientY);
      if (!box || box.node < 0) return;
      e.preventDefault();
      this.selected = box.node;
      this.events.select(box.node);
      this.events.menu(box.node, e.clientX, e.clientY);
      this.draw();
    });
    c.addEventListener('keydown', e => this.key(e));
  }

  private point(box: Box | null, x: number, y: number): void {
    if (box !== this.hovered) this.draw();
    this.hovered = box;
    this.canvas.style.cursor = box && box.node >= 0 ? 'pointer' : 'default';
    this.events.hover(box ? Math.max(box.node, -1) : null, box, x, y);
  }

  /** Arrows move about frames; the page passes them on when nothing else has the focus. */
  key(e: KeyboardEvent): void {
    const layer = this.layer;
    if (!layer || e.ctrlKey || e.metaKey || e.altKey) return;
    if (this.stale) this.layout(); // keys may come before the next frame
    const here = this.find(this.selected), out = this.up ? 'ArrowUp' : 'ArrowDown', back = this.up ? 'ArrowDown' : 'ArrowUp';
    if (e.key === 'Enter') this.zoomTo(this.selected);
    else if (e.key === 'Backspace') this.zoomTo(layer.parent(this.zoom));
    else if (e.key === 'Home') this.zoomTo(0);
    else if (e.key === 'ContextMenu' || (e.key === 'F10' && e.shiftKey)) {
      const r = this.canvas.getBoundingClientRect();
      this.events.menu(this.selected, r.left + (here?.x ?? 0) + 20, r.top + (here ? this.top(here.row) - this.host.scrollTop : 0) + ROW);
    } else if (here && e.key === out) {
      const row = this.rows[here.row + 1] ?? [];
      const inside = row.filter(b => b.node >= 0 && !b.more && b.x >= here.x - 0.01 && b.x + b.w <= here.x + here.w + 0.01);
      if (inside.length) this.choose(inside.reduce((a, b) => (b.w > a.w ? b : a)).node);
    } else if (here && e.key === back) {
      if (this.selected) this.choose(layer.parent(this.selected));
    } else if (here && (e.key === 'ArrowLeft' || e.key === 'ArrowRight')) {
      const row = this.rows[here.row].filter(b => b.node >= 0 && !b.more), at = row.indexOf(here);
      const to = row[at + (e.key === 'ArrowRight' ? 1 : -1)];
      if (to) this.choose(to.node);
    } else if (!here && e.key.startsWith('Arrow')) this.choose(this.zoom);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}
