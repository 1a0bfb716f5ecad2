// Reports in a browser: node reports.test.mjs POLYPROF ROOT ARTEFACTS
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browser, csv, differences, done, functions, hostileFile, is, makeReport, ok, open, out, page, polyprof, program, sample, saved, settle, shot, test, view } from './kit.mjs';

const SAMPLES = {
  folded: 'cli/data/app.folded', 'diff-folded': 'cli/data/change.diff.folded', spx: 'formats/spx/good/05-memory-allmetrics.json',
  nytprof: 'formats/nytprof/good/evals_z_calls2.out',
  callgrind: 'formats/callgrind/good/callgrind.out.cachesim_full.gz', spaa: 'formats/spaa/good/timeline.spaa', 'perf-script': 'formats/perf-script/good/cpp.script.txt.gz',
};
const VIEWS = ['overview', 'flame', 'time', 'sandwich', 'tree', 'top', 'lines'];
const b = await browser();
const top = (file, ...args) => JSON.parse(polyprof('top', '--json', '-q', '-n', '0', ...args, file));

/** The command line that is shown works. */
async function commandWorks(p, name) {
  const line = (await p.locator('#command').getAttribute('title')).split('\n')[1];
  try {
    execFileSync('sh', ['-c', line.replace(/^polyprof /, () => `'${program}' `)], { cwd: out, stdio: 'pipe' });
    ok(true, `${name}: ${line.replace(/ \/\S*\//g, ' ')}`);
  } catch (error) {
    ok(false, `${name}: ${line}`, error.stderr);
  }
}

async function setFilter(p, kind, pattern) {
  await p.getByLabel('Kind of filter').selectOption(kind);
  await p.getByLabel('Filter pattern').fill(pattern);
  await p.getByLabel('Filter pattern').press('Enter');
}

// ---- every format: numbers equal `top --json`; every view, with mouse and by keys, light and dark, wide and narrow ----
for (const [format, path] of Object.entries(SAMPLES))
  await test(`format ${format}`, async () => {
    const file = sample(path), p = await page(b), json = top(file), info = JSON.parse(polyprof('info', '--json', file));
    const metrics = info.metrics.map(m => m.name), costly = json.functions[0].name, regex = '^' + costly.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') + '$';
    const html = makeReport(format, file);
    await open(p, html);
    for (const [i, metric] of metrics.entries()) {
      if (metrics.length > 1 && format !== 'diff-folded') await p.getByLabel('Metric').selectOption(String(i));
      await settle(p);
      const rows = (await functions(p)).map(r => (metric === 'before' ? { name: r.name, self: r.before, total: r.totalBefore } : r));
      is(differences(rows, json, metric), [], `${format}: functions by ${metric} are those of top --json`);
    }
    if (metrics.length > 1 && format !== 'diff-folded') await p.getByLabel('Metric').selectOption(String(Math.max(0, metrics.indexOf(json.metric))));
    const drawn = {};
    for (const v of VIEWS) {
      await view(p, v);
      const panel = p.locator('#panel > section:visible'), text = await panel.innerText();
      drawn[v] = (await panel.locator('canvas, .card').count()) > 0 || (await panel.locator('.tbody .tr').count()) > 0;
      ok(drawn[v] || /This .* profile/.test(text), `${format}: ${v} shows something or says why not`, text);
      if (drawn[v]) await commandWorks(p, `${format}: the command for ${v}`);
    }

    await view(p, 'top');
    await p.getByLabel(/^Search functions/).fill(regex);
    const names = json.functions.filter(f => f.name === costly).length;
    ok((await p.locator('.found').innerText()).startsWith(`${names} function`), `${format}: search finds ${costly}`, await p.locator('.found').innerText());
    await p.getByLabel(/^Search functions/).press('Escape');

    if (drawn.flame) {
      await view(p, 'flame');
      const box = await p.locator('#panel canvas:visible').boundingBox();
      await p.mouse.click(box.x + box.width * 0.6, box.y + box.height - 18 - 8);
      await settle(p);
      ok(/zoom=/.test(p.url()) && await p.locator('.crumbs').isVisible(), `${format}: a click zooms`, p.url());
      await p.keyboard.press('Escape');
      ok(!/zoom=/.test(p.url()), `${format}: Escape zooms out`);
      await setFilter(p, 'focus', regex);
      is(differences(await functions(p), top(file, '--focus', regex), json.metric), [], `${format}: --focus gives the numbers of top`);
      await p.getByRole('button', { name: 'Undo (u)' }).click();
      is(differences(await functions(p), json, json.metric), [], `${format}: undo brings everything back`);
      // By keys alone: a frame, its sandwich, back, a filter, undo.
      await p.locator('main').focus();
      await p.keyboard.press('2');
      for (const key of ['ArrowUp', 'ArrowUp']) await p.keyboard.press(key);
      const chosen = await p.locator('#details .what').innerText();
      ok(chosen && chosen !== 'all', `${format}: arrows choose a frame`, chosen);
      await p.keyboard.press('s');
      await settle(p);
      ok((await p.locator('.slices h2.of').innerText()).startsWith(chosen), `${format}: s shows its callers and callees`);
      await p.keyboard.press('f');
      await p.keyboard.type('no such function');
      await p.keyboard.press('Enter');
      ok((await p.locator('.chip').count()) === 1, `${format}: f filters`);
      await p.evaluate(() => document.activeElement.blur());
      await p.keyboard.press('u');
      ok((await p.locator('.chip').count()) === 0, `${format}: u undoes it`);
    }
    for (const theme of ['light', 'dark']) {
      if (theme === 'dark') await p.keyboard.press('d');
      is(await p.evaluate(() => document.documentElement.dataset.theme), theme, `${format}: ${theme}`);
      // A desk in the light, a phone in the dark.
      for (const [width, height] of theme === 'light' ? [[1280, 800]] : [[390, 780]]) {
        await p.setViewportSize({ width, height });
        for (const v of VIEWS.filter(x => drawn[x])) {
          await p.evaluate(() => document.activeElement.blur());
          await p.keyboard.press(String(1 + VIEWS.indexOf(v)));
          await settle(p);
          const wide = await p.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
          ok(wide[0] <= 0 && wide[1] <= 0, `${format}: ${v} fits ${width} pixels`, wide.join(' '));
        }
      }
    }
    is(p.complaints, [], `${format}: nothing complained, nothing was loaded`);

    // Compared with itself nothing changes, in every view.
    if (!['folded', 'spx', 'callgrind', 'nytprof'].includes(format)) return;
    const d = await page(b);
    await open(d, makeReport(format + '-itself', file, file));
    is((await functions(d)).filter(r => r.self !== r.before || r.total !== r.totalBefore), [], `${format}: compared with itself nothing changes`);
    for (const v of VIEWS.filter(x => drawn[x])) {
      await view(d, v);
      await commandWorks(d, `${format}: compared`);
    }
    is(d.complaints, [], `${format}: no complaints about that`);
  });

