// How functions changed over time: one line per value of a label, from a store's trend or from files in their order.

import { button, el, fill, select } from '../viewer/dom';
import { digits, escapeRegex, percent, plural, shown } from '../viewer/text';
import type { Params } from './api';
import { Refused, askJson } from './api';
import { valueOf } from './cost';
import { refill } from '../viewer/focus';
import type { Question } from './question';
import { moment, titleOf, viewAddress } from './question';

interface Point {
  time: number; // ns since 1970, or the number of a file
  by: string;
  value: number;
  se: number;
  share: number;
  profiles: number;
  open: Params; // what this point is made of
}

interface Step {
  name: string;
  file: string;
  time: number;
  by: string;
  before: number;
  after: number;
  status: string;
}

interface TrendData {
  function: string;
  unit: string;
  metric: string;
  points: Point[];
  steps: Step[];
  names: [string, number][]; // functions to choose from, with their cost
  ordinal: boolean; // times are numbers of files
  titles: string[]; // of these
  shares: boolean; // steps are of shares, not of costs
  few: boolean; // profiles: too few runs to tell a change from noise
  why?: string; // there are no steps: what was asked for makes no sense
}

/** Colours that people with any eyes can tell apart, on white and on black. */
const COLOURS = ['#d9622b', '#2f7fd1', '#2f9e63', '#a855c7', '#c79a12', '#15a0a8', '#c7447a', '#7a7f8a'];
const EVERY: [string, string][] = [['', 'automatic'], ['10m', '10 minutes'], ['1h', 'hour'], ['1d', 'day'], ['1w', 'week']];

type Json = Record<string, unknown>;
const textOf = (v: unknown) => (v && typeof v === 'object' ? Object.values(v as Json).join(', ') : v === undefined || v === null ? '' : String(v));

/** The profiles of one line: those with that value of the label, if it is one. */
function lineOf(question: Question, by: string, value: string): Params {
  const where = question.params.filter(([key]) => key === 'where').map(([, said]) => said).join(''), only = by && `${by}="${value.replace(/[\\"]/g, '\\$&')}"`, both = where && only ? `(${where}) and ${only}` : where || only;
  return [...question.params.filter(([key]) => !['where', 'since', 'until', 'between'].includes(key)), ...(both ? [['where', both] as [string, string]] : [])];
}

async function fromStore(question: Question, func: string, by: string, every: string, named = true): Promise<TrendData> {
  const more: Params = [['n', '20'], ...(func ? [['function', func] as [string, string]] : []), ...(by ? [['by', by] as [string, string]] : []), ...(every ? [['every', every] as [string, string]] : [])];
  const ask = (params: Params) => askJson<Json>('trend', [...question.params, ...params]);
  const rest = more.filter(([k]) => k !== 'function' && k !== 'n'), all = func ? await ask(more.filter(([k]) => k !== 'n')) : await ask(rest);
  const rows = (list: unknown) => (Array.isArray(list) ? list as Json[] : []), steps = rows(all.steps).map((s): Step => ({
    name: textOf(s.name ?? func), file: textOf(s.file), time: Number(s.time ?? 0), by: textOf(s.by), before: Number(s.before ?? 0), after: Number(s.after ?? 0), status: textOf(s.status),
  }));
  const top = named ? await askJson<{ functions?: { name: string; self: Record<string, number> }[] }>('top', [...question.params, ['n', '40']]).catch(() => ({ functions: [] })) : {};
  return {
    function: func, unit: textOf(all.unit), metric: textOf(all.metric), steps, ordinal: false, shares: false, few: all.too_few === true, titles: [],
    names: (top.functions ?? []).map((f): [string, number] => [f.name, Number(Object.values(f.self)[0] ?? 0)]),
    points: rows(all.points).map((p): Point => ({
      time: Number(p.time), by: textOf(p.by), value: Number(p.mean ?? p.self ?? 0), se: Number(p.se ?? 0), share: Number(p.whole) ? Number(p.self) / Number(p.whole) : 0, profiles: Number(p.profiles ?? 1),
      open: [...lineOf(question, by, textOf(p.by)), ['since', '@' + Math.floor(Number(p.time) / 1e9)], ['until', '@' + Math.ceil((Number(p.time) + Number(all.every ?? 3600e9)) / 1e9)]],
    })),
  };
}

interface TopAnswer {
  metric: string;
  unit: string;
  total: number;
  functions: { name: string; self: Record<string, number> }[];
}

/** One profile among several in order. */
interface Item {
  open: Params;
  title: string;
  time: number;
}

const MOST = 60; // profiles that are asked one by one

