// SPDX-License-Identifier: Apache-2.0
// Profiles made for the pages' tests, written as Kineto writes them; times in µs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const complete = (
  cat: string,
  name: string,
  [pid, tid]: readonly [number, number],
  [ts, dur]: readonly [number, number],
  args: object = {},
) => ({ ph: 'X', cat, name, pid, tid, ts, dur, args });

type Event = ReturnType<typeof complete>;

const write = (file: string, traceEvents: readonly Event[], more: object = {}) =>
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, ...more, traceEvents }));

/** A device that waits for a loader in three fifths of each step: what a price is put on. */
export function waitsForLoader(file: string): void {
  const host = [1, 1] as const;
  const events = Array.from({ length: 6 }, (_, step) => {
    const from = step * 100_000;
    const ids = { correlation: step + 1 };
    const next = 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__';
    return [
      complete('user_annotation', `ProfilerStep#${step}`, host, [from, 99_000]),
      complete('user_annotation', next, host, [from + 100, 60_000]),
      complete('cuda_runtime', 'cudaLaunchKernel', host, [from + 60_210, 20], ids),
      complete('kernel', 'gemm', [0, 7], [from + 60_250, 38_000], { ...ids, device: 0, stream: 7 }),
    ];
  }).flat();
  write(file, events);
}

const STEP = 1000;

/** Two ranks of two devices each; their kernels differ, and the second device of each idles most. */
export function twoDevicesEach(folder: string): void {
  for (const rank of [0, 1]) {
    const host = 100 + rank;
    let correlation = 0;
    const events: Event[] = [];
    const kernel = (device: number, name: string, ts: number, dur: number) => {
      correlation += 1;
      const ids = { correlation, 'External id': correlation };
      events.push(
        complete('cuda_runtime', 'cudaLaunchKernel', [host, host], [ts - 8, 4], ids),
        complete('kernel', name, [device, 7], [ts, dur], { ...ids, device, stream: 7 }),
      );
    };
    const copy = (device: number, kind: string, ts: number, dur: number, bytes: number) => {
      correlation += 1;
      const ids = { correlation, 'External id': correlation };
      events.push(
        complete('cuda_runtime', 'cudaMemcpyAsync', [host, host], [ts - 8, 4], ids),
        complete('gpu_memcpy', `Memcpy ${kind} (Pinned -> Device)`, [device, 9], [ts, dur], {
          ...ids,
          device,
          stream: 9,
          bytes,
        }),
      );
    };
    for (let step = 0; step < 5; step++) {
      const from = step * STEP;
      events.push(
        complete('user_annotation', `ProfilerStep#${step}`, [host, host], [from, STEP - 10]),
        complete('user_annotation', `phase ${step % 2 ? 'b' : 'a'}`, [host, host], [from + 1, 50]),
      );
      copy(0, 'HtoD', from + 700, 40 + step, 4096 * (step + 1));
      copy(1, 'DtoH', from + 700, 30, 1_000_000);
      kernel(0, 'gemm', from + 20, 600 + step + 10 * rank);
      kernel(0, 'only_first', from + 800, 100);
      kernel(1, 'gemm', from + 30, 200 + 5 * step);
    }
    // Of those many names of a number each one range is made.
    for (let i = 0; i < 20; i++)
      events.push(complete('user_annotation', `chunk_${i}`, [host, host], [60 + 40 * i, 10 + i]));
    const file = join(folder, `rank${rank}.pt.trace.json`);
    write(file, events, { distributedInfo: { backend: 'nccl', rank, world_size: 2 } });
  }
}

/** One GPU that runs so many kernels, each of a name of its own; `kernel_<n>` takes n + 1 µs. */
export const WIDE = 100_000;
export const BROAD = 3000;
export const wideName = (i: number): string => `kernel_${String(i).padStart(6, '0')}`;

export function wide(file: string, count = WIDE): void {
  let at = 0;
  const events = Array.from({ length: count }, (_, i) => {
    const event = complete('kernel', wideName(i), [0, 7], [at, i + 1], {
      device: 0,
      stream: 7,
      correlation: i + 1,
    });
    at += i + 2;
    return event;
  });
  write(file, events);
}
