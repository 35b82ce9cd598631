// SPDX-License-Identifier: Apache-2.0

export interface Layer {
  readonly name: string;
  /** Top of the layer: it and all below. */
  readonly top: number[];
  /** The layer alone. */
  readonly alone: number[];
}

/** Parts on top of each other, the first lowest; layers of nothing are left out. */
export function stack(values: ReadonlyMap<string, number[]>, names: readonly string[]): Layer[] {
  const seen = names.filter((name) => values.get(name)?.some((v) => v > 0));
  let below: number[] = [];
  return seen.map((name) => {
    const alone = values.get(name) ?? [];
    below = alone.map((v, i) => v + (below[i] ?? 0));
    return { name, top: below, alone };
  });
}
