import { defaultLimits } from '../../src/domain/limits.ts';
import { ToolError } from '../../src/domain/tool-error.ts';
import type { Agent, AgentContext } from '../../src/ports/agent.ts';

/** A part of the errors that misbehaving agents throw. No record may contain it. */
export const SECRET = 'hunter2';

/** An agent that misbehaves, and the error to be recorded. */
interface MisbehavingAgent {
  readonly behavior: string;
  /** The agent; its name is `rogue`. */
  readonly agent: Agent;
  readonly error: string;
  /** True for an agent that fails only by its timeout. */
  readonly hangs: boolean;
}

type Misbehave = (context: AgentContext) => unknown;

const unexpected = 'agent "rogue" failed unexpectedly';
const timedOut = `agent "rogue" timed out after ${defaultLimits.agentTimeoutMs} ms`;
const reply = (problem: string): string => `the reply of agent "rogue" ${problem}`;

const fail = (): never => {
  throw new Error(SECRET);
};
const thrower = (thrown: unknown) => () => {
  throw thrown;
};
const circular = (): object => {
  const object: Record<string, unknown> = {};
  object['self'] = object;
  return object;
};
const deep = (levels: number): object => {
  let object = {};
  for (let level = 0; level < levels; level++) object = { object };
  return object;
};
const never = (): Promise<never> => new Promise(() => {});
const notAnObject = reply('is not an object');

const failing: readonly (readonly [behavior: string, error: string, misbehave: Misbehave])[] = [
  ['throws an error', unexpected, fail],
  ['throws a string', unexpected, thrower(SECRET)],
  ['throws null', unexpected, thrower(null)],
  ['throws undefined', unexpected, thrower(undefined)],
  ['throws a symbol', unexpected, thrower(Symbol(SECRET))],
  ['throws a frozen object', unexpected, thrower(Object.freeze({ message: SECRET }))],
  ['throws a ToolError', 'out of stock', thrower(new ToolError('out of stock'))],
  ['rejects', unexpected, () => Promise.reject(new Error(SECRET))],
  ['rejects with undefined', unexpected, () => Promise.reject()],
  ['replies undefined', notAnObject, () => undefined],
  ['replies null', notAnObject, () => null],
  ['replies a string', notAnObject, () => 'text'],
  ['replies an array', notAnObject, () => [{}]],
  ['replies a function', notAnObject, () => fail],
  ['replies a Map', notAnObject, () => new Map()],
  ['replies an array asynchronously', notAnObject, async () => []],
  [
    'replies an object with a BigInt',
    reply('contains a bigint, which JSON cannot express'),
    () => ({ n: 1n }),
  ],
  [
    'replies an object with a function',
    reply('contains a function, which JSON cannot express'),
    () => ({ fail }),
  ],
  [
    'replies an object with a number that is not finite',
    reply('contains a number that is not finite'),
    () => ({ n: Infinity }),
  ],
  ['replies a circular object', reply('is nested deeper than 64 levels or contains a cycle'), circular],
  [
    'replies an object that is nested too deeply',
    reply('is nested deeper than 64 levels or contains a cycle'),
    () => deep(100_000),
  ],
  [
    'replies an object that is too large',
    reply('is larger than 1048576 bytes of JSON'),
    () => ({ text: 'x'.repeat(2 ** 20) }),
  ],
  ['replies an object whose toJSON throws', unexpected, () => ({ toJSON: fail })],
  ['replies an object whose toJSON returns no object', notAnObject, () => ({ toJSON: () => SECRET })],
  [
    'calls an agent that does not exist',
    'no agent "nobody" is registered',
    ({ route }) => route('nobody', {}),
  ],
  [
    'calls itself without end',
    'stopped before agent "rogue": agents may call each other at most 8 levels deep',
    ({ route }) => route('rogue', {}),
  ],
];

const hanging: readonly (readonly [behavior: string, error: string, misbehave: Misbehave])[] = [
  ['never replies', timedOut, never],
  ['rejects when its signal is aborted', timedOut, ({ signal }) => afterAbort(signal, fail)],
  [
    'replies when its signal is aborted',
    timedOut,
    ({ signal }) => afterAbort(signal, () => ({ late: true })),
  ],
];

/** Agents that misbehave in many ways. */
export const misbehavingAgents: readonly MisbehavingAgent[] = [
  ...failing.map((row) => misbehaving(row, false)),
  ...hanging.map((row) => misbehaving(row, true)),
];

function misbehaving(
  [behavior, error, misbehave]: readonly [string, string, Misbehave],
  hangs: boolean,
): MisbehavingAgent {
  // The types of these replies are wrong on purpose.
  const handle: Agent['handle'] = (_message, context) => misbehave(context) as never;
  return { behavior, error, hangs, agent: { name: 'rogue', description: behavior, handle } };
}

function afterAbort(signal: AbortSignal, act: () => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      try {
        resolve(act());
      } catch (error) {
        reject(error);
      }
    });
  });
}
