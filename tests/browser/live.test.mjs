// What the web app of `polyprof serve` asks for when the first picture is there: node live.test.mjs POLYPROF ROOT ARTEFACTS
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, csv, done, is, ok, out, page, polyprof, saved, settle, skip, test, view } from './kit.mjs';
import { answered, complaints, serve, visit } from './serving.mjs';

const folder = join(out, 'live');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
if (!polyprof('--version').includes('SQLite')) skip('this polyprof has no stores');

// ---- repeated runs that differ much, of many samples each ----

/** The same numbers each time, about 0 and rarely beyond -2 or 2. */
let seed = 7;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647, spread = () => random() + random() + random() + random() - 2;

const RUNS = 6, PLANTED = { f3: 1.9, f7: 0.4, f12: 1.04 };

/** Runs of two versions: one function grew, one shrank, one is new, one gone; B\\once is spelled differently, and some lines are deep. */
function run(after) {
  const lines = [], cost = v => Math.round(v * (1 + 0.2 * spread()));
  for (let i = 0; i < 24; i++) lines.push(`main;${i % 2 ? 'load' : 'work'};f${i} ${cost(40000 * (after ? PLANTED[`f${i}`] ?? 1 : 1))}`);
  lines.push(after ? `main;work;fresh ${cost(30000)}` : `main;work;old ${cost(30000)}`);
  lines.push(`main;work;B${after ? '::' : '->'}once ${cost(after ? 90000 : 30000)}`);
  for (const caller of ['left', 'right']) lines.push(`main;${caller};shared ${cost(caller === 'left' ? (after ? 90000 : 20000) : after ? 12000 : 20000)}`);
  return lines.join('\n') + '\n';
}

const STORE = join(folder, 'noisy.ppdb'), TIMES = join(folder, 'times.ppdb');
const sides = store => [store + '?where=version=1', store + '?where=version=2'], compared = store => '?' + new URLSearchParams(sides(store).map(f => ['file', f]));
for (const version of [1, 2]) {
  for (let i = 0; i < RUNS; i++) {
    writeFileSync(join(folder, `${version}-${i}.folded`), run(version === 2));
    const wt = v => Math.round(v * (1 + 0.1 * spread())), [a, b, c] = [wt(2000), wt(version === 2 ? 5000 : 2500), wt(800)];
    writeFileSync(join(folder, `${version}-${i}.xhprof.json`), JSON.stringify({ 'main()': { ct: 1, wt: a + b + c, cpu: a + c }, 'main()==>slow': { ct: 3, wt: b, cpu: wt(700) }, 'main()==>quick': { ct: 2 + (i % 2), wt: c, cpu: wt(version === 2 ? 100 : 400) } }));
  }
  polyprof('store', 'add', '-q', STORE, ...Array.from({ length: RUNS }, (_, i) => join(folder, `${version}-${i}.folded`)), '--label', `version=${version}`);
  polyprof('store', 'add', '-q', TIMES, ...Array.from({ length: RUNS }, (_, i) => join(folder, `${version}-${i}.xhprof.json`)), '--label', `version=${version}`);
}

const b = await browser(), { at: home, end } = await serve(STORE, TIMES, ...[1, 2].map(v => join(folder, `${v}-0.folded`)));

/** Every function of the page with its verdicts, and those of the command line. */
async function shown(p) {
  await view(p, 'top');
  const [head, ...rows] = await csv(p), at = name => head.indexOf(name);
  return rows.map(r => [r[at('Function')], r[at('Verdict')], r[at('Total verdict')]].join(' ')).sort();
}

const said = (store, ...more) => JSON.parse(polyprof('diff', '--json', '-q', '-n', '0', ...more, ...sides(store))).functions.map(f => [f.name, f.status, f.status_total].join(' ')).sort();

