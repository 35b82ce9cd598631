// SPDX-License-Identifier: Apache-2.0
// The selected slice: its details and its arrows, fetched one after the other. A run that grows gives
// other numbers to its slices, so that a slice is known by its place.
import { ApiError } from '../api/error';
import type { Details, SeenSlice, TimelineData } from './data';
import { seenAs } from './data';
import type { Flow } from './flows';
import type { SliceName } from './slice_name';
import { hashOf, isName, nameSlice } from './slice_name';

export type Loadable<T> =
  | { state: 'none' }
  | { state: 'loading' }
  | { state: 'failed'; error: ApiError }
  | { state: 'ready'; value: T };

/** The number of a slice whose number is not known any more. */
const NO_NUMBER = -1;

/** Slices of a lane do not overlap; a gathered row is a pixel, and what begins within it was meant. */
function isSeen(d: Details, s: SeenSlice): boolean {
  if (d.track !== s.track) return false;
  if (d.lane === s.lane) return d.ts_ns >= s.fromNs && d.ts_ns < Math.max(s.toNs, s.fromNs + 1);
  return d.ts_ns === s.fromNs && d.ts_ns + d.dur_ns === s.toNs && isName(d.name, s.name);
}

const isSame = (a: Details, b: Details): boolean =>
  a.track === b.track && a.ts_ns === b.ts_ns && a.dur_ns === b.dur_ns && a.name === b.name;

const isNamed = (d: Details, name: SliceName): boolean =>
  d.track === name.track && d.ts_ns === name.fromNs && hashOf(d.name) === name.hash;

/** Without the numbers in it, which may be other slices' now. */
const unnumbered = (d: Details): Details => ({
  ...d,
  slice: NO_NUMBER,
  previous: null,
  next: null,
  parent: null,
  operator: typeof d.operator === 'object' ? { ...d.operator, slice: null } : d.operator,
});

export class Selection {
  details = $state.raw<Loadable<Details>>({ state: 'none' });
  flows = $state.raw<Flow[]>([]);
  private abort: AbortController | null = null;
  /** A slice that was selected is on its way; whether the run grew meanwhile. */
  private pending = false;
  private grown = false;
  /** What an address asked for: it goes on to say so while that is on its way, or cannot be had. */
  private asked: SliceName | number | null = null;

  constructor(private readonly data: TimelineData) {}

  /** What an address is to say of it; null: nothing. */
  get name(): SliceName | number | null {
    const { details } = this;
    if (details.state !== 'ready') return details.state === 'none' ? null : this.asked;
    const { value } = details;
    return nameSlice({ ...value, fromNs: value.ts_ns }, value.name);
  }

  /**
   * `seen`: what was meant; where the number is another's now, that is looked for. The old one stays
   * until then.
   */
  select(
    slice: number,
    found: (details: Details) => void,
    seen: SeenSlice | null = null,
  ): Promise<void> {
    return this.take((signal) => this.lookUp(slice, seen, signal), found, null);
  }

  /** The slice that an address names. `quietly`: until it is there what is told stays, as that it is not. */
  recall(
    name: SliceName | number,
    found: (details: Details) => void,
    quietly = false,
  ): Promise<void> {
    const look = (signal: AbortSignal) =>
      typeof name === 'number' ? this.data.details(name, signal) : this.named(name, signal);
    return this.take(look, found, name, quietly);
  }

  /** A slice that an address names and that is made here: it is shown when it is there. */
  expect(name: SliceName): void {
    this.begin();
    this.asked = name;
    this.details = { state: 'loading' };
  }

  /** A slice that the run does not hold as such. */
  show(value: Details): void {
    this.begin();
    this.details = { state: 'ready', value };
    this.flows = [];
  }

  private async take(
    look: (signal: AbortSignal) => Promise<Details>,
    found: (details: Details) => void,
    asked: SliceName | number | null,
    quietly = false,
  ): Promise<void> {
    const abort = this.begin();
    this.pending = true;
    this.asked = asked;
    if (this.details.state !== 'ready' && !quietly) this.details = { state: 'loading' };
    try {
      const value = await look(abort.signal);
      if (abort.signal.aborted) return;
      this.details = { state: 'ready', value };
      this.flows = [];
      found(value);
      await this.loadFlows(value.slice, abort.signal);
    } catch (thrown) {
      if (abort.signal.aborted) return;
      this.details = { state: 'failed', error: ApiError.of(thrown, 'the slice') };
    }
    if (abort.signal.aborted) return;
    this.pending = false;
    if (this.grown) void this.again();
  }

  /**
   * The run has grown: the slice that is shown stays, under the numbers of now. False: something else is
   * selected meanwhile.
   */
  async again(): Promise<boolean> {
    this.grown = this.pending;
    if (this.pending) return false;
    if (this.details.state === 'failed' && this.asked !== null)
      await this.recall(this.asked, () => undefined, true); // it may have come since
    if (this.details.state !== 'ready') return false;
    const old = this.details.value;
    if (old.track < 0) return true; // made here, without a number that could change
    const abort = this.begin();
    const number = await this.data.find(seenAs(old), abort.signal).catch(() => null);
    const now =
      number === null ? null : await this.data.details(number, abort.signal).catch(() => null);
    if (abort.signal.aborted) return false;
    const found = now !== null && isSame(now, old);
    this.details = { state: 'ready', value: found ? now : unnumbered(old) };
    if (found) void this.loadFlows(now.slice, abort.signal);
    return true;
  }

  clear(): void {
    this.stop();
    this.details = { state: 'none' };
    this.flows = [];
  }

  stop(): void {
    this.abort?.abort();
    this.pending = false;
  }

  private begin(): AbortController {
    this.stop();
    return (this.abort = new AbortController());
  }

  private async named(name: SliceName, signal: AbortSignal): Promise<Details> {
    // Between the two questions a run may grow, and the number be another slice's.
    for (let tries = 0; tries < 3; ++tries) {
      const number = await this.data.named(name, signal);
      if (number === null) break;
      const value = await this.data.details(number, signal);
      if (isNamed(value, name)) return value;
    }
    throw new ApiError(
      0,
      'the slice of this address',
      'is not in the run',
      'choose another, or look whether the address is whole',
    );
  }

  private async lookUp(
    number: number,
    seen: SeenSlice | null,
    signal: AbortSignal,
  ): Promise<Details> {
    if (seen === null) return this.data.details(number, signal);
    // The number may be no slice's any more: that is told only where the place has none either.
    const told = await this.data.details(number, signal).catch(() => null);
    if (told !== null && isSeen(told, seen)) return told;
    const now = await this.data.find(seen, signal);
    const value = now === null ? null : await this.data.details(now, signal);
    if (value !== null && isSeen(value, seen)) return value;
    throw new ApiError(0, 'the slice', 'is not there: the run has grown since', 'choose it again');
  }

  /** Arrows are an extra: without them the slice is still told. */
  private async loadFlows(slice: number, signal: AbortSignal): Promise<void> {
    const flows = await this.data.flows(slice, signal).catch(() => []);
    if (!signal.aborted) this.flows = flows;
  }
}
