// SPDX-License-Identifier: Apache-2.0
// Changes that come faster than what they call for can be loaded.

export interface Paced {
  /** Something changed. */
  readonly changed: () => void;
  /** A load that was begun; it is given back. */
  readonly during: <T>(load: Promise<T>) => Promise<T>;
}

/**
 * Passes a change on at once; while a load is under way once when that has come. To break a load off at
 * each change would end none where changes come faster than answers.
 */
export function paced(tell: () => void): Paced {
  let underWay: Promise<unknown> | null = null;
  let noted = false;

  function end(load: Promise<unknown>) {
    if (underWay !== load) return;
    underWay = null;
    if (noted) tell();
    noted = false;
  }

  return {
    changed() {
      if (underWay === null) tell();
      else noted = true;
    },
    during(load) {
      underWay = load;
      // In a task of its own: first whoever waits for the load has what came.
      const later = () => setTimeout(() => end(load));
      load.then(later, later);
      return load;
    },
  };
}
