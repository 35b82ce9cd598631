// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/report.toml.
import type { StageId, SuspectId } from '../base/stages';
import type { Ns } from '../base/time';
import type { RunStatus, Severity } from './stored_words';

export type { RunStatus, Severity };

export const REPORT_SCHEMA = 'steptrace.report/2';

export type Value = string | number | boolean | null;
/** What a sentence is made of; a list: its items. */
export type Values = Record<string, Value | Record<string, Value>[]>;
export type Settings = Record<string, string | number | boolean>;

export type Compares = '=' | '<' | '<=' | '>' | '>=';
export type SectionStatus = 'found' | 'not_found' | 'not_applicable' | 'cannot_tell' | 'error';
export type RuleStatus = 'ok' | 'issues_found' | 'not_applicable' | 'error';
export type DistributedSource = 'calls' | 'steps';
export type CountedBy = 'loader' | 'batches' | 'estimated' | 'model';
export type LimitOf = 'machine' | 'cgroup' | 'gpu' | 'allocator';
export type LeakStatus = 'none' | 'found' | 'too_few_steps' | 'no_addresses';
export type CardFact =
  | 'command'
  | 'host'
  | 'cores'
  | 'memory'
  | 'gpus'
  | 'software'
  | 'ranks'
  | 'batch_size'
  | 'workers'
  | 'code'
  | 'job'
  | 'tags'
  | 'profiles'
  | 'started';
export type GrowthVerdict = 'leak' | 'plateau' | 'not_enough_data';
export type ProcessClass = 'rank' | 'worker' | 'other';
export type KernelRole = 'compute' | 'communication';
export type ModuleSource = 'ranges' | 'hierarchy' | 'stacks' | 'none';
export type PathCause =
  | 'host'
  | 'data'
  | 'launch'
  | 'compute'
  | 'memory'
  | 'communication'
  | 'synchronisation'
  | 'device_gap'
  | 'not_recorded'
  | 'not_linked';
export type ReasonId =
  | 'not_failed'
  | 'no_throughput'
  | 'no_steps'
  | 'not_imported'
  | 'all_recognised'
  | 'no_training'
  | 'too_few_steps'
  | 'no_single_suspect'
  | 'no_loader'
  | 'no_device_activity'
  | 'no_device_phases'
  | 'no_operators'
  | 'no_allocations'
  | 'no_tensors'
  | 'no_modules'
  | 'one_rank'
  | 'nothing_matched'
  | 'no_metrics'
  | 'no_memory_limits'
  | 'no_process_memory'
  | 'no_facts'
  | 'no_rules'
  | 'no_issue'
  | 'nothing_noticed'
  | 'nothing_lost';
export type KernelClass =
  | 'gemm'
  | 'convolution'
  | 'attention'
  | 'elementwise'
  | 'normalisation'
  | 'reduction'
  | 'indexing'
  | 'copy'
  | 'communication'
  | 'other';
export type Topic = 'hang' | 'rule' | 'memory' | 'step_time' | 'tensor' | 'agent';

/** Why a section is not found. */
export interface Reason {
  /** The reason. */
  id: ReasonId;
  /** The same in words, with the next step where there is one. */
  text: string;
}

/** What each section has. */
export interface Section {
  /** found; not_found: it was looked for; not_applicable: the run has no source of it; cannot_tell: the source does not suffice; error. */
  status: SectionStatus;
  /** Why it is not found. */
  reason: Reason | null;
  /** How many rows it has in all, of several lists the main one. */
  count: number;
  /** Rows of its main list are left out here: those beyond the longest, those of ranks and machines beyond 64, or of any list those beyond --top; a list within it that has a bound says so. */
  truncated: boolean;
}

/** A value that a sentence's figure was rounded from. */
export interface Figure {
  /** How many characters of the sentence stand before it. */
  at: number;
  /** As the sentence has it. */
  text: string;
  /** What it was rounded from; null if it is not a number. */
  value: number | null;
  /** ns, share, share_number (a share whose percent sign follows a later figure), bytes, count, cores, times, or empty. */
  unit: string;
}

/** A line of a file that a sentence names. */
export interface PlaceInText {
  /** How many characters of the sentence stand before it. */
  at: number;
  /** As the sentence has it: `train.py:21`. */
  text: string;
  /** The file, as the process reported it. */
  file: string;
  /** The line. */
  line: number;
}

/** Something that was found, by its [kind](findings.md), and the sentence that is made of it. */
export interface Said {
  /** The sentence. */
  text: string;
  /** The values that the sentence's figures were rounded from. */
  figures: Figure[];
  /** The lines of files that the sentence names. */
  places?: PlaceInText[];
  /** 16 hexadecimal digits made of kind and subject: the same in two reports for the same finding, and where a report repeats one (a rule in verdict.rules[], a finding in the log); different for different findings of a report. Lines, figures, times, steps and process ids have no part in it; of a file what follows `site-packages/`, `dist-packages/` or `lib/pythonX.Y/` has, else its name. */
  id: string;
  /** Its kind. */
  kind: string;
  /** What it is about. */
  subject: Subject;
  /** What the sentence is made of. */
  values: Values;
}

/** A place in the code. */
export interface CodePlace {
  /** The file, as the process reported it. */
  file: string;
  /** The line. */
  line: number | null;
}

/** What a finding is about: the members that apply. */
export interface Subject {
  /** The suspect. */
  suspect?: SuspectId;
  /** Its stage. */
  stage?: StageId;
  /** The [rule](rules.md). */
  rule?: string;
  /** The [metric](metrics.md). */
  metric?: string;
  /** The function, or what is called there. */
  function?: string;
  /** Where in the code. */
  source?: CodePlace;
  /** The kind of the steps, as in the table steps. */
  step_kind?: string;
  /** The hook. */
  hook?: string;
  /** What was to be measured. */
  data_source?: string;
  /** The [cause](data_loss.md) of what was lost. */
  cause?: string;
  /** The machines' names. */
  hosts?: string[];
  /** Their numbers, of those whose name is not known. */
  nodes?: number[];
  /** The ranks. */
  ranks?: NumberRange[];
  /** The devices' numbers. */
  devices?: number[];
  /** Of several devices whose each is. */
  gpus?: SubjectGpu[];
  /** The process's number. */
  process?: number;
  /** The steps. */
  steps?: NumberRange;
  /** Numbers findings of one kind with the same subject (windows of one rank, lines of one function), in the order of lines, then of the report; absent on the first. Part of the id; in a log of over 1000 findings it may change as the run goes on. */
  occurrence?: number;
}

/** One of several devices that a finding is about: the members that apply. */
export interface SubjectGpu {
  /** The machine's name. */
  host?: string;
  /** Its number, where its name is not known. */
  node?: number;
  /** The rank. */
  rank?: number;
  /** The device's number. */
  device: number;
}

/** Numbers one after the other. */
export interface NumberRange {
  /** The first. */
  first: number;
  /** The last. */
  last: number;
}

/** A condition on a row of a table. */
export interface Condition {
  /** The column. */
  column: string;
  /** How it compares. */
  is: Compares;
  /** With what: a whole number or a text. */
  value: Value;
}

/** Rows of a table of the run, as `steptrace show --where` and DuckDB read them. */
export interface TableRows {
  /** The [table](schema.md), in runs of earlier versions the folder's name. */
  table: string;
  /** Which of its rows; empty: all of them. */
  where: string;
  /** The same as values; all of them hold. */
  conditions: Condition[];
  /** How many these are, exactly. */
  count: number;
}

/** Something that was found, and the rows that show it. */
export interface Evidence extends Said {
  /** The rows that show it; null: they stand in no table, or were not counted. */
  rows: TableRows | null;
}

/** Something to change. */
export interface Advice extends Said {
  /** The setting; empty: it is not a setting. */
  setting: string;
  /** Its value now. */
  current: string;
  /** The value to try; empty: none is named. */
  proposed: string;
}

/** A framework that a process reported. */
export interface Framework {
  /** Its name. */
  name: string;
  /** Its version. */
  version: string;
}

/** Which run it is, what was run, and how it ended. */
export interface RunInfo {
  /** The run. */
  id: string;
  /** Its name. */
  name: string;
  /** How it goes or how it ended; empty where the manifest was lost and rebuilt. */
  status: RunStatus;
  /** With what the command ended. */
  exit_code: number | null;
  /** The signal that the command died of. */
  signal: number | null;
  /** What was run. */
  command: string[];
  /** When it began, by ISO 8601; empty where that is not known. */
  started_utc: string;
  /** How long it took, while it runs: so far. */
  duration_ns: Ns;
  /** How many machines it ran on. */
  nodes: number;
  /** How many ranks trained. */
  ranks: number;
  /** As the processes reported them. */
  frameworks: Framework[];
  /** As the processes reported them. */
  devices: string[];
  /** Profiler overhead: the share of the training thread's time that recording took, an upper estimate (records times the cost of one). */
  host_overhead_share: number | null;
  /** What the agent used of one core. */
  agent_cpu_share: number | null;
}

