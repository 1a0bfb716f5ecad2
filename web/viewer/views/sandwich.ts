// One function: its callers above, what it calls below.

import type { App } from '../app';
import type { Panel, Thing } from '../panel';
import { button, el, fill, named, select } from '../dom';
import type { Picture } from '../export';
import { Flame } from '../flame';
import type { Layer } from '../layers';
import { CalleesLayer, CallersLayer } from '../layers';
import type { Call, FlatRow } from '../model';
import { callsFromStacks, durations, factorOf, gainedOf, metricOf } from '../model';
import { why } from '../state';
import type { ColumnSpec } from '../table';
import { Table } from '../table';
import type { Metric } from '../data';
import { canonical, digits, escapeCsv, exact, plural, share, shown, time, value } from '../text';
import { changeColumn, nameColumn, ownVerdict, partVerdict, relativeColumn } from './top';

/** How many durations fall into each of some steps, each as much longer than the one before. */
function histogram(sorted: Float64Array, steps: number): number[] {
  const low = Math.log(Math.max(1, sorted[0])), high = Math.log(Math.max(1, sorted[sorted.length - 1])), out: number[] = Array(steps).fill(0);
  for (let i = 0; i < sorted.length; i++) out[high > low ? Math.min(steps - 1, Math.floor(((Math.log(Math.max(1, sorted[i])) - low) / (high - low)) * steps)) : 0]++;
  return out;
}

export class SandwichView implements Panel {
  readonly host = el('section', { class: 'view sandwich' });
  private list: Table<FlatRow>;
  private heading = el('h2', { class: 'of' });
  private callers: Flame;
  private callees: Flame;
  private layers: { callers: Layer | null; callees: Layer | null } = { callers: null, callees: null };
  private tables: { callers: Table<Call>; callees: Table<Call> };
  private right = el('div', { class: 'slices' });
  private single = el('p', { class: 'single' });
  private rows: FlatRow[] = [];
  private made = '';
  private scene: unknown = null;

  constructor(private app: App) {
    this.list = new Table<FlatRow>({
      label: 'Choose a function', columns: [],
      onSelect: r => this.app.set({ func: r.func }, 'quiet'),
      onMenu: (r, x, y) => app.menuFor(r.func, x, y),
    });
    this.callers = this.flame('Callers', 'callers');
    this.callees = this.flame('Callees', 'callees');
    this.callers.up = true;
    this.callers.fits = true;
    const table = (label: string) => new Table<Call>({
      label, columns: [], onOpen: r => this.app.set({ func: r.func }), onMenu: (r, x, y) => app.menuFor(r.func, x, y),
      onSelect: r => this.app.tell({ func: r.func, total: r.total, self: r.self ?? undefined, calls: r.calls[app.main0], judged: [label === 'Callers' ? app.state.func : r.func, 1] }), empty: label === 'Callers' ? 'Nothing calls it.' : 'It calls nothing.',
    });
    this.tables = { callers: table('Callers'), callees: table('Callees') };
    this.tables.callers.pair(this.tables.callees);
    this.host.append(this.list.host, this.right);
  }

  private flame(label: string, which: 'callers' | 'callees'): Flame {
    const { app } = this, layer = () => this.layers[which]!;
    const flame: Flame = new Flame(label, {
      funcs: app.data.funcs,
      label: n => app.name(layer().func(n)),
      colour: n => app.frameColour(layer(), n),
      match: n => !!app.hits?.[layer().func(n)],
      searching: () => !!app.hits,
      dark: () => app.dark,
    }, {
      hover: (node, _box, x, y) => app.hover(x, y, node === null || node < 0 ? null : this.thing(layer(), node)),
      select: node => app.tell(this.thing(layer(), node)),
      zoomed: () => undefined,
      menu: (node, x, y) => app.menuFor(layer().func(node), x, y),
    });
    return flame;
  }

  get drawn(): boolean {
    return this.pictures;
  }

  private get pictures(): boolean {
    return this.hasTree && this.app.state.graphs;
  }

  private get hasTree(): boolean {
    return this.app.data.tree.n > 1 && this.app.data.meta.profiles.every(p => p.facets.includes('tree'));
  }

