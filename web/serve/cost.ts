// Costs in their canonical unit, as people read them.

import { bytes, count, time } from '../viewer/text';

export function valueOf(v: number, unit: string): string {
  return unit === 'ns' ? time(v) : unit === 'bytes' ? bytes(v) : count(v);
}
