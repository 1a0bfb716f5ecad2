// What the colours of a picture mean, told beside it.

import type { App } from './app';
import { changeColour, legend } from './colours';
import { el, fill } from './dom';
import { plural, shown } from './text';

/**
 * What changed, or the modules or languages whose boxes are widest: words, colours, what they stand for. `widths` are of
 * the boxes of a picture, by function; `modules`: also where profiles are compared, since calls in time have the colours
 * of functions.
 */
export function legendItems(app: App, widths: Float64Array, modules = false): [string, string, string][] {
  const { dark } = app;
  if (app.compares && !modules) return [['less', changeColour(-1, 1, dark), ''], ['same or noise', changeColour(0, 1, dark), app.noise.rule], ['more', changeColour(1, 1, dark), '']];
  return legend(app.data, app.state.palette, widths, dark).map(([name, colour, funcs]) => [shown(name, 40), colour, plural(funcs, 'function', 'functions')]);
}

/** By which rule boxes are coloured, where that is not the one for two files. */
export function ruleNote(app: App): string {
  const { data } = app;
  if (!app.compares) return '';
  const { rule, boxes } = app.noise;
  return boxes || data.meta.profiles.some(p => p.means) ? sentence([rule, boxes].filter(Boolean).join('; ')) : '';
}

const sentence = (text: string) => text[0].toUpperCase() + text.slice(1) + '.';

/** The legend of one picture, drawn again when that has changed. */
export class Legend {
  readonly host = el('div', { class: 'legends' });
  private made = '';
  private timer = 0;

  constructor(private app: App, private widths: () => Float64Array, private modules = false) {}

  /** The picture comes first. */
  update(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.draw(), 0);
  }

  /** At once, as paper wants it. */
  draw(): void {
    clearTimeout(this.timer);
    const items = legendItems(this.app, this.widths(), this.modules), note = this.modules ? '' : ruleNote(this.app), key = JSON.stringify([items, note]);
    if (this.made === (this.made = key)) return;
    fill(this.host, el('ul', { class: 'legend', 'aria-label': 'Legend' }, ...items.map(([name, colour, title]) => {
      const swatch = el('i', {});
      swatch.style.background = colour;
      return el('li', { title }, swatch, name);
    })), note && el('p', { class: 'aside' }, note));
  }
}
