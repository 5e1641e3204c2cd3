import { describe, expect, test } from 'vitest';
import { parseTemplate } from '../../../../src/adapters/stages/playbook/templates.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';

const render = (source: string, values: JsonObject = {}) => parseTemplate(source).render(values);

describe('a template of a reply', () => {
  test('is filled with values, and trimmed', () => {
    expect(render(' {{ tool.a }} and {{ list[0].b }}\n', { tool: { a: 1 }, list: [{ b: 'x' }] })).toBe(
      '1 and x',
    );
  });

  test('chooses by conditions, where a missing value counts as false', () => {
    const source = '{% if tool.late %}late{% elsif tool.days == 0 %}today{% else %}soon{% endif %}';
    expect(render(source, { tool: { late: true } })).toBe('late');
    expect(render(source, { tool: { days: 0 } })).toBe('today');
    expect(render(source, { tool: {} })).toBe('soon');
  });

  test.each(['{{ nothing }}', '{{ tool.missing }}', '{{ tool.missing.deep }}', '{{ list[3].b }}'])(
    'gives no text where a value is missing: %s',
    (source) => {
      expect(render(source, { tool: {}, list: [] })).toBeUndefined();
    },
  );

  test.each(['{{ tool', '{% if x %}', '{% unknown %}', '{{ "a" | shout }}', '{% endif %}'])(
    'that is not valid is refused: %s',
    (source) => {
      expect(() => parseTemplate(source)).toThrow();
    },
  );

  test.each([
    '{{ tool.other }}',
    '{% assign x = 1 %}',
    '{{ 7 | times: 7 }}',
    '}}',
    '{%',
    '{{',
    '{{{{ x }}}}',
  ])('never parses a value: %s', (value) => {
    expect(render('Your status is {{ tool.status }}.', { tool: { status: value, other: 'SECRET' } })).toBe(
      `Your status is ${value}.`,
    );
  });

  test('sees only own members of values', () => {
    const tool = JSON.parse('{"__proto__": {"status": "x"}, "a": 1}') as JsonObject;
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'constructor.name']) {
      expect(render(`{{ tool.${name} }}`, { tool })).toBeUndefined();
    }
    expect(render('{{ tool.status }}', { tool })).toBeUndefined();
  });

  test.each([
    '{% for i in (1..100000000) %}{{ i }}{% endfor %}',
    '{% for i in (1..100000) %}{% for j in (1..100000) %}x{% endfor %}{% endfor %}',
    '{% assign x = "aaaaaaaaaa" %}{% for i in (1..50) %}{% assign x = x | append: x %}{% endfor %}{{ x }}',
  ])('with endless work gives no text, soon: %s', (source) => {
    const before = performance.now();
    expect(render(source)).toBeUndefined();
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('cannot read files or other templates', () => {
    for (const source of [
      `{% include '/etc/hostname' %}`,
      `{% render '/etc/hostname' %}`,
      `{% layout '/etc/hostname' %}`,
    ]) {
      let text: string | undefined;
      try {
        text = render(source);
      } catch {
        text = undefined;
      }
      expect(text).toBeUndefined();
    }
  });
});