/** The run before, in and after its steps; of a part of the run the steps alone. */
export interface RunPhases extends Section {
  /** Before the first step. */
  initialization_ns: Ns | null;
  /** The steps. */
  training_ns: Ns | null;
  /** After the last step; null while the run goes on, and where steps may have come after the last that is stored (notes says why). */
  finalization_ns: Ns | null;
}

/** A distribution; percentiles by nearest rank. */
export interface Distribution {
  /** The mean. */
  mean: Ns;
  /** The least. */
  min: Ns;
  /** The median. */
  p50: Ns;
  /** The 90th percentile. */
  p90: Ns;
  /** The 95th percentile. */
  p95: Ns;
  /** The 99th percentile. */
  p99: Ns;
  /** The most. */
  max: Ns;
}

/** A step slower than the median plus 5 scaled median absolute deviations (MAD). */
export interface Outlier {
  /** The rank. */
  rank: number;
  /** The step. */
  step: number;
  /** When it began. */
  ts_ns: Ns;
  /** How long it took. */
  dur_ns: Ns;
  /** The stage that grew most over its median; empty where none is known. */
  cause: string;
  /** By how much that stage grew. */
  excess_ns: Ns;
}

/** How many steps there are, and how long the steady ones take. */
export interface StepsInfo extends Section {
  /** All steps, of the rank with most. */
  count: number;
  /** Steady training steps, of the rank with most of them. */
  steady: number;
  /** Steps of warm-up, of the same rank. */
  warm_up: number;
  /** Steps of evaluation, of the rank with most of them. */
  eval: number;
  /** False: a profile marks no steps, and all its operators are taken as one. */
  marked: boolean;
  /** Of the steady steps of all ranks. */
  duration_ns: Distribution | null;
  /** Steady steps a second, of the rank that takes longest for its own: ranks make their steps together. */
  steps_per_s: number | null;
  /** How many steps are slow. */
  outlier_count: number;
  /** The longest of the slow steps, at most 20. */
  outliers: Outlier[];
}

/** Time that could be saved. */
export interface Saving {
  /** Over the run's training steps. */
  ns: Ns;
  /** What that is worth, where a price was given. */
  money?: number;
}

/** Where samples of stacks, or the Python functions of a profile, saw time of a stage. */
export interface StageFunction {
  /** A function of the user's, by its qualified name; without code of the user's in the stack the library's. */
  function: string;
  /** Its file. */
  file: string;
  /** Of its lines the one with most time. */
  line: number | null;
  /** What it called there of a library, or in C, by its name in the source; null: nothing. */
  call: string | null;
  /** Its time. */
  ns: Ns;
  /** Of the steps. */
  share: number;
}

/** A rule that found something and points at the same suspect: the first line of its evidence. */
export interface AgreeingRule extends Said {
  /** The [rule](rules.md). */
  name: string;
}

/** What all steady steps of the run say, next to the verdict from fewer than 10 captured ones. */
export interface WholeRun {
  /** How many steady steps that are. */
  steady: number;
  /** As the verdict's. */
  status: SectionStatus;
  /** As the verdict's. */
  reason: Reason | null;
  /** As the verdict's. */
  suspect: string;
  /** As the verdict's. */
  headline: string;
  /** Of the headline. */
  figures: Figure[];
  /** Of the headline. */
  kind: string | null;
  /** Of the headline. */
  values: Values;
  /** As the verdict's. */
  share: number;
  /** As the verdict's. */
  share_low: number;
  /** As the verdict's. */
  share_high: number;
}

/** Who is to blame for the time of a step, what that rests on, and what to do. */
export interface Verdict extends Section {
  /** found: one suspect stands out; not_found: none does; cannot_tell: there are no steps, or too few ([when](../concepts/verdict.md#when-a-suspect-is-blamed)). */
  status: SectionStatus;
  /** The suspect, empty unless found; unattributed blames nobody ([suspects](stages.md)). */
  suspect: string;
  /** Its [stage](stages.md) with most time; empty unless found. */
  sub_stage: string;
  /** The verdict in a sentence. */
  headline: string;
  /** The values that the headline's figures were rounded from. */
  figures: Figure[];
  /** The headline's, as that of evidence; null: there is no headline. */
  id: string | null;
  /** Its [kind](findings.md#verdicts); null: there is no headline. */
  kind: string | null;
  /** What the headline is about. */
  subject: Subject;
  /** What the headline is made of. */
  values: Values;
  /** The model fills the step, and nothing is in its way. */
  healthy: boolean;
  /** The suspect's share of the step, as in suspects.rows[]; of a late rank that of the stage straggler, as in stages.rows[]. */
  share: number;
  /** The lower end of its 95 % interval. */
  share_low: number;
  /** The upper end of its 95 % interval. */
  share_high: number;
  /** The speed-up bound: a step's time over the time that is [known to remain](../concepts/verdict.md#what-bounds-the-gain) without the suspect; of a late rank, over the time if it were as early as the next one. Null for the model, and where there is no such bound. */
  at_most_speedup: number | null;
  /** Over the run's training steps. */
  at_most_saving: Saving | null;
  /** Of communication and its stage straggler: who is late. */
  straggler_rank: number | null;
  /** By what of its own that rank is late: data_pipeline or a stage. */
  straggler_cause: string;
  /** Where most of the stage was seen. */
  function: StageFunction | null;
  /** What the verdict rests on. */
  evidence: Evidence[];
  /** The rules that found something and point at the same suspect. */
  rules: AgreeingRule[];
  /** What to change. */
  advice: Advice[];
  /** Of a few captured steps, what the whole run says. */
  whole_run: WholeRun | null;
}

/** A suspect's part of the steps. */
export interface SuspectShare {
  /** The suspect. */
  name: SuspectId;
  /** Its time in all steady steps. */
  ns: Ns;
  /** Of the steps. */
  share: number;
}

/** A suspect's part of all steps, and how sure that is. */
export interface SuspectOfSteps extends SuspectShare {
  /** The lower end of its 95 % interval, by which the verdict goes. */
  share_low: number;
  /** The upper end of its 95 % interval. */
  share_high: number;
}

/** A stage's part of the steps. */
export interface DataStage {
  /** The stage. */
  name: StageId;
  /** Its time in all steady steps. */
  ns: Ns;
  /** Of the steps. */
  share: number;
  /** The lower end of its 95 % interval. */
  share_low: number;
  /** The upper end of its 95 % interval. */
  share_high: number;
  /** How many samples of stacks fell in it; 0 if the Python functions of a profile show it. */
  samples: number;
  /** Where its time was seen, the most first, at most 10; together no more than its own time. */
  functions: StageFunction[];
}

/** A stage's part of the steps, and its suspect. */
export interface Stage extends DataStage {
  /** The suspect that it belongs to. */
  suspect: SuspectId;
}

/** A phase of a rank's steps of one kind. */
export interface Breakdown {
  /** The rank. */
  rank: number;
  /** train, warm-up or eval. */
  step_kind: string;
  /** The phase. */
  phase: string;
  /** Its time in these steps. */
  ns: Ns;
  /** Of these steps. */
  share: number;
}

/** A loader, as its process reported it. */
export interface Loader {
  /** Whose loader it is. */
  rank: number;
  /** Of which process. */
  pid: number;
  /** What it reported. */
  fact: unknown;
}

/** The training's waiting for data, its stages and its loaders. */
export interface DataPipeline extends Section {
  /** Of the training loader; null where none reported itself, as in a profile. */
  workers: number | null;
  /** How often the training asked for a batch. */
  waits: number;
  /** Of these waits, those for which the next batch was not ready: it was still being made or sent, or the queue was empty. */
  starved_waits: number;
  /** The suspect's rows of stages.rows[], which sum to it exactly. */
  stages: DataStage[];
  /** The loaders. */
  loaders: Loader[];
}

/** A machine of the run. */
export interface CardHost {
  /** Its number. */
  node: number;
  /** Its name. */
  host: string;
  /** Its cores. */
  cpus: number | null;
  /** Of them those that the training may run on; null: not reported. */
  allowed_cores: number | null;
  /** Its memory. */
  memory_bytes: number | null;
}

/** A setting of the training, as a process reported it, or a tag of the run. */
export interface CardSetting {
  /** The setting. */
  name: string;
  /** Its value. */
  value: string;
}

