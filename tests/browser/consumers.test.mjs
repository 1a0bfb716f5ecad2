// What we write, opened by those it is written for: speedscope's own page, the models of DevTools' Performance panel, and the importer of chrome://tracing. (Its
// page is not in Debian's Chromium; npm has it. Perfetto has no package to install.) And one request in three programs as one report.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browser, done, is, ok, open, out, page as newPage, polyprof, sample, saved, shot, test } from './kit.mjs';

const SPEEDSCOPE = 'speedscope@1.25.0', TRACING = 'traceviewer@1.0.11';
const SOURCES = {
  spx: ['spx', '05-closures-builtins.txt.zst'], 'spx of memory': ['spx', '05-memory-allmetrics.txt.zst'], nytprof: ['nytprof', 'recursion.out.gz'], callgrind: ['callgrind', 'callgrind.out.rec.gz'],
  xdebug: ['xdebug', '3.2.0-recursion.xdebug'], 'perf-script': ['perf-script', 'cpp.script.txt.gz'], pprof: ['pprof', 'all.pb.gz'], 'trace-event': ['trace-event', 'oven.trace.json.gz'],
  slices: ['trace-event', 'slices.trace.json'], modules: ['nytprof', 'modules.out'], cpuprofile: ['cpuprofile', 'oven.cpuprofile.gz'], firefox: ['firefox', 'worker.json'],
};

// Callgrind's stacks are estimated, totals that Xdebug measured exceed the sums of self: compared is what was written, by name.
const OWN_TOTALS = new Set(['callgrind', 'xdebug']);

const near = (a, b) => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));
const path = name => sample('formats', SOURCES[name][0], 'good', SOURCES[name][1]);

function written(name, format) {
  const file = join(out, `${name.replaceAll(' ', '-')}.${format}.json`);
  polyprof('convert', '-q', path(name), '--to', format, '-o', file);
  return file;
}

/** Rows of ours, [name, self, total, calls], of functions that cost anything. */
function rowsOf(file, metric) {
  const top = JSON.parse(polyprof('top', '-q', '--json', '--all-frames', '-n', '0', ...(metric ? ['-m', metric] : []), file));
  return { estimated: top.estimated, total: top.total, metric: top.metric, unit: top.unit, rows: top.functions.map(f => [f.name, f.self[top.metric] ?? 0, f.total[top.metric] ?? 0, f.calls]).filter(r => r[1] || r[2]) };
}

/** What two lists of rows do not have in common, by name, self and total. */
function unlike(ours, theirs) {
  const left = theirs.filter(r => r[1] || r[2]), wrong = [];
  for (const r of ours) {
    const at = left.findIndex(t => t[0] === r[0] && near(t[1], r[1]) && (r[2] === undefined || t[2] === undefined || near(t[2], r[2])));
    if (at < 0) wrong.push(`only ours: ${r}, theirs: ${theirs.filter(t => t[0] === r[0]).join(' ')}`);
    else left.splice(at, 1);
  }
  return [...wrong, ...left.map(r => `only theirs: ${r}`)];
}

// ---- speedscope ----

/** A file of a package of npm, which is installed once; undefined when it cannot be. */
function installed(what, file) {
  const [name] = what.split('@'), directory = join(out, name), page = join(directory, 'node_modules', name, file);
  mkdirSync(directory, { recursive: true });
  try {
    if (!existsSync(page)) execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--prefix', directory, what], { stdio: 'pipe', timeout: 60000 });
  } catch {
    return undefined;
  }
  return existsSync(page) ? page : undefined;
}

/** In speedscope's page: the profiles it holds, found without knowing its short names. */
function held() {
  const queue = [...document.querySelectorAll('*')], seen = new Set();
  for (const at of queue)
    for (const next of Object.values(at)) {
      if (!next || typeof next !== 'object' || seen.has(next) || ArrayBuffer.isView(next) || seen.size > 100000) continue;
      seen.add(next);
      if (typeof next.profiles?.[0]?.profile?.forEachFrame !== 'function') {
        queue.push(next);
        continue;
      }
      const shown = [...document.querySelectorAll('tr')].map(row => [...row.cells].map(cell => cell.innerText.trim())).filter(row => row.length === 3 && row.slice(0, 2).every(cell => cell.endsWith('%)')));
      return { shown, active: next.indexToView, profiles: next.profiles.map(({ profile }) => {
        const rows = [];
        profile.forEachFrame(f => rows.push([f.key, f.name, f.getSelfWeight(), f.getTotalWeight()]));
        return { total: profile.getTotalNonIdleWeight(), rows };
      }) };
    }
  return null;
}

