// What the page's parts promise each other: views, what is pointed at, and a server behind the page.

import type { Data, Metric } from './data';
import type { Picture } from './export';
import type { Call } from './model';
import type { Of, Runs } from './noise';

export interface Panel {
  host: HTMLElement;
  update(): void; // the scene or the options changed
  search(): void; // only what is searched for changed
  step?(by: number): void; // to the next or previous match
  focus(): void;
  press?(e: KeyboardEvent): void; // a key that nothing else took
  options?(): Node[];
  csv?(): string;
  drawn?: boolean; // false: there is no picture to save
  picture?(): Picture | null; // all of it, whatever part is in sight
  print?(on: boolean): void; // paper does not scroll
}

/** What the details line tells about. */
export interface Thing {
  func: number;
  more?: number;
  self?: number[];
  total: number[];
  calls?: number | null;
  parent?: number[]; // total of the frame it lies in
  whole?: number; // what shares are of, where that is not everything
  zoom?: number[];
  stack?: number[]; // functions, root first
  note?: string;
  judged?: Of | 'function'; // what the costs are a part of, where profiles are compared; or all of the function's
  own?: string; // what one call costs, before what all its like do
}

/** What part of a profile is looked at: an option of the command line and its value. */
export type Part = [string, string];

/** A server that knows more than the page was given. */
export interface Remote {
  home: string; // where all profiles are listed
  about: string; // the question that was asked
  verbs: boolean; // it answers those of the command line
  /** The same with what lies below a node of its tree. */
  more(data: Data, node: number): Promise<Data>;
  /** What filters leave, with functions numbered as in other data. */
  filtered(parts: Part[], like: Data): Promise<Data>;
  /** The same with all functions in its list. */
  functions(data: Data): Promise<Data>;
  /** The same with all lines of a source file. */
  lines(data: Data, file: string): Promise<Data>;
  /** Who calls a function and whom it calls, in one metric. */
  calls(func: number, metric: Metric, parts: Part[], data: Data): Promise<{ callers: Call[]; callees: Call[] }>;
  /** What the stacks cost in which a function matches. */
  matching(pattern: string, metric: Metric, parts: Part[]): Promise<number>;
  /** What comparing the runs of each side tells, as `diff` does it. */
  verdicts(parts: Part[], metric: Metric, normalize: boolean, data: Data, stop: AbortSignal): Promise<Runs>;
}
