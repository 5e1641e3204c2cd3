import { describe, expect, it } from 'vitest';
import { hrefTo, parsePlace } from '../../console/app/place.ts';
import { cpuTime } from '../support/event-loop.ts';

const read = (hash: string) => {
  const { path, query } = parsePlace(hash);
  return { path, query: [...query] };
};

const hostile: readonly string[] = [
  '../../etc',
  'a/b',
  'a?b=c#d&e',
  '100% sure',
  '%2F%00',
  'javascript:alert(1)',
  '"><script>alert(1)</script>',
  '__proto__',
  '\u202e\u200b é \u{1f600}',
  ' ',
  'w'.repeat(10_000),
];

describe('A place of the console', () => {
  it('is read from the hash of the address', () => {
    expect(read('#/runs/r1?view=graph&step=a')).toEqual({
      path: ['runs', 'r1'],
      query: [
        ['view', 'graph'],
        ['step', 'a'],
      ],
    });
  });

  it.each(['', '#', '#/', '#//', '#///'])('has no parts in an empty hash: %j', (hash) => {
    expect(read(hash)).toEqual({ path: [], query: [] });
  });

  it('has no member of the query without a value', () => {
    expect(read('#/runs/r1?compare=&step=a&view').query).toEqual([['step', 'a']]);
  });

  it('leaves a part as it is that cannot be decoded, and decodes the others', () => {
    expect(read('#/runs/%E0%A4%A/%zz/a%20b').path).toEqual(['runs', '%E0%A4%A', '%zz', 'a b']);
  });

  it('has the first question mark as its end, and the others in the query', () => {
    expect(read('#/a?b=c?d=e\nf')).toEqual({ path: ['a'], query: [['b', 'c?d=e\nf']] });
  });

  it.each(hostile)('comes back from its link as it was: %j', (text) => {
    const href = hrefTo(['runs', text], { [text]: text });
    expect(href).toMatch(/^#\/runs\/[^/?#<>"\s]+\?[^#<>"\s]+$/);
    expect(read(href)).toEqual({ path: ['runs', text], query: [[text, text]] });
  });

  it('leaves out what has no value', () => {
    expect(hrefTo(['runs'], { a: null, b: undefined, c: '', d: '0' })).toBe('#/runs?d=0');
    expect(hrefTo(['runs'])).toBe('#/runs');
  });

  it('reads a long hash in no time', () => {
    for (const piece of ['/', '?', '%', '&a=', '#', 'a/']) {
      const { ms } = cpuTime(() => read(`#${piece.repeat(200_000)}`));
      expect(ms, piece).toBeLessThan(2_000);
    }
  });
});
