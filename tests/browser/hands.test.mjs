// What people do with their hands, and what screen readers are told: node hands.test.mjs POLYPROF ROOT ARTEFACTS
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { browser, differences, done, functions, here, is, makeReport, ok, open, page, polyprof, sample, saved, settle, test, view } from './kit.mjs';

const b = await browser(), app = sample('cli/data/app.folded'), spx = sample('formats/spx/good/05-memory-allmetrics.json');
const VIEWS = ['overview', 'flame', 'time', 'sandwich', 'tree', 'top', 'lines'];

/** The boxes of the whole picture: name, from, width, and where they are in the page while nothing is magnified. */
async function boxes(p) {
  const svg = (await saved(p, 'SVG')).toString(), { height } = await canvas(p);
  const list = [...svg.matchAll(/<title>([^<]*?) \([^<]*<\/title><rect x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="(\d+)"/g)]
    .map(m => ({ name: m[1].replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)), x: Number(m[2]), y: Number(m[3]), w: Number(m[4]), h: Number(m[5]) }));
  // A flame graph lower than the room for it stands at the bottom; the first lane in time stands below axis and heading.
  const ends = list.map(x => x.y + x.h + 1), inTime = /view=time/.test(p.url());
  return list.map(x => ({ ...x, y: x.y + (inTime ? 42 - Math.min(...list.map(b => b.y)) : height - Math.max(...ends)) }));
}

/** From where to where the pointer, along a row, is over a box of that name. */
async function extent(p, name, x, y) {
  const { x: left, width } = await canvas(p), over = async at => (await p.mouse.move(at, y), (await status(p)) === name);
  const edge = async by => {
    let at = x;
    while (at + by > left && at + by < left + width && await over(at + by)) at += by;
    return at;
  };
  return [await edge(-8), await edge(8)];
}

const canvas = p => p.locator('#panel canvas:visible').first().boundingBox();
const status = p => p.locator('#details[role=status] .what').innerText();

await test('overview', async () => {
  const p = await page(b), json = JSON.parse(polyprof('top', '--json', '-q', '-n', '10', spx));
  await open(p, makeReport('overview', spx));
  is(await p.getByRole('tab').allInnerTexts(), ['Overview', 'Flame graph', 'Time order', 'Callers and callees', 'Call tree', 'Functions', 'Source'], 'the views are tabs, the overview first');
  is(await p.getByRole('tab', { selected: true }).innerText(), 'Overview', 'and chosen');
  const text = await p.getByRole('tabpanel').innerText();
  is(json.functions.filter(f => !text.includes(f.name)).map(f => f.name), [], 'the ten costliest functions are there');
  for (const part of ['Totals', 'Costliest functions', 'Hottest path', 'Flame graph', 'Over time']) ok(await p.locator(`.card[aria-label="${part}"]`).isVisible(), `overview: ${part}`);
  ok(/memory.php on vm, 2026-11-15 \d\d:\d\d:\d\d UTC/.test(text), 'when it was recorded', text.slice(0, 200));
  await p.locator('.card .path button').last().click();
  ok(/zoom=/.test(p.url()) && /view=flame/.test(p.url()), 'a step of the hottest path opens the flame graph there', p.url());
});

await test('findings', async () => {
  const p = await page(b), plain = text => text.replace(/\s+/g, ' ').toLowerCase();
  for (const [name, files, args] of [['facts', [spx], [spx]], ['facts-diff', [app, sample('cli/data/other.folded')], [sample('cli/data/other.folded'), '--before', app]]]) {
    await open(p, makeReport(name, ...files));
    const said = polyprof('findings', '-q', ...args).split('\n').map(line => /^ {0,8}(?:[\d.<]+%)? {2}(\S.*)$/.exec(line)?.[1]).filter(line => line && !line.startsWith('polyprof ')), shown = plain(await p.getByRole('region', { name: 'Findings' }).innerText());
    ok(said.length > 2, `${name}: there are findings`, said.join('\n'));
    is(said.slice(0, 5).filter(line => !shown.includes(plain(line))), [], `${name}: the overview has those of polyprof findings`);
  }
  await p.locator('.facts button.link').first().click();
  ok(/view=sandwich&of=/.test(p.url()), 'a function that is named leads to its callers', p.url());
  is(p.complaints, [], 'findings: no complaints');
});

