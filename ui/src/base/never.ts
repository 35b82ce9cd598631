// SPDX-License-Identifier: Apache-2.0

/** The end of a switch over a tagged union: compiles only while every case is handled. */
export function unreachable(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`);
}
