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

/** What is asked about, for people. */
export function titleOf(q: Question): string {
  const says = (key: string) => q.params.filter(p => p[0] === key).map(p => p[1]).join(', ');
  const parts = [q.files.map(f => f.replace(/^.*\/(?=.)/, '')).join(says('merge') ? ' + ' : ' \u2192 ')];
  if (says('where')) parts.push(says('where'));
  if (says('since')) parts.push('since ' + says('since'));
  if (says('until')) parts.push('until ' + says('until'));
  return parts.join(', ');
}