// ---- metrics that fall: shares are of what was gained, so that none exceeds 100 % ----
for (const [name, metric, path] of [['falls-spx', 'zm', 'cli/data/pool.json'], ['falls-xdebug', 'Memory', 'cli/data/memory.xt'], ['falls-xdebug-3.2', 'Memory_(bytes)', 'formats/xdebug/good/3.2.0-exceptions.xdebug'], ['falls-xhprof', 'mu', 'cli/data/run.xhprof.json']])
  await test(name, async () => {
    const file = sample(path), p = await page(b);
    await open(p, makeReport(name, '-m', metric, file));
    const rows = await functions(p), json = top(file, '-m', metric);
    is(differences(rows, json, metric), [], `${name}: functions are those of top --json`);
    ok(rows.every(r => r.gained - r.givenBack === r.self), `${name}: gained less given back is net`, JSON.stringify(rows));
    await view(p, 'tree');
    const [head, all, first] = await csv(p), left = row => Number(row[head.indexOf('Net total')]), { root } = JSON.parse(polyprof('tree', '--json', '-m', metric, file));
    is([left(all), left(first)], [root.total[metric], root.children.find(c => c.name === first[head.indexOf('Function')].trim()).total[metric]], `${name}: what is left in the call tree is what tree --json says`);
    for (const v of ['overview', 'flame', 'tree', 'top', 'sandwich']) {
      await view(p, v);
      for (let i = 0; i < 3; i++) await p.keyboard.press('ArrowDown');
      const shares = (await p.locator('body').innerText()).match(/-?[\d,.]+ ?%/g) ?? [];
      ok((shares.length || v === 'flame') && shares.every(s => parseFloat(s.replace(/,/g, '')) >= 0 && parseFloat(s.replace(/,/g, '')) <= 100), `${name}: no share in ${v} exceeds 100 %`, shares.join(' '));
    }
    await shot(p, name);
    is(p.complaints, [], `${name}: no complaints`);
    await p.context().close();
  });

// ---- filters on any tree: sums that are exact, and sums beyond 2^53, which are rounded ----
await test('filters together', async () => {
  const p = await page(b), kinds = ['focus', 'ignore', 'hide', 'show', 'show-from', 'collapse'];
  let seed = 7;
  const random = n => (seed = (seed * 48271) % 2147483647) % n;
  for (const [name, unit] of [['exact', 1], ['rounded', 1e14]]) {
    const file = join(out, `together-${name}.folded`), wrong = [];
    writeFileSync(file, Array.from({ length: 40 }, () => Array.from({ length: 1 + random(9) }, () => 'f' + random(12)).join(';') + ` ${(1 + random(50)) * unit}\n`).join(''));
    await open(p, makeReport('together-' + name, file), '#view=top');
    for (let i = 0; i < (unit > 1 ? 4 : 9); i++) {
      const filters = Array.from({ length: 1 + random(3) }, () => [kinds[i < 6 ? i : random(6)], `f${random(12)}$|f${random(12)}$`]);
      await p.evaluate(h => void (location.hash = h), new URLSearchParams([['view', 'top'], ...filters]).toString());
      await settle(p);
      const json = JSON.parse(polyprof('top', '--json', '-q', '-n', '0', ...filters.flatMap(([kind, pattern]) => [`--${kind}`, pattern]), file));
      wrong.push(...differences(await functions(p), json, json.metric).map(text => `${filters.join(' ')}: ${text}`));
      await view(p, 'flame');
      const [, ...boxes] = await csv(p), sum = boxes.reduce((a, r) => a + Number(r[3]), 0);
      if (boxes.length && Math.abs(sum - Number(boxes[0][2])) > 1e-9 * sum + 0.5 ) wrong.push(`${filters.join(' ')}: own costs of all frames are ${sum}, not ${boxes[0][2]}`);
    }
    is(wrong, [], `${name}: filters give the numbers of top`);
  }
  is(p.complaints, [], 'no complaints');
});

// ---- memory over time ----
await test('memory over time', async () => {
  const p = await page(b);
  for (const [name, file, what] of [['heaptrack', sample('formats/heaptrack/good/oven.heaptrack'), /level of live bytes/], ['spx', sample('formats/spx/good/04-metrics-order.json'), /level of memory in use/]]) {
    await open(p, makeReport('over-time-' + name, file));
    ok(await p.getByRole('img', { name: what }).count() >= 2, `${name}: the overview has a curve, and the strip of time a line`, String(await p.getByRole('img').evaluateAll(l => l.map(e => e.getAttribute('aria-label')))));
    await view(p, 'time');
    ok(await p.getByRole('img', { name: what }).isVisible(), `${name}: it stays in sight in the order of time`);
  }
  await open(p, makeReport('over-time-heaptrack', sample('formats/heaptrack/good/oven.heaptrack')));
  ok((await p.locator('figcaption').first().innerText()).includes('up to 104 KiB'), 'as high as the peak', String(await p.locator('figcaption').allInnerTexts()));
});

