// SPDX-License-Identifier: Apache-2.0
// The time range in view, and how wheel, keys and drags change it. Times are ns since the
// run's epoch; fractions occur while zooming and are rounded away in the URL alone.

export interface Span {
  readonly fromNs: number;
  readonly toNs: number;
}

/** Shorter than any event that can be recorded: a GPU's clock ticks every 32 ns. */
export const MIN_SPAN_NS = 20;
/** Room on each side of the run, so that its first and last slices can be seen whole. */
const MARGIN_SHARE = 0.02;

export const lengthNs = (span: Span): number => span.toNs - span.fromNs;

/** All of the run, with a margin. An empty run is shown as one second. */
export function fit(bounds: Span): Span {
  const length = lengthNs(bounds);
  if (!(length > 0)) return { fromNs: bounds.fromNs, toNs: bounds.fromNs + 1e9 };
  const margin = length * MARGIN_SHARE;
  return { fromNs: bounds.fromNs - margin, toNs: bounds.toNs + margin };
}

interface Extent {
  readonly name: string;
  readonly first_ns: number | null;
  readonly last_ns: number | null;
}

/** Kineto's line for its own recording: it begins before the run and ends after it, and holds nothing of it. */
const FRAME = 'PyTorch Profiler';

/** What is seen at first: all that is recorded, but for the line that only frames it. */
export function openingOf(tree: {
  readonly from_ns: number;
  readonly to_ns: number;
  readonly tracks: readonly Extent[];
}): Span {
  let [fromNs, toNs] = [Infinity, -Infinity];
  for (const { name, first_ns, last_ns } of tree.tracks) {
    if (name === FRAME || first_ns === null || last_ns === null) continue;
    fromNs = Math.min(fromNs, first_ns);
    toNs = Math.max(toNs, last_ns);
  }
  const framed = tree.tracks.some(({ name }) => name === FRAME) && fromNs < toNs;
  return framed ? { fromNs, toNs } : { fromNs: tree.from_ns, toNs: tree.to_ns };
}

/** `span` moved, and if need be cut, so that it lies within the run and its margin. */
export function clamp(span: Span, bounds: Span): Span {
  const whole = fit(bounds);
  const length = Math.min(Math.max(lengthNs(span), MIN_SPAN_NS), lengthNs(whole));
  const middle = (span.fromNs + span.toNs) / 2;
  const wanted = lengthNs(span) === length ? span.fromNs : middle - length / 2;
  const fromNs = Math.min(Math.max(wanted, whole.fromNs), whole.toNs - length);
  return { fromNs, toNs: fromNs + length };
}

/** Zooms so that what lies under `atNs` stays where it is. `factor` < 1 zooms in. */
export function zoom(span: Span, factor: number, atNs: number, bounds: Span): Span {
  const longest = lengthNs(fit(bounds));
  const length = Math.min(Math.max(lengthNs(span) * factor, MIN_SPAN_NS), longest);
  const before = (atNs - span.fromNs) / lengthNs(span);
  const fromNs = atNs - before * length;
  return clamp({ fromNs, toNs: fromNs + length }, bounds);
}

/** Moves by a share of what is in view; positive is later. */
export function pan(span: Span, share: number, bounds: Span): Span {
  const by = lengthNs(span) * share;
  return clamp({ fromNs: span.fromNs + by, toNs: span.toNs + by }, bounds);
}

/** A view that shows `target` in its middle third: what a jump to a slice or a step leads to. */
export function around(target: Span, bounds: Span): Span {
  const length = Math.max(lengthNs(target), MIN_SPAN_NS);
  return clamp({ fromNs: target.fromNs - length, toNs: target.toNs + length }, bounds);
}

/** Keeps the scale and moves only as far as `target` needs to be seen, with a little room. */
export function reveal(span: Span, target: Span, bounds: Span): Span {
  const length = lengthNs(span);
  if (lengthNs(target) > length) return around(target, bounds);
  const room = Math.min(length * 0.1, (length - lengthNs(target)) / 2);
  if (target.fromNs < span.fromNs) {
    return clamp({ fromNs: target.fromNs - room, toNs: target.fromNs - room + length }, bounds);
  }
  if (target.toNs > span.toNs) {
    return clamp({ fromNs: target.toNs + room - length, toNs: target.toNs + room }, bounds);
  }
  return span;
}

export const toPixel = (ns: number, span: Span, width: number): number =>
  ((ns - span.fromNs) / lengthNs(span)) * width;

export const toTime = (pixel: number, span: Span, width: number): number =>
  span.fromNs + (pixel / width) * lengthNs(span);

/** Two views between which `share` (0 to 1) of the way is gone; zooms look even in logarithm. */
export function between(a: Span, b: Span, share: number): Span {
  const length = lengthNs(a) * Math.pow(lengthNs(b) / lengthNs(a), share);
  const change = lengthNs(b) - lengthNs(a);
  const done = Math.abs(change) < 1e-6 ? share : (length - lengthNs(a)) / change;
  const fromNs = a.fromNs + (b.fromNs - a.fromNs) * done;
  return { fromNs, toNs: fromNs + length };
}

/** A slice too short to be seen where it is: in view as a fifth of it. */
export function zoomedOn(target: Span, bounds: Span): Span {
  const length = Math.max(lengthNs(target), MIN_SPAN_NS);
  return clamp({ fromNs: target.fromNs - 2 * length, toNs: target.toNs + 2 * length }, bounds);
}
