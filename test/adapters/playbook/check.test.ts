import { describe, expect, test } from 'vitest';
import { company, context, read } from './playbooks.ts';

/** A playbook with one intent, whose members are indented; `top` are members of the playbook. */
const one = (members: string, top = '') =>
  `${company}\nintents:\n  - name: key\n    description: A key.\n${members.replaceAll(/^/gm, '    ')}\n${top}`;

const reply = (text: string) =>
  one(`tool: { name: refund_policy }\narticles: true\nreplies:\n  en: '${text}'`, 'articles: ./articles');

const articles = { 'articles/keys.md': '---\ntitle: Keys\nintents: [key]\n---\nText.\n' };

/** Faults in templates of a reply; `brackets` stand for what is told of the place in the text. */
const templates: readonly (readonly [text: string, fault: string])[] = [
  ['{{ tool', 'is not a valid template: output "{{ tool" not closed (line 1, column 1 of the text)'],
  [
    '{% if tool.a %}',
    'is not a valid template: tag {% if tool.a %} not closed (line 1, column 1 of the text)',
  ],
  ['{{ "a" | shout }}', 'is not a valid template: undefined filter: shout (line 1, column 1 of the text)'],
  ['{% shout %}', 'is not a valid template: tag "shout" not found (line 1, column 1 of the text)'],
  ['{% render "x" %}', 'is not a valid template: tag "render" not found (line 1, column 1 of the text)'],
  [
    '{% include "/etc/passwd" %}',
    'is not a valid template: tag "include" not found (line 1, column 1 of the text)',
  ],
  ['{% layout "x" %}', 'is not a valid template: tag "layout" not found (line 1, column 1 of the text)'],
  [
    '{{ tool.a | where_exp: "x", "x" }}',
    'is not a valid template: undefined filter: where_exp (line 1, column 1 of the text)',
  ],
  ['{{ tol.state }}', 'there is no "tol"; did you mean "tool"? (line 1, column 4 of the text)'],
  [
    '{{ state }}',
    'there is no "state"; expected entities, message, customer, conversation, company, tool, articles (line 1, column 4 of the text)',
  ],
  [
    '{{ entities.order_di }}',
    'there is no "entities.order_di"; did you mean "order_id"? (line 1, column 4 of the text)',
  ],
  [
    '{{ entities }}',
    '"entities" is an object; expected one of its members: order_id, refund_reason (line 1, column 4 of the text)',
  ],
  [
    '{{ message.body }}',
    'there is no "message.body"; expected text, subject, source, metadata (line 1, column 4 of the text)',
  ],
  ['{{ customer.name }}', 'there is no "customer.name"; expected id (line 1, column 4 of the text)'],
  [
    '{{ company.contact.email }}',
    'there is no "company.contact.email"; there is none (line 1, column 4 of the text)',
  ],
  ['{{ company.nam }}', 'there is no "company.nam"; did you mean "name"? (line 1, column 4 of the text)'],
  [
    '{{ articles[0].titel }}',
    'there is no "articles.0.titel"; did you mean "title"? (line 1, column 4 of the text)',
  ],
  [
    '{{ constructor }}',
    'there is no "constructor"; expected entities, message, customer, conversation, company, tool, articles (line 1, column 4 of the text)',
  ],
  [
    `{{ a${'[a'.repeat(20)}${']'.repeat(20)} }}`,
    'is not a valid template: more than 16 brackets around a part',
  ],
];

describe('a template', () => {
  test.each(templates)('is refused with what is wrong: %s', (text, fault) => {
    expect(read(reply(text), articles).faults).toEqual([`p.yaml:8:11: intents[0].replies.en: ${fault}`]);
  });

  test.each([
    '{{ tool.anything.at[0].all }}',
    '{{ articles[0].title }}: {{ articles.first.text }} {{ articles.size }}',
    '{% for article in articles %}{{ article.title }}{% endfor %}',
    '{% assign x = tool.state | upcase %}{{ x }}{% capture y %}{{ x }}{% endcapture %}{{ y }}',
    '{{ entities.order_id }} {{ message.metadata.shop }} {{ message.subject }} {{ customer.id }} {{ conversation.id }}',
    '{{ company.name }} {{ company.signature }}',
    '{{ entities[tool.name] }}',
    '{% raw %}{{ whatever }}{% endraw %}',
    '{% if tool.a == blank or entities.order_id %}a{% endif %}',
  ])('is accepted: %s', (text) => {
    expect(read(reply(text), articles)).toMatchObject({ faults: [], warnings: [] });
  });

  test('sees the output of a tool and articles only where there are some', () => {
    const { faults } = read(one(`replies: { en: '{{ tool.a }} {{ articles[0].text }}' }`));
    expect(faults).toEqual([
      expect.stringContaining('there is no "tool"'),
      expect.stringContaining('there is no "articles"'),
    ]);
  });
});