await test('verdicts of runs', async () => {
  const p = await page(b), sizes = [], watch = async r => r.url().includes('/api/v1/verdicts') && sizes.push((await r.body()).length);
  p.on('response', watch);
  await visit(p, home, compared(STORE) + '#view=top');
  await answered(p);
  const want = said(STORE);
  is(await shown(p), want, 'are those of diff --json');
  const of = name => want.find(w => w.startsWith(name + ' ')).split(' ')[1];
  is(['f3', 'f7', 'f12', 'f0', 'fresh', 'old', 'B::once'].map(of), ['grew', 'shrank', 'noise', 'noise', 'new', 'gone', 'grew'], 'what was planted is found, what runs differ by is not');
  ok(!want.some(w => w.includes('->')), 'functions that are spelled differently are one');
  await p.getByLabel('Filter pattern').fill('^(work|f3)$');
  await p.getByLabel('Filter pattern').press('Enter');
  await answered(p);
  is(await shown(p), said(STORE, '--focus', '^(work|f3)$'), 'filters ask again');
  await p.getByLabel('Kind of filter').selectOption('hide');
  await p.getByLabel('Filter pattern').fill('^f[0-9]$');
  await p.getByLabel('Filter pattern').press('Enter');
  await answered(p);
  is(await shown(p), said(STORE, '--focus', '^(work|f3)$', '--hide', '^f[0-9]$'), 'any of them');
  await visit(p, home, compared(STORE) + '#view=flame&scaled=1');
  await answered(p);
  is(await shown(p), said(STORE, '--normalize', 'total'), 'so does another size');
  await visit(p, home, compared(TIMES) + '#view=top');
  await answered(p);
  is(await shown(p), said(TIMES), 'times of runs are judged by their variance, too');
  await p.getByLabel('Metric').selectOption({ label: 'CPU time' }).catch(async () => p.getByLabel('Metric').selectOption('2'));
  await answered(p);
  const metric = await p.getByLabel('Metric').evaluate(e => e.value), name = JSON.parse(polyprof('info', '--json', join(folder, '1-0.xhprof.json'))).metrics[Number(metric)].name;
  is(await shown(p), said(TIMES, '-m', name), 'and those of another metric');
  ok(sizes.length >= 6 && sizes.every(n => n < 1e6), 'no answer is larger than 1 MB', String(sizes));
  p.off('response', watch);
  is(p.complaints, [], 'no complaints');
});

await test('two files', async () => {
  const p = await page(b), asked = [], watch = r => r.url().includes('/api/v1/verdicts') && asked.push(r.url()), files = [1, 2].map(v => join(folder, `${v}-0.folded`));
  p.on('request', watch);
  await visit(p, home, '?' + new URLSearchParams(files.map(f => ['file', f])) + '#view=top');
  await answered(p);
  is(asked, [], 'are judged by the page');
  await visit(p, home, '?' + new URLSearchParams(files.map(f => ['file', f])) + '#view=flame&scaled=1');
  await answered(p);
  const want = JSON.parse(polyprof('diff', '--json', '-q', '-n', '0', '--normalize', 'total', ...files)).functions.map(f => [f.name, f.status, f.status_total].join(' ')).sort();
  is([asked.length, await shown(p)], [1, want], 'but where one is scaled, what changed is told from what the scaling does by the server');
  p.off('request', watch);
  is(p.complaints, [], 'no complaints');
});

await test('metrics that one side lacks', async () => {
  const p = await page(b), files = [0, 1].map(i => join(folder, `metrics${i}.xhprof.json`));
  writeFileSync(files[0], '{"main()":{"ct":1,"wt":100,"pmu":64},"main()==>f":{"ct":1,"wt":60,"pmu":32}}');
  writeFileSync(files[1], '{"main()":{"ct":1,"pmu":64},"main()==>f":{"ct":1,"pmu":48}}');
  const { at: there, end: stop } = await serve(...files);
  await visit(p, there, '?' + new URLSearchParams(files.map(f => ['file', f])) + '#view=top');
  const name = JSON.parse(polyprof('diff', '--json', '-q', ...files)).metric, metrics = await p.getByLabel('Metric').locator('option').allTextContents();
  const shown = await p.getByLabel('Metric').evaluate(e => e.selectedOptions[0].textContent), all = JSON.parse(polyprof('info', '--json', files[0])).metrics;
  is(shown, all.find(m => m.name === name).title ?? name, 'the first that both have is compared, as on the command line');
  ok(metrics.length < all.length, 'what only one has cannot be chosen', metrics.join());
  is(p.complaints, [], 'no complaints');
  await stop();
});

const GREY = '#e6e6ea';