/** An exception that nobody caught, and where the training's own code was then. */
export interface Uncaught extends CodePlace {
  /** Its class, with its module, as the interpreter printed it. */
  type: string;
  /** On one line, without secrets; null: none, or only code of the script's could say it. */
  message: string | null;
  /** The rank that it ended; null: a process without a rank. */
  rank: number | null;
  /** The process. */
  pid: number;
  /** When. */
  ts_ns: Ns;
}

/** How a run failed, or was stopped; count is 1 where it did. */
export interface Failure extends Section {
  /** In a sentence; null: it did not. */
  what: Said | null;
  /** The exception that ended it; of several ranks the first; null: none was seen. */
  exception: Uncaught | null;
  /** The signal that killed the command or a rank, as SIGKILL. */
  signal: string | null;
}

/** One thing that is known of a run, in words. */
export interface CardLine {
  /** What it is. */
  id: CardFact;
  /** The same for a reader. */
  title: string;
  /** What is known. */
  text: string;
  /** That there is none, or only one rank: worth showing only next to a run that has some. */
  compared_only: boolean;
}

/** On what the run ran, and with what; count is that of the machines. */
export interface RunCard extends Section {
  /** What is known of it, for a reader; what is not known is left out. */
  lines: CardLine[];
  /** The machines, at most 64. */
  hosts: CardHost[];
  /** Names of the devices that it computes on; empty: the CPU, or not reported. */
  devices: string[];
  /** Names of all GPUs of the machines, one each. */
  gpus: string[];
  /** With what it computes. */
  frameworks: Framework[];
  /** Version of Python. */
  python: string | null;
  /** The CUDA that torch was built with. */
  cuda: string | null;
  /** The HIP that torch was built with. */
  hip: string | null;
  /** How many ranks the job has. */
  world_size: number | null;
  /** Of torch.distributed. */
  backend: string | null;
  /** Of the training loader. */
  batch_size: number | null;
  /** `num_workers` of the training loader. */
  workers: number | null;
  /** Settings of the loader and of the ranks' exchange. */
  settings: CardSetting[];
  /** The format of the profile that the run was made of; null: it was recorded. */
  imported_as: string | null;
  /** Who wrote the profiles, as far as facts in them show ([writers](metadata.md#writers)). */
  writers: string[];
  /** Of the scheduler or the launcher; null: not reported, or parts of the run differ; so for the two below. */
  job_id: string | null;
  /** Of an elastic job; the first is 0. */
  attempt: number | null;
  /** What was checked out where the script lies. */
  git_commit: string | null;
  /** Files that git tracks had changes that were not committed as the run began; null: not known. */
  git_changed: boolean | null;
  /** As steptrace run --tag gave them. */
  tags: CardSetting[];
}

/** On what a run computes. */
export interface Hardware {
  /** How many machines. */
  hosts: number;
  /** Cores of all of them; null if one is not known. */
  cpus: number | null;
  /** Names of the devices. */
  devices: string[];
}

/** How much of the time the hardware was held back. */
export interface Throttling {
  /** In which the cgroup's CPU quota had run out, the mean of the machines. */
  cpu: number | null;
  /** Of the readings of devices those with power or heat as a reason of a lower clock. */
  gpu: number | null;
}

/** What the run reports about itself that must be the same in two runs for a fair comparison; what is not known is null or empty, and count is how many of the seven are known. */
export interface Comparability extends Section {
  /** On what it computes. */
  hardware: Hardware;
  /** How many ranks the job has. */
  world_size: number | null;
  /** Of the training loader. */
  batch_size: number | null;
  /** What computing kernels compute in, most of their time. */
  precision: string | null;
  /** Versions of the frameworks. */
  versions: Framework[];
  /** How much the hardware was held back. */
  throttling: Throttling;
  /** Settings of the loader and of the ranks' exchange. */
  settings: CardSetting[];
}

/** What the training gets done ([how it is counted](../concepts/throughput.md)); null is not known, and count is that of the precisions. */
export interface Throughput extends Section {
  /** Samples in a batch of the training loader. */
  batch_size: number | null;
  /** Samples a second of all ranks that were seen, in the steady steps; null also where ranks may share their samples. */
  samples_per_s: number | null;
  /** What the samples of a step are counted by. */
  samples_by: CountedBy | null;
  /** Tokens a second likewise, padding included. */
  tokens_per_s: number | null;
  /** What the tokens of a step are counted by. */
  tokens_by: CountedBy | null;
  /** Floating-point operations of products, convolutions and attention in a step, of all ranks that were seen. */
  flops_per_step: number | null;
  /** The same a second of the steady steps. */
  flops_per_s: number | null;
  /** Kernels of products or attention ran whose operators' shapes are not known: flops and mfu are lower bounds. */
  flops_at_least: boolean;
  /** Of what all devices of these ranks could compute, in the precisions that the operations have. */
  mfu: number | null;
  /** Whose figures the [peaks](gpu_peaks.md) are; null: none that was compared with a published table. */
  peaks: string | null;
  /** The day on which they were compared. */
  peaks_compared: string | null;
  /** The operations by what they are computed in, the most first. */
  precisions: PrecisionFlops[];
}

/** Floating-point operations in one precision. */
export interface PrecisionFlops {
  /** FP64, FP32, TF32, FP16, BF16 or FP8, by the inputs' types and the kernels; null: not reported. */
  precision: string | null;
  /** Operations in a step. */
  flops_per_step: number;
  /** The peak of the first rank's device; null: not known. */
  peak_flops_per_s: number | null;
}

/** Statistics of tensors over the steps, and the rules about them; `count` is of `histories`. */
export interface Tensors extends Section {
  /** How the processes looked at their tensors; null: none was asked to. */
  recording: TensorRecording | null;
  /** Losses of each rank, by name and rank, at most 64. */
  losses: LossHistory[];
  /** Tensors by name and role, at most 1,000: first what was not finite, by when, then in the order in which they were first looked at. */
  histories: TensorHistory[];
  /** What the rules about tensors made of them while the run was recorded. */
  rules: TensorRule[];
  /** What these found, of the section `findings`. */
  findings: Finding[];
}

/** How the processes looked at their tensors, as they last reported it. */
export interface TensorRecording {
  /** What was asked for: gradients, weights, loss. */
  roles: string[];
  /** Steps from one reading to the next of gradients and weights, of the process with most. */
  every: number | null;
  /** Steps from one reading to the next of the loss, likewise. */
  loss_every: number | null;
  /** What a reading takes, of the time until the next one, of the process with most. */
  cost_share: number | null;
  /** What the last readings left out. */
  uncovered: TensorUncovered[];
}

/** Tensors that a reading left out. */
export interface TensorUncovered {
  /** Their device, layout, class or type; names or room: there was none. */
  why: string;
  /** Tensors at the last readings. */
  times: number;
}

/** A loss of a rank over the steps. A backward that begins at several tensors has several. */
export interface LossHistory {
  /** loss, loss.1 …. */
  name: string;
  /** The rank. */
  rank: number;
  /** Readings of it. */
  readings: number;
  /** In how many of these it was not finite. */
  not_finite: number;
  /** The first of their steps. */
  not_finite_step: number | null;
  /** The first that is finite. */
  first: LossAt | null;
  /** The last. */
  last: LossAt | null;
  /** The least. */
  best: LossAt | null;
  /** All of them, in equal parts of the steps, at most 128; a part without a reading is left out. */
  curve: LossPart[];
}

/** A loss at a step. */
export interface LossAt {
  /** The step. */
  step: number;
  /** The loss. */
  loss: number;
}

/** The losses of some steps in a row. */
export interface LossPart {
  /** The first of the steps. */
  from_step: number;
  /** The first behind them. */
  to_step: number;
  /** Readings in them. */
  readings: number;
  /** Readings at which it was not finite. */
  not_finite: number;
  /** Mean of the others; null: there are none. */
  mean: number | null;
  /** The least of them. */
  low: number | null;
  /** The most. */
  high: number | null;
}

/** A tensor in one role, of all ranks that looked at it. Norms and the like are of its finite elements; null: there are none. */
export interface TensorHistory {
  /** The parameter's name. */
  tensor: string;
  /** gradient, weight …. */
  role: string;
  /** Of its elements: float32. */
  type: string;
  /** Readings of all ranks. */
  readings: number;
  /** The first step at which it was looked at. */
  first_step: number;
  /** The last. */
  last_step: number;
  /** The lowest rank that looked at the last step: the next seven members are what it saw then. */
  rank: number;
  /** Elements. */
  numel: number;
  /** The Euclidean norm. */
  norm: number | null;
  /** The root mean square. */
  rms: number | null;
  /** The least element. */
  min: number | null;
  /** The largest element. */
  max: number | null;
  /** Elements that are 0. */
  zero_share: number | null;
  /** The least norm of all ranks that looked at the last step. */
  norm_low: number | null;
  /** The largest. */
  norm_high: number | null;
  /** The norm at the first step, of the lowest rank that looked then. */
  first_norm: number | null;
  /** The largest norm of any rank at any step. */
  largest_norm: number | null;
  /** The step of that. */
  largest_step: number | null;
  /** Readings at which elements were not finite. */
  not_finite: number;
  /** The first of their steps. */
  not_finite_step: number | null;
  /** The lowest rank at which they were not, then. */
  not_finite_rank: number | null;
}