/** Faults of one intent. */
const intents: readonly (readonly [members: string, faults: readonly string[]])[] = [
  [
    'threshold: 0.5',
    [
      '3:5: intents[0]: has nothing to answer with; expected `tool`, `articles`, `replies` or `handover: always`',
    ],
  ],
  [
    'articles: true',
    [
      '5:15: intents[0].articles: there are no articles; expected a folder in the member `articles` of the playbook',
    ],
  ],
  [
    'replies: { de: Hallo. }',
    [
      '5:14: intents[0].replies: has no text in "en", the default language; expected one',
      '5:16: intents[0].replies.de: "de" is not in company.languages; expected en',
    ],
  ],
  [
    'required: [{ entity: oder_id, question: { en: Which? } }]',
    ['5:26: intents[0].required[0].entity: there is no entity "oder_id"; did you mean "order_id"?'],
  ],
  [
    'required: [{ entity: order_id, question: {} }]',
    ['5:46: intents[0].required[0].question: has no text in "en", the default language; expected one'],
  ],
  [
    'required: [{ entity: order_id, question: { en: A } }, { entity: order_id, question: { en: B } }]',
    ['5:69: intents[0].required[1].entity: the name "order_id" is there twice'],
  ],
  [
    `tool: { name: refund_policy, input: { a: [{ b: '\${{ entities.reason }}' }] } }`,
    ['5:52: intents[0].tool.input.a[0].b: there is no "entities.reason"; expected order_id, refund_reason'],
  ],
  [
    `tool: { name: refund_policy, input: { a: '\${{ tool.x }}' } }`,
    [
      '5:46: intents[0].tool.input.a: is not a valid expression: there is no "tool" here; there is: entities, message, customer, conversation (column 5)',
    ],
  ],
  [
    `tool: { name: refund_policy, input: { a: '\${{ 1 + }}' } }`,
    ['5:46: intents[0].tool.input.a: is not a valid expression: '],
  ],
  [
    `tool: { name: refund_policy, input: { a: '\${{ customer.name }}' } }`,
    ['5:46: intents[0].tool.input.a: there is no "customer.name"; expected id'],
  ],
  [
    `tool: { name: refund_policy, input: { a: '\${{ ${'('.repeat(500)}1${')'.repeat(500)} }}' } }`,
    ['5:46: intents[0].tool.input.a: is not a valid expression: '],
  ],
  [
    `replies: { en: Hi. }\nexamples: ['']`,
    ['6:16: intents[0].examples[0]: must be a text that is not empty'],
  ],
  ['replies: { en: "  " }', ['5:20: intents[0].replies.en: ']],
  [
    'tool: { name: refund_policy }\ntools: [{ name: check_order_status }]',
    ['6:12: intents[0].tools: stands beside `tool`; expected one of the two'],
  ],
  [
    `tools: [{ name: refund_policy }, { name: check_order_status, input: { a: '\${{ entities.reason }}' } }]`,
    ['5:78: intents[0].tools[1].input.a: there is no "entities.reason"; expected order_id, refund_reason'],
  ],
  [
    'tools: [{ name: refund_policy }, { name: refund_policy }]',
    ['5:46: intents[0].tools[1].name: the name "refund_policy" is there twice'],
  ],
  ['replies: { en: Hi. }\nhandover: never', ['6:15: intents[0].handover: is "never"; expected "always"']],
];

