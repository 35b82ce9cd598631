// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/findings.toml.

/** The view that shows the rows of a kind; of stacks those of which threads. */
export interface Shown {
  readonly view:
    'overview' | 'steps' | 'data' | 'operators' | 'distributed' | 'system' | 'timeline' | 'devices';
  readonly threads?: 'training' | 'other' | 'workers';
}

export const SHOWN = {
  'data.batch_not_ready': { view: 'data' },
  'data.loaded_by_training': { view: 'data' },
  'data.awaited': { view: 'data', threads: 'training' },
  'data.samples': { view: 'data', threads: 'workers' },
  'data.stages_of_profile': { view: 'timeline' },
  'step.stages': { view: 'steps' },
  'operators.stages': { view: 'operators' },
  'communication.stages': { view: 'distributed' },
  'step.faster_without': { view: 'steps' },
  'step.process_idle': { view: 'system' },
  'step.checkpoints': { view: 'steps' },
  'step.evaluations': { view: 'steps' },
  'step.garbage_collections': { view: 'steps' },
  'step.user_range': { view: 'steps' },
  'step.runs_in': { view: 'data', threads: 'training' },
  'step.waits_in': { view: 'data', threads: 'training' },
  'step.thread_beside': { view: 'data', threads: 'other' },
  'cpu.cores_busy': { view: 'system' },
  'cpu.used_by_job': { view: 'system' },
  'cpu.quota_ran_out': { view: 'system' },
  'cpu.contention': { view: 'system' },
  'cpu.other_work': { view: 'system' },
  'cpu.run_delay': { view: 'system' },
  'storage.io_wait': { view: 'system' },
  'storage.read': { view: 'system' },
  'device.busy': { view: 'system' },
  'device.in_phases': { view: 'timeline' },
  'device.caught_up': { view: 'timeline' },
  'device.computing': { view: 'timeline' },
  'device.one_of_several_computing': { view: 'timeline' },
  'device.slow_calls': { view: 'timeline' },
  'gpu.shared_with_others': { view: 'devices' },
  'gpu.unknown_processes': { view: 'devices' },
  'gpu.ranks_together': { view: 'devices' },
  'gpu.many_ranks_together': { view: 'devices' },
  'communication.last_rank': { view: 'distributed' },
  'communication.waited_for_rank': { view: 'distributed' },
  'communication.calls': { view: 'timeline' },
  'model.no_stacks': { view: 'data' },
  'model.few_samples': { view: 'data' },
  'model.operators_share': { view: 'steps' },
  'model.between_operators': { view: 'operators' },
  'verdict.few_steps': { view: 'steps' },
  'verdict.all_warm_up': { view: 'steps' },
  'verdict.warm_up': { view: 'steps' },
  'run.steps_left_out': { view: 'overview' },
  'run.devices_left_out': { view: 'overview' },
  'run.lost': { view: 'overview' },
  'run.hook_failed': { view: 'data' },
  'run.last_seen': { view: 'data', threads: 'training' },
  'profile.processes_together': { view: 'timeline' },
  'profile.threads_together': { view: 'steps' },
  'profile.runs_in': { view: 'timeline' },
  'profile.waits_in': { view: 'timeline' },
} as const satisfies Readonly<Record<string, Shown>>;

export type EvidenceKind = keyof typeof SHOWN;
