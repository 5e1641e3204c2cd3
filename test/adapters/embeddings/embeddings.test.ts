import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmbeddings } from '../../../src/adapters/embeddings/embeddings.ts';
import type { TextVector } from '../../../src/domain/playbook/intent-classifier.ts';
import { roundVector, unitVector } from '../../../src/lib/learning/dense-vector.ts';
import type { Embedder, Embedding, EmbeddingFailure } from '../../../src/ports/embedder.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { recordLogs } from '../../support/fakes.ts';
import { fakeVector } from '../../support/llm/fake-embeddings.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embeddings-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const vectorOf = (text: string, model: string): TextVector => ({
  model,
  values: unitVector(roundVector(fakeVector(text))),
});

/** An embedding model that replies by a script, and what asks it. */
function createRig() {
  const calls: (readonly string[])[] = [];
  const rig = { model: 'one', failure: undefined as EmbeddingFailure | undefined };
  const embedder: Embedder = {
    model: 'asked-for',
    async embed(texts): Promise<Embedding> {
      calls.push(texts);
      if (rig.failure !== undefined) return { status: 'error', reason: rig.failure };
      return { status: 'success', vectors: texts.map((text) => vectorOf(text, rig.model)) };
    },
  };
  const clock = createFakeClock();
  const logger = recordLogs();
  const counted: string[] = [];
  const create = () =>
    createEmbeddings({
      embedder,
      timeoutMs: 1_500,
      clock,
      logger,
      observer: (use, reason) => void counted.push(`${use} ${reason}`),
    });
  return { rig, calls, clock, logger, counted, create, embeddings: create() };
}

const space = { model: 'one', dimensions: fakeVector('').length };

