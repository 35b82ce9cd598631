// SPDX-License-Identifier: Apache-2.0
// Generated from src/store/tables.h by its test; do not edit.

/** The tables of a run, and the columns of a row of each (docs/reference/schema.md). */
export interface Tables {
  tracks: {
    track: number;
    parent: number | null;
    kind: string;
    node: number;
    rank: number;
    pid: number | null;
    tid: number | null;
    device: number | null;
    stream: number | null;
    name: string;
  };
  slices: {
    ts_ns: number;
    dur_ns: number;
    track: number;
    rank: number;
    name: string;
    category: string;
    depth: number;
    step: number | null;
    correlation: number | null;
    flow_out: number | null;
    flow_in: number | null;
    bytes: number | null;
    group: number | null;
    sequence: number | null;
    external_id: number | null;
    details: string;
    args: string;
  };
  steps: {
    node: number;
    rank: number;
    step: number;
    ts_ns: number;
    dur_ns: number;
    kind: string;
    data_ns: number;
    forward_ns: number;
    backward_ns: number;
    optimizer_ns: number;
    communication_phase_ns: number;
    checkpoint_ns: number;
    evaluation_ns: number;
    logging_ns: number;
    gc_ns: number;
    compile_ns: number;
    capture_ns: number;
    other_phase_ns: number;
    data_pipeline_ns: number;
    model_ns: number;
    communication_ns: number;
    framework_overhead_ns: number;
    other_ns: number;
    storage_read_ns: number;
    getitem_ns: number;
    collate_ns: number;
    receive_ns: number;
    cpu_shortage_ns: number;
    worker_start_ns: number;
    blocked_in_backward_ns: number;
    blocked_in_fetch_ns: number;
    operators_ns: number | null;
    dispatch_ns: number | null;
    batches: number;
    backwards: number;
    optimizer_steps: number;
    waits: number;
    starved_waits: number;
    min_queue_depth: number | null;
    longest_user_range: string;
    longest_user_range_ns: number;
  };
  step_stages: {
    node: number;
    rank: number;
    ts_ns: number;
    step: number;
    phase: string;
    stage: string;
    dur_ns: number;
  };
  counters: {
    ts_ns: number;
    track: number;
    value: number;
  };
  run_metadata: {
    ts_ns: number;
    node: number;
    rank: number;
    pid: number;
    kind: string;
    json: string;
  };
  stacks: {
    stack: number;
    parent: number | null;
    kind: string;
    function: string;
    file: string;
    line: number;
  };
  samples: {
    ts_ns: number;
    track: number;
    stack: number;
    state: string;
    interval_ns: number;
  };
  memory: {
    ts_ns: number;
    rank: number;
    device: number;
    track: number | null;
    address: number;
    bytes: number;
    total_allocated_bytes: number | null;
    total_reserved_bytes: number | null;
  };
  tensor_stats: {
    ts_ns: number;
    node: number;
    rank: number;
    step: number;
    tensor: string;
    role: string;
    type: string;
    numel: number;
    nan: number;
    positive_inf: number;
    negative_inf: number;
    zeros: number;
    min: number | null;
    max: number | null;
    sum: number;
    abs_sum: number;
    square_sum: number;
  };
  tensor_histograms: {
    ts_ns: number;
    node: number;
    rank: number;
    step: number;
    tensor: string;
    role: string;
    exponent: number;
    count: number;
  };
  findings: {
    ts_ns: number;
    severity: string;
    kind: string;
    subject: string;
    text: string;
    evidence: string;
  };
  data_loss: {
    node: number;
    rank: number;
    pid: number | null;
    table: string;
    cause: string;
    count: number;
    from_ns: number | null;
    to_ns: number | null;
    detail: string;
    evidence: string;
  };
}

export type TableName = keyof Tables;
export type ColumnOf<Table extends TableName> = keyof Tables[Table];

// Columns of `steps` that sum, without their unit.
export const STEP_PHASES = [
  'data',
  'forward',
  'backward',
  'optimizer',
  'communication_phase',
  'checkpoint',
  'evaluation',
  'logging',
  'gc',
  'compile',
  'capture',
  'other_phase',
] as const;
export const STEP_CAUSES = [
  'data_pipeline',
  'model',
  'communication',
  'framework_overhead',
  'other',
] as const;
export const STEP_STAGES = [
  'storage_read',
  'getitem',
  'collate',
  'receive',
  'cpu_shortage',
  'worker_start',
] as const;
