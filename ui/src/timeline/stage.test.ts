// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunContext } from '../state/run.svelte';
import { act } from './acts';
import { TimelineStage } from './stage.svelte';
import { Run, slice, track, tree, type Slice } from './stage_stub';

const many = Array.from({ length: 40 }, (_, i) => track(i + 1));
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

beforeEach(() => {
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
});

function shown() {
  const run = new Run();
  run.slices = [slice(1, 0, 'a'), slice(2, 20, 'b'), slice(2, 40, 'c')];
  const stage = new TimelineStage(run as unknown as RunContext, tree(100, ...many));
  stage.adopt({});
  [stage.width, stage.height] = [100, 100];
  /** An event: a slice more on a track before the others', so that all numbers are others'. */
  const grow = (...more: Slice[]) => {
    run.slices.push(...more);
    stage.grow(tree(200, ...many, track(41)));
  };
  return { run, stage, grow };
}

describe('rows of what is in view', () => {
  it('come and go with the view, and one that is gone to is there', () => {
    const first = track(1, { name: 'early', first_ns: 0, last_ns: 40 });
    const second = track(2, { name: 'late', first_ns: 60, last_ns: 90 });
    const stage = new TimelineStage(new Run() as unknown as RunContext, tree(100, first, second));
    stage.adopt({ idle: 'hidden' });
    [stage.width, stage.height] = [100, 100];
    const rows = () => stage.layout.rows.map((row) => row.node.name).slice(2);
    expect(rows()).toEqual(['early', 'late']);
    stage.show({ fromNs: 0, toNs: 30 });
    expect(rows()).toEqual(['early']);
    stage.goTo({ track: 2, lane: 0, fromNs: 70, toNs: 71 });
    expect(rows()).toEqual(['late']);
    expect(stage.address().idle).toBe('hidden');
  });
});

describe('rows without anything in view', () => {
  it('are left out where a time range is selected, until the reader wants them', () => {
    const run = Object.assign(new Run(), { timeRange: { from: 60, to: 90 } });
    const early = track(1, { name: 'early', first_ns: 0, last_ns: 40 });
    const late = track(2, { name: 'late', first_ns: 60, last_ns: 90 });
    const stage = new TimelineStage(run as unknown as RunContext, tree(100, early, late));
    stage.adopt({});
    const rows = () => stage.layout.rows.map((row) => row.node.name).slice(2);
    expect(rows()).toEqual(['late']);
    expect(stage.address().idle).toBeNull();
    stage.adopt({ idle: 'shown' });
    expect(rows()).toEqual(['early', 'late']);
    expect(stage.address().idle).toBe('shown');
  });
});

