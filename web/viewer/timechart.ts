// Time from left to right: stacks as they were, one lane per thread. Each column of pixels shows what ran in its
// middle, so a picture costs its width times its depth, however many events there are. Where nothing is known to have
// run, nothing is drawn.

import type { Moments } from './data';
import { inkOn } from './colours';
import { el } from './dom';
import type { Words } from './export';
import { hands } from './hands';
import { momentAt } from './model';
import { fitLabel, timeSteps } from './text';
import type { Tree } from './tree';

const ROW = 16, HEAD = 22, AXIS = 20;
const FONT = '11px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

/** One lane: a thread, and until when each of its samples is known to have run (null for traces: until the next event). */
export interface LaneSpec {
  moments: Moments;
  title: string;
  ends: Float64Array | null;
}

interface Lane extends LaneSpec {
  rows: number;
  y: number;
}

/** One activation of a node, as far as the events tell: when it began and ended, and of how many samples it is made. */
export interface Activation {
  start: number;
  end: number;
  samples: number;
}

export interface TimeStyle {
  label(func: number): string;
  colour(func: number): string;
  match(func: number): boolean;
  searching(): boolean;
  dark(): boolean;
}

export interface TimeEvents {
  hover(box: TimeBox | null, x: number, y: number): void;
  select(box: TimeBox): void;
  moved(from: number, until: number): void; // what is in sight
  menu(node: number, x: number, y: number): void;
  range(from: number, to: number): void;
  painted(): void;
}

export interface TimeBox { node: number; x: number; y: number; w: number; h: number; lane: number; moment: number }

export class TimeChart {
  readonly host: HTMLElement;
  private canvas: HTMLCanvasElement;
  private spacer: HTMLElement;
  private lanes: Lane[] = [];
  private boxes: TimeBox[] = [];
  private frame = 0;
  private letter = 0;
  private drag: [number, number] | null = null;
  private folded = new Set<string>(); // titles of lanes
  private tall = 0; // all lanes
  private was = true;
  private wantBase = true; // bring the outermost calls of the first lane into sight
  up = true; // callees above their callers
  from = 0;
  until = 1;
  private whole: [number, number] = [0, 1];
  private chosen: { node: number; lane: number; first: number; last: number } | null = null; // one call

