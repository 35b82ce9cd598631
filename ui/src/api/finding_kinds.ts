// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/findings.toml.

/** The view that shows the rows of a kind; of stacks those of which threads. */
export interface Shown {
  readonly view:
    | 'overview'
    | 'steps'
    | 'data'
    | 'operators'
    | 'kernels'
    | 'distributed'
    | 'system'
    | 'timeline'
    | 'devices';
  readonly threads?: 'training' | 'other' | 'workers';
  /** Its sentence begins with a name, whose letters are what they are. */
  readonly named?: true;
}

export const SHOWN = {
  'data.batch_not_ready': { view: 'data' },
  'data.loaded_by_training': { view: 'data' },
  'data.awaited': { view: 'data', threads: 'training' },
  'data.takes_cores': { view: 'system' },
  'cpu.cores_were_short': { view: 'system' },
  'data.samples': { view: 'data', threads: 'workers' },
  'data.stages_of_profile': { view: 'timeline' },
  'step.stages': { view: 'steps' },
  'step.drift': { view: 'steps' },
  'operators.stages': { view: 'operators' },
  'communication.stages': { view: 'distributed' },
  'step.faster_without': { view: 'steps' },
  'step.bound_includes': { view: 'steps' },
  'step.bound_of_straggler': { view: 'distributed' },
  'step.little_remains': { view: 'steps' },
  'step.fewer_operators': { view: 'operators' },
  'step.unrecognised': { view: 'timeline' },
  'step.process_idle': { view: 'system' },
  'step.checkpoints': { view: 'steps' },
  'step.evaluations': { view: 'steps' },
  'step.collection_thresholds': { view: 'steps' },
  'framework.recompiled': { view: 'steps' },
  'framework.recompile_limit': { view: 'steps', named: true },
  'step.lock_held': { view: 'data', threads: 'training' },
  'step.garbage_collections': { view: 'steps' },
  'step.user_range': { view: 'steps' },
  'step.runs_in': { view: 'data', threads: 'training' },
  'step.waits_in': { view: 'data', threads: 'training' },
  'step.thread_beside': { view: 'data', threads: 'other' },
  'cpu.cores_busy': { view: 'system' },
  'cpu.allowed_cores': { view: 'system' },
  'cpu.used_by_job': { view: 'system' },
  'cpu.quota_ran_out': { view: 'system' },
  'cpu.contention': { view: 'system' },
  'cpu.other_work': { view: 'system' },
  'cpu.run_delay': { view: 'system' },
  'storage.io_wait': { view: 'system' },
  'storage.read': { view: 'system' },
  'device.busy': { view: 'system' },
  'device.in_phases': { view: 'timeline' },
  'device.idle_at_phase_end': { view: 'timeline' },
  'device.computing': { view: 'timeline' },
  'device.one_of_several_computing': { view: 'timeline' },
  'device.slow_calls': { view: 'timeline' },
  'gpu.shared_with_others': { view: 'devices' },
  'gpu.unknown_processes': { view: 'devices' },
  'gpu.ranks_together': { view: 'devices' },
  'gpu.many_ranks_together': { view: 'devices' },
  'communication.straggler': { view: 'distributed' },
  'communication.waited_for_rank': { view: 'distributed' },
  'communication.ranks_absent': { view: 'distributed' },
  'communication.on_the_host': { view: 'distributed' },
  'communication.calls': { view: 'timeline' },
  'communication.gradient_exchange': { view: 'distributed' },
  'communication.exchange_each_backward': { view: 'distributed' },
  'model.deterministic_fill': { view: 'operators' },
  'model.slower_than_in_other_steps': { view: 'operators', named: true },
  'model.slower_than_alike': { view: 'operators' },
  'model.no_stacks': { view: 'data' },
  'model.few_samples': { view: 'data' },
  'model.operators_share': { view: 'steps' },
  'model.between_operators': { view: 'operators' },
  'model.kernel_classes': { view: 'kernels' },
  'verdict.few_steps': { view: 'steps' },
  'verdict.all_warm_up': { view: 'steps' },
  'verdict.warm_up': { view: 'steps' },
  'run.steps_left_out': { view: 'overview' },
  'run.devices_left_out': { view: 'overview' },
  'run.data_loss': { view: 'overview', named: true },
  'run.disk_refused': { view: 'overview' },
  'run.hook_failed': { view: 'data' },
  'run.last_seen': { view: 'data', threads: 'training' },
  'profile.processes_together': { view: 'timeline' },
  'profile.work_not_recorded': { view: 'timeline' },
  'profile.steps_overlap': { view: 'timeline' },
  'profile.steps_nested': { view: 'timeline' },
  'profile.threads_together': { view: 'steps' },
  'profile.runs_in': { view: 'timeline' },
  'profile.busiest': { view: 'timeline', named: true },
  'profile.waits_in': { view: 'timeline' },
} as const satisfies Readonly<Record<string, Shown>>;

