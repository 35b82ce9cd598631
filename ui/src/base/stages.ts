// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/stages.toml.

export type SuspectId =
  | 'data_pipeline'
  | 'model'
  | 'communication'
  | 'framework_overhead'
  | 'other_work'
  | 'unattributed';
export type DataPipelineStage =
  | 'storage_read'
  | 'decode'
  | 'augmentation'
  | 'tokenise'
  | 'dataset_code'
  | 'lock'
  | 'copy'
  | 'getitem'
  | 'collate'
  | 'receive'
  | 'cpu_shortage'
  | 'worker_start'
  | 'host_to_device';
export type ModelStage = 'forward' | 'backward' | 'optimizer' | 'compute' | 'device_copy';
export type CommunicationStage = 'exposed' | 'straggler';
export type FrameworkOverheadStage =
  'garbage_collection' | 'recompilation' | 'dispatch' | 'launch' | 'synchronisation';
export type OtherWorkStage = 'checkpoint' | 'evaluation' | 'logging' | 'capture' | 'loop_code';
export type UnattributedStage = 'unknown';
export type StageId =
  | DataPipelineStage
  | ModelStage
  | CommunicationStage
  | FrameworkOverheadStage
  | OtherWorkStage
  | UnattributedStage;

interface Info {
  /** In a sentence. */
  readonly title: string;
  /** Its token. */
  readonly color: string;
  readonly meaning: string;
}
export interface SuspectInfo extends Info {
  /** A sentence names its largest stage in place of it. */
  readonly byStage: boolean;
  /** It can be to blame for a slow step. */
  readonly blamed: boolean;
}
export interface StageInfo extends Info {
  readonly suspect: SuspectId;
  /** The time within the dataset is shared out over it, where stacks tell. */
  readonly ofDataset: boolean;
  /** Of the data pipeline: the batch stands ready, so that to load faster is no help. */
  readonly ready: boolean;
}

export const SUSPECTS: Readonly<Record<SuspectId, SuspectInfo>> = {
  data_pipeline: {
    title: 'data pipeline',
    color: '--data',
    meaning: 'The training, or a device, waits for the next batch',
    byStage: false,
    blamed: true,
  },
  model: {
    title: 'model',
    color: '--model',
    meaning: 'The model computes: what a step is for',
    byStage: false,
    blamed: true,
  },
  communication: {
    title: 'communication',
    color: '--communication',
    meaning: 'Ranks exchange data, or wait for one another',
    byStage: false,
    blamed: true,
  },
  framework_overhead: {
    title: 'framework overhead',
    color: '--overhead',
    meaning: 'The framework works for itself, and the model waits',
    byStage: false,
    blamed: true,
  },
  other_work: {
    title: 'other work',
    color: '--other-work',
    meaning: 'The training thread does something else that is known',
    byStage: true,
    blamed: true,
  },
  unattributed: {
    title: 'unattributed',
    color: '--other',
    meaning: 'Nothing recorded explains the time',
    byStage: true,
    blamed: false,
  },
};

