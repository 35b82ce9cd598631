// SPDX-License-Identifier: Apache-2.0
// Where a box that explains something stands: below it, above where there is no room, never off the screen.

interface Size {
  readonly width: number;
  readonly height: number;
}

const GAP = 6;
const EDGE = 8;

export function placed(
  of: { readonly left: number; readonly top: number; readonly bottom: number },
  box: Size,
  screen: Size,
): { left: number; top: number } {
  const within = (at: number, size: number, room: number) =>
    Math.max(EDGE, Math.min(at, room - size - EDGE));
  const below = of.bottom + GAP;
  const fits = below + box.height + EDGE <= screen.height;
  const top = fits ? below : of.top - GAP - box.height;
  return {
    left: within(of.left, box.width, screen.width),
    top: within(top, box.height, screen.height),
  };
}
