// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/metadata.toml.

/** What an advice and a loader's arguments call what a loader tells, by the keys of its metadata. */
export const LOADER_SETTINGS = {
  workers: { setting: 'DataLoader.num_workers', argument: 'num_workers' },
  prefetch_factor: { setting: 'DataLoader.prefetch_factor', argument: 'prefetch_factor' },
  pin_memory: { setting: 'DataLoader.pin_memory', argument: 'pin_memory' },
  persistent_workers: { setting: 'DataLoader.persistent_workers', argument: 'persistent_workers' },
} as const satisfies Readonly<Record<string, { setting: string; argument: string }>>;
