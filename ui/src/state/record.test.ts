// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { recordCommand, shellWord, type Recorded } from './record';

const run = (more: Partial<Recorded>): Recorded => ({
  status: 'completed',
  command: ['python', 'train.py', '--lr', '0.1'],
  imported_as: null,
  path: '/runs/slow 1',
  ...more,
});

it('asks a run that goes on, and begins one that has ended anew', () => {
  expect(recordCommand(run({ status: 'in_progress' }))).toBe("steptrace capture '/runs/slow 1'");
  expect(recordCommand(run({ status: 'in_progress' }), 'kernels')).toBe(
    "steptrace capture '/runs/slow 1' --capture kernels",
  );
  expect(recordCommand(run({}))).toBe('steptrace run --window :20 -- python train.py --lr 0.1');
  for (const status of ['failed', 'stopped', 'interrupted'] as const)
    expect(recordCommand(run({ status }), 'stacks')).toBe(
      'steptrace run --window :20 --capture stacks -- python train.py --lr 0.1',
    );
});

it.each([
  [{ command: ['steptrace', 'import', '/traces/a.pt.trace.json.gz'], imported_as: 'kineto' }],
  [{ command: ['sh', 'import.sh'], imported_as: 'chrome' }],
  [{ command: [] }],
])('where %j does not tell the training’s command, its place is to be filled in', (told) => {
  expect(recordCommand(run(told), 'memory')).toBe(
    'steptrace run --window :20 --capture memory -- python train.py',
  );
});

it('a training that calls itself an import is none', () => {
  const command = ['steptrace', 'import'];
  expect(recordCommand(run({ command }))).toBe('steptrace run --window :20 -- steptrace import');
});

it.each([
  ['a b', "'a b'"],
  ["it's", `'it'\\''s'`],
  ['$(rm -rf /)', "'$(rm -rf /)'"],
  ['--lr=0.1', '--lr=0.1'],
  ['', "''"],
  ['a\nb', "$'a\\x0ab'"],
])('%j is one word of a shell: %s', (word, quoted) => expect(shellWord(word)).toBe(quoted));

it('a line too long to read is not cut within a word', () => {
  const long = recordCommand(run({ command: ['python', 'x'.repeat(5000)] }));
  expect(long).toBe('steptrace run --window :20 -- …');
});

it('a word with hidden characters is inert, and the same word to a shell', () => {
  expect(shellWord("a\u202e\n\\'ö")).toBe("$'a\\xe2\\x80\\xae\\x0a\\\\\\'ö'");
});