  update(): void {
    const { app } = this, lacks = why('sandwich', app.data);
    if (lacks) return fill(this.host, el('p', { class: 'lacks' }, lacks));
    this.rows = app.scene.flat().sorted(app.compares ? 'change' : 'self', app.data.funcs);
    const func = app.state.func && this.rows.some(r => r.func === app.state.func) ? app.state.func : this.rows[0]?.func ?? 0;
    if (!app.state.func && func) app.state.func = func;
    this.fillList();
    const key = `${func} ${app.state.graphs} ${app.state.second} ${app.hasAround(func)} ${!!app.callsOf(func, app.state.metric)}`;
    if (this.made !== key || this.scene !== app.scene) {
      this.made = key;
      this.scene = app.scene;
      this.show(func);
    } else {
      this.callers.relayout();
      this.callees.relayout();
    }
  }

  private fillList(): void {
    const { app } = this, { hits } = app, k = app.main0, whole = app.scene.whole[k];
    const rows = hits ? this.rows.filter(r => hits[r.func]) : this.rows;
    const cost = (key: string, title: string, raw: (r: FlatRow) => number): ColumnSpec<FlatRow> => ({
      key, title, number: true, cell: r => ({ text: app.value(raw(r)), exact: String(canonical(app.metric, raw(r))), title: `${[app.exact(raw(r)), share(raw(r), whole)].filter(Boolean).join(', ')}` }),
    });
    this.list.set(rows, [...(app.compares ? [changeColumn<FlatRow>(app, 'change', 'Self change', r => r.self, ownVerdict(app))] : [cost('self', app.falls ? 'Gained' : 'Self', r => r.self[k]), cost('total', app.falls ? 'Total gained' : 'Total', r => r.total[k])]), nameColumn(app)]);
    const at = rows.findIndex(r => r.func === app.state.func);
    if (at >= 0 && (at !== this.list.selected || this.scene !== app.scene)) this.list.reveal(at);
    this.list.selected = at;
  }

  private show(func: number): void {
    const { app } = this, row = this.rows.find(r => r.func === func), k = app.main0;
    const cost = (pair: number[]) => (app.compares ? `${app.value(pair[0])} \u2192 ${app.value(pair[1])}` : app.value(pair[0]) + (app.share(pair[0]) ? ` (${app.share(pair[0])})` : ''));
    fill(this.heading, app.name(func), func && app.hasSource(func) ? button('Source', 'Its source', () => app.source(func), { class: 'small' }) : null, row ? el('small', {}, `${app.falls ? 'gained in all' : 'total'} ${cost(row.total)}, ${app.falls ? 'by itself' : 'self'} ${cost(row.self)}` + (row.calls[k] ? `, ${plural(row.calls[k]!, 'call', 'calls')}` : '')) : null);
    if (this.pictures) {
      this.layers.callers = new CallersLayer(app.sceneAround(func), app.data.funcs.n, func);
      this.layers.callees = new CalleesLayer(app.sceneAround(func), app.data.funcs.n, func);
      this.callers.set(this.layers.callers);
      this.callees.set(this.layers.callees);
      fill(this.right, el('h2', {}, 'Callers'), this.callers.host, this.heading, el('h2', {}, 'Callees'), this.callees.host);
    } else {
      const beside = this.beside(func, app.state.second), left = this.beside(func, app.falls ? app.state.metric : -1), known = this.between(func, gainedOf(app.data, app.state.metric));
      this.tables.callers.set(known.callers, this.columns('called from', () => func, beside?.callers, left?.callers));
      this.tables.callees.set(known.callees, this.columns('at', r => r.func, beside?.callees, left?.callees));
      this.tables.callers.host.style.flex = `0 1 ${Math.max(3, known.callers.length + 1) * 26 + 6}px`;
      fill(this.right, el('h2', {}, 'Callers'), this.tables.callers.host, this.heading, this.single, el('h2', {}, 'Callees'), this.tables.callees.host);
      this.tellSingle(func);
    }
    if (row) app.tell({ func, self: row.self, total: row.total, calls: row.calls[k], judged: 'function' });
  }

  /** Who calls a function and whom it calls, the costliest first. */
  private between(func: number, metric: number): { callers: Call[]; callees: Call[] } {
    const { app } = this, k = app.main0, { rank } = app.data.funcs;
    const known = app.callsOf(func, metric) ?? (this.hasTree ? callsFromStacks(app.sceneAround(func, metric), func) : { callers: this.calls(func, metric, 'callee', 'caller'), callees: this.calls(func, metric, 'caller', 'callee') });
    for (const list of [known.callers, known.callees]) list.sort((a, b) => b.total[k] - a.total[k] || b.calls[k] - a.calls[k] || rank[a.func] - rank[b.func]);
    return known;
  }

