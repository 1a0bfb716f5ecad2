// Elements. Text becomes text nodes and nothing else: no name can turn into markup.

import { fitName } from './text';

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children) if (child) e.append(child);
  return e;
}

/** A button. Its name for screen readers holds what is seen, where that is words; where that is shortened, it is the whole of it. */
export function button(label: string, title: string, run: () => void, props: Props = {}, room = Infinity): HTMLButtonElement {
  const holds = !/[a-z]/i.test(label) || title.toLowerCase().includes(label.toLowerCase()), short = fitName(label, room) !== label;
  return el('button', { type: 'button', title, 'aria-label': short ? null : holds ? title : `${label}: ${title}`, onclick: run, ...props }, ...named(label, room));
}

/** A name in the room there is: shortened for the eye, whole for everything else. */
export function named(name: string, room: number): Node[] {
  const seen = fitName(name, room);
  return seen === name ? [document.createTextNode(name)] : [el('span', { 'aria-hidden': 'true' }, seen), el('span', { class: 'full' }, name)];
}

export function fill(e: Element, ...children: Child[]): void {
  e.replaceChildren(...children.filter((c): c is Node | string => !!c));
}

export function select(label: string, options: [string, string][], chosen: string, change: (value: string) => void): HTMLLabelElement {
  const box = el('select', { 'aria-label': label, onchange: () => change(box.value) },
    ...options.map(([value, text]) => el('option', { value, selected: value === chosen }, text)));
  return el('label', { class: 'pick' }, el('span', {}, label), box);
}

export function toast(text: string): void {
  document.querySelector('.toast')?.remove();
  const e = el('div', { class: 'toast', 'aria-live': 'polite' }, text);
  document.body.append(e);
  setTimeout(() => e.remove(), 1800);
}

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages opened from a file may have no clipboard of their own.
    const area = el('textarea', { class: 'offscreen' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  toast(`Copied ${what}`);
}

export function save(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob), a = el('a', { href: url, download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
