import { spawn } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { program } from '../build/service.ts';
import { assessed } from './support/llm/fake-model.ts';
import { dataOf, type FakeProvider, startFakeProvider } from './support/llm/fake-provider.ts';
import { byPurpose, completion, failure, inTurn } from './support/llm/provider-replies.ts';
import { compileCache } from './support/process/compile-cache.ts';
import { invokeAll, type Outcome } from './support/process/invocations.ts';
import { startProgram } from './support/process/program.ts';

const usage =
  'usage: orchestration-service evaluate [--playbook FILE] [--model FILE]... [--tickets FILE] [--seed N] [--size N] [--gate NAME=NUMBER]... [--show wrong|needless|all] [--json] [--out FILE] [--concurrency N] [--record DIR | --replay DIR] [--resume FILE] [--model-confidence FILE]\n';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evaluate-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in an empty folder, with only these settings. */
function evaluate(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [program, 'evaluate', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...compileCache, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 25_000,
    killSignal: 'SIGKILL',
  });
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...written }));
  });
}

async function fileOf(name: string, content: unknown): Promise<string> {
  await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

const gates = ['--gate', 'classification_accuracy=0.5', '--gate', 'escalation_accuracy=0.5'];
const refund = { message: 'I want a refund', expected_intent: 'refund' };

const invocations = {
  help: { args: ['--help'], env: { PORT: 'abc' } },
  passed: { args: ['--seed', '4', '--size', '150', ...gates] },
  file: { args: ['--tickets', 'own.json', '--gate', 'classification_accuracy=0.5'] },
  notJudged: { args: ['--tickets', 'one.json', '--gate', 'escalation_accuracy=0'] },
  gate: { args: ['--gate', 'speed=1'] },
  size: { args: ['--size', 'many'] },
  unknown: { args: ['--verbose'] },
  missing: { args: ['--tickets', 'missing.json'] },
  notJson: { args: ['--tickets', 'broken.json'] },
  notIntent: { args: ['--tickets', 'unknown.json'] },
  threshold: { args: ['--tickets', 'one.json'], env: { ESCALATION_THRESHOLD: '1' } },
  wrong: { args: ['--tickets', 'own.json', '--show', 'wrong'] },
  needless: { args: ['--tickets', 'one.json', '--show', 'needless'], env: { ESCALATION_THRESHOLD: '1' } },
  all: { args: ['--tickets', 'own.json', '--show', 'all', '--json'] },
  out: { args: ['--tickets', 'own.json', '--show', 'wrong', '--json', '--out', 'mistakes.json'] },
  lines: { args: ['--tickets', 'own.json', '--show', 'all', '--out', 'all.jsonl'] },
  linesWithoutShow: { args: ['--tickets', 'own.json', '--out', 'all.jsonl'] },
  outFolder: { args: ['--tickets', 'missing.json', '--out', 'folder'] },
  outNowhere: { args: ['--tickets', 'missing.json', '--out', 'nowhere/report.txt'] },
  outMissed: {
    args: ['--tickets', 'own.json', '--out', 'missed.txt', '--gate', 'classification_accuracy=1'],
  },
  outLink: { args: ['--tickets', 'own.json', '--json', '--out', 'link.json'] },
  outDevice: { args: ['--tickets', 'own.json', '--out', '/dev/null'] },
  concurrency: { args: ['--concurrency', '65'] },
  oneByOne: { args: ['--size', '60', '--json', '--concurrency', '1'] },
  manyAtOnce: { args: ['--size', '60', '--json', '--concurrency', '64'] },
  recordAndReplay: { args: ['--record', 'folder', '--replay', 'folder'] },
  recordByRules: { args: ['--record', 'folder'] },
  recordIntoFile: { args: ['--record', 'own.json'], env: { LLM_API_KEY: 'key' } },
  replayNothing: { args: ['--replay', 'nowhere'] },
  resumeOther: { args: ['--resume', 'own.json', '--tickets', 'one.json'] },
  resumeFolder: { args: ['--resume', 'folder'] },
  confidenceByRules: { args: ['--model-confidence', 'confidence.yaml'] },
  confidenceNowhere: { args: ['--model-confidence', 'nowhere/confidence.yaml'] },
};

let outcomes: Readonly<Record<keyof typeof invocations, Outcome>>;

beforeAll(async () => {
  await fileOf('own.json', [
    { ...refund, expected_tools: ['refund_policy'] },
    { message: 'I want a refund', expected_intent: 'spam', expected_escalated: false },
  ]);
  await fileOf('one.json', { tickets: [refund] });
  await fileOf('broken.json', '{"tickets": ');
  await fileOf('unknown.json', [{ message: 'a', expected_intent: 'b' }]);
  await mkdir(join(folder, 'folder'));
  await fileOf('target.json', 'from before');
  await symlink('target.json', join(folder, 'link.json'));
  outcomes = await invokeAll(['evaluate'], folder, invocations);
});

describe('the evaluation command', () => {
  test('prints its usage with --help, even with invalid settings', () => {
    expect(outcomes.help).toEqual({ code: 0, stdout: usage, stderr: '' });
  });

  test('prints the scores of synthetic tickets and exits with 0 when every gate is passed', () => {
    const ended = outcomes.passed;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^150 tickets \(synthetic, seed 4\)\. Messages made from templates/);
    for (const row of ['macro_f1', 'calibration_error', 'order_status', '0.45', '1.00']) {
      expect(ended.stdout).toContain(`\n${row} `);
    }
    expect(ended.stdout).not.toMatch(/NaN|undefined|null/);
  });

  test('exits with 1 and names each missed gate after the scores', async () => {
    const scores = ['macro_f1=1', 'classification_accuracy=0', 'tool_selection_accuracy=1.0'];
    const ended = await evaluate(['--size', '150', ...scores.flatMap((score) => ['--gate', score])]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /^macro_f1 is 0\.\d+, below 1\ntool_selection_accuracy is 0\.\d+, below 1\n$/,
    );
    expect(ended.stdout).toContain('150 tickets');
  });

  test('scores tickets from a file', () => {
    const ended = outcomes.file;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(
      /^tickets: \S*own\.json\n2 tickets \(request\)\. The tickets of the request\.\n/,
    );
    expect(ended.stdout).toMatch(/\nclassification_accuracy +0\.500\n/);
    expect(ended.stdout).toMatch(/\ntool_selection_accuracy +1\.000\n/);
  });

  test('misses a gate on a score that no ticket has data for', () => {
    expect(outcomes.notJudged).toMatchObject({ code: 1, stderr: 'escalation_accuracy was not judged\n' });
  });

  test.each([
    ['gate', '--gate must name one of'],
    ['size', '--size must be an integer'],
    ['unknown', "Unknown option '--verbose'"],
    ['missing', 'missing.json'],
    ['concurrency', '--concurrency must be from 1 to 64'],
    ['recordAndReplay', '--record must not come with --replay'],
    ['recordByRules', '--record must come with a language model: LLM_API_KEY is not set'],
    ['recordIntoFile', '--record must name a folder: own.json is a file'],
    ['replayNothing', '--replay must name a folder: there is no nowhere'],
    ['resumeOther', 'own.json, the last line is no ticket'],
    ['resumeFolder', '--resume must name a file: folder is a folder'],
    ['confidenceByRules', '--model-confidence must come with a language model: LLM_API_KEY is not set'],
    ['confidenceNowhere', '--model-confidence must name a file: there is no folder nowhere'],
  ] as const)('rejects invalid arguments with a reason and its usage: %s', (name, reason) => {
    const ended = outcomes[name];
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(reason);
    expect(ended.stderr.endsWith(usage)).toBe(true);
    expect(ended.stderr).not.toContain('    at ');
  });

  test('rejects a file without tickets, with a reason', () => {
    expect(outcomes.notJson).toEqual({
      code: 1,
      stdout: '',
      stderr: `the tickets are not valid: the file is not JSON\n${usage}`,
    });
    expect(outcomes.notIntent.code).toBe(1);
    expect(outcomes.notIntent.stderr).toContain('0.expected_intent: ');
  });

  test('rejects invalid settings like the service, without showing a secret', async () => {
    const ended = await evaluate([], { ESCALATION_THRESHOLD: '2', LLM_API_KEY: 'canary\u00e9key' });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^ESCALATION_THRESHOLD: /m);
    expect(ended.stderr).toMatch(/^LLM_API_KEY: /m);
    expect(ended.stderr).not.toContain('canary');
  });

  test('scores the same whatever the number of tickets that run at a time, and tells of no language model', () => {
    expect(outcomes.oneByOne).toMatchObject({ code: 0, stderr: '' });
    const [one, many] = [outcomes.oneByOne, outcomes.manyAtOnce].map(({ stdout }) => figuresOf(stdout));
    expect(many).toEqual(one);
    expect(one).not.toHaveProperty('language_model');
  });

  test('uses the configured escalation threshold', () => {
    expect(outcomes.threshold.stdout).toMatch(/\nescalation_rate +1\.000\n/);
  });
});

