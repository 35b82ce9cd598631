// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, it, vi } from 'vitest';
import { timeRange } from '../base/time';
import { ApiError } from './error';
import { address, httpSource } from './http';
import { pageSource, readPage } from './page';
import { REPORT_SCHEMA } from './report_types';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Answers one after the other, and what was asked for. */
function serve(...answers: (Response | Error)[]): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    const answer = answers.shift() ?? new Error('asked too often');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  });
  return asked;
}

const problem = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (thrown: unknown) => ApiError.of(thrown),
  );

it('an address: nulls left out, lists repeated, names escaped', () => {
  expect(address('a', {})).toBe('a');
  expect(address('a', { x: 1, y: null, z: ['b&c', 'd'] })).toBe('a?x=1&z=b%26c&z=d');
});

it('a run is one part of a path, whatever its name', async () => {
  const asked = serve(Response.json({}));
  await httpSource.report('../../etc', timeRange(1, 9));
  expect(asked).toEqual(['api/runs/..%2F..%2Fetc/report?from_ns=1&to_ns=9']);
});

it('texts of answers are inert, but for what goes back to the server or into a shell', async () => {
  const raw = { id: 'i\u202e', name: 'n\u202e', command: ['c\u202e'] };
  const shown = { id: 'i\u202e', name: 'n\\u202e', command: ['c\u202e'] };
  const of = (value: unknown) => Response.json(value);
  serve(of({ run: raw }), of({ folder: 'f', runs: [raw] }), of(raw), of({ runs: ['i\u202e'] }));
  expect(await httpSource.report('x', null)).toEqual({ run: shown });
  expect((await httpSource.runs()).runs).toEqual([shown]);
  expect(await httpSource.json('x', 'section/kernels')).toMatchObject({ name: 'n\\u202e' });
  expect((await httpSource.compare('a', 'b')).runs).toEqual(['i\u202e']);
  expect(ApiError.of(new Error('bad \u202e')).problem).toBe('bad \\u202e');
});

describe('failures say the thing, the cause and the next step', () => {
  const error = { cause: 'run x: is not there', next_step: 'steptrace ls' };
  it.each<[string, Response | Error, Partial<ApiError>]>([
    [
      'told',
      Response.json({ error }, { status: 404 }),
      { message: 'run x: is not there', nextStep: 'steptrace ls' },
    ],
    ['of a proxy', new Response('<html>', { status: 502 }), { status: 502, thing: 'the server' }],
    ['no server', new TypeError('failed to fetch'), { problem: 'does not answer' }],
    ['cut off', new Response('{"schema'), { thing: 'the answer' }],
  ])('%s', async (_name, answer, expected) => {
    serve(answer);
    expect(await problem(httpSource.report('x', null))).toMatchObject(expected);
  });

  it('a table that is no Arrow', async () => {
    serve(new Response('hello'));
    expect((await problem(httpSource.table('x', 'steps', {})))?.problem).toContain(
      'not an Arrow stream',
    );
  });
});

it('a busy server is asked again, three times in all', async () => {
  vi.useFakeTimers();
  const busy = () => new Response('', { status: 503 });
  const asked = serve(busy(), Response.json({ folder: 'f', runs: [] }));
  const runs = httpSource.runs();
  await vi.runAllTimersAsync();
  expect((await runs).folder).toBe('f');
  expect(asked).toHaveLength(2);
  serve(busy(), busy(), busy(), Response.json({}));
  const failed = problem(httpSource.runs());
  await vi.runAllTimersAsync();
  expect((await failed)?.status).toBe(503);
});

describe('a stream of events', () => {
  const streams: Stream[] = [];
  /** The browser's, but that a test says what comes. */
  class Stream extends EventTarget {
    static readonly CLOSED = 2;
    readyState = 0;
    constructor(readonly url: string) {
      super();
      streams.push(this);
    }
    close() {
      this.readyState = 2;
    }
    tell(type: string, data?: object) {
      this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
    }
    /** 0: the browser tries again; 2: it gave up. */
    fail(readyState: 0 | 2) {
      this.readyState = readyState;
      this.dispatchEvent(new Event('error'));
    }
  }

  function watching() {
    vi.useFakeTimers({ now: Date.parse('2026-01-01T10:00:00Z') });
    vi.stubGlobal('EventSource', Stream);
    streams.length = 0;
    const told: unknown[] = [];
    const stop = httpSource.watchRun(
      'r',
      (event) => told.push(event.generation),
      (since) => told.push(since),
    );
    const stream = streams[0];
    if (!stream) throw new Error('it is asked for');
    return { told, stop, stream };
  }

  it('short outage is not shown', () => {
    const { told, stream } = watching();
    stream.tell('run', { generation: 1 });
    stream.fail(0);
    vi.advanceTimersByTime(5000);
    stream.tell('open');
    vi.advanceTimersByTime(60_000);
    stream.tell('run', { generation: 2 });
    expect(told).toEqual([1, null, 2]);
  });

  it('says since when the server is away, once, and that it is back', () => {
    const { told, stream } = watching();
    stream.tell('run', { generation: 1 });
    for (let tries = 0; tries < 5; ++tries) {
      stream.fail(0);
      vi.advanceTimersByTime(3000);
    }
    expect(told).toEqual([1, '2026-01-01T10:00:00.000Z']);
    stream.tell('run', { generation: 2 });
    expect(told.slice(2)).toEqual([null, 2]);
    expect(streams).toHaveLength(1);
  });

  it('asks again for one that was refused, until nobody wants it', () => {
    const { told, stop, stream } = watching();
    stream.fail(2);
    vi.advanceTimersByTime(9000);
    expect(told).toEqual(['2026-01-01T10:00:00.000Z']);
    vi.advanceTimersByTime(1000);
    expect(streams).toHaveLength(2);
    streams[1]?.fail(2);
    vi.advanceTimersByTime(10_000);
    streams[2]?.tell('open');
    expect(told).toEqual(['2026-01-01T10:00:00.000Z', null]);
    streams[2]?.fail(2);
    stop();
    vi.advanceTimersByTime(60_000);
    expect(streams).toHaveLength(3);
    expect(told).toHaveLength(2);
  });
});

describe("a page's own report", () => {
  const report = { schema: REPORT_SCHEMA, run: { id: 'r' } };
  it('is a report, or one with steps', async () => {
    expect(readPage('null')).toBeNull();
    expect(readPage(undefined)).toBeNull();
    const bare = readPage(JSON.stringify(report));
    const whole = readPage(JSON.stringify({ report, steps: { step: [1, 2] } }));
    if (!bare || !whole) throw new Error('both are pages');
    expect(await pageSource(bare).report('r', null)).toEqual(report);
    expect((await pageSource(whole).table('r', 'steps', {})).length).toBe(2);
    expect((await problem(pageSource(bare).table('r', 'steps', {})))?.nextStep).toContain(
      'steptrace ui',
    );
  });
  it('of another schema is refused', () => {
    expect(() => readPage('{"schema": "other/1", "run": {}}')).toThrow(/other\/1/);
    expect(() => readPage('{"schema"')).toThrow();
  });
});