/** Profiles one after the other: what each function costs in each of them. */
async function fromItems(items: Item[], func: string): Promise<TrendData> {
  const answers: TopAnswer[] = [];
  for (const item of items) answers.push(await askJson<TopAnswer>('top', [...item.open, ['n', '400']]));
  const metric = answers[0]?.metric ?? '', wholes = answers.map(a => a.total || 1), costs = new Map<string, number[]>();
  answers.forEach((a, i) => a.functions.forEach(f => {
    const list = costs.get(f.name) ?? costs.set(f.name, items.map(() => 0)).get(f.name)!;
    list[i] += f.self[metric] ?? 0;
  }));
  const share = (name: string, i: number) => (costs.get(name)?.[i] ?? 0) / wholes[i];
  const names = [...costs.keys()].map((name): [string, number] => [name, Math.max(...items.map((_, i) => share(name, i)))]).sort((a, b) => b[1] - a[1]).slice(0, 40), chosen = func ? [func] : names.slice(0, 5).map(n => n[0]);
  return {
    function: func, unit: answers[0]?.unit ?? '', metric, names, steps: [], ordinal: true, shares: true, few: false, titles: items.map(i => i.title),
    points: chosen.flatMap(name => items.map((item, i): Point => ({ time: item.time, by: func ? '' : name, value: costs.get(name)?.[i] ?? 0, se: 0, share: share(name, i), profiles: 1, open: item.open }))),
  };
}

/** Files in their order; which functions changed by more than noise is told by the server. */
async function fromFiles(question: Question, func: string): Promise<TrendData> {
  const files = question.files.slice(0, MOST), items = files.map((file, i): Item => ({ open: [['file', file]], title: file.replace(/^.*\/(?=.)/, ''), time: i }));
  const drawn = await fromItems(items, func);
  try {
    const { rows, too_few: few = false } = await askJson<{ rows: [string, string, number, number, number, number][]; too_few?: boolean }>('trend', files.map((file): [string, string] => ['file', file]));
    const steps = rows.map(([name, , time, before, after]): Step => ({ name, file: '', time, by: '', before: before / 100, after: after / 100, status: after > before ? 'grew' : 'shrank' }));
    return { ...drawn, few, steps: steps.filter(s => !func || s.name === func) };
  } catch (error) {
    if (error instanceof Refused) return { ...drawn, why: error.message };
    throw error;
  }
}

const LINES = 5; // functions that are drawn where none was chosen

/** Functions that changed and the costliest ones, each over all of the time. */
async function fromFunctions(question: Question, every: string, told: TrendData): Promise<TrendData> {
  const names = [...new Set([...told.steps.map(s => s.name).slice(0, LINES - 2), ...told.names.filter(([, cost]) => cost > 0).map(([name]) => name)])].slice(0, LINES);
  const lines = await Promise.all(names.map(name => fromStore(question, name, '', every, false)));
  return { ...told, points: lines.flatMap((line, i) => line.points.map(p => ({ ...p, by: names[i] }))) };
}

/** A store's trend: of one function, or where there is none that is called so, of those that there are. */
async function overTime(question: Question, func: string, by: string, every: string): Promise<TrendData> {
  try {
    const data = await fromStore(question, func, by, every);
    return func ? data : await fromFunctions(question, every, data);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 400 || !(func || by || every)) throw error;
    return { ...await overTime(question, '', '', ''), steps: [], why: error.message };
  }
}

const svg = <K extends keyof SVGElementTagNameMap>(tag: K, props: Record<string, string | number>, ...children: (Node | string)[]): SVGElementTagNameMap[K] => {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(props)) e.setAttribute(k, String(v));
  e.append(...children);
  return e;
};

/** Round steps along an axis. */
function ticks(most: number, n: number): number[] {
  const rough = most / n || 1, size = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(f => f * size).find(s => s >= rough)!, out: number[] = [];
  for (let v = 0; v <= most * 1.0001; v += step) out.push(v);
  return out;
}

export class TrendChart {
  readonly host = el('figure', { class: 'trend' });

  constructor(private data: TrendData, private shares: boolean, private open: (p: Point) => void) {
    new ResizeObserver(() => this.draw()).observe(this.host);
  }