/** The JSON of an evaluation without its durations. */
function figuresOf(stdout: string) {
  const figures = JSON.parse(stdout);
  for (const name of ['average_latency_ms', 'p95_latency_ms']) delete figures[name];
  for (const name of ['latency_p50_ms', 'latency_p95_ms']) delete figures.language_model?.[name];
  return figures;
}

/** The part of the standard output after the scores. */
const shownIn = ({ stdout }: Outcome, title: string) => stdout.slice(stdout.indexOf(`\n${title}: `) + 1);

describe('the evaluation command with --show', () => {
  test('tells which tickets were decided wrongly, with what was expected and decided, and why', () => {
    expect(outcomes.wrong).toMatchObject({ code: 0, stderr: '' });
    expect(shownIn(outcomes.wrong, 'wrong').split('\n')).toEqual([
      'wrong: 1 of 2 tickets',
      '',
      '2: "I want a refund"',
      '  mistakes: intent',
      '  expected: spam, not escalated',
      expect.stringMatching(
        /^ {2}decided: {2}refund, answered, tools: refund_policy, confidence [01]\.\d\d$/,
      ),
      expect.stringMatching(/^ {2}classifier: .*refund/),
      expect.stringMatching(/^ {4}intent: "refund"/),
      expect.stringMatching(/^ {2}planner: ./),
      expect.stringMatching(/^ {2}verifier: ./),
      expect.stringMatching(/^ {2}responder: ./),
      '',
    ]);
  });

  test('tells which tickets a person got needlessly, and why', () => {
    const shown = shownIn(outcomes.needless, 'needless');
    expect(shown).toMatch(/^needless: 1 of 1 tickets\n\n1: "I want a refund"\n {2}mistakes: needless\n/);
    expect(shown).toContain('\n  because:  low_confidence\n');
  });

  test('tells all tickets as JSON, in the form of the reply to POST /evaluation', () => {
    const json = JSON.parse(outcomes.all.stdout);
    expect(json).toMatchObject({
      status: 'completed',
      total_tickets: 2,
      classification_accuracy: 0.5,
      classifier: null,
      show: 'all',
      tickets: [
        { number: 1, wrong: [], needless: false, expected: { tools: ['refund_policy'] } },
        {
          number: 2,
          message: 'I want a refund',
          wrong: ['intent'],
          needless: false,
          reasons: [],
          expected: { intent: 'spam', tools: null, escalated: false, disposition: null, concerns: null },
          decided: { intent: 'refund', disposition: 'answered', escalated: false, concerns: [] },
          evidence: [
            { stage: 'classifier' },
            { stage: 'planner' },
            { stage: 'verifier' },
            { stage: 'responder' },
          ],
        },
      ],
    });
  });

  test('writes to a file with --out, and says so', async () => {
    expect(outcomes.out).toEqual({ code: 0, stdout: 'wrote mistakes.json\n', stderr: '' });
    const json = JSON.parse(await readFile(join(folder, 'mistakes.json'), 'utf8'));
    expect(json).toMatchObject({ show: 'wrong', tickets: [{ number: 2 }] });
  });

  test('writes JSON Lines to a file of that name, a ticket on each', async () => {
    expect(outcomes.lines).toEqual({ code: 0, stdout: 'wrote all.jsonl\n', stderr: '' });
    const lines = (await readFile(join(folder, 'all.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { classifier: null, number: 1, wrong: [], decided: { intent: 'refund' } },
      { classifier: null, number: 2, wrong: ['intent'], expected: { intent: 'spam' } },
    ]);
    const refused = outcomes.linesWithoutShow;
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^--out must come with --show for JSON Lines/);
  });

  test('refuses a folder and a place that is not there, before it evaluates anything', () => {
    for (const [outcome, reason] of [
      [outcomes.outFolder, '--out must name a file: folder is a folder'],
      [outcomes.outNowhere, '--out must name a file: there is no folder nowhere'],
    ] as const) {
      expect(outcome).toEqual({ code: 1, stdout: '', stderr: `${reason}\n${usage}` });
    }
  });

  test('writes the report also where a gate is missed, and leaves no other file behind', async () => {
    expect(outcomes.outMissed).toMatchObject({ code: 1, stdout: 'wrote missed.txt\n' });
    expect(await readFile(join(folder, 'missed.txt'), 'utf8')).toMatch(/\nclassification_accuracy +0\.500\n/);
    expect((await readdir(folder)).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  test('replaces the file that a link leads to, and writes to what is no file', async () => {
    expect(outcomes.outLink).toMatchObject({ code: 0 });
    expect((await lstat(join(folder, 'link.json'))).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(join(folder, 'target.json'), 'utf8'))).toMatchObject({
      total_tickets: 2,
    });
    expect(outcomes.outDevice).toEqual({ code: 0, stdout: 'wrote /dev/null\n', stderr: '' });
    expect((await lstat('/dev/null')).isCharacterDevice()).toBe(true);
  });
});

describe('the evaluation with a language model', () => {
  const settings = (baseUrl: string) => ({
    LLM_API_KEY: 'canary-of-the-provider',
    LLM_BASE_URL: baseUrl,
    LLM_STAGES: 'classifier',
  });

  test('scores the decisions of the model', async () => {
    await using provider = await startFakeProvider(
      byPurpose({ classifier: assessed('feedback', { sure: 'likely' }) }),
    );
    const own = await fileOf('model.json', [
      { message: 'I want a refund', expected_intent: 'feedback' },
      { message: 'where is my order?', expected_intent: 'feedback' },
    ]);
    const ended = await evaluate(
      ['--tickets', own, '--gate', 'classification_accuracy=1'],
      settings(provider.baseUrl),
    );
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(provider.calls()).toBe(2);
    expect(ended.stdout).toMatch(/\nlanguage model gpt-4o-mini\ncalls +2\nfailed_calls +0\n/);
    for (const row of [
      'calls_per_message +1.000',
      'input_tokens +22',
      'output_tokens +14',
      'cost +not known',
      'latency_p50_ms +[0-9.]+',
      'latency_p95_ms +[0-9.]+',
      'fallback_rate +0.000',
    ]) {
      expect(ended.stdout).toMatch(new RegExp(`\n${row}\n`));
    }
    expect(ended.stdout).not.toMatch(/canary|left to the rules/);
  });

  test('reports the decisions that fell back to the rules', async () => {
    await using provider = await startFakeProvider(inTurn(failure(401)));
    const ended = await evaluate(['--tickets', 'one.json'], settings(provider.baseUrl));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('\nfallbacks to the rules: 1 (classifier: unauthorized)\n');
    expect(ended.stdout).not.toContain('canary');
  });
});

/** A provider that takes the word after the number of a message as its intent, and is unsure from number 9 on. */
function slowProvider(delayMs: number): Promise<FakeProvider> {
  return startFakeProvider(async (request) => {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const [, number, intent = 'refund'] = /Number (\d+): (\w+)/.exec(JSON.stringify(dataOf(request))) ?? [];
    return completion(assessed(intent, { sure: Number(number ?? 0) < 9 ? 'certain' : 'unsure' }));
  });
}

const modelSettings = (provider: FakeProvider) => ({
  LLM_API_KEY: 'canary-of-the-provider',
  LLM_BASE_URL: provider.baseUrl,
  LLM_STAGES: 'classifier',
});

/** Tickets of which a third has another intent than the provider says. */
const numbered = Array.from({ length: 12 }, (_, number) => ({
  message: `Number ${number}: ${number % 3 === 0 ? 'feedback' : 'refund'}`,
  expected_intent: 'refund',
}));

describe('a recorded evaluation', () => {
  test('is repeated without a key, a provider and the SDK, with the same figures', async () => {
    await using provider = await slowProvider(0);
    const own = await fileOf('recorded.json', numbered);
    const recorded = await evaluate(
      ['--tickets', own, '--json', '--record', 'replies'],
      modelSettings(provider),
    );
    expect(recorded).toMatchObject({ code: 0, stderr: '' });
    expect(provider.calls()).toBe(12);
    const names = (await readdir(join(folder, 'replies'))).sort();
    expect(names).toHaveLength(13);
    for (const name of names) {
      const text = await readFile(join(folder, 'replies', name), 'utf8');
      expect(text).not.toMatch(/canary|127\.0\.0\.1|Number/);
    }
    const loader = await fileOf('no-sdk.mjs', noSdk);
    const replayed = await evaluate(['--tickets', own, '--json', '--replay', 'replies'], {
      LLM_STAGES: 'classifier',
      NODE_OPTIONS: `--import=${pathToFileURL(join(folder, loader)).href}`,
    });
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    expect(figuresOf(replayed.stdout)).toEqual(figuresOf(recorded.stdout));
    expect(figuresOf(replayed.stdout)).toMatchObject({
      classification_accuracy: 8 / 12,
      fallbacks: {},
      language_model: { calls: 12, missing_replies: 0, input_tokens: 132, output_tokens: 84, cost: null },
    });
    expect(provider.calls()).toBe(12);

    const others = await fileOf('others.json', [...numbered, { ...refund, message: 'Number 12: refund' }]);
    const missed = await evaluate(['--tickets', others, '--replay', 'replies'], {
      LLM_STAGES: 'classifier',
    });
    expect(missed).toMatchObject({
      code: 1,
      stderr: '1 of 13 replies of the language model are not in replies\n',
    });
    expect(missed.stdout).toContain('\nfallbacks to the rules: 1 (classifier: not_found)\n');
  });
});

/** A module that lets no module of the SDK be loaded. */
const noSdk = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    if (name === 'ai' || name.startsWith('@ai-sdk/')) throw new Error('the SDK is loaded');
    return next(name, context);
  },
});
`;

describe('an evaluation that goes on', () => {
  test('evaluates no finished ticket again after a kill, and has the figures of one without it', async () => {
    await using provider = await slowProvider(60);
    const own = await fileOf('killed.json', numbered);
    const args = [program, 'evaluate', '--tickets', own, '--json', '--concurrency', '2'];
    const started = (resume: string) =>
      startProgram(process.execPath, [...args, '--resume', resume], {
        cwd: folder,
        env: modelSettings(provider),
      });
    const killed = started('killed.jsonl');
    await vi.waitFor(() => expect(provider.calls()).toBeGreaterThan(6), { timeout: 20_000, interval: 5 });
    await killed.stop('SIGKILL');
    await provider.idle(5_000);
    const text = await readFile(join(folder, 'killed.jsonl'), 'utf8');
    const finished = text.split('\n').length - 1;
    expect(finished).toBeGreaterThan(0);
    expect(finished).toBeLessThan(12);
    await writeFile(join(folder, 'killed.jsonl'), `${text}{"index":11,"ke`);
    const before = provider.calls();

    const ended = await started('killed.jsonl').ended;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(provider.calls()).toBe(before + 12 - finished);

    const whole = await started('whole.jsonl').ended;
    expect(figuresOf(ended.stdout)).toEqual(figuresOf(whole.stdout));
    expect(figuresOf(whole.stdout)).toMatchObject({
      total_tickets: 12,
      fallbacks: {},
      language_model: { calls: 12, failed_calls: 0, input_tokens: 132 },
    });
  });

  test('ends after the tickets under way with SIGINT, and says how to go on', async () => {
    await using provider = await slowProvider(60);
    const own = await fileOf('interrupted.json', numbered);
    const args = ['--tickets', own, '--concurrency', '2', '--resume', 'interrupted.jsonl'];
    const running = startProgram(process.execPath, [program, 'evaluate', ...args], {
      cwd: folder,
      env: modelSettings(provider),
    });
    await vi.waitFor(() => expect(provider.calls()).toBeGreaterThan(3), { timeout: 20_000, interval: 5 });
    const ended = await running.stop('SIGINT');
    expect(ended).toMatchObject({ code: 130, stdout: '' });
    const finished = (await readFile(join(folder, 'interrupted.jsonl'), 'utf8')).split('\n').length - 1;
    expect(ended.stderr).toBe(
      `stopped after ${finished} of 12 tickets; to go on, run the same command again with --resume interrupted.jsonl\n`,
    );
    expect(finished).toBe(provider.calls());
    expect(await evaluate(args, modelSettings(provider))).toMatchObject({ code: 0 });
    expect(provider.calls()).toBe(12);
  });
});

