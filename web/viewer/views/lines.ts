// What single source lines cost, with their text where the profile brings it.

import type { App, Panel } from '../app';
import { el, fill, select } from '../dom';
import { factorOf, lineCosts, metricOf, threadKey } from '../model';
import { why } from '../state';
import type { ColumnSpec } from '../table';
import { Table } from '../table';
import { canonical, digits, escapeCsv, percent, plural, shown } from '../text';
import { changeColumn, relativeColumn } from './top';

interface Line {
  file: number;
  line: number;
  func: number;
  text: number;
  hits: number;
  cost: number[];
}

export class LinesView implements Panel {
  readonly host = el('section', { class: 'view' });
  private note = el('p', { class: 'note' });
  private table: Table<Line>;
  private rows: Line[] = [];
  private file = -1;
  private sort = 'cost';
  private exact = true; // filters and time apply
  private astray = false;
  private of = 0; // the function whose file was opened last
  private goTo = 0; // a line to bring into sight

  constructor(private app: App) {
    this.table = new Table<Line>({
      label: 'Source lines', columns: [],
      onSort: key => {
        this.sort = this.sort === key ? '-' + key : key;
        this.update();
      },
      onSelect: r => app.tell({ func: r.func, total: r.cost, note: this.place(r) }),
      onOpen: r => app.sandwich(r.func),
      onMenu: (r, x, y) => app.menuFor(r.func, x, y, [['Only this file', () => this.choose(r.file)]]),
    });
    this.host.append(this.note, this.table.host);
  }

  private place(r: Line): string {
    return shown(this.app.data.strings[r.file] || '(unknown file)', 200) + (r.line ? ':' + r.line : '');
  }

  private choose(file: number): void {
    this.file = file;
    this.sort = file < 0 ? 'cost' : 'place';
    this.app.set({}, 'quiet');
  }

  update(): void {
    const { app } = this, lacks = why('lines', app.data);
    if (lacks) return fill(this.host, el('p', { class: 'lacks' }, lacks));
    if (app.state.func && app.state.func !== this.of) this.showFunc(app.state.func);
    this.collect();
    this.search();
  }

  /** Opens the file of a function, at its costliest line. */
  private showFunc(func: number): void {
    const { data } = this.app, l = data.lines[this.app.main0];
    this.of = func;
    if (!l) return;
    const at = l.func.indexOf(func), file = at >= 0 ? l.file[at] : data.strings.indexOf(data.funcs.file[func]);
    if (file < 0 || !l.file.includes(file)) return;
    this.file = file;
    this.sort = 'place';
    this.goTo = data.funcs.line[func];
  }

  private collect(): void {
    const { data, state, main0: k } = this.app, out = new Map<number, Line>(), n = data.meta.profiles.length;
    this.exact = true;
    this.astray = false;
    data.lines.forEach((l, p) => {
      const m = metricOf(data, p, state.metric), factor = factorOf(data, p, state.metric), part = this.app.plain ? null : lineCosts(data, p, state);
      if (l && !this.app.plain && !part) this.exact = false;
      if (part && part.astray) this.astray = true;
      for (let i = 0; l && i < l.line.length; i++) {
        const series = data.series.find(s => s.profile === p && s.index === l.series[i]);
        if (!part && state.thread && series && threadKey(series) !== state.thread) continue;
        if (part && !part.cost[i]) continue;
        const key = l.file[i] * 4294967296 + l.line[i];
        let line = out.get(key);
        if (!line) out.set(key, (line = { file: l.file[i], line: l.line[i], func: l.func[i] ?? 0, text: l.text ? l.text[i] : 0, hits: 0, cost: Array(n).fill(0) }));
        line.cost[p] += part ? part.cost[i] : m >= 0 ? l.cost[m][i] * factor : 0;
        if (p === k && l.hits) line.hits += l.hits[i];
      }
    });
    const key = this.sort.replace('-', ''), sign = this.sort.startsWith('-') ? -1 : 1, { strings } = data;
    const place = (a: Line, b: Line) => (strings[a.file] < strings[b.file] ? -1 : strings[a.file] > strings[b.file] ? 1 : a.line - b.line);
    this.rows = [...out.values()].filter(r => this.file < 0 || r.file === this.file)
      .sort((a, b) => sign * (key === 'hits' ? b.hits - a.hits : key === 'before' ? b.cost[0] - a.cost[0] : key === 'change' ? Math.abs(b.cost[1] - b.cost[0]) - Math.abs(a.cost[1] - a.cost[0]) : key === 'place' ? place(a, b) : b.cost[k] - a.cost[k]) || place(a, b));
  }

