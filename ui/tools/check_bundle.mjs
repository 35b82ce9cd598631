// SPDX-License-Identifier: Apache-2.0
// Holds the pages' weight: at most 150 KB (gzip) of script before a chart is drawn, which is the entry, what
// it imports at once, and the largest view with its own imports; uPlot comes with the first chart. And no page
// names another host. Run after the build; exit 1 with the figures.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kilo, out, SCRIPT_LIMIT, weights } from './weights.mjs';

const { first, heaviest, report } = weights();
console.log(
  `script before charts, gzip: ${kilo(first)} at first, ` +
    `${kilo(heaviest.bytes)} with ${heaviest.key}; report.html ${kilo(report.bytes)}, ` +
    `${kilo(report.packed)} gzip`,
);

const problems = [];
if (heaviest.bytes > SCRIPT_LIMIT)
  problems.push(
    `${kilo(heaviest.bytes)} of script before charts, at most ${kilo(SCRIPT_LIMIT)}: load parts later`,
  );
for (const file of readdirSync(out).filter((name) => name.endsWith('.html'))) {
  const text = readFileSync(join(out, file), 'utf8');
  for (const [reference] of text.matchAll(/(?:src|href)\s*=\s*["']https?:[^"']*["']/g))
    problems.push(`${file} loads ${reference} from elsewhere`);
}
const place = '<script type="application/json" id="steptrace-report">null</script>';
if (readFileSync(join(out, 'report.html'), 'utf8').split(place).length !== 2)
  problems.push('report.html must hold the place for the report exactly once');
if (problems.length) {
  console.error(problems.join('\n'));
  process.exit(1);
}
