// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { STAGES } from '../../base/stages';
import type { Advice } from '../../api/report';
import {
  advised,
  captionOf,
  datasetStage,
  settingsOf,
  STARVING,
  training,
  withoutQueue,
  type Loader,
} from './settings';

const STAGES_HERE = Object.entries(STAGES)
  .filter(([, stage]) => stage.suspect === 'data_pipeline')
  .map(([name]) => name);

it('the queue is empty in all stages but those that take over what is ready', () => {
  expect(STAGES_HERE.filter((name) => !STARVING.has(name))).toEqual(['receive', 'host_to_device']);
  for (const name of STARVING) expect(STAGES_HERE).toContain(name);
});

const loader = (rank: number, fact: unknown): Loader => ({ rank, pid: 100 + rank, fact });

it('what to change stands beside the loader that the verdict speaks of, on every rank', () => {
  const evaluation = loader(0, { loader: 1, workers: 0 });
  const [train, second] = [
    loader(0, { loader: 2, workers: 2 }),
    loader(0, { loader: 3, workers: 2 }),
  ];
  const [there, theirs] = [
    loader(1, { loader: 2, workers: 2 }),
    loader(1, { loader: 1, workers: 8 }),
  ];
  expect(training([there, theirs, evaluation, train, second])).toEqual([there, train]);
  expect(training([loader(0, 'not json')])).toHaveLength(1);
  expect(training([])).toEqual([]);
});

it('loaders of one process are told apart', () => {
  const fact = { loader: 2, dataset: '__main__.Images', batch_size: 32 };
  expect(captionOf(loader(0, fact))).toBe(
    'Loader 2 of Images, batches of 32 · rank 0, process 100',
  );
  expect(captionOf(loader(1, { batch_size: null }))).toBe('Loader · rank 1, process 101');
  expect(captionOf(loader(1, 'not json'))).toBe('Loader · rank 1, process 101');
});

it('without a queue there are no workers only where that is told', () => {
  expect(withoutQueue(null)).toContain('not known');
  expect(withoutQueue(0)).toContain('without workers');
  expect(withoutQueue(4)).not.toContain('without workers');
});

it('names what the dataset does as the stages do, where that is one thing', () => {
  const stage = (name: string, ns: number) => ({ name, ns });
  expect(datasetStage([stage('dataset_code', 5), stage('getitem', 0), stage('collate', 1)])).toBe(
    'dataset_code',
  );
  expect(datasetStage([stage('decode', 5), stage('dataset_code', 3)])).toBe('getitem');
  expect(datasetStage([stage('decode', 5), stage('getitem', 3)])).toBe('getitem');
  expect(datasetStage([])).toBe('getitem');
});

it('an advice stands beside the setting that it is about', () => {
  const of = (setting: string) =>
    ({ setting, current: '2', proposed: '4', text: `change ${setting}` }) as Advice;
  const advice = [of('DataLoader.num_workers'), of('torch.set_num_threads'), of('')];
  expect(settingsOf({ workers: 2, sampler: 'x' }, advice)).toEqual([
    { name: 'num_workers', value: '2', proposed: '4', why: 'change DataLoader.num_workers' },
    { name: 'sampler', value: 'x', proposed: '', why: '' },
  ]);
  expect(advised(advice).map((a) => a.setting)).toEqual(['torch.set_num_threads', '']);
});

it('advice of the analysis is not shown as a setting', () => {
  const fact = { loader: 1, workers: 2, collate_lines: { 'Fetcher.fetch': 57 } };
  expect(settingsOf(fact, []).map((s) => s.name)).toEqual(['num_workers']);
});
