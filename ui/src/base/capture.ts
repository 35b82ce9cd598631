// SPDX-License-Identifier: Apache-2.0
// How what a run does not hold can be had: the same words in the navigation and in the view itself.

/** `list`: what --capture takes (docs/reference/cli.md); `torch`: the profiler's arguments that do the same. */
export function captureHint(list: string, torch = ''): string {
  const own =
    `steptrace capture RUN --capture ${list} records them while the run goes on, ` +
    `steptrace run --window 100:5 --capture ${list} in steps named before`;
  return torch ? `${own}; so does torch.profiler with ${torch}.` : `${own}.`;
}
