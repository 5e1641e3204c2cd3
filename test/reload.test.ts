import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../build/service.ts';
import { getBuiltInDefinition } from '../src/adapters/playbook/built-in.ts';
import { assessed } from './support/llm/fake-model.ts';
import { startFakeProvider } from './support/llm/fake-provider.ts';
import { byPurpose } from './support/llm/provider-replies.ts';
import {
  ask,
  type CompanyName,
  companyKeys,
  type JobServer,
  startJobServer,
  underLoad,
  writeArticles,
  writePlaybook,
} from './support/playbook/two-companies.ts';
import { startProgram } from './support/process/program.ts';
import { bodyOf, type Service, startService } from './support/process/service.ts';

let folder: string;
let jobs: JobServer;
let service: Service;

beforeAll(async () => {
  jobs = await startJobServer();
});

afterAll(() => jobs.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reload-'));
  await writeArticles(folder);
  await write('red');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Starts the service of a test, which ends with it. */
async function start(settings: Readonly<Record<string, string>>): Promise<void> {
  const started = await startService(settings);
  onTestFinished(started.stop);
  service = started;
}

/** The settings of a service with the playbook in the folder. */
const ofCompany = () => ({
  ...companyKeys,
  PLAYBOOK: join(folder, 'playbook.yaml'),
  OUTBOUND_ALLOW: '127.0.0.1',
  RATE_LIMIT_REQUESTS: '1000000',
});

const write = (text: CompanyName | { readonly text: string }) => writePlaybook(folder, text, jobs.port);

/** The lines of the log with that message. */
const lines = (message: string) => service.log().filter(({ msg }) => msg === message);

const reloads = () => lines('the playbook was reloaded');
const refusals = () => lines('the playbook could not be reloaded, the last one stays in use');

/** Sends SIGHUP and waits until its outcome is logged. */
async function hangUp(): Promise<void> {
  const before = reloads().length + refusals().length;
  service.process.kill('SIGHUP');
  await expect.poll(() => reloads().length + refusals().length).toBe(before + 1);
}

const post = () => fetch(`${service.baseUrl}/system/reload`, { method: 'POST' });

async function version(): Promise<string> {
  const system = await bodyOf<{ playbook: { version: string } }>(await fetch(`${service.baseUrl}/system`));
  return system.playbook.version;
}

/** The names of both companies in the answers about a repair and about a key. */
const namesNow = async () => [...(await ask(service, 0)).names, ...(await ask(service, 1)).names];

describe('SIGHUP', () => {
  beforeEach(() => start(ofCompany()));

  test('makes the service use the changed playbook, and not the one before', async () => {
    const before = await version();
    expect(await namesNow()).toEqual(['red', 'red']);
    await write('blue');
    await hangUp();
    expect(await namesNow()).toEqual(['blue', 'blue']);
    expect(await version()).not.toBe(before);
    expect(reloads()).toMatchObject([{ level: 'info', changed: true, version: await version() }]);
    await write('red');
    await hangUp();
    expect(await version()).toBe(before);
  });

  test('changes nothing and ends nothing where the playbook is broken or gone, and tells all faults', async () => {
    const before = await version();
    await write({
      text: 'colour: red\nintents:\n  - { name: a, description: A, replies: { en: "{{ x" } }\n',
    });
    await hangUp();
    await rm(join(folder, 'playbook.yaml'));
    await hangUp();
    expect(refusals()).toMatchObject([
      {
        level: 'error',
        faults: expect.arrayContaining([
          expect.stringMatching(/playbook\.yaml:1:1: colour: /),
          expect.stringMatching(/playbook\.yaml:3:\d+: intents\[0\]\.replies\.en: /),
        ]),
      },
      { level: 'error', faults: [expect.stringMatching(/playbook\.yaml: cannot be read \(ENOENT\)$/)] },
    ]);
    expect(await namesNow()).toEqual(['red', 'red']);
    expect(await version()).toBe(before);
    await write('blue');
    await hangUp();
    expect(await namesNow()).toEqual(['blue', 'blue']);
    service.process.kill('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
  });

  test('fails and mixes no message, whatever becomes of the file', async () => {
    const texts = ['blue', 'red', { text: 'intents: 5' }] as const;
    const { answered, strange } = await underLoad(service, async () => {
      for (let round = 0; round < 12; round++) {
        await write(texts[round % texts.length] ?? 'red');
        await hangUp();
        await ask(service, round);
      }
    });
    expect(strange).toEqual([]);
    expect(new Set(answered.flatMap(({ names }) => names))).toEqual(new Set(['red', 'blue']));
    await write('red');
    await hangUp();
    // One keeps its connection for the next call, the others are closed.
    await expect.poll(jobs.openConnections).toBeLessThanOrEqual(6);
    expect(service.output()).not.toContain('canary');
  });
});

describe('POST /system/reload', () => {
  beforeEach(() => start(ofCompany()));

  test('uses the changed playbook, and tells its version', async () => {
    await write('blue');
    const response = await post();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      playbook: { source: join(folder, 'playbook.yaml'), version: await version() },
      warnings: [],
      changed: true,
    });
    expect(await namesNow()).toEqual(['blue', 'blue']);
    expect(await (await post()).json()).toMatchObject({
      changed: false,
      playbook: { version: await version() },
    });
  });

  test('is 422 with all faults of a broken playbook, which changes nothing', async () => {
    await write({ text: 'colour: red\nsize: 5\nintents: []\n' });
    const response = await post();
    expect(response.status).toBe(422);
    const { detail } = await bodyOf<{ detail: string }>(response);
    expect(detail).toMatch(/playbook\.yaml:1:1: colour: .*; .*playbook\.yaml:2:1: size: /);
    expect(await namesNow()).toEqual(['red', 'red']);
  });

  test('lists the tools of the new playbook, with the calls of those that it keeps', async () => {
    const tools = async () => {
      const listed = await fetch(`${service.baseUrl}/tools?include=stats,source`);
      return (await bodyOf<{ tools: object[] }>(listed)).tools;
    };
    await ask(service, 0);
    await write('blue');
    await post();
    expect(await tools()).toMatchObject([
      { name: 'search_articles', source: 'playbook' },
      { name: 'job_lookup', description: 'The blue state of a repair.', stats: { success: 1 } },
    ]);
  });
});