export type EvidenceKind = keyof typeof SHOWN;

export type AdviceKind =
  | 'data.take_whole_batches'
  | 'data.cheaper_getitem'
  | 'data.cheaper_collate'
  | 'data.cheaper_sampler'
  | 'data.hand_over_less'
  | 'data.share_by_file_system'
  | 'data.local_copy'
  | 'data.fewer_workers'
  | 'data.workers_of_cores'
  | 'data.cheaper_worker_start'
  | 'data.one_iterator'
  | 'data.persistent_workers'
  | 'data.copy_ahead'
  | 'data.prefetch_more'
  | 'data.load_ahead'
  | 'data.pin_memory'
  | 'data.query_less'
  | 'data.decode_less'
  | 'data.augment_on_device'
  | 'data.augment_vectorised'
  | 'data.tokenise_ahead'
  | 'data.ask_earlier'
  | 'data.cheaper_awaited'
  | 'data.cheaper_sampler_code'
  | 'data.cheaper_code'
  | 'data.cheaper_helpers'
  | 'data.hold_lock_less'
  | 'data.share_less'
  | 'data.copy_less'
  | 'data.keep_workers'
  | 'data.even_parts'
  | 'data.more_waiting_workers'
  | 'data.cores_taken'
  | 'data.cores_filled'
  | 'data.first_workers'
  | 'data.more_workers'
  | 'data.look_at_workers'
  | 'data.load_beside'
  | 'step.stop_growth'
  | 'cpu.raise_quota'
  | 'cpu.allow_more_cores'
  | 'cpu.more_cores'
  | 'cpu.free_for_training'
  | 'cpu.free_for_workers'
  | 'cpu.free_for_operators'
  | 'cpu.free_for_model'
  | 'cpu.fewer_threads'
  | 'step.own_process'
  | 'step.compute_less'
  | 'step.fewer_checkpoints'
  | 'step.fewer_evaluations'
  | 'step.log_less'
  | 'step.fewer_windows'
  | 'step.look_at_range'
  | 'step.look_at_work'
  | 'step.look_at_wait'
  | 'step.annotate'
  | 'profile.record_host'
  | 'profile.record_stacks'
  | 'profile.after_warm_up'
  | 'model.more_steps'
  | 'model.sample_stacks'
  | 'model.kernels'
  | 'model.fuse_kernels'
  | 'model.fuse_any_kernels'
  | 'model.lower_precision'
  | 'model.lower_any_precision'
  | 'model.profile_operators'
  | 'model.operators'
  | 'model.no_deterministic_fill'
  | 'model.flush_denormals'
  | 'model.capture_kernels'
  | 'model.capture_operators'
  | 'framework.no_anomaly_detection'
  | 'framework.more_in_a_launch'
  | 'framework.fix_graph_breaks'
  | 'framework.fuse_operators'
  | 'framework.collect_seldom'
  | 'framework.fixed_shapes'
  | 'framework.steady_shapes'
  | 'framework.steady_tensors'
  | 'framework.values_as_tensors'
  | 'framework.texts_outside'
  | 'framework.steady_lengths'
  | 'framework.one_state'
  | 'framework.one_object'
  | 'framework.look_at_guard'
  | 'framework.look_at_unbegun_work'
  | 'framework.run_ahead'
  | 'communication.all_ranks'
  | 'communication.accumulate_without_sync'
  | 'communication.accumulate'
  | 'communication.no_sync'
  | 'communication.call_less'
  | 'communication.tensors_for_objects'
  | 'communication.no_barrier'
  | 'communication.micro_batches'
  | 'communication.join_calls'
  | 'communication.wait_later'
  | 'communication.start_asynchronously'
  | 'communication.hold_parameters'
  | 'communication.more_layers_a_unit'
  | 'communication.shard_gradients'
  | 'communication.larger_units'
  | 'communication.larger_buckets'
  | 'communication.nccl'
  | 'communication.no_unused_parameters'
  | 'communication.even_work'
  | 'communication.look_at_data'
  | 'communication.look_at_rank'
  | 'communication.look_at_cause'
  | 'run.call_step'
  | 'run.call_step_if_it_trains'
  | 'run.call_step_if_it_trained'
  | 'run.call_step_if_it_trains_already'
  | 'run.let_hooks_in'
  | 'run.name_ranges'
  | 'run.longer_range'
  | 'run.without_tool'
  | 'run.free_space'
  | 'run.fix_failure'
  | 'run.look_where_it_is'
  | 'run.look_where_it_was'
  | 'run.with_optimizer_hook'
  | 'run.with_hooks'
  | 'run.capture_again'
  | 'run.look_behind_warm_up'
  | 'run.more_steps'
  | 'run.ask_again'
  | 'run.longer'
  | 'import.all_files'
  | 'import.record_host'
  | 'import.mark_steps_jax'
  | 'import.mark_steps_tensorflow'
  | 'import.run_training'
  | 'profile.name_ranges_jax'
  | 'profile.name_ranges_tensorflow'
  | 'recommendation.raise_workers'
  | 'recommendation.distributed_data_parallel'
  | 'recommendation.use_nccl'
  | 'recommendation.communicate_less'
  | 'recommendation.give_device_more'
  | 'recommendation.mixed_precision'
  | 'recommendation.use_less_memory'
  | 'recommendation.launch_less'
  | 'recommendation.overlap_communication'
  | 'recommendation.look_at_late_rank'
  | 'recommendation.synchronise_less'
  | 'recommendation.gather_copies'
  | 'recommendation.use_tensor_cores'
  | 'recommendation.keep_blocks'
  | 'rule_advice.low_gpu_utilization'
  | 'rule_advice.batch_size'
  | 'rule_advice.cpu_bottleneck'
  | 'rule_advice.io_bottleneck'
  | 'rule_advice.gpu_memory_increase'
  | 'rule_advice.load_balancing'
  | 'rule_advice.dataloader'
  | 'rule_advice.step_outlier'
  | 'rule_advice.max_initialization_time'
  | 'rule_advice.profiler_report';