await test('colours of runs', async () => {
  const p = await page(b);
  await visit(p, home, compared(STORE) + '#view=flame');
  await answered(p);
  const svg = (await saved(p, 'SVG')).toString(), fills = name => [...svg.matchAll(new RegExp(`<title>${name} [^<]*</title><rect [^>]*fill="(#\\w+)"`, 'g'))].map(m => m[1]);
  is(['f0', 'f12', 'load'].map(n => fills(n)[0]), [GREY, GREY, GREY], 'what is noise between runs is grey, however many samples it is');
  ok(['f3', 'f7', 'fresh', 'old'].every(n => fills(n)[0] && fills(n)[0] !== GREY), 'what changed is not');
  is(fills('shared').map(f => f === GREY).sort(), [false, true], 'of a function that grew, the box that did not grow is grey');
  const legend = await p.locator('.legends').filter({ visible: true }).innerText();
  ok(legend.includes('6 runs against 6') && legend.includes('the part in the same direction'), 'the legend says by which rule', legend);
  ok(svg.includes('6 runs against 6'), 'so does a picture that is saved');
  await p.setViewportSize({ width: 400, height: 800 });
  await settle(p);
  ok(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'a phone has room for it');
  await p.setViewportSize({ width: 1400, height: 860 });
  await visit(p, home, compared(STORE) + '#view=flame&reverse=1');
  await answered(p);
  const up = (await saved(p, 'SVG')).toString(), callers = [...up.matchAll(/<title>(\S+) [^<]*<\/title><rect [^>]*fill="(#\w+)"/g)].filter(m => m[1] === 'main' && m[2] !== GREY).length;
  ok(callers >= 4 && callers <= 7, 'callers have the colour of what they call', String(callers));
  is(p.complaints, [], 'no complaints');
});

await test('before runs are compared', async () => {
  const p = await page(b);
  let go = () => undefined;
  const wait = new Promise(resolve => (go = resolve));
  await p.route('**/api/v1/verdicts*', async route => {
    await wait;
    await route.continue();
  });
  await visit(p, home, compared(STORE) + '#view=overview');
  await p.waitForFunction(() => document.body.textContent.includes('until the server has compared the runs'));
  ok((await p.locator('.changes').textContent()).includes('f'), 'the first picture waits for nothing');
  ok((await p.locator('.overview-page').textContent()).includes('two standard errors'), 'and says by which rule it judges');
  await view(p, 'top');
  ok((await p.getByRole('columnheader', { name: 'Verdict?' }).first().isVisible()), 'columns of verdicts say that they are not the last ones');
  await view(p, 'overview');
  await p.getByRole('button', { name: 'All functions' }).focus();
  go();
  await p.waitForFunction(() => document.querySelector('.overview-page').textContent.includes('6 runs against 6'));
  is(await p.evaluate(() => document.activeElement.textContent), 'All functions', 'who is somewhere with the keyboard stays there');
  is(await complaints(p), [], 'nothing for axe-core to complain of');
  await p.unroute('**/api/v1/verdicts*');
  await p.route('**/api/v1/verdicts*', route => route.fulfill({ status: 504, contentType: 'application/json', body: '{"error": {"rule": "timeout", "message": "it took too long"}}' }));
  await visit(p, home, compared(STORE) + '#view=overview');
  await answered(p);
  ok((await p.locator('.overview-page').textContent()).includes('the runs were not compared: it took too long'), 'that they could not be is said', await p.locator('.overview-page').textContent());
  await p.unroute('**/api/v1/verdicts*');
  is(p.complaints.filter(c => !c.includes('504')), [], 'no complaints');
});

await test('wrong questions', async () => {
  const status = async params => (await fetch(home + '/api/v1/verdicts?' + new URLSearchParams(params))).status, both = sides(STORE).map(f => ['file', f]);
  is(await Promise.all([[], [['file', STORE]], [...both, ['tree', '']], [...both, ['by', 'label:version']], [...both, ['from', 'x']], [...both, ['output', '/tmp/x']], [...both, ['focus', '(']], [...both, ['metric', 'none']], [['file', '/etc/passwd'], both[0]], [...both, ['from', '999999']], both].map(status)),
    [400, 400, 400, 400, 400, 400, 400, 400, 404, 200, 200], 'are refused');
});

/** A page whose clock can be put forward. */
async function clocked() {
  const p = await page(b, { locale: 'en' });
  if (!p.clocked) await p.clock.install();
  p.clocked = true;
  return p;
}

