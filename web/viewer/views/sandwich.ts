// One function: its callers above, what it calls below.

import type { App, Panel } from '../app';
import { el, fill } from '../dom';
import { boxesSvg } from '../export';
import { Flame, ROW, stacked } from '../flame';
import type { Layer } from '../layers';
import { CalleesLayer, CallersLayer } from '../layers';
import type { FlatRow } from '../model';
import { factorOf, metricOf } from '../model';
import { why } from '../state';
import type { ColumnSpec } from '../table';
import { Table } from '../table';
import { canonical, digits, escapeCsv, percent, plural, shown } from '../text';
import { changeColumn, nameColumn } from './top';

interface Call {
  func: number;
  calls: number[];
  cost: number[];
  sites: Set<string>;
}

export class SandwichView implements Panel {
  readonly host = el('section', { class: 'view sandwich' });
  private list: Table<FlatRow>;
  private heading = el('h2', {});
  private callers: Flame;
  private callees: Flame;
  private layers: { callers: Layer | null; callees: Layer | null } = { callers: null, callees: null };
  private tables: { callers: Table<Call>; callees: Table<Call> };
  private right = el('div', { class: 'slices' });
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
      onSelect: r => this.app.tell({ func: r.func, total: r.cost, calls: r.calls[app.main0] }), empty: label === 'Callers' ? 'Nothing calls it.' : 'It calls nothing.',
    });
    this.tables = { callers: table('Callers'), callees: table('Callees') };
    this.host.append(this.list.host, this.right);
  }

  private flame(label: string, which: 'callers' | 'callees'): Flame {
    const { app } = this, layer = () => this.layers[which]!;
    const flame: Flame = new Flame(label, {
      rank: app.data.funcs.rank,
      label: n => app.name(layer().func(n)),
      colour: n => app.frameColour(layer(), n),
      match: n => !!app.hits?.[layer().func(n)],
      searching: () => !!app.hits,
      dark: () => app.dark,
    }, {
      hover: node => this.tell(layer(), node === null || node < 0 ? flame.selected : node),
      select: node => this.tell(layer(), node),
      zoomed: () => undefined,
      menu: (node, x, y) => app.menuFor(layer().func(node), x, y),
    });
    return flame;
  }

  private get hasTree(): boolean {
    return this.app.data.tree.n > 1 && this.app.data.meta.profiles.every(p => p.facets.includes('tree'));
  }

  update(): void {
    const { app } = this, lacks = why('sandwich', app.data);
    if (lacks) return fill(this.host, el('p', { class: 'lacks' }, lacks));
    this.rows = app.scene.flat().sorted(app.compares ? 'totalChange' : 'total', app.data.funcs.rank);
    const func = app.state.func && this.rows.some(r => r.func === app.state.func) ? app.state.func : this.rows[0]?.func ?? 0;
    if (!app.state.func && func) app.state.func = func;
    this.fillList();
    const key = `${func}`;
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
    const total: ColumnSpec<FlatRow> = {
      key: 'total', title: 'Total', number: true,
      cell: r => ({ text: app.value(r.total[k]), exact: String(canonical(app.metric, r.total[k])), title: `${app.exact(r.total[k])}, ${percent(r.total[k], whole)}` }),
    };
    this.list.set(rows, [app.compares ? changeColumn(app, 'totalChange', 'Total change', r => r.total) : total, nameColumn(app)]);
    const at = rows.findIndex(r => r.func === app.state.func);
    if (at >= 0 && (at !== this.list.selected || this.scene !== app.scene)) this.list.reveal(at);
    this.list.selected = at;
  }

  private show(func: number): void {
    const { app } = this, row = this.rows.find(r => r.func === func), k = app.main0;
    const cost = (pair: number[]) => (app.compares ? `${app.value(pair[0])} \u2192 ${app.value(pair[1])}` : app.value(pair[0]) + (app.share(pair[0]) ? ` (${app.share(pair[0])})` : ''));
    fill(this.heading, app.name(func), row ? el('small', {}, `total ${cost(row.total)}, self ${cost(row.self)}` + (row.calls[k] ? `, ${plural(row.calls[k]!, 'call', 'calls')}` : '')) : null);
    if (this.hasTree) {
      this.layers.callers = new CallersLayer(app.scene, app.data.funcs.n, func);
      this.layers.callees = new CalleesLayer(app.scene, app.data.funcs.n, func);
      this.callers.set(this.layers.callers);
      this.callees.set(this.layers.callees);
      fill(this.right, el('h3', {}, 'Callers'), this.callers.host, this.heading, el('h3', {}, 'Callees'), this.callees.host);
    } else {
      this.tables.callers.set(this.calls(func, 'callee', 'caller'), this.columns('called from'));
      this.tables.callees.set(this.calls(func, 'caller', 'callee'), this.columns('at'));
      fill(this.right, el('h3', {}, 'Callers'), this.tables.callers.host, this.heading, el('h3', {}, 'Callees'), this.tables.callees.host);
    }
    if (row) app.tell({ func, self: row.self, total: row.total, calls: row.calls[k] });
  }

  /** Calls to or from a function, for profiles that know calls but not stacks. */
  private calls(func: number, here: 'caller' | 'callee', there: 'caller' | 'callee'): Call[] {
    const out = new Map<number, Call>(), { data, state } = this.app, n = data.meta.profiles.length;
    data.edges.forEach((e, k) => {
      const m = metricOf(data, k, state.metric), factor = factorOf(data, k, state.metric);
      for (let i = 0; e && i < e.caller.length; i++) {
        if (e[here][i] !== func) continue;
        let call = out.get(e[there][i]);
        if (!call) out.set(e[there][i], (call = { func: e[there][i], calls: Array(n).fill(0), cost: Array(n).fill(0), sites: new Set() }));
        call.calls[k] += e.calls[i];
        call.cost[k] += m >= 0 ? e.cost[m][i] * factor : 0;
        if (e.line[i]) call.sites.add((data.strings[e.file[i]] || data.funcs.file[e.caller[i]] || '') + ':' + e.line[i]);
      }
    });
    const k = this.app.main0;
    return [...out.values()].sort((a, b) => b.cost[k] - a.cost[k] || data.funcs.rank[a.func] - data.funcs.rank[b.func]);
  }

  private columns(where: string): ColumnSpec<Call>[] {
    const { app } = this, k = app.main0, whole = app.scene.whole[k];
    return [
      { key: 'total', title: 'Total', number: true, cell: r => ({ text: app.value(r.cost[k]), exact: String(canonical(app.metric, r.cost[k])), title: app.exact(r.cost[k]) }) },
      { key: 'total%', title: '%', number: true, minor: true, cell: r => ({ text: percent(r.cost[k], whole), bar: whole > 0 ? r.cost[k] / whole : undefined }) },
      { key: 'calls', title: 'Calls', number: true, cell: r => ({ text: digits(r.calls[k]), exact: String(r.calls[k]) }) },
      { key: 'name', title: 'Function', wide: true, cell: r => ({ text: r.func ? app.name(r.func) : '(outside)', exact: r.func ? app.data.funcs.name[r.func] : '(outside)' }) },
      { key: 'site', title: where, minor: true, cell: r => ({ text: shown([...r.sites].slice(0, 3).map(s => s.replace(/^.*\//, '')).join(', ') + (r.sites.size > 3 ? ', \u2026' : ''), 80), exact: [...r.sites].join(' ') }) },
    ];
  }

  private tell(l: Layer, node: number): void {
    const all = this.app.scene.costs.map((_, k) => k);
    this.app.tell({ func: l.func(node), more: l.more(node), total: all.map(k => l.total(node, k)), zoom: all.map(k => l.total(0, k)), stack: l.stack(node) });
  }

  search(): void {
    this.fillList();
    this.callers.draw();
    this.callees.draw();
  }

  step(by: number): void {
    this.list.select(Math.max(0, Math.min(this.list.length - 1, this.list.selected + by)));
  }

  focus(): void {
    this.list.focus();
  }

  svg(): string {
    if (!this.hasTree) return '';
    const a = this.callers.size, b = this.callees.size, k = this.app.main0, gap = 24;
    const part = (flame: Flame, l: Layer, from: number, height: number) => flame.boxes().map(x => ({
      x: x.x, y: from + (flame.up ? height - (x.row + 1) * ROW : x.row * ROW), w: x.w, h: ROW - 1,
      fill: x.more ? '#b9b9c2' : this.app.frameColour(l, x.node), label: x.more ? `(${x.more} more)` : this.app.data.funcs.name[l.func(x.node)],
      title: x.more ? `(${x.more} more)` : `${this.app.data.funcs.name[l.func(x.node)]} (${this.app.exact(l.total(x.node, k))}, ${this.app.share(l.total(x.node, k))})`,
    }));
    return boxesSvg(this.app, a.width, a.height + gap + b.height, [...part(this.callers, this.layers.callers!, 0, a.height), ...part(this.callees, this.layers.callees!, a.height + gap, b.height)]);
  }

  png(): Promise<Blob | null> {
    return this.hasTree ? stacked([this.callers, this.callees]) : Promise.resolve(null);
  }

  print(on: boolean): void {
    this.list.print(on);
    for (const part of this.hasTree ? [this.callers, this.callees] : [this.tables.callers, this.tables.callees]) part.print(on);
  }

  csv(): string {
    if (!this.hasTree) return 'callers\r\n' + this.tables.callers.csv(escapeCsv) + 'callees\r\n' + this.tables.callees.csv(escapeCsv);
    const k = this.app.main0, part = (what: string, flame: Flame, l: Layer) => flame.boxes().filter(b => b.node > 0 && !b.more)
      .map(b => [what, b.row, escapeCsv(this.app.data.funcs.name[l.func(b.node)]), canonical(this.app.metric, l.total(b.node, k))].join(',') + '\r\n').join('');
    return 'part,distance,function,total\r\n' + part('caller', this.callers, this.layers.callers!) + part('callee', this.callees, this.layers.callees!);
  }
}
