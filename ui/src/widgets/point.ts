// SPDX-License-Identifier: Apache-2.0

/**
 * Brings what a link points at into view, to be attached where the address names it. At once and not
 * smoothly: a scroll of a whole page moves much, and who followed a link looks for its end.
 */
export function intoView(node: Element): void {
  node.scrollIntoView({ block: 'start' });
}
