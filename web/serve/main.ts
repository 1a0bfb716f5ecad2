// The web app of `polyprof serve`: what the address says is listed, opened or drawn over time.

import { el } from '../viewer/dom';
import { shown } from '../viewer/text';
import { acceptFiles } from './drop';
import { ListPage } from './list';
import { questionOf, titleOf } from './question';
import { openViewer } from './remote';
import { openTrend } from './trend';

async function start(): Promise<void> {
  const question = questionOf(location.search), add = acceptFiles(), theme = new URLSearchParams(location.hash.slice(1)).get('theme');
  document.documentElement.dataset.theme = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches) ? 'dark' : 'light';
  try {
    if (new URLSearchParams(location.search).has('trend')) await openTrend(question);
    else if (question.files.length) await openViewer(question);
    else new ListPage(document.body, add);
  } catch (error) {
    document.querySelectorAll('body > .app').forEach(e => e.remove());
    const title = shown(titleOf(question), 200);
    document.title = `${title} \u2013 polyprof`;
    document.body.append(el('main', { class: 'lacks problem' }, el('h1', {}, title), el('p', { role: 'alert' }, shown(error instanceof Error ? error.message : String(error), 600)), el('p', {}, el('a', { href: '/' }, 'All profiles'))));
    document.documentElement.dataset.failed = '1';
  }
}

void start();
