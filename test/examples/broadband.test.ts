import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf, root } from '../support/docs/pages.ts';
import { differences } from '../support/docs/replies.ts';
import { type Program, startProgram } from '../support/process/program.ts';
import {
  bodyOf,
  type Ended,
  postJson,
  runToEnd,
  type Service,
  startService,
} from '../support/process/service.ts';

const example = join(root, 'examples/broadband');
const token = 'Bearer a-secret-of-this-test';

interface Reply {
  readonly trace_id: string;
  readonly status: string;
  readonly intent: string;
  readonly disposition: string;
  readonly response: string;
}

interface Trace {
  readonly concerns: readonly string[];
  readonly tool_calls: readonly unknown[];
  readonly agent_decisions: readonly { readonly data: { readonly reasons?: readonly string[] } }[];
}

interface MessageSchema {
  readonly properties: { readonly intent: { readonly enum: readonly string[] } };
}

const readme = readFileSync(join(example, 'README.md'), 'utf8');

/** A copy of the example whose tool calls the fault system of this test. */
let folder: string;
let faults: Program;
let service: Service;
let intents: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'broadband-'));
  await cp(example, folder, { recursive: true });
  faults = startProgram(process.execPath, [join(example, 'fault-system.ts'), '0'], {
    cwd: root,
    env: { FAULTS_TOKEN: token },
  });
  const [, port = ''] = await faults.waitForOutput(/http:\/\/127\.0\.0\.1:(\d+)/);
  const file = join(folder, 'playbook.yaml');
  const playbook = await readFile(file, 'utf8');
  intents = parse(playbook).intents.map(({ name }: { readonly name: string }) => name);
  expect(playbook).toContain('http://127.0.0.1:8071/');
  await writeFile(file, playbook.replace('127.0.0.1:8071', `127.0.0.1:${port}`));
  service = await startWith(token);
  // The first reply of a process loads the templates.
  await send('My line is dead');
});

afterAll(async () => {
  await service.stop();
  await faults.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

function startWith(faultsToken: string): Promise<Service> {
  const playbook = join(folder, 'playbook.yaml');
  return startService({ PLAYBOOK: playbook, FAULTS_TOKEN: faultsToken, OUTBOUND_ALLOW: '127.0.0.1' });
}

/** Runs a command of the service as the README shows it, on the copy of the example. */
function command(...args: readonly string[]): Promise<Ended> {
  return runToEnd({ FAULTS_TOKEN: token }, folder, args);
}

/** Runs the command of the README that begins with these words, with the paths of the copy. */
function runShown(words: string): Promise<Ended> {
  const line = readme.split('\n').find((one) => one.includes(`node src/main.ts ${words} `)) ?? '';
  const [, args = ''] = /node src\/main\.ts (.+)$/.exec(line) ?? [];
  return command(...args.replaceAll('examples/broadband/', '').split(' '));
}

async function accuracyOf({ code, stdout }: Ended): Promise<number> {
  expect(code).toBe(0);
  return Number(/^classification_accuracy +([\d.]+)$/m.exec(stdout)?.[1]);
}

async function send(message: string, to: Service = service): Promise<Reply> {
  return bodyOf<Reply>(await postJson(`${to.baseUrl}/messages`, { customer_id: 'customer-42', message }));
}

async function traceOf({ trace_id }: Reply): Promise<Trace> {
  return bodyOf<Trace>(await fetch(`${service.baseUrl}/trace/${trace_id}`));
}

describe('the commands of the README', () => {
  test('find no faults and no warnings in the playbook', async () => {
    const ended = await runShown('playbook check');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(' 0 warnings');
  });

  test('train the model that is here, byte by byte', { timeout: 60_000 }, async () => {
    await rm(join(folder, 'model.json'));
    expect(await runShown('train')).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'model.json'))).toEqual(await readFile(join(example, 'model.json')));
  });

  test('show that it is better than the examples of the playbook alone', { timeout: 60_000 }, async () => {
    const trained = await accuracyOf(await runShown('evaluate'));
    const playbook = await readFile(join(folder, 'playbook.yaml'), 'utf8');
    await writeFile(join(folder, 'without.yaml'), playbook.replace(/^classifier: .*$/m, ''));
    const args = ['--playbook', 'without.yaml', '--tickets', 'tickets-held-out.csv'];
    expect(trained).toBeGreaterThan(await accuracyOf(await command('evaluate', ...args)));
    expect(trained).toBeGreaterThan(0.6);
  });
});

