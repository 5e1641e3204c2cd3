import { invalid } from '../../../domain/errors.ts';
import type { Limits } from '../../../domain/limits.ts';
import type { StepOutcome } from '../../../domain/run/step-end.ts';
import type { WaitEnd } from '../../../domain/run/waits.ts';
import { ToolError } from '../../../domain/tool-error.ts';
import type { AgentStep, ApprovalStep, Step, ToolStep } from '../../../domain/workflow/definition.ts';
import { TimeoutError } from '../../../lib/async/timeout.ts';
import { copyJsonObject } from '../../../lib/json/copy.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { pointerKeys } from '../../../lib/json/pointer.ts';
import { exampleOf } from '../../../lib/json/schema-example.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { SchemaLanguage } from '../../../ports/languages.ts';
import type { Tool } from '../../../ports/tool.ts';
import { agentFailureText, copyMessagePart, unknownAgentText } from '../../agents/bus.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import { parseInput, toolRetryMs } from '../../tools/attempts.ts';
import { toolFailure } from '../../tools/failure.ts';
import { type ToolRegistry, unknownToolText } from '../../tools/registry.ts';
import { agentRetryMs } from '../run-steps.ts';
import type { StepMock } from './mocks.ts';

/** A step, or one of its items, with its mock. */
export interface MockedStep<S extends Step = Step> {
  readonly step: S;
  /** Its key among the mocks. */
  readonly key: string;
  readonly mock: StepMock | undefined;
}

/** The time that a call has, in milliseconds, and its error after that. */
export interface CallLimit {
  readonly ms: number;
  readonly error: string;
}

/** The end of a call, `afterMs` milliseconds of simulated time after its beginning. */
export interface MockedEnd {
  readonly afterMs: number;
  readonly attempts: number;
  readonly outcome: StepOutcome;
  /** True where its limit has ended it. */
  readonly timedOut: boolean;
}

/** The end of all attempts at the tool or agent of a step, by the rules of real ones. */
export type CallMocked = (mocked: MockedStep, input: JsonObject, limit: CallLimit) => MockedEnd;

/** Counts work of a simulation, and the size of an output. Throws where it takes too much. */
export type Spend = (work: number, output?: JsonObject) => void;

/** A tool or an agent that is not called. */
interface Target {
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs: number;
  /** Throws where the input is not accepted. */
  readonly check: () => void;
  /** Throws where the attempt fails. */
  readonly output: () => JsonObject;
  /** The milliseconds from a failed attempt to the next one; `retryMs` is null where none follows. */
  readonly failed: (
    error: unknown,
    attempt: number,
  ) => { readonly error: string; readonly attempts: number; readonly retryMs: number | null };
}

/** Back-offs have full jitter: this is the mean. */
const mean = (): number => 0.5;

/** The tool of steps that have a mock and whose own is not registered. */
const unregistered: Tool = {
  name: 'mock',
  description: '',
  input: { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({}) },
  execute: () => ({}),
};

