// Functions by their own cost or with all they called.

import type { App } from '../app';
import type { Panel } from '../panel';
import { el, fill, named } from '../dom';
import type { FlatRow } from '../model';
import type { Of, Verdict } from '../noise';
import { why } from '../state';
import type { ColumnSpec } from '../table';
import { Table } from '../table';
import { canonical, columns, digits, escapeCsv, fitName, percent, plural, share, shown } from '../text';

/** What is left of what a row gained itself, and with all it called. */
function netOf(app: App, r: FlatRow): [number, number] {
  if (r.net) return r.net();
  const { self, total } = app.sceneOf(app.state.metric).flat().row(r.func);
  return [self[0], total[0]];
}

/** Columns of a listing of functions: for one profile, or before, after and change for two. */
export function costColumns<R extends FlatRow>(app: App): ColumnSpec<R>[] {
  const m = app.metric, k = app.main0, whole = app.scene.whole[k];
  const number = (key: string, title: string, help: string, raw: (r: R) => number, minor = false): ColumnSpec<R> => ({
    key, title, help, number: true, minor,
    cell: r => (Number.isNaN(raw(r)) ? { text: '' } : { text: app.value(raw(r)), exact: String(canonical(m, raw(r))), title: app.exact(raw(r)) }),
  });
  const shareOf = (key: string, raw: (r: R) => number): ColumnSpec<R> => ({
    key, title: '%', help: 'share of all', number: true, sorts: false, minor: true,
    cell: r => ({ text: share(raw(r), whole), exact: whole > 0 ? String((100 * raw(r)) / whole) : '', bar: whole > 0 ? raw(r) / whole : undefined }),
  });
  const calls: ColumnSpec<R>[] = app.data.meta.profiles[k].calls || app.data.series.some(s => s.info.calls)
    ? [{ key: 'calls', title: 'Calls', number: true, minor: true, cell: r => ({ text: r.calls[k] === null ? '' : digits(r.calls[k]!), exact: r.calls[k] === null ? '' : String(r.calls[k]) }) }] : [];
  if (app.falls) {
    const net = (r: R) => netOf(app, r)[0], back = (r: R) => r.self[0] - net(r);
    return [number('self', 'Gained', 'what it gained itself', r => r.self[0]), { ...shareOf('self%', r => r.self[0]), help: 'share of everything that was gained' },
      { ...number('back', 'Given back', 'what it gave back itself', back), sorts: false }, { ...number('net', 'Net', 'what is left: gained minus given back', net), sorts: false },
      number('total', 'Total gained', 'including everything it called; recursion counts once', r => r.total[0], true), { ...shareOf('total%', r => r.total[0]), help: 'share of everything that was gained' },
      { ...number('netTotal', 'Net total', 'what is left, including everything it called', r => netOf(app, r)[1], true), sorts: false }, ...calls];
  }
  if (!app.compares)
    return [number('self', 'Self', 'what it costs itself', r => r.self[0]), shareOf('self%', r => r.self[0]),
      number('total', 'Total', 'including everything it called; recursion counts once', r => r.total[0]), shareOf('total%', r => r.total[0]), ...calls];
  // What a row is a part of, or what became of the function that it is.
  const judge = (r: R, which: 0 | 1) => (r.part ? app.noise.judgePart(...pairOf(r, which), r.part(which)) : app.noise.verdicts(r.func, r.self, r.total, app.plain)[which]);
  const verdict = (key: string, title: string, which: 0 | 1): ColumnSpec<R> => ({
    key, title: app.noise.provisional ? title + '?' : title, help: [app.noise.rule, app.noise.boxes].filter(Boolean).join('; '), sorts: false, narrow: true, minor: which > 0,
    cell: r => {
      const text = judge(r, which);
      return text ? { text, exact: text, tone: TONES[text] } : { text: '?', exact: '', title: 'The runs tell nothing of it by this name', tone: 'quiet' };
    },
  });
  const tone = (which: 0 | 1) => (r: R) => judge(r, which);
  return [number('before', 'Self before', 'what it cost itself before', r => r.self[0], true), number('self', 'Self after', 'what it costs itself now', r => r.self[1], true),
    changeColumn<R>(app, 'change', 'Self change', r => r.self, tone(0)), relativeColumn<R>('change%', r => r.self, tone(0)), verdict('verdict', 'Verdict', 0),
    { ...number('totalBefore', 'Total before', 'including everything it called', r => r.total[0], true), extra: true }, { ...number('total', 'Total after', 'including everything it calls', r => r.total[1], true), extra: true },
    { ...changeColumn<R>(app, 'totalChange', 'Total change', r => r.total, tone(1)), minor: true }, { ...relativeColumn<R>('totalChange%', r => r.total, tone(1)), minor: true }, verdict('totalVerdict', 'Total verdict', 1), ...calls];
}

