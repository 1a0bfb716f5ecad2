// Bundles the viewer of reports, or the web app around it, into one script: node bundle.mjs OUT [ENTRY]
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';

const [, , out, entry = 'viewer/main.ts'] = process.argv;
await build({
  entryPoints: [new URL(entry, import.meta.url).pathname],
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