describe('the built-in playbook', () => {
  const { intents } = getBuiltInDefinition();
  const tickets = intents.flatMap(({ name, examples = [] }) =>
    examples.flatMap((message) =>
      ['', ' Thanks.'].map((end) => JSON.stringify({ message: message + end, intent: name })),
    ),
  );

  async function train(seed: number): Promise<void> {
    await writeFile(join(folder, 'tickets.jsonl'), tickets.join('\n'));
    const args = ['tickets.jsonl', '--out', 'model.json', '--folds', '2', '--seed', String(seed)];
    const ended = await startProgram(process.execPath, [program, 'train', ...args], { cwd: folder, env: {} })
      .ended;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  }

  test('has nothing to reload without a classifier', async () => {
    await start({});
    expect(await (await post()).json()).toMatchObject({
      playbook: { source: 'built-in', version: await version() },
      warnings: [],
      changed: false,
    });
  });

  test('takes a classifier that was trained anew, and none that is broken', async () => {
    await train(1);
    await start({ CLASSIFIER_MODEL: join(folder, 'model.json') });
    const before = await version();
    await train(2);
    expect(await (await post()).json()).toMatchObject({ playbook: { source: 'built-in' }, changed: true });
    const after = await version();
    expect(after).not.toBe(before);
    await writeFile(join(folder, 'model.json'), '{}');
    const { detail } = await bodyOf<{ detail: string }>(await post());
    expect(detail).toContain('model.json: ');
    expect(await version()).toBe(after);
  });
});

test('a language model is told of the new playbook alone', async () => {
  const provider = await startFakeProvider(byPurpose({ planner: assessed('repair_status') }));
  try {
    await start({
      ...ofCompany(),
      LLM_API_KEY: 'key',
      LLM_BASE_URL: provider.baseUrl,
      LLM_STAGES: 'planner',
    });
    await ask(service, 0);
    await write('blue');
    await hangUp();
    const before = provider.requests.length;
    await ask(service, 0);
    const prompt = JSON.stringify(provider.requests.slice(before));
    expect(prompt).toContain('the customer service of blue');
    expect(prompt).toContain('Ask the blue desk');
    expect(prompt).not.toMatch(/the customer service of red|Ask the red desk/);
  } finally {
    await provider.close();
  }
});

test('a service whose terminal is closed stops, in place of a reload', async () => {
  const command = `echo "pid $$ of it"; exec "${process.execPath}" "${program}"`;
  const env = { PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh', PORT: '0' };
  const terminal = startProgram('script', ['-qfec', command, '/dev/null'], { cwd: folder, env });
  const pid = Number((await terminal.waitForOutput(/pid (\d+) of it/))[1]);
  const isThere = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  try {
    await terminal.waitForOutput(/"msg":"listening"/);
    await terminal.stop('SIGKILL');
    await expect.poll(isThere).toBe(false);
  } finally {
    if (isThere()) process.kill(pid, 'SIGKILL');
  }
});
