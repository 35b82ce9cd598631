// SPDX-License-Identifier: Apache-2.0
// For working on the pages without a build of the executable's server: the same requests
// (docs/reference/http.md), answered by calling `steptrace report`, `rules`, `export` a request. Not shipped,
// not fast, not safe: for one's own runs on one's own machine.
//   usage: node dev/server.mjs FOLDER [PORT]     STEPTRACE=path of the executable
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tableFromArrays, tableFromIPC, tableToIPC } from '@uwdata/flechette';

const [folder = 'steptrace-runs', port = '8765'] = process.argv.slice(2);
const steptrace = process.env.STEPTRACE ?? 'steptrace';
const pages = join(fileURLToPath(import.meta.url), '../../../python/steptrace/ui');
const cache = new Map();

function call(args, key = args.join(' ')) {
  if (!cache.has(key)) {
    cache.set(
      key,
      new Promise((resolve, reject) =>
        execFile(steptrace, args, { encoding: 'buffer', maxBuffer: 2 ** 30 }, (error, out, err) =>
          out.length ? resolve(out) : reject(new Error(String(err || error))),
        ),
      ),
    );
  }
  return cache.get(key);
}

const report = async (run) => JSON.parse(await call(['report', join(folder, run), '--json'])); // the newest each start
const table = async (run, name) =>
  call(['export', join(folder, run), '--format', 'arrow', '-o', '-', '--table', name]);

async function runs() {
  const ids = readdirSync(folder).filter((id) => existsSync(join(folder, id, 'run.json')));
  const rows = await Promise.all(
    ids.map(async (id) => {
      try {
        const r = await report(id);
        const v = r.verdict;
        return {
          id,
          name: r.run.name,
          status: r.run.status,
          command: r.run.command,
          started_utc: r.run.started_utc,
          duration_ns: r.run.duration_ns,
          nodes: r.run.nodes,
          ranks: r.run.ranks,
          steps: r.steps.count,
          verdict: { ...v, reason: v.reason?.id ?? null },
          cost: null,
          bytes: 0,
        };
      } catch {
        return null;
      }
    }),
  );
  const list = rows.filter(Boolean).sort((a, b) => (a.started_utc < b.started_utc ? 1 : -1));
  return { folder, runs: list };
}

/** Means of both reports beside each other; the real server adds intervals. */
async function compare(a, b) {
  const both = await Promise.all([report(a), report(b)]);
  const named = (r) => [
    ['step', 'step', 1],
    ...r.suspects.rows.map((s) => ['suspect', s.name, s.share]),
    ...r.stages.rows.map((s) => ['sub_stage', s.name, s.share]),
    ...r.breakdown.rows
      .filter((x) => x.step_kind === 'train')
      .map((x) => ['phase', x.phase, x.share]),
  ];
  const side = (r, kind, name) => {
    const share = named(r).find((n) => n[0] === kind && n[1] === name)?.[2] ?? 0;
    const mean = r.steps.duration_ns?.mean;
    return mean
      ? { ns: Math.round(share * mean), share, share_low: share, share_high: share }
      : null;
  };
  const keys = new Map(
    both.flatMap(named).map(([kind, name]) => [`${kind} ${name}`, [kind, name]]),
  );
  const rows = [...keys.values()].map(([kind, name]) => {
    const [x, y] = both.map((r) => side(r, kind, name));
    const change_ns = x && y ? y.ns - x.ns : null;
    return { kind, name, a: x, b: y, change_ns, change_low_ns: null, change_high_ns: null };
  });
  const [ofA, ofB] = both.map((r) => r.comparability);
  return { runs: [a, b], rows, comparability: { a: ofA, b: ofB, unlike: [] } };
}

