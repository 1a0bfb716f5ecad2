// The eight main views at three sizes, light and dark: node views.test.mjs POLYPROF ROOT ARTEFACTS
//
// The pictures are for people to look at; what a program can see of them is tested here: nothing is wider than the
// window, no button, heading or number is cut, and on a phone the controls leave room for what is shown.
import { browser, done, is, makeReport, ok, open, page, polyprof, sample, settle, shot, test, view } from './kit.mjs';

const b = await browser();
const SIZES = [[1440, 900], [1280, 720], [390, 844]];
const main = sample('formats/perf-script/good/cpp.script.txt.gz'), lines = sample('formats/nytprof/good/evals_z_calls2.out'), two = [sample('cli/data/app.folded'), sample('cli/data/other.folded')];
const REPORTS = [[makeReport('views', main), ['overview', 'flame', 'time', 'sandwich', 'tree', 'top']], [makeReport('views-lines', lines), ['lines']], [makeReport('views-diff', ...two), ['top']]];

/** What is cut although it must not be. */
const cut = p => p.evaluate(() => [...document.querySelectorAll('button:not(.link), .th, .td.number, table.plain .number, h2:not(.of), summary, .tabs button')]
  .filter(e => e.checkVisibility() && !e.closest('.crumbs') && (e.scrollWidth > e.clientWidth + 1 || [...e.children].some(c => c.scrollWidth > c.clientWidth + 1 && getComputedStyle(c).overflow === 'hidden')))
  .map(e => e.textContent.slice(0, 40)));

/** What is out of line: headings beyond their column, places without their number, callers and callees with other columns. */
const astray = p => p.evaluate(() => {
  const bad = [], inner = e => { const r = e.getBoundingClientRect(), s = getComputedStyle(e); return [r.left + parseFloat(s.paddingLeft) - 1, r.right - parseFloat(s.paddingRight) + 1]; };
  for (const th of document.querySelectorAll('.th')) {
    const range = document.createRange(), [left, right] = inner(th);
    range.selectNodeContents(th);
    const r = range.getBoundingClientRect();
    if (th.checkVisibility() && r.width && (r.left < left || r.right > right)) bad.push(th.textContent);
  }
  for (const link of document.querySelectorAll('.td[data-key=place] button.link'))
    if (!/:\d+$/.test(link.textContent) || link.scrollWidth > link.clientWidth) bad.push(link.textContent);
  const [callers, callees] = ['Callers', 'Callees'].map(n => [...document.querySelectorAll(`[aria-label=${n}] .th`)].map(e => Math.round(e.getBoundingClientRect().left)));
  if (callers.length === callees.length && String(callers) !== String(callees)) bad.push(`${callers} beside ${callees}`);
  if (/\u2026\u2026/.test(document.body.innerText)) bad.push('two ellipses');
  return bad;
});

for (const [width, height] of SIZES)
  await test(`${width}x${height}`, async () => {
    const p = await page(b, { viewport: { width, height } }), found = [], wide = [];
    let top = 0;
    for (const [html, names] of REPORTS) {
      await p.emulateMedia({ colorScheme: 'light' });
      await open(p, html);
      for (const name of names) {
        await view(p, name);
        const called = `${html.includes('diff') ? 'diff' : name}-${width}`;
        for (const colorScheme of ['light', 'dark']) {
          await p.emulateMedia({ colorScheme });
          await shot(p, `view-${called}-${colorScheme}`);
        }
        found.push(...[...await cut(p), ...await astray(p)].map(text => `${called}: ${text}`));
        if (await p.evaluate(() => document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight)) wide.push(called);
        top = Math.max(top, await p.evaluate(() => document.getElementById('panel').getBoundingClientRect().top));
      }
    }
    is(found, [], `${width}x${height}: nothing is cut`);
    is(wide, [], `${width}x${height}: everything fits the window`);
    ok(top < height * 0.3, `${width}x${height}: what is shown begins in the upper part`, String(top));
    is(p.complaints, [], `${width}x${height}: no complaints`);
  });

// NYTProf's clock stands still while the profiler itself works: the recording lasts longer than all calls together.
await test('time ends with the calls', async () => {
  const p = await page(b), whole = Number(JSON.parse(polyprof('top', '--json', lines)).total);
  await open(p, makeReport('views-lines', lines));
  await p.selectOption('.addfilter select', 'time');
  await p.fill('#pattern', '0%..100%');
  await p.press('#pattern', 'Enter');
  await settle(p);
  const to = Number(/time=\d+\.\.(\d+)/.exec(decodeURIComponent(await p.evaluate(() => location.hash)))?.[1]);
  ok(to <= whole * 1.01, 'all of time is what the calls took', `${to} of ${whole}`);
});

await test('controls on a phone', async () => {
  const p = await page(b, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await open(p, REPORTS[0][0], '#view=flame');
  const metric = p.getByLabel('Metric'), controls = p.getByRole('button', { name: 'Show or hide the controls' });
  ok(!(await metric.isVisible()) && await controls.getAttribute('aria-expanded') === 'false', 'the controls are folded');
  await controls.click();
  ok(await metric.isVisible() && await p.getByLabel('Colours').isVisible() && await p.getByLabel(/^Search functions/).isVisible(), 'and unfold');
  await p.getByLabel('Filter pattern').fill('main');
  await p.getByLabel('Filter pattern').press('Enter');
  await controls.click();
  await settle(p);
  ok(await p.locator('.chip').isVisible() && !(await metric.isVisible()), 'a filter stays in sight');
  const tabs = await p.getByRole('tablist').evaluate(e => [e.scrollWidth > e.clientWidth, getComputedStyle(e).overflowX]);
  is(tabs, [true, 'auto'], 'the tabs scroll');
});

await test('places on a phone keep their numbers', async () => {
  const p = await page(b, { viewport: { width: 390, height: 844 } });
  await open(p, makeReport('views-places', sample('cli/data/waits.gdb.txt.gz')), '#view=lines');
  const places = await p.locator('.td[data-key=place]:visible button').evaluateAll(list => list.map(e => [e.textContent, [e, e.closest('.td')].every(x => x.scrollWidth <= x.clientWidth)]));
  ok(places.length === 4 && places.every(([text, whole]) => /:\d+$/.test(text) && whole), 'the number of each line is in sight', JSON.stringify(places));
});

await b.close();
done();
