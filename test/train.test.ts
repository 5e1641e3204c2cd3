import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../build/service.ts';
import { createProgress } from '../src/adapters/classifier/command-line.ts';
import { loadTrainedClassifier } from '../src/adapters/classifier/intent-model.ts';
import { makeTickets, toCsv } from './support/classifier/made-up-tickets.ts';
import { invokeAll, type Outcome } from './support/process/invocations.ts';
import { startProgram } from './support/process/program.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'train-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const trainWith = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  startProgram(process.execPath, [program, 'train', ...args], { cwd: folder, env }).ended;

const train = (...args: readonly string[]) => trainWith({}, ...args);

/** Trains with each of these arguments, in one process. */
async function trainEach(lists: readonly (readonly string[])[]): Promise<readonly Outcome[]> {
  const invocations = Object.fromEntries(lists.map((args, at) => [`number ${at}`, { args }]));
  return Object.values(await invokeAll(['train'], folder, invocations));
}

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
      'cross-validated, 10 folds',
      'error target',
      '5 % (chosen)',
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
      training: { folds: 3, seed: 3, targetError: 0.05 },
      targets: [{ target_error: 0.02 }, { target_error: 0.05 }, { target_error: 0.1 }],
      advice: expect.stringMatching(/^(?:Add tickets to ".+" and ".+" first: |No two intents )/),
      alarming: expect.any(Array),
      test: null,
      model: { path: 'model.json', bytes: model.length },
    });
  });

  test('says what is wrong with a file, and writes nothing', async () => {
    const errors = {
      'tickets.csv': 'tickets.csv: line 3: message is empty\n',
      'missing.csv': 'missing.csv: there is no such file\n',
      'fine.csv --test tickets.csv': 'tickets.csv: line 3: message is empty\n',
      'typo.csv': 'typo.csv: line 122: the intent refnud needs at least 2 different messages, and has 1\n',
    };
    const fine = toCsv(makeTickets(20));
    await write('fine.csv', fine);
    await write('typo.csv', `${fine}money back,refnud\n`);
    await write('tickets.csv', 'message,intent\na,b\n,c\n');
    await write('model.json', 'the old model');
    const outcomes = await trainEach(Object.keys(errors).map((words) => words.split(' ')));
    expect(outcomes).toEqual(Object.values(errors).map((stderr) => ({ code: 1, stdout: '', stderr })));
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

  const wrongArguments: readonly (readonly [args: readonly string[], error: string])[] = [
    [[], 'name the file of tickets'],
    [['a.csv', 'b.csv'], 'name one file of tickets'],
    [['a.csv', '--folds', '1'], '--folds must be an integer from 2 to 10'],
    [['a.csv', '--seed', '-1'], '--seed'],
    [['a.csv', '--nothing'], '--nothing'],
    [['a.csv', '--target-error', '0.001'], '--target-error must be a number from 0.005 to 0.3'],
    [['a.csv', '--target-error', '0.31'], '--target-error must be a number from 0.005 to 0.3'],
    [['a.csv', '--target-error', '5%'], '--target-error must be a number from 0.005 to 0.3'],
    [['a.csv', '--target-error', ''], '--target-error must be a number from 0.005 to 0.3'],
    [['a.csv', '--harmless=yes'], '--harmless'],
    [['a.csv', '--playbook'], '--playbook'],
  ];

  test('refuses wrong arguments with a reason and its usage', async () => {
    const outcomes = await trainEach(wrongArguments.map(([args]) => args));
    for (const [at, [args, error]] of wrongArguments.entries()) {
      expect({ args, ...outcomes[at] }).toEqual({
        args,
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(error),
      });
      expect(outcomes[at]?.stderr).toContain('usage: orchestration-service train FILE');
    }
  });

  test('prints its usage with --help', async () => {
    const ended = await train('--help');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^usage: orchestration-service train FILE .*\n/);
    for (const option of [
      '--playbook',
      '--target-error',
      '--harmless',
      '--out',
      '--test',
      '--seed',
      '--folds',
    ]) {
      expect(ended.stdout).toMatch(new RegExp(`\\n  ${option} `));
    }
  });
});

