import { describe, expect, it } from 'vitest';
import { addPage, type Gathered, gather, showWaiting } from '../../console/api/gather.ts';

interface Row {
  readonly id: string;
  readonly value?: string;
}

const rows = (...ids: string[]): readonly Row[] => ids.map((id) => ({ id }));
const idOf = ({ id }: Row): string => id;
const idsOf = ({ shown, waiting }: Gathered<Row>) => [shown.map(idOf).join(''), waiting.map(idOf).join('')];

describe('A list that gathers what is new', () => {
  const start: Gathered<Row> = { shown: rows('b', 'a'), waiting: [] };

  it('leaves what is shown in its place, and lets new rows wait, newest first', () => {
    const once = gather(start, rows('d', 'c', 'b', 'a'), idOf);
    expect(idsOf(once)).toEqual(['ba', 'dc']);
    const twice = gather(once, rows('e', 'd'), idOf);
    expect(idsOf(twice)).toEqual(['ba', 'edc']);
    expect(idsOf(showWaiting(twice))).toEqual(['edcba', '']);
  });

  it('gives shown and waiting rows their new values', () => {
    const before = gather(start, rows('c', 'b', 'a'), idOf);
    const after = gather(
      before,
      [
        { id: 'c', value: 'new' },
        { id: 'a', value: 'new' },
      ],
      idOf,
    );
    expect(after).toEqual({
      shown: [{ id: 'b' }, { id: 'a', value: 'new' }],
      waiting: [{ id: 'c', value: 'new' }],
    });
  });

  it('never has a row twice, also when further pages overlap', () => {
    const before = gather(start, rows('c', 'b'), idOf);
    expect(idsOf(addPage(before, rows('c', 'a', '9', '8'), idOf))).toEqual(['ba98', 'c']);
    expect(idsOf(gather(before, rows('c', 'c2', 'b'), idOf))).toEqual(['ba', 'cc2']);
  });

  it('keeps rows that the first page no longer has', () => {
    expect(idsOf(gather(start, [], idOf))).toEqual(['ba', '']);
  });
});
