// A menu at a point, with the keys of a menu.

import { el } from './dom';

export function openMenu(x: number, y: number, title: string, items: [string, () => void][]): void {
  document.querySelector('.menu')?.remove();
  const before = document.activeElement, menu = el('div', { class: 'menu', role: 'menu', 'aria-label': title });
  const close = () => {
    menu.remove();
    document.removeEventListener('pointerdown', outside, true);
    if (before instanceof HTMLElement || before instanceof SVGElement) before.focus();
  };
  const outside = (e: Event) => {
    if (!menu.contains(e.target as Node)) close();
  };
  menu.append(el('p', {}, title.length > 48 ? title.slice(0, 47) + '\u2026' : title), ...items.map(([label, run]) => el('button', {
    type: 'button', role: 'menuitem', onclick: () => {
      close();
      run();
    },
  }, label)));
  menu.addEventListener('keydown', e => {
    const all = [...menu.querySelectorAll('button')], at = all.indexOf(document.activeElement as HTMLButtonElement);
    if (e.key === 'Escape' || e.key === 'Tab') close();
    else if (e.key === 'ArrowDown') all[(at + 1) % all.length].focus();
    else if (e.key === 'ArrowUp') all[(at - 1 + all.length) % all.length].focus();
    else if (e.key === 'Home') all[0].focus();
    else if (e.key === 'End') all[all.length - 1].focus();
    else {
      e.stopPropagation();
      return;
    }
    e.preventDefault();
    e.stopPropagation();
  });
  (document.querySelector('main') ?? document.body).append(menu);
  const r = menu.getBoundingClientRect();
  menu.style.left = Math.max(4, Math.min(x, innerWidth - r.width - 4)) + 'px';
  menu.style.top = Math.max(4, Math.min(y, innerHeight - r.height - 4)) + 'px';
  document.addEventListener('pointerdown', outside, true);
  menu.querySelector('button')?.focus();
}
