// Files that are dropped on the page, or chosen: the server keeps what it read in its memory, or adds it to its store.

import { button, el, toast } from '../viewer/dom';
import { bytes as sizeText, shown } from '../viewer/text';
import type { Params } from './api';
import { post } from './api';
import { viewAddress } from './question';
import { listSources } from './sources';

async function look(file: File): Promise<void> {
  const { file: name } = await post<{ file: string }>('drop', [['name', file.name]], file);
  location.assign(viewAddress([['file', name]]));
}

async function keep(file: File, labels: string): Promise<void> {
  const params: Params = labels.split(/[\s,]+/).filter(Boolean).map(l => ['label.' + l.split('=')[0], l.split('=').slice(1).join('=')]);
  await post('add', [['name', file.name], ...params], file);
  location.assign('/');
}

/** Asks what to do where there is a choice. */
function ask(file: File, done: (run: () => Promise<void>) => void): void {
  const add = () => (dialog.close(), done(() => keep(file, labels.value)));
  const labels = el('input', { type: 'text', 'aria-label': 'Labels', placeholder: 'service=web version=2.1', spellcheck: 'false', autocomplete: 'off', onkeydown: (e: KeyboardEvent) => e.key === 'Enter' && add() });
  const dialog = el('dialog', { class: 'drop', 'aria-label': 'What to do with the file' }, el('h2', {}, shown(file.name, 100)), el('p', {}, sizeText(file.size)),
    el('label', {}, el('span', {}, 'Labels, for the store'), labels), el('p', { class: 'row' },
      button('Look at it', 'Only look at it: the server forgets it when it ends', () => (dialog.close(), done(() => look(file)))),
      button('Add to the store', 'Add it to the store with these labels', add),
      button('Cancel', 'Cancel', () => dialog.close())));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Where the page has no place for what went wrong, it is said above it. */
function complain(text: string): void {
  const place = document.querySelector('.problems'), said = el('p', { class: 'lacks', role: 'alert' }, shown(text, 400));
  document.querySelector('.toast')?.remove();
  if (place) return place.replaceChildren(said);
  const dialog = el('dialog', { class: 'drop problems', 'aria-label': 'The file was not read' }, said, el('p', { class: 'row' }, button('Close', 'Close', () => dialog.close())));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

async function take(file: File, of: number): Promise<void> {
  const run = (what: () => Promise<void>) => {
    toast(`Reading ${shown(file.name, 60)}${of > 1 ? `, the first of ${of}` : ''}\u2026`);
    what().catch(error => complain(`${file.name}: ${error instanceof Error ? error.message : String(error)}`));
  };
  const stores = await listSources().then(list => list.some(s => s.kind === 'store' && s.writable), () => false);
  if (stores) ask(file, run);
  else run(() => look(file));
}

/** Lets files be dropped anywhere; returns how to choose one instead. */
export function acceptFiles(): () => void {
  const over = el('div', { class: 'dropping', hidden: true, 'aria-hidden': 'true' }, 'Drop a profile to look at it'), chooser = el('input', { type: 'file', hidden: true, 'aria-label': 'File' });
  const holds = (e: DragEvent) => e.dataTransfer?.types.includes('Files') ?? false;
  let depth = 0;
  window.addEventListener('dragenter', e => {
    if (!holds(e)) return;
    depth++;
    over.hidden = false;
  });
  window.addEventListener('dragover', e => holds(e) && e.preventDefault());
  window.addEventListener('dragleave', e => {
    if (holds(e) && --depth <= 0) over.hidden = true;
  });
  window.addEventListener('drop', e => {
    if (!holds(e)) return;
    e.preventDefault();
    depth = 0;
    over.hidden = true;
    const { files } = e.dataTransfer!;
    if (files[0]) void take(files[0], files.length);
  });
  chooser.addEventListener('change', () => chooser.files?.[0] && void take(chooser.files[0], 1));
  document.body.append(over, chooser);
  return () => chooser.click();
}
