// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/rules.toml.

/** What a parameter of a profiler rule means, and the unit of its value in each mode; '': none. */
export interface ParameterInfo {
  readonly meaning: string;
  readonly compat: string;
  readonly modern: string;
}

// prettier-ignore
const PARAMETERS: Readonly<Record<string, readonly [string, string, string]>> = {
  'LowGPUUtilization.threshold_p95': ['A GPU whose 95th percentile in the window is below this is under-utilised.', '%', '%'],
  'LowGPUUtilization.threshold_p5': ['Any other GPU whose 5th percentile is below this fluctuates.', '%', '%'],
  'LowGPUUtilization.window': ['Samples of a GPU in one window.', 'samples', 'samples'],
  'LowGPUUtilization.patience': ['Samples of a GPU before a verdict.', 'samples', 'samples'],
  'BatchSize.cpu_threshold_p95': ['Limit for the 95th percentile of the CPU.', '%', '%'],
  'BatchSize.gpu_threshold_p95': ['Limit for the 95th percentile of the GPU.', '%', '%'],
  'BatchSize.gpu_memory_threshold_p95': ['Limit for the 95th percentile of GPU memory.', '%', '%'],
  'BatchSize.patience': ['Samples before a verdict.', 'samples', 'samples'],
  'BatchSize.window': ['Samples in one window.', 'samples', 'samples'],
  'CPUBottleneck.threshold': ['Share of snapshots with a bottleneck, in percent.', '%', '%'],
  'CPUBottleneck.gpu_threshold': ['A GPU below this is idle.', '%', '%'],
  'CPUBottleneck.cpu_threshold': ['CPU use above this is high.', '%', '%'],
  'CPUBottleneck.patience': ['Snapshots before a verdict.', 'snapshots', 'snapshots'],
  'CPUBottleneck.window': ['Snapshots in one window.', 'snapshots', 'snapshots'],
  'CPUBottleneck.max_wait': ['A step that waits for data longer than this share counts as a busy data path.', '%', '%'],
  'IOBottleneck.threshold': ['Share of snapshots with a bottleneck, in percent.', '%', '%'],
  'IOBottleneck.gpu_threshold': ['A GPU below this is idle.', '%', '%'],
  'IOBottleneck.io_threshold': ['I/O wait above this is high.', '%', '%'],
  'IOBottleneck.patience': ['Snapshots before a verdict.', 'snapshots', 'snapshots'],
  'IOBottleneck.window': ['Snapshots in one window.', 'snapshots', 'snapshots'],
  'GPUMemoryIncrease.increase': ["Growth, in percentage points of the GPU's memory.", 'percentage points', 'percentage points'],
  'GPUMemoryIncrease.patience': ['Samples of a GPU before a verdict.', 'samples', 'samples'],
  'GPUMemoryIncrease.window': ['Samples over which the growth is measured.', 'samples', 'samples'],
  'LoadBalancing.threshold': ['Distance of two GPUs above which they differ.', '', ''],
  'LoadBalancing.patience': ['Samples of a GPU before a verdict.', 'samples', 'samples'],
  'Dataloader.min_threshold': ['Fewer loaders than this share of the cores.', '%', '%'],
  'Dataloader.max_threshold': ['More workers than this share of the cores.', '%', '%'],
  'Dataloader.patience': ['Seconds with loaders (modern: steps) before a verdict.', 's', 'steps'],
  'Dataloader.window': ['Steps of a rank in one window.', 'steps', 'steps'],
  'Dataloader.max_wait': ['Share of step time that may go into waiting.', '%', '%'],
  'StepOutlier.stddev': ['Deviations from the mean (modern: median) that make an outlier.', 'deviations', 'deviations'],
  'StepOutlier.mode': ['Which steps: None (all), TRAIN or EVAL.', '', ''],
  'StepOutlier.n_outliers': ['Number of outliers that are ignored.', 'outliers', 'outliers'],
  'StepOutlier.rate': ['Outliers per hundred steps that are ignored.', '%', '%'],
  'StepOutlier.lost': ['Share of the time that outliers may cost.', '%', '%'],
  'MaxInitializationTime.threshold': ['Minutes before the first step.', 'min', 'min'],
};

export function parameterInfo(rule: string, parameter: string): ParameterInfo | undefined {
  const key = `${rule}.${parameter}`;
  if (!Object.hasOwn(PARAMETERS, key)) return undefined;
  const [meaning, compat, modern] = PARAMETERS[key] ?? ['', '', ''];
  return { meaning, compat, modern };
}
