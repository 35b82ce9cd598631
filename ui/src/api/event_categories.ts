// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/event_categories.toml.

/** Copies and fills of a device's stream. */
export const COPIES: ReadonlySet<string> = new Set(['gpu_memcpy', 'gpu_memset']);

/** Calls into a device's runtime or driver, as PyTorch names them of whatever maker's. */
export const isRuntimeCall = (category: string): boolean =>
  category.endsWith('_runtime') || category.endsWith('_driver');
