// Whose a function is: its library, or the package, namespace or class that its name tells. As src/model/module_name.c has it.

import type { Data } from './data';

const LONGEST = 1024; // of longer names only the start is looked at

/** As much of a name as tells whose it is: at most two parts of a namespace. */
function owner(name: string, between: string): string {
  const parts = name.split(between);
  return parts.slice(0, Math.min(2, parts.length - 1)).join(between);
}

/** The namespace, package or class that a name tells; '' = none. */
function inName(name: string): string {
  const end = name.search(/[<(\s]/), plain = end > 0 ? name.slice(0, end) : name;
  if (plain.includes('\\')) return owner(plain.replace(/(::|->).*$/s, ''), '\\') || plain;
  return plain.includes('::') ? owner(plain, '::') : plain.includes('->') ? plain.slice(0, plain.indexOf('->')) : '';
}

function beforeDot(name: string): string {
  const dot = name.indexOf('.', name.lastIndexOf('/') + 1);
  return dot > 0 && !name.includes('::') ? name.slice(0, dot) : '';
}

/** What functions are asked for again and again, by function. */
function remembered(find: (data: Data, func: number) => string): (data: Data, func: number) => string {
  const known = new WeakMap<Data, string[]>();
  return (data, func) => {
    let of = known.get(data);
    if (!of) known.set(data, (of = []));
    return (of[func] ??= find(data, func));
  };
}

/** What decides a colour: as src/output/flame_colour.c does it, also the kernel and, where nothing else is known, the file. */
export const moduleOf = remembered(({ funcs }, func) => {
  if (funcs.flags[func] & 2) return 'kernel';
  const name = funcs.name[func].slice(0, LONGEST);
  return funcs.module[func].replace(/^.*\//, '') || inName(name) || funcs.file[func].replace(/^.*\//, '') || beforeDot(name);
});

/** What "module:" in filters means: the library as the file names it, or what the name tells. */
export const filterModule = remembered(({ funcs }, func) => {
  const name = funcs.name[func].slice(0, LONGEST);
  return funcs.module[func] || inName(name) || beforeDot(name);
});
