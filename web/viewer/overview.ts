// All of time in one strip: how deep the stacks were, or how many samples there were. Dragging chooses a range.

import type { App } from './app';
import { el } from './dom';
import { momentAt, threadKey } from './model';
import { time } from './text';

const HEIGHT = 44;

export class Overview {
  readonly host: HTMLElement;
  private canvas = el('canvas', { role: 'img', 'aria-label': 'All of time; drag to choose a range, double-click for all of it. The filter form takes a range as text.' });
  private drag: [number, number] | null = null;
  private frame = 0;
  private made: Float64Array = new Float64Array(0);
  private madeFor = '';

  constructor(private app: App) {
    this.host = el('div', { class: 'overview', title: 'Drag to choose a range of time' }, this.canvas);
    new ResizeObserver(() => this.update()).observe(this.host);
    const c = this.canvas, x = (e: MouseEvent) => Math.max(0, Math.min(this.host.clientWidth, e.clientX - c.getBoundingClientRect().left));
    c.addEventListener('pointerdown', e => {
      if (e.button) return;
      c.setPointerCapture(e.pointerId);
      this.drag = [x(e), x(e)];
    });
    c.addEventListener('pointermove', e => {
      if (!this.drag) return;
      this.drag[1] = x(e);
      this.update();
    });
    c.addEventListener('pointerup', () => {
      const d = this.drag;
      this.drag = null;
      if (d && Math.abs(d[1] - d[0]) > 3) {
        const [whole] = app.timeRange(), at = (px: number) => Math.round(whole[0] + (px / this.host.clientWidth) * (whole[1] - whole[0]));
        app.set({ time: [at(Math.min(...d)), at(Math.max(...d))] });
      } else {
        this.update();
      }
    });
    c.addEventListener('dblclick', () => app.set({ time: null }));
  }

  update(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  /** Per column of pixels a height from 0 to 1; kept, for it depends on little. */
  private profile(width: number): Float64Array {
    const { app } = this, key = `${width} ${app.state.thread}`;
    if (this.madeFor !== key) this.made = this.compute(width);
    this.madeFor = key;
    return this.made;
  }

  private compute(width: number): Float64Array {
    const { app } = this, [whole] = app.timeRange(), out = new Float64Array(width), { depth } = app.data.tree;
    const list = app.data.moments.filter(m => !app.state.thread || threadKey(m.series) === app.state.thread);
    // A few samples per bar at least: otherwise there is nothing to see but a comb.
    const samples = list.reduce((sum, m) => sum + (m.trace ? 0 : m.n), 0), bars = samples ? Math.min(width, Math.max(24, Math.floor(samples / 4))) : width;
    const heights = new Float64Array(bars), scale = (whole[1] - whole[0]) / bars;
    for (const m of list) {
      for (let x = 0; x < bars; x++) {
        const first = momentAt(m, whole[0] + x * scale), end = momentAt(m, whole[0] + (x + 1) * scale);
        if (m.trace) {
          const last = Math.max(first, end - 1), step = Math.max(1, Math.floor((last - first) / 16));
          if (first > 0 && whole[0] + x * scale <= m.start[m.n]) heights[x] = Math.max(heights[x], depth[m.node[first - 1]]);
          for (let i = first; i <= last && i < m.n; i += step) heights[x] = Math.max(heights[x], depth[m.node[i]]);
        } else {
          heights[x] += end - first;
        }
      }
    }
    const most = heights.reduce((a, b) => Math.max(a, b), 0) || 1;
    for (let x = 0; x < width; x++) out[x] = heights[Math.floor((x * bars) / width)] / most;
    return out;
  }

  private paint(): void {
    const width = this.host.clientWidth, ratio = window.devicePixelRatio || 1;
    if (!width) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(HEIGHT * ratio);
    this.canvas.style.width = width + 'px';
    this.canvas.style.height = HEIGHT + 'px';
    const g = this.canvas.getContext('2d')!, look = getComputedStyle(this.host), bars = this.profile(width);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, HEIGHT);
    g.fillStyle = look.getPropertyValue('--accent');
    g.globalAlpha = 0.55;
    for (let x = 0; x < width; x++) g.fillRect(x, HEIGHT - bars[x] * (HEIGHT - 14), 1, bars[x] * (HEIGHT - 14));
    g.globalAlpha = 1;
    const [whole, range] = this.app.timeRange();
    g.font = '11px system-ui, sans-serif';
    g.fillStyle = look.getPropertyValue('--soft');
    g.fillText('0', 4, 10);
    const end = time(Math.round(whole[1]));
    g.fillText(end, width - g.measureText(end).width - 4, 10);
    const px = (t: number) => ((t - whole[0]) / (whole[1] - whole[0])) * width;
    const chosen: [number, number] | null = this.drag ? [Math.min(...this.drag), Math.max(...this.drag)] : range ? [px(range[0]), px(range[1])] : null;
    if (chosen) {
      g.fillStyle = look.getPropertyValue('--shade');
      g.fillRect(0, 0, chosen[0], HEIGHT);
      g.fillRect(chosen[1], 0, width - chosen[1], HEIGHT);
      g.fillStyle = look.getPropertyValue('--accent');
      g.fillRect(chosen[0], 0, 2, HEIGHT);
      g.fillRect(chosen[1] - 2, 0, 2, HEIGHT);
    }
  }
}
