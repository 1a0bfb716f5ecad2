// Colours of frames: equal names have equal colours in every report.

import type { Data } from './data';
import { moduleOf } from './modules';

export type Palette = 'name' | 'module' | 'language';

const utf8 = new TextEncoder();

/** Of the bytes, as in the SVG. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  const bytes = utf8.encode(text);
  for (let i = 0; i < bytes.length; i++) h = Math.imul(h ^ bytes[i], 0x01000193);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  return (h ^ (h >>> 13)) >>> 0;
}

/** [hue, how far it goes, saturation, lightness] */
type Family = [number, number, number, number];
const WARM: Family = [14, 36, 82, 66];
const FAMILIES: Record<string, Family> = {
  kernel: [26, 12, 85, 62], 'built in': [176, 18, 48, 62], unknown: [230, 10, 8, 72], PHP: [262, 28, 55, 72], Perl: [205, 18, 60, 68], Python: [225, 14, 62, 70],
  Java: [110, 26, 48, 62], JavaScript: [70, 14, 60, 60], 'C, C++, Rust, Go': [46, 12, 85, 62], other: [4, 16, 78, 70],
};
const ENDINGS: [RegExp, string][] = [
  [/\.(php|phtml|inc)$/, 'PHP'], [/\.(pl|pm|t)$/, 'Perl'], [/\.py$/, 'Python'], [/\.(java|kt|scala)$/, 'Java'], [/\.(js|mjs|ts)$/, 'JavaScript'], [/\.(c|h|cc|cpp|cxx|hpp|rs|go|S)$/, 'C, C++, Rust, Go'],
];

/** What a function says it is, what its file tells, what its name looks like: as src/output/flame_colour.c does it. */
function language(name: string, file: string, flags: number): string {
  if (flags & 2 || name.endsWith('_[k]')) return 'kernel';
  if (flags & 1 || name.endsWith('_[i]')) return 'built in';
  if (flags & 12) return 'unknown';
  for (const [ending, found] of ENDINGS) if (ending.test(file)) return found;
  if (name.endsWith('_[j]') || name.includes(':::') || (name.startsWith('L') && name.includes('/'))) return 'Java';
  if (name.includes('\\') || name.includes('->') || name.endsWith('.php')) return 'PHP';
  if (name.includes('.py:') || name.endsWith('.py')) return 'Python';
  return name.includes('::') ? 'C, C++, Rust, Go' : 'other';
}

/** #rrggbb: a canvas takes that faster than hsl(), and boxes are many. */
function hex(hue: number, saturation: number, light: number): string {
  const s = saturation / 100, l = light / 100, a = s * Math.min(l, 1 - l);
  const part = (n: number) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)))).toString(16).padStart(2, '0');
  };
  return '#' + part(0) + part(8) + part(4);
}

function hsl([hue, by, saturation, light]: Family, h: number, dark: boolean): string {
  const tone = (h >>> 8) % 7;
  return hex(hue + (((h >>> 16) % 64) / 64) * by, Math.max(6, saturation - (dark ? 14 : 0)), light + tone - 3 - (dark ? 12 : 0));
}

/** The words that a palette has for functions. */
interface Words {
  words: string[];
  of: Int32Array; // by function
  funcs: number[]; // by word: how many functions
}

const found = new WeakMap<Data, Map<Palette, Words>>();

/** Found once: a report may have many thousand functions, and each picture has a legend. */
export function wordsOf(data: Data, palette: Palette): Words {
  let known = found.get(data);
  if (!known) found.set(data, (known = new Map<Palette, Words>()));
  let out = known.get(palette);
  if (!out) known.set(palette, (out = findWords(data, palette)));
  return out;
}

function findWords(data: Data, palette: Palette): Words {
  const { name, file, flags, n } = data.funcs, of = new Int32Array(n), words: string[] = [], funcs: number[] = [], ids = new Map<string, number>();
  for (let f = 1; f < n; f++) {
    const word = palette === 'module' ? moduleOf(data, f) : language(name[f], file[f], flags[f]);
    let id = ids.get(word);
    if (id === undefined) {
      ids.set(word, (id = words.length));
      words.push(word);
      funcs.push(0);
    }
    of[f] = id;
    funcs[id]++;
  }
  return { words, of, funcs };
}

/** What the colours of functions mean, those with the widest boxes first: a word, its colour, of how many functions. */
export function legend(data: Data, palette: Palette, widths: Float64Array, dark: boolean, most = 8): [string, string, number][] {
  if (palette === 'name') return [];
  const { words, of, funcs } = wordsOf(data, palette), wide = new Float64Array(words.length);
  for (let f = 1; f < of.length; f++) if (widths[f] > 0) wide[of[f]] += widths[f];
  const colour = (word: string) => (palette === 'module' ? moduleColour(word, 0x80000000, dark) : hsl(FAMILIES[word], 0x80000000, dark));
  const before = (a: number, b: number) => wide[b] - wide[a] || (words[a] < words[b] ? -1 : 1);
  const first: number[] = [];
  for (let id = 0; id < words.length; id++) {
    if (!(wide[id] > 0) || (first.length === most && before(id, first[most - 1]) > 0)) continue;
    let to = Math.min(first.length, most - 1);
    for (; to > 0 && before(id, first[to - 1]) < 0; to--) first[to] = first[to - 1];
    first[to] = id;
  }
  return first.map(id => [words[id] || 'no module known', colour(words[id]), funcs[id]]);
}

/** As in src/output/flame_colour.c. */
const MODULE_BITS = 17;

function moduleColour(word: string, h: number, dark: boolean): string {
  return word ? hsl([(hash(word) >>> MODULE_BITS) % 360, 8, 55, 68], h, dark) : hsl(FAMILIES.unknown, h, dark);
}

/** The colour of a function. */
export function frameColour(data: Data, func: number, palette: Palette, dark: boolean): string {
  const f = data.funcs, h = hash(f.name[func]);
  if (!func) return dark ? '#4a4b55' : '#d5d5dc';
  if (palette === 'name') return hsl(WARM, h, dark);
  if (palette === 'language') return hsl(FAMILIES[language(f.name[func], f.file[func], f.flags[func])], h, dark);
  return moduleColour(moduleOf(data, func), h, dark);
}

/** Orange grew, blue shrank; stronger for larger changes. Safe for the colour-blind. */
export function changeColour(change: number, largest: number, dark: boolean): string {
  if (!change || !largest) return dark ? '#5a5b66' : '#e6e6ea';
  const share = Math.min(1, Math.sqrt(Math.abs(change) / largest));
  const l = dark ? 40 + 22 * share : 90 - 32 * share, s = 25 + 65 * share;
  return hex(change > 0 ? 28 : 211, s, l);
}

const inks = new Map<string, string>();

/** What can be read on a colour. */
export function inkOn(colour: string): string {
  let ink = inks.get(colour);
  if (!ink) {
    const part = (at: number) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2;
    ink = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.2 ? '#131317' : '#f4f4f8';
    inks.set(colour, ink);
  }
  return ink;
}
