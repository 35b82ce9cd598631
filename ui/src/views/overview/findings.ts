// SPDX-License-Identifier: Apache-2.0
import { ApiError } from '../../api/error';
import type { Source } from '../../api/source';
import type { Finding } from './story';

/** Rows of the table `findings`; a run without that table has none. */
export async function loadFindings(
  source: Source,
  run: string,
  signal: AbortSignal,
): Promise<Finding[]> {
  const query = { columns: ['ts_ns', 'kind', 'severity', 'text'], limit: 1000 };
  const columns = await source.table(run, 'findings', query, signal).catch((thrown: unknown) => {
    if (thrown instanceof ApiError && thrown.status === 404) return null;
    throw thrown;
  });
  return (columns?.rows() ?? []).map((row) => ({
    ts: Number(row.ts_ns),
    kind: String(row.kind),
    severity: String(row.severity),
    text: String(row.text),
  }));
}