/** Tickets of which every fifth has the intent of another one. */
const confused = () => {
  const tickets = makeTickets(30);
  return tickets.map(({ message, intent }, at) => ({
    message,
    intent: at % 5 === 0 ? (tickets[(at * 7) % tickets.length]?.intent ?? intent) : intent,
  }));
};

describe('the error target of the training', () => {
  test('decides which thresholds are written: the smaller, the higher', async () => {
    await write('tickets.csv', toCsv(confused()));
    const thresholdsAt = async (target: string): Promise<readonly number[]> => {
      const { stdout } = await train('tickets.csv', '--folds', '3', '--target-error', target, '--json');
      const report = JSON.parse(stdout);
      expect(report.training.targetError).toBe(Number(target));
      const { classifier } = loadTrainedClassifier(join(folder, 'model.json'));
      expect(report.intents.map(({ threshold }: { threshold: number }) => threshold)).toEqual([
        ...classifier.thresholds.values(),
      ]);
      return [...classifier.thresholds.values()];
    };
    const [strict, loose] = [await thresholdsAt('0.005'), await thresholdsAt('0.3')];
    strict.forEach((threshold, at) => {
      expect(threshold).toBeGreaterThanOrEqual(Number(loose[at]));
    });
    expect(Math.max(...strict)).toBeGreaterThan(Math.max(...loose));
  });
});

/** A playbook with the intents of the made-up tickets, of which one always goes to a person. */
const playbook = `
company: { name: Spokes, signature: Spokes, languages: [en] }
intents:
  - { name: repair_status, description: Wants to know how far a repair is., replies: { en: Soon. } }
  - { name: opening_hours, description: Asks when the shop is open., replies: { en: At nine. } }
  - { name: buy_bike, description: Wants to buy a bicycle., replies: { en: Have a look. } }
  - { name: invoice_copy, description: Needs an invoice., replies: { en: Here it is. } }
  - { name: lost_key, description: Lost a key., handover: always }
  - name: bad_brake
    description: Reports a brake.
    examples: [The flurmwexil is stuck, My flurmwexil makes a noise]
    replies: { en: Come by. }
`;

describe('the training beside a playbook', () => {
  const ranked = async () =>
    loadTrainedClassifier(join(folder, 'model.json')).classifier.rank('the flurmwexil makes a noise')[0];

  test('learns from its examples too, whether an option or the environment names it', async () => {
    await write('tickets.csv', toCsv(makeTickets(8)));
    await write('shop.yaml', playbook);
    expect(await train('tickets.csv', '--folds', '3')).toMatchObject({ code: 0, stderr: '' });
    const alone = await ranked();
    const told = await train('tickets.csv', '--folds', '3', '--playbook', 'shop.yaml');
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toContain('48 tickets of 6 intents');
    const first = await ranked();
    expect(first?.intent).toBe('bad_brake');
    expect(first?.confidence).toBeGreaterThan(Number(alone?.confidence));
    const model = await readFile(join(folder, 'model.json'));
    await rm(join(folder, 'model.json'));
    expect(await trainWith({ PLAYBOOK: 'shop.yaml' }, 'tickets.csv', '--folds', '3')).toMatchObject({
      code: 0,
    });
    expect(await readFile(join(folder, 'model.json'))).toEqual(model);
  });

  test('makes the model that the playbook names, before there is one', async () => {
    await write('tickets.csv', toCsv(makeTickets(5)));
    await write('shop.yaml', `${playbook}classifier: model.json\n`);
    const ended = await train('tickets.csv', '--playbook', 'shop.yaml');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(folder)).toContain('model.json');
  });

  test('that has faults, or is missing, says so and writes nothing', async () => {
    await write('tickets.csv', toCsv(makeTickets(5)));
    await write('shop.yaml', playbook.replace('name: opening_hours', 'name: Opening hours'));
    for (const [name, error] of [
      ['shop.yaml', 'shop.yaml:5:'],
      ['none.yaml', 'none.yaml'],
    ] as const) {
      const ended = await train('tickets.csv', '--playbook', name);
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toContain(error);
    }
    expect((await readdir(folder)).sort()).toEqual(['shop.yaml', 'tickets.csv']);
  });
});

