// SPDX-License-Identifier: Apache-2.0

/** "8 × NVIDIA A100"; kinds apart where they differ. */
export function deviceText(devices: readonly unknown[]): string {
  const names = devices.map((d) =>
    typeof d === 'string' ? d : String((d as { name?: unknown }).name ?? 'device'),
  );
  const kinds = [...new Set(names)];
  return kinds
    .map((k) => {
      const count = names.filter((n) => n === k).length;
      return count === 1 ? k : `${count} × ${k}`;
    })
    .join(', ');
}