async function series(run, query) {
  const wanted = query.getAll('metric');
  const takes = (name) =>
    wanted.some((m) => (m.endsWith('*') ? name.startsWith(m.slice(0, -1)) : m === name));
  const tracks = tableFromIPC(await table(run, 'tracks'))
    .toArray()
    .filter((t) => takes(t.name));
  const of = new Map(tracks.map((t) => [t.track, t]));
  const counters = tableFromIPC(await table(run, 'counters'));
  const [ts, track, value] = ['ts_ns', 'track', 'value'].map((c) => counters.getChild(c).toArray());
  const from = Number(query.get('from_ns') ?? 0);
  const to = Number(query.get('to_ns') ?? (await report(run)).run.duration_ns);
  const width = Math.max(1, Math.ceil((to - from) / Number(query.get('points') ?? 200)));
  const cells = new Map();
  for (let i = 0; i < ts.length; i++) {
    const at = Number(ts[i]);
    if (!of.has(track[i]) || at < from || at >= to) continue;
    const key = `${track[i]} ${Math.floor((at - from) / width)}`;
    const c = cells.get(key) ?? {
      track: track[i],
      at: from + Math.floor((at - from) / width) * width,
      v: [],
    };
    c.v.push(value[i]);
    cells.set(key, c);
  }
  const rows = [...cells.values()].sort((a, b) => a.track - b.track || a.at - b.at);
  const t = (f) => rows.map(f);
  return tableToIPC(
    tableFromArrays({
      metric: t((c) => of.get(c.track).name),
      node: Int32Array.from(t((c) => of.get(c.track).node)),
      track: Int32Array.from(t((c) => c.track)),
      device: Int32Array.from(t((c) => of.get(c.track).device ?? -1)),
      bucket_ns: Float64Array.from(t((c) => c.at)),
      min: Float64Array.from(t((c) => Math.min(...c.v))),
      mean: Float64Array.from(t((c) => c.v.reduce((x, y) => x + y, 0) / c.v.length)),
      max: Float64Array.from(t((c) => Math.max(...c.v))),
      last: Float64Array.from(t((c) => c.v.at(-1))),
      count: Int32Array.from(t((c) => c.v.length)),
    }),
  );
}

async function answer(path, query) {
  if (path === '/api/server')
    return { version: 'dev', folder, run: null, editor_url: 'vscode://file/{file}:{line}' };
  if (path === '/api/runs') return runs();
  const [, run, rest] = /^\/api\/runs\/([^/]+)\/(.*)$/.exec(path) ?? [];
  if (!run) return null;
  const id = decodeURIComponent(run);
  const [head, name] = rest.split('/');
  if (head === 'report') return report(id);
  if (head === 'compare') return compare(id, decodeURIComponent(name));
  if (head === 'section') return call(['report', join(folder, id), '--json', '--section', name]);
  if (head === 'rules')
    return call([
      'rules',
      join(folder, id),
      '--json',
      ...query.getAll('set').flatMap((s) => ['--set', s]),
    ]);
  if (head === 'table') return { arrow: await table(id, name) };
  if (head === 'series') return { arrow: await series(id, query) };
  return null;
}

createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname.endsWith('/events')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.write(': nothing changes here\n\n');
  }
  if (!url.pathname.startsWith('/api/')) {
    const file = join(pages, url.pathname === '/' ? 'index.html' : url.pathname);
    const types = {
      '.html': 'text/html',
      '.js': 'text/javascript',
      '.css': 'text/css',
      '.svg': 'image/svg+xml',
    };
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    response.setHeader('content-security-policy', "default-src 'self'");
    return existsSync(file) ? response.end(readFileSync(file)) : response.writeHead(404).end();
  }
  try {
    const body = await answer(url.pathname, url.searchParams);
    if (body === null) throw new Error('not answered by the development server');
    if (body.arrow) return response.end(body.arrow);
    response.setHeader('content-type', 'application/json');
    response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
  } catch (error) {
    const text = {
      cause: `${url.pathname}: ${error.message}`,
      next_step: 'use steptrace ui',
    };
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: text }));
  }
}).listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
