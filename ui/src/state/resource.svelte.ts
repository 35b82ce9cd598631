// SPDX-License-Identifier: Apache-2.0
// A result that is asked for again whenever what it depends on changes. The last good value stays while a
// newer one is on its way, so that a live view does not flicker.
import { untrack } from 'svelte';
import { ApiError } from '../api/error';

export type Resource<T> =
  | { readonly state: 'loading'; readonly since: number }
  | { readonly state: 'ready'; readonly value: T; readonly refreshing: boolean }
  | { readonly state: 'failed'; readonly error: ApiError; readonly retry: () => void };

export interface Loaded<T> {
  readonly current: Resource<T>;
}

/**
 * `load` runs in an effect: the reactive values that it reads before its first await are what it depends
 * on. `identity` tells of whose value it is (a run's id): when it changes, the old value goes at once.
 */
export function resource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  identity: () => unknown = () => null,
): Loaded<T> {
  let current = $state.raw<Resource<T>>({ state: 'loading', since: Date.now() });
  let attempt = $state(0);
  let shown: unknown;

  const retry = () => {
    current = { state: 'loading', since: Date.now() };
    attempt += 1;
  };

  $effect(() => {
    void attempt;
    const abort = new AbortController();
    const who = identity();
    const pending = load(abort.signal);
    begin(who);
    pending.then(
      (value) => {
        if (abort.signal.aborted) return;
        shown = who;
        current = { state: 'ready', value, refreshing: false };
      },
      (thrown: unknown) => {
        if (abort.signal.aborted) return;
        current = { state: 'failed', error: ApiError.of(thrown), retry };
      },
    );
    return () => abort.abort();
  });

  function begin(who: unknown) {
    // Untracked on purpose: the effect must not depend on what it writes.
    const before = peek();
    if (before.state === 'ready' && shown === who)
      current = { state: 'ready', value: before.value, refreshing: true };
    else current = { state: 'loading', since: Date.now() };
  }

  function peek(): Resource<T> {
    return untrack(() => current);
  }

  return {
    get current() {
      return current;
    },
  };
}