// ---- filters: the same numbers as the command line shown ----
await test('filters', async () => {
  const file = sample('cli/data/app.folded'), p = await page(b);
  await open(p, makeReport('filters', file));
  const cases = [['focus', 'User'], ['ignore', 'Twig'], ['hide', 'dispatch|router'], ['show', 'PDO|Twig'], ['show-from', 'dispatch'], ['focus', '^PDO->query$']];
  for (const [kind, pattern] of cases) {
    await p.getByLabel('Kind of filter').selectOption(kind);
    await p.getByLabel('Filter pattern').fill(pattern);
    await p.getByRole('button', { name: 'Filter', exact: true }).click();
    const json = JSON.parse(polyprof('top', '--json', '-q', '-n', '0', `--${kind}`, pattern, file));
    is(differences(await functions(p), json, json.metric), [], `--${kind} ${pattern} gives the numbers of top`);
    const line = await p.locator('#command').innerText();
    ok(line.startsWith('polyprof top ') && line.includes(`--${kind} `), 'the command line is shown', line);
    await p.getByRole('button', { name: 'Undo (u)' }).click();
  }
  const all = JSON.parse(polyprof('top', '--json', '-n', '0', file));
  is(differences(await functions(p), all, all.metric), [], 'undo brings everything back');
  await p.locator('main').press('U');
  ok((await p.locator('.chip').count()) === 1, 'redo by key');
  await p.locator('main').press('Control+z');
  ok((await p.locator('.chip').count()) === 0, 'undo by key');
  for (const [kind, pattern] of [['hide', 'router'], ['focus', 'User']]) {
    await p.getByLabel('Kind of filter').selectOption(kind);
    await p.getByLabel('Filter pattern').fill(pattern);
    await p.getByLabel('Filter pattern').press('Enter');
  }
  const both = JSON.parse(polyprof('top', '--json', '-q', '-n', '0', '--hide', 'router', '--focus', 'User', file));
  is(differences(await functions(p), both, both.metric), [], 'two filters together');
  await p.reload();
  await p.waitForSelector('html[data-ready]');
  is(differences(await functions(p), both, both.metric), [], 'the address keeps the filters');
  await p.locator('.chip button').first().click();
  ok((await p.locator('.chip').count()) === 1, 'a filter can be taken away alone');
  is(p.complaints, [], 'filters: no complaints');
});

// ---- time ----
for (const [name, path] of [['perf-script', 'formats/perf-script/good/cpp.script.txt.gz'], ['spx', 'formats/spx/good/05-memory-allmetrics.json'], ['spaa', 'formats/spaa/good/timeline.spaa'], ['nytprof', 'formats/nytprof/good/evals_z_calls2.out']])
  await test(`time ${name}`, async () => {
    const file = sample(path), info = JSON.parse(polyprof('info', '--json', file)), p = await page(b);
    ok(info.facets.includes('timeline'), `${name}: the sample knows time`);
    const length = info.time.end - info.time.start, from = Math.round(length * 0.2), to = Math.round(length * 0.7);
    await open(p, makeReport('time-' + name, file), '#view=time');
    await p.getByLabel('Kind of filter').selectOption('time');
    await p.getByLabel('Filter pattern').fill(`${from}ns..${to}ns`);
    await p.getByLabel('Filter pattern').press('Enter');
    const json = JSON.parse(polyprof('top', '--json', '-q', '-n', '0', '--time', `${from}ns..${to}ns`, file));
    for (const [i, m] of info.metrics.entries()) {
      if (info.metrics.length > 1) await p.getByLabel('Metric').selectOption(String(i));
      is(differences(await functions(p), json, m.name), [], `${name}: a range of time gives the ${m.name} of top --time`);
    }
    await view(p, 'time');
    const strip = await p.locator('.overview canvas').boundingBox();
    await p.mouse.move(strip.x + strip.width * 0.25, strip.y + 20);
    await p.mouse.down();
    await p.mouse.move(strip.x + strip.width * 0.5, strip.y + 20, { steps: 4 });
    await p.mouse.up();
    ok(/time .* – /.test(await p.locator('.chip').last().innerText()), `${name}: dragging over the strip chooses a range`);
    await p.locator('.overview canvas').dblclick();
    ok((await p.locator('.chip').count()) === 0, `${name}: double click ends it`);
    is(p.complaints, [], `${name}: time: no complaints`);
  });

// ---- source lines, where frames know theirs ----
await test('lines', async () => {
  const file = sample('formats/spaa/good/timeline.spaa'), p = await page(b);
  await open(p, makeReport('lines', file), '#view=lines');
  const cases = [[[], ''], [['--time', '10ms..30ms'], 'time'], [['--focus', 'boil|json'], 'focus'], [['--ignore', 'heat'], 'ignore'], [['--thread', '101'], 'thread'], [['--focus', 'boil', '--time', '20ms..60ms'], 'both']];
  for (const [args, what] of cases) {
    for (let i = 0; i < args.length; i += 2) {
      if (args[i] === '--thread') await p.getByLabel('Thread').selectOption({ label: 'main/worker-1' });
      else await setFilter(p, args[i].slice(2), args[i + 1]);
    }
    await settle(p);
    const [, ...rows] = (await saved(p, 'CSV')).toString().trim().split('\r\n').map(line => line.split(','));
    const want = JSON.parse(polyprof('lines', '--json', '-q', '-n', '0', ...args, file)).lines;
    is(rows.map(r => [r[r.length - 1], Number(r[0])]).sort(), want.map(l => [`${l.file}:${l.line}`, l.cost.period]).filter(l => l[1]).sort(), `lines ${what}: those of polyprof lines ${args.join(' ')}`);
    for (let i = 0; i < args.length; i += 2) await p.getByRole('button', { name: 'Undo (u)' }).click();
  }
  is(p.complaints, [], 'lines: no complaints');
});

