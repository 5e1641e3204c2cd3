import { describe, expect, test } from 'vitest';
import { elapsedMs, roundedMs } from '../../src/lib/text/time.ts';

describe('a duration', () => {
  test.each([
    [0.1, 0.3, '0.2'],
    [5.1, 5.3, '0.2'],
    [1_234_567.890_123, 1_234_567.915_456, '0.025'],
    [1_234_567.890_123, 1_234_567.890_148, '0'],
    [7, 7, '0'],
    [0, 86_400_000, '86400000'],
  ])('from %d to %d is rounded to a microsecond', (from, to, written) => {
    expect(JSON.stringify(elapsedMs(from, to))).toBe(written);
    expect(JSON.stringify(roundedMs(to - from))).toBe(written);
  });
});
