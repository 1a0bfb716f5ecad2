// Time from left to right: stacks as they were, one lane per thread. Each column of pixels shows what ran in its
// middle, so a picture costs its width times its depth, however many events there are.

import type { Moments, Tree } from './data';
import { inkOn } from './colours';
import { el } from './dom';
import { momentAt } from './model';
import { fit, time } from './text';

const ROW = 16, HEAD = 22, AXIS = 20;
const FONT = '11px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

interface Lane {
  moments: Moments;
  title: string;
  rows: number;
  y: number;
}

export interface TimeStyle {
  label(func: number): string;
  colour(func: number): string;
  match(func: number): boolean;
  searching(): boolean;
  dark(): boolean;
}

export interface TimeEvents {
  hover(node: number | null, text: string): void;
  select(node: number): void;
  menu(node: number, x: number, y: number): void;
  range(from: number, to: number): void;
}

export interface TimeBox { node: number; x: number; y: number; w: number; h: number }

export class TimeChart {
  readonly host: HTMLElement;
  private canvas: HTMLCanvasElement;
  private spacer: HTMLElement;
  private lanes: Lane[] = [];
  private boxes: TimeBox[] = [];
  private frame = 0;
  private letter = 0;
  private drag: { x: number; to: number } | null = null;
  private pan: { x: number; from: number; until: number } | null = null;
  from = 0;
  until = 1;
  private whole: [number, number] = [0, 1];
  selected = 0;

