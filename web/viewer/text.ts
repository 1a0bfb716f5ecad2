// Numbers and names as people read them. Names of a profile reach the page through shown() and dom.ts only.

import type { Metric } from './data';

/** What would move, hide or swap text: C0, DEL, C1, marks of direction, invisible and line separators, lone surrogates. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function spell(c: string): string {
  const code = c.charCodeAt(0);
  return code < 0x100 ? '\\x' + code.toString(16).padStart(2, '0') : '\\u{' + code.toString(16) + '}';
}

/** A name as it may be shown: nothing in it can swap or hide what is read, and it ends somewhere. */
export function shown(name: string, most = 4000): string {
  const text = name.length > most ? name.slice(0, most - 1) + '\u2026' : name;
  return text.replace(UNSEEN, spell);
}

export function escapeXml(text: string): string {
  return shown(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
}

/** A text for CSV; an apostrophe before what a spreadsheet would take for a formula, also behind blanks. */
export function escapeCsv(text: string): string {
  const tame = /^(\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/.test(text) ? "'" + text : text;
  return /[",\r\n]|^ | $/.test(tame) ? '"' + tame.replace(/"/g, '""') + '"' : tame;
}

/** A word for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./\u2026-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}

export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** In the metric's canonical unit. */
export function canonical(m: Metric, raw: number): number {
  const scaled = m.num === 1 && m.den === 1 ? raw : (raw * m.num) / m.den;
  return m.scale ? Number((scaled / 10 ** m.scale).toPrecision(15)) : scaled;
}

function grouped(whole: string): string {
  return whole.replace(/\B(?=(\d{3})+$)/g, ',');
}

export function digits(n: number): string {
  if (!Number.isFinite(n)) return '\u2013';
  if (Number.isInteger(n) && Math.abs(n) < 1e21) return grouped(n.toString());
  const [whole, part] = n.toString().split('.');
  return part && !whole.includes('e') && !part.includes('e') ? grouped(whole) + '.' + part : n.toString();
}

function three(n: number): string {
  const size = Math.abs(n);
  return size >= 100 || Number.isInteger(n) ? n.toFixed(0) : size >= 10 ? n.toFixed(1) : n.toFixed(2);
}

function stepped(n: number, steps: [number, string][], below: string): string {
  for (const [size, name] of steps) if (Math.abs(n) >= size * 0.9995) return three(n / size) + ' ' + name;
  return (Number.isInteger(n) ? String(n) : three(n)) + ' ' + below;
}

export function time(ns: number): string {
  return stepped(ns, [[3600e9, 'h'], [60e9, 'min'], [1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s']], 'ns');
}

/** Times along an axis: one unit, and as many decimals as its steps need, so that no two labels are equal. */
export function timeSteps(most: number, step: number): (ns: number) => string {
  const [size, name] = ([[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s']] as [number, string][]).find(([s]) => Math.abs(most) >= s) ?? [1, 'ns'];
  const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / size) - 1e-9)));
  return ns => {
    const [whole, part] = (ns / size).toFixed(decimals).split('.');
    return (ns === 0 ? '0' : grouped(whole) + (part ? '.' + part : '')) + ' ' + name;
  };
}

export function bytes(n: number): string {
  return stepped(n, [[1024 ** 6, 'EiB'], [1024 ** 5, 'PiB'], [1024 ** 4, 'TiB'], [1024 ** 3, 'GiB'], [1024 ** 2, 'MiB'], [1024, 'KiB']], 'B');
}

export function count(n: number): string {
  return Math.abs(n) >= 1e7 ? stepped(n, [[1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M']], '').trim() : digits(Number.isInteger(n) ? n : Number(three(n)));
}

/** A value for people: 1.25 ms, 3.4 MiB, 12,345. */
export function value(m: Metric, raw: number): string {
  const v = canonical(m, raw);
  return m.unit === 'ns' ? time(v) : m.unit === 'bytes' ? bytes(v) : count(v);
}

/** With the unit's name behind counts. */
export function valueNamed(m: Metric, raw: number): string {
  return m.unit === 'ns' || m.unit === 'bytes' ? value(m, raw) : value(m, raw) + ' ' + (m.unit === 'count' ? shown(m.title || m.name, 40) : m.unit);
}

/** Every digit: 1,250,000 ns. */
export function exact(m: Metric, raw: number): string {
  return digits(canonical(m, raw)) + ' ' + m.unit;
}

export function percent(part: number, whole: number): string {
  if (!(whole > 0)) return '';
  const p = (100 * part) / whole;
  if (p === 0) return '0%';
  if (Math.abs(p) < 0.005) return p > 0 ? '<0.01%' : '>-0.01%';
  return (Math.abs(p) >= 99.95 ? p.toFixed(0) : Math.abs(p) >= 10 ? p.toFixed(1) : p.toFixed(2)) + '%';
}

/** A share of the whole, if it is one: a file may state calls that cost more than all functions by themselves. */
export function share(part: number, whole: number): string {
  return part > whole * 1.0005 ? '' : percent(part, whole);
}

export function plural(n: number, one: string, many: string): string {
  return digits(n) + ' ' + (n === 1 ? one : many);
}

/** Far Eastern letters; punctuation, arrows and boxes are not. */
function isWide(code: number): boolean {
  return code > 0x1100 && !(code >= 0x2000 && code < 0x2e80);
}

/** Columns that a text takes in a font of one width. */
export function columns(text: string): number {
  let n = 0;
  for (let i = 0; i < text.length; i++) n += isWide(text.charCodeAt(i)) ? 2 : 1;
  return n;
}

/** Whether one pair of brackets holds all of a name, which is its name then: "(garbage collector)", "<lambda>". */
function isBracketed(name: string, open: string, close: string): boolean {
  if (name.length < 3 || name[0] !== open || !name.endsWith(close)) return false;
  let depth = 0;
  for (let i = 0; i < name.length - 1; i++) {
    if (name[i] === open) depth++;
    else if (name[i] === close && --depth === 0) return false;
  }
  return depth === 1;
}

/** What stands in brackets of one kind, but for those around everything, as an ellipsis. */
function withoutInside(name: string, open: string, close: string, keep = ''): string {
  if (isBracketed(name, open, close)) return name;
  let out = '', depth = 0;
  for (let i = 0; i < name.length; i++) {
    const c = name[i], arrow = c === '>' && name[i - 1] === '-'; // A->b
    if (keep && depth === 0 && c === '(' && name.startsWith(keep, i)) {
      out += keep;
      i += keep.length - 1;
    } else if (c === open && !(open === '<' && depth === 0 && /operator<*$/.test(out))) {
      if (depth++ === 0) out += open + (name[i + 1] === close ? '' : '\u2026');
    } else if (c === close && depth > 0 && !arrow) {
      if (--depth === 0) out += close;
    } else if (depth === 0) out += c;
  }
  return depth ? name : out;
}

const ANONYMOUS = '(anonymous namespace)'; // brackets that hold no arguments

/** A name without what stands in brackets. */
function plainName(name: string, keep = ''): string {
  return withoutInside(withoutInside(name, '<', '>'), '(', ')', keep);
}

/** Where a name begins behind what it returns: "bool std::less<\u2026>::operator()(\u2026)"; 0 when it says nothing of that. */
function behindType(plain: string): number {
  const open = plain.indexOf('('), word = plain.slice(0, Math.max(0, open)).indexOf('operator'), at = plain.lastIndexOf(' ', (word < 0 ? open : word) - 1) + 1;
  return open > 0 && at > 1 && plain[at] !== '(' && plain.slice(-8).includes(')') ? at : 0;
}

let wanted: 'short' | 'full' | undefined;

/** How much of names labels show, as --names said: never what is in brackets, or all from the start; else as there is room. */
export function wantNames(how: 'short' | 'full' | undefined): void {
  wanted = how;
}

/** As much of the start as fits. */
function fitStart(text: string, room: number): string {
  const letters = [...text];
  let i = 0;
  for (let n = 0; i < letters.length && n + columns(letters[i]) < room; i++) n += columns(letters[i]);
  return letters.slice(0, i).join('').replace(/\u2026+$/, '') + '\u2026';
}

/** As much of the end as fits. */
export function fitEnd(text: string, room: number): string {
  const letters = [...text];
  let i = letters.length;
  for (let n = 0; i > 0 && n + columns(letters[i - 1]) < room; i--) n += columns(letters[i - 1]);
  return '\u2026' + letters.slice(i).join('');
}

/** Where the symbols of an operator stand in a name: brackets among them do not match up. */
const OPERATOR = /(?<![\w\x80-\uffff])operator(?![\w\x80-\uffff])[()[\]<>=!+\-*/%^&|~,]*/y;

/** The functions of a name that callgrind wrote, "f'2'main'(below main)": as src/text/signature.c splits it, else the name alone. */
function splitCallers(name: string): string[] {
  const parts: string[] = [];
  let from = 0, depth = 0, blank = false, brackets = false;
  for (let i = 0; i <= name.length; i++) {
    const c = name[i] ?? '', divides = !depth && c === "'" && /[\w\x80-\uffff)>\]}$?]/.test(name[i - 1] ?? '') && /[\w\x80-\uffff(<{[~.$?\-+/]/.test(name[i + 1] ?? '');
    OPERATOR.lastIndex = i;
    if (!c || (divides && i > from)) {
      if (blank && !brackets) return [name];
      parts.push(name.slice(from, i));
      [from, depth, blank, brackets] = [i + 1, 0, false, false];
    } else if (c === 'o' && OPERATOR.test(name)) {
      i = OPERATOR.lastIndex - 1;
      brackets = true;
    } else if ('(<[{'.includes(c)) {
      depth++;
      brackets = true;
    } else if ((c === '>' && name[i - 1] !== '-') || ')]}'.includes(c)) {
      depth -= depth ? 1 : 0;
    } else if (!depth && c === ' ') {
      blank = true;
    } else if (!depth && (c === '`' || c === "'")) {
      const end = name.indexOf("'", i + 1);
      if (end > i + 1) i = end;
    }
  }
  return parts;
}

/** A name in parts: the function, " [clone .isra.0]" as a mark, and what callgrind puts behind it: a level of recursion, callers. */
function tailOf(name: string): { core: string; mark: string; callers: string } {
  const own = name.includes("'") ? splitCallers(name)[0] : name, [, core, clones] = /^(.*?)((?: \[clone [^\]]*\])*)$/s.exec(own)!;
  const kinds = [...clones.matchAll(/\[clone \.([^\].]*)/g)].map(m => m[1]);
  return { core, mark: kinds.length ? ` [${kinds.join(' ')}]` : '', callers: name.slice(own.length) };
}

/** The most columns of a short name. */
const SHORT_MOST = 60;

/** Callers in as few words as show all of them. */
function shortCallers(callers: string): string {
  return !callers ? '' : splitCallers(callers.slice(1)).map(caller => {
    const { core, mark } = tailOf(caller);
    return "'" + plainName(core.slice(behindReturn(core)), ANONYMOUS) + mark;
  }).join('');
}

/** Where the name of a template begins behind its return type, outside of all brackets; only templates state theirs. */
function behindReturn(core: string): number {
  const end = core.replace(/( const| volatile| noexcept| &&?)+$/, '');
  if (!end.endsWith(')')) return 0;
  let at = end.length, depth = 0, begin = 0;
  while (at-- > 0) {
    if (end[at] === ')') depth++;
    else if (end[at] === '(' && --depth === 0) break;
  }
  if (at <= 0 || end[at - 1] !== '>') return 0;
  depth = 0;
  for (let i = 0; i < at; i++) {
    const c = end[i];
    if (!depth && /^operator\W/.test(end.slice(i, i + 9)) && !/\w/.test(end[i - 1] ?? '')) break;
    if ('<([{'.includes(c)) depth++;
    else if (')]}'.includes(c) || (c === '>' && end[i - 1] !== '-')) depth -= depth ? 1 : 0;
    else if (c === ' ' && !depth && !/^(const|volatile|&)/.test(end.slice(i + 1))) begin = i + 1;
  }
  return /#|\b(in|to|for|of|get|set|new|static|async) *$/.test(end.slice(0, begin)) ? 0 : begin;
}

/** Parameters at the end of a name without what they contain. */
const PARAMETERS = /(?<!operator)(?<=[^.:( ])\(\u2026?\)( const| volatile| noexcept| &&?)*$/;

/** Where a function's own name begins: its last part, without brackets. */
function ownBegin(plain: string): number {
  const bare = plain.replace(PARAMETERS, '').replace(/<\u2026?>$/, '');
  return Math.max(0, ...[...bare.matchAll(/\\|::|->|\/|\.(?=[^.])/g)].map(m => m.index + m[0].length));
}

/** The columns of a function's own name. */
function ownColumns(plain: string): number {
  return columns(plain.slice(ownBegin(plain)).replace(PARAMETERS, '').replace(/<\u2026?>$/, ''));
}

/**
 * A name that fits. What compilers and callgrind put around it goes first: clones become a mark, then the return type, the
 * level of recursion and callers go; the mark stays as long as all of the function's own name is still seen. As
 * src/text/shorten.c does it.
 */
export function fitName(name: string, room: number): string {
  if (wanted !== 'short' && (name.length * 2 <= room || columns(name) <= room)) return name;
  const { core, mark, callers } = tailOf(name), begin = behindReturn(core);
  if (wanted === 'short') [name, room] = [plainName(core.slice(begin), ANONYMOUS) + mark + shortCallers(callers), Math.min(room, SHORT_MOST)];
  if (name.length * 2 <= room || columns(name) <= room) return name;
  if (wanted === 'full' || !(mark || begin || callers)) return fitCore(name, room);
  const bare = wanted === 'short' ? plainName(core.slice(begin), ANONYMOUS) : core.slice(begin);
  for (const text of [core + mark + callers, bare + mark + callers, bare + mark + shortCallers(callers), bare + mark]) if (columns(text) <= room) return text;
  const left = room - columns(mark);
  return left > ownColumns(plainName(bare)) ? fitCore(bare, left) + mark : fitCore(bare, room);
}

/**
 * The function itself: first what stands in angle brackets and parentheses goes, then what leads to it (namespaces,
 * packages, directories), so that what tells it from others stays. As src/text/shorten.c does it.
 */
function fitCore(name: string, room: number): string {
  if (name.length * 2 <= room || columns(name) <= room) return name;
  if (wanted === 'full') return fitStart(name, room);
  const angles = withoutInside(name, '<', '>'), roomy = plainName(name, ANONYMOUS);
  let plain = plainName(name);
  for (const text of [angles, roomy, plain]) if (columns(text) <= room) return text;
  const own = ownColumns(plain), begin = ownBegin(plain);
  // Empty brackets go before the function's own name is cut.
  if (columns(plain.slice(begin)) >= room) plain = plain.replace(PARAMETERS, '');
  if (columns(plain.slice(begin)) >= room) plain = plain.replace(/<\u2026>$/, '');
  if (own === room) return fitOwn(plain, room);
  if (columns(plain) <= room) return plain;
  let last = behindType(plain);
  if (last && columns(plain.slice(last)) + 1 <= room) return '\u2026' + plain.slice(last);
  for (const part of plain.matchAll(/\\|::|->|\/|\.(?=[^.])/g)) {
    const path = part[0] === '/' || part[0] === '\\', from = part.index + (path ? 0 : part[0].length), rest = plain.slice(part.index + part[0].length);
    if (from < last) continue;
    // A class stays with its method, a file with its ending.
    if (!rest || part[0] === '->' || (!path && !/\\|\/|::|->|\.[^.]/.test(rest))) continue;
    last = from;
    if (columns(plain.slice(from)) + 1 <= room) return '\u2026' + plain.slice(from);
  }
  if (last && room < 8) return fitEnd(plain, room); // there is no room for two ellipses
  const text = (last ? '\u2026' : '') + plain.slice(last), method = Math.max(...[...text.matchAll(/\\|::|->|\/|\.(?=[^.])/g)].map(m => m.index).filter(i => i > 0), 0), tail = text.slice(method);
  const left = room - columns(tail);
  if (method && left < 1 && left > -2 && /^(::|->)/.test(tail)) return '\u2026' + tail.slice(2);
  return !method || left < 1 ? fit(text, room) : (left < 6 ? '\u2026' : fitStart(text.slice(0, method), left)) + tail;
}

/** The last part of a name, which is as wide as there is room for. */
function fitOwn(plain: string, room: number): string {
  let at = plain.length;
  while (at > 0 && columns(plain.slice(at)) < room) at--;
  return plain.slice(at);
}

/** A name in a box: nothing where only one or two letters of it would be seen. */
export function fitLabel(name: string, room: number): string {
  return room >= 5 || columns(name) <= room ? fitName(name, room) : '';
}

/** FILE:LINE whose number is never cut. */
export function fitPlace(file: string, line: number, room: number): string {
  const number = line ? ':' + line : '';
  return fit(file, Math.max(3, room - number.length)) + number;
}

/** A text with an ellipsis for as much of its middle as does not fit. */
export function fit(text: string, room: number): string {
  if (text.length * 2 <= room || columns(text) <= room) return text;
  const letters = [...text], head = Math.floor((room - 1) / 2), tail = Math.max(0, room - 1 - head);
  let a = 0, b = letters.length, n = 0;
  while (a < b && n + columns(letters[a]) <= head) n += columns(letters[a++]);
  for (n = 0; b > a && n + columns(letters[b - 1]) <= tail;) n += columns(letters[--b]);
  return (letters.slice(0, a).join('') + '\u2026' + letters.slice(b).join('')).replace(/\u2026{2,}/g, '\u2026');
}

/** A moment in seconds since 1970. */
export function moment(seconds: number): string {
  return seconds > 0 && seconds < 1e11 ? new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19) + ' UTC' : '';
}
