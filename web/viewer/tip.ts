// What the pointer is over, told beside it.

import { el, fill } from './dom';

const tip = el('div', { class: 'tip', role: 'tooltip', id: 'tip', hidden: true });

/** Shows lines of text near a point; the first is the name. Without lines nothing is shown. */
export function showTip(x: number, y: number, lines: string[]): void {
  if (!lines.length) {
    tip.hidden = true;
    return;
  }
  if (!tip.isConnected) document.body.append(tip);
  tip.hidden = false;
  fill(tip, el('strong', {}, lines[0]), ...lines.slice(1).map(line => el('span', {}, line)));
  const { width, height } = tip.getBoundingClientRect(), gap = 14;
  tip.style.left = Math.max(4, x + gap + width > innerWidth ? x - gap - width : x + gap) + 'px';
  tip.style.top = Math.max(4, y + gap + height > innerHeight ? y - gap - height : y + gap) + 'px';
}
