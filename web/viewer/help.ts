// The keys, and what the profile says about itself.

import type { Data } from './data';
import { button, el } from './dom';
import { bytes, moment, shown, time } from './text';

const KEYS: [string, string][] = [
  ['1 \u2026 7', 'the views, from left to right'], ['/ or Ctrl+F', 'search; Enter and Shift+Enter, n and N go from match to match'], ['arrows', 'move between frames and rows; in time order: move and zoom'],
  ['Enter', 'zoom to the frame; unfold or open the row; in time order: use the range for every view'], ['Backspace', 'zoom out by one frame'], ['Home', 'zoom out to all'], ['Escape', 'end the search, then the zoom'],
  ['m or Shift+F10', 'menu of the function'], ['s', 'its callers and callees'], ['c, C', 'copy the name, copy the stack'], ['f', 'write a filter'], ['u, U', 'undo and redo filters (also Ctrl+Z)'],
  ['i', 'icicle or flame'], ['r', 'from the leaves, or from the root'], ['w', 'the widest first, or by name'], ['h', 'unfold the hottest path (call tree)'], ['d', 'dark or light'], ['?', 'this list'],
];

/** Dates, times and sizes as people read them, with what the file says behind. */
function readable(key: string, v: unknown): string {
  const n = typeof v === 'number' || (typeof v === 'string' && /^\d+$/.test(v)) ? Number(v) : NaN, said = typeof v === 'string' ? v : JSON.stringify(v);
  if (/(_ts|time|basetime)$/.test(key) && n > 1e8 && n < 1e11) return `${moment(n)} (${said})`;
  if (/_ns$/.test(key) && n >= 0) return `${time(n)} (${said} ns)`;
  if (/(memory|bytes|size)/.test(key) && n >= 1024) return `${bytes(n)} (${said})`;
  return said;
}

export function helpDialog(data: Data): void {
  document.querySelector('dialog')?.remove();
  const list = (rows: [string, string][]) => el('dl', {}, ...rows.flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, v)]));
  const about = data.meta.profiles.flatMap((p, i) => {
    const facts: [string, string][] = [['file', p.file], ['format', [p.format, p.variant].filter(Boolean).join(' ')], ['producer', p.producer], ['knows', p.facets.join(', ')]];
    if (p.recordedAt > 0) facts.push(['recorded', moment(p.recordedAt)]);
    for (const [k, v] of Object.entries(p.meta).slice(0, 40)) facts.push([k.replace(/_/g, ' '), readable(k, v)]);
    return [el('h3', {}, data.meta.profiles.length > 1 ? (i ? 'After' : 'Before') : 'This profile'), list(facts.filter(f => f[1]).map(([k, v]) => [shown(k, 60), shown(v, 300)]))];
  });
  const dialog = el('dialog', { 'aria-label': 'Keys and help' }, el('h2', {}, 'Keys'), list(KEYS), ...about,
    el('p', {}, `Made by polyprof ${data.meta.version}. This file loads nothing and sends nothing.`));
  dialog.append(button('Close', 'Close (Escape)', () => dialog.close()));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  dialog.scrollTop = 0; // the first thing that can have the focus stands at its end
}
