// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { isImported, recordCommand, shellWord, type Recorded } from './record';

const run = (more: Partial<Recorded>): Recorded => ({
  status: 'completed',
  command: ['python', 'train.py', '--lr', '0.1'],
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

it.each([[['steptrace', 'import', '/traces/a.pt.trace.json.gz']], [[]]])(
  'of the profile of %j the training is recorded, and not the import',
  (command) => {
    const imported = run({ command });
    expect(isImported(imported)).toBe(true);
    expect(recordCommand(imported, 'memory')).toBe(
      'steptrace run --window :20 --capture memory -- python train.py',
    );
  },
);

it('takes no training for an import', () => {
  for (const command of [
    ['python', 'import'],
    ['steptrace', 'run'],
    ['python', 'steptrace', 'import'],
  ])
    expect(isImported({ command })).toBe(false);
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
