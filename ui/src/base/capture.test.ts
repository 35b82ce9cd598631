// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { captureHint, kernelsHint, type Origin } from './capture';

function imported(...writers: string[]): Origin {
  return { imported_as: 'chrome', writers, frameworks: [] };
}

describe('captureHint', () => {
  const names = (of: Origin | null) =>
    captureHint(of, 'memory', 'profile_memory=True').includes('torch');

  it('names torch.profiler for runs that are recorded, and for its own profiles', () => {
    expect(names(null)).toBe(true);
    expect(names({ imported_as: null, writers: [], frameworks: [] })).toBe(true);
    expect(names(imported('pytorch'))).toBe(true);
    expect(names(imported('ascend'))).toBe(true);
    expect(names({ ...imported(), frameworks: [{ name: 'torch' }] })).toBe(true);
  });

  it('names it for no profile that others wrote', () => {
    expect(names(imported('jax'))).toBe(false);
    expect(names(imported('viztracer'))).toBe(false);
    expect(names(imported())).toBe(false);
  });
});

describe('kernelsHint', () => {
  it('asks for no window of kernels where there is no GPU', () => {
    const recorded = { imported_as: null, writers: [], frameworks: [] };
    expect(kernelsHint({ ...recorded, gpus: [] })).not.toContain('--capture');
    expect(kernelsHint({ ...recorded, gpus: ['H100'] })).toContain('--capture kernels');
    expect(kernelsHint({ ...imported('pytorch'), gpus: [] })).toContain('--capture kernels');
    expect(kernelsHint(null)).toContain('--capture kernels');
  });
});
