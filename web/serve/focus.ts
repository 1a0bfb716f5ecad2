// What is made anew while somebody is in it with the keyboard: who was on the third button is on the third button afterwards.

import { fill } from '../viewer/dom';

type Children = Parameters<typeof fill> extends [Element, ...infer C] ? C : never;

const places = (host: Element) => [...host.querySelectorAll<HTMLElement>('a[href], button, input, select, [tabindex]')];

export function refill(host: Element, ...children: Children): void {
  const was = document.activeElement as HTMLElement, at = host.contains(was) ? places(host).indexOf(was) : -1, caret = was instanceof HTMLInputElement && was.type === 'text' ? was.selectionStart : null;
  fill(host, ...children);
  if (at < 0) return;
  const now = places(host);
  // What is switched off now, as the way on from the last page is, takes no focus: what is beside it does.
  for (const e of [now[at], now[at - 1], now[at + 1], document.querySelector<HTMLElement>('main')]) {
    e?.focus({ preventScroll: true });
    if (!e || document.activeElement !== e) continue;
    if (caret !== null && e instanceof HTMLInputElement && e.type === 'text') e.setSelectionRange(caret, caret);
    return;
  }
}
