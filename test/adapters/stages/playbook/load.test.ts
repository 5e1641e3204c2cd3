import { describe, expect, test } from 'vitest';
import { loadBuiltInPlaybook } from '../../../../src/adapters/stages/playbook/load.ts';
import { playbookSchema } from '../../../../src/adapters/stages/playbook/schema.ts';
import { parseTemplate } from '../../../../src/adapters/stages/playbook/templates.ts';
import { exampleTools } from '../../../../src/adapters/tools/example-tools.ts';
import { concerns, intents } from '../../../../src/domain/message/message.ts';

const playbook = loadBuiltInPlaybook();
const toolNames = exampleTools.map(({ name }) => name);

describe('the built-in playbook', () => {
  test('has all intents and concerns', () => {
    expect(Object.keys(playbook.intents).sort()).toEqual([...intents].sort());
    expect(Object.keys(playbook.concerns).sort()).toEqual([...concerns].sort());
  });

  test('has the most urgent priority for danger to life', () => {
    for (const concern of ['self_harm', 'injury', 'threat'] as const) {
      expect(playbook.concerns[concern].priority).toBe(1);
    }
  });

  test.each(intents)('has what %s needs', (name) => {
    const intent = playbook.intents[name];
    expect(intent.name).toBe(name);
    expect(intent.description).not.toBe('');
    if (intent.tool !== undefined) expect(toolNames).toContain(intent.tool.name);
    if (name !== 'spam') expect(Object.keys(intent.replies)).toEqual([...playbook.company.languages]);
    const given = Object.values(intent.tool?.input ?? {});
    expect(given.filter((text) => !/^\$\{\{ entities\.\w+ \}\}$/.test(text))).toEqual([]);
  });

  test('has replies that are valid templates, without markup', () => {
    const texts = [
      ...Object.values(playbook.intents).flatMap(({ replies, notFound, required }) => [
        ...[...Object.values(replies), ...Object.values(notFound)],
        ...required.flatMap(({ question }) => Object.values(question)),
      ]),
      ...Object.values(playbook.concerns).flatMap(({ reply }) => Object.values(reply)),
    ];
    expect(texts.length).toBeGreaterThan(intents.length);
    for (const text of texts) {
      expect(() => parseTemplate(text)).not.toThrow();
      expect(text).not.toMatch(/<[a-z/]|colleague/i);
    }
  });
});

describe('a playbook file', () => {
  const minimal = {
    company: { name: 'Shop', signature: 'The shop' },
    intents: [],
    concerns: Object.fromEntries(concerns.map((name) => [name, { priority: 1, reply: { en: 'Hello.' } }])),
  };
  const issuesOf = (file: unknown) =>
    playbookSchema.safeParse(file).error?.issues.map(({ path }) => path.join('.')) ?? [];

  test('has English as its default language', () => {
    expect(playbookSchema.parse(minimal).company.languages).toEqual(['en']);
  });

  test.each([
    [{ ...minimal, unknown: 1 }, ''],
    [{ ...minimal, company: { name: 'Shop' } }, 'company.signature'],
    [{ ...minimal, company: { ...minimal.company, languages: [] } }, 'company.languages'],
    [{ ...minimal, company: { ...minimal.company, languages: ['english'] } }, 'company.languages.0'],
    [{ ...minimal, intents: [{ name: 'other', description: '' }] }, 'intents.0.name'],
    [{ ...minimal, intents: [{ name: 'refund', description: '', threshold: 2 }] }, 'intents.0.threshold'],
    [
      { ...minimal, intents: [{ name: 'refund', description: '', replies: { en: '' } }] },
      'intents.0.replies.en',
    ],
    [{ ...minimal, intents: [{ name: 'refund', description: '', handover: 'never' }] }, 'intents.0.handover'],
    [
      { ...minimal, concerns: { ...minimal.concerns, legal: { priority: 6, reply: {} } } },
      'concerns.legal.priority',
    ],
    [{ ...minimal, concerns: { legal: minimal.concerns['legal'] } }, 'concerns.self_harm'],
  ])('is refused with the place of each fault: %#', (file, place) => {
    expect(issuesOf(file)).toContain(place);
  });
});