export type RuleKind =
  | 'rule.gpu_under_utilised'
  | 'rule.gpu_under_utilised_over_steps'
  | 'rule.gpu_under_utilised_over_profile'
  | 'rule.gpu_under_utilised_lately'
  | 'rule.gpu_fluctuates'
  | 'rule.gpu_fluctuates_over_steps'
  | 'rule.gpu_fluctuates_over_profile'
  | 'rule.gpu_fluctuates_lately'
  | 'rule.gpu_not_used'
  | 'rule.batch_too_small'
  | 'rule.memory_grew'
  | 'rule.memory_mean_grew'
  | 'rule.steps_starve_gpu'
  | 'rule.cpu_bottleneck'
  | 'rule.io_bottleneck'
  | 'rule.bottlenecks'
  | 'rule.gpus_differ_in_use'
  | 'rule.gpus_take_turns'
  | 'rule.last_gpus_differ'
  | 'rule.loaders_on_cores'
  | 'rule.workers_on_cores'
  | 'rule.waits_for_data'
  | 'rule.long_steps'
  | 'rule.slow_steps'
  | 'rule.no_first_step'
  | 'rule.long_initialization'
  | 'rule.found';

export type RecommendationKind =
  | 'recommendation.loader'
  | 'recommendation.loader_time'
  | 'recommendation.data_parallel'
  | 'recommendation.gradient_exchange'
  | 'recommendation.communication'
  | 'recommendation.least_used_device'
  | 'recommendation.little_used_device'
  | 'recommendation.tensor_cores_used'
  | 'recommendation.no_tensor_cores_used'
  | 'recommendation.tensor_core_operators'
  | 'recommendation.memory_peak'
  | 'recommendation.launches'
  | 'recommendation.short_launches'
  | 'recommendation.exposed_communication'
  | 'recommendation.communication_overlapped'
  | 'recommendation.straggler'
  | 'recommendation.late_rank'
  | 'recommendation.synchronisation'
  | 'recommendation.synchronising_calls'
  | 'recommendation.small_copies'
  | 'recommendation.small_copies_of_all'
  | 'recommendation.tensor_core_share'
  | 'recommendation.tensor_core_share_possible'
  | 'recommendation.allocator'
  | 'recommendation.allocator_calls';

