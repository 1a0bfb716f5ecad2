// The web app of `polyprof serve` in a real browser: node serve.test.mjs POLYPROF ROOT ARTEFACTS
import { copyFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, csv, differences, done, functions, hostileFile, is, ok, out, page, polyprof, sample, settle, shot, test, view } from './kit.mjs';
import { answered, complaints, serve, visit } from './serving.mjs';

// ---- what is served ----

const folder = join(out, 'serve');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const name of ['app.folded', 'other.folded']) copyFileSync(sample('cli/data', name), join(folder, name));
copyFileSync(sample('formats/perf-script/good/cpp.script.txt.gz'), join(folder, 'cpp.script.txt.gz'));

/** 70 x 60 x 12 stacks, more nodes than come at once: the totals are known. */
const LARGE = join(folder, 'large.folded'), stacks = new Map();
for (let a = 0; a < 70; a++)
  for (let b = 0; b < 60; b++) for (let c = 0; c < 12; c++) stacks.set(`main;a${a};b${(a * 7 + b * 13) % 211};c${b}_${c};leaf${(a + b + c) % 90}`, 1 + ((a * 31 + b * 17 + c * 5) % 97));
mkdirSync(join(folder, 'below', 'deeper'), { recursive: true });
writeFileSync(join(folder, 'below', 'deeper', 'nested.folded'), 'main;nested 3\n');
writeFileSync(LARGE, [...stacks].map(([s, n]) => `${s} ${n}\n`).join(''));
for (let i = 0; i < 4; i++) writeFileSync(join(folder, `run${i}.folded`), `main;load 60\nmain;parse ${i < 2 ? 20 : 90}\nmain;write 20\n`);
/** 20,000 lines of one file, each with a stack of its own. */
const LINES = 20000, MANY = join(folder, 'lines.cpuprofile'), frame = (functionName, lineNumber) => ({ functionName, scriptId: '1', url: 'many.js', lineNumber, columnNumber: 0 });
const leaves = Array.from({ length: LINES }, (_, i) => ({ id: 202 + i, callFrame: frame(`f${i}`, i), hitCount: 1 + (i % 7), positionTicks: [{ line: i + 1, ticks: 1 + (i % 7) }] }));
const samples = leaves.flatMap(n => Array(n.hitCount).fill(n.id));
writeFileSync(MANY, JSON.stringify({
  nodes: [{ id: 1, callFrame: { ...frame('(root)', -1), url: '' }, hitCount: 0, children: Array.from({ length: 200 }, (_, i) => 2 + i) },
    ...Array.from({ length: 200 }, (_, i) => ({ id: 2 + i, callFrame: frame(`g${i}`, i), hitCount: 0, children: leaves.filter((_, k) => k % 200 === i).map(n => n.id) })), ...leaves],
  startTime: 0, endTime: samples.length * 1000, samples, timeDeltas: samples.map(() => 1000),
}));
const hostile = hostileFile('serve-hostile');

const { at: home, end } = await serve(folder, hostile);

const b = await browser();
const at = path => join(folder, path), asking = (...files) => '?' + new URLSearchParams(files.map(f => ['file', f]));

const go = (p, address, server = home) => visit(p, server, address);

const names = p => p.locator('table.profiles tbody td.name a').allTextContents();

await test('list', async () => {
  const p = await page(b);
  await go(p, '');
  const all = await names(p);
  is(all.length, 11, 'every profile is listed, those in directories below, too');
  await p.getByLabel('Search profiles').fill('run -run3');
  is((await names(p)).sort(), ['run0.folded', 'run1.folded', 'run2.folded'], 'a search leaves those that fit');
  ok(p.url().includes('q=run'), 'and is in the address');
  await go(p, '?q=run');
  is((await names(p)).length, 4, 'which leads there');
  await p.waitForFunction(() => [...document.querySelectorAll('td.cost')].every(e => e.textContent));
  await p.getByRole('button', { name: 'Sort by cost' }).click();
  is(await p.locator('td.cost').allTextContents(), ['170', '170', '100', '100'], 'costs come, and sort');
  is(await p.locator('th[aria-sort="descending"]').count(), 1, 'which is said');
  await p.keyboard.press('/');
  is(await p.evaluate(() => document.activeElement?.id), 'q', 'a key leads to the search');
  is(await complaints(p), [], 'nothing for axe-core to complain of');
  is(p.complaints, [], 'no complaints');
});

