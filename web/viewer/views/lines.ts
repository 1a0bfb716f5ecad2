// What source lines cost: the costliest of all files, or one file, whole where its text is known.

import type { App } from '../app';
import type { Panel } from '../panel';
import { button, el, fill, select } from '../dom';
import { factorOf, gainedOf, lineCosts, metricOf, threadKey } from '../model';
import { commandLine, why } from '../state';
import type { ColumnSpec } from '../table';
import { Table } from '../table';
import { canonical, columns, digits, escapeCsv, fitEnd, fitName, fitPlace, percent, plural, shown } from '../text';
import { changeColumn, partVerdict, relativeColumn } from './top';

/** A line, or with `says` a remark beside one: a function that begins there, or calls that it makes. */
interface Line {
  file: number;
  line: number;
  func: number;
  text: string;
  hits: number;
  cost: number[]; // what was gained, where the metric falls
  net: number;
  says?: { tag: string; before: string; label: string; title: string; after: string; open(): void };
}

/** Whether a file is not known. As src/analysis/linecost.c has it. */
function placeless(file: string): boolean {
  return !file || /^(\?\?\??|<unknown>|\(unknown\)|\[unknown\])$/.test(file);
}

const CALLERS = 4; // of each function, in its file

/** Calls made by a line to a function, or to it by a function in a line. */
interface Site {
  file: string;
  line: number;
  func: number;
  calls: number;
  cost: number;
}

export class LinesView implements Panel {
  readonly host = el('section', { class: 'view source' });
  private note = el('p', { class: 'note' });
  private table: Table<Line>;
  private rows: Line[] = [];
  private sort = 'cost';
  private exact = true; // filters and time apply
  private astray = false;
  private all = 0; // what shares are of: the whole profile, or all that was gained
  private to: Map<number, number[]> | null = null;
  private at = ''; // the line that was brought into sight last

  constructor(private app: App) {
    this.table = new Table<Line>({
      label: 'Source lines', columns: [],
      onSort: key => {
        this.sort = this.sort === key ? '-' + key : key;
        this.update();
      },
      onSelect: r => app.tell(r.says ? { func: r.func, total: r.cost } : { func: r.func, total: r.cost, whole: this.all, note: this.place(r), judged: [r.func, 0] }),
      onOpen: r => (r.says ? r.says.open() : app.state.file ? app.sandwich(r.func) : app.sourceLine(this.name(r.file), r.line)),
      onMenu: (r, x, y) => app.menuFor(r.func, x, y, app.state.file ? [] : [['Show it in its file', () => app.sourceLine(this.name(r.file), r.line)]]),
      decorate: (r, row) => {
        row.classList.toggle('says', !!r.says);
        row.classList.toggle('match', !!app.state.file && this.matches(r));
        row.classList.toggle('cold', !!app.state.file && !r.says && !r.cost.some(Boolean));
      },
    });
    this.host.append(this.note, this.table.host);
  }

  private name(file: number): string {
    return this.app.data.strings[file] || '';
  }

  private place(r: Line): string {
    return shown(this.name(r.file) || '(unknown file)', 200) + (r.line ? ':' + r.line : '');
  }

  update(): void {
    const { app } = this, lacks = why('lines', app.data), { file } = app.state;
    if (lacks) return fill(this.host, el('p', { class: 'lacks' }, lacks));
    if (file) app.allLines(file);
    const found = this.collect();
    this.rows = file ? this.whole(file, found) : this.sorted(found);
    this.search();
    if (file) this.reveal();
    else this.at = '';
  }

  /** The line that is asked for, or the costliest, once. */
  private reveal(): void {
    const { file, line } = this.app.state, k = this.app.main0, asked = `${file}:${line}`;
    if (this.at === asked) return;
    this.at = asked;
    let best = -1;
    this.rows.forEach((r, i) => {
      if (r.says) return;
      if (line ? best < 0 && r.line >= line : best < 0 || r.cost[k] > this.rows[best].cost[k]) best = i;
    });
    if (best >= 0) this.table.center(best);
  }

