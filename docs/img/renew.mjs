// Makes the pictures of the README anew: node docs/img/renew.mjs POLYPROF (needs chromium and `npm ci` in web/)
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url)), root = join(here, '..', '..');
const { chromium } = createRequire(join(root, 'web', 'package.json'))('playwright-core');
const polyprof = resolve(process.argv[2]), work = mkdtempSync(join(tmpdir(), 'polyprof-'));
const run = (...args) => execFileSync(polyprof, args, { cwd: work, encoding: 'utf8', env: { ...process.env, COLUMNS: '100' } });

for (const file of ['formats/folded/good/webshop.folded', 'cli/data/webshop-next.folded', 'formats/nytprof/good/recursion.out.gz']) copyFileSync(join(root, 'tests', file), join(work, file.replace(/^.*\//, '')));
run('flame', 'webshop.folded', '--width', '1000', '-o', join(here, 'flame.svg'));
run('report', 'webshop.folded', '-o', 'webshop.html');
run('report', 'webshop.folded', 'webshop-next.folded', '-o', 'change.html');
run('report', 'recursion.out.gz', '-o', 'perl.html');

// ---- a terminal: what is printed, with its colours ----
const INKS = { 1: 'font-weight:bold', 2: 'color:#8b8b98', 31: 'color:#ff7b72', 32: 'color:#7ee787', 33: 'color:#f2cc60', 34: 'color:#79c0ff', 35: 'color:#d2a8ff', 36: 'color:#56d4dd' };
const html = text => text.replace(/[&<>]/g, c => `&#${c.charCodeAt(0)};`).replace(/\x1b\[([\d;]*)m/g, (_, codes) => {
  const styles = codes.split(';').map(c => INKS[Number(c)]).filter(Boolean);
  return styles.length ? `</span><span style="${styles.join(';')}">` : '</span><span>';
});
const asked = (...args) => `<b style="color:#7ee787">$</b> polyprof ${args.join(' ')}\n` + html(run('--color', 'always', ...args));
const screen = asked('webshop.folded').split('\n').slice(0, 27).join('\n') + '\n\n' + asked('diff', 'webshop.folded', 'webshop-next.folded');
writeFileSync(join(work, 'terminal.html'), `<meta charset="utf-8"><body style="margin:0;background:#16171b"><pre style="margin:0;padding:16px 20px;width:max-content;color:#e6e6ee;font:13px/1.35 'DejaVu Sans Mono',monospace"><span>${screen.trimEnd()}</span></pre>`);

const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu'] });
async function shot(name, file, hash = '', { height = 640, dark = false, act = async () => undefined, only = '' } = {}) {
  const p = await b.newPage({ viewport: { width: 1180, height }, colorScheme: dark ? 'dark' : 'light' });
  await p.goto(pathToFileURL(join(work, file)) + hash);
  if (!only) await p.waitForSelector('html[data-ready]');
  await act(p);
  await p.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r, 50)))));
  await (only ? p.locator(only) : p).screenshot({ path: join(here, name) });
  await p.close();
}
await shot('terminal.png', 'terminal.html', '', { only: 'pre' });
await shot('report.png', 'webshop.html', '', { height: 890 });
await shot('diff.png', 'change.html');
await shot('dark.png', 'perl.html', '#view=lines&file=%2Fsrv%2Fsample%2Fnytprof%2Fscripts%2Frecursion.pl&line=4', { dark: true, height: 560 });
await b.close();
rmSync(work, { recursive: true });
