// The SVG of `polyprof flame` in a browser: node svg.test.mjs POLYPROF ROOT ARTEFACTS
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HOSTILE, browser, done, hostileFile, is, ok, out, page, polyprof, sample, shot, test } from './kit.mjs';

const b = await browser();

function draw(name, ...args) {
  const file = join(out, name + '.svg');
  polyprof('flame', '-q', ...args, '-o', file);
  return file;
}

const shown = p => p.evaluate(() => [...document.querySelectorAll('.frame')].filter(g => g.style.display !== 'none').length);
const named = (p, name) => p.locator('.frame', { hasText: name }).first().locator('rect');

await test('looking', async () => {
  const p = await page(b), file = draw('app', sample('cli/data/app.folded'));
  await p.goto(String(pathToFileURL(file)));
  const all = await shown(p);
  await shot(p, 'svg');
  await named(p, /^UserRepository->find \(/).click();
  ok((await shown(p)) < all, 'a click zooms');
  ok(/#z=\d+/.test(p.url()), 'the address knows', p.url());
  ok(/UserRepository->find/.test(await p.locator('#crumbs').textContent()), 'breadcrumbs');
  await p.keyboard.press('/');
  await p.keyboard.type('pdo');
  await p.keyboard.press('Enter');
  ok(/^2 matched: 57\.31%, 100\.00% of the zoom/.test(await p.locator('#matched').textContent()), 'matches of all and of the zoom, in any case', await p.locator('#matched').textContent());
  await shot(p, 'svg-zoom');
  await p.reload();
  ok((await shown(p)) < all && /2 matched/.test(await p.locator('#matched').textContent()), 'a reload stays there');
  await p.keyboard.press('i');
  ok(/^0 matched/.test(await p.locator('#matched').textContent()), 'i minds case');
  await p.keyboard.press('i');
  await p.keyboard.press('/');
  await p.locator('#find input').fill('^pdo');
  ok(/^2 matched/.test(await p.locator('#matched').textContent()), 'a regular expression');
  await p.locator('#plain').click();
  ok(/^0 matched.*plain text/.test(await p.locator('#matched').textContent()), 'or plain text', await p.locator('#matched').textContent());
  await shot(p, 'svg-search');
  await p.locator('#plain').click();
  await p.locator('#find input').press('Enter');
  await p.keyboard.press('?');
  await shot(p, 'svg-keys');
  ok(await p.locator('.keys').isVisible(), '? shows the keys');
  await p.keyboard.press('Escape');
  await p.keyboard.press('Escape');
  await p.keyboard.press('Escape');
  is(await shown(p), all, 'Escape ends search and zoom');
  for (const key of ['ArrowUp', 'ArrowUp', 'Enter']) await p.keyboard.press(key);
  ok((await p.locator('#crumbs').textContent()).length > 3, 'keys alone zoom too');
  is(p.complaints, [], 'no complaints');
  await p.context().close();
});

await test('dark', async () => {
  const p = await page(b, { colorScheme: 'dark' });
  await p.goto(String(pathToFileURL(draw('diff', sample('cli/data/app.folded'), sample('cli/data/other.folded')))));
  await shot(p, 'svg-dark-diff');
  const back = await p.evaluate(() => getComputedStyle(document.querySelector('.back')).fill);
  ok(/^rgb\(\d\d?, \d\d?, \d\d?\)$/.test(back), 'dark where the system is dark', back);
  ok((await p.locator('.frame title').first().textContent()).includes('before'), 'titles tell the change');
  const colours = () => p.evaluate(() => [...document.querySelectorAll('.frame rect')].map(r => r.getAttribute('fill')).join());
  const own = await colours();
  await p.locator('#change').click();
  ok((await colours()) !== own && /t=1/.test(p.url()), 'colours by the change of self, or of total');
  await shot(p, 'svg-dark-diff-total');
  await p.keyboard.press('t');
  is(await colours(), own, 'and back');
  await p.keyboard.press('d');
  await shot(p, 'svg-light-diff');
  ok(/^rgb\(255, 255, 255\)$/.test(await p.evaluate(() => getComputedStyle(document.querySelector('.back')).fill)), 'd makes it light');
  is(await p.locator('.legend text').allTextContents(), ['less', 'same', 'more'], 'the colours are explained');
  is(p.complaints, [], 'no complaints');
  await p.context().close();
});

await test('scripts off', async () => {
  const p = await page(b, { javaScriptEnabled: false });
  await p.goto(String(pathToFileURL(join(out, 'app.svg'))));
  await p.screenshot({ path: join(out, 'svg-still.png') });
  ok((await p.locator('.frame').count()) > 10 && (await p.locator('.frame title').count()) > 10, 'a picture with titles remains');
  await p.context().close();
});

await test('hostile', async () => {
  const p = await page(b);
  for (const name of ['js-inject', 'control-chars', 'non-utf8', 'annotations', 'empty-file', 'all-zero']) {
    await p.goto(String(pathToFileURL(draw(name, sample('formats/folded/good', name + '.folded')))));
    ok((await p.locator('.frame').count()) > 0 && !(await p.evaluate(() => document.querySelector('parsererror'))), `${name} is a picture`);
  }
  const file = hostileFile('hostile-svg'), title = HOSTILE[0];
  for (const way of [[], ['--reverse', '--icicle', '--palette', 'language'], ['--title', title, '--subtitle', title], [file]]) {
    await p.goto(String(pathToFileURL(draw('hostile-svg', file, ...way))));
    const seen = await p.evaluate(() => ({
      broken: !!window.broken, wrong: document.querySelectorAll('parsererror, img, script').length, wide: document.documentElement.scrollWidth > innerWidth,
      tricks: [...document.querySelectorAll('text')].filter(t => /[\u202a-\u202e\u2066-\u2069\u200b\u0000-\u0008]/.test(t.textContent)).length,
      over: [...document.querySelectorAll('.frame')].filter(g => {
        const [text, rect] = [g.querySelector('text'), g.querySelector('rect')];
        return text && text.getComputedTextLength() > rect.width.baseVal.value;
      }).map(g => g.querySelector('text').textContent),
    }));
    is(seen, { broken: false, wrong: 1, wide: false, tricks: 0, over: [] }, `hostile names ${way.join(' ').slice(0, 40)}: nothing runs, swaps, or leaves its frame`);
    await p.locator('.frame').nth(4).locator('rect').click();
    await p.keyboard.press('/');
    await p.keyboard.type('<img');
    await p.keyboard.press('Enter');
    ok(!(await p.evaluate(() => window.broken)) && (await p.locator('#info').textContent()).length < 400, 'and the details line holds');
  }
  await shot(p, 'svg-hostile');
  is(p.complaints, [], 'hostile: no complaints, nothing ran');
  await p.context().close();
});

await b.close();
done();
