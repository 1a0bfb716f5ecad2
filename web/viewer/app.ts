// The page: one state, one scene computed from it, the views that show it, and everything around them.

import { frameColour } from './colours';
import { Compared } from './compared';
import type { Data, Metric, ProfileInfo } from './data';
import { button, copy, el, fill, save, select, toast } from './dom';
import { exportCsv, exportPng, exportSvg } from './export';
import { helpDialog } from './help';
import { type Layer, TreeLayer, isThere, nodeAt, pathNamed, stacksLayer } from './layers';
import { functionMenu } from './function_menu';
import type { Panel, Part, Remote, Thing } from './panel';
import { showTip } from './tip';
import { type FilterKind, count, isRegex, matchFuncs } from './filters';
import { type Call, type Scene, Scenes, gainedOf, isPlain, metricOf, threadKey, threadWord } from './model';
import type { Noise } from './noise';
import { counted } from './noise';
import { prepare, prepareNext } from './prepare';
import { Strip } from './strip';
import { type State, type View, FILTERS, VIEWS, brief, commandLine, filterText, fromHash, initial, timeText, toHash, why, zoomNames } from './state';
import { digits, escapeRegex, exact, percent, plural, share, shown, time, value, valueNamed } from './text';
import { FlameView } from './views/flame';
import { OverviewView } from './views/overview';
import { LinesView } from './views/lines';
import { SandwichView } from './views/sandwich';
import { TimeView } from './views/time';
import { TopView } from './views/top';
import { TreeView } from './views/tree';

/** A part of the picture that is narrower than this share of it is not worth asking for. */
const WORTH = 1 / 2000;

const PARTS: (keyof State)[] = ['metric', 'event', 'thread', 'time', 'filters', 'normalize'];

export class App {
  readonly base: State;
  readonly partial: boolean; // a server has more than was sent
  state: State;
  scene: Scene;
  hits: Uint8Array | null = null; // functions that the search finds
  dark = false;
  private scenes: Scenes;
  private past: State[] = [];
  private future: State[] = [];
  private panels: Record<View, Panel>;
  private main = el('main', { tabindex: -1 });
  private panel = el('div', { role: 'tabpanel', id: 'panel' });
  private tabs = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' });
  private bar = el('div', { class: 'bar2' });
  private filters = el('div', { class: 'filters' });
  private details = el('div', { id: 'details', role: 'status', 'aria-live': 'polite' });
  private found = el('span', { class: 'found', 'aria-live': 'polite' }); // no status: that is what the details are
  private searchBox: HTMLInputElement;
  private strip: Strip | null;
  private colours: string[] = []; // by function, as they are asked for
  private names: string[] = [];
  private coloursFor = '';
  private files: Set<string> | null = null; // of which lines or the text are known
  readonly compared = new Compared(this);
  private thing: Thing | null = null;
  private layer: { of: Scene; reverse: boolean; layer: Layer } | null = null;
  private zoomWanted: string[] = []; // what the address zooms to, which a server may have to tell first
  private asked = new Set<string>(); // what is being asked of the server, or was
  private asks = 0; // how many answers are missing
  private searching = 0; // a question about what is searched for, that waits until nobody types
  private busy = el('div', { class: 'busy', 'aria-live': 'polite', hidden: true });
  private around: { func: number; of: Scene; scenes: Scenes } | null = null; // the stacks with one function
  private calls: { func: number; metric: number; of: Scene; known: { callers: Call[]; callees: Call[] } } | null = null;
  private matched: { key: string; cost: number } | null = null; // what is searched for costs
  private all: Data['series']; // threads and events, whatever filters leave
  private picksFor = '';
  private picks = el('div', { class: 'picks' });
  private fold = button('Controls', 'Show or hide the controls', () => this.unfold(this.fold.getAttribute('aria-expanded') !== 'true'), { id: 'fold', 'aria-expanded': 'false' });

