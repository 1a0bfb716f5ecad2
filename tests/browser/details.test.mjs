// What a report says of what it draws, and keeps of where one looks: node details.test.mjs POLYPROF ROOT ARTEFACTS
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browser, csv, differences, done, functions, is, makeReport, ok, open, out, page, polyprof, sample, saved, settle, test, view } from './kit.mjs';

const b = await browser(), app = sample('cli/data/app.folded'), other = sample('cli/data/other.folded'), spx = sample('formats/spx/good/05-memory-allmetrics.json');

function folded(name, ...lines) {
  const file = join(out, name + '.folded');
  writeFileSync(file, lines.join('\n') + '\n');
  return file;
}

const composer = folded('modules', 'main;App\\Util\\Loop::wait;App\\Util\\Http\\Curl::tick;curl_exec 50', 'main;App\\Util\\Loop::wait;App\\Util\\Http\\Curl::tick;App\\Util\\Http\\Curl::parse 9',
  'main;App\\Repository\\Pool::build;Zend\\Db\\Select::all 30', 'main;App\\Repository\\Pool::build;Zend\\Db\\Select::all;App\\Repository\\Package::__construct 8', 'main;Aside\\Nothing\\Never::called 0.0001', 'main;autoload 3');

const status = p => p.locator('#details[role=status] .what').innerText();
const legend = p => p.getByRole('list', { name: 'Legend' }).first().locator('li').allInnerTexts();
const canvas = p => p.locator('#panel canvas:visible').first().boundingBox();
const crumbs = p => p.locator('.crumbs button span.full, .crumbs button:not(:has(span.full))').allTextContents();

