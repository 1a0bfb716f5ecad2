// The call tree as a table that unfolds: the costliest callee first.

import type { App } from '../app';
import type { Panel } from '../panel';
import { button, el, fill, named } from '../dom';
import type { Layer } from '../layers';
import { stacksLayer } from '../layers';
import type { FlatRow } from '../model';
import type { Of } from '../noise';
import { unseenBelow } from '../model';
import { why } from '../state';
import type { ColumnSpec } from '../table';
import { Table } from '../table';
import { escapeCsv, shown } from '../text';
import type { Totals } from '../totals';
import { costColumns } from './top';

/** A row asks the layer when it comes in sight: there may be a hundred thousand. */
class TreeRow implements FlatRow {
  constructor(private view: TreeView, readonly node: number, readonly depth: number) {}

  get func(): number { return this.view.layer!.func(this.node); }
  get more(): number { return this.view.layer!.more(this.node); }
  get open(): boolean { return this.view.open.has(this.node); }
  get leaf(): boolean { return this.more > 0 || this.view.layer!.leaf(this.node); }
  get self(): number[] { return this.view.app.scene.costs.map((_, k) => this.view.layer!.self(this.node, k)); }
  get total(): number[] { return this.view.app.scene.costs.map((_, k) => this.view.layer!.total(this.node, k)); }
  part(which: 0 | 1): Of { return this.node ? this.view.layer!.of(this.node, which) : [-1, which]; }
  net(): [number, number] { return this.view.net(this.node); }
  get calls(): (number | null)[] { return this.view.app.scene.costs.map((_, k) => (k === this.view.app.main0 ? this.view.layer!.calls(this.node) : null)); }
}

export class TreeView implements Panel {
  readonly host = el('section', { class: 'view' });
  private table: Table<TreeRow>;
  layer: Layer | null = null;
  open = new Set<number>();
  private rows: TreeRow[] = [];
  private scene: unknown = null;
  private tree: unknown = null;
  private made = false;
  private unseen: { of: unknown; below: Totals | null } = { of: null, below: null };

  constructor(readonly app: App) {
    this.table = new Table<TreeRow>({
      label: 'Call tree', tree: true, columns: [],
      onSelect: r => this.tell(r),
      onOpen: r => this.toggle(r),
      onMenu: (r, x, y) => app.menuFor(r.func, x, y, [['Unfold the hottest path', () => this.hottest(r.node)]]),
      onKey: (e, r, i) => this.key(e, r, i),
      decorate: (r, row) => {
        row.setAttribute('aria-level', String(r.depth + 1));
        if (!r.leaf) row.setAttribute('aria-expanded', String(r.open));
        if (app.hits?.[r.func]) row.classList.add('match');
      },
    });
    this.host.append(this.table.host);
  }

  update(): void {
    const { app } = this, lacks = why('tree', app.data);
    if (lacks) return fill(this.host, el('p', { class: 'lacks' }, lacks));
    if (this.scene !== app.scene || this.made !== app.state.reverse) {
      const { moved } = app.data, grew = moved !== null && !!this.layer?.plain && moved.from === this.tree && !app.state.reverse;
      const chosen = grew && this.rows[this.table.selected] ? moved.to(this.rows[this.table.selected].node) : -1;
      this.layer = stacksLayer(app.scene, app.data.funcs.n, app.state.reverse);
      this.scene = app.scene;
      this.tree = app.scene.tree;
      this.made = app.state.reverse;
      this.open = new Set(grew ? [...this.open].map(moved.to) : [0]);
      if (!grew) this.hottest(0, false);
      this.list();
      if (chosen >= 0) this.table.select(this.rows.findIndex(r => r.node === chosen));
      return;
    }
    this.list();
  }

  search(): void {
    this.table.set(this.rows, this.columns());
  }

