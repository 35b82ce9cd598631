// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { edited, formatEdits, parseEdits, settings, wrong } from './edits';

describe('changed parameters', () => {
  it('parameters round-trip through the address', () => {
    const edits = { 'LowGPUUtilization.threshold_p95': '60', 'StepOutlier.mode': 'TRAIN' };
    expect(parseEdits(formatEdits(edits))).toEqual(edits);
    expect(settings(edits)[0]).toBe('LowGPUUtilization.threshold_p95=60');
    expect(parseEdits(null)).toEqual({});
  });

  it('unknown settings are ignored', () => {
    expect(parseEdits('a=1,Rule.x=<b>,Rule.y=,=3,Rule.z=4')).toEqual({ 'Rule.z': '4' });
  });

  it('parameters are set and reset', () => {
    expect(edited({ 'A.b': '1' }, 'A.b', '2')).toEqual({ 'A.b': '2' });
    expect(edited({ 'A.b': '1' }, 'A.b', null)).toEqual({});
  });

  it('are checked before they are sent', () => {
    expect(wrong('5', 1)).toBeNull();
    expect(wrong('x', 1)).toBe('a number is wanted');
    expect(wrong('TRAIN', 'None')).toBeNull();
    expect(wrong('', 1)).toBe('a value is missing');
    expect(wrong('a;b', 'None')).not.toBeNull();
  });
});
