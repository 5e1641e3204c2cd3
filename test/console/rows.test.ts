import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_ROWS, visibleRows } from '../../console/ui/rows.ts';

/** A list that is scrolled somewhere between its ends, or a bit beyond them as some browsers do. */
const views = fc
  .record({
    count: fc.nat({ max: 200_000 }),
    rowHeight: fc.integer({ min: 16, max: 80 }),
    height: fc.nat({ max: 5_000 }),
    share: fc.double({ min: -0.1, max: 1.1, noNaN: true }),
  })
  .map(({ share, ...view }) => ({ ...view, top: share * (view.count * view.rowHeight - view.height) }));

describe('the rows of a list that are in the document', () => {
  test('are never more than eighty, and exist', () => {
    fc.assert(
      fc.property(views, ({ count, rowHeight, top, height }) => {
        const { from, to } = visibleRows(count, rowHeight, top, height);
        expect(Number.isInteger(from) && Number.isInteger(to)).toBe(true);
        expect(from >= 0 && to <= count && to - from <= MAX_ROWS).toBe(true);
        expect(to > from).toBe(count > 0);
      }),
      { numRuns: 1_000 },
    );
    expect(MAX_ROWS).toBe(80);
  });

  test('cover the window, or as much of it as eighty rows can', () => {
    fc.assert(
      fc.property(views, ({ count, rowHeight, top, height }) => {
        const { from, to } = visibleRows(count, rowHeight, top, height);
        const first = Math.max(0, Math.min(count - 1, Math.floor(top / rowHeight)));
        const last = Math.min(count, Math.ceil((top + height) / rowHeight), first + MAX_ROWS);
        expect(from).toBeLessThanOrEqual(first);
        expect(to).toBeGreaterThanOrEqual(last);
      }),
      { numRuns: 1_000 },
    );
  });

  test('reach beyond both edges, so that a step of scrolling shows no gap', () => {
    expect(visibleRows(100_000, 40, 40_000, 800)).toEqual({ from: 992, to: 1_028 });
    expect(visibleRows(100_000, 40, 0, 800)).toEqual({ from: 0, to: 28 });
    expect(visibleRows(100_000, 40, 40 * 100_000 - 800, 800)).toEqual({ from: 99_972, to: 100_000 });
  });

  test('are all rows of a short list, wherever it is scrolled', () => {
    expect(visibleRows(0, 40, 0, 800)).toEqual({ from: 0, to: 0 });
    expect(visibleRows(40, 40, 900, 200)).toEqual({ from: 0, to: 40 });
    expect(visibleRows(41, 40, 0, 200)).toEqual({ from: 0, to: 13 });
  });

  test('are the last ones when the list became shorter than it was scrolled', () => {
    const { from, to } = visibleRows(50, 40, 40_000, 800);
    expect(to).toBe(50);
    expect(from).toBeLessThan(50);
  });
});
