// What the page shows, as one value: kept in the URL, changed in one place, with the steps back.

import type { Data } from './data';
import type { Palette } from './colours';
import type { Filter, FilterKind } from './filters';
import { isRegex } from './filters';
import type { Selection } from './model';
import { metricOf, threadKey, threadWord } from './model';
import { escapeRegex, shellWord } from './text';

export type View = 'overview' | 'flame' | 'time' | 'sandwich' | 'tree' | 'top' | 'lines';
export const VIEWS: [View, string][] = [
  ['overview', 'Overview'], ['flame', 'Flame graph'], ['time', 'Time order'], ['sandwich', 'Callers and callees'], ['tree', 'Call tree'], ['top', 'Functions'], ['lines', 'Source'],
];

export interface State extends Selection {
  view: View;
  icicle: boolean;
  reverse: boolean;
  byWeight: boolean;
  graphs: boolean; // callers and callees as pictures, not as tables
  second: number; // a metric beside the first; -1 = none
  palette: Palette;
  zoom: number[]; // functions from the root to the zoomed frame
  part: [number, number] | null; // what of the zoomed frame is in sight, in shares of it; null = all
  window: [number, number] | null; // what of time is in sight; null = all that is chosen
  func: number; // the function in the sandwich; 0 = none
  file: string; // whose source is shown; '' = lines of all
  line: number; // of it: what to show first; 0 = the costliest
  search: string;
  ignoreCase: boolean;
  sort: string; // key of the column of functions; with "-" before it ascending
  change: 'self' | 'total';
  theme: '' | 'light' | 'dark';
}

/** The primary metric or, where the other profile has none like it, the first that both have. */
function firstMetric(data: Data): number {
  const [{ primary, metrics }, ...others] = data.meta.profiles, both = (m: number) => others.every((_, k) => metricOf(data, k + 1, m) >= 0);
  const common = metrics.findIndex((_, m) => both(m));
  return both(primary) || common < 0 ? primary : common;
}

export function initial(data: Data): State {
  return {
    view: 'overview', metric: firstMetric(data), event: '', thread: '', time: null, filters: [], normalize: false,
    icicle: false, reverse: false, byWeight: false, graphs: false, second: -1, palette: 'module', zoom: [], part: null, window: null, func: 0, file: '', line: 0, search: '', ignoreCase: true,
    sort: data.meta.profiles.length > 1 ? 'change' : 'self', change: 'self', theme: '',
  };
}

// ---- the URL ----

const FLAGS: [string, 'icicle' | 'reverse' | 'byWeight' | 'graphs' | 'ignoreCase' | 'normalize'][] =
  [['icicle', 'icicle'], ['reverse', 'reverse'], ['weight', 'byWeight'], ['graphs', 'graphs'], ['case', 'ignoreCase'], ['scaled', 'normalize']];
const TEXTS: [string, 'view' | 'event' | 'thread' | 'palette' | 'search' | 'sort' | 'change' | 'theme' | 'file'][] =
  [['view', 'view'], ['event', 'event'], ['thread', 'thread'], ['colours', 'palette'], ['search', 'search'], ['sort', 'sort'], ['change', 'change'], ['theme', 'theme'], ['file', 'file']];

const METRICS: [string, 'metric' | 'second'][] = [['metric', 'metric'], ['beside', 'second']];

/** What it names it names in words, so that it means the same in the report of the next recording. */
export function toHash(s: State, base: State, data: Data): string {
  const out = new URLSearchParams();
  for (const [key, field] of TEXTS) if (s[field] !== base[field]) out.set(key, s[field]);
  for (const [key, field] of METRICS) if (s[field] !== base[field]) out.set(key, data.meta.profiles[0].metrics[s[field]]?.name ?? '');
  if (s.func) out.set('of', data.funcs.name[s.func]);
  for (const [key, field] of FLAGS) if (s[field] !== base[field]) out.set(key, s[field] ? '1' : '0');
  for (const func of s.zoom) out.append('zoom', data.funcs.name[func]);
  if (s.line) out.set('line', String(s.line));
  if (s.time) out.set('time', s.time.join('..'));
  if (s.part) out.set('part', s.part.map(share => Number(share.toPrecision(7))).join('..'));
  if (s.window) out.set('window', s.window.map(Math.round).join('..'));
  for (const f of s.filters) out.append(f.kind, f.pattern);
  const text = out.toString();
  return text ? '#' + text : '';
}

/** All but the zoom. */
export function fromHash(hash: string, base: State, data: Data): State {
  const s: State = { ...base, filters: [], zoom: [] }, given = new URLSearchParams(hash.slice(1));
  const allowed: Record<string, readonly string[]> = {
    view: VIEWS.map(v => v[0]), palette: ['name', 'module', 'language'], change: ['self', 'total'], theme: ['light', 'dark'],
  };
  for (const [key, field] of TEXTS) {
    const v = given.get(key);
    if (v !== null && (!allowed[field] || allowed[field].includes(v))) (s as unknown as Record<string, string>)[field] = v;
  }
  for (const [key, field] of METRICS) {
    const found = given.has(key) ? data.meta.profiles[0].metrics.findIndex(m => m.name === given.get(key)) : -1;
    if (found >= 0) s[field] = found;
  }
  s.func = given.has('of') ? Math.max(0, data.funcs.name.indexOf(given.get('of')!, 1)) : 0;
  for (const [key, field] of FLAGS) if (given.has(key)) s[field] = given.get(key) === '1';
  s.line = Math.max(0, Math.floor(Number(given.get('line')))) || 0;
  for (const key of ['time', 'window', 'part'] as const) {
    const [from, to] = (given.get(key) ?? '').split('..').map(Number);
    if (to > from && (key !== 'part' || (from >= 0 && to <= 1))) s[key] = [from, to];
  }
  for (const [key, pattern] of given) if (isFilter(key)) s.filters.push({ kind: key, pattern: isRegex(pattern) ? pattern : escapeRegex(pattern) });
  return s;
}