await test('open', async () => {
  const p = await page(b);
  await go(p, '');
  await p.getByRole('link', { name: 'app.folded' }).click();
  await p.waitForSelector('#tab-top');
  const rows = await functions(p);
  is(differences(rows, JSON.parse(polyprof('top', '--json', at('app.folded'))), 'samples'), [], 'the numbers are those of top');
  ok((await p.locator('#command').textContent()).includes('app.folded'), 'the command line names the file');
  await p.getByRole('link', { name: /Profiles/ }).click();
  await p.waitForSelector('table.profiles tbody td.name a');
  is((await names(p)).length, 11, 'a link leads back');
  is(p.complaints, [], 'no complaints');
});

await test('compare', async () => {
  const p = await page(b);
  await go(p, '?q=folded');
  for (const name of ['run1.folded', 'run2.folded']) await p.getByLabel('Choose ' + name).check();
  await p.getByRole('button', { name: /^Compare/ }).click();
  await p.waitForSelector('html[data-ready]');
  await view(p, 'top');
  const rows = await functions(p), parse = rows.find(r => r.name === 'parse');
  is([parse.before, parse.self], [20, 90], 'before and after');
  ok((await p.getByRole('heading', { level: 1 }).textContent()).includes('run1.folded \u2192 run2.folded'), 'the heading names both');
  for (const name of ['run0.folded', 'run3.folded']) ok(!p.url().includes(name), `and not ${name}`);
  const { file: timed } = await (await fetch(home + '/api/v1/drop?name=timed.xhprof.json', { method: 'POST', body: '{"main()":{"ct":1,"wt":100},"main()==>f":{"ct":1,"wt":60}}' })).json();
  await p.goto(home + '/' + asking(at('app.folded'), timed));
  await p.waitForSelector('html[data-failed]');
  ok((await p.getByRole('alert').textContent()).includes('no metric of the same meaning'), 'what cannot be compared is not, as on the command line');
  is(p.complaints.filter(c => !c.includes('422')), [], 'no complaints');
});

/** What lies below a path of functions, by the next one. */
function below(...path) {
  const sums = {};
  for (const [stack, n] of stacks) {
    const frames = stack.split(';');
    if (path.every((f, i) => frames[i] === f) && frames.length > path.length) sums[frames[path.length]] = (sums[frames[path.length]] ?? 0) + n;
  }
  return sums;
}

await test('more', async () => {
  const p = await page(b), asked = [], sizes = [];
  const watch = async r => {
    if (!r.url().includes('/api/v1/view')) return;
    asked.push(new URL(r.url()).searchParams);
    sizes.push((await r.body()).length);
  };
  p.on('response', watch);
  await go(p, asking(LARGE) + '#view=flame');
  const nodes = Number(await p.evaluate(() => document.documentElement.dataset.nodes));
  ok(nodes > 2000 && nodes <= 20000 && nodes < stacks.size, 'a part comes at first', String(nodes));
  await p.evaluate(() => (location.hash = '#view=flame&zoom=main&zoom=a5'));
  await settle(p);
  await go(p, asking(LARGE) + '#view=flame&zoom=main&zoom=a5');
  await answered(p);
  ok(asked.some(q => Number(q.get('at')) > 0), 'a zoom asks for more');
  const rows = (await csv(p)).slice(1), depth = Number(rows.find(r => r[1] === 'a5')[0]), want = below('main', 'a5');
  const have = Object.fromEntries(rows.filter(r => Number(r[0]) === depth + 1 && r[1].startsWith('b')).map(r => [r[1], Number(r[2])]));
  ok(Object.keys(have).length > 20 && Object.entries(have).every(([f, n]) => want[f] === n), 'what came is right', JSON.stringify([have, want]).slice(0, 400));
  const [first] = Object.keys(want);
  await go(p, asking(LARGE) + `#view=flame&zoom=main&zoom=a5&zoom=${first}&zoom=c${Object.keys(below('main', 'a5', first))[0].slice(1)}`);
  await answered(p);
  is((await p.evaluate(() => new URLSearchParams(location.hash.slice(1)).getAll('zoom'))).length, 4, 'an address leads further down than the first part');
  ok(sizes.every(n => n <= 1000000), 'no answer is larger than 1 MB', String(sizes));
  await shot(p, 'serve-zoom');
  p.off('response', watch);
  await p.setViewportSize({ width: 1000, height: 330 });
  await go(p, asking(LARGE) + '#view=flame');
  const low = await p.locator('.flame').first().evaluate(e => [e.scrollHeight - e.clientHeight, Math.round(e.scrollTop)]);
  ok(low[0] > 0 && low[0] - low[1] <= 1, 'the root is in sight of the first picture', String(low));
  is(p.complaints, [], 'no complaints');
});