  /** `remote` is there where a server has more; `base` is the state without any word in the address. */
  constructor(public data: Data, readonly remote: Remote | null = null) {
    this.base = initial(data);
    this.all = data.series;
    this.partial = !!remote && [data.meta.cut].some(c => c.nodes > 0 || c.functions > 0 || c.edges > 0 || c.lines > 0);
    this.scenes = new Scenes(data);
    this.state = this.fromAddress();
    this.scene = this.scenes.of(this.chosen);
    this.searchBox = el('input', {
      type: 'search', placeholder: 'Search functions', 'aria-label': 'Search functions (name or regular expression)', spellcheck: 'false', autocomplete: 'off',
      oninput: () => this.set({ search: this.searchBox.value }, 'quiet'),
      onkeydown: (e: KeyboardEvent) => this.searchKey(e),
    });
    this.strip = data.moments.length ? new Strip(this) : null;
    this.panels = {
      overview: new OverviewView(this), flame: new FlameView(this), time: new TimeView(this), sandwich: new SandwichView(this), tree: new TreeView(this), top: new TopView(this), lines: new LinesView(this),
    };
    this.build();
    this.refresh();
    prepare(data, this.scenes, () => this.scene, f => this.colour(f));
    if (this.partial && this.parts.length) this.refilter();
    else this.deepenZoom();
    window.addEventListener('popstate', () => this.restore());
    window.addEventListener('hashchange', () => this.restore());
    window.addEventListener('keydown', e => this.key(e));
    window.addEventListener('click', e => {
      const notes = document.querySelector('.notes[open]');
      if (notes && !notes.contains(e.target as Node)) notes.removeAttribute('open');
    });
    window.addEventListener('beforeprint', () => this.print(true));
    window.addEventListener('afterprint', () => this.print(false));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.refresh());
  }

  // ---- what is shown ----

  get metric(): Metric {
    return this.data.meta.profiles[0].metrics[this.state.metric] ?? { name: '', title: '', event: '', unit: '', kind: 0, sampled: false, period: 1, real: false, sums: true, scale: 0, num: 1, den: 1, total: 0 };
  }

  get compares(): boolean {
    return this.data.meta.profiles.length > 1;
  }

  /** The profile whose numbers come first: the later one of two. */
  get main0(): number {
    return this.data.meta.profiles.length - 1;
  }

  // ---- what a server has more of ----

  /** What is chosen of the data that is here: of a part, filters were applied where the whole is. */
  get chosen(): State {
    return this.chosenOf(this.state);
  }

  private chosenOf(s: State): State {
    return this.partial ? { ...s, filters: [], thread: '', event: '' } : s;
  }

  /** The stacks of a scene as pictures draw them; the newest are kept, for several ask. */
  stacks(reverse: boolean, scene = this.scene): Layer {
    if (this.layer?.of !== scene || this.layer.reverse !== reverse) this.layer = { of: scene, reverse, layer: stacksLayer(scene, this.data.funcs.n, reverse) };
    return this.layer.layer;
  }

  /** The state that the address tells. A zoom is named by its stack, as filters leave it. */
  private fromAddress(): State {
    const s = fromHash(location.hash, this.base, this.data);
    this.zoomWanted = zoomNames(location.hash);
    return { ...s, zoom: this.zoomNamed(s) };
  }

  private zoomNamed(s: State): number[] {
    return this.zoomWanted.length ? pathNamed(this.stacks(s.reverse, this.scenes.of(this.chosenOf(s))), this.zoomWanted, this.data.funcs.name) : [];
  }

  /** What the server leaves of the whole: filters, one thread, one event. */
  get parts(): Part[] {
    const { filters, thread, event } = this.state, series = thread ? this.all.find(x => threadKey(x) === thread) : undefined;
    return [...filters.map((f): Part => [f.kind, f.pattern]), ...(thread ? [['thread', series ? threadWord(series) : thread] as Part] : []), ...(event ? [['event', event] as Part] : [])];
  }

  /** Asks the server unless it was asked that before; what it answers is shown if nothing else is wanted by then. */
  private ask<T>(key: string, question: () => Promise<T>, use: (answer: T) => void): void {
    if (this.asked.has(key)) return;
    this.asked.add(key);
    void this.wait(question().then(use, error => {
      this.asked.delete(key);
      toast(`The server did not answer: ${error instanceof Error ? error.message : String(error)}`);
    }));
  }

  /** Says that an answer is waited for. */
  async wait<T>(answer: Promise<T>): Promise<T> {
    this.asks++;
    this.tellBusy();
    return answer.finally(() => {
      this.asks--;
      this.tellBusy();
    });
  }

  /** It is known what changed by more than noise. */
  judged(): void {
    this.refresh();
    this.panels[this.state.view].search(); // boxes have other colours
  }

  private tellBusy(): void {
    this.busy.hidden = !this.asks;
    fill(this.busy, this.asks ? 'Asking the server\u2026' : '');
  }

  /** Takes other data of the same profile; functions have the same numbers in it. */
  private replace(data: Data): void {
    this.data = data;
    this.scenes = new Scenes(data);
    this.scene = this.scenes.of(this.chosen);
    this.layer = null;
    if (this.zoomWanted.length) this.state = { ...this.state, zoom: this.zoomNamed(this.state) };
    this.names = [];
    this.colours = [];
    this.files = null;
    this.around = null;
    this.refresh();
  }

  /** Asks for what lies below a node, where a part of it was summed up that could be seen. */
  deepen(node: number, all = false): void {
    const { data } = this, { tree } = data, { width } = this.scene, id = data.ids?.[node];
    if (!this.partial || !this.remote || id === undefined || node >= tree.n) return;
    let thin = 0;
    for (const at of tree.more.keys()) if (at >= node && at < tree.end[node]) thin = Math.max(thin, width.at(at));
    if (!(thin > (all ? 0 : width.at(node) * WORTH))) return;
    this.ask(`${JSON.stringify(this.parts)} below ${id}`, () => this.remote!.more(data, node), more => this.data === data && this.replace(more));
  }

  /** Below what the picture is zoomed to. */
  private deepenZoom(): void {
    const { state: s } = this, layer = this.partial && s.zoom.length && !s.reverse && !this.scene.out ? new TreeLayer(this.scene) : null;
    if (layer) this.deepen(nodeAt(layer, s.zoom));
  }

  private refilter(): void {
    const { parts } = this, key = JSON.stringify(parts);
    this.asked.clear();
    this.ask('filters ' + key, () => this.remote!.filtered(parts, this.data), data => JSON.stringify(this.parts) === key && this.replace(data));
  }

  /** Whether the stacks with a function are all here. */
  hasAround(func: number): boolean {
    return !this.partial || (this.around?.func === func && this.around.of === this.scene);
  }

  /** The stacks with a function, all of them: of a part that is the server's to know. With a metric as it is, not what was gained of it. */
  sceneAround(func: number, metric = -1): Scene {
    const here = this.hasAround(func), scenes = this.partial && here ? this.around!.scenes : this.scenes;
    if (!here && func) this.askAround(func);
    return metric < 0 ? scenes.of(this.chosen) : scenes.of({ ...this.chosen, metric }, true);
  }

  private askAround(func: number): void {
    const { scene, data } = this, key = `around ${func} ${JSON.stringify(this.parts)}`, parts: Part[] = [...this.parts, ['focus', '^' + escapeRegex(data.funcs.name[func]) + '$']];
    this.ask(key, () => this.remote!.filtered(parts, data), found => {
      this.asked.delete(key);
      if (this.scene !== scene || this.state.func !== func) return;
      this.around = { func, of: scene, scenes: new Scenes(found) };
      this.refresh();
    });
  }

  /** Calls of one function where only the server knows all of them; null: not yet, or nobody does. */
  callsOf(func: number, metric: number): { callers: Call[]; callees: Call[] } | null {
    const { scene, data } = this, m = data.meta.profiles[0].metrics[metric];
    if (!this.partial || !this.remote?.verbs || this.compares || !func || !m || m.net !== undefined) return null;
    if (this.calls?.func === func && this.calls.metric === metric && this.calls.of === scene) return this.calls.known;
    this.ask(`calls ${func} ${metric} ${JSON.stringify(this.parts)}`, () => this.remote!.calls(func, m, this.parts, data), known => {
      this.asked.delete(`calls ${func} ${metric} ${JSON.stringify(this.parts)}`);
      if (this.scene !== scene || this.state.func !== func) return;
      this.calls = { func, metric, of: scene, known };
      this.refresh();
    });
    return null;
  }

  /** What matches costs, of all: of a part that is the server's to know. Below 0: not known yet. */
  private costOfMatches(): number {
    const { search, ignoreCase, metric } = this.state, { parts } = this, key = JSON.stringify([search, ignoreCase, parts, metric]), m = this.data.meta.profiles[0].metrics[metric];
    if (this.matched?.key === key) return this.matched.cost;
    if (!this.remote?.verbs) return -1;
    clearTimeout(this.searching);
    this.searching = setTimeout(() => this.ask('matches ' + key, () => this.remote!.matching((ignoreCase ? '(?i)' : '') + (isRegex(search) ? search : escapeRegex(search)), m, parts), cost => {
      this.asked.delete('matches ' + key);
      this.matched = { key, cost };
      this.tellFound();
    }), 300);
    return -1;
  }

  /** Asks for the functions that were too light to be sent at once. */
  allFunctions(): void {
    const { data } = this;
    if (this.partial && data.meta.cut.functions) this.ask('functions ' + JSON.stringify(this.parts), () => this.remote!.functions(data), more => this.data === data && this.replace(more));
  }

  /** Asks for the lines of a file that were too light to be sent at once. */
  allLines(file: string): void {
    const { data } = this;
    if (this.partial && data.meta.cut.lines) this.ask(`lines ${file} ${JSON.stringify(this.parts)}`, () => this.remote!.lines(data, file), more => this.data === data && this.replace(more));
  }

  /** What is in sight of all of time, for the strip. */
  inSight(range: [number, number] | null): void {
    this.strip?.window(range);
  }

  /** Names what the pointer is over, beside it and in the line below; nothing where it is over nothing. */
  hover(x: number, y: number, thing: Thing | null): void {
    this.tell(thing);
    if (!thing) return showTip(0, 0, []);
    const what = this.details.querySelector('.what')?.textContent ?? '', numbers = this.details.querySelector('.numbers')?.textContent ?? '';
    showTip(x, y, [what, ...numbers.split(' \u00b7 '), this.place(thing.func)].filter(Boolean));
  }

  /** What the view in sight draws: the order of time knows no filters. */
  get seen(): Scene {
    return this.state.view === 'time' && this.state.filters.length ? this.scenes.of({ ...this.chosen, filters: [] }) : this.scene;
  }

  /** The costs of another metric for what is chosen. */
  sceneOf(metric: number): Scene {
    return this.scenes.of({ ...this.chosen, metric }, true);
  }

  /** Whether the metric falls, so that what is shown is what was gained. */
  get falls(): boolean {
    return gainedOf(this.data, this.state.metric) !== this.state.metric;
  }

  name(func: number): string {
    return (this.names[func] ??= func ? shown(this.data.funcs.name[func], 4096) || '(no name)' : 'all');
  }

  place(func: number): string {
    const f = this.data.funcs, line = f.line[func] ? ':' + f.line[func] : '';
    return func ? shown((f.file[func] ? f.file[func] + line : '') + (f.module[func] ? (f.file[func] ? ' in ' : '') + f.module[func] : ''), 300) : '';
  }

  value(raw: number): string {
    return value(this.metric, raw);
  }

  exact(raw: number): string {
    return exact(this.metric, raw);
  }

  share(raw: number): string {
    return share(raw, this.scene.whole[this.main0]);
  }

  /** Chooses the colours of pictures. */
  colourSelect(): Node {
    return select('Colours', [['module', 'by module'], ['name', 'by name'], ['language', 'by language']], this.state.palette, v => this.set({ palette: v as 'name' }));
  }

  frameColour(layer: Layer, node: number): string {
    return this.compares ? this.compared.colour(layer, node) : this.colour(layer.func(node));
  }

  /** Tells noise from change, for what is chosen. */
  get noise(): Noise {
    return this.compared.noise;
  }

  colour(func: number): string {
    return (this.colours[func] ??= frameColour(this.data, func, this.state.palette, this.dark));
  }

  // ---- changes ----

  /** Changes the state: a step in the history of the page, or quietly. */
  set(change: Partial<State>, how: 'step' | 'quiet' = 'step'): void {
    const before = this.state, after = { ...before, ...change };
    const parts = PARTS.some(k => JSON.stringify(before[k]) !== JSON.stringify(after[k]));
    if (parts) {
      this.past.push(before);
      this.future = [];
    }
    this.apply(after, how);
  }

  undo(): void {
    const back = this.past.pop();
    if (!back) return toast('Nothing to undo');
    this.future.push(this.state);
    this.apply(this.withParts(back), 'step');
  }

  redo(): void {
    const to = this.future.pop();
    if (!to) return toast('Nothing to redo');
    this.past.push(this.state);
    this.apply(this.withParts(to), 'step');
  }

  private withParts(from: State): State {
    const out = { ...this.state } as State;
    for (const k of PARTS) (out as unknown as Record<string, unknown>)[k] = from[k];
    return out;
  }

  private apply(after: State, how: 'step' | 'quiet'): void {
    const before = this.state, parts = JSON.stringify(this.parts), others = PARTS.some(k => JSON.stringify(before[k]) !== JSON.stringify(after[k]));
    this.state = after;
    if (others || before.zoom !== after.zoom) this.zoomWanted = [];
    if (others) {
      this.scene = this.scenes.of(this.chosen);
      prepareNext(this.data, this.scenes);
      // The picture stays where it is if the same stack is still there.
      if (after.zoom === before.zoom && after.zoom.length && !isThere(this.stacks(after.reverse), after.zoom)) this.state.zoom = [];
    }
    if (others || before.zoom.join() !== this.state.zoom.join() || before.reverse !== after.reverse) this.state.part = after.part === before.part ? null : after.part;
    if (this.partial && JSON.stringify(this.parts) !== parts) this.refilter();
    this.keepAddress(how);
    const only = how === 'quiet' && (before.search !== after.search || before.ignoreCase !== after.ignoreCase);
    this.refresh(only);
    if (before.zoom !== this.state.zoom) this.deepenZoom();
  }

  keepAddress(how: 'step' | 'quiet'): void {
    try {
      const url = toHash(this.state, this.base, this.data) || location.pathname + location.search;
      history[how === 'step' ? 'pushState' : 'replaceState'](null, '', url);
    } catch { /* a page without an address of its own */ }
  }

  private restore(): void {
    const now = toHash(this.state, this.base, this.data), before = JSON.stringify(this.parts);
    if (location.hash === now) return;
    this.state = this.fromAddress();
    this.scene = this.scenes.of(this.chosen);
    this.refresh();
    if (this.partial && JSON.stringify(this.parts) !== before) this.refilter();
  }

  addFilter(kind: FilterKind, pattern: string): void {
    if (!pattern) return;
    if (!isRegex(pattern)) toast('Not a regular expression: taken as text');
    this.set({ filters: [...this.state.filters, { kind, pattern: isRegex(pattern) ? pattern : escapeRegex(pattern) }] });
  }

  filterFunc(kind: FilterKind, func: number): void {
    this.addFilter(kind, '^' + escapeRegex(this.data.funcs.name[func]) + '$');
  }

  sandwich(func: number): void {
    if (func) this.set({ view: 'sandwich', func });
  }

  /** Whether there is something to show of the file of a function. */
  hasSource(func: number): boolean {
    if (!this.files) {
      this.files = new Set(this.data.sources.files);
      for (const l of this.data.lines) for (let i = 0; l && i < l.file.length; i++) this.files.add(this.data.strings[l.file[i]]);
      this.files.delete('');
    }
    return this.files.has(this.data.funcs.file[func]);
  }

  /** The source of a function, where it begins. */
  source(func: number): void {
    this.set({ view: 'lines', func, file: this.data.funcs.file[func], line: this.data.funcs.line[func] });
  }

  sourceLine(file: string, line: number): void {
    if (file) this.set({ view: 'lines', file, line });
  }

  /** Where a function is, as a way there where its source is known. */
  placeLink(func: number): Node | null {
    const place = this.place(func);
    if (!place) return null;
    if (!this.hasSource(func)) return el('i', {}, place);
    const to = { view: 'lines' as View, func, file: this.data.funcs.file[func], line: this.data.funcs.line[func] };
    return el('a', {
      class: 'place', href: toHash({ ...this.state, ...to }, this.base, this.data), title: `Source: ${place}`, tabindex: -1, onclick: (e: MouseEvent) => {
        if (!e.ctrlKey && !e.metaKey) this.take(e, () => this.source(func));
      },
    }, place);
  }

  // ---- drawing ----

  /** On a phone the controls leave their room to the data until they are wanted. */
  private unfold(on: boolean): void {
    this.fold.setAttribute('aria-expanded', String(on));
    document.documentElement.classList.toggle('unfolded', on);
  }

  private build(): void {
    const { profiles, title, inputs } = this.data.meta, added = this.added();
    const names = [...new Set(profiles.map(p => p.file))].map(f => f.replace(/^.*\//, ''));
    const heading = title || (added > 1 ? `${names[0]} and ${digits(added - 1)} more` : names.join(' \u2192 '));
    document.body.append(el('div', { class: 'app' },
      el('header', {},
        el('div', { class: 'brand' }, this.remote && el('a', { class: 'home', href: this.remote.home, title: 'All profiles' }, '\u2039 Profiles'), el('h1', { title: (added > 1 ? inputs.slice(0, 100) : profiles.map(p => p.file)).join('\n') }, shown(heading, 120)), this.fold, el('p', { class: 'sub' }, ...this.subtitle())),
        el('div', { class: 'tools' }, this.picks,
          el('div', { class: 'find' }, this.searchBox, button('Aa', 'Match case', () => this.set({ ignoreCase: !this.state.ignoreCase }, 'quiet'), { id: 'case' }), this.found),
          button('\u25d0', 'Dark or light', () => this.set({ theme: this.dark ? 'light' : 'dark' }, 'quiet'), { id: 'theme' }),
          button('?', 'Keys and help', () => helpDialog(this.data), { id: 'help' }))),
      this.main,
      this.details, this.remote && this.busy));
    this.main.append(...[el('div', { class: 'bar' }, this.tabs, this.bar), this.filters, this.strip?.host, this.panel].filter((e): e is HTMLDivElement => !!e));
    this.panel.append(...Object.values(this.panels).map(p => p.host));
    document.title = `${shown(heading, 120)} \u2013 polyprof`;
  }

  /** How many files were added up to what is shown as one profile. */
  private added(): number {
    const { profiles, inputs } = this.data.meta;
    return this.remote || profiles.length > 1 ? 1 : inputs.length;
  }

  private subtitle(): (Node | string)[] {
    const { profiles, cut } = this.data.meta, p = profiles[profiles.length - 1], out: (Node | string)[] = [];
    const whole = (x: ProfileInfo, named: (m: Metric, raw: number) => string) => {
      const m = x.metrics[x.primary];
      return m ? named(m, (m.total / m.num) * m.den * 10 ** m.scale) + (m.falls ? ' net' : '') : '';
    };
    const both = (of: (x: ProfileInfo) => string) => [...new Set(profiles.map(of))].join(' \u2192 ');
    const added = this.added(), formats = [...new Set(profiles.map(x => x.format + (x.variant ? ' ' + x.variant : '')))].join(' and ');
    const facts = [...(added > 1 ? [`${digits(added)} files added up`] : [formats, p.producer]),
      (profiles.length > 1 ? whole(profiles[0], value) + ' \u2192 ' : '') + whole(p, valueNamed), both(x => digits(x.functions)) + (p.functions === 1 ? ' function' : ' functions'), counted(profiles)];
    const recorded = (x: ProfileInfo) => (x.timeEnd !== undefined && x.timeStart !== undefined && x.timeEnd > x.timeStart ? time(x.timeEnd - x.timeStart) : '');
    if (profiles.every(recorded)) facts.push('recorded for ' + both(recorded));
    if (profiles.some(x => x.estimated)) facts.push('stacks are estimated');
    if (profiles.some(x => !x.complete)) facts.push('incomplete');
    out.push(facts.filter(Boolean).map(f => shown(f, 80)).join(' \u00b7 '));
    const notes: string[] = [];
    if (profiles.some(x => !x.complete)) notes.push('The profile is damaged or was cut off: this is what could be read.');
    if (profiles.some(x => x.estimated)) notes.push('The stacks were reconstructed, not recorded: they are an estimate.');
    for (const said of new Set(profiles.map(x => x.aside))) if (said) notes.push(said[0].toUpperCase() + said.slice(1) + '; a report made with --all-frames shows all as recorded.');
    if (cut.nodes) notes.push(`${plural(cut.nodes, 'stack', 'stacks')} lighter than ${(cut.share * 100).toPrecision(2)}% are summed up as \u201c(n more)\u201d${this.remote ? ': they come when you zoom in or open that row' : ', so that this file stays small'}.`);
    if (cut.functions) notes.push(`${plural(cut.functions, 'function', 'functions')} lighter than that are left out of the list${this.remote ? ' until you ask for them' : ''}.`);
    if (cut.edges) notes.push(`${plural(cut.edges, 'call', 'calls')} lighter than that are left out.`);
    if (cut.lines) notes.push(`${plural(cut.lines, 'source line', 'source lines')} lighter than that are left out.`);
    if (cut.sources) notes.push(`${plural(cut.sources, 'source file', 'source files')} did not fit.`);
    if (cut.resolution) notes.push(`Within ${time(cut.resolution)} the order of events is not kept.`);
    if (cut.names) notes.push(`${plural(cut.names, 'name was', 'names were')} too long and are cut.`);
    if (profiles.some(x => x.metrics.some(m => !m.real && Math.abs(m.total / m.num * m.den) > 2 ** 53))) notes.push('Numbers above 2^53 are rounded here; the command line has every digit.');
    if (notes.length)
      out.push(' ', el('details', { class: 'notes' }, el('summary', {}, plural(notes.length, 'note', 'notes')), el('ul', {}, ...notes.map(n => el('li', {}, n)))));
    return out;
  }

  private refresh(searchOnly = false): void {
    const s = this.state, root = document.documentElement, panel = this.panels[s.view];
    this.dark = s.theme ? s.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = this.dark ? 'dark' : 'light';
    if (this.coloursFor !== s.palette + this.dark) this.colours = [];
    this.coloursFor = s.palette + this.dark;
    this.hits = s.search ? matchFuncs(this.data, s.search, s.ignoreCase) : null;
    if (this.searchBox.value !== s.search) this.searchBox.value = s.search;
    document.getElementById('case')!.setAttribute('aria-pressed', String(!s.ignoreCase));
    this.tellFound();
    if (searchOnly) {
      panel.search();
      return;
    }
    this.drawPicks();
    this.drawTabs();
    if (s.view !== 'time') this.inSight(null);
    this.strip?.update();
    for (const [view, p] of Object.entries(this.panels)) p.host.hidden = view !== s.view;
    this.panel.setAttribute('aria-labelledby', 'tab-' + s.view);
    panel.update(); // may choose what to show, which the command line tells
    this.drawFilters();
    fill(this.bar, ...(panel.options?.() ?? []), this.exports(panel));
    this.tell(this.thing);
    this.compared.ask();
  }

  /** Paper is white, and does not scroll. */
  private print(on: boolean): void {
    const dark = !on && document.documentElement.dataset.theme === 'dark';
    this.dark = dark;
    this.colours = [];
    this.panels[this.state.view].print?.(on);
    if (!on) this.refresh();
  }

  private drawPicks(): void {
    const { metrics } = this.data.meta.profiles[0], s = this.state, series = this.all, key = JSON.stringify([s.metric, s.event, s.thread]);
    if (this.picksFor === (this.picksFor = key)) return; // there may be thousands of threads
    const events = [...new Set(series.map(x => x.info.event).filter(Boolean))], threads = [...new Set(series.map(threadKey))];
    fill(this.picks,
      metrics.length > 0 && select('Metric', metrics.flatMap((m, i) => (m.net !== undefined || (i !== s.metric && this.compares && metricOf(this.data, 1, i) < 0) ? [] : [[String(i), shown(m.title || m.name, 60)] as [string, string]])), String(s.metric), v => this.set({ metric: Number(v) })),
      events.length > 1 && select('Event', [['', 'all'], ...events.map(e => [e, shown(e, 40)] as [string, string])], s.event, v => this.set({ event: v })),
      threads.length > 1 && select('Thread', [['', `all ${threads.length}`], ...threads.map(t => [t, shown(t || 'unnamed', 40)] as [string, string])], s.thread, v => this.set({ thread: v })));
  }

  private drawTabs(): void {
    fill(this.tabs, ...VIEWS.map(([view, title], i) => el('button', {
      type: 'button', role: 'tab', id: 'tab-' + view, 'aria-selected': String(view === this.state.view), 'aria-controls': 'panel', title: `${title} (${i + 1})`,
      tabindex: view === this.state.view ? 0 : -1, class: why(view, this.data) ? 'lacks' : '', onclick: () => this.set({ view }),
      onkeydown: (e: KeyboardEvent) => this.tabKey(e, i),
    }, title)));
    if (innerWidth < 760) document.getElementById('tab-' + this.state.view)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  private tabKey(e: KeyboardEvent, i: number): void {
    const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
    if (!by) return;
    e.preventDefault();
    const view = VIEWS[(i + by + VIEWS.length) % VIEWS.length][0];
    this.set({ view });
    document.getElementById('tab-' + view)?.focus();
  }

  private exports(panel: Panel): Node {
    return el('span', { class: 'exports', role: 'group', 'aria-label': 'Save what is shown' },
      panel.picture && panel.drawn !== false && button('SVG', 'Save what is shown as SVG', () => exportSvg(this, panel)),
      panel.picture && panel.drawn !== false && button('PNG', 'Save what is shown as PNG', () => void exportPng(this, panel)),
      panel.csv && button('CSV', 'Save what is shown as CSV', () => exportCsv(this, panel)));
  }

  private drawFilters(): void {
    const s = this.state, line = commandLine(s, this.data);
    const chips: Node[] = s.filters.map((f, i) => this.chip(`${f.kind} ${shown(f.pattern, 60)}`, filterText(f) + (s.view === 'time' ? ', which does not apply to the order of time' : ''), () => this.set({ filters: s.filters.filter((_, k) => k !== i) }), s.view === 'time'));
    if (s.thread) chips.push(this.chip('thread ' + shown(s.thread, 40), '--thread', () => this.set({ thread: '' })));
    if (s.event) chips.push(this.chip('event ' + shown(s.event, 40), '--event', () => this.set({ event: '' })));
    if (s.time) chips.push(this.chip(`time ${time(Math.round(s.time[0]))} \u2013 ${time(Math.round(s.time[1]))}`, '--time ' + timeText(s.time), () => this.set({ time: null })));
    fill(this.filters, this.filterForm(), ...chips,
      button('\u21b6', 'Undo (u)', () => this.undo(), { id: 'undo', disabled: !this.past.length }),
      button('\u21b7', 'Redo (U)', () => this.redo(), { id: 'redo', disabled: !this.future.length }),
      el('code', { class: 'command', id: 'command', title: 'The same on the command line:\n' + shown(line), tabindex: 0 }, shown(brief(line, this.data.meta.words ?? this.data.meta.inputs))),
      button('Copy', 'Copy the command line', () => void copy(line, 'the command line'), { class: 'copyline' }));
  }

  private chip(label: string, title: string, remove: () => void, idle = false): Node {
    return el('span', { class: idle ? 'chip idle' : 'chip', title: shown(title) }, label, button('\u00d7', 'Remove filter ' + label, remove));
  }

  private filterForm(): Node {
    const kinds: [string, string][] = FILTERS.map(([k, name]) => [k, name]);
    if (this.data.moments.length) kinds.push(['time', 'Time']);
    const kind = el('select', { 'aria-label': 'Kind of filter', title: FILTERS.map(([, name, does]) => `${name}: ${does}`).join('\n') }, ...kinds.map(([v, t]) => el('option', { value: v }, t)));
    const pattern = el('input', { type: 'text', id: 'pattern', placeholder: 'regular expression', 'aria-label': 'Filter pattern', spellcheck: 'false', autocomplete: 'off' });
    const treeless = !this.data.meta.profiles.every(p => p.facets.includes('tree'));
    const form = el('form', {
      class: 'addfilter',
      onsubmit: (e: Event) => {
        e.preventDefault();
        if (kind.value === 'time') this.setTime(pattern.value);
        else this.addFilter(kind.value as FilterKind, pattern.value);
      },
    }, kind, pattern, el('button', { type: 'submit', disabled: treeless, title: treeless ? 'This profile holds no stacks to filter' : 'Add the filter' }, 'Filter'));
    return form;
  }

  private setTime(text: string): void {
    const units: Record<string, number> = { ns: 1, us: 1e3, '\u00b5s': 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9 };
    const [whole] = this.timeRange(), parse = (t: string, otherwise: number) => {
      const m = /^\s*([\d.]+)\s*(ns|us|\u00b5s|ms|s|min|h|%)?\s*$/.exec(t);
      return !t.trim() ? otherwise : m ? Number(m[1]) * (m[2] === '%' ? whole[1] / 100 : units[m[2] ?? 's']) : NaN;
    };
    const [a, b] = text.split('..'), from = parse(a ?? '', 0), to = parse(b ?? '', whole[1]);
    if (to > from) this.set({ time: [from, to] });
    else toast('A range of time looks like 1ms..20ms');
  }

  /** All of time, and what of it is looked at. */
  timeRange(): [[number, number], [number, number] | null] {
    let end = 0;
    // The last sample runs as long as it says.
    for (const m of this.data.moments) end = Math.max(end, m.start[m.n], m.length && m.n ? m.start[m.n - 1] + m.length[m.n - 1] : 0);
    // Traces are whole: what the recording took longer is the profiler's own time, which is nowhere on their clock.
    const traced = this.data.moments.length > 0 && this.data.moments.every(m => m.trace);
    for (const p of this.data.meta.profiles) if (!traced && p.timeEnd !== undefined && p.timeStart !== undefined) end = Math.max(end, p.timeEnd - p.timeStart);
    return [[0, end || 1], this.state.time];
  }

  private tellFound(): void {
    const wrong = !isRegex(this.state.search);
    this.searchBox.setAttribute('aria-invalid', String(wrong));
    if (!this.hits) {
      fill(this.found);
      return;
    }
    const { tree, width } = this.scene, hits = this.hits, names = count(hits);
    let all = 0, zoom = 0;
    const { out } = this.scene, plain = this.state.view === 'flame' && !this.state.reverse && !out;
    const from = plain ? nodeAt(new TreeLayer(this.scene), this.state.zoom) : 0, end = tree.end[from] ?? 0;
    for (let i = 1; i < tree.n;) {
      if (hits[tree.func[i]] && !(out && out[i])) {
        all += width.at(i);
        if (i >= from && i < end) zoom += width.at(i);
        else if (from > i && from < tree.end[i]) zoom = width.at(from);
        i = tree.end[i];
      } else {
        i++;
      }
    }
    const sure = !this.partial || this.compares || this.falls ? all : this.costOfMatches();
    const share = tree.n > 1 ? `, ${sure < 0 ? '\u2265\u2009' : ''}${percent(sure < 0 ? all : sure, width.at(0))}` + (from ? `, ${percent(zoom, width.at(from))} of the zoom` : '') : '';
    fill(this.found, `${plural(names, 'function', 'functions')}${share}`, wrong && el('span', { title: 'Not a regular expression, so it is searched for literally' }, ' (as text)'));
  }

  // ---- details ----

  tell(thing: Thing | null): void {
    const { whole } = this.seen;
    this.thing = thing;
    const t: Thing = thing ?? { func: 0, total: whole }, k = this.main0, m = this.metric;
    const costs = !t.own || t.total[k] !== 0, all = t.own ? 'of ' + (t.calls ? plural(t.calls, 'call', 'calls') + (costs ? ', ' : '') : costs ? 'all like it ' : '') : '';
    const gained = this.falls ? ' gained' : '';
    const parts: string[] = [...(t.own ? [t.own] : []), ...(t.own && t.calls === 1 ? [] : costs ? [all + valueNamed(m, t.total[k]) + gained] : t.calls ? [all] : [])];
    const add = (all: number | undefined, of: string) => {
      const p = all !== undefined ? percent(t.total[k], all) : '';
      if (p) parts.push(`${p} of ${of}`);
    };
    if (thing && costs && parts.length + Number(!t.own) > 1) {
      add(t.whole ?? whole[k], 'all' + (gained && ' that was gained'));
      if (t.zoom && t.zoom[k] !== whole[k]) add(t.zoom[k], 'the zoom');
      if (t.parent) add(t.parent[k], 'its caller');
    }
    if (t.self && !t.more) parts.push(`self ${valueNamed(m, t.self[k])}${gained}`);
    if (t.calls !== null && t.calls !== undefined && t.calls > 0 && !t.own) parts.push(plural(t.calls, 'call', 'calls'));
    if (this.compares) {
      const d = t.total[1] - t.total[0];
      parts.push(`before ${valueNamed(m, t.total[0])}, change ${d > 0 ? '+' : ''}${valueNamed(m, d)}${t.total[0] > 0 ? ` (${d > 0 ? '+' : ''}${percent(d, t.total[0])})` : ''}, ${this.compared.verdict(thing, t.total)}`);
    }
    if (thing?.note) parts.push(thing.note);
    const func = t.func, more = t.more ? `(${digits(t.more)} more)` : '';
    fill(this.details,
      el('strong', { class: 'what', title: func ? shown(this.data.funcs.name[func]) : '' }, more || (func ? shown(this.data.funcs.name[func]) || '(no name)' : 'all')),
      el('span', { class: 'numbers', title: this.exact(t.total[k]) }, parts.join(' \u00b7 ')),
      el('span', { class: 'where', title: this.place(func) }, this.place(func) === thing?.note ? '' : this.place(func)),
      el('span', { class: 'acts' }, func ? button('Copy name', 'Copy the name (c)', () => this.copyName()) : null,
        thing?.stack?.length ? button('Copy stack', 'Copy the stack (C)', () => this.copyStack()) : null,
        func ? button('\u22ef', 'More about this function (m)', () => this.menuFor(func, ...this.middle())) : null));
  }

  private middle(): [number, number] {
    const r = this.details.getBoundingClientRect();
    return [r.right - 220, r.top - 10];
  }

  copyName(): void {
    if (this.thing?.func) void copy(this.data.funcs.name[this.thing.func], 'the name');
  }

  copyStack(): void {
    const stack = this.thing?.stack;
    if (stack?.length) void copy(stack.map(f => this.data.funcs.name[f] || '(more)').join(';'), 'the stack');
  }

  menuFor(func: number, x: number, y: number, first: [string, () => void][] = []): void {
    functionMenu(this, func, x, y, first, !!this.thing?.stack?.length);
  }

  // ---- keys ----

  private searchKey(e: KeyboardEvent): void {
    if (e.key === 'Enter') {
      if (!this.panels[this.state.view].step) this.set({ view: why('flame', this.data) ? 'top' : 'flame' });
      this.panels[this.state.view].step?.(e.shiftKey ? -1 : 1);
      e.preventDefault();
    } else if (e.key === 'Escape') {
      this.set({ search: '' }, 'quiet');
      this.panels[this.state.view].focus();
      e.preventDefault();
    }
  }

  private key(e: KeyboardEvent): void {
    const typing = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement || e.target instanceof HTMLTextAreaElement;
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'f') return this.take(e, () => (this.unfold(true), this.searchBox.select()));
    if (typing || document.querySelector('dialog[open]')) return;
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'z') return this.take(e, () => (e.shiftKey ? this.redo() : this.undo()));
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const panel = this.panels[this.state.view], s = this.state;
    const keys: Record<string, () => void> = {
      '/': () => (this.unfold(true), this.searchBox.select()),
      '?': () => helpDialog(this.data),
      n: () => panel.step?.(1),
      N: () => panel.step?.(-1),
      u: () => this.undo(),
      U: () => this.redo(),
      c: () => this.copyName(),
      C: () => this.copyStack(),
      f: () => (this.unfold(true), document.getElementById('pattern')?.focus()),
      m: () => this.thing?.func && this.menuFor(this.thing.func, ...this.middle()),
      s: () => this.thing?.func && this.sandwich(this.thing.func),
      d: () => this.set({ theme: this.dark ? 'light' : 'dark' }, 'quiet'),
      i: () => this.set({ icicle: !s.icicle }),
      r: () => this.set({ reverse: !s.reverse, zoom: [] }),
      w: () => this.set({ byWeight: !s.byWeight }),
      Escape: () => (s.search ? this.set({ search: '' }, 'quiet') : s.zoom.length ? this.set({ zoom: [] }) : panel.focus()),
    };
    VIEWS.forEach(([view], i) => (keys[String(i + 1)] = () => {
      this.set({ view });
      this.panels[view].focus();
    }));
    const run = keys[e.key];
    if (run) this.take(e, run);
    else if (e.target === document.body || e.target === this.main) panel.press?.(e);
  }

  private take(e: Event, run: () => void): void {
    e.preventDefault();
    run();
  }

  saveAs(ending: string, blob: Blob): void {
    const name = this.data.meta.profiles[this.main0].file.replace(/^.*\//, '').replace(/[^\w.-]+/g, '_').slice(0, 80) || 'profile';
    save(`${name}.${this.state.view}.${ending}`, blob);
  }

  /** True when numbers are those of the file as a whole. */
  get plain(): boolean {
    return isPlain(this.chosen);
  }
}
