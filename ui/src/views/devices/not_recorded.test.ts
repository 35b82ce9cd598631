// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Columns } from '../../api/arrow';
import { CPU, GPU, unrecorded, type SeenByPage } from './not_recorded';
import type { Device, KernelOfDevice } from './section';

const device = (steps: number) => ({ steps: Array(steps) }) as unknown as Device;
const told = (seen: Partial<SeenByPage>) =>
  unrecorded({
    series: Columns.of({ metric: [GPU, CPU] }),
    devices: [device(2)],
    kernels: [{} as KernelOfDevice],
    inRange: false,
    hint: 'capture kernels',
    ...seen,
  }).map(({ what, why }) => `${what}: ${why}`);

describe('what a run does not hold', () => {
  it('nothing is listed where everything was recorded or is not known yet', () => {
    expect(told({})).toEqual([]);
    expect(told({ series: null, devices: null, kernels: null })).toEqual([]);
  });

  it('of a run on CPUs is the GPU and its work, with how that is recorded', () => {
    const cpu = { series: Columns.of({ metric: [CPU] }), devices: [], kernels: [] };
    expect(told(cpu)).toEqual([
      'GPU utilisation over time: No GPU was sampled, and no profile marks steps with device work.',
      'Work on the devices: capture kernels',
    ]);
    expect(told({ ...cpu, inRange: true })[1]).toContain('in the selected time range');
  });

  it('of a profile is what only a recording has', () => {
    const none = Columns.of({ metric: [] as string[] });
    expect(told({ series: none })).toEqual([
      'CPU utilisation over time: This run has no CPU metrics; steptrace run samples them.',
    ]);
    expect(told({ devices: [device(0)], kernels: [] })).toEqual([
      'Steps: The profile marks no steps that hold device work.',
      'Kernels: The devices ran copies and fills alone.',
    ]);
  });
});
