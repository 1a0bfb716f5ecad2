// Starts the viewer: reads the data that stands in the page and shows it.

import { App } from './app';
import { load } from './data';
import { el } from './dom';
import { wantNames } from './text';

async function start(): Promise<void> {
  const holder = document.getElementById('data')!, began = performance.now();
  try {
    const data = await load(holder.textContent!);
    holder.remove();
    wantNames(data.meta.names);
    new App(data);
    document.documentElement.dataset.nodes = String(data.tree.n);
    document.documentElement.dataset.ready = (performance.now() - began).toFixed(0);
  } catch (error) {
    document.body.append(el('p', { class: 'lacks', role: 'alert' }, `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}. ` +
      'It needs a browser released since 2023 (DecompressionStream).'));
    throw error;
  }
}

void start();
