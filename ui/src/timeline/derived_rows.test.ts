// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Columns } from '../api/arrow';
import type { RunContext } from '../state/run.svelte';
import { act } from './acts';
import { TimelineStage } from './stage.svelte';
import { Run, slice, track, tree } from './stage_stub';

beforeEach(() => {
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
});

describe('rows that are derived', () => {
  /** One step on one training thread: a batch, a gap, a backward; and two samples of a thread without slices. */
  function derived() {
    const run = new Run();
    run.slices = [slice(1, 0, 'data', 20), slice(1, 50, 'backward', 50)];
    const tables: Record<string, Record<string, (string | number | null)[]>> = {
      steps: { rank: [0], step: [7], ts_ns: [0], dur_ns: [100], forward_ns: [30], kind: ['train'] },
      samples: {
        ts_ns: [40, 90],
        track: [2, 2],
        stack: [0, 0],
        interval_ns: [20, 50],
        state: ['running', 'waiting'],
      },
      stacks: { stack: [0], parent: [null], function: ['load'], file: ['/a.py'], line: [3] },
    };
    Object.assign(run.source, {
      table: (_: string, name: string) => Promise.resolve(Columns.of(tables[name] ?? {})),
    });
    const main = track(1, { tid: 1, name: 'main', slices: 2 });
    const silent = track(2, { name: 'reader', slices: 0, lanes: 0, first_ns: null, last_ns: null });
    const stage = new TimelineStage(run as unknown as RunContext, tree(100, main, silent));
    return { run, stage };
  }
  async function load(stage: TimelineStage) {
    [stage.width, stage.height] = [100, 300];
    stage.stock.derived.takeOrigin(true);
    await stage.loadSteps(new AbortController().signal);
    for (let i = 0; i < 3; ++i) {
      stage.request();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }

  it('stand above the training thread and below each sampled one', async () => {
    const { run, stage } = derived();
    run.category = 'phase';
    stage.adopt({});
    await load(stage);
    expect(stage.layout.rows.map(({ node }) => node.name)).toEqual([
      'node 0',
      'rank 0',
      'phases',
      'main',
      'reader stacks',
    ]);
    stage.rows.forEach(({ node, laneHeight, top }) => {
      if (node.name === 'phases') expect(stage.hit(35, top + laneHeight / 2)?.name).toBe('forward');
      if (node.name === 'reader stacks')
        expect(stage.hit(85, top + laneHeight / 2)?.category).toBe('sample, waiting');
    });
  });

  it('are none of a profile, whose phases are not recorded as such', async () => {
    const { stage } = derived();
    stage.adopt({});
    await load(stage);
    stage.stock.derived.takeOrigin(false);
    expect(stage.layout.rows.map(({ node }) => node.name)).not.toContain('phases');
  });

  it('are selected, told and found again by their address', async () => {
    const { run, stage } = derived();
    run.category = 'phase';
    stage.adopt({});
    await load(stage);
    const at = (name: string) => stage.rows.find(({ node }) => node.name === name)?.top ?? 0;
    const gap = stage.hit(35, at('phases') + 5);
    await stage.select(gap?.slice ?? 0, false, gap && { ...gap.place, name: gap.name });
    expect(stage.selected).toMatchObject({ name: 'forward', ts_ns: 20, dur_ns: 30, step: 7 });
    const sample = stage.hit(35, at('reader stacks') + 5);
    await stage.select(sample?.slice ?? 0, false, sample && { ...sample.place, name: sample.name });
    expect(stage.selected).toMatchObject({ name: 'load', stack: ['/a.py:3 load'], dur_ns: 35 });
    const { sel } = stage.address();
    act(stage, { kind: 'neighbour', direction: 'next' });
    expect(stage.selected?.ts_ns).toBe(65);
    expect(act(stage, { kind: 'neighbour', direction: 'next' })).toBe(false);

    const again = derived();
    again.stage.adopt({ sel: sel ?? '' });
    expect(again.stage.selection.details.state).toBe('loading');
    expect(again.stage.address().sel).toBe(sel);
    await load(again.stage);
    expect(again.stage.selected?.stack).toEqual(['/a.py:3 load']);
  });

  it('leave a recorded phase the slice that it is', async () => {
    const { run, stage } = derived();
    run.category = 'phase';
    stage.adopt({});
    await load(stage);
    const top = stage.rows.find(({ node }) => node.name === 'phases')?.top ?? 0;
    const data = stage.hit(10, top + 5);
    await stage.select(data?.slice ?? 0, false, data && { ...data.place, name: data.name });
    expect(stage.selected).toMatchObject({ track: 1, name: 'data' });
  });
});