  constructor(private tree: Tree, private style: TimeStyle, private events: TimeEvents) {
    this.canvas = el('canvas', { tabindex: 0, role: 'img', 'aria-label': 'Stacks in the order of time', 'aria-describedby': 'details' });
    this.spacer = el('div', { class: 'spacer' });
    this.host = el('div', { class: 'flame time' }, this.canvas, this.spacer);
    this.host.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.host);
    this.listen();
  }

  set(list: Moments[], titles: string[], whole: [number, number], shown: [number, number] | null): void {
    let y = AXIS;
    this.lanes = list.map((moments, i) => {
      let deepest = 1;
      for (let k = 0; k < moments.n; k++) deepest = Math.max(deepest, this.tree.depth[moments.node[k]]);
      const lane = { moments, title: titles[i], rows: deepest, y };
      y += HEAD + deepest * ROW + 8;
      return lane;
    });
    this.spacer.style.height = y + 'px';
    this.whole = whole;
    [this.from, this.until] = shown ?? whole;
    this.draw();
  }

  draw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  paintNow(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.paint();
  }

  /** As tall as all its lanes, for paper; or as it was. */
  print(on: boolean): void {
    this.host.style.height = on ? Math.min(parseFloat(this.spacer.style.height) || 0, 3000) + 'px' : '';
    this.paintNow();
  }

  list(): TimeBox[] {
    return this.boxes;
  }

  get size(): { width: number; height: number } {
    return { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  png(): Promise<Blob | null> {
    this.paintNow();
    return new Promise(done => this.canvas.toBlob(done, 'image/png'));
  }

  focus(): void {
    this.canvas.focus({ preventScroll: true });
  }

  zoom(factor: number, at = 0.5): void {
    const span = this.until - this.from, middle = this.from + span * at, least = Math.max(1, (this.whole[1] - this.whole[0]) / 1e9);
    this.show(middle - span * factor * at, middle + Math.max(span * factor, least) * (1 - at));
  }

  show(from: number, until: number): void {
    const span = Math.min(until - from, this.whole[1] - this.whole[0]);
    this.from = Math.max(this.whole[0], Math.min(from, this.whole[1] - span));
    this.until = this.from + span;
    this.draw();
  }

  // ---- painting ----

  private paint(): void {
    const width = this.host.clientWidth, height = this.host.clientHeight, ratio = window.devicePixelRatio || 1;
    if (!width || !height) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = width + 'px';
    this.canvas.style.height = height + 'px';
    const g = this.canvas.getContext('2d', { alpha: false })!, look = getComputedStyle(this.host);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = look.getPropertyValue('--back');
    g.fillRect(0, 0, width, height);
    g.font = FONT;
    g.textBaseline = 'middle';
    if (!this.letter) this.letter = g.measureText('mmmmmmmmmm').width / 10;
    this.boxes = [];
    const scroll = this.host.scrollTop, ink = look.getPropertyValue('--ink'), soft = look.getPropertyValue('--soft');
    for (const lane of this.lanes) {
      if (lane.y - scroll > height || lane.y + HEAD + lane.rows * ROW - scroll < 0) continue;
      g.fillStyle = soft;
      g.fillText(lane.title, 6, lane.y - scroll + HEAD / 2);
      this.lane(lane, width);
    }
    for (const box of this.boxes) this.box(g, box, box.y - scroll);
    this.axis(g, width, look.getPropertyValue('--back'), soft);
    const chosen = this.boxes.find(b => b.node === this.selected && this.selected);
    if (chosen) {
      g.strokeStyle = ink;
      g.lineWidth = 2;
      g.strokeRect(chosen.x + 1, chosen.y - scroll + 1, Math.max(1, chosen.w - 2), chosen.h - 2);
    }
    if (this.drag) {
      g.fillStyle = 'rgba(80, 130, 255, .25)';
      g.fillRect(Math.min(this.drag.x, this.drag.to), 0, Math.abs(this.drag.to - this.drag.x), height);
    }
  }

  /** Boxes of one lane: columns side by side that show the same activation become one. */
  private lane(lane: Lane, width: number): void {
    const { tree } = this, m = lane.moments, scale = (this.until - this.from) / width, open: TimeBox[] = [];
    let before = -1, path: number[] = [];
    for (let x = 0; x <= width; x++) {
      const at = this.from + (x + 0.5) * scale;
      let i = x === width ? -1 : momentAt(m, at + 1e-9) - 1;
      if (i >= m.n || (i >= 0 && m.trace && at > m.start[m.n])) i = -1;
      if (i >= 0 && !m.trace && i === m.n - 1 && at > m.start[i] + Math.max(scale, (m.start[m.n - 1] - m.start[0]) / m.n)) i = -1;
      if (i === before && i >= 0) continue;
      const next: number[] = [];
      for (let n = i >= 0 ? m.node[i] : 0; n; n = tree.parent[n]) next.push(n);
      next.reverse();
      let same = 0;
      while (same < next.length && same < path.length && next[same] === path[same]) same++;
      if (i >= 0 && before >= 0 && m.calls && i > before && i - before < 64)
        for (let k = before + 1; k <= i; k++) {
          const d = tree.depth[m.node[k]];
          same = Math.min(same, m.calls[k] ? d - 1 : d);
        }
      while (open.length > same) {
        const box = open.pop()!;
        box.w = x - box.x;
      }
      for (let d = open.length; d < next.length; d++) {
        const box = { node: next[d], x, y: lane.y + HEAD + d * ROW, w: 1, h: ROW - 1 };
        open.push(box);
        this.boxes.push(box);
      }
      path = next;
      before = i;
    }
  }

  private box(g: CanvasRenderingContext2D, box: TimeBox, y: number): void {
    const { style } = this, func = this.tree.func[box.node], match = func && style.match(func), faded = style.searching() && !match;
    g.globalAlpha = faded ? 0.32 : 1;
    const colour = match ? (style.dark() ? '#b933d6' : '#b517d1') : style.colour(func);
    g.fillStyle = colour;
    g.fillRect(box.x, y, box.w > 2 ? box.w - 0.6 : box.w, box.h);
    const room = Math.floor((box.w - 7) / this.letter);
    if (room >= 3) {
      g.fillStyle = match ? '#fff' : faded ? (style.dark() ? '#e8e8ee' : '#131317') : inkOn(colour);
      g.fillText(fit(func ? style.label(func) : '(more)', room), box.x + 4, y + ROW / 2);
    }
    g.globalAlpha = 1;
  }

  private axis(g: CanvasRenderingContext2D, width: number, back: string, soft: string): void {
    const span = this.until - this.from, rough = span / Math.max(2, width / 110), unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(k => k * unit).find(s => s >= rough)!;
    g.fillStyle = back;
    g.fillRect(0, 0, width, AXIS);
    g.fillStyle = soft;
    for (let t = Math.ceil(this.from / step) * step; t <= this.until; t += step) {
      const x = ((t - this.from) / span) * width;
      g.fillRect(x, AXIS - 5, 1, 5);
      const text = time(Math.round(t));
      if (x + 4 + g.measureText(text).width <= width) g.fillText(text, x + 4, AXIS / 2);
    }
  }

  // ---- pointer and keys ----

  private at(x: number, y: number): TimeBox | null {
    const inner = y + this.host.scrollTop;
    return this.boxes.find(b => inner >= b.y && inner < b.y + b.h + 1 && x >= b.x && x < b.x + b.w) ?? null;
  }

  timeAt(x: number): number {
    return this.from + (x / this.host.clientWidth) * (this.until - this.from);
  }

  private listen(): void {
    const c = this.canvas, place = (e: MouseEvent) => {
      const r = c.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top] as const;
    };
    c.addEventListener('wheel', e => {
      const [x] = place(e);
      if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        const by = (e.deltaX / this.host.clientWidth) * (this.until - this.from);
        this.show(this.from + by, this.until + by);
      } else if (e.ctrlKey || e.metaKey || this.lanesFit()) this.zoom(e.deltaY > 0 ? 1.25 : 0.8, x / this.host.clientWidth);
      else return;
      e.preventDefault();
    }, { passive: false });
    c.addEventListener('pointerdown', e => {
      const [x] = place(e);
      c.setPointerCapture(e.pointerId);
      if (e.button === 0 && e.shiftKey) this.drag = { x, to: x };
      else if (e.button === 0) this.pan = { x, from: this.from, until: this.until };
    });
    c.addEventListener('pointermove', e => {
      const [x, y] = place(e);
      if (this.drag) this.drag.to = x;
      if (this.pan && Math.abs(x - this.pan.x) > 3) {
        const by = ((this.pan.x - x) / this.host.clientWidth) * (this.pan.until - this.pan.from);
        this.show(this.pan.from + by, this.pan.until + by);
      }
      if (this.drag || this.pan) this.draw();
      const box = this.at(x, y);
      this.events.hover(box ? box.node : null, box ? `at ${time(Math.round(this.timeAt(x)))}` : '');
    });
    c.addEventListener('pointerup', e => {
      const [x, y] = place(e), moved = this.pan ? Math.abs(x - this.pan.x) > 3 : false;
      if (this.drag && Math.abs(this.drag.to - this.drag.x) > 3)
        this.events.range(this.timeAt(Math.min(this.drag.x, this.drag.to)), this.timeAt(Math.max(this.drag.x, this.drag.to)));
      else if (!moved && e.button === 0) {
        const box = this.at(x, y);
        if (box) {
          this.selected = box.node;
          this.events.select(box.node);
        }
      }
      this.drag = this.pan = null;
      this.draw();
    });
    c.addEventListener('dblclick', e => {
      const box = this.at(...place(e));
      if (box) this.show(this.timeAt(box.x), this.timeAt(box.x + box.w));
    });
    c.addEventListener('contextmenu', e => {
      const box = this.at(...place(e));
      if (!box) return;
      e.preventDefault();
      this.selected = box.node;
      this.events.menu(box.node, e.clientX, e.clientY);
    });
    c.addEventListener('keydown', e => this.key(e));
  }

  private lanesFit(): boolean {
    return this.spacer.offsetHeight <= this.host.clientHeight;
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const step = (this.until - this.from) / 8;
    if (e.key === 'ArrowLeft') this.show(this.from - step, this.until - step);
    else if (e.key === 'ArrowRight') this.show(this.from + step, this.until + step);
    else if (e.key === 'ArrowUp' || e.key === '+') this.zoom(0.6);
    else if (e.key === 'ArrowDown' || e.key === '-') this.zoom(1.6);
    else if (e.key === 'Home') this.show(...this.whole);
    else if (e.key === 'Enter') this.events.range(this.from, this.until);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}
