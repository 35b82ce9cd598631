// SPDX-License-Identifier: Apache-2.0
// What the built pages weigh: told by the build (check_bundle.mjs) and by the benchmark (bench/pages.mjs).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Most bytes of script, gzip, before a chart is drawn. */
export const SCRIPT_LIMIT = 150_000;
export const out = join(dirname(fileURLToPath(import.meta.url)), '../../python/steptrace/ui');

export const kilo = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
export const packed = (file) => gzipSync(readFileSync(file)).length;

/**
 * Bytes of the build in `folder`: `first`, script with which any page begins; `heaviest`, that and the view
 * that brings most; `all`, every file of it; all three gzip. `report`: the one-file report without data.
 */
export function weights(folder = out) {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));

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
      .reduce((sum, key) => sum + packed(join(folder, manifest[key].file)), 0);

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
  const assets = readdirSync(join(folder, 'assets')).map((name) => join(folder, 'assets', name));
  const report = join(folder, 'report.html');
  return {
    first: weight(first),
    heaviest,
    all: assets.reduce((sum, file) => sum + packed(file), 0),
    report: existsSync(report)
      ? { bytes: readFileSync(report).length, packed: packed(report) }
      : null,
  };
}
