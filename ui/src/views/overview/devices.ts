// SPDX-License-Identifier: Apache-2.0

/** What a rank tells of a device of its own: several ranks may tell of one, which its `uuid` shows. */
interface SeenDevice {
  readonly name?: unknown;
  readonly uuid?: unknown;
}

/** How many these are; without an identity each is one. */
function countDevices(seen: readonly SeenDevice[]): number {
  return new Set(seen.map(({ uuid }, i) => (typeof uuid === 'string' && uuid !== '' ? uuid : i)))
    .size;
}

/** Whether the run had more than one device, as far as is known. */
export function hasSeveral(kinds: readonly string[], seen: readonly SeenDevice[]): boolean {
  return new Set(kinds).size > 1 || countDevices(seen) > 1;
}

/**
 * "8 × NVIDIA A100"; kinds apart where they differ. The run names a kind once, however many there are of it: `seen`
 * are the devices themselves, of which a profile or a window tells.
 */
export function deviceText(kinds: readonly string[], seen: readonly SeenDevice[]): string {
  return [...new Set(kinds)]
    .map((kind) => {
      const count = countDevices(seen.filter((device) => device.name === kind));
      return count > 1 ? `${count} × ${kind}` : kind;
    })
    .join(', ');
}
