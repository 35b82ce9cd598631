// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute, withParams, type Route } from './route';

describe('an address and back', () => {
  const routes: Route[] = [
    { kind: 'runs', query: {} },
    { kind: 'runs', query: { q: 'a b&c=d', status: 'failed' } },
    { kind: 'compare', a: 'slow 1', b: 'häß/lich', query: {} },
    { kind: 'run', run: '../../etc', view: 'steps', query: { from_ns: '5', to_ns: '9' } },
    { kind: 'run', run: '<img src=x>', view: 'overview', query: { q: '?#%' } },
  ];
  it.each(routes)('%o', (route) => {
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });
});

it('short forms', () => {
  expect(parseRoute('')).toEqual({ kind: 'runs', query: {} });
  expect(parseRoute('#/run/x')).toEqual({ kind: 'run', run: 'x', view: 'overview', query: {} });
});

it('an invalid address is reported', () => {
  expect(parseRoute('#/nowhere/at/all').kind).toBe('unknown');
  expect(parseRoute('#/compare/one').kind).toBe('unknown');
  expect(parseRoute('#/run/%E0%A4%A').kind).toBe('run'); // a broken escape is taken as it stands
});

it('parameters are set and removed', () => {
  expect(withParams({ a: '1', b: '2' }, { a: null, c: '3', d: '' })).toEqual({ b: '2', c: '3' });
});
