// SPDX-License-Identifier: Apache-2.0
/** A counter's values over a time range, one a bucket, by time. */
export interface CounterSeries {
  ts: Float64Array;
  min: Float64Array;
  mean: Float64Array;
  max: Float64Array;
}
