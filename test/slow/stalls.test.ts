import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom, type Random } from '../../src/adapters/evaluation/random.ts';
import { ExpressionError, parseExpression } from '../../src/adapters/shared/expressions/expression.ts';
import { compileUserSchema } from '../../src/adapters/shared/user-schema/user-schema.ts';
import type { JsonObject, JsonValue } from '../../src/lib/json/json.ts';
import { cpuTime, limitOfTime } from '../support/event-loop.ts';
import { runToEnd, type Service, startService } from '../support/process/service.ts';

/** A service that measures the turns of its event loop. */
interface MeteredService extends Service {
  /**
   * The longest processor time that the main thread of the service has taken in one turn since the last call, in
   * milliseconds.
   */
  longestTurn(): Promise<number>;
}

/** Starts the service as `startService` does, with a meter. */
async function startMeteredService(settings: Readonly<Record<string, string>> = {}): Promise<MeteredService> {
  const meter = new URL('../support/process/turn-meter.ts', import.meta.url).href;
  const options = `--import=${meter} ${settings['NODE_OPTIONS'] ?? ''}`;
  const service = await startService({ ...settings, NODE_OPTIONS: options });
  const measured = (): number[] =>
    service.log().flatMap(({ msg, ms }) => (msg === 'longest turn' ? [Number(ms)] : []));
  return {
    ...service,
    async longestTurn() {
      const before = measured().length;
      service.process.kill('SIGUSR2');
      for (;;) {
        const longest = measured()[before];
        if (longest !== undefined) return longest;
        if (service.process.exitCode !== null) throw new Error(`the service has ended: ${service.output()}`);
        await setTimeout(5);
      }
    },
  };
}

/** No turn of the event loop may take more of the processor, in milliseconds, on a machine of usual speed. */
const LIMIT_MS = 100;

/**
 * The number of attempts of a request that seems too long: a machine that does other things is slow once, not each
 * time.
 */
const ATTEMPTS = 6;

const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
const members = (count: number, member: (index: number) => JsonValue = () => 1): JsonObject =>
  Object.fromEntries(many(count, (index) => [`k${index}`, member(index)]));

/** JSON text of a list of the same items. */
const listOf = (count: number, item: string): string => `[${new Array<string>(count).fill(item).join()}]`;

/** The least of some measurements, until one is below the limit. */
async function leastOf(measure: () => Promise<number> | number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least > LIMIT_MS; attempt++) {
    least = Math.min(least, await measure());
  }
  return least;
}

/** Fails for a time that is too long, also for a machine whose processor is slow. */
function expectShort(ms: number, cause?: string): void {
  if (ms >= LIMIT_MS) expect(ms, cause).toBeLessThan(limitOfTime(LIMIT_MS));
}

/** The longest of all stalls, with what caused it. */
function createLongest() {
  let longest = { ms: 0, cause: 'nothing' };
  return {
    async add(cause: string, measure: () => Promise<number> | number): Promise<void> {
      const ms = await leastOf(measure);
      if (ms > longest.ms) longest = { ms, cause: cause.slice(0, 300) };
    },
    expectShort(): void {
      expectShort(longest.ms, longest.cause);
    },
  };
}

const patternParts = [
  ...[
    'a',
    '-',
    '.',
    '|',
    '^',
    '$',
    '*',
    '+?',
    '{3}',
    '{2,90}',
    '{900}',
    '(',
    ')',
    '(?:',
    '(?i)',
    '(?i:',
    '(?si-m:',
  ],
  ...[
    '[',
    '[^',
    ']',
    '[:alpha:]',
    '\\pL',
    '\\P{Lu}',
    '\\w',
    '\\W',
    '\\b',
    '\\x{100}',
    '\\x{1e943}',
    '\u0100-\uc000',
  ],
];

function pattern(random: Random): string {
  return many(1 + Math.floor(random.next() ** 3 * 300), () => random.pick(patternParts)).join('');
}

const text = (value: string): string => JSON.stringify(value);

/** The values for the expressions: texts, lists and objects as large as a request may bring them. */
const values: JsonObject = {
  input: {
    a: 'a'.repeat(300_000),
    b: `ab${'a'.repeat(20_000)}`,
    mixed: 'aÄ😀Z '.repeat(50_000),
    list: many(30_000, (index) => index),
    texts: many(5_000, (index) => `text ${index}`),
    object: members(20_000),
    objects: many(3_000, (id) => ({ id, of: { list: [id] } })),
    long: { [`${'k'.repeat(300_000)}a`]: 1 },
    key: `${'k'.repeat(300_000)}b`,
    digits: `1.${'0'.repeat(15)}11102230246251565404236316680908203125${'0'.repeat(300)}1`,
  },
};