  search(): void {
    const { app } = this, { hits, state } = app, { strings } = app.data;
    const words = state.search.toLowerCase();
    const rows = hits ? this.rows.filter(r => hits[r.func] || strings[r.text]?.toLowerCase().includes(words) || strings[r.file]?.toLowerCase().includes(words)) : this.rows;
    const stale = this.exact ? (this.astray ? ' What frames that were taken out cost is at no line.' : '')
      : state.filters.length || state.time ? ' Filters and time do not apply here: the profile gives whole sums per line.' : '';
    fill(this.note, plural(rows.length, 'line', 'lines') + (this.file >= 0 ? ' of ' + shown(strings[this.file], 120) : '') + '.' + stale);
    this.table.set(rows, this.columns(), { key: this.sort.replace('-', ''), descending: !this.sort.startsWith('-') });
    if (this.goTo) {
      const at = rows.findIndex(r => r.line >= this.goTo);
      if (at >= 0) this.table.select(at);
      this.goTo = 0;
    }
  }

  private columns(): ColumnSpec<Line>[] {
    const { app } = this, k = app.main0, whole = app.scene.whole[k], { strings } = app.data;
    const cost = (key: string, title: string, p: number): ColumnSpec<Line> => ({ key, title, number: true, cell: r => ({ text: app.value(r.cost[p]), exact: String(canonical(app.metric, r.cost[p])), title: app.exact(r.cost[p]) }) });
    const out: ColumnSpec<Line>[] = [...(app.compares ? [cost('before', 'Before', 0)] : []), cost('cost', app.compares ? 'After' : 'Cost', k),
      { key: 'cost%', title: '%', number: true, sorts: false, minor: true, cell: r => ({ text: percent(r.cost[k], whole), bar: whole > 0 ? r.cost[k] / whole : undefined }) }];
    if (app.compares) out.push(changeColumn(app, 'change', 'Change', r => r.cost), { ...relativeColumn<Line>(app, 'change%', r => r.cost), minor: true });
    if (app.data.meta.profiles[k].hits) out.push({ key: 'hits', title: 'Hits', number: true, minor: true, cell: r => ({ text: digits(r.hits), exact: String(r.hits) }) });
    const hasText = app.data.lines.some(l => l?.text), hasFunc = this.rows.some(r => r.func), lone = !hasText && !hasFunc;
    out.push({ key: 'place', title: 'Line', wide: lone, cell: r => ({ text: lone ? this.place(r) : this.place(r).replace(/^.*\//, ''), exact: (strings[r.file] || '') + ':' + r.line, title: this.place(r) }) });
    if (lone) return out;
    out.push({
      key: 'text', title: hasText ? 'Source' : 'Function', wide: true, sorts: false,
      cell: r => {
        const text = hasText ? shown(strings[r.text] || '', 400).replace(/\\x09/g, '    ') : r.func ? app.name(r.func) : '';
        return { text, exact: hasText ? strings[r.text] : r.func ? app.data.funcs.name[r.func] : '', node: el('code', {}, text) };
      },
    });
    return out;
  }

  options(): Node[] {
    if (why('lines', this.app.data)) return [];
    const { strings, lines } = this.app.data, k = this.app.main0, m = metricOf(this.app.data, k, this.app.state.metric), sums = new Map<number, number>();
    const l = lines[k];
    for (let i = 0; l && i < l.line.length; i++) sums.set(l.file[i], (sums.get(l.file[i]) ?? 0) + (m >= 0 ? l.cost[m][i] : 0));
    const files = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 400);
    return [select('File', [['-1', `all ${sums.size}`], ...files.map(([f]) => [String(f), shown(strings[f] || '(unknown file)', 60)] as [string, string])], String(this.file), v => this.choose(Number(v)))];
  }

  step(by: number): void {
    this.table.select(Math.max(0, Math.min(this.table.length - 1, this.table.selected + by)));
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
    return this.table.csv(escapeCsv);
  }
}