describe('an intent', () => {
  test.each(intents)('is refused with what is wrong: %s', (members, expected) => {
    const { faults } = read(one(members));
    expect(faults).toHaveLength(expected.length);
    for (const [index, fault] of expected.entries()) expect(faults[index]).toContain(`p.yaml:${fault}`);
  });

  test('leaves the tools of messages to an extension as well, with a warning, and names each once', () => {
    const top = 'message_tools: [refund_policy, stock_level]';
    expect(read(one('tools: [{ name: stock }]', top))).toMatchObject({
      faults: [],
      warnings: [
        'p.yaml:5:21: intents[0].tools[0].name: there is no tool "stock" here; an extension has to bring it',
        'p.yaml:6:32: message_tools[1]: there is no tool "stock_level" here; an extension has to bring it',
      ],
    });
    const { faults } = read(one('replies: { en: Hi. }', 'message_tools: [refund_policy, refund_policy]'));
    expect(faults).toEqual([expect.stringContaining('message_tools[1]: "refund_policy" is there twice')]);
  });

  test('may name a tool that an extension brings, with a warning', () => {
    expect(read(one('tool: { name: refund_polcy }'))).toMatchObject({
      faults: [],
      warnings: [
        'p.yaml:5:19: intents[0].tool.name: there is no tool "refund_polcy" here; an extension has to bring it; did you mean "refund_policy"?',
      ],
    });
    const { warnings } = read(one('tool: { name: refund_policy }', 'example_tools: false'));
    expect(warnings).toEqual([expect.stringContaining('there is no tool "refund_policy" here')]);
  });

  test('called human_agent always goes to a person', () => {
    const { faults } = read(
      `${company}\nintents: [{ name: human_agent, description: x, replies: { en: Hi. } }]`,
    );
    expect(faults).toEqual([
      'p.yaml:2:11: intents[0]: human_agent always goes to a person; expected `handover: always`',
    ]);
  });

  test('whose text is missing in a further language is a warning', () => {
    const yaml = one('replies: { en: Hi. }').replace('Cycles', 'Cycles, languages: [en, de]');
    expect(read(yaml)).toMatchObject({
      faults: [],
      warnings: [
        'p.yaml:5:14: intents[0].replies: has no text in "de": messages in that language go to a person',
      ],
    });
  });

  test('that has members which are not used is a warning', () => {
    const { warnings } = read(
      one('handover: always\narticles: false\ntool: { name: refund_policy }\nnot_found: { en: x }'),
    );
    expect(warnings).toEqual([
      'p.yaml:3:5: intents[0]: always goes to a person: its `tool`, `articles` and `required` are not used',
    ]);
    expect(read(one('replies: { en: Hi. }\nnot_found: { en: x }')).warnings).toEqual([
      'p.yaml:6:16: intents[0].not_found: is not used without `tool`',
    ]);
  });
});