  /** The same by a metric beside the first, or by what is left of one that falls: by the other function, its total. */
  private beside(func: number, metric: number): { callers: Map<number, number>; callees: Map<number, number> } | null {
    const k = this.app.main0;
    if (metric < 0) return null;
    const map = (list: Call[]) => new Map(list.map(c => [c.func, c.total[k]])), { callers, callees } = this.between(func, metric);
    return { callers: map(callers), callees: map(callees) };
  }

  /** Calls to or from a function, for profiles that know calls but not stacks. */
  private calls(func: number, metric: number, here: 'caller' | 'callee', there: 'caller' | 'callee'): Call[] {
    const out = new Map<number, Call>(), { data } = this.app, n = data.meta.profiles.length;
    data.edges.forEach((e, k) => {
      const m = metricOf(data, k, metric), factor = factorOf(data, k, metric);
      for (let i = 0; e && i < e.caller.length; i++) {
        if (e[here][i] !== func) continue;
        let call = out.get(e[there][i]);
        if (!call) out.set(e[there][i], (call = { func: e[there][i], calls: Array(n).fill(0), self: null, total: Array(n).fill(0), sites: new Set() }));
        call.calls[k] += e.calls[i];
        call.total[k] += m >= 0 ? (here === 'caller' ? e.below : e.cost)[m][i] * factor : 0;
        if (e.line[i]) call.sites.add((data.strings[e.file[i]] || data.funcs.file[e.caller[i]] || '') + ':' + e.line[i]);
      }
    });
    return [...out.values()];
  }

