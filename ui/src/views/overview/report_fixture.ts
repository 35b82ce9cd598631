// SPDX-License-Identifier: Apache-2.0
// A report with what the overview reads of one, for its tests.
import type { Report, Rows, Verdict } from '../../api/report';
import { ns } from '../../base/time';

const VERDICT: Verdict = {
  status: 'found',
  reason: null,
  count: 0,
  truncated: false,
  suspect: 'data_pipeline',
  sub_stage: 'getitem',
  headline: 'data pipeline, 65 % of the step (63-67)',
  figures: [],
  kind: null,
  id: null,
  subject: {},
  values: { share_low: 0.63, share_high: 0.67 },
  healthy: false,
  share: 0.65,
  share_low: 0.63,
  share_high: 0.67,
  at_most_speedup: 2.9,
  at_most_saving: null,
  straggler_rank: null,
  straggler_cause: '',
  function: null,
  evidence: [],
  rules: [],
  advice: [],
  whole_run: null,
};

export const rows = <Row>(of: Row[]): Rows<Row> => ({
  status: 'found',
  reason: null,
  count: of.length,
  truncated: false,
  rows: of,
});

// A run of 100 ns: 10 before the steps, 80 of them, 10 after.
export function report(verdict: Partial<Verdict> = {}): Report {
  return {
    run: { duration_ns: ns(100) },
    phases: { initialization_ns: ns(10), training_ns: ns(80), finalization_ns: ns(10) },
    steps: { steady: 8, duration_ns: { mean: ns(10) }, outliers: [] },
    verdict: { ...VERDICT, ...verdict },
    suspects: rows([
      { name: 'model', ns: ns(28), share: 0.35 },
      { name: 'data_pipeline', ns: ns(52), share: 0.65 },
      { name: 'other_work', ns: ns(0), share: 0 },
    ]),
    stages: rows([
      { suspect: 'data_pipeline', name: 'collate', ns: ns(4), share: 0.05 },
      { suspect: 'data_pipeline', name: 'getitem', ns: ns(48), share: 0.6 },
      { suspect: 'data_pipeline', name: 'receive', ns: ns(0), share: 0.001 },
    ]),
    breakdown: rows([
      { rank: 0, step_kind: 'train', phase: 'checkpoint', ns: ns(6), share: 0.1 },
      { rank: 1, step_kind: 'train', phase: 'checkpoint', ns: ns(4), share: 0.1 },
    ]),
    data_pipeline: { status: 'found' },
    data_loss: rows([]),
  } as unknown as Report;
}