await test('what was profiled', async () => {
  const p = await page(b), told = [];
  for (const file of ['perf-script/good/cpp.script.txt.gz', 'pprof/good/all.pb.gz', 'spx/good/05-http.json', 'gperftools-cpu/good/oven.prof']) {
    await open(p, makeReport('what', sample('formats', file)));
    told.push((await p.locator('.what-line').innerText()).split(', ')[0]);
  }
  is(told, ['cpp_fp', '/bakery/bin/oven', 'GET /web.php?x=1&y=%22q%22 on vm (127.0.0.1:8159)', '/srv/oven/oven'], 'the overview says first what was profiled, whatever the format');
});

await test('hands', async () => {
  const p = await page(b);
  await open(p, makeReport('hands', app), '#view=flame');
  const box = await canvas(p), before = await boxes(p), some = before.filter(x => x.w > 150 && x.w < 600 && x.name !== 'all')[0], x = box.x + some.x + some.w / 2, y = box.y + some.y + 8;
  await p.mouse.move(x, y);
  is(await status(p), some.name, 'the line below names what the pointer is over, at once');
  await p.waitForTimeout(400);
  ok((await p.getByRole('tooltip').innerText()).startsWith(some.name), 'and so does a box beside it');
  await p.mouse.move(box.x + 5, box.y + 3);
  ok(await status(p) === 'all' && await p.getByRole('tooltip').count() === 0, 'a gap names nobody');
  const wide = async () => ((await p.mouse.move(x, y)), extent(p, some.name, x, y));
  const first = await wide();
  await p.mouse.move(x, y);
  await p.mouse.wheel(0, -200);
  await settle(p);
  const near = await wide();
  ok(near[1] - near[0] > (first[1] - first[0]) * 1.2, 'the wheel zooms', `${first} ${near}`);
  is((await boxes(p)).length, before.length, 'and what is saved is the whole graph');
  await p.mouse.move(x, y);
  await p.mouse.down();
  await p.mouse.move(x + 60, y, { steps: 5 });
  await p.mouse.up();
  await settle(p);
  const moved = await extent(p, some.name, x + 60, y);
  ok(moved[1] > near[1] + 40 || moved[0] > near[0] + 40, 'dragging moves', `${near} ${moved}`);
  ok(!/zoom=/.test(p.url()), 'and is no click');
  await p.mouse.dblclick(x, y);
  await settle(p);
  is(await wide(), first, 'a double click shows everything');
  await p.evaluate(() => document.activeElement.blur());
  await p.keyboard.press('ArrowUp');
  ok(await status(p) !== 'all', 'arrow keys work without a click');
  ok((await p.getByRole('list', { name: 'Legend' }).innerText()).length > 3, 'colours have a legend');
  await p.getByLabel('Colours').selectOption('language');
  await settle(p);
  ok(/PHP/.test(await p.getByRole('list', { name: 'Legend' }).innerText()), 'which follows them');
  is(p.complaints, [], 'hands: no complaints');
});

await test('one call', async () => {
  const p = await page(b);
  await open(p, makeReport('one-call', spx), '#view=time');
  const box = await canvas(p), list = await boxes(p), calls = list.filter(x => x.name === 'build' && x.w > 12);
  ok(calls.length > 3, 'there are several calls of one function', String(calls.length));
  const spans = [];
  for (const c of calls.slice(0, 4)) {
    await p.mouse.move(box.x + c.x + c.w / 2, box.y + c.y + 8);
    spans.push(await p.locator('#details .numbers').innerText());
  }
  ok(spans.every(s => /^at .* for .* · of [\d,]+ calls, /.test(s) || /^at .* for /.test(s)), 'each tells when it began and how long it took', spans.join('\n'));
  ok(new Set(spans.map(s => s.split(' · ')[0])).size === spans.length, 'and each its own', spans.join('\n'));
  const first = await saved(p, 'CSV');
  await p.mouse.move(box.x + 400, box.y + 100);
  await p.mouse.wheel(0, -600);
  await settle(p);
  ok(String(await saved(p, 'CSV')) !== String(first), 'the plain wheel zooms time');
  is(p.complaints, [], 'one call: no complaints');
});

await test('gaps', async () => {
  // Ten samples of 1 ms, a second of sleep, ten more.
  const lines = Array.from({ length: 20 }, (_, i) => `prog 7 ${(1 + i * 0.001 + (i > 9 ? 1 : 0)).toFixed(6)}:    1000000 cpu-clock:\n\t1000 work+0x1 (/bin/prog)\n\t2000 main+0x1 (/bin/prog)\n`);
  const { writeFileSync } = await import('node:fs'), file = join(process.argv[4], 'gaps.script.txt');
  writeFileSync(file, lines.join('\n') + '\n');
  const p = await page(b);
  await open(p, makeReport('gaps', file), '#view=time');
  const box = await canvas(p), list = (await boxes(p)).filter(x => x.name === 'work');
  ok(list.length >= 2 && list.reduce((sum, x) => sum + x.w, 0) < box.width * 0.2, 'what slept is not drawn as running', JSON.stringify(list));
  await p.mouse.move(box.x + box.width / 2, box.y + 60);
  is(await status(p), 'all', 'and names nobody');
});