async function inSpeedscope(p, page, file) {
  const script = join(out, 'load.js');
  writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(file))}, "${readFileSync(file).toString('base64')}")`);
  await p.goto('about:blank');
  await p.goto(`${pathToFileURL(page)}#localProfilePath=${encodeURIComponent(script)}&view=sandwich`);
  await p.waitForSelector('tr', { state: 'attached', timeout: 10000 });
  return p.evaluate(held);
}

/** The sums over all profiles of a metric: [name, self, total]. */
function summed(profiles) {
  const rows = new Map();
  let total = 0;
  for (const profile of profiles) {
    total += profile.total;
    for (const [key, name, self, all] of profile.rows) {
      const row = rows.get(key) ?? rows.set(key, [name, 0, 0]).get(key);
      row[1] += self;
      row[2] += all;
    }
  }
  return { total, rows: [...rows.values()] };
}

const UNITS = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 };

/** `1.44ms (39%)` in ns, and how far rounding may have moved it. */
function shownTime(text) {
  const [, number, unit] = /^([\d.]+)(ns|µs|ms|s) /.exec(text) ?? [];
  return { ns: number * UNITS[unit], within: 0.006 * UNITS[unit] };
}

async function speedscopeOpens(p, page, name) {
  const file = written(name, 'speedscope'), said = JSON.parse(readFileSync(file)), theirs = await inSpeedscope(p, page, file);
  const metrics = new Set(said.profiles.map(profile => profile.x_polyprof?.metric));
  for (const metric of metrics) {
    const ours = rowsOf(OWN_TOTALS.has(name) ? file : path(name), metric), sums = summed(theirs.profiles.filter((_, i) => said.profiles[i].x_polyprof?.metric === metric));
    if (ours.rows.some(r => r[1] < 0)) continue; // which it cannot hold, and the conversion says so
    // Counters of a trace are of no stack, which speedscope takes for idle.
    const idle = ours.rows.length ? ours.rows.find(r => r[0] === '[no stack]')?.[1] ?? 0 : ours.total, stacks = ours.rows.filter(r => r[0] !== '[no stack]');
    const wrong = OWN_TOTALS.has(name) ? unlike(byName(stacks), byName(sums.rows)) : unlike(stacks, sums.rows);
    ok(near(sums.total, ours.total - idle) && !wrong.length, `speedscope: ${name}, ${ours.metric}: total and ${ours.rows.length} functions`, [`totals ${sums.total} ${ours.total} ${idle}`, ...wrong].join('\n'));
  }
  const active = theirs.profiles[theirs.active], [total, self, symbol] = theirs.shown[0], best = active.rows.reduce((a, b) => (b[2] > a[2] ? b : a));
  const time = said.profiles[theirs.active].unit === 'nanoseconds' ? shownTime(self) : undefined;
  ok(symbol === best[1] && (!time || Math.abs(time.ns - best[2]) <= time.within), `speedscope: ${name}: the first row of its table`, `${total} ${self} ${symbol}, want ${best}`);
}

// ---- DevTools ----

/** In DevTools: [name, self, total, slices] in µs, of the model of the Performance panel. */
async function traced(document) {
  const { TraceModel } = await import(new URL('./models/trace/trace.js', location.href).href), model = TraceModel.Model.createWithAllHandlers(), rows = new Map();
  await model.parse(document.traceEvents, { metadata: document.metadata ?? {} });
  const { processes, entryToNode } = model.parsedTrace(0).data.Renderer;
  for (const process of processes.values())
    for (const thread of process.threads.values())
      for (const entry of thread.entries) {
        const node = entryToNode.get(entry), row = rows.get(entry.name) ?? rows.set(entry.name, [entry.name, 0, 0, 0]).get(entry.name);
        let outer = node.parent;
        while (outer && outer.entry.name !== entry.name) outer = outer.parent;
        row[1] += node.selfTime;
        row[2] += outer ? 0 : entry.dur;
        row[3]++;
      }
  return [...rows.values()];
}

