import { defaultLimits } from '../../src/domain/limits.ts';
import { ToolError } from '../../src/domain/tool-error.ts';
import type { Agent, AgentContext } from '../../src/ports/agent.ts';

/** Part of what misbehaving agents throw; no record may contain it. */
export const SECRET = 'hunter2';

/** An agent that does something wrong, and the error that is then recorded. */
interface MisbehavingAgent {
  readonly behaviour: string;
  /** The agent; its name is `rogue`. */
  readonly agent: Agent;
  readonly error: string;
  /** It fails only by its time-out. */
  readonly hangs: boolean;
}

type Misbehave = (context: AgentContext) => unknown;

const unexpected = 'agent "rogue" failed unexpectedly';
const timedOut = `agent "rogue" timed out after ${defaultLimits.agentTimeoutMs} ms`;
const reply = (fault: string): string => `the reply of agent "rogue" ${fault}`;

const fail = (): never => {
  throw new Error(SECRET);
};
const thrower = (thrown: unknown) => () => {
  throw thrown;
};
const circle = (): object => {
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

const faults: readonly (readonly [behaviour: string, error: string, misbehave: Misbehave])[] = [
  ['throws an error', unexpected, fail],
  ['throws a text', unexpected, thrower(SECRET)],
  ['throws null', unexpected, thrower(null)],
  ['throws undefined', unexpected, thrower(undefined)],
  ['throws a symbol', unexpected, thrower(Symbol(SECRET))],
  ['throws a frozen object', unexpected, thrower(Object.freeze({ message: SECRET }))],
  ['throws an error that is meant to be shown', 'out of stock', thrower(new ToolError('out of stock'))],
  ['rejects', unexpected, () => Promise.reject(new Error(SECRET))],
  ['rejects with nothing', unexpected, () => Promise.reject()],
  ['replies undefined', notAnObject, () => undefined],
  ['replies null', notAnObject, () => null],
  ['replies a text', notAnObject, () => 'text'],
  ['replies a list', notAnObject, () => [{}]],
  ['replies a function', notAnObject, () => fail],
  ['replies a Map', notAnObject, () => new Map()],
  ['replies a list later', notAnObject, async () => []],
  ['replies a BigInt within', reply('contains a bigint, which JSON cannot express'), () => ({ n: 1n })],
  ['replies a function within', reply('contains a function, which JSON cannot express'), () => ({ fail })],
  [
    'replies a number that is not finite',
    reply('contains a number that is not finite'),
    () => ({ n: Infinity }),
  ],
  ['replies a circle', reply('is nested deeper than 64 levels or contains a cycle'), circle],
  [
    'replies too deep an object',
    reply('is nested deeper than 64 levels or contains a cycle'),
    () => deep(100_000),
  ],
  ['replies too much', reply('is larger than 1048576 bytes of JSON'), () => ({ text: 'x'.repeat(2 ** 20) })],
  ['replies an object whose toJSON throws', unexpected, () => ({ toJSON: fail })],
  ['replies an object whose toJSON is no object', notAnObject, () => ({ toJSON: () => SECRET })],
  [
    'calls an agent that does not exist',
    'no agent "nobody" is registered',
    ({ route }) => route('nobody', {}),
  ],
  [
    'calls itself endlessly',
    'stopped before agent "rogue": agents may call each other at most 8 levels deep',
    ({ route }) => route('rogue', {}),
  ],
];

const hanging: readonly (readonly [behaviour: string, error: string, misbehave: Misbehave])[] = [
  ['never answers', timedOut, never],
  ['rejects when its time is over', timedOut, ({ signal }) => afterAbort(signal, fail)],
  ['answers when its time is over', timedOut, ({ signal }) => afterAbort(signal, () => ({ late: true }))],
];

/** Agents that misbehave in many ways; the same table serves routing and workflows. */
export const misbehavingAgents: readonly MisbehavingAgent[] = [
  ...faults.map((row) => misbehaving(row, false)),
  ...hanging.map((row) => misbehaving(row, true)),
];

function misbehaving(
  [behaviour, error, misbehave]: readonly [string, string, Misbehave],
  hangs: boolean,
): MisbehavingAgent {
  // The types of these replies are wrong on purpose.
  const handle: Agent['handle'] = (_message, context) => misbehave(context) as never;
  return { behaviour, error, hangs, agent: { name: 'rogue', description: behaviour, handle } };
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