/** Where the boxes of a flame graph are in the page: by name, the first of each. */
async function places(p) {
  const svg = (await saved(p, 'SVG')).toString(), { x, y, height } = await canvas(p), list = [...svg.matchAll(/<title>([^<]*?) \([^<]*<\/title><rect x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="(\d+)"/g)].map(m => [m[1].replace(/&#(\d+);/g, (_, c) => String.fromCharCode(c)), ...m.slice(2).map(Number)]);
  const end = Math.max(...list.map(m => m[2] + m[4] + 1));
  return new Map(list.reverse().map(m => [m[0], { x: x + m[1] + m[3] / 2, y: y + m[2] + height - end + 8 }]));
}

await test('a zoom among filters', async () => {
  const p = await page(b);
  for (const [kind, pattern, names] of [['hide', '^(main|router)$', ['dispatch', 'UserController->show', 'Twig->render']], ['show', 'User|Twig', ['UserController->show', 'Twig->render']], ['show-from', '^dispatch$', ['dispatch', 'UserController->show']], ['focus', 'Twig', ['main', 'router', 'dispatch']]]) {
    await open(p, makeReport('zoomed', app), '#' + new URLSearchParams([['view', 'flame'], [kind, pattern]]));
    for (const name of names.slice(-1)) {
      const at = (await places(p)).get(name);
      await p.mouse.click(at.x, at.y);
      await settle(p);
    }
    is(await crumbs(p), ['all', ...names], `${kind}: the way there is shown`);
    await p.reload();
    await p.waitForSelector('html[data-ready]');
    await settle(p);
    is(await crumbs(p), ['all', ...names], `${kind}: and again after a reload`);
  }
  is(p.complaints, [], 'a zoom among filters: no complaints');
});

await test('a zoom stays', async () => {
  const p = await page(b), zoom = '/srv/sample/spx/scripts/memory.php';
  await open(p, makeReport('zoom-stays', spx), '#' + new URLSearchParams([['view', 'flame'], ['zoom', zoom], ['zoom', 'churn']]));
  await p.getByLabel('Metric').selectOption({ label: 'CPU time' });
  await settle(p);
  is(await crumbs(p), ['all', zoom, 'churn'], 'another metric leaves it where the same stack is');
  await p.getByLabel('Kind of filter').selectOption('ignore');
  await p.getByLabel('Filter pattern').fill('^churn$');
  await p.getByLabel('Filter pattern').press('Enter');
  await settle(p);
  ok(!/zoom=/.test(p.url()), 'where it is gone, all is shown', p.url());
  const { x, y, width, height } = await canvas(p);
  await p.mouse.move(x + width / 2, y + height - 30);
  await p.mouse.wheel(0, -300);
  await p.waitForURL(/part=0\.\d+\.\.0\.\d+/);
  const seen = p.url(), before = (await csv(p)).length;
  await p.reload();
  await p.waitForSelector('html[data-ready]');
  await settle(p);
  is([p.url(), (await csv(p)).length], [seen, before], 'the address keeps what the wheel zoomed to');
  await p.mouse.dblclick(x + width / 2, y + height - 30);
  await p.waitForURL(url => !url.href.includes('part='));
  ok(true, 'and forgets it when everything is shown');
});

await test('modules are collapsed', async () => {
  const p = await page(b), nyt = sample('formats/nytprof/good/evals_z_calls2.out');
  for (const [name, file, func, module] of [['php', composer, 'App\\Util\\Loop::wait', 'App\\Util'], ['perl', nyt, '', ''], ['folded', app, 'Twig\\Template->display', 'Twig']]) {
    await open(p, makeReport('collapse-' + name, file), '#view=top');
    for (const [item, kind] of [['Collapse its module', 'collapse'], ['Show only frames of this module', 'show']]) {
      const row = func ? p.locator('.tbody .tr:visible', { has: p.locator(`[data-exact="${func.replaceAll('\\', '\\\\')}"]`) }) : p.locator('.tbody .tr:visible', { hasText: '::' });
      await row.first().click({ button: 'right' });
      await p.getByRole('menuitem', { name: item }).click();
      await settle(p);
      const pattern = new URLSearchParams(new URL(p.url()).hash.slice(1)).get(kind), json = JSON.parse(polyprof('top', '--json', '-q', '-n', '0', '--' + kind, pattern, file));
      if (module) is(pattern, `module:^${module.replaceAll('\\', '\\\\')}$`, `${name}: ${item}: by the package or namespace`);
      is(differences(await functions(p), json, json.metric), [], `${name}: ${item}: the numbers of top --${kind} ${pattern}`);
      await p.getByRole('button', { name: 'Undo (u)' }).click();
      await settle(p);
    }
  }
  is(p.complaints, [], 'modules: no complaints');
});

await test('legends', async () => {
  const p = await page(b), svg = join(out, 'legend.svg');
  await open(p, makeReport('legends', composer), '#view=flame');
  const all = await legend(p);
  is(all.slice(0, 3), ['no module known', 'App\\Util', 'App\\Repository'], 'the widest boxes first, also those that only call others');
  polyprof('flame', '-q', composer, '-o', svg);
  await p.goto(String(pathToFileURL(svg)));
  const drawn = await p.locator('.legend text').allTextContents();
  is(drawn, all.slice(0, drawn.length), 'and in the SVG the same');
  await open(p, makeReport('legends', composer), '#view=flame&focus=curl_exec&show-from=App');
  is(await legend(p), ['App\\Util', 'no module known'], 'with filters, of what is in sight');
  const at = (await places(p)).get('curl_exec');
  await p.mouse.click(at.x, at.y);
  await settle(p);
  is((await legend(p))[0], 'App\\Util', 'also when zoomed');
});

await test('a tap', async () => {
  const p = await page(b, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await open(p, makeReport('taps', app), '#view=flame');
  const { x, y, width, height } = await canvas(p);
  await p.touchscreen.tap(x + width / 2, y + height - 18 * 4 - 9);
  await settle(p);
  is(await status(p), 'UserController->show', 'tells what it chose');
  ok(/936 samples/.test(await p.locator('#details .numbers').innerText()), 'and what that costs', await p.locator('#details').innerText());
  ok(await p.getByRole('tooltip').count() === 0, 'and covers nothing');
  is(p.complaints, [], 'a tap: no complaints');
});

await test('the hottest path', async () => {
  const p = await page(b), path = () => p.locator('.card[aria-label="Hottest path"]'), steps = async () => (await path().locator('li').allInnerTexts()).map(t => t.replace(/\s+/g, ' '));
  await open(p, makeReport('hottest-diff', app, other));
  is((await steps()).map(s => s.split(' ')[1]), ['main', 'router', 'dispatch', 'UserController->list', 'PDO->query'], 'of two profiles that of the later one');
  ok((await steps())[0].startsWith('100%') && /later profile, in percent of its samples/.test(await path().innerText()), 'which it says', await path().innerText());
  const flat = folded('flat', ...Array.from({ length: 20 }, (_, i) => `f${i};g${i} ${100 - i}`), ...Array.from({ length: 20 }, (_, i) => `f${i};h${i} 2`));
  for (const [name, file] of [['flat', flat], ['app', app], ['spx', spx]]) {
    await open(p, makeReport('hottest-' + name, file));
    const said = polyprof('-q', file).split('\n'), from = said.indexOf('Hottest path') + 1, want = said.slice(from, said.indexOf('', from)).map(line => line.trim().replace(/\s+/g, ' ').replace('100.0%', '100%'));
    const got = (await steps()).map(s => s.replace(/ (\d+) levels$/, ''));
    ok(got.length > 0 && got.every(s => want.some(w => w.split(' ')[1] === s.split(' ')[1])) && want.filter(w => !w.startsWith('...')).every(w => got.some(s => s.split(' ')[1] === w.split(' ')[1])), `${name}: the steps of the summary`, `${got.join(' | ')}\n${want.join(' | ')}`);
  }
});

await test('filters and the order of time', async () => {
  const p = await page(b);
  await open(p, makeReport('time-filters', spx), '#view=time&focus=%5Ehold%24');
  ok(/1 filter does not apply to the order of time/.test(await p.getByRole('tabpanel').innerText()), 'it says that filters do not apply');
  const all = await p.locator('#details').innerText(), line = await p.locator('#command').innerText();
  ok(all.includes('43.9 ms') && !line.includes('--focus'), 'and tells of what it shows', all + line);
  await view(p, 'flame');
  ok((await p.locator('#command').innerText()).includes('--focus') && !/does not apply/.test(await p.getByRole('tabpanel').innerText()), 'elsewhere they do');
});

await test('the window of time', async () => {
  const p = await page(b), strip = () => p.locator('.overview canvas').evaluate(c => {
    const g = c.getContext('2d'), data = g.getImageData(0, 2, c.width, 1).data, ink = getComputedStyle(c.parentElement).getPropertyValue('--ink').match(/\w\w/g).map(x => parseInt(x, 16));
    let n = 0;
    for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - ink[0]) + Math.abs(data[i + 1] - ink[1]) + Math.abs(data[i + 2] - ink[2]) < 12 && data[i + 3] > 100) n++;
    return n;
  });
  await open(p, makeReport('outline', sample('formats/perf-script/good/cpp.script.txt.gz')), '#view=time&window=10000000..30000000');
  const framed = await strip();
  await view(p, 'flame');
  await settle(p);
  const free = await strip();
  ok(framed > free, 'the strip frames what the order of time shows, and nothing in other views', `${framed} ${free}`);
  await view(p, 'time');
  await settle(p);
  is(await strip(), framed, 'and again when one comes back');
});

await test('the way to a frame', async () => {
  const deep = folded('deep', Array.from({ length: 12 }, (_, i) => `Vendor\\Package${i}\\Something\\Long\\Class${i}::method${i}`).join(';') + ' 5'), names = Array.from({ length: 12 }, (_, i) => ['zoom', `Vendor\\Package${i}\\Something\\Long\\Class${i}::method${i}`]);
  for (const [width, least] of [[1440, 4], [390, 1]]) {
    const p = await page(b, { viewport: { width, height: 844 } });
    await open(p, makeReport('crumbs', deep), '#' + new URLSearchParams([['view', 'flame'], ...names]));
    const seen = await p.locator('.crumbs button').evaluateAll(list => list.map(e => [e.firstChild.textContent, e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= innerWidth])), steps = seen.slice(2);
    is(seen.slice(0, 2).map(([text]) => text), ['all', '\u2026'], `${width}: what is further out is one mark`);
    ok(steps.length >= least && steps.every(([text, whole], i) => whole && text.endsWith(`::method${12 - steps.length + i}`)), `${width}: each step keeps what tells it from others`, JSON.stringify(seen));
  }
});

await test('curves', async () => {
  const p = await page(b);
  await open(p, makeReport('curves', spx));
  const captions = await p.locator('figcaption').allTextContents(), inSight = await p.locator('figcaption:visible').count();
  ok(captions.some(t => /^CPU time: up to [\d.]+% of the time$/.test(t)) && !captions.some(t => /^level of .*time/.test(t)), 'time has no level', captions.join('\n'));
  ok(inSight === 3 && captions.length > 10, 'a few curves are in sight, the others unfold', `${inSight} of ${captions.length}`);
  await open(p, makeReport('curves-perf', sample('formats/perf-script/good/cpp.script.txt.gz')));
  const [caption] = await p.locator('figcaption').allTextContents();
  ok(/up to (100|\d\d(\.\d)?)% of the time$/.test(caption), 'one thread runs no longer than time passes', caption);
});

await test('the order of the overview', async () => {
  for (const width of [1440, 390]) {
    const p = await page(b, { viewport: { width, height: 844 } }), titles = () => p.locator('.card h2').allInnerTexts();
    await open(p, makeReport('order', spx));
    is(await titles(), ['Totals', 'Findings', 'Costliest functions', 'Hottest path', 'Flame graph', 'Over time'], `${width}: as it is read`);
    const tops = await p.locator('.card').evaluateAll(list => list.map(e => e.getBoundingClientRect().top));
    if (width < 760) ok(tops.every((y, i) => !i || y > tops[i - 1]), 'a phone shows it so', String(tops));
    else ok(tops[2] === tops[0] && tops[4] < 700, 'a wide page has room for two columns', String(tops));
    const text = await p.locator('.card.costliest').innerText();
    ok(/\d ms\s+\d/.test(text.replace(/[\d.]+%/g, '')) && !/(ms|\u00b5s)[\d<]|%\d|[a-z)]\/srv/.test(text), `${width}: what is copied has blanks between numbers`, text);
  }
});

await test('memory in every table', async () => {
  const p = await page(b);
  await open(p, makeReport('memory-tables', spx), '#metric=zm');
  is(await p.locator('.card.costliest th').allInnerTexts(), ['Function', 'Gained', 'Given back', 'Net', 'Total gained'], 'the overview has what was gained, given back and left');
  const rows = JSON.parse(polyprof('top', '--json', '-q', '-n', '0', '-m', 'zm', spx)).functions, [, ...table] = await csv(p);
  is(table.filter(([name, gained, back, net]) => !rows.some(f => f.name === name && f.gained.zm === Number(gained) && f.given_back.zm === Number(back) && f.self.zm === Number(net))), [], 'with the numbers of top');
  await view(p, 'sandwich');
  const heads = await p.getByRole('grid', { name: 'Callees' }).getByRole('columnheader').allInnerTexts();
  is(heads.filter(h => h !== '%' && h !== 'Calls'), ['Total gained', 'Given back', 'Net', 'Gained itself', 'Function'], 'callers and callees say which it is');
});

await test('names in findings', async () => {
  const p = await page(b), name = 'Symfony\\Component\\Finder\\Iterator\\Some\\Deeper\\Namespace\\RecursiveDirectoryIterator::current';
  await open(p, makeReport('long-names', folded('long', `main;${name} 90`, 'main;b 10')));
  const links = await p.locator('.facts button.link').evaluateAll(list => list.map(e => [e.firstChild.textContent, e.textContent.includes('\u2026') && e.querySelector('.full').textContent]));
  ok(links.length > 0 && links.some(([text, whole]) => /^\u2026\\.*RecursiveDirectoryIterator::current$/.test(text) && whole === name), 'are shortened as everywhere else, and whole for who asks', JSON.stringify(links));
});

/** A recording of calls within each other. */
function nested(name, seconds, depth) {
  const file = join(out, name + '.speedscope.json'), frames = Array.from({ length: depth }, (_, i) => ({ name: 'f' + i }));
  const events = [...frames.map((_, frame) => ({ type: 'O', frame, at: 0 })), ...frames.map((_, i) => ({ type: 'C', frame: depth - 1 - i, at: seconds }))];
  writeFileSync(file, JSON.stringify({ $schema: 'https://www.speedscope.app/file-format-schema.json', shared: { frames }, profiles: [{ type: 'evented', name, unit: 'seconds', startValue: 0, endValue: seconds, events }] }));
  return file;
}

await test('lanes keep their titles', async () => {
  const p = await page(b, { viewport: { width: 1280, height: 420 } });
  await open(p, makeReport('titles', nested('titles', 2, 40)), '#view=time');
  const scrolled = await p.locator('.flame.time').evaluate(e => ((e.scrollTop = 11), e.scrollTop));
  await settle(p);
  const ink = await p.locator('.flame.time canvas').evaluate(c => {
    const ratio = c.width / c.clientWidth, g = c.getContext('2d'), { data } = g.getImageData(0, Math.round(20 * ratio), Math.round(200 * ratio), Math.round(22 * ratio)), w = Math.round(200 * ratio), rows = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i] < 190) rows.add(Math.floor(i / 4 / w));
    return [Math.min(...rows), Math.max(...rows)].map(y => y / ratio);
  });
  ok(scrolled === 11 && ink[0] >= 3 && ink[1] <= 19, 'whole below the axis, however far the lane is scrolled', `${scrolled} ${ink}`);
});

