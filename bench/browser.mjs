// What a browser takes to open a report and to answer: node bench/browser.mjs REPORT.html
//
// Script is the processor time of the page's scripts for one action, as the browser itself counts it, whatever else
// the machine is doing; "long" are the single stretches of work above 50 ms by the clock.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const { chromium } = createRequire(fileURLToPath(new URL('../web/package.json', import.meta.url)))('playwright-core');
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const b = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
const p = await b.newPage({ viewport: { width: 1400, height: 860 } });
const cdp = await p.context().newCDPSession(p);
await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });

async function spent() {
  const { metrics } = await cdp.send('Performance.getMetrics'), of = name => 1000 * metrics.find(m => m.name === name).value;
  return { script: of('ScriptDuration'), task: of('TaskDuration') };
}

async function action(name, run) {
  const before = await spent();
  await p.evaluate(() => (window.long.length = 0));
  await run();
  await p.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))));
  const after = await spent(), long = await p.evaluate(() => window.long);
  console.log(`${name.padEnd(28)}${(after.script - before.script).toFixed(0).padStart(8)} ms script${(after.task - before.task).toFixed(0).padStart(8)} ms in all   long: ${long.join(' ') || '-'}`);
}

await p.addInitScript(() => {
  window.long = [];
  new PerformanceObserver(l => l.getEntries().forEach(e => window.long.push(Math.round(e.duration)))).observe({ type: 'longtask' });
});
const began = Date.now();
await p.goto(String(pathToFileURL(process.argv[2])));
await p.waitForSelector('html[data-ready]', { timeout: 60000 });
const { script, task } = await spent();
console.log(`opened in ${Date.now() - began} ms by the clock; ${script.toFixed(0)} ms script, ${task.toFixed(0)} ms in all`);

const key = k => () => p.keyboard.press(k), blur = () => p.evaluate(() => document.activeElement.blur());
await p.locator('main canvas:visible').first().focus();
for (let i = 0; i < 6; i++) await p.keyboard.press('ArrowDown');
await action('zoom in', key('Enter'));
await action('zoom out', key('Home'));
await action('search', () => p.fill('input[type=search]', 'alloc'));
await action('end the search', () => p.fill('input[type=search]', ''));
await blur();
await action('flame instead of icicle', key('i'));
await action('widest first', key('w'));
await action('functions', key('5'));
await action('sort them by total', () => p.locator('.th button', { hasText: 'Total' }).click());
await action('call tree', key('4'));
await action('sandwich', key('3'));
await action('sandwich of another', () => p.locator('.tr:visible').nth(6).click());
await action('flame graph', key('1'));
for (const kind of ['focus', 'ignore', 'hide', 'show-from']) {
  await p.selectOption('.addfilter select', kind);
  await p.fill('#pattern', 'alloc');
  await p.focus('#pattern');
  await action(`--${kind}`, key('Enter'));
  await blur();
  await action('undo', key('u'));
}
await action('from the leaves (first part)', key('r'));
await p.waitForTimeout(1500);
await action('dark', key('d'));
await b.close();
