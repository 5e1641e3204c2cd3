import type { Request } from '../load/raw-http.ts';
import { sendJson } from '../load/send.ts';
import type { Server } from '../process/servers.ts';
import { type LargeInput, MAX_PAYLOAD_BYTES } from './largest-messages.ts';
import { ticketText } from './text.ts';

/** The most steps of a definition. */
const MAX_STEPS = 1_000;

/** A quarter of the longest input (256 KiB), in characters. */
const QUARTER_INPUT_LENGTH = 63_000;

interface StepBody {
  readonly id: string;
  readonly tool_name?: string;
  readonly kind?: string;
  readonly agent_name?: string;
  readonly depends_on?: readonly string[];
  readonly static_input?: object;
}

/** Requests that create and run the largest workflows. */
export async function largestWorkflows(service: Server): Promise<LargeInput[]> {
  const runOf = async (request: Request): Promise<Request> => {
    const { id } = await sendJson<{ id: string }>(service, request);
    return { method: 'POST', path: `/workflows/${id}/run`, body: {} };
  };
  return [
    { name: 'definition of 1,000 steps, dense to 1 MiB', request: defineDense() },
    { name: 'run of 1,000 dense steps', request: await runOf(defineDense()) },
    { name: 'run of 1,000 steps side by side', request: await runOf(defineWide()) },
    { name: 'run of a chain that quadruples its data', request: await runOf(defineGrowingData()) },
    { name: 'run that spreads 62 KiB 3,996 times', request: await runOf(defineFanOut()) },
  ];
}

/** A definition in which each step has as many dependencies as fit into a body of 1 MiB. */
export function defineDense(): Request {
  const id = (step: number) => step.toString(36);
  const stepBytes = '{"id":"rr","tool_name":"refund_policy","depends_on":[]},'.length;
  const most = Math.floor((MAX_PAYLOAD_BYTES / MAX_STEPS - stepBytes) / '"rr",'.length);
  return postWorkflow(
    'dense',
    Array.from({ length: MAX_STEPS }, (_, step) => ({
      id: id(step),
      tool_name: 'refund_policy',
      depends_on: Array.from({ length: Math.min(step, most) }, (_, before) => id(step - 1 - before)),
    })),
  );
}

/** A definition of one step without input. */
export function defineOneStep(): Request {
  return postWorkflow('small', [{ id: 'one', tool_name: 'refund_policy' }]);
}

function defineWide(): Request {
  const steps = Array.from({ length: MAX_STEPS }, (_, step) => ({
    id: `s${step}`,
    tool_name: 'refund_policy',
  }));
  return postWorkflow('wide', steps);
}

/** Each step contains the output of the one before four times, until an input is too large. */
function defineGrowingData(): Request {
  const steps = Array.from({ length: 12 }, (_, step) => {
    if (step === 0) return echoStep('s0', { all: { text: ticketText(1_000) } });
    const all = `$step.s${step - 1}.all`;
    return echoStep(`s${step}`, { all: [all, all, all, all] }, `s${step - 1}`);
  });
  return postWorkflow('bomb', steps);
}

/** One output that all other steps contain four times, just within the limit of an input. */
function defineFanOut(): Request {
  const text = '$step.source.text';
  const steps = Array.from({ length: MAX_STEPS - 1 }, (_, step) =>
    echoStep(`s${step}`, { all: [text, text, text, text] }, 'source'),
  );
  return postWorkflow('spread', [echoStep('source', { text: ticketText(QUARTER_INPUT_LENGTH) }), ...steps]);
}

function postWorkflow(name: string, steps: readonly StepBody[]): Request {
  return { method: 'POST', path: '/workflows', body: { name, steps } };
}

function echoStep(id: string, input: object, ...before: string[]): StepBody {
  return { id, kind: 'agent', agent_name: 'echo', depends_on: before, static_input: input };
}