export type HeadlineKind =
  | 'verdict.straggler'
  | 'verdict.exchange_or_waiting'
  | 'verdict.suspect'
  | 'verdict.training_without_core'
  | 'verdict.no_single_suspect'
  | 'verdict.model_if_it_computes'
  | 'verdict.model_and_next'
  | 'verdict.model_and_rest'
  | 'verdict.model_with_overhead'
  | 'verdict.model_waits_for_host'
  | 'verdict.model_unrecognised'
  | 'verdict.model_healthy'
  | 'verdict.model_slowed'
  | 'verdict.no_hooks'
  | 'verdict.no_step_in_range'
  | 'verdict.cannot_record'
  | 'verdict.shared_memory_full'
  | 'verdict.unrecorded_process'
  | 'verdict.script_profiler'
  | 'verdict.steps_damaged'
  | 'verdict.steps_refused'
  | 'verdict.no_python'
  | 'verdict.no_torch'
  | 'verdict.no_optimizer'
  | 'verdict.optimizer_left_out'
  | 'verdict.import_without_steps'
  | 'verdict.no_training'
  | 'verdict.hooks_off'
  | 'verdict.no_step_yet'
  | 'verdict.only_warm_up'
  | 'verdict.too_few_steps';

export type NoteKind =
  | 'usage.fluctuates'
  | 'usage.smaller_without_gpu'
  | 'usage.smaller'
  | 'usage.held_up_by_cpu'
  | 'usage.well_used'
  | 'note.no_device_activity'
  | 'note.profile_without_devices'
  | 'note.profile_without_operators'
  | 'note.profile_without_memory'
  | 'note.profile_without_modules'
  | 'note.steps_left_out'
  | 'note.agent_ended_first'
  | 'note.lost_after_last_step'
  | 'note.no_step_marks'
  | 'note.windows'
  | 'note.collectives_from'
  | 'note.no_metric'
  | 'note.samples_around'
  | 'note.not_measured'
  | 'note.last_steps'
  | 'memory.copy_on_write'
  | 'memory.device_nearly_full'
  | 'memory.cgroup_nearly_full'
  | 'memory.machine_nearly_full'
  | 'note.window_cost'
  | 'note.cupti_stays'
  | 'note.cupti_taken'
  | 'note.no_group_reported'
  | 'note.no_collectives'
  | 'note.one_rank'
  | 'note.nothing_matched'
  | 'note.shared_group_name'
  | 'note.collectives_lack_ranks'
  | 'note.calls_unplaced'
  | 'note.calls_ambiguous'
  | 'comparison.no_steps'
  | 'comparison.no_steps_in_one'
  | 'comparison.may_be_chance'
  | 'comparison.same'
  | 'comparison.faster'
  | 'comparison.dataset_stages_of_one'
  | 'legacy.text'
  | 'cost.gpus_of_node'
  | 'cost.cores_of_node'
  | 'cost.memory_of_node'
  | 'cost.memory_unmeasured'
  | 'cost.gpu_memory'
  | 'cost.gpu_memory_not_compared'
  | 'cost.gpus_of_all'
  | 'cost.cores_of_processes'
  | 'cost.cores_must_shrink'
  | 'cost.batch_grows'
  | 'cost.other_size'
  | 'cost.no_types'
  | 'cost.use_unmeasured'
  | 'cost.no_type_holds'
  | 'cost.none_cheaper'
  | 'run.exception'
  | 'run.interrupted'
  | 'run.signal'
  | 'run.exit_code';

