// SPDX-License-Identifier: Apache-2.0
// Where in the user's files something was: frames of stacks and Python functions, as profilers write
// them, and the address that opens an editor there.

import type { Figure } from '../base/format';

export interface SourcePlace {
  file: string;
  line: number;
}

// `path/train.py(42): main` (Kineto), `path/train.py:42 main`, `File "train.py", line 42, in main`.
const FORMS = [
  /^\s*(?:<[^>]*>\s*)?([^\s:"'<>|]+\.[A-Za-z]{1,4})\((\d{1,9})\)/,
  /^\s*File "([^"<>]+)", line (\d{1,9})/,
  /([^\s:"'<>|()]+\.(?:py|pyx|cc|cpp|cu|h|hpp|c)):(\d{1,9})/,
];

/** Longer is no path, and the forms below take the square of the length at worst. */
const MAX_LENGTH = 2000;

export function placeOf(whole: string): SourcePlace | null {
  const text = whole.slice(0, MAX_LENGTH);
  for (const form of FORMS) {
    const match = form.exec(text);
    if (match?.[1] !== undefined && match[2] !== undefined) {
      return { file: match[1], line: Number(match[2]) };
    }
  }
  return null;
}

/** An editor takes a relative path for one below the root. */
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/])/;

/** The server's template with the place in it; null where there is no template, or no file to be opened. */
export function editorLink(template: string, place: SourcePlace | null): string | null {
  if (place === null || template === '' || !ABSOLUTE.test(place.file)) return null;
  // A template that runs script in this page is no editor.
  if (/^\s*(javascript|data|vbscript):/i.test(template)) return null;
  const file = place.file.split('/').map(encodeURIComponent).join('/');
  return template.replaceAll('{file}', () => file).replaceAll('{line}', String(place.line));
}

/** A place to be read: the file's name and line, all of it on hover. A built-in function has no line. */
export function placeFigure(file: string, line: number | null): Figure {
  if (file === '') return { text: '–', exact: 'not known' };
  if (/^<built-in\b/.test(file)) return { text: 'built in', exact: file };
  const at = line !== null && line > 0 ? `:${line}` : '';
  return { text: `${file.replace(/^.*\//, '')}${at}`, exact: `${file}${at}` };
}
