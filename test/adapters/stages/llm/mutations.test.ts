import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseDecision,
  parsePlan,
  parseResponse,
  parseVerdict,
} from '../../../../src/domain/message/stage-contract.ts';
import { runsOf } from '../../../support/extent.ts';
import { recordLogs } from '../../../support/fakes.ts';
import { obedientModel } from '../../../support/llm/fake-model.ts';
import {
  type Place,
  placeAgents,
  places,
  placeTools,
  recordModelUse,
} from '../../../support/llm/model-places.ts';
import { parseIntent } from '../stage-inputs.ts';

/** Replies for each place; in the long tests the five together make 10,000. */
const RUNS = runsOf(500, 2_000);

/** Values that have broken something somewhere, and some that are nearly right. */
const oddValues = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      7,
      -1,
      1.0000001,
      0,
      -0,
      1,
      0.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1e308,
      null,
      undefined,
      true,
      false,
    ],
    ...['', ' ', 'high', '0.5', '__proto__', 'constructor', 'null', '\u0000', '\ud800', 'x'.repeat(40_000)],
    ...['refund', 'spam', 'human_agent', 'unknown', 'FAILED', 'self_harm', 'needs_person', 'certain'],
    ...['My parcel A-7 is late', 'c1', 'c2', 'tr'],
    ...[
      'check_order',
      'send_money',
      'undeclared',
      'refund_policy',
      'wipe',
      'echo',
      'summary',
      'support_pipeline',
    ],
    ...[
      '{}',
      '{"order_id":"A-7"}',
      '{"order_id":7}',
      '{"__proto__":{"order_id":"A-7"}}',
      '[]',
      '{"a":1e999}',
    ],
    ...['see https://help.example/refunds', 'see https://evil.example', '<b>x</b>', '[a](b)', '\u001b[31m'],
    ...[[], {}, [[]], [{}], { length: 3 }, Array.from({ length: 1_000 }, () => ({}))],
  ),
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
);

type Mutation = {
  readonly at: number;
  readonly how: 'replace' | 'drop' | 'repeat' | 'add';
  readonly odd: unknown;
};

const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    at: fc.nat(30),
    how: fc.constantFrom('replace', 'drop', 'repeat', 'add'),
    odd: oddValues,
  }),
  { minLength: 0, maxLength: 3 },
);

/** All containers within a value, itself first. */
function containersOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersOf)];
}

function mutate(valid: unknown, changes: readonly Mutation[]): unknown {
  const root = { reply: structuredClone(valid) };
  for (const { at, how, odd } of changes) {
    const places = containersOf(root).flatMap((container) =>
      Object.keys(container).map((key) => ({ container, key })),
    );
    const place = places[at % Math.max(places.length, 1)];
    if (place === undefined) break;
    const { container, key } = place;
    if (how === 'replace') Reflect.set(container, key, structuredClone(odd));
    else if (how === 'drop') Reflect.deleteProperty(container, key);
    else if (how === 'add') Reflect.set(container, `${key}x`, structuredClone(odd));
    else
      Reflect.set(
        container,
        key,
        Array.from({ length: 1 + (at % 12) }, () => structuredClone(Reflect.get(container, key))),
      );
  }
  return root.reply;
}

const replies = (place: Place): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 9, arbitrary: mutations.map((changes) => mutate(place.valid, changes)) },
    { weight: 1, arbitrary: oddValues },
  );

const accepts = (toolName: string, input: unknown): boolean =>
  placeTools.some(({ name, input: schema }) => name === toolName && schema.safeParse(input).success);

/** The contract of each place, which holds for every reply of a model. */
const contracts: Readonly<Record<Place['name'], (value: unknown) => void>> = {
  classifier: (value) => void parseIntent(value),
  planner(value) {
    for (const { toolName, input } of parsePlan(value).toolCalls) {
      expect(['check_order', 'refund_policy']).toContain(toolName);
      expect(accepts(toolName, input)).toBe(true);
    }
  },
  verifier(value) {
    const { escalated, reasons, draft } = parseVerdict(value);
    expect(reasons).toEqual([escalated ? 'reply_does_not_fit' : 'answered']);
    expect(draft).toBe(escalated ? 'By the rules.' : undefined);
  },
  responder(value) {
    expect(parseResponse(value).reply).not.toMatch(/evil|<b>|\]\(|[^\P{Cc}\n\t]/u);
  },
  decomposer(value) {
    expect(Array.isArray(value)).toBe(true);
    for (const subtask of Array.isArray(value) ? value : []) {
      expect(placeAgents.map(({ name }) => name)).toContain(subtask.agentName);
      expect(Object.values(subtask.payload).every((text) => typeof text === 'string')).toBe(true);
      expect([undefined, 'short', 'long']).toContain(subtask.payload.style);
    }
  },
};

describe.each(places)('the $name with malformed replies', (place) => {
  test('keeps its contract', async () => {
    const sources = { llm: 0, fallback: 0 };
    await fc.assert(
      fc.asyncProperty(replies(place), async (reply) => {
        const model = obedientModel(() => reply).ask;
        const outcome = await place.run({ model, logger: recordLogs(), observer: recordModelUse() });
        const decided = parseDecision({ ...outcome, summary: '' }, (value) => value);
        contracts[place.name](decided.value);
        sources[decided.source === 'llm' ? 'llm' : 'fallback'] += 1;
        if (decided.source === 'fallback') expect(decided.value).toEqual(place.byRules);
      }),
      { numRuns: RUNS },
    );
    expect(sources.llm).toBeGreaterThan(RUNS / 20);
    expect(sources.fallback).toBeGreaterThan(RUNS / 4);
    expect(Object.keys({})).toEqual([]);
  });
});