export type ReasonKind =
  | 'reason.no_gpu_metric'
  | 'reason.no_system_metric'
  | 'reason.no_gpu_memory_or_cpu'
  | 'reason.no_gpu_memory'
  | 'reason.no_cpu'
  | 'reason.no_io_wait'
  | 'reason.gpu_memory_size_unknown'
  | 'reason.memory_in_no_step'
  | 'reason.no_memory_records'
  | 'reason.one_gpu'
  | 'reason.few_samples'
  | 'reason.few_samples_of_two'
  | 'reason.no_training_step'
  | 'reason.no_step'
  | 'reason.framework_silent'
  | 'reason.no_step_or_operator'
  | 'reason.no_loader'
  | 'reason.few_steady_steps'
  | 'reason.few_steps_of_a_kind'
  | 'reason.few_snapshots'
  | 'reason.few_recorded_steps'
  | 'reason.no_rule_applies'
  | 'reason.begin_left_out'
  | 'reason.no_data'
  | 'reason.impossible_times'
  | 'reason.first_gpus_alone'
  | 'reason.no_price'
  | 'reason.type_unclear'
  | 'reason.type_not_listed';

export type LiveKind =
  | 'live.rule_found'
  | 'live.rule_passed'
  | 'live.sampling_slowed'
  | 'live.sampling_restored'
  | 'live.sampling_anew'
  | 'live.own_stacks_pace'
  | 'live.agent_memory_over'
  | 'live.agent_memory_ok'
  | 'live.memory_leak'
  | 'live.memory_plateau'
  | 'live.memory_unknown'
  | 'live.step_time_risen'
  | 'live.step_time_back'
  | 'live.hang'
  | 'live.hang_over'
  | 'live.no_hang'
  | 'live.tensor_nonfinite'
  | 'live.gradient_vanishing'
  | 'live.gradient_exploding'
  | 'live.loss_not_falling'
  | 'live.tensor_finite_again'
  | 'live.loss_spike'
  | 'live.gradient_spike'
  | 'live.dead_units'
  | 'live.cast_range'
  | 'live.parameter_unchanged'
  | 'live.tensor_unjudged';

export type LossKind =
  | 'loss.capture_nothing'
  | 'loss.capture_cut'
  | 'loss.capture_without'
  | 'loss.kineto_failed'
  | 'loss.kineto_no_memory'
  | 'loss.profile_unread'
  | 'loss.profiles_left'
  | 'loss.of_profile'
  | 'loss.no_room_for_ring'
  | 'loss.ring_unreadable'
  | 'loss.disarmed'
  | 'loss.still_ran'
  | 'loss.other_user'
  | 'loss.no_site_packages'
  | 'loss.python_path_ignored'
  | 'loss.hooks_refused'
  | 'loss.no_hooks_loaded'
  | 'loss.tool_of_the_script'
  | 'loss.nothing_to_record'
  | 'loss.recorded_elsewhere'
  | 'loss.unavailable'
  | 'loss.impossible_times'
  | 'loss.unrecognised_event'
  | 'loss.ranks_missing'
  | 'loss.hook_failed'
  | 'loss.in_file'
  | 'loss.file_refused'
  | 'loss.file_cut_off'
  | 'loss.file_damaged'
  | 'loss.skipped_bytes'
  | 'loss.too_large'
  | 'loss.tables_left_out'
  | 'loss.profiler_warned'
  | 'loss.beyond'
  | 'loss.duplicate_key'
  | 'loss.missing_metadata'
  | 'loss.same_profile'
  | 'loss.same_rank'
  | 'loss.no_date'
  | 'loss.not_profiles'
  | 'loss.cut_durations';