// ---- the source: whole files, costs, and ways from functions to lines and back ----
await test('source', async () => {
  const file = sample('formats/nytprof/good/evals_z_calls2.out'), p = await page(b), html = makeReport('source', file), script = '/srv/sample/nytprof/scripts/evals.pl';
  const want = JSON.parse(polyprof('lines', '--json', '-q', '-n', '0', file)).lines, mine = want.filter(l => l.file === script), row = line => p.locator('.tbody .tr', { has: p.locator(`[data-key=place][data-exact="${line}"]`) });
  await open(p, html, '#view=lines');
  const [, shares] = /([\d.]+)%/.exec(polyprof('lines', '-n', '1', file));
  ok((await p.locator('.tbody [data-key="cost%"]').first().innerText()).startsWith(shares), 'the share of a line is that of polyprof lines', shares);
  await p.locator('.tbody [data-key=place] button', { hasText: 'evals.pl:12' }).first().click();
  await settle(p);
  ok(/file=.*evals\.pl/.test(p.url()) && /line=12/.test(p.url()), 'a line leads to its file', p.url());
  ok(await row(12).evaluate(e => e.classList.contains('selected')), 'which opens there');
  const [head, ...rows] = await csv(p), at = name => head.indexOf(name);
  is(rows.map(r => Number(r[at('Line')])), Array.from({ length: rows.length }, (_, i) => i + 1), 'all of its lines are there');
  is(rows.filter(r => r[at('Cost')] && Number(r[at('Cost')])).map(r => [Number(r[at('Line')]), Number(r[at('Cost')])]), mine.map(l => [l.line, Object.values(l.cost)[0]]).filter(l => l[1]).sort((x, y) => x[0] - y[0]), 'each with its cost');
  ok(rows[10][at('Source')].includes('for @subs'), 'and its text', rows[10].join());
  const said = await p.locator('.tr.says').allInnerTexts();
  ok(said.some(t => /main::nest.*total .*, self .*, 4 calls/.test(t)) && said.some(t => /1 call from .*main::RUNTIME at evals.pl:13/s.test(t)) && said.some(t => /1 call to .*main::nest/s.test(t)), 'who begins, calls and is called there', said.join('\n'));
  await p.locator('.tr.says', { hasText: '1 call from' }).first().getByRole('button').click();
  await settle(p);
  ok(await row(13).evaluate(e => e.classList.contains('selected')), 'from a function to where it is called');
  await p.locator('.tr.says', { hasText: 'total' }).getByRole('button', { name: 'Callers and callees of main::nest' }).click();
  await settle(p);
  ok((await p.locator('.slices h2.of').innerText()).startsWith('main::nest'), 'from a line to the callers and callees of its function');
  await p.getByRole('button', { name: 'Source: Its source' }).or(p.getByRole('button', { name: 'Its source' })).first().click();
  await settle(p);
  ok(await row(12).evaluate(e => e.classList.contains('selected')), 'and back to its source');
  await p.reload();
  await p.waitForSelector('html[data-ready]');
  await settle(p);
  ok(await row(12).evaluate(e => e.classList.contains('selected')), 'the address keeps file and line');
  // Without the text: what is known, and how to get it.
  const dir = join(out, 'sources');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(out, 'tiny.callgrind'), 'version: 1\nevents: Ir\nfl=tiny.c\nfn=main\n2 5\ncfn=work\ncalls=1 7\n3 100\nfn=work\n7 60\n8 40\n');
  writeFileSync(join(dir, 'tiny.c'), 'int main(void)\n{\n\twork();\n}\n\nvoid\nwork(void)\n{ spin(); }\n');
  await open(p, makeReport('no-source', join(out, 'tiny.callgrind')), '#view=lines&file=tiny.c');
  ok(/polyprof report --source DIR .*tiny.callgrind/.test(await p.locator('.note:visible').innerText()), 'without its text: how to get it', await p.locator('.note:visible').innerText());
  is((await csv(p)).slice(1).map(r => r[2]), ['2', '3', '7', '8'], 'and the lines that are known of');
  await open(p, makeReport('with-source', '--source', dir, join(out, 'tiny.callgrind')), '#view=lines&file=tiny.c');
  is((await csv(p)).slice(1).map(r => r[3]), ['int main(void)', '{', '\twork();', '}', '', 'void', 'work(void)', '{ spin(); }'].map(t => (t.startsWith('\t') ? "'" + t : t)), 'with it: the whole file');
  is(p.complaints, [], 'source: no complaints');
});