await test('instants', async () => {
  const p = await page(b);
  await open(p, makeReport('instants', sample('formats/heaptrack/good/oven.heaptrack')), '#view=time');
  const box = await canvas(p), list = (await boxes(p)).filter(x => x.name === 'main');
  ok(list.length > 2 && list.every(x => x.w < box.width * 0.02), 'an allocation lasts no longer than it takes to be seen', JSON.stringify(list));
  await p.mouse.move(box.x + list[1].x + list[1].w / 2, box.y + list[1].y + 8);
  ok(list.length && await status(p) !== 'all', 'and is named', await status(p));
  const told = await p.locator('#details .numbers').innerText();
  ok(/^at \S+ ms, \d+ events? · /.test(told), 'with its moment, but no length', told);
});

await test('what of time is in sight', async () => {
  // Nothing in a trace says when it began but its events, and clocks run since long before.
  const { writeFileSync } = await import('node:fs'), file = join(process.argv[4], 'late.trace.json'), slice = (name, ts, dur) => ({ ph: 'X', pid: 1, tid: 1, name, ts: 9e9 + ts, dur });
  writeFileSync(file, JSON.stringify({ traceEvents: [slice('outer', 0, 1e6), slice('inner', 2e5, 1e5), slice('inner', 5e5, 3e5)] }));
  const p = await page(b);
  await open(p, makeReport('late', file), '#view=time');
  const box = await canvas(p), outer = (await boxes(p)).find(x => x.name === 'outer');
  ok(outer && outer.x < 2 && outer.w > box.width * 0.98, 'time begins with the first event', JSON.stringify(outer));
  is(String(await saved(p, 'CSV')).trim().split('\r\n').slice(1), ['0,1000000000,1,outer', '200000000,300000000,2,inner', '500000000,800000000,2,inner'], 'what is saved are calls, exact to the nanosecond');
  await p.mouse.move(box.x + box.width * 0.6, box.y + box.height - 20);
  await p.mouse.wheel(0, -400);
  await p.waitForFunction(() => location.hash.includes('window='));
  const [from, until] = /window=(\d+)\.\.(\d+)/.exec(p.url()).slice(1).map(Number);
  ok(from > 1e8 && until < 9e8 && until > from, 'the address keeps what is in sight', p.url());
  const near = (await boxes(p)).map(x => x.name + Math.round(x.x));
  await p.getByRole('button', { name: 'Icicle' }).click();
  await p.getByRole('button', { name: 'Icicle' }).click();
  is((await boxes(p)).map(x => x.name + Math.round(x.x)), near, 'other controls leave it');
  await open(p, makeReport('late', file), new URL(p.url()).hash);
  is((await boxes(p)).map(x => x.name + Math.round(x.x)), near, 'and it is there again');
  await p.getByRole('button', { name: 'All of time' }).click();
  await p.waitForFunction(() => !location.hash.includes('window='));
  ok((await boxes(p))[0].w > box.width * 0.98, 'or all of it');
  is(p.complaints, [], 'in sight: no complaints');
});

await test('the axis of time', async () => {
  const p = await page(b), axis = async () => {
    await p.evaluate(() => {
      window.drawnTexts = [];
      CanvasRenderingContext2D.prototype.drawText ??= CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
        if (this.canvas.closest('#panel')) window.drawnTexts.push(text);
        return this.drawText(text, ...at);
      };
    });
    await p.keyboard.press('ArrowRight');
    await settle(p);
    return (await p.evaluate(() => window.drawnTexts)).filter(t => /^[\d.]+ (s|ms|\u00b5s|ns)$/.test(t));
  };
  // Six seconds, zoomed until steps are milliseconds.
  const { writeFileSync } = await import('node:fs'), file = join(process.argv[4], 'long.script.txt');
  writeFileSync(file, [0, 1, 2, 3, 4, 5, 5.75, 6].map(t => `prog 7 ${(1 + t).toFixed(6)}:    1000000 cpu-clock:\n\t1000 work+0x1 (/bin/prog)\n\t2000 main+0x1 (/bin/prog)\n`).join('\n') + '\n');
  await open(p, makeReport('axis', file), '#view=time');
  const box = await canvas(p), wrong = [];
  let labels = [];
  for (let i = 0; i < 12; i++) {
    labels = await axis();
    const decimals = new Set(labels.filter(t => !t.startsWith('0 ')).map(t => /\.(\d*)/.exec(t)?.[1].length ?? 0)), units = new Set(labels.map(t => t.split(' ')[1]));
    if (labels.length < 2 || new Set(labels).size < labels.length || decimals.size > 1 || units.size > 1) wrong.push(labels.join(', '));
    await p.mouse.move(box.x + box.width * 0.6, box.y + 60);
    await p.mouse.wheel(0, -240);
    await settle(p);
  }
  is(wrong, [], 'labels of the axis differ, in one unit and with one precision, however near');
  ok(/\.\d{3} s$/.test(labels[0]), 'and have the decimals that they need', labels[0]);
});

