// What the tests in a browser share: a browser, reports, TAP.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , given, root, artefacts] = process.argv;
export const program = resolve(given);
export const here = resolve(root);
export const out = resolve(artefacts);
mkdirSync(out, { recursive: true });

let count = 0, failures = 0;

export function ok(good, name, why = '') {
  count++;
  if (!good) failures++;
  console.log(`${good ? 'ok' : 'not ok'} ${count} - ${name}`);
  if (!good && why) console.log(String(why).split('\n').slice(0, 12).map(line => '# ' + line).join('\n'));
}

export function is(got, want, name) {
  const a = JSON.stringify(got), b = JSON.stringify(want);
  ok(a === b, name, `got ${a}\nwant ${b}`);
}

export async function test(name, run) {
  const only = process.env.POLYPROF_BROWSER_TEST;
  if (only && !name.includes(only)) return;
  const began = Date.now();
  try {
    await run();
  } catch (error) {
    ok(false, name, error.stack);
  }
  console.log(`# ${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

export function done() {
  console.log(`1..${count}`);
  process.exitCode = failures ? 1 : 0;
}

export function skip(why) {
  console.log(`1..0 # SKIP ${why}`);
  process.exit(0);
}

export function polyprof(...args) {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
}

export function sample(...path) {
  return join(here, 'tests', ...path);
}

// ---- the browser ----

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-extensions', '--allow-file-access-from-files'];

export async function browser() {
  const executablePath = BROWSERS.find(existsSync);
  if (!executablePath) skip('no chromium');
  let chromium;
  try {
    ({ chromium } = createRequire(join(here, 'web', 'package.json'))('playwright-core'));
  } catch {
    skip('playwright-core is not installed (npm ci in web/)');
  }
  return chromium.launch({ executablePath, args: FLAGS });
}

// Saved files are caught in the page: a browser's own downloads take longer than what is tested, and end after ten.
function catchSaved() {
  const blobs = new Map(), make = URL.createObjectURL.bind(URL), click = HTMLAnchorElement.prototype.click;
  URL.createObjectURL = blob => {
    const url = make(blob);
    blobs.set(url, blob);
    return url;
  };
  HTMLAnchorElement.prototype.click = function () {
    if (!this.download) return click.call(this);
    window.savedFile = { name: this.download, blob: blobs.get(this.href) };
  };
}

export const homes = []; // servers that pages may ask: none but those of a test's own

const pages = new Map(); // by their options: pages are used again

/** A page whose every complaint is a failure. */
export async function page(b, options = {}) {
  const key = JSON.stringify(options), known = pages.get(key), size = { width: 1400, height: 860 };
  if (known && !known.isClosed()) {
    await known.goto('about:blank'); // what the page before still asks for is not complained of here
    known.complaints.length = 0;
    await known.emulateMedia({ media: 'screen', colorScheme: options.colorScheme ?? 'light' });
    await known.setViewportSize(options.viewport ?? size);
    return known;
  }
  const context = await b.newContext({ viewport: size, ...options });
  const p = await context.newPage();
  pages.set(key, p);
  await p.addInitScript(catchSaved);
  // Servers that take their time (in ms), and processors (so many times), show what a test forgot to wait for.
  const late = Number(process.env.POLYPROF_BROWSER_LATE ?? 0);
  if (late) await p.route('**/api/**', route => setTimeout(() => route.continue().catch(() => undefined), late));
  const slow = Number(process.env.POLYPROF_BROWSER_SLOW ?? 0);
  if (slow) await (await context.newCDPSession(p)).send('Emulation.setCPUThrottlingRate', { rate: slow });
  p.complaints = [];
  p.on('console', m => m.type() === 'error' && p.complaints.push(`${m.text()} ${m.location().url}`));
  p.on('pageerror', e => p.complaints.push(e.stack));
  p.on('dialog', d => {
    p.complaints.push('dialog: ' + d.message());
    d.dismiss();
  });
  p.on('request', r => !/^(file|blob|data):/.test(r.url()) && !homes.some(h => r.url().startsWith(h)) && p.complaints.push('request: ' + r.url()));
  return p;
}

const reports = new Map(); // by their arguments

export function makeReport(name, ...args) {
  const key = JSON.stringify(args), taken = [...reports.values()], file = reports.get(key) ?? join(out, name + (taken.includes(join(out, name + '.html')) ? '-' + taken.length : '') + '.html');
  if (!reports.has(key)) polyprof('report', '-q', ...args, '-o', file);
  reports.set(key, file);
  return file;
}

export async function open(p, file, hash = '') {
  await p.goto('about:blank');
  await p.goto(pathToFileURL(file) + hash);
  await p.waitForSelector('html[data-ready]', { timeout: 10000 });
  await settle(p);
}

/** Waits until what was asked for is drawn. */
export async function settle(p) {
  await p.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r, 0)))));
}

