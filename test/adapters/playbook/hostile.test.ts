import { describe, expect, test } from 'vitest';
import { company, read } from './playbooks.ts';

const intent = (members: string) =>
  `${company}\nintents:\n  - name: key\n    description: A key.\n${members.replaceAll(/^/gm, '    ')}\n`;

/** Ten levels of nine aliases each. */
const aliases = Array.from({ length: 10 }, (_, level) => {
  const items = level === 0 ? 'x' : `*a${level - 1}`;
  return `a${level}: &a${level} [${Array(9).fill(items).join(', ')}]`;
}).join('\n');

const MEGABYTE = 1_048_576;

/** Each playbook with the beginning of its first fault. */
const refused: readonly (readonly [name: string, yaml: string | Buffer, fault: string])[] = [
  ['an empty file', '', 'p.yaml:1:1: is empty; expected an object'],
  ['a list', '- a\n- b', 'p.yaml:1:1: is a list; expected an object'],
  ['a number', '5', 'p.yaml:1:1: is a number; expected an object'],
  [
    'a file that is too large',
    `# ${'x'.repeat(MEGABYTE)}\nintents: []`,
    'p.yaml: is larger than 1048576 bytes',
  ],
  ['binary data', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a]), 'p.yaml:1:1: is not UTF-8'],
  [
    'invalid UTF-8',
    Buffer.concat([Buffer.from('intents:\n  # '), Buffer.from([0xe4, 0x0a])]),
    'p.yaml:2:5: is not UTF-8',
  ],
  ['UTF-16', Buffer.from('intents: []', 'utf16le'), 'p.yaml:1:2: has the control character U+0000'],
  ['a NUL', 'intents:\n  []\0', 'p.yaml:2:5: has the control character U+0000'],
  ['an escape character', `${company} # \x1b[31m`, 'p.yaml:1:39: has the control character U+001b'],
  ['tabs', 'intents:\n\t- name: x', 'p.yaml:2:1: Tabs are not allowed as indentation'],
  ['a text that does not end', 'intents:\n  - "x', 'p.yaml:2:7: Missing closing "quote'],
  ['two documents', 'intents: []\n---\nintents: []', 'p.yaml:2:1: begins a second document'],
  ['aliases of aliases', `${aliases}\nintents: []`, 'p.yaml:1:'],
  [
    'a repeated long text',
    `a: &a "${'x'.repeat(30_000)}"\nb: [${Array(2_000).fill('*a').join(',')}]`,
    'p.yaml:1:',
  ],
  ['an alias of itself', 'intents: &a [*a]', 'p.yaml:1:14: intents[0]: the alias "a" contains itself'],
  ['an alias of nothing', 'intents: *a', 'p.yaml:1:10: '],
  ['deep lists', `intents: ${'['.repeat(100_000)}`, 'p.yaml:1:41: is nested deeper than 32 levels'],
  ['deep objects', `intents: ${'{a: '.repeat(50_000)}`, 'p.yaml:1:134: is nested deeper than 32 levels'],
  ['deep dashes', `intents:\n  ${'- '.repeat(100_000)}a`, 'p.yaml:2:'],
  ['deep keys', `${'? '.repeat(100_000)}a`, 'p.yaml:1:'],
  [
    'deep indentation',
    Array.from({ length: 900 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
    'p.yaml:32:',
  ],
  ['many lines', `intents:\n${'- a\n'.repeat(200_000)}`, 'p.yaml:12001:1: has more than 60000 parts'],
  ['many keys', Array.from({ length: 60_000 }, (_, at) => `k${at}: 1`).join('\n'), 'p.yaml:'],
  ['many comments', '# a\n'.repeat(200_000), 'p.yaml:30001:1: has more than 60000 parts'],
  ['many documents', '---\n'.repeat(200_000), 'p.yaml:30000:'],
  ['many errors', '}\n'.repeat(20_000), 'p.yaml:1:1: has "}" without an opening bracket'],
  ['many errors in a text', `a: "${'\\x'.repeat(16_000)}"`, 'p.yaml:1:5: Invalid escape sequence'],
  ['a long text', `intents: "${'x'.repeat(100_000)}"`, 'p.yaml:1:10: is 100002 characters long'],
  ['a tag of a language', 'intents: !!js/function "x"', 'p.yaml:1:10: Unresolved tag'],
  ['a tag of bytes', 'intents: !!binary aGk=', 'p.yaml:1:19: intents: is not a value of JSON'],
  ['no number', 'intents: []\nmode: .nan', 'p.yaml:2:7: mode: is not a value of JSON'],
  ['a key that is a list', 'intents: []\n? [a]\n: b', 'p.yaml:2:3: has a name that is no text'],
  [
    'a key twice',
    `intents: []\n${company}\nintents: []`,
    'p.yaml:3:1: intents: the name "intents" is there twice',
  ],
  ['a merge key', 'a: &a { intents: [] }\n<<: *a', 'p.yaml:'],
  ['__proto__', 'intents: []\n__proto__: { mode: draft }', 'p.yaml:2:1: __proto__: is a reserved name'],
  ['constructor', 'intents: []\nconstructor: 1', 'p.yaml:2:1: constructor: unknown member "constructor"'],
  [
    '__proto__ in the input of a tool',
    intent('tool: { name: t, input: { __proto__: 1 } }'),
    'p.yaml:5:31: intents[0].tool.input.__proto__: is a reserved name',
  ],
  [
    'a misspelled member',
    'intents: []\ncompnay: {}',
    'p.yaml:2:1: compnay: unknown member "compnay"; did you mean "company"?',
  ],
  [
    'a misspelled member within',
    intent('repiles: { en: Hi. }'),
    'p.yaml:5:5: intents[0].repiles: unknown member "repiles"; did you mean "replies"?',
  ],
  ['no intents', company, 'p.yaml:1:1: intents: is missing; expected a list'],
  ['intents of another kind', 'intents: { a: 1 }', 'p.yaml:1:10: intents: is an object; expected a list'],
  [
    'an intent called toString',
    'intents: [{ name: toString, description: x, handover: always }]',
    'p.yaml:1:19: intents[0].name: "toString" must begin with a small letter',
  ],
  [
    'an intent called constructor',
    'intents: [{ name: constructor, description: x, handover: always }]',
    'p.yaml:1:19: intents[0].name: "constructor" is a reserved name',
  ],
  [
    'a long name',
    `intents: [{ name: ${'x'.repeat(65)}, description: x, handover: always }]`,
    'p.yaml:1:19: intents[0].name: is 65 characters long; expected at most 64 characters',
  ],
  [
    '201 intents',
    `${company}\nintents:\n${Array.from({ length: 201 }, (_, at) => `- { name: i${at}, description: x, handover: always }\n`).join('')}`,
    'p.yaml:3:1: intents: is a list of 201; expected at most 200 items',
  ],
  [
    '2,001 examples',
    `${company}\nintents:\n${Array.from({ length: 3 }, (_, at) => `- { name: i${at}, description: x, handover: always, examples: [${Array(667).fill('a').join(', ')}] }\n`).join('')}`,
    'p.yaml:3:1: intents: have 2001 examples; expected at most 2000 in all',
  ],
  [
    'a language of three letters',
    'company: { languages: [eng] }\nintents: []',
    'p.yaml:1:24: company.languages[0]: "eng" must be a language code of two small letters',
  ],
  [
    'a language that there is not',
    'company: { languages: [xx] }\nintents: []',
    'p.yaml:1:24: company.languages[0]: "xx" is not a language code of ISO 639-1',
  ],
  [
    'a language of a text that there is not',
    intent('replies: { en: Hi., "../en": Hi. }'),
    'p.yaml:5:25: intents[0].replies["../en"]: the name "../en" must be a language code',
  ],
  [
    'no languages',
    'company: { languages: [] }\nintents: []',
    'p.yaml:1:23: company.languages: is a list of 0; expected at least 1 items',
  ],
  [
    'articles elsewhere',
    `${company}\narticles: ../../..\nintents: []`,
    'p.yaml:2:11: articles: there is no such folder in the folder of the playbook',
  ],
  [
    'articles at an absolute path',
    `${company}\narticles: /etc\nintents: []`,
    'p.yaml:2:11: articles: there is no such folder in the folder of the playbook',
  ],
  [
    'the folder itself as articles',
    `${company}\narticles: .\nintents: []`,
    'p.yaml:2:11: articles: there is no such folder',
  ],
  [
    'a classifier elsewhere',
    `${company}\nclassifier: ../../../etc/passwd\nintents: []`,
    'p.yaml:2:13: classifier: there is no such file',
  ],
  [
    'a threshold beyond 1',
    intent('replies: { en: Hi. }\nthreshold: 1.5'),
    'p.yaml:6:16: intents[0].threshold: is 1.5; expected at most 1',
  ],
  [
    'a priority of 0',
    'intents: []\nconcerns: { legal: { priority: 0 } }',
    'p.yaml:2:32: concerns.legal.priority: is 0; expected at least 1',
  ],
  [
    '201 phrases',
    `intents: []\nconcerns: { legal: { phrases: [${Array(201).fill('a').join(', ')}] } }`,
    'p.yaml:2:31: concerns.legal.phrases: is a list of 201; expected at most 200 items',
  ],
  [
    'a long phrase',
    `intents: []\nconcerns: { legal: { phrases: [${'a'.repeat(101)}] } }`,
    'p.yaml:2:32: concerns.legal.phrases[0]: is 101 characters long',
  ],
  [
    'an unknown concern',
    'intents: []\nconcerns: { leagl: {} }',
    'p.yaml:2:13: concerns.leagl: unknown member "leagl"; did you mean "legal"?',
  ],
];

describe('a hostile playbook', () => {
  test.each(refused)('is refused, with the place: %s', (_name, yaml, fault) => {
    const { loaded, faults } = read(yaml);
    expect(loaded).toBeUndefined();
    expect(faults[0]?.slice(0, fault.length)).toBe(fault);
    expect(faults.length).toBeLessThanOrEqual(100);
    for (const line of faults) expect(line.length).toBeLessThan(1_000);
  });

  test('tells at most 100 faults, of which the last counts the rest', () => {
    const { faults } = read(`${company}\nintents:\n${'- {}\n'.repeat(150)}`);
    expect(faults).toHaveLength(100);
    expect(faults.at(-1)).toMatch(/^p\.yaml: and 51 more faults$/);
  });

  test('may be as large as is allowed', () => {
    const intents = Array.from(
      { length: 200 },
      (_, at) => `  - name: i${at}
    description: ${'x'.repeat(200)}
    examples:
${Array.from({ length: 10 }, (_, one) => `      - Example ${one} of ${at}\n`).join('')}    replies:
      en: |-
        ${'Some text. '.repeat(100)}{{ entities.order_id }}
`,
    );
    const { faults, loaded } = read(`${company}\nintents:\n${intents.join('')}`);
    expect(faults).toEqual([]);
    expect(loaded?.playbook.intents.size).toBe(203);
  });
});