await test('callers', async () => {
  for (const file of [app, spx, sample('formats/callgrind/good/callgrind.out.cachesim_full.gz')]) {
    const p = await page(b), [costly] = JSON.parse(polyprof('top', '--json', '-q', '-n', '1', file)).functions;
    await open(p, makeReport('callers', file), '#view=sandwich&of=' + encodeURIComponent(costly.name));
    for (const [label, verb] of [['Callers', 'callers'], ['Callees', 'callees']]) {
      const want = JSON.parse(polyprof(verb, '--json', '-q', '-n', '0', costly.name, file)), metric = want.metric ?? Object.keys(costly.self)[0];
      const rows = await p.getByRole('grid', { name: label }).locator('.tbody .tr').evaluateAll(list => list.map(r => [r.querySelector('[data-key=name]').dataset.exact, Number(r.querySelector('[data-key=total]').dataset.exact)]));
      const sums = new Map();
      for (const e of want.edges) sums.set(e.name || '(outside)', (sums.get(e.name || '(outside)') ?? 0) + (e.total?.[metric] ?? 0));
      const got = new Map();
      for (const [name, total] of rows) got.set(name, (got.get(name) ?? 0) + total);
      const wrong = [...sums].filter(([name, total]) => total > 0 && Math.abs((got.get(name) ?? 0) - total) > 1e-9 * total);
      if (!file.includes('callgrind')) is(wrong, [], `${label} of ${costly.name} are those of polyprof ${verb}`);
      else ok(rows.length > 0 || want.edges.length === 0, `${label} of ${costly.name} in a profile of calls`);
    }
  }
  const p = await page(b);
  await open(p, makeReport('single', spx), '#view=sandwich&of=build');
  await p.waitForSelector('.single span');
  ok(/calls one by one: average .*, median .*, minimum .*, maximum /.test(await p.locator('.single').innerText()), 'how long single calls took');
  await p.getByLabel('Beside').selectOption({ label: 'CPU time' });
  await settle(p);
  ok((await p.getByRole('grid', { name: 'Callees' }).getByRole('columnheader').allInnerTexts()).includes('CPU time'), 'a second metric stands beside the first');
});

await test('transforms', async () => {
  const p = await page(b), file = sample('formats/xdebug/good/3.2.0-recursion.xdebug');
  await open(p, makeReport('transforms', file), '#view=top');
  const recursive = 'fib';
  for (const [args, title] of [[['--collapse', '^fib$'], 'Collapse its recursion'], [['--ignore', '^fib$'], 'Drop it'], [['--hide', '^fib$'], 'Merge it'], [['--focus', '^fib$', '--show-from', '^fib$'], 'Focus on its subtree']]) {
    const row = p.locator('.tbody .tr:visible', { has: p.locator(`[data-exact="${recursive}"]`) }).first();
    await row.click({ button: 'right' });
    await p.getByRole('menuitem', { name: title }).click();
    const json = JSON.parse(polyprof('top', '--json', '-q', '-n', '0', ...args, file));
    is(differences(await functions(p), json, json.metric), [], `${title}: the numbers of top ${args.join(' ')}`);
    ok((await p.locator('#command').getAttribute('title')).includes(args[0]), `${title}: the command line has it`);
    const kept = p.url();
    await p.getByRole('button', { name: 'Undo (u)' }).click();
    ok(p.url() !== kept, `${title}: undone`);
  }
});

