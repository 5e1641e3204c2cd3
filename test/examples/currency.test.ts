import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ToolOutcome } from '../../src/domain/message/message.ts';
import type { RoutingResult } from '../../src/domain/routing/routing.ts';
import { type ReplyServer, startReplyServer } from '../support/http/reply-server.ts';
import { startProgram } from '../support/process/program.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Loads the extension, and prints the outcomes of calls to its tool and of goals for its agent. */
const drive = `
import { createOrchestrator } from 'orchestration-service';
import { defaultPorts } from 'orchestration-service/defaults';
import extension from ${JSON.stringify(at('../../examples/extension/currency.ts'))};

const orchestrator = createOrchestrator(defaultPorts({ random: () => 0 }), { toolMaxAttempts: 2 });
await extension(orchestrator);
const { calls, goals } = JSON.parse(process.argv[1]);
const outcomes = calls.map((input) => orchestrator.tools.execute({ toolName: 'convert_currency', input }));
const routings = goals.map((goal) => orchestrator.agents.route({ goal }));
console.log(JSON.stringify({ outcomes: await Promise.all(outcomes), routings: await Promise.all(routings) }));
`;

let rates: ReplyServer;
const requestCounts = new Map<string, number>();

beforeAll(async () => {
  rates = await startReplyServer((request, reply) => {
    const path = request.url ?? '';
    const times = (requestCounts.get(path) ?? 0) + 1;
    requestCounts.set(path, times);
    if (path.endsWith('/USD')) reply.end('{ "rate": 1.25 }');
    else if (path.endsWith('/BSY')) reply.writeHead(times === 1 ? 503 : 200).end('{ "rate": 3 }');
    else if (path.endsWith('/ODD')) reply.end('<p>Welcome</p>');
    else if (path.endsWith('/NEG')) reply.end('{ "rate": -1 }');
    else if (!path.endsWith('/SLO')) reply.writeHead(404).end('{}');
  });
});

afterAll(() => rates.close());

interface Outcomes {
  readonly outcomes: readonly ToolOutcome[];
  readonly routings: readonly RoutingResult[];
}

async function runExtension(what: object, environment: Record<string, string> = {}): Promise<Outcomes> {
  const args = ['--input-type=module', '--eval', drive, JSON.stringify(what)];
  const env = { CURRENCY_URL: rates.url, CURRENCY_TIMEOUT_MS: '300', ...environment };
  const { code, stdout, stderr } = await startProgram(process.execPath, args, { cwd: at('../..'), env })
    .ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Outcomes;
}

describe('the example of an extension', () => {
  test('converts, fails without a retry for an unknown currency, and retries temporary errors', async () => {
    const to = (currency: string) => ({ amount: 10, from: 'EUR', to: currency });
    const calls = ['USD', 'XXX', 'BSY', 'ODD', 'NEG', 'SLO', 'euro'].map(to);
    const { outcomes } = await runExtension({ calls, goals: [] });
    const results = outcomes.map(({ output, error, attempts }) => [output ?? error, attempts]);
    expect(results).toEqual([
      [{ amount: 12.5, currency: 'USD', rate: 1.25 }, 1],
      ['there is no exchange rate from EUR to XXX', 1],
      [{ amount: 30, currency: 'BSY', rate: 3 }, 2],
      ['the exchange rates were answered with status 200', 2],
      ['the exchange rates were answered with status 200', 2],
      ['the exchange rates cannot be reached', 2],
      ['invalid input: to: must be three capital letters', 0],
    ]);
    expect(requestCounts.get('/rates/EUR/XXX')).toBe(1);
  });

  test('reports an unreachable service', async () => {
    const calls = [{ amount: 1, from: 'EUR', to: 'USD' }];
    const { outcomes } = await runExtension({ calls, goals: [] }, { CURRENCY_URL: 'http://127.0.0.1:1' });
    expect(outcomes).toMatchObject([{ status: 'error', error: 'the exchange rates cannot be reached' }]);
  });

  test('receives its part of a goal by its keywords', async () => {
    const goals = ['What is the exchange rate from EUR to USD?', 'Convert my money.'];
    const { routings } = await runExtension({ calls: [], goals });
    expect(routings).toMatchObject([
      { status: 'completed', results: [{ agentName: 'currency', output: { rate: 1.25 } }] },
      { status: 'failed', results: [{ error: 'text: must name two currencies by their codes' }] },
    ]);
  });
});