const passes = async (p, ms) => {
  await settle(p);
  await p.clock.fastForward(ms);
  await settle(p);
};
/** Until the page has asked whether something changed, and knows. */
const asks = async (p, ms = 11000) => {
  await settle(p);
  const answer = p.waitForResponse('**/api/v1/stamps');
  await p.clock.fastForward(ms);
  await (await answer).finished();
  await settle(p);
};
const names = p => p.locator('table.profiles tbody td.name a').allTextContents(), news = p => p.locator('.news');

await test('what comes into a store', async () => {
  const store = join(folder, 'grows.ppdb'), { at: there, end: stop } = await serve('--store', store), p = await clocked(), asked = [];
  const add = (i, name = `run${i}.folded`, host = i % 2) => fetch(`${there}/api/v1/add?` + new URLSearchParams([['name', name], ['label.host', 'h' + host], ['t0', String(1700000000 + 60 * i)]]), { method: 'POST', body: `main;f${i} ${i + 1}\n` });
  for (let i = 0; i < 70; i++) await add(i);
  const watch = r => r.url().includes('/api/v1/') && asked.push(new URL(r.url()).pathname.slice(8));
  await visit(p, there, '');
  await p.waitForFunction(() => document.documentElement.dataset.listed === '70');
  await asks(p); // the store's log may have been put away meanwhile
  await p.waitForLoadState('networkidle');
  p.on('request', watch);
  await asks(p, 30000);
  is(asked, ['stamps'], 'where nothing changed nothing is listed');
  await p.getByLabel('Choose run60.folded').check();
  await p.getByRole('link', { name: 'run50.folded' }).focus();
  await p.evaluate(() => window.scrollTo(0, 600));
  const top = () => p.getByRole('link', { name: 'run50.folded' }).evaluate(e => Math.round(e.getBoundingClientRect().top)), before = await top();
  await add(70);
  await add(71);
  await asks(p, 30000);
  await p.waitForFunction(() => document.querySelector('.news').textContent.includes('2 new profiles'));
  is((await names(p)).slice(0, 2), ['run71.folded', 'run70.folded'], 'new profiles are listed');
  ok(/^2 new profiles, at \d\d:\d\d:\d\d UTC$/.test(await news(p).textContent()) && (await news(p).getAttribute('role')) === 'status', 'and told of', await news(p).textContent());
  ok((await p.locator('header .sub').textContent()).startsWith('72 profiles'), 'and counted');
  is([Math.abs((await top()) - before) <= 1, await p.evaluate(() => document.activeElement.textContent), await p.getByLabel('Choose run60.folded').isChecked(), await p.locator('.acts .chosen').textContent()], [true, 'run50.folded', true, '1 profile is chosen'], 'who looks at something keeps it in sight, focused and chosen');
  is(asked.filter(a => a === 'store').length, 1, 'of a long list only what is new is asked for');
  await p.getByLabel('Search profiles').fill('host=h0');
  await p.getByRole('button', { name: 'Sort by profile' }).click();
  await p.getByLabel('Search profiles').focus();
  const found = (await names(p)).length;
  for (const i of [72, 73]) await add(i, 'a.folded', i % 2);
  await asks(p, 60000);
  await p.waitForFunction(() => document.querySelector('header .sub').textContent.includes('of 74'));
  is([(await names(p)).length - found, await p.evaluate(() => document.activeElement.id), await p.locator('th[aria-sort="descending"]').count(), await p.getByLabel('Search profiles').inputValue()], [1, 'q', 1, 'host=h0'], 'a search and an order stay as they are');
  is(await complaints(p), [], 'nothing for axe-core to complain of');
  const { profiles: [{ id }] } = JSON.parse(polyprof('store', 'list', '--json', store, '--where', 'host=h0'));
  polyprof('store', 'remove', '-q', store, '--where', `profile=${id}`);
  await asks(p, 60000);
  await p.waitForFunction(() => document.querySelector('.news').textContent.includes('1 is gone'));
  await p.evaluate(() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => window.away }));
  const hide = away => p.evaluate(now => {
    window.away = now;
    document.dispatchEvent(new Event('visibilitychange'));
  }, away);
  await p.waitForLoadState('networkidle');
  await hide(true);
  asked.length = 0;
  await passes(p, 60000);
  is(asked, [], 'a page that is hidden asks nothing');
  const again = p.waitForResponse('**/api/v1/stamps');
  await hide(false);
  await (await again).finished();
  await settle(p);
  ok(asked.includes('stamps'), 'but when it is looked at again');
  await stop();
  await passes(p, 170000);
  await p.waitForFunction(() => document.querySelector('.news').textContent.includes('out of date'));
  ok((await names(p)).length > 0, 'without the server what is listed stays, and it is said');
  asked.length = 0;
  await passes(p, 11000);
  is(asked, [], 'and it is asked less often');
  p.off('request', watch);
  is(p.complaints.filter(c => !c.includes('ERR_CONNECTION')), [], 'no complaints');
});

