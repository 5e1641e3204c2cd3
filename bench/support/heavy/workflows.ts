import { ask } from '../ask.ts';
import { prose } from '../prose.ts';
import type { Server } from '../servers.ts';
import type { Request } from '../wire.ts';
import { type Heavy, ROOM } from './messages.ts';

/** Steps that a definition may have. */
const STEPS = 1_000;

/** Characters four times which are still a legal input (256 KiB). */
const QUARTER = 63_000;

interface WireStep {
  readonly id: string;
  readonly tool_name?: string;
  readonly kind?: string;
  readonly agent_name?: string;
  readonly depends_on?: readonly string[];
  readonly static_input?: object;
}

/** The largest workflows to define and to run. */
export async function heavyWorkflows(service: Server): Promise<Heavy[]> {
  const runOf = async (request: Request): Promise<Request> => {
    const { id } = await ask<{ id: string }>(service, request);
    return { method: 'POST', path: `/workflows/${id}/run`, body: {} };
  };
  return [
    { name: 'definition of 1,000 steps, dense to 1 MiB', request: dense() },
    { name: 'run of 1,000 dense steps', request: await runOf(dense()) },
    { name: 'run of 1,000 steps side by side', request: await runOf(wide()) },
    { name: 'run of a chain that quadruples its data', request: await runOf(bomb()) },
    { name: 'run that spreads 62 KiB 3,996 times', request: await runOf(spread()) },
  ];
}

/** A definition each of whose steps depends on as many before it as a body of 1 MiB has room for. */
export function dense(): Request {
  const id = (step: number) => step.toString(36);
  const stepBytes = '{"id":"rr","tool_name":"refund_policy","depends_on":[]},'.length;
  const most = Math.floor((ROOM / STEPS - stepBytes) / '"rr",'.length);
  return define(
    'dense',
    Array.from({ length: STEPS }, (_, step) => ({
      id: id(step),
      tool_name: 'refund_policy',
      depends_on: Array.from({ length: Math.min(step, most) }, (_, before) => id(step - 1 - before)),
    })),
  );
}

/** A definition of one step, which takes in nothing. */
export function small(): Request {
  return define('small', [{ id: 'one', tool_name: 'refund_policy' }]);
}

function wide(): Request {
  const steps = Array.from({ length: STEPS }, (_, step) => ({ id: `s${step}`, tool_name: 'refund_policy' }));
  return define('wide', steps);
}

/** Each step holds what the one before put out four times, until an input is too large. */
function bomb(): Request {
  const steps = Array.from({ length: 12 }, (_, step) => {
    if (step === 0) return echo('s0', { all: { text: prose(1_000) } });
    const all = `$step.s${step - 1}.all`;
    return echo(`s${step}`, { all: [all, all, all, all] }, `s${step - 1}`);
  });
  return define('bomb', steps);
}

/** One output that all other steps take in four times each, which is just legal for each of them. */
function spread(): Request {
  const text = '$step.source.text';
  const steps = Array.from({ length: STEPS - 1 }, (_, step) =>
    echo(`s${step}`, { all: [text, text, text, text] }, 'source'),
  );
  return define('spread', [echo('source', { text: prose(QUARTER) }), ...steps]);
}

function define(name: string, steps: readonly WireStep[]): Request {
  return { method: 'POST', path: '/workflows', body: { name, steps } };
}

function echo(id: string, input: object, ...before: string[]): WireStep {
  return { id, kind: 'agent', agent_name: 'echo', depends_on: before, static_input: input };
}
