// SPDX-License-Identifier: Apache-2.0
// The panel that shows a piece of evidence, by its kind: a link to it scrolls there and marks it. A kind that is
// not here does not compile; a part that its view does not have fails the test beside this.
import type { EvidenceKind } from '../api/finding_kinds';
import type { Metric } from '../api/metrics';

/** Parts of views that an address can name: `part` of the panel. */
export type Part =
  | 'missing'
  | 'durations'
  | 'causes'
  | 'waits'
  | 'queue'
  | 'stacks'
  | 'loader-settings'
  | 'operators'
  | 'kernel-classes'
  | 'ranks'
  | 'blame'
  | 'collectives'
  | 'gpu-utilisation';

/** A metric: the chart that has it, unless the evidence names another. Null: a time range shows it. */
export type Panel = Part | { readonly metric: Metric } | null;

export const PANELS = {
  'data.batch_not_ready': 'queue',
  'data.loaded_by_training': 'waits',
  'data.awaited': 'stacks',
  'data.takes_cores': { metric: 'cpu.busy_share' },
  'cpu.cores_were_short': { metric: 'job.run_delay_cores' },
  'data.samples': 'stacks',
  'data.stages_of_profile': null,
  'step.stages': 'causes',
  'step.drift': 'durations',
  'operators.stages': 'operators',
  'communication.stages': 'ranks',
  'step.faster_without': 'causes',
  'step.bound_includes': 'causes',
  'step.bound_of_straggler': 'blame',
  'step.little_remains': 'causes',
  'step.fewer_operators': 'operators',
  'step.unrecognised': null,
  'step.process_idle': { metric: 'job.cpu_cores' },
  'step.checkpoints': 'durations',
  'step.evaluations': 'durations',
  'step.collection_thresholds': 'causes',
  'framework.recompiled': 'durations',
  'framework.recompile_limit': 'durations',
  'step.lock_held': 'stacks',
  'step.garbage_collections': 'causes',
  'step.user_range': 'durations',
  'step.runs_in': 'stacks',
  'step.waits_in': 'stacks',
  'step.thread_beside': 'stacks',
  'cpu.cores_busy': { metric: 'cpu.busy_share' },
  'cpu.allowed_cores': { metric: 'job.cpu_cores' },
  'cpu.used_by_job': { metric: 'job.cpu_cores' },
  'cpu.quota_ran_out': { metric: 'cgroup.cpu_cores' },
  'cpu.contention': { metric: 'job.run_delay_cores' },
  'cpu.other_work': { metric: 'job.cpu_cores' },
  'cpu.run_delay': { metric: 'job.run_delay_cores' },
  'storage.io_wait': { metric: 'cpu.iowait_share' },
  'storage.read': { metric: 'disk.read_bytes_per_s' },
  'device.busy': { metric: 'gpu.utilization_share' },
  'device.in_phases': null,
  'device.idle_at_phase_end': null,
  'device.computing': null,
  'device.one_of_several_computing': null,
  'device.slow_calls': null,
  'gpu.shared_with_others': 'gpu-utilisation',
  'gpu.unknown_processes': 'gpu-utilisation',
  'gpu.ranks_together': 'gpu-utilisation',
  'gpu.many_ranks_together': 'gpu-utilisation',
  'communication.straggler': 'blame',
  'communication.waited_for_rank': 'blame',
  'communication.ranks_absent': 'ranks',
  'communication.on_the_host': 'ranks',
  'communication.calls': null,
  'communication.gradient_exchange': 'collectives',
  'communication.exchange_each_backward': 'collectives',
  'model.deterministic_fill': 'operators',
  'model.slower_than_alike': 'operators',
  'model.slower_than_in_other_steps': 'operators',
  'model.no_stacks': 'stacks',
  'model.few_samples': 'stacks',
  'model.operators_share': 'causes',
  'model.between_operators': 'operators',
  'model.kernel_classes': 'kernel-classes',
  'verdict.few_steps': 'durations',
  'verdict.all_warm_up': 'durations',
  'verdict.warm_up': 'durations',
  'run.steps_left_out': 'missing',
  'run.devices_left_out': 'missing',
  'run.data_loss': 'missing',
  'run.disk_refused': 'missing',
  'run.hook_failed': 'waits',
  'run.last_seen': 'stacks',
  'profile.processes_together': null,
  'profile.work_not_recorded': null,
  'profile.steps_overlap': null,
  'profile.steps_nested': null,
  'profile.threads_together': 'causes',
  'profile.runs_in': null,
  'profile.busiest': null,
  'profile.waits_in': null,
} as const satisfies Readonly<Record<EvidenceKind, Panel>>;

/** Of a kind of another version: none. */
export const panelOf = (kind: string | undefined): Panel =>
  kind !== undefined && Object.hasOwn(PANELS, kind) ? PANELS[kind as EvidenceKind] : null;
