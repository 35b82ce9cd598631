// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Condition, Report, Verdict } from '../../api/report';
import type { Figure, Sentence } from '../../base/format';
import { ns } from '../../base/time';
import { report } from './report_fixture';
import {
  evidenceTarget,
  lanes,
  lossText,
  partTitle,
  runPhases,
  savings,
  otherStages,
  stepParts,
  story,
} from './story';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');
/** A sentence as it is read, or with its figures as they are. */
const read = (sentence: Sentence, as: keyof Figure = 'text') =>
  plain(
    typeof sentence === 'string'
      ? sentence
      : sentence.map((piece) => (typeof piece === 'string' ? piece : piece[as])).join(''),
  );

const FEW = [
  {
    id: '0123456789abcdef',
    kind: 'verdict.few_steps',
    subject: {},
    values: {},
    text: 'it rests on 5 steps',
    figures: [],
    rows: { table: 'steps', where: '', conditions: [], count: 5 },
  },
];

it('a stage that takes less than half of its suspect is its largest part, not most of it', () => {
  const of = report();
  const less = of.stages.rows.map((s) => (s.name === 'getitem' ? { ...s, share: 0.3 } : s));
  expect(read(story({ ...of, stages: { ...of.stages, rows: less } }).detail)).toContain(
    'its largest part, dataset __getitem__, takes 30 %;',
  );
  expect(read(story(of).detail)).toContain('mostly dataset __getitem__;');
});

describe('the verdict in a sentence', () => {
  it.each<[Partial<Verdict>, string, string]>([
    [
      {},
      'Data pipeline, 65 % of the step (63-67)',
      'Up to 2.9× faster without it; mostly dataset __getitem__; the 95 % interval is in brackets.',
    ],
    [
      {
        at_most_speedup: 12.06,
        share_low: 0.65,
        share_high: 0.65,
        sub_stage: '',
        headline: 'data pipeline, 65 %',
      },
      'Data pipeline, 65 %',
      'Up to 12.1× faster without it; seen in 8 steps.',
    ],
    [
      {
        share_low: 0.65,
        share_high: 0.65,
        headline: 'data pipeline, 65 %; seen in 5 steps',
        evidence: FEW,
      },
      'Data pipeline, 65 %; seen in 5 steps',
      'Up to 2.9× faster without it; mostly dataset __getitem__.',
    ],
    [
      // Other work is nobody: the headline says who it is.
      {
        suspect: 'other_work',
        sub_stage: 'loop_code',
        headline: 'loop code in hashlib.sha256 (train.py:9), 77 % of the step (76-78)',
        values: { share_low: 0.76, share_high: 0.78 },
      },
      'Loop code in hashlib.sha256 (train.py:9), 77 % of the step (76-78)',
      'Up to 2.9× faster without it; between 63 and 67 % with 95 % confidence.',
    ],
    [
      {
        suspect: 'communication',
        sub_stage: 'straggler',
        straggler_rank: 3,
        headline: 'communication: rank 3 is late by its data pipeline; waiting for it takes 65 %',
        values: { share_low: null, share_high: null },
      },
      'Communication: rank 3 is late by its data pipeline; waiting for it takes 65 %',
      'Up to 2.9× faster were it on time; between 63 and 67 % with 95 % confidence.',
    ],
    [
      {
        suspect: 'model',
        at_most_speedup: null,
        headline: 'the model takes 65 % of the step (63-67); no other bottleneck',
      },
      'The model takes 65 % of the step (63-67); no other bottleneck',
      'The 95 % interval is in brackets.',
    ],
    [
      {
        suspect: 'model',
        at_most_speedup: null,
        share_low: 0.65,
        share_high: 0.65,
        headline: 'the model fills the step; seen in 3 steps',
        evidence: FEW,
      },
      'The model fills the step; seen in 3 steps',
      '',
    ],
    [{ status: 'cannot_tell', headline: 'no step seen' }, 'No step seen', ''],
    [{ status: 'cannot_tell', headline: 'too few steps: 3' }, 'Too few steps: 3', ''],
    [{ status: 'not_found', headline: 'no single suspect: a' }, 'No single suspect: a', ''],
    [{ status: 'of_a_newer_version' as 'found', headline: 'new' }, 'New', ''],
  ])('%#', (verdict, heading, detail) => {
    const told = story(report(verdict));
    expect([read(told.heading), read(told.detail)]).toEqual([heading, detail]);
  });

  it('a profile without step marks has no interval', () => {
    const of = { ...report(), steps: { ...report().steps, marked: false } };
    expect(read(story(of).detail)).not.toContain('interval');
    expect(read(story(report()).detail)).toContain('interval');
  });

  it('copied headline has exact figures', () => {
    const { detail } = story(
      report({ at_most_speedup: 2.857, share_low: 0.6325, headline: 'data pipeline, 65 %' }),
    );
    expect(read(detail, 'exact')).toMatch(/^Up to 2.857 times faster .* between 63.25 and 67 %/);
  });

  it('a slowed model is not called healthy', () => {
    const tone = (healthy: boolean) => story(report({ suspect: 'model', healthy })).tone;
    expect(tone(true)).toBe('good');
    expect(tone(false)).toBe('open');
  });
});

