// SPDX-License-Identifier: Apache-2.0
// The selection of what no slice of the run is: it is told as it is drawn, once it is there.
import type { Details, SeenSlice } from './data';
import type { DerivedRows } from './derived_rows.svelte';
import type { Selection } from './selection.svelte';
import type { SliceName } from './slice_name';

export class DerivedSelection {
  /** What the address names, until it is there. */
  private awaited: SliceName | null = null;

  constructor(
    private readonly derived: DerivedRows,
    private readonly selection: Selection,
  ) {}

  /** A recorded phase is the slice that it is; what lies between, and a sample, is told as it is drawn. */
  async select(seen: SeenSlice, slice: number, found: (details: Details) => void): Promise<void> {
    this.awaited = null;
    const piece = this.derived.at(seen);
    if (piece === null) return;
    if (this.derived.isRecorded(piece)) return this.selection.select(slice, found);
    const details = this.derived.details(piece);
    this.selection.show(details);
    found(details);
  }

  /** The slice that an address names. */
  recall(name: SliceName): void {
    this.awaited = name;
    this.selection.expect(name);
    this.look();
  }

  /** What came since may hold what is awaited. */
  look(): void {
    const piece = this.awaited && this.derived.find(this.awaited);
    if (piece === null) return;
    this.awaited = null;
    this.selection.show(this.derived.details(piece));
  }

  /** What is drawn so many after one that is told. */
  beside({ track, ts_ns }: Details, by: number): ReturnType<DerivedRows['at']> {
    return this.derived.beside({ track, fromNs: ts_ns }, by);
  }

  forget(): void {
    this.awaited = null;
  }
}
