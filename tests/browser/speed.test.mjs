// A report of a million nodes opens and answers at once: node speed.test.mjs POLYPROF ROOT ARTEFACTS
//
// Script time comes from the browser's trace. Limits grow with what a fixed piece of script takes on this machine, so
// that a slow or busy one does not fail; on the machine they were set on that takes REFERENCE ms and each answer has 40, of the 50
// that a reader does not notice and that all frames of an action have together.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browser, done, is, ok, out, page, polyprof, test } from './kit.mjs';
import { everything, traced } from './trace.mjs';

const REFERENCE = 60, ANSWER = 40, ALL = 50, OPEN = 2000;
const b = await browser();

/** Stacks of a program of 6,000 functions: they share their upper part and part further down. */
function stacks(lines) {
  let seed = 12345;
  const random = n => (seed = (seed * 48271) % 2147483647) % n;
  const words = ['alloc', 'read', 'parse', 'render', 'lock', 'sort', 'copy', 'find'];
  const names = Array.from({ length: 6000 }, (_, i) => `app::${words[i % 8]}_${words[(i >> 3) % 8]}::function_${i}`);
  const calls = names.map(() => Array.from({ length: 8 }, () => random(names.length)));
  const text = [];
  for (let i = 0; i < lines; i++) {
    let f = random(6), stack = names[f];
    for (let depth = 22 + random(12); depth > 0; depth--) {
      f = calls[f][Math.min(random(8), random(8), random(8))];
      stack += ';' + names[f];
    }
    text.push(`${stack} ${1 + random(20)}\n`);
  }
  return text.join('');
}

/** Something like what the viewer does: additions over a million numbers. */
const reference = p => p.evaluate(() => new Promise(done => setTimeout(() => {
  const n = 1 << 20, from = new Float64Array(n), to = new Float64Array(n), parent = new Int32Array(n);
  for (let i = 1; i < n; i++) parent[i] = i - 1 - ((i * 7919) % Math.min(i, 61));
  for (let round = 0; round < 24; round++) {
    to.set(from);
    for (let i = n - 1; i > 0; i--) to[parent[i]] += to[i] + 1;
  }
  done(to[0]);
}, 0)));

/** What opening and each action takes in a fresh page, with what it may take at this moment. */
async function measured(html) {
  const p = await page(b);
  const result = await traced(b, p, html, [['reference', () => reference(p)], ...everything(p, 'alloc_'), ['reference', () => reference(p)]]);
  const nodes = await p.evaluate(() => Number(document.documentElement.dataset.nodes));
  ok(nodes > 900000, 'about a million nodes', String(nodes));
  is(p.complaints, [], 'no complaints');
  await p.context().close();
  // What else runs comes and goes: the slower of before and behind counts.
  const slow = Math.max(1, result.actions[0].all / REFERENCE, result.actions.at(-1).all / REFERENCE);
  console.log(`# reference ${result.actions[0].all.toFixed(0)} ms, opened in ${result.opened} ms`);
  return [{ name: 'opens', takes: result.opened, limit: OPEN * slow * 1.5 },
    ...result.actions.slice(1, -1).filter(x => x.name).flatMap(x => [{ name: x.name, takes: x.answer, limit: ANSWER * slow }, { name: `${x.name}, until all is drawn`, takes: x.all, limit: ALL * slow }])];
}

await test('a million nodes', async () => {
  const folded = join(out, 'million.folded'), html = join(out, 'million.html');
  writeFileSync(folded, stacks(56000));
  polyprof('report', '-q', '--max-size', '0', folded, '-o', html);
  // Something else on the machine may hold one action up; what is slow itself is slow five times.
  let best = null;
  for (let round = 0; round < 5 && !(best && best.every(a => a.takes < a.limit)); round++) {
    const now = await measured(html);
    best = best ? best.map((a, i) => a.takes / a.limit < now[i].takes / now[i].limit ? a : now[i]) : now;
  }
  for (const a of best)
    ok(a.takes < a.limit, `${a.name}: ${a.takes.toFixed(0)} ms`, `the limit is ${a.limit.toFixed(0)}`);
});

/** What the page's main thread does for an action: script, styles, layout, painting. */
async function work(p, run) {
  const WORK = new Set(['FunctionCall', 'EvaluateScript', 'UpdateLayoutTree', 'Layout', 'PrePaint', 'Paint', 'Layerize']);
  await b.startTracing(p, { categories: ['devtools.timeline', 'blink.user_timing'] });
  await p.evaluate(() => void performance.mark('begin'));
  await run();
  await p.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r, 50)))));
  await p.evaluate(() => void performance.mark('end'));
  const events = JSON.parse(await b.stopTracing()).traceEvents, mark = name => events.find(e => e.cat.includes('blink.user_timing') && e.name === name);
  const [from, to] = [mark('begin'), mark('end')], mine = events.filter(e => e.ph === 'X' && e.pid === from.pid && e.tid === from.tid && WORK.has(e.name) && e.ts >= from.ts && e.ts < to.ts);
  let end = 0, all = 0, script = 0;
  for (const e of mine.sort((x, y) => x.ts - y.ts || y.dur - x.dur)) {
    if (e.ts < end) continue;
    end = e.ts + e.dur;
    all += (e.tdur ?? e.dur) / 1000;
    if (e.name === 'FunctionCall') script += (e.tdur ?? e.dur) / 1000;
  }
  return { all, script };
}

// An SVG of 30,000 frames must not freeze: others take one second to zoom and six to zoom out.
await test('an SVG of many frames', async () => {
  const p = await page(b), svg = join(out, 'many.svg');
  polyprof('flame', '-q', '--min-width', '0.05', join(out, 'million.folded'), '-o', svg);
  await p.goto(String(pathToFileURL(svg)));
  const frames = await p.locator('.frame').count();
  ok(frames > 30000, 'more than 30,000 frames', String(frames));
  await p.keyboard.press('ArrowUp');
  await p.keyboard.press('ArrowUp');
  const spent = await work(p, () => reference(p)), slow = Math.max(1, spent.all / REFERENCE);
  for (const [what, key] of [['zoom', 'Enter'], ['zoom out', 'Backspace'], ['zoom again', 'Enter'], ['reset', 'Escape']]) {
    const { all, script } = await work(p, () => p.keyboard.press(key));
    ok(script < 30 * slow && all < 300 * slow, `${what}: ${script.toFixed(0)} ms of script, ${all.toFixed(0)} of the main thread`, `the limits are ${(30 * slow).toFixed(0)} and ${(300 * slow).toFixed(0)}`);
  }
  is(p.complaints, [], 'no complaints');
  await p.context().close();
});

await b.close();
done();
