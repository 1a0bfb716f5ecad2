// The SVG of `polyprof flame` in a browser: node svg.test.mjs POLYPROF ROOT ARTEFACTS
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HOSTILE, browser, done, hostileFile, is, ok, out, page, polyprof, sample, shot, test } from './kit.mjs';

const b = await browser();

function draw(name, ...args) {
  const file = join(out, name + '.svg');
  polyprof('flame', '-q', ...args, '-o', file);
  return file;
}

/** How many frames are in sight. */
const shown = p => p.evaluate(() => {
  const [left, right] = [10, 10 + document.documentElement.clientWidth].map((x, i) => x - 20 * i);
  return [...document.querySelectorAll('.frame rect')].map(r => r.getBoundingClientRect()).filter(r => r.right > left + 0.5 && r.left < Math.min(right, 1190) - 0.5).length;
});
const named = (p, name) => p.locator('.frame', { hasText: name }).first().locator('rect');

await test('looking', async () => {
  const p = await page(b), file = draw('app', sample('cli/data/app.folded'));
  await p.goto(String(pathToFileURL(file)));
  const all = await shown(p);
  await shot(p, 'svg');
  await named(p, /^UserRepository->find \(/).click();
  ok((await shown(p)) < all, 'a click zooms');
  ok(/#stack=main;.*;UserRepository-(>|%3E)find$/.test(p.url()), 'the address knows, by names', p.url());
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
});

await test('search', async () => {
  const p = await page(b), file = draw('app', sample('cli/data/app.folded')), matched = p.locator('#matched');
  const search = async text => {
    await p.keyboard.press('/');
    await p.locator('#find input').fill(text);
    const said = await matched.textContent();
    await p.locator('#find input').press('Enter');
    return said;
  };
  await p.goto(String(pathToFileURL(file)));
  ok(/^16 matched: 100\.00%$/.test(await search('.')), 'nested matches count once', await matched.textContent());
  ok(/as text: not a regular expression/.test(await search('show(')), 'what is no regular expression is searched as text, and that is said', await matched.textContent());
  is(await p.locator('#find input').getAttribute('aria-invalid'), 'true', 'and the field says so too');
  ok(/^1 matched: [\d.]+%$/.test(await search('^PDO->query$|^nothing$')) || /^2 matched/.test(await matched.textContent()), 'a regular expression again', await matched.textContent());
  ok(/^0 matched: 0\.00%$/.test(await search('{closure}.*run')), 'braces are no mistake', await matched.textContent());
  const all = Number(/([\d.]+)%/.exec(await search('Twig|html'))[1]);
  await named(p, /^Twig->render \(/).click();
  is((await matched.textContent()).replace(/^\d+ matched: /, ''), `${all.toFixed(2)}%, 100.00% of the zoom`, 'never more than all of the zoom');
  for (const hash of ['#z=999999&s=%', '#z=-1&s=%28%5B&c=1&p=1', '#s=' + encodeURIComponent('</text><script>window.broken=1</script>'), '#z=2&z=3&__proto__=1&d=%00', '#z=3&s=' + 'a'.repeat(20000), '#s=(a%2B)%2B%24&p=1']) {
    await p.goto('about:blank');
    await p.goto(pathToFileURL(file) + hash);
    ok((await p.locator('.frame').count()) === 17 && !(await p.evaluate(() => window.broken)), `the address ${hash.slice(0, 40)} does no harm`);
  }
  await p.goto('about:blank');
  await p.goto(pathToFileURL(file) + '#z=3&s=PDO%20%3C&c=1');
  ok(/^0 matched.*this case/.test(await matched.textContent()) && (await p.locator('#crumbs').textContent()).length > 3, 'the address brings back zoom, search and case', await matched.textContent());
  is(p.complaints, [], 'no complaints');
});

await test('lanes', async () => {
  const p = await page(b), file = draw('lanes', '--flamechart', sample('formats/spaa/good/timeline.spaa'));
  await p.goto(String(pathToFileURL(file)));
  is(await p.locator('.lane text').allTextContents(), ['main 100', 'worker-1 101', 'worker-2 102', 'collector 103'], 'each thread has a lane that says whose it is');
  const times = () => p.locator('#axis text').allTextContents(), early = await times();
  ok(early[0] === '0 ms' && early.length > 4, 'one axis of time', early.join());
  await shot(p, 'svg-lanes');
  await named(p, /^Server::run \(/).click();
  ok((await times())[0] !== early[0] && (await times()).length > 3, 'the axis follows the zoom', (await times()).join());
  is(await p.locator('.lane text').allTextContents(), ['main 100', 'worker-1 101', 'worker-2 102', 'collector 103'], 'all lanes show that time');
  ok(/^all › main 100 › main › Server::run$/.test(await p.locator('#crumbs').textContent()), 'breadcrumbs stay in the lane', await p.locator('#crumbs').textContent());
  await p.keyboard.press('/');
  await p.locator('#find input').fill('heat|main|worker');
  ok(Number(/ ([\d.]+)%,/.exec(await p.locator('#matched').textContent())?.[1]) <= 100, 'matches of several lanes are at most all', await p.locator('#matched').textContent());
  await p.locator('#find input').press('Escape');
  await shot(p, 'svg-lanes-zoom');
  await p.keyboard.press('Escape');
  // The lane is as long as the recording, its first box as long as its samples cover it.
  for (const [key, want] of [['ArrowUp', 'main 100 59.8 ms ('], ['ArrowUp', 'main 8.60 ms ('], ['ArrowDown', 'main 100 59.8 ms ('], ['ArrowDown', 'all 60 ms (']]) {
    await p.keyboard.press(key);
    ok((await p.locator('#info').textContent()).startsWith(want), `keys go to ${want}`, await p.locator('#info').textContent());
  }
  is(p.complaints, [], 'no complaints');
});

await test('room', async () => {
  const deep = join(out, 'deep.folded');
  writeFileSync(deep, Array.from({ length: 120 }, (_, i) => Array.from({ length: i + 1 }, (_, k) => 'level' + k).join(';') + ' 1\n').join(''));
  const p = await page(b), at = id => p.locator(id).first().evaluate(e => e.getBoundingClientRect().toJSON());
  await p.goto(String(pathToFileURL(draw('deep', deep))));
  ok((await at('.frame rect')).bottom < 860 && (await at('#info')).bottom <= 860 && (await at('#title')).top >= 0, 'a tall picture opens where its stacks begin, with title and details in sight');
  await shot(p, 'svg-tall');
  for (let i = 0; i < 60; i++) await p.keyboard.press('ArrowUp');
  const chosen = await at('.chosen rect');
  ok(chosen.top > 60 && chosen.bottom < 826, 'keys scroll', JSON.stringify(chosen));
  await p.setViewportSize({ width: 390, height: 780 });
  await p.waitForTimeout(100);
  ok((await at('.frame rect')).right <= 390 && (await at('#search')).right <= 390 && !(await p.evaluate(() => document.documentElement.scrollWidth > innerWidth)), 'a narrow window gets a narrow picture');
  await p.keyboard.press('Enter');
  await shot(p, 'svg-narrow');
  await p.setViewportSize({ width: 1400, height: 860 });
  await p.keyboard.press('Escape');
  await p.waitForTimeout(100);
  is(await p.evaluate(() => [document.getElementById('frames').getAttribute('transform'), document.querySelector('.frame rect').getAttribute('width')]), ['translate(-1.6949152542372872) scale(1.1694915254237288 1)', '1180.000'], 'and a wide one a wide one');
  // Without a mouse: the buttons can be reached.
  await p.keyboard.press('Enter');
  const roles = await p.locator('.button:not(.off)').evaluateAll(list => list.map(e => [e.getAttribute('role'), e.tabIndex]));
  ok(roles.length >= 2 && roles.every(([role, tab]) => role === 'button' && tab === 0), 'buttons are buttons', JSON.stringify(roles));
  await p.locator('#help').focus();
  await p.keyboard.press('Enter');
  ok(await p.locator('.keys').isVisible(), 'and work by key');
  await p.keyboard.press('Escape');
  await p.keyboard.press('d');
  await p.emulateMedia({ media: 'print' });
  await p.setViewportSize({ width: 794, height: 1123 });
  const paper = await p.evaluate(() => [document.documentElement.getBoundingClientRect().width, getComputedStyle(document.querySelector('.back')).fill, document.getElementById('head').getBoundingClientRect().top + scrollY]);
  ok(paper[0] <= 794 && paper[1] === 'rgb(255, 255, 255)' && paper[2] < 20, 'paper is white and as wide as it is, the title on top', paper.join());
  is(p.complaints, [], 'no complaints');
});

await test('the next recording', async () => {
  const p = await page(b), next = join(out, 'next-svg.folded');
  writeFileSync(next, Array.from({ length: 40 }, (_, i) => `aaa${i};b 30\n`).join('') + readFileSync(sample('cli/data/app.folded')));
  await p.goto(String(pathToFileURL(draw('app', sample('cli/data/app.folded')))));
  await named(p, /^UserRepository->find \(/).click();
  const { hash } = new URL(p.url()), crumbs = await p.locator('#crumbs').textContent();
  await p.goto(pathToFileURL(draw('next', next)) + hash);
  is(await p.locator('#crumbs').textContent(), crumbs, 'an address leads to the same stack in another picture');
  is(p.complaints, [], 'no complaints');
});

await test('a phone', async () => {
  // A phone lays out a picture as 980 pixels and more.
  const p = await page(b, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
  for (const [name, ...files] of [['phone', sample('cli/data/app.folded')], ['phone-diff', sample('cli/data/app.folded'), sample('cli/data/other.folded')]]) {
    await p.goto(String(pathToFileURL(draw(name, ...files))));
    const seen = await p.evaluate(() => {
      const scale = screen.width / visualViewport.width, wide = e => e.getBoundingClientRect();
      return { letters: Math.min(...[...document.querySelectorAll('.frame text')].filter(e => e.textContent).map(e => (wide(e).height || 99) * scale)), over: wide(document.documentElement).width * scale > 391, help: wide(document.getElementById('help')).right * scale <= 390, info: wide(document.getElementById('info')).right * scale <= 391 };
    });
    ok(seen.letters > 11 && !seen.over && seen.help && seen.info, `${name}: letters are as large as elsewhere, nothing is cut`, JSON.stringify(seen));
    await shot(p, `svg-${name}`);
    await p.locator('#help').tap();
    const keys = await p.locator('.keys rect').evaluate(e => e.getBoundingClientRect().toJSON()), scale = await p.evaluate(() => screen.width / visualViewport.width);
    ok(keys.left >= 0 && keys.right * scale <= 390 && keys.top >= 0 && keys.bottom * scale <= 844, '? is never clipped', JSON.stringify(keys));
    is(await p.locator('.keys text').evaluateAll(list => list.filter(e => {
      const r = e.getBoundingClientRect();
      return !document.elementFromPoint(r.left + 3, r.top + r.height / 2)?.closest('.keys');
    }).map(e => e.textContent)), [], 'nor covered');
    await shot(p, `svg-${name}-keys`);
  }
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
  is(await p.locator('.legend text').allTextContents(), ['less', 'same or noise', 'more'], 'the colours are explained');
  is(p.complaints, [], 'no complaints');
});

await test('scripts off', async () => {
  const p = await page(b, { javaScriptEnabled: false });
  await p.goto(String(pathToFileURL(join(out, 'app.svg'))));
  await p.screenshot({ path: join(out, 'svg-still.png') });
  ok((await p.locator('.frame').count()) > 10 && (await p.locator('.frame title').count()) > 10, 'a picture with titles remains');
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
        return text && text.getBoundingClientRect().width > rect.getBoundingClientRect().width + 1;
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
});

// Names of C++ compilers and of callgrind; the frames of one stack are all as wide as the picture.
const NAMES = ["Add<long>::operator()(long) [clone .isra.0]'2'R<int>::run(int)'main'(below main)", "main'(below main)", "_int_malloc'malloc'operator new(unsigned long)",
  "main::'lambda'(int)::operator()(int) const", "the user can't open the file", "insertWith_go_on_and_on'", "void a::f<int>(long, int) [clone .isra.0]'2", 'a::f(int) [clone .part.0] [clone .cold]',
  'shop::(anonymous namespace)::mixer<unsigned long>(int)', 'void std::__unguarded_linear_insert<A>(A)', 'bool std::operator< <char, A<char> >(B<char> const&)', 'net/http.(*conn).serve',
  'unsigned long Registry<std::string, unsigned long>::transform<main::{lambda(unsigned long)#2}>(main::{lambda(unsigned long)#2})', 'void* A::operator new(unsigned long, std::nothrow_t)', '(garbage collector)'];
await test('names', async () => {
  const folded = join(out, 'names.folded'), p = await page(b), labels = () => [...document.querySelectorAll('.frame:not(.more) text')].map(t => t.textContent);
  writeFileSync(folded, NAMES.join(';') + ' 7\n');
  for (const how of ['fit', 'short', 'full'])
    for (const width of [200, 240, 260, 300, 340, 420, 500, 600]) {
      // The script writes labels anew in a picture that is wider than the window; without it the picture has them.
      await p.setViewportSize({ width, height: 500 });
      await p.goto(String(pathToFileURL(draw('names', '--names', how, folded))));
      const written = await p.evaluate(labels), drawn = readFileSync(draw('names-drawn', '--names', how, '--width', width, folded), 'utf8');
      await p.goto(String(pathToFileURL(join(out, 'names-drawn.svg'))));
      is(written, await p.evaluate(labels), `${how} in ${width} px: labels are those of a picture of that width`);
      ok(how === 'full' || width < 260 || /operator\(\)/.test(drawn) && written.some(l => /operator\(\)/.test(l)), 'and a function keeps its own name');
    }
});

await b.close();
done();
