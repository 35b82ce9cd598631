// SPDX-License-Identifier: Apache-2.0
// Where views get their data: a server (docs/reference/http.md), or a report that lies in the page itself.
import type { Ns, TimeRange } from '../base/time';
import type { Columns } from './arrow';
import type { ArrowRequest, FileRequest, JsonRequest } from './requests';
import type { ColumnOf, TableName } from './tables';
import type { SuspectId } from '../base/stages';
import type {
  Comparability,
  ListedStatus,
  ReasonId,
  Report,
  Said,
  Section,
  SectionStatus,
} from './report';

export interface ServerInfo {
  version: string;
  folder: string;
  run: string | null;
  editor_url: string;
}

export interface RunRow {
  id: string;
  name: string;
  status: ListedStatus;
  command: string[] | string;
  /** The format of the profiles that the run was made of; null: it was recorded. */
  imported_as: string | null;
  /** Empty where it is not known. */
  started_utc: string;
  duration_ns: Ns;
  nodes: number;
  ranks: number;
  steps: number;
  verdict: {
    status: SectionStatus;
    /** Why no suspect is found. */
    reason: ReasonId | null;
    suspect: SuspectId | '';
    sub_stage: string;
    /** The verdict in a sentence; absent from servers of older versions. */
    headline?: string;
    share: number;
    at_most_speedup: number | null;
  } | null;
  cost: { amount: number; currency: string } | null;
  bytes: number;
  /** Its report is still being made: `verdict` comes later, with an event. */
  pending?: boolean;
}

export interface RunList {
  folder: string;
  runs: RunRow[];
}

export interface ComparedSide {
  ns: Ns;
  share: number;
  share_low: number;
  share_high: number;
}

export interface ComparedRow {
  kind: 'step' | 'phase' | 'suspect' | 'sub_stage';
  name: string;
  a: ComparedSide | null;
  b: ComparedSide | null;
  change_ns: Ns | null;
  change_low_ns: Ns | null;
  change_high_ns: Ns | null;
}

/** Own time of an operator in a step of each run; null: that run has none of it. */
export interface OperatorChange {
  name: string;
  a_ns: Ns | null;
  b_ns: Ns | null;
  change_ns: Ns;
}

export interface OperatorChanges {
  measure: 'device' | 'host';
  a_steps: number;
  b_steps: number;
  rows: OperatorChange[];
  left_out: number;
}

export interface Comparison {
  runs: [string, string];
  /** Which step is shorter, by how much: as the report in the terminal says it. */
  headline: Said;
  /** Which stages are told of one run alone, and stand within another here. */
  notes: Said[];
  /** The same of the two the other way round. */
  back: { headline: Said; notes: Said[] };
  rows: ComparedRow[];
  /** Null: a run has no operators in steps. */
  operators: OperatorChanges | null;
  /** What each run tells of itself, and in which of it they are known to differ. */
  comparability: { a: Alike; b: Alike; unlike: string[] };
}

type Alike = Omit<Comparability, keyof Section>;

export interface RunEvent {
  status: ListedStatus;
  generation: number;
  steps: number;
  to_ns: Ns;
  stopped_since_ns: Ns | null;
}

/** The time range of the steps that were captured, and how many they are. */
export interface Captured {
  from_ns: Ns;
  to_ns: Ns;
  steps: number;
}

export interface TableQuery<Table extends TableName> {
  columns?: readonly ColumnOf<Table>[];
  where?: string;
  limit?: number;
}

export interface SeriesQuery {
  metrics: readonly string[];
  node?: number;
  timeRange?: TimeRange | null;
  points?: number;
}

/** A value of a query's parameter; null and undefined are left out, a list is repeated. */
export type Param = string | number | null | undefined | readonly string[];
export type Params = Readonly<Record<string, Param>>;

export interface Source {
  /** 'page': a one-file report; what needs a server is refused with a reason. */
  readonly kind: 'server' | 'page';
  /** The ids of the two runs that a one-file report compares; null: it holds one, or a server answers. */
  readonly compared: readonly [string, string] | null;
  server(signal?: AbortSignal): Promise<ServerInfo>;
  runs(signal?: AbortSignal): Promise<RunList>;
  report(run: string, timeRange: TimeRange | null, signal?: AbortSignal): Promise<Report>;
  compare(a: string, b: string, signal?: AbortSignal): Promise<Comparison>;
  table<Table extends TableName>(
    run: string,
    table: Table,
    query: TableQuery<Table>,
    signal?: AbortSignal,
  ): Promise<Columns>;
  series(run: string, query: SeriesQuery, signal?: AbortSignal): Promise<Columns>;
  /** Any other answer under a run: `json(run, 'timeline/tree')`. */
  json<T>(run: string, path: JsonRequest, params?: Params, signal?: AbortSignal): Promise<T>;
  arrow(run: string, path: ArrowRequest, params?: Params, signal?: AbortSignal): Promise<Columns>;
  /** Where a file of the run can be saved from; null: there is none to ask. */
  fileLink(run: string, path: FileRequest, params?: Params): string | null;
  /** Captures steps of a run in progress, `kinds` as `--capture` takes them; answers when they are in the run. */
  capture(run: string, steps: number, kinds: string, signal: AbortSignal): Promise<Captured>;
  /** Calls back when the list of runs changed; returns how to stop. `onLost` as of `watchRun`. */
  watchRuns(onChange: () => void, onLost: (since_utc: string | null) => void): () => void;
  /** `onLost` tells since when (UTC) nothing can come, and null when it can again. */
  watchRun(
    run: string,
    onEvent: (event: RunEvent) => void,
    onLost: (since_utc: string | null) => void,
  ): () => void;
}