/** What a rule about tensors made of the run. */
export interface TensorRule {
  /** The kind of its findings: live.gradient_vanishing. */
  rule: string;
  /** found; not_found; cannot_tell: there were fewer readings than it needs; not_applicable: there was nothing for it to judge. */
  status: SectionStatus;
  /** The role of the tensors that it judges; null: any. */
  needs: string | null;
  /** Readings of these, of the rank with most; of a rule that could not tell, those that it could use. */
  readings: number;
  /** With fewer, there is no result. */
  least_readings: number;
  /** What it found. */
  findings: number;
}

/** What an import could not map, by kind. */
export interface Unrecognised {
  /** The kind. */
  kind: string;
  /** How many. */
  count: number;
}

/** What an import did not know. */
export interface Import extends Section {
  /** What could not be mapped. */
  unrecognised: Unrecognised[];
}

/** A step by roles, in their order: a moment counts for the first of them that is at work, so they sum to the total. */
export interface Roles {
  /** The rank. */
  rank: number;
  /** The step. */
  step: number;
  /** When it began. */
  ts_ns: Ns;
  /** Kernels. */
  kernel_ns: Ns;
  /** Copies. */
  memcpy_ns: Ns;
  /** Fills. */
  memset_ns: Ns;
  /** Communication. */
  communication_ns: Ns;
  /** Calls of the runtime and the driver. */
  runtime_ns: Ns;
  /** The data loader. */
  dataloader_ns: Ns;
  /** Operators on the CPU. */
  cpu_ns: Ns;
  /** All else. */
  other_ns: Ns;
  /** The step. */
  total_ns: Ns;
}

/** What a device did in a time range. */
export interface DeviceWindow {
  /** The time range. */
  span_ns: Ns;
  /** Any work. */
  busy_ns: Ns;
  /** span_ns less busy_ns. */
  idle_ns: Ns;
  /** Kernels that compute, united over all streams. */
  compute_ns: Ns;
  /** Kernels that communicate, by their names, united over all streams. */
  communication_ns: Ns;
  /** Copies and fills, united over all streams. */
  memory_ns: Ns;
  /** Computing and communication at once. */
  overlap_ns: Ns;
  /** Communication without computing. */
  exposed_communication_ns: Ns;
  /** Copies and fills without computing or communication. */
  exposed_memory_ns: Ns;
}

/** What a device did in a step. */
export interface DeviceStep extends DeviceWindow {
  /** The step. */
  step: number;
  /** When it began. */
  ts_ns: Ns;
}

/** Pauses by what ended them; they sum to the idle time. */
export interface IdleCauses {
  /** Ended by work that was launched only after the pause had begun. */
  host_ns: Ns;
  /** Else shorter than 30 us. */
  kernel_wait_ns: Ns;
  /** All other pauses. */
  other_ns: Ns;
}

/** Sums of durations of kernels, by whether they use tensor cores by their names. */
export interface TensorCoreUse {
  /** Of kernels that use them. */
  tensor_core_ns: Ns;
  /** Of kernels that compute. */
  compute_kernel_ns: Ns;
  /** Of all kernels. */
  kernel_ns: Ns;
  /** Of all kernels' time. */
  share: number | null;
  /** Of the time of those that compute. */
  compute_share: number | null;
}

/** What computing kernels compute in, as far as their names show. */
export interface PrecisionTime {
  /** FP64, FP32, TF32, FP16, BF16, FP8, FP4, INT8, INT32 or INT64; null if the names do not show it. */
  precision: string | null;
  /** Sum of durations; they sum to compute_kernel_ns. */
  ns: Ns;
  /** Of compute_kernel_ns. */
  share: number | null;
}

/** Launches called and not yet begun on the device. */
export interface LaunchQueue {
  /** Over span_ns. */
  mean: number | null;
  /** The most at once. */
  max: number;
  /** The sum of their waits. */
  sum_ns: Ns;
  /** From the first call to the last begin. */
  span_ns: Ns;
  /** Time with 1024 or more. */
  full_ns: Ns;
}

/** A stream of a device. */
export interface DeviceStream {
  /** The stream. */
  stream: number;
  /** Events of it. */
  events: number;
  /** Any work of it. */
  busy_ns: Ns;
  /** Its pauses. */
  idle: IdleCauses;
  /** Events that begin before an earlier one of the stream has ended. */
  overlapping_events: number;
  /** For how long they run at the same time. */
  overlapping_ns: Ns;
  /** What waits to run on it. */
  queue: LaunchQueue;
}

/** Copies of one direction. */
export interface Copy {
  /** The direction. */
  kind: string;
  /** How many. */
  count: number;
  /** What they copied; null if none is known. */
  bytes: number | null;
  /** The sum of their durations. */
  sum_ns: Ns;
  /** The time in which any runs. */
  busy_ns: Ns;
  /** Bytes over the time in which any runs. */
  bytes_per_s: number | null;
  /** Those under 64 KiB. */
  small_count: number;
  /** The sum of their durations. */
  small_sum_ns: Ns;
}

/** Durations. */
export interface DurationSummary {
  /** The sum. */
  sum: Ns;
  /** The mean. */
  mean: Ns;
  /** The least. */
  min: Ns;
  /** The median. */
  p50: Ns;
  /** The 90th percentile. */
  p90: Ns;
  /** The most. */
  max: Ns;
}

/** Launches by one function of the runtime or driver. */
export interface LaunchCall {
  /** The function. */
  call: string;
  /** Calls. */
  calls: number;
  /** What they launched. */
  device_events: number;
  /** The calls' durations on the host. */
  call_ns: DurationSummary;
  /** From a call's end to the begin of the first thing that it launched, at least 0. */
  delay_ns: DurationSummary;
  /** Work that was sooner done than launched. */
  short_work: number;
  /** Calls over 50 us. */
  slow_calls: number;
  /** Delays over 100 us. */
  late_starts: number;
}

/** A device, as one rank uses it. */
export interface Device {
  /** The machine. */
  node: number;
  /** The rank. */
  rank: number;
  /** The number that the device has for the rank. */
  device: number;
  /** Its name. */
  name: string;
  /** The same for several ranks: they compute on one GPU; null: not reported, as in profiles. */
  uuid: string | null;
  /** Kernels, copies and fills. */
  events: number;
  /** When the first of them began. */
  ts_ns: Ns;
  /** From the first event's begin to the last one's end. */
  window: DeviceWindow;
  /** Pauses of the whole device. */
  idle: IdleCauses;
  /** What it did in each step. */
  steps: DeviceStep[];
  /** From the first step's begin to the last one's end. */
  steps_span_ns: Ns;
  /** Kernels in the steps, also those that communicate. */
  kernel_busy_ns: Ns;
  /** kernel_busy_ns of steps_span_ns. */
  utilization: number | null;
  /** The mean over steps_span_ns of the blocks per multiprocessor of all kernels that run, at most 1. */
  est_sm_efficiency: number | null;
  /** The profiler's estimate, weighed by the kernels' time in the steps. */
  est_achieved_occupancy: number | null;
  /** How much its kernels use tensor cores. */
  tensor_cores: TensorCoreUse;
  /** What its kernels compute in, the longest first. */
  precisions: PrecisionTime[];
  /** Calls that launched graphs. */
  graph_launches: number;
  /** What ran of these graphs. */
  graph_kernels: number;
  /** Events whose launch is not in the profile. */
  without_launch: number;
  /** Its streams. */
  streams: DeviceStream[];
  /** Its copies by direction. */
  copies: Copy[];
  /** Its launches by function. */
  launches: LaunchCall[];
}

/** A phase of a mean step, as the device reached its boundaries. */
export interface DevicePhase {
  /** forward, backward, optimizer, data (the device waits for a batch) or other. */
  name: string;
  /** Its time. */
  ns: Ns;
  /** Of the step. */
  share: number;
}

/** A rank's mean steady step on its device; the phases and unknown_ns sum to step_ns, except for rounding. */
export interface DevicePhases {
  /** The rank. */
  rank: number;
  /** In how many steps that is known. */
  steps: number;
  /** Their mean. */
  step_ns: Ns;
  /** The phases. */
  phases: DevicePhase[];
  /** What lies between no two known boundaries. */
  unknown_ns: Ns;
  /** Of the forward passes, backward passes and optimizer steps, those at whose end the device was idle; null: not known. */
  idle_at_end_share: number | null;
}

