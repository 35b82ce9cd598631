// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/stored_words.toml.

/** How a run stands, in its manifest. */
export type RunStatus = 'in_progress' | 'completed' | 'failed' | 'stopped' | 'interrupted' | '';

/** What a row of `tracks` is a line of. */
export type TrackKind = 'node' | 'process' | 'thread' | 'worker' | 'device' | 'stream' | 'counter';

/** What a row of `steps` is a step of. */
export type StepKind = 'train' | 'eval' | 'warm-up';

/** What a thread was doing in a row of `samples`. */
export type SampleState = 'running' | 'waiting';

/** How bad what a row of `findings` says is; info when it is well again. */
export type Severity = 'info' | 'warning' | 'error';

/** Who found what a row of `findings` says, its column `kind`. */
export type FindingSource = 'rule' | 'alert';

/** What the profiles are that a run was made of, by the importer that reads them. */
export type ProfileFormat = 'kineto' | 'chrome' | 'perfetto' | 'sagemaker' | 'nsight' | 'xplane';
