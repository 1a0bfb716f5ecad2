// The first page: all profiles that the server was started with, to search, choose, open and compare.

import { button, el, fill, select, toast } from '../viewer/dom';
import { bytes as sizeText, digits, plural, shown, time } from '../viewer/text';
import type { Params } from './api';
import { Refused, askJson } from './api';
import { valueOf } from './cost';
import { refill } from '../viewer/focus';
import { viewAddress } from './question';
import type { Source } from './sources';
import { listSources } from './sources';
import { nowAndThen } from './watch';

/** A profile as the list shows it. */
export interface Profile {
  source: Source;
  params: Params; // how it is asked for
  name: string;
  labels: Record<string, string>;
  start: number | null; // ns since 1970
  end: number | null;
  format: string;
  what: string;
  costs: [string, number, string][]; // name, value, unit
  bytes: number;
  complete: boolean;
}

interface ListState {
  search: string;
  sort: string;
  page: number; // that is asked for: while the list comes in there may not be as many
  where: string;
  since: string;
  theme: string;
}

const ROWS = 50;
/** Rows of a directory's first answer, of any further one, and of all of them; what one answer may be in bytes: names may be long. */
const FIRST = 400, ANSWER = 2000, MOST = 20000, BYTES = 700000;
const SINCE: [string, string][] = [['', 'any time'], ['1h', 'last hour'], ['1d', 'last day'], ['1w', 'last week'], ['30d', 'last 30 days']];

interface Column {
  key: string;
  title: string;
  number?: boolean;
  minor?: boolean;
  by(p: Profile): string | number;
}

const COLUMNS: Column[] = [
  { key: 'name', title: 'Profile', by: p => p.name.toLowerCase() },
  { key: 'labels', title: 'Labels', minor: true, by: p => Object.entries(p.labels).map(l => l.join('=')).join(' ') },
  { key: 'time', title: 'Recorded (UTC)', by: p => p.start ?? 0 },
  { key: 'format', title: 'Format', minor: true, by: p => p.format },
  { key: 'cost', title: 'Cost', number: true, by: p => p.costs[0]?.[1] ?? -1 },
  { key: 'size', title: 'Size', number: true, minor: true, by: p => p.bytes },
];

/** What tells a profile from all others. */
const keyOf = (p: Profile) => JSON.stringify(p.params);

const askStamps = async () => (await askJson<{ stamps: string[] }>('stamps', [])).stamps;

const when = (ns: number | null) => (ns ? new Date(ns / 1e6).toISOString().replace('T', ' ').slice(0, 16) : '');

/** What a search looks through; a word with "=" is a label as a whole. */
function fits(p: Profile, words: string[]): boolean {
  const text = [p.name, p.format, p.what, p.source.name, ...Object.entries(p.labels).map(l => l.join('='))].join(' ').toLowerCase();
  return words.every(w => (w.startsWith('-') && w.length > 1 ? !text.includes(w.slice(1)) : text.includes(w)));
}

export class ListPage {
  private state: ListState;
  private profiles: Profile[] = [];
  private sources: Source[] = [];
  private chosen = new Set<Profile>();
  private left = new Map<string, number>(); // of each source, profiles that are not listed
  private stamps: string[] = []; // of the sources, as what is listed was asked for
  private listing = true; // it comes in
  private loads = 0;
  private loaded = false;
  private shown: Profile[] = [];
  private page = 0; // that is shown
  private others = new Map<string, string>(); // of each store, what is to be compared with
  private search: HTMLInputElement;
  private table = el('table', { class: 'profiles' });
  private count = el('p', { class: 'sub', role: 'status', 'aria-live': 'polite' }, 'Looking for profiles\u2026');
  private acts = el('div', { class: 'acts', role: 'toolbar', 'aria-label': 'With what is chosen' });
  private pages = el('nav', { class: 'pages', 'aria-label': 'Pages' });
  private stores = el('div', { class: 'stores' });
  private problems = el('div', { class: 'problems' });
  private news = el('p', { class: 'news', role: 'status' });
  private nothing = el('div', { class: 'nothing' });