  /** The lines that cost something, those of one file only where one is chosen. */
  private collect(): Line[] {
    const { data, state, main0: k } = this.app, out = new Map<number, Line>(), n = data.meta.profiles.length, only = state.file ? data.strings.indexOf(state.file) : -1;
    this.exact = true;
    this.astray = false;
    this.all = this.app.scene.whole[k];
    data.lines.forEach((l, p) => {
      const m = metricOf(data, p, gainedOf(data, state.metric)), factor = factorOf(data, p, state.metric);
      const of = (metric: number) => (this.app.plain ? null : lineCosts(data, p, { ...this.app.chosen, metric })), part = of(gainedOf(data, state.metric)), net = this.app.falls ? of(state.metric) : null;
      if (l && !this.app.plain && !part) this.exact = false;
      if (part && part.astray) this.astray = true;
      if (l && p === k && this.app.plain && m >= 0) this.all = l.whole[m] * factor;
      for (let i = 0; l && i < l.line.length; i++) {
        const series = data.series.find(s => s.profile === p && s.index === l.series[i]);
        if (!part && state.thread && series && threadKey(series) !== state.thread) continue;
        if (part && !part.cost[i] && !net?.cost[i]) continue;
        const cost = part ? part.cost[i] : m >= 0 ? l.cost[m][i] * factor : 0;
        if (state.file && l.file[i] !== only) continue;
        // Costs of an unknown file have no line in common: they are kept apart by function.
        const func = l.func[i] ?? 0, key = placeless(data.strings[l.file[i]]) ? -1 - (func * 4294967296 + l.line[i]) : l.file[i] * 4294967296 + l.line[i];
        let line = out.get(key);
        if (!line) out.set(key, (line = { file: l.file[i], line: l.line[i], func, text: l.text ? data.strings[l.text[i]] : '', hits: 0, cost: Array(n).fill(0), net: 0 }));
        line.cost[p] += cost;
        if (this.app.falls) line.net += net ? net.cost[i] : l.cost[state.metric][i];
        if (p === k && l.hits) line.hits += l.hits[i];
      }
    });
    return [...out.values()];
  }

  private sorted(rows: Line[]): Line[] {
    const key = this.sort.replace('-', ''), sign = this.sort.startsWith('-') ? -1 : 1, k = this.app.main0;
    const place = (a: Line, b: Line) => (this.name(a.file) < this.name(b.file) ? -1 : this.name(a.file) > this.name(b.file) ? 1 : a.line - b.line);
    for (const r of rows) r.text ||= this.app.data.sources.line(this.name(r.file), r.line);
    return rows.sort((a, b) => sign * (key === 'hits' ? b.hits - a.hits : key === 'before' ? b.cost[0] - a.cost[0] : key === 'change' ? Math.abs(b.cost[1] - b.cost[0]) - Math.abs(a.cost[1] - a.cost[0]) : key === 'place' ? place(a, b) : b.cost[k] - a.cost[k]) || place(a, b));
  }

  // ---- one file ----

  /** All lines of a file, with the functions that begin and the calls that are made there. */
  private whole(file: string, found: Line[]): Line[] {
    const { data } = this.app, text = data.sources.lines(file), id = data.strings.indexOf(file), n = data.meta.profiles.length, begins = this.begins(file), sites = this.sites(file), out: Line[] = [];
    const known = new Map<number, Line[]>();
    for (const l of found) known.set(l.line, [...(known.get(l.line) ?? []), l]);
    const numbers = new Set([...known.keys(), ...begins.map(f => data.funcs.line[f]), ...sites.map(s => s.line)]);
    if (text) for (let i = 1; i <= text.length; i++) numbers.add(i);
    let func = 0, b = 0, s = 0;
    for (const line of [...numbers].sort((x, y) => x - y)) {
      for (; b < begins.length && data.funcs.line[begins[b]] <= line; b++) out.push(this.begin(id, line, (func = begins[b])), ...this.callers(id, line, func));
      const none: Line = { file: id, line, func: 0, text: '', hits: 0, cost: Array(n).fill(0), net: 0 };
      for (const l of known.get(line) ?? [none]) out.push({ ...l, func: l.func || func, text: text?.[line - 1] ?? l.text });
      for (; s < sites.length && sites[s].line <= line; s++) out.push(this.call(id, sites[s]));
    }
    return out;
  }

