// All of time in one strip: what the metric gained when, or how deep the stacks were where that says nothing. Dragging
// chooses a range; a frame shows what of it is in sight.

import type { App } from './app';
import type { Curve } from './curves';
import { curve, lasts, levelMetric, spread } from './curves';
import type { Moments } from './data';
import { el } from './dom';
import { metricOf, momentAt, threadKey } from './model';
import { shown, time, value } from './text';

const HEIGHT = 44;
const WALL = 1; // as src/model/metric.h numbers it

export class Strip {
  readonly host: HTMLElement;
  private canvas = el('canvas', { role: 'img', 'aria-label': 'All of time; drag to choose a range, double-click for all of it. The filter form takes a range as text.' });
  private drag: [number, number] | null = null;
  private frame = 0;
  private made: Float64Array = new Float64Array(0);
  private level: Curve | null = null; // of memory, as a line over it
  private label = '';
  private shown: [number, number] | null = null;
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

  /** What of all time is in sight. */
  window(range: [number, number] | null): void {
    this.shown = range;
    this.update();
  }

  update(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  /** Per column of pixels a height from 0 to 1; kept, for it depends on little. */
  private profile(width: number): Float64Array {
    const { app } = this, key = `${width} ${app.state.thread} ${app.state.metric}`;
    if (this.madeFor !== key) this.made = this.compute(width);
    this.madeFor = key;
    return this.made;
  }

  private compute(width: number): Float64Array {
    const { app } = this, out = new Float64Array(width), list = app.data.moments.filter(m => !app.state.thread || threadKey(m.series) === app.state.thread);
    // A few samples per bar at least: otherwise there is nothing to see but a comb.
    const samples = list.reduce((sum, m) => sum + (m.trace ? 0 : m.n), 0), bars = samples ? Math.min(width, Math.max(24, Math.floor(samples / 4))) : width;
    const memory = levelMetric(app.data), own = memory === app.state.metric, first = list.filter(m => m.series.profile === 0);
    const line = app.data.meta.profiles[0].metrics[memory];
    this.level = line ? curve(first, line, memory, app.timeRange()[0], width) : null;
    const gained = own ? null : this.gains(list, bars), heights = gained ?? (own && this.level ? Float64Array.from({ length: bars }, (_, x) => Math.max(0, this.level!.steps[Math.floor((x * width) / bars)])) : this.depths(list, bars));
    const most = heights.reduce((a, b) => Math.max(a, b), 0) || 1;
    this.label = (own && this.level ? '' : gained ? app.metric.title || app.metric.name : 'stack depth') + (line && this.level ? `${own ? '' : ', '}level of ${line.title || line.name} up to ${value(line, this.level.most)}${own ? '' : ' (line)'}` : '');
    this.canvas.setAttribute('aria-label', `${shown(this.label, 60)} over all of time; drag to choose a range, double-click for all of it. The filter form takes a range as text.`);
    for (let x = 0; x < width; x++) out[x] = heights[Math.floor((x * bars) / width)] / most;
    return out;
  }

  /** What the metric gained in each bar; null where it is nothing, or the same everywhere, as the time of a trace is. */
  private gains(list: Moments[], bars: number): Float64Array | null {
    const { app } = this, [whole] = app.timeRange(), heights = new Float64Array(bars), traced = app.metric.unit === 'ns' && list.some(m => m.trace);
    if (traced && app.metric.kind === WALL) return null;
    for (const m of list) {
      const gain = m.gain[metricOf(app.data, m.series.profile, app.state.metric)];
      if (gain) spread(m, gain, lasts(app.metric), whole, heights, 0);
    }
    let least = Infinity, most = 0;
    for (let i = 1; i < bars - 1; i++) {
      least = Math.min(least, heights[i]);
      most = Math.max(most, heights[i]);
    }
    const flat = traced && most - least <= most * 0.02;
    return flat || !heights.some(h => h > 0) ? null : heights;
  }

  private depths(list: Moments[], bars: number): Float64Array {
    const { app } = this, [whole] = app.timeRange(), { depth } = app.data.tree, heights = new Float64Array(bars), scale = (whole[1] - whole[0]) / bars;
    for (const m of list)
      for (let x = 0; x < bars; x++) {
        const first = momentAt(m, whole[0] + x * scale), last = Math.max(first, momentAt(m, whole[0] + (x + 1) * scale) - 1), step = Math.max(1, Math.floor((last - first) / 16));
        if (m.trace && first > 0 && whole[0] + x * scale <= m.start[m.n]) heights[x] = Math.max(heights[x], depth[m.node[first - 1]]);
        for (let i = first; i <= last && i < m.n; i += step) heights[x] = Math.max(heights[x], depth[m.node[i]]);
      }
    return heights;
  }

  private paintLevel(g: CanvasRenderingContext2D, { steps, most, least }: Curve, ink: string): void {
    const y = (v: number) => HEIGHT - 1 - ((v - least) / (most - least || 1)) * (HEIGHT - 16);
    g.strokeStyle = ink;
    g.lineWidth = 1.2;
    g.beginPath();
    for (let x = 0; x < steps.length; x++) g.lineTo(x + 0.5, y(steps[x]));
    g.stroke();
    g.lineWidth = 1;
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
    if (this.level) this.paintLevel(g, this.level, look.getPropertyValue('--ink'));
    const [whole, range] = this.app.timeRange();
    g.font = '11px system-ui, sans-serif';
    g.fillStyle = look.getPropertyValue('--soft');
    g.fillText('0  ' + shown(this.label, 60), 4, 10);
    const end = time(Math.round(whole[1]));
    g.fillText(end, width - g.measureText(end).width - 4, 10);
    const px = (t: number) => ((t - whole[0]) / (whole[1] - whole[0])) * width;
    const chosen: [number, number] | null = this.drag ? [Math.min(...this.drag), Math.max(...this.drag)] : range ? [px(range[0]), px(range[1])] : null;
    const seen = this.shown && (this.shown[0] > whole[0] || this.shown[1] < whole[1]) ? this.shown : null;
    if (seen) {
      g.strokeStyle = look.getPropertyValue('--ink');
      g.strokeRect(px(seen[0]) + 0.5, 0.5, Math.max(2, px(seen[1]) - px(seen[0]) - 1), HEIGHT - 1);
    }
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
