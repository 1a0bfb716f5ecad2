// What a browser takes to open a report and to answer: node bench/browser.mjs REPORT.html [WORD]
//
// `answer` is the processor time of the page's scripts until something is drawn, `all` until nothing is left to do,
// `longest` that of the longest stretch, as the browser's trace tells.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { everything, traced } from '../tests/browser/trace.mjs';

const { chromium } = createRequire(fileURLToPath(new URL('../web/package.json', import.meta.url)))('playwright-core');
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const b = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
const p = await b.newPage({ viewport: { width: 1400, height: 860 } });
await p.goto(String(pathToFileURL(process.argv[2])));
await p.waitForSelector('html[data-ready]', { timeout: 60000 });
const has = { metrics: await p.getByLabel('Metric').locator('option').count(), time: (await p.locator('.overview').count()) > 0 };
await p.goto('about:blank');
const result = await traced(b, p, process.argv[2], everything(p, process.argv[3] ?? 'alloc', has));
const ms = n => n.toFixed(1).padStart(9);
console.log(`opened in ${result.opened} ms by the clock`);
console.log(`${'ms of script'.padEnd(28)}${'answer'.padStart(9)}${'all'.padStart(9)}${'longest'.padStart(9)}`);
for (const a of result.actions) if (a.name) console.log(a.name.padEnd(28) + ms(a.answer) + ms(a.all) + ms(a.longest));
await b.close();