await test('rows that open', async () => {
  const p = await page(b);
  await go(p, asking(LARGE) + '#view=tree');
  const more = p.locator('.tr', { hasText: /\(\d+ more\)/ }).first();
  for (const name of [/\bmain$/, /\ba\d+$/, /\bb\d+$/]) {
    const row = p.locator('.tr', { hasText: name }).first();
    if (!(await more.isVisible()) && (await row.getAttribute('aria-expanded')) === 'false') await row.dblclick();
    await settle(p);
  }
  const before = await p.evaluate(() => document.querySelectorAll('.tbody .tr').length);
  await more.dblclick();
  await answered(p);
  ok(!(await more.isVisible()) || (await p.evaluate(() => document.querySelectorAll('.tbody .tr').length)) > before, 'a row of thin ones opens');
  is(p.complaints, [], 'no complaints');
});

await test('asked of the server', async () => {
  const p = await page(b);
  await go(p, asking(LARGE) + '#view=top');
  await answered(p);
  is(differences(await functions(p), JSON.parse(polyprof('top', '--json', LARGE)), 'samples'), [], 'all functions, with the numbers of top');
  await p.getByLabel('Filter pattern').fill('^b1$');
  await p.getByLabel('Filter pattern').press('Enter');
  await answered(p);
  is(differences(await functions(p), JSON.parse(polyprof('top', '-q', '--json', '--focus', '^b1$', LARGE)), 'samples'), [], 'filters are applied where all stacks are');
  await go(p, asking(LARGE) + '#view=sandwich&of=b1');
  await answered(p);
  const { edges } = JSON.parse(polyprof('callees', 'b1', '--json', LARGE)), rows = await csv(p), from = rows.findIndex(r => r[0] === 'callees') + 2, name = rows[from - 1].indexOf('Function');
  is(rows.slice(from).map(r => [r[name], Number(r[0])]).sort(), edges.map(e => [e.name, e.total.samples]).sort(), 'callees are those of the command line');
  await p.getByLabel(/^Search functions/).fill('^b1$');
  const { total } = JSON.parse(polyprof('top', '-q', '--json', '--focus', '^b1$', LARGE)), all = [...stacks.values()].reduce((x, y) => x + y, 0);
  await p.waitForFunction(() => /%/.test(document.querySelector('.found').textContent) && !document.querySelector('.found').textContent.includes('\u2265'));
  ok((await p.locator('.found').textContent()).includes(((100 * total) / all).toFixed(2) + '%'), 'a search knows the share of all stacks', await p.locator('.found').textContent());
  is(p.complaints, [], 'no complaints');
});

await test('lines', async () => {
  const p = await page(b);
  await go(p, asking(MANY) + '#view=lines&file=many.js');
  await answered(p);
  const [head, ...rows] = await csv(p), at = head.indexOf('Line'), value = head.indexOf('Hits');
  const { lines } = JSON.parse(polyprof('lines', '--json', '-n', '0', MANY)), want = new Map(lines.map(l => [l.line, l.hits]));
  const wrong = rows.filter(r => want.has(Number(r[at])) && Number(r[value]) !== want.get(Number(r[at])));
  ok(want.size === LINES && rows.length >= LINES && wrong.length === 0, 'all lines of a file come when it is opened', JSON.stringify([head, rows.length, want.size, wrong.slice(0, 3)]));
  is(p.complaints, [], 'no complaints');
});

await test('trend', async () => {
  const deploys = join(folder, '..', 'serve-trend'), choose = async (p, n) => {
    for (let i = 0; i < n; i++) await p.getByLabel(`Choose deploy${i}.folded`).check();
    await p.getByRole('button', { name: /Trend/ }).click();
    await p.waitForSelector('figure.trend .dot');
  };
  mkdirSync(deploys, { recursive: true });
  for (let i = 0; i < 6; i++) writeFileSync(join(deploys, `deploy${i}.folded`), `main;load 600\nmain;parse ${i < 3 ? 200 : 900}\nmain;write 200\n`);
  const { at: there, end: stop } = await serve(deploys), p = await page(b);
  await go(p, '', there);
  await choose(p, 5);
  ok((await p.locator('.steps h2').textContent()).startsWith('Too few runs to tell'), 'five files are too few');
  await go(p, '', there);
  await choose(p, 6);
  is(await p.locator('.steps tbody tr').evaluateAll(rows => rows.map(r => [r.cells[0].textContent, r.cells[1].textContent])), [['parse', 'deploy3.folded']], 'what changed, and when');
  await p.getByRole('button', { name: 'Draw parse' }).click();
  await p.waitForFunction(() => document.querySelectorAll('figure.trend .dot').length === 6);
  ok(p.url().includes('function=parse'), 'the address has the function');
  is(await complaints(p), [], 'nothing for axe-core to complain of');
  await shot(p, 'serve-trend');
  await p.locator('figure.trend .dot').nth(3).press('Enter');
  await p.waitForSelector('#tab-flame');
  is(p.complaints, [], 'no complaints');
  await stop();
});

