// What is shown as a file: SVG, PNG, CSV.

import type { App, Panel } from './app';
import { toast } from './dom';
import { escapeXml, fitName, shown } from './text';

export interface SvgBox {
  x: number;
  y: number;
  w: number;
  h: number;
  fill: string;
  label: string;
  title: string;
}

/** Boxes as an SVG; the only place where names become markup, and they are escaped here. */
export function boxesSvg(app: App, width: number, height: number, boxes: SvgBox[]): string {
  const head = 34, out = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + head}" viewBox="0 0 ${width} ${height + head}" font-family="ui-monospace, monospace" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="6" y="21" font-size="14">${escapeXml(shown(document.title, 120))}: ${escapeXml(app.metric.title || app.metric.name)}</text>`,
  ];
  for (const b of boxes) {
    const room = Math.floor((b.w - 7) / 6.7);
    out.push(`<g class="frame"><title>${escapeXml(b.title)}</title><rect x="${b.x.toFixed(2)}" y="${b.y + head}" width="${b.w.toFixed(2)}" height="${b.h}" fill="${b.fill}" stroke="#fff" stroke-width=".5"/>` +
      (room >= 3 ? `<text x="${(b.x + 4).toFixed(2)}" y="${b.y + head + 12}">${escapeXml(fitName(shown(b.label, 300), room))}</text>` : '') + '</g>');
  }
  return out.join('\n') + '\n</svg>\n';
}

export function exportSvg(app: App, panel: Panel): void {
  const text = panel.svg?.();
  if (text) app.saveAs('svg', new Blob([text], { type: 'image/svg+xml' }));
  else toast('There is no picture to save here');
}

export async function exportPng(app: App, panel: Panel): Promise<void> {
  const blob = await panel.png?.();
  if (blob) app.saveAs('png', blob);
  else toast('There is no picture to save here');
}

export function exportCsv(app: App, panel: Panel): void {
  const text = panel.csv?.();
  if (text) app.saveAs('csv', new Blob([text], { type: 'text/csv' }));
}