  /** What is left of what a row gained itself; from the leaves up, stacks are put together by what they gained. */
  net(node: number): [number, number] {
    const { app } = this, [left] = this.layer!.plain ? app.sceneOf(app.state.metric).costs : [null];
    return left ? [left.self.at(node), left.total.at(node) + (this.unseenNow()?.at(node) ?? 0)] : [NaN, NaN];
  }

  /** What was given back and is only in totals that the file measured; as soon as something is chosen, nobody knows where. */
  private unseenNow(): Totals | null {
    const { app } = this, scene = app.sceneOf(app.state.metric);
    if (this.unseen.of !== scene) this.unseen = { of: scene, below: app.plain ? unseenBelow(app.data, app.state.metric) : null };
    return this.unseen.below;
  }

  private kids(node: number): number[] {
    const l = this.layer!;
    const all = l.children(node), out: number[] = [], left = this.app.falls && l.plain ? this.app.sceneOf(this.app.state.metric).costs[0].total : null;
    for (let i = 0; i < all.length; i++) {
      const c = all[i];
      if (l.width(c) > 0 || left?.at(c) || l.total(c, 0) !== 0 || (this.app.compares && l.total(c, 1) !== 0)) out.push(c);
    }
    return out;
  }

  private list(): void {
    const rows: TreeRow[] = [], nodes = [0], depths = [0];
    while (nodes.length) {
      const node = nodes.pop()!, depth = depths.pop()!;
      rows.push(new TreeRow(this, node, depth));
      if (!this.open.has(node)) continue;
      const kids = this.lightestFirst(this.kids(node));
      for (let i = 0; i < kids.length; i++) {
        nodes.push(kids[i]);
        depths.push(depth + 1);
      }
    }
    this.rows = rows;
    this.table.set(rows, this.columns());
  }

  /** By width, equal ones against the order of names. Of many, numbers alone are put in order: that is three times as fast. */
  private lightestFirst(kids: number[]): ArrayLike<number> {
    const l = this.layer!, { rank, n } = this.app.data.funcs, place = (c: number) => (l.func(c) ? rank[l.func(c)] : n);
    if (kids.length < 100) return kids.sort((a, b) => l.width(a) - l.width(b) || place(b) - place(a));
    const by = new Int32Array(n + 2), named = new Int32Array(kids.length), out = new Int32Array(kids.length), next = new Map<number, number>();
    for (let i = 0; i < kids.length; i++) by[place(kids[i]) + 1]++;
    for (let i = 0; i <= n; i++) by[i + 1] += by[i];
    for (let i = 0; i < kids.length; i++) named[by[place(kids[i])]++] = kids[i];
    Float64Array.from(kids, c => l.width(c)).sort().forEach((width, i) => next.has(width) || next.set(width, i));
    for (let i = kids.length - 1; i >= 0; i--) {
      const width = l.width(named[i]), at = next.get(width)!;
      out[at] = named[i];
      next.set(width, at + 1);
    }
    return out;
  }

  private columns(): ColumnSpec<TreeRow>[] {
    const costs = costColumns<TreeRow>(this.app).map(c => ({ ...c, sorts: false }));
    return [...costs, {
      key: 'name', title: 'Function', wide: true,
      cell: (r, room) => {
        const name = r.more ? `(${r.more} more)` : this.app.name(r.func), node = el('span', { class: 'fname tree' });
        const step = innerWidth < 600 ? 7 : 14, deepest = innerWidth < 600 ? 12 : 40, indent = Math.min(r.depth, deepest) * step;
        node.style.paddingLeft = indent + 'px';
        node.append(r.leaf ? el('span', { class: 'twist' }) : el('button', {
          type: 'button', tabindex: -1, class: 'twist', 'aria-label': r.open ? 'Fold' : 'Unfold', onclick: (e: Event) => {
            e.stopPropagation();
            this.toggle(r);
          },
        }, r.open ? '\u25be' : '\u25b8'), el('b', {}, ...named(name, Math.max(8, Math.floor(room - (indent + 20) / 7.3)))));
        return { text: name, exact: '  '.repeat(r.depth) + (r.more ? name : r.func ? this.app.data.funcs.name[r.func] : 'all'), title: r.func ? shown(this.app.data.funcs.name[r.func], 1000) : name, node };
      },
    }];
  }

