// Servers that browsers are sent to.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { here, homes, program, settle } from './kit.mjs';

const axe = readFileSync(createRequire(join(here, 'web', 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');

/** A server on a port of its own: where it is, and how it is ended. */
export async function serve(...args) {
  const server = spawn(program, ['serve', ...args, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const at = await new Promise((resolve, reject) => {
    let said = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', text => {
      said += text;
      const found = /http:\/\/[\d.:]+/.exec(said);
      if (found) resolve(found[0]);
    });
    server.on('exit', code => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  server.removeAllListeners('exit');
  // A test that fails on its way does not wait for it.
  for (const e of [server, server.stdout, server.stderr]) e.unref();
  process.on('exit', () => server.kill());
  homes.push(at);
  return { at, end: () => new Promise(resolve => server.on('exit', resolve) && (server.ref(), server.kill('SIGTERM'))) };
}

/** Opens a page of a server. */
export async function visit(p, server, address) {
  await p.goto('about:blank');
  await p.goto(server + '/' + address);
  await p.waitForSelector('html[data-ready]', { timeout: 60000 });
  await settle(p);
}

/** Waits until the page has all answers. */
export async function answered(p) {
  await p.waitForFunction(() => document.querySelector('.busy')?.hidden !== false);
  await settle(p);
}

/** What axe-core finds; the policy of the page lets no script in, so it is run from outside of it. */
export async function complaints(p) {
  await p.evaluate(axe);
  return p.evaluate(async () => (await window.axe.run(document, { resultTypes: ['violations'] })).violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html).join(' | ')}`));
}