  /** The functions that begin in a file, in its order. */
  private begins(file: string): number[] {
    const { file: files, line, n, rank } = this.app.data.funcs, out: number[] = [];
    for (let f = 1; f < n; f++) if (files[f] === file && line[f] > 0) out.push(f);
    return out.sort((a, b) => line[a] - line[b] || rank[a] - rank[b]);
  }

  /** Calls whose place the profile knows, unless something is filtered: by place and by the function at their other end. */
  private calls(end: 'caller' | 'callee', list: Iterable<number>, only = ''): Site[] {
    const { data, main0: k, state } = this.app, e = data.edges[k]!, m = metricOf(data, k, state.metric), out = new Map<string, Site>();
    for (const i of list) {
      const file = data.strings[e.file[i]] || data.funcs.file[e.caller[i]];
      if (!e.line[i] || (only && file !== only)) continue;
      const key = `${e.line[i]} ${e[end][i]} ${file}`, site = out.get(key) ?? { file, line: e.line[i], func: e[end][i], calls: 0, cost: 0 };
      site.calls += e.calls[i];
      site.cost += m >= 0 ? e.cost[m][i] * factorOf(data, k, state.metric) : 0;
      out.set(key, site);
    }
    return [...out.values()];
  }

  /** What lines of a file call. */
  private sites(file: string): Site[] {
    const { rank } = this.app.data.funcs, e = this.app.data.edges[this.app.main0];
    return !e || !this.app.plain ? [] : this.calls('callee', e.caller.keys(), file).sort((a, b) => a.line - b.line || b.cost - a.cost || rank[a.func] - rank[b.func]);
  }

  /** Whence a function is called, the costliest calls first. */
  private callers(id: number, line: number, func: number): Line[] {
    const { app } = this, list = !app.plain ? [] : this.calls('caller', this.callsTo().get(func) ?? []).sort((a, b) => b.cost - a.cost || b.calls - a.calls || a.line - b.line);
    const rows = list.slice(0, CALLERS).map(s => this.remark(id, line, func, s.cost, {
      tag: '\u2190 ', before: `${plural(s.calls, 'call', 'calls')} from `, label: `${app.name(s.func)} at ${shown(s.file.replace(/^.*\//, ''), 80)}:${s.line}`, title: 'Go to that line', after: `, ${app.value(s.cost)}`, open: () => app.sourceLine(s.file, s.line),
    }));
    if (list.length > CALLERS) rows.push(this.remark(id, line, func, 0, { tag: '\u2190 ', before: 'and ', label: `${digits(list.length - CALLERS)} more places`, title: 'Callers and callees', after: '', open: () => app.sandwich(func) }));
    return rows;
  }

  /** The calls to each function. */
  private callsTo(): Map<number, number[]> {
    if (this.to) return this.to;
    const e = this.app.data.edges[this.app.main0];
    this.to = new Map();
    for (let i = 0; e && i < e.callee.length; i++) {
      const list = this.to.get(e.callee[i]);
      if (list) list.push(i);
      else this.to.set(e.callee[i], [i]);
    }
    return this.to;
  }

  private remark(file: number, line: number, func: number, cost: number, says: Line['says']): Line {
    const { meta } = this.app.data;
    return { file, line, func, text: '', hits: 0, cost: meta.profiles.map((_, k) => (k === this.app.main0 ? cost : 0)), net: 0, says };
  }

  private begin(file: number, line: number, func: number): Line {
    const { app } = this, k = app.main0, row = app.scene.flat().row(func), calls = row.calls[k], name = app.name(func);
    return this.remark(file, line, func, row.total[k], {
      tag: '\u0192 ', before: '', label: name, title: `Callers and callees of ${name}`, after: `: total ${app.value(row.total[k])}, self ${app.value(row.self[k])}` + (calls ? `, ${plural(calls, 'call', 'calls')}` : ''), open: () => app.sandwich(func),
    });
  }

  private call(file: number, s: Site): Line {
    const { app } = this, name = app.name(s.func);
    return this.remark(file, s.line, s.func, s.cost, {
      tag: '\u2192 ', before: `${plural(s.calls, 'call', 'calls')} to `, label: name, title: `Go to ${name}`, after: `, ${app.value(s.cost)}`, open: () => (app.hasSource(s.func) ? app.source(s.func) : app.sandwich(s.func)),
    });
  }

