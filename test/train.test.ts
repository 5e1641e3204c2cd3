import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProgress } from '../src/adapters/classifier/progress.ts';
import { loadTrainedClassifier } from '../src/adapters/classifier/trained.ts';
import { makeTickets, toCsv } from './support/classifier/made-up-tickets.ts';
import { startProgram } from './support/process/program.ts';

const program = fileURLToPath(new URL('../src/bin/train.ts', import.meta.url));

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'train-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const train = (...args: readonly string[]) =>
  startProgram(process.execPath, [program, ...args], { cwd: folder, env: {} }).ended;

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);

describe('the training command', () => {
  test('writes a model that can be loaded, and reports it', async () => {
    await write('tickets.csv', toCsv(makeTickets(20)));
    await write(
      'test.jsonl',
      [...makeTickets(5, 9), { message: 'zu verkaufen', intent: 'other' }]
        .map((one) => JSON.stringify(one))
        .join('\n'),
    );
    const ended = await train('tickets.csv', '--test', 'test.jsonl', '--out', 'own.json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    for (const line of [
      '120 tickets of 6 intents',
      'cross-validated, 5 folds',
      'tested on 30 tickets',
      'of 1 tickets of',
    ]) {
      expect(ended.stdout).toContain(line);
    }
    expect(ended.stdout).not.toMatch(/NaN|undefined|null|Infinity/);
    expect((await readdir(folder)).sort()).toEqual(['own.json', 'test.jsonl', 'tickets.csv']);
    const { classifier, intents, hash } = loadTrainedClassifier(join(folder, 'own.json'));
    expect(intents).toHaveLength(6);
    expect(ended.stdout).toContain(hash);
    expect(classifier.rank('I lost the key')[0]?.intent).toBe('lost_key');
  });

  test('writes the same bytes again, and reports as JSON', async () => {
    await write('tickets.csv', toCsv(makeTickets(10)));
    const first = await train('tickets.csv', '--seed', '3', '--folds', '3', '--json');
    const model = await readFile(join(folder, 'model.json'));
    const second = await train('tickets.csv', '--seed', '3', '--folds', '3', '--json');
    expect(await readFile(join(folder, 'model.json'))).toEqual(model);
    expect(second.stdout).toBe(first.stdout);
    expect(JSON.parse(first.stdout)).toMatchObject({
      tickets: { examples: 60, intents: 6, duplicates: 0, contradictions: [] },
      training: { folds: 3, seed: 3 },
      test: null,
      model: { path: 'model.json', bytes: model.length },
    });
  });

  test.each([
    [['tickets.csv'], 'tickets.csv: line 3: message is empty\n'],
    [['missing.csv'], 'missing.csv: there is no such file\n'],
    [['fine.csv', '--test', 'tickets.csv'], 'tickets.csv: line 3: message is empty\n'],
    [['typo.csv'], 'typo.csv: line 122: the intent refnud needs at least 2 different messages, and has 1\n'],
  ])('with %j says what is wrong, and writes nothing', async (args, error) => {
    const fine = toCsv(makeTickets(20));
    await write('fine.csv', fine);
    await write('typo.csv', `${fine}money back,refnud\n`);
    await write('tickets.csv', 'message,intent\na,b\n,c\n');
    await write('model.json', 'the old model');
    expect(await train(...args)).toMatchObject({ code: 1, stdout: '', stderr: error });
    expect(await readFile(join(folder, 'model.json'), 'utf8')).toBe('the old model');
    expect(await readdir(folder)).toHaveLength(4);
  });

  test('leaves nothing behind where the model cannot be written', async () => {
    await write('tickets.csv', toCsv(makeTickets(5)));
    const ended = await train('tickets.csv', '--out', 'nowhere/model.json');
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('nowhere/model.json');
    expect(await readdir(folder)).toEqual(['tickets.csv']);
  });

  test.each([
    [[], 'name the file of tickets'],
    [['a.csv', 'b.csv'], 'name one file of tickets'],
    [['a.csv', '--folds', '1'], '--folds must be an integer from 2 to 10'],
    [['a.csv', '--seed', '-1'], '--seed'],
    [['a.csv', '--nothing'], '--nothing'],
  ])('refuses the arguments %j', async (args, error) => {
    const ended = await train(...args);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(error);
    expect(ended.stderr).toContain('usage: orchestration-service train FILE');
  });

  test('prints its usage with --help', async () => {
    const ended = await train('--help');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^usage: orchestration-service train FILE .*\n/);
  });
});

describe('the progress bar', () => {
  const draw = (isTTY: boolean): string => {
    let written = '';
    const progress = createProgress({
      isTTY,
      write(text) {
        written += text;
      },
    });
    progress.show(0.5);
    progress.show(0.5);
    progress.end();
    return written;
  };

  test('is drawn on a terminal and removed', () => {
    const bar = `training [${'#'.repeat(15)}${' '.repeat(15)}]  50 %`;
    expect(draw(true)).toBe(`\r\u001b[K${bar}\r\u001b[K`);
  });

  test('is not drawn elsewhere', () => {
    expect(draw(false)).toBe('');
  });
});
