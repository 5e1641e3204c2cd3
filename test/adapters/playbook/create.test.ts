import { describe, expect, test } from 'vitest';
import { getBuiltInDefinition } from '../../../src/adapters/playbook/built-in.ts';
import { extendPlaybook } from '../../../src/adapters/playbook/extend.ts';
import { PlaybookError } from '../../../src/adapters/playbook/faults.ts';
import { createPlaybook, loadPlaybook } from '../../../src/adapters/playbook/load.ts';
import { context, withFiles } from './playbooks.ts';

function errorOf(run: () => unknown): PlaybookError {
  try {
    run();
  } catch (error) {
    if (error instanceof PlaybookError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a playbook from a file', () => {
  test('that has faults throws one error with all of them, one a line', () => {
    withFiles(
      {
        'p.yaml':
          'intents:\n  - name: A\n    replies: { en: Hi. }\n  - description: B.\n    replies: { en: Hi. }\n',
      },
      (folder) => {
        const error = errorOf(() => loadPlaybook(`${folder}/p.yaml`, context));
        expect(error.message.split('\n')).toHaveLength(2);
        expect(error.message).toContain(`${folder}/p.yaml:2:11: intents[0].name: "A" must begin with`);
        expect(error.faults[1]).toEqual({
          path: 'intents[1].name',
          line: 4,
          column: 5,
          message: 'is missing; expected a text',
        });
      },
    );
  });

  test.each(['missing.yaml', '', 'folder'])('that cannot be read throws such an error: %j', (name) => {
    withFiles({ 'folder/x': '' }, (folder) => {
      const { faults } = errorOf(() => loadPlaybook(`${folder}/${name}`, context));
      expect(faults).toEqual([
        expect.objectContaining({ message: expect.stringContaining('cannot be read (') }),
      ]);
    });
  });
});

describe('a playbook from data', () => {
  test('is made and checked like that of a file', () => {
    const { playbook, warnings } = createPlaybook(
      { intents: [{ name: 'hi', description: 'Says hi.', replies: { en: 'Hi {{ customer.id }}' } }] },
      context,
    );
    expect(playbook.source).toBe('code');
    expect(
      playbook.intents
        .get('hi')
        ?.replies.get('en')
        ?.render({ customer: { id: 'c' } }),
    ).toBe('Hi c');
    expect(warnings).toEqual([expect.objectContaining({ line: undefined })]);
  });

  test('has faults that name the members, without lines', () => {
    const wrong = { name: 'hi', description: 'x', replies: { en: '{{ tol }}' } };
    expect(errorOf(() => createPlaybook({ intents: [wrong] }, context)).message).toMatch(
      /^code: intents\[0\]\.replies\.en: there is no "tol"/,
    );
    const unknown: object = { intents: [], moed: 'good' };
    expect(errorOf(() => createPlaybook(unknown as { intents: [] }, context)).message).toBe(
      'code: moed: unknown member "moed"; did you mean "mode"?',
    );
  });

  test('reads articles relative to its directory', () => {
    withFiles({ 'help/a.md': '---\ntitle: A\nintents: [hi]\n---\nB' }, (directory) => {
      const definition = { articles: 'help', intents: [{ name: 'hi', description: 'x', articles: true }] };
      const { articles, playbook } = createPlaybook(definition, context, { directory });
      expect(articles.map(({ id }) => id)).toEqual(['a']);
      expect(playbook.articlesTool).toBe('search_articles');
    });
  });
});

describe('an extended playbook', () => {
  const base = getBuiltInDefinition();

  test('has the additions in place of what has their name', () => {
    const extended = extendPlaybook(base, {
      mode: 'draft',
      company: { name: 'Mine', tone: { greeting: { en: 'Hi,' } } },
      intents: [
        { name: 'refund', description: 'Money.', replies: { en: 'No.' } },
        { name: 'gift', description: 'A gift.', replies: { en: 'Yes.' } },
      ],
      concerns: { legal: { phrases: ['solicitor'], reply: { en: 'Legal.' } } },
    });
    const { playbook } = createPlaybook(
      {
        ...extended,
        articles: undefined,
        intents: extended.intents.filter(({ articles }) => articles !== true),
      },
      context,
    );
    expect(playbook.mode).toBe('draft');
    expect(playbook.company).toMatchObject({ name: 'Mine', signature: base.company?.signature });
    expect(playbook.texts.get('en')).toMatchObject({ greeting: 'Hi,', closing: 'Kind regards,' });
    expect(playbook.intents.get('refund')).toMatchObject({ description: 'Money.', tools: [] });
    expect(playbook.intents.has('gift')).toBe(true);
    expect(playbook.intents.has('order_status')).toBe(true);
    expect(playbook.concerns.legal).toMatchObject({ priority: 2, phrases: ['solicitor'] });
    expect(playbook.concerns.legal.reply.get('en')?.render({})).toBe('Legal.');
    expect(playbook.concerns.press.reply.get('en')?.render({})).toContain('enquiries');
  });

  test('has the labels, the harmless texts and the sensitivity of both', () => {
    const once = extendPlaybook(base, {
      labels: { open: { en: 'open', de: 'offen' } },
      concerns: { legal: { harmless: ['a court of tennis'], sensitivity: 'low' } },
    });
    const twice = extendPlaybook(once, {
      labels: { open: { de: 'noch offen' }, shut: { en: 'closed' } },
      concerns: { legal: { harmless: ['food court', 'a court of tennis'] }, press: { sensitivity: 'high' } },
    });
    expect(twice.labels).toEqual({ open: { en: 'open', de: 'noch offen' }, shut: { en: 'closed' } });
    expect(twice.concerns?.legal).toMatchObject({
      harmless: ['a court of tennis', 'food court'],
      sensitivity: 'low',
    });
    expect(twice.concerns?.press?.sensitivity).toBe('high');
  });

  test('has the message tools of all', () => {
    const once = extendPlaybook(base, { message_tools: ['refund_policy'] });
    const twice = extendPlaybook(once, { message_tools: ['check_order_status', 'refund_policy'] });
    expect(twice.message_tools).toEqual(['refund_policy', 'check_order_status']);
    expect(extendPlaybook(once, {}).message_tools).toEqual(['refund_policy']);
  });

  test('leaves the base as it was', () => {
    const before = structuredClone(base);
    extendPlaybook(base, {
      intents: [{ name: 'refund', description: 'x' }],
      concerns: { legal: { priority: 5 } },
    });
    expect(base).toEqual(before);
    expect(extendPlaybook(base, {}).intents).toEqual(base.intents);
  });
});
