// SPDX-License-Identifier: Apache-2.0
// Who may import whom: base → api → state → widgets → timeline → views → app, each only leftwards; a
// view imports no other view, so that a view can be changed or dropped alone. Exit 1 with one line per breach.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ORDER = ['base', 'api', 'state', 'widgets', 'timeline', 'views', 'app'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..', 'src');

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.(ts|svelte)$/.test(entry.name) ? [path] : [];
  });
}

function breach(file, target) {
  const [from, fromView] = relative(root, file).split('/');
  const [to, toView] = relative(root, target).split('/');
  // Data that the tests of all languages share.
  if (to === '..' && file.endsWith('.test.ts') && target.endsWith('.json')) return null;
  if (!ORDER.includes(to)) return `${to} is no layer`;
  if (ORDER.indexOf(to) > ORDER.indexOf(from)) return `${from} may not import ${to}`;
  if (from === 'views' && to === 'views' && fromView !== toView)
    return `view ${fromView} may not import view ${toView}`;
  return null;
}

const found = [];
for (const file of sources(root)) {
  const text = readFileSync(file, 'utf8');
  if (!text.slice(0, 200).includes('SPDX-License-Identifier: Apache-2.0'))
    found.push(`${relative(root, file)}: no SPDX line at the top`);
  const generated = text.slice(0, 200).includes('// Made by tools/generate.py');
  if (text.split('\n').length > 500 && !generated)
    found.push(`${relative(root, file)}: a source has at most 500 lines`);
  for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
    const reason = breach(file, resolve(dirname(file), path));
    if (reason) found.push(`${relative(root, file)}: ${reason} (${path})`);
  }
}
if (found.length) {
  console.error(found.join('\n'));
  process.exit(1);
}
