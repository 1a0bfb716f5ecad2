// What is shown as a file: whole pictures with title, metric and legend as SVG and PNG; tables as CSV.

import type { App } from './app';
import type { Panel } from './panel';
import { inkOn } from './colours';
import { el, toast } from './dom';
import { legendItems, ruleNote } from './legend';
import { escapeXml, fitLabel, shown, time, valueNamed } from './text';

const LETTER = 6.7, SIDE = 8, LINE = 16;
const LARGEST = 16000; // pixels of a side that browsers draw

export interface Shape {
  x: number;
  y: number;
  w: number;
  h: number;
  fill: string;
  label: string;
  title: string;
}

/** Words in a picture, beside its boxes. */
export interface Words {
  x: number;
  y: number;
  text: string;
  size?: number;
  soft?: boolean;
}

export interface Picture {
  width: number;
  height: number;
  boxes: Shape[];
  words: Words[];
  widths: Float64Array; // of the boxes by function: what the legend tells of
}

interface Inks {
  back: string;
  ink: string;
  soft: string;
}

function inks(dark: boolean): Inks {
  return dark ? { back: '#16171b', ink: '#ececf1', soft: '#9d9daa' } : { back: '#ffffff', ink: '#1c1c22', soft: '#6a6a76' };
}

/** A text in lines of so many letters. */
function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const last = lines.length - 1;
    if (last >= 0 && lines[last].length + 1 + word.length <= room) lines[last] += ' ' + word;
    else lines.push(word);
  }
  return lines;
}

/** What the picture is of, above it: the file, the metric, what of it is chosen; what its colours mean. */
function framed(app: App, p: Picture): Picture {
  const { state, seen: scene, metric } = app, m = metric.title || metric.name, both = scene.whole.map(w => valueNamed(metric, w)), boxes: Shape[] = [], words: Words[] = [];
  const chosen = [...(state.view === 'time' ? [] : state.filters).map(f => `${f.kind} ${f.pattern}`), state.thread && `thread ${state.thread}`, state.event && `event ${state.event}`, state.time && `time ${time(state.time[0])} to ${time(state.time[1])}`].filter(Boolean);
  const letters = Math.floor((p.width - 2 * SIDE) / LETTER), line = (text: string) => fitLabel(shown(text, 300), letters);
  words.push({ x: SIDE, y: 20, text: fitLabel(shown(document.title.replace(/ \u2013 polyprof$/, ''), 200), Math.floor(letters * 0.78)), size: 14 });
  words.push({ x: SIDE, y: 38, text: line([(both[0].endsWith(m) ? '' : `${m}: `) + both.join(' \u2192 '), ...chosen].join(' \u00b7 ')), soft: true });
  let x = SIDE, y = 46;
  for (const text of wrapped(app.state.view === 'time' ? '' : ruleNote(app), letters)) {
    words.push({ x: SIDE, y: y + 9.5, text, soft: true });
    y += LINE;
  }
  for (const [label, fill] of legendItems(app, p.widths, app.state.view === 'time')) {
    const w = 18 + label.length * LETTER + 12;
    if (x > SIDE && x + w > p.width - SIDE) {
      x = SIDE;
      y += LINE;
    }
    boxes.push({ x, y, w: 11, h: 11, fill, label: '', title: '' });
    words.push({ x: x + 16, y: y + 9.5, text: label, soft: true });
    x += w;
  }
  y += LINE + 6;
  return {
    width: p.width, height: y + p.height + SIDE, widths: p.widths,
    boxes: [...boxes, ...p.boxes.map(b => ({ ...b, y: b.y + y }))], words: [...words, ...p.words.map(w => ({ ...w, y: w.y + y }))],
  };
}

/** The only place where names become markup, and they are escaped here. */
function svgOf({ width, height, boxes, words }: Picture, { back, ink, soft }: Inks): string {
  const out = ['<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, monospace" font-size="11">`,
    `<rect width="100%" height="100%" fill="${back}"/>`];
  for (const t of words) out.push(`<text x="${t.x.toFixed(1)}" y="${t.y.toFixed(1)}" fill="${t.soft ? soft : ink}"${t.size ? ` font-size="${t.size}"` : ''}>${escapeXml(t.text)}</text>`);
  for (const b of boxes) {
    const room = Math.floor((b.w - 7) / LETTER), rect = `<rect x="${b.x.toFixed(2)}" y="${b.y.toFixed(0)}" width="${b.w.toFixed(2)}" height="${b.h}" fill="${b.fill}"/>`;
    out.push(!b.title ? rect : `<g class="frame"><title>${escapeXml(b.title)}</title>${rect}` +
      (room >= 3 ? `<text x="${(b.x + 4).toFixed(2)}" y="${(b.y + 12).toFixed(0)}" fill="${inkOn(b.fill)}">${escapeXml(fitLabel(shown(b.label, 300), room))}</text>` : '') + '</g>');
  }
  return out.join('\n') + '\n</svg>\n';
}

function pngOf({ width, height, boxes, words }: Picture, { back, ink, soft }: Inks): Promise<Blob | null> {
  const ratio = Math.min(Math.max(2, window.devicePixelRatio || 1), LARGEST / Math.max(width, height)), canvas = el('canvas', { width: Math.floor(width * ratio), height: Math.floor(height * ratio) }), g = canvas.getContext('2d', { alpha: false })!;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.fillStyle = back;
  g.fillRect(0, 0, width, height);
  const font = (size: number) => (g.font = `${size}px ui-monospace, "DejaVu Sans Mono", Menlo, monospace`);
  for (const t of words) {
    font(t.size ?? 11);
    g.fillStyle = t.soft ? soft : ink;
    g.fillText(t.text, t.x, t.y);
  }
  font(11);
  for (const b of boxes) {
    const room = Math.floor((b.w - 7) / LETTER);
    g.fillStyle = b.fill;
    g.fillRect(b.x, b.y, b.w > 2 ? b.w - 0.6 : b.w, b.h);
    if (room < 3 || !b.title) continue;
    g.fillStyle = inkOn(b.fill);
    g.fillText(fitLabel(shown(b.label, 300), room), b.x + 4, b.y + 12);
  }
  return new Promise(done => canvas.toBlob(done, 'image/png'));
}

export function exportSvg(app: App, panel: Panel): void {
  const picture = panel.picture?.();
  if (picture) app.saveAs('svg', new Blob([svgOf(framed(app, picture), inks(app.dark))], { type: 'image/svg+xml' }));
  else toast('There is no picture to save here');
}

export async function exportPng(app: App, panel: Panel): Promise<void> {
  const picture = panel.picture?.(), blob = picture && await pngOf(framed(app, picture), inks(app.dark));
  if (blob) app.saveAs('png', blob);
  else toast('There is no picture to save here');
}

export function exportCsv(app: App, panel: Panel): void {
  const text = panel.csv?.();
  if (text) app.saveAs('csv', new Blob([text], { type: 'text/csv' }));
}