/** In DevTools: [name, self, total] in µs, of its model of CPU profiles. */
async function profiled(document) {
  const { CPUProfileDataModel } = await import(new URL('./models/cpu_profile/cpu_profile.js', location.href).href), rows = new Map();
  const model = new CPUProfileDataModel.CPUProfileDataModel(document), open = [];
  model.forEachFrame((depth, node) => open.push(node.functionName), (depth, node, sample, at, dur, self) => {
    const name = open.pop(), row = rows.get(name) ?? rows.set(name, [name, 0, 0]).get(name);
    row[1] += self * 1000;
    row[2] += open.includes(name) ? 0 : dur * 1000;
  });
  return [...rows.values()];
}

/** Rows of one name as one, as a trace knows names only. Their totals may overlap: only those of names of one row are known. */
function byName(rows) {
  const names = new Map();
  for (const [name, self, total, calls] of rows) {
    const row = names.get(name);
    names.set(name, row ? [name, row[1] + self, undefined, row[3] + calls] : [name, self, total, calls]);
  }
  return [...names.values()];
}

async function devtoolsOpensTrace(p, name) {
  const said = JSON.parse(readFileSync(written(name, 'trace-event'))), ours = rowsOf(path(name));
  const theirs = (await p.evaluate(traced, said)).map(([n, self, total, slices]) => [n, self * 1000, total * 1000, slices]), mine = byName(ours.rows);
  const wrong = unlike(mine, theirs), called = mine.filter(r => r[3] && theirs.some(t => t[0] === r[0] && t[3] !== r[3]));
  ok(!wrong.length && !called.length, `DevTools: the trace of ${name}: ${mine.length} names`, [...wrong, ...called.map(r => `slices of ${r}: ${theirs.find(t => t[0] === r[0])}`)].join('\n'));
}

async function devtoolsOpensProfile(p, name) {
  const file = written(name, 'cpuprofile'), said = JSON.parse(readFileSync(file)), ours = byName(rowsOf(file).rows);
  const nodes = new Map(said.nodes.map(n => [n.id, n])), above = new Map(said.nodes.flatMap(n => (n.children ?? []).map(c => [c, n.id]))), last = new Set();
  for (let id = said.samples.at(-1); id !== undefined; id = above.get(id)) last.add(nodes.get(id).callFrame.functionName || '(anonymous)');
  const theirs = (await p.evaluate(profiled, said)).map(([n, self, total]) => [n || '(anonymous)', self * 1000, total * 1000]), counts = r => !last.has(r[0]); // DevTools makes up how long the last sample took
  const wrong = unlike(ours.filter(counts), theirs.filter(counts));
  ok(!wrong.length, `DevTools: the cpuprofile of ${name}: ${ours.filter(counts).length} of ${ours.length} names`, wrong.join('\n'));
}

// ---- chrome://tracing ----

/** Compares names as DevTools does; what a viewer complains of that is not there in the source is wrong, too. */
function tracingOpens(folder, names) {
  const files = names.map(name => written(name, 'trace-event'));
  const all = JSON.parse(execFileSync('node', [new URL('./tracing.cjs', import.meta.url).pathname, folder, ...files], { timeout: 60000, maxBuffer: 1 << 26 }));
  for (const [i, name] of names.entries()) {
    const ours = byName(rowsOf(path(name)).rows), { rows, counters, async, warnings } = all[i];
    const called = ours.filter(r => r[3] && rows.some(t => t[0] === r[0] && t[3] !== r[3])), complaints = warnings.filter(w => !ACCEPTED.has(w));
    ok(!unlike(ours, rows).length && !called.length && !complaints.length, `chrome://tracing: the trace of ${name}: ${ours.length} names`, [...unlike(ours, rows), ...called, ...complaints].join('\n'));
    if (name !== 'slices') continue;
    const said = JSON.parse(readFileSync(path(name))).traceEvents, begun = said.filter(e => e.ph === 'b' || e.ph === 'n').length;
    ok(async === 0 === (begun === 0), 'chrome://tracing: asynchronous events are there again', `${async} of ${begun}`);
    is(Object.values(counters).reduce((a, c) => a + c, 0) > 0, said.some(e => e.ph === 'C'), 'chrome://tracing: so are counters');
  }
}

