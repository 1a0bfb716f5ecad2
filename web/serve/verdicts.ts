// What `diff` says of each function: the page has sums and means, the server has the runs.

import type { Data, Told } from '../viewer/data';
import { loadTold } from '../viewer/data';
import type { Runs, Verdict } from '../viewer/noise';
import type { Params } from './api';
import { askBytes } from './api';

const WORDS: Verdict[] = ['same', 'noise', 'grew', 'shrank', 'new', 'gone'];
/** By how much the numbers of profiles may differ: some come in while others are added up. */
const NEAR = 0.02;

type Both = readonly [Verdict, Verdict];
type Funcs = Data['funcs'];

/** How functions are told from each other, the strictest first: runs of one side may differ in where a function begins. */
const KEYS = [
  (f: Funcs, i: number) => JSON.stringify([f.name[i], f.file[i], f.module[i], f.line[i]]),
  (f: Funcs, i: number) => JSON.stringify([f.name[i], f.file[i]]),
  (f: Funcs, i: number) => f.name[i],
];

/** Of some functions what they have in common; null: nothing. */
const common = (all: Both[]) => (all.every(v => v[0] === all[0][0] && v[1] === all[0][1]) ? all[0] : null);

class Verdicts implements Runs {
  private known = KEYS.map(() => new Map<string, Both[]>());
  private alike = new Map<string, number[]>(); // functions of the page that a key does not tell apart
  private seen = 1;

  constructor(readonly rule: string, readonly whole: Verdict, parts: Told[], private funcs: Funcs) {
    for (const { funcs: told, self, total } of parts)
      for (let i = 0; i < told.n; i++) KEYS.forEach((key, k) => {
        const word = key(told, i), list = this.known[k].get(word), both: Both = [WORDS[self[i]], WORDS[total[i]]];
        if (list) list.push(both);
        else this.known[k].set(word, [both]);
      });
  }

  of(func: number): Both | null {
    const { funcs } = this;
    for (; this.seen < funcs.n; this.seen++) {
      const word = KEYS[0](funcs, this.seen);
      this.alike.set(word, [...(this.alike.get(word) ?? []), this.seen]);
    }
    for (const [k, key] of KEYS.entries()) {
      const word = key(funcs, func), found = this.known[k].get(word);
      if (!found) continue;
      const alike = k ? [] : this.alike.get(word)!; // both are in the order of their columns
      return alike.length === found.length ? found[alike.indexOf(func)] : common(found);
    }
    return null;
  }
}

export async function runsTold(params: Params, data: Data, stop: AbortSignal): Promise<Runs> {
  const parts: Told[] = [];
  for (let from = 0, more = true; more; more = from > 0) {
    const { packed } = await askBytes('verdicts', [...params, ...(from ? [['from', String(from)] as [string, string]] : [])], stop), part = await loadTold(packed);
    parts.push(part);
    from = part.meta.next;
  }
  const [{ meta }] = parts, shown = data.meta.profiles.map(p => p.runs ?? 1);
  if (shown.some((n, k) => Math.abs(n - meta.runs[k]) > NEAR * n)) throw new Error(`there are ${meta.runs.join(' and ')} now, and ${shown.join(' and ')} are shown: reload the page`);
  return new Verdicts(meta.rule, meta.status as Verdict, parts, data.funcs);
}
