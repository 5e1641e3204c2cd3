import { describe, expect, it } from 'vitest';
import {
  addPage,
  type Gathered,
  markStale,
  type ReadPage,
  stalePage,
  startList,
  takePage,
} from '../../console/api/gather.ts';

interface Row {
  readonly id: string;
  readonly value?: string;
}

const rows = (ids: string, value?: string): readonly Row[] =>
  [...ids].map((id) => ({ id, ...(value !== undefined && { value }) }));
const idOf = ({ id }: Row): string => id;

/** A page with a row for each letter, which is not the last one. */
const page = (ids: string, more: Partial<ReadPage<Row>> = {}): ReadPage<Row> => ({
  rows: rows(ids),
  from: undefined,
  next: 'more',
  asOf: Number.POSITIVE_INFINITY,
  ...more,
});
const take = (before: Gathered<Row>, ids: string, more: Partial<ReadPage<Row>> = {}): Gathered<Row> =>
  takePage(before, page(ids, more), idOf);

/** The waiting and the shown rows, as letters; a row that is old as a capital one. */
const lettersOf = ({ kept, waitingCount }: Gathered<Row>) => {
  const letters = kept.map(({ row, isOld }) => (isOld ? row.id.toUpperCase() : row.id)).join('');
  return [letters.slice(0, waitingCount), letters.slice(waitingCount)];
};
const valueIn = ({ kept }: Gathered<Row>, id: string) => kept.find(({ row }) => row.id === id)?.row.value;

describe('A list that gathers what is new', () => {
  const start = startList(rows('ba'));

  it('leaves what is shown in its place, and lets new rows wait, newest first', () => {
    const once = take(start, 'dcba');
    expect(lettersOf(once)).toEqual(['dc', 'ba']);
    const twice = take(once, 'edcb');
    expect(lettersOf(twice)).toEqual(['edc', 'ba']);
  });

  it('gives shown and waiting rows their new values', () => {
    const after = take(take(start, 'cba'), '', { rows: rows('cba', 'new') });
    expect(['c', 'b', 'a'].map((id) => valueIn(after, id))).toEqual(['new', 'new', 'new']);
  });

  it('never has a row twice, also when further pages overlap', () => {
    const before = take(start, 'cba');
    expect(lettersOf(addPage(before, rows('ca98'), 'more', idOf))).toEqual(['c', 'ba98']);
    expect(lettersOf(take(before, 'dcba'))).toEqual(['dc', 'ba']);
  });
});

describe('A list of rows that no longer fit', () => {
  it('says of rows that the page should have and does not have that they are old, in their places', () => {
    expect(lettersOf(take(startList(rows('dcba')), 'eca'))).toEqual(['e', 'DcBa']);
    expect(lettersOf(take(startList(rows('ba')), '', { next: null }))).toEqual(['', 'BA']);
  });

  it('takes a row for current again when a page has it', () => {
    const gone = take(startList(rows('cba')), 'ca');
    expect(lettersOf(gone)).toEqual(['', 'cBa']);
    expect(lettersOf(take(gone, 'cba'))).toEqual(['', 'cba']);
  });

  it('forgets rows that left while they were waiting', () => {
    const waiting = take(startList(rows('a')), 'dcba');
    expect(lettersOf(take(waiting, 'edba'))).toEqual(['edb', 'a']);
  });

  it('does not take a row for old that was pushed out of the first page', () => {
    const pushed = take(startList(rows('cba')), 'dcb');
    expect(lettersOf(pushed)).toEqual(['d', 'cba']);
    expect(stalePage(pushed)).toBeUndefined();
  });
});

describe('A list with rows that may have changed', () => {
  const two = addPage(startList(rows('fed')), rows('cba'), 'page 2', idOf);

  it('has the page that is to be read again, until it was', () => {
    const stale = markStale(two, new Set(['b', 'x']), 1, idOf);
    expect(stalePage(stale)).toBe('page 2');
    const after = take(stale, '', { rows: rows('cba', 'new'), from: 'page 2', asOf: 1 });
    expect(stalePage(after)).toBeUndefined();
    expect(['f', 'b'].map((id) => valueIn(after, id))).toEqual([undefined, 'new']);
  });

  it('reads a page once more when a row has changed while it was read', () => {
    const stale = markStale(two, new Set(['b']), 2, idOf);
    expect(stalePage(take(stale, 'cba', { from: 'page 2', asOf: 1 }))).toBe('page 2');
    expect(stalePage(take(stale, 'cba', { from: 'page 2', asOf: 2 }))).toBeUndefined();
  });

  it('looks for a row that was pushed out of the first page in the page after it', () => {
    const stale = markStale(startList(rows('cba')), new Set(['a']), 1, idOf);
    const pushed = take(stale, 'dcb', { next: 'after b' });
    expect(stalePage(pushed)).toBe('after b');
    const found = take(pushed, '', { rows: rows('a98', 'new'), from: 'after b' });
    expect(valueIn(found, 'a')).toBe('new');
    expect(lettersOf(found)).toEqual(['d', 'cba']);
  });

  it('ends with a row that no page has: it is old', () => {
    let list = markStale(two, new Set(['a']), 1, idOf);
    for (let reads = 0; reads < 3; reads++) {
      const from = stalePage(list);
      if (from === undefined) break;
      list = take(list, from === 'page 2' ? 'cb9' : '876', { from, next: 'page 3' });
    }
    expect(stalePage(list)).toBeUndefined();
    expect(lettersOf(list)).toEqual(['', 'fedcbA']);
  });

  it('is the same list when an event names none of its rows', () => {
    expect(markStale(two, new Set(['x']), 1, idOf)).toBe(two);
  });
});

describe('A list that gets more than anybody reads', () => {
  const named = (count: number, last: number): readonly Row[] =>
    Array.from({ length: count }, (_, index) => ({ id: `r${last - index}` }));

  it('says that it has a gap where a page shares no row with it, and keeps no new rows', () => {
    const list = take(startList(rows('ba')), 'zyx');
    expect(list.hasGap).toBe(true);
    expect(lettersOf(list)).toEqual(['', 'ba']);
    expect(lettersOf(take(list, 'zyx', { next: null }))).toEqual(['', 'BA']);
  });

  it('does not take rows for current that have changed on the other side of the gap', () => {
    const stale = markStale(startList(rows('ba')), new Set(['a']), 1, idOf);
    expect(lettersOf(take(stale, 'zyx'))).toEqual(['', 'bA']);
  });

  it('keeps a bounded number of rows, however many come', () => {
    let list = startList(named(50, 0));
    for (let last = 25; last <= 100_000; last += 25) {
      list = takePage(list, { ...page(''), rows: named(50, last) }, idOf);
      expect(list.kept.length).toBeLessThanOrEqual(550);
    }
    expect(list.hasGap).toBe(true);
    expect(list.kept).toHaveLength(50);
  });
});