export const STAGES: Readonly<Record<StageId, StageInfo>> = {
  storage_read: {
    title: 'storage read',
    color: '--cat-7',
    meaning: 'The dataset is blocked on storage',
    suspect: 'data_pipeline',
    ofDataset: true,
    ready: false,
  },
  decode: {
    title: 'decode',
    color: '--cat-4',
    meaning: 'The dataset decodes what was read',
    suspect: 'data_pipeline',
    ofDataset: true,
    ready: false,
  },
  augmentation: {
    title: 'augmentation',
    color: '--cat-3',
    meaning: 'The dataset augments samples',
    suspect: 'data_pipeline',
    ofDataset: true,
    ready: false,
  },
  tokenise: {
    title: 'tokenise',
    color: '--more-0',
    meaning: 'The dataset turns text into tokens',
    suspect: 'data_pipeline',
    ofDataset: true,
    ready: false,
  },
  dataset_code: {
    title: 'dataset code',
    color: '--cat-0',
    meaning: "The dataset's or sampler's own functions run, where samples of stacks name them",
    suspect: 'data_pipeline',
    ofDataset: true,
    ready: false,
  },
  lock: {
    title: 'waiting for locks',
    color: '--more-1',
    meaning: 'The dataset waits for a lock, a queue or another process',
    suspect: 'data_pipeline',
    ofDataset: true,
    ready: false,
  },
  copy: {
    title: 'copying',
    color: '--more-2',
    meaning: 'The dataset copies samples, in memory or to hand them over',
    suspect: 'data_pipeline',
    ofDataset: true,
    ready: false,
  },
  getitem: {
    title: 'dataset __getitem__',
    color: '--cat-1',
    meaning:
      'The dataset makes the samples; work that stacks name has another stage, such as dataset code',
    suspect: 'data_pipeline',
    ofDataset: true,
    ready: false,
  },
  collate: {
    title: 'collate',
    color: '--cat-6',
    meaning: 'Samples become a batch',
    suspect: 'data_pipeline',
    ofDataset: false,
    ready: false,
  },
  receive: {
    title: 'receive',
    color: '--cat-2',
    meaning: 'The batch is ready and comes over: transfer, unpickling, pinning',
    suspect: 'data_pipeline',
    ofDataset: false,
    ready: true,
  },
  cpu_shortage: {
    title: 'CPU contention',
    color: '--cat-5',
    meaning: 'A DataLoader worker could have run and waited for a core',
    suspect: 'data_pipeline',
    ofDataset: false,
    ready: false,
  },
  worker_start: {
    title: 'worker start',
    color: '--more-3',
    meaning: 'DataLoader workers were starting, or ended with their iterator',
    suspect: 'data_pipeline',
    ofDataset: false,
    ready: false,
  },
  host_to_device: {
    title: 'host-to-device copy',
    color: '--more-4',
    meaning: 'A device waits for a copy to it, and does nothing else',
    suspect: 'data_pipeline',
    ofDataset: false,
    ready: true,
  },
  forward: {
    title: 'forward',
    color: '--forward',
    meaning: 'The training thread is between a batch and its backward',
    suspect: 'model',
    ofDataset: false,
    ready: false,
  },
  backward: {
    title: 'backward',
    color: '--backward',
    meaning: 'Gradients are computed',
    suspect: 'model',
    ofDataset: false,
    ready: false,
  },
  optimizer: {
    title: 'optimizer',
    color: '--optimizer',
    meaning: 'The optimizer makes its step',
    suspect: 'model',
    ofDataset: false,
    ready: false,
  },
  compute: {
    title: 'device computing',
    color: '--model',
    meaning: 'A device computes. Without device events: the host waited, and the device was busy',
    suspect: 'model',
    ofDataset: false,
    ready: false,
  },
  device_copy: {
    title: 'copying on the device',
    color: '--cat-1',
    meaning: 'A device copies within itself or to the host, with nothing else running',
    suspect: 'model',
    ofDataset: false,
    ready: false,
  },
  exposed: {
    title: 'exposed communication',
    color: '--communication',
    meaning: 'Communication that no compute overlaps',
    suspect: 'communication',
    ofDataset: false,
    ready: false,
  },
  straggler: {
    title: 'waiting for the last rank',
    color: '--cat-4',
    meaning: 'A rank waits for the one that comes last',
    suspect: 'communication',
    ofDataset: false,
    ready: false,
  },
  garbage_collection: {
    title: 'garbage collection',
    color: '--cat-5',
    meaning: 'Python collects garbage on the training thread',
    suspect: 'framework_overhead',
    ofDataset: false,
    ready: false,
  },
  recompilation: {
    title: 'recompilation',
    color: '--cat-1',
    meaning: 'torch.compile compiles within a step',
    suspect: 'framework_overhead',
    ofDataset: false,
    ready: false,
  },
  dispatch: {
    title: 'dispatch overhead',
    color: '--cat-3',
    meaning:
      'CPU time in eager mode that computes nothing; when training on a device, only while the device waits for it',
    suspect: 'framework_overhead',
    ofDataset: false,
    ready: false,
  },
  launch: {
    title: 'launch overhead',
    color: '--cat-6',
    meaning:
      'A device is idle because the host is in a call that launches work, or between two kernels for under 30 µs',
    suspect: 'framework_overhead',
    ofDataset: false,
    ready: false,
  },
  synchronisation: {
    title: 'synchronization stall',
    color: '--cat-2',
    meaning: 'A device is idle while the host waits for it, or a stream for another',
    suspect: 'framework_overhead',
    ofDataset: false,
    ready: false,
  },
  checkpoint: {
    title: 'checkpoint',
    color: '--cat-7',
    meaning: 'A checkpoint is saved',
    suspect: 'other_work',
    ofDataset: false,
    ready: false,
  },
  evaluation: {
    title: 'evaluation',
    color: '--cat-6',
    meaning: 'The model is evaluated',
    suspect: 'other_work',
    ofDataset: false,
    ready: false,
  },
  logging: {
    title: 'logging',
    color: '--cat-2',
    meaning: 'Metrics, text or pictures are logged',
    suspect: 'other_work',
    ofDataset: false,
    ready: false,
  },
  capture: {
    title: 'profiler capture',
    color: '--cat-1',
    meaning: 'A capture window of Steptrace begins or ends',
    suspect: 'other_work',
    ofDataset: false,
    ready: false,
  },
  loop_code: {
    title: 'loop code',
    color: '--cat-0',
    meaning: "The script's own functions run outside of the model; samples of stacks name them",
    suspect: 'other_work',
    ofDataset: false,
    ready: false,
  },
  unknown: {
    title: 'unattributed time',
    color: '--other',
    meaning:
      'The training thread is in no known phase, or in a forward in which it was idle or nothing shows that it computed; its stacks show at most where it waits or which function calls torch',
    suspect: 'unattributed',
    ofDataset: false,
    ready: false,
  },
};

/** Share of a step below which a suspect or stage is no line of its own. */
export const LEAST_SHOWN = 0.005;

/** Of other names that reports have, where their words are not those of the name. */
export const WORDS: Readonly<Record<string, string>> = {
  communication_phase: 'communication',
  other_phase: 'other',
  gc: 'garbage collection',
  low_gpu_utilization: 'low GPU utilisation',
};
