// Colours of frames: equal names have equal colours in every report.

import type { Data } from './data';

export type Palette = 'name' | 'module' | 'language';

function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  return (h ^ (h >>> 13)) >>> 0;
}

/** [hue, how far it goes, saturation, lightness] */
type Family = [number, number, number, number];
const WARM: Family = [14, 36, 82, 66];
const FAMILIES: Record<string, Family> = {
  kernel: [26, 12, 85, 62], builtin: [176, 18, 48, 62], unknown: [230, 10, 8, 72], java: [110, 26, 48, 62],
  php: [262, 28, 55, 72], cpp: [46, 12, 85, 62], other: [4, 16, 78, 70],
};

function language(name: string, flags: number): Family {
  if (flags & 2 || name.endsWith('_[k]')) return FAMILIES.kernel;
  if (flags & 1 || name.endsWith('_[i]')) return FAMILIES.builtin;
  if (flags & 12) return FAMILIES.unknown;
  if (name.endsWith('_[j]') || name.includes(':::') || /^L[\w$]+\//.test(name)) return FAMILIES.java;
  if (name.includes('\\') || name.includes('->') || name.endsWith('.php')) return FAMILIES.php;
  if (name.includes('::')) return FAMILIES.cpp;
  return FAMILIES.other;
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
  return hex(hue + (((h >>> 16) % 64) / 64) * by, saturation - (dark ? 14 : 0), light + tone - 3 - (dark ? 12 : 0));
}

/** One colour per function. */
export function frameColours(data: Data, palette: Palette, dark: boolean): string[] {
  const f = data.funcs, out = new Array<string>(f.n);
  out[0] = dark ? '#4a4b55' : '#d5d5dc';
  for (let i = 1; i < f.n; i++) {
    const h = hash(f.name[i]);
    if (palette === 'module') {
      const key = f.module[i] || f.file[i], m = hash(key);
      out[i] = key ? hsl([(m >>> 4) % 360, 8, 55, 68], h, dark) : hsl(FAMILIES.unknown, h, dark);
    } else {
      out[i] = hsl(palette === 'language' ? language(f.name[i], f.flags[i]) : WARM, h, dark);
    }
  }
  return out;
}

/** Orange grew, blue shrank; stronger for larger changes. Safe for the colour-blind. */
export function changeColour(change: number, largest: number, dark: boolean): string {
  if (!change || !largest) return dark ? '#5a5b66' : '#e6e6ea';
  const share = Math.min(1, Math.sqrt(Math.abs(change) / largest));
  const l = dark ? 40 + 22 * share : 90 - 32 * share, s = 25 + 65 * share;
  return hex(change > 0 ? 28 : 211, s, l);
}
