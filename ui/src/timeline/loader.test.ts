// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/error';
import { TileLoader } from './loader';
import type { TileWindow } from './window';

const window = (fromNs: number, toNs: number, width = 100): TileWindow => ({ fromNs, toNs, width });

/** A server that answers when told to; what it was asked is text: `0-100:1,2`. */
function rig(batch = 10) {
  const asked: string[] = [];
  const waiting: { answer: () => void; fail: (thrown?: Error) => void; signal: AbortSignal }[] = [];
  let loads = 0;
  const errors: unknown[] = [];
  const queue: (() => void)[] = [];
  const loader = new TileLoader<number, string>({
    batch,
    onLoad: () => ++loads,
    onError: (thrown) => errors.push(thrown),
    later: (run) => queue.push(run),
    fetch: (w, keys, signal) =>
      new Promise((resolve, reject) => {
        const name = `${w.fromNs}-${w.toNs}`;
        asked.push(`${name}:${keys.join(',')}`);
        waiting.push({
          signal,
          answer: () => resolve(new Map(keys.map((k) => [k, `${name} ${k}`]))),
          fail: (thrown = new Error('down')) => reject(thrown),
        });
      }),
  });
  const tick = async () => {
    for (const run of queue.splice(0)) run();
    for (let i = 0; i < 5; ++i) await Promise.resolve();
  };
  return { loader, asked, waiting, errors, tick, loads: () => loads };
}

describe('loader', () => {
  it('asks once for what is in view', async () => {
    const r = rig();
    r.loader.want(window(0, 100), [1, 2]);
    r.loader.want(window(0, 100), [1, 2]);
    await r.tick();
    r.waiting[0]?.answer();
    await r.tick();
    r.loader.want(window(0, 100), [2]);
    await r.tick();
    expect(r.asked).toEqual(['0-100:1,2']);
    expect(r.loader.get(1, window(0, 100))).toBe('0-100 1');
    expect(r.loads()).toBe(1);
  });

  it('asks only for rows that come into view', async () => {
    const r = rig();
    r.loader.want(window(0, 100), [1]);
    await r.tick();
    r.waiting[0]?.answer();
    await r.tick();
    r.loader.want(window(0, 100), [1, 2, 3]);
    await r.tick();
    expect(r.asked[1]).toBe('0-100:2,3');
  });

  it('aborts requests out of view and draws old data until new arrives', async () => {
    const r = rig();
    r.loader.want(window(0, 100), [1]);
    await r.tick();
    r.waiting[0]?.answer();
    await r.tick();
    r.loader.want(window(100, 200), [1]);
    await r.tick();
    r.loader.want(window(0, 800), [1]);
    expect(r.waiting[1]?.signal.aborted).toBe(true);
    await r.tick();
    r.waiting[1]?.answer();
    await r.tick();
    expect(r.loader.get(1, window(0, 800))).toBe('0-100 1');
    r.waiting[2]?.answer();
    await r.tick();
    expect(r.loader.get(1, window(0, 800))).toBe('0-800 1');
    expect(r.errors).toEqual([]);
  });

  it('asks for no more than a batch at once', async () => {
    const r = rig(2);
    r.loader.want(window(0, 100), [1, 2, 3]);
    await r.tick();
    r.waiting[0]?.answer();
    await r.tick();
    await r.tick();
    expect(r.asked).toEqual(['0-100:1,2', '0-100:3']);
  });

  it('asks for half of what is too much for one answer', async () => {
    const r = rig();
    const tooMuch = new ApiError(413, 'tracks', 'too many', 'ask for fewer');
    r.loader.want(window(0, 100), [1, 2, 3]);
    await r.tick();
    r.waiting[0]?.fail(tooMuch);
    await r.tick();
    await r.tick();
    r.waiting[1]?.answer();
    await r.tick();
    await r.tick();
    expect(r.asked).toEqual(['0-100:1,2,3', '0-100:1', '0-100:2']);
    expect(r.errors).toEqual([]);
    r.waiting[2]?.fail(tooMuch);
    await r.tick();
    expect(r.errors).toEqual([tooMuch]);
    await r.tick();
    expect(r.asked.at(-1)).toBe('0-100:3'); // what is too much by itself does not keep the others
    r.loader.want(window(0, 50), [1, 2, 3]);
    await r.tick();
    expect(r.asked.at(-1)).toBe('0-50:1,2,3');
  });

  it('does not ask a broken server again until told to, or the view moves', async () => {
    const r = rig();
    r.loader.want(window(0, 100), [1]);
    await r.tick();
    r.waiting[0]?.fail();
    await r.tick();
    r.loader.want(window(0, 100), [1]);
    await r.tick();
    expect(r.asked.length).toBe(1);
    expect(r.errors.length).toBe(1);
    r.loader.refresh();
    await r.tick();
    expect(r.asked.length).toBe(2);
  });

  it('asks again when the run has grown, and shows the old meanwhile', async () => {
    const r = rig();
    r.loader.want(window(0, 100), [1]);
    await r.tick();
    r.waiting[0]?.answer();
    await r.tick();
    r.loader.refresh();
    await r.tick();
    expect(r.asked).toEqual(['0-100:1', '0-100:1']);
    expect(r.loader.get(1, window(0, 100))).toBe('0-100 1');
  });

  it('asks again for what was on its way when the run grew', async () => {
    const r = rig();
    r.loader.want(window(0, 100), [1]);
    await r.tick();
    r.loader.refresh();
    r.waiting[0]?.answer();
    await r.tick();
    expect(r.loader.get(1, window(0, 100))).toBe('0-100 1');
    await r.tick();
    expect(r.asked).toEqual(['0-100:1', '0-100:1']);
    r.waiting[1]?.answer();
    await r.tick();
    await r.tick();
    expect(r.asked).toHaveLength(2);
  });
});
