// SPDX-License-Identifier: Apache-2.0
// Colours by name. The colours themselves are tokens (app/tokens.css), one set a theme; here is only which
// name gets which of them. The eight are told apart with every common colour blindness.

export const CATEGORIES = 8;

/** FNV-1a, so that a name has one colour in every view, session and machine. */
export function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) {
    hash ^= name.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/** Names that have a colour of their own: suspects, phases and what belongs to them. */
const FIXED: Readonly<Record<string, string>> = {
  data_pipeline: '--data',
  data: '--data',
  dataloader: '--data',
  model: '--model',
  compute: '--model',
  computation: '--model',
  kernel: '--model',
  forward: '--forward',
  backward: '--backward',
  optimizer: '--optimizer',
  communication: '--communication',
  exposed: '--communication',
  framework_overhead: '--overhead',
  runtime: '--overhead',
  other: '--other',
  unknown: '--other',
  idle: '--other',
  step: '--accent',
  // Stages of the data pipeline stand beside each other.
  storage_read: '--cat-7',
  getitem: '--cat-1',
  user_code: '--cat-0',
  decode: '--cat-4',
  tokenise: '--cat-4',
  augmentation: '--cat-3',
  collate: '--cat-6',
  receive: '--cat-2',
  cpu_shortage: '--cat-5',
  worker_start: '--cat-4',
  host_to_device: '--cat-3',
  put: '--cat-2',
};

/** The token of a name's colour, e.g. `--cat-3`. */
export function tokenOf(name: string): string {
  return FIXED[name] ?? `--cat-${hashName(name) % CATEGORIES}`;
}

/** For a style: `var(--cat-3)`. */
export const colorOf = (name: string): string => `var(${tokenOf(name)})`;