/** Faults of other members of a playbook. */
const others: readonly (readonly [yaml: string, faults: readonly string[]])[] = [
  ['auto_reply: [kye]', ['auto_reply[0]: there is no intent "kye"; did you mean "key"?']],
  ['auto_reply: [key, key]', ['auto_reply[1]: "key" is there twice']],
  ['mode: drfat', ['mode: is "drfat"; expected "reply" or "draft"; did you mean "draft"?']],
  [
    `entities: [{ name: a, pattern: '(?=x)' }]`,
    [
      'entities[0].pattern: the pattern is not valid: invalid or unsupported Perl syntax: `(?=`; expected the syntax of RE2',
    ],
  ],
  [
    `entities: [{ name: a, pattern: '(x)\\1' }]`,
    [
      'entities[0].pattern: the pattern is not valid: invalid escape sequence: `\\1`; expected the syntax of RE2',
    ],
  ],
  [
    `entities: [{ name: a, pattern: '(((x{9}){9}){9}){9}' }]`,
    ['entities[0].pattern: the pattern is too large, its repetitions counted'],
  ],
  [
    `entities: [{ name: a, pattern: 'x{300}' }]`,
    ['entities[0].pattern: the pattern has 302 parts, its repetitions counted; expected at most 100'],
  ],
  [`entities: [{ name: a, pattern: 'x*' }]`, ['entities[0].pattern: the pattern matches an empty text']],
  [
    `entities: [{ name: a, pattern: '[0-9]{5}', examples: [a1, '123456'] }]`,
    [
      'entities[0].examples[0]: the pattern finds nothing in "a1"; expected all of it',
      'entities[0].examples[1]: the pattern finds "12345" in "123456"; expected all of it',
    ],
  ],
  [
    `entities: [${Array.from({ length: 6 }, (_, at) => `{ name: a${at}, pattern: 'x{80}' }`).join(', ')}]`,
    ['entities[4]: makes the patterns too large: 410 parts in all; expected at most 400'],
  ],
  [
    'entities: [{ name: a, pattern: x }, { name: a, pattern: y }]',
    ['entities[1].name: the name "a" is there twice'],
  ],
  [
    `entities: [{ name: a, pattern: x, normalize: [uper, compact, digits, compact] }]`,
    [
      'entities[0].normalize[0]: is "uper"; expected "upper" or "lower" or "compact" or "digits"; did you mean "upper"?',
      'entities[0].normalize[3]: "compact" is there twice',
    ],
  ],
  [
    `entities: [{ name: a, pattern: 'LS-(?<value>[0-9]*)', normalize: [digits], examples: [LS-4, LS-] }]`,
    ['entities[0].examples[1]: no value is left of "LS-"; expected one'],
  ],
  [
    `entities: [{ name: a, pattern: '[\u0100-\ud7ff]' }]`,
    [
      'entities[0].pattern: the pattern has ranges of 55040 characters in any case; expected at most 50000. Narrow them',
    ],
  ],
  [
    'labels: { open: { en: Open, ed: Offen }, "": { en: A }, constructor: { en: A }, b: { en: "{{ a }}" } }',
    [
      'labels.open.ed: the name "ed" is not a language code of ISO 639-1, such as en or de',
      'labels[""]: the name "" must be a text that is not empty',
      'labels.constructor: the name "constructor" is a reserved name; choose another one',
      'labels.b.en: has template marks, but is sent as it is; expected plain text',
    ],
  ],
  ['labels: { open: { fr: Ouvert } }', ['labels.open.fr: "fr" is not in company.languages; expected en']],
  [
    'concerns: { legal: { harmless: [a court, " ", a court], sensitivity: hgih } }',
    [
      'concerns.legal.harmless[1]: " " must be a text that is not empty',
      'concerns.legal.harmless[2]: "a court" is there twice',
      'concerns.legal.sensitivity: is "hgih"; expected "low" or "normal" or "high"; did you mean "high"?',
    ],
  ],
  [
    'concerns: { legal: { reply: { en: "{{ message.text | date: \'lnog\' }}" } } }',
    [
      'concerns.legal.reply.en: is not a valid template: the filter date has no format "lnog"; expected short, long or time',
    ],
  ],
  [
    'hours: { timezone: Europe/Brelin }',
    ['hours.timezone: is not a known time zone; expected an IANA name such as Europe/Berlin'],
  ],
  [
    'hours: { timezone: "+02:00" }',
    ['hours.timezone: is not a known time zone; expected an IANA name such as Europe/Berlin'],
  ],
  [
    'hours: { timezone: UTC, weekdays: "9-17" }',
    ['hours.weekdays: "9-17" must be hours such as 08:00-17:00, or closed'],
  ],
  [
    'hours: { timezone: UTC, monday: "17:00-08:00" }',
    ['hours.monday: "17:00-08:00" must end later than it begins'],
  ],
  ['hours: { weekdays: "08:00-17:00" }', ['hours.timezone: is missing; expected a text']],
  ['sla: { 1: 30s }', ['sla.1: "30s" must be a number and a unit, such as 30m, 2h or 1d']],
  [
    'sla: { 1: { within: soon, hours: alwas, day: 1 }, 2: {}, 3: 5 }',
    [
      'sla.1.within: "soon" must be a number and a unit, such as 30m, 2h or 1d',
      'sla.1.hours: is "alwas"; expected "always" or "opening"; did you mean "always"?',
      'sla.1.day: unknown member "day"; expected within, hours',
      'sla.2.within: is missing; expected a text',
      'sla.3: is a number; expected a text or an object',
    ],
  ],
  ['sla: { 6: 30m }', ['sla.6: unknown member "6"; did you mean "1"?']],
  [
    'concerns: { legal: { reply: { de: Hallo. } } }',
    ['concerns.legal.reply.de: "de" is not in company.languages; expected en'],
  ],
  [
    `concerns: { legal: { reply: { en: '{{ tool.a }}' } } }`,
    [
      'concerns.legal.reply.en: there is no "tool"; expected entities, message, customer, conversation, company (line 1, column 4 of the text)',
    ],
  ],
  ['tools: [{ name: a }, { name: a }]', ['tools[1].name: the name "a" is there twice']],
  [
    'articles: ./articles\ntools: [{ name: search_articles }]',
    [
      'tools[0].name: "search_articles" searches the articles of the playbook; expected another name',
      'articles: there is no such folder in the folder of the playbook; expected one such as ./articles',
    ],
  ],
];

