// SPDX-License-Identifier: Apache-2.0
// The report, `steptrace.report/1` (docs/reference/report.md), as far as the views read it. Members may be
// added by newer versions; none changes its meaning.
import { inertBut } from '../base/inert';
import type { Said } from '../base/prose';
import type { SuspectId } from '../base/stages';
import type { Ns } from '../base/time';

/** 'unreadable' in a list of runs alone: there is a folder, and no manifest that can be read. */
export type RunStatus =
  'in_progress' | 'completed' | 'failed' | 'stopped' | 'interrupted' | 'unreadable';
export type Suspect = SuspectId;
export type VerdictStatus = 'found' | 'no_single_suspect' | 'too_few_steps' | 'no_steps';
export type RuleStatus = 'ok' | 'issues_found' | 'not_applicable' | 'error';

type Value = string | number | boolean | null;

/** What was found, by kind (docs/reference/findings.md), with what its sentence is made of. */
interface OfKind extends Said {
  /** Absent in reports of older versions. */
  kind?: string;
  values?: Record<string, Value | Record<string, Value>[]>;
}

export interface Evidence extends OfKind {
  table: string;
  where: string;
}

export interface Advice extends OfKind {
  setting: string;
  current: string;
  proposed: string;
}

export interface RunInfo {
  id: string;
  name: string;
  status: RunStatus;
  exit_code: number | null;
  signal: number | null;
  command: string[];
  started_utc: string;
  duration_ns: Ns;
  nodes: number;
  ranks: number;
  frameworks: { name: string; version: string }[];
  devices: string[];
  host_overhead_share: number | null;
  agent_cpu_share: number | null;
}

export interface Distribution {
  mean: Ns;
  min: Ns;
  p50: Ns;
  p90: Ns;
  p95: Ns;
  p99: Ns;
  max: Ns;
}

export interface Outlier {
  rank: number;
  step: number;
  ts_ns: Ns;
  dur_ns: Ns;
  cause: string;
  excess_ns: Ns;
}

export interface StepsInfo {
  count: number;
  steady: number;
  warm_up: number;
  eval: number;
  /** false: a profile that marks no steps is taken as one. */
  marked?: boolean;
  duration_ns: Distribution | null;
  steps_per_s: number | null;
  outlier_count: number;
  outliers: Outlier[];
}

export interface Verdict {
  status: VerdictStatus;
  suspect: Suspect | '';
  sub_stage: string;
  headline: string;
  /** Of the headline. */
  figures?: Said['figures'];
  kind?: string | null;
  values?: OfKind['values'];
  healthy: boolean;
  share: number;
  share_low: number;
  share_high: number;
  at_most_speedup: number | null;
  /** `money` where a price was given, in the unit of the price. */
  at_most_saving: { ns: Ns; money?: number } | null;
  straggler_rank: number | null;
  straggler_cause: string;
  evidence: Evidence[];
  advice: Advice[];
}

export interface Part {
  name: string;
  ns: Ns;
  share: number;
}

export interface Stage extends Part {
  suspect: Suspect;
}

export interface Breakdown {
  rank: number;
  step_kind: string;
  phase: string;
  ns: Ns;
  share: number;
}

/** A function of the user's in which a stage's time was spent, and what it called there of a library. */
export interface StageFunction {
  function: string;
  file: string;
  line: number | null;
  call?: string | null;
  ns: Ns;
  share: number;
}

/** A stage of the data pipeline; what samples tell of it is absent without them. */
export interface DataStage extends Part {
  share_low?: number | null;
  share_high?: number | null;
  samples?: number | null;
  functions?: StageFunction[];
}

export interface DataPipeline {
  applicable: boolean;
  /** Of the training loader; null: none told of itself. */
  workers: number | null;
  waits: number;
  starved_waits: number;
  stages: DataStage[];
  loaders: { rank: number; pid: number; fact: unknown }[];
}

export interface SystemRow {
  node: number;
  device: number | null;
  metric: string;
  unit: string;
  max: number;
  p99: number;
  p95: number;
  p50: number;
  min: number;
  mean: number;
  samples: number;
  sparkline: number[];
}

export interface Rule {
  name: string;
  mode: string;
  status: RuleStatus;
  triggered: number;
  violations: number;
  datapoints: number;
  parameters: Record<string, number | string | boolean>;
  evidence: Evidence[];
  advice: string;
  reason: string;
}

export interface Loss {
  table: string;
  cause: string;
  count: number;
  from_ns: Ns | null;
  to_ns: Ns | null;
  detail: string;
}

export interface Finding {
  ts_ns: Ns;
  severity: string;
  /** rule or alert. */
  kind: string;
  subject: string;
  text: string;
  /** Its kind among all findings, and what that declares; absent in reports of older versions. */
  finding?: string;
  values?: OfKind['values'];
  /** The last word on its subject, and no relief. */
  standing: boolean;
}

export interface Roles {
  rank: number;
  step: number;
  ts_ns: Ns;
  kernel_ns: Ns;
  memcpy_ns: Ns;
  memset_ns: Ns;
  communication_ns: Ns;
  runtime_ns: Ns;
  dataloader_ns: Ns;
  cpu_ns: Ns;
  other_ns: Ns;
  total_ns: Ns;
}

export interface Recommendation extends Omit<OfKind, 'kind'> {
  /** null where it does not apply. */
  kind?: string | null;
  name: string;
  source: string;
  status: RuleStatus;
  value: number | null;
  threshold: number | null;
  at_most_share: number | null;
  at_most_ns: Ns | null;
  evidence: OfKind[];
  advice: string;
  /** null where there is nothing to do. */
  advice_kind?: string | null;
}

/** A row whose members a view of a section knows (see the view's own types). */
export type Row = Record<string, unknown>;

export interface Report {
  schema: string;
  run: RunInfo;
  phases: { initialization_ns: Ns | null; training_ns: Ns | null; finalization_ns: Ns | null };
  steps: StepsInfo;
  verdict: Verdict;
  suspects: (Part & { name: Suspect })[];
  stages: Stage[];
  breakdown: Breakdown[];
  data_pipeline: DataPipeline;
  roles: Roles[];
  devices: Row[];
  operators: Row[];
  operator_totals: Row[];
  kernels: Row[];
  memory: Row;
  modules: Row[];
  distributed: Row & { applicable: boolean };
  critical_path: Row;
  recommendations: Recommendation[];
  system: SystemRow[];
  rules: Rule[];
  /** By time, the last 1000; absent in reports of older versions. */
  findings?: Finding[];
  losses: Loss[];
  notes: string[];
  /** The same in their order; absent in reports of older versions. */
  note_findings?: Pick<OfKind, 'kind' | 'values'>[];
}

/** Its texts inert, but for what addresses and copied commands are made of. */
export const inertReport = (report: Report): Report =>
  inertBut(report, [report.run], ['id', 'command']);