  // ---- what is shown ----

  private matches(r: Line): boolean {
    const { hits, state } = this.app, words = state.search.toLowerCase();
    return !!hits && (!!hits[r.func] && (!!r.says || !state.file) || r.text.toLowerCase().includes(words) || (!state.file && this.name(r.file).toLowerCase().includes(words)));
  }

  search(): void {
    const { app } = this, { file, filters, time } = app.state;
    const rows = app.hits && !file ? this.rows.filter(r => this.matches(r)) : this.rows;
    const stale = this.exact ? (this.astray ? ' The cost of frames that were taken out is at no line.' : '')
      : filters.length || time ? ' Filters and time do not apply here: the profile gives whole sums per line.' : '';
    fill(this.note, ...(file ? this.heading(file) : [plural(rows.length, 'line', 'lines') + '.']), stale);
    this.table.set(rows, file ? this.fileColumns() : this.columns(), file ? undefined : { key: this.sort.replace('-', ''), descending: !this.sort.startsWith('-') });
  }

  private heading(file: string): (Node | string)[] {
    const { app } = this, k = app.main0, lines = this.rows.filter(r => !r.says), cost = lines.reduce((sum, r) => sum + (r.cost[k] ?? 0), 0);
    const share = percent(cost, this.all), text = `${shown(file, 200)}: ${app.value(cost)}${share ? ` (${share})` : ''}. `;
    if (app.data.sources.lines(file)) return [text];
    const line = commandLine({ ...app.state, view: 'overview', filters: [], time: null }, app.data).replace(/^polyprof (diff )?/, 'polyprof report --source DIR ');
    return [text, 'Its text is not in this report, so only known lines are shown. To see whole files: ', el('code', {}, shown(line, 300) + ' -o report.html')];
  }

  private costColumns(): ColumnSpec<Line>[] {
    const { app } = this, k = app.main0, whole = this.all, none = { text: '', exact: '' };
    const cost = (key: string, title: string, p: number): ColumnSpec<Line> => ({
      key, title, number: true, cell: r => (r.says || (app.state.file && !r.cost[p]) ? none : { text: app.value(r.cost[p]), exact: String(canonical(app.metric, r.cost[p])), title: app.exact(r.cost[p]) }),
    });
    const pair = (c: ColumnSpec<Line>): ColumnSpec<Line> => ({ ...c, cell: (r, room) => (r.says || !r.cost.some(Boolean) ? none : c.cell(r, room)) });
    const out: ColumnSpec<Line>[] = [...(app.compares ? [cost('before', 'Before', 0)] : []), cost('cost', app.compares ? 'After' : app.falls ? 'Gained' : 'Cost', k),
      { key: 'cost%', title: '%', number: true, sorts: false, minor: true, cell: r => (r.says || (app.state.file && !r.cost[k]) ? none : { text: percent(r.cost[k], whole), exact: whole > 0 ? String((100 * r.cost[k]) / whole) : '', bar: whole > 0 ? r.cost[k] / whole : undefined }) }];
    const left = (key: string, title: string, raw: (r: Line) => number): ColumnSpec<Line> => ({ key, title, number: true, sorts: false, cell: r => (r.says || !(r.net || r.cost[k]) ? none : { text: app.value(raw(r)), exact: String(canonical(app.metric, raw(r))), title: app.exact(raw(r)) }) });
    if (app.falls) out.push(left('back', 'Given back', r => r.cost[k] - r.net), left('net', 'Net', r => r.net));
    const verdict = partVerdict<Line>(app, r => r.cost, r => [r.func, 0]);
    if (app.compares) out.push(pair(changeColumn<Line>(app, 'change', 'Change', r => r.cost, verdict)), { ...pair(relativeColumn<Line>('change%', r => r.cost, verdict)), minor: true });
    if (app.data.meta.profiles[k].hits) out.push({ key: 'hits', title: 'Hits', number: true, minor: true, cell: r => (r.says || (app.state.file && !r.hits) ? none : { text: digits(r.hits), exact: String(r.hits) }) });
    return out;
  }

