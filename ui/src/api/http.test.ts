// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, it, vi } from 'vitest';
import { stretch } from '../base/time';
import { ApiError } from './error';
import { address, httpSource } from './http';
import { pageSource, readPage } from './page';

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
  await httpSource.report('../../etc', stretch(1, 9));
  expect(asked).toEqual(['api/runs/..%2F..%2Fetc/report?from_ns=1&to_ns=9']);
});

describe('failures say the thing, the cause and the next step', () => {
  const error = { thing: 'run x', cause: 'is not there', next_step: 'steptrace ls' };
  it.each<[string, Response | Error, Partial<ApiError>]>([
    [
      'told',
      Response.json({ error }, { status: 404 }),
      { thing: 'run x', problem: 'is not there', nextStep: 'steptrace ls' },
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
      'no Arrow stream',
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

describe("a page's own report", () => {
  const report = { schema: 'steptrace.report/1', run: { id: 'r' } };
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
