// What can be done with a function: the menu that opens on it.

import type { App } from './app';
import { copy } from './dom';
import type { FilterKind } from './filters';
import { openMenu } from './menu';
import { filterModule } from './modules';
import { escapeRegex, fitName } from './text';

export function functionMenu(app: App, func: number, x: number, y: number, first: [string, () => void][],
                             hasStack: boolean): void {
  if (!func) return;
  const hasTree = app.data.tree.n > 1, f = app.data.funcs, module = filterModule(app.data, func);
  openMenu(x, y, fitName(app.name(func), 56), [
    ...first,
    ['Callers and callees', () => app.sandwich(func)],
    ...(app.hasSource(func) ? [['Its source', () => app.source(func)] as [string, () => void]] : []),
    ...(hasTree ? [
      ['Focus: only stacks with it', () => app.filterFunc('focus', func)],
      ['Focus on its subtree', () => app.set({ filters: [...app.state.filters, ...(['focus', 'show-from'] as FilterKind[]).map(kind => ({ kind, pattern: '^' + escapeRegex(f.name[func]) + '$' }))] })],
      ['Drop it: no stacks with it', () => app.filterFunc('ignore', func)],
      ['Merge it into its callers', () => app.filterFunc('hide', func)],
      ['Collapse its recursion', () => app.filterFunc('collapse', func)],
      ...(module ? [['Collapse its module', () => app.addFilter('collapse', 'module:^' + escapeRegex(module) + '$')]] : []),
      ...(f.file[func] ? [['Collapse its file', () => app.addFilter('collapse', 'file:^' + escapeRegex(f.file[func]) + '$')]] : []),
      ['Show from: cut what is above', () => app.filterFunc('show-from', func)],
      ...(f.file[func] ? [['Show only frames of this file', () => app.addFilter('show', 'file:^' + escapeRegex(f.file[func]) + '$')]] : []),
      ...(module ? [['Show only frames of this module', () => app.addFilter('show', 'module:^' + escapeRegex(module) + '$')]] : []),
    ] as [string, () => void][] : []),
    ['Search this name', () => app.set({ search: '^' + escapeRegex(f.name[func]) + '$' }, 'quiet')],
    ['Copy name', () => void copy(f.name[func], 'the name')],
    ...(hasStack ? [['Copy stack', () => app.copyStack()] as [string, () => void]] : []),
  ]);
}