describe('the vector of a message', () => {
  test('is requested once, whoever asks for it, and again some time after a failure', async () => {
    const { rig, calls, clock, counted, embeddings } = createRig();
    const [first, second] = await Promise.all([
      embeddings.ofMessage('where is my key', 'classifier', space),
      embeddings.ofMessage('where is my key', 'article_search', space),
    ]);
    expect(first).toEqual(vectorOf('where is my key', 'one'));
    expect(second).toBe(first);
    expect(calls).toEqual([['where is my key']]);
    rig.failure = 'timeout';
    expect(await embeddings.ofMessage('another', 'classifier', space)).toBeUndefined();
    rig.failure = undefined;
    expect(await embeddings.ofMessage('another', 'article_search', space)).toBeUndefined();
    expect(calls).toHaveLength(2);
    await clock.advance(5_000);
    expect(await embeddings.ofMessage('another', 'classifier', space)).toBeDefined();
    expect(await embeddings.ofMessage(' \n', 'classifier', space)).toBeUndefined();
    expect(calls).toHaveLength(3);
    expect(counted).toEqual(['classifier timeout', 'article_search timeout']);
  });

  test('is undefined where another model answers, or one of other dimensions', async () => {
    const { rig, counted, embeddings } = createRig();
    rig.model = 'two';
    expect(await embeddings.ofMessage('a', 'classifier', space)).toBeUndefined();
    rig.model = 'one';
    const smaller = { ...space, dimensions: 8 };
    expect(await embeddings.ofMessage('b', 'article_search', smaller)).toBeUndefined();
    expect(counted).toEqual(['classifier other_model', 'article_search other_model']);
  });

  test('that is missing is logged once a minute, without the text', async () => {
    const { rig, clock, logger, counted, embeddings } = createRig();
    rig.failure = 'unreachable';
    for (let at = 0; at < 5; at++) await embeddings.ofMessage(`secret ${at}`, 'classifier', space);
    await clock.advance(60_000);
    await embeddings.ofMessage('secret', 'classifier', space);
    expect(counted).toHaveLength(6);
    expect(logger.lines).toMatchObject([
      { level: 'warn', reason: 'unreachable', use: 'classifier', times: 1 },
      { level: 'warn', reason: 'unreachable', use: 'classifier', times: 5 },
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain('secret');
  });

  test('is forgotten after many others, so that memory stays bounded', async () => {
    const { calls, embeddings } = createRig();
    for (let at = 0; at <= 512; at++) await embeddings.ofMessage(`text ${at}`, 'classifier', space);
    await embeddings.ofMessage('text 512', 'classifier', space);
    expect(calls).toHaveLength(513);
    await embeddings.ofMessage('text 0', 'classifier', space);
    expect(calls).toHaveLength(514);
  });
});

describe('the vectors of the texts of a company', () => {
  const texts = Array.from({ length: 150 }, (_, at) => `the text ${at} about a key`);

  test('are requested in batches, each text once, and found by the text', async () => {
    const { calls, embeddings } = createRig();
    const vectors = await embeddings.ofTexts([...texts, ...texts, ' '], undefined);
    expect(calls.map(({ length }) => length)).toEqual([64, 64, 22]);
    expect(vectors).toMatchObject(space);
    for (const text of texts) expect(vectors?.of(text)).toEqual(vectorOf(text, 'one'));
    expect(vectors?.of(' ')).toBeUndefined();
    expect(vectors?.of('another')).toBeUndefined();
  });

  test('are kept in a file without the texts, and only new ones are requested', async () => {
    const { calls, create, embeddings } = createRig();
    const file = join(folder, 'playbook.yaml.vectors');
    const first = await embeddings.ofTexts(texts, file);
    calls.length = 0;
    const second = await create().ofTexts([...texts.slice(0, 100), 'a new one'], file);
    expect(calls).toEqual([['a new one']]);
    for (const text of texts.slice(0, 100)) expect(second?.of(text)).toEqual(first?.of(text));
    await create().ofTexts([...texts, 'a new one'], file);
    expect(calls).toHaveLength(1);
    expect((await readFile(file)).includes('about a key')).toBe(false);
  });

  test.each<[string, (file: string) => Promise<void>]>([
    ['is cut off', async (file) => writeFile(file, (await readFile(file)).subarray(0, -1))],
    [
      'has another byte',
      async (file) => {
        const bytes = await readFile(file);
        bytes[bytes.length - 3] = Number(bytes.at(-3)) ^ 1;
        await writeFile(file, bytes);
      },
    ],
    ['is empty', (file) => writeFile(file, '')],
    ['is something else', (file) => writeFile(file, '{"format":"x"}\nabc')],
    [
      'is of another model',
      async (file) => {
        const bytes = await readFile(file);
        const text = bytes.toString('latin1').replace('"asked":"asked-for"', '"asked":"something"');
        await writeFile(file, Buffer.from(text, 'latin1'));
      },
    ],
  ])('are requested again where the file %s', async (_, damage) => {
    const { calls, create, embeddings } = createRig();
    const file = join(folder, 'vectors');
    await embeddings.ofTexts(texts, file);
    await damage(file);
    calls.length = 0;
    expect(await create().ofTexts(texts, file)).toMatchObject(space);
    expect(calls).toHaveLength(3);
    await create().ofTexts(texts, file);
    expect(calls).toHaveLength(3);
  });

  test('are all requested again where another model answers for a new one', async () => {
    const { rig, calls, create, embeddings } = createRig();
    const file = join(folder, 'vectors');
    await embeddings.ofTexts(texts, file);
    rig.model = 'two';
    calls.length = 0;
    const vectors = await create().ofTexts([...texts, 'a new one'], file);
    expect(vectors).toMatchObject({ ...space, model: 'two' });
    expect(vectors?.of(texts[3] ?? '')).toEqual(vectorOf(texts[3] ?? '', 'two'));
    expect(calls.flat()).toHaveLength(151);
  });

  test('are given up where the model changes all the time', async () => {
    const { rig, calls, counted, embeddings } = createRig();
    const asked = embeddings.ofTexts(texts, undefined);
    rig.model = 'two';
    expect(await asked).toBeUndefined();
    expect(calls).toHaveLength(2);
    expect(counted).toEqual(['playbook other_model']);
  });

  test('that came before a failure are kept for the next start', async () => {
    const { rig, calls, counted, logger, create, embeddings } = createRig();
    const file = join(folder, 'vectors');
    await embeddings.ofTexts(texts.slice(0, 64), file);
    rig.failure = 'unauthorized';
    expect(await create().ofTexts(texts, file, true)).toBeUndefined();
    expect(counted).toEqual(['playbook unauthorized']);
    expect(logger.lines).toMatchObject([{ level: 'warn', reason: 'unauthorized', use: 'playbook' }]);
    rig.failure = undefined;
    calls.length = 0;
    expect(await create().ofTexts(texts, file)).toBeDefined();
    expect(calls.flat()).toHaveLength(86);
  });

  test('are tried again by the patient after a failure that may pass', async () => {
    const { rig, calls, clock, counted, embeddings } = createRig();
    rig.failure = 'rate_limited';
    const pending = embeddings.ofTexts(['one'], undefined, true);
    await expect.poll(() => clock.pending()).toBe(1);
    await clock.advance(1_000);
    rig.failure = undefined;
    await clock.advance(4_000);
    expect(await pending).toMatchObject(space);
    expect(calls).toHaveLength(3);
    expect(counted).toEqual([]);
  });

  test('are used although the file cannot be written', async () => {
    const { logger, embeddings } = createRig();
    const file = join(folder, 'missing', 'vectors');
    expect(await embeddings.ofTexts(texts, file)).toBeDefined();
    expect(logger.lines).toMatchObject([{ level: 'warn', file }]);
  });
});