/** The stack that an address zooms to, in names: which frame that is, filters decide. */
export function zoomNames(hash: string): string[] {
  return new URLSearchParams(hash.slice(1)).getAll('zoom');
}

export const FILTERS: [FilterKind, string, string][] = [
  ['focus', 'Focus', 'keep the stacks in which a function matches'],
  ['ignore', 'Ignore', 'drop the stacks in which a function matches'],
  ['show-from', 'Show from', 'cut each stack above its first match'],
  ['hide', 'Hide', 'take matching frames out; what they cost goes to their callers'],
  ['show', 'Show', 'take all other frames out'],
  ['collapse', 'Collapse', 'merge a match into a matching caller of the same name: collapses recursion, or with module:NAME a whole module'],
];

function isFilter(key: string): key is FilterKind {
  return FILTERS.some(f => f[0] === key);
}

export function filterText(f: Filter): string {
  return `--${f.kind} ${shellWord(f.pattern)}`;
}

// ---- the same on the command line ----

export function timeText([from, to]: [number, number]): string {
  return `${Math.round(from)}ns..${Math.round(to)}ns`;
}

export function commandLine(s: State, data: Data): string {
  const { profiles } = data.meta, inputs = data.meta.words ?? data.meta.inputs, two = profiles.length > 1, words = ['polyprof'];
  const func = s.func ? data.funcs.name[s.func] : '';
  if (s.view === 'overview') words.push(...(two ? ['diff'] : []));
  else if (two) words.push(s.view === 'flame' || s.view === 'time' ? 'flame' : 'diff');
  else if (s.view === 'sandwich') words.push('callers', shellWord(func || 'NAME'));
  else words.push({ flame: 'flame', time: 'flame', tree: 'tree', top: 'top', lines: 'lines' }[s.view]);
  // A chart of time is of one file.
  words.push(...(two && s.view === 'time' && !data.meta.words ? inputs.slice(-1) : inputs).map(shellWord));
  const metric = profiles[0].metrics[s.metric];
  if (metric && s.metric !== profiles[0].primary) words.push('-m', shellWord(metric.name));
  if (s.event) words.push('--event', shellWord(s.event));
  if (s.thread) {
    const series = data.series.find(x => threadKey(x) === s.thread);
    words.push('--thread', shellWord(series ? threadWord(series) : s.thread));
  }
  if (s.time) words.push('--time', timeText(s.time));
  if (s.view !== 'time') for (const f of s.filters) words.push(filterText(f));
  if (two && s.normalize && s.view !== 'time') words.push('--normalize', 'total');
  if (s.view === 'time') words.push('--flamechart', ...(s.icicle ? ['--icicle'] : []));
  if (s.view === 'flame') {
    if (s.icicle) words.push('--icicle');
    if (s.reverse) words.push('--reverse');
    if (s.byWeight) words.push('--sort', 'weight');
    if (s.palette !== 'module') words.push('--palette', s.palette);
  }
  if (s.view === 'top' && !two && /^-?(total|calls|name)$/.test(s.sort)) words.push('--sort', s.sort.replace('-', ''));
  if (s.view === 'flame' || s.view === 'time') words.push('-o', 'flame.svg');
  return words.join(' ');
}

/** A command line with the directories of its files left out, when it is long: what it does is worth the room. */
export function brief(line: string, inputs: string[]): string {
  return line.length < 60 ? line : inputs.reduce((text, input) => text.replace(shellWord(input), () => shellWord(input.replace(/^.*\/(?=.)/, '\u2026/'))), line);
}

/** Which views this data has something for; the others say why they are empty. */
export function why(view: View, data: Data): string {
  const p = data.meta.profiles, format = [...new Set(p.map(x => x.format))].join(' and ');
  const tree = p.every(x => x.facets.includes('tree')) && data.tree.n > 1;
  const noStacks = `This ${format} profile records which function calls which, not whole stacks: they cannot be drawn without guessing.`;
  if ((view === 'flame' || view === 'tree') && !tree)
    return p.some(x => x.facets.includes('edges')) ? noStacks + ' Callers and callees, and Functions, show what it knows.' : `This ${format} profile holds no stacks.`;
  if (view === 'time' && !data.moments.length) return `This ${format} profile does not say when things happened.`;
  if (view === 'sandwich' && !tree && !data.edges.some(e => e)) return `This ${format} profile does not say which function calls which.`;
  if (view === 'lines' && !data.lines.some(l => l) && !data.sources.files.length) return `This ${format} profile does not say what individual source lines cost.`;
  if (view === 'top' && !data.flat.some(f => f)) return `This ${format} profile holds no costs.`;
  if (p.length > 1 && metricOf(data, 1, p[0].primary) < 0) return '';
  return '';
}