/** Sums over calls of an operator ([how they are defined](operators.md)). */
export interface OperatorSums {
  /** Calls. */
  calls: number;
  /** Their durations. */
  host_total_ns: Ns;
  /** Their durations less what they call. */
  host_self_ns: Ns;
  /** Device work that was launched in them. */
  device_total_ns: Ns;
  /** Device work that they launched themselves. */
  device_self_ns: Ns;
  /** Of device_total_ns kernels. */
  kernel_total_ns: Ns;
  /** Of device_self_ns kernels. */
  kernel_self_ns: Ns;
  /** Half precision would bring it onto tensor cores, or something nested in it, or a kernel of it uses them. */
  tensor_core_eligible: boolean;
  /** Of kernel_total_ns kernels that use tensor cores. */
  tensor_core_total_ns: Ns;
  /** Of kernel_self_ns kernels that use tensor cores. */
  tensor_core_self_ns: Ns;
  /** Of kernel_total_ns; null without kernels. */
  tensor_core_total_share: number | null;
  /** Of kernel_self_ns; null without kernels. */
  tensor_core_self_share: number | null;
  /** Of host_self_ns that of calls that begin in a step. */
  host_self_in_steps_ns: Ns;
  /** Of device_self_ns that of the same calls. */
  device_self_in_steps_ns: Ns;
}

/** An operator's calls with the same shapes. */
export interface OperatorByShape extends OperatorSums {
  /** As the profile writes them (record_shapes=True). */
  input_shapes: unknown;
  /** Of host_self_ns of all the rank's operators. */
  host_self_share: number;
  /** Of device_self_ns of all the rank's operators. */
  device_self_share: number;
}

/** An operator's calls from the same place. */
export interface OperatorByStack extends OperatorSums {
  /** The innermost frame first (with_stack=True). */
  call_stack: string[];
  /** Place in call_stack of the innermost frame that is the script's own, from 0; null: none is. */
  user_frame: number | null;
  /** Of host_self_ns of all the rank's operators. */
  host_self_share: number;
  /** Of device_self_ns of all the rank's operators. */
  device_self_share: number;
}

/** An operator of a rank. */
export interface Operator extends OperatorSums {
  /** The rank. */
  rank: number;
  /** The operator. */
  name: string;
  /** Of host_self_ns of all the rank's rows. */
  host_self_share: number;
  /** Of device_self_ns of all the rank's rows. */
  device_self_share: number;
  /** host_self_in_steps_ns over the rank's steps, to the nearest ns; null: the profile has no steps. */
  host_self_per_step_ns: Ns | null;
  /** device_self_in_steps_ns over the rank's steps. */
  device_self_per_step_ns: Ns | null;
  /** host_self_in_steps_ns over the duration of the rank's steps; above 1 where threads work at the same time. */
  host_self_step_share: number | null;
  /** device_self_in_steps_ns over the duration of the rank's steps; above 1 where streams work at the same time. */
  device_self_step_share: number | null;
  /** The same by the inputs' shapes. */
  shapes: OperatorByShape[];
  /** The same by call stack. */
  stacks: OperatorByStack[];
}

/** Sums over a rank's operators. */
export interface OperatorTotals {
  /** The rank. */
  rank: number;
  /** Steps over which times in steps are means: those that the profile marks, else the run's own that lie whole in a window. */
  steps: number;
  /** Their durations. */
  steps_ns: Ns;
  /** Calls. */
  calls: number;
  /** Own time on the host. */
  host_self_ns: Ns;
  /** Own device work. */
  device_self_ns: Ns;
  /** Of it kernels that use tensor cores. */
  tensor_core_self_ns: Ns;
  /** Device work that no listed operator launched. */
  device_outside_ns: Ns;
}

/** Sums over runs of a kernel. */
export interface KernelSums {
  /** Runs. */
  calls: number;
  /** Their durations. */
  total_ns: Ns;
  /** Of total_ns that of kernels that were launched in a step; without a known launch those that begin in one. */
  in_steps_ns: Ns;
  /** Their mean. */
  mean_ns: Ns;
  /** The longest. */
  max_ns: Ns;
  /** The shortest. */
  min_ns: Ns;
  /** Blocks per multiprocessor, the mean by duration of the runs for which it is known; null: none. */
  blocks_per_sm: number | null;
  /** Runs for which it is not known. */
  calls_without_blocks_per_sm: number;
  /** Occupancy, the mean by duration of the runs for which it is known; null: none. */
  occupancy_percent: number | null;
  /** Runs for which it is not known. */
  calls_without_occupancy: number;
}

/** A kernel's runs on one stream. */
export interface KernelStream {
  /** The device. */
  device: number;
  /** The stream. */
  stream: number;
  /** Runs. */
  calls: number;
  /** Their durations. */
  total_ns: Ns;
}

/** A kernel's runs that were launched alike. */
export interface KernelLaunch extends KernelSums {
  /** The operator that launched it. */
  operator: string | null;
  /** As the operator's tensor_core_eligible. */
  operator_tensor_core_eligible: boolean;
  /** The grid, as the profile writes it. */
  grid: unknown;
  /** The block, as the profile writes it. */
  block: unknown;
  /** Registers of a thread. */
  registers_per_thread: number | null;
  /** Shared memory of a block. */
  shared_memory_bytes: number | null;
}

/** A kernel of a rank. */
export interface Kernel extends KernelSums {
  /** The rank. */
  rank: number;
  /** The kernel. */
  name: string;
  /** Whether it computes or communicates, by its name. */
  role: KernelRole;
  /** It uses tensor cores, by its name. */
  tensor_cores: boolean;
  /** Of all the rank's kernels' time. */
  share: number;
  /** in_steps_ns over the rank's steps, to the nearest ns; null: the profile has no steps. */
  per_step_ns: Ns | null;
  /** in_steps_ns over the duration of the rank's steps; above 1 where streams work at the same time. */
  step_share: number | null;
  /** The same by stream. */
  streams: KernelStream[];
  /** The same by how it was launched. */
  launches: KernelLaunch[];
}

/** The kernels, copies and fills of a class, of all ranks. */
export interface KernelClassTime {
  /** The class. */
  class: KernelClass;
  /** What it is called. */
  title: string;
  /** Runs of its kernels, and copies and fills. */
  calls: number;
  /** The sum of their durations; what runs at once counts each. */
  total_ns: Ns;
  /** Of the sum of all classes. */
  share: number;
  /** How many kernels, by name. */
  kernels: number;
  /** The kernel with most of its time; null: it has copies and fills alone. */
  largest: string | null;
  /** What copies and fills moved; null if none is known. */
  bytes: number | null;
  /** Those bytes over the sum of the durations of the copies and fills for which they are known. */
  bytes_per_s: number | null;
  /** Floating-point operations of the operators whose shapes the profile has, by their formulas ([throughput](../concepts/throughput.md)); null where it has none. */
  flops: number | null;
  /** The time of the kernels of those operators. */
  flops_ns: Ns;
  /** The one over the other. */
  flops_per_s: number | null;
}

/** Memory at a moment. */
export interface MemoryPoint {
  /** The moment. */
  ts_ns: Ns;
  /** What was allocated. */
  allocated_bytes: number;
  /** What the framework held in reserve and in use. */
  reserved_bytes: number;
}

/** The first moment with most allocated. */
export interface MemoryPeak extends MemoryPoint {
  /** The most reserved at any moment. */
  peak_reserved_bytes: number;
}

/** What an operator's blocks held at the peak. */
export interface MemoryHolder {
  /** The operator; null: none. */
  operator: string | null;
  /** Its blocks that lived then. */
  blocks: number;
  /** Their size. */
  bytes: number;
}

/** Allocations in calls of an operator. */
export interface MemoryOperator {
  /** The operator; null: in none. */
  name: string | null;
  /** Calls with a record in them. */
  calls: number;
  /** Allocated less released, with nested operators. */
  size_increase_bytes: number;
  /** Allocated less released, without nested operators. */
  self_size_increase_bytes: number;
  /** Allocations, with nested operators. */
  allocations: number;
  /** Allocations, without nested operators. */
  self_allocations: number;
  /** Allocated alone, with nested operators. */
  allocated_bytes: number;
  /** Allocated alone, without nested operators. */
  self_allocated_bytes: number;
}

/** An allocation and its release, paired by address. */
export interface MemoryBlock {
  /** The operator that made it. */
  operator: string | null;
  /** The operator around that. */
  caller: string | null;
  /** Its size. */
  bytes: number;
  /** When it was allocated; null: before the profile. */
  allocated_ns: Ns | null;
  /** When it was released; null: no release is recorded. */
  released_ns: Ns | null;
  /** released_ns, or when its address was allocated again. */
  released_by_ns: Ns | null;
  /** How long it lived; null where one side is not recorded. */
  duration_ns: Ns | null;
}