// ---- threads and events ----
await test('threads', async () => {
  const file = sample('formats/spaa/good/threads.spaa'), p = await page(b);
  await open(p, makeReport('threads', file));
  const picker = p.getByLabel('Thread');
  ok((await picker.count()) === 1, 'threads can be chosen');
  {
    const options = (await picker.locator('option').evaluateAll(list => list.map(o => o.value))).filter(Boolean);
    await picker.selectOption(options[0]);
    const line = await p.locator('#command').innerText(), word = /--thread (\S+)/.exec(line)[1];
    const json = JSON.parse(polyprof('top', '--json', '-q', '-n', '0', '--thread', word.replace(/'/g, ''), file));
    is(differences(await functions(p), json, json.metric), [], `--thread ${word} gives the numbers of top`);
  }
});

await test('events', async () => {
  const file = sample('formats/spaa/good/two-events.spaa'), p = await page(b), info = JSON.parse(polyprof('info', '--json', file));
  await open(p, makeReport('events', file));
  const names = info.metrics.map((m, i) => [i, m.event]), json = top(file);
  for (const [i, event] of names) {
    await p.getByLabel('Metric').selectOption(String(i));
    const key = Object.keys(json.functions[0].self)[i];
    is(differences(await functions(p), json, key), [], `${key}: the numbers of top`);
    await p.getByLabel('Event').selectOption(event);
    is(differences(await functions(p), top(file, '--event', event), Object.keys(top(file, '--event', event).functions[0].self)[0]), [], `--event ${event} gives the numbers of top`);
    await commandWorks(p, 'events');
    await p.getByRole('button', { name: 'Undo (u)' }).click();
  }
  is(p.complaints, [], 'events: no complaints');
});

// ---- looking about: search, zoom, keys, address ----
await test('looking', async () => {
  const p = await page(b), file = makeReport('looking', sample('cli/data/app.folded'));
  await open(p, file, '#view=flame');
  await p.getByLabel(/^Search functions/).fill('pdo');
  ok(/^2 functions, /.test(await p.locator('.found').innerText()), 'search counts functions and their share', await p.locator('.found').innerText());
  await p.locator('#case').click();
  ok(/^0 functions/.test(await p.locator('.found').innerText()), 'and minds case when told');
  await p.locator('#case').click();
  await p.getByLabel(/^Search functions/).press('Enter');
  ok(/PDO/.test(await p.locator('#details .what').innerText()), 'Enter goes to a match');
  await shot(p, 'search');
  await p.getByLabel(/^Search functions/).fill('(');
  ok(/^0 functions.*as text/.test(await p.locator('.found').innerText()), 'what is no regular expression is searched as it is, and that is said', await p.locator('.found').innerText());
  await p.getByLabel(/^Search functions/).fill('.');
  ok(/^\d+ functions, 100%$/.test(await p.locator('.found').innerText()), 'nested matches count once', await p.locator('.found').innerText());
  await setFilter(p, 'ignore', 'show(');
  await commandWorks(p, 'a filter that is no regular expression is taken as text');
  await p.keyboard.press('Escape');
  await p.getByRole('button', { name: 'Undo (u)' }).click();
  await p.getByLabel(/^Search functions/).focus();
  await p.getByLabel(/^Search functions/).press('Escape');
  const box = await p.locator('#panel canvas:visible').boundingBox();
  await p.mouse.click(box.x + 300, box.y + box.height - 18 * 4 - 8);
  await settle(p);
  ok(/UserController/.test(await p.locator('.crumbs').innerText()), 'a click zooms', await p.locator('.crumbs').innerText());
  ok(/zoom=/.test(p.url()), 'the address knows');
  await shot(p, 'zoomed');
  await p.goBack();
  ok(!/zoom=/.test(p.url()) && !(await p.locator('.crumbs').isVisible()), 'back zooms out');
  await p.goForward();
  ok(await p.locator('.crumbs').isVisible(), 'forward zooms in');
  await p.reload();
  await p.waitForSelector('html[data-ready]');
  ok(/UserController/.test(await p.locator('.crumbs').innerText()), 'a reload stays there');
  await p.getByRole('button', { name: 'Reset zoom' }).or(p.getByRole('button', { name: 'Zoom out to all (Escape)' })).first().click();
  await p.mouse.click(box.x + 300, box.y + box.height - 18 * 3 - 8, { button: 'right' });
  ok(await p.getByRole('menuitem', { name: 'Callers and callees' }).isVisible(), 'a right click opens the menu');
  await p.getByRole('menuitem', { name: 'Callers and callees' }).click();
  ok(/dispatch/.test(await p.locator('.slices h2.of').innerText()), 'the sandwich of that function');
  await shot(p, 'sandwich');
  is(p.complaints, [], 'looking: no complaints');
});

await test('keys', async () => {
  const p = await page(b, { colorScheme: 'dark' }), file = makeReport('keys', sample('cli/data/app.folded'));
  await open(p, file);
  is(await p.evaluate(() => document.documentElement.dataset.theme), 'dark', 'dark where the system is dark');
  await shot(p, 'dark-overview');
  await p.keyboard.press('d');
  is(await p.evaluate(() => document.documentElement.dataset.theme), 'light', 'd makes it light');
  await p.keyboard.press('2');
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight', 'ArrowUp']) await p.keyboard.press(key);
  const what = await p.locator('#details .what').innerText();
  ok(what !== 'all' && what !== '', 'arrows move about', what);
  await p.keyboard.press('Enter');
  await settle(p);
  ok(await p.locator('.crumbs').isVisible(), 'Enter zooms');
  await p.keyboard.press('Escape');
  await p.keyboard.press('6');
  await p.keyboard.press('ArrowDown');
  await p.keyboard.press('ArrowDown');
  ok((await p.locator('.tr.selected').count()) === 1, 'rows by key');
  const name = await p.locator('#details .what').innerText();
  await p.keyboard.press('Enter');
  ok((await p.locator('.slices h2.of').innerText()).startsWith(name), 'Enter opens the sandwich');
  await p.keyboard.press('5');
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'h']) await p.keyboard.press(key);
  ok((await p.locator('[role=treegrid] [aria-expanded=true]').count()) > 2, 'the tree unfolds by key');
  await p.keyboard.press('?');
  ok(await p.getByRole('dialog').isVisible() && await p.getByRole('dialog').evaluate(d => d.scrollTop) === 0, '? shows the keys, from the top');
  await shot(p, 'help');
  await p.keyboard.press('Escape');
  await p.waitForFunction(() => !document.querySelector('dialog[open]'));
  ok((await p.getByRole('dialog').count()) === 0, 'Escape ends it');
  await p.keyboard.press('/');
  await p.keyboard.type('twig');
  ok(/functions/.test(await p.locator('.found').innerText()), '/ searches');
  await p.keyboard.press('Escape');
  await p.keyboard.press('f');
  await p.keyboard.type('PDO');
  await p.keyboard.press('Enter');
  ok((await p.locator('.chip').count()) === 1, 'f filters');
  const nameless = await p.evaluate(() => [...document.querySelectorAll('button, input, select, canvas, [role=grid], [role=treegrid]')]
    .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label'))).map(e => e.outerHTML));
  is(nameless, [], 'everything that can be used has a name for screen readers');
  is(p.complaints, [], 'keys: no complaints');
});

// ---- two profiles ----
await test('diff', async () => {
  const before = sample('cli/data/app.folded'), after = sample('cli/data/other.folded'), p = await page(b);
  await open(p, makeReport('diff', before, after));
  ok(/1,047 → 142 samples · 16 → 7 functions/.test(await p.locator('.sub').innerText()), 'the heading tells of both', await p.locator('.sub').innerText());
  await shot(p, 'diff-flame');
  const rows = await functions(p);
  await shot(p, 'diff-top');
  for (const [file, self, total] of [[before, 'before', 'totalBefore'], [after, 'self', 'total']]) {
    const json = JSON.parse(polyprof('top', '--json', '-n', '0', file));
    is(differences(rows.map(r => ({ name: r.name, self: r[self], total: r[total] })), json, json.metric, false), [], `${self}: the numbers of top`);
  }
  const diff = JSON.parse(polyprof('diff', '--json', '-n', '0', before, after)), byName = new Map(rows.map(r => [r.name, r]));
  is(diff.functions.filter(f => {
    const r = byName.get(f.name);
    return !r || r.self - r.before !== f.delta.self || r.total - r.totalBefore !== f.delta.total;
  }).map(f => f.name), [], 'changes are those of diff --json');
  await view(p, 'flame');
  await commandWorks(p, 'diff');
  await p.getByRole('button', { name: /Scale the second profile/ }).click();
  await commandWorks(p, 'diff');
  await p.keyboard.press('u');
  await view(p, 'tree');
  await commandWorks(p, 'diff');
  await shot(p, 'diff-tree');
  await view(p, 'sandwich');
  await shot(p, 'diff-sandwich');
  is(p.complaints, [], 'diff: no complaints');
});

// ---- verdicts: those of diff --json, for every rule ----
await test('verdicts', async () => {
  const p = await page(b), pairs = [['samples', sample('cli/data/app.folded'), sample('cli/data/other.folded')], ['a differential file', sample('cli/data/change.diff.folded')],
    ['single runs', sample('formats/spx/good/04-closures-builtins.json'), sample('formats/spx/good/05-closures-builtins.json')], ['weighted samples', sample('formats/perf-script/good/fp.header.txt.gz'), sample('formats/perf-script/good/dwarf.script.txt.gz')],
    ['exact counts', sample('formats/callgrind/good/callgrind.out.rec.gz'), sample('formats/callgrind/good/callgrind.out.stale_no.gz')]];
  for (const [what, ...files] of pairs) {
    await open(p, makeReport('verdicts', ...files), '#view=top');
    const [head, ...rows] = (await csv(p)), at = name => head.indexOf(name), got = rows.map(r => [r[at('Function')], r[at('Verdict')], r[at('Total verdict')]].join(' ')).sort();
    const want = JSON.parse(polyprof('diff', '--json', '-q', '-n', '0', ...files)).functions.map(f => [f.name, f.status, f.status_total].join(' ')).sort();
    is(got, want, `${what}: the verdicts of diff --json`);
  }
  await open(p, makeReport('verdicts', ...pairs[0].slice(1)), '#view=flame');
  const svg = (await saved(p, 'SVG')).toString(), fill = name => new RegExp(`<title>${name} [^<]*</title><rect [^>]*fill="(#\\w+)"`).exec(svg)[1];
  const drawn = polyprof('flame', '-q', ...pairs[0].slice(1), '-o', '-'), colour = name => new RegExp(`<title>${name} [^<]*</title><rect [^>]*fill="(#\\w+)"`).exec(drawn)[1];
  const names = ['include', 'session_start', 'match', 'main', 'htmlspecialchars'];
  is(names.map(fill), names.map(colour), 'the colours of polyprof flame');
  is([fill('include'), fill('main')], ['#e6e6ea', '#e6e6ea'], 'noise is grey');
  is(await p.getByRole('list', { name: 'Legend' }).locator('li').allInnerTexts(), ['less', 'same or noise', 'more'], 'and has its place in the legend');
  is(p.complaints, [], 'verdicts: no complaints');
});

// ---- what is saved ----
await test('saving', async () => {
  let p = await page(b);
  await open(p, makeReport('saving', sample('cli/data/app.folded')), '#view=flame');
  const svg = (await saved(p, 'SVG')).toString();
  const wrong = await p.evaluate(text => new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror')?.textContent ?? '', svg);
  ok(!wrong && svg.includes('UserRepository-&#62;find'), 'the SVG is well-formed and holds the names', wrong);
  ok(/>app\.folded</.test(svg) && />1,047 samples</.test(svg) && />PDO</.test(svg) || />no module known</.test(svg), 'and tells the file, the metric and what the colours mean', svg.slice(0, 900));
  const png = await saved(p, 'PNG');
  ok(png.length > 5000 && png.subarray(1, 4).toString() === 'PNG', 'the PNG is one');
  ok((await saved(p, 'CSV')).toString().startsWith('depth,function,total,self'), 'and CSV');
  p = await page(b);
  await open(p, makeReport('saving-time', sample('formats/spaa/good/timeline.spaa')));
  for (const v of ['flame', 'time', 'sandwich']) {
    await view(p, v);
    if (v === 'sandwich') await p.getByRole('button', { name: /^Callers and callees as flame graphs/ }).click();
    const [drawn, picture, text] = [(await saved(p, 'SVG')).toString(), await saved(p, 'PNG'), (await saved(p, 'CSV')).toString()];
    is(await p.evaluate(t => new DOMParser().parseFromString(t, 'image/svg+xml').querySelectorAll('parsererror').length, drawn), 0, `${v}: the SVG is well-formed`);
    ok(/<title>heat \(/.test(drawn) && picture.length > 3000 && picture.subarray(1, 4).toString() === 'PNG' && /,(heat|boil)/.test(text), `${v}: all three hold what is shown`, text.slice(0, 300));
  }
  is(p.complaints, [], 'saving pictures: no complaints');
  p = await page(b);
  await open(p, makeReport('saving-time', sample('formats/spaa/good/timeline.spaa')));
  for (const v of ['tree', 'top', 'lines']) {
    await view(p, v);
    ok((await saved(p, 'CSV')).toString().split('\r\n').length > 3, `${v}: CSV`);
  }
  await p.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await p.evaluate(() => document.activeElement.blur());
  await p.keyboard.press('2');
  for (let i = 0; i < 4; i++) await p.keyboard.press('ArrowUp');
  const chosen = await p.locator('#details .what').innerText(), clipboard = () => p.evaluate(() => navigator.clipboard.readText());
  await p.keyboard.press('c');
  await settle(p);
  is(await clipboard(), chosen, 'c copies the name');
  await p.keyboard.press('C');
  await settle(p);
  is(await clipboard(), 'worker;handle;boil;' + chosen, 'C copies the stack');
  is(p.complaints, [], 'saving: no complaints');
});

// ---- paper ----
await test('printing', async () => {
  const p = await page(b, { colorScheme: 'dark' });
  await open(p, makeReport('printing', sample('formats/callgrind/good/callgrind.out.cachesim_full.gz')), '#view=top');
  const [rows] = /\d+/.exec(await p.locator('.note:visible').first().innerText());
  const set = async on => {
    await p.emulateMedia({ media: on ? 'print' : 'screen', colorScheme: 'dark' });
    await p.evaluate(name => window.dispatchEvent(new Event(name)), on ? 'beforeprint' : 'afterprint');
    await settle(p);
  };
  await set(true);
  is(await p.locator('.tbody:visible .tr').count(), Number(rows), 'all rows are on paper');
  is(await p.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)', 'paper is white');
  await p.screenshot({ path: join(out, 'print-top.png'), fullPage: true });
  await set(false);
  ok((await p.locator('.tbody:visible .tr').count()) < Number(rows), 'and not on the screen');
  await view(p, 'flame');
  const corner = () => p.evaluate(() => {
    const c = document.querySelector('#panel > section:not([hidden]) canvas'), d = c.getContext('2d').getImageData(c.width - 2, 2, 1, 1).data;
    return [d[0], d[1], d[2]];
  });
  await set(true);
  is(await corner(), [255, 255, 255], 'nor is the picture dark');
  await p.screenshot({ path: join(out, 'print-flame.png'), fullPage: true });
  await set(false);
  ok((await corner())[0] < 60, 'until it is back on the screen');
  is(p.complaints, [], 'printing: no complaints');
});

// ---- hostile names ----
await test('hostile', async () => {
  const file = hostileFile('hostile');
  const p = await page(b), json = JSON.parse(polyprof('top', '--json', '-q', '-n', '0', file));
  await open(p, makeReport('hostile', file));
  for (const v of VIEWS) {
    await view(p, v);
    const box = await p.evaluate(() => [document.documentElement.scrollWidth, innerWidth, document.documentElement.scrollHeight, innerHeight]);
    ok(box[0] <= box[1] && box[2] <= box[3], `hostile: ${v} keeps its layout`, box.join(' '));
  }
  const rows = await functions(p), long = f => f.name.length < 16000;
  is(differences(rows.filter(long), { functions: json.functions.filter(long) }, json.metric), [], 'hostile: all names are there');
  const text = await p.evaluate(() => document.body.innerText);
  ok(!/[\u202a-\u202e\u2066-\u2069\u200b\u001b\u0000]/.test(text), 'hostile: nothing that swaps or hides text is shown');
  ok(text.includes('</script><script>window.broken=1</script>'), 'hostile: markup is shown as text');
  ok(!(await p.evaluate(() => window.broken)), 'hostile: nothing of it ran');
  await shot(p, 'hostile');
  const svg = (await view(p, 'flame'), await saved(p, 'SVG')).toString();
  is(await p.evaluate(t => new DOMParser().parseFromString(t, 'image/svg+xml').querySelectorAll('parsererror, script, img').length, svg), 0, 'hostile: the saved SVG is well-formed and holds no script');
  is(p.complaints, [], 'hostile: no complaints');
});

// ---- profiles at the edge ----
await test('edges', async () => {
  const p = await page(b), folded = (name, text) => (writeFileSync(join(out, name + '.folded'), text), join(out, name + '.folded'));
  const cases = [
    ['empty', '', /This profile is empty/], ['zero', 'main;a 0\nmain;b 0\n', /Everything costs 0/], ['one', 'main 1\n', /1 sample/],
    ['deep', Array.from({ length: 5000 }, (_, i) => 'f' + i).join(';') + ' 7\n', /5,000 functions/], ['wide', Array.from({ length: 50000 }, (_, i) => `main;child_${i} ${1 + (i % 7)}\n`).join(''), /50,001 functions/],
    ['huge', 'main;a 9223372036854775807\nmain;b 9223372036854775807\n', /18\.4 E samples/], ['long', `main;${'x'.repeat(1 << 20)} 5\nmain;y 1\n`, /1 note/],
  ];
  for (const [name, text, says] of cases) {
    await open(p, makeReport('edge-' + name, folded('edge-' + name, text)));
    const said = await p.locator('body').innerText();
    ok(says.test(said), `${name}: ${says.source}`, said.slice(0, 400));
    for (const v of VIEWS) {
      await view(p, v);
      const over = await p.evaluate(() => [document.documentElement.scrollWidth > innerWidth, document.documentElement.scrollHeight > innerHeight]);
      if (over.some(Boolean)) ok(false, `${name}: ${v} keeps its layout`);
    }
  }
  await open(p, makeReport('edge-strangers', folded('edge-a', 'aa;bb 5\n'), folded('edge-b', 'cc;dd 7\n')));
  is((await functions(p)).map(r => [r.name, r.totalBefore, r.total]).sort(), [['aa', 5, 0], ['bb', 5, 0], ['cc', 0, 7], ['dd', 0, 7]], 'two profiles with nothing in common');
  is(p.complaints, [], 'edges: no complaints');
});

// ---- addresses that nobody would write ----
await test('address', async () => {
  const p = await page(b), html = makeReport('address', sample('formats/spaa/good/timeline.spaa')), far = '9'.repeat(400);
  for (const hash of ['#%', '#view=__proto__&metric=-1&zoom=1.2.x&of=1e9', '#search=%28%5B&case=0&focus=%28&hide=%5B&view=top', `#time=${far}..-1&thread=nobody&event=nothing`, `#time=0..${far}&sort=__proto__&view=top`, '#time=NaN..NaN&theme=pink&icicle=maybe',
    '#search=' + encodeURIComponent('</script><img src=x onerror=window.broken=1>'), '#zoom=' + '1.'.repeat(5000) + '1', '#focus=' + 'a'.repeat(30000), '#zoom=99999999999&view=sandwich&of=NaN', '#' + encodeURIComponent('\u202e\u0000')]) {
    await open(p, html, hash);
    for (const v of ['flame', 'time', 'top']) await view(p, v);
    const wide = await p.evaluate(() => [document.documentElement.scrollWidth > innerWidth, !!window.broken]);
    is([...wide, p.complaints], [false, false, []], `the address ${hash.slice(0, 50)} does no harm`);
  }
  await open(p, html, '#search=heat&case=0&view=flame&icicle=0&theme=dark');
  const set = await p.evaluate(() => [document.querySelector('input[type=search]').value, document.getElementById('case').getAttribute('aria-pressed'), document.documentElement.dataset.theme]);
  is(set, ['heat', 'true', 'dark'], 'an address brings back search, case and theme');
});

await test('scripts off', async () => {
  const p = await page(b, { javaScriptEnabled: false });
  await p.goto(String(pathToFileURL(makeReport('scripts-off', sample('formats/spaa/good/timeline.spaa')))));
  ok(/Scripts are switched off here/.test(await p.locator('body').innerText()), 'without scripts the page says what it needs');
});

// ---- the policy ----
await test('policy', async () => {
  const p = await page(b);
  await open(p, makeReport('policy', sample('cli/data/app.folded')));
  const blocked = await p.evaluate(async () => {
    const seen = [];
    document.addEventListener('securitypolicyviolation', e => seen.push(e.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.broken = 1';
    document.body.append(script);
    const style = document.createElement('style');
    style.textContent = 'body { display: none }';
    document.body.append(style);
    await fetch('data:text/plain,x').catch(() => seen.push('fetch'));
    await new Promise(r => setTimeout(r, 50));
    return { seen, ran: window.broken ?? 0 };
  });
  ok(!blocked.ran && blocked.seen.some(d => d.startsWith('script')) && blocked.seen.some(d => d.startsWith('style')) && blocked.seen.includes('fetch'),
    'the policy stops scripts, styles and loading', JSON.stringify(blocked));
});

// ---- the command ----
await test('command', async () => {
  const p = await page(b);
  await open(p, makeReport('title', '--title', '</title><script>window.broken=1</script>', sample('cli/data/app.folded')));
  ok((await p.title()).startsWith('</title><script>') && !(await p.evaluate(() => window.broken)), 'a title is text');
  const filtered = makeReport('filtered', '--focus', 'User', sample('cli/data/app.folded')), json = JSON.parse(polyprof('top', '--json', '-q', '-n', '0', '--focus', 'User', sample('cli/data/app.folded')));
  await open(p, filtered);
  is(differences(await functions(p), json, json.metric), [], 'report --focus holds what top --focus lists');
  const store = join(out, 'two.ppdb');
  polyprof('store', 'add', store, '--label', "team=a b", sample('cli/data/app.folded'), sample('formats/folded/good/basic.folded'));
  await open(p, makeReport('store', store, '--where', 'team="a b"'));
  is((await p.locator('#command').getAttribute('title')).split('\n')[1], `polyprof ${store} --where 'team="a b"'`, 'the command of a store names it and what was selected');
  await commandWorks(p, 'store');
  const failed = (...args) => {
    try {
      polyprof('report', ...args);
      return 'worked';
    } catch (error) {
      return error.status;
    }
  };
  is(failed('--max-size', '10K', sample('cli/data/app.folded'), '-o', join(out, 'none.html')), 4, 'a size too small for anything is said');
  ok(!existsSync(join(out, 'none.html')), 'and leaves no file');
  is(failed(sample('cli/data/mystery.bin')), 3, 'what is no profile is said');
  is(p.complaints, [], 'command: no complaints');
});

// ---- size ----
await test('size', async () => {
  const file = join(out, 'large.folded'), lines = [];
  let seed = 1;
  const random = n => (seed = (seed * 48271) % 2147483647) % n;
  for (let i = 0; i < 60000; i++) lines.push(['main', ...Array.from({ length: 3 + random(12) }, () => 'function_number_' + random(4000))].join(';') + ' ' + (1 + random(1000)));
  writeFileSync(file, lines.join('\n') + '\n');
  const html = join(out, 'small.html'), p = await page(b);
  polyprof('report', '-q', '--max-size', '600K', file, '-o', html);
  const { size } = statSync(html);
  ok(size <= 600 * 1024 && size > 300 * 1024, '--max-size holds and is used', String(size));
  await open(p, html);
  const total = JSON.parse(polyprof('top', '--json', '-n', '1', file)).total;
  is(await p.locator('#details .numbers').getAttribute('title'), total.toLocaleString('en') + ' samples', 'the total is that of the whole');
  await p.locator('.notes summary').click();
  ok(/summed up/.test(await p.locator('.notes').innerText()), 'and it is said what was summed up');
  await p.locator('h1').click();
  await view(p, 'tree');
  await p.locator('.tr:visible').nth(3).click();
  await p.getByRole('treegrid').press('ArrowRight');
  await settle(p);
  ok(/\(\d+ more\)/.test((await saved(p, 'CSV')).toString()), 'as (n more)');
  await shot(p, 'pruned-tree');
  is(p.complaints, [], 'size: no complaints');
});

await test('files of several programs', async () => {
  const p = await page(b), files = ['cpuprofile/good/oven.cpuprofile.gz', 'xdebug/good/3.2.0-recursion.xdebug', 'nytprof/good/modules.out'].map(f => sample('formats', f));
  await open(p, makeReport('programs', ...files));
  is(await p.locator('h1').innerText(), 'oven.cpuprofile.gz and 2 more', 'the heading names the first and counts the others');
  is(await p.locator('h1').getAttribute('title'), files.join('\n'), 'all are named behind it');
  ok(/^3 files added up · /.test(await p.locator('.sub').innerText()), 'none passes for the format of all', await p.locator('.sub').innerText());
  is(p.complaints, [], 'several programs: no complaints');
});

await b.close();
done();