await test('small things', async () => {
  const p = await page(b), names = folded('guards', 'main;=cmd|calc!A0 5', `main;${'x'.repeat(1 << 20)} 9`);
  await open(p, makeReport('guards', names), '#view=tree');
  const cells = (await csv(p)).map(r => r.at(-1)).filter(t => t.includes('=cmd'));
  ok(cells.length === 1 && cells[0].startsWith("'"), 'a formula is none behind the blanks of a tree either', JSON.stringify(cells));
  await view(p, 'flame');
  const { x, y, width, height } = await canvas(p);
  await p.mouse.move(x + width * 0.8, y + height - 18 * 2 - 9);
  const tip = p.getByRole('tooltip');
  await tip.waitFor();
  const [box, numbers] = [await tip.boundingBox(), await tip.locator('span').first().boundingBox()];
  ok(box.height < 200 && numbers.y + numbers.height <= box.y + box.height, 'a name of a megabyte leaves room for what it costs', JSON.stringify([box, numbers]));
  await open(p, makeReport('shares', app), '#view=sandwich&of=dispatch');
  const rows = (await csv(p)).filter(r => r.length > 2), shares = rows.filter(r => r[0] !== 'Total').map(r => r[rows[0].indexOf('%')]);
  ok(shares.length > 1 && shares.every(s => /^\d+(\.\d+)?$/.test(s)), 'shares in CSV are numbers', shares.join(' '));
  for (const v of ['overview', 'flame', 'tree', 'top', 'sandwich']) {
    await view(p, v);
    await p.getByLabel(/^Search functions/).fill('main');
    is(await p.getByRole('status').count(), 1, `${v}: one status`);
  }
  is(p.complaints, [], 'small things: no complaints');
});

await test('long recordings', async () => {
  const p = await page(b), file = nested('long', 40000, 1);
  await open(p, makeReport('long-time', file), '#view=time');
  ok(/>10,000 s</.test((await saved(p, 'SVG')).toString()), 'times have separators');
  polyprof('flame', '-q', '--flamechart', file, '-o', join(out, 'long.svg'));
  await p.goto(String(pathToFileURL(join(out, 'long.svg'))));
  ok((await p.locator('#axis text').allTextContents()).includes('10,000 s'), 'in the SVG as well');
});

await test('controls of a phone', async () => {
  const p = await page(b, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await open(p, makeReport('phone-controls', spx), '#view=flame');
  await p.getByRole('button', { name: 'Show or hide the controls' }).click();
  await settle(p);
  const edges = await p.locator('.exports button, .copyline').evaluateAll(list => list.map(e => [e.textContent, e.checkVisibility(), Math.round(e.getBoundingClientRect().right)]));
  ok(edges.length === 4 && edges.every(([, seen, right]) => seen && right <= 390), 'all that saves and copies is in sight', JSON.stringify(edges));
});

await b.close();
done();