export async function shot(p, name) {
  await settle(p);
  await p.screenshot({ path: join(out, name + '.png') });
}

export async function view(p, name) {
  await p.evaluate(v => document.getElementById('tab-' + v).click(), name);
  await settle(p);
}

/** What a button saves. */
export async function saved(p, label) {
  await p.evaluate(name => {
    window.savedFile = null;
    const found = [...document.querySelectorAll('.exports button')].find(e => e.textContent === name);
    if (!found || !found.checkVisibility()) throw new Error(`there is no button to save ${name}`);
    found.click();
  }, label);
  await p.waitForFunction(() => window.savedFile);
  return Buffer.from(await p.evaluate(async () => {
    const bytes = new Uint8Array(await window.savedFile.blob.arrayBuffer());
    let text = '';
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return btoa(text);
  }), 'base64');
}

function csvRows(text) {
  const rows = [];
  let row = [], cell = '', quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') cell += text[++i];
      else if (c === '"') quoted = false;
      else cell += c;
    } else if (c === '"') quoted = true;
    else if (c === ',') (row.push(cell), (cell = ''));
    else if (c === '\r') continue;
    else if (c === '\n') (row.push(cell), rows.push(row), (row = []), (cell = ''));
    else cell += c;
  }
  return rows;
}

/** What is shown as a table: rows of cells, the first the heading. */
export async function csv(p) {
  return csvRows((await saved(p, 'CSV')).toString());
}

/** A text as it was before it was made safe for spreadsheets. */
const plain = text => text.replace(/^'(?=[=+@\t\r\n-])/, '');

/** The table of functions: [{name, self, total, calls}]. */
export async function functions(p) {
  await view(p, 'top');
  const [head, ...rows] = csvRows((await saved(p, 'CSV')).toString());
  const at = key => head.indexOf(key);
  const number = (row, ...keys) => {
    const i = keys.map(at).find(k => k >= 0);
    return i === undefined || row[i] === '' ? undefined : Number(row[i]);
  };
  return rows.map(r => ({
    name: plain(r[at('Function')]), self: number(r, 'Self', 'Self after', 'Net'), total: number(r, 'Total', 'Total after', 'Net total'), gained: number(r, 'Gained'), givenBack: number(r, 'Given back'), calls: number(r, 'Calls'),
    before: number(r, 'Self before'), totalBefore: number(r, 'Total before'),
  }));
}

const close = (a, b) => a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

/** Compares with `top --json`: every function, self and total. Returns what differs. */
export function differences(rows, json, metric, wantCalls = true) {
  const key = f => JSON.stringify([f.name, f.self, f.total]);
  const want = json.functions.map(f => ({ name: f.name, self: f.self[metric] ?? 0, total: f.total[metric] ?? 0, calls: f.calls, gained: f.gained?.[metric], givenBack: f.given_back?.[metric] }));
  const left = new Map();
  for (const r of rows) left.set(r.name, [...(left.get(r.name) ?? []), r]);
  const wrong = [];
  for (const w of want) {
    const list = left.get(w.name) ?? [], i = list.findIndex(r => close(r.self, w.self) && close(r.total, w.total) && (w.gained === undefined || r.gained === undefined || (r.gained === w.gained && r.givenBack === w.givenBack)) && (!wantCalls || w.calls === undefined || r.calls === w.calls));
    if (i >= 0) list.splice(i, 1);
    else if (w.self !== 0 || w.total !== 0) wrong.push(`want ${key(w)} ${w.calls}, have ${list.map(r => key(r) + ' ' + r.calls).join(' ')}`);
  }
  for (const list of left.values()) for (const r of list) if (r.self || r.total) wrong.push(`not wanted: ${key(r)}`);
  return wrong;
}

/** Names that try to break out, to swap what is read, or to take all the room; one more is no UTF-8. */
export const HOSTILE = ['</script><script>window.broken=1</script>', '<img src=x onerror=window.broken=1>', '"\'><svg/onload=window.broken=1>', ']]><script>window.broken=1</script>', '&lt;b&gt;', 'a\u202egnp.exe',
  '\u2066x\u2069', 'nul\u0000in', 'esc\u001b[31m', '__proto__', 'constructor', '${1+1}', '\u{1f525}'.repeat(3), 'x'.repeat(1 << 20), '\ufeffbom', 'java\u200bscript:alert(1)', '\u6f22\u5b57'.repeat(40), '-->', 'url(javascript:window.broken=1)'];

export function hostileFile(name) {
  const file = join(out, name + '.folded');
  writeFileSync(file, Buffer.concat([Buffer.from(HOSTILE.map((n, i) => `main;${n} ${i + 5}\n`).join('')), Buffer.from([0x6d, 0x61, 0x69, 0x6e, 0x3b, 0xff, 0xfe, 0x20, 0x35, 0x0a])]));
  return file;
}