  constructor(host: HTMLElement, private add: () => void) {
    const given = new URLSearchParams(location.search), word = (key: string) => given.get(key) ?? '';
    this.state = { search: word('q'), sort: word('sort') || '-time', page: Math.max(0, Number(word('page')) || 0), where: word('in'), since: word('from'), theme: word('theme') };
    this.search = el('input', {
      type: 'search', id: 'q', placeholder: 'Search names, labels, formats', title: 'Search (/)', 'aria-label': 'Search profiles', 'aria-keyshortcuts': '/', value: this.state.search, spellcheck: 'false', autocomplete: 'off',
      oninput: () => this.set({ search: this.search.value, page: 0 }),
    });
    const dark = () => document.documentElement.dataset.theme === 'dark';
    host.append(el('div', { class: 'app listing' },
      el('header', {}, el('div', { class: 'brand' }, el('h1', {}, 'Profiles'), this.count),
        el('div', { class: 'tools' }, el('div', { class: 'find' }, this.search), button('Add a file\u2026', 'Add a file, or drop one anywhere on this page', () => this.add()),
          button('\u25d0', 'Dark or light', () => this.set({ theme: dark() ? 'light' : 'dark' }), { id: 'theme' }))),
      el('main', { tabindex: -1 }, this.problems, this.stores, this.acts, this.news, el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Profiles' }, this.table), this.nothing, this.pages)));
    window.addEventListener('keydown', e => this.key(e));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    this.draw();
    void this.load();
    nowAndThen(() => this.look());
  }

  private get more(): number {
    return [...this.left.values()].reduce((a, b) => a + b, 0);
  }

  private async load(): Promise<void> {
    const load = ++this.loads;
    this.listing = true;
    try {
      // What comes in while the list does is noticed later.
      this.stamps = await askStamps().catch(() => []);
      this.sources = await listSources();
    } catch (error) {
      this.listing = false;
      fill(this.problems);
      return this.complain(error);
    }
    fill(this.problems);
    const found = await Promise.all(this.sources.map(s => this.part(s, { next: 0, rows: FIRST }, load)));
    if (load !== this.loads) return;
    this.profiles = found.flatMap(f => f.profiles);
    this.left = new Map(found.map((f, i) => [this.sources[i].name, f.left]));
    this.chosen.clear();
    this.loaded = true;
    this.draw();
    this.drawStores();
    void this.costs();
    document.documentElement.dataset.ready = String(this.profiles.length);
    await this.rest(load, found);
    if (load === this.loads) this.listing = false;
    document.documentElement.dataset.listed = String(this.profiles.length);
  }

  // ---- what comes in ----

  /** Whether something changed; if so, what. */
  private async look(): Promise<void> {
    if (this.listing) return;
    const load = this.loads, { sources } = this;
    try {
      const stamps = await askStamps(), changed = sources.filter((_, i) => stamps[i] !== this.stamps[i]), dropped = stamps.length !== this.stamps.length || stamps.at(-1) !== this.stamps.at(-1);
      if (load !== this.loads) return;
      if (this.news.classList.contains('lacks')) fill(this.news);
      this.news.classList.remove('lacks');
      if (!sources.length && this.problems.childElementCount) return void this.load(); // the server was not there
      if (!changed.length && !dropped) return;
      const now = await listSources(), lists = await Promise.all(now.map(s => (!this.left.has(s.name) || changed.some(c => c.name === s.name) ? this.anew(s).catch(error => (error instanceof Refused && error.status ? null : Promise.reject(error))) : null)));
      if (load !== this.loads || this.listing) return;
      this.stamps = stamps;
      this.sources = now;
      this.take(lists);
    } catch (error) {
      this.news.classList.add('lacks');
      fill(this.news, shown(`What is listed may be out of date: ${error instanceof Error ? error.message : String(error)}.`, 300));
      throw error;
    }
  }

  /** What a source has now: of a store no more than what is new, where nothing went. */
  private async anew(source: Source): Promise<Profile[]> {
    const old = this.profiles.filter(p => p.source.name === source.name), known = new Set(old.map(keyOf)), load = this.loads;
    let part = await profilesOf(source, this.state, { next: 0, rows: FIRST }), list = part.profiles;
    const fresh = list.filter(p => !known.has(keyOf(p))), left = this.left.get(source.name) ?? 0;
    if (source.kind === 'store' && known.size && list.length + part.left === old.length + left + fresh.length) {
      this.left.set(source.name, left);
      return [...fresh, ...old];
    }
    while (part.next && list.length < MOST && load === this.loads) {
      part = await profilesOf(source, this.state, part);
      list = [...list, ...part.profiles];
    }
    this.left.set(source.name, part.left);
    return list;
  }

  /** Puts lists of some sources in the place of what was listed of them; what is looked at stays where it is. */
  private take(lists: (Profile[] | null)[]): void {
    const before = new Map(this.profiles.map(p => [keyOf(p), p])), chosen = new Set([...this.chosen].map(keyOf)), was = this.profiles.length;
    let fresh = 0, changed = 0;
    this.profiles = this.sources.flatMap((s, i) => (lists[i] ?? this.profiles.filter(p => p.source.name === s.name)).map(p => {
      const old = before.get(keyOf(p)), same = old && old.start === p.start && old.bytes === p.bytes;
      if (!old) fresh++;
      else if (!same) changed++;
      return same ? old : p;
    }));
    for (const name of [...this.left.keys()]) if (!this.sources.some(s => s.name === name)) this.left.delete(name);
    const gone = was - (this.profiles.length - fresh), said = [fresh && plural(fresh, 'new profile', 'new profiles'), changed && plural(changed, 'has changed', 'have changed'), gone > 0 && plural(gone, 'is gone', 'are gone')].filter(Boolean).join(', ');
    this.chosen = new Set(this.profiles.filter(p => chosen.has(keyOf(p))));
    if (!said) return;
    this.news.classList.remove('lacks');
    fill(this.news, `${said}, at ${new Date().toISOString().slice(11, 19)} UTC`);
    this.keepPlace(() => this.draw());
    void this.costs();
    document.documentElement.dataset.listed = String(this.profiles.length);
  }

  /** Draws the table with the row on top of what is in sight where it was, unless nobody scrolled or turned a page. */
  private keepPlace(draw: () => void): void {
    const rows = () => [...(this.table.tBodies[0]?.rows ?? [])], edge = document.querySelector('header')!.getBoundingClientRect().bottom, scrolled = window.scrollY > 0;
    const at = scrolled ? rows().findIndex(r => r.getBoundingClientRect().bottom > edge) : 0, anchor = scrolled || this.page ? this.visible()[Math.max(0, at)] : undefined, top = rows()[Math.max(0, at)]?.getBoundingClientRect().top ?? 0;
    draw();
    const place = anchor ? this.shown.indexOf(anchor) : -1;
    if (place < 0) return;
    if (Math.floor(place / ROWS) !== this.page) {
      this.state.page = Math.floor(place / ROWS);
      this.keepAddress();
      draw();
    }
    window.scrollBy(0, scrolled ? rows()[place % ROWS].getBoundingClientRect().top - top : 0);
  }

  private part(s: Source, from: From, load: number): Promise<Part> {
    return profilesOf(s, this.state, from).catch(error => (load === this.loads && this.complain(error, s), { profiles: [], next: 0, left: 0, rows: 0 }));
  }

  /** What did not come with the first answers, part by part. */
  private async rest(load: number, found: Part[]): Promise<void> {
    for (let [i, { next, rows }] of found.entries())
      while (next && this.profiles.length < MOST) {
        const part = await this.part(this.sources[i], { next, rows }, load);
        if (load !== this.loads) return;
        this.profiles.push(...part.profiles);
        this.left.set(this.sources[i].name, part.left);
        ({ next, rows } = part);
        this.draw();
      }
  }

  private complain(error: unknown, source?: Source): void {
    this.problems.append(el('p', { class: 'lacks', role: 'alert' }, shown(`${source ? source.name + ': ' : ''}${error instanceof Error ? error.message : String(error)}`, 400)));
  }

  private set(change: Partial<ListState>): void {
    const again = 'where' in change || 'since' in change;
    Object.assign(this.state, change);
    this.keepAddress();
    this.draw();
    void (again ? this.load() : this.costs());
  }

  private keepAddress(): void {
    const s = this.state, query = new URLSearchParams();
    if (s.search) query.set('q', s.search);
    if (s.sort !== '-time') query.set('sort', s.sort);
    if (s.page) query.set('page', String(s.page));
    if (s.where) query.set('in', s.where);
    if (s.since) query.set('from', s.since);
    if (s.theme) query.set('theme', s.theme);
    history.replaceState(null, '', query.size ? '/?' + query : '/');
  }

  // ---- what is chosen ----

  private drawActs(): void {
    const list = [...this.chosen], n = list.length, one = (p: Profile) => p.params, files = list.flatMap(one);
    const inStore = (p: Profile) => p.source.kind === 'store', together = n > 1 && list.every(p => !inStore(p) && p.source.kind !== 'dropped');
    const hashes = list.map(p => p.params.find(([k]) => k === 'where')?.[1] ?? ''), [first] = list;
    const asOne: Params | null = n === 1 ? one(first) : together ? [...files, ...(n === 2 ? [['merge', '1'] as [string, string]] : [])]
      : n && list.every(p => p.source === first.source && inStore(p)) ? [['file', first.source.name], ['where', hashes.join(' or ')]] : null;
    refill(this.acts,
      el('span', { class: 'chosen', role: 'status' }, n ? plural(n, 'profile is', 'profiles are') + ' chosen' : 'Choose profiles to compare them, or to open them as one'),
      button('Open', n > 1 ? 'Open the chosen ones as one profile' : 'Open', () => asOne && location.assign(viewAddress(asOne)), { disabled: !asOne }),
      button('Compare', 'Compare two: the earlier one is before', () => this.compare(list), { disabled: n !== 2 }),
      button('Trend', 'How functions changed over three or more', () => asOne && location.assign('/?' + new URLSearchParams([['trend', ''], ...asOne])), { disabled: n < 3 || !asOne }),
      n > 0 && button('None', 'Choose none', () => {
        this.chosen.clear();
        this.draw();
      }));
  }

  private compare(list: Profile[]): void {
    const [a, b] = [...list].sort((x, y) => (x.start ?? 0) - (y.start ?? 0)), as = (p: Profile): [string, string] => {
      const where = p.params.find(([k]) => k === 'where')?.[1], file = p.params.find(([k]) => k === 'file')![1];
      return ['file', where ? `${file}?where=${where}` : file];
    };
    location.assign(viewAddress([as(a), as(b)]));
  }

  // ---- drawing ----

  private draw(): void {
    const s = this.state, words = s.search.toLowerCase().split(/\s+/).filter(Boolean), key = s.sort.replace('-', ''), by = (COLUMNS.find(c => c.key === key) ?? COLUMNS[2]).by, sign = s.sort.startsWith('-') ? -1 : 1;
    document.documentElement.dataset.theme = s.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    this.shown = this.profiles.filter(p => fits(p, words)).map(p => [p, by(p)] as const).sort(([a, x], [b, y]) => sign * (x < y ? -1 : x > y ? 1 : 0) || (a.name < b.name ? -1 : 1)).map(([p]) => p);
    const pages = Math.max(1, Math.ceil(this.shown.length / ROWS));
    this.page = Math.min(s.page, pages - 1);
    if (this.profiles.length) fill(this.count, (words.length ? `${digits(this.shown.length)} of ` : '') + (this.more ? 'the newest ' : '') + plural(this.profiles.length, 'profile', 'profiles') + (this.more ? ` of ${digits(this.profiles.length + this.more)}` : '') + ` in ${plural(this.sources.length, 'source', 'sources')}` + (this.more && this.profiles.length >= MOST ? ': choose by labels or time to see others' : ''));
    else if (this.sources.length) fill(this.count, 'No profiles');
    this.drawTable();
    this.drawNothing();
    this.drawActs();
    refill(this.pages, pages > 1 && button('\u2039', 'The page before (N)', () => this.set({ page: this.page - 1 }), { disabled: this.page === 0, 'aria-label': 'The page before', 'aria-keyshortcuts': 'N' }),
      pages > 1 && el('span', {}, `${digits(this.page + 1)} of ${digits(pages)}`), pages > 1 && button('\u203a', 'The next page (n)', () => this.set({ page: this.page + 1 }), { disabled: this.page === pages - 1, 'aria-label': 'The next page', 'aria-keyshortcuts': 'n' }));
  }

  /** What to do where there is nothing to see. */
  private drawNothing(): void {
    const { search, where, since } = this.state, empty = this.loaded && !this.shown.length && !this.problems.childElementCount, takes = this.sources.some(s => s.kind === 'store' && s.writable);
    this.table.hidden = this.acts.hidden = empty && !this.profiles.length;
    fill(this.nothing, empty && (search && this.profiles.length ? el('p', {}, 'No profile fits this search.') : where || since ? el('p', {}, 'No profile of the store fits this selection.') : el('p', {}, 'There are no profiles yet. Drop a file anywhere on this page to look at it' + (takes ? ', or send one to the store:' : '.'))),
      empty && takes && !search && !where && !since && el('pre', { tabindex: 0 }, `curl --data-binary @app.folded '${location.origin}/api/v1/add?label.service=web'`));
  }

  private visible(): Profile[] {
    return this.shown.slice(this.page * ROWS, (this.page + 1) * ROWS);
  }

  private drawTable(): void {
    const s = this.state, key = s.sort.replace('-', ''), rows = this.visible(), most = new Map<string, number>();
    for (const { costs: [c] } of rows) if (c) most.set(c[0] + c[2], Math.max(c[1], most.get(c[0] + c[2]) ?? 0));
    this.table.classList.toggle('unlabelled', !this.profiles.some(p => Object.keys(p.labels).length));
    refill(this.table,
      el('thead', {}, el('tr', {}, el('th', { scope: 'col', class: 'check' }, el('span', { class: 'full' }, 'Chosen')), ...COLUMNS.map(c => el('th', {
        scope: 'col', class: `${c.key}${c.number ? ' number' : ''}${c.minor ? ' minor' : ''}`, 'aria-sort': key !== c.key ? 'none' : s.sort.startsWith('-') ? 'descending' : 'ascending',
      }, button(c.title + (key === c.key ? (s.sort.startsWith('-') ? ' \u25be' : ' \u25b4') : ''), `Sort by ${c.title.toLowerCase()}`, () => this.set({ sort: s.sort === '-' + c.key ? c.key : '-' + c.key, page: 0 }), { 'aria-label': `Sort by ${c.title.toLowerCase()}` }))))),
      el('tbody', {}, ...rows.map(p => this.row(p, most.get((p.costs[0]?.[0] ?? '') + (p.costs[0]?.[2] ?? '')) ?? 0))));
  }

  private row(p: Profile, most: number): Node {
    const box = el('input', { type: 'checkbox', 'aria-label': 'Choose ' + shown(p.name, 120), checked: this.chosen.has(p), onchange: () => this.choose(p, box.checked) });
    const [cost] = p.costs, bar = el('span', { class: 'bar' });
    if (cost && most > 0) bar.style.width = `calc((100% - 12px) * ${cost[1] / most})`;
    return el('tr', { class: this.chosen.has(p) ? 'selected' : '', 'data-key': keyOf(p) },
      el('td', { class: 'check' }, box),
      el('td', { class: 'name' }, el('a', { href: viewAddress(p.params), title: shown(p.name, 400) }, shown(p.name.replace(/^.*\/(?=.)/, ''), 160) || '(no name)'), p.name.includes('/') && el('small', {}, shown(p.name.replace(/\/[^/]*$/, ''), 120)), p.what && el('small', {}, shown(p.what, 120)), Object.keys(p.labels).length > 0 && el('small', { class: 'narrow' }, shown(Object.entries(p.labels).map(l => l.join('=')).join(' '), 120)), !p.complete && el('small', { class: 'incomplete' }, 'incomplete')),
      el('td', { class: 'minor labels' }, ...Object.entries(p.labels).slice(0, 6).map(([k, v]) => button(shown(`${k}=${v}`, 48), `Search for ${shown(k, 60)}=${shown(v, 120)}`, () => this.narrow(`${k}=${v}`), { class: 'chip' }))),
      el('td', { class: 'time' }, when(p.start), (p.end ?? 0) > (p.start ?? 0) && el('small', {}, time(p.end! - p.start!))),
      el('td', { class: 'minor' }, shown(p.format, 40)),
      el('td', { class: 'number cost', title: p.costs.map(c => `${shown(c[0], 60)}: ${valueOf(c[1], c[2])}`).join('\n') }, most > 0 && cost && bar, el('span', {}, cost ? valueOf(cost[1], cost[2]) : '')),
      el('td', { class: 'number minor' }, p.bytes ? sizeText(p.bytes) : ''));
  }

  private choose(p: Profile, on: boolean): void {
    if (on) this.chosen.add(p);
    else this.chosen.delete(p);
    this.drawActs();
    for (const [i, row] of [...this.table.tBodies[0].rows].entries()) row.classList.toggle('selected', this.chosen.has(this.visible()[i]));
  }

  private narrow(word: string): void {
    const text = word.toLowerCase().split(/\s+/).filter(w => !this.state.search.toLowerCase().split(/\s+/).includes(w)).join(' ');
    this.search.value = [this.state.search.trim(), text].filter(Boolean).join(' ');
    this.set({ search: this.search.value, page: 0 });
    this.search.focus();
  }

  /** Of a store one can choose by labels and time, and open or compare all of what is chosen so. */
  private drawStores(): void {
    const list = this.sources.filter(s => s.kind === 'store');
    refill(this.stores, ...list.map(store => {
      const field = (label: string, value: string, hint: string) => el('input', { type: 'text', 'aria-label': label, placeholder: hint, value, spellcheck: 'false', autocomplete: 'off' });
      const where = field(`Which profiles of ${shown(store.name, 80)}`, this.state.where, 'service=web and version~"^2"'), other = field('Compared with', this.others.get(store.name) ?? '', 'compared with: version=2.1');
      const since = (): Params => (this.state.since ? [['since', this.state.since]] : []), asked = (): Params => [['file', store.name], ...(where.value ? [['where', where.value] as [string, string]] : []), ...since()];
      other.addEventListener('input', () => this.others.set(store.name, other.value));
      return el('form', {
        class: 'store', 'aria-label': `Choose in ${shown(store.name, 80)}`, onsubmit: (e: Event) => {
          e.preventDefault();
          this.set({ where: where.value, page: 0 });
        },
      }, el('strong', {}, shown(store.name.replace(/^.*\/(?=.)/, ''), 60)), where, select('Since', SINCE, this.state.since, v => this.set({ since: v, where: where.value, page: 0 })),
      el('button', { type: 'submit' }, 'List'), button('Open all', 'Open all of these as one profile', () => location.assign(viewAddress(asked()))),
      button('Trend', 'How functions changed over time', () => location.assign('/?' + new URLSearchParams([['trend', ''], ...asked()]))),
      el('span', { class: 'pair' }, other, button('Compare', 'Compare these with those', () => (other.value ? location.assign(viewAddress([['file', `${store.name}?where=${where.value}`], ['file', `${store.name}?where=${other.value}`], ...since()])) : toast('Say what to compare with, such as version=2.1')), {})));
    }));
  }

  /** What profiles cost, of those in sight and not too large: a directory is listed without reading the files. */
  private async costs(): Promise<void> {
    const list = this.visible().filter(p => !p.costs.length && (p.source.kind === 'file' || p.source.kind === 'directory') && p.bytes < 4 << 20).slice(0, ROWS);
    for (const p of list) {
      if (!this.visible().includes(p)) return;
      ({ costs: p.costs, complete: p.complete } = await askCosts(p.params).catch((): Known => ({ costs: [['', 0, '']], complete: p.complete })));
      if (p.costs.length && !p.costs[0][0]) p.costs = [];
      else this.drawTable();
    }
  }

  private key(e: KeyboardEvent): void {
    const typing = e.target instanceof HTMLInputElement && e.target.type !== 'checkbox';
    if (typing || e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) return;
    const keys: Record<string, () => void> = {
      '/': () => this.search.select(), d: () => (document.getElementById('theme') as HTMLButtonElement).click(),
      n: () => (this.pages.querySelector('button:last-child:enabled') as HTMLButtonElement | null)?.click(), N: () => (this.pages.querySelector('button:first-child:enabled') as HTMLButtonElement | null)?.click(),
    };
    if (!keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  }
}

type Known = Pick<Profile, 'costs' | 'complete'>;

/** What a profile costs, and whether all of it could be read, as `info` has it. */
async function askCosts(params: Params): Promise<Known> {
  const info = await askJson<{ complete?: boolean; metrics?: { name: string; unit: string; total: number; primary?: boolean }[] }>('info', params);
  return { costs: (info.metrics ?? []).map((m): [string, number, string] => [m.name, m.total, m.unit]), complete: info.complete ?? true };
}

interface Listed {
  file?: string; name?: string; source?: string; id?: string; labels?: Record<string, string>; time?: number | { start?: number; end?: number } | null; format?: string; what?: string;
  totals?: Record<string, number>; metrics?: Record<string, number>; units?: Record<string, string>; size?: number; bytes?: number; complete?: boolean;
}

/** Of files that were not read, only times and counts are known. */
const unitOf = (name: string) => (/^(wt$|time)/i.test(name) ? 'ns' : 'count');

/** Where the next profiles begin (0: there are none), and how many of them to ask for. */
interface From {
  next: number;
  rows: number;
}

/** Some of the profiles of a source, and how many more there are at least. */
interface Part extends From {
  profiles: Profile[];
  left: number;
}

async function profilesOf(source: Source, { where, since }: ListState, { next: from, rows }: From): Promise<Part> {
  if (source.kind === 'dropped') return { next: 0, left: 0, rows: 0, profiles: [{ source, params: [['file', source.name]], name: source.title ?? source.name, labels: {}, start: (source.time ?? 0) * 1e9 || null, end: null, format: source.format ?? '', what: 'dropped here', costs: [], bytes: source.bytes ?? 0, complete: true }] };
  const inStore = source.kind === 'store', params: Params = [['file', source.name]];
  if (inStore && where) params.push(['where', where]);
  if (inStore && since) params.push(['since', since]);
  if (!inStore) params.push(['limit', String(rows)], ['recursive', '1']);
  if (from) params.push(['page', String(from)]);
  const { profiles, cut } = await askJson<{ profiles: Listed[]; cut?: { rows: number; page: number } }>(inStore ? 'store' : 'list', params);
  const next = inStore ? cut?.page ?? 0 : profiles.length === rows ? from + rows : 0, each = next && !inStore ? new TextEncoder().encode(JSON.stringify(profiles)).length / rows : 1;
  return { next, left: cut?.rows ?? 0, rows: Math.max(1, Math.min(ANSWER, Math.floor(BYTES / each))), profiles: profiles.map(p => {
    const span = typeof p.time === 'number' ? { start: p.time * 1e9 } : p.time ?? {}, labels = p.labels ?? {};
    return {
      source, name: p.name ?? p.source?.replace(/^.*\/(?=.)/, '') ?? (Object.entries(labels).map(l => l.join('=')).join(' ') || p.id?.slice(0, 12)) ?? p.file ?? '', labels,
      params: inStore ? [['file', source.name], ['where', `profile=${p.id}`]] : [['file', p.file ?? source.name]],
      start: span.start ?? null, end: 'end' in span ? span.end ?? null : null, format: p.format ?? '', what: p.what ?? '',
      costs: Object.entries(p.totals ?? p.metrics ?? {}).map(([name, v]): [string, number, string] => [name, Number(v), p.units?.[name] ?? unitOf(name)]), bytes: p.size ?? p.bytes ?? 0, complete: p.complete ?? true,
    };
  }) };
}
