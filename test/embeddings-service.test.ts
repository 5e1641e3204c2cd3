import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../build/service.ts';
import { makeTickets, toCsv } from './support/classifier/made-up-tickets.ts';
import { inputOf, vectorsReply } from './support/llm/fake-embeddings.ts';
import { type FakeProvider, startFakeProvider } from './support/llm/fake-provider.ts';
import { failure } from './support/llm/provider-replies.ts';
import { startProgram } from './support/process/program.ts';
import { bodyOf, postJson, type Service, startService } from './support/process/service.ts';

const key = 'sk-canary-embedding-5f1d0c';

const playbook = `
company: { name: Wheels, signature: The workshop, languages: [en] }
example_tools: false
articles: ./articles
intents:
  - name: lost_key
    description: Has lost the key of a lock.
    examples: [I lost the key of my lock, my lock key is gone, both keys were dropped, my key is lost]
    articles: true
    replies: { en: 'Advice: {{ articles[0].text }}' }
  - name: bad_brake
    description: A brake does not work.
    examples: [my brake squeaks, the brakes rub on the rim, the front brake is loose, repair my brake]
    replies: { en: 'Bring it in.' }
`;

const articles = {
  spare: '---\ntitle: Lost keys\nintents: [lost_key]\n---\nAsk the desk for a spare key.\n',
  price: '---\ntitle: Prices of locks\nintents: [lost_key]\n---\nA lock costs twenty.\n',
};

interface Trace {
  readonly intent: string;
  readonly response: string;
  readonly agent_decisions: readonly {
    readonly agent: string;
    readonly data: { readonly vector?: boolean };
  }[];
}

let folder = '';
let provider: FakeProvider;
let earlier = 0;
let service: Service | undefined;

beforeAll(async () => {
  provider = await startFakeProvider(vectorsReply);
});

beforeEach(async () => {
  provider.follow(vectorsReply);
  earlier = provider.requests.length;
  folder = await mkdtemp(join(tmpdir(), 'embeddings-'));
  await mkdir(join(folder, 'articles'));
  await writeFile(join(folder, 'playbook.yaml'), playbook);
  for (const [name, text] of Object.entries(articles)) {
    await writeFile(join(folder, 'articles', `${name}.md`), text);
  }
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  await rm(folder, { recursive: true, force: true });
});

afterAll(() => provider.close());

const settings = () => ({
  PLAYBOOK: join(folder, 'playbook.yaml'),
  EMBEDDING_MODEL: 'fake',
  EMBEDDING_BASE_URL: provider.baseUrl,
  EMBEDDING_API_KEY: key,
});

/** The texts that were asked for in the test. */
const asked = () => provider.requests.slice(earlier).flatMap(inputOf);

async function start(own: Readonly<Record<string, string>> = {}): Promise<Service> {
  await service?.stop();
  service = await startService({ ...settings(), ...own }, folder);
  return service;
}

async function send({ baseUrl }: Service, message: string): Promise<Trace> {
  const { trace_id } = await bodyOf<{ trace_id: string }>(
    await postJson(`${baseUrl}/messages`, { customer_id: 'c-1', message }),
  );
  return bodyOf<Trace>(await fetch(`${baseUrl}/trace/${trace_id}`));
}

/** True where the classifier had a vector; undefined where it could use none. */
const hadVector = ({ agent_decisions }: Trace) =>
  agent_decisions.find(({ agent }) => agent === 'classifier')?.data.vector;