  private draw(): void {
    const { points, ordinal, titles, unit } = this.data, width = Math.max(280, this.host.clientWidth), height = Math.max(220, Math.min(380, width / 2.6)), left = 64, right = 14, top = 12, bottom = 34;
    const value = (p: Point) => (this.shares ? p.share : p.value), most = Math.max(...points.map(p => value(p) + (this.shares ? 0 : p.se))) || 1, times = points.map(p => p.time), from = Math.min(...times), to = Math.max(...times, from + (ordinal ? 1 : 1e9));
    const x = (t: number) => left + ((t - from) / (to - from)) * (width - left - right), y = (v: number) => height - bottom - (v / most) * (height - top - bottom), said = (v: number) => (v === 0 ? '0' : this.shares ? percent(v, 1) : valueOf(v, unit));
    const groups = [...new Set(points.map(p => p.by))], picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': `Cost over ${ordinal ? 'profiles' : 'time'}` });
    for (const v of ticks(most, 4)) picture.append(svg('line', { x1: left, x2: width - right, y1: y(v), y2: y(v), class: 'grid' }), svg('text', { x: left - 8, y: y(v) + 4, class: 'axis end' }, said(v)));
    const span = to - from, [first, last] = span > 14 * 86400e9 ? [5, 10] : span > 2 * 86400e9 ? [5, 16] : span > 600e9 ? [11, 16] : [11, 19], label = (t: number) => (ordinal ? shown(titles[t] ?? '', 14) : new Date(t / 1e6).toISOString().slice(first, last).replace('T', ' ')), marks = [...new Set(times)].sort((a, b) => a - b), each = Math.max(1, Math.ceil(marks.length / Math.max(2, Math.floor(width / 110))));
    marks.forEach((t, i) => i % each === 0 && picture.append(svg('text', { x: Math.max(left, Math.min(x(t), width - 40)), y: height - 12, class: i ? 'axis middle' : 'axis' }, label(t))));
    for (const step of this.data.steps.filter(s => this.data.function || groups.includes(s.name))) picture.append(svg('line', { x1: x(step.time), x2: x(step.time), y1: top, y2: height - bottom, class: 'step' }));
    const crowded = (width - left - right) / marks.length < 12;
    // A line is one stop of the keyboard, along which arrows lead.
    const lines: SVGElement[][] = groups.map(() => []), step = (e: KeyboardEvent, g: number, i: number) => {
      const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[e.key], line = by && lines[g + by[0]], to = line?.[Math.min(i + by![1], by![1] ? Infinity : line.length - 1)];
      if (!to) return;
      e.preventDefault();
      for (const dot of line!) dot.setAttribute('tabindex', '-1');
      to.setAttribute('tabindex', '0');
      to.focus();
    };
    groups.forEach((by, g) => {
      const list = points.filter(p => p.by === by).sort((a, b) => a.time - b.time), colour = COLOURS[g % COLOURS.length];
      if (!this.shares && list.some(p => p.se > 0)) picture.append(svg('path', { d: 'M' + [...list.map(p => `${x(p.time)},${y(p.value + p.se)}`), ...[...list].reverse().map(p => `${x(p.time)},${y(Math.max(0, p.value - p.se))}`)].join('L') + 'Z', fill: colour, class: 'band' }));
      picture.append(svg('path', { d: 'M' + list.map(p => `${x(p.time).toFixed(1)},${y(value(p)).toFixed(1)}`).join('L'), stroke: colour, class: 'line' }));
      for (const [i, p] of list.entries()) {
        const words = [by, ordinal ? titles[p.time] ?? '' : moment(p.time / 1e9), `${valueOf(p.value, unit)}${p.se ? ' \u00b1 ' + valueOf(p.se, unit) : ''}, ${percent(p.share, 1)}`, ordinal ? '' : plural(p.profiles, 'profile', 'profiles')].filter(Boolean).map(w => shown(w, 120)).join(', ');
        const dot = svg('circle', { cx: x(p.time), cy: y(value(p)), r: crowded ? 2.5 : 4, fill: colour, class: 'dot', tabindex: i ? -1 : 0, role: 'link', 'aria-label': words }, svg('title', {}, words));
        dot.addEventListener('click', () => this.open(p));
        dot.addEventListener('keydown', e => (e.key === 'Enter' ? this.open(p) : step(e, g, i)));
        lines[g].push(dot);
        picture.append(dot);
      }
    });
    const key = el('ul', { class: 'legend', 'aria-label': 'Legend' }, ...(groups.length > 1 || groups[0] ? groups.map((by, g) => {
      const swatch = el('i', {});
      swatch.style.background = COLOURS[g % COLOURS.length];
      return el('li', {}, swatch, shown(by, 60) || '(none)');
    }) : []));
    fill(this.host, picture, key);
  }
}

