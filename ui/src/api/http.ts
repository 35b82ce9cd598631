// SPDX-License-Identifier: Apache-2.0
import type { TimeRange } from '../base/time';
import { inertBut, inertly } from '../base/inert';
import { Columns } from './arrow';
import { ApiError, errorOf } from './error';
import { inertReport } from './report';
import type { RunRequest } from './requests';
import type { Captured, Params, RunEvent, Source } from './source';

/** `path?a=1&b=2&b=3`; what is null is left out. */
export function address(path: string, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value == null) continue;
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value])
      query.append(name, String(one));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

const within = (s: TimeRange | null | undefined): Params =>
  s ? { from_ns: s.from, to_ns: s.to } : {};

const runPath = (run: string, path: RunRequest) => `api/runs/${encodeURIComponent(run)}/${path}`;

/** Of a busy server it is asked again after a second, this often. */
const TRIES = 3;

async function get(
  path: string,
  params?: Params,
  signal?: AbortSignal,
  method: 'GET' | 'POST' = 'GET',
): Promise<Response> {
  const url = address(path, params);
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, { method, ...(signal ? { signal } : {}) }).catch(
      (thrown: unknown) => {
        if (signal?.aborted) throw thrown;
        throw new ApiError(0, 'the server', 'does not answer', 'is steptrace ui still running?');
      },
    );
    if (response.ok) return response;
    if (response.status !== 503 || tries === TRIES) throw await errorOf(response);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    signal?.throwIfAborted();
  }
}

/** `keep`: makes the answer inert but for what goes back to the server or into a shell. */
async function json<T>(
  path: string,
  params?: Params,
  signal?: AbortSignal,
  keep: (answer: T) => T = (answer) => inertly(answer) as T,
  method: 'GET' | 'POST' = 'GET',
): Promise<T> {
  const response = await get(path, params, signal, method);
  try {
    return keep((await response.json()) as T);
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    throw new ApiError(0, 'the answer', 'was cut off or is not JSON', 'reload the page');
  }
}

async function arrow(path: string, params?: Params, signal?: AbortSignal): Promise<Columns> {
  const response = await get(path, params, signal);
  return Columns.decode(new Uint8Array(await response.arrayBuffer()));
}

/** A stream that is back before this was never away: browsers connect again after 3 to 5 s. */
const LOST_AFTER_MS = 8000;
/** A browser gives a stream up that was refused (503, 502 of a proxy): it is asked for again then. */
const AGAIN_AFTER_MS = 10_000;

/**
 * Server-sent events; of one that breaks off the browser connects again by itself when the server comes
 * back.
 */
function watch(
  path: string,
  event: string,
  onData: (data: string) => void,
  onLost: (since_utc: string | null) => void = () => undefined,
): () => void {
  let events: EventSource;
  let since: string | null = null;
  let lost: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  function back() {
    clearTimeout(lost);
    if (since !== null) onLost(null);
    since = null;
  }

  function failed() {
    if (since === null) {
      const at = (since = new Date().toISOString());
      lost = setTimeout(() => onLost(at), LOST_AFTER_MS);
    }
    if (events.readyState !== EventSource.CLOSED) return;
    clearTimeout(again);
    again = setTimeout(open, AGAIN_AFTER_MS);
  }

  function open() {
    events = new EventSource(path);
    events.addEventListener('open', back);
    events.addEventListener('error', failed);
    events.addEventListener(event, (message) => {
      back();
      onData(String(message.data));
    });
  }

  open();
  return () => {
    clearTimeout(lost);
    clearTimeout(again);
    events.close();
  };
}

export const httpSource: Source = {
  kind: 'server',
  compared: null,
  server: (signal) =>
    json('api/server', {}, signal, (info) =>
      inertBut(info, [info], ['folder', 'run', 'editor_url']),
    ),
  runs: (signal) =>
    json('api/runs', {}, signal, (list) => inertBut(list, list.runs, ['id', 'command'])),
  report: (run, timeRange, signal) =>
    json(runPath(run, 'report'), within(timeRange), signal, inertReport),
  compare: (a, b, signal) =>
    json(runPath(a, `compare/${encodeURIComponent(b)}`), {}, signal, (compared) =>
      inertBut(compared, [compared], ['runs']),
    ),
  table: (run, table, q, signal) =>
    arrow(
      runPath(run, `table/${encodeURIComponent(table)}`),
      { columns: q.columns?.join(','), where: q.where, limit: q.limit },
      signal,
    ),
  series: (run, q, signal) =>
    arrow(
      runPath(run, 'series'),
      { metric: q.metrics, node: q.node, points: q.points, ...within(q.timeRange) },
      signal,
    ),
  json: (run, path, params, signal) => json(runPath(run, path), params, signal),
  arrow: (run, path, params, signal) => arrow(runPath(run, path), params, signal),
  fileLink: (run, path, params) => address(runPath(run, path), params),
  capture: (run, steps, kinds, signal) =>
    json<Captured>(
      runPath(run, 'capture'),
      { steps, capture: kinds },
      signal,
      (captured) => captured,
      'POST',
    ),
  watchRuns: (onChange, onLost) => watch('api/events', 'runs', onChange, onLost),
  watchRun: (run, onEvent, onLost) =>
    watch(
      runPath(run, 'events'),
      'run',
      (data) => onEvent(inertly(JSON.parse(data)) as RunEvent),
      onLost,
    ),
};
