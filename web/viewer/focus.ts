// What is made anew while somebody is in it with the keyboard: who was on a button is on the one of that name afterwards, or, where
// there is none or more than one, on the third if it was the third.

import { fill } from './dom';

type Children = Parameters<typeof fill> extends [Element, ...infer C] ? C : never;

const places = (host: Element) => [...host.querySelectorAll<HTMLElement>('a[href], button, input, select, [tabindex]')];

export function refill(host: Element, ...children: Children): void {
  const called = (e: HTMLElement) => [e.tagName, e.closest<HTMLElement>('[data-key]')?.dataset.key, e.getAttribute('aria-label'), e.textContent].join();
  const was = document.activeElement as HTMLElement, name = called(was), at = host.contains(was) ? places(host).indexOf(was) : -1, caret = was instanceof HTMLInputElement && was.type === 'text' ? was.selectionStart : null;
  fill(host, ...children);
  if (at < 0) return;
  const now = places(host), same = now.filter(e => called(e) === name);
  // What is switched off now, as the way on from the last page is, takes no focus: what is beside it does.
  for (const e of [same.length === 1 ? same[0] : now[at], now[at], now[at - 1], now[at + 1], document.querySelector<HTMLElement>('main')]) {
    e?.focus({ preventScroll: true });
    if (!e || document.activeElement !== e) continue;
    if (caret !== null && e instanceof HTMLInputElement && e.type === 'text') e.setSelectionRange(caret, caret);
    return;
  }
}