/** An operator whose held bytes grew with every step after the first. */
export interface MemoryLeak {
  /** The operator. */
  operator: string | null;
  /** From the end of the first step to the end of the last. */
  bytes: number;
  /** The median slope (Theil and Sen). */
  bytes_per_step: number;
}

/** A step's allocations. */
export interface MemoryStep {
  /** The step. */
  step: number;
  /** Allocated in it. */
  allocated_bytes: number;
  /** The part of these that was not released by its end. */
  kept_bytes: number;
  /** All blocks that were allocated since the first step began and still live at its end. */
  held_bytes: number;
}

/** Whether memory grows with the steps. */
export interface MemoryLeaks {
  /** What was found. */
  status: LeakStatus;
  /** Whose memory grows. */
  operators: MemoryLeak[];
  /** Each step's allocations. */
  steps: MemoryStep[];
}

/** A rank's allocations on a device. */
export interface MemoryDevice {
  /** The rank. */
  rank: number;
  /** The device; -1: host memory. */
  device: number;
  /** Records of allocations and releases. */
  records: number;
  /** Of them those that cannot be paired. */
  records_without_address: number;
  /** The first moment with most allocated, exact. */
  peak: MemoryPeak;
  /** Which operators' blocks lived then, of those allocated in the profile. */
  at_peak: MemoryHolder[];
  /** Allocations by operator. */
  operators: MemoryOperator[];
  /** Blocks whose allocation and release are recorded. */
  blocks_paired: number;
  /** Blocks without a recorded release whose address was allocated again. */
  blocks_reused: number;
  /** Blocks that live at the end. */
  blocks_unreleased: number;
  /** Their size. */
  bytes_unreleased: number;
  /** Blocks whose release alone is recorded. */
  blocks_released_only: number;
  /** The largest blocks, at most 1000. */
  blocks: MemoryBlock[];
  /** Whether memory grows with the steps. */
  leaks: MemoryLeaks;
  /** The profile holds no totals: the curve is above its begin. */
  curve_from_zero: boolean;
  /** Memory against time, at most 1024 points, which keep the first, the last and the extremes. */
  curve: MemoryPoint[];
}

/** Calls of the driver's allocator. */
export interface AllocatorCall {
  /** The rank. */
  rank: number;
  /** The function: cudaMalloc, cudaFree and the like. */
  name: string;
  /** Calls. */
  calls: number;
  /** Their durations. */
  total_ns: Ns;
  /** The longest. */
  max_ns: Ns;
  /** Those in steps after the first, where the framework's cache should spare them. */
  steady_calls: number;
  /** Their durations. */
  steady_ns: Ns;
}

/** Allocations of memory. */
export interface Memory extends Section {
  /** By rank and device. */
  devices?: MemoryDevice[];
  /** Calls of the driver's allocator. */
  allocator?: AllocatorCall[];
}

/** Time of a module. */
export interface ModuleTimes {
  /** Outermost operator calls in it and in no nested one. */
  operators: number;
  /** On the host. */
  host_total_ns: Ns;
  /** On the host, without nested modules. */
  host_self_ns: Ns;
  /** Device work that was launched in it. */
  device_total_ns: Ns;
  /** Device work that was launched in it and in no nested one. */
  device_self_ns: Ns;
}

/** Means over the steps, to the nearest ns. */
export interface ModulePerStep {
  /** Forward, on the host. */
  host_total_ns: Ns;
  /** Forward, on the device. */
  device_total_ns: Ns;
  /** Backward, on the host. */
  backward_host_total_ns: Ns;
  /** Backward, on the device. */
  backward_device_total_ns: Ns;
}

/** A module of a rank. */
export interface Module extends ModuleTimes {
  /** The rank. */
  rank: number;
  /** The module; if it is known from stacks, with the place that calls it. */
  name: string;
  /** The module alone, as events are named. */
  module: string;
  /** Its module's number among the rank's rows. */
  parent: number | null;
  /** How many modules are around it. */
  depth: number;
  /** What the tree rests on ([modules](operators.md#modules)). */
  source: ModuleSource;
  /** Calls; null if they cannot be distinguished. */
  occurrences: number | null;
  /** The autograd operators to which flows lead from its own; null without flows. */
  backward: ModuleTimes | null;
  /** Means over the steps; null without steps. */
  per_step: ModulePerStep | null;
}

/** A rank among the others. Members that only one kind of report has are absent in the other. */
export interface Rank {
  /** The rank. */
  rank: number;
  /** The machine. */
  node?: number;
  /** Its steady steps. */
  steps?: number;
  /** Their mean. */
  mean_step_ns?: Ns;
  /** Its steady steps by suspect. */
  suspects?: SuspectShare[];
  /** Computation, overlap, exposed and other together. */
  total_ns?: Ns;
  /** Computation alone. */
  computation_ns: Ns;
  /** Computation and communication at once. */
  overlap_ns: Ns;
  /** Communication alone. */
  exposed_ns: Ns;
  /** Neither. */
  other_ns?: Ns;
  /** Of communication what transfers; null if waiting is unknown. */
  transfer_ns: Ns | null;
  /** Of communication what waits for another rank; null if waiting is unknown. */
  wait_ns: Ns | null;
  /** Of communication the calls with no matching call on other ranks. */
  unmatched_ns?: Ns;
  /** How long all others waited for it; null if waiting is unknown. */
  caused_wait_ns?: Ns | null;
  /** Its calls of collectives. */
  collectives?: number;
  /** Of them those with no matching call on other ranks. */
  unmatched?: number;
}

/** A figure of ranks[] over all ranks. */
export interface RankSpread {
  /** The member of ranks[]. */
  name: string;
  /** How many ranks know it. */
  ranks: number;
  /** The least. */
  min: Ns;
  /** Of which rank. */
  min_rank: number;
  /** The median. */
  p50: Ns;
  /** The most. */
  max: Ns;
  /** Of which rank. */
  max_rank: number;
}

/** A rank in a step. */
export interface RankStep {
  /** The rank. */
  rank: number;
  /** The step. */
  step: number;
  /** Computation, overlap, exposed and other together. */
  total_ns: Ns;
  /** Computation alone. */
  computation_ns: Ns;
  /** Computation and communication at once. */
  overlap_ns: Ns;
  /** Communication alone. */
  exposed_ns: Ns;
  /** Neither. */
  other_ns: Ns;
  /** Of communication what transfers; null if waiting is unknown. */
  transfer_ns: Ns | null;
  /** Of communication what waits for another rank; null if waiting is unknown. */
  wait_ns: Ns | null;
  /** Of communication the calls with no matching call on other ranks. */
  unmatched_ns: Ns;
}

/** A collective that was found on several ranks. */
export interface Collective {
  /** When the first rank began. */
  ts_ns: Ns;
  /** To the end of the last. */
  dur_ns: Ns;
  /** The collective. */
  name: string;
  /** As the source spells it. */
  source_name: string;
  /** Its process group, or its stream if groups are unknown. */
  group: string;
  /** How many ranks the group has. */
  group_size: number | null;
  /** How many of them are here. */
  ranks: number;
  /** All of the group are here. */
  complete: boolean;
  /** How its calls found each other. */
  matched_by: string;
  /** Its number in the group. */
  sequence: number | null;
  /** The step. */
  step: number | null;
  /** Of what type its elements are. */
  dtype: string;
  /** Elements that go in. */
  in_elements: number | null;
  /** Elements that come out. */
  out_elements: number | null;
  /** What is exchanged. */
  bytes: number | null;
  /** The time of the rank that waited least. */
  transfer_ns: Ns;
  /** Waiting, summed over the ranks. */
  wait_ns: Ns;
  /** Who came last. */
  last_rank: number;
  /** By how much. */
  late_by_ns: Ns;
  /** Bytes over the transfer. */
  algorithm_bytes_per_s: number | null;
  /** What the links carried, as nccl-tests count it. */
  bus_bytes_per_s: number | null;
}

/** Calls of a collective that are alike, over all ranks. */
export interface Operation {
  /** The collective. */
  name: string;
  /** Its process group. */
  group: string;
  /** How many ranks the group has. */
  group_size: number | null;
  /** Of what type its elements are. */
  dtype: string;
  /** What a call exchanges. */
  bytes: number | null;
  /** Calls. */
  calls: number;
  /** Their durations. */
  total_ns: Ns;
  /** Of it transfer; null if waiting is unknown. */
  transfer_ns: Ns | null;
  /** Of it waiting; null if waiting is unknown. */
  wait_ns: Ns | null;
  /** Of it calls with no matching call on other ranks. */
  unmatched_ns: Ns;
  /** Bytes over the transfer. */
  algorithm_bytes_per_s: number | null;
  /** What the links carried. */
  bus_bytes_per_s: number | null;
  /** None of them found a counterpart: the bandwidths are over their whole time, lower bounds. */
  bandwidth_holds_wait: boolean;
}