/** The counter of fallbacks, by use and reason. */
async function fallbacks({ baseUrl }: Service): Promise<Record<string, number>> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const found = text.matchAll(/^service_embedding_fallbacks_total\{use="(\w+)",reason="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, use, reason, count]) => [`${use} ${reason}`, Number(count)]));
}

const warnings = (of: Service) =>
  of.log().filter(({ msg }) => msg === 'the embedding model failed, words alone decide');

describe('a service with an embedding model', () => {
  test('asks once for each text at the start, and once for each message', async () => {
    const running = await start();
    const texts = asked();
    expect(texts).toContain('I lost the key of my lock');
    expect(texts).toContain('Lost keys\nAsk the desk for a spare key.');
    expect(new Set(texts).size).toBe(texts.length);
    const trace = await send(running, 'my opener vanished');
    expect(trace.intent).toBe('lost_key');
    expect(hadVector(trace)).toBe(true);
    expect(asked().slice(texts.length)).toEqual(['my opener vanished']);
    expect(await fallbacks(running)).toEqual({});
    expect(await readdir(folder)).toContain('playbook.yaml.vectors');
    const again = await start();
    expect(asked()).toHaveLength(texts.length + 1);
    expect((await send(again, 'my opener vanished')).intent).toBe('lost_key');
  });

  test('decides by words where the provider fails, counts each time, and logs once', async () => {
    const running = await start();
    provider.follow(() => failure(500, {}, `the provider says ${key}`));
    expect((await send(running, 'I lost the key, of my lock')).intent).toBe('lost_key');
    for (let at = 0; at < 2; at++) {
      expect(hadVector(await send(running, `my brake squeaks ${at}`))).toBe(false);
    }
    const counted = await fallbacks(running);
    expect(counted['classifier provider_error']).toBeGreaterThan(0);
    const told = warnings(running).map(({ use, reason }) => `${use} ${reason}`);
    expect(told).toContain('classifier provider_error');
    expect(new Set(told).size).toBe(told.length);
    expect(running.output()).not.toContain(key);
    expect(running.output()).not.toContain('the provider says');
  });

  test('waits no longer than the setting says', async () => {
    const running = await start({ EMBEDDING_TIMEOUT_MS: '100' });
    provider.follow(() => ({ kind: 'silent' }));
    const startedAt = performance.now();
    expect(hadVector(await send(running, 'my brake squeaks'))).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(await fallbacks(running)).toMatchObject({ 'classifier timeout': 1 });
  });

  test.each([
    ['another model', { model: 'another' }],
    ['other dimensions', { dimensions: 12 }],
  ])('decides by words where %s answers', async (_, embeddings) => {
    const running = await start();
    provider.follow((request) => vectorsReply(request, embeddings));
    expect(hadVector(await send(running, 'my brake squeaks'))).toBe(false);
    expect(await fallbacks(running)).toMatchObject({ 'classifier other_model': 1 });
  });

  test('starts without the provider, and uses it after a reload', async () => {
    provider.follow(() => failure(503));
    const running = await start();
    expect(await fallbacks(running)).toEqual({ 'playbook provider_error': 1 });
    expect(hadVector(await send(running, 'my brake squeaks'))).toBeUndefined();
    provider.follow(vectorsReply);
    running.process.kill('SIGHUP');
    await expect
      .poll(() =>
        running.log().some(({ msg, changed }) => /was reloaded/.test(String(msg)) && changed === true),
      )
      .toBe(true);
    expect(hadVector(await send(running, 'my opener vanished'))).toBe(true);
  });

  test('asks for nothing where the setting is absent', async () => {
    const { EMBEDDING_MODEL: _, ...rest } = settings();
    service = await startService(rest, folder);
    expect(hadVector(await send(service, 'I lost the key of my lock'))).toBeUndefined();
    expect(asked()).toEqual([]);
    expect(await readdir(folder)).not.toContain('playbook.yaml.vectors');
  });

  test('uses a classifier that was trained with vectors', async () => {
    const train = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
      startProgram(process.execPath, [program, 'train', 'tickets.csv', '--folds', '3', ...args], {
        cwd: folder,
        env,
      }).ended;
    const tickets = makeTickets(12).filter(({ intent }) => ['lost_key', 'bad_brake'].includes(intent));
    await writeFile(join(folder, 'tickets.csv'), toCsv(tickets));
    const { PLAYBOOK: _, ...access } = settings();
    const ended = await train(access, '--test', 'tickets.csv');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(
      /vectors of fake-embedding +words alone +with vectors\naccuracy +[01]\.\d{3} +[01]\./,
    );
    expect(ended.stdout).toContain('tested on 24 tickets, with vectors');
    expect(ended.stdout + (await readFile(join(folder, 'model.json'), 'utf8'))).not.toContain(key);
    const before = asked().length;
    expect(before).toBe(24);
    const bytes = await readFile(join(folder, 'model.json'));
    await train(access);
    expect(asked()).toHaveLength(before);
    expect(await readFile(join(folder, 'model.json'))).toEqual(bytes);

    const running = await start({ CLASSIFIER_MODEL: join(folder, 'model.json') });
    expect(
      asked()
        .slice(before)
        .every((text) => /^(Lost keys|Prices of locks)\n/.test(text)),
    ).toBe(true);
    const trace = await send(running, 'the opener vanished');
    expect(trace.intent).toBe('lost_key');
    expect(hadVector(trace)).toBe(true);

    await rm(join(folder, 'model.json'));
    await rm(join(folder, 'model.json.vectors'));
    provider.follow(() => failure(401, {}, key));
    const failed = await train(access);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toBe(
      'EMBEDDING_MODEL: the embedding model failed (unauthorized); without the setting words alone are learned\n',
    );
    expect(await readdir(folder)).not.toContain('model.json');
  });
});