it('what mending it would gain: time, and money where there is a price', () => {
  const of = (at_most_saving: Verdict['at_most_saving']) => savings({ at_most_saving });
  expect(of(null)).toBeNull();
  expect(of({ ns: ns(2e9) })).toEqual({
    time: { text: '2\u00a0s', exact: '2,000,000,000 ns' },
    money: null,
  });
  expect(of({ ns: ns(2e9), money: 32.5 })?.money).toEqual({ text: '32.5', exact: '32.5' });
  expect(of({ ns: ns(2e9), money: 0 })?.money?.text).toBe('0');
});

it('a step by cause: the largest first, stages with it, nothing that is nothing', () => {
  const parts = stepParts(report());
  expect(parts.map((p) => [p.name, p.perStep])).toEqual([
    ['data_pipeline', 6.5],
    ['model', 3.5],
  ]);
  expect(parts[0]?.stages.map((s) => s.name)).toEqual(['getitem', 'collate']);
});

it('what nobody is to blame for has the name of its stage, where that is all of it', () => {
  const part = (name: string, stage: number) => ({
    name,
    share: 0.8,
    perStep: null,
    stages: [{ name: 'loop_code', share: stage, perStep: null }],
  });
  expect(partTitle(part('other_work', 0.79))).toBe('Loop code');
  expect(partTitle(part('other_work', 0.5))).toBe('Other work');
  expect(partTitle(part('model', 0.8))).toBe('Model');
  expect(partTitle({ ...part('other_work', 0.8), stages: [] })).toBe('Other work');
});

/** Rows of this kind; empty: all. */
const conditionsOf = (kind: string): Condition[] =>
  kind === '' ? [] : [{ column: 'kind', is: '=', value: kind }];

describe('evidence leads to the view and stretch that show it', () => {
  const target = (table: string, of = '', kind?: string, metric?: string) =>
    evidenceTarget(
      {
        rows: { table, where: '', conditions: conditionsOf(of), count: 1 },
        subject: metric ? { metric } : {},
        ...(kind && { kind }),
      },
      report(),
      null,
    );
  it('counters: the metric, over the training', () => {
    expect(target('counters', '', undefined, 'cpu.busy_share')).toEqual({
      view: 'system',
      timeRange: { from: 10, to: 90 },
      params: { metric: 'cpu.busy_share' },
    });
  });
  it.each([
    ['steps', 'train', 'data.batch_not_ready', 'data'],
    ['steps', 'train', 'verdict.few_steps', 'steps'],
    ['run_metadata', 'hook', 'run.hook_failed', 'data'],
    ['run_metadata', 'gpu', 'gpu.shared_with_others', 'devices'],
    ['run_metadata', 'device', 'gpu.ranks_together', 'devices'],
    ['slices', '', 'device.computing', 'timeline'],
    ['tracks', '', 'profile.processes_together', 'timeline'],
    ['samples', '', 'data.samples', 'data'],
    ['data_loss', '', 'run.data_loss', 'overview'],
  ])('%s %s %s', (table, of, kind, view) => {
    expect(target(table, of, kind).view).toBe(view);
  });
  it.each([
    ['steps', 'train', 'steps'],
    ['run_metadata', 'loader', 'data'],
    ['run_metadata', 'gpu', 'devices'],
    ['slices', '', 'timeline'],
    ['memory', '', 'memory'],
    ['samples', '', 'data'],
    ['data_loss', '', 'overview'],
    ['a table of a newer version', '', 'steps'],
  ])('without a kind the view of its table: %s %s', (table, of, view) => {
    expect(target(table, of).view).toBe(view);
    expect(target(table, of, 'of.a_newer_version').view).toBe(view);
    expect(target(table, of, 'constructor').view).toBe(view);
  });
  it('steps: where what the figure is of is shown, if it is', () => {
    const of = (kind: string, more: object) =>
      evidenceTarget(
        {
          rows: { table: 'steps', where: '', conditions: conditionsOf('train'), count: 9 },
          subject: {},
          kind,
        },
        { ...report(), ...more } as Report,
        null,
      ).view;
    expect(of('communication.straggler', { distributed: { status: 'found' } })).toBe('distributed');
    expect(of('communication.straggler', { distributed: { status: 'not_applicable' } })).toBe(
      'steps',
    );
    expect(of('operators.stages', { operators: { rows: [{ name: 'aten::mm' }] } })).toBe(
      'operators',
    );
    expect(of('model.between_operators', { operators: { rows: [{ name: 'aten::mm' }] } })).toBe(
      'operators',
    );
    expect(of('operators.stages', { operators: { rows: [] } })).toBe('steps');
    expect(of('data.loaded_by_training', {})).toBe('data');
    expect(of('data.loaded_by_training', { data_pipeline: { status: 'not_applicable' } })).toBe(
      'steps',
    );
    expect(of('step.garbage_collections', { operators: { rows: [{ name: 'aten::mm' }] } })).toBe(
      'steps',
    );
  });
  it('samples: the threads whose stacks they are', () => {
    const threads = (kind: string, of = report()) =>
      evidenceTarget(
        { rows: { table: 'samples', where: '', conditions: [], count: 9 }, subject: {}, kind },
        of,
        null,
      ).params;
    const noLoader = {
      ...report(),
      data_pipeline: { status: 'not_applicable' },
    } as unknown as Report;
    expect(threads('data.samples')).toEqual({ part: 'stacks' }); // the workers, where there are any
    expect(threads('data.samples', noLoader)).toEqual({ threads: 'training', part: 'stacks' });
    expect(threads('step.runs_in')).toEqual({ threads: 'training', part: 'stacks' });
    expect(threads('data.awaited')).toEqual({ threads: 'training', part: 'stacks' });
    expect(threads('step.thread_beside')).toEqual({ threads: 'other', part: 'stacks' });
  });
  it('a loss: the part of the overview that lists it', () => {
    expect(target('data_loss').params).toEqual({ part: 'missing' });
  });
  it('condition names a time range', () => {
    const conditions: Condition[] = [
      { column: 'ts_ns', is: '>=', value: 20 },
      { column: 'ts_ns', is: '<', value: 30 },
    ];
    const located = { rows: { table: 'slices', where: '', conditions, count: 1 }, subject: {} };
    expect(evidenceTarget(located, report(), null).timeRange).toEqual({ from: 20, to: 30 });
  });
});

