// SPDX-License-Identifier: Apache-2.0

/**
 * "8 × NVIDIA A100"; kinds apart where they differ. The run names a kind once, however many there are of it: `seen`
 * are the devices themselves, of which a profile or a window tells.
 */
export function deviceText(
  kinds: readonly string[],
  seen: readonly { readonly name?: unknown }[],
): string {
  return [...new Set(kinds)]
    .map((kind) => {
      const count = seen.filter((device) => device.name === kind).length;
      return count > 1 ? `${count} × ${kind}` : kind;
    })
    .join(', ');
}
