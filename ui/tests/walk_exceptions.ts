// SPDX-License-Identifier: Apache-2.0
// Numbers that are neither a member of the report nor a plain sum or part of some, by name (view or section ›
// heading › label): why that is right, or where they are compared.
export const EXCEPTIONS: readonly (readonly [RegExp, string])[] = [
  // Of rows of tables, not of the report.
  [/^timeline › /, 'slices and counters at a place in time: timeline.spec, sections.spec'],
  [/^data › Workers › /, 'sums of slices: tables.spec'],
  [/^system › Processes of the job › /, 'means of counters: tables.spec'],
  [/^data › What the threads were doing › /, 'samples of stacks: samples.spec'],
  [/^devices › Histogram of a range › /, 'slices of a chosen range: sections.spec'],
  // Of what is left of a list, or of some of its rows.
  [
    /^devices › .*\[(and )?\d+ (others|more)\]/,
    'the rest of the kernels: values.spec, sections.spec',
  ],
  [/^data › .*\[Until the batch is made\]/, 'the stages that starve the training: tables.spec'],
  [
    /^(operators › Call stacks|modules › Model) › # · #/,
    'the root of a flame graph, a sum of its parts',
  ],
  [/^memory › Allocations › Up to #/, 'the height of the pile that is drawn'],
  [/ › .*tallest bar #/, 'the height of a histogram'],
  [
    /^distributed › Why rank # came late › , 1 \[/,
    'shares of the times beside them: sections.spec',
  ],
  // Constants.
  [/^overview › .*(with # confidence|the # interval)/, 'the confidence of every interval'],
  [/^devices › Top # kernels/, 'how many bars there are'],
  [/^memory › Allocations › The # largest/, 'how many allocations are drawn'],
];

export const EXCEPTIONS_OF_THE_TERMINAL: typeof EXCEPTIONS = [
  [/^rules › Framework › (forward|backward)/, 'shares of the times beside them'],
  [/^rules › Load balance/, 'the axis of a histogram'],
  [/^distributed › Who made the others wait.* › # # /, 'shares of the times beside them'],
  [/^distributed › Collectives › /, 'GB/s, which stands in the heading'],
];
