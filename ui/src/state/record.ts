// SPDX-License-Identifier: Apache-2.0
// The command that gets what a run does not hold.
import { isImported } from '../base/capture';
import { inert } from '../base/inert';
import type { RunStatus } from '../api/report';

export interface Recorded {
  readonly status: RunStatus;
  /** The training's, or the import's that made the run of a profile. */
  readonly command: readonly string[];
  readonly imported_as: string | null;
  /** The run's folder, or where that is not known its id. */
  readonly path: string;
}

/** Bytes as bash, zsh and ksh read them between $' and '. */
const bytes = (character: string): string =>
  [...new TextEncoder().encode(character)]
    .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
    .join('');

/** One word of a shell's line; hidden characters as their bytes, so that the line is inert and the word the same. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (inert(word) === word) return `'${word.replaceAll("'", `'\\''`)}'`;
  const escaped = [...word].map((c) =>
    inert(c) !== c ? bytes(c) : c === "'" || c === '\\' ? `\\${c}` : c,
  );
  return `$'${escaped.join('')}'`;
}

const MAX_COMMAND = 4000;

/** Stands for a command that nobody knows. */
const TRAINING = ['python', 'train.py'];

/**
 * While a run goes on: a window at once, of as many steps as a verdict needs without being asked.
 * Of one that has ended: the same training once more, with a window from the first step on that can
 * be had, so that it has one however short it is. A profile does not tell its training's command:
 * that line is to be completed. `what`: as `--capture`.
 */
export function recordCommand(run: Recorded, what = ''): string {
  const capture = what === '' ? [] : ['--capture', what];
  if (run.status === 'in_progress') return words(['steptrace', 'capture', run.path, ...capture]);
  const window = ['steptrace', 'run', '--window', ':20', ...capture, '--'];
  const known = !isImported(run) && run.command.length > 0;
  const line = words([...window, ...(known ? run.command : TRAINING)]);
  // A line that was cut would run something else.
  return line.length > MAX_COMMAND ? `${words(window)} …` : line;
}

const words = (list: readonly string[]): string => list.map(shellWord).join(' ');
