import { describe, expect, it } from 'vitest';
import { formatAge, formatDuration, formatNumber, formatShare, shortId } from '../../console/ui/format.ts';
import { linePath, logScale } from '../../console/ui/lines.ts';
import { MAX_ROWS, visibleRows } from '../../console/ui/rows.ts';

describe('The rows of a long list that are in the document', () => {
  it('are all of a short list', () => {
    expect(visibleRows(40, 38, 9_999, 100)).toEqual({ from: 0, to: 40 });
    expect(visibleRows(0, 38, 0, 800)).toEqual({ from: 0, to: 0 });
  });

  it('are at most 80, and contain those of the window', () => {
    for (const count of [41, 80, 81, 500, 100_000]) {
      for (const top of [0, 1, 379, 38 * 40, 38 * (count - 1), 38 * count]) {
        for (const height of [0, 300, 900, 2_000, 50_000]) {
          const { from, to } = visibleRows(count, 38, top, height);
          const place = `${count} rows, ${top} of ${height} pixels`;
          expect(to - from, place).toBeLessThanOrEqual(MAX_ROWS);
          expect(from, place).toBeGreaterThanOrEqual(0);
          expect(to, place).toBeLessThanOrEqual(count);
          if (top < 38 * count) expect(from * 38, place).toBeLessThanOrEqual(top);
          if (height <= 2_000)
            expect(to * 38, place).toBeGreaterThanOrEqual(Math.min(top + height, count * 38));
        }
      }
    }
  });

  it('are some, also where the window is scrolled beyond the end', () => {
    expect(visibleRows(100, 38, 1e9, 800)).toEqual({ from: 99, to: 100 });
    expect(visibleRows(100, 38, -500, 800).from).toBe(0);
  });
});

describe('Figures', () => {
  it.each([
    [0, '0 ms'],
    [0.44, '0.4 ms'],
    [9.96, '10 ms'],
    [12.4, '12 ms'],
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [1_400, '1.4 s'],
    [9_960, '10 s'],
    [59_600, '1 m'],
    [200_000, '3 m 20 s'],
    [3_599_900, '1 h 0 m'],
    [5.2 * 3_600_000, '5 h 12 m'],
    [52 * 3_600_000, '2 d 4 h'],
  ])('tell %d milliseconds as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  it('have a dash where there is no value', () => {
    expect(formatDuration(null)).toBe('–');
    expect(formatDuration(undefined)).toBe('–');
    expect(formatShare(null)).toBe('–');
  });

  it('tell shares and numbers with their separators', () => {
    expect(formatShare(0)).toBe('0.0 %');
    expect(formatShare(0.1234)).toBe('12.3 %');
    expect(formatNumber(1_234_567)).toBe('1,234,567');
  });

  it.each([
    [0, 'now'],
    [-1_000, 'now'],
    [5_400, '5 s ago'],
    [-5_400, 'in 5 s'],
    [59_999, '59 s ago'],
    [200_000, '3 m 20 s ago'],
  ])('tell an age of %d milliseconds as %s', (age, text) => {
    const now = Date.parse('2026-11-22T12:00:00.000Z');
    expect(formatAge(new Date(now - age).toISOString(), now)).toBe(text);
  });

  it('shorten a long id only', () => {
    expect(shortId('01a2034f-0000-7000-9665-84593dd40e01')).toBe('01a2034f…0e01');
    expect(shortId('twenty characters ok')).toBe('twenty characters ok');
  });
});

describe('A line of a plot', () => {
  it('stands on powers of ten that contain all values', () => {
    const { ticks, place } = logScale([3, 250, 0]);
    expect(ticks).toEqual([1, 10, 100, 1_000]);
    expect([place(1), place(1_000), place(0), place(-5)]).toEqual([0, 1, 0, 0]);
    expect(place(10)).toBeCloseTo(1 / 3);
  });

  it.each([[[]], [[0, -1]], [[10]], [[1, 1]]])('has a scale of at least one power: %j', (values) => {
    const { ticks, place } = logScale(values);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    for (const value of values) {
      expect(place(value)).toBeGreaterThanOrEqual(0);
      expect(place(value)).toBeLessThanOrEqual(1);
    }
  });

  it('breaks where there is no value, and shows a lone value as a dash', () => {
    const half = () => 0.5;
    expect(linePath([1, 2, null, 3], 40, 10, half)).toBe('M5.0 5.0L15.0 5.0M31.7 5.0h6.7');
    expect(linePath([null, null], 40, 10, half)).toBe('');
    expect(linePath([], 40, 10, half)).toBe('');
  });
});
