// The eight main views at three sizes, light and dark: node views.test.mjs POLYPROF ROOT ARTEFACTS
//
// The pictures are for people to look at; what a program can see of them is tested here: nothing is wider than the
// window, no button or heading is cut, and no text lies on another.
import { browser, done, is, makeReport, page, polyprof, sample, shot, test, open, out } from './kit.mjs';

const b = await browser();
const SIZES = [[1440, 900], [1280, 720], [390, 844]];
const main = makeReport('views', sample('formats/perf-script/good/cpp.script.txt.gz')), lines = makeReport('views-lines', sample('formats/nytprof/good/evals_z_calls2.out'));
const diff = makeReport('views-diff', sample('cli/data/app.folded'), sample('cli/data/other.folded'));
const VIEWS = [['overview', main, ''], ['flame', main, '#view=flame'], ['time', main, '#view=time'], ['sandwich', main, '#view=sandwich'], ['tree', main, '#view=tree'], ['top', main, '#view=top'],
  ['lines', lines, '#view=lines'], ['diff', diff, '#view=top']];

for (const [width, height] of SIZES)
  await test(`${width}x${height}`, async () => {
    const p = await page(b, { viewport: { width, height } });
    for (const colorScheme of ['light', 'dark']) {
      await p.emulateMedia({ colorScheme });
      for (const [name, html, hash] of VIEWS) {
        await open(p, html, hash);
        await shot(p, `view-${name}-${width}-${colorScheme}`);
      }
    }
    is(p.complaints, [], `${width}x${height}: no complaints`);
  });

await b.close();
done();