/** Who waited for a rank. */
export interface Waiter {
  /** The rank that waited. */
  rank: number;
  /** How long. */
  wait_ns: Ns;
}

/** Why a rank came late. */
export interface BlamePart {
  /** The cause. */
  cause: string;
  /** before_step: it was late by it when the step began; in_step. */
  when: string;
  /** What ran. */
  name: string;
  /** Of which operator. */
  operator: string;
  /** How much of caused_wait_ns. */
  ns: Ns;
}

/** How long all others waited for a rank, and why. */
export interface Blame {
  /** The rank. */
  rank: number;
  /** How long all others waited for it; they sum to the ranks' wait_ns. */
  caused_wait_ns: Ns;
  /** Of all waiting. */
  share?: number;
  /** What it did instead, the cause with most of it. */
  cause: string;
  /** In how many it came last. */
  collectives?: number;
  /** With source steps: in how many steps it came last. */
  steps?: number;
  /** Of it what it was late by when a step began. */
  before_step_ns?: Ns;
  /** Of it what it fell back within steps. */
  in_step_ns?: Ns;
  /** Who waited, the most first. */
  waiters?: Waiter[];
  /** Why, the most first; they sum to caused_wait_ns. */
  parts?: BlamePart[];
}

/** Calls of collectives with no matching call on other ranks. */
export interface Unmatched {
  /** The rank. */
  rank: number;
  /** The collective. */
  name: string;
  /** Its process group. */
  group: string;
  /** Calls. */
  calls: number;
  /** Their durations. */
  ns: Ns;
}

/** A machine's or a rank's clock against the first one's. */
export interface Clock {
  /** The machine. */
  node?: number;
  /** The rank. */
  rank?: number;
  /** Taken off its times. */
  offset_ns: Ns;
  /** The offset that was measured. */
  measured_ns: Ns;
  /** What the offset leaves. */
  residual_ns: Ns;
  /** By how many parts in 10^9 it runs faster. */
  drift_ppb: number;
  /** Calls that the offset rests on. */
  pairs: number;
  /** It is the first one. */
  reference: boolean;
}

/** The ranks compared ([how it is found](../concepts/distributed.md)); members of calls are there of a profile, or of a live run whose collectives name their group. */
export interface Distributed extends Section {
  /** The ranks' figures over all ranks, also those that are left out below. */
  spread: RankSpread[];
  /** What ranks, steps, wait_ns and blame rest on, all of them: calls of collectives, or the rows of the steady steps. */
  source?: DistributedSource;
  /** How many ranks the job has. */
  world_size?: number | null;
  /** The ranks. */
  ranks: Rank[];
  /** Each rank in each step. */
  steps?: RankStep[];
  /** All waiting of all ranks; null if waiting is unknown. */
  wait_ns?: Ns | null;
  /** How many collectives there are. */
  collective_count?: number;
  /** Of them those of a group whose other ranks are not all here. */
  incomplete_count?: number;
  /** Those with most waiting, at most 1000. */
  collectives: Collective[];
  /** Calls that are alike, together. */
  operations?: Operation[];
  /** For whom the others waited, the most first. */
  blame: Blame[];
  /** How many calls have no matching call on other ranks. */
  unmatched_count?: number;
  /** Calls with no matching call on other ranks. */
  unmatched?: Unmatched[];
  /** The clocks against each other. */
  clocks?: Clock[];
  /** Offsets were taken off. */
  clocks_corrected?: boolean;
  /** Calls that end before another rank began, which the alignment leaves. */
  impossible_starts?: number;
  /** What to know of it: which calls lack ranks, or why none is compared. */
  notes?: Said[];
}

/** A cause's part of the path. */
export interface PathShare {
  /** The cause. */
  cause: PathCause;
  /** Its time. */
  ns: Ns;
  /** Of the path. */
  share: number;
}

/** The path of a step, or of the window. */
export interface PathStep {
  /** The step; null: the window. */
  step: number | null;
  /** Where it ended. */
  rank: number;
  /** When it began. */
  ts_ns: Ns;
  /** How long it took. */
  dur_ns: Ns;
  /** What it was; they sum to dur_ns. */
  causes: PathShare[];
}

/** What lies on the path, by name. */
export interface PathRow {
  /** The cause. */
  cause: PathCause;
  /** What ran. */
  name: string;
  /** Of which operator. */
  operator: string;
  /** Its time on the path. */
  ns: Ns;
  /** Of the window. */
  share: number;
  /** In how many segments. */
  segments: number;
}

/** A segment of the path. */
export interface PathSegment {
  /** When it began. */
  ts_ns: Ns;
  /** How long it took. */
  dur_ns: Ns;
  /** The rank. */
  rank: number;
  /** The cause. */
  cause: PathCause;
  /** What ran. */
  name: string;
  /** Of which operator. */
  operator: string;
}

/** What the window would take if a stage were removed or halved, [by replay](../concepts/distributed.md#what-if). */
export interface WhatIf {
  /** The stage. */
  stage: string;
  /** removed or halved. */
  change: string;
  /** What the window would take, by replay. */
  window_ns: Ns;
  /** The simple bound, which replays are never below; null where [none holds](../concepts/verdict.md#what-bounds-the-gain). */
  at_most_ns: Ns | null;
  /** What then fills the window; they sum to window_ns. */
  causes: PathShare[];
  /** The mean step then. */
  step_ns: Ns | null;
  /** Its simple bound. */
  step_at_most_ns: Ns | null;
  /** Of the window; null where nothing is left of it. */
  speedup: number | null;
}

/** What the steps' durations depended on. */
export interface CriticalPath extends Section {
  /** Of the whole window. */
  window?: PathStep;
  /** The mean step, of all steps together. */
  mean_step_ns?: Ns | null;
  /** Of each step; they do not overlap, also of several ranks. */
  steps?: PathStep[];
  /** What a change would gain. */
  what_if?: WhatIf[];
  /** The window's path by name; they sum to it. */
  rows?: PathRow[];
  /** How many segments it has. */
  segment_count?: number;
  /** How often it goes over to another rank. */
  rank_changes?: number;
  /** The longest segments, at most 200. */
  segments?: PathSegment[];
}

/** A [recommendation](#recommendations). */
export interface Recommendation {
  /** Its name. */
  name: string;
  /** torch-tb-profiler or steptrace. */
  source: string;
  /** Whether it has an issue. */
  status: RuleStatus;
  /** What is compared. */
  value: number | null;
  /** With what; a value exactly at it is not an issue. */
  threshold: number | null;
  /** What the steps would be shorter if the issue were gone and nothing showed in its place. */
  at_most_share: number | null;
  /** The same in time. */
  at_most_ns: Ns | null;
  /** What it says. */
  text: string;
  /** The values that the text's figures were rounded from. */
  figures: Figure[];
  /** The text's, as that of evidence; null where it does not apply. */
  id: string | null;
  /** Its [kind](findings.md#recommendations); null where it does not apply. */
  kind: string | null;
  /** What it is about. */
  subject: Subject;
  /** What the text is made of. */
  values: Values;
  /** What it rests on. */
  evidence: Said[];
  /** What to change. */
  advice: string;
  /** The advice's [kind](findings.md#advice); null where there is no issue, or none of the framework that wrote the profile. */
  advice_kind: string | null;
}

/** A [metric](metrics.md) over the run. */
export interface SystemRow {
  /** The machine. */
  node: number;
  /** The device. */
  device: number | null;
  /** The metric. */
  metric: string;
  /** Its unit. */
  unit: string;
  /** The most. */
  max: number;
  /** The 99th percentile. */
  p99: number;
  /** The 95th percentile. */
  p95: number;
  /** The median. */
  p50: number;
  /** The least. */
  min: number;
  /** The mean. */
  mean: number;
  /** How often it was read. */
  samples: number;
  /** Means over equal parts of the run, at most 24. */
  sparkline: number[];
}

/** Whether a process's [memory](../concepts/memory.md) grows with the steps. */
export interface MemoryGrowth {
  /** What was found. */
  verdict: GrowthVerdict;
  /** Over how many steady steps. */
  steps: number;
  /** Growth a step. */
  bytes_per_step: number;
  /** The lower end of its interval. */
  low: number;
  /** The upper end of its interval. */
  high: number;
  /** Growth a second. */
  bytes_per_s: number;
  /** In how many of the steps torch.compile was at work. */
  compiled_steps: number;
}