describe('the marks of templates and expressions', () => {
  test('are told when they are confused', () => {
    expect(read(one(`replies: { en: 'Hi \${{ entities.order_id }}.' }`)).warnings).toEqual([
      expect.stringMatching(/^p\.yaml:5:20: intents\[0\]\.replies\.en: has "\$" before "\{\{"/),
    ]);
    expect(
      read(one(`tool: { name: refund_policy, input: { a: '{{ entities.order_id }}' } }`)).warnings,
    ).toEqual([expect.stringMatching(/^p\.yaml:5:41: intents\[0\]\.tool\.input: has "\{\{" without "\$"/)]);
  });
});

describe('another member', () => {
  test.each(others)('is refused with what is wrong: %s', (yaml, expected) => {
    const { faults } = read(one('replies: { en: Hi. }', yaml));
    expect(faults.map((fault) => fault.replace(/^p\.yaml:[67]:\d+: /, ''))).toEqual(expected);
  });

  test('brings a warning for a label without the default language, and for groups that are not the value', () => {
    const members = `labels: { open: { de: Offen } }\nentities: [{ name: a, pattern: 'x(?<number>1)' }]`;
    const yaml = `company: { name: A, languages: [en, de] }\nintents: []\n${members}`;
    expect(read(yaml)).toMatchObject({
      faults: [],
      warnings: [
        'p.yaml:3:17: labels.open: has no text in "en", the default language: the value itself stands in languages without a text',
        'p.yaml:4:32: entities[0].pattern: the group "number" is not used; only one with the name "value" is',
      ],
    });
  });

  test('may name the intents that are always there', () => {
    expect(read(one('replies: { en: Hi. }', 'auto_reply: [feedback, key]')).faults).toEqual([]);
  });
});

describe('a company', () => {
  const of = (members: string) => read(`company: { name: A, ${members} }\nintents: []`).faults;

  test('has languages with built-in texts, or states all texts', () => {
    expect(of('languages: [de, sv]')).toEqual([
      expect.stringMatching(
        /^p\.yaml:1:37: company\.languages\[1\]: "sv" has no built-in texts; expected a text in sv for company\.tone\.greeting, .*company\.tone\.not_found, concerns\.self_harm\.reply, .*concerns\.press\.reply$/,
      ),
    ]);
  });

  test('has a tone in its languages, as plain text', () => {
    expect(of('tone: { greeting: { de: Hallo } }')).toEqual([
      'p.yaml:1:41: company.tone.greeting.de: "de" is not in company.languages; expected en',
    ]);
    expect(of('tone: { greeting: { en: "Hello {{ customer.id }}," } }')).toEqual([
      'p.yaml:1:45: company.tone.greeting.en: has template marks, but is sent as it is; expected plain text',
    ]);
    expect(of('tone: { greting: { en: Hello } }')).toEqual([
      'p.yaml:1:29: company.tone.greting: unknown member "greting"; did you mean "greeting"?',
    ]);
  });

  test('without a name brings a warning', () => {
    expect(read('intents: []').warnings).toEqual([expect.stringContaining('has no company.name')]);
  });
});

describe('the tools of a playbook', () => {
  const yaml = `${company}\nintents: []\ntools: [{ name: a, request: { url: x } }]`;

  test('are checked by their own check, at their place', () => {
    const checkTool = () => [{ path: ['request', 'url'], message: 'must begin with https:' }];
    expect(read(yaml, {}, { ...context, checkTool }).faults).toEqual([
      'p.yaml:3:36: tools[0].request.url: must begin with https:',
    ]);
  });

  test('whose variables are missing are a warning, or a fault at the start', () => {
    const checkEnvironment = () => [{ path: ['request'], message: 'there is no variable A' }];
    const line = 'p.yaml:3:29: tools[0].request: there is no variable A';
    expect(read(yaml, {}, { ...context, checkEnvironment })).toMatchObject({ faults: [], warnings: [line] });
    expect(read(yaml, {}, { ...context, checkEnvironment, missing: 'fault' }).faults).toEqual([line]);
  });
});

test('a classifier that is not there is a warning, so that it can be trained, and a fault at the start', () => {
  const yaml = 'classifier: ./model.json\nintents: []\n';
  const line = 'p.yaml:1:13: classifier: there is no such file in the folder of the playbook';
  expect(read(yaml).warnings).toContain(line);
  expect(read(yaml).faults).toEqual([]);
  expect(read(yaml, {}, { ...context, missing: 'fault' }).faults).toEqual([line]);
});