export const TONES: Record<Verdict, string> = { same: 'quiet', noise: 'quiet', grew: 'grew', new: 'grew', shrank: 'shrank', gone: 'shrank' };

const pairOf = (r: FlatRow, which: 0 | 1): [number, number] => {
  const [before, after] = which ? r.total : r.self;
  return [before, after];
};

/** The verdict on a function's own cost. */
export const ownVerdict = (app: App) => (r: FlatRow) => app.noise.verdicts(r.func, r.self, r.total, app.plain)[0];

/** The verdict on a part of what a function costs. */
export const partVerdict = <R>(app: App, pair: (r: R) => number[], of: (r: R) => Of) => (r: R) => app.noise.judgePart(pair(r)[0], pair(r)[1], of(r));

/** The change in percent of what there was before. */
export function relativeColumn<R>(key: string, pair: (r: R) => number[], verdict: (r: R) => Verdict | null): ColumnSpec<R> {
  return {
    key, title: '%', number: true, sorts: false, help: 'change in percent of what there was before',
    cell: r => {
      const [before, after] = pair(r), raw = after - before;
      if (!before) return { text: '', exact: '' };
      return { tone: raw ? TONES[verdict(r) ?? 'noise'] : 'quiet', text: (raw > 0 ? '+' : '') + percent(raw, Math.abs(before)), exact: String((100 * raw) / Math.abs(before)) };
    },
  };
}

/** After less before, in the colour of its sign; noise is grey. */
export function changeColumn<R>(app: App, key: string, title: string, pair: (r: R) => number[], verdict: (r: R) => Verdict | null): ColumnSpec<R> {
  const m = app.metric;
  return {
    key, title, number: true, help: 'after minus before',
    cell: r => {
      const [before, after] = pair(r), raw = after - before, sign = raw > 0 ? '+' : '';
      return { tone: raw ? TONES[verdict(r) ?? 'noise'] : 'quiet', text: sign + app.value(raw), exact: String(canonical(m, raw)), title: app.exact(raw) + (before > 0 ? `, ${sign}${percent(raw, before)}` : '') };
    },
  };
}

export function nameColumn(app: App): ColumnSpec<FlatRow> {
  return {
    key: 'name', title: 'Function', wide: true,
    cell: (r, room) => {
      const place = app.place(r.func), name = app.name(r.func), node = el('span', { class: 'fname' }), seen = fitName(name, room);
      node.append(el('b', {}, ...named(name, room)), (room - columns(seen) > 8 && app.placeLink(r.func)) || '');
      return { text: name, exact: app.data.funcs.name[r.func], title: shown(app.data.funcs.name[r.func], 1000) + (place ? '\n' + place : ''), node };
    },
  };
}

export function nextSort(sort: string, key: string): string {
  return sort === key ? '-' + key : key;
}

export class TopView implements Panel {
  readonly host = el('section', { class: 'view' });
  private note = el('p', { class: 'note' });
  private table: Table<FlatRow>;
  private rows: FlatRow[] = [];

  constructor(private app: App) {
    this.table = new Table<FlatRow>({
      label: 'Functions', columns: [],
      onSort: key => app.set({ sort: nextSort(app.state.sort, key) }),
      onSelect: r => app.tell({ func: r.func, self: r.self, total: r.total, calls: r.calls[app.main0], judged: 'function' }),
      onOpen: r => app.sandwich(r.func),
      onMenu: (r, x, y) => app.menuFor(r.func, x, y),
      empty: app.data.funcs.n > 1 ? 'No function matches.' : 'This profile is empty.',
    });
    this.host.append(this.note, this.table.host);
  }

  update(): void {
    const { app } = this, lacks = why('top', app.data), sort = app.state.sort;
    if (lacks) return fill(this.host, el('p', { class: 'lacks' }, lacks));
    this.rows = app.scene.flat().sorted(sort, app.data.funcs);
    this.search();
  }

  private columns(): ColumnSpec<FlatRow>[] {
    return [...costColumns<FlatRow>(this.app), nameColumn(this.app)];
  }

  search(): void {
    const { app } = this, { hits } = app, sort = app.state.sort;
    const rows = hits ? this.rows.filter(r => hits[r.func]) : this.rows;
    const more = app.scene.flatRest ? `, ${plural(app.scene.flatRest, 'lighter one is', 'lighter ones are')} not ${app.remote ? 'here yet' : 'in this file'}` : '';
    if (app.partial) app.allFunctions();
    fill(this.note, (hits ? `${digits(rows.length)} of ` : '') + plural(this.rows.length, 'function', 'functions') + more);
    this.table.set(rows, this.columns(), { key: sort.replace('-', ''), descending: !sort.startsWith('-') });
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
