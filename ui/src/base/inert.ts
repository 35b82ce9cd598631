// SPDX-License-Identifier: Apache-2.0
// Texts from elsewhere as pages show them: what cannot be seen, or changes what stands next to it, as an escape
// (docs/reference/inert-text.md). Answers are made inert where they arrive, so that no view has to think of it.
import { FORMULA_SIGNS, HIDDEN } from './hidden_characters';

const CLASS = HIDDEN.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join(
  '',
);
const ANY = new RegExp(`[${CLASS}]`, 'u');
const EACH = new RegExp(`[${CLASS}]`, 'gu');
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** \n, \x1b, \u202e, \U000e0041. */
function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code >= 0x10000) return `\\U${digits.padStart(8, '0')}`;
  if (code >= 0x80) return `\\u${digits.padStart(4, '0')}`;
  return NAMED[character] ?? `\\x${digits.padStart(2, '0')}`;
}

export const inert = (text: string): string =>
  ANY.test(text) ? text.replace(EACH, escaped) : text;

/** A sign with which a formula begins, where a cell may: programs that take semicolons for commas begin one there. */
const FORMULA = new RegExp(`((?:^|;)["\\s]*)([${FORMULA_SIGNS.replace('-', '\\-')}])`, 'g');

/** For a cell of a spreadsheet: nothing in it is a formula. */
export const inertCell = (text: string): string => inert(text).replace(FORMULA, "$1'$2");

/** What stands at known places of a sentence: characters before them that became escapes move them. */
function moveMarks({ text, headline, figures, places }: Record<string, unknown>): void {
  const sentence = text ?? headline;
  if (typeof sentence !== 'string' || !ANY.test(sentence)) return;
  const characters = [...sentence];
  for (const marks of [figures, places]) {
    if (!Array.isArray(marks)) continue;
    for (const mark of marks as { at: number }[])
      mark.at = [...inert(characters.slice(0, mark.at).join(''))].length;
  }
}

/** All texts of a value that was just read, keys too; the value itself is changed. */
export function inertly(value: unknown): unknown {
  if (typeof value === 'string') return inert(value);
  if (Array.isArray(value)) {
    value.forEach((one: unknown, i) => (value[i] = inertly(one)));
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    moveMarks(members);
    for (const [key, one] of Object.entries(members)) {
      const shown = inert(key);
      if (shown !== key) Reflect.deleteProperty(members, key);
      members[shown] = inertly(one);
    }
  }
  return value;
}

/**
 * The same, but for members whose texts go back to the server, or into a shell: these stay exact, and who shows
 * them makes them inert. `parts`: objects of the value that have them, as far as an answer holds them.
 */
export function inertBut<T>(
  value: T,
  parts: readonly (object | undefined)[] | undefined,
  members: readonly string[],
): T {
  const kept = (parts ?? []).flatMap((part) =>
    members
      .filter((name) => part && name in part)
      .map((name) => ({ part: part as Record<string, unknown>, name })),
  );
  const exact = kept.map(({ part, name }) => part[name]);
  for (const { part, name } of kept) part[name] = null;
  inertly(value);
  kept.forEach(({ part, name }, i) => (part[name] = exact[i]));
  return value;
}