/** An expression of a kind, as hostile as the parts at hand. */
function expression(random: Random, depth: number, kind: 'text' | 'list' | 'any'): string {
  const of = (next: 'text' | 'list' | 'any'): string => expression(random, depth - 1, next);
  const leaves = {
    text: ['input.a', 'input.b', 'input.mixed', 'input.key', 'input.digits', text('a'), text('ab')],
    list: ['input.list', 'input.texts', 'input.objects', 'input.object'],
    any: ['1', 'input.object', 'input.long', 'input', 'x', 'null'],
  };
  if (depth === 0 || random.flip(0.15)) return random.pick(leaves[kind]);
  const made = {
    text: [
      () => `${of('text')}.replace(${of('text')}, ${of('text')})`,
      () => `${of('text')}.${random.pick(['lowerAscii', 'upperAscii', 'trim'])}()`,
      () => `${of('text')}.substring(${random.pick(['0', '1', '20000'])})`,
      () => `(${of('text')} + ${of('text')})`,
      () => `${of('list')}.map(x, string(x)).join(${of('text')})`,
    ],
    list: [
      () => `${of('text')}.split(${of('text')})`,
      () => `${of('list')}.${random.pick(['map', 'filter', 'all', 'exists'])}(x, ${of('any')})`,
      () => `(${of('list')} + ${of('list')})`,
      () => `[${of('any')}, ${of('text')}, ${of('list')}]`,
    ],
    any: [
      () => `(${of('any')} == ${of('any')})`,
      () =>
        `(${of('text')} ${random.pick(['<', '==', 'in'])} ${random.pick([of('text'), of('list'), 'input.long'])})`,
      () => `${of('text')}.${random.pick(['contains', 'indexOf', 'startsWith', 'endsWith'])}(${of('text')})`,
      () => `${of('text')}.matches(${text(pattern(random))})`,
      () => `input.object[${of('text')}]`,
      () => `{${of('text')}: ${of('any')}}`,
      () => `${random.pick(['size', 'double', 'int', 'string'])}(${of('text')})`,
      () => `size(${of('list')})`,
    ],
  };
  return random.pick<() => string>(made[kind])();
}

function schema(random: Random, depth: number): JsonObject {
  const inner = (): JsonObject => (depth === 0 ? {} : schema(random, depth - 1));
  const made: readonly (() => JsonObject)[] = [
    () => ({ pattern: pattern(random).slice(0, 400) }),
    () => ({
      patternProperties: Object.fromEntries(many(8, () => [pattern(random).slice(0, 200), inner()])),
    }),
    () => ({ properties: members(6, inner), required: many(50, (index) => `k${index}`) }),
    () => ({ items: inner(), uniqueItems: true, contains: inner() }),
    () => ({ additionalProperties: inner(), propertyNames: inner() }),
    () => ({ [random.pick(['anyOf', 'allOf', 'oneOf'])]: many(5, inner) }),
    () => ({ enum: many(100, (index) => `${index}`), format: random.pick(['uri', 'email', 'date-time']) }),
    () => ({ unevaluatedProperties: inner(), not: inner(), if: inner(), else: inner() }),
    () => ({ multipleOf: 1e-300, minLength: 3 }),
  ];
  return Object.assign({}, ...many(1 + Math.floor(random.next() * 3), () => random.pick(made)()));
}

const checked: readonly JsonValue[] = [
  members(20_000),
  { list: many(60_000, (index) => index), k0: 'a'.repeat(500_000) },
  {
    k0: members(3_000, () => 'ab'.repeat(50)),
    k1: many(5_000, () => ({ k0: 1.5 })),
    k2: 'http://a'.repeat(9_000),
  },
];