export async function openTrend(question: Question): Promise<void> {
  const given = () => {
    const query = new URLSearchParams(location.search), word = (key: string) => query.get(key) ?? '';
    return { function: word('function'), by: word('by'), every: word('every'), show: word('show') || 'share', theme: word('theme') };
  };
  const state = given();
  let asked = 0;
  const chart = el('div', { class: 'chart' }), tools = el('div', { class: 'tools' }), steps = el('div', { class: 'steps' }), status = el('p', { class: 'sub', role: 'status' }, 'Asking\u2026'), files = question.files.length > 2;
  const dark = () => (state.theme ? state.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches), theme = () => (document.documentElement.dataset.theme = dark() ? 'dark' : 'light');
  document.body.append(el('div', { class: 'app listing' }, el('header', {}, el('div', { class: 'brand' }, el('a', { class: 'home', href: '/' }, '\u2039 Profiles'), el('h1', {}, 'Trend of ' + shown(files ? plural(question.files.length, 'profile', 'profiles') : titleOf(question), 100)), status), tools), el('main', { tabindex: -1, class: 'trends' }, chart, steps)));
  document.title = 'Trend \u2013 polyprof';
  theme();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', theme);
  const set = (change: Partial<typeof state>) => {
    Object.assign(state, change);
    const query = new URLSearchParams([['trend', ''], ...question.params]);
    for (const [k, v] of Object.entries(state)) if (v && !(k === 'show' && v === 'share')) query.set(k, v);
    // Another function is another page, to which a way leads back.
    history['function' in change ? 'pushState' : 'replaceState'](null, '', '/?' + query);
    again();
  };
  const again = () => {
    theme();
    void draw().catch(error => fill(status, shown(error instanceof Error ? error.message : String(error), 300)));
  };
  window.addEventListener('popstate', () => {
    Object.assign(state, given());
    again();
  });
  const draw = async () => {
    const turn = ++asked;
    fill(status, 'Asking\u2026');
    const data = files ? await fromFiles(question, state.function) : await overTime(question, state.function, state.by, state.every);
    if (turn !== asked) return; // something else was asked since
    const name = el('input', { type: 'text', 'aria-label': 'Function', placeholder: 'function', value: state.function, list: 'functions', spellcheck: 'false', autocomplete: 'off', onchange: () => set({ function: name.value }) });
    const by = el('input', { type: 'text', class: 'by', 'aria-label': 'One line per value of label', placeholder: 'label', value: state.by, spellcheck: 'false', autocomplete: 'off', onchange: () => set({ by: by.value }) });
    refill(tools, el('label', { class: 'pick' }, el('span', {}, 'Function'), name), el('datalist', { id: 'functions' }, ...data.names.map(([n]) => el('option', { value: n }))),
      !files && el('label', { class: 'pick' }, el('span', {}, 'By'), by), !files && select('Every', EVERY, state.every, v => set({ every: v })),
      select('Show', [['share', 'share of all'], ['cost', 'cost']], state.show, v => set({ show: v })), button('\u25d0', 'Dark or light', () => set({ theme: dark() ? 'light' : 'dark' }), { id: 'theme' }));
    fill(status, data.points.length ? `${shown(data.function ? `${data.function} itself` : (data.steps.length && !files ? 'What changed, and what costs most' : 'The costliest functions'), 80)}, ${plural(new Set(data.points.map(p => p.time)).size, 'point', 'points')}${files ? '' : ', times in UTC'}` : files || state.function ? 'Nothing was found.' : 'Choose a function, or one of those that changed');
    fill(chart, data.points.length > 0 && new TrendChart(data, state.show === 'share', p => location.assign(viewAddress(p.open) + (data.function || p.by ? '#search=' + encodeURIComponent('^' + escapeRegex(data.function || p.by) + '$') : ''))).host);
    refill(steps, el('h2', {}, data.why ? shown(data.why, 300) : data.steps.length ? 'What changed' : data.few ? `Too few runs to tell a change from noise: 3 profiles before it and 3 after it are needed${state.by ? ' of each line' : ''}` : state.function ? 'It did not change by more than noise' : 'No function changed by more than noise'), data.steps.length > 0 && el('table', { class: 'profiles' },
      el('thead', {}, el('tr', {}, ...['Function', 'When', 'Before', 'After', 'Change'].map((t, i) => el('th', { scope: 'col', class: i > 1 ? 'number' : '' }, t)))),
      el('tbody', {}, ...data.steps.slice(0, 100).map(s => {
        const said = (v: number) => (data.shares ? percent(v, 1) || '0%' : valueOf(v, data.unit));
        return el('tr', {}, el('td', { class: 'name' }, button(shown(s.name, 120) || '(no name)', 'Draw ' + shown(s.name, 120), () => set({ function: s.name }), { class: 'link' }, 60), s.by && el('small', {}, shown(s.by, 60))),
          el('td', {}, data.ordinal ? shown(data.titles[s.time] ?? '', 40) : moment(s.time / 1e9)), el('td', { class: 'number' }, said(s.before)), el('td', { class: 'number' }, said(s.after)),
          el('td', { class: 'number ' + (s.after > s.before ? 'grew' : 'shrank') }, s.before ? `${s.after > s.before ? '+' : ''}${percent(s.after - s.before, Math.abs(s.before))}` : 'new'));
      }))));
    document.documentElement.dataset.ready = digits(data.points.length);
  };
  await draw().catch(error => {
    fill(status);
    throw error;
  });
}
