// SPDX-License-Identifier: Apache-2.0
// Holds the pages' weight: at most 150 KB (gzip) of script before a chart is drawn, which is the entry, what
// it imports at once, and the largest view with its own imports; uPlot comes with the first chart. And no page
// names another host. Run after the build; exit 1 with the figures.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const LIMIT = 150_000;
const out = join(dirname(fileURLToPath(import.meta.url)), '../../python/steptrace/ui');
const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));

/** Files that a chunk needs before it runs. */
function closure(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) closure(next, seen);
  return seen;
}

const weight = (keys) =>
  [...keys]
    .filter((key) => manifest[key].file.endsWith('.js'))
    .reduce((sum, key) => sum + gzipSync(readFileSync(join(out, manifest[key].file))).length, 0);

const [entry] = Object.keys(manifest).filter((key) => manifest[key].isEntry);
const first = closure(entry);
const views = (manifest[entry].dynamicImports ?? []).map((key) => ({
  key,
  bytes: weight(closure(key, new Set(first))),
}));
const heaviest = views.reduce((a, b) => (b.bytes > a.bytes ? b : a), {
  key: entry,
  bytes: weight(first),
});
const report = readFileSync(join(out, 'report.html'));
const kilo = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;

console.log(
  `script before charts, gzip: ${kilo(weight(first))} at first, ` +
    `${kilo(heaviest.bytes)} with ${heaviest.key}; report.html ${kilo(report.length)}, ` +
    `${kilo(gzipSync(report).length)} gzip`,
);

const problems = [];
if (heaviest.bytes > LIMIT)
  problems.push(
    `${kilo(heaviest.bytes)} of script before charts, at most ${kilo(LIMIT)}: load parts later`,
  );
for (const file of readdirSync(out).filter((name) => name.endsWith('.html'))) {
  const text = readFileSync(join(out, file), 'utf8');
  for (const [reference] of text.matchAll(/(?:src|href)\s*=\s*["']https?:[^"']*["']/g))
    problems.push(`${file} loads ${reference} from elsewhere`);
}
const place = '<script type="application/json" id="steptrace-report">null</script>';
if (report.toString().split(place).length !== 2)
  problems.push('report.html must hold the place for the report exactly once');
if (problems.length) {
  console.error(problems.join('\n'));
  process.exit(1);
}
