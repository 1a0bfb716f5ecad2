// What is chosen of stores: how many profiles that are. Several on each side of a comparison are runs of the same, so what one of
// them costs is compared, as `polyprof diff` does: sums would say no more than that there are more of one than of the other.

import type { Data } from '../viewer/data';
import type { Params } from './api';
import { Refused, askJson } from './api';
import type { Question } from './question';
import { split } from './question';
import { listSources } from './sources';

/** How many profiles each file of the question stands for; null where that is not known, as of a file. */
export async function runsOf(question: Question): Promise<(number | null)[]> {
  const times: Params = [], chosen: Params = [];
  for (const [key, value] of question.params)
    if (key === 'since' || key === 'until') times.push([key, value]);
    else if (key === 'between') times.push(['since', value.split('..')[0]], ['until', value.split('..').slice(1).join('..')]);
    else if (key === 'where') chosen.push([key, value]);
  const stores = (await listSources().catch(() => [])).filter(s => s.kind === 'store').map(s => s.name);
  return Promise.all(question.files.map(async file => {
    const [name, where] = split(file);
    if (!stores.some(s => s === name || s.endsWith('/' + name))) return null;
    try {
      const { profiles, cut } = await askJson<{ profiles: unknown[]; cut?: { rows: number } }>('store', [['file', name], ...(where ? [['where', where] as [string, string]] : chosen), ...times, ['n', '1']]);
      return profiles.length + (cut?.rows ?? 0);
    } catch (error) {
      if (error instanceof Refused) return null;
      throw error;
    }
  }));
}

/** Says how many profiles there are; what is compared becomes what one of them costs. */
export function count(data: Data, runs: (number | null)[]): void {
  const { profiles } = data.meta, compares = profiles.length === 2 && runs.some(n => n !== null && n > 1);
  if (runs.length !== profiles.length) return;
  profiles.forEach((p, k) => {
    if (runs[k] !== null) p.runs = runs[k]!;
    if (!compares || !p.runs) return;
    p.means = true;
    for (const m of p.metrics) {
      m.den *= p.runs;
      m.total /= p.runs;
      m.period /= p.runs; // a mean is as much more certain than one run
    }
  });
  // They tell of sums.
  if (compares) data.meta.facts = [];
}
