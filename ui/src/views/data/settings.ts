// SPDX-License-Identifier: Apache-2.0
// What a loader told of itself, and what the verdict would change of it.
import type { Advice, DataPipeline } from '../../api/report';
import { LOADER_SETTINGS } from '../../api/settings';
import { STAGES } from '../../base/stages';
import { stageOf } from '../../base/suspects';

export interface Setting {
  readonly name: string;
  readonly value: string;
  /** Empty: none is named. */
  readonly proposed: string;
  readonly why: string;
}

/** What tells the loader itself, and what the analysis alone asks for. */
const HIDDEN = new Set(['loader', 'class', 'collate_lines']);

const ALL_SETTINGS: ReadonlySet<string> = new Set(
  Object.values(LOADER_SETTINGS).map(({ setting }) => setting),
);

function text(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const knownOf = (key: string) =>
  Object.hasOwn(LOADER_SETTINGS, key)
    ? LOADER_SETTINGS[key as keyof typeof LOADER_SETTINGS]
    : undefined;

export function settingsOf(fact: unknown, advice: readonly Advice[]): Setting[] {
  if (typeof fact !== 'object' || fact === null) return [];
  const rows = Object.entries(fact)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([key, value]): Setting => {
      const known = knownOf(key);
      const about = advice.find((a) => a.setting === known?.setting);
      const name = known?.argument ?? key;
      return { name, value: text(value), proposed: about?.proposed ?? '', why: about?.text ?? '' };
    });
  const rank = (s: Setting) => (s.proposed ? 0 : s.why ? 1 : 2);
  return rows.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

export type Loader = DataPipeline['loaders'][number];

const told = (loader: Loader, name: string): unknown =>
  typeof loader.fact === 'object' && loader.fact !== null
    ? (loader.fact as Readonly<Record<string, unknown>>)[name]
    : undefined;
const workersOf = (loader: Loader): number => Number(told(loader, 'workers') ?? 0);

/**
 * The loader that the verdict speaks of, as it chooses it: of the first rank the one with most
 * workers, the earliest of several; and what the other ranks have for the same.
 */
export function training(loaders: readonly Loader[]): Loader[] {
  const [first, ...others] = loaders;
  if (first === undefined) return [];
  const best = others.reduce(
    (best, l) =>
      l.rank < best.rank || (l.rank === best.rank && workersOf(l) > workersOf(best)) ? l : best,
    first,
  );
  const number = told(best, 'loader');
  return loaders.filter(
    (l) =>
      l === best || (number !== undefined && l.rank !== best.rank && told(l, 'loader') === number),
  );
}

/** What tells a loader from the others of its process: its number, and of what it makes batches. */
export function captionOf(loader: Loader): string {
  const [number, dataset, size] = ['loader', 'dataset', 'batch_size'].map((n) => told(loader, n));
  const named = number === undefined || number === null ? 'Loader' : `Loader ${text(number)}`;
  const of = typeof dataset === 'string' ? ` of ${dataset.split('.').pop() ?? dataset}` : '';
  const batches = typeof size === 'number' ? `, batches of ${size}` : '';
  return `${named}${of}${batches} · rank ${loader.rank}, process ${loader.pid}`;
}

/** Why there is no queue to be drawn. */
export function withoutQueue(workers: number | null): string {
  if (workers === null)
    return 'No loader reported its settings, as none does in a profile: whether there are workers, and how many batches stood ready, is not known.';
  return workers === 0
    ? 'The training loads its batches itself, without workers.'
    : 'No batch of the workers was asked for in these steps.';
}

/** Advice that is no setting of a loader. */
export const advised = (advice: readonly Advice[]): Advice[] =>
  advice.filter((a) => !ALL_SETTINGS.has(a.setting));

/**
 * What the dataset's time in the table of steps is called: where stacks tell all of it to be one thing the
 * stages name it so, and so does what stands next to them.
 */
export function datasetStage(stages: readonly { name: string; ns: number }[]): string {
  const found = stages.filter((s) => s.ns > 0).map((s) => s.name);
  const parts = found.filter((name) => name !== 'storage_read' && stageOf(name)?.ofDataset);
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : 'getitem';
}

/** The queue held nothing: to load faster helps. */
export const STARVING: ReadonlySet<string> = new Set(
  Object.entries(STAGES).flatMap(([stage, { suspect, ready }]) =>
    suspect === 'data_pipeline' && !ready ? [stage] : [],
  ),
);