describe('a tree that grows', () => {
  it('keeps the scroll, the tab, the search, the folds and a view of the reader', () => {
    const { stage, grow } = shown();
    stage.scrollBy(150);
    stage.tab = 'slices';
    stage.rowFilter = 'thread';
    stage.show({ fromNs: 10, toNs: 50 });
    grow();
    expect(stage.scroll).toBe(150);
    expect(stage.tab).toBe('slices');
    expect(stage.rowFilter).toBe('thread');
    expect(stage.view).toEqual({ fromNs: 10, toNs: 50 });
    expect(stage.bounds.toNs).toBe(200);
    expect(stage.trackName(41)).toContain('thread 41');
  });

  it('keeps the topmost row at the top when others come above it', () => {
    const { stage } = shown();
    stage.scrollBy(150);
    const top = stage.address().top;
    expect(top).toBe('t5.14');
    stage.grow(tree(200, track(60, { slices: 500 }), ...many));
    expect(stage.scroll).toBe(150 + 22);
    expect(stage.address().top).toBe(top);
    stage.scrollBy(22);
    expect(stage.address().top).toBe('t6.14');
  });

  it('follows the run where the view is all of it', () => {
    const { stage, grow } = shown();
    grow();
    expect(stage.view).toEqual({ fromNs: -4, toNs: 204 });
    expect(stage.whole).toBe(true);
  });

  it('folds nothing under the eyes: a thread that became deep stays open', () => {
    const { stage } = shown();
    stage.grow(tree(200, track(1, { lanes: 30 }), ...many.slice(1)));
    expect(stage.folded.has('t1')).toBe(false);
    stage.grow(tree(300, track(1, { lanes: 31 }), ...many.slice(1), track(50, { lanes: 30 })));
    expect(stage.folded.has('t1')).toBe(false);
    expect(stage.folded.has('t50')).toBe(true);
  });

  it('what is selected is in sight, though the details below leave fewer rows', async () => {
    const { stage } = shown();
    const row = stage.layout.rows.find((r) => r.node.track?.track === 2);
    if (row === undefined) throw new Error('no row');
    stage.height = row.top + row.laneHeight - 5; // its foot is hidden
    await stage.select(1);
    expect(stage.scroll).toBe(5);
    stage.height -= 10;
    stage.keepInSight({ track: 2, lane: 0 });
    expect(stage.scroll).toBe(15);
    stage.scrollBy(1000);
    stage.keepInSight({ track: 2, lane: 0 });
    expect(stage.scroll).toBe(row.top - stage.layout.pinnedHeight);
  });

  it('the selected slice stays, by the number that it has now', async () => {
    const { run, stage, grow } = shown();
    await stage.select(1);
    expect(stage.selected).toMatchObject({ name: 'b', next: 2 });
    grow(slice(1, 15, 'new'));
    await settled();
    expect(stage.selected).toMatchObject({ slice: 2, name: 'b', next: 3 });
    stage.write();
    const told = run.refined.sel ?? '';
    expect(told).toMatch(/^t2\.0\.20\.\w+$/);
    grow(slice(1, 30, 'newer'));
    await settled();
    stage.write();
    expect(run.refined.sel).toBe(told);
    expect(stage.selected).toMatchObject({ slice: 3, name: 'b' });
  });

  it('an address names a slice by what it is: after a reload of a run that has grown it is the same', async () => {
    const { run, stage } = shown();
    await stage.select(1);
    stage.write();
    const sel = run.refined.sel ?? '';
    run.slices.push(slice(1, 15, 'new'), slice(2, 20, 'a longer one around it', 30));
    const after = new TimelineStage(run as unknown as RunContext, tree(200, ...many));
    after.adopt({ sel, view: '0-100' });
    // Until it is there, and where it cannot be had, the address says what it said.
    expect(after.address().sel).toBe(sel);
    await settled();
    expect(after.selected).toMatchObject({ name: 'b', ts_ns: 20 });
    run.slices = run.slices.filter((s) => s.name !== 'b');
    const without = new TimelineStage(run as unknown as RunContext, tree(200, ...many));
    without.adopt({ sel, view: '0-100' });
    await settled();
    expect(without.selection.details.state).toBe('failed');
    expect(without.address().sel).toBe(sel);
    // While the run grows without it, that it is not there stays told.
    without.grow(tree(250, ...many));
    expect(without.selection.details.state).toBe('failed');
    await settled();
    expect(without.selection.details.state).toBe('failed');
    // It comes with the run's next slices.
    run.slices.push(slice(2, 20, 'b'));
    without.grow(tree(300, ...many));
    await settled();
    expect(without.selected).toMatchObject({ name: 'b', ts_ns: 20 });
    const older = new TimelineStage(run as unknown as RunContext, tree(200, ...many));
    older.adopt({ sel: '0' });
    await settled();
    expect(older.selected).toMatchObject({ name: 'a' });
  });

  it('what cannot be found again is shown as it was, without numbers', async () => {
    const { run, stage, grow } = shown();
    await stage.select(1);
    run.slices.splice(1, 1);
    grow();
    await settled();
    expect(stage.selected).toMatchObject({ name: 'b', ts_ns: 20, next: null });
    stage.write();
    expect(run.refined.sel).toMatch(/^t2\.0\.20\./);
    stage.adopt({ sel: run.refined.sel ?? '' });
    expect(stage.selected?.name).toBe('b');
    grow(slice(2, 20, 'b'));
    stage.grow(tree(300, ...many));
    await settled();
    expect(stage.selected).toMatchObject({ slice: 1, name: 'b', next: 2 });
  });

  it('a slice chosen on an older drawing is the one that was seen there', async () => {
    const { run, stage } = shown();
    run.slices.push(slice(1, 15, 'new'));
    const seen = { track: 2, lane: 0, fromNs: 20, toNs: 30, name: 'b' };
    await stage.select(1, false, seen);
    expect(stage.selected?.name).toBe('b');
    run.slices.push(slice(1, 30, 'newer'));
    // Before the next tree is there: the neighbour of what is shown, not of its number.
    await stage.follow((from) => from.next);
    expect(stage.selected?.name).toBe('c');
    run.slices = run.slices.filter((s) => s.name !== 'b');
    await stage.select(1, false, seen);
    expect(stage.selection.details.state).toBe('failed');
  });

  it('the search and the match that is shown stay', async () => {
    const { run, stage, grow } = shown();
    run.slices = [slice(1, 0, 'x1'), slice(2, 20, 'x2'), slice(2, 40, 'x3')];
    stage.finder.search('x');
    await vi.waitFor(() => expect(stage.finder.matches).toHaveLength(3));
    stage.goToMatch(1);
    await settled();
    grow(slice(1, 15, 'x1b'));
    expect(stage.finder.matches).toHaveLength(3);
    await settled();
    expect(stage.finder.query).toBe('x');
    expect(stage.finder.matches).toHaveLength(4);
    expect(stage.finder.matches[stage.finder.index]?.name).toBe('x2');
    expect(stage.selected?.name).toBe('x2');
  });
});

