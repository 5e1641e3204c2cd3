import type { Client } from '../../../src/entries/client.ts';
import type { Answered } from '../../api/answer.ts';

/** The call that reads one message. */
export const readTrace = (id: string) => (api: Client) =>
  api.trace[':trace_id'].$get({ param: { trace_id: id } });

/** A message with everything that happened to it. */
export type Trace = Answered<ReturnType<typeof readTrace>>;

/** The part of a message that lists show. */
export type TraceRow = Omit<
  Trace,
  'state_transitions' | 'tool_calls' | 'agent_decisions' | 'cost' | 'currency'
>;

/** The outcome of a message, as one status: `failed`, or its disposition. */
export const outcomeOf = ({ status, disposition }: Pick<Trace, 'status' | 'disposition'>): string =>
  status === 'FAILED' ? 'FAILED' : disposition;

/** A stage or a tool call of a message, at its place in time. */
export interface TimelineRow {
  readonly sequence: number;
  readonly kind: 'stage' | 'tool';
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** Milliseconds after the message was received. */
  readonly from: number;
  /** Milliseconds that it took; as far as the service measures it. */
  readonly took: number;
  readonly isFailed: boolean;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * The stages and tool calls of a message by their sequence. A stage has the time of the state in which it worked. A
 * tool call has its own time, and begins with the state of the calls.
 */
export function timelineOf(trace: Trace): readonly TimelineRow[] {
  const states = statesOf(trace.state_transitions);
  const stateAt = (sequence: number): State =>
    states.find(({ left }) => left > sequence) ?? { left: 0, from: 0, took: 0 };
  const tools = trace.tool_calls.map(
    ({ sequence, tool_name, status, error, attempts, duration_ms, input, output }): TimelineRow => ({
      sequence,
      kind: 'tool',
      name: tool_name,
      took: duration_ms,
      isFailed: status === 'error',
      summary: error ?? `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
      from: stateAt(sequence).from,
      detail: { input, output, error, attempts },
    }),
  );
  const stages = trace.agent_decisions.map(({ sequence, agent, source, summary, data }): TimelineRow => {
    const { from, took } = stateAt(sequence);
    return {
      sequence,
      kind: 'stage',
      name: agent,
      summary,
      from,
      took,
      isFailed: false,
      detail: { source, ...data },
    };
  });
  return [...tools, ...stages].toSorted((a, b) => a.sequence - b.sequence);
}

/**
 * A state of a message: the sequence of the transition that left it, when it began and how long it lasted, in
 * milliseconds.
 */
interface State {
  readonly left: number;
  readonly from: number;
  readonly took: number;
}

/** The states in their order. Their durations are exact, while times have whole milliseconds. */
function statesOf(transitions: Trace['state_transitions']): readonly State[] {
  let from = 0;
  return transitions.map(({ sequence, duration_ms }) => {
    const state = { left: sequence, from, took: duration_ms };
    from += duration_ms;
    return state;
  });
}

/** An intent with the confidence that the classifier gave it. */
export interface Candidate {
  readonly intent: string;
  readonly confidence: number;
}

/** Words of the customer that say something for the intent or a concern. */
interface Evidence {
  readonly name: string;
  readonly words: readonly string[];
}

/** Reads the evidence of a classifier's decision. Members of another type are left out. */
export function evidenceOf(data: unknown): readonly Evidence[] {
  return Object.entries(recordOf(data)).flatMap(([name, words]) => {
    const own = textsOf(words);
    return own.length === 0 ? [] : [{ name, words: own }];
  });
}

/** The findings of the classifier, as far as its decision has them. */
export interface Judgement {
  readonly source: string | undefined;
  readonly candidates: readonly Candidate[];
  /** The probability that the message could be answered automatically; undefined where it is not told. */
  readonly answerable: number | undefined;
  /** The confidence that an answer needs; undefined where nothing was compared with it. */
  readonly threshold: number | undefined;
  /** The reasons of the verifier's decision, in sentences. */
  readonly explanations: readonly string[];
  readonly articles: readonly { readonly title: string; readonly relevance: number | undefined }[];
}

/** Reads the judgement of a message from the decisions of its stages. Members of another type are left out. */
export function judgementOf(trace: Trace): Judgement {
  const dataOf = (stage: string) => trace.agent_decisions.find(({ agent }) => agent === stage)?.data ?? {};
  const classified = dataOf('classifier');
  const verified = dataOf('verifier');
  const others = listOf(classified['alternatives']).flatMap((entry) => {
    const { intent, confidence } = recordOf(entry);
    return typeof intent === 'string' && typeof confidence === 'number' ? [{ intent, confidence }] : [];
  });
  const threshold = verified['threshold'];
  const answerable = verified['answerable'];
  return {
    source: trace.agent_decisions.find(({ agent }) => agent === 'classifier')?.source,
    candidates: [{ intent: trace.intent, confidence: trace.confidence }, ...others],
    answerable: typeof answerable === 'number' ? answerable : undefined,
    threshold: typeof threshold === 'number' ? threshold : undefined,
    explanations: textsOf(verified['explanations']),
    articles: trace.tool_calls.flatMap(({ output }) => articlesOf(output)),
  };
}

function articlesOf(output: unknown): Judgement['articles'] {
  const found = Object.values(recordOf(output)).flatMap(listOf);
  return found.flatMap((entry) => {
    const { title, relevance, score } = recordOf(entry);
    const value = relevance ?? score;
    return typeof title === 'string'
      ? [{ title, relevance: typeof value === 'number' ? value : undefined }]
      : [];
  });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** The texts of a list; none where it is no list. */
export const textsOf = (value: unknown): readonly string[] =>
  listOf(value).filter((text) => typeof text === 'string');
/** The members of an object or a list; none where it is neither. */
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** A member in which two messages differ. */
export interface Difference {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** In what the judgement of two messages differs, in words. */
export function differencesOf(before: Trace, after: Trace): readonly Difference[] {
  const members: readonly (readonly [string, (trace: Trace) => string])[] = [
    ['text', ({ message }) => message],
    ['outcome', outcomeOf],
    ['intent', ({ intent }) => intent],
    ['confidence', ({ confidence }) => `${(confidence * 100).toFixed(1)} %`],
    ['threshold', (trace) => shareOf(judgementOf(trace).threshold)],
    ['concerns', ({ concerns }) => concerns.join(', ') || 'none'],
    ['why', (trace) => judgementOf(trace).explanations.join('; ') || '–'],
    [
      'tools',
      ({ tool_calls }) =>
        tool_calls
          .map(({ tool_name, status, input }) => `${tool_name} ${JSON.stringify(input)}: ${status}`)
          .join('\n') || 'none',
    ],
    ['what tools brought', ({ tool_calls }) => tool_calls.map(broughtBy).join('\n') || 'nothing'],
    ['reply', ({ response }) => response],
  ];
  return members
    .map(([name, read]) => ({ name, before: read(before), after: read(after) }))
    .filter((difference) => difference.before !== difference.after);
}

function broughtBy({ output, error }: Trace['tool_calls'][number]): string {
  return output === null ? (error ?? 'nothing') : JSON.stringify(output);
}

const shareOf = (share: number | undefined): string =>
  share === undefined ? '–' : `${(share * 100).toFixed(1)} %`;