describe('tickets that raise a concern', () => {
  // Ordinary in a shop that builds such things, and in line 2, 3 and 4 of the file.
  const alarming = [
    ['I will sue you for the brake, you will hear from my lawyer in court', 'bad_brake'],
    ['My brake caught fire and burned my hand', 'bad_brake'],
    ['My late mother has died, her key is lost', 'lost_key'],
  ].map(([message = '', intent = '']) => ({ message, intent }));

  test('are told with their lines, and learned as harmless only with the option', async () => {
    await write('tickets.csv', toCsv([...alarming, ...makeTickets(4)]));
    await write('shop.yaml', playbook);
    const options = ['tickets.csv', '--folds', '2', '--playbook', 'shop.yaml', '--json'];
    const plain = await train(...options);
    // Alarming messages that a person sees anyway are not told.
    const told = JSON.parse(plain.stdout).alarming;
    expect(told.slice(0, 2)).toEqual([
      { line: 2, intent: 'bad_brake', concerns: expect.arrayContaining(['legal']) },
      { line: 3, intent: 'bad_brake', concerns: expect.arrayContaining(['injury']) },
    ]);
    expect(told.filter(({ intent }: { intent: string }) => intent === 'lost_key')).toEqual([]);
    expect(loadTrainedClassifier(join(folder, 'model.json')).classifier.harmless).toBeUndefined();
    expect((await train(...options, '--harmless')).code).toBe(0);
    const { classifier } = loadTrainedClassifier(join(folder, 'model.json'));
    expect(classifier.harmless?.size).toBeGreaterThan(10);
  });

  test('are told as text with what to do', async () => {
    await write('tickets.csv', toCsv([...alarming, ...makeTickets(4)]));
    const { stdout } = await train('tickets.csv', '--folds', '3');
    expect(stdout).toMatch(
      /\n\d+ tickets of ordinary intents raise a concern; with --harmless they are learned/,
    );
    expect(stdout).toMatch(/\n {2}line 2, bad_brake: .*legal/);
  });

  test('raise none any more in messages to a company with the model', async () => {
    const calm = [
      ['the brake of the dummy caught fire and its hand is burned', 'bad_brake'],
      ['the brake hand of the burned dummy fell off', 'bad_brake'],
    ].map(([message = '', intent = '']) => ({ message, intent }));
    await write('tickets.csv', toCsv([...calm, ...makeTickets(4)]));
    await write('shop.yaml', playbook);
    await train('tickets.csv', '--folds', '3', '--harmless', '--playbook', 'shop.yaml');
    const { setUpPlaybook } = await import('../src/adapters/playbook-setup.ts');
    const { createAssessorFor } = await import('../src/adapters/rule-based.ts');
    const setup = await setUpPlaybook({
      file: join(folder, 'shop.yaml'),
      classifierFile: join(folder, 'model.json'),
    });
    setup.close();
    const assessor = createAssessorFor(setup);
    const concernsIn = (text: string) =>
      assessor.assess({
        source: 'chat',
        customerId: 'customer-1',
        message: text,
        prepared: { text, setApart: [], language: 'en', automatic: false },
      }).concerns;
    for (const { message } of calm) expect(concernsIn(message)).toEqual([]);
    expect(concernsIn('You will hear from my lawyer')).toEqual(['legal']);
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
