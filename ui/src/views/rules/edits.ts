// SPDX-License-Identifier: Apache-2.0
// Parameters that the reader changed, as they stand in the address and go to the server.

export type Edits = Readonly<Record<string, string>>;

const NAME = /^[A-Za-z]\w{0,63}\.[A-Za-z]\w{0,63}$/;
const VALUE = /^[\w.+-]{1,32}$/;

/** `LowGPUUtilization.window=100,…`; what is no setting is passed over. */
export function parseEdits(text: string | null): Edits {
  const edits: Record<string, string> = {};
  for (const part of (text ?? '').split(',')) {
    const at = part.indexOf('=');
    const [name, value] = [part.slice(0, at), part.slice(at + 1)];
    if (at > 0 && NAME.test(name) && VALUE.test(value)) edits[name] = value;
  }
  return edits;
}

export const formatEdits = (edits: Edits): string =>
  Object.entries(edits)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');

/** With one parameter set; null takes it back. */
export function edited(edits: Edits, name: string, value: string | null): Edits {
  const next = Object.fromEntries(Object.entries(edits).filter(([n]) => n !== name));
  return value === null ? next : { ...next, [name]: value };
}

export const settings = (edits: Edits): string[] =>
  Object.entries(edits).map(([name, value]) => `${name}=${value}`);

/** Why a text is no value for a parameter that now is `current`; null: it is one. */
export function wrong(text: string, current: number | string | boolean): string | null {
  if (text.trim() === '') return 'a value is missing';
  if (typeof current === 'number' && !Number.isFinite(Number(text))) return 'a number is wanted';
  return VALUE.test(text) ? null : 'letters, digits, point and sign alone';
}
