// SPDX-License-Identifier: Apache-2.0
// The report's own texts in what is shown: names, commands and sentences.
import { withoutNumbers } from './quantity';

/** Pages write code in letters of its own, without backticks. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('`', '');

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Takes texts of the report out of a text, also where they are broken into lines: numbers in them are not the page's. */
export function withoutTexts(of: ReadonlySet<string>): (text: string) => string {
  const all = new Set([...of].map(plain));
  // A number with its unit may stand for another figure, too.
  const texts = [...all].filter((text) => /\p{L}/u.test(withoutNumbers(text)));
  texts.sort((a, b) => b.length - a.length);
  return (text) => {
    let rest = plain(text);
    if (all.has(rest)) return '';
    const line = rest.replace(/\s+/g, ' ');
    for (const one of texts.filter((t) => line.includes(t))) {
      const words = one
        .split(/\s+/)
        .map(escaped)
        .join(String.raw`\s+`);
      rest = rest.replace(
        new RegExp(`(?<![\\p{L}\\p{N}.,-])${words}(?![\\p{L}\\p{N}])`, 'gu'),
        '…',
      );
    }
    return rest;
  };
}