await test('addresses', async () => {
  const p = await page(b);
  await open(p, makeReport('address-a', app), '#view=flame');
  const box = await canvas(p), some = (await boxes(p)).filter(x => x.w > 150 && x.name !== 'all' && x.name !== 'main')[0];
  await p.mouse.click(box.x + some.x + some.w / 2, box.y + some.y + 8);
  await settle(p);
  const hash = new URL(p.url()).hash;
  ok(hash.includes(encodeURIComponent(some.name).slice(0, 5)), 'the address names the stack', hash);
  // The next recording has other functions before these, so that every number is another.
  const { writeFileSync } = await import('node:fs'), next = join(process.argv[4], 'next.folded');
  writeFileSync(next, Array.from({ length: 40 }, (_, i) => `aaa${i};b 1\n`).join('') + readFileSync(app));
  await open(p, makeReport('address-b', next), hash);
  ok((await p.locator('.crumbs').innerText()).includes(some.name), 'and leads there in the report of the next recording', await p.locator('.crumbs').innerText());
});

await test('for everybody', async () => {
  const axe = readFileSync(createRequire(join(here, 'web', 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');
  for (const [name, files, views = VIEWS] of [['axe-spx', [spx]], ['axe-diff', [app, sample('cli/data/other.folded')]], ['axe-nytprof', [sample('formats/nytprof/good/evals_z_calls2.out')]], ['axe-names', [sample('formats/perf-script/good/cpp.script.txt.gz')], ['overview']]]) {
    const p = await page(b, { bypassCSP: true, viewport: { width: 1280, height: 800 } });
    await open(p, makeReport(name, ...files));
    await p.evaluate(axe);
    for (const [theme, rules] of [['light', null], ['dark', ['color-contrast']]]) {
      const found = [];
      await p.emulateMedia({ colorScheme: theme });
      for (const v of views) {
        await view(p, v);
        const list = await p.evaluate(async only => (await window.axe.run(document, { resultTypes: ['violations'], ...(only && { runOnly: only }) })).violations, rules);
        for (const x of list) if (x.impact === 'serious' || x.impact === 'critical') found.push(`${v}: ${x.id} ${x.nodes[0].html.slice(0, 120)}`);
      }
      is(found, [], `${name}, ${theme}: axe-core finds nothing serious`);
    }
  }
});

await test('for everybody, with something open', async () => {
  const axe = readFileSync(createRequire(join(here, 'web', 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');
  for (const [theme, width] of [['light', 1280], ['dark', 390]]) {
    const p = await page(b, { bypassCSP: true, viewport: { width, height: 844 }, colorScheme: theme }), found = [];
    const look = async where => {
      const list = await p.evaluate(async () => (await window.axe.run(document, { resultTypes: ['violations'] })).violations);
      for (const x of list) if (x.impact === 'serious' || x.impact === 'critical') found.push(`${where}: ${x.id} ${x.nodes[0].html.slice(0, 120)}`);
    };
    await open(p, makeReport('axe-spx', spx), '#view=top');
    await p.evaluate(axe);
    if (width < 760) await p.getByRole('button', { name: 'Controls' }).click();
    await p.evaluate(() => document.activeElement.blur());
    await p.keyboard.press('?');
    await look('help');
    await p.keyboard.press('Escape');
    // Browsers close a dialog in their own time, and keys are its own until then.
    await p.waitForFunction(() => !document.querySelector('dialog[open]'));
    await settle(p);
    await p.keyboard.press('ArrowDown');
    await settle(p);
    await p.keyboard.press('m');
    await p.getByRole('menuitem').first().waitFor();
    await look('menu');
    await p.keyboard.press('Escape');
    await p.getByLabel(/^Search functions/).fill('[(');
    await p.getByLabel('Filter pattern').fill('main');
    await p.getByLabel('Filter pattern').press('Enter');
    await look('a filter, and a search that is no regular expression');
    is(found, [], `${theme}, ${width} pixels: axe-core finds nothing serious in help, menus and filters`);
  }
});

await test('slow hands', async () => {
  const p = await page(b);
  await open(p, makeReport('hands', app), '#view=flame');
  const canvas = p.getByRole('img', { name: 'Flame graph' });
  await canvas.press('ArrowUp');
  await canvas.press('Enter');
  ok(p.url().includes('zoom='), 'zoomed');
  await canvas.dispatchEvent('dblclick');
  await settle(p);
  ok(!p.url().includes('zoom='), 'a double click that is slow resets', p.url());
  await open(p, makeReport('hands', app));
  await p.keyboard.press('ArrowUp');
  await settle(p);
  ok((await p.locator('#details').innerText()).includes('% of all'), 'arrow keys tell in the overview, too', await p.locator('#details').innerText());
});

await b.close();
done();
