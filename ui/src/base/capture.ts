// SPDX-License-Identifier: Apache-2.0
// How what a run does not hold can be had: the same words in the navigation and in the view itself.

/** What of a run's card tells whose training it is. */
export interface Origin {
  readonly imported_as: string | null;
  readonly writers: readonly string[];
  readonly frameworks: readonly { readonly name: string }[];
}

/** Whether a run is of a profile, by its card or its row of the list: what made it ran no training. */
export const isImported = (of: { readonly imported_as: string | null }): boolean =>
  of.imported_as !== null;

/** Writers of profiles of PyTorch's trainings: schema/metadata.toml. */
const OF_TORCH: readonly string[] = ['pytorch', 'ascend', 'sagemaker'];

/** Whether torch.profiler may record what the run lacks: of a profile, as its writer tells. */
export function mayBeTorch(of: Origin | null): boolean {
  if (!of || !isImported(of)) return true;
  return (
    of.writers.some((writer) => OF_TORCH.includes(writer)) ||
    of.frameworks.some((framework) => framework.name === 'torch')
  );
}

/** `list`: what --capture takes (docs/reference/cli.md); `torch`: the profiler's arguments that do the same. */
export function captureHint(of: Origin | null, list: string, torch = ''): string {
  const own =
    `steptrace capture RUN --capture ${list} records them while the run goes on, ` +
    `steptrace run --window 100:5 --capture ${list} in steps named before`;
  return torch && mayBeTorch(of) ? `${own}; so does torch.profiler with ${torch}.` : `${own}.`;
}

/** A run that was recorded where no GPU was seen: a window of kernels would hold none. */
export const sawNoGpu = (
  of: { readonly imported_as: string | null; readonly gpus: readonly string[] } | null,
): boolean => of !== null && !isImported(of) && of.gpus.length === 0;

/** The same of device work. */
export const kernelsHint = (of: (Origin & { readonly gpus: readonly string[] }) | null): string =>
  sawNoGpu(of)
    ? 'No NVIDIA GPU was seen while it ran, so no device work could be recorded.'
    : captureHint(of, 'kernels', 'ProfilerActivity.CUDA');