  private toggle(r: TreeRow, open = !r.open): void {
    if (r.more && this.layer!.plain) this.app.deepen(this.layer!.parent(r.node), true);
    if (r.leaf) return;
    if (open) this.open.add(r.node);
    else this.open.delete(r.node);
    this.list();
  }

  /** Unfolds the costliest callee as long as it holds most of its caller. */
  private hottest(node: number, draw = true): void {
    const l = this.layer!;
    for (let depth = 0; depth < 200; depth++) {
      this.open.add(node);
      const kids = this.kids(node);
      if (!kids.length) break;
      const best = kids.reduce((a, b) => (l.width(b) > l.width(a) ? b : a));
      if (l.more(best) || l.width(best) < l.width(node) / 2) break;
      node = best;
    }
    if (draw) this.list();
  }

  private key(e: KeyboardEvent, r: TreeRow, index: number): boolean {
    if (e.key === 'ArrowRight') {
      if (!r.open && !r.leaf) this.toggle(r, true);
      else this.table.select(index + 1);
    } else if (e.key === 'ArrowLeft') {
      if (r.open && !r.leaf) this.toggle(r, false);
      else this.table.select(this.rows.findLastIndex((x, i) => i < index && x.depth < r.depth));
    } else if (e.key === 'h') this.hottest(r.node);
    else return false;
    return true;
  }

  private tell(r: TreeRow): void {
    const l = this.layer!, all = this.app.scene.costs.map((_, k) => k);
    this.app.tell({ func: r.func, more: r.more, self: r.self, total: r.total, calls: r.calls[this.app.main0], parent: r.node ? all.map(k => l.total(l.parent(r.node), k)) : undefined, stack: l.stack(r.node), judged: r.part(1) });
  }

  /** The next match: unfolds what leads to it. */
  step(by: number): void {
    const { hits } = this.app, l = this.layer;
    if (!hits || !l) return;
    const visible = this.rows.map((r, i) => [r, i] as const).filter(([r]) => r.func && hits[r.func]);
    const at = this.table.selected, next = by > 0 ? visible.find(([, i]) => i > at) : visible.findLast(([, i]) => i < at);
    if (next) return this.table.select(next[1]);
    const { tree, width } = this.app.scene, listed = new Set(this.rows.map(r => r.node));
    if (!l.plain) return;
    let best = 0;
    for (let i = 1; i < tree.n; i++) if (hits[tree.func[i]] && width.at(i) > (best ? width.at(best) : 0) && !listed.has(i)) best = i;
    if (!best) return;
    for (let n = tree.parent[best]; n; n = tree.parent[n]) this.open.add(n);
    this.list();
    this.table.select(this.rows.findIndex(r => r.node === best));
  }

  press(e: KeyboardEvent): void {
    this.table.press(e);
  }

  focus(): void {
    if (this.table.selected < 0) this.table.select(0);
    this.table.focus();
  }

  options(): Node[] {
    const { app } = this;
    if (why('tree', app.data)) return [];
    return [
      button('Bottom up', 'From the leaves: who calls what is costly (r)', () => app.set({ reverse: !app.state.reverse, zoom: [] }), { 'aria-pressed': String(app.state.reverse), class: 'toggle' }),
      button('Hottest path', 'Unfold the hottest path (h)', () => this.hottest(this.rows[this.table.selected]?.node ?? 0)),
      button('Fold all', 'Fold everything', () => {
        this.open = new Set([0]);
        this.list();
      }),
    ];
  }

  print(on: boolean): void {
    this.table.print(on);
  }

  csv(): string {
    return this.table.csv(escapeCsv);
  }
}
