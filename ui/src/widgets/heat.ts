// SPDX-License-Identifier: Apache-2.0

type Rgb = readonly [number, number, number];

function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.replace('#', ''), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Colours between the stops (`#rrggbb`), 0 to 1; what lies outside takes the end's. */
export function heatColors(stops: readonly string[]): (share: number) => string {
  const colors = stops.map(rgb);
  const last = colors.length - 1;
  return (share) => {
    const at = Math.max(0, Math.min(1, share)) * last;
    const below = Math.min(last - 1, Math.floor(at));
    const a = colors[below] ?? [0, 0, 0];
    const b = colors[below + 1] ?? a;
    const mix = (i: 0 | 1 | 2) => Math.round(a[i] + (b[i] - a[i]) * (at - below));
    return `rgb(${mix(0)} ${mix(1)} ${mix(2)})`;
  };
}