/** The memory of a process of the job, or of it on a device, at the last sample. */
export interface ProcessMemory {
  /** The machine. */
  node: number;
  /** The process. */
  pid: number;
  /** The rank. */
  rank: number | null;
  /** What it is: worker is a DataLoader's. */
  class: ProcessClass | null;
  /** Of which device; null: host memory. */
  device: number | null;
  /** Anonymous memory. */
  anon_bytes?: number;
  /** Of a device: allocated. */
  allocated_bytes?: number;
  /** The most of that. */
  peak_bytes: number;
  /** Mapped files. */
  file_bytes?: number | null;
  /** Shared memory. */
  shmem_bytes?: number | null;
  /** Of a device: what the framework holds. */
  reserved_bytes?: number | null;
  /** Of a device: free, in blocks that were split. */
  inactive_split_bytes?: number | null;
  /** Of a device: allocations that were tried again. */
  alloc_retries?: number | null;
  /** Of a device: allocations that failed. */
  ooms?: number | null;
  /** Whether it grows. */
  growth: MemoryGrowth;
}

/** Of what leaks for certain: how long the memory would last. */
export interface MemoryOutlook {
  /** The machine. */
  node: number;
  /** The device; null: host memory. */
  device: number | null;
  /** What ends it. */
  limit: string;
  /** How much that is. */
  limit_bytes: number;
  /** What is left. */
  left_bytes: number;
  /** When it is used up. */
  exhausted_in_ns: Ns;
}

/** A limit of memory, and the most that was held of it; the fullest of a kind first, at most 64 of each. */
export interface MemoryLimit {
  /** What it limits: the machine; the job's cgroup; all that is on a GPU, by its driver; what the framework's allocator gives to tensors of a rank on its device. */
  of: LimitOf;
  /** The machine. */
  node: number;
  /** Of an allocator: the rank. */
  rank: number | null;
  /** Of an allocator the device as its process numbers it, of a GPU as the machine does. */
  device: number | null;
  /** How much there is. */
  limit_bytes: number;
  /** The most that was held; of a cgroup the less of what it was charged for, page cache included, and of what the processes hold; of a machine what was not available. */
  peak_bytes: number;
  /** What was left then. */
  left_bytes: number;
  /** Of an allocator: the most that it held of the device, its cache included. */
  reserved_peak_bytes: number | null;
  /** Of an allocator: how often it had to give its cache back before the device had room. */
  retries: number | null;
  /** Nine tenths or more of it were held, or an allocator had to retry; never of a GPU as a whole, which holds caches. */
  close: boolean;
}

/** Resident memory of one kind, summed over the processes of a class; what several share is counted in each. */
export interface MemoryKind {
  /** The machine. */
  node: number;
  /** The class. */
  class: ProcessClass;
  /** anonymous, file or shared. */
  kind: string;
  /** How many processes. */
  processes: number;
  /** At the last sample. */
  bytes: number;
  /** At its peak. */
  peak_bytes: number;
  /** Means over equal parts of the run, at most 24. */
  sparkline: number[];
}

/** The memory of the job's processes. */
export interface HostMemory extends Section {
  /** What leaks first, then the largest, at most 256. */
  processes: ProcessMemory[];
  /** How long the memory would last. */
  outlooks: MemoryOutlook[];
  /** Resident memory by kind. */
  kinds: MemoryKind[];
}

/** What a [rule](rules.md) found. */
export interface Rule {
  /** The rule. */
  name: string;
  /** modern, or compat. */
  mode: string;
  /** Whether it found something. */
  status: RuleStatus;
  /** How often it fired. */
  triggered: number;
  /** How often its condition held. */
  violations: number;
  /** How often it was asked. */
  datapoints: number;
  /** Its parameters. */
  parameters: Settings;
  /** What it found. */
  evidence: Evidence[];
  /** What to change. */
  advice: string;
  /** Its kind; null: there is none. */
  advice_kind: string | null;
  /** Why it does not apply, or what went wrong. */
  reason: string;
  /** Its kind; null: there is none. */
  reason_kind: string | null;
  /** What the reason is made of. */
  reason_values: Values;
}

/** A finding of the agent during the run: a row of the table findings. */
export interface Finding {
  /** When. */
  ts_ns: Ns;
  /** How bad it is; info when it is well again. */
  severity: Severity;
  /** rule (a rule's status changed) or alert (its own limits). */
  kind: string;
  /** What the agent watched; null: nobody knows. */
  topic: Topic | null;
  /** Whom it is about, the table's `subject`: a rule, [hang](../concepts/hangs.md), [step time](../concepts/windows.md) or [memory of …](../concepts/memory.md). */
  about: string;
  /** What it said. */
  text: string;
  /** The values that the sentence's figures were rounded from. */
  figures: Figure[];
  /** As that of evidence. */
  id: string;
  /** The same as values. */
  subject: Subject;
  /** Its [kind](findings.md#while-the-run-goes-on); of runs of before 2026-11-29 legacy.text. */
  finding: string;
  /** What the sentence is made of. */
  values: Values;
  /** The last word on its subject, and no relief. */
  standing: boolean;
}

/** What is missing, by [cause](data_loss.md). */
export interface Loss {
  /** Of which table. */
  table: string;
  /** The cause. */
  cause: string;
  /** How many rows; -1: not countable. */
  count: number;
  /** From when. */
  from_ns: Ns | null;
  /** Until when. */
  to_ns: Ns | null;
  /** What was lost, and the next step. */
  detail: string;
  /** Its [kind](findings.md#data-loss); null: the cause says it all, or nothing is known but the sentence. */
  finding: string | null;
  /** What the sentence is made of. */
  values: Values;
}

/** A section that is a list. */
export interface Rows<Row> extends Section {
  rows: Row[];
}

/** A report of Steptrace. */
export interface Report {
  schema: string;
  /** Which run it is, what was run, and how it ended. */
  run: RunInfo;
  /** How a run failed, or was stopped: with which exception, or by which signal. */
  failure: Failure;
  /** On what the run ran, and with what. */
  run_card: RunCard;
  /** What the run reports about itself that must be the same in two runs for a fair comparison. */
  comparability: Comparability;
  /** The run before, in and after its steps. */
  phases: RunPhases;
  /** How many steps there are, and how long the steady ones take. */
  steps: StepsInfo;
  /** Who is to blame for the time of a step, what that rests on, and what to do. */
  verdict: Verdict;
  /** Samples, tokens and floating-point operations a second. */
  throughput: Throughput;
  /** The six suspects; their times sum to the steps, their shares to 1. */
  suspects: Rows<SuspectOfSteps>;
  /** All stages; their times sum to the steps, their shares to 1. */
  stages: Rows<Stage>;
  /** Phases of each rank and kind of step. */
  breakdown: Rows<Breakdown>;
  /** The training's waiting for data, its stages and its loaders. */
  data_pipeline: DataPipeline;
  /** Each step by the eight roles of torch-tb-profiler. Each moment counts for one role, the first in their order that is at work, so they sum to the step. */
  roles: Rows<Roles>;
  /** Each device of each rank, where the run holds device events. */
  devices: Rows<Device>;
  /** Of a live run on a GPU, each rank's mean steady step as the device reached the boundaries of its phases. */
  device_phases: Rows<DevicePhases>;
  /** Operators by rank and name, where a profile or a capture window holds them. */
  operators: Rows<Operator>;
  /** The sums of the operators' own times, of each rank. */
  operator_totals: Rows<OperatorTotals>;
  /** Kernels of each rank by name, those with most time first. */
  kernels: Rows<Kernel>;
  /** What the devices did, by [classes of kernels](kernel_classes.md), the most time first; the sums of durations, in which what runs at once counts each. */
  kernel_classes: Rows<KernelClassTime>;
  /** Allocations of memory, where a profile or a capture window holds them. */
  memory: Memory;
  /** Modules of each rank, depth first. */
  modules: Rows<Module>;
  /** The ranks compared: their collectives, and who waited for whom. */
  distributed: Distributed;
  /** What the steps' durations depended on, and what a change would gain. */
  critical_path: CriticalPath;
  /** Statistics of tensors over the steps and the rules about them, where `run --tensors` recorded them. */
  tensors: Tensors;
  /** Recommendations, all of them, where there is device activity. */
  recommendations: Rows<Recommendation>;
  /** Metrics of nodes, jobs and devices (those of cores and processes are in the table counters). */
  system: Rows<SystemRow>;
  /** The memory of the job's processes, and whether it grows. */
  host_memory: HostMemory;
  /** How much of the memory that there is was held at the most, where the limit is known. */
  memory_limits: Rows<MemoryLimit>;
  /** What each rule found, in the mode modern. */
  rules: Rows<Rule>;
  /** Findings of the agent during the run, by time, the last 1000. */
  findings: Rows<Finding>;
  /** What is missing, by cause. */
  data_loss: Rows<Loss>;
  /** What an import did not know. */
  import: Import;
  /** What to know when reading the report. */
  notes: Said[];
}
