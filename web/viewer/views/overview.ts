// The first view: what was profiled, what it cost, what costs most, and where to look next.

import type { App } from '../app';
import type { Panel, Thing } from '../panel';
import { curve } from '../curves';
import type { Fact, Metric, ProfileInfo } from '../data';
import { button, el, fill, named } from '../dom';
import { Flame } from '../flame';
import type { Layer } from '../layers';
import { pathOf } from '../layers';
import { refill } from '../focus';
import { Legend } from '../legend';
import { metricOf } from '../model';
import type { Noise } from '../noise';
import { why } from '../state';
import { TONES } from './top';
import { canonical, escapeCsv, exact, percent, moment, plural, share, shown, time, value } from '../text';

const ROWS = 10;
const FACT = 60; // letters of a name in a finding
const METRICS = 8; // in sight at once
const BINS = 160;
const FACTS = 6; // in sight
const CURVES = 3; // in sight
const PATH = 28; // lines
const RUN = 4; // longer runs of frames that cost the same are folded, as the summary does it

/** Where cards stand: by their titles, the names of areas in the style. */
const PLACES: Record<string, string> = { Totals: 'totals', Findings: 'findings', 'Costliest functions': 'costliest', 'What changed most': 'costliest', 'Hottest path': 'hottest', 'Flame graph': 'graph', 'Over time': 'curves' };

function fileTotal(m: Metric): number {
  return (m.total / m.num) * m.den * 10 ** m.scale;
}

export class OverviewView implements Panel {
  readonly host = el('section', { class: 'view overview-page' });
  private flame: Flame | null = null;
  private layer: Layer | null = null;
  private scene: unknown = null; // what it was made for
  private dark = false;
  private metric = -1;
  private noise: Noise | null = null;

  private legend: Legend;

  constructor(private app: App) {
    this.legend = new Legend(app, () => this.flame!.inSight(app.data.funcs.n));
  }

  update(): void {
    const { app } = this;
    if (this.scene === app.scene && this.dark === app.dark && this.metric === app.state.metric && (!app.compares || this.noise === app.noise)) return;
    this.scene = app.scene;
    this.noise = app.compares ? app.noise : null;
    this.dark = app.dark;
    this.metric = app.state.metric;
    if (app.data.funcs.n < 2) return fill(this.host, this.what(), el('p', { class: 'lacks' }, 'This profile is empty.'));
    // In the order in which they are read; where there is room for two columns, style says which stands where.
    refill(this.host, this.what(), el('div', { class: 'cards' }, this.totals(), this.findings(), this.costliest(), this.hottest(), this.graph(), this.curves()));
  }

  private card(title: string, ...inside: (Node | null)[]): HTMLElement {
    return el('section', { class: 'card ' + PLACES[title], 'aria-label': title }, el('h2', {}, title), ...inside);
  }