  private code(r: Line): Node {
    if (!r.says) return el('code', {}, shown(r.text, 400).replace(/\\x09/g, '    '));
    const { tag, before, label, title, after, open } = r.says;
    return el('span', { class: 'remark' }, tag + before, button(label, title, open, { class: 'link', tabindex: -1 }), after);
  }

  private fileColumns(): ColumnSpec<Line>[] {
    const known = this.rows.some(r => r.text), { app } = this;
    return [...this.costColumns().map(c => ({ ...c, sorts: false })), { key: 'place', title: 'Line', number: true, sorts: false, cell: r => (r.says ? { text: '', exact: '' } : { text: String(r.line), exact: String(r.line) }) },
      { key: 'text', title: known ? 'Source' : 'Function', wide: true, sorts: false, cell: (r, room) => (known || r.says ? { text: r.says ? r.says.before + r.says.label + r.says.after : r.text, exact: r.text, node: this.code(r) } : { text: r.func ? fitName(app.name(r.func), room) : '', exact: r.func ? app.data.funcs.name[r.func] : '' }) }];
  }

  private columns(): ColumnSpec<Line>[] {
    const { app } = this, out = this.costColumns(), hasText = this.rows.some(r => r.text), hasFunc = this.rows.some(r => r.func), lone = !hasText && !hasFunc;
    out.push({
      key: 'place', title: 'Line', wide: lone,
      cell: (r, room) => ({
        text: lone ? this.place(r) : this.place(r).replace(/^.*\//, ''), exact: this.name(r.file) + ':' + r.line, title: this.place(r),
        node: button(lone ? (columns(this.place(r)) > room ? fitEnd(this.place(r), room) : this.place(r)) : fitPlace(shown(this.name(r.file) || '(unknown file)', 200).replace(/^.*\//, ''), r.line, innerWidth <= 760 ? 12 : 18), `${this.place(r)} in its file`, () => app.sourceLine(this.name(r.file), r.line), { class: 'link', tabindex: -1 }),
      }),
    });
    if (lone) return out;
    out.push({
      key: 'text', title: hasText ? 'Source' : 'Function', wide: true, sorts: false,
      cell: (r, room) => {
        const text = hasText ? r.text : r.func ? fitName(app.name(r.func), room) : '';
        return { text: shown(text, 400), exact: hasText ? r.text : r.func ? app.data.funcs.name[r.func] : '', node: hasText ? this.code(r) : el('code', {}, text) };
      },
    });
    return out;
  }

  /** The files by what they cost, then those of which only the text is known. */
  private files(): [string, number][] {
    const { strings, lines, sources } = this.app.data, k = this.app.main0, m = metricOf(this.app.data, k, this.app.state.metric), sums = new Map<string, number>();
    for (const l of lines) for (let i = 0; l && i < l.line.length; i++) sums.set(strings[l.file[i]], (sums.get(strings[l.file[i]]) ?? 0) + (l === lines[k] && m >= 0 ? l.cost[m][i] : 0));
    for (const file of sources.files) if (!sums.has(file)) sums.set(file, 0);
    return [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  options(): Node[] {
    const { app } = this;
    if (why('lines', app.data)) return [];
    const files = this.files(), chosen = app.state.file, list = files.slice(0, 400).map(([f]) => f);
    if (chosen && !list.includes(chosen)) list.push(chosen);
    return [select('File', [['', `all ${files.length}, line by line`], ...list.map(f => [f || ' ', shown(f || '(unknown file)', 60)] as [string, string])], chosen, v => app.set({ file: v.trim(), line: 0 }))];
  }

  step(by: number): void {
    const { table, app } = this, n = table.length;
    if (app.state.file && app.hits)
      for (let i = table.selected + by; i >= 0 && i < n; i += by) if (this.matches(this.rows[i])) return table.select(i);
    table.select(Math.max(0, Math.min(n - 1, table.selected + by)));
  }

  press(e: KeyboardEvent): void {
    this.table.press(e);
  }

  focus(): void {
    if (this.table.selected < 0) this.table.select(0);
    this.table.focus();
  }

  print(on: boolean): void {
    this.table.print(on);
  }

  csv(): string {
    return this.table.csv(escapeCsv, r => !r.says);
  }
}
