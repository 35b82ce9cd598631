// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/requests.toml.

/** What can be asked of a run: what follows its id in a path. */
export type JsonRequest =
  | 'report'
  | `section/${string}`
  | `text/${string}`
  | 'rules'
  | `compare/${string}`
  | 'samples'
  | 'tensors'
  | 'tensors/histogram'
  | 'capture'
  | 'timeline/tree'
  | `timeline/slice/${string}`
  | 'timeline/search';
export type ArrowRequest =
  `table/${string}` | 'series' | 'timeline/view' | 'timeline/flows' | 'timeline/statistics';
export type FileRequest = 'html' | `export/${string}`;
export type EventsRequest = 'events';
export type RunRequest = JsonRequest | ArrowRequest | FileRequest | EventsRequest;
