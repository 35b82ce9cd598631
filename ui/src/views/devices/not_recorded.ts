// SPDX-License-Identifier: Apache-2.0
// What this view would show, and the run does not hold: told once, in place of a card for each.
import type { Columns } from '../../api/arrow';
import type { Metric } from '../../api/metrics';
import type { Device, KernelOfDevice } from './section';

export const GPU: Metric = 'gpu.utilization_share';
export const CPU: Metric = 'cpu.busy_share';

export interface Unrecorded {
  readonly what: string;
  readonly why: string;
}

/** `null`: not known yet, or it cannot be had: that is reported where it would be shown. */
export interface SeenByPage {
  readonly series: Columns | null;
  readonly devices: readonly Device[] | null;
  readonly kernels: readonly KernelOfDevice[] | null;
  /** A time range is selected: what is not in it may be elsewhere. */
  readonly inRange: boolean;
  /** How device work is recorded. */
  readonly hint: string;
}

export function unrecorded({ series, devices, kernels, inRange, hint }: SeenByPage): Unrecorded[] {
  const found: Unrecorded[] = [];
  const metrics = series === null ? null : new Set(series.strings('metric'));
  const steps = devices?.some((d) => d.steps.length > 0) ?? true;
  if (metrics && !metrics.has(GPU) && !steps)
    found.push({
      what: 'GPU utilisation over time',
      why: 'No GPU was sampled, and no profile marks steps with device work.',
    });
  if (metrics && !metrics.has(CPU))
    found.push({
      what: 'CPU utilisation over time',
      why: inRange
        ? 'No system metric was sampled in the selected time range.'
        : 'This run has no CPU metrics; steptrace run samples them.',
    });
  if (devices?.length === 0)
    found.push({
      what: 'Work on the devices',
      why: inRange ? 'There is none in the selected time range.' : hint,
    });
  else {
    if (devices !== null && !steps)
      found.push({ what: 'Steps', why: 'The profile marks no steps that hold device work.' });
    if (kernels?.length === 0)
      found.push({ what: 'Kernels', why: 'The devices ran copies and fills alone.' });
  }
  return found;
}
