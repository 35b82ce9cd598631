// SPDX-License-Identifier: Apache-2.0
// Texts that the server has cut for pages (docs/reference/http.md): their beginning and a mark with their
// length and number.

const MARK = /… \[\d+ bytes, text ([0-9a-f]{16})\]/g;
/** Of one copy: who selects more wants the table, not the names. */
const MOST = 20;
/** Of what stands before a mark, in characters: the server cuts at 512 bytes, each of which may be an escape of 4. */
const MOST_KEPT = 2048;

/** The numbers of the cut texts in a text, each once. */
export function cutTexts(text: string): string[] {
  const numbers = new Set([...text.matchAll(MARK)].map((match) => match[1] ?? ''));
  return [...numbers].slice(0, MOST);
}

/** The text with what is known in place of its beginning and mark. */
export function restored(text: string, known: ReadonlyMap<string, string>): string {
  let out = '';
  let done = 0;
  for (const match of text.matchAll(MARK)) {
    const whole = known.get(match[1] ?? '');
    if (whole === undefined) continue;
    const before = text.slice(done, match.index);
    out += before.slice(0, before.length - beginning(before, whole)) + whole;
    done = match.index + match[0].length;
  }
  return out + text.slice(done);
}

/** How much of the end of `before` is the beginning of `whole`. */
function beginning(before: string, whole: string): number {
  for (let length = Math.min(MOST_KEPT, before.length, whole.length); length > 0; length--)
    if (before.endsWith(whole.slice(0, length))) return length;
  return 0;
}