// A short trace looks to it as if its clock were coarse; a flow that ends nowhere ends nowhere in what was read.
const ACCEPTED = new Set(['low_resolution_timer', 'flow_slice_end_error']);

// ---- one request in three programs ----

async function jointReport(b) {
  const store = join(out, 'shop.ppdb'), trace = join(out, 'shop-browser.cpuprofile'), file = join(out, 'shop.html'), waits = '^\\((idle|program)\\)$';
  const tiers = { browser: trace, node: sample('conformance/web/shop/node.cpuprofile.gz'), php: sample('conformance/web/shop/php.cachegrind.gz') };
  rmSync(store, { force: true });
  polyprof('convert', '-q', sample('conformance/web/shop/browser.json.gz'), '--event', 'cpu-profile', '-o', trace);
  for (const [tier, recording] of Object.entries(tiers)) polyprof('store', 'add', store, recording, '--label', `tier=${tier}`);
  polyprof('report', '-q', store, '--root', 'label:tier', '--ignore', waits, '-o', file);
  const p = await newPage(b);
  await open(p, file, '#view=flame');
  await shot(p, 'shop');
  const boxes = [...(await saved(p, 'SVG')).toString().matchAll(/<title>(\S+) \([^)]*, ([\d.]+)%\)/g)].map(m => [m[1], Number(m[2])]), want = {};
  for (const [tier, recording] of Object.entries(tiers)) want[tier] = rowsOf(recording).total - rowsOf(recording).rows.filter(r => /^\((idle|program)\)$/.test(r[0])).reduce((sum, r) => sum + r[1], 0);
  const all = Object.values(want).reduce((a, c) => a + c, 0);
  for (const tier of Object.keys(tiers)) {
    const box = boxes.find(r => r[0] === tier);
    ok(box && Math.abs(box[1] - 100 * want[tier] / all) < 0.06, `one request: ${tier} is as wide as its recording`, `${box}, want ${100 * want[tier] / all}%, of ${boxes.slice(0, 6)}`);
  }
  ok(['sumPrices', 'answer', 'rateArticle'].every(name => boxes.some(r => r[0] === name)), 'one request: functions of each in one picture', boxes.slice(0, 12).join(' '));
  is(p.complaints, [], 'one request: no complaints');
}

const b = await browser(), page = installed(SPEEDSCOPE, 'dist/release/index.html'), tracing = installed(TRACING, 'tracing/tracing/importer/import.html');
const p = await (await b.newContext({ viewport: { width: 1400, height: 860 } })).newPage();
if (!page) {
  ok(true, `speedscope # SKIP npm cannot install ${SPEEDSCOPE} here`);
} else {
  for (const name of Object.keys(SOURCES)) await test(`speedscope: ${name}`, () => speedscopeOpens(p, page, name));
}
const devtools = await p.goto('devtools://devtools/bundled/devtools_app.html?panel=timeline', { timeout: 10000 }).then(() => true, () => false);
if (!devtools) {
  ok(true, 'DevTools # SKIP this browser has no DevTools to open');
} else {
  for (const name of ['spx', 'modules', 'perf-script', 'trace-event', 'slices', 'cpuprofile']) await test(`trace: ${name}`, () => devtoolsOpensTrace(p, name));
  for (const name of ['spx', 'cpuprofile', 'perf-script']) await test(`cpuprofile: ${name}`, () => devtoolsOpensProfile(p, name));
}
if (!tracing) ok(true, `chrome://tracing # SKIP npm cannot install ${TRACING} here`);
else await test('chrome://tracing', () => tracingOpens(join(out, 'traceviewer/node_modules/traceviewer'), ['spx', 'modules', 'perf-script', 'trace-event', 'slices', 'cpuprofile']));
await test('one request', () => jointReport(b));
await b.close();
done();