  constructor(private now: () => Tree, private style: TimeStyle, private events: TimeEvents) {
    this.canvas = el('canvas', { tabindex: 0, role: 'img', 'aria-label': 'Stacks in the order of time', 'aria-describedby': 'details' });
    this.spacer = el('div', { class: 'spacer' });
    this.host = el('div', { class: 'flame time' }, this.canvas, this.spacer);
    this.host.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.host);
    this.listen();
  }

  private get tree(): Tree {
    return this.now();
  }

  set(list: LaneSpec[], whole: [number, number], shown: [number, number] | null): void {
    if (this.lanes.length !== list.length || this.up !== this.was) this.wantBase = true;
    this.was = this.up;
    this.lanes = list.map(spec => {
      let deepest = 1;
      for (let k = 0; k < spec.moments.n; k++) deepest = Math.max(deepest, this.tree.depth[spec.moments.node[k]]);
      return { ...spec, rows: deepest, y: 0 };
    });
    this.whole = whole;
    [this.from, this.until] = shown ?? whole;
    this.arrange();
    this.events.moved(this.from, this.until);
  }

  private arrange(): void {
    let y = AXIS;
    for (const lane of this.lanes) {
      lane.y = y;
      y += HEAD + (this.folded.has(lane.title) ? 0 : lane.rows * ROW + 8);
    }
    this.tall = y;
    this.spacer.style.height = y + 'px';
    this.draw();
  }

  isFolded(title: string): boolean {
    return this.folded.has(title);
  }

  fold(title: string, on: boolean): void {
    if (on) this.folded.add(title);
    else this.folded.delete(title);
    this.arrange();
  }

  /** Brings a lane into sight, unfolded. */
  reveal(title: string): void {
    this.fold(title, false);
    const lane = this.lanes.find(l => l.title === title);
    if (lane) this.host.scrollTop = lane.y - AXIS;
  }

  get titles(): string[] {
    return this.lanes.map(l => l.title);
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
    this.host.style.height = on ? Math.min(this.tall, 3000) + 'px' : '';
    this.paintNow();
  }

  get width(): number {
    return this.host.clientWidth;
  }

  /** All lanes of the time that is in sight, whichever of them are: boxes, what is written beside them, and how tall it is. */
  everything(): { boxes: TimeBox[]; words: Words[]; height: number } {
    const { width } = this, words: Words[] = this.ticks(width).map(([x, text]) => ({ x: x + 4, y: 13, text, soft: true }));
    this.boxes = [];
    for (const lane of this.lanes) {
      words.push({ x: 6, y: lane.y + 15, text: lane.title, soft: true });
      if (!this.folded.has(lane.title)) this.lane(lane, width);
    }
    const { boxes } = this;
    this.draw();
    return { boxes, words, height: this.tall };
  }

  /** By function, how wide its boxes are that were drawn last, or some others. */
  inSight(functions: number, boxes = this.boxes): Float64Array {
    const out = new Float64Array(functions);
    for (const b of boxes) out[this.tree.func[b.node]] += b.w;
    return out;
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
    this.events.moved(this.from, this.until);
    this.draw();
  }

  /** When the call that a box shows began and ended. */
  activation(box: TimeBox): Activation {
    const lane = this.lanes[box.lane], { moments: m, ends } = lane, { end } = this.tree, { node } = box;
    const inside = (k: number) => k >= 0 && k < m.n && m.node[k] >= node && m.node[k] < end[node];
    const begins = (k: number) => !!m.calls && m.calls[k] > 0 && m.node[k] === node;
    const follows = (k: number) => !ends || ends[k - 1] >= m.start[k] - 1; // no gap before it
    let first = box.moment, last = box.moment;
    while (inside(first - 1) && !begins(first) && follows(first)) first--;
    while (inside(last + 1) && !begins(last + 1) && follows(last + 1)) last++;
    return { start: m.start[first], end: ends ? ends[last] : m.start[last + 1], samples: m.trace ? 0 : last - first + 1 };
  }

  /** The same for many boxes: each lane is walked once. */
  activations(boxes: TimeBox[]): Map<TimeBox, Activation> {
    const out = new Map<TimeBox, Activation>(), by: TimeBox[][] = this.lanes.map(() => []);
    for (const box of boxes) by[box.lane].push(box);
    by.forEach((mine, i) => mine.length && this.walk(this.lanes[i], mine.sort((a, b) => a.moment - b.moment), out));
    return out;
  }

  private walk({ moments: m, ends, rows }: Lane, boxes: TimeBox[], out: Map<TimeBox, Activation>): void {
    const { depth, parent } = this.tree, { n: count, node: nodes, start, calls } = m, open = new Int32Array(rows + 2), began = new Int32Array(rows + 2), waits = new Uint8Array(rows + 2);
    let deep = 0, next = 0, waiting: TimeBox[] = [];
    const close = (to: number, k: number) => {
      const end = ends ? ends[k - 1] : start[k];
      for (const box of waiting) {
        const d = depth[box.node], first = began[d];
        if (d > to) out.set(box, { start: start[first], end, samples: m.trace ? 0 : k - first });
      }
      waiting = waiting.filter(box => depth[box.node] <= to);
      waits.fill(0, to + 1);
    };
    for (let k = 0; k < count && (next < boxes.length || waiting.length); k++) {
      const node = nodes[k], own = depth[node];
      let n = node, same = own, asked = false;
      for (; same && (same > deep || open[same] !== n); same--) n = parent[n];
      if (calls && calls[k] > 0 && same === own) same = Math.max(0, own - 1);
      if (ends && k && ends[k - 1] < start[k] - 1) same = 0; // a gap
      for (let d = deep; d > same; d--) asked ||= waits[d] > 0;
      if (asked) close(same, k);
      n = node;
      for (let d = own; d > same; d--, n = parent[n]) {
        open[d] = n;
        began[d] = k;
      }
      deep = own;
      for (; next < boxes.length && boxes[next].moment === k; next++) {
        waiting.push(boxes[next]);
        waits[depth[boxes[next].node]] = 1;
      }
    }
    if (waiting.length) close(0, count);
  }

  // ---- painting ----

  private paint(): void {
    const width = this.host.clientWidth, height = this.host.clientHeight, ratio = window.devicePixelRatio || 1;
    if (!width || !height) return;
    if (this.wantBase) {
      this.wantBase = false;
      const first = this.lanes[0];
      if (this.up && first) this.host.scrollTop = Math.max(0, first.y + HEAD + first.rows * ROW + 8 - height);
    }
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
      if (!this.folded.has(lane.title)) this.lane(lane, width);
    }
    for (const box of this.boxes) this.box(g, box, box.y - scroll);
    for (const lane of this.lanes) this.title(g, lane, this.titleAt(lane) - scroll, width, look.getPropertyValue('--back'), soft);
    this.axis(g, width, look.getPropertyValue('--back'), soft);
    const chosen = this.chosen && this.boxes.find(b => b.node === this.chosen!.node && b.lane === this.chosen!.lane && b.moment <= this.chosen!.last && b.moment >= this.chosen!.first);
    if (chosen) {
      g.strokeStyle = ink;
      g.lineWidth = 2;
      g.strokeRect(chosen.x + 1, chosen.y - scroll + 1, Math.max(1, chosen.w - 2), chosen.h - 2);
    }
    this.events.painted();
    if (this.drag) {
      g.fillStyle = 'rgba(80, 130, 255, .25)';
      g.fillRect(Math.min(...this.drag), 0, Math.abs(this.drag[1] - this.drag[0]), height);
    }
  }

  /** Where the title of a lane stands: above it, and below the axis as long as any of the lane is in sight. */
  private titleAt(lane: Lane): number {
    return Math.max(lane.y, Math.min(this.host.scrollTop + AXIS, lane.y + (this.folded.has(lane.title) ? 0 : lane.rows * ROW)));
  }

  private title(g: CanvasRenderingContext2D, lane: Lane, y: number, width: number, back: string, soft: string): void {
    if (y < AXIS - HEAD || y > this.host.clientHeight) return;
    g.fillStyle = back;
    if (y > lane.y - this.host.scrollTop) g.fillRect(0, y, width, HEAD);
    g.fillStyle = soft;
    g.fillText((this.folded.has(lane.title) ? '\u25b8 ' : '\u25be ') + lane.title, 6, y + HEAD / 2);
  }

  /** Boxes of one lane: columns side by side that show the same activation become one. */
  private lane(lane: Lane, width: number): void {
    const { tree } = this, m = lane.moments, scale = (this.until - this.from) / width, open: TimeBox[] = [];
    let before = -1, path: number[] = [];
    const index = this.lanes.indexOf(lane);
    for (let x = 0; x <= width; x++) {
      const i = x === width ? -1 : this.ran(lane, this.from + x * scale, scale);
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
        const box = { node: next[d], x, y: lane.y + HEAD + (this.up ? lane.rows - 1 - d : d) * ROW, w: 1, h: ROW - 1, lane: index, moment: i };
        open.push(box);
        this.boxes.push(box);
      }
      path = next;
      before = i;
    }
  }

  /** The moment that a column of pixels shows: what ran in its middle, or any sample in it; -1 = none. */
  private ran({ moments: m, ends }: Lane, at: number, wide: number): number {
    const middle = at + wide / 2, i = momentAt(m, middle + 1e-9) - 1;
    if (m.trace) return i >= m.n || middle > m.start[m.n] ? -1 : i;
    if (i >= 0 && i < m.n && middle <= ends![i]) return i;
    const any = momentAt(m, at + wide) - 1;
    return any >= 0 && m.start[any] >= at ? any : -1;
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
      g.fillText(fitLabel(func ? style.label(func) : '(more)', room), box.x + 4, y + ROW / 2);
    }
    g.globalAlpha = 1;
  }

  private axis(g: CanvasRenderingContext2D, width: number, back: string, soft: string): void {
    g.fillStyle = back;
    g.fillRect(0, 0, width, AXIS);
    g.fillStyle = soft;
    for (const [x, text] of this.ticks(width)) {
      g.fillRect(x, AXIS - 5, 1, 5);
      g.fillText(text, x + 4, AXIS / 2);
    }
  }

  /** Round moments and where they stand. */
  private ticks(width: number): [number, string][] {
    const span = this.until - this.from, rough = span / Math.max(2, width / 110), unit = 10 ** Math.floor(Math.log10(rough)), out: [number, string][] = [];
    const step = [1, 2, 5, 10].map(k => k * unit).find(s => s >= rough)!, label = timeSteps(this.until, step);
    for (let t = Math.ceil(this.from / step) * step; t <= this.until; t += step) {
      const x = ((t - this.from) / span) * width, text = label(t);
      out.push([x, x + 4 + text.length * 6.8 <= width ? text : '']);
    }
    return out;
  }

  // ---- pointer and keys ----

  private at(x: number, y: number): TimeBox | null {
    const inner = y + this.host.scrollTop;
    if (y < AXIS || this.titled(inner)) return null;
    return this.boxes.find(b => inner >= b.y && inner < b.y + b.h + 1 && x >= b.x && x < b.x + b.w) ?? null;
  }

  /** The lane whose title is there. */
  private titled(inner: number): Lane | undefined {
    return this.lanes.find(l => inner >= this.titleAt(l) && inner < this.titleAt(l) + HEAD);
  }

  timeAt(x: number): number {
    return this.from + (x / this.host.clientWidth) * (this.until - this.from);
  }

  private listen(): void {
    const c = this.canvas, place = (x: number, y: number) => {
      const r = c.getBoundingClientRect();
      return [x - r.left, y - r.top] as const;
    };
    hands(c, {
      zoom: (factor, at) => this.zoom(factor, at),
      pan: (x, y) => {
        const by = (x / Math.max(1, this.host.clientWidth)) * (this.until - this.from);
        if (x) this.show(this.from - by, this.until - by);
        this.host.scrollTop -= y;
      },
      hover: (x, y) => {
        const box = this.at(...place(x, y));
        c.style.cursor = box ? 'pointer' : 'default';
        this.events.hover(box, x, y);
      },
      leave: () => this.events.hover(null, 0, 0),
      click: (x, y) => this.click(...place(x, y)),
      reset: () => this.show(...this.whole),
      choose: (from, to, done) => {
        const [a] = place(Math.min(from, to), 0), [b] = place(Math.max(from, to), 0);
        this.drag = done ? null : [a, b];
        if (done && b - a > 3) this.events.range(this.timeAt(a), this.timeAt(b));
        this.draw();
      },
    });
    c.addEventListener('contextmenu', e => {
      const box = this.at(...place(e.clientX, e.clientY));
      if (!box) return;
      e.preventDefault();
      this.choose(box);
      this.events.menu(box.node, e.clientX, e.clientY);
    });
    c.addEventListener('keydown', e => this.key(e));
  }

  /** A click on a call shows it from its beginning to its end, one on the head of a lane folds it. */
  private click(x: number, y: number): void {
    const inner = y + this.host.scrollTop, box = this.at(x, y);
    if (box) {
      const { start, end } = this.activation(box), edge = (end - start) * 0.02;
      this.choose(box);
      if (end > start) this.show(start - edge, end + edge);
      return;
    }
    const lane = this.titled(inner);
    if (lane) this.fold(lane.title, !this.folded.has(lane.title));
    else this.choose(null);
  }

  private choose(box: TimeBox | null): void {
    this.chosen = null;
    if (box) {
      const m = this.lanes[box.lane].moments, { start, end } = this.activation(box);
      this.chosen = { node: box.node, lane: box.lane, first: momentAt(m, start), last: Math.max(momentAt(m, start), momentAt(m, end) - 1) };
      this.events.select(box);
    }
    this.draw();
  }

  key(e: KeyboardEvent): void {
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
