// A table that draws only the rows in sight, with the keys of a grid.

import { el, fill } from './dom';

const HEIGHT = 26;
const EM = 13, LETTER = 7.3; // pixels of the page's font, and of a letter of code
const ROOMY = 1350; // pixels of a table from which on it shows everything
const PRINTED = 500; // rows on paper

export interface ColumnSpec<R> {
  key: string;
  title: string;
  help?: string;
  number?: boolean;
  wide?: boolean;
  narrow?: boolean; // a word: as wide as the longest
  sorts?: boolean;
  minor?: boolean; // left out where there is little room
  extra?: boolean; // left out unless there is much room
  /** What stands in the cell: `text` and `title` are for people, `exact` is for CSV; `room` is how many letters of code a wide one has. */
  cell(row: R, room: number): { text: string; exact?: string; title?: string; bar?: number; node?: Node; tone?: string };
}

export interface TableOpts<R> {
  label: string;
  tree?: boolean;
  columns: ColumnSpec<R>[];
  sort?: { key: string; descending: boolean };
  onSort?(key: string): void;
  onSelect?(row: R, index: number): void;
  onOpen?(row: R): void;
  onMenu?(row: R, x: number, y: number): void;
  onKey?(e: KeyboardEvent, row: R, index: number): boolean;
  decorate?(row: R, element: HTMLElement): void;
  empty?: string;
}

export class Table<R> {
  readonly host: HTMLElement;
  private head: HTMLElement;
  private body: HTMLElement;
  private spacer: HTMLElement;
  private frame = 0;
  private rows: R[] = [];
  private columns: ColumnSpec<R>[] = []; // those there is room for
  private wide = 0;
  private letters = Infinity; // that fit the wide column
  private printing = false;
  private twin: Table<R> | null = null;
  selected = -1;

