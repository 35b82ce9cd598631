// SPDX-License-Identifier: Apache-2.0
// Colours of slices: by name, so that an operator looks the same on every rank and in every run.
// Communication, copies and Python have hues of their own, which no other name gets. Hues are set
// in OKLCH, where equal lightness looks equal, and differ in lightness as well, so that neighbours
// stay apart for eyes that cannot tell the hues.

import { COPIES, isCommunication, isRuntimeCall } from '../api/event_categories';
import { BETWEEN, SAMPLES } from './derived';

export type Theme = 'light' | 'dark';

/** 0xAABBGGRR: what a Uint32Array over ImageData holds on a little-endian machine. */
export type Packed = number;

interface Lch {
  l: number;
  c: number;
  h: number;
}

const HUES = [255, 145, 305, 195, 95, 280, 165, 335, 225, 120, 240, 180] as const;
const COMMUNICATION: Lch = { l: 0, c: 0.15, h: 50 };
const COPY: Lch = { l: -0.03, c: 0.12, h: 20 };
const PYTHON: Lch = { l: 0.04, c: 0.025, h: 265 };
const RUNTIME: Lch = { l: -0.02, c: 0.05, h: 330 };

const BASE: Record<Theme, { l: number; c: number; spread: number }> = {
  light: { l: 0.8, c: 0.1, spread: 0.045 },
  dark: { l: 0.48, c: 0.1, spread: 0.045 },
};

/** FNV-1a, 32 bit (Fowler, Noll, Vo). Digits are left out: step 1 and step 2 are one thing. */
export function hash(name: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < name.length; ++i) {
    const code = name.charCodeAt(i);
    if (code >= 48 && code <= 57) continue;
    h = Math.imul(h ^ code, 0x01000193);
  }
  return h >>> 0;
}

export type Role = 'communication' | 'copy' | 'python' | 'runtime' | 'other';

export function roleOf(name: string, category: string): Role {
  if (category === 'communication' || isCommunication(name)) return 'communication';
  if (COPIES.has(category)) return 'copy';
  if (category === 'python_function' || category === SAMPLES.waiting) return 'python';
  if (category === BETWEEN && name !== 'forward') return 'python';
  if (isRuntimeCall(category)) return 'runtime';
  return 'other';
}

function toLinear({ l, c, h }: Lch): [number, number, number] {
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  // OKLab to linear sRGB: Björn Ottosson, "A perceptual color space for image processing" (2020).
  const l3 = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m3 = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s3 = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3,
    -1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3,
    -0.0041960863 * l3 - 0.7034186147 * m3 + 1.707614701 * s3,
  ];
}

const encode = (linear: number): number => {
  const v = Math.min(Math.max(linear, 0), 1);
  return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
};

const pack = (lch: Lch): Packed => {
  const [r, g, b] = toLinear(lch);
  return ((255 << 24) | (encode(b) << 16) | (encode(g) << 8) | encode(r)) >>> 0;
};

function lchOf(name: string, category: string, theme: Theme): Lch {
  const base = BASE[theme];
  const number = hash(name);
  const shade = (((number >>> 8) % 3) - 1) * base.spread;
  const own = (fixed: Lch): Lch => ({ l: base.l + fixed.l + shade * 0.6, c: fixed.c, h: fixed.h });
  switch (roleOf(name, category)) {
    case 'communication':
      return own(COMMUNICATION);
    case 'copy':
      return own(COPY);
    case 'python':
      return own(PYTHON);
    case 'runtime':
      return own(RUNTIME);
    case 'other':
      return { l: base.l + shade, c: base.c, h: HUES[number % HUES.length] as number };
  }
}

export const colourOf = (name: string, category: string, theme: Theme): Packed =>
  pack(lchOf(name, category, theme));

/** The same as CSS, for legends and tables beside the timeline. */
export function cssColour(name: string, category: string, theme: Theme): string {
  const packed = colourOf(name, category, theme);
  return `rgb(${packed & 255} ${(packed >> 8) & 255} ${(packed >> 16) & 255})`;
}

/** WCAG's relative luminance of a packed colour, 0 to 1. */
export function luminance(packed: Packed): number {
  const linear = (byte: number): number => {
    const v = byte / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  return (
    0.2126 * linear(packed & 255) +
    0.7152 * linear((packed >> 8) & 255) +
    0.0722 * linear((packed >> 16) & 255)
  );
}