  /** What, when and where, in one line. */
  private what(): Node {
    const { remote } = this.app, file = (p: ProfileInfo) => p.file.replace(/^.*\//, '');
    // Of a store's profiles that were added up the first gives its name to the whole.
    const name = (p: ProfileInfo) => (p.runs ? plural(p.runs, 'profile', 'profiles') : p.what || (remote && !remote.about.includes(file(p)) ? '' : file(p)));
    const facts = this.app.data.meta.profiles.map(p => [name(p), recorded(p), plural(p.functions, 'function', 'functions')].filter(Boolean).join(', '));
    const each = [...new Set(facts)], alike = each.length < facts.length && this.app.data.meta.profiles.every(p => p.runs);
    return el('p', { class: 'what-line' }, shown(each.join(' \u2192 ') + (alike ? ' on each side' : ''), 400));
  }

  private totals(): HTMLElement {
    const { profiles } = this.app.data.meta, { metrics } = profiles[0], listed = metrics.filter(m => m.net === undefined);
    const row = (m: Metric) => {
      const others = profiles.slice(1).map((_, k) => profiles[k + 1].metrics[metricOf(this.app.data, k + 1, metrics.indexOf(m))]).filter(Boolean);
      const gained = profiles.length > 1 ? undefined : metrics.find(x => x.net === metrics.indexOf(m));
      const text = gained ? `${value(m, fileTotal(m))} net, ${value(m, fileTotal(gained))} gained` : [m, ...others].map(x => value(x, fileTotal(x))).join(' \u2192 ');
      const name = m.title || m.name;
      return el('tr', {}, el('th', { scope: 'row' }, listed.length > 1 ? button(shown(name, 48), `Show ${shown(name, 48)} everywhere`, () => this.app.set({ metric: metrics.indexOf(m) }), { class: 'link', 'aria-pressed': String(this.app.state.metric === metrics.indexOf(m)) }) : shown(name, 48)),
        el('td', { class: 'number', title: exact(m, fileTotal(m)) }, el('span', {}, text)));
    };
    const table = (list: Metric[]) => el('table', { class: 'plain' }, el('tbody', {}, ...list.map(row)));
    const sums = listed.filter(m => m.sums), first = [...sums.filter(m => m.total), ...sums.filter(m => !m.total)].slice(0, METRICS), rest = listed.filter(m => !first.includes(m));
    return this.card('Totals', table(first), rest.length ? el('details', {}, el('summary', {}, plural(rest.length, 'more metric', 'more metrics')), table(rest)) : null);
  }

  /** What the numbers say by themselves; a function that is named leads to its callers. */
  private findings(): HTMLElement | null {
    const { app } = this, { facts, profiles } = app.data.meta;
    if (!facts?.length || app.scene.whole.every(w => w === 0)) return this.fewFindings();
    const upper = (text: string) => text.replace(/^[a-z](?=[a-z]* )/, c => c.toUpperCase());
    const sentence = ({ text, of, rest }: Fact): (Node | string)[] => {
      const func = of && rest !== undefined ? app.data.funcs.name.indexOf(of, 1) : -1;
      if (of && rest !== undefined) return [shown(upper(text), 300), func > 0 ? this.link(func, FACT) : el('code', {}, ...named(shown(of, 4096), FACT)), shown(rest, 600)];
      return [shown(upper(text), 600)];
    };
    const { metric, primary } = { metric: app.state.metric, primary: profiles[0].metrics[profiles[0].primary] };
    return this.card('Findings', el('ul', { class: 'facts' }, app.compares && el('li', {}, el('small', { class: 'share' }), el('span', {}, this.whole())), ...facts.slice(0, FACTS).map(f => el('li', {}, el('small', { class: 'share' }, f.share > 0 ? percent(f.share, 1) : ''), el('span', {}, ...sentence(f))))),
      metric !== profiles[0].primary || !app.plain ? el('p', { class: 'aside' }, `Of the whole profile, by ${shown(primary?.title || primary?.name || 'cost', 48)}.`) : null);
  }

  /** A function by its name, which leads to its callers. */
  private link(func: number, room: number): HTMLElement {
    const name = this.app.name(func);
    return button(name, `Callers and callees of ${name}`, () => this.app.sandwich(func), { class: 'link' }, room);
  }

  private fewFindings(): HTMLElement | null {
    const { profiles } = this.app.data.meta, out: string[] = [];
    if (profiles.some(p => !p.complete)) out.push('The profile is damaged or was cut off: this is what could be read.');
    if (profiles.some(p => p.estimated)) out.push('The stacks were reconstructed, not recorded: they are an estimate.');
    const [first] = this.app.scene.flat().first('self', this.app.data.funcs, 1), share = first ? first.self[this.app.main0] / this.app.scene.whole[this.app.main0] : 0;
    if (this.app.compares) out.push(this.whole());
    else if (share > 0.3 && share <= 1) out.push(`${this.app.name(first.func)} alone is ${percent(share, 1)} of everything.`);
    if (this.app.scene.whole.every(w => w === 0)) out.push('Everything costs 0.');
    return out.length ? this.card('Findings', el('ul', {}, ...out.map(text => el('li', {}, text)))) : null;
  }

  /** What changed most, noise left out. */
  private changed(): HTMLElement {
    const { app } = this, { noise } = app, list = app.scene.flat().sorted('change', app.data.funcs).map(r => ({ r, verdict: noise.verdicts(r.func, r.self, r.total, app.plain)[0] ?? 'noise' as const }));
    const rows = list.filter(x => x.verdict !== 'same' && x.verdict !== 'noise' && x.r.self[0] !== x.r.self[1]).slice(0, ROWS), quiet = list.filter(x => x.verdict === 'noise').length;
    const number = (text: string, title: string, tone = '') => el('td', { class: 'number ' + tone, title }, text), head = (text: string) => el('th', { scope: 'col', class: 'number' }, text);
    const all = button('All functions', 'All functions', () => app.set({ view: 'top' }), { class: 'more' });
    const note = el('p', { class: 'aside' }, [quiet ? `${plural(quiet, 'function', 'functions')} within noise.` : '', `${noise.rule[0].toUpperCase()}${noise.rule.slice(1)}.`].join(' ').trim());
    if (!rows.length) return this.card('What changed most', el('p', {}, 'No function changed beyond noise.'), note, all);
    return this.card('What changed most', el('table', { class: 'plain functions changes' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Function'), head('Before'), head('After'), head('Change'), head('%'), el('th', { scope: 'col' }, 'Verdict'))),
      el('tbody', {}, ...rows.map(({ r, verdict }) => {
        const [a, b] = r.self, d = b - a, sign = d > 0 ? '+' : '';
        return el('tr', {}, el('td', { class: 'name' }, this.link(r.func, this.room(0.28, 60)), ' ', el('small', {}, app.placeLink(r.func))),
          number(app.value(a), app.exact(a)), number(app.value(b), app.exact(b)), number(sign + app.value(d), app.exact(d), TONES[verdict]), number(a ? sign + percent(d, Math.abs(a)) : '', '', TONES[verdict]), el('td', { class: TONES[verdict] }, verdict));
      }))), note, all);
  }

  /** What became of the whole. */
  private whole(): string {
    const { app } = this, [a, b] = app.scene.whole, d = b - a;
    return `${shown(app.metric.title || app.metric.name, 48)}: ${app.value(a)} before, ${app.value(b)} after${a ? ` (${d > 0 ? '+' : ''}${percent(d, Math.abs(a))}, ${app.noise.judgeWhole(a, b)})` : ''}.`;
  }

  private costliest(): HTMLElement {
    if (this.app.compares) return this.changed();
    const { app } = this, whole = app.scene.whole[app.main0], rows = app.scene.flat().first('self', app.data.funcs, ROWS);
    const net = app.falls ? app.sceneOf(app.state.metric).flat() : null;
    const plain = (raw: number) => el('td', { class: 'number', title: app.exact(raw) }, el('span', {}, app.value(raw)));
    const cell = (raw: number) => {
      const bar = el('span', { class: 'bar' });
      bar.style.width = (whole > 0 ? Math.max(0, Math.min(1, raw / whole)) : 0) * 100 + '%';
      return el('td', { class: 'number', title: app.exact(raw) }, bar, el('span', {}, app.value(raw)), ' ', el('small', {}, share(raw, whole)));
    };
    const heads = net ? ['Gained', 'Given back', 'Net', 'Total gained'] : ['Self', 'Total'];
    return this.card('Costliest functions', el('table', { class: 'plain functions' + (net ? ' falls' : '') },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Function'), ...heads.map(text => el('th', { scope: 'col', class: 'number' }, text)))),
      el('tbody', {}, ...rows.map(r => {
        const left = net?.row(r.func).self[0] ?? 0;
        return el('tr', {}, el('td', { class: 'name' }, this.link(r.func, this.room(net ? 0.26 : 0.34, 60)), ' ', el('small', {}, app.placeLink(r.func))),
          cell(r.self[0]), ...(net ? [plain(r.self[0] - left), plain(left)] : []), cell(r.total[0]));
      }))), button('All functions', 'All functions', () => app.set({ view: 'top' }), { class: 'more' }));
  }

  /** Letters of a name that fit a part of the page. */
  private room(share: number, less: number): number {
    const wide = (this.host.clientWidth || innerWidth) - 60;
    return Math.max(12, Math.floor((innerWidth <= 760 ? wide * (less < 100 ? 0.52 : 1) - (less < 100 ? 0 : 60) : wide * share - less) / 7.3));
  }

  /** The costliest way down until a frame costs more itself than any that it calls, as the summary has it; of two profiles that of the later. */
  private hottest(): HTMLElement | null {
    const { app } = this, k = app.main0, whole = app.scene.whole[k], path: number[] = [];
    if (why('tree', app.data) || !(whole > 0)) return null;
    const layer = app.stacks(false);
    for (let node = 0; ;) {
      let best = -1;
      const kids = layer.children(node);
      for (let i = 0; i < kids.length; i++) if (layer.func(kids[i]) && (best < 0 || layer.total(kids[i], k) > layer.total(best, k))) best = kids[i];
      if (best < 0 || !(layer.total(best, k) > 0) || (node && layer.total(best, k) < layer.self(node, k))) break;
      path.push((node = best));
    }
    if (!path.length) return null;
    const { metric } = app, rows = this.pathRows(layer, path, node => percent(layer.total(node, k), whole)), more = rows.length - PATH;
    return this.card('Hottest path', el('ol', { class: 'path' }, ...rows.slice(0, PATH)), more > 0 ? el('p', { class: 'aside' }, `and ${plural(more, 'frame', 'frames')} further in`) : null,
      app.compares ? el('p', { class: 'aside' }, `Of the later profile, in percent of its ${shown(metric.title || metric.name || 'cost', 48)}.`) : null);
  }

  /** Recursion is one step, and of a run of frames that cost the same both ends are shown. */
  private pathRows(layer: Layer, path: number[], share: (node: number) => string): Node[] {
    const { app } = this, k = app.main0, rows: Node[] = [], note = (text: string) => el('li', {}, el('small', { class: 'share' }), el('small', {}, text));
    for (let i = 0; i < path.length;) {
      const node = path[i], func = layer.func(node), name = app.name(func);
      let again = 1, same = 1;
      while (i + again < path.length && layer.func(path[i + again]) === func) again++;
      while (i + same < path.length && layer.total(path[i + same], k) === layer.total(node, k)) same++;
      rows.push(el('li', {}, el('small', { class: 'share' }, share(node)), ' ', button(name, `Flame graph of ${name}`, () => app.set({ view: 'flame', zoom: pathOf(layer, node) }), { class: 'link' }, this.room(0.33, 110)),
        again > 1 ? el('small', {}, ` ${again} levels`) : null));
      if (again > 1) i += again;
      else if (same > RUN) {
        rows.push(note(`${plural(same - 2, 'frame', 'frames')} without branches`));
        i += same - 1;
      } else i++;
    }
    return rows;
  }

  private thing(node: number | null): Thing | null {
    const l = this.layer, costs = this.app.scene.costs.keys();
    return l && node !== null && node > 0 ? { func: l.func(node), more: l.more(node), total: Array.from(costs, k => l.total(node, k)), stack: l.stack(node), judged: l.of(node, 1) } : null;
  }

  private graph(): HTMLElement | null {
    const { app } = this;
    if (why('flame', app.data) || !(app.scene.width.at(0) > 0)) return null;
    this.layer = app.stacks(false);
    this.flame ??= new Flame('Small flame graph', {
      funcs: app.data.funcs, label: n => (n ? app.name(this.layer!.func(n)) : 'all'), colour: n => (n ? app.frameColour(this.layer!, n) : app.dark ? '#4a4b55' : '#d5d5dc'),
      match: n => !!n && !!app.hits?.[this.layer!.func(n)], searching: () => !!app.hits, dark: () => app.dark,
    }, {
      hover: (node, _box, x, y) => app.hover(x, y, this.thing(node)),
      select: node => app.tell(this.thing(node)),
      zoomed: node => app.set({ view: 'flame', zoom: pathOf(this.layer!, node) }),
      menu: (node, x, y) => app.menuFor(this.layer!.func(node), x, y),
      laid: () => this.legend.update(),
    });
    this.flame.tallest = 270;
    this.flame.up = !app.state.icicle;
    this.flame.set(this.layer);
    return this.card('Flame graph', this.flame.host, this.legend.host);
  }

  /** Each metric over time, memory in use and the chosen one first. What falls again is drawn as its level, the rest as what came in each step. */
  private curves(): HTMLElement | null {
    const { app } = this, { moments, meta } = app.data, [whole] = app.timeRange(), bin = (whole[1] - whole[0]) / BINS, found: [number, Node][] = [];
    const of = moments.filter(x => x.series.profile === 0);
    meta.profiles[0].metrics.forEach((m, i) => {
      const made = m.net === undefined ? curve(of, m, i, whole, BINS) : null;
      if (!made) return;
      const { steps, level, least, most, series } = made, line = shown((level ? 'level of ' : '') + (m.title || m.name), 60);
      // Threads run no longer than time passes, though some samples stand closer than they should.
      const says = level ? `up to ${value(m, most)}` : m.unit === 'ns' ? `up to ${percent(Math.min(canonical(m, most), series * bin), bin)} of the time` : `at most ${value(m, most)} in ${time(bin)}`;
      found.push([level ? 0 : i === app.state.metric ? 1 : 2, el('figure', {}, curvePicture(steps, least, most, `${line} over time`), el('figcaption', {}, `${line}: ${says}`))]);
    });
    const all = found.sort((a, b) => a[0] - b[0]).map(([, figure]) => figure), rest = all.slice(CURVES);
    return all.length ? this.card('Over time', ...all.slice(0, CURVES), rest.length ? el('details', {}, el('summary', {}, plural(rest.length, 'more metric', 'more metrics')), ...rest) : null) : null;
  }

  search(): void {
    this.flame?.draw();
  }

  press(e: KeyboardEvent): void {
    this.flame?.key(e);
    this.flame?.focus();
  }

  focus(): void {
    this.host.querySelector<HTMLElement>('button')?.focus();
  }

  print(on: boolean): void {
    this.flame?.print(on);
    if (this.flame) this.legend.draw();
  }

  csv(): string {
    const { app } = this, k = app.main0, net = app.falls ? app.sceneOf(app.state.metric).flat() : null, left = (func: number) => net!.row(func).self[0], number = (raw: number) => canonical(app.metric, raw);
    return (net ? 'function,gained,given_back,net,total_gained\r\n' : 'function,self,total\r\n') + app.scene.flat().first('self', app.data.funcs, ROWS)
      .map(r => [escapeCsv(app.data.funcs.name[r.func]), number(r.self[k]), ...(net ? [number(r.self[k] - left(r.func)), number(left(r.func))] : []), number(r.total[k])].join(',') + '\r\n').join('');
  }
}

function recorded(p: ProfileInfo): string {
  const span = p.timeEnd !== undefined && p.timeStart !== undefined && p.timeEnd > p.timeStart ? time(p.timeEnd - p.timeStart) : '';
  const when = moment(p.recordedAt);
  return [when, span && `recorded for ${span}`].filter(Boolean).join(', ');
}

function curvePicture(steps: Float64Array, least: number, most: number, label: string): SVGSVGElement {
  const ns = 'http://www.w3.org/2000/svg', svg = document.createElementNS(ns, 'svg'), area = document.createElementNS(ns, 'path'), span = most - least || 1;
  const y = (v: number) => (40 - (40 * (v - least)) / span).toFixed(1);
  svg.setAttribute('viewBox', `0 0 ${BINS} 40`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  area.setAttribute('d', `M0 ${y(0)}` + Array.from(steps, (v, i) => `L${i} ${y(v)}L${i + 1} ${y(v)}`).join('') + `L${BINS} ${y(0)}Z`);
  svg.append(area);
  return svg;
}
