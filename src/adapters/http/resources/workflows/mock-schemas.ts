import { z } from '@hono/zod-openapi';
import type { Mocks, StepMock } from '../../../../application/runs/simulate/mocks.ts';
import { MAX_WAIT_MS } from '../../../../domain/workflow/definition.ts';
import { isPlainObject, type JsonObject } from '../../../../lib/json/json.ts';

/** The maximum length of the error of a mock, in characters. */
const MAX_ERROR = 500;

/** A mock as it is sent. */
export interface WireMock {
  readonly output?: JsonObject;
  readonly error?: string;
  readonly delay_ms?: number;
}

export type WireMocks = Readonly<Record<string, WireMock | readonly WireMock[]>>;

/** The most steps that can have mocks, those of child workflows included. */
const MAX_MOCKS = 10_000;

/** The most issues of mocks that are reported: more would not fit into `detail`. */
const MAX_ISSUES = 100;

/**
 * `mocks` of a simulation: an object for each step, or a list of them. Reports the first 100 issues. A body can contain
 * very many mocks, for which zod's own schemas take too long.
 */
export const mocksSchema = z
  .custom<WireMocks>(isPlainObject, { error: 'must be an object', abort: true })
  .superRefine((mocks, context) => {
    const count = Object.keys(mocks).length;
    if (count > MAX_MOCKS) {
      const message = `must have at most ${MAX_MOCKS} members, but there are ${count}`;
      return context.addIssue({ code: 'custom', path: [], message });
    }
    let issues = 0;
    for (const { path, mock } of eachMock(mocks)) {
      for (const [member, message] of Object.entries(mockIssues(mock))) {
        context.addIssue({ code: 'custom', path: member === '' ? path : [...path, member], message });
        if (++issues === MAX_ISSUES) return;
      }
    }
  });

const members = new Set(['output', 'error', 'delay_ms']);

/** What is wrong with a mock, by its members. */
function mockIssues(mock: unknown): Readonly<Record<string, string>> {
  if (!isPlainObject(mock)) return { '': 'must be an object' };
  const { output, error, delay_ms: delayMs } = mock;
  const isKnown = Object.keys(mock).every((member) => members.has(member));
  return {
    ...(isKnown ? {} : { '': 'may have output, error and delay_ms only' }),
    ...(output === undefined || isPlainObject(output) ? {} : { output: 'must be an object' }),
    ...(error === undefined || isErrorText(error)
      ? {}
      : { error: `must be a string of 1 to ${MAX_ERROR} characters` }),
    ...(delayMs === undefined || isDelay(delayMs)
      ? {}
      : { delay_ms: `must be an integer from 0 to ${MAX_WAIT_MS}` }),
  };
}

function isErrorText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ERROR;
}

function isDelay(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_WAIT_MS;
}

function* eachMock(mocks: WireMocks): Generator<{ readonly path: PropertyKey[]; readonly mock: WireMock }> {
  for (const [step, mock] of Object.entries(mocks)) {
    if (!isList(mock)) yield { path: [step], mock };
    else for (const [index, one] of mock.entries()) yield { path: [step, index], mock: one };
  }
}

function isList(mock: WireMock | readonly WireMock[]): mock is readonly WireMock[] {
  return Array.isArray(mock);
}

/** Valid mocks, as the core takes them. */
export function toMocks(mocks: WireMocks): Mocks {
  const entries = Object.entries(mocks).map(([step, mock]) => [
    step,
    isList(mock) ? mock.map(toStepMock) : toStepMock(mock),
  ]);
  return Object.fromEntries(entries);
}

function toStepMock({ output, error, delay_ms: delayMs }: WireMock): StepMock {
  return { output, error, delayMs };
}

const mockDocs = {
  type: 'object' as const,
  additionalProperties: false,
  properties: {
    output: {
      type: 'object' as const,
      additionalProperties: true,
      description:
        'What the tool, agent or child workflow returns; the output of a wait; for an approval `approved`, and if wanted `data`, `note` and `decided_by`',
    },
    error: { type: 'string' as const, description: 'Why each attempt, the child or the wait fails' },
    delay_ms: {
      type: 'integer' as const,
      description: 'Milliseconds of simulated time that it takes; for a wait in place of its own time',
    },
  },
};

/** The documentation of {@link mocksSchema}. */
export const mocksDocs = {
  type: 'object' as const,
  additionalProperties: { anyOf: [mockDocs, { type: 'array' as const, items: mockDocs }] },
  description:
    'What steps do, by step id; those of a child workflow by `<step>/<step of the child>`. For a step with `foreach`, an object counts for each item, and a list has one for each of the first items',
};