describe('a question about a fault report', () => {
  test('is answered with what the fault system says', async () => {
    const reply = await send('Any news on F2601734?');
    expect(reply).toMatchObject({ status: 'COMPLETED', intent: 'fault_status', disposition: 'answered' });
    expect(reply.response).toContain('We are working on it. We expect the repair by 2026-12-04.');
  });

  test('asks to check a number that the fault system does not know', async () => {
    const reply = await send('Any news on F2699999?');
    expect(reply).toMatchObject({ status: 'COMPLETED', intent: 'fault_status', disposition: 'answered' });
    expect(reply.response).toContain('We cannot find one with the number F2699999.');
  });

  test('asks for a number where it has none', async () => {
    const reply = await send('I reported a fault on Monday. How far are you?');
    expect(reply).toMatchObject({ status: 'COMPLETED', intent: 'fault_status', disposition: 'answered' });
    expect(reply.response).toContain('Please send us its number');
    expect((await traceOf(reply)).tool_calls).toEqual([]);
  });

  test('fails without telling the token when the fault system refuses it', async () => {
    const wrong = 'Bearer wrong-secret-of-this-test';
    const other = await startWith(wrong);
    try {
      const reply = await send('Any news on F2601734?', other);
      expect(reply).toMatchObject({ status: 'FAILED', intent: 'fault_status' });
      const trace = await (await fetch(`${other.baseUrl}/trace/${reply.trace_id}`)).text();
      expect(trace).toContain('status 401');
      const told = [JSON.stringify(reply), trace, other.output()].join('\n');
      expect(told).not.toContain('wrong-secret');
    } finally {
      await other.stop();
    }
  });
});

describe('other messages', () => {
  test('in German are answered from the German article', async () => {
    const reply = await send('Wie schließe ich den neuen Router an? Es lag keine Anleitung bei.');
    expect(reply).toMatchObject({ intent: 'router_setup', disposition: 'answered' });
    expect(reply.response).toContain('Verbinden Sie das graue Kabel');
    expect(reply.response).toContain('Mit freundlichen Grüßen\nYour Lindmoor service team');
  });

  test('with a phrase of this trade go to a person as an injury', async () => {
    const reply = await send('There is a live cable on the pavement in front of our house.');
    expect(reply.disposition).toBe('escalated');
    expect(reply.response).toContain('stay away from the cable');
    expect((await traceOf(reply)).concerns).toContain('injury');
  });

  test('about the end of the contract always go to a person', async () => {
    const reply = await send('I want to cancel my contract.');
    expect(reply).toMatchObject({ intent: 'end_contract', disposition: 'escalated' });
  });

  test('in a language without replies go to a person', async () => {
    const reply = await send(
      "Bonjour, je n'ai plus internet depuis ce matin, la lumière est rouge. Que dois-je faire ?",
    );
    expect(reply.disposition).toBe('escalated');
    const { agent_decisions } = await traceOf(reply);
    expect(agent_decisions.flatMap(({ data }) => data.reasons ?? [])).toContain('language');
  });
});

describe('the service', () => {
  test('lists the tools of the playbook and no example', async () => {
    const { tools } = await bodyOf<{ readonly tools: readonly { readonly name: string }[] }>(
      await fetch(`${service.baseUrl}/tools`),
    );
    expect(tools.map(({ name }) => name).sort()).toEqual(['fault_lookup', 'search_articles']);
  });

  test('names the own intents in its description and its metrics', async () => {
    const { components } = await bodyOf<{
      readonly components: { readonly schemas: { readonly MessageResponse: MessageSchema } };
    }>(await fetch(`${service.baseUrl}/openapi.json`));
    const named = components.schemas.MessageResponse.properties.intent.enum;
    expect(named).toEqual([...intents, 'human_agent', 'spam', 'feedback', 'unknown']);
    await send('My line is dead');
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^service_messages_total\{[^}]*intent="outage"/m);
  });

  test('evaluates tickets with the own intents', async () => {
    const tickets = [{ message: 'which cable goes where', expected_intent: 'router_setup' }];
    const reply = await postJson(`${service.baseUrl}/evaluation`, { tickets });
    expect(await bodyOf(reply)).toMatchObject({ classification_accuracy: 1, total_tickets: 1 });
    const unknown = [{ message: 'where is my order', expected_intent: 'order_status' }];
    expect((await postJson(`${service.baseUrl}/evaluation`, { tickets: unknown })).status).toBe(422);
  });
});

describe('the README of the example', () => {
  const blocks = blocksOf({ path: 'examples/broadband/README.md', markdown: readme });

  test('shows requests that are answered as it says', async () => {
    const requests = blocks.filter(({ code }) => code.startsWith('curl '));
    expect(requests.length).toBe(3);
    for (const request of requests) {
      const script = request.code.replaceAll('http://127.0.0.1:8000', service.baseUrl);
      const { stdout } = await startProgram('bash', ['-euc', script], { cwd: folder, env: {} }).ended;
      const shown = blocks[blocks.indexOf(request) + 1];
      expect(shown?.mark).toBe('reply');
      const found = differences(JSON.parse(shown?.code ?? ''), JSON.parse(stdout), new Map());
      expect(found.map((text) => `${request.place} ${text}`)).toEqual([]);
    }
  });

  test.each([
    ['tickets.csv', /\| (\d+) messages/],
    ['tickets-held-out.csv', /\| (\d+) others/],
  ])('counts what is in %s', async (name, pattern) => {
    const rows = (await readFile(join(example, name), 'utf8')).match(/",[a-z_]+$/gm) ?? [];
    expect(rows.length).toBe(Number(pattern.exec(readme)?.[1]));
  });
});
