import { describe, expect, test } from 'vitest';
import { playbookContext } from '../../../src/adapters/playbook-context.ts';
import { company, type Outcome, read } from './playbooks.ts';

/** The output of the intent's tool, as its `output.schema`. */
const outputSchema =
  '{ type: object, properties: { state: {}, of: { type: object, properties: { id: {} } }, open: { type: object } } }';

interface Parts {
  /** The members of the intent that call tools. */
  readonly calls?: string;
  readonly reply?: string;
  readonly input?: string;
  readonly output?: string;
  readonly more?: string;
}

/** The check of a playbook with the tools `job` and `parts`. */
function check({ calls, reply = 'Hi', input, output, more = '' }: Parts): Outcome {
  const yaml = `${company}
intents:
  - name: repair
    description: A repair.
    ${calls ?? 'tool: { name: job }'}
    replies: { en: '${reply}' }
tools:
  - name: job
    description: A job.
    request: { url: 'https://erp.example/' }
    ${input === undefined ? '' : `input: ${input}`}
    ${output === undefined ? '' : `output: { schema: ${output} }`}
  - name: parts
    description: Its parts.
    request: { url: 'https://erp.example/' }
    output: { schema: { type: array, items: { type: object } } }
${more}`;
  return read(yaml, {}, { ...playbookContext('warning', {}) });
}

const faults = (parts: Parts) => check(parts).faults;

describe('the input of a tool that a playbook declares', () => {
  const input =
    '{ type: object, properties: { job: {}, at: { type: object, properties: { day: {} } }, all: { type: array, items: { type: object, properties: { id: {} } } } } }';
  const calls = (stated: string) => `tool: { name: job, input: ${stated} }`;

  test('has what its schema has', () => {
    const stated = "{ job: '${{ customer.id }}', at: { day: 1 }, all: [{ id: 1 }] }";
    expect(check({ calls: calls(stated), input })).toMatchObject({ faults: [], warnings: [] });
  });

  test.each([
    ['{ jbo: 1 }', '5:33: intents[0].tool.input.jbo: the tool "job" has no input "jbo"; did you mean "job"?'],
    [
      '{ customer: 1 }',
      '5:33: intents[0].tool.input.customer: the tool "job" has no input "customer"; expected job, at, all',
    ],
    [
      '{ at: { hour: 1 } }',
      '5:39: intents[0].tool.input.at.hour: the tool "job" has no input "at.hour"; expected day',
    ],
    [
      '{ all: [{ id: 1 }, { no: 1 }] }',
      '5:52: intents[0].tool.input.all[1].no: the tool "job" has no input "all.1.no"; expected id',
    ],
  ])('has nothing else: %s', (stated, fault) => {
    expect(faults({ calls: calls(stated), input })).toEqual([`p.yaml:${fault}`]);
  });

  test('has nothing without a schema, which every input would fail', () => {
    expect(faults({ calls: calls('{ job: 1 }') })).toEqual([
      'p.yaml:5:33: intents[0].tool.input.job: the tool "job" has no input "job"; it takes none',
    ]);
  });

  test.each([
    '{ type: object }',
    '{ type: object, properties: { a: {} }, additionalProperties: true }',
    '{ type: object, properties: { a: {} }, patternProperties: { b: {} } }',
    '{ properties: { a: {} }, anyOf: [{}] }',
  ])('may have anything where its schema does not tell: %s', (open) => {
    expect(faults({ calls: calls('{ jbo: 1 }'), input: open })).toEqual([]);
  });

  test('is told beside the faults of the tool itself, of which it is no consequence', () => {
    const broken = '{ type: object, properties: { job: { type: txt } } }';
    const found = faults({ calls: calls('{ jbo: 1 }'), input: broken });
    expect(found).toEqual([
      expect.stringContaining('has no input "jbo"'),
      expect.stringContaining('tools[0].input.properties.job.type: must be one of '),
    ]);
    expect(faults({ calls: calls('{ jbo: 1 }'), input: '5' })).toEqual([
      expect.stringContaining('tools[0].input: is a number'),
    ]);
  });

  test('of an example tool brings a warning only, because an extension may replace the tool', () => {
    const stated = 'tool: { name: check_order_status, input: { order: 1 } }';
    expect(check({ calls: stated })).toMatchObject({
      faults: [],
      warnings: [
        'p.yaml:5:48: intents[0].tool.input.order: the tool "check_order_status" has no input "order"; expected order_id, unless an extension brings another tool of that name',
      ],
    });
    const left = check({ calls: stated, more: 'example_tools: false' });
    expect(left.warnings).toEqual([expect.stringContaining('an extension has to bring it')]);
  });
});

describe('a reply from the output of tools', () => {
  test.each(['state', 'of.id', 'open.anything', 'state.size', 'of'])(
    'may name what the schema has: %s',
    (name) => {
      expect(faults({ output: outputSchema, reply: `{{ tool.${name} }}` })).toEqual([]);
    },
  );

  test.each([
    ['{{ tool.stat }}', 'there is no "tool.stat"; did you mean "state"? (line 1, column 4 of the text)'],
    ['{{ tool.eta }}', 'there is no "tool.eta"; expected state, of, open (line 1, column 4 of the text)'],
    ['{% if tool.eta %}a{% endif %}', 'there is no "tool.eta"; expected state, of, open'],
    ['{{ tool.of.name }}', 'there is no "tool.of.name"; expected id (line 1, column 4 of the text)'],
  ])('may name nothing else: %s', (reply, fault) => {
    expect(faults({ output: outputSchema, reply })).toEqual([
      expect.stringContaining(`p.yaml:6:20: intents[0].replies.en: ${fault}`),
    ]);
  });

  test('may name all of the output, and what the schema leaves open', () => {
    expect(faults({ output: outputSchema, reply: '{{ tool }}' })).toEqual([]);
    expect(faults({ reply: '{{ tool.eta }}' })).toEqual([]);
    const open = '{ type: object, properties: { a: {} }, additionalProperties: {} }';
    expect(faults({ output: open, reply: '{{ tool.eta }}' })).toEqual([]);
  });

  test('may name what any of the tools has, where all have a schema', () => {
    const both = 'tools: [{ name: job }, { name: parts }]';
    const reply = '{{ tool.state }} {{ tool.value[0].name }}';
    expect(faults({ calls: both, output: outputSchema, reply })).toEqual([]);
    expect(faults({ calls: both, output: outputSchema, reply: '{{ tool.eta }}' })).toEqual([
      expect.stringContaining('there is no "tool.eta"; expected state, of, open, value'),
    ]);
    expect(faults({ calls: both, reply: '{{ tool.eta }}' })).toEqual([]);
    const mixed = 'tools: [{ name: job }, { name: check_order_status }]';
    expect(faults({ calls: mixed, output: outputSchema, reply: '{{ tool.eta }}' })).toEqual([]);
  });

  test('is no consequence of a schema that cannot be read', () => {
    const found = faults({ output: '5', reply: '{{ tool.eta }}' });
    expect(found).toEqual([expect.stringContaining('tools[0].output.schema: is a number')]);
  });
});
