import { describe, expect, test } from 'vitest';
import { readToolsFile } from '../../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../../src/adapters/playbook-context.ts';
import { company, type Files, read, withFiles } from './playbooks.ts';

/** The faults of a playbook with HTTP tools, without the name of its file. */
const faultsOf = (yaml: string, files: Files = {}) =>
  read(yaml, files, { ...playbookContext('fault', {}) }).faults.map((line) => line.replace('p.yaml:', ''));

const everything = `
company: { name: Hotel Seeblick, languages: [en, de], phone: 12 }
mode: drfat
auto_reply: [breakfst]
entities:
  - { name: booking, pattern: '(?=BK)' }
  - { name: room, pattern: '[0-9]{3}', examples: [1] }
intents:
  - name: breakfast
    threshold: high
    tool: { name: menu, input: { day: '\${{ entities.rom }}' } }
    replies: { en: '{{ tol.text }}', fr: 'Bonjour' }
  - name: Check Out
    required: [{ entity: boking, question: { en: 'Which?' } }]
    examples: ['']
  - 5
concerns: { injury: { priority: 9, reply: { en: '{{ entities.rom }}' } } }
hours: { timezone: Europe/Brelin, weekdays: 9-17 }
sla: { 1: soon }
tools:
  - name: menu
    effect: reed
    request: { url: 'ftp://menu.example/\${{ input.day }}' }
`;

describe('a playbook with faults of every kind', () => {
  test('has all of them told at once, by their places', () => {
    expect(faultsOf(everything)).toEqual([
      expect.stringContaining('2:55: company.phone: unknown member "phone"'),
      expect.stringContaining('3:7: mode: is "drfat"'),
      expect.stringContaining(
        '4:14: auto_reply[0]: there is no intent "breakfst"; did you mean "breakfast"?',
      ),
      expect.stringContaining('6:31: entities[0].pattern: the pattern is not valid'),
      expect.stringContaining('7:51: entities[1].examples[0]: is a number; expected a text'),
      expect.stringContaining('10:16: intents[0].threshold: is a text; expected a number'),
      '11:34: intents[0].tool.input.day: the tool "menu" has no input "day"; it takes none',
      expect.stringContaining('11:39: intents[0].tool.input.day: there is no "entities.rom"'),
      expect.stringContaining('12:20: intents[0].replies.en: there is no "tol"; did you mean "tool"?'),
      expect.stringContaining('12:38: intents[0].replies.fr: "fr" is not in company.languages'),
      expect.stringContaining('13:11: intents[1].name: "Check Out" must begin with a small letter'),
      expect.stringContaining('14:26: intents[1].required[0].entity: there is no entity "boking"'),
      expect.stringContaining('15:16: intents[1].examples[0]: must be a text that is not empty'),
      expect.stringContaining('16:5: intents[2]: is a number; expected an object'),
      expect.stringContaining('17:33: concerns.injury.priority: is 9; expected at most 5'),
      expect.stringContaining('17:49: concerns.injury.reply.en: there is no "entities.rom"'),
      expect.stringContaining('18:20: hours.timezone: is not a known time zone'),
      expect.stringContaining('18:45: hours.weekdays: "9-17" must be hours'),
      expect.stringContaining('19:11: sla.1: "soon" must be a number and a unit'),
      expect.stringContaining('21:5: tools[0].description: is missing; expected a text'),
      expect.stringContaining('22:13: tools[0].effect: is "reed"'),
      expect.stringContaining('23:21: tools[0].request.url: there is no "input.day"'),
      expect.stringContaining('23:21: tools[0].request.url: must begin with https://'),
    ]);
  });

  test('has those of its articles told beside them', () => {
    const yaml = `${company}\nmode: 5\narticles: ./articles\nintents: [{ name: keys, articles: true }, { name: bar, articles: true }]`;
    const faults = faultsOf(yaml, {
      'articles/keys.md': '---\ntitle: 5\nintents: [keys]\n---\nText.\n',
      'articles/pool.md': '---\ntitle: Pool\nintents: [pol]\n---\nText.\n',
    });
    expect(faults).toEqual([
      expect.stringContaining('2:7: mode: is a number'),
      expect.stringContaining('4:66: intents[1].articles: no article names the intent "bar"'),
      'articles/keys.md:2:8: title: is a number; expected a text',
      'articles/pool.md:1:1: intents: there is no intent "pol"; expected one',
    ]);
  });

  test('has those of names that are there twice told too', () => {
    const faults = faultsOf(`${company}\nintents: []\nmode: 5\nmode: draft\nauto_reply: [a]`);
    expect(faults).toEqual([
      expect.stringContaining('3:7: mode: is a number'),
      expect.stringContaining('4:1: mode: the name "mode" is there twice'),
      expect.stringContaining('5:14: auto_reply[0]: there is no intent "a"'),
    ]);
  });
});

/** Playbooks with one mistake each, which has consequences elsewhere. */
const single: readonly (readonly [name: string, yaml: string, fault: string])[] = [
  [
    'a misspelled member that would answer',
    `${company}\nintents: [{ name: a, repiles: { en: Hi. } }]`,
    'intents[0].repiles: unknown member "repiles"; did you mean "replies"?',
  ],
  [
    'a misspelled tool, whose output a reply names',
    `${company}\nintents: [{ name: a, tol: { name: check_order_status }, replies: { en: '{{ tool.status }}' } }]`,
    'intents[0].tol: unknown member "tol"; did you mean "tool"?',
  ],
  [
    'replies of another kind',
    `${company}\nintents: [{ name: a, replies: [Hi] }]`,
    'intents[0].replies: is a list; expected an object',
  ],
  [
    'an entity without a name, which a reply names',
    `${company}\nentities: [{ pattern: 'B[0-9]' }]\nintents: [{ name: a, replies: { en: '{{ entities.room }}' } }]`,
    'entities[0].name: is missing; expected a text',
  ],
  [
    'an entity with a wrong name, which a reply names',
    `${company}\nentities: [{ name: Room, pattern: 'B[0-9]' }]\nintents: [{ name: a, replies: { en: '{{ entities.Room }}' } }]`,
    'entities[0].name: "Room" must begin with a small letter',
  ],
  [
    'languages of another kind',
    'company: { name: A, languages: de }\nintents: [{ name: a, replies: { de: Hallo } }]',
    'company.languages: is a text; expected a list',
  ],
  [
    'an intent without a name, which is answered automatically',
    `${company}\nauto_reply: [keys]\nintents: [{ replies: { en: Hi. } }]`,
    'intents[0].name: is missing; expected a text',
  ],
  [
    'a folder of articles of another kind',
    `${company}\narticles: [a]\nintents: [{ name: a, articles: true }]`,
    'articles: is a list; expected a text',
  ],
];

test.each(single)('a single mistake is told once: %s', (_, yaml, fault) => {
  expect(faultsOf(yaml)).toEqual([expect.stringContaining(fault)]);
});

test('a file of tools has all its faults told at once', () => {
  const tool = (name: string, rest: string) =>
    `{ name: ${name}, description: A., request: { url: 'https://a.example' }${rest} }`;
  const yaml = `tools: [${tool('a', ', retry: 5')}, ${tool('a', '')}, 7]`;
  withFiles({ 'tools.yaml': yaml }, (folder) => {
    expect(() => readToolsFile(`${folder}/tools.yaml`, playbookContext('fault', {}))).toThrow(
      /tools\[0\]\.retry: .*\n.*tools\[1\]\.name: another tool has the name a\n.*tools\[2\]: is a number/,
    );
  });
});
