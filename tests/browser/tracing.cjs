// The importer of Chrome's own tracing page, which npm has as `traceviewer`: node tracing.cjs PACKAGE FILE... What it makes of each trace, as JSON:
// {"rows": [[name, self, total, slices]...] in ns, "counters": {name: steps}, "async": events, "warnings": [...]}
//
// Its sources are pages that import each other; only what the importer needs is run here. Vectors, which nothing of that draws with, are left out.
const fs = require('fs'), os = require('os'), path = require('path'), vm = require('vm');

const [root, ...files] = process.argv.slice(2), pages = path.join(root, 'tracing'), seen = new Set();
const nothing = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tracing-')), 'nothing.cjs');
fs.writeFileSync(nothing, 'const any = () => new Proxy(function () {}, { get: any }); module.exports = { vec2: any(), vec3: any(), vec4: any(), mat2d: any(), mat4: any() };');
global.HTMLImportsLoader = { hrefToAbsolutePath: () => nothing };
global.require = require;

function run(file) {
  if (seen.has(file) || !fs.existsSync(file)) return;
  seen.add(file);
  const at = href => (href.startsWith('/') ? path.join(pages, href) : path.join(path.dirname(file), href));
  const text = fs.readFileSync(file, 'utf8').replace(/<!--[\s\S]*?-->/g, '');
  for (const [, page, source, script] of text.matchAll(/<link\s+rel="import"\s+href="([^"]+)"[^>]*>|<script(?:\s+src="([^"]+)")?[^>]*>([\s\S]*?)<\/script>/g)) {
    if (page) run(at(page));
    else if (!source) vm.runInThisContext(script, { filename: file });
  }
}

function imported(text) {
  const model = new tr.Model(), options = new tr.importer.ImportOptions(), rows = new Map(), counters = {};
  Object.assign(options, { shiftWorldToZero: false, pruneEmptyContainers: false, showImportWarnings: false });
  new tr.importer.Import(model, options).importTraces([text]);
  for (const thread of model.getAllThreads())
    for (const slice of thread.sliceGroup.slices) {
      const row = rows.get(slice.title) ?? rows.set(slice.title, [slice.title, 0, 0, 0]).get(slice.title);
      let outer = slice.parentSlice;
      while (outer && outer.title !== slice.title) outer = outer.parentSlice;
      row[1] += slice.selfTime * 1e6;
      row[2] += outer ? 0 : slice.duration * 1e6;
      row[3]++;
    }
  for (const process of Object.values(model.processes))
    for (const counter of Object.values(process.counters)) counters[counter.name] = (counters[counter.name] ?? 0) + counter.timestamps.length;
  const async = model.getAllThreads().reduce((sum, thread) => sum + thread.asyncSliceGroup.slices.length, 0);
  // It counts in ms since long ago: what is less than a tenth of a ns is not in the trace.
  const rounded = [...rows.values()].map(([name, self, total, slices]) => [name, Math.round(self * 10) / 10, Math.round(total * 10) / 10, slices]);
  return { rows: rounded, counters, async, warnings: model.importWarnings.map(w => w.type) };
}

for (const page of ['base/timing', 'importer/import', 'model/model', 'extras/importer/trace_event_importer']) run(path.join(pages, 'tracing', `${page}.html`));
fs.rmSync(path.dirname(nothing), { recursive: true });
process.stdout.write(JSON.stringify(files.map(file => imported(fs.readFileSync(file, 'utf8')))));
