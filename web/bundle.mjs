// Bundles the viewer into one script: node bundle.mjs OUT
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';

const out = process.argv[2];
await build({
  entryPoints: [new URL('viewer/main.ts', import.meta.url).pathname],
  outfile: out,
  bundle: true,
  minify: true,
  charset: 'ascii',
  format: 'iife',
  target: ['chrome103', 'firefox113', 'safari16.4'],
  legalComments: 'none',
});
// The script stands inside an HTML element: nothing in it may end that.
const text = readFileSync(out, 'utf8');
if (/<\/script|<!--/i.test(text)) throw new Error('the bundle holds "</script" or "<!--"');
writeFileSync(out, text.trimEnd());
