import { describe, expect, it } from 'vitest';
import { faultsUnder, lacksOf, placeFaults } from '../../console/ui/schema-form/faults.ts';
import { hintOf, toForm } from '../../console/ui/schema-form/model.ts';
import { fits, readNumber, startValue, withMember } from '../../console/ui/schema-form/values.ts';

const order = {
  type: 'object',
  required: ['order_id', 'lines'],
  properties: {
    order_id: { type: 'string', pattern: '^A-[0-9]+$', description: 'The order.' },
    days: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    kind: { enum: ['new', 'old'] },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { article: { $ref: '#/$defs/article' } } },
    },
    either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  $defs: { article: { type: 'string', format: 'uri' } },
};

function memberOf(form: ReturnType<typeof toForm>, name: string) {
  return form.kind === 'object' ? form.members.find((member) => member.name === name) : undefined;
}

describe('The form of a schema', () => {
  const form = toForm(order);

  it('has a field for each member, with its bounds in words', () => {
    expect(memberOf(form, 'order_id')).toMatchObject({ isRequired: true, node: { kind: 'text' } });
    expect(memberOf(form, 'order_id')?.hint).toBe('The order; matches ^A-[0-9]+$');
    expect(memberOf(form, 'days')).toMatchObject({ isRequired: false, node: { kind: 'number' } });
    expect(memberOf(form, 'days')?.hint).toBe('1 to 9; a whole number; default 3');
    expect(memberOf(form, 'kind')?.node).toEqual({ kind: 'choice', values: ['new', 'old'] });
  });

  it('follows references, lists and values that may be null', () => {
    const lines = memberOf(form, 'lines')?.node;
    expect(lines?.kind === 'list' && memberOf(lines.item, 'article')?.node).toMatchObject({
      kind: 'text',
      placeholder: 'https://example.com/',
    });
    expect(memberOf(form, 'note')?.node.kind).toBe('text');
  });

  it('leaves as JSON what no fields can show, at its place', () => {
    expect(memberOf(form, 'either')?.node).toEqual({ kind: 'raw' });
    expect(toForm(null)).toEqual({ kind: 'raw' });
    expect(toForm({ type: 'object', patternProperties: { a: {} } })).toEqual({ kind: 'raw' });
    expect(toForm({ type: 'object' })).toEqual({ kind: 'raw' });
  });

  it('ends for a schema that contains itself', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' }, name: { type: 'string' } } };
    expect(JSON.stringify(toForm(tree)).length).toBeLessThan(5_000);
    expect(toForm({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })).toEqual({ kind: 'raw' });
  });

  it('says the bounds of texts and lists', () => {
    expect(hintOf({ minLength: 3 })).toBe('at least 3 characters');
    expect(hintOf({ maxItems: 4 })).toBe('at most 4 items');
  });
});

describe('The value of a form', () => {
  it('begins with defaults, constants and the objects that must be there', () => {
    expect(startValue(order)).toEqual({ days: 3 });
    const schema = {
      properties: { a: { properties: { b: { const: 1 } }, required: ['b'] } },
      required: ['a'],
    };
    expect(startValue(schema)).toEqual({ a: { b: 1 } });
    expect(startValue(null)).toEqual({});
  });

  it('keeps a text that is no number, so that nothing is lost', () => {
    expect(readNumber(' 1.50 ')).toBe(1.5);
    expect(readNumber('')).toBeUndefined();
    expect(readNumber('12 days')).toBe('12 days');
  });

  it('loses a member that is emptied', () => {
    expect(withMember({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
  });

  it('tells whether the fields can show it', () => {
    const form = toForm(order);
    expect(fits(form, { order_id: 'A-1', lines: [{ article: 'x' }] })).toBe(true);
    expect(fits(form, { order_id: 1 })).toBe(false);
    expect(fits(form, [])).toBe(false);
  });
});

describe('The faults of a form', () => {
  it('stand at their fields, and those without a field at the closest one', () => {
    const faults = faultsUnder(
      [
        { pointer: '/input/order_id', detail: 'must match' },
        { pointer: '/input/lines/0/article', detail: 'must be a text' },
        { pointer: '/input/lines/0/other', detail: 'is unknown' },
        { pointer: '/input/either/x', detail: 'is wrong' },
        { pointer: '/version', detail: 'must be a number' },
      ],
      '/input',
    );
    expect(Object.fromEntries(placeFaults(toForm(order), faults))).toEqual({
      '/order_id': 'must match',
      '/lines/0/article': 'must be a text',
      '/lines/0': 'other: is unknown',
      '/either': 'x: is wrong',
    });
  });
});

describe('What a value lacks for its form', () => {
  const form = toForm({
    type: 'object',
    required: ['reason', 'lines'],
    properties: {
      reason: { type: 'string' },
      days: { type: 'integer' },
      lines: { type: 'array', items: { type: 'object', required: ['article'], properties: { article: {} } } },
      maybe: { type: 'object', required: ['inner'], properties: { inner: { type: 'string' } } },
    },
  });

  it('are the members that are required, and texts in place of numbers', () => {
    expect(lacksOf(form, { days: 'many', lines: [{ article: 1 }, {}] })).toEqual([
      { pointer: '/reason', detail: 'is required' },
      { pointer: '/days', detail: 'is not a number' },
      { pointer: '/lines/1/article', detail: 'is required' },
    ]);
  });

  it('is nothing of a member that may be absent, or that no field can show', () => {
    expect(lacksOf(form, { reason: 'r', lines: [] })).toEqual([]);
    expect(lacksOf(form, { reason: 'r', lines: 7, maybe: null })).toEqual([]);
    expect(lacksOf(form, { reason: 'r', lines: [], maybe: {} })).toEqual([
      { pointer: '/maybe/inner', detail: 'is required' },
    ]);
    expect(lacksOf(toForm(null), {})).toEqual([]);
  });
});