await test('drop', async () => {
  const p = await page(b);
  await go(p, '');
  await p.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['main;dropped 7\nmain 3\n'], 'mine <b>.folded'));
    for (const type of ['dragenter', 'dragover', 'drop']) window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await p.waitForSelector('#tab-top');
  is((await functions(p)).map(r => [r.name, r.self]).sort(), [['dropped', 7], ['main', 3]], 'a file that is dropped opens');
  is(await p.getByRole('heading', { level: 1 }).textContent(), 'mine <b>.folded', 'under its name');
  await go(p, '');
  ok((await names(p)).includes('mine <b>.folded'), 'and is listed from then on');
  await p.locator('input[type=file]').setInputFiles({ name: 'none.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 3]) });
  await p.waitForSelector('.problems [role=alert]');
  ok((await p.locator('.problems').textContent()).includes('none.bin'), 'what is no profile is refused, with a word about it');
  await go(p, asking(at('app.folded')));
  await p.locator('input[type=file]').setInputFiles({ name: 'none.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 3]) });
  ok((await p.getByRole('dialog').textContent()).includes('none.bin'), 'also where a profile is shown');
  await p.keyboard.press('Escape');
  await p.getByRole('dialog').waitFor({ state: 'detached' });
  is(p.complaints.filter(c => !c.includes('422')), [], 'no complaints');
});

await test('hostile names', async () => {
  const p = await page(b), odd = Buffer.concat([Buffer.from(join(folder, 'odd') + '/b'), Buffer.from([0xff, 0xfe]), Buffer.from('.folded')]);
  mkdirSync(join(folder, 'odd'));
  writeFileSync(odd, 'main;odd 3\n');
  await go(p, '?q=odd');
  await p.waitForFunction(() => document.querySelector('td.cost').textContent === '3');
  await p.locator('td.name a').click();
  await p.waitForSelector('#tab-top');
  is((await functions(p)).map(r => [r.name, r.self]).sort(), [['main', 0], ['odd', 3]], 'a file opens whose name is not UTF-8');
  rmSync(join(folder, 'odd'), { recursive: true });
  await go(p, asking(hostile) + '#view=top');
  is(differences(await functions(p), JSON.parse(polyprof('top', '--json', hostile)), 'samples').filter(w => !w.includes('xxxx')), [], 'are names and nothing else');
  for (const name of ['flame', 'tree', 'sandwich']) await view(p, name);
  await go(p, `?q=${encodeURIComponent('"><script>window.broken=1</script>')}&sort=<img>&in=%00`);
  await go(p, '?trend=&' + new URLSearchParams([['file', hostile], ['file', hostile], ['file', hostile]]));
  is(await p.evaluate(() => window.broken), undefined, 'no script of theirs runs');
  const answer = await p.request.get(home + '/'), policy = answer.headers()['content-security-policy'];
  ok(policy.includes("default-src 'none'") && policy.includes("script-src 'self'") && !policy.includes('unsafe'), 'the policy is strict', policy);
  await p.goto(home + '/' + asking('/etc/passwd'));
  await p.waitForSelector('html[data-failed]');
  ok((await p.getByRole('alert').textContent()).includes('no source'), 'what is not served is not there');
  is(p.complaints.filter(c => !c.includes('404')), [], 'no complaints');
});

/** A store of eight profiles, where there are stores. */
function makeStore() {
  const store = join(out, 'serve.ppdb');
  for (const ending of ['', '-wal', '-shm']) rmSync(store + ending, { force: true });
  try {
    for (let i = 0; i < 8; i++) {
      writeFileSync(join(out, `v${i}.folded`), `main;load 60\nmain;parse;scan ${i < 4 ? 20 : 70}\nmain;write ${i + 1}\n`);
      utimesSync(join(out, `v${i}.folded`), Date.now() / 1000 - 60 * (8 - i), Date.now() / 1000 - 60 * (8 - i));
      polyprof('store', 'add', store, join(out, `v${i}.folded`), '--label', `version=${i < 4 ? 1 : 2}.0`, '--label', `host=${'ab'[i % 2]}`, '--label', 'zone=x\n"y\\');
    }
    return store;
  } catch (error) {
    if (!/without|neither a command/.test(error.stderr ?? '')) throw error;
    console.log('# this polyprof has no stores');
    return null;
  }
}

await test('store', async () => {
  const store = makeStore();
  if (!store) return;
  const { at: there, end: stop } = await serve('--store', store), p = await page(b);
  await go(p, '', there);
  is((await names(p)).length, 8, 'its profiles are listed');
  await p.getByRole('button', { name: 'Search for host=a' }).first().click();
  is((await names(p)).length, 4, 'a label narrows the list');
  await go(p, '?in=' + encodeURIComponent('version=2.0 and host=b'), there);
  is((await names(p)).length, 2, 'so does an expression, in the address');
  await p.getByRole('button', { name: /^Open all/ }).click();
  await p.waitForSelector('#tab-top');
  is((await functions(p)).find(r => r.name === 'scan').self, 140, 'what is chosen opens as one');
  await go(p, '?in=version%3D', there);
  await p.waitForSelector('.problems [role=alert]');
  await p.getByLabel('Compared with').fill('version=2.0');
  await p.getByLabel(/^Which profiles of/).fill('version=1.0');
  await p.getByLabel(/^Which profiles of/).press('Enter');
  await p.waitForSelector('table.profiles tbody tr');
  is([await p.locator('.problems').textContent(), (await names(p)).length], ['', 4], 'what was wrong is forgotten when it is put right');
  is(await p.evaluate(() => document.activeElement?.getAttribute('aria-label')?.slice(0, 14)), 'Which profiles', 'and who wrote it stays there');
  await p.getByRole('button', { name: /^Compare: Compare these/ }).or(p.getByRole('button', { name: 'Compare these with those' })).first().click();
  await p.waitForSelector('#tab-top');
  const scan = (await functions(p)).find(r => r.name === 'scan');
  const { functions: said } = JSON.parse(polyprof('diff', '-q', '--json', '-n', '0', store + '?where=version=1.0', store + '?where=version=2.0'));
  is([scan.before, scan.self], [20, 70], 'two choices compare: what one profile costs');
  is(said.filter(f => f.name === 'scan').map(f => [f.before.self, f.after.self]), [[20, 70]], 'as on the command line');
  ok((await p.locator('.brand .sub').textContent()).includes('means of 4 \u2192 4 profiles'), 'which is said', await p.locator('.brand .sub').textContent());
  await go(p, '?' + new URLSearchParams([['file', store + '?where=version=1.0'], ['file', store + '?where=host=a']]), there);
  const halves = JSON.parse(polyprof('diff', '-q', '--json', '-n', '0', store + '?where=version=1.0', store + '?where=host=a')).functions, shown = await functions(p);
  is(shown.map(r => [r.name, r.before, r.self].join()).sort(), halves.map(f => [f.name, f.before.self, f.after.self].join()).sort(), 'whatever they are');
  await go(p, '?in=version%3D1.0', there);
  await p.getByLabel('Compared with').fill('version=2.0');
  await p.getByRole('button', { name: /^Compare: Compare these/ }).or(p.getByRole('button', { name: 'Compare these with those' })).first().click();
  await p.waitForSelector('#tab-top');
  is(await p.getByRole('heading', { level: 1 }).textContent(), 'serve.ppdb: version=1.0 \u2192 version=2.0', 'the heading says what was chosen');
  const line = (await p.locator('#command').getAttribute('title')).split('\n')[1];
  is(line, `polyprof diff '${store}?where=version=1.0' '${store}?where=version=2.0'`, 'so does the command line');
  await go(p, asking(store), there);
  is([await p.getByRole('heading', { level: 1 }).textContent(), (await p.locator('.brand .sub').textContent()).split(' \u00b7 ').at(-1)], ['serve.ppdb', '8 profiles added up'], 'all of a store is called as it is');
  await go(p, '?in=version%3D1.0&from=1d', there);
  await p.getByLabel('Compared with').fill('version=2.0');
  await p.getByRole('button', { name: 'Compare these with those' }).or(p.getByRole('button', { name: /^Compare: Compare these/ })).first().click();
  await p.waitForSelector('#tab-top');
  is(new URL(p.url()).searchParams.get('since'), '1d', 'what is compared is of the chosen time');
  await go(p, '?' + new URLSearchParams([['file', store], ['where', 'host=a'], ['since', '1d']]) + '#view=top', there);
  is([await p.getByRole('heading', { level: 1 }).textContent(), (await p.locator('#command').getAttribute('title')).split('\n')[1]], ['serve.ppdb, host=a, since 1d', `polyprof top ${store} --where host=a --since 1d`], 'also of one choice');
  await go(p, '?trend=&' + new URLSearchParams([['file', store], ['function', 'scan'], ['by', 'host']]), there);
  ok(await p.locator('figure.trend .dot').count() >= 2, 'a trend has points');
  is((await p.locator('figure.trend .legend li').allTextContents()).sort(), ['a', 'b'], 'and a line per value of a label');
  ok((await p.locator('.steps h2').textContent()).startsWith('Too few runs to tell'), 'that four profiles of each are too few is said');
  await shot(p, 'serve-trend-store');
  const stops = () => p.locator('figure.trend .dot[tabindex="0"]').count(), dot = i => p.locator('figure.trend .dot').nth(i);
  is(await stops(), 2, 'a line is one stop of the keyboard');
  await dot(0).focus();
  await p.keyboard.press('ArrowRight');
  await p.keyboard.press('ArrowDown');
  const [, b1] = await p.locator('figure.trend .dot').evaluateAll(dots => dots.map(d => d.getAttribute('aria-label')).filter(l => l.startsWith('b,')));
  is([await p.evaluate(() => document.activeElement.getAttribute('aria-label')), await stops()], [b1, 2], 'along which arrows lead, and from one to the next');
  await p.locator('figure.trend .dot').first().click();
  await p.waitForSelector('#tab-top');
  is((await functions(p)).find(r => r.name === 'scan').self, 20, 'a point opens what its line is about, and nothing else');
  ok(/since \d{4}-\d\d-\d\d \d\d:\d\d, until/.test(await p.getByRole('heading', { level: 1 }).textContent()), 'under its time', await p.getByRole('heading', { level: 1 }).textContent());
  await go(p, '?trend=&' + new URLSearchParams([['file', store]]), there);
  is(await p.locator('.steps tbody tr').evaluateAll(rows => rows.map(r => [r.cells[0].textContent, r.cells[2].textContent, r.cells[3].textContent])), [['scan', '20', '70']], 'what stepped by more than noise');
  is(await p.locator('figure.trend .legend li').allTextContents(), ['scan', 'load', 'write'], 'is drawn first, then what costs most');
  const values = await p.locator('figure.trend .dot').evaluateAll(dots => dots.map(d => d.getAttribute('aria-label')).filter(l => l.startsWith('scan')).map(l => l.split(', ')[2].split(' ')[0]));
  is(values, ['20', '20', '20', '20', '70', '70', '70', '70'], 'over all of the time');
  is(await p.locator('figure.trend .step').count(), 1, 'with a mark where it stepped');
  await p.getByLabel('Show').focus();
  await p.keyboard.press('End');
  await p.waitForFunction(() => location.search.includes('show=cost'));
  await settle(p);
  is(await p.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Show', 'who chooses with a key stays there');
  await p.getByRole('button', { name: 'Draw scan' }).click();
  await p.waitForFunction(() => document.querySelectorAll('figure.trend .dot').length === 8);
  await p.goBack();
  await p.waitForFunction(() => document.querySelectorAll('figure.trend .dot').length > 8);
  ok(!p.url().includes('function='), 'and back leads from one function to all');
  await go(p, '?trend=&' + new URLSearchParams([['file', store], ['function', 'main'], ['by', 'zone']]), there);
  ok((await p.locator('header .sub').textContent()).startsWith('main itself'), 'it is said that this is the function by itself');
  is(await p.locator('figure.trend .axis.end').allTextContents().then(t => new Set(t).size === t.length), true, 'one that costs nothing has an axis nevertheless');
  await p.locator('figure.trend .dot').first().click();
  await p.waitForSelector('#tab-top');
  const day = d => new Date(Date.now() + d * 86400e3).toISOString();
  await go(p, '?trend=&' + new URLSearchParams([['file', store], ['function', 'scan'], ['between', `${day(-1)}..${day(1)}`]]), there);
  await p.locator('figure.trend .dot').first().click();
  await p.waitForSelector('#tab-top');
  await go(p, '', there);
  for (const row of [0, 1, 2]) await p.locator('table.profiles tbody input').nth(row).check();
  await p.getByRole('button', { name: /^Trend: How functions changed over three/ }).or(p.locator('.acts button', { hasText: 'Trend' })).first().click();
  await p.waitForSelector('figure.trend .dot');
  ok(p.url().includes('profile'), 'profiles of a store that were chosen are drawn, too');
  await go(p, '?trend=&' + new URLSearchParams([['file', store], ['function', 'nowhere']]), there);
  ok((await p.locator('.steps h2').textContent()).includes('no function'), 'and what is not there is said');
  is([(await p.locator('header .sub').textContent()).includes('nowhere'), await p.locator('figure.trend .legend li').first().textContent()], [false, 'scan'], 'what is there is drawn instead');
  await go(p, '', there);
  is(await complaints(p), [], 'nothing for axe-core to complain of');
  await shot(p, 'serve-list-store');
  await p.setViewportSize({ width: 360, height: 740 });
  ok(await p.locator('.scroll').evaluate(e => e.scrollWidth <= e.clientWidth), 'on the smallest phone the costs are in sight');
  await p.setViewportSize({ width: 1400, height: 860 });
  await p.locator('input[type=file]').setInputFiles({ name: 'added.folded', mimeType: 'application/octet-stream', buffer: Buffer.from('main;added 5\n') });
  await p.getByRole('textbox', { name: 'Labels' }).fill('version=3.0, host=c');
  await p.getByRole('button', { name: /^Add to the store/ }).or(p.getByRole('button', { name: /Add it to the store/ })).first().click();
  await p.waitForFunction(() => document.querySelectorAll('table.profiles tbody tr').length === 9);
  ok((await p.locator('table.profiles tbody').textContent()).includes('version=3.0'), 'a file that is dropped can be added to it, with labels');
  is(p.complaints.filter(c => !c.includes('400')), [], 'no complaints');
  await stop();
});

await test('long list', async () => {
  const { at: there, end: stop } = await serve('--store', join(folder, 'long.ppdb')), p = await page(b), sizes = [];
  const added = i => fetch(`${there}/api/v1/add?` + new URLSearchParams([['label.n', String(i)], ['label.long', 'y'.repeat(4000)], ['t0', String(1700000000 + i)]]), { method: 'POST', body: `main;f${i} 1\n` });
  if ((await added(0)).status === 404) return; // there are no stores
  for (let i = 1; i < 270; i += 30) await Promise.all(Array.from({ length: 30 }, (_, k) => i + k < 270 && added(i + k)));
  const watch = async r => r.url().includes('/api/v1/') && sizes.push((await r.body()).length);
  p.on('response', watch);
  await go(p, '', there);
  await p.waitForFunction(() => document.documentElement.dataset.listed === '270');
  ok((await p.locator('header .sub').textContent()).startsWith('270 profiles'), 'all profiles of a long list come, part by part', await p.locator('header .sub').textContent());
  ok(sizes.length > 2 && sizes.every(n => n <= 1000000), 'no part is larger than 1 MB', String(sizes));
  await p.evaluate(() => (document.activeElement?.blur(), window.scrollTo(0, 0)));
  for (let i = 0, hidden = true; hidden && i < 40; i++) {
    await p.keyboard.press('Tab');
    const at = await p.evaluate(() => [document.activeElement.tagName, document.activeElement.getBoundingClientRect().top - document.querySelector('header').getBoundingClientRect().bottom]);
    if (at[0] === 'A') ok(!(hidden = false) && at[1] >= 0, 'what a key leads to is not behind the heading', String(at));
  }
  await p.getByRole('button', { name: 'The next page' }).click();
  ok(p.url().includes('page=1'), 'pages are turned');
  await p.getByRole('button', { name: 'The next page' }).press('Enter');
  is(await p.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'The next page', 'and a key turns one after the other');
  const third = await names(p);
  await go(p, '?page=2', there);
  await p.waitForFunction(() => document.documentElement.dataset.listed === '270');
  is(await names(p), third, 'an address leads to a page');
  await p.getByRole('button', { name: 'Sort by profile' }).press('Enter');
  is(await p.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Sort by profile', 'who sorts with a key can go on from there');
  is(p.complaints, [], 'no complaints');
  p.off('response', watch);
  await stop();
});

await test('long names', async () => {
  const far = join(folder, '..', 'serve-far'), deep = join(far, 'd'.repeat(200), 'e'.repeat(200)), sizes = [];
  rmSync(far, { recursive: true, force: true });
  mkdirSync(deep, { recursive: true });
  for (let i = 0; i < 900; i++) writeFileSync(join(deep, `f${i}${'x'.repeat(200)}.folded`), `main;f${i} 1\n`);
  const { at: there, end: stop } = await serve(far), p = await page(b), watch = async r => r.url().includes('/api/v1/list') && sizes.push((await r.body()).length);
  p.on('response', watch);
  await go(p, '', there);
  await p.waitForFunction(() => document.documentElement.dataset.listed === '900');
  ok(sizes.every(n => n <= 1000000), 'no part of a list of files is larger than 1 MB either', String(sizes));
  p.off('response', watch);
  is(p.complaints, [], 'no complaints');
  await stop();
  rmSync(far, { recursive: true });
});

await test('nothing to see', async () => {
  mkdirSync(join(folder, '..', 'serve-empty'), { recursive: true });
  const { at: there, end: stop } = await serve(join(folder, '..', 'serve-empty')), p = await page(b);
  await go(p, '', there);
  ok((await p.locator('.nothing').textContent()).includes('Drop a file') && !(await p.locator('table.profiles').isVisible()), 'an empty list says what to do');
  is(await complaints(p), [], 'nothing for axe-core to complain of');
  await go(p, '?q=nosuchprofile');
  ok((await p.locator('.nothing').textContent()).includes('fits this search'), 'so does a search that finds nothing');
  is(p.complaints, [], 'no complaints');
  await stop();
});

await test('without the server', async () => {
  const files = [0, 1, 2, 3].map(i => at(`run${i}.folded`)), { at: there, end: stop } = await serve(LARGE, ...files), p = await page(b);
  await go(p, asking(LARGE) + '#view=flame', there);
  await stop();
  await p.getByLabel('Filter pattern').fill('^b1$');
  await p.getByLabel('Filter pattern').press('Enter');
  await p.waitForFunction(() => document.body.textContent.includes('cannot be reached'));
  ok(await p.locator('#tab-flame').isVisible(), 'what is shown stays, and it is said why there is no more');
});

await test('a file that changes', async () => {
  const file = join(folder, '..', 'serve-changes.folded'), text = n => [...stacks].map(([s, v]) => `${s} ${v + n}\n`).join('');
  writeFileSync(file, text(0));
  const { at: there, end: stop } = await serve(file), p = await page(b), head = () => p.locator('header').first().textContent();
  await go(p, asking(file) + '#view=flame', there);
  const before = await head();
  writeFileSync(file, text(1000));
  await p.evaluate(() => (performance.now = () => 1e6)); // long after it was opened
  await p.getByLabel('Filter pattern').fill('^b1$');
  await p.getByLabel('Filter pattern').press('Enter');
  await p.waitForFunction(was => document.querySelector('html[data-ready]') && document.querySelector('header').textContent !== was, before);
  await answered(p);
  is((await p.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('focus'))), '^b1$', 'is opened anew, as it is asked about now');
  await stop();
});

await test('wrong questions', async () => {
  const status = async (path, more) => (await fetch(home + path, more)).status, q = text => encodeURIComponent(text), large = '/api/v1/view?file=' + q(LARGE);
  is(await Promise.all(['/api/v1/view', '/api/v1/view?file=', `/api/v1/view?file=${q(folder + '/../serve-hostile.folded')}`, '/api/v1/view?file=%00', '/api/v1/view?file=dropped:99', large + '&output=/tmp/x', large + '&source=/', large + '&at=99999999', large + '&at=x',
    large + '&at=1&stamp=0', large + '&focus=(', '/api/v1/progress?file=x', '/serve.js/', '/viewer.css?x'].map(path => status(path))),
  [400, 404, 404, 400, 404, 400, 400, 400, 400, 409, 400, 404, 404, 200], 'are refused');
  const drop = (body, headers = {}, name = 'x.folded') => status('/api/v1/drop?name=' + name, { method: 'POST', body, headers });
  is([await drop('main 1\n', { Origin: 'http://example.org' }), await drop('', {}, 'x'), await drop('\u0000\u0001', {}, 'x'), await drop('main 1\n')], [403, 422, 422, 200], 'so are files from elsewhere, or that are none');
  for (let i = 0; i < 12; i++) await drop(`main;f${i} 1\n`);
  const { sources } = await (await fetch(home + '/api/v1/sources')).json();
  ok(sources.filter(s => s.kind === 'dropped').length <= 9, 'only few of what is dropped are kept', JSON.stringify(sources));
});

for (const [width, height] of [[1440, 900], [1024, 700], [390, 844]])
  await test(`${width}x${height}`, async () => {
    const p = await page(b, { viewport: { width, height } }), wide = [];
    for (const [name, address] of [['list', ''], ['viewer', asking(at('cpp.script.txt.gz')) + '#view=flame'], ['trend', '?trend=&' + new URLSearchParams([0, 1, 2, 3].map(i => ['file', at(`run${i}.folded`)]))]]) {
      await p.emulateMedia({ colorScheme: 'light' });
      await go(p, address);
      for (const colorScheme of ['light', 'dark']) {
        await p.emulateMedia({ colorScheme });
        await shot(p, `serve-${name}-${width}-${colorScheme}`);
        is(await p.evaluate(() => document.documentElement.dataset.theme), colorScheme, `${name}, ${width} wide: ${colorScheme}`);
      }
      if (await p.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wide.push(name);
      if (width !== 1024) is(await complaints(p), [], `${name}, ${width} wide: nothing for axe-core to complain of in the dark`);
    }
    is(wide, [], `${width} wide: nothing is wider than the window`);
    is(p.complaints.filter(c => !c.includes('400')), [], `${width} wide: no complaints`);
  });

await b.close();
is(await end(), 0, 'the server ends when it is told to');
done();