await test('what comes into a directory', async () => {
  const files = join(folder, 'grows'), write = (name, n) => writeFileSync(join(files, name), `main;f ${n}\n`);
  mkdirSync(join(files, 'below'), { recursive: true });
  for (const name of ['a.folded', 'b.folded', 'c.folded', 'below/d.folded']) write(name, 1);
  const { at: there, end: stop } = await serve(files), p = await clocked();
  await visit(p, there, '');
  await p.waitForFunction(() => document.documentElement.dataset.listed === '4' && [...document.querySelectorAll('td.cost')].every(e => e.textContent));
  write('b.folded', 12345);
  write('below/e.folded', 7);
  rmSync(join(files, 'c.folded'));
  await asks(p, 60000);
  await p.waitForFunction(() => document.querySelector('.news').textContent);
  ok((await news(p).textContent()).startsWith('1 new profile, 1 has changed, 1 is gone, at '), 'what is new, what changed and what went', await news(p).textContent());
  await p.waitForFunction(() => [...document.querySelectorAll('td.cost')].every(e => e.textContent));
  is((await p.locator('table.profiles tbody tr').evaluateAll(rows => rows.map(r => r.querySelector('a').textContent + ' ' + r.querySelector('.cost').textContent))).sort(), ['a.folded 1', 'b.folded 12,345', 'd.folded 1', 'e.folded 7'], 'is what there is, with its costs');
  await fetch(`${there}/api/v1/drop?name=mine.folded`, { method: 'POST', body: 'main 1\n' });
  await asks(p, 60000);
  await p.waitForFunction(() => document.querySelector('.news').textContent.startsWith('1 new profile, at'));
  ok((await names(p)).includes('mine.folded'), 'also what somebody dropped');
  is(p.complaints, [], 'no complaints');
  await stop();
});

await test('what cannot be shown', async () => {
  const p = await page(b), file = join(folder, 'grows', 'cut.folded');
  await visit(p, home, '').catch(() => undefined);
  await p.goto(home + '/?' + new URLSearchParams([['file', 'nowhere.folded']]));
  await p.waitForSelector('html[data-failed]');
  is([await p.getByRole('heading', { level: 1 }).textContent(), await p.title()], ['nowhere.folded', 'nowhere.folded \u2013 polyprof'], 'is named');
  is(await complaints(p), [], 'nothing for axe-core to complain of');
  writeFileSync(file, 'main;a 1\nmain;b\nmain;c 3\n');
  const { at: there, end: stop } = await serve(file, '--store', join(folder, 'none.ppdb'));
  await visit(p, there, '');
  await p.waitForFunction(() => document.querySelector('td.cost')?.textContent);
  ok((await p.locator('td.name').textContent()).includes('incomplete'), 'a damaged file says so in the list once it was read');
  await p.locator('input[type=file]').setInputFiles({ name: 'added.folded', mimeType: 'application/octet-stream', buffer: Buffer.from('main;added 5\n') });
  await p.getByRole('textbox', { name: 'Labels' }).fill('version=3.0');
  await p.getByRole('textbox', { name: 'Labels' }).press('Enter');
  await p.waitForFunction(() => document.querySelectorAll('table.profiles tbody tr').length === 2);
  ok((await p.locator('table.profiles tbody').textContent()).includes('version=3.0'), 'a file is added with the keyboard');
  is(p.complaints.filter(c => !c.includes('404')), [], 'no complaints');
  await stop();
});

await b.close();
is(await end(), 0, 'the server ends when it is told to');
done();