  constructor(private opts: TableOpts<R>) {
    this.head = el('div', { class: 'tr head', role: 'row', 'aria-rowindex': 1 });
    this.body = el('div', { class: 'tbody', role: 'rowgroup' });
    this.spacer = el('div', { class: 'spacer' });
    this.host = el('div', { class: 'table', role: opts.tree ? 'treegrid' : 'grid', 'aria-label': opts.label, tabindex: 0 },
      this.head, this.body, this.spacer);
    this.host.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => {
      this.arrange();
      this.draw();
    }).observe(this.host);
    this.host.addEventListener('keydown', e => this.key(e));
    this.body.addEventListener('click', e => this.click(e));
    this.body.addEventListener('dblclick', e => {
      const i = this.indexOf(e.target);
      if (i >= 0) opts.onOpen?.(this.rows[i]);
    });
    this.body.addEventListener('contextmenu', e => {
      const i = this.indexOf(e.target);
      if (i < 0 || !opts.onMenu) return;
      e.preventDefault();
      this.select(i);
      opts.onMenu(this.rows[i], e.clientX, e.clientY);
    });
    this.header();
  }

  set(rows: R[], columns = this.opts.columns, sort = this.opts.sort): void {
    this.rows = rows;
    this.opts.columns = columns;
    this.opts.sort = sort;
    if (this.selected >= rows.length) this.selected = rows.length - 1;
    this.host.setAttribute('aria-rowcount', String(rows.length + 1));
    this.wide = 0;
    this.arrange();
    if (this.twin) {
      this.twin.wide = 0;
      this.twin.arrange();
    }
    this.draw();
  }

  /** Two tables, one below the other, whose columns are as wide. */
  pair(other: Table<R>): void {
    this.twin = other;
    other.twin = this;
  }

  /** What a column takes, in em. */
  private ems(c: ColumnSpec<R>, narrow: boolean): number {
    const letters = c.title.length + (this.opts.sort?.key === c.key ? 2 : 0);
    if (!c.number && !c.narrow) return Math.max(narrow ? 8 : 12, letters * 0.55 + 3.4);
    return Math.max(narrow ? 4 : 5, this.longest(c) * 0.64 + (innerWidth <= 760 ? 1.2 : 2.2), letters * (narrow ? 0.5 : 0.55) + (narrow ? 2 : 3.4));
  }

  /** Chooses the columns for the width at hand. */
  private arrange(): void {
    const width = this.host.clientWidth || 1000, narrow = width < 600, { columns } = this.opts;
    if (this.wide === width) return;
    this.wide = width;
    this.columns = columns.filter(c => !(narrow && c.minor) && !(width < ROOMY && c.extra));
    const ems = this.columns.map(c => {
      const other = this.twin?.opts.columns.find(x => x.key === c.key);
      return c.wide ? 0 : Math.max(this.ems(c, narrow), other ? this.twin!.ems(other, narrow) : 0);
    });
    this.letters = Math.floor((Math.max(width - ems.reduce((a, b) => a + b, 0) * EM, (narrow ? 8 : 16) * EM) - (innerWidth <= 760 ? 12 : 24)) / LETTER);
    this.host.style.setProperty('--columns', this.columns.map((c, i) => (c.wide ? `minmax(${narrow ? 8 : 16}em, 1fr)` : `${ems[i].toFixed(1)}em`)).join(' '));
    this.header();
  }

  /** Letters of the longest number among the first rows: digits are never cut. */
  private longest(c: ColumnSpec<R>): number {
    let most = 0;
    for (let i = 0; i < Math.min(this.rows.length, 60); i++) most = Math.max(most, c.cell(this.rows[i], Infinity).text.length);
    return most;
  }

  /** Lays out all rows, or only those in sight again. Paper does not scroll. */
  print(on: boolean): void {
    this.printing = on;
    this.paint();
  }

  get length(): number {
    return this.rows.length;
  }

  select(index: number, tell = true): void {
    if (index < 0 || index >= this.rows.length) return;
    this.selected = index;
    this.reveal(index);
    if (tell) this.opts.onSelect?.(this.rows[index], index);
    this.draw();
  }

  /** Chooses a row and brings it into the middle. */
  center(index: number): void {
    this.select(index);
    this.host.scrollTop = Math.max(0, index * HEIGHT - (this.host.clientHeight - this.head.offsetHeight) / 2);
  }

  /** Scrolls until a row is in sight. */
  reveal(index: number): void {
    const top = index * HEIGHT, room = this.host.clientHeight - this.head.offsetHeight;
    this.spacer.style.height = this.rows.length * HEIGHT + 'px';
    if (top < this.host.scrollTop) this.host.scrollTop = top;
    else if (top + HEIGHT > this.host.scrollTop + room) this.host.scrollTop = top + HEIGHT - room;
  }

  focus(): void {
    this.host.focus({ preventScroll: true });
  }

  private header(): void {
    const { sort } = this.opts, { columns } = this;
    fill(this.head, ...columns.map((c, i) => {
      const sorted = sort?.key === c.key, sortable = this.opts.onSort && c.sorts !== false;
      return el('div', {
        class: 'th' + (c.number ? ' number' : '') + (sorted ? ' sorted' : ''), role: 'columnheader', 'aria-colindex': i + 1, title: c.help ?? c.title,
        'aria-sort': sorted ? (sort!.descending ? 'descending' : 'ascending') : null,
      }, sortable ? el('button', { type: 'button', tabindex: -1, onclick: () => this.opts.onSort!(c.key) },
        c.title, sorted ? (sort!.descending ? ' \u25be' : ' \u25b4') : '') : c.title);
    }));
  }

  private draw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  private paint(): void {
    const first = this.printing ? 0 : Math.max(0, Math.floor(this.host.scrollTop / HEIGHT) - 4);
    const last = Math.min(this.rows.length, this.printing ? PRINTED : Math.ceil((this.host.scrollTop + this.host.clientHeight) / HEIGHT) + 4);
    this.spacer.style.height = this.rows.length * HEIGHT + 'px';
    this.body.style.transform = `translateY(${first * HEIGHT}px)`;
    const out: Node[] = [];
    for (let i = first; i < last; i++) out.push(this.row(this.rows[i], i));
    if (!this.rows.length) out.push(el('div', { class: 'empty', role: 'row' }, el('div', { role: 'gridcell' }, this.opts.empty ?? 'Nothing here.')));
    fill(this.body, ...out);
    if (this.selected >= first && this.selected < last) this.host.setAttribute('aria-activedescendant', this.rowId(this.selected));
    else this.host.removeAttribute('aria-activedescendant');
  }

  private rowId(i: number): string {
    return `${this.opts.label.replace(/\W+/g, '-')}-${i}`;
  }

  private row(row: R, i: number): HTMLElement {
    const e = el('div', { class: 'tr' + (i === this.selected ? ' selected' : ''), role: 'row', id: this.rowId(i), 'data-row': i, 'aria-rowindex': i + 2, 'aria-selected': i === this.selected ? 'true' : 'false' });
    this.columns.forEach((c, k) => {
      const cell = c.cell(row, this.letters), td = el('div', { class: 'td' + (c.number ? ' number' : '') + (cell.tone ? ' ' + cell.tone : ''), role: 'gridcell', 'aria-colindex': k + 1, 'data-key': c.key, 'data-exact': cell.exact, title: cell.title ?? cell.text });
      if (cell.bar !== undefined) {
        const bar = el('span', { class: 'bar' });
        bar.style.width = `${Math.max(0, Math.min(1, cell.bar)) * 100}%`;
        td.append(bar);
      }
      td.append(cell.node ?? el('span', {}, cell.text));
      e.append(td);
    });
    this.opts.decorate?.(row, e);
    return e;
  }

  private indexOf(target: EventTarget | null): number {
    const row = target instanceof Element ? target.closest('.tr') : null;
    return row ? Number(row.getAttribute('data-row') ?? -1) : -1;
  }

  private click(e: MouseEvent): void {
    const i = this.indexOf(e.target);
    if (i >= 0 && !(e.target as Element).closest('button')) this.select(i);
  }

  /** A key that was pressed elsewhere. */
  press(e: KeyboardEvent): void {
    if (this.selected < 0 && e.key.startsWith('Arrow')) {
      e.preventDefault();
      this.select(0);
    } else this.act(e);
    this.focus();
  }

  private key(e: KeyboardEvent): void {
    if (e.target === this.host) this.act(e);
  }

  private act(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const page = Math.max(1, Math.floor(this.host.clientHeight / HEIGHT) - 2), at = this.selected, n = this.rows.length;
    const go: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: n - 1 };
    if (at >= 0 && this.opts.onKey?.(e, this.rows[at], at)) e.preventDefault();
    else if (e.key in go) {
      e.preventDefault();
      this.select(Math.max(0, Math.min(n - 1, go[e.key])));
    } else if (e.key === 'Enter' && at >= 0) {
      e.preventDefault();
      this.opts.onOpen?.(this.rows[at]);
    } else if ((e.key === 'ContextMenu' || (e.key === 'F10' && e.shiftKey)) && at >= 0) {
      e.preventDefault();
      const r = document.getElementById(this.rowId(at))?.getBoundingClientRect();
      this.opts.onMenu?.(this.rows[at], (r?.left ?? 0) + 40, r?.bottom ?? 0);
    }
  }

  csv(escape: (text: string) => string, keep: (row: R) => boolean = () => true): string {
    const { columns } = this.opts;
    return columns.map(c => escape(c.title)).join(',') + '\r\n' + this.rows.filter(keep).map(r => columns.map(c => {
      const { exact, text } = c.cell(r, Infinity);
      return c.number ? exact ?? text : escape(exact ?? text);
    }).join(',') + '\r\n').join('');
  }
}