describe('no generated input takes 100 ms in one piece:', () => {
  test('expressions, parsed and evaluated', async () => {
    const random = createRandom(4);
    const longest = createLongest();
    for (let round = 0; round < 1_500; round++) {
      const source = `${expression(random, 1 + (round % 4), random.pick(['text', 'list', 'any']))}`;
      const bound = source.includes('x') ? `input.list.map(x, ${source})` : source;
      const evaluate = (): void => {
        try {
          parseExpression(bound, ['input']).evaluate(values);
        } catch (error) {
          if (!(error instanceof ExpressionError)) throw error;
        }
      };
      await longest.add(bound, () => cpuTime(evaluate).ms);
    }
    longest.expectShort();
  }, 600_000);

  test('schemas, compiled and applied', async () => {
    const random = createRandom(5);
    const longest = createLongest();
    for (let round = 0; round < 1_000; round++) {
      const made = schema(random, round % 3);
      const compiled = compileUserSchema(made);
      await longest.add(`compile ${JSON.stringify(made)}`, () => cpuTime(() => compileUserSchema(made)).ms);
      if ('invalid' in compiled) continue;
      for (const value of checked) {
        await longest.add(`apply ${JSON.stringify(made)}`, () => cpuTime(() => compiled.issues(value)).ms);
      }
    }
    longest.expectShort();
  }, 600_000);
});

const evil = `(?i)[${many(240, (k) => `${String.fromCodePoint(0x100 + k)}-${String.fromCodePoint(0x1e943 - k)}`).join('')}]`;

const agentStep = (more: JsonObject): JsonObject => ({ id: 'a', kind: 'agent', agent_name: 'echo', ...more });
const definition = (more: JsonObject, of: JsonObject = {}): string =>
  JSON.stringify({ name: 'n', steps: [agentStep(more)], ...of });

/** Definitions of about 1 MB. */
const definitions: readonly (readonly [name: string, body: string])[] = [
  ...['0', '{}', '[]', 'null', '""'].map(
    (item) =>
      [
        `steps of ${item}`,
        `{"name":"n","steps":${listOf(Math.floor(1e6 / (item.length + 1)), item)}}`,
      ] as const,
  ),
  ['many members of the output', definition({}, { output: members(75_000) })],
  ['many members of an input', definition({ static_input: members(75_000) })],
  ['nearly templates', definition({ static_input: members(70_000, () => '${') })],
  ['texts that look like templates', definition({ static_input: { a: '{{ $step.'.repeat(100_000) } })],
  ['many expressions', definition({ static_input: members(30_000, () => '${{ 1 }}') })],
  ['many dependencies', definition({ depends_on: many(240_000, () => 'b') })],
  ['wrong dependencies', `{"name":"n","steps":[{"id":"a","depends_on":${listOf(500_000, '0')}}]}`],
  ['many items', `{"name":"n","steps":[{"id":"a","foreach":{"items":${listOf(330_000, '{}')}}}]}`],
  ['many members of an output on error', definition({ on_error: { output: members(75_000) } })],
  ['unknown members', definition(members(75_000))],
  [
    'wrong steps',
    JSON.stringify({
      name: 'n',
      steps: many(1_000, () => ({ id: {}, kind: 1, depends_on: many(300, () => 0), retry: 1, when: 1 })),
    }),
  ],
  [
    'dense steps',
    JSON.stringify({
      name: 'n',
      steps: many(1_000, (step) => ({
        ...agentStep({ id: `s${step}` }),
        depends_on: many(Math.min(step, 100), (index) => `s${step - 1 - index}`),
      })),
    }),
  ],
  [
    'conditions',
    JSON.stringify({
      name: 'n',
      steps: many(1_000, (step) => agentStep({ id: `s${step}`, when: `true${' || true'.repeat(90)}` })),
    }),
  ],
  ['patterns', definition({}, { input_schema: { properties: members(5, () => ({ pattern: evil })) } })],
  ['a pattern in an expression', definition({ when: `"a".matches(${text(evil)})` })],
];

/** Inputs of about 1 MB. */
const inputs: readonly (readonly [name: string, input: string])[] = [
  ['many members', JSON.stringify(members(75_000))],
  ['many objects', `{"l":${listOf(330_000, '{}')}}`],
  ['many numbers', `{"l":${listOf(490_000, '1')}}`],
  ['a long text', JSON.stringify({ l: 'a'.repeat(1_000_000) })],
];