  private columns(where: string, callee: (r: Call) => number, beside?: Map<number, number>, left?: Map<number, number>): ColumnSpec<Call>[] {
    const { app } = this, k = app.main0, whole = app.scene.whole[k], { metrics } = app.data.meta.profiles[0];
    const cost = (key: string, title: string, m: Metric, raw: (r: Call) => number): ColumnSpec<Call> => ({ key, title, number: true, sorts: false, cell: r => ({ text: value(m, raw(r)), exact: String(canonical(m, raw(r))), title: exact(m, raw(r)) }) });
    const verdict = partVerdict<Call>(app, r => r.total, r => [callee(r), 1]);
    const out: ColumnSpec<Call>[] = app.compares ? [{ ...cost('before', 'Before', app.metric, r => r.total[0]), minor: true }, cost('total', 'After', app.metric, r => r.total[1]),
      { ...changeColumn<Call>(app, 'change', 'Change', r => r.total, verdict), sorts: false }, { ...relativeColumn<Call>('change%', r => r.total, verdict), minor: true }] : [cost('total', app.falls ? 'Total gained' : 'Total', app.metric, r => r.total[k]),
      { key: 'total%', title: '%', help: 'share of all', number: true, sorts: false, cell: (r: Call) => ({ text: share(r.total[k], whole), exact: whole > 0 ? String((100 * r.total[k]) / whole) : '', bar: whole > 0 ? r.total[k] / whole : undefined }) }];
    if (left) out.push(cost('back', 'Given back', app.metric, r => r.total[k] - (left.get(r.func) ?? 0)), cost('net', 'Net', app.metric, r => left.get(r.func) ?? 0));
    if (this.hasTree && !app.partial) out.push({ ...cost('self', left ? 'Gained itself' : 'Self', app.metric, r => r.self![k]), minor: true });
    if (this.hasTree ? app.scene.costs[k].calls : true) out.push({ key: 'calls', title: 'Calls', number: true, sorts: false, cell: r => ({ text: digits(r.calls[k]), exact: String(r.calls[k]) }) });
    if (beside) out.push({ ...cost('beside', shown(metrics[app.state.second].title || metrics[app.state.second].name, 24), metrics[app.state.second], r => beside.get(r.func) ?? 0), minor: true });
    out.push({ key: 'name', title: 'Function', wide: true, sorts: false, cell: (r, room) => ({ text: r.func ? app.name(r.func) : '(outside)', node: el('span', { class: 'fname' }, el('b', {}, ...named(r.func ? app.name(r.func) : '(outside)', room))), exact: r.func ? app.data.funcs.name[r.func] : '(outside)', title: r.func ? shown(app.data.funcs.name[r.func], 1000) : '' }) });
    if (!this.hasTree) out.push({ key: 'site', title: where, minor: true, sorts: false, cell: r => ({ text: shown([...r.sites].slice(0, 3).map(s => s.replace(/^.*\//, '')).join(', ') + (r.sites.size > 3 ? ', \u2026' : ''), 80), exact: [...r.sites].join(' ') }) });
    return out;
  }

  /** How long single calls took, as numbers and bars, once the page has drawn the rest. */
  private tellSingle(func: number): void {
    fill(this.single);
    if (!func || !this.app.data.moments.some(m => m.trace)) return;
    setTimeout(() => {
      if (this.app.state.func !== func) return;
      const list = durations(this.app.data, func, this.app.main0);
      if (list.length < 2) return;
      const sum = list.reduce((a, b) => a + b, 0), least = list[0], most = list[list.length - 1], bars = histogram(list, 24), tallest = Math.max(...bars);
      fill(this.single, el('span', {}, `${plural(list.length, 'call', 'calls')} one by one: average ${time(sum / list.length)}, median ${time(list[list.length >> 1])}, minimum ${time(least)}, maximum ${time(most)}`),
        el('span', { class: 'histogram', role: 'img', 'aria-label': `Histogram of individual calls from ${time(least)} to ${time(most)}` }, ...bars.map(n => {
          const bar = el('i', { title: plural(n, 'call', 'calls') });
          bar.style.height = n ? Math.max(8, (100 * n) / tallest) + '%' : '0';
          return bar;
        })));
    }, 0);
  }

  private thing(l: Layer, node: number): Thing {
    const all = this.app.scene.costs.map((_, k) => k);
    return { func: l.func(node), more: l.more(node), total: all.map(k => l.total(node, k)), zoom: all.map(k => l.total(0, k)), calls: l.calls(node), stack: l.stack(node), judged: l.of(node, 1) };
  }

  search(): void {
    this.fillList();
    this.callers.draw();
    this.callees.draw();
  }

  step(by: number): void {
    this.list.select(Math.max(0, Math.min(this.list.length - 1, this.list.selected + by)));
  }

  press(e: KeyboardEvent): void {
    this.list.press(e);
  }

  focus(): void {
    this.list.focus();
  }

  options(): Node[] {
    const { app } = this, s = app.state, { metrics } = app.data.meta.profiles[0];
    if (why('sandwich', app.data)) return [];
    return [
      ...(this.hasTree ? [button('Flame graphs', 'Callers and callees as flame graphs, or as tables', () => app.set({ graphs: !s.graphs }), { 'aria-pressed': String(s.graphs), class: 'toggle' })] : []),
      ...(metrics.length > 1 && !s.graphs ? [select('Beside', [['-1', 'no other metric'], ...metrics.map((m, i) => [String(i), shown(m.title || m.name, 40)] as [string, string]).filter(([i]) => Number(i) !== s.metric && metrics[Number(i)].net === undefined)], String(s.second), v => app.set({ second: Number(v) }))] : []),
    ];
  }

  picture(): Picture | null {
    if (!this.pictures) return null;
    const k = this.app.main0, part = (flame: Flame, l: Layer, from: number) => flame.shapes(from, b => `${this.app.data.funcs.name[l.func(b.node)]} (${this.app.exact(l.total(b.node, k))}, ${this.app.share(l.total(b.node, k))})`, this.app.data.funcs.n);
    const above = part(this.callers, this.layers.callers!, 18), below = part(this.callees, this.layers.callees!, above.height + 48), name = this.app.name(this.app.state.func);
    return {
      width: this.callees.width, height: above.height + 48 + below.height, boxes: [...above.shapes, ...below.shapes], widths: above.widths.map((w, f) => w + below.widths[f]),
      words: [{ x: 4, y: 12, text: `Callers of ${name}`, soft: true }, { x: 4, y: above.height + 42, text: `Callees of ${name}`, soft: true }],
    };
  }

  print(on: boolean): void {
    this.list.print(on);
    for (const part of this.pictures ? [this.callers, this.callees] : [this.tables.callers, this.tables.callees]) part.print(on);
  }

  csv(): string {
    if (!this.pictures) return 'callers\r\n' + this.tables.callers.csv(escapeCsv) + 'callees\r\n' + this.tables.callees.csv(escapeCsv);
    const k = this.app.main0, part = (what: string, flame: Flame, l: Layer) => flame.boxes().filter(b => b.node > 0 && !b.more)
      .map(b => [what, b.row, escapeCsv(this.app.data.funcs.name[l.func(b.node)]), canonical(this.app.metric, l.total(b.node, k))].join(',') + '\r\n').join('');
    return 'part,distance,function,total\r\n' + part('caller', this.callers, this.layers.callers!) + part('callee', this.callees, this.layers.callees!);
  }
}