describe('the measured confidence of a model', () => {
  test('is not written where no decision tells how sure the model was', async () => {
    await using provider = await startFakeProvider(inTurn(failure(401)));
    const ended = await evaluate(
      ['--tickets', await fileOf('unsaid.json', [refund]), '--model-confidence', 'unsaid.yaml'],
      modelSettings(provider),
    );
    expect(ended).toMatchObject({
      code: 1,
      stderr:
        '--model-confidence: no ticket with an expected intent tells how sure the model was, so unsaid.yaml is not written\n',
    });
    expect(await readdir(folder)).not.toContain('unsaid.yaml');
  });

  test('is printed as a table, written as a member of a playbook, and part of the JSON', async () => {
    await using provider = await slowProvider(0);
    const own = await fileOf('said.json', numbered);
    const args = ['--tickets', own, '--resume', 'said.jsonl'];
    const measured = [...args, '--model-confidence', 'said.yaml'];
    const ended = await evaluate(measured, modelSettings(provider));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(
      [
        '',
        'the model is  tickets  right  at least  model_confidence',
        'certain             9  0.667     0.398              0.82',
        'likely              0                               0.75',
        'unsure              3  0.667     0.254              0.46',
        'wrote said.yaml',
        '',
      ].join('\n'),
    );
    const yaml = await readFile(join(folder, 'said.yaml'), 'utf8');
    expect(yaml).toBe('model_confidence: { certain: 0.82, likely: 0.75, unsure: 0.46 }\n');

    const json = await evaluate([...measured, '--json'], modelSettings(provider));
    expect(provider.calls()).toBe(12);
    expect(JSON.parse(json.stdout).model_confidence).toMatchObject([
      { sure: 'certain', count: 9, right: 6, lower_bound: expect.closeTo(0.398, 3), value: 0.82 },
      { sure: 'likely', count: 0, right: 0, lower_bound: null, value: 0.75 },
      { sure: 'unsure', count: 3, right: 2 },
    ]);
  });
});