describe('the address', () => {
  it('holds how far the rows are scrolled and how the details stand', () => {
    const { run, stage } = shown();
    const query = { top: 't9.5', drawer: 'closed', high: '240', only: 'sight', tab: 'stretch' };
    stage.adopt(query);
    expect(stage.detailsOpen).toBe(false);
    expect(stage.address()).toMatchObject(query);
    const { scroll } = stage;
    expect(scroll).toBeGreaterThan(100);
    stage.adopt({});
    expect([stage.scroll, stage.detailsOpen]).toEqual([0, false]);
    expect(Object.values(stage.address()).every((value) => value === null)).toBe(true);
    // A window too high to scroll keeps what it was told, until the reader moves.
    const high = new TimelineStage(run as unknown as RunContext, tree(100, ...many));
    high.adopt(query);
    high.height = 10_000;
    high.scrollBy(0);
    expect([high.scroll, high.address().top]).toEqual([0, 't9.5']);
    high.height = 100;
    high.scrollBy(0);
    expect(high.scroll).toBe(scroll);
  });
});

describe('keys', () => {
  it('keys draw a time range from the middle, drop it, and select it', () => {
    const { run, stage } = shown();
    const chosen: unknown[] = [];
    Object.assign(run, { choose: (timeRange: unknown) => chosen.push(timeRange) });
    stage.show({ fromNs: 0, toNs: 100 });
    expect(act(stage, { kind: 'take' })).toBe(false);
    act(stage, { kind: 'draw', share: 0.2 });
    act(stage, { kind: 'draw', share: -0.5 });
    expect(stage.drawn).toEqual({ fromNs: 20, toNs: 50 });
    expect(stage.timeRange).toEqual({ fromNs: 20, toNs: 50 });
    act(stage, { kind: 'clear' });
    expect(stage.drawn).toBeNull();
    act(stage, { kind: 'draw', share: 0.3 });
    expect(act(stage, { kind: 'take' })).toBe(true);
    expect(chosen).toEqual([{ from: 50, to: 80 }]);
    expect(stage.drawing).toBeNull();
  });

  it('time range comes from the selection, two marks, or the view', async () => {
    const { run, stage } = shown();
    const chosen: unknown[] = [];
    Object.assign(run, { choose: (timeRange: unknown) => chosen.push(timeRange) });
    stage.show({ fromNs: 10, toNs: 60 });
    act(stage, { kind: 'stretch' });
    stage.marks = [30, 44];
    act(stage, { kind: 'stretch' });
    await stage.select(1);
    act(stage, { kind: 'stretch' });
    expect(chosen).toEqual([
      { from: 10, to: 60 },
      { from: 30, to: 44 },
      { from: 20, to: 30 },
    ]);
  });

  it('slices are reached without a pointer: the first in view, and those of other lanes', async () => {
    const { stage } = shown();
    stage.show({ fromNs: -5, toNs: 60 });
    stage.request();
    await settled();
    expect(act(stage, { kind: 'neighbour', direction: 'parent' })).toBe(false);
    expect(act(stage, { kind: 'neighbour', direction: 'next' })).toBe(true);
    await settled();
    expect(stage.selected?.name).toBe('a');
    expect(act(stage, { kind: 'lane', by: 1 })).toBe(true);
    await settled();
    expect(stage.selected?.name).toBe('b');
    expect(act(stage, { kind: 'lane', by: 1 })).toBe(false);
    stage.deselect();
    expect(act(stage, { kind: 'lane', by: -1 })).toBe(true);
    await settled();
    expect(stage.selected?.name).toBe('b');
  });

  it('slices in view are reached past nearer ones out of sight', async () => {
    const seek = async (...slices: Slice[]) => {
      const { run, stage } = shown();
      run.slices = slices;
      stage.grow(tree(300, ...many));
      // All is there, as before a zoom; then less of it is in view.
      stage.show({ fromNs: 80, toNs: 220 });
      stage.request();
      await settled();
      stage.show({ fromNs: 100, toNs: 200 });
      return async (action: Parameters<typeof act>[1]) => {
        const done = act(stage, action);
        await settled();
        return done ? stage.selected?.name : null;
      };
    };
    const around = [slice(2, 90, 'before', 9), slice(2, 150, 'seen'), slice(2, 201, 'after')];
    for (const direction of ['next', 'previous'] as const) {
      const press = await seek(...around);
      expect(await press({ kind: 'neighbour', direction })).toBe('seen');
    }
    const press = await seek(
      slice(1, 105, 'above'),
      ...around,
      slice(3, 120, 'left'),
      slice(3, 170, 'right'),
    );
    expect(await press({ kind: 'neighbour', direction: 'next' })).toBe('above');
    expect(await press({ kind: 'lane', by: 1 })).toBe('seen');
    expect(await press({ kind: 'lane', by: 1 })).toBe('right');
    expect(await press({ kind: 'lane', by: -1 })).toBe('seen');
  });
});