describe('no request stalls the service for 100 ms:', () => {
  let service: MeteredService;
  let workflowId: string;

  beforeAll(async () => {
    service = await startMeteredService({ RATE_LIMIT_REQUESTS: '1000000' });
    workflowId = await create(definition({}));
    // Parts that are loaded and compiled with the first request are no stall that a request causes.
    for (const body of [definition({}), definition({ when: '"a".matches("b")' })]) {
      for (let count = 0; count < 5; count++) await send('/workflows/validate', body);
    }
    await send(`/workflows/${workflowId}/run`, '{"input":{}}');
    await send(`/workflows/${workflowId}/simulate`, '{"input":{}}');
    await send('/messages', '{"customer_id":"c","source":"s","message":"Where is my order?"}');
    await service.longestTurn();
  });
  afterAll(() => service.stop());

  async function send(path: string, body: string): Promise<Response> {
    const reply = await fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    expect(reply.status, path).toBeLessThan(500);
    return reply;
  }

  async function create(body: string): Promise<string> {
    const created: unknown = await (await send('/workflows', body)).json();
    return (created as { id: string }).id;
  }

  /** The longest turn while the request is answered. */
  async function stallOf(path: string, body: string): Promise<number> {
    await (await send(path, body)).arrayBuffer();
    return service.longestTurn();
  }

  test.each(definitions)('a definition of %s', async (_name, body) => {
    for (const path of ['/workflows/validate', '/workflows']) {
      expectShort(await leastOf(() => stallOf(path, body)), path);
    }
  });

  test.each(inputs)('an input of %s', async (_name, input) => {
    for (const [path, body] of [
      [`/workflows/${workflowId}/run`, `{"input":${input}}`],
      [`/workflows/${workflowId}/simulate`, `{"input":${input}}`],
      ['/schedules', `{"workflow_id":"${workflowId}","cron":"0 0 1 1 *","input":${input}}`],
      ['/agents/route', `{"goal":"Check the order","payload":${input}}`],
      ['/workflows', input],
      ['/messages', `{"customer_id":"c","source":"s","message":"hi","metadata":${input}}`],
      ['/erase', `{"customer_id":${input}}`],
    ] as const) {
      expectShort(await leastOf(() => stallOf(path, body)), path);
    }
  });

  test.each([
    ['mocks', `{"input":{},"mocks":${JSON.stringify(members(75_000, () => ({})))}}`],
    ['items of a mock', `{"input":{},"mocks":{"a":${listOf(330_000, '{}')}}}`],
  ])('a simulation with many %s', async (_name, body) => {
    expectShort(await leastOf(() => stallOf(`/workflows/${workflowId}/simulate`, body)));
  });

  test('a run of many steps that each evaluate much', async () => {
    const work = '${{ size(input.t.replace(input.w, "b").lowerAscii().split("a")) }}';
    const steps = many(20, (index) => agentStep({ id: `s${index}`, static_input: { n: work } }));
    const id = await create(JSON.stringify({ name: 'n', steps }));
    const body = JSON.stringify({ input: { t: 'aA'.repeat(200_000), w: `ab${'a'.repeat(20_000)}` } });
    expectShort(await leastOf(() => stallOf(`/workflows/${id}/run`, body)));
  });

  test('a run that is given patterns', async () => {
    const matches = "${{ input.ps.map(p, 'a'.matches(p)).size() }}";
    const id = await create(definition({ static_input: { n: matches } }));
    const body = JSON.stringify({ input: { ps: many(400, () => evil) } });
    expectShort(await leastOf(() => stallOf(`/workflows/${id}/run`, body)));
  });

  test.each([
    ['sentences', 'Where is my order 1234? '.repeat(1_400)],
    ['numbers', '12 34 '.repeat(5_400)],
    ['one word', 'a'.repeat(32_000)],
    ['signs', '.!?"'.repeat(8_000)],
  ])('a goal of %s', async (_name, words) => {
    const body = JSON.stringify({ goal: words.slice(0, 32_000) });
    expectShort(await leastOf(() => stallOf('/agents/route', body)));
  });
});

describe('a playbook that is hostile is checked to its end:', () => {
  test.each([
    [
      'patterns that ignore case',
      `entities:\n${many(50, (k) => `  - { name: e${k}, pattern: '${evil}', examples: [a] }`).join('\n')}`,
    ],
    [
      'aliases of aliases',
      `a: &a [x, x]\n${many(24, (k) => `b${k}: &b${k} [*${k === 0 ? 'a' : `b${k - 1}`}, *${k === 0 ? 'a' : `b${k - 1}`}]`).join('\n')}`,
    ],
    [
      'many intents',
      `intents:\n${many(9_000, (k) => `  - { name: i${k}, examples: [hello there ${k}], reply: hi }`).join('\n')}`,
    ],
    ['deep lists', `a: ${'['.repeat(5_000)}`],
  ])('%s', async (_name, yaml) => {
    const folder = await mkdtemp(join(tmpdir(), 'hostile-playbook-'));
    try {
      await writeFile(join(folder, 'playbook.yaml'), yaml);
      const { code, stderr, stdout } = await runToEnd({}, folder, ['playbook', 'check', 'playbook.yaml']);
      expect(code, stdout + stderr).toBe(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
