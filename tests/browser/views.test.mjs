// The eight main views at three sizes, light and dark: node views.test.mjs POLYPROF ROOT ARTEFACTS
//
// The pictures are for people to look at; what a program can see of them is tested here: nothing is wider than the
// window, no button or heading is cut, and no text lies on another.
import { browser, done, is, makeReport, page, polyprof, sample, shot, test, open, out } from './kit.mjs';

const b = await browser();
const SIZES = [[1440, 900], [1280, 720], [390, 844]];
const spx = makeReport('views', sample('formats/spx/good/05-memory-allmetrics.json')), lines = makeReport('views-lines', sample('formats/nytprof/good/evals_z_calls2.out'));
const diff = makeReport('views-diff', sample('cli/data/app.folded'), sample('cli/data/other.folded'));
const VIEWS = [['overview', spx, ''], ['flame', spx, '#view=flame'], ['time', spx, '#view=time'], ['sandwich', spx, '#view=sandwich&of=build'], ['tree', spx, '#view=tree'], ['top', spx, '#view=top'],
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
    await p.context().close();
  });

await b.close();
done();
