// Makes the pictures of the README anew: node docs/img/renew.mjs POLYPROF (needs chromium and `npm ci` in web/)
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url)), root = join(here, '..', '..');
const { chromium } = createRequire(join(root, 'web', 'package.json'))('playwright-core');
const polyprof = process.argv[2], samples = join(root, 'tests', 'formats');
const work = mkdtempSync(join(tmpdir(), 'polyprof-'));
const run = (...args) => execFileSync(polyprof, args, { cwd: join(samples, 'folded/good') });

run('flame', 'webshop.folded', '--title', 'polyprof flame webshop.folded', '--width', '1000', '-o', join(here, 'flame.svg'));
run('report', 'webshop.folded', '-o', join(work, 'webshop.html'));
execFileSync(polyprof, ['report', 'timeline.spaa', '-o', join(work, 'time.html')], { cwd: join(samples, 'spaa/good') });

const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu'] });
async function shot(name, file, hash, height, act = async () => undefined) {
  const p = await b.newPage({ viewport: { width: 1200, height } });
  await p.goto(pathToFileURL(join(work, file)) + hash);
  await p.waitForSelector('html[data-ready]');
  await act(p);
  await p.waitForTimeout(300);
  await p.screenshot({ path: join(here, name) });
  await p.close();
}
await shot('report.png', 'webshop.html', '#search=shop', 500);
await shot('sandwich.png', 'webshop.html', '#view=sandwich&theme=dark', 500, p => p.locator('.tr', { hasText: 'json::Writer::value' }).click());
await shot('time.png', 'time.html', '#view=time', 560);
await b.close();
rmSync(work, { recursive: true });