it('the run in time: phases, and lanes only for what happened', () => {
  const phases = runPhases(report());
  expect(phases.whole.map((p) => [p.name, p.share])).toEqual([
    ['initialization', 0.1],
    ['training', 0.8],
    ['finalization', 0.1],
  ]);
  // Whose end is unknown is longer than its phases.
  const cut = { ...report(), phases: { ...report().phases, finalization_ns: null } };
  expect(runPhases(cut).whole.map((p) => p.share)).toEqual([0.1, 0.8]);
  expect(phases.inside.map((p) => [p.name, p.figure.exact])).toEqual([['checkpoint', '5 ns']]);
  const none = { steps: null, checkpoints: [], findings: [] };
  expect(lanes(report(), none)).toEqual([]);
  const finding = {
    kind: 'rule',
    topic: 'rule',
    severity: 'warning',
    about: '',
    subject: {},
    id: '',
    text: 'x',
    figures: [] as never[],
    finding: 'legacy.text',
    values: {},
    standing: true,
  } as const;
  const found = lanes(report(), { ...none, findings: [{ ...finding, ts_ns: ns(500) }] });
  expect(found.map((l) => [l.name, l.marks[0]?.from])).toEqual([['Findings', 100]]); // kept on the axis
});

it('phases are placed at their times in the run, not as parts of a range', () => {
  const of = (phases: object) => runPhases({ ...report(), phases } as Report);
  const places = (phases: object) => of(phases).whole.map((p) => [p.name, p.place]);
  const all = { initialization_ns: 10, training_ns: 80, finalization_ns: 10 };
  expect(places(all)).toEqual([
    ['initialization', { from: 0, to: 10 }],
    ['training', { from: 10, to: 90 }],
    ['finalization', { from: 90, to: 100 }],
  ]);
  // When it ended nobody saw.
  expect(places({ ...all, training_ns: 60, finalization_ns: null })).toEqual([
    ['initialization', { from: 0, to: 10 }],
    ['training', { from: 10, to: 70 }],
  ]);
  const chosen = of({ initialization_ns: null, training_ns: 20, finalization_ns: null }).whole;
  expect(chosen.map((p) => [p.name, p.place, p.share, p.figure.exact])).toEqual([
    ['training', null, null, '20 ns'],
  ]);
});

it('a stage that names its part is not told again beside it', () => {
  const stage = (name: string, share: number) => ({ name, share, perStep: null });
  const part = (name: string, ...stages: ReturnType<typeof stage>[]) => ({
    name,
    share: 0.1,
    perStep: null,
    stages,
  });
  expect(otherStages(part('unattributed', stage('unknown', 0.1)))).toEqual([]);
  const two = part('other_work', stage('checkpoint', 0.06), stage('logging', 0.04));
  expect(otherStages(two)).toEqual(two.stages);
});

it('what is lost of all tables names none', () => {
  const lost = {
    ...{ cause: 'agent_gap', count: -1, from_ns: null, to_ns: null, detail: 'it ended' },
    ...{ finding: null, values: {} },
  };
  expect(lossText({ ...lost, table: '' })).toBe('Incomplete: it ended');
  expect(lossText({ ...lost, table: 'slices', count: 2, detail: '' })).toBe(
    'Incomplete: 2 rows of slices (agent gap)',
  );
  expect(plain(lossText({ ...lost, cause: 'ring_full', table: 'slices', count: 2 }))).toBe(
    'Lost: 2 records; it ended',
  );
  expect(lossText({ ...lost, cause: 'ranks_missing', table: '', count: 7 })).toBe(
    'Incomplete: it ended',
  );
});
