// What is asked about, as the address of the page says it: files, directories, stores, and what of them.

import type { Params } from './api';

/** Words of the address that say which profiles are meant; all others belong to the list. */
const KEYS = ['file', 'where', 'since', 'until', 'between', 'merge', 'metric', 'source'];

export interface Question {
  files: string[];
  params: Params; // all of it, as the server takes it
}

export function questionOf(search: string): Question {
  const params = [...new URLSearchParams(search)].filter(([key]) => KEYS.includes(key));
  return { files: params.filter(([key]) => key === 'file').map(([, value]) => value), params };
}

export function viewAddress(params: Params): string {
  return '/?' + new URLSearchParams(params).toString();
}

/** A source and what is chosen of it: "prof.ppdb?where=version=2.1". */
export function split(file: string): [string, string] {
  const at = file.indexOf('?where=');
  return at < 0 ? [file, ''] : [file.slice(0, at), file.slice(at + 7)];
}

/** Seconds since 1970 as people read them, in UTC. */
export const moment = (seconds: number) => new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 16);

/** A time of an address: what a picture was clicked at is counted in seconds. */
const when = (said: string) => (/^@\d{1,11}$/.test(said) ? moment(Number(said.slice(1))) : said);

/** What is asked about, for people. */
export function titleOf(q: Question): string {
  const says = (key: string) => q.params.filter(p => p[0] === key).map(p => p[1]).join(', '), short = (f: string) => f.replace(/^.*\/(?=.)/, '');
  const [first] = q.files.map(f => split(f)[0]), same = q.files.length > 1 && q.files.every(f => f !== first && split(f)[0] === first);
  const name = (f: string) => [short(split(f)[0]), split(f)[1]].filter(Boolean).join(' '), names = q.files.map(f => (same ? split(f)[1] || 'all' : name(f)));
  const parts = [(same ? short(first) + ': ' : '') + names.join(says('merge') || q.files.length > 2 ? ' + ' : ' \u2192 ')];
  if (says('where')) parts.push(says('where'));
  if (says('since')) parts.push('since ' + when(says('since')));
  if (says('until')) parts.push('until ' + when(says('until')));
  if (says('between')) parts.push(says('between'));
  return parts.join(', ');
}

/** Whether something is chosen of what is named, or added up: then names of files do not tell what it is. */
export const chooses = (q: Question) => q.files.length > 2 || q.files.some(f => split(f)[1]) || q.params.some(([key]) => key !== 'file' && key !== 'metric');

/** The same as words of a command line. */
export const wordsOf = (q: Question) => [...q.files, ...q.params.filter(([key]) => key !== 'file' && key !== 'metric').flatMap(([key, value]) => (key === 'merge' ? ['--merge'] : ['--' + key, value]))];