/** Creates {@link CallMocked}. None of the registered tools and agents is called. */
export function createCallMocked(
  {
    tools,
    agents,
  }: { readonly tools: Pick<ToolRegistry, 'get'>; readonly agents: Pick<AgentRegistry, 'get'> },
  limits: Limits,
  spend: Spend,
): CallMocked {
  const examples = new Map<string, JsonObject | undefined>();

  function exampleOutput({ name, output }: Tool): JsonObject | undefined {
    if (output === undefined || examples.has(name)) return examples.get(name);
    const schema = output.toJSONSchema({ io: 'output', unrepresentable: 'any' });
    const example = exampleOf(copyJsonObject(schema, limits.maxOutputBytes));
    const fits = isJsonObject(example) && output.safeParse(example).success;
    examples.set(name, fits ? copyJsonObject(example, limits.maxOutputBytes) : undefined);
    return examples.get(name);
  }

  function outputOf({ key, mock }: MockedStep, tool?: Tool): JsonObject {
    if (mock?.error !== undefined) throw new ToolError(mock.error);
    const output = mock?.output ?? (tool && exampleOutput(tool));
    if (output !== undefined) return output;
    const text = `give a mock for step ${quote(key)}`;
    const message =
      tool?.output === undefined
        ? `simulate: ${text}`
        : `simulate: no example fits the output schema of tool ${quote(tool.name)}: ${text}`;
    throw new ToolError(message, { permanent: true });
  }

  function toolTarget(tool: Tool, mocked: MockedStep<ToolStep>, input: JsonObject): Target {
    const retry = mocked.step.retry ?? tool.retry ?? { maxAttempts: limits.toolMaxAttempts };
    return {
      timeoutMs: tool.timeoutMs ?? limits.toolTimeoutMs,
      check: () => parseInput(tool, input, limits.maxOutputBytes),
      output: () => outputOf(mocked, tool),
      failed(error, attempt) {
        const failure = toolFailure(error);
        const attempts = failure.invalidInput ? 0 : attempt;
        return {
          error: failure.text,
          attempts,
          retryMs: toolRetryMs({ tool, failure, attempt }, retry, mean),
        };
      },
    };
  }

  function agentTarget(mocked: MockedStep<AgentStep>, input: JsonObject): Target {
    const { agentName: name, retry } = mocked.step;
    const agent = agents.get(name);
    return {
      timeoutMs: limits.agentTimeoutMs,
      check: () => copyMessagePart({ part: 'payload', name, value: input }, limits.maxOutputBytes),
      output: () => outputOf(mocked),
      failed: (error, attempt) => ({
        error: agentFailureText(name, error),
        attempts: attempt,
        retryMs: agentRetryMs(agent, attempt, retry, mean),
      }),
    };
  }

  function attemptAll(target: Target, mock: StepMock | undefined, limit: CallLimit): MockedEnd {
    const stopped = { afterMs: limit.ms, outcome: { error: limit.error }, timedOut: true };
    let afterMs = 0;
    for (let attempt = 1; ; attempt++) {
      spend(1);
      const { ms, ...ended } = attemptOnce(target, mock?.delayMs ?? 0);
      afterMs += ms;
      if (afterMs >= limit.ms) return { ...stopped, attempts: attempt };
      if ('output' in ended) {
        spend(0, ended.output);
        return { afterMs, attempts: attempt, outcome: ended, timedOut: false };
      }
      const { error, attempts, retryMs } = target.failed(ended.error, attempt);
      if (retryMs === null) return { afterMs, attempts, outcome: { error }, timedOut: false };
      afterMs += retryMs;
      if (afterMs >= limit.ms) return { ...stopped, attempts };
    }
  }

  return (mocked, input, limit) => {
    const { step, mock } = mocked;
    const isMocked = (mock?.output ?? mock?.error) !== undefined;
    const unknown = (attempts: number, error: string) => notCalled({ error }, attempts);
    if (step.kind === 'tool') {
      const tool = tools.get(step.toolName) ?? (isMocked ? unregistered : undefined);
      if (tool === undefined) return unknown(0, unknownToolText(step.toolName));
      return attemptAll(toolTarget(tool, { ...mocked, step }, input), mock, limit);
    }
    if (step.kind !== 'agent') throw new TypeError(`a step of kind ${step.kind} calls nothing`);
    if (agents.get(step.agentName) === undefined && !isMocked)
      return unknown(1, unknownAgentText(step.agentName));
    return attemptAll(agentTarget({ ...mocked, step }, input), mock, limit);
  };
}

/** The end of a call that was not made. */
export function notCalled(outcome: { readonly error: string }, attempts = 0): MockedEnd {
  return { afterMs: 0, attempts, outcome, timedOut: false };
}

function attemptOnce(
  { timeoutMs, check, output }: Target,
  delayMs: number,
): { readonly ms: number } & ({ readonly output: JsonObject } | { readonly error: unknown }) {
  let ms = 0;
  try {
    check();
    ms = Math.min(delayMs, timeoutMs);
    if (delayMs > timeoutMs) throw new TimeoutError(timeoutMs);
    return { ms, output: output() };
  } catch (error) {
    return { ms, error };
  }
}

/** The name that answers in a simulation. */
export const SIMULATION = 'simulation';

/**
 * The answer to an approval: that of its mock, and without one an approval with data that are made from the schema of
 * the step. Throws `validation` for data of the mock that do not fit that schema.
 */
export function answerOf(
  { key, mock, step }: MockedStep<ApprovalStep>,
  schemas: SchemaLanguage,
): Omit<WaitEnd, 'itemId'> {
  const { approved = true, data: mocked = null, note: givenNote, decided_by: decidedBy } = mock?.output ?? {};
  const by = typeof decidedBy === 'string' ? decidedBy : SIMULATION;
  const note = typeof givenNote === 'string' ? givenNote : null;
  if (approved !== true) return { outcome: 'rejected', by, note, data: mocked, output: null };
  const issuesOf = (value: JsonValue) => issuesOfResponse(step, value, schemas);
  if (mocked === null) {
    const data = step.responseSchema === undefined ? null : exampleOf(step.responseSchema);
    if (data !== undefined && issuesOf(data).length === 0)
      return { outcome: 'approved', by, note, data, output: null };
    const text = `simulate: no example fits the response_schema: give a mock for step ${quote(key)}`;
    return { outcome: 'failed', by, note: text, output: null };
  }
  const [issue] = issuesOf(mocked);
  if (issue !== undefined) {
    const path = ['mocks', key, 'output', 'data', ...pointerKeys(issue.pointer)];
    throw invalid([{ path, detail: issue.message }]);
  }
  return { outcome: 'approved', by, note, data: mocked, output: null };
}

function issuesOfResponse({ responseSchema }: ApprovalStep, data: JsonValue, schemas: SchemaLanguage) {
  if (responseSchema === undefined) return [];
  const compiled = schemas.compile(responseSchema);
  return 'invalid' in compiled ? compiled.invalid : compiled.issues(data);
}
