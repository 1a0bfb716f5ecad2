// What actions in a report cost, as the browser's own trace tells: processor time of the page's scripts, whatever else
// the machine is doing.
import { pathToFileURL } from 'node:url';

const SCRIPT = new Set(['EvaluateScript', 'FunctionCall', 'RunMicrotasks', 'v8.compile', 'v8.evaluateModule']);

/** Stretches of script on the thread of the page, none within another: [start, ms of processor, is it an animation frame]. */
function stretches(events) {
  const mark = events.find(e => e.cat.includes('blink.user_timing') && e.name === 'trace');
  const mine = events.filter(e => e.ph === 'X' && e.pid === mark.pid && e.tid === mark.tid).sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const frames = mine.filter(e => e.name === 'FireAnimationFrame'), out = [];
  let end = 0;
  for (const e of mine.filter(x => SCRIPT.has(x.name))) {
    if (e.ts < end) continue;
    end = e.ts + e.dur;
    out.push([e.ts, (e.tdur ?? e.dur) / 1000, frames.some(f => f.ts <= e.ts && e.ts < f.ts + f.dur)]);
  }
  return out;
}

/**
 * Opens a report and runs actions: [[name, run], ...]. Gives for opening and each action
 * { name, answer: ms of script until something is drawn, all: until nothing is left to do, longest: of one stretch }.
 */
export async function traced(b, p, file, actions) {
  const quiet = () => p.evaluate(() => new Promise(done => {
    let left = 4;
    const step = () => (--left ? requestAnimationFrame(step) : setTimeout(done, 30));
    requestAnimationFrame(step);
  }));
  const mark = name => p.evaluate(n => void performance.mark(n), name);
  await b.startTracing(p, { categories: ['devtools.timeline', 'blink.user_timing', 'v8'] });
  const began = Date.now();
  await p.goto(String(pathToFileURL(file)));
  await p.waitForSelector('html[data-ready]', { timeout: 60000 });
  const opened = Date.now() - began;
  await p.waitForTimeout(1000); // what a page does when nobody asks for anything
  const names = [];
  for (const [name, run] of actions) {
    const i = names.push(name) - 1;
    await mark(`begin ${i}`);
    await run(i);
    await quiet();
    await mark(`end ${i}`);
  }
  await mark('trace');
  const { traceEvents } = JSON.parse(await b.stopTracing()), script = stretches(traceEvents);
  const at = name => traceEvents.find(e => e.cat.includes('blink.user_timing') && e.name === name).ts;
  return {
    opened,
    actions: names.map((name, i) => {
      const from = at(`begin ${i}`), to = at(`end ${i}`), mine = script.filter(([ts]) => ts >= from && ts < to);
      const busy = mine.findIndex(([, ms]) => ms > 1), frame = mine.findIndex(([, , isFrame], k) => isFrame && k > busy);
      const sum = list => list.reduce((a, [, ms]) => a + ms, 0);
      return { name, answer: sum(frame < 0 ? mine : mine.slice(0, frame + 1)), all: sum(mine), longest: Math.max(0, ...mine.map(s => s[1])) };
    }),
  };
}

/** Everything a reader may ask of a report: [[name, run], ...]. */
export function everything(p, word, has = {}) {
  const key = k => () => p.keyboard.press(k), blur = () => p.evaluate(() => document.activeElement.blur());
  const out = [], add = (name, run) => out.push([name, run]), add0 = run => out.push(['', run]);
  add0(async () => {
    await p.keyboard.press('2');
    for (let i = 0; i < 6; i++) await p.keyboard.press('ArrowUp');
  });
  add('zoom in', key('Enter'));
  add('zoom out', key('Home'));
  add('search', () => p.fill('input[type=search]', word));
  add('next match', () => p.keyboard.press('Enter'));
  add('end the search', () => p.fill('input[type=search]', ''));
  add0(blur);
  add('icicle instead of flame', key('i'));
  add('widest first', key('w'));
  add('overview', key('1'));
  add('functions', key('6'));
  add('sort them by total', () => p.locator('.th button', { hasText: 'Total' }).first().click());
  add('sort them by name', () => p.locator('.th button', { hasText: 'Function' }).click());
  add('call tree', key('5'));
  add('unfold the hottest path', key('h'));
  add('bottom up', key('r'));
  add('top down', key('r'));
  add('sandwich', key('4'));
  add('sandwich of another', () => p.locator('.tr:visible').nth(6).click());
  add('source lines', key('7'));
  add('flame graph', key('2'));
  for (const [kind, pattern] of [['focus', word], ['ignore', word], ['hide', word], ['show', word], ['show-from', word]]) {
    add0(async () => {
      await p.selectOption('.addfilter select', kind);
      await p.fill('#pattern', pattern);
      await p.focus('#pattern');
    });
    add(`--${kind}`, key('Enter'));
    add0(blur);
    add('undo', key('u'));
  }
  add0(async () => {
    await p.keyboard.press('6');
    await p.selectOption('.addfilter select', 'focus');
    await p.fill('#pattern', 'e' + word.slice(0, 1));
    await p.focus('#pattern');
  });
  add('--focus among functions', key('Enter'));
  add0(blur);
  add('its sandwich', key('4'));
  add('its call tree', key('5'));
  add('undo', key('u'));
  add('flame graph', key('2'));
  add('from the leaves', key('r'));
  add('from the root', key('r'));
  add('dark', key('d'));
  if (has.metrics > 1) {
    add('another metric', () => p.getByLabel('Metric').selectOption('1'));
    add('the first metric', () => p.getByLabel('Metric').selectOption('0'));
  }
  if (has.time) {
    const range = async (from, to) => {
      await p.selectOption('.addfilter select', 'time');
      await p.fill('#pattern', `${from}%..${to}%`);
      await p.focus('#pattern');
    };
    add0(() => range(10, 80));
    add('a range of time', key('Enter'));
    add0(blur);
    add('its functions', key('6'));
    add('its time order', key('3'));
    add('move in time', key('ArrowRight'));
    add('zoom in time', key('ArrowUp'));
    add('undo', key('u'));
  }
  return out;
}
