// SPDX-License-Identifier: Apache-2.0
/** A slice where it lies. */
export interface Place {
  track: number;
  lane: number;
  fromNs: number;
  toNs: number;
}
